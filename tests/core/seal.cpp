// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Types as numbers in snapshots, and what is said when they differ. Damage is in properties/snapshots.
#include <slotwise/core/detail/seal.hpp>
#include <slotwise/core/handle.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include "support/catch.hpp"
#include "support/snapshots.hpp"

#include <chrono>
#include <map>
#include <string>
#include <variant>

namespace {
using namespace slotwise;
using test::tag_of;

struct Point {
    float x, y;
};
struct Renamed {
    float left, top;
};
struct Turned {
    float x;
    int y;
};
enum class Flags : std::uint16_t {};
class Money {
public:
    explicit Money(std::int64_t n = 0) : cents(n) {}
    std::int64_t cents;
};
class Euros : public Money {
public:
    using Money::Money;
};
class Cents : public Money {
public:
    using Money::Money;
};
struct Raw {
    std::uint16_t a, b;
    bool operator==(const Raw&) const = default; // a member: not every part of the types uses it
};
} // namespace

template <>
struct slotwise::CodecFor<Flags> : slotwise::RawCodec<Flags> {};
template <>
struct slotwise::CodecFor<Money> : slotwise::MemberCodec<&Money::cents> {};
template <>
struct slotwise::CodecFor<Raw> : slotwise::RawCodec<Raw> {};
template <>
struct slotwise::CodecFor<Euros> {
    static constexpr std::uint64_t type_tag = 2;
    static void write(const Euros& value, ByteWriter& out) { DefaultCodec::write(value.cents, out); }
    static Euros read(ByteReader& in) { return Euros(DefaultCodec::read<std::int64_t>(in)); }
};
template <>
struct slotwise::CodecFor<Cents> {
    static constexpr std::uint64_t type_tag = 3;
    static void write(const Cents& value, ByteWriter& out) { DefaultCodec::write(value.cents, out); }
    static Cents read(ByteReader& in) { return Cents(DefaultCodec::read<std::int64_t>(in)); }
};

