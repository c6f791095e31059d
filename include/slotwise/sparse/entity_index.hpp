// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityIndex: makes ids, knows which of them live and where each is. Before it stands its engine, EntityDirectory.
#ifndef SLOTWISE_SPARSE_ENTITY_INDEX_HPP
#define SLOTWISE_SPARSE_ENTITY_INDEX_HPP

#include "../core/detail/concepts.hpp"
#include "../core/detail/seal.hpp"
#include "../core/id_traits.hpp"
#include "../memory/allocator.hpp"
#include "../memory/sparse_pages.hpp"
#include "../slots/detail/absence.hpp"
#include "../slots/detail/arguments.hpp"
#include "../slots/slot_observer.hpp"
#include "row_observer.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// The ids of one range of an EntityIndex: an array with the living ones first, then the dead. It does not know pages and
/// locations.
template <class Entity, class Allocator>
struct EntityIds {
    using Followers = BasicObserverCell<SlotObserver>;

    EntityIds(const Allocator& alloc, slot_t begin, slot_t end) noexcept
        : ids(alloc), first(begin), last(end), slot_count(end - begin), next(begin) {}
    EntityIds(const EntityIds& other, const Allocator& alloc)
        : ids(other.ids.resized(std::size_t{other.count} + other.reserved, Entity(), alloc)), count(other.count),
          alive(other.alive), retired(other.retired), reserved(other.reserved), first(other.first), last(other.last),
          slot_count(other.slot_count), next(other.next) {}
    /// `other` is without ids then.
    EntityIds(EntityIds&& other) noexcept : EntityIds(Allocator(other.ids.get_allocator()), other.first, other.last) {
        swap(other);
    }
    EntityIds& operator=(EntityIds&&) = delete;
    ~EntityIds() = default;
    void swap(EntityIds& other) noexcept {
        ids.swap(other.ids);
        std::swap(count, other.count);
        std::swap(alive, other.alive);
        std::swap(retired, other.retired);
        std::swap(reserved, other.reserved);
        std::swap(first, other.first);
        std::swap(last, other.last);
        std::swap(slot_count, other.slot_count);
        std::swap(next, other.next);
        swap_observers(other);
    }
    void swap_observers(EntityIds& other) noexcept {
        hub.swap(other.hub);
        std::swap(followers, other.followers);
        std::swap(observed, other.observed);
    }

    /// Room for `room` ids: exactly that if there was none, else at least a quarter more than there was. @throws what the
    /// allocator throws; nothing has changed then
    void reserve(std::size_t room) {
        if (room + reserved > ids.size()) resize(reserved_capacity(room + reserved, ids.size()));
    }
    /// Room for `needed` ids at least, so that adding one is amortised O(1).
    void grow(std::size_t needed) {
        needed += reserved;
        if (needed <= ids.size()) return;
        const std::size_t doubled = 2 * ids.size() < 8 ? 8 : 2 * ids.size();
        resize(needed < doubled ? doubled : needed);
    }
    void shrink_to_fit() {
        if (std::size_t{count} + reserved != ids.size()) resize(std::size_t{count} + reserved);
    }
    std::size_t memory_usage() const noexcept { return memory_of(ids, hub); }
    /// Whether both will issue the same ids.
    bool same(const EntityIds& other) const noexcept {
        if (first != other.first || last != other.last || count != other.count || alive != other.alive ||
            retired != other.retired || reserved != other.reserved)
            return false;
        for (slot_t i = 0; i != count; ++i)
            if (ids[i] != other.ids[i]) return false;
        return true;
    }

    // The ids in [0, alive) live. Those in [alive, count) are dead, and have the versions of their next lives. Reserved ids are
    // not in the array, but it has room for them behind: so fulfill() and cancel() allocate nothing.
    FlatArray<Entity, Allocator> ids;
    slot_t count = 0;
    slot_t alive = 0;
    slot_t retired = 0;
    slot_t reserved = 0;
    slot_t first; // the indices are first to last - 1
    slot_t last;
    slot_t slot_count; // as many of them are in no other range
    slot_t next;       // each lower one is in use
    RowHub hub{};
    Followers* followers = nullptr; // of the whole index, whose first range owns them
    bool observed = false;          // by one of them, now or once

    bool notifying() const noexcept { return observed && notifies_now(); }
    SLOTWISE_NEVER_INLINE bool notifies_now() const noexcept {
        return hub.notifying() || (followers != nullptr && followers->depth != 0);
    }
    void share(Followers* of_index) noexcept {
        followers = of_index;
        observed = observed || of_index != nullptr;
    }
    /// Notifies all observers that the life of the id in this row ends.
    SLOTWISE_ALWAYS_INLINE void notify_end(slot_t row) noexcept {
        if (observed) [[unlikely]]
            notify_end_to_all(row);
    }
    SLOTWISE_NEVER_INLINE void notify_end_to_all(slot_t row) noexcept {
        if (hub.attached()) hub.erase([=] { return std::size_t{row}; });
        if (followers != nullptr) notify_followers(row);
    }
    void notify_followers(slot_t row) noexcept {
        const slot_t index = ids[row].index();
        followers->backward(followers->count, [=](SlotObserver& each) { each.on_erase(index); });
    }

private:
    void resize(std::size_t room) {
        auto resized = ids.resized(room, Entity());
        ids.swap(resized);
    }
};

/// The engine of EntityIndex: the ids of all ranges, and pages that find the place and the location of an id. Both change
/// together. It does not know what a location means.
template <class Entity, class Location, class Allocator>
class EntityDirectory {
    using Order = FlatArray<slot_t, Allocator>;

public:
    using Part = EntityIds<Entity, Allocator>;
    using version_type = typename HandleTraits<Entity::layout>::version_type;
    static constexpr slot_t page_slots =
        static_cast<slot_t>(std::bit_floor((4096 / (sizeof(version_type) + sizeof(Location) + sizeof(slot_t))) | 1u));
    static constexpr std::uint32_t magic = 0x3145'4C53; // "SLE1"
    static constexpr slot_t retired_place = no_slot, reserved_place = no_slot - 1, mixed = no_slot;
    /// Three arrays: a lookup of a stale id reads the first alone, and located() two of them, so that random lookups stay in
    /// nearer caches.
    struct Page {
        version_type versions[page_slots]{}; // of the id in Part::ids: a lookup does not read that
        Location locations[page_slots]{};
        slot_t places[page_slots]{}; // in Part::ids, counted from 1; 0: the index was never used
        slot_t part = 0;             // the number of the range whose indices they are, or `mixed`
    };
    /// What a page has of one index. Null if there is no page.
    class Entry {
    public:
        Entry() = default;
        Entry(Page* page, slot_t at) noexcept : page_(page), at_(at) {}
        explicit operator bool() const noexcept { return page_ != nullptr; }
        Page& page() const noexcept { return *page_; }
        slot_t& place() const noexcept { return page_->places[at_]; }
        version_type& version() const noexcept { return page_->versions[at_]; }
        Location& location() const noexcept { return page_->locations[at_]; }
        /// Whether an id has the index, or had it.
        bool used() const noexcept { return page_ != nullptr && place() != 0; }
        /// The id of this version is at `row` of Part::ids.
        void put(slot_t row, std::uint32_t version) const noexcept {
            place() = row + 1;
            this->version() = static_cast<version_type>(version);
        }

