// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TypeDescriptor: the properties and operations of a type that is known only at run time. TypeId: its name. AnyValue, AnySpan:
// values of such a type.
#ifndef SLOTWISE_CORE_TYPE_DESCRIPTOR_HPP
#define SLOTWISE_CORE_TYPE_DESCRIPTOR_HPP

#include "../config/error.hpp"
#include "../fwd.hpp"
#include "detail/std_memory.hpp"
#include "hash.hpp"

#include <array>
#include <cstring>
#include <span>

SLOTWISE_BEGIN
namespace detail {

//=== names, as compilers write them ===//

/// A text in which the compiler writes T's name.
template <class T>
constexpr auto text_with_name() noexcept { // auto: the type would be part of the text
#if defined(_MSC_VER) && !defined(__clang__)
    return std::string_view(__FUNCSIG__);
#else
    return std::string_view(__PRETTY_FUNCTION__);
#endif
}

/// The name of T: "game::Position". Where it stands in the text is the same for all types, and double is found there.
template <class T>
constexpr std::string_view type_name() noexcept {
    constexpr std::string_view probe = text_with_name<double>();
    constexpr std::size_t before = probe.rfind("double"), behind = probe.size() - before - 6;
    std::string_view name = text_with_name<T>();
    name = name.substr(before, name.size() - before - behind);
    for (const std::string_view word : {std::string_view("struct "), std::string_view("class "), std::string_view("enum "),
                                        std::string_view("union ")}) // what MSVC writes in front
        if (name.substr(0, word.size()) == word) name.remove_prefix(word.size());
    return name;
}
/// Whether a type of this name, or one of its arguments, is known in one library only: it is of an unnamed namespace, has no
/// name, is of a lambda or, as far as the compiler writes that, of a function.
consteval bool is_local_name(std::string_view name) noexcept {
    for (std::size_t at = 0; at != name.size(); ++at) {
        const char first = name.data()[at];
        if (first != '{' && first != '(' && first != '`' && first != '<' && first != ')') continue;
        for (const std::string_view mark :
             {std::string_view("{anonymous}"), std::string_view("(anonymous "), std::string_view("`anonymous"),
              std::string_view("<unnamed"), std::string_view("(unnamed"), std::string_view("<lambda"),
              std::string_view("(lambda"), std::string_view(")::"), std::string_view(") const::")})
            if (name.substr(at, mark.size()) == mark) return true;
    }
    return false;
}
/// The hash FNV-1a of 64 bits (Fowler, Noll and Vo 1991).
consteval std::uint64_t hash_of_name(std::string_view name) noexcept {
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325u;
    for (const char each : name) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100'0000'01B3u;
    return hash;
}

//=== identities ===//

/// Differs from library to library: its address. Hidden, so that no linker makes one of several.
SLOTWISE_HIDDEN inline constexpr char library_mark = 0;
/// Differs from type to type, in one library: its address. Not const, or linkers may give several types one.
template <class T>
inline char type_mark = 0;

/// Size and alignment, for types that have one name and differ: of two builds of one source.
template <class T>
consteval std::uint64_t layout_of() noexcept {
    if constexpr (requires { sizeof(T); })
        return sizeof(T) * 64 + alignof(T);
    else
        return 0;
}
template <class T>
inline constexpr std::uint64_t type_layout = layout_of<T>();

/// What is known of a C++ type. There may be one in each library; within one library, each type has its own.
struct TypeIdentity {
    std::uint64_t hash;  ///< of name and layout
    const char* text;    ///< the name, not terminated
    std::size_t length;  ///< of the name
    const void* mark;    ///< differs in one library
    const void* library; ///< where this is
    bool local;          ///< no other library has the type

