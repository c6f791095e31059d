// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Memory that containers ask for: counts that wrap, growth without end, and what a far slot claims.
#include "properties/containers.hpp"

#include "support/bounds.hpp"
#include "support/capped_new.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

namespace {
using namespace test::every;

constexpr std::size_t MiB = std::size_t{1} << 20;

template <class C>
constexpr bool can_reserve = requires(C& c) { c.reserve(std::size_t{}); };

#if defined(__cpp_exceptions) // refusals are exceptions; a reserve that is one too many ends the program without them
/// Where a product or a sum with a size, a number of slots in a page or in a line of the index wraps around: what lies on
/// either side.
std::vector<std::size_t> neighbours(std::size_t max_size, std::size_t unusable) {
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> counts;
    const auto about = [&](std::size_t count) {
        for (const std::size_t off : {0u, 1u, 2u, 3u, 63u, 64u, 65u})
            for (const std::size_t near : {count - off, count + off})
                if (near > 10 * MiB) counts.push_back(near); // what is small enough may be given
    };
    for (const std::size_t divisor : {1u, 2u, 4u, 5u, 8u, 10u, 12u, 16u, 32u, 64u, 1024u, 4096u}) {
        about(all / divisor);
        about(std::size_t{0xFFFF'FFFF} / divisor);
    }
    about(max_size);
    about(max_size - unusable);
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

struct RefusesCounts {
    template <class Entry, class C>
    static void run() {
        if constexpr (can_reserve<C>) {
            C c = made<C>();
            refuses<Entry>(c, 0);
            std::vector<decltype(Entry::insert(c, 0))> names;
            for (int n = 1; n != 100; ++n) names.push_back(Entry::insert(c, n));
            for (int n = 1; n < 100; n += 3) Entry::erase(c, names[static_cast<std::size_t>(n)]);
            std::size_t unusable = 0; // slots that the count of elements does not include: the sum may wrap
            if constexpr (requires { c.reserve_handle(); }) static_cast<void>(c.reserve_handle()), ++unusable;
            if constexpr (requires { c.pending(); }) unusable += c.pending();
            refuses<Entry>(c, unusable);
            for (int n = 100; n != 200; ++n) CHECK(Entry::contains(c, Entry::insert(c, n)));
            CHECK(c.check_invariants());
        }
    }
    template <class Entry, class C>
    static void refuses(C& c, std::size_t unusable) {
        const std::size_t before = c.size(), capacity = room(c);
        std::size_t max_size = std::numeric_limits<std::size_t>::max();
        if constexpr (requires { c.max_size(); }) max_size = c.max_size();
        std::size_t refused = 0, taken = 0;
        for (const std::size_t count : neighbours(max_size, unusable)) {
            const test::HeapCap cap(4 * MiB);
            try {
                c.reserve(count);
                ++taken;
            } catch (const std::length_error&) {
                ++refused;
            } catch (const std::bad_alloc&) {
                ++refused;
            }
        }
        CHECK(taken == 0); // 10 million elements have no room in 4 MiB
        CHECK(refused > 50);
        CHECK(c.size() == before);
        CHECK(room(c) == capacity);
        CHECK(c.check_invariants());
        ++asked;
    }
    template <class C>
    static std::size_t room(const C& c) {
        if constexpr (requires { c.capacity(); })
            return c.capacity();
        else
            return 0;
    }
    static inline std::size_t asked = 0;
};
#endif

template <class Entry>
inline bool is_first = true;

/// How many slots handles of this layout can name.
constexpr std::size_t slots_of(const HandleLayout& layout) {
    return static_cast<std::size_t>((std::uint64_t{1} << layout.index_bits) -
                                    (layout.index_bits == 32 || layout.null_is_ones ? 1 : 0));
}
/// Unreserved growth: 200,000 elements of the first container of each class, 10,000 of the others, or as many as fit; ten times as many
/// at full bounds.
struct GrowsUnderACap {
    template <class Entry, class C>
    static void run() {
        constexpr std::size_t bytes_an_element = Entry::most_bytes;
        std::size_t many = (std::exchange(is_first<Entry>, false) ? 200'000u : 10'000u) * test::bound(1u, 10u);
        const test::HeapCap cap(many * bytes_an_element + MiB);
        C c = made<C>();
        if constexpr (requires { C::options.handle; }) many = std::min<std::size_t>(many, slots_of(C::options.handle));
        if constexpr (requires { C::options.max_slots; })
            if (C::options.max_slots != 0) many = std::min<std::size_t>(many, C::options.max_slots);
        if constexpr (requires { C::handle_type::layout; })
            many = std::min<std::size_t>(many, slots_of(C::handle_type::layout));
        if constexpr (requires { C::id_type::layout; }) many = std::min<std::size_t>(many, slots_of(C::id_type::layout));
        for (std::size_t n = 0; n != many; ++n) Entry::insert(c, static_cast<int>(n));
        CHECK(c.size() == many);
        INFO("bytes an element: " << cap.peak() / many);
        CHECK(cap.peak() + MiB > many * sizeof(int)); // what grows in reserved address space is no memory of the heap
        CHECK(cap.peak() < many * bytes_an_element + MiB);
        most = std::max(most, cap.peak() / many);
    }
    static inline std::size_t most = 0;
};

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("no container takes a count of elements whose bytes, slots or lines wrap around", "[properties][sizes]") {
    const std::size_t containers = for_each_container<RefusesCounts>();
    CHECK(RefusesCounts::asked > containers);
}
#endif

TEST_CASE("every container grows to 2 million elements, or without full bounds to a tenth, in as many bytes as it may take",
          "[properties][sizes][bounds]") {
    CHECK(for_each_container<GrowsUnderACap>() >= 40);
    CHECK(GrowsUnderACap::most > SlotMapVerbs::most_bytes / 2); // or the cap says nothing
}
