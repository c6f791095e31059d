// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sets and dictionaries over time, also nested. Every delta is held against what the model knew when the window opened and
// knows now; a replica follows by captured deltas, a second one by composed ones, both also by their bytes; subscribers must be
// notified exactly as documented.
#ifndef SLOTWISE_TESTS_FUZZ_SERIES_BODY_HPP
#define SLOTWISE_TESTS_FUZZ_SERIES_BODY_HPP

#include "keyed_world.hpp"

#include <slotwise/series/apply_delta.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <algorithm>
#include <bitset>
#include <memory>
#include <optional>

namespace {

using namespace test;

template <class S>
inline constexpr bool is_set = !requires { typename S::mapped_type; };
template <class S, bool = is_set<S>>
struct ChildOf {
    using type = void;
};
template <class S>
    requires(requires { typename S::mapped_type::writer; })
struct ChildOf<S, false> {
    using type = typename S::mapped_type;
};
template <class S>
using child_of = typename ChildOf<S>::type;
template <class S>
inline constexpr bool nests = !std::is_void_v<child_of<S>>;
/// Somewhere inside, what is a list depends on the capacity, which no snapshot holds: the order of changes may differ.
template <class S>
constexpr bool order_may_differ() {
    if constexpr (nests<S>)
        return S::options.delta == DeltaRepresentation::adaptive || order_may_differ<child_of<S>>();
    else
        return S::options.delta == DeltaRepresentation::adaptive;
}

//=== the model ===//

/// What a series must be. @tparam Ids how many keys there are
template <class S, unsigned Ids>
class SeriesModel {
    struct None {};
    template <class C>
    struct Child {
        using type = SeriesModel<C, 16>;
    };
    template <class C>
        requires std::is_void_v<C>
    struct Child<C> {
        using type = None;
    };

public:
    using Time = typename S::time_type;
    using H = typename S::handle_type;
    using child_type = typename Child<child_of<S>>::type;
    static constexpr Time never = TimeTraits<Time>::never();
    static constexpr unsigned ids = Ids;

    struct Entry {
        bool member = false, valid = false;
        bool was = false, was_valid = false; // when the window opened
        bool renewed = false;                // it was removed in this window
        bool ticked = false;                 // since subscribers were notified last
        unsigned value = 0;                  // of the element that is there, or was there last
        Time time = never;
        Time came = never; // of a set's member when the window opened: if it comes back it keeps its time
        H handle{};
        std::unique_ptr<child_type> child{};
    };
    struct Last {
        std::uint32_t version = 0;
        unsigned id = 0;
    };

    SeriesModel() : serial(++serials) {}

    std::array<Entry, Ids> entries{};
    std::vector<H> issued{};            // every handle there ever was
    std::vector<Last> last{};           // the last one of each slot
    std::vector<slot_t> ticked_slots{}; // since subscribers were notified last
    Time window = never, whole = never, keys = never;
    bool whole_news = false, keys_news = false;
    bool invalidated = false;  // in this window
    bool removed_news = false; // the element around this nested series was removed
    std::size_t size = 0;
    unsigned long serial;

