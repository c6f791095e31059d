// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreBundles: what a store has found out about each list of C++ types that it was given.
#ifndef SLOTWISE_ECS_STORE_BUNDLES_HPP
#define SLOTWISE_ECS_STORE_BUNDLES_HPP

#include "archetype_tables.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Names a list of types: see TypeIdentity.
template <class... Ts>
struct TypePack;
template <class... Ts>
consteval std::uint64_t layout_of_pack() noexcept {
    std::uint64_t all = 0;
    ((all = mix_bits(all) + type_layout<Ts>), ...);
    return all;
}
template <class... Ts>
inline constexpr std::uint64_t type_layout<TypePack<Ts...>> = layout_of_pack<Ts...>();

/// Whether none of the types is there twice.
template <class... Ts>
inline constexpr bool all_different = true;
template <class T, class... Ts>
inline constexpr bool all_different<T, Ts...> = (!std::is_same_v<T, Ts> && ...) && all_different<Ts...>;

/// Where the rows of one table go when they get or lose the components of a list of C++ types. A bundle keeps the last one, so
/// that many entities of one table look it up once.
struct StoreStep {
    slot_t from = no_slot; ///< the table, and no_slot until the way is known
    slot_t to = no_slot;
    Table* source = nullptr;
    Table* destination = nullptr;
    const RowMap* map = nullptr;      ///< null: the table stays
    std::uint64_t erased = 0;         ///< ArchetypeTables::erased() when the way was found
    PlainVector<unsigned> argument{}; ///< of the list, for each column of the destination; no_argument: by default
    static constexpr unsigned no_argument = ~0u;
    PlainVector<std::int32_t> columns{}; ///< of the destination, for each argument; -1 if it has none
    bool complete = false;               ///< each column has an argument
    std::size_t memory_usage() const noexcept { return memory_of(argument, columns); }
};

class SparseColumn;

/// The components of a list of C++ types (hecs calls the list a bundle).
struct StoreBundle {
    const TypeIdentity* types = nullptr; ///< of the list: an address, which may be that of a library that was unloaded
    KeptTypeIdentity kept{};             ///< the same
    PlainVector<ComponentId> ids{};      ///< in the order of the types
    PlainVector<ComponentId> sorted{};   ///< the same, ascending
    bool outside = false;                ///< one of them, or of their companions, is not in tables
    bool sparse = false;                 ///< it is one sparse component without companions
    SparseColumn* column = nullptr;      ///< of that one; null until it is known
    StoreStep spawned{}, added{}, removed{};
};

/// Bundles by their lists of types: one probe finds what would take a probe a type and a sort.
class StoreBundles {
public:
    StoreBundles() = default;
    StoreBundles(const StoreBundles&) = delete;
    StoreBundles& operator=(const StoreBundles&) = delete;
    ~StoreBundles() {
        for (StoreBundle* const bundle : bundles_) delete bundle;
    }

    /// The bundle of these types, which are registered with default traits if they are not. Its address is stable.
    /// Throws what the registry and the allocator throw; strong It takes O(1).
    template <class... Ts>
    SLOTWISE_ALWAYS_INLINE StoreBundle& get(ComponentRegistry& registry) {
        constexpr const TypeIdentity& types = type_identity<TypePack<Ts...>>;
        const auto same = [&](std::uint64_t found) {
            const StoreBundle& bundle = *bundle_at(found);
            return bundle.types == &types || bundle.kept.same_elsewhere(types);
        };
        if (const std::uint64_t found = known_.find(types.hash, same)) [[likely]]
            return *bundle_at(found);
        const ComponentId ids[] = {registry.template id<Ts>()..., ComponentId()};
        return make(registry, types, {ids, sizeof...(Ts)});
    }

    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(known_, bundles_);
        for (const StoreBundle* const each : bundles_)
            bytes += sizeof *each + memory_of_text(each->kept.name) +
                     memory_of(each->ids, each->sorted, each->spawned, each->added, each->removed);
        return bytes;
    }
    /// Sparse columns are others from now on.
    void forget_columns() noexcept {
        for (StoreBundle* const bundle : bundles_) bundle->column = nullptr;
    }

private:
    static StoreBundle* bundle_at(std::uint64_t address) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the index keeps numbers, so an address is one
        return reinterpret_cast<StoreBundle*>(bits::to_size(address));
    }
    SLOTWISE_COLD StoreBundle& make(const ComponentRegistry& registry, const TypeIdentity& types,
                                    std::span<const ComponentId> ids) {
        const auto is_outside = [&](ComponentId id) { return registry.traits(id).sparse || registry.traits(id).switched; };
        if (bundles_.size() == bundles_.capacity()) bundles_.reserve(2 * bundles_.size() + 8);
        known_.reserve_one();
        StoreBundle bundle;
        bundle.types = &types;
        KeptTypeIdentity(types).swap(bundle.kept);
        bundle.ids.assign(ids);
        for (const ComponentId id : ids) {
            insert_sorted(bundle.sorted, id);
            bundle.outside = bundle.outside || is_outside(id);
            for (const ComponentId companion : registry.with_closure(id))
                bundle.outside = bundle.outside || is_outside(companion);
        }
        bundle.sparse = ids.size() == 1 && registry.traits(ids[0]).sparse && registry.with_closure(ids[0]).empty();
        bundles_.push_back(new StoreBundle(std::move(bundle)));
        known_.insert(types.hash, reinterpret_cast<std::uintptr_t>(bundles_.back()));
        return *bundles_.back();
    }

    NumberTable known_{};
    PlainVector<StoreBundle*> bundles_{};
};

} // namespace detail
SLOTWISE_END

#endif
