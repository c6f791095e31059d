// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreWriter, StoreReader: the state of an ArchetypeStore as bytes, and back. Apart, because bytes may be hostile.
#ifndef SLOTWISE_ECS_DETAIL_STORE_SNAPSHOT_HPP
#define SLOTWISE_ECS_DETAIL_STORE_SNAPSHOT_HPP

#include "../../rows/any_codec.hpp"
#include "store_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What writer and reader of a store agree on. Components are named in the bytes by their names, and then by their places in
/// that list, because numbers are those of one registry.
struct StoreFormat {
    static constexpr std::uint32_t magic = 0x3141'4C53; // "SLA1"
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;
    enum class IdKind : std::uint8_t { component, pair_with_entity, pair_with_component };

    /// In which order the ids of a table are written: by places in the list of components.
    struct IdOrder {
        std::uint32_t first = 0;
        std::uint8_t kind = 0;
        std::uint64_t target = 0;
        friend constexpr auto operator<=>(const IdOrder&, const IdOrder&) noexcept = default;
    };
    /// How a component is kept, as far as the bytes depend on it.
    static std::uint8_t flags(const ComponentRegistry& registry, ComponentId id, const AnyCodec& codec) {
        const ComponentTraits& traits = registry.traits(id);
        const TypeDescriptor* const type = registry.type(id);
        std::uint8_t result = 0;
        for (const bool flag : {registry.is_relation(id), traits.sparse, traits.toggle, traits.exclusive, traits.switched,
                                traits.tracked, type != nullptr, type != nullptr && codec.covers(*type)})
            result = static_cast<std::uint8_t>(result << 1 | (flag ? 1 : 0));
        return result;
    }
    /// The size of values that are their bytes; 0 of others, and of tags.
    static std::uint32_t size_check(const TypeDescriptor* type, const AnyCodec& codec) noexcept {
        if (type == nullptr) return 0;
        return codec.covers(*type) ? codec.size_check(*type) : static_cast<std::uint32_t>(type->size);
    }
    /// The tag of the type of a component; 0 of tags.
    static std::uint64_t tag(const TypeDescriptor* type, const AnyCodec& codec) noexcept {
        if (type == nullptr) return 0;
        if (codec.covers(*type)) return codec.tag(*type);
        return make_tag(TypeKind::block, type->size | std::uint64_t{type->align} << 32 | data_model);
    }
    /// What may differ inside of values that are copied as bytes while size and alignment are the same: { long; double } has 16
    /// bytes on Linux and on Windows. 0 where `long` and pointers have 64 bits and wchar_t has 32.
    static constexpr std::uint64_t data_model = std::uint64_t{sizeof(long) != 8} << 53 |
                                                std::uint64_t{sizeof(void*) != 8} << 54 |
                                                std::uint64_t{sizeof(wchar_t) != 4} << 55;
    /// The error for values with another tag.
    static const char* mismatch(std::uint64_t found, std::uint64_t here) noexcept {
        const auto is_block = [](std::uint64_t tag) { return tag >> 56 == static_cast<std::uint64_t>(TypeKind::block); };
        constexpr std::uint64_t models = std::uint64_t{7} << 53;
        if (is_block(found) && is_block(here) && ((found ^ here) & models) != 0)
            return "snapshot: values of a component were copied where long, pointers or wchar_t have another size; add the "
                   "type "
                   "to the AnyCodec there and here";
        return TypeMismatch::text(ElementRole::component, found);
    }
    /// Targets of switched relations: a component is written as its place in the list of components.
    struct TargetCodec {
        std::span<const std::uint32_t> places{};   // of each number, from 1; to write
        std::span<const ComponentId> components{}; // at each place; to read

        template <class T>
        void write(const T& target, ByteWriter& out) const {
            const std::uint64_t named = target.to_bits();
            out.number(ComponentIdParts::entity_of(target) ? named : std::uint64_t{places[bits::to_size(named)]});
        }
        template <class T>
        T read(ByteReader& in) const {
            const T target = T::from_bits(in.number<std::uint64_t>());
            if (ComponentIdParts::entity_of(target)) return target;
            const std::uint64_t place = target.to_bits();
            if (place - 1 < components.size()) return T::from_bits(components[bits::to_size(place - 1)].number());
            in.fail("snapshot: the target of a switched relation names no component");
            return T();
        }
    };
    /// Locations follow from the tables.
    struct NoLocation {
        static constexpr bool writes_a_part = true;
        template <class T>
        void write(const T&, ByteWriter&) const noexcept {}
        template <class T>
        T read(ByteReader&) const noexcept {
            return T();
        }
    };
};

