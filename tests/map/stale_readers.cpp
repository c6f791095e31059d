// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapOptions::atomic_versions: handles of elements that the writer erases meanwhile, looked up beside it.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/map/handle_pool.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace test;

namespace {

// Built by atomic writes, so that a reader may read it while the writer uses its place again. Two parts: they must agree.
struct Cell {
    std::uint64_t first, second;
    explicit Cell(std::uint64_t value) noexcept {
        std::atomic_ref(first).store(value, std::memory_order_release);
        std::atomic_ref(second).store(value, std::memory_order_release);
    }
    std::pair<std::uint64_t, std::uint64_t> read() const noexcept {
        return {std::atomic_ref(const_cast<std::uint64_t&>(first)).load(std::memory_order_acquire),
                std::atomic_ref(const_cast<std::uint64_t&>(second)).load(std::memory_order_acquire)};
    }
};
static_assert(std::is_trivially_copyable_v<Cell>);

/// Two threads look up the handles that round(number, publish) publishes, most of them stale by the time they are read, beside
/// at least `rounds` rounds, and until readers have found an element and missed one. check(container, handle, live) says whether
/// an answer was right, and sets whether it found an element.
template <class Container, class Check, class Round>
void look_up_beside(Container& container, std::size_t rounds, Check check, Round round) {
    using H = typename Container::handle_type;
    std::array<std::atomic<std::uint64_t>, 64> board{};
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, found{0}, missed{0};
    std::vector<std::thread> threads;
    for (int reader = 0; reader != 2; ++reader)
        threads.emplace_back([&] {
            while (!stop)
                for (auto& place : board) {
                    const auto handle = H::from_bits(static_cast<typename H::bits_type>(place.load(std::memory_order_acquire)));
                    for (int i = 0; i != 4; ++i) {
                        bool live = false;
                        if (!check(std::as_const(container), handle, live)) ++wrong;
                        ++(live ? found : missed);
                    }
                }
        });
    const auto publish = [&](std::size_t place, H handle) {
        board[place % board.size()].store(handle.to_bits(), std::memory_order_release);
    };
    for (std::size_t number = 0; number < rounds || found == 0 || missed == 0; ++number) {
        round(number, publish);
        std::this_thread::yield();
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    REQUIRE(wrong == 0);
    REQUIRE(container.check_invariants());
}

constexpr SlotMapOptions atomic_versions{.atomic_versions = true};
constexpr SlotMapOptions narrow{
    .handle = {.index_bits = 16, .version_bits = 16, .user_bits = 0}, .reuse = Reuse::lifo, .atomic_versions = true};

/// get() and contains() of one handle, any issued one. If it is live after the parts were read, they were of its element: its
/// bits, or 0.
template <class Map, class H>
bool answers_right(const Map& map, H handle, bool& live) {
    const bool before = map.contains(handle);
    const Cell* const cell = map.get(handle);
    if (cell == nullptr) return !before || !map.contains(handle); // what was erased stays stale
    const auto [first, second] = cell->read();
    live = map.contains(handle) && map.count(handle) == 1;
    return !live || ((first == handle.to_bits() || first == 0) && second == first);
}
/// The same of the handle that the slot gives next, which the reader makes up.
constexpr auto answers_both = []<class H>(const auto& map, H handle, bool& live) {
    bool next = false;
    return answers_right(map, handle, live) && answers_right(map, H(handle.index(), handle.version() + 2), next);
};

} // namespace

TEMPLATE_TEST_CASE("with atomic_versions stale handles are looked up beside the writer that erases and reuses their slots",
                   "[readers][promises]", Paged, Reserved) {
    const auto run = []<class Map>(std::type_identity<Map>) {
        Map map;
        map.reserve(256);
        look_up_beside(map, 200, answers_both, [&](std::size_t round, auto publish) {
            std::vector<typename Map::handle_type> handles;
            for (std::size_t i = 0; i != 64; ++i) {
                handles.push_back(i % 2 == 0 ? map.emplace(std::uint64_t{0}) : map.reserve_handle());
                publish(i, handles[i]); // every second one before there is an element
                if (i % 16 == 3)
                    map.cancel(handles[i]);
                else if (i % 2 != 0)
                    map.fulfill(handles[i], handles[i].to_bits());
            }
            std::this_thread::yield();
            for (std::size_t i = 0; i < 64; i += 5) map.erase(handles[i]);
            if (round % 3 == 0) static_cast<void>(map.extract(handles[1]));
            if (round % 16 == 5)
                map.clear();
            else
                map.erase_if([&](const Cell&) { return true; });
        });
    };
    run(std::type_identity<typename TestType::template map<Cell, atomic_versions>>());
    run(std::type_identity<typename TestType::template map<Cell, narrow>>());
    run(std::type_identity<typename TestType::template map<Cell, atomic_versions, std::allocator<Cell>, Column<int>>>());
}

// The memory of a std::string that is being destroyed is not read; whether it is there may be asked. `kept` is never erased, nor
// is `late`, which is there as a whole when it is found.
TEMPLATE_TEST_CASE("with atomic_versions elements with a destructor are asked for beside their erase", "[readers][promises]",
                   Paged, Reserved) {
    typename TestType::template map<std::string, atomic_versions> map;
    map.reserve(128);
    const std::string text = "an element that the writer leaves alone";
    const auto kept = map.insert(text), late = map.reserve_handle();
    look_up_beside(
        map, 300,
        [&text, kept, late](const auto& m, auto handle, bool& live) {
            const bool before = m.contains(handle);
            live = m.get(handle) != nullptr;
            const std::string* const came = m.get(late);
            return (before || !live || m.count(handle) < 2) && m.at(kept) == text && (came == nullptr || *came == text);
        },
        [&](std::size_t round, auto publish) {
            const auto one = map.insert("one"), two = map.insert("two");
            publish(round, one);
            publish(round + 1, two);
            map.erase(round % 2 == 0 ? one : two);
            publish(round + 2, map.insert("three"));
            std::this_thread::yield();
            if (round == 40) map.fulfill(late, text);
            map.erase_if([&](auto handle, const std::string&) { return handle != kept && handle != late; });
        });
}

TEST_CASE("with atomic_versions the handles of a HandlePool are looked up beside the writer that erases them",
          "[readers][promises]") {
    HandlePool<Cell, Options<atomic_versions>> pool;
    pool.reserve(64);
    look_up_beside(
        pool, 1000,
        [](const auto& p, auto handle, bool& live) {
            live = p.contains(handle);
            return live || !p.contains(handle); // no element comes under a handle that was missed
        },
        [&](std::size_t round, auto publish) {
            const auto one = pool.create(), two = pool.create();
            publish(round, one);
            publish(round + 1, two);
            std::this_thread::yield();
            pool.erase(one);
            if (round % 16 == 0) pool.clear();
            pool.erase(two);
        });
}

#if SLOTWISE_VIRTUAL_MEMORY
TEST_CASE("with atomic_versions and Growth::reserve stale handles are looked up also while the map grows",
          "[readers][promises]") {
    constexpr SlotMapOptions growing{.growth = Growth::reserve, .max_slots = 100'000, .atomic_versions = true};
    SlotMap<Cell, Options<growing>> map;
    map.reserve(1); // the first growth sets the address
    std::size_t steps = 0;
    look_up_beside(map, 60, answers_right<decltype(map), decltype(map)::handle_type>, [&](std::size_t, auto publish) {
        const auto capacity = map.capacity();
        for (std::size_t i = 0; i != 1000; ++i) {
            const auto handle = map.emplace(std::uint64_t{0});
            publish(i, handle);
            if (i % 4 == 1) map.erase(handle);
        }
        steps += map.capacity() != capacity;
        if (map.size() > 50'000) map.clear();
    });
    REQUIRE(steps >= 4);
}
#endif

TEST_CASE("atomic_versions changes no answer", "[model]") {
    const auto run = []<SlotMapOptions O>() {
        SlotMap<int, Options<O>> map;
        std::vector<std::uint64_t> log;
        std::vector<typename decltype(map)::handle_type> handles;
        std::uint32_t random = 1;
        for (int i = 0; i != 20'000; ++i) {
            random = random * 1664525u + 1013904223u;
            const auto any = handles.empty() ? typename decltype(map)::handle_type() : handles[(random >> 8) % handles.size()];
            switch (random >> 28) {
            default:
                handles.push_back(map.try_insert(i));
                break;
            case 0:
            case 1:
            case 2:
                log.push_back(map.erase(any));
                break;
            case 3:
                handles.push_back(map.full() ? any : map.reserve_handle());
                break;
            case 4:
                log.push_back(map.cancel(any) ? 2u : map.fulfill(any, i) != nullptr);
                break;
            case 5:
                log.push_back(map.insert_at(any, i) != nullptr);
                break;
            case 6:
                if (random % 64 == 0) map.clear();
                if (random % 64 == 1) map.shrink_to_fit();
                if (random % 64 == 2) map = decltype(map)(map);
                break;
            case 7:
                if (random % 32 == 0) {
                    const auto bytes = map.snapshot();
                    for (const auto byte : bytes) log.push_back(std::to_integer<unsigned>(byte));
                    map.restore(bytes);
                }
                if (random % 32 == 1) log.push_back(map.recycle_retired());
                break;
            }
            if (!handles.empty()) log.push_back(handles.back().to_bits());
            log.push_back(map.contains(any) + 2u * static_cast<unsigned>(map.explain(any)));
        }
        REQUIRE(map.check_invariants());
        return log;
    };
    constexpr HandleLayout brief{.index_bits = 8, .version_bits = 4, .user_bits = 4};
    constexpr SlotMapOptions plain{.handle = brief},
        list{.handle = brief, .reuse = Reuse::fifo, .exhaustion = Exhaustion::wrap};
    constexpr SlotMapOptions plain_atomic{.handle = brief, .atomic_versions = true};
    constexpr SlotMapOptions list_atomic{
        .handle = brief, .reuse = Reuse::fifo, .exhaustion = Exhaustion::wrap, .atomic_versions = true};
    REQUIRE(run.operator()<plain>() == run.operator()<plain_atomic>());
    REQUIRE(run.operator()<list>() == run.operator()<list_atomic>());
}
