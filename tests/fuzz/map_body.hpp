// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps, and what follows them (columns, secondary maps), beside a model that knows every handle in advance.
// The first byte of an input picks the map, the second who is attached; each further decision is one operation. Every handle
// ever given out is kept and asked for again.
#ifndef SLOTWISE_TESTS_FUZZ_MAP_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_MAP_BODY_HPP

#include "described_map.hpp"
#include "directory_model.hpp"

#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <iterator>
#include <optional>
#include <stdexcept>

namespace {

using namespace test;
using Is = DirectoryModel::Is;

//=== secondary maps ===//

/// What a secondary map must hold: a version and a value for each slot.
class Entries {
public:
    struct Entry {
        slot_t slot;
        std::uint32_t version; // 0: none
        int value;
    };

    /// The entry that put() would find or make; null when it refuses.
    Entry* put(slot_t slot, std::uint32_t version, int value, bool& made) {
        made = false;
        if (version % 2 == 0) return nullptr;
        Entry& entry = at(slot);
        if (entry.version > version) return nullptr;
        if (entry.version == version) return &entry;
        count_ += entry.version == 0;
        entry.version = version;
        entry.value = value;
        made = true;
        return &entry;
    }
    Entry* find(slot_t slot, std::uint32_t version) {
        if (version == 0) return nullptr;
        if (slot < near_.size()) return near_[slot].version == version ? &near_[slot] : nullptr;
        for (Entry& entry : far_)
            if (entry.slot == slot && entry.version == version) return &entry;
        return nullptr;
    }
    const Entry* of_slot(slot_t slot) const {
        if (slot < near_.size()) return near_[slot].version != 0 ? &near_[slot] : nullptr;
        for (const Entry& entry : far_)
            if (entry.slot == slot && entry.version != 0) return &entry;
        return nullptr;
    }
    void drop(slot_t slot) {
        if (slot < near_.size()) {
            count_ -= near_[slot].version != 0;
            near_[slot].version = 0;
            return;
        }
        for (Entry& entry : far_)
            if (entry.slot == slot && entry.version != 0) {
                entry.version = 0;
                --count_;
            }
    }
    void clear() {
        near_.clear();
        far_.clear();
        count_ = 0;
    }
    /// f(entry) says whether it stays; returns how many went.
    template <class F>
    std::size_t keep(F&& f) {
        const std::size_t before = count_;
        for (auto* list : {&near_, &far_})
            for (Entry& entry : *list)
                if (entry.version != 0 && !f(std::as_const(entry))) {
                    entry.version = 0;
                    --count_;
                }
        return before - count_;
    }
    std::size_t size() const { return count_; }

private:
    static constexpr slot_t near_slots = 512;

    Entry& at(slot_t slot) {
        if (slot < near_slots) {
            while (near_.size() <= slot) near_.push_back({static_cast<slot_t>(near_.size()), 0, 0});
            return near_[slot];
        }
        for (Entry& entry : far_)
            if (entry.slot == slot) return entry;
        for (Entry& entry : far_)
            if (entry.version == 0) return entry = {slot, 0, 0};
        return far_.emplace_back(Entry{slot, 0, 0});
    }

    std::vector<Entry> near_{}, far_{};
    std::size_t count_ = 0;
};

/// A secondary map beside its model, attached or not.
template <class Secondary>
class Follower {
    using H = typename Secondary::handle_type;
    using T = typename Secondary::value_type;
    using Entry = Entries::Entry;

public:
    bool attached() const { return attached_; }
    template <class Map>
    void attach_to(Map& map) {
        secondary_.attach_to(map);
        attached_ = true;
        entries_.keep([&](const Entry& entry) { return map.contains(H(entry.slot, entry.version)); });
    }
    void detach() {
        secondary_.detach();
        attached_ = false;
    }
    /// What the map has told a follower.
    void dropped(slot_t slot) {
        if (attached_) entries_.drop(slot);
    }
    void reset() {
        if (attached_) entries_.clear();
    }
    void detach_all() {
        reset();
        attached_ = false;
    }

