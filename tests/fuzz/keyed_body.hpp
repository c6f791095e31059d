// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets and maps with keys: SetStorage, MapStorage, AnySetStorage, AnyMapStorage. Two containers of one kind live side by side, each
// with a model; every answer of every call is foretold, down to the next handle.
#ifndef SLOTWISE_TESTS_FUZZ_KEYED_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_KEYED_BODY_HPP

#include "keyed_model.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/detail/table_index.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <memory>
#include <optional>
#include <unordered_set>

namespace {

using namespace test;

//=== what a container is asked for ===//

template <class M, class K, class V, bool Column = false>
struct Config {
    using map = M;
    using key = K;
    using value = V; // void: a set
    static constexpr bool has_column = Column;
    static constexpr bool is_any = std::is_same_v<typename M::hasher, AnySetStorage::hasher>;
    static map make() {
        if constexpr (is_any && std::is_void_v<V>)
            return map(TypeDescriptor::of<K>());
        else if constexpr (is_any)
            return map(TypeDescriptor::of<K>(), TypeDescriptor::of<V>());
        else
            return map();
    }
};

/// Notified of every slot like a column, and reads the keys.
template <class C>
class Follower final : public SlotObserver {
public:
    explicit Follower(const typename C::map& followed) : map(&followed) {}
    void on_capacity(slot_t old_slots, slot_t new_slots) override { book.on_capacity(old_slots, new_slots); }
    void on_insert(slot_t slot, InsertKind kind) override {
        book.on_insert(slot, kind);
        read(slot);
    }
    void on_remove(slot_t slot) noexcept override {
        read(slot);
        book.on_remove(slot);
    }
    void on_erase(slot_t slot) noexcept override {
        read(slot);
        book.on_erase(slot);
    }
    void on_reset() noexcept override { book.forget(); } // the last elements may go without another word

    Shadow book{};
    ObserverToken token{};
    const typename C::map* map;
    bool reads = true;

private:
    void read(slot_t slot) const noexcept {
        if (!reads) return;
        if constexpr (C::is_any)
            static_cast<void>(id_of(*static_cast<const typename C::key*>(map->key(slot))));
        else
            static_cast<void>(id_of(map->key(slot)));
    }
};

struct Refused {};
/// Refuses every insert but those that it is told of when it attaches.
struct Refuser final : SlotObserver {
    bool attached = false;
    void on_insert(slot_t, InsertKind) override {
        if (attached) raise<Refused>();
    }
};

//=== one container and its model ===//

template <class C>
class World {
    using Map = typename C::map;
    using Key = typename C::key;
    using Value = typename C::value;
    using H = typename Map::handle_type;
    static constexpr KeySetOptions O = Map::options;
    using Model = KeyedModel<H, O, Map::max_size()>;
    using Way = typename Model::Way;
    using Is = typename Model::Is;
    static constexpr bool is_any = C::is_any;
    static constexpr bool has_values = !std::is_void_v<Value>;
    static constexpr bool has_column = C::has_column;
    static constexpr bool has_iterators = requires(Map& map) { map.keys(); };
    static constexpr bool has_merge = requires(Map& map) { map.merge(map); };
    static constexpr slot_t slot_count = Model::slot_count;

public:
    World() = default;
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// One operation. `other` may take part.
    void step(Input& in, World& other) {
        ++now_;
        const unsigned kind = in.byte() & 127u, id = in.byte();
        if (kind < 38)
            insert(id, kind);
        else if (kind < 40)
            settle(id, in);
        else if (kind < 64)
            erase(id, kind, in);
        else
            seldom(kind, id, in, other);
        check_key(id);
        probe(in.byte());
        if (model_.size() + model_.pending().size() <= 12 && map_.capacity() <= 64 && now_ % 4 == 0)
            FUZZ_CHECK(map_.check_invariants());
        if (now_ % 16 == 0) check();
    }
    /// Everything there is to say.
    void check() {
        FUZZ_CHECK(map_.check_invariants());
        FUZZ_CHECK(map_.size() == model_.size() && map_.empty() == (model_.size() == 0));
        FUZZ_CHECK(map_.pending() == model_.pending().size() && map_.retired() == model_.retired());
        FUZZ_CHECK(map_.capacity() >= model_.used() && map_.capacity() <= Map::max_size());
        std::size_t at = 0;
        map_.for_each_pending([&](slot_t slot) { FUZZ_CHECK(at < model_.pending().size() && model_.pending()[at++] == slot); });
        for (slot_t slot = 0; slot != slot_count; ++slot) {
            const Is is = model_[slot].is;
            const SlotState state = map_.state(slot);
            FUZZ_CHECK(state == (is == Is::live       ? SlotState::live
                                 : is == Is::waiting  ? SlotState::pending
                                 : is == Is::retired  ? SlotState::retired
                                 : is == Is::reserved ? SlotState::reserved
                                                      : SlotState::free));
            if (model_.is_stored(slot)) check_slot(slot);
        }
        for (unsigned id = 0; id != key_count; ++id) FUZZ_CHECK(map_.slot_of(ask(id)) == model_.live_of(id));
        slot_t expected = model_.next_live(0);
        for (const slot_t slot : map_.slots()) {
            FUZZ_CHECK(slot == expected);
            expected = model_.next_live(std::size_t{slot} + 1);
        }
        FUZZ_CHECK(expected == no_slot);
        for (const auto& each : followers_) {
            FUZZ_CHECK(each->book.live() == model_.size() && each->book.removed() == model_.pending().size());
            FUZZ_CHECK(each->book.capacity() == map_.capacity());
            for (slot_t slot = 0; slot != slot_count; ++slot)
                FUZZ_CHECK(each->book[slot] == (model_[slot].is == Is::live      ? Shadow::Is::live
                                                : model_[slot].is == Is::waiting ? Shadow::Is::removed
                                                                                 : Shadow::Is::gone));
        }
        walk(now_ / 16);
    }
    /// At the end: also every handle that was ever given out.
    void check_all() {
        check();
        for (const H handle : model_.issued()) check_handle(handle);
        for (unsigned way = 0; way != 8; ++way) walk(way);
    }

private:
    //=== asking ===//

