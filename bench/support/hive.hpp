// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Containers of stable addresses whose elements are found by pointers: plf::colony (a jump-counting skipfield) and
// boost::container::hub (a mask of 64 bits a block). Nothing is checked: a stale name is undefined behaviour, so its lookup is a
// limit, not a rival. Erasing needs an iterator (two or three words); who never erases can do with a pointer.
#pragma once

#include "element.hpp"

#include <cstddef>

#if __has_include(<plf_colony.h>)
#include <plf_colony.h>
#endif
#if __has_include(<boost/container/hub.hpp>)
#include <boost/container/hub.hpp>
#endif

namespace bench {

template <class Container>
class Hive {
public:
    using value_type = typename Container::value_type;
    using Iterator = typename Container::iterator;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { elements_.reserve(n); }
    Iterator insert(const value_type& value) { return elements_.insert(value); }
    [[nodiscard]] const value_type* get(const Iterator& position) const noexcept { return &*position; }
    void erase(const Iterator& position) { elements_.erase(position); }
    void clear() noexcept { elements_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
    [[nodiscard]] field_t<value_type> sum() const {
        field_t<value_type> sum{};
        for (const value_type& value : elements_) sum += value.field;
        return sum;
    }

protected:
    Container elements_;
};

// By pointer.
template <class Container>
class HivePointers : public Hive<Container> {
public:
    using typename Hive<Container>::value_type;

    value_type* insert(const value_type& value) { return &*this->elements_.insert(value); }
    [[nodiscard]] const value_type* get(const value_type* pointer) const noexcept { return pointer; }
};

#if __has_include(<plf_colony.h>)
template <class T>
using Colony = Hive<plf::colony<T>>;
template <class T>
using ColonyPointers = HivePointers<plf::colony<T>>;
#endif

#if __has_include(<boost/container/hub.hpp>)
template <class T>
using Hub = Hive<boost::container::hub<T>>;
template <class T>
using HubPointers = HivePointers<boost::container::hub<T>>;

// Walks by hub's own function, which looks ahead.
template <class T>
class HubForEach : public Hub<T> {
public:
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        boost::container::for_each(this->elements_, [&sum](const T& value) { sum += value.field; });
        return sum;
    }
};
#endif

} // namespace bench
