// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of maps against a naive oracle: a std::unordered_map of what lives, a list of what is pending, and the versions
// of all slots. Everything is asked for after every step. Two maps walk in lockstep; one of them is now and then replaced by a copy,
// a restored snapshot or a moved self, and must go on giving the same handles.
#ifndef SLOTWISE_TESTS_KEYED_MODEL_KEYED_HPP
#define SLOTWISE_TESTS_KEYED_MODEL_KEYED_HPP

#include "text_codec.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace test {

//=== keys that hash tables dislike ===//

enum class Pattern { sequential, times_16, times_2_to_20, times_2_to_48, reversed, from_the_top, scattered };
inline constexpr int patterns_of_keys = 7;

constexpr std::uint64_t reversed_bits(std::uint64_t x) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i != 64; ++i) result |= ((x >> i) & 1u) << (63 - i);
    return result;
}
constexpr std::uint64_t patterned(Pattern pattern, std::uint64_t i) {
    switch (pattern) {
    case Pattern::sequential:
        return i;
    case Pattern::times_16:
        return i << 4;
    case Pattern::times_2_to_20:
        return i << 20;
    case Pattern::times_2_to_48:
        return i << 48;
    case Pattern::reversed:
        return reversed_bits(i);
    case Pattern::from_the_top:
        return ~i;
    default:
        return Random(i).next();
    }
}
template <class Key>
Key patterned_key(Pattern pattern, int id) {
    if constexpr (std::is_same_v<Key, std::uint64_t>)
        return patterned(pattern, static_cast<std::uint64_t>(id));
    else
        return make_key<Key>(id);
}

//=== the model ===//

template <class Map>
class KeyedModel {
    using Key = typename Map::key_type;
    using handle_type = typename Map::handle_type;
    static constexpr bool retires = Map::options.exhaustion == Exhaustion::retire;
    static constexpr bool deferred = Map::options.deferred_erase;
    static constexpr int universe = 120;

    struct Element {
        handle_type handle;
        int value;
    };
    struct Removed {
        int id;
        Element element;
        bool spent() const { return retires && element.handle.version() == handle_type::max_version; }
    };

public:
    KeyedModel(std::uint64_t seed, Pattern pattern) : random_(seed) {
        for (int id = 0; id != universe; ++id) keys_.push_back(patterned_key<Key>(pattern, id));
    }

    void step() {
        const auto dice = random_.below(1000);
        if (dice < 500)
            insert();
        else if (dice < 770)
            erase();
        else if (dice < 800)
            erase_some();
        else if (dice < 830)
            flush();
        else if (dice < 838)
            clear();
        else if (dice < 842)
            reset();
        else if (dice < 865)
            both([](Map& map) { map.shrink_to_fit(); }), shrunk_ = true;
        else if (dice < 885)
            reserve();
        else if (dice < 900)
            recycle();
        else
            replace(dice);
        check();
    }

    std::size_t stale_probes() const { return stale_probes_; }
    std::size_t resurrected() const { return resurrected_; }
    std::size_t replaced() const { return replaced_; }
    std::size_t retired() const { return retired_ + maps_[0].retired(); }

private:
    // Catch2 is told of the first condition that does not hold: millions do.
    static void hold(bool condition) {
        if (!condition) REQUIRE(condition);
    }
    template <class F>
    void both(F&& f) {
        for (Map& map : maps_) f(map);
    }
    const Key& key(int id) const { return keys_[static_cast<std::size_t>(id)]; }
    int any_id() { return static_cast<int>(random_.below(universe)); }
    handle_type any_issued() { return *std::next(issued_.begin(), random_.below(issued_.size())); }
    /// Lookups ignore the user bits.
    handle_type marked(handle_type handle) {
        constexpr unsigned bits = Map::options.handle.user_bits;
        return bits == 0 ? handle : handle.with_user_bits(random_.next() & ((std::uint64_t{1} << (bits % 64)) - 1));
    }
    static std::uint32_t column_of(handle_type handle) { return handle.version() * 1000 + handle.index(); }