    static const Key& key(unsigned id) { return key_of<Key>(id); }
    static decltype(auto) ask(unsigned id) {
        if constexpr (is_any)
            return static_cast<const void*>(&key(id));
        else
            return (key(id));
    }
    const Key& key_at(slot_t slot) const {
        if constexpr (is_any)
            return *static_cast<const Key*>(map_.key(slot));
        else
            return map_.key(slot);
    }
    unsigned value_at(slot_t slot) const {
        if constexpr (!has_values)
            return 0;
        else if constexpr (is_any)
            return number_of(*static_cast<const Value*>(map_.value(slot)));
        else
            return number_of(map_.value(slot));
    }
    const void* place_of(slot_t slot) const {
        if constexpr (!has_values)
            return nullptr;
        else if constexpr (is_any)
            return map_.value(slot);
        else
            return &map_.value(slot);
    }
    static std::uint32_t column_of(H handle) { return handle.version() * 1000 + handle.index(); }
    bool has(unsigned id) const { return model_.live_of(id) != no_slot; }

    //=== checks ===//

    void check_slot(slot_t slot) const {
        const auto& here = model_[slot];
        const Key& stored = key_at(slot);
        FUZZ_CHECK(&stored == here.key && id_of(stored) == here.id);
        if constexpr (has_values) FUZZ_CHECK(place_of(slot) == here.place && value_at(slot) == here.value);
        if constexpr (has_column) FUZZ_CHECK(map_.template observer<0>()[slot] == here.column);
    }
    void check_key(unsigned id) const {
        const slot_t slot = model_.live_of(id);
        const bool there = slot != no_slot;
        FUZZ_CHECK(map_.slot_of(ask(id)) == slot && map_.contains(ask(id)) == there);
        FUZZ_CHECK(map_.handle_of(ask(id)) == (there ? model_.handle(slot) : H()));
        FUZZ_CHECK(model_.is_any_of(map_.slot_of_any(ask(id)), id));
        if (there) check_slot(slot);
        if constexpr (has_iterators) {
            const auto it = map_.find(ask(id));
            FUZZ_CHECK((it != map_.end()) == there && it.slot() == slot);
            if (there) FUZZ_CHECK(it.handle() == model_.handle(slot) && map_.find(it.handle()) == it);
        }
        if constexpr (!is_any && std::is_unsigned_v<Key>) { // numbers of another type, which fit or are no member
            using Other = std::conditional_t<sizeof(Key) == 8, std::int64_t, std::uint64_t>;
            const bool fits = sizeof(Key) < 8 || key(id) <= static_cast<Key>(INT64_MAX);
            FUZZ_CHECK(map_.contains(static_cast<Other>(key(id))) == (fits && there));
            FUZZ_CHECK(!map_.contains(~static_cast<Other>(key(id) >> 1))); // negative, or beyond 32 bits
        }
        if constexpr (has_values) {
            const auto* const value = std::as_const(map_).get(ask(id));
            FUZZ_CHECK(value == (there ? model_[slot].place : nullptr));
            if constexpr (!is_any)
                if (there) FUZZ_CHECK(&map_.at(key(id)) == value);
        }
        if constexpr (std::is_same_v<Key, std::string> && requires { map_.slot_of(std::string_view()); })
            FUZZ_CHECK(map_.slot_of(std::string_view(key(id))) == slot);
        if constexpr (std::is_same_v<Key, Counted> && !is_any) FUZZ_CHECK(map_.slot_of(static_cast<int>(id)) == slot);
    }
    void check_handle(H handle) const {
        const bool there = model_.resolves(handle);
        const slot_t slot = handle.index();
        FUZZ_CHECK(map_.contains(handle) == there);
        FUZZ_CHECK(map_.explain(handle) == model_.status(handle, map_.capacity()));
        FUZZ_CHECK(static_cast<const void*>(map_.key(handle)) == (there ? model_[slot].key : nullptr));
        if constexpr (has_values) FUZZ_CHECK(std::as_const(map_).get(handle) == (there ? model_[slot].place : nullptr));
        if constexpr (has_iterators) {
            FUZZ_CHECK((map_.keys().get(handle) != nullptr) == there);
            if constexpr (has_values) FUZZ_CHECK((map_.values().get(handle) != nullptr) == there);
        }
        if (slot < slot_count) FUZZ_CHECK(map_.handle_at(slot) == (model_[slot].is == Is::live ? model_.handle(slot) : H()));
    }
    void probe(unsigned dice) {
        const auto& issued = model_.issued();
        if (issued.empty()) return;
        check_handle(issued[(dice * 0x9E37u + now_ * 31u) % issued.size()]);
        check_handle(issued[now_ % issued.size()]);
    }
    /// The elements in slot order, met one way or another.
    void walk(std::size_t way) {
        slot_t expected = model_.next_live(0);
        const auto meet = [&](slot_t slot) {
            FUZZ_CHECK(slot == expected);
            expected = model_.next_live(std::size_t{slot} + 1);
        };
        const auto meet_key = [&](const Key& met) {
            FUZZ_CHECK(expected != no_slot && &met == model_[expected].key);
            meet(expected);
        };
        const auto meet_address = [&](const void* met) { meet_key(*static_cast<const Key*>(met)); };
        if constexpr (is_any) {
            const auto meet_item = [&](const void* met, const void* value) {
                FUZZ_CHECK(expected != no_slot && value == model_[expected].place);
                meet_address(met);
            };
            const auto& constant = std::as_const(map_);
            switch (way % 4) {
            case 0:
                if constexpr (has_values)
                    constant.for_each(meet_item);
                else
                    constant.for_each(meet_address);
                break;
            case 1:
                for (auto it = map_.begin(); it != map_.end(); ++it) {
                    FUZZ_CHECK(it.handle() == model_.handle(it.slot()));
                    if constexpr (has_values)
                        meet_item((*it).key, (*it).value);
                    else
                        meet_address(*it);
                }
                break;
            case 2:
                if constexpr (has_values)
                    for (const auto [met, value] : constant) meet_item(met, value);
                else
                    constant.for_each([&](H handle, const void* met) {
                        FUZZ_CHECK(handle == model_.handle(handle.index()));
                        meet_address(met);
                    });
                break;
            default:
                for (const void* const met : constant.keys()) meet_address(met);
                break;
            }
        } else if constexpr (has_values) {
            switch (way % 8) {
            case 0:
                for (auto it = map_.begin(); it != map_.end(); ++it) {
                    FUZZ_CHECK(&it->value == model_[it.slot()].place && it.handle() == model_.handle(it.slot()));
                    meet(it.slot());
                }
                backwards(map_);
                backwards(map_view_);
                break;
            case 1:
                for (const auto [met, value] : std::as_const(map_).items()) meet_key(met);
                break;
            case 2:
                map_.for_each([&](H handle, const Key& met, Value& value) {
                    FUZZ_CHECK(handle == model_.handle(handle.index()) && &value == model_[handle.index()].place);
                    meet_key(met);
                });
                break;
            case 3: {
                const auto values = map_.values();
                for (auto it = values.begin(); it != values.end(); ++it) {
                    FUZZ_CHECK(&*it == model_[it.slot()].place);
                    meet(it.slot());
                }
                break;
            }
            case 4:
                for (const auto chunk : map_.values().chunks())
                    chunk.live.for_each([&](slot_t bit) {
                        FUZZ_CHECK(&chunk.values[bit] == model_[chunk.first + bit].place);
                        meet(chunk.first + bit);
                    });
                break;
            case 5:
                zip_columns(
                    [&](slot_t slot, const Key& met, Value&) {
                        FUZZ_CHECK(&met == model_[slot].key);
                        meet(slot);
                    },
                    map_.keys(), map_.values());
                break;
            case 6:
                for (auto it = map_view_.begin(); it != map_view_.end(); ++it) meet(it.slot());
                FUZZ_CHECK(map_view_.size() == model_.size());
                break;
            default:
                map_view_.for_each([&](const Key& met, const Value&) { meet_key(met); });
                FUZZ_CHECK(map_view_.empty() == (model_.size() == 0));
                for (unsigned id = 0; id < key_count; id += 17) {
                    FUZZ_CHECK(map_view_.get(key(id)) == (has(id) ? model_[model_.live_of(id)].place : nullptr));
                    FUZZ_CHECK(map_view_.contains(key(id)) == has(id) && map_view_.count(key(id)) == has(id));
                    const unsigned value = has(id) ? model_[model_.live_of(id)].value : 77;
                    FUZZ_CHECK(number_of(map_view_.value_or(key(id), made_from<Value>(77))) == value);
                    FUZZ_CHECK(number_of(std::as_const(map_).value_or(key(id), made_from<Value>(77))) == value);
                    FUZZ_CHECK(map_.count(key(id)) == has(id));
                }
                break;
            }
        } else {
            switch (way % 8) {
            case 0:
                for (auto it = map_.begin(); it != map_.end(); ++it) {
                    FUZZ_CHECK(it.handle() == model_.handle(it.slot()));
                    meet(it.slot());
                }
                backwards(map_);
                break;
            case 1:
                map_.for_each([&](const Key& met) { meet_key(met); });
                break;
            case 2:
                map_.for_each([&](H handle, const Key& met) {
                    FUZZ_CHECK(handle == model_.handle(handle.index()));
                    meet_key(met);
                });
                break;
            case 3:
                map_.keys().for_each([&](slot_t slot, const Key&) { meet(slot); });
                break;
            case 4:
                for (const auto chunk : map_.keys().chunks()) chunk.live.for_each([&](slot_t bit) { meet(chunk.first + bit); });
                break;
            case 5:
                for (const Key& met : set_view_) meet_key(met);
                break;
            case 6:
                for (const slot_t slot : set_view_.slots()) meet(slot);
                FUZZ_CHECK(set_view_.size() == model_.size());
                break;
            default:
                set_view_.for_each([&](const Key& met) { meet_key(met); });
                FUZZ_CHECK(set_view_.empty() == (model_.size() == 0));
                for (unsigned id = 0; id < key_count; id += 17) {
                    FUZZ_CHECK(set_view_.slot_of(key(id)) == model_.live_of(id) && map_.count(key(id)) == has(id));
                    FUZZ_CHECK(set_view_.contains(key(id)) == has(id) && set_view_.count(key(id)) == has(id));
                }
                break;
            }
        }
        FUZZ_CHECK(expected == no_slot);
        if constexpr (has_column)
            map_.template column<0>().for_each(
                [&](slot_t slot, std::uint32_t value) { FUZZ_CHECK(value == model_[slot].column); });
    }

