// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The lock of an object of the package, and the two ways to hold it beside Python's own lock, the GIL. Nothing of Python is
// included: tests/arrow/readers_python.cpp runs it under ThreadSanitizer, which the interpreter cannot be.
#ifndef SLOTWISE_PYTHON_LOCK_HPP
#define SLOTWISE_PYTHON_LOCK_HPP

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace slotwise_python {

/// A mutex that refuses the thread which holds it already: a stream that is read under the lock may run Python code.
class Lock {
public:
    bool try_lock() {
        refuse_owner();
        if (!mutex_.try_lock()) return false;
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        return true;
    }
    void lock() {
        refuse_owner();
        mutex_.lock();
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    }
    void unlock() {
        owner_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }

private:
    void refuse_owner() const {
        if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id())
            throw std::runtime_error(
                "this object is being changed by the call that runs this code (a stream given to update() or "
                "apply() uses the object that it goes into); read what is needed before the call");
    }

    std::mutex mutex_;
    std::atomic<std::thread::id> owner_{};
};

/// Calls f() under the lock. The GIL is released only to wait. The order of locks: the GIL is never waited for while a thread that
/// holds it waits for `lock`, because a thread releases the GIL before it waits for `lock`. @tparam Released releases the GIL
/// while it lives
template <class Released, class F>
decltype(auto) with_lock_briefly(Lock& lock, F&& f) {
    if (lock.try_lock()) {
        const std::lock_guard held(lock, std::adopt_lock);
        return f();
    }
    const Released released;
    const std::lock_guard held(lock);
    return f();
}
/// The same with the GIL released all the time.
template <class Released, class F>
decltype(auto) with_lock_at_length(Lock& lock, F&& f) {
    const Released released;
    const std::lock_guard held(lock);
    return f();
}

} // namespace slotwise_python

#endif
