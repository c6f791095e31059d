// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryMap: more data for the elements of a slot map, by handle, where many elements have it.
#ifndef SLOTWISE_MAP_SECONDARY_MAP_HPP
#define SLOTWISE_MAP_SECONDARY_MAP_HPP

#include "../memory/sparse_pages.hpp"
#include "map_iterator.hpp"
#include "secondary_face.hpp"

SLOTWISE_BEGIN

/// Values by the handles of another map, in pages of 64 slots that never move. Attached to that map (attach_to) it drops an entry
/// when the element goes; unattached, an entry answers to its own handle only and is replaced by a newer one of the slot.
/// A null handle, one that was never live, and one older than the entry in its slot are refused: newer data is never overwritten.
/// Maps with Exhaustion::wrap have no "older": attach to them.
/// @tparam H the handle type @tparam T any type; addresses of values are stable
template <class H, class T, class Allocator>
class SecondaryMap final : public detail::SecondaryFace<SecondaryMap<H, T, Allocator>, H, T> {
    static_assert(AnyHandle<H>, "SecondaryMap<Handle, T>: the first argument is a slot map's handle_type");
    static_assert(Storable<T>, "SecondaryMap<Handle, T>: T must be a non-const object type whose destructor does not throw");
    using Face = detail::SecondaryFace<SecondaryMap, H, T>;
    friend Face;
    friend detail::SlotFollower<SecondaryMap>;
    template <class, class, class, class, class>
    friend class IdentityMap;
    struct Page;
    using Pages = detail::SparsePages<Page, Allocator>;

public:
    using size_type = std::size_t;
    using allocator_type = Allocator;
    template <bool Const>
    class basic_iterator;
    using iterator = basic_iterator<false>;
    using const_iterator = basic_iterator<true>;

