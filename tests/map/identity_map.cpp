// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/private_access.hpp"

#include <slotwise/map/identity_map.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory_resource>
#include <slotwise/map/pmr.hpp>
#include <string>
#include <string_view>

namespace {

using namespace test;

using H = SlotMap<int>::handle_type;

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

} // namespace

TEST_CASE("An IdentityMap relates ids and handles one to one", "[map]") {
    IdentityMap<std::string, H> names;
    REQUIRE(names.insert("a", H(1, 1)));
    CHECK_FALSE(names.insert("a", H(2, 1)));
    CHECK_FALSE(names.insert("b", H(1, 1)));
    REQUIRE(names.insert("b", H(2, 1)));
    CHECK(names.size() == 2);
    CHECK(names.handle_of(std::string("a")) == H(1, 1));
    CHECK(names.handle_of(std::string("c")).is_null());
    REQUIRE(names.id_of(H(2, 1)) != nullptr);
    CHECK(*names.id_of(H(2, 1)) == "b");
    CHECK(names.id_of(H(2, 3)) == nullptr);
    CHECK(names.id_of(H()) == nullptr);
    CHECK(names.contains(std::string("b")));
    CHECK(names.contains(H(2, 1)));
    CHECK(names.check_invariants());

    CHECK(names.erase(std::string("a")));
    CHECK_FALSE(names.contains(H(1, 1)));
    CHECK(names.erase(H(2, 1)));
    CHECK_FALSE(names.contains(std::string("b")));
    CHECK_FALSE(names.erase(H(2, 1)));
    CHECK_FALSE(names.erase(std::string("b")));
    CHECK(names.empty());
    CHECK(names.check_invariants());
}

TEST_CASE("An IdentityMap refuses null handles, handles never live and older ones, and replaces older ones", "[map]") {
    IdentityMap<std::string, H> names;
    CHECK_FALSE(names.insert("null", H()));
    CHECK_FALSE(names.insert("even", H(1, 2)));
    REQUIRE(names.insert("old", H(1, 3)));
    CHECK_FALSE(names.insert("older", H(1, 1)));
    CHECK(names.check_invariants());
    REQUIRE(names.insert("new", H(1, 5)));
    CHECK(names.size() == 1);
    CHECK_FALSE(names.contains(std::string("old")));
    CHECK(names.handle_of(std::string("new")) == H(1, 5));
    CHECK(names.check_invariants());
}

TEST_CASE("An attached IdentityMap forgets an element's id when it goes, also after moves", "[map]") {
    SlotMap<int> map;
    IdentityMap<std::string, H> names;
    const H a = map.insert(1), b = map.insert(2), c = map.insert(3);
    names.attach_to(map);
    names.insert("a", a);
    names.insert("b", b);
    names.insert("c", c);
    map.erase(a);
    CHECK_FALSE(names.contains(std::string("a")));
    CHECK(names.check_invariants());
    IdentityMap<std::string, H> moved(std::move(names));
    SlotMap<int> home(std::move(map));
    home.erase(b);
    CHECK_FALSE(moved.contains(std::string("b")));
    CHECK(moved.contains(c));
    CHECK(moved.check_invariants());
    CHECK(names.empty());
    CHECK(names.check_invariants());
    IdentityMap<std::string, H> copy(moved);
    home.clear();
    CHECK(moved.empty());
    CHECK(copy.handle_of(std::string("c")) == c); // a copy is unattached
    CHECK(copy.check_invariants());
    copy = moved;
    CHECK(copy.empty());
}

TEST_CASE("An IdentityMap with transparent hash looks up without making an id", "[map]") {
    IdentityMap<std::string, H, HashBy<TextHash>> names;
    names.insert("a long enough name to live on the heap", H(1, 1));
    CHECK(names.handle_of(std::string_view("a long enough name to live on the heap")) == H(1, 1));
    CHECK(names.contains(std::string_view("a long enough name to live on the heap")));
}

TEST_CASE("The pmr aliases draw all memory from their resource", "[map]") {
    std::pmr::monotonic_buffer_resource arena(1 << 16);
    slotwise::pmr::SlotMap<int> map(&arena);
    slotwise::pmr::DenseSlotMap<int> dense(&arena);
    slotwise::pmr::SoaSlotMap<int, double> rows(&arena);
    const auto a = map.insert(1);
    const auto b = dense.insert(2);
    const auto c = rows.insert(3, 4.0);
    CHECK(map[a] == 1);
    CHECK(dense[b] == 2);
    CHECK(rows[c].get<1>() == 4.0);
    CHECK(map.get_allocator().resource() == &arena);
}

namespace {

/// Ids whose hashes agree in the low 40 bits.
struct AgreeingHash {
    using is_avalanching = void;
    std::uint64_t operator()(std::uint64_t id) const noexcept { return id << 40 | 0x12'3456'789Au; }
};
using Flooded = IdentityMap<std::uint64_t, SlotMap<int>::handle_type, HashBy<AgreeingHash>>;
TEST_PRIVATE(FloodedBuckets, Flooded, buckets_)

/// Pairs in the fullest bucket.
std::size_t fullest(Flooded& ids) {
    std::size_t most = 0;
    const auto& buckets = test::reach<FloodedBuckets>(ids);
    for (std::size_t b = 0; b != buckets.size(); ++b) {
        std::size_t length = 0;
        for (const auto* node = buckets[b]; node != nullptr; node = node->next) ++length;
        most = std::max(most, length);
    }
    return most;
}

} // namespace

TEST_CASE("ids whose hashes were computed to collide share a bucket no longer than chance has it", "[flood]") {
    constexpr std::uint64_t count = sizeof(std::size_t) == 8 ? 5'000 : 1'000;
    Flooded ids;
    for (std::uint64_t id = 0; id != count; ++id) ids.insert(id, Flooded::handle_type(static_cast<slot_t>(id), 1));
    CHECK(fullest(ids) <= 33);
    Flooded copy(ids), moved(std::move(copy));
    CHECK(fullest(moved) <= 33);
    CHECK((ids.check_invariants() && moved.check_invariants()));
    for (std::uint64_t id = 0; id != count; ++id) {
        REQUIRE(moved.handle_of(id).index() == id);
        REQUIRE(ids.contains(id));
        if (id % 2 == 0) REQUIRE(ids.erase(id));
    }
    swap(ids, moved);
    CHECK((ids.size() == count && moved.size() == count / 2));
    CHECK((ids.check_invariants() && moved.check_invariants()));
    ids.clear();
    CHECK((ids.insert(1, Flooded::handle_type(1, 1)) && ids.contains(std::uint64_t{1}) && ids.check_invariants()));
}

TEST_CASE("an identity map is a range of pairs of handle and id", "[identity_map]") {
    SlotMap<int> elements;
    const auto a = elements.insert(1);
    IdentityMap<std::string, SlotMap<int>::handle_type> ids;
    ids.insert("a", a);
    for (const auto [handle, id] : ids) CHECK((handle == a && id == "a"));
    CHECK(std::ranges::distance(ids) == 1);
}
