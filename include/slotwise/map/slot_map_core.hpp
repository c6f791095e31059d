// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapCore: the interface that SlotMap, DenseSlotMap and SoaSlotMap share, over a store that says where values lie.
#ifndef SLOTWISE_MAP_SLOT_MAP_CORE_HPP
#define SLOTWISE_MAP_SLOT_MAP_CORE_HPP

#include "../slots/snapshot.hpp"
#include "map_iterator.hpp"
#include "slot_map_parts.hpp"

#include <concepts>
#include <optional>

SLOTWISE_BEGIN
/// A directory, a store and observers. Not used by itself: see SlotMap, DenseSlotMap, SoaSlotMap.
///
/// Guarantees, the same for all three:
///   strong    an insert that throws has no effect: size, elements, the order of future handles are as before
///   handles   a handle resolves from its insert to its erase, clear or extract, and never again; only insert_at, asked for
///             exactly that handle, brings it back (an undo)
///   lookups   any bit pattern of a handle may be asked; absent ones are answered, never undefined
///   const     const members may run concurrently
/// @tparam Store PagedStore, DenseStore: values by slot; @tparam Tag names the handles
template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapCore : protected detail::SlotMapParts<Store, Tag, O, Allocator, Observers...> {
    using Parts = detail::SlotMapParts<Store, Tag, O, Allocator, Observers...>;
    // Version and value side by side in a page were measured as a sketch: 13 % faster erase + insert, but lookups of stale
    // handles 54 % slower at 1e6, a full walk 23 % slower, and 4-byte values no longer vectorise. bench/ has the classic flat
    // form as a contender (article_slot_map).
    static_assert(O.layout == Layout::split,
                  "SlotMapOptions::layout: the interleaved layout is not offered, it won only erase + "
                  "insert in our measurements (see map/slot_map_core.hpp); write Layout::split");

public:
    //=== types ===//

    using value_type = typename Store::value_type;
    using handle_type = Handle<Tag, O.handle>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    using reference = typename Store::reference;
    using const_reference = typename Store::const_reference;
    using pointer = typename Store::pointer;
    using const_pointer = typename Store::const_pointer;
    using iterator = detail::MapIterator<SlotMapCore, Store, detail::ValueProjection>;
    using const_iterator = detail::MapIterator<const SlotMapCore, Store, detail::ValueProjection>;
    static constexpr SlotMapOptions options = O;

    //=== construct, copy, move ===//

    constexpr SlotMapCore()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr explicit SlotMapCore(const Allocator& alloc) : Parts(alloc) {}
    /// An exact copy: the same elements under the same handles, and the same handles in future. Static observers are copied,
    /// dynamic ones stay with the original. @throws what the allocator and the copies throw
    constexpr SlotMapCore(const SlotMapCore& other)
        : SlotMapCore(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.allocator_)) {}
    constexpr SlotMapCore(const SlotMapCore& other, const Allocator& alloc) : Parts(other, alloc) {}
    /// Takes elements and observers; `other` is empty and usable. Addresses and handles stay valid, here. @complexity O(1)
    constexpr SlotMapCore(SlotMapCore&& other) noexcept : Parts(std::move(other)) {}
    /// As above, into memory of `alloc`; static columns keep their own. With unequal allocators the elements are moved one by
    /// one: addresses change, handles stay.
    constexpr SlotMapCore(SlotMapCore&& other, const Allocator& alloc) : SlotMapCore(alloc) {
        if (alloc == other.allocator_) {
            swap_contents(other);
            return;
        }
        Directory directory(other.directory_, alloc);
        Store store(std::move(other.store_), other.occupancy(), other.capacity(), alloc);
        directory_.swap(directory);
        store_.swap(store);
        hub_.swap(other.hub_);
        other.destroy_unobserved();
        SlotMapCore replacement(
            other.allocator_); // the static columns went with the elements: other has no capacity for its own
        other.swap_contents(replacement);
    }
    /// Strong when no dynamic observer is attached. Dynamic observers of the target stay: they are told of the old contents'
    /// end and of the new ones; if one throws the target is empty, and those who did not learn its capacity are let go. One
    /// that attaches meanwhile is told of the new contents alone.
    constexpr SlotMapCore& operator=(const SlotMapCore& other) {
        if (this == &other) return *this;
        constexpr bool propagate = detail::propagates_on_copy<Allocator>;
        SlotMapCore copy(other, propagate ? other.allocator_ : allocator_);
        adopt(copy);
        return *this;
    }
    /// Takes elements and observers; the target's dynamic observers are told on_clear and on_reset while the old contents are
    /// still there, and let go; one that attaches meanwhile is told nothing, and let go too. With unequal allocators that do
    /// not propagate the elements are moved one by one.
    constexpr SlotMapCore& operator=(SlotMapCore&& other) noexcept(detail::propagates_on_move<Allocator> ||
                                                                   detail::always_equal<Allocator>) {
        if (this == &other) return *this;
        constexpr bool propagate = detail::propagates_on_move<Allocator>;
        SlotMapCore taken(std::move(other), propagate ? other.allocator_ : allocator_);
        hub_.detach_dynamic(directory_.occupancy(), size());
        swap_contents(taken);
        return *this;
    }
    constexpr ~SlotMapCore() {
        while (!empty()) clear(); // a destructor may insert
        hub_.detach_all();
    }

    /// Exchanges elements, handles and observers. Allocators travel if they propagate; unequal ones that do not are exact too,
    /// at the price of moving every element.
    constexpr void swap(SlotMapCore& other) noexcept(detail::propagates_on_swap<Allocator> || detail::always_equal<Allocator>) {
        if (detail::propagates_on_swap<Allocator> || detail::always_equal<Allocator> || allocator_ == other.allocator_)
            return swap_contents(other);
        SlotMapCore mine(std::move(*this), other.allocator_), theirs(std::move(other), allocator_);
        swap_contents(theirs);
        other.swap_contents(mine); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    }
    // A template, so that it fits the map itself better than std::swap does; a base's friend would not.
    template <std::derived_from<SlotMapCore> Map>
    friend constexpr void swap(Map& a, Map& b) noexcept(noexcept(a.swap(b))) {
        a.swap(b);
    }

    constexpr allocator_type get_allocator() const noexcept { return allocator_; }

    //=== capacity ===//

    constexpr size_type size() const noexcept { return directory_.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots there is memory for. size() + retired() + reserved ones never exceed it.
    constexpr size_type capacity() const noexcept { return directory_.capacity(); }
    /// Slots there can ever be.
    static constexpr size_type max_size() noexcept { return Parts::max_slots(); }
    /// Room for `count` elements in all, so that inserts up to there allocate nothing.
    /// @throws std::length_error when there can be no so many, std::bad_array_new_length when they are more bytes than half of
    /// the address space, what the allocator or an observer throws; strong
    /// @invalidates dense: addresses and iterators; paged: views
    constexpr void reserve(size_type count) {
        expect_not_notifying();
        if (count > max_size())
            detail::throw_length_error("slot map reserve(count): count exceeds max_size(); use more index bits");
        const std::size_t unusable = directory_.retired() + directory_.reserved();
        if (count > max_size() - unusable)
            detail::throw_length_error("slot map reserve(count): too many slots are retired or reserved; use more index bits");
        if (count + unusable > capacity()) do_reserve(count + unusable);
    }
    /// Gives back memory above the highest slot in use. Their versions live on as a floor: old handles stay stale for ever.
    /// @throws what the allocator throws; strong @complexity linear in capacity
    constexpr void shrink_to_fit() {
        expect_not_notifying();
        const slot_t cursor = directory_.cursor();
        const slot_t end = directory_.lower_cursor();
        ScopeGuard undo([&]() noexcept { directory_.restore_cursor(cursor); });
        const std::size_t slots = hub_.shrunk_capacity(end, store_.shrunk_capacity(end, size()));
        const std::size_t before = capacity();
        const std::size_t from = directory_.first_forgotten(end);
        auto less = directory_.prepare_shrink(slots, from, allocator_);
        store_.shrink(end, size()); // dense: may throw, and has then no effect
        undo.dismiss();
        const std::size_t after = slots < before ? slots : before;
        this->notify_shrink(before, after); // first: one who attaches meanwhile hears of the old capacity and of this
        directory_.commit_shrink(less, from);
        directory_.set_capacity(after);
    }

    //=== insert ===//

    /// Adds an element; returns its handle.
    /// @throws std::length_error when every slot is in use, what the allocator, T and observers throw; strong
    /// @complexity amortised O(1) @invalidates paged: views when it grows; dense: addresses and iterators when it grows
    template <class... Args>
        requires(Store::template builds_from<Args...>)
    constexpr handle_type emplace(Args&&... args) {
        expect_not_notifying();
        if constexpr (Store::stable) {
            if (!directory_.has_room()) [[unlikely]]
                grow();
            return place(std::forward<Args>(args)...);
        } else {
            // Built before anything moves: an argument may refer to an element of this map.
            detail::TemporaryRow<typename Store::row_type, Allocator> row(allocator_, std::forward<Args>(args)...);
            if (!directory_.has_room()) [[unlikely]]
                grow();
            return place(row.take());
        }
    }
    /// As emplace(value).
    constexpr handle_type insert(const value_type& value)
        requires(Store::template builds_from<const value_type&>)
    {
        return emplace(value);
    }
    constexpr handle_type insert(value_type&& value)
        requires(Store::template builds_from<value_type &&>)
    {
        return emplace(std::move(value));
    }

    /// Adds the element f(handle), which knows its own handle. f may insert and erase in this map. The value is built in place
    /// (SlotMap), so T need not be movable there; an allocator with a construct() of its own (std::pmr) moves it in. If f
    /// throws, its handle stays stale for ever: f has seen it.
    /// @throws as emplace, and what f throws; strong but for that version
    template <class F>
        requires std::is_invocable_v<F, handle_type>
    constexpr handle_type insert_with(F&& f) {
        expect_not_notifying();
        if (!directory_.has_room()) grow();
        const slot_t slot = directory_.acquire();
        const handle_type handle(slot, directory_.version(slot) + 1u);
        ScopeGuard undo([&]() noexcept { directory_.skip_version(slot); });
        store_.construct_with(slot, [&]() -> decltype(auto) { return std::forward<F>(f)(handle); });
        this->notify_insert(slot);
        undo.dismiss();
        directory_.commit(slot);
        return handle;
    }

    /// A handle whose element comes later. Until fulfill() it is "reserved": no lookup finds it.
    /// @throws as emplace; strong
    constexpr handle_type reserve_handle() {
        expect_not_notifying();
        if (!directory_.has_room()) grow();
        const slot_t slot = directory_.reserve_slot();
        return handle_type(slot, directory_.version(slot) + 1u);
    }
    /// Builds the element of a reserved handle. Null when the handle is not reserved (any more).
    /// @throws what T and observers throw; the handle is then still reserved
    template <class... Args>
    constexpr pointer fulfill(handle_type handle, Args&&... args) {
        expect_not_notifying();
        const slot_t slot = handle.index();
        if (!directory_.is_reserved(slot, handle.version())) return pointer();
        directory_.unreserve(slot);
        ScopeGuard undo([&]() noexcept { directory_.undo_unreserve(slot); });
        this->build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory_.commit(slot);
        return store_.ptr(slot);
    }
    /// Gives a reserved handle back; it stays stale for ever. False when it is not reserved.
    constexpr bool cancel(handle_type handle) noexcept {
        if (!directory_.is_reserved(handle.index(), handle.version())) return false;
        directory_.unreserve(handle.index());
        directory_.skip_version(handle.index());
        return true;
    }

    /// Adds an element under exactly this handle: for undo, replication, loading. Null, and no effect, when that could let
    /// another element's handle resolve (slot in use, version older than the last one issued there) or when the version is
    /// even. Slots are made as needed within a budget, because others may have chosen the handle: 8 for each live element, the
    /// new one too, and at least 65,536, or as many as 4 MiB of values and columns (ValueArray) are, if these are fewer. Slots
    /// farther away are refused unless they are below capacity(): reserve() first what you are ready to give.
    /// @throws as emplace; strong @complexity O(1), or the gap above the highest slot in use
    template <class... Args>
    constexpr pointer insert_at(handle_type handle, Args&&... args) {
        expect_not_notifying();
        const slot_t slot = handle.index();
        if (!directory_.can_take(slot, handle.version()) || slot >= max_size()) return pointer();
        if constexpr (Store::stable) {
            if (!room_for(slot)) return pointer();
            return this->place_at(slot, handle.version(), std::forward<Args>(args)...);
        } else {
            detail::TemporaryRow<typename Store::row_type, Allocator> row(allocator_, std::forward<Args>(args)...);
            if (!room_for(slot)) return pointer();
            return this->place_at(slot, handle.version(), row.take());
        }
    }

    //=== erase ===//

    /// Removes the element; false when it is not there. Destroys before the slot can be reused: T's destructor may insert and
    /// erase.
    /// @throws nothing (dense: if T's moves do not throw) @complexity O(1), never allocates
    /// @invalidates the handle; dense: also addresses of the last element
    constexpr bool erase(handle_type handle) noexcept(Store::nothrow_destroy) {
        if (!directory_.is_live(handle.index(), handle.version())) return false;
        do_erase(handle.index());
        return true;
    }
    /// Removes every element for which pred(value) or pred(handle, value) holds; returns how many. If pred throws, what was
    /// erased stays erased.
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        size_type count = 0;
        store_.for_each_slot(directory_, [&](slot_t slot) {
            // A destructor may call during clear: what is still to be destroyed is no element any more.
            if (!directory_.is_live(slot) || !call(pred, *this, slot)) return;
            do_erase(slot);
            ++count;
        });
        return count;
    }
    /// Takes the element out; empty when it is not there. @throws what T's move throws; the element is then still there
    constexpr std::optional<value_type> extract(handle_type handle)
        requires std::move_constructible<value_type>
    {
        std::optional<value_type> result; // the one object returned: built in the caller's place, not moved after the erase
        if (contains(handle)) {
            store_.move_to_last_row(handle.index());
            result.emplace(store_.take(handle.index()));
            do_erase(handle.index());
        }
        return result;
    }
    /// Removes all elements and reservations; every handle is stale. Capacity stays.
    /// An element that a destructor inserts meanwhile survives. @throws nothing
    /// @complexity linear in slots; trivially destructible values: about 0.25 ns a slot
    constexpr void clear() noexcept {
        expect_not_notifying();
        if (clearing_) { // a destructor calls: the outer clear destroys the rest, newcomers go now
            for (slot_t slot = 0; slot < directory_.cursor(); ++slot)
                if (directory_.is_live(slot)) do_erase(slot);
            return;
        }
        if (directory_.cursor() == 0) return;
        clearing_ = true;
        const slot_t end = directory_.begin_clear();
        hub_.clear(directory_.occupancy());
        store_.destroy_all(directory_, end);
        directory_.end_clear(end);
        clearing_ = false;
    }

    //=== lookup ===//

    constexpr bool contains(handle_type handle) const noexcept { return directory_.is_live(handle.index(), handle.version()); }
    /// The element, or null when it is gone. @complexity O(1)
    constexpr pointer get(handle_type handle) noexcept { return look_up<pointer>(handle); }
    constexpr const_pointer get(handle_type handle) const noexcept { return look_up<const_pointer>(handle); }
    /// The element. @throws std::out_of_range when it is gone
    constexpr reference at(handle_type handle) { return *checked(*this, handle); }
    constexpr const_reference at(handle_type handle) const { return *checked(*this, handle); }
    /// The element. @pre contains(handle) (checked at level fast)
    constexpr reference operator[](handle_type handle) noexcept { return *expected(*this, handle); }
    constexpr const_reference operator[](handle_type handle) const noexcept { return *expected(*this, handle); }
    /// Pointers to several elements, null where one is gone. Equal handles give equal pointers.
    template <std::same_as<handle_type>... Handles>
    constexpr auto get_many(Handles... handles) noexcept {
        return std::tuple{get(handles)...};
    }
    template <std::same_as<handle_type>... Handles>
    constexpr auto get_many(Handles... handles) const noexcept {
        return std::tuple{get(handles)...};
    }
    /// Exchanges two values; the handles stay where they are. False, and no effect, when one is gone.
    constexpr bool swap_values(handle_type a, handle_type b) {
        if (!contains(a) || !contains(b)) return false;
        store_.swap_values(a.index(), b.index());
        return true;
    }

    /// The handle of the element in `slot`, null when none lives there.
    constexpr handle_type handle_of(slot_t slot) const noexcept {
        return directory_.is_live(slot) ? handle_type(slot, directory_.version(slot)) : handle_type();
    }
    template <class C, class P>
    constexpr handle_type handle_of(const detail::MapIterator<C, Store, P>& it) const noexcept {
        return handle_of(it.slot());
    }
    constexpr SlotState state(slot_t slot) const noexcept { return directory_.state(slot); }
    /// Why a handle does or does not resolve.
    constexpr HandleStatus explain(handle_type handle) const noexcept {
        return handle.is_null() ? HandleStatus::null : directory_.explain(handle.index(), handle.version());
    }
    /// Slots whose versions are used up.
    constexpr size_type retired() const noexcept { return directory_.retired(); }
    /// Retired slots may be issued again; you promise that no handle to their first lives is left. Returns how many.
    constexpr size_type recycle_retired() noexcept { return directory_.recycle_retired(); }

    //=== iteration ===//

    constexpr iterator begin() noexcept { return {this, store_.first(directory_)}; }
    constexpr iterator end() noexcept { return {this, store_.last(directory_)}; }
    constexpr const_iterator begin() const noexcept { return {this, store_.first(directory_)}; }
    constexpr const_iterator end() const noexcept { return {this, store_.last(directory_)}; }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }
    /// Handles of all elements. The same walk as begin() to end().
    constexpr auto handles() const noexcept { return range<detail::HandleProjection>(*this); }
    /// Pairs of handle and reference: for (auto [handle, value] : map.items()).
    constexpr auto items() noexcept { return range<detail::ItemProjection>(*this); }
    constexpr auto items() const noexcept { return range<detail::ItemProjection>(*this); }
    /// Live slots in ascending order.
    constexpr SlotRange slots() const noexcept { return SlotRange(occupancy()); }
    /// Liveness of the slots, one bit each.
    constexpr Occupancy occupancy() const noexcept { return directory_.occupancy(); }

    //=== observers ===//

    /// Attaches an observer until the token goes; it is told the capacity and every live slot first. One that attaches while an
    /// assignment or a restore tells others is told of the new contents alone.
    /// @pre the observer lives as long as the token is attached
    /// @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) {
        return hub_.attach(
            observer, capacity(), occupancy(), [this](slot_t slot) { return directory_.is_live(slot); }, [](auto&&) {});
    }
    /// Static observer number I.
    template <std::size_t I>
    constexpr auto& observer() noexcept {
        return hub_.template get<I>();
    }
    template <std::size_t I>
    constexpr const auto& observer() const noexcept {
        return hub_.template get<I>();
    }
    /// Static observer number I, a column, seen by slot.
    template <std::size_t I>
    constexpr auto column() noexcept {
        using T = typename std::remove_reference_t<decltype(observer<I>())>::value_type;
        return ColumnView<T>(observer<I>().pages(), directory_view());
    }
    template <std::size_t I>
    constexpr auto column() const noexcept {
        using T = typename std::remove_cvref_t<decltype(observer<I>())>::value_type;
        return ColumnView<const T>(ColumnView<T>(observer<I>().pages(), directory_view()));
    }

    //=== whole ===//

    /// Equal when the same handles name equal values. Capacity, vacant slots and observers do not count.
    friend constexpr bool operator==(const SlotMapCore& a, const SlotMapCore& b) {
        if (a.size() != b.size()) return false;
        for (const slot_t slot : a.slots())
            if (a.handle_of(slot) != b.handle_of(slot) ||
                !(*const_pointer(a.store_.ptr(slot)) == *const_pointer(b.store_.ptr(slot))))
                return false;
        return true;
    }

    /// The exact state as bytes, static columns included: restored anywhere, the map gives the same handles for the same calls.
    /// The same state gives the same bytes. @pre no element is being built or destroyed
    /// @param codec how values become bytes; see DefaultCodec for the types that need none, dropping() for columns that stay
    /// behind
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        detail::DirectorySnapshot::write(directory_, out);
        store_.write(directory_, out, codec);
        Columns::write(hub_, each_slot(*this), out, codec);
        return out.take();
    }
    /// Replaces the contents by a snapshot's. Every byte is checked against every other before anything changes, and bytes that
    /// snapshot() would not write are refused; values are the codec's business. Observers that are no columns, and dynamic
    /// ones, are told of the exchange. Memory: up to the values of every slot the bytes speak of.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore; returns what is wrong instead of throwing it, null when all is well. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        expect_not_notifying();
        ByteReader in(bytes);
        Directory directory(allocator_);
        if (!detail::DirectorySnapshot::read(directory, in, allocator_)) return in.error();
        if (directory.cursor() > max_size()) return "snapshot: more slots than this map's max_slots";
        SlotMapCore fresh(allocator_);
        if (directory.cursor() != 0) fresh.do_reserve(directory.cursor());
        if (!directory.covers(fresh.capacity())) {
            auto more = directory.prepare(fresh.capacity(), allocator_);
            directory.adopt(more);
        }
        directory.set_capacity(fresh.capacity());
        // The store undoes what it has built when a value is bad or throws; only then does the directory speak of live slots.
        if (!fresh.store_.read(directory, in, codec)) return in.error();
        fresh.directory_.swap(directory);
        ScopeGuard undo([&]() noexcept { fresh.destroy_unobserved(); });
        fresh.hub_.replay(fresh.occupancy());
        undo.dismiss();
        if (!Columns::read(fresh.hub_, each_slot(fresh), in, codec)) return in.error();
        if (in.left() != 0) return "snapshot: there are more bytes than the state needs";
        adopt(fresh);
        return nullptr;
    }

    /// Whether directory and store agree in every count, bit and link; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const noexcept { return directory_.check_invariants() && store_.check(directory_); }

