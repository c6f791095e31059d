// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The interface that all slot maps share, call by call, and its preconditions.
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace test;

namespace {

/// Does something to the map when it is notified of an insert; once, or it would be notified of its own.
class Meddler final : public SlotObserver {
public:
    void on_insert(slot_t, InsertKind) override {
        if (const auto now = std::exchange(act, nullptr)) now();
    }
    std::function<void()> act;
};

/// A static observer that says it is quiet, and counts.
struct QuietCounter {
    using is_trivial_observer = void;
    void on_insert(slot_t, InsertKind) noexcept { ++inserts; }
    void on_erase(slot_t) noexcept { ++erases; }
    int inserts = 0, erases = 0;
};

} // namespace

TEMPLATE_TEST_CASE("insert, get, at, [], contains, erase and extract do what they say", "[slot_map]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    REQUIRE(map.empty());
    REQUIRE(map.begin() == map.end());
    const auto a = put(map, 1), b = put(map, 2);
    REQUIRE(map.size() == 2);
    REQUIRE(a != b);
    REQUIRE(map.contains(a));
    REQUIRE(map.get(a) != nullptr);
    REQUIRE(number_of(map, b) == 2);
    REQUIRE(map.state(a.index()) == SlotState::live);
    REQUIRE(map.explain(a) == HandleStatus::live);
    set_number(map, a, 10);
    REQUIRE(number_of(map, a) == 10);
    REQUIRE(map.erase(a));
    REQUIRE_FALSE(map.erase(a));
    REQUIRE(map.explain(a) == HandleStatus::stale);
    REQUIRE(map.state(a.index()) == SlotState::free);
    REQUIRE_THROWS_AS(map.at(a), std::out_of_range);
    REQUIRE_THROWS_AS(std::as_const(map).at(a), std::out_of_range);
    const auto taken = map.extract(b);
    REQUIRE(taken.has_value());
    REQUIRE_FALSE(map.extract(b).has_value());
    REQUIRE(map.empty());
}

