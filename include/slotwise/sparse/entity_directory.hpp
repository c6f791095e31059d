// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityDirectory: the core of EntityIndex: the ids of all ranges, and pages that find an id's place and location.
#ifndef SLOTWISE_SPARSE_ENTITY_DIRECTORY_HPP
#define SLOTWISE_SPARSE_ENTITY_DIRECTORY_HPP

#include "../memory/sparse_pages.hpp"
#include "entity_ids.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Ids and their entries change together here. It does not know what a location means, and who holds the ids.
template <class Entity, class Location, class Allocator>
class EntityDirectory {
    using Order = FlatArray<slot_t, Allocator>;
    friend struct EntityCheck;

public:
    using Part = EntityIds<Entity, Allocator>;
    using version_type = typename HandleTraits<Entity::layout>::version_type;
    static constexpr slot_t page_slots =
        static_cast<slot_t>(std::bit_floor((4096 / (sizeof(version_type) + sizeof(Location) + sizeof(slot_t))) | 1u));
    static constexpr slot_t retired_place = no_slot, reserved_place = no_slot - 1, mixed = no_slot;
    /// Three arrays, because an id that is stale needs the first alone, and located() two of them: what is looked up at random
    /// stays in nearer caches.
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
    ~EntityDirectory() = default;
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(pages_, main_, order_) + memory_of_vector(parts_);
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
        for (slot_t number = 0; number <= parts_.size(); ++number) part(number).hub.swap(other.part(number).hub);
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

    /// An id of an index that was never used, when all ids of the part live and there is room: the usual case, for which
    /// create() does too much. @return null, and no effect, otherwise @pre no observer is attached
    const Entity* create_fresh(Part& part) noexcept {
        const slot_t index = part.next;
        Page* const page = pages_.find(index / page_slots);
        if (part.alive + part.reserved < part.ids.size() && index < part.last && page != nullptr && page->part != mixed &&
            std::addressof(this->part(page->part)) == std::addressof(part))
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
                if (part.alive != notified) part.hub.erase([=] { return row; });
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
            if (part.hub.attached()) part.hub.erase([=] { return std::size_t{row}; });
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
        if (part.hub.attached()) [[unlikely]]
            part.hub.erase([=] { return std::size_t{row}; });
        if (const Entity last = part.ids[part.alive - 1]; row != part.alive - 1) {
            part.ids[row] = last;
            find(last.index()).place() = row + 1;
        }
        bury(part, id, entry);
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
        if (part.hub.attached()) part.hub.erase([=] { return std::size_t{row}; });
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

private:
    void put(Part& part, slot_t row, Entity id) noexcept {
        part.ids[row] = id;
        find(id.index()).put(row, id.version());
    }
    // The id, which no other row refers to any more, leaves the last living row, and becomes the next to be recycled or
    // retires.
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

    SparsePages<Page, Allocator> pages_;
    Part main_;                                          // the indices that are in no range
    std::vector<Part, rebind_t<Allocator, Part>> parts_; // the ranges, in the order in which they were added
    Order order_;                                        // their numbers by first index
};

} // namespace detail
SLOTWISE_END

#endif
