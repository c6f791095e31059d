// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arrays that grow by realloc(), which moves large blocks by their page tables, in large pages, as NumPy asks for them: the first touch of
// 48 MB takes 16 ms instead of 48 (Linux 6.18, a virtual machine).
#ifndef SLOTWISE_PYTHON_HUGE_HPP
#define SLOTWISE_PYTHON_HUGE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace slotwise_python {

/// Says that memory of malloc() may come in pages of 2 MiB; of no effect where it is small or the system has none.
inline void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t page = 4096, least = std::size_t{1} << 22;
    if (data == nullptr || bytes < least) return;
    const std::size_t off = (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
    static_cast<void>(::madvise(static_cast<std::byte*>(data) + off, bytes - off, MADV_HUGEPAGE));
#endif
}

/// Room for `to` values of `size` bytes at `data`; those from `room` on are not initialised. @throws std::bad_alloc; nothing has changed then
template <class T>
void grow_run(T*& data, std::size_t& room, std::size_t to, std::size_t size) {
    if (to <= room) return;
    if (to > static_cast<std::size_t>(-1) / size / 2) throw std::bad_alloc();
    void* const grown = std::realloc(static_cast<void*>(data), to * size);
    if (grown == nullptr) throw std::bad_alloc();
    data = static_cast<T*>(grown);
    room = to;
    prefer_huge_pages(grown, to * size);
}
/// Gives back what is behind the first `to` values.
template <class T>
void shrink_run(T*& data, std::size_t& room, std::size_t to, std::size_t size) noexcept {
    if (to >= room) return;
    if (to == 0) {
        std::free(static_cast<void*>(data));
        data = nullptr;
    } else if (void* const less = std::realloc(static_cast<void*>(data), to * size))
        data = static_cast<T*>(less);
    room = to;
}

} // namespace slotwise_python

#endif
