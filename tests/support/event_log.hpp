// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Observers that log their notifications, one string an event, all into one log:
//     "a capacity 0 64"  "a insert 3"  "a insert 3 resurrected"  "a remove 3"  "a erase 3"  "a clear 0 2 5"  "a reset"
#ifndef SLOTWISE_TESTS_SUPPORT_EVENT_LOG_HPP
#define SLOTWISE_TESTS_SUPPORT_EVENT_LOG_HPP

#include "catch.hpp"
#include "tracked.hpp"

#include <slotwise/slots/slot_observer.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test {

using Events = std::vector<std::string>;

/// The one log of a test case: it knows nothing of what the cases before it in the same process left untaken.
class EventLog {
public:
    static void add(std::string event) { events().push_back(std::move(event)); }
    /// What was logged since the last take.
    static Events take() { return std::exchange(events(), {}); }

private:
    static Events& events() {
        static Events all;
        static std::string writer;
        if (auto running = Catch::getResultCapture().getCurrentTestName(); running != writer) {
            writer = std::move(running);
            all.clear();
        }
        return all;
    }
};

inline std::string describe_insert(const std::string& name, slotwise::slot_t slot, slotwise::InsertKind kind) {
    return name + " insert " + std::to_string(slot) + (kind == slotwise::InsertKind::resurrected ? " resurrected" : "");
}
inline std::string describe_capacity(const std::string& name, slotwise::slot_t old_slots, slotwise::slot_t new_slots) {
    return name + " capacity " + std::to_string(old_slots) + " " + std::to_string(new_slots);
}
inline std::string describe_clear(const std::string& name, slotwise::Occupancy slots) {
    std::string event = name + " clear";
    slots.for_each([&](slotwise::slot_t slot) { event += " " + std::to_string(slot); });
    return event;
}

/// A dynamic observer. `throws`: on_insert and growing on_capacity spend the budget before they log.
/// The callbacks run after the event was logged.
class LoggingObserver final : public slotwise::SlotObserver {
public:
    explicit LoggingObserver(std::string name, bool throws = false) : name_(std::move(name)), throws_(throws) {}

    void on_capacity(slotwise::slot_t old_slots, slotwise::slot_t new_slots) override {
        if (throws_ && new_slots > old_slots) Budget::spend();
        EventLog::add(describe_capacity(name_, old_slots, new_slots));
        if (during_capacity) during_capacity();
    }
    void on_insert(slotwise::slot_t slot, slotwise::InsertKind kind) override {
        if (throws_) Budget::spend();
        EventLog::add(describe_insert(name_, slot, kind));
        if (during_insert) during_insert(slot);
    }
    void on_remove(slotwise::slot_t slot) noexcept override {
        EventLog::add(name_ + " remove " + std::to_string(slot));
        if (during_remove) during_remove(slot);
    }
    void on_erase(slotwise::slot_t slot) noexcept override {
        EventLog::add(name_ + " erase " + std::to_string(slot));
        if (during_erase) during_erase(slot);
    }
    void on_clear(slotwise::Occupancy slots) noexcept override {
        EventLog::add(describe_clear(name_, slots));
        if (during_clear) during_clear();
    }
    void on_reset() noexcept override {
        EventLog::add(name_ + " reset");
        if (during_reset) during_reset();
    }

    std::function<void()> during_capacity{}, during_clear{}, during_reset{};
    std::function<void(slotwise::slot_t)> during_insert{}, during_remove{}, during_erase{};

private:
    std::string name_;
    bool throws_;
};

/// A static observer with every hook, named "s<N>". Throws: as LoggingObserver.
template <int N, bool Throws = false>
struct StaticLogger {
    static std::string name() { return "s" + std::to_string(N); }
    void on_capacity(slotwise::slot_t old_slots, slotwise::slot_t new_slots) {
        if (Throws && new_slots > old_slots) Budget::spend();
        EventLog::add(describe_capacity(name(), old_slots, new_slots));
    }
    void on_insert(slotwise::slot_t slot, slotwise::InsertKind kind) {
        if (Throws) Budget::spend();
        EventLog::add(describe_insert(name(), slot, kind));
    }
    void on_remove(slotwise::slot_t slot) noexcept { EventLog::add(name() + " remove " + std::to_string(slot)); }
    void on_erase(slotwise::slot_t slot) noexcept { EventLog::add(name() + " erase " + std::to_string(slot)); }
    void on_clear(slotwise::Occupancy slots) noexcept { EventLog::add(describe_clear(name(), slots)); }
    void on_reset() noexcept { EventLog::add(name() + " reset"); }
};

} // namespace test

#endif
