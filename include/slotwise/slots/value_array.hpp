// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ValueArray: a column of values that follows a directory; static observer by its hooks, dynamic one through DynamicColumn.
#ifndef SLOTWISE_SLOTS_VALUE_ARRAY_HPP
#define SLOTWISE_SLOTS_VALUE_ARRAY_HPP

#include "../core/detail/iterators.hpp"
#include "column_view.hpp"
#include "slot_observer.hpp"

#include <cstring>

SLOTWISE_BEGIN

/// A T for every live slot of the container it follows: value-initialised when an element is inserted, destroyed when it is
/// erased. Addresses never change. Name it as a static observer of a container:
///     SlotMap<Body, Column<Velocity>> bodies;
///     bodies.column<Velocity>()[handle] = Velocity{...};
/// @tparam G as the container's option: Growth::reserve makes the whole column one array for ever @tparam MaxSlots the slots of
/// address space of that; 0: 64 GiB of values, as in ReservedArray
template <class T, class Allocator, Growth G, std::size_t MaxSlots>
class ValueArray {
    static_assert(Storable<T>, "ValueArray<T>: T must be a non-const object type whose destructor does not throw");
    using allocator = detail::rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;
    using Growing = detail::GrowingArray<G, T, Allocator, 0, MaxSlots>;

public:
    using value_type = T;
    using allocator_type = Allocator;
    /// Whether an insert builds a value. The owner builds values without a default constructor by construct().
    static constexpr bool builds_on_insert = std::default_initializable<T>;
    /// Whether on_erase() does nothing, so that a container need not call it.
    static constexpr bool silent_erase = std::is_trivially_destructible_v<T>;
    /// Bytes of memory for each slot of the container.
    static constexpr std::size_t slot_bytes = sizeof(T);
    /// The most slots of a container with this column.
    static constexpr std::size_t max_column_slots = Growing::max_slots;

    constexpr ValueArray()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr explicit ValueArray(const Allocator& alloc) noexcept : values_(alloc), alive_(alloc) {}
    /// Copies the values of the slots in `live`. A copied container calls it.
    /// @throws what the allocator and the copies throw
    constexpr ValueArray(const ValueArray& other, Occupancy live)
        : ValueArray(other, live, Allocator(traits::select_on_container_copy_construction(other.values_.get_allocator()))) {}
    constexpr ValueArray(const ValueArray& other, Occupancy live, const Allocator& alloc) : ValueArray(alloc) {
        if constexpr (std::is_copy_constructible_v<T>) {
            on_capacity(0, static_cast<slot_t>(other.values_.capacity()));
            fill(live, [&](slot_t slot) -> const T& {
                SLOTWISE_EXPECT(!tracks || other.alive_test(slot),
                                "ValueArray copy: the copy of a value changes what is copied");
                return *other.values_.ptr(slot);
            });
        } else
            static_assert(detail::never<T>, "container copy: the values cannot be copied; write std::move(container)");
    }
    /// Moves the values of the slots in `live` over one by one; copies them where moving may throw and a copy can be made.
    /// @pre no value lives here, and on_capacity() was called for these slots
    constexpr void take_from(ValueArray& other, Occupancy live) noexcept(detail::makes_nothrow<allocator, T, T>) {
        if constexpr (std::is_move_constructible_v<T>)
            fill(live, [&](slot_t slot) -> decltype(auto) { return std::move_if_noexcept(*other.values_.ptr(slot)); });
        else
            SLOTWISE_EXPECT(live.none(), "ValueArray: values that cannot move cannot be moved to an unequal allocator");
    }
    ValueArray(const ValueArray&) = delete; // only the container knows which slots have values
    ValueArray& operator=(const ValueArray&) = delete;
    constexpr ValueArray(ValueArray&& other) noexcept : values_(std::move(other.values_)), alive_(std::move(other.alive_)) {}
    constexpr ValueArray& operator=(ValueArray&& other) noexcept {
        ValueArray(std::move(other)).swap(*this);
        return *this;
    }
    /// The same into memory of `alloc`, for a container of columns that passes its allocator on. If `alloc` is not the
    /// allocator of `other`, values are moved one by one. @pre the allocators are equal, or T has a destructor or is trivially
    /// copyable: only the container knows where other values are (checked at level fast)
    /// @throws if the allocators differ: what the allocator and T's move throw
    constexpr ValueArray(ValueArray&& other, const Allocator& alloc) : ValueArray(alloc) {
        if (values_.get_allocator() == other.values_.get_allocator()) {
            swap(other);
            return;
        }
        on_capacity(0, static_cast<slot_t>(other.values_.capacity()));
        if constexpr (tracks)
            take_from(other, {other.alive_.data(), other.alive_.size() * bits::word_bits});
        else if constexpr (std::is_trivially_copyable_v<T>)
            for (std::size_t slot = 0; slot != other.values_.capacity(); ++slot) // whether a value is there or not
                std::memcpy(static_cast<void*>(values_.ptr(static_cast<slot_t>(slot))),
                            other.values_.ptr(static_cast<slot_t>(slot)), sizeof(T));
        else
            SLOTWISE_EXPECT(other.values_.capacity() == 0, "ValueArray(ValueArray&&, alloc): the allocators differ, and only "
                                                           "the container knows which slots have a value; move the container");
        other.on_reset();
    }
    constexpr ~ValueArray() { destroy_all(); }
    constexpr void swap(ValueArray& other) noexcept {
        values_.swap(other.values_);
        alive_.swap(other.alive_);
    }
    friend constexpr void swap(ValueArray& a, ValueArray& b) noexcept { a.swap(b); }

