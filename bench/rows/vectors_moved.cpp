// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <tuple>

namespace {

using namespace bench;
using Vec = std::array<float, 3>;

class Tables {
public:
    void push(std::uint32_t id) {
        std::get<0>(without_).push_back(id);
        std::get<1>(without_).push_back(Vec{static_cast<float>(id), 1, 2});
        std::get<2>(without_).push_back(Vec{});
    }
    SLOTWISE_BENCH_STEP std::uint32_t add(std::size_t row) {
        auto& [ids, positions, speeds, stuns] = with_;
        move(without_, row, ids, positions, speeds);
        stuns.push_back(1);
        return row == std::get<0>(without_).size() ? ids.back() : std::get<0>(without_)[row];
    }
    SLOTWISE_BENCH_STEP std::uint32_t remove(std::size_t row) {
        auto& [ids, positions, speeds] = without_;
        move(with_, row, ids, positions, speeds);
        drop(std::get<3>(with_), row);
        return static_cast<std::uint32_t>(ids.size() - 1);
    }
    [[nodiscard]] std::uint64_t at(std::size_t row) {
        return std::get<0>(without_)[row] + static_cast<std::uint64_t>(std::get<1>(without_)[row][0]);
    }

private:
    template <class T>
    SLOTWISE_BENCH_STEP static void drop(std::vector<T>& column, std::size_t row) {
        column[row] = column.back();
        column.pop_back();
    }
    template <class Table>
    SLOTWISE_BENCH_STEP static void move(Table& from, std::size_t row, auto& ids, auto& positions, auto& speeds) {
        ids.push_back(std::get<0>(from)[row]);
        positions.push_back(std::get<1>(from)[row]);
        speeds.push_back(std::get<2>(from)[row]);
        drop(std::get<0>(from), row);
        drop(std::get<1>(from), row);
        drop(std::get<2>(from), row);
    }

    std::tuple<std::vector<std::uint32_t>, std::vector<Vec>, std::vector<Vec>> without_;
    std::tuple<std::vector<std::uint32_t>, std::vector<Vec>, std::vector<Vec>, std::vector<float>> with_;
};

const Registered registered([] { rows::add_moves<Tables>("vectors", Role::rival); });

} // namespace