    /// The member that the handle names, or `ids`.
    unsigned owner_of(H handle) const {
        if (handle.index() >= last.size()) return ids;
        const unsigned id = last[handle.index()].id;
        return entries[id].member && entries[id].handle == handle ? id : ids;
    }
    bool resolves(H handle) const { return owner_of(handle) != ids; }
    /// Opens a window, if that is newer.
    void open(Time time) {
        if (!(window < time)) return;
        window = time;
        invalidated = false;
        for (auto& entry : entries) {
            entry.was = entry.member;
            entry.was_valid = entry.member && entry.valid;
            entry.renewed = false;
            entry.came = entry.member ? entry.time : never;
            if (!entry.member) entry.child.reset();
        }
    }
    void touch() {
        whole = window;
        whole_news = true;
    }
    void keys_tick() {
        keys = window;
        keys_news = true;
    }
    void enter(unsigned id, H handle) {
        Entry& entry = entries[id];
        entry.member = true;
        entry.valid = is_set<S>;
        entry.value = 0;
        entry.time = !is_set<S> ? never : entry.came != never ? entry.came : window;
        entry.handle = handle;
        if constexpr (nests<S>) entry.child = std::make_unique<child_type>();
        ++size;
        if (handle.index() >= last.size()) last.resize(handle.index() + 1);
        auto& [version, owner] = last[handle.index()];
        FUZZ_CHECK((handle.version() & 1u) != 0 && (handle.version() > version || S::options.exhaustion == Exhaustion::wrap));
        version = handle.version();
        owner = id;
        issued.push_back(handle);
        keys_tick();
        touch();
        tick(entry);
    }
    void stamp(unsigned id) {
        entries[id].valid = true;
        entries[id].time = window;
        touch();
        tick(entries[id]);
    }
    bool leave(unsigned id) {
        Entry& entry = entries[id];
        if (!entry.member) return false;
        tick(entry);
        entry.member = entry.valid = false;
        if constexpr (nests<S>) entry.child->removed_news = true;
        entry.renewed = true;
        entry.time = never;
        --size;
        keys_tick();
        touch();
        return true;
    }
    /// The element has no value any more.
    void unset(unsigned id) {
        Entry& entry = entries[id];
        entry.renewed = true;
        entry.valid = false;
        entry.value = 0;
        entry.time = never;
        touch();
        tick(entry);
    }
    void invalidate() {
        const bool was = whole != never, had_keys = keys != never;
        for (unsigned id = 0; id != Ids; ++id) {
            leave(id);
            Entry& entry = entries[id];
            entry.was = entry.was_valid = entry.renewed = false;
            entry.came = never;
        }
        whole = keys = never;
        invalidated = true;
        whole_news = whole_news || was;
        keys_news = keys_news || had_keys;
    }
    void clear() {
        for (unsigned id = 0; id != Ids; ++id) leave(id);
        touch();
    }
    /// Subscribers have been notified.
    void told() {
        whole_news = keys_news = removed_news = false;
        ticked_slots.clear();
        for (auto& entry : entries) {
            if (!entry.ticked) continue;
            entry.ticked = false;
            if constexpr (nests<S>)
                if (entry.child) entry.child->told();
        }
    }

private:
    void tick(Entry& entry) {
        entry.ticked = true;
        ticked_slots.push_back(entry.handle.index());
    }
    static inline unsigned long serials = 0;
};

//=== agreement ===//

template <class S>
const typename S::key_type& series_key(unsigned id) {
    return key_of<typename S::key_type>(id);
}

/// Members, values, validity and times. @param times false: whether they are "never" is all that counts
template <class S, class M>
void agree(const S& series, const M& model, bool times = true) {
    constexpr auto never = M::never;
    const auto same = [&](auto a, auto b) { return times ? a == b : (a == never) == (b == never); };
    FUZZ_CHECK(series.size() == model.size && series.empty() == (model.size == 0));
    FUZZ_CHECK(same(series.last_modified(), model.whole) && series.valid() == (model.whole != never));
    std::size_t valid = 0;
    for (unsigned id = 0; id != M::ids; ++id) {
        const auto& entry = model.entries[id];
        const auto& key = series_key<S>(id);
        const slot_t slot = series.slot_of(key);
        FUZZ_CHECK((slot != no_slot) == entry.member);
        FUZZ_CHECK(same(series.last_modified(key), entry.member ? entry.time : never));
        if (!entry.member) continue;
        valid += entry.valid;
        FUZZ_CHECK(series.valid(key) == entry.valid && id_of(series.key(slot)) == id);
        if constexpr (nests<S>)
            agree(series.at(key), *entry.child, times);
        else if constexpr (!is_set<S>)
            FUZZ_CHECK(number_of(*series.get(key)) == entry.value && &series.value(slot) == series.get(key));
    }
    FUZZ_CHECK(series.count_valid() == valid);
    if constexpr (!is_set<S>) FUZZ_CHECK(same(series.keys().last_modified(), model.keys) && series.keys().size() == model.size);
}

/// What the open window is said to have changed.
template <class S, class M>
void judge_deltas(const S& series, const M& model) {
    using Key = typename S::key_type;
    const auto t = model.window;
    FUZZ_CHECK(series.window() == t);
    if (t == M::never) return;
    FUZZ_CHECK(series.modified(t) == (model.whole == t));
    std::bitset<M::ids> added, removed, dropped, modified, reset;
    for (unsigned id = 0; id != M::ids; ++id) {
        const auto& entry = model.entries[id];
        added[id] = entry.member && !entry.was;
        removed[id] = !entry.member && entry.was;
        dropped[id] = !entry.member && entry.was_valid;
        modified[id] = entry.member && entry.time == t;
        reset[id] = entry.member && entry.was && entry.renewed && (nests<S> || !entry.valid);
        const auto& key = series_key<S>(id);
        FUZZ_CHECK(series.was_added(key, t) == added[id] && series.was_removed(key, t) == removed[id]);
        FUZZ_CHECK(series.modified(key, t) == modified[id]);
    }
    const auto same = [&](const auto& range, const std::bitset<M::ids>& expected) {
        std::bitset<M::ids> met;
        for (const Key& key : range) {
            const unsigned id = id_of(key);
            FUZZ_CHECK(id < M::ids && !met[id]); // each once
            met[id] = true;
        }
        FUZZ_CHECK(met == expected && range.empty() == expected.none());
    };
    const auto older = static_cast<decltype(t)>(t - 1), newer = static_cast<decltype(t)>(t + 1);
    if constexpr (is_set<S>) {
        same(series.added(t), added);
        same(series.removed(t), removed);
        same(series.view().added(t), added);
        FUZZ_CHECK(series.added(newer).empty() && series.removed(older).empty());
    } else {
        same(series.added_keys(t), added);
        same(series.removed_keys(t), removed);
        same(series.modified_keys(t), modified);
        same(series.reset_keys(t), reset);
        same(series.keys().added(t), added);
        same(series.keys().removed(t), removed);
        FUZZ_CHECK(series.keys().modified(t) == (model.keys == t));
        FUZZ_CHECK(series.modified_items(newer).empty() && series.removed_items(older).empty() &&
                   series.reset_keys(newer).empty());
        const auto same_items = [&](const auto& range, const std::bitset<M::ids>& expected) {
            std::size_t count = 0;
            for (const auto [key, value] : range) {
                const unsigned id = id_of(key);
                FUZZ_CHECK(id < M::ids && expected[id]);
                ++count;
                if constexpr (nests<S>)
                    agree(value, *model.entries[id].child);
                else
                    FUZZ_CHECK(number_of(value) == model.entries[id].value);
            }
            FUZZ_CHECK(count == expected.count());
        };
        same_items(series.modified_items(t), modified);
        same_items(series.removed_items(t), dropped);
        if constexpr (nests<S>)
            for (unsigned id = 0; id != M::ids; ++id)
                if (model.entries[id].member) judge_deltas(series.at(series_key<S>(id)), *model.entries[id].child);
    }
}

template <class S, class M>
void check_handles(const S& series, const M& model) {
    for (const auto handle : model.issued) {
        FUZZ_CHECK(series.contains(handle) == model.resolves(handle));
        if constexpr (!is_set<S>) FUZZ_CHECK((series.get(handle) != nullptr) == model.resolves(handle));
    }
}

//=== writing ===//

/// Some keys from `first` on.
struct Keys {
    unsigned first, step, count;
    template <class F>
    void for_each(unsigned ids, F&& f) const {
        for (unsigned i = 0; i != count; ++i) f((first + i * step) % ids);
    }
    static Keys of(Input& in, unsigned most) {
        const unsigned first = in.byte(), shape = in.byte();
        return {first, 1 + shape % 3, shape / 4 % most};
    }
};

template <class W, class M>
void remove_one(W& w, M& model, unsigned id, Input& in, bool by_handle) {
    using S = typename W::storage_type;
    if (!by_handle) {
        FUZZ_CHECK(w.remove(series_key<S>(id)) == model.leave(id));
        return;
    }
    const auto& issued = model.issued;
    const auto handle =
        !issued.empty() && in.flip() ? issued[in.number(2) % issued.size()] : hostile_handle<typename M::H>(in, 8);
    const unsigned owner = model.owner_of(handle);
    FUZZ_CHECK(w.remove(handle) == (owner != M::ids));
    if (owner != M::ids) model.leave(owner);
}
template <class W, class M>
void add_one(W& w, M& model, unsigned id, unsigned how) {
    using S = typename W::storage_type;
    using Key = typename S::key_type;
    const Key& key = series_key<S>(id);
    const bool fresh = !model.entries[id].member;
    bool added = false;
    if constexpr (std::is_same_v<Key, std::string>)
        added = how % 3 == 0 ? w.add(key) : how % 3 == 1 ? w.add(Key(key)) : w.add(std::string_view(key));
    else
        added = how % 2 == 0 ? w.add(key) : w.add(Key(key));
    FUZZ_CHECK(added == fresh);
    if (fresh) model.enter(id, w.storage().handle_of(key));
}
template <class W, class M>
void create_one(W& w, M& model, unsigned id) {
    using S = typename W::storage_type;
    const auto& key = series_key<S>(id);
    const bool fresh = !model.entries[id].member;
    const InsertResult result = w.create(key);
    FUZZ_CHECK(result.inserted == fresh && result.it.slot() == w.storage().slot_of(key));
    if (fresh) model.enter(id, w.storage().handle_of(key));
}
template <class W, class M>
void set_one(W& w, M& model, unsigned id, unsigned value) {
    using S = typename W::storage_type;
    const auto& key = series_key<S>(id);
    const bool fresh = !model.entries[id].member;
    const InsertResult result = w.set(key, made_from<typename S::mapped_type>(value));
    FUZZ_CHECK(result.inserted == fresh && result.it.slot() == w.storage().slot_of(key));
    if (fresh) model.enter(id, w.storage().handle_of(key));
    model.stamp(id);
    model.entries[id].value = value;
}

/// A delta that was not captured: refused without a change where it does not fit, else it does what it says.
template <class W, class M>
void apply_foreign(W& w, M& model, Input& in) {
    using S = typename W::storage_type;
    typename S::delta_type delta;
    const unsigned flags = in.byte();
    const Strictness mode = (flags & 1) != 0 ? Strictness::strict : Strictness::lenient;
    const bool strict = mode == Strictness::strict;
    delta.time = w.time();
    delta.ticked = (flags & 2) != 0;
    std::bitset<M::ids> added, removed, reset, modified;
    bool fits = true;
    const auto fill = [&](std::bitset<M::ids>& set, auto&& push) {
        for (std::size_t count = in.byte() % 4u; count != 0; --count) {
            const unsigned id = in.byte() % M::ids;
            if (set[id] && (flags & 0xF0u) != 0) continue; // one in 16 may name a key twice
            fits = fits && !set[id];
            set[id] = true;
            push(id);
        }
    };
    fill(added, [&](unsigned id) { delta.added.push_back(series_key<S>(id)); });
    fill(removed, [&](unsigned id) { delta.removed.push_back(series_key<S>(id)); });
    [[maybe_unused]] std::array<unsigned, M::ids> values{};
    if constexpr (!is_set<S>) {
        delta.keys_ticked = (flags & 4) != 0;
        fill(reset, [&](unsigned id) { delta.reset.push_back(series_key<S>(id)); });
        fill(modified, [&](unsigned id) {
            values[id] = flags + id;
            delta.modified.emplace_back(series_key<S>(id), made_from<typename S::mapped_type>(flags + id));
        });
    }
    fits = fits && (added & removed).none();
    for (unsigned id = 0; strict && id != M::ids; ++id) {
        const bool member = model.entries[id].member;
        if ((added[id] && member) || (removed[id] && !member) || (reset[id] && (!member || removed[id])) ||
            (modified[id] && (removed[id] || (!member && !added[id]))))
            fits = false;
    }
    if (!fits) {
        FUZZ_CHECK(refuses<std::invalid_argument>([&] { w.apply(delta, mode); }));
        agree(w.storage(), model);
        return;
    }
    w.apply(delta, mode);
    const auto each = [](const std::bitset<M::ids>& set, auto&& f) {
        for (unsigned id = 0; id != M::ids; ++id)
            if (set[id]) f(id);
    };
    // Handles are those of the end.
    const auto enter = [&](unsigned id) {
        if (!model.entries[id].member) model.enter(id, w.storage().handle_of(series_key<S>(id)));
    };
    each(removed, [&](unsigned id) { model.leave(id); });
    each(reset, [&](unsigned id) { // a plain element keeps its place
        if (model.entries[id].member) model.unset(id);
    });
    each(modified, [&](unsigned id) {
        enter(id);
        model.stamp(id);
        model.entries[id].value = values[id];
    });
    each(added, enter);
    if constexpr (!is_set<S>)
        if (delta.keys_ticked) {
            model.keys_tick();
            model.touch(); // keys never tick alone
        }
    if (delta.ticked) model.touch();
}

/// One call of a writer, or a few that belong together.
template <class W, class M>
std::uint64_t write_one(W& w, M& model, Input& in) {
    using S = typename W::storage_type;
    const unsigned kind = in.byte() % 64u, byte = in.byte(), id = byte % M::ids;
    const auto& key = series_key<S>(id);
    if (kind < 12) {
        remove_one(w, model, id, in, kind < 3);
    } else if (kind < 13) {
        w.clear();
        model.clear();
    } else if (kind < 14) {
        w.touch();
        model.touch();
    } else if (kind < 15) {
        w.invalidate();
        model.invalidate();
    } else if (kind < 18) {
        const Keys keys = Keys::of(in, 48);
        keys.for_each(M::ids, [&](unsigned each) { FUZZ_CHECK(w.remove(series_key<S>(each)) == model.leave(each)); });
        return 1 + keys.count;
    } else if constexpr (is_set<S>) {
        if (kind < 22) {
            std::vector<typename S::key_type> wanted;
            std::bitset<M::ids> keep;
            Keys::of(in, 64).for_each(M::ids, [&](unsigned each) {
                wanted.push_back(series_key<S>(each));
                keep[each] = true;
            });
            if (kind == 18)
                w.assign(w.storage()); // itself
            else {
                w.assign(wanted);
                for (unsigned each = 0; each != M::ids; ++each)
                    if (keep[each] && !model.entries[each].member)
                        model.enter(each, w.storage().handle_of(series_key<S>(each)));
                for (unsigned each = 0; each != M::ids; ++each)
                    if (!keep[each]) model.leave(each);
            }
            if (model.whole == M::never) model.touch();
        } else if (kind < 26) {
            apply_foreign(w, model, in);
        } else if (kind < 30) {
            const Keys keys = Keys::of(in, 48);
            keys.for_each(M::ids, [&](unsigned each) { add_one(w, model, each, kind); });
            return 1 + keys.count;
        } else
            add_one(w, model, id, kind);
    } else if constexpr (nests<S>) {
        auto& entry = model.entries[id];
        if (kind == 25) {
            FUZZ_CHECK(w.invalidate(key) == (entry.member && entry.valid));
            if (!entry.member || !entry.valid) return 1;
            entry.child->open(model.window);
            entry.child->invalidate();
            model.unset(id);
        } else if (kind < 26 || !entry.member)
            create_one(w, model, id);
        else {
            auto& child = *model.entries[id].child;
            std::uint64_t operations = 1;
            bool ticked = false;
            {
                auto inner = kind % 2 == 0 ? w.modify(key) : w.modify(model.entries[id].handle);
                child.open(model.window);
                const bool before = std::exchange(child.whole_news, false);
                for (unsigned n = byte / 64u + 1; n != 0; --n) operations += write_one(inner, child, in);
                ticked = child.whole_news;
                child.whole_news = before || ticked;
            }
            if (ticked && child.invalidated) model.unset(id);
            if (ticked && child.whole != M::never) model.stamp(id);
            return operations;
        }
    } else {
        if (kind == 23) {
            const auto& entry = model.entries[id];
            FUZZ_CHECK(w.invalidate(key) == (entry.member && entry.valid));
            if (entry.member && entry.valid) model.unset(id);
        } else if (kind < 24) {
            create_one(w, model, id);
        } else if (kind < 28) {
            apply_foreign(w, model, in);
        } else if (kind < 36) {
            if (!model.entries[id].member) {
                if (kind == 28) FUZZ_CHECK(refuses<std::out_of_range>([&] { static_cast<void>(w.modify(key)); }));
                return 1;
            }
            auto& value = kind % 2 == 0 ? w.modify(key) : w.modify(model.entries[id].handle);
            FUZZ_CHECK(number_of(value) == model.entries[id].value);
            value = made_from<typename S::mapped_type>(model.entries[id].value = kind * 8 + byte);
            model.stamp(id);
        } else if (kind < 40) {
            const Keys keys = Keys::of(in, 48);
            keys.for_each(M::ids, [&](unsigned each) { set_one(w, model, each, byte + each); });
            return 1 + keys.count;
        } else
            set_one(w, model, id, kind * 256 + byte);
    }
    return 1;
}

//=== one series, its model, its replicas, its subscribers ===//

template <class S, unsigned Ids>
class World {
    using Model = SeriesModel<S, Ids>;
    using Time = typename S::time_type;
    using Delta = typename S::delta_type;
    static constexpr Time never = Model::never;
    static constexpr bool has_keys = !is_set<S>;

