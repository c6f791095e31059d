// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <slotwise/memory/plain_vector.hpp>

#include <limits>
#include <random>
#include <vector>

using namespace slotwise;
using detail::PlainVector;

namespace {

template <class T>
std::vector<T> list(const PlainVector<T>& values) {
    return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("PlainVector: random changes give what a std::vector gives", "[memory]") {
    std::mt19937 random(1);
    PlainVector<int> values;
    std::vector<int> model;
    for (int step = 0; step != 20'000; ++step) {
        const std::size_t place = random() % (model.size() + 1);
        const auto at = model.begin() + static_cast<std::ptrdiff_t>(place);
        switch (random() % 9) {
        case 0:
        case 1:
            values.push_back(step);
            model.push_back(step);
            break;
        case 2:
            values.insert(place, step);
            model.insert(at, step);
            break;
        case 3:
            if (model.empty()) break;
            values.pop_back();
            model.pop_back();
            break;
        case 4: {
            const std::size_t count = random() % (model.size() - place + 1) % 4;
            values.erase(place, count);
            model.erase(at, at + static_cast<std::ptrdiff_t>(count));
            break;
        }
        case 5: {
            const std::vector<int> more(random() % 5, step);
            values.append(more);
            model.insert(model.end(), more.begin(), more.end());
            break;
        }
        case 6:
            if (random() % 20 == 0) values.resize(place), model.resize(place);
            break;
        case 7:
            values.resize(model.size() + 2, step);
            model.resize(model.size() + 2, step);
            break;
        default:
            if (random() % 50 != 0) break;
            values.clear();
            model.clear();
        }
        REQUIRE(list(values) == model);
        REQUIRE(values.capacity() >= values.size());
    }
    PlainVector<int> moved(std::move(values));
    CHECK(list(moved) == model);
    CHECK(values.empty()); // NOLINT: a moved-from one is empty
    values = std::move(moved);
    CHECK(list(values) == model);
}

TEST_CASE("PlainVector: a value of its own may be added while it grows", "[memory]") {
    PlainVector<int> values;
    values.push_back(7);
    while (values.size() < 1000) values.push_back(values[0]);
    for (int i = 0; i != 100; ++i) values.insert(std::size_t{0}, values.back());
    CHECK(values.size() == 1100);
    for (const int each : values) REQUIRE(each == 7);
}

TEST_CASE("PlainVector: what cannot grow stays as it is", "[memory]") {
    PlainVector<std::uint64_t> values;
    values.push_back(1);
    CHECK_THROWS_AS(values.reserve(std::numeric_limits<std::size_t>::max() / 8), std::bad_alloc);
    CHECK(values.size() == 1);
    CHECK(values[0] == 1);
    values.reserve(100);
    const auto* const data = values.data();
    for (std::uint64_t i = 1; i != 100; ++i) values.push_back(i);
    CHECK(values.data() == data);
}

TEST_CASE("PlainVector: memory comes from its allocator, aligned for each type, and goes back to it", "[memory][allocators]") {
    const test::EveryByteReturned bytes;
    using Alloc = test::StatefulAllocator<std::byte>;
    PlainVector<std::uint64_t, Alloc> one{Alloc(1)}, two{Alloc(2)};
    for (std::uint64_t i = 0; i != 100; ++i) one.push_back(i);
    CHECK(reinterpret_cast<std::uintptr_t>(one.data()) % alignof(std::uint64_t) == 0);
    two.push_back(7);
    const std::uint64_t* const where = one.data();
    one.swap(two); // allocators go along
    CHECK((two.data() == where && two.get_allocator().id() == 1 && one.get_allocator().id() == 2));
    const PlainVector<std::uint64_t, Alloc> copy(two, Alloc(3));
    CHECK((copy.size() == 100 && copy.back() == 99 && copy.get_allocator().id() == 3));
    one = std::move(two);
    CHECK((one.data() == where && one.get_allocator().id() == 1));
    PlainVector<char, test::FancyAllocator<std::byte>> fancy;
    for (int i = 0; i != 50; ++i) fancy.insert(0, 'a');
    CHECK(fancy.size() == 50);
}
