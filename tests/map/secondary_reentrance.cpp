// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Secondary maps and identity maps: entries that call back, memory of far handles, allocators that values take.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/pmr.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

#include <array>
#include <functional>
#include <memory_resource>
#include <string>

namespace {

using namespace test;

using H = SlotMap<int>::handle_type;

struct Pages {
    template <class T, class A = std::allocator<T>>
    using of = SecondaryMap<H, T, AllocBy<A>>;
};
struct Rows {
    template <class T, class A = std::allocator<T>>
    using of = SparseSecondaryMap<H, T, AllocBy<A>>;
};
/// Calls back when it is built from a function.
struct CallsOnBuild {
    CallsOnBuild(int) noexcept {}
    CallsOnBuild(const std::function<void()>& f) { f(); }
};
/// Two members: the first one's old value speaks while the second is still to be assigned.
struct Two {
    CallsOnDestroy first;
    Tracked second{1};
};

} // namespace

TEMPLATE_TEST_CASE(
    "Destructors of a secondary map's values may erase, insert and clear while it is cleared, by itself or by its map",
    "[reentrance]", Pages, Rows) {
    const bool by_map = GENERATE(false, true);
    NothingLeaks objects;
    SlotMap<int> map;
    std::vector<H> handles, surprises;
    for (int i = 0; i != 200; ++i) handles.push_back(map.insert(i));
    const H far(90'000, 1), survivor(70, 3);
    typename TestType::template of<CallsOnDestroy> more;
    more.attach_to(map);
    for (std::size_t i = 0; i != handles.size(); ++i)
        more.try_emplace(handles[i], static_cast<int>(i), [&, i] {
            for (const H handle : {handles[i], handles[199 - i], handles[(i + 1) % 200]})
                if (more.contains(handle) || more.erase(handle)) surprises.push_back(handle);
            if (i % 50 == 3) more.clear();
            if (i == 150) more.try_emplace(far, 7);
        });
    if (by_map)
        map.clear();
    else
        more.clear();
    CHECK(surprises.empty()); // all have gone before the first destructor runs
    CHECK(more.size() <= 1);  // `far`, unless a later destructor has cleared
    CHECK(more.check_invariants());
    CHECK(more.try_emplace(survivor, 1).inserted);
    CHECK(more.check_invariants());
}

TEMPLATE_TEST_CASE("Destructors of a secondary map's values may erase others in a chain, and insert until it grows",
                   "[reentrance]", Pages, Rows) {
    NothingLeaks objects;
    typename TestType::template of<CallsOnDestroy> more;
    for (slot_t i = 0; i != 100; ++i)
        more.try_emplace(H(i * 40, 1), 1, [&more, i] {
            more.erase(H(i * 40 + 80, 1));
            more.erase(H(i * 40, 1)); // not there any more
            for (slot_t k = 0; k != 20; ++k) more.try_emplace(H(5000 + i * 20 + k, 1), 2);
        });
    REQUIRE(more.erase(H(0, 1)));
    CHECK(more.size() == 50 + 50 * 20);
    for (slot_t i = 0; i != 100; ++i) CHECK(more.contains(H(i * 40, 1)) == (i % 2 == 1));
    CHECK(more.check_invariants());
    const std::size_t before = more.size();
    const std::size_t erased = more.erase_if([&](H handle, const CallsOnDestroy&) { return handle.index() < 5000; });
    CHECK((erased >= 1 && erased <= 50));
    CHECK(more.size() == before - 50 + 50 * 20);
    CHECK(more.check_invariants());
    more.insert_or_assign(H(9, 1), CallsOnDestroy(1, [&] { more.erase(H(9, 1)); }));
    const auto assigned = more.insert_or_assign(H(9, 1), CallsOnDestroy(2)).it;
    CHECK(assigned == more.find(H(9, 1))); // the old value's last words erase
    CHECK(more.check_invariants());
    more.erase(H(9, 1));
    more.try_emplace(H(9, 1), 1, [&] { more.try_emplace(H(9, 5), 3), more.try_emplace(H(10, 1), 3); });
    const auto replaced = more.try_emplace(H(9, 3), 2).it;
    CHECK(replaced == more.find(H(9, 3))); // replaced: the older value's last words
    CHECK(more.contains(H(10, 1)));
    CHECK(more.check_invariants());
    {
        typename TestType::template of<CallsOnDestroy> dies;
        for (slot_t i = 0; i != 10; ++i)
            dies.try_emplace(H(i, 1), 1, [&dies, i] { dies.try_emplace(H(i + 100, 1), 2), dies.erase(H(9 - i, 1)); });
    }
}

TEMPLATE_TEST_CASE("Constructors of a secondary map's values may insert, erase, clear, and end the element they are built for",
                   "[reentrance]", Pages, Rows) {
    SlotMap<int> map;
    typename TestType::template of<CallsOnBuild> more;
    more.attach_to(map);
    const H a = map.insert(1), b = map.insert(2), c = map.insert(3);
    const auto try_with = [&](H handle, const std::function<void()>& f) {
        const auto [it, inserted] = more.try_emplace(handle, f);
        CHECK(it == more.find(handle));
        CHECK(more.check_invariants());
        return inserted;
    };
    CHECK(try_with(a, [&] {
        for (slot_t i = 100; i != 400; ++i) more.try_emplace(H(i, 1), 1);
    }));
    CHECK(more.size() == 301);
    CHECK(try_with(b, [&] { more.clear(); }));
    CHECK(more.size() == 1);
    try_with(H(b.index(), b.version() + 2), [&] { more.erase(b); }); // the older entry that it would replace
    CHECK(more.size() == 1);
    CHECK_FALSE(try_with(c, [&] { map.erase(c); })); // too late: it would resolve for ever
    CHECK_FALSE(more.contains(c));
    const H d = map.insert(4);
    CHECK_FALSE(try_with(d, [&] { map.clear(); }));
    CHECK_FALSE(more.contains(d));
    const H e = map.insert(5);
    CHECK_FALSE(try_with(e, [&] { SlotMap<int>().swap(map), SlotMap<int>(std::move(map)).clear(); }) != more.contains(e));
    more.clear();
    more.detach();
    more.try_emplace(H(7, 1), 1);
    try_with(H(7, 5), [&] { more.try_emplace(H(7, 5), 1); }); // the inner one stays
    CHECK(more.contains(H(7, 5)));
    CHECK(more.size() == 1);
    CHECK_FALSE(try_with(H(7, 9), [&] { more.try_emplace(H(7, 11), 1); })); // newer than what is built
    CHECK(more.contains(H(7, 11)));
}

TEST_CASE("A constructor may change the SparseSecondaryMap that builds its value behind the last row, and may fail then",
          "[reentrance]") {
    struct Value {
        Value(int n) : text(static_cast<std::size_t>(40 + n), 'x') {}
        Value(const std::function<void()>& f) : Value(1) { f(); }
        std::string text;
    };
    using A = StatefulAllocator<Value>;
    const EveryByteReturned balance;
    const int what = GENERATE(range(0, 9));
    CAPTURE(what);
    const H own(9, 1);
    SparseSecondaryMap<H, Value, AllocBy<A>> more{A(1)};
    const auto fill = [&](slot_t first, slot_t count) {
        for (slot_t i = first; i != first + count; ++i) more.try_emplace(H(i, 1), 2);
    };
    fill(0, 5);
    const std::function<void()> acts[] = {
        [&] { fill(100, 1); },
        [&] { fill(100, 40); },
        [&] { more.erase(H(4, 1)), fill(100, 1); },
        [&] { more.erase(H(2, 1)); },
        [&] { more.clear(); },
        [&] { more.clear(), fill(100, 3); },
        [&] { more.try_emplace(own, 3); }, // it stays
        [&] { more.try_emplace(own, [&] { fill(100, 40), more.erase(H(100, 1)); }); },
        [&] { more.try_emplace(H(50, 1), [&] { more.clear(), more.try_emplace(H(51, 1), [&] { fill(100, 2); }); }); },
    };
    const auto sound = [&] {
        bool whole = more.check_invariants();
        more.for_each([&](H, const Value& value) { whole = whole && value.text.find_first_not_of('x') == value.text.npos; });
        return whole;
    };
    const auto [it, inserted] = more.try_emplace(own, [&] {
        CHECK(more.check_invariants());
        acts[what]();
        CHECK(sound());
    });
    CHECK(inserted == (what != 6 && what != 7));
    CHECK((it != more.end() && it == more.find(own) && sound()));
    fill(0, 5);
#if defined(__cpp_exceptions)
    CHECK_THROWS_AS(more.try_emplace(H(8, 1),
                                     [&] {
                                         acts[what]();
                                         throw what;
                                     }),
                    int);
    CHECK((!more.contains(H(8, 1)) && sound()));
#endif
    fill(200, 50);
    CHECK((more.contains(H(249, 1)) && sound()));
}

TEST_CASE("A value whose assignment or move erases its own entry lives until that is over", "[reentrance]") {
    const auto run = []<class Map>(Map) {
        NothingLeaks objects;
        Map more;
        const H own(5, 1), last(6, 1);
        const auto erase_all = [&] { more.erase(own), more.erase(last); };
        more.try_emplace(own, Two{CallsOnDestroy(1, erase_all)});
        more.try_emplace(last, Two{CallsOnDestroy(2)});
        const auto [it, inserted] = more.insert_or_assign(own, Two{CallsOnDestroy(3)});
        CHECK((it == more.end() && !inserted));
        CHECK(more.empty());
        CHECK(more.check_invariants());
        more.try_emplace(own, Two{CallsOnDestroy(1)});
        CHECK(more.extract(own)->first.value() == 1);
        CHECK((more.empty() && more.check_invariants()));
    };
    run(SecondaryMap<H, Two>());
    run(SparseSecondaryMap<H, Two>());
    NothingLeaks objects;
    SecondaryMap<H, CallsOnDestroy> more;
    more.try_emplace(H(5, 1), 5);
    CHECK(more.erase_if([&](H handle, const CallsOnDestroy& value) {
        more.erase(handle); // the value lives as long as it is asked about
        return value.value() == 5;
    }) == 0);
    CHECK((more.empty() && more.check_invariants()));
}

TEMPLATE_TEST_CASE("Constructors and destructors of a secondary map's values may shrink it", "[reentrance]", Pages, Rows) {
    NothingLeaks objects;
    typename TestType::template of<CallsOnDestroy> more;
    const auto shrinks = [&] {
        more.shrink_to_fit();
        CHECK(more.check_invariants());
    };
    for (slot_t i = 0; i != 400; ++i)
        CHECK(more.try_emplace(H(i * 1000 % 70'000, i < 70 ? 1 : 3), 1, shrinks).inserted == (i < 140));
    for (slot_t i = 0; i != 69; ++i) CHECK(more.erase(H(i * 1000, 3)));
    shrinks();
    CHECK((more.size() == 1 && more.contains(H(69'000, 3))));
    more.clear();
    typename TestType::template of<CallsOnBuild> others;
    for (slot_t i = 0; i != 100; ++i) others.try_emplace(H(i * 1000, 1), 1), others.erase(H(i * 1000, 1)); // pages are empty
    for (slot_t i = 100; i-- != 0;)
        CHECK(others
                  .try_emplace(H(i * 1000, 3),
                               [&] {
                                   others.try_emplace(H(i * 1000 + 1, 1), 1);
                                   others.erase(H(i * 1000 + 1, 1));
                                   others.shrink_to_fit();
                               })
                  .inserted);
    CHECK((others.size() == 100 && others.check_invariants()));
    for (slot_t i = 0; i != 100; ++i) CHECK(others.contains(H(i * 1000, 3)));
}

TEST_CASE("A value that cannot move is built where the older one of its slot was, whose destructor calls back",
          "[reentrance]") {
    struct Fixed {
        explicit Fixed(std::function<void()> words = {}) : last(1, std::move(words)) {}
        Fixed(const Fixed&) = delete;
        Fixed& operator=(const Fixed&) = delete;
        CallsOnDestroy last;
    };
    NothingLeaks objects;
    SecondaryMap<H, Fixed> more;
    more.try_emplace(H(3, 1), [&] {
        CHECK_FALSE(more.try_emplace(H(3, 9)).inserted); // its place is in use
        more.try_emplace(H(4, 1));
    });
    CHECK(more.try_emplace(H(3, 5)).inserted);
    CHECK((more.contains(H(3, 5)) && more.contains(H(4, 1)) && more.size() == 2 && more.check_invariants()));
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("Whoever replaces a secondary map as a whole from inside one of its operations is caught", "[reentrance]") {
    CHECK(dies_saying("moves, swaps, assigns or destroys the map", [] {
        SecondaryMap<H, CallsOnDestroy> more, other;
        more.try_emplace(H(1, 1), 1, [&] { more.swap(other); });
        more.erase(H(1, 1));
    }));
    struct Loud {
        Loud(std::function<void()> words) : last(std::move(words)) {}
        Loud(Loud&& from) noexcept : last(from.last) {
            if (last) last();
        }
        Loud& operator=(Loud&&) noexcept = default;
        std::function<void()> last;
    };
    CHECK(dies_saying("use SecondaryMap", [] {
        SparseSecondaryMap<H, Loud> more;
        more.try_emplace(H(1, 1), [&] { more.erase(H(2, 1)), more.clear(); });
    }));
}

#endif

TEST_CASE("Pages of a SecondaryMap are sized by bytes, and empty ones are used again or given back", "[map]") {
    using Value = std::array<std::byte, 256>;
    using A = StatefulAllocator<Value>;
    const EveryByteReturned balance;
    SecondaryMap<H, Value, AllocBy<A>> more{A(1)};
    const auto handle = [](slot_t i) { return H(i * 100'003, 1); };
    for (slot_t i = 0; i != 10'000; ++i) more.try_emplace(handle(i));
    const std::size_t most = balance.live_bytes();
    CHECK(most < 15'000'000); // 2.6 MB of values; it was 167 MB
    for (slot_t i = 1; i != 10'000; ++i) more.erase(handle(i));
    for (slot_t i = 20'000; i != 29'990; ++i) more.try_emplace(handle(i));
    CHECK(balance.live_bytes() <= most); // in the pages of those that were erased
    for (slot_t i = 20'000; i != 29'990; ++i) more.erase(handle(i));
    CHECK(balance.live_bytes() <= most);
    more.shrink_to_fit();
    CHECK(balance.live_bytes() < 20'000);
    for (slot_t i = 1; i != 6; ++i) more.try_emplace(handle(i));
    const std::size_t allocations = Ledger::allocations();
    for (slot_t i = 0; i != 50; ++i) more.erase(handle(1 + i % 5)), more.try_emplace(handle(1 + i % 5));
    CHECK(Ledger::allocations() == allocations); // the last few empty pages are kept
    CHECK(more.erase_if([](H, const Value&) { return true; }) == 6);
    more.shrink_to_fit();
    CHECK(balance.live_bytes() < 20'000);
    more.clear();
    CHECK(balance.live_bytes() == 0);
    CHECK(more.check_invariants());
    SparseSecondaryMap<H, int, AllocBy<StatefulAllocator<int>>> few{StatefulAllocator<int>(1)};
    few.insert(H(0, 1), 1);
    const std::size_t one = balance.live_bytes();
    for (slot_t i = 1; i != 1000; ++i) few.insert(handle(i), 1);
    for (slot_t i = 1; i != 1000; ++i) few.erase(handle(i));
    few.shrink_to_fit();
    CHECK(balance.live_bytes() < one + 20 * 1'200);
    CHECK(few.check_invariants());
}

TEMPLATE_TEST_CASE("Values of a secondary map that take an allocator get the map's", "[map][alloc]", Pages, Rows) {
    using Text = std::pmr::string;
    std::pmr::monotonic_buffer_resource arena, other_arena;
    typename TestType::template of<Text, std::pmr::polymorphic_allocator<Text>> more(&arena);
    const auto in_arena = [&](H handle) { return more.at(handle).get_allocator().resource() == &arena; };
    more.try_emplace(H(1, 1), "a text that is longer than any small one");
    more.insert(H(2, 1), Text("of another resource", &other_arena));
    more.insert(H(1, 3), Text("replaced, from another resource", &other_arena));
    more.insert_or_assign(H(2, 1), Text("assigned", &other_arena));
    for (slot_t i = 10; i != 40; ++i) more.try_emplace(H(i, 1), "grown");
    more.erase(H(10, 1));
    CHECK((in_arena(H(1, 3)) && in_arena(H(2, 1)) && in_arena(H(39, 1))));
    CHECK((more.at(H(1, 3)) == "replaced, from another resource" && more.at(H(2, 1)) == "assigned"));
    auto copy = decltype(more)(more, &other_arena);
    CHECK(copy.at(H(1, 3)).get_allocator().resource() == &other_arena);
    more = std::move(copy);
    CHECK(in_arena(H(1, 3)));
}

TEST_CASE("insert_with gives the element the memory of its map", "[map][alloc]") {
    std::pmr::monotonic_buffer_resource arena;
    const auto run = [&]<class Map>(Map map) {
        const auto handle = map.insert_with([](auto) { return std::pmr::string("made by a function"); });
        CHECK(map[handle] == "made by a function");
        CHECK(map[handle].get_allocator().resource() == &arena);
    };
    run(slotwise::pmr::SlotMap<std::pmr::string>(&arena));
    run(slotwise::pmr::DenseSlotMap<std::pmr::string>(&arena));
    slotwise::pmr::IdentityMap<std::pmr::string, H> ids(&arena);
    ids.insert("an id that is longer than any small string", H(1, 1));
    CHECK(ids.id_of(H(1, 1))->get_allocator().resource() == &arena);
}

TEST_CASE("A packed map asks no memory but its own for a row that it builds aside", "[map][alloc]") {
    struct Restore {
        std::pmr::memory_resource* before = std::pmr::set_default_resource(std::pmr::null_memory_resource());
        ~Restore() { std::pmr::set_default_resource(before); }
    } const restore;
    std::pmr::monotonic_buffer_resource arena(std::pmr::new_delete_resource());
    constexpr const char* text = "longer than any small string is";
    slotwise::pmr::DenseSlotMap<std::pmr::string> map(&arena);
    for (int i = 0; i != 20; ++i) CHECK(map[map.emplace(text)].get_allocator().resource() == &arena);
    CHECK(*map.insert_at(decltype(map)::handle_type(70, 1), text) == text);
    slotwise::pmr::SoaSlotMap<int, std::pmr::string> rows(&arena);
    for (int i = 0; i != 20; ++i) CHECK(std::get<1>(rows[rows.emplace(i, text)]).get_allocator().resource() == &arena);
}

TEST_CASE("A SecondaryMap's iterator becomes a const_iterator, and not the other way round", "[map]") {
    using Map = SecondaryMap<H, int>;
    static_assert(std::is_convertible_v<Map::iterator, Map::const_iterator>);
    static_assert(!std::is_convertible_v<Map::const_iterator, Map::iterator>);
    static_assert(std::is_trivially_copy_constructible_v<Map::const_iterator>);
    Map map;
    map.insert(H(3, 1), 4);
    const Map::const_iterator it = map.begin();
    CHECK(it->handle == H(3, 1));
    CHECK(it == std::as_const(map).begin());
    CHECK(it == Map::const_iterator(map.begin()));
}

//=== identity maps ===//

namespace {

/// An id that says what its key is, and calls back when it is built, dies, is hashed or compared.
struct Calls {
    std::function<void()> built, dies, hashed, compared;
};
struct SpeakingId {
    SpeakingId(int n, Calls* c = nullptr) : number(n), calls(c) {}
    SpeakingId(const SpeakingId& other) : number(other.number), calls(other.calls) { call(&Calls::built); }
    SpeakingId& operator=(const SpeakingId&) = delete;
    ~SpeakingId() { call(&Calls::dies); }
    void operator&() const = delete;
    void call(std::function<void()> Calls::*what) const {
        if (calls != nullptr)
            if (const auto f = std::exchange(calls->*what, nullptr)) f(); // once
    }
    friend bool operator==(const SpeakingId& a, const SpeakingId& b) {
        a.call(&Calls::compared);
        return a.number == b.number;
    }
    int number;
    Calls* calls;
};
struct SpeakingHash {
    std::size_t operator()(const SpeakingId& id) const {
        id.call(&Calls::hashed);
        return 7; // all in one chain
    }
};

} // namespace

TEST_CASE("An id's constructor and destructor, Hash and Equal may change the IdentityMap that calls them", "[reentrance]") {
    // What calls, and what it does.
    const auto when = GENERATE(&Calls::built, &Calls::dies, &Calls::hashed, &Calls::compared);
    const int what = GENERATE(range(0, 7));
    CAPTURE(what);
    Calls calls;
    SlotMap<int> map;
    std::vector<H> handles;
    for (int i = 0; i != 20; ++i) handles.push_back(map.insert(i));
    IdentityMap<SpeakingId, H, HashBy<SpeakingHash>> ids;
    ids.attach_to(map);
    for (int i = 0; i != 10; ++i)
        ids.insert(i == 9 ? SpeakingId(i, &calls) : SpeakingId(i), handles[static_cast<std::size_t>(i)]);
    const SpeakingId speaking(15, &calls);
    const std::function<void()> acts[] = {
        [&] {
            for (int i = 100; i != 150; ++i) ids.insert(SpeakingId(i), H(static_cast<slot_t>(i), 1));
        },
        [&] { ids.erase(handles[0]), ids.erase(SpeakingId(1)); },
        [&] { ids.erase_if([](H handle, const SpeakingId&) { return handle.index() < 5; }); },
        [&] { ids.insert(SpeakingId(15), H(60, 1)); },
        [&] { ids.insert(SpeakingId(16), handles[15]); },
        [&] { map.erase(handles[15]), map.erase(handles[3]); },
        [&] { when == &Calls::compared ? ids.reserve(500) : ids.clear(); }, // it compares an id of the map: that must stay
    };
    calls.*when = acts[what];
    const auto sound = [&] {
        calls.*when = nullptr; // it hashes
        return ids.check_invariants();
    };
    const bool inserted = ids.insert(speaking, handles[15]);
    CHECK(sound());
    CHECK(inserted == (ids.contains(handles[15]) && ids.id_of(handles[15])->number == 15));
    calls.*when = acts[what];
    ids.erase(handles[9]);
    CHECK(sound());
    calls.*when = acts[what];
    map.erase(handles[2]);
    CHECK(sound());
    ids.insert(SpeakingId(9, &calls), H(90, 1));
    calls.*when = acts[what];
    ids.erase(SpeakingId(9));
    CHECK_FALSE(ids.contains(H(90, 1)));
    CHECK(sound());
    ids.insert(speaking, H(91, 1));
    ids.insert(SpeakingId(200, &calls), H(91, 3)); // instead of the older one
    CHECK(sound());
    calls.*when = acts[what];
    map.clear();
    CHECK(sound());
    calls.*when = acts[what];
    ids.clear();
    CHECK(sound());
    for (const H handle : handles) CHECK_FALSE((ids.contains(handle) && what != 4));
    calls = {};
}

TEST_CASE("An IdentityMap keeps the functors it is given, and exchanges them with its pairs", "[map]") {
    struct Modulo {
        explicit Modulo(int n) : by(n) {}
        std::size_t operator()(int id) const noexcept { return static_cast<std::size_t>(id % by); }
        bool operator()(int a, int b) const noexcept { return a % by == b % by; }
        int by;
    };
    using Map = IdentityMap<int, H, HashBy<Modulo>, EqualBy<Modulo>>;
    static_assert(!std::is_default_constructible_v<Map>);
    static_assert(std::is_nothrow_move_constructible_v<Map> && std::is_nothrow_move_assignable_v<Map> &&
                  std::is_nothrow_swappable_v<Map>);
    Map tens(Modulo(10), Modulo(10)), sevens(Modulo(7), Modulo(7));
    CHECK(tens.insert(3, H(1, 1)));
    CHECK_FALSE(tens.insert(13, H(2, 1)));
    CHECK(sevens.insert(3, H(1, 1)));
    Map copy(tens);
    CHECK(copy.handle_of(43) == H(1, 1));
    swap(tens, sevens);
    CHECK(tens.contains(10));
    CHECK(sevens.contains(13));
    tens = std::move(sevens);
    CHECK((tens.contains(13) && sevens.empty() && sevens.check_invariants()));
    const auto captured = [by = 5](int id) { return static_cast<std::size_t>(id % by); }; // cannot be assigned
    IdentityMap<int, H, HashBy<decltype(captured)>> a(captured), b(captured);
    a.insert(1, H(1, 1));
    a.swap(b);
    CHECK((a.empty() && b.contains(1)));
    CHECK_THROWS_AS(b.reserve(static_cast<std::size_t>(-1)), std::length_error);
}

TEST_CASE("SecondaryMap::erase(it): a destructor erases the next entry, and the one behind it is returned", "[secondary]") {
    using H = Handle<struct ParentsTag>;
    struct Parent {
        SecondaryMap<H, Parent>* map;
        int number;
        Parent(SecondaryMap<H, Parent>* m, int n) : map(m), number(n) {}
        Parent(Parent&& other) noexcept : map(std::exchange(other.map, nullptr)), number(other.number) {}
        ~Parent() {
            if (map != nullptr && number == 1) map->erase(H(2, 1));
        }
    };
    SecondaryMap<H, Parent> map;
    for (int i = 1; i != 4; ++i) map.emplace(H(static_cast<slot_t>(i), 1), &map, i);
    const auto next = map.erase(map.find(H(1, 1)));
    REQUIRE(next != map.end());
    CHECK((next.handle() == H(3, 1) && (*next).value.number == 3 && map.size() == 1));
}
