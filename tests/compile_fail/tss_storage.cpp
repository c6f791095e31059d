// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

#include <memory>

using namespace slotwise;

//=== adding_without_a_writer ===//
// expect: no member named
TSSStorage<int> set;
set.write(1).add(1);
set.add(2); // faulty

//=== changing_it_as_a_set ===//
// expect: discards qualifiers || not marked const || no matching
TSSStorage<int> set;
set.write(1).add(1);
set.as_set().insert(2); // faulty
return static_cast<int>(set.as_set().size());

//=== column_that_throws ===//
// expect: TSSStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; make it noexcept
struct Careful {
    void on_insert(slot_t, InsertKind) noexcept {}
};
struct Throws {
    void on_insert(slot_t, InsertKind) {}
};

template <class Watcher>
using Watched = TSSStorage<int, Watcher>;

Watched<Careful> set;
Watched<Throws> other; // faulty

//=== writing_to_a_const_set ===//
// expect: use of deleted function || call to deleted
// expect: write
TSSStorage<int> set;
set.write(1).add(1);
const auto& reader = set;
reader.write(2).add(2); // faulty

//=== writing_to_a_key ===//
// expect: read-only || const-qualified
TSSStorage<int> set;
set.write(1).add(1);
int sum = 0;
for (auto& key : set) key = 2; // faulty
for (auto& key : set) sum += key;
return sum;

//=== emplacing_from_the_wrong_arguments ===//
// expect: no matching
TSSStorage<int> set;
auto writer = set.write(1);
writer.emplace(1);
writer.emplace("one"); // faulty

//=== extracting_a_key_that_only_moves ===//
// expect: copy_constructible
TSSStorage<std::unique_ptr<int>> set;
auto writer = set.write(1);
writer.extract(*set.begin()); // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
TSSStorage<int> series;
TSSStorage<const int> constants;     // faulty
static_cast<void>(constants.size()); // faulty
static_cast<void>(series);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
TSSStorage<int> series;
TSSStorage<int&> references;          // faulty
static_cast<void>(references.size()); // faulty
static_cast<void>(series);
