// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Which format of Arrow a C++ type has, how a struct is split into columns, and the metadata of a schema.
#ifndef SLOTWISE_ARROW_FIELDS_HPP
#define SLOTWISE_ARROW_FIELDS_HPP

#include "../core/detail/concepts.hpp"
#include "../core/with.hpp"
#include "c_data.hpp"

#include <cstring>
#include <string_view>
#include <tuple>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// The layout of a type's values in an Arrow buffer.
enum class ArrowLayout : std::uint8_t {
    fixed, ///< an array of `stored`
    bits,  ///< a bit for each value, the lowest first
    text   ///< bytes of utf8, and 32-bit offsets to where each begins
};

/// What fixed-width types have in common. `Stored` is what the buffer holds.
template <class Stored>
struct FixedArrow {
    using stored = Stored;
    static constexpr ArrowLayout layout = ArrowLayout::fixed;
};

template <class T>
consteval const char* format_of_number() noexcept {
    if constexpr (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? "f" : "g";
    else {
        constexpr bool is_signed = std::is_signed_v<T>;
        if constexpr (sizeof(T) == 1) return is_signed ? "c" : "C";
        if constexpr (sizeof(T) == 2) return is_signed ? "s" : "S";
        if constexpr (sizeof(T) == 4) return is_signed ? "i" : "I";
        return is_signed ? "l" : "L";
    }
}

// Durations and time points are found by their members, because <chrono> costs as much compile time as a container.
template <class T>
concept ChronoDuration = requires(const T& t) {
    t.count();
    typename T::rep;
    T::period::num;
    T::period::den;
} && std::is_integral_v<typename T::rep>;
template <class T>
concept ChronoTime = requires(const T& t) {
    typename T::clock;
    t.time_since_epoch();
} && ChronoDuration<typename T::duration>;
/// Whether values of a clock are calendar times in UTC: those of the system clock, and of no other.
template <class Clock>
inline constexpr bool is_calendar_clock = requires { &Clock::to_time_t; };

/// The unit of a duration: 's', 'm', 'u', 'n', or 0 if Arrow has none.
template <class D>
consteval char unit_of() noexcept {
    constexpr auto num = D::period::num, den = D::period::den;
    if constexpr (den == 1) return 's'; // or a multiple of a second
    if constexpr (num == 1 && den == 1000) return 'm';
    if constexpr (num == 1 && den == 1000000) return 'u';
    if constexpr (num == 1 && den == 1000000000) return 'n';
    return 0;
}
template <char Unit>
inline constexpr char duration_format[] = {'t', 'D', Unit, '\0'};
template <char Unit>
inline constexpr char time_format[] = {'t', 's', Unit, ':', '\0'};
template <char Unit>
inline constexpr char utc_format[] = {'t', 's', Unit, ':', 'U', 'T', 'C', '\0'};

/// Converts the count of a duration D from and to that in the buffer, which is in seconds if the unit of D is coarser.
/// @tparam Stored the integer in the buffer
template <class D, class Stored>
struct DurationArrow : FixedArrow<Stored> {
    static constexpr std::intmax_t seconds =
        std::intmax_t{D::period::num} / D::period::den; ///< in the unit of D; 0 for parts of a second
    static constexpr std::intmax_t scale = seconds > 1 ? seconds : 1;
    static constexpr Stored encode(const D& d) noexcept { // unsigned, so that what does not fit wraps
        return static_cast<Stored>(static_cast<std::uint64_t>(d.count()) * static_cast<std::uint64_t>(scale));
    }
    static constexpr D decode(Stored count) noexcept {
        return D(static_cast<typename D::rep>(count / static_cast<Stored>(scale)));
    }
};

/// What Arrow has for T: `format`, `layout`, `stored`, and for fixed widths encode() and decode(). Undefined for other types.
/// is_arrow_memory() says which of them lie in memory as in an Arrow buffer, so that they are shared and not encoded.
template <class T>
struct ArrowType;

template <class T>
    requires(std::is_arithmetic_v<T> && sizeof(T) <= 8) // a long double is no Arrow type where it is wider than a double
struct ArrowType<T> : FixedArrow<T> {
    static constexpr const char* format = format_of_number<T>();
    static constexpr T encode(T value) noexcept { return value; }
    static constexpr T decode(T stored) noexcept { return stored; }
};
template <>
struct ArrowType<bool> {
    using stored = bool;
    static constexpr ArrowLayout layout = ArrowLayout::bits;
    static constexpr const char* format = "b";
};
template <class T>
    requires(std::is_enum_v<T>)
struct ArrowType<T> : FixedArrow<std::underlying_type_t<T>> {
    using stored = std::underlying_type_t<T>;
    static_assert(!std::is_same_v<stored, bool>, "Arrow: an enumeration over bool has no column; give it another type");
    static constexpr const char* format = format_of_number<stored>();
    static constexpr stored encode(T value) noexcept { return static_cast<stored>(value); }
    static constexpr T decode(stored value) noexcept { return static_cast<T>(value); }
};
template <class T>
    requires(AnyHandle<T>)
struct ArrowType<T> : FixedArrow<std::uint64_t> {
    static constexpr const char* format = "L";
    static constexpr std::uint64_t encode(T value) noexcept { return value.to_bits(); }
    static constexpr T decode(std::uint64_t bits) noexcept { return T::from_bits(static_cast<typename T::bits_type>(bits)); }
};
template <class T>
    requires(ChronoDuration<T> && unit_of<T>() != 0)
struct ArrowType<T> : DurationArrow<T, std::int64_t> {
    static constexpr const char* format = duration_format<unit_of<T>()>;
};
template <class T>
    requires(ChronoTime<T> && unit_of<typename T::duration>() != 0)
struct ArrowType<T> {
    using duration = typename T::duration;
    // A time in days is a date of 32 bits.
    static constexpr bool is_date = duration::period::num == 86400 && duration::period::den == 1;
    using stored = std::conditional_t<is_date, std::int32_t, std::int64_t>;
    static constexpr ArrowLayout layout = ArrowLayout::fixed;
    static constexpr const char* format = is_date                                ? "tdD"
                                          : is_calendar_clock<typename T::clock> ? utc_format<unit_of<duration>()>
                                                                                 : time_format<unit_of<duration>()>;
    static constexpr stored encode(const T& time) noexcept {
        if constexpr (is_date)
            return static_cast<stored>(time.time_since_epoch().count());
        else
            return DurationArrow<duration, stored>::encode(time.time_since_epoch());
    }
    static constexpr T decode(stored value) noexcept {
        if constexpr (is_date)
            return T(duration(static_cast<typename duration::rep>(value)));
        else
            return T(DurationArrow<duration, stored>::decode(value));
    }
};
template <class T>
    requires(std::is_same_v<T, std::string_view> ||
             requires(const T& t) { // std::string with any allocator
                 typename T::traits_type;
                 typename T::allocator_type;
                 std::string_view(t);
             })
struct ArrowType<T> {
    using stored = char;
    static constexpr ArrowLayout layout = ArrowLayout::text;
    static constexpr const char* format = "u";
    static constexpr std::string_view encode(const T& text) noexcept { return text; }
};

/// Whether a T is one column.
template <class T>
concept ArrowValue = requires { ArrowType<T>::format; };

/// Whether an array of Ts has the same bytes as an Arrow buffer, so that it can be shared.
template <class T>
consteval bool is_arrow_memory() noexcept {
    if constexpr (!ArrowValue<T>)
        return false; // NOLINT(bugprone-branch-clone): what comes next may be asked only of such types
    else if constexpr (ArrowType<T>::layout != ArrowLayout::fixed || !std::is_trivially_copyable_v<T> ||
                       sizeof(T) != sizeof(typename ArrowType<T>::stored))
        return false;
    else if constexpr (ChronoDuration<T>)
        return ArrowType<T>::scale == 1 && std::is_signed_v<typename T::rep>;
    else if constexpr (ChronoTime<T>)
        return ArrowType<T>::is_date || is_arrow_memory<typename T::duration>();
    else
        return std::is_arithmetic_v<T> || std::is_enum_v<T> || AnyHandle<T>; // others go through encode()
}

} // namespace detail

