// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ValueArray: a column of values that follows a directory; static observer by its hooks, dynamic one through DynamicColumn.
#ifndef SLOTWISE_SLOTS_VALUE_ARRAY_HPP
#define SLOTWISE_SLOTS_VALUE_ARRAY_HPP

#include "column_view.hpp"
#include "slot_observer.hpp"

SLOTWISE_BEGIN

/// A T for every live slot of the container it follows: value-initialised (or a copy of `initial`) when an element arrives,
/// destroyed when it goes. Addresses never change. Name it as a static observer of a container:
///     SlotMap<Body, SlotMapOptions{}, std::allocator<Body>, ValueArray<Velocity>> bodies;
///     bodies.observer<0>()[slot] = Velocity{...};
template <class T, class Allocator>
class ValueArray {
    static_assert(Storable<T>, "ValueArray<T>: T must be a non-const object type whose destructor does not throw");
    using allocator = detail::rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    using value_type = T;
    using allocator_type = Allocator;

    constexpr ValueArray() = default;
    constexpr explicit ValueArray(const Allocator& alloc) noexcept : values_(alloc), alive_(alloc) {}
    /// Copies the values. @throws what the allocator and the copies throw
    constexpr ValueArray(const ValueArray& other)
        : values_(traits::select_on_container_copy_construction(other.values_.get_allocator())),
          alive_(Allocator(values_.get_allocator())) {
        on_capacity(0, static_cast<slot_t>(other.values_.capacity()));
        ScopeGuard undo([this]() noexcept { destroy_all(); });
        other.alive().for_each([&](slot_t slot) { construct(slot, *other.values_.ptr(slot)); });
        undo.dismiss();
    }
    constexpr ValueArray(ValueArray&& other) noexcept : values_(std::move(other.values_)), alive_(std::move(other.alive_)) {}
    constexpr ValueArray& operator=(const ValueArray& other) {
        if (this != &other) ValueArray(other).swap(*this);
        return *this;
    }
    constexpr ValueArray& operator=(ValueArray&& other) noexcept {
        ValueArray(std::move(other)).swap(*this);
        return *this;
    }
    constexpr ~ValueArray() { destroy_all(); }
    constexpr void swap(ValueArray& other) noexcept {
        values_.swap(other.values_);
        alive_.swap(other.alive_);
    }
    friend constexpr void swap(ValueArray& a, ValueArray& b) noexcept { a.swap(b); }

    /// The value of `slot`. @pre the slot is live in the container that this column follows
    constexpr T& operator[](slot_t slot) noexcept { return *ptr(slot); }
    constexpr const T& operator[](slot_t slot) const noexcept { return *ptr(slot); }
    constexpr T* ptr(slot_t slot) const noexcept {
        SLOTWISE_EXPECT_DEBUG(alive().test(slot), "ValueArray[slot]: no value lives there");
        return values_.ptr(slot);
    }

    constexpr detail::PageView<T> pages() const noexcept { return detail::page_view(values_); }

    //=== hooks of a static observer ===//

    /// @throws what the allocator throws when it grows; nothing has changed then
    constexpr void on_capacity(slot_t old_slots, slot_t new_slots) {
        if (new_slots < old_slots) return values_.shrink(new_slots);
        values_.reserve(new_slots);
        if (alive_.size() >= bits::word_count(new_slots)) return;
        auto more = alive_.resized(bits::word_count(new_slots), 0);
        alive_.swap(more);
    }
    /// @throws what T's default constructor throws
    constexpr void on_insert(slot_t slot, InsertKind) noexcept(std::is_nothrow_default_constructible_v<T>)
        requires std::default_initializable<T>
    {
        construct(slot);
    }
    constexpr void on_erase(slot_t slot) noexcept { destroy(slot); }
    constexpr void on_clear(Occupancy slots) noexcept {
        if constexpr (std::is_trivially_destructible_v<T>)
            for (std::size_t w = 0; w != slots.words().size(); ++w) alive_[w] &= ~slots.word(w);
        else
            slots.for_each([this](slot_t slot) { destroy(slot); });
    }
    constexpr void on_reset() noexcept {
        destroy_all();
        values_.shrink(0);
        alive_.free();
    }

    /// Builds the value of `slot` in place. @pre none lives there, and there is room @throws what T's constructor throws
    template <class... Args>
    constexpr void construct(slot_t slot, Args&&... args) {
        allocator alloc = values_.get_allocator();
        traits::construct(alloc, values_.ptr(slot), std::forward<Args>(args)...);
        alive_[bits::word_of(slot)] |= bits::bit_of(slot);
    }
    constexpr void destroy(slot_t slot) noexcept {
        alive_[bits::word_of(slot)] &= ~bits::bit_of(slot);
        allocator alloc = values_.get_allocator();
        traits::destroy(alloc, values_.ptr(slot));
    }
    /// The slots that have a value. Equal to the container's liveness between notifications.
    constexpr Occupancy alive() const noexcept { return {alive_.data(), alive_.size() * bits::word_bits}; }

private:
    constexpr void destroy_all() noexcept { on_clear(alive()); }

    PagedArray<T, Allocator> values_{};
    detail::FlatArray<bits::word_t, Allocator> alive_{};
};

/// Any static observer as a dynamic one: DynamicColumn<ValueArray<int>> age; auto token = map.attach(age); age.column()[slot].
template <class Column>
class DynamicColumn final : public SlotObserver {
public:
    DynamicColumn() = default;
    explicit DynamicColumn(Column column) : column_(std::move(column)) {}

    Column& column() noexcept { return column_; }
    const Column& column() const noexcept { return column_; }

    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        if constexpr (requires { column_.on_capacity(old_slots, new_slots); }) column_.on_capacity(old_slots, new_slots);
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        if constexpr (requires { column_.on_insert(slot, kind); }) column_.on_insert(slot, kind);
    }
    void on_remove(slot_t slot) noexcept override {
        if constexpr (requires { column_.on_remove(slot); }) column_.on_remove(slot);
    }
    void on_erase(slot_t slot) noexcept override {
        if constexpr (requires { column_.on_erase(slot); }) column_.on_erase(slot);
    }
    void on_clear(Occupancy slots) noexcept override {
        if constexpr (requires { column_.on_clear(slots); })
            column_.on_clear(slots);
        else
            SlotObserver::on_clear(slots);
    }
    void on_reset() noexcept override {
        if constexpr (requires { column_.on_reset(); }) column_.on_reset();
    }

private:
    Column column_;
};

SLOTWISE_END

#endif
