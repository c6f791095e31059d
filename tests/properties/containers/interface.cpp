// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What people type without looking it up is there in every container that can have it, and its answers agree.
#include "properties/containers.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <vector>

namespace {
using namespace test::every;

template <class Range>
constexpr bool is_view = std::ranges::view<Range> && std::ranges::borrowed_range<Range>;

/// Series are written through writers, and described sets and maps speak of addresses: they have a part of this only.
template <class C>
concept Whole = requires(C& c, typename C::handle_type name) {
    c.find(name);
    c.values();
    c.items();
    c.handles();
    c.erase_if([](auto&&...) { return true; });
};

struct Interface {
    /// The number that an element was made of; an element of a SoaSlotMap has it twice, an item beside its name.
    template <class Element>
    static int number(const Element& element) {
        if constexpr (AnyHandle<Element>)
            return 0;
        else if constexpr (std::is_same_v<Element, int>)
            return element;
        else if constexpr (std::is_pointer_v<Element>) // the address of a described one
            return *static_cast<const int*>(element);
        else if constexpr (requires { element.value; })
            return number(element.value);
        else
            return element.template get<0>();
    }
    template <class Range>
    static std::vector<int> numbers(Range&& range) {
        std::vector<int> result;
        for (auto&& each : range) result.push_back(number(each));
        return result;
    }
    template <class C>
    static std::vector<int> backwards(C& range) {
        std::vector<int> result;
        for (auto it = range.end(); it != range.begin();) result.push_back(number(*--it));
        std::ranges::reverse(result);
        return result;
    }

    static inline int compared = 0;

    template <class Entry, class C>
    static void run() {
        if constexpr (Whole<C>) {
            ++compared;
            using Items = decltype(std::declval<C&>().items());
            using Values = decltype(std::declval<C&>().values());
            using Handles = decltype(std::declval<C&>().handles());
            static_assert(std::ranges::bidirectional_range<C> && std::ranges::bidirectional_range<const C>);
            static_assert(std::ranges::bidirectional_range<Items> && is_view<Items>);
            static_assert(std::ranges::bidirectional_range<Values> && is_view<Values>);
            static_assert(std::ranges::bidirectional_range<Handles> && is_view<Handles>);

            C c = made<C>();
            std::vector<typename C::handle_type> names;
            for (int n = 0; n != 200; ++n) names.push_back(Entry::insert(c, n));
            for (std::size_t i = 0; i < names.size(); i += 3) Entry::erase(c, names[i]);
            agree(c, names);
            CHECK(erase_if(c, [](auto&&... element) { return number_of(element...) > 150; }) == 33);
            agree(c, names);
            CHECK(erase_if(c, [](auto&&...) { return true; }) == 100);
            agree(c, names);
            CHECK(c.begin() == c.end());
        }
    }

private:
    template <class... Elements>
    static int number_of(const Elements&... elements) {
        return (number(elements), ...);
    }
    template <class C>
    static void agree(C& c, const std::vector<typename C::handle_type>& names) {
        const C& reader = c;
        std::size_t found = 0;
        for (const auto name : names) {
            const bool there = c.contains(name);
            found += there;
            CHECK(c.count(name) == (there ? 1u : 0u));
            CHECK((c.find(name) != c.end()) == there);
            CHECK((reader.find(name) != reader.end()) == there);
            if (there) CHECK((c.find(name).handle() == name && c.find(name).slot() == name.index()));
            if constexpr (requires { c.get(name); }) CHECK(static_cast<bool>(c.get(name)) == there);
            if constexpr (requires { c.handle_at(name.index()); }) CHECK((c.handle_at(name.index()) == name) == there);
            if constexpr (requires { c.handle_of(c.find(name)); })
                if (there) CHECK(c.handle_of(c.find(name)) == name);
            if constexpr (requires { number(c[name]); })
                if (there) CHECK(number(c[name]) == number(*c.find(name)));
            if constexpr (requires { number(c.value_or(name, -1)); })
                CHECK(number(c.value_or(name, -1)) == (there ? number(*c.find(name)) : -1));
        }
        CHECK(found == c.size());
        const std::vector<int> all = numbers(c);
        CHECK(all.size() == c.size());
        CHECK(numbers(reader) == all);
        CHECK(numbers(c.values()) == all);
        CHECK(numbers(reader.values()) == all);
        CHECK(numbers(c.items()) == all);
        CHECK(numbers(reader.items()) == all);
        CHECK(backwards(c) == all);
        CHECK(backwards(reader) == all);
        const auto values = c.values();
        CHECK(backwards(values) == all);
        auto it = c.begin();
        for (const auto name : c.handles()) CHECK((it++).handle() == name);
        CHECK(it == c.end());
        std::vector<int> parts;
        for (auto&& [name, value] : c.items()) parts.push_back(number(value));
        CHECK(parts == all);
    }
};

/// The same of containers whose elements are named by ids, and whose rows are packed.
struct IdInterface {
    static inline int compared = 0;

