// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DescribedValue: one value of a described type, owned.
#include "support/sweep.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/rows/described_value.hpp>

#include <cstring>
#include <string>

using namespace test;
using namespace slotwise;

TEST_CASE("a described value owns a copy, and is taken where an address is", "[described_value]") {
    const TypeDescriptor& type = TypeDescriptor::of<std::string>();
    std::string text = "a text that is longer than the small buffer";
    const DescribedValue value(type, &text);
    REQUIRE(value.type() == &type);
    REQUIRE(value.has_value());
    REQUIRE(value.data() != &text);
    REQUIRE(value.as<std::string>() == text);
    const void* const address = value;
    REQUIRE(address == value.data());
    DescribedValue copy(value);
    REQUIRE(copy == value);
    copy.as<std::string>() += "!";
    REQUIRE_FALSE(copy == value);
    copy = value;
    REQUIRE(copy == value);
    const DescribedValue& self = copy;
    copy = self;
    REQUIRE(copy == value);
    DescribedValue moved(std::move(copy));
    REQUIRE(copy == nullptr); // NOLINT(bugprone-use-after-move): as the comment of the move says
    REQUIRE(moved == value);
    copy = std::move(moved);
    REQUIRE(copy == value);
    swap(copy, moved);
    REQUIRE(copy == nullptr);
    REQUIRE(copy == DescribedValue());
    REQUIRE(DescribedValue(copy) == nullptr);
    copy = DescribedValue::of(std::move(text));
    REQUIRE(copy.as<std::string>().size() > 20);
    const auto complains = [](auto&& act) {
        return thrown_text<std::invalid_argument>(act).find("the value is of another type, or there is none") !=
               std::string::npos;
    };
    REQUIRE(complains([&] { static_cast<void>(copy.as<int>()); }));
    REQUIRE(complains([&] { static_cast<void>(DescribedValue().as<std::string>()); }));
}

TEST_CASE("a described value lies as its alignment asks, and is destroyed once", "[described_value]") {
    NothingLeaks objects;
    const OverAligned<512> value(7);
    const auto owned = DescribedValue::of(value);
    REQUIRE(reinterpret_cast<std::uintptr_t>(owned.data()) % 512 == 0);
    DescribedValue other = DescribedValue::of(Tracked(3));
    other = owned;
    REQUIRE(other.as<OverAligned<512>>().value() == 7);
    TypeDescriptor record; // by hand: only what a copy needs
    record.size = 3;
    record.copy = [](void* to, const void* from) { std::memcpy(to, from, 3); };
    const char bytes[] = {'a', 'b', 'c'};
    const DescribedValue triple(record, bytes);
    REQUIRE(std::memcmp(triple.data(), bytes, 3) == 0);
    REQUIRE(DescribedValue(triple).type() == &record);
}

TEST_CASE("a described value that cannot be built leaves nothing behind", "[described_value][throws]") {
    NothingLeaks objects;
    const Throwing source(5), other(6);
    const TypeDescriptor& type = TypeDescriptor::of<Throwing>();
    REQUIRE(fail_at_every_step(swept<DescribedValue>("(...)"),
                               [&](auto&& attempt) { attempt([&] { const DescribedValue value(type, &source); }); }) > 0);
    const DescribedValue value(type, &source);
    REQUIRE(fail_at_every_step(swept<DescribedValue>("(copy)"),
                               [&](auto&& attempt) { attempt([&] { const DescribedValue copy(value); }); }) > 0);
    REQUIRE(fail_at_every_step(swept<DescribedValue>("operator=(copy)"), [&](auto&& attempt) {
                DescribedValue target(type, &other);
                if (attempt([&] { target = value; }))
                    REQUIRE(target.as<Throwing>().value() == 6);
                else
                    REQUIRE(target.as<Throwing>().value() == 5);
            }) > 0);
    TypeDescriptor fixed = type;
    fixed.copy = nullptr;
    REQUIRE_THROWS_AS(DescribedValue(fixed, &source), std::invalid_argument);
}