    void insert() {
        const int id = any_id(), value = next_value_++;
        const auto how = random_.below(5);
        const auto call = [&](Map& map) {
            switch (how) {
            case 0:
                return map.try_emplace(key(id), value);
            case 1:
                return map.insert(Key(key(id)), Tracked(value));
            case 2:
                return map.emplace(key(id), value);
            case 3:
                return map.insert_or_assign(key(id), Tracked(value));
            default: {
                const bool there = map.contains(key(id));
                const slot_t before = map.slot_of_any(key(id));
                Tracked& at = map[key(id)];
                if (!there) at.set(value);
                const slot_t slot = map.slot_of(key(id));
                // What InsertResult would have said.
                return InsertResult{slot, !there, !there && before == slot ? InsertKind::resurrected : InsertKind::fresh};
            }
            }
        };
        const auto live = live_.find(id);
        const auto removed =
            std::find_if(removed_.begin(), removed_.end(), [&](const Removed& r) { return r.id == id && !r.spent(); });
        if (live == live_.end() && removed == removed_.end() && full()) {
            both([&](Map& map) { REQUIRE_THROWS_AS(call(map), std::length_error); });
            return;
        }
        handle_type given[2];
        for (int i = 0; i != 2; ++i) {
            Map& map = maps_[i];
            const void* old_key = nullptr;
            const void* old_value = nullptr;
            if (removed != removed_.end()) {
                old_key = &map.key(removed->element.handle.index());
                old_value = &map.value(removed->element.handle.index());
            }
            slot_t lowest = 0;
            while (map.state(lowest) != SlotState::free) ++lowest;
            const auto result = call(map);
            given[i] = map.handle_of(key(id));
            hold(given[i].index() == result.slot);
            hold(result.inserted == (live == live_.end()));
            if (live != live_.end()) {
                hold(given[i] == live->second.handle);
                continue;
            }
            hold((result.kind == InsertKind::resurrected) == (removed != removed_.end()));
            if (removed != removed_.end()) {
                hold(result.slot == removed->element.handle.index());
                hold(&map.key(result.slot) == old_key && &map.value(result.slot) == old_value);
            } else if (Map::options.reuse == Reuse::lowest)
                hold(result.slot == lowest);
            hold(map.template observer<0>()[result.slot] == 0);
            map.template observer<0>()[result.slot] = column_of(given[i]);
        }
        hold(given[0] == given[1]);
        if (live != live_.end()) {
            if (how == 3) live->second.value = value;
            return;
        }
        issue(given[0], removed != removed_.end());
        if (removed != removed_.end()) {
            removed_.erase(removed);
            ++resurrected_;
        }
        live_.emplace(id, Element{given[0], value});
    }
    /// The shadow versions say which handle it had to be.
    void issue(handle_type handle, bool same_slot) {
        const auto version = handle.version();
        const auto last = versions_.find(handle.index());
        hold(version % 2 == 1 && handle.user_bits() == 0);
        if (retires) hold(!issued_.contains(handle));
        if (!shrunk_ || same_slot)
            hold(version == (last == versions_.end() ? 1 : (last->second + 2) & handle_type::max_version));
        else if (retires && last != versions_.end())
            hold(version > last->second); // a version floor may have raised it
        versions_[handle.index()] = version;
        issued_.insert(handle);
    }
    bool full() const { return maps_[0].size() + maps_[0].pending() + maps_[0].retired() == Map::max_size(); }

    void remove(int id) {
        const auto at = live_.find(id);
        if (deferred) removed_.push_back({id, at->second});
        live_.erase(at);
    }
    void erase() {
        const auto how = random_.below(5);
        if (how == 0) {
            if (issued_.empty()) return;
            const auto handle = any_issued();
            const auto at = std::find_if(live_.begin(), live_.end(), [&](const auto& l) { return l.second.handle == handle; });
            const bool there = at != live_.end();
            both([&](Map& map) { hold(map.erase(marked(handle)) == there); });
            if (there) remove(at->first);
            return;
        }
        const int id = any_id();
        const auto at = live_.find(id);
        const bool there = at != live_.end();
        both([&](Map& map) {
            if (how == 1) {
                const auto taken = map.extract(key(id));
                hold(taken.has_value() == there);
                if (there) hold(taken->first == key(id) && taken->second.value() == at->second.value);
            } else if (how == 2 && there) {
                const auto it = map.find(key(id));
                const auto next = std::next(it).slot();
                hold(map.erase(it).slot() == next);
            } else if (how == 3 && there)
                hold(map.erase(map.key(at->second.handle.index()))); // by a reference to the key itself
            else
                hold(map.erase(key(id)) == there);
        });
        if (there) remove(id);
    }
    void erase_some() {
        const int divisor = 3 + static_cast<int>(random_.below(4));
        const bool by_handle = random_.chance(50);
        std::map<slot_t, int> gone; // in slot order, as the walk meets them
        for (const auto& [id, element] : live_)
            if (element.value % divisor == 0) gone.emplace(element.handle.index(), id);
        both([&](Map& map) {
            std::size_t count = 0;
            if (by_handle)
                count = map.erase_if([&](handle_type handle, const Key& k, const Tracked& value) {
                    hold(map.key(handle) == &k);
                    return value.value() % divisor == 0;
                });
            else
                count = map.erase_if([&](const Key&, const Tracked& value) { return value.value() % divisor == 0; });
            hold(count == gone.size());
        });
        for (const auto& [slot, id] : gone) remove(id);
    }
    void flush() {
        both([](Map& map) { map.flush_removed(); });
        removed_.clear();
    }
    void clear() {
        both([](Map& map) { map.clear(); });
        std::map<slot_t, int> gone;
        for (const auto& [id, element] : live_) gone.emplace(element.handle.index(), id);
        for (const auto& [slot, id] : gone) remove(id);
    }
    void reset() {
        both([](Map& map) { map.reset(); });
        live_.clear();
        removed_.clear();
        shrunk_ = true;
    }
    void reserve() {
        const std::size_t room = live_.size() + random_.below(60);
        if (room + maps_[0].pending() + maps_[0].retired() > Map::max_size()) {
            REQUIRE_THROWS_AS(maps_[0].reserve(room), std::length_error);
            return;
        }
        maps_[0].reserve(room); // the other one grows when it must: capacity does not decide handles
        hold(maps_[0].capacity() >= room + maps_[0].pending() + maps_[0].retired());
    }
    /// The caller promises that no handle of the retired slots is left: the model forgets them.
    void recycle() {
        if (maps_[0].retired() < Map::max_size() / 4) return;
        flush();
        std::set<slot_t> slots;
        for (slot_t slot = 0; slot != Map::max_size(); ++slot)
            if (maps_[0].state(slot) == SlotState::retired) slots.insert(slot);
        hold(slots.size() == maps_[0].retired());
        retired_ += slots.size();
        both([&](Map& map) { hold(map.recycle_retired() == slots.size() && map.retired() == 0); });
        std::erase_if(issued_, [&](handle_type handle) { return slots.contains(handle.index()); });
        for (const slot_t slot : slots) versions_.erase(slot);
    }

