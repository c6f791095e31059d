// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of what makes, copies and collects versioned values.
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/core/versioned.hpp>

#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Out {
    using value_type = std::size_t;
    std::vector<std::size_t> positions{};
    void clear() noexcept { positions.clear(); }
    void push_back(std::size_t position) {
        Budget::spend();
        positions.push_back(position);
    }
};

} // namespace

TEST_CASE("a versioned value whose construction, copy or assignment throws leaves the ones there are", "[versioned][throws]") {
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
