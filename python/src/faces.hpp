// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The two faces of what is found by key, maps and series: where the table is and how it is written.
#ifndef SLOTWISE_PYTHON_FACES_HPP
#define SLOTWISE_PYTHON_FACES_HPP

#include "box.hpp"
#include "convert.hpp"
#include "growing.hpp"

#include <slotwise/core/utf8.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/series/capture.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <optional>

struct ArrowArrayStream;

namespace slotwise_python {

using slotwise::slot_t;

using Time = std::int64_t;
inline constexpr Time never = slotwise::TimeTraits<Time>::never();

/// What is the same for containers whose snapshot is their whole state.
struct WholeSnapshot {
    static nb::object state(const auto&) { return nb::none(); }
    static std::nullptr_t state_from(nb::handle) { return nullptr; }
    static void set_state(auto&, std::nullptr_t) {}
};
/// @throws std::invalid_argument when a text is not UTF-8: a std::string holds any bytes, a str does not
template <class K>
void expect_text([[maybe_unused]] const K& key) {
    if constexpr (std::is_same_v<K, std::string>)
        if (!slotwise::detail::is_utf8(key)) throw std::invalid_argument("snapshot: a key is not UTF-8");
}
template <class Table>
void expect_texts([[maybe_unused]] const Table& table) {
    if constexpr (std::is_same_v<typename Table::key_type, std::string>)
        for (const slot_t slot : table.live_slots()) expect_text(table.key(slot));
}

/// A map from K to T.
template <class K, class T>
struct MapFace : WholeSnapshot {
    using key_type = K;
    using mapped_type = T;
    using value_type = T; ///< what is written
    using container = slotwise::MapStorage<
        K, T, slotwise::AllocBy<Moving<K>>,
        slotwise::Options<slotwise::KeySetOptions{.max_slots = most_slots, .growth = slotwise::Growth::reserve}>>;
    struct box : Box<container> {};
    static constexpr const char* when = "";

    static void expect_sound(const container& c) { expect_texts(c); }
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
    using value_type = std::optional<T>;
    using container = slotwise::TSDStorage<
        K, T, slotwise::AllocBy<Moving<K>>,
        slotwise::Options<slotwise::SeriesOptions{.max_slots = most_slots, .growth = slotwise::Growth::reserve}>>;
    struct box : Box<container> {
        Time previous = never; ///< the window before the open one
        bool knows_previous = true;
    };
    using writer_type = decltype(std::declval<container&>().write(Time{}));
    static constexpr const char* when = ", *, time: int";

    static void expect_sound(const container& c) {
        expect_texts(c.as_map());
        if constexpr (std::is_same_v<K, std::string>) // keys that were removed in the open window come by capture()
            for (const K& key : slotwise::capture(c, c.window()).removed) expect_text(key);
    }
    static nb::object state(const box& b) {
        const auto [previous, known] = briefly(b, [&] { return std::pair(b.previous, b.knows_previous); });
        return known ? nb::cast(previous) : nb::none();
    }
    static std::optional<Time> state_from(nb::handle previous) { return Py<std::optional<Time>>::from(previous, "state"); }
    static void set_state(box& b, std::optional<Time> previous) {
        briefly(b, [&] {
            b.previous = previous.value_or(never);
            b.knows_previous = previous.has_value() || b.data.read().window() == never;
        });
    }
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
    static void set(W& w, const K& key, std::optional<T> value) {
        if (value)
            w.set(key, *value);
        else if (!w.create(key).inserted)
            w.invalidate(key);
    }
};

/// Writes the rows of a stream, see slotwise::import_stream. Defined in import.cpp.
template <class To>
void import_rows(ArrowArrayStream* stream, To& to);

} // namespace slotwise_python

#endif
