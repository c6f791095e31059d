// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of series from untrusted bytes: refused with a reason and no change, or a sound series.
#include "replica.hpp"
#include "support/snapshots.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace {

using namespace test;

using Bytes = std::vector<std::byte>;

constexpr SeriesOptions narrow(DeltaRepresentation delta) {
    return {.delta = delta, .page_slots = 64, .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}};
}
using List = SeriesWith<narrow(DeltaRepresentation::dirty_list)>;
using Bits = SeriesWith<narrow(DeltaRepresentation::adaptive)>;

/// Reads everything that deltas say, at every depth.
template <class Series>
std::size_t walk(const Series& series) {
    const Time now = series.window();
    std::size_t seen = 0;
    const auto keys = [&](const auto& range) {
        for (const auto& key : range) seen += series.contains(key) ? 1u : 2u;
    };
    if constexpr (is_set<Series>) {
        keys(series.added(now));
        keys(series.removed(now));
    } else {
        keys(series.added_keys(now));
        keys(series.removed_keys(now));
        keys(series.reset_keys(now));
        keys(series.modified_keys(now));
        for (const auto [key, value] : series.modified_items(now)) seen += value == value ? 1u : 0u;
        for (const auto [key, value] : series.removed_items(now))
            if constexpr (nests<Series>())
                seen += walk(value);
            else
                seen += value == value ? 1u : 0u;
        if constexpr (nests<Series>())
            for (const slot_t slot : series.slots()) seen += walk(series.value(slot));
    }
    return seen;
}

template <class Series>
Series sample() {
    Series series;
    using Key = typename Series::key_type;
    const auto key = [](std::uint32_t number) {
        if constexpr (std::is_same_v<Key, std::string>)
            return "k" + std::to_string(number);
        else
            return static_cast<Key>(number);
    };
    const auto put = [&](auto& w, std::uint32_t number) {
        if constexpr (is_set<Series>)
            w.add(key(number));
        else if constexpr (nests<Series>()) {
            w.create(key(number));
            w.modify(key(number)).add(static_cast<int>(number));
            if (number > 2) w.modify(key(number)).remove(2);
        } else
            w.set(key(number), made_of<typename Series::mapped_type>(number));
    };
    {
        auto w = series.write(3);
        for (std::uint32_t i = 0; i != 5; ++i) put(w, i);
    }
    series.write(4).remove(key(1));
    {
        auto w = series.write(5);
        w.remove(key(4));
        w.remove(key(3));
        put(w, 3); // comes back
        put(w, 7);
        if constexpr (!is_set<Series>) w.create(key(8));
    }
    return series;
}

/// A snapshot may give the order of changes as another representation does, unless this one has both orders.
template <class Series>
constexpr bool writes_what_it_takes() {
    if constexpr (nests<Series>())
        if (!writes_what_it_takes<typename Series::mapped_type>()) return false;
    return Series::options.delta == DeltaRepresentation::adaptive;
}

/// Refuses `bytes` with a reason and no change, or takes them and is sound, also in use. Whether it took them.
template <class Series>
bool restores_soundly(const Bytes& bytes, std::set<std::string>* reasons = nullptr) {
    Series target;
    const auto first = sample<Series>().key(0);
    {
        auto w = target.write(1);
        if constexpr (is_set<Series>)
            w.add(first);
        else
            w.create(first);
        w.remove(first);
    }
    const auto before = state_of(target);
    if (const char* const error = target.try_restore(bytes, SeriesText())) {
        if (std::strncmp(error, "snapshot: ", 10) != 0) FAIL(error);
        if (state_of(target) != before || target.window() != 1) FAIL("refused, but changed");
        if (reasons != nullptr) reasons->insert(error);
        return false;
    }
    if (!all_sound(target)) FAIL("took what is not sound");
    (void)walk(target);
    const Time now = target.window();
    const auto delta = capture(target, now);
    const auto again = state_of(target);
    if (writes_what_it_takes<Series>() && again != bytes) FAIL("took what it would not write");
    Series twin;
    if (twin.try_restore(again, SeriesText()) != nullptr || state_of(twin) != again) FAIL("its own snapshot is another one");
    // What it says can be applied to what it says it was: whoever is removed is no member, whoever is added is one.
    if (now != never) {
        target.write(now).apply(delta, Strictness::lenient);
        if (now != std::numeric_limits<Time>::max()) {
            auto w = target.write(now + 1);
            w.remove(first);
            if constexpr (is_set<Series>)
                w.add(first);
            else
                w.create(first);
            w.clear();
        }
    } else
        target.write(1).clear();
    if (!all_sound(target) || !target.empty()) {
        if (now != std::numeric_limits<Time>::max()) FAIL("not sound after use");
    }
    (void)walk(target);
    return true;
}

