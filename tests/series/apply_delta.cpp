// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Deltas as bytes, and apply_delta: a replica that has nothing but the bytes follows its original, applies each delta once and
// in order, and refuses all else before anything has changed.
#include "replica.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <slotwise/rows/any_codec.hpp>
#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>
#include <slotwise/series/apply_delta.hpp>

#include <chrono>

namespace {

using namespace test;

using Bytes = std::vector<std::byte>;
using Prices = TSDStorage<std::string, double>;

Prices some_prices() {
    Prices prices;
    auto w = prices.write(1);
    w.set("bund", 131.2);
    w.set("gilt", 92.1);
    w.create("oat");
    return (w.close(), std::move(prices));
}
/// From window 1 to 2: one of each kind of change.
Prices::delta_type some_delta() {
    Prices prices = some_prices();
    auto w = prices.write(2);
    w.set("bund", 131.3);
    w.remove("gilt");
    w.set("btp", 118.4);
    w.create("bonos");
    w.invalidate("bund");
    w.set("oat", 124.7);
    return (w.close(), capture(prices));
}

/// The bytes are refused with these words, and no byte of the series is another one.
template <class Series, class... Codec>
void refuses(const Series& before, const Bytes& bytes, std::string_view words, Strictness mode = Strictness::strict,
             const Codec&... codec) {
    Series series(before);
    const auto state = [&] {
        if constexpr (sizeof...(Codec) != 0)
            return series.snapshot(codec...);
        else
            return state_of(series);
    };
    const auto then = state();
    const AppliedDelta result = try_apply_delta(series, bytes, mode, codec...);
    CAPTURE(result.error);
    CHECK(!result);
    CHECK(result.error.find(words) != std::string::npos);
    CHECK(result.error.rfind("apply_delta: ", 0) == 0);
    CHECK(state() == then);
    CHECK(thrown_text<std::invalid_argument>([&] { apply_delta(series, bytes, mode, codec...); }) == result.error);
    CHECK((state() == then && series.check_invariants()));
}

template <class Series>
void follow(std::uint64_t seed, std::size_t keys) {
    Series original, by_bytes, by_value, slow;
    Random random(seed);
    std::optional<typename Series::delta_type> waiting;
    Time last = never;
    std::size_t changes = 0;
    for (int round = 0, rounds = rounds_of(600); round != rounds; ++round) {
        const Time from = original.window();
        random_tick(original, (from == never ? 0 : from) + 1 + random.below(3), random, keys);
        if (original.window() == from) continue;
        const auto delta = capture(original);
        changes += !delta.empty();
        const auto bytes = delta.to_bytes(from);
        const auto read = Series::delta_type::from_bytes(bytes);
        REQUIRE((read.delta == delta && read.from == from));
        REQUIRE(read.delta.to_bytes(from) == bytes);
        if (from != never) REQUIRE(apply_delta(by_bytes, delta.to_bytes(from - 1)) == Applied::gap);
        REQUIRE(apply_delta(by_bytes, bytes) == Applied::done);
        REQUIRE(apply_delta(by_bytes, bytes) == Applied::already);
        REQUIRE(difference(original, by_bytes) == "");
        REQUIRE((capture(by_bytes) == delta && all_sound(by_bytes)));
        REQUIRE(apply_delta(by_value, typename Series::delta_type(delta), from) == Applied::done);
        REQUIRE((state_of(by_value) == state_of(by_bytes)));
        waiting = waiting ? compose(*waiting, delta) : delta;
        if (random.chance(60)) continue; // several windows at once
        REQUIRE(apply_delta(slow, waiting->to_bytes(last)) == Applied::done);
        REQUIRE(difference(original, slow, false) == "");
        waiting.reset();
        last = original.window();
    }
    REQUIRE(changes > static_cast<std::size_t>(rounds_of(600)) / 2);
}

} // namespace

TEMPLATE_TEST_CASE("a replica that gets the bytes of each window, or of several as one, is its original", "",
                   ALL_REPRESENTATIONS) {
    follow<typename TestType::template set<int>>(1, 20);
    follow<typename TestType::template set<std::string>>(2, 12);
    follow<typename TestType::template dict<int, double>>(3, 20);
    follow<typename TestType::template dict<std::string, std::string>>(4, 20);
    follow<typename TestType::template dict<int, typename TestType::template set<std::string>>>(5, 8);
    follow<typename TestType::template dict<std::string, typename TestType::template dict<int, int>>>(6, 8);
}