    template <class Range>
    void backwards(Range& range) const {
        slot_t above = no_slot;
        for (auto it = range.end(); it != range.begin();) {
            --it;
            FUZZ_CHECK(it.slot() < above && model_.next_live(std::size_t{it.slot()} + 1) == above);
            above = it.slot();
        }
        FUZZ_CHECK(above == model_.next_live(0));
    }

    //=== inserting ===//

    using Result = InsertResult<typename Map::const_iterator>;
    struct Put {
        Result result;
        unsigned value; // of a new element
        bool assigns;   // also to one that was there
    };
    /// What operator[] would say, if it said anything.
    Result as_expected(unsigned id) const {
        const auto expected = model_.expect(id);
        return {map_.find(ask(id)), expected.way != Way::found,
                expected.way == Way::again ? InsertKind::resurrected : InsertKind::fresh};
    }
    Put put(unsigned id, unsigned how, unsigned value) {
        if constexpr (is_any && !has_values) {
            if (how % 2 == 0) return {map_.insert(&key(id)), 0, false};
            Key moved_key = key(id);
            const InsertResult result = map_.insert_moved(&moved_key);
            if (!result.inserted) FUZZ_CHECK(moved_key == key(id));
            return {result, 0, false};
        } else if constexpr (is_any) {
            const Value made = made_from<Value>(value);
            switch (how % 4) {
            case 0:
                return {map_.insert(&key(id), &made), value, false};
            case 1: {
                Key moved_key = key(id);
                Value moved = made;
                const InsertResult result = map_.insert_moved(&moved_key, &moved);
                if (!result.inserted) FUZZ_CHECK(moved_key == key(id) && moved == made);
                return {result, value, false};
            }
            case 2:
                return {map_.insert_or_assign(&key(id), &made), value, true};
            default:
                return {map_.insert(&key(id), nullptr), 0, false};
            }
        } else if constexpr (has_values) {
            switch (how % 8) {
            case 0:
                return {map_.try_emplace(key(id), made_from<Value>(value)), value, false};
            case 1:
                return {map_.insert(Key(key(id)), made_from<Value>(value)), value, false};
            case 2:
                return {map_.insert({key(id), made_from<Value>(value)}), value, false};
            case 3: {
                Value made = made_from<Value>(value);
                const InsertResult result = map_.emplace(key(id), std::move(made));
                if (!result.inserted) FUZZ_CHECK(number_of(made) == value); // nothing is made of the arguments
                return {result, value, false};
            }
            case 4:
                return {map_.insert_or_assign(key(id), made_from<Value>(value)), value, true};
            case 5: {
                Value& here = map_[key(id)];
                if (!has(id)) FUZZ_CHECK(here == Value());
                here = made_from<Value>(value);
                return {as_expected(id), value, true};
            }
            case 6:
                if constexpr (std::is_same_v<Key, std::string>)
                    return {map_.try_emplace(std::string_view(key(id)), made_from<Value>(value)), value, false};
                else
                    return {map_.insert_or_assign(Key(key(id)), made_from<Value>(value)), value, true};
            default:
                return {map_.try_emplace(key(id)), 0, false};
            }
        } else {
            switch (how % 4) {
            case 0:
                return {map_.insert(key(id)), 0, false};
            case 1: {
                Key made = key(id);
                const InsertResult result = map_.insert(std::move(made));
                if (!result.inserted) FUZZ_CHECK(made == key(id));
                return {result, 0, false};
            }
            case 2:
                return {map_.emplace(key(id)), 0, false};
            default:
                if constexpr (std::is_same_v<Key, std::string>)
                    return {map_.insert(std::string_view(key(id))), 0, false};
                else if constexpr (std::is_same_v<Key, Counted>)
                    return {map_.insert(static_cast<int>(id)), 0, false};
                else
                    return {map_.emplace(Key(key(id))), 0, false};
            }
        }
    }
    /// The container has inserted: was it as foretold?
    void entered(unsigned id, const typename Model::Outcome& expected, const Result& result, unsigned value) {
        FUZZ_CHECK(result.it.slot() == expected.slot && result.inserted == (expected.way != Way::found));
        FUZZ_CHECK((result.kind == InsertKind::resurrected) == (expected.way == Way::again));
        if (expected.way == Way::found) return;
        const H handle = map_.handle_at(result.it.slot());
        model_.enter(id, expected, handle, value, now_);
        auto& here = model_[result.it.slot()];
        if (expected.way == Way::again)
            FUZZ_CHECK(here.key == &key_at(result.it.slot()) && here.place == place_of(result.it.slot()));
        here.key = &key_at(result.it.slot());
        here.place = place_of(result.it.slot());
        column_anew(result.it.slot());
    }
    void column_anew(slot_t slot) {
        if constexpr (has_column) {
            auto& column = map_.template observer<0>()[slot];
            FUZZ_CHECK(column == 0);
            column = model_[slot].column = column_of(model_.handle(slot));
        }
    }
    void insert(unsigned id, unsigned how) {
        const auto expected = model_.expect(id);
        if (expected.way == Way::full) return full(id, how);
        const Put put_in = put(id, how, ++next_value_);
        entered(id, expected, put_in.result, put_in.value);
        if (expected.way == Way::found && put_in.assigns) model_[expected.slot].value = next_value_;
    }
    void full(unsigned id, unsigned how) {
        const std::size_t retired = model_.retired();
        const slot_t reserved = model_.any_reserved(static_cast<slot_t>(how));
        if (how % 8 == 0) {
            FUZZ_CHECK(refuses<std::length_error>([&] { put(id, how, 1); }));
        } else if (reserved != no_slot) {
            FUZZ_CHECK(map_.cancel(model_.handle(reserved)));
            model_.cancel(reserved);
        } else if (retired > Model::limit / 2) {
            FUZZ_CHECK(map_.recycle_retired() == model_.recycle());
        } else {
            map_.flush_removed();
            model_.flush();
        }
    }
    /// Arguments that refer to keys and values of this very container.
    void insert_own(unsigned id, unsigned how) {
        const auto expected = model_.expect(id);
        if (expected.way == Way::full) return;
        const slot_t from = model_.next_live(how * 7u % slot_count);
        const slot_t source = how % 3 == 0 && !model_.pending().empty() ? model_.pending()[how % model_.pending().size()]
                              : from != no_slot                         ? from
                                                                        : model_.next_live(0);
        if (source == no_slot) return;
        const unsigned own_id = model_[source].id, own_value = model_[source].value;
        if constexpr (has_values) {
            if constexpr (is_any) {
                entered(id, expected, map_.insert(&key(id), map_.value(source)), own_value);
            } else if (how % 2 == 0) {
                entered(id, expected, map_.insert_or_assign(key(id), std::as_const(map_).value(source)), own_value);
                if (expected.way == Way::found) model_[expected.slot].value = own_value;
            } else
                entered(id, expected, map_.try_emplace(key(id), std::as_const(map_).value(source)), own_value);
        }
        // The element's own key, and its own value: there it stays, removed it lives again.
        const auto again = model_.expect(own_id);
        if (again.way == Way::full) return;
        const slot_t own = again.way == Way::again ? again.slot : source;
        const unsigned kept = model_[own].value;
        if (!model_.is_stored(own) || model_[own].id != own_id) return;
        if constexpr (is_any && has_values)
            entered(own_id, again, map_.insert(map_.key(own), map_.value(own)), kept);
        else if constexpr (has_values)
            entered(own_id, again, map_.try_emplace(map_.key(own), std::as_const(map_).value(own)), kept);
        else
            entered(own_id, again, map_.insert(map_.key(own)), 0);
    }

