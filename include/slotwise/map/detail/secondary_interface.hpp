// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SecondaryInterface: the verbs that SecondaryMap, SparseSecondaryMap and IndexMap share. SlotFollower: what attaches a map to
// the one that makes its handles; IdentityMap has it too.
#ifndef SLOTWISE_MAP_DETAIL_SECONDARY_INTERFACE_HPP
#define SLOTWISE_MAP_DETAIL_SECONDARY_INTERFACE_HPP

#include "../../core/detail/call_form.hpp"
#include "../../core/detail/concepts.hpp"
#include "../../core/detail/iterators.hpp"
#include "../../memory/allocator.hpp"
#include "../../slots/detail/absence.hpp"
#include "../../slots/detail/arguments.hpp"
#include "../../slots/slot_observer.hpp"

#include <optional>

SLOTWISE_BEGIN
namespace detail {

/// A friend of the maps that follow another: SlotFollower, and a map that holds another one, reach the entries by slot with it.
struct SlotEntries {
    template <class Map>
    static auto* find(const Map& map, slot_t slot) noexcept {
        return map.find_slot(slot);
    }
    template <class Map>
    static void drop(Map& map, slot_t slot) noexcept {
        map.drop_slot(slot);
    }
    template <class Map>
    static void drop(Map& map, Occupancy cleared) noexcept {
        map.drop_slots(cleared);
    }
    template <class Map>
    static void swap(Map& a, Map& b) noexcept {
        a.swap_entries(b);
    }
};

/// CRTP base of a map that drops entries when their element is erased. `Derived` has drop_slot(slot) noexcept,
/// drop_slots(occupancy) noexcept, clear() noexcept and erase_if(pred on handle). The base owns the attachment: a copy is not
/// attached, a move takes the attachment.
template <class Derived>
class SlotFollower : private FollowingObserver {
public:
    /// From now on drops entries when their elements are erased from `map`, and drops the entries of absent elements at once. A
    /// map follows one map at a time. With deferred erase an entry is dropped when the removed element is flushed or
    /// resurrected: its handle is another one then.
    /// @throws std::bad_alloc; nothing has changed then
    template <class Map>
    void attach_to(Map& map) {
        using Handle = typename Derived::handle_type;
        static_assert(std::is_same_v<typename Map::handle_type, Handle>, "attach_to(map): the map's handles have another type");
        token_ = map.attach(static_cast<FollowingObserver&>(*this));
        self().erase_if([&](Handle handle, const auto&...) {
            if constexpr (requires { map.is_alive(handle); })
                return !map.is_alive(handle);
            else
                return !map.contains(handle);
        });
    }
    /// Stops following. Entries stay.
    void detach() noexcept { token_.detach(); }
    /// Whether it follows a map.
    bool attached() const noexcept { return token_.attached(); }

protected:
    SlotFollower() = default;
    SlotFollower(const SlotFollower&) noexcept {}
    SlotFollower(SlotFollower&& other) noexcept { swap_token(other); }
    SlotFollower& operator=(const SlotFollower&) = delete;
    ~SlotFollower() override = default;
    /// Whether no operation runs in the map, which is about to be replaced as a whole (checked at level fast).
    void expect_quiescent() const noexcept {
        SLOTWISE_EXPECT(running_ == 0 && inserting_ == nullptr,
                        "a map that follows handles: the constructor or destructor of an entry, hash or equality "
                        "moves, swaps, assigns or destroys the map that calls it");
    }
    /// Exchanges the attachments; for swap.
    void swap_token(SlotFollower& other) noexcept {
        expect_quiescent();
        other.expect_quiescent();
        ObserverToken::exchange(token_, *this, other.token_, other);
    }

    /// Exists while user code runs inside an operation of the map: the constructor or destructor of an entry, hash, equality.
    /// That code may do anything to the map but replace it as a whole.
    class Operation {
    public:
        explicit Operation(SlotFollower& map) noexcept : map_(map), before_(map.running_) { map.running_ = before_ + 1; }
        Operation(const Operation&) = delete;
        Operation& operator=(const Operation&) = delete;
        ~Operation() { map_.running_ = before_; } // they nest: a store suffices, and the next operation does not wait for a sum