    constexpr std::string_view name() const noexcept { return {text, length}; }
    /// `hash` of the one object that the linker has kept. g++ writes the name of some types with default arguments of templates
    /// in one source file and without them in another, so the constant that a source sees may differ from that.
    std::uint64_t kept_hash() const noexcept { return *static_cast<const volatile std::uint64_t*>(&hash); }
    /// Whether both are of one type, and come from two libraries. @pre their addresses differ
    constexpr bool same_elsewhere(const TypeIdentity& other) const noexcept {
        return hash == other.hash && library != other.library && !local && !other.local && name() == other.name();
    }
};
/// type_name<T>(), found once.
template <class T>
inline constexpr std::string_view name_in_text = type_name<T>();
/// The characters of the name alone: the text around them would be as much again for each type.
template <class T>
inline constexpr auto name_chars = [] {
    std::array<char, name_in_text<T>.size()> chars{};
    const char* from = name_in_text<T>.data();
    for (char& to : chars) to = *from++;
    return chars;
}();
template <class T>
inline constexpr TypeIdentity type_identity{hash_of_name(name_in_text<T>) ^ mix_bits(type_layout<T>),
                                            name_chars<T>.data(),
                                            name_chars<T>.size(),
                                            &type_mark<T>,
                                            &library_mark,
                                            is_local_name(name_in_text<T>)};

} // namespace detail

/// The name of a C++ type at run time, one for all shared libraries of a program. Null names none. Ids are equal if the types
/// are the same, also if they were made in two shared libraries that do not share symbols: then by the types' names, sizes and
/// alignments. A type of an unnamed namespace, without a name or of a lambda is another one in each library, and so is a type
/// of a function if the compiler writes the function's name (GCC does, Clang does not). Libraries of two compilers spell names
/// differently.
class TypeId {
public:
    /// Null.
    constexpr TypeId() noexcept = default;
    constexpr TypeId(std::nullptr_t) noexcept {}
    /// The id of T without const and references. T need not be complete. If it is not, its name alone identifies it.
    template <class T>
    static constexpr TypeId of() noexcept {
        TypeId id;
        id.type_ = &detail::type_identity<std::remove_cvref_t<T>>;
        return id;
    }

    /// Whether it is not null.
    constexpr explicit operator bool() const noexcept { return type_ != nullptr; }
    /// The name as the compiler writes it; empty of null. It is gone when the library that made the id is
    /// unloaded.
    constexpr std::string_view name() const noexcept { return type_ == nullptr ? std::string_view() : type_->name(); }

    friend constexpr bool operator==(TypeId a, TypeId b) noexcept {
        return a.type_ == b.type_ || (a.type_ != nullptr && b.type_ != nullptr && a.type_->same_elsewhere(*b.type_));
    }

private:
    const detail::TypeIdentity* type_ = nullptr;
};

/// Size, alignment and operations of a type. A null operation is not available. Functions that need it document that. Describe
/// a type by hand (a script language's record, a schema read from a file) or take TypeDescriptor::of<T>(). A descriptor must
/// outlive the containers that refer to it.
struct TypeDescriptor {
    std::size_t size = 0;                                  ///< bytes from one value to the next; a multiple of align
    std::size_t align = 1;                                 ///< a power of two
    void (*construct)(void* to) = nullptr;                 ///< default value
    void (*copy)(void* to, const void* from) = nullptr;    ///< builds a copy
    void (*move)(void* to, void* from) = nullptr;          ///< builds by moving; null: copy is used
    void (*assign)(void* to, const void* from) = nullptr;  ///< needed by insert_or_assign
    void (*destroy)(void* value) noexcept = nullptr;       ///< null: nothing to be done
    std::size_t (*hash)(const void* value) = nullptr;      ///< needed of keys
    bool (*equal)(const void* a, const void* b) = nullptr; ///< needed of keys
    void (*move_assign)(void* to, void* from) = nullptr;   ///< null: assign is used
    bool nothrow_move = false; ///< building by moving (by copying, where move is null) does not throw
    bool trivial = false;      ///< copies and moves are those of the bytes, and nothing is to be destroyed
    bool empty = false;        ///< a value has no state: containers of rows keep no memory for it
    TypeId id{};               ///< of the C++ type, for checked access; null: access is not typed

    /// The description of T, with the operations that T supports.
    template <class T, class Hash = DefaultHash<T>>
    static const TypeDescriptor& of() noexcept;

    /// What `id` is for values of type T. A program that describes a C++ type by hand may set it.
    template <class T>
    static constexpr TypeId id_of() noexcept {
        return TypeId::of<T>();
    }

    /// Whether both describe one type: they are one object, or of one C++ type. Each shared library has descriptions of its
    /// own.
    friend bool same_type(const TypeDescriptor& a, const TypeDescriptor& b) noexcept {
        return &a == &b || (a.id && a.id == b.id && a.size == b.size);
    }
};

