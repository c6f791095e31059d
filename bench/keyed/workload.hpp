// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what do the operations of a map from keys to values cost, one by one?
//
// insert              n insertions into an empty container
// insert_reserved     the same after reserve(n)
// find_hit            n lookups in random order, each key is there; the values are added up
// find_hit_dependent  the same, but which key is next depends on the value found: latency instead of throughput
// find_miss           n lookups, no key is there
// erase_insert        n elements; erase one at random, insert a key that was never there
// erase_all           erase n elements in random order
// iterate             add up the values of n elements
// clear               forget n elements at once
// snapshot            n elements as bytes
// restore             n elements of these bytes
// memory              bytes per element after n insertions, as the container's allocator is asked for them
//
// Keys are random 64-bit integers; <operation>_string: random strings of 8 to 24 characters; <operation>_poor_hash: multiples
// of 256, as addresses of large objects are, and a hash that hands the key through. Values are 64-bit integers: "bytes" in a
// row's name is their size. Times are per operation (erase_insert: per pair).
//
// All contenders hash alike, with slotwise::DefaultHash (which mixes) or the poor hash: what differs is the table. Every
// contender gets the same keys, orders and number of batches. Keys lie in arrays in the order in which they are used, so that
// reading the key costs the same in every lookup.
#pragma once

#include "../support/harness.hpp"
#include "../support/sequence.hpp"

#include <slotwise/core/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench::keyed {

// Tables that double are between half and completely full: one size says more about the size than about the table. bench/run.py
// prints the geometric mean over the first six (in the second-level cache or just outside), or over those asked for with --n.
inline constexpr std::size_t sizes[] = {55'000,  65'000,  80'000,    100'000,   120'000,  160'000,
                                        600'000, 800'000, 1'000'000, 1'300'000, 1'600'000};

[[nodiscard]] constexpr int batches_for(std::size_t n) noexcept { return n >= 600'000 ? 2 : 6; }

using Value = std::uint64_t;

//=== kinds of keys: Key, Hash, the key of a number (distinct ones for distinct numbers), the end of the operation's name ===//

struct Integers {
    using Key = std::uint64_t;
    using Hash = slotwise::DefaultHash<Key>;
    static constexpr const char* suffix = "";
    [[nodiscard]] static Key key(std::uint64_t number) { return Random(number * 0x9E3779B97F4A7C15u).next(); } // a bijection
};

struct Strings {
    using Key = std::string;
    using Hash = slotwise::DefaultHash<Key>;
    static constexpr const char* suffix = "_string";
    // Two of three million are equal with probability 1e-4; the checksums, which count what was found, would show it.
    [[nodiscard]] static Key key(std::uint64_t number) {
        static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        Random random(number * 0x9E3779B97F4A7C15u);
        Key key(8 + random.below(17), '\0');
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < key.size(); ++i, bits >>= 6) {
            if (i % 8 == 0) bits = random.next();
            key[i] = letters[bits & 63u];
        }
        return key;
    }
};

struct PoorHash {
    using Key = std::uint64_t;
    struct Hash {
        [[nodiscard]] constexpr std::size_t operator()(Key key) const noexcept { return static_cast<std::size_t>(key); }
    };
    static constexpr const char* suffix = "_poor_hash";
    [[nodiscard]] static Key key(std::uint64_t number) { return number << 8; }
};

//=== which keys, in which order ===//

enum class Which {
    inserted, // the n keys of the container, in the order of their insertion: value i belongs to the i-th
    asked,    // the same keys in another order
    absent    // n other keys
};

// Made once for all contenders and repetitions: a process runs one n.
template <class Kind, Which which>
[[nodiscard]] const std::vector<typename Kind::Key>& keys(std::size_t n) {
    static std::vector<typename Kind::Key> made;
    if (made.size() != n) {
        made.clear();
        made.reserve(n);
        std::vector<std::uint32_t> order = shuffled(n, 1);
        if constexpr (which == Which::asked) {
            std::vector<std::uint32_t> inserted = std::move(order);
            order = shuffled(n, 2);
            for (std::uint32_t& number : order) number = inserted[number];
        }
        const std::uint64_t first = which == Which::absent ? n : 0;
        for (const std::uint32_t number : order) made.push_back(Kind::key(first + number));
    }
    return made;
}