template <class Series>
void every_corruption_and_truncation(std::vector<unsigned> flips) {
    const auto bytes = state_of(sample<Series>());
    REQUIRE(restores_soundly<Series>(bytes));
    std::set<std::string> reasons;
    for (std::size_t length = 0; length != bytes.size(); ++length) {
        INFO("length " << length);
        if (restores_soundly<Series>({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}, &reasons))
            FAIL("took a part");
    }
    for (std::size_t length = 0; length != test::OpenSnapshot(bytes).state.size(); ++length) {
        INFO("state of length " << length);
        if (restores_soundly<Series>(test::forged(bytes, [&](Bytes& state) { state.resize(length); }), &reasons))
            FAIL("took a part");
    }
    const auto longer = test::forged(bytes, [](Bytes& state) { state.push_back(std::byte{0}); });
    REQUIRE_FALSE(restores_soundly<Series>(longer));
    std::size_t refused = 0, accepted = 0;
    for (std::size_t at = 0; at != bytes.size(); ++at)
        for (const unsigned flip : flips) {
            INFO("byte " << at << " xor " << flip);
            auto corrupt = bytes;
            corrupt[at] ^= static_cast<std::byte>(flip);
            ++(restores_soundly<Series>(test::reseal(corrupt), &reasons) ? accepted : refused);
        }
    REQUIRE(accepted > 0); // keys may be anything, once each
    REQUIRE(refused > accepted);
    REQUIRE(reasons.size() >= 6);
}

template <class Series>
void random_bytes(std::uint64_t seed, int rounds) {
    const auto sound = state_of(sample<Series>());
    Random random(seed);
    std::size_t refused = 0, accepted = 0;
    for (int i = 0; i != rounds; ++i) {
        INFO("seed " << seed << " round " << i);
        Bytes bytes;
        if (i % 2 == 0) {
            if (i % 4 == 0)
                bytes.assign(sound.begin(), sound.begin() + random.below(sound.size())); // noise behind a sound head
            for (std::uint32_t n = random.below(200); n != 0; --n) bytes.push_back(static_cast<std::byte>(random.below(256)));
        } else {
            bytes = sound;
            for (std::uint32_t n = 1 + random.below(4); n != 0; --n)
                bytes[random.below(bytes.size())] =
                    static_cast<std::byte>(random.chance(50) ? random.below(256) : random.below(4));
        }
        if (i % 2 != 0) bytes = test::reseal(bytes);
        ++(restores_soundly<Series>(i % 3 == 0 ? test::reseal(bytes) : bytes) ? accepted : refused);
    }
    REQUIRE(refused > static_cast<std::size_t>(rounds) / 2);
    REQUIRE(accepted > 0);
}

const std::vector<unsigned> some_flips{1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 255};

/// Writes one time as another, to make snapshots that no series makes.
struct TimeForger : SeriesText {
    Time from = 0, to = 0;
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        if constexpr (std::is_same_v<T, Time>)
            SeriesText::write(value == from ? to : value, out);
        else
            SeriesText::write(value, out);
    }
};
/// Writes every time as never.
struct NoTimes : SeriesText {
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        if constexpr (std::is_same_v<T, Time>)
            SeriesText::write(TimeTraits<Time>::never(), out);
        else
            SeriesText::write(value, out);
    }
};
/// The same with another kind of time, all of them one.
struct DoubleForger {
    double time;
    template <class T>
    void write(const T& value, ByteWriter& out) const {
        if constexpr (std::is_same_v<T, double>)
            DefaultCodec::write(time, out);
        else
            DefaultCodec::write(value, out);
    }
};
TimeForger forge(Time from, Time to) {
    TimeForger forger;
    forger.from = from;
    forger.to = to;
    return forger;
}

} // namespace

TEMPLATE_TEST_CASE("a truncated snapshot of a series is refused; one with a wrong byte is refused or gives a sound series",
                   "[series][snapshot]", List::set<int>, (Bits::dict<int, std::uint32_t>),
                   (List::dict<std::string, std::string>)) {
    every_corruption_and_truncation<TestType>(some_flips);
}

TEST_CASE("a truncated snapshot of nested series is refused; one with a wrong byte is refused or gives a sound series",
          "[series][snapshot]") {
    every_corruption_and_truncation<Bits::dict<int, List::set<int>>>({1, 2, 4, 128, 255});
}

