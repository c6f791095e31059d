// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A slot map as an engine writes it by hand: three raw arrays that move when they grow. Nothing is called but malloc, so a debug
// build runs it nearly at full speed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace bench::small {

template <class T>
class FlatSlotMap {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    struct Handle {
        std::uint32_t index;
        std::uint32_t version;
    };

    FlatSlotMap() = default;
    FlatSlotMap(const FlatSlotMap&) = delete;
    FlatSlotMap& operator=(const FlatSlotMap&) = delete;
    ~FlatSlotMap() {
        std::free(values_);
        std::free(versions_);
        std::free(free_);
    }

    Handle insert(const T& value) {
        if (free_count_ == 0 && used_ == capacity_) grow();
        const std::uint32_t index = free_count_ != 0 ? free_[--free_count_] : used_++;
        values_[index] = value;
        return {index, ++versions_[index]};
    }
    T* get(Handle handle) const {
        return handle.index < used_ && versions_[handle.index] == handle.version ? &values_[handle.index] : nullptr;
    }
    bool erase(Handle handle) {
        if (get(handle) == nullptr) return false;
        ++versions_[handle.index];
        free_[free_count_++] = handle.index;
        return true;
    }

private:
    template <class U>
    static void grow(U*& array, std::uint32_t capacity) {
        void* const grown = std::realloc(array, capacity * sizeof(U));
        if (grown == nullptr) throw std::bad_alloc();
        array = static_cast<U*>(grown);
    }
    void grow() {
        const std::uint32_t capacity = capacity_ == 0 ? 16 : 2 * capacity_;
        grow(values_, capacity);
        grow(versions_, capacity);
        grow(free_, capacity);
        for (; capacity_ != capacity; ++capacity_) versions_[capacity_] = 0;
    }

    T* values_ = nullptr;
    std::uint32_t* versions_ = nullptr;
    std::uint32_t* free_ = nullptr;
    std::uint32_t free_count_ = 0;
    std::uint32_t used_ = 0;
    std::uint32_t capacity_ = 0;
};

} // namespace bench::small
