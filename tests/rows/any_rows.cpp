// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyRows beside vectors of structs: rows added, moved between tables of other columns and erased, with a throw at every step.
#include <slotwise/rows/any_codec.hpp>
#include <slotwise/rows/any_rows.hpp>
#include <slotwise/rows/pmr.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <memory_resource>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Stunned {};
template <class T>
const TypeDescriptor* type() {
    return &TypeDescriptor::of<T>();
}
/// A value of a column.
template <class T>
T& at(AnyRows& rows, std::size_t column, std::size_t row) {
    return rows.column(column).as<T>()[row];
}
/// Numbers and texts: row i has them of `first` + i.
AnyRows some_rows(int count, int first = 0) {
    AnyRows rows{type<int>(), type<std::string>()};
    for (int i = 0; i != count; ++i)
        rows.push_back({AnyValue::of(first + i), AnyValue::of("a long text with number " + std::to_string(first + i))});
    return rows;
}
bool has(AnyRows& rows, std::size_t row, int number) {
    return at<int>(rows, 0, row) == number &&
           at<std::string>(rows, 1, row) == "a long text with number " + std::to_string(number);
}

} // namespace

TEST_CASE("AnyValue: a copied or moved value is assigned to one that is there", "[rows]") {
    const TypeDescriptor& strings = TypeDescriptor::of<std::string>();
    std::string target = "old", source = "a text that does not fit into the string itself";
    AnyValue::of(source).assign(strings, &target);
    CHECK(target == source);
    AnyValue::of(target).assign(strings, &target); // itself
    CHECK(target == source);
    AnyValue::of(std::move(source)).assign(strings, &target);
    CHECK(source.empty());
    TypeDescriptor copied = strings;
    copied.move_assign = nullptr;
    std::string again = "again";
    AnyValue::of(std::move(again)).assign(copied, &target);
    CHECK(target == "again");
    int number = 1;
    AnyValue::copied(&number).assign(TypeDescriptor::of<int>(), &number);
    CHECK(AnyValue::of(number).has_source());
    CHECK_FALSE(AnyValue().has_source());
    CHECK_FALSE(test::thrown_text<std::invalid_argument>([&] { AnyValue::of(number).assign(strings, &target); }).empty());
    copied.assign = nullptr;
    CHECK_FALSE(test::thrown_text<std::invalid_argument>([&] { AnyValue::of(target).assign(copied, &again); }).empty());
}

TEST_CASE("columns are described at run time and read as spans of their type", "[any_rows]") {
    AnyRows rows = some_rows(20);
    REQUIRE((rows.size() == 20 && rows.column_count() == 2 && rows.check_invariants()));
    CHECK(&rows.type(1) == type<std::string>());
    const std::span<int> numbers = rows.column(0).as<int>();
    REQUIRE(numbers.size() == 20);
    for (int& each : numbers) each += 100;
    const AnyRows& reader = rows;
    const std::span<const int> read = reader.column(0).as<int>();
    CHECK((read[3] == 103 && static_cast<const void*>(read.data()) == rows.column(0).data()));
    const ConstAnySpan raw = rows.column(0);
    CHECK((raw.size() == 20 && raw.stride() == sizeof(int) && !raw.empty() && &raw.type() == type<int>()));
    CHECK(*static_cast<const int*>(raw[19]) == 119);
}

TEST_CASE("a wrong type is refused in words", "[any_rows]") {
    AnyRows rows = some_rows(2);
    CHECK(thrown_text<std::invalid_argument>([&] { rows.column(0).as<unsigned>(); }).find("another type") != std::string::npos);
    const unsigned number = 3;
    CHECK_THROWS_AS(rows.push_back({AnyValue::of(number), AnyValue()}), std::invalid_argument);
    CHECK((rows.size() == 2 && has(rows, 1, 1)));
    // Described by hand, without an id: raw access only.
    TypeDescriptor record{.size = 12, .align = 4, .trivial = true};
    record.construct = [](void* to) { std::memset(to, 7, 12); };
    AnyRows records{&record};
    records.push_back_default();
    CHECK_THROWS_AS(records.column(0).as<int>(), std::invalid_argument);
    CHECK(static_cast<const unsigned char*>(records.column(0)[0])[11] == 7);
    record.id = TypeDescriptor::id_of<int[3]>();
    CHECK(records.column(0).as<int[3]>()[0][1] == 0x07070707);
}

