// expect: this type has no hook
// covers: slots/value_array.hpp static_assert "detail::CheckStaticObserver<Column>::holds"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

struct Column {
#ifdef SLOTWISE_COMPILE_FAIL_CONTROL
    void on_erase(slot_t) noexcept {}
#endif
};

int main() {
    SlotMap<int> map;
    DynamicColumn<Column> column;
    const auto token = map.attach(column);
    return token.attached() ? 0 : 1;
}