    enum class About : std::uint8_t { whole, keys, key, slot, nested };
    struct Listener final : SeriesSubscriber<Time> {
        Listener(About what, unsigned of_id) : about(what), id(of_id) {}
        void on_tick(const SeriesTick<Time>& tick) noexcept override {
            ++heard;
            const bool element = about == About::key || about == About::slot;
            FUZZ_CHECK(tick.level == (element                ? SeriesLevel::element
                                      : about == About::keys ? SeriesLevel::keys
                                                             : SeriesLevel::whole));
            FUZZ_CHECK((tick.slot != no_slot) == element || tick.kind == TickKind::replaced);
            time = tick.time;
            kind = tick.kind;
        }
        About about;
        unsigned id;
        slot_t slot = no_slot;
        unsigned long serial = 0; // of the nested series
        Time time = never;
        TickKind kind = TickKind::changed;
        unsigned heard = 0, expected = 0;
        Subscription<Time> token{};
    };

public:
    World() = default;
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    std::uint64_t step(Input& in) {
        ++now_;
        const unsigned kind = in.byte();
        if (kind < 216) return session(kind, in);
        if (kind < 224)
            subscribe(in.byte());
        else if (kind < 228) {
            if (!listeners_.empty())
                listeners_.erase(listeners_.begin() + static_cast<std::ptrdiff_t>(in.byte() % listeners_.size()));
        } else if (kind < 234)
            restore(in);
        else if (kind < 242)
            restore_hostile(in);
        else if (kind < 246)
            whole(kind);
        else if (kind < 248)
            series_.shrink_to_fit();
        else if (kind < 250)
            series_.reserve(series_.size() + in.byte());
        else if (kind < 252)
            misuse();
        else if (kind < 253)
            receive_hostile(in);
        else
            check();
        return 1;
    }
    void finish() {
        close_window();
        check_handles(series_, model_);
    }

private:
    //=== windows ===//

