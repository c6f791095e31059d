// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/sweep.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/event_queue.hpp>

#include <deque>
#include <memory>
#include <memory_resource>
#include <random>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using Queue = EventQueue<int>;
using Ints = std::vector<int>;

template <class Events>
Ints list(const Events& events) {
    Ints result;
    for (const auto& event : events)
        if constexpr (requires { event.value(); })
            result.push_back(event.value());
        else
            result.push_back(event);
    CHECK(result.size() == events.size());
    return result;
}

/// Pushes an event when it dies.
struct LastWords {
    explicit LastWords(int of, EventQueue<LastWords>* to = nullptr) : value_(of), queue(to) {}
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;
    ~LastWords() {
        if (queue != nullptr) queue->emplace(value_ + 100);
    }
    int value() const { return value_; }
    int value_;
    EventQueue<LastWords>* queue;
};

} // namespace

TEST_CASE("EventQueue: each reader sees each event once, in the order of pushes", "[ecs]") {
    Queue queue;
    auto early = queue.reader();
    queue.push(1);
    queue.push(2);
    auto late = queue.reader();
    CHECK(early.unread(queue) == 2);
    CHECK(list(early.read(queue)) == Ints{1, 2});
    CHECK(early.read(queue).empty());
    queue.update();
    queue.push(3);
    CHECK(list(early.read(queue)) == Ints{3});
    CHECK(list(late.read(queue)) == Ints{1, 2, 3}); // over both buffers
    CHECK(late.unread(queue) == 0);
    CHECK(early.missed() + late.missed() == 0);
    CHECK(queue.size() == 3);
    CHECK(queue.pushed() == 3);
}

TEST_CASE("EventQueue: an event can be read until the second update after its push", "[ecs]") {
    Queue queue;
    queue.push(1);
    queue.update();
    queue.push(2);
    CHECK(list(queue.reader().read(queue)) == Ints{1, 2});
    queue.update();
    CHECK(list(queue.reader().read(queue)) == Ints{2});
    queue.update();
    CHECK(queue.empty());
    CHECK(queue.pushed() == 2);
}

TEST_CASE("EventQueue: a reader counts the events that were dropped before it has read them", "[ecs]") {
    Queue queue;
    auto reader = queue.reader();
    for (int i = 0; i != 5; ++i) {
        queue.push(i);
        queue.push(i + 10);
        queue.update();
    }
    CHECK(list(reader.read(queue)) == Ints{4, 14});
    CHECK(reader.missed() == 8);
    CHECK(queue.reader().missed() == 0);
    Queue::Reader from_the_start;
    CHECK(from_the_start.unread(queue) == 2);
    CHECK(from_the_start.missed() == 0); // unread() only looks
    CHECK(*from_the_start.next(queue) == 4);
    CHECK(from_the_start.missed() == 8);
    queue.clear();
    CHECK(from_the_start.next(queue) == nullptr);
    CHECK(from_the_start.missed() == 9);
}

TEST_CASE("EventQueue: next reads one event, and skip passes over all without missing them", "[ecs]") {
    Queue queue;
    auto reader = queue.reader(), other = queue.reader();
    queue.append(Ints{1, 2, 3});
    CHECK(*reader.next(queue) == 1);
    CHECK(list(reader.read(queue)) == Ints{2, 3});
    CHECK(reader.next(queue) == nullptr);
    other.skip(queue);
    CHECK(other.unread(queue) == 0);
    CHECK(other.missed() == 0);
    queue.push(4);
    CHECK(list(other.read(queue)) == Ints{4});
}

TEST_CASE("EventQueue: events that are pushed while others are read are read next, and nothing moves", "[ecs]") {
    EventQueue<std::string> queue;
    auto reader = queue.reader();
    for (int i = 0; i != 100; ++i) queue.push(std::to_string(i));
    int read = 0;
    for (const std::string& event : reader.read(queue)) {
        const std::string* const address = &event;
        for (int i = 0; i != 50; ++i) queue.push("answer to " + event); // many pages
        CHECK(address == &event);
        CHECK(event == std::to_string(read++));
    }
    CHECK(read == 100);
    const auto answers = reader.read(queue);
    CHECK(answers.size() == 5000);
    CHECK(*answers.begin() == "answer to 0");
}