protected:
    template <class, class, class>
    friend class detail::MapIterator;
    using Parts::directory_;
    using Parts::directory_view;
    using Parts::do_erase;
    using Parts::store_;
    using typename Parts::Directory;

private:
    using Parts::adopt;
    using Parts::allocator_;
    using Parts::clearing_;
    using Parts::do_reserve;
    using Parts::expect_not_notifying;
    using Parts::grow;
    using Parts::hub_;
    using Parts::place;
    using Parts::room_for;
    using Parts::swap_contents;

    using Columns = detail::ColumnSnapshot<0, Observers...>;
    static auto each_slot(const SlotMapCore& map) noexcept {
        return [live = map.occupancy()](auto&& f) { live.for_each(f); };
    }
    template <class Ptr>
    constexpr Ptr look_up(handle_type handle) const noexcept {
        const auto element = store_.places(); // before the check: a loop of lookups then keeps it
        return contains(handle) ? Ptr(element(handle.index())) : Ptr();
    }
    template <class Self>
    static constexpr auto checked(Self& self, handle_type handle) {
        auto found = self.get(handle);
        if (!found)
            detail::throw_out_of_range("slot map at(handle): no element has this handle; ask get(handle) or explain(handle)");
        return found;
    }
    template <class Self>
    static constexpr auto expected(Self& self, handle_type handle) noexcept {
        SLOTWISE_EXPECT(self.contains(handle),
                        "slot map [handle]: no element has this handle; ask get(handle) or explain(handle)");
        using result = std::conditional_t<std::is_const_v<Self>, const_pointer, pointer>;
        return result(self.store_.ptr(handle.index()));
    }
    template <class F, class Self>
    static constexpr decltype(auto) call(F& f, Self& self, slot_t slot) {
        using Ptr = std::conditional_t<std::is_const_v<Self>, const_pointer, pointer>;
        const Ptr at(self.store_.ptr(slot));
        if constexpr (std::is_invocable_v<F&, handle_type, decltype(*at)>)
            return f(handle_type(slot, self.directory_.version(slot)), *at);
        else
            return f(*at);
    }
    template <class Projection, class Self>
    static constexpr auto range(Self& self) noexcept {
        using It = detail::MapIterator<Self, Store, Projection>;
        return detail::IteratorRange<It>(It(&self, self.store_.first(self.directory_)),
                                         It(&self, self.store_.last(self.directory_)), self.size());
    }
};

SLOTWISE_END

#endif
