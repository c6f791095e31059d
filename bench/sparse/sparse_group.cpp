// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/sparse/sparse_group.hpp>
#include <slotwise/sparse/sparse_map.hpp>

namespace {

using namespace bench;
using Id = slotwise::Handle<struct GroupTag, slotwise::HandleLayout{20, 12, 0}>;

class Group {
public:
    void fill(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        for (const std::uint32_t i : a) a_.try_emplace(Id(i, 1), 1.0f);
        for (const std::uint32_t i : b) b_.try_emplace(Id(i, 1), 2.0f);
    }
    void update() {
        group_.for_each([](float& a, const float& b) { a += b; });
    }
    SLOTWISE_BENCH_STEP void churn(std::uint32_t i) {
        b_.erase(Id(i, 1));
        b_.try_emplace(Id(i, 1), 2.0f);
    }
    std::size_t size() const { return group_.size(); }

private:
    slotwise::SparseMap<Id, float> a_, b_;
    slotwise::SparseGroup<slotwise::SparseMap<Id, float>, slotwise::SparseMap<Id, float>> group_{a_, b_};
};

const Registered registered([] { sparse::add_group<Group>("SparseGroup", Role::ours); });

} // namespace
