// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Codecs: how values become bytes, and how they are read back from untrusted bytes.
#ifndef SLOTWISE_CORE_CODEC_HPP
#define SLOTWISE_CORE_CODEC_HPP

#include "bytes.hpp"
#include "concepts.hpp"
#include "members.hpp"
#include "std_memory.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

SLOTWISE_BEGIN

/// How DefaultCodec writes and reads a T. Specialise it for a type that DefaultCodec does not know:
///     template <> struct slotwise::CodecFor<Money> {
///         static void write(const Money& value, ByteWriter& out);
///         static Money read(ByteReader& in);   // reports bad bytes by in.fail("..."), and then returns anything
///     };
/// or derive the specialisation from MemberCodec, EnumCodec or RawCodec. read() accepts nothing that write() would not write.
/// A specialisation may have `static constexpr std::uint64_t type_tag`, a number that changes when what it writes does: bytes
/// with another one are refused.
template <class T>
struct CodecFor {};

namespace detail {

/// How DefaultCodec writes a type.
enum class Form : std::uint8_t {
    none,     // not at all
    custom,   // CodecFor says how
    raw,      // as in memory: each bit is part of the value, and each pattern of bits is a value
    boolean,  // a byte, 0 or 1
    array,    // each element
    tuple,    // each element
    optional, // a flag, and the value if there is one
    text,     // a length, and characters
    sequence, // a length, and each element
    members,  // each member
    empty,    // no byte
    count,    // a duration: its count
    since     // a time point: its duration
};

template <class T>
inline constexpr bool is_tuple = false;
template <class... Ts>
inline constexpr bool is_tuple<std::tuple<Ts...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
// Only programs that use <string> or <chrono> pay for including them.
template <class T>
concept Text = requires(T& text, std::size_t size) {
    typename T::traits_type::char_type;
    typename T::allocator_type;
    text.resize(size);
    { text.data() } -> std::same_as<typename T::traits_type::char_type*>;
};
template <class T>
concept Duration = std::is_trivially_copyable_v<T> && requires(const T& time) {
    typename T::period;
    { time.count() } -> std::same_as<typename T::rep>;
    T(time.count());
};
template <class T>
concept TimePoint = std::is_trivially_copyable_v<T> && requires(const T& time) {
    typename T::clock;
    { time.time_since_epoch() } -> std::same_as<typename T::duration>;
    T(time.time_since_epoch());
};
template <class T>
concept CustomCodec = requires(const T& value, ByteWriter& out, ByteReader& in) {
    CodecFor<T>::write(value, out);
    { CodecFor<T>::read(in) } -> std::same_as<T>;
};
/// Only then is each value of the underlying type a value of the enumeration.
template <class E>
concept FixedEnum = std::is_enum_v<E> && requires { E{0}; };

template <class T>
consteval Form form_of() noexcept {
    if constexpr (CustomCodec<T>)
        return Form::custom;
    else if constexpr (std::is_same_v<T, bool>)
        return Form::boolean;
    else if constexpr (std::is_floating_point_v<T>) // the 80-bit type of x86 has padding, and patterns that are no value
        return std::numeric_limits<T>::digits == 64 ? Form::none : Form::raw;
    else if constexpr (std::is_integral_v<T> || std::is_same_v<T, std::byte> || AnyHandle<T>)
        return Form::raw;
    else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>)
        return Form::array;
    else if constexpr (is_tuple<T>)
        return Form::tuple;
    else if constexpr (is_optional<T>)
        return Form::optional;
    else if constexpr (is_vector<T>)
        return Form::sequence;
    else if constexpr (Text<T>)
        return Form::text;
    else if constexpr (Duration<T>)
        return Form::count;
    else if constexpr (TimePoint<T>)
        return Form::since;
    else if constexpr (std::is_empty_v<T> && std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>)
        return Form::empty;
    else
        return std::is_same_v<members_of<T>, NoMembers> ? Form::none : Form::members;
}

/// The types that T's codec needs codecs for.
template <class T>
consteval auto parts_of() noexcept {
    constexpr Form form = form_of<T>();
    if constexpr (std::is_bounded_array_v<T>)
        return TypeList<std::remove_extent_t<T>>{};
    else if constexpr (form == Form::tuple)
        return []<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return TypeList<std::remove_const_t<std::tuple_element_t<Nth, T>>...>{};
        }(std::make_index_sequence<std::tuple_size_v<T>>{});
    else if constexpr (form == Form::array || form == Form::optional || form == Form::sequence || form == Form::text)
        return TypeList<typename T::value_type>{};
    else if constexpr (form == Form::members)
        return members_of<T>{};
    else if constexpr (form == Form::count)
        return TypeList<typename T::rep>{};
    else if constexpr (form == Form::since)
        return TypeList<typename T::duration>{};
    else
        return TypeList<>{};
}

