// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Handles without elements. Rows ids_*: as those of workload.hpp, where nothing is stored and a lookup is the question whether a
// handle is live. ids_walk sums the indexes of the live handles, half of n.

#include "workload.hpp"

#include <slotwise/map/handle_pool.hpp>

namespace {

using namespace bench;

constexpr std::uint32_t one = 1;

template <slotwise::Reuse R>
class HandlePool : public slotwise::HandlePool<Element4, slotwise::Options<slotwise::SlotMapOptions{.reuse = R}>> {
public:
    using value_type = Element4;
    static constexpr bool sees_stale = true;
    auto insert(const Element4&) { return this->create(); }
    [[nodiscard]] const std::uint32_t* field(const typename HandlePool::handle_type& handle) const noexcept {
        return this->contains(handle) ? &one : nullptr;
    }
    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t sum = 0;
        this->for_each([&sum](auto handle) { sum += handle.index(); });
        return sum;
    }
};

// What one writes by hand: versions, odd while live, and a stack of free indexes. Versions wrap, and a walk tests each.
class FreeList {
public:
    using value_type = Element4;
    static constexpr bool sees_stale = true;
    struct Handle {
        std::uint32_t index, version;
    };

    void reserve(std::size_t n) {
        versions_.reserve(n);
        free_.reserve(n);
    }
    Handle insert(const Element4&) {
        if (free_.empty()) {
            versions_.push_back(1);
            return {static_cast<std::uint32_t>(versions_.size() - 1), 1};
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return {index, ++versions_[index]};
    }
    [[nodiscard]] const std::uint32_t* field(const Handle& h) const noexcept {
        return h.index < versions_.size() && versions_[h.index] == h.version ? &one : nullptr;
    }
    bool erase(const Handle& h) {
        if (field(h) == nullptr) return false;
        ++versions_[h.index];
        free_.push_back(h.index);
        return true;
    }
    void clear() {
        for (std::size_t i = versions_.size(); i-- != 0;) {
            if (versions_[i] % 2 == 0) continue;
            ++versions_[i];
            free_.push_back(static_cast<std::uint32_t>(i));
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return versions_.size() - free_.size(); }
    [[nodiscard]] std::uint64_t sum() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i != versions_.size(); ++i) {
            if (versions_[i] % 2 != 0) sum += i;
        }
        return sum;
    }

private:
    std::vector<std::uint32_t> versions_;
    std::vector<std::uint32_t> free_;
};

// The limit: a stack of free indexes, as in Box2D's id pool. It knows neither which are live nor what is stale.
class FreeIndexes {
public:
    using value_type = Element4;
    static constexpr bool sees_stale = false;
    void reserve(std::size_t n) { free_.reserve(n); }
    std::uint32_t insert(const Element4&) {
        if (free_.empty()) return next_++;
        const std::uint32_t index = free_.back();
        free_.pop_back();
        return index;
    }
    [[nodiscard]] const std::uint32_t* field(std::uint32_t) const noexcept { return &one; }
    void erase(std::uint32_t index) { free_.push_back(index); }
    void clear() {
        free_.clear();
        next_ = 0;
    }
    [[nodiscard]] std::size_t size() const noexcept { return next_ - free_.size(); }

private:
    std::vector<std::uint32_t> free_;
    std::uint32_t next_ = 0;
};

template <class C>
Measured run_walk(benchmark::State& state, std::size_t n) {
    C contender;
    std::vector<handle_of<C>> handles(n);
    fill(contender, handles.data(), n);
    const std::vector<std::uint32_t> victims = shuffled(n, 2);
    for (std::size_t i = 0; i < n / 2; ++i) contender.erase(handles[victims[i]]);
    const std::size_t passes = slot_map::containers_for(n);
    const std::uint64_t sum = timed_passes(state, passes, contender, [&] { return contender.sum(); });
    return {n / 2 * passes, sum};
}

template <class C>
void add_pool(const std::string& name, Role role) {
    for (const std::size_t n : slot_map::sizes) {
        const auto add_row = [&](const char* operation, auto body) {
            add({operation, 0, n}, name, role, slot_map::batches_for(n), body);
        };
        using namespace bench::slot_map;
        add_row("ids_create", [n](benchmark::State& s) { return run_insert<C>(s, n, false); });
        add_row("ids_create_reserved", [n](benchmark::State& s) { return run_insert<C>(s, n, true); });
        add_row("ids_churn", [n](benchmark::State& s) { return run_churn<C>(s, n, false); });
        add_row("ids_churn_holes", [n](benchmark::State& s) { return run_churn<C>(s, n, true); });
        add_row("ids_erase_all", [n](benchmark::State& s) { return run_erase_all<C>(s, n); });
        add_row("ids_clear", [n](benchmark::State& s) { return run_clear<C>(s, n); });
        if constexpr (sees_stale<C>) {
            add_row("ids_contains", [n](benchmark::State& s) { return run_lookup<C>(s, n, false); });
            add_row("ids_contains_half_stale", [n](benchmark::State& s) { return run_lookup<C>(s, n, true); });
        }
        if constexpr (can_sum<C>) add_row("ids_walk", [n](benchmark::State& s) { return run_walk<C>(s, n); });
    }
}

const Registered registered([] {
    add_pool<HandlePool<slotwise::Reuse::lowest>>("HandlePool", Role::ours);
    add_pool<HandlePool<slotwise::Reuse::lifo>>("HandlePool_lifo", Role::ours);
    add_pool<FreeList>("free_list", Role::rival);
    add_pool<FreeIndexes>("free_indexes", Role::limit);
});

} // namespace
