// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of keyed containers that are refused, in which words, without a change. Forged bytes are in properties/snapshots.
#include "text_codec.hpp"

#include "support/snapshots.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <cstring>
#include <set>
#include <stdexcept>

namespace {

using namespace test;

using Bytes = std::vector<std::byte>;

template <bool Deferred, Reuse R, Exhaustion E = Exhaustion::retire>
constexpr KeySetOptions tiny{.deferred_erase = Deferred,
                             .exhaustion = E,
                             .reuse = R,
                             .page_slots = 64,
                             .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}};
template <KeySetOptions O>
using SmallSet = SetStorage<std::uint32_t, Options<O>>;
template <KeySetOptions O>
using SmallMap = MapStorage<std::uint32_t, std::uint32_t, Options<O>>;

template <class C>
slot_t add(C& container, std::uint32_t key) {
    if constexpr (requires { container.try_emplace(key, key); })
        return container.try_emplace(key, key).it.slot();
    else
        return container.insert(key).it.slot();
}
template <class C>
C sample() {
    C container;
    for (std::uint32_t i = 0; i != 9; ++i) add(container, i);
    container.erase(2);
    container.flush_removed();
    container.erase(5);
    container.erase(3);
    add(container, 5);
    container.shrink_to_fit();
    return container;
}

std::string refusal(const char* error) { return error == nullptr ? "accepted" : error; }

/// Writes keys as the wrong number where asked, to make snapshots that the container itself never makes.
struct Forger {
    std::uint32_t from = 0, to = 0;
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        out.number(static_cast<std::uint32_t>(value == from ? to : value));
    }
    template <class T>
    static T read(ByteReader& in) {
        return in.number<std::uint32_t>();
    }
};

/// Text, refused when it is longer than 100 characters.
struct PickyText : TextCodec {
    template <class T>
    static T read(ByteReader& in) {
        T result = TextCodec::read<T>(in);
        if constexpr (std::is_same_v<T, std::string>)
            if (result.size() > 100) in.fail("snapshot: a name of more than 100 characters");
        return result;
    }
};

} // namespace

TEMPLATE_TEST_CASE("a key of two live elements is refused; a pending one may have that of another, as after fulfill",
                   "[snapshot]", (SmallSet<tiny<true, slotwise::Reuse::lowest>>),
                   (SmallMap<tiny<true, slotwise::Reuse::lowest>>)) {
    TestType source, target;
    for (std::uint32_t i = 10; i != 20; ++i) add(source, i);
    add(target, 5);
    const auto before = target.snapshot();
    const auto twice = [&](std::uint32_t from, std::uint32_t to) {
        REQUIRE(refusal(target.try_restore(source.snapshot(Forger{from, to}), Forger())).find("twice") != std::string::npos);
        REQUIRE(target.snapshot() == before);
        REQUIRE_THROWS_AS(target.restore(source.snapshot(Forger{from, to}), Forger()), std::invalid_argument);
    };
    twice(10, 15);
    twice(19, 10);
    source.erase(12);
    source.erase(16);
    const auto shared = [&](std::uint32_t from, std::uint32_t to, slotwise::slot_t found) {
        TestType read;
        REQUIRE(refusal(read.try_restore(source.snapshot(Forger{from, to}), Forger())) == "accepted");
        REQUIRE(read.check_invariants());
        REQUIRE(read.slot_of_any(to) == found);
        read.flush_removed();
        REQUIRE(read.check_invariants());
        REQUIRE(read.contains(to) == source.contains(to));
    };
    shared(12, 15, 5); // pending, as live
    shared(12, 16, 6); // both pending: the last that was removed
    shared(16, 12, 6);
    REQUIRE(refusal(target.try_restore(source.snapshot(Forger{15, 99}), Forger())) == "accepted");
    REQUIRE(target.contains(99u));
    REQUIRE(target.check_invariants());
}

TEST_CASE("snapshots of other kinds of containers are refused", "[snapshot]") {
    using Set = SmallSet<tiny<true, Reuse::lowest>>;
    using Map = SmallMap<tiny<true, Reuse::lowest>>;
    const auto set_bytes = sample<Set>().snapshot(), map_bytes = sample<Map>().snapshot();
    REQUIRE(Map().try_restore(set_bytes) != nullptr);
    REQUIRE(Set().try_restore(map_bytes) != nullptr);
    REQUIRE(refusal(SmallSet<tiny<true, Reuse::lifo>>().try_restore(set_bytes)).find("reuse") != std::string::npos);
    REQUIRE(refusal(SmallSet<tiny<false, Reuse::lowest>>().try_restore(set_bytes)).find("pending") != std::string::npos);
    KeySet<std::uint64_t, Options<tiny<true, Reuse::lowest>>> wide;
    REQUIRE(refusal(wide.try_restore(set_bytes)).find("its keys are uint32") != std::string::npos);
    REQUIRE(refusal(wide.try_restore({})) != "accepted");
    REQUIRE(refusal(wide.try_restore(SlotMap<int>().snapshot())).find("not a snapshot of a keyed container") !=
            std::string::npos);
}

