// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreWriter: the state of an ArchetypeStore as bytes.
#ifndef SLOTWISE_ECS_STORE_SNAPSHOT_HPP
#define SLOTWISE_ECS_STORE_SNAPSHOT_HPP

#include "../rows/any_codec.hpp"
#include "store_change.hpp"

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
    static std::uint32_t stamp(const TypeDescriptor* type, const AnyCodec& codec) noexcept {
        if (type == nullptr) return 0;
        return codec.covers(*type) ? codec.stamp(*type) : static_cast<std::uint32_t>(type->size);
    }
    /// The tag of the type of a component; 0 of tags.
    static std::uint64_t tag(const TypeDescriptor* type, const AnyCodec& codec) noexcept {
        if (type == nullptr) return 0;
        if (codec.covers(*type)) return codec.tag(*type);
        return make_tag(TypeKind::block, type->size | std::uint64_t{type->align} << 32);
    }
    /// Targets of switched relations: a component is written as its place in the list of components.
    struct TargetCodec {
        std::span<const std::uint32_t> places{};   // of each number, from 1; to write
        std::span<const ComponentId> components{}; // at each place; to read

        template <class T>
        void write(const T& target, ByteWriter& out) const {
            const std::uint64_t bits = target.to_bits();
            out.number(ComponentIdParts::entity_of(target) ? bits : std::uint64_t{places[bits]});
        }
        template <class T>
        T read(ByteReader& in) const {
            const T target = T::from_bits(in.number<std::uint64_t>());
            if (ComponentIdParts::entity_of(target)) return target;
            const std::uint64_t place = target.to_bits();
            if (place - 1 < components.size()) return T::from_bits(components[place - 1].number());
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
/// table and those with rows in the order in which they got the first one, and what is outside of them. Values of types that
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
        for (const std::uint32_t number : core.outside.numbers()) {
            if (is_empty(number)) continue;
            use_number(number);
            outside_.push_back(number);
            if (const SparseComponents::Targets* const targets = core.outside.targets(number); targets != nullptr)
                for (const Entity target : targets->values()) {
                    if (!ComponentIdParts::entity_of(target))
                        use_number(static_cast<std::uint32_t>(target.to_bits()));
                    else if (!core.is_alive(target))
                        refuse_unborn(target);
                }
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
        out_.number(std::uint64_t{outside_.size()});
        for (const std::uint32_t number : outside_) write_outside(number);
        return Seal::close(out_, {});
    }

private:
    // Whether nobody has this component outside the tables.
    bool is_empty(std::uint32_t number) const noexcept {
        const SparseColumn* const column = core_.outside.column(number);
        return column != nullptr ? column->empty() : core_.outside.targets(number)->empty();
    }
    // Only between an apply() that threw and the next one.
    [[noreturn]] void refuse_unborn(Entity target) const {
        refuse_dead(core_, target, "ArchetypeStore::snapshot: apply or clear the buffer first; the target of a pair");
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
        IdSets::sort(outside_.data(), outside_.size(),
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
            out_.number(StoreFormat::stamp(core_.registry.type(id), codec_));
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
    void write_outside(std::uint32_t number) {
        out_.number(locals_[number]);
        if (const SparseComponents::Targets* const targets = core_.outside.targets(number)) {
            StoreFormat::TargetCodec codec{locals_.span(), {}};
            return block(targets->snapshot(as_part(codec)));
        }
        const SparseColumn& column = *core_.outside.column(number);
        out_.number(std::uint64_t{column.size()});
        column.for_each([&](Entity entity, const void* value) {
            out_.number(entity.to_bits());
            if (value == nullptr) return;
            if (codec_.covers(*column.type()))
                codec_.write(*column.type(), value, out_);
            else
                out_.raw(value, column.type()->size);
        });
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
    PlainVector<const Table*> tables_{};   // that are written
    PlainVector<std::uint32_t> outside_{}; // numbers of components of which someone has one outside the tables
    ByteWriter out_{};
};

} // namespace detail
SLOTWISE_END

#endif
