// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMap: the container makes the key. Elements never move, iterate at array speed, and no stale handle ever resolves.
#ifndef SLOTWISE_MAP_SLOT_MAP_HPP
#define SLOTWISE_MAP_SLOT_MAP_HPP

#include "../memory/reserved_array.hpp"
#include "../slots/slot_range.hpp"
#include "slot_map_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Values in the place of their slot, in memory that never moves.
template <class T, SlotMapOptions O, class Allocator>
class PagedStore {
#if SLOTWISE_VIRTUAL_MEMORY
    template <bool Reserve, class U>
    struct Choose {
        using type = PagedArray<U, Allocator, O.page_slots>;
    };
    template <class U>
    struct Choose<true, U> {
        // Asked for, or what the handle can index where that is less than the default: a map of 16 bits reserves no 64 GiB.
        static constexpr std::size_t indexed = HandleTraits<O.handle>::max_slots;
        using type = ReservedArray < U, Allocator,
              O.max_slots != 0 ? O.max_slots : indexed<ReservedArray<U, Allocator>::max_slots ? indexed : 0>;
    };
#else
    static_assert(O.growth != Growth::reserve,
                  "Growth::reserve needs virtual memory, which this platform lacks: use Growth::pages");
    template <bool, class U>
    struct Choose {
        using type = PagedArray<U, Allocator, O.page_slots>;
    };
#endif
    using Array = typename Choose<O.growth == Growth::reserve, T>::type;
    using allocator = rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    using value_type = T;
    using pointer = T*;
    using const_pointer = const T*;
    using reference = T&;
    using const_reference = const T&;
    /// A live slot, the values of its word of 64 slots (which never move), and the live slots after it in that word.
    struct Cursor {
        T* block = nullptr; // null: the end
        bits::word_t rest = 0;
        slot_t word = no_slot / bits::word_bits; // the end says no_slot, or erase(end()) would find slot 0 alive
        unsigned bit = bits::word_bits - 1;
        // The block first: inside a word only `bit` moves, and the optimiser then drops the comparison with the end.
        friend constexpr bool operator==(const Cursor& a, const Cursor& b) noexcept {
            return a.block == b.block && a.bit == b.bit;
        }
    };
    static constexpr bool stable = true;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial = std::is_trivially_copyable_v<T>;
    static constexpr std::size_t slot_bytes = sizeof(T);
    static constexpr std::size_t max_slots = [] {
        if constexpr (O.growth == Growth::reserve)
            return Array::max_slots;
        else
            return std::size_t{no_slot};
    }();
    template <class... Args>
    static constexpr bool builds_from = std::is_constructible_v<T, Args...>;
    template <class... Args>
    static constexpr bool builds_nothrow = std::is_nothrow_constructible_v<T, Args...>;

    constexpr PagedStore() = default;
    constexpr explicit PagedStore(const Allocator& alloc) : allocator_(alloc), values_(alloc) {}
    /// @param expect_there is called with a slot before its value is copied, if copies run code of users
    template <class ExpectThere>
    constexpr PagedStore(const PagedStore& other, Occupancy live, std::size_t slots, const Allocator& alloc,
                         ExpectThere&& expect_there)
        : PagedStore(alloc) {
        fill(live, slots, [&](slot_t slot) -> const T& {
            if constexpr (!trivial) expect_there(slot);
            return *other.ptr(slot);
        });
    }
    constexpr PagedStore(PagedStore&& other, Occupancy live, std::size_t slots, const Allocator& alloc) : PagedStore(alloc) {
        if constexpr (std::is_move_constructible_v<T>)
            fill(live, slots, [&](slot_t slot) -> T&& { return std::move(*other.ptr(slot)); });
        else
            SLOTWISE_EXPECT(live.none(), "SlotMap: elements that cannot move cannot be moved to an unequal allocator");
    }
    constexpr PagedStore(PagedStore&& other) noexcept : allocator_(other.allocator_), values_(std::move(other.values_)) {}
    constexpr void swap(PagedStore& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        values_.swap(other.values_);
    }