TEST_CASE("a snapshot with more slots than the limit is refused", "[snapshot]") {
    KeySet<int> big;
    for (int i = 0; i != 100; ++i) big.insert(i);
    KeySet<int, Options<KeySetOptions{.max_slots = 99}>> small;
    REQUIRE(small.try_restore(big.snapshot()) != nullptr);
    REQUIRE(small.empty());
    KeySet<int, Options<KeySetOptions{.max_slots = 100}>> fits;
    REQUIRE(fits.try_restore(big.snapshot()) == nullptr);
    REQUIRE_THROWS_AS(fits.insert(1000), std::length_error);
    REQUIRE(fits.check_invariants());
}

TEST_CASE("a codec that refuses a key or value in the middle leaves the target as it was and leaks nothing", "[snapshot]") {
    NothingLeaks objects;
    using Map = MapStorage<std::string, Tracked, Options<KeySetOptions{.deferred_erase = true}>>;
    Map source, target;
    for (int i = 0; i != 30; ++i) source.try_emplace(make_key<std::string>(i), i);
    source.erase(make_key<std::string>(3));
    const slot_t bad = source.try_emplace(std::string(101, 'x'), 1).it.slot();
    for (int i = 31; i != 40; ++i) source.try_emplace(make_key<std::string>(i), i);
    target.try_emplace("stays", 7);
    REQUIRE(refusal(target.try_restore(source.snapshot(PickyText()), PickyText())) ==
            "snapshot: a name of more than 100 characters");
    REQUIRE(target.at("stays").value() == 7);
    REQUIRE(target.size() == 1);
    source.erase(source.handle_at(bad));
    REQUIRE(target.try_restore(source.snapshot(PickyText()), PickyText()) != nullptr); // pending keys are looked at too
    source.flush_removed();
    REQUIRE(target.try_restore(source.snapshot(PickyText()), PickyText()) == nullptr);
    REQUIRE(target == source);
    REQUIRE(target.check_invariants());
}

TEST_CASE("text snapshots: every wrong or missing byte is refused or gives a sound map, and nothing leaks", "[snapshot]") {
    NothingLeaks objects;
    using Map = MapStorage<std::string, Tracked, Options<tiny<true, Reuse::lowest>>>;
    Map source;
    for (int i = 0; i != 4; ++i) source.try_emplace("key " + std::to_string(i), i);
    source.erase("key 1");
    const auto bytes = source.snapshot(TextCodec());
    std::size_t refused = 0, accepted = 0;
    const auto attempt = [&](const Bytes& changed) {
        Map target;
        target.try_emplace("stays", 1);
        target.try_emplace("pending", 2);
        target.erase("pending");
        const auto before = target.snapshot(TextCodec());
        const bool took = target.try_restore(changed, TextCodec()) == nullptr;
        if (!took && target.snapshot(TextCodec()) != before) FAIL("refused, but changed");
        if (!target.check_invariants()) FAIL("not sound");
        target.try_emplace("key 1", 5);
        target.flush_removed();
        if (!target.check_invariants()) FAIL("not sound after use");
        ++(took ? accepted : refused);
    };
    for (std::size_t length = 0; length != bytes.size(); ++length)
        attempt({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    for (std::size_t length = 0; length != test::OpenSnapshot(bytes).state.size(); ++length)
        attempt(test::forged(bytes, [&](Bytes& state) { state.resize(length); }));
    REQUIRE(accepted == 0);
    for (std::size_t at = 0; at != bytes.size(); ++at)
        for (const unsigned flip : {1u, 2u, 3u, 4u, 8u, 16u, 32u, 64u, 128u, 255u}) {
            INFO("byte " << at << " xor " << flip);
            auto corrupt = bytes;
            corrupt[at] ^= static_cast<std::byte>(flip);
            attempt(test::reseal(corrupt));
        }
    REQUIRE(accepted > 0);
    REQUIRE(refused > accepted);
}
