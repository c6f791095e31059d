// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Hash and equality whose copies or assignments throw: what moves and swaps promise, and where all elements are afterwards.
#include "scene.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

using namespace test;

namespace {

/// Without a state.
struct Still {
    explicit Still(int) noexcept {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

/// A functor with a state that matters: elements entered under one are not found under another.
template <bool Copies>
struct Moody {
    int salt = 0;
    explicit Moody(int s) : salt(s) {}
    Moody(const Moody& other) noexcept(!Copies) : salt(other.salt) {
        if constexpr (Copies) Budget::spend();
    }
    Moody& operator=(const Moody& other) = delete;
    ~Moody() = default;
    friend void swap(Moody& a, Moody& b) {
        Budget::spend();
        std::swap(a.salt, b.salt);
    }
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key * 64 + salt); }
};
struct Equal : Moody<true> {
    using Moody<true>::Moody;
    bool operator()(int a, int b) const noexcept { return a == b; }
};

using Id = SlotMap<int>::handle_type;
template <class H, class E = EqualTo>
using Maps = MapStorage<int, int, HashBy<H>, EqualBy<E>>;
template <class H, class E = EqualTo>
using Dicts = TSDStorage<int, int, HashBy<H>, EqualBy<E>>;

template <class C>
constexpr bool moves = std::is_nothrow_move_constructible_v<C>;
template <class C>
constexpr bool assigns = std::is_nothrow_move_assignable_v<C>;
template <class C>
constexpr bool swaps = std::is_nothrow_swappable_v<C>;
template <class C>
constexpr bool none_of_them = !moves<C> && !assigns<C> && !swaps<C>;
template <class C>
constexpr bool all_of_them = moves<C> && assigns<C> && swaps<C>;

template <class C>
C made(int first) {
    C c = [&] {
        if constexpr (std::is_constructible_v<typename C::key_equal, int>)
            return C(typename C::hasher(first), typename C::key_equal(first));
        else
            return C(typename C::hasher(first));
    }();
    for (int i = first; i != first + 100; ++i)
        if constexpr (requires { c.write(1).set(i, i); })
            c.write(1).set(i, i);
        else if constexpr (requires { c.write(1).add(i); })
            c.write(1).add(i);
        else if constexpr (requires { c.insert(i, i); })
            c.insert(i, i);
        else
            c.insert(i);
    return c;
}
template <class C>
bool whole(const C& c, int first) {
    bool all = c.size() == 100 && c.check_invariants();
    for (int i = first; i != first + 100; ++i) all = all && c.contains(i);
    return all;
}

} // namespace

TEST_CASE("moves and swaps are noexcept only if those of hash and equality are", "[functors]") {
    using Assigning = Moody<false>; // copies do not throw, swaps may
    STATIC_REQUIRE(all_of_them<Maps<Still>> && all_of_them<Dicts<Still>> &&
                   all_of_them<IdentityMap<int, Id, HashBy<NumberHash>>>);
    STATIC_REQUIRE(moves<Maps<Assigning>> && !assigns<Maps<Assigning>> && !swaps<Maps<Assigning>>);
    STATIC_REQUIRE(none_of_them<KeySet<int, HashBy<Moody<true>>>> &&
                   none_of_them<SetStorage<int, HashBy<Still>, EqualBy<Equal>>>);
    STATIC_REQUIRE(none_of_them<Maps<Moody<true>, Equal>>);
    STATIC_REQUIRE(none_of_them<Dicts<Moody<true>>> && none_of_them<TSSStorage<int, HashBy<Still>, EqualBy<Equal>>>);
    STATIC_REQUIRE(!moves<IdentityMap<int, Id, HashBy<Moody<true>>>> && !swaps<IdentityMap<int, Id, HashBy<Assigning>>>);
    STATIC_REQUIRE(!assigns<IdentityMap<int, Id, HashBy<Moody<true>>>>);
}

#if defined(__cpp_exceptions)
TEMPLATE_TEST_CASE("a hash or an equality that throws in a move or a swap leaves all elements where they are",
                   "[functors][throws]", (KeySet<int, HashBy<Moody<true>>>), (SetStorage<int, HashBy<Still>, EqualBy<Equal>>),
                   (Maps<Moody<true>>), (Maps<Moody<false>>), (Dicts<Moody<true>>),
                   (TSSStorage<int, HashBy<Still>, EqualBy<Equal>>)) {
    using C = TestType;
    const auto sweep = [](auto act) {
        return Budget::fail_at_every_step([&](auto&& attempt) {
            C a = made<C>(0), b = made<C>(1000);
            if (attempt([&] { act(a, b); })) {
                REQUIRE(whole(a, 0));
                REQUIRE(whole(b, 1000));
            } else
                REQUIRE((a.size() + b.size()) % 100 == 0);
            C c = made<C>(0);
            a = std::move(c);
            REQUIRE(whole(a, 0));
        });
    };
    REQUIRE(sweep([](C& a, C& b) { a = std::move(b); }) >= 1);
    REQUIRE(sweep([](C& a, C& b) { a = b; }) >= 1);
    REQUIRE(sweep([](C& a, C& b) { swap(a, b); }) >= 1);
    const std::size_t copies = sweep([](C& a, C&) { C taken(std::move(a)); });
    REQUIRE((copies > 0) == !moves<C>);
}
#endif
