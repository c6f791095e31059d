// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "entities.hpp"

namespace {

using namespace bench;

// A version for each index and a stack of free ones: what one writes by hand. No walk over the living, no location.
class FreeList {
public:
    struct Id {
        std::uint32_t index, version;
    };
    SLOTWISE_BENCH_STEP Id create() {
        ++size_;
        if (free_.empty()) {
            versions_.push_back(1);
            return {static_cast<std::uint32_t>(versions_.size() - 1), 1};
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return {index, ++versions_[index]};
    }
    SLOTWISE_BENCH_STEP void destroy(Id id) {
        if (!is_alive(id)) return;
        ++versions_[id.index];
        free_.push_back(id.index);
        --size_;
    }
    SLOTWISE_BENCH_STEP bool is_alive(Id id) const { return id.index < versions_.size() && versions_[id.index] == id.version; }
    std::size_t size() const { return size_; }

private:
    std::vector<std::uint32_t> versions_, free_;
    std::size_t size_ = 0;
};

const Registered registered([] { sparse::add_entities<FreeList>("free_list", Role::limit); });

} // namespace