    private:
        SlotFollower& map_;
        const unsigned before_;
    };
    /// An operation that builds an entry. Insertions nest; each refers to the enclosing one.
    class Insertion {
    public:
        Insertion(SlotFollower& map, slot_t slot) noexcept : map_(map), outer_(map.inserting_), slot_(slot) {
            Insertion* self = this;
#if defined(__GNUC__) && !defined(__clang__)
            __asm__("" : "+r"(self)); // or g++ 12 takes the address of a local, kept while it lives, for a dangling one
#endif
            map.inserting_ = self;
        }
        Insertion(const Insertion&) = delete;
        Insertion& operator=(const Insertion&) = delete;
        ~Insertion() { map_.inserting_ = outer_; }
        /// Whether the element of the slot was erased since: the entry comes too late.
        bool element_erased() const noexcept { return element_erased_; }
        /// Whether the element was erased or mark_changed() was called.
        bool map_changed() const noexcept { return map_changed_; }
        void mark_changed() noexcept { map_changed_ = true; }

    private:
        friend SlotFollower;
        SlotFollower& map_;
        Insertion* outer_;
        slot_t slot_;
        bool element_erased_ = false;
        bool map_changed_ = false;
    };

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }
    template <class Gone>
    void mark_erased(Gone gone) noexcept {
        for (Insertion* each = inserting_; each != nullptr; each = each->outer_)
            if (gone(each->slot_)) each->element_erased_ = each->map_changed_ = true;
    }
    void on_element_erased(slot_t slot) noexcept {
        mark_erased([=](slot_t each) { return each == slot; });
        SlotEntries::drop(self(), slot);
    }

    // Deferred erase: a resurrected element has a new handle. The old handle never resolves again.
    void on_insert(slot_t slot, InsertKind kind) noexcept final {
        if (kind == InsertKind::resurrected) on_element_erased(slot);
    }
    void on_erase(slot_t slot) noexcept final { on_element_erased(slot); }
    void on_clear(Occupancy cleared) noexcept final {
        mark_erased([=](slot_t each) { return cleared.test(each); });
        SlotEntries::drop(self(), cleared);
    }
    void on_reset() noexcept final {
        mark_erased([](slot_t) { return true; });
        self().clear();
    }

    unsigned running_ = 0; // operations that build no entry
    Insertion* inserting_ = nullptr;
    ObserverToken token_;
};

/// A value outside of the container that the container's allocator builds, like its own values.
template <class T, class Allocator>
class TemporaryValue {
    using allocator = rebind_t<Allocator, T>;
    using traits = std::allocator_traits<allocator>;

public:
    template <class... Args>
    explicit TemporaryValue(const Allocator& alloc, Args&&... args) : allocator_(alloc) {
        traits::construct(allocator_, std::addressof(value_), std::forward<Args>(args)...);
    }
    TemporaryValue(const TemporaryValue&) = delete;
    TemporaryValue& operator=(const TemporaryValue&) = delete;
    ~TemporaryValue() { traits::destroy(allocator_, std::addressof(value_)); }
    T& operator*() noexcept { return value_; }

private:
    SLOTWISE_NO_UNIQUE_ADDRESS allocator allocator_;
    union {
        T value_;
    };
};

/// CRTP base: lookup and single-entry operations over a `Derived` that has do_try_emplace(handle, args...), do_get(handle) ->
/// T* const, drop(handle) -> whether there was one, assign(handle, value) and take(handle, result). In an IndexMap handles are
/// ids.
///
/// Constructors, destructors and assignments of values may insert, erase, clear and look up in the map that calls them. An
/// entry is not found before it is built, nor once its destructor runs. Its place in a SecondaryMap is free after that. The map
/// as a whole must not be moved, swapped, assigned or destroyed from there (checked at level fast).
template <class Derived, class H, class T>
class SecondaryInterface {
    static constexpr bool by_id = !AnyHandle<H>; // a number, which is the slot: IndexMap
    using Item = std::conditional_t<by_id, IdItem<H, T&>, SlotMapItem<H, T&>>;

public:
    using value_type = T;

