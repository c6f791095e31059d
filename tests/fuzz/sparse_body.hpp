// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Entities and what they have: an EntityIndex makes ids, and sparse containers hold them and others, also ids that were never issued,
// beside a model of each. A group and observers may follow. Each decision of an input is one operation; bytes gone bad are refused, or
// are those of a state.
#ifndef SLOTWISE_TESTS_FUZZ_SPARSE_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_SPARSE_BODY_HPP

#include "world.hpp"

#include <slotwise/sparse/entity_index.hpp>
#include <slotwise/sparse/sparse_group.hpp>
#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>
#include <slotwise/sparse/switch_map.hpp>

#include <map>
#include <optional>

namespace {

using namespace test;

/// The ids of one container, row by row, as its notifications say.
template <class Id>
struct Mirror final : RowObserver {
    std::vector<Id> rows{};
    std::span<const Id> (*ids)(const void*) = nullptr;
    const void* of = nullptr;
    void on_insert(std::size_t row) override {
        FUZZ_CHECK(row == rows.size());
        rows.push_back(ids(of)[row]);
    }
    void on_erase(std::size_t row) noexcept override {
        FUZZ_CHECK(row < rows.size() && ids(of)[row] == rows[row]);
        rows[row] = rows.back();
        rows.pop_back();
    }
    void on_swap(std::size_t a, std::size_t b) noexcept override { std::swap(rows[a], rows[b]); }
    void on_clear() noexcept override { rows.clear(); }
    void on_move(const void*, void* to) noexcept override { of = to; }
};

/// A living id for each index, with a value.
template <class Id>
class IdModel {
public:
    /// Whether the id is new; one that is staler than what is here, or can never live, is refused.
    bool enter(Id id, int value) {
        if (!IdTraits<Id>::can_live(id)) return false;
        const auto [it, made] = entries_.try_emplace(index(id), Entry{id, value});
        if (made) return true;
        if (version(it->second.id) >= version(id)) return false;
        it->second = {id, value};
        return true;
    }
    const int* find(Id id) const {
        const auto it = entries_.find(index(id));
        return it == entries_.end() || !(it->second.id == id) ? nullptr : &it->second.value;
    }
    int* find(Id id) { return const_cast<int*>(std::as_const(*this).find(id)); }
    bool drop(Id id) { return find(id) != nullptr && entries_.erase(index(id)) == 1; }
    std::size_t drop_value(int value) {
        return std::erase_if(entries_, [&](const auto& each) { return each.second.value == value; });
    }
    void clear() { entries_.clear(); }
    std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        Id id;
        int value;
    };
    static std::uint32_t index(Id id) { return IdTraits<Id>::index(id); }
    static std::uint32_t version(Id id) {
        if constexpr (IdTraits<Id>::versioned)
            return IdTraits<Id>::version(id);
        else
            return 0;
    }
    std::map<std::uint32_t, Entry> entries_{};
};

/// The array of an EntityIndex: first the living ids, then the dead ones as they will live again.
template <class E>
struct Entities {
    std::vector<E> all{};
    std::size_t alive = 0;
    slot_t fresh = 0;
    std::size_t retired = 0;
    E create() {
        if (alive == all.size()) all.push_back(E(fresh++, 1));
        return all[alive++];
    }
    void destroy(std::size_t row) {
        std::swap(all[row], all[--alive]);
        E& id = all[alive];
        if (id.version() <= E::max_version - 2)
            id = E(id.index(), id.version() + 2);
        else {
            id = all.back();
            all.pop_back();
            ++retired;
        }
    }
};

template <class E>
class World {
public:
    explicit World(Input& in) {
        if (in.flip()) watch_.emplace(), watch_->follow(map_);
        if (in.flip()) group_.emplace(set_, map_);
        if (in.flip()) late_.emplace(), late_->follow(set_);
    }
    std::uint64_t run(Input& in) {
        std::uint64_t operations = 0;
        for (; !in.done(); ++operations) {
            step(in);
            check();
        }
        return operations;
    }

private:
    using Set = SparseSet<E>;
    using Map = SparseMap<E, Counted>;
    struct Watch {
        Mirror<E> mirror{};
        RowToken token{};
        template <class C>
        void follow(C& c) {
            mirror.of = &c;
            mirror.ids = [](const void* of) { return static_cast<const C*>(of)->ids(); };
            token = c.attach(mirror);
        }
    };