namespace detail {

template <class T, class Hash>
consteval TypeDescriptor describe() noexcept {
    TypeDescriptor type;
    type.size = sizeof(T);
    type.align = alignof(T);
    if constexpr (std::is_default_constructible_v<T>) type.construct = [](void* to) { ::new (to) T(); };
    if constexpr (std::is_copy_constructible_v<T>)
        type.copy = [](void* to, const void* from) { ::new (to) T(*static_cast<const T*>(from)); };
    if constexpr (std::is_move_constructible_v<T>)
        type.move = [](void* to, void* from) { ::new (to) T(std::move(*static_cast<T*>(from))); };
    if constexpr (std::is_copy_assignable_v<T>)
        type.assign = [](void* to, const void* from) { *static_cast<T*>(to) = *static_cast<const T*>(from); };
    if constexpr (!std::is_trivially_destructible_v<T>)
        type.destroy = [](void* value) noexcept { std::destroy_at(static_cast<T*>(value)); };
    if constexpr (requires(const T& t) { static_cast<std::size_t>(Hash()(t)); })
        type.hash = [](const void* value) { return static_cast<std::size_t>(Hash()(*static_cast<const T*>(value))); };
    if constexpr (requires(const T& t) { static_cast<bool>(t == t); })
        type.equal = [](const void* a, const void* b) {
            return EqualTo()(*static_cast<const T*>(a), *static_cast<const T*>(b)); // as of keys of known types
        };
    if constexpr (std::is_move_assignable_v<T>)
        type.move_assign = [](void* to, void* from) { *static_cast<T*>(to) = std::move(*static_cast<T*>(from)); };
    type.nothrow_move = std::is_nothrow_move_constructible_v<T>;
    type.trivial = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>;
    type.empty = std::is_empty_v<T> && std::is_trivially_copyable_v<T>;
    type.id = TypeId::of<T>();
    return type;
}
template <class T, class Hash>
inline constexpr TypeDescriptor description = describe<T, Hash>();

/// As std::memcpy; the sizes of most components are worth a comparison.
SLOTWISE_ALWAYS_INLINE void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
    switch (bytes) {
    case 4:
        std::memcpy(to, from, 4);
        return;
    case 8:
        std::memcpy(to, from, 8);
        return;
    case 12:
        std::memcpy(to, from, 12);
        return;
    case 16:
        std::memcpy(to, from, 16);
        return;
    default:
        std::memcpy(to, from, bytes);
    }
}

} // namespace detail

template <class T, class Hash>
const TypeDescriptor& TypeDescriptor::of() noexcept {
    return detail::description<T, Hash>;
}

/// What a type-erased value is built from: by default, by copying or moving another value, or by a function. It refers to its
/// source, which must live until the value is built.
class AnyValue {
public:
    /// The default value of the column's type.
    constexpr AnyValue() noexcept = default;
    /// A copy of `value`, or what is moved from it if it is an rvalue. The column must be of type T.
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, AnyValue>)
    static constexpr AnyValue of(T&& value) noexcept {
        using Value = std::remove_cvref_t<T>;
        AnyValue result;
        result.kind_ =
            std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>> ? Kind::copied : Kind::moved;
        result.from_ = const_cast<Value*>(std::addressof(value)); // `moved` only if it is not const
        result.id_ = TypeDescriptor::id_of<Value>();
        return result;
    }
    /// A copy of the value at `from`, which is of the column's type.
    static constexpr AnyValue copied(const void* from) noexcept {
        AnyValue result;
        result.kind_ = Kind::copied;
        result.from_ = const_cast<void*>(from); // only read
        return result;
    }
    /// Moved from the value at `from`, which is of the column's type.
    static constexpr AnyValue moved(void* from) noexcept {
        AnyValue result;
        result.kind_ = Kind::moved;
        result.from_ = from;
        return result;
    }
    /// build(to, argument) builds it in memory of the column.
    static constexpr AnyValue built(void (*build)(void* to, void* argument), void* argument) noexcept {
        AnyValue result;
        result.kind_ = Kind::built;
        result.build_ = build;
        result.from_ = argument;
        return result;
    }

    /// Whether it moves from its source, which can be done once.
    constexpr bool moves() const noexcept { return kind_ == Kind::moved; }
    /// Builds the value of a column of this type.
    /// @throws std::invalid_argument when the type cannot do that, or is another type; what the type's operations throw
    void build(const TypeDescriptor& type, void* to) const {
        expect_type(type);
        switch (kind_) {
        case Kind::by_default:
            if (type.construct == nullptr)
                detail::throw_invalid_argument("AnyValue: the column's type has no default value; give a value");
            type.construct(to);
            break;
        case Kind::moved:
            if (type.trivial)
                detail::copy_bytes(to, from_, type.size);
            else if (type.move != nullptr)
                type.move(to, from_);
            else
                copy(type, to);
            break;
        case Kind::copied:
            copy(type, to);
            break;
        case Kind::built:
            build_(to, from_);
            break;
        }
    }

    /// Whether it copies or moves a value, which can be assigned.
    constexpr bool has_source() const noexcept { return kind_ == Kind::copied || kind_ == Kind::moved; }
    /// Assigns the source to a value of this type; what would be moved is copied if the type has no move assignment.
    /// @pre has_source() (checked at level fast)
    /// @throws std::invalid_argument when the type cannot do that, or is another type; what its assignment throws
    void assign(const TypeDescriptor& type, void* to) const {
        SLOTWISE_EXPECT(has_source(), "AnyValue::assign: there is no value to be assigned; build it");
        expect_type(type);
        if (to == from_) return;
        if (type.trivial)
            detail::copy_bytes(to, from_, type.size);
        else if (kind_ == Kind::moved && type.move_assign != nullptr)
            type.move_assign(to, from_);
        else if (type.assign != nullptr)
            type.assign(to, from_);
        else
            detail::throw_invalid_argument("AnyValue: values of the column's type cannot be assigned");
    }