//=== what a contender offers ===//
// Beside the kind of its keys (kind_type): insert(key, value), find(key) -> const Value* or null, or what is used as one, erase(key) -> how
// many, reserve(n), clear(), size() and sum() of all values. Limits offer less; rows they cannot run are left out.

template <class C>
concept can_look_up = requires(C& c, const typename C::kind_type::Key& key) {
    c.find(key);
    c.erase(key);
};
template <class C>
concept can_clear = requires(C& c) { c.clear(); };
template <class C>
concept can_sum = requires(const C& c) { c.sum(); };
template <class C>
concept can_snapshot = requires(C& c) { c.restore(c.snapshot()); };

//=== the measured loops ===//

template <class C, class Key>
SLOTWISE_BENCH_LOOP void fill(C& contender, const Key* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) contender.insert(keys[i], Value{i});
}

template <class C, class Key>
SLOTWISE_BENCH_LOOP Value look_up(const C& contender, const Key* keys, std::size_t n) {
    Value sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (const auto value = contender.find(keys[i])) sum += *value;
    }
    return sum;
}

// No value has the highest bit set, so the next key is always the neighbour; only the compiler and the processor do not know.
template <class C, class Key>
SLOTWISE_BENCH_LOOP Value look_up_dependent(const C& contender, const Key* keys, std::size_t n) {
    Value sum = 0;
    for (std::size_t i = 0; i < n;) {
        const auto value = contender.find(keys[i]);
        if (!value) return 0;
        sum += *value;
        i += 1 + static_cast<std::size_t>(*value >> 63);
    }
    return sum;
}

template <class C, class Key>
SLOTWISE_BENCH_LOOP std::size_t count_misses(const C& contender, const Key* keys, std::size_t n) {
    std::size_t misses = 0;
    for (std::size_t i = 0; i < n; ++i) misses += !contender.find(keys[i]);
    return misses;
}

template <class C, class Key>
SLOTWISE_BENCH_LOOP std::size_t replace(C& contender, const Key* victims, const Key* arrivals, std::size_t n) {
    std::size_t erased = 0;
    for (std::size_t i = 0; i < n; ++i) {
        erased += contender.erase(victims[i]);
        contender.insert(arrivals[i], Value{i});
    }
    return erased;
}

template <class C, class Key>
SLOTWISE_BENCH_LOOP std::size_t erase_all(C& contender, const Key* keys, std::size_t n) {
    std::size_t erased = 0;
    for (std::size_t i = 0; i < n; ++i) erased += contender.erase(keys[i]);
    return erased;
}

template <class C>
SLOTWISE_BENCH_LOOP Value sum_of(const C& contender) {
    return contender.sum();
}

//=== the rows ===//

// The loop before ran for this result. Takes a copy, because g++ 12 at -O1 loses a variable that DoNotOptimize was given by
// reference: its constraint is "+m,r", https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105519
inline void keep(std::uint64_t result) { benchmark::DoNotOptimize(result); }

// The loop after may not reuse what an earlier one found.
template <class C>
void forget(const C& contender) {
    benchmark::DoNotOptimize(&contender);
    benchmark::ClobberMemory();
}

template <class C>
void fill(C& contender, std::size_t n) {
    fill(contender, keys<typename C::kind_type, Which::inserted>(n).data(), n);
}

template <class C>
Measured run_insert(benchmark::State& state, std::size_t n, bool reserved) {
    using Kind = typename C::kind_type;
    const auto& inserted = keys<Kind, Which::inserted>(n);
    std::unique_ptr<C> contender;
    timed_batches(
        state,
        [&] {
            contender.reset(); // all memory is back before the next one is built
            contender = std::make_unique<C>();
            if (reserved) contender->reserve(n);
        },
        [&] { fill(*contender, inserted.data(), n); });
    return {n, contender->size() + look_up(*contender, inserted.data(), n)};
}

