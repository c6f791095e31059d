// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/component_index.hpp>

using namespace slotwise;

//=== ids_whose_copies_throw ===//
// expect: Id is trivially copyable
struct Name {
    int number = 0;
    Name() = default;
    Name(const Name& other) : number(other.number) {}
    friend auto operator<=>(const Name&, const Name&) = default;
};
struct Hash {
    std::size_t operator()(const Name& name) const noexcept { return static_cast<std::size_t>(name.number); }
};

ComponentIndex<int, int> index;
ComponentIndex<int, Name, HashBy<Hash>> other; // faulty

//=== tables_named_by_what_has_a_destructor ===//
// expect: tables are named by what is trivially copyable
struct Owner {
    int number = 0;
    ~Owner() {}
    friend bool operator==(const Owner&, const Owner&) = default;
};

ComponentIndex<int, int> index;
detail::TableList<Owner, int, int> other; // faulty