    void replace(std::uint32_t dice) {
        ++replaced_;
        Map& map = maps_[0];
        Map& other = maps_[1];
        switch (dice % 9) {
        case 0: {
            Map copy(map);
            hold(copy == map && copy.as_set() == map.as_set());
            map = copy;
            hold(copy.check_invariants());
            break;
        }
        case 1:
            other = map;
            break;
        case 2: {
            Map moved(std::move(map));
            hold(map.empty() && map.pending() == 0); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
            hold(map.check_invariants());
            map.try_emplace(key(0), 1);
            map = std::move(moved);
            break;
        }
        case 3: {
            Map elsewhere;
            elsewhere.try_emplace(key(1), 7);
            elsewhere.swap(map);
            hold(map.size() == 1 && map.at(key(1)).value() == 7 && map.check_invariants());
            swap(map, elsewhere);
            break;
        }
        case 4:
            map = static_cast<Map&>(map);
            break;
        case 5: {
            const auto bytes = map.snapshot(TextCodec());
            other.restore(bytes, TextCodec());
            hold(other.snapshot(TextCodec()) == bytes);
            columns_came_along(other);
            break;
        }
        case 6:
            map.restore(other.snapshot(TextCodec()), TextCodec());
            columns_came_along(map);
            break;
        case 7:
            std::swap(map, other);
            break;
        default: {
            Map merged;
            merged.try_emplace(key(3), 12345);
            Map copy(map);
            merged.merge(copy);
            hold(merged.at(key(3)).value() == 12345);
            hold(copy.size() == (live_.contains(3) ? 1 : 0));
            for (const auto& [id, element] : live_)
                if (id != 3) hold(merged.at(key(id)).value() == element.value);
            hold(merged.check_invariants() && copy.check_invariants());
        }
        }
    }
    /// A restored map has the columns of its snapshot.
    void columns_came_along(Map& map) {
        const auto same = [&](handle_type handle) { hold(map.template observer<0>()[handle.index()] == column_of(handle)); };
        for (const auto& [id, element] : live_) same(element.handle);
        for (const auto& removed : removed_) same(removed.element.handle);
    }

