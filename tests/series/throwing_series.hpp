// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series whose hash, equality, keys, values and allocator throw; a scene in the middle of a window, and a model of what it is
// to say.
#ifndef SLOTWISE_TESTS_SERIES_THROWING_SERIES_HPP
#define SLOTWISE_TESTS_SERIES_THROWING_SERIES_HPP

#include "subscribers.hpp"

#include "support/allocators.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace test {

template <class Key>
struct FailingHash {
    std::size_t operator()(const Key& key) const {
        Budget::spend();
        return static_cast<std::size_t>(key.value());
    }
};
struct FailingEqual {
    template <class Key>
    bool operator()(const Key& a, const Key& b) const {
        Budget::spend();
        return a == b;
    }
};

/// Assignment changes one half before it throws.
class Halves {
public:
    Halves() = default;
    Halves(int value) : first_(value), second_(value) { Budget::spend(); }
    Halves(const Halves& other) : first_(other.first_), second_(other.second_) { Budget::spend(); }
    Halves(Halves&&) noexcept = default;
    Halves& operator=(const Halves& other) {
        first_ = other.first_;
        Budget::spend();
        second_ = other.second_;
        return *this;
    }
    Halves& operator=(Halves&&) noexcept = default;
    ~Halves() = default;
    int value() const { return first_ == second_ ? first_ : -999; }
    void set(int value) { first_ = second_ = value; }

private:
    int first_ = 0, second_ = 0;
};

constexpr SeriesOptions options(DeltaRepresentation representation) { return {.delta = representation, .page_slots = 64}; }
template <class Key, class T, DeltaRepresentation R>
using DictOf =
    TSDStorage<Key, T, HashBy<FailingHash<Key>>, EqualBy<FailingEqual>, Options<options(R)>, AllocBy<ThrowingAllocator<Key>>>;
template <class Key, DeltaRepresentation R>
using SetOf =
    TSSStorage<Key, HashBy<FailingHash<Key>>, EqualBy<FailingEqual>, Options<options(R)>, AllocBy<ThrowingAllocator<Key>>>;

// Keys may throw in every way; values must be movable without a throw, so that a removed one can live again.
using ListDict = DictOf<Throwing, ThrowingCopy, DeltaRepresentation::dirty_list>;
using BitsDict = DictOf<ThrowingCopy, Halves, DeltaRepresentation::bitmap>;
using SummaryDict = DictOf<Throwing, ThrowingCopy, DeltaRepresentation::adaptive>;
#define FAILING_DICTS ListDict, BitsDict, SummaryDict
using ListSet = SetOf<Throwing, DeltaRepresentation::dirty_list>;
using BitsSet = SetOf<ThrowingCopy, DeltaRepresentation::bitmap>;
using SummarySet = SetOf<Throwing, DeltaRepresentation::adaptive>;
#define FAILING_SETS ListSet, BitsSet, SummarySet

/// What a dictionary should be, told by maps.
struct Model {
    struct Element {
        int value = 0;
        bool valid = false;   // was ever written
        bool written = false; // in this window
        bool renewed = false; // was a member when the window opened, was removed, and is one again
    };
    std::map<int, Element> then{}, now{};

    void open() {
        for (auto& [key, element] : now) element.written = element.renewed = false;
        then = now;
    }
    void create(int key) {
        if (!now.contains(key)) now[key].renewed = then.contains(key);
    }
    void set(int key, int value) {
        create(key);
        now[key].value = value;
        now[key].valid = now[key].written = true;
    }
    void remove(int key) { now.erase(key); }

    template <class Dict>
    void check(const Dict& dict, std::int64_t window) const {
        using Keys = std::set<int>;
        Keys added, removed, modified, reset, dropped;
        std::map<int, int> written;
        for (const auto& [key, element] : now) {
            if (!then.contains(key)) added.insert(key);
            if (element.written) modified.insert(key), written[key] = element.value;
            if (element.renewed && !element.written) reset.insert(key);
        }
        for (const auto& [key, element] : then) {
            if (now.contains(key)) continue;
            removed.insert(key);
            if (element.valid) dropped.insert(key);
        }
        const auto keys_in = [](const auto& range) {
            Keys keys;
            bool once = true;
            for (const auto& key : range) once = keys.insert(key.value()).second && once;
            REQUIRE(once);
            return keys;
        };
        REQUIRE(dict.check_invariants());
        REQUIRE(dict.window() == window);
        REQUIRE(dict.size() == now.size());
        bool same = true;
        for (const auto& [key, element] : now) {
            const auto* const value = dict.get(typename Dict::key_type(key));
            same = same && value != nullptr && value->value() == element.value &&
                   dict.valid(typename Dict::key_type(key)) == element.valid;
        }
        REQUIRE(same);
        REQUIRE(keys_in(dict.added_keys(window)) == added);
        REQUIRE(keys_in(dict.removed_keys(window)) == removed);
        REQUIRE(keys_in(dict.modified_keys(window)) == modified);
        REQUIRE(keys_in(dict.reset_keys(window)) == reset);
        for (const auto [key, value] : dict.modified_items(window)) same = same && written.at(key.value()) == value.value();
        std::set<int> readable;
        for (const auto [key, value] : dict.removed_items(window))
            if (value.value() != -999) readable.insert(key.value());
        REQUIRE(same);
        REQUIRE(readable == dropped);
    }
};

