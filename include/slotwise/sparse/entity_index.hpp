// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityIndex: makes ids, knows which of them live and where each is. Ranges of indices have ids of their own.
#ifndef SLOTWISE_SPARSE_ENTITY_INDEX_HPP
#define SLOTWISE_SPARSE_ENTITY_INDEX_HPP

#include "../core/concepts.hpp"
#include "../slots/absence.hpp"
#include "../slots/arguments.hpp"
#include "entity_check.hpp"

SLOTWISE_BEGIN

/// Makes entities and gives each living one a Location, for example {table, row}. An array has all ids: first the living, then
/// the dead, which are recycled. Pages, found by index, have the place of each id in that array and its location (the layout is
/// that of flecs, https://github.com/SanderMertens/flecs). So dead ids are brought back by moving the border between the two
/// parts: any number of them in one addition.
///
/// An entry of the array is an id with an odd version, as everywhere: that of the living one, or the one of the next life of a
/// dead one. The version is stepped when the id dies, because create_n() then has nothing to write. A handle is alive when its
/// place is in the living part and the entry there is this handle; pages have the version too, so that the array is not read.
/// Both are needed: the entry of a dead id equals a handle that was not issued yet. An id that has used its last version leaves
/// the array when it dies, because create_n() looks at no version. It is retired and never issued again.
///
/// An index that was never used takes no memory, except in a page with others: at most 4 KiB.
/// @tparam Entity a Handle<Tag, layout>; its user bits are ignored @tparam Location trivially copyable
/// @tparam With AllocBy<A>
template <class Entity, class Location, class... With>
class EntityIndex {
    static_assert(AnyHandle<Entity>,
                  "EntityIndex<Entity, Location>: Entity is a Handle<Tag, layout>, because ids need a version");
    static_assert(
        std::is_trivially_copyable_v<Location> && std::is_nothrow_default_constructible_v<Location>,
        "EntityIndex<Entity, Location>: Location is trivially copyable and default constructible, such as the number of "
        "a table and a row in it; for other data of an entity take a SparseMap");
    using Args = detail::Arguments<detail::with_alloc, detail::NoOptions, std::byte, detail::NoKey, With...>;
    using Allocator = typename Args::allocator;
    using Directory = detail::EntityDirectory<Entity, Location, Allocator>;
    using Part = typename Directory::Part;
    static constexpr bool nothrow_move = detail::propagates_on_move<Allocator> || detail::always_equal<Allocator>;
    static constexpr bool nothrow_swap = detail::propagates_on_swap<Allocator> || detail::always_equal<Allocator>;

public:
    using id_type = Entity;
    /// What each living id has.
    using location_type = Location;
    using size_type = std::size_t;
    using allocator_type = Allocator;

    /// Names a range of indices of one EntityIndex. A value-initialised one names all indices that are in no other range.
    class Range {
    public:
        constexpr Range() noexcept = default;
        friend constexpr bool operator==(Range, Range) noexcept = default;

    private:
        friend EntityIndex;
        explicit Range(slot_t number) noexcept : number_(number) {}
        slot_t number_ = 0;
    };

    //=== construction ===//