    E any_id(Input& in) {
        const std::size_t kind = in.below(8);
        if (kind < 6 && !issued_.empty()) return issued_[in.below(issued_.size())];
        return hostile_handle<E>(in, issued_.size());
    }
    void step(Input& in) {
        const std::size_t what = in.below(24);
        if (what < 4 || issued_.empty()) return create(in.below(4) == 0 ? in.below(20) : 1);
        const E id = any_id(in);
        const int value = static_cast<int>(in.below(6));
        switch (what) {
        case 4:
        case 5:
        case 6:
            return destroy(id);
        case 7:
        case 8:
            FUZZ_CHECK(set_.insert(id).inserted == set_model_.enter(id, 0));
            return;
        case 9:
        case 10:
            FUZZ_CHECK(map_.try_emplace(id, value).inserted == map_model_.enter(id, value));
            return;
        case 11: {
            int* const there = map_model_.find(id);
            const bool entered = there == nullptr && map_model_.enter(id, value);
            if (there != nullptr) *there = value;
            FUZZ_CHECK(map_.insert_or_assign(id, Counted(value)).inserted == entered);
            return;
        }
        case 12:
        case 13: {
            int* const there = switch_model_.find(id);
            const bool changes = there != nullptr ? std::exchange(*there, value) != value : switch_model_.enter(id, value);
            FUZZ_CHECK(switch_.set(id, value) == changes);
            return;
        }
        case 14:
            FUZZ_CHECK(set_.erase(id) == set_model_.drop(id));
            return;
        case 15:
            FUZZ_CHECK(map_.erase(id) == map_model_.drop(id));
            return;
        case 16:
            FUZZ_CHECK(switch_.erase(id) == switch_model_.drop(id));
            return;
        case 17:
            FUZZ_CHECK(switch_.erase_value(value) == switch_model_.drop_value(value));
            return;
        case 18:
            if (value == 0) set_.clear(), set_model_.clear();
            if (value == 1) map_.clear(), map_model_.clear();
            if (value == 2) switch_.clear(), switch_model_.clear();
            if (value > 2) set_.shrink_to_fit(), map_.shrink_to_fit(), switch_.shrink_to_fit(), entities_.shrink_to_fit();
            return;
        case 19:
            return order(value, in);
        case 20:
            return pass(value % 4);
        case 21:
            return revive(id);
        case 22:
            return hostile(entities_, in), hostile(switch_, in);
        default:
            return hostile(set_, in), hostile(map_, in);
        }
    }
    void create(std::size_t count) {
        if (model_.all.size() + count > 60) count = 0;
        std::vector<E> expected;
        for (std::size_t i = 0; i != count; ++i) expected.push_back(model_.create());
        const auto made =
            count == 1 ? std::span<const E>(&(issued_.emplace_back(entities_.create())), 1) : entities_.create_n(count);
        FUZZ_CHECK(std::equal(made.begin(), made.end(), expected.begin(), expected.end()));
        if (count != 1) issued_.insert(issued_.end(), expected.begin(), expected.end());
        for (const E id : expected) *entities_.location(id) = static_cast<int>(id.to_bits() % 1000);
    }
    void destroy(E id) {
        const slot_t row = entities_.row_of(id);
        FUZZ_CHECK(entities_.destroy(id) == (row != no_slot));
        if (row == no_slot) return;
        FUZZ_CHECK(row < model_.alive && model_.all[row] == id);
        model_.destroy(row);
        if (set_model_.drop(id)) set_.erase(id);
    }
    /// Exactly this id, if it may live.
    void revive(E id) {
        if (id.index() >= model_.fresh) return; // the model has no gaps
        for (std::size_t row = 0; row != model_.all.size(); ++row) {
            if (model_.all[row].index() != id.index()) continue;
            const bool lives = row < model_.alive;
            const bool may = lives ? model_.all[row] == id : id.version() % 2 == 1 && id.version() >= model_.all[row].version();
            FUZZ_CHECK(entities_.make_alive(id) == may);
            if (lives || !may) return;
            std::swap(model_.all[row], model_.all[model_.alive]);
            model_.all[model_.alive++] = id;
            issued_.push_back(id);
            *entities_.location(id) = static_cast<int>(id.to_bits() % 1000);
            return;
        }
        FUZZ_CHECK(!entities_.make_alive(id)); // retired
    }
    void order(int how, Input& in) {
        if (group_) return group_->sort([](E a, E b) { return b < a; });
        if (how == 0) set_.sort();
        if (how == 1) map_.sort_by_id();
        if (how == 2) map_.sort_like(set_);
        if (how == 3) static_cast<void>(align_prefix(set_, map_));
        if (how > 3 && !map_.empty()) map_.swap_rows(in.below(map_.size()), in.below(map_.size()));
    }
    /// Through copies, moves, swaps or snapshots. What follows stays, so that only some take part.
    void pass(int how) {
        const auto one = [how](auto& c) {
            using C = std::remove_reference_t<decltype(c)>;
            C other;
            if (how == 0)
                other = c;
            else if (how == 1)
                other = std::move(c);
            else if (how == 2)
                other.swap(c);
            else
                FUZZ_CHECK(other.try_restore(c.snapshot()) == nullptr);
            if (how == 1 || how == 2) FUZZ_CHECK(c.size() == 0 && c.check_invariants());
            if (how == 0 || how == 3) FUZZ_CHECK(other == c);
            if (how == 1 || how == 2)
                c = std::move(other);
            else
                c = other;
        };
        one(entities_), one(switch_), one(set_), one(map_);
    }
    template <class C>
    static void hostile(const C& c, Input& in) {
        auto bytes = c.snapshot();
        corrupt_snapshot(bytes, in);
        C other(c);
        if (other.try_restore(bytes) == nullptr)
            FUZZ_CHECK(other.snapshot() == bytes);
        else
            FUZZ_CHECK(other == c);
        FUZZ_CHECK(other.check_invariants());
    }

