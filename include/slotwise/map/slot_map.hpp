// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMap: the container makes the key. Elements never move and lie in arrays, and a stale handle finds nothing.
#ifndef SLOTWISE_MAP_SLOT_MAP_HPP
#define SLOTWISE_MAP_SLOT_MAP_HPP

#include "../core/detail/call_form.hpp"
#include "../core/detail/iterators.hpp"
#include "../memory/reserved_array.hpp"
#include "../slots/column_view.hpp"
#include "../slots/detail/slot_store.hpp"
#include "../slots/slot_range.hpp"
#include "../slots/snapshot.hpp"
#include "detail/slot_map_interface.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The store behind SlotMap: values in the place of their slot, in memory that never moves.
///
/// Version and value side by side in a page were measured as a sketch: 13 % faster erase + insert, but lookups of stale
/// handles 54 % slower at 1e6, a full walk 23 % slower, and 4-byte values no longer vectorise. bench/ has the classic flat
/// form as a contender (article_slot_map).
template <class T, SlotMapOptions O, class Allocator>
class PagedStore {
    using Growing = GrowingArray<O.growth, T, Allocator, O.page_slots,
                                 reserved_slots<O.growth, T>(O.max_slots, HandleTraits<O.handle>::max_slots)>;
    using Array = typename Growing::type;
    using allocator = rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    using value_type = T;
    using pointer = T*;
    using const_pointer = const T*;
    using reference = T&;
    using const_reference = const T&;
    /// A live slot, and the values of its word of 64 slots, which never move.
    struct Cursor : LiveCursor {
        T* block = nullptr;
    };
    static constexpr bool stable = true;
    static constexpr bool indexed = false;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial = std::is_trivially_copyable_v<T>;
    static constexpr bool trivial_destroy = std::is_trivially_destructible_v<T> && !O.zero_vacant;
    static constexpr std::size_t slot_bytes = sizeof(T);
    static constexpr std::size_t max_slots = Growing::max_slots;
    /// Slots for whose versions address space is reserved: see SlotDirectory.
    static constexpr std::size_t steady = steady_slots<O.growth>(max_slots);
    template <class... Args>
    static constexpr bool builds_from = std::is_constructible_v<T, Args...>;
    template <class... Args>
    static constexpr bool builds_nothrow = std::is_nothrow_constructible_v<T, Args...>;

    constexpr PagedStore() = default;
    constexpr explicit PagedStore(const Allocator& alloc) : allocator_(alloc), values_(alloc) {}
    /// @param expect_there is called with a slot before its value is copied, if copies run code of users
    template <class ExpectThere>
    constexpr PagedStore(const PagedStore& other, Occupancy live, std::size_t slot_count, const Allocator& alloc,
                         ExpectThere&& expect_there)
        : PagedStore(alloc) {
        if constexpr (std::is_copy_constructible_v<T>)
            fill(live, slot_count, [&](slot_t slot) -> const T& {
                if constexpr (!trivial) expect_there(slot);
                return *other.ptr(slot);
            });
        else
            static_assert(never<T>, "SlotMap copy: T cannot be copied; write std::move(map), or copy element by element");
    }
    /// Moves the values over one by one. @pre none lives here, and there is room
    constexpr void take_from(PagedStore& other, Occupancy live) {
        if constexpr (std::is_move_constructible_v<T>)
            fill(live, 0, [&](slot_t slot) -> T&& { return std::move(*other.ptr(slot)); });
        else
            SLOTWISE_EXPECT(live.none(), "SlotMap: elements that cannot move cannot be moved to an unequal allocator");
    }
    constexpr PagedStore(PagedStore&& other) noexcept : allocator_(other.allocator_), values_(std::move(other.values_)) {}
    constexpr void swap(PagedStore& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        values_.swap(other.values_);
    }