    constexpr allocator_type get_allocator() const noexcept { return Allocator(values_.get_allocator()); }

    /// Bytes held from the allocator, without what values hold themselves.
    constexpr std::size_t memory_usage() const noexcept { return values_.memory_usage() + alive_.memory_usage(); }

    /// The value of `slot`. @pre the slot is live in the container that this column follows
    constexpr T& operator[](slot_t slot) noexcept { return *ptr(slot); }
    constexpr const T& operator[](slot_t slot) const noexcept { return *ptr(slot); }
    /// Its address. @pre as operator[]
    SLOTWISE_ALWAYS_INLINE constexpr T* ptr(slot_t slot) const noexcept {
        SLOTWISE_EXPECT_DEBUG(!tracks || alive_test(slot), "ValueArray[slot]: no value lives there");
        return values_.ptr(slot);
    }

    /// Where the values of 64 slots from `first` on lie, side by side, alive or not; where T has 256 bytes or more, only the
    /// first one is certain.
    /// @pre first is a multiple of 64, below the capacity
    constexpr T* block(slot_t first) const noexcept { return values_.ptr(first); }

    /// The slots that growth should make room for. The container takes the least of its own and its columns' capacities, so
    /// that each has pages of its own size.
    constexpr std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    /// The capacity after on_capacity(n, slots).
    constexpr std::size_t capacity_for(std::size_t slot_count) const noexcept { return values_.capacity_for(slot_count); }
    /// The capacity after the memory above `slots` was freed.
    constexpr std::size_t shrunk_capacity(std::size_t slot_count) const noexcept { return values_.shrunk_capacity(slot_count); }

    /// The first value, which the others follow.
    T* data() const noexcept
        requires(G == Growth::reserve)
    {
        return values_.data();
    }
    /// Where the values lie, for views.
    constexpr detail::PageView<T> pages() const noexcept { return detail::page_view(values_); }

    //=== hooks of a static observer ===//