/// The format of type T in Arrow's notation: "g" for a double, "u" for a std::string, "b" for a bool, "L" for a handle. Numbers
/// and enumerations have that of their width. Durations and time points have "tDn", "tsu:UTC" ... in their own unit, or in
/// seconds if that is coarser; a time point in days has "tdD". A type without a format does not compile.
template <class T>
    requires detail::ArrowValue<T>
inline constexpr const char* format_of = detail::ArrowType<T>::format;

/// A column made of a member of T, see field().
template <class T, class... Path>
struct ArrowField {
    const char* name;
    std::tuple<Path...> path;

    /// The member in `value`.
    constexpr const auto& operator()(const T& value) const noexcept { return at<0>(value); }
    constexpr auto& operator()(T& value) const noexcept { return at<0>(value); }

private:
    template <std::size_t Nth, class U>
    constexpr auto& at(U& value) const noexcept {
        if constexpr (Nth == sizeof...(Path))
            return value;
        else
            return at<Nth + 1>(value.*std::get<Nth>(path));
    }
};

/// A column `name` made of the member &T::x, or of a member of a member: field("x", &T::position, &Position::x).
template <class T, class M, class... Path>
constexpr ArrowField<T, M T::*, Path...> field(const char* name, M T::*member, Path... path) noexcept {
    return {name, {member, path...}};
}