    //=== erasing ===//

    void erase(unsigned id, unsigned how, Input& in) {
        const slot_t slot = model_.live_of(id);
        const bool there = slot != no_slot;
        switch (how % 8) {
        case 0: {
            const H handle = any_handle(in);
            const bool resolves = model_.resolves(handle);
            if (how != 40) return erase_reserved(resolves || !there ? handle : model_.handle(slot), how == 48);
            FUZZ_CHECK(map_.erase(handle) == resolves);
            if (resolves) model_.leave(handle.index());
            return;
        }
        case 1:
            FUZZ_CHECK(map_.erase(there ? model_.handle(slot) : H()) == there);
            break;
        case 2:
            if constexpr (has_iterators) {
                if (!there) return;
                FUZZ_CHECK(map_.erase(map_.find(ask(id))).slot() == model_.next_live(std::size_t{slot} + 1));
                break;
            }
            [[fallthrough]];
        case 3: // by a reference to the very key
            FUZZ_CHECK(map_.erase(there ? address_or_key(slot) : ask(id)) == there);
            break;
        case 4:
            if constexpr (O.deferred_erase) {
                FUZZ_CHECK(map_.remove(there ? model_.handle(slot) : H()) == there);
                break;
            }
            [[fallthrough]];
        case 5:
            if constexpr (std::is_same_v<Key, std::string> && requires { map_.erase(std::string_view()); }) {
                FUZZ_CHECK(map_.erase(std::string_view(key(id))) == there);
                break;
            }
            [[fallthrough]];
        case 6:
            check_taken(id, map_.extract(ask(id)));
            break;
        default:
            FUZZ_CHECK(map_.erase(ask(id)) == there);
            break;
        }
        if (there) model_.leave(slot);
    }
    /// The handle may come back, by settle().
    void erase_reserved(H handle, bool take) {
        const bool resolves = model_.resolves(handle);
        if (take && resolves) {
            for (const auto& each : followers_) each->reads = false; // the key has moved when they are notified
            check_taken(model_[handle.index()].id, map_.extract_reserved(handle));
            for (const auto& each : followers_) each->reads = true;
        } else
            FUZZ_CHECK(map_.erase_reserved(handle) == resolves);
        if (resolves) model_.keep(handle.index());
    }
    bool fulfill(H handle, unsigned id, unsigned value) {
        if constexpr (is_any && has_values) {
            Value made = made_from<Value>(value);
            if (value % 2 == 0) return map_.fulfill(handle, &key(id), &made) != nullptr;
            Key moved = key(id);
            return map_.fulfill_moved(handle, &moved, &made) != nullptr;
        } else if constexpr (is_any)
            return map_.fulfill(handle, &key(id)) != nullptr;
        else if constexpr (has_values)
            return map_.fulfill(handle, key(id), made_from<Value>(value)) != nullptr;
        else
            return map_.fulfill(handle, key(id)) != nullptr;
    }
    /// A handle that may be reserved gets an element again, or is given up.
    void settle(unsigned id, Input& in) {
        const slot_t slot = model_.any_reserved(static_cast<slot_t>(id));
        const H handle = slot == no_slot || in.byte() % 8 == 0 ? any_handle(in) : model_.handle(slot);
        const bool reserved = model_.is_reserved(handle);
        const unsigned what = in.byte();
        if (what % 4 == 0) {
            FUZZ_CHECK(map_.cancel(handle) == reserved);
            if (reserved) model_.cancel(handle.index());
            FUZZ_CHECK(!map_.cancel(handle));
            return;
        }
        const unsigned value = ++next_value_;
        const bool comes = reserved && !has(id);
        FUZZ_CHECK(fulfill(handle, id, value) == comes);
        FUZZ_CHECK(map_.explain(handle) == (comes ? HandleStatus::live : model_.status(handle, map_.capacity())));
        if (!comes) return;
        model_.come_back(handle.index(), id, has_values ? value : 0, now_);
        model_[handle.index()].key = &key_at(handle.index());
        model_[handle.index()].place = place_of(handle.index());
        column_anew(handle.index());
    }
    decltype(auto) address_or_key(slot_t slot) const { return map_.key(slot); }
    template <class Taken>
    void check_taken(unsigned id, const Taken& taken) const {
        FUZZ_CHECK(taken.has_value() == has(id));
        if (!has(id)) return;
        if constexpr (is_any && has_values)
            FUZZ_CHECK(taken->first.template as<Key>() == key(id) &&
                       number_of(taken->second.template as<Value>()) == model_[model_.live_of(id)].value);
        else if constexpr (is_any)
            FUZZ_CHECK(taken.template as<Key>() == key(id));
        else if constexpr (has_values)
            FUZZ_CHECK(taken->first == key(id) && number_of(taken->second) == model_[model_.live_of(id)].value);
        else
            FUZZ_CHECK(*taken == key(id));
    }
    H any_handle(Input& in) {
        const auto& issued = model_.issued();
        H handle = in.flip() || issued.empty() ? hostile_handle<H>(in, slot_count) : issued[in.number(2) % issued.size()];
        if constexpr (O.handle.user_bits != 0) // lookups ignore them
            handle = handle.with_user_bits(in.byte() & ((std::uint64_t{1} << O.handle.user_bits) - 1));
        return handle;
    }
    static bool goes(slot_t slot, unsigned dice) { return (slot * 5 + dice) % 4 == 0; }
    void erase_some(unsigned dice) {
        std::size_t count = 0;
        std::vector<slot_t> gone;
        for (slot_t slot = model_.next_live(0); slot != no_slot; slot = model_.next_live(std::size_t{slot} + 1))
            if (goes(slot, dice)) gone.push_back(slot);
        if constexpr (is_any && has_values) {
            if (dice % 2 == 0)
                map_.for_each([&](const void* met, void*) {
                    if (goes(map_.slot_of(met), dice)) count += map_.erase(met);
                });
            else
                count = map_.erase_if([&](H handle, const void*, void*) { return goes(handle.index(), dice); });
        } else if constexpr (is_any) {
            count = dice % 2 == 0 ? map_.erase_if([&](const void* met) { return goes(map_.slot_of(met), dice); })
                                  : map_.erase_if([&](H handle, const void*) { return goes(handle.index(), dice); });
        } else if (dice % 2 == 0) {
            const auto erase_it = [&](H handle) { // f may erase the element it is given
                if (goes(handle.index(), dice)) count += map_.erase(handle);
            };
            if constexpr (has_values)
                map_.for_each([&](H handle, const Key&, Value&) { erase_it(handle); });
            else
                map_.for_each([&](H handle, const Key&) { erase_it(handle); });
        } else if constexpr (has_values)
            count = map_.erase_if([&](H handle, const Key&, Value&) { return goes(handle.index(), dice); });
        else
            count = map_.erase_if([&](const Key& met) { return goes(map_.slot_of(met), dice); });
        FUZZ_CHECK(count == gone.size());
        for (const slot_t slot : gone) model_.leave(slot);
    }

