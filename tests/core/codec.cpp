// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DefaultCodec and the bases of CodecFor: what is written comes back, padding is not written, and nothing else is read.
#include <slotwise/core/codec.hpp>
#include <slotwise/map/slot_map.hpp>

#include "support/catch.hpp"

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>
#include <variant>

using namespace slotwise;

namespace {

using Bytes = std::vector<std::byte>;

enum class Kind : short { none = -1, rock, ship };
enum class Flags : std::uint8_t { a = 1, b = 2 };
enum Open { nought, single };

/// Hides what it has, in part, and has a constructor and padding.
class Account {
public:
    Account() = default;
    Account(char kind, long cents) : kind_(kind), cents_(cents) {}
    friend bool operator==(const Account&, const Account&) = default;

private:
    friend CodecFor<Account>;
    char kind_ = 0;
    long cents_ = 0;
};
/// Every pattern of bytes is one; it has no default constructor.
class Money {
public:
    explicit Money(std::int32_t cents) : cents_(cents) {}
    friend bool operator==(const Money&, const Money&) = default;

private:
    std::int32_t cents_;
};
/// Takes no byte: it says nothing.
struct Silent {
    explicit Silent(int) {}
    friend bool operator==(const Silent&, const Silent&) { return true; }
};
struct Shy {
    std::uint8_t value = 0;
    Shy* operator&() = delete;
    const Shy* operator&() const = delete;
    friend bool operator==(const Shy&, const Shy&) = default;
};
struct Padded {
    char letter = 0;
    double number = 0;
    bool on = false;
    friend bool operator==(const Padded&, const Padded&) = default;
};
struct Floats {
    float x = 0, y = 0, z[2] = {};
    friend bool operator==(const Floats&, const Floats&) = default;
};
struct Mixed {
    Padded padded;
    Kind kind = Kind::none;
    bool bits[3] = {};
    float floats[2] = {};
    std::string name;
    std::optional<Account> account;
    std::vector<Padded> list;
    Shy shy[2];
    friend bool operator==(const Mixed&, const Mixed&) = default;
};
struct Nothing {
    friend bool operator==(const Nothing&, const Nothing&) = default;
};
struct Constant {
    const int a = 0;
};

Bytes written(const auto& value) {
    ByteWriter out;
    DefaultCodec::write(value, out);
    return out.take();
}
template <class T>
const char* error_of(const Bytes& bytes) {
    ByteReader in(bytes);
    static_cast<void>(DefaultCodec::read<T>(in));
    return in.error() == nullptr && in.left() != 0 ? "left over" : in.error();
}
Bytes bytes_of(std::initializer_list<int> numbers) {
    Bytes result;
    for (const int number : numbers) result.push_back(static_cast<std::byte>(number));
    return result;
}

/// It comes back, from exactly its bytes; no shorter ones do, and whatever else is read is written so.
template <class T>
void comes_back(const T& value, std::size_t size) {
    const Bytes bytes = written(value);
    CHECK(bytes.size() == size);
    ByteReader in(bytes);
    CHECK(DefaultCodec::read<T>(in) == value);
    CHECK(in.error() == nullptr);
    CHECK(in.left() == 0);
    for (std::size_t length = 0; length != bytes.size(); ++length)
        CHECK(error_of<T>({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}) != nullptr);
    for (std::size_t at = 0; at != bytes.size(); ++at)
        for (int pattern = 0; pattern != 256; ++pattern) {
            Bytes changed = bytes;
            changed[at] = static_cast<std::byte>(pattern);
            ByteReader again(changed);
            const T read = DefaultCodec::read<T>(again);
            if (again.error() == nullptr && again.left() == 0 && written(read) != changed) FAIL("reads what it does not write");
        }
}

} // namespace

template <>
struct slotwise::CodecFor<Kind> : slotwise::EnumCodec<Kind::none, Kind::ship> {};
template <>
struct slotwise::CodecFor<Flags> : slotwise::RawCodec<Flags> {};
template <>
struct slotwise::CodecFor<Open> : slotwise::EnumCodec<nought, single> {};
template <>
struct slotwise::CodecFor<Account> : slotwise::MemberCodec<&Account::kind_, &Account::cents_> {};
template <>
struct slotwise::CodecFor<Money> : slotwise::RawCodec<Money> {};
template <>
struct slotwise::CodecFor<Silent> {
    static void write(const Silent&, ByteWriter&) {}
    static Silent read(ByteReader&) { return Silent(0); }
};