    constexpr std::size_t capacity() const noexcept { return values_.capacity(); }
    constexpr std::size_t memory_usage() const noexcept { return values_.memory_usage(); }
    constexpr std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    constexpr void reserve(std::size_t slot_count) {
        if constexpr (O.zero_vacant && !Array::contiguous) { // address space is zero as it comes from the system
            std::size_t run = values_.run_count();
            values_.reserve(slot_count);
            for (; run != values_.run_count(); ++run) zero(values_.run(run).data, values_.run(run).slot_count);
        } else
            values_.reserve(slot_count);
    }
    constexpr std::size_t shrunk_capacity(std::size_t end) const noexcept { return values_.shrunk_capacity(end); }
    constexpr void shrink(std::size_t end) noexcept { values_.shrink(end); }
    constexpr const Array& array() const noexcept { return values_; }

    SLOTWISE_ALWAYS_INLINE constexpr auto places() const noexcept { return values_.places(); }
    SLOTWISE_ALWAYS_INLINE constexpr T* ptr(slot_t slot) const noexcept { return values_.ptr(slot); }
    template <class... Args>
    SLOTWISE_INLINE_UNOPTIMISED constexpr void construct(slot_t slot, Args&&... args) noexcept(builds_nothrow<Args...>) {
        if constexpr (O.zero_vacant && !builds_nothrow<Args...>)
            zero_if_thrown(slot, [&] { construct_in_place(allocator_, values_.ptr(slot), static_cast<Args&&>(args)...); });
        else
            construct_in_place(allocator_, values_.ptr(slot), static_cast<Args&&>(args)...);
    }
    template <class Make>
    constexpr void construct_with(slot_t slot, Make&& make) {
        if constexpr (O.zero_vacant)
            zero_if_thrown(slot, [&] { place(slot, make); });
        else
            place(slot, make);
    }
    SLOTWISE_ALWAYS_INLINE constexpr void destroy(slot_t slot) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) traits::destroy(allocator_, values_.ptr(slot));
        if constexpr (O.zero_vacant) zero(values_.ptr(slot), 1);
    }
    constexpr T&& take(slot_t slot) const noexcept { return std::move(*values_.ptr(slot)); }
    constexpr void swap_values(slot_t a, slot_t b) {
        using std::swap;
        if (a != b) swap(*ptr(a), *ptr(b));
    }

    template <class Directory>
    constexpr void destroy_all(Directory& directory, slot_t end) noexcept {
        if constexpr (!trivial_destroy) destroy_each(directory, end, [this](slot_t slot) { destroy(slot); });
    }
    /// Calls f(slot) for each slot that has an element.
    template <class F>
    constexpr void for_each_stored(Occupancy stored, F&& f) const {
        stored.for_each(f);
    }
    /// f may erase the slot it is given.
    template <class Directory, class F>
    constexpr void for_each_slot(const Directory& directory, F&& f) const {
        for (Cursor c = first(directory); c != Cursor(); advance(directory, c)) f(slot(c));
    }

    template <class Directory>
    constexpr Cursor first(const Directory& directory) const noexcept {
        return cursor_at(LiveCursor::first(directory));
    }
    template <class Directory>
    constexpr Cursor last(const Directory&) const noexcept {
        return {};
    }
    template <class Directory>
    SLOTWISE_ALWAYS_INLINE constexpr void advance(const Directory& directory, Cursor& c) const noexcept {
        if (!c.step(directory.live_word(c.word)) && c.next_word(directory)) c.block = values_.ptr(c.first_slot());
    }
    template <class Directory>
    constexpr Cursor place_of(const Directory&, slot_t slot) const noexcept {
        return {LiveCursor(slot), values_.ptr(slot - slot % bits::word_bits)};
    }
    /// To the live slot before, also from the end.
    template <class Directory>
    constexpr void step_back(const Directory& directory, Cursor& c) const noexcept {
        c.step_back(directory.occupancy());
        c = cursor_at(c);
    }
    SLOTWISE_ALWAYS_INLINE constexpr T* at(const Cursor& c) const noexcept {
        if constexpr (Array::apart != 0)
            if (slot(c) < Array::apart) [[unlikely]]
                return values_.ptr(slot(c));
        return c.block + c.bit;
    }
    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot(const Cursor& c) const noexcept { return c.slot(); }

    /// The type of elements.
    template <class Codec>
    static consteval std::array<ElementTag, 1> tags() noexcept {
        return {{{ElementRole::value, type_tag<Codec, T>()}}};
    }
    template <class Directory, class Codec>
    void write(const Directory& directory, ByteWriter& out, Codec& codec) const {
        out.number(size_check_of<T, Codec>());
        directory.occupancy().for_each([&](slot_t slot) { codec.write(std::as_const(*ptr(slot)), out); });
    }
    template <class Directory, class Codec>
    bool read(const Directory& directory, ByteReader& in, Codec& codec) {
        if (in.number<std::uint32_t>() != size_check_of<T, Codec>())
            return in.fail("snapshot: it was made by a map of elements of another size");
        slot_t built = 0;
        ScopeGuard undo([&]() noexcept { destroy_below(directory.occupancy(), built); });
        bool sound = true;
        directory.occupancy().for_each([&](slot_t slot) {
            built = slot;
            if (!sound) return;
            construct_with(slot, [&]() -> T { return codec.template read<T>(in); });
            if (in.error() == nullptr) return;
            destroy(slot);
            destroy_below(directory.occupancy(), slot);
            sound = false;
        });
        undo.dismiss();
        return sound;
    }
    template <class Directory>
    constexpr bool is_sound(const Directory& directory) const noexcept {
        return directory.capacity() <= values_.capacity();
    }

