// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "draw.hpp"
#include "world.hpp"

#include <cstdlib>

namespace asteroids {
namespace {

constexpr int columns = 96, rows = 24;

class Canvas {
public:
    void set(Vec at, char mark) { cell(column_of(at), row_of(at)) = mark; }
    /// All cells whose middle is in the circle, across the edges too; the one it is in at least.
    void disc(Vec middle, Fixed radius, char mark) {
        const int across = radius.whole() * columns / field_width + 1, down = radius.whole() * rows / field_height + 1;
        for (int dy = -down; dy <= down; ++dy)
            for (int dx = -across; dx <= across; ++dx) {
                const int column = (column_of(middle) + dx + columns) % columns, row = (row_of(middle) + dy + rows) % rows;
                if (length(way(middle, middle_of(column, row))) < radius) cell(column, row) = mark;
            }
        set(middle, mark);
    }
    std::string text() const {
        const std::string edge = '+' + std::string(columns, '-') + "+\n";
        std::string result = edge;
        for (std::size_t row = 0; row != rows; ++row) result.append("|").append(cells_, row * columns, columns).append("|\n");
        return result + edge;
    }

private:
    static int column_of(Vec at) { return at.x.whole() * columns / field_width; }
    static int row_of(Vec at) { return at.y.whole() * rows / field_height; }
    static Vec middle_of(int column, int row) {
        return {Fixed::ratio(std::int64_t{2 * column + 1} * field_width, std::int64_t{2} * columns),
                Fixed::ratio(std::int64_t{2 * row + 1} * field_height, std::int64_t{2} * rows)};
    }
    char& cell(int column, int row) {
        return cells_[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
    }

    std::string cells_ = std::string(std::size_t{columns} * rows, ' ');
};

char ship_mark(Vec heading) {
    if (std::abs(heading.x.raw) > std::abs(heading.y.raw)) return heading.x.raw > 0 ? '>' : '<';
    return heading.y.raw > 0 ? 'v' : '^';
}

} // namespace

std::string picture(const World& world) {
    Canvas canvas;
    world.particles().for_each([&](const Place& place, const Drift&, const Glow& glow) {
        canvas.set(place.at, glow.life > 20 ? '*' : glow.life > 10 ? '\'' : '.');
    });
    for (const Kind layer : {Kind::rock, Kind::turret, Kind::bullet, Kind::ship})
        for (const auto [thing, body] : world.bodies().items()) {
            if (body.kind != layer) continue;
            switch (layer) {
            case Kind::rock:
                canvas.disc(body.at, body.radius, world.seeking(thing) ? '%' : '#');
                break;
            case Kind::turret:
                canvas.set(body.at, 'T');
                break;
            case Kind::bullet:
                canvas.set(body.at, ':');
                break;
            case Kind::ship:
                if (world.shielded(thing)) canvas.disc(body.at, Fixed(20), 'o');
                canvas.set(body.at, ship_mark(body.heading));
            }
        }
    const auto number = [](auto value) { return std::to_string(value); };
    return canvas.text() + "tick " + number(world.tick()) + ": " + number(world.bodies().size()) + " things, of them " +
           number(world.rocks()) + " rocks (% homing) and " + number(world.turrets()) + " turrets; " +
           number(world.particles().size()) + " particles; ship " +
           (world.bodies().contains(world.ship()) ? "flying" : "lost") + '\n';
}

} // namespace asteroids
