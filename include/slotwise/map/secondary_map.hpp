// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryMap: more data for the elements of a slot map, by handle, where many elements have it.
#ifndef SLOTWISE_MAP_SECONDARY_MAP_HPP
#define SLOTWISE_MAP_SECONDARY_MAP_HPP

#include "../memory/sparse_pages.hpp"
#include "../slots/column_view.hpp"
#include "../slots/detail/arguments.hpp"
#include "detail/map_iterator.hpp"
#include "detail/secondary_interface.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A page of a SecondaryMap: the entries of some slots, which are liveness, versions and raw memory for values.
template <class H, class T>
struct SecondaryPage : PageLink<SecondaryPage<H, T>> {
    // A far handle claims one page. 10,000 of them with values of 256 bytes claim 12 MB; pages of 64 slots claimed 167.
    static constexpr unsigned page_slots = sizeof(T) >= 1024 ? 1 : sizeof(T) <= 16 ? 64 : std::bit_floor(1024u / sizeof(T));
    using version_type = typename HandleTraits<H::layout>::version_type;

    bits::word_t live = 0;
    bits::word_t busy = 0;  // a constructor, a destructor or hold() runs there: the place is not vacant
    bits::word_t dying = 0; // dropped, but not destroyed yet
    version_type versions[page_slots] = {};
    alignas(T) std::byte memory[page_slots * sizeof(T)];

    SecondaryPage() noexcept {} // the memory is not initialised
    bool holds(unsigned i) const noexcept { return (live >> i & 1u) != 0; }
    bool in_use(unsigned i) const noexcept { return ((busy | dying) >> i & 1u) != 0; } // although there is no entry
    bool idle() const noexcept { return live == 0 && (busy | dying) == 0; }
    T* address(unsigned i) noexcept { return reinterpret_cast<T*>(memory + i * sizeof(T)); }
    T* value(unsigned i) noexcept { return std::launder(address(i)); }
    H handle(slot_t slot) const noexcept { return H(slot, versions[place(slot)]); }

    /// The number of a slot's page, and the slot's place there.
    static std::uint32_t number(slot_t slot) noexcept { return slot / page_slots; }
    static unsigned place(slot_t slot) noexcept { return slot % page_slots; }
};

/// SparsePages of SecondaryPage, walked. A place is a slot number, or end.
template <class H, class T, class Allocator>
struct SecondaryWalk {
    using Page = SecondaryPage<H, T>;
    using Pages = SparsePages<Page, Allocator>;
    static constexpr std::uint64_t end = std::uint64_t{1} << 33; // beyond every handle's slot

    /// Advances `at` to the first slot with an entry at or after it. Returns its page, or null.
    static Page* next(const Pages& pages, std::uint64_t& at) noexcept {
        const std::uint64_t first = at / Page::page_slots;
        const bits::word_t of_first = bits::full_word << (at % Page::page_slots);
        std::uint64_t page_number = first;
        return pages.next_where(page_number, [&](std::uint64_t number, const Page& page) {
            const bits::word_t rest = page.live & (number == first ? of_first : bits::full_word);
            if (rest == 0) return false;
            at = number * Page::page_slots + bits::lowest(rest);
            return true;
        });
    }
    /// To the last entry before slot `at`. @pre there is one
    static void previous(const Pages& pages, std::uint64_t& at) noexcept {
        std::uint64_t page_number = at / Page::page_slots;
        auto places = static_cast<unsigned>(at % Page::page_slots);
        for (std::uint64_t wanted = page_number; Page* page = pages.previous(page_number); wanted = --page_number) {
            if (page_number != wanted) places = bits::word_bits;
            const bits::word_t before = page->live & bits::low_mask(places);
            if (before != 0) {
                at = page_number * Page::page_slots + bits::highest(before);
                return;
            }
            places = bits::word_bits;
            if (page_number == 0) return;
        }
    }
};

