// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The structs of the Arrow C interface are those of its specification, and their owners release each once.
#include <slotwise/arrow/c_data.hpp>

#include "refused.hpp"

#include <cstddef>
#include <string>
#include <type_traits>

using namespace slotwise;
using arrow_test::refused;

namespace {

int released = 0;

ArrowArray array_of(std::int64_t length) {
    ArrowArray array{};
    array.length = length;
    array.release = [](ArrowArray* self) {
        ++released;
        self->release = nullptr;
    };
    return array;
}

// A stream of batches of `left` rows and fewer, which fails instead of giving one of 2 rows.
struct Countdown {
    std::int64_t left;
    const char* text;
    int code = 5;
};
ArrowArrayStream stream_of(Countdown& source) {
    ArrowArrayStream stream{};
    stream.private_data = &source;
    stream.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
        *out = ArrowSchema{};
        out->format = "+s";
        out->release = [](ArrowSchema* self) { self->release = nullptr; };
        return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
        auto& from = *static_cast<Countdown*>(self->private_data);
        if (from.left == 2) return from.text == nullptr ? 5 : from.code;
        *out = from.left == 0 ? ArrowArray{} : array_of(from.left);
        if (from.left != 0) --from.left;
        return 0;
    };
    stream.get_last_error = [](ArrowArrayStream* self) { return static_cast<Countdown*>(self->private_data)->text; };
    stream.release = [](ArrowArrayStream* self) {
        ++released;
        self->release = nullptr;
    };
    return stream;
}

} // namespace

TEST_CASE("The structs have the members of the specification at their places", "[arrow]") {
    STATIC_REQUIRE(std::is_standard_layout_v<ArrowSchema>);
    STATIC_REQUIRE(offsetof(ArrowSchema, flags) == (sizeof(void*) == 8 ? 24 : offsetof(ArrowSchema, flags)));
    STATIC_REQUIRE(sizeof(ArrowSchema) == (sizeof(void*) == 8 ? 72 : sizeof(ArrowSchema)));
    STATIC_REQUIRE(offsetof(ArrowArray, buffers) == 40);
    STATIC_REQUIRE(sizeof(ArrowArray) == (sizeof(void*) == 8 ? 80 : sizeof(ArrowArray)));
    STATIC_REQUIRE(sizeof(ArrowArrayStream) == 5 * sizeof(void*));
    CHECK((ARROW_FLAG_DICTIONARY_ORDERED == 1 && ARROW_FLAG_NULLABLE == 2 && ARROW_FLAG_MAP_KEYS_SORTED == 4));
}

TEST_CASE("An owner releases what it took over, once", "[arrow]") {
    released = 0;
    ArrowArray source = array_of(3);
    {
        OwnedArray first(&source);
        CHECK(source.release == nullptr);
        OwnedArray second(std::move(first));
        CHECK_FALSE(first); // NOLINT(bugprone-use-after-move): a released owner
        first = std::move(second);
        CHECK((first && first->length == 3 && (*first).length == 3 && first.get()->length == 3));
        CHECK(released == 0);
    }
    CHECK(released == 1);
    OwnedArray().reset();
    CHECK(released == 1);
}

TEST_CASE("An owner assigned to itself or to another releases only what is replaced", "[arrow]") {
    released = 0;
    ArrowArray a = array_of(1), b = array_of(2);
    OwnedArray first(&a), second(&b);
    OwnedArray& same = first;
    first = std::move(same);
    CHECK((released == 0 && first->length == 1));
    first = std::move(second);
    CHECK((released == 1 && first->length == 2));
    *first.out() = array_of(4);
    CHECK((released == 2 && first->length == 4));
}

TEST_CASE("What is moved out of an owner belongs to who took it", "[arrow]") {
    released = 0;
    ArrowArray source = array_of(3), target{};
    {
        OwnedArray owner(&source);
        owner.move_to(&target);
        CHECK_FALSE(owner);
    }
    CHECK(released == 0);
    OwnedArray{&target};
    CHECK(released == 1);
    STATIC_REQUIRE(!std::is_copy_constructible_v<OwnedSchema> && !std::is_copy_assignable_v<OwnedStream>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<OwnedStream> && std::is_nothrow_move_assignable_v<OwnedSchema>);
}

TEST_CASE("A stream gives its schema and its batches, and its own text when it fails", "[arrow]") {
    released = 0;
    Countdown from{4, "the disk is full"};
    {
        ArrowArrayStream raw = stream_of(from);
        OwnedStream stream(&raw);
        CHECK(std::string(stream.schema()->format) == "+s");
        CHECK(stream.next()->length == 4);
        CHECK(stream.next()->length == 3);
        CHECK(refused("the disk is full", [&] { static_cast<void>(stream.next()); }));
        from.code = ENOMEM;
        CHECK_THROWS_AS(stream.next(), std::bad_alloc);
        from.text = nullptr;
        CHECK(refused("it has no text", [&] { static_cast<void>(stream.next()); }));
        from.left = 0;
        CHECK_FALSE(stream.next());
        stream.reset();
        CHECK(refused("was released", [&] { static_cast<void>(stream.next()); }));
        CHECK(refused("was released", [&] { static_cast<void>(stream.schema()); }));
    }
    CHECK(released == 3);
}
