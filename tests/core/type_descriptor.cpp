// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TypeDescriptor::of<T>(): which operations it has, and that each does what its name says.
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/core/type_descriptor.hpp>

#include <memory>
#include <string>

using namespace slotwise;
using namespace test;

namespace {

struct Point {
    int x = 0, y = 0;
};
struct OnlyByValue {
    explicit OnlyByValue(int) {}
    OnlyByValue(const OnlyByValue&) = default;
    OnlyByValue& operator=(const OnlyByValue&) = delete;
    friend bool operator==(const OnlyByValue&, const OnlyByValue&) = default;
};
struct PointHash {
    std::size_t operator()(const Point& point) const noexcept { return static_cast<std::size_t>(point.x + 1000 * point.y); }
};
enum class Colour { red, green };

/// Which operations there are: construct copy move assign destroy hash equal, a letter each.
template <class T, class... Hash>
std::string abilities() {
    const TypeDescriptor& type = TypeDescriptor::of<T, Hash...>();
    std::string result;
    if (type.construct != nullptr) result += 'n';
    if (type.copy != nullptr) result += 'c';
    if (type.move != nullptr) result += 'm';
    if (type.assign != nullptr) result += 'a';
    if (type.destroy != nullptr) result += 'd';
    if (type.hash != nullptr) result += 'h';
    if (type.equal != nullptr) result += 'e';
    return result;
}

/// Raw memory for two values.
template <class T>
struct Room {
    alignas(T) std::byte bytes[2][sizeof(T)];
    void* at(int i) { return bytes[i]; }
    T& value(int i) { return *std::launder(static_cast<T*>(at(i))); }
};

} // namespace

TEST_CASE("a descriptor has the operations that its type has", "[type_descriptor]") {
    CHECK(abilities<int>() == "ncmahe"); // nothing to destroy
    CHECK(abilities<Colour>() == "ncmahe");
    CHECK(abilities<const char*>() == "ncmahe");
    CHECK(abilities<std::string>() == "ncmadhe");
    CHECK(abilities<std::unique_ptr<int>>() == "nmdhe");
    CHECK(abilities<Point>() == "ncma");
    CHECK(abilities<Point, PointHash>() == "ncmah");
    CHECK(abilities<OnlyByValue>() == "cme");
    CHECK(abilities<Tracked>() == "ncmade");
    CHECK(abilities<MoveOnly>() == "nmde");
    CHECK(abilities<NonMovable>() == "nde");
}

TEST_CASE("a descriptor says size and alignment, and there is one of each type", "[type_descriptor]") {
    CHECK(TypeDescriptor::of<int>().size == sizeof(int));
    CHECK(TypeDescriptor::of<int>().align == alignof(int));
    CHECK(TypeDescriptor::of<OverAligned<128>>().size == sizeof(OverAligned<128>));
    CHECK(TypeDescriptor::of<OverAligned<128>>().align == 128);
    CHECK(&TypeDescriptor::of<int>() == &TypeDescriptor::of<int>());
    CHECK(&TypeDescriptor::of<int>() != &TypeDescriptor::of<unsigned>());
    CHECK(&TypeDescriptor::of<Point>() != &TypeDescriptor::of<Point, PointHash>());
    const TypeDescriptor none;
    CHECK((none.size == 0 && none.align == 1 && none.copy == nullptr && none.hash == nullptr && none.destroy == nullptr));
}

TEST_CASE("the operations of a descriptor do what their names say", "[type_descriptor]") {
    NothingLeaks objects;
    const TypeDescriptor& type = TypeDescriptor::of<Tracked>();
    Room<Tracked> room;
    type.construct(room.at(0));
    REQUIRE(room.value(0).value() == 0);
    const Tracked seven(7), eight(8);
    type.assign(room.at(0), &seven);
    REQUIRE(room.value(0).value() == 7);
    type.copy(room.at(1), room.at(0));
    REQUIRE(objects.alive() == 4);
    REQUIRE(type.equal(room.at(0), room.at(1)));
    REQUIRE_FALSE(type.equal(room.at(0), &eight));
    type.destroy(room.at(1));
    type.move(room.at(1), room.at(0));
    REQUIRE(room.value(0).moved_from());
    REQUIRE(room.value(1).value() == 7);
    type.destroy(room.at(0));
    type.destroy(room.at(1));
    REQUIRE(objects.alive() == 2);
}

TEST_CASE("a default value of a described scalar is zero", "[type_descriptor]") {
    Room<int> room;
    room.value(0) = 12345;
    TypeDescriptor::of<int>().construct(room.at(0));
    REQUIRE(room.value(0) == 0);
    Room<Point> points;
    points.value(1) = {1, 2};
    TypeDescriptor::of<Point>().construct(points.at(1));
    REQUIRE(points.value(1).x == 0);
    REQUIRE(points.value(1).y == 0);
}

TEST_CASE("hash and equality of a descriptor agree with those of the type", "[type_descriptor]") {
    const std::string a = "a string beyond the small buffer", b = a, c = "another";
    const TypeDescriptor& type = TypeDescriptor::of<std::string>();
    REQUIRE(type.hash(&a) == type.hash(&b));
    REQUIRE(type.hash(&a) == DefaultHash<std::string>()(a));
    REQUIRE(type.equal(&a, &b));
    REQUIRE_FALSE(type.equal(&a, &c));
    const Point point{3, 4};
    REQUIRE((TypeDescriptor::of<Point, PointHash>().hash(&point)) == 4003);
}

TEST_CASE("operations of a described type may throw", "[type_descriptor][throws]") {
    NothingLeaks objects;
    const TypeDescriptor& type = TypeDescriptor::of<Throwing>();
    Room<Throwing> room;
    const auto failures = fail_at_every_step(swept("TypeDescriptor::of"), [&](auto&& attempt) {
        int built = 0;
        attempt([&] {
            type.construct(room.at(0));
            built = 1;
            type.copy(room.at(1), room.at(0));
            built = 2;
        });
        while (built != 0) type.destroy(room.at(--built));
    });
    REQUIRE(failures == 2);
}
