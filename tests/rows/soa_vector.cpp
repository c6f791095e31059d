// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaVector beside std::vector of tuples.
#include <slotwise/rows/pmr.hpp>
#include <slotwise/rows/soa_vector.hpp>

#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/whole.hpp"

#include <algorithm>
#include <random>
#include <string>

using namespace slotwise;

namespace {

struct Tag0 {
    friend constexpr auto operator<=>(Tag0, Tag0) = default;
};
using Vector = SoaVector<int, std::string, Tag0, bool>;
using Model = std::vector<std::tuple<int, std::string, Tag0, bool>>;

bool same(const Vector& vector, const Model& model) {
    if (!vector.check_invariants() || vector.size() != model.size() || vector.column<1>().size() != model.size()) return false;
    for (std::size_t i = 0; i != model.size(); ++i)
        if (std::tuple<int, std::string, Tag0, bool>(vector[i]) != model[i]) return false;
    return true;
}
Vector numbered(int count) {
    Vector vector;
    for (int i = 0; i != count; ++i) vector.push_back(i, std::to_string(i), Tag0(), i % 2 == 0);
    return vector;
}
Model rows_of(const Vector& vector) { return {vector.begin(), vector.end()}; }

} // namespace

TEST_CASE("rows do what a vector of tuples does, in any order of operations", "[soa_vector]") {
    std::mt19937 random(7);
    for (int round = 0; round != 6; ++round) {
        Vector vector;
        Model model;
        int next = 0;
        for (int step = 0; step != 500; ++step) {
            const std::size_t size = model.size(), row = size == 0 ? 0 : random() % size;
            const auto at = [&](std::size_t i) { return model.begin() + static_cast<std::ptrdiff_t>(i); };
            const unsigned action = random() % 16;
            if (action < 5 || size == 0) {
                vector.push_back(next, std::to_string(next), Tag0(), next % 3 == 0);
                model.emplace_back(next, std::to_string(next), Tag0(), next % 3 == 0);
            } else if (action == 5) {
                vector.emplace_back([&] { return next; }, "made", Tag0(), [] { return true; });
                model.emplace_back(next, "made", Tag0(), true);
            } else if (action == 6) {
                vector.insert(row, next, "in", Tag0(), true);
                model.insert(at(row), {next, "in", Tag0(), true});
            } else if (action == 7) {
                vector.erase(row);
                model.erase(at(row));
            } else if (action == 8) {
                vector.swap_erase(row);
                std::swap(model[row], model.back());
                model.pop_back();
            } else if (action == 9) {
                vector.pop_back();
                model.pop_back();
            } else if (action == 10) {
                vector.swap_rows(row, size - 1 - row);
                std::swap(model[row], model[size - 1 - row]);
            } else if (action == 11) {
                const int gone = next % 7;
                const auto count = vector.erase_if([&](const auto& each) { return each.template get<0>() % 7 == gone; });
                CHECK(count == std::erase_if(model, [&](const auto& each) { return std::get<0>(each) % 7 == gone; }));
            } else if (action == 12) {
                const bool descending = next % 2 == 0; // numbers are different
                vector.sort<0>([&](int a, int b) { return descending ? b < a : a < b; });
                std::sort(model.begin(), model.end());
                if (descending) std::reverse(model.begin(), model.end());
            } else if (action == 13) {
                const std::size_t rows = random() % 80;
                vector.resize(rows, next, "new", Tag0(), true);
                model.resize(rows, {next, "new", Tag0(), true});
                for (std::size_t i = size; i < rows; ++i) vector.column<int>()[i] = std::get<0>(model[i]) = next++;
            } else if (action == 14)
                next % 2 == 0 ? vector.reserve(random() % 100) : vector.shrink_to_fit();
            else {
                const Vector copy(vector);
                vector = next % 2 == 0 ? copy : Vector(std::move(vector));
                CHECK(copy == vector);
            }
            ++next;
            REQUIRE(same(vector, model));
        }
    }
}

