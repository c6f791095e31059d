// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What keyed containers promise about exceptions and triviality, as far as the compiler can say it, and what stays valid after
// what. Strong guarantees are in throwing_keyed*.cpp, allocators in alloc_*.cpp and allocators_keyed_kinds.cpp.
#include "scene.hpp"

#include <iterator>
#include <string>

using namespace test;

namespace {

template <class C>
constexpr bool keeps_the_table() {
    using handle_type = typename C::handle_type;
    using iterator = typename C::iterator;
    constexpr bool steals = std::allocator_traits<typename C::allocator_type>::is_always_equal::value;
    // Never throws, whatever keys and values do.
    static_assert(noexcept(std::declval<C&>().erase(std::declval<handle_type>())));
    static_assert(noexcept(std::declval<C&>().erase(std::declval<iterator>())));
    static_assert(noexcept(std::declval<C&>().clear()));
    static_assert(noexcept(std::declval<C&>().reset()));
    static_assert(noexcept(std::declval<C&>().flush_removed()));
    static_assert(noexcept(std::declval<C&>().recycle_retired()));
    static_assert(std::is_nothrow_destructible_v<C>);
    static_assert(std::is_nothrow_move_constructible_v<C>);
    static_assert(std::is_nothrow_move_assignable_v<C> == steals);
    static_assert(std::is_nothrow_swappable_v<C> == steals);
    static_assert(noexcept(std::declval<C&>().swap(std::declval<C&>())) == steals);
    // Looking that runs no user code.
    static_assert(noexcept(std::declval<const C&>().contains(std::declval<handle_type>())));
    static_assert(noexcept(std::declval<const C&>().key(std::declval<handle_type>())));
    static_assert(noexcept(std::declval<const C&>().key(slot_t{})));
    static_assert(noexcept(std::declval<const C&>().handle_at(slot_t{})));
    static_assert(noexcept(std::declval<const C&>().state(slot_t{})));
    static_assert(noexcept(std::declval<const C&>().explain(std::declval<handle_type>())));
    static_assert(noexcept(std::declval<const C&>().size())&& noexcept(std::declval<const C&>().empty()));
    static_assert(noexcept(std::declval<const C&>().capacity())&& noexcept(C::max_size()));
    static_assert(noexcept(std::declval<const C&>().pending())&& noexcept(std::declval<const C&>().retired()));
    static_assert(noexcept(std::declval<const C&>().begin())&& noexcept(std::declval<const C&>().end()));
    static_assert(noexcept(std::declval<const C&>().slots())&& noexcept(std::declval<const C&>().occupancy()));
    static_assert(noexcept(std::declval<const C&>().keys())&& noexcept(std::declval<const C&>().get_allocator()));
    // Handles, iterators and results are values without cost.
    static_assert(std::is_trivially_copyable_v<handle_type> && std::is_trivially_destructible_v<handle_type>);
    static_assert(std::is_trivially_copyable_v<iterator> && std::is_trivially_destructible_v<iterator>);
    static_assert(std::is_trivially_copyable_v<InsertResult<SetStorage<int>::iterator>>);
    static_assert(std::forward_iterator<iterator> && std::forward_iterator<typename C::const_iterator>);
    static_assert(std::is_same_v<typename C::handle_type, HandleOf<C>>);
    if constexpr (is_keyed_map<C>) {
        static_assert(noexcept(std::declval<C&>().get(std::declval<handle_type>())));
        static_assert(noexcept(std::declval<const C&>().get(std::declval<handle_type>())));
        static_assert(noexcept(std::declval<C&>().value(slot_t{}))&& noexcept(std::declval<const C&>().value(slot_t{})));
        static_assert(noexcept(std::declval<const C&>().as_set())&& noexcept(std::declval<C&>().values()));
        static_assert(std::is_reference_v<decltype(std::declval<const C&>().as_set())>);
        static_assert(std::is_convertible_v<typename C::iterator, typename C::const_iterator>);
        static_assert(!std::is_convertible_v<typename C::const_iterator, typename C::iterator>);
    }
    if constexpr (C::options.deferred_erase) static_assert(noexcept(std::declval<C&>().remove(std::declval<handle_type>())));
    return true;
}

template <class Key, KeySetOptions O, class... Columns>
using Throws = SetStorage<Key, HashBy<ThrowingHash>, EqualBy<ThrowingEqual>, Options<O>, Columns...>;
template <class Key, class T, KeySetOptions O, class... Columns>
using ThrowsMap = MapStorage<Key, T, HashBy<ThrowingHash>, EqualBy<ThrowingEqual>, Options<O>, Columns...>;

static_assert(keeps_the_table<SetStorage<int>>());
static_assert(keeps_the_table<SetStorage<std::string>>());
static_assert(keeps_the_table<MapStorage<int, int>>());
static_assert(keeps_the_table<MapStorage<std::string, std::string>>());
static_assert(keeps_the_table<Throws<Throwing, at_once>>());
static_assert(keeps_the_table<Throws<Throwing, deferred, ValueArray<Throwing>, StaticLogger<0, true>>>());
static_assert(keeps_the_table<ThrowsMap<Throwing, Throwing, at_once>>());
static_assert(keeps_the_table<ThrowsMap<Throwing, ThrowingNonMovable, deferred, ValueArray<Throwing>>>());
static_assert(keeps_the_table<SetStorage<int, HashBy<NumberHash>, Options<at_once>, AllocBy<StatefulAllocator<int>>>>());
static_assert(keeps_the_table<MapStorage<int, int, HashBy<NumberHash>, Options<deferred>, AllocBy<StatefulAllocator<int>>>>());
static_assert(keeps_the_table<SetStorage<int, Options<at_once>, IndexBy<PortableHashIndex>>>());

// Where hash and equality can throw, so can what asks them.
static_assert(!noexcept(std::declval<Throws<Throwing, at_once>&>().erase(std::declval<const Throwing&>())));
static_assert(!noexcept(std::declval<const Throws<Throwing, at_once>&>().contains(std::declval<const Throwing&>())));
// Inserting allocates.
static_assert(!noexcept(std::declval<SetStorage<int>&>().insert(1)));
static_assert(!noexcept(std::declval<SetStorage<int>&>().reserve(1)));

// What cannot be copied cannot; everything can be moved.
static_assert(std::is_move_constructible_v<MapStorage<int, NonMovable>>);
static_assert(std::is_move_assignable_v<MapStorage<int, NonMovable>> && std::is_swappable_v<MapStorage<int, NonMovable>>);

template <class C>
struct Filled {
    C c{};
    std::vector<typename C::handle_type> handles{};
    explicit Filled(int count) {
        for (int n = 0; n != count; ++n) handles.push_back(c.handle_at(enter(c, n).it.slot()));
    }
    std::vector<const void*> addresses(int without = -1) const {
        std::vector<const void*> all;
        for (int n = 0; n != static_cast<int>(handles.size()); ++n) {
            if (n == without) continue;
            const slot_t slot = handles[static_cast<std::size_t>(n)].index();
            all.push_back(&c.key(slot));
            if constexpr (is_keyed_map<C>) all.push_back(&c.value(slot));
        }
        return all;
    }
    bool all_there(const C& where) const {
        for (std::size_t n = 0; n != handles.size(); ++n)
            if (!where.contains(handles[n]) || number(*where.key(handles[n])) != static_cast<int>(n)) return false;
        return true;
    }
};

#define PROMISING                                                                                                              \
    (SetStorage<Tracked, HashBy<NumberHash>, Options<at_once>>), (SetStorage<Tracked, HashBy<NumberHash>, Options<deferred>>), \
        (MapStorage<int, Tracked, HashBy<NumberHash>, Options<at_once>>),                                                      \
        (MapStorage<int, Tracked, HashBy<NumberHash>, Options<deferred>>), (MapStorage<int, int>)

} // namespace

