// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseSet: membership beside a model, versions, hostile ids, order, the walk, observers.
#include "../support/catch.hpp"
#include "../support/thrown.hpp"

#include "support/snapshots.hpp"

#include <slotwise/sparse/sparse_set.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

using namespace slotwise;

namespace {

enum class Small : std::uint8_t {};
using Wide = Handle<struct WideTag>;
using Narrow = Handle<struct NarrowTag, HandleLayout{20, 12, 0}>;
using Tiny = Handle<struct TinyTag, HandleLayout{6, 4, 6}>;

/// Some id, of few indices and versions, so that ids meet; some of it hostile.
template <class Id>
Id some_id(std::mt19937& random) {
    if constexpr (requires { typename Id::bits_type; }) {
        if (random() % 8 == 0)
            return Id::from_bits(static_cast<typename Id::bits_type>(random() * std::uint64_t{0x1'0000'0001}));
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        return Id(below(50) + below(2) * (Id::max_index - 50), below(6), below(2) & Id::layout.user_bits);
    } else
        return static_cast<Id>(random() % 2 != 0 ? random() : random() % 50);
}

/// Keeps the ids of the rows, as it is notified.
template <class Set>
struct Mirror final : RowObserver {
    explicit Mirror(const Set& set) : of(&set) {}
    void on_insert(std::size_t row) override {
        REQUIRE(row == ids.size());
        ids.push_back(of->id_at(row));
    }
    void on_erase(std::size_t row) noexcept override {
        CHECK(ids[row] == of->id_at(row)); // still intact
        ids[row] = ids.back();
        ids.pop_back();
    }
    void on_swap(std::size_t a, std::size_t b) noexcept override { std::swap(ids[a], ids[b]); }
    void on_clear() noexcept override { ids.clear(); }
    void on_move(const void*, void* to) noexcept override { of = static_cast<const Set*>(to); }
    bool agrees(const Set& set) const { return std::equal(ids.begin(), ids.end(), set.ids().begin(), set.ids().end()); }
    const Set* of;
    std::vector<typename Set::value_type> ids{};
};

} // namespace

TEMPLATE_TEST_CASE("a SparseSet agrees with a model after each operation, whatever the ids", "[sparse]", std::uint8_t,
                   std::uint16_t, std::uint32_t, Small, Wide, Narrow, Tiny) {
    using Id = TestType;
    using Traits = IdTraits<Id>;
    SparseSet<Id> set;
    Mirror<SparseSet<Id>> mirror(set);
    const RowToken token = set.attach(mirror);
    std::map<slot_t, std::uint32_t> model; // the version by index
    std::mt19937 random(1);
    for (int step = 0; step != 3000; ++step) {
        const Id id = some_id<Id>(random);
        const slot_t index = Traits::index(id);
        const auto there = model.find(index);
        const bool member = there != model.end() && there->second == Traits::version(id);
        REQUIRE(set.contains(id) == member);
        switch (random() % 8) {
        case 0:
            REQUIRE(set.erase(id) == member);
            if (member) model.erase(index);
            break;
        case 1:
            if (!set.empty()) {
                const Id gone = *set.begin();
                set.erase(set.begin()), model.erase(Traits::index(gone));
            }
            break;
        case 2:
            if (!set.empty()) set.swap_rows(random() % set.size(), random() % set.size());
            break;
        case 3:
            if (random() % 64 == 0) set.clear(), model.clear();
            if (random() % 64 == 0) set.shrink_to_fit();
            if (random() % 32 == 0) set.sort();
            break;
        default: {
            const bool fits = Traits::can_live(id) && (there == model.end() || there->second < Traits::version(id));
            const auto [it, inserted] = set.insert(id);
            REQUIRE(inserted == fits);
            REQUIRE((it != set.end()) == (fits || member));
            if (fits) model[index] = Traits::version(id);
            if (it != set.end()) REQUIRE((set.row_of(id) == it.row() && set.find(id) == it));
        }
        }
        REQUIRE(set.check_invariants());
        REQUIRE(set.size() == model.size());
        REQUIRE(mirror.agrees(set));
    }
    for (const auto& [index, version] : model)
        CHECK(std::any_of(set.begin(), set.end(),
                          [&](Id id) { return Traits::index(id) == index && Traits::version(id) == version; }));
}

TEST_CASE("a SparseSet replaces an older version of an id, refuses staler ones, and says so", "[sparse]") {
    SparseSet<Wide> set{Wide(1, 3), Wide(2, 1)};
    CHECK_FALSE(set.insert(Wide(1, 1)).inserted);
    CHECK(set.insert(Wide(1, 1)).it == set.end());
    CHECK_FALSE(set.insert(Wide(1, 4)).inserted); // no version of a live element
    CHECK_FALSE(set.insert(Wide()).inserted);
    const auto [it, inserted] = set.insert(Wide(1, 5));
    CHECK((inserted && it.row() == 1 && *it == Wide(1, 5)));
    CHECK_FALSE(set.contains(Wide(1, 3)));
    CHECK((set.row_of(Wide(1, 3)) == set.no_row && set.count(Wide(2, 1)) == 1));
    CHECK(set.size() == 2);
}

TEST_CASE("the user bits of a handle are no part of an id in a SparseSet", "[sparse]") {
    SparseSet<Tiny> set{Tiny(1, 1, 5)};
    CHECK(set.contains(Tiny(1, 1, 7)));
    CHECK(set.id_at(0) == Tiny(1, 1));
}

