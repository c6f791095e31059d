// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A market, a dictionary over time from a name to a price, as streams of the Arrow C interface: its state, which a reader of Arrow
// takes as a table, and its windows, by which a replica follows. Nothing of Arrow needs to be installed.
//     arrow_out [INSTRUMENTS [WINDOWS]]
// check.py writes the same streams to files from Python, and reads them back; library.cpp is the way there.
#include "market.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace {

using arrow_out::Market;

int failures = 0;
void check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n', ++failures;
}

// A column of doubles, as any reader of the interface sees it.
struct Column {
    explicit Column(const ArrowArray& array)
        : validity(static_cast<const unsigned char*>(array.buffers[0])), values(static_cast<const char*>(array.buffers[1])) {}
    bool is_null(std::int64_t row) const { return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0; }
    double operator[](std::int64_t row) const {
        double value = 0;
        std::memcpy(&value, values + row * static_cast<std::int64_t>(sizeof value), sizeof value);
        return value;
    }
    const unsigned char* validity;
    const char* values;
};

// Prints the schema and reads the batches.
void read(const Market& market) {
    ArrowArrayStream raw;
    slotwise::export_stream(market, &raw, {.time = true}); // to Python, &raw goes to RecordBatchReader._import_from_c
    slotwise::OwnedStream stream(&raw);
    const slotwise::OwnedSchema schema = stream.schema();
    for (std::int64_t i = 0; i != schema->n_children; ++i)
        std::cout << "  " << schema->children[i]->name << ": " << schema->children[i]->format << '\n';

    std::int64_t rows = 0, priced = 0;
    double total = 0;
    for (slotwise::OwnedArray batch = stream.next(); batch; batch = stream.next()) {
        const Column prices(*batch->children[1]);
        for (std::int64_t row = 0; row != batch->length; ++row)
            if (!prices.is_null(row)) total += prices[row], ++priced;
        rows += batch->length;
    }
    std::cout << "  " << rows << " instruments, " << priced << " with a price, " << total / static_cast<double>(priced)
              << " on average\n";

    std::int64_t really_priced = 0;
    double really = 0;
    for (const auto& [name, price] : market.valid_items()) really += price, ++really_priced;
    check(static_cast<std::size_t>(rows) == market.size() && priced == really_priced,
          "a row for each, null where there is no price");
    check(total == really, "the same prices in the same order");
}

} // namespace

int main(int argc, char** argv) {
    const std::uint64_t instruments = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 2000;
    const std::int64_t windows = argc > 2 ? std::atoll(argv[2]) : 20;
    arrow_out::Random random;
    Market market, replica;
    arrow_out::list(market, instruments);

    ArrowArrayStream raw;
    slotwise::export_stream(market, &raw); // the replica begins with the state, and follows by windows
    {
        auto window = replica.write(1);
        slotwise::import_stream(&raw, window);
    }
    std::size_t twice = 0;
    for (std::int64_t time = 2; time != windows + 2; ++time) {
        arrow_out::trade(market, time, instruments, random);
        slotwise::export_delta(market, time - 1, &raw);
        check(apply_delta(replica, &raw) == slotwise::Applied::done, "a window fits behind the one before");
        if (random.below(4) != 0) continue;
        slotwise::export_delta(market, time - 1, &raw); // delivered once more
        check(apply_delta(replica, &raw) == slotwise::Applied::already, "a window that comes twice is applied once");
        ++twice;
    }
    check(replica == market, "the replica equals the market");
    std::cout << "market after " << windows << " windows, " << twice << " of which came twice:\n";
    read(market);
    check(replica.check_invariants() && market.check_invariants(), "sound");
    std::cout << "check: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