TEST_CASE("each delta is applied once and in order, and what is not applied changes nothing", "") {
    Prices replica = some_prices();
    const auto delta = some_delta();
    const auto state = state_of(replica);
    CHECK(apply_delta(replica, delta.to_bytes(0)) == Applied::gap);
    CHECK(apply_delta(replica, delta, 0) == Applied::gap);
    auto old = delta;
    old.time = 1;
    CHECK(apply_delta(replica, old.to_bytes(0)) == Applied::already);
    CHECK(apply_delta(replica, old.to_bytes(1)) == Applied::already); // it leads nowhere
    CHECK(state_of(replica) == state);
    CHECK(apply_delta(replica, delta.to_bytes(1)) == Applied::done);
    CHECK((replica.window() == 2 && capture(replica) == delta));
    const auto done = state_of(replica);
    CHECK(apply_delta(replica, delta.to_bytes(1)) == Applied::already);
    CHECK(apply_delta(replica, delta, 1) == Applied::already);
    CHECK(state_of(replica) == done);
    CHECK(thrown_text<std::invalid_argument>([&] {
              static_cast<void>(delta.to_bytes(3));
          }).find("`from` is later than the delta") != std::string::npos);
}

TEST_CASE("a delta that does not fit is refused, and the window does not open", "") {
    const Prices before = some_prices();
    auto delta = some_delta();
    delta.added = {"bund"};
    refuses(before, delta.to_bytes(1), "added[0] is a member already");
    delta = some_delta();
    delta.removed = {"nobody"};
    refuses(before, delta.to_bytes(1), "removed[0] is not a member");
    delta = some_delta();
    delta.reset.push_back("nobody");
    refuses(before, delta.to_bytes(1), "reset[1] is not a member");
    delta = some_delta();
    delta.modified.emplace_back("nobody", 1);
    refuses(before, delta.to_bytes(1), "is neither a member nor in `added`");
    delta = some_delta();
    delta.added.push_back("gilt");
    for (const auto mode : {Strictness::strict, Strictness::lenient})
        refuses(before, delta.to_bytes(1), "is in `added` too", mode);
    delta = some_delta();
    delta.modified.push_back(delta.modified.front());
    refuses(before, delta.to_bytes(1), "occurs twice", Strictness::lenient);
    Prices lenient = before; // the rest of another history
    delta = some_delta();
    delta.removed.push_back("nobody");
    delta.modified.emplace_back("new", 7);
    CHECK(apply_delta(lenient, delta.to_bytes(1), Strictness::lenient) == Applied::done);
    CHECK((lenient.at("new") == 7 && !lenient.contains("gilt")));

    using Nested = TSDStorage<int, TSSStorage<int>>;
    Nested nested;
    nested.write(1).create(7);
    auto inside = capture(nested, 1);
    inside.time = 2;
    inside.added.clear();
    inside.modified.emplace_back(7, SetDelta<int, Time>{2, true, {}, {5}, false});
    refuses(nested, inside.to_bytes(1), "removed[0] is not a member");
}

TEST_CASE("bytes of a delta of other types are refused, and say of which", "") {
    const Bytes bytes = some_delta().to_bytes(1);
    refuses(TSDStorage<int, double>(), bytes, "its keys are texts, and those of this container are of another type");
    refuses(TSDStorage<std::string, float>(), bytes, "its values are float64");
    refuses(TSDStorage<std::string, double, TimeBy<std::int32_t>>(), bytes, "its times are int64");
    refuses(TSSStorage<std::string>(), bytes, "these bytes are not a delta of such a series");
    refuses(TSDStorage<std::string, TSSStorage<int>>(), bytes, "its values are float64");
    using Nested = TSDStorage<std::string, TSSStorage<int>>;
    Nested nested;
    nested.write(1).create("a");
    refuses(Prices(), capture(nested).to_bytes(never), "its values are series");
    refuses(TSDStorage<std::string, TSSStorage<short>>(), capture(nested).to_bytes(never), "its values are series");
    refuses(Prices(), some_prices().snapshot(), "these bytes are not a delta of such a series");
    CHECK(thrown_text<std::invalid_argument>([&] { Prices().restore(bytes); }).find("not a snapshot of such a series") !=
          std::string::npos);
    CHECK(thrown_text<std::invalid_argument>([&] {
              static_cast<void>(TSDStorage<int, double>::delta_type::from_bytes(bytes));
          }).rfind("delta from_bytes: its keys are texts", 0) == 0);
}

