// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The two faces of what is found by key, maps and series: where the table is and how it is written.
#ifndef SLOTWISE_PYTHON_FACES_HPP
#define SLOTWISE_PYTHON_FACES_HPP

#include "box.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/series/tsd_storage.hpp>

struct ArrowArrayStream;

namespace slotwise_python {

using slotwise::slot_t;

/// Address space for so many slots is reserved for each column, so that a column without holes is one array.
inline constexpr std::size_t most_slots = std::size_t{1} << 28;

using Time = std::int64_t;
inline constexpr Time never = slotwise::TimeTraits<Time>::never();

/// A map from K to T.
template <class K, class T>
struct MapFace {
    using key_type = K;
    using mapped_type = T;
    using container = slotwise::MapStorage<
        K, T, slotwise::Options<slotwise::KeySetOptions{.max_slots = most_slots, .growth = slotwise::Growth::reserve}>>;
    struct box : Box<container> {};
    static constexpr const char* when = "";

    static const container& table(const container& c) { return c; }
    static bool has_value(const container&, slot_t) { return true; }
    static bool all_have_values(const container&) { return true; }
    static container& writer(box&, container& c) { return c; }
    static void set(container& c, const K& key, T value) { c.insert_or_assign(key, value); }
};

/// A series: a map over time.
template <class K, class T>
struct SeriesFace {
    using key_type = K;
    using mapped_type = T;
    using container = slotwise::TSDStorage<
        K, T, slotwise::Options<slotwise::SeriesOptions{.max_slots = most_slots, .growth = slotwise::Growth::reserve}>>;
    struct box : Box<container> {
        Time previous = never; ///< the window before the open one
        bool knows_previous = true;
    };
    using writer_type = decltype(std::declval<container&>().write(Time{}));
    static constexpr const char* when = ", *, time: int";

    static const auto& table(const container& c) { return c.as_map(); }
    static bool has_value(const container& c, slot_t slot) { return c.valid_at(slot); }
    static bool all_have_values(const container& c) { return c.count_valid() == c.size(); }
    static auto writer(box& b, container& c, Time time) {
        const Time window = c.window();
        auto result = c.write(time);
        if (window < time) {
            b.previous = window;
            b.knows_previous = true;
        }
        return result;
    }
    template <class W>
    static void set(W& w, const K& key, T value) {
        w.set(key, value);
    }
};

/// Writes the rows of a stream, see slotwise::import_stream. Defined in import.cpp.
template <class To>
void import_rows(ArrowArrayStream* stream, To& to);

} // namespace slotwise_python

#endif
