// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityCheck: what must hold of an EntityDirectory, its comparison, and its state as bytes.
#ifndef SLOTWISE_SPARSE_ENTITY_CHECK_HPP
#define SLOTWISE_SPARSE_ENTITY_CHECK_HPP

#include "../core/seal.hpp"
#include "entity_directory.hpp"

SLOTWISE_BEGIN
namespace detail {

/// `next` of a part is in no snapshot and not compared: it is a lower bound of the lowest index that was never used.
struct EntityCheck {
    static constexpr std::uint32_t magic = 0x3145'4C53; // "SLE1"

    template <class Entity, class Location, class Allocator>
    static bool holds(const EntityDirectory<Entity, Location, Allocator>& d) {
        using Directory = EntityDirectory<Entity, Location, Allocator>;
        std::size_t ids = 0, places = 0, gone = 0, kept = 0, in_ranges = 0;
        for (slot_t number = 0; number <= d.last_part(); ++number) {
            const auto& part = d.part(number);
            if (part.alive > part.count || std::size_t{part.count} + part.reserved > part.ids.size() ||
                part.next < part.first || part.next > part.last)
                return false;
            for (slot_t row = 0; row != part.count; ++row) {
                const auto entry = d.find(part.ids[row].index());
                if (!entry || entry.place() != row + 1 || entry.version() != part.ids[row].version() ||
                    !fits(d, part.ids[row], number, row < part.alive))
                    return false;
                if constexpr (requires(const Location& at) { static_cast<bool>(at == at); })
                    if (row >= part.alive && !(std::as_const(entry.location()) == Location{})) return false;
            }
            for (slot_t index = part.first; index != part.next; ++index) {
                if (d.part_number(index) == number && !d.find(index).used()) return false;
            }
            ids += part.count;
            in_ranges += number == 0 ? 0 : part.slot_count;
        }
        bool sound = d.order_.size() == d.parts_.size() && d.main_.slot_count == Directory::max_slots - in_ranges;
        d.pages_.for_each([&](slot_t number, const auto& page) {
            sound = sound && page.part == d.part_of_page(number * Directory::page_slots);
            for (const slot_t place : page.places) {
                places += place != 0 && place < Directory::reserved_place;
                kept += place == Directory::reserved_place;
                gone += place == Directory::retired_place;
            }
        });
        return sound && ids == places && gone == d.sum([](const auto& part) { return part.retired; }) &&
               kept == d.sum([](const auto& part) { return part.reserved; });
    }

    template <class Directory>
    static bool equal(const Directory& a, const Directory& b) {
        if (a.last_part() != b.last_part()) return false;
        for (slot_t number = 0; number <= a.last_part(); ++number)
            if (!a.part(number).same(b.part(number))) return false;
        bool same = true;
        a.pages_.for_each([&](slot_t number, const auto& page) {
            for (slot_t i = 0; i != Directory::page_slots && same; ++i) {
                if (page.places[i] == 0) continue;
                const auto other = b.find(number * Directory::page_slots + i);
                same = other && page.places[i] == other.place() &&
                       (page.places[i] != Directory::reserved_place || page.versions[i] == other.version()) &&
                       static_cast<bool>(page.locations[i] == std::as_const(other.location()));
            }
        });
        return same;
    }

    template <class Entity, class Location, class Allocator, class Codec>
    static void write(const EntityDirectory<Entity, Location, Allocator>& d, ByteWriter& out, Codec& codec) {
        using Directory = EntityDirectory<Entity, Location, Allocator>;
        out.number(magic);
        for (const std::uint8_t byte : header<Entity>()) out.number(byte);
        out.number(static_cast<std::uint32_t>(sizeof(Location)));
        out.number(d.last_part());
        for (const auto& part : d.parts_) {
            out.number(part.first);
            out.number(part.last);
        }
        for (slot_t number = 0; number <= d.last_part(); ++number) {
            const auto& part = d.part(number);
            out.number(part.count);
            out.number(part.alive);
            for (slot_t row = 0; row != part.count; ++row) out.number(part.ids[row].to_bits());
            for (slot_t row = 0; row != part.alive; ++row)
                codec.write(std::as_const(d.find(part.ids[row].index()).location()), out);
        }
        out.number(static_cast<slot_t>(d.sum([](const auto& part) { return part.retired; })));
        d.pages_.for_each([&](slot_t number, const auto& page) {
            for (slot_t i = 0; i != Directory::page_slots; ++i)
                if (page.places[i] == Directory::retired_place) out.number(number * Directory::page_slots + i);
        });
        // Only if there are some: bytes without are those of versions that had none.
        const auto kept = static_cast<slot_t>(d.sum([](const auto& part) { return part.reserved; }));
        if (kept == 0) return;
        out.number(kept);
        d.pages_.for_each([&](slot_t number, const auto& page) {
            for (slot_t i = 0; i != Directory::page_slots; ++i)
                if (page.places[i] == Directory::reserved_place)
                    out.number(Entity(number * Directory::page_slots + i, page.versions[i]).to_bits());
        });
    }