/// What is known about the bytes of a type: that 1,000 floats in a struct are one block, and how many elements a vector can
/// have.
struct Coding {
    bool known = false;    // it has a codec
    bool block = false;    // its bytes are its memory
    std::size_t least = 0; // bytes it takes at least
};
template <class T>
inline constexpr bool raw_by_choice = requires { requires CodecFor<T>::is_raw; };

template <class T>
consteval Coding coding_of() noexcept;

template <class T>
inline constexpr Coding coding = coding_of<T>();

template <class T>
consteval Coding coding_of() noexcept {
    constexpr Form form = form_of<T>();
    constexpr auto together = []<class... Ps>(TypeList<Ps...>) {
        return Coding{(coding<Ps>.known && ... && true),
                      (coding<Ps>.block && ... && true) && sizeof(T) == (sizeof(Ps) + ... + 0), (coding<Ps>.least + ... + 0)};
    };
    if constexpr (form == Form::none)
        return {};
    else if constexpr (form == Form::custom)
        return {true, raw_by_choice<T>, raw_by_choice<T> ? sizeof(T) : 0};
    else if constexpr (form == Form::raw)
        return {true, true, sizeof(T)};
    else if constexpr (form == Form::boolean)
        return {true, false, 1};
    else if constexpr (form == Form::empty)
        return {true, false, 0};
    else if constexpr (form == Form::array) {
        constexpr Coding each = together(parts_of<T>());
        constexpr std::size_t count = std::is_array_v<T> ? std::extent_v<T> : [] {
            if constexpr (is_std_array<T>)
                return std::tuple_size_v<T>;
            else
                return std::size_t{0};
        }();
        constexpr bool whole = []<class P>(TypeList<P>) {
            return coding<P>.block && sizeof(T) == count * sizeof(P) && count != 0;
        }(parts_of<T>());
        constexpr bool assignable = []<class P>(TypeList<P>) {
            return std::is_array_v<P> || (std::is_default_constructible_v<P> && std::is_move_assignable_v<P>);
        }(parts_of<T>());
        return {each.known && assignable, whole, count * each.least};
    } else {
        constexpr Coding all = together(parts_of<T>());
        if constexpr (form == Form::optional)
            return {all.known, false, 1};
        else if constexpr (form == Form::sequence)
            return {all.known, false, sizeof(std::uint64_t)};
        else if constexpr (form == Form::text)
            return {coding<typename T::value_type>.block, false, sizeof(std::uint64_t)};
        else if constexpr (form == Form::members) {
            constexpr bool assignable = []<class... Ps>(TypeList<Ps...>) {
                return ((!std::is_const_v<Ps> && (std::is_array_v<Ps> || std::is_move_assignable_v<Ps>)) && ...);
            }(parts_of<T>());
            return {all.known && assignable, all.block && std::is_trivially_copyable_v<T>, all.least};
        } else
            return {all.known, all.block && std::is_trivially_copyable_v<T>, all.least};
    }
}

/// A T made of the next bytes; all zero when fewer are left. T needs no default constructor.
template <class T>
T read_block(ByteReader& in) noexcept {
    std::array<std::byte, sizeof(T)> memory{};
    if (const auto bytes = in.raw(sizeof(T)); !bytes.empty()) std::memcpy(memory.data(), bytes.data(), sizeof(T));
    return std::bit_cast<T>(memory);
}

template <class T, class M>
T owner_of(M T::*);

/// The compiler's message about this call names the type without a codec, which may be a member.
template <class T>
consteval void demand_codec() noexcept {
    static_assert(!std::is_pointer_v<T> && !std::is_member_pointer_v<T>,
                  "snapshot: T is a pointer, which another process cannot use; store a handle in its place");
    static_assert(!std::is_enum_v<T> || coding<T>.known,
                  "snapshot: T is an enumeration, and its range of values is not known; specialise slotwise::CodecFor<T> and "
                  "derive it from EnumCodec<first, last>, or from RawCodec<T> if each value of its underlying type is valid");
    if constexpr (!coding<T>.known && !std::is_enum_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T>) {
        constexpr bool parts_known = []<class... Ps>(TypeList<Ps...>) {
            (demand_codec<Ps>(), ...);
            return (coding<Ps>.known && ... && true);
        }(parts_of<T>());
        static_assert(
            !parts_known,
            "snapshot: T has no codec: it has padding or members that cannot be seen from outside; pass a codec with "
            "write(value, ByteWriter&) and read(ByteReader&) -> T, or specialise slotwise::CodecFor<T>, for instance as "
            "MemberCodec<&T::a, &T::b>");
    }
}

} // namespace detail

