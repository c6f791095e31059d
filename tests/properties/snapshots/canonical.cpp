// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of every container: the same state gives the same bytes, and restore refuses bytes that snapshot would not write.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/snapshots.hpp"

#include <cstring>
#include <limits>
#include <set>
#include <string>

namespace {
using namespace test::every;
using test::Random;
using Bytes = std::vector<std::byte>;

/// Of the ints that described containers hold.
const AnyCodec& ints() {
    static const AnyCodec codec = [] {
        AnyCodec made;
        made.add<int>();
        return made;
    }();
    return codec;
}
template <class C>
Bytes snapshot_of(const C& c) {
    if constexpr (requires { c.snapshot(); })
        return c.snapshot();
    else
        return c.snapshot(ints());
}
template <class C>
const char* try_to_restore(C& c, const Bytes& bytes) {
    if constexpr (requires { c.snapshot(); })
        return c.try_restore(bytes);
    else
        return c.try_restore(bytes, ints());
}
template <class C>
constexpr bool has_snapshot = requires(const C& c) { c.snapshot(); } || requires(const C& c) { c.snapshot(ints()); };
template <class C>
constexpr bool is_series = requires(const C& c) { c.window(); };

/// Places that are in use, or retired.
template <class C>
std::size_t room(const C& c) {
    if constexpr (requires { c.capacity(); })
        return c.capacity();
    else if constexpr (requires { c.retired(); })
        return c.size() + c.retired();
    else
        return c.size();
}

//=== a history: inserts, erases, pending, reserved and retired slots, floors, windows ===//

template <class Entry, class C>
class History {
public:
    explicit History(std::uint64_t seed) : random_(seed) {}
    void steps(C& c, int count) {
        for (int i = 0; i != count; ++i) step(c);
    }

private:
    using Name = decltype(Entry::insert(std::declval<C&>(), 0));
    void step(C& c) {
        const auto dice = random_.below(100);
        if (names_.empty() || (dice < 50 && c.size() < 90))
            names_.push_back(Entry::insert(c, next_++ % 200));
        else if (dice < 90) {
            const auto at = names_.begin() + random_.below(names_.size());
            Entry::erase(c, *at);
            names_.erase(at);
        } else if (dice < 93)
            c.shrink_to_fit();
        else if (dice < 96) {
            if constexpr (requires { c.flush_removed(); }) c.flush_removed();
            if constexpr (is_series<C>)
                if (c.window() != (std::numeric_limits<typename C::time_type>::max)())
                    static_cast<void>(c.write(c.window() == C::never ? 1 : c.window() + 1));
            if constexpr (requires { c.evaluations(); }) evaluate(c);
            if constexpr (requires { c.cancel(c.reserve_handle()); }) reserved_.push_back(c.reserve_handle());
        } else if (dice < 98) {
            if constexpr (requires { c.cancel(reserved_.back()); })
                if (!reserved_.empty()) c.cancel(reserved_.back()), reserved_.pop_back();
        } else if (dice < 99 && c.size() > 60)
            Entry::clear(c);
    }

    /// Each node runs that is due, and adds what it reads.
    static void evaluate(C& graph) {
        graph.evaluate([](int node, auto& context) {
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, (node + context.input(0)) % 1000);
            for (slot_t o = 0; o != context.outputs(); ++o) context.edit_output(o, [](int& value) { ++value; });
            for (slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, node % 7);
        });
        if (!graph.check_invariants()) FAIL("not sound after an evaluation");
    }

    Random random_;
    int next_ = 0;
    std::vector<Name> names_;
    std::vector<Name> reserved_;
};

/// The same container, with each order in which a series may give its changes; a snapshot may have that of another
/// representation.
template <class C>
struct Sibling {
    using type = C;
};
template <SeriesOptions O>
constexpr SeriesOptions adaptive = [] {
    SeriesOptions options = O;
    options.delta = DeltaRepresentation::adaptive;
    return options;
}();
template <class K, SeriesOptions O>
struct Sibling<TSSStorage<K, Options<O>>> {
    using type = TSSStorage<K, Options<adaptive<O>>>;
};
template <class K, class T, SeriesOptions O>
struct Sibling<TSDStorage<K, T, Options<O>>> {
    using type = TSDStorage<K, T, Options<adaptive<O>>>;
};
template <SeriesOptions O>
struct Sibling<slotwise::BasicAnyTSSStorage<Options<O>>> {
    using type = slotwise::BasicAnyTSSStorage<Options<adaptive<O>>>;
};
template <SeriesOptions O>
struct Sibling<slotwise::BasicAnyTSDStorage<Options<O>>> {
    using type = slotwise::BasicAnyTSDStorage<Options<adaptive<O>>>;
};

