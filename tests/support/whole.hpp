// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Copies, moves, assignments and swaps of any container with an allocator: under every kind of allocator (alloc_matrix), and
// with a throw at every step (sweep_whole). A subject says how its containers are filled and read:
//     struct SlotMaps {
//         template <class A> using container = SlotMap<Tracked, AllocBy<A>>;
//         using element = Tracked;
//         static void fill(auto& map, int first, int count);   // adds elements; of one that is not empty too
//         static Contents contents(const auto& map);           // all that there is to know of the elements
//         static bool sound(const auto& map);
//         static auto future(auto& map);                       // the handles that come next; may be left out
//         static constexpr bool exact_noexcept = true;         // optional: noexcept exactly where no element is moved
//     };
// What a container has not (GroupIndex no copy without an allocator, IdentityMap no swap of unequal ones) is left out.
#ifndef SLOTWISE_TESTS_SUPPORT_WHOLE_HPP
#define SLOTWISE_TESTS_SUPPORT_WHOLE_HPP

#include "allocators.hpp"
#include "sweep.hpp"
#include "tracked.hpp"

#include <cstdint>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

/// Numbers that tell two contents apart.
using Contents = std::vector<std::int64_t>;

// A function, not REQUIRE at each place: that is the greater part of what these tests cost to compile.
inline void demand(bool right, const char* what, std::source_location at = std::source_location::current()) {
    if (!right) FAIL(what << " (line " << at.line() << ")");
}

/// A container of `count` elements with the allocator of this id.
template <class Subject, class C>
C sample(int id, int first, int count) {
    using Allocator = typename C::allocator_type;
    C c{Allocator(id)};
    if (count != 0) Subject::fill(c, first, count);
    return c;
}

namespace inner {

/// The class that the report names: C, or what a C of these tests is.
template <class C>
struct Reported {
    using type = C;
};
template <class C>
    requires requires { typename C::reported_class; }
struct Reported<C> {
    using type = typename C::reported_class;
};
template <class C>
using reported = typename Reported<C>::type;

template <class Subject>
inline constexpr bool swaps_unequal = !requires { Subject::swaps_equal_only; };
template <class Subject>
inline constexpr bool swap_travels = requires { Subject::swap_travels; };

//=== every kind of allocator ===//

/// What is expected of one operation: which allocator each container has then, and whether the elements stayed where they were.
struct Expected {
    int target;
    int source;
    bool allocates;
};

template <class Subject, class C>
void check_allocators(const C& target, const C& source, Expected expected, std::size_t allocations_before) {
    demand(target.get_allocator().id() == expected.target, "the target has another allocator than expected");
    demand(source.get_allocator().id() == expected.source, "the source has another allocator than expected");
    if (!expected.allocates) demand(Ledger::allocations() == allocations_before, "it allocated");
    demand(Subject::sound(target), "the target is not sound");
    demand(Subject::sound(source), "the source is not sound");
}
/// What was moved from is empty, and lives on in its own memory.
template <class Subject, class C>
void check_left(C& left) {
    demand(Subject::contents(left) == Subject::contents(C{left.get_allocator()}), "what was moved from is not empty");
    Subject::fill(left, 7000, 10);
    demand(Subject::sound(left), "what was moved from is not sound after an insert");
}

template <class Subject, class C, Propagation P>
class Matrix {
    using Allocator = typename C::allocator_type;

public:
    /// One source and target in each combination; answers how often an operation was tried.
    static std::size_t run(const std::string& operation) {
        std::size_t cases = 0;
        for (const int other : {1, 2})
            for (const int source_count : {0, 90})
                for (const int target_count : {0, 20}) {
                    INFO(operation << ", allocators 1 and " << other << ", " << source_count << " and " << target_count
                                   << " elements");
                    NothingLeaks objects;
                    EveryByteReturned bytes;
                    if (one(operation, other, source_count, target_count)) ++cases;
                }
        return cases;
    }

private:
    static constexpr int id(int of) { return P.always_equal ? 0 : of; }

