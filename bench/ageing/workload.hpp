// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what is a container worth after a long life?
//
// n/2 elements are inserted, then a million random operations follow (n = 1e6: four million), an insertion or the erasure of an
// element picked at random. The number of live elements wanders between n/4 and n: three of four operations insert until it is
// n, three of four erase until it is n/4, and so on; in the end it is n/2.
//
// age            nanoseconds an operation of that life
// aged_iterate   one field of every live element added up, per element
// aged_lookup    lookups of all live elements in the order of their insertion, in which their places are scattered by now
// memory         bytes a live element, as support/memory_use.hpp counts them
// fresh_iterate  as the aged rows, in a container into which as many elements were inserted in order
// fresh_lookup
//
// Every contender lives the same life. One that cannot erase takes part in iterate and lookup with the survivors packed in
// order.
#pragma once

#include "../support/memory_use.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::ageing {

inline constexpr std::size_t sizes[] = {10'000, 100'000, 1'000'000};

inline constexpr std::uint32_t insertion = 0xFFFFFFFFu;

// What happens to the live elements, which are kept in an array: an insertion appends to it, an erasure takes the element at a
// position out and puts the last one there. Element i, in the order of insertion, has the value i of the table.
struct Life {
    std::size_t n;
    std::size_t initial;
    std::vector<std::uint32_t> operations; // insertion, or the position of the victim
    std::vector<std::uint32_t> survivors;  // positions in the final array in the order of insertion
    std::vector<std::uint32_t> numbers;    // which elements they are

    explicit Life(std::size_t size) : n(size), initial(size / 2), operations(size >= 1'000'000 ? 4'000'000 : 1'000'000) {
        std::vector<std::uint32_t> born(initial);
        std::iota(born.begin(), born.end(), 0u);
        auto next = static_cast<std::uint32_t>(initial);
        Random random(n * 41);
        bool growing = true;
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const std::size_t live = born.size();
            const std::size_t away = live > initial ? live - initial : initial - live;
            if (operations.size() - i <= 2 * away) {
                growing = live < initial; // as many as it takes to come back, at three against one
            } else if (live >= n || live <= n / 4) {
                growing = live < n;
            }
            const bool with_the_tide = random.below(4) != 0;
            const bool last_steps = operations.size() - i <= away;
            if (last_steps ? growing : (growing == with_the_tide || live <= n / 4) && live < n) {
                operations[i] = insertion;
                born.push_back(next++);
            } else {
                const std::uint32_t victim = random.below(live);
                operations[i] = victim;
                born[victim] = born.back();
                born.pop_back();
            }
        }
        survivors.resize(born.size());
        std::iota(survivors.begin(), survivors.end(), 0u);
        std::sort(survivors.begin(), survivors.end(), [&](std::uint32_t a, std::uint32_t b) { return born[a] < born[b]; });
        numbers = std::move(born);
        std::sort(numbers.begin(), numbers.end());
    }
};

// Made once: a process runs one n.
[[nodiscard]] inline const Life& life(std::size_t n) {
    static std::optional<Life> made;
    if (!made || made->n != n) made.emplace(n);
    return *made;
}

template <class C>
SLOTWISE_BENCH_LOOP std::size_t live_through(C& contender, handle_of<C>* live, std::size_t count, std::size_t born,
                                             const std::uint32_t* operations, std::size_t n) {
    using T = typename C::value_type;
    const ValueTable<T>& table = values<T>();
    for (std::size_t i = 0; i < n; ++i) {
        if (operations[i] == insertion) {
            live[count++] = contender.insert(table[born++]);
        } else {
            contender.erase(live[operations[i]]);
            live[operations[i]] = live[--count];
        }
    }
    return count;
}

// A container and the handles of its live elements.
template <class C>
class Subject {
public:
    explicit Subject(std::size_t n) : life_(life(n)), handles_(n) {}

