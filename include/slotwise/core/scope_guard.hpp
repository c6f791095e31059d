// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ScopeGuard: what must be undone when the code after it throws. Replaces try/catch, which -fno-exceptions does not have.
#ifndef SLOTWISE_CORE_SCOPE_GUARD_HPP
#define SLOTWISE_CORE_SCOPE_GUARD_HPP

#include "../config/abi.hpp"

SLOTWISE_BEGIN
/// Runs `undo` when it leaves scope, unless dismissed. `undo` must not throw.
template <class Undo>
class ScopeGuard {
public:
    /// Calls undo() at the end of the scope.
    SLOTWISE_INLINE_UNOPTIMISED constexpr explicit ScopeGuard(Undo undo) noexcept : undo_(static_cast<Undo&&>(undo)) {}
    ScopeGuard(const ScopeGuard&) = delete;
    ScopeGuard& operator=(const ScopeGuard&) = delete;
    SLOTWISE_INLINE_UNOPTIMISED constexpr ~ScopeGuard() {
        if (armed_) undo_();
    }

    /// Nothing will be undone.
    SLOTWISE_INLINE_UNOPTIMISED constexpr void dismiss() noexcept { armed_ = false; }

private:
    Undo undo_;
    bool armed_ = true;
};
/// Deduces the type of `undo`.
template <class Undo>
ScopeGuard(Undo) -> ScopeGuard<Undo>;

SLOTWISE_END

#endif