std::size_t taken = 0, refused = 0;
std::set<std::string> reasons;

/// A store of entities is copied by its snapshot only, and has no equality.
template <class C>
C copied(const C& c) {
    if constexpr (std::is_copy_constructible_v<C>) {
        return c;
    } else {
        C copy = made<C>();
        copy.restore(snapshot_of(c));
        return copy;
    }
}
template <class C>
bool same(const C& a, const C& b) {
    if constexpr (std::equality_comparable<C>)
        return a == b;
    else
        return snapshot_of(a) == snapshot_of(b);
}

/// Refuses `bytes` for a reason and without a change, or takes them and would write them so, and goes on as its twin does.
/// @tparam Entry void: of elements that it cannot make
template <class Entry, class C>
void takes_only_what_it_writes(const Bytes& bytes) {
    C target = made<C>();
    if constexpr (!std::is_void_v<Entry>) History<Entry, C>(5).steps(target, 6);
    const Bytes before = snapshot_of(target);
    if (const char* const error = try_to_restore(target, bytes)) {
        ++refused;
        reasons.insert(error);
        if (std::strncmp(error, "snapshot: ", 10) != 0) FAIL(error);
        if (snapshot_of(target) != before || !target.check_invariants()) FAIL("refused, but changed: " << error);
        return;
    }
    ++taken;
    if (!target.check_invariants()) FAIL("took what is not sound");
    const Bytes again = snapshot_of(target);
    if (again != bytes) {
        auto sibling = made<typename Sibling<C>::type>();
        if (try_to_restore(sibling, bytes) != nullptr || snapshot_of(sibling) != bytes)
            FAIL("took what it would not write: " << SLOTWISE_TEST_FUNCTION);
    }
    if constexpr (!std::is_void_v<Entry>) {
        C twin = made<C>();
        if (try_to_restore(twin, again) != nullptr || !same(twin, target)) FAIL("its own snapshot differs");
        std::size_t most = static_cast<std::size_t>(-1);
        if constexpr (is_series<C>)
            most = target.as_set().max_size();
        else if constexpr (requires { C::max_size(); })
            most = C::max_size();
        if (room(target) + 64 > most) return; // it may be full of what is retired
        History<Entry, C>(6).steps(target, 12), History<Entry, C>(6).steps(twin, 12);
        if (!target.check_invariants() || snapshot_of(twin) != snapshot_of(target)) FAIL("another future");
        Entry::clear(target);
        if (!target.check_invariants()) FAIL("not sound after clear");
    }
}
/// Cut off anywhere; each byte changed, three of its bits if `thorough`, or with what it counts; noise behind a sound head.
template <class Entry, class C>
void takes_no_forgery(const Bytes& bytes, std::uint64_t seed, bool thorough = false) {
    Random random(seed);
    const auto at_most = [&](std::size_t length) {
        return Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    };
    const test::OpenSnapshot open(bytes);
    for (std::size_t length = 0; length < open.state.size(); length += thorough ? 1 : 1 + length / 16)
        takes_only_what_it_writes<Entry, C>(test::forged(bytes, [&](Bytes& state) { state.resize(length); }));
    for (std::size_t at = 0; at != bytes.size(); ++at) {
        const unsigned chosen = random.below(8);
        for (unsigned bit = 0; bit != 8; ++bit) {
            const unsigned each = thorough ? 3 : 8;
            if (bit % each != chosen % each) continue;
            Bytes forged = bytes;
            forged[at] ^= static_cast<std::byte>(1u << bit);
            takes_only_what_it_writes<Entry, C>(test::reseal(forged));
        }
        // A number that counts something, with what it counts: a byte more, or some words.
        if (at >= open.state.size()) continue;
        takes_only_what_it_writes<Entry, C>(test::forged(bytes, [&](Bytes& state) {
            state[at] = static_cast<std::byte>(std::to_integer<unsigned>(state[at]) + 1u);
            const auto to = static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(state.size())));
            state.insert(state.begin() + to, random.chance(50) ? 1 + random.below(4) : 8 * (1 + random.below(3)), std::byte{0});
        }));
    }
    for (int i = 0; thorough && i != 100; ++i) {
        Bytes noise = at_most(random.below(bytes.size()));
        for (std::uint32_t n = random.below(200); n != 0; --n) noise.push_back(static_cast<std::byte>(random.below(256)));
        takes_only_what_it_writes<Entry, C>(i % 2 == 0 ? noise : test::reseal(noise));
    }
}

