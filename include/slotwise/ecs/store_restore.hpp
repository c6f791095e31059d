// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreReader: a store from bytes that may be hostile.
#ifndef SLOTWISE_ECS_STORE_RESTORE_HPP
#define SLOTWISE_ECS_STORE_RESTORE_HPP

#include "store_snapshot.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Reads what StoreWriter wrote into tables, ids and columns of its own, and checks all of it; then exchanges them with those
/// of the store, which throws nothing. Bytes that StoreWriter would not write are refused. Tables of the store stay where they
/// are, so queries stay valid. A template as StoreWriter.
template <class Core>
class StoreReader {
public:
    StoreReader(Core& core, std::span<const std::byte> bytes, const AnyCodec& codec)
        : core_(core), codec_(codec), in_(bytes), outside_(core.registry) {}

    /// Null on success, else what is wrong with the bytes; nothing has changed then.
    /// @throws what the codec and the allocator throw; strong
    const char* restore() {
        read();
        if (in_.error() == nullptr && in_.left() != 0) in_.fail("snapshot: there are more bytes than the state needs");
        if (in_.error() != nullptr) return in_.error();
        PlainVector<slot_t> made; // tables of the store
        ScopeGuard undo([&]() noexcept {
            for (const slot_t slot : made) core_.tables.erase(slot);
        });
        find_tables(made);
        undo.dismiss();
        commit();
        return nullptr;
    }

private:
    struct Staged {
        Table table;
        PlainVector<ComponentId> order; // its ids as the bytes have them
        slot_t slot = no_slot;          // of the store's table
    };

    void read() {
        if (in_.number<std::uint32_t>() != StoreFormat::magic) {
            in_.fail("snapshot: these bytes are no snapshot of an ArchetypeStore");
            return;
        }
        if (in_.number<std::uint8_t>() != StoreFormat::byte_order)
            in_.fail("snapshot: it was made by a machine of another byte order");
        tick_ = in_.number<tick_t>();
        if (!read_components()) return;
        if (const char* const error = entities_.try_restore(block(), StoreFormat::NoLocation()); error != nullptr) {
            in_.fail(error);
            return;
        }
        // A table has at least its numbers of ids and of rows.
        const std::size_t tables = in_.length(2 * sizeof(std::uint64_t));
        for (std::size_t i = 0; i != tables; ++i)
            if (!read_table()) return;
        const std::size_t parts = in_.length(sizeof(std::uint32_t) + sizeof(std::uint64_t));
        for (std::size_t i = 0; i != parts; ++i)
            if (!read_outside()) return;
        if (in_.error() != nullptr) return;
        check_tables();
        check_switched();
        check_ids();
        for (const bool used : named_)
            if (!used) in_.fail("snapshot: a component is listed that nobody has");
    }
    bool read_components() {
        std::string_view before;
        const std::size_t count = in_.length(2 * sizeof(std::uint64_t) + sizeof(std::uint8_t) + sizeof(std::uint32_t));
        for (std::size_t i = 0; i != count; ++i) {
            const auto name = in_.raw(in_.length(1));
            const auto flags = in_.number<std::uint8_t>();
            const auto stamp = in_.number<std::uint32_t>();
            const auto tag = in_.number<std::uint64_t>();
            if (in_.error() != nullptr) return false;
            const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
            if (i != 0 && text <= before) return in_.fail("snapshot: a component occurs twice, or is out of order");
            before = text;
            const ComponentId id = core_.registry.find(text);
            if (!id) return in_.fail("snapshot: it has a component of a name that the registry does not know; register it");
            if (flags != StoreFormat::flags(core_.registry, id, codec_))
                return in_.fail("snapshot: a component has other traits here, or the codec covers its type in one place only");
            const TypeDescriptor* const type = core_.registry.type(id);
            if (stamp != StoreFormat::stamp(type, codec_)) return in_.fail("snapshot: a component has values of another size");
            if (tag != StoreFormat::tag(type, codec_)) return in_.fail(TypeMismatch::text(ElementRole::component, tag));
            if (type != nullptr && !type->trivial && !codec_.covers(*type))
                return in_.fail("snapshot: values of a component are not their bytes; add the type to the AnyCodec");
            used_.push_back(id);
        }
        named_.resize(used_.size());
        return in_.error() == nullptr;
    }
    // The bytes behind a length.
    std::span<const std::byte> block() noexcept { return in_.raw(in_.length(1)); }
    ComponentId read_component() noexcept {
        const auto place = place_ = in_.number<std::uint32_t>();
        if (place != 0 && place <= used_.size()) {
            named_[place - 1] = true;
            return used_[place - 1];
        }
        in_.fail("snapshot: an id names no component");
        return ComponentId();
    }
    ComponentId read_id(StoreFormat::IdOrder& order) {
        using Kind = StoreFormat::IdKind;
        const auto kind = static_cast<Kind>(in_.number<std::uint8_t>());
        const ComponentId first = read_component();
        order = {place_, static_cast<std::uint8_t>(kind), 0};
        if (in_.error() != nullptr || kind == Kind::component) return first;
        if (kind > Kind::pair_with_component || !core_.registry.is_relation(first)) {
            in_.fail("snapshot: a pair is without a relation, or of no known kind");
            return ComponentId();
        }
        if (kind == Kind::pair_with_component) {
            const ComponentId target = read_component();
            order.target = place_;
            return pair(first, target);
        }
        const Entity target = Entity::from_bits(order.target = in_.number<Entity::bits_type>());
        if (!note_target(target)) return ComponentId();
        return pair(first, target);
    }
    // A pair with the dead is none that a store has.
    bool note_target(Entity target) {
        EntityLocation* const at = entities_.location(target);
        if (at == nullptr || without_user_bits(target) != target)
            return in_.fail("snapshot: the target of a pair does not live");
        at->set_target(true);
        return true;
    }
    bool belongs_in_table(ComponentId id) const {
        const ComponentTraits& traits = core_.registry.traits(id);
        return !traits.sparse && !(traits.switched && id.is_pair());
    }

