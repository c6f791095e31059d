// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySlotMap: a SlotMap whose elements are of a type that is known only at run time.
#ifndef SLOTWISE_MAP_ANY_SLOT_MAP_HPP
#define SLOTWISE_MAP_ANY_SLOT_MAP_HPP

#include "../core/detail/call_form.hpp"
#include "../rows/described_value.hpp"
#include "../slots/any_column_view.hpp"
#include "../slots/detail/slot_store.hpp"
#include "detail/slot_map_interface.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What an iterator refers to: the address of a type-erased value, as a pointer that yields it.
struct AnyPlace {
    void* address = nullptr;
    void* operator*() const noexcept { return address; }
};

/// The store behind AnySlotMap: a type-erased value in the place of its slot, as PagedStore has them for a type that is known.
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
        out.number(described_size_check(codec, *type()));
        directory.occupancy().for_each([&](slot_t slot) { codec.write(*type(), std::as_const(*this).ptr(slot), out); });
    }
    template <class Directory, class Codec>
    bool read(const Directory& directory, ByteReader& in, const Codec& codec) {
        if (in.number<std::uint32_t>() != described_size_check(codec, *type()))
            return in.fail("snapshot: it was made by a map of elements of another size");
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
    AnyArray<Allocator> values_{};
};

template <class... With>
using AnySlotMapInterface =
    typename SlotMapInterfaceOf<BasicAnySlotMap<With...>, AnyStore<typename SlotMapArguments<std::byte, With...>::allocator>,
                                SlotMapArguments<std::byte, With...>>::type;

} // namespace detail

/// A type-erased SlotMap: elements of one type that is known at run time; the map makes the handle, and elements never move.
/// Elements are passed and returned by address. Everything that needs no element is as in SlotMap: reserve_handle, erase,
/// handles, columns, observers, explain.
///     AnySlotMap records(TypeDescriptor::of<Record>());
///     const auto handle = records.insert(&record);
///     if (void* const found = records.get(handle)) ...
/// @tparam With as SlotMap's, without Growth::reserve and page_slots
template <class... With>
class BasicAnySlotMap : public detail::AnySlotMapInterface<With...> {
    using Base = detail::AnySlotMapInterface<With...>;
    static constexpr SlotMapOptions O = Base::options;
    static_assert(!O.atomic_versions, "AnySlotMap: atomic_versions is for SlotMap and HandlePool");
    static_assert(!O.zero_vacant, "AnySlotMap: zero_vacant is for SlotMap, whose slots lie side by side as C arrays do");
    static_assert(O.growth == Growth::pages && O.page_slots == 0,
                  "AnySlotMap: Growth::reserve and page_slots are for SlotMap, whose elements have a size that is known");

    using Base::core_;

public:
    using typename Base::allocator_type;
    using typename Base::handle_type;
    using typename Base::size_type;

