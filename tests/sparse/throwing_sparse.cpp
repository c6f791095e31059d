// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers with a throw at every step of every function: as before, and no byte lost.
#include "subjects.hpp"

using namespace test;

namespace {

template <class Subject>
using Container =
    typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

/// Refuses each row in turn.
struct Refuses final : RowObserver {
    void on_insert(std::size_t) override { Budget::spend(); }
};

/// Of every sparse container.
template <class Subject, class Attach>
void sweep_all(Attach attach) {
    using C = Container<Subject>;
    sweep_whole<Subject, C>();
    sweep_function<Subject, C>("reserve", [](C& c) { c.reserve(5000); });
    const auto sparse = [](C& c) {
        Subject::fill(c, 200'000, 3000);
        c.clear();
    };
    sweep_function<Subject, C>("shrink_to_fit", sparse, [](C& c) { c.shrink_to_fit(); });
    const C other = sample<Subject, C>(1, 500, 700);
    const auto bytes = other.snapshot();
    sweep_function<Subject, C>("restore", [&](C& c) { c.restore(bytes); });
    sweep_function<Subject, C>("try_restore",
                               [&](C& c) { demand(c.try_restore(bytes) == nullptr, "a sound snapshot is refused"); });
    sweep_function<Subject, C>("attach", [&](C& c) {
        Refuses observer;
        const auto token = attach(c, observer);
    });
}

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("EntityIndex: what throws leaves it as it was", "[sparse][throws]") {
    using C = Container<EntityIndices>;
    sweep_all<EntityIndices>([](C& c, Refuses& observer) { return c.attach(observer); });
    const auto full = [](C& c) { c.create_n(c.dead().size() + 5000); };
    sweep_function<EntityIndices, C>("create", full, [](C& c) { c.create(); });
    sweep_function<EntityIndices, C>("create_n", [](C& c) { c.create_n(5000); });
    sweep_function<EntityIndices, C>("make_alive", [](C& c) { c.make_alive(AnEntity(1u << 31, 7)); });
    sweep_function<EntityIndices, C>("add_range", [](C& c) { c.add_range(70'000'000, 80'000'000); });
}
#endif
