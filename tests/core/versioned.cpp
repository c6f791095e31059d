// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace slotwise;

namespace {

constexpr bool counts_real_changes() {
    Versioned<int> value(3);
    const change_t mark = value.mark();
    bool right = value.get() == 3 && !value.changed_since(mark) && value.changed_since(0);
    right = right && !value.set(3) && !value.changed_since(mark);
    right = right && value.set(4) && value.changed_since(mark) && *value == 4;
    return right;
}
static_assert(counts_real_changes());
static_assert(sizeof(Versioned<std::uint64_t>) == 16, "value and counter; equality takes no room");
static_assert(!std::is_convertible_v<int, Versioned<int>>);

/// Equal within a tolerance: what counts as a change is the caller's.
struct About {
    double tolerance = 0.5;
    bool operator()(double a, double b) const noexcept { return a - b < tolerance && b - a < tolerance; }
};

struct ThrowsWhenCompared {
    int value = 0;
    friend bool operator==(const ThrowsWhenCompared& a, const ThrowsWhenCompared& b) {
        test::Budget::spend();
        return a.value == b.value;
    }
};

} // namespace

TEST_CASE("the counter moves when the value really changes and only then") {
    Versioned<std::string> name("a");
    change_t mark = name.mark();
    CHECK_FALSE(name.set("a"));
    CHECK_FALSE(name.changed_since(mark));
    CHECK(name.set(std::string("b")));
    CHECK(name.changed_since(mark));
    CHECK(*name == "b");
    CHECK(name->size() == 1);
    mark = name.mark();
    CHECK(name.set("c"));
    CHECK(name.set("b")); // back to the old value: still two changes
    CHECK(name.changed_since(mark));
    CHECK(name.mark() == mark + 2);
}

TEST_CASE("a fresh value counts as changed for who has never seen it") {
    CHECK(Versioned<int>().changed_since(0));
    CHECK(Versioned<int>(7).changed_since(0));
    CHECK(Versioned<int>().get() == 0);
}

TEST_CASE("setting a value to itself is no change") {
    Versioned<std::string> name("a long enough string to live on the heap, for sanitisers");
    const change_t mark = name.mark();
    CHECK_FALSE(name.set(name.get()));
    CHECK_FALSE(name.changed_since(mark));
}

TEST_CASE("modify changes a copy and counts only when the result differs") {
    Versioned<std::vector<int>> list(std::vector{1, 2});
    const change_t mark = list.mark();
    CHECK_FALSE(list.modify([](std::vector<int>&) {}));
    CHECK_FALSE(list.modify([](std::vector<int>& v) {
        v.push_back(3);
        v.pop_back();
    }));
    CHECK(list.mark() == mark);
    CHECK(list.modify([](std::vector<int>& v) { v.push_back(3); }));
    CHECK(list.mark() == mark + 1);
    CHECK(list.get() == std::vector{1, 2, 3});
}

TEST_CASE("touch counts a change although the value is the same") {
    Versioned<int> value(1);
    const change_t mark = value.mark();
    value.touch();
    CHECK(value.changed_since(mark));
    CHECK(*value == 1);
}

TEST_CASE("the caller's equality decides what a change is") {
    Versioned<double, About> level(1.0, About{0.1});
    const change_t mark = level.mark();
    CHECK_FALSE(level.set(1.05));
    CHECK(*level == 1.0); // not a change, so not stored either
    CHECK(level.set(1.2));
    CHECK(level.mark() == mark + 1);
}

TEST_CASE("assignment copies the value and counts in the target only when it differs") {
    Versioned<std::string> a("x"), b("y");
    b.touch();
    const change_t mark = a.mark();
    a = b;
    CHECK(*a == "y");
    CHECK(a.mark() == mark + 1); // its own counter, not b's
    a = b;
    CHECK(a.mark() == mark + 1);
    const auto& self = a;
    a = self;
    CHECK(a.mark() == mark + 1);
    auto& same = a;
    a = std::move(same); // keeps its value
    CHECK(*a == "y");
    CHECK(a.mark() == mark + 1);
    a = std::move(b);
    CHECK(a.mark() == mark + 1);
    Versioned<std::string> c("z");
    a = std::move(c);
    CHECK(*a == "z");
    CHECK(a.mark() == mark + 2);
}

