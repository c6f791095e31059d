// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <vector>

namespace {

using namespace bench;

template <class T>
class Vector : public std::vector<T> {
public:
    std::size_t insert(const T& value) {
        this->push_back(value);
        return this->size();
    }
};

const Registered registered([] { memory::add_contender<Vector>("vector", Role::limit); });

} // namespace
