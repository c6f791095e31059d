// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

namespace {

using namespace bench;

class Structs {
public:
    void push(const rows::Eight& row) { rows_.push_back(row); }
    void update() {
        for (rows::Eight& row : rows_) row[0] += row[4];
    }
    [[nodiscard]] float first(std::size_t row) const { return rows_[row][0]; }

private:
    std::vector<rows::Eight> rows_;
};

class Table {
public:
    void reserve(std::size_t n) { rows_.reserve(n); }
    SLOTWISE_BENCH_STEP void push(const rows::Four& row) { rows_.push_back(row); }
    void sort() {
        std::sort(rows_.begin(), rows_.end(), [](const rows::Four& a, const rows::Four& b) { return a.key < b.key; });
    }
    void erase_if() {
        std::erase_if(rows_, [](const rows::Four& row) { return rows::is_erased(row.value); });
    }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] rows::Four row(std::size_t i) const { return rows_[i]; }

private:
    std::vector<rows::Four> rows_;
};

const Registered registered([] {
    rows::add_update<Structs>("vector_of_struct", Role::rival);
    rows::add_rows<Table>("vector_of_struct", Role::rival);
});

} // namespace