/// Whether DefaultCodec writes and reads a T.
template <class T>
concept Snapshotable = detail::coding<T>.known;

/// A base for CodecFor<T>: T is its bytes.
///     template <> struct slotwise::CodecFor<Money> : slotwise::RawCodec<Money> {};
/// @pre every pattern of bytes is a valid T
template <class T>
struct RawCodec {
    static_assert(
        std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>,
        "RawCodec<T>: T has padding, floating-point members or more than bytes; name its members: MemberCodec<&T::a, ...>");
    static_assert(
        !std::is_enum_v<T> || detail::FixedEnum<T>,
        "RawCodec<T>: not each number is a value of an enumeration without a fixed underlying type; write enum T : int, "
        "or EnumCodec<first, last>");
    /// A run of values is one block.
    static constexpr bool is_raw = true;
    /// Appends the bytes of the value.
    static void write(const T& value, ByteWriter& out) { out.raw(std::addressof(value), sizeof(T)); }
    /// The value of the next bytes.
    static T read(ByteReader& in) { return detail::read_block<T>(in); }
};

/// The codec that snapshot() and restore() use by default. It writes a value as its parts, never its padding, and accepts only
/// what it would write. It knows numbers, bool (0 or 1), handles, durations and time points, std::string, vector, array, pair,
/// tuple and optional, structs of up to 16 public members of such types, and types with a CodecFor. Pointers, enumerations
/// without a CodecFor, and classes with hidden members are compile errors that name the type. A codec of your own has the same
/// two functions; it may have a state.
struct DefaultCodec {
    /// Appends the bytes of the value. Integers and floating-point numbers in the machine's byte order, which snapshots record.
    template <class T>
    static void write([[maybe_unused]] const T& value, [[maybe_unused]] ByteWriter& out) {
        detail::demand_codec<T>();
        constexpr detail::Form form = detail::form_of<T>();
        if constexpr (detail::coding<T>.block)
            out.raw(std::addressof(value), sizeof(T));
        else if constexpr (form == detail::Form::custom)
            CodecFor<T>::write(value, out);
        else if constexpr (form == detail::Form::boolean)
            out.number(static_cast<std::uint8_t>(value));
        else if constexpr (form == detail::Form::array)
            for (const auto& each : value) write(each, out);
        else if constexpr (form == detail::Form::tuple)
            std::apply([&](const auto&... each) { (write(each, out), ...); }, value);
        else if constexpr (form == detail::Form::optional) {
            out.number(static_cast<std::uint8_t>(value.has_value()));
            if (value) write(*value, out);
        } else if constexpr (form == detail::Form::text) {
            out.number(std::uint64_t{value.size()});
            out.raw(value.data(), value.size() * sizeof(*value.data()));
        } else if constexpr (form == detail::Form::sequence)
            write_elements(value, out);
        else if constexpr (form == detail::Form::members)
            detail::visit_members<detail::count_members<T>()>(value, [&](const auto&... each) { (write(each, out), ...); });
        else if constexpr (form == detail::Form::count)
            write(value.count(), out);
        else if constexpr (form == detail::Form::since)
            write(value.time_since_epoch(), out);
    }
    /// The value of the next bytes. When they are wrong, in.error() is set and any value is returned. @throws what T's
    /// functions throw
    template <class T>
    static T read(ByteReader& in) {
        detail::demand_codec<T>();
        constexpr detail::Form form = detail::form_of<T>();
        if constexpr (detail::coding<T>.block)
            return detail::read_block<T>(in);
        else if constexpr (form == detail::Form::custom)
            return CodecFor<T>::read(in);
        else if constexpr (form == detail::Form::boolean)
            return in.flag();
        else if constexpr (form == detail::Form::tuple)
            return [&]<class... Ps>(detail::TypeList<Ps...>) { return T{read<Ps>(in)...}; }(detail::parts_of<T>());
        else if constexpr (form == detail::Form::optional) {
            T value;
            if (in.flag()) value.emplace(read<typename T::value_type>(in));
            return value;
        } else if constexpr (form == detail::Form::text) {
            const std::size_t count = in.length(sizeof(typename T::value_type));
            T value;
            value.resize(count);
            if (count != 0)
                std::memcpy(value.data(), in.raw(count * sizeof(*value.data())).data(), count * sizeof(*value.data()));
            return value;
        } else if constexpr (form == detail::Form::sequence)
            return read_elements<T>(in);
        else if constexpr (form == detail::Form::count)
            return T(read<typename T::rep>(in));
        else if constexpr (form == detail::Form::since)
            return T(read<typename T::duration>(in));
        else if constexpr (form != detail::Form::none) { // array, members, empty
            T value{};
            read_into(value, in);
            return value;
        }
    }
    /// As value = read<T>(in), also for arrays.
    template <class T>
    static void read_into([[maybe_unused]] T& value, [[maybe_unused]] ByteReader& in) {
        constexpr detail::Form form = detail::form_of<T>();
        if constexpr (detail::coding<T>.block) {
            if (const auto bytes = in.raw(sizeof(T)); !bytes.empty())
                std::memcpy(static_cast<void*>(std::addressof(value)), bytes.data(), sizeof(T));
        } else if constexpr (form == detail::Form::array)
            for (auto& each : value) read_into(each, in);
        else if constexpr (form == detail::Form::members)
            detail::visit_members<detail::count_members<T>()>(value, [&](auto&... each) { (read_into(each, in), ...); });
        else if constexpr (form != detail::Form::empty)
            value = read<T>(in);
    }

private:
    // An element that may take no byte gets one, so that every length is backed by bytes.
    template <class T>
    static constexpr bool is_filled = detail::coding<T>.least == 0;