TEST_CASE("EventQueue: events of a range outlive one update if they were not dropped by it", "[ecs]") {
    Queue queue;
    auto reader = queue.reader();
    queue.append(Ints{1, 2, 3});
    Ints seen;
    for (const int event : reader.read(queue)) {
        if (event == 1) queue.update();
        seen.push_back(event);
    }
    CHECK(seen == Ints{1, 2, 3});
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("EventQueue: reading a dropped event, and a reader of another queue, are refused in words", "[ecs]") {
    CHECK(dies_saying("EventQueue: the event was dropped", [] {
        Queue queue;
        queue.append(Ints{1, 2, 3});
        for (const int event : queue.reader().read(queue)) {
            queue.update();
            queue.update();
            static_cast<void>(event);
        }
    }));
    CHECK(dies_saying("EventQueue::Reader: it has read events of another queue", [] {
        Queue queue, other;
        queue.append(Ints{1, 2, 3});
        auto reader = queue.reader();
        reader.skip(queue);
        reader.read(other);
    }));
}

TEST_CASE("EventQueue: an event whose constructor pushes another one is refused in words", "[ecs]") {
    struct Pushes {
        explicit Pushes(EventQueue<Pushes>* queue) {
            if (queue != nullptr) queue->emplace(nullptr);
        }
    };
    CHECK(dies_saying("EventQueue: the constructor of an event pushes another one", [] {
        EventQueue<Pushes> queue;
        queue.emplace(&queue);
    }));
}
#endif

TEST_CASE("EventQueue: the destructor of an event may push", "[ecs]") {
    EventQueue<LastWords> queue;
    auto reader = queue.reader();
    queue.emplace(1, &queue);
    queue.emplace(2, &queue);
    queue.update();
    queue.emplace(3, &queue);
    queue.update();
    CHECK(list(reader.read(queue)) == Ints{3, 101, 102});
    CHECK(reader.missed() == 2);
    queue.clear();
    CHECK(list(reader.read(queue)) == Ints{103});
    CHECK(queue.size() == 1);
}

TEST_CASE("EventQueue: each event is destroyed once, whether it can be moved or not", "[ecs]") {
    const NothingLeaks scope;
    EventQueue<NonMovable> queue;
    for (int i = 0; i != 300; ++i) queue.emplace(i);
    queue.update();
    queue.emplace(300);
    CHECK(scope.alive() == 301);
    queue.update();
    CHECK(scope.alive() == 1);
    queue.clear();
    CHECK(scope.alive() == 0);
    EventQueue<MoveOnly> moves;
    moves.push(MoveOnly(7));
    std::vector<MoveOnly> more;
    more.emplace_back(8);
    more.emplace_back(9);
    moves.append(std::ranges::subrange(std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())));
    CHECK(list(moves.reader().read(moves)) == Ints{7, 8, 9});
    EventQueue<OverAligned<256>> wide;
    for (int i = 0; i != 100; ++i) wide.emplace(i);
    CHECK(wide.size() == 100);
}

TEST_CASE("EventQueue: append may read the queue's own events", "[ecs]") {
    Queue queue;
    queue.append(Ints{1, 2});
    queue.update();
    queue.append(Ints{3});
    queue.append(queue.reader().read(queue));
    CHECK(list(queue.reader().read(queue)) == Ints{1, 2, 3, 1, 2, 3});
}