    constexpr std::size_t capacity() const noexcept { return values_.capacity(); }
    constexpr std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    constexpr void reserve(std::size_t slots, std::size_t) { values_.reserve(slots); }
    constexpr std::size_t shrunk_capacity(slot_t end, std::size_t) const noexcept { return values_.shrunk_capacity(end); }
    constexpr void shrink(slot_t end, std::size_t) noexcept { values_.shrink(end); }
    constexpr const Array& array() const noexcept { return values_; }

    constexpr auto places() const noexcept { return values_.places(); }
    constexpr T* ptr(slot_t slot) const noexcept { return values_.ptr(slot); }
    template <class... Args>
    constexpr void construct(slot_t slot, Args&&... args) noexcept(builds_nothrow<Args...>) {
        traits::construct(allocator_, values_.ptr(slot), std::forward<Args>(args)...);
    }
    // Placement new, because no construct() of an allocator can elide the copy of what make() returns. An allocator that has
    // one may hand itself on to the value (std::pmr): there the value is moved in.
    template <class Make>
    constexpr void construct_with(slot_t slot, Make&& make) {
        if constexpr (std::is_move_constructible_v<T> &&
                      requires(allocator& a, T* p, T&& v) { a.construct(p, std::move(v)); }) {
            traits::construct(allocator_, values_.ptr(slot), make());
        } else if (std::is_constant_evaluated()) {
            if constexpr (std::is_move_constructible_v<T>) std::construct_at(values_.ptr(slot), make());
        } else
            ::new (static_cast<void*>(values_.ptr(slot))) T(make());
    }
    constexpr void destroy(slot_t slot) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) traits::destroy(allocator_, values_.ptr(slot));
    }
    constexpr void move_to_last_row(slot_t) noexcept {}
    constexpr T&& take(slot_t slot) const noexcept { return std::move(*values_.ptr(slot)); }
    constexpr void swap_values(slot_t a, slot_t b) {
        using std::swap;
        if (a != b) swap(*ptr(a), *ptr(b));
    }

    template <class Directory>
    constexpr void destroy_all(Directory& directory, slot_t end) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>)
            for (std::size_t first = 0; first < end; first += bits::word_bits) {
                const bits::word_t here = directory.occupancy().word(bits::word_of(first)) &
                                          bits::low_mask(end - first < 64 ? end - static_cast<unsigned>(first) : 64);
                bits::for_each(here, [&](unsigned bit) {
                    const auto slot = static_cast<slot_t>(first + bit);
                    directory.mark_destroyed(slot); // a nested clear must not meet it again
                    destroy(slot);
                });
            }
    }
    /// f may erase the slot it is given.
    template <class Directory, class F>
    constexpr void for_each_slot(const Directory& directory, F&& f) const {
        for (Cursor c = first(directory); c != Cursor(); advance(directory, c)) f(slot(c));
    }

    template <class Directory>
    constexpr Cursor first(const Directory& directory) const noexcept {
        return cursor_from(directory, 0);
    }
    template <class Directory>
    constexpr Cursor last(const Directory&) const noexcept {
        return {};
    }
    /// To the next live slot. The rest of the word is remembered but checked against the live one: an erased slot is skipped.
    template <class Directory>
    constexpr void advance(const Directory& directory, Cursor& c) const noexcept {
        const bits::word_t rest = c.rest & directory.occupancy().word(c.word);
        if (rest != 0) [[likely]] {
            c.bit = bits::lowest(rest);
            c.rest = rest & (rest - 1);
        } else
            c = cursor_at_word(directory, std::size_t{c.word} + 1);
    }
    /// At the first live slot from word `w` on. By words, not by slots: taking a slot number apart again cost a third of a
    /// step.
    template <class Directory>
    constexpr Cursor cursor_at_word(const Directory& directory, std::size_t w) const noexcept {
        const LiveWord at = LiveWord::from(directory.occupancy(), w);
        if (at.word == 0) return {};
        const auto number = static_cast<slot_t>(at.number);
        return {values_.ptr(number * bits::word_bits), at.word & (at.word - 1), number, bits::lowest(at.word)};
    }
    /// At the first live slot not below `slot`.
    template <class Directory>
    constexpr Cursor cursor_from(const Directory& directory, std::size_t from) const noexcept {
        const slot_t slot = directory.occupancy().find_next(from);
        if (slot == no_slot) return {};
        const unsigned bit = slot % bits::word_bits;
        const bits::word_t word = directory.occupancy().word(bits::word_of(slot));
        return {values_.ptr(slot - bit), word & ~bits::low_mask(bit + 1), slot / bits::word_bits, bit};
    }
    constexpr T* at(const Cursor& c) const noexcept {
        if constexpr (scattered<T>)
            return values_.ptr(slot(c));
        else
            return c.block + c.bit;
    }
    constexpr slot_t slot(const Cursor& c) const noexcept { return c.word * bits::word_bits + c.bit; }

    template <class Directory, class Codec>
    void write(const Directory& directory, ByteWriter& out, Codec& codec) const {
        out.number(size_stamp<T>());
        directory.occupancy().for_each([&](slot_t slot) { codec.write(std::as_const(*ptr(slot)), out); });
    }
    template <class Directory, class Codec>
    bool read(const Directory& directory, ByteReader& in, Codec& codec) {
        if (in.number<std::uint32_t>() != size_stamp<T>())
            return in.fail("snapshot: made by a map of elements of another size");
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
    constexpr bool check(const Directory& directory) const noexcept {
        return directory.capacity() <= values_.capacity();
    }

private:
    template <class Source>
    constexpr void fill(Occupancy live, std::size_t slots, Source&& source) {
        values_.reserve(slots);
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

#if SLOTWISE_VIRTUAL_MEMORY
template <class T, class A, std::size_t M>
auto page_view(const ReservedArray<T, A, M>& array) noexcept {
    // One page: every slot below max_slots, which is less than half of the address space.
    return PageView<T>{array.pages(), sizeof(std::size_t) * 8 - 1};
}
#endif

} // namespace detail

/// Elements of type T in slots; the map makes the handle. Elements never move: not on growth, erase, or when the map moves.
///
/// Erasing while iterating: iterators survive growth and the erase of any element; ++ from an erased one goes on to the next
/// live one, erase(it) returns it. An element inserted meanwhile may be visited, if its slot lies ahead. In for_each, f may
/// erase the element it was given and may insert; it must not erase others that lie ahead (checked at level debug).
/// Cost: 4.25 bytes an element over the payload. Memory: chunks of up to 1 MiB; nothing is copied on growth but versions.
/// @tparam T any object type, also one that can neither be copied nor moved
/// @tparam Observers static observers (columns): called inline, reached by observer<I>() and column<I>()
template <class T, SlotMapOptions O, class Allocator, class... Observers>
class SlotMap : public SlotMapCore<detail::PagedStore<T, O, Allocator>, T, O, Allocator, Observers...> {
    using Core = SlotMapCore<detail::PagedStore<T, O, Allocator>, T, O, Allocator, Observers...>;

public:
    using Core::column;
    using Core::Core;
    using Core::erase;
    using Core::handle_of;
    using typename Core::const_iterator;
    using typename Core::handle_type;
    using typename Core::iterator;
    constexpr SlotMap()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr SlotMap(const SlotMap&) = default;
    constexpr SlotMap(SlotMap&&) = default;
    constexpr SlotMap(const SlotMap& other, const Allocator& alloc) : Core(other, alloc) {}
    constexpr SlotMap(SlotMap&& other, const Allocator& alloc) : Core(std::move(other), alloc) {}
    constexpr SlotMap& operator=(const SlotMap&) = default;
    constexpr SlotMap& operator=(SlotMap&&) = default;
    ~SlotMap() = default;

    /// Removes the element at `it`; returns the next one. @pre it refers to a live element @throws nothing
    constexpr iterator erase(const_iterator it) noexcept {
        SLOTWISE_EXPECT(this->directory_.is_live(it.slot()),
                        "SlotMap::erase(it): the element here was erased, or it is the end");
        auto next = this->store_.cursor_from(this->directory_, it.slot());
        this->do_erase(it.slot());
        this->store_.advance(this->directory_, next);
        return {this, next};
    }

    /// The handle of the element at `address`, null when none of this map lives there. @complexity linear in MiB of values
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr handle_type handle_of(P* address) const noexcept {
        const slot_t slot = this->store_.array().slot_at(address);
        return slot == no_slot ? handle_type() : Core::handle_of(slot);
    }

    /// Calls f(value) or f(handle, value) for every element, in slot order. Full words of 64 slots run as a plain loop, which a
    /// compiler vectorises: the fastest walk. It costs what lives, not what is empty in between. f may erase the element it is
    /// given and may insert.
    template <class F>
    SLOTWISE_ALWAYS_INLINE constexpr void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    SLOTWISE_ALWAYS_INLINE constexpr void for_each(F&& f) const {
        walk(*this, f);
    }

    /// All values by slot. @invalidates itself when the map grows, shrinks or moves
    constexpr ColumnView<T> column() noexcept { return {detail::page_view(this->store_.array()), this->directory_view()}; }
    constexpr ColumnView<const T> column() const noexcept {
        return ColumnView<T>(detail::page_view(this->store_.array()), this->directory_view());
    }
    /// The values as contiguous chunks {first, values, live}: the unit for jobs and SIMD loops.
    constexpr auto chunks() noexcept { return column().chunks(); }
    constexpr auto chunks() const noexcept { return column().chunks(); }

    /// Every slot below the highest one in use, live or not, as one span: only with Growth::reserve. Touch live ones only.
    std::span<T> slot_span() noexcept
        requires(O.growth == Growth::reserve)
    {
        return {this->store_.array().data(), this->directory_.cursor()};
    }

private:
    // Inlined by force: clang finds it too large once it has unrolled a full word, and f's results then go through memory.
    template <class Self, class F>
    SLOTWISE_ALWAYS_INLINE static constexpr void walk(Self& self, F& f) {
        using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
        // The directory's arrays may move when f inserts, so words are read through it; value runs do not move.
        const auto& directory = self.directory_;
        const auto& array = self.store_.array();
        if (self.size() < directory.cursor() / 128) return walk_sparse(self, f); // where the two take the same time
        const auto expect_live = [&](std::size_t slot) {
            SLOTWISE_EXPECT_DEBUG(directory.occupancy().test(slot),
                                  "SlotMap::for_each: f erased an element ahead of the one it was given; walk with iterators");
        };
        if constexpr (detail::scattered<T>) {
            for (std::size_t first = 0; first < directory.cursor(); first += bits::word_bits)
                bits::for_each(directory.occupancy().word(bits::word_of(first)), [&](unsigned i) {
                    const auto slot = static_cast<slot_t>(first + i);
                    expect_live(slot);
                    visit(self, f, slot, static_cast<V&>(*array.ptr(slot)));
                });
            return;
        }
        for (std::size_t r = 0; r < array.run_count(); ++r) {
            const auto run = array.run(r);
            for (std::size_t offset = 0; offset < run.slots; offset += bits::word_bits) {
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
    /// From one live slot to the next, as iterators go: with 10 of 1e6 left, 10 steps.
    template <class Self, class F>
    static constexpr void walk_sparse(Self& self, F& f) {
        using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
        const auto& store = self.store_;
        for (auto c = store.first(self.directory_); c != store.last(self.directory_); store.advance(self.directory_, c))
            visit<Self, F, V>(self, f, store.slot(c), *store.at(c));
    }
    template <class Self, class F, class V>
    SLOTWISE_ALWAYS_INLINE static constexpr void visit(Self& self, F& f, slot_t slot, V& value) {
        if constexpr (std::is_invocable_v<F&, handle_type, V&>)
            f(handle_type(slot, self.directory_.version(slot)), value);
        else
            f(value);
    }
};

SLOTWISE_END

#endif
