// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TypeId: the name of a C++ type at run time, one for all shared libraries of a program.
#ifndef SLOTWISE_CORE_TYPE_ID_HPP
#define SLOTWISE_CORE_TYPE_ID_HPP

#include "hash.hpp"

#include <array>

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
    for (const std::string_view mark :
         {std::string_view("{anonymous}"), std::string_view("(anonymous "), std::string_view("`anonymous"),
          std::string_view("<unnamed"), std::string_view("(unnamed"), std::string_view("<lambda"), std::string_view("(lambda"),
          std::string_view(")::"), std::string_view(") const::")})
        if (name.find(mark) != std::string_view::npos) return true;
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
    /// Whether both are of one type, and come from two libraries. @pre their addresses differ
    constexpr bool same_elsewhere(const TypeIdentity& other) const noexcept {
        return hash == other.hash && library != other.library && !local && !other.local && name() == other.name();
    }
};
/// The characters of the name alone: the text around them would be as much again for each type.
template <class T>
inline constexpr auto name_chars = [] {
    std::array<char, type_name<T>().size()> chars{};
    for (std::size_t i = 0; i != chars.size(); ++i) chars[i] = type_name<T>()[i];
    return chars;
}();
template <class T>
inline constexpr TypeIdentity type_identity{hash_of_name(type_name<T>()) ^ mix_bits(type_layout<T>),
                                            name_chars<T>.data(),
                                            name_chars<T>.size(),
                                            &type_mark<T>,
                                            &library_mark,
                                            is_local_name(type_name<T>())};

} // namespace detail

/// Names a C++ type. Null names none. Ids are equal if the types are the same, also if they were made in two shared libraries
/// that do not share symbols: then by the types' names, sizes and alignments. A type of an unnamed namespace, without a name or
/// of a lambda is another one in each library, and so is a type of a function if the compiler writes the function's name (GCC
/// does, Clang does not). Libraries of two compilers spell names differently.
class TypeId {
public:
    /// Null.
    constexpr TypeId() noexcept = default;
    constexpr TypeId(std::nullptr_t) noexcept {}
    /// That of T, without const and references. T need not be complete, but then is told apart by its name alone.
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

SLOTWISE_END

#endif