TEST_CASE("random bytes and mutated snapshots of series are refused or give a sound series", "[series][snapshot]") {
    random_bytes<Bits::set<int>>(1, 2'000);
    random_bytes<List::dict<int, std::uint32_t>>(2, 2'000);
    random_bytes<Bits::dict<int, List::set<int>>>(3, 1'000);
}

TEST_CASE("a time that is later than the window is refused, also that of a nested series", "[series][snapshot]") {
    Bits::dict<int, Bits::set<int>> dict, target;
    dict.write(3).create(1);
    dict.write(4).modify(1).add(7);
    dict.write(5).touch();
    target.write(9).create(9);
    const auto before = state_of(target);
    REQUIRE(target.try_restore(dict.snapshot(forge(5, 2)), forge(0, 0)) != nullptr); // a window before its times
    REQUIRE(target.try_restore(dict.snapshot(forge(4, 6)), forge(0, 0)) !=
            nullptr); // an element, and a nested window, after it
    REQUIRE(target.try_restore(dict.snapshot(forge(3, 11)), forge(0, 0)) != nullptr); // the keys
    REQUIRE_THROWS_AS(target.restore(dict.snapshot(forge(4, 6)), forge(0, 0)), std::invalid_argument);
    REQUIRE(state_of(target) == before);
    REQUIRE(target.try_restore(dict.snapshot(forge(4, 5)), forge(0, 0)) != nullptr); // written now, and not said to be changed
    REQUIRE(target.try_restore(dict.snapshot(forge(4, 2)), forge(0, 0)) == nullptr);
    REQUIRE(target.last_modified(1) == 2);
    REQUIRE(all_sound(target));
}

TEST_CASE("snapshots of sets, dictionaries and plain containers are not taken for one another", "[series][snapshot]") {
    Bits::set<int> set;
    Bits::dict<int, std::uint32_t> dict;
    const auto set_bytes = state_of(sample<Bits::set<int>>());
    const auto dict_bytes = state_of(sample<Bits::dict<int, std::uint32_t>>());
    REQUIRE(std::string(set.try_restore(dict_bytes)) == "snapshot: these bytes are not a snapshot of such a series");
    REQUIRE(std::string(dict.try_restore(set_bytes)) == "snapshot: these bytes are not a snapshot of such a series");
    REQUIRE(set.try_restore(sample<Bits::set<int>>().as_set().snapshot()) != nullptr);
    REQUIRE(set.window() == never);
    REQUIRE(dict.empty());
}

TEST_CASE("changes without a window are refused", "[series][snapshot]") {
    List::set<int> set, target;
    set.write(1).add(7);
    CHECK(std::string(target.try_restore(set.snapshot(forge(1, TimeTraits<Time>::never())), SeriesText())) ==
          "snapshot: there are changes, but no window");
    CHECK(target.empty());
    CHECK(target.check_invariants());
}

TEST_CASE("members that were never written, before any window: taken as that, and the series goes on", "[series][snapshot]") {
    Bits::dict<int, std::uint32_t> dict, target;
    dict.write(1).create(7);
    dict.write(2).close(); // nothing happens
    auto bytes = dict.snapshot(NoTimes());
    REQUIRE(std::string(target.try_restore(bytes, SeriesText())) == "snapshot: there are changes, but no window");
    bytes =
        test::forged(bytes, [](Bytes& state) { state[state.size() - 5] = std::byte{1}; }); // without a window nothing is listed
    REQUIRE(target.try_restore(bytes, SeriesText()) == nullptr);
    CHECK(state_of(target) == bytes);
    CHECK(target.contains(7));
    CHECK(target.count_valid() == 0);
    CHECK(target.window() == TimeTraits<Time>::never());
    CHECK_FALSE(target.valid());
    CHECK(all_sound(target));
    target.write(1).set(7, 70u);
    CHECK(target.at(7) == 70);
    CHECK(target.added_keys(1).empty());
    CHECK(all_sound(target));
}

TEST_CASE("a snapshot that ends before its list of changes is refused, also where nothing was changed", "[series][snapshot]") {
    List::set<int> unwritten, quiet;
    quiet.write(1).add(7);
    quiet.write(2).close();
    for (const auto* series : {&unwritten, &quiet}) {
        auto bytes = series->snapshot(SeriesText());
        List::set<int> target;
        REQUIRE(target.try_restore(bytes, SeriesText()) == nullptr);
        for (int missing = 1; missing <= 5; ++missing) { // a count, and whether the changes are in slot order
            bytes = test::forged(bytes, [](Bytes& state) { state.pop_back(); });
            CAPTURE(missing);
            CHECK(std::string(target.try_restore(bytes, SeriesText())) == "snapshot: the bytes end too early");
            CHECK(target.size() == series->size());
        }
    }
}

TEST_CASE("a time that is not a number is refused", "[series][snapshot]") {
    TSSStorage<int, TimeBy<double>> set, target;
    set.write(1.5).touch();
    CHECK(std::string(target.try_restore(set.snapshot(DoubleForger{std::numeric_limits<double>::quiet_NaN()}))) ==
          "snapshot: a time is later than the window");
    CHECK(target.try_restore(set.snapshot(DoubleForger{2.5})) == nullptr);
    CHECK(target.last_modified() == 2.5);
    CHECK(target.check_invariants());
}
