// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of rows with a throw at every step of every function: as before, and no byte lost.
#include "subjects.hpp"

using namespace test;

namespace {

template <class Subject>
using Container =
    typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

/// What all of them have. @param more the arguments of a row
template <class Subject, class... More>
void sweep_rows(const More&... more) {
    using C = Container<Subject>;
    sweep_whole<Subject, C>();
    sweep_function<Subject, C>("(...)", [&](C& c) { const C made(90, more..., c.get_allocator()); });
    const auto full = [&](C& c) { c.resize(c.capacity(), more...); };
    sweep_function<Subject, C>("push_back", full, [&](C& c) { c.push_back(more...); });
    sweep_function<Subject, C>("append", [&](C& c) { c.append(9000, more...); });
    sweep_function<Subject, C>("resize", [&](C& c) { c.resize(9000, more...); });
    sweep_function<Subject, C>("reserve", [&](C& c) { c.reserve(9000); });
    const auto wide = [&](C& c) {
        c.resize(9000, more...);
        c.resize(30, more...);
    };
    sweep_function<Subject, C>("shrink_to_fit", wide, [](C& c) { c.shrink_to_fit(); });
    C other{typename C::allocator_type(1)};
    other.append(700, more...);
    const auto bytes = other.snapshot();
    sweep_function<Subject, C>("restore", [&](C& c) { c.restore(bytes); });
    sweep_function<Subject, C>("try_restore",
                               [&](C& c) { demand(c.try_restore(bytes) == nullptr, "a sound snapshot is refused"); });
}

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("BitColumn: what throws leaves it as it was", "[rows][throws]") {
    using C = Container<BitColumns>;
    sweep_rows<BitColumns>(true);
    sweep_function<BitColumns, C>(
        "insert", [](C& c) { c.resize(c.capacity()); }, [](C& c) { c.insert(7, true); });
    calls_nothing_that_throws(swept("for_each_run"), [] {
        const C bits{C::allocator_type(1)};
        for_each_run(0, include(bits), exclude(), [](std::size_t, std::size_t) {});
    });
}

TEST_CASE("TickColumn: what throws leaves it as it was", "[rows][throws]") { sweep_rows<TickColumns>(tick_t{7}); }
#endif
