// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "scan.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <utility>

namespace include_graph {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 31> source_extensions = {
    ".h",   ".hh",  ".hpp", ".hxx",  ".h++", ".H",   ".c",    ".cc",  ".cpp", ".cxx", ".c++",
    ".C",   ".inc", ".inl", ".ipp",  ".ixx", ".tcc", ".tpp",  ".txx", ".def", ".cu",  ".cuh",
    ".ino", ".m",   ".mm",  ".cppm", ".ii",  ".icc", ".impl", ".hin", ".tbl"};

bool has_source_name(const fs::path& path) {
    const fs::path extension = path.extension();
    if (extension.empty()) return true;
    const std::string text = extension.string();
    return std::find(source_extensions.begin(), source_extensions.end(), text) != source_extensions.end();
}

/// One walk over all roots. A directory has two paths: the one it was reached by, which names its files,
/// and the canonical one, which tells whether it was read before.
class Walk {
public:
    Walk(const std::vector<std::string>& roots, Troubles& troubles) : roots_(roots), troubles_(troubles) {}

    Listing run() {
        for (const std::string& root : roots_) enter(root, root);
        drain();
        // Links found below a link are appended, hence the index and the copy.
        for (std::size_t at = 0; at < links_.size(); ++at) {
            const fs::path link = links_[at];
            follow(link);
            drain();
        }
        std::sort(listing_.files.begin(), listing_.files.end());
        return std::move(listing_);
    }

private:
    struct Directory {
        fs::path reached;
        fs::path canonical;
    };

    bool enter(const fs::path& reached, const fs::path& canonical) {
        if (!read_as_.try_emplace(canonical.generic_string(), reached.generic_string()).second) return false;
        waiting_.push_back({reached, canonical});
        return true;
    }

    void drain() {
        while (!waiting_.empty()) {
            const Directory next = std::move(waiting_.back());
            waiting_.pop_back();
            list(next);
        }
    }

    void list(const Directory& directory) {
        std::error_code error;
        fs::directory_iterator entry(directory.reached, error);
        if (error) {
            troubles_.add(Trouble::unreadable_directory, directory.reached.generic_string());
            return;
        }
        ++listing_.directories;
        while (entry != fs::directory_iterator()) {
            look_at(*entry, directory);
            entry.increment(error);
            if (error) {
                troubles_.add(Trouble::unreadable_directory, directory.reached.generic_string());
                return;
            }
        }
    }

    void look_at(const fs::directory_entry& entry, const Directory& directory) {
        const fs::path& path = entry.path();
        std::error_code error;
        const fs::file_type type = entry.symlink_status(error).type();
        if (type == fs::file_type::symlink) {
            links_.push_back(path);
        } else if (type == fs::file_type::directory) {
            const bool hidden = path.filename().native().front() == '.';
            if (!hidden) enter(path, directory.canonical / path.filename());
        } else if (type == fs::file_type::regular) {
            if (has_source_name(path)) listing_.files.push_back(path.generic_string());
        } else if (type == fs::file_type::not_found || type == fs::file_type::none) {
            troubles_.add(Trouble::vanished, path.generic_string());
        } else if (has_source_name(path)) {
            troubles_.add(Trouble::special_file, path.generic_string());
        }
    }

    void follow(const fs::path& link) {
        std::error_code error;
        const fs::path target = fs::canonical(link, error);
        const fs::file_type type = error ? fs::file_type::not_found : fs::status(target, error).type();
        if (error) {
            troubles_.add(Trouble::broken_link, link.generic_string());
        } else if (type == fs::file_type::directory) {
            follow_directory(link, target);
        } else if (type == fs::file_type::regular) {
            follow_file(link, target);
        } else if (has_source_name(link)) {
            troubles_.add(Trouble::special_file, link.generic_string());
        }
    }

    void follow_directory(const fs::path& link, const fs::path& target) {
        // A link to / or to the parent of a root must not turn a small scan into one of the whole disk.
        const std::string target_name = target.generic_string();
        const bool above =
            std::any_of(roots_.begin(), roots_.end(), [&](const std::string& root) { return is_within(root, target_name); });
        const auto known = read_as_.find(target_name);
        if (known != read_as_.end()) listing_.aliases.emplace(link.generic_string(), known->second);
        if (above || known != read_as_.end()) {
            troubles_.add(Trouble::repeated_directory, link.generic_string());
        } else {
            enter(link, target);
        }
    }

    void follow_file(const fs::path& link, const fs::path& target) {
        const auto folder = read_as_.find(target.parent_path().generic_string());
        if (folder != read_as_.end() && has_source_name(target)) {
            std::string real = (fs::path(folder->second) / target.filename()).generic_string();
            listing_.aliases.emplace(link.generic_string(), std::move(real));
        } else if (has_source_name(link)) {
            listing_.files.push_back(link.generic_string());
        }
    }

    const std::vector<std::string>& roots_;
    Troubles& troubles_;
    Listing listing_;
    std::vector<Directory> waiting_;                       // explicit, so that depth costs no stack
    std::vector<fs::path> links_;                          // put off until all real directories are read
    std::unordered_map<std::string, std::string> read_as_; // canonical directory -> path that names its files
};

} // namespace

bool is_within(std::string_view inner, std::string_view outer) {
    if (!inner.starts_with(outer)) return false;
    return inner.size() == outer.size() || outer.ends_with('/') || inner[outer.size()] == '/';
}

void Troubles::add(Trouble kind, std::string_view where) {
    const auto at = static_cast<std::size_t>(kind);
    if (counts_[at]++ == 0) firsts_[at] = where;
}

Listing list_sources(const std::vector<std::string>& roots, Troubles& troubles) { return Walk(roots, troubles).run(); }

bool needs_a_look_inside(std::string_view path) { return fs::path(path).extension().empty(); }

std::optional<std::string> read_source(const std::string& path, Troubles& troubles) {
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file) {
        // The size on record only saves growing: the file may change while it is read.
        std::error_code ignored;
        const std::uintmax_t expected = fs::file_size(path, ignored);
        std::size_t room = ignored || expected > max_file_bytes ? max_file_bytes + 1 : static_cast<std::size_t>(expected) + 1;
        std::size_t have = 0;
        while (file && have <= max_file_bytes) {
            text.resize(have + room);
            file.read(text.data() + have, static_cast<std::streamsize>(room));
            have += static_cast<std::size_t>(file.gcount());
            room = std::size_t{64} << 10U;
        }
        text.resize(have);
    }
    if (!file.eof() && text.size() <= max_file_bytes) {
        std::error_code ignored;
        troubles.add(fs::exists(path, ignored) ? Trouble::unreadable_file : Trouble::vanished, path);
        return std::nullopt;
    }
    if (text.size() > max_file_bytes) {
        troubles.add(Trouble::too_large, path);
        return std::nullopt;
    }
    if (text.find('\0') != std::string::npos) {
        troubles.add(Trouble::binary, path);
        return std::nullopt;
    }
    return text;
}

Root open_root(const fs::path& directory) {
    const std::string name = directory.string();
    std::error_code error;
    const fs::path canonical = fs::canonical(directory, error);
    if (error) return {{}, "cannot read directory '" + name + "': " + error.message()};
    const bool is_directory = fs::is_directory(canonical, error);
    if (!is_directory) return {{}, "'" + name + "' is not a directory; give the directory that holds the sources"};
    const fs::directory_iterator listable(canonical, error);
    if (error) return {{}, "cannot read directory '" + name + "': " + error.message()};
    return {canonical.generic_string(), {}};
}

} // namespace include_graph
