// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/rows/soa_vector.hpp>

namespace {

using namespace bench;

class Columns {
public:
    void push(const rows::Eight& row) {
        std::apply([this](auto... values) { rows_.push_back(values...); }, row);
    }
    void update() {
        const auto [positions, speeds] = rows_.columns<0, 4>();
        for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += speeds[i];
    }
    [[nodiscard]] float first(std::size_t row) const { return rows_[row].get<0>(); }

protected:
    slotwise::SoaVector<float, float, float, float, float, float, float, float> rows_;
};
class Blocks : public Columns {
public:
    void update() {
        rows_.for_each_block<64, 0, 4>([](auto positions, auto speeds) {
            for (std::size_t i = 0; i < positions.size(); ++i) positions[i] += speeds[i];
        });
    }
};
class Rows : public Columns {
public:
    void update() {
        for (auto [position, speed] : rows_.rows<0, 4>()) position += speed;
    }
};

class Table {
public:
    void reserve(std::size_t n) { rows_.reserve(n); }
    SLOTWISE_BENCH_STEP void push(const rows::Four& row) { rows_.push_back(row.key, row.value, row.id, row.payload); }
    void sort() { rows_.sort<0>(); }
    void erase_if() {
        rows_.erase_if([](const auto& row) { return rows::is_erased(row.template get<1>()); });
    }
    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] rows::Four row(std::size_t i) const {
        const auto [key, value, id, payload] = rows_[i];
        return {key, value, id, payload};
    }

private:
    slotwise::SoaVector<float, float, std::uint32_t, std::uint64_t> rows_;
};

const Registered registered([] {
    rows::add_update<Columns>("SoaVector", Role::ours);
    rows::add_update<Blocks>("SoaVector.blocks", Role::ours);
    rows::add_update<Rows>("SoaVector.rows", Role::ours);
    rows::add_rows<Table>("SoaVector", Role::ours);
});

} // namespace
