// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every container is asked, with a throw at every step, by elements, hash, equality, observers, predicates and allocator:
// copies, moves, assignments and swaps between unequal allocators; reserve and shrink_to_fit; restore; attach; erase_if.
// Whatever throws, the container is as it was, its future handles included, it lives on, and no object or byte is lost. What
// only one kind of containers has is in tests/<folder>/throwing_*.cpp.
#include "properties/containers.hpp"

#include "keyed/subjects.hpp"
#include "map/subjects.hpp"
#include "series/any_subjects.hpp"
#include "series/subjects.hpp"
#include "sparse/subjects.hpp"
#include "support/maps.hpp"

#include <slotwise/rows/any_codec.hpp>

using namespace test;

namespace {

/// The containers of these subjects (support/whole.hpp) are asked.
template <class... Subjects>
struct Asked {
    template <class F>
    static void each(F&& f) {
        (f.template operator()<Subjects>(), ...);
    }
};
/// The container has functions of its own, or none of these: a file of its own asks it, tests/<folder>/throwing_*.cpp.
struct InAFileOfItsOwn {
    template <class F>
    static void each(F&&) {}
};

/// A new container of containers.hpp is an error here, until it says what it is made of when everything may throw.
template <class Entry>
struct WhereAllMayThrow;

template <class Storage>
using OfElements = Asked<SlotMaps<Storage, Throwing>, SlotMaps<Storage, ThrowingCopy>>;
template <class Key, KeySetOptions O>
using KeySets = Keyed<SetStorages<Key, ThrowingHash, ThrowingEqual, O>>;

namespace entry = test::every::entry;
template <>
struct WhereAllMayThrow<entry::SlotMap> : OfElements<Paged> {};
template <>
struct WhereAllMayThrow<entry::DenseSlotMap> : OfElements<Dense> {};
template <>
struct WhereAllMayThrow<entry::BasicSoaSlotMap> : OfElements<Soa> {};
template <>
struct WhereAllMayThrow<entry::HandlePool> : Asked<Pools<ThrowingCopy>> {};
template <>
struct WhereAllMayThrow<entry::BasicAnySlotMap> : Asked<DescribedSlotMaps<ThrowingCopy>, DescribedSlotMaps<Throwing>> {};
template <>
struct WhereAllMayThrow<entry::SecondaryMap>
    : Asked<Secondaries<SecondaryMap, ThrowingCopy>, Secondaries<SecondaryMap, Throwing>> {};
template <>
struct WhereAllMayThrow<entry::SparseSecondaryMap> : Asked<Secondaries<SparseSecondaryMap, ThrowingCopy>> {};
template <>
struct WhereAllMayThrow<entry::IndexMap> : Asked<Indexes<ThrowingCopy>, Indexes<Throwing>> {};
template <>
struct WhereAllMayThrow<entry::IdentityMap> : Asked<Identities<ThrowingCopy>> {};
template <>
struct WhereAllMayThrow<entry::SetStorage> : Asked<KeySets<Throwing, at_once>, KeySets<ThrowingCopy, deferred>> {};
template <>
struct WhereAllMayThrow<entry::MapStorage>
    : Asked<Keyed<MapStorages<Throwing, Throwing, ThrowingHash, ThrowingEqual, deferred>>> {};
template <>
struct WhereAllMayThrow<entry::BasicAnySetStorage> : Asked<DescribedOnes<false, Throwing>> {};
template <>
struct WhereAllMayThrow<entry::BasicAnyMapStorage> : Asked<DescribedOnes<true, Throwing>> {};
template <>
struct WhereAllMayThrow<entry::TSSStorage>
    : Asked<TimeSets<Throwing, ThrowingHash, ThrowingEqual, DeltaRepresentation::dirty_list>> {};
template <>
struct WhereAllMayThrow<entry::TSDStorage>
    : Asked<TimeDicts<Throwing, ThrowingCopy, ThrowingHash, ThrowingEqual, DeltaRepresentation::bitmap>> {};
template <>
struct WhereAllMayThrow<entry::BasicAnyTSSStorage>
    : Asked<DescribedTimes<false, Throwing>, DescribedTimes<false, ThrowingCopy, Tracked, DeltaRepresentation::bitmap>> {};
template <>
struct WhereAllMayThrow<entry::BasicAnyTSDStorage>
    : Asked<DescribedTimes<true, Throwing, ThrowingCopy>,
            DescribedTimes<true, ThrowingCopy, ThrowingCopy, DeltaRepresentation::dirty_list>> {};
template <>
struct WhereAllMayThrow<entry::EntityIndex> : Asked<EntityIndices> {};
template <>
struct WhereAllMayThrow<entry::SparseSet> : Asked<SparseSets> {};
template <>
struct WhereAllMayThrow<entry::SparseMap> : Asked<SparseMaps<ThrowingCopy>> {};
template <>
struct WhereAllMayThrow<entry::SwitchMap> : Asked<Switches<ThrowingCopy>> {};
template <>
struct WhereAllMayThrow<entry::BasicSoaVector> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::BasicAnyRows> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::RelationMap> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::Table> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::ArchetypeGraph> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::ComponentIndex> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::ArchetypeStore> : InAFileOfItsOwn {};
template <>
struct WhereAllMayThrow<entry::DataflowGraph> : InAFileOfItsOwn {};

template <class Subject>
using failing = typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

/// Calls ask<Subject, its container>() for all of them; answers how many were asked something.
template <class Ask>
std::size_t each_container(Ask&& ask) {
    std::size_t asked = 0;
    const auto one = [&]<class Entry>() {
        if constexpr (Entry::is_container)
            WhereAllMayThrow<Entry>::each(
                [&]<class Subject>() { asked += ask.template operator()<Subject, failing<Subject>>(); });
    };
#define SLOTWISE_PUBLIC_CLASS(name) one.template operator()<entry::name>();
#include "slotwise_public_classes.inc" // written by CMake: one such line for each class of fwd.hpp
#undef SLOTWISE_PUBLIC_CLASS
    return asked;
}

/// Counts the elements that it is told of. It refuses each in turn; those of a series it must not, and refuses slots.
template <bool OfSeries>
struct Refuses final : SlotObserver {
    std::size_t elements = 0;
    void on_insert(slot_t, InsertKind) override {
        Budget::spend();
        ++elements;
    }
    void on_erase(slot_t) noexcept override { --elements; }
};
template <>
struct Refuses<true> final : SlotObserver {
    std::size_t elements = 0;
    slot_t slots = 0;
    void on_capacity(slot_t, slot_t now) override {
        Budget::spend();
        slots = now;
    }
    void on_insert(slot_t, InsertKind) noexcept override { ++elements; }
    void on_erase(slot_t) noexcept override { --elements; }
};
struct RefusesRows final : RowObserver {
    std::size_t elements = 0;
    void on_insert(std::size_t) override {
        Budget::spend();
        ++elements;
    }
    void on_erase(std::size_t) noexcept override { --elements; }
    void on_clear() noexcept override { elements = 0; }
};

/// Of values that these tests have: as their number.
const AnyCodec& numbers_of_any() {
    static const AnyCodec codec = [] {
        AnyCodec made;
        made.add<Throwing, NumberCodec>().add<ThrowingCopy, NumberCodec>().add<Tracked, NumberCodec>();
        return made;
    }();
    return codec;
}
/// Calls f(codec...) with what the container's snapshots need.
template <class C, class F>
decltype(auto) with_codec(F&& f) {
    if constexpr (requires { typename C::reported_class; })
        return f(numbers_of_any());
    else
        return f(NumberText());
}

/// An attach that throws leaves no trace in observer and container.
template <class Subject, class C, class Observer>
void sweep_attach() {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<inner::reported<C>>("attach"), [](auto&& attempt) {
        Observer observer;
        C c = sample<Subject, C>(1, 100, 30);
        const Contents before = Subject::contents(c);
        decltype(c.attach(observer)) token;
        const bool threw = attempt([&] { token = c.attach(observer); });
        demand(token.attached() == !threw, "it is attached although it threw, or is not");
        demand((observer.elements == 0) == threw, "it was told of elements, or was not");
        demand(Subject::sound(c) && Subject::contents(c) == before, "the container has changed");
        Subject::fill(c, 9000, 10);
        demand((observer.elements == 0) == threw, "it hears although it is not attached");
        if constexpr (requires { observer.slots; }) {
            c.reserve(2000);
            demand((observer.slots == 0) == threw, "it was told of slots, or was not");
        }
        demand(Subject::sound(c), "it is not sound after an insert");
    });
    demand(failures != 0, "nothing threw");
}

} // namespace

