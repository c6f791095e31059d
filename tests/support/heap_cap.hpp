// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bytes that are out, and a cap on them. Only a program with capped_new.hpp in one of its sources counts.
#ifndef SLOTWISE_TESTS_SUPPORT_HEAP_CAP_HPP
#define SLOTWISE_TESTS_SUPPORT_HEAP_CAP_HPP

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace test {

class HeapCap {
public:
    /// At most `more` bytes over those that are out now.
    explicit HeapCap(std::size_t more) noexcept : before_(out()) {
        peak_ = before_;
        cap_ = before_ + more;
    }
    HeapCap(const HeapCap&) = delete;
    HeapCap& operator=(const HeapCap&) = delete;
    ~HeapCap() { cap_ = std::numeric_limits<std::size_t>::max(); }

    /// Bytes taken since, and the most there were at once.
    std::size_t taken() const noexcept { return out() - before_; }
    std::size_t peak() const noexcept { return peak_ - before_; }
    static std::size_t out() noexcept { return out_; }

    /// Memory for operator new; the size stands before it. Null when that is beyond the cap or the system has none.
    static void* take(std::size_t bytes, std::size_t align) noexcept {
        const std::size_t room = align < 16 ? 16 : align, most = std::numeric_limits<std::size_t>::max() / 2;
        if (bytes > most - 2 * room || out_ + bytes > cap_) return nullptr;
        auto* const data = static_cast<char*>(aligned(room, (bytes + 2 * room - 1) / room * room));
        if (data == nullptr) return nullptr;
        std::memcpy(data, &bytes, sizeof bytes);
        out_ += bytes;
        if (out_ > peak_) peak_ = out_.load();
        return data + room;
    }
    static void give_back(void* memory, std::size_t align) noexcept {
        if (memory == nullptr) return;
        auto* const data = static_cast<char*>(memory) - (align < 16 ? 16 : align);
        std::size_t bytes = 0;
        std::memcpy(&bytes, data, sizeof bytes);
        out_ -= bytes;
        free(data);
    }

private:
#if defined(_WIN32) // has no std::aligned_alloc
    static void* aligned(std::size_t align, std::size_t bytes) noexcept { return ::_aligned_malloc(bytes, align); }
    static void free(void* memory) noexcept { ::_aligned_free(memory); }
#else
    static void* aligned(std::size_t align, std::size_t bytes) noexcept { return std::aligned_alloc(align, bytes); }
    static void free(void* memory) noexcept { std::free(memory); }
#endif
    static inline std::atomic<std::size_t> out_{0}, peak_{0}, cap_{std::numeric_limits<std::size_t>::max()};
    std::size_t before_;
};

} // namespace test

#endif