/// A place in a SecondaryMap: slot order, in both directions.
template <class H, class T, class Allocator, bool Const>
class SecondaryIterator
    : public IteratorFacade<SecondaryIterator<H, T, Allocator, Const>, SlotMapItem<H, std::conditional_t<Const, const T&, T&>>,
                            SlotMapItem<H, std::conditional_t<Const, const T&, T&>>, std::bidirectional_iterator_tag> {
    using Item = SlotMapItem<H, std::conditional_t<Const, const T&, T&>>;
    using Facade = IteratorFacade<SecondaryIterator, Item, Item, std::bidirectional_iterator_tag>;
    using Walk = SecondaryWalk<H, T, Allocator>;
    using Pages = typename Walk::Pages;
    using Page = typename Walk::Page;

public:
    SecondaryIterator() noexcept = default;
    /// For the map: at the entry in slot `at`, or at the end; and at the first entry in slot `at` or after it.
    SecondaryIterator(const Pages* pages, std::uint64_t at) noexcept : pages_(pages), next_(at) { remember(); }
    static SecondaryIterator from(const Pages* pages, std::uint64_t at) noexcept { return {pages, place_from(pages, at)}; }
    /// iterator to const_iterator.
    operator SecondaryIterator<H, T, Allocator, true>() const noexcept
        requires(!Const)
    {
        return {pages_, next_};
    }
    friend bool operator==(const SecondaryIterator& a, const SecondaryIterator& b) noexcept { return a.next_ == b.next_; }
    /// The slot of the entry here. @pre not at the end
    slot_t slot() const noexcept { return static_cast<slot_t>(next_); }
    /// Its handle. @pre not at the end
    H handle() const noexcept { return dereference().handle; }

private:
    friend Facade;

    Item dereference() const noexcept {
        const auto slot = static_cast<slot_t>(next_);
        Page* page = pages_->find(Page::number(slot));
        SLOTWISE_EXPECT_DEBUG(page != nullptr && page->holds(Page::place(slot)),
                              "SecondaryMap iterator: the entry here was erased");
        return {page->handle(slot), *page->value(Page::place(slot))};
    }
    // Within a near page that nobody has changed since, a step is one of rest_, two operations long: a step from the place on
    // takes three times as long, and a search from the page table on longer. Each step looks at the page, so that an entry
    // erased ahead is not visited.
    void increment() noexcept {
        const Page* const page = pages_->find_near(next_ / Page::page_slots);
        if (page != nullptr && page->live == seen_) [[likely]] {
            rest_ &= rest_ - 1;
            if (rest_ != 0) [[likely]] {
                next_ = next_ / Page::page_slots * Page::page_slots + bits::lowest(rest_);
                return;
            }
        }
        next_ = place_from(pages_, next_ + 1);
        remember();
    }
    // The entries of the page here, if it is a near one.
    void remember() noexcept {
        seen_ = rest_ = 0;
        if (const Page* const page = pages_->find_near(next_ / Page::page_slots); page != nullptr) {
            seen_ = page->live;
            rest_ = seen_ & bits::full_word << (next_ % Page::page_slots);
        }
    }
    void decrement() noexcept {
        Walk::previous(*pages_, next_);
        remember();
    }
    // Of the first entry in slot `at` or after it, or the end.
    SLOTWISE_NEVER_INLINE static std::uint64_t place_from(const Pages* pages, std::uint64_t at) noexcept {
        return Walk::next(*pages, at) == nullptr ? Walk::end : at;
    }

    const Pages* pages_ = nullptr;
    std::uint64_t next_ = Walk::end; // slot number
    bits::word_t seen_ = 0;          // the entries of its page when the iterator came there
    bits::word_t rest_ = 0;          // those of them from here on
};

