// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/private_access.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/identity_map.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory_resource>
#include <slotwise/map/pmr.hpp>
#include <stdexcept>
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
TEST_PRIVATE(FloodedIndex, Flooded, index_)
using IndexOfFlooded = reached_t<FloodedIndex, Flooded>;
TEST_PRIVATE(FloodedProbes, IndexOfFlooded, probe_stats_)

/// Groups that the longest search passes.
std::size_t longest(Flooded& ids) { return reach<FloodedProbes>(reach<FloodedIndex>(ids)).longest; }

} // namespace

TEST_CASE("ids whose hashes were computed to collide pass no more groups than chance has it", "[flood]") {
    constexpr std::uint64_t count = sizeof(std::size_t) == 8 ? 5'000 : 1'000;
    Flooded ids;
    for (std::uint64_t id = 0; id != count; ++id) ids.insert(id, Flooded::handle_type(static_cast<slot_t>(id), 1));
    CHECK(longest(ids) <= 48);
    Flooded copy(ids), moved(std::move(copy));
    CHECK(longest(moved) <= 48);
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

TEST_CASE("an identity map takes memory for many pairs at once, and frees it when it is cleared", "[identity_map]") {
    EveryByteReturned bytes;
    using Ids = IdentityMap<PublicId, H, AllocBy<StatefulAllocator<std::byte>>>;
    Ids ids{StatefulAllocator<std::byte>(1)};
    const auto fill = [&] {
        for (slot_t slot = 0; slot != 10'000; ++slot) REQUIRE(ids.insert(PublicId{slot, 7}, H(slot, 1)));
    };
    const std::size_t before = Ledger::allocations();
    fill();
    CHECK(Ledger::allocations() - before < 10'000 / 16);
    CHECK(bytes.live_bytes() < 10'000 * 80); // 32 of a node, 8 by handle, up to 18 of the index, and what is not used yet
    ids.clear();
    CHECK(bytes.live_bytes() == 0);
    ids.reserve(10'000);
    for (slot_t slot = 0; slot < 10'000; slot += 64) ids.insert(PublicId{slot, 8}, H(slot, 3)); // its pages by handle
    const std::size_t reserved = Ledger::allocations();
    for (slot_t slot = 0; slot != 10'000; ++slot)
        if (slot % 64 != 0) ids.insert(PublicId{slot, 8}, H(slot, 3));
    CHECK(Ledger::allocations() == reserved);
    for (slot_t slot = 0; slot != 10'000; ++slot) { // a node that was freed is used again
        ids.erase(H(slot, 3));
        ids.insert(PublicId{slot, 9}, H(slot, 5));
    }
    CHECK(Ledger::allocations() == reserved);
    CHECK(ids.check_invariants());
}

TEST_CASE("ids stay where they are while an identity map grows, shrinks and loses others", "[identity_map]") {
    IdentityMap<std::string, H> ids;
    ids.insert("first", H(0, 1));
    const std::string* const first = ids.id_of(H(0, 1));
    for (slot_t slot = 1; slot != 5'000; ++slot) ids.insert(std::to_string(slot), H(slot, 1));
    for (slot_t slot = 1; slot != 5'000; ++slot) ids.erase(H(slot, 1));
    ids.shrink_to_fit();
    CHECK((ids.id_of(H(0, 1)) == first && *first == "first" && ids.check_invariants()));
    CHECK(ids.handle_of(std::string("first")) == H(0, 1));
    ids.erase(H(0, 1));
    ids.shrink_to_fit();
    CHECK((ids.empty() && ids.check_invariants()));
    CHECK(ids.insert("again", H(0, 3)));
}

namespace {
using Tagged = Handle<struct TaggedElement, HandleLayout{.index_bits = 20, .version_bits = 8, .user_bits = 4}>;
IdentityMap<std::string, Tagged> three_names() {
    IdentityMap<std::string, Tagged> names;
    names.insert("far", Tagged(900'000, 3, 5));
    names.insert("near", Tagged(1, 7));
    names.insert("", Tagged(40, 1));
    return names;
}
} // namespace

// handles() gave the keys of the entries, which have no user bits.
TEST_CASE("each walk of an identity map gives handles as they were inserted, user bits included", "[identity_map]") {
    const auto names = three_names();
    const std::vector<Tagged> inserted{Tagged(1, 7), Tagged(40, 1), Tagged(900'000, 3, 5)};
    CHECK(std::ranges::equal(names.handles(), inserted));
    std::vector<Tagged> seen;
    for (const auto [handle, id] : names.items()) seen.push_back(handle);
    CHECK(seen == inserted);
    seen.clear();
    names.for_each([&](const std::string&, Tagged handle) { seen.push_back(handle); });
    CHECK(seen == inserted);
    CHECK((inserted.back().user_bits() == 5 && names.handles().begin() != names.handles().end()));
}

TEST_CASE("a snapshot of an identity map restores its pairs, user bits included, and keeps the attachment", "[identity_map]") {
    const auto names = three_names();
    IdentityMap<std::string, Tagged> restored;
    restored.insert("gone", Tagged(2, 1));
    restored.restore(names.snapshot());
    CHECK(restored == names);
    CHECK(restored.check_invariants());
    CHECK(restored.snapshot() == names.snapshot());
    CHECK(restored.handle_of(std::string("far")).user_bits() == 5);
    CHECK_FALSE(restored.contains(std::string("gone")));
    restored.erase(Tagged(40, 1));
    CHECK_FALSE(restored == names);
    restored.insert("", Tagged(40, 1, 1)); // other user bits
    CHECK_FALSE(restored == names);

    SlotMap<int> map;
    IdentityMap<int, H> ids;
    ids.attach_to(map);
    const H a = map.insert(1), b = map.insert(2);
    ids.insert(10, a);
    const auto bytes = ids.snapshot();
    ids.insert(20, b);
    ids.restore(bytes);
    CHECK((ids.size() == 1 && ids.attached()));
    map.erase(a);
    CHECK(ids.empty());
    ids.restore(bytes); // its element is gone
    CHECK(ids.contains(a));
    ids.attach_to(map);
    CHECK(ids.empty());
}

TEST_CASE("an identity map refuses bytes that are no snapshot of it, and says why", "[identity_map]") {
    auto names = three_names();
    const auto before = names.snapshot();
    using Bytes = std::vector<std::byte>;
    const auto error = [&](const Bytes& bytes) {
        const char* const text = names.try_restore(bytes);
        CHECK(names.snapshot() == before);
        CHECK(thrown_text<std::invalid_argument>([&] { names.restore(bytes); }) == (text == nullptr ? "" : text));
        return std::string(text == nullptr ? "" : text);
    };
    const auto with = [&](std::size_t at, int value) {
        return test::forged(before, [&](Bytes& state) { state[at] = static_cast<std::byte>(value); });
    };
    const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    CHECK(error(before).empty());
    CHECK(has(error({}), "end too early"));
    CHECK(has(error(SlotMap<int>().snapshot()), "no snapshot of an IdentityMap"));
    CHECK(has(error(with(4, 9)), "byte order"));
    CHECK(has(error(with(5, 21)), "handle layout"));
    CHECK(has(error(IdentityMap<int, Tagged>().snapshot()), "its ids are int32"));
    CHECK(has(error(with(12, 200)), "length"));
    const std::size_t first = 4 + 4 + 4 + 8;             // kind, byte order and layout, size of an id, count
    CHECK(has(error(with(first + 2, 0)), "never live")); // 1v7 becomes 1v0
    CHECK(has(error(with(first, 41)), "slot of one before"));
    CHECK(has(error(with(first, 40)), "slot of one before"));
    Bytes bytes = test::forged(before, [](Bytes& state) { state.push_back(std::byte{0}); });
    CHECK(has(error(bytes), "more bytes"));
    bytes.resize(before.size() - 1);
    CHECK_FALSE(error(bytes).empty());
    IdentityMap<char, H> twice;
    twice.insert('a', H(1, 1));
    twice.insert('b', H(2, 1));
    bytes = test::forged(twice.snapshot(), [](Bytes& state) { state.back() = std::byte{'a'}; });
    CHECK(has(twice.try_restore(bytes), "an id occurs twice"));
    CHECK((twice.contains('b') && twice.check_invariants()));
}

TEST_CASE("a restore of an identity map that throws has no effect", "[identity_map][throws]") {
    EveryByteReturned bytes;
    struct SpendingHash {
        std::size_t operator()(int id) const {
            Budget::spend();
            return static_cast<std::size_t>(id);
        }
    };
    using Ids = IdentityMap<int, H, HashBy<SpendingHash>, AllocBy<ThrowingAllocator<std::byte>>>;
    std::vector<std::byte> saved;
    {
        Ids ids;
        for (int i = 0; i != 30; ++i) ids.insert(i, H(static_cast<slot_t>(i) * 70, 1));
        saved = ids.snapshot();
    }
    for (const bool by_try : {false, true}) {
        const auto failures = fail_at_every_step(swept<Ids>(by_try ? "try_restore" : "restore"), [&](auto&& attempt) {
            Ids ids;
            ids.insert(77, H(5, 1));
            const bool threw = attempt([&] {
                if (by_try)
                    static_cast<void>(ids.try_restore(saved));
                else
                    ids.restore(saved);
            });
            REQUIRE(ids.size() == (threw ? 1 : 30));
            REQUIRE(ids.contains(threw ? H(5, 1) : H(70, 1)));
            REQUIRE(ids.check_invariants());
        });
        CHECK(failures > 30);
    }
}
