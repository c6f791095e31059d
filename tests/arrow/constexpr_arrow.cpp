// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Values of Arrow columns, fields of structs and stable hashes in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/arrow/shard.hpp>

#include <chrono>
#include <limits>
#include <utility>

namespace {

using namespace slotwise;

struct Inner {
    int depth = 0;
};
struct Point {
    double x = 0;
    Inner inner{};
};
enum class Colour : std::uint8_t { red, green };

} // namespace

template <>
struct slotwise::ArrowFields<Point> {
    static constexpr auto members = std::tuple(field("x", &Point::x), field("depth", &Point::inner, &Inner::depth));
};

namespace {

/// What is written for a value is read as that value.
template <class T>
constexpr bool round_trip(T value) {
    auto stored = detail::ArrowType<T>::encode(value);
    return detail::ArrowType<T>::decode(stored) == value;
}
constexpr int values() {
    using namespace std::chrono;
    using Id = Handle<struct OfArrow>;
    int number = -7;
    double fraction = 2.5;
    Colour colour = Colour::green;
    Id id(5, 3);
    HOLDS(round_trip(number) && round_trip(fraction) && round_trip(colour) && round_trip(id));
    minutes long_time(9);
    nanoseconds short_time(-9);
    HOLDS(round_trip(long_time) && round_trip(short_time));
    sys_days day(days(11));
    system_clock::time_point point(system_clock::duration(13));
    HOLDS(round_trip(day) && round_trip(point));
    auto seconds_of = detail::ArrowType<minutes>::encode(minutes(2));
    HOLDS(seconds_of == 120);
    std::string_view text = "text";
    auto stored = detail::ArrowType<std::string_view>::encode(text);
    HOLDS(stored == text);
    return 0;
}

constexpr int fields() {
    Point point{1.5, {4}};
    const auto depth = field("depth", &Point::inner, &Inner::depth);
    depth(point) = 6;
    HOLDS(depth(std::as_const(point)) == 6 && field("x", &Point::x)(point) == 1.5);
    auto& whole = detail::WholeValue<Point>::of(point);
    auto& second = detail::FieldValue<Point, 1>::of(point);
    HOLDS(&whole == &point && &second == &point.inner.depth);
    std::string_view name = detail::member_name<&Point::inner>();
    HOLDS(name == "inner");
    return 0;
}

constexpr int numbers() {
    std::int64_t index = 40;
    std::uint8_t narrow = 0;
    HOLDS(detail::to_index(index) == 40);
    HOLDS(detail::same_number(index, narrow) && narrow == 40);
    index = -1;
    HOLDS(!detail::same_number(index, narrow));
    index = 256;
    HOLDS(!detail::same_number(index, narrow));
    return 0;
}

constexpr int hashes() {
    std::uint64_t zero = 0;
    HOLDS(stable_hash(zero) == 0xE220'A839'7B1D'CDAFu); // the first number of SplitMix64
    std::string_view text;
    HOLDS(stable_hash(text) == 0xEF46'DB37'51D8'E999u); // of XXH64
    text = "a text that has more than thirty-two bytes, and some";
    std::u8string_view same = u8"a text that has more than thirty-two bytes, and some";
    HOLDS(stable_hash(text) == stable_hash(same));
    std::pair<int, std::string_view> pair(3, text);
    std::tuple<long, std::string_view> tuple(3, text);
    HOLDS(stable_hash(pair) == stable_hash(tuple) && stable_hash(pair) != stable_hash(text));
    PublicId id{1, 2}, other{2, 1};
    Colour red = Colour::red;
    HOLDS(stable_hash(id) != stable_hash(other) && stable_hash(red) == stable_hash(zero) &&
          stable_hash('\0') == stable_hash(zero));
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    HOLDS(shard_of(most, 10) == 9 && shard_of(zero, 10) == 0);
    return 0;
}

} // namespace

IN_CONSTANTS("values are encoded for Arrow and read back in constant expressions", values())
IN_CONSTANTS("fields of structs are found in constant expressions", fields())
IN_CONSTANTS("numbers of Arrow are checked in constant expressions", numbers())
IN_CONSTANTS("keys have stable hashes and shards in constant expressions", hashes())