TEST_CASE("the walk over a SparseSet allows erasing the current id and ids passed, and inserting", "[sparse]") {
    SparseSet<std::uint32_t> set;
    for (std::uint32_t i = 0; i != 100; ++i) set.insert(i);
    std::uint32_t visits = 0;
    CHECK(set.ids().size() == 100);
    for (auto it = set.begin(); it != set.end(); ++visits) {
        const std::uint32_t id = *it;
        set.insert(1000 + id);
        if (id + 1 < 100) set.erase(id + 1); // passed
        it = id % 2 == 0 ? set.erase(it) : std::next(it);
    }
    CHECK(visits == 100);
    for (std::uint32_t i = 0; i != 100; ++i) CHECK((set.contains(1000 + i) && !set.contains(i)));
    visits = 0;
    set.for_each([&](std::uint32_t id) { visits += set.erase(id); });
    CHECK((visits == 100 && set.empty()));
}

TEST_CASE("sort orders the rows of a SparseSet, sort_like brings shared ids to the front", "[sparse]") {
    SparseSet<std::uint32_t> set{5, 1, 4, 2, 3}, like{9, 2, 8, 5, 1};
    set.sort();
    CHECK(std::is_sorted(set.ids().begin(), set.ids().end()));
    set.sort(std::greater<>{});
    CHECK(std::vector(set.ids().begin(), set.ids().end()) == std::vector<std::uint32_t>{5, 4, 3, 2, 1});
    set.sort_like(like);
    CHECK(std::vector(set.ids().begin(), set.ids().begin() + 3) == std::vector<std::uint32_t>{2, 5, 1});
    CHECK((set.size() == 5 && set.check_invariants()));
    CHECK(set.erase_if([](std::uint32_t id) { return id % 2 == 1; }) == 3);
    CHECK(erase_if(set, [](std::uint32_t id) { return id == 2; }) == 1);
    CHECK(set == SparseSet<std::uint32_t>{4});
}

TEST_CASE("copies of a SparseSet have no observers; moves and swaps take them along", "[sparse]") {
    using Set = SparseSet<std::uint32_t>;
    Set a{1, 2, 3};
    Mirror<Set> mirror(a);
    const RowToken token = a.attach(mirror);
    Set copy = a;
    copy.insert(4);
    CHECK((copy != a && mirror.agrees(a)));
    a = copy;
    CHECK((mirror.agrees(a) && a.size() == 4));
    Set moved = std::move(a);
    moved.insert(5);
    CHECK((mirror.agrees(moved) && mirror.of == &moved && a.empty()));
    a.insert(7);
    swap(a, moved);
    a.erase(1);
    CHECK((mirror.agrees(a) && moved == Set{7}));
    moved = std::move(a);
    CHECK((mirror.agrees(moved) && token.attached()));
    Mirror<Set> late(moved);
    {
        const RowToken second = moved.attach(late);
        CHECK(late.agrees(moved));
    }
    moved = Set{8};
    CHECK((mirror.ids.empty() && !token.attached()));
}

TEST_CASE("a snapshot of a SparseSet restores the order of rows, and wrong bytes are refused", "[sparse]") {
    using Set = SparseSet<Wide>;
    Set set{Wide(9, 1), Wide(70'000, 3), Wide(4, 5)}, other{Wide(1, 1)};
    Mirror<Set> mirror(other);
    const RowToken token = other.attach(mirror);
    const auto bytes = set.snapshot();
    other.restore(bytes);
    CHECK((other == set && other.snapshot() == bytes && mirror.agrees(other)));
    const Set before = other;
    for (std::size_t i = 0; i != bytes.size(); ++i) {
        auto wrong = bytes;
        wrong[i] ^= std::byte{1};
        wrong = test::reseal(wrong);
        if (other.try_restore(wrong) == nullptr) CHECK(other.snapshot() == wrong);
        other.restore(bytes);
        CHECK(other.try_restore(std::span(bytes).first(i)) != nullptr);
        REQUIRE((other == before && other.check_invariants()));
    }
    const auto longer = test::forged(bytes, [](auto& state) { state.push_back({}); });
    CHECK(std::string(other.try_restore(longer)) == "snapshot: there are more bytes than the state needs");
    auto twice = test::forged(bytes, [](auto& state) { std::copy_n(state.end() - 8, 8, state.end() - 16); });
    CHECK(std::string(other.try_restore(twice)) == "snapshot: two ids have one index");
    twice = test::forged(twice, [](auto& state) {
        state[state.size() - 4] = std::byte{7};
    }); // of another version: no entry replaces another one
    CHECK(std::string(other.try_restore(twice)) == "snapshot: two ids have one index");
    CHECK(SparseSet<std::uint32_t>().try_restore(bytes) != nullptr);
    CHECK(test::thrown_text<std::invalid_argument>([&] { other.restore(longer); }) == other.try_restore(longer));
}

TEST_CASE("a SparseSet refuses more rows than ids have indices", "[sparse]") {
    SparseSet<std::uint8_t> set;
    CHECK(test::thrown_text<std::length_error>([&] { set.reserve(257); }).find("max_index") != std::string::npos);
    set.reserve(256);
    CHECK(set.capacity() == 256);
    for (unsigned id = 0; id != 256; ++id) set.insert(static_cast<std::uint8_t>(id));
    CHECK((set.size() == 256 && set.contains(255) && set.check_invariants()));
    while (set.size() != 3) set.erase(*set.begin());
    set.shrink_to_fit();
    CHECK((set.capacity() == 3 && set.ids().size() == 3 && set.ids()[0] == 0));
}
