// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/slot_observer.hpp>
#include <slotwise/slots/value_array.hpp>

#include <string>

using namespace slotwise;

template <class Watcher>
void watch() {
    SlotMap<int, Watcher> map;
    map.insert(1);
}

//=== a_column_that_is_no_observer ===//
// expect: CheckArgument<float || CheckArgument<std::basic_string || CheckArgument<std::__cxx11::basic_string
// expect: write Column<T>
SlotMap<int, float, std::string> map; // faulty
SlotMap<int> map;                     // control
map.insert(1);

//=== a_dynamic_column_without_a_hook ===//
// expect: this type has no hook
struct Deaf {
    void on_erase(slot_t) noexcept {} // control
};

SlotMap<int> map;
DynamicColumn<Deaf> column;
const auto token = map.attach(column);
return token.attached() ? 0 : 1;

//=== a_hook_called_on_cleared ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_clear
struct Watcher {
    void on_cleared() noexcept {}        // faulty
    void on_clear(Occupancy) noexcept {} // control
};

watch<Watcher>();

//=== a_hook_called_on_destroy ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_erase
struct Watcher {
    void on_destroy(slot_t) noexcept {} // faulty
    void on_erase(slot_t) noexcept {}   // control
};

watch<Watcher>();

//=== a_hook_called_on_inserted ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_insert
struct Watcher {
    void on_inserted(slot_t, InsertKind) {} // faulty
    void on_insert(slot_t, InsertKind) {}   // control
};

watch<Watcher>();

//=== a_hook_called_on_removed ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_remove
struct Watcher {
    void on_removed(slot_t) noexcept {} // faulty
    void on_remove(slot_t) noexcept {}  // control
};

watch<Watcher>();

//=== a_hook_called_on_resize ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_capacity
struct Watcher {
    void on_resize(slot_t, slot_t) {}   // faulty
    void on_capacity(slot_t, slot_t) {} // control
};

watch<Watcher>();

//=== a_hook_called_onreset ===//
// expect: CheckStaticObserver<Watcher>
// expect: name it on_reset
struct Watcher {
    void onReset() noexcept {}  // faulty
    void on_reset() noexcept {} // control
};

watch<Watcher>();

//=== copied_token ===//
// expect: use of deleted function || call to implicitly-deleted copy constructor
ObserverToken token;
ObserverToken moved(static_cast<ObserverToken&&>(token));
ObserverToken copy(moved); // faulty
return moved.attached();

//=== deleted_through_the_base ===//
// expect: is protected || protected destructor
struct Watcher final : SlotObserver {};

Watcher watcher;
SlotObserver* base = &watcher;
delete base; // faulty
return base == nullptr;

//=== on_capacity_of_one_number ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_capacity is not called
struct Watcher {
    void on_capacity(std::size_t) {}    // faulty
    void on_capacity(slot_t, slot_t) {} // control
};

watch<Watcher>();

//=== on_clear_of_nothing ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_clear is not called
struct Watcher {
    void on_clear() noexcept {}          // faulty
    void on_clear(Occupancy) noexcept {} // control
};

watch<Watcher>();

//=== on_erase_of_a_handle ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_erase is not called
struct Watcher {
    void on_erase(Handle<int>) noexcept {} // faulty
    void on_erase(slot_t) noexcept {}      // control
};

watch<Watcher>();

//=== on_insert_without_the_kind ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_insert is not called
struct Watcher {
    void on_insert(slot_t) {}             // faulty
    void on_insert(slot_t, InsertKind) {} // control
};

watch<Watcher>();

//=== on_remove_that_may_throw ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_remove is not called
struct Watcher {
    void on_remove(slot_t) {}          // faulty
    void on_remove(slot_t) noexcept {} // control
};

watch<Watcher>();

//=== on_reset_that_may_throw ===//
// expect: CheckStaticObserver<Watcher>
// expect: its on_reset is not called
struct Watcher {
    void on_reset() {}          // faulty
    void on_reset() noexcept {} // control
};

watch<Watcher>();