    std::uint64_t session(unsigned kind, Input& in) {
        Time time = model_.window;
        const bool opens = kind % 3 == 0 || time == never;
        if (opens) {
            close_window();
            time = static_cast<Time>((time == never ? 0 : time) + 1 + static_cast<Time>(kind % 4));
            roll(time);
        }
        std::uint64_t operations = 1;
        {
            auto w = series_.write_late(kind % 7 == 1 && !opens && time > 2 ? static_cast<Time>(time - 1)
                                                                            : time); // an older time joins
            FUZZ_CHECK(w.time() == time && w.is_open());
            std::optional<typename S::writer> beside;
            if (kind % 5 == 0) beside.emplace(series_.write(time));
            for (unsigned n = 1 + kind / 8u % 6; n != 0; --n)
                operations += beside && n % 2 == 0 ? write_one(*beside, model_, in) : write_one(w, model_, in);
            if (kind % 11 == 0)
                FUZZ_CHECK(
                    refuses<std::invalid_argument>([&] { static_cast<void>(series_.write(static_cast<Time>(time + 1))); }));
            if (kind % 4 == 0) {
                w.close(); // twice is once
                FUZZ_CHECK(!w.is_open());
            }
        }
        closed();
        if (now_ % 4 == 0) check();
        return operations;
    }
    void roll(Time time) {
        for (auto& each : listeners_) {
            if (each->about == About::slot && series_.state(each->slot) == SlotState::pending) each->slot = no_slot;
        }
        model_.open(time);
    }
    /// All writers have closed: which subscribers had to be notified?
    void closed() {
        for (auto& each : listeners_) {
            const bool news = is_news(*each);
            each->expected += news;
            FUZZ_CHECK(each->heard == each->expected && (!news || each->time == model_.window));
            if (news && each->about == About::key) {
                const auto& entry = model_.entries[each->id];
                FUZZ_CHECK(each->kind == (!entry.member ? TickKind::removed
                                          : entry.valid ? TickKind::changed
                                                        : TickKind::invalidated));
            }
        }
        model_.told();
    }
    bool is_news(const Listener& listener) const {
        switch (listener.about) {
        case About::whole:
            return model_.whole_news;
        case About::keys:
            return model_.keys_news;
        case About::key:
            return model_.entries[listener.id].ticked;
        case About::slot:
            return std::find(model_.ticked_slots.begin(), model_.ticked_slots.end(), listener.slot) !=
                   model_.ticked_slots.end();
        default:
            if constexpr (nests<S>) {
                const auto& child = model_.entries[listener.id].child;
                return child && child->serial == listener.serial && (child->whole_news || child->removed_news);
            }
            return false;
        }
    }
    void check() {
        agree(series_, model_);
        judge_deltas(series_, model_);
        FUZZ_CHECK(series_.check_invariants());
        for (std::size_t i = now_ % 7; i < model_.issued.size(); i += 7) {
            const auto handle = model_.issued[i];
            FUZZ_CHECK(series_.contains(handle) == model_.resolves(handle));
        }
    }
    /// Before the window rolls: what it has changed goes to the replicas.
    void close_window() {
        check();
        const Time time = model_.window;
        if (time == never) return;
        Delta delta = capture(series_, time);
        FUZZ_CHECK(delta.time == time && delta.ticked == (model_.whole == time));
        const Strictness mode = now_ % 2 == 0 ? Strictness::strict : Strictness::lenient;
        const Time before = replica_.window();
        if (now_ % 3 == 0)
            replica_.write(time).apply(delta, mode);
        else if (now_ % 3 == 1)
            FUZZ_CHECK(apply_delta(replica_, Delta(delta), before, mode) == Applied::done);
        else
            FUZZ_CHECK(receive(replica_, delta.to_bytes(before, ByteCodec()), mode).applied == Applied::done);
        agree(replica_, model_);
        FUZZ_CHECK(replica_ == series_ && capture(replica_, time) == delta && replica_.check_invariants());
        if (!waiting_) {
            waiting_ = std::move(delta);
            return;
        }
        const Delta both = compose(*waiting_, delta, series_hash(), typename S::key_equal());
        waiting_.reset();
        const auto bytes = both.to_bytes(slow_.window(), ByteCodec());
        FUZZ_CHECK(receive(slow_, bytes).applied == Applied::done && receive(slow_, bytes).applied == Applied::already);
        agree(slow_, model_, false);
        FUZZ_CHECK(slow_.check_invariants());
    }
    static auto series_hash() { return typename S::hasher(); }
    static AppliedDelta receive(S& series, const std::vector<std::byte>& bytes, Strictness mode = Strictness::strict) {
        const AppliedDelta result = try_apply_delta(series, bytes, mode, ByteCodec());
        FUZZ_CHECK(result || result.error.starts_with("apply_delta: "));
        return result;
    }
    /// Bytes of a delta that were changed: refused, or what they say is done. Nothing in between.
    void receive_hostile(Input& in) {
        if (model_.window == never) return;
        Delta delta = capture(series_, model_.window);
        const Time from = replica_.window() < model_.window ? replica_.window() : never;
        auto bytes = delta.to_bytes(from, ByteCodec());
        const auto read = Delta::from_bytes(bytes, ByteCodec());
        FUZZ_CHECK(read.delta == delta && read.from == from && read.delta.to_bytes(from, ByteCodec()) == bytes);
        corrupt_snapshot(bytes, in);
        S target(from == never ? S() : replica_);
        const auto good = target.snapshot(ByteCodec());
        const auto result = receive(target, bytes, in.flip() ? Strictness::strict : Strictness::lenient);
        if (!result || result.applied != Applied::done) FUZZ_CHECK(target.snapshot(ByteCodec()) == good);
        FUZZ_CHECK(target.check_invariants());
    }