    void probe(H handle) {
        const Entry* const entry = entries_.find(handle.index(), handle.version());
        const T* const value = std::as_const(secondary_).get(handle);
        FUZZ_CHECK((value != nullptr) == (entry != nullptr));
        if (entry != nullptr) FUZZ_CHECK(number(*value) == entry->value);
        FUZZ_CHECK(secondary_.count(handle) == (entry != nullptr));
        FUZZ_CHECK(number(std::as_const(secondary_).value_or(handle, T(-1))) == (entry != nullptr ? entry->value : -1));
        FUZZ_CHECK((std::as_const(secondary_).find(handle) != std::as_const(secondary_).end()) == (entry != nullptr));
    }
    void step(Input& in, H handle, int value) {
        const std::size_t kind = entries_.size() > 200 ? 40 : in.below(64);
        const slot_t slot = handle.index();
        bool made = false;
        if (kind < 36) {
            const bool assigns = kind >= 24;
            Entry* const entry = entries_.put(slot, handle.version(), value, made);
            const auto [there, fresh] = kind < 12   ? secondary_.try_emplace(handle, value)
                                        : kind < 24 ? secondary_.insert(handle, T(value))
                                                    : secondary_.insert_or_assign(handle, T(value));
            if (assigns && entry != nullptr) entry->value = value;
            FUZZ_CHECK(fresh == made && (there != secondary_.end()) == (entry != nullptr));
            if (entry != nullptr) FUZZ_CHECK(number(there->value) == entry->value && there == secondary_.find(handle));
        } else if (kind < 44) {
            const Entry* const entry = entries_.find(slot, handle.version());
            if (kind == 36) {
                const auto it = secondary_.find(handle);
                FUZZ_CHECK((it != secondary_.end()) == (entry != nullptr));
                if (entry != nullptr) {
                    const std::size_t before = secondary_.size();
                    const auto next = secondary_.erase(it);
                    FUZZ_CHECK(secondary_.size() == before - 1 && (next == secondary_.end() || next.handle() != handle));
                }
            } else if (kind < 40) {
                FUZZ_CHECK(secondary_.erase(handle) == (entry != nullptr));
            } else {
                const auto taken = secondary_.extract(handle);
                FUZZ_CHECK(taken.has_value() == (entry != nullptr));
                if (taken) FUZZ_CHECK(number(*taken) == entry->value);
            }
            if (entry != nullptr) entries_.drop(slot);
        } else if (kind < 50) {
            if (Entry* const entry = entries_.find(slot, handle.version())) {
                FUZZ_CHECK(secondary_.contains(handle) && number(secondary_[handle]) == entry->value);
                secondary_.at(handle) = T(value);
                entry->value = value;
            } else if (kind == 44)
                FUZZ_CHECK(refuses<std::out_of_range>([&] { static_cast<void>(secondary_.at(handle)); }));
        } else if (kind < 54) {
            const int divisor = 2 + static_cast<int>(kind % 3);
            const std::size_t gone =
                kind == 50 ? secondary_.erase_if([&](const auto& item) { return number(item.value) % divisor == 0; })
                           : secondary_.erase_if([&](H, const T& v) { return number(v) % divisor == 0; });
            FUZZ_CHECK(entries_.keep([&](const Entry& entry) { return entry.value % divisor != 0; }) == gone);
        } else if (kind < 56) {
            Secondary copy(secondary_);
            FUZZ_CHECK(copy == secondary_ && copy.check_invariants() && !copy.attached());
            if (kind == 55) differs(copy);
            if (kind == 54) secondary_ = copy; // the attachment stays
        } else if (kind < 59) {
            Secondary moved(std::move(secondary_));
            FUZZ_CHECK(secondary_.empty() && !secondary_.attached()); // NOLINT(bugprone-use-after-move)
            secondary_.try_emplace(handle, 1);
            if (kind == 56)
                secondary_ = std::move(moved);
            else
                swap(secondary_, moved);
        } else if (kind == 59) {
            secondary_.clear();
            entries_.clear();
        } else
            check();
    }
    void check() {
        FUZZ_CHECK(secondary_.check_invariants());
        FUZZ_CHECK(secondary_.size() == entries_.size() && secondary_.empty() == (entries_.size() == 0));
        FUZZ_CHECK(secondary_.attached() == attached_);
        std::size_t walked = 0;
        secondary_.for_each([&](H handle, const T& value) {
            const Entry* const entry = entries_.find(handle.index(), handle.version());
            FUZZ_CHECK(entry != nullptr && entry->value == number(value) && handle.user_bits() == 0);
            ++walked;
        });
        FUZZ_CHECK(walked == entries_.size());
        walk_again();
    }

private:
    /// @pre a copy
    void differs(Secondary& copy) {
        if (copy.empty()) return;
        const H handle = copy.begin()->handle;
        const int there = number(copy[handle]);
        copy[handle] = T(there + 1);
        FUZZ_CHECK(!(copy == secondary_));
        copy.erase(handle);
        FUZZ_CHECK(!(copy == secondary_));
        copy.try_emplace(H(handle.index() ^ 1u, 1), there);
        FUZZ_CHECK(!(copy == secondary_));
        Secondary by_range;
        by_range.insert(secondary_.begin(), secondary_.end());
        FUZZ_CHECK(by_range == secondary_);
    }
    /// The other ways to go: by a reference that may change it, by parts, backwards, in chunks.
    void walk_again() {
        std::size_t walked = 0;
        const auto meet = [&](H handle, const T& value) {
            const Entry* const entry = entries_.find(handle.index(), handle.version());
            FUZZ_CHECK(entry != nullptr && entry->value == number(value));
            ++walked;
        };
        const Secondary& constant = secondary_;
        secondary_.for_each([&](H handle, T& value) { meet(handle, value); });
        for (const auto& item : constant.items()) meet(item.handle, item.value);
        for (auto it = constant.end(); it != constant.begin();) {
            --it;
            meet(it->handle, it->value);
        }
        auto value = constant.values().begin();
        for (const H handle : constant.handles()) meet(handle, *value++);
        FUZZ_CHECK(value == constant.values().end() && walked == 4 * entries_.size());
        if constexpr (requires { secondary_.chunks(); }) {
            std::size_t chunks = 0;
            const auto meet_chunk = [&](const auto& chunk) {
                ++chunks;
                chunk.live.for_each([&](slot_t i) {
                    const Entry* const entry = entries_.of_slot(chunk.first + i);
                    FUZZ_CHECK(entry != nullptr);
                    meet(H(entry->slot, entry->version), chunk.values[i]);
                });
            };
            secondary_.for_each_chunk(meet_chunk);
            constant.for_each_chunk(meet_chunk);
            FUZZ_CHECK(walked == 6 * entries_.size() && chunks == 2 * constant.chunks().size());
        }
    }

