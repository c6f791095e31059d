// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseSecondaryMap: more data for a few elements of a slot map, packed, so that a walk visits only these.
#ifndef SLOTWISE_MAP_SPARSE_SECONDARY_MAP_HPP
#define SLOTWISE_MAP_SPARSE_SECONDARY_MAP_HPP

#include "../memory/aligned_array.hpp"
#include "../memory/sparse_pages.hpp"
#include "../slots/detail/arguments.hpp"
#include "detail/map_iterator.hpp"
#include "detail/secondary_interface.hpp"

#include <span>

SLOTWISE_BEGIN

/// Values by the handles of another map, packed in one array, with index pages of 256 slots (4 bytes each) where there are
/// entries; both stay for other entries until shrink_to_fit() or clear() frees them. Attachment and refused handles are as in
/// SecondaryMap. Erase moves the last value into the gap, growth all.
/// @tparam H the handle type @tparam T nothrow movable. The allocator builds it. Its moves, and the destructor of a moved-from
/// T, must not change the map (checked at level fast)
template <class H, class T, class... With>
class SparseSecondaryMap final : public detail::SecondaryInterface<SparseSecondaryMap<H, T, With...>, H, T>,
                                 public detail::SlotFollower<SparseSecondaryMap<H, T, With...>> {
    static_assert(AnyHandle<H>, "SparseSecondaryMap<Handle, T>: the first argument is a slot map's handle_type");
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "SparseSecondaryMap<Handle, T>: T's moves must be noexcept, because values are packed; use SecondaryMap");
    using Interface = detail::SecondaryInterface<SparseSecondaryMap, H, T>;
    using Follower = detail::SlotFollower<SparseSecondaryMap>;
    friend Interface;
    friend detail::SlotEntries;
    using Args = detail::Arguments<detail::with_alloc, detail::NoOptions, T, detail::NoKey, With...>;
    using Allocator = typename Args::allocator;
    using Operation = typename Follower::Operation;
    using Insertion = typename Follower::Insertion;
    static constexpr unsigned page_slots = 256;
    static constexpr bool trivial = std::is_trivially_copyable_v<T>; // moves and destruction call no user code
    struct Page : detail::PageLink<Page> {
        slot_t row[page_slots]; // no_slot: no entry
        unsigned used = 0;
        Page() noexcept {
            for (auto& r : row) r = no_slot;
        }
    };
    using Index = detail::SparsePages<Page, Allocator>;
    class Building;