    //=== everything else ===//

    void seldom(unsigned kind, unsigned id, Input& in, World& other) {
        if (kind < 68)
            erase_some(id);
        else if (kind < 72) {
            map_.flush_removed();
            model_.flush();
        } else if (kind < 74) {
            held_.reset();
            map_.clear();
            model_.clear();
        } else if (kind < 75) {
            held_.reset();
            map_.reset();
            if (model_.reset()) FUZZ_CHECK(map_.capacity() == 0);
        } else if (kind < 77) {
            const std::size_t before = map_.capacity();
            map_.shrink_to_fit();
            model_.shrink();
            FUZZ_CHECK(map_.capacity() <= before);
        } else if (kind < 79)
            reserve(id);
        else if (kind < 80)
            FUZZ_CHECK(map_.recycle_retired() == model_.recycle());
        else if (kind < 86)
            whole(kind, id, other);
        else if (kind < 89)
            restore(id, other);
        else if (kind < 93)
            restore_hostile(in);
        else if (kind < 97)
            observe(id);
        else if (kind < 102)
            hold(id);
        else if (kind < 106)
            insert_own(id, kind + id);
        else if (kind < 110)
            write(id, kind);
        else if (kind < 112)
            merge(other);
        else if (kind < 114)
            compare(other);
        else if (kind < 118) {
            for (unsigned i = 0; i != 4; ++i) check_handle(any_handle(in));
        } else if (kind < 122) {
            for (unsigned i = 0, count = in.byte() % 48u; i != count; ++i) insert((id + i) % key_count, i + kind);
        } else if (kind < 125) {
            for (unsigned i = 0, count = in.byte() % 48u; i != count; ++i) erase((id + i) % key_count, 7, in);
        } else if (kind == 125)
            absent(id);
        else if (kind == 126)
            wear(id, in, other);
        else
            in.flip() ? refused(id, in.byte()) : ranges(id);
    }
    /// One key comes and goes until its slot is spent: then it has a pending element beside the live one.
    void wear(unsigned id, Input& in, World& other) {
        for (unsigned round = 2 + in.byte() % 8u; round != 0; --round) {
            insert(id, round);
            erase(id, 7, in);
        }
        if (in.flip()) insert(id, 0);
        restore(in.byte(), other);
    }
    /// An observer refuses the element, and nothing has happened; but one that would have lived again is gone.
    void refused([[maybe_unused]] unsigned id, [[maybe_unused]] unsigned how) {
#if SLOTWISE_EXCEPTIONS
        const auto expected = model_.expect(id);
        if (expected.way == Way::found || expected.way == Way::full) return;
        {
            Refuser refuser;
            const auto token = map_.attach(refuser);
            refuser.attached = true;
            FUZZ_CHECK(refuses<Refused>([&] { put(id, how, 1); }));
        }
        if (expected.way == Way::again) model_.lose(expected.slot);
        check();
#endif
    }
    /// Elements that come as a range, the same as one by one.
    void ranges([[maybe_unused]] unsigned id) {
        if constexpr (!is_any) {
            using Stored = std::conditional_t<has_values, Value, int>; // a pair of void does not compile
            std::vector<std::conditional_t<has_values, std::pair<Key, Stored>, Key>> items;
            Map singly = C::make();
            for (unsigned i = 0; i != 5; ++i) {
                const unsigned each = (id + i / 2 * 3) % key_count; // some twice: the first one counts
                if constexpr (has_values) {
                    items.emplace_back(key(each), made_from<Value>(i));
                    singly.try_emplace(key(each), made_from<Value>(i));
                } else {
                    items.push_back(key(each));
                    singly.insert(key(each));
                }
            }
            const Map built(items.begin(), items.end());
            Map inserted = C::make(), whole = C::make();
            inserted.insert(items.begin(), items.end());
            whole.insert_range(items);
            FUZZ_CHECK(built == singly && inserted == singly && whole == singly && singly.size() == 3);
            FUZZ_CHECK(built.handle_of(key(id)) == singly.handle_of(key(id)) && built.check_invariants());
            using std::swap;
            swap(inserted, whole);
            whole.clear();
            FUZZ_CHECK(inserted == singly && !(whole == singly) && inserted.check_invariants());
        }
    }
    void reserve(unsigned more) {
        const std::size_t count = model_.size() + more % 100, unusable = model_.used() - model_.size();
        if (count + unusable > Map::max_size())
            FUZZ_CHECK(refuses<std::length_error>([&] { map_.reserve(count); }));
        else {
            map_.reserve(count);
            FUZZ_CHECK(map_.capacity() >= count + unusable);
        }
    }
    void absent(unsigned id) {
        if constexpr (has_values) {
            if (!has(id)) FUZZ_CHECK(refuses<std::out_of_range>([&] { static_cast<void>(map_.at(ask(id))); }));
            if constexpr (!is_any) FUZZ_CHECK(refuses<std::out_of_range>([&] { static_cast<void>(map_.at(H())); }));
        }
    }
    /// A value written in one of the ways there are.
    void write(unsigned id, unsigned how) {
        if (!has(id)) return;
        if constexpr (has_values) {
            const slot_t slot = model_.live_of(id);
            const Value made = made_from<Value>(++next_value_);
            if constexpr (is_any)
                *static_cast<Value*>(how % 2 == 0 ? map_.at(ask(id)) : map_.get(model_.handle(slot))) = made;
            else
                switch (how % 4) {
                case 0:
                    map_.at(key(id)) = made;
                    break;
                case 1:
                    map_.at(model_.handle(slot)) = made;
                    break;
                case 2:
                    map_.find(ask(id))->value = made;
                    break;
                default:
                    map_.values()[slot] = made;
                    break;
                }
            model_[slot].value = next_value_;
        }
    }
    /// An iterator held over all that happens: ++ goes on to the next element that was there all along. Newcomers may be met.
    void hold(unsigned dice) {
        if constexpr (has_iterators) {
            if (!held_) {
                const slot_t slot = model_.next_live(dice);
                if (slot == no_slot) return;
                held_ = std::as_const(map_).find(ask(model_[slot].id));
                held_since_ = now_;
                return;
            }
            const slot_t from = held_->slot();
            if (from == no_slot) return held_.reset();
            const slot_t to = (++*held_).slot();
            FUZZ_CHECK(to > from && (to == no_slot || model_[to].is == Is::live));
            for (slot_t slot = model_.next_live(std::size_t{from} + 1); slot < to;
                 slot = model_.next_live(std::size_t{slot} + 1))
                FUZZ_CHECK(model_[slot].born > held_since_);
            if (to == no_slot) return held_.reset();
            FUZZ_CHECK(&key_at(held_->slot()) == model_[to].key);
            if constexpr (is_any && has_values)
                FUZZ_CHECK((**held_).key == model_[to].key);
            else if constexpr (is_any)
                FUZZ_CHECK(**held_ == model_[to].key);
            else if constexpr (has_values)
                FUZZ_CHECK(&(*held_)->key == model_[to].key);
            else
                FUZZ_CHECK(&**held_ == model_[to].key);
        }
    }
    void observe(unsigned dice) {
        if (dice % 3 != 0 && followers_.size() < 3) {
            auto follower = std::make_unique<Follower<C>>(map_);
            follower->token = map_.attach(*follower);
            followers_.push_back(std::move(follower));
        } else if (!followers_.empty())
            followers_.erase(followers_.begin() + static_cast<std::ptrdiff_t>(dice % followers_.size()));
    }