private:
    enum class Kind : unsigned char { by_default, copied, moved, built };

    void expect_type(const TypeDescriptor& type) const {
        if (id_ && type.id && id_ != type.id) [[unlikely]]
            detail::throw_invalid_argument("AnyValue: the value has another type than the column it is given to");
    }

    void copy(const TypeDescriptor& type, void* to) const {
        if (type.trivial) return detail::copy_bytes(to, from_, type.size);
        if (type.copy == nullptr)
            detail::throw_invalid_argument("AnyValue: the column's type cannot be copied; give a value to be moved");
        type.copy(to, from_);
    }

    Kind kind_ = Kind::by_default;
    void* from_ = nullptr;
    void (*build_)(void* to, void* argument) = nullptr;
    TypeId id_{};
};

/// Type-erased values, side by side: all of one type that is known at run time. Data is null for a type without state, which
/// has no memory.
/// @tparam Void void or const void @invalidates itself when the rows it came from grow, shrink, move or die
template <class Void>
class BasicAnySpan {
    template <class T>
    using like = std::conditional_t<std::is_const_v<Void>, const T, T>;

public:
    /// `count` values of this type at `data`.
    BasicAnySpan(const TypeDescriptor& type, Void* data, std::size_t count) noexcept
        : type_(&type), data_(data), count_(count) {}
    /// From one whose values may be changed.
    operator BasicAnySpan<const void>() const noexcept { return {*type_, data_, count_}; }

    const TypeDescriptor& type() const noexcept { return *type_; }
    Void* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    /// Bytes from one value to the next; 0 if they have no memory.
    std::size_t stride() const noexcept { return data_ == nullptr ? 0 : type_->size; }
    /// The address of value `i`. @pre i < size() (checked at level fast), and they have memory
    Void* operator[](std::size_t i) const noexcept {
        SLOTWISE_EXPECT(i < count_, "AnySpan[i]: i is not below size()");
        return static_cast<like<std::byte>*>(data_) + i * stride();
    }
    /// The values as a span; an empty one of a type without state.
    /// @throws std::invalid_argument when they are not of type T, or their type was described without its id
    template <class T>
    std::span<like<T>> as() const {
        if (type_->id != TypeDescriptor::id_of<std::remove_cv_t<T>>()) [[unlikely]]
            detail::throw_invalid_argument(
                "AnySpan::as<T>(): the values are of another type, or it was described without an id");
        return {static_cast<like<T>*>(data_), data_ == nullptr ? 0 : count_};
    }

private:
    const TypeDescriptor* type_;
    Void* data_;
    std::size_t count_;
};

SLOTWISE_END

#endif