public:
    using handle_type = H;
    using size_type = std::size_t;
    using allocator_type = Allocator;
    template <bool Const>
    class basic_iterator;
    using iterator = basic_iterator<false>;
    using const_iterator = basic_iterator<true>;

    SparseSecondaryMap() = default;
    explicit SparseSecondaryMap(const Allocator& alloc) : index_(alloc), values_(alloc), handles_(alloc) {}
    /// Inserts these pairs. @throws as insert
    SparseSecondaryMap(std::initializer_list<std::pair<H, T>> list) : SparseSecondaryMap() { this->insert_range(list); }
    /// Copies the entries; a copy is unattached. @throws what the allocator and the copies throw
    SparseSecondaryMap(const SparseSecondaryMap& other)
        : SparseSecondaryMap(other,
                             std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    SparseSecondaryMap(const SparseSecondaryMap& other, const Allocator& alloc) : SparseSecondaryMap(alloc) {
        ScopeGuard undo([this]() noexcept { clear(); });
        for (size_type row = 0; row != other.size_; ++row)
            do_try_emplace(other.handles_[row], std::as_const(other.values_[row]));
        undo.dismiss();
    }
    /// Takes the entries and the attachment.
    SparseSecondaryMap(SparseSecondaryMap&& other) noexcept
        : Follower(std::move(other)), index_(std::move(other.index_)), values_(std::move(other.values_)),
          handles_(std::move(other.handles_)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    SparseSecondaryMap(SparseSecondaryMap&& other, const Allocator& alloc)
        : Follower(std::move(other)), index_(alloc), values_(alloc), handles_(alloc) {
        if (alloc == other.get_allocator()) { // NOLINT(bugprone-use-after-move): only its attachment was moved
            swap_entries(other);
            return;
        }
        ScopeGuard undo([this]() noexcept { clear(); });
        for (size_type row = 0; row != other.size_; ++row) do_try_emplace(other.handles_[row], std::move(other.values_[row]));
        undo.dismiss();
        other.clear();
    }
    /// Replaces the entries and keeps the attachment.
    SparseSecondaryMap& operator=(const SparseSecondaryMap& other) {
        if (this != &other) Interface::assign_copy(other);
        return *this;
    }
    /// Takes entries and attachment, in place of the ones here.
    SparseSecondaryMap& operator=(SparseSecondaryMap&& other) noexcept(Interface::template nothrow_move<Allocator>) {
        if (this != &other) Interface::assign_move(other);
        return *this;
    }
    ~SparseSecondaryMap() override {
        this->expect_quiescent();
        while (!empty()) clear(); // a destructor may insert
    }
    /// Exchanges entries and attachments.
    void swap(SparseSecondaryMap& other) noexcept(Interface::template nothrow_swap<Allocator>) { Interface::exchange(other); }
    friend void swap(SparseSecondaryMap& a, SparseSecondaryMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    allocator_type get_allocator() const noexcept { return index_.get_allocator(); }

    /// Removes every entry for which pred(handle, value) or pred(item) holds; returns how many. Destructors may change the map.
    /// pred may then be called again for an entry, and for an entry inserted meanwhile.
    template <class Pred>
    size_type erase_if(Pred pred) {
        size_type erased = 0;
        for (size_type row = size_; row-- != 0;) {
            if (row >= size_) continue;
            const H handle = handles_[row];
            if (!Interface::holds(pred, handle, values_[row]) || !this->contains(handle)) continue;
            drop_slot(handle.index());
            ++erased;
        }
        return erased;
    }
    /// Frees memory that no entry needs: erase keeps it for other entries. No effect while a value is built in the map.
    /// @throws what the allocator throws; strong @invalidates values() and iterators
    void shrink_to_fit() {
        if (building_ != nullptr) return; // it has its page and its row
        if (size_ != values_.capacity()) {
            const Packing moving(*this);
            resize(size_);
        }
        index_.clear_if([](const Page& page) { return page.used == 0; });
    }
    /// Removes all entries and frees the memory. An entry that a destructor inserts meanwhile survives. @throws nothing
    void clear() noexcept {
        expect_packed();
        const Operation running(*this);
        AlignedArray<T, Allocator> values(get_allocator());
        values.swap(values_); // the map is empty before a destructor runs
        const size_type count = std::exchange(size_, 0);
        room_ = 0;
        index_.clear();
        handles_.free();
        Building* const building = std::exchange(building_, nullptr);
        values.destroy(0, count);
        if (building != nullptr) building->take(values);
    }

    /// Packed values and their handles, row by row. @invalidates themselves on insert and erase
    std::span<T> values() noexcept { return {values_.data(), size_}; }
    std::span<const T> values() const noexcept { return {values_.data(), size_}; }
    /// The handle of each of values(), as long as those are valid.
    std::span<const H> handles() const noexcept { return {handles_.data(), size_}; }
    /// Pairs of handle and value in row order. @invalidates themselves on erase: another row is then where they are
    iterator begin() noexcept { return {this, 0}; }
    iterator end() noexcept { return {this, size_}; }
    const_iterator begin() const noexcept { return {this, 0}; }
    const_iterator end() const noexcept { return {this, size_}; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    /// The same walk as a range.
    auto items() noexcept { return detail::IteratorRange<iterator>(begin(), end(), size_); }
    auto items() const noexcept { return detail::IteratorRange<const_iterator>(begin(), end(), size_); }
    /// The entry of exactly this handle, or end().
    iterator find(H handle) noexcept { return {this, row_or_end(handle)}; }
    const_iterator find(H handle) const noexcept { return {this, row_or_end(handle)}; }
    /// Calls f(handle, value) in row order. f must not change the map (level debug detects inserts and erases).
    template <class F>
    void for_each(F&& f) {
        walk(*this, f);
    }
    template <class F>
    void for_each(F&& f) const {
        walk(*this, f);
    }

    /// Equal when the same handles have equal values.
    friend bool operator==(const SparseSecondaryMap& a, const SparseSecondaryMap& b) {
        if (a.size_ != b.size_) return false;
        for (size_type row = 0; row != a.size_; ++row)
            if (const T* other = b.get(a.handles_[row]); other == nullptr || !(*other == a.values_[row])) return false;
        return true;
    }
    /// Whether index and rows agree; for tests.
    bool check_invariants() const noexcept {
        size_type indexed = 0, empty = 0;
        bool sound = true;
        index_.for_each([&](std::uint32_t, const Page& page) {
            unsigned used = 0;
            for (const slot_t row : page.row) used += row != no_slot;
            sound = sound && used == page.used;
            empty += used == 0;
            indexed += used;
        });
        for (size_type row = 0; row != size_; ++row)
            if (row_of(handles_[row].index()) != row || detail::never_live(handles_[row])) return false;
        return sound && empty <= Index::kept && indexed == size_ && size_ <= values_.capacity() &&
               room_ == (building_ == nullptr ? values_.capacity() : 0);
    }

private:
    InsertResult<iterator> result(H, std::pair<T*, bool> of) noexcept {
        return {iterator(this, of.first != nullptr ? static_cast<size_type>(of.first - values_.data()) : size_), of.second};
    }
    template <class... Args>
    std::pair<T*, bool> do_try_emplace(H handle, Args&&... args) {
        if (detail::never_live(handle)) return {nullptr, false};
        Page* const page = index_.find(handle.index() / page_slots);
        if (page != nullptr) {
            const slot_t row = page->row[handle.index() % page_slots];
            if (row == no_slot) {
                if (size_ < room_) [[likely]]
                    return append_in_place(*page, handle, std::forward<Args>(args)...);
            } else if (handles_[row].version() >= handle.version()) {
                return {handles_[row].version() == handle.version() ? values_.data() + row : nullptr, false};
            }
        }
        return emplace_temporary(handle, std::forward<Args>(args)...);
    }
    template <class Self, class F>
    static void walk(Self& self, F& f) {
        using V = std::conditional_t<std::is_const_v<Self>, const T, T>;
        [[maybe_unused]] const size_type count = self.size_;
        [[maybe_unused]] const H* const rows = self.handles_.data();
        for (size_type row = 0; row < self.size_; ++row) { // less, not unequal: f may have erased although it must not
            f(std::as_const(self.handles_[row]), static_cast<V&>(self.values_[row]));
            SLOTWISE_EXPECT_DEBUG(
                self.size_ == count && self.handles_.data() == rows,
                "SparseSecondaryMap::for_each: f changed the map, so the rows have moved; collect the handles first");
        }
    }
    slot_t row_of(slot_t slot) const noexcept {
        const Page* page = index_.find(slot / page_slots);
        return page == nullptr ? no_slot : page->row[slot % page_slots];
    }
    std::uint32_t version_in(slot_t slot) const noexcept {
        return row_of(slot) == no_slot ? 0u : handles_[row_of(slot)].version();
    }
    size_type row_or_end(H handle) const noexcept { return do_get(handle) == nullptr ? size_ : row_of(handle.index()); }
    T* do_get(H handle) const noexcept {
        const slot_t row = row_of(handle.index());
        return row != no_slot && handles_[row].version() == handle.version() ? values_.data() + row : nullptr;
    }
    /// The row of the value, or no_slot if the slot keeps its entry.
    slot_t do_emplace(H handle, T& value) {
        const slot_t row = row_of(handle.index());
        if (row == no_slot) return append(handle, value);
        // An older entry, or an entry that the value's constructor inserted.
        return handles_[row].version() >= handle.version() ? no_slot : replace(row, handle, value);
    }
    slot_t append(H handle, T& value) {
        Packing moving(*this);
        Page& page = index_.make(handle.index() / page_slots);
        ScopeGuard undo([&]() noexcept {
            if (page.used == 0) emptied(page, handle.index());
        });
        if (size_ >= room_) grow();
        values_.construct(size_, std::move(value));
        undo.dismiss();
        return finish_emplace(page, handle);
    }
    // The value behind the last row becomes an entry.
    slot_t finish_emplace(Page& page, H handle) noexcept {
        handles_[size_] = handle.with_user_bits(0);
        ++page.used;
        return page.row[handle.index() % page_slots] = static_cast<slot_t>(size_++);
    }
    // For inserts without growth.
    template <class... Args>
    std::pair<T*, bool> append_in_place(Page& page, H handle, Args&&... args) {
        if constexpr (std::is_trivially_constructible_v<T, Args...>) { // calls no user code
            values_.construct(size_, std::forward<Args>(args)...);
        } else {
            Building running(*this, handle.index());
            ScopeGuard undo([&]() noexcept { running.end(); });
            values_.construct(running.row(), std::forward<Args>(args)...);
            if (running.map_changed() || size_ != running.row()) [[unlikely]]
                return finish_disturbed_emplace(running, handle);
            undo.dismiss();
            building_ = nullptr;
            room_ = values_.capacity();
        }
        return {values_.data() + finish_emplace(page, handle), true};
    }
    // The value's constructor has changed the map: the value is inserted as if it had been built apart.
    SLOTWISE_COLD std::pair<T*, bool> finish_disturbed_emplace(Building& running, H handle) {
        bool done = false;
        {
            std::optional<AlignedArray<T, Allocator>>& separate = running.memory();
            AlignedArray<T, Allocator>& values = separate.has_value() ? *separate : values_;
            Packing moving(*this);
            detail::TemporaryValue<T, Allocator> value(get_allocator(), std::move(values[running.row()]));
            values.destroy(running.row(), running.row() + 1);
            moving.end();
            running.end();
            done = !running.element_erased() && do_emplace(handle, *value) != no_slot;
        }
        T* const value = do_get(handle); // not earlier, because a destructor has run since
        // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape): the destructor of `running` takes its address out
        return {value, done && value != nullptr};
    }
    // For inserts that need a page or more rows, or replace an older entry. The value is built apart, because an argument may
    // refer to a value of this map.
    template <class... Args>
    SLOTWISE_NEVER_INLINE std::pair<T*, bool> emplace_temporary(H handle, Args&&... args) {
        bool done = false;
        {
            const Insertion running(*this, handle.index());
            detail::TemporaryValue<T, Allocator> value(get_allocator(), std::forward<Args>(args)...);
            done = !running.element_erased() && do_emplace(handle, *value) != no_slot;
        }
        T* const value = do_get(handle); // not earlier, because a destructor has run since
        // NOLINTNEXTLINE(clang-analyzer-core.StackAddressEscape): the destructor of `running` takes its address out
        return {value, done && value != nullptr};
    }
    // The old value is destroyed when the map is consistent again.
    slot_t replace(slot_t row, H handle, T& value) noexcept {
        const Operation running(*this);
        Packing moving(*this);
        [[maybe_unused]] const detail::TemporaryValue<T, Allocator> erased(get_allocator(), std::move(values_[row]));
        move_to(row, value);
        handles_[row] = handle.with_user_bits(0);
        moving.end();
        return row;
    }
    // Replaces a moved-from value. Not by assignment, which is not noexcept for values with an allocator (std::pmr::string).
    void move_to(slot_t row, T& value) noexcept {
        values_.destroy(row, row + size_type{1});
        values_.construct(row, std::move(value));
    }
    template <class U>
    void assign(H handle, U&& value) {
        const Insertion running(*this, handle.index());
        detail::TemporaryValue<T, Allocator> fresh(get_allocator(), std::forward<U>(value));
        if (const slot_t row = row_of(handle.index()); row != no_slot && handles_[row].version() == handle.version())
            replace(row, handle, *fresh);
    }
    void take(H handle, std::optional<T>& result) noexcept {
        {
            Packing moving(*this);
            result.emplace(std::move(*do_get(handle)));
        }
        drop_slot(handle.index());
    }
    bool drop_slot(slot_t slot, const H* exactly = nullptr) noexcept {
        Page* const page = index_.find(slot / page_slots);
        const slot_t row = page == nullptr ? no_slot : page->row[slot % page_slots];
        if (row == no_slot || (exactly != nullptr && handles_[row].version() != exactly->version())) return false;
        drop_row(*page, slot, row);
        return true;
    }
    bool drop(H handle) noexcept { return drop_slot(handle.index(), &handle); }
    void drop_row(Page& page, slot_t slot, slot_t row) noexcept {
        [[maybe_unused]] const std::conditional_t<trivial, NoOperation, Operation> running(*this);
        Packing moving(*this);
        [[maybe_unused]] const detail::TemporaryValue<T, Allocator> erased(get_allocator(), std::move(values_[row]));
        const size_type last = size_ - 1;
        if (row != last) {
            move_to(row, values_[last]);
            handles_[row] = handles_[last];
            index_.find(handles_[row].index() / page_slots)->row[handles_[row].index() % page_slots] = row;
        }
        page.row[slot % page_slots] = no_slot;
        if (--page.used == 0) emptied(page, slot);
        values_.destroy(last, last + 1);
        size_ = last;
        moving.end(); // the erased value is destroyed when the arrays are consistent again
    }
    // All at once when all entries are dropped (by clear() of the followed map): no destructor then finds another dropped one.
    void drop_slots(Occupancy cleared) noexcept {
        size_type gone = 0;
        for (size_type row = 0; row != size_; ++row) gone += cleared.test(handles_[row].index());
        if (gone == size_) return clear();
        cleared.for_each([this](slot_t slot) { drop_slot(slot); });
    }
    void emptied(Page& page, slot_t slot) noexcept {
        index_.emptied(slot / page_slots, page, [](const Page& each) { return each.used == 0; });
    }
    void grow() { resize(size_ < 8 ? 16 : 2 * size_); }
    void resize(size_type capacity) {
        auto handles = handles_.resized(capacity, H());
        auto values = values_.sized(capacity);
        values_.relocate_into(values, size_);
        values_.destroy(0, size_);
        values_.swap(values);
        handles_.swap(handles);
        room_ = capacity;
        if (building_ != nullptr) std::exchange(building_, nullptr)->take(values);
    }
    void swap_entries(SparseSecondaryMap& other) noexcept {
        index_.swap(other.index_);
        values_.swap(other.values_);
        handles_.swap(other.handles_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }
    size_type held() const noexcept { return detail::memory_of(index_, values_, handles_); }
    void expect_packed() const noexcept {
        SLOTWISE_EXPECT(!packing_,
                        "SparseSecondaryMap: a move of T, or the destructor of a moved-from T, changes the map that moves "
                        "it; use SecondaryMap, whose values never move");
    }
    struct NoOperation {
        explicit NoOperation(const SparseSecondaryMap&) noexcept {}
    };
    // A value is being built in place behind the last row. Meanwhile there is no room for another value, so an insert grows
    // first. Operations that move the values to other memory, or destroy all, leave the memory to the value that is being
    // built.
    class Building : public Insertion {
    public:
        Building(SparseSecondaryMap& map, slot_t slot) noexcept : Insertion(map, slot), map_(map), row_(map.size_) {
            Building* self = this;
#if defined(__GNUC__) && !defined(__clang__)
            __asm__("" : "+r"(self)); // see Insertion
#endif
            map.building_ = self;
            map.room_ = 0;
        }
        void end() noexcept {
            if (map_.building_ != this) return;
            map_.building_ = nullptr;
            map_.room_ = map_.values_.capacity();
        }
        void take(AlignedArray<T, Allocator>& memory) noexcept {
            memory_.emplace(std::move(memory));
            this->mark_changed();
        }
        size_type row() const noexcept { return row_; }
        std::optional<AlignedArray<T, Allocator>>& memory() noexcept { return memory_; }

    private:
        SparseSecondaryMap& map_;
        const size_type row_;
        std::optional<AlignedArray<T, Allocator>> memory_;
    };
    // Values move between its construction and end().
    class Packing {
    public:
        explicit Packing(SparseSecondaryMap& map) noexcept : map_(map) {
            if constexpr (!trivial) {
                map.expect_packed();
                map.packing_ = true;
            }
        }
        Packing(const Packing&) = delete;
        Packing& operator=(const Packing&) = delete;
        ~Packing() { end(); }
        void end() noexcept {
            if constexpr (!trivial)
                if (!std::exchange(ended_, true)) map_.packing_ = false;
        }

    private:
        SparseSecondaryMap& map_;
        bool ended_ = false;
    };

    Index index_{};
    AlignedArray<T, Allocator> values_{};
    detail::FlatArray<H, Allocator> handles_{}; // by row
    size_type size_ = 0;
    size_type room_ = 0; // rows that fit before an insert has to grow; 0 while a value is being built
    Building* building_ = nullptr;
    bool packing_ = false;
};

template <class H, class T, class... With>
template <bool Const>
class SparseSecondaryMap<H, T, With...>::basic_iterator
    : public detail::IteratorFacade<basic_iterator<Const>, SlotMapItem<H, std::conditional_t<Const, const T&, T&>>,
                                    SlotMapItem<H, std::conditional_t<Const, const T&, T&>>, std::bidirectional_iterator_tag> {
    using Map = std::conditional_t<Const, const SparseSecondaryMap, SparseSecondaryMap>;
    using Item = SlotMapItem<H, std::conditional_t<Const, const T&, T&>>;
    using Facade = detail::IteratorFacade<basic_iterator, Item, Item, std::bidirectional_iterator_tag>;

public:
    basic_iterator() noexcept = default;
    /// For the map: at this row.
    basic_iterator(Map* map, size_type row) noexcept : map_(map), row_(row) {}
    /// iterator to const_iterator.
    operator basic_iterator<true>() const noexcept
        requires(!Const)
    {
        return {map_, row_};
    }
    friend bool operator==(const basic_iterator& a, const basic_iterator& b) noexcept { return a.row_ == b.row_; }
    /// The row of the entry here.
    size_type row() const noexcept { return row_; }
    /// Its slot. @pre not at the end
    slot_t slot() const noexcept { return handle().index(); }
    /// Its handle. @pre not at the end
    H handle() const noexcept {
        SLOTWISE_EXPECT_DEBUG(row_ < map_->size_, "SparseSecondaryMap iterator: it is the end, or entries were erased");
        return map_->handles_[row_];
    }

private:
    friend Facade;
    Item dereference() const noexcept { return {handle(), map_->values_.data()[row_]}; }
    void increment() noexcept { ++row_; }
    void decrement() noexcept { --row_; }

    Map* map_ = nullptr;
    size_type row_ = 0;
};

SLOTWISE_END

#endif
