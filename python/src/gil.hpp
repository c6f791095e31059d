// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Python's lock, the GIL, as guards that a thread may meet the end of the interpreter in.
#ifndef SLOTWISE_PYTHON_GIL_HPP
#define SLOTWISE_PYTHON_GIL_HPP

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace slotwise_python {

/// For a thread that Python has ended, which must not run a destructor: it has no GIL.
[[noreturn]] inline void wait_for_end() noexcept {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}
/// Calls take(), which waits for the GIL. Python before 3.14 ends a daemon thread there, once the interpreter is ending: glibc
/// unwinds the stack, and std::terminate() is called where the first function is noexcept, as destructors are. The thread waits
/// for the end of the process instead, as Python 3.14 has it. A thread that
/// runs Python code inside of a call is ended there, by Python: that is beyond an extension module.
template <class F>
auto take_gil(F take) noexcept {
    try {
        return take();
    } catch (...) { // take() is a function of C: nothing but the end of the thread comes here
        wait_for_end();
    }
}

/// Releases the GIL while it lives.
class GilReleased {
public:
    GilReleased() noexcept : state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        take_gil([this] { PyEval_RestoreThread(state_); });
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

private:
    PyThreadState* state_;
};

/// Holds the GIL while it lives.
class GilHeld {
public:
    GilHeld() noexcept : state_(take_gil([] { return PyGILState_Ensure(); })) {}
    ~GilHeld() { PyGILState_Release(state_); }
    GilHeld(const GilHeld&) = delete;
    GilHeld& operator=(const GilHeld&) = delete;

private:
    PyGILState_STATE state_;
};

} // namespace slotwise_python

#endif