/// The pages of a SecondaryMap that have entries, in slot order. @tparam Value T or const T
template <class H, class Value, class Allocator>
class SecondaryChunkIterator
    : public IteratorFacade<SecondaryChunkIterator<H, Value, Allocator>, ColumnChunk<Value>, ColumnChunk<Value>> {
    using Walk = SecondaryWalk<H, std::remove_const_t<Value>, Allocator>;
    using Pages = typename Walk::Pages;
    using Page = typename Walk::Page;

public:
    SecondaryChunkIterator() noexcept = default;
    /// For the map: at the first page with an entry in slot `at` or after it.
    SecondaryChunkIterator(const Pages* pages, std::uint64_t at) noexcept : pages_(pages), at_(at) { skip_to_page(); }
    friend bool operator==(const SecondaryChunkIterator& a, const SecondaryChunkIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<SecondaryChunkIterator, ColumnChunk<Value>, ColumnChunk<Value>>;
    ColumnChunk<Value> dereference() const noexcept {
        const auto first = static_cast<slot_t>(at_);
        Page& page = *pages_->find(Page::number(first));
        return {first, {page.address(0), Page::page_slots}, Occupancy(&page.live, Page::page_slots)};
    }
    void increment() noexcept {
        at_ += Page::page_slots;
        skip_to_page();
    }
    void skip_to_page() noexcept {
        at_ = Walk::next(*pages_, at_) == nullptr ? Walk::end : at_ / Page::page_slots * Page::page_slots;
    }

    const Pages* pages_ = nullptr;
    std::uint64_t at_ = Walk::end; // first slot of the page
};

} // namespace detail

