// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Box: a container as a Python object holds it, with a lock of its own, and the ways to read and to write it without the GIL.
#ifndef SLOTWISE_PYTHON_BOX_HPP
#define SLOTWISE_PYTHON_BOX_HPP

#include "gil.hpp"
#include "lock.hpp"

#include <slotwise/arrow/exportable.hpp>

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace slotwise_python {

namespace nb = nanobind;
using slotwise::OnWrite;

/// What every class of the package holds. See lock.hpp for the order of the lock and the GIL.
template <class C>
struct Box {
    using container = C;
    slotwise::Exportable<C> data;
    OnWrite on_write = OnWrite::detach;
    mutable Lock lock;
    mutable std::atomic<std::uint64_t> writes{0}; // how many there were, counted under the lock: what is read ahead may be old
};

/// Calls f() under the lock, for work that takes microseconds: the GIL is released only to wait. f calls no Python.
template <class B, class F>
decltype(auto) briefly(const B& box, F&& f) {
    return with_lock_briefly<GilReleased>(box.lock, std::forward<F>(f));
}
/// The same for work that grows with the container: the GIL is released, so that other threads run. f calls no Python.
template <class B, class F>
decltype(auto) at_length(const B& box, F&& f) {
    return with_lock_at_length<GilReleased>(box.lock, std::forward<F>(f));
}

/// f() under the locks of both, as at_length(), in any order. @pre they are two objects
template <class B, class F>
decltype(auto) at_length_both(const B& a, const B& b, F&& f) {
    const GilReleased released;
    const std::scoped_lock held(a.lock, b.lock);
    return f();
}

/// Before each write, under the lock. @throws BufferError when views read the container and it was not told to detach
template <class B>
void expect_writable(const B& box) {
    box.writes.store(box.writes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (box.on_write == OnWrite::refuse && box.data.pinned())
        throw nb::buffer_error(
            "this object can not be changed while a view of it is alive (an array of column(), an Arrow stream "
            "or batch), because on_write is 'refuse': delete the view, work on a copy(), or set on_write = 'detach'");
}
/// The container for writing. @throws as expect_writable()
template <class B>
typename B::container& writable(B& box) {
    expect_writable(box);
    return *box.data.write(OnWrite::detach);
}

/// f(const container) as briefly() and at_length(); f(container) to write.
template <class B, class F>
auto read(const B& box, F&& f) {
    return briefly(box, [&] { return f(box.data.read()); });
}
template <class B, class F>
auto read_all(const B& box, F&& f) {
    return at_length(box, [&] { return f(box.data.read()); });
}
template <class B, class F>
auto write(B& box, F&& f) {
    return briefly(box, [&] { return f(writable(box)); });
}
template <class B, class F>
auto write_all(B& box, F&& f) {
    return at_length(box, [&] { return f(writable(box)); });
}

} // namespace slotwise_python

#endif
