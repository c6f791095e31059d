// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/soa_slot_map.hpp>

namespace {

using namespace bench;

template <class T>
struct Columns {
    using Map = slotwise::SoaSlotMap<field_t<T>, decltype(T::rest)>;
};

template <>
struct Columns<Element4> {
    using Map = slotwise::SoaSlotMap<std::uint32_t>;
};

template <class T>
class Soa {
public:
    using value_type = T;

    void reserve(std::size_t n) { map_.reserve(n); }
    auto insert(const T& value) {
        if constexpr (requires { value.rest; }) {
            return map_.insert(value.field, value.rest);
        } else {
            return map_.insert(value.field);
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }

private:
    typename Columns<T>::Map map_;
};

const Registered registered([] { memory::add_contender<Soa>("SoaSlotMap", Role::ours); });

} // namespace
