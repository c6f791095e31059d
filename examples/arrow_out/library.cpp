// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The market as a shared library with functions of C, which Python calls by ctypes. A stream crosses as the address of an
// ArrowArrayStream: its five pointers are all that both sides know. Nothing of Python or Arrow is needed to build it.
#include "market.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>

#include <exception>

namespace {

struct Place {
    arrow_out::Market market;
    arrow_out::Random random;
    std::uint64_t instruments;
    std::string error;
};

// No exception may leave a function of C. Null: all went well; otherwise the text of the error.
template <class F>
const char* guarded(Place* place, F&& f) noexcept {
    try {
        f();
        return nullptr;
    } catch (const std::exception& error) {
        place->error = error.what();
        return place->error.c_str();
    }
}

} // namespace

extern "C" {

Place* place_open(std::uint64_t instruments) {
    auto* const place = new Place{.market = {}, .random = {}, .instruments = instruments, .error = {}};
    if (instruments != 0) arrow_out::list(place->market, instruments);
    return place;
}
void place_close(Place* place) { delete place; }

/// The next window.
const char* place_trade(Place* place) {
    return guarded(place,
                   [&] { arrow_out::trade(place->market, place->market.window() + 1, place->instruments, place->random); });
}
/// All prices, as they are now; the stream at `out` is the caller's.
const char* place_state(Place* place, ArrowArrayStream* out) {
    return guarded(place, [&] { slotwise::export_stream(place->market, out); });
}
/// What the last window has changed.
const char* place_window(Place* place, ArrowArrayStream* out) {
    return guarded(place, [&] { slotwise::export_delta(place->market, place->market.window() - 1, out); });
}
/// Takes the state of another market at the time of its first window. The stream is released.
const char* place_take(Place* place, ArrowArrayStream* state) {
    return guarded(place, [&] {
        auto window = place->market.write(1);
        slotwise::import_stream(state, window);
    });
}
/// Follows by a window. @param applied a slotwise::Applied
const char* place_follow(Place* place, ArrowArrayStream* window, int* applied) {
    return guarded(place, [&] { *applied = static_cast<int>(slotwise::apply_delta(place->market, window)); });
}
/// Whether both have the same prices.
int place_equal(const Place* a, const Place* b) { return a->market == b->market ? 1 : 0; }

} // extern "C"