TEST_CASE("a value of each type that the default codec knows comes back, and no other bytes are read", "[codec]") {
    comes_back(true, 1);
    comes_back(std::int16_t{-7}, 2);
    comes_back(2.5, 8);
    comes_back(std::byte{200}, 1);
    comes_back(Kind::ship, 2);
    comes_back(Flags{3}, 1);
    comes_back(single, sizeof(unsigned));
    comes_back(Handle<int>(7, 3), 8);
    comes_back(std::chrono::duration<std::int64_t>(9), 8);
    comes_back(std::chrono::duration<float>(9), 4);
    comes_back(std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<std::int64_t>>{}, 8);
    comes_back(std::string("text"), 12);
    comes_back(std::string(), 8);
    comes_back(std::u16string(u"text"), 16);
    comes_back(std::vector<int>{1, 2}, 16);
    comes_back(std::vector<int>(), 8);
    comes_back(std::vector<bool>{true, false}, 10);
    comes_back(std::vector<std::string>{"a", "", "bc"}, 35);
    comes_back(std::vector<Money>{Money(1), Money(2)}, 16);
    comes_back(std::optional<bool>(), 1);
    comes_back(std::optional<bool>(true), 2);
    comes_back(std::variant<std::monostate, bool, std::string>(), 1);
    comes_back(std::variant<std::monostate, bool, std::string>(true), 2);
    comes_back(std::variant<std::monostate, bool, std::string>("text"), 13);
    comes_back(std::variant<int, int>(std::in_place_index<1>, 7), 5);
    comes_back(std::variant<Money, std::string>(Money(7)), 5); // without a default constructor
    comes_back(std::variant<const std::int16_t, Kind>(Kind::ship), 3);
    comes_back(std::vector<std::variant<bool, Padded>>{true, Padded{'a', 1.5, true}}, 21);
    comes_back(std::pair<bool, std::int32_t>(true, 4), 5);
    comes_back(std::pair<const std::int32_t, std::string>(1, "x"), 13);
    comes_back(std::tuple<>(), 0);
    comes_back(std::tuple<std::int8_t, std::int64_t, std::string>(1, 2, "x"), 18);
    comes_back(std::array<bool, 3>{{true, false, true}}, 3);
    comes_back(std::array<std::int16_t, 3>{{1, 2, 3}}, 6);
    comes_back(std::array<std::string, 2>{{"a", "b"}}, 18);
    comes_back(Money(400), 4);
    comes_back(Account('c', 400), 1 + sizeof(long));
    comes_back(Padded{'a', 1.5, true}, 10);
    comes_back(Floats{1, 2, {3, 4}}, 16);
    comes_back(Nothing{}, 0);
    comes_back(Shy{7}, 1);
    comes_back(Mixed{{'a', 1.5, true}, Kind::rock, {true}, {1, 2}, "name", Account('b', 2), {{}, {}}, {Shy{1}, Shy{2}}},
               67 + sizeof(long));
}

TEST_CASE("bool and enumerations out of range are refused", "[codec]") {
    CHECK(std::string(error_of<bool>(bytes_of({77}))) == "snapshot: a bool or a flag is neither 0 nor 1");
    CHECK(std::string(error_of<Padded>(bytes_of({1, 0, 0, 0, 0, 0, 0, 0, 0, 2}))) == error_of<bool>(bytes_of({77})));
    CHECK(std::string(error_of<Kind>(written(short{2}))) == "snapshot: an enumeration is out of its range");
    CHECK(std::string(error_of<Kind>(written(short{-2}))) == error_of<Kind>(written(short{2})));
    CHECK(error_of<Kind>(written(short{-1})) == nullptr);
    CHECK(error_of<Flags>(bytes_of({255})) == nullptr);
    CHECK(error_of<Open>(written(2u)) != nullptr);
}

namespace {

/// A std::variant of `Count` integers.
template <std::size_t Count>
using Integers = decltype([]<std::size_t... Nth>(std::index_sequence<Nth...>) {
    return std::variant<std::integral_constant<std::size_t, Nth>..., int>();
}(std::make_index_sequence<Count - 1>()));
struct ThrowsWhenMade {
    ThrowsWhenMade() = default;
    explicit ThrowsWhenMade(int) { throw 7; }
    std::string text{}; // the old value of a variant is kept, if the new one is trivial
};

} // namespace
template <>
struct slotwise::CodecFor<ThrowsWhenMade> : slotwise::MemberCodec<&ThrowsWhenMade::text> {};