TEST_CASE("types whose rows could not be moved are refused when the columns are made", "[any_rows]") {
    struct FixedMove { // its move may throw, and it cannot be assigned
        FixedMove() = default;
        FixedMove(FixedMove&&) noexcept(false) {}
    };
    CHECK_THROWS_AS(AnyRows{type<NonMovable>()}, std::invalid_argument);
    CHECK_THROWS_AS(AnyRows{type<FixedMove>()}, std::invalid_argument);
    const TypeDescriptor odd{.size = 12, .align = 3}, far{.size = 8192, .align = 8192}, uneven{.size = 10, .align = 4};
    CHECK_THROWS_AS(AnyRows{&odd}, std::invalid_argument);
    CHECK_THROWS_AS(AnyRows{&far}, std::invalid_argument);
    CHECK_THROWS_AS(AnyRows{&uneven}, std::invalid_argument);
}

TEST_CASE("each column is aligned to a cache line, or as its type asks up to 4096", "[any_rows]") {
    const NothingLeaks scope;
    AnyRows rows{type<char>(), type<OverAligned<4096>>(), type<int>(), type<OverAligned<128>>(), type<Big>()};
    for (int i = 0; i != 20; ++i) {
        rows.push_back_default();
        REQUIRE(rows.check_invariants());
        for (std::size_t column = 0; column != 5; ++column)
            REQUIRE(reinterpret_cast<std::uintptr_t>(rows.column(column).data()) % 64 == 0);
    }
    CHECK(reinterpret_cast<std::uintptr_t>(rows.column(1).data()) % 4096 == 0);
    AnyRows copy(rows);
    rows.swap_erase(3);
    copy.shrink_to_fit();
    CHECK((copy.check_invariants() && rows.check_invariants() && copy.capacity() == 20));
}

