// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

using namespace slotwise;

//=== made_from_another_type ===//
// expect: constructible_from
Versioned<int> number(1);
Versioned<int> text("one"); // faulty
return number.get();

//=== made_without_a_value ===//
// expect: default_initializable
struct Weight {
    explicit Weight(int) {}
    bool operator==(const Weight&) const = default;
};

Versioned<Weight> weight(Weight(1));
Versioned<Weight> nothing; // faulty
return static_cast<int>(weight.mark());

//=== set_to_another_type ===//
// expect: no matching function || no matching member function
Versioned<int> value(1);
bool changed = value.set(2L);
changed = value.set("two"); // faulty
return changed;
