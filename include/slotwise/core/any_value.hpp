// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyValue: what a value of a described type is built from. BasicAnySpan: the values of a described type, side by side.
#ifndef SLOTWISE_CORE_ANY_VALUE_HPP
#define SLOTWISE_CORE_ANY_VALUE_HPP

#include "../config/error.hpp"
#include "../fwd.hpp"
#include "type_descriptor.hpp"

#include <cstring>
#include <span>

SLOTWISE_BEGIN
namespace detail {

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

/// What the value of a column is built from: by default, by copying or moving another value, or by a function. It refers to its
/// source, which must live until the row is built.
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

/// Values of a described type, side by side. Data is null for a type without state, which has no memory.
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
