// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Parts of SeriesCore: what ticks, what a nested series is part of, how it becomes bytes.
#ifndef SLOTWISE_SERIES_SERIES_PARTS_HPP
#define SLOTWISE_SERIES_SERIES_PARTS_HPP

#include "delta.hpp"
#include "subscriber.hpp"

SLOTWISE_BEGIN
namespace detail {

/// One thing that ticks: when last, whether someone must still be told, and who.
template <class Time>
struct SeriesTicker {
    Time last = TimeTraits<Time>::never();
    bool news = false;
    mutable SubscriberList<Time> list{};

    constexpr void tick(Time time) noexcept {
        last = time;
        news = true;
    }
    constexpr void tell(SeriesLevel level, std::uint64_t number) noexcept {
        if (std::exchange(news, false)) list.tell({level, no_slot, last}, number);
    }
};

/// What a nested series is part of, while a writer of it is open.
struct SeriesParent {
    void* series = nullptr;
    slot_t slot = no_slot;
    void (*closed)(void* series, slot_t slot) noexcept = nullptr;
    void (*cover)(void* series) = nullptr; ///< so that it can be told later that something nested has subscribers to tell
};

/// Writes nested series as their snapshots, everything else as Codec does.
template <class Codec>
struct SeriesCodec {
    Codec& codec;

    template <class V>
    void write(const V& value, ByteWriter& out) {
        if constexpr (is_series<V>) {
            const auto bytes = value.snapshot(codec);
            out.number(std::uint64_t{bytes.size()});
            out.raw(bytes.data(), bytes.size());
        } else
            codec.write(value, out);
    }
    template <class V>
    V read(ByteReader& in) {
        if constexpr (is_series<V>) {
            V value;
            const auto size = in.number<std::uint64_t>();
            if (size > in.left())
                in.fail("snapshot: the bytes of a nested series end too early");
            else if (const char* error = value.try_restore(in.raw(static_cast<std::size_t>(size)), codec))
                in.fail(error);
            return value;
        } else
            return codec.template read<V>(in);
    }
};

} // namespace detail
SLOTWISE_END

#endif
