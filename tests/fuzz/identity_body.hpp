// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdentityMap beside a list of pairs.
#ifndef SLOTWISE_TESTS_FUZZ_IDENTITY_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_IDENTITY_BODY_HPP

#include "world.hpp"

#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <string_view>

namespace {

using namespace test;

/// Hashes that differ from map to map, and functions that know it: pairs are found by their own alone.
class SeededHash {
public:
    SeededHash() = default;
    explicit SeededHash(std::uint64_t seed) : seed_(seed) {}
    std::size_t operator()(const Counted& id) const noexcept {
        return static_cast<std::size_t>((static_cast<std::uint64_t>(id.value()) + seed_) * 0x9E37'79B9'7F4A'7C15u);
    }

private:
    std::uint64_t seed_ = 0;
};

constexpr SlotMapOptions of_pairs(HandleLayout handle) {
    return {.handle = handle, .reuse = Reuse::fifo, .page_slots = 64, .max_slots = 48};
}

/// Public ids and handles, attached to a map of few slots or not. @tparam Id PublicId or Counted
template <class Id, HandleLayout Layout, class... With>
class IdentityBody {
    using Map = SlotMap<int, Options<of_pairs(Layout)>>;
    using H = typename Map::handle_type;
    using Ids = IdentityMap<Id, H, With...>;
    static constexpr bool seeded = sizeof...(With) != 0;
    struct Pair {
        unsigned id;
        H handle;
    };

public:
    explicit IdentityBody(Input& in) : in_(in) {}

    std::uint64_t run() {
        for (; !in_.done(); ++steps_) {
            step();
            FUZZ_CHECK(ids_.size() == pairs_.size() && ids_.empty() == pairs_.empty() && ids_.attached() == attached_);
            FUZZ_CHECK(ids_.check_invariants() && map_.check_invariants());
            if (steps_ % 16 == 0) check_all();
        }
        check_all();
        return steps_;
    }

private:
    static Id make_id(unsigned number) {
        if constexpr (std::is_same_v<Id, PublicId>)
            return {number, 1};
        else
            return Id(static_cast<int>(number));
    }
    static unsigned number(const Id& id) {
        if constexpr (std::is_same_v<Id, PublicId>)
            return static_cast<unsigned>(id.high);
        else
            return static_cast<unsigned>(id.value());
    }
    Ids make() {
        if constexpr (seeded)
            return Ids(SeededHash(in_.byte()));
        else
            return Ids();
    }
    unsigned any_id() { return static_cast<unsigned>(in_.below(40)); }
    H any_handle() {
        const unsigned choice = in_.byte();
        if (choice % 8 == 0 || issued_.empty()) return hostile_handle<H>(in_, 64);
        return issued_[issued_.size() - 1 - choice % std::min<std::size_t>(issued_.size(), 40)];
    }
    template <class F>
    std::size_t drop(F&& f) {
        return static_cast<std::size_t>(std::erase_if(pairs_, f));
    }
    const Pair* find(unsigned id) const {
        for (const Pair& pair : pairs_)
            if (pair.id == id) return &pair;
        return nullptr;
    }
    const Pair* find(H handle) const { // user bits there are none
        for (const Pair& pair : pairs_)
            if (pair.handle == handle) return &pair;
        return nullptr;
    }

