// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyStore: one value of a described type a slot, in memory that never moves. Behind AnySlotMap.
#ifndef SLOTWISE_MAP_ANY_STORE_HPP
#define SLOTWISE_MAP_ANY_STORE_HPP

#include "../rows/described_value.hpp"
#include "../slots/any_array.hpp"
#include "../slots/slot_store.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What an iterator refers to: the address of a described value, as a pointer that yields it.
struct AnyPlace {
    void* address = nullptr;
    void* operator*() const noexcept { return address; }
};

/// Values in the place of their slot, as PagedStore has them for a type that is known.
template <class Allocator>
class AnyStore {
public:
    using value_type = AnyValue; // what a value is built from
    using pointer = void*;
    using const_pointer = const void*;
    using reference = void*;
    using const_reference = const void*;
    using Cursor = slot_t; ///< a live slot, or no_slot
    static constexpr bool stable = true;
    static constexpr bool indexed = false;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial = false;
    static constexpr std::size_t slot_bytes = 0; // known at run time only
    static constexpr std::size_t max_slots = no_slot;
    template <class... Args>
    static constexpr bool builds_from = sizeof...(Args) == 0 || (std::is_same_v<std::remove_cvref_t<Args>, AnyValue> && ...);
    template <class... Args>
    static constexpr bool builds_nothrow = false;

    AnyStore() = default;
    AnyStore(const TypeDescriptor* type, const Allocator& alloc) : values_(type, alloc) {}
    template <class ExpectThere>
    AnyStore(const AnyStore& other, Occupancy live, std::size_t slot_count, const Allocator& alloc, ExpectThere&& expect_there)
        : AnyStore(other.type(), alloc) {
        values_.fill(live, slot_count, [&](slot_t slot) {
            expect_there(slot);
            AnyValue::copied(other.ptr(slot)).build(*type(), ptr(slot));
        });
    }
    /// Moves the values over one by one. @pre none lives here, and there is room
    void take_from(AnyStore& other, Occupancy live) {
        values_.fill(live, 0, [&](slot_t slot) { AnyValue::moved(other.ptr(slot)).build(*type(), ptr(slot)); });
    }
    AnyStore(AnyStore&&) noexcept = default;
    AnyStore(const AnyStore&) = delete;
    AnyStore& operator=(const AnyStore&) = delete;
    AnyStore& operator=(AnyStore&&) = delete;
    ~AnyStore() = default;
    static AnyStore like(const AnyStore& other, const Allocator& alloc) noexcept { return AnyStore(other.type(), alloc); }
    void swap(AnyStore& other) noexcept { values_.swap(other.values_); }

    const TypeDescriptor* type() const noexcept { return values_.type(); }
    AnyPages pages() const noexcept { return values_.pages(); }
    std::size_t capacity() const noexcept { return values_.capacity(); }
    std::size_t memory_usage() const noexcept { return values_.memory_usage(); }
    std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    void reserve(std::size_t slot_count) { values_.reserve(slot_count); }
    std::size_t shrunk_capacity(std::size_t end) const noexcept { return values_.shrunk_capacity(end); }
    void shrink(std::size_t end) noexcept { values_.shrink(end); }

    auto places() const noexcept {
        return [this](slot_t slot) noexcept { return values_.ptr(slot); };
    }
    void* ptr(slot_t slot) const noexcept { return values_.ptr(slot); }
    void construct(slot_t slot, const AnyValue& value = {}) { value.build(*type(), ptr(slot)); }
    template <class Make>
    void construct_with(slot_t slot, Make&& make) {
        const AnyValue& value = make();
        construct(slot, value);
    }
    void destroy(slot_t slot) noexcept { values_.destroy(slot); }
    void swap_values(slot_t a, slot_t b) {
        if (a == b) return;
        DescribedValue held(*type(), AnyValue::moved(ptr(a)));
        const auto replace = [&](slot_t slot, void* by) {
            if (!moves_nothrow(*type())) return AnyValue::moved(by).assign(*type(), ptr(slot));
            destroy(slot);
            construct(slot, AnyValue::moved(by));
        };
        replace(a, ptr(b));
        replace(b, held.data());
    }

    template <class Directory>
    void destroy_all(Directory& directory, slot_t end) noexcept {
        destroy_each(directory, end, [this](slot_t slot) { destroy(slot); });
    }
    template <class Directory>
    Cursor first(const Directory& directory) const noexcept {
        return directory.occupancy().find_next(0);
    }
    template <class Directory>
    Cursor last(const Directory&) const noexcept {
        return no_slot;
    }
    template <class Directory>
    void advance(const Directory& directory, Cursor& slot) const noexcept {
        slot = directory.occupancy().find_next(std::size_t{slot} + 1);
    }
    template <class Directory>
    void step_back(const Directory& directory, Cursor& slot) const noexcept {
        slot = directory.occupancy().find_previous(slot);
    }
    template <class Directory>
    Cursor place_of(const Directory&, slot_t slot) const noexcept {
        return slot;
    }
    AnyPlace at(Cursor slot) const noexcept { return {ptr(slot)}; }
    slot_t slot(Cursor slot) const noexcept { return slot; }

    /// The bytes of a PagedStore of the type.
    template <class Directory, class Codec>
    void write(const Directory& directory, ByteWriter& out, const Codec& codec) const {
        out.number(stamp());
        directory.occupancy().for_each([&](slot_t slot) { codec.write(*type(), std::as_const(*this).ptr(slot), out); });
    }
    template <class Directory, class Codec>
    bool read(const Directory& directory, ByteReader& in, const Codec& codec) {
        if (in.number<std::uint32_t>() != stamp()) return in.fail("snapshot: it was made by a map of elements of another size");
        slot_t built = 0;
        ScopeGuard undo([&]() noexcept {
            for (const Occupancy live = directory.occupancy(); built-- != 0;)
                if (live.test(built)) destroy(built);
        });
        bool sound = true;
        directory.occupancy().for_each([&](slot_t slot) {
            if (!sound) return;
            built = slot;
            sound = values_.read(slot, in, codec);
        });
        if (sound) undo.dismiss();
        return sound;
    }
    template <class Directory>
    bool is_sound(const Directory& directory) const noexcept {
        return directory.capacity() <= values_.capacity();
    }

private:
    std::uint32_t stamp() const noexcept { return type()->trivial ? static_cast<std::uint32_t>(type()->size) : 0; }

    AnyArray<Allocator> values_{};
};

} // namespace detail
SLOTWISE_END

#endif
