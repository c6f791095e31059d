// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DescribedValue: an owned value of a type that is known only at run time.
#ifndef SLOTWISE_ROWS_DESCRIBED_VALUE_HPP
#define SLOTWISE_ROWS_DESCRIBED_VALUE_HPP

#include "../core/scope_guard.hpp"
#include "../core/type_descriptor.hpp"
#include "../memory/allocator.hpp"

SLOTWISE_BEGIN

/// An owned value of a type that is known only at run time: a TypeDescriptor describes it, and must outlive it. Type-erased
/// containers return such values, and deltas of type-erased series consist of them. It converts to the address of its value, so
/// that it can be passed where a function takes a key or value by address.
class DescribedValue {
public:
    /// None: type() is null.
    DescribedValue() noexcept = default;
    /// A copy of the value at `from`, which is of this type.
    /// @throws std::invalid_argument when the type cannot be copied; std::bad_alloc, what its copy throws
    DescribedValue(const TypeDescriptor& type, const void* from) : DescribedValue(type, AnyValue::copied(from)) {}
    /// What `from` builds. @throws std::invalid_argument when the type cannot do that; std::bad_alloc, what that throws; strong
    /// (a value is moved from its place after all that may fail for lack of memory)
    DescribedValue(const TypeDescriptor& type, const AnyValue& from) : DescribedValue(Room(), type) {
        ScopeGuard undo([this]() noexcept { deallocate(); });
        from.build(type, data_);
        undo.dismiss();
    }
    /// A copy of `value`, or what is moved from it if it is an rvalue.
    template <class T>
        requires(!std::is_same_v<std::remove_cvref_t<T>, DescribedValue>)
    static DescribedValue of(T&& value) {
        return {TypeDescriptor::of<std::remove_cvref_t<T>>(), AnyValue::of(std::forward<T>(value))};
    }
    /// A copy of the value, if there is one.
    /// @throws std::bad_alloc, what the type's copy throws; strong @{
    DescribedValue(const DescribedValue& other) {
        if (other.type_ == nullptr) return;
        DescribedValue copy(*other.type_, other.data_);
        swap(copy);
    }
    DescribedValue& operator=(const DescribedValue& other) {
        if (this == &other) return *this;
        DescribedValue copy(other);
        swap(copy);
        return *this;
    }
    /// @}
    /// Takes the value; `other` has none.
    DescribedValue(DescribedValue&& other) noexcept
        : type_(std::exchange(other.type_, nullptr)), raw_(std::exchange(other.raw_, nullptr)),
          data_(std::exchange(other.data_, nullptr)) {}
    DescribedValue& operator=(DescribedValue&& other) noexcept {
        DescribedValue taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~DescribedValue() {
        if (type_ == nullptr) return;
        if (type_->destroy != nullptr) type_->destroy(data_);
        deallocate();
    }
    void swap(DescribedValue& other) noexcept {
        std::swap(type_, other.type_);
        std::swap(raw_, other.raw_);
        std::swap(data_, other.data_);
    }
    friend void swap(DescribedValue& a, DescribedValue& b) noexcept { a.swap(b); }

    /// The type of the value; null when there is none.
    const TypeDescriptor* type() const noexcept { return type_; }
    /// Whether there is a value.
    bool has_value() const noexcept { return type_ != nullptr; }
    /// The address of the value, or null.
    void* data() noexcept { return data_; }
    const void* data() const noexcept { return data_; }
    /// As data(): for functions that take a key or value by address.
    operator const void*() const noexcept { return data_; }
    /// The value as a T.
    /// @throws std::invalid_argument when there is none, when it is of another type, or its type was described without its id
    template <class T>
    T& as() {
        expect_type(TypeDescriptor::id_of<T>());
        return *static_cast<T*>(data_);
    }
    template <class T>
    const T& as() const {
        expect_type(TypeDescriptor::id_of<T>());
        return *static_cast<const T*>(data_);
    }

    /// Equal when both are of one type and equal as its values, or both are none.
    /// @pre the type has equal
    friend bool operator==(const DescribedValue& a, const DescribedValue& b) {
        if (a.type_ == nullptr || b.type_ == nullptr) return a.type_ == b.type_;
        return same_type(*a.type_, *b.type_) && a.type_->equal(a.data_, b.data_);
    }
    friend bool operator==(const DescribedValue& value, std::nullptr_t) noexcept { return !value.has_value(); }

private:
    struct Room {};
    DescribedValue(Room, const TypeDescriptor& type) {
        std::allocator<std::byte> memory;
        raw_ = detail::allocate_raw(memory, detail::checked_bytes(1, type.size, type.align - 1));
        const std::size_t off = reinterpret_cast<std::uintptr_t>(raw_) & (type.align - 1);
        data_ = raw_ + (off == 0 ? 0 : type.align - off);
        type_ = &type;
    }
    void deallocate() noexcept {
        std::allocator<std::byte> memory;
        detail::deallocate_raw(memory, raw_, type_->size + type_->align - 1);
        type_ = nullptr;
    }
    void expect_type(TypeId id) const {
        if (type_ == nullptr || type_->id != id) [[unlikely]]
            detail::throw_invalid_argument(
                "DescribedValue::as<T>(): the value is of another type, or there is none, or it was described without an id");
    }

    const TypeDescriptor* type_ = nullptr;
    std::byte* raw_ = nullptr; // as allocated, not yet aligned
    void* data_ = nullptr;
};

/// That of its type. @pre there is a value, whose type has hash
template <>
struct DefaultHash<DescribedValue> {
    std::size_t operator()(const DescribedValue& value) const { return value.type()->hash(value.data()); }
};

SLOTWISE_END

#endif
