// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Which slot comes next, over long random histories of thousands of slots: bursts, retired slots, undone erases, constructors
// that throw, growth, copies, snapshots and shrinking. A model predicts the slot of every insert.
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/slot_map.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace slotwise;

namespace {

constexpr HandleLayout brief{.index_bits = 12, .version_bits = 4, .user_bits = 0}; // 8 uses of a slot

struct Value {
    int number;
    int twice;
    explicit Value(int from) : number(from), twice(2 * from) {
        if (from < 0) throw from;
    }
};

} // namespace

template <>
struct slotwise::CodecFor<Value> {
    static void write(const Value& value, ByteWriter& out) { out.number(static_cast<std::uint32_t>(value.number)); }
    static Value read(ByteReader& in) { return Value(static_cast<int>(in.number<std::uint32_t>() & 0xFFFF)); }
};

namespace {

/// The vacant slots below the cursor in the order in which they come.
template <Reuse R>
class Order {
public:
    slot_t next() const {
        if (slots_.empty()) return cursor_;
        return R == Reuse::lowest ? *std::min_element(slots_.begin(), slots_.end())
               : R == Reuse::lifo ? slots_.back()
                                  : slots_.front();
    }
    void take(slot_t slot) {
        if (slot == cursor_)
            ++cursor_;
        else
            slots_.erase(std::find(slots_.begin(), slots_.end(), slot));
    }
    void vacate(slot_t slot) { slots_.push_back(slot); }
    void lower_cursor(slot_t end) {
        cursor_ = end;
        slots_.erase(std::remove_if(slots_.begin(), slots_.end(), [end](slot_t slot) { return slot >= end; }), slots_.end());
    }
    void clear() { slots_.clear(); }
    bool holds(slot_t slot) const { return std::find(slots_.begin(), slots_.end(), slot) != slots_.end(); }
    slot_t cursor() const { return cursor_; }

private:
    std::vector<slot_t> slots_{};
    slot_t cursor_ = 0;
};

template <Reuse R, Exhaustion E>
class History {
    using Map = SlotMap<Value, Options<SlotMapOptions{.handle = brief, .reuse = R, .exhaustion = E}>>;
    using H = typename Map::handle_type;
    static constexpr std::uint32_t last_version = 15;

public:
    explicit History(unsigned seed) : random_(seed) {}

