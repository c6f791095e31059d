// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Codecs: how values become bytes, and how they are read back from untrusted bytes.
#ifndef SLOTWISE_CORE_CODEC_HPP
#define SLOTWISE_CORE_CODEC_HPP

#include "../config/abi.hpp"
#include "../config/error.hpp"
#include "detail/concepts.hpp"
#include "detail/std_memory.hpp"
#include "with.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

SLOTWISE_BEGIN

/// Appends little-endian integers and raw bytes to a buffer. Codecs write with it.
class ByteWriter {
public:
    ByteWriter() = default;
    ByteWriter(const ByteWriter&) = default;
    /// `other` is empty then.
    ByteWriter(ByteWriter&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
    ByteWriter& operator=(ByteWriter other) noexcept {
        bytes_.swap(other.bytes_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~ByteWriter() = default;

    /// Appends an integer, lowest byte first.
    template <class U>
        requires std::is_unsigned_v<U>
    void number(U value) {
        numbers(&value, 1);
    }
    /// Appends `count` integers.
    template <class U>
        requires std::is_unsigned_v<U>
    void numbers(const U* values, std::size_t count) {
        if constexpr (std::endian::native == std::endian::little)
            raw(values, count * sizeof(U));
        else
            for (std::size_t n = 0; n != count; ++n)
                for (unsigned i = 0; i != sizeof(U); ++i) {
                    const auto byte = static_cast<std::byte>(std::uint64_t{values[n]} >> (8 * i));
                    raw(&byte, 1);
                }
    }
    /// Appends bytes as they are.
    void raw(const void* data, std::size_t size) {
        if (size > bytes_.size() - size_) [[unlikely]]
            grow(size);
        if (size != 0) std::memcpy(bytes_.data() + size_, data, size);
        size_ += size;
    }
    /// Makes room for `size` bytes more, so that the next ones move nothing. @throws what std::vector throws; nothing is lost
    void reserve(std::size_t size) {
        if (size > bytes_.size() - size_) grow(size);
    }
    /// Writes an integer over bytes that were written. @pre at + sizeof(U) <= written().size()
    template <class U>
        requires std::is_unsigned_v<U>
    void overwrite(std::size_t at, U value) noexcept {
        for (unsigned i = 0; i != sizeof(U); ++i) bytes_[at + i] = static_cast<std::byte>(std::uint64_t{value} >> (8 * i));
    }
    /// What was written until now. @invalidates itself with the next call
    std::span<const std::byte> written() const noexcept { return {bytes_.data(), size_}; }
    /// Returns the bytes and leaves the writer empty.
    std::vector<std::byte> take() noexcept {
        bytes_.resize(size_); // to no more than there are: allocates nothing
        size_ = 0;
        return std::exchange(bytes_, {});
    }

private:
    void grow(std::size_t size) {
        const std::size_t twice = 2 * bytes_.size();
        const std::size_t need = size < bytes_.max_size() - size_ ? size_ + size : bytes_.max_size() + 1; // which throws
        bytes_.resize(need < twice ? twice : need);
    }

    std::vector<std::byte> bytes_; // those from size_ on are room: a push_back for each byte took ten times as long
    std::size_t size_ = 0;
};

/// Reads what ByteWriter wrote. It remembers the first error. Everything after an error reads as zero.
class ByteReader {
public:
    /// Reads these bytes, which must stay where they are.
    explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    /// The next integer; 0 after the end.
    template <class U>
        requires std::is_unsigned_v<U>
    U number() noexcept {
        U value = 0;
        static_cast<void>(numbers(&value, 1));
        return value;
    }
    /// The next `count` integers. False, and nothing is read, when fewer are left.
    template <class U>
        requires std::is_unsigned_v<U>
    bool numbers(U* values, std::size_t count) noexcept {
        if (count > left() / sizeof(U)) return need(left() + 1);
        const auto bytes = raw(count * sizeof(U));
        if constexpr (std::endian::native == std::endian::little) {
            if (count != 0) std::memcpy(values, bytes.data(), bytes.size());
        } else
            for (std::size_t n = 0; n != count; ++n) {
                std::uint64_t value = 0;
                for (unsigned i = 0; i != sizeof(U); ++i)
                    value |= std::to_integer<std::uint64_t>(bytes[n * sizeof(U) + i]) << (8 * i);
                values[n] = static_cast<U>(value);
            }
        return true;
    }
    /// The next integer, which must be 0 or 1.
    bool flag() noexcept {
        const auto value = number<std::uint8_t>();
        return value == 1 || (value != 0 && fail("snapshot: a bool or a flag is neither 0 nor 1"));
    }
    /// The next integer as the length of a sequence whose parts take at least `part_bytes` each. Returns 0 when the bytes left
    /// are too few. To be called before memory is allocated. @pre part_bytes != 0
    std::size_t length(std::size_t part_bytes) noexcept {
        const auto value = number<std::uint64_t>();
        if (value <= left() / part_bytes) return static_cast<std::size_t>(value);
        fail("snapshot: a length exceeds the bytes that are left");
        return 0;
    }
    /// The next `size` bytes; empty when fewer are left.
    std::span<const std::byte> raw(std::size_t size) noexcept {
        if (!need(size)) return {};
        const auto result = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return result;
    }
    /// `size` bytes that come `offset` bytes after the next one, which stays the next one; empty when they are not all there.
    std::span<const std::byte> peek(std::size_t offset, std::size_t size) const noexcept {
        return offset <= left() && size <= left() - offset ? bytes_.subspan(offset, size) : std::span<const std::byte>();
    }
    /// Bytes not read yet.
    std::size_t left() const noexcept { return bytes_.size(); }
    /// Records an error; `what` is a literal that describes it. The first error is kept. Returns false.
    bool fail(const char* what) noexcept {
        if (error_ == nullptr) error_ = what;
        bytes_ = {};
        return false;
    }
    /// The first error, or null.
    const char* error() const noexcept { return error_; }

private:
    bool need(std::size_t size) noexcept { return size <= bytes_.size() || fail("snapshot: the bytes end too early"); }

    std::span<const std::byte> bytes_;
    const char* error_ = nullptr;
};

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

// The members of an aggregate are found without declarations by its author, so that a struct is written without its padding.

/// An initialiser for a member of any type. It is never called, but clang needs a body when it examines std::optional's
/// constructors.
template <std::size_t>
struct AnyMember {
    template <class U>
    operator U() const noexcept {
        return (*static_cast<U (*)()>(nullptr))();
    }
};
/// An initialiser for a base of T.
template <class T>
struct AnyBase {
    template <class U>
        requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
    operator U() const noexcept; // declared only
};

/// Structs with more initialisers are not decomposed. An array has one for each element: float[64] is one member, but 64
/// initialisers.
inline constexpr std::size_t max_initialisers = 256;

/// Whether T can be initialised from `Before` values; with `Braces` an empty pair of them and `After` values follow.
template <class T, std::size_t Before, bool Braces = false, std::size_t After = 0>
consteval bool takes_initialisers() {
    return []<std::size_t... B, std::size_t... A>(std::index_sequence<B...>, std::index_sequence<A...>) {
        if constexpr (Braces)
            return requires { T{AnyMember<B>()..., {}, AnyMember<A>()...}; };
        else
            return requires { T{AnyMember<B>()...}; };
    }(std::make_index_sequence<Before>{}, std::make_index_sequence<After>{});
}

/// The largest n below `High` for which T takes n initialisers (those after braces, if there are any). @pre it takes `Low`
template <class T, std::size_t Before, bool Braces, std::size_t Low, std::size_t High>
consteval std::size_t most_initialisers() {
    if constexpr (High - Low <= 1)
        return Low;
    else {
        constexpr std::size_t middle = Low + (High - Low) / 2;
        constexpr bool fits = Braces ? takes_initialisers<T, Before, true, middle>() : takes_initialisers<T, middle>();
        if constexpr (fits)
            return most_initialisers<T, Before, Braces, middle, High>();
        else
            return most_initialisers<T, Before, Braces, Low, middle>();
    }
}

/// The members from initialiser number `At` of `Total` on: an array takes as many initialisers as it has elements, and one pair
/// of braces. max_initialisers when that cannot be determined.
template <class T, std::size_t At, std::size_t Total>
consteval std::size_t members_from() {
    if constexpr (At == Total)
        return 0;
    else if constexpr (!takes_initialisers<T, At, true, 0>())
        return max_initialisers;
    else {
        constexpr std::size_t after = most_initialisers<T, At, true, 0, Total - At>();
        return 1 + members_from<T, Total - after, Total>();
    }
}

/// How many members T has. 0 unless T is a struct whose members are all public, its own and within the limits.
template <class T>
consteval std::size_t count_members() {
    if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T> || std::is_empty_v<T> || !std::default_initializable<T>)
        return 0; // NOLINT(bugprone-branch-clone): what comes next may be asked only of such structs
    else if constexpr (requires { T{AnyBase<T>()}; })
        return 0;
    else {
        constexpr std::size_t total = most_initialisers<T, 0, false, 0, max_initialisers + 1>();
        if constexpr (total == max_initialisers)
            return 0;
        else
            return members_from<T, 0, total>() <= 16 ? members_from<T, 0, total>() : 0;
    }
}

/// What visit_members() returns when a member is a bit-field.
struct NoMembers {};

/// f(members...), in the order of their declaration. @pre count_members<T>() == N, which is not 0
template <std::size_t N, class T, class F>
constexpr decltype(auto) visit_members(T& object, F&& f) {
    // A requirement, because a bit-field binds to no reference.
#define SLOTWISE_VISIT(n, ...)                                                                                                 \
    if constexpr (N == n) {                                                                                                    \
        auto& [__VA_ARGS__] = object;                                                                                          \
        if constexpr (requires { f(__VA_ARGS__); })                                                                            \
            return f(__VA_ARGS__);                                                                                             \
        else                                                                                                                   \
            return NoMembers{};                                                                                                \
    }
    SLOTWISE_VISIT(1, a)
    SLOTWISE_VISIT(2, a, b)
    SLOTWISE_VISIT(3, a, b, c)
    SLOTWISE_VISIT(4, a, b, c, d)
    SLOTWISE_VISIT(5, a, b, c, d, e)
    SLOTWISE_VISIT(6, a, b, c, d, e, g)
    SLOTWISE_VISIT(7, a, b, c, d, e, g, h)
    SLOTWISE_VISIT(8, a, b, c, d, e, g, h, i)
    SLOTWISE_VISIT(9, a, b, c, d, e, g, h, i, j)
    SLOTWISE_VISIT(10, a, b, c, d, e, g, h, i, j, k)
    SLOTWISE_VISIT(11, a, b, c, d, e, g, h, i, j, k, l)
    SLOTWISE_VISIT(12, a, b, c, d, e, g, h, i, j, k, l, m)
    SLOTWISE_VISIT(13, a, b, c, d, e, g, h, i, j, k, l, m, o)
    SLOTWISE_VISIT(14, a, b, c, d, e, g, h, i, j, k, l, m, o, p)
    SLOTWISE_VISIT(15, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q)
    SLOTWISE_VISIT(16, a, b, c, d, e, g, h, i, j, k, l, m, o, p, q, r)
#undef SLOTWISE_VISIT
}

/// Only its result type is used. Clang needs a body when the type of a member has no linkage.
struct ListTypes {
    template <class... Ms>
    TypeList<Ms...> operator()(Ms&...) const noexcept {
        return {};
    }
};
template <class T>
consteval auto list_members() {
    if constexpr (constexpr std::size_t count = count_members<T>(); count == 0)
        return NoMembers{};
    else
        return decltype(visit_members<count>(std::declval<T&>(), ListTypes{})){};
}
/// TypeList of the types of T's members, or NoMembers.
template <class T>
using members_of = decltype(list_members<T>());

/// How DefaultCodec writes a type.
enum class Form : std::uint8_t {
    none,     // not at all
    custom,   // CodecFor says how
    raw,      // as in memory: each bit is part of the value, and each pattern of bits is a value
    boolean,  // a byte, 0 or 1
    array,    // each element
    tuple,    // each element
    optional, // a flag, and the value if there is one
    variant,  // the number of the alternative, and its value
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
// Only programs that use <string>, <variant> or <chrono> pay for including them.
template <class T>
inline constexpr bool is_variant = false;
template <template <class...> class V, class A, class... As>
    requires requires(const V<A, As...>& value) {
        value.valueless_by_exception();
        V<A, As...>(std::in_place_index<0>, std::declval<A>());
    }
inline constexpr bool is_variant<V<A, As...>> = true;
template <class T>
struct Alternatives;
template <template <class...> class V, class... As>
struct Alternatives<V<As...>> {
    using types = TypeList<std::remove_const_t<As>...>;
    using places = std::index_sequence_for<As...>;
    using index = std::conditional_t<(sizeof...(As) < 256), std::uint8_t, std::uint32_t>; // in the bytes
};
/// f(value) of the alternative that a variant has, if it has one.
template <class V, class F>
void visit_held(V& variant, F&& f) {
    [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
        (..., (Nth == variant.index() ? static_cast<void>(f(get<Nth>(variant))) : static_cast<void>(0)));
    }(typename Alternatives<std::remove_const_t<V>>::places());
}
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
    else if constexpr (is_variant<T>)
        return Form::variant;
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
    else if constexpr (form == Form::variant)
        return typename Alternatives<T>::types{};
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
        else if constexpr (form == Form::variant)
            return {all.known, false, sizeof(typename Alternatives<T>::index)};
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
    static_assert(!std::is_same_v<T, long double> || coding<T>.known,
                  "snapshot: long double has padding here, and another size on other platforms; store a double");
    if constexpr (!coding<T>.known && !std::is_same_v<T, long double> && !std::is_enum_v<T> && !std::is_pointer_v<T> &&
                  !std::is_member_pointer_v<T>) {
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
/// tuple, optional and variant, structs of up to 16 public members of such types, and types with a CodecFor. Pointers,
/// enumerations without a CodecFor, and classes with hidden members are compile errors that name the type. A codec of your own
/// has the same two functions; it may have a state.
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
        } else if constexpr (form == detail::Form::variant) {
            if (value.valueless_by_exception())
                detail::throw_invalid_argument("snapshot: a std::variant is valueless_by_exception(); give it a value first");
            out.number(static_cast<typename detail::Alternatives<T>::index>(value.index()));
            detail::visit_held(value, [&](const auto& held) { write(held, out); });
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
        } else if constexpr (form == detail::Form::variant)
            return read_alternative<T>(in, detail::parts_of<T>());
        else if constexpr (form == detail::Form::text) {
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

    template <class V, class... As>
    static V read_alternative(ByteReader& in, detail::TypeList<As...>) {
        auto index = in.number<typename detail::Alternatives<V>::index>();
        if (index >= sizeof...(As)) {
            in.fail("snapshot: a variant has an alternative that there is not");
            index = 0;
        }
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            using Read = V (*)(ByteReader&);
            constexpr Read readers[] = {[](ByteReader& from) { return V(std::in_place_index<Nth>, read<As>(from)); }...};
            return readers[index](in);
        }(std::index_sequence_for<As...>());
    }
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
    /// Calls f(member) for each of the members.
    template <class F>
    static void for_each_member(value_type& value, F&& f) {
        f(value.*First);
        (f(value.*Rest), ...);
    }
};

SLOTWISE_END

#endif
