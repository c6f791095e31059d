// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "containers.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>

#include <memory>

namespace {

using namespace bench;
using namespace bench::arrow;

template <class C>
auto give(bool share, C container, slotwise::ExportOptions options = {}) {
    return [share, options, owner = slotwise::freeze(std::move(container))](auto&& visit) {
        ArrowArrayStream raw;
        if (share)
            slotwise::export_stream(owner, &raw, options);
        else
            slotwise::export_stream(*owner, &raw, options);
        slotwise::OwnedStream stream(&raw);
        for (slotwise::OwnedArray batch = stream.next(); batch; batch = stream.next()) visit(*batch);
    };
}

class Imported {
public:
    Imported(std::vector<Key> keys, std::vector<double> values) {
        slotwise::SoaVector<Key, double> rows;
        for (std::size_t i = 0; i != keys.size(); ++i) rows.push_back(keys[i], values[i]);
        rows_ = slotwise::freeze(std::move(rows));
    }
    void clear() { map_ = Map(); }
    SLOTWISE_BENCH_LOOP void fill() {
        ArrowArrayStream raw;
        slotwise::export_stream(rows_, &raw, {.names = "key,value"});
        slotwise::import_stream(&raw, map_);
    }
    [[nodiscard]] std::uint64_t sum() const { return sum_of(map_); }

private:
    std::shared_ptr<const slotwise::SoaVector<Key, double>> rows_;
    Map map_;
};

struct Followed : Replica {
    using Replica::Replica;
    SLOTWISE_BENCH_LOOP void run(const std::uint32_t*, std::int64_t time) {
        ArrowArrayStream raw;
        slotwise::export_delta(original, time - 1, &raw);
        slotwise::apply_delta(replica, &raw);
    }
};

const Registered registered([] {
    for (const bool share : {true, false}) {
        add_export(share ? shared_slot_map : copy_slot_map, "slotwise", Role::ours,
                   [=](std::size_t n) { return give(share, numbers(n)); });
        add_export(share ? shared_map : copy_map, "slotwise", Role::ours,
                   [=](std::size_t n) { return give(share, keys_and_numbers(n)); });
        add_export(share ? shared_soa : copy_soa, "slotwise", Role::ours, [=](std::size_t n) { return give(share, rows(n)); });
    }
    add_export(copy_text, "slotwise", Role::ours, [](std::size_t n) { return give(false, texts(n)); });
    add_export(holes_live, "slotwise", Role::ours, [](std::size_t n) { return give(false, numbers_with_holes(n).first); });
    add_export(holes_slots, "slotwise", Role::ours,
               [](std::size_t n) { return give(true, numbers_with_holes(n).first, {.rows = slotwise::Rows::all_slots}); });
    add_import<Imported>("slotwise", Role::ours);
    add_delta<Followed>("slotwise", Role::ours);
});

} // namespace
