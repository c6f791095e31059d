// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMap: the container makes the key. Elements never move and lie in arrays, and a stale handle finds nothing.
#ifndef SLOTWISE_MAP_SLOT_MAP_HPP
#define SLOTWISE_MAP_SLOT_MAP_HPP

#include "../core/call_form.hpp"
#include "paged_store.hpp"
#include "slot_map_arguments.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class T, class... With>
using PagedCore =
    slot_map_core<SlotMap<T, With...>, SlotMapArguments<T, With...>,
                  PagedStore<T, SlotMapArguments<T, With...>::options, typename SlotMapArguments<T, With...>::allocator>>;

} // namespace detail

/// Elements of type T in slots; the map makes the handle. Elements never move: not on growth, erase, or when the map moves.
///
/// Erasing while iterating: iterators survive growth and the erase of any element; ++ from an erased element goes to the next
/// live one, which erase(it) returns. An element inserted meanwhile may be visited, if its slot lies ahead. In for_each, f may
/// erase the element it was given and may insert; it must not erase elements ahead (checked at level debug). Cost: 4.25 bytes
/// an element over the payload. Memory: chunks of up to 1 MiB. Growth copies only versions (Growth::reserve: not even these).
/// @tparam T any object type, also one that can neither be copied nor moved
/// @tparam With in any order: `Column<U>` and static observers (called inline, reached by `column<U>()` and
/// observer<O>(), by number where a type occurs twice), Options<SlotMapOptions{...}>, AllocBy<A>, Tag<X>
template <class T, class... With>
class SlotMap : public detail::PagedCore<T, With...> {
    using Core = detail::PagedCore<T, With...>;
    using Allocator = typename Core::allocator_type;
    static constexpr SlotMapOptions O = Core::options;

    using Core::core_;

public:
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
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "SlotMap::erase(it): the element here was erased, or it is the end");
        auto next = core_.store.cursor_from(core_.directory, it.slot());
        core_.do_erase(it.slot());
        core_.store.advance(core_.directory, next);
        return {this, next};
    }

    /// Removes the element at `address`; false when no element of this map is there. No version is checked.
    /// @throws nothing @complexity linear in MiB of values; O(1) with Growth::reserve
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr bool erase(P* address) noexcept {
        return Core::erase_at(core_.store.array().slot_at(address));
    }

    /// The handle of the element at `address`, null when no element of this map is there. @complexity linear in MiB of values
    template <class P>
        requires std::same_as<std::remove_const_t<P>, T>
    constexpr handle_type handle_of(P* address) const noexcept {
        const slot_t slot = core_.store.array().slot_at(address);
        return slot == no_slot ? handle_type() : Core::handle_at(slot);
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