    SecondaryMap() = default;
    explicit SecondaryMap(const Allocator& alloc) : pages_(alloc) {}
    /// Copies the entries; a copy is unattached. @throws what the allocator and the copies throw
    SecondaryMap(const SecondaryMap& other)
        : SecondaryMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    SecondaryMap(const SecondaryMap& other, const Allocator& alloc) : pages_(alloc) {
        ScopeGuard undo([this]() noexcept { clear(); });
        for (const auto [handle, value] : other) try_emplace(handle, value);
        undo.dismiss();
    }
    /// Takes the entries and the attachment.
    SecondaryMap(SecondaryMap&& other) noexcept
        : Face(std::move(other)), pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    SecondaryMap(SecondaryMap&& other, const Allocator& alloc) : Face(std::move(other)), pages_(alloc) {
        if (alloc == other.get_allocator()) { // NOLINT(bugprone-use-after-move): only its attachment was moved
            swap_entries(other);
            return;
        }
        ScopeGuard undo([this]() noexcept { clear(); });
        if constexpr (std::is_move_constructible_v<T>)
            for (auto [handle, value] : other) try_emplace(handle, std::move(value));
        else
            SLOTWISE_EXPECT(other.empty(), "SecondaryMap: values that cannot move cannot be moved to an unequal allocator");
        undo.dismiss();
        other.clear();
    }
    /// Replaces the entries; the attachment stays.
    SecondaryMap& operator=(const SecondaryMap& other) {
        if (this != &other) Face::assign_copy(other);
        return *this;
    }
    /// Takes entries and attachment; the ones here go.
    SecondaryMap& operator=(SecondaryMap&& other) noexcept(Face::template nothrow_move<Allocator>) {
        if (this != &other) Face::assign_move(other);
        return *this;
    }
    ~SecondaryMap() { clear(); }
    /// Exchanges entries and attachments.
    void swap(SecondaryMap& other) noexcept(Face::template nothrow_swap<Allocator>) { Face::exchange(other); }
    friend void swap(SecondaryMap& a, SecondaryMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    allocator_type get_allocator() const noexcept { return pages_.get_allocator(); }

    /// Builds a value for `handle` unless it has one. Returns {value, true}; {value, false} when it has one; {null, false} when
    /// the handle is refused. An entry of an older handle of the slot is replaced.
    /// @throws what the allocator and T throw; strong, but an older entry is then as T's move assignment left it, and gone if T cannot move
    /// @complexity O(1); a page of 64 at the first touch
    template <class... Args>
    std::pair<T*, bool> try_emplace(H handle, Args&&... args) {
        if ((handle.version() & 1u) == 0) return {nullptr, false};
        if (Page* page = pages_.find(number(handle.index())); page != nullptr && page->holds(place(handle.index()))) {
            const std::uint32_t there = page->versions[place(handle.index())];
            if (there == handle.version()) return {page->value(place(handle.index())), false};
            if (there > handle.version()) return {nullptr, false};
            // The new value may be built from the old one: build it aside, then exchange.
            if constexpr (std::is_move_constructible_v<T>) {
                T value(std::forward<Args>(args)...);
                return {page->replace(place(handle.index()), handle.version(), std::move(value)), true};
            } else {
                drop_slot(handle.index());
            }
        }
        Page& page = pages_.make(number(handle.index()));
        T* value = page.construct(place(handle.index()), handle.version(), std::forward<Args>(args)...);
        ++size_;
        return {value, true};
    }
    /// Removes every entry for which pred(handle, value) holds; returns how many.
    template <class Pred>
    size_type erase_if(Pred pred) {
        const size_type before = size_;
        pages_.for_each([&](std::uint32_t page_number, Page& page) {
            bits::for_each(page.live, [&](unsigned i) {
                if (pred(page.handle(page_number, i), *page.value(i))) drop_slot(page.slot(page_number, i));
            });
        });
        return before - size_;
    }
    /// Removes everything and gives the memory back. @throws nothing
    void clear() noexcept {
        pages_.for_each([this](std::uint32_t, Page& page) {
            bits::for_each(page.live, [&](unsigned i) {
                page.destroy(i);
                --size_;
            });
        });
        pages_.clear();
    }

    /// Pairs of handle and value in slot order. Erasing any entry leaves other iterators valid.
    iterator begin() noexcept { return iterator(&pages_); }
    iterator end() noexcept { return iterator(); }
    const_iterator begin() const noexcept { return const_iterator(&pages_); }
    const_iterator end() const noexcept { return const_iterator(); }
    /// Calls f(handle, value) in slot order. f may erase the entry it is given.
    template <class F>
    void for_each(F&& f) {
        for (auto [handle, value] : *this) f(handle, value);
    }
    template <class F>
    void for_each(F&& f) const {
        for (auto [handle, value] : *this) f(handle, value);
    }

    /// Equal when the same handles have equal values.
    friend bool operator==(const SecondaryMap& a, const SecondaryMap& b) {
        if (a.size() != b.size()) return false;
        for (const auto [handle, value] : a)
            if (const T* other = b.get(handle); other == nullptr || !(*other == value)) return false;
        return true;
    }
    /// Whether counts and bits agree; for tests.
    bool check_invariants() const noexcept {
        size_type live = 0;
        bool sound = true;
        pages_.for_each([&](std::uint32_t, const Page& page) {
            live += bits::count(page.live);
            bits::for_each(page.live, [&](unsigned i) { sound = sound && (page.versions[i] & 1u) != 0; });
        });
        return sound && live == size_;
    }

private:
    static std::uint32_t number(slot_t slot) noexcept { return slot / bits::word_bits; }
    static unsigned place(slot_t slot) noexcept { return slot % bits::word_bits; }

    T* find(H handle) const noexcept {
        Page* page = pages_.find(number(handle.index()));
        const unsigned i = place(handle.index());
        return page != nullptr && page->holds(i) && page->versions[i] == handle.version() ? page->value(i) : nullptr;
    }
    T* find_slot(slot_t slot) const noexcept {
        Page* page = pages_.find(number(slot));
        return page != nullptr && page->holds(place(slot)) ? page->value(place(slot)) : nullptr;
    }
    void drop_slot(slot_t slot) noexcept {
        Page* page = pages_.find(number(slot));
        if (page == nullptr || !page->holds(place(slot))) return;
        --size_;
        page->destroy(place(slot));
    }
    void swap_entries(SecondaryMap& other) noexcept {
        pages_.swap(other.pages_);
        std::swap(size_, other.size_);
    }

    Pages pages_{};
    size_type size_ = 0;
};

/// 64 entries: liveness, versions, raw memory for values.
template <class H, class T, class Allocator>
struct SecondaryMap<H, T, Allocator>::Page {
    bits::word_t live = 0;
    typename detail::HandleTraits<H::layout>::version_type versions[bits::word_bits] = {};
    alignas(T) std::byte memory[bits::word_bits * sizeof(T)];

