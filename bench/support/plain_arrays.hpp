// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The reference for checked handles: three plain arrays and nothing else. A value array, a version array (odd = live, bumped
// when an element arrives and when it leaves, as in slotwise) and a stack of free indexes. No occupancy, so it cannot iterate;
// no stable addresses; values are trivially copyable; versions may wrap; an exception would leak.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace bench {

template <class T>
class PlainArrays {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;

    struct Handle {
        std::uint32_t index;
        std::uint32_t version;
    };

    void reserve(std::size_t n) {
        if (n > capacity_) grow(n);
    }

    Handle insert(const T& value) {
        std::uint32_t index;
        if (free_count_ != 0) {
            index = free_[--free_count_];
        } else {
            if (used_ == capacity_) grow(std::max<std::size_t>(16, capacity_ * 2));
            index = static_cast<std::uint32_t>(used_++);
        }
        values_[index] = value;
        return {index, ++versions_[index]};
    }

    [[nodiscard]] const T* get(Handle handle) const noexcept {
        return handle.index < used_ && versions_[handle.index] == handle.version ? &values_[handle.index] : nullptr;
    }

    bool erase(Handle handle) noexcept {
        if (get(handle) == nullptr) return false;
        ++versions_[handle.index];
        free_[free_count_++] = handle.index;
        return true;
    }

    void clear() noexcept {
        for (std::size_t i = 0; i < used_; ++i) {
            versions_[i] += versions_[i] & 1u;
            free_[i] = static_cast<std::uint32_t>(used_ - 1 - i);
        }
        free_count_ = used_;
    }

    [[nodiscard]] std::size_t size() const noexcept { return used_ - free_count_; }

private:
    void grow(std::size_t capacity) {
        auto values = std::make_unique_for_overwrite<T[]>(capacity);
        auto versions = std::make_unique<std::uint32_t[]>(capacity);
        std::copy_n(values_.get(), used_, values.get());
        std::copy_n(versions_.get(), used_, versions.get());
        auto free = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
        std::copy_n(free_.get(), free_count_, free.get());
        free_ = std::move(free);
        values_ = std::move(values);
        versions_ = std::move(versions);
        capacity_ = capacity;
    }

    std::unique_ptr<T[]> values_;
    std::unique_ptr<std::uint32_t[]> versions_;
    std::unique_ptr<std::uint32_t[]> free_;
    std::size_t free_count_ = 0;
    std::size_t used_ = 0;
    std::size_t capacity_ = 0;
};

} // namespace bench