    //=== as a whole ===//

    /// The contents lie elsewhere now.
    void moved_in() {
        held_.reset();
        model_.for_each_stored([&](slot_t slot) {
            model_[slot].key = &key_at(slot);
            model_[slot].place = place_of(slot);
        });
        check();
    }
    /// The key with the default value.
    static auto insert_default(Map& map, unsigned id) {
        if constexpr (is_any && has_values)
            return map.insert(&key(id), nullptr);
        else if constexpr (is_any)
            return map.insert(&key(id));
        else if constexpr (has_values)
            return map.try_emplace(key(id));
        else
            return map.insert(key(id));
    }
    /// A copy, or what a snapshot became: equal, and with the same future.
    void check_twin(Map& twin, unsigned id) {
        FUZZ_CHECK(twin == map_ && twin.size() == map_.size() && twin.check_invariants());
        while (has(id) && id != key_count - 1) ++id;
        const auto expected = model_.expect(id);
        if (has(id) || expected.way == Way::full) return;
        Map& mine = map_;
        const auto into = [&](Map& map) { return insert_default(map, id); };
        const InsertResult there = into(twin), here = into(mine);
        FUZZ_CHECK(there.it.slot() == here.it.slot() && twin.handle_at(there.it.slot()) == mine.handle_at(here.it.slot()));
        entered(id, expected, here, 0);
    }
    void whole(unsigned how, unsigned id, World& other) {
        switch (how % 6) {
        case 0: {
            Map copy(map_);
            check_twin(copy, id);
            break;
        }
        case 1: { // observers stay and are told
            Map copy(map_);
            map_ = copy;
            moved_in();
            check_twin(copy, id);
            break;
        }
        case 2:
            map_ = std::as_const(other.map_);
            model_ = other.model_;
            moved_in();
            break;
        case 3: {
            held_.reset();
            Map moved(std::move(map_));
            FUZZ_CHECK(map_.empty() && map_.pending() == 0 && map_.check_invariants()); // NOLINT(bugprone-use-after-move)
            if (id % 2 == 0) {
                insert_default(map_, id);
                FUZZ_CHECK(map_.size() == 1 && map_.slot_of(ask(id)) == 0);
            }
            map_ = std::move(moved);
            check();
            break;
        }
        case 4: // the target's observers are detached, the source is as new
            held_.reset();
            other.held_.reset();
            map_ = std::move(other.map_);
            model_ = std::exchange(other.model_, Model());
            followers_ = std::move(other.followers_);
            other.followers_.clear();
            for (const auto& each : followers_) each->map = &map_;
            check();
            other.check();
            break;
        default:
            held_.reset();
            other.held_.reset();
            if (id % 2 == 0)
                map_.swap(other.map_);
            else {
                using std::swap;
                swap(map_, other.map_);
            }
            std::swap(model_, other.model_);
            std::swap(followers_, other.followers_);
            for (const auto& each : followers_) each->map = &map_;
            for (const auto& each : other.followers_) each->map = &other.map_;
            check();
            break;
        }
        if (id % 16 == 0) {
            const Map& self = map_;
            map_ = self;
        }
    }
    static const auto& codec() {
        if constexpr (is_any) {
            static const AnyCodec both = [] {
                AnyCodec made;
                made.add<Key, ByteCodec>();
                if constexpr (has_values) made.add<Value, ByteCodec>();
                return made;
            }();
            return both;
        } else {
            static constexpr ByteCodec bytes{};
            return bytes;
        }
    }
    /// As the container is asked for it.
    static decltype(auto) asked(const Key& key) {
        if constexpr (is_any)
            return std::addressof(key);
        else
            return (key);
    }
    void restore(unsigned id, World& other) {
        const auto bytes = map_.snapshot(codec());
        if (id % 2 == 0) {
            Map twin = C::make();
            twin.restore(bytes, codec());
            FUZZ_CHECK(twin.snapshot(codec()) == bytes);
            check_twin(twin, id);
        } else {
            other.map_.restore(bytes, codec());
            other.model_ = model_;
            other.moved_in();
            FUZZ_CHECK(other.map_.snapshot(codec()) == bytes);
        }
    }
    /// Bytes gone bad are refused, and nothing has changed; or they are a sound container after all.
    void restore_hostile(Input& in) {
        const auto good = map_.snapshot(codec());
        auto bytes = good;
        corrupt_snapshot(bytes, in);
        const char* const error = map_.try_restore(bytes, codec());
        if (error != nullptr) {
            FUZZ_CHECK(is_reason(error));
            FUZZ_CHECK(map_.snapshot(codec()) == good);
            check();
            return;
        }
        FUZZ_CHECK(map_.check_invariants());
        const auto taken = map_.snapshot(codec());
        Map twin = C::make();
        FUZZ_CHECK(twin.try_restore(taken, codec()) == nullptr && twin.snapshot(codec()) == taken && twin == map_);
        for (unsigned id = 0; id < 6; ++id) {
            std::size_t used = 0;
            for (slot_t slot = 0; slot != map_.capacity(); ++slot) used += map_.state(slot) != SlotState::free;
            if (used < Map::max_size() - 1) {
                const Key fresh = key(id * 40);
                insert_default(map_, id * 40);
                FUZZ_CHECK(map_.contains(asked(fresh)));
            }
            const Key gone = key(id * 40);
            if (id % 2 == 0) map_.erase(asked(gone));
        }
        FUZZ_CHECK(map_.check_invariants());
        map_.flush_removed();
        map_.clear();
        map_.flush_removed();
        FUZZ_CHECK(map_.empty() && map_.check_invariants());
        map_.restore(good, codec());
        moved_in();
    }
    void merge([[maybe_unused]] World& other) {
        if constexpr (has_merge) {
            std::vector<unsigned> ids;
            for (slot_t slot = other.model_.next_live(0); slot != no_slot; slot = other.model_.next_live(std::size_t{slot} + 1))
                if (!has(other.model_[slot].id)) ids.push_back(other.model_[slot].id);
            if (model_.used() + ids.size() > Model::limit) return;
            map_.merge(other.map_);
            for (const unsigned id : ids) {
                const auto expected = model_.expect(id);
                const slot_t from = other.model_.live_of(id);
                entered(id, expected, as_expected(id), other.model_[from].value);
                other.model_.leave(from);
            }
            map_.merge(map_);
            other.check();
            check();
        }
    }
    void compare(World& other) {
        bool same = model_.size() == other.model_.size(), included = true;
        for (unsigned id = 0; id != key_count; ++id) {
            if (!other.has(id)) continue;
            included = included && has(id);
            if (!has(id) || model_[model_.live_of(id)].value != other.model_[other.model_.live_of(id)].value) same = false;
        }
        FUZZ_CHECK((map_ == other.map_) == same && (other.map_ == map_) == same);
        if constexpr (requires { map_.includes(other.map_); }) FUZZ_CHECK(map_.includes(other.map_) == included);
    }

