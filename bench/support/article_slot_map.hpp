// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// The slot map as articles describe it: one std::vector of slots, each with its version, the next free slot and the value side
// by side. The free list runs through the slots and iteration visits every slot and tests it.
#pragma once

#include "element.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

template <class T>
class ArticleSlotMap {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;

    struct Handle {
        std::uint32_t index;
        std::uint32_t version;
    };

    void reserve(std::size_t n) { slots_.reserve(n); }

    Handle insert(const T& value) {
        ++size_;
        if (first_free_ != none) {
            const std::uint32_t index = first_free_;
            Slot& slot = slots_[index];
            first_free_ = slot.next_free;
            slot.value = value;
            return {index, ++slot.version};
        }
        slots_.push_back(Slot{1, none, value});
        return {static_cast<std::uint32_t>(slots_.size() - 1), 1};
    }

    [[nodiscard]] const T* get(Handle handle) const noexcept {
        if (handle.index >= slots_.size()) return nullptr;
        const Slot& slot = slots_[handle.index];
        return slot.version == handle.version ? &slot.value : nullptr;
    }

    bool erase(Handle handle) noexcept {
        if (get(handle) == nullptr) return false;
        Slot& slot = slots_[handle.index];
        ++slot.version;
        slot.next_free = first_free_;
        first_free_ = handle.index;
        --size_;
        return true;
    }

    void clear() noexcept {
        first_free_ = none;
        for (std::size_t i = slots_.size(); i-- > 0;) {
            Slot& slot = slots_[i];
            slot.version += slot.version & 1u;
            slot.next_free = first_free_;
            first_free_ = static_cast<std::uint32_t>(i);
        }
        size_ = 0;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    template <class Function>
    void for_each(Function function) const {
        for (const Slot& slot : slots_) {
            if ((slot.version & 1u) != 0) function(slot.value);
        }
    }

    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for_each([&sum](const T& value) { sum += value.field; });
        return sum;
    }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    struct Slot {
        std::uint32_t version; // odd = live
        std::uint32_t next_free;
        T value;
    };

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
    std::uint32_t first_free_ = none;
};

} // namespace bench
