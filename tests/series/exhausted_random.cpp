// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series whose slots have few lives, over thousands of random windows that use them up: deltas stay exact, handles stay stale.
#include "replica.hpp"

namespace {

using namespace test;

constexpr HandleLayout lives(unsigned bits) { return {.index_bits = 16 - bits, .version_bits = bits}; }
template <DeltaRepresentation R, unsigned Bits, Exhaustion E, Reuse U = Reuse::lowest>
using Few = SeriesWith<SeriesOptions{.delta = R, .exhaustion = E, .reuse = U, .page_slots = 64, .handle = lives(Bits)}>;
template <unsigned Bits>
using Retiring = Few<DeltaRepresentation::adaptive, Bits, Exhaustion::retire>;

/// Every handle that was ever seen: none is given twice, and what has gone does not resolve.
template <class Series>
class Handles {
    using Handle = typename Series::handle_type;

public:
    /// What is wrong; "" when nothing is.
    std::string look(const Series& series) {
        std::set<Handle> alive;
        for (const slot_t slot : series.slots()) {
            const Handle handle = series.handle_at(slot);
            if (!series.contains(handle)) return "; a live handle does not resolve";
            if (!alive_.contains(handle) && ever_.contains(handle)) return "; a handle is given twice";
            alive.insert(handle);
        }
        for (const Handle handle : ever_)
            if (series.contains(handle) != alive.contains(handle)) return "; a stale handle resolves";
        ever_.insert(alive.begin(), alive.end());
        alive_ = std::move(alive);
        return "";
    }
    std::size_t stale() const { return ever_.size() - alive_.size(); }

private:
    std::set<Handle> ever_, alive_;
};

/// Random windows over so few lives that slots are used up all the time. A new series whenever one has more than `room` slots.
template <class Series>
void wear_out(std::uint64_t seed, std::size_t keys, int ticks, std::size_t room) {
    ticks = rounds_of(ticks);
    constexpr bool retires = Series::options.exhaustion == Exhaustion::retire;
    Random random(seed);
    Series source, replica;
    Handles<Series> handles;
    std::size_t retired = 0, all_retired = 0, stale = 0;
    for (Time time = 1; time <= ticks; ++time) {
        INFO("seed " << seed << ", window " << time);
        const Before<Series> before(source);
        random_tick(source, time, random, keys);
        if (random.chance(30)) { // one key, many lives
            const auto key = made_of<typename Series::key_type>(random.below(keys));
            auto w = source.write(time);
            for (auto n = random.below(9); n != 0; --n) {
                w.remove(key);
                if constexpr (is_set<Series>)
                    w.add(key);
                else if constexpr (nests<Series>()) {
                    w.create(key);
                    if (random.chance(50)) w.modify(key).add(static_cast<int>(n));
                } else if (random.chance(70))
                    w.set(key, static_cast<double>(n));
                else
                    w.create(key);
                if (random.chance(10)) w.remove(key);
            }
        }
        const auto delta = capture(source, time);
        replica.write(time).apply(delta);
        std::string wrong = before.judge(source, time);
        if (!all_sound(source) || !all_sound(replica)) wrong += "; not sound";
        if (const auto how = difference(source, replica); !how.empty()) wrong += "; the replica differs: " + how;
        if (!(capture(replica, time) == delta)) wrong += "; the replica's own capture is another delta";
        if (retires) wrong += handles.look(source);
        const std::size_t now = source.as_set().retired();
        if (now < retired) wrong += "; a retired slot is used again";
        retired = now;
        if (!wrong.empty()) FAIL(wrong);
        if (source.capacity() > room) {
            all_retired += retired;
            stale += handles.stale();
            source = Series();
            replica = Series();
            handles = {};
            retired = 0;
        }
    }
    if (retires) REQUIRE(all_retired + retired > 100);
    if (retires) REQUIRE(stale + handles.stale() > 100);
}

} // namespace

TEMPLATE_TEST_CASE("deltas stay exact over thousands of windows that use slots up; retired ones stay retired",
                   "[series][exhausted]", (Few<DeltaRepresentation::dirty_list, 2, Exhaustion::retire, slotwise::Reuse::fifo>),
                   (Few<DeltaRepresentation::bitmap, 3, Exhaustion::retire, slotwise::Reuse::lifo>), (Retiring<2>)) {
    wear_out<typename TestType::template dict<int, double>>(2, 12, 3'000, 256);
}

TEST_CASE("deltas of sets stay exact over thousands of windows that use slots up", "[series][exhausted]") {
    wear_out<Few<DeltaRepresentation::dirty_list, 2, Exhaustion::retire>::set<int>>(1, 12, 5'000, 256);
}

TEST_CASE("deltas stay exact over thousands of windows in which versions wrap", "[series][exhausted]") {
    wear_out<Few<DeltaRepresentation::dirty_list, 2, Exhaustion::wrap>::set<int>>(3, 12, 5'000, 256);
    wear_out<Few<DeltaRepresentation::adaptive, 3, Exhaustion::wrap, slotwise::Reuse::lifo>::dict<int, double>>(4, 12, 5'000,
                                                                                                                256);
}

TEST_CASE("deltas of nested series stay exact over thousands of windows that use slots up", "[series][exhausted]") {
    wear_out<Retiring<2>::dict<int, Retiring<3>::set<int>>>(5, 5, 3'000, 256);
}
