// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What keyed containers are made of, in constant expressions: index, store of keys, pending slots, steps of the container.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/keyed/storage_ops.hpp>

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
    std::uint32_t kept = store.size_check();
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

} // namespace

IN_CONSTANTS("an index overflows in a constant expression", indices<HashIndex<Allocator>>())
IN_CONSTANTS("an index with portable fingerprints overflows in a constant expression", indices<PortableHashIndex<Allocator>>())
IN_CONSTANTS("keys and their hashes are kept in constant expressions", stores())
IN_CONSTANTS("pending slots wait in order in constant expressions", queues())
IN_CONSTANTS("the steps of a keyed container work in constant expressions", steps())
IN_CONSTANTS("a keyed container takes the contents of another in a constant expression", adoptions())
IN_CONSTANTS("what a byte of a hash says is known in constant expressions", hash_bytes())
IN_CONSTANTS("tables of operations are made in constant expressions", operations())
