// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What may happen inside an operation of a container, for every container:
//   - Constructor, copy and destructor of an element may call every operation of the container. So may hash and equality of an
//     IdentityMap. Hash and equality of keyed containers, and elements of series, may call operations that read. Afterwards the
//     container is sound, only live objects were used, and nothing leaks.
//   - Every hook of an observer may read the container, and change others, including one that follows it.
//   - A check names what is forbidden: an observer or equality that changes the container, a copy of a container that is inside
//     an operation, a copied element that changes the source.
// Compiled with SLOTWISE_TEST_REST too, see support/bounds.hpp.
#include "properties/containers.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"
#include "support/sweep.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace test::every {
namespace {

enum class Call : std::uint8_t { build, copy, move, destroy, hash, equal };

/// Says each call of an element to `hook`, unless a hook is at work. Moves say nothing unless asked for, nor does the end of
/// what was moved from: packed containers move values while their rows do not agree (the guide says so).
struct Caller {
    static inline std::function<void(Call)> hook;
    static inline int alive = 0, errors = 0;
    static inline bool moves_speak = false;
    static void say(Call call) {
        if (!hook) return;
        auto running = std::exchange(hook, nullptr);
        running(call);
        if (!hook) hook = std::move(running);
    }

    Caller(int n) : number(n) {
        begin();
        say(Call::build);
    }
    Caller(const Caller& other) : number(other.value()) {
        begin();
        say(Call::copy);
    }
    Caller(Caller&& other) noexcept : number(other.value()) {
        begin();
        other.moved = true;
        if (moves_speak) say(Call::move);
    }
    Caller& operator=(Caller&& other) noexcept {
        const bool ends = !moved; // what was here ends
        number = other.value();
        moved = false;
        other.moved = true;
        if (ends) say(Call::destroy);
        return *this;
    }
    ~Caller() {
        value();
        if (!moved) say(Call::destroy);
        self = nullptr;
        --alive;
    }
    int value() const noexcept {
        errors += self != this;
        return number;
    }
    friend bool operator==(const Caller& a, const Caller& b) {
        const bool equal = a.value() == b.value();
        say(Call::equal);
        return equal;
    }

private:
    void begin() noexcept {
        self = this;
        ++alive;
    }
    const Caller* self = nullptr;
    int number;
    bool moved = false;
};

struct CallerHash {
    std::size_t operator()(const Caller& caller) const {
        const auto hash = static_cast<std::size_t>(caller.value()) * 8; // many in a group, so that equality is asked
        Caller::say(Call::hash);
        return hash;
    }
};

//=== the containers of containers.hpp, of Callers; one that is not listed is a compile error ===//

template <class C>
struct Calling;
template <class... With>
struct Calling<slotwise::SlotMap<int, With...>> {
    using type = slotwise::SlotMap<Caller, With...>;
};
template <class... With>
struct Calling<slotwise::DenseSlotMap<int, With...>> {
    using type = slotwise::DenseSlotMap<Caller, With...>;
};
template <class... With>
struct Calling<slotwise::BasicSoaSlotMap<slotwise::Members<int, int>, With...>> {
    using type = slotwise::BasicSoaSlotMap<slotwise::Members<Caller, Caller>, With...>;
};
template <class T, class... With>
struct Calling<slotwise::HandlePool<T, With...>> {
    using type =
        void; // no element, and so nobody who calls back; its columns do in map/column_reentrance.cpp as those of any map
};
template <class... With>
struct Calling<slotwise::SetStorage<int, With...>> {
    using type = slotwise::SetStorage<Caller, HashBy<CallerHash>, With...>;
};
template <class... With>
struct Calling<slotwise::MapStorage<int, int, With...>> {
    using type = slotwise::MapStorage<Caller, Caller, HashBy<CallerHash>, With...>;
};
template <class... With>
struct Calling<slotwise::BasicAnySlotMap<With...>> {
    using type = slotwise::BasicAnySlotMap<With...>;
};
template <class... With>
struct Calling<slotwise::BasicAnySetStorage<With...>> {
    using type = slotwise::BasicAnySetStorage<With...>;
};
template <class... With>
struct Calling<slotwise::BasicAnyMapStorage<With...>> {
    using type = slotwise::BasicAnyMapStorage<With...>;
};
template <class... With>
struct Calling<slotwise::TSSStorage<int, With...>> {
    using type = slotwise::TSSStorage<Caller, HashBy<CallerHash>, With...>;
};
template <class... With>
struct Calling<slotwise::TSDStorage<int, int, With...>> {
    using type = slotwise::TSDStorage<Caller, Caller, HashBy<CallerHash>, With...>;
};
template <class... With>
struct Calling<slotwise::BasicAnyTSSStorage<With...>> {
    using type = slotwise::BasicAnyTSSStorage<With...>;
};
template <class... With>
struct Calling<slotwise::BasicAnyTSDStorage<With...>> {
    using type = slotwise::BasicAnyTSDStorage<With...>;
};
template <class H>
struct Calling<slotwise::SecondaryMap<H, int>> {
    using type = slotwise::SecondaryMap<H, Caller>;
};
template <class H>
struct Calling<slotwise::SparseSecondaryMap<H, int>> {
    using type = slotwise::SparseSecondaryMap<H, Caller>;
};
template <>
struct Calling<slotwise::IndexMap<int>> {
    using type = slotwise::IndexMap<Caller>;
};
template <class H>
struct Calling<slotwise::IdentityMap<int, H>> {
    using type = slotwise::IdentityMap<Caller, H, slotwise::HashBy<CallerHash>>;
};

template <class Id>
struct Calling<slotwise::SparseMap<Id, int>> {
    using type = slotwise::SparseMap<Id, Caller>;
};
// Without elements that could call: ids, and locations, which are trivially copyable.
template <class Id, class... More>
struct Calling<slotwise::EntityIndex<Id, More...>> {
    using type = void;
};
template <class Id>
struct Calling<slotwise::SparseSet<Id>> {
    using type = void;
};
// Values must not change the map that they are in, because they are found by their hash.
template <class Id>
struct Calling<slotwise::SwitchMap<Id, int>> {
    using type = void;
};
// Elements must not use the rows that they are in, as those of a std::vector.
template <class Row, class... With>
struct Calling<slotwise::BasicSoaVector<Row, With...>> {
    using type = void;
};
template <class... With>
struct Calling<slotwise::BasicAnyRows<With...>> {
    using type = void;
};

// Pairs of ids.
template <class S, class R, class T, class... With>
struct Calling<slotwise::RelationMap<S, R, T, With...>> {
    using type = void;
};
// Nodes and values must not use the graph and the table that they are in.
template <class Node, class Id>
struct Calling<slotwise::ArchetypeGraph<Node, Id>> {
    using type = void;
};
template <class Node, class Value>
struct Calling<slotwise::DataflowGraph<Node, Value>> {
    using type = void;
};
template <>
struct Calling<inner::TableOfInts> {
    using type = void;
};
template <>
struct Calling<slotwise::ComponentIndex<int, int>> {
    using type = void;
};
// What values may do there is refused by name at level fast; see tests/ecs.
template <>
struct Calling<slotwise::ArchetypeStore> {
    using type = void;
};

template <class C>
inline constexpr bool is_series = requires(C& c) { c.window(); };
template <class C>
inline constexpr bool is_keyed = !is_series<C> && requires(const C& c) { c.key(slot_t{}); };
template <class Entry>
inline constexpr bool is_described = std::is_base_of_v<DescribedVerbs, Entry> || std::is_base_of_v<DescribedSeriesVerbs, Entry>;

template <class Entry, class C>
C made_of_callers() {
    if constexpr (!is_described<Entry>)
        return C();
    else if constexpr (requires { C(TypeDescriptor::of<Caller>(), TypeDescriptor::of<Caller>()); })
        return C(TypeDescriptor::of<Caller>(), TypeDescriptor::of<Caller>());
    else
        return C(TypeDescriptor::of<Caller>());
}

//=== operations: of a container that has elements of the numbers 0 to 11, and names of them ===//

enum class Act : std::uint8_t {
    insert,
    insert_again,
    erase,
    erase_other,
    erase_if,
    extract,
    clear,
    flush,
    reserve,
    shrink,
    look,
    copy,
    end,
    insert_many = end // only from inside of others
};

template <class Entry, class C>
struct Operations {
    using H = decltype(Entry::insert(std::declval<C&>(), 0));