    //=== tables ===//

    bool read_table() {
        const std::size_t count = in_.length(sizeof(std::uint8_t) + sizeof(std::uint32_t));
        PlainVector<ComponentId> order, ids;
        StoreFormat::IdOrder before, now;
        for (std::size_t i = 0; i != count; ++i) {
            const ComponentId id = read_id(now);
            if (in_.error() != nullptr) return false;
            if (i != 0 && now <= before)
                return in_.fail("snapshot: a table has a component twice, or its ids are out of order");
            before = now;
            if (!belongs_in_table(id)) return in_.fail("snapshot: a table has what is outside of tables");
            order.push_back(id);
        }
        IdSets::assign(ids, order.span());
        if (ids.size() != order.size()) return in_.fail("snapshot: a table has a component twice"); // by two names: none has
        if (staged_.empty() != ids.empty()) return in_.fail("snapshot: the first table is the empty one, and no other is");
        for (std::size_t i = 1; i < ids.size(); ++i)
            if (ids[i].is_pair() && ids[i].relation_number() == ids[i - 1].relation_number() &&
                core_.registry.traits(ids[i]).exclusive)
                return in_.fail("snapshot: a table has two targets of one exclusive relation");
        staged_.push_back({Table(core_.registry, ids.span()), std::move(order)});
        return read_rows(staged_.back());
    }
    bool read_rows(Staged& staged) {
        Table& table = staged.table;
        const std::size_t rows = in_.length(sizeof(Entity));
        if (rows > Table::max_rows) return in_.fail("snapshot: a table has too many rows");
        if (rows == 0 && staged_.size() != 1) return in_.fail("snapshot: a table has no rows");
        const auto bytes = in_.raw(rows * sizeof(Entity));
        PlainVector<Entity> entities;
        entities.resize(rows);
        if (rows != 0) std::memcpy(static_cast<void*>(entities.data()), bytes.data(), bytes.size());
        for (std::size_t row = 0; row != rows; ++row) {
            EntityLocation* const at = entities_.location(entities[row]);
            if (at == nullptr || at->has_row() || without_user_bits(entities[row]) != entities[row])
                return in_.fail("snapshot: the entity of a row does not live, or has two rows");
            at->set(static_cast<slot_t>(staged_.size() - 1), static_cast<slot_t>(row)); // its place here, until find_tables()
        }
        std::vector<Part> parts(table.ids().size());
        for (const ComponentId id : staged.order) {
            Part& part = parts[static_cast<std::size_t>(table.place_of(id))];
            if (table.column_of(id) >= 0) part.values = block();
            const ComponentTraits& traits = core_.registry.traits(id);
            part.toggled = traits.toggle && in_.flag();
            if (part.toggled) part.bits = in_.raw(bits::word_count(rows) * sizeof(bits::word_t));
            if (traits.tracked) part.ticks = block();
        }
        if (in_.error() != nullptr || !can_hold(table, rows, parts)) return false;
        table.append(entities.span(), tick_, [&](std::size_t column, void* to, std::size_t n) {
            build(table.type(column), parts[static_cast<std::size_t>(table.place_of(table.column_id(column)))].values, to, n);
        });
        for (std::size_t place = 0; place != parts.size() && in_.error() == nullptr; ++place)
            read_marks(table, place, parts[place]);
        return in_.error() == nullptr;
    }
    // The bytes of one component of a table.
    struct Part {
        std::span<const std::byte> values{}, bits{}, ticks{};
        bool toggled = false;
    };
    // Whether there are as many bytes as the values need, before there is memory for these.
    bool can_hold(const Table& table, std::size_t rows, const std::vector<Part>& parts) {
        for (std::size_t column = 0; column != table.column_count(); ++column) {
            const TypeDescriptor& type = table.type(column);
            const std::size_t bytes = parts[static_cast<std::size_t>(table.place_of(table.column_id(column)))].values.size();
            if (!codec_.covers(type) && bytes != rows * type.size)
                return in_.fail("snapshot: a column has not as many bytes as its rows need");
        }
        return true;
    }
    // All values of a column, or none if it throws.
    void build(const TypeDescriptor& type, std::span<const std::byte> bytes, void* to, std::size_t count) {
        if (!codec_.covers(type)) {
            if (count != 0) std::memcpy(to, bytes.data(), bytes.size());
            return;
        }
        ByteReader in(bytes);
        auto* const values = static_cast<std::byte*>(to);
        std::size_t built = 0;
        ScopeGuard undo([&]() noexcept {
            while (type.destroy != nullptr && built != 0) type.destroy(values + --built * type.size);
        });
        for (; built != count; ++built) codec_.read(type, values + built * type.size, in);
        undo.dismiss();
        if (in.error() != nullptr) in_.fail(in.error());
        if (in.left() != 0) in_.fail("snapshot: a column has more bytes than its rows need");
    }
    void read_marks(Table& table, std::size_t place, const Part& part) {
        ByteReader words(part.bits);
        bool all = true;
        for (std::size_t first = 0; words.left() != 0; first += bits::word_bits) {
            const auto word = words.number<bits::word_t>();
            const std::size_t rows = table.size() - first < bits::word_bits ? table.size() - first : bits::word_bits;
            if ((word & ~bits::low_mask(static_cast<unsigned>(rows))) != 0) {
                in_.fail("snapshot: a bit stands behind the last row");
                return;
            }
            for (std::size_t i = 0; i != rows; ++i)
                if ((word >> i & 1u) == 0) table.enable(first + i, place, all = false);
        }
        if (part.toggled && all) in_.fail("snapshot: bits say that no row is disabled");
        TickColumn* const ticks = table.ticks(place);
        if (ticks == nullptr) return;
        TickColumn restored;
        if (const char* const error = Unsealed::try_restore(restored, part.ticks)) {
            in_.fail(error);
            return;
        }
        if (restored.size() != table.size()) {
            in_.fail("snapshot: there are not as many ticks as rows");
            return;
        }
        for (std::size_t row = 0; row != restored.size(); ++row) // or they would not compare with each other
            if (is_future(restored.added(row)) || is_future(restored.changed(row))) {
                in_.fail("snapshot: a row was changed after the tick of the snapshot");
                return;
            }
        restored.reserve(table.capacity());
        ticks->swap(restored);
    }

