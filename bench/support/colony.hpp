// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// plf::colony: stable addresses and a jump-counting skipfield. Nothing is checked: a stale name is undefined behaviour, so its
// lookup is a limit, not a rival. Erasing needs an iterator (three words); who never erases can do with a pointer.
#pragma once

#include "element.hpp"

#include <plf_colony.h>

#include <cstddef>

namespace bench {

template <class T>
class Colony {
public:
    using value_type = T;
    using Iterator = typename plf::colony<T>::iterator;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { colony_.reserve(n); }
    Iterator insert(const T& value) { return colony_.insert(value); }
    [[nodiscard]] const T* get(const Iterator& position) const noexcept { return &*position; }
    void erase(const Iterator& position) { colony_.erase(position); }
    void clear() noexcept { colony_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return colony_.size(); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const T& value : colony_) sum += value.field;
        return sum;
    }

protected:
    plf::colony<T> colony_;
};

// By pointer.
template <class T>
class ColonyPointers : public Colony<T> {
public:
    T* insert(const T& value) { return &*this->colony_.insert(value); }
    [[nodiscard]] const T* get(const T* pointer) const noexcept { return pointer; }
};

} // namespace bench
