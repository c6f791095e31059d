// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every follower and observer of every container, with each of its options, in lockstep with a model that holds every handle
// ever issued: after each random step nothing that is gone is found anywhere, and what is there is found with what belongs to
// it.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/sweep.hpp"

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace {
using namespace test::every;

/// The first thing that did not hold. Not a macro of Catch2: there are a hundred instances of each line here.
struct Fault {
    std::string what{};
    unsigned seed = 0, step = 0;
} fault;
void ensure(bool holds, const char* what) {
    if (!holds && fault.what.empty()) fault.what = what;
}

/// What an observer believes. Being notified twice of one, or of one that it does not know, is a fault.
struct Belief {
    std::map<slot_t, bool> stored{}; // whether it lives
    slot_t slots = 0;
    int faults = 0;

    void on_capacity(slot_t before, slot_t now) {
        faults += before != slots;
        slots = now;
    }
    void on_insert(slot_t slot, InsertKind kind) noexcept { // as series want it
        const bool known = stored.contains(slot);
        faults += slot >= slots || known != (kind == InsertKind::resurrected) || (known && stored[slot]);
        stored[slot] = true;
    }
    void on_remove(slot_t slot) noexcept {
        faults += !stored.contains(slot) || !stored[slot];
        stored[slot] = false;
    }
    void on_erase(slot_t slot) noexcept { faults += stored.erase(slot) != 1; }
    void on_clear(Occupancy all) noexcept {
        all.for_each([this](slot_t slot) { faults += stored.erase(slot) != 1; });
    }
    void on_reset() noexcept {
        stored.clear();
        slots = 0;
    }
    template <class C>
    bool agrees(const C& c) const {
        bool same = faults == 0 && slots == c.capacity();
        std::size_t live = 0, pending = 0;
        for (const auto& [slot, lives] : stored) {
            same = same && c.state(slot) == (lives ? SlotState::live : SlotState::pending);
            (lives ? live : pending) += 1;
        }
        if constexpr (requires { c.pending(); }) same = same && pending == c.pending();
        return same && live == c.size();
    }
};
/// Acts once, in one of the first events that come: attaches a newcomer.
struct Joiner final : SlotObserver {
    std::function<void()> act{};
    unsigned wait = 0; // events to let pass
    void once() {
        if (act && wait-- == 0) std::exchange(act, nullptr)();
    }
    void on_capacity(slot_t, slot_t) override { once(); }
    void on_insert(slot_t, InsertKind) override { once(); }
    void on_remove(slot_t) noexcept override { once(); }
    void on_erase(slot_t) noexcept override { once(); }
    void on_clear(Occupancy) noexcept override { once(); }
    void on_reset() noexcept override { once(); }
};

/// What the model knows of a handle.
struct Issued {
    int n; // also what the columns hold
    bool live;
};

/// The same container with a static observer more, where it takes one.
template <class C>
struct WithBelief {
    using type = void;
};
template <class T, class... With>
struct WithBelief<SlotMap<T, With...>> {
    using type = SlotMap<T, With..., Belief, Column<int>>;
};
template <class T, class... With>
struct WithBelief<DenseSlotMap<T, With...>> {
    using type = DenseSlotMap<T, With..., Belief, Column<int>>;
};
template <class T, class... With>
struct WithBelief<HandlePool<T, With...>> {
    using type = HandlePool<T, With..., Belief, Column<int>>;
};
template <class K, class... With>
struct WithBelief<SetStorage<K, With...>> {
    using type = SetStorage<K, With..., Belief, Column<int>>;
};
template <class K, class T, class... With>
struct WithBelief<MapStorage<K, T, With...>> {
    using type = MapStorage<K, T, With..., Belief, Column<int>>;
};
template <class... With>
struct WithBelief<BasicAnySlotMap<With...>> {
    using type = BasicAnySlotMap<With..., Belief, Column<int>>;
};
template <class... With>
struct WithBelief<BasicAnySetStorage<With...>> {
    using type = BasicAnySetStorage<With..., Belief, Column<int>>;
};
template <class... With>
struct WithBelief<BasicAnyMapStorage<With...>> {
    using type = BasicAnyMapStorage<With..., Belief, Column<int>>;
};
template <class K, class... With>
struct WithBelief<TSSStorage<K, With...>> {
    using type = TSSStorage<K, With..., Belief, Column<int>>;
};
template <class K, class T, class... With>
struct WithBelief<TSDStorage<K, T, With...>> {
    using type = TSDStorage<K, T, With..., Belief, Column<int>>;
};
template <class... With>
struct WithBelief<BasicAnyTSSStorage<With...>> {
    using type = BasicAnyTSSStorage<With..., Belief, Column<int>>;
};
template <class... With>
struct WithBelief<BasicAnyTSDStorage<With...>> {
    using type = BasicAnyTSDStorage<With..., Belief, Column<int>>;
};

struct Seen {
    std::size_t steps = 0, resurrected = 0, exchanged = 0, grown = 0, flushed = 0, joined = 0, dropped = 0, kept = 0;
} seen;

/// One container, its observers and the model. @tparam Fixed it has static observers
template <class Entry, class C, bool Fixed>
class World {
public:
    using H = typename C::handle_type;
    static constexpr bool keyed =
        requires(const C& c, int n) { c.slot_of(n); } || requires(const C& c, int n) { c.slot_of(&n); };
    static constexpr bool snapshots = requires(C& c) { c.restore(c.snapshot()); }; // described keys are not written
    static constexpr bool attaches = requires(C& c, SlotObserver& o) { c.attach(o); };

    explicit World(unsigned seed) : random_(seed) {
        if constexpr (attaches) {
            followers_.emplace_back().attach(c_); // one that grows up with it
            of_belief_ = c_.attach(belief_);
            of_column_ = c_.attach(column_);
            of_joiner_ = c_.attach(joiner_);
        }
    }
    ~World() { joiner_.act = nullptr; }
    void step() {
        ++seen.steps;
        const std::size_t capacity = c_.capacity();
        const unsigned what = pick(100);
        if (attaches && pick(4) == 0) arm();
        if (what < 50)
            insert();
        else if (what < 75)
            erase();
        else if (what < 83)
            enter();
        else if (what < 87)
            exchange();
        else if (what < 90)
            move();
        else if (what < 94)
            flush();
        else if (what < 96)
            c_.reserve(c_.capacity() < 1500 ? c_.capacity() + 1 : 0); // far from what 12 bits name
        else if (what < 98)
            c_.shrink_to_fit();
        else {
            Entry::clear(c_);
            for (auto& [bits, issued] : issued_) issued.live = false;
        }
        seen.grown += c_.capacity() > capacity;
        joiner_.act = nullptr;
        check();
    }

private:
    struct Followers {
        SecondaryMap<H, int> dense{};
        SparseSecondaryMap<H, int> sparse{};
        IdentityMap<int, H> names{};
        void attach(C& c) { dense.attach_to(c), sparse.attach_to(c), names.attach_to(c); }
    };

    unsigned pick(std::size_t n) { return static_cast<unsigned>(random_() % n); }
    static std::uint64_t bits(H handle) { return handle.to_bits(); }
    static H handle(std::uint64_t from) { return H::from_bits(static_cast<decltype(H().to_bits())>(from)); }
    Belief* fixed() {
        if constexpr (Fixed)
            return &c_.template observer<0>();
        else
            return nullptr;
    }
    int& value_of([[maybe_unused]] slot_t slot) { // in the static column
        if constexpr (Fixed)
            return c_.template observer<1>()[slot];
        else
            return none_;
    }

    void insert() {
        // Keys that were there before come back: their elements live again where erase is deferred.
        const int n = keyed && next_ != 0 && pick(3) == 0 ? static_cast<int>(pick(static_cast<std::size_t>(next_))) : next_++;
        for (const auto& [each, issued] : issued_)
            if (issued.live && issued.n == n) return;
        const auto is_pending = [&](const auto& each) { return c_.explain(handle(each.first)) == HandleStatus::pending; };
        std::size_t pending = 0, after = 0;
        for (const auto& each : issued_) pending += is_pending(each);
        const H name = Entry::insert(c_, n);
        for (const auto& each : issued_) after += is_pending(each);
        seen.resurrected += after < pending;
        const slot_t slot = name.index();
        ensure(Entry::contains(c_, name), "Entry::contains(c_, name)");
        for (auto& followers : followers_)
            ensure(!(followers.dense.contains(name)), "not followers.dense.contains(name)"); // a wrapped version starts afresh
        entries_.erase(bits(name));
        if (of_column_.attached()) {
            ensure(column_.column()[slot] == 0, "column_.column()[slot] == 0");
            column_.column()[slot] = n;
        }
        if (fixed() != nullptr) {
            ensure(value_of(slot) == 0, "value_of(slot) == 0");
            value_of(slot) = n;
        }
        issued_[bits(name)] = {n, true};
    }
    void erase() {
        if (issued_.empty()) return;
        auto it = std::next(issued_.begin(), static_cast<std::ptrdiff_t>(pick(issued_.size())));
        ensure(Entry::erase(c_, handle(it->first)) == it->second.live,
               "Entry::erase(c_, handle(it->first)) == it->second.live");
        it->second.live = false;
    }
    void enter() {
        if constexpr (attaches)
            for (const auto& [each, issued] : issued_)
                if (issued.live && pick(3) == 0 && entries_.emplace(each, next_entry_).second) {
                    for (auto& followers : followers_) {
                        ensure(followers.dense.insert(handle(each), next_entry_).inserted,
                               "followers.dense.insert(handle(each), next_entry_).inserted");
                        ensure(followers.sparse.insert(handle(each), next_entry_).inserted,
                               "followers.sparse.insert(handle(each), next_entry_).inserted");
                        ensure(followers.names.insert(next_entry_, handle(each)),
                               "followers.names.insert(next_entry_, handle(each))");
                    }
                    ++next_entry_;
                }
    }
    /// Other contents: its own copy, or what it was when it was saved.
    void exchange() {
        ++seen.exchanged;
        const unsigned how = pick(4);
        if (how == 0 || !snapshots) {
            const C copy(c_);
            c_ = copy;
        } else if constexpr (snapshots) {
            if (how == 3 || (how == 2 && saved_.empty())) {
                saved_ = c_.snapshot();
                saved_issued_ = issued_;
                --seen.exchanged;
                return;
            }
            c_.restore(how == 1 ? c_.snapshot() : saved_);
            if (how == 2) issued_ = saved_issued_;
        }
        entries_.clear(); // all were notified of the end
        const bool copied = how == 0 || !snapshots;
        for (auto& [each, issued] : issued_) {
            if (of_column_.attached() && issued.live) column_.column()[handle(each).index()] = issued.n;
            if (!copied && fixed() != nullptr && issued.live) value_of(handle(each).index()) = issued.n;
        }
    }
    /// The container moves with all observers; then the followers do.
    void move() {
        C there(std::move(c_));
        ensure(c_.size() == 0, "c_.size() == 0");
        c_ = std::move(there);
        if constexpr (attaches) {
            if (followers_.size() < 3) {
                followers_.emplace_back().attach(c_); // late, and without the entries of the others: moved over
                followers_.back().dense.swap(followers_.front().dense);
                followers_.back().sparse.swap(followers_.front().sparse);
                followers_.back().names.swap(followers_.front().names);
            }
            if (pick(2) == 0) followers_.erase(followers_.begin(), followers_.end() - 1);
            while (followers_.size() > 1) followers_.erase(followers_.begin()); // the rest is moved
        }
    }
    void flush() {
        if constexpr (requires { c_.flush_removed(); }) {
            if constexpr (requires { c_.pending(); }) seen.flushed += c_.pending() != 0;
            c_.flush_removed();
        } else if constexpr (requires { Entry::writer(c_); })
            static_cast<void>(c_.write(c_.window() == C::never ? 1 : c_.window() + 1));
    }
    void arm() {
        if constexpr (attaches)
            joiner_.wait = pick(5), joiner_.act = [this] {
                of_newcomer_.detach();
                newcomer_ = {};
                of_newcomer_ = c_.attach(newcomer_);
                ++seen.joined;
            };
    }

    void check() {
        ensure(c_.check_invariants(), "c_.check_invariants()");
        std::size_t live = 0;
        for (const auto& [each, issued] : issued_) {
            const H name = handle(each);
            const HandleStatus status = c_.explain(name);
            ensure(Entry::contains(c_, name) == issued.live, "Entry::contains(c_, name) == issued.live");
            ensure((status == HandleStatus::live) == issued.live, "(status == HandleStatus::live) == issued.live");
            live += issued.live;
            if (issued.live) {
                if (of_column_.attached())
                    ensure(column_.column()[name.index()] == issued.n, "column_.column()[name.index()] == issued.n");
                if (fixed() != nullptr) ensure(value_of(name.index()) == issued.n, "value_of(name.index()) == issued.n");
            }
            const auto entry = entries_.find(each);
            const bool gone = status != HandleStatus::live && status != HandleStatus::pending;
            const bool expected = entry != entries_.end() && !gone;
            for (auto& followers : followers_) {
                const int* const dense = followers.dense.get(name);
                const int* const sparse = followers.sparse.get(name);
                ensure((dense != nullptr) == expected, "(dense != nullptr) == expected");
                ensure((sparse != nullptr) == expected, "(sparse != nullptr) == expected");
                if (entry == entries_.end()) continue;
                ensure((followers.names.handle_of(entry->second) == name) == expected,
                       "(followers.names.handle_of(entry->second) == name) == expected");
                if (expected)
                    ensure((*dense == entry->second && *sparse == entry->second),
                           "(*dense == entry->second && *sparse == entry->second)");
            }
            if (entry != entries_.end()) (gone ? seen.dropped : seen.kept) += 1;
            if (entry != entries_.end() && gone) entries_.erase(entry);
        }
        ensure(c_.size() == live, "c_.size() == live");
        for (auto& followers : followers_)
            ensure(followers.dense.size() == entries_.size(), "followers.dense.size() == entries_.size()");
        if constexpr (attaches) {
            ensure(belief_.agrees(c_), "belief_.agrees(c_)");
            if (of_newcomer_.attached()) ensure(newcomer_.agrees(c_), "newcomer_.agrees(c_)");
        }
        if (Belief* const believes = fixed()) {
            ensure(believes->faults == 0, "believes->faults == 0");
            std::size_t believed = 0;
            for (const auto& [slot, lives] : believes->stored) {
                believed += lives;
                ensure(c_.state(slot) == (lives ? SlotState::live : SlotState::pending),
                       "c_.state(slot) == (lives ? SlotState::live : SlotState::pending)");
            }
            ensure(believed == live, "believed == live");
        }
    }

    struct DynamicBelief final : SlotObserver {
        Belief belief{};
        DynamicBelief() = default;
        DynamicBelief& operator=(const DynamicBelief&) = default;
        void on_capacity(slot_t before, slot_t now) override { belief.on_capacity(before, now); }
        void on_insert(slot_t slot, InsertKind kind) override { belief.on_insert(slot, kind); }
        void on_remove(slot_t slot) noexcept override { belief.on_remove(slot); }
        void on_erase(slot_t slot) noexcept override { belief.on_erase(slot); }
        void on_clear(Occupancy all) noexcept override { belief.on_clear(all); }
        void on_reset() noexcept override { belief.on_reset(); }
        bool agrees(const C& c) const { return belief.agrees(c); }
    };

    std::mt19937 random_;
    C c_ = made<C>();
    std::map<std::uint64_t, Issued> issued_{}, saved_issued_{};
    std::map<std::uint64_t, int> entries_{};
    std::vector<std::byte> saved_{};
    int next_ = 0, next_entry_ = 1, none_ = 0;
    std::vector<Followers> followers_{};
    DynamicBelief belief_{}, newcomer_{};
    DynamicColumn<ValueArray<int>> column_{};
    Joiner joiner_{};
    ObserverToken of_belief_{}, of_newcomer_{}, of_column_{}, of_joiner_{};
};

struct Lockstep {
    template <class Entry, class C, bool Fixed>
    static void walk() {
        ++worlds;
        for (unsigned seed = 0; seed != 3 && fault.what.empty(); ++seed) {
            World<Entry, C, Fixed> world(seed);
            for (unsigned i = 0; i != 150 && fault.what.empty(); ++i) {
                world.step();
                fault.seed = seed, fault.step = i;
            }
            if (!fault.what.empty()) fault.what += " in " + test::class_name<C>();
        }
    }
    static inline std::size_t worlds = 0;
};
/// @tparam Plain containers as they are, also those that can have static observers
/// @tparam Fixed containers with static observers, and those that cannot have any as they are
template <bool Plain, bool Fixed>
struct Walks {
    template <class Entry, class C>
    static void run() {
        if constexpr (Entry::names_slots) {
            using Observed = typename WithBelief<C>::type;
            constexpr bool observed = !std::is_void_v<Observed>;
            if constexpr (observed ? Plain : Fixed) Lockstep::walk<Entry, C, false>();
            if constexpr (observed && Fixed) Lockstep::walk<Entry, Observed, true>();
        }
    }
};

} // namespace

TEST_CASE("followers, columns and observers of every container agree with a model that holds every handle ever issued",
          "[properties]") {
    seen = {};
    Lockstep::worlds = 0;
#if defined(SLOTWISE_TEST_REST)
    for_each_container<Walks<true, false>, Share::first>();
    for_each_container<Walks<true, true>, Share::second>();
#else
    for_each_container<Walks<false, true>, Share::first>();
#endif
    INFO("seed " << fault.seed << ", step " << fault.step);
    CHECK(fault.what == "");
    CAPTURE(seen.resurrected, seen.exchanged, seen.grown, seen.flushed, seen.joined, seen.dropped, seen.kept);
    CHECK(Lockstep::worlds >= here(46));
    CHECK((seen.resurrected > here(100) && seen.exchanged > here(300) && seen.grown > here(100) && seen.flushed > here(20) &&
           seen.joined > here(300)));
    CHECK((seen.dropped > here(300) && seen.kept > here(1000))); // entries of followers
}
