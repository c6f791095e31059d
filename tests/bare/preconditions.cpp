// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions a broken precondition and an error alike end the program with a message.
#define SLOTWISE_TESTS_BARE_NO_HOOK
#include "bare.hpp"

using namespace slotwise;

namespace {

SlotMap<int>::handle_type stale(SlotMap<int>& map) {
    const auto handle = map.insert(1);
    map.erase(handle);
    return handle;
}

const bare::Case cases[] = {
    {"get", nullptr,
     [] {
         SlotMap<int> map;
         static_cast<void>(map.get(stale(map)));
     }},
    {"brackets", "no element has this handle",
     [] {
         SlotMap<int> map;
         std::printf("%d\n", map[stale(map)]);
     }},
    {"at", "no element has this handle",
     [] {
         SlotMap<int> map;
         std::printf("%d\n", map.at(stale(map)));
     }},
    {"erase_end", "or it is the end",
     [] {
         SlotMap<int> map;
         map.insert(1);
         map.erase(map.end());
     }},
    {"erase_erased", "the element here was erased",
     [] {
         SlotMap<int> map;
         map.insert(1);
         const auto it = map.begin();
         map.erase(it);
         map.erase(it);
     }},
    {"dense_erase_end", "DenseSlotMap::erase(it)",
     [] {
         DenseSlotMap<int> map;
         map.erase(map.end());
     }},
    {"dense_index_of", "no element has this handle",
     [] {
         DenseSlotMap<int> map;
         std::printf("%zu\n", map.index_of({}));
     }},
    {"soa_brackets", "no element has this handle",
     [] {
         SoaSlotMap<int, int> map;
         std::printf("%d\n", map[{}].get<0>());
     }},
    {"full", "the option max_slots allows",
     [] {
         SlotMap<int, Options<SlotMapOptions{.max_slots = 2}>> map;
         for (int i = 0; i != 3; ++i) map.insert(i);
     }},
    {"reserve", "count exceeds max_size()",
     [] {
         SlotMap<int, Options<SlotMapOptions{.max_slots = 64}>> map;
         map.reserve(65);
     }},
    {"restore", "not a slotwise snapshot",
     [] {
         SlotMap<int> map;
         const std::byte bytes[64]{};
         map.restore(bytes);
     }},
    {"handle_index", "index does not fit index_bits",
     [] {
         volatile unsigned index = 300;
         const Handle<int, HandleLayout{.index_bits = 8, .version_bits = 8, .user_bits = 0}> handle(index, 1);
         std::printf("%u\n", handle.index());
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] {});
}
