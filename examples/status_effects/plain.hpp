// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The rules, and the battle as one struct a unit: what the columns of main.cpp must agree with.
#ifndef SLOTWISE_EXAMPLES_STATUS_EFFECTS_PLAIN_HPP
#define SLOTWISE_EXAMPLES_STATUS_EFFECTS_PLAIN_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

enum class Gait : std::uint8_t { stand, walk, run };
inline constexpr int field = 1000, full_stamina = 20;

/// The same numbers in every run.
class Dice {
public:
    std::size_t below(std::size_t end) noexcept {
        state_ = state_ * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
        return static_cast<std::size_t>((state_ >> 33) % end);
    }

private:
    std::uint64_t state_ = 1;
};

/// Each unit is found by its serial number and stays where it is when it dies.
class PlainArmy {
    struct Unit {
        int place, stamina = full_stamina;
        Gait gait = Gait::stand;
        bool alive = true, stunned = false;
    };

public:
    void enlist(int serial) { units_.push_back({serial % field}); }
    void bury(std::size_t serial) { units_[serial].alive = false; }
    bool lives(std::size_t serial) const { return units_[serial].alive; }
    void order(std::size_t serial, Gait gait) {
        if (units_[serial].alive) units_[serial].gait = gait;
    }
    void strike(std::size_t serial) { units_[serial].stunned = units_[serial].alive; }
    void wake_all() {
        for (Unit& unit : units_) unit.stunned = false;
    }
    void tick() {
        for (Unit& unit : units_) {
            if (!unit.alive) continue;
            if (!unit.stunned && unit.gait != Gait::stand) {
                unit.place = (unit.place + (unit.gait == Gait::run ? 3 : 1)) % field;
                unit.stamina -= unit.gait == Gait::run ? 4 : 1;
            }
            if (unit.gait == Gait::run && unit.stamina <= 0) unit.gait = Gait::walk;
            if (!unit.stunned && unit.stamina < full_stamina) unit.stamina += 2;
        }
    }

    std::size_t size() const {
        return count_if([](const Unit&) { return true; });
    }
    std::size_t count(Gait gait) const {
        return count_if([=](const Unit& unit) { return unit.gait == gait; });
    }
    std::size_t stunned() const {
        return count_if([](const Unit& unit) { return unit.stunned; });
    }
    long long place_sum() const {
        long long sum = 0;
        for (const Unit& unit : units_) sum += unit.alive ? unit.place : 0;
        return sum;
    }
    long long stamina_sum() const {
        long long sum = 0;
        for (const Unit& unit : units_) sum += unit.alive ? unit.stamina : 0;
        return sum;
    }

private:
    template <class Pred>
    std::size_t count_if(Pred pred) const {
        std::size_t count = 0;
        for (const Unit& unit : units_) count += unit.alive && pred(unit);
        return count;
    }

    std::vector<Unit> units_;
};

#endif
