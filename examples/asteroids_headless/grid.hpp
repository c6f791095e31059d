// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A uniform grid over the field: which things are close enough to touch. Filled again each tick; its arrays keep their memory.

#pragma once

#include "components.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace asteroids {

class Grid {
public:
    static constexpr std::int32_t cell = 64; ///< no two things that touch are farther apart than a cell
    static constexpr std::int32_t columns = field_width / cell, rows = field_height / cell;
    static_assert(widest + widest <= Fixed(cell) && columns >= 3 && rows >= 3,
                  "a thing's neighbours are in the nine cells around it");

    /// Sorts everything into its cell: a counting sort, which keeps slot order inside a cell.
    void fill(const Bodies& bodies) {
        first_.fill(0);
        for (const Body& body : bodies) ++first_[cell_of(body.at) + 1];
        for (std::size_t i = 1; i != first_.size(); ++i) first_[i] += first_[i - 1];
        things_.resize(bodies.size());
        auto next = first_;
        for (const auto [thing, body] : bodies.items()) things_[next[cell_of(body.at)]++] = {thing, &body};
    }

    /// Calls f(thing, body, other, other body) once for each pair whose circles overlap. Nothing may be inserted or erased
    /// meanwhile.
    template <class F>
    void for_each_touching(F&& f) const {
        for (std::int32_t row = 0; row != rows; ++row)
            for (std::int32_t column = 0; column != columns; ++column) {
                const std::size_t here = index(column, row);
                for (std::size_t a = first_[here]; a != first_[here + 1]; ++a) {
                    for (std::size_t b = a + 1; b != first_[here + 1]; ++b) meet(things_[a], things_[b], f);
                    // Half of the neighbours: the other half looks here.
                    for (const auto& [right, down] : {Step{1, 0}, Step{-1, 1}, Step{0, 1}, Step{1, 1}}) {
                        const std::size_t there = index((column + right + columns) % columns, (row + down) % rows);
                        for (std::size_t b = first_[there]; b != first_[there + 1]; ++b) meet(things_[a], things_[b], f);
                    }
                }
            }
    }

private:
    struct Entry {
        Thing thing;
        const Body* body = nullptr; // addresses in a SlotMap are stable
    };
    struct Step {
        std::int32_t right, down;
    };

    static constexpr std::size_t index(std::int32_t column, std::int32_t row) {
        return static_cast<std::size_t>(row * columns + column);
    }
    static constexpr std::size_t cell_of(Vec at) { return index(at.x.whole() / cell, at.y.whole() / cell); }
    template <class F>
    static void meet(const Entry& a, const Entry& b, F& f) {
        const Vec between = way(a.body->at, b.body->at);
        const Fixed reach = a.body->radius + b.body->radius;
        if (within(between, reach) && length(between) < reach) f(a.thing, *a.body, b.thing, *b.body);
    }

    std::array<std::size_t, std::size_t{columns} * rows + 1> first_{}; // of each cell in things_
    std::vector<Entry> things_;
};

} // namespace asteroids