TEST_CASE("bytes of a delta that were damaged, cut off or extended are refused, wherever that is", "") {
    const Prices before = some_prices();
    const Bytes bytes = some_delta().to_bytes(1);
    Prices target = before;
    const auto state = state_of(target);
    const auto unchanged = [&](const Bytes& damaged) {
        const AppliedDelta result = try_apply_delta(target, damaged);
        REQUIRE(!result);
        REQUIRE(state_of(target) == state);
    };
    for (std::size_t at = 0; at != bytes.size(); ++at)
        for (unsigned bit = 0; bit != 8; ++bit) {
            Bytes damaged = bytes;
            damaged[at] ^= static_cast<std::byte>(1u << bit);
            unchanged(damaged);
        }
    for (std::size_t size = 0; size != bytes.size(); ++size)
        unchanged(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    Bytes longer = bytes;
    longer.push_back(std::byte{});
    unchanged(longer);
    refuses(before, Bytes(100), "these bytes are not a slotwise delta, or are cut off");
    refuses(before, {}, "the bytes end too early");
}

TEST_CASE("bytes of a delta that were forged with a true checksum are refused, or are another delta", "") {
    using Nested = TSDStorage<std::string, TSDStorage<int, TSSStorage<int>>>;
    const auto forge = [](const auto& before, const Bytes& bytes) {
        std::size_t refused = 0, applied = 0;
        const auto state = state_of(before);
        const auto take = [&](const Bytes& forged) {
            auto target = before;
            const AppliedDelta result = try_apply_delta(target, forged, Strictness::lenient);
            const bool done = result && result.applied == Applied::done;
            ++(done ? applied : refused);
            if (!done) REQUIRE(state_of(target) == state);
            REQUIRE(all_sound(target));
        };
        const std::size_t size = OpenSnapshot(bytes).state.size();
        for (std::size_t at = 0; at != size; ++at)
            for (const unsigned change : {1u, 2u, 4u, 0x80u, 0xFFu})
                take(forged(bytes, [&](Bytes& state_bytes) { state_bytes[at] ^= static_cast<std::byte>(change); }));
        for (std::size_t cut = 0; cut != size; ++cut) take(forged(bytes, [&](Bytes& state_bytes) { state_bytes.resize(cut); }));
        take(forged(bytes, [&](Bytes& state_bytes) { state_bytes.push_back(std::byte{}); }));
        CHECK((refused > size && applied > 0));
    };
    forge(some_prices(), some_delta().to_bytes(1));
    Nested nested;
    nested.write(1).create("a");
    const Nested before = nested;
    {
        auto w = nested.write(2);
        w.create("b");
        auto inner = w.modify("a");
        inner.create(5);
        inner.modify(5).add(6);
    }
    forge(before, capture(nested).to_bytes(1));
}

TEST_CASE("what no delta says is refused in words, and a giant count allocates nothing", "") {
    const Prices before = some_prices();
    const Bytes bytes = some_delta().to_bytes(1);
    // magic 4, byte order 1, sizes of key and value 8, from 8, then flags 1, time 8, count 8, rows
    const auto changed = [&](std::size_t at, std::initializer_list<unsigned> to) {
        return forged(bytes, [&](Bytes& state) {
            for (const unsigned byte : to) state[at++] = static_cast<std::byte>(byte);
        });
    };
    refuses(before, changed(4, {3}), "another byte order");
    refuses(before, changed(5, {1}), "another size");
    refuses(before, changed(21, {8}), "the flags of the delta are impossible");
    refuses(before, changed(22, {0}), "it begins later than it ends");
    refuses(before, changed(30, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}), "a length exceeds the bytes that are left");
    refuses(before, changed(30, {0x30}), "");
    refuses(before, changed(38, {6}), "a row of the delta says what no row says");
    refuses(before, changed(38, {5}), "another order");
    TSSStorage<int> set;
    set.write(1).add(1);
    const Bytes of_set = capture(set).to_bytes(never);
    // magic 4, byte order 1, size 4, from 8, flags 1, time 8, count 8, row
    refuses(TSSStorage<int>(), forged(of_set, [](Bytes& state) { state[34] = std::byte{1}; }), "what no row says");
    refuses(TSSStorage<int>(), forged(of_set, [](Bytes& state) { state[17] = std::byte{3}; }), "flags of the delta");
    refuses(TSSStorage<int>(), forged(of_set, [](Bytes& state) { state.push_back({}); }), "more bytes than the delta needs");
}