    void run(int steps) {
        for (int step = 0; step != steps; ++step) {
            const auto dice = random_() % 100;
            if (dice < 40)
                burst(1 + random_() % 3);
            else if (dice < 60)
                burst(1 + random_() % 100);
            else if (dice < 75)
                insert(random_() % 60);
            else if (dice < 85)
                erase(random_() % 50);
            else if (dice < 92)
                undo_an_erase();
            else if (dice < 95)
                fail();
            else if (dice < 98)
                move_elsewhere();
            else if (dice < 99)
                shrink();
            else if (random_() % 8 == 0)
                clear();
            REQUIRE(map_.size() == live_.size());
            REQUIRE(map_.retired() == retired_.size());
        }
    }
    std::size_t retired() const { return retired_.size(); }
    std::size_t most() const { return most_; }

private:
    void burst(std::size_t count) {
        erase(count);
        insert(count);
    }
    void insert(std::size_t count) {
        for (; count != 0 && !map_.full(); --count) {
            const slot_t expected = order_.next();
            const int number = static_cast<int>(random_() % 1000);
            const H handle = count % 2 == 0 ? map_.insert(Value(number)) : map_.emplace(number);
            REQUIRE(handle.index() == expected);
            REQUIRE(map_.get(handle)->twice == 2 * number);
            order_.take(expected);
            live_.push_back(handle);
        }
        most_ = std::max(most_, live_.size());
    }
    void erase(std::size_t count) {
        for (; count != 0 && !live_.empty(); --count) {
            std::swap(live_[random_() % live_.size()], live_.back());
            const H handle = live_.back();
            live_.pop_back();
            REQUIRE(map_.erase(handle));
            REQUIRE(!map_.contains(handle));
            if (E == Exhaustion::retire && handle.version() == last_version) {
                retired_.insert(handle.index());
                continue;
            }
            order_.vacate(handle.index());
            erased_.push_back(handle);
        }
    }
    void undo_an_erase() {
        while (!erased_.empty()) {
            const std::size_t at = random_() % 2 == 0 ? erased_.size() - 1 : random_() % erased_.size();
            std::swap(erased_[at], erased_.back());
            const H handle = erased_.back();
            erased_.pop_back();
            if (!order_.holds(handle.index()) || map_.insert_at(handle, 7) == nullptr) continue; // it was used again
            order_.take(handle.index());
            live_.push_back(handle);
            return;
        }
    }
    void fail() { // the order is as before
        if (!map_.full()) CHECK_THROWS_AS(map_.emplace(-1), int);
        for (const H handle : erased_)
            if (order_.holds(handle.index()) && random_() % 16 == 0) {
                try {
                    static_cast<void>(map_.insert_at(handle, -1)); // null where the version is too old
                } catch (int) {}
            }
    }
    void move_elsewhere() {
        const auto bytes = map_.snapshot();
        Map copy(map_), restored;
        restored.restore(bytes);
        REQUIRE(restored.snapshot() == bytes);
        REQUIRE(copy.snapshot() == bytes);
        map_ = std::move(random_() % 2 == 0 ? copy : restored);
        if (const std::size_t more = map_.size() + 300; more + map_.retired() < 4000) map_.reserve(more);
    }
    void shrink() {
        map_.shrink_to_fit();
        slot_t end = order_.cursor();
        while (end != 0 && order_.holds(end - 1)) --end;
        order_.lower_cursor(end);
    }
    void clear() {
        map_.clear();
        const slot_t end = order_.cursor();
        if (E == Exhaustion::retire)
            for (const H handle : live_)
                if (handle.version() == last_version) retired_.insert(handle.index());
        live_.clear();
        order_.clear();
        if (retired_.empty()) return order_.lower_cursor(0);
        for (slot_t i = 0; i != end; ++i) {
            const slot_t slot = R == Reuse::lifo ? end - 1 - i : i;
            if (retired_.count(slot) == 0) order_.vacate(slot);
        }
    }

    std::mt19937 random_;
    Map map_{};
    Order<R> order_{};
    std::vector<H> live_{}, erased_{};
    std::set<slot_t> retired_{};
    std::size_t most_ = 0;
};

template <Reuse R>
void histories() {
    for (unsigned seed = 0; seed != 4; ++seed) {
        CAPTURE(seed);
        History<R, Exhaustion::wrap> forever(seed);
        forever.run(1500);
        CHECK(forever.most() > 300);
        History<R, Exhaustion::retire> brief_lives(seed);
        brief_lives.run(1500);
        CHECK(brief_lives.retired() > 10);
    }
}

/// Erases and inserts in turns, with half of the slots vacant: each insert gets the slot erased just before.
template <class Pool>
void in_turns() {
    Pool pool;
    std::vector<typename Pool::handle_type> handles;
    for (int i = 0; i != 1000; ++i) handles.push_back(pool.create());
    std::mt19937 random(3);
    std::shuffle(handles.begin(), handles.end(), random);
    for (int i = 0; i != 500; ++i) {
        pool.erase(handles.back());
        handles.pop_back();
    }
    for (int round = 0; round != 20'000; ++round) { // until the low slots are in use
        auto& handle = handles[random() % handles.size()];
        pool.erase(handle);
        handle = pool.create();
    }
    for (int round = 0; round != 1000; ++round) {
        auto& handle = handles[random() % handles.size()];
        const auto old = handle;
        pool.erase(old);
        handle = pool.create();
        REQUIRE(handle.index() == old.index());
        REQUIRE(handle.version() == old.version() + 2);
        REQUIRE(!pool.contains(old));
    }
}

} // namespace

TEST_CASE("the lowest vacant slot comes next after any history of thousands of slots", "[model]") {
    histories<Reuse::lowest>();
}

TEST_CASE("the slot vacated last comes next after any history of thousands of slots", "[model]") { histories<Reuse::lifo>(); }

TEST_CASE("the slot vacated first comes next after any history of thousands of slots", "[model]") { histories<Reuse::fifo>(); }

TEST_CASE("a handle made after an erase has the slot of the erased one where all lower slots are in use") {
    in_turns<HandlePool<int>>();
    in_turns<HandlePool<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>>>();
}
