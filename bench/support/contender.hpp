// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What the questions ask of a container of elements, and the measured loops that several of them share.
//
// A contender has value_type and insert(const value_type&) -> handle; beyond that what it can: get(handle) -> pointer to the
// element, or field(handle) where an element does not lie in one place, both null when it is gone; erase(handle), clear(),
// reserve(n), size(), sum() of the fields of all elements. Rows it cannot run are left out. The other headers of this folder
// hold one container each, with all it can; a question derives from them only to measure something of its own.
#pragma once

#include "element.hpp"
#include "harness.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench {

template <class C>
using handle_of = decltype(std::declval<C&>().insert(std::declval<const typename C::value_type&>()));

// The summed field behind a handle, or null.
template <class C>
[[nodiscard]] const auto* field_of(const C& contender, const handle_of<C>& handle) {
    if constexpr (requires { contender.field(handle); }) {
        return contender.field(handle);
    } else {
        const auto* value = contender.get(handle);
        return value != nullptr ? &value->field : nullptr;
    }
}

template <class C>
concept can_reserve = requires(C& c) { c.reserve(std::size_t{}); };
template <class C>
concept can_clear = requires(C& c) { c.clear(); };
template <class C>
concept can_look_up =
    requires(const C& c, const handle_of<C>& h) { c.get(h); } || requires(const C& c, const handle_of<C>& h) { c.field(h); };
template <class C>
concept can_erase = requires(C& c, const handle_of<C>& h) { c.erase(h); };
template <class C>
concept can_sum = requires(const C& c) { c.sum(); };
// C::sees_stale is true when get() of an erased element is null instead of undefined behaviour.
template <class C>
concept sees_stale = C::sees_stale;
// C::from_system is true when storage comes from the system and not from malloc.
template <class C>
inline constexpr bool from_system = requires { requires C::from_system; };

//=== the measured loops ===//

template <class C>
SLOTWISE_BENCH_LOOP void fill(C& contender, handle_of<C>* handles, std::size_t n) {
    using T = typename C::value_type;
    const ValueTable<T>& table = values<T>();
    for (std::size_t i = 0; i < n; ++i) handles[i] = contender.insert(table[i]);
}

template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t look_up(const C& contender, const handle_of<C>* handles, std::size_t n) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (const auto* field = field_of(contender, handles[i])) sum += *field;
    }
    return sum;
}

template <class C>
SLOTWISE_BENCH_LOOP void churn(C& contender, handle_of<C>* handles, const std::uint32_t* positions, std::size_t n) {
    using T = typename C::value_type;
    const ValueTable<T>& table = values<T>();
    for (std::size_t i = 0; i < n; ++i) {
        handle_of<C>& handle = handles[positions[i]];
        contender.erase(handle);
        handle = contender.insert(table[i]);
    }
}

// One call a pass.
template <class C>
SLOTWISE_BENCH_LOOP field_t<typename C::value_type> sum_of(const C& contender) {
    return contender.sum();
}

//=== preparation ===//

template <class C>
[[nodiscard]] std::vector<handle_of<C>> in_order(const std::vector<handle_of<C>>& handles,
                                                 const std::vector<std::uint32_t>& order) {
    std::vector<handle_of<C>> result;
    result.reserve(order.size());
    for (const std::uint32_t i : order) result.push_back(handles[i]);
    return result;
}

// Inserts n elements and erases the first `erased` of `order`; the handles of the others, in the order of their insertion. A
// contender that cannot erase gets the others only: packed, as a limit is to be.
template <class C>
[[nodiscard]] std::vector<handle_of<C>> populate(C& contender, std::size_t n, const std::vector<std::uint32_t>& order,
                                                 std::size_t erased) {
    using T = typename C::value_type;
    std::vector<bool> gone(n);
    for (std::size_t i = 0; i < erased; ++i) gone[order[i]] = true;
    std::vector<handle_of<C>> handles;
    if constexpr (can_erase<C>) {
        handles.resize(n);
        fill(contender, handles.data(), n);
        for (std::size_t i = 0; i < erased; ++i) contender.erase(handles[order[i]]);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (!gone[i]) handles[kept++] = handles[i];
        }
        handles.resize(kept);
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            if (!gone[i]) handles.push_back(contender.insert(values<T>()[i]));
        }
    }
    return handles;
}

} // namespace bench
