// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StaticObserver: what is one, and which near misses are refused. What the errors say: tests/compile_fail/slot_observer.
#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/series/delta_tracker.hpp>
#include <slotwise/series/observer_array.hpp>
#include <slotwise/series/time_array.hpp>
#include <slotwise/slots/detail/observer_hub.hpp>
#include <slotwise/slots/value_array.hpp>

#include "support/catch.hpp"

#include <memory>
#include <string>

using namespace slotwise;

namespace {

#define TYPE(name, ...)                                                                                                        \
    struct name {                                                                                                              \
        __VA_ARGS__                                                                                                            \
    };
TYPE(OnCapacity, void on_capacity(slot_t, slot_t){})
TYPE(OnInsert, void on_insert(slot_t, InsertKind){})
TYPE(OnRemove, void on_remove(slot_t) noexcept {})
TYPE(OnErase, void on_erase(slot_t) noexcept {})
TYPE(OnClear, void on_clear(Occupancy) noexcept {})
TYPE(OnReset, void on_reset() noexcept {})
TYPE(
    Generic, template <class S> void on_insert(S, InsertKind) {} void on_clear(const Occupancy&) noexcept {})
TYPE(
    Overloaded, void on_erase(slot_t) noexcept {} void on_erase(const std::string&){})
TYPE(
    Counts, void on_erase(std::size_t) noexcept {} void on_destroy(slot_t){}) // has on_erase: the other is its own affair
struct Final final {
    void on_erase(slot_t) noexcept {}
};
struct Virtual {
    virtual void on_erase(slot_t) noexcept {}
    virtual ~Virtual() = default;
};

TYPE(Nothing, int value;)
TYPE(WithoutSlot, void on_insert(InsertKind){})
TYPE(ByHandle, void on_erase(Handle<int>) noexcept {})
TYPE(OneSize, void on_capacity(std::size_t){})
TYPE(ThrowingRemove, void on_remove(slot_t){})
TYPE(ThrowingErase, void on_erase(slot_t){})
TYPE(ThrowingClear, void on_clear(Occupancy){})
TYPE(ThrowingReset, void on_reset(){})
TYPE(ClearOfNothing, void on_clear() noexcept {})
TYPE(
    Vetoes, bool on_insert(slot_t, InsertKind) { return true; })
TYPE(Field, int on_insert = 0;)
class Private {
    [[maybe_unused]] void on_erase(slot_t) noexcept {}
};
TYPE(
    OneWrong, void on_insert(slot_t, InsertKind) {} void on_erase(slot_t){})
TYPE(
    OverloadedWrong, void on_erase(int*) noexcept {} void on_erase(const std::string&) noexcept {})
struct FinalWrong final {
    void on_erase(slot_t, int) noexcept {}
};
TYPE(Inserted, void on_inserted(slot_t, InsertKind){})
TYPE(
    Added, void on_add(slot_t) {} void on_erase(slot_t) noexcept {})
TYPE(
    Camel, void onErase(slot_t) noexcept {} void on_insert(slot_t, InsertKind){})
TYPE(
    Removed, void on_removed(slot_t) noexcept {} void on_insert(slot_t, InsertKind){})
TYPE(
    Cleared, void on_cleared() noexcept {} void on_insert(slot_t, InsertKind){})
TYPE(
    Reset, void onReset() noexcept {} void on_insert(slot_t, InsertKind){})
TYPE(
    Resized, void on_resize(slot_t, slot_t) {} void on_insert(slot_t, InsertKind){})
TYPE(
    Destroyed, void on_destroy(slot_t) noexcept {} void on_insert(slot_t, InsertKind){})

template <class... O>
constexpr bool all_are = (StaticObserver<O> && ... && true);
template <class... O>
constexpr bool any_is = (StaticObserver<O> || ... || false);

} // namespace

TEST_CASE("one hook makes a static observer, whichever it is, and however it is declared as long as it can be called") {
    STATIC_REQUIRE(all_are<OnCapacity, OnInsert, OnRemove, OnErase, OnClear, OnReset>);
    STATIC_REQUIRE(all_are<Generic, Overloaded, Counts, Final, Virtual>);
    STATIC_REQUIRE(all_are<ValueArray<int>, ValueArray<std::string>, ValueArray<std::unique_ptr<int>>, TimeArray<>,
                           DeltaTracker<>, ObserverArray<int>, SlotObserver>);
    STATIC_REQUIRE(all_are<ValueArray<int& (*)(int)>, ValueArray<Handle<int>>>);
    struct NoDefault {
        explicit NoDefault(int) {}
    };
    STATIC_REQUIRE(StaticObserver<ValueArray<NoDefault>>); // its owner builds the values
    STATIC_REQUIRE_FALSE(ValueArray<NoDefault>::builds_on_insert);
}

TEST_CASE("what has no hook is no static observer") {
    STATIC_REQUIRE_FALSE(any_is<int, float, int*, void, int&, std::string, std::allocator<int>, Nothing, InsertKind, void()>);
}

TEST_CASE("a hook with a wrong arity, wrong parameters, a result, no access or no noexcept is refused, beside good ones too") {
    STATIC_REQUIRE_FALSE(any_is<WithoutSlot, ByHandle, OneSize, ThrowingRemove, ThrowingErase, ThrowingClear, ThrowingReset,
                                ClearOfNothing, Vetoes, Field, Private, OneWrong, OverloadedWrong, FinalWrong>);
}

TEST_CASE("a hook under a name that is nearly right is refused, beside good ones too") {
    STATIC_REQUIRE_FALSE(any_is<Inserted, Added, Camel, Removed, Cleared, Reset, Resized, Destroyed>);
}
