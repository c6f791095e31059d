// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>

using namespace slotwise;

//=== writing_to_a_const_described_series ===//
// expect: deleted || not marked const || discards qualifiers || call to deleted
AnyTSSStorage set(TypeDescriptor::of<int>());
const int key = 1;
set.write(1).add(&key);
const auto& reader = set;
reader.write(2); // faulty

//=== a_described_series_without_types ===//
// expect: no matching function for call || no default constructor || no matching constructor || use of deleted function || call to deleted || call to implicitly-deleted
AnyTSDStorage dict(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
AnyTSDStorage typeless; // faulty

//=== column_that_throws ===//
// expect: AnyTSSStorage, AnyTSDStorage: a further column's on_insert may throw, so a removed key could be lost before the window rolls; make it noexcept
struct Careful {
    void on_insert(slot_t, InsertKind) noexcept {}
};
struct Throws {
    void on_insert(slot_t, InsertKind) {}
};
BasicAnyTSSStorage<Careful> set(TypeDescriptor::of<int>());
BasicAnyTSSStorage<Throws> other(TypeDescriptor::of<int>()); // faulty

//=== a_strictness_that_is_none ===//
// expect: no matching function for call || no matching member function
AnyTSSStorage set(TypeDescriptor::of<int>());
AnyTSSStorage::delta_type delta;
set.write(1).apply(delta, [](const DescribedValue&) { return Strictness::lenient; });
set.write(1).apply(delta, [](int) { return true; }); // faulty

//=== a_strictness_of_a_dictionary_that_is_none ===//
// expect: no matching function for call || no matching member function
AnyTSDStorage dict(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
AnyTSDStorage::delta_type delta;
dict.write(1).apply(delta, [](const DescribedValue&) { return Strictness::lenient; });
dict.write(1).apply(delta, [](int) { return true; }); // faulty