    bool is_future(tick_t tick) const noexcept { return tick_ - tick >= std::uint32_t{1} << 31; }

    //=== outside the tables ===//

    bool read_outside() {
        const std::uint32_t before = std::exchange(last_outside_, 0);
        const ComponentId id = read_component();
        if (in_.error() != nullptr) return false;
        if (place_ <= before) return in_.fail("snapshot: what is outside of tables occurs twice, or is out of order");
        last_outside_ = place_;
        const ComponentTraits& traits = core_.registry.traits(id);
        if (traits.switched && outside_.targets(id.number()) == nullptr) return read_targets(id);
        if (!traits.sparse || outside_.column(id.number()) != nullptr)
            return in_.fail("snapshot: what is outside of tables occurs twice, or belongs in them");
        return read_column(outside_.make_column(id));
    }
    bool read_column(SparseColumn& column) {
        const TypeDescriptor* const type = column.type();
        const bool plain = type != nullptr && !codec_.covers(*type);
        Entity before;
        const auto count = [this](std::size_t n) {
            if (n == 0) in_.fail("snapshot: a component is listed that nobody has");
            return n;
        };
        for (std::size_t left = count(in_.length(sizeof(Entity) + (plain ? type->size : 0))); left != 0; --left) {
            const Entity entity = Entity::from_bits(in_.number<Entity::bits_type>());
            EntityLocation* const at = entities_.location(entity);
            if (at == nullptr || !at->has_row() || without_user_bits(entity) != entity || (before && !(before < entity)))
                return in_.fail("snapshot: a sparse value is that of no living entity, or out of order");
            before = entity;
            column.emplace(entity, [&](void* to) {
                if (!plain)
                    codec_.read(*type, to, in_);
                else if (const auto bytes = in_.raw(type->size); !bytes.empty())
                    std::memcpy(to, bytes.data(), bytes.size());
            });
            at->set_outside(true);
            if (in_.error() != nullptr) return false;
        }
        return in_.error() == nullptr;
    }
    bool read_targets(ComponentId relation) {
        SparseComponents::Targets& targets = outside_.make_targets(relation.number());
        StoreFormat::TargetCodec codec{{}, used_.span()};
        if (const char* const error = targets.try_restore(block(), as_part(codec))) return in_.fail(error);
        if (targets.empty()) return in_.fail("snapshot: a switched relation is listed that nobody has");
        for (const auto [target, sources] : targets) {
            if (!ComponentIdParts::entity_of(target)) note_component(static_cast<std::uint32_t>(target.to_bits()));
            if (ComponentIdParts::entity_of(target) && !note_target(target)) return false;
            for (const Entity source : sources) {
                EntityLocation* const at = entities_.location(source);
                if (at == nullptr || !at->has_row() || !staged_[at->table()].table.contains(relation))
                    return in_.fail("snapshot: a source of a switched relation does not live, or its table has it not");
                at->set_outside(true);
            }
        }
        return in_.error() == nullptr;
    }
    // A component is used as a target.
    void note_component(std::uint32_t number) noexcept {
        for (std::size_t place = 0; place != used_.size(); ++place)
            if (used_[place].number() == number) named_[place] = true;
    }
    // Each set of components has one table.
    void check_tables() {
        if (staged_.empty()) {
            in_.fail("snapshot: the first table is the empty one, and no other is");
            return;
        }
        PlainVector<const Table*> sorted;
        for (const Staged& each : staged_) sorted.push_back(&each.table);
        IdSets::sort(sorted.data(), sorted.size(), [](const Table* a, const Table* b) {
            const auto left = a->ids(), right = b->ids();
            if (left.size() != right.size()) return left.size() < right.size();
            for (std::size_t i = 0; i != left.size(); ++i)
                if (left[i] != right[i]) return left[i] < right[i];
            return false;
        });
        for (std::size_t i = 1; i != sorted.size(); ++i)
            if (IdSets::equal(sorted[i - 1]->ids(), sorted[i]->ids()))
                in_.fail("snapshot: two tables have the same components");
    }
    // Each row of a table that has a switched relation has a target.
    void check_switched() {
        for (const Staged& each : staged_)
            for (const ComponentId id : each.table.ids()) {
                if (id.is_pair() || !core_.registry.traits(id).switched) continue;
                const SparseComponents::Targets* const targets = outside_.targets(id.number());
                for (const Entity entity : each.table.entities())
                    if (targets == nullptr || !targets->contains(entity)) {
                        in_.fail("snapshot: an entity is without the target of a switched relation");
                        return;
                    }
            }
    }

