// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An animation: hunters keep handles of fish, fish are eaten, and their slots go to other fish. Usage: hunters [file.svg].
// Numbers are integers (a sixteenth of a pixel), so that every machine writes the same picture. docs/hunters.svg is that picture.

#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int width = 720, height = 300, unit = 16, frames = 120, still = 60; // still: the frame for viewers without animation

struct Point {
    int x = 0, y = 0;
};
struct Fish {
    Point at, speed;
    int name = 0; // another one for each fish that was ever born
};
// Where a fish was in each frame of its life.
struct Track {
    int born = 0;
    std::vector<Point> at;
};
using School = slotwise::SlotMap<Fish, slotwise::Column<Track>>;
struct Hunter {
    Point at;
    School::handle_type prey; // stale as soon as somebody has eaten it
    int name = 0;             // of the prey, to see that the handle never finds another fish
    int idle = 0;
    Track path, aim;
};

struct Random {
    std::uint32_t state = 1;
    int below(int n) {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>((state >> 8) % static_cast<std::uint32_t>(n));
    }
};

// Near enough to the length of a vector.
int length(Point p) {
    const int x = std::abs(p.x), y = std::abs(p.y);
    return std::max(x, y) + std::min(x, y) / 2;
}
Point towards(Point from, Point to, int step) {
    const Point way{to.x - from.x, to.y - from.y};
    const int far = std::max(length(way), 1);
    return far <= step ? to : Point{from.x + way.x * step / far, from.y + way.y * step / far};
}

class Sea {
public:
    int eaten = 0, stale = 0, reused = 0, mistaken = 0;
    std::vector<Hunter> hunters;
    std::vector<std::pair<slotwise::slot_t, Track>> tracks; // of all fish, with their slots

    Sea() {
        for (int i = 0; i != 26; ++i) spawn(0);
        for (int i = 0; i != 6; ++i)
            hunters.push_back({{width * unit * (2 * i + 1) / 12, height * unit / 2}, {}, 0, 0, {}, {}});
    }
    void step(int frame) {
        if (frame % 3 == 0 && fish_.size() < 26) spawn(frame);
        fish_.for_each([&](Fish& fish) {
            fish.at = {fish.at.x + fish.speed.x, fish.at.y + fish.speed.y};
            if (fish.at.x < 12 * unit || fish.at.x > (width - 12) * unit) fish.speed.x = -fish.speed.x;
            if (fish.at.y < 12 * unit || fish.at.y > (height - 12) * unit) fish.speed.y = -fish.speed.y;
        });
        for (Hunter& hunter : hunters) hunt(hunter);
        for (auto [handle, fish] : fish_.items()) fish_.column<Track>()[handle].at.push_back(fish.at);
    }
    void finish() {
        while (!fish_.empty()) bury(*fish_.handles().begin());
    }

private:
    void spawn(int frame) {
        const int x = 20 + random_.below(width - 40), y = 20 + random_.below(height - 40);
        const Point speed{(random_.below(5) - 2) * unit, (random_.below(5) - 2) * unit / 2 + 5};
        const auto born = fish_.insert({{x * unit, y * unit}, speed, ++names_});
        fish_.column<Track>()[born].born = frame;
        reused += born.version() > 1;
    }
    void bury(School::handle_type gone) {
        tracks.emplace_back(gone.index(), std::move(fish_.column<Track>()[gone]));
        fish_.erase(gone);
    }
    void hunt(Hunter& hunter) {
        const Fish* prey = fish_.get(hunter.prey); // null when it was eaten, also if its slot has another fish now
        if (prey == nullptr && hunter.prey && hunter.idle == 0) {
            ++stale;
            hunter.prey = {};
            hunter.idle = 4; // so that one sees it
        }
        if (hunter.idle != 0 && --hunter.idle == 0) prey = nullptr;
        if (prey == nullptr && hunter.idle == 0) {
            int nearest = width * unit;
            for (auto [handle, fish] : fish_.items()) {
                const int far = length({fish.at.x - hunter.at.x, fish.at.y - hunter.at.y});
                if (far < nearest) nearest = far, hunter.prey = handle, hunter.name = fish.name, prey = &fish;
            }
        }
        if (prey != nullptr && prey->name != hunter.name) ++mistaken;
        if (prey != nullptr) hunter.at = towards(hunter.at, prey->at, 5 * unit);
        hunter.path.at.push_back(hunter.at);
        hunter.aim.at.push_back(prey != nullptr ? prey->at : hunter.at);
        if (prey != nullptr && length({prey->at.x - hunter.at.x, prey->at.y - hunter.at.y}) < 3 * unit) {
            bury(hunter.prey);
            ++eaten;
        }
    }