    static bool one(const std::string& operation, int other, int source_count, int target_count) {
        const int first = id(1), second = id(other);
        const bool equal = first == second;
        C source = sample<Subject, C>(1, 100, source_count);
        const Contents contents = Subject::contents(source);
        const auto before = Ledger::allocations();
        if (operation == "copy") {
            if constexpr (std::is_copy_constructible_v<C>) {
                if (target_count != 0) return false; // there is no target
                C copy(source);
                check_allocators<Subject>(copy, source, {id(1 + Allocator::copied_by), first, true}, before);
                demand(Subject::contents(copy) == contents, "the copy has other contents");
                return own_memory(copy, source, contents, source_count);
            }
        } else if (operation == "copy, allocator") {
            if constexpr (std::is_constructible_v<C, const C&, const Allocator&>) {
                if (target_count != 0) return false;
                C copy(source, Allocator(other));
                check_allocators<Subject>(copy, source, {second, first, true}, before);
                demand(Subject::contents(copy) == contents, "the copy has other contents");
                return own_memory(copy, source, contents, source_count);
            }
        } else if (operation == "move") {
            if (target_count != 0) return false;
            C moved(std::move(source));
            check_allocators<Subject>(moved, source, {first, first, false}, before);
            demand(Subject::contents(moved) == contents, "the target has other contents");
            check_left<Subject>(source); // NOLINT(bugprone-use-after-move)
            return true;
        } else if (operation == "move, allocator") {
            if constexpr (std::is_constructible_v<C, C&&, const Allocator&>) {
                if (target_count != 0) return false;
                C moved(std::move(source), Allocator(other));
                check_allocators<Subject>(moved, source, {second, first, !equal}, before);
                demand(Subject::contents(moved) == contents, "the target has other contents");
                check_left<Subject>(source); // NOLINT(bugprone-use-after-move)
                return own_memory(moved, source, contents, source_count);
            }
        } else if (operation == "assign copy") {
            if constexpr (std::is_copy_assignable_v<C>) {
                C target = sample<Subject, C>(other, 500, target_count);
                target = source;
                check_allocators<Subject>(target, source, {P.copy ? first : second, first, true}, before);
                demand(Subject::contents(target) == contents, "the target has other contents");
                demand(Subject::contents(source) == contents, "the source has other contents");
                return own_memory(target, source, contents, source_count);
            }
        } else if (operation == "assign move") {
            if constexpr (std::is_move_assignable_v<C>) {
                C target = sample<Subject, C>(other, 500, target_count);
                const auto now = Ledger::allocations();
                target = std::move(source);
                check_allocators<Subject>(target, source, {P.move ? first : second, first, !P.move && !equal}, now);
                demand(Subject::contents(target) == contents, "the target has other contents");
                check_left<Subject>(source); // NOLINT(bugprone-use-after-move)
                return own_memory(target, source, contents, source_count);
            }
        } else if (operation == "swap") {
            const bool travels = P.swap || swap_travels<Subject>;
            if (!swaps_unequal<Subject> && !travels && !equal) return false; // its contract
            C target = sample<Subject, C>(other, 500, target_count);
            const Contents theirs = Subject::contents(target);
            const auto now = Ledger::allocations();
            target.swap(source);
            check_allocators<Subject>(target, source, {travels ? first : second, travels ? second : first, !travels && !equal},
                                      now);
            demand(Subject::contents(target) == contents, "the target has other contents");
            demand(Subject::contents(source) == theirs, "the source has other contents");
            return own_memory(target, source, contents, source_count);
        } else if (operation == "assign itself") {
            if (other != 1 || target_count != 0) return false;
            C& alias = source;
            if constexpr (std::is_copy_assignable_v<C>) source = alias;
            if constexpr (std::is_move_assignable_v<C>) source = std::move(alias);
            source.swap(alias);
            check_allocators<Subject>(source, alias, {first, first, false}, before);
            demand(Subject::contents(source) == contents, "it has other contents");
            return true;
        } else
            demand(false, "there is no such operation");
        return false;
    }

    /// All that `target` has is in the memory of its own allocator: that of the source could go away.
    template <class Target>
    static bool own_memory(Target& target, C& source, const Contents& contents, [[maybe_unused]] int source_count) {
        const int theirs = source.get_allocator().id();
        { const C gone(std::move(source)); }
        { C(source.get_allocator()).swap(source); }
        if (theirs != target.get_allocator().id())
            demand(Ledger::live_bytes(theirs) == 0, "memory of the other allocator is kept");
        demand(Subject::contents(target) == contents, "the target has other contents once the source is gone");
        if constexpr (requires { Subject::future(target); }) {
            C twin = sample<Subject, C>(1, 100, source_count);
            demand(Subject::future(target) == Subject::future(twin), "the target gives other handles than the source would");
            demand(Subject::sound(target), "the target is not sound after inserts");
        }
        return true;
    }
};

inline std::string setting(Propagation p) {
    return std::string(p.copy ? "copy " : "") + (p.move ? "move " : "") + (p.swap ? "swap " : "") +
           (p.always_equal ? "equal" : "");
}

template <class Subject, std::size_t Setting>
void alloc_setting() {
    constexpr Propagation p{(Setting & 1) != 0, (Setting & 2) != 0, (Setting & 4) != 0, (Setting & 8) != 0, false};
    using C = typename Subject::template container<StatefulAllocator<typename Subject::element, p>>;
    if constexpr (requires { Subject::exact_noexcept; }) {
        static_assert(std::is_nothrow_move_constructible_v<C>);
        static_assert(std::is_nothrow_move_assignable_v<C> == (p.move || p.always_equal));
        static_assert(std::is_nothrow_swappable_v<C> == (p.swap || p.always_equal));
    }
    INFO("allocators that travel by: " << setting(p));
    for (const char* operation :
         {"copy", "copy, allocator", "move", "move, allocator", "assign copy", "assign move", "swap", "assign itself"}) {
        const std::size_t cases = Matrix<Subject, C, p>::run(operation);
        if (cases != 0)
            report("alloc", class_name<reported<C>>(), "setting " + std::to_string(Setting), operation, std::to_string(cases));
    }
}

} // namespace inner