    /// Reads into `d`, which is new. False when the bytes are no valid state; in.error() says why. Memory: a page for each id
    /// at most. @throws what the allocator and the codec throw
    template <class Entity, class Location, class Allocator, class Codec>
    static bool read(EntityDirectory<Entity, Location, Allocator>& d, ByteReader& in, Codec& codec) {
        using Directory = EntityDirectory<Entity, Location, Allocator>;
        if (in.number<std::uint32_t>() != magic) return in.fail("snapshot: these bytes are no snapshot of an EntityIndex");
        for (const std::uint8_t byte : header<Entity>())
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: it was made by an index of another handle layout or byte order");
        if (in.number<std::uint32_t>() != sizeof(Location))
            return in.fail("snapshot: it was made by an index with locations of another size");
        const auto ranges = in.number<slot_t>();
        if (ranges > in.left() / (2 * sizeof(slot_t))) return in.fail("snapshot: it has more ranges than bytes");
        const auto next = [&](slot_t& first, slot_t& last) {
            first = in.number<slot_t>();
            last = in.number<slot_t>();
        };
        if (!d.add_ranges(ranges, next)) return in.fail("snapshot: two ranges overlap, or one has no valid bounds");
        for (slot_t number = 0; number <= d.last_part(); ++number)
            if (!read_part(d, number, in, codec)) return false;
        const auto retired = in.number<slot_t>();
        slot_t lowest = 0; // that the next one may be
        for (slot_t i = 0; i != retired && in.error() == nullptr; ++i) {
            const auto index = in.number<slot_t>();
            if (index < lowest || index >= Directory::max_slots || d.find(index).used())
                return in.fail("snapshot: the list of retired ids is not ascending, or has one that is in use");
            lowest = index + 1;
            d.touch(index).place() = Directory::retired_place;
            ++d.part(d.part_number(index)).retired;
        }
        if (in.left() != 0 && in.error() == nullptr && !read_reserved(d, in)) return false;
        d.for_each_part([&](auto& part) { d.find_next(part); });
        if (in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        return in.error() == nullptr;
    }

private:
    struct Header {
        std::uint8_t bytes[4];
        const std::uint8_t* begin() const noexcept { return bytes; }
        const std::uint8_t* end() const noexcept { return bytes + sizeof bytes; }
    };
    template <class Entity>
    static Header header() noexcept {
        return {{std::endian::native == std::endian::little ? std::uint8_t{1} : std::uint8_t{2}, Entity::layout.index_bits,
                 HandleTraits<Entity::layout>::version_stamp, Entity::layout.user_bits}};
    }
    // Whether the id may be there. One that is dead has lived before.
    template <class Directory, class Entity>
    static bool fits(const Directory& d, Entity id, slot_t number, bool alive) noexcept {
        return (id.version() & 1u) != 0 && (alive || id.version() != 1) && id == without_user_bits(id) &&
               id.index() < Directory::max_slots && d.part_number(id.index()) == number;
    }
    template <class Entity, class Location, class Allocator>
    static bool read_reserved(EntityDirectory<Entity, Location, Allocator>& d, ByteReader& in) {
        using Directory = EntityDirectory<Entity, Location, Allocator>;
        const auto count = in.number<slot_t>();
        if (count == 0 || count > in.left() / sizeof(typename Entity::bits_type))
            return in.fail("snapshot: there are more bytes than the state needs");
        slot_t lowest = 0; // that the next one may be
        for (slot_t i = 0; i != count; ++i) {
            const Entity id = Entity::from_bits(in.number<typename Entity::bits_type>());
            if (id.index() >= Directory::max_slots || id.index() < lowest || !fits(d, id, d.part_number(id.index()), true) ||
                d.find(id.index()).used())
                return in.fail("snapshot: the list of reserved ids is not ascending, or has one that is in use");
            lowest = id.index() + 1;
            auto& part = d.part(d.part_number(id.index()));
            part.grow(std::size_t{part.count} + 1);
            ++part.reserved;
            const auto entry = d.touch(id.index());
            entry.place() = Directory::reserved_place;
            entry.version() = static_cast<typename Directory::version_type>(id.version());
        }
        return in.error() == nullptr;
    }
    template <class Entity, class Location, class Allocator, class Codec>
    static bool read_part(EntityDirectory<Entity, Location, Allocator>& d, slot_t number, ByteReader& in, Codec& codec) {
        using bits_type = typename Entity::bits_type;
        auto& part = d.part(number);
        const auto count = in.number<slot_t>(), alive = in.number<slot_t>();
        if (alive > count || count > in.left() / sizeof(bits_type)) return in.fail("snapshot: it has more ids than bytes");
        part.reserve(count);
        for (slot_t row = 0; row != count; ++row) {
            const Entity id = Entity::from_bits(in.number<bits_type>());
            if (!fits(d, id, number, row < alive))
                return in.fail("snapshot: an id has a version or an index that it cannot have there");
            const auto entry = d.touch(id.index());
            if (entry.place() != 0) return in.fail("snapshot: an id occurs twice");
            part.ids[row] = id;
            entry.put(part.count++, id.version());
        }
        part.alive = alive;
        for (slot_t row = 0; row != alive && in.error() == nullptr; ++row)
            d.find(part.ids[row].index()).location() = codec.template read<Location>(in);
        return in.error() == nullptr;
    }
};

} // namespace detail
SLOTWISE_END

#endif
