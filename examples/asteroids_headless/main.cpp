// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Asteroids without a player: a ship, rocks that split, turrets, bullets and sparks, in fixed steps of fixed-point numbers.
// Things refer to each other by handles, which are stale when the other one is gone. A run that is saved and restored in the
// middle ends in the same world as one that is not.
//
//   asteroids_headless                 10,000 ticks, the last frame, what happened, and whether everything holds
//   asteroids_headless --frame N       the frame of tick N, no more
//   asteroids_headless --watch         in a terminal, 60 ticks a second; N of --ticks ends it
//   --ticks N, --seed N                another run

#include "draw.hpp"
#include "run.hpp"

#include <charconv>
#include <chrono>
#include <exception>
#include <iomanip>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace asteroids;

constexpr std::uint32_t most_ticks = 100'000'000;

struct Options {
    std::uint32_t ticks = 10'000;
    std::uint64_t seed = 1;
    std::optional<std::uint32_t> frame;
    bool watch = false;
};

template <class N>
std::optional<N> number(std::string_view text, N limit) {
    N result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || end != text.data() + text.size() || result > limit) return std::nullopt;
    return result;
}

std::optional<Options> parsed(const std::vector<std::string_view>& arguments) {
    Options options;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--watch") {
            options.watch = true;
            continue;
        }
        if (++i == arguments.size()) return std::nullopt;
        const auto count = number<std::uint32_t>(arguments[i], most_ticks);
        const auto seed = number<std::uint64_t>(arguments[i], ~std::uint64_t{0});
        if (name == "--seed" && seed)
            options.seed = *seed;
        else if (name == "--ticks" && count && *count != 0)
            options.ticks = *count;
        else if (name == "--frame" && count)
            options.frame = count;
        else
            return std::nullopt;
    }
    if (options.watch && options.frame) return std::nullopt;
    return options;
}

void watch(const Options& options) {
    using namespace std::chrono;
    World world(options.seed);
    auto next = steady_clock::now();
    for (std::uint32_t tick = 0; tick != options.ticks && std::cout; ++tick) {
        world.step();
        std::cout << (tick == 0 ? "\x1B[2J" : "") << "\x1B[H" << picture(world) << std::flush;
        std::this_thread::sleep_until(next += microseconds(16'667));
    }
}

void report(const Outcome& outcome) {
    const World& world = outcome.world;
    const Tally& tally = world.tally();
    std::cout << "\nthings     " << world.bodies().size() << " at the end, " << tally.peak_bodies << " at the peak, in "
              << world.bodies().capacity() << " slots\n"
              << "particles  " << world.particles().size() << " at the end, " << tally.peak_particles << " at the peak\n"
              << "happened   " << tally.waves << " waves, " << tally.rocks_broken << " rocks broken, " << tally.shots
              << " shots, " << tally.ships_lost << " ships and " << tally.turrets_lost << " turrets lost\n"
              << "stale      " << tally.gone_stale() << " handles were noticed to be: " << tally.targets_gone << " targets, "
              << tally.shooters_gone << " shooters, " << tally.sparks_gone << " tracers, " << tally.late_touches
              << " things touched once more\n"
              << "a save     " << world.save().size() << " bytes\n"
              << "checksum   " << std::hex << std::setw(16) << std::setfill('0') << outcome.checksum << std::dec << "\n\n";
}

} // namespace

int main(int argc, char** argv) {
    const auto options = parsed({argv + (argc > 0), argv + argc});
    if (!options) {
        std::cerr << "asteroids_headless: usage: asteroids_headless [--ticks N] [--seed N] [--frame N | --watch]\n";
        return 2;
    }
    try {
        if (options->watch) {
            watch(*options);
            return 0;
        }
        const Outcome outcome = run(options->seed, options->frame.value_or(options->ticks));
        std::cout << picture(outcome.world);
        if (options->frame) return std::cout.good() ? 0 : 1;
        report(outcome);
        const bool ok = check(outcome, options->seed, std::cout);
        std::cout << "check: " << (ok ? "passed" : "FAILED") << std::endl;
        return ok && std::cout.good() ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "asteroids_headless: " << error.what() << '\n';
        return 1;
    }
}
