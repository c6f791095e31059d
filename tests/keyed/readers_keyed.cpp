// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every const member of keyed storage and its views, read by eight threads at once.
#include "scene.hpp"
#include "support/readers.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_view.hpp>

namespace {

using namespace test;

constexpr KeySetOptions deferring{.deferred_erase = true};
using Set = SetStorage<int, HashBy<NumberHash>, Options<deferring>, Column<int>>;
using Map = MapStorage<int, int, HashBy<NumberHash>, Options<deferring>, Column<int>>;

template <class C>
std::vector<typename C::handle_type> filled(C& c) {
    std::vector<typename C::handle_type> handles;
    for (int n = 0; n != 300; ++n) handles.push_back(c.handle_at(enter(c, n).it.slot()));
    for (int n = 0; n < 300; n += 3) leave(c, n);
    for (const slot_t slot : c.slots()) c.template observer<0>()[slot] = static_cast<int>(slot);
    return handles;
}

/// What sets and maps have.
template <class C>
void read_set(const C& c, const std::vector<typename C::handle_type>& handles, Sum& sum) {
    sum += c.size();
    sum += c.empty();
    sum += c.capacity();
    sum += c.retired();
    sum += c.pending();
    sum += c.check_invariants();
    sum += c.get_allocator() == typename C::allocator_type();
    sum += c.hash_function()(5);
    sum += c.key_eq()(5, 5);
    sum += c.occupancy().count();
    for (int n = 0; n != 300; ++n) {
        const auto handle = handles[static_cast<std::size_t>(n)];
        sum += c.contains(n);
        sum += c.contains(handle);
        sum += c.find(n) != c.end();
        sum += c.slot_of(n);
        sum += c.slot_of_any(n);
        sum += c.handle_of(n).to_bits();
        sum += c.explain(handle);
        sum += c.state(handle.index());
        sum += c.key(handle);
        sum += c.key(handle.index());
    }
    c.for_each_pending([&](slot_t slot) { sum += slot; });
    for (const int key : c.keys()) sum += key;
    for (const slot_t slot : c.slots()) sum += c.handle_at(slot).version();
    c.for_each([&](const auto&... all) { ((sum += all), ...); });
    sum += c.template observer<0>()[1];
    for (const int value : c.template column<0>()) sum += value;
    sum += c.snapshot().size();
    const C copy(c);
    sum += copy == c;
}

/// What the views have.
template <class View>
void read_view(const View& view, Sum& sum) {
    sum += view.size();
    sum += view.empty();
    sum += view.occupancy().count();
    for (int n = 0; n != 300; ++n) {
        sum += view.contains(n);
        sum += view.find(n) != view.end();
        sum += view.slot_of(n);
    }
    for (const slot_t slot : view.slots()) {
        sum += view.key(slot);
        sum += view.state(slot);
    }
    for (const int key : view.keys()) sum += key;
    for (auto it = view.begin(); it != view.end(); ++it) sum += it.slot();
    view.for_each([&](const auto&... all) { ((sum += all), ...); });
}

} // namespace

TEST_CASE("eight readers: SetStorage and SetView", "[readers]") {
    Set set;
    const auto handles = filled(set);
    SetStorage<int, HashBy<NumberHash>, Options<deferring>> part;
    part.insert(1);
    eight_readers(set, [&](const Set& s, Sum& sum) {
        read_set(s, handles, sum);
        for (auto it = s.begin(); it != s.end(); ++it) sum += *it;
        for (auto it = s.cbegin(); it != s.cend(); ++it) sum += it.handle().to_bits();
        sum += s.includes(part);
        sum += s.size();
        read_view(SetView<int>(s), sum);
    });
}

TEST_CASE("eight readers: MapStorage and MapView", "[readers]") {
    Map map;
    const auto handles = filled(map);
    eight_readers(map, [&](const Map& m, Sum& sum) {
        read_set(m, handles, sum);
        for (int n = 1; n < 300; n += 3) {
            sum += m.at(n);
            sum += *m.get(n);
            sum += *m.get(m.handle_of(n));
            sum += m.value(m.slot_of(n));
        }
        for (auto it = m.begin(); it != m.end(); ++it) sum += it->value;
        for (auto it = m.cbegin(); it != m.cend(); ++it) sum += it->key;
        for (const auto [key, value] : m.items()) sum += key + value;
        for (const int value : m.values()) sum += value;
        sum += m.as_set().size();
        const MapView<int, int> view(m);
        read_view(view, sum);
        for (int n = 1; n < 300; n += 3) {
            sum += view.at(n);
            sum += *view.get(n);
            sum += view.value(view.slot_of(n));
        }
        for (const int value : view.values()) sum += value;
        read_view(view.as_set(), sum);
    });
}

TEST_CASE("eight readers: AnyMapStorage", "[readers]") {
    AnyMapStorage map(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    for (int n = 0; n != 300; ++n) map.insert_or_assign(&n, &n);
    eight_readers(map, [&](const AnyMapStorage& m, Sum& sum) {
        sum += m.size();
        sum += m.check_invariants();
        for (int n = 0; n != 300; ++n) {
            sum += m.contains(&n);
            sum += *static_cast<const int*>(m.get(&n));
            const slot_t slot = m.slot_of(&n);
            sum += *static_cast<const int*>(m.key(slot));
            sum += *static_cast<const int*>(m.value(slot));
        }
        m.for_each([&](const void* key, const void* value) {
            sum += *static_cast<const int*>(key) + *static_cast<const int*>(value);
        });
        sum += m.as_set().size();
        sum += m.value_type().size;
    });
}

TEST_CASE("different containers of one type may be written concurrently: nothing is shared between them", "[concurrent]") {
    std::atomic<int> right{0};
    std::vector<std::thread> writers;
    for (int writer = 0; writer != 8; ++writer)
        writers.emplace_back([&, writer] {
            Map map;
            for (int n = 0; n != 3000; ++n) map.try_emplace(n, n + writer);
            for (int n = 0; n < 3000; n += 2) map.erase(n);
            map.flush_removed();
            Map moved(std::move(map));
            bool good = moved.check_invariants() && moved.size() == 1500;
            for (int n = 1; n < 3000; n += 2) good = good && moved.at(n) == n + writer;
            right += good;
        });
    for (auto& writer : writers) writer.join();
    REQUIRE(right == 8);
}
