// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/soa_slot_map.hpp"

#include <tuple>
#include <utility>

namespace {

using namespace bench;

// A column for each field.
template <class Fields>
struct AllFields;

template <std::size_t... I>
struct AllFields<std::index_sequence<I...>> {
    using Map = slotwise::SoaSlotMap<std::tuple_element_t<I, std::array<columns::Word, sizeof...(I)>>...>;
    template <class T>
    static auto insert(Map& map, const T& value) {
        const auto fields = columns::fields(value);
        return map.insert(fields[I]...);
    }
};

template <class T>
class Soa : public BasicSoaSlotMap<T, AllFields<std::make_index_sequence<columns::field_count<T>>>> {
public:
    void update() {
        const auto fields = this->map_.template column<0>();
        const auto others = std::as_const(this->map_).template column<1>();
        for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += others[i];
    }
};

const Registered registered([] { columns::add_contender<Soa>("SoaSlotMap", Role::ours); });

} // namespace
