// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What the page measures: for_each of a SlotMap (sparse: elements stay where they are, bits tell where the holes are) beside that of the slot map
// of articles (free-list: each slot is visited, and its version tested) and a std::vector (dense: no holes). A walk adds up one number an element.
#include "exported.hpp"

#include "../../bench/support/article_slot_map.hpp"
#include "../../bench/support/slot_map.hpp"
#include "../../bench/support/vector.hpp"

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using Element = bench::Element16;

struct Contenders {
    bench::Vector<Element> vector; // of the elements that are left
    bench::SlotMap<Element> slot_map;
    bench::ArticleSlotMap<Element> article_slot_map;
};
std::unique_ptr<Contenders> contenders;

template <class Map>
void fill(Map& map, const std::vector<unsigned>& gone, unsigned slots) {
    std::vector<decltype(map.insert(Element()))> handles;
    for (unsigned i = 0; i != slots; ++i) handles.push_back(map.insert(Element{i, 0}));
    for (const unsigned each : gone) map.erase(handles[each]);
}

} // namespace

void prepare(unsigned slots, unsigned percent_of_holes) {
    std::vector<unsigned> order(slots);
    std::iota(order.begin(), order.end(), 0u);
    std::uint32_t state = 1;
    for (unsigned i = slots; i > 1; --i) std::swap(order[i - 1], order[((state = state * 1664525u + 1013904223u) >> 8) % i]);
    order.resize(order.size() / 100 * percent_of_holes);
    contenders = std::make_unique<Contenders>();
    fill(contenders->slot_map, order, slots);
    fill(contenders->article_slot_map, order, slots);
    contenders->slot_map.for_each([](const Element& each) { contenders->vector.insert(each); });
}
double walk(unsigned contender) {
    const auto& [vector, slot_map, article_slot_map] = *contenders;
    return static_cast<double>(contender == 0 ? vector.sum() : contender == 1 ? slot_map.sum() : article_slot_map.sum());
}
