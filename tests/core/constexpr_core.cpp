// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Handles, ids, hashes and versioned values in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/core/detail/bits.hpp>
#include <slotwise/core/detail/concepts.hpp>
#include <slotwise/core/detail/iterators.hpp>
#include <slotwise/core/hash.hpp>
#include <slotwise/core/id_traits.hpp>
#include <slotwise/core/public_id.hpp>
#include <slotwise/core/scope_guard.hpp>
#include <slotwise/core/versioned.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace {

using namespace slotwise;

enum class Color : std::uint8_t { red, green };
struct Tag;
using Small = Handle<Tag, HandleLayout{8, 4, 4}>;
struct Point {
    int x, y;
};
/// What collect_changed_into() fills here: std::vector is not constexpr in libstdc++'s debug mode.
struct Positions {
    using value_type = std::size_t;
    std::array<std::size_t, 2> at{};
    std::size_t count = 0;
    constexpr void clear() noexcept { count = 0; }
    constexpr void push_back(std::size_t position) noexcept { at[count++] = position; }
};

} // namespace
template <>
struct std::hash<Point> {
    constexpr std::size_t operator()(const Point& point) const noexcept { return static_cast<std::size_t>(point.x + point.y); }
};
namespace {

constexpr int handles() {
    Small null, handle(3, 5, 7); // not const: clang would fold what is asked of them, and coverage would see no call
    HOLDS(null.is_null() && !null && !handle.is_null() && handle);
    HOLDS(handle.index() == 3 && handle.version() == 5 && handle.user_bits() == 7);
    HOLDS(handle.generation() == 3 && Small::from_generation(3, 3, 7) == handle && null.generation() == 0);
    Handle<Tag, HandleLayout{8, 4, 4, true}> dense(3, 5, 7);
    HOLDS(dense.version() == 5 && dense.generation() == 3 && dense.to_bits() == 0x7303);
    Handle<Tag, HandleLayout{8, 4, 4, false, true}> none, first(0, 1);
    HOLDS(none.is_null() && none.to_bits() == 0xFFFF && none.generation() == 0 && first.generation() == 1);
    HOLDS(Small::from_bits(handle.to_bits()) == handle && handle.with_user_bits(1).user_bits() == 1);
    HOLDS(handle != null && null < handle && Small(3, 6) > handle && Small(3, 5, 8) > handle && Small(4, 1) > handle);
    HOLDS(std::hash<Small>()(handle) != std::hash<Small>()(null));
    return 0;
}

/// Takes the place of std::string, which is not constexpr in each mode of libstdc++.
struct Length {
    std::size_t size;
    constexpr Length(const char*, std::size_t count) : size(count) {}
    constexpr explicit Length(const char* text) : size(std::string_view(text).size()) {}
};
constexpr int texts() {
    Small handle(3, 5, 7), null = Small::null();
    const auto text = handle.to_text();
    const std::string_view written(text.chars, text.size);
    HOLDS(written == "3v5#7" && Small::from_string(written) == handle && Small::from_string(text.chars) == handle);
    HOLDS(null == nullptr && !Small::from_string("3v") && to_string<Length>(null).size == 4);
    SlotState state = SlotState::live;
    InsertKind kind = InsertKind::fresh;
    HandleStatus status = HandleStatus::stale;
    HOLDS(to_string<SlotState, Length>(state).size == 4 && to_string<InsertKind, Length>(kind).size == 5 &&
          to_string<HandleStatus, Length>(status).size == 5);
    return 0;
}

constexpr int ids() {
    constexpr std::string_view text = "0123abcd-4567-4def-8123-456789abcdef";
    auto id = PublicId::parse(text);
    HOLDS(id && !id->is_nil() && PublicId().is_nil() && std::string_view(id->to_text()) == text);
    HOLDS(!PublicId::parse("no id") && PublicId() < *id && std::hash<PublicId>()(*id) != std::hash<PublicId>()({}));
    std::uint32_t seed = 7;
    const auto generator = [&] { return seed = seed * 1664525u + 1013904223u; };
    HOLDS(PublicId::random(generator) != PublicId::random(generator));
    return 0;
}

constexpr int parts_of_ids() {
    using H = Handle<int>;
    H handle(7, 2); // variables: clang folds conditions of constants, and no function runs
    HOLDS(IdTraits<H>::index(handle) == 7 && IdTraits<H>::version(handle) == 2 && !IdTraits<H>::can_live(handle));
    std::uint16_t number = 7;
    using Number = IdTraits<std::uint16_t>;
    HOLDS(Number::index(number) == 7 && Number::version(number) == 0 && Number::can_live(number));
    return 0;
}

constexpr int hashes() {
    HOLDS(DefaultHash<int>()(1) != DefaultHash<int>()(2) &&
          DefaultHash<Color>()(Color::red) != DefaultHash<Color>()(Color::green));
    Point point{1, 2}, same{2, 1}, other{2, 2};
    HOLDS(DefaultHash<Point>()(point) == DefaultHash<Point>()(same) &&
          DefaultHash<Point>()(point) != DefaultHash<Point>()(other));
    HOLDS(EqualTo()(1, 1) && !EqualTo()(1, 2) && Avalanching<DefaultHash<int>>);
    return 0;
}

constexpr int values() {
    Versioned<int> value(1), other, third(value);
    const auto mark = value.mark();
    HOLDS(!value.changed_since(mark) && value.changed_since(0) && value.get() == 1 && *value == 1 && *value.operator->() == 1);
    HOLDS(value.set(2) && !value.set(2) && value.changed_since(mark) && value.modify([](int& number) { ++number; }));
    value.touch();
    other = value;
    third = std::move(value);
    HOLDS(*other == 3 && *third == 3);
    const Versioned<int> taken(std::move(third));
    HOLDS(*taken == 3);
    const std::array<Versioned<int>, 2> pair{Versioned<int>(1), Versioned<int>(2)};
    const std::array<change_t, 1> marks{pair[0].mark()};
    Positions changed;
    collect_changed_into(pair, marks, changed);
    HOLDS(changed.count == 1 && changed.at[0] == 1);
    return 0;
}

constexpr int guards() {
    int undone = 0;
    {
        ScopeGuard undo([&]() noexcept { ++undone; });
        ScopeGuard kept([&]() noexcept { ++undone; });
        kept.dismiss();
    }
    HOLDS(undone == 1);
    return 0;
}

constexpr int words() {
    HOLDS(bits::word_count(65) == 2 && bits::word_of(64) == 1 && bits::bit_of(65) == 2 && bits::low_mask(3) == 7);
    HOLDS(bits::lowest(8) == 3 && bits::count(7) == 3 && bits::round_up(65, 64) == 128 &&
          bits::low_mask(64) == bits::full_word);
    bits::word_t word = 10;
    HOLDS(bits::highest(word) == 3);
    unsigned sum = 0;
    bits::for_each(bits::word_t{0b1011}, [&](unsigned bit) { sum += bit; });
    HOLDS(sum == 4);
    return 0;
}

constexpr int options() {
    HOLDS(HandleLayout{} == HandleLayout{} && SlotMapOptions{} == SlotMapOptions{} && KeySetOptions{} == KeySetOptions{});
    SeriesOptions series{.reuse = Reuse::fifo, .max_slots = 7};
    HOLDS(SeriesOptions{} == SeriesOptions{} && !(series == SeriesOptions{}));
    HOLDS(series.key_set() == KeySetOptions{.deferred_erase = true, .reuse = Reuse::fifo, .max_slots = 7});
    return 0;
}

constexpr int items() {
    int number = 1;
    const auto [id, value] = IdItem<char, int&>('a', number);
    HOLDS(id == 'a' && &value == &number);
    return 0;
}

} // namespace

IN_CONSTANTS("handles work in constant expressions", handles())
IN_CONSTANTS("handles and names are written and read in constant expressions", texts())
IN_CONSTANTS("public ids work in constant expressions", ids())
IN_CONSTANTS("ids are taken apart in constant expressions", parts_of_ids())
IN_CONSTANTS("hashes and equality work in constant expressions", hashes())
IN_CONSTANTS("versioned values work in constant expressions", values())
IN_CONSTANTS("scope guards work in constant expressions", guards())
IN_CONSTANTS("words of bits work in constant expressions", words())
IN_CONSTANTS("options are compared in constant expressions", options())
IN_CONSTANTS("items are taken apart in constant expressions", items())