struct SameStateSameBytes {
    template <class Entry, class C>
    static void run() {
        if constexpr (has_snapshot<C>) {
            for (std::uint64_t seed = 1; seed != 6; ++seed) {
                CAPTURE(seed);
                C c = made<C>();
                History<Entry, C> history(seed);
                history.steps(c, 80 * static_cast<int>(seed));
                const Bytes bytes = snapshot_of(c);
                CHECK(snapshot_of(c) == bytes);
                C copy = copied(c), restored = made<C>(), assigned = made<C>();
                Entry::insert(restored, 7);
                if (try_to_restore(restored, bytes) != nullptr) FAIL("its own snapshot is refused");
                if constexpr (std::is_copy_assignable_v<C>)
                    assigned = copy;
                else
                    assigned = copied(copy);
                CHECK(snapshot_of(copy) == bytes);
                CHECK(snapshot_of(restored) == bytes);
                CHECK(snapshot_of(assigned) == bytes);
                C moved(std::move(copy));
                CHECK(snapshot_of(moved) == bytes);
                using std::swap;
                swap(moved, restored);
                CHECK(snapshot_of(moved) == bytes);
                CHECK(snapshot_of(restored) == bytes);
                // And so after the same calls.
                auto same = history;
                history.steps(c, 60);
                same.steps(restored, 60);
                CHECK(snapshot_of(restored) == snapshot_of(c));
            }
        } else // types that are described at run time have no codec, and a map that follows another is made again with it
            STATIC_REQUIRE((!requires(const C& c) {
                c.occupancy();
                c.observer();
            } && !is_series<C>));
    }
};

struct TakesNoForgery {
    template <class Entry, class C>
    static void run() {
        if constexpr (has_snapshot<C>)
            for (const std::uint64_t seed : {1u, 2u, 3u}) {
                CAPTURE(seed);
                C c = made<C>();
                History<Entry, C> history(seed);
                history.steps(c, seed == 1 ? 12 : 60);
                takes_no_forgery<Entry, C>(snapshot_of(c), seed, seed == 1);
            }
    }
};

/// Each number that may be a count, a version, a clock or a window: nothing, the most there is, and its neighbours.
template <class Number, class Entry, class C>
void takes_no_extreme(const Bytes& bytes) {
    constexpr Number most = (std::numeric_limits<Number>::max)(), half = most / 2;
    for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); ++at)
        for (const Number value :
             {Number{0}, Number{1}, half, static_cast<Number>(half + 1), static_cast<Number>(most - 1), most}) {
            Bytes forged = bytes;
            std::memcpy(forged.data() + at, &value, sizeof value);
            takes_only_what_it_writes<Entry, C>(forged);
        }
}
struct TakesNoExtreme {
    template <class Entry, class C>
    static void run() {
        if constexpr (has_snapshot<C>) {
            C c = made<C>();
            takes_no_extreme<std::uint64_t, Entry, C>(snapshot_of(c));
            History<Entry, C> history(1);
            history.steps(c, 8);
            const Bytes bytes = snapshot_of(c);
            takes_no_extreme<std::uint32_t, Entry, C>(bytes);
            takes_no_extreme<std::uint64_t, Entry, C>(bytes);
        }
    }
};

//=== every kind of value, as an element, a key, a value and a column ===//

