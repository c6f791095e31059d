// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// apply_delta: a replica follows its original by deltas, or their bytes. Each delta is applied once, however often it arrives.
#ifndef SLOTWISE_SERIES_APPLY_DELTA_HPP
#define SLOTWISE_SERIES_APPLY_DELTA_HPP

#include "capture.hpp"
#include "detail/series_interface.hpp"

SLOTWISE_BEGIN

/// What apply_delta did.
enum class Applied : std::uint8_t {
    done,    ///< the changes are in the series, whose window is the last one of the delta
    already, ///< nothing: the series is at the last window of the delta, or a later one
    gap      ///< nothing: the series is at another window than the one before the delta; send the windows between first
};

/// What apply_delta did, or why it refused.
struct AppliedDelta {
    Applied applied = Applied::gap; ///< meaningful if the delta was not refused
    std::string error{};            ///< why it was refused; empty if it was not

    /// Whether the delta was not refused.
    explicit operator bool() const noexcept { return error.empty(); }
};

namespace detail {

/// What becomes of a delta from window `from` to window `to`, in a series that is at `window`.
template <class Time>
Applied applies(const Time& window, const Time& from, const Time& to) noexcept {
    return !(window < to) ? Applied::already : window == from ? Applied::done : Applied::gap;
}

/// The keys that the delta makes members. @param strict then these are `added`
template <class Series, class Delta>
std::size_t count_new_keys([[maybe_unused]] const Series& series, const Delta& delta, [[maybe_unused]] bool strict) {
    std::size_t count = delta.added.size();
    if constexpr (requires { delta.modified; })
        if (!strict)
            for (const auto& item : delta.modified) count += !series.contains(item.first);
    return count;
}

/// Whether a copy of a key or a value, of the series or of one inside, may throw where a move may not.
template <class Series>
consteval bool copies_may_throw() noexcept {
    bool may = false; // of a type-erased series not: its writer copies what it is given
    if constexpr (requires { typename Series::key_type; })
        may = !std::is_nothrow_copy_constructible_v<typename Series::key_type>;
    if constexpr (requires {
                      typename Series::key_type;
                      typename Series::mapped_type;
                  }) {
        if constexpr (is_series<typename Series::mapped_type>)
            may = may || copies_may_throw<typename Series::mapped_type>();
        else
            may = may || !std::is_nothrow_copy_constructible_v<typename Series::mapped_type> ||
                  !std::is_nothrow_copy_assignable_v<typename Series::mapped_type>;
    }
    return may;
}

/// Applies a delta that is given away, or of which a copy is made.
template <class Series, class Delta>
AppliedDelta apply_owned(Series& series, Delta&& delta, const typename Series::time_type& from, Strictness mode) {
    AppliedDelta result{applies(series.window(), from, delta.time), {}};
    if (result.applied != Applied::done) return result;
    if (const DeltaFault fault = SeriesAccess::find_fault(std::as_const(series), delta, mode)) {
        result.error = "apply_delta: " + fault.text();
        return result;
    }
    // Memory is reserved before, because an open window counts as applied.
    SeriesAccess::state(series).reserve_for(count_new_keys(series, delta, mode == Strictness::strict));
    const auto change = [&]<class D>(D&& owned) {
        auto writer = series.write(owned.time);
        SeriesAccess::apply_checked(writer, std::forward<D>(owned));
    };
    if constexpr (std::is_lvalue_reference_v<Delta> && copies_may_throw<Series>())
        change(typename Series::delta_type(delta)); // for the same reason
    else
        change(std::forward<Delta>(delta));
    return result;
}
inline Applied applied_or_throw(const AppliedDelta& result) {
    if (!result) throw_invalid_argument(result.error.c_str());
    return result.applied;
}

} // namespace detail

/// As apply_delta, but returns the error instead of throwing it. @throws what the series throws
template <class Series>
    requires detail::is_series<Series>
AppliedDelta try_apply_delta(Series& series, const typename Series::delta_type& delta, typename Series::time_type from,
                             Strictness mode = Strictness::strict) {
    return detail::apply_owned(series, delta, from, mode);
}
template <class Series>
    requires detail::is_series<Series>
AppliedDelta try_apply_delta(Series& series, typename Series::delta_type&& delta, typename Series::time_type from,
                             Strictness mode = Strictness::strict) {
    return detail::apply_owned(series, std::move(delta), from, mode);
}
/// As apply_delta, but returns the error instead of throwing it. @throws what the series and the codec throw
template <class Series, class Codec = DefaultCodec>
    requires detail::is_series<Series>
AppliedDelta try_apply_delta(Series& series, std::span<const std::byte> bytes, Strictness mode = Strictness::strict,
                             const Codec& codec = {}) {
    auto elements = [&] {
        if constexpr (requires { series.delta_codec(codec); })
            return series.delta_codec(codec);
        else
            return codec;
    }();
    auto received = detail::delta_from_bytes<typename Series::delta_type>(bytes, elements, "apply_delta");
    if (!received) return {Applied::gap, std::move(received.error)};
    return try_apply_delta(series, std::move(received.delta), received.from, mode);
}

/// Applies a delta to a series in the state of window `from`. It then has the state of window delta.time, and capturing it
/// gives the same delta as capturing the original. A delta that arrives twice is applied once, and one that arrives too early
/// is not applied. So delivery "at least once" is enough. An rvalue is moved from.
///
/// The whole delta is checked against the series before the first change.
/// @param from the window that was open before those of the delta
/// @param mode as of TSDWriter::apply()
/// @throws std::invalid_argument that names the key's place in the delta, or if a writer of the series is open;
/// std::bad_alloc; what hash, equality and copies throw; nothing has changed then: room is made, and what may throw is copied,
/// before the window opens. Moves and default constructors of elements, nested series, and copies into a type-erased series may
/// throw later: the changes made until then stay, and the window counts as applied. Then make the series equal by
/// capture_state() of the original, and reconcile()
/// @complexity linear in changes and in those of the window before
template <class Series>
    requires detail::is_series<Series>
Applied apply_delta(Series& series, const typename Series::delta_type& delta, typename Series::time_type from,
                    Strictness mode = Strictness::strict) {
    return detail::applied_or_throw(try_apply_delta(series, delta, from, mode));
}
template <class Series>
    requires detail::is_series<Series>
Applied apply_delta(Series& series, typename Series::delta_type&& delta, typename Series::time_type from,
                    Strictness mode = Strictness::strict) {
    return detail::applied_or_throw(try_apply_delta(series, std::move(delta), from, mode));
}
/// The same for the bytes that to_bytes() of a delta made, here or in another process. All of them are checked before the first
/// change: their checksum, the types of keys, values and times, and each row.
/// @param codec as of from_bytes(); of a type-erased series an AnyCodec
/// @throws std::invalid_argument that says what is wrong with the bytes, and nothing has changed; as above
template <class Series, class Codec = DefaultCodec>
    requires detail::is_series<Series>
Applied apply_delta(Series& series, std::span<const std::byte> bytes, Strictness mode = Strictness::strict,
                    const Codec& codec = {}) {
    return detail::applied_or_throw(try_apply_delta(series, bytes, mode, codec));
}

SLOTWISE_END

#endif
