// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/versioned.hpp>

using namespace slotwise;

//=== made_from_another_type ===//
// expect: constructible_from
// covers: core/versioned.hpp requires "std::constructible_from<T, U &&>"
Versioned<int> number(1);
Versioned<int> text("one"); // faulty
return number.get();

//=== made_without_a_value ===//
// expect: default_initializable
// covers: core/versioned.hpp requires "std::default_initializable<T>"
struct Weight {
    explicit Weight(int) {}
    bool operator==(const Weight&) const = default;
};

Versioned<Weight> weight(Weight(1));
Versioned<Weight> nothing; // faulty
return static_cast<int>(weight.mark());

//=== set_to_another_type ===//
// expect: no matching function || no matching member function
// covers: core/versioned.hpp requires "std::assignable_from<T&, U&&>"
Versioned<int> value(1);
bool changed = value.set(2L);
changed = value.set("two"); // faulty
return changed;