TEST_CASE("a variant without the alternative that bytes name is refused, and so is one without a value", "[codec]") {
    using Value = std::variant<double, std::string>;
    const std::string why = "snapshot: a variant has an alternative that there is not";
    for (const int index : {2, 3, 127, 255}) {
        CHECK(error_of<Value>(bytes_of({index, 0, 0, 0, 0, 0, 0, 0, 0})) == why);
        CHECK(error_of<std::variant<Money, bool>>(bytes_of({index, 1})) == why);
        CHECK(error_of<std::vector<Value>>(bytes_of({1, 0, 0, 0, 0, 0, 0, 0, index})) == why);
    }
    CHECK(error_of<Value>(bytes_of({1, 255, 255, 255, 255, 0, 0, 0, 0})) != nullptr); // a text of 4 GiB
    CHECK(written(Integers<255>(5)).size() == 5);
    CHECK(written(Integers<256>(5)).size() == 8); // its number takes four bytes
    STATIC_REQUIRE_FALSE(Snapshotable<std::variant<int, int*>>);
    STATIC_REQUIRE_FALSE(Snapshotable<std::variant<std::vector<int*>>>);
#if defined(__cpp_exceptions)
    std::variant<int, ThrowsWhenMade> none(1);
    CHECK_THROWS_AS(none.emplace<1>(1), int);
    REQUIRE(none.valueless_by_exception());
    CHECK_THROWS_AS(written(none), std::invalid_argument);
#endif
}

TEST_CASE("a length that the bytes do not back is refused before memory is taken", "[codec]") {
    const auto length = [](std::uint64_t count) { return written(count); };
    const std::string why = "snapshot: a length exceeds the bytes that are left";
    for (const std::uint64_t count :
         {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 32, std::uint64_t{1} << 61, ~std::uint64_t{0}}) {
        CHECK(error_of<std::string>(length(count)) == why);
        CHECK(error_of<std::u32string>(length(count)) == why);
        CHECK(error_of<std::vector<int>>(length(count)) == why);
        CHECK(error_of<std::vector<bool>>(length(count)) == why);
        CHECK(error_of<std::vector<Nothing>>(length(count)) == why);
        CHECK(error_of<std::vector<Silent>>(length(count)) == why);
        CHECK(error_of<std::vector<std::vector<Mixed>>>(length(count)) == why);
    }
    Bytes seven = length(2);
    seven.resize(8 + 7);
    CHECK(error_of<std::vector<int>>(seven) == why);
}

TEST_CASE("elements that take no byte take one in a vector, which says nothing", "[codec]") {
    comes_back(std::vector<Nothing>(3), 11);
    comes_back(std::vector<Silent>(3, Silent(1)), 11);
    comes_back(std::vector<std::tuple<>>(2), 10);
    Bytes bytes = written(std::vector<Nothing>(1));
    bytes.back() = std::byte{1};
    CHECK(std::string(error_of<std::vector<Nothing>>(bytes)) == "snapshot: a filler byte is not 0");
}

TEST_CASE("a number that is not a number comes back bit by bit", "[codec]") {
    const auto bytes = bytes_of({1, 2, 3, 4, 5, 6, 0xF8, 0xFF}); // quiet: a signalling one turns quiet in an x87 register
    ByteReader in(bytes);
    const auto number = DefaultCodec::read<double>(in);
    CHECK(std::isnan(number));
    CHECK(written(number) == bytes);
}

TEST_CASE("what the default codec does not know is known at compile time", "[codec]") {
    STATIC_REQUIRE(Snapshotable<Mixed>);
    STATIC_REQUIRE_FALSE(Snapshotable<int*>);
    STATIC_REQUIRE_FALSE(Snapshotable<std::vector<int*>>);
    STATIC_REQUIRE_FALSE(Snapshotable<std::pair<int, int Mixed::*>>);
    STATIC_REQUIRE_FALSE(Snapshotable<SlotState>);
    STATIC_REQUIRE_FALSE(Snapshotable<Constant>);
    STATIC_REQUIRE_FALSE(Snapshotable<std::array<Money, 2>>); // no default constructor
    STATIC_REQUIRE(Snapshotable<long double> == (std::numeric_limits<long double>::digits != 64));
}

