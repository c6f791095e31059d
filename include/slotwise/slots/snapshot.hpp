// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots: the exact state of a container as bytes, and its restoration from untrusted bytes.
#ifndef SLOTWISE_SLOTS_SNAPSHOT_HPP
#define SLOTWISE_SLOTS_SNAPSHOT_HPP

#include "../core/detail/seal.hpp"
#include "../core/utf8.hpp"
#include "slot_directory.hpp"

SLOTWISE_BEGIN

/// A codec that leaves columns out, made by dropping().
template <class Codec, class... Columns>
class DroppingCodec {
public:
    /// Whether snapshots with this codec leave the column out.
    template <class Column>
    static constexpr bool drops = (std::is_same_v<Column, Columns> || ...);
    /// Whether the inner codec writes (or reads) a T.
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return detail::covers<Reads, Codec, T>();
    }
    /// The tag of what the inner codec writes for a T.
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return detail::type_tag<Codec, T>();
    }

    constexpr DroppingCodec() = default;
    /// Values are written and read by `codec`.
    constexpr explicit DroppingCodec(Codec codec) : codec_(std::move(codec)) {}
    /// Delegates to the inner codec.
    template <class T>
    void write(const T& value, ByteWriter& out) {
        codec_.write(value, out);
    }
    /// Delegates to the inner codec.
    template <class T>
    T read(ByteReader& in) {
        return codec_.template read<T>(in);
    }

private:
    SLOTWISE_NO_UNIQUE_ADDRESS Codec codec_{};
};

/// A codec for snapshot() and restore() that leaves these static columns out and delegates the rest to `codec`. The bytes
/// record which columns are missing. Restoring needs a codec that drops the same columns, which are then value-initialised.
///     bytes = bodies.snapshot(dropping<ValueArray<Texture*>>());   bodies.restore(bytes, dropping<ValueArray<Texture*>>());
template <class... Columns, class Codec = DefaultCodec>
constexpr DroppingCodec<Codec, Columns...> dropping(Codec codec = {}) {
    return DroppingCodec<Codec, Columns...>(std::move(codec));
}