TEMPLATE_TEST_CASE("reserve_handle, fulfill and cancel: no lookup finds a reserved handle until its element is there",
                   "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto later = map.reserve_handle(), never = map.reserve_handle();
    REQUIRE(map.empty());
    REQUIRE_FALSE(map.contains(later));
    REQUIRE(map.explain(later) == HandleStatus::reserved);
    REQUIRE(map.state(later.index()) == SlotState::reserved);
    REQUIRE_FALSE(map.erase(later));
    REQUIRE(fulfill(map, later, 5));
    REQUIRE(number_of(map, later) == 5);
    REQUIRE_FALSE(fulfill(map, later, 6));
    REQUIRE_FALSE(map.cancel(later));
    REQUIRE(map.cancel(never));
    REQUIRE_FALSE(map.cancel(never));
    REQUIRE_FALSE(fulfill(map, never, 7));
    const auto next = put(map, 8);
    REQUIRE(next.index() == never.index());
    REQUIRE(next.version() > never.version());
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("insert_at undoes an erase under the same handle, and refuses what could resurrect an older one",
                   "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto first = put(map, 1);
    map.erase(first);
    const auto second = put(map, 2);
    REQUIRE_FALSE(put_at(map, second, 3)); // in use
    REQUIRE_FALSE(put_at(map, first, 3));
    map.erase(second);
    REQUIRE_FALSE(put_at(map, first, 3)); // older than the last one issued
    REQUIRE(put_at(map, second, 4));
    REQUIRE(number_of(map, second) == 4);
    REQUIRE_FALSE(put_at(map, handle_type(9, 2), 5)); // even
    REQUIRE(put_at(map, handle_type(9, 7), 5));
    REQUIRE(put_at(map, handle_type(5, 1), 6)); // in the gap
    REQUIRE(map.size() == 3);
    REQUIRE(map.check_invariants());
}

TEMPLATE_TEST_CASE("get_many gives null where one is gone and equal pointers for equal handles", "[slot_map]", test::Paged,
                   test::Dense) {
    typename TestType::template map<int> map;
    const auto a = put(map, 1), b = put(map, 2), gone = put(map, 3);
    map.erase(gone);
    const auto [pa, pg, pb, again] = map.get_many(a, gone, b, a);
    REQUIRE((*pa == 1 && *pb == 2 && pg == nullptr && again == pa));
}

TEMPLATE_TEST_CASE("swap_values exchanges values; the handles stay", "[slot_map]", ALL_STORAGES) {
    NothingLeaks objects;
    typename TestType::template map<Tracked> map;
    const auto a = put(map, 1), b = put(map, 2), gone = put(map, 3);
    map.erase(gone);
    REQUIRE(map.swap_values(a, b));
    REQUIRE(number_of(map, a) == 2);
    REQUIRE(number_of(map, b) == 1);
    REQUIRE_FALSE(map.swap_values(a, gone));
    REQUIRE_FALSE(map.swap_values(gone, b));
    REQUIRE(number_of(map, a) == 2);
}

TEST_CASE("reuse: lifo gives the slot vacated last, fifo the one vacated first, lowest the lowest", "[slot_map]") {
    const auto order = []<Reuse R>(std::integral_constant<Reuse, R>) {
        SlotMap<int, Options<SlotMapOptions{.reuse = R}>> map;
        std::vector<typename SlotMap<int, Options<SlotMapOptions{.reuse = R}>>::handle_type> handles;
        for (int i = 0; i != 10; ++i) handles.push_back(map.insert(i));
        for (const std::size_t i : {5u, 2u, 8u}) map.erase(handles[i]);
        std::vector<slot_t> slots;
        for (int i = 0; i != 4; ++i) slots.push_back(map.insert(i).index());
        return slots;
    };
    REQUIRE(order(std::integral_constant<Reuse, Reuse::lifo>{}) == std::vector<slot_t>{8, 2, 5, 10});
    REQUIRE(order(std::integral_constant<Reuse, Reuse::fifo>{}) == std::vector<slot_t>{5, 2, 8, 10});
    REQUIRE(order(std::integral_constant<Reuse, Reuse::lowest>{}) == std::vector<slot_t>{2, 5, 8, 10});
}

TEMPLATE_TEST_CASE("[handle] of a stale handle stops with a message", "[slot_map][death]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    const auto stale = put(map, 1);
    map.erase(stale);
    REQUIRE(dies_saying("no element has this handle", [&] { static_cast<void>(map[stale]); }));
    REQUIRE(dies_saying("no element has this handle", [&] { static_cast<void>(std::as_const(map)[{}]); }));
    REQUIRE_FALSE(dies_saying("", [&] { static_cast<void>(map.get(stale)); }));
}

TEST_CASE("erase(it) of an erased element or of the end stops with a message", "[slot_map][death]") {
    SlotMap<int> map;
    const auto handle = map.insert(1);
    map.insert(2);
    const auto it = map.begin();
    map.erase(handle);
    REQUIRE(dies_saying("the element here was erased", [&] { map.erase(it); }));
    REQUIRE(dies_saying("or it is the end", [&] { map.erase(map.end()); }));
    DenseSlotMap<int> dense;
    dense.insert(1);
    REQUIRE(dies_saying("DenseSlotMap::erase(it)", [&] { dense.erase(dense.end()); }));
    REQUIRE(dies_saying("DenseSlotMap::index_of", [&] { static_cast<void>(dense.index_of({})); }));
    REQUIRE(dies_saying("row is not below size()", [&] { static_cast<void>(dense.handle_of_row(1)); }));
}

TEMPLATE_TEST_CASE("maps are equal when the same handles name equal values", "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> a, b;
    put(a, 1);
    const auto second = put(a, 2);
    put(b, 1);
    CHECK(a != b); // one is missing
    put(b, 3);
    CHECK(a != b); // the same handles, another value
    b.erase(second);
    put(b, 2);
    CHECK(a != b); // the same value under another handle
    auto copy = a;
    copy.reserve(1000);
    CHECK(a == copy);
}

TEMPLATE_TEST_CASE("iterators are equal when they are at the same element", "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    put(map, 1);
    put(map, 2);
    auto it = map.begin();
    const auto first = it++;
    CHECK(it != first);
    CHECK(first == map.begin());
    CHECK(++it == map.end());
}

TEMPLATE_TEST_CASE("insert_at makes slots up to eight a live element when these are more than 65536", "[slot_map]", test::Paged,
                   test::Reserved, test::Dense) {
    typename TestType::template map<char> map;
    using handle_type = typename decltype(map)::handle_type;
    map.reserve(10'000);
    for (int i = 0; i != 9'999; ++i) map.insert('a');
    const std::size_t capacity = map.capacity();
    constexpr slot_t slots = 80'000;
    REQUIRE(slots > capacity);
    CHECK(map.insert_at(handle_type(slots, 1), 'a') == nullptr);
    CHECK(map.capacity() == capacity);
    REQUIRE(map.insert_at(handle_type(slots - 1, 1), 'b') != nullptr);
    CHECK(map.size() == 10'000);
    CHECK(map.check_invariants());
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEMPLATE_TEST_CASE("a map is empty when an observer refuses the new contents of an assignment", "[slot_map][throws]",
                   test::Paged, test::Reserved, test::Dense) {
    struct Refuses final : SlotObserver {
        int balance = 0;
        slot_t refused = no_slot;
        void on_insert(slot_t slot, InsertKind) override {
            if (slot == refused) throw 1;
            ++balance;
        }
        void on_erase(slot_t) noexcept override { --balance; }
    } observer;
    test::NothingLeaks objects;
    typename TestType::template map<test::Tracked> map, other;
    put(map, 1);
    for (int i = 0; i != 3; ++i) put(other, i);
    const auto token = map.attach(observer);
    observer.refused = 2;
    CHECK_THROWS_AS(map = other, int);
    CHECK(map.empty());
    CHECK(other.size() == 3);
    CHECK(observer.balance == 0);
    CHECK(token.attached());
    CHECK(map.check_invariants());
    observer.refused = no_slot;
    put(map, 5);
    CHECK(observer.balance == 1);
}

TEMPLATE_TEST_CASE("room that an observer has refused can be asked for again", "[slot_map][throws]", test::Paged,
                   test::Reserved, test::Dense) {
    struct Refuses final : SlotObserver {
        bool refuse = true;
        slot_t slots = 0;
        void on_capacity(slot_t, slot_t new_slots) override {
            if (refuse) throw 1;
            slots = new_slots;
        }
    } observer;
    typename TestType::template map<int> map;
    const auto token = map.attach(observer);
    CHECK_THROWS_AS(map.reserve(100), int);
    CHECK(map.capacity() == 0);
    observer.refuse = false;
    map.reserve(100);
    CHECK(map.capacity() >= 100);
    CHECK(observer.slots == map.capacity());
    CHECK(map.check_invariants());
}
#endif

TEST_CASE("columns and static observers are reached by type where it occurs once, and by number") {
    SlotMap<int, Column<float>, Column<double>> map;
    const auto slot = map.insert(3).index();
    map.column<float>()[slot] = 2;
    map.observer<ValueArray<double>>()[slot] = 5;
    const auto& seen = map;
    CHECK((seen.column<0>()[slot] == 2 && seen.column<double>()[slot] == 5));
    CHECK(&seen.observer<ValueArray<float>>() == &seen.observer<0>());
}

TEMPLATE_TEST_CASE("an observer that changes the map which is telling it stops with a message, whatever it calls",
                   "[slot_map][death]", ALL_STORAGES) {
    using Map = typename TestType::template map<int>;
    const auto stops = [](auto change) {
        return dies_saying("an observer changes the container", [&] {
            Map map;
            const auto first = put(map, 1), later = map.reserve_handle(), gone = put(map, 3);
            map.erase(gone);
            const auto bytes = map.snapshot();
            Meddler meddler;
            const auto token = map.attach(meddler);
            meddler.act = [&] { change(map, first, later, gone, bytes); };
            put(map, 4);
        });
    };
    CHECK(stops([](Map& map, auto...) { put_in_place(map, 5); }));
    CHECK(stops([](Map& map, auto...) { put_with(map, 5, [](auto) {}); }));
    CHECK(stops([](Map& map, auto...) { map.reserve_handle(); }));
    CHECK(stops([](Map& map, auto, auto later, auto...) { fulfill(map, later, 5); }));
    CHECK(stops([](Map& map, auto, auto, auto gone, auto...) { put_at(map, gone, 5); }));
    CHECK(stops([](Map& map, auto first, auto...) { map.erase(first); }));
    CHECK(stops([](Map& map, auto...) { map.clear(); }));
    CHECK(stops([](Map& map, auto...) { map.shrink_to_fit(); }));
    CHECK(stops([](Map& map, auto, auto, auto, const auto& bytes) { map.restore(bytes); }));
}

TEMPLATE_TEST_CASE("clear called by a destructor during clear removes what was inserted meanwhile at once", "[slot_map]",
                   test::Paged, test::Reserved, test::Dense) {
    NothingLeaks objects;
    using Map = typename TestType::template map<CallsOnDestroy>;
    typename Map::handle_type first, last;
    int cleared = 0;
    Map map;
    for (int i = 0; i != 70; ++i)
        map.insert(CallsOnDestroy(i, [&] {
            first = map.insert(CallsOnDestroy(100)), last = map.insert(CallsOnDestroy(101));
            map.clear();
            cleared += !map.contains(first) && !map.contains(last) && map.empty();
        }));
    map.clear();
    CHECK(cleared == 70);
    CHECK(map.empty());
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("swap(a, b) exchanges slot maps as a.swap(b) does", "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int> a, b;
    const auto one = put(a, 1);
    const auto two = put(b, 2), three = put(b, 3);
    swap(a, b);
    CHECK(a.size() == 2);
    CHECK(number_of(a, two) == 2);
    CHECK(number_of(a, three) == 3);
    CHECK(b.size() == 1);
    CHECK(number_of(b, one) == 1);
}

TEMPLATE_TEST_CASE("reserve(max_size()) is not too much", "[slot_map]", ALL_STORAGES) {
    typename TestType::template map<int, SlotMapOptions{.handle = {.index_bits = 8, .version_bits = 8}}> map;
    map.reserve(map.max_size());
    CHECK(map.capacity() == map.max_size());
    CHECK_THROWS_AS(map.reserve(map.max_size() + 1), std::length_error);
}

TEMPLATE_TEST_CASE("end() names no slot", "[slot_map]", test::Paged, test::Reserved) {
    typename TestType::template map<int> map;
    CHECK(map.end().slot() == no_slot);
    map.insert(1);
    CHECK(map.end().slot() == no_slot);
    CHECK(std::next(map.begin()).slot() == no_slot);
}

TEST_CASE("erase_if asks once for each element, also when destructors erase others meanwhile", "[slot_map]") {
    NothingLeaks objects;
    using Map = DenseSlotMap<CallsOnDestroy>;
    std::vector<Map::handle_type> handles;
    std::map<int, int> asked;
    Map map;
    for (int i = 0; i != 40; ++i)
        handles.push_back(map.insert(CallsOnDestroy(i, [&, i] {
            if (i >= 20) map.erase(handles[static_cast<std::size_t>(i - 20)]);
        })));
    map.erase_if([&](const CallsOnDestroy& value) {
        ++asked[value.value()];
        return value.value() % 2 == 1;
    });
    for (const auto& [value, times] : asked) {
        CAPTURE(value);
        CHECK(times == 1);
    }
    CHECK(map.size() == 20);
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("erase from packed storage keeps every other value when moves may throw", "[slot_map]", test::Dense,
                   test::Soa) {
    NothingLeaks objects;
    typename TestType::template map<Throwing> map;
    std::vector<typename decltype(map)::handle_type> handles;
    for (int i = 0; i != 10; ++i) handles.push_back(put(map, i));
    CHECK(map.erase(handles[3]));
    CHECK(map.extract(handles[0]).has_value());
    CHECK(map.erase(handles[9]));
    for (const int i : {1, 2, 4, 5, 6, 7, 8}) CHECK(number_of(map, handles[static_cast<std::size_t>(i)]) == i);
    CHECK(map.size() == 7);
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("a trivial static observer is notified of each insert and each erase", "[slot_map]",
                   (SlotMap<int, QuietCounter>), (DenseSlotMap<int, QuietCounter>)) {
    TestType map;
    const auto a = map.insert(1), b = map.insert(2);
    map.insert(3);
    CHECK(map.template observer<0>().inserts == 3);
    CHECK(map.template observer<0>().erases == 0);
    map.erase(a);
    CHECK(map.extract(b).has_value());
    CHECK(map.template observer<0>().erases == 2);
}

TEMPLATE_TEST_CASE("insert_at goes up to slot 65,535 from an empty map and not beyond", "[slot_map]", test::Paged,
                   test::Dense) {
    typename TestType::template map<int> map;
    using Handle = typename decltype(map)::handle_type;
    CHECK(map.insert_at(Handle(65536, 1), 1) == nullptr);
    CHECK(map.capacity() == 0);
    REQUIRE(map.insert_at(Handle(65535, 1), 2) != nullptr);
    CHECK(map[Handle(65535, 1)] == 2);
}
