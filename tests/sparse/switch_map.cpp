// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <slotwise/sparse/switch_map.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Unit;
using E = Handle<Unit>;
using Ids = std::vector<E>;
enum class Mode : std::uint8_t { stun, walk, run };
using Modes = SwitchMap<E, Mode>;
using Names = SwitchMap<std::uint32_t, std::string>;

template <class Id>
std::vector<Id> list(std::span<const Id> ids) {
    return {ids.begin(), ids.end()};
}
template <class Map>
auto sorted_values(const Map& map) {
    std::vector<typename Map::value_type> values(map.values().begin(), map.values().end());
    std::sort(values.begin(), values.end());
    return values;
}

/// Every value in one place of a small table, and in one of the large numbers.
struct OneHash {
    std::size_t operator()(int) const noexcept { return 1; }
};

} // namespace

template <>
struct slotwise::CodecFor<Mode> : slotwise::EnumCodec<Mode::stun, Mode::run> {};

TEST_CASE("SwitchMap: an id has one value, which replaces the one before", "[sparse]") {
    Modes modes;
    CHECK(modes.set(E(1, 1), Mode::walk));
    CHECK(modes.set(E(2, 1), Mode::walk));
    CHECK(modes.set(E(3, 1), Mode::run));
    CHECK(modes.at(E(2, 1)) == Mode::walk);
    CHECK(list(modes.of(Mode::walk)) == Ids{E(1, 1), E(2, 1)});
    CHECK(modes.set(E(1, 1), Mode::run));
    CHECK(list(modes.of(Mode::walk)) == Ids{E(2, 1)});
    CHECK(list(modes.of(Mode::run)) == Ids{E(3, 1), E(1, 1)});
    CHECK(modes.of(Mode::stun).empty());
    CHECK(modes.size() == 3);
    CHECK(modes.count(Mode::run) == 2);
    CHECK(modes.contains(E(1, 1)));
    CHECK(modes.check_invariants());
    CHECK(modes.erase(E(3, 1)));
    CHECK_FALSE(modes.erase(E(3, 1)));
    CHECK(modes.get(E(3, 1)) == nullptr);
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(modes.at(E(3, 1))); }).find("SwitchMap at(id)") == 0);
    CHECK(modes.check_invariants());
    modes.clear();
    CHECK(modes.empty());
    CHECK(modes.check_invariants());
    CHECK(modes.set(E(3, 1), Mode::run));
}

TEST_CASE("SwitchMap: setting the value that an id has is without effect", "[sparse]") {
    Modes modes;
    modes.set(E(1, 1), Mode::walk);
    modes.set(E(2, 1), Mode::walk);
    const auto before = modes.snapshot();
    CHECK_FALSE(modes.set(E(1, 1), Mode::walk));
    CHECK(modes.snapshot() == before);
}

TEST_CASE("SwitchMap: an id that is set after the last one of its value has gone is the only one there", "[sparse]") {
    Modes modes;
    modes.set(E(1, 1), Mode::walk);
    modes.set(E(2, 1), Mode::walk);
    modes.set(E(1, 1), Mode::run);
    modes.set(E(2, 1), Mode::run); // walk is empty now
    CHECK_FALSE(modes.contains_value(Mode::walk));
    modes.set(E(7, 1), Mode::walk);
    CHECK(list(modes.of(Mode::walk)) == Ids{E(7, 1)});
    CHECK(modes.check_invariants());
}

