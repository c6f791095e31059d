// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every const member of the slot maps and of what follows them, read by eight threads at once.
#include "support/readers.hpp"
#include "support/maps.hpp"

#include <slotwise/core/public_id.hpp>
#include <slotwise/core/versioned.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/slots/column_view.hpp>
#include <slotwise/slots/value_array.hpp>

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace test;

template <class Map>
std::vector<typename Map::handle_type> filled(Map& map) {
    std::vector<typename Map::handle_type> handles;
    for (int i = 0; i != 300; ++i) handles.push_back(put(map, i));
    for (std::size_t i = 0; i < handles.size(); i += 3) map.erase(handles[i]);
    return handles;
}

void read_occupancy(const Occupancy& live, Sum& sum) {
    sum += live.size();
    sum += live.count();
    sum += live.all();
    sum += live.none();
    sum += live.empty();
    sum += live.test(1);
    sum += live.find_next(2);
    sum += live.word(0);
    for (const auto word : live.words()) sum += word;
    live.for_each([&](slot_t slot) { sum += slot; });
    sum += live.part(64, 64).count();
}

/// What all three have.
template <class Map>
void read_core(const Map& map, const std::vector<typename Map::handle_type>& handles, Sum& sum) {
    sum += map.size();
    sum += map.empty();
    sum += map.capacity();
    sum += map.retired();
    sum += map.check_invariants();
    sum += map.get_allocator() == typename Map::allocator_type();
    for (const auto handle : handles) {
        sum += map.contains(handle);
        sum += map.explain(handle);
        sum += map.state(handle.index());
        sum += static_cast<bool>(map.get(handle));
        if (!map.contains(handle)) continue;
        sum += test::detail::number_at(map.at(handle));
        sum += test::detail::number_at(map[handle]);
    }
    const auto [first, second] = map.get_many(handles[0], handles[1]);
    sum += static_cast<bool>(first);
    sum += static_cast<bool>(second);
    for (const auto handle : map.handles()) sum += handle.to_bits();
    const auto slots = map.slots();
    sum += slots.empty();
    for (auto slot = slots.begin(); slot != slots.end(); ++slot) sum += *slot;
    for (auto&& [handle, value] : map.items()) {
        sum += handle.index();
        sum += test::detail::number_at(value);
    }
    for (auto it = map.begin(); it != map.end(); ++it) sum += test::detail::number_at(*it);
    for (auto it = map.cbegin(); it != map.cend(); ++it) sum += test::detail::number_at(*it);
    read_occupancy(map.occupancy(), sum);
    sum += map.snapshot(NumberCodec{}).size();
    const Map copy(map);
    sum += copy == map;
}

template <class View>
void read_column(const View& view, Sum& sum) {
    for (auto it = view.begin(); it != view.end(); ++it) sum += *it;
    view.for_each([&](slot_t slot, const auto& value) {
        sum += slot;
        sum += value;
    });
    for (const auto& chunk : view.chunks()) sum += chunk.values.size();
    for (const slot_t slot : view.slots()) {
        sum += view.contains(slot);
        sum += view[slot];
    }
    sum += view.slot_end();
    sum += view.occupancy().count();
}

} // namespace

TEMPLATE_TEST_CASE("eight readers: SlotMap", "[readers]", test::Paged, test::Reserved) {
    using Map = typename TestType::template map<int, SlotMapOptions{}, std::allocator<int>, ValueArray<int>>;
    Map map;
    const auto handles = filled(map);
    for (const slot_t slot : map.slots()) map.template observer<0>()[slot] = static_cast<int>(slot);
    eight_readers(map, [&](const Map& m, Sum& sum) {
        read_core(m, handles, sum);
        m.for_each([&](const int& value) { sum += value; });
        for (const auto& chunk : m.chunks()) sum += chunk.values.size();
        sum += m.handle_of(m.begin()).to_bits();
        sum += m.template observer<0>()[1];
        read_column(m.values(), sum);
        read_column(m.template column<0>(), sum);
        sum += m.values().get(handles[1]);
    });
}

// Three threads look `kept` up, whose values are the even numbers, while write() runs.
template <class Map, class Handles, class Write>
void look_up_beside(Map& map, const Handles& kept, Write write) {
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, waiting{4};
    std::vector<std::thread> threads;
    for (int reader = 0; reader != 3; ++reader)
        threads.emplace_back([&] {
            --waiting;
            do {
                for (std::size_t i = 0; i != kept.size(); ++i) {
                    const std::string* const found = std::as_const(map).get(kept[i]);
                    const bool right = found != nullptr && *found == std::to_string(2 * i) && map.contains(kept[i]) &&
                                       &map[kept[i]] == found && &map.at(kept[i]) == found && map.count(kept[i]) == 1;
                    wrong += !right;
                }
            } while (!stop);
        });
    --waiting;
    while (waiting != 0) std::this_thread::yield();
    write();
    stop = true;
    for (auto& thread : threads) thread.join();
    REQUIRE(wrong == 0);
}

// After reserve(n) a lookup reads its own slot's version and value, and what only growth writes.
TEMPLATE_TEST_CASE("a SlotMap is looked up beside one writer that stays within reserve(n) and off those elements",
                   "[readers][promises]", test::Paged, test::Reserved) {
    const auto run = []<class Map>(std::type_identity<Map>) {
        Map map;
        map.reserve(2000);
        std::vector<typename Map::handle_type> kept, others;
        for (int i = 0; i != 1000; ++i) {
            const auto handle = map.insert(std::to_string(i));
            (i % 2 == 0 ? kept : others).push_back(handle); // neighbours in each word and line
        }
        look_up_beside(map, kept, [&] {
            for (int round = 0; round != 5; ++round) {
                for (auto& handle : others) map.erase(std::exchange(handle, {}));
                for (auto& handle : others) handle = map.insert("other");
                std::vector<typename Map::handle_type> more;
                while (map.size() != 2000) more.push_back(map.emplace("more"));
                for (const auto handle : more) map.erase(handle);
            }
        });
        REQUIRE(map.check_invariants());
    };
    run(std::type_identity<typename TestType::template map<std::string>>());
    constexpr SlotMapOptions narrow{.handle = {.index_bits = 16, .version_bits = 16, .user_bits = 0}};
    run(std::type_identity<typename TestType::template map<std::string, narrow>>());
}