/// Writes a store: its tick, the components in use by their names in ascending order, the ids with their order, the empty
/// table and those with rows in the order in which they got the first one, and what is sparse. Values of types that
/// the codec covers are written by it, others must be trivially copyable and are written as their bytes. Bytes depend on what
/// is there alone: not on tables that nobody is in, nor on numbers of the registry. A template, so that only programs that call
/// it compile it.
template <class Core>
class StoreWriter {
public:
    /// @throws std::invalid_argument when values of a type can be written in neither way, or an entity is related to what is
    /// not spawned yet; what the allocator throws
    StoreWriter(const Core& core, const AnyCodec& codec) : core_(core), codec_(codec) {
        locals_.resize(core.registry.size() + 1, 0);
        for (const auto& entry : core.tables.index().tables()) {
            const Table& table = *entry.table;
            if (table.empty() && !table.ids().empty()) continue;
            for (const ComponentId id : table.ids()) {
                if (core.without_row != 0 && id.target() && !core.is_alive(id.target())) refuse_unborn(id.target());
                use(id);
            }
            tables_.push_back(&table);
        }
        for (const std::uint32_t number : core.sparse.numbers()) {
            if (is_empty(number)) continue;
            use_number(number);
            sparse_.push_back(number);
            if (const SparseComponents::Targets* const targets = core.sparse.targets(number); targets != nullptr)
                for (const Entity target : targets->values()) {
                    if (!ComponentIdParts::entity_of(target))
                        use_number(static_cast<std::uint32_t>(target.to_bits()));
                    else if (!core.is_alive(target))
                        refuse_unborn(target);
                }
            if (const SparsePairs* const pairs = core.sparse.pairs(number); pairs != nullptr && core.without_row != 0)
                pairs->for_each(SparsePairs::by_target, [&](Entity target) {
                    if (!core.is_alive(target)) refuse_unborn(target);
                });
        }
    }
    /// @throws what the codec and the allocator throw
    std::vector<std::byte> write() {
        sort_components();
        out_.number(StoreFormat::magic);
        out_.number(StoreFormat::byte_order);
        out_.number(core_.tick);
        write_components();
        write_entities();
        out_.number(std::uint64_t{tables_.size()});
        for (const Table* const table : tables_.span()) write_table(*table);
        out_.number(std::uint64_t{sparse_.size()});
        for (const std::uint32_t number : sparse_) write_sparse(number);
        return Seal::close(out_, {});
    }

private:
    // Whether no entity has this sparse component, or a pair of this sparse or switched relation.
    bool is_empty(std::uint32_t number) const noexcept {
        const SparseColumn* const column = core_.sparse.column(number);
        if (const SparsePairs* const pairs = core_.sparse.pairs(number)) return pairs->empty();
        return column != nullptr ? column->empty() : core_.sparse.targets(number)->empty();
    }
    // Only between an apply() that threw and the next one.
    [[noreturn]] void refuse_unborn(Entity target) const {
        core_.refuse_dead(target, "ArchetypeStore::snapshot: apply or clear the buffer first; the target of a pair");
    }
    // Ids that a command buffer has taken are written as given back: nobody will spawn them from the bytes.
    void write_entities() {
        if (core_.without_row == 0) return block(core_.entities.snapshot(StoreFormat::NoLocation()));
        auto entities = core_.entities;
        for (const Entity entity : core_.entities.alive())
            if (!core_.is_alive(entity)) entities.destroy(entity);
        block(entities.snapshot(StoreFormat::NoLocation()));
    }
    // Places in the list follow from the names.
    void sort_components() {
        IdSets::sort(used_.data(), used_.size(),
                     [this](ComponentId a, ComponentId b) { return core_.registry.name(a) < core_.registry.name(b); });
        for (std::size_t place = 0; place != used_.size(); ++place)
            locals_[used_[place].number()] = static_cast<std::uint32_t>(place + 1);
        IdSets::sort(sparse_.data(), sparse_.size(),
                     [this](std::uint32_t a, std::uint32_t b) { return locals_[a] < locals_[b]; });
    }
    // A component gets a place in the list when it is first met.
    void use(ComponentId id) {
        if (!id.is_pair()) return use_number(id.number());
        use_number(id.relation_number());
        if (id.target_number() != 0) use_number(id.target_number());
    }
    void use_number(std::uint32_t number) {
        if (locals_[number] != 0) return;
        const ComponentId id = core_.registry.id(number);
        const TypeDescriptor* const type = core_.registry.type(id);
        if (type != nullptr && !type->trivial && !codec_.covers(*type)) {
            const std::string text = "ArchetypeStore::snapshot: values of " + core_.registry.name(id) +
                                     " are not their bytes; add the type to the AnyCodec";
            throw_invalid_argument(text.c_str());
        }
        used_.push_back(id);
        locals_[number] = static_cast<std::uint32_t>(used_.size());
    }
    void write_components() {
        out_.number(std::uint64_t{used_.size()});
        for (const ComponentId id : used_) {
            const std::string name = core_.registry.name(id);
            out_.number(std::uint64_t{name.size()});
            out_.raw(name.data(), name.size());
            out_.number(StoreFormat::flags(core_.registry, id, codec_));
            out_.number(StoreFormat::size_check(core_.registry.type(id), codec_));
            out_.number(StoreFormat::tag(core_.registry.type(id), codec_));
        }
    }
    void write_id(ComponentId id) {
        using Kind = StoreFormat::IdKind;
        const Kind kind = !id.is_pair() ? Kind::component : id.target() ? Kind::pair_with_entity : Kind::pair_with_component;
        out_.number(static_cast<std::uint8_t>(kind));
        out_.number(locals_[id.is_pair() ? id.relation_number() : id.number()]);
        if (kind == Kind::pair_with_entity) out_.number(id.target().to_bits());
        if (kind == Kind::pair_with_component) out_.number(locals_[id.target_number()]);
    }
    StoreFormat::IdOrder order_of(ComponentId id) const noexcept {
        if (!id.is_pair()) return {locals_[id.number()], 0, 0};
        const std::uint32_t relation = locals_[id.relation_number()];
        if (id.target()) return {relation, 1, id.target().to_bits()};
        return {relation, 2, locals_[id.target_number()]};
    }
    void write_table(const Table& table) {
        PlainVector<ComponentId> ids;
        ids.assign(table.ids());
        IdSets::sort(ids.data(), ids.size(), [this](ComponentId a, ComponentId b) { return order_of(a) < order_of(b); });
        out_.number(std::uint64_t{ids.size()});
        for (const ComponentId id : ids) write_id(id);
        out_.number(std::uint64_t{table.size()});
        out_.raw(table.entities().data(), table.entities().size_bytes());
        for (const ComponentId id : ids) {
            const auto place = static_cast<std::size_t>(table.place_of(id));
            if (const std::int32_t column = table.column_at(place); column >= 0)
                write_values(table, static_cast<std::size_t>(column));
            if (core_.registry.traits(id).toggle) write_bits(table, place);
            if (const TickColumn* const ticks = table.ticks(place)) block(Unsealed::snapshot(*ticks));
        }
    }
    void write_values(const Table& table, std::size_t column) {
        const TypeDescriptor& type = table.type(column);
        ByteWriter values;
        if (!codec_.covers(type))
            values.raw(table.data<std::byte>(column), table.size() * type.size);
        else
            for (std::size_t row = 0; row != table.size(); ++row) codec_.write(type, table.value(column, row), values);
        block(values.take());
    }
    void write_bits(const Table& table, std::size_t place) {
        const BitColumn* const bits = table.bits(place);
        const bool any_disabled = bits != nullptr && bits->count() != table.size();
        out_.number(static_cast<std::uint8_t>(any_disabled));
        if (any_disabled)
            for (const auto word : bits->words()) out_.number(word);
    }
    void write_sparse(std::uint32_t number) {
        out_.number(locals_[number]);
        if (const SparseComponents::Targets* const targets = core_.sparse.targets(number)) {
            StoreFormat::TargetCodec codec{locals_.span(), {}};
            return block(targets->snapshot(as_part(codec)));
        }
        if (const SparsePairs* const pairs = core_.sparse.pairs(number)) return write_pairs(*pairs);
        const SparseColumn& column = *core_.sparse.column(number);
        out_.number(std::uint64_t{column.size()});
        column.for_each([&](Entity entity, const void* value) {
            out_.number(entity.to_bits());
            write_value(column.type(), value);
        });
    }
    // By source. The rank of each pair among those of its target follows from nothing else.
    void write_pairs(const SparsePairs& pairs) {
        const PlainVector<slot_t> ranks = pairs.ranks();
        out_.number(std::uint64_t{pairs.count(SparsePairs::by_source)});
        pairs.for_each(SparsePairs::by_source, [&](Entity source) {
            out_.number(source.to_bits());
            out_.number(std::uint64_t{pairs.count(SparsePairs::by_source, source)});
            pairs.for_each(SparsePairs::by_source, source, [&](slot_t each) {
                out_.number(pairs.entity(SparsePairs::by_target, each).to_bits());
                out_.number(ranks[each]);
                write_value(pairs.type(), pairs.value(each));
            });
        });
    }
    void write_value(const TypeDescriptor* type, const void* value) {
        if (value == nullptr) return;
        if (codec_.covers(*type))
            codec_.write(*type, value, out_);
        else
            out_.raw(value, type->size);
    }
    // With its length in front.
    void block(const std::vector<std::byte>& bytes) {
        out_.number(std::uint64_t{bytes.size()});
        out_.raw(bytes.data(), bytes.size());
    }

