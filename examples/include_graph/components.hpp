// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Strongly connected components, for any slot map whose elements name their successors by handle.

#pragma once

#include <slotwise/fwd.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace include_graph {

/// Tarjan's algorithm with an explicit stack: the depth of a graph is the input's choice, the depth of the call stack ours.
/// Calls emit(component) for each component, those that a component leads to before it. The component is a vector of
/// handles that emit may take away.
/// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972.
/// @param successors successors(element) is a range of live handles of the same map
/// @complexity linear in elements and links
template <class Map, class Successors, class Emit>
void for_each_component(const Map& map, Successors successors, Emit emit) {
    using Handle = typename Map::handle_type;
    struct Place {
        std::uint32_t number = 0; // in order of discovery, from 1; 0 = not yet reached
        std::uint32_t lowest = 0; // lowest number reachable among those still open
        bool open = false;
    };
    struct Step {
        Handle at;
        std::size_t next_link = 0;
    };

    std::vector<Place> places; // by slot
    const auto place_of = [&places](Handle handle) -> Place& {
        if (handle.index() >= places.size())
            places.resize(std::max<std::size_t>(handle.index() + std::size_t{1}, places.size() * 2));
        return places[handle.index()];
    };
    std::uint32_t reached = 0;
    std::vector<Handle> open;
    std::vector<Step> path;
    const auto reach = [&](Handle handle) {
        ++reached;
        place_of(handle) = {reached, reached, true};
        open.push_back(handle);
        path.push_back({handle});
    };

    for (const Handle start : map.handles()) {
        if (place_of(start).number != 0) continue;
        reach(start);
        while (!path.empty()) {
            Step& step = path.back();
            const auto& links = successors(map[step.at]);
            if (step.next_link < links.size()) {
                const Handle to = links[step.next_link++];
                const Place there = place_of(to);
                if (there.number == 0) {
                    reach(to); // step dangles from here on
                } else if (there.open) {
                    Place& here = place_of(step.at);
                    here.lowest = std::min(here.lowest, there.number);
                }
                continue;
            }
            const Handle done = step.at;
            const Place place = place_of(done);
            path.pop_back();
            if (!path.empty()) {
                Place& above = place_of(path.back().at);
                above.lowest = std::min(above.lowest, place.lowest);
            }
            if (place.lowest != place.number) continue;
            const auto first = std::find(open.rbegin(), open.rend(), done).base() - 1;
            std::vector<Handle> component(first, open.end());
            open.erase(first, open.end());
            for (const Handle handle : component) place_of(handle).open = false;
            emit(std::move(component));
        }
    }
}

} // namespace include_graph
