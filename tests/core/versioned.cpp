// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <algorithm>
#include <memory>
#include <optional>
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

/// Takes positions, each at a price.
struct Out {
    using value_type = std::size_t;
    std::vector<std::size_t> positions{};
    void clear() noexcept { positions.clear(); }
    void push_back(std::size_t position) {
        test::Budget::spend();
        positions.push_back(position);
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

TEST_CASE("a fresh value counts as changed for new readers") {
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

TEST_CASE("assignment takes the value and counts only when it differs, from the higher counter on") {
    Versioned<std::string> a("x"), b("y");
    b.touch();
    b.touch();
    const change_t mark = a.mark();
    a = b;
    CHECK(*a == "y");
    CHECK(a.mark() == b.mark()); // the higher one
    a = b;
    CHECK(a.mark() == mark + 2);
    const auto& self = a;
    a = self;
    auto& same = a;
    a = std::move(same); // keeps its value
    CHECK(*a == "y");
    a = std::move(b); // equal: nothing is taken
    CHECK(*b == "y");
    CHECK(a.mark() == mark + 2);
    Versioned<std::string> c("z");
    a = std::move(c);
    CHECK(*a == "z");
    CHECK(a.mark() == mark + 3);
}

namespace {

/// Near enough, and not to be asked of a value that was moved from.
struct SameOwned {
    bool operator()(const std::unique_ptr<int>& a, const std::unique_ptr<int>& b) const noexcept { return *a / 10 == *b / 10; }
};

/// Four elements with all combinations of counters, each of which may have changed since it was read. act(elements) moves them
/// and says which element is now in which place; then who read an element looks for it where it went, and at the place where it
/// was.
template <class Act>
bool no_reader_misses_a_change(Act&& act) {
    using Value = Versioned<int>;
    for (unsigned counters = 0; counters != 4 * 4 * 4 * 4; ++counters)
        for (unsigned late = 0; late != 16; ++late) {
            std::vector<Value> elements;
            change_t seen[4];
            for (unsigned i = 0; i != 4; ++i) {
                auto& element = elements.emplace_back(-1);
                for (unsigned n = (counters >> (2 * i)) & 3u; n != 0; --n) element.touch();
                seen[i] = element.mark();
                if ((late >> i & 1u) != 0) element.set(static_cast<int>(i) / 2); // values 0, 0, 1, 1: some are equal
            }
            std::vector<int> before;
            for (const auto& element : elements) before.push_back(*element);
            const auto from = act(elements); // from[place]: the element that is there now
            for (unsigned place = 0; place != elements.size(); ++place) {
                const unsigned here = from[place];
                const bool followed = (late >> here & 1u) == 0 || elements[place].changed_since(seen[here]);
                const bool stayed = (*elements[place] == before[place] && (late >> place & 1u) == 0) ||
                                    elements[place].changed_since(seen[place]);
                if (*elements[place] != before[here] || !followed || !stayed) return false;
            }
        }
    return true;
}

} // namespace

TEST_CASE("no assignment, swap, erase or sort in a vector hides a change from a reader of any element") {
    using Values = std::vector<Versioned<int>>;
    using Places = std::vector<unsigned>;
    CHECK(no_reader_misses_a_change([](Values& v) {
        v.erase(v.begin() + 1);
        return Places{0, 2, 3};
    }));
    CHECK(no_reader_misses_a_change([](Values& v) {
        std::swap(v[0], v[3]);
        std::iter_swap(v.begin() + 1, v.begin() + 2);
        return Places{3, 2, 1, 0};
    }));
    CHECK(no_reader_misses_a_change([](Values& v) {
        std::rotate(v.begin(), v.begin() + 3, v.end());
        return Places{3, 0, 1, 2};
    }));
    CHECK(no_reader_misses_a_change([](Values& v) {
        v[0] = v[2]; // a copy: both may be asked for what was seen of either
        return Places{2, 1, 2, 3};
    }));
    CHECK(no_reader_misses_a_change([](Values& v) {
        v.reserve(2 * v.capacity());
        return Places{0, 1, 2, 3};
    }));
    CHECK(no_reader_misses_a_change([](Values& v) {
        Places order{0, 1, 2, 3}; // stable, so equal values tell where each one went
        const auto before = v;
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return *before[b] < *before[a]; });
        std::stable_sort(v.begin(), v.end(), [](const auto& a, const auto& b) { return *b < *a; });
        return order;
    }));
}

TEST_CASE("a value that was moved away counts as changed where it was") {
    Versioned<std::string> source("a long enough string to live on the heap, for sanitisers"), target("b");
    change_t seen = source.mark();
    target = std::move(source);
    CHECK(source.changed_since(seen)); // NOLINT(bugprone-use-after-move): that is what is asked
    seen = target.mark();
    const Versioned<std::string> taken(std::move(target));
    CHECK(target.changed_since(seen)); // NOLINT(bugprone-use-after-move)
    CHECK(taken.mark() == seen);
    CHECK(taken->size() > 20);
}

TEST_CASE("moving takes values that a custom equality calls equal, and asks it of none that was moved away") {
    std::vector<Versioned<std::unique_ptr<int>, SameOwned>> values;
    for (const int i : {13, 12, 11, 31, 10}) values.emplace_back(std::make_unique<int>(i));
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return **a < **b; });
    std::vector<int> sorted;
    for (const auto& value : values) sorted.push_back(**value);
    CHECK(sorted == std::vector{10, 11, 12, 13, 31});
    const change_t seen = values[0].mark();
    values.erase(values.begin());
    CHECK(**values[0] == 11);
    CHECK(values[0].changed_since(seen)); // not the same bits: a reader of the first one may not be told "unchanged"
}