TEST_CASE("columns, rows and iterators stay while rows are added within the capacity", "[soa_vector]") {
    Vector vector = numbered(3);
    vector.reserve(20);
    const int* const first = vector.column<int>().data();
    auto row = vector[1];
    const auto it = vector.begin() + 2;
    while (vector.size() != vector.capacity()) vector.emplace_back(1, "", Tag0(), true);
    CHECK((first == vector.column<int>().data() && row.get<1>() == "1" && (*it).get<0>() == 2));
    vector.push_back(1, "", Tag0(), true);
    CHECK(first != vector.column<int>().data());
}

TEST_CASE("rows stay where they are when others behind them come and go", "[soa_vector]") {
    static_assert(noexcept(std::declval<Vector&>().erase(0))&& noexcept(std::declval<Vector&>().swap_erase(0)));
    static_assert(!noexcept(std::declval<SoaVector<test::Throwing>&>().erase(0)));
    Vector vector = numbered(9);
    vector.reserve(20);
    const std::string* const third = &vector[2].get<1>();
    const auto it = vector.cbegin() + 2;
    vector.erase(3);
    vector.swap_erase(3);
    vector.pop_back();
    vector.erase_if([](const auto& row) { return row.template get<0>() == 5; });
    vector.insert(3, 50, "50", Tag0(), true);
    vector.resize(12);
    vector.resize(5);
    CHECK((third == &vector[2].get<1>() && (*it).get<1>() == "2" && vector[4].get<0>() == 8));
    vector.sort<0>([](int a, int b) { return a > b; }); // the values change places, the columns stay
    CHECK((third == &vector[2].get<1>() && *third == "2" && vector[0].get<0>() == 50 && vector.capacity() == 20));
    vector.shrink_to_fit();
    CHECK(vector.capacity() == 5);
}

TEST_CASE("an argument may be an element of the vector, also when that moves", "[soa_vector]") {
    for (const bool full : {false, true}) {
        Vector vector = numbered(16);
        if (!full) vector.reserve(100);
        REQUIRE((vector.size() == vector.capacity()) == full);
        vector.push_back(vector[3].get<0>(), vector[4].get<1>(), Tag0(), vector[5].get<3>());
        CHECK(vector.back() == std::tuple(3, std::string("4"), Tag0(), false));
        if (full) vector.shrink_to_fit();
        vector.insert(2, vector[5].get<0>(), vector[16].get<1>(), Tag0(), vector[0].get<3>());
        CHECK(vector[2] == std::tuple(5, std::string("4"), Tag0(), true));
        if (full) vector.shrink_to_fit();
        vector.emplace_back(
            vector[7].get<0>(), [&] { return vector[8].get<1>(); }, Tag0(), vector[6].get<3>());
        CHECK(vector.back() == std::tuple(6, std::string("7"), Tag0(), false));
        if (full) vector.shrink_to_fit();
        vector.resize(40, vector[1].get<0>(), vector[9].get<1>(), Tag0(), true);
        CHECK(vector[39] == std::tuple(1, std::string("8"), Tag0(), true));
    }
    SoaVector<std::string> moved;
    for (int i = 0; i != 16; ++i) moved.push_back(std::string(40, static_cast<char>('a' + i)));
    moved.push_back(std::move(moved[2].get<0>()));
    CHECK(moved[16].get<0>() == std::string(40, 'c'));
}

TEST_CASE("a maker may use the vector that its value is for", "[soa_vector]") {
    SoaVector<int, int> vector;
    vector.emplace_back([&] { return vector.push_back(1, 1), 2; }, [&] { return static_cast<int>(vector.size()); });
    CHECK(rows_of(numbered(1)).size() == 1);
    CHECK((vector.size() == 2 && vector[1] == std::tuple(2, 1)));
}

