// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

#include <memory>

using namespace slotwise;

//=== changing_it_as_a_map ===//
// expect: discards qualifiers || not marked const || no matching || no viable
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
dict.as_map().erase(1); // faulty
return *dict.as_map().get(1);

//=== changing_it_as_a_set ===//
// expect: discards qualifiers || not marked const || no matching
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
dict.as_set().erase(1); // faulty
return static_cast<int>(dict.as_set().size());

//=== column_that_throws ===//
// expect: TSDStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; make it noexcept
struct Careful {
    void on_insert(slot_t, InsertKind) noexcept {}
};
struct Throws {
    void on_insert(slot_t, InsertKind) {}
};

template <class Watcher>
using Watched = TSDStorage<int, int, Watcher>;

Watched<Careful> dict;
Watched<Throws> other; // faulty

//=== copying_a_dictionary_of_owners ===//
// expect: use of deleted function || call to deleted || ValueArray
TSDStorage<int, std::unique_ptr<int>> dict;
auto moved = std::move(dict);
auto copy = moved; // faulty

//=== creating_what_needs_arguments ===//
// expect: is_default_constructible
struct Weight {
    explicit Weight(int) noexcept {}
};

TSDStorage<int, Weight> dict;
auto writer = dict.write(1);
writer.set(1, Weight(2));
writer.create(2); // faulty

//=== nested_series_with_another_clock ===//
// expect: a nested series must have the same Time
TSDStorage<int, TSSStorage<int, TimeBy<int>>, TimeBy<int>> dict;
TSDStorage<int, TSSStorage<int, TimeBy<int>>, TimeBy<long>> other; // faulty

//=== setting_a_nested_series ===//
// expect: no matching
// expect: nested
TSDStorage<int, TSSStorage<int>> dict;
auto writer = dict.write(1);
writer.create(1);
writer.set(1, TSSStorage<int>()); // faulty

//=== value_that_cannot_move_and_is_made_with_a_throw ===//
// expect: TSDStorage: T's move constructor may throw
template <bool Nothrow>
struct Fixed {
    Fixed() noexcept(Nothrow) {}
    Fixed(Fixed&&) = delete;
};

TSDStorage<int, Fixed<true>> dict;
TSDStorage<int, Fixed<false>> other; // faulty

//=== value_whose_move_may_throw ===//
// expect: TSDStorage: T's move constructor may throw; then a removed key could be lost before the window rolls. Put T into a std::unique_ptr, or make its move constructor noexcept
struct Loose {
    Loose() {}
    Loose(Loose&&) {}
    Loose& operator=(Loose&&) { return *this; }
};

TSDStorage<int, std::unique_ptr<Loose>> dict;
TSDStorage<int, Loose> other; // faulty

//=== writing_to_a_const_dictionary ===//
// expect: use of deleted function || call to deleted
// expect: write
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
const auto& reader = dict;
reader.write(2).set(1, 3); // faulty
return *reader.get(1);

//=== writing_to_a_nested_series_past_its_writer ===//
// expect: use of deleted function || call to deleted
// expect: write
TSDStorage<int, TSSStorage<int>> dict;
dict.write(1).create(1);
dict.write(1).modify(1).add(5);
dict.at(1).write(2).add(6); // faulty
return static_cast<int>(dict.at(1).size());

//=== writing_to_a_value_past_the_writer ===//
// expect: read-only || not assignable
TSDStorage<int, int> dict;
dict.write(1).set(1, 2);
*dict.get(1) = 3; // faulty
return *dict.get(1);

//=== emplacing_a_nested_series ===//
// expect: no matching
TSDStorage<int, TSSStorage<int>> dict;
auto writer = dict.write(1);
writer.create(1);
writer.try_emplace(2, TSSStorage<int>()); // faulty

//=== inserting_a_nested_series ===//
// expect: no matching
TSDStorage<int, TSSStorage<int>> dict;
auto writer = dict.write(1);
writer.create(1);
writer.insert(2, TSSStorage<int>()); // faulty

//=== extracting_a_nested_series ===//
// expect: no matching
TSDStorage<int, TSSStorage<int>> dict;
auto writer = dict.write(1);
writer.create(1);
writer.extract(1); // faulty

//=== a_text_in_the_place_of_a_number ===//
// expect: no matching
const TSDStorage<int, int> dict;
dict.value_or(1, 2);
dict.value_or(1, "none"); // faulty

//=== popping_a_nested_series ===//
// expect: constraints not satisfied || no matching || invalid reference
TSDStorage<int, TSSStorage<int>> nested;
TSDStorage<int, int> plain;
plain.write(1).pop(1);
nested.write(1).pop(1); // faulty
return 0;

//=== assigning_nested_series ===//
// expect: constraints not satisfied || no matching || invalid reference
TSDStorage<int, TSSStorage<int>> nested;
TSDStorage<int, int> plain;
plain.write(1).assign(plain.items());
nested.write(1).assign(nested.items()); // faulty
return 0;

//=== applying_with_a_mode_that_is_none ===//
// expect: no matching
TSDStorage<int, int> plain;
plain.write(1).apply({}, [](int) { return Strictness::strict; });
plain.write(1).apply({}, [](int) { return 5.0; }); // faulty
return 0;