namespace detail {

template <class Codec, class Column>
inline constexpr bool drops_column = [] {
    if constexpr (requires { Codec::template drops<Column>; })
        return Codec::template drops<Column>;
    else
        return false;
}();

/// The bytes that the codec writes for one T of each of these types, where that is their memory; otherwise 0.
template <class Codec, class... Ts>
inline constexpr std::size_t block_bytes = 0;
template <class... Ts> // NOLINTNEXTLINE(misc-redundant-expression): two of the types may be the same
inline constexpr std::size_t block_bytes<DefaultCodec, Ts...> = (coding<Ts>.block && ...) ? (sizeof(Ts) + ... + 0) : 0;
template <class Codec, class... Columns, class... Ts>
inline constexpr std::size_t block_bytes<DroppingCodec<Codec, Columns...>, Ts...> = block_bytes<Codec, Ts...>;
template <class... Ts>
inline constexpr std::size_t block_bytes<Utf8Codec, Ts...> = block_bytes<DefaultCodec, Ts...>;
template <class Codec, class... Ts>
inline constexpr std::size_t block_bytes<PartCodec<Codec>, Ts...> = block_bytes<Codec, Ts...>;

/// A static observer with a value for each slot. Other observers get on_insert for a restored element.
template <class O>
inline constexpr bool is_column = requires(const O& column, slot_t slot) {
    typename O::value_type;
    { column[slot] } -> std::same_as<const typename O::value_type&>;
};

/// Writes and reads the static columns among the observers of a container, from number `First` on.
template <std::size_t First, class... Observers>
struct ColumnSnapshot {
    /// Bytes of a row in the columns that are blocks.
    template <class Codec>
    static consteval std::size_t row_bytes() noexcept {
        std::size_t bytes = 0;
        walk([&]<std::size_t, class Column>() {
            if constexpr (!drops_column<Codec, Column>) bytes += block_bytes<Codec, typename Column::value_type>;
        });
        return bytes;
    }
    /// The types of the columns; those that the codec drops have no tag.
    template <class Codec>
    static consteval auto tags() noexcept {
        std::array<ElementTag, count> result{};
        std::size_t at = 0;
        walk([&]<std::size_t, class Column>() {
            std::uint64_t tag = 0;
            if constexpr (!drops_column<Codec, Column>) tag = type_tag<Codec, typename Column::value_type>();
            result[at++] = {ElementRole::column, tag};
        });
        return result;
    }
    /// @param each each(f) calls f(slot) for all slots with an element
    template <class Hub, class Each, class Codec>
    static void write(const Hub& hub, Each&& each, ByteWriter& out, Codec& codec) {
        if (count != 0) out.number(count); // a container without columns writes no count
        walk([&]<std::size_t Nth, class Column>() {
            out.number(static_cast<std::uint8_t>(carried<false, Column, Codec>()));
            if constexpr (carried<false, Column, Codec>()) {
                out.number(size_check_of<typename Column::value_type>());
                each([&](slot_t slot) { codec.write(std::as_const(hub.template get<Nth>()[slot]), out); });
            }
        });
    }
    /// Replaces the values that on_insert() has built. Returns false when the bytes are wrong; in.error() says why.
    template <class Hub, class Each, class Codec>
    static bool read(Hub& hub, Each&& each, ByteReader& in, Codec& codec) {
        if (count != 0 && in.number<std::uint8_t>() != count)
            return in.fail("snapshot: it was made by a container with other columns");
        walk([&]<std::size_t Nth, class Column>() {
            using T = typename Column::value_type;
            const bool here = in.flag();
            if (in.error() != nullptr) return;
            if constexpr (!carried<true, Column, Codec>()) {
                if (here) in.fail(restore_drops);
            } else {
                if (!here) in.fail(was_dropped);
                if (in.error() == nullptr && in.number<std::uint32_t>() != size_check_of<T>())
                    in.fail("snapshot: it was made by a container with a column of values of another size");
                each([&](slot_t slot) {
                    if (in.error() != nullptr) return;
                    T value(codec.template read<T>(in));
                    if (in.error() == nullptr) put(hub.template get<Nth>(), slot, std::move(value));
                });
            }
        });
        return in.error() == nullptr;
    }

private:
    using List = std::tuple<Observers...>;
    static constexpr std::uint8_t count = [] {
        constexpr bool columns[] = {is_column<Observers>..., false};
        std::uint8_t result = 0;
        for (std::size_t i = First; i < sizeof...(Observers); ++i) result += columns[i];
        return result;
    }();

    template <bool Reads, class Column, class Codec>
    static consteval bool carried() noexcept {
        static_assert(
            drops_column<Codec, Column> || covers<Reads, Codec, typename Column::value_type>(),
            "snapshot: the codec has no way to write a static column of this container; give it one for the column's values "
            "(CodecFor<T>), or leave the column out of snapshot and restore: snapshot(dropping<Column>())");
        return !drops_column<Codec, Column>;
    }
    template <class Column, class T>
    static void put(Column& column, slot_t slot, T value) {
        if constexpr (requires { column.replace(slot, std::move(value)); })
            column.replace(slot, std::move(value));
        else
            column[slot] = std::move(value);
    }
    template <class F>
    static constexpr void walk([[maybe_unused]] F&& f) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (visit<First + Nth>(f), ...);
        }(std::make_index_sequence<sizeof...(Observers) - First>{});
    }
    template <std::size_t Nth, class F>
    static constexpr void visit(F& f) {
        using Column = std::tuple_element_t<Nth, List>;
        if constexpr (is_column<Column>) f.template operator()<Nth, Column>();
    }
};

/// Writes and reads the directory's part. Byte order of the values is the machine's and recorded.
struct DirectorySnapshot {
    static constexpr std::uint32_t magic = 0x3157'4C53; // "SLW1"
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;

    template <HandleLayout L, Exhaustion E, Reuse R, class A, std::size_t S, bool Atomic>
    static void write(const SlotDirectory<L, E, R, A, S, Atomic>& d, ByteWriter& out) {
        out.number(magic);
        for (const auto byte : header<L, E, R>()) out.number(byte);
        const std::size_t count = written_versions(d);
        std::size_t floors = d.floors_.words_.size();
        while (floors != 0 && d.floors_.words_[floors - 1] == 0) --floors;
        out.number(d.n_.cursor);
        out.number(static_cast<std::uint32_t>(count));
        out.number(std::uint32_t{d.floors_.one_.version});
        out.number(d.floors_.one_.end);
        out.number(static_cast<std::uint32_t>(floors));
        out.numbers(d.floors_.words_.data(), floors);
        out.numbers(d.versions(), count);
        const std::size_t words = bits::word_count(d.n_.cursor);
        const bool promised = d.n_.reserved != 0; // the words may exist without a reservation: they are no part of the state
        out.number(static_cast<std::uint8_t>(promised));
        out.numbers(d.live_.data(), words);
        out.numbers(d.blocked_.data(), words);
        if (promised) out.numbers(d.reserved_.data(), words);
        if constexpr (R != Reuse::lowest) d.free_.order([&](slot_t slot) { out.number(slot); });
    }

