// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// IdentityMap: from an id to a handle, and back. The value of a row is in the user bits of the handle.
#include "workload.hpp"

#include <slotwise/map/identity_map.hpp>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
class Identities {
public:
    using kind_type = Kind;
    static constexpr bool highest_bit_is_known = true; // of a value: it would not make a lookup depend on the one before
    using Key = typename Kind::Key;
    using Named =
        slotwise::Handle<struct NamedElement, slotwise::HandleLayout{.index_bits = 32, .version_bits = 8, .user_bits = 24}>;
    using Map =
        slotwise::IdentityMap<Key, Named, slotwise::HashBy<typename Kind::Hash>, slotwise::AllocBy<Allocator<std::byte>>>;

    void reserve(std::size_t n) { ids_.reserve(n); }
    SLOTWISE_BENCH_STEP void insert(const Key& key, keyed::Value value) {
        slotwise::slot_t slot = next_;
        if (vacant_.empty())
            ++next_;
        else {
            slot = vacant_.back();
            vacant_.pop_back();
        }
        ids_.insert(key, Named(slot, 1, value));
    }
    struct Found {
        Named handle;
        explicit operator bool() const noexcept { return !handle.is_null(); }
        keyed::Value operator*() const noexcept { return handle.user_bits(); }
    };
    [[nodiscard]] SLOTWISE_BENCH_STEP Found find(const Key& key) const { return {ids_.handle_of(key)}; }
    SLOTWISE_BENCH_STEP std::size_t erase(const Key& key) {
        const Named handle = ids_.handle_of(key);
        if (!ids_.erase(handle)) return 0;
        vacant_.push_back(handle.index());
        return 1;
    }
    void clear() noexcept { ids_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
    [[nodiscard]] keyed::Value sum() const {
        keyed::Value sum = 0;
        for (const Named handle : ids_.handles()) sum += handle.user_bits();
        return sum;
    }

private:
    Map ids_;
    slotwise::slot_t next_ = 0;
    std::vector<slotwise::slot_t> vacant_; // slots of an element map beside it
};

const Registered registered([] { keyed::add_contender<Identities>("identity_map", Role::ours); });

} // namespace
