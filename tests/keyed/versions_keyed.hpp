// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every state that a set with few slots, few keys and narrow versions can reach, through the public interface. A state is
// visited once: its snapshot decides its future. In each, every bit pattern of index and version is asked for.
#ifndef SLOTWISE_TESTS_KEYED_VERSIONS_KEYED_HPP
#define SLOTWISE_TESTS_KEYED_VERSIONS_KEYED_HPP

#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/sweep.hpp"

#include <slotwise/keyed/map_storage.hpp>

#include <bitset>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

/// 16-bit handles with `version_bits` bits of version and an index that can also point beyond the slots.
template <unsigned VersionBits, Reuse R, Exhaustion E, std::size_t Slots, bool Deferred, bool Dense = false>
inline constexpr KeySetOptions narrow_keyed{
    .deferred_erase = Deferred,
    .exhaustion = E,
    .reuse = R,
    .page_slots = 64,
    .handle = {.index_bits = 3, .version_bits = VersionBits, .user_bits = 13 - VersionBits, .dense_versions = Dense},
    .max_slots = Slots};

/// What a container with few slots should look like: live and pending elements, and every handle ever issued.
template <class C>
struct KeyedShadow {
    using handle_type = typename C::handle_type;
    static constexpr auto layout = C::options.handle;
    static constexpr unsigned patterns = 1u << (layout.index_bits + layout.version_bits);
    static constexpr bool retires = C::options.exhaustion == Exhaustion::retire;
    static constexpr bool deferred = C::options.deferred_erase;

    C container{};
    std::map<handle_type, int> live{};                  // to the key
    std::vector<std::pair<handle_type, int>> pending{}; // the last handle and the key, removed first first
    std::bitset<patterns> issued{};

    // Millions of conditions hold; Catch2 is told of the first one that does not.
    static void hold(bool condition) {
        if (!condition) REQUIRE(condition);
    }
    bool full() const { return live.size() + pending.size() + container.retired() == C::max_size(); }

    auto call_insert(int key) {
        if constexpr (requires { container.try_emplace(key, key); })
            return container.try_emplace(key, key);
        else
            return container.insert(key);
    }
    void insert(int key) {
        for (const auto& [handle, k] : live)
            if (k == key) {
                const auto result = call_insert(key);
                return hold(!result.inserted && result.it.slot() == handle.index());
            }
        for (auto at = pending.begin(); at != pending.end(); ++at) {
            if (at->second != key || (retires && at->first.version() == handle_type::max_version)) continue;
            const auto result = call_insert(key);
            hold(result.inserted && result.kind == InsertKind::resurrected && result.it.slot() == at->first.index());
            pending.erase(at);
            return issue(key);
        }
        if (full()) {
            REQUIRE_THROWS_AS(call_insert(key), std::length_error);
            return;
        }
        const auto result = call_insert(key);
        hold(result.inserted && result.kind == InsertKind::fresh);
        for (const auto& [handle, k] : pending) hold(handle.index() != result.it.slot());
        issue(key);
    }
    void issue(int key) {
        const auto handle = container.handle_of(key);
        hold(handle.user_bits() == 0 && handle.version() % 2 == 1 && handle.index() < C::max_size());
        hold(!retires || !issued.test(handle.to_bits())); // no handle is ever given out twice
        hold(!live.contains(handle));
        issued.set(handle.to_bits());
        live.emplace(handle, key);
    }
    void erase(handle_type handle) {
        hold(container.erase(handle));
        if (deferred) pending.emplace_back(handle, live.at(handle));
        live.erase(handle);
    }
    void flush() {
        container.flush_removed();
        pending.clear();
    }
    void clear() {
        container.clear();
        if (deferred) pending.insert(pending.end(), live.begin(), live.end()); // in slot order
        live.clear();
    }
    void reset() {
        container.reset();
        live.clear();
        pending.clear();
    }

    /// Asks for everything. Returns how many handles were asked for that were issued and are gone.
    std::size_t probe(std::uint64_t user_bits = 0) const {
        const C& c = container;
        std::size_t stale = 0;
        bool right = c.check_invariants() && c.size() == live.size() && c.pending() == pending.size() &&
                     c.size() + c.pending() + c.retired() <= C::max_size() && (retires || c.retired() == 0);
        std::size_t at = 0;
        c.for_each_pending([&](slot_t slot) {
            right = right && at < pending.size() && pending[at].first.index() == slot && c.key(slot) == pending[at].second;
            ++at;
        });
        right = right && at == pending.size();
        for (unsigned bits = 0; right && bits != patterns; ++bits) {
            const auto plain = handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits));
            const auto found = live.find(plain);
            const bool is_live = found != live.end();
            bool is_pending = false;
            for (const auto& [handle, key] : pending) is_pending = is_pending || handle == plain;
            const auto handle = plain.with_user_bits(user_bits & ((std::uint64_t{1} << layout.user_bits) - 1));
            right = c.contains(handle) == is_live && (c.key(handle) != nullptr) == is_live;
            if (is_live) right = right && *c.key(handle) == found->second && c.handle_of(found->second) == plain;
            const auto status = c.explain(handle);
            right = right && (status == HandleStatus::live) == is_live && (status == HandleStatus::pending) == is_pending &&
                    (status == HandleStatus::null) == (handle.to_bits() == 0) && status != HandleStatus::reserved;
            if (!right) {
                CAPTURE(handle, is_live, is_pending, static_cast<int>(status), c.contains(handle));
                REQUIRE(right);
            }
            stale += !is_live && issued.test(bits);
        }
        REQUIRE(right);
        return stale;
    }
};