TEMPLATE_TEST_CASE("insert and reserve: addresses, iterators and handles stay valid, also in growth", "[promises]", PROMISING) {
    Filled<TestType> filled(10);
    const auto before = filled.addresses();
    const auto it = std::next(filled.c.begin(), 5);
    for (int n = 10; n != 20'000; ++n) enter(filled.c, n);
    filled.c.reserve(50'000);
    REQUIRE(filled.addresses() == before);
    REQUIRE(filled.all_there(filled.c));
    REQUIRE(it.slot() == 5);
    REQUIRE(it.handle() == filled.handles[5]);
    REQUIRE(std::next(it).handle() == filled.handles[6]);
}

TEMPLATE_TEST_CASE("erase: only the erased address, iterator and handle are gone; so for flush", "[promises]", PROMISING) {
    Filled<TestType> filled(100);
    const auto before = filled.addresses(40);
    const auto at_39 = std::next(filled.c.begin(), 39);
    REQUIRE(filled.c.erase(filled.handles[40]));
    filled.c.flush_removed();
    REQUIRE(filled.addresses(40) == before);
    REQUIRE(at_39.handle() == filled.handles[39]);
    REQUIRE(std::next(at_39).handle() == filled.handles[41]);
    for (std::size_t n = 0; n != 100; ++n) REQUIRE(filled.c.contains(filled.handles[n]) == (n != 40));
}

TEMPLATE_TEST_CASE("clear and reset: all handles are stale and known to be, for ever", "[promises]", PROMISING) {
    for (const bool by_reset : {false, true}) {
        NothingLeaks objects;
        Filled<TestType> filled(500);
        const auto capacity = filled.c.capacity();
        if (by_reset)
            filled.c.reset();
        else
            filled.c.clear();
        REQUIRE(filled.c.empty());
        REQUIRE(filled.c.capacity() == (by_reset ? 0 : capacity));
        for (const auto handle : filled.handles) {
            REQUIRE_FALSE(filled.c.contains(handle));
            REQUIRE(filled.c.explain(handle) != HandleStatus::live);
        }
        filled.c.flush_removed();
        REQUIRE(objects.alive() == 0);
        for (int n = 0; n != 500; ++n) enter(filled.c, n);
        for (const auto handle : filled.handles) REQUIRE(filled.c.explain(handle) == HandleStatus::stale);
        REQUIRE(filled.c.check_invariants());
    }
}

TEMPLATE_TEST_CASE("shrink_to_fit: what lives stays where it is; given up slots' handles stay stale", "[promises]", PROMISING) {
    Filled<TestType> filled(3000);
    auto old = filled.handles;
    for (int n = 10; n != 3000; ++n) leave(filled.c, n);
    filled.c.flush_removed();
    filled.handles.resize(10);
    const auto before = filled.addresses();
    filled.c.shrink_to_fit();
    REQUIRE(filled.addresses() == before);
    REQUIRE(filled.all_there(filled.c));
    for (int n = 10; n != 3000; ++n) enter(filled.c, n);
    for (std::size_t n = 10; n != 3000; ++n) REQUIRE_FALSE(filled.c.contains(old[n]));
    REQUIRE(filled.c.check_invariants());
}

TEMPLATE_TEST_CASE("move and swap: addresses and handles go along; moved-from is empty and usable", "[promises]", PROMISING) {
    Filled<TestType> filled(100);
    const auto before = filled.addresses();
    TestType moved(std::move(filled.c));
    REQUIRE(filled.c.empty()); // NOLINT(bugprone-use-after-move)
    REQUIRE(filled.c.capacity() == 0);
    REQUIRE(filled.c.check_invariants());
    for (const auto handle : filled.handles) REQUIRE_FALSE(filled.c.contains(handle));
    REQUIRE(filled.all_there(moved));
    enter(filled.c, 7);
    REQUIRE(filled.c.size() == 1);
    filled.c = std::move(moved);
    REQUIRE(filled.addresses() == before);
    REQUIRE(filled.all_there(filled.c));
    REQUIRE(moved.empty()); // NOLINT(bugprone-use-after-move)
    enter(moved, 8);
    swap(moved, filled.c);
    REQUIRE(filled.all_there(moved));
    REQUIRE(has(filled.c, 8));
    REQUIRE(moved.check_invariants());
    REQUIRE(filled.c.check_invariants());
}

TEMPLATE_TEST_CASE("copy: handles are valid in the copy, and the copies are independent", "[promises]", PROMISING) {
    Filled<TestType> filled(100);
    TestType copy(filled.c);
    REQUIRE(filled.all_there(copy));
    REQUIRE(copy == filled.c);
    leave(copy, 3);
    enter(copy, 555);
    REQUIRE_FALSE(copy == filled.c);
    REQUIRE(filled.all_there(filled.c));
    REQUIRE(filled.c.check_invariants());
    REQUIRE(copy.check_invariants());
}
