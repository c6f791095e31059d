// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Interns every identifier of a source tree: each text is kept once and named by a handle; how often and where it was first
// seen are columns of the set. Handles and views stay valid while the set grows, and the handles of erased texts are stale.

#include "sources.hpp"

#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/slots/value_array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using interner::list_sources, interner::printable, interner::read_source;
using namespace slotwise;

using Files = SetStorage<std::string>;
struct Place {
    Files::handle_type file;
    std::uint32_t line = 0;
};
using Words = SetStorage<std::string, Column<std::uint32_t>, Column<Place>>;
constexpr std::size_t count = 0, first_seen = 1; // the columns by name

/// What somebody who asked for a word keeps of it: a name that can be checked, and a view that costs nothing to read.
struct Given {
    Words::handle_type handle;
    std::string_view text;
};

struct Store {
    Files files;
    Words words;
    std::vector<Given> given; // one for each word
    std::uint64_t lines = 0, occurrences = 0, bytes_read = 0, bytes_kept = 0;
    std::vector<std::string> left_out;

    void add(std::string_view text, Place place) {
        const auto [it, inserted] = words.insert(text); // makes a std::string only when the word is new
        ++words.observer<count>()[it.slot()];
        ++occurrences;
        bytes_read += text.size();
        if (!inserted) return;
        words.observer<first_seen>()[it.slot()] = place;
        given.push_back({it.handle(), *it}); // keys never move, short ones neither: the view stays valid
        bytes_kept += text.size();
    }

    /// Runs of letters, digits and underscores that start with no digit, comments included. Any other byte only separates.
    void read(std::string_view text, std::string file) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const auto is_word = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
        };
        Place place{files.insert(std::move(file)).it.handle(), 1};
        for (auto at = text.begin(); at != text.end();) {
            const auto end = std::find_if_not(at, text.end(), is_word);
            if (end != at && !is_digit(*at)) add({at, end}, place);
            if (end == at && *at == '\n') ++place.line;
            at = end == at ? end + 1 : end;
        }
        lines += place.line - 1;
    }
};

/// The most frequent words first, at most `limit`.
void print_words(const Store& store, std::size_t limit) {
    const auto counts = store.words.column<count>();
    const auto places = store.words.column<first_seen>();
    std::vector<Given> order = store.given;
    std::sort(order.begin(), order.end(), [&](const Given& a, const Given& b) {
        const auto left = counts[a.handle.index()], right = counts[b.handle.index()];
        return left != right ? left > right : a.text < b.text;
    });
    order.resize(std::min(limit, order.size()));
    for (const Given& word : order) {
        const Place& place = *places.get(word.handle);
        std::cout << std::setw(8) << *counts.get(word.handle) << "  " << std::left << std::setw(24) << word.text << std::right
                  << "  " << printable(*store.files.key(place.file)) << ':' << place.line << '\n';
    }
}

bool check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n';
    return holds;
}

/// Every handle and view that was given out means what it meant, whatever was inserted and moved after it.
bool check_given(const Store& store) {
    std::uint64_t total = 0;
    store.words.column<count>().for_each([&](std::uint32_t times) { total += times; });
    bool ok = check(total == store.occurrences, "the count column sums up to the words read");
    ok &= check(store.given.size() == store.words.size(), "every word was new once");
    ok &= check(std::all_of(store.given.begin(), store.given.end(),
                            [&](const Given& word) {
                                const std::string* const key = store.words.key(word.handle);
                                return key != nullptr && key->data() == word.text.data() &&
                                       store.words.handle_of(word.text) == word.handle;
                            }),
                "every view shows the key its handle names");
    return ok && check(store.words.check_invariants(), "the set is sound");
}

/// Erases what occurs once. Views of those words must not be read any more; their handles say so.
bool erase_rare(Store& store) {
    Words& words = store.words;
    const auto counts = words.column<count>(); // an erase shows through: get() answers null
    const std::size_t before = words.size();
    const std::size_t erased =
        words.erase_if([&](Words::handle_type word, const std::string&) { return *counts.get(word) == 1; });
    const auto is_stale = [&](const Given& word) {
        return words.key(word.handle) == nullptr && words.explain(word.handle) == HandleStatus::stale;
    };
    const auto is_frequent = [&](const Given& word) {
        return counts.get(word.handle) != nullptr && *counts.get(word.handle) > 1;
    };
    const auto living = std::partition(store.given.begin(), store.given.end(), is_stale);
    std::cout << '\n'
              << erased << " words that occur once are erased: " << living - store.given.begin() << " handles are stale, "
              << store.given.end() - living << " resolve\n";
    bool ok = check(std::all_of(living, store.given.end(), is_frequent), "what occurs more often is still there");
    ok &= check(words.size() + erased == before, "erase_if says how many it erased");

    const auto newcomer = words.insert("(newcomer)").it.handle(); // no identifier, so it is in no source
    const auto former =
        std::find_if(store.given.begin(), living, [&](const Given& word) { return word.handle.index() == newcomer.index(); });
    if (former != living)
        std::cout << "  slot " << newcomer.index() << " is used again: " << former->handle << " stays stale, " << newcomer
                  << " is new\n";
    ok &= check((former != living) == (erased != 0), "slots are used again");
    ok &= check(std::all_of(store.given.begin(), living, is_stale), "which revives no handle");
    return ok && check(words.check_invariants(), "the set is sound");
}

int refuse(const std::string& reason) {
    std::cerr << "interner: " << printable(reason) << '\n';
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
    const bool all = !arguments.empty() && arguments.front() == "--all";
    if (all) arguments.erase(arguments.begin());
    if (arguments.size() > 1 || (!arguments.empty() && (arguments[0].empty() || arguments[0][0] == '-')))
        return refuse(
            "usage: interner [--all] [FOLDER]: interns the identifiers of the C and C++ sources in FOLDER; --all lists all");
    const fs::path base = arguments.empty() ? fs::path(SLOTWISE_SOURCE_DIR) : fs::path(arguments[0]);
    std::vector<fs::path> folders{base};
    if (arguments.empty()) folders = {base / "include", base / "tests"};
    for (const fs::path& folder : folders) {
        std::error_code error;
        const fs::directory_iterator readable(folder, error);
        if (error) return refuse("cannot read folder '" + folder.string() + "': " + error.message());
    }

    Store store;
    for (const fs::path& path : list_sources(folders, store.left_out))
        if (const auto text = read_source(path, store.left_out))
            store.read(*text, path.lexically_relative(base).generic_string());
    if (store.files.empty()) return refuse("no readable C or C++ source in '" + base.string() + "'");
    std::cout << "files " << store.files.size() << ", lines " << store.lines << ", left out " << store.left_out.size() << '\n';
    for (const std::string& each : store.left_out) std::cout << "  left out: " << printable(each) << '\n';
    std::cout << "identifiers " << store.words.size() << " different, " << store.occurrences << " in all\n"
              << "bytes " << store.bytes_read << " read, " << store.bytes_kept
              << " kept\n\n   count  identifier                first seen\n";
    print_words(store, all ? store.words.size() : 12);
    const bool ok = check_given(store) && erase_rare(store);
    std::cout << "check: " << (ok ? "passed" : "FAILED") << '\n';
    return ok ? 0 : 1;
}
