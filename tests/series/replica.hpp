// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of series, and what two series must agree on: for replicas, twins, restored ones. All of them also for
// series nested in series.
//     random_tick(source, time, random, keys);
//     replica.write(time).apply(capture(source, time));
//     REQUIRE(difference(source, replica) == "");
#ifndef SLOTWISE_TESTS_SERIES_REPLICA_HPP
#define SLOTWISE_TESTS_SERIES_REPLICA_HPP

#include "support/bounds.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace test {

using Time = std::int64_t;
inline constexpr Time never = TimeTraits<Time>::never();

/// The three representations of a delta, as what a test is instantiated with.
template <SeriesOptions O>
struct SeriesWith {
    static constexpr SeriesOptions options = O;
    template <class Key>
    using set = TSSStorage<Key, TimeBy<Time>, Options<O>>;
    template <class Key, class T>
    using dict = TSDStorage<Key, T, TimeBy<Time>, Options<O>>;
};
using DirtyList = SeriesWith<SeriesOptions{.delta = DeltaRepresentation::dirty_list, .page_slots = 64}>;
using Bitmap = SeriesWith<SeriesOptions{.delta = DeltaRepresentation::bitmap, .page_slots = 64}>;
using Adaptive = SeriesWith<SeriesOptions{.delta = DeltaRepresentation::adaptive, .page_slots = 64}>;
#define ALL_REPRESENTATIONS ::test::DirtyList, ::test::Bitmap, ::test::Adaptive

template <class Series>
inline constexpr bool is_set = !requires { typename Series::mapped_type; };
template <class T>
inline constexpr bool is_series = requires { typename T::writer; };
template <class Series>
constexpr bool nests() {
    if constexpr (is_set<Series>)
        return false;
    else
        return is_series<typename Series::mapped_type>;
}

/// A key or value for each number; strings are too long for the small string buffer.
template <class T>
T made_of(std::uint32_t number) {
    if constexpr (std::is_same_v<T, std::string>)
        return "what lives on the heap, number " + std::to_string(number);
    else
        return static_cast<T>(number);
}

/// How many of so many random rounds are run: a sixth of them, all at full bounds.
inline int rounds_of(int rounds) { return bound(rounds / 6, rounds); }

//=== histories ===//

/// One call of a writer, or a few that belong together, drawn from `random`; the same for the same state of `random` and
/// members.
template <class Writer>
void random_write(Writer& writer, Random& random, std::size_t keys) {
    using Series = typename Writer::storage_type;
    using Key = typename Series::key_type;
    const Key key = made_of<Key>(random.below(keys));
    const auto kind = random.below(100);
    if (kind < 1) return writer.clear();
    if (kind < 2) return writer.invalidate();
    if (kind < 4) return writer.touch();
    if (kind < 7) return static_cast<void>(writer.remove(writer.storage().handle_of(key)));
    if (kind < 20) return static_cast<void>(writer.remove(key));
    if constexpr (is_set<Series>) {
        if (kind < 30) {
            writer.remove(key);
            writer.add(key);
        } else if (kind < 40) {
            writer.add(key);
            writer.remove(key);
        } else if (kind < 45) {
            std::vector<Key> members;
            for (auto n = random.below(keys); n != 0; --n) members.push_back(made_of<Key>(random.below(keys)));
            writer.assign(members);
        } else
            writer.add(key);
    } else if constexpr (nests<Series>()) {
        if (kind < 26) {
            writer.remove(key);
            writer.create(key);
        } else if (kind < 29)
            writer.invalidate(key);
        else if (kind < 32)
            writer.create(key);
        else {
            if (kind < 40) writer.remove(key);
            writer.create(key);
            auto inner = writer.modify(key);
            for (auto n = random.below(4); n != 0; --n) random_write(inner, random, keys);
        }
    } else {
        using T = typename Series::mapped_type;
        const T value = made_of<T>(random.below(1000));
        if (kind < 30) {
            writer.remove(key);
            writer.set(key, value);
        } else if (kind < 36) {
            writer.remove(key);
            writer.create(key);
        } else if (kind < 42) {
            writer.set(key, value);
            writer.remove(key);
        } else if (kind < 46)
            writer.create(key);
        else if (kind < 50)
            writer.invalidate(key);
        else if (kind < 60) {
            if (writer.storage().contains(key)) writer.modify(key) = value;
        } else
            writer.set(key, value);
    }
}

