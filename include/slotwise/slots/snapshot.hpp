// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots: the exact state of a slot map as bytes, and its restoration from bytes that nobody vouches for.
#ifndef SLOTWISE_SLOTS_SNAPSHOT_HPP
#define SLOTWISE_SLOTS_SNAPSHOT_HPP

#include "slot_directory.hpp"

#include <span>
#include <type_traits>
#include <vector>

SLOTWISE_BEGIN

/// Appends little-endian integers and raw bytes to a buffer. What a codec writes with.
class ByteWriter {
public:
    /// Appends an integer, lowest byte first.
    template <class U>
        requires std::is_unsigned_v<U>
    void number(U value) {
        for (unsigned i = 0; i != sizeof(U); ++i) bytes_.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
    }
    /// Appends bytes as they are.
    void raw(const void* data, std::size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    /// The bytes; the writer is empty then.
    std::vector<std::byte> take() noexcept { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote. The first thing that is wrong is remembered, everything after it reads as zero.
class ByteReader {
public:
    /// Reads these bytes, which must stay where they are.
    explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    /// The next integer; 0 when it is not there.
    template <class U>
        requires std::is_unsigned_v<U>
    U number() noexcept {
        if (!need(sizeof(U))) return 0;
        std::uint64_t value = 0;
        for (unsigned i = 0; i != sizeof(U); ++i) value |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
        bytes_ = bytes_.subspan(sizeof(U));
        return static_cast<U>(value);
    }
    /// The next `size` bytes; empty when they are not there.
    std::span<const std::byte> raw(std::size_t size) noexcept {
        if (!need(size)) return {};
        const auto result = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return result;
    }
    /// Bytes not read yet.
    std::size_t left() const noexcept { return bytes_.size(); }
    /// Marks the bytes as wrong; `what` is a literal that says how. The first mark stays. Returns false.
    bool fail(const char* what) noexcept {
        if (error_ == nullptr) error_ = what;
        bytes_ = {};
        return false;
    }
    /// Null while all is well.
    const char* error() const noexcept { return error_; }

private:
    bool need(std::size_t size) noexcept { return size <= bytes_.size() || fail("snapshot: the bytes end too early"); }

    std::span<const std::byte> bytes_;
    const char* error_ = nullptr;
};

/// How a value becomes bytes and comes back. Write one for types that are not trivially copyable: write(value, out) and
/// read(in) -> T; read reports bad bytes by in.fail("...") and then returns anything.
struct TrivialCodec {
    /// Appends the bytes of the value.
    template <class T>
    static void write(const T& value, ByteWriter& out) {
        static_assert(std::is_trivially_copyable_v<T>,
                      "snapshot(): the element type is not trivially copyable; pass a codec with write(value, ByteWriter&) and "
                      "read(ByteReader&) -> T");
        out.raw(&value, sizeof(T));
    }
    /// The value of the next bytes; T() when they are not there.
    template <class T>
    static T read(ByteReader& in) noexcept {
        static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>,
                      "restore(): the element type is not trivially copyable; pass a codec");
        T value{};
        const auto bytes = in.raw(sizeof(T));
        auto* to = reinterpret_cast<std::byte*>(&value);
        for (std::size_t i = 0; i != bytes.size(); ++i) to[i] = bytes[i];
        return value;
    }
};

namespace detail {

/// Writes and reads the directory's part. Byte order of the values is the machine's and recorded.
struct DirectorySnapshot {
    static constexpr std::uint32_t magic = 0x3157'4C53; // "SLW1"
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;

    template <HandleLayout L, Exhaustion E, Reuse R, class A>
    static void write(const SlotDirectory<L, E, R, A>& d, ByteWriter& out) {
        out.number(magic);
        for (const auto byte : header<L, E, R>()) out.number(byte);
        // Versions above the cursor matter too: a clear leaves them there for the next elements.
        std::size_t count = d.versions_.size();
        while (count > d.n_.cursor && d.versions_[count - 1] == (count - 1 < d.n_.floor_end ? d.n_.floor : 0)) --count;
        out.number(d.n_.cursor);
        out.number(static_cast<std::uint32_t>(count));
        out.number(d.n_.floor);
        out.number(d.n_.floor_end);
        for (std::size_t i = 0; i != count; ++i) out.number(d.versions_[i]);
        const std::size_t words = bits::word_count(d.n_.cursor);
        const bool promised = d.n_.reserved != 0; // its words may be there when nothing is: they are no part of the state
        out.number(static_cast<std::uint8_t>(promised));
        for (std::size_t w = 0; w != words; ++w) out.number(d.live_[w]);
        for (std::size_t w = 0; w != words; ++w) out.number(d.blocked_[w]);
        if (promised)
            for (std::size_t w = 0; w != words; ++w) out.number(d.reserved_[w]);
        if constexpr (R != Reuse::lowest) d.free_.order([&](slot_t slot) { out.number(slot); });
    }

    /// Reads into `d`, a directory without slots. `held` lists slots that are blocked because their elements are pending. False, and in.error() says why, when the bytes are not a sound state.
    /// Allocates nothing that the number of bytes does not justify. @throws what the allocator throws
    template <HandleLayout L, Exhaustion E, Reuse R, class A>
    static bool read(SlotDirectory<L, E, R, A>& d, ByteReader& in, const A& alloc, std::span<const slot_t> held = {}) {
        using directory = SlotDirectory<L, E, R, A>;
        using version_type = typename directory::version_type;
        if (in.number<std::uint32_t>() != magic) return in.fail("snapshot: these bytes are not a slotwise snapshot");
        for (const auto byte : header<L, E, R>())
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: made by a map of another handle layout, reuse, exhaustion or byte order");
        auto& n = d.n_;
        n.cursor = in.number<std::uint32_t>();
        const std::size_t count = in.number<std::uint32_t>();
        n.floor = in.number<std::uint32_t>();
        n.floor_end = in.number<std::uint32_t>();
        if (n.cursor > count || count > directory::max_slots) return in.fail("snapshot: more slots than a handle can name");
        if ((n.floor & 1u) != 0 || n.floor > directory::max_version || n.floor_end > directory::max_slots)
            return in.fail("snapshot: the version floor is not a vacant slot's version");
        if (count > in.left() / sizeof(version_type)) return in.fail("snapshot: the bytes end too early");
        auto growth = d.prepare_exactly(count, alloc);
        d.adopt(growth);
        d.set_capacity(count);
        for (std::size_t i = 0; i != count; ++i) {
            d.versions_[i] = in.number<version_type>();
            if (d.versions_[i] > directory::max_version) return in.fail("snapshot: a version does not fit the handle");
        }
        const std::size_t words = bits::word_count(n.cursor);
        const auto promised = in.number<std::uint8_t>();
        if (promised > 1) return in.fail("snapshot: a flag is neither 0 nor 1");
        if (promised != 0) {
            auto reserved = d.reserved_.resized(d.live_.size(), 0, alloc);
            d.reserved_.swap(reserved);
        }
        for (std::size_t w = 0; w != words; ++w) d.live_[w] = in.number<bits::word_t>();
        for (std::size_t w = 0; w != words; ++w) d.blocked_[w] = in.number<bits::word_t>();
        for (std::size_t w = 0; promised != 0 && w != words; ++w) d.reserved_[w] = in.number<bits::word_t>();
        if (in.error() != nullptr) return false;
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
                return in.fail("snapshot: a version's parity denies the slot's liveness");
            if (live && blocked) return in.fail("snapshot: a live slot is blocked");
            if (reserved && !blocked) return in.fail("snapshot: a reserved slot is not blocked");
            const bool retired = blocked && !reserved && !(slot < pending.size() && pending[slot]);
            if (retired && (E == Exhaustion::wrap || d.versions_[slot] != 0))
                return in.fail("snapshot: a slot is retired that has versions left");
            n.blocked += blocked;
            n.reserved += reserved;
            n.retired += retired;
            vacant += slot < n.cursor && !live && !blocked;
        }
        return read_free(d, in, vacant);
    }

private:
    template <HandleLayout L, Exhaustion E, Reuse R>
    static auto header() noexcept {
        struct Bytes {
            std::uint8_t byte[6];
            const std::uint8_t* begin() const noexcept { return byte; }
            const std::uint8_t* end() const noexcept { return byte + 6; }
        };
        return Bytes{{byte_order, L.index_bits, L.version_bits, L.user_bits, static_cast<std::uint8_t>(E),
                      static_cast<std::uint8_t>(R)}};
    }

    // The vacant slots enter their policy one by one, each checked to be vacant and new: the list cannot loop or miss one.
    template <HandleLayout L, Exhaustion E, Reuse R, class A>
    static bool read_free(SlotDirectory<L, E, R, A>& d, ByteReader& in, slot_t vacant) {
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
