// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// MapStorage as it comes, visited by its iterator, over the index that does without vector instructions, and with keys and values
// in one array each.
#include "storage_map.hpp"

#include <slotwise/keyed/hash_index.hpp>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using Default = keyed::StorageMap<Kind, Allocator, slotwise::HashIndex>;
template <class Kind, template <class> class Allocator>
using Portable = keyed::StorageMap<Kind, Allocator, slotwise::PortableHashIndex>;

template <class Kind, template <class> class Allocator>
class Iterator : public Default<Kind, Allocator> {
public:
    [[nodiscard]] keyed::Value sum() const {
        keyed::Value sum = 0;
        for (const auto& [key, value] : this->map_) sum += value;
        return sum;
    }
};

#if SLOTWISE_VIRTUAL_MEMORY
constexpr slotwise::KeySetOptions one_run{.max_slots = std::size_t{1} << 22, .growth = slotwise::Growth::reserve};
template <class Kind, template <class> class Allocator>
using Reserve = keyed::StorageMap<Kind, Allocator, slotwise::HashIndex, one_run>;
#endif

const Registered registered([] {
    keyed::add_contender<Default>("slotwise_map", Role::ours);
    keyed::add_contender<Iterator>("slotwise_map.iterator", Role::ours, true);
    keyed::add_contender<Portable>("slotwise_map_portable_index", Role::ours);
#if SLOTWISE_VIRTUAL_MEMORY
    keyed::add_contender<Reserve>("slotwise_map_reserve", Role::ours);
#endif
});

} // namespace
