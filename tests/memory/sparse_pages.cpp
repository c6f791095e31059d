// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/memory/sparse_pages.hpp>

#include <set>
#include <vector>

namespace {

using namespace slotwise;

struct Page {
    int value = 0;
    bool listed = false; // for emptied()
};

} // namespace

TEST_CASE("Pages are found under their number and walked in order, near and far", "[memory]") {
    detail::SparsePages<Page, std::allocator<Page>> pages;
    CHECK(pages.find(0) == nullptr);
    std::set<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i != 400; ++i) {
        const std::uint32_t number = i % 3 == 0 ? i : i * 40'503u % 0x0400'0000u;
        pages.make(number).value = static_cast<int>(number % 1000);
        numbers.insert(number);
        REQUIRE(pages.size() == numbers.size());
    }
    std::vector<std::uint32_t> walked;
    pages.for_each([&](std::uint32_t number, const Page& page) {
        walked.push_back(number);
        REQUIRE(page.value == static_cast<int>(number % 1000));
    });
    CHECK(walked == std::vector<std::uint32_t>(numbers.begin(), numbers.end()));
    std::size_t stepped = 0;
    for (std::uint64_t number = 0; pages.next(number) != nullptr; ++number) ++stepped;
    CHECK(stepped == numbers.size());
    for (const auto number : numbers) {
        Page* const page = pages.find(number);
        REQUIRE(page != nullptr);
        REQUIRE(&pages.make(number) == page);
    }
    CHECK(pages.find(399 * 40'503u % 0x0400'0000u + 1) == nullptr);
}

TEST_CASE("Behind the page of the highest number there is none", "[memory]") {
    detail::SparsePages<Page, std::allocator<Page>> pages;
    pages.make(0xFFFF'FFFF).value = 7;
    std::uint64_t number = 5;
    Page* const last = pages.next(number);
    REQUIRE(last != nullptr);
    CHECK(last->value == 7);
    CHECK(number == 0xFFFF'FFFF);
    CHECK(pages.next(++number) == nullptr); // and it does not begin again at 0
}

TEST_CASE("Of the pages that have become empty the last few stay, near and far", "[memory]") {
    using Pages = detail::SparsePages<Page, std::allocator<Page>>;
    const auto is_empty = [](const Page& page) { return page.value == 0; };
    for (const std::uint32_t first : {0u, 0x0100'0000u}) { // in the table, in the tree
        Pages pages;
        for (std::uint32_t i = 0; i != 2 * Pages::kept; ++i) pages.make(first + i).value = 1;
        for (std::uint32_t i = 0; i != 2 * Pages::kept; ++i) {
            Page* const page = pages.find(first + i);
            REQUIRE(page != nullptr);
            page->value = 0;
            pages.emptied(first + i, *page, is_empty);
            if (i == 2) page->value = 1; // filled again when its turn to go comes
        }
        CHECK(pages.size() == Pages::kept + 1);
        for (std::uint32_t i = 0; i != 2 * Pages::kept; ++i)
            CHECK((pages.find(first + i) != nullptr) == (i == 2 || i >= Pages::kept));
        CHECK_FALSE(pages.find(first + 2)->listed); // it may become empty once more
    }
}

TEST_CASE("Making a page is all or nothing when memory runs out", "[memory][throws]") {
    const test::EveryByteReturned balance;
    using Pages = detail::SparsePages<Page, test::ThrowingAllocator<Page>>;
    for (const std::uint32_t number : {0u, 100u, 0x03FF'FFFFu}) {
        const std::size_t failures = test::fail_at_every_step(test::swept("detail::SparsePages::make"), [&](auto&& attempt) {
            Pages pages;
            pages.make(5);
            const bool threw = attempt([&] { pages.make(number); });
            CHECK(pages.size() == (threw ? 1 : 2));
            CHECK((pages.find(number) != nullptr) == !threw);
            CHECK(pages.find(5) != nullptr);
        });
        CHECK(failures != 0);
    }
}

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
