// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/memory/sparse_pages.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace slotwise;

struct Page : detail::PageLink<Page> {
    int value = 0;
};
bool is_empty(const Page& page) { return page.value == 0; }

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

TEST_CASE("Of the pages that have become empty the last few keep their numbers, near and far", "[memory]") {
    using Pages = detail::SparsePages<Page, std::allocator<Page>>;
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
        std::set<const Page*> spare;                // the others
        pages.for_each_spare([&](const Page& page) { spare.insert(is_empty(page) ? &page : nullptr); });
        CHECK((spare.size() == Pages::kept - 1 && !spare.contains(nullptr)));
        for (std::uint32_t i = 0; i != Pages::kept - 1; ++i) {
            Page& page = pages.make(first + 40 + i);
            CHECK(spare.erase(&page) == 1);
            page.value = 3;
        }
        pages.for_each_spare([&](const Page& page) { spare.insert(&page); });
        CHECK(spare.empty());
        pages.clear_if(is_empty);
        CHECK(pages.size() == Pages::kept);
        pages.for_each([&](std::uint32_t number, const Page& page) {
            CHECK((page.value == (number == first + 2 ? 1 : 3) && !page.listed));
        });
    }
}

TEST_CASE("pages that come and go in any order are never more than were in use at once, and a few", "[memory]") {
    using A = test::StatefulAllocator<Page>;
    using Pages = detail::SparsePages<Page, A>;
    const test::EveryByteReturned balance;
    Pages pages{A(1)};
    std::map<std::uint32_t, int> model;
    std::mt19937 engine(37); // NOLINT(cert-msc51-cpp,cert-msc32-c): the same history each time
    const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
    std::size_t most = 0;
    int last = 0;
    const auto empty_out = [&](std::uint32_t number) {
        Page* const page = pages.find(number);
        REQUIRE((page != nullptr && page->value == model.at(number)));
        model.erase(number);
        page->value = 0;
        pages.emptied(number, *page, is_empty);
    };
    for (int step = 0; step != 60'000; ++step) {
        const std::uint32_t kind = random() % 1000;
        const std::uint32_t number = kind % 8 == 0 ? random() : random() % (step < 30'000 ? 300 : 5000);
        const std::size_t few = step / 10'000 % 2 == 0 ? 3 : 150; // it grows and shrinks
        if (kind == 0) {
            pages.clear_if(is_empty);
            most = model.size();
        } else if (kind == 1) {
            Pages moved(std::move(pages));
            REQUIRE((pages.size() == 0 && pages.find(number) == nullptr)); // NOLINT(bugprone-use-after-move)
            pages.swap(moved);
        } else if (model.size() < few && !model.contains(number)) {
            Page& page = pages.make(number);
            REQUIRE((page.value == 0 && &page == pages.find(number)));
            page.value = model[number] = ++last;
        } else if (!model.empty()) {
            const auto at = model.lower_bound(number);
            empty_out(at == model.end() ? model.begin()->first : at->first);
        }
        most = std::max(most, model.size());
        std::size_t held = pages.size(), empty = 0;
        pages.for_each_spare([&](const Page& page) { held += is_empty(page) && !page.listed; });
        REQUIRE(held <= most + Pages::kept);
        if (step % 64 != 0) continue;
        auto at = model.begin();
        std::uint64_t next = 0;
        pages.for_each([&](std::uint32_t found, const Page& page) {
            REQUIRE((pages.next(next) == &page && next == found && pages.find(found) == &page));
            ++next;
            if (is_empty(page)) {
                REQUIRE(page.listed);
                ++empty;
            } else {
                REQUIRE((at != model.end() && at->first == found && at->second == page.value));
                ++at;
            }
        });
        REQUIRE((at == model.end() && empty <= Pages::kept));
    }
    CHECK(last > 20'000);
    pages.clear();
    CHECK(balance.live_bytes() == 0);
}

TEST_CASE("pages that are used one at a time all over a range come to lie in the table, which a moving window does not widen",
          "[memory]") {
    using A = test::StatefulAllocator<Page>;
    detail::SparsePages<Page, A> pages{A(1)};
    const auto use = [&](std::uint32_t number) {
        Page& page = pages.make(number);
        page.value = 1;
        page.value = 0;
        pages.emptied(number, page, is_empty);
    };
    for (std::uint32_t number = 0; number != 100'000; ++number) use(1000 + number);
    const std::size_t window = pages.memory_usage();
    CHECK(window < 10'000);
    for (std::uint32_t number = 0; number != 20'000; ++number) use(number * 40'503u % 20'000);
    CHECK(pages.find_near(19'000) == nullptr); // the page is not there; but its place is:
    const std::size_t allocations = test::Ledger::allocations(), wide = pages.memory_usage();
    for (std::uint32_t number = 0; number != 20'000; ++number) use(number * 40'503u % 20'000);
    CHECK(test::Ledger::allocations() == allocations);
    CHECK((wide >= 20'000 * sizeof(void*) && wide < 2 * 20'000 * sizeof(void*) + window + 5000));
    pages.clear_if(is_empty);
    CHECK((pages.size() == 0 && pages.memory_usage() == 0));
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
