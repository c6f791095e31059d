// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// TSDStorage as a contender, once for each representation of its deltas.
#pragma once

#include "workload.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <memory>
#include <optional>

namespace bench::series {

template <slotwise::DeltaRepresentation R>
using Storage = slotwise::TSDStorage<Key, double, slotwise::Options<slotwise::SeriesOptions{.delta = R}>>;

template <slotwise::DeltaRepresentation R>
class ByKey {
public:
    static constexpr bool reads = true;

    explicit ByKey(std::size_t n) {
        storage_.reserve(n);
        auto writer = storage_.write(1);
        for (std::size_t i = 0; i != n; ++i) writer.set(key_of(i), 0.0);
    }
    [[nodiscard]] static Key name_of(std::uint32_t number) { return key_of(number); }
    void open(std::int64_t time) {
        writer_.reset();
        writer_.emplace(storage_.write(time));
    }
    void write(std::uint32_t number, double value) { writer_->set(key_of(number), value); }
    void close() { writer_.reset(); }
    [[nodiscard]] std::uint64_t read() const {
        std::uint64_t sum = 0;
        for (const auto [key, value] : storage_.modified_items(storage_.window())) sum = seen(sum, key);
        return sum;
    }
    void remove(std::uint32_t number) { writer_->remove(key_of(number)); }
    [[nodiscard]] std::uint64_t came_and_went() const {
        const auto time = storage_.window();
        return storage_.added_keys(time).size() + storage_.removed_keys(time).size();
    }
    using Delta = typename Storage<R>::delta_type;
    [[nodiscard]] Delta take() const { return capture(storage_, storage_.window()); }
    [[nodiscard]] static std::size_t changes_in(const Delta& delta) { return delta.modified.size(); }
    void put(const Delta& delta, std::int64_t time) { storage_.write(time).apply(delta); }
    [[nodiscard]] double sum() const {
        double sum = 0;
        storage_.values().for_each([&](double value) { sum += value; });
        return sum;
    }

protected:
    Storage<R> storage_;
    std::optional<typename Storage<R>::writer> writer_;
};

template <slotwise::DeltaRepresentation R>
class ByHandle : public ByKey<R> {
public:
    explicit ByHandle(std::size_t n) : ByKey<R>(n) {
        for (std::size_t i = 0; i != n; ++i) handles_.push_back(this->storage_.handle_of(key_of(i)));
    }
    void write(std::uint32_t number, double value) { this->writer_->modify(handles_[number]) = value; }

private:
    std::vector<typename Storage<R>::handle_type> handles_;
};

template <slotwise::DeltaRepresentation R>
class BySlot {
public:
    static constexpr bool reads = true;

    explicit BySlot(std::size_t n) {
        tracker_.on_capacity(0, static_cast<slotwise::slot_t>(n));
        for (slotwise::slot_t slot = 0; slot != n; ++slot) tracker_.on_insert(slot, slotwise::InsertKind::fresh);
    }
    [[nodiscard]] static Key name_of(std::uint32_t number) { return number; }
    void open(std::int64_t time) { tracker_.open(time); }
    void write(std::uint32_t number, double) { tracker_.touch(number); }
    void close() {}
    [[nodiscard]] std::uint64_t read() const {
        std::uint64_t sum = 0;
        for (const slotwise::slot_t slot : tracker_.touched(tracker_.window())) sum = seen(sum, slot);
        return sum;
    }

private:
    slotwise::DeltaTracker<std::int64_t, R> tracker_;
};

class WithSubscribers : public ByKey<slotwise::DeltaRepresentation::adaptive> {
public:
    using ByKey::ByKey;
    void subscribe(std::uint32_t number) { tokens_.push_back(storage_.subscribe(key_of(number), counter_)); }
    [[nodiscard]] std::uint64_t told() const { return counter_.told; }

private:
    struct Counter final : slotwise::SeriesSubscriber<std::int64_t> {
        void on_tick(const slotwise::SeriesTick<std::int64_t>&) noexcept override { ++told; }
        std::uint64_t told = 0;
    };
    Counter counter_;
    std::vector<slotwise::Subscription<std::int64_t>> tokens_;
};

template <slotwise::DeltaRepresentation R>
void add_slotwise(const std::string& name) {
    add_windows<ByKey<R>>("write", name, Role::ours);
    add_windows<ByKey<R>>("again", name, Role::ours);
    add_windows<ByHandle<R>>("handles", name, Role::ours);
    add_windows<BySlot<R>>("slots", name, Role::ours);
    add_sets<ByKey<R>>(name, Role::ours);
    add_churn<ByKey<R>>(name, Role::ours);
    if constexpr (R == slotwise::DeltaRepresentation::adaptive) {
        add_flow<ByKey<R>>(name, Role::ours);
        add_fan_out<WithSubscribers>(name, Role::ours);
    }
}

} // namespace bench::series