    /// Builds a value for `handle` unless it has one. Not inserted, and at end(): the handle is refused, or its element is
    /// erased while the value is built. An entry of an older handle of the slot is replaced.
    /// @throws what the allocator and T throw; strong, but in a SecondaryMap an older entry is as T's move assignment left it,
    /// and erased if T cannot move @complexity amortised O(1) @invalidates SparseSecondaryMap: addresses when it grows
    template <class... Args>
    auto try_emplace(H handle, Args&&... args) {
        return self().result(handle, self().do_try_emplace(handle, std::forward<Args>(args)...));
    }
    /// As try_emplace.
    template <class... Args>
    auto emplace(H handle, Args&&... args) {
        return try_emplace(handle, std::forward<Args>(args)...);
    }
    /// Inserts the pairs of handle and value of the range. @throws as try_emplace; those inserted before stay
    template <class Range>
    void insert_range(Range&& range) {
        for (auto&& [handle, value] : range) try_emplace(handle, value);
    }
    template <std::input_iterator It>
    void insert(It first, It last) {
        insert_range(IteratorRange<It>(first, last, 0));
    }
    /// try_emplace(handle, value). @throws as try_emplace
    auto insert(H handle, const T& value) { return try_emplace(handle, value); }
    auto insert(H handle, T&& value) { return try_emplace(handle, std::move(value)); }
    /// As insert, but an existing value is assigned; at end() also when its assignment has erased the entry.
    SLOTWISE_CONVERSIONS_BEGIN
    template <class U>
    auto insert_or_assign(H handle, U&& value) {
        if (T* there = get(handle)) {
            if constexpr (std::is_trivially_assignable_v<T&, U>)
                *there = std::forward<U>(value);
            else
                self().assign(handle, std::forward<U>(value));
            return self().result(handle, std::pair<T*, bool>(get(handle), false));
        }
        return try_emplace(handle, std::forward<U>(value));
    }
    SLOTWISE_CONVERSIONS_END

    /// Bytes held on the heap: pages or rows, and the index. Without what values hold themselves. @complexity O(1)
    std::size_t memory_usage() const noexcept { return self().held(); }
    bool contains(H handle) const noexcept { return get(handle) != nullptr; }
    /// The value of exactly this handle, or null. Any bit pattern is allowed. @complexity O(1), far slots O(log pages)
    T* get(H handle) noexcept { return self().do_get(handle); }
    const T* get(H handle) const noexcept { return self().do_get(handle); }
    /// 1 if the handle has a value, else 0.
    std::size_t count(H handle) const noexcept { return contains(handle) ? 1 : 0; }
    /// A copy of the value, or T(otherwise) where the handle has none. @throws what that copy or conversion throws
    template <class U = T>
    T value_or(H handle, U&& otherwise) const {
        const T* const value = get(handle);
        return value != nullptr ? *value : static_cast<T>(std::forward<U>(otherwise));
    }
    /// @throws std::out_of_range when the handle has no value
    T& at(H handle) { return *checked(self().do_get(handle), handle); }
    const T& at(H handle) const { return *checked(self().do_get(handle), handle); }
    /// @pre contains(handle) (checked at level fast)
    T& operator[](H handle) noexcept { return *expected(self().do_get(handle)); }
    const T& operator[](H handle) const noexcept { return *expected(self().do_get(handle)); }

    /// Removes the value; false when there is none. @throws nothing
    bool erase(H handle) noexcept { return self().drop(handle); }
    /// Removes the entry at `it`; returns the next one. @pre not at the end
    template <class Iterator>
        requires requires(const Iterator& it) { it.handle(); }
    Iterator erase(Iterator it) noexcept {
        constexpr bool dense = requires(Derived& map) { map.values().data(); }; // the last entry comes here
        const H handle = it.handle();
        self().drop(handle);
        if constexpr (!dense) ++it; // now, because a destructor may have erased the next one
        return it;
    }
    /// Takes the value out; empty when there is none. @throws what T's move throws; the value then stays
    std::optional<T> extract(H handle) {
        std::optional<T> result; // the returned object itself, so that no second move can throw
        if (contains(handle)) self().take(handle, result);
        return result;
    }

protected:
    SecondaryInterface() = default;
    SecondaryInterface(const SecondaryInterface&) = default;
    SecondaryInterface(SecondaryInterface&&) = default;
    SecondaryInterface& operator=(const SecondaryInterface&) = delete;
    ~SecondaryInterface() = default;