TEST_CASE("a number is a change only if it differs once it is stored") {
    Versioned<float> gain(0.1f);
    change_t mark = gain.mark();
    CHECK_FALSE(gain.set(0.1));
    CHECK_FALSE(gain.changed_since(mark));
    CHECK(gain.set(0.2));
    Versioned<int> count(3);
    CHECK_FALSE(count.set(3.5));
    Versioned<unsigned char> byte(static_cast<unsigned char>(44));
    mark = byte.mark();
    CHECK_FALSE(byte.set(300));
    CHECK_FALSE(byte.changed_since(mark));
    Versioned<std::optional<float>> maybe(0.1f);
    CHECK_FALSE(maybe.set(0.1));
    CHECK(maybe.set(std::nullopt));
}

TEST_CASE("a versioned value is moved without a throw if the value is, and copied so if it is compared so too") {
    CHECK(std::is_nothrow_copy_assignable_v<Versioned<int>>);
    CHECK_FALSE(std::is_nothrow_copy_assignable_v<Versioned<ThrowsWhenCompared>>);
    CHECK(std::is_nothrow_move_assignable_v<Versioned<ThrowsWhenCompared>>);
    CHECK(std::is_nothrow_move_assignable_v<Versioned<std::string>>);
    CHECK(std::is_nothrow_swappable_v<Versioned<std::vector<int>>>); // whose == is not noexcept
    CHECK_FALSE(std::is_nothrow_move_assignable_v<Versioned<test::Throwing>>);
    CHECK(std::is_nothrow_move_assignable_v<Versioned<double, About>>);
    struct NoEquality {};
    CHECK(std::is_nothrow_move_assignable_v<Versioned<NoEquality>>); // it can be moved about, though not set
    Versioned<NoEquality> a, b;
    const change_t seen = a.mark();
    a = std::move(b);
    CHECK(a.changed_since(seen));
}

TEST_CASE("a copy starts at the mark of the original") {
    Versioned<int> a(1);
    a.set(2);
    const Versioned<int> b(a);
    CHECK(*b == 2);
    CHECK(b.mark() == a.mark());
}

TEST_CASE("a value with an operator& of its own is reached by ->") {
    struct Opaque {
        int number = 0;
        constexpr Opaque* operator&() const noexcept { return nullptr; } // NOLINT: what is tested
        constexpr bool operator==(const Opaque& other) const noexcept { return number == other.number; }
    };
    Versioned<Opaque> value(Opaque{3});
    CHECK(value->number == 3);
    STATIC_REQUIRE(Versioned<Opaque>(Opaque{4})->number == 4);
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

TEST_CASE("an assigned value counts on from the higher counter of both, so that no reader of either misses the change") {
    Versioned<int> target(1), source(2);
    for (int i = 0; i != 10; ++i) source.touch();
    const auto mark = target.mark();
    target = source;
    CHECK(target.mark() == source.mark()); // 11, of 1 here: it has the value that readers of the source saw at 11
    CHECK(target.changed_since(mark));
    const Versioned<int> few(3);
    const auto seen = target.mark();
    target = few;
    CHECK(target.mark() == seen + 1);
    Versioned<int> other(4);
    for (int i = 0; i != 10; ++i) other.touch();
    target = static_cast<Versioned<int>&&>(other);
    CHECK(target.mark() == seen + 2);
}

TEST_CASE("a versioned value whose construction, copy or assignment throws leaves the ones there are", "[versioned][throws]") {
    using namespace test;
    using Value = Versioned<Throwing>;
    NothingLeaks objects;
    const auto sweep = [](const char* function, bool target_stays, auto act) {
        const auto failures = fail_at_every_step(swept<Value>(function), [&](auto&& attempt) {
            Value source(Throwing(1)), target(Throwing(2));
            const change_t mark = target.mark();
            const bool threw = attempt([&] { act(source, target); });
            if (!threw || !target_stays) return;
            REQUIRE(target.get().value() == 2);
            REQUIRE(target.mark() == mark);
            REQUIRE(source.get().value() == 1);
        });
        REQUIRE(failures > 0);
    };
    sweep("()", true, [](Value&, Value&) { const Value made{}; });
    sweep("(...)", true, [](Value&, Value&) { const Value made(5); });
    sweep("(copy)", true, [](Value& source, Value&) { const Value made(source); });
    sweep("(move)", true, [](Value& source, Value&) { const Value made(std::move(source)); });
    sweep("operator=(copy)", true, [](Value& source, Value& target) { target = source; });
    sweep("operator=(move)", true, [](Value& source, Value& target) { target = std::move(source); });
    sweep("set", true, [](Value&, Value& target) { target.set(5); });
    sweep("modify", true, [](Value&, Value& target) { target.modify([](Throwing& value) { value = 7; }); });
}

TEST_CASE("collecting into what throws leaves marks and values", "[versioned][throws]") {
    using namespace test;
    std::vector<Versioned<int>> values(5);
    std::vector<change_t> marks;
    for (const auto& value : values) marks.push_back(value.mark());
    for (auto& value : values) value.set(3);
    const auto failures = fail_at_every_step(swept("collect_changed_into"), [&](auto&& attempt) {
        Out out;
        attempt([&] { collect_changed_into(values, marks, out); });
        REQUIRE(out.positions.size() <= 5);
        for (const auto& value : values) REQUIRE(value.get() == 3);
    });
    REQUIRE(failures == 5);
}