    //=== everything else ===//

    void subscribe(unsigned dice) {
        if (listeners_.size() == 8) return;
        const unsigned id = dice / 5 % Ids;
        auto listener = std::make_unique<Listener>(static_cast<About>(dice % 5), id);
        const auto& key = series_key<S>(id);
        switch (listener->about) {
        case About::whole:
            listener->token = series_.subscribe(*listener);
            break;
        case About::keys:
            if constexpr (has_keys)
                listener->token = dice % 2 == 0 ? series_.subscribe_keys(*listener) : series_.keys().subscribe(*listener);
            else
                return;
            break;
        case About::key:
            listener->token = series_.subscribe(key, *listener);
            break;
        case About::slot:
            listener->slot = series_.slot_of(key);
            if (listener->slot == no_slot) {
                FUZZ_CHECK(refuses<std::out_of_range>([&] { listener->token = series_.subscribe_slot(no_slot, *listener); }));
                return;
            }
            listener->token = series_.subscribe_slot(listener->slot, *listener);
            break;
        default:
            if constexpr (nests<S>) {
                if (!model_.entries[id].member) return;
                listener->serial = model_.entries[id].child->serial;
                listener->token = series_.at(key).subscribe(*listener);
            } else
                return;
            break;
        }
        listeners_.push_back(std::move(listener));
    }
    /// The contents have been exchanged: those to slots and to nested series end, the others are notified of it.
    void exchanged() {
        for (auto& each : listeners_) {
            each->expected += each->about == About::whole || each->about == About::keys || each->about == About::key;
            FUZZ_CHECK(each->heard == each->expected);
            each->slot = no_slot;
            each->serial = 0;
        }
    }
    void restore(Input& in) {
        const auto bytes = series_.snapshot(ByteCodec());
        S twin;
        twin.restore(bytes, ByteCodec());
        agree(twin, model_);
        judge_deltas(twin, model_);
        check_handles(twin, model_);
        FUZZ_CHECK(twin.check_invariants() && twin == series_);
        const auto again = twin.snapshot(ByteCodec());
        FUZZ_CHECK(order_may_differ<S>() ? again.size() == bytes.size() : again == bytes);
        if (in.flip()) {
            series_.restore(bytes, ByteCodec());
            exchanged();
            check();
        }
    }
    void restore_hostile(Input& in) {
        auto bytes = series_.snapshot(ByteCodec());
        S target;
        target.restore(bytes, ByteCodec());
        const auto good = target.snapshot(ByteCodec());
        corrupt_snapshot(bytes, in);
        const char* const error = target.try_restore(bytes, ByteCodec());
        if (error != nullptr) {
            FUZZ_CHECK(is_reason(error));
            FUZZ_CHECK(target.snapshot(ByteCodec()) == good);
            agree(target, model_);
            judge_deltas(target, model_);
            return;
        }
        FUZZ_CHECK(target.check_invariants());
        const auto taken = target.snapshot(ByteCodec());
        S twin;
        FUZZ_CHECK(twin.try_restore(taken, ByteCodec()) == nullptr && twin == target && twin.check_invariants());
        const Time time = target.window() == never ? Time{1} : target.window();
        const Delta delta = capture(target, time);
        // What such a state captures may contradict itself: then it is refused, which only apply knows.
        if (SLOTWISE_EXCEPTIONS)
            static_cast<void>(throws<std::invalid_argument>([&] { twin.write(time).apply(delta, Strictness::lenient); }));
        FUZZ_CHECK(twin.check_invariants());
        {
            auto w = target.write(time);
            for (unsigned id = 0; id < 6; ++id) {
                if constexpr (is_set<S>)
                    w.add(series_key<S>(id));
                else
                    w.create(series_key<S>(id));
                if (id % 2 == 0) w.remove(series_key<S>(id));
            }
        }
        FUZZ_CHECK(target.check_invariants() && target.contains(series_key<S>(1)));
        target.write(time).clear();
        FUZZ_CHECK(target.empty() && target.check_invariants());
    }
    void whole(unsigned kind) {
        if (kind % 4 == 0) {
            S copy(series_);
            FUZZ_CHECK(copy == series_);
            agree(copy, model_);
            judge_deltas(copy, model_);
            check_handles(copy, model_);
            series_ = copy;
            exchanged();
        } else if (kind % 4 == 1) {
            S moved(std::move(series_));
            FUZZ_CHECK(series_.empty() && !series_.valid() && series_.check_invariants()); // NOLINT(bugprone-use-after-move)
            series_ = std::move(moved);
        } else if (kind % 4 == 2) {
            const S& self = series_;
            series_ = self;
        } else {
            S copy(replica_);
            replica_ = std::move(copy);
        }
        check();
    }
    void misuse() {
        FUZZ_CHECK(refuses<std::invalid_argument>([&] { static_cast<void>(series_.write(never)); }));
        if (model_.window == never) return;
        auto w = series_.write(model_.window);
        auto moved = std::move(w);
        moved.close();
        FUZZ_CHECK(refuses<std::invalid_argument>([&] { moved.touch(); }));
        FUZZ_CHECK(refuses<std::invalid_argument>([&] { w.clear(); })); // NOLINT(bugprone-use-after-move)
    }