TEST_CASE("an empty type takes no memory and keeps its place in the row", "[soa_vector]") {
    SoaVector<Tag0, int> vector;
    vector.push_back(Tag0(), 5);
    auto [tag, number] = vector[0];
    static_assert(std::is_same_v<decltype(tag), Tag0> && std::is_same_v<decltype(number), int&>);
    number = 6;
    CHECK((vector[0].get<1>() == 6 && vector[0] == std::tuple(Tag0(), 6)));
    BasicSoaVector<Members<Tag0, test::Empty>, AllocBy<test::StatefulAllocator<int>>> tags(test::StatefulAllocator<int>(1));
    const auto before = test::Ledger::allocations();
    tags.resize(1000);
    tags.erase(5);
    tags.sort<0>();
    tags.insert(7, Tag0(), test::Empty());
    tags.swap_erase(0);
    tags.swap_rows(1, 2);
    CHECK((tags.size() == 999 && test::Ledger::allocations() == before));
}

TEST_CASE("columns start on a cache line and are zero behind the last row", "[soa_vector]") {
    struct alignas(4096) Wide {
        unsigned char bytes[4096];
    };
    struct Three {
        unsigned char bytes[3];
    };
    SoaVector<char, Three, double, Wide> vector;
    const auto zero = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        const auto* const data = vector.padded_data<I>();
        const auto* const bytes = reinterpret_cast<const unsigned char*>(data);
        const std::size_t used = vector.size() * sizeof(*data), end = (used + 63) / 64 * 64;
        if (reinterpret_cast<std::uintptr_t>(data) % 64 != 0 || vector.padded_size<I>() != end / sizeof(*data)) return false;
        return std::all_of(bytes + used, bytes + end, [](unsigned char byte) { return byte == 0; });
    };
    for (int step = 0; step != 200; ++step) {
        if (step % 7 == 6)
            vector.resize(vector.size() / 2);
        else if (step % 3 == 2)
            vector.swap_erase(0);
        else
            for (int i = 0; i != step % 5; ++i) vector.push_back('x', Three{{1, 2, 3}}, 1.0, Wide{{4}});
        REQUIRE((zero(std::integral_constant<std::size_t, 0>()) && zero(std::integral_constant<std::size_t, 1>())));
        REQUIRE((zero(std::integral_constant<std::size_t, 2>()) && zero(std::integral_constant<std::size_t, 3>())));
        REQUIRE(reinterpret_cast<std::uintptr_t>(vector.column<3>().data()) % 4096 == 0);
    }
}

TEST_CASE("rows bind, compare, are assigned through, and standard algorithms sort them", "[soa_vector]") {
    static_assert(std::random_access_iterator<Vector::iterator> && std::random_access_iterator<Vector::const_iterator>);
    static_assert(std::sortable<Vector::iterator> && !std::permutable<Vector::const_iterator>);
    static_assert(std::sortable<SoaVector<test::MoveOnly>::iterator> && std::sortable<SoaVector<Tag0>::iterator>);
    static_assert(std::ranges::random_access_range<decltype(std::declval<Vector&>().rows<int, Tag0>())>);
    static_assert(std::is_convertible_v<Vector::iterator, Vector::const_iterator>);
    Vector vector = numbered(50);
    const Model model = rows_of(vector);
    std::shuffle(vector.begin(), vector.end(), std::mt19937(1));
    CHECK(!std::ranges::is_sorted(vector));
    std::ranges::sort(vector);
    CHECK(same(vector, model));
    std::ranges::reverse(vector);
    std::sort(vector.begin(), vector.end());
    CHECK(same(vector, model));
    std::ranges::sort(vector.rows<1>()); // the others stay
    CHECK((vector[2].get<1>() == "10" && vector[2].get<0>() == 2 && vector[2] < vector[3] && vector[4] != vector[5]));
    vector.front() = vector.back();
    vector[1] = std::tuple(77, std::string("x"), Tag0(), false);
    swap(vector[1], vector[2]);
    CHECK((vector.front() == vector.back() && vector[2].get<0>() == 77 && vector.begin()[2].get<1>() == "x"));
    auto it = vector.begin();
    CHECK(
        (it++ == vector.begin() && it-- == vector.begin() + 1 && (1 + it).row() == 1 && (it + 3 - 2) - it == 1 && it < it + 1));
    CHECK(((it += 4) -= 4) == vector.cbegin());
}

