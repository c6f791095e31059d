// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// plf::colony. Erasing needs an iterator (three words); everything else is done with a pointer, as a user who never erases would.
// Nothing is checked: a stale pointer is undefined behaviour, so its lookup is a limit, not a rival.
#if SLOTWISE_BENCH_HAS_COLONY

#include "workload.hpp"

#include <plf_colony.h>

namespace {

using namespace bench;

template <class T>
class ByPointer {
public:
    using value_type = T;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { colony_.reserve(n); }
    T* insert(const T& value) { return &*colony_.insert(value); }
    [[nodiscard]] const T* get(const T* pointer) const noexcept { return pointer; }
    void clear() noexcept { colony_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return colony_.size(); }

private:
    plf::colony<T> colony_;
};

template <class T>
class ByIterator {
public:
    using value_type = T;
    using Iterator = typename plf::colony<T>::iterator;
    static constexpr bool sees_stale = false;

    Iterator insert(const T& value) { return colony_.insert(value); }
    [[nodiscard]] const T* get(const Iterator& position) const noexcept { return &*position; }
    void erase(const Iterator& position) { colony_.erase(position); }
    [[nodiscard]] std::size_t size() const noexcept { return colony_.size(); }

private:
    plf::colony<T> colony_;
};

const Registered registered([] {
    slot_map::add_contender<ByPointer>("plf_colony", Role::rival, slot_map::insert_row | slot_map::clear_row);
    slot_map::add_contender<ByPointer>("plf_colony_unchecked", Role::limit, slot_map::lookup_row);
    slot_map::add_contender<ByIterator>("plf_colony", Role::rival, slot_map::erase_row);
});

} // namespace

#endif