    void check() {
        FUZZ_CHECK(entities_.check_invariants() && set_.check_invariants() && map_.check_invariants() &&
                   switch_.check_invariants());
        FUZZ_CHECK(entities_.size() == model_.alive && entities_.retired() == model_.retired);
        FUZZ_CHECK(entities_.alive().size() + entities_.dead().size() == model_.all.size());
        for (std::size_t i = 0; i != model_.all.size(); ++i) {
            const E id = model_.all[i];
            FUZZ_CHECK((i < model_.alive ? entities_.alive()[i] : entities_.dead()[i - model_.alive]) == id);
            FUZZ_CHECK(entities_.is_alive(id) == (i < model_.alive));
            FUZZ_CHECK(i >= model_.alive || *entities_.location(id) == static_cast<int>(id.to_bits() % 1000));
        }
        FUZZ_CHECK(set_.size() == set_model_.size() && map_.size() == map_model_.size() &&
                   switch_.size() == switch_model_.size());
        std::size_t shared = 0;
        for (const E id : issued_) probe(id);
        for (const E id : set_.ids()) shared += map_.contains(id);
        for (const auto& [value, ids] : switch_)
            for (const E id : ids) FUZZ_CHECK(switch_model_.find(id) != nullptr && *switch_model_.find(id) == value);
        if (group_) {
            FUZZ_CHECK(group_->size() == shared);
            for (std::size_t row = 0; row != shared; ++row) FUZZ_CHECK(set_.id_at(row) == map_.id_at(row));
        }
        for (const auto& [watch, ids] : {std::pair(&watch_, map_.ids()), std::pair(&late_, set_.ids())})
            if (*watch)
                FUZZ_CHECK(std::equal(ids.begin(), ids.end(), (*watch)->mirror.rows.begin(), (*watch)->mirror.rows.end()));
    }
    void probe(E id) {
        FUZZ_CHECK(set_.contains(id) == (set_model_.find(id) != nullptr));
        const int* const value = map_model_.find(id);
        const Counted* const found = map_.get(id);
        FUZZ_CHECK((found != nullptr) == (value != nullptr) && (value == nullptr || found->value() == *value));
        const int* const state = switch_model_.find(id);
        FUZZ_CHECK((switch_.get(id) != nullptr) == (state != nullptr) && (state == nullptr || *switch_.get(id) == *state));
    }

    EntityIndex<E, int> entities_{};
    Set set_{};
    Map map_{};
    SwitchMap<E, int> switch_{};
    Entities<E> model_{};
    IdModel<E> set_model_{}, map_model_{}, switch_model_{};
    std::vector<E> issued_{};
    std::optional<Watch> watch_{}, late_{};
    std::optional<SparseGroup<Set, Map>> group_{};
};

} // namespace

#endif