    struct Nothing {
        explicit Nothing(const Map&) {}
    };
    template <class M>
    static auto iterator_of() {
        if constexpr (has_iterators)
            return std::optional<typename M::const_iterator>();
        else
            return std::optional<int>();
    }
    template <bool Wanted, class K, class V>
    struct View {
        using type = Nothing;
    };
    template <class K>
    struct View<true, K, void> {
        using type = SetView<K>;
    };
    template <class K, class V>
    struct View<true, K, V> {
        using type = MapView<K, V>;
    };

    Map map_ = C::make();
    Model model_{};
    std::vector<std::unique_ptr<Follower<C>>> followers_{};
    // Made once: what happens to the container shows through.
    typename View<!is_any && !has_values, Key, void>::type set_view_{map_};
    typename View<!is_any && has_values, Key, Value>::type map_view_{map_};
    decltype(iterator_of<Map>()) held_{};
    std::size_t held_since_ = 0, now_ = 0;
    unsigned next_value_ = 0;
};

//=== the configurations ===//

/// 16-bit handles: 256 slots, and as many lives a slot as two to seven bits of version give.
constexpr KeySetOptions worn(bool deferred, Exhaustion exhaustion, Reuse reuse, unsigned version_bits,
                             std::size_t max_slots = 0) {
    return {.deferred_erase = deferred,
            .exhaustion = exhaustion,
            .reuse = reuse,
            .page_slots = 64,
            .handle = {.index_bits = 8, .version_bits = version_bits, .user_bits = 8 - version_bits},
            .max_slots = max_slots};
}
constexpr KeySetOptions wide(bool deferred, Reuse reuse) {
    return {.deferred_erase = deferred, .reuse = reuse, .page_slots = 64};
}
template <class Key, class Hash, KeySetOptions O, template <class> class Index = HashIndex, class Equal = EqualTo>
using SetC =
    Config<SetStorage<Key, HashBy<Hash>, EqualBy<Equal>, Options<O>, IndexBy<Index>, Column<std::uint32_t>>, Key, void, true>;
template <class Key, class T, class Hash, KeySetOptions O, template <class> class Index = HashIndex>
using MapC = Config<MapStorage<Key, T, HashBy<Hash>, Options<O>, IndexBy<Index>, Column<std::uint32_t>>, Key, T, true>;
/// Without a column: nothing but the value is told.
template <class Key, class T, class Hash, KeySetOptions O, template <class> class Index = HashIndex>
using BareMapC = Config<MapStorage<Key, T, HashBy<Hash>, Options<O>, IndexBy<Index>>, Key, T>;
template <class Key, class T, KeySetOptions O>
using AnyC = Config<BasicAnyMapStorage<Options<O>>, Key, T>;

template <class Key, KeySetOptions O, template <class> class Index = HashIndex>
using AnySetC = Config<BasicAnySetStorage<Options<O>, IndexBy<Index>, Column<std::uint32_t>>, Key, void, true>;

/// The standard's hash table as an index, as the adapters take those of other libraries.
template <class Allocator>
class StdIndex : public detail::TableIndex<std::unordered_set<detail::TableEntry, detail::TableHash, detail::TableEqual,
                                                              detail::rebind_t<Allocator, detail::TableEntry>>> {
public:
    using StdIndex::TableIndex::TableIndex;
};

using U32 = std::uint32_t;
using U64 = std::uint64_t;
constexpr auto retire = Exhaustion::retire, wrap = Exhaustion::wrap;

template <class C>
std::uint64_t run(Input& input) {
    std::uint64_t operations = 0;
    static_cast<void>(key_of<typename C::key>(0)); // the table of keys stays
    const NothingLeft scope;
    World<C> one, two;
    while (!input.done()) {
        const bool first = (input.byte() & 3) != 0;
        (first ? one : two).step(input, first ? two : one);
        ++operations;
    }
    one.check_all();
    two.check_all();
    return operations;
}

} // namespace

#endif