enum class Kind : short { none, rock, ship };
struct Padded {
    char letter = 'p';
    double number = 0;
    bool on = false;
    bool operator==(const Padded&) const = default; // a member: not every part of the types uses it
};
class Hidden {
public:
    explicit Hidden(int n = 0) noexcept : letter_(static_cast<char>(n)), number_(n) {}
    Hidden* operator&() const = delete;
    bool operator==(const Hidden&) const = default; // a member: not every part of the types uses it

private:
    friend CodecFor<Hidden>;
    char letter_;
    std::int64_t number_;
};

unsigned char fill = 0;
/// Filled with `fill` before anybody gets it, as freed memory would be.
template <class T>
struct Dirty {
    using value_type = T;
    using is_always_equal = std::true_type;
    Dirty() = default;
    template <class U>
    Dirty(const Dirty<U>&) noexcept {}
    T* allocate(std::size_t count) {
        void* const memory = ::operator new(count * sizeof(T), std::align_val_t{alignof(T)});
        std::memset(memory, fill, count * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept {
        ::operator delete(static_cast<void*>(memory), std::align_val_t{alignof(T)});
    }
    friend bool operator==(Dirty, Dirty) { return true; }
};
template <class T>
struct Same { // as a key
    std::size_t operator()(const T&) const noexcept { return 7; }
};

/// A T that says `n`, in memory that was full of `fill`.
template <class T>
T value_of(int n) {
    alignas(T) std::byte memory[sizeof(T)];
    std::memset(memory, fill, sizeof memory);
    T* value = nullptr;
    if constexpr (std::is_same_v<T, bool>)
        value = ::new (static_cast<void*>(memory)) T(n % 2 == 1);
    else if constexpr (std::is_same_v<T, Kind>)
        value = ::new (static_cast<void*>(memory)) T(static_cast<Kind>(n % 3));
    else if constexpr (std::is_same_v<T, std::string>)
        value = ::new (static_cast<void*>(memory)) T(std::to_string(n));
    else if constexpr (std::is_same_v<T, Padded>)
        value = ::new (static_cast<void*>(memory)) T{static_cast<char>(n), 0.5 * n, n % 2 == 1};
    else if constexpr (std::is_same_v<T, std::vector<bool>>)
        value = ::new (static_cast<void*>(memory)) T(static_cast<std::size_t>(n), true);
    else if constexpr (requires { typename T::value_type::second_type; })
        value = ::new (static_cast<void*>(memory)) T(1, {value_of<bool>(n), std::to_string(n)});
    else if constexpr (requires { typename T::value_type; })
        value = ::new (static_cast<void*>(memory)) T{value_of<typename T::value_type>(n)};
    else if constexpr (requires { typename T::first_type; })
        value = ::new (static_cast<void*>(memory)) T(value_of<char>(n), value_of<typename T::second_type>(n));
    else if constexpr (requires { std::tuple_size<T>::value; })
        value = ::new (static_cast<void*>(memory))
            T(value_of<std::tuple_element_t<0, T>>(n), value_of<std::tuple_element_t<1, T>>(n));
    else
        value = ::new (static_cast<void*>(memory)) T(static_cast<T>(n));
    T result(std::move(*value));
    std::destroy_at(value);
    return result;
}

template <class T>
using Stable = SlotMap<T, Options<SlotMapOptions{.handle = {12, 4, 0}}>, AllocBy<Dirty<T>>, Column<T>, Column<int>>;
template <class T>
using Packed = DenseSlotMap<T, Options<SlotMapOptions{.handle = {12, 4, 0}}>, AllocBy<Dirty<T>>, Column<T>>;
template <class T>
using SoaRows = BasicSoaSlotMap<Members<T, int>, Options<SlotMapOptions{.handle = {12, 4, 0}}>, AllocBy<Dirty<std::byte>>>;
template <class T>
using Map = MapStorage<int, T, Options<KeySetOptions{.deferred_erase = true, .handle = {12, 4, 0}}>, AllocBy<Dirty<int>>,
                       ValueArray<T, Dirty<T>>>;
template <class T>
using Set = SetStorage<T, HashBy<Same<T>>, Options<KeySetOptions{.handle = {12, 4, 0}}>, AllocBy<Dirty<T>>>;
template <class T>
using Dict = TSDStorage<int, T, Options<SeriesOptions{.handle = {12, 4, 0}}>, AllocBy<Dirty<int>>,
                        ValueArray<int, Dirty<int>>>; // its columns' hooks may not throw

/// Six elements of T, and what columns there are; one is erased.
template <class C, class T, bool HasColumn>
C filled() {
    C c;
    const auto set_column = [&]([[maybe_unused]] slot_t slot, [[maybe_unused]] int n) {
        if constexpr (HasColumn) c.template observer<0>()[slot] = value_of<T>(n);
    };
    for (int n = 0; n != 6; ++n)
        if constexpr (is_series<C>) {
            auto w = c.write(1 + n / 4);
            c.template observer<0>()[w.set(n, value_of<T>(n)).it.slot()] = n + 1;
        } else if constexpr (requires { typename C::mapped_type; })
            set_column(c.insert(n, value_of<T>(n)).it.slot(), n + 1);
        else if constexpr (requires { typename C::key_type; })
            c.insert(value_of<T>(n));
        else if constexpr (HasColumn)
            set_column(c.insert(value_of<T>(n)).index(), n + 1);
        else
            c.insert(value_of<T>(n), n);
    if constexpr (is_series<C>)
        c.write(2).remove(1);
    else
        c.erase(c.handle_at(0));
    return c;
}
template <class C, class T, bool HasColumn = true>
void carries() {
    Bytes both[2];
    for (const int i : {0, 1}) {
        fill = i == 0 ? 0x00 : 0x5E;
        const C c = filled<C, T, HasColumn>();
        both[i] = snapshot_of(c);
        C restored;
        REQUIRE(try_to_restore(restored, both[i]) == nullptr);
        REQUIRE(restored == c);
        REQUIRE(snapshot_of(restored) == both[i]);
    }
    REQUIRE(both[0] == both[1]);
    takes_no_forgery<void, C>(both[0], 5);
}
} // namespace

template <>
struct slotwise::CodecFor<Kind> : slotwise::EnumCodec<Kind::none, Kind::ship> {};
template <>
struct slotwise::CodecFor<Hidden> : slotwise::MemberCodec<&Hidden::letter_, &Hidden::number_> {};

TEST_CASE("every container: the same state is the same bytes, copied, moved, swapped, restored, and after the same calls",
          "[properties][snapshot]") {
    CHECK(for_each_container_here<SameStateSameBytes>() >= here(44));
}

TEST_CASE("every container: bytes that snapshot would not write are refused", "[properties][snapshot]") {
    taken = refused = 0;
    CHECK(for_each_container_here<TakesNoForgery>() >= here(44));
    CHECK(taken > here(1'000));
    CHECK(refused > here(50'000));
    CHECK(reasons.size() >= 10);
}

TEST_CASE("every container: a count, version, clock or window near its end is refused, or the container goes on with it",
          "[properties][snapshot]") {
    taken = refused = 0;
    CHECK(for_each_container_here<TakesNoExtreme>() >= here(44));
    CHECK(taken > here(1'000));
    CHECK(refused > here(10'000));
}

#if defined(SLOTWISE_TEST_REST) // see support/bounds.hpp
#define KINDS_OF_VALUES                                                                                                        \
    int, double, Kind, Hidden, std::string, std::vector<bool>, std::optional<bool>, (std::tuple<bool, std::string>)
#else
#define KINDS_OF_VALUES bool, Padded, std::vector<Padded>, (std::pair<char, Padded>)
#endif
TEMPLATE_TEST_CASE("every kind of value, in every container and column: without padding, and no other bytes are taken",
                   "[properties][snapshot]", KINDS_OF_VALUES) {
    taken = refused = 0;
    carries<Stable<TestType>, TestType>();
    if constexpr (!std::is_same_v<TestType, bool>) carries<Packed<TestType>, TestType>();
    carries<SoaRows<TestType>, TestType, false>();
    carries<Map<TestType>, TestType>();
    carries<Set<TestType>, TestType, false>();
    carries<Dict<TestType>, TestType, false>();
    CHECK(taken > 10);
    CHECK(refused > 1'000);
}