TEST_CASE("SwitchMap: values() are the values that have ids, without gaps", "[sparse]") {
    Names names;
    for (std::uint32_t id = 0; id != 20; ++id) names.set(id, std::to_string(id % 5));
    CHECK(sorted_values(names) == std::vector<std::string>{"0", "1", "2", "3", "4"});
    names.erase_value("2");
    for (std::uint32_t id = 0; id < 20; id += 5) names.erase(id);
    CHECK(sorted_values(names) == std::vector<std::string>{"1", "3", "4"});
    CHECK(names.values().size() == 3);
    std::size_t ids = 0;
    for (auto [value, of_value] : names) {
        CHECK(list(of_value) == list(names.of(value)));
        ids += of_value.size();
    }
    CHECK(ids == names.size());
    std::vector<std::uint32_t> all(names.ids().begin(), names.ids().end()), expected;
    for (std::uint32_t id = 0; id != 20; ++id)
        if (id % 5 != 0 && id % 5 != 2) expected.push_back(id);
    std::sort(all.begin(), all.end());
    CHECK(all == expected);
    for (auto it = names.ids().begin(); it != names.ids().end(); ++it) CHECK(it.value() == *names.get(*it));
    CHECK(Names().ids().begin() == Names().ids().end());
}

TEST_CASE("SwitchMap: erase_value removes all ids of the value and frees it", "[sparse]") {
    const EveryByteReturned scope;
    SwitchMap<E, int, AllocBy<StatefulAllocator<std::byte>>> targets;
    for (slot_t i = 0; i != 300; ++i) targets.set(E(i, 1), i % 3 == 0 ? 1'000'000 : 2);
    CHECK(targets.erase_value(1'000'000) == 100);
    CHECK(targets.erase_value(1'000'000) == 0);
    CHECK(targets.size() == 200);
    CHECK(targets.check_invariants());
    targets.erase_value(2);
    targets.shrink_to_fit();
    CHECK(targets.empty());
    CHECK(scope.live_bytes() < 1500); // a few bookkeeping cells of values, no page and no ids
    targets.clear();
    CHECK(scope.live_bytes() == 0);
    targets.set(E(5, 1), 2);
    CHECK(targets.check_invariants());
}

TEST_CASE("SwitchMap: ids and values may be erased while they are walked backwards", "[sparse]") {
    Modes modes;
    for (slot_t i = 0; i != 30; ++i) modes.set(E(i, 1), static_cast<Mode>(i % 3));
    for (std::size_t row = modes.count(Mode::walk); row-- != 0;) {
        const E id = modes.of(Mode::walk)[row];
        if (id.index() % 2 == 0)
            modes.erase(id);
        else
            modes.set(id, Mode::run);
    }
    CHECK(modes.of(Mode::walk).empty());
    CHECK(modes.count(Mode::run) == 15);
    std::size_t visited = 0;
    modes.for_each([&](const Mode& value, std::span<const E>) {
        ++visited;
        modes.erase_value(value);
        CHECK(modes.check_invariants());
    });
    CHECK(visited == 2);
    CHECK(modes.empty());
}

TEST_CASE("SwitchMap: what is not of the value before or after stays as it is", "[sparse]") {
    Names names;
    for (std::uint32_t id = 0; id != 40; ++id) names.set(id, std::to_string(id % 4));
    const std::span<const std::uint32_t> twos = names.of("2");
    const std::vector<std::uint32_t> before = list(twos);
    const std::string* const two = names.get(2);
    for (std::uint32_t id = 0; id != 40; id += 4) names.set(id, "1"); // the last id of "0" goes
    for (std::uint32_t id = 3; id < 40; id += 4) names.erase(id);
    CHECK(list(names.of("2")) == before);
    CHECK(names.of("2").data() == twos.data());
    CHECK(names.get(2) == two);
    CHECK(names.count("1") == 20);
    STATIC_REQUIRE(noexcept(names.erase(1)));
}

TEST_CASE("SwitchMap: a newer version of an id takes the place of the older one, a staler one is refused", "[sparse]") {
    Modes modes;
    modes.set(E(4, 3), Mode::walk);
    modes.set(E(5, 1), Mode::walk);
    CHECK_FALSE(modes.set(E(4, 1), Mode::run));
    CHECK_FALSE(modes.set(E(4, 1), Mode::walk));
    CHECK_FALSE(modes.set(E(4, 1), Mode::stun)); // a value that has no ids
    CHECK_FALSE(modes.contains_value(Mode::stun));
    CHECK_FALSE(modes.erase(E(4, 1)));
    CHECK(modes.get(E(4, 1)) == nullptr);
    CHECK(modes.get(E(4, 5)) == nullptr);
    CHECK(modes.set(E(4, 5), Mode::walk)); // the same value, another id
    CHECK(list(modes.of(Mode::walk)) == Ids{E(4, 5), E(5, 1)});
    CHECK(modes.set(E(4, 7), Mode::run));
    CHECK(modes.get(E(4, 5)) == nullptr);
    CHECK(modes.size() == 2);
    CHECK(modes.check_invariants());
}