    /// pred(handle, value) or pred(item).
    template <class Pred>
    static bool holds(Pred& pred, H handle, T& value) {
        if constexpr (takes_name_or_item<Pred, H, Item, T&>())
            return pred(handle, value);
        else
            return pred(Item(handle, value));
    }

    template <class Allocator>
    static constexpr bool nothrow_move = propagates_on_move<Allocator> || always_equal<Allocator>;
    template <class Allocator>
    static constexpr bool nothrow_swap = propagates_on_swap<Allocator> || always_equal<Allocator>;

    void assign_copy(const Derived& other) {
        Derived copy(other,
                     propagates_on_copy<typename Derived::allocator_type> ? other.get_allocator() : self().get_allocator());
        self().swap_entries(copy);
    }
    void assign_move(Derived& other) {
        using Allocator = typename Derived::allocator_type;
        Derived taken(std::move(other), propagates_on_move<Allocator> ? other.get_allocator() : self().get_allocator());
        self().swap_token(taken);
        self().swap_entries(taken);
    }
    void exchange(Derived& other) noexcept(nothrow_swap<typename Derived::allocator_type>) {
        using Allocator = typename Derived::allocator_type;
        if (nothrow_swap<Allocator> || self().get_allocator() == other.get_allocator()) {
            self().swap_token(other);
            self().swap_entries(other);
            return;
        }
        Derived mine(std::move(self()), other.get_allocator()), theirs(std::move(other), self().get_allocator());
        self().swap_token(theirs);
        self().swap_entries(theirs);
        other.swap_token(mine);
        other.swap_entries(mine);
    }

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }
    const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }
    template <class P>
    P checked(P value, H handle) const {
        if (value == nullptr) {
            if constexpr (by_id)
                throw_absent("IndexMap at(id): the id has no value here; ask get(id)", text_of_id(handle), "has none");
            else {
                const std::uint32_t version = self().version_in(handle.index());
                throw_absent("secondary map at(handle): the handle has no value here; ask get(handle)", handle.to_text(),
                             version != 0 ? "has none" : "has none: it was never inserted, or its element was erased",
                             {handle.index(), version, SlotState::live, version != 0});
            }
        }
        return value;
    }
    template <class P>
    static P expected(P value) noexcept {
        if constexpr (by_id) {
            SLOTWISE_EXPECT(value != nullptr, "IndexMap [id]: the id has no value here; ask get(id)");
        } else {
            SLOTWISE_EXPECT(value != nullptr, "secondary map [handle]: the handle has no value here; ask get(handle)");
        }
        return value;
    }
};

} // namespace detail

// The maps are final, so only what they share stands in for them.
/// The error for const, volatile and reference types.
template <class H, class T, class... With>
    requires(detail::is_qualified<H> || detail::is_qualified<T>)
class SecondaryMap<H, T, With...>
    : public detail::OfPlain<detail::SecondaryInterface<SecondaryMap<std::remove_cvref_t<H>, std::remove_cvref_t<T>, With...>,
                                                        std::remove_cvref_t<H>, std::remove_cvref_t<T>>> {};
/// The error for const, volatile and reference types.
template <class H, class T, class... With>
    requires(detail::is_qualified<H> || detail::is_qualified<T>)
class SparseSecondaryMap<H, T, With...>
    : public detail::OfPlain<
          detail::SecondaryInterface<SparseSecondaryMap<std::remove_cvref_t<H>, std::remove_cvref_t<T>, With...>,
                                     std::remove_cvref_t<H>, std::remove_cvref_t<T>>> {};
/// The error for const, volatile and reference types.
template <class T, class... With>
    requires(detail::is_qualified<T>)
class IndexMap<T, With...>
    : public detail::OfPlain<
          detail::SecondaryInterface<IndexMap<std::remove_cvref_t<T>, With...>, slot_t, std::remove_cvref_t<T>>> {};

SLOTWISE_END

#endif