TEST_CASE("EventQueue: an event that throws, and an allocation that fails, change nothing", "[ecs][throws]") {
    const NothingLeaks scope;
    const EveryByteReturned bytes;
    using Failing = EventQueue<Throwing, AllocBy<StatefulAllocator<Throwing, Propagation{.throws = true}>>>;
    const Throwing one(1);
    const std::vector<Throwing> many(70, one);
    const auto sweep = [&](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing queue;
            queue.emplace(5);
            queue.update();
            for (int i = 0; i != 63; ++i) queue.emplace(6);
            auto reader = queue.reader();
            if (!attempt([&] { act(queue); })) return;
            CHECK(queue.size() == 64);
            CHECK(list(reader.read(queue)).front() == 5);
            CHECK(queue.pushed() == 64);
        });
        INFO(name);
        CHECK(failures != 0);
    };
    sweep("push", [&](Failing& queue) { queue.push(one); });
    sweep("emplace", [&](Failing& queue) { queue.emplace(7); });
    sweep("append", [&](Failing& queue) { queue.append(many); });
    sweep("reserve", [&](Failing& queue) { queue.reserve(1000); });
    sweep("(copy)", [&](Failing& queue) { Failing copy(queue); });
    sweep("operator=(copy)", [&](Failing& queue) {
        Failing other;
        other.emplace(2);
        queue = other;
    });
    sweep("(copy, allocator)", [&](Failing& queue) { Failing copy(queue, queue.get_allocator()); });
}

TEST_CASE("EventQueue: events that are moved to memory of another allocator are in one queue or in none when a move throws",
          "[ecs][throws]") {
    const NothingLeaks scope;
    const EveryByteReturned bytes;
    using A = StatefulAllocator<Throwing, Propagation{.throws = true}>;
    using Failing = EventQueue<Throwing, AllocBy<A>>;
    const auto sweep = [&](const char* name, bool both, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing queue(A(1)), other(A(2));
            for (int i = 0; i != 9; ++i) queue.emplace(i);
            other.emplace(9);
            if (!attempt([&] { act(queue, other); })) return;
            CHECK((queue.empty() || queue.size() == 9));
            CHECK((other.size() == 1 || (both && other.empty())));
        });
        CHECK(failures != 0);
    };
    sweep("(move, allocator)", false,
          [](Failing& queue, Failing& other) { Failing taken(std::move(queue), other.get_allocator()); });
    sweep("operator=(move)", false, [](Failing& queue, Failing& other) { other = std::move(queue); });
    sweep("swap", true, [](Failing& queue, Failing& other) { other.swap(queue); });
    never_throws<std::is_nothrow_default_constructible_v<Queue>>(swept<Queue>("()"));
}

TEST_CASE("EventQueue: copies, moves and swaps keep events, and readers go with them", "[ecs]") {
    const EveryByteReturned bytes;
    using A = StatefulAllocator<int>;
    using Checked = EventQueue<int, AllocBy<A>>;
    Checked queue(A(1));
    queue.append(Ints{1, 2});
    queue.update();
    queue.update();
    queue.append(Ints{3, 4});
    queue.update();
    queue.push(5);
    auto reader = queue.reader();
    CHECK(*reader.next(queue) == 3);
    const Checked copy(queue);
    CHECK(copy.get_allocator().id() == 101);
    const auto rest = [&](const Checked& of) {
        auto from = reader;
        CHECK(of.pushed() == 5);
        return list(from.read(of));
    };
    CHECK(rest(copy) == Ints{4, 5});
    Checked moved(std::move(queue));
    CHECK(rest(moved) == Ints{4, 5});
    CHECK(rest(queue).empty()); // NOLINT(bugprone-use-after-move): empty, and numbered on
    Checked elsewhere(std::move(moved), A(7));
    CHECK(rest(elsewhere) == Ints{4, 5});
    CHECK(rest(moved).empty()); // NOLINT(bugprone-use-after-move)
    Checked assigned(A(3));
    assigned.push(9);
    assigned = std::move(elsewhere);
    CHECK(rest(assigned) == Ints{4, 5});
    Checked other(A(4));
    other.push(8);
    swap(assigned, other);
    CHECK(rest(other) == Ints{4, 5});
    CHECK(list(assigned.reader().read(assigned)) == Ints{8});
    assigned = other;
    CHECK(rest(assigned) == Ints{4, 5});
    auto& self = assigned;
    assigned = self;
    CHECK(rest(assigned) == Ints{4, 5});
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Queue>);
    STATIC_REQUIRE(!std::is_copy_constructible_v<EventQueue<MoveOnly>>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<EventQueue<NonMovable>>);
}

