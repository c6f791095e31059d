// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "entities.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/sparse/entity_index.hpp>

namespace {

using namespace bench;

struct Place {
    std::uint32_t table = 0, row = 0;
};

template <class Id, class Location>
class Index {
public:
    SLOTWISE_BENCH_STEP Id create() { return index_.create(); }
    SLOTWISE_BENCH_STEP void destroy(Id id) { index_.destroy(id); }
    SLOTWISE_BENCH_STEP bool is_alive(Id id) const { return index_.is_alive(id); }
    SLOTWISE_BENCH_STEP std::size_t create_n(std::size_t n) { return index_.create_n(n).size(); }
    void clear() { index_.clear(); }
    std::size_t size() const { return index_.size(); }

private:
    slotwise::EntityIndex<Id, Location> index_;
};
struct Nowhere {};

// The same of a slot map of places.
class Map {
public:
    using Handle = slotwise::SlotMap<Place>::handle_type;
    SLOTWISE_BENCH_STEP Handle create() { return map_.insert(Place()); }
    SLOTWISE_BENCH_STEP void destroy(Handle id) { map_.erase(id); }
    SLOTWISE_BENCH_STEP bool is_alive(Handle id) const { return map_.contains(id); }
    std::size_t size() const { return map_.size(); }

private:
    slotwise::SlotMap<Place> map_;
};

const Registered registered([] {
    using Narrow = slotwise::Handle<struct BenchEntity, slotwise::HandleLayout{20, 12, 0}>;
    sparse::add_entities<Index<slotwise::Handle<struct BenchEntity>, Place>>("EntityIndex", Role::ours);
    sparse::add_entities<Index<Narrow, Nowhere>>("EntityIndex_ids_of_32_bits", Role::ours);
    sparse::add_entities<Map>("SlotMap", Role::ours);
});

} // namespace