    void check_ids() {
        std::size_t rows = 0;
        for (const Staged& each : staged_) rows += each.table.size();
        if (rows != entities_.size()) in_.fail("snapshot: an id lives that has no row");
    }

    //=== the store ===//

    // Makes tables of the store for what was read, and gives entities their numbers. Throws what the allocator throws
    void find_tables(PlainVector<slot_t>& made) {
        made.reserve(staged_.size());
        for (Staged& each : staged_) {
            each.slot = core_.tables.find(each.table.ids());
            if (each.slot == no_slot) made.push_back(each.slot = core_.tables.find_or_make(each.table.ids()));
            if (each.slot >= staged_slots_.size()) staged_slots_.resize(std::size_t{each.slot} + 1);
            staged_slots_[each.slot] = true;
            order_.push_back(&core_.tables[each.slot]);
            for (const Entity entity : each.table.entities()) {
                EntityLocation& at = *entities_.location(entity);
                at.set(each.slot, at.row());
            }
        }
    }
    void commit() noexcept {
        core_.tables.for_each([](slot_t, Table& table) { table.clear(); });
        core_.outside.swap(outside_);
        core_.bundles.forget_columns();
        core_.entities.swap(entities_);
        for (Staged& each : staged_) core_.tables[each.slot].swap(each.table);
        core_.tick = tick_;
        core_.without_row = 0;
        core_.invalidate_reserved();
        core_.tables.for_each([&](slot_t slot, Table&) {
            const bool staged = slot < staged_slots_.size() && staged_slots_[slot];
            if (!staged && slot != ArchetypeTables::root()) core_.tables.erase(slot);
        });
        core_.tables.reorder(order_.span());
    }

    Core& core_;
    const AnyCodec& codec_;
    ByteReader in_;
    tick_t tick_ = 0;
    PlainVector<ComponentId> used_{};
    PlainVector<bool> named_{}; // which of them something names
    std::uint32_t place_ = 0;   // in the list, of the component that was read last
    std::uint32_t last_outside_ = 0;
    typename Core::Entities entities_{};
    std::vector<Staged> staged_{};
    PlainVector<bool> staged_slots_{}; // numbers of tables that the snapshot has
    PlainVector<Table*> order_{};      // all tables there will be
    SparseComponents outside_;
};

/// The state of a store as bytes. @throws as StoreWriter
template <class Core>
std::vector<std::byte> snapshot(const Core& core, const AnyCodec& codec) {
    return StoreWriter<Core>(core, codec).write();
}
/// As StoreReader::restore. @pre structure may change (checked at level fast)
template <class Core>
const char* try_restore(Core& core, std::span<const std::byte> bytes, const AnyCodec& codec) {
    const StoreChanging changing(core);
    if (const char* const wrong = Seal::open(bytes, StoreFormat::magic, {})) return wrong;
    return StoreReader<Core>(core, bytes, codec).restore();
}

} // namespace detail
SLOTWISE_END

#endif
