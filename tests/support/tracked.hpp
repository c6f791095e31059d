// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Element types that notice misuse, and a budget of calls after which something throws.
//
//     test::NothingLeaks scope;                       // at its end: as many objects as before, and no misuse
//     const auto failures = test::fail_at_every_step(test::swept<Map>("insert"), [](auto&& attempt) {
//         Map map = some_map();
//         const bool threw = attempt([&] { map.insert(test::Throwing(1)); });   // throws at call 0, 1, 2 ... until it does not
//         if (threw) CHECK(map == some_map());
//     });
//     REQUIRE(failures > 0);
//
// Every element type has value(), ==, and is built from an int (Empty forgets it).
#ifndef SLOTWISE_TESTS_SUPPORT_TRACKED_HPP
#define SLOTWISE_TESTS_SUPPORT_TRACKED_HPP

#include "address_table.hpp"
#include "budget.hpp"
#include "sweep.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

//=== injected failures ===//

/// What an exhausted budget throws; nothing else throws it.
struct InjectedFailure {};

/// Throwing elements, throwing allocators and observers share it, so that one loop fails every step of an operation in turn.
using Budget = BasicBudget<InjectedFailure>;

/// See BasicBudget.
template <class Scenario>
std::size_t fail_at_every_step(Scenario&& scenario) {
    return Budget::fail_at_every_step(std::forward<Scenario>(scenario));
}
/// The same of a function with a name, which is reported.
template <class Scenario>
std::size_t fail_at_every_step(const Swept& what, Scenario&& scenario) {
    const std::size_t failures = fail_at_every_step(std::forward<Scenario>(scenario));
    report_sweep(what, failures);
    return failures;
}
/// act() calls nothing that could throw: no allocator, element or callback of these tests.
template <class Act>
void calls_nothing_that_throws(const Swept& what, Act&& act) {
    const std::size_t before = Budget::calls();
    act();
    CHECK(Budget::calls() == before);
    report("noexcept", what.function, "0", Catch::getResultCapture().getCurrentTestName());
}

//=== who is alive ===//

/// Every tracked object, by address and type, and what went wrong. Filled by the element types below.
class Census {
public:
    static std::size_t alive() noexcept { return objects().size(); }
    static const std::vector<std::string>& errors() noexcept { return errors_(); }
    static void forget_errors() noexcept { errors_().clear(); }
    static void error(const std::string& what) { errors_().push_back(what); }

    static void born(const void* object, const void* type) {
        if (!objects().insert({object, type})) error("constructed where an object lives");
    }
    static void died(const void* object, const void* type) noexcept {
        if (!objects().erase({object, type})) error("destroyed what is not alive");
    }
    static void used(const void* object, const void* type) noexcept {
        if (objects().find({object, type}) == nullptr) error("used what is not alive");
    }

private:
    struct Object {
        const void* address = nullptr;
        const void* type = nullptr;
        bool same(const Object& other) const noexcept { return address == other.address && type == other.type; }
    };
    static AddressTable<Object>& objects() {
        static AddressTable<Object> all;
        return all;
    }
    static std::vector<std::string>& errors_() {
        static std::vector<std::string> all;
        return all;
    }
};

/// At its end as many tracked objects live as at its begin, and none was misused in between.
class NothingLeaks {
public:
    NothingLeaks() : before_(Census::alive()) { Census::forget_errors(); }
    NothingLeaks(const NothingLeaks&) = delete;
    NothingLeaks& operator=(const NothingLeaks&) = delete;
    ~NothingLeaks() {
        CHECK(Census::alive() == before_);
        CHECK(Census::errors() == std::vector<std::string>{});
    }
    /// Tracked objects made since the begin and still alive.
    std::size_t alive() const noexcept { return Census::alive() - before_; }

private:
    std::size_t before_;
};

//=== element types ===//

/// What an element type may do, and what spends the budget.
struct TrackedOptions {
    bool copyable = true;
    bool movable = true;
    bool construct_throws = false;
    bool copy_throws = false;
    bool move_throws = false;
    std::size_t align = alignof(int);
    std::size_t bytes = 0; ///< of payload, filled with a pattern that is checked
};

/// A value that registers with the census, knows when it was moved from, and throws where the options say so.
/// Two empty bases would do for copyable/movable; requires clauses keep it one class.
template <TrackedOptions O>
class alignas(O.align) BasicTracked {
public:
    BasicTracked() noexcept(!O.construct_throws) : BasicTracked(0) {}
    BasicTracked(int value) noexcept(!O.construct_throws) : value_(value) {
        if constexpr (O.construct_throws) Budget::spend();
        begin();
    }
    BasicTracked(const BasicTracked& other) noexcept(!O.copy_throws)
        requires(O.copyable)
        : value_(other.value()) {
        if constexpr (O.copy_throws) Budget::spend();
        begin();
    }
    BasicTracked(BasicTracked&& other) noexcept(!O.move_throws)
        requires(O.movable)
        : value_(other.take()), moved_(other.moved_) {
        if constexpr (O.move_throws) Budget::spend();
        other.moved_ = true;
        begin();
    }
    BasicTracked& operator=(const BasicTracked& other) noexcept(!O.copy_throws)
        requires(O.copyable)
    {
        alive();
        const int value = other.value();
        if constexpr (O.copy_throws) Budget::spend();
        value_ = value;
        moved_ = false;
        return *this;
    }
    BasicTracked& operator=(BasicTracked&& other) noexcept(!O.move_throws)
        requires(O.movable)
    {
        alive();
        const int value = other.take();
        if constexpr (O.move_throws) Budget::spend();
        moved_ = std::exchange(other.moved_, true);
        value_ = value;
        return *this;
    }
    ~BasicTracked() {
        check_payload();
        Census::died(this, &type_);
        value_ = -999;
    }

