// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Integer keys that ruin tables which trust std::hash or low bits: sequences, multiples of powers of two, reversed bits. Many
// of them, against std::unordered_set, with the identity as hash too.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/set_storage.hpp>

#include <unordered_set>

namespace {

using namespace test;

enum class Pattern { sequential, times_16, times_2_to_20, times_2_to_48, reversed, from_the_top, scattered };
inline constexpr int patterns_of_keys = 7;

constexpr std::uint64_t reversed_bits(std::uint64_t x) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i != 64; ++i) result |= ((x >> i) & 1u) << (63 - i);
    return result;
}
constexpr std::uint64_t patterned(Pattern pattern, std::uint64_t i) {
    switch (pattern) {
    case Pattern::sequential:
        return i;
    case Pattern::times_16:
        return i << 4;
    case Pattern::times_2_to_20:
        return i << 20;
    case Pattern::times_2_to_48:
        return i << 48;
    case Pattern::reversed:
        return reversed_bits(i);
    case Pattern::from_the_top:
        return ~i;
    default:
        return Random(i).next();
    }
}

/// Counts comparisons: what a table that clusters spends.
struct CountingEqual {
    static inline std::size_t calls = 0;
    bool operator()(std::uint64_t a, std::uint64_t b) const noexcept {
        ++calls;
        return a == b;
    }
};

/// The identity, where std::size_t has 64 bits. Where it has 32 the halves are added, because with std::hash of libstdc++,
/// which drops the upper one, keys that differ there alone are one to every table.
struct Identity {
    std::size_t operator()(std::uint64_t key) const noexcept {
        if constexpr (sizeof(std::size_t) == sizeof key)
            return std::hash<std::uint64_t>()(key);
        else
            return static_cast<std::size_t>(key + (key >> 32));
    }
};

template <class Hash, template <class> class Index>
void many(Pattern pattern) {
    constexpr std::uint64_t count = 20'000;
    SetStorage<std::uint64_t, HashBy<Hash>, EqualBy<CountingEqual>, IndexBy<Index>> set;
    std::unordered_set<std::uint64_t> oracle;
    const auto key = [&](std::uint64_t i) { return patterned(pattern, i); };
    const auto agrees = [&] {
        bool same = set.size() == oracle.size() && set.check_invariants();
        for (std::uint64_t i = 0; same && i != count + count / 2; ++i) same = set.contains(key(i)) == oracle.contains(key(i));
        for (const auto k : set) same = same && oracle.contains(k);
        return same;
    };
    for (std::uint64_t i = 0; i != count; ++i) REQUIRE(set.insert(key(i)).inserted == oracle.insert(key(i)).second);
    REQUIRE(agrees());
    CountingEqual::calls = 0;
    std::size_t hits = 0;
    for (std::uint64_t i = 0; i != count; ++i) hits += set.contains(key(i));
    REQUIRE(hits == oracle.size());
    REQUIRE(CountingEqual::calls < hits + hits / 4); // a hit compares the one key, and now and then a false friend
    CountingEqual::calls = 0;
    hits = 0;
    for (std::uint64_t i = count; i != 2 * count; ++i) hits += set.contains(key(i));
    REQUIRE(hits == 0);
    REQUIRE(CountingEqual::calls < count / 4);
    for (std::uint64_t i = 0; i < count; i += 3) REQUIRE(set.erase(key(i)) == (oracle.erase(key(i)) == 1));
    REQUIRE(agrees());
    for (std::uint64_t i = count; i-- != count / 2;) REQUIRE(set.erase(key(i)) == (oracle.erase(key(i)) == 1));
    REQUIRE(agrees());
    set.shrink_to_fit();
    REQUIRE(agrees());
    for (std::uint64_t i = 0; i < count; i += 2) REQUIRE(set.insert(key(i)).inserted == oracle.insert(key(i)).second);
    REQUIRE(agrees());
}

template <class Hash, template <class> class Index>
void all_patterns() {
    for (int pattern = 0; pattern != patterns_of_keys; ++pattern) {
        CAPTURE(pattern);
        many<Hash, Index>(static_cast<Pattern>(pattern));
    }
}

} // namespace

TEST_CASE("adversarial integer keys cost no more comparisons than others", "[adversarial]") {
    all_patterns<DefaultHash<std::uint64_t>, HashIndex>();
    all_patterns<DefaultHash<std::uint64_t>, PortableHashIndex>();
}

TEST_CASE("adversarial integer keys under a hash that is the identity cost no more comparisons than others", "[adversarial]") {
    all_patterns<Identity, HashIndex>();
}
