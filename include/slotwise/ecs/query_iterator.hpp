// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// QueryIterator: a walk of a query as a range.
#ifndef SLOTWISE_ECS_QUERY_ITERATOR_HPP
#define SLOTWISE_ECS_QUERY_ITERATOR_HPP

#include "query_plan.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Behind the last row.
struct QueryEnd {};

/// A row of a walk: an input iterator that can be moved and not copied, because the walk lasts as long as it lives.
/// @tparam Item what is bound: Fetch::EntityRow, or Fetch::Row
template <class Core, class Fetch, class Item>
class QueryIterator {
    using Plan = QueryPlan<Fetch>;
    using Walk = QueryWalk<Core>;
    using Run = typename Walk::Run;

public:
    using value_type = Item;
    using reference = Item;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    /// @param late the plan, if it is not the query's own
    QueryIterator(Core& core, const Plan& plan, std::vector<Plan>&& late, const QueryTables* tables)
        : scope_(core), core_(&core), late_(std::move(late)), plan_(late_.empty() ? &plan : late_.data()),
          walk_(core, plan_->terms, tables) {
        if (plan_->possible) next_run();
    }
    QueryIterator(QueryIterator&&) noexcept = default;
    QueryIterator& operator=(QueryIterator&&) noexcept = default;
    QueryIterator(const QueryIterator&) = delete;
    QueryIterator& operator=(const QueryIterator&) = delete;
    ~QueryIterator() = default;

    Item operator*() const {
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            if constexpr (std::is_same_v<Item, typename Fetch::Row>)
                return Item(at<Nth>()...);
            else
                return Item(run_.table->entities()[row_], at<Nth>()...);
        }(Fetch::indices);
    }
    QueryIterator& operator++() {
        if (++row_ == run_.last)
            next_run();
        else
            plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
        return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const QueryIterator& it, QueryEnd) noexcept { return it.run_.table == nullptr; }

private:
    template <std::size_t Nth>
    decltype(auto) at() const {
        using Value = typename Fetch::template Value<Nth>;
        const QueryColumn& of = plan_->columns[Nth];
        if (plan_->outside) return Fetch::template look_up<Value>(*core_, *run_.table, run_.columns, of, row_);
        return std::get<Nth>(pointers_)[row_];
    }
    void next_run() {
        while (next_ == runs_.size()) {
            runs_.clear();
            next_ = 0;
            if (!walk_.next([this](const Run& run) { runs_.push_back(run); })) {
                run_.table = nullptr;
                return;
            }
        }
        run_ = runs_[next_++];
        row_ = run_.first;
        if (!walk_.keeps_columns()) run_.columns = walk_.columns(*run_.table);
        if (!plan_->outside) pointers_ = Fetch::pointers(*run_.table, run_.columns, plan_->columns, row_);
        plan_->stamp(core_->tick, *run_.table, row_, row_ + 1);
    }

    QueryWalkScope scope_;
    Core* core_;
    std::vector<Plan> late_;
    const Plan* plan_;
    Walk walk_;
    std::vector<Run> runs_{}; // of the step
    std::size_t next_ = 0;
    Run run_{};
    std::size_t row_ = 0;
    typename Fetch::Pointers pointers_{};
};

/// The rows of a query without their entities.
template <class Query>
class QueryRows {
public:
    explicit QueryRows(const Query& query) : query_(query) {}
    auto begin() const { return query_.begin_rows(); }
    QueryEnd end() const noexcept { return {}; }

private:
    Query query_; // its own one: in `for (auto [p] : store.query<P>().rows())` the first is gone when the loop begins
};

} // namespace detail
SLOTWISE_END

#endif
