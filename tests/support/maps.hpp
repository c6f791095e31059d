// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The storages of slot maps under one set of verbs, so that one test body runs on all of them:
//     TEMPLATE_TEST_CASE("...", "", ALL_STORAGES) { typename TestType::template map<int> map; const auto h = put(map, 1); ... }
// An element is made from an int and says it back; a row of a SoaSlotMap has two members made from the same int.
#ifndef SLOTWISE_TESTS_SUPPORT_MAPS_HPP
#define SLOTWISE_TESTS_SUPPORT_MAPS_HPP

#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace test {

using namespace slotwise;

/// Options with another way of growing.
constexpr SlotMapOptions growing(SlotMapOptions options, Growth growth) {
    options.growth = growth;
    return options;
}

struct Paged {
    template <class T, SlotMapOptions O = SlotMapOptions{}, class A = std::allocator<T>, class... Observers>
    using map = SlotMap<T, Options<O>, AllocBy<A>, Observers...>;
};
/// Paged too where there is no virtual memory.
struct Reserved {
    template <class T, SlotMapOptions O = SlotMapOptions{}, class A = std::allocator<T>, class... Observers>
    using map =
        SlotMap<T, Options<growing(O, SLOTWISE_VIRTUAL_MEMORY ? Growth::reserve : Growth::pages)>, AllocBy<A>, Observers...>;
};
struct Dense {
    template <class T, SlotMapOptions O = SlotMapOptions{}, class A = std::allocator<T>, class... Observers>
    using map = DenseSlotMap<T, Options<O>, AllocBy<A>, Observers...>;
};
struct Soa {
    template <class T, SlotMapOptions O = SlotMapOptions{}, class A = std::allocator<T>>
    using map = BasicSoaSlotMap<Members<T, T>, Options<O>, AllocBy<A>>;
};

#define ALL_STORAGES ::test::Paged, ::test::Reserved, ::test::Dense, ::test::Soa

template <class Map>
inline constexpr bool is_soa = false;
template <class... With>
inline constexpr bool is_soa<BasicSoaSlotMap<With...>> = true;

template <class Map>
inline constexpr bool is_paged = false;
template <class... With>
inline constexpr bool is_paged<SlotMap<With...>> = true;

/// The type of an element, or of a row's first member.
template <class Map>
struct ElementOf {
    using type = typename Map::value_type;
};
template <class T, class... Ts, class... With>
struct ElementOf<BasicSoaSlotMap<Members<T, Ts...>, With...>> {
    using type = T;
};
template <class Map>
using element_t = typename ElementOf<Map>::type;

/// What an element, or the first member of a row, was made from.
template <class T>
constexpr int number(const T& element) {
    if constexpr (requires { element.template get<0>(); })
        return number(element.template get<0>());
    else if constexpr (requires { element.value(); })
        return element.value();
    else
        return static_cast<int>(element);
}

/// What the element that `map` has under `handle` was made from. @pre it is there
template <class Map>
constexpr int number_of(const Map& map, typename Map::handle_type handle) {
    return number(map.at(handle));
}

template <class Map>
auto put(Map& map, int value) {
    if constexpr (is_soa<Map>)
        return map.insert(element_t<Map>(value), element_t<Map>(value));
    else
        return map.insert(element_t<Map>(value));
}
/// In place, from the int.
template <class Map>
auto put_in_place(Map& map, int value) {
    if constexpr (is_soa<Map>)
        return map.emplace(value, value);
    else
        return map.emplace(value);
}
/// The handle of emplace_ref, whose reference is of the element.
template <class Map>
auto put_ref(Map& map, int value) {
    if constexpr (is_soa<Map>) {
        auto [handle, element] = map.emplace_ref(value, value);
        return element.template get<0>() == map[handle].template get<0>() ? handle : typename Map::handle_type();
    } else {
        auto [handle, element] = map.emplace_ref(value);
        return &element == map.get(handle) ? handle : typename Map::handle_type();
    }
}
template <class Map>
auto try_put(Map& map, int value) {
    if constexpr (is_soa<Map>)
        return map.try_insert(element_t<Map>(value), element_t<Map>(value));
    else
        return map.try_insert(element_t<Map>(value));
}
template <class Map>
auto try_put_in_place(Map& map, int value) {
    if constexpr (is_soa<Map>)
        return map.try_emplace(value, value);
    else
        return map.try_emplace(value);
}
template <class Map>
bool fulfill(Map& map, typename Map::handle_type handle, int value) {
    if constexpr (is_soa<Map>)
        return map.fulfill(handle, value, value) != nullptr;
    else
        return map.fulfill(handle, value) != nullptr;
}
template <class Map>
bool put_at(Map& map, typename Map::handle_type handle, int value) {
    if constexpr (is_soa<Map>)
        return map.insert_at(handle, value, value) != nullptr;
    else
        return map.insert_at(handle, value) != nullptr;
}
/// insert_with(f), where before(handle) runs inside f.
template <class Map, class Before>
auto put_with(Map& map, int value, Before before) {
    return map.insert_with([&](typename Map::handle_type handle) {
        before(handle);
        if constexpr (is_soa<Map>)
            return typename Map::value_type(value, value);
        else
            return element_t<Map>(value);
    });
}
template <class Map>
void set_number(Map& map, typename Map::handle_type handle, int value) {
    if constexpr (is_soa<Map>)
        map[handle].template get<0>() = map[handle].template get<1>() = element_t<Map>(value);
    else
        map[handle] = element_t<Map>(value);
}

/// Handles and numbers of all elements in slot order, by items().
template <class Map>
auto contents(const Map& map) {
    std::vector<std::pair<typename Map::handle_type, int>> all;
    for (const auto& item : map.items()) all.emplace_back(item.handle, number(item.value));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
}

/// The handles that the next inserts give, with erases among them; changes the map.
template <class Map>
auto futures(Map& map, int count = 40) {
    std::vector<typename Map::handle_type> given;
    for (int i = 0; i != count && map.size() + map.retired() < map.max_size(); ++i) {
        given.push_back(put(map, i));
        if (i % 3 == 2) map.erase(given[given.size() - 2]);
    }
    return given;
}

/// Writes elements that are not trivially copyable as their number.
struct NumberCodec {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        out.number(static_cast<std::uint32_t>(number(value)));
    }
    template <class T>
    static T read(ByteReader& in) {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};

/// What has a value() as its number, anything else as its bytes.
struct NumberText {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        if constexpr (requires { value.value(); })
            NumberCodec::write(value, out);
        else
            DefaultCodec::write(value, out);
    }
    template <class T>
    static T read(ByteReader& in) {
        if constexpr (requires(T value) { value.value(); })
            return NumberCodec::read<T>(in);
        else
            return DefaultCodec::read<T>(in);
    }
};

/// A small generator whose whole state is the seed that a failing test prints.
class Random {
public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed * 0x9E37'79B9'7F4A'7C15u + 1) {}
    constexpr std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 0x2545'F491'4F6C'DD1Du;
    }
    constexpr std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>((next() >> 33) % limit); }
    constexpr bool chance(unsigned percent) { return below(100) < percent; }

private:
    std::uint64_t state_;
};

} // namespace test

#endif
