// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The backpack of a game: items by name with columns beside them. A dropped item stays readable until the frame ends; picked
// up before that, it is the same item again. The hero wears handles: they go stale when an item has left.

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/slots/value_array.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace slotwise;

struct Item {
    int grams = 0;
    int coins = 0; ///< what it is worth when new
};
using Frame = int;
enum class Kind : std::uint8_t { lasting, burning, rotting };
constexpr std::array<int, 3> loss = {0, 20, 40}; // per cent of its condition that each kind loses in a frame

/// A column of a type of its own: per cent, 100 is as good as new. A ValueArray starts again when an item is taken back; this
/// one goes on, for a candle that was dropped is no longer for it.
struct Condition : ValueArray<int> {
    using ValueArray<int>::ValueArray;
    void on_insert(slot_t slot, InsertKind how) noexcept {
        if (how == InsertKind::fresh) construct(slot, 100);
    }
};

using Pack =
    MapStorage<std::string, Item, Options<KeySetOptions{.deferred_erase = true}>, Column<Kind>, Column<Frame>, Condition>;
using ItemHandle = Pack::handle_type;
constexpr std::size_t kind = 0, since = 1, condition = 2; // the columns by name

/// Watches a pack from outside: what it weighs, without adding everything up again, and where every item went.
class Scales final : public SlotObserver {
public:
    explicit Scales(Pack& pack) : pack_(pack), token_(pack.attach(*this)) {}

    [[nodiscard]] int grams() {
        for (const slot_t slot : arrived_) grams_ += pack_.value(slot).grams;
        arrived_.clear();
        return grams_;
    }
    std::size_t found = 0, dropped = 0, taken_back = 0, lost = 0;

private:
    // The notification of an item comes before it is in the pack: it is weighed when the scales are read.
    void on_insert(slot_t slot, InsertKind how) override {
        arrived_.push_back(slot);
        ++(how == InsertKind::resurrected ? taken_back : found);
    }
    void on_remove(slot_t slot) noexcept override {
        if (std::erase(arrived_, slot) == 0) grams_ -= pack_.value(slot).grams;
        ++dropped;
    }
    void on_erase(slot_t) noexcept override { ++lost; }

    Pack& pack_;
    std::vector<slot_t> arrived_;
    int grams_ = 0;
    ObserverToken token_; // last: attached when all else is there
};

int failures = 0;
void check(bool holds, std::string_view promise) {
    if (!holds) std::cout << "FAILED: " << promise << '\n', ++failures;
}

class Game {
public:
    ItemHandle hand, belt; // the equipment: names of items, owners of nothing

    void begin_frame(std::string_view title) { std::cout << "\n== frame " << ++frame_ << ": " << title << '\n'; }
    ItemHandle take(std::string_view name, Item item, Kind what = Kind::lasting) {
        const auto taken = pack_.try_emplace(name, item);
        pack_.column<kind>()[taken.it.slot()] = what;
        pack_.column<since>()[taken.it.slot()] = frame_;
        std::cout << (taken.kind == InsertKind::fresh ? "   + finds the " : "   ^ takes back the ") << name << '\n';
        return taken.it.handle();
    }
    /// Picks up what was dropped in this frame: its value and columns are still there to be read. Null when there is no such
    /// thing.
    ItemHandle take_back(std::string_view name) {
        const slot_t slot = pack_.slot_of_any(name);
        if (slot == no_slot || pack_.state(slot) != SlotState::pending) return {};
        return take(name, pack_.value(slot), pack_.observer<kind>()[slot]);
    }
    void drop(std::string_view name) {
        if (pack_.erase(name)) std::cout << "   - drops the " << name << '\n';
    }
    /// Things wear out and fall off, the pack is shown, and what lies on the ground is gone.
    void end_frame() {
        decay();
        int grams = 0;
        for (auto at = pack_.begin(); at != pack_.end(); ++at) {
            show(at.slot());
            grams += at->value.grams;
        }
        pack_.for_each_pending([this](slot_t slot) { show(slot); });
        std::cout << "     a pack of " << pack_.size() << ", " << scales_.grams() << " g; hand: " << worn(hand)
                  << ", belt: " << worn(belt) << '\n';
        check(scales_.grams() == grams, "the running total is what the pack weighs");
        pack_.flush_removed();
        check(scales_.found == pack_.size() + scales_.lost && scales_.dropped == scales_.taken_back + scales_.lost,
              "every item is in the pack or lost");
        check(pack_.pending() == 0 && pack_.check_invariants(), "the ground is empty");
    }