    /// @throws what the allocator throws when it grows; nothing has changed then
    constexpr void on_capacity(slot_t old_slots, slot_t new_slots) {
        if (new_slots < old_slots) {
            values_.shrink(new_slots);
            if (values_.capacity() == 0) alive_.free();
            return;
        }
        values_.reserve(new_slots);
        if (!tracks) return;
        if (alive_.size() >= bits::word_count(new_slots)) return;
        auto more = alive_.resized(bits::word_count(new_slots), 0);
        alive_.swap(more);
    }
    /// @throws what T's default constructor throws
    constexpr void on_insert(slot_t slot, InsertKind kind) noexcept(std::is_nothrow_default_constructible_v<T> &&
                                                                    (std::is_nothrow_move_constructible_v<T> ||
                                                                     !std::is_move_constructible_v<T>))
        requires std::default_initializable<T>
    {
        if (kind == InsertKind::resurrected) [[unlikely]]
            replace(slot);
        else
            construct(slot);
    }
    constexpr void on_erase(slot_t slot) noexcept { destroy(slot); }
    constexpr void on_clear(Occupancy cleared) noexcept {
        if constexpr (tracks) cleared.for_each([this](slot_t slot) { destroy(slot); });
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
        if constexpr (tracks) alive_[bits::word_of(slot)] |= bits::bit_of(slot);
    }
    /// Destroys the value of `slot` and builds another in its place. If T can move, the new value is built apart first, so that
    /// arguments may refer to the old one. @pre one lives there @throws what T's constructors throw; the old value is lost if
    /// the move threw, or if T cannot move
    template <class... Args>
    constexpr void replace(slot_t slot, Args&&... args) {
        if constexpr (std::is_move_constructible_v<T>) {
            detail::TemporaryElement<T, allocator> fresh(values_.get_allocator(), std::forward<Args>(args)...);
            destroy(slot);
            construct(slot, fresh.take());
        } else {
            destroy(slot);
            construct(slot, std::forward<Args>(args)...);
        }
    }
    /// Destroys the value of `slot`. @pre one lives there
    constexpr void destroy(slot_t slot) noexcept {
        if constexpr (tracks) {
            if (!alive_test(slot)) return; // a replacement that threw has left none
            alive_[bits::word_of(slot)] &= ~bits::bit_of(slot);
            allocator alloc = values_.get_allocator();
            traits::destroy(alloc, values_.ptr(slot));
        }
    }

private:
    // The container knows which slots have a value. They are recorded here only where the destructor has to destroy them. (For
    // trivial values the two bit updates cost 2 ns on insert + erase.) Without the record a column costs 6 instructions on an
    // insert and none on an erase: 0.3 ns in the first-level cache, 2 ns at 1e5, where it is a cache miss. Prefetching the
    // cache line on erase gained nothing there and cost 5 % elsewhere.
    static constexpr bool tracks = !std::is_trivially_destructible_v<T>;

    template <class Source>
    constexpr void fill(Occupancy live, Source&& source) {
        detail::build_each(
            live, [&](slot_t slot) { construct(slot, source(slot)); }, [this](slot_t slot) { destroy(slot); });
    }
    constexpr bool alive_test(slot_t slot) const noexcept {
        return slot < alive_.size() * bits::word_bits && (alive_[bits::word_of(slot)] & bits::bit_of(slot)) != 0;
    }
    constexpr void destroy_all() noexcept { on_clear({alive_.data(), alive_.size() * bits::word_bits}); }

    typename Growing::type values_{};
    detail::FlatArray<bits::word_t, Allocator> alive_{};
};

/// Any static observer as a dynamic one: DynamicColumn<ValueArray<int>> age; auto token = map.attach(age); age.column()[slot].
template <class Column>
class DynamicColumn final : public SlotObserver {
    static_assert(detail::CheckStaticObserver<Column>::holds);

public:
    DynamicColumn() = default;
    /// Takes over the static observer.
    explicit DynamicColumn(Column column) : column_(std::move(column)) {}

    /// The static observer inside.
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
    void on_clear(Occupancy cleared) noexcept override {
        if constexpr (requires { column_.on_clear(cleared); })
            column_.on_clear(cleared);
        else
            SlotObserver::on_clear(cleared);
    }
    void on_reset() noexcept override {
        if constexpr (requires { column_.on_reset(); }) column_.on_reset();
    }

private:
    Column column_;
};

SLOTWISE_END

#endif
