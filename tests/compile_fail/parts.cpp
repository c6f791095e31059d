// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What parts refuse, and no container that stands on them passes on.
#include <slotwise/arrow/fields.hpp>
#include <slotwise/arrow/shard.hpp>
#include <slotwise/ecs/component_index.hpp>
#include <slotwise/memory/allocator.hpp>

using namespace slotwise;

//=== flat_array_of_owners ===//
// expect: static assertion failed || static_assert failed
struct Owner {
    ~Owner() {}
};

detail::FlatArray<int, std::allocator<int>> numbers;
detail::FlatArray<Owner, std::allocator<Owner>> owners; // faulty

//=== tables_named_by_what_has_a_destructor ===//
// expect: tables are named by what is trivially copyable
struct Owner {
    int number = 0;
    ~Owner() {}
    friend bool operator==(const Owner&, const Owner&) = default;
};

ComponentIndex<int, int> index;
detail::TableList<Owner, int, int> other; // faulty

//=== wide_units ===//
// expect: XXH64 reads bytes
const char bytes[] = "ab";
auto hash = detail::XxHash64::of(bytes, 2);
const int numbers[] = {1, 2};
hash = detail::XxHash64::of(numbers, 2); // faulty

//=== no_column ===//
// expect: the type T has no column
struct Socket {
    int number = 0;
};

return detail::ArrowColumnOf<int>::by_itself;    // control
return detail::ArrowColumnOf<Socket>::by_itself; // faulty