    template <class Entry, class C>
    static void run() {
        if constexpr (requires(C& c, typename C::id_type id) {
                          c.find(id);
                          c.row_of(id);
                      }) {
            ++compared;
            static_assert(std::ranges::bidirectional_range<C> && std::ranges::bidirectional_range<const C>);
            C c = made<C>();
            std::vector<typename C::id_type> names;
            for (int n = 0; n != 200; ++n) names.push_back(Entry::insert(c, n));
            for (std::size_t i = 0; i < names.size(); i += 3) Entry::erase(c, names[i]);
            agree(c, names);
            CHECK(erase_if(c, [](const auto& item) { return IdTraits<typename C::id_type>::index(id_in(item)) > 150; }) == 33);
            agree(c, names);
            CHECK(c.erase_if([](auto&&...) { return true; }) == 100);
            agree(c, names);
            CHECK(c.begin() == c.end());
        }
    }

private:
    template <class Item>
    static auto id_in(const Item& item) {
        if constexpr (requires { item.id; })
            return item.id;
        else
            return item;
    }
    template <class C>
    static void agree(C& c, const std::vector<typename C::id_type>& names) {
        const C& reader = c;
        std::size_t found = 0;
        for (const auto id : names) {
            const bool there = c.contains(id);
            found += there;
            CHECK(c.count(id) == (there ? 1u : 0u));
            CHECK((c.find(id) != c.end()) == there);
            CHECK((reader.find(id) != reader.end()) == there);
            CHECK((c.row_of(id) != C::no_row) == there);
            if (there) CHECK((c.find(id).id() == id && c.find(id).row() == c.row_of(id) && c.id_at(c.row_of(id)) == id));
            if constexpr (requires { c.get(id); }) {
                CHECK((c.get(id) != nullptr) == there);
                CHECK(reader.value_or(id, -1) == (there ? static_cast<int>(IdTraits<typename C::id_type>::index(id)) : -1));
                if (there)
                    CHECK((&c[id] == c.get(id) && &reader.at(id) == c.get(id) && &c.value_at(c.row_of(id)) == c.get(id)));
            }
        }
        CHECK((found == c.size() && c.ids().size() == found && c.empty() == (found == 0)));
        // The walk goes from the last row to the first; ids, values and chunks from the first.
        std::vector<typename C::id_type> walked, rows(c.ids().begin(), c.ids().end()), backwards;
        for (const auto& item : reader) walked.push_back(id_in(item));
        for (auto it = c.end(); it != c.begin();) backwards.push_back(id_in(*--it));
        CHECK(backwards == rows);
        std::ranges::reverse(walked);
        CHECK(walked == rows);
        if constexpr (requires { c.values(); }) {
            std::size_t row = 0;
            for (const int value : reader.values()) CHECK(value == *c.get(rows[row++]));
            CHECK(row == found);
            for (const auto& [id, value] : c.items()) CHECK(&value == c.get(id));
            for (const auto& chunk : c.chunks()) row -= chunk.size();
            CHECK(row == 0);
        }
    }
};

/// A static observer.
struct Counts {
    int inserts = 0;
    void on_insert(slot_t, InsertKind) noexcept { ++inserts; }
};
/// C has the static observers Counts and Column<int>.
template <class Verbs, class C>
void finds_by_type() {
    C c = made<C>();
    const auto name = Verbs::insert(c, 1);
    c.template column<int>()[name] = 25;
    const C& reader = c;
    CHECK((reader.template column<int>().at(name) == 25 && c.template column<1>()[name] == 25));
    CHECK((c.template observer<Counts>().inserts == 1 && reader.template observer<Counts>().inserts == 1));
    CHECK((&reader.template observer<0>() == &reader.template observer<Counts>()));
    Verbs::erase(c, name);
    CHECK((c.template column<int>().get(name) == nullptr));
#if defined(__cpp_exceptions)
    CHECK_THROWS_AS(c.template column<int>().at(name), std::out_of_range);
#endif
}

#if defined(__cpp_exceptions)
/// Moves, and throws when it is copied.
struct Refuses {
    explicit Refuses(int) {}
    Refuses(const Refuses&) { throw std::runtime_error("copy"); }
    Refuses(Refuses&&) noexcept {}
    Refuses& operator=(const Refuses&) = delete;
    Refuses& operator=(Refuses&&) noexcept { return *this; }
    ~Refuses() = default;
};
#endif

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("value_or throws what the copy of a value throws", "[properties][throws]") {
    const auto copies = [](const auto& c, const auto& name) {
        CHECK_THROWS_AS(c.value_or(name, Refuses(1)), std::runtime_error);
        CHECK(c.get(name) != nullptr);
    };
    SlotMap<Refuses> slots;
    const auto handle = slots.emplace(1);
    copies(slots, handle);
    SecondaryMap<SlotMap<Refuses>::handle_type, Refuses> second;
    second.try_emplace(handle, 1);
    copies(second, handle);
    MapStorage<int, Refuses> map;
    map.try_emplace(1, 1);
    copies(map, 1);
    copies(MapView<int, Refuses>(map), 1);
    TSDStorage<int, Refuses> dict;
    dict.write(1).set(1, Refuses(1));
    copies(dict, 1);
    copies(TSDView<int, Refuses>(dict), 1);
    copies(dict.write(1), 1);
}

TEST_CASE("of a range that does not fit the elements before the throw stay", "[properties][throws]") {
    using Slots = SlotMap<int, Options<SlotMapOptions{.max_slots = 64}>>;
    std::vector<int> numbers(70);
    for (int i = 0; i != 70; ++i) numbers[static_cast<std::size_t>(i)] = i;
    CHECK_THROWS_AS(Slots(numbers.begin(), numbers.end()), std::length_error);
    Slots slots;
    CHECK_THROWS_AS(slots.insert_range(numbers), std::length_error);
    CHECK((slots.size() == 64 && slots[slots.handle_at(63)] == 63));
    SetStorage<int, Options<KeySetOptions{.max_slots = 64}>> set;
    CHECK_THROWS_AS(set.insert(numbers.begin(), numbers.end()), std::length_error);
    CHECK((set.size() == 64 && set.contains(63) && set.check_invariants()));
    MapStorage<int, int, Options<KeySetOptions{.max_slots = 64}>> map;
    for (int i = 0; i != 63; ++i) map.insert(i, i);
    CHECK_THROWS_AS(map.insert({{100, 1}, {101, 1}}), std::length_error);
    CHECK((map.size() == 64 && map.at(100) == 1 && map.check_invariants()));
    TSSStorage<int, Options<SeriesOptions{.max_slots = 64}>> series;
    CHECK_THROWS_AS(series.write(1).insert_range(numbers), std::length_error);
    CHECK((series.size() == 64 && series.contains(63)));
}

TEST_CASE("a series throws for a handle without a key, and what its hash throws", "[properties][throws]") {
    struct Throws {
        std::size_t operator()(int key) const { return key == 13 ? throw std::runtime_error("hash") : std::size_t{1}; }
    };
    TSSStorage<int, HashBy<Throws>> series;
    CHECK_THROWS_AS(series.at(decltype(series)::handle_type()), std::out_of_range);
    CHECK_THROWS_AS(series.write(1).count(13), std::runtime_error);
}
#endif

TEST_CASE("columns and observers are found by their type, also where values are of that type", "[properties]") {
    finds_by_type<SlotMapVerbs, SlotMap<int, Counts, Column<int>>>();
    finds_by_type<SlotMapVerbs, DenseSlotMap<int, Counts, Column<int>>>();
    finds_by_type<KeyedVerbs, SetStorage<int, Counts, Column<int>>>();
    finds_by_type<KeyedVerbs, MapStorage<int, int, Counts, Column<int>>>();
    finds_by_type<DescribedVerbs, BasicAnySetStorage<Counts, Column<int>>>();
    finds_by_type<DescribedVerbs, BasicAnyMapStorage<Counts, Column<int>>>();
    finds_by_type<SeriesVerbs, TSSStorage<int, Counts, Column<int>>>();
    finds_by_type<DescribedSeriesVerbs, BasicAnyTSSStorage<Counts, Column<int>>>();
    finds_by_type<DescribedSeriesVerbs, BasicAnyTSDStorage<Counts, Column<int>>>();
    finds_by_type<SeriesVerbs, TSDStorage<int, int, Counts, Column<int>>>();
}

TEST_CASE("find, get, contains, count, values, handles, items and walks both ways agree in every container", "[properties]") {
    for_each_container<Interface>();
    CHECK(Interface::compared >= 28); // slot maps, keyed containers and secondary maps, each with each set of options
}

TEST_CASE("find, get, contains, count, ids, values, items and rows agree in every sparse container", "[properties]") {
    for_each_container<IdInterface>();
    CHECK(IdInterface::compared >= 5);
}

TEST_CASE("items are pairs: std::get and std::views::keys, values and elements take them apart", "[properties]") {
    const auto take_apart = [](auto& c, auto&& first) {
        int sum = 0;
        for (const auto& value : c.items() | std::views::values) sum += value;
        for (const auto& value : c.items() | std::views::elements<1>) sum += value;
        CHECK(sum == 2 * 60);
        CHECK(std::get<0>(*c.items().begin()) == first);
        const std::pair<std::remove_cvref_t<decltype(first)>, int> copied = *c.items().begin();
        CHECK((copied.first == first && copied.second == 10));
        const auto names = c.items() | std::views::keys;
        CHECK(*names.begin() == first);
    };
    SlotMap<int> slots{10, 20, 30};
    take_apart(slots, slots.handle_at(0));
    DenseSlotMap<int> dense{10, 20, 30};
    take_apart(dense, dense.handle_at(0));
    SecondaryMap<SlotMap<int>::handle_type, int> second;
    for (const auto [name, value] : slots.items()) second.insert(name, value);
    take_apart(second, slots.handle_at(0));
    MapStorage<int, int> map{{1, 10}, {2, 20}, {3, 30}};
    take_apart(map, 1);
    MapView<int, int> view(map);
    take_apart(view, 1);
    CHECK(erase_if(map, [](const auto& item) { return item.value == 20 && item.key == 2; }) == 1);
    CHECK(map.erase_if([](MapItem<int, int> item) { return item.key == 1; }) == 1);
    map.for_each([](const auto& item) { item.value += item.key; });
    CHECK((map.size() == 1 && map.at(3) == 33));
}

TEST_CASE("what is brought a key says where it is by two names", "[properties]") {
    MapStorage<int, int> map;
    const auto [it, inserted] = map.insert(1, 10);
    CHECK((inserted && it->key == 1 && it->value == 10 && it.handle() == map.handle_of(1) && it.slot() == map.slot_of(1)));
    CHECK_FALSE(map.try_emplace(1, 20).inserted);
    const std::pair<MapStorage<int, int>::iterator, bool> as_pair = map.insert_or_assign(1, 30);
    CHECK((as_pair.first == it && !as_pair.second && it->value == 30));
    const InsertResult<MapStorage<int, int>::const_iterator> reading = map.insert(2, 20);
    CHECK((reading.inserted && reading.kind == InsertKind::fresh && reading.it->value == 20));
    SecondaryMap<MapStorage<int, int>::handle_type, int> second;
    const auto [entry, entered] = second.insert(it.handle(), 5);
    CHECK((entered && entry->value == 5 && entry.handle() == it.handle()));
    CHECK(second.insert({}, 5).it == second.end());
}

TEST_CASE("a column answers a handle, and a stale one is refused", "[properties]") {
    SlotMap<int> map{1, 2};
    const auto first = map.handle_at(0);
    const auto column = map.values();
    CHECK((column[first] == 1 && column.at(first) == 1 && column.contains(first)));
    map.erase(first);
    CHECK_FALSE(column.contains(first));
    CHECK_THROWS_AS(column.at(first), std::out_of_range);
}
