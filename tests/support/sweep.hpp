// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sweeps say what they sweep: a line each to the file that SLOTWISE_SWEEP_REPORT names, if that is set. tools/verify/throws.py
// and tools/verify/sweeps.py compare the lines with what there is.
//     fail_at_every_step(swept<Map>("insert"), ...)      // throws  SlotMap::insert  <throw points>  <test case>
#ifndef SLOTWISE_TESTS_SUPPORT_SWEEP_HPP
#define SLOTWISE_TESTS_SUPPORT_SWEEP_HPP

#include "catch.hpp"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace test {

/// Fields of a line of the report.
template <class... Fields>
void report(const Fields&... fields) {
    static const char* const path = std::getenv("SLOTWISE_SWEEP_REPORT");
    if (path == nullptr) return;
    std::string line;
    ((line += fields, line += '\t'), ...);
    line.back() = '\n';
    std::ofstream(path, std::ios::app | std::ios::binary) << line; // in one piece: other programs append too
}

/// The name of a class without namespaces and template arguments: "SlotMap".
template <class C>
std::string class_name() {
    std::string_view name =
        SLOTWISE_TEST_FUNCTION;          // "... class_name() [with C = slotwise::SlotMap<int>; ..." or "... [C = ..."
    const auto with = name.find("C = "); // or, by MSVC, "... class_name<class slotwise::SlotMap<int> >(void)"
    name.remove_prefix(with != name.npos ? with + 4 : name.find("class_name<") + 11);
    name = name.substr(0, name.find_first_of("<;]>"));
    return std::string(name.substr(name.find_last_of(": ") + 1)); // all of it where there is none
}

/// The function that a sweep makes throw, as throws.py reads it from the headers: "SlotMap::insert",
/// "SlotMap::operator=(copy)". Constructors are (), (copy), (move), (copy, allocator), (move, allocator), and (...) for all
/// others.
struct Swept {
    std::string function;
};
template <class C>
Swept swept(const char* function) {
    return {class_name<C>() + "::" + function};
}
inline Swept swept(const char* function) { return {function}; }

inline void report_sweep(const Swept& what, std::size_t throw_points) {
    report("throws", what.function, std::to_string(throw_points), Catch::getResultCapture().getCurrentTestName());
}
/// That the function never throws with the types of this test, as a noexcept expression says.
template <bool Noexcept>
void never_throws(const Swept& what) {
    static_assert(Noexcept, "this may throw: sweep it");
    report("noexcept", what.function, "0", Catch::getResultCapture().getCurrentTestName());
}

} // namespace test

#endif