TEST_CASE("rows of what can only be moved, is large, or has no default", "[soa_vector]") {
    const test::NothingLeaks objects;
    SoaVector<test::MoveOnly, test::Big, test::OverAligned<4096>, test::Empty> vector;
    for (int i = 0; i != 40; ++i) vector.push_back(i, i, i, i);
    vector.insert(3, 100, 100, 100, 100);
    vector.erase(0);
    vector.swap_erase(5);
    vector.sort<0>([](const auto& a, const auto& b) { return b < a; });
    vector.erase_if([](const auto& row) { return row.template get<1>().value() % 2 == 0; });
    CHECK((vector.size() == 19 && vector[0].get<0>().value() == 39 && vector[0].get<2>().value() == 39));
    auto moved = std::move(vector);
    CHECK((moved.back().get<1>().value() == 1 && moved.check_invariants()));
    CHECK(vector.empty()); // NOLINT(bugprone-use-after-move)
    struct NoDefault {
        explicit NoDefault(int) {}
    };
    SoaVector<NoDefault> rows;
    rows.push_back(3);
    CHECK(rows.size() == 1);
}

TEST_CASE("blocks have the rows in order, whole ones with a fixed size", "[soa_vector]") {
    for (const std::size_t rows : {0u, 1u, 15u, 16u, 17u, 100u}) {
        SoaVector<int, Tag0, float> vector;
        vector.resize(rows);
        std::size_t seen = 0, whole = 0;
        vector.for_each_block<16>([&](auto numbers, auto floats) {
            whole += decltype(numbers)::extent == 16;
            for (int& number : numbers) number = static_cast<int>(seen++);
            CHECK(numbers.size() == floats.size());
        });
        CHECK((seen == rows && whole == rows / 16));
        for (std::size_t i = 0; i != rows; ++i) REQUIRE(vector[i].get<0>() == static_cast<int>(i));
    }
}

TEST_CASE("a snapshot of rows is restored exactly, and bytes it would not have are refused", "[soa_vector]") {
    const Vector vector = numbered(20);
    auto bytes = vector.snapshot();
    Vector other = numbered(3);
    other.restore(bytes);
    CHECK((other == vector && other.snapshot() == bytes && other.check_invariants()));
    for (std::size_t size = 0; size != bytes.size(); ++size)
        REQUIRE(other.try_restore(std::span<const std::byte>(bytes).first(size)) != nullptr);
    for (std::size_t i = 0; i != bytes.size(); ++i) { // any other byte is refused, or is the snapshot of what was read
        auto changed = bytes;
        changed[i] ^= std::byte{0x80};
        changed = test::reseal(changed);
        Vector read;
        if (read.try_restore(changed) == nullptr) REQUIRE(read.snapshot() == changed);
    }
    bytes = test::forged(bytes, [](auto& state) { state.push_back(std::byte{}); });
    CHECK_THROWS_AS(other.restore(bytes), std::invalid_argument);
    CHECK(other == vector);
    SoaVector<Tag0> tags;
    tags.resize(9);
    auto few = tags.snapshot();
    SoaVector<Tag0> same_tags;
    same_tags.restore(few);
    CHECK(same_tags.size() == 9);
    few = test::forged(few, [](auto& state) { state.back() = std::byte{1}; });
    CHECK(same_tags.try_restore(few) != nullptr);
    few = test::forged(few, [](auto& state) { state[state.size() - 10] = std::byte{0x7F}; }); // rows that the bytes do not back
    CHECK(same_tags.try_restore(few) != nullptr);
    CHECK((SoaVector<short>().try_restore(tags.snapshot()) != nullptr && same_tags.size() == 9));
}

TEST_CASE("rows take memory from a memory resource, and pass it on to their members", "[soa_vector]") {
    std::pmr::monotonic_buffer_resource memory;
    pmr::SoaVector<std::pmr::string, int> vector(&memory);
    vector.push_back("a string that is too long to be kept inside", 1);
    CHECK(vector[0].get<0>().get_allocator().resource() == &memory);
}