namespace {

TEST_CASE("the tag of a type depends on what is written, and not on its name", "[snapshot]") {
    STATIC_REQUIRE(tag_of<long long>() == tag_of<std::int64_t>());
    STATIC_REQUIRE((tag_of<long>() == tag_of<long long>()) == (sizeof(long) == 8));
    STATIC_REQUIRE(tag_of<int>() != tag_of<unsigned>());
    STATIC_REQUIRE(tag_of<int>() != tag_of<float>());
    STATIC_REQUIRE(tag_of<char>() != tag_of<signed char>());
    STATIC_REQUIRE(tag_of<bool>() != tag_of<unsigned char>());
    STATIC_REQUIRE(tag_of<std::byte>() == tag_of<unsigned char>());
    STATIC_REQUIRE(tag_of<Flags>() == tag_of<std::uint16_t>());
    STATIC_REQUIRE(tag_of<Point>() == tag_of<Renamed>());
    STATIC_REQUIRE(tag_of<Point>() == tag_of<std::pair<float, float>>());
    STATIC_REQUIRE(tag_of<Point>() != tag_of<Turned>());
    STATIC_REQUIRE(tag_of<Point>() != tag_of<std::array<float, 2>>());
    STATIC_REQUIRE(tag_of<int[3]>() == tag_of<std::array<int, 3>>());
    STATIC_REQUIRE(tag_of<int[3]>() != tag_of<int[4]>());
    STATIC_REQUIRE(tag_of<std::vector<int>>() != tag_of<std::vector<float>>());
    STATIC_REQUIRE(tag_of<std::vector<char>>() != tag_of<std::string>());
    STATIC_REQUIRE(tag_of<std::string>() != tag_of<std::u16string>());
    STATIC_REQUIRE(tag_of<std::optional<int>>() != tag_of<int>());
    STATIC_REQUIRE(tag_of<std::variant<int, float>>() == tag_of<std::variant<std::int32_t, float>>());
    STATIC_REQUIRE(tag_of<std::variant<int, float>>() != tag_of<std::variant<float, int>>());
    STATIC_REQUIRE(tag_of<std::variant<int, float>>() != tag_of<std::variant<int, float, char>>());
    STATIC_REQUIRE(tag_of<std::variant<int, float>>() != tag_of<std::tuple<int, float>>());
    STATIC_REQUIRE(tag_of<std::chrono::seconds>() != tag_of<std::chrono::milliseconds>());
    STATIC_REQUIRE(tag_of<std::chrono::sys_days>() != tag_of<std::chrono::days>());
    STATIC_REQUIRE(tag_of<Handle<int>>() == tag_of<Handle<float>>());
    STATIC_REQUIRE(tag_of<Handle<int>>() != tag_of<Handle<int, HandleLayout{12, 4, 0}>>());
    STATIC_REQUIRE(tag_of<Money>() == tag_of<std::tuple<std::int64_t>>());
    STATIC_REQUIRE(tag_of<Money>() != tag_of<Euros>());
    STATIC_REQUIRE(tag_of<Raw>() != tag_of<std::uint32_t>());
}

TEST_CASE("bytes of other keys, values and columns are refused by the words that say which", "[snapshot]") {
    const auto said = [](const char* error) { return std::string(error == nullptr ? "taken" : error); };
    MapStorage<std::string, int> map;
    map.insert_or_assign("a", 1);
    MapStorage<std::string, float> values;
    MapStorage<std::u16string, int> keys;
    TSDStorage<std::string, int> series;
    CHECK(said(values.try_restore(map.snapshot())) ==
          "snapshot: its values are int32, and those of this container are of another type");
    CHECK(said(keys.try_restore(map.snapshot())) ==
          "snapshot: its keys are texts, and those of this container are of another type");
    CHECK(said(series.try_restore(map.snapshot())) == "snapshot: these bytes are not a snapshot of such a series");
    TSDStorage<std::string, int, TimeBy<std::chrono::sys_seconds>> later;
    CHECK(said(later.try_restore(series.snapshot())) ==
          "snapshot: its times are int64, and those of this container are of another type");
    TSDStorage<std::string, TSDStorage<int, int>> nested;
    TSDStorage<std::string, TSDStorage<int, long long>> other;
    CHECK(said(other.try_restore(nested.snapshot())) ==
          "snapshot: its values are series, and those of this container are of another type");
    SlotMap<Euros> euros;
    SlotMap<std::int64_t> numbers;
    CHECK(said(numbers.try_restore(euros.snapshot())) ==
          "snapshot: its values are of a type with a codec of its own, and those of this container are of another type");
    SlotMap<std::pair<int, int>> two;
    SlotMap<std::tuple<int, int, int>> three;
    CHECK(said(three.try_restore(two.snapshot())) ==
          "snapshot: its values are structs, pairs or tuples with other members than those of this container");
    SlotMap<Cents> cents;
    CHECK(said(cents.try_restore(euros.snapshot())) ==
          "snapshot: its values have a codec with another type_tag or size than those of this container");
    SlotMap<std::variant<int, std::string>> variants;
    SlotMap<std::variant<int, std::string, bool>> more;
    CHECK(said(more.try_restore(variants.snapshot())) ==
          "snapshot: its values are variants, and those of this container are of another type");
    SlotMap<long long> same;
    CHECK(said(same.try_restore(numbers.snapshot())) == "taken");
}

TEST_CASE("Utf8Codec writes what DefaultCodec does, and refuses strings that are not UTF-8 wherever they are", "[snapshot]") {
    using Named = std::pair<int, std::optional<std::vector<std::variant<bool, std::string>>>>;
    SlotMap<Named> map, copy;
    map.insert({1, Named::second_type::value_type{"caf\xC3\xA9", true}});
    CHECK(map.snapshot() == map.snapshot(Utf8Codec()));
    CHECK(copy.try_restore(map.snapshot(), Utf8Codec()) == nullptr);
    CHECK(copy == map);
    map.insert({2, Named::second_type::value_type{"fine", "caf\xE9"}});
    const char* const error = copy.try_restore(map.snapshot(), Utf8Codec());
    REQUIRE(error != nullptr);
    CHECK(std::string(error) == "snapshot: a text is not UTF-8");
    CHECK(copy.size() == 1);
    CHECK(copy.try_restore(map.snapshot()) == nullptr);
    TSDStorage<std::string, std::string> series, checked;
    series.write(1).set("\xFF", "x");
    CHECK(checked.try_restore(series.snapshot(), Utf8Codec()) != nullptr);
    CHECK(checked.try_restore(series.snapshot()) == nullptr);

    ByteWriter out;
    out.number(std::uint32_t{7});
    CHECK(out.written().size() == 4);
    CHECK(out.take().size() == 4);
    CHECK(out.written().empty());
}

TEST_CASE("bytes whose tags are more than there is room for are refused", "[snapshot]") {
    SlotMap<int> map;
    auto bytes = map.snapshot();
    for (const int count : {0, 2, 255}) {
        auto forged = bytes;
        for (std::size_t i = 0; i != 4; ++i) forged[forged.size() - 16 + i] = static_cast<std::byte>(count);
        CHECK(map.try_restore(test::reseal(forged)) != nullptr);
    }
    for (std::size_t size = 0; size != 20; ++size)
        CHECK(map.try_restore(test::sealed(std::vector<std::byte>(size))) != nullptr);
}

} // namespace
