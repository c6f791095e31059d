// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Described series as subjects of support/whole.hpp: in the middle of a window, with what came, went and was written in it.
#ifndef SLOTWISE_TESTS_SERIES_ANY_SUBJECTS_HPP
#define SLOTWISE_TESTS_SERIES_ANY_SUBJECTS_HPP

#include "keyed/subjects.hpp"
#include "subjects.hpp"

#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>

namespace test {

template <bool Dict, class Key = Tracked, class Value = Tracked, DeltaRepresentation R = DeltaRepresentation::adaptive>
struct DescribedTimes {
    using element = std::byte;
    static constexpr SeriesOptions options{.delta = R};
    template <class A>
    using container = Described<Key,
                                std::conditional_t<Dict, BasicAnyTSDStorage<Options<options>, AllocBy<A>>,
                                                   BasicAnyTSSStorage<Options<options>, AllocBy<A>>>,
                                Dict, Value>;

    template <class Series>
    static void fill(Series& series, int first, int count) {
        const auto window = series.window() == Series::never ? 1 : series.window();
        const auto add = [&](auto& writer, int n, bool valued) {
            const Key key(n);
            if constexpr (Dict) {
                const Value value(10 * n);
                if (valued)
                    writer.set(&key, &value);
                else
                    writer.create(&key);
            } else
                writer.add(&key);
        };
        {
            auto writer = series.write(window);
            for (int i = 0; i != count / 2; ++i) add(writer, first + i, true);
        }
        auto writer = series.write(window + 1);
        for (int i = count / 2; i != count; ++i) add(writer, first + i, false);
        for (int i = 3; i < count; i += 5) add(writer, first + i, true);
        for (int i = 4; i < count; i += 5) {
            const Key key(first + i);
            writer.remove(&key);
        }
    }
    template <class Series>
    static Contents contents(const Series& series) {
        return inner::contents_of_series(
            series, [](const void* key) { return static_cast<const Key*>(key)->value(); },
            [](const void* value) { return static_cast<const Value*>(value)->value(); });
    }
    template <class Series>
    static bool sound(const Series& series) {
        return series.check_invariants();
    }
};

} // namespace test

#endif
