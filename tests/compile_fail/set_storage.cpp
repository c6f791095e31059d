// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "fixed.hpp"
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>

#include <memory>
#include <string>

using namespace slotwise;
using test::Fixed;

//=== array_key ===//
// expect: keyed containers: Key must be a non-const object type whose destructor does not throw
struct Hash {
    template <class Key>
    std::size_t operator()(const Key&) const noexcept {
        return 1;
    }
};

SetStorage<int, HashBy<Hash>> set;
SetStorage<int[4], HashBy<Hash>> arrays; // faulty

//=== asking_with_another_type ===//
// expect: this is no Key and does not convert to one; for other types hash and equality must be transparent
struct Name {
    int id;
    friend bool operator==(const Name&, const Name&) = default;
};
struct NameHash {
    std::size_t operator()(const Name& name) const noexcept { return static_cast<std::size_t>(name.id); }
};

const SetStorage<Name, HashBy<NameHash>> set;
bool found = set.contains(Name{7});
found = set.contains(7); // faulty

//=== const_key ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 16
SetStorage<int> set;
SetStorage<const int> constants; // faulty
constants.insert(1);             // faulty

//=== copying_a_key_that_only_moves ===//
// expect: constraints not satisfied || no matching member function for call
SetStorage<std::unique_ptr<int>> set;
auto key = std::make_unique<int>(1);
set.insert(std::move(key)); // control
set.insert(key);            // faulty

//=== copying_a_set_of_owners ===//
// expect: keyed container copy: keys cannot be copied; write std::move(container)
// lines: 34
SetStorage<std::unique_ptr<int>> set;
SetStorage<std::unique_ptr<int>> moved(std::move(set));
SetStorage<std::unique_ptr<int>> copy(moved); // faulty

//=== emplacing_from_the_wrong_arguments ===//
// expect: is_constructible
SetStorage<std::string> set;
set.emplace(std::size_t{3}, 'x');
set.emplace(set); // faulty

//=== erasing_by_another_type ===//
// expect: this is no Key and does not convert to one
SetStorage<std::string> set;
set.erase("a string literal");
set.erase(7); // faulty

//=== explicit_key ===//
// expect: Explicit constructors and narrowing do not count
MapStorage<std::unique_ptr<int>, int> owners;
int* const raw = nullptr;
owners[std::unique_ptr<int>(raw)] = 1;
owners[raw] = 1; // faulty

//=== extracting_what_cannot_be_copied ===//
// expect: use of deleted function || call to deleted constructor || no matching function for call to || no matching member function
using Key = std::unique_ptr<int>;
SetStorage<Key> set;
bool taken = set.extract(Key()).has_value();
SetStorage<Key, Options<KeySetOptions{.deferred_erase = true}>> deferring; // the removed key stays readable
taken = deferring.extract(Key()).has_value();                              // faulty
return taken + static_cast<int>(deferring.size());

//=== handle_of_other_keys ===//
// expect: this is no Key and does not convert to one
SetStorage<int> set;
SetStorage<long> other;
bool found = set.contains(set.handle_of(1));
found = set.contains(other.handle_of(1)); // faulty
return found + static_cast<int>(other.size());

//=== inserting_a_key_that_cannot_move ===//
// expect: constraints not satisfied
struct Hash {
    std::size_t operator()(const Fixed& key) const noexcept { return static_cast<std::size_t>(key.id); }
};

SetStorage<Fixed, HashBy<Hash>> set;
set.insert(Fixed(1)); // faulty

//=== inserting_narrowed ===//
// expect: Explicit constructors and narrowing do not count
SetStorage<float> set;
set.insert(0.1f);
set.insert(0.1); // faulty

//=== inserting_what_makes_no_key ===//
// expect: no matching function for call || no matching member function for call
SetStorage<std::string> set;
set.insert("a string literal");
set.insert(7.5); // faulty

//=== made_without_its_hash ===//
// expect: is_default_constructible
struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

SetStorage<int, HashBy<Hash>> set(Hash(1));
SetStorage<int, HashBy<Hash>> other; // faulty

//=== narrowing_key ===//
// expect: Explicit constructors and narrowing do not count
const SetStorage<unsigned char> set;
bool found = set.contains(44);
found = set.contains(44.9); // faulty

//=== range_of_no_iterators ===//
// expect: input_iterator
int keys[] = {1, 2};
SetStorage<int> set(keys, keys + 2);
SetStorage<int> other(1.5, 2.5); // faulty

//=== range_with_another_end ===//
// expect: sentinel_for
int keys[] = {1, 2};
SetStorage<int> set(keys, keys + 2);
SetStorage<int> other(keys, 2.5); // faulty

//=== remove_without_deferred_erase ===//
// expect: deferred_erase
SetStorage<int, Options<KeySetOptions{.deferred_erase = true}>> deferring;
deferring.remove(1);
deferring.remove(deferring.handle_of(1));
SetStorage<int> set;
set.remove(set.handle_of(1)); // faulty

//=== throwing_destructor ===//
// expect: keyed containers: Key must be a non-const object type whose destructor does not throw
template <bool Throws>
struct Key {
    int id = 0;
    ~Key() noexcept(!Throws) {}
    friend bool operator==(const Key& a, const Key& b) { return a.id == b.id; }
};
struct Hash {
    template <bool Throws>
    std::size_t operator()(const Key<Throws>& key) const noexcept {
        return static_cast<std::size_t>(key.id);
    }
};

SetStorage<Key<false>, HashBy<Hash>> set;
SetStorage<Key<true>, HashBy<Hash>> throws; // faulty

//=== writing_through_an_iterator ===//
// expect: read-only || cannot assign
SetStorage<int> set{1, 2};
int sum = 0;
for (const int& key : set) sum += key;
*set.begin() = 3; // faulty
return sum;

//=== writing_through_keys ===//
// expect: read-only || cannot assign
SetStorage<int> set;
const auto keys = set.keys();
keys[set.insert(1).it.slot()] = 2; // faulty
return keys.contains(0);

//=== inserting_a_range_that_is_none ===//
// expect: insert_range
SetStorage<int> set;
const int keys[] = {1, 2};
set.insert_range(keys);
set.insert_range(3); // faulty

//=== merging_owners_with_deferred_erase ===//
// expect: deferred_erase || copy_constructible
using Key = std::unique_ptr<int>;
SetStorage<Key> set, other;
set.merge(other);
SetStorage<Key, Options<KeySetOptions{.deferred_erase = true}>> deferring, source;
deferring.merge(source); // faulty
return static_cast<int>(deferring.size() + source.size());

//=== one_span_of_keys_over_pages ===//
// expect: Growth::reserve
SetStorage<int, Options<KeySetOptions{.growth = Growth::reserve}>> reserved;
SetStorage<int> set;
auto size = reserved.key_span().size();
size += set.key_span().size(); // faulty
return static_cast<int>(size + set.size());

//=== the_array_of_a_column_in_pages ===//
// expect: Growth::reserve || G == Growth
ValueArray<int, std::allocator<int>, Growth::reserve> reserved;
ValueArray<int> column;
bool none = reserved.data() == nullptr;
none = none && column.data() == nullptr; // faulty
return none;
