// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreWriter, StoreReader: the state of an ArchetypeStore as bytes, and back. PartWriter, PartReader: some of its entities,
// with some of their components, as bytes, and new entities of these. Apart, because bytes may be hostile. ComponentSelection,
// InsertedEntities: what users give to the one and get of the other.
#ifndef SLOTWISE_ECS_DETAIL_STORE_SNAPSHOT_HPP
#define SLOTWISE_ECS_DETAIL_STORE_SNAPSHOT_HPP

#include "../../rows/any_codec.hpp"
#include "store_core.hpp"

SLOTWISE_BEGIN

/// Which components go into a part of a store, see ArchetypeStore::snapshot_of: all, only some, or all but some. A relation
/// stands for all of its pairs.
class ComponentSelection {
public:
    /// All.
    ComponentSelection() = default;
    /// These only. @throws std::bad_alloc
    static ComponentSelection only(std::span<const ComponentId> ids) { return {ids, true}; }
    /// All others. @throws std::bad_alloc
    static ComponentSelection all_but(std::span<const ComponentId> ids) { return {ids, false}; }

    /// Whether a component or pair is selected. @complexity O(components that are named)
    bool has(ComponentId id) const noexcept {
        for (const ComponentId each : ids_)
            if (each == id || (id.is_pair() && each.number() == id.relation_number())) return only_;
        return !only_;
    }
    /// Whether it is all.
    bool is_all() const noexcept { return !only_ && ids_.empty(); }
    /// What was named.
    std::span<const ComponentId> ids() const noexcept { return ids_.span(); }

private:
    ComponentSelection(std::span<const ComponentId> ids, bool only) : only_(only) {
        for (const ComponentId each : ids)
            if (each) ids_.push_back(each); // null: a type that a const store does not know, so that nobody has it
    }

    detail::PlainVector<ComponentId> ids_{};
    bool only_ = false;
};

namespace detail {
template <class Core>
class PartReader;
}

/// The entities that ArchetypeStore::insert_snapshot() made, by those that they were before:
///     const auto ids = store.insert_snapshot(bytes, codec);
///     const Entity here = ids.at(there);
///     for (const auto [old, now] : ids) ...
class InsertedEntities {
public:
    /// An entity of the part, and what it is now.
    struct Entry {
        Entity old; ///< what it was in the store that the part was taken of
        Entity now; ///< what it is in this store
    };
    using value_type = Entry;
    using size_type = std::size_t;

    InsertedEntities() = default;
    InsertedEntities(const InsertedEntities&) = default;
    InsertedEntities& operator=(const InsertedEntities&) = default;
    /// Takes the entries; `other` has none.
    InsertedEntities(InsertedEntities&& other) noexcept
        : entries_(std::move(other.entries_)), dropped_pairs_(std::exchange(other.dropped_pairs_, 0)),
          cleared_entities_(std::exchange(other.cleared_entities_, 0)) {
        other.entries_.clear();
    }
    InsertedEntities& operator=(InsertedEntities&& other) noexcept {
        InsertedEntities taken(std::move(other));
        entries_.swap(taken.entries_);
        dropped_pairs_ = taken.dropped_pairs_;
        cleared_entities_ = taken.cleared_entities_;
        return *this;
    }
    ~InsertedEntities() = default;

    /// How many entities were made.
    size_type size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    /// What the entity is now; null if it was not in the part. User bits do not matter. @complexity O(log size())
    Entity find(Entity old) const noexcept {
        const Entity plain = old.with_user_bits(0);
        const std::size_t at =
            detail::IdSets::partition_point(entries_.size(), [&](std::size_t i) { return entries_[i].old < plain; });
        return at != entries_.size() && entries_[at].old == plain ? entries_[at].now : Entity();
    }
    /// The same. @throws std::out_of_range if it was not in the part
    Entity at(Entity old) const {
        const Entity found = find(old);
        if (!found) [[unlikely]]
            detail::throw_out_of_range("InsertedEntities::at: the entity was not in the part; find() returns null then");
        return found;
    }
    /// The entries, in the order of their old entities.
    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }
    /// Pairs that were left out, because their target is not in the part and is nothing here.
    size_type dropped_pairs() const noexcept { return dropped_pairs_; }
    /// Entities in values that are null now, for the same reason.
    size_type cleared_entities() const noexcept { return cleared_entities_; }

private:
    template <class Core>
    friend class detail::PartReader;
    std::vector<Entry> entries_{}; // by index
    size_type dropped_pairs_ = 0, cleared_entities_ = 0;
};