    [[nodiscard]] const Pack& pack() const { return pack_; }
    [[nodiscard]] std::string worn(ItemHandle item) const {
        const std::string* const name = pack_.key(item);
        return name != nullptr ? *name : pack_.explain(item) == HandleStatus::pending ? "(just dropped)" : "(empty)";
    }

private:
    /// The decay system: columns of one map side by side, without a look at keys or values.
    void decay() {
        zip_columns([](slot_t, Kind what, int& left) { left = std::max(0, left - loss[static_cast<std::size_t>(what)]); },
                    pack_.column<kind>(), pack_.column<condition>());
        const auto left = pack_.column<condition>();
        pack_.erase_if([&](ItemHandle item, const std::string& name, const Item&) {
            if (left[item.index()] != 0) return false;
            std::cout << "   ~ the " << name << (*pack_.column<kind>().get(item) == Kind::burning ? " burns out\n" : " rots\n");
            return true;
        });
    }
    void show(slot_t slot) const {
        const int left = pack_.observer<condition>()[slot];
        const auto bars = static_cast<std::size_t>(left / 10);
        std::cout << "     " << std::left << std::setw(8) << pack_.key(slot) << std::right << std::setw(6)
                  << pack_.value(slot).grams << " g  [" << std::string(bars, '#') << std::string(10 - bars, '.') << "]"
                  << std::setw(4) << pack_.value(slot).coins * left / 100 << " coins  "
                  << (pack_.state(slot) == SlotState::pending ? "on the ground, since frame " : "since frame ")
                  << pack_.observer<since>()[slot] << '\n';
    }

    Pack pack_;
    Scales scales_{pack_};
    Frame frame_ = 0;
};

} // namespace

int main() {
    Game game;
    const Pack& pack = game.pack();

    game.begin_frame("the cellar");
    const ItemHandle sword = game.hand = game.take("sword", {1400, 90});
    const ItemHandle candle = game.belt = game.take("candle", {80, 5}, Kind::burning);
    const ItemHandle cheese = game.take("cheese", {250, 10}, Kind::rotting);
    game.take("rope", {900, 15});
    game.end_frame();
    check(game.worn(game.hand) == "sword" && pack.size() == 4, "the hero holds the sword");

    game.begin_frame("a low door: things go down, and one is reached for");
    const Item* const address = pack.get(candle);
    game.drop("candle");
    game.drop("rope");
    check(pack.get(candle) == nullptr && pack.explain(candle) == HandleStatus::pending,
          "a dropped item has left the pack at once");
    check(pack.key(candle.index()) == "candle" && pack.value(candle.index()).grams == 80, "and can still be read");
    const ItemHandle again = game.take_back("candle");
    check(again.index() == candle.index() && pack.get(again) == address, "taken back, it is the same item at the same address");
    check(again != candle && !pack.contains(candle), "with a new handle: who has the old one learns that it was away");
    check(*pack.column<condition>().get(again) == 80, "and it burns on where it was");
    game.end_frame();
    check(game.worn(game.belt) == "(empty)" && game.take_back("rope").is_null(), "the belt is empty, the rope is out of reach");

    game.begin_frame("the cheese has seen better days");
    game.belt = again;
    game.end_frame();
    check(!pack.contains("cheese") && pack.explain(cheese) == HandleStatus::stale, "what has rotted is gone");

    game.begin_frame("a troll wants the sword, and is given it");
    game.drop("sword");
    check(game.worn(game.hand) == "(just dropped)", "the hand notices");
    game.end_frame();

    game.begin_frame("the troll leaves a shield");
    const ItemHandle shield = game.take("shield", {3200, 70});
    check(shield.index() == sword.index() && game.worn(sword) == "(empty)", "the shield in the sword's slot is not the sword");
    game.hand = shield;
    game.end_frame();
    check(game.worn(game.hand) == "shield" && game.worn(game.belt) == "(empty)", "the candle has burnt down, the shield stays");

    std::cout << "\ncheck: " << (failures == 0 ? "passed" : "FAILED") << '\n';
    return failures == 0 ? 0 : 1;
}
