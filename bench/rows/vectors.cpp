// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <numeric>
#include <tuple>

namespace {

using namespace bench;

class Columns {
public:
    void push(const rows::Eight& row) {
        for (std::size_t k = 0; k < row.size(); ++k) fields_[k].push_back(row[k]);
    }
    void update() {
        auto& positions = fields_[0];
        const auto& speeds = fields_[4];
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += speeds[i];
    }
    [[nodiscard]] float first(std::size_t row) const { return fields_[0][row]; }

private:
    std::array<std::vector<float>, 8> fields_;
};

class Table {
public:
    void reserve(std::size_t n) {
        std::apply([n](auto&... column) { (column.reserve(n), ...); }, columns_);
    }
    SLOTWISE_BENCH_STEP void push(const rows::Four& row) {
        auto& [keys, values, ids, payloads] = columns_;
        keys.push_back(row.key);
        values.push_back(row.value);
        ids.push_back(row.id);
        payloads.push_back(row.payload);
    }
    void sort() {
        std::vector<std::uint32_t> order(size());
        std::iota(order.begin(), order.end(), 0u);
        const auto& keys = std::get<0>(columns_);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
        std::apply([&](auto&... column) { (permute(column, order), ...); }, columns_);
    }
    void erase_if() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < size(); ++i)
            if (!rows::is_erased(std::get<1>(columns_)[i])) {
                std::apply([&](auto&... column) { ((column[kept] = column[i]), ...); }, columns_);
                ++kept;
            }
        std::apply([&](auto&... column) { (column.resize(kept), ...); }, columns_);
    }
    [[nodiscard]] std::size_t size() const { return std::get<0>(columns_).size(); }
    [[nodiscard]] rows::Four row(std::size_t i) const {
        const auto& [keys, values, ids, payloads] = columns_;
        return {keys[i], values[i], ids[i], payloads[i]};
    }

private:
    template <class T>
    static void permute(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
        std::vector<T> sorted;
        sorted.reserve(column.size());
        for (const std::uint32_t row : order) sorted.push_back(column[row]);
        column.swap(sorted);
    }

    std::tuple<std::vector<float>, std::vector<float>, std::vector<std::uint32_t>, std::vector<std::uint64_t>> columns_;
};

const Registered registered([] {
    rows::add_update<Columns>("vectors", Role::rival);
    rows::add_rows<Table>("vectors", Role::rival);
});

} // namespace
