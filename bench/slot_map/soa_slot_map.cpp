// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SoaSlotMap: like DenseSlotMap with an array per member; a lookup reads one of them.
#include "workload.hpp"

#include "../support/soa_columns.hpp"

namespace {

using namespace bench;

template <class T>
class Map {
public:
    using value_type = T;
    using Inner = typename Split<T>::Map;
    using Handle = typename Inner::handle_type;
    static constexpr bool sees_stale = true;

    void reserve(std::size_t n) { map_.reserve(n); }
    Handle insert(const T& value) { return Split<T>::insert(map_, value); }
    [[nodiscard]] const field_t<T>* field(Handle handle) const {
        const auto row = map_.get(handle);
        return row ? &row->template get<0>() : nullptr;
    }
    void erase(Handle handle) { map_.erase(handle); }
    void clear() noexcept { map_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }

private:
    Inner map_;
};

const Registered registered([] { slot_map::add_contender<Map>("SoaSlotMap", Role::ours); });

} // namespace