/// Values by the handles of another map, in pages that never move: up to 64 slots, about 1 KiB of values. An empty page is used
/// for other slots, until shrink_to_fit() or clear() frees it. When it is attached to that map (attach_to), it drops an entry
/// when the element is erased.
/// When it is not attached, an entry is found by its own handle only, and a newer handle of the slot replaces it. It refuses
/// null handles, handles that were never live and handles older than the entry in the slot: newer data is never overwritten. It
/// refuses every handle of a slot whose value is being built or destroyed. Attach to maps with Exhaustion::wrap, because their
/// handles have no order.
/// @tparam H the handle type @tparam T any type; addresses of values are stable. The allocator builds it: a T with an allocator
/// (std::pmr::string) gets this map's allocator
/// @tparam With AllocBy<A>
template <class H, class T, class... With>
class SecondaryMap final : public detail::SecondaryInterface<SecondaryMap<H, T, With...>, H, T>,
                           public detail::SlotFollower<SecondaryMap<H, T, With...>> {
    static_assert(AnyHandle<H>, "SecondaryMap<Handle, T>: the first argument is a slot map's handle_type");
    static_assert(Storable<T>, "SecondaryMap<Handle, T>: T must be a non-const object type whose destructor does not throw");
    using Interface = detail::SecondaryInterface<SecondaryMap, H, T>;
    using Follower = detail::SlotFollower<SecondaryMap>;
    friend Interface;
    friend detail::SlotEntries;
    template <class, class...>
    friend class IndexMap;
    using Args = detail::Arguments<detail::with_alloc, detail::NoOptions, T, detail::NoKey, With...>;
    using Allocator = typename Args::allocator;
    using Walk = detail::SecondaryWalk<H, T, Allocator>;
    using Page = typename Walk::Page;
    using Pages = typename Walk::Pages;
    using Operation = typename Follower::Operation;
    using Insertion = typename Follower::Insertion;
    template <class Value>
    using ChunkIterator = detail::SecondaryChunkIterator<H, Value, Allocator>;
    using value_allocator = detail::rebind_t<Allocator, T>;
    using traits = std::allocator_traits<value_allocator>;

public:
    using handle_type = H;
    using size_type = std::size_t;
    using allocator_type = Allocator;
    using iterator = detail::SecondaryIterator<H, T, Allocator, false>;
    using const_iterator = detail::SecondaryIterator<H, T, Allocator, true>;

    SecondaryMap() = default;
    explicit SecondaryMap(const Allocator& alloc) : pages_(alloc) {}
    /// Inserts these pairs. @throws as insert
    SecondaryMap(std::initializer_list<std::pair<H, T>> entries) : SecondaryMap() {
        this->insert(entries.begin(), entries.end());
    }
    /// Copies the entries; a copy is unattached. @throws what the allocator and the copies throw
    SecondaryMap(const SecondaryMap& other)
        : SecondaryMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    SecondaryMap(const SecondaryMap& other, const Allocator& alloc) : pages_(alloc) {
        if constexpr (std::is_copy_constructible_v<T>) {
            ScopeGuard undo([this]() noexcept { clear(); });
            for (const auto [handle, value] : other) do_try_emplace(handle, value);
            undo.dismiss();
        } else
            static_assert(detail::never<T>, "SecondaryMap copy: T cannot be copied; write std::move(map)");
    }
    /// Takes the entries and the attachment.
    SecondaryMap(SecondaryMap&& other) noexcept
        : Follower(std::move(other)), pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {}
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    SecondaryMap(SecondaryMap&& other, const Allocator& alloc) : Follower(std::move(other)), pages_(alloc) {
        if (alloc == other.get_allocator()) { // NOLINT(bugprone-use-after-move): only its attachment was moved
            swap_entries(other);
            return;
        }
        ScopeGuard undo([this]() noexcept { clear(); });
        if constexpr (std::is_move_constructible_v<T>)
            for (auto [handle, value] : other) do_try_emplace(handle, std::move(value));
        else
            SLOTWISE_EXPECT(
                other.empty(),
                "SecondaryMap(SecondaryMap&&, alloc): T cannot move, and the allocators differ; use an equal allocator");
        undo.dismiss();
        other.clear();
    }
    /// Replaces the entries and keeps the attachment.
    SecondaryMap& operator=(const SecondaryMap& other) {
        if (this != &other) Interface::assign_copy(other);
        return *this;
    }
    /// Takes entries and attachment, in place of the ones here.
    SecondaryMap& operator=(SecondaryMap&& other) noexcept(Interface::template nothrow_move<Allocator>) {
        if (this != &other) Interface::assign_move(other);
        return *this;
    }
    ~SecondaryMap() override {
        this->expect_quiescent();
        while (!empty()) clear(); // a destructor may insert
    }
    /// Exchanges entries and attachments.
    void swap(SecondaryMap& other) noexcept(Interface::template nothrow_swap<Allocator>) { Interface::exchange(other); }
    friend void swap(SecondaryMap& a, SecondaryMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    allocator_type get_allocator() const noexcept { return pages_.get_allocator(); }

    /// Removes every entry for which pred(handle, value) or pred(item) holds; returns how many. pred and destructors may change
    /// the map. pred may be called for an entry inserted meanwhile.
    template <class Pred>
    size_type erase_if(Pred pred) {
        size_type erased = 0;
        std::uint64_t at = 0;
        for (Page* page = Walk::next(pages_, at); page != nullptr; page = Walk::next(pages_, ++at)) {
            const H handle = page->handle(static_cast<slot_t>(at));
            hold(*page, handle.index(), [&](T& value) {
                if (!Interface::holds(pred, handle, value) || !contains_slot(handle.index())) return;
                drop_slot(handle.index());
                ++erased;
            });
        }
        return erased;
    }
    /// Frees empty pages: erase keeps them for other entries. @throws nothing @complexity linear in pages
    void shrink_to_fit() noexcept {
        pages_.clear_if([](const Page& each) { return each.idle(); });
    }
    /// Removes all entries and frees the memory. An entry that a destructor inserts meanwhile survives. @throws nothing
    void clear() noexcept {
        pages_.for_each([this](std::uint32_t, Page& page) { drop(page, page.live); });
        destroy_all_dropped();
    }

    /// Pairs of handle and value in slot order. Erasing any entry leaves other iterators valid.
    iterator begin() noexcept { return iterator::from(&pages_, 0); }
    iterator end() noexcept { return iterator(&pages_, Walk::end); }
    const_iterator begin() const noexcept { return const_iterator::from(&pages_, 0); }
    const_iterator end() const noexcept { return const_iterator(&pages_, Walk::end); }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    /// The same walk as a range.
    auto items() noexcept { return detail::IteratorRange<iterator>(begin(), end(), size_); }
    auto items() const noexcept { return detail::IteratorRange<const_iterator>(begin(), end(), size_); }
    /// The values, and the handles, of the same walk.
    auto values() noexcept { return detail::part_range<detail::ValuePart>(begin(), end(), size_); }
    auto values() const noexcept { return detail::part_range<detail::ValuePart>(begin(), end(), size_); }
    auto handles() const noexcept { return detail::part_range<detail::HandlePart>(begin(), end(), size_); }
    /// The entries page by page, for SIMD loops and jobs: a chunk has {first slot, values, mask of live ones}, and touches only
    /// pages that have entries.
    ///     for (auto [first, values, live] : velocities.chunks()) live.for_each([&](slot_t i) { move(first + i, values[i]); });
    /// An entry that is erased leaves the mask at once. A page ends with its last entry.
    auto chunks() noexcept { return chunks_of<T>(); }
    auto chunks() const noexcept { return chunks_of<const T>(); }
    /// Calls f(chunk) for each of them. f may erase entries of its chunk, and insert.
    template <class F>
    void for_each_chunk(F&& f) {
        for (const auto& chunk : chunks()) f(chunk);
    }
    template <class F>
    void for_each_chunk(F&& f) const {
        for (const auto& chunk : chunks()) f(chunk);
    }
    /// The entry of exactly this handle, or end().
    iterator find(H handle) noexcept { return iterator(&pages_, place_of(handle)); }
    const_iterator find(H handle) const noexcept { return const_iterator(&pages_, place_of(handle)); }
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
        size_type live = 0, empty = 0;
        bool sound = true;
        pages_.for_each([&](std::uint32_t, const Page& page) {
            live += bits::count(page.live);
            sound = sound && (page.live & page.dying) == 0;
            empty += page.idle();
            bits::for_each(page.live, [&](unsigned i) { sound = sound && (page.versions[i] & 1u) != 0; });
        });
        return sound && live == size_ && empty <= Pages::kept;
    }

private:
    template <class Value>
    auto chunks_of() const noexcept {
        std::size_t pages = 0;
        pages_.for_each([&](std::uint32_t, const Page& page) { pages += page.live != 0; });
        using It = ChunkIterator<Value>;
        return detail::IteratorRange<It>(It(&pages_, 0), It(&pages_, Walk::end), pages);
    }
    InsertResult<iterator> result(H handle, std::pair<T*, bool> of) noexcept {
        return {iterator(&pages_, of.first != nullptr ? handle.index() : Walk::end), of.second};
    }
    template <class... Args>
    std::pair<T*, bool> do_try_emplace(H handle, Args&&... args) {
        if (detail::never_live(handle)) return {nullptr, false};
        Page* page = pages_.find(number(handle.index()));
        const unsigned i = place(handle.index());
        if (page != nullptr && page->holds(i)) {
            if (page->versions[i] == handle.version()) return {page->value(i), false};
            if (page->versions[i] > handle.version()) return {nullptr, false};
            return replace(handle, std::forward<Args>(args)...);
        }
        if (page == nullptr)
            page = &pages_.make(number(handle.index()));
        else if (page->in_use(i))
            return {nullptr, false};
        T* const value = do_emplace(*page, handle, std::forward<Args>(args)...);
        return {value, value != nullptr};
    }
    static std::uint32_t number(slot_t slot) noexcept { return Page::number(slot); }
    static unsigned place(slot_t slot) noexcept { return Page::place(slot); }

    std::uint64_t place_of(H handle) const noexcept { return do_get(handle) == nullptr ? Walk::end : handle.index(); }
    T* do_get(H handle) const noexcept {
        Page* page = pages_.find(number(handle.index()));
        const unsigned i = place(handle.index());
        return page != nullptr && page->holds(i) && page->versions[i] == handle.version() ? page->value(i) : nullptr;
    }
    T* find_slot(slot_t slot) const noexcept {
        Page* page = pages_.find(number(slot));
        return page != nullptr && page->holds(place(slot)) ? page->value(place(slot)) : nullptr;
    }
    bool contains_slot(slot_t slot) const noexcept { return find_slot(slot) != nullptr; }
    std::uint32_t version_in(slot_t slot) const noexcept {
        return contains_slot(slot) ? pages_.find(number(slot))->versions[place(slot)] : 0u; // 0: there is no value
    }
    template <class... Args>
    void construct(Page& page, unsigned i, Args&&... args) {
        value_allocator alloc(pages_.get_allocator());
        traits::construct(alloc, page.address(i), std::forward<Args>(args)...);
    }
    void destroy(Page& page, unsigned i) noexcept {
        value_allocator alloc(pages_.get_allocator());
        traits::destroy(alloc, page.value(i));
    }
    /// Builds the value in a vacant place of the slot's page. Null when the element was erased meanwhile.
    template <class... Args>
    T* do_emplace(Page& page, H handle, Args&&... args) {
        const unsigned i = place(handle.index());
        if constexpr (std::is_trivially_constructible_v<T, Args...>) { // calls no user code
            construct(page, i, std::forward<Args>(args)...);
        } else {
            const Insertion running(*this, handle.index());
            const bits::word_t others = page.busy; // operations that run meanwhile end before and restore it, see Operation
            page.busy = others | bits::bit_of(i);
            ScopeGuard vacate([&]() noexcept { end_work(page, handle.index()); });
            construct(page, i, std::forward<Args>(args)...);
            if (running.element_erased()) [[unlikely]] {
                destroy(page, i);
                return nullptr;
            }
            vacate.dismiss();
            page.busy = others;
        }
        page.versions[i] = static_cast<typename Page::version_type>(handle.version());
        page.live |= bits::bit_of(i);
        ++size_;
        return page.value(i);
    }
    /// try_emplace for a slot with an older entry. The new value is built apart, because it may be built from the old one.
    template <class... Args>
    SLOTWISE_NEVER_INLINE std::pair<T*, bool> replace(H handle, Args&&... args) {
        if constexpr (std::is_move_constructible_v<T>) {
            bool done = false;
            {
                const Insertion running(*this, handle.index());
                detail::TemporaryValue<T, Allocator> value(pages_.get_allocator(), std::forward<Args>(args)...);
                done = !running.element_erased() && exchange(running, handle, *value);
            }
            T* const value = do_get(handle);
            return {value, done && value != nullptr};
        } else {
            drop_slot(handle.index());
            return do_try_emplace(
                handle,
                std::forward<Args>(args)...); // once: no insert succeeds in a place whose value is being destroyed
        }
    }
    bool exchange(const Insertion& running, H handle, T& by) {
        const slot_t slot = handle.index();
        const unsigned i = place(slot);
        Page* page = pages_.find(number(slot));
        if (page == nullptr) page = &pages_.make(number(slot));
        if ((page->busy | page->dying) & bits::bit_of(i)) return false;
        if (!page->holds(i)) return do_emplace(*page, handle, std::move(by)) != nullptr;
        if (page->versions[i] >= handle.version()) return false;
        if constexpr (std::is_nothrow_move_constructible_v<T>) {
            page->live &= ~bits::bit_of(i);
            page->busy |= bits::bit_of(i);
            --size_;
            destroy(*page, i);
            ScopeGuard vacate([&]() noexcept { end_work(*page, slot); });
            if (running.element_erased()) return false;
            construct(*page, i, std::move(by));
            vacate.dismiss();
            page->busy &= ~bits::bit_of(i);
            page->live |= bits::bit_of(i);
            ++size_;
        } else {
            bool dropped = false;
            hold(*page, slot, [&](T& value) {
                value = std::move(by);
                dropped = !page->holds(i);
            });
            if (dropped) return false;
        }
        page->versions[i] = static_cast<typename Page::version_type>(handle.version());
        return true;
    }
    /// Calls f(value) of the entry in `slot`. The value lives while f runs, even if the entry is dropped meanwhile.
    template <class F>
    void hold(Page& page, slot_t slot, F&& f) {
        const bits::word_t bit = bits::bit_of(place(slot));
        const bool held = (page.busy & bit) != 0; // by an enclosing operation, which then destroys it
        page.busy |= bit;
        const Operation running(*this);
        ScopeGuard end([&]() noexcept {
            if (held) return;
            if (!page.holds(place(slot))) destroy(page, place(slot));
            end_work(page, slot);
        });
        f(*page.value(place(slot)));
    }
    // The operation on the slot's place is over.
    void end_work(Page& page, slot_t slot) noexcept {
        page.busy &= ~bits::bit_of(place(slot));
        if (page.idle()) emptied(page, slot);
    }
    void emptied(Page& page, slot_t slot) noexcept {
        pages_.emptied(number(slot), page, [](const Page& each) { return each.idle(); });
    }
    SLOTWISE_CONVERSIONS_BEGIN
    template <class U>
    void assign(H handle, U&& value) {
        hold(*pages_.find(number(handle.index())), handle.index(),
             [&](T& there) { detail::assign_whole(there, std::forward<U>(value)); });
    }
    SLOTWISE_CONVERSIONS_END
    void take(H handle, std::optional<T>& result) {
        hold(*pages_.find(number(handle.index())), handle.index(), [&](T& there) {
            result.emplace(std::move(there));
            drop_slot(handle.index());
        });
    }

    void drop_slot(slot_t slot) noexcept {
        Page* const page = pages_.find(number(slot));
        if (page != nullptr && page->holds(place(slot))) drop_place(*page, slot);
    }
    bool drop(H handle) noexcept {
        Page* const page = pages_.find(number(handle.index()));
        const unsigned i = place(handle.index());
        if (page == nullptr || !page->holds(i) || page->versions[i] != handle.version()) return false;
        drop_place(*page, handle.index());
        return true;
    }
    void drop_place(Page& page, slot_t slot) noexcept {
        const bits::word_t bit = bits::bit_of(place(slot));
        page.live &= ~bit;
        --size_;
        if constexpr (!std::is_trivially_destructible_v<T>) {
            const bits::word_t others = page.busy;
            if ((others & bit) != 0) return; // the operation that holds it destroys it
            const Operation running(*this);
            page.busy = others | bit;
            destroy(page, place(slot));
            page.busy = others;
        }
        if (page.idle()) emptied(page, slot);
    }
    /// First removes all these entries, then destroys their values.
    void drop_slots(Occupancy cleared) noexcept {
        pages_.for_each([&](std::uint32_t page_number, Page& page) {
            const std::size_t first = std::size_t{page_number} * Page::page_slots;
            if (first < cleared.size()) drop(page, cleared.word(bits::word_of(first)) >> (first % bits::word_bits));
        });
        destroy_all_dropped();
    }
    void drop(Page& page, bits::word_t places) noexcept {
        places &= page.live;
        size_ -= bits::count(places);
        page.live &= ~places;
        if constexpr (!std::is_trivially_destructible_v<T>) page.dying |= places & ~page.busy;
    }
    // Destroys the dropped values of the page. The page stays meanwhile.
    void destroy_dropped(Page& page) noexcept {
        const Operation running(*this);
        while (page.dying != 0) {
            const unsigned i = bits::lowest(page.dying);
            page.dying &= ~bits::bit_of(i);
            page.busy |= bits::bit_of(i);
            destroy(page, i);
            page.busy &= ~bits::bit_of(i);
        }
    }
    void destroy_all_dropped() noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            std::uint64_t page_number = 0;
            for (Page* page = pages_.next(page_number); page != nullptr; page = pages_.next(++page_number))
                destroy_dropped(*page);
        }
        shrink_to_fit();
    }
    void swap_entries(SecondaryMap& other) noexcept {
        pages_.swap(other.pages_);
        std::swap(size_, other.size_);
    }

    size_type held() const noexcept { return pages_.memory_usage(); }

    Pages pages_{};
    size_type size_ = 0;
};

SLOTWISE_END

#endif