#if SLOTWISE_VIRTUAL_MEMORY
// As above through growth: versions and values lie in reserved address space, and only the count of versions is written.
TEST_CASE("a SlotMap of Growth::reserve is looked up beside one writer that lets it grow", "[readers][promises]") {
    const auto run = []<class Map>(std::type_identity<Map>, std::size_t most) {
        Map map;
        std::vector<typename Map::handle_type> kept, others;
        for (int i = 0; i != 1000; ++i) (i % 2 == 0 ? kept : others).push_back(map.insert(std::to_string(i)));
        const auto* const words = map.occupancy().words().data();
        int steps = 0;
        look_up_beside(map, kept, [&] {
            while (map.size() < most) {
                const auto capacity = map.capacity();
                for (auto& handle : others) map.erase(std::exchange(handle, {}));
                for (auto& handle : others) handle = map.insert("other");
                for (int i = 0; i != 1000; ++i) map.emplace("more");
                steps += map.capacity() != capacity;
            }
        });
        REQUIRE(steps >= 4);
        REQUIRE(map.occupancy().words().data() != words); // the bookkeeping itself was replaced meanwhile
        REQUIRE(map.check_invariants());
    };
    run(std::type_identity<test::Reserved::map<std::string>>(), 60'000);
    constexpr SlotMapOptions narrow{.handle = {.index_bits = 16, .version_bits = 16, .user_bits = 0}};
    run(std::type_identity<test::Reserved::map<std::string, narrow>>(), 60'000);
}
#endif

TEST_CASE("eight readers: DenseSlotMap", "[readers]") {
    using Map = DenseSlotMap<int>;
    Map map;
    const auto handles = filled(map);
    eight_readers(map, [&](const Map& m, Sum& sum) {
        read_core(m, handles, sum);
        m.for_each([&](const int& value) { sum += value; });
        for (const int value : m.values()) sum += value;
        sum += m.index_of(handles[1]);
        sum += m.handle_of_row(5).to_bits();
        sum += m.handle_of(m.begin() + 3).to_bits();
    });
}

TEST_CASE("eight readers: SoaSlotMap", "[readers]") {
    using Map = SoaSlotMap<int, int>;
    Map map;
    const auto handles = filled(map);
    eight_readers(map, [&](const Map& m, Sum& sum) {
        read_core(m, handles, sum);
        m.for_each([&](const int& a, const int& b) { sum += a + b; });
        for (const int value : m.column<0>()) sum += value;
        for (const auto row : m.rows()) sum += row.get<1>();
        sum += m.index_of(handles[1]);
        sum += m.handle_of_row(5).to_bits();
        const auto pointer = m.get(handles[1]);
        sum += (*pointer).get<0>();
        sum += pointer->get<1>();
        sum += std::get<0>(pointer.members());
    });
}

TEST_CASE("eight readers: SecondaryMap, SparseSecondaryMap, IdentityMap", "[readers]") {
    using Map = SlotMap<int>;
    using Handle = Map::handle_type;
    Map map;
    const auto handles = filled(map);
    SecondaryMap<Handle, int> values;
    SparseSecondaryMap<Handle, int> few;
    IdentityMap<PublicId, Handle> ids;
    for (const auto handle : handles) {
        if (!map.contains(handle)) continue;
        values.insert(handle, static_cast<int>(handle.index()));
        few.insert(handle, static_cast<int>(handle.index()));
        ids.insert(PublicId{0, handle.index() + 1u}, handle);
    }
    const auto read = [&]<class C>(const C& c, Sum& sum) {
        sum += c.size();
        sum += c.empty();
        sum += c.check_invariants();
        sum += c.get_allocator() == typename C::allocator_type();
        for (const auto handle : handles) sum += c.contains(handle);
    };
    const auto read_values = [&](const auto& c, Sum& sum) {
        read(c, sum);
        for (const auto handle : handles) sum += c.get(handle);
        sum += c.at(handles[1]);
        sum += c[handles[2]];
        c.for_each([&](Handle handle, const int& value) {
            sum += handle.index();
            sum += value;
        });
    };
    eight_readers(values, [&](const auto& c, Sum& sum) {
        read_values(c, sum);
        for (auto it = c.begin(); it != c.end(); ++it) sum += (*it).value;
    });
    eight_readers(few, [&](const auto& c, Sum& sum) {
        read_values(c, sum);
        for (const int value : c.values()) sum += value;
        for (const Handle handle : c.handles()) sum += handle.to_bits();
    });
    eight_readers(ids, [&](const auto& c, Sum& sum) {
        read(c, sum);
        c.for_each([&](const PublicId& id, Handle handle) {
            sum += id.is_nil();
            sum += std::string_view(id.to_text()).size();
            sum += c.handle_of(id) == handle;
            sum += c.id_of(handle);
        });
    });
}

TEST_CASE("eight readers: Versioned", "[readers]") {
    Versioned<int> value(5);
    value.set(6);
    const auto mark = value.mark();
    eight_readers(value, [&](const auto& v, Sum& sum) {
        sum += v.get();
        sum += *v;
        sum += v.operator->();
        sum += v.changed_since(mark);
    });
}