TEST_CASE("a copy, move, assignment or swap that throws leaves both containers sound", "[properties][throwing][throws]") {
    const std::size_t asked = each_container([]<class Subject, class C>() {
        sweep_whole<Subject, C>();
        return true;
    });
    REQUIRE(asked >= 26);
}

TEST_CASE("a reserve or shrink_to_fit that throws leaves the container as it was", "[properties][throwing][throws]") {
    const std::size_t asked = each_container([]<class Subject, class C>() {
        if constexpr (requires(C& c) { c.reserve(5000); }) {
            sweep_function<Subject, C>("reserve", [](C& c) { c.reserve(20'000); });
            const auto spare = [](C& c) {
                if constexpr (requires { Subject::leave_room(c); })
                    Subject::leave_room(c);
                else
                    c.reserve(5000);
            };
            sweep_function<Subject, C>("shrink_to_fit", spare, [](C& c) { c.shrink_to_fit(); });
            return true;
        }
        return false;
    });
    REQUIRE(asked >= 20);
}

TEST_CASE("a restore that throws leaves the container as it was", "[properties][throwing][throws]") {
    const std::size_t asked = each_container([]<class Subject, class C>() {
        return with_codec<C>([](const auto& codec) {
            if constexpr (requires(C& c) { c.restore(c.snapshot(codec), codec); }) {
                NothingLeaks objects;
                EveryByteReturned bytes;
                const auto other = sample<Subject, C>(1, 500, 300).snapshot(codec);
                sweep_function<Subject, C>("restore", [&](C& c) { c.restore(other, codec); });
                sweep_function<Subject, C>("try_restore", [&](C& c) {
                    demand(c.try_restore(other, codec) == nullptr, "a sound snapshot is refused");
                });
                return true;
            }
            return false;
        });
    });
    REQUIRE(asked >= 20);
}

TEST_CASE("an observer that throws while it attaches is not attached, and has heard of the end of what it heard of",
          "[properties][throwing][throws]") {
    const std::size_t asked = each_container([]<class Subject, class C>() {
        using OfSlots = Refuses<requires { typename C::writer; }>;
        if constexpr (requires(C& c, OfSlots& observer) { c.attach(observer); })
            return sweep_attach<Subject, C, OfSlots>(), true;
        else if constexpr (requires(C& c, RefusesRows& observer) { c.attach(observer); })
            return sweep_attach<Subject, C, RefusesRows>(), true;
        return false;
    });
    REQUIRE(asked >= 15);
}

TEST_CASE("an erase_if whose predicate throws before it has erased leaves the container as it was",
          "[properties][throwing][throws]") {
    const std::size_t asked = each_container([]<class Subject, class C>() {
        const auto keeps_all = [](const auto&...) {
            Budget::spend();
            return false;
        };
        if constexpr (requires(C& c) { c.erase_if(keeps_all); }) {
            sweep_function<Subject, C>("erase_if", [&](C& c) { c.erase_if(keeps_all); });
            return true;
        }
        return false;
    });
    REQUIRE(asked >= 12);
}
