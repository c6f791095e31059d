// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of rows with a throw at every step of every function: as before, and no byte lost.
#include "subjects.hpp"
#include "support/failing_new.hpp"

#include <slotwise/rows/any_codec.hpp>
#include <slotwise/rows/soa_struct.hpp>

using namespace test;

namespace {

template <class Subject>
using Container =
    typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

[[maybe_unused]] bool spent(bool answer) {
    Budget::spend();
    return answer;
}

/// What columns that follow rows have. @param more the arguments of a row
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

TEST_CASE("SoaVector: what throws leaves it as it was", "[rows][throws]") {
    using Subject = SoaVectors<ThrowingCopy>;
    using C = Container<Subject>;
    sweep_whole<Subject, C>();
    const auto full = [](C& c) {
        while (c.size() != c.capacity()) c.push_back(1, short{2});
    };
    sweep_function<Subject, C>("push_back", full, [](C& c) { c.push_back(7, short{7}); });
    sweep_function<Subject, C>("emplace_back", full, [](C& c) { c.emplace_back([] { return ThrowingCopy(7); }, short{7}); });
    sweep_function<Subject, C>("insert", full, [](C& c) { c.insert(3, 7, short{7}); });
    sweep_function<Subject, C>("insert", [](C& c) { c.insert(3, 7, short{7}); });
    sweep_function<Subject, C>("resize", [](C& c) { c.resize(90); });
    sweep_function<Subject, C>("resize", [](C& c) { c.resize(90, c[3].get<0>(), short{1}); });
    sweep_function<Subject, C>("reserve", [](C& c) { c.reserve(9000); });
    sweep_function<Subject, C>(
        "shrink_to_fit", [](C& c) { c.reserve(900); }, [](C& c) { c.shrink_to_fit(); });
    sweep_function<Subject, C>(
        "sort", [](C& c) { c.sort<0>([](const auto& a, const auto& b) { return spent(a.value() > b.value()); }); });
    sweep_function<Subject, C>("sort", [](C& c) {
        c.sort([](const auto& a, const auto& b) { return spent(a.template get<1>() > b.template get<1>()); });
    });
    sweep_function<Subject, C>("erase_if",
                               [](C& c) { c.erase_if([](const auto& row) { return spent(row.template get<1>() == 29); }); });
    using Numbers = SoaVectors<int>;
    using N = Container<Numbers>;
    const N other = sample<Numbers, N>(1, 500, 300);
    const auto bytes = other.snapshot();
    sweep_function<Numbers, N>("restore", [&](N& c) { c.restore(bytes); });
    sweep_function<Numbers, N>("try_restore",
                               [&](N& c) { demand(c.try_restore(bytes) == nullptr, "a sound snapshot is refused"); });
}

/// Of elements whose moves and swaps throw: each row is whole, and none is lost.
template <class Act>
void keeps_rows(const char* function, Act act) {
    using C = SoaVector<Throwing, short>;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<C>(function), [&](auto&& attempt) {
        C c;
        for (short i = 0; i != 9; ++i) c.push_back(i, i);
        if (!attempt([&] { act(c); })) return;
        demand(c.size() == 9 && c.check_invariants(), "a row is lost");
    });
    demand(failures != 0, "nothing threw");
}
TEST_CASE("SoaVector: moves that throw lose no row", "[rows][throws]") {
    keeps_rows("erase", [](auto& c) { c.erase(2); });
    keeps_rows("swap_erase", [](auto& c) { c.swap_erase(2); });
    keeps_rows("swap_rows", [](auto& c) { c.swap_rows(2, 5); });
    keeps_rows("sort", [](auto& c) { c.template sort<1>([](short a, short b) { return a > b; }); });
    keeps_rows("erase_if", [](auto& c) { c.erase_if([](const auto& row) { return spent(row.template get<1>() % 3 == 0); }); });
    keeps_rows("insert", [](auto& c) { c.insert(3, 1, short{1}); });
    using C = SoaVector<Throwing, short>;
    const auto failures = fail_at_every_step(swept<C::reference>("swap"), [&](auto&& attempt) {
        C c;
        for (short i = 0; i != 2; ++i) c.push_back(i, i);
        attempt([&] { swap(c[0], c[1]); });
        demand(c.check_invariants(), "it is not sound");
    });
    demand(failures != 0, "nothing threw");
}

/// A struct whose members throw when they are copied.
struct Split {
    ThrowingCopy value;
    short number;
};
struct SoaStructs : SoaVectors<ThrowingCopy> {
    template <class A>
    using container = BasicSoaStruct<Fields<&Split::value, &Split::number>, AllocBy<A>>;
};
TEST_CASE("SoaStruct: what throws leaves it as it was", "[rows][throws]") {
    using C = Container<SoaStructs>;
    const auto full = [](C& c) {
        while (c.size() != c.capacity()) c.push_back(Split{1, 2});
    };
    const Split split{7, 7};
    sweep_function<SoaStructs, C>("push_back", full, [&](C& c) { c.push_back(split); });
    sweep_function<SoaStructs, C>("insert", [&](C& c) { c.insert(3, split); });
    sweep_function<SoaStructs, C>("resize", [&](C& c) { c.resize(90, split); });
    sweep_function<SoaStructs, C>("erase_if",
                                  [](C& c) { c.erase_if([](const auto& row) { return spent(row.template get<1>() == 29); }); });
    sweep_function<SoaStructs, C>("sort", [](C& c) {
        c.template sort<&Split::value>([](const auto& a, const auto& b) { return spent(a.value() > b.value()); });
    });
    never_throws<noexcept(swap(std::declval<SoaStruct<&Split::number>&>(), std::declval<SoaStruct<&Split::number>&>()))>(
        swept<C>("swap"));
}

TEST_CASE("AnyCodec: memory that runs out leaves it as it was", "[rows][throws]") {
    const auto failures = run_out_of_memory([](auto&& attempt) {
        AnyCodec codec;
        const bool threw = attempt([&] { codec.add<int>(); });
        demand(codec.covers(TypeDescriptor::of<int>()) == !threw, "a type was added although it threw");
    });
    demand(failures != 0, "nothing threw");
    report_sweep(swept<AnyCodec>("add"), failures);
    never_throws<std::is_nothrow_default_constructible_v<AnyCodec>>(swept<AnyCodec>("()"));
}

TEST_CASE("AnyRows: what throws leaves it as it was", "[rows][throws]") {
    sweep_whole<ManyRows<ThrowingCopy>, Container<ManyRows<ThrowingCopy>>>();
}
#endif