    EntityIndex()
        requires std::is_default_constructible_v<Allocator>
        : EntityIndex(Allocator()) {}
    explicit EntityIndex(const Allocator& alloc) : directory_(alloc) {}
    /// Copies ids, their order, locations and ranges. A copy has no observers. @throws what the allocator throws
    EntityIndex(const EntityIndex& other)
        : EntityIndex(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    EntityIndex(const EntityIndex& other, const Allocator& alloc) : directory_(other.directory_, alloc) {}
    /// Takes everything, the observers too; `other` is as new then.
    EntityIndex(EntityIndex&& other) noexcept : directory_(std::move(other.directory_)) { notify_moved(other); }
    /// As above; ids and locations are copied when the allocators differ. @throws what the allocator throws; strong
    EntityIndex(EntityIndex&& other, const Allocator& alloc) : EntityIndex(alloc) {
        directory_.take(other.directory_);
        notify_moved(other);
    }
    /// Replaces the contents. The observers of a range stay with the range that was added as the same one, and are notified of
    /// both; others are notified of the end and detached. @throws what the allocator and observers throw; strong, but as new if
    /// an observer throws
    EntityIndex& operator=(const EntityIndex& other) {
        if (this == std::addressof(other)) return *this;
        Directory copy(other.directory_, detail::propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        adopt(copy);
        return *this;
    }
    /// Takes the contents with their observers; those of the old contents are notified of the end and detached. `other` is as
    /// new then. @throws what the allocator throws when the allocators differ and do not propagate; strong
    EntityIndex& operator=(EntityIndex&& other) noexcept(nothrow_move) {
        if (this == std::addressof(other)) return *this;
        Directory taken(detail::propagates_on_move<Allocator> ? other.get_allocator() : get_allocator());
        taken.take(other.directory_);
        release();
        directory_.swap(taken);
        notify_moved(other);
        return *this;
    }
    ~EntityIndex() { release(); }
    /// Exchanges contents and observers. Unequal allocators that do not propagate: ids and locations are copied.
    /// @throws what the allocator throws then; strong
    void swap(EntityIndex& other) noexcept(nothrow_swap) {
        if constexpr (!nothrow_swap)
            if (get_allocator() != other.get_allocator()) return swap_by_copies(other);
        directory_.swap(other.directory_);
        notify_moved(other);
        other.notify_moved(*this);
    }
    friend void swap(EntityIndex& a, EntityIndex& b) noexcept(nothrow_swap) { a.swap(b); }
    allocator_type get_allocator() const noexcept { return directory_.get_allocator(); }

    //=== capacity ===//

    /// The number of living ids, of all ranges.
    size_type size() const noexcept {
        return directory_.sum([](const Part& part) { return part.alive; });
    }
    bool empty() const noexcept { return size() == 0; }
    /// The number of ids that have used all their versions, of all ranges.
    size_type retired() const noexcept {
        return directory_.sum([](const Part& part) { return part.retired; });
    }
    /// The number of ids that erase_reserved() has kept, of all ranges.
    size_type reserved() const noexcept {
        return directory_.sum([](const Part& part) { return part.reserved; });
    }
    /// How many ids there can be, of all ranges.
    static constexpr size_type max_size() noexcept { return Directory::max_slots; }
    /// Room for `count` living ids of the range in all: until then create() allocates nothing.
    /// @throws std::length_error when the range has fewer indices that are not retired, what the allocator throws; strong
    void reserve(size_type count, Range range = Range()) {
        Part& part = part_of(range);
        if (count > part.slot_count - part.retired - part.reserved)
            detail::throw_length_error(
                "EntityIndex reserve(count): the range has fewer ids; reserve fewer, or use handles with "
                "more index bits");
        directory_.reserve(part, count);
    }
    /// Frees memory that no id needs. Versions are kept. @throws what the allocator throws; strong
    void shrink_to_fit() { directory_.shrink_to_fit(); }

    //=== lookup ===//

    /// Whether this id lives. Any bit pattern is allowed. @complexity O(1), far indices O(log pages)
    SLOTWISE_ALWAYS_INLINE bool is_alive(Entity id) const noexcept { return static_cast<bool>(directory_.living(id)); }
    /// The location of a living id, else null. Its address is stable while the id lives.
    SLOTWISE_ALWAYS_INLINE Location* location(Entity id) noexcept { return location_in(directory_.living(id)); }
    SLOTWISE_ALWAYS_INLINE const Location* location(Entity id) const noexcept { return location_in(directory_.living(id)); }
    /// The same with a load less, when living ids always have another location than a value-initialised one: for an id that
    /// does not live it is null or the address of a value-initialised location.
    SLOTWISE_ALWAYS_INLINE Location* location_or_default(Entity id) noexcept { return location_in(directory_.located(id)); }
    SLOTWISE_ALWAYS_INLINE const Location* location_or_default(Entity id) const noexcept {
        return location_in(directory_.located(id));
    }
    /// The location of an id that is known to live. @pre is_alive(id) (checked at level debug)
    SLOTWISE_ALWAYS_INLINE Location& operator[](Entity id) noexcept { return location_of(*this, id); }
    SLOTWISE_ALWAYS_INLINE const Location& operator[](Entity id) const noexcept { return location_of(*this, id); }
    /// The location of a living id. @throws std::out_of_range that says whether it was destroyed or never issued
    Location& at(Entity id) { return *expected(location(id), id); }
    const Location& at(Entity id) const { return *expected(location(id), id); }
    /// The living ids of a range. Their order is part of the state. @invalidates the next create, make_alive or destroy
    std::span<const Entity> alive(Range range = Range()) const noexcept {
        const Part& part = part_of(range);
        return {part.ids.data(), part.alive};
    }
    /// The dead ids of a range that will be recycled, with the versions that they will have, the next one first.
    /// @invalidates the next create, make_alive or destroy
    std::span<const Entity> dead(Range range = Range()) const noexcept {
        const Part& part = part_of(range);
        return {part.ids.data() + part.alive, part.count - part.alive};
    }
    /// The row of a living id: its place in alive() of its range; no_slot when it does not live.
    slot_t row_of(Entity id) const noexcept {
        const auto entry = directory_.living(id);
        return entry ? entry.place() - 1 : no_slot;
    }
    /// Why an id does or does not live, for diagnostics: null, out_of_range (its index was never used), live, stale (it died,
    /// or was not issued yet), reserved (see erase_reserved) or retired (it has no versions left).
    HandleStatus explain(Entity id) const noexcept {
        if (id.is_null()) return HandleStatus::null;
        const auto entry = directory_.find(id.index());
        if (!entry.used()) return HandleStatus::out_of_range;
        if (entry.place() == Directory::retired_place) return HandleStatus::retired;
        if (directory_.is_reserved(id)) return HandleStatus::reserved;
        return is_alive(id) ? HandleStatus::live : HandleStatus::stale;
    }

    //=== ids come and go ===//

    /// A living id of the range: the one that died last, else one whose index was never used, the lowest first. Its location is
    /// value-initialised. (When an id retires, the one that has been dead for the longest time becomes the next one.)
    /// @throws std::length_error when each index of the range lives or is retired, what the allocator and observers throw;
    /// strong
    /// @complexity amortised O(1)
    Entity create(Range range = Range()) {
        Part& part = part_of(range);
        if (part.alive == part.count || part.hub.attached()) [[unlikely]]
            return create_slowly(range);
        return part.ids[part.alive++];
    }
    /// `count` living ids at once, the same as by that many calls of create(). The span ends at the next create, make_alive or
    /// destroy.
    /// @throws as create; strong @complexity O(1) when no observer is attached and there are `count` dead ids, else O(count)
    std::span<const Entity> create_n(size_type count) { return create_n(Range(), count); }
    std::span<const Entity> create_n(Range range, size_type count) {
        return create_n(range, count, typename Directory::NotLocated());
    }
    /// The same; the location of the i-th of them is locate(i), i from 0. One pass writes ids and locations.
    /// @pre locate does not throw @complexity O(count)
    template <class F>
    std::span<const Entity> create_n(Range range, size_type count, F&& locate) {
        Part& part = part_of(range);
        expect_at_rest(part);
        expect_left(part, count);
        return directory_.create(part, static_cast<slot_t>(count), locate);
    }
    /// The id that create(range) will return after `skip` other calls, if nothing else changes the range: for those that need
    /// ids before they may change the index. @throws std::length_error when the range has no more ids
    /// @complexity O(1) for an id that was destroyed, else O(ranges), and O(pages and ids above) where make_alive() was given
    /// indices above those in use
    Entity next(size_type skip = 0, Range range = Range()) const {
        Entity id;
        next_n(skip, {&id, 1}, range);
        return id;
    }
    /// As many such ids as `ids` has room for. @throws as next
    void next_n(size_type skip, std::span<Entity> ids, Range range = Range()) const {
        const Part& part = part_of(range);
        expect_left(part, skip);
        expect_left(part, ids.size(), skip);
        directory_.next(part, skip, ids);
    }
    /// Makes exactly this id live, for replication and loading. True when it lives then, also if it did before. False, and no
    /// effect: its version is even, another version of the index lives, the index is retired or reserved, or the id may have
    /// died before, because it is older than the next life of a dead one. Versions that are skipped are never issued. An id far
    /// from others takes a page of 4 KiB: give ids of untrusted bytes a range, and refuse others.
    /// @throws what the allocator and observers throw; strong @complexity amortised O(1), far indices O(log pages)
    bool make_alive(Entity given) {
        const Entity id = detail::without_user_bits(given);
        if ((id.version() & 1u) == 0 || id.index() >= max_size()) return false;
        Part& part = part_of(range_of(id));
        expect_at_rest(part);
        const auto entry = directory_.find(id.index());
        if (!entry.used()) {
            directory_.add(part, id);
            return true;
        }
        if (entry.place() >= Directory::reserved_place) return false;
        const slot_t row = entry.place() - 1;
        if (row < part.alive) return part.ids[row] == id;
        if (id.version() < part.ids[row].version()) return false;
        directory_.revive(part, row, id);
        return true;
    }
    /// Takes back the last `count` ids that were created, as if they had not been: the next ones are the same. It undoes a
    /// create() or create_n() when a step after it fails. Observers are notified of each.
    /// @pre nothing was created, made alive or destroyed since (checked as far as count <= alive(range).size(), at level fast)
    void take_back(size_type count, Range range = Range()) noexcept {
        Part& part = part_of(range);
        expect_at_rest(part);
        SLOTWISE_EXPECT(count <= part.alive, "EntityIndex take_back(count): not so many ids live");
        directory_.take_back(part, static_cast<slot_t>(count));
    }
    /// Ends the life of an id; false when it does not live. The last living id of its range takes its row.
    /// @complexity O(1), without allocation; far indices O(log pages)
    bool destroy(Entity id) noexcept {
        Part* part = nullptr;
        const auto entry = Directory::living(directory_, id, part);
        if (!entry) return false;
        expect_at_rest(*part);
        directory_.destroy(*part, detail::without_user_bits(id), entry);
        return true;
    }
    /// Ends the life of an id as destroy() does, and keeps it: its index is not used for others until fulfill() makes exactly
    /// this id live again, or cancel() gives it up. False when it does not live. For undo.
    /// @complexity O(1), without allocation; far indices O(log pages)
    bool erase_reserved(Entity id) noexcept {
        Part* part = nullptr;
        const auto entry = Directory::living(directory_, id, part);
        if (!entry) return false;
        expect_at_rest(*part);
        directory_.reserve_living(*part, entry);
        return true;
    }
    /// Makes a reserved id live again, with a value-initialised location. False when it is not reserved.
    /// @throws what observers throw; it is still reserved then @complexity O(1), without allocation
    bool fulfill(Entity given) {
        const Entity id = detail::without_user_bits(given);
        if (!directory_.is_reserved(id)) return false;
        Part& part = part_of(range_of(id));
        expect_at_rest(part);
        directory_.fulfill(part, id);
        return true;
    }
    /// Gives a reserved id up: it is stale for ever, and its index is used next. False when it is not reserved.
    /// @complexity O(1), without allocation
    bool cancel(Entity given) noexcept {
        const Entity id = detail::without_user_bits(given);
        if (!directory_.is_reserved(id)) return false;
        Part& part = part_of(range_of(id));
        expect_at_rest(part);
        directory_.cancel(part, id);
        return true;
    }
    /// Ends the life of all ids of all ranges, as if destroyed one by one, the last of each range first, after reserved
    /// ones are cancelled. @complexity O(size()); with reserved ids linear in pages
    void clear() noexcept {
        directory_.for_each_part([this](Part& part) {
            expect_at_rest(part);
            directory_.clear(part);
        });
    }

    //=== ranges ===//

    /// Gives the indices from `first` up to, not including, `last` ids of their own: only create(range) and make_alive() issue
    /// them, and they are recycled among themselves. A range stays for ever. In a page that a range shares with others a lookup
    /// takes a binary search.
    /// @throws std::invalid_argument when first >= last, last is more than max_size(), the indices overlap another range, or
    /// one of them is in use; std::bad_alloc and what the allocator throws; strong @complexity O(ranges + pages in the range)
    Range add_range(slot_t first, slot_t last) {
        if (first >= last || last > max_size())
            detail::throw_invalid_argument(
                "EntityIndex add_range(first, last): first must be lower than last, and last at most "
                "max_size()");
        if (directory_.overlaps(first, last))
            detail::throw_invalid_argument("EntityIndex add_range(first, last): it overlaps a range that was added before");
        if (directory_.in_use(first, last))
            detail::throw_invalid_argument(
                "EntityIndex add_range(first, last): one of these indices is in use; add ranges before "
                "ids are created");
        return Range(directory_.add_range(first, last));
    }
    /// The range that the id's index belongs to.
    Range range_of(Entity id) const noexcept { return Range(directory_.part_number(id.index())); }

    //=== observers ===//

    /// Attaches an observer to the living ids of a range until the token is destroyed, and notifies it of those that live. Rows
    /// are places in alive(range). create_n() notifies it of each id, clear() and the end of the index by on_clear().
    /// @throws std::bad_alloc, what the observer throws; it is not attached then
    /// @pre the observer swaps no rows (checked at level fast)
    RowToken attach(RowObserver& observer, Range range = Range()) {
        SLOTWISE_EXPECT(
            !observer.swaps_rows(),
            "EntityIndex attach(observer): it swaps rows, but their order decides future ids; attach it to a SparseSet");
        Part& part = part_of(range);
        return part.hub.attach(observer, part.alive);
    }

    //=== comparison and snapshots ===//

    /// Whether both have the same ids in the same order, living and dead, equal locations and the same ranges. They issue the
    /// same ids then.
    friend bool operator==(const EntityIndex& a, const EntityIndex& b)
        requires requires(const Location& location) { static_cast<bool>(location == location); }
    {
        return detail::EntityCheck::equal(a.directory_, b.directory_);
    }
    /// The exact state as bytes: restored anywhere, the index issues the same ids for the same calls. The same state gives the
    /// same bytes. @param codec how locations become bytes; see DefaultCodec
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        detail::EntityCheck::write(directory_, out, codec);
        return detail::Seal::close<Codec>(out, tags<Codec>);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused. Observers are notified as by a copy assignment.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator and observers throw;
    /// strong, but as new if an observer throws
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator and observers
    /// throw
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const wrong = detail::Seal::open<Codec>(bytes, detail::EntityCheck::magic, tags<Codec>)) return wrong;
        Directory restored(get_allocator());
        ByteReader in(bytes);
        if (detail::EntityCheck::read(restored, in, codec)) adopt(restored);
        return in.error();
    }
    /// Bytes held on the heap. @complexity O(1); linear in ranges
    size_type memory_usage() const noexcept { return directory_.memory_usage(); }
    /// Whether array and pages agree; for tests.
    bool check_invariants() const { return detail::EntityCheck::holds(directory_); }

private:
    template <class Codec>
    static constexpr std::array tags = {detail::ElementTag{detail::ElementRole::id, detail::type_tag<DefaultCodec, Entity>()},
                                        detail::ElementTag{detail::ElementRole::location, detail::type_tag<Codec, Location>()}};
    SLOTWISE_ALWAYS_INLINE static Location* location_in(typename Directory::Entry entry) noexcept {
        return entry ? std::addressof(entry.location()) : nullptr;
    }
    template <class Self>
    SLOTWISE_ALWAYS_INLINE static auto& location_of(Self& self, Entity id) noexcept {
        SLOTWISE_EXPECT_DEBUG(self.is_alive(id), "EntityIndex[id]: the id does not live");
        const auto entry = self.directory_.find(id.index());
        SLOTWISE_ASSUME(static_cast<bool>(entry));
        return entry.location();
    }
    template <class L>
    L* expected(L* location, Entity id) const {
        if (location == nullptr) [[unlikely]]
            throw_dead(id);
        return location;
    }
    [[noreturn]] SLOTWISE_COLD void throw_dead(Entity id) const {
        const auto entry = directory_.find(id.index());
        const bool used = entry.used() && (id.version() & 1u) != 0;
        const bool issued = used && (entry.place() == Directory::retired_place || id.version() < entry.version());
        const bool waits = directory_.is_reserved(id);
        detail::SlotNow now;
        if (entry.used()) {
            const SlotState ended = entry.place() == Directory::retired_place    ? SlotState::retired
                                    : entry.place() == Directory::reserved_place ? SlotState::reserved
                                                                                 : SlotState::free;
            now = {id.index(), entry.version(), is_alive(Entity(id.index(), entry.version())) ? SlotState::live : ended, true};
        }
        detail::throw_absent("EntityIndex at(id): the id does not live; location(id) returns null then", id.to_text(),
                             waits    ? detail::is_reserved
                             : issued ? detail::is_stale
                                      : detail::never_issued,
                             now);
    }
    static void expect_at_rest([[maybe_unused]] const Part& part) noexcept {
        SLOTWISE_EXPECT(!part.hub.notifying(),
                        "EntityIndex: an observer changes the index that notifies it; change it afterwards");
    }
    static void expect_left(const Part& part, size_type count, size_type skip = 0) {
        if (count > part.slot_count - part.retired - part.reserved - part.alive - skip) [[unlikely]]
            detail::throw_length_error("EntityIndex create: each id of the range lives or is retired; destroy some, or use "
                                       "handles with more bits");
    }
    void expect_own([[maybe_unused]] Range range) const noexcept {
        SLOTWISE_EXPECT(range.number_ <= directory_.last_part(), "EntityIndex: the range is one of another index");
    }
    Part& part_of(Range range) noexcept {
        expect_own(range);
        return directory_.part(range.number_);
    }
    const Part& part_of(Range range) const noexcept {
        expect_own(range);
        return directory_.part(range.number_);
    }
    SLOTWISE_NEVER_INLINE Entity create_slowly(Range range) {
        Part& part = part_of(range);
        const Entity* const fresh = part.hub.attached() ? nullptr : directory_.create_fresh(part);
        return fresh != nullptr ? *fresh : create_n(range, 1)[0];
    }
    void notify_moved(const EntityIndex& from) noexcept {
        directory_.for_each_part([&](Part& part) { part.hub.moved(std::addressof(from), this); });
    }
    // Replaces the contents by those of `fresh`.
    void adopt(Directory& fresh) {
        exchange_contents(fresh);
        ScopeGuard undo([&]() noexcept {
            Directory none(get_allocator());
            exchange_contents(none);
        });
        directory_.for_each_part([](Part& part) {
            for (std::size_t row = 0; row != part.alive && part.hub.attached(); ++row) part.hub.insert([=] { return row; });
        });
        undo.dismiss();
    }
    // Observers of ranges that both have stay here, and were notified of the end of the old contents.
    void exchange_contents(Directory& other) noexcept {
        directory_.for_each_part([](Part& part) {
            expect_at_rest(part);
            part.hub.clear();
        });
        directory_.swap(other);
        const slot_t mine = directory_.last_part(), old = other.last_part();
        for (slot_t number = 0; number <= mine && number <= old; ++number)
            directory_.part(number).hub.swap(other.part(number).hub);
    }
    void swap_by_copies(EntityIndex& other) {
        Directory mine(directory_, other.get_allocator()), theirs(other.directory_, get_allocator());
        for (slot_t number = 0; number <= mine.last_part(); ++number) mine.part(number).hub.swap(directory_.part(number).hub);
        for (slot_t number = 0; number <= theirs.last_part(); ++number)
            theirs.part(number).hub.swap(other.directory_.part(number).hub);
        directory_.swap(theirs);
        other.directory_.swap(mine);
        notify_moved(other);
        other.notify_moved(*this);
    }
    void release() noexcept {
        directory_.for_each_part([this](Part& part) {
            expect_at_rest(part);
            part.hub.clear();
            part.hub.moved(this, nullptr);
            part.hub.release();
        });
    }

    Directory directory_;
};

SLOTWISE_END

#endif