    void bear() {
        container_.reset(); // all memory is back before the next one is built
        container_ = std::make_unique<C>();
        count_ = life_.initial;
        fill(*container_, handles_.data(), count_);
    }
    void age() {
        count_ = live_through(*container_, handles_.data(), count_, count_, life_.operations.data(), life_.operations.size());
    }
    [[nodiscard]] const C& container() const { return *container_; }
    [[nodiscard]] std::vector<handle_of<C>> in_order_of_insertion() const { return in_order<C>(handles_, life_.survivors); }

private:
    const Life& life_;
    std::vector<handle_of<C>> handles_;
    std::size_t count_ = 0;
    std::unique_ptr<C> container_;
};

template <class C>
Measured run_age(benchmark::State& state, std::size_t n) {
    Subject<C> subject(n);
    timed_batches(
        state, [&] { subject.bear(); }, [&] { subject.age(); });
    std::uint64_t seen = subject.container().size();
    if constexpr (can_look_up<C>) {
        const std::vector<handle_of<C>> handles = subject.in_order_of_insertion();
        seen += look_up(subject.container(), handles.data(), handles.size());
    }
    return {life(n).operations.size(), seen};
}

// Iteration or lookup, `kind`, in an aged container or in one that has been filled in order.
template <class C, class Kind>
Measured run_after(benchmark::State& state, std::size_t n, bool aged, Kind kind) {
    using T = typename C::value_type;
    std::unique_ptr<Subject<C>> subject;
    std::unique_ptr<C> fresh;
    std::vector<handle_of<C>> handles;
    const C* container = nullptr;
    if constexpr (can_erase<C>) {
        if (aged) {
            subject = std::make_unique<Subject<C>>(n);
            subject->bear();
            subject->age();
            handles = subject->in_order_of_insertion();
            container = &subject->container();
        }
    }
    if (container == nullptr) {
        fresh = std::make_unique<C>();
        for (const std::uint32_t number : life(n).numbers) handles.push_back(fresh->insert(values<T>()[number]));
        container = fresh.get();
    }
    const std::size_t passes = std::max<std::size_t>(1, 200'000 / handles.size());
    const std::uint64_t seen = timed_passes(state, passes, *container, [&] { return kind(*container, handles); });
    return {handles.size() * passes, seen};
}

template <class C>
Measured run_memory(benchmark::State& state, std::size_t n) {
    std::size_t size = 0;
    for (auto _ : state) {
        Subject<C> subject(n);
        const MemoryUse<C> use;
        subject.bear();
        subject.age();
        size = subject.container().size();
        report_value(state, static_cast<double>(use.bytes()) / static_cast<double>(size));
    }
    return {size, size};
}

enum Rows : unsigned {
    age_row = 1,
    iterate_rows = 2,
    lookup_rows = 4,
    memory_row = 8,
    all_rows = 15,
};

// Registers what Contender<T> can do, restricted to the given rows, for the three element types.
template <template <class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role, unsigned rows = all_rows) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        using C = Contender<T>;
        for (const std::size_t n : sizes) {
            const auto add_row = [&](const char* operation, int batches, auto body) {
                add({operation, sizeof(T), n}, name, role, batches, body);
            };
            const auto add_rows = [&](const std::string& operation, auto kind) {
                for (const bool aged : {true, false}) {
                    add_row(((aged ? "aged_" : "fresh_") + operation).c_str(), 5,
                            [=](benchmark::State& s) { return run_after<C>(s, n, aged, kind); });
                }
            };
            if constexpr (can_erase<C>) {
                if (rows & age_row) add_row("age", 1, [n](benchmark::State& s) { return run_age<C>(s, n); });
                if ((rows & memory_row) && malloc_bytes() != 0) {
                    add_row("memory", 1, [n](benchmark::State& s) { return run_memory<C>(s, n); });
                }
            }
            if constexpr (can_sum<C>) {
                if (rows & iterate_rows) add_rows("iterate", [](const C& c, const auto&) { return sum_of(c); });
            }
            if constexpr (can_look_up<C>) {
                if (rows & lookup_rows) {
                    add_rows("lookup",
                             [](const C& c, const auto& handles) { return look_up(c, handles.data(), handles.size()); });
                }
            }
        }
    };
    for_each_element_type(add_type);
}

} // namespace bench::ageing