    Page() noexcept {} // the memory stays as it is
    bool holds(unsigned i) const noexcept { return (live >> i & 1u) != 0; }
    T* value(unsigned i) noexcept { return std::launder(reinterpret_cast<T*>(memory + i * sizeof(T))); }
    slot_t slot(std::uint32_t page_number, unsigned i) const noexcept { return page_number * bits::word_bits + i; }
    H handle(std::uint32_t page_number, unsigned i) const noexcept { return H(slot(page_number, i), versions[i]); }

    template <class... Args>
    T* construct(unsigned i, std::uint32_t version, Args&&... args) {
        T* value = ::new (static_cast<void*>(memory + i * sizeof(T))) T(std::forward<Args>(args)...);
        versions[i] = static_cast<std::remove_reference_t<decltype(versions[i])>>(version);
        live |= bits::word_t{1} << i;
        return value;
    }
    void destroy(unsigned i) noexcept {
        live &= ~(bits::word_t{1} << i);
        std::destroy_at(value(i));
    }
    T* replace(unsigned i, std::uint32_t version, T&& by) {
        if constexpr (std::is_nothrow_move_constructible_v<T>) {
            destroy(i);
            return construct(i, version, std::move(by));
        } else {
            *value(i) = std::move(by);
            versions[i] = static_cast<std::remove_reference_t<decltype(versions[i])>>(version);
            return value(i);
        }
    }
};

template <class H, class T, class Allocator>
template <bool Const>
class SecondaryMap<H, T, Allocator>::basic_iterator
    : public detail::IteratorFacade<basic_iterator<Const>, SlotMapItem<H, std::conditional_t<Const, const T&, T&>>,
                                    SlotMapItem<H, std::conditional_t<Const, const T&, T&>>> {
    using Item = SlotMapItem<H, std::conditional_t<Const, const T&, T&>>;

public:
    basic_iterator() noexcept = default;
    friend bool operator==(const basic_iterator& a, const basic_iterator& b) noexcept { return a.next_ == b.next_; }

private:
    friend SecondaryMap;
    friend detail::IteratorFacade<basic_iterator, Item, Item>;
    static constexpr std::uint64_t end = std::uint64_t{1} << 33;

    explicit basic_iterator(const Pages* pages) noexcept : pages_(pages), next_(0) { settle(); }
    Item dereference() const noexcept {
        const auto page_number = static_cast<std::uint32_t>(next_ / bits::word_bits);
        Page* page = pages_->find(page_number);
        const auto i = static_cast<unsigned>(next_ % bits::word_bits);
        return {page->handle(page_number, i), *page->value(i)};
    }
    void increment() noexcept {
        ++next_;
        settle();
    }
    // To the first live entry at or after next_.
    void settle() noexcept {
        std::uint64_t page_number = next_ / bits::word_bits;
        auto place = static_cast<unsigned>(next_ % bits::word_bits);
        for (std::uint64_t wanted = page_number; Page* page = pages_->next(page_number); wanted = ++page_number, place = 0) {
            if (page_number != wanted) place = 0;
            const bits::word_t rest = page->live & (bits::full_word << place);
            if (rest == 0) continue;
            next_ = page_number * bits::word_bits + bits::lowest(rest);
            return;
        }
        next_ = end;
    }

    const Pages* pages_ = nullptr;
    std::uint64_t next_ = end; // slot number
};

SLOTWISE_END

#endif
