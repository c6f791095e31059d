// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A graph of stations in a file that knows public ids only. In memory stations refer to each other by handles; at the boundary an
// IdentityMap translates, once each way. The file is loaded into a map whose slots were used before, in another order and with
// links to stations that come later in the file: slots and handles differ, and the graph is the same.
//
// A DataflowGraph can keep such ids itself: fares follow from tariffs, which have names, and a rule refuses links of other units.

#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace slotwise;

struct Station;
using StationMap = SlotMap<Station>;
using StationHandle = HandleOf<StationMap>;

struct Link {
    StationHandle to;
    int minutes = 0;
};
struct Station {
    std::string name;
    std::vector<Link> links;
};

/// Stations by handle, and their names in files.
class Graph {
public:
    Graph() { ids_.attach_to(stations_); } // a station that is erased loses its id

    StationHandle add(PublicId id, std::string name) {
        const StationHandle station = stations_.insert({std::move(name), {}});
        ids_.insert(id, station);
        return station;
    }
    void link(StationHandle a, StationHandle b, int minutes) {
        stations_[a].links.push_back({b, minutes});
        stations_[b].links.push_back({a, minutes});
    }
    void erase(StationHandle station) { stations_.erase(station); } // links to it are stale, and not saved

    [[nodiscard]] const StationMap& stations() const { return stations_; }
    [[nodiscard]] StationHandle find(PublicId id) const { return ids_.handle_of(id); }
    [[nodiscard]] PublicId id_of(StationHandle station) const { return *ids_.id_of(station); }

    /// A line a station: its id, its name, and for each link minutes and the id of the other end.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> lines;
        for (const auto& [handle, id] : ids_) {
            const Station& station = stations_.at(handle);
            std::ostringstream line;
            line << id << ' ' << station.name;
            for (const Link& each : station.links)
                if (const PublicId* const to = ids_.id_of(each.to)) line << ' ' << each.minutes << ' ' << *to;
            lines.push_back(line.str());
        }
        return lines;
    }
    /// Reads a line of any graph. A station that is only mentioned gets a handle at once, and its element when its line comes.
    bool read(const std::string& line) {
        std::istringstream in(line);
        std::string word, name;
        in >> word >> name;
        const auto id = PublicId::parse(word);
        if (!id || name.empty()) return false;
        Station station{name, {}};
        for (int minutes = 0; in >> minutes >> word;) {
            const auto to = PublicId::parse(word);
            if (!to) return false;
            station.links.push_back({named(*to), minutes});
        }
        return in.eof() && stations_.fulfill(named(*id), std::move(station)) != nullptr;
    }
    /// How many stations were mentioned and never described.
    [[nodiscard]] std::size_t missing() const { return ids_.size() - stations_.size(); }

private:
    StationHandle named(PublicId id) {
        if (const StationHandle known = ids_.handle_of(id)) return known;
        const StationHandle later = stations_.reserve_handle();
        ids_.insert(id, later);
        return later;
    }

    StationMap stations_;
    IdentityMap<PublicId, StationHandle> ids_; // declared behind stations_, which it observes
};

int failures = 0;
void check(bool holds, std::string_view promise) {
    if (!holds) ++failures;
    std::cout << (holds ? "  ok      " : "  FAILED  ") << promise << '\n';
}
std::vector<std::string> sorted(std::vector<std::string> lines) {
    std::sort(lines.begin(), lines.end());
    return lines;
}
/// The same stations with the same links, whatever their slots and the order of their links.
bool same(const Graph& a, const Graph& b) {
    if (a.stations().size() != b.stations().size()) return false;
    const auto links = [](const Graph& graph, const Station& station) {
        std::vector<std::pair<PublicId, int>> list;
        for (const Link& each : station.links)
            if (graph.stations().contains(each.to)) list.emplace_back(graph.id_of(each.to), each.minutes);
        std::sort(list.begin(), list.end());
        return list;
    };
    for (const auto& [handle, station] : a.stations().items()) {
        const StationHandle there = b.find(a.id_of(handle));
        const Station* const other = b.stations().get(there);
        if (other == nullptr || other->name != station.name || links(a, station) != links(b, *other)) return false;
    }
    return true;
}

