// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series as subjects of support/whole.hpp: in the middle of a window, with what came, went and was written in it.
#ifndef SLOTWISE_TESTS_SERIES_SUBJECTS_HPP
#define SLOTWISE_TESTS_SERIES_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/series/tsd_storage.hpp>

namespace test {

using namespace slotwise;

namespace inner {
struct NumberOf {
    template <class T>
    std::int64_t operator()(const T& element) const {
        return element.value();
    }
};
/// Members, handles, times and deltas. The functions give the number of a key and of a value.
template <class Series, class OfKey = NumberOf, class OfValue = NumberOf>
Contents contents_of_series(const Series& series, OfKey of_key = {}, OfValue of_value = {}) {
    const auto window = series.window();
    Contents all{window, series.last_modified(), static_cast<std::int64_t>(series.pending())};
    for (slot_t slot = 0; slot != series.occupancy().size(); ++slot) {
        const SlotState state = series.state(slot);
        if (state != SlotState::live && state != SlotState::pending) continue;
        all.push_back(slot);
        all.push_back(static_cast<std::int64_t>(state));
        all.push_back(static_cast<std::int64_t>(series.handle_at(slot).to_bits()));
        all.push_back(of_key(series.key(slot)));
        all.push_back(series.times().at(slot));
        all.push_back(series.tracker().was_added(slot, window));
        all.push_back(series.tracker().was_removed(slot, window));
        if constexpr (requires { series.value(slot); }) all.push_back(of_value(series.value(slot)));
    }
    return all;
}
} // namespace inner

template <class Key, class Hash, class Equal, DeltaRepresentation R>
struct TimeSets {
    using element = Key;
    template <class A>
    using container =
        TSSStorage<Key, HashBy<Hash>, EqualBy<Equal>, Options<SeriesOptions{.delta = R, .page_slots = 64}>, AllocBy<A>>;

    template <class Series>
    static void fill(Series& series, int first, int count) {
        const auto window = series.window() == Series::never ? 1 : series.window();
        {
            auto w = series.write(window);
            for (int i = 0; i != count / 2; ++i) w.add(Key(first + i));
        }
        auto w = series.write(window + 1);
        for (int i = count / 2; i != count; ++i) w.add(Key(first + i));
        for (int i = 4; i < count; i += 5) w.remove(Key(first + i));
    }
    template <class Series>
    static Contents contents(const Series& series) {
        return inner::contents_of_series(series);
    }
    template <class Series>
    static bool sound(const Series& series) {
        return series.check_invariants();
    }
};

template <class Key, class T, class Hash, class Equal, DeltaRepresentation R>
struct TimeDicts {
    using element = Key;
    template <class A>
    using container =
        TSDStorage<Key, T, HashBy<Hash>, EqualBy<Equal>, Options<SeriesOptions{.delta = R, .page_slots = 64}>, AllocBy<A>>;

    template <class Series>
    static void fill(Series& series, int first, int count) {
        const auto window = series.window() == Series::never ? 1 : series.window();
        {
            auto w = series.write(window);
            for (int i = 0; i != count / 2; ++i) w.set(Key(first + i), T(10 * i));
        }
        auto w = series.write(window + 1);
        for (int i = count / 2; i != count; ++i) w.create(Key(first + i));
        for (int i = 3; i < count; i += 5) w.set(Key(first + i), T(11 * i));
        for (int i = 4; i < count; i += 5) w.remove(Key(first + i));
    }
    template <class Series>
    static Contents contents(const Series& series) {
        Contents all = inner::contents_of_series(series);
        for (const auto& key : series.modified_keys(series.window())) all.push_back(key.value());
        return all;
    }
    template <class Series>
    static bool sound(const Series& series) {
        return series.check_invariants();
    }
};

struct ValueHash {
    template <class Key>
    std::size_t operator()(const Key& key) const noexcept {
        return static_cast<std::size_t>(key.value());
    }
};

} // namespace test

#endif
