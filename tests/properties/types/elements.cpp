// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every container over element types that are hard to hold, with hash and equality that have a state, no default and copies and
// swaps that throw.
#include "properties/types/kinds.hpp"
#include "support/tracked.hpp"

namespace {

using namespace test;
using namespace test::kinds_of;

/// State, no default, copies and swaps that throw, and no assignment. Elements entered under one salt are not found under
/// another.
struct Salted {
    int salt;
    explicit Salted(int s) : salt(s) {}
    Salted(const Salted& other) : salt(other.salt) { Budget::spend(); }
    Salted& operator=(const Salted&) = delete;
    ~Salted() = default;
    friend void swap(Salted& a, Salted& b) {
        Budget::spend();
        std::swap(a.salt, b.salt);
    }
};
template <class T>
struct SaltedHash : Salted {
    using Salted::Salted;
    std::size_t operator()(const T& t) const { return static_cast<std::size_t>(number(t) * 32 + salt); }
};
template <class T>
struct SaltedEqual : Salted {
    using Salted::Salted;
    bool operator()(const T& a, const T& b) const { return salt != 0 && number(a) == number(b); }
};

/// Made of an int by an explicit constructor only, and no default.
struct Explicit {
    int number;
    explicit Explicit(int n) : number(n) {}
    int value() const { return number; }
    friend bool operator==(const Explicit&, const Explicit&) = default;
};
/// Its address is nobody's business.
struct Ampersand : Explicit {
    using Explicit::Explicit;
    friend void operator&(const Ampersand&) = delete; // NOLINT
};
using Byte = unsigned char;
/// A megabyte.
struct Large : Explicit {
    using Explicit::Explicit;
    unsigned char rest[(1u << 20) - sizeof(int)] = {};
    [[maybe_unused]] friend bool operator==(const Large& a, const Large& b) { return a.number == b.number; }
};
/// Values that must move without throwing say so at compile time: their copies throw.
template <class Kind, class T>
using Held = std::conditional_t<Kind::moves_may_throw || std::is_nothrow_move_constructible_v<T>, T, ThrowingCopy>;

template <class T>
constexpr int how_many = sizeof(T) > 65536 ? 3 : 20;

template <class Kind, class T>
struct Subject {
    using C = typename Kind::template of<T, std::allocator<T>, SaltedHash<T>, SaltedEqual<T>>;
    using Name = decltype(Kind::template insert<T>(std::declval<C&>(), 0));
    std::vector<Name> names{};
    C c = kinds_of::empty<Kind, T, C, SaltedHash<T>, SaltedEqual<T>>();

    explicit Subject(int first = 0) {
        for (int n = 0; n != how_many<T>; ++n) names.push_back(Kind::template insert<T>(c, first + n));
    }
    bool whole(const C& some, int first = 0) const {
        bool all = some.size() == names.size() && some.check_invariants();
        for (int n = 0; n != how_many<T>; ++n)
            all = all && Kind::template has<T>(some, names[static_cast<std::size_t>(n)], first + n);
        return all;
    }
};

template <class Of>
struct Walk {
    template <class Kind>
    void operator()() const {
        using T = Held<Kind, Of>;
        NothingLeaks leaks;
        Subject<Kind, T> s;
        using C = typename Subject<Kind, T>::C;
        CHECK(s.whole(s.c));
        C copy(s.c), assigned = kinds_of::empty<Kind, T, C, SaltedHash<T>, SaltedEqual<T>>(3);
        assigned = copy;
        CHECK((s.whole(copy) && s.whole(assigned)));
        C moved(std::move(copy));
        assigned = std::move(moved);
        CHECK(s.whole(assigned));
        C other = kinds_of::empty<Kind, T, C, SaltedHash<T>, SaltedEqual<T>>(5);
        swap(other, assigned);
        CHECK((s.whole(other) && assigned.size() == 0));
        for (int n = 0; n < how_many<T>; n += 2) CHECK(Kind::template erase<T>(s.c, s.names[static_cast<std::size_t>(n)], n));
        for (int n = 0; n < how_many<T>; ++n)
            CHECK(Kind::template has<T>(s.c, s.names[static_cast<std::size_t>(n)], n) == (n % 2 == 1));
        CHECK(s.c.check_invariants());
    }
};

/// What throws in a copy, an assignment or a swap of the whole leaves both containers as they were.
template <class Of>
struct Sweep {
    template <class Kind>
    void operator()() const {
        using T = Held<Kind, Of>;
        using S = Subject<Kind, T>;
        // Without a hash, whose swap throws, nothing of these may throw; IdentityMap says that it is empty then.
        constexpr bool keeps = !std::is_same_v<Kind, kinds::IdentityMap>;
        const auto fails = [&](auto act) {
            return Budget::fail_at_every_step([&](auto&& attempt) {
                NothingLeaks leaks;
                S a, b(100);
                if (attempt([&] { act(a.c, b.c); }) && keeps) {
                    CHECK(a.whole(a.c));
                    CHECK(b.whole(b.c, 100));
                }
                CHECK((a.c.check_invariants() && b.c.check_invariants()));
            });
        };
        CHECK((fails([](auto& a, auto&) { auto copy(a); }) != 0) == (Kind::hashes || !std::is_trivially_copyable_v<T>));
        CHECK((fails([](auto& a, auto& b) { a = b; }) != 0) == (Kind::hashes || !std::is_trivially_copyable_v<T>));
        CHECK((fails([](auto& a, auto& b) { a = std::move(b); }) != 0) == Kind::hashes);
        CHECK((fails([](auto& a, auto& b) { swap(a, b); }) != 0) == Kind::hashes);
        CHECK((fails([](auto& a, auto&) { auto moved(std::move(a)); }) != 0) == Kind::hashes);
        using C = typename S::C;
        STATIC_REQUIRE(std::is_nothrow_swappable_v<C> == !Kind::hashes);
        STATIC_REQUIRE(std::is_nothrow_move_assignable_v<C> == !Kind::hashes);
        STATIC_REQUIRE(std::is_nothrow_move_constructible_v<C> == !Kind::hashes);
    }
};

} // namespace

#if !defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
TEST_CASE("every container holds types that are made explicitly", "[properties][types]") {
    CHECK(for_each_kind(Walk<Explicit>()) == 20);
}
TEST_CASE("every container holds types with an overloaded operator&", "[properties][types]") {
    CHECK(for_each_kind(Walk<Ampersand>()) == 20);
}
#else
TEST_CASE("every container holds single bytes", "[properties][types]") { CHECK(for_each_kind(Walk<Byte>()) == 20); }
TEST_CASE("every container holds elements of a megabyte", "[properties][types]") { CHECK(for_each_kind(Walk<Large>()) == 20); }
TEST_CASE("every container holds types whose copies, moves and swaps may throw", "[properties][types]") {
    CHECK(for_each_kind(Walk<Throwing>()) == 20);
}
#endif
#if defined(__cpp_exceptions)
TEST_CASE("hash, equality and elements that throw in a copy, a move or a swap of a container leave both as they were",
          "[properties][types][throws]") {
#if defined(SLOTWISE_TEST_REST)
    CHECK(for_each_kind(Sweep<Explicit>()) == 20);
#else
    CHECK(for_each_kind(Sweep<Throwing>()) == 20);
#endif
}
#endif