TEST_CASE("a tag has a column and no memory", "[any_rows]") {
    AnyRows rows{type<Stunned>(), type<int>(), type<Stunned>()};
    const int number = 5;
    rows.push_back({AnyValue(), AnyValue::of(number), AnyValue()});
    CHECK((rows.column_count() == 3 && rows.column(0).data() == nullptr && rows.column(0).size() == 1));
    CHECK((rows.column(0).as<Stunned>().empty() && rows.column(0).stride() == 0));
    CHECK(rows.column(1).as<int>()[0] == 5);
    // Of tags only: rows are counted.
    AnyRows tags{type<Stunned>()}, none;
    tags.append(1'000'000);
    CHECK((tags.size() == 1'000'000 && tags.swap_erase(7) == 999'999 && tags.check_invariants()));
    none.push_back_default();
    CHECK((none.size() == 1 && none.column_count() == 0));
    const AnyRows::size_type moved = AnyRows::move_row(tags, 3, none, {}).filled_from;
    CHECK((moved == 999'998 && none.size() == 2));
    tags.shrink_to_fit();
    const AnyRows copy(tags);
    CHECK((copy == tags && copy.size() == 999'998));
}

TEST_CASE("the last row comes in the place of an erased one, and the caller learns which row that was", "[any_rows]") {
    AnyRows rows = some_rows(4);
    const std::string* const text = &at<std::string>(rows, 1, 2);
    CHECK(rows.swap_erase(1) == 3);
    CHECK((rows.size() == 3 && has(rows, 1, 3) && has(rows, 2, 2) && text == &at<std::string>(rows, 1, 2)));
    CHECK(rows.swap_erase(2) == AnyRows::no_row); // the last: nothing moves
    CHECK(rows.swap_erase(0) == 1);
    CHECK(rows.swap_erase(0) == AnyRows::no_row); // the only one
    CHECK(rows.empty());
}

TEST_CASE("a row moves between tables: shared columns are moved, new ones built, the others destroyed", "[any_rows]") {
    const NothingLeaks scope;
    AnyRows from{type<MoveOnly>(), type<Stunned>(), type<Tracked>()};
    AnyRows to{type<Tracked>(), type<std::string>(), type<MoveOnly>(), type<Stunned>()};
    for (int i = 0; i != 3; ++i) {
        MoveOnly first(i);
        const Tracked second(10 + i);
        from.push_back({AnyValue::of(std::move(first)), AnyValue(), AnyValue::of(second)});
    }
    const std::int32_t map[] = {AnyRows::no_column, AnyRows::no_column, 0, 1};
    const Tracked given(77);
    std::string text = "moved into the new row, which does not fit where short texts are";
    const AnyValue values[] = {AnyValue::of(given), AnyValue::of(std::move(text)), AnyValue(), AnyValue()};
    const RowMove moved = AnyRows::move_row(from, 0, to, map, values);
    CHECK((moved.row == 0 && moved.filled_from == 2));
    CHECK((from.size() == 2 && at<MoveOnly>(from, 0, 0).value() == 2 && at<Tracked>(from, 2, 0).value() == 12));
    CHECK((at<Tracked>(to, 0, 0).value() == 77 && at<MoveOnly>(to, 2, 0).value() == 0));
    CHECK((at<std::string>(to, 1, 0).size() == 64 && text.empty()));
    // The last row: no row is moved. Without values the new columns get default ones.
    const RowMove last = AnyRows::move_row(from, 1, to, map);
    CHECK((last.row == 1 && last.filled_from == AnyRows::no_row && from.size() == 1 && to.size() == 2));
    CHECK((at<Tracked>(to, 0, 1).value() == 0 && at<MoveOnly>(to, 2, 1).value() == 1));
}

TEST_CASE("a value is built once in a row that moves: it is never made by default and then assigned", "[any_rows]") {
    struct Counting { // has neither a default value nor assignment
        explicit Counting(int* count) : built(count) { ++*built; }
        Counting(Counting&& other) noexcept : built(other.built) {}
        int* built;
    };
    AnyRows from{type<int>()}, to{type<int>(), type<Counting>()};
    from.append(1);
    int count = 0;
    const AnyValue values[] = {
        AnyValue(),
        AnyValue::built([](void* place, void* built) { ::new (place) Counting(static_cast<int*>(built)); }, &count)};
    const std::int32_t map[] = {0, AnyRows::no_column};
    AnyRows::move_row(from, 0, to, map, values);
    CHECK(count == 1);
    from.append(1);
    CHECK_THROWS_AS(AnyRows::move_row(from, 0, to, map), std::invalid_argument); // no default value
    CHECK((from.size() == 1 && to.size() == 1));
}

TEST_CASE("moving a row into its own table is refused", "[any_rows]") {
    AnyRows rows = some_rows(2);
    const std::int32_t map[] = {0, 1};
    CHECK(thrown_text<std::invalid_argument>([&] { AnyRows::move_row(rows, 0, rows, map); }).find("the same") !=
          std::string::npos);
    CHECK((rows.size() == 2 && has(rows, 0, 0)));
}

TEST_CASE("values may refer to the rows they are added to, also when these grow", "[any_rows]") {
    AnyRows rows = some_rows(8);
    REQUIRE(rows.capacity() == 8);
    rows.push_back({AnyValue::copied(rows.column(0)[3]), AnyValue::of(at<std::string>(rows, 1, 3))});
    CHECK((has(rows, 8, 3) && has(rows, 3, 3)));
    AnyRows full = some_rows(8), other = some_rows(1, 50);
    const std::int32_t map[] = {0, AnyRows::no_column};
    const AnyValue values[] = {AnyValue(), AnyValue::of(at<std::string>(full, 1, 5))};
    AnyRows::move_row(other, 0, full, map, values);
    CHECK((at<int>(full, 0, 8) == 50 && at<std::string>(full, 1, 8) == "a long text with number 5" && has(full, 5, 5)));
    rows.shrink_to_fit();
    const AnyValue again[] = {AnyValue::copied(rows.column(0)[2]), AnyValue::copied(rows.column(1)[2])};
    CHECK(rows.append(30, again) == 9);
    for (std::size_t row = 9; row != 39; ++row) REQUIRE(has(rows, row, 2));
}

TEST_CASE("rows are added from addresses, copied or moved, and null is the default value", "[any_rows]") {
    AnyRows rows{type<int>(), type<std::string>()};
    const int number = 4;
    std::string text(50, 'x');
    const void* const copied[] = {&number, &text};
    CHECK(rows.push_back_copy(copied) == 0);
    void* const moved[] = {nullptr, &text};
    CHECK(rows.push_back_moved(moved) == 1);
    CHECK((text.empty() && at<std::string>(rows, 1, 0) == at<std::string>(rows, 1, 1) && at<int>(rows, 0, 1) == 0));
    CHECK_THROWS_AS(rows.push_back_copy(std::span(copied).first(1)), std::invalid_argument);
    CHECK_THROWS_AS(rows.push_back({AnyValue()}), std::invalid_argument);
    CHECK_THROWS_AS(rows.append(2, std::vector{AnyValue(), AnyValue::of(std::string("once"))}), std::invalid_argument);
    AnyRows fixed{type<MoveOnly>()};
    const MoveOnly source(1);
    CHECK_THROWS_AS(fixed.push_back({AnyValue::of(source)}), std::invalid_argument); // cannot be copied
    CHECK_THROWS_AS(AnyRows(fixed), std::invalid_argument);
    CHECK((rows.size() == 2 && fixed.empty()));
}

TEST_CASE("a type described by hand is copied where it has no move, and assigned where that is all there is", "[any_rows]") {
    const TypeDescriptor& text = *type<std::string>();
    const TypeDescriptor by_hand{.size = text.size,
                                 .align = text.align,
                                 .construct = text.construct,
                                 .copy = text.copy,
                                 .assign = text.assign,
                                 .destroy = text.destroy,
                                 .id = text.id};
    AnyRows rows{&by_hand, type<std::array<float, 3>>(), type<std::array<double, 2>>()}, other{&by_hand};
    for (int i = 0; i != 10; ++i) {
        std::string value = "a text that is long enough, number " + std::to_string(i);
        rows.push_back({AnyValue::moved(&value), AnyValue(), AnyValue::of(std::array<double, 2>{1.0 * i, 2})});
        CHECK_FALSE(value.empty()); // a copy was made
    }
    rows.swap_rows(0, 9);
    CHECK(rows.swap_erase(3) == 9);
    CHECK((at<std::string>(rows, 0, 0).back() == '9' && at<std::string>(rows, 0, 3).back() == '0'));
    CHECK((at<std::array<double, 2>>(rows, 2, 3)[0] == 0 && at<std::array<float, 3>>(rows, 1, 3)[0] == 0));
    const std::int32_t map[] = {0};
    CHECK(AnyRows::move_row(rows, 1, other, map).filled_from == 8);
    CHECK((at<std::string>(other, 0, 0).back() == '1' && at<std::string>(rows, 0, 1).back() == '8' && rows.check_invariants()));
}

TEST_CASE("two tables do what vectors do, in any order of operations", "[any_rows]") {
    const NothingLeaks scope;
    struct Row {
        int number;
        std::optional<int> tracked;
        int move_only;
    };
    std::mt19937 random(1);
    AnyRows with{type<Tracked>(), type<int>(), type<Stunned>(), type<MoveOnly>()}, without{type<int>(), type<MoveOnly>()};
    std::vector<Row> a, b;
    const std::int32_t adds[] = {AnyRows::no_column, 0, AnyRows::no_column, 1}, removes[] = {1, 3};
    const auto erase = [](std::vector<Row>& rows, std::size_t row) {
        rows[row] = rows.back();
        rows.pop_back();
    };
    for (int step = 0; step != 1200; ++step) {
        const auto operation = random() % 8;
        CAPTURE(step, operation);
        if (operation < 2) {
            MoveOnly only(step);
            without.push_back({AnyValue::of(step), AnyValue::of(std::move(only))});
            b.push_back({step, {}, step});
        } else if (operation < 4 && !b.empty()) {
            const std::size_t row = random() % b.size();
            const Tracked given(step);
            const AnyValue values[] = {AnyValue::of(given), {}, {}, {}};
            const RowMove moved = AnyRows::move_row(without, row, with, adds, values);
            REQUIRE((moved.row == a.size() && moved.filled_from == (row + 1 == b.size() ? AnyRows::no_row : b.size() - 1)));
            a.push_back({b[row].number, step, b[row].move_only});
            erase(b, row);
        } else if (operation < 6 && !a.empty()) {
            const std::size_t row = random() % a.size();
            AnyRows::move_row(with, row, without, removes);
            b.push_back({a[row].number, {}, a[row].move_only});
            erase(a, row);
        } else if (operation == 6 && !a.empty()) {
            const std::size_t row = random() % a.size(), other = random() % a.size();
            with.swap_rows(row, other);
            std::swap(a[row], a[other]);
            if (random() % 2 == 0) with.swap_erase(row), erase(a, row);
        } else if (random() % 10 == 0) {
            const auto what = random() % 4;
            if (what == 0) with.shrink_to_fit(), without.reserve(b.size() + 20);
            if (what == 1) swap(with, without), swap(with, without);
            if (what == 2 && !b.empty()) without.pop_back(), b.pop_back();
            if (what == 3 && random() % 4 == 0) with.clear(), a.clear();
        }
        REQUIRE(
            (with.check_invariants() && without.check_invariants() && with.size() == a.size() && without.size() == b.size()));
        bool same = true;
        for (std::size_t row = 0; row != a.size(); ++row)
            same = same && at<int>(with, 1, row) == a[row].number && at<Tracked>(with, 0, row).value() == *a[row].tracked &&
                   at<MoveOnly>(with, 3, row).value() == a[row].move_only;
        for (std::size_t row = 0; row != b.size(); ++row)
            same =
                same && at<int>(without, 0, row) == b[row].number && at<MoveOnly>(without, 1, row).value() == b[row].move_only;
        REQUIRE(same);
    }
}

TEST_CASE("rows are copied, moved, swapped and compared as a whole", "[any_rows]") {
    AnyRows rows = some_rows(5);
    AnyRows copy(rows), assigned;
    CHECK(copy == rows);
    at<int>(copy, 0, 2) = 9;
    CHECK_FALSE(copy == rows);
    CHECK_FALSE(copy == some_rows(4));
    CHECK_FALSE(AnyRows{type<int>()} == AnyRows{type<unsigned>()});
    CHECK_FALSE(AnyRows{type<int>()} == AnyRows{});
    assigned = rows;
    CHECK(assigned == rows);
    AnyRows moved(std::move(rows));
    CHECK((moved == assigned && rows.empty() && rows.column_count() == 0));
    rows.push_back_default(); // usable: rows without columns
    rows = std::move(moved);
    CHECK((rows == assigned && moved.empty()));
    swap(rows, moved);
    CHECK((moved == assigned && rows.empty()));
    struct Incomparable {};
    struct Number {
        int value = 0;
    };
    CHECK(AnyRows{type<Incomparable>()} == AnyRows{type<Incomparable>()});
    CHECK_THROWS_AS(static_cast<void>(AnyRows{type<Number>()} == AnyRows{type<Number>()}), std::invalid_argument);
}

TEST_CASE("described columns stay where they are until memory is exchanged", "[any_rows]") {
    AnyRows rows = some_rows(3);
    rows.reserve(100);
    const void* const numbers = rows.column(0).data();
    rows.push_back_default(), rows.append(90), rows.swap_erase(0), rows.swap_rows(0, 1), rows.reserve(90);
    CHECK(rows.column(0).data() == numbers);
    rows.shrink_to_fit();
    CHECK((rows.capacity() == rows.size() && has(rows, 2, 2) && rows.check_invariants()));
}

TEST_CASE("described rows move between unequal allocators", "[any_rows]") {
    using Rows = BasicAnyRows<AllocBy<StatefulAllocator<std::byte>>>;
    using Memory = StatefulAllocator<std::byte>;
    const EveryByteReturned returned;
    const NothingLeaks scope;
    const auto made = [](int count, int id) {
        Rows rows({type<MoveOnly>(), type<OverAligned<256>>()}, Memory(id));
        rows.append(static_cast<std::size_t>(count));
        return rows;
    };
    Rows a = made(3, 1), b = made(5, 2);
    swap(a, b);
    CHECK((a.size() == 5 && b.size() == 3 && a.get_allocator() == Memory(1) && a.check_invariants()));
    a = std::move(b);
    CHECK((a.size() == 3 && b.empty() && b.check_invariants()));
    b = made(0, 2);
    b.append(20);
    const Rows c(std::move(a), Memory(2));
    CHECK((c.size() == 3 && a.empty() && c.get_allocator() == Memory(2) && c.check_invariants()));
}

namespace {

using Sweeping = BasicAnyRows<AllocBy<ThrowingAllocator<std::byte>>>;
/// Rows i = 0, 1 ... with the value i in each column, and room for no other.
template <class... Ts>
Sweeping sweeping(int count) {
    Sweeping rows{type<Ts>()...};
    for (int i = 0; i != count; ++i) {
        rows.push_back(
            {AnyValue::built([](void* place, void* number) { ::new (place) Ts(*static_cast<int*>(number)); }, &i)...});
    }
    rows.shrink_to_fit();
    return rows;
}
template <class... Ts>
bool holds(Sweeping& rows, int count) {
    if (rows.size() != static_cast<std::size_t>(count) || !rows.check_invariants()) return false;
    bool same = true;
    for (int i = 0; i != count; ++i) {
        std::size_t column = 0;
        ((same = same && rows.column(column).template as<Ts>()[static_cast<std::size_t>(i)].value() == i, ++column), ...);
    }
    return same;
}
/// The number of a tracked value.
struct NumberCodec {
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        out.number(static_cast<std::uint32_t>(value.value()));
    }
    template <class T>
    T read(ByteReader& in) const {
        return T(static_cast<int>(in.number<std::uint32_t>()));
    }
};
template <class F>
void sweep(const char* function, F&& scenario) {
    REQUIRE(fail_at_every_step(swept<Sweeping>(function), std::forward<F>(scenario)) > 0);
}

} // namespace

TEST_CASE("a throw at any step leaves the rows as they were, and all columns of one length", "[any_rows][throws]") {
    const EveryByteReturned returned;
    const NothingLeaks scope;
    const auto each = [](const char* function, auto&& act) {
        sweep(function, [&](auto&& attempt) {
            Sweeping rows = sweeping<ThrowingCopy, Throwing, ThrowingCopy>(3);
            Sweeping other = sweeping<ThrowingCopy, Throwing, ThrowingCopy>(2);
            if (attempt([&] { act(rows, other); })) CHECK((holds<ThrowingCopy, Throwing, ThrowingCopy>(rows, 3)));
        });
    };
    each("push_back", [](Sweeping& rows, Sweeping&) { rows.push_back(std::span<const AnyValue>()); });
    each("push_back_default", [](Sweeping& rows, Sweeping&) { rows.push_back_default(); });
    each("push_back_copy", [](Sweeping& rows, Sweeping& other) {
        const void* const from[] = {other.column(0)[1], other.column(1)[1], nullptr};
        rows.push_back_copy(from);
    });
    each("push_back_moved", [](Sweeping& rows, Sweeping& other) {
        void* const from[] = {other.column(0)[1], other.column(1)[1], nullptr};
        rows.push_back_moved(from);
    });
    each("append", [](Sweeping& rows, Sweeping& other) {
        rows.append(3, std::vector{AnyValue(), AnyValue::copied(other.column(1)[0]), AnyValue()});
    });
    each("reserve", [](Sweeping& rows, Sweeping&) { rows.reserve(10); });
    each("shrink_to_fit", [](Sweeping& rows, Sweeping&) { rows.reserve(10), rows.shrink_to_fit(); });
    each("operator=(copy)", [](Sweeping& rows, Sweeping& other) { rows = other; });
    each("(copy)", [](Sweeping& rows, Sweeping&) { Sweeping copy(rows); });
    AnyCodec codec;
    codec.add<ThrowingCopy, NumberCodec>().add<Throwing, NumberCodec>();
    each("restore", [&](Sweeping& rows, Sweeping& other) { rows.restore(other.snapshot(codec), codec); });
    each("try_restore", [&](Sweeping& rows, Sweeping& other) { rows.try_restore(other.snapshot(codec), codec); });
    each("(...)", [](Sweeping&, Sweeping&) { Sweeping fresh{type<int>(), type<Throwing>()}; });
}

TEST_CASE("a row that could not be moved is where it was, if moves do not throw", "[any_rows][throws]") {
    const EveryByteReturned returned;
    const NothingLeaks scope;
    const std::int32_t map[] = {AnyRows::no_column, 1, 0};
    sweep("move_row", [&](auto&& attempt) {
        Sweeping from = sweeping<ThrowingCopy, Tracked>(3), to = sweeping<Throwing, Tracked, ThrowingCopy>(2);
        const bool threw = attempt([&] { Sweeping::move_row(from, 0, to, map); });
        if (threw) CHECK((holds<ThrowingCopy, Tracked>(from, 3) && holds<Throwing, Tracked, ThrowingCopy>(to, 2)));
        if (!threw) CHECK((from.size() == 2 && to.size() == 3));
    });
}

TEST_CASE("columns keep one length when a move throws", "[any_rows][throws]") {
    const EveryByteReturned returned;
    const NothingLeaks scope;
    const auto sound = [](Sweeping& rows, std::size_t count) { // each value may be moved-from, and each is alive
        CHECK((rows.size() == count && rows.check_invariants()));
        rows.clear();
    };
    const std::int32_t map[] = {1, 0};
    sweep("move_row", [&](auto&& attempt) {
        Sweeping from = sweeping<ThrowingMoveOnly, Throwing>(3), to = sweeping<Throwing, ThrowingMoveOnly>(2);
        if (attempt([&] { Sweeping::move_row(from, 0, to, map); })) sound(from, 3), sound(to, 2);
    });
    sweep("swap_erase", [&](auto&& attempt) {
        Sweeping rows = sweeping<ThrowingMoveOnly, Tracked, Throwing>(3);
        if (attempt([&] { rows.swap_erase(0); })) sound(rows, 3);
    });
    sweep("swap_rows", [&](auto&& attempt) {
        Sweeping rows = sweeping<ThrowingMoveOnly, Tracked, Throwing>(3);
        if (attempt([&] { rows.swap_rows(0, 1); })) sound(rows, 3);
    });
    sweep("reserve", [&](auto&& attempt) {
        Sweeping rows = sweeping<ThrowingMoveOnly, Tracked, Throwing>(3);
        if (attempt([&] { rows.reserve(20); })) sound(rows, 3);
    });
}

TEST_CASE("erasing calls nothing that could throw, if moves do not", "[any_rows][throws]") {
    Sweeping rows = sweeping<ThrowingCopy, Tracked>(3);
    calls_nothing_that_throws(swept<Sweeping>("swap_erase"), [&] { rows.swap_erase(0); });
    calls_nothing_that_throws(swept<Sweeping>("pop_back"), [&] { rows.pop_back(); });
    calls_nothing_that_throws(swept<Sweeping>("clear"), [&] { rows.clear(); });
}

TEST_CASE("described rows, bits and ticks take memory from a memory resource", "[any_rows]") {
    std::array<std::byte, 8192> room{};
    std::pmr::monotonic_buffer_resource memory(room.data(), room.size(), std::pmr::null_memory_resource());
    pmr::AnyRows rows({type<int>(), type<std::string>()}, &memory);
    pmr::BitColumn bits(&memory);
    pmr::TickColumn ticks(&memory);
    for (tick_t i = 0; i != 10; ++i) rows.push_back_default(), bits.push_back(true), ticks.push_back(i);
    CHECK((rows.size() == 10 && bits.count() == 10 && ticks.changed(9) == 9 && rows.get_allocator().resource() == &memory));
    const pmr::AnyRows copy(rows); // in memory of the default resource, as the standard has it
    CHECK((copy == rows && copy.get_allocator().resource() == std::pmr::get_default_resource()));
}

TEST_CASE("a snapshot of described rows is restored exactly, and bytes it would not have are refused", "[any_rows]") {
    AnyCodec codec;
    codec.add<int>().add<std::string>();
    AnyRows rows{type<int>(), type<Stunned>(), type<std::string>()}, other(rows);
    for (int i = 0; i != 20; ++i)
        rows.push_back({AnyValue::of(i), AnyValue(), AnyValue::of(std::string(static_cast<std::size_t>(i), 'x'))});
    const auto bytes = rows.snapshot(codec);
    other.append(3);
    other.restore(bytes, codec);
    REQUIRE((other == rows && other.check_invariants() && other.snapshot(codec) == bytes));
    for (std::size_t cut = 0; cut != bytes.size(); ++cut)
        REQUIRE(other.try_restore(std::span(bytes).first(cut), codec) != nullptr);
    for (std::size_t i = 0; i != bytes.size(); ++i) { // what is accepted is what such rows would write
        auto wrong = bytes;
        wrong[i] ^= std::byte{0x81};
        wrong = test::reseal(wrong);
        AnyRows read(other);
        if (read.try_restore(wrong, codec) == nullptr) REQUIRE(read.snapshot(codec) == wrong);
    }
    const auto more = test::forged(bytes, [](auto& state) { state.push_back(std::byte{}); });
    CHECK_THROWS_AS(other.restore(more, codec), std::invalid_argument);
    AnyRows columns{type<int>(), type<std::string>()}, order{type<std::string>(), type<Stunned>(), type<int>()};
    CHECK(columns.try_restore(bytes, codec) != nullptr);
    CHECK(order.try_restore(bytes, codec) != nullptr);
    CHECK(other == rows);
    // A type that the codec does not know.
    AnyCodec numbers;
    numbers.add<int>();
    CHECK_THROWS_AS(rows.snapshot(numbers), std::invalid_argument);
    CHECK_THROWS_AS(rows.restore(bytes, numbers), std::invalid_argument);
    // Of tags only: a row is a byte, so no count is out of thin air.
    AnyRows tags{type<Stunned>()};
    tags.append(5);
    auto few = tags.snapshot(numbers);
    tags.clear();
    tags.restore(few, numbers);
    CHECK(tags.size() == 5);
    few[few.size() - 6] = std::byte{1}; // rows, the highest byte
    CHECK((tags.try_restore(few, numbers) != nullptr && tags.size() == 5));
}

TEST_CASE("a value is assigned as it is built: copied or moved, and refused in words", "[any_rows]") {
    const NothingLeaks scope;
    using Copied = BasicTracked<TrackedOptions{.copy_throws = true, .move_throws = true}>;
    Tracked to(1), from(2);
    const TypeDescriptor& type = TypeDescriptor::of<Tracked>();
    AnyValue::of(from).assign(type, &to);
    CHECK((to.value() == 2 && from.value() == 2));
    from.set(3);
    AnyValue::of(std::move(from)).assign(type, &to);
    CHECK((to.value() == 3 && from.moved_from())); // NOLINT(bugprone-use-after-move): that is asked
    AnyValue::of(to).assign(type, &to);
    CHECK(to.value() == 3);
    int number = 4;
    const int other = 5;
    AnyValue::of(other).assign(TypeDescriptor::of<int>(), &number);
    CHECK(number == 5);
    TypeDescriptor copies = type; // without move assignment it is copied
    copies.move_assign = nullptr;
    from.set(6);
    AnyValue::moved(&from).assign(copies, &to);
    CHECK((to.value() == 6 && !from.moved_from()));
    copies.assign = nullptr;
    CHECK(thrown_text<std::invalid_argument>([&] { AnyValue::moved(&from).assign(copies, &to); }) ==
          "AnyValue: values of the column's type cannot be assigned");
    CHECK(thrown_text<std::invalid_argument>([&] { AnyValue::of(other).assign(type, &to); }) ==
          "AnyValue: the value has another type than the column it is given to");
    CHECK((AnyValue::of(other).has_source() && AnyValue::moved(&from).has_source() && !AnyValue().has_source()));
#if defined(__cpp_exceptions)
    const std::size_t failures = fail_at_every_step([&](auto&& attempt) {
        Copied a(1), b(2);
        const bool threw = attempt([&] { AnyValue::of(b).assign(TypeDescriptor::of<Copied>(), &a); });
        CHECK((a.value() == (threw ? 1 : 2) && b.value() == 2));
    });
    CHECK(failures == 1);
#endif
}

TEST_CASE("AnyRows: columns of any alignment lie within their block, for any number of rows", "[any_rows]") {
    struct alignas(256) Wide {
        unsigned char bytes[256];
    };
    struct alignas(1024) Wider {
        unsigned char bytes[1024];
    };
    for (std::size_t room = 1; room != 300; ++room) {
        AnyRows rows{&TypeDescriptor::of<char>(), &TypeDescriptor::of<Wide>(), &TypeDescriptor::of<double>(),
                     &TypeDescriptor::of<Wider>(), &TypeDescriptor::of<int>()};
        rows.reserve(room);
        if (!rows.check_invariants()) FAIL("room for " << room);
    }
}