private:
    SLOTWISE_ALWAYS_INLINE constexpr Cursor cursor_at(LiveCursor place) const noexcept {
        return {place, place.at_end() ? nullptr : values_.ptr(place.first_slot())};
    }
    // Placement new, because no construct() of an allocator can elide the copy of what make() returns. An allocator that has
    // one may hand itself on to the value (std::pmr): there the value is moved in.
    template <class Make>
    SLOTWISE_ALWAYS_INLINE constexpr void place(slot_t slot, Make&& make) {
        if constexpr (std::is_move_constructible_v<T> &&
                      requires(allocator& a, T* p, T&& v) { a.construct(p, std::move(v)); }) {
            traits::construct(allocator_, values_.ptr(slot), make());
        } else if (SLOTWISE_IN_CONSTANT) {
            if constexpr (std::is_move_constructible_v<T>) std::construct_at(values_.ptr(slot), make());
        } else
            ::new (static_cast<void*>(values_.ptr(slot))) T(make());
    }
    // Of vacant slots. In a constant expression nothing can read their bytes.
    static constexpr void zero(T* first, std::size_t slot_count) noexcept {
        if (!SLOTWISE_IN_CONSTANT) std::memset(static_cast<void*>(first), 0, slot_count * sizeof(T));
    }
    /// What a constructor has written before it threw is no element.
    template <class Build>
    constexpr void zero_if_thrown(slot_t slot, Build&& build) {
        ScopeGuard undo([&]() noexcept { zero(values_.ptr(slot), 1); });
        build();
        undo.dismiss();
    }
    template <class Source>
    constexpr void fill(Occupancy live, std::size_t slot_count, Source&& source) {
        reserve(slot_count);
        build_each(
            live, [&](slot_t slot) { construct(slot, source(slot)); }, [this](slot_t slot) { destroy(slot); });
    }
    void destroy_below(Occupancy live, slot_t end) noexcept {
        while (end-- != 0)
            if (live.test(end)) destroy(end);
    }

    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_{};
    Array values_{};
};

template <class T, class... With>
using PagedInterface = typename SlotMapInterfaceOf<
    SlotMap<T, With...>, PagedStore<T, SlotMapArguments<T, With...>::options, typename SlotMapArguments<T, With...>::allocator>,
    SlotMapArguments<T, With...>>::type;

} // namespace detail

