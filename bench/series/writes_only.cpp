// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/series/time_array.hpp>

namespace {

using namespace bench;
using namespace bench::series;

using slotwise::KeySetOptions;

// Stamps: none, or a TimeArray that each write stamps.
template <class... Stamps>
class ByKey {
public:
    static constexpr bool reads = false;

    explicit ByKey(std::size_t n) {
        map_.reserve(n);
        for (std::size_t i = 0; i != n; ++i) map_.insert_or_assign(key_of(i), 0.0);
    }
    [[nodiscard]] static Key name_of(std::uint32_t number) { return key_of(number); }
    void open(std::int64_t time) { now_ = time; }
    void write(std::uint32_t number, double value) { stamp(map_.insert_or_assign(key_of(number), value).it.slot()); }
    void remove(std::uint32_t number) { map_.erase(key_of(number)); }
    static void close() {}
    [[nodiscard]] static std::uint64_t read() { return 0; }
    [[nodiscard]] static std::uint64_t came_and_went() { return 0; }
    [[nodiscard]] double sum() const {
        double sum = 0;
        map_.values().for_each([&](double value) { sum += value; });
        return sum;
    }

protected:
    using Map = slotwise::MapStorage<Key, double, Stamps...>;
    void stamp([[maybe_unused]] slotwise::slot_t slot) {
        if constexpr (sizeof...(Stamps) != 0) map_.template observer<0>().stamp(slot, now_);
    }

    Map map_;
    std::int64_t now_ = 0;
};

template <class... Stamps>
class ByHandle : public ByKey<Stamps...> {
public:
    explicit ByHandle(std::size_t n) : ByKey<Stamps...>(n) {
        for (std::size_t i = 0; i != n; ++i) handles_.push_back(this->map_.handle_of(key_of(i)));
    }
    void write(std::uint32_t number, double value) {
        *this->map_.get(handles_[number]) = value;
        this->stamp(handles_[number].index());
    }

private:
    std::vector<typename ByKey<Stamps...>::Map::handle_type> handles_;
};

const Registered registered([] {
    add_windows<ByKey<>>("write", "writes_only", Role::limit);
    add_windows<ByKey<>>("again", "writes_only", Role::limit);
    add_windows<ByHandle<>>("handles", "writes_only", Role::limit);
    add_sets<ByKey<>>("writes_only", Role::limit);
    add_sets<ByKey<slotwise::TimeArray<>>>("writes_and_stamps", Role::limit);
    add_churn<ByKey<>>("writes_only", Role::limit);
    add_windows<ByKey<slotwise::TimeArray<>>>("write", "writes_and_stamps", Role::limit);
    add_windows<ByHandle<slotwise::TimeArray<>>>("handles", "writes_and_stamps", Role::limit);
});

} // namespace
