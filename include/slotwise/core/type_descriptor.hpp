// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TypeDescriptor: the properties and operations of a type that is known only at run time.
#ifndef SLOTWISE_CORE_TYPE_DESCRIPTOR_HPP
#define SLOTWISE_CORE_TYPE_DESCRIPTOR_HPP

#include "std_memory.hpp"
#include "type_id.hpp"

SLOTWISE_BEGIN

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
    static constexpr TypeId id_of() noexcept;

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

} // namespace detail

template <class T, class Hash>
const TypeDescriptor& TypeDescriptor::of() noexcept {
    return detail::description<T, Hash>;
}
template <class T>
constexpr TypeId TypeDescriptor::id_of() noexcept {
    return TypeId::of<T>();
}

SLOTWISE_END

#endif