TEST_CASE("EventQueue: after the first updates nothing is allocated, and shrink_to_fit frees what no event needs", "[ecs]") {
    using Counted = EventQueue<int, AllocBy<StatefulAllocator<int>>>;
    Counted queue;
    const auto frame = [&] {
        for (int i = 0; i != 1000; ++i) queue.push(i);
        queue.update();
    };
    frame();
    frame();
    const std::size_t allocations = Ledger::allocations();
    for (int i = 0; i != 10; ++i) frame();
    CHECK(Ledger::allocations() == allocations);
    queue.clear();
    frame();
    CHECK(Ledger::allocations() == allocations);
    queue.update();
    queue.update();
    queue.shrink_to_fit();
    CHECK(queue.empty());
    queue.reserve(1000);
    CHECK(Ledger::allocations() != allocations);
    const std::size_t reserved = Ledger::allocations();
    for (int i = 0; i != 1000; ++i) queue.push(i);
    CHECK(Ledger::allocations() == reserved);
    if constexpr (sizeof(std::size_t) > 4)
        CHECK(thrown_text<std::length_error>([&] { queue.reserve(static_cast<std::size_t>(-1)); }).find("EventQueue") == 0);
}

TEST_CASE("EventQueue: events draw their memory from the resource of the queue", "[ecs]") {
    std::pmr::monotonic_buffer_resource arena;
    EventQueue<std::pmr::string, AllocBy<std::pmr::polymorphic_allocator<std::pmr::string>>> queue(&arena);
    CHECK(queue.emplace("a text that does not fit into the string itself").get_allocator().resource() == &arena);
}

TEST_CASE("EventQueue: several threads read at once, a reader each", "[ecs]") {
    Queue queue;
    for (int i = 0; i != 3000; ++i) {
        queue.push(i);
        if (i == 1000) queue.update();
    }
    std::vector<long> sums(4);
    {
        std::vector<std::jthread> threads;
        for (long& sum : sums)
            threads.emplace_back([&] {
                auto reader = queue.reader();
                for (const int event : reader.read(std::as_const(queue))) sum += event;
            });
    }
    CHECK(sums == std::vector<long>(4, 3000L * 2999 / 2));
}

TEST_CASE("EventQueue: random operations agree with a model", "[ecs]") {
    std::mt19937 generator(11);
    EventQueue<Tracked> queue;
    std::deque<int> older, newer;
    struct Cursor {
        EventQueue<Tracked>::Reader reader;
        std::uint64_t next = 0, missed = 0;
    };
    std::vector<Cursor> readers(3);
    std::uint64_t first = 0;
    int number = 0;
    for (int step = 0; step != 5000; ++step) {
        const auto dice = generator() % 16;
        if (dice < 8) {
            queue.emplace(number);
            newer.push_back(number++);
        } else if (dice < 10) {
            queue.update();
            first += older.size();
            older = std::exchange(newer, {});
        } else if (dice == 10 && step % 8 == 0) {
            queue.clear();
            first += older.size() + newer.size();
            older.clear();
            newer.clear();
        } else if (dice == 11)
            queue.shrink_to_fit();
        else if (dice == 12)
            queue = EventQueue<Tracked>(queue);
        else {
            Cursor& cursor = readers[generator() % 3];
            if (cursor.next < first) cursor.missed += first - std::exchange(cursor.next, first);
            std::vector<int> all(older.begin(), older.end()), read;
            all.insert(all.end(), newer.begin(), newer.end());
            const auto from = static_cast<std::ptrdiff_t>(cursor.next - first);
            CHECK(list(cursor.reader.read(queue)) == Ints(all.begin() + from, all.end()));
            CHECK(cursor.reader.missed() == cursor.missed);
            cursor.next = first + all.size();
        }
        REQUIRE(queue.size() == older.size() + newer.size());
        REQUIRE(queue.pushed() == first + queue.size());
    }
    CHECK(number > 2000);
}