    /// The value; reading a moved-from or dead object is an error of the census.
    int value() const noexcept {
        alive();
        if (moved_) Census::error("read after move");
        check_payload();
        return value_;
    }
    void set(int value) noexcept {
        alive();
        value_ = value;
        moved_ = false;
    }
    bool moved_from() const noexcept { return moved_; }
    friend bool operator==(const BasicTracked& a, const BasicTracked& b) noexcept { return a.value() == b.value(); }
    friend auto operator<=>(const BasicTracked& a, const BasicTracked& b) noexcept { return a.value() <=> b.value(); }

private:
    void begin() {
        if (reinterpret_cast<std::uintptr_t>(this) % O.align != 0)
            Census::error("constructed at an address less aligned than asked");
        Census::born(this, &type_);
        for (std::size_t i = 0; i < O.bytes; ++i) payload_[i] = pattern(i);
    }
    void alive() const noexcept { Census::used(this, &type_); }
    // Moving what was moved from is no error, it gives one more moved-from object.
    int take() const noexcept {
        alive();
        check_payload();
        return value_;
    }
    void check_payload() const noexcept {
        for (std::size_t i = 0; i < O.bytes; ++i)
            if (payload_[i] != pattern(i)) return Census::error("payload overwritten");
    }
    static unsigned char pattern(std::size_t i) noexcept { return static_cast<unsigned char>(i * 37 + 11); }

    static inline char type_ = 0;
    int value_;
    bool moved_ = false;
    unsigned char payload_[O.bytes == 0 ? 1 : O.bytes] = {};
};

/// Copyable and movable; nothing throws.
using Tracked = BasicTracked<TrackedOptions{}>;
/// Construction, copies and moves spend the budget; moves are not noexcept.
using Throwing = BasicTracked<TrackedOptions{.construct_throws = true, .copy_throws = true, .move_throws = true}>;
/// As Throwing, but its moves are noexcept.
using ThrowingCopy = BasicTracked<TrackedOptions{.construct_throws = true, .copy_throws = true}>;
using MoveOnly = BasicTracked<TrackedOptions{.copyable = false}>;
/// Move-only, and the moves may throw: the hardest for relocating containers.
using ThrowingMoveOnly = BasicTracked<TrackedOptions{.copyable = false, .construct_throws = true, .move_throws = true}>;
using NonMovable = BasicTracked<TrackedOptions{.copyable = false, .movable = false}>;
using ThrowingNonMovable = BasicTracked<TrackedOptions{.copyable = false, .movable = false, .construct_throws = true}>;
template <std::size_t Align>
using OverAligned = BasicTracked<TrackedOptions{.align = Align}>;
/// 4 KiB of payload.
using Big = BasicTracked<TrackedOptions{.bytes = 4096 - 2 * sizeof(int)}>;

static_assert(!std::is_copy_constructible_v<MoveOnly> && std::is_nothrow_move_constructible_v<MoveOnly>);
static_assert(!std::is_move_constructible_v<NonMovable> && !std::is_move_assignable_v<NonMovable>);
static_assert(!std::is_nothrow_move_constructible_v<Throwing> && std::is_nothrow_move_constructible_v<ThrowingCopy>);
static_assert(alignof(OverAligned<128>) == 128 && sizeof(Big) >= 4096);

/// No state at all.
struct Empty {
    constexpr Empty() noexcept = default;
    constexpr Empty(int) noexcept {}
    constexpr int value() const noexcept { return 0; }
    friend constexpr bool operator==(Empty, Empty) noexcept = default;
};
static_assert(std::is_empty_v<Empty>);

/// Calls a function in its destructor: for destructors that insert into or erase from the container they live in.
/// A moved-from one calls nothing. The function must not throw.
class CallsOnDestroy {
public:
    CallsOnDestroy(int value = 0, std::function<void()> last_words = {})
        : tracked_(value), last_words_(std::move(last_words)) {}
    CallsOnDestroy(CallsOnDestroy&& other) noexcept
        : tracked_(std::move(other.tracked_)), last_words_(std::exchange(other.last_words_, nullptr)) {}
    CallsOnDestroy& operator=(CallsOnDestroy&& other) noexcept {
        // What is overwritten ends its life here: it speaks.
        auto words = std::exchange(last_words_, std::exchange(other.last_words_, nullptr));
        tracked_ = std::move(other.tracked_);
        if (words) words();
        return *this;
    }
    ~CallsOnDestroy() {
        if (auto words = std::exchange(last_words_, nullptr)) words();
    }
    int value() const noexcept { return tracked_.value(); }
    friend bool operator==(const CallsOnDestroy& a, const CallsOnDestroy& b) noexcept { return a.value() == b.value(); }

private:
    Tracked tracked_;
    std::function<void()> last_words_;
};

} // namespace test

#endif
