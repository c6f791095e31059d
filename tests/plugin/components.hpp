// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a host and its plugin share: components, and the functions of the plugin.
#ifndef SLOTWISE_TESTS_PLUGIN_COMPONENTS_HPP
#define SLOTWISE_TESTS_PLUGIN_COMPONENTS_HPP

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/rows/described_value.hpp>

#include <cstdio>
#include <string>

namespace game {
struct Position {
    float x = 0, y = 0;
};
struct Name {
    std::string text{};
};
struct Hidden {};
struct Note { // sparse
    std::string text{};
};
struct Unused { // that only one side has, or none
    int value = 0;
};
template <class T>
struct Box {
    T value{};
};
} // namespace game

namespace {
struct Local { // known in one library only, but for a name that both give it
    int value = 1;
};
struct Nameless {
    int value = 2;
};
} // namespace

/// What a host finds in a plugin.
#if defined(_WIN32)
#define SLOTWISE_TEST_EXPORT extern "C" __declspec(dllexport)
#else
#define SLOTWISE_TEST_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace test {

inline int failures = 0;
inline void expect(bool holds, const char* where, const char* what) {
    if (holds) return;
    std::printf("%s: %s\n", where, what);
    ++failures;
}

/// What the host gives to the plugin.
struct Shared {
    slotwise::ArchetypeStore* store;
    slotwise::CommandBuffer* buffer;
    slotwise::AnyCodec* codec;
    slotwise::DescribedValue* text; ///< "described"
    slotwise::SlotMap<std::string>* lines;
    slotwise::MapStorage<int, std::string>* words;
    slotwise::Entity first;     ///< has a Position, a Name and a Local
    slotwise::Entity spawned{}; ///< by the plugin, with the same
    slotwise::Entity moved{};   ///< by the plugin into a table that it made
    std::uint32_t nameless = 0; ///< the number of the plugin's Nameless
};
using Run = int (*)(Shared*);

} // namespace test

#endif
