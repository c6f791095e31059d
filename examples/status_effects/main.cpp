// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// 100,000 units stand, walk or run, and are stunned now and then. A change of state does not move a unit's data: the gait is in a
// SwitchMap, which has the ids of all that walk in one array; the stun is a bit a row, and loops skip 64 stunned rows at a time.
// Units die, and others are born under reused ids. The same battle is fought with plain structs, and both must end alike.

#include "plain.hpp"

#include <slotwise/rows/bit_column.hpp>
#include <slotwise/sparse/entity_index.hpp>
#include <slotwise/sparse/switch_map.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

namespace {

using Id = slotwise::Handle<struct Unit>;

/// Units in packed rows, in columns beside each other.
class Army {
public:
    Id enlist(int serial) {
        const Id id = index_.create();
        *index_.location(id) = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(id);
        place_.push_back(serial % field);
        stamina_.push_back(full_stamina);
        stunned_.push_back(false);
        gaits_.set(id, Gait::stand);
        return id;
    }
    /// The last row fills the gap, in all columns; the gait needs no row.
    void bury(Id id) {
        const std::uint32_t row = index_.at(id), last = static_cast<std::uint32_t>(ids_.size()) - 1;
        index_.at(ids_[last]) = row;
        ids_[row] = ids_[last];
        place_[row] = place_[last];
        stamina_[row] = stamina_[last];
        stunned_.swap_erase(row);
        ids_.pop_back();
        place_.pop_back();
        stamina_.pop_back();
        gaits_.erase(id);
        index_.destroy(id);
    }
    bool order(Id id, Gait gait) { return index_.is_alive(id) && gaits_.set(id, gait); }
    bool strike(Id id) {
        if (!index_.is_alive(id)) return false;
        stunned_.set(index_.at(id));
        return true;
    }
    void tick() {
        // Only those that walk, or run, are looked at. A stunned unit keeps its gait.
        for (const Gait gait : {Gait::walk, Gait::run})
            for (const Id id : gaits_.of(gait)) {
                const std::uint32_t row = index_.at(id);
                if (stunned_.test(row)) continue;
                place_[row] = (place_[row] + (gait == Gait::run ? 3 : 1)) % field;
                stamina_[row] -= gait == Gait::run ? 4 : 1;
            }
        // Those that are out of breath walk. From the last to the first: a unit that leaves is replaced by one seen before.
        for (std::size_t i = gaits_.count(Gait::run); i-- != 0;) {
            const Id id = gaits_.of(Gait::run)[i];
            if (stamina_[index_.at(id)] <= 0) gaits_.set(id, Gait::walk);
        }
        // Units that are not stunned recover. Runs of rows are loops over plain arrays.
        slotwise::for_each_run(ids_.size(), slotwise::include(), slotwise::exclude(stunned_),
                               [this](std::size_t first, std::size_t last) {
                                   for (std::size_t row = first; row != last; ++row)
                                       stamina_[row] += stamina_[row] < full_stamina ? 2 : 0;
                               });
    }
    void wake_all() { stunned_.assign_all(false); }

    std::size_t count(Gait gait) const { return gaits_.count(gait); }
    std::size_t stunned() const { return stunned_.count(); }
    std::size_t size() const { return index_.size(); }
    long long place_sum() const { return total(place_); }
    long long stamina_sum() const { return total(stamina_); }
    bool sound() const {
        return index_.check_invariants() && gaits_.check_invariants() && stunned_.size() == ids_.size() &&
               gaits_.size() == ids_.size();
    }

private:
    static long long total(const std::vector<int>& column) {
        long long sum = 0;
        for (const int value : column) sum += value;
        return sum;
    }

    slotwise::EntityIndex<Id, std::uint32_t> index_; // the location is the row
    slotwise::SwitchMap<Id, Gait> gaits_;
    std::vector<Id> ids_;
    std::vector<int> place_, stamina_;
    slotwise::BitColumn stunned_;
};

int failures = 0;
void check(bool holds, const char* promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n', ++failures;
}

} // namespace

int main() {
    constexpr int units = 100'000, ticks = 24;
    Army army;
    PlainArmy plain;
    std::vector<Id> ids; // by serial number, the dead included
    for (int serial = 0; serial != units; ++serial) {
        ids.push_back(army.enlist(serial));
        plain.enlist(serial);
    }
    Dice dice;
    std::size_t refused = 0, struck = 0;
    for (int tick = 0; tick != ticks; ++tick) {
        for (int i = 0; i != units / 4; ++i) { // to anybody, also to the dead
            const std::size_t serial = dice.below(ids.size());
            const Gait gait = static_cast<Gait>(dice.below(3));
            refused += !army.order(ids[serial], gait);
            plain.order(serial, gait);
        }
        for (int i = 0; i != units / 16; ++i) {
            const std::size_t serial = dice.below(ids.size());
            struck += army.strike(ids[serial]);
            plain.strike(serial);
        }
        for (int i = 0; i != units / 100; ++i) { // some fall, and as many come
            const std::size_t serial = dice.below(ids.size());
            if (!plain.lives(serial)) continue;
            army.bury(ids[serial]);
            plain.bury(serial);
            plain.enlist(static_cast<int>(ids.size()));
            ids.push_back(army.enlist(static_cast<int>(ids.size())));
        }
        army.tick();
        plain.tick();
        if (tick % 8 == 7) {
            army.wake_all();
            plain.wake_all();
        }
    }
    std::cout << army.size() << " units after " << ticks << " ticks: " << army.count(Gait::stand) << " stand, "
              << army.count(Gait::walk) << " walk, " << army.count(Gait::run) << " run; " << struck << " blows, " << refused
              << " orders without effect\n";
    check(army.sound(), "ids, gaits and bits are in step");
    check(army.size() == units && plain.size() == units, "as many came as fell");
    for (const Gait gait : {Gait::stand, Gait::walk, Gait::run})
        check(army.count(gait) == plain.count(gait), "as many have the gait");
    check(army.place_sum() == plain.place_sum(), "they have moved as far");
    check(army.stamina_sum() == plain.stamina_sum(), "they are as tired");
    check(army.stunned() == plain.stunned(), "as many are stunned");
    return failures == 0 ? 0 : 1;
}
