// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arrow_body.hpp"

namespace {

using namespace wire;

constexpr std::uint64_t (*bodies[])(Input&) = {
    &wire::run<MapWorld<std::uint64_t, double>>,
    &wire::run<MapWorld<std::string, std::int32_t>>,
    &wire::run<MapWorld<std::int64_t, bool>>,
    &wire::run<MapWorld<std::string, FuzzPair>>,
    &wire::run<SetWorld<std::int16_t>>,
    &wire::run<SetWorld<std::string>>,
    &wire::run<ImportWorld<TSDStorage<std::string, double, Times>, std::string, double, true>>,
    &wire::run<ImportWorld<TSDStorage<std::uint32_t, FuzzPair, Times>, std::uint32_t, FuzzPair, true>>,
    &wire::run<ImportWorld<TSSStorage<std::uint32_t, Times>, std::uint32_t, void, true>>,
    &wire::run<DeltaWorld<TSDStorage<std::string, std::int32_t, Times>, std::int32_t>>,
    &wire::run<DeltaWorld<TSDStorage<std::uint64_t, std::int64_t, Times>, std::int64_t>>,
    &wire::run<DeltaWorld<TSSStorage<std::uint64_t, Times>, void>>,
};

std::uint64_t fuzz_one(Input& input) { return bodies[input.below(std::size(bodies))](input); }

} // namespace

#include "driver.hpp"
