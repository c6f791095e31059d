// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: what does a container of one element hold? A line each: container, its own bytes, bytes it asks operator new for,
// and calls of it.
#include "../../support/element.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <unordered_map>

namespace {

std::size_t bytes = 0;
std::size_t calls = 0;

void* counted(void* memory, std::size_t size) {
    if (memory == nullptr) throw std::bad_alloc();
    bytes += size;
    ++calls;
    return memory;
}

template <class Container, class Insert>
void tell(const char* name, Insert insert) {
    bytes = calls = 0;
    Container container;
    insert(container);
    std::printf("%s %zu %zu %zu\n", name, sizeof(Container), bytes, calls);
}

struct Kilobyte {
    unsigned char bytes[1024];
};
using Number = std::uint64_t;

} // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size), size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto grain = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(grain, (size + grain - 1) / grain * grain), size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

int main() {
    tell<slotwise::SlotMap<bench::Element16>>("SlotMap_16", [](auto& map) { map.emplace(); });
    tell<slotwise::SlotMap<Kilobyte>>("SlotMap_1024", [](auto& map) { map.emplace(); });
    tell<slotwise::MapStorage<Number, Number>>("MapStorage_8_8", [](auto& map) { map.try_emplace(1, 1u); });
    tell<slotwise::TSDStorage<Number, Number>>("TSDStorage_8_8", [](auto& map) { map.write(1).try_emplace(1, 1u); });
    tell<std::unordered_map<Number, Number>>("unordered_map_8_8", [](auto& map) { map.try_emplace(1, 1u); });
}