/// A dictionary in the middle of window 2, in which each kind of thing has happened already. `full`: the next new key makes it
/// grow.
template <class Dict>
struct Scene {
    using Key = typename Dict::key_type;
    using T = typename Dict::mapped_type;

    explicit Scene(bool full) {
        {
            auto w = dict.write(1);
            for (int i = 0; i != 8; ++i) set(w, i, 100 + i);
            create(w, 8);
            create(w, 9);
        }
        model.open();
        auto w = dict.write(2);
        set(w, 2, 202);
        remove(w, 1);
        remove(w, 8);
        set(w, 20, 220);
        create(w, 21);
        set(w, 22, 222);
        remove(w, 22);
        remove(w, 3);
        create(w, 3);
        remove(w, 4);
        set(w, 4, 204);
        for (int i = 1000; full && dict.size() + dict.pending() != dict.capacity(); ++i) set(w, i, i);
        model.check(dict, 2);
    }
    void set(typename Dict::writer& w, int key, int value) {
        w.set(Key(key), T(value));
        model.set(key, value);
    }
    void create(typename Dict::writer& w, int key) {
        w.create(Key(key));
        model.create(key);
    }
    void remove(typename Dict::writer& w, int key) {
        REQUIRE(w.remove(Key(key)));
        model.remove(key);
    }
    /// Everything that can be seen, handles and the order of ranges included.
    std::vector<std::int64_t> observe() const {
        std::vector<std::int64_t> seen{dict.window(), dict.last_modified(), dict.keys().last_modified(),
                                       static_cast<std::int64_t>(dict.size()), static_cast<std::int64_t>(dict.pending())};
        for (slot_t slot = 0; slot != dict.occupancy().size(); ++slot) {
            const SlotState state = dict.state(slot);
            seen.push_back(static_cast<std::int64_t>(state));
            if (state == SlotState::live) seen.push_back(dict.handle_at(slot).version());
            if (state == SlotState::live || state == SlotState::pending) {
                seen.push_back(dict.key(slot).value());
                seen.push_back(dict.value(slot).value());
                seen.push_back(dict.times().at(slot));
            }
        }
        const auto add = [&](const auto& range) {
            seen.push_back(-1);
            for (const auto& key : range) seen.push_back(key.value());
        };
        add(dict.added_keys(2));
        add(dict.removed_keys(2));
        add(dict.modified_keys(2));
        add(dict.reset_keys(2));
        return seen;
    }

    Dict dict{};
    Model model{};
};

/// act(dict, writer), which calls `function`, throws at every step: it has no effect then. At last it does what note(model)
/// says.
template <class Dict>
void strong(const Swept& function, const std::function<void(Dict&, typename Dict::writer&)>& act,
            const std::function<void(Model&)>& note, std::size_t at_least) {
    for (const bool full : {false, true})
        for (const bool watched : {false, true}) {
            CAPTURE(full, watched);
            NothingLeaks objects;
            EveryByteReturned bytes;
            const auto failures = fail_at_every_step(function, [&](auto&& attempt) {
                TickLog::take();
                Scene<Dict> scene(full), twin(full);
                Listener listener("x"), other("y");
                std::vector<Subscription<>> tokens;
                if (watched)
                    for (auto* const each : {&scene.dict, &twin.dict})
                        for (const int key : {0, 1, 3, 22, 77, 78})
                            tokens.push_back(
                                each->subscribe(typename Dict::key_type(key), each == &scene.dict ? listener : other));
                bool threw = false;
                {
                    auto w = scene.dict.write(2);
                    const auto before = scene.observe();
                    threw = attempt([&] { act(scene.dict, w); });
                    if (threw) REQUIRE(scene.observe() == before);
                    REQUIRE(w.is_open());
                }
                if (threw) REQUIRE(TickLog::take().empty()); // nothing has happened
                if (!threw) {
                    note(scene.model);
                    auto w = twin.dict.write(2);
                    act(twin.dict, w);
                }
                scene.model.check(scene.dict, 2);
                REQUIRE(scene.observe() == twin.observe());
                // And what comes is what would have come.
                for (Scene<Dict>* const each : {&scene, &twin}) {
                    auto w = each->dict.write(2);
                    each->set(w, 300, 1);
                    each->set(w, 1, 2);
                    each->create(w, 22);
                    each->remove(w, 7);
                }
                scene.model.check(scene.dict, 2);
                REQUIRE(scene.observe() == twin.observe());
                scene.model.open();
                scene.dict.write(3).touch();
                scene.model.check(scene.dict, 3);
                REQUIRE(scene.dict.pending() == 0);
            });
            REQUIRE(failures >= at_least);
        }
}

/// The verbs that writers of sets and of dictionaries share: row(function, act(writer), note(model)) throws at every step.
template <class Writer, class Row, class Removes>
void verbs_of_both(const Row& row, int key, const Removes& removes) {
    using Key = typename Writer::key_type;
    const auto nothing = [](auto&) {};
    row(
        "erase", [&](Writer& w) { w.erase(Key(key)); }, removes);
    row(
        "extract", [&](Writer& w) { w.extract(Key(key)); }, removes);
    row(
        "reserve", [](Writer& w) { w.reserve(500); }, nothing);
    row(
        "erase_if",
        [](Writer& w) {
            w.erase_if([](const auto&...) {
                Budget::spend();
                return false;
            });
        },
        nothing);
}

} // namespace test

#endif