    Secondary secondary_{};
    Entries entries_{};
    bool attached_ = false;
};

//=== slot maps ===//

template <class Map>
inline constexpr bool has_column = false;
template <class T, class Given, class A, class Values>
inline constexpr bool has_column<SlotMap<T, Given, A, Values>> = true;
template <class T, class Given, class A, class Values>
inline constexpr bool has_column<DenseSlotMap<T, Given, A, Values>> = true;
template <class T, SlotMapOptions O, class Values>
inline constexpr bool has_column<DescribedMap<T, O, Values>> = true;

/// Its moves do not throw, and do not say so: a dense map then swaps rows where it would move them.
class Uneasy : public Counted {
public:
    using Counted::Counted;
    Uneasy(const Uneasy&) = default;
    Uneasy(Uneasy&& other) noexcept(false) : Counted(std::move(other)) {}
    Uneasy& operator=(const Uneasy&) = default;
    Uneasy& operator=(Uneasy&& other) noexcept(false) {
        Counted::operator=(std::move(other));
        return *this;
    }
};

template <class Map>
class MapBody {
    using H = typename Map::handle_type;
    using T = element_t<Map>;
    using Column = ValueArray<Counted>;
    static constexpr SlotMapOptions options = Map::options;
    static constexpr bool in_place = is_paged<Map> || is_described<Map>; // elements never move
    static constexpr bool retires = options.exhaustion == Exhaustion::retire;
    static constexpr slot_t most_slots = 256; // inserts stop there; chosen and reserved slots may go a little farther
    static constexpr slot_t chosen_slots = 320;
    using Codec = std::conditional_t<std::is_trivially_copyable_v<T>, DefaultCodec, NumberCodec>;

public:
    explicit MapBody(Input& in) : in_(in), model_(H::max_version, options.exhaustion, options.reuse) {
        const unsigned attach = in_.byte();
        for (unsigned i = 0; i != 4; ++i)
            if ((attach >> i & 1) != 0) toggle(i);
    }

    std::uint64_t run() {
        while (!in_.done()) {
            step();
            after_step();
        }
        check_all();
        for (const H handle : issued_) probe(handle);
        map_.clear();
        model_.clear();
        for (const H handle : issued_) FUZZ_CHECK(!map_.contains(handle));
        return steps_;
    }

private:
    struct Place {
        int value = 0;
        int column = 0;           // of the dynamic column
        int tagged = 0;           // of the static one
        std::uint32_t newest = 0; // version ever given out here
    };

    //=== what the bytes decide ===//

    void step() {
        const unsigned kind = in_.byte();
        if (kind < 70)
            model_.cursor() - model_.count(Is::vacant) < most_slots ? insert(kind) : erase(any_handle());
        else if (kind < 116)
            erase(any_handle());
        else if (kind < 120)
            erase_reserved(any_handle());
        else if (kind < 126)
            reserve_one();
        else if (kind < 132)
            settle();
        else if (kind < 142)
            insert_at();
        else if (kind < 152)
            hostile(hostile_handle<H>(in_, chosen_slots));
        else if (kind < 168)
            probe(any_handle());
        else if (kind < 176)
            assign();
        else if (kind < 182)
            swap_values();
        else if (kind < 188)
            erase_at_iterator();
        else if (kind < 191)
            erase_some();
        else if (kind < 193)
            clear();
        else if (kind < 195)
            shrink();
        else if (kind < 199)
            reserve_room();
        else if (kind < 205)
            walk(kind);
        else if (kind < 209)
            by_address_or_order();
        else if (kind < 211)
            copy();
        else if (kind < 213)
            move();
        else if (kind < 214)
            exchange();
        else if (kind < 216)
            save_and_load();
        else if (kind < 219)
            load_hostile();
        else if (kind < 220)
            recycle();
        else if (kind < 224)
            toggle(kind % 4);
        else if (kind < 232)
            attached_.step(in_, secondary_handle(), next_value_++);
        else if (kind < 240)
            sparse_.step(in_, secondary_handle(), next_value_++);
        else if (kind < 246)
            loose_.step(in_, secondary_handle(), next_value_++);
        else if (kind < 252)
            set_columns();
        else if (kind < 254)
            several();
        else if (kind == 254)
            refused();
        else
            ranges();
    }

