// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A callback that may take a handle (or a slot, or an id) before the element takes it by a first parameter of exactly that type.
// An element that converts to the handle, or a handle that converts to the element, chooses no other form.
#include "../containers.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace test::callbacks {

using namespace slotwise;

/// Converts to and from each handle, and to and from numbers.
struct Chameleon {
    int number = 0;
    Chameleon() = default;
    Chameleon(int n) : number(n) {}
    template <class Tag, HandleLayout L>
    Chameleon(Handle<Tag, L>) : number(-1) {}
    template <class Tag, HandleLayout L>
    operator Handle<Tag, L>() const {
        return Handle<Tag, L>(9, 9);
    }
    friend bool operator==(const Chameleon&, const Chameleon&) = default;
};
struct Hash {
    template <class T>
    std::size_t operator()(const T& key) const {
        return static_cast<std::size_t>(key.number);
    }
};

/// What callbacks of one element were called with.
struct Calls {
    int handles = 0, values = 0, wrong = 0;
};

/// Each container that calls f(value) or f(handle, value); Name is what names the element, Value a reference to it.
template <class Name, class Value, class Walk>
void each_form(const Walk& walk, const char* container) {
    INFO(container);
    Calls calls;
    const auto good = [&](const Chameleon& value) { value.number == 5 ? ++calls.values : ++calls.wrong; };
    const auto named = [&](Name name) { name == Name(9, 9) ? ++calls.wrong : ++calls.handles; };
    const auto expect = [&](int handles, int values) {
        CHECK(calls.wrong == 0);
        CHECK(calls.handles == handles);
        CHECK(calls.values == values);
        calls = {};
    };
    walk([&](const Chameleon& value) { good(value); });
    expect(0, 1);
    walk([&](Chameleon value) { good(value); });
    expect(0, 1);
    walk([&](auto& value) { good(value); });
    expect(0, 1);
    walk([&](const Chameleon& value, int = 0) { good(value); });
    expect(0, 1);
    walk([&](const Chameleon& value, const Chameleon& = {}) { good(value); }); // the handle converts to the first
    expect(0, 1);
    walk([&](Name name, const Chameleon& value) { named(name), good(value); });
    expect(1, 1);
    walk([&](const Name& name, auto&& value) { named(name), good(value); });
    expect(1, 1);
    walk([&](Name name, auto&&... values) { named(name), (good(values), ...); }); // f(value) would compile, too
    expect(1, 1);
    walk([&](Name name, const Chameleon& value = {}) { named(name), good(value); });
    expect(1, 1);
    walk([&](auto name, const Chameleon& value) { named(name), good(value); });
    expect(1, 1);
    walk([&](auto... each) { calls.values += sizeof...(each) == 2; }); // documented: a generic callback gets the handle
    expect(0, 1);
    struct Both {
        Calls& calls;
        void operator()(Name, const Chameleon&) const { ++calls.handles; }
        void operator()(const Chameleon&) const { ++calls.wrong; }
    };
    walk(Both{calls});
    expect(1, 0);
}

TEST_CASE("an element that converts to the handle is an element", "[properties][callbacks]") {
    using E = Chameleon;
    {
        SlotMap<E> c;
        c.emplace(5);
        each_form<SlotMap<E>::handle_type, E&>([&](auto&& f) { c.for_each(f); }, "SlotMap");
        each_form<SlotMap<E>::handle_type, const E&>([&](auto&& f) { std::as_const(c).for_each(f); }, "const SlotMap");
    }
    {
        DenseSlotMap<E> c;
        c.emplace(5);
        each_form<DenseSlotMap<E>::handle_type, E&>([&](auto&& f) { c.for_each(f); }, "DenseSlotMap");
    }
    {
        SoaSlotMap<E> c;
        c.emplace(E(5));
        each_form<SoaSlotMap<E>::handle_type, E&>([&](auto&& f) { c.for_each(f); }, "SoaSlotMap");
    }
    {
        SetStorage<E, HashBy<Hash>> c;
        c.insert(E(5));
        each_form<SetStorage<E, HashBy<Hash>>::handle_type, const E&>([&](auto&& f) { c.for_each(f); }, "SetStorage");
    }
    {
        TSSStorage<E, HashBy<Hash>> c;
        c.write(1).add(E(5));
        each_form<TSSStorage<E, HashBy<Hash>>::handle_type, const E&>([&](auto&& f) { c.for_each(f); }, "TSSStorage");
    }
    {
        using Id = every::entry::SomeHandle;
        SparseMap<Id, E> a{{Id(1, 1), E(5)}};
        SparseSet<Id> b{Id(1, 1)};
        const SparseGroup group(a, b);
        each_form<Id, E&>([&](auto&& f) { group.for_each(f); }, "SparseGroup");
    }
}