TEST_CASE("a copy starts at the mark of the original") {
    Versioned<int> a(1);
    a.set(2);
    const Versioned<int> b(a);
    CHECK(*b == 2);
    CHECK(b.mark() == a.mark());
}

TEST_CASE("move-only values can be versioned") {
    Versioned<std::unique_ptr<int>> owner(std::make_unique<int>(1));
    const change_t mark = owner.mark();
    CHECK(owner.set(std::make_unique<int>(2)));
    CHECK(**owner == 2);
    CHECK(owner.changed_since(mark));
    Versioned<std::unique_ptr<int>> taken(std::move(owner));
    CHECK(**taken == 2);
}

// proves: Versioned::set throws, Versioned::modify throws
TEST_CASE("when comparing, copying or assigning throws, neither value nor counter has changed", "[throws]") {
    const auto failures = test::fail_at_every_step(test::swept<Versioned<int>>("modify"), [](auto&& attempt) {
        test::NothingLeaks scope;
        Versioned<test::Throwing> value(test::Throwing(1));
        const change_t mark = value.mark();
        const bool threw = attempt([&] { value.modify([](test::Throwing& v) { v = test::Throwing(2); }); });
        CHECK(value.get().value() == (threw ? 1 : 2));
        CHECK(value.mark() == (threw ? mark : mark + 1));
    });
    CHECK(failures >= 4); // the copy, the new value, the assignment inside, the move into place

    const auto compared = test::fail_at_every_step(test::swept<Versioned<int>>("set"), [](auto&& attempt) {
        Versioned<ThrowsWhenCompared> value(ThrowsWhenCompared{1});
        const change_t mark = value.mark();
        const bool threw = attempt([&] { value.set(ThrowsWhenCompared{2}); });
        CHECK(value.get().value == (threw ? 1 : 2));
        CHECK(value.mark() == (threw ? mark : mark + 1));
    });
    CHECK(compared == 1);
}

TEST_CASE("collect_changed_into writes the positions of what changed since its mark") {
    std::vector<Versioned<int>> values;
    for (int i = 0; i < 5; ++i) values.emplace_back(i);
    std::vector<change_t> marks;
    for (const auto& value : values) marks.push_back(value.mark());

    std::vector<std::size_t> changed{99, 98};
    collect_changed_into(values, marks, changed);
    CHECK(changed.empty()); // cleared first

    values[1].set(10);
    values[3].touch();
    values[4].set(4);
    collect_changed_into(values, marks, changed);
    CHECK(changed == std::vector<std::size_t>{1, 3});
}

TEST_CASE("missing marks count as never seen, surplus ones are ignored") {
    const std::vector<Versioned<int>> values(3);
    std::vector<int> changed;
    collect_changed_into(values, std::vector<change_t>{values[0].mark()}, changed);
    CHECK(changed == std::vector{1, 2});
    collect_changed_into(values, std::vector<change_t>{}, changed);
    CHECK(changed == std::vector{0, 1, 2});
    collect_changed_into(values, std::vector<change_t>(9, values[0].mark()), changed);
    CHECK(changed.empty());
}

TEST_CASE("collect_changed_into allocates nothing once its output has room") {
    const std::vector<Versioned<int>> values(100);
    std::vector<std::uint32_t> changed;
    collect_changed_into(values, std::vector<change_t>{}, changed);
    const auto* const data = changed.data();
    const auto capacity = changed.capacity();
    collect_changed_into(values, std::vector<change_t>{}, changed);
    CHECK(changed.size() == 100);
    CHECK(changed.data() == data);
    CHECK(changed.capacity() == capacity);
}