namespace detail {

/// What writer and reader of a store agree on. Components are named in the bytes by their names, and then by their places in
/// that list, because numbers are those of one registry.
struct StoreFormat {
    static constexpr std::uint32_t magic = 0x3141'4C53;      // "SLA1"
    static constexpr std::uint32_t part_magic = 0x3150'4C53; // "SLP1"
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
    static bool is_relation(std::uint8_t flags) noexcept { return flags >> 7 != 0; }
    /// What flags() says, in words.
    static std::string names(int flags) {
        std::string result;
        const char* const words[] = {
            "covered by the codec", "with values", "tracked", "switched", "exclusive", "toggle", "sparse", "a relation"};
        for (std::size_t i = std::size(words); i-- != 0;)
            if ((flags >> i & 1) != 0) result.append(result.empty() ? "" : ", ").append(words[i]);
        return result;
    }
    /// Whether a resource is part of the state.
    static bool is_state(const StoreResources::Kind& kind, const AnyCodec& codec) noexcept {
        return kind.raw || codec.covers(*kind.type);
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
        return TypeMismatch::text(ElementRole::component, found, here);
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
        write_resources();
        return Seal::close(out_, {});
    }

protected:
    struct Part {};
    /// Of nothing yet.
    StoreWriter(Part, const Core& core, const AnyCodec& codec) : core_(core), codec_(codec), is_part_(true) {
        locals_.resize(core.registry.size() + 1, 0);
    }
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
        if (type != nullptr && !codec_.covers(*type) && (is_part_ || !type->trivial)) {
            const std::string text =
                (is_part_ ? "ArchetypeStore::snapshot_of: values of " : "ArchetypeStore::snapshot: values of ") +
                core_.registry.name(id) +
                (is_part_ ? " may have entities in them, which get new ids; add the type to the AnyCodec"
                          : " are not their bytes; add the type to the AnyCodec");
            throw_invalid_argument(text.c_str());
        }
        used_.push_back(id);
        locals_[number] = static_cast<std::uint32_t>(used_.size());
    }
    void write_components() {
        out_.number(std::uint64_t{used_.size()});
        for (const ComponentId id : used_) {
            write_text(core_.registry.name(id));
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
    // Behind all, and only if there is one: stores without resources have the bytes that they had before there were any.
    void write_resources() {
        const StoreResources& all = core_.resources;
        PlainVector<std::uint32_t> numbers;
        for (std::uint32_t number = 1; number <= all.types.size(); ++number)
            if (all.value(number) != nullptr && StoreFormat::is_state(all.kind(number), codec_)) numbers.push_back(number);
        if (numbers.empty()) return;
        const auto name = [&](std::uint32_t number) { return all.types.name(all.types.id(number)); };
        IdSets::sort(numbers.data(), numbers.size(), [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
        out_.number(std::uint64_t{numbers.size()});
        for (const std::uint32_t number : numbers) {
            const TypeDescriptor& type = *all.kind(number).type;
            write_text(name(number));
            out_.number(static_cast<std::uint8_t>(codec_.covers(type)));
            out_.number(StoreFormat::size_check(&type, codec_));
            out_.number(StoreFormat::tag(&type, codec_));
            ByteWriter value;
            if (codec_.covers(type))
                codec_.write(type, all.value(number), value);
            else if (!type.empty)
                value.raw(all.value(number), type.size);
            block(value.take());
        }
    }
    void write_text(const std::string& text) {
        out_.number(std::uint64_t{text.size()});
        out_.raw(text.data(), text.size());
    }
    // By source. The rank of each pair among those of its target follows from nothing else.
    void write_pairs(const SparsePairs& pairs) {
        const PlainVector<slot_t> ranks = pairs.ranks();
        out_.number(std::uint64_t{pairs.count(SparsePairs::by_source)});
        pairs.for_each(SparsePairs::by_source, [&](Entity source) {
            write_pairs_of(pairs, source, source, ranks, [](Entity target) { return target; });
        });
    }
    /// Those of one source. @param named the source, as it is written @param as what is written for a target
    template <class As>
    void write_pairs_of(const SparsePairs& pairs, Entity source, Entity named, const PlainVector<slot_t>& ranks, As&& as) {
        const std::size_t targets = pairs.count(SparsePairs::by_source, source);
        if (targets == 0) return;
        out_.number(named.to_bits());
        out_.number(std::uint64_t{targets});
        pairs.for_each(SparsePairs::by_source, source, [&](slot_t each) {
            out_.number(as(pairs.entity(SparsePairs::by_target, each)).to_bits());
            out_.number(ranks[each]);
            write_value(pairs.type(), pairs.value(each));
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
    const bool is_part_ = false;
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
        const StoreCore::Changing changing(core_, "restore");
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
        core_.resources.reserve_accept(resources_);
        undo.dismiss();
        commit();
        return nullptr;
    }

protected:
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
        read_contents();
        if (in_.error() == nullptr) read_resources();
    }
    // Tables and what is sparse, of the ids that were read.
    void read_contents() {
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
            if (!id)
                return refuse("it has the component ", text,
                              ", which the registry does not know; register it first, by store.registry()." +
                                  std::string(StoreFormat::is_relation(flags) ? "add_relation(" : "add<T>(") + "name, traits)");
            if (const std::uint8_t here = StoreFormat::flags(core_.registry, id, codec_); flags != here)
                return (flags ^ here) == 1
                           ? refuse("the codec covers its type in one place only: that of the component ", text)
                           : refuse("the component ", text,
                                    " has other traits here: in one place only it is " + StoreFormat::names(flags ^ here));
            const TypeDescriptor* const type = core_.registry.type(id);
            if (size_check != StoreFormat::size_check(type, codec_))
                return refuse("the component ", text,
                              " has values of another size: " + std::to_string(size_check) + " bytes there, " +
                                  std::to_string(StoreFormat::size_check(type, codec_)) + " here");
            if (const auto here = StoreFormat::tag(type, codec_); tag != here)
                return refuse("the component ", text,
                              ": " + std::string(StoreFormat::mismatch(tag, here) + std::strlen("snapshot: ")));
            if (type != nullptr && !type->trivial && !codec_.covers(*type))
                return refuse("values of the component ", text, " are not their bytes; add the type to the AnyCodec");
            used_.push_back(id);
        }
        named_.resize(used_.size());
        return in_.error() == nullptr;
    }
    // Keeps the text, whose address is what the user gets. @pre nothing failed before
    SLOTWISE_COLD bool refuse(const char* what, std::string_view name, std::string_view then = {}) {
        core_.wrong_bytes = "snapshot: ";
        return in_.fail(core_.wrong_bytes.append(what).append(name).append(then).c_str());
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
            if (traits.tracked && has_ticks_) part.ticks = block();
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
        if (ticks == nullptr || !has_ticks_) return;
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
        if (rows != entities_.size() - unplaced_) in_.fail("snapshot: an id lives that has no row");
    }

    //=== resources ===//

    void read_resources() {
        resources_.copy_kinds(core_.resources);
        if (in_.left() == 0) return;
        std::string_view before;
        const std::size_t count = in_.length(2 * sizeof(std::uint64_t) + sizeof(std::uint8_t));
        if (count == 0) in_.fail("snapshot: there are more bytes than the state needs");
        for (std::size_t i = 0; i != count && in_.error() == nullptr; ++i) {
            const auto name = in_.raw(in_.length(1));
            const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
            if (i != 0 && text <= before) in_.fail("snapshot: a resource occurs twice, or is out of order");
            before = text;
            read_resource(text);
        }
    }
    void read_resource(std::string_view name) {
        const bool covered = in_.flag();
        const auto size_check = in_.number<std::uint32_t>();
        const auto tag = in_.number<std::uint64_t>();
        const auto bytes = block();
        if (in_.error() != nullptr) return;
        const std::uint32_t number = core_.resources.types.find(name).number();
        if (number == 0) {
            refuse("it has the resource ", name, ", which the store does not know; register_resource or emplace it");
            return;
        }
        const TypeDescriptor& type = *core_.resources.kind(number).type;
        if (covered != codec_.covers(type) || !StoreFormat::is_state(core_.resources.kind(number), codec_))
            refuse("the codec covers the type of a resource in one place only: that of ", name);
        else if (size_check != StoreFormat::size_check(&type, codec_) ||
                 (!covered && bytes.size() != (type.empty ? 0 : type.size)))
            refuse("the resource ", name, " has a value of another size");
        else if (tag != StoreFormat::tag(&type, codec_))
            refuse("the resource ", name, " has a value of another type");
        else
            resources_.put(number, [&](void* to) { build(type, bytes, to, 1); });
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
        EntitySteps::exchange(core_.entities, entities_);
        for (Staged& each : staged_) core_.tables[each.slot].swap(each.table);
        core_.tick = tick_;
        core_.removals.clear(); // their ticks are of another time
        core_.without_row = 0;
        core_.resources.accept(
            resources_, [this](std::uint32_t number) { return StoreFormat::is_state(core_.resources.kind(number), codec_); });
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
    StoreResources resources_{};
    bool has_ticks_ = true;    // a part has none
    std::size_t unplaced_ = 0; // ids without a row: targets outside of a part
};

//=== a part of a store ===//

/// Writes some entities of a store with some of their components. In the bytes they are numbered from 0 by their indices, and
/// behind them come the other targets of their pairs; a list says which entities these are. Tables are as those of a store of
/// these entities alone: one for each set of components, in the order of walks. Ticks are left out, because entities that are
/// inserted are new. Each type of values must be covered by the codec, which knows where the entities in them are.
template <class Core>
class PartWriter : StoreWriter<Core> {
    using Base = StoreWriter<Core>;
    using Base::codec_, Base::core_, Base::out_;

public:
    /// @param entities in any order; those that do not live are left out, and one that is named twice is there once
    /// @throws std::invalid_argument when values of a type are not covered, an id of the selection names nothing, or an entity
    /// is related to what is not spawned yet; what the allocator throws
    PartWriter(const Core& core, const AnyCodec& codec, std::span<const Entity> entities, const ComponentSelection& selection)
        : Base(typename Base::Part(), core, codec), selection_(selection) {
        for (const ComponentId id : selection.ids())
            if (!core.registry.contains(id))
                throw_invalid_argument("ArchetypeStore::snapshot_of: an id of the selection is a wildcard or unknown to the "
                                       "registry; name components, relations and pairs");
        for (const Entity each : entities)
            if (const Entity plain = each.with_user_bits(0); core.is_alive(plain)) inside_.push_back(plain);
        IdSets::sort_set(inside_);
        group_rows();
        find_sparse();
        IdSets::sort_set(outside_);
    }
    /// @throws what the codec and the allocator throw
    std::vector<std::byte> write() {
        this->sort_components();
        out_.number(StoreFormat::part_magic);
        out_.number(StoreFormat::byte_order);
        this->write_components();
        write_entities(inside_);
        write_entities(outside_);
        out_.number(std::uint64_t{groups_.size()});
        for (const Group& each : groups_) write_group(each);
        out_.number(std::uint64_t{this->sparse_.size()});
        for (const std::uint32_t number : this->sparse_) write_sparse(number);
        return Seal::close(out_, {});
    }

private:
    struct Row {
        const Table* table;
        slot_t row;
        std::uint32_t local;
        std::uint64_t order; // of the table
    };
    struct Group {
        PlainVector<ComponentId> ids{};
        PlainVector<Row> rows{};
    };

    // Rows in the order of walks. Tables that differ in what is not selected are one.
    void group_rows() {
        groups_.emplace_back();
        PlainVector<Row> rows;
        rows.reserve(inside_.size());
        for (std::size_t i = 0; i != inside_.size(); ++i) {
            const EntityLocation at = *core_.location(inside_[i]);
            const Table& table = core_.table(at);
            any_sparse_ = any_sparse_ || at.has_sparse();
            const bool known = i != 0 && rows.back().table == &table; // a lookup less
            rows.push_back({&table, at.row(), static_cast<std::uint32_t>(i),
                            known ? rows.back().order : core_.tables.index().number(const_cast<Table*>(&table))});
        }
        const auto before = [](const Row& a, const Row& b) { return a.order != b.order ? a.order < b.order : a.row < b.row; };
        bool sorted = true; // as entities are that were spawned in this order
        for (std::size_t i = 1; i < rows.size(); ++i) sorted = sorted && before(rows[i - 1], rows[i]);
        if (!sorted) IdSets::sort(rows.data(), rows.size(), before);
        NumberTable known;
        std::size_t group = 0;
        for (std::size_t i = 0; i != rows.size(); ++i) {
            if (i == 0 || rows[i].table != rows[i - 1].table) group = group_of(*rows[i].table, known);
            groups_[group].rows.push_back(rows[i]);
        }
    }
    std::size_t group_of(const Table& table, NumberTable& known) {
        PlainVector<ComponentId> ids;
        for (const ComponentId id : table.ids())
            if (selection_.has(id)) ids.push_back(id);
        if (ids.empty()) return 0;
        const std::uint64_t tag = IdSets::tag(ids.span(), std::hash<ComponentId>());
        const auto same = [&](std::uint64_t number) {
            return IdSets::equal(groups_[bits::to_size(number)].ids.span(), ids.span());
        };
        if (const std::uint64_t found = known.find(tag, same)) return bits::to_size(found);
        for (const ComponentId id : ids) {
            this->use(id);
            if (const Entity target = id.target()) use_target(target);
        }
        known.reserve_one();
        groups_.push_back({std::move(ids), {}});
        known.insert(tag, groups_.size() - 1);
        return groups_.size() - 1;
    }
    void use_target(Entity target) {
        if (IdSets::contains(inside_.span(), target)) return;
        if (!core_.is_alive(target)) this->refuse_unborn(target);
        outside_.push_back(target);
    }
    void find_sparse() {
        if (!any_sparse_) return;
        for (const std::uint32_t number : core_.sparse.numbers()) {
            if (!selection_.has(core_.registry.id(number))) continue;
            bool used = false;
            const SparseColumn* const column = core_.sparse.column(number);
            const SparseComponents::Targets* const targets = core_.sparse.targets(number);
            const SparsePairs* const pairs = core_.sparse.pairs(number);
            for (const Entity each : inside_) {
                if (column != nullptr) used = used || column->contains(each);
                if (pairs != nullptr)
                    pairs->for_each(SparsePairs::by_source, each, [&](slot_t of) {
                        used = true;
                        use_target(pairs->entity(SparsePairs::by_target, of));
                    });
                const Entity* const target = targets == nullptr ? nullptr : targets->get(each);
                if (target == nullptr) continue;
                used = true;
                if (ComponentIdParts::entity_of(*target))
                    use_target(*target);
                else
                    this->use_number(static_cast<std::uint32_t>(target->to_bits()));
            }
            if (!used) continue;
            this->use_number(number);
            this->sparse_.push_back(number);
        }
    }
    /// The number of an entity of the part, or of a target outside of it, in the form of an entity.
    Entity local(Entity entity) const noexcept {
        const std::size_t at = IdSets::lower_bound(inside_.span(), entity);
        if (at != inside_.size() && inside_[at] == entity) return Entity(static_cast<slot_t>(at), 1);
        return Entity(static_cast<slot_t>(inside_.size() + IdSets::lower_bound(outside_.span(), entity)), 1);
    }
    ComponentId local(ComponentId id) const noexcept {
        const Entity target = id.target();
        return target ? pair(core_.registry.id(id.relation_number()), local(target)) : id;
    }
    void write_entities(const PlainVector<Entity>& entities) {
        out_.number(std::uint64_t{entities.size()});
        for (const Entity each : entities) out_.number(each.to_bits());
    }
    void write_group(const Group& group) {
        struct Id {
            ComponentId written, own;
        };
        PlainVector<Id> ids;
        for (const ComponentId id : group.ids) ids.push_back({local(id), id});
        IdSets::sort(ids.data(), ids.size(),
                     [this](const Id& a, const Id& b) { return this->order_of(a.written) < this->order_of(b.written); });
        out_.number(std::uint64_t{ids.size()});
        for (const Id& id : ids) this->write_id(id.written);
        out_.number(std::uint64_t{group.rows.size()});
        for (const Row& row : group.rows) { // as the rows of a table
            const Entity entity(row.local, 1);
            out_.raw(&entity, sizeof entity);
        }
        for (const Id& id : ids) {
            if (core_.registry.has_column(id.own)) write_values(group, id.own);
            if (core_.registry.traits(id.own).toggle) write_bits(group, id.own);
        }
    }
    void write_values(const Group& group, ComponentId id) {
        ByteWriter values;
        const Table* table = nullptr;
        std::size_t column = 0;
        for (const Row& row : group.rows) {
            if (row.table != table) column = static_cast<std::size_t>((table = row.table)->column_of(id));
            codec_.write(table->type(column), table->value(column, row.row), values);
        }
        this->block(values.take());
    }
    void write_bits(const Group& group, ComponentId id) {
        PlainVector<bits::word_t> words;
        words.resize(bits::word_count(group.rows.size()));
        bool any_disabled = false;
        for (std::size_t i = 0; i != group.rows.size(); ++i) {
            const Row& row = group.rows[i];
            if (row.table->is_enabled(row.row, static_cast<std::size_t>(row.table->place_of(id))))
                words[i / bits::word_bits] |= bits::bit_of(static_cast<unsigned>(i % bits::word_bits));
            else
                any_disabled = true;
        }
        out_.number(static_cast<std::uint8_t>(any_disabled));
        if (any_disabled)
            for (const auto word : words) out_.number(word);
    }
    void write_sparse(std::uint32_t number) {
        out_.number(this->locals_[number]);
        if (const SparseComponents::Targets* const targets = core_.sparse.targets(number)) {
            SparseComponents::Targets part;
            for (const auto [target, sources] : *targets)
                for (const Entity source : sources)
                    if (IdSets::contains(inside_.span(), source))
                        part.set(local(source), ComponentIdParts::entity_of(target) ? local(target) : target);
            StoreFormat::TargetCodec codec{this->locals_.span(), {}};
            return this->block(part.snapshot(as_part(codec)));
        }
        if (const SparsePairs* const pairs = core_.sparse.pairs(number)) return write_pairs(*pairs);
        const SparseColumn& column = *core_.sparse.column(number);
        std::size_t count = 0;
        for (const Entity each : inside_) count += column.contains(each);
        out_.number(std::uint64_t{count});
        for (std::size_t i = 0; i != inside_.size(); ++i) {
            if (!column.contains(inside_[i])) continue;
            out_.number(Entity(static_cast<slot_t>(i), 1).to_bits());
            if (column.type() != nullptr) codec_.write(*column.type(), column.get(inside_[i]), out_);
        }
    }
    // The ranks are those among the pairs of the part: it walks all sources of the targets that the part has.
    void write_pairs(const SparsePairs& pairs) {
        SparseColumn seen(nullptr);  // targets whose sources have their ranks
        PlainVector<slot_t> rank_of; // by the number of a pair
        std::size_t count = 0;
        for (const Entity each : inside_) {
            count += pairs.first(SparsePairs::by_source, each) != no_slot;
            pairs.for_each(SparsePairs::by_source, each, [&](slot_t of) {
                const Entity target = pairs.entity(SparsePairs::by_target, of);
                if (!seen.emplace(target, [](void*) {})) return;
                slot_t rank = 0;
                pairs.for_each(SparsePairs::by_target, target, [&](slot_t sibling) {
                    if (!IdSets::contains(inside_.span(), pairs.entity(SparsePairs::by_source, sibling))) return;
                    if (sibling >= rank_of.size()) rank_of.resize(std::size_t{sibling} + 1);
                    rank_of[sibling] = rank++;
                });
            });
        }
        out_.number(std::uint64_t{count});
        for (std::size_t i = 0; i != inside_.size(); ++i)
            this->write_pairs_of(pairs, inside_[i], Entity(static_cast<slot_t>(i), 1), rank_of,
                                 [&](Entity target) { return local(target); });
    }

    const ComponentSelection& selection_;
    PlainVector<Entity> inside_{}, outside_{}; // by index
    std::vector<Group> groups_{};              // the first one is that without components
    bool any_sparse_ = false;
};

/// What is not in a part is nothing where the part is inserted.
struct NothingOutside {
    Entity operator()(Entity) const noexcept { return Entity(); }
};

/// Reads what PartWriter wrote as StoreReader does, into tables of its own, and checks all of it; then makes entities of the
/// store and moves everything there. All that may fail comes before the hooks.
template <class Core>
class PartReader : StoreReader<Core> {
    using Base = StoreReader<Core>;
    using Base::codec_, Base::core_, Base::in_, Base::entities_, Base::staged_;
    using typename Base::Staged;

public:
    PartReader(Core& core, std::span<const std::byte> bytes, const AnyCodec& codec) : Base(core, bytes, codec) {
        this->has_ticks_ = false;
    }

    /// Null on success, else what is wrong with the bytes; nothing has changed then.
    /// @param outside what an entity that is not in the part is here: outside(Entity) is asked
    /// @pre structure may change (checked at level fast) @throws what the codec, outside, values and the allocator throw;
    /// strong; what hooks throw, and the entities stay
    template <class Outside>
    const char* insert(typename Core::Range range, Outside&& outside, InsertedEntities& result) {
        core_.erase_left_tables("insert_snapshot");
        core_.expect_idle("insert_snapshot");
        core_.flush_reserved("insert_snapshot");
        const StoreCore::Changing changing(core_, "insert_snapshot");
        if (const char* const wrong = Seal::open(this->bytes_, StoreFormat::part_magic, {})) return wrong;
        in_ = ByteReader(this->bytes_);
        read();
        if (in_.error() == nullptr && in_.left() != 0) in_.fail("snapshot: there are more bytes than the state needs");
        if (in_.error() != nullptr) return in_.error();
        const auto here = [&](Entity old) {
            const Entity found = without_user_bits(static_cast<Entity>(outside(old)));
            return core_.is_alive(found) ? found : Entity();
        };
        InsertedEntities made;
        make(range, here, made);
        result = std::move(made);
        if (core_.hooks.any(HookKind::add)) [[unlikely]]
            for (std::size_t i = 0; i != inside_.size(); ++i) core_.run_all_hooks(HookKind::add, now_[i]);
        return nullptr;
    }

private:
    void read() {
        if (in_.template number<std::uint32_t>() != StoreFormat::part_magic) {
            in_.fail("snapshot: these bytes are no part of an ArchetypeStore, as snapshot_of writes it");
            return;
        }
        if (in_.template number<std::uint8_t>() != StoreFormat::byte_order)
            in_.fail("snapshot: it was made by a machine of another byte order");
        if (!this->read_components() || !read_entities(inside_) || !read_entities(outside_)) return;
        for (const Entity each : outside_)
            if (const std::size_t at = IdSets::lower_bound(inside_.span(), Entity(each.index(), 1));
                at != inside_.size() && inside_[at].index() == each.index()) {
                in_.fail("snapshot: an entity is in the part and outside of it");
                return;
            }
        for (const ComponentId id : this->used_)
            if (const TypeDescriptor* const type = core_.registry.type(id); type != nullptr && !codec_.covers(*type)) {
                this->refuse("values of the component ", core_.registry.name(id),
                             " are not covered by the codec; add the type to the AnyCodec");
                return;
            }
        static_cast<void>(entities_.create_n(inside_.size() + outside_.size()));
        this->unplaced_ = outside_.size();
        this->read_contents();
        for (std::size_t i = inside_.size(); i != entities_.size() && in_.error() == nullptr; ++i) {
            const EntityLocation at = entities_[local(i)];
            if (at.has_row() || !at.is_target()) in_.fail("snapshot: an entity outside of the part has a row, or is no target");
        }
    }
    // Without user bits, and by index, each once.
    bool read_entities(PlainVector<Entity>& to) {
        const std::size_t count = in_.length(sizeof(Entity));
        if (count > EntityLocation::max_rows - inside_.size()) return in_.fail("snapshot: it has too many entities");
        to.reserve(count);
        for (std::size_t i = 0; i != count; ++i) {
            const Entity each = Entity::from_bits(in_.template number<Entity::bits_type>());
            if (without_user_bits(each) != each || each.version() % 2 == 0 || (i != 0 && each.index() <= to.back().index()))
                return in_.fail("snapshot: an entity is none, occurs twice or is out of order");
            to.push_back(each);
        }
        return in_.error() == nullptr;
    }
    static Entity local(std::size_t number) noexcept { return Entity(static_cast<slot_t>(number), 1); }

    //=== the store ===//

    // What undoes the steps of make(), the last one first.
    struct Undo {
        explicit Undo(Core& store) noexcept : core(store) {}
        Undo(const Undo&) = delete;
        Undo& operator=(const Undo&) = delete;
        ~Undo() {
            if (done) return;
            for (std::size_t i = placed.size(); i-- != 0;) {
                core.sparse.erase(placed[i]);
                core.erase_row(*core.entities.location(placed[i])); // the last one of its table: nothing moves
            }
            for (std::size_t i = tables.size(); i-- != 0;) core.tables.erase(tables[i]);
            if (count != 0) core.undo_create(first, count, range);
        }
        Core& core;
        typename Core::Range range{};
        std::size_t first = 0, count = 0; // of the ids
        PlainVector<slot_t> tables{};     // that were made
        PlainVector<Entity> placed{};     // that have a row, in this order
        bool done = false;
    };

    template <class Here>
    void make(typename Core::Range range, const Here& here, InsertedEntities& result) {
        const std::size_t count = inside_.size();
        now_.reserve(count + outside_.size());
        now_.resize(count);
        for (const Entity each : outside_) now_.push_back(here(each));
        result.entries_.reserve(count);
        Undo undo(core_);
        undo.range = range;
        undo.first = core_.entities.alive(range).size();
        undo.placed.reserve(count);
        static_cast<void>(core_.entities.create_n(range, count));
        undo.count = count;
        for (std::size_t i = 0; i != count; ++i) {
            now_[i] = core_.entities.alive(range)[undo.first + i];
            result.entries_.push_back({inside_[i], now_[i]});
        }
        rename_in_values(here, result);
        for (Staged& each : staged_) {
            const std::size_t rows = each.table.size();
            for (std::size_t first = 0, last; first != rows; first = last) {
                const auto lost = lost_relations(each.table, first);
                last = first + 1;
                while (last != rows && IdSets::equal(lost.span(), lost_relations(each.table, last).span())) ++last;
                place(each.table, first, last, lost, undo, result);
            }
        }
        place_sparse(result);
        undo.done = true;
    }
    // Entities in values.
    template <class Here>
    void rename_in_values(const Here& here, InsertedEntities& result) {
        const auto rename = [&](Entity& entity) {
            if (entity.is_null()) return;
            Entity now = result.find(entity);
            if (now.is_null()) now = here(without_user_bits(entity));
            result.cleared_entities_ += now.is_null();
            entity = now.is_null() ? Entity() : now.with_user_bits(entity.user_bits());
        };
        for (Staged& each : staged_)
            for (std::size_t column = 0; column != each.table.column_count(); ++column) {
                const TypeDescriptor& type = each.table.type(column);
                if (!codec_.has_entities(type)) continue;
                for (std::size_t row = 0; row != each.table.size(); ++row)
                    codec_.for_each_entity(type, each.table.value(column, row), rename);
            }
        for (const std::uint32_t number : this->sparse_.numbers())
            if (SparseColumn* const column = this->sparse_.column(number);
                column != nullptr && column->type() != nullptr && codec_.has_entities(*column->type()))
                column->for_each([&](Entity, void* value) { codec_.for_each_entity(*column->type(), value, rename); });
        for (const std::uint32_t number : this->sparse_.numbers())
            if (const SparsePairs* const pairs = this->sparse_.pairs(number);
                pairs != nullptr && pairs->type() != nullptr && codec_.has_entities(*pairs->type()))
                pairs->for_each(SparsePairs::by_source, [&](Entity source) {
                    pairs->for_each(SparsePairs::by_source, source,
                                    [&](slot_t each) { codec_.for_each_entity(*pairs->type(), pairs->value(each), rename); });
                });
    }
    /// The target here of a pair in the part, in the form of ComponentIdParts::target_of(); null if it is nothing here.
    Entity target_here(Entity target) const noexcept {
        return ComponentIdParts::entity_of(target) ? now_[target.index()] : target;
    }
    /// The switched relations of a row whose target is nothing here: the entity is in a table without them.
    PlainVector<ComponentId> lost_relations(const Table& table, std::size_t row) const {
        PlainVector<ComponentId> lost;
        if (outside_.empty()) return lost;
        for (const ComponentId id : table.ids())
            if (!id.is_pair() && core_.registry.traits(id).switched)
                if (!target_here(*this->sparse_.targets(id.number())->get(table.entities()[row]))) lost.push_back(id);
        return lost;
    }
    /// Moves rows [first, last) of a table of the part to a table of the store.
    void place(Table& from, std::size_t first, std::size_t last, const PlainVector<ComponentId>& lost, Undo& undo,
               InsertedEntities& result) {
        const std::size_t count = last - first;
        PlainVector<ComponentId> own, here; // ids of `from`, and what they are here; then in order
        for (const ComponentId id : from.ids()) {
            if (IdSets::contains(lost.span(), id)) continue; // counted with its targets
            const Entity target = id.is_pair() ? target_here(ComponentIdParts::target_of(id)) : Entity();
            const ComponentId now = id.is_pair() ? pair(core_.registry.id(id.relation_number()), target) : id;
            const bool drops = (id.is_pair() && target.is_null()) || IdSets::names(here.span(), now); // two may be one here
            if (drops) {
                result.dropped_pairs_ += count;
                continue;
            }
            own.push_back(id);
            here.push_back(now);
        }
        PlainVector<ComponentId> ids;
        IdSets::assign(ids, here.span());
        slot_t slot = core_.tables.find(ids.span());
        if (slot == no_slot) {
            undo.tables.reserve(undo.tables.size() + 1);
            undo.tables.push_back(slot = core_.tables.find_or_make(ids.span()));
        }
        Table& to = core_.tables[slot];
        PlainVector<std::int32_t> columns; // of `from`, for each of `to`
        columns.resize(to.column_count(), -1);
        for (std::size_t i = 0; i != own.size(); ++i)
            if (const std::int32_t column = to.column_of(here[i]); column >= 0)
                columns[static_cast<std::size_t>(column)] = from.column_of(own[i]);
        PlainVector<Entity> entities;
        for (std::size_t row = first; row != last; ++row) entities.push_back(now_[from.entities()[row].index()]);
        core_.before_row(slot, to);
        const slot_t row = to.append(entities.span(), core_.tick, [&](std::size_t column, void* at, std::size_t n) {
            move_values(from, static_cast<std::size_t>(columns[column]), first, at, n);
        });
        for (std::size_t i = 0; i != count; ++i) {
            core_.entities.location(entities[i])->set(slot, row + static_cast<slot_t>(i));
            undo.placed.push_back(entities[i]);
        }
        for (std::size_t i = 0; i != own.size(); ++i) {
            if (const Entity target = here[i].target()) core_.entities.location(target)->set_target(true);
            const auto place_here = static_cast<std::size_t>(to.place_of(here[i]));
            const auto place_own = static_cast<std::size_t>(from.place_of(own[i]));
            if (from.bits(place_own) == nullptr) continue;
            for (std::size_t each = 0; each != count; ++each)
                if (!from.is_enabled(first + each, place_own)) to.enable(row + each, place_here, false);
        }
    }
    // All of them, or none if it throws.
    static void move_values(Table& from, std::size_t column, std::size_t first, void* to, std::size_t count) {
        const TypeDescriptor& type = from.type(column);
        if (type.trivial) return static_cast<void>(std::memcpy(to, from.value(column, first), count * type.size));
        auto* const values = static_cast<std::byte*>(to);
        std::size_t built = 0;
        ScopeGuard undo([&]() noexcept {
            while (type.destroy != nullptr && built != 0) type.destroy(values + --built * type.size);
        });
        for (; built != count; ++built)
            AnyValue::moved(from.value(column, first + built)).build(type, values + built * type.size);
        undo.dismiss();
    }
    void place_sparse(InsertedEntities& result) {
        const auto give = [&](Entity entity, ComponentId id, const AnyValue& value) {
            core_.entities.location(entity)->set_sparse(true);
            core_.sparse.emplace(entity, id, value);
        };
        for (const std::uint32_t number : this->sparse_.numbers()) {
            const ComponentId id = core_.registry.id(number);
            if (SparseColumn* const column = this->sparse_.column(number))
                column->for_each([&](Entity entity, void* value) {
                    give(now_[entity.index()], id, value == nullptr ? AnyValue() : AnyValue::moved(value));
                });
            if (const SparsePairs* const pairs = this->sparse_.pairs(number)) place_pairs(*pairs, id, result);
            const SparseComponents::Targets* const targets = this->sparse_.targets(number);
            if (targets == nullptr) continue;
            for (const auto [target, sources] : *targets) {
                const Entity here = target_here(target);
                if (here.is_null()) {
                    result.dropped_pairs_ += sources.size();
                    continue;
                }
                if (ComponentIdParts::entity_of(here)) core_.entities.location(here)->set_target(true);
                for (const Entity source : sources) give(now_[source.index()], pair(id, here), AnyValue());
            }
        }
    }

    // In the order of the targets of each source; then the sources of each target get theirs, behind those that it had.
    void place_pairs(const SparsePairs& from, ComponentId relation, InsertedEntities& result) {
        SparsePairs& to = core_.sparse.make_pairs(relation.number());
        from.for_each(SparsePairs::by_source, [&](Entity source) {
            const Entity now = now_[source.index()];
            from.for_each(SparsePairs::by_source, source, [&](slot_t each) {
                const Entity target = target_here(from.entity(SparsePairs::by_target, each));
                if (target.is_null() || to.find(now, target) != no_slot) { // two targets may be one here
                    ++result.dropped_pairs_;
                    return;
                }
                void* const value = from.value(each);
                core_.entities.location(now)->set_sparse(true);
                to.insert(now, target, value == nullptr ? AnyValue() : AnyValue::moved(value));
                core_.entities.location(target)->set_target(true);
            });
        });
        from.for_each(SparsePairs::by_target, [&](Entity old) {
            const Entity target = target_here(old);
            if (target.is_null()) return;
            from.for_each(SparsePairs::by_target, old, [&](slot_t each) {
                const slot_t placed = to.find(now_[from.entity(SparsePairs::by_source, each).index()], target);
                to.move(placed, no_slot);
            });
        });
    }

    PlainVector<Entity> inside_{}, outside_{}; // what they were
    PlainVector<Entity> now_{};                // by their numbers in the part: what they are here; null: nothing
};

} // namespace detail

SLOTWISE_END

#endif
