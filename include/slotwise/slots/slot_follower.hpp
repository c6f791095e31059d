// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotFollower: the attached half of maps keyed by another map's handles.
#ifndef SLOTWISE_SLOTS_SLOT_FOLLOWER_HPP
#define SLOTWISE_SLOTS_SLOT_FOLLOWER_HPP

#include "slot_observer.hpp"

SLOTWISE_BEGIN
namespace detail {

/// How SlotFollower, and a map that holds another, reach the entries of a map by slot: its friend.
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

/// The observer that a follower is: by its type series see that its on_insert does not throw.
class FollowingObserver : public SlotObserver {
public:
    void on_insert(slot_t slot, InsertKind kind) noexcept override = 0;

protected:
    ~FollowingObserver() override = default;
};

/// Base of a map that drops entries when their element is erased. `Derived` has drop_slot(slot) noexcept, drop_slots(occupancy)
/// noexcept, clear() noexcept and erase_if(pred on handle). The base owns the attachment: a copy is not attached, a move takes
/// the attachment.
template <class Derived>
class SlotFollower : private FollowingObserver {
public:
    /// From now on drops entries when their elements are erased from `map`, and drops the entries of absent elements at once. A
    /// map follows one map at a time. With deferred erase an entry is dropped when the removed element is flushed or
    /// resurrected: its handle is another one then.
    /// @throws std::bad_alloc; nothing has changed then
    template <class Map>
    void attach_to(Map& map) {
        static_assert(std::is_same_v<typename Map::handle_type, typename Derived::handle_type>,
                      "attach_to(map): the map's handles have another type");
        token_ = map.attach(static_cast<FollowingObserver&>(*this));
        self().erase_if([&](auto handle, const auto&...) { return !map.contains(handle); });
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
    /// The map is about to be replaced as a whole.
    void expect_at_rest() const noexcept {
        SLOTWISE_EXPECT(running_ == 0 && inserting_ == nullptr,
                        "a map that follows handles: the constructor or destructor of an entry, hash or equality "
                        "moves, swaps, assigns or destroys the map that calls it");
    }
    /// Exchanges the attachments; for swap.
    void swap_token(SlotFollower& other) noexcept {
        expect_at_rest();
        other.expect_at_rest();
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

} // namespace detail
SLOTWISE_END

#endif
