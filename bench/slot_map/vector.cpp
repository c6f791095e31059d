// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The limit of storage without names: push_back, and an unchecked index for the lookup.
#include "workload.hpp"

namespace {

using namespace bench;

template <class T>
class Vector {
public:
    using value_type = T;
    static constexpr bool sees_stale = false;

    void reserve(std::size_t n) { vector_.reserve(n); }
    std::uint32_t insert(const T& value) {
        vector_.push_back(value);
        return static_cast<std::uint32_t>(vector_.size() - 1);
    }
    [[nodiscard]] const T* get(std::uint32_t i) const noexcept { return vector_.data() + i; }
    void clear() noexcept { vector_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return vector_.size(); }

private:
    std::vector<T> vector_;
};

const Registered registered([] { slot_map::add_contender<Vector>("vector_unchecked", Role::limit); });

} // namespace
