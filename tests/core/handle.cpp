// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>
#include <slotwise/core/id_traits.hpp>
#include <slotwise/map/slot_map.hpp>

#include "support/catch.hpp"
#include "support/death.hpp"

#include <algorithm>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

using namespace slotwise;

namespace {

struct Node; // never completed: a handle's tag need not be

using Plain = Handle<Node>;
using User = Handle<Node, HandleLayout{20, 30, 14}>;
using Small = Handle<Node, HandleLayout{8, 4, 4}>;
using Medium = Handle<Node, HandleLayout{20, 12, 0}>;
using Dense = Handle<Node, HandleLayout{8, 4, 4, true}>;
using Ones = Handle<Node, HandleLayout{.index_bits = 8, .version_bits = 4, .user_bits = 4, .null_is_ones = true}>;
using OnesDense = Handle<Node, HandleLayout{16, 16, 0, true, true}>;
using DenseWide = Handle<Node, HandleLayout{32, 31, 1, true}>;

// A struct can hold handles of its own type.
struct Tree {
    Handle<Tree> left, right;
};

static_assert(sizeof(Plain) == 8 && sizeof(User) == 8 && sizeof(Medium) == 4 && sizeof(Small) == 2);
static_assert(std::is_trivially_copyable_v<Plain> && std::is_standard_layout_v<Plain> && sizeof(Tree) == 16);
static_assert(Ones{}.is_null() && !Ones{} && Ones{}.to_bits() == 0xFFFF && Ones{} == Ones::null() && Ones(0, 0));
static_assert(Plain{}.is_null() && !Plain{} && Plain{}.to_bits() == 0 && Plain{} == Plain(0, 0));
static_assert(Plain(12, 5).index() == 12 && Plain(12, 5).version() == 5 && Plain(12, 5).user_bits() == 0 && Plain(12, 5));
static_assert(Plain(0, 1) && !Plain(0, 1).is_null(), "the first handle of slot 0 is not null");
static_assert(User(3, 7, 9).index() == 3 && User(3, 7, 9).version() == 7 && User(3, 7, 9).user_bits() == 9);
static_assert(User(3, 7).with_user_bits(9) == User(3, 7, 9) && User(3, 7, 9) != User(3, 7));
static_assert(Plain(0xFFFF'FFFE, 0xFFFF'FFFF).index() == 0xFFFF'FFFE &&
              Plain(0xFFFF'FFFE, 0xFFFF'FFFF).version() == 0xFFFF'FFFF);
static_assert(Small(255, 15, 15).to_bits() == 0xFFFF && Small::max_index == 255 && Small::max_version == 15);
static_assert(Dense(1, 1).to_bits() == 0x101 && Dense(1, 3).to_bits() == 0x201 && Dense(1, 29).to_bits() == 0xF01);
static_assert(Dense::max_version == 29 && Dense::max_generation == 15 && Small::max_generation == 8);
static_assert(DenseWide::max_generation == 0x7FFF'FFFF && DenseWide(5, DenseWide::max_version).generation() == 0x7FFF'FFFF);
static_assert(Plain::max_generation == 0x8000'0000 && Plain::from_generation(5, 0x8000'0000).version() == 0xFFFF'FFFF);
static_assert(Plain(1, 9) < Plain(2, 1) && Plain(1, 1) < Plain(1, 3), "by index, then version");
static_assert(User(1, 3, 1) < User(1, 5, 0) && User(1, 3, 0) < User(1, 3, 1), "then user bits");
static_assert(std::hash<Plain>{}(Plain(1, 1)) != std::hash<Plain>{}(Plain(1, 3)));
static_assert(!std::is_convertible_v<Plain, bool> && !std::is_convertible_v<std::uint64_t, Plain>);
static_assert(!std::equality_comparable_with<Plain, Handle<int>>, "handles of different tags do not compare");

// no_slot is never a slot that a handle can name.
template <HandleLayout L>
constexpr std::size_t slots_named_by = SlotMap<int, Options<SlotMapOptions{.handle = L}>>::max_size();
static_assert(slots_named_by<HandleLayout{32, 32, 0}> == no_slot);
static_assert(slots_named_by<HandleLayout{8, 8, 0}> == 256);
static_assert(slots_named_by<Ones::layout> == 255, "nor is the index of a null handle of ones");

template <class H>
std::vector<H> some_handles() {
    std::mt19937_64 random(7);
    std::vector<H> all{H{}, H::from_bits(static_cast<typename H::bits_type>(~0ull))};
    for (int i = 0; i < 300; ++i) all.push_back(H::from_bits(static_cast<typename H::bits_type>(random() >> (random() % 64))));
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("every bit pattern is kept, and the parts say the same as the bits", "", Plain, User, Small, Medium, Dense,
                   DenseWide, Ones, OnesDense) {
    for (const auto handle : some_handles<TestType>()) {
        CHECK(TestType::from_bits(handle.to_bits()) == handle);
        CHECK(TestType(handle.index(), handle.version(), handle.user_bits()) == handle);
        CHECK(handle.index() <= TestType::max_index);
        CHECK(handle.version() <= TestType::max_version);
        CHECK(handle.is_null() == (handle.to_bits() == TestType().to_bits()));
        CHECK(static_cast<bool>(handle) == !handle.is_null());
    }
}

TEMPLATE_TEST_CASE("handles are ordered by index, then version, then user bits", "", Plain, User, Small, Medium, Dense,
                   DenseWide, Ones, OnesDense) {
    const auto all = some_handles<TestType>();
    const auto parts = [](TestType handle) { return std::tuple(handle.index(), handle.version(), handle.user_bits()); };
    for (const auto a : all)
        for (const auto b : all)
            if ((a <=> b) != (parts(a) <=> parts(b)) || (a == b) != (parts(a) == parts(b))) {
                CAPTURE(a, b);
                FAIL("order of the handles differs from the order of their parts");
            }
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::is_sorted(sorted.begin(), sorted.end(), [](TestType a, TestType b) { return a.index() < b.index(); }));
}

TEMPLATE_TEST_CASE("a generation counts the uses of a slot: 1 for each first one, whatever the bits hold", "", Plain, User,
                   Small, Medium, Dense, DenseWide) {
    for (const auto handle : some_handles<TestType>()) {
        const auto made = TestType::from_generation(handle.index(), handle.generation(), handle.user_bits());
        CHECK(handle.generation() <= TestType::max_generation);
        CHECK(made.generation() == handle.generation());
        CHECK((made == handle) == (handle.version() % 2 == 1 || handle.version() == 0));
    }
    CHECK(TestType().generation() == 0);
    CHECK(TestType::from_generation(0, 0).is_null());
    CHECK(TestType::from_generation(7, 1) == TestType(7, 1));
    CHECK(TestType::from_generation(7, 2) == TestType(7, 3));
    CHECK(TestType::from_generation(7, TestType::max_generation).generation() == TestType::max_generation);
}

TEST_CASE("dense versions are odd, and their bits hold each generation once") {
    for (unsigned field = 0; field != 16; ++field) {
        const auto handle = Dense::from_bits(static_cast<std::uint16_t>(7 | field << 8));
        CHECK(handle.generation() == field);
        CHECK(handle.version() == (field == 0 ? 0 : 2 * field - 1));
        CHECK(Dense(7, handle.version()) == handle);
        CHECK(Dense::from_string(to_string(handle)) == handle);
    }
    CHECK(Dense(7, 4) == Dense(7, 0)); // no version of an element
    CHECK_FALSE(Dense::from_string("7v4"));
    CHECK_FALSE(Dense::from_string("7v31"));
    CHECK(to_string(Dense(7, 5, 2)) == "7v5#2");
}

TEMPLATE_TEST_CASE("a null handle of ones is null in every respect, and its slot names nothing", "", Ones, OnesDense) {
    const TestType null, last(TestType::max_index, 1), first(0, 1);
    CHECK((null == nullptr && first != nullptr && TestType(0, 0) != nullptr && null > last && last > first));
    CHECK((null.generation() == 0 && last.generation() == 0 && first.generation() == 1));
    CHECK_FALSE((IdTraits<TestType>::can_live(null) || IdTraits<TestType>::can_live(last)));
    CHECK(IdTraits<TestType>::can_live(first));
    CHECK((to_string(null) == "null" && TestType::from_string("null") == null));
    CHECK((to_string(TestType(0, 0)) == "0v0" && TestType::from_string("0v0") == TestType(0, 0)));
    CHECK(to_string(null.with_user_bits(0)) == (TestType::layout.user_bits != 0 ? "255v15" : "null"));
    CHECK_FALSE(TestType::from_string(TestType::layout.user_bits != 0 ? "255v15#15" : "65535v131069")); // written "null"
    CHECK(std::hash<TestType>()(null) == std::hash<TestType>()(TestType::null()));
}

TEST_CASE("user bits take part in equality but leave slot and version alone") {
    for (std::uint64_t user = 0; user < 16; ++user) {
        const auto handle = Small(200, 9, 3).with_user_bits(user);
        CHECK(handle.index() == 200);
        CHECK(handle.version() == 9);
        CHECK(handle.user_bits() == user);
        CHECK((handle == Small(200, 9, 3)) == (user == 3));
    }
}

TEST_CASE("handles print as 12v5, 12v5#3 with user bits, or null") {
    const auto text = [](auto handle) {
        std::ostringstream out;
        out << handle;
        return out.str();
    };
    CHECK(text(Plain(12, 5)) == "12v5");
    CHECK(text(User(12, 5, 3)) == "12v5#3");
    CHECK(text(Plain()) == "null");
    CHECK(text(Plain(0, 1)) == "0v1");
    std::wostringstream wide;
    wide << Plain(12, 5);
    CHECK(wide.str() == L"12v5");
}

TEST_CASE("a handle is read from exactly the text that is written for it") {
    const auto round = [](auto handle) {
        using H = decltype(handle);
        const std::string text = to_string(handle);
        CHECK(H::from_string(text) == handle);
        CHECK(H::from_string(text.c_str()) == handle);
        CHECK(H::from_string(std::string_view(text)) == handle);
        CHECK_FALSE(H::from_string(text + " "));
        CHECK_FALSE(H::from_string(" " + text));
        CHECK_FALSE(H::from_string(text.substr(0, text.size() - 1)) == handle);
        std::stringstream stream;
        H read(1, 1);
        stream << handle << ' ' << handle << ',' << handle;
        char comma = 0;
        H second, third;
        CHECK((stream >> read >> second >> comma >> third));
        CHECK((read == handle && second == handle && third == handle && comma == ','));
        CHECK(stream.peek() == std::stringstream::traits_type::eof());
    };
    round(Plain(12, 5));
    round(Plain(0, 1));
    round(Plain::null());
    round(Plain::from_bits(~Plain::bits_type{0}));
    round(User::from_bits(~User::bits_type{0}));
    round(Small::from_bits(static_cast<Small::bits_type>(~0u)));
    round(Small(0, 0, 3));
    round(Medium(7, 1));

    for (const char* text : {"",
                             "n",
                             "nul",
                             "nulll",
                             "Null",
                             "v",
                             "12",
                             "12v",
                             "v5",
                             "12v5#",
                             "12v5#0",
                             "012v5",
                             "12v05",
                             "12v5#03",
                             "0v0",
                             "+1v5",
                             "-1v5",
                             "1 v5",
                             "1V5",
                             "12v5v6",
                             "0x1v1",
                             "4294967296v1",
                             "1v4294967296",
                             "12v5#1",
                             "99999999999999999999999999v1",
                             "1v18446744073709551617"})
        CHECK_FALSE(Plain::from_string(text));
    CHECK_FALSE(Small::from_string("256v1"));
    CHECK_FALSE(Small::from_string("1v16"));
    CHECK_FALSE(Small::from_string("1v1#16"));

    static_assert(Plain::from_string("12v5") == Plain(12, 5) && !Plain::from_string("12"));
}

TEST_CASE("a stream that holds no handle fails, and the handle stays") {
    for (const char* text :
         {"", "   ", "x", "12", "12v", "nul", "12v5#", "1111111111111111111111111111111111111111111111111111v1"}) {
        std::istringstream in(text);
        Plain handle(3, 7);
        CHECK_FALSE((in >> handle));
        CHECK(handle == Plain(3, 7));
    }
    std::wistringstream wide(L" 12v5;");
    Plain handle;
    CHECK((wide >> handle));
    CHECK((handle == Plain(12, 5) && wide.get() == L';'));
}

TEST_CASE("a handle is printed as one field, whatever the stream is set to") {
    std::ostringstream out;
    out << std::hex << std::showbase << std::setfill('.') << std::setw(8) << Plain(12, 5) << '|' << std::left << std::setw(6)
        << Plain();
    CHECK(out.str() == "....12v5|null..");
}

TEST_CASE("null is what compares equal to nullptr") {
    constexpr Plain none = Plain::null();
    static_assert(none == nullptr && nullptr == none && !(none != nullptr) && Plain(0, 1) != nullptr);
    CHECK((User(0, 0, 1) != nullptr && none.is_null()));
}

TEST_CASE("states are printed by name") {
    const auto text = [](auto value) {
        std::ostringstream out;
        out << std::setw(9) << value;
        return out.str() + "," + to_string(value);
    };
    CHECK(text(HandleStatus::null) == "     null,null");
    CHECK(text(HandleStatus::out_of_range) == "out_of_range,out_of_range");
    CHECK(text(HandleStatus::live) == "     live,live");
    CHECK(text(HandleStatus::stale) == "    stale,stale");
    CHECK(text(HandleStatus::pending) == "  pending,pending");
    CHECK(text(HandleStatus::reserved) == " reserved,reserved");
    CHECK(text(HandleStatus::retired) == "  retired,retired");
    CHECK(text(SlotState::free) == "     free,free");
    CHECK(text(SlotState::live) == "     live,live");
    CHECK(text(SlotState::pending) == "  pending,pending");
    CHECK(text(SlotState::reserved) == " reserved,reserved");
    CHECK(text(SlotState::retired) == "  retired,retired");
    CHECK(text(InsertKind::fresh) == "    fresh,fresh");
    CHECK(text(InsertKind::resurrected) == "resurrected,resurrected");
}

TEST_CASE("handles hash without collisions of whole words, and their low bits spread") {
    std::unordered_set<std::size_t> hashes, low;
    std::size_t count = 0;
    for (std::uint32_t index = 0; index < 256; ++index)
        for (std::uint32_t version = 1; version < 64; version += 2) {
            const std::size_t hash = std::hash<Plain>{}(Plain(index, version));
            hashes.insert(hash);
            low.insert(hash % 8192);
            ++count;
        }
    CHECK(hashes.size() == count);
    CHECK(low.size() > 8192 * 55 / 100); // random would fill 63 % of the buckets; versions alone would fill 32 of them
}

#if SLOTWISE_CHECK_LEVEL >= 1
TEST_CASE("a part that does not fit its bits is a failed check") {
    CHECK(test::dies_saying("index does not fit", [] { static_cast<void>(Small(256, 1)); }));
    CHECK(test::dies_saying("version does not fit", [] { static_cast<void>(Small(1, 16)); }));
    CHECK(test::dies_saying("version does not fit", [] { static_cast<void>(Dense(1, 31)); }));
    CHECK(test::dies_saying("generation does not fit", [] { static_cast<void>(Dense::from_generation(1, 16)); }));
    CHECK(test::dies_saying("user bits do not fit", [] { static_cast<void>(Small(1, 1, 16)); }));
    CHECK(test::dies_saying("user bits do not fit", [] { static_cast<void>(Plain(1, 1).with_user_bits(1)); }));
}
#endif