    /// An empty map of elements of `type`, which must outlive it.
    /// @throws std::invalid_argument when the type has no size, or an alignment that no type can have
    explicit BasicAnySlotMap(const TypeDescriptor& type, const allocator_type& alloc = allocator_type())
        : Base(detail::AnyStore<allocator_type>(detail::sized_type(type), alloc), alloc) {}
    BasicAnySlotMap(const BasicAnySlotMap&) = default;
    BasicAnySlotMap(BasicAnySlotMap&&) = default;
    BasicAnySlotMap(const BasicAnySlotMap& other, const allocator_type& alloc) : Base(other, alloc) {}
    BasicAnySlotMap(BasicAnySlotMap&& other, const allocator_type& alloc) : Base(std::move(other), alloc) {}
    BasicAnySlotMap& operator=(const BasicAnySlotMap&) = default;
    BasicAnySlotMap& operator=(BasicAnySlotMap&&) = default;
    ~BasicAnySlotMap() = default;
    friend void swap(BasicAnySlotMap& a, BasicAnySlotMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// The type of the elements.
    const TypeDescriptor& type() const noexcept { return *core_.store.type(); }

    using Base::insert;
    /// Adds a copy of the value at `value`, which is of type(); returns its handle. insert(AnyValue) and emplace() of the other
    /// slot maps are here too: what an AnyValue builds, and the default value. @throws std::invalid_argument when the type
    /// cannot be built so, std::length_error when every slot is in use, what the allocator, the type and observers throw;
    /// strong
    handle_type insert(const void* value) { return Base::emplace(AnyValue::copied(value)); }
    /// The same, moved from it (copied, if the type has no move). @throws as insert; strong, but for the value if its move
    /// throws
    handle_type insert_moved(void* value) { return Base::emplace(AnyValue::moved(value)); }

    using Base::try_insert;
    /// As insert and insert_moved, but null when the map is full(); the value is untouched then. @throws as insert, but for the
    /// full map; strong
    handle_type try_insert(const void* value) { return Base::try_emplace(AnyValue::copied(value)); }
    /// The same, moved from it (copied, if the type has no move). @throws as try_insert
    handle_type try_insert_moved(void* value) { return Base::try_emplace(AnyValue::moved(value)); }

    /// Adds a range of AnyValue. Other addresses, two keys or a key and its value elsewhere, are a compile error.
    template <class T>
    void insert(T* first, T* last) {
        static_assert(std::is_same_v<std::remove_cv_t<T>, AnyValue>,
                      "AnySlotMap insert(a, b): two addresses are no element; insert(a) and then insert(b) adds two, and a "
                      "range is one of AnyValue");
        if constexpr (std::is_same_v<std::remove_cv_t<T>, AnyValue>) Base::insert(first, last);
    }

    /// The address of the element, or null when it was erased.
    void* get(handle_type handle) noexcept { return Base::get(handle); }
    const void* get(handle_type handle) const noexcept { return Base::get(handle); }
    /// The address of the element. @throws std::out_of_range that says whether it was erased or the handle never issued
    void* at(handle_type handle) { return checked(get(handle), handle); }
    const void* at(handle_type handle) const { return checked(get(handle), handle); }
    /// The address of the element. @pre contains(handle) (checked at level fast)
    void* operator[](handle_type handle) noexcept { return expected(get(handle)); }
    const void* operator[](handle_type handle) const noexcept { return expected(get(handle)); }

    using Base::erase;
    /// Removes every element for which pred(address) or pred(handle, address) holds; returns how many. If pred throws, the
    /// elements erased before stay erased.
    template <class Pred>
    size_type erase_if(Pred pred) {
        return core_.erase_each([&](slot_t slot) { return visit(pred, slot, core_.store.ptr(slot)); });
    }
    /// Removes the element and returns it; none when there is none. @throws std::bad_alloc, what the type's move throws; the
    /// element then stays
    DescribedValue extract(handle_type handle) {
        DescribedValue result;
        if (void* const element = get(handle)) {
            result = DescribedValue(type(), AnyValue::moved(element));
            core_.do_erase(handle.index());
        }
        return result;
    }
    /// The same, but the handle is reserved then: see SlotMapInterface::erase_reserved. To bring it back: map.fulfill(handle,
    /// AnyValue::moved(old.data())). @throws as extract and erase_reserved; the element then stays
    DescribedValue extract_reserved(handle_type handle) {
        DescribedValue result;
        if (void* const element = get(handle)) {
            core_.directory.prepare_reserved();
            result = DescribedValue(type(), AnyValue::moved(element));
            core_.do_erase_reserved(handle.index());
        }
        return result;
    }

    /// Calls f(address) or f(handle, address) for every element in slot order. f may erase the element it is given, and insert.
    template <class F>
    void for_each(F&& f) {
        for (const slot_t slot : this->live_slots()) visit(f, slot, core_.store.ptr(slot));
    }
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : this->live_slots()) visit(f, slot, static_cast<const void*>(core_.store.ptr(slot)));
    }
    /// Addresses of elements by slot: iterable, indexable, in runs of pointer, stride and mask.
    /// @invalidates itself when the map grows, shrinks or moves
    AnyColumnView values() noexcept { return {core_.store.pages(), core_.directory_view()}; }
    ConstAnyColumnView values() const noexcept { return {core_.store.pages(), core_.directory_view()}; }

    /// Equal when the same handles name equal elements of the same type.
    /// @throws std::invalid_argument when the type has no equality; what equality throws
    friend bool operator==(const BasicAnySlotMap& a, const BasicAnySlotMap& b) {
        if (!same_type(a.type(), b.type()) || a.size() != b.size()) return false;
        if (a.type().equal == nullptr) detail::throw_invalid_argument("AnySlotMap ==: the type has no equality");
        for (const slot_t slot : a.live_slots())
            if (a.handle_at(slot) != b.handle_at(slot) || !a.type().equal(a.core_.store.ptr(slot), b.core_.store.ptr(slot)))
                return false;
        return true;
    }
    /// As SlotMap::snapshot: the bytes of a SlotMap of the type, and those that it restores.
    /// @param codec an AnyCodec to which the type was added, or a class with its functions; `columns` is that of static columns
    /// @throws std::invalid_argument when the codec lacks the type; what allocator and codecs throw
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        expect_covered(codec);
        ByteWriter out;
        core_.template write<0, 0>(out, columns, [&] { core_.store.write(core_.directory, out, codec); });
        return detail::Seal::close(out, tags<Columns>(codec));
    }
    /// As SlotMap::restore. @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec
    /// lacks the type; what allocator and codecs throw; strong
    template <class Codec, class Columns = DefaultCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        if (const char* error = try_restore(bytes, codec, columns)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes instead of throwing it; null on success.
    template <class Codec, class Columns = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        expect_covered(codec);
        core_.hub.expect_not_notifying();
        if (const char* const wrong = detail::Seal::open(bytes, detail::DirectorySnapshot::magic, tags<Columns>(codec)))
            return wrong;
        ByteReader in(bytes);
        using Whole = std::remove_cvref_t<decltype(core_)>;
        Whole fresh(typename Whole::EmptyCopyTag(), core_, core_.allocator);
        fresh.directory.set_limit(core_.directory.limit());
        const char* const error = fresh.template read<0>(in, columns, {}, [&](auto& directory) {
            if (!fresh.store.read(directory, in, codec)) return false;
            fresh.directory.swap(directory);
            return true;
        });
        if (error == nullptr) core_.adopt(fresh);
        return error;
    }

