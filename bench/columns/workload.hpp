// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: elements have several fields, a loop needs one or two of them: how should the fields lie in memory?
//
// Elements are of two or of eight fields of 8 bytes ("bytes": 16 or 64). n are inserted, and a random half erased in the rows
// of 50 %.
//
// read_one            one field of every live element added up
// read_two_write_one  the same field increased by another one, in every live element
// random              the field of every live element added up, in random order, by name
//
// Times are per live element.
//
// vector_of_struct   limit of structs: packed, names are unchecked indexes
// vector_per_field   limit of columns: packed, names are unchecked indexes
// SlotMap            structs: for_each; get(handle)
// columns            a SlotMap of the second field, every other field a static column; ColumnView: for_each, zip_columns;
//                    get(handle)
//   .chunks          contiguous chunks and their masks
//   .iterator        iterators of the views
//   .slots           view[slot] for the live slots, which the view lists
//   .index           every slot below slot_end(), asked whether it is live
//   .slot_list       view[slot] for the slots of a list: nothing is checked
// SoaSlotMap         a packed column a field; get(handle)
// SecondaryMap       a SlotMap of the second field, every other field in a SecondaryMap; get(handle) for the handles of a list
// plf_colony         structs; random: by iterator, unchecked
#pragma once

#include "../support/contender.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace bench::columns {

inline constexpr std::size_t sizes[] = {10'000, 100'000, 1'000'000};

using Word = std::uint64_t;

// The fields of an element. Number 0 is `field`: the one that is read and written; number 1 is the other one that is read.
template <class T>
inline constexpr std::size_t field_count = sizeof(T) / sizeof(Word);

template <class T>
[[nodiscard]] std::array<Word, field_count<T>> fields(const T& element) noexcept {
    return std::bit_cast<std::array<Word, field_count<T>>>(element);
}

[[nodiscard]] inline Word second(const Element16& element) noexcept { return element.rest; }
[[nodiscard]] inline Word second(const Element64& element) noexcept { return element.rest[0]; }

// One call a pass.
template <class C>
SLOTWISE_BENCH_LOOP void update(C& contender) {
    contender.update();
}

// n elements, of which some are erased. A contender that walks by a list of handles takes it with walk_by(handles).
template <class C>
class Subject {
public:
    Subject(std::size_t n, int live_percent) {
        const std::size_t live = n * static_cast<std::size_t>(live_percent) / 100;
        handles = populate(contender, n, shuffled(n, 1), n - live);
        if constexpr (requires { contender.walk_by(handles); }) contender.walk_by(handles);
    }

    C contender;
    std::vector<handle_of<C>> handles; // in the order of insertion
};

[[nodiscard]] inline std::size_t passes_for(std::size_t live) noexcept { return std::max<std::size_t>(1, 200'000 / live); }

template <class C>
Measured read_one(benchmark::State& state, std::size_t n, int live_percent) {
    const Subject<C> subject(n, live_percent);
    const std::size_t live = subject.handles.size();
    const Word sum = timed_passes(state, passes_for(live), subject, [&] { return sum_of(subject.contender); });
    return {live * passes_for(live), sum};
}

template <class C>
Measured read_two_write_one(benchmark::State& state, std::size_t n, int live_percent) {
    Subject<C> subject(n, live_percent);
    const std::size_t live = subject.handles.size();
    static_cast<void>(timed_passes(state, passes_for(live), subject, [&] {
        update(subject.contender);
        return 0;
    }));
    return {live * passes_for(live), sum_of(subject.contender)};
}

template <class C>
Measured random(benchmark::State& state, std::size_t n, int live_percent) {
    const Subject<C> subject(n, live_percent);
    const std::size_t live = subject.handles.size();
    const std::vector<handle_of<C>> queries = in_order<C>(subject.handles, shuffled(live, 3));
    const Word sum =
        timed_passes(state, passes_for(live), subject, [&] { return look_up(subject.contender, queries.data(), live); });
    return {live * passes_for(live), sum};
}

enum Rows : unsigned {
    sweep_rows = 1,
    random_row = 2,
    all_rows = 3,
};

// A contender has sum(), update() and get() or field().
template <template <class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role, unsigned rows = all_rows) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        using C = Contender<T>;
        for (const std::size_t n : sizes) {
            for (const int live : {100, 50}) {
                const auto add_row = [&](const char* operation, Measured (*body)(benchmark::State&, std::size_t, int)) {
                    add({operation, sizeof(T), n, live}, name, role, 5,
                        [=](benchmark::State& state) { return body(state, n, live); });
                };
                if (rows & sweep_rows) {
                    add_row("read_one", read_one<C>);
                    add_row("read_two_write_one", read_two_write_one<C>);
                }
                if constexpr (can_look_up<C>) {
                    if (rows & random_row) add_row("random", random<C>);
                }
            }
        }
    };
    add_type(std::type_identity<Element16>{});
    add_type(std::type_identity<Element64>{});
}

} // namespace bench::columns