    void check() {
        for (Map& map : maps_) {
            REQUIRE(map.check_invariants());
            hold(map.size() == live_.size());
            hold(map.pending() == removed_.size());
            hold(map.size() + map.pending() + map.retired() <= map.capacity());
            for (int id = 0; id != universe; ++id) check_key(map, id);
            std::size_t at = 0;
            map.for_each_pending([&](slot_t slot) {
                hold(at < removed_.size());
                const auto& [id, element] = removed_[at++];
                hold(slot == element.handle.index() && map.state(slot) == SlotState::pending);
                hold(map.key(slot) == key(id) && map.value(slot).value() == element.value);
                hold(map.template observer<0>()[slot] == column_of(element.handle));
            });
            hold(at == removed_.size());
            check_handles(map);
        }
        hold(maps_[0] == maps_[1]);
        hold(maps_[0].retired() == maps_[1].retired());
        if (++checks_ % 8 == 0) both([this](Map& map) { check_walks(map); });
    }
    void check_key(Map& map, int id) {
        const auto at = live_.find(id);
        const bool live = at != live_.end();
        const slot_t slot = map.slot_of(key(id));
        hold(map.contains(key(id)) == live && (slot != no_slot) == live && (map.get(key(id)) != nullptr) == live);
        if (!live) {
            hold(map.handle_of(key(id)).is_null() && map.find(key(id)) == map.end());
            const bool removed = std::any_of(removed_.begin(), removed_.end(), [&](const Removed& r) { return r.id == id; });
            hold((map.slot_of_any(key(id)) != no_slot) == removed);
            return;
        }
        const auto handle = at->second.handle;
        hold(slot == handle.index() && map.handle_of(key(id)) == handle && map.slot_of_any(key(id)) == slot);
        hold(map.get(key(id))->value() == at->second.value && map.key(slot) == key(id) && *map.key(handle) == key(id));
        hold(map.template column<0>()[slot] == column_of(handle));
    }
    void check_handles(const Map& map) {
        live_handles_.clear();
        for (const auto& [id, element] : live_) live_handles_.insert(element.handle);
        pending_handles_.clear();
        for (const auto& removed : removed_) pending_handles_.insert(removed.element.handle);
        for (const auto handle : issued_) {
            const bool live = live_handles_.contains(handle);
            const auto status = map.explain(handle);
            const bool right = map.contains(handle) == live && (map.get(handle) != nullptr) == live &&
                               (status == HandleStatus::live) == live &&
                               (status == HandleStatus::pending) == pending_handles_.contains(handle);
            if (!right) {
                CAPTURE(handle, live, static_cast<int>(status), map.contains(handle));
                REQUIRE(right);
            }
            stale_probes_ += !live;
        }
    }
    void check_walks(Map& map) {
        std::size_t walked = 0;
        slot_t last = no_slot;
        for (auto it = map.begin(); it != map.end(); ++it) {
            hold(map.handle_of(it->key) == it.handle() && map.get(it.handle()) == &it->value);
            hold(last == no_slot || it.slot() > last);
            last = it.slot();
            ++walked;
        }
        map.for_each([&](handle_type handle, const Key& k, Tracked& value) {
            walked += map.key(handle) == &k && map.get(handle) == &value;
        });
        for (const Key& k : map.keys()) walked += map.contains(k);
        for (const slot_t slot : map.slots()) walked += live_handles_.contains(map.handle_at(slot));
        map.values().for_each([&](slot_t slot, Tracked& value) { walked += &map.value(slot) == &value; });
        hold(walked == 5 * live_.size());
    }

    Random random_;
    std::vector<Key> keys_{};
    Map maps_[2]{};
    std::unordered_map<int, Element> live_{};
    std::vector<Removed> removed_{};
    std::set<handle_type> issued_{}, live_handles_{}, pending_handles_{};
    std::map<slot_t, std::uint32_t> versions_{};
    int next_value_ = 1;
    bool shrunk_ = false;
    std::size_t stale_probes_ = 0, resurrected_ = 0, replaced_ = 0, retired_ = 0, checks_ = 0;
};

inline constexpr HandleLayout model_bits16{.index_bits = 7, .version_bits = 3, .user_bits = 6};

template <class Key, bool Deferred, Reuse R, Exhaustion E, HandleLayout L = model_bits16,
          template <class> class Index = HashIndex>
using ModelMap =
    MapStorage<Key, Tracked, HashOf<Key>, EqualOf<Key>,
               KeySetOptions{.deferred_erase = Deferred, .exhaustion = E, .reuse = R, .page_slots = 64, .handle = L},
               std::allocator<Key>, Index, ValueArray<std::uint32_t>>;

/// Histories with every pattern of keys.
template <class Map>
void keyed_histories(std::uint64_t first_seed, int steps = 1000) {
    NothingLeaks objects;
    std::size_t stale = 0, resurrected = 0, replaced = 0, retired = 0;
    for (int pattern = 0; pattern != patterns_of_keys; ++pattern) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(pattern);
        KeyedModel<Map> model(seed, static_cast<Pattern>(pattern));
        for (int step = 0; step != steps; ++step) {
            INFO("seed " << seed << " pattern " << pattern << " step " << step);
            model.step();
        }
        stale += model.stale_probes();
        resurrected += model.resurrected();
        replaced += model.replaced();
        retired += model.retired();
    }
    REQUIRE(stale > 100'000);
    REQUIRE(replaced > 100);
    REQUIRE((resurrected > 20) == Map::options.deferred_erase);
    if (Map::options.exhaustion == Exhaustion::retire && Map::max_size() < 1000) REQUIRE(retired > 0);
}

} // namespace test

#endif