    S series_{}, replica_{}, slow_{};
    Model model_{};
    std::optional<Delta> waiting_{};
    std::vector<std::unique_ptr<Listener>> listeners_{};
    std::size_t now_ = 0;
};

//=== the configurations ===//

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Clock = std::int64_t;
constexpr auto by_list = DeltaRepresentation::dirty_list, by_bits = DeltaRepresentation::bitmap,
               by_both = DeltaRepresentation::adaptive;

constexpr SeriesOptions with(DeltaRepresentation delta, Reuse reuse = Reuse::lowest) {
    return {.delta = delta, .reuse = reuse, .page_slots = 64};
}
/// Four bits of version: a slot is exhausted after eight lives.
constexpr SeriesOptions worn(DeltaRepresentation delta, Reuse reuse, Exhaustion exhaustion = Exhaustion::retire) {
    return {.delta = delta,
            .exhaustion = exhaustion,
            .reuse = reuse,
            .page_slots = 64,
            .handle = {.index_bits = 12, .version_bits = 4, .user_bits = 0}};
}
template <class Key, SeriesOptions O, class Hash = DefaultHash<Key>, class Time = Clock>
using Set = TSSStorage<Key, TimeBy<Time>, HashBy<Hash>, Options<O>>;
template <class Key, class T, SeriesOptions O, class Hash = DefaultHash<Key>, class Time = Clock>
using Dict = TSDStorage<Key, T, TimeBy<Time>, HashBy<Hash>, Options<O>>;

template <class S, unsigned Ids>
std::uint64_t run(Input& input) {
    std::uint64_t operations = 0;
    const NothingLeft scope;
    World<S, Ids> world;
    while (!input.done()) operations += world.step(input);
    world.finish();
    return operations;
}

} // namespace

#endif
