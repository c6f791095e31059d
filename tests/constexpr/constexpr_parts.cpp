// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of the library in constant expressions, room by room: what no container shows by itself. Containers are in
// tests/<folder>/constexpr_*.cpp, series and their parts beside this.
#include "support/catch.hpp"
#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/core/codec.hpp>
#include <slotwise/core/detail/iterators.hpp>
#include <slotwise/core/detail/seal.hpp>
#include <slotwise/core/handle.hpp>
#include <slotwise/core/type_descriptor.hpp>
#include <slotwise/ecs/archetype_graph.hpp>
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/component_id.hpp>
#include <slotwise/ecs/component_index.hpp>
#include <slotwise/ecs/detail/command_batch.hpp>
#include <slotwise/ecs/entity_location.hpp>
#include <slotwise/ecs/query.hpp>
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/keyed/storage_ops.hpp>
#include <slotwise/memory/aligned_array.hpp>
#include <slotwise/memory/free_slots.hpp>
#include <slotwise/memory/paged_array.hpp>
#include <slotwise/rows/soa_vector.hpp>
#include <slotwise/slots/detail/observer_hub.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>

//=== memory: free slots, arrays, sets of numbers ===//

namespace memory_parts {

namespace {

using namespace slotwise;
using Allocator = std::allocator<std::byte>;

template <Reuse R>
constexpr int lists() {
    auto free = detail::FreeSlots<R, Allocator>().resized(64, Allocator());
    for (slot_t slot = 1; slot != 4; ++slot) free.push(slot);
    const auto order = [&] {
        slot_t digits = 0;
        free.order([&](slot_t slot) { digits = 10 * digits + slot; });
        return digits;
    };
    const slot_t before = R == Reuse::lifo ? 321 : 123;
    HOLDS(order() == before && free.size() == 3);
    const slot_t first = free.pop(0);
    HOLDS(first == before / 100 && order() == before % 100);
    free.undo_pop(first);
    HOLDS(order() == before);
    free.remove(2, 0);
    HOLDS(order() == before / 100 * 10 + before % 10);
    const auto is_listed = [](slot_t slot) { return slot >= 1 && slot <= 3; };
    free.undo_remove(2, is_listed);
    HOLDS(order() == before && free.is_sound(is_listed));
    auto moved(std::move(free));
    HOLDS(moved.size() == 3 && free.empty());
    free.swap(moved);
    free.clear();
    HOLDS(free.empty() && order() == 0);
    return 0;
}

constexpr int lowest_first() {
    bits::word_t vacant[2] = {};
    const auto vacant_in = [&](std::size_t word) { return vacant[word]; };
    const auto mark = [&](slot_t slot) { vacant[bits::word_of(slot)] ^= bits::bit_of(slot); };
    auto free = detail::FreeSlots<Reuse::lowest, Allocator>().resized(128, Allocator());
    for (const slot_t slot : {5u, 70u, 3u}) {
        mark(slot);
        free.push(slot);
    }
    HOLDS(free.size() == 3 && free.is_sound(2, vacant_in));
    const slot_t first = free.pop(vacant_in);
    mark(first);
    HOLDS(first == 3 && free.size() == 2 && free.is_sound(2, vacant_in));
    mark(first);
    free.undo_pop(first);
    HOLDS(free.size() == 3 && free.is_sound(2, vacant_in));
    mark(70);
    free.remove(70, vacant_in);
    HOLDS(free.size() == 2 && free.is_sound(2, vacant_in));
    mark(70);
    free.undo_remove(70, [](slot_t) { return true; });
    HOLDS(free.is_sound(2, vacant_in));
    auto moved(std::move(free));
    HOLDS(moved.size() == 3 && free.empty());
    free.swap(moved);
    slot_t last = 0;
    while (!free.empty()) mark(last = free.pop(vacant_in));
    HOLDS(last == 70 && vacant[0] == 0 && vacant[1] == 0);
    return 0;
}

/// Knows where it was moved to, and has a destructor.
struct Moved {
    int number;
    constexpr explicit Moved(int n) : number(n) {}
    constexpr Moved(Moved&& other) noexcept : number(other.number) { other.number = -1; }
    constexpr ~Moved() {}
};

constexpr int aligned_arrays() {
    AlignedArray<Moved> array;
    array.resize(2, 0);
    array.construct(0, 10);
    array.construct(1, 11);
    array.resize(5, 2);
    HOLDS(array.capacity() == 5 && array[0].number == 10 && array.data()[1].number == 11);
    AlignedArray<Moved> fresh = array.sized(8);
    array.relocate_into(fresh, 2);
    HOLDS(fresh.capacity() == 8 && fresh[1].number == 11 && array[1].number == -1);
    array.take_back(fresh, 2);
    HOLDS(array[0].number == 10 && array[1].number == 11);
    array.destroy(0, 2);
    return 0;
}

constexpr int allocators_that_cannot_be_assigned() {
    test::NumberedAllocator<int> a(1), b(2);
    detail::exchange_allocators(a, b);
    HOLDS(a.number() == 2 && b.number() == 1);
    detail::renew(a, b);
    HOLDS(a == b);
    Moved one(1), two(2);
    detail::exchange_by_moving(one, two);
    HOLDS(one.number == 2 && two.number == 1);
    return 0;
}

constexpr int sets_of_numbers() {
    auto numbers = detail::SummaryBits<Allocator>().resized(5000, Allocator());
    HOLDS(numbers.none() && !numbers.test(4900));
    numbers.set(4900);
    numbers.set(70);
    HOLDS(!numbers.none() && numbers.lowest() == 70 && numbers.test(4900));
    numbers.reset(70);
    HOLDS(numbers.lowest() == 4900);
    numbers.reset(4900);
    HOLDS(numbers.none());
    return 0;
}

/// The summary of 20 words, of which the cursor has passed four.
constexpr int words_that_live() {
    auto live = detail::FlatArray<bits::word_t, Allocator>().resized(20, 0, Allocator());
    const slot_t cursor = 4 * bits::word_bits;
    detail::LiveSummary<Allocator> summary(live, live.size(), cursor, Allocator());
    HOLDS(summary.view().find_next(0) == 4 && summary.view().find_next(19) == 19 && summary.is_sound(live, cursor));
    HOLDS(summary.view().find_previous(19) == 18);
    live[2] = 1;
    HOLDS(!summary.is_sound(live, cursor));
    summary.update(live, 2, cursor);
    HOLDS(summary.view().find_next(0) == 2 && summary.is_sound(live, cursor));
    live[2] = 0;
    summary.update(live, 2, cursor);
    HOLDS(summary.view().find_next(0) == 4 && summary.is_sound(live, cursor));
    return 0;
}

/// The memory of a part that says nothing of it, and of a std::vector.
struct Vector {
    using value_type = int;
    std::size_t room = 5;
    constexpr std::size_t capacity() const { return room; }
};
constexpr int memory_of_parts() {
    Vector vector;
    HOLDS(detail::memory_of_vector(vector) == 5 * sizeof(int) && detail::known_memory_of(vector) == 0);
    return 0;
}

constexpr int pages() {
    std::size_t bytes = 1;
    HOLDS(detail::default_page_slots(bytes) == 64);
    bytes = 300;
    HOLDS(detail::default_page_slots(bytes) == 8 && detail::slots_apart(8, bytes) == 64);
    bytes = 16'384;
    HOLDS(detail::default_page_slots(bytes) == 1 && detail::word_pages(1, bytes) == 64 && detail::pages_for(65, 1, 64) == 128);
    bytes = 100'000;
    HOLDS(detail::default_page_slots(bytes) == 1 && detail::word_pages(1, bytes) == 1);
    return 0;
}

/// How many pages are proposed when so many of so many bytes are there.
constexpr int more_pages() {
    std::size_t page = 4096;
    HOLDS(detail::more_pages(0, page) == 1);
    HOLDS(detail::more_pages(1, 256) == 15); // the second step goes to 4 KiB
    HOLDS(detail::more_pages(3, 1024) == 3);
    HOLDS(detail::more_pages(16, page) == 16);       // as much again, up to 64 KiB
    HOLDS(detail::more_pages(100, page) == 16);      // then 64 KiB
    HOLDS(detail::more_pages(1024, page) == 128);    // or an eighth
    HOLDS(detail::more_pages(100'000, page) == 257); // up to the limit
    return 0;
}

constexpr int summaries() {
    auto numbers = detail::SummaryBits<Allocator>::covering(5000, Allocator());
    numbers.set(70);
    numbers.set_from(4900);
    HOLDS(numbers.view().find_next(0) == 70 && numbers.view().find_next(71) == 4900 && numbers.view().find_next(4950) == 4950);
    return 0;
}

} // namespace

IN_CONSTANTS("lists of free slots undo their steps in constant expressions: lifo", lists<Reuse::lifo>())
IN_CONSTANTS("lists of free slots undo their steps in constant expressions: fifo", lists<Reuse::fifo>())
IN_CONSTANTS("the lowest free slot is found in constant expressions", lowest_first())
IN_CONSTANTS("memory is counted in constant expressions", memory_of_parts())
IN_CONSTANTS("aligned arrays relocate and come back in constant expressions", aligned_arrays())
IN_CONSTANTS("allocators are made anew in constant expressions", allocators_that_cannot_be_assigned())
IN_CONSTANTS("sets of numbers work in constant expressions", sets_of_numbers())
IN_CONSTANTS("words without a live slot are passed over in constant expressions", words_that_live())
IN_CONSTANTS("the size of pages is chosen in constant expressions", pages())
IN_CONSTANTS("the growth of paged arrays is chosen in constant expressions", more_pages())
IN_CONSTANTS("summaries are walked in constant expressions", summaries())

} // namespace memory_parts

//=== core: handles, tags and names of types, members, ranges ===//

namespace core_parts {

namespace {

using namespace slotwise;

static_assert(std::is_same_v<detail::HandleTraits<HandleLayout{14, 2, 0}>::version_type, std::uint8_t>);
static_assert(std::is_same_v<detail::HandleTraits<HandleLayout{8, 8, 0, true}>::version_type, std::uint16_t>);
static_assert(std::is_same_v<detail::HandleTraits<HandleLayout{16, 16, 0}>::version_type, std::uint16_t>);
static_assert(std::is_same_v<detail::HandleTraits<HandleLayout{15, 17, 0}>::version_type, std::uint32_t>);

struct Floats {
    float x, y;
};
struct Padded {
    char letter;
    int number;
};
static_assert(detail::coding<Floats>.block && !detail::coding<Padded>.block, "padding is not written");
static_assert(detail::type_tag<detail::PartCodec<DefaultCodec>, int>() == detail::tag_of<int>());

constexpr int handles() {
    std::uint32_t vacant = 4;
    HOLDS(detail::HandleTraits<HandleLayout{8, 4, 4, true}>::one_use_before(vacant) == 2);
    char letter = 'v';
    HOLDS(detail::in_handle_text(letter));
    return 0;
}

constexpr int checksums() {
    std::array<std::byte, 1200> bytes{};
    for (std::size_t i = 0; i != bytes.size(); ++i) bytes[i] = static_cast<std::byte>(7 * i);
    for (const std::size_t size : {0u, 2u, 6u, 12u, 24u, 100u, 200u, 700u, 1200u}) { // each has a way of its own
        const std::span<const std::byte> all(bytes.data(), size);
        detail::Xxh3 parts;
        parts.add(bytes.data(), size / 2);
        parts.add(all.subspan(size / 2));
        HOLDS(parts.finish() == detail::Xxh3::of(all));
    }
    detail::Xxh3 number, other;
    number.number(7), other.number(8);
    HOLDS(number.finish() != other.finish());
    using detail::TypeKind;
    std::uint64_t one = detail::make_tag(TypeKind::record, {1, 2}), two = detail::make_tag(TypeKind::record, {2, 1});
    HOLDS(one != two && one >> 56 == two >> 56);
    std::array first{detail::ElementTag{detail::ElementRole::key, 7}},
        second{detail::ElementTag{detail::ElementRole::value, 8}};
    HOLDS(detail::join_tags(first, second)[1].tag == 8);
    double none = 0;
    HOLDS(!detail::is_nan(none));
    return 0;
}

constexpr int members() {
    struct Pair {
        int number;
        char letter;
    } pair{1, 'a'};
    detail::visit_members<2>(pair, [](int& number, char& letter) { ++number, ++letter; });
    HOLDS(pair.number == 2 && pair.letter == 'b');
    HOLDS(detail::visit_members<2>(std::as_const(pair),
                                   [](const int& number, const char& letter) { return letter - number; }) == 'b' - 2);
    return 0;
}

constexpr int ranges() {
    const int numbers[] = {1, 2, 3};
    std::size_t count = 3;
    const detail::IteratorRange range(numbers, numbers + count, count);
    HOLDS(range.size() == count && !range.empty() && range.end() - range.begin() == 3);
    return 0;
}

struct Local {};
} // namespace
namespace game {
struct Position {};
template <class T>
struct Box {};
} // namespace game

IN_CONSTANTS("versions before and letters of handles are known in constant expressions", handles())
IN_CONSTANTS("checksums and tags of types work in constant expressions", checksums())
IN_CONSTANTS("members are visited in constant expressions", members())
IN_CONSTANTS("pairs of iterators are ranges in constant expressions", ranges())

TEST_CASE("TypeId: types that other libraries cannot have are told by their names", "[core]") {
    const auto lambda = [] {};
    enum { unnamed };
    CHECK(detail::is_local_name(detail::type_name<Local>()));
    CHECK(detail::is_local_name(detail::type_name<game::Box<Local>>()));
    CHECK(detail::is_local_name(detail::type_name<decltype(lambda)>()));
    CHECK(detail::is_local_name(detail::type_name<decltype(unnamed)>()));
    CHECK_FALSE(detail::is_local_name(detail::type_name<game::Box<void (*)(int)>>()));
    CHECK_FALSE(detail::is_local_name(detail::type_name<std::string>()));
}

TEST_CASE("TypeId: identities of two libraries are one type if name, size and alignment are, and no part is local", "[core]") {
    using detail::TypeIdentity;
    const TypeIdentity here = detail::type_identity<game::Position>;
    char other_library = 0;
    TypeIdentity there = here;
    CHECK_FALSE(here.same_elsewhere(there)); // of one library: two types that the compiler writes by one name
    there.library = &other_library;
    CHECK(here.same_elsewhere(there));
    there.hash ^= 1; // of another size
    CHECK_FALSE(here.same_elsewhere(there));
    there.hash = here.hash;
    const std::string text = "game::Velocity"; // a collision of hashes
    there.text = text.data();
    CHECK_FALSE(here.same_elsewhere(there));
    there.text = here.text;
    there.local = true;
    CHECK_FALSE((here.same_elsewhere(there) || there.same_elsewhere(here)));
    CHECK((detail::hash_of_name("") == 0xCBF29CE484222325u && detail::hash_of_name("foobar") == 0x85944171F73967E8u));
}

} // namespace core_parts

//=== slots: observers and their lists ===//

namespace slots_parts {

namespace {

using namespace slotwise;

/// Counts its notifications.
struct Counter {
    slot_t slots = 0;
    int inserted = 0, removed = 0, erased = 0;
    constexpr void on_capacity(slot_t, slot_t now) { slots = now; }
    constexpr void on_insert(slot_t, InsertKind) { ++inserted; }
    constexpr void on_remove(slot_t) noexcept { ++removed; }
    constexpr void on_erase(slot_t) noexcept { ++erased; }
};
/// Counts, and learns the live slots when it is copied or its contents are taken.
struct Follower : Counter {
    std::size_t copied = 0, taken = 0;
    constexpr Follower() = default;
    constexpr Follower(const Follower& other, Occupancy live) : Counter(other), copied(live.count()) {}
    constexpr void take_from(Follower&, Occupancy live) noexcept { taken = live.count(); }
};

constexpr int hubs() {
    const bits::word_t words[] = {0b1011};
    const Occupancy live(words, 64);
    detail::ObserverHub<Counter, Follower> hub;
    hub.capacity(0, 64);
    hub.replay(live);
    HOLDS(hub.get<0>().slots == 64 && hub.get<0>().inserted == 3 && hub.get<1>().inserted == 3);
    hub.replay<1>(live);
    HOLDS(hub.get<0>().inserted == 3 && hub.get<1>().inserted == 6);
    hub.erase(1);
    hub.removed(0);
    HOLDS(hub.get<0>().removed == 2 && hub.get<0>().erased == 1 && hub.get<1>().removed == 2 && hub.get<1>().erased == 1);
    detail::ObserverHub<Counter, Follower> copy(hub, live), taker;
    HOLDS(copy.get<0>().inserted == 3 && copy.get<1>().inserted == 6 && copy.get<1>().copied == 3);
    taker.take_from(hub, live, true);
    HOLDS(taker.get<0>().inserted == 0 && taker.get<1>().taken == 0);
    taker.take_from(hub, live, false); // exchanged, or taken from
    HOLDS(taker.get<0>().inserted == 3 && hub.get<0>().inserted == 0 && taker.get<1>().taken == 3);
    return 0;
}

/// An observer that detaches during a notification leaves a null, which is swept after it. (A token is made at run time, so
/// none is moved.)
constexpr int cells() {
    int one = 1;
    auto* const cell = new detail::BasicObserverCell<int>;
    auto list = cell->list.resized(4, nullptr);
    cell->list.swap(list);
    cell->list[0] = &one;
    cell->list[2] = &one;
    cell->count = 3;
    cell->nulls = 1;
    int swept_early = 0;
    {
        const detail::BasicObserverCell<int>::Notification outer(*cell);
        const detail::BasicObserverCell<int>::Notification inner(*cell);
        cell->remove(2);
        swept_early = cell->count != 3 || cell->depth != 2;
    }
    const bool swept = cell->count == 1 && cell->list[0] == &one && cell->nulls == 0 && cell->depth == 0;
    ++cell->owners;
    detail::BasicObserverCell<int>::release(cell);
    const bool kept = cell->owners == 1;
    cell->detach_all();
    const bool disbanded = cell->count == 0;
    detail::BasicObserverCell<int>::release(cell);
    HOLDS(swept_early == 0 && swept && kept && disbanded);
    return 0;
}

/// What may be attached counts its attachments at level debug and ends the program when it dies attached; its copies are not.
struct Listener {
    int number;
    detail::AttachmentCount count{};
    constexpr explicit Listener(int n) : number(n) {}
    constexpr detail::AttachmentCount& attachments() noexcept { return count; }
};
constexpr int attachments() {
    Listener one(1), two(2);
    detail::BasicObserverCell<Listener> cell;
    auto list = cell.list.resized(1, nullptr);
    cell.list.swap(list);
    cell.count = 1;
    cell.replace(0, one);
    HOLDS(cell.list[0] == &one);
    cell.replace(0, two);
    HOLDS(cell.list[0] == &two);
    int sum = 0;
    {
        Listener copy(two);
        copy = one;
        sum = copy.number;
    }
    two = one; // still attached
    HOLDS(sum == 1 && cell.list[0] == &two && two.number == 1);
    cell.remove(0);
    HOLDS(cell.count == 0);
    return 0;
}

} // namespace

IN_CONSTANTS("static observers are told in constant expressions", hubs())
IN_CONSTANTS("lists of observers are swept in constant expressions", cells())
IN_CONSTANTS("copies of an attached observer are not attached in constant expressions", attachments())

} // namespace slots_parts

//=== keyed: index, store of keys, pending slots, steps of the container ===//

namespace keyed_parts {

namespace {

using namespace slotwise;
using Allocator = std::allocator<std::byte>;

/// So many entries with one home that they overflow into other groups.
template <class Index>
constexpr int indices() {
    std::uint64_t hashes[30] = {};
    slot_t count = 0;
    const auto source = [&](auto&& entry) {
        for (slot_t slot = 0; slot != count; ++slot) entry(slot, hashes[slot]);
    };
    Index index;
    HOLDS(index.size() == 0 && index.memory_usage() == 0);
    index.reserve(30, source);
    const std::size_t memory = index.memory_usage();
    HOLDS(memory == 4 * 64 && index.size() == 0);
    while (count != 30) {
        index.make_room(source);
        hashes[count] = 7 + (std::uint64_t{count % 2} << 32);
        index.place(hashes[count], count);
        ++count;
    }
    HOLDS(index.size() == count && index.memory_usage() == memory && index.is_sound(source));
    // Compares keys as a container does: an index may ask for any slot, because fingerprints of other hashes can be equal.
    std::uint64_t wanted = hashes[29];
    const auto is_wanted = [&](slot_t slot) { return hashes[slot] == wanted; };
    HOLDS(index.find(wanted, is_wanted) < count);
    wanted += 1;
    HOLDS(index.find(wanted, is_wanted) == no_slot);
    const auto is_last = [&](slot_t slot) { return slot == 29; };
    HOLDS(index.take(hashes[29], is_last) == 29 && index.find(hashes[29], is_last) == no_slot);
    --count;
    HOLDS(index.size() == count && index.is_sound(source));
    return 0;
}

/// Has a destructor; its hash is kept.
struct Name {
    int number;
    constexpr Name(int n) : number(n) {}
    constexpr Name(const Name&) = default;
    constexpr Name(Name&& other) noexcept : number(other.number) { other.number = -1; }
    constexpr ~Name() {}
    friend constexpr bool operator==(const Name&, const Name&) = default;
};
struct NameHash {
    constexpr std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.number); }
};

constexpr int stores() {
    using Store = detail::KeyStore<Name, NameHash, EqualTo, KeySetOptions{}, Allocator>;
    const bits::word_t words[] = {0b101};
    const Name two(2);
    Store store{NameHash(), EqualTo(), Allocator()}, other{NameHash(), EqualTo(), Allocator()};
    store.reserve(3);
    other.reserve(3);
    for (const slot_t slot : {0u, 2u}) other.construct(slot, other.hash(Name(static_cast<int>(slot))), static_cast<int>(slot));
    store.take_from(other, Occupancy(words, 3));
    HOLDS(store.equals(2, two) && !store.equals(0, two) && other.key_of(2).number == -1);
    HOLDS(store.hash_at(2) == store.hash(two) && store.hasher()(two) == 2);
    std::uint32_t kept = store.size_check(DefaultCodec());
    HOLDS(kept == detail::size_check_of<Name>());
    kept = 0x1234'5678;
    HOLDS(detail::widen_hash(kept) == 0x1234'5678'1234'5678u);
    for (const slot_t slot : {0u, 2u}) {
        store.destroy(slot);
        other.destroy(slot);
    }
    return 0;
}

constexpr int queues() {
    auto pending = detail::PendingSlots<Allocator>().resized(64, Allocator());
    for (const slot_t slot : {5u, 3u, 9u}) pending.push(slot);
    const auto order = [&] {
        slot_t digits = 0;
        pending.for_each([&](slot_t slot) { digits = 10 * digits + slot; });
        return digits;
    };
    HOLDS(order() == 539 && pending.size() == 3);
    pending.remove(3);
    HOLDS(order() == 59 && !pending.contains(3));
    pending.undo_remove(3);
    HOLDS(order() == 539 && pending.contains(3) && pending.is_sound([](slot_t slot) { return slot < 10; }));
    HOLDS(pending.pop() == 5 && order() == 39);
    detail::NoPendingSlots none;
    slot_t slot = 3; // not const: clang would fold what is asked of it
    none.supersede(slot);
    none.for_each([](slot_t) {});
    HOLDS(!none.contains(slot) && !none.superseded(slot) && none.word(slot) == 0);
    slot = none.pop();
    HOLDS(slot == no_slot);
    return 0;
}

/// Shows what the container knows of a slot.
struct Shown : KeySet<int, Options<KeySetOptions{.deferred_erase = true}>> {
    constexpr bool stored(slot_t slot) const { return this->core_.is_stored(slot); }
    constexpr slot_t slots_of_one_like_it() const {
        using Own = std::remove_cvref_t<decltype(this->core_)>;
        const Own fresh(typename Own::EmptyCopyTag(), this->core_, this->core_.allocator);
        return fresh.directory.cursor();
    }
};

constexpr int steps() {
    Shown set;
    const slot_t one = set.insert(1).it.slot(), two = set.insert(2).it.slot();
    set.remove(1);
    HOLDS(set.stored(one) && set.stored(two) && !set.stored(two + 1) && set.slot_of(1) == no_slot && set.slot_of_any(1) == one);
    slot_t pending = no_slot;
    set.for_each_pending([&](slot_t slot) { pending = slot; });
    HOLDS(pending == one);
    set.flush_removed();
    HOLDS(set.slots_of_one_like_it() == 0);
    HOLDS(!set.stored(one) && set.stored(two) && set.slot_of_any(1) == no_slot);
    return 0;
}

/// What a copy assignment does where dynamic observers stay.
constexpr int adoptions() {
    SetStorage<int> set{1}, other{2, 3};
    detail::ColumnAccess::adopt(set, other);
    HOLDS(set.size() == 2 && set.contains(3) && !set.contains(1) && set.check_invariants());
    return 0;
}

/// What the lowest byte of a hash says to an index.
constexpr int hash_bytes() {
    const detail::HashBytes bytes;
    HOLDS(bytes.of[0].fingerprint == 0x0101'0101u && bytes.of[255].fingerprint == 0xFFFF'FFFFu);
    HOLDS(bytes.of[8].counts == 15u && bytes.of[7].counts == 15u << 28);
    return 0;
}

/// The tables of operations are made in constant expressions. What does not apply is null.
struct Fixed {
    int value = 0;
    constexpr Fixed() = default;
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
};
constexpr int operations() {
    using Map = detail::ErasedMap<MapStorage<int, int>>;
    using Pinned = detail::ErasedMap<MapStorage<int, Fixed>>;
    auto* insert = detail::ErasedSet<SetStorage<int>>::add();
    auto *set_item = Map::set_item(), *add = Map::add(), *set_pinned = Pinned::set_item(), *add_pinned = Pinned::add();
    HOLDS(insert != nullptr && set_item != nullptr && add != nullptr && set_pinned == nullptr && add_pinned == nullptr);
    return 0;
}

/// What columns of values take of an element.
constexpr int parts_of_elements() {
    MapStorage<int, int> map{{2, 20}};
    HOLDS(detail::ValuePart()(map.find(2)) == 20);
    return 0;
}

} // namespace

IN_CONSTANTS("an index overflows in a constant expression", indices<HashIndex<Allocator>>())
IN_CONSTANTS("an index with portable fingerprints overflows in a constant expression", indices<PortableHashIndex<Allocator>>())
IN_CONSTANTS("keys and their hashes are kept in constant expressions", stores())
IN_CONSTANTS("pending slots wait in order in constant expressions", queues())
IN_CONSTANTS("the steps of a keyed container work in constant expressions", steps())
IN_CONSTANTS("a keyed container takes the contents of another in a constant expression", adoptions())
IN_CONSTANTS("what a byte of a hash says is known in constant expressions", hash_bytes())
IN_CONSTANTS("tables of operations are made in constant expressions", operations())
IN_CONSTANTS("the value of an element is taken in a constant expression", parts_of_elements())

} // namespace keyed_parts

//=== rows: columns of tags ===//

namespace rows_parts {

namespace {

using namespace slotwise;

struct Tag0 {};

constexpr int tags_in_constants() {
    detail::TagColumn<Tag0, std::allocator<int>> tags, others = tags.sized(3);
    tags.relocate_into(others, 0);
    tags.take_back(others, 0); // as after a throw
    std::size_t bytes = others.memory_usage();
    HOLDS(tags.capacity() == 0 && others.capacity() == 3 && bytes == 0);
    return 0;
}

} // namespace

IN_CONSTANTS("a tag needs no memory", tags_in_constants())

} // namespace rows_parts

//=== graph: values of pins ===//

namespace graph_parts {

namespace {

using namespace slotwise;

constexpr int values() {
    double nan = std::numeric_limits<double>::quiet_NaN();
    double zero = 0;
    EqualTo equal;
    HOLDS(detail::pin_equal(equal, nan, nan) && !detail::pin_equal(equal, nan, zero));
    HOLDS(detail::same_value(zero, 0.0) && !detail::same_value(zero, -0.0) && !detail::same_value(1.0, 2.0));
    return 0;
}

} // namespace

IN_CONSTANTS("values of pins are compared in constant expressions", values())

} // namespace graph_parts

//=== arrow: values of columns, fields of structs, numbers ===//

namespace arrow_parts {

namespace {

using namespace slotwise;

struct Inner {
    int depth = 0;
};
struct Point {
    double x = 0;
    Inner inner{};
};
enum class Colour : std::uint8_t { red, green };

} // namespace
} // namespace arrow_parts

template <>
struct slotwise::ArrowFields<arrow_parts::Point> {
    static constexpr auto members =
        std::tuple(field("x", &arrow_parts::Point::x), field("depth", &arrow_parts::Point::inner, &arrow_parts::Inner::depth));
};

namespace arrow_parts {
namespace {

/// What is written for a value is read as that value.
template <class T>
constexpr bool round_trip(T value) {
    auto stored = detail::ArrowType<T>::encode(value);
    return detail::ArrowType<T>::decode(stored) == value;
}
constexpr int values() {
    using namespace std::chrono;
    using Id = Handle<struct OfArrow>;
    int number = -7;
    double fraction = 2.5;
    Colour colour = Colour::green;
    Id id(5, 3);
    HOLDS(round_trip(number) && round_trip(fraction) && round_trip(colour) && round_trip(id));
    minutes long_time(9);
    nanoseconds short_time(-9);
    HOLDS(round_trip(long_time) && round_trip(short_time));
    sys_days day(days(11));
    system_clock::time_point point(system_clock::duration(13));
    HOLDS(round_trip(day) && round_trip(point));
    auto seconds_of = detail::ArrowType<minutes>::encode(minutes(2));
    HOLDS(seconds_of == 120);
    std::string_view text = "text";
    auto stored = detail::ArrowType<std::string_view>::encode(text);
    HOLDS(stored == text);
    return 0;
}

constexpr int fields() {
    Point point{1.5, {4}};
    const auto depth = field("depth", &arrow_parts::Point::inner, &Inner::depth);
    depth(point) = 6;
    HOLDS(depth(std::as_const(point)) == 6 && field("x", &Point::x)(point) == 1.5);
    auto& whole = detail::WholeValue<Point>::of(point);
    auto& second = detail::FieldValue<Point, 1>::of(point);
    HOLDS(&whole == &point && &second == &point.inner.depth);
    std::string_view name = detail::member_name<&Point::inner>();
    HOLDS(name == "inner");
    return 0;
}

constexpr int numbers() {
    std::int64_t index = 40;
    std::uint8_t narrow = 0;
    HOLDS(detail::to_index(index) == 40);
    HOLDS(detail::same_number(index, narrow) && narrow == 40);
    index = -1;
    HOLDS(!detail::same_number(index, narrow));
    index = 256;
    HOLDS(!detail::same_number(index, narrow));
    return 0;
}

} // namespace

IN_CONSTANTS("values are encoded for Arrow and read back in constant expressions", values())
IN_CONSTANTS("fields of structs are found in constant expressions", fields())
IN_CONSTANTS("numbers of Arrow are checked in constant expressions", numbers())

} // namespace arrow_parts

//=== ecs: ids, pairs, places, sets of ids, names ===//

namespace ecs_parts {

namespace {

using namespace slotwise;

// Variables are not const: clang would fold conditions of them when it compiles what is to run.
constexpr int ids_and_pairs() {
    using Parts = detail::ComponentIdParts;
    ComponentId null, likes = Parts::make(7, 3), apple = Parts::make(7, 300), beyond = Parts::make(7, 0x10000);
    HOLDS(!null && likes && Parts::registry(likes) == 7 && likes.number() == 3 && !likes.is_pair());
    HOLDS(ComponentId::from_bits(likes.bits()) == likes && likes < apple && likes.relation_number() == 0);
    Entity bob(5, 9);
    ComponentId likes_bob = pair(likes, bob), likes_apple = pair(likes, apple);
    HOLDS(likes_bob.is_pair() && likes_bob.relation_number() == 3 && likes_bob.target() == bob && likes_bob.number() == 0);
    HOLDS(likes_apple.target_number() == 300 && Parts::registry(likes_bob) == 0 && apple < likes_apple);
    HOLDS(pair(beyond, bob).relation_number() == 0 && Parts::make_pair(3, likes_bob.bits() << 16 >> 16) == likes_bob);
    Entity as_entity = Parts::target_of(likes_bob), as_number = Parts::target_of(likes_apple);
    HOLDS(as_entity == bob && Parts::entity_of(as_entity) == bob && !Parts::entity_of(as_number));
    ComponentId of_likes = pair(likes, any), of_bob = pair(any, bob), of_apple = pair(any, apple), all = pair(any, any);
    HOLDS(of_likes.has_any_target() && !of_likes.has_any_relation() && of_likes.is_wildcard());
    HOLDS(of_bob.has_any_relation() && !of_bob.has_any_target() && of_apple.target_number() == 300);
    HOLDS(!likes_bob.is_wildcard() && all.has_any_relation() && all.has_any_target());
    HOLDS(std::hash<ComponentId>()(likes_bob) != std::hash<ComponentId>()(likes_apple));

    using Traits = PairTraits<ComponentId>;
    HOLDS(Traits::is_pair(all) && !Traits::is_pair(likes) && Traits::any_pair() == all);
    HOLDS(Traits::any_target(likes_bob) == of_likes && Traits::any_relation(likes_bob) == of_bob);
    for (const ComponentId asked : {likes_bob, of_likes, of_bob, all}) HOLDS(detail::matches_id(asked, likes_bob));
    for (const ComponentId asked : {likes, likes_apple, of_apple, null}) HOLDS(!detail::matches_id(asked, likes_bob));
    HOLDS(detail::matches_id(4, 4) && !detail::matches_id(4, 5));
    return 0;
}

constexpr int places() {
    EntityLocation at, there(3, 40);
    HOLDS(!at.has_row() && there.has_row() && there.table() == 3 && there.row() == 40 && !there.has_flags());
    at.set(3, 39);
    at.set_sparse(true);
    HOLDS(at.has_sparse() && !at.is_target() && at.has_flags() && at.row() == 39);
    at.set_target(true);
    at.set_sparse(false);
    at.set_row(40);
    HOLDS(at.is_target() && !at.has_sparse() && at.row() == 40 && !(at == there));
    at.set_target(false);
    HOLDS(at == there);
    return 0;
}

constexpr int sets_of_ids() {
    using Sets = detail::IdSets;
    const int values[] = {2, 3, 5, 8}, twice[] = {2, 3, 3}, mixed[] = {5, 2};
    const std::span<const int> set(values);
    HOLDS(Sets::is_set(set) && !Sets::is_set(std::span<const int>(twice)) && !Sets::is_set(std::span<const int>(mixed)));
    HOLDS(Sets::lower_bound(set, 4) == 2 && Sets::lower_bound(set, 9) == 4 && Sets::lower_bound(set, 0) == 0);
    HOLDS(Sets::contains(set, 8) && !Sets::contains(set, 4) && Sets::names(std::span<const int>(mixed), 2));
    HOLDS(!Sets::names(std::span<const int>(mixed), 3));
    HOLDS(Sets::partition_point(100, [](std::size_t place) { return place < 77; }) == 77);
    return 0;
}

struct NotANumber {};

constexpr int rules_and_edges() {
    bool called = false;
    NoRules::with(1, [&](int) { called = true; });
    bool replaces = NoRules::replaces(1, 2);
    HOLDS(!called && !replaces && NoRules::number(7) == 7);
    HOLDS(NoRules::number(NotANumber()) == static_cast<std::size_t>(-1));
    const NoEdgeData edge(1, 2);
    static_cast<void>(edge);
    struct Record;
    using Edges = detail::ArchetypeEdges<Record, int, int, NoEdgeData>;
    std::size_t number = 4, large = 256;
    slot_t root = detail::ArchetypeTables::root();
    HOLDS(Edges::place_of(number, false) != Edges::place_of(number, true));
    HOLDS(Edges::place_of(large, false) == Edges::not_small && root == 0);
    return 0;
}

constexpr int records_and_names() {
    using detail::Command;
    std::size_t small = 1, large = 256;
    HOLDS(Command::header_bytes(small) == sizeof(Command) && Command::header_bytes(large) == large);
    std::size_t second = detail::QueryFetch<detail::query_values<int, float>>::number_of<float>();
    HOLDS(second == 1);
    HOLDS(detail::type_name<int>() == "int" && detail::type_name<Entity>().find("EntityTag") != std::string_view::npos);
    HOLDS(detail::text_with_name<char>() != detail::text_with_name<int>());
    return 0;
}

IN_CONSTANTS("ids of components and pairs in constants", ids_and_pairs())
IN_CONSTANTS("the place of an entity in constants", places())
IN_CONSTANTS("sets of ids in constants", sets_of_ids())
IN_CONSTANTS("rules and places of edges in constants", rules_and_edges())
IN_CONSTANTS("headers of records and names of types in constants", records_and_names())

} // namespace

} // namespace ecs_parts
