// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Const members of keyed containers run concurrently, as long as hash and equality may.
#include "scene.hpp"

#include <atomic>
#include <thread>

using namespace test;

namespace {

template <class C>
struct Filled {
    C c{};
    std::vector<typename C::handle_type> handles{};
    Filled() {
        for (int n = 0; n != 3000; ++n) handles.push_back(c.handle_at(enter(c, n).it.slot()));
        for (int n = 0; n < 3000; n += 3) leave(c, n); // pending where that is possible
    }
};

/// Everything const; true when every answer is right.
template <class C>
bool read_all(const C& c, const std::vector<typename C::handle_type>& handles, int reader) {
    bool right = c.size() == 2000 && !c.empty() && c.check_invariants() && c.capacity() >= 3000 && c.retired() == 0;
    right = right && c.pending() == (C::options.deferred_erase ? 1000u : 0u);
    for (int i = 0; i != 3000; ++i) {
        const int n = (i + 371 * reader) % 3000;
        const auto handle = handles[static_cast<std::size_t>(n)];
        const bool there = n % 3 != 0;
        const typename C::key_type key(n);
        right = right && c.contains(key) == there && c.contains(handle) == there && (c.find(key) != c.end()) == there;
        right = right && (c.slot_of(key) != no_slot) == there && c.handle_of(key).is_null() != there;
        right = right && (c.slot_of_any(key) != no_slot) == (there || C::options.deferred_erase);
        right = right && (c.explain(handle) == HandleStatus::live) == there && (c.key(handle) != nullptr) == there;
        right = right && (c.state(handle.index()) == SlotState::live) == there;
        if constexpr (is_keyed_map<C>)
            right = right && (c.get(key) != nullptr) == there && (!there || number(c.at(key)) == 10 * n);
    }
    std::size_t walked = 0, listed = 0, viewed = 0;
    for (auto it = c.begin(); it != c.end(); ++it) ++walked;
    c.for_each([&](const auto&...) { ++listed; });
    for (const auto& key : c.keys()) viewed += static_cast<std::size_t>(number(key) % 3 != 0);
    right = right && walked == 2000 && listed == 2000 && viewed == 2000;
    const C copy(c);
    return right && copy == c && copy.snapshot(NumberCodec{}) == c.snapshot(NumberCodec{}) && pending_of(copy) == pending_of(c);
}

} // namespace

// proves: table const members / exceptions
TEMPLATE_TEST_CASE(
    "const members may run concurrently: eight readers get the right answers", "[concurrent]",
    (SetStorage<int, NumberHash, EqualTo, at_once>), (SetStorage<int, NumberHash, EqualTo, deferred>),
    (MapStorage<int, int, NumberHash, EqualTo, at_once>), (MapStorage<int, int, NumberHash, EqualTo, deferred>),
    (MapStorage<int, int, NumberHash, EqualTo, deferred, std::allocator<int>, PortableHashIndex, ValueArray<int>>)) {
    const Filled<TestType> filled;
    std::atomic<int> right{0}, waiting{8};
    std::vector<std::thread> readers;
    for (int reader = 0; reader != 8; ++reader)
        readers.emplace_back([&, reader] {
            --waiting;
            while (waiting != 0) std::this_thread::yield(); // all at once
            right += read_all(filled.c, filled.handles, reader);
        });
    for (auto& reader : readers) reader.join();
    REQUIRE(right == 8);
    REQUIRE(filled.c.check_invariants());
}

TEST_CASE("different containers of one type may be written concurrently: nothing is shared between them", "[concurrent]") {
    using Map = MapStorage<int, int, NumberHash, EqualTo, deferred, std::allocator<int>, HashIndex, ValueArray<int>>;
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