/// The same of predicates of erase_if().
template <class Name, class C, class Make>
void each_predicate(const Make& make, const char* container) {
    INFO(container);
    int wrong = 0;
    const auto is_five = [](const Chameleon& value) { return value.number == 5; };
    const auto erases = [&](auto pred) {
        C c = make();
        CHECK(c.erase_if(pred) == 1);
        CHECK(c.empty());
    };
    erases([&](Name name, const Chameleon& value) { return name == Name(9, 9) ? ++wrong, false : is_five(value); });
    erases([&](Name name, auto&&... values) { return name != Name(9, 9) && (is_five(values) && ...); });
    if constexpr (
        requires(C& c) { c.try_emplace(Name(1, 1), 5); } && !requires(C& c) { c.handle_at(0); }) // pred(item)
        erases([&](const auto& item) { return is_five(item.value); });
    else {
        erases([&](const Chameleon& value, int = 0) { return is_five(value); });
        erases([&](const Chameleon& value, const Chameleon& = {}) { return is_five(value); });
    }
    CHECK(wrong == 0);
}
TEST_CASE("a predicate takes the handle by its exact type", "[properties][callbacks]") {
    using E = Chameleon;
    using Id = every::entry::SomeHandle;
    const auto with_one = []<class C>(C*, auto... arguments) {
        return [=] {
            C c;
            if constexpr (requires { c.try_emplace(arguments...); })
                c.try_emplace(arguments...);
            else if constexpr (requires { c.emplace(arguments...); })
                c.emplace(arguments...);
            return c;
        };
    };
    each_predicate<SlotMap<E>::handle_type, SlotMap<E>>(with_one(static_cast<SlotMap<E>*>(nullptr), E(5)), "SlotMap");
    each_predicate<DenseSlotMap<E>::handle_type, DenseSlotMap<E>>(with_one(static_cast<DenseSlotMap<E>*>(nullptr), E(5)),
                                                                  "DenseSlotMap");
    using Set = SetStorage<E, HashBy<Hash>>;
    each_predicate<Set::handle_type, Set>(with_one(static_cast<Set*>(nullptr), E(5)), "SetStorage");
    each_predicate<Id, SparseMap<Id, E>>(with_one(static_cast<SparseMap<Id, E>*>(nullptr), Id(1, 1), E(5)), "SparseMap");
    each_predicate<Id, SecondaryMap<Id, E>>(with_one(static_cast<SecondaryMap<Id, E>*>(nullptr), Id(1, 1), E(5)),
                                            "SecondaryMap");
    each_predicate<Id, SparseSecondaryMap<Id, E>>(with_one(static_cast<SparseSecondaryMap<Id, E>*>(nullptr), Id(1, 1), E(5)),
                                                  "SparseSecondaryMap");
}

TEST_CASE("a map's callback takes key, value, handle and item by exact types", "[properties][callbacks]") {
    using Map = MapStorage<Chameleon, Chameleon, HashBy<Hash>>;
    using H = Map::handle_type;
    Map map;
    map.insert(Chameleon(5), Chameleon(6));
    int calls = 0;
    const auto right = [&](const Chameleon& key, const Chameleon& value) { calls += key.number == 5 && value.number == 6; };
    map.for_each([&](const Chameleon& key, const Chameleon& value) { right(key, value); });
    map.for_each([&](const Chameleon& key, Chameleon& value, int = 0) { right(key, value); });
    map.for_each([&](const Chameleon& key, Chameleon& value, const Chameleon& = {}) { right(key, value); });
    map.for_each([&](H handle, const Chameleon& key, Chameleon& value) { handle == H(9, 9) ? void() : right(key, value); });
    map.for_each([&](H handle, const auto&... each) { handle == H(9, 9) ? void() : right(each...); });
    map.for_each([&](const auto& item) { right(item.key, item.value); });
    map.for_each([&](auto& item) { right(item.key, item.value); });
    map.for_each([&](MapItem<Chameleon, Chameleon> item) { right(item.key, item.value); });
    CHECK(calls == 8);
}

TEST_CASE("a column's callback takes the slot by its exact type", "[properties][callbacks]") {
    SlotMap<int> map;
    static_cast<void>(map.insert(1000));
    static_cast<void>(map.insert(1001));
    std::vector<int> seen;
    const auto expect = [&](std::vector<int> wanted) {
        CHECK(seen == wanted);
        seen.clear();
    };
    const auto column = map.values();
    column.for_each([&](int value) { seen.push_back(value); });
    expect({1000, 1001});
    column.for_each([&](int value, int = 7) { seen.push_back(value); }); // a slot converts to int
    expect({1000, 1001});
    column.for_each([&](long value, long = 7) { seen.push_back(static_cast<int>(value)); });
    expect({1000, 1001});
    column.for_each([&](slot_t slot, int) { seen.push_back(static_cast<int>(slot)); });
    expect({0, 1});
    column.for_each([&](std::size_t slot, int&) { seen.push_back(static_cast<int>(slot)); }); // no other form is possible
    expect({0, 1});
}

struct FromRow {
    int number = 0;
    FromRow() = default;
    template <class... Members>
    FromRow(const RowRef<Members...>&) : number(-1) {}
};
TEST_CASE("a row's predicate takes the first member by its exact type", "[properties][callbacks]") {
    SoaVector<FromRow, int> rows;
    rows.push_back(FromRow(), 1);
    CHECK(rows.erase_if([](const FromRow& first, int = 0) { return first.number == 0; }) == 1);
    rows.push_back(FromRow(), 1);
    CHECK(rows.erase_if([](const auto& row) { return std::get<1>(row) == 1; }) == 1);
}

} // namespace test::callbacks