/// A slot map: elements of type T, found by handles that the map makes. Elements never move: not on growth, erase, or when the
/// map moves.
///
/// Erasing while iterating: iterators survive growth and the erase of any element; ++ from an erased element goes to the next
/// live one, which erase(it) returns. An element inserted meanwhile may be visited, if its slot lies ahead. In for_each, f may
/// erase the element it was given and may insert; it must not erase elements ahead (checked at level debug). Cost: 4.25 bytes
/// an element over the payload. Memory: chunks of up to 1 MiB. Growth copies only versions (Growth::reserve: not even these).
/// @tparam T any object type, also one that can neither be copied nor moved
/// @tparam With in any order: `Column<U>` and static observers (called inline, reached by `column<U>()` and
/// `observer<O>()`, by number where a type occurs twice), `Options<SlotMapOptions{...}>`, `AllocBy<A>`, `Tag<X>`
template <class T, class... With>
class SlotMap : public detail::PagedInterface<T, With...> {
    using Base = detail::PagedInterface<T, With...>;
    using Allocator = typename Base::allocator_type;
    static constexpr SlotMapOptions O = Base::options;

    using Base::core_;

public:
    using Base::Base;
    using Base::erase;
    using Base::handle_of;
    using typename Base::const_iterator;
    using typename Base::handle_type;
    using typename Base::iterator;
    constexpr SlotMap()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr SlotMap(const SlotMap&) = default;
    constexpr SlotMap(SlotMap&&) = default;
    constexpr SlotMap(const SlotMap& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr SlotMap(SlotMap&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    constexpr SlotMap& operator=(const SlotMap&) = default;
    constexpr SlotMap& operator=(SlotMap&&) = default;
    ~SlotMap() = default;
    friend constexpr void swap(SlotMap& a, SlotMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// Removes the element at `it`; returns the next one. @pre it refers to a live element @throws nothing
    constexpr iterator erase(const_iterator it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "SlotMap::erase(it): the element here was erased, or it is the end");
        auto next = core_.store.place_of(core_.directory, it.slot());
        core_.do_erase(it.slot());
        core_.store.advance(core_.directory, next);
        return {this, next};
    }

    /// Removes the element at `address`; false when no element of this map is there. No version is checked.
    /// @throws nothing @complexity linear in MiB of values; O(1) with Growth::reserve
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr bool erase(P* address) noexcept {
        return Base::erase_at(core_.store.array().slot_at(address));
    }

    /// The handle of the element at `address`, null when no element of this map is there. @complexity linear in MiB of values
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr handle_type handle_of(P* address) const noexcept {
        const slot_t slot = core_.store.array().slot_at(address);
        return slot == no_slot ? handle_type() : Base::handle_at(slot);
    }

    /// Calls f(value) or f(handle, value) for every element, in slot order. Full words of 64 slots run as a loop that a
    /// compiler vectorises: the fastest walk. Its cost depends on live elements, not on the gaps. f may erase the element it is
    /// given and may insert.
    template <class F>
    SLOTWISE_ALWAYS_INLINE constexpr void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    SLOTWISE_ALWAYS_INLINE constexpr void for_each(F&& f) const {
        walk(*this, f);
    }

    /// A map of f(value), or f(handle, value), of each element under the same handles: those that are stale for this map are
    /// stale for it, and it makes the same ones next. Static columns and observers are copied, dynamic observers are not.
    ///     SlotMap<std::string> names;
    ///     const auto lengths = names.transform([](const std::string& name) { return name.size(); });
    ///     lengths.at(handle)                                       // a handle of names
    /// Its type is SlotMap<U, HandleBy<handle_type>> with the other arguments of this one.
    /// @pre f does not change this map (checked at level fast)
    /// @throws what f, the allocator and copies of columns throw; nothing has changed then @complexity linear in slots
    template <class F>
    constexpr auto transform(F f) const& {
        return detail::SlotMapSteps::transform<slotwise::SlotMap, handle_type, const T&, With...>(core_, f);
    }
    /// The same; f may move from the values, and this map is empty then. @throws as above; f may have changed values then
    template <class F>
    constexpr auto transform(F f) && {
        auto result = detail::SlotMapSteps::transform<slotwise::SlotMap, handle_type, T&&, With...>(core_, f);
        this->clear();
        return result;
    }

    /// All values by slot. @invalidates itself when the map grows, shrinks or moves
    constexpr ColumnView<T> values() noexcept { return {detail::page_view(core_.store.array()), core_.directory_view()}; }
    constexpr ColumnView<const T> values() const noexcept {
        return ColumnView<T>(detail::page_view(core_.store.array()), core_.directory_view());
    }
    /// The values as contiguous chunks {first, values, live}: the unit for jobs and SIMD loops.
    constexpr auto chunks() noexcept { return values().chunks(); }
    constexpr auto chunks() const noexcept { return values().chunks(); }

    /// Every slot below the highest one in use, live or not, as one span: only with Growth::reserve. Access live ones only, or
    /// with zero_vacant the bytes of the others too, which are zero.
    std::span<T> slot_span() noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.store.array().data(), core_.directory.cursor()};
    }
    std::span<const T> slot_span() const noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.store.array().data(), core_.directory.cursor()};
    }
    /// The same of the column of values of type U.
    template <class U>
    std::span<U> slot_span() noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.hub.template get<std::remove_reference_t<decltype(core_.hub)>::template index_of_column<U>()>().data(),
                core_.directory.cursor()};
    }
    template <class U>
    std::span<const U> slot_span() const noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.hub.template get<std::remove_reference_t<decltype(core_.hub)>::template index_of_column<U>()>().data(),
                core_.directory.cursor()};
    }

