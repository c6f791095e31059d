// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Forged snapshots whose end agrees with them again. Without that every change is refused by the checksum, and no test reaches
// the checks behind it.
#ifndef SLOTWISE_TESTS_SUPPORT_SNAPSHOTS_HPP
#define SLOTWISE_TESTS_SUPPORT_SNAPSHOTS_HPP

#include <slotwise/core/detail/seal.hpp>

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace test {

using SnapshotBytes = std::vector<std::byte>;

/// Bytes of the mark and the checksum.
inline constexpr std::size_t seal_bytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

/// Puts mark and checksum behind bytes that have none.
inline SnapshotBytes sealed(SnapshotBytes body) {
    slotwise::ByteWriter out;
    out.raw(body.data(), body.size());
    out.number(slotwise::detail::Seal::mark);
    out.number(slotwise::detail::Xxh3::of(out.written()));
    return out.take();
}
/// Whether a container refuses the bytes before it reads them, because of their mark or checksum.
inline bool is_damaged(const SnapshotBytes& bytes) {
    std::span<const std::byte> all(bytes);
    return slotwise::detail::Seal::checked(all) != nullptr;
}
/// The tag that a snapshot has for a part of this type.
template <class T>
consteval std::uint64_t tag_of() noexcept {
    return slotwise::detail::tag_of<T>();
}
/// A snapshot in two parts: what its container wrote, and the tags of types with their number. Mark and checksum are dropped.
struct OpenSnapshot {
    SnapshotBytes state{}, tags{};

    explicit OpenSnapshot(SnapshotBytes bytes) : state(std::move(bytes)) {
        if (state.size() < seal_bytes + sizeof(std::uint32_t)) return;
        state.resize(state.size() - seal_bytes);
        std::size_t count = 0;
        for (std::size_t i = 0; i != sizeof(std::uint32_t); ++i)
            count |= std::to_integer<std::size_t>(state[state.size() - sizeof(std::uint32_t) + i]) << (8 * i);
        const std::size_t most = (state.size() - sizeof(std::uint32_t)) / sizeof(std::uint64_t);
        const std::size_t size = sizeof(std::uint32_t) + (count < most ? count : most) * sizeof(std::uint64_t);
        tags.assign(state.end() - static_cast<std::ptrdiff_t>(size), state.end());
        state.resize(state.size() - size);
    }
    SnapshotBytes close() const {
        SnapshotBytes body = state;
        body.insert(body.end(), tags.begin(), tags.end());
        return sealed(std::move(body));
    }
};
/// Mends the checksum of a snapshot in which bytes before it were changed.
inline SnapshotBytes reseal(SnapshotBytes bytes) {
    if (bytes.size() < seal_bytes) return bytes;
    bytes.resize(bytes.size() - seal_bytes);
    return sealed(std::move(bytes));
}
/// A snapshot whose state was changed by change(state), which may also cut or extend it. Tags and checksum fit again.
template <class Change>
SnapshotBytes forged(const SnapshotBytes& bytes, Change&& change) {
    OpenSnapshot open(bytes);
    change(open.state);
    return open.close();
}

} // namespace test

#endif
