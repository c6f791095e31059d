// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories against a naive oracle: a std::map of the live elements and every handle ever issued, all asked for after
// every step. Two maps walk in lockstep; one of them is now and then replaced by a copy, a restored snapshot or a moved self,
// and must go on giving the same handles. The including source names the storage in TESTED_STORAGE.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <map>
#include <set>
#include <stdexcept>

namespace {

using namespace test;

/// The live slots as an observer is told of them.
struct Shadow final : SlotObserver {
    std::set<slot_t> live{};
    slot_t slots = 0;
    bool sound = true;
    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        sound = sound && old_slots == slots;
        slots = new_slots;
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        sound = sound && kind == InsertKind::fresh && slot < slots && live.insert(slot).second;
    }
    void on_erase(slot_t slot) noexcept override { sound = live.erase(slot) == 1 && sound; }
    void on_reset() noexcept override {
        sound = sound && live.empty();
        slots = 0;
    }
};

template <class Map>
class Model {
    using handle_type = typename Map::handle_type;
    static constexpr bool retires = Map::options.exhaustion == Exhaustion::retire;

public:
    explicit Model(std::uint64_t seed) : random_(seed) { watch(); }

    void step() {
        const auto dice = random_.below(1000);
        if (dice < 380)
            insert();
        else if (dice < 640)
            erase();
        else if (dice < 690)
            reserve_one();
        else if (dice < 730)
            settle();
        else if (dice < 790)
            insert_at();
        else if (dice < 830)
            swap_values();
        else if (dice < 850)
            erase_some();
        else if (dice < 857)
            clear();
        else if (dice < 880)
            both([](Map& map) { map.shrink_to_fit(); }), shrunk_ = true;
        else if (dice < 900)
            reserve_room();
        else
            replace(dice - 900);
        if (!token_.attached()) watch();
        check();
    }

    std::size_t issued() const { return issued_.size(); }
    std::size_t stale_probes() const { return stale_probes_; }
    std::size_t retired() const { return maps_[0].retired(); }
    std::size_t replaced() const { return replaced_; }

private:
    template <class F>
    void both(F&& f) {
        for (Map& map : maps_) f(map);
    }
    /// The same call on both; the handle that both gave.
    template <class F>
    handle_type issue(F&& f) {
        const handle_type first = f(maps_[0]), second = f(maps_[1]);
        REQUIRE(first == second);
        REQUIRE(first.version() % 2 == 1);
        REQUIRE(first.user_bits() == 0);
        if (retires) REQUIRE_FALSE(issued_.contains(first));
        REQUIRE_FALSE(live_.contains(first));
        remember(first);
        return first;
    }
    void remember(handle_type handle) {
        issued_.insert(handle);
        auto& latest = latest_[handle.index()];
        if (handle.version() > latest) latest = handle.version();
    }
    bool full() const { return maps_[0].size() + maps_[0].retired() + reserved_.size() == Map::max_size(); }
    handle_type any_live() { return std::next(live_.begin(), random_.below(live_.size()))->first; }
    handle_type any_issued() { return *std::next(issued_.begin(), random_.below(issued_.size())); }
    /// As a caller would hand it in: lookups ignore the user bits.
    handle_type marked(handle_type handle) {
        constexpr unsigned bits = Map::options.handle.user_bits;
        return bits == 0 ? handle : handle.with_user_bits(random_.next() & ((std::uint64_t{1} << (bits % 64)) - 1));
    }