    School fish_;
    Random random_;
    int names_ = 0;
};

// The animation of one attribute: a value for each frame, that of the first and last one where there is none.
void animate(std::ostream& out, const char* attribute, const Track& track, int Point::*part) {
    out << "<animate attributeName=\"" << attribute << "\" dur=\"12s\" repeatCount=\"indefinite\" values=\"";
    const int last = static_cast<int>(track.at.size()) - 1;
    for (int frame = 0; frame != frames; ++frame)
        out << (frame == 0 ? "" : ";")
            << track.at[static_cast<std::size_t>(std::clamp(frame - track.born, 0, last))].*part / unit;
    out << "\"/>";
}
Point at(const Track& track, int frame) {
    const int last = static_cast<int>(track.at.size()) - 1;
    const Point p = track.at[static_cast<std::size_t>(std::clamp(frame - track.born, 0, last))];
    return {p.x / unit, p.y / unit};
}
std::string share(int frame) { // of the time, as 0.500
    const std::string digits = std::to_string(1000 + std::min(frame * 1000 / frames, 999));
    return "0." + digits.substr(1);
}

void draw(std::ostream& out, const Sea& sea) {
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height + 44
        << "\" font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" "
           "fill=\"#0d1b2a\"/>\n";
    for (const auto& [slot, track] : sea.tracks) {
        const int end = track.born + static_cast<int>(track.at.size());
        const Point here = at(track, still);
        out << "<circle r=\"5\" cx=\"" << here.x << "\" cy=\"" << here.y << "\" fill=\"hsl(" << slot * 47 % 360
            << ",80%,65%)\" opacity=\"" << (track.born <= still && still < end) << "\">";
        animate(out, "cx", track, &Point::x);
        animate(out, "cy", track, &Point::y);
        out << "<animate attributeName=\"opacity\" dur=\"12s\" repeatCount=\"indefinite\" calcMode=\"discrete\" values=\""
            << (track.born == 0) << ";1;" << (end >= frames) << "\" keyTimes=\"0;" << share(track.born) << ';' << share(end)
            << "\"/></circle>\n";
    }
    for (const Hunter& hunter : sea.hunters) {
        const Point here = at(hunter.path, still), there = at(hunter.aim, still);
        out << "<line stroke=\"#fff\" stroke-opacity=\".6\" x1=\"" << here.x << "\" y1=\"" << here.y << "\" x2=\"" << there.x
            << "\" y2=\"" << there.y << "\">";
        animate(out, "x1", hunter.path, &Point::x);
        animate(out, "y1", hunter.path, &Point::y);
        animate(out, "x2", hunter.aim, &Point::x);
        animate(out, "y2", hunter.aim, &Point::y);
        out << "</line>\n<circle r=\"8\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2.5\" cx=\"" << here.x << "\" cy=\""
            << here.y << "\">";
        animate(out, "cx", hunter.path, &Point::x);
        animate(out, "cy", hunter.path, &Point::y);
        out << "</circle>\n";
    }
    out << "<text x=\"14\" y=\"" << height + 14
        << "\" fill=\"#fff\">Dots: elements, coloured by slot. Rings: hunters. Lines: handles.</text>\n"
        << "<text x=\"14\" y=\"" << height + 33 << "\" fill=\"#9fb3c8\">" << sea.eaten << " eaten, " << sea.reused
        << " born into a used slot, " << sea.stale << " handles found stale, " << sea.mistaken
        << " taken for another fish.</text>\n</svg>\n";
}

} // namespace

int main(int argc, char** argv) {
    Sea sea;
    for (int frame = 0; frame != frames; ++frame) sea.step(frame);
    sea.finish();
    const char* const name = argc > 1 ? argv[1] : "hunters.svg";
    std::ofstream file(name, std::ios::binary);
    draw(file, sea);
    file.close();
    std::cout << name << ": " << frames << " frames; " << sea.eaten << " fish eaten, " << sea.reused
              << " born into a used slot, " << sea.stale << " handles found stale, " << sea.mistaken
              << " taken for another fish\n";
    const bool passed = file && sea.eaten > 10 && sea.reused > 10 && sea.stale >= sea.eaten / 2 && sea.mistaken == 0;
    std::cout << "check: " << (passed ? "passed" : "FAILED") << '\n';
    return passed ? 0 : 1;
}