    C& c;
    std::vector<H> names{}, born{}; // of before, and of what act() inserts

    H insert(int n) {
        if constexpr (is_described<Entry>) {
            const Caller key(n);
            if constexpr (is_series<C>) {
                auto writer = Entry::writer(c);
                if constexpr (requires { c.value_type(); })
                    writer.set(&key, &key);
                else
                    writer.add(&key);
            } else if constexpr (!requires { c.slot_of(&key); })
                return c.insert(&key);
            else if constexpr (requires { c.insert(&key, &key); })
                c.insert(&key, &key);
            else
                c.insert(&key);
            if constexpr (requires { c.slot_of(&key); }) return c.handle_at(c.slot_of(&key));
        } else
            return Entry::insert(c, n);
    }
    /// Whether the container has that operation.
    bool act(Act what, int fresh) {
        switch (what) {
        case Act::insert:
            born.push_back(insert(fresh));
            return true;
        case Act::insert_many: // until everything grows
            for (int n = 200; n != 300; ++n) born.push_back(insert(n));
            return true;
        case Act::insert_again:
            insert(2);
            return true;
        case Act::erase:
            Entry::erase(c, names[1]);
            return true;
        case Act::erase_other:
            Entry::erase(c, names[5]);
            return true;
        case Act::erase_if:
            if constexpr (requires { c.erase_if([](const auto&...) { return true; }); }) {
                int asked = 0;
                c.erase_if([&](const auto&...) { return ++asked % 3 == 0; });
                return true;
            }
            return false;
        case Act::extract:
            if constexpr (is_described<Entry>) {
                const Caller key(2);
                if constexpr (requires { c.extract(&key); })
                    static_cast<void>(c.extract(&key));
                else if constexpr (requires { c.extract(names[2]); })
                    static_cast<void>(c.extract(names[2]));
                return !is_series<C>;
            } else if constexpr (requires { typename C::key_type; }) {
                if constexpr (!is_series<C> && requires { c.extract(std::declval<const Caller&>()); }) {
                    static_cast<void>(c.extract(Caller(2)));
                    return true;
                }
                return false;
            } else if constexpr (requires { c.extract(names[2]); }) {
                static_cast<void>(c.extract(names[2]));
                return true;
            }
            return false;
        case Act::clear:
            Entry::clear(c);
            return true;
        case Act::flush:
            if constexpr (requires { c.flush_removed(); }) {
                c.flush_removed();
                return true;
            }
            return false;
        case Act::reserve:
            if constexpr (requires { c.reserve(300); }) {
                c.reserve(300);
                return true;
            }
            return false;
        case Act::shrink:
            if constexpr (requires { c.shrink_to_fit(); }) {
                c.shrink_to_fit();
                return true;
            }
            return false;
        default:
            look();
            return true;
        }
    }
    void look() const {
        std::size_t found = 0;
        for (const H name : names) found += Entry::contains(c, name);
        if constexpr (requires { c.begin(); })
            for (auto it = c.begin(); it != c.end(); ++it) found += 1;
        static_cast<void>(found);
    }
};

struct Count {
    std::size_t combinations = 0, entered = 0;
    std::string fault{};
} counted;

/// What the two operations have said is so: what was erased is gone, and what was inserted lives on, in another slot than what was
/// being erased.
template <class Entry, class C>
bool as_said(const C& c, const Operations<Entry, C>& ops, Act outer, Act inner, bool entered) {
    const auto done = [&](Act what) { return outer == what || (entered && inner == what); };
    const auto there = [&](const auto& name) { return Entry::contains(c, name); };
    bool right = !(done(Act::erase) && there(ops.names[1])) && !(done(Act::erase_other) && there(ops.names[5]));
    if (done(Act::clear) && Entry::names_slots)
        for (const auto name : ops.names) right = right && !there(name);
    if (entered && (inner == Act::insert || inner == Act::insert_many) && outer != Act::erase_if)
        for (const auto name : ops.born) {
            right = right && there(name);
            if constexpr (Entry::names_slots) right = right && !(outer == Act::erase && name.index() == ops.names[1].index());
        }
    return right;
}

/// One operation, entered again by another at the k-th call of the elements. False when there were fewer calls.
template <class Entry, class C, class Allowed>
bool entered_again(Act outer, Act inner, int k, Allowed allowed) {
    const int alive = Caller::alive;
    Caller::errors = 0;
    bool entered = false, has = true;
    {
        C c = made_of_callers<Entry, C>();
        Operations<Entry, C> ops{c};
        for (int n = 0; n != 12; ++n) ops.names.push_back(ops.insert(n));
        for (const std::size_t gone : {3u, 7u}) Entry::erase(c, ops.names[gone]);
        Caller::moves_speak = is_keyed<C> && outer == Act::extract;
        Caller::hook = [&](Call call) {
            if (k-- != 0 || !allowed(call, inner)) return;
            entered = true;
            Caller::hook = nullptr;
            has = ops.act(inner, 30);
        };
        const bool had = ops.act(outer, 20);
        Caller::hook = nullptr;
        Caller::moves_speak = false;
        if (!had) return false;
        counted.entered += entered;
        ops.look();
        std::size_t number = 0;
        if constexpr (requires { c.begin(); })
            for (auto it = c.begin(); it != c.end(); ++it) ++number;
        else
            number = c.size();
        if (!c.check_invariants() || number != c.size() || Caller::errors != 0) counted.fault = "not sound";
        if (!as_said<Entry>(c, ops, outer, inner, entered)) counted.fault = "not as the operations said";
        ops.insert(40);
        if (!c.check_invariants()) counted.fault = "not sound after an insert";
    }
    if (Caller::alive != alive) counted.fault = "leaks or destroys twice";
    return k < 0 && has;
}

struct EnterAgain {
    template <class Entry, class OfInt>
    static void run() {
        using C = typename Calling<OfInt>::type;
        for (int outer = 0; !std::is_void_v<C> && outer != static_cast<int>(Act::end); ++outer)
            for (int inner = 0; inner <= static_cast<int>(Act::insert_many); ++inner) {
                bool more = true;
                for (int k = 0; more && counted.fault.empty(); ++k) {
                    ++counted.combinations;
                    if constexpr (!std::is_void_v<C>)
                        more = entered_again<Entry, C>(static_cast<Act>(outer), static_cast<Act>(inner), k, &allowed<C>);
                    INFO(test::class_name<C>() << ": operation " << outer << ", entered by " << inner << " at call " << k);
                    if (!counted.fault.empty()) FAIL_CHECK(counted.fault);
                }
                counted.fault.clear();
            }
    }
    /// Hash and equality of keyed containers may only look into the container that asks them. Writers of series are entered by
    /// their own tests: from here they are only looked at.
    template <class C>
    static bool allowed(Call call, Act inner) {
        if constexpr (is_series<C>)
            return inner == Act::look;
        else if constexpr (is_keyed<C>)
            return inner == Act::look || (call != Call::hash && call != Call::equal);
        else
            return true;
    }
};

//=== from an observer ===//

struct Watch final : SlotObserver {
    std::function<void()> hook;
    static inline std::size_t said[5] = {};
    void say(int which) noexcept {
        if (!hook) return;
        ++said[which];
        hook();
    }
    void on_capacity(slot_t, slot_t) override { say(0); }
    void on_insert(slot_t, InsertKind) override { say(1); }
    void on_remove(slot_t) noexcept override { say(2); }
    void on_erase(slot_t) noexcept override { say(3); }
    void on_clear(Occupancy) noexcept override { say(4); }
};

template <class C>
inline constexpr bool has_observers = requires(C& c, Watch& watch) { c.attach(watch); };
template <class C, class... Cs>
C first_of(const inner::List<C, Cs...>&);
template <class Entry, class C> // one a class: what costs a process, or a template more
inline constexpr bool is_first = std::is_same_v<C, decltype(first_of(std::declval<const Entry&>()))>;

/// A container of 12 elements, and whom it tells.
template <class Entry, class C>
struct Scene {
    C c = made_of_callers<Entry, C>();
    Operations<Entry, C> ops{c};
    Watch watch{};
    Scene() {
        for (int n = 0; n != 12; ++n) ops.names.push_back(ops.insert(n));
    }
    bool act(Act what, int fresh = 20) { return ops.act(what, fresh); }
    bool sound() {
        ops.look();
        return c.check_invariants() && Caller::errors == 0;
    }
};

/// Each operation, and from each notification of it all that looks, and all that changes another container.
struct LookFromObservers {
    template <class Entry, class OfInt>
    static void run() {
        using C = typename Calling<OfInt>::type;
        if constexpr (has_observers<C>)
            for (int outer = 0; outer != static_cast<int>(Act::end); ++outer) {
                const int alive = Caller::alive;
                Caller::errors = 0;
                {
                    Scene<Entry, C> scene, other;
                    SecondaryMap<typename C::handle_type, Caller> follower;
                    follower.attach_to(scene.c);
                    const auto watching = scene.c.attach(scene.watch);
                    int fresh = 100;
                    scene.watch.hook = [&] {
                        scene.ops.look();
                        other.act(static_cast<Act>(fresh % static_cast<int>(Act::end)), fresh);
                        const auto name = scene.ops.names[static_cast<std::size_t>(++fresh) % scene.ops.names.size()];
                        if (!scene.c.contains(name) || !follower.try_emplace(name, fresh).inserted) follower.erase(name);
                    };
                    scene.act(static_cast<Act>(outer));
                    scene.watch.hook = nullptr;
                    INFO(test::class_name<C>() << ": operation " << outer);
                    CHECK((scene.sound() && other.sound() && follower.check_invariants()));
                    for (const auto name : scene.ops.names) // a column keeps what is pending
                        CHECK((!follower.contains(name) || scene.c.contains(name) ||
                               scene.c.state(name.index()) == SlotState::pending));
                }
                CHECK(Caller::alive == alive);
            }
    }
};

//=== what is forbidden ===//

/// Each must end in a check: forbidden(words, outer operation, inner operation, at which call of which kind).
struct Refused {
    static inline std::size_t checked = 0;
    template <class Entry, class OfInt>
    static void run() {
        using C = typename Calling<OfInt>::type;
        if constexpr (has_observers<C> && is_first<Entry, OfInt>) {
            INFO(test::class_name<C>());
            constexpr Act changes[] = {Act::insert, Act::erase_other, Act::erase_if, Act::extract,
                                       Act::clear,  Act::flush,       Act::reserve,  Act::shrink};
            for (const Act change : changes) {
                INFO("operation " << static_cast<int>(change));
                if (!Scene<Entry, C>().act(change)) continue; // it has none
                if constexpr (SLOTWISE_CHECK_LEVEL >= 2) {
                    const Act outer = checked % 2 != 0 ? Act::insert : Act::erase;
                    CHECK(refused<Entry, C>("an observer changes the container that is notifying it", [&](auto& scene) {
                        const auto watching = scene.c.attach(scene.watch);
                        scene.watch.hook = [&] { scene.act(change, 30); };
                        scene.act(outer);
                    }));
                    // A flush finds nothing to do, and to shrink moves nothing.
                    if (is_keyed<C> && change != Act::flush && change != Act::shrink)
                        CHECK(refused<Entry, C>("equality changes the container that calls it", [&](auto& scene) {
                            enter(scene, Call::equal, 0, change);
                            scene.act(Act::insert_again);
                        }));
                }
            }
            if constexpr (SLOTWISE_CHECK_LEVEL >= 1) {
                for (const Act outer : {Act::clear, Act::erase}) // with deferred erase nothing is destroyed, so nothing refused
                    CHECK(refused<Entry, C>("copy: the source is inside an operation", [&](auto& scene) {
                        Caller::hook = [&](Call call) {
                            if (call == Call::destroy) C copy(scene.c);
                        };
                        scene.act(outer);
                    }));
                for (const int nth : {0, 11})
                    for (const Act change : {Act::clear, Act::erase_other, Act::insert})
                        CHECK(refused<Entry, C>("copy: the copy of ", [&](auto& scene) {
                            enter(scene, Call::copy, nth, change);
                            C copy(scene.c);
                        }));
            }
        }
    }
    /// `change`, at the nth of these calls.
    template <class S>
    static void enter(S& scene, Call when, int nth, Act change) {
        Caller::hook = [&scene, when, nth, change](Call call) mutable {
            if (call == when && nth-- == 0) scene.act(change, 30);
        };
    }
    template <class Entry, class C, class F>
    static bool refused(const char* words, F&& f) {
        ++checked;
        return test::dies_saying(words, [&] {
            Scene<Entry, C> scene;
            f(scene);
            Caller::hook = nullptr;
            scene.watch.hook = nullptr;
            ::_exit(0);
        });
    }
};

} // namespace

TEST_CASE("Every operation of every container may be entered again from the elements it calls", "[properties]") {
    const std::size_t containers = for_each_container_here<EnterAgain>();
    CHECK(containers >= here(44));
    CHECK(counted.combinations > here(10'000));
    CHECK(counted.entered > here(3'000));
}

TEST_CASE("Every hook of an observer may look at the container, and change every other one", "[properties]") {
    for_each_container_here<LookFromObservers>();
    for (const std::size_t times : Watch::said) CHECK(times > here(20));
}

#if SLOTWISE_CHECK_LEVEL >= 1 && !defined(SLOTWISE_TEST_REST) // with the first options of each container
TEST_CASE("What must not happen inside an operation ends in a check that names it", "[properties]") {
    for_each_container_here<Refused>();
    CHECK(Refused::checked > 50);
}
#endif

} // namespace test::every

template <>
struct std::hash<test::every::Caller> : test::every::CallerHash {};