    /// One that was given out, rather a late one; null when there is none.
    H any_handle() {
        if (issued_.empty()) return H();
        const std::size_t choice = in_.byte();
        const std::size_t window = choice < 192 ? std::min<std::size_t>(issued_.size(), 64) : issued_.size();
        return issued_[issued_.size() - 1 - (choice * 0x9E37'79B1u >> 8) % window];
    }
    H live_handle() {
        for (int tries = 0; tries != 4; ++tries)
            if (const H handle = any_handle(); model_.is_live(handle.index(), handle.version())) return handle;
        return H();
    }
    H secondary_handle() { return in_.byte() % 8 == 0 ? hostile_handle<H>(in_, 3 * chosen_slots) : any_handle(); }
    /// As a caller would hand it in: lookups ignore the user bits.
    H marked(H handle) {
        if constexpr (options.handle.user_bits == 0)
            return handle;
        else
            return handle.with_user_bits(steps_ & ((std::uint64_t{1} << options.handle.user_bits) - 1));
    }
    bool is_live(H handle) const { return model_.is_live(handle.index(), handle.version()); }
    /// Of what an iterator yields: a reference, a row of them, or the address of a described element.
    template <class Reference>
    static int number_in(const Reference& reference) {
        if constexpr (std::is_pointer_v<Reference>)
            return number(*static_cast<const T*>(reference));
        else
            return test::number(reference);
    }
    Place& place(slot_t slot) {
        if (slot >= places_.size()) places_.resize(slot + 64);
        return places_[slot];
    }

    //=== what happens, in the model ===//

    void give(H handle, bool chosen = false) {
        FUZZ_CHECK(handle.version() % 2 == 1 && handle.user_bits() == 0);
        Place& here = place(handle.index());
        // No slot gives a version twice, unless that very handle is asked for.
        if (retires) FUZZ_CHECK(chosen ? handle.version() >= here.newest : handle.version() > here.newest);
        if (handle.version() > here.newest) here.newest = handle.version();
        issued_.push_back(handle);
    }
    void born(slot_t slot, int value) {
        Place& here = place(slot);
        here.value = value;
        here.column = here.tagged = 0;
    }
    void inserted(H handle, int value) {
        const slot_t slot = model_.insert();
        FUZZ_CHECK(handle == H(slot, model_.version(slot)));
        give(handle);
        born(slot, value);
    }
    void died(slot_t slot) {
        model_.erase(slot);
        attached_.dropped(slot);
        sparse_.dropped(slot);
    }
    template <class F>
    void each_live(F&& f) {
        for (slot_t slot = 0; slot < model_.cursor(); ++slot)
            if (model_.is(slot) == Is::live) f(slot);
    }
    bool full() const { return model_.next() == Map::max_size(); }

    //=== operations ===//

    void insert(unsigned kind) {
        const int value = next_value_++;
        if (full()) {
            if (kind % 8 == 0) FUZZ_CHECK(refuses<std::length_error>([&] { put(map_, value); }));
            return;
        }
        switch (kind % 8) {
        case 0:
        case 1:
        case 2:
            return inserted(put(map_, value), value);
        case 3:
        case 4:
            return inserted(put_in_place(map_, value), value);
        case 5: { // a copy of an element of the same map, which may grow meanwhile
            const H of = live_handle();
            if (of.is_null()) return;
            const int copied = place(of.index()).value;
            if constexpr (is_soa<Map>)
                return inserted(map_.emplace(map_[of].template get<0>(), map_[of].template get<1>()), copied);
            else
                return inserted(map_.insert(std::as_const(map_)[of]), copied);
        }
        case 6:
            return insert_knowing(value);
        default:
            return insert_in_vain(value);
        }
    }
    void insert_knowing(int value) {
        const slot_t slot = model_.acquire();
        const H expected(slot, model_.version(slot) + 1);
        const unsigned meanwhile = in_.byte();
        const H handle = put_with(map_, value, [&](H known) {
            FUZZ_CHECK(known == expected && !map_.contains(known) && map_.state(slot) == model_.state(slot));
            FUZZ_CHECK(map_.explain(known) == model_.explain(slot, known.version(), map_.capacity()));
            if (meanwhile % 4 == 1 && !full()) {
                const int other = next_value_++;
                inserted(put(map_, other), other);
            } else if (meanwhile % 4 == 2)
                erase(any_handle());
        });
        FUZZ_CHECK(handle == expected);
        model_.commit(slot);
        give(handle);
        born(slot, value);
    }
    void insert_in_vain([[maybe_unused]] int value) {
#if SLOTWISE_EXCEPTIONS
        if (value % 4 != 0) return; // exceptions are slow
        struct Refused {};
        H seen;
        try {
            put_with(map_, value, [&](H known) {
                seen = known;
                throw Refused();
            });
            FUZZ_CHECK(false);
        } catch (const Refused&) {}
        const slot_t slot = model_.acquire();
        FUZZ_CHECK(seen == H(slot, model_.version(slot) + 1));
        model_.skip_version(slot);
        give(seen); // and stays stale
#endif
    }
    void erase(H handle) {
        const bool live = is_live(handle);
        const slot_t slot = handle.index();
        if (next_value_ % 4 != 0) {
            FUZZ_CHECK(map_.erase(marked(handle)) == live);
        } else {
            took(map_.extract(marked(handle)), live, slot);
        }
        ++next_value_;
        if (live) died(slot);
    }
    void took([[maybe_unused]] const auto& taken, bool live, [[maybe_unused]] slot_t slot) {
        FUZZ_CHECK(taken.has_value() == live);
        if constexpr (is_soa<Map>) {
            if (live) FUZZ_CHECK(number(std::get<1>(*taken)) == place(slot).value);
        } else {
            if (live) FUZZ_CHECK(number(*taken) == place(slot).value);
        }
    }
    /// The handle may come back, by settle().
    void erase_reserved(H handle) {
        const bool live = is_live(handle);
        const slot_t slot = handle.index();
        if (next_value_++ % 2 == 0)
            FUZZ_CHECK(map_.erase_reserved(marked(handle)) == live);
        else
            took(map_.extract_reserved(marked(handle)), live, slot);
        if (!live) return;
        model_.keep(slot);
        attached_.dropped(slot);
        sparse_.dropped(slot);
        promised_.push_back(handle);
    }
    void reserve_one() {
        if (full() || model_.cursor() - model_.count(Is::vacant) >= most_slots) return;
        const H handle = map_.reserve_handle();
        const slot_t slot = model_.reserve();
        FUZZ_CHECK(handle == H(slot, model_.version(slot) + 1));
        give(handle);
        promised_.push_back(handle);
    }
    void settle() {
        H handle = any_handle();
        if (!promised_.empty() && in_.byte() % 8 != 0) {
            handle = promised_.back(); // those that a clear has cancelled are in the list too
            promised_.pop_back();
        }
        const slot_t slot = handle.index();
        const bool reserved = model_.is_reserved(slot, handle.version());
        if (reserved) FUZZ_CHECK(!map_.erase(handle) && !map_.contains(handle));
        if (in_.byte() % 4 == 0) {
            FUZZ_CHECK(map_.cancel(marked(handle)) == reserved);
            if (reserved) model_.skip_version(slot);
            FUZZ_CHECK(!map_.cancel(handle));
        } else {
            const int value = next_value_++;
            FUZZ_CHECK(fulfill(map_, marked(handle), value) == reserved);
            if (!reserved) return;
            model_.commit(slot);
            born(slot, value);
        }
    }
    void insert_at() {
        const H handle = in_.byte() % 2 == 0 ? any_handle() : hostile_handle<H>(in_, chosen_slots);
        const slot_t slot = handle.index();
        const std::size_t reach = std::max({std::size_t{65536}, map_.capacity(), 8 * (map_.size() + 1)});
        if (slot >= chosen_slots && slot < reach && slot < Map::max_size()) return; // it may, but so large a map is slow
        const bool can = slot < Map::max_size() && slot < reach && model_.can_take(slot, handle.version());
        const int value = next_value_++;
        FUZZ_CHECK(put_at(map_, handle, value) == can);
        if (!can) return;
        model_.take(slot, handle.version());
        model_.commit(slot);
        give(plain(handle), true);
        born(slot, value);
    }
    static H plain(H handle) {
        if constexpr (options.handle.user_bits == 0)
            return handle;
        else
            return handle.with_user_bits(0);
    }
    /// Whatever is asked under it, nothing happens unless it happens to be right.
    void hostile(H handle) {
        probe(handle);
        if (is_live(handle) || model_.is_reserved(handle.index(), handle.version())) return;
        const H other = live_handle();
        FUZZ_CHECK(!map_.erase(handle) && !map_.extract(handle) && !map_.cancel(handle) && !fulfill(map_, handle, 1));
        FUZZ_CHECK(!map_.swap_values(handle, other) && !map_.swap_values(other, handle));
        if (next_value_++ % 16 == 0) FUZZ_CHECK(refuses<std::out_of_range>([&] { static_cast<void>(map_.at(handle)); }));
    }
    void assign() {
        const H handle = live_handle();
        if (handle.is_null()) return;
        const int value = next_value_++;
        FUZZ_CHECK(number_of(map_, marked(handle)) == place(handle.index()).value);
        set_number(map_, handle, value);
        place(handle.index()).value = value;
    }
    void swap_values() {
        const H a = any_handle(), b = any_handle();
        const bool both = is_live(a) && is_live(b);
        FUZZ_CHECK(map_.swap_values(marked(a), b) == both);
        if (both) std::swap(place(a.index()).value, place(b.index()).value);
    }
    void erase_at_iterator() {
        if (map_.empty()) return;
        auto it = map_.begin();
        for (std::size_t steps = in_.byte() % std::min<std::size_t>(map_.size(), 32); steps != 0; --steps) ++it;
        for (std::size_t more = 1 + in_.byte() % 4; more != 0 && it != map_.end(); --more) {
            const H handle = map_.handle_of(it);
            FUZZ_CHECK(is_live(handle) && number_in(*it) == place(handle.index()).value);
            const slot_t slot = handle.index();
            H next;
            if constexpr (in_place) {
                auto after = it;
                if (++after != map_.end()) next = map_.handle_of(after);
            } else {
                const std::size_t row = map_.index_of(handle); // where the last one comes
                if (row + 1 != map_.size()) next = map_.handle_of_row(map_.size() - 1);
            }
            it = map_.erase(it);
            died(slot);
            FUZZ_CHECK(next.is_null() ? it == map_.end() : map_.handle_of(it) == next);
        }
    }
    void erase_some() {
        const int divisor = 2 + static_cast<int>(in_.below(3));
        const auto goes = [&](int value) { return value % divisor == 0; };
        std::size_t expected = 0;
        each_live([&](slot_t slot) { expected += goes(place(slot).value); });
        // Each erase is told as it is decided: in which order, the map says.
        const auto count = map_.erase_if([&](H handle, const auto& element) {
            FUZZ_CHECK(is_live(handle) && map_.contains(handle));
            const bool yes = goes(number_in(element));
            if (yes) died(handle.index());
            return yes;
        });
        FUZZ_CHECK(count == expected);
    }
    void clear() {
        each_live([&](slot_t slot) {
            attached_.dropped(slot);
            sparse_.dropped(slot);
        });
        map_.clear();
        model_.clear();
    }
    void shrink() {
        map_.shrink_to_fit();
        model_.shrink();
    }
    void reserve_room() {
        const std::size_t before = map_.capacity();
        const std::size_t taken = model_.count(Is::retired) + model_.count(Is::reserved);
        const std::size_t room = in_.byte() % 16 == 0 ? Map::max_size() - taken + 1 : in_.below(most_slots);
        if (room > Map::max_size() - taken) { // the sum may wrap where size_t has 32 bits
            FUZZ_CHECK(refuses<std::length_error>([&] { map_.reserve(room); }) && map_.capacity() == before);
            return;
        }
        map_.reserve(room);
        FUZZ_CHECK(map_.capacity() >= room + taken && map_.capacity() >= before);
    }
    void recycle() {
        const std::size_t retired = model_.count(Is::retired);
        if (retired != 0)
            for (slot_t slot = 0; slot < model_.cursor(); ++slot)
                if (model_.is(slot) == Is::retired) place(slot).newest = 0;
        FUZZ_CHECK(map_.recycle_retired() == retired && model_.recycle() == retired && map_.retired() == 0);
    }
    /// An observer refuses the element, and nothing has happened.
    void refused() {
#if SLOTWISE_EXCEPTIONS
        struct Refused {};
        struct Refuser final : SlotObserver {
            bool attached = false;
            void on_insert(slot_t, InsertKind) override {
                if (attached) throw Refused();
            }
        } refuser;
        const auto token = map_.attach(refuser);
        refuser.attached = true;
        const unsigned kind = in_.byte();
        const int value = next_value_++;
        slot_t slot = no_slot;
        bool skips = false;
        try {
            if (kind % 4 == 0 && !promised_.empty()) {
                slot = promised_.back().index();
                if (!model_.is_reserved(slot, promised_.back().version())) return;
                fulfill(map_, promised_.back(), value);
            } else if (kind % 4 == 1) {
                const H handle = any_handle();
                slot = handle.index();
                if (slot >= chosen_slots || !model_.can_take(slot, handle.version())) return;
                put_at(map_, handle, value);
            } else if (!full()) {
                slot = model_.next();
                skips = kind % 4 == 2;
                skips ? put_with(map_, value, [](H) {}) : put(map_, value);
            } else
                return;
            FUZZ_CHECK(false);
        } catch (const Refused&) {}
        // Those that had been told of it are told of its end, and drop what they have of any handle of the slot.
        attached_.dropped(slot);
        sparse_.dropped(slot);
        if (!skips) return;
        FUZZ_CHECK(model_.acquire() == slot); // its handle was seen
        const H seen(slot, model_.version(slot) + 1);
        model_.skip_version(slot);
        give(seen);
#endif
    }
    /// Elements that come as a range.
    void ranges() {
        if constexpr (!is_described<Map> && std::is_copy_constructible_v<typename Map::value_type>) {
            using Row = typename Map::value_type;
            std::vector<Row> rows;
            for (std::size_t count = in_.byte() % 4; count != 0; --count) {
                const int value = next_value_++;
                if constexpr (is_soa<Map>)
                    rows.emplace_back(value, value);
                else
                    rows.emplace_back(value);
            }
            if (model_.cursor() - model_.count(Is::vacant) + rows.size() > most_slots || map_.max_size() < most_slots) return;
            const int first = next_value_ - static_cast<int>(rows.size());
            if constexpr (!is_soa<Map>) {
                const Map made(rows.begin(), rows.end());
                FUZZ_CHECK(made.size() == rows.size());
                for (slot_t slot = 0; slot != rows.size(); ++slot)
                    FUZZ_CHECK(number_of(made, made.handle_at(slot)) == first + static_cast<int>(slot));
            }
            if constexpr (!is_soa<Map>)
                in_.flip() ? map_.insert_range(rows) : map_.insert(rows.begin(), rows.end());
            else
                for (const Row& row : rows) map_.insert(row);
            for (std::size_t i = 0; i != rows.size(); ++i) {
                const slot_t slot = model_.insert();
                give(map_.handle_at(slot));
                FUZZ_CHECK(map_.handle_at(slot) == H(slot, model_.version(slot)));
                born(slot, first + static_cast<int>(i));
            }
        }
    }
    void several() {
        const H a = any_handle(), b = any_handle(), c = hostile_handle<H>(in_, chosen_slots);
        const auto [at_a, at_b, at_c] = map_.get_many(a, b, c);
        FUZZ_CHECK((at_a != nullptr) == is_live(a) && (at_b != nullptr) == is_live(b) && (at_c != nullptr) == is_live(c));
        if (at_a != nullptr) FUZZ_CHECK(number_in(*at_a) == place(a.index()).value);
        if (at_b != nullptr) FUZZ_CHECK(number_in(*at_b) == place(b.index()).value);
    }
    void set_columns() {
        const H handle = live_handle();
        if (handle.is_null()) return;
        const slot_t slot = handle.index();
        if (column_) column_->column()[slot] = Counted(place(slot).column = next_value_++);
        if constexpr (has_column<Map>) {
            Counted* const tag = map_.template column<0>().get(marked(handle));
            FUZZ_CHECK(tag != nullptr && tag->value() == place(slot).tagged);
            *tag = Counted(place(slot).tagged = next_value_++);
        }
    }
    void by_address_or_order() {
        if constexpr (is_soa<Map>) {
            map_.template sort<0>([](const T& a, const T& b) { return number(a) < number(b); });
            for (std::size_t row = 1; row < map_.size(); ++row)
                FUZZ_CHECK(number(map_.template column<0>()[row - 1]) <= number(map_.template column<0>()[row]));
        } else if constexpr (!is_described<Map>) {
            const H handle = live_handle();
            if (!handle.is_null()) FUZZ_CHECK(map_.handle_of(map_.get(handle)) == plain(handle));
            FUZZ_CHECK(map_.handle_of(static_cast<const T*>(nullptr)).is_null());
            if constexpr (!is_paged<Map>) {
                map_.sort([](const T& a, const T& b) { return number(a) > number(b); });
                for (std::size_t row = 1; row < map_.size(); ++row)
                    FUZZ_CHECK(number(map_.values()[row - 1]) >= number(map_.values()[row]));
                map_.sort();
                FUZZ_CHECK(std::is_sorted(map_.begin(), map_.end()));
                if (!handle.is_null()) {
                    const auto row = static_cast<std::ptrdiff_t>(map_.index_of(handle));
                    auto it = map_.begin() + row;
                    FUZZ_CHECK(it == map_.find(handle) && it - map_.begin() == row && map_.end() - it > 0 && 1 + it == it + 1);
                    FUZZ_CHECK(it - row == map_.begin() && ++it - 1 == map_.begin() + row);
                    FUZZ_CHECK((it -= row + 1) == map_.begin());
                }
            } else if constexpr (options.growth == Growth::reserve) {
                FUZZ_CHECK(map_.slot_span().size() == model_.cursor());
                if (!handle.is_null()) FUZZ_CHECK(&map_.slot_span()[handle.index()] == map_.get(handle));
            }
        }
    }

    //=== whole maps ===//

    /// All that may be asked of a map that should be as map_ is.
    void same(Map& other) {
        FUZZ_CHECK(other == map_ && other.check_invariants() && other.size() == map_.size());
        FUZZ_CHECK(other.retired() == map_.retired());
        if (full()) return;
        const int value = next_value_++;
        const slot_t slot = model_.next();
        const H fresh(slot, model_.version(slot) + 1);
        FUZZ_CHECK(put(other, value) == fresh);
        FUZZ_CHECK(!(other == map_));
        if (const H gone = live_handle(); !gone.is_null()) { // as many elements, not the same
            Map less(map_);
            const int there = number_of(map_, gone);
            set_number(less, gone, there + 1);
            FUZZ_CHECK(!(less == map_));
            set_number(less, gone, there);
            FUZZ_CHECK(less == map_ && less.erase(gone) && other.erase(gone) && !(less == map_) && !(other == map_));
            // The last one among many vacant slots.
            other.erase_if([&](H handle, const auto&) { return handle != fresh; });
            int met = 0;
            other.for_each([&](H handle, const auto& element, const auto&...) {
                FUZZ_CHECK(handle == fresh && number_in(element) == value);
                ++met;
            });
            FUZZ_CHECK(met == 1);
        }
    }
    /// The contents were replaced: dynamic observers were reset, columns start from zero.
    void told_anew() {
        attached_.reset();
        sparse_.reset();
        for (Place& place : places_) place.column = 0;
    }
    void copy() {
        const unsigned kind = in_.byte();
        Map other(map_);
        if (kind % 4 == 0) return same(other);
        if (kind % 4 == 1) { // observers of the target stay, and are told
            map_ = other;
            told_anew();
        } else if (kind % 4 == 2) { // observers of the target are detached
            map_ = std::move(other);
            attached_.detach_all();
            sparse_.detach_all();
            shadow_token_.detach();
            column_token_.detach();
            shadow_.reset();
            column_.reset();
        } else
            map_ = static_cast<Map&>(map_);
    }
    void move() {
        Map moved(std::move(map_));
        FUZZ_CHECK(map_.empty() && map_.check_invariants()); // NOLINT(bugprone-use-after-move): empty and usable
        const H visitor = put(map_, 7);
        FUZZ_CHECK(number_of(map_, visitor) == 7);
        if (in_.flip())
            map_ = std::move(moved);
        else
            map_.swap(moved);
    }
    void exchange() {
        Map elsewhere;
        const H visitor = put(elsewhere, 7);
        Shadow other;
        const auto token = elsewhere.attach(other);
        elsewhere.swap(map_);
        FUZZ_CHECK(map_.size() == 1 && number_of(map_, visitor) == 7 && other.live() == 1);
        map_.erase(visitor);
        FUZZ_CHECK(other.live() == 0);
        swap(map_, elsewhere);
    }
    void save_and_load() {
        const auto bytes = map_.snapshot(Codec{});
        if (in_.flip()) {
            Map other;
            put(other, 99);
            FUZZ_CHECK(other.try_restore(bytes, Codec{}) == nullptr);
            FUZZ_CHECK(other.snapshot(Codec{}) == bytes);
            same(other);
        } else {
            map_.restore(bytes, Codec{});
            told_anew(); // the static column came along
        }
    }
    /// Bytes gone bad are refused without effect, or they are a sound map of their own.
    void load_hostile() {
        auto bytes = map_.snapshot(Codec{});
        const auto before = bytes;
        corrupt_snapshot(bytes, in_);
        Map victim(map_);
        Shadow shadow;
        const auto token = victim.attach(shadow);
        if (victim.try_restore(bytes, Codec{}) != nullptr) {
            FUZZ_CHECK(victim == map_ && victim.snapshot(Codec{}) == before);
        } else {
            if constexpr (std::is_same_v<Codec, DefaultCodec>) FUZZ_CHECK(victim.snapshot() == bytes);
            // Whatever it says now, it must go on saying. A slot may have been declared free at a version of the attacker's
            // choice.
            std::size_t walked = 0;
            for (const H handle : victim.handles())
                walked += victim.contains(handle) && victim.state(handle.index()) == SlotState::live;
            FUZZ_CHECK(walked == victim.size());
            for (int i = 0; i != 12 && victim.size() + victim.retired() < Map::max_size(); ++i) {
                H handle;
                std::size_t used = 0; // every other slot may be reserved
                for (slot_t slot = 0; slot != victim.capacity(); ++slot) used += victim.state(slot) != SlotState::free;
                FUZZ_CHECK(refuses<std::length_error>(used == Map::max_size(), [&] { handle = put(victim, i); }));
                if (used == Map::max_size()) break;
                FUZZ_CHECK(number_of(victim, handle) == i && shadow.live() == victim.size());
                if (i % 3 != 0) FUZZ_CHECK(victim.erase(handle) && !victim.contains(handle));
            }
            FUZZ_CHECK(victim.check_invariants());
            if (in_.flip()) victim.shrink_to_fit();
            if (in_.flip()) victim.clear();
            static_cast<void>(victim.recycle_retired());
        }
        FUZZ_CHECK(victim.check_invariants() && shadow.live() == victim.size() && shadow.capacity() == victim.capacity());
        for (std::size_t slot = 0; slot < victim.capacity(); ++slot)
            FUZZ_CHECK((shadow[slot] == Shadow::Is::live) == (victim.state(static_cast<slot_t>(slot)) == SlotState::live));
    }

    //=== observers ===//

    void toggle(unsigned which) {
        switch (which) {
        case 0:
            if (shadow_)
                shadow_token_.detach(), shadow_.reset();
            else
                shadow_token_ = map_.attach(shadow_.emplace());
            break;
        case 1:
            if (column_) {
                column_token_.detach();
                column_.reset();
            } else {
                column_token_ = map_.attach(column_.emplace());
                for (Place& place : places_) place.column = 0;
            }
            break;
        case 2:
            attached_.attached() ? attached_.detach() : attached_.attach_to(map_);
            break;
        default:
            sparse_.attached() ? sparse_.detach() : sparse_.attach_to(map_);
            break;
        }
    }

    //=== checks ===//

    void probe(H handle) {
        const slot_t slot = handle.index();
        const bool live = is_live(handle);
        const Map& map = map_;
        FUZZ_CHECK(map.contains(handle) == live);
        const auto found = map.get(handle);
        FUZZ_CHECK((found != nullptr) == live);
        FUZZ_CHECK(map.explain(handle) ==
                   (handle.is_null() ? HandleStatus::null : model_.explain(slot, handle.version(), map.capacity())));
        FUZZ_CHECK(map.state(slot) == model_.state(slot));
        if (live) same_element(map, handle);
        const auto there = map.find(handle);
        FUZZ_CHECK((there != map.end()) == live && (map_.find(handle) != map_.end()) == live && map.count(handle) == live);
        if (live) FUZZ_CHECK(number_in(*there) == place(slot).value);
        if constexpr (!is_soa<Map> && !is_described<Map>)
            FUZZ_CHECK(number(map.value_or(handle, T(-1))) == (live ? place(slot).value : -1));
        if constexpr (in_place) FUZZ_CHECK(map.values().get(handle) == found);
        attached_.probe(handle);
        sparse_.probe(handle);
        loose_.probe(handle);
    }
    void same_element(const Map& map, H handle) {
        const Place& here = place(handle.index());
        if constexpr (is_soa<Map>)
            FUZZ_CHECK(number(map[handle].template get<0>()) == here.value &&
                       number(map[handle].template get<1>()) == here.value);
        else
            FUZZ_CHECK(number(map[handle]) == here.value);
        if (column_) FUZZ_CHECK(column_->column()[handle.index()].value() == here.column);
        if constexpr (has_column<Map>) FUZZ_CHECK(map.template observer<0>()[handle.index()].value() == here.tagged);
    }
    void after_step() {
        ++steps_;
        FUZZ_CHECK(map_.size() == model_.live() && map_.retired() == model_.count(Is::retired));
        FUZZ_CHECK(map_.capacity() >= model_.cursor() && map_.occupancy().size() == model_.cursor());
        if (shadow_) FUZZ_CHECK(shadow_->live() == map_.size() && shadow_->capacity() == map_.capacity());
        // It costs a nanosecond or two a slot: small maps are checked after every step, larger ones as often as that buys.
        if ((unchecked_ += 32) >= map_.capacity()) {
            FUZZ_CHECK(map_.check_invariants());
            unchecked_ = 0;
        }
        if (!issued_.empty()) {
            sample_ = sample_ * 0x9E37'79B9u + 0x7F4A'7C15u;
            probe(issued_[(sample_ >> 8) % issued_.size()]);
        }
        if (steps_ % 16 == 0) check_all();
    }
    void check_all() {
        FUZZ_CHECK(map_.check_invariants() && map_.empty() == (model_.live() == 0));
        for (slot_t slot = 0; slot < model_.cursor(); ++slot) {
            const bool live = model_.is(slot) == Is::live;
            FUZZ_CHECK(map_.state(slot) == model_.state(slot) && map_.occupancy().test(slot) == live);
            const H handle = map_.handle_at(slot);
            FUZZ_CHECK(live ? handle == H(slot, model_.version(slot)) : handle.is_null());
            if (live) same_element(map_, handle);
            if (shadow_) FUZZ_CHECK(((*shadow_)[slot] == Shadow::Is::live) == live);
        }
        walk(static_cast<unsigned>(steps_ / 16));
        (steps_ / 16 % 3 == 0) ? attached_.check() : (steps_ / 16 % 3 == 1) ? sparse_.check() : loose_.check();
    }
    void walk(unsigned how) {
        std::size_t walked = 0;
        const auto meet = [&](H handle, int value) { walked += is_live(handle) && place(handle.index()).value == value; };
        const Map& map = map_;
        switch (how % 8) {
        case 0:
            for (const H handle : map.handles()) meet(handle, number_of(map, handle));
            break;
        case 1:
            for (const auto& item : map_.items()) meet(item.handle, number_in(item.value));
            break;
        case 2:
            map.for_each([&](H handle, const auto& value, const auto&...) { meet(handle, number_in(value)); });
            break;
        case 3:
            for (const slot_t slot : map.slots()) meet(map.handle_at(slot), number_of(map, map.handle_at(slot)));
            break;
        case 4:
            for (auto it = map.begin(); it != map.end(); ++it) meet(map.handle_of(it), number_in(*it));
            break;
        case 5:
            for (auto it = map_.end(); it != map_.begin();) {
                --it;
                meet(map_.handle_of(it), number_in(*it));
            }
            break;
        case 6: { // without handles: each number as often as it should be
            std::int64_t sum = 0;
            const auto add = [&](const auto& value) { sum += number_in(value), ++walked; };
            if constexpr (is_soa<Map>) {
                map_.for_each([&](const T& first, const T&) { add(first); });
                map.for_each([&](const T&, const T& second) { add(second); });
            } else if constexpr (is_described<Map>) {
                map_.for_each([&](void* value) { add(value); });
                map.for_each([&](const void* value) { add(value); });
            } else {
                map_.for_each([&](const T& value) { add(value); });
                map.for_each([&](const T& value) { add(value); });
            }
            walked /= 2;
            each_live([&](slot_t slot) { sum -= 2 * place(slot).value; });
            FUZZ_CHECK(sum == 0);
            break;
        }
        default:
            if constexpr (in_place) {
                for (const auto& chunk : map.values().chunks())
                    chunk.live.for_each([&](slot_t i) { meet(map.handle_at(chunk.first + i), number_in(chunk.values[i])); });
            } else if constexpr (is_soa<Map>) {
                for (std::size_t row = 0; row != map.size(); ++row)
                    meet(map.handle_of_row(row), number(map.template column<1>()[row]));
            } else {
                for (std::size_t row = 0; row != map.size(); ++row) meet(map.handle_of_row(row), number(map.values()[row]));
            }
            break;
        }
        FUZZ_CHECK(walked == model_.live());
    }

    Input& in_;
    DirectoryModel model_;
    std::vector<Place> places_{};
    std::vector<H> issued_{}, promised_{};
    Map map_{};
    std::optional<Shadow> shadow_{};
    std::optional<DynamicColumn<Column>> column_{};
    ObserverToken shadow_token_{}, column_token_{}; // after the observers: they go first
    Follower<SecondaryMap<H, int>> attached_{};
    Follower<SparseSecondaryMap<H, Counted>> sparse_{};
    Follower<SecondaryMap<H, Counted>> loose_{}; // never attached
    int next_value_ = 1;
    std::uint32_t sample_ = 1;
    std::size_t unchecked_ = 0; // slots that could have been looked at since the last check
    std::uint64_t steps_ = 0;
};

//=== which map ===//

constexpr HandleLayout layout(unsigned version_bits, unsigned user_bits = 0) {
    return {(version_bits + user_bits < 10 ? 16 : 32) - version_bits - user_bits, version_bits, user_bits};
}
constexpr HandleLayout dense(HandleLayout layout) {
    layout.dense_versions = true;
    return layout;
}
constexpr SlotMapOptions few(HandleLayout handle, Reuse reuse, Exhaustion exhaustion, std::size_t max_slots = 0) {
    return {.handle = handle, .reuse = reuse, .exhaustion = exhaustion, .page_slots = 64, .max_slots = max_slots};
}

template <class Body>
std::uint64_t run(Input& in) {
    return Body(in).run();
}

} // namespace

#endif