template <class C>
Measured run_find(benchmark::State& state, std::size_t n, bool dependent) {
    C contender;
    fill(contender, n);
    const auto& asked = keys<typename C::kind_type, Which::asked>(n);
    Value sum = 0;
    timed_batches(
        state, [] {},
        [&] {
            forget(contender);
            sum = dependent ? look_up_dependent(contender, asked.data(), n) : look_up(contender, asked.data(), n);
            keep(sum);
        });
    return {n, sum};
}

template <class C>
Measured run_find_miss(benchmark::State& state, std::size_t n) {
    C contender;
    fill(contender, n);
    const auto& absent = keys<typename C::kind_type, Which::absent>(n);
    std::size_t misses = 0;
    timed_batches(
        state, [] {},
        [&] {
            forget(contender);
            misses = count_misses(contender, absent.data(), n);
            keep(misses);
        });
    return {n, misses};
}

template <class C>
Measured run_erase_insert(benchmark::State& state, std::size_t n) {
    using Kind = typename C::kind_type;
    using Key = typename Kind::Key;
    C contender;
    fill(contender, n);
    const std::size_t pairs = std::min<std::size_t>(n, 100'000);
    std::vector<std::uint32_t> present = shuffled(n, 3);
    std::uint32_t next = static_cast<std::uint32_t>(n);
    Random random(n);
    std::vector<Key> victims(pairs), arrivals(pairs);
    std::size_t erased = 0;
    timed_batches(
        state,
        [&] {
            for (std::size_t i = 0; i < pairs; ++i) {
                std::uint32_t& number = present[random.below(n)];
                victims[i] = Kind::key(number);
                number = next++;
                arrivals[i] = Kind::key(number);
            }
        },
        [&] { erased += replace(contender, victims.data(), arrivals.data(), pairs); });
    Value sum = contender.size() + erased;
    for (const std::uint32_t number : present) {
        if (const auto value = contender.find(Kind::key(number))) sum += *value;
    }
    return {pairs, sum};
}

template <class C>
Measured run_erase_all(benchmark::State& state, std::size_t n) {
    const auto& asked = keys<typename C::kind_type, Which::asked>(n);
    std::unique_ptr<C> contender;
    std::size_t erased = 0;
    timed_batches(
        state,
        [&] {
            contender.reset();
            contender = std::make_unique<C>();
            fill(*contender, n);
        },
        [&] { erased += erase_all(*contender, asked.data(), n); });
    return {n, contender->size() + erased};
}

template <class C>
Measured run_iterate(benchmark::State& state, std::size_t n) {
    C contender;
    fill(contender, n);
    const std::size_t passes = std::max<std::size_t>(1, 1'000'000 / n); // at least 50 us at 0.05 ns an element
    Value sum = 0;
    timed_batches(
        state, [] {},
        [&] {
            for (std::size_t pass = 0; pass < passes; ++pass) {
                forget(contender);
                sum = sum_of(contender);
                keep(sum);
            }
        });
    return {n * passes, sum};
}

template <class C>
Measured run_clear(benchmark::State& state, std::size_t n) {
    std::vector<std::optional<C>> contenders(n >= 600'000 ? 2 : 8); // one clear() can be a matter of microseconds
    timed_batches(
        state,
        [&] {
            for (std::optional<C>& contender : contenders) contender.reset();
            for (std::optional<C>& contender : contenders) fill(contender.emplace(), n);
        },
        [&] {
            for (std::optional<C>& contender : contenders) contender->clear();
        });
    std::uint64_t left = 0;
    for (const std::optional<C>& contender : contenders) {
        left += contender->size() + look_up(*contender, keys<typename C::kind_type, Which::asked>(n).data(), n);
    }
    return {n * contenders.size(), left};
}

// Memory of the last batch is free before the next one, as that of every row.
template <class C>
Measured run_snapshot(benchmark::State& state, std::size_t n) {
    C contender;
    fill(contender, n);
    std::vector<std::byte> bytes;
    timed_batches(
        state, [&] { bytes = {}; },
        [&] {
            forget(contender);
            bytes = contender.snapshot();
        });
    return {n, bytes.size()};
}

template <class C>
Measured run_restore(benchmark::State& state, std::size_t n) {
    C original;
    fill(original, n);
    const auto bytes = original.snapshot();
    std::unique_ptr<C> contender;
    timed_batches(
        state,
        [&] {
            contender.reset();
            contender = std::make_unique<C>();
        },
        [&] { contender->restore(bytes); });
    return {n, look_up(*contender, keys<typename C::kind_type, Which::asked>(n).data(), n)};
}

//=== memory ===//

// Counts what all allocators of this kind have given out. What malloc adds to each allocation is not part of it: that is the
// question bench/memory asks.
inline std::size_t counted_bytes = 0;

template <class T>
class Counting {
public:
    using value_type = T;

    Counting() = default;
    template <class U>
    constexpr Counting(const Counting<U>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        counted_bytes += n * sizeof(T);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* memory, std::size_t n) noexcept {
        counted_bytes -= n * sizeof(T);
        std::allocator<T>().deallocate(memory, n);
    }
    template <class U>
    friend constexpr bool operator==(const Counting&, const Counting<U>&) noexcept {
        return true;
    }
};

template <class C>
Measured run_memory(benchmark::State& state, std::size_t n) {
    std::size_t size = 0;
    for (auto _ : state) {
        const std::size_t before = counted_bytes;
        C contender;
        fill(contender, n);
        size = contender.size();
        state.SetIterationTime(1e-3); // nothing is timed here
        state.counters["value"] = static_cast<double>(counted_bytes - before) / static_cast<double>(n);
    }
    return {n, size};
}

//=== registration ===//

// Registers what Contender<Kind, Allocator> can do, for the three kinds of keys and all sizes. only_iterate: a second way to
// visit the elements of a container whose other rows another contender measures.
template <template <class, template <class> class> class Contender>
SLOTWISE_BENCH_PER_FILE void add_contender(const std::string& name, Role role, bool only_iterate = false) {
    const auto add_kind = [&]<class Kind>(std::type_identity<Kind>) {
        using C = Contender<Kind, std::allocator>;
        constexpr bool integers = std::is_same_v<Kind, Integers>;
        constexpr bool poor = std::is_same_v<Kind, PoorHash>;
        for (const std::size_t n : sizes) {
            const auto add_row = [&](const char* operation, auto body) {
                add({std::string(operation) + Kind::suffix, sizeof(Value), n}, name, role, poor ? 2 : batches_for(n), body);
            };
            if constexpr (integers && can_sum<C>) {
                add_row("iterate", [n](benchmark::State& s) { return run_iterate<C>(s, n); });
            }
            if (only_iterate) continue;
            if constexpr (can_look_up<C>) {
                add_row("insert", [n](benchmark::State& s) { return run_insert<C>(s, n, false); });
                add_row("find_hit", [n](benchmark::State& s) { return run_find<C>(s, n, false); });
                if constexpr (!poor) {
                    add_row("insert_reserved", [n](benchmark::State& s) { return run_insert<C>(s, n, true); });
                    if constexpr (!requires { C::highest_bit_is_known; })
                        add_row("find_hit_dependent", [n](benchmark::State& s) { return run_find<C>(s, n, true); });
                    add_row("find_miss", [n](benchmark::State& s) { return run_find_miss<C>(s, n); });
                    add_row("erase_insert", [n](benchmark::State& s) { return run_erase_insert<C>(s, n); });
                    add_row("erase_all", [n](benchmark::State& s) { return run_erase_all<C>(s, n); });
                }
            }
            if constexpr (integers && can_look_up<C>) {
                add_row("clear", [n](benchmark::State& s) { return run_clear<C>(s, n); });
            }
            if constexpr (integers && can_snapshot<C>) {
                add_row("snapshot", [n](benchmark::State& s) { return run_snapshot<C>(s, n); });
                add_row("restore", [n](benchmark::State& s) { return run_restore<C>(s, n); });
            }
            if constexpr (integers) {
                add({"memory", sizeof(Value), n}, name, role, 1,
                    [n](benchmark::State& s) { return run_memory<Contender<Kind, Counting>>(s, n); });
            }
        }
    };
    add_kind(std::type_identity<Integers>{});
    add_kind(std::type_identity<Strings>{});
    add_kind(std::type_identity<PoorHash>{});
}

} // namespace bench::keyed