template <class Set, int Keys>
class KeyedExplorer {
    using State = KeyedShadow<Set>;

public:
    std::size_t states = 0;       ///< different states seen
    std::size_t exhausted = 0;    ///< of them, those in which every slot is retired
    std::size_t stale_probes = 0; ///< handles that were issued and are gone, asked for

    void run() {
        visit(State{});
        while (!waiting_.empty()) {
            const State state = std::move(waiting_.back());
            waiting_.pop_back();
            expand(state);
        }
    }

private:
    void visit(const State& state) {
        if (seen_.insert(key(state)).second) waiting_.push_back(state);
    }
    template <class Step>
    void after(const State& state, Step&& step) {
        State next = state;
        step(next);
        visit(next);
    }
    void expand(const State& state) {
        ++states;
        stale_probes += state.probe(states * 0x9E37u);
        for (int k = 0; k != Keys; ++k) after(state, [&](State& next) { next.insert(k); });
        for (const auto& [handle, k] : state.live) after(state, [&, h = handle](State& next) { next.erase(h); });
        if (State::deferred && !state.pending.empty()) after(state, [](State& next) { next.flush(); });
        after(state, [](State& next) { next.clear(); });
        after(state, [](State& next) { next.reset(); });
        after(state, [](State& next) { next.container.shrink_to_fit(); });
        if (state.container.retired() == Set::max_size()) {
            ++exhausted;
            Set set = state.container;
            REQUIRE(set.recycle_retired() == Set::max_size());
            REQUIRE(set.check_invariants());
            for (int i = 0; i != static_cast<int>(Set::max_size()); ++i)
                REQUIRE(set.handle_at(set.insert(i).it.slot()).version() == 1);
            REQUIRE(set.recycle_retired() == 0);
        }
    }
    static std::string key(const State& state) {
        std::string result;
        for (const auto byte : state.container.snapshot()) result += static_cast<char>(byte);
        if (State::retires) result += state.issued.to_string();
        return result;
    }

    std::set<std::string> seen_{};
    std::vector<State> waiting_{};
};

template <unsigned VersionBits, Reuse R, Exhaustion E, std::size_t Slots, bool Deferred, int Keys, bool Dense = false>
void explore_keyed() {
    KeyedExplorer<SetStorage<int, Options<narrow_keyed<VersionBits, R, E, Slots, Deferred, Dense>>>, Keys> explorer;
    explorer.run();
    report("versions", "SetStorage " + std::to_string(VersionBits) + " bits", std::to_string(explorer.states),
           std::to_string(explorer.stale_probes));
    REQUIRE(explorer.states > (std::size_t{1} << VersionBits));
    REQUIRE(explorer.stale_probes > 0);
    REQUIRE((explorer.exhausted > 0) == (E == Exhaustion::retire));
}

/// Long random walks over more slots and keys than can be explored, values included.
template <class Map>
void wander(std::uint64_t seed, int steps) {
    constexpr int keys = 12;
    std::size_t stale = 0, retired = 0, lives = 0;
    Random random(seed);
    KeyedShadow<Map> shadow;
    for (int step = 0; step != steps; ++step) {
        INFO("seed " << seed << " step " << step);
        const auto dice = random.below(1000);
        if (dice < 560)
            shadow.insert(static_cast<int>(random.below(keys)));
        else if (dice < 900) {
            if (!shadow.live.empty()) shadow.erase(std::next(shadow.live.begin(), random.below(shadow.live.size()))->first);
        } else if (dice < 950)
            shadow.flush();
        else if (dice < 965)
            shadow.clear();
        else if (dice < 970)
            shadow.reset();
        else if (dice < 985)
            shadow.container.shrink_to_fit();
        else {
            Map copy(shadow.container);
            if (dice % 2 == 0)
                shadow.container = std::move(copy);
            else
                shadow.container.restore(copy.snapshot());
        }
        stale += shadow.probe(random.next());
        if (shadow.container.retired() != Map::max_size()) continue;
        retired += shadow.container.retired(); // exhausted: all of its handles are stale for ever
        lives += shadow.issued.count();
        shadow = KeyedShadow<Map>();
    }
    report("versions", class_name<Map>() + " " + std::to_string(Map::options.handle.version_bits) + " bits",
           std::to_string(steps), std::to_string(stale));
    REQUIRE(stale > static_cast<std::size_t>(steps));
    if (KeyedShadow<Map>::retires) REQUIRE(retired > 0);
    if (KeyedShadow<Map>::retires) REQUIRE(lives > 0);
    // Every bit pattern, user bits included.
    for (unsigned bits = 0; bits != 1u << 16; ++bits) {
        const auto handle = Map::handle_type::from_bits(static_cast<std::uint16_t>(bits));
        const auto plain = handle.with_user_bits(0);
        if (shadow.container.contains(handle) != shadow.live.contains(plain)) FAIL("pattern " << bits);
        if ((shadow.container.get(handle) != nullptr) != shadow.live.contains(plain)) FAIL("pattern " << bits);
    }
}

} // namespace test

#endif
