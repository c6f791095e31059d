// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What Arrow calls C++ types, fields of structs, and the metadata of schemas.
#include <slotwise/arrow/fields.hpp>
#include <slotwise/map/slot_map.hpp>

#include "refused.hpp"

#include <chrono>
#include <limits>
#include <memory_resource>

using namespace slotwise;
using arrow_test::refused;
using namespace std::chrono;

namespace {

enum class Colour : std::uint16_t { red = 7 };
struct Inner {
    double x = 1;
};
struct Outer {
    Inner inner;
    std::string name = "n";
};

template <class T>
std::string name() {
    return format_of<T>;
}
template <class T>
T round_trip(const T& value) {
    return detail::ArrowType<T>::decode(detail::ArrowType<T>::encode(value));
}

} // namespace

template <>
struct slotwise::ArrowFields<Outer> {
    static constexpr auto members =
        std::tuple(slotwise::field("x", &Outer::inner, &Inner::x), slotwise::field("name", &Outer::name));
};

TEST_CASE("Numbers, bools, enumerations, strings and handles have the formats of Arrow", "[arrow]") {
    CHECK((name<std::int8_t>() == "c" && name<std::uint8_t>() == "C" && name<std::int16_t>() == "s"));
    CHECK((name<std::uint16_t>() == "S" && name<std::int32_t>() == "i" && name<std::uint32_t>() == "I"));
    CHECK((name<std::int64_t>() == "l" && name<std::uint64_t>() == "L" && name<long long>() == "l"));
    CHECK((name<float>() == "f" && name<double>() == "g" && name<bool>() == "b" && name<char32_t>() == "I"));
    CHECK((name<Colour>() == "S" && round_trip(Colour::red) == Colour::red));
    CHECK((name<std::string>() == "u" && name<std::string_view>() == "u" && name<std::pmr::string>() == "u"));
    using Small = Handle<int, HandleLayout{.index_bits = 10, .version_bits = 6}>;
    CHECK((name<SlotMap<int>::handle_type>() == "L" && name<Small>() == "L"));
    CHECK(round_trip(Small(3, 5)) == Small(3, 5));
    STATIC_REQUIRE(detail::is_arrow_memory<SlotMap<int>::handle_type>() && !detail::is_arrow_memory<Small>());
    STATIC_REQUIRE(detail::is_arrow_memory<double>() && detail::is_arrow_memory<Colour>());
    STATIC_REQUIRE(!detail::is_arrow_memory<bool>() && !detail::is_arrow_memory<std::string>());
    STATIC_REQUIRE(!detail::is_arrow_memory<Outer>());
}

TEST_CASE("Durations and time points have their own unit, coarser ones that of seconds", "[arrow]") {
    CHECK((name<nanoseconds>() == "tDn" && name<microseconds>() == "tDu" && name<milliseconds>() == "tDm"));
    CHECK((name<seconds>() == "tDs" && name<hours>() == "tDs" && detail::ArrowType<hours>::encode(hours(2)) == 7200));
    CHECK((round_trip(hours(-3)) == hours(-3) && round_trip(milliseconds(1234)) == milliseconds(1234)));
    CHECK((name<sys_time<nanoseconds>>() == "tsn:UTC" && name<sys_seconds>() == "tss:UTC"));
    CHECK((name<local_seconds>() == "tss:" && name<steady_clock::time_point>() == "tsn:" && name<sys_days>() == "tdD"));
    CHECK(round_trip(sys_days(days(19000))) == sys_days(days(19000)));
    CHECK(round_trip(sys_time<hours>(hours(5))) == sys_time<hours>(hours(5)));
    STATIC_REQUIRE(detail::is_arrow_memory<sys_time<nanoseconds>>() && !detail::is_arrow_memory<sys_time<hours>>());
    STATIC_REQUIRE(!detail::ArrowValue<duration<double>> && !detail::ArrowValue<duration<int, std::ratio<1, 60>>>);
    STATIC_REQUIRE(!detail::ArrowValue<std::vector<char>> && !detail::ArrowValue<const char*> && !detail::ArrowValue<Outer>);
}

TEST_CASE("A field is a member of a struct, or a member of a member", "[arrow]") {
    Outer value;
    const auto& [x, text] = ArrowFields<Outer>::members;
    x(value) = 2.5;
    CHECK((value.inner.x == 2.5 && x(std::as_const(value)) == 2.5 && text(value) == "n"));
    CHECK((std::string(x.name) == "x" && std::string(text.name) == "name"));
    STATIC_REQUIRE(detail::HasArrowFields<Outer> && !detail::HasArrowFields<Inner>);
    STATIC_REQUIRE(detail::ArrowColumnOf<double>::by_itself && !detail::ArrowColumnOf<Outer>::by_itself);
}

TEST_CASE("Metadata is read as it was written, in the byte order of the machine", "[arrow]") {
    const ArrowPairs pairs{{"key", "value"}, {"", ""}, {std::string("a\0b", 3), "\xc3\xa9"}};
    const std::string bytes = encode_metadata(pairs);
    std::int32_t count = 0;
    std::memcpy(&count, bytes.data(), sizeof count);
    CHECK((count == 3 && bytes.size() == 4 + 3 * 8 + 3 + 5 + 3 + 2));
    CHECK(decode_metadata(bytes.data()) == pairs);
    CHECK((encode_metadata({}).empty() && decode_metadata(nullptr).empty()));
    CHECK((*find_metadata(pairs, "key") == "value" && find_metadata(pairs, "none") == nullptr));
}

TEST_CASE("Metadata with a negative length is refused", "[arrow]") {
    const std::int32_t counts[] = {-1, 0};
    CHECK(refused("a length is negative", [&] { static_cast<void>(decode_metadata(reinterpret_cast<const char*>(counts))); }));
    const std::int32_t lengths[] = {1, -5};
    CHECK(refused("a length is negative", [&] { static_cast<void>(decode_metadata(reinterpret_cast<const char*>(lengths))); }));
    std::string text;
    if constexpr (sizeof(std::size_t) == 8) CHECK_THROWS_AS(detail::append_size(text, std::size_t{1} << 31), std::length_error);
}
