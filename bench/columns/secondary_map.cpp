// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Each field beside the second one is in a SecondaryMap that is attached to the map.
#include "workload.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;
using columns::Word;

template <class T>
class Secondary {
public:
    using value_type = T;
    using Map = slotwise::SlotMap<Word>;
    using Handle = typename Map::handle_type;

    Secondary() {
        for (auto& column : columns_) column.attach_to(map_);
    }

    Handle insert(const T& value) {
        const auto fields = columns::fields(value);
        const Handle handle = map_.insert(fields[1]);
        for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].insert(handle, fields[i == 0 ? 0 : i + 1]);
        return handle;
    }
    void erase(Handle handle) { map_.erase(handle); }
    void walk_by(const std::vector<Handle>& handles) { handles_ = handles; }
    [[nodiscard]] const Word* field(Handle handle) const { return columns_[0].get(handle); }
    [[nodiscard]] Word sum() const { return look_up(*this, handles_.data(), handles_.size()); }
    void update() {
        for (const Handle handle : handles_) {
            Word* const field = columns_[0].get(handle);
            const Word* const other = map_.get(handle);
            if (field != nullptr && other != nullptr) *field += *other;
        }
    }

private:
    Map map_;
    std::array<slotwise::SecondaryMap<Handle, Word>, columns::field_count<T> - 1> columns_;
    std::vector<Handle> handles_;
};

const Registered registered([] { columns::add_contender<Secondary>("SecondaryMap", Role::ours); });

} // namespace