    void step() {
        const unsigned kind = in_.byte();
        if (kind < 60) {
            if (map_.size() + map_.retired() < Map::max_size()) issued_.push_back(map_.insert(1));
        } else if (kind < 90) {
            const H handle = any_handle();
            const bool live = map_.erase(handle);
            if (live && attached_) drop([&](const Pair& pair) { return pair.handle.index() == handle.index(); });
        } else if (kind < 170)
            relate(any_id());
        else if (kind < 185) {
            const H handle = any_handle();
            FUZZ_CHECK(ids_.erase(handle) == (drop([&](const Pair& pair) { return pair.handle == handle; }) == 1));
        } else if (kind < 200) {
            const unsigned id = any_id();
            FUZZ_CHECK(ids_.erase(make_id(id)) == (drop([&](const Pair& pair) { return pair.id == id; }) == 1));
        } else if (kind < 225)
            probe(any_id());
        else if (kind < 230) {
            const unsigned divisor = 2 + static_cast<unsigned>(in_.below(3));
            const auto goes = [&](unsigned id) { return id % divisor == 0; };
            const std::size_t gone = ids_.erase_if([&](H, const Id& id) { return goes(number(id)); });
            FUZZ_CHECK(gone == drop([&](const Pair& pair) { return goes(pair.id); }));
        } else if (kind < 232) {
            ids_.clear();
            pairs_.clear();
        } else if (kind < 234)
            ids_.reserve(in_.byte());
        else if (kind == 234)
            ids_.shrink_to_fit();
        else if (kind == 235)
            in_.flip() ? save_and_load() : load_hostile();
        else if (kind < 240)
            whole(kind);
        else if (kind < 246) {
            if (attached_)
                ids_.detach();
            else {
                ids_.attach_to(map_);
                drop([&](const Pair& pair) { return !map_.contains(pair.handle); });
            }
            attached_ = !attached_;
        } else if (kind < 249) {
            if (attached_)
                for (const slot_t slot : map_.slots()) drop([&](const Pair& pair) { return pair.handle.index() == slot; });
            map_.clear();
            static_cast<void>(map_.recycle_retired());
        } else if (kind < 252) {
            map_ = Map(map_); // a move assignment: followers are told to reset, and detached
            if (attached_) pairs_.clear();
            attached_ = false;
        } else
            check_all();
    }
    void relate(unsigned id) {
        const H handle = any_handle();
        const auto rival =
            std::find_if(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return pair.handle.index() == handle.index(); });
        const bool can = find(id) == nullptr && handle.version() % 2 == 1 &&
                         (rival == pairs_.end() || rival->handle.version() < handle.version());
        if (steps_ % 2 == 0) {
            const Id copied = make_id(id);
            FUZZ_CHECK(ids_.insert(copied, handle) == can);
        } else
            FUZZ_CHECK(ids_.insert(make_id(id), handle) == can);
        if (!can) return;
        if (rival != pairs_.end()) pairs_.erase(rival);
        pairs_.push_back({id, handle});
    }
    void whole(unsigned kind) {
        Ids other(ids_);
        FUZZ_CHECK(!other.attached() && other.check_invariants() && other.size() == ids_.size() && other == ids_);
        switch (kind % 4) {
        case 0: { // the attachment stays; the functors come along
            Ids target = make();
            target.insert(make_id(41), H(1, 1));
            target = other;
            FUZZ_CHECK(target == ids_ && target.check_invariants());
            ids_ = target;
            break;
        }
        case 1: {
            Ids moved(std::move(ids_));
            FUZZ_CHECK(ids_.empty() && !ids_.attached()); // NOLINT(bugprone-use-after-move)
            ids_ = std::move(moved);
            break;
        }
        case 2: {
            Ids stranger = make();
            stranger.insert(make_id(41), H(1, 1));
            swap(ids_, stranger);
            FUZZ_CHECK(stranger.attached() == attached_ && !ids_.attached() && stranger == other && ids_.size() == 1);
            FUZZ_CHECK(ids_.check_invariants() && stranger.check_invariants());
            FUZZ_CHECK(ids_.handle_of(make_id(41)) == H(1, 1) && (other == ids_) == (other.size() == 1 && find(41) != nullptr));
            swap(ids_, stranger);
            differs(other);
            break;
        }
        default:
            ids_ = std::move(other);
            attached_ = false;
            break;
        }
    }
    /// @pre a copy
    void differs(Ids& copy) {
        if (pairs_.empty()) return;
        const Pair gone = pairs_[steps_ % pairs_.size()];
        FUZZ_CHECK(copy.erase(gone.handle) && !(copy == ids_));
        FUZZ_CHECK(copy.insert(make_id(42), gone.handle) && !(copy == ids_));
        FUZZ_CHECK(copy.erase(make_id(42)) && !(copy == ids_));
        FUZZ_CHECK(copy.insert(make_id(gone.id), gone.handle) && copy == ids_);
        copy.clear();
        FUZZ_CHECK(copy.empty() && copy.check_invariants() && copy.insert(make_id(1), H(2, 1)) && copy.size() == 1);
        copy.shrink_to_fit(); // one pair is left, and stays
        FUZZ_CHECK(copy.handle_of(make_id(1)) == H(2, 1) && copy.check_invariants());
    }
    void save_and_load() {
        const auto bytes = ids_.snapshot();
        Ids other = make();
        other.insert(make_id(41), H(1, 1));
        other.restore(bytes);
        FUZZ_CHECK(other == ids_ && other.check_invariants() && other.snapshot() == bytes);
        ids_.restore(bytes); // attached as before
        FUZZ_CHECK(other == ids_);
    }
    /// Bytes gone bad are refused, and nothing has changed; or they are pairs after all.
    void load_hostile() {
        const auto good = ids_.snapshot();
        auto bytes = good;
        corrupt_snapshot(bytes, in_);
        Ids victim(ids_);
        if (const char* const error = victim.try_restore(bytes); error != nullptr) {
            FUZZ_CHECK(std::string_view(error).starts_with("snapshot: ") && victim == ids_ && victim.snapshot() == good);
        } else
            FUZZ_CHECK(victim.snapshot() == bytes || seeded); // Counted reads what it would not write
        FUZZ_CHECK(victim.check_invariants());
        for (unsigned id = 50; id != 56; ++id) {
            const H handle(id, 1);
            const bool can = !victim.contains(make_id(id)) && victim.insert(make_id(id), handle);
            FUZZ_CHECK(!can || (victim.handle_of(make_id(id)) == handle && number(*victim.id_of(handle)) == id));
        }
        FUZZ_CHECK(victim.check_invariants());
        // Its own bytes with a pair more, twice the same slot, a handle that never lived, and a byte too many.
        FUZZ_CHECK(ids_.try_restore(std::vector<std::byte>(good.begin(), good.end() - 1)) != nullptr);
        bytes = good;
        bytes.push_back(std::byte{0});
        FUZZ_CHECK(ids_.try_restore(bytes) != nullptr && ids_.snapshot() == good);
    }
    void probe(unsigned number_of_id) {
        const Id id = make_id(number_of_id);
        const H handle = any_handle();
        const Pair* const by_id = find(number_of_id);
        FUZZ_CHECK(ids_.contains(id) == (by_id != nullptr) && ids_.handle_of(id) == (by_id == nullptr ? H() : by_id->handle));
        FUZZ_CHECK(ids_.count(id) == (by_id != nullptr));
        const Pair* const by_handle = find(handle);
        const Id* const there = ids_.id_of(handle);
        FUZZ_CHECK(ids_.contains(handle) == (by_handle != nullptr) && (there != nullptr) == (by_handle != nullptr));
        if (there != nullptr) FUZZ_CHECK(number(*there) == by_handle->id);
    }
    void check_all() {
        std::size_t walked = 0;
        const auto meet = [&](H handle, const Id& id) {
            const Pair* const pair = find(number(id));
            walked += pair != nullptr && pair->handle == handle;
        };
        ids_.for_each([&](const Id& id, H handle) { meet(handle, id); });
        for (const auto [handle, id] : ids_) meet(handle, id);
        auto id = ids_.ids().begin();
        for (const H handle : ids_.handles()) meet(handle, *id++);
        FUZZ_CHECK(walked == 3 * pairs_.size());
        for (const Pair& pair : pairs_)
            FUZZ_CHECK(ids_.handle_of(make_id(pair.id)) == pair.handle && number(*ids_.id_of(pair.handle)) == pair.id);
        if (attached_)
            for (const Pair& pair : pairs_) FUZZ_CHECK(find(pair.handle) == &pair);
    }

    Input& in_;
    Map map_{};
    Ids ids_ = make();
    std::vector<Pair> pairs_{};
    std::vector<H> issued_{};
    bool attached_ = false;
    std::uint64_t steps_ = 0;
};

} // namespace

#endif
