// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "folders.hpp"

#include "components.hpp"
#include "report.hpp"
#include "text.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <string_view>

namespace include_graph {
namespace {

constexpr std::size_t box_width = 170, box_height = 48, gap = 40, layer_height = 80, margin = 20;

struct Place {
    std::size_t left = 0;
    std::size_t top = 0;
};

/// A folder's name: the first part of a file's short name.
std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

std::string xml(std::string_view bytes) {
    std::string escaped;
    for (const char each : printable(bytes)) {
        switch (each) {
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '&':
            escaped += "&amp;";
            break;
        default:
            escaped += each;
        }
    }
    return escaped;
}

void find_layers(Folders& folders) {
    std::size_t cycles = 0;
    const auto successors = [](const Folder& folder) -> const std::vector<FolderHandle>& { return folder.below; };
    for_each_component(folders, successors, [&](const std::vector<FolderHandle>& members) {
        ++cycles; // from 1, so that the cycle of a folder still to come differs
        for (const FolderHandle member : members) folders[member].cycle = cycles;
        std::size_t layer = 0;
        for (const FolderHandle member : members) {
            for (const FolderHandle to : folders[member].below) {
                if (folders[to].cycle != cycles) layer = std::max(layer, folders[to].layer + 1);
            }
        }
        for (const FolderHandle member : members) folders[member].layer = layer;
    });
}

bool leads_to(const Folders& folders, FolderHandle from, FolderHandle to) {
    std::set<FolderHandle> seen{from};
    std::vector<FolderHandle> open{from};
    while (!open.empty()) {
        const FolderHandle at = open.back();
        open.pop_back();
        if (at == to) return true;
        for (const FolderHandle next : folders[at].below) {
            if (seen.insert(next).second) open.push_back(next);
        }
    }
    return false;
}

/// Whether the line between two folders follows from other lines.
bool is_implied(const Folders& folders, FolderHandle from, FolderHandle to) {
    const std::vector<FolderHandle>& below = folders[from].below;
    return std::any_of(below.begin(), below.end(), [&](FolderHandle other) {
        const std::size_t cycle = folders[other].cycle;
        return cycle != folders[from].cycle && cycle != folders[to].cycle && leads_to(folders, other, to);
    });
}

/// Where a line to this place passes a layer: between two boxes, or beside the outermost one.
std::size_t nearest_gap(const std::vector<Place>& layer, std::size_t wanted) {
    std::size_t best = layer.front().left - gap / 2;
    const auto distance = [wanted](std::size_t at) { return at > wanted ? at - wanted : wanted - at; };
    for (const Place& box : layer) {
        const std::size_t right = box.left + box_width + gap / 2;
        if (distance(right) < distance(best)) best = right;
    }
    return best;
}

/// A line from a box to one below it, past the boxes of layers between them.
void write_line(std::ostream& out, const std::vector<std::vector<Place>>& layers, const Folder& from, Place begin,
                const Folder& to, Place end) {
    out << "<path d=\"M" << begin.left + box_width / 2 << ' ' << begin.top + box_height;
    for (std::size_t layer = from.layer; --layer > to.layer;) {
        const std::size_t x = nearest_gap(layers[layer], end.left + box_width / 2), top = layers[layer].front().top;
        out << " L" << x << ' ' << top << " V" << top + box_height;
    }
    out << " L" << end.left + box_width / 2 << ' ' << end.top << "\" stroke=\"#8c959f\" fill=\"none\"/>\n";
}

/// A red curve over the boxes of a layer.
void write_cycle(std::ostream& out, Place begin, Place end) {
    const std::size_t above = begin.top - (layer_height - box_height) / 2;
    const std::size_t x1 = begin.left + box_width / 2, x2 = end.left + box_width / 2;
    out << "<path d=\"M" << x1 << ' ' << begin.top << " C" << x1 << ' ' << above << ' ' << x2 << ' ' << above << ' ' << x2
        << ' ' << end.top << "\" stroke=\"#d1242f\" fill=\"none\"/>\n";
}

/// What a folder is and includes; the last is shown where the pointer rests.
void write_box(std::ostream& out, const Folders& folders, const Folder& folder, Place at) {
    const std::size_t middle = at.left + box_width / 2;
    out << "<g><title>" << xml(folder.name) << " includes";
    for (const auto& [to, count] : folder.includes) out << ' ' << xml(folders[to].name) << ": " << count << ';';
    out << (folder.includes.empty() ? " no other folder" : "") << "</title><rect x=\"" << at.left << "\" y=\"" << at.top
        << "\" width=\"" << box_width << "\" height=\"" << box_height
        << "\" rx=\"6\" fill=\"#ddf4ff\" stroke=\"#0969da\"/><text x=\"" << middle << "\" y=\"" << at.top + 20
        << "\" font-size=\"15\" font-weight=\"bold\">" << xml(folder.name) << "</text><text x=\"" << middle << "\" y=\""
        << at.top + 38 << "\">";
    if (folder.files != folder.nested && folder.nested > 0) {
        out << folder.files - folder.nested << " + " << folder.nested << " files, ";
    } else if (folder.files > 1) {
        out << folder.files << " files, ";
    }
    out << grouped(folder.lines) << " lines</text></g>\n";
}

} // namespace

Folders folders_of(const IncludeGraph& graph) {
    Folders folders;
    std::map<std::string, FolderHandle, std::less<>> by_name;
    std::map<FileHandle, FolderHandle> folder_of;
    for (const auto& [handle, file] : graph.files().items()) {
        const std::string path = short_name(graph, handle);
        if (path.starts_with('/')) continue; // of another root
        const std::string name(first_part(path));
        auto at = by_name.find(name);
        if (at == by_name.end()) {
            at = by_name.emplace(name, folders.emplace()).first;
            folders[at->second].name = name;
        }
        folder_of.emplace(handle, at->second);
        Folder& folder = folders[at->second];
        ++folder.files;
        if (std::count(path.begin(), path.end(), '/') > 1) ++folder.nested;
        folder.lines += file.facts->lines;
    }
    for (const auto& [from, folder] : folder_of) {
        for (const FileHandle target : graph.files()[from].includes.get()) {
            const auto to = folder_of.find(target);
            if (to != folder_of.end() && to->second != folder) ++folders[folder].includes[to->second];
        }
    }
    for (Folder& folder : folders) {
        for (const auto& [to, count] : folder.includes) folder.below.push_back(to);
    }
    find_layers(folders);
    return folders;
}

Layers layers_of(const Folders& folders) {
    Layers layers;
    std::map<std::size_t, std::size_t> members;
    for (const Folder& folder : folders) {
        layers.count = std::max(layers.count, folder.layer + 1);
        ++members[folder.cycle];
    }
    for (const auto& [cycle, count] : members) layers.folders_in_cycles += count > 1 ? count : 0;
    return layers;
}

void write_svg(std::ostream& out, const Folders& folders) {
    std::vector<std::vector<FolderHandle>> rows(layers_of(folders).count);
    for (const auto& [handle, folder] : folders.items()) rows[folder.layer].push_back(handle);
    std::size_t widest = 0;
    for (std::vector<FolderHandle>& row : rows) {
        std::sort(row.begin(), row.end(), [&](FolderHandle a, FolderHandle b) { return folders[a].name < folders[b].name; });
        widest = std::max(widest, row.size());
    }
    const std::size_t width = 2 * margin + widest * (box_width + gap) - gap;
    const std::size_t height = 2 * margin + (rows.size() - 1) * layer_height + box_height;
    std::map<FolderHandle, Place> places;
    std::vector<std::vector<Place>> layers(rows.size());
    for (std::size_t layer = 0; layer < rows.size(); ++layer) {
        std::size_t left = (width + gap - rows[layer].size() * (box_width + gap)) / 2;
        for (const FolderHandle handle : rows[layer]) {
            layers[layer].push_back({left, height - margin - box_height - layer * layer_height});
            places[handle] = layers[layer].back();
            left += box_width + gap;
        }
    }
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
        << "\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n"
        << "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#ffffff\"/>\n";
    for (const auto& [from, place] : places) {
        for (const FolderHandle to : folders[from].below) {
            if (folders[from].cycle == folders[to].cycle) {
                write_cycle(out, place, places[to]);
            } else if (!is_implied(folders, from, to)) {
                write_line(out, layers, folders[from], place, folders[to], places[to]);
            }
        }
    }
    for (const auto& [handle, place] : places) write_box(out, folders, folders[handle], place);
    out << "</svg>\n";
}

} // namespace include_graph
