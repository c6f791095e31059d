// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Eight threads that read one container at once. ThreadSanitizer watches them (tools/dev sanitize); here their answers are
// compared.
//     eight_readers(map, [](const Map& m, Sum& sum) { sum += m.size(); for (int x : m) sum += x; });
#ifndef SLOTWISE_TESTS_SUPPORT_READERS_HPP
#define SLOTWISE_TESTS_SUPPORT_READERS_HPP

#include "catch.hpp"

#include <slotwise/core/handle.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

namespace test {

/// What a reader has seen, in order.
class Sum {
public:
    template <class N>
        requires(std::is_arithmetic_v<N> || std::is_enum_v<N>)
    Sum& operator+=(N number) {
        sum_ = (sum_ ^ static_cast<std::uint64_t>(number)) * 0x100000001B3u; // FNV-1a, a number at a time
        return *this;
    }
    template <class Tag, slotwise::HandleLayout L>
    Sum& operator+=(slotwise::Handle<Tag, L> handle) {
        return *this += handle.to_bits();
    }
    Sum& operator+=(const void* address) { return *this += address != nullptr; }
    bool operator==(const Sum&) const = default;

private:
    std::uint64_t sum_ = 0xCBF29CE484222325u;
};

/// read(container, sum) by eight threads at once, and once before and after: all have seen the same.
template <class C, class Read>
void eight_readers(const C& container, Read&& read) {
    constexpr int readers = 8;
    Sum before;
    read(container, before);
    REQUIRE_FALSE(before == Sum());
    std::vector<Sum> sums(readers);
    std::atomic<int> waiting{readers};
    std::vector<std::thread> threads;
    for (Sum& sum : sums)
        threads.emplace_back([&] {
            --waiting;
            while (waiting != 0) std::this_thread::yield(); // all at once
            for (int round = 0; round != 3; ++round) {
                sum = Sum();
                read(container, sum);
            }
        });
    for (auto& thread : threads) thread.join();
    for (const Sum& sum : sums) REQUIRE(sum == before);
    Sum after;
    read(container, after);
    REQUIRE(after == before);
}

} // namespace test

#endif
