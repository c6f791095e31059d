// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A fountain of particles. A struct describes one; SoaStruct keeps each member in an array of its own. A step moves them by
// blocks of 64 rows, loops that the compiler turns into vector instructions, and culls the dead. The last step is drawn into
// a picture.
//
//   particles_soa            600 steps, the picture in particles.ppm, and whether a plain vector of structs has the same particles
//   particles_soa FILE       the picture in FILE

#include <slotwise/rows/soa_struct.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct Particle {
    float x = 0, y = 0;   // in pixels; y upwards
    float vx = 0, vy = 0; // pixels a step
    std::int32_t life = 0;
    std::array<std::uint8_t, 3> colour{};
};

using Particles =
    slotwise::SoaStruct<&Particle::x, &Particle::y, &Particle::vx, &Particle::vy, &Particle::life, &Particle::colour>;

constexpr int width = 320, height = 240, steps = 600, born_a_step = 40;
constexpr float gravity = 0.02f;

class Source {
public:
    Particle next() {
        const float angle = (unit() - 0.5f) * 0.7f, speed = 1.9f + 0.8f * unit();
        const auto green = static_cast<std::uint8_t>(40 + 80 * unit());
        return {width / 2.0f,   10, speed * std::sin(angle), speed * std::cos(angle), 200 + static_cast<int>(80 * unit()),
                {90, green, 20}};
    }

private:
    float unit() { // 0 to 1
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<float>(state_ >> 40) / static_cast<float>(1u << 24);
    }
    std::uint64_t state_ = 7;
};

void step(Particles& particles) {
    particles.for_each_block<64, &Particle::vy>([](auto vys) {
        for (float& vy : vys) vy -= gravity;
    });
    particles.for_each_block<64, &Particle::x, &Particle::vx>([](auto xs, auto vxs) {
        for (std::size_t i = 0; i != xs.size(); ++i) xs[i] += vxs[i];
    });
    particles.for_each_block<64, &Particle::y, &Particle::vy>([](auto ys, auto vys) {
        for (std::size_t i = 0; i != ys.size(); ++i) ys[i] += vys[i];
    });
    for (std::int32_t& life : particles.column<&Particle::life>()) --life;
    particles.erase_if([](const auto& row) { return row.template get<&Particle::life>() == 0; });
}

/// The same without columns.
void step(std::vector<Particle>& particles) {
    for (Particle& each : particles) {
        each.vy -= gravity;
        each.x += each.vx;
        each.y += each.vy;
        --each.life;
    }
    std::erase_if(particles, [](const Particle& each) { return each.life == 0; });
}

/// Light adds up where particles overlap.
bool draw(const Particles& particles, const std::string& file) {
    std::vector<std::uint8_t> pixels(std::size_t{3} * width * height);
    for (const auto& [x, y, colour] : particles.rows<&Particle::x, &Particle::y, &Particle::colour>()) {
        const int column = static_cast<int>(x), row = height - 1 - static_cast<int>(y);
        if (x < 0 || y < 0 || column >= width || row < 0) continue;
        for (std::size_t i = 0; i != colour.size(); ++i) {
            std::uint8_t& light = pixels[3 * (static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)) + i];
            light = static_cast<std::uint8_t>(std::min(255, light + colour[i]));
        }
    }
    std::ofstream out(file, std::ios::binary);
    out << "P6\n" << width << ' ' << height << "\n255\n";
    out.write(reinterpret_cast<const char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
    return static_cast<bool>(out);
}

/// Equal but for rounding, which may differ between a loop that is vectorised and one that is not.
bool is_close(const Particle& a, const Particle& b) {
    return std::abs(a.x - b.x) < 0.01f && std::abs(a.y - b.y) < 0.01f && a.life == b.life && a.colour == b.colour;
}

} // namespace

int main(int argc, char** argv) {
    Particles particles;
    std::vector<Particle> plain;
    Source source;
    for (int time = 0; time != steps; ++time) {
        for (int i = 0; i != born_a_step; ++i) {
            particles.push_back(source.next());
            plain.push_back(particles.back()); // converts to the struct
        }
        step(particles);
        step(plain);
    }
    bool right = particles.size() == plain.size() && particles.check_invariants() && particles.size() > 5000;
    for (std::size_t row = 0; right && row != plain.size(); ++row) right = is_close(particles[row], plain[row]);
    particles.sort<&Particle::life>(); // the youngest are drawn last
    const std::string file = argc > 1 ? argv[1] : "particles.ppm";
    if (!draw(particles, file)) {
        std::cerr << "cannot write " << file << '\n';
        return 1;
    }
    std::cout << particles.size() << " particles in " << file << (right ? ", as a plain vector has them\n" : ": WRONG\n");
    return right ? 0 : 1;
}