    template <class V>
    static void write_elements(const V& values, ByteWriter& out) {
        using T = typename V::value_type;
        out.number(std::uint64_t{values.size()});
        if constexpr (detail::coding<T>.block)
            out.raw(values.data(), values.size() * sizeof(T));
        else
            for (auto&& each : values) {
                if constexpr (is_filled<T>) out.number(std::uint8_t{0});
                write(each, out);
            }
    }
    template <class V>
    static V read_elements(ByteReader& in) {
        using T = typename V::value_type;
        V values;
        std::size_t count = in.length(is_filled<T> ? 1 : detail::coding<T>.least);
        if constexpr (detail::coding<T>.block && std::is_default_constructible_v<T>) {
            values.resize(count);
            if (count != 0) std::memcpy(values.data(), in.raw(count * sizeof(T)).data(), count * sizeof(T));
        } else // memory grows with the elements: they may be far larger than their bytes
            for (; count != 0 && in.error() == nullptr; --count) {
                if (is_filled<T> && in.number<std::uint8_t>() != 0) in.fail("snapshot: a filler byte is not 0");
                values.push_back(read<T>(in));
            }
        return values;
    }
};

/// A base for CodecFor of an enumeration whose valid values are those from `First` to `Last`.
///     template <> struct slotwise::CodecFor<Kind> : slotwise::EnumCodec<Kind::rock, Kind::ship> {};
template <auto First, decltype(First) Last>
struct EnumCodec {
    using value_type = decltype(First);
    static_assert(std::is_enum_v<value_type> && !(Last < First),
                  "EnumCodec<First, Last>: give the lowest and the highest enumerator");
    /// Appends the value. @pre it is in the range (checked at level fast)
    static void write(const value_type& value, ByteWriter& out) {
        SLOTWISE_EXPECT(!(value < First) && !(Last < value),
                        "EnumCodec: the value to be written is not in the range First to Last");
        DefaultCodec::write(static_cast<std::underlying_type_t<value_type>>(value), out);
    }
    /// The value of the next bytes; an error when it is out of range.
    static value_type read(ByteReader& in) {
        const auto number = DefaultCodec::read<std::underlying_type_t<value_type>>(in);
        if (number < static_cast<decltype(number)>(First) || number > static_cast<decltype(number)>(Last)) {
            in.fail("snapshot: an enumeration is out of its range");
            return First;
        }
        return static_cast<value_type>(number);
    }
};

/// A base for CodecFor<T>: T is these members, written one after the other. For classes with constructors, and for more than 16
/// members.
///     template <> struct slotwise::CodecFor<Point> : slotwise::MemberCodec<&Point::x, &Point::y> {};
/// @pre the members determine the rest of the state
template <auto First, auto... Rest>
struct MemberCodec {
    using value_type = decltype(detail::owner_of(First));
    /// The types of the members, for the tag of the type in snapshots.
    using parts = detail::TypeList<std::remove_cvref_t<decltype(std::declval<value_type&>().*First)>,
                                   std::remove_cvref_t<decltype(std::declval<value_type&>().*Rest)>...>;
    /// Appends the bytes of the members.
    static void write(const value_type& value, ByteWriter& out) {
        DefaultCodec::write(value.*First, out);
        (DefaultCodec::write(value.*Rest, out), ...);
    }
    /// A value-initialised T whose members come from the next bytes.
    static value_type read(ByteReader& in) {
        value_type value{};
        DefaultCodec::read_into(value.*First, in);
        (DefaultCodec::read_into(value.*Rest, in), ...);
        return value;
    }
};

SLOTWISE_END

#endif
