// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Deltas there and back: random windows over every kind of key and value, replicas that follow by streams, idempotence.
#include "support/catch.hpp"

#include "arrow/refused.hpp"

#include <slotwise/arrow/apply_delta.hpp>

#include <chrono>
#include <random>
#include <string>

using namespace slotwise;

namespace {

enum class Level : std::int16_t { low = -1, high = 7 };
struct Trade {
    double price = 0;
    std::string venue;
    bool open = false;
    friend bool operator==(const Trade&, const Trade&) = default;
};
struct Place {
    std::int32_t row = 0;
    std::string sheet;
    friend bool operator==(const Place&, const Place&) = default;
};
using Slot = SetStorage<int>::handle_type;
using Seconds = std::chrono::sys_time<std::chrono::seconds>;

template <class T>
T made(std::uint64_t n) {
    if constexpr (std::is_same_v<T, std::string>)
        return n % 3 == 0 ? "s" + std::to_string(n) : "a text too long to be stored in place " + std::to_string(n);
    else if constexpr (std::is_same_v<T, Trade>)
        return {static_cast<double>(n) / 4, made<std::string>(n), n % 2 == 0};
    else if constexpr (std::is_same_v<T, Place>)
        return {static_cast<std::int32_t>(n), made<std::string>(n)};
    else if constexpr (std::is_same_v<T, Level>)
        return n % 2 == 0 ? Level::low : Level::high;
    else if constexpr (std::is_same_v<T, Slot>)
        return Slot::from_bits(n);
    else if constexpr (std::is_same_v<T, Seconds>)
        return Seconds(std::chrono::seconds(static_cast<std::int64_t>(n)));
    else if constexpr (std::is_same_v<T, bool>)
        return n % 2 == 0;
    else
        return static_cast<T>(n);
}

/// A random window: most kinds of change, several of them to one key.
template <class Writer>
void write_some(Writer& writer, std::mt19937& random) {
    using Storage = typename Writer::storage_type;
    const auto key = [&] { return made<typename Storage::key_type>(random() % 40); };
    const unsigned shape = random() % 16;
    if (shape == 0) writer.invalidate();
    if (shape == 1) writer.touch();
    for (unsigned n = shape < 3 ? shape : random() % 60; n != 0; --n) {
        const unsigned what = random() % 8;
        if constexpr (requires { typename Storage::mapped_type; }) {
            if (what < 4)
                writer.set(key(), made<typename Storage::mapped_type>(random() % 100));
            else if (what == 4)
                writer.create(key());
            else if (what == 5)
                writer.invalidate(key());
            else
                writer.remove(key());
        } else if (what < 5)
            writer.add(key());
        else
            writer.remove(key());
    }
}

template <class Series>
void follow(unsigned seed) {
    using Delta = typename Series::delta_type;
    using Time = typename Series::time_type;
    std::mt19937 random(seed);
    Series original, replica, second, late;
    Time time{};
    std::size_t changes = 0;
    Delta joined;
    Time joined_from = late.window();
    for (int window = 0; window != 60; ++window) {
        const Time before = original.window();
        time += typename std::conditional_t<std::is_integral_v<Time>, std::type_identity<Time>,
                                            std::type_identity<std::chrono::seconds>>::type(1 + random() % 3);
        {
            auto writer = original.write(time);
            write_some(writer, random);
        }
        const Delta delta = capture(original, time);
        changes += delta.added.size() + delta.removed.size();
        if constexpr (requires { delta.modified; }) changes += delta.modified.size() + delta.reset.size();
        ArrowArrayStream stream;
        export_delta(delta, before, &stream, {{"slotwise.shard", "3"}});
        const auto imported = import_delta<Delta>(&stream);
        REQUIRE(stream.release == nullptr);
        if (!(imported.delta == delta)) FAIL("window " << window << " is another one after the way there and back");
        REQUIRE(imported.from == before);
        REQUIRE(*find_metadata(imported.metadata, "slotwise.shard") == "3");
        // Directly from the window.
        export_delta(original, before, &stream);
        if (!(import_delta<Delta>(&stream).delta == delta)) FAIL("window " << window << " is another one when packed directly");
        // A replica follows. What comes twice is applied once.
        export_delta(delta, before, &stream);
        REQUIRE(apply_delta(replica, &stream) == Applied::done);
        export_delta(delta, before, &stream);
        REQUIRE(apply_delta(replica, &stream) == Applied::already);
        if (!(replica == original)) FAIL("the replica differs after window " << window);
        if (!(capture(replica, time) == delta)) FAIL("the replica captures another delta in window " << window);
        replica.check_invariants();
        export_delta(original, before, &stream);
        REQUIRE(apply_delta(second, &stream, Strictness::lenient) == Applied::done);
        REQUIRE(second == original);
        // One that misses windows gets them as one.
        joined = joined_from == before ? delta : compose(joined, delta);
        if (random() % 4 == 0) {
            export_delta(joined, joined_from, &stream);
            REQUIRE(apply_delta(late, &stream) == Applied::done);
            REQUIRE(late == original);
            joined_from = time;
        } else if (late.window() != before) {
            export_delta(delta, before, &stream);
            REQUIRE(apply_delta(late, &stream) == Applied::gap);
        }
    }
    REQUIRE(changes > 300);
}
template <class Key, class T>
using Dict = TSDStorage<Key, T, TimeBy<std::int64_t>>;

} // namespace

template <>
struct slotwise::ArrowFields<Trade> {
    static constexpr auto members = std::tuple(slotwise::field("price", &Trade::price), slotwise::field("venue", &Trade::venue),
                                               slotwise::field("open", &Trade::open));
};
template <>
struct slotwise::ArrowFields<Place> {
    static constexpr auto members = std::tuple(slotwise::field("row", &Place::row), slotwise::field("sheet", &Place::sheet));
};
template <>
struct std::hash<Place> {
    std::size_t operator()(const Place& place) const noexcept { return static_cast<std::size_t>(place.row); }
};

#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
#define SERIES                                                                                                                 \
    (Dict<std::int32_t, bool>), (Dict<std::string, std::string>), (Dict<std::uint8_t, Level>), (Dict<Place, Trade>),           \
        (Dict<Slot, float>), (TSDStorage<std::string, std::uint64_t, TimeBy<std::uint32_t>>), (TSSStorage<std::uint64_t>),     \
        (TSSStorage<std::string>)
#else
#define SERIES                                                                                                                 \
    (Dict<std::uint64_t, double>), (Dict<std::string, Trade>), (TSDStorage<std::int16_t, Seconds, TimeBy<Seconds>>),           \
        (TSSStorage<Place>)
#endif

TEMPLATE_TEST_CASE("random windows come back equal, and replicas that get their streams follow", "[delta]", SERIES) {
    for (unsigned seed = 1; seed != 6; ++seed) follow<TestType>(seed);
}
