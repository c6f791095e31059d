// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do the operations of a slot map cost, one by one?
//
// insert             n insertions into an empty container, handles kept in an array
// insert_reserved    the same after reserve(n)
// refill             the same into a container that held n elements and was cleared
// lookup             n checked lookups in random order, all handles valid; the found fields are added up
// lookup_half_stale  half of the n elements were erased at random and replaced by new ones; the n old handles are looked up
// churn              n live elements; erase one at random, insert one
// churn_holes        the same with half of the n elements erased beforehand: the free list is long
// erase_all          erase n elements in random order
// clear              forget n elements at once
//
// Times are per operation (churn: per pair). Every contender gets the same values, orders and number of batches.
#pragma once

#include "../support/contender.hpp"
#include "../support/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::slot_map {

inline constexpr std::size_t sizes[] = {1'000, 10'000, 100'000, 1'000'000};

// At least 50 us of work a batch: small containers are filled many at a time.
[[nodiscard]] constexpr std::size_t containers_for(std::size_t n) noexcept { return std::max<std::size_t>(1, 100'000 / n); }

[[nodiscard]] constexpr int batches_for(std::size_t n) noexcept { return n >= 1'000'000 ? 2 : 6; }

template <class C>
SLOTWISE_BENCH_LOOP void erase_all(C& contender, const handle_of<C>* handles, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) contender.erase(handles[i]);
}

// The containers of a batch and the handles into them.
template <class C>
class Batch {
public:
    explicit Batch(std::size_t n) : n_(n), containers_(containers_for(n)), handles_(n * containers_.size()) {}

    void empty() {
        for (std::optional<C>& c : containers_) c.reset(); // all memory is back before the first is built again
        for (std::optional<C>& c : containers_) c.emplace();
    }
    template <class Function>
    void each(Function function) {
        for (std::size_t i = 0; i < containers_.size(); ++i) function(*containers_[i], handles_.data() + i * n_);
    }
    void refill() {
        empty();
        each([this](C& c, handle_of<C>* handles) { fill(c, handles, n_); });
    }
    [[nodiscard]] std::size_t items() const noexcept { return handles_.size(); }

    // What there is to see: the elements behind the handles, or how many there are.
    [[nodiscard]] std::uint64_t checksum() {
        std::uint64_t sum = 0;
        each([&](C& c, const handle_of<C>* handles) {
            sum += c.size();
            if constexpr (can_look_up<C>) {
                if (c.size() == n_) sum += look_up(c, handles, n_);
            }
        });
        return sum;
    }

private:
    std::size_t n_;
    std::vector<std::optional<C>> containers_;
    std::vector<handle_of<C>> handles_;
};

template <class C>
Measured run_insert(benchmark::State& state, std::size_t n, bool reserved) {
    Batch<C> batch(n);
    timed_batches(
        state,
        [&] {
            batch.empty();
            if constexpr (can_reserve<C>) {
                if (reserved) batch.each([n](C& c, handle_of<C>*) { c.reserve(n); });
            }
        },
        [&] { batch.each([n](C& c, handle_of<C>* handles) { fill(c, handles, n); }); });
    return {batch.items(), batch.checksum()};
}

template <class C>
Measured run_refill(benchmark::State& state, std::size_t n) {
    Batch<C> batch(n);
    batch.refill();
    timed_batches(
        state, [&] { batch.each([](C& c, handle_of<C>*) { c.clear(); }); },
        [&] { batch.each([n](C& c, handle_of<C>* handles) { fill(c, handles, n); }); });
    return {batch.items(), batch.checksum()};
}

template <class C>
Measured run_lookup(benchmark::State& state, std::size_t n, bool half_stale) {
    C contender;
    std::vector<handle_of<C>> handles(n);
    fill(contender, handles.data(), n);
    if constexpr (can_erase<C>) {
        if (half_stale) {
            const std::vector<std::uint32_t> victims = shuffled(n, 2);
            for (std::size_t i = 0; i < n / 2; ++i) contender.erase(handles[victims[i]]);
            std::vector<handle_of<C>> unused(n / 2);
            fill(contender, unused.data(), n / 2);
        }
    }
    const std::vector<handle_of<C>> queries = in_order<C>(handles, shuffled(n, 3));
    const std::size_t passes = containers_for(n);
    const std::uint64_t sum = timed_passes(state, passes, contender, [&] { return look_up(contender, queries.data(), n); });
    return {n * passes, sum};
}

template <class C>
Measured run_churn(benchmark::State& state, std::size_t n, bool holes) {
    C contender;
    std::vector<handle_of<C>> handles(n);
    fill(contender, handles.data(), n);
    handles = in_order<C>(handles, shuffled(n, 4));
    std::size_t live = n;
    if (holes) {
        live = n / 2;
        for (std::size_t i = live; i < n; ++i) contender.erase(handles[i]);
        handles.resize(live);
    }
    const std::vector<std::uint32_t> positions = random_positions(std::max<std::size_t>(n, 100'000), live, 5);
    timed_batches(
        state, [] {}, [&] { churn(contender, handles.data(), positions.data(), positions.size()); });
    std::uint64_t sum = contender.size();
    if constexpr (can_look_up<C>) sum += look_up(contender, handles.data(), live);
    return {positions.size(), sum};
}

template <class C>
Measured run_erase_all(benchmark::State& state, std::size_t n) {
    Batch<C> batch(n);
    const std::vector<std::uint32_t> order = shuffled(n, 6);
    std::vector<std::vector<handle_of<C>>> queries(containers_for(n));
    timed_batches(
        state,
        [&] {
            batch.refill();
            std::size_t i = 0;
            batch.each([&](C&, const handle_of<C>* handles) {
                queries[i++] = in_order<C>(std::vector<handle_of<C>>(handles, handles + n), order);
            });
        },
        [&] {
            std::size_t i = 0;
            batch.each([&](C& c, handle_of<C>*) { erase_all(c, queries[i++].data(), n); });
        });
    return {batch.items(), batch.checksum()};
}

template <class C>
Measured run_clear(benchmark::State& state, std::size_t n) {
    // clear() can be a matter of microseconds: time several batches' worth of containers at once
    std::vector<Batch<C>> batches;
    const std::size_t count = n >= 1'000'000 ? 2 : 8;
    for (std::size_t i = 0; i < count; ++i) batches.emplace_back(n);
    timed_batches(
        state,
        [&] {
            for (Batch<C>& batch : batches) batch.refill();
        },
        [&] {
            for (Batch<C>& batch : batches) batch.each([](C& c, handle_of<C>*) { c.clear(); });
        });
    std::uint64_t sum = 0;
    std::size_t items = 0;
    for (Batch<C>& batch : batches) {
        sum += batch.checksum();
        items += batch.items();
    }
    return {items, sum};
}

enum Rows : unsigned {
    insert_row = 1,
    lookup_row = 2,
    erase_row = 4,
    clear_row = 8,
    all_rows = 15,
};

// Registers what Contender<T> can do, restricted to the given rows, for the three element types.
template <template <class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role, unsigned rows = all_rows) {
    const auto add_type = [&]<class T>(std::type_identity<T>) {
        using C = Contender<T>;
        for (const std::size_t n : sizes) {
            const auto add_row = [&](const char* operation, auto body) {
                add({operation, sizeof(T), n}, name, role, batches_for(n), body);
            };
            if (rows & insert_row) {
                add_row("insert", [n](benchmark::State& s) { return run_insert<C>(s, n, false); });
                if constexpr (can_reserve<C>) {
                    add_row("insert_reserved", [n](benchmark::State& s) { return run_insert<C>(s, n, true); });
                }
                if constexpr (can_clear<C>) {
                    add_row("refill", [n](benchmark::State& s) { return run_refill<C>(s, n); });
                }
            }
            if constexpr (can_look_up<C>) {
                if (rows & lookup_row) {
                    add_row("lookup", [n](benchmark::State& s) { return run_lookup<C>(s, n, false); });
                    if constexpr (can_erase<C> && sees_stale<C>) {
                        add_row("lookup_half_stale", [n](benchmark::State& s) { return run_lookup<C>(s, n, true); });
                    }
                }
            }
            if constexpr (can_erase<C>) {
                if (rows & erase_row) {
                    add_row("churn", [n](benchmark::State& s) { return run_churn<C>(s, n, false); });
                    add_row("churn_holes", [n](benchmark::State& s) { return run_churn<C>(s, n, true); });
                    add_row("erase_all", [n](benchmark::State& s) { return run_erase_all<C>(s, n); });
                }
            }
            if constexpr (can_clear<C>) {
                if (rows & clear_row) add_row("clear", [n](benchmark::State& s) { return run_clear<C>(s, n); });
            }
        }
    };
    for_each_element_type(add_type);
}

} // namespace bench::slot_map