    void insert() {
        const int value = next_value_++;
        if (full()) {
            both([&](Map& map) { REQUIRE_THROWS_AS(put(map, value), std::length_error); });
            return;
        }
        const auto how = random_.below(3);
        const auto handle = issue([&](Map& map) {
            if (how == 0) return put(map, value);
            if (how == 1) return put_in_place(map, value);
            handle_type known;
            const auto given = put_with(map, value, [&](handle_type h) { known = h; });
            REQUIRE(given == known);
            return given;
        });
        live_.emplace(handle, value);
    }
    void erase() {
        if (live_.empty()) return;
        const auto handle = random_.chance(20) ? any_issued() : any_live();
        const bool there = live_.contains(handle);
        const bool extract = random_.chance(30);
        both([&](Map& map) {
            if (!extract) {
                REQUIRE(map.erase(marked(handle)) == there);
                return;
            }
            const auto taken = map.extract(marked(handle));
            REQUIRE(taken.has_value() == there);
            if constexpr (is_soa<Map>) {
                if (there) REQUIRE(number(std::get<1>(*taken)) == live_.at(handle));
            } else {
                if (there) REQUIRE(number(*taken) == live_.at(handle));
            }
        });
        live_.erase(handle);
    }
    void reserve_one() {
        if (!full()) reserved_.insert(issue([](Map& map) { return map.reserve_handle(); }));
    }
    void settle() {
        if (reserved_.empty()) return;
        const auto handle = *std::next(reserved_.begin(), random_.below(reserved_.size()));
        const bool cancels = random_.chance(40);
        const int value = next_value_++;
        both([&](Map& map) {
            REQUIRE_FALSE(map.erase(handle));
            if (cancels)
                REQUIRE(map.cancel(marked(handle)));
            else
                REQUIRE(fulfill(map, marked(handle), value));
            REQUIRE_FALSE(map.cancel(handle));
            REQUIRE_FALSE(fulfill(map, handle, value));
        });
        reserved_.erase(handle);
        if (!cancels) live_.emplace(handle, value);
    }
    void insert_at() {
        handle_type handle;
        if (!issued_.empty() && random_.chance(60))
            handle = any_issued(); // bring one back, if nothing came after it
        else
            handle = handle_type(random_.below(250),
                                 random_.below(handle_type::max_version < 40 ? handle_type::max_version + 1u : 40u));
        if (handle.is_null()) return;
        const int value = next_value_++;
        const SlotState state = maps_[0].state(handle.index());
        const bool old = retires && latest_.contains(handle.index()) && handle.version() < latest_[handle.index()];
        const bool sound = handle.version() % 2 == 1 && state == SlotState::free && !old && handle.index() < Map::max_size();
        bool taken[2];
        for (int i = 0; i != 2; ++i) taken[i] = put_at(maps_[i], handle, value);
        REQUIRE(taken[0] == taken[1]);
        if (taken[0]) REQUIRE(sound);
        if (!shrunk_) REQUIRE(taken[0] == sound); // a version floor may refuse more
        if (!taken[0]) return;
        remember(handle);
        live_.emplace(handle, value);
    }
    void swap_values() {
        if (live_.size() < 2) return;
        const auto a = any_live(), b = any_live();
        both([&](Map& map) { REQUIRE(map.swap_values(a, b)); });
        std::swap(live_.at(a), live_.at(b));
    }
    void erase_some() {
        const int divisor = 2 + static_cast<int>(random_.below(3));
        const bool by_handle = random_.chance(50);
        std::size_t expected = 0;
        for (auto at = live_.begin(); at != live_.end();)
            if (at->second % divisor == 0) {
                at = live_.erase(at);
                ++expected;
            } else
                ++at;
        both([&](Map& map) {
            std::size_t count = 0;
            if (by_handle)
                count = map.erase_if([&](handle_type handle, const auto& element) {
                    REQUIRE(map.contains(handle));
                    return test::detail::number_at(element) % divisor == 0;
                });
            else
                count = map.erase_if([&](const auto& element) { return test::detail::number_at(element) % divisor == 0; });
            REQUIRE(count == expected);
        });
    }
    void clear() {
        both([](Map& map) { map.clear(); });
        live_.clear();
        reserved_.clear();
    }
    void reserve_room() {
        const std::size_t room = live_.size() + random_.below(40);
        if (room + maps_[0].retired() + reserved_.size() > Map::max_size()) {
            REQUIRE_THROWS_AS(maps_[0].reserve(room), std::length_error);
            return;
        }
        maps_[0].reserve(room); // the other one grows when it must: capacity does not decide handles
        REQUIRE(maps_[0].capacity() >= room);
    }
    void replace(std::uint32_t dice) {
        ++replaced_;
        Map& map = maps_[0];
        Map& other = maps_[1];
        switch (dice % 9) {
        case 0: { // assignment of a copy; observers of the target stay
            Map copy(map);
            REQUIRE(copy == map);
            map = copy;
            REQUIRE(copy.check_invariants());
            break;
        }
        case 1:
            other = map;
            break;
        case 2: {
            Map moved(std::move(map));
            REQUIRE(map.empty()); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
            REQUIRE(map.check_invariants());
            put(map, 1);
            map = std::move(moved);
            break;
        }
        case 3: {
            Map elsewhere;
            const auto visitor = put(elsewhere, 7);
            elsewhere.swap(map);
            REQUIRE(number_of(map, visitor) == 7);
            REQUIRE(map.size() == 1);
            swap(map, elsewhere);
            break;
        }
        case 4:
            map = static_cast<Map&>(map);
            break;
        case 5: {
            const auto bytes = map.snapshot(NumberCodec{});
            other.restore(bytes, NumberCodec{});
            REQUIRE(other.snapshot(NumberCodec{}) == bytes);
            break;
        }
        case 6:
            map.restore(other.snapshot(NumberCodec{}), NumberCodec{});
            break;
        case 7:
            std::swap(map, other), watch();
            break;
        default: {
            Map restored;
            put(restored, 99);
            REQUIRE(restored.try_restore(map.snapshot(NumberCodec{}), NumberCodec{}) == nullptr);
            Map copy(map);
            REQUIRE(futures(copy) == futures(restored));
            break;
        }
        }
    }

    void watch() {
        token_.detach();
        shadow_ = std::make_unique<Shadow>();
        token_ = maps_[0].attach(*shadow_);
    }