    /// Reads into `d`, a directory without slots. `held` lists slots that are blocked because their elements are pending.
    /// Returns false when the bytes are no valid state; in.error() says why. Memory allocated is proportional to the number of
    /// bytes. @throws what the allocator throws
    template <HandleLayout L, Exhaustion E, Reuse R, class A, std::size_t S, bool Atomic>
    static bool read(SlotDirectory<L, E, R, A, S, Atomic>& d, ByteReader& in, const A& alloc,
                     std::span<const slot_t> held = {}) {
        using directory = SlotDirectory<L, E, R, A, S, Atomic>;
        using version_type = typename directory::version_type;
        if (in.number<std::uint32_t>() != magic) return in.fail("snapshot: these bytes are not a slotwise snapshot");
        for (const auto byte : header<L, E, R>())
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: it was made by a map of another handle layout, reuse, exhaustion or byte order");
        auto& n = d.n_;
        n.cursor = in.number<std::uint32_t>();
        const std::size_t count = in.number<std::uint32_t>();
        const std::uint32_t floor = in.number<std::uint32_t>();
        d.floors_.one_.end = in.number<std::uint32_t>();
        const std::size_t floors = in.number<std::uint32_t>();
        if (n.cursor > count || count > directory::max_slots) return in.fail("snapshot: more slots than a handle can name");
        if ((floor & 1u) != 0 || floor > directory::max_version || (floor == 0) != (d.floors_.one_.end == 0) ||
            bits::word_count(d.floors_.one_.end) > bits::word_count(directory::max_slots))
            return in.fail("snapshot: the version floor is not a vacant slot's version");
        d.floors_.one_.version = static_cast<version_type>(floor);
        if (!read_floors(d, in, floors, alloc)) return false;
        if (count > in.left() / sizeof(version_type)) return in.fail("snapshot: the bytes end too early");
        auto growth = d.prepare_exactly(count, alloc);
        d.adopt(growth);
        d.set_capacity(count);
        if (!in.numbers(plain_values(d.versions_.data()), count)) return false;
        for (std::size_t i = 0; i != count; ++i)
            if (d.versions_[i] > directory::max_version) return in.fail("snapshot: a version does not fit the handle");
        if (count != written_versions(d)) return in.fail("snapshot: a slot that was never in use has a version");
        const std::size_t words = bits::word_count(n.cursor);
        const bool promised = in.flag();
        if (promised) {
            auto reserved = d.reserved_.resized(d.live_.size(), 0, alloc);
            d.reserved_.swap(reserved);
        }
        if (!in.numbers(d.live_.data(), words)) return false;
        d.summary_.rebuild(d.live_, n.cursor);
        if (!in.numbers(d.blocked_.data(), words)) return false;
        if (in.error() != nullptr || (promised && !in.numbers(d.reserved_.data(), words))) return false;
        std::vector<bool> pending(held.empty() ? 0 : n.cursor);
        for (const slot_t slot : held) {
            if (slot >= n.cursor || pending[slot] || !d.bit(d.blocked_, slot) || d.bit(d.reserved_, slot))
                return in.fail("snapshot: the list of pending slots names a slot that is not pending, or one twice");
            pending[slot] = true;
        }
        slot_t vacant = 0;
        for (slot_t slot = 0; slot < d.versions_.size(); ++slot) {
            const bool live = d.bit(d.live_, slot), blocked = d.bit(d.blocked_, slot), reserved = d.bit(d.reserved_, slot);
            if (slot >= n.cursor && (live || blocked || reserved))
                return in.fail("snapshot: a slot beyond the last one is in use");
            if (live != ((d.versions_[slot] & 1u) != 0))
                return in.fail("snapshot: the parity of a version contradicts the slot's liveness");
            if (live && blocked) return in.fail("snapshot: a live slot is blocked");
            if (reserved && !blocked) return in.fail("snapshot: a reserved slot is not blocked");
            const bool retired = blocked && !reserved && !(slot < pending.size() && pending[slot]);
            if (retired && (E == Exhaustion::wrap || d.versions_[slot] != 0))
                return in.fail("snapshot: a retired slot has versions left");
            n.blocked += blocked;
            n.reserved += reserved;
            n.retired += retired;
            vacant += slot < n.cursor && !live && !blocked;
        }
        if (promised && n.reserved == 0) return in.fail("snapshot: it announces reserved slots and has none");
        return read_free(d, in, vacant);
    }

private:
    // Versions above the cursor matter too: after a clear the next elements continue them.
    template <HandleLayout L, Exhaustion E, Reuse R, class A, std::size_t S, bool Atomic>
    static std::size_t written_versions(const SlotDirectory<L, E, R, A, S, Atomic>& d) noexcept {
        std::size_t count = d.versions_.size();
        while (count > d.n_.cursor && d.versions_[count - 1] == d.floors_.of(count - 1)) --count;
        return count;
    }
    template <HandleLayout L, Exhaustion E, Reuse R>
    static auto header() noexcept {
        struct Bytes {
            std::uint8_t byte[6];
            const std::uint8_t* begin() const noexcept { return byte; }
            const std::uint8_t* end() const noexcept { return byte + 6; }
        };
        return Bytes{{byte_order, L.index_bits, HandleTraits<L>::version_stamp, L.user_bits, static_cast<std::uint8_t>(E),
                      static_cast<std::uint8_t>(R)}};
    }