/// A window: nothing at all, or one to three writers, some of them open at once.
template <class Series>
void random_tick(Series& series, Time time, Random& random, std::size_t keys) {
    if (random.chance(7)) return;
    std::optional<typename Series::writer> beside;
    for (auto writers = 1 + random.below(3); writers != 0; --writers) {
        auto writer = series.write(time);
        for (auto n = random.below(5); n != 0; --n) random_write(writer, random, keys);
        if (random.chance(20)) {
            auto joined = series.write_late(time - 1);
            random_write(joined, random, keys);
            beside.emplace(std::move(joined));
        }
    }
    if (beside) random_write(*beside, random, keys);
}

//=== agreement ===//

/// Where the two differ in keys, values and validity, and in times if `times`; "" where they do not.
template <class Series>
std::string difference(const Series& a, const Series& b, bool times = true) {
    const auto differ = [&](Time x, Time y) { return times ? x != y : (x == never) != (y == never); };
    if (a.size() != b.size()) return "sizes " + std::to_string(a.size()) + " and " + std::to_string(b.size());
    if (differ(a.last_modified(), b.last_modified())) return "last_modified()";
    if constexpr (!is_set<Series>) {
        if (differ(a.keys().last_modified(), b.keys().last_modified())) return "keys().last_modified()";
        if (a.count_valid() != b.count_valid()) return "count_valid()";
    }
    std::string result;
    for (const slot_t slot : a.slots()) {
        const auto& key = a.key(slot);
        const slot_t other = b.slot_of(key);
        if (other == no_slot) return "a key that the second has not";
        if (differ(a.times().at(slot), b.times().at(other))) return "last_modified(key)";
        if constexpr (nests<Series>()) {
            if (const auto inner = difference(a.value(slot), b.value(other), times); !inner.empty())
                return "in an element: " + inner;
        } else if constexpr (!is_set<Series>) {
            if (!(a.value(slot) == b.value(other))) return "a value";
        }
    }
    if (!(a == b)) return "operator==";
    return result;
}

/// check_invariants() at every depth, also of what is removed; nested series tick when their elements do.
template <class Series>
bool all_sound(const Series& series) {
    if (!series.check_invariants()) return false;
    if constexpr (nests<Series>())
        for (slot_t slot = 0; slot != static_cast<slot_t>(series.capacity()); ++slot) {
            const SlotState state = series.state(slot);
            if (state != SlotState::live && state != SlotState::pending) continue;
            const auto& inner = series.value(slot);
            if (!all_sound(inner) || series.window() < inner.window()) return false;
            if (state == SlotState::live && series.times().at(slot) != inner.last_modified()) return false;
        }
    return true;
}

//=== bytes ===//

/// Strings as text, everything else as its bytes.
struct SeriesText {
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        if constexpr (std::is_same_v<T, std::string>) {
            out.number(static_cast<std::uint32_t>(value.size()));
            out.raw(value.data(), value.size());
        } else
            DefaultCodec::write(value, out);
    }
    template <class T>
    static T read(ByteReader& in) {
        if constexpr (std::is_same_v<T, std::string>) {
            const auto bytes = in.raw(in.number<std::uint32_t>());
            return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        } else
            return DefaultCodec::read<T>(in);
    }
};

/// The exact state, to be compared.
template <class Series>
auto state_of(const Series& series) {
    return series.snapshot(SeriesText());
}

} // namespace test

#endif