    void check() {
        for (const Map& map : maps_) {
            REQUIRE(map.check_invariants());
            REQUIRE(map.size() == live_.size());
            REQUIRE(map.size() + map.retired() + reserved_.size() <= map.capacity());
            bool right = true;
            handle_type wrong;
            for (const auto handle : issued_) {
                const auto at = live_.find(handle);
                const bool live = at != live_.end();
                const auto status = map.explain(handle);
                bool same = map.contains(handle) == live && (status == HandleStatus::live) == live &&
                            (status == HandleStatus::reserved) == reserved_.contains(handle) &&
                            (map.get(handle) != nullptr) == live;
                if (same && live) same = both_members(map, handle, at->second);
                if (!live) ++stale_probes_;
                if (!same && right) wrong = handle;
                right = right && same;
            }
            CAPTURE(wrong, map.contains(wrong), live_.contains(wrong));
            REQUIRE(right);
        }
        REQUIRE(maps_[0] == maps_[1]);
        REQUIRE(maps_[0].retired() == maps_[1].retired());
        REQUIRE(shadow_->sound);
        REQUIRE(shadow_->slots == maps_[0].capacity());
        REQUIRE(shadow_->live.size() == live_.size());
        if (++checks_ % 8 != 0) return;
        std::vector<std::pair<handle_type, int>> expected(live_.begin(), live_.end());
        REQUIRE(contents(maps_[0]) == expected);
        std::size_t walked = 0;
        maps_[0].for_each([&](const auto&...) { ++walked; });
        for (const auto handle : maps_[0].handles()) walked += live_.contains(handle);
        for (const slot_t slot : maps_[0].slots())
            walked += live_.contains(maps_[0].handle_of(slot)) && shadow_->live.contains(slot);
        REQUIRE(walked == 3 * live_.size());
    }
    static bool both_members(const Map& map, handle_type handle, int value) {
        if constexpr (is_soa<Map>)
            return number(map[handle].template get<0>()) == value && number(map[handle].template get<1>()) == value;
        else
            return number(map[handle]) == value;
    }

    Random random_;
    Map maps_[2]{};
    std::map<handle_type, int> live_{};
    std::set<handle_type> reserved_{}, issued_{};
    std::map<slot_t, std::uint32_t> latest_{};
    std::unique_ptr<Shadow> shadow_{};
    ObserverToken token_{};
    int next_value_ = 1;
    bool shrunk_ = false;
    std::size_t stale_probes_ = 0, checks_ = 0, replaced_ = 0;
};

template <class Map>
void histories(std::uint64_t first_seed, bool wears_out) {
    NothingLeaks objects;
    std::size_t retired = 0, stale_probes = 0, replaced = 0;
    for (std::uint64_t seed = first_seed; seed != first_seed + 3; ++seed) {
        Model<Map> model(seed);
        for (int step = 0; step != (Map::options.growth == Growth::reserve ? 400 : 1200); ++step) {
            INFO("seed " << seed << " step " << step);
            model.step();
        }
        retired += model.retired();
        stale_probes += model.stale_probes();
        replaced += model.replaced();
    }
    REQUIRE(stale_probes > 10'000);
    REQUIRE(replaced > 50);
    if (wears_out) REQUIRE(retired > 0);
}

constexpr HandleLayout bits16{.index_bits = 8, .version_bits = 4, .user_bits = 4};
constexpr HandleLayout bits32{.index_bits = 20, .version_bits = 12, .user_bits = 0};
constexpr HandleLayout bits64{.index_bits = 24, .version_bits = 16, .user_bits = 24};

template <class T, HandleLayout L, Reuse R, Exhaustion E>
using Tested =
    typename TESTED_STORAGE::template map<T, SlotMapOptions{.handle = L, .reuse = R, .exhaustion = E, .page_slots = 64}>;

} // namespace

TEMPLATE_TEST_CASE("a random history agrees with the oracle: lifo", "[model]", TESTED_STORAGE) {
    histories<Tested<Tracked, bits16, Reuse::lifo, Exhaustion::retire>>(1, true);
    histories<Tested<int, HandleLayout{}, Reuse::lifo, Exhaustion::wrap>>(101, false);
}

TEMPLATE_TEST_CASE("a random history agrees with the oracle: fifo", "[model]", TESTED_STORAGE) {
    histories<Tested<Tracked, bits16, Reuse::fifo, Exhaustion::wrap>>(201, false);
    histories<Tested<int, bits32, Reuse::fifo, Exhaustion::retire>>(301, false);
}

TEMPLATE_TEST_CASE("a random history agrees with the oracle: lowest", "[model]", TESTED_STORAGE) {
    histories<Tested<int, bits16, Reuse::lowest, Exhaustion::retire>>(401, true);
    histories<Tested<Tracked, bits64, Reuse::lowest, Exhaustion::retire>>(501, false);
    histories<Tested<int, bits16, Reuse::lowest, Exhaustion::wrap>>(601, false);
}
