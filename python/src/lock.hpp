// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The lock of an object of the package, and the two ways to hold it beside Python's own lock, the GIL. Nothing of Python is
// included: tests/arrow/readers_python.cpp runs it under ThreadSanitizer, which the interpreter cannot be.
#ifndef SLOTWISE_PYTHON_LOCK_HPP
#define SLOTWISE_PYTHON_LOCK_HPP

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace slotwise_python {

/// How often this process is a child made by fork(): its parent has one less.
inline std::atomic<unsigned> generation_of_process{0};
/// Has fork() count. Called once, before a lock is taken.
inline void count_forks() {
#ifndef _WIN32
    pthread_atfork(nullptr, nullptr, [] { generation_of_process.fetch_add(1, std::memory_order_relaxed); });
#endif
}

/// A mutex that refuses the thread which holds it already: a stream that is read under the lock may run Python code. It refuses
/// to wait for a thread of the parent process, which holds it for ever in a child made by fork().
class Lock {
public:
    bool try_lock() {
        refuse_owner();
        if (!mutex_.try_lock()) return false;
        mark();
        return true;
    }
    void lock() {
        refuse_owner();
        if (!mutex_.try_lock()) {
            if (generation_.load(std::memory_order_relaxed) == generation_of_process.load(std::memory_order_relaxed))
                mutex_.lock();
            else
                lock_of_parent();
        }
        mark();
    }
    void unlock() {
        owner_.store({}, std::memory_order_relaxed);
        mutex_.unlock();
    }

private:
    void mark() {
        owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
        generation_.store(generation_of_process.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    /// The last thread that marked the lock is one of the parent. Perhaps another of this process has just taken it, and has not
    /// marked it yet: it gets a while to.
    void lock_of_parent() {
        for (int tries = 0; tries != 200; ++tries) {
            if (generation_.load(std::memory_order_relaxed) == generation_of_process.load(std::memory_order_relaxed))
                return mutex_.lock();
            if (mutex_.try_lock()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        throw std::runtime_error(
            "this object was in use by another thread when the process was forked, so that it can not be used in the child; "
            "fork while no thread uses it, or start processes by 'spawn' or 'forkserver'");
    }
    void refuse_owner() const {
        if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id())
            throw std::runtime_error(
                "this object is being changed by the call that runs this code (a stream given to update() or "
                "apply() uses the object that it goes into); read what is needed before the call");
    }

    std::mutex mutex_;
    std::atomic<std::thread::id> owner_{};
    std::atomic<unsigned> generation_{generation_of_process.load(std::memory_order_relaxed)};
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