    private:
        Page* page_ = nullptr;
        slot_t at_ = 0;
    };
    static constexpr slot_t max_slots = static_cast<slot_t>(HandleTraits<Entity::layout>::max_slots);

    explicit EntityDirectory(const Allocator& alloc)
        : pages_(alloc), main_(alloc, 0, max_slots), parts_(alloc), order_(alloc) {}
    /// Copies all but the observers.
    EntityDirectory(const EntityDirectory& other, const Allocator& alloc)
        : pages_(alloc), main_(other.main_, alloc), parts_(alloc), order_(other.order_.resized(other.order_.size(), 0, alloc)) {
        parts_.reserve(other.parts_.size());
        for (const Part& part : other.parts_) parts_.emplace_back(part, alloc);
        other.pages_.for_each([&](slot_t number, const Page& page) { pages_.make(number) = page; });
    }
    EntityDirectory(EntityDirectory&& other) noexcept
        : pages_(std::move(other.pages_)), main_(std::move(other.main_)), parts_(std::move(other.parts_)),
          order_(std::move(other.order_)) {
        other.parts_.clear();
    }
    EntityDirectory& operator=(EntityDirectory&&) = delete;
    ~EntityDirectory() { Part::Followers::release(main_.followers); }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(pages_, main_, order_) + memory_of_vector(parts_);
        if (main_.followers != nullptr) bytes += main_.followers->memory_usage();
        for (const Part& each : parts_) bytes += each.memory_usage();
        return bytes;
    }
    void swap(EntityDirectory& other) noexcept {
        pages_.swap(other.pages_);
        main_.swap(other.main_);
        exchange_by_moving(parts_, other.parts_);
        order_.swap(other.order_);
    }
    /// Takes the contents of `other` with their observers. @pre this is as new @throws what the allocator throws, if the
    /// allocators differ; nothing has changed then
    void take(EntityDirectory& other) {
        if (get_allocator() == other.get_allocator()) return swap(other);
        EntityDirectory copy(other, get_allocator());
        swap(copy);
        for (slot_t number = 0; number <= parts_.size(); ++number) part(number).swap_observers(other.part(number));
        EntityDirectory(other.get_allocator()).swap(other);
    }
    Allocator get_allocator() const noexcept { return pages_.get_allocator(); }

    //=== ranges ===//

    /// The ids of range `number`; 0 is all that are in no other range.
    Part& part(slot_t number) noexcept { return number == 0 ? main_ : parts_[number - 1]; }
    const Part& part(slot_t number) const noexcept { return number == 0 ? main_ : parts_[number - 1]; }
    /// The number of the last one.
    slot_t last_part() const noexcept { return static_cast<slot_t>(parts_.size()); }
    template <class F>
    void for_each_part(F&& f) {
        for (slot_t number = 0; number <= parts_.size(); ++number) f(part(number));
    }
    /// The sum of f(part) over all.
    template <class F>
    std::size_t sum(F&& f) const noexcept {
        std::size_t total = f(main_);
        for (const Part& each : parts_) total += f(each);
        return total;
    }
    /// The number of the range of an index.
    slot_t part_number(slot_t index) const noexcept { return parts_.empty() ? 0 : search(index); }
    bool overlaps(slot_t first, slot_t last) const noexcept {
        const std::size_t behind = behind_index(last - 1);
        return behind != 0 && part(order_[behind - 1]).last > first;
    }
    /// Whether an index in the range is in use.
    bool in_use(slot_t first, slot_t last) const noexcept {
        bool found = false;
        for_each_page(first, last, [&](slot_t begin, const Page& page) {
            for (slot_t i = 0; i != page_slots; ++i)
                found = found || (page.places[i] != 0 && begin + i >= first && begin + i < last);
        });
        return found;
    }
    /// Returns its number. @pre the bounds are valid, and no index in it is in use or in a range
    /// @throws what the allocator throws; nothing has changed then
    slot_t add_range(slot_t first, slot_t last) {
        auto order = order_.resized(order_.size() + 1, 0);
        parts_.emplace_back(get_allocator(), first, last);
        parts_.back().share(main_.followers);
        std::size_t place = order_.size();
        for (; place != 0 && part(order[place - 1]).first > first; --place) order[place] = order[place - 1];
        order[place] = last_part();
        order_.swap(order);
        main_.slot_count -= last - first;
        for_each_page(first, last, [this](slot_t begin, Page& page) { page.part = part_of_page(begin); });
        return last_part();
    }

    /// Adds the ranges of a snapshot, next(first, last) each. False when one has no valid bounds, or two overlap; it is
    /// unusable then. @pre there is no range, and no index is in use. Costs n log n
    template <class Next>
    bool add_ranges(std::size_t count, Next&& next) {
        if (count == 0) return true;
        parts_.reserve(count);
        order_.resized(count, 0).swap(order_);
        for (std::size_t i = 0; i != count; ++i) {
            slot_t first = 0, last = 0;
            next(first, last);
            if (first >= last || last > max_slots) return false;
            parts_.emplace_back(get_allocator(), first, last);
            main_.slot_count -= last - first;
            order_[i] = last_part();
        }
        std::sort(order_.data(), order_.data() + count, [this](slot_t a, slot_t b) { return part(a).first < part(b).first; });
        for (std::size_t i = 1; i != count; ++i)
            if (part(order_[i - 1]).last > part(order_[i]).first) return false;
        return true;
    }

    //=== followers ===//

    /// The list of the maps that follow the ids of all ranges. Throws std::bad_alloc
    typename Part::Followers& followers() {
        if (main_.followers == nullptr) share(new typename Part::Followers);
        return *main_.followers;
    }
    /// Takes the observers of the ranges that both have, and the followers. @pre `other` had none of these
    void take_observers(EntityDirectory& other) noexcept {
        for (slot_t number = 0; number <= last_part() && number <= other.last_part(); ++number)
            part(number).swap_observers(other.part(number));
        share(main_.followers);
        other.share(nullptr);
    }
    /// Notifies the followers that all ids end at once.
    void reset_followers() noexcept {
        if (auto* const all = main_.followers) all->backward(all->count, [](SlotObserver& each) { each.on_reset(); });
    }
    void release_followers() noexcept {
        if (main_.followers == nullptr) return;
        reset_followers();
        main_.followers->detach_all();
        Part::Followers::release(main_.followers);
        share(nullptr);
    }

    //=== entries ===//

    /// The entry of an index, null when its page is not there.
    SLOTWISE_ALWAYS_INLINE Entry find(slot_t index) const noexcept {
        return Entry(pages_.find(index / page_slots), index % page_slots);
    }
    /// The same, made if it is not there.
    Entry touch(slot_t index) {
        Page* page = pages_.find(index / page_slots);
        if (page == nullptr) [[unlikely]] {
            page = std::addressof(pages_.make(index / page_slots));
            page->part = part_of_page(index - index % page_slots);
        }
        return Entry(page, index % page_slots);
    }
    /// The entry of an index whose version this is, else null. The id may not live: then its location is value-initialised.
    SLOTWISE_ALWAYS_INLINE Entry located(Entity id) const noexcept {
        const Entry entry = find(id.index());
        return entry && entry.version() == id.version() ? entry : Entry();
    }
    /// The entry of a living id, else null. `part` becomes its range.
    /// (A row is place - 1: of a retired id, and of an index that was never used, it is higher than any living row.)
    template <class Self, class P>
    SLOTWISE_ALWAYS_INLINE static Entry living(Self& self, Entity id, P*& part) noexcept {
        const slot_t index = id.index(), at = index % page_slots;
        Page* const page = self.pages_.find(index / page_slots);
        if (page == nullptr || page->versions[at] != id.version()) return Entry();
        part = std::addressof(self.main_);
        if (!self.order_.empty()) [[unlikely]]
            part = std::addressof(self.part(page->part == mixed ? self.search(index) : page->part));
        const slot_t row = page->places[at] - 1;
        return row < part->alive ? Entry(page, at) : Entry();
    }
    SLOTWISE_ALWAYS_INLINE Entry living(Entity id) const noexcept {
        const Part* part = nullptr;
        return living(*this, id, part);
    }
    /// Makes and keeps the pages that the next ids need, until `count` are known.
    void reserve(Part& part, std::size_t count) {
        part.reserve(count);
        slot_t at = part.next;
        for (std::size_t known = part.count; known < count; ++known, ++at) static_cast<void>(touch(at = unused(part, at)));
    }
    void shrink_to_fit() {
        for_each_part([](Part& part) { part.shrink_to_fit(); });
        pages_.clear_if([](const Page& page) {
            for (const slot_t place : page.places)
                if (place != 0) return false;
            return true;
        });
    }

    //=== ids come and go ===//

    /// The usual case of create(), without its cost: an id of an index that was never used, if all ids of the part live and
    /// there is room. @return null, without an effect, otherwise @param number of the part @pre no observer is attached
    const Entity* create_fresh(Part& part, slot_t number) noexcept {
        const slot_t index = part.next;
        Page* const page = pages_.find(index / page_slots);
        if (part.alive + part.reserved < part.ids.size() && index < part.last && page != nullptr && page->part == number)
            if (const Entry entry(page, index % page_slots); entry.place() == 0) {
                part.ids[part.count] = Entity(index, 1);
                entry.put(part.count++, 1);
                part.next = index + 1;
                return part.ids.data() + part.alive++;
            }
        return nullptr;
    }
    /// Leaves the location of a new id value-initialised.
    struct NotLocated {
        Location operator()(slot_t) const noexcept { return Location{}; }
    };
    /// See EntityIndex::create_n. @pre the range has as many ids that do not live
    template <class F>
    std::span<const Entity> create(Part& part, slot_t count, F&& locate) {
        const slot_t before = part.alive, known = part.count, next = part.next, after = before + count;
        const slot_t recycled = known < after ? known : after;
        slot_t notified = 0; // the row that observers are being notified of, plus one
        ScopeGuard undo([&]() noexcept {
            for (; part.alive != before; --part.alive) {
                const std::size_t row = part.alive - 1;
                if (part.alive != notified) part.notify_end(static_cast<slot_t>(row));
            }
            for (slot_t row = before; row != recycled; ++row) find(part.ids[row].index()).location() = Location{};
            forget(part, known, next);
        });
        part.grow(after);
        while (part.count < after) {
            slot_t index = unused(part, part.next), end = index + 1; // those that follow in the page are unused too, as a rule
            if (const slot_t last = index | (page_slots - 1); order_.empty() && last < part.last) end = last + 1;
            if (end - index > after - part.count) end = index + (after - part.count);
            Page& page = touch(index).page();
            const slot_t at = index % page_slots, count_before = part.count;
            slot_t more = 0;
            for (; more != end - index && page.places[at + more] == 0; ++more) page.places[at + more] = count_before + more + 1;
            // A loop an array: g++ vectorises each, and not all in one.
            for (slot_t i = 0; i != more; ++i) page.versions[at + i] = 1;
            for (slot_t i = 0; i != more; ++i) page.locations[at + i] = locate(count_before - before + i);
            Entity* const ids = part.ids.data() + count_before;
            for (slot_t i = 0; i != more; ++i) ids[i] = Entity(index + i, 1);
            part.count += more;
            index += more;
            part.next = index;
        }
        if constexpr (!std::is_same_v<std::remove_cvref_t<F>, NotLocated>)
            for (slot_t row = before; row != recycled; ++row) find(part.ids[row].index()).location() = locate(row - before);
        if (!part.hub.attached()) part.alive = after;
        while (part.alive != after) {
            notified = ++part.alive;
            part.hub.insert([=] { return std::size_t{notified - 1}; });
        }
        undo.dismiss();
        return {part.ids.data() + before, count};
    }
    /// The ids that create() would return after `skip` other calls. @pre the range has so many ids that do not live
    void next(const Part& part, std::size_t skip, std::span<Entity> out) const noexcept {
        const std::size_t dead = part.count - part.alive;
        std::size_t i = 0;
        for (; i != out.size() && skip + i < dead; ++i) out[i] = part.ids[part.alive + skip + i];
        skip = skip + i - dead; // indices that were never used
        const bool none_above = all_below_next(part);
        for (slot_t at = part.next; i != out.size();) {
            at = unused(part, at);
            slot_t end = at + 1; // of a run of unused ones
            if (none_above || !find(at)) {
                const slot_t last = own_from(part, at) - 1, in_page = at | (page_slots - 1);
                end = (none_above || last < in_page ? last : in_page) + 1;
            }
            const std::size_t passed = skip < end - at ? skip : end - at;
            skip -= passed;
            at += static_cast<slot_t>(passed);
            for (; at != end && i != out.size(); ++at) out[i++] = Entity(at, 1);
        }
    }
    /// See EntityIndex::take_back. @pre the part has as many living ids
    void take_back(Part& part, slot_t count) noexcept {
        for (; count != 0; --count) {
            const slot_t row = part.alive - 1;
            part.notify_end(row);
            --part.alive;
            find(part.ids[row].index()).location() = Location{};
        }
        while (part.count != part.alive && part.ids[part.count - 1].version() == 1) { // it never lived: its index is as new
            const slot_t index = part.ids[part.count - 1].index();
            forget(part, part.count - 1, index < part.next ? index : part.next);
        }
    }
    /// Makes this id live, whose index was never used. @throws what the allocator and observers throw; nothing has changed then
    void add(Part& part, Entity id) {
        part.grow(std::size_t{part.count} + 1);
        const Entry entry = touch(id.index());
        part.ids[part.count] = id;
        entry.place() = ++part.count;
        ScopeGuard undo([&]() noexcept { forget(part, part.count - 1, part.next); });
        revive(part, part.count - 1, id);
        undo.dismiss();
        if (id.index() == part.next) find_next(part);
    }
    /// Makes `next` exact, so that ids that were brought here are passed over once and not at each next().
    void find_next(Part& part) noexcept { part.next = unused(part, part.next); }
    /// Moves a dead row to the living ones, as this id. The first of the dead goes where it was.
    /// @throws what observers throw; nothing has changed then
    void revive(Part& part, slot_t row, Entity id) {
        const slot_t first = part.alive;
        const Entity before = part.ids[row];
        if (row != first) put(part, row, part.ids[first]);
        put(part, first, id);
        ++part.alive;
        if (!part.hub.attached()) return;
        ScopeGuard undo([&]() noexcept {
            if (part.followers != nullptr) part.notify_followers(first);
            --part.alive;
            find(id.index()).location() = Location{};
            if (row != first) put(part, first, part.ids[row]);
            put(part, row, before);
        });
        part.hub.insert([=] { return std::size_t{first}; });
        undo.dismiss();
    }
    /// @pre `entry` is that of this living id of the part
    SLOTWISE_ALWAYS_INLINE void destroy(Part& part, Entity id, Entry entry) noexcept {
        const slot_t row = entry.place() - 1;
        part.notify_end(row);
        if (const Entity last = part.ids[part.alive - 1]; row != part.alive - 1) {
            part.ids[row] = last;
            find(last.index()).place() = row + 1;
        }
        bury(part, id, entry);
    }
    /// Calls f(i, location of ids[i]) for each of these ids. @pre their indices are in use
    template <class F>
    SLOTWISE_ALWAYS_INLINE void for_each_location(std::span<const Entity> ids, F&& f) const {
        for_each_block(ids, [&](slot_t i, Page& page, slot_t at, auto number) {
            for (slot_t j = 0; j != number; ++j) f(std::size_t{i} + j, page.locations[at + j]);
        });
    }
    /// The same as destroy() for each of these ids, from the last to the first, but for the order of those that live: only ids
    /// in the last rows move, to rows that became free.
    /// @pre each lives, is of the part, and is there once; they are no part of its array, none retires, no observer is attached
    void destroy(Part& part, std::span<const Entity> ids) noexcept {
        if (ids.empty()) return;
        const slot_t after = part.alive - static_cast<slot_t>(ids.size()), first = find(ids[0].index()).place() - 1;
        slot_t done = 0;
        if (first == after) {
            done = destroy_last_rows(part, ids);
            close_gaps(part, ids.subspan(done), after + done);
        } else if (has_rows(ids, first)) { // as they were created: the last ids come in their place, as far as they stay
            const slot_t behind = after - first, moved = behind < ids.size() ? behind : static_cast<slot_t>(ids.size());
            const Entity* const last = part.ids.data() + (part.alive - moved);
            put_rows({last, moved}, first);
            std::copy_n(last, moved, part.ids.data() + first);
        } else
            close_gaps(part, ids, after);
        const slot_t row = after + done;
        ids = ids.subspan(done);
        for_each_block(ids, [&](slot_t i, Page& page, slot_t at, auto number) {
            for (slot_t j = 0; j != number; ++j) page.places[at + j] = row + i + j + 1;
            end_lives(page, at, number);
        });
        Entity* const dead = part.ids.data() + row;
        for (slot_t i = 0; i != ids.size(); ++i) dead[i] = next_life(ids[i]);
        part.alive = after;
    }
    /// Whether exactly this id is reserved.
    bool is_reserved(Entity id) const noexcept {
        const Entry entry = find(id.index());
        return entry && entry.place() == reserved_place && entry.version() == id.version();
    }
    /// Ends a life and keeps the id. It leaves the array; the last of the dead goes where the border was.
    /// @pre `entry` is that of this living id of the part
    void reserve_living(Part& part, Entry entry) noexcept {
        const slot_t row = entry.place() - 1;
        part.notify_end(row);
        entry.location() = Location{};
        if (const slot_t border = --part.alive; row != border) put(part, row, part.ids[border]);
        if (const slot_t last = --part.count; part.alive != last) put(part, part.alive, part.ids[last]);
        entry.place() = reserved_place;
        ++part.reserved;
    }
    /// Makes a reserved id live, exactly undoing reserve_living() if nothing else has changed but the order of the living.
    /// Throws what observers throw; nothing has changed then
    void fulfill(Part& part, Entity id) {
        --part.reserved;
        part.ids[part.count] = id; // there is room
        find(id.index()).place() = ++part.count;
        ScopeGuard undo([&]() noexcept {
            find(id.index()).place() = reserved_place; // revive() has put it back to the end
            --part.count;
            ++part.reserved;
        });
        revive(part, part.count - 1, id);
        undo.dismiss();
    }
    /// Gives a reserved id up, as if it had died now.
    void cancel(Part& part, Entity id) noexcept {
        --part.reserved;
        const slot_t row = part.count++; // there is room
        if (row != part.alive) put(part, row, part.ids[part.alive]);
        ++part.alive;
        bury(part, id, find(id.index()));
    }
    void clear(Part& part) noexcept {
        part.hub.clear();
        if (part.followers != nullptr)
            for (slot_t row = part.alive; row-- != 0;) part.notify_followers(row);
        if (part.reserved != 0)
            pages_.for_each([&](slot_t number, const Page& page) {
                for (slot_t i = 0; i != page_slots; ++i)
                    if (const slot_t index = number * page_slots + i;
                        page.places[i] == reserved_place && std::addressof(this->part(part_number(index))) == &part)
                        cancel(part, Entity(index, page.versions[i]));
            });
        while (part.alive != 0) {
            const Entity id = part.ids[part.alive - 1];
            bury(part, id, find(id.index()));
        }
    }

    //=== checks, comparison and bytes ===//

    // Part::next is neither compared nor written, because it is only a lower bound of the lowest index that was never used.

    /// Whether ids and pages agree; for tests.
    bool is_sound() const {
        std::size_t ids = 0, places = 0, gone = 0, kept = 0, in_ranges = 0;
        for (slot_t number = 0; number <= last_part(); ++number) {
            const Part& part = this->part(number);
            if (part.alive > part.count || std::size_t{part.count} + part.reserved > part.ids.size() ||
                part.next < part.first || part.next > part.last)
                return false;
            for (slot_t row = 0; row != part.count; ++row) {
                const auto entry = find(part.ids[row].index());
                if (!entry || entry.place() != row + 1 || entry.version() != part.ids[row].version() ||
                    !fits(part.ids[row], number, row < part.alive))
                    return false;
                if constexpr (requires(const Location& at) { static_cast<bool>(at == at); })
                    if (row >= part.alive && !(std::as_const(entry.location()) == Location{})) return false;
            }
            for (slot_t index = part.first; index != part.next; ++index) {
                if (part_number(index) == number && !find(index).used()) return false;
            }
            ids += part.count;
            in_ranges += number == 0 ? 0 : part.slot_count;
        }
        bool sound = order_.size() == parts_.size() && main_.slot_count == max_slots - in_ranges;
        pages_.for_each([&](slot_t number, const auto& page) {
            sound = sound && page.part == part_of_page(number * page_slots);
            for (const slot_t place : page.places) {
                places += place != 0 && place < reserved_place;
                kept += place == reserved_place;
                gone += place == retired_place;
            }
        });
        return sound && ids == places && gone == sum([](const auto& part) { return part.retired; }) &&
               kept == sum([](const auto& part) { return part.reserved; });
    }

    /// Whether both have the same ids, locations and ranges, and will issue the same ids.
    bool equals(const EntityDirectory& other) const {
        if (last_part() != other.last_part()) return false;
        for (slot_t number = 0; number <= last_part(); ++number)
            if (!part(number).same(other.part(number))) return false;
        bool same = true;
        pages_.for_each([&](slot_t number, const Page& page) {
            for (slot_t i = 0; i != page_slots && same; ++i) {
                if (page.places[i] == 0) continue;
                const Entry there = other.find(number * page_slots + i);
                same = there && page.places[i] == there.place() &&
                       (page.places[i] != reserved_place || page.versions[i] == there.version()) &&
                       static_cast<bool>(page.locations[i] == std::as_const(there.location()));
            }
        });
        return same;
    }

    /// Writes all but the observers as bytes.
    template <class Codec>
    void write(ByteWriter& out, Codec& codec) const {
        out.number(magic);
        for (const std::uint8_t byte : header()) out.number(byte);
        out.number(size_check_of<Location>());
        out.number(last_part());
        for (const auto& part : parts_) {
            out.number(part.first);
            out.number(part.last);
        }
        for (slot_t number = 0; number <= last_part(); ++number) {
            const Part& part = this->part(number);
            out.number(part.count);
            out.number(part.alive);
            for (slot_t row = 0; row != part.count; ++row) out.number(part.ids[row].to_bits());
            for (slot_t row = 0; row != part.alive; ++row)
                codec.write(std::as_const(find(part.ids[row].index()).location()), out);
        }
        out.number(static_cast<slot_t>(sum([](const auto& part) { return part.retired; })));
        pages_.for_each([&](slot_t number, const auto& page) {
            for (slot_t i = 0; i != page_slots; ++i)
                if (page.places[i] == retired_place) out.number(number * page_slots + i);
        });
        // Only if there are some, so that other bytes are those of releases that reserved none.
        const auto kept = static_cast<slot_t>(sum([](const auto& part) { return part.reserved; }));
        if (kept == 0) return;
        out.number(kept);
        pages_.for_each([&](slot_t number, const auto& page) {
            for (slot_t i = 0; i != page_slots; ++i)
                if (page.places[i] == reserved_place) out.number(Entity(number * page_slots + i, page.versions[i]).to_bits());
        });
    }

    /// Reads the same into this directory, which is new. Returns false when the bytes are no valid state; in.error() says why.
    /// It takes a page for each id at most. @throws what the allocator and the codec throw
    template <class Codec>
    bool read(ByteReader& in, Codec& codec) {
        if (in.number<std::uint32_t>() != magic) return in.fail("snapshot: these bytes are no snapshot of an EntityIndex");
        for (const std::uint8_t byte : header())
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: it was made by an index of another handle layout or byte order");
        if (in.number<std::uint32_t>() != size_check_of<Location>())
            return in.fail("snapshot: it was made by an index with locations of another size");
        const auto ranges = in.number<slot_t>();
        if (ranges > in.left() / (2 * sizeof(slot_t))) return in.fail("snapshot: it has more ranges than bytes");
        const auto next_range = [&](slot_t& first, slot_t& last) {
            first = in.number<slot_t>();
            last = in.number<slot_t>();
        };
        if (!add_ranges(ranges, next_range)) return in.fail("snapshot: two ranges overlap, or one has no valid bounds");
        for (slot_t number = 0; number <= last_part(); ++number)
            if (!read_part(number, in, codec)) return false;
        const auto retired = in.number<slot_t>();
        slot_t lowest = 0; // that the next one may be
        for (slot_t i = 0; i != retired && in.error() == nullptr; ++i) {
            const auto index = in.number<slot_t>();
            if (index < lowest || index >= max_slots || find(index).used())
                return in.fail("snapshot: the list of retired ids is not ascending, or has one that is in use");
            lowest = index + 1;
            touch(index).place() = retired_place;
            ++part(part_number(index)).retired;
        }
        if (in.left() != 0 && in.error() == nullptr && !read_reserved(in)) return false;
        for_each_part([this](Part& part) { find_next(part); });
        if (in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        return in.error() == nullptr;
    }

private:
    static constexpr slot_t block_ids = 16;
    /// Calls f(i, page, place in it, number) for the ids from number `i` on whose indices are adjacent in one page: block_ids
    /// of them, or one. The number is a constant, so that compilers vectorise a loop over them.
    template <class F>
    SLOTWISE_ALWAYS_INLINE void for_each_block(std::span<const Entity> ids, F&& f) const {
        for (slot_t i = 0; i != ids.size();) {
            const slot_t index = ids[i].index(), at = index % page_slots;
            Page& page = *pages_.find(index / page_slots);
            slot_t differs = ids.size() - i < block_ids || at > page_slots - block_ids;
            if (differs == 0) differs = ids[i + 1].index() ^ (index + 1); // in no order: do not look at all of them
            if (differs == 0)
                for (slot_t j = 0; j != block_ids; ++j) differs |= ids[i + j].index() ^ (index + j);
            if (differs == 0) {
                f(i, page, at, std::integral_constant<slot_t, block_ids>());
                i += block_ids;
            } else
                f(i++, page, at, std::integral_constant<slot_t, 1>());
        }
    }
    /// Whether these living ids have the rows from `first` on, in this order.
    bool has_rows(std::span<const Entity> ids, slot_t first) const noexcept {
        slot_t differs = 0;
        for_each_block(ids, [&](slot_t i, const Page& page, slot_t at, auto number) {
            for (slot_t j = 0; j != number; ++j) differs |= page.places[at + j] ^ (first + i + j + 1);
        });
        return differs == 0;
    }
    /// These ids have the rows from `first` on; in the array they are put by the caller.
    void put_rows(std::span<const Entity> ids, slot_t first) noexcept {
        for_each_block(ids, [&](slot_t i, Page& page, slot_t at, auto number) {
            for (slot_t j = 0; j != number; ++j) page.places[at + j] = first + i + j + 1;
        });
    }
    /// Ends lives in a page, but for what the array has of them.
    template <class Number>
    SLOTWISE_ALWAYS_INLINE static void end_lives(Page& page, slot_t at, Number number) noexcept {
        for (slot_t j = 0; j != number; ++j) page.versions[at + j] = static_cast<version_type>(page.versions[at + j] + 2);
        for (slot_t j = 0; j != number; ++j) page.locations[at + j] = Location{};
    }
    /// Ends the lives of the first of these ids, as long as they are those of the last rows, in this order: nothing moves, and
    /// each id is read once. Returns how many. @pre as destroy()
    slot_t destroy_last_rows(Part& part, std::span<const Entity> ids) noexcept {
        const slot_t first = part.alive - static_cast<slot_t>(ids.size());
        slot_t done = 0;
        bool follows = true;
        for_each_block(ids, [&](slot_t i, Page& page, slot_t at, auto number) {
            slot_t differs = !follows;
            for (slot_t j = 0; j != number; ++j) differs |= page.places[at + j] ^ (first + i + j + 1);
            if (differs != 0) return static_cast<void>(follows = false);
            Entity* const to = part.ids.data() + first + i;
            const Entity* const from = ids.data() + i;
            for (slot_t j = 0; j != number; ++j) to[j] = next_life(from[j]);
            end_lives(page, at, number);
            done = i + number;
        });
        return done;
    }
    /// Living ids of the last rows come in the place of these ids, so that the rows from `after` on are free.
    void close_gaps(Part& part, std::span<const Entity> ids, slot_t after) noexcept {
        slot_t free = 0, free_rows = 0; // the last row below `after` that became free; each names the one before
        for (const Entity id : ids) {
            const slot_t row = find(id.index()).place() - 1;
            part.ids[row] = Entity(free, 0); // no id has this version
            if (row >= after) continue;
            free = row;
            ++free_rows;
        }
        for (slot_t row = part.alive; free_rows != 0;) {
            const Entity moved = part.ids[--row];
            if (moved.version() == 0) continue;
            const slot_t to = std::exchange(free, part.ids[free].index());
            part.ids[to] = moved;
            find(moved.index()).place() = to + 1;
            --free_rows;
        }
    }
    /// The id with the version after the next. @pre it does not retire (The constructor's checks keep a loop from being
    /// vectorised.)
    static Entity next_life(Entity id) noexcept {
        using bits_type = typename Entity::bits_type;
        constexpr auto step = static_cast<bits_type>(Entity(0, 3).to_bits() - Entity(0, 1).to_bits());
        return Entity::from_bits(static_cast<bits_type>(id.to_bits() + step));
    }
    void put(Part& part, slot_t row, Entity id) noexcept {
        part.ids[row] = id;
        find(id.index()).put(row, id.version());
    }
    // The id leaves the last living row. It becomes the next one to be recycled, or retires. No other row refers to it.
    SLOTWISE_ALWAYS_INLINE void bury(Part& part, Entity id, Entry entry) noexcept {
        const slot_t row = --part.alive;
        entry.location() = Location{};
        if (id.version() < Entity::max_version - 1) [[likely]] {
            const Entity next(id.index(), id.version() + 2);
            part.ids[row] = next;
            return entry.put(row, next.version());
        }
        entry.place() = retired_place;
        ++part.retired;
        if (row != --part.count) put(part, row, part.ids[part.count]);
    }
    // The lowest index from `at` on that is the part's and was never used; part.last if there is none.
    slot_t unused(const Part& part, slot_t at) const noexcept {
        for (; at < part.last; ++at) {
            if (std::addressof(part) == std::addressof(main_) && !parts_.empty())
                while (const slot_t number = search(at)) at = this->part(number).last;
            if (at >= part.last || !find(at).used()) return at;
        }
        return part.last;
    }
    // The end of the part's indices from `at` on that have no other range between them.
    slot_t own_from(const Part& part, slot_t at) const noexcept {
        slot_t end = part.last;
        if (std::addressof(part) == std::addressof(main_))
            if (const std::size_t behind = behind_index(at); behind < order_.size()) {
                const slot_t first = this->part(order_[behind]).first;
                if (first < end) end = first;
            }
        return end;
    }
    // Whether no index from `next` on is in use.
    bool all_below_next(const Part& part) const noexcept {
        slot_t below = part.next - part.first;
        if (std::addressof(part) == std::addressof(main_))
            for (const Part& each : parts_)
                if (each.first < part.next) below -= (each.last < part.next ? each.last : part.next) - each.first;
        return below == part.count + part.retired + part.reserved;
    }
    // Ids from row `count` on were never known.
    void forget(Part& part, slot_t count, slot_t next) noexcept {
        while (part.count != count) {
            const Entry entry = find(part.ids[--part.count].index());
            entry.location() = Location{};
            entry.place() = entry.version() = 0;
        }
        part.next = next;
    }
    slot_t search(slot_t index) const noexcept {
        if (order_.empty()) return 0;
        const std::size_t behind = behind_index(index);
        return behind != 0 && index < part(order_[behind - 1]).last ? order_[behind - 1] : 0;
    }
    // The place in order_ of the lowest range that begins behind the index.
    std::size_t behind_index(slot_t index) const noexcept {
        std::size_t low = 0, high = order_.size();
        while (low != high) {
            const std::size_t middle = low + (high - low) / 2;
            if (part(order_[middle]).first <= index)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    // The part of the page that begins with this index.
    slot_t part_of_page(slot_t first) const noexcept {
        const slot_t number = part_number(first), last = first + (page_slots - 1);
        if (number != 0) return last < part(number).last ? number : mixed;
        const std::size_t behind = behind_index(first);
        return behind < order_.size() && part(order_[behind]).first <= last ? mixed : 0;
    }
    // Calls f(first index, page) for the pages of these indices.
    template <class F>
    void for_each_page(slot_t first, slot_t last, F&& f) const {
        std::uint64_t number = first / page_slots;
        for (Page* page = pages_.next(number); page != nullptr; page = pages_.next(++number)) {
            if (number > (last - 1) / page_slots) return;
            f(static_cast<slot_t>(number) * page_slots, *page);
        }
    }

    struct Header {
        std::uint8_t bytes[4];
        const std::uint8_t* begin() const noexcept { return bytes; }
        const std::uint8_t* end() const noexcept { return bytes + sizeof bytes; }
    };
    static Header header() noexcept {
        return {{std::endian::native == std::endian::little ? std::uint8_t{1} : std::uint8_t{2}, Entity::layout.index_bits,
                 HandleTraits<Entity::layout>::version_stamp, Entity::layout.user_bits}};
    }
    // Whether the range may have the id. A dead id has lived before.
    bool fits(Entity id, slot_t number, bool alive) const noexcept {
        return (id.version() & 1u) != 0 && (alive || id.version() != 1) && id == without_user_bits(id) &&
               id.index() < max_slots && part_number(id.index()) == number;
    }
    bool read_reserved(ByteReader& in) {
        const auto count = in.number<slot_t>();
        if (count == 0 || count > in.left() / sizeof(typename Entity::bits_type))
            return in.fail("snapshot: there are more bytes than the state needs");
        slot_t lowest = 0; // that the next one may be
        for (slot_t i = 0; i != count; ++i) {
            const Entity id = Entity::from_bits(in.number<typename Entity::bits_type>());
            if (id.index() >= max_slots || id.index() < lowest || !fits(id, part_number(id.index()), true) ||
                find(id.index()).used())
                return in.fail("snapshot: the list of reserved ids is not ascending, or has one that is in use");
            lowest = id.index() + 1;
            Part& part = this->part(part_number(id.index()));
            part.grow(std::size_t{part.count} + 1);
            ++part.reserved;
            const auto entry = touch(id.index());
            entry.place() = reserved_place;
            entry.version() = static_cast<version_type>(id.version());
        }
        return in.error() == nullptr;
    }
    template <class Codec>
    bool read_part(slot_t number, ByteReader& in, Codec& codec) {
        using bits_type = typename Entity::bits_type;
        Part& part = this->part(number);
        const auto count = in.number<slot_t>(), alive = in.number<slot_t>();
        if (alive > count || count > in.left() / sizeof(bits_type)) return in.fail("snapshot: it has more ids than bytes");
        part.reserve(count);
        for (slot_t row = 0; row != count; ++row) {
            const Entity id = Entity::from_bits(in.number<bits_type>());
            if (!fits(id, number, row < alive))
                return in.fail("snapshot: an id has a version or an index that it cannot have there");
            const auto entry = touch(id.index());
            if (entry.place() != 0) return in.fail("snapshot: an id occurs twice");
            part.ids[row] = id;
            entry.put(part.count++, id.version());
        }
        part.alive = alive;
        for (slot_t row = 0; row != alive && in.error() == nullptr; ++row)
            find(part.ids[row].index()).location() = codec.template read<Location>(in);
        return in.error() == nullptr;
    }

    void share(typename Part::Followers* followers) noexcept {
        for_each_part([=](Part& part) { part.share(followers); });
    }

    SparsePages<Page, Allocator> pages_;
    Part main_;                                          // the indices that are in no range
    std::vector<Part, rebind_t<Allocator, Part>> parts_; // the ranges, in the order in which they were added
    Order order_;                                        // their numbers by first index
};

/// For a store around an index: its parts change together, and many ids at once.
struct EntitySteps {
    /// Exchanges the contents under the maps that follow `index`, which stay and were notified of the end of the old ones.
    /// @pre the allocators are equal, and no row observer is attached
    template <class Index>
    static void exchange(Index& index, Index& other) noexcept {
        index.exchange_contents(other.directory_);
    }
    /// Calls f(i, location of ids[i]) for each of them. @pre each is in use
    template <class Index, class F>
    SLOTWISE_ALWAYS_INLINE static void for_each_location(Index& index, std::span<const typename Index::id_type> ids, F&& f) {
        index.directory_.for_each_location(ids, f);
    }
    /// Ends their lives as destroy() does, from the last to the first. The order of those that live is another one, but the
    /// same for the same ids. @pre each lives, and is there once; they are none of the index's own arrays
    template <class Index>
    static void destroy(Index& index, std::span<const typename Index::id_type> ids) noexcept {
        using Entity = typename Index::id_type;
        auto& directory = index.directory_;
        auto& part = directory.part(0);
        std::uint32_t versions = 0; // a bound of all: few of them are high
        for (const Entity id : ids) versions |= id.version();
        if (directory.last_part() == 0 && !part.observed && versions < Entity::max_version - 1) [[likely]]
            return directory.destroy(part, ids);
        for (std::size_t i = ids.size(); i-- != 0;) index.destroy(ids[i]);
    }
};

} // namespace detail

/// Makes entities and gives each living one a Location, for example {table, row}. An array has all ids: first the living, then
/// the dead, which are recycled. Pages, found by index, have the place of each id in that array and its location (the layout is
/// that of flecs, https://github.com/SanderMertens/flecs). So one addition, which moves the border between the two parts,
/// brings any number of dead ids back.
///
/// The array has each living id as it is, and each dead id with the version of its next life. The version is stepped when the
/// id dies, so that create_n() has nothing to write. An id lives if its place is in the living part and the entry there equals
/// it; pages have the version too, so that a lookup need not read the array. Both conditions are needed, because the entry of a
/// dead id equals a handle that was not issued yet. An id that has used its last version leaves the array when it dies, because
/// create_n() looks at no version. It is retired and never issued again.
///
/// An index that was never used takes no memory of its own; its page, of 4 KiB at most, exists if it has other indices in use.
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
    friend detail::EntitySteps;
    static constexpr bool nothrow_move = detail::propagates_on_move<Allocator> || detail::always_equal<Allocator>;
    static constexpr bool nothrow_swap = detail::propagates_on_swap<Allocator> || detail::always_equal<Allocator>;

public:
    using id_type = Entity;
    /// The same, for maps that follow the index.
    using handle_type = Entity;
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
            return create_fresh(range, part);
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
        expect_not_notifying(part);
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
        expect_not_notifying(part);
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
        expect_not_notifying(part);
        SLOTWISE_EXPECT(count <= part.alive, "EntityIndex take_back(count): not so many ids live");
        directory_.take_back(part, static_cast<slot_t>(count));
    }
    /// Ends the life of an id; false when it does not live. The last living id of its range takes its row.
    /// @complexity O(1), without allocation; far indices O(log pages)
    bool destroy(Entity id) noexcept {
        Part* part = nullptr;
        const auto entry = Directory::living(directory_, id, part);
        if (!entry) return false;
        expect_not_notifying(*part);
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
        expect_not_notifying(*part);
        directory_.reserve_living(*part, entry);
        return true;
    }
    /// Makes a reserved id live again, with a value-initialised location. False when it is not reserved.
    /// @throws what observers throw; it is still reserved then @complexity O(1), without allocation
    bool fulfill(Entity given) {
        const Entity id = detail::without_user_bits(given);
        if (!directory_.is_reserved(id)) return false;
        Part& part = part_of(range_of(id));
        expect_not_notifying(part);
        directory_.fulfill(part, id);
        return true;
    }
    /// Gives a reserved id up: it is stale for ever, and its index is used next. False when it is not reserved.
    /// @complexity O(1), without allocation
    bool cancel(Entity given) noexcept {
        const Entity id = detail::without_user_bits(given);
        if (!directory_.is_reserved(id)) return false;
        Part& part = part_of(range_of(id));
        expect_not_notifying(part);
        directory_.cancel(part, id);
        return true;
    }
    /// Ends the life of all ids of all ranges, as if destroyed one by one, the last of each range first, after reserved
    /// ones are cancelled. @complexity O(size()); with reserved ids linear in pages
    void clear() noexcept {
        directory_.for_each_part([this](Part& part) {
            expect_not_notifying(part);
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
        part.observed = true;
        return part.hub.attach(observer, part.alive);
    }

    /// Attaches a map that follows the ids of all ranges; SecondaryMap, SparseSecondaryMap and IdentityMap call it in
    /// attach_to(). What such a map has of an id is dropped before the id's life ends, in whatever way, and stays if it lives
    /// on. The map follows until the token is destroyed: also what is assigned to the index or restored; and it goes along when
    /// the contents are moved away. @throws std::bad_alloc; it is not attached then @complexity amortised O(1)
    [[nodiscard]] ObserverToken attach(detail::FollowingObserver& observer) {
        return ObserverToken(directory_.followers(), observer);
    }

    //=== comparison and snapshots ===//

    /// Whether both have the same ids in the same order, living and dead, equal locations and the same ranges. They issue the
    /// same ids then.
    friend bool operator==(const EntityIndex& a, const EntityIndex& b)
        requires requires(const Location& location) { static_cast<bool>(location == location); }
    {
        return a.directory_.equals(b.directory_);
    }
    /// The exact state as bytes: restored anywhere, the index issues the same ids for the same calls. The same state gives the
    /// same bytes. @param codec how locations become bytes; see DefaultCodec
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        directory_.write(out, codec);
        return detail::Seal::close<Codec>(out, tags<Codec>);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused. Observers are notified as by a copy assignment.
    /// Ids issued after the snapshot are issued again: drop those that do not resolve right after this.
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
        if (const char* const wrong = detail::Seal::open<Codec>(bytes, Directory::magic, tags<Codec>)) return wrong;
        Directory restored(get_allocator());
        ByteReader in(bytes);
        if (restored.read(in, codec)) adopt(restored);
        return in.error();
    }
    /// Bytes held on the heap. @complexity O(1); linear in ranges
    size_type memory_usage() const noexcept { return directory_.memory_usage(); }
    /// Whether array and pages agree; for tests.
    bool check_invariants() const { return directory_.is_sound(); }

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
    static void expect_not_notifying([[maybe_unused]] const Part& part) noexcept {
        SLOTWISE_EXPECT(!part.notifying(), "EntityIndex: an observer changes the index that notifies it; change it afterwards");
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
    // Two functions: the one that is called often then keeps no registers for the other.
    SLOTWISE_NEVER_INLINE Entity create_fresh(Range range, Part& part) {
        const Entity* const fresh = part.hub.attached() ? nullptr : directory_.create_fresh(part, range.number_);
        return fresh != nullptr ? *fresh : create_slowly(range);
    }
    SLOTWISE_NEVER_INLINE Entity create_slowly(Range range) { return create_n(range, 1)[0]; }
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
            expect_not_notifying(part);
            part.hub.clear();
        });
        directory_.reset_followers();
        directory_.swap(other);
        directory_.take_observers(other);
    }
    void swap_by_copies(EntityIndex& other) {
        Directory mine(directory_, other.get_allocator()), theirs(other.directory_, get_allocator());
        for (slot_t number = 0; number <= mine.last_part(); ++number) mine.part(number).swap_observers(directory_.part(number));
        for (slot_t number = 0; number <= theirs.last_part(); ++number)
            theirs.part(number).swap_observers(other.directory_.part(number));
        directory_.swap(theirs);
        other.directory_.swap(mine);
        notify_moved(other);
        other.notify_moved(*this);
    }
    void release() noexcept {
        directory_.for_each_part([this](Part& part) {
            expect_not_notifying(part);
            part.hub.clear();
            part.hub.moved(this, nullptr);
            part.hub.release();
        });
        directory_.release_followers();
    }

    Directory directory_;
};

SLOTWISE_END

#endif