    // A version for each block of released slots: that of a vacant slot, without trailing zeros.
    template <HandleLayout L, Exhaustion E, Reuse R, class A, std::size_t S, bool Atomic>
    static bool read_floors(SlotDirectory<L, E, R, A, S, Atomic>& d, ByteReader& in, std::size_t words, const A& alloc) {
        using directory = SlotDirectory<L, E, R, A, S, Atomic>;
        if (words > bits::word_count(directory::max_slots)) return in.fail("snapshot: more slots than a handle can name");
        if (words > in.left() / sizeof(bits::word_t)) return in.fail("snapshot: the bytes end too early");
        auto floors = d.floors_.words_.resized(words, 0, alloc);
        d.floors_.words_.swap(floors);
        for (std::size_t w = 0; w != words; ++w) d.floors_.words_[w] = in.number<bits::word_t>();
        bool sound = words == 0 || d.floors_.words_[words - 1] != 0;
        for (std::size_t slot = 0; slot != words * bits::word_bits; slot += decltype(d.floors_)::block_slots)
            sound = sound && (d.floors_.of(slot) & 1u) == 0 && d.floors_.of(slot) <= directory::max_version;
        return sound || in.fail("snapshot: a version floor is not a vacant slot's version");
    }

    // Vacant slots are pushed one by one, each checked to be vacant and new, so that the list cannot loop or miss one.
    template <HandleLayout L, Exhaustion E, Reuse R, class A, std::size_t S, bool Atomic>
    static bool read_free(SlotDirectory<L, E, R, A, S, Atomic>& d, ByteReader& in, slot_t vacant) {
        if constexpr (R == Reuse::lowest) {
            for (slot_t slot = 0; slot < d.n_.cursor; ++slot)
                if (d.state(slot) == SlotState::free) d.free_.push(slot);
        } else {
            if (vacant > in.left() / sizeof(slot_t)) return in.fail("snapshot: the bytes end too early");
            std::vector<bool> seen(d.n_.cursor);
            std::vector<slot_t> order(vacant);
            for (auto& slot : order) {
                slot = in.number<slot_t>();
                if (slot >= d.n_.cursor || d.state(slot) != SlotState::free || seen[slot])
                    return in.fail("snapshot: the list of free slots names a slot that is not free, or one twice");
                seen[slot] = true;
            }
            for (std::size_t i = 0; i != order.size(); ++i) d.free_.push(order[R == Reuse::lifo ? order.size() - 1 - i : i]);
        }
        return true;
    }
};

} // namespace detail
SLOTWISE_END

#endif