/// The columns of a struct. Specialise it for a type without a format of its own, so that it can be exported and imported.
///
///     template <>
///     struct slotwise::ArrowFields<Point> {
///         static constexpr auto members = std::tuple(slotwise::field("x", &Point::x), slotwise::field("y", &Point::y));
///     };
template <class T>
struct ArrowFields;

namespace detail {

/// The types of type-erased values that have a column.
using AnyColumnTypes = TypeList<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                unsigned long, long long, unsigned long long, float, double, std::string, Entity>;

/// Calls f(std::type_identity<T>()) for the T of AnyColumnTypes that has the id of this type. Returns false if none has.
/// @tparam Descriptor TypeDescriptor, which this header does not include
template <class Descriptor, class F>
bool with_column_type(const Descriptor& type, F&& f) {
    return type.id && [&]<class... Ts>(TypeList<Ts...>) {
        return ((type.id == Descriptor::template id_of<Ts>() && (f(std::type_identity<Ts>()), true)) || ...);
    }(AnyColumnTypes());
}

template <class T>
concept HasArrowFields = requires { ArrowFields<T>::members; };

/// Refuses types that cannot be a column: the compiler's message names T.
template <class T>
struct ArrowColumnOf {
    static_assert(ArrowValue<T> || HasArrowFields<T>,
                  "Arrow: the type T has no column: it is no number, bool, enumeration, string, time or handle. For a struct, "
                  "specialise slotwise::ArrowFields<T> with field(\"name\", &T::member)");
    static constexpr bool by_itself = ArrowValue<T>;
};

/// Appends a size as 32 bits in the byte order of this machine, as metadata have it.
inline void append_size(std::string& out, std::size_t size) {
    if (size > 0x7FFF'FFFFu) throw_length_error("Arrow metadata: a text of 2 GiB or more");
    const auto length = static_cast<std::int32_t>(size);
    char bytes[sizeof length];
    std::memcpy(bytes, &length, sizeof length);
    out.append(bytes, sizeof length);
}

} // namespace detail

/// Keys and values of a schema's metadata, in their order.
using ArrowPairs = std::vector<std::pair<std::string, std::string>>;

/// The bytes of ArrowSchema::metadata. Without pairs they are empty, which stands for a null pointer.
/// @throws std::length_error if a text has 2 GiB or more; std::bad_alloc
std::string encode_metadata(const ArrowPairs& pairs);

namespace detail {

/// Appends the pairs of ArrowSchema::metadata. Returns false if a length in it is negative.
bool read_metadata(const char* metadata, ArrowPairs& pairs);

} // namespace detail

/// The pairs of ArrowSchema::metadata. @param metadata null for none; lengths in it must be right
/// @throws std::invalid_argument if a length is negative; std::bad_alloc
inline ArrowPairs decode_metadata(const char* metadata) {
    ArrowPairs pairs;
    if (!detail::read_metadata(metadata, pairs)) detail::throw_invalid_argument("Arrow metadata: a length is negative");
    return pairs;
}

/// The value of `key`, or null. It belongs to `found`, which is a result of decode_metadata().
const std::string* find_metadata(const ArrowPairs& found, std::string_view key) noexcept;

SLOTWISE_END

#if SLOTWISE_BODIES
#include "fields.inl.hpp"
#endif

#endif
