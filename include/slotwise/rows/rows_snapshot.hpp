// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RowsSnapshot: the beginning of a snapshot of rows, written and read from untrusted bytes.
#ifndef SLOTWISE_ROWS_ROWS_SNAPSHOT_HPP
#define SLOTWISE_ROWS_ROWS_SNAPSHOT_HPP

#include "../core/seal.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Byte order, the sizes of trivially copyable members, and the number of rows. The rows follow, one after the other.
template <class Codec, class... Ts>
struct RowsSnapshot {
    static constexpr std::uint32_t magic = 0x3152'4C53; // "SLR1"
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;
    static constexpr std::size_t row_bytes = std::is_same_v<Codec, DefaultCodec> ? (coding<Ts>.least + ... + 0) : 0;
    /// A row that may take no byte gets one, so that every count is backed by bytes.
    static constexpr bool filled = row_bytes == 0;

    static constexpr std::array<ElementTag, sizeof...(Ts)> tags = {{{ElementRole::column, type_tag<Codec, Ts>()}...}};

    static void begin(ByteWriter& out, std::size_t count) {
        out.number(magic);
        out.number(byte_order);
        (out.number(stamp<Ts>), ...);
        out.number(std::uint64_t{count});
    }
    /// The number of rows; 0 when the bytes are of another container.
    static std::size_t read(ByteReader& in) noexcept {
        if (in.number<std::uint32_t>() != magic) in.fail("snapshot: these bytes are not a snapshot of rows");
        if (in.number<std::uint8_t>() != byte_order) in.fail("snapshot: it was made by a machine of another byte order");
        if (!((in.number<std::uint32_t>() == stamp<Ts>)&&...)) in.fail("snapshot: it was made by rows of other members");
        return in.length(filled ? 1 : row_bytes);
    }

private:
    template <class T>
    static constexpr std::uint32_t stamp = std::is_trivially_copyable_v<T> ? static_cast<std::uint32_t>(sizeof(T)) : 0;
};

} // namespace detail
SLOTWISE_END

#endif