//=== a graph that keeps ids itself ===//

/// A number in a unit, from numbers of a unit.
struct Fare {
    char unit, reads; // 'm' minutes, 'e' euros
    double factor;
};
struct SameUnit {
    bool operator()(NodePin<Fare> output, NodePin<Fare> input) const { return output.node.unit == input.node.reads; }
};
using Fares = DataflowGraph<Fare, double, EqualTo, IdBy<std::string>, LinkIf<SameUnit>>;

void fares() {
    Fares fares;
    fares.add("ride", {'m', 'm', 1}, 1, 1);
    for (const char* name : {"adult", "child"}) fares.add(name, {'e', 'm', name[0] == 'a' ? 0.2 : 0.1}, 1, 1);
    fares.add("family", {'e', 'e', 1}, 2, 1);
    const NodeLink<std::string> links[] = {{"adult", 0, "family", 0}, {"child", 0, "family", 1}, {"ride", 0, "adult", 0}};
    check(fares.link_all(links) && fares.connect("ride", 0, "child", 0), "links are made by names, in any order");
    check(fares.would_connect("ride", 0, "family", 0).status() == LinkStatus::unfit, "minutes are no euros");
    const auto compute = [](const Fare& fare, Fares::context_type& in) {
        double sum = 0;
        for (slot_t i = 0; i != in.inputs(); ++i) sum += in.input(i);
        in.set_output(0, fare.factor * sum);
    };
    fares.set_input("ride", 0, 30.0);
    check(fares.evaluate("child", compute).ran == 2 && fares.output("child", 0) == 3, "a fare that is shown is computed alone");
    check(fares.would_run("adult") && fares.evaluate(compute).ran == 2 && fares.output("family", 0) == 9, "the others later");
    check(fares.erase("child") && !fares.contains("child") && fares.evaluate(compute).ran == 1 &&
              fares.output("family", 0) == 6,
          "a name goes with its node");
}

} // namespace

int main() {
    std::mt19937 random(2026);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };

    Graph graph;
    std::vector<StationHandle> all;
    for (int i = 0; i != 1000; ++i) all.push_back(graph.add(PublicId::random(random), "station" + std::to_string(i)));
    for (int i = 0; i != 3000; ++i) {
        const std::size_t a = below(all.size()), b = below(all.size());
        graph.link(all[a], all[b], static_cast<int>(1 + below(30)));
    }
    for (std::size_t i = 0; i < all.size(); i += 9) graph.erase(all[i]); // holes in the slots, and links that lead nowhere

    std::vector<std::string> lines = graph.lines();
    std::shuffle(lines.begin(), lines.end(), random);
    {
        std::ofstream file("stations.txt");
        for (const std::string& line : lines) file << line << '\n';
    }
    std::cout << graph.stations().size() << " stations saved, for example\n  " << lines.front().substr(0, 100) << " ...\n";

    Graph loaded;
    for (int i = 0; i != 300; ++i) loaded.erase(loaded.add(PublicId::random(random), "of an earlier session"));
    const StationHandle kept = loaded.add(PublicId::random(random), "depot"); // its slot is taken
    std::ifstream file("stations.txt");
    bool sound = file.is_open();
    for (std::string line; std::getline(file, line);) sound = loaded.read(line) && sound;
    check(sound && loaded.missing() == 0, "every line is read, and each station that is mentioned is there");
    check(loaded.stations().size() == graph.stations().size() + 1, "beside the one that was there before");
    loaded.erase(kept);

    std::size_t moved = 0;
    for (const auto& [handle, station] : graph.stations().items()) moved += loaded.find(graph.id_of(handle)) != handle;
    check(moved > graph.stations().size() / 2, "the stations have other handles than before");
    check(same(graph, loaded) && same(loaded, graph), "names and links are the same");
    check(sorted(loaded.lines()) == sorted(graph.lines()), "and saved again, so is every line");
    check(!loaded.read("no-id name") && !loaded.read(lines.front()),
          "what is no line, and a station that is there, are refused");

    fares();

    std::cout << "\ncheck: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