private:
    // Always inline: clang finds it too large after unrolling a full word, and f's results then go through memory.
    template <class Self, class F>
    SLOTWISE_ALWAYS_INLINE static constexpr void walk(Self& self, F& f) {
        using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
        // The directory's arrays may move when f inserts, so words are read through it; value runs do not move.
        const auto& directory = self.core_.directory;
        const auto& array = self.core_.store.array();
        if (self.size() < directory.cursor() / 128) return walk_sparse(self, f); // both take the same time there
        const auto expect_live = [&](std::size_t slot) {
            SLOTWISE_EXPECT_DEBUG(directory.occupancy().test(slot),
                                  "SlotMap::for_each: f erased an element ahead of the one it was given; walk with iterators");
        };
        constexpr std::size_t apart = std::remove_cvref_t<decltype(array)>::apart; // the slots below it are no run
        for (std::size_t first = 0; first < apart && first < directory.cursor(); first += bits::word_bits)
            bits::walk(directory.occupancy().word(bits::word_of(first)), [&](unsigned i) {
                const auto slot = static_cast<slot_t>(first + i);
                expect_live(slot);
                visit(self, f, slot, static_cast<V&>(*array.ptr(slot)));
            });
        for (std::size_t r = 0; r < array.run_count(); ++r) {
            const auto run = array.run(r);
            for (std::size_t offset = run.first < apart ? apart - run.first : 0; offset < run.slot_count;
                 offset += bits::word_bits) {
                const std::size_t first = run.first + offset;
                if (first >= directory.cursor()) return;
                const bits::word_t word = directory.occupancy().word(bits::word_of(first));
                V* const block = run.data + offset;
                bits::walk(word, [&](unsigned i) {
                    expect_live(first + i);
                    visit(self, f, static_cast<slot_t>(first + i), block[i]);
                });
            }
        }
    }
    /// From one live slot to the next, like an iterator: 10 live elements in 1e6 slots take 10 steps.
    template <class Self, class F>
    static constexpr void walk_sparse(Self& self, F& f) {
        using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
        const auto& store = self.core_.store;
        for (auto c = store.first(self.core_.directory); c != store.last(self.core_.directory);
             store.advance(self.core_.directory, c))
            visit<Self, F, V>(self, f, store.slot(c), *store.at(c));
    }
    template <class Self, class F, class V>
    SLOTWISE_ALWAYS_INLINE static constexpr void visit(Self& self, F& f, slot_t slot, V& value) {
        if constexpr (detail::takes_name<F, handle_type, V&>())
            f(handle_type(slot, self.core_.directory.version(slot)), value);
        else
            f(value);
    }
};

SLOTWISE_END

#endif
