// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Cases for faults that a person could write in these headers and that no other case sees.
#include "support/catch.hpp"

#include <slotwise/memory/sparse_pages.hpp>

#include <vector>

namespace {

using namespace slotwise;

struct Page {
    int value = 0;
};

} // namespace

TEST_CASE("a far page stays where it is when the table of near ones comes to cover it", "[memory]") {
    detail::SparsePages<Page, std::allocator<Page>> pages;
    Page& far = pages.make(100); // no table yet reaches so far
    far.value = 100;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 0; number != 20; ++number) {
        pages.make(number).value = static_cast<int>(number);
        numbers.push_back(number);
    }
    numbers.push_back(100);
    numbers.push_back(120);
    pages.make(120).value = 120; // with 21 pages the table may reach so far
    CHECK(pages.find(100) == &far);
    CHECK(pages.size() == numbers.size());
    std::vector<std::uint32_t> walked;
    pages.for_each([&](std::uint32_t number, const Page& page) {
        walked.push_back(number);
        CHECK(page.value == static_cast<int>(number));
    });
    CHECK(walked == numbers);
    CHECK(&pages.make(100) == &far);
    CHECK(pages.size() == numbers.size());
}
