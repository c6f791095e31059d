// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Changes of one sparse component, which move no row: the short way beside EntityChange.
#ifndef SLOTWISE_ECS_STORE_SPARSE_HPP
#define SLOTWISE_ECS_STORE_SPARSE_HPP

#include "store_change.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The column of a bundle that is one sparse component. @throws what the allocator throws; strong
SLOTWISE_ALWAYS_INLINE SparseColumn& column_of(StoreCore& core, StoreBundle& bundle) {
    if (bundle.column == nullptr) [[unlikely]]
        bundle.column = &core.outside.make_column(bundle.ids.front());
    return *bundle.column;
}
/// Gives an entity the sparse component of a bundle, by build(void* to), unless it has it. False if it does not live.
/// @tparam Size as SparseColumn::emplace's
/// @pre structure may change (checked at level fast) @throws what build, the allocator and hooks throw; strong
template <std::size_t Size, class Build>
SLOTWISE_ALWAYS_INLINE bool add_sparse(StoreCore& core, Entity entity, StoreBundle& bundle, Build&& build) {
    EntityLocation* const at = core.location(entity);
    if (at == nullptr) return false;
    SparseColumn& column = column_of(core, bundle);
    if constexpr (Size != 0) { // nothing that is called may change the store
        core.expect_idle();
        if (!column.emplace<Size>(entity, build)) return true;
    } else {
        const StoreChanging changing(core);
        if (!column.emplace(entity, build)) return true;
    }
    at->set_outside(true);
    if (core.hooks.any(HookKind::add)) [[unlikely]] {
        const StoreChanging changing(core);
        run_hook(core, HookKind::add, bundle.ids.front(), entity);
    }
    return true;
}
/// Takes it away, if the entity has it. False if it does not live. @pre structure may change (checked at level fast)
SLOTWISE_ALWAYS_INLINE bool remove_sparse(StoreCore& core, Entity entity, StoreBundle& bundle) {
    if (!core.is_alive(entity)) return false;
    SparseColumn& column = column_of(core, bundle);
    core.expect_idle();
    if (!column.calls_destructors() && !core.hooks.any(HookKind::remove)) [[likely]] {
        column.erase(entity);
        return true;
    }
    const StoreChanging changing(core);
    if (column.contains(entity)) run_hook(core, HookKind::remove, bundle.ids.front(), entity);
    column.erase(entity);
    return true;
}
/// Gives an entity a value of it: by assign(void* value) if it has one, else as add_sparse().
/// @throws what they, the allocator and hooks throw; strong, but for what was assigned
template <std::size_t Size, class Assign, class Build>
SLOTWISE_ALWAYS_INLINE bool set_sparse(StoreCore& core, Entity entity, StoreBundle& bundle, Assign&& assign, Build&& build) {
    if (!core.is_alive(entity)) return false;
    SparseColumn& column = column_of(core, bundle);
    if (column.contains(entity)) {
        const StoreChanging changing(core, true);
        assign(column.get(entity));
    } else
        add_sparse<Size>(core, entity, bundle, build);
    if (core.hooks.any(HookKind::set)) [[unlikely]] {
        const StoreChanging changing(core, true);
        run_hook(core, HookKind::set, bundle.ids.front(), entity);
    }
    return true;
}

} // namespace detail
SLOTWISE_END

#endif
