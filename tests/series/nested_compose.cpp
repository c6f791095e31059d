// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// compose(first, second) of dictionaries of series is what one window would have captured.
#include "compose.hpp"

TEMPLATE_TEST_CASE("composed deltas of dictionaries of sets equal the capture of their windows as one",
                   "[series][compose][bounds]", ALL_REPRESENTATIONS) {
    test::compose_like_one_window<typename TestType::template dict<int, typename TestType::template set<int>>>(4, 4, 2'000);
}

TEST_CASE("composed deltas of dictionaries of dictionaries equal the capture of their windows as one",
          "[series][compose][bounds]") {
    test::compose_like_one_window<test::Adaptive::dict<int, test::Bitmap::dict<int, double>>>(5, 4, 2'000);
}

TEST_CASE("composed deltas of dictionaries of dictionaries of sets equal the capture of their windows as one",
          "[series][compose][bounds]") {
    using Middle = test::Adaptive::dict<int, test::DirtyList::set<int>>;
    test::compose_like_one_window<test::Bitmap::dict<int, Middle>>(6, 3, 2'000);
}

namespace {

struct Part {
    int number;
};
struct PartHash {
    std::size_t operator()(const Part& part) const { return static_cast<std::size_t>(part.number); }
};
struct SamePart {
    bool operator()(const Part& a, const Part& b) const { return a.number == b.number; }
};

} // namespace

TEST_CASE("nested deltas are composed by the nested series' own hash and equality", "[series][compose]") {
    using Parts = slotwise::TSSStorage<Part, slotwise::HashBy<PartHash>, slotwise::EqualBy<SamePart>>;
    slotwise::TSDStorage<int, Parts> cars;
    {
        auto writer = cars.write(1);
        writer.create(1);
        auto parts = writer.modify(1);
        parts.add(Part{5});
        parts.add(Part{6});
    }
    const auto first = capture(cars, 1);
    {
        auto writer = cars.write(2);
        auto parts = writer.modify(1);
        parts.remove(Part{5});
        parts.add(Part{7});
    }
    const auto both = compose(first, capture(cars, 2));
    REQUIRE(both.modified.size() == 1);
    REQUIRE(both.modified[0].second.added.size() == 2);
    REQUIRE(both.modified[0].second.removed.empty());
    slotwise::TSDStorage<int, Parts> replica;
    replica.write(1).apply(both);
    REQUIRE(replica.at(1).size() == 2);
    REQUIRE((replica.at(1).contains(Part{6}) && replica.at(1).contains(Part{7})));
}