private:
    template <class Columns, class Codec>
    auto tags(const Codec& codec) const noexcept {
        const std::array element{detail::ElementTag{detail::ElementRole::value, detail::described_tag(codec, type())}};
        return detail::join_tags(element, std::remove_cvref_t<decltype(core_)>::template column_tags<0, Columns>());
    }
    template <class Void>
    Void* checked(Void* element, handle_type handle) const {
        if (element == nullptr)
            core_.throw_no_element("slot map at(handle): no element has this handle; ask get(handle) or explain(handle)",
                                   handle);
        return element;
    }
    template <class Void>
    static Void* expected(Void* element) noexcept {
        SLOTWISE_EXPECT(element != nullptr,
                        "AnySlotMap [handle]: no element has this handle; ask get(handle) or explain(handle)");
        return element;
    }
    template <class Codec>
    void expect_covered(const Codec& codec) const {
        if (!codec.covers(type()))
            detail::throw_invalid_argument(
                "AnySlotMap snapshot: the codec lacks the type of the elements; codec.add<T>(), and describe it with its id");
    }
    template <class F, class Void>
    decltype(auto) visit(F& f, slot_t slot, Void* element) const {
        if constexpr (detail::takes_name<F, handle_type, Void*>())
            return f(handle_type(slot, core_.directory.version(slot)), element);
        else
            return f(element);
    }
};

SLOTWISE_END

#endif