TEST_CASE("times of any kind, keys with their own hash and types with a codec go through the bytes", "") {
    using namespace std::chrono;
    TSDStorage<int, std::vector<std::string>, TimeBy<sys_time<milliseconds>>> clocked, replica;
    const auto start = sys_time<milliseconds>(5s);
    clocked.write(start).set(1, std::vector<std::string>{"a", "b"});
    CHECK(apply_delta(replica, capture(clocked).to_bytes(clocked.never)) == Applied::done);
    clocked.write(start + 1ms).set(2, std::vector<std::string>{});
    CHECK(apply_delta(replica, capture(clocked).to_bytes(start)) == Applied::done);
    CHECK((replica == clocked && replica.window() == start + 1ms));
    refuses(TSDStorage<int, std::vector<std::string>, TimeBy<sys_time<seconds>>>(), capture(clocked).to_bytes(start),
            "its times are time points");

    TSSStorage<double, TimeBy<double>> reals, twin;
    reals.write(0.5).add(1.5);
    CHECK(apply_delta(twin, capture(reals).to_bytes(reals.never)) == Applied::done);
    CHECK(twin == reals);
    auto nan = capture(reals);
    nan.time = std::numeric_limits<double>::quiet_NaN();
    CHECK(thrown_text<std::invalid_argument>([&] { static_cast<void>(nan.to_bytes(0)); }) != "");

    struct OddHash {
        std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key) % 3; }
    };
    TSDStorage<int, int, HashBy<OddHash>> odd, other;
    {
        auto w = odd.write(1);
        for (int key = 0; key != 50; ++key) w.set(key, key);
    }
    CHECK(apply_delta(other, capture(odd).to_bytes(odd.never, SeriesText()), Strictness::strict, SeriesText()) ==
          Applied::done);
    CHECK(other == odd);
}

TEST_CASE("a delta of described types has the bytes of one of known types, and each is read as the other", "") {
    AnyCodec codec;
    codec.add<std::string>().add<double>();
    const auto &text = TypeDescriptor::of<std::string>(), &number = TypeDescriptor::of<double>();
    AnyTSDStorage any(text, number);
    any.restore(some_prices().snapshot(), codec);
    const AnyTSDStorage before = any;
    const auto delta = some_delta();
    const Bytes bytes = delta.to_bytes(1);
    CHECK(apply_delta(any, bytes, Strictness::strict, codec) == Applied::done);
    CHECK(apply_delta(any, bytes, Strictness::strict, codec) == Applied::already);
    const auto described = capture(any, 2);
    Prices known = some_prices();
    CHECK(apply_delta(known, described.to_bytes(1, any.delta_codec(codec))) == Applied::done);
    CHECK((capture(known, 2) == delta && any.snapshot(codec) == known.snapshot()));
    const auto read = AnyTSDStorage::delta_type::from_bytes(bytes, any.delta_codec(codec));
    AnyTSDStorage third = before;
    CHECK(apply_delta(third, read.delta, read.from) == Applied::done);
    CHECK((third == any && equal_deltas(capture(third, 2), described, any.hash_function(), any.key_eq())));

    AnyTSSStorage set(text);
    const std::string key = "a";
    set.write(1).add(&key);
    const Bytes of_set = capture(set, 1).to_bytes(never, set.delta_codec(codec));
    TSSStorage<std::string> names;
    CHECK(apply_delta(names, of_set) == Applied::done);
    CHECK((names.contains("a") && capture(names).to_bytes(never) == of_set));

    AnyTSDStorage other(text, text);
    refuses(other, bytes, "its values are float64", Strictness::strict, codec);
    CHECK(thrown_text<std::invalid_argument>([&] { static_cast<void>(other.delta_codec(AnyCodec())); }) != "");
    CHECK(thrown_text<std::invalid_argument>([&] { static_cast<void>(described.to_bytes(1, other.delta_codec(codec))); }) !=
          ""); // values are no texts
    auto wrong = described;
    wrong.added.front() = DescribedValue::of(1);
    AnyTSDStorage target = before;
    CHECK(thrown_text<std::invalid_argument>([&] { apply_delta(target, wrong, 1); }).find("of another type") !=
          std::string::npos);
    CHECK(target.window() == 1);
}

TEST_CASE("apply_delta moves the keys and values of a delta that is given away", "") {
    using Dict = TSDStorage<std::string, std::string>;
    Dict original, copied, moved;
    original.write(1).set(std::string(50, 'k'), std::string(50, 'v'));
    auto delta = capture(original);
    CHECK(apply_delta(copied, delta, never) == Applied::done);
    CHECK(delta.modified.front().first == std::string(50, 'k'));
    const void* const value = delta.modified.front().second.data();
    CHECK(apply_delta(moved, std::move(delta), never) == Applied::done);
    CHECK(moved.at(std::string(50, 'k')).data() == value);
    CHECK((moved == original && copied == original));
}

TEST_CASE("apply_delta is refused while a writer of the series is open", "") {
    Prices replica = some_prices();
    const auto state = state_of(replica);
    {
        auto w = replica.write(1);
        CHECK(thrown_text<std::invalid_argument>([&] { apply_delta(replica, some_delta().to_bytes(1)); }) != "");
    }
    CHECK(state_of(replica) == state);
}