TEST_CASE("a writer writes numbers lowest byte first, one by one or many, and a reader reads them so", "[codec]") {
    const std::uint16_t numbers[] = {0x0102, 0xFFFE, 7};
    ByteWriter many, each;
    many.numbers(numbers, 3);
    for (const auto number : numbers) each.number(number);
    const Bytes bytes = many.take();
    CHECK(bytes == each.take());
    CHECK(bytes == bytes_of({2, 1, 0xFE, 0xFF, 7, 0}));
    ByteReader in(bytes);
    std::uint16_t read[3] = {};
    CHECK(in.numbers(read, 3));
    CHECK(std::equal(read, read + 3, numbers));
    CHECK((in.left() == 0 && in.error() == nullptr));
    ByteReader few(bytes);
    std::uint32_t none[2] = {5, 5};
    CHECK_FALSE(few.numbers(none, 2));
    CHECK((none[0] == 5 && none[1] == 5 && few.left() == 0 && few.error() != nullptr));
}

TEST_CASE("a writer with room moves nothing, gives no byte of the room, and is empty after take and after a move", "[codec]") {
    ByteWriter out;
    out.reserve(1000);
    out.number(std::uint8_t{1});
    out.raw(nullptr, 0);
    ByteWriter copy = out, moved = std::move(out);
    out.number(std::uint8_t{9}); // NOLINT(bugprone-use-after-move)
    CHECK(out.take() == bytes_of({9}));
    CHECK(out.take().empty());
    moved.number(std::uint8_t{2});
    CHECK(moved.take() == bytes_of({1, 2}));
    CHECK(copy.take() == bytes_of({1}));
    copy = ByteWriter();
    for (int i = 0; i != 1000; ++i) copy.number(static_cast<std::uint8_t>(i));
    CHECK(copy.take().size() == 1000);
}

TEST_CASE("a reader peeks at bytes that come later, and reads on where it was", "[codec]") {
    const Bytes bytes = bytes_of({1, 2, 3, 4});
    ByteReader in(bytes);
    CHECK(in.number<std::uint8_t>() == 1);
    CHECK((in.peek(1, 2).size() == 2 && in.peek(1, 2)[0] == std::byte{3}));
    CHECK((in.peek(1, 3).empty() && in.peek(4, 1).empty() && in.peek(SIZE_MAX, 1).empty() && in.peek(1, SIZE_MAX).empty()));
    CHECK((in.number<std::uint8_t>() == 2 && in.error() == nullptr));
}

#if defined(__cpp_exceptions)
namespace {
struct Positive {
    int value = 1;
};
} // namespace
/// Says by an exception what it does not take.
template <>
struct slotwise::CodecFor<Positive> {
    static void write(const Positive& value, ByteWriter& out) { out.number(static_cast<unsigned>(value.value)); }
    static Positive read(ByteReader& in) {
        const auto value = static_cast<int>(in.number<unsigned>());
        if (value <= 0) throw std::invalid_argument("not positive");
        return {value};
    }
};

TEST_CASE("a writer that is asked for more room than a vector can have keeps what it has", "[codec][throws]") {
    ByteWriter out;
    out.number(std::uint8_t{1});
    CHECK_THROWS_AS(out.reserve(SIZE_MAX), std::length_error);
    CHECK_THROWS_AS(out.reserve(SIZE_MAX - 1), std::length_error);
    out.number(std::uint8_t{2});
    CHECK(out.take() == bytes_of({1, 2}));
}

TEST_CASE("what a type's own codec throws comes out of read and of restore, and nothing is restored", "[codec][throws]") {
    ByteWriter out;
    out.number(0u);
    const Bytes bytes = out.take();
    ByteReader in(bytes);
    CHECK_THROWS_AS(DefaultCodec::read<Positive>(in), std::invalid_argument);
    SlotMap<Positive> map, other;
    map.insert({0});
    const auto kept = other.insert({5});
    CHECK_THROWS_AS(other.restore(map.snapshot()), std::invalid_argument);
    CHECK((other.size() == 1 && other[kept].value == 5 && other.check_invariants()));
}
#endif
