// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every state that a series with few slots, two keys and narrow versions can reach, through its writer. Two states are one when
// they answer alike about every bit pattern of a handle and about what the window changed; how late it is does not count.
#include "support/sweep.hpp"
#include "support/thrown.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <bitset>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace slotwise;

constexpr std::size_t slots = 3;
constexpr int keys = 2;
template <unsigned Bits, Exhaustion E, DeltaRepresentation D, bool Dense = false>
struct Narrow {
    static constexpr SeriesOptions options{
        .delta = D,
        .exhaustion = E,
        .page_slots = 64,
        .handle = {.index_bits = 3, .version_bits = Bits, .user_bits = 13 - Bits, .dense_versions = Dense},
        .max_slots = slots};
    using set = TSSStorage<int, Options<options>>;
    using dict = TSDStorage<int, int, Options<options>>;
};

template <class Series>
class SeriesExplorer {
    using handle_type = typename Series::handle_type;
    static constexpr unsigned patterns = 1u << (Series::options.handle.index_bits + Series::options.handle.version_bits);
    static constexpr bool retires = Series::options.exhaustion == Exhaustion::retire;
    struct State {
        Series series{};
        std::set<handle_type> live{};
        std::bitset<patterns> issued{};
    };

public:
    std::size_t states = 0, stale_probes = 0, exhausted = 0;

    void run() {
        State first;
        static_cast<void>(first.series.write(1));
        visit(first);
        while (!waiting_.empty()) {
            const State state = std::move(waiting_.back());
            waiting_.pop_back();
            expand(state);
        }
    }

private:
    static void put(Series& series, std::int64_t time, int key) {
        if constexpr (requires { series.write(time).set(key, key); })
            series.write(time).set(key, key);
        else
            series.write(time).add(key);
    }
    void expand(const State& state) {
        ++states;
        probe(state);
        const auto retired = state.series.as_set().retired();
        const bool room = state.series.size() + state.series.as_set().pending() + retired < slots;
        exhausted += retired == slots;
        for (const std::int64_t later : {0, 1}) { // in the open window, or in a new one
            const auto step = [&](auto&& change) {
                State next = state;
                change(next.series, next.series.window() + later);
                note(next);
                visit(next);
            };
            for (int key = 0; key != keys; ++key) {
                if (room) step([&](Series& series, std::int64_t time) { put(series, time, key); });
                step([&](Series& series, std::int64_t time) { series.write(time).remove(key); });
            }
            step([](Series& series, std::int64_t time) { series.write(time).clear(); });
            step([](Series& series, std::int64_t time) { // the window rolls, and what is left at the end is given back
                series.write(time).touch();
                series.shrink_to_fit();
            });
        }
        State restored = state;
        restored.series.restore(state.series.snapshot());
        probe(restored);
    }
    /// Takes down what lives now. No handle is given twice.
    static void note(State& state) {
        std::set<handle_type> now;
        for (const slot_t slot : state.series.slots()) now.insert(state.series.handle_at(slot));
        for (const auto handle : now)
            if (!state.live.contains(handle)) {
                if (retires && state.issued.test(handle.to_bits())) FAIL("given twice: " << handle);
                state.issued.set(handle.to_bits());
            }
        state.live = std::move(now);
    }
    void probe(const State& state) {
        if (!state.series.check_invariants()) FAIL("not sound");
        for (unsigned bits = 0; bits != patterns; ++bits) {
            const auto handle = handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits));
            const bool is_live = state.live.contains(handle);
            if (state.series.contains(handle) != is_live)
                FAIL(handle << (is_live ? " does not resolve" : " is stale and resolves"));
            stale_probes += !is_live && state.issued.test(bits);
        }
    }
    void visit(const State& state) {
        std::string key = retires ? state.issued.to_string() : std::string();
        for (unsigned bits = 0; bits != patterns; ++bits)
            key += static_cast<char>('a' + static_cast<int>(state.series.explain(
                                               handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits)))));
        const auto now = state.series.window();
        for (int k = 0; k != keys; ++k) {
            key += static_cast<char>('a' + state.series.was_added(k, now) * 2 + state.series.was_removed(k, now));
            key += static_cast<char>('a' + static_cast<int>(state.series.handle_of(k).to_bits() % 26));
        }
        if (seen_.insert(key).second) waiting_.push_back(state);
    }

    std::set<std::string> seen_{};
    std::vector<State> waiting_{};
};

template <class Series>
void explore() {
    SeriesExplorer<Series> explorer;
    explorer.run();
    test::report("versions", test::class_name<Series>() + " " + std::to_string(Series::options.handle.version_bits) + " bits",
                 std::to_string(explorer.states), std::to_string(explorer.stale_probes));
    REQUIRE(explorer.states > (std::size_t{1} << Series::options.handle.version_bits));
    REQUIRE(explorer.stale_probes > 0);
    REQUIRE((explorer.exhausted > 0) == (Series::options.exhaustion == Exhaustion::retire));
}

} // namespace

TEMPLATE_TEST_CASE_SIG("with 1- to 3-bit versions, no stale handle of a series ever resolves, whatever was written before",
                       "[versions]", ((DeltaRepresentation D), D), DeltaRepresentation::dirty_list, DeltaRepresentation::bitmap,
                       DeltaRepresentation::adaptive) {
    explore<typename Narrow<1, Exhaustion::retire, D>::set>();
    explore<typename Narrow<2, Exhaustion::retire, D>::set>();
    explore<typename Narrow<2, Exhaustion::retire, D>::dict>();
    explore<typename Narrow<2, Exhaustion::retire, D, true>::set>();
    explore<typename Narrow<3, Exhaustion::retire, D>::dict>();
}

TEST_CASE("with 2-bit versions that wrap, a series finds exactly the live handles, whatever was written before", "[versions]") {
    explore<typename Narrow<2, Exhaustion::wrap, DeltaRepresentation::adaptive>::set>();
    explore<typename Narrow<2, Exhaustion::wrap, DeltaRepresentation::adaptive>::dict>();
}