    const Core& core_;
    const AnyCodec& codec_;
    PlainVector<std::uint32_t> locals_{}; // the place of each component in the list, from 1; 0: it is not there
    PlainVector<ComponentId> used_{};
    PlainVector<const Table*> tables_{};  // that are written
    PlainVector<std::uint32_t> sparse_{}; // numbers of what is in no table and some entity has
    ByteWriter out_{};
};

/// Reads what StoreWriter wrote into tables, ids and columns of its own, and checks all of it; then exchanges them with those
/// of the store, which throws nothing. Bytes that StoreWriter would not write are refused. Tables of the store stay where they
/// are, so queries stay valid. A template as StoreWriter.
template <class Core>
class StoreReader {
public:
    StoreReader(Core& core, std::span<const std::byte> bytes, const AnyCodec& codec)
        : core_(core), codec_(codec), bytes_(bytes), sparse_(core.registry) {}

    /// Null on success, else what is wrong with the bytes; nothing has changed then.
    /// @pre structure may change (checked at level fast) @throws what the codec and the allocator throw; strong
    const char* restore() {
        const StoreCore::Changing changing(core_);
        if (const char* const wrong = Seal::open(bytes_, StoreFormat::magic, {})) return wrong;
        in_ = ByteReader(bytes_);
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
            if (!read_sparse()) return;
        if (in_.error() != nullptr) return;
        check_tables();
        check_switched();
        check_cycles();
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
            const auto size_check = in_.number<std::uint32_t>();
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
            if (size_check != StoreFormat::size_check(type, codec_))
                return in_.fail("snapshot: a component has values of another size");
            if (const auto here = StoreFormat::tag(type, codec_); tag != here)
                return in_.fail(StoreFormat::mismatch(tag, here));
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
            if (!belongs_in_table(id))
                return in_.fail("snapshot: a table has a sparse component, or a pair of a switched relation");
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

    //=== sparse components, and targets of switched relations ===//

    bool read_sparse() {
        const std::uint32_t before = std::exchange(last_sparse_, 0);
        const ComponentId id = read_component();
        if (in_.error() != nullptr) return false;
        if (place_ <= before)
            return in_.fail("snapshot: a sparse component or switched relation occurs twice, or is out of order");
        last_sparse_ = place_;
        const ComponentTraits& traits = core_.registry.traits(id);
        if (traits.switched && sparse_.targets(id.number()) == nullptr) return read_targets(id);
        if (traits.sparse && core_.registry.is_relation(id) && sparse_.pairs(id.number()) == nullptr) return read_pairs(id);
        if (!traits.sparse || core_.registry.is_relation(id) || sparse_.column(id.number()) != nullptr)
            return in_.fail("snapshot: a sparse component or switched relation occurs twice, or is none");
        return read_column(sparse_.make_column(id));
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
            type_ = type;
            column.emplace(entity, [&](void* to) { read_value(to); });
            at->set_sparse(true);
            if (in_.error() != nullptr) return false;
        }
        return in_.error() == nullptr;
    }
    bool read_pairs(ComponentId relation) {
        SparsePairs& pairs = sparse_.make_pairs(relation.number());
        const TypeDescriptor* const type = pairs.type();
        const bool plain = type != nullptr && !codec_.covers(*type);
        const bool exclusive = core_.registry.traits(relation).exclusive;
        PlainVector<slot_t> ranks;
        Entity before;
        const std::size_t of_pair = sizeof(Entity) + sizeof(slot_t) + (plain ? type->size : 0);
        std::size_t sources = in_.length(sizeof(Entity) + sizeof(std::uint64_t) + of_pair);
        if (sources == 0) return in_.fail("snapshot: a sparse relation is listed that nobody has");
        for (; sources != 0 && in_.error() == nullptr; --sources) {
            const Entity source = Entity::from_bits(in_.number<Entity::bits_type>());
            EntityLocation* const at = entities_.location(source);
            if (at == nullptr || !at->has_row() || without_user_bits(source) != source || (before && !(before < source)))
                return in_.fail("snapshot: a source of a sparse relation does not live, or is out of order");
            before = source;
            at->set_sparse(true);
            std::size_t targets = in_.length(of_pair);
            if (targets == 0 || (exclusive && targets != 1))
                return in_.fail("snapshot: a source of a sparse relation has no target, or two of an exclusive one");
            for (; targets != 0 && in_.error() == nullptr; --targets) {
                const Entity target = Entity::from_bits(in_.number<Entity::bits_type>());
                if (!note_target(target)) return false;
                if (pairs.find(source, target) != no_slot)
                    return in_.fail("snapshot: a pair of a sparse relation occurs twice");
                ranks.push_back(in_.number<slot_t>());
                const auto build = [](void* to, void* reader) { static_cast<StoreReader*>(reader)->read_value(to); };
                type_ = type;
                pairs.insert(source, target, AnyValue::built(build, this));
            }
        }
        if (in_.error() == nullptr && !pairs.order(ranks.span()))
            in_.fail("snapshot: the sources of a target of a sparse relation have no order");
        return in_.error() == nullptr;
    }
    // Of type_.
    void read_value(void* to) {
        if (codec_.covers(*type_))
            codec_.read(*type_, to, in_);
        else if (const auto bytes = in_.raw(type_->size); !bytes.empty())
            std::memcpy(to, bytes.data(), bytes.size());
    }
    bool read_targets(ComponentId relation) {
        SparseComponents::Targets& targets = sparse_.make_targets(relation.number());
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
                at->set_sparse(true);
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
                const SparseComponents::Targets* const targets = sparse_.targets(id.number());
                for (const Entity entity : each.table.entities())
                    if (targets == nullptr || !targets->contains(entity)) {
                        in_.fail("snapshot: an entity is without the target of a switched relation");
                        return;
                    }
            }
    }

    // Acyclic relations have no cycle. Depth first, with a stack: an entity is left when those above it were.
    void check_cycles() {
        for (const ComponentId relation : used_) {
            if (!core_.registry.traits(relation).acyclic) continue;
            struct Step {
                Entity entity;
                bool leaves;
            };
            PlainVector<Step> steps;
            SparseColumn entered(nullptr), left(nullptr);
            const auto mark = [](void*) {};
            for (const Entity first : entities_.alive()) {
                steps.push_back({first, false});
                while (!steps.empty()) {
                    const Step step = steps.back();
                    steps.pop_back();
                    if (step.leaves) {
                        left.emplace(step.entity, mark);
                        continue;
                    }
                    if (left.contains(step.entity)) continue;
                    if (!entered.emplace(step.entity, mark)) {
                        in_.fail("snapshot: an acyclic relation has a cycle");
                        return;
                    }
                    steps.push_back({step.entity, true});
                    for_each_target(step.entity, relation, [&](Entity target) { steps.push_back({target, false}); });
                }
            }
        }
    }
    template <class F>
    void for_each_target(Entity source, ComponentId relation, F&& f) const {
        const EntityLocation* const at = entities_.location(source);
        if (at == nullptr || !at->has_row()) return;
        for (const ComponentId id : staged_[at->table()].table.ids())
            if (id.relation_number() == relation.number() && id.target()) f(id.target());
        if (const Entity target = ComponentIdParts::entity_of(sparse_.target(source, relation.number()))) f(target);
        if (const SparsePairs* const pairs = sparse_.pairs(relation.number()))
            pairs->for_each(SparsePairs::by_source, source,
                            [&](slot_t each) { f(pairs->entity(SparsePairs::by_target, each)); });
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
        core_.sparse.swap(sparse_);
        core_.type_lists.forget_columns();
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
    std::span<const std::byte> bytes_;
    ByteReader in_{{}};
    tick_t tick_ = 0;
    PlainVector<ComponentId> used_{};
    PlainVector<bool> named_{}; // which of them something names
    std::uint32_t place_ = 0;   // in the list, of the component that was read last
    std::uint32_t last_sparse_ = 0;
    const TypeDescriptor* type_ = nullptr; // of the sparse values that are read
    typename Core::Entities entities_{};
    std::vector<Staged> staged_{};
    PlainVector<bool> staged_slots_{}; // numbers of tables that the snapshot has
    PlainVector<Table*> order_{};      // all tables there will be
    SparseComponents sparse_;
};

} // namespace detail

SLOTWISE_END

#endif