/// All 16 settings of propagate and equal, empty and full, equal and unequal. The eight with an even number of traits, in which each
/// three of the four traits meet in every way, and with SLOTWISE_TEST_REST the eight others (bounds.hpp).
template <class Subject>
void alloc_matrix() {
    const auto some = []<std::size_t... Setting>(std::index_sequence<Setting...>) {
        (inner::alloc_setting<Subject, Setting>(), ...);
    };
#if defined(SLOTWISE_TEST_REST)
    some(std::index_sequence<1, 2, 4, 7, 8, 11, 13, 14>());
#else
    some(std::index_sequence<0, 3, 5, 6, 9, 10, 12, 15>());
#endif
}

//=== a throw at every step ===//

/// Of a container whose elements and allocator may throw; its allocator is StatefulAllocator<T, Propagation{.throws = true}>.
template <class Subject, class C>
void sweep_whole() {
    using Allocator = typename C::allocator_type;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto sweep = [](const char* function, bool source_stays, auto&& act) {
        const auto failures = fail_at_every_step(swept<inner::reported<C>>(function), [&](auto&& attempt) {
            C source = sample<Subject, C>(1, 100, 30), target = sample<Subject, C>(2, 500, 20);
            const Contents mine = Subject::contents(target), theirs = Subject::contents(source);
            const auto before = Ledger::live_bytes();
            const bool threw = attempt([&] { act(source, target); });
            demand(Subject::sound(source), "the source is not sound");
            demand(Subject::sound(target), "the target is not sound");
            if (threw && std::string(function) != "swap") {
                demand(Subject::contents(target) == mine, "the target has other contents although it threw");
                const auto now = Ledger::live_bytes();
                demand(source_stays ? now == before : now <= before, "there is more or less memory than before");
            }
            if (threw ? source_stays : source_stays && std::string(function).find("move") == std::string::npos)
                demand(Subject::contents(source) == theirs, "the source has other contents");
            if (threw && !source_stays) { // some of its elements may be moved-from: they go, and it lives on
                C(source.get_allocator()).swap(source);
                if (std::string(function) == "swap") C(target.get_allocator()).swap(target);
            }
            Subject::fill(source, 9000, 10);
            demand(Subject::sound(source), "the source is not sound after an insert");
        });
        demand(failures != 0, "nothing threw");
    };
    if constexpr (std::is_copy_constructible_v<C>) sweep("(copy)", true, [](C& source, C&) { const C copy(source); });
    if constexpr (std::is_constructible_v<C, const C&, const Allocator&>)
        sweep("(copy, allocator)", true, [](C& source, C&) { const C copy(source, Allocator(3)); });
    if constexpr (std::is_constructible_v<C, C&&, const Allocator&>)
        sweep("(move, allocator)", false, [](C& source, C&) { const C moved(std::move(source), Allocator(3)); });
    if constexpr (std::is_copy_assignable_v<C>) sweep("operator=(copy)", true, [](C& source, C& target) { target = source; });
    if constexpr (std::is_move_assignable_v<C> && !std::is_nothrow_move_assignable_v<C>)
        sweep("operator=(move)", false, [](C& source, C& target) { target = std::move(source); });
    if constexpr (!noexcept(std::declval<C&>().swap(std::declval<C&>())))
        sweep("swap", false, [](C& source, C& target) { target.swap(source); });
    never_throws<std::is_nothrow_move_constructible_v<C>>(swept<inner::reported<C>>("(move)"));
    calls_nothing_that_throws(swept<inner::reported<C>>("(...)"), [] { const C with{Allocator(1)}; });
    if constexpr (std::is_default_constructible_v<C>)
        calls_nothing_that_throws(swept<inner::reported<C>>("()"), [] { const C without{}; });
}

/// act(c) of a container of 30 elements after prepare(c); a throw leaves it as it was, and it lives on.
template <class Subject, class C, class Prepare, class Act>
void sweep_function(const char* function, Prepare prepare, Act act) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<inner::reported<C>>(function), [&](auto&& attempt) {
        C c = sample<Subject, C>(1, 100, 30);
        prepare(c);
        const Contents before = Subject::contents(c);
        const bool threw = attempt([&] { act(c); });
        demand(Subject::sound(c), "it is not sound");
        if (threw) demand(Subject::contents(c) == before, "it has other contents although it threw");
        if constexpr (requires { Subject::future(c); })
            if (threw) {
                C twin = sample<Subject, C>(1, 100, 30);
                prepare(twin);
                demand(Subject::future(c) == Subject::future(twin), "other handles come next than would have come");
            }
        Subject::fill(c, 9000, 10);
        demand(Subject::sound(c), "it is not sound after an insert");
    });
    demand(failures != 0, "nothing threw");
}
template <class Subject, class C, class Act>
void sweep_function(const char* function, Act act) {
    sweep_function<Subject, C>(
        function, [](C&) {}, act);
}

} // namespace test

#endif
