// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A hash table of addresses, for books that tests write at every step. Unoptimised, a std::map took most of the time of the tests that
// throw at every step.
#ifndef SLOTWISE_TESTS_SUPPORT_ADDRESS_TABLE_HPP
#define SLOTWISE_TESTS_SUPPORT_ADDRESS_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace test {

/// Entry has `const void* address`, null in an empty place, and same(const Entry&), which says whether two mean the same object.
template <class Entry>
class AddressTable {
public:
    std::size_t size() const noexcept { return size_; }
    /// Null when there is none. Reads only: several threads may ask.
    Entry* find(const Entry& like) noexcept {
        if (size_ == 0) return nullptr;
        for (std::size_t i = home(like.address);; i = (i + 1) & mask_)
            if (places_[i].address == nullptr)
                return nullptr;
            else if (places_[i].same(like))
                return places_ + i;
    }
    /// Whether it was not there. Strong guarantee: its memory may be what runs out.
    bool insert(const Entry& entry) {
        if (find(entry) != nullptr) return false;
        if (2 * (size_ + 1) > room_.size()) grow();
        put(entry);
        ++size_;
        return true;
    }
    bool erase(const Entry& like) noexcept {
        Entry* const found = find(like);
        if (found == nullptr) return false;
        // What stood further on only because this place was taken moves up.
        std::size_t hole = static_cast<std::size_t>(found - places_);
        for (std::size_t i = (hole + 1) & mask_; places_[i].address != nullptr; i = (i + 1) & mask_)
            if (((i - home(places_[i].address)) & mask_) >= ((i - hole) & mask_)) {
                places_[hole] = places_[i];
                hole = i;
            }
        places_[hole] = Entry{};
        --size_;
        return true;
    }
    template <class F>
    void for_each(F&& f) const {
        for (const Entry& entry : room_)
            if (entry.address != nullptr) f(entry);
    }

private:
    std::size_t home(const void* address) const noexcept {
        const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address)) * 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(number >> 32) & mask_;
    }
    void put(const Entry& entry) noexcept {
        std::size_t i = home(entry.address);
        while (places_[i].address != nullptr) i = (i + 1) & mask_;
        places_[i] = entry;
    }
    void grow() {
        std::vector<Entry> old(room_.empty() ? 64 : 2 * room_.size());
        room_.swap(old);
        places_ = room_.data();
        mask_ = room_.size() - 1;
        for (const Entry& entry : old)
            if (entry.address != nullptr) put(entry);
    }

    std::vector<Entry> room_{};
    Entry* places_ = nullptr; // of room_: unoptimised, its operator[] is a call
    std::size_t mask_ = 0;
    std::size_t size_ = 0;
};

} // namespace test

#endif