TEST_CASE("SwitchMap: ids of any bit pattern are looked up and refused safely", "[sparse]") {
    using U = Handle<Unit, HandleLayout{8, 4, 4}>;
    SwitchMap<U, int> map;
    map.set(U(3, 5, 9), 7);
    CHECK(list(map.of(7)) == std::vector<U>{U(3, 5)}); // user bits are ignored
    for (unsigned bits = 0; bits <= 0xFFFF; ++bits) {
        const U id = U::from_bits(static_cast<U::bits_type>(bits));
        const bool same = id.index() == 3 && id.version() == 5;
        REQUIRE(map.contains(id) == same);
        if (id.version() % 2 == 0) REQUIRE_FALSE(map.set(id, 1));
    }
    CHECK(map.size() == 1);
    SwitchMap<std::uint32_t, int> numbers;
    CHECK(numbers.set(0xFFFF'FFFFu, 1));
    CHECK(numbers.set(0, 1));
    CHECK(numbers.contains(0xFFFF'FFFFu));
    CHECK(numbers.check_invariants());
}

TEST_CASE("SwitchMap: an isolated id costs at most 8 KiB, wherever it is", "[sparse]") {
    const EveryByteReturned scope;
    SwitchMap<E, int, AllocBy<StatefulAllocator<std::byte>>> map;
    for (slot_t i = 0; i != 100; ++i) map.set(E((i << 24) + 5, 1), static_cast<int>(i << 20));
    CHECK(scope.live_bytes() <= std::size_t{100} * 8192);
    for (slot_t i = 0; i != 100; ++i) map.erase(E((i << 24) + 5, 1));
    CHECK(scope.live_bytes() <= std::size_t{100} * 8192); // empty pages are kept for other ids
    map.shrink_to_fit();
    CHECK(scope.live_bytes() <= 8192); // what values need, which has not changed
}

TEST_CASE("SwitchMap: values of the map may be arguments", "[sparse]") {
    Names names;
    names.set(1, "a long value that is not stored in the string itself");
    for (std::uint32_t id = 2; id != 60; ++id) {
        names.set(id, *names.get(1));
        names.set(id + 100, std::to_string(id));
    }
    CHECK(names.count(*names.get(1)) == 59);
    names.set(1, *names.get(105));
    CHECK(*names.get(1) == "5");
    CHECK(names.erase_value(*names.get(7)) == 58);
    CHECK(names.check_invariants());
}

TEST_CASE("SwitchMap: values that only move, and values of one hash", "[sparse]") {
    SwitchMap<std::uint16_t, std::unique_ptr<int>> owners;
    auto one = std::make_unique<int>(1);
    const int* const address = one.get();
    CHECK(owners.set(5, std::move(one)));
    CHECK(owners.get(5)->get() == address);
    for (std::uint16_t id = 6; id != 60; ++id) owners.set(id, std::make_unique<int>(id)); // grows
    CHECK(owners.get(5)->get() == address);
    CHECK(owners.check_invariants());

    SwitchMap<std::uint16_t, int, HashBy<OneHash>> map;
    for (std::uint16_t id = 0; id != 40; ++id) map.set(id, id % 20);
    for (int value = 0; value < 20; value += 3) CHECK(map.erase_value(value) == 2);
    CHECK(map.check_invariants());
    for (int value = 0; value != 20; ++value) CHECK(map.count(value) == (value % 3 == 0 ? 0u : 2u));
}

TEST_CASE("SwitchMap: random operations agree with a model after each step, for small and for scattered values", "[sparse]") {
    const auto run = []<class V>(auto&& value_of, V) {
        SwitchMap<E, V> map;
        std::map<slot_t, std::pair<E, V>> model;
        std::mt19937 generator(5);
        const auto random = [&](unsigned below) { return static_cast<slot_t>(generator() % below); };
        for (int step = 0; step != 4000; ++step) {
            const E id(random(40) * (step % 3 == 0 ? 1000u : 1u), random(6));
            const V value = value_of(random(12));
            const auto there = model.find(id.index());
            switch (random(12)) {
            default: {
                const bool refused =
                    id.version() % 2 == 0 || (there != model.end() && there->second.first.version() > id.version());
                const bool same = there != model.end() && there->second == std::pair(id, value);
                REQUIRE(map.set(id, value) == (!refused && !same));
                if (!refused) model.insert_or_assign(id.index(), std::pair(id, value));
                break;
            }
            case 0:
            case 1:
            case 2: {
                const bool lives = there != model.end() && there->second.first == id;
                REQUIRE(map.erase(id) == lives);
                if (lives) model.erase(there);
                break;
            }
            case 3:
                if (step % 8 == 0) {
                    const auto gone = std::erase_if(model, [&](const auto& each) { return each.second.second == value; });
                    REQUIRE(map.erase_value(value) == gone);
                }
                break;
            case 4:
                if (step % 16 == 0) map.shrink_to_fit();
                break;
            case 5:
                if (step % 64 == 0) {
                    SwitchMap<E, V> restored;
                    restored.restore(map.snapshot());
                    REQUIRE(restored == map);
                    REQUIRE(restored.snapshot() == map.snapshot());
                    map = std::move(restored);
                }
                break;
            }
            REQUIRE(map.check_invariants());
            bool agree = map.size() == model.size();
            for (const auto& [index, entry] : model) {
                const V* const got = map.get(entry.first);
                agree = agree && got != nullptr && *got == entry.second;
            }
            REQUIRE(agree);
        }
    };
    run([](unsigned n) { return static_cast<std::uint8_t>(n); }, std::uint8_t{});
    run([](unsigned n) { return n < 6 ? static_cast<int>(n) : static_cast<int>(n << 26); }, 0); // some are small
    run([](unsigned n) { return std::to_string(n); }, std::string());
}

TEST_CASE("SwitchMap: a NaN is one value, whatever its bits", "[sparse]") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    SwitchMap<std::uint32_t, float> map;
    CHECK(map.set(1, nan));
    CHECK(map.set(2, std::bit_cast<float>(0xFFC0'0001u))); // another one
    CHECK(!map.set(1, nan));
    CHECK(map.size() == 2);
    CHECK(map.values().size() == 1);
    CHECK(map.of(nan).size() == 2);
    CHECK(map.check_invariants());
    SwitchMap<std::uint32_t, float> restored;
    restored.restore(map.snapshot());
    CHECK(restored == map);
    CHECK(map.erase(1));
    CHECK(map.set(2, 1.0f));
    CHECK(map.of(1.0f).size() == 1);
    CHECK(map.of(nan).empty());
    CHECK(map.check_invariants());
}

namespace {
struct WithFloat {
    float number;
    bool operator==(const WithFloat&) const = default;
};
struct HashOfFloat {
    std::size_t operator()(const WithFloat&) const { return 1; }
};
} // namespace

TEST_CASE("SwitchMap: a value that does not equal itself is refused", "[sparse][throws]") {
    const WithFloat none{std::numeric_limits<float>::quiet_NaN()};
    SwitchMap<std::uint32_t, WithFloat, HashBy<HashOfFloat>> map;
    CHECK(map.set(1, WithFloat{1}));
    CHECK_THROWS_AS(map.set(1, none), std::invalid_argument);
    CHECK_THROWS_AS(map.set(2, none), std::invalid_argument);
    CHECK((map.size() == 1 && map.get(1)->number == 1 && map.check_invariants()));
    // A snapshot of such a value is refused, too.
    auto bytes = map.snapshot();
    const float wanted = 1, nan = none.number;
    for (std::size_t at = 0; at + sizeof(float) <= bytes.size(); ++at)
        if (std::memcmp(bytes.data() + at, &wanted, sizeof wanted) == 0) std::memcpy(bytes.data() + at, &nan, sizeof nan);
    SwitchMap<std::uint32_t, WithFloat, HashBy<HashOfFloat>> target;
    REQUIRE(target.try_restore(bytes) != nullptr);
    CHECK(target.empty());
}

TEST_CASE("SwitchMap: small numbers move to their array when it grows", "[sparse]") {
    SwitchMap<std::uint32_t, std::uint32_t> map;
    for (std::uint32_t i = 0; i != 2000; ++i) map.set(i, (1999 - i) * 3); // from the highest to the lowest
    CHECK(map.check_invariants());
    for (std::uint32_t i = 0; i != 2000; ++i) CHECK(map.of((1999 - i) * 3)[0] == i);
    for (std::uint32_t i = 0; i < 2000; i += 2) map.erase(i);
    CHECK(map.values().size() == 1000);
    CHECK(map.check_invariants());
}

TEST_CASE("SwitchMap: an allocation or a copy that fails changes nothing", "[sparse]") {
    using Value = BasicTracked<TrackedOptions{.copy_throws = true}>;
    struct Hash {
        std::size_t operator()(const Value& value) const noexcept { return static_cast<std::size_t>(value.value()); }
    };
    using A = StatefulAllocator<std::byte, Propagation{.throws = true}>;
    using Failing = SwitchMap<E, Value, HashBy<Hash>, AllocBy<A>>;
    const EveryByteReturned scope;
    const NothingLeaks leaks;
    const auto sweep = [](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing map;
            for (slot_t i = 0; i != 11; ++i) map.set(E(i, 1), Value(static_cast<int>(i) / 4)); // the ids of 1 fill their room
            const Failing before = map;
            if (!attempt([&] { act(map); })) return;
            CHECK(map == before);
            CHECK(map.check_invariants());
        });
        CHECK(failures != 0);
    };
    const Value known(1), fresh(77);
    sweep("set", [&](Failing& map) { map.set(E(0, 1), fresh); });
    sweep("set", [&](Failing& map) { map.set(E(1u << 30, 1), fresh); });
    sweep("set", [&](Failing& map) { map.set(E(0, 1), known); });
    sweep("reserve", [&](Failing& map) { map.reserve(100); });
    sweep("shrink_to_fit", [&](Failing& map) { map.shrink_to_fit(); });
    sweep("operator=(copy)", [&](Failing& map) {
        Failing other;
        other = map;
        static_cast<void>(Failing(map).size());
    });
    const std::size_t failures = fail_at_every_step(swept<Failing>("(move, allocator)"), [&](auto&& attempt) {
        Failing map, elsewhere(A(2));
        for (slot_t i = 0; i != 20; ++i) map.set(E(i, 1), i % 2 == 0 ? known : fresh);
        if (!attempt([&] { elsewhere = std::move(map); })) return;
        CHECK(map.check_invariants());
        CHECK(map.empty() == (SLOTWISE_EXCEPTIONS != 0)); // its values may have moved
        CHECK((elsewhere.empty() && elsewhere.check_invariants()));
    });
    CHECK(failures != 0);
}

TEST_CASE("SwitchMap: a hash or an equality that throws changes nothing", "[sparse]") {
    struct Hash {
        std::size_t operator()(int value) const {
            Budget::spend();
            return static_cast<std::size_t>(value % 2); // values meet, and are compared
        }
    };
    struct Equal {
        bool operator()(int a, int b) const {
            Budget::spend();
            return a == b;
        }
    };
    using Failing = SwitchMap<E, int, HashBy<Hash>, EqualBy<Equal>>;
    const auto sweep = [](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing map;
            for (slot_t i = 0; i != 10; ++i) map.set(E(i, 1), static_cast<int>(i) / 2);
            const auto before = map.snapshot();
            if (!attempt([&] { act(map); })) return;
            CHECK(map.snapshot() == before);
            CHECK(map.check_invariants());
        });
        CHECK(failures >= 2);
    };
    sweep("set", [](Failing& map) { map.set(E(1, 1), 4); });
    sweep("of", [](Failing& map) { static_cast<void>(map.of(4)); });
    sweep("erase_value", [](Failing& map) { map.erase_value(4); });
}

TEST_CASE("SwitchMap: copies, moves and swaps keep ids and values, also between unequal allocators", "[sparse]") {
    const EveryByteReturned scope;
    using A = StatefulAllocator<std::byte>;
    using Checked = SwitchMap<E, std::string, AllocBy<A>>;
    Checked map(A(1));
    for (slot_t i = 0; i != 50; ++i) map.set(E(i * 40, 1), std::string(i % 7, 'x'));
    const Checked copy(map);
    CHECK(copy.get_allocator().id() == 101);
    CHECK(copy == map);
    CHECK(copy.check_invariants());
    const auto is_empty = [](const Checked& from) { CHECK((from.empty() && from.check_invariants())); };
    Checked moved(std::move(map));
    CHECK(moved == copy);
    is_empty(map); // NOLINT(bugprone-use-after-move)
    map.set(E(1, 1), "usable");
    Checked elsewhere(std::move(moved), A(7));
    CHECK(elsewhere == copy);
    is_empty(moved); // NOLINT(bugprone-use-after-move)
    Checked assigned(A(3));
    assigned.set(E(2, 1), "old");
    assigned = std::move(elsewhere);
    CHECK(assigned == copy);
    CHECK(assigned.get_allocator().id() == 3);
    swap(assigned, map); // unequal
    CHECK(map == copy);
    CHECK(map.get_allocator().id() == 1);
    CHECK(*assigned.get(E(1, 1)) == "usable");
    assigned = map;
    CHECK(assigned == copy);
    auto& self = assigned;
    assigned = self;
    CHECK((assigned == copy && assigned.check_invariants()));
    assigned.set(E(0, 1), "other");
    CHECK_FALSE(assigned == copy);
}

TEST_CASE("SwitchMap: bytes that are no snapshot are refused in words and change nothing", "[sparse]") {
    Modes modes;
    for (slot_t i = 0; i != 5; ++i) modes.set(E(i, 1), static_cast<Mode>(i % 2));
    const auto bytes = modes.snapshot();
    Modes target = modes;
    CHECK(thrown_text<std::invalid_argument>([&] {
              target.restore(std::vector<std::byte>(30));
          }).find("snapshot: these bytes") == 0);
    for (std::size_t length = 0; length != bytes.size(); ++length) CHECK(target.try_restore({bytes.data(), length}) != nullptr);
    for (std::size_t i = 0; i != bytes.size(); ++i)
        for (const unsigned flip : {1u, 2u, 128u}) {
            auto damaged = bytes;
            damaged[i] ^= static_cast<std::byte>(flip);
            CHECK(target.try_restore(damaged) != nullptr);
            damaged = test::reseal(damaged);
            Modes read;
            if (read.try_restore(damaged) != nullptr) continue;
            CHECK(read.check_invariants()); // another state, and no other bytes for it
            CHECK(read.snapshot() == damaged);
        }
    for (std::size_t length = 0; length != test::OpenSnapshot(bytes).state.size(); ++length)
        CHECK(target.try_restore(test::forged(bytes, [&](auto& state) { state.resize(length); })) != nullptr);
    const auto longer = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    CHECK(target.try_restore(longer) != nullptr);
    CHECK(target == modes);
    SwitchMap<E, std::uint32_t> other;
    CHECK(other.try_restore(bytes) != nullptr);
}
