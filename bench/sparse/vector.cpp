// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Values by index, all there: what is left when nothing is sparse.

#include "workload.hpp"

namespace {

using namespace bench;

class Vector {
public:
    static std::uint32_t id(std::uint32_t i) { return i; }
    static std::uint32_t other(std::uint32_t i) { return i + 5'000'000; }
    SLOTWISE_BENCH_STEP void insert(std::uint32_t, int value) { values_.push_back(value); }
    SLOTWISE_BENCH_STEP bool contains(std::uint32_t id) const { return id < values_.size(); }
    SLOTWISE_BENCH_STEP int get(std::uint32_t id) const { return values_[id]; }
    std::size_t size() const { return values_.size(); }
    std::uint32_t sum() const {
        std::uint32_t sum = 0;
        for (const int value : values_) sum += static_cast<std::uint32_t>(value);
        return sum;
    }
    void update() {
        for (int& value : values_) value ^= 1;
    }

private:
    std::vector<int> values_;
};

class Arrays {
public:
    void fill(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        a_.assign(a.size(), 1.0f);
        b_.assign(b.size(), 2.0f);
    }
    void update() {
        float* const a = a_.data();
        const float* const b = b_.data();
        const std::size_t n = a_.size();
        for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
    }
    std::size_t size() const { return a_.size(); }

private:
    std::vector<float> a_, b_;
};

const Registered registered([] {
    sparse::add_map<Vector>("vector", Role::limit);
    sparse::add_group<Arrays>("plain_arrays", Role::limit);
});

} // namespace
