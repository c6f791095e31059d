// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ObjectPool and ObjectTable: objects that never move, by number and by hash. What a slot map does without its handles,
// observers and pages: six slot maps in the tables of a store cost 0.3 s of compile time, and their objects are few and large.
#ifndef SLOTWISE_ECS_DETAIL_OBJECT_POOL_HPP
#define SLOTWISE_ECS_DETAIL_OBJECT_POOL_HPP

#include "../../memory/plain_vector.hpp"
#include "../../memory/value_table.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Objects in memory of their own. @tparam T has a member `slot`, its number, which is set here
template <class T>
class ObjectPool {
public:
    ObjectPool() = default;
    ObjectPool(const ObjectPool&) = delete;
    ObjectPool& operator=(const ObjectPool&) = delete;
    ~ObjectPool() {
        for (T* const each : objects_) delete each;
    }
    void swap(ObjectPool& other) noexcept {
        objects_.swap(other.objects_);
        vacant_.swap(other.vacant_);
        std::swap(retired_, other.retired_);
    }

    std::size_t size() const noexcept { return objects_.size() - vacant_.size() - retired_; }
    bool empty() const noexcept { return size() == 0; }
    /// Numbers are below this one.
    slot_t slot_count() const noexcept { return static_cast<slot_t>(objects_.size()); }
    /// The object with this number; null if there is none. @pre slot < slot_count()
    T* operator[](slot_t slot) const noexcept { return objects_[slot]; }
    template <class F>
    void for_each(F&& f) const {
        for (std::size_t slot = 0; slot != objects_.size(); ++slot)
            if (objects_[slot] != nullptr) f(*objects_[slot]);
    }

    /// Bytes of the objects and their numbers, with what own(object) says that one holds.
    template <class Own>
    std::size_t memory_usage(Own&& own) const noexcept {
        std::size_t bytes = memory_of(objects_, vacant_);
        for_each([&](const T& each) { bytes += sizeof(T) + own(each); });
        return bytes;
    }

    /// Room for one object more, or no change. Returns the number that it will get.
    slot_t reserve_one() {
        if (!vacant_.empty()) return vacant_.back();
        if (objects_.size() == no_slot) throw_length_error("ObjectPool: there are too many objects");
        if (objects_.size() == objects_.capacity()) objects_.reserve(2 * objects_.size() + 4);
        if (vacant_.capacity() < objects_.capacity()) vacant_.reserve(objects_.capacity()); // erase() then needs no memory
        return slot_count();
    }
    /// Adds *make(), or nothing if that throws. @pre reserve_one() was called, and nothing came since
    template <class Make>
    T& add(Make&& make) {
        const slot_t slot = vacant_.empty() ? slot_count() : vacant_.back();
        T* const made = make();
        made->slot = slot;
        if (vacant_.empty())
            objects_.push_back(made);
        else {
            objects_[slot] = made;
            vacant_.pop_back();
        }
        return *made;
    }
    /// Destroys an object. @param again whether its number is used again
    void erase(T& object, bool again = true) noexcept {
        const slot_t slot = object.slot;
        objects_[slot] = nullptr;
        delete &object; // before its number is vacant
        again ? vacant_.push_back(slot) : static_cast<void>(++retired_);
    }
    bool check_invariants() const noexcept {
        std::size_t vacant = 0;
        for (std::size_t slot = 0; slot != objects_.size(); ++slot) {
            vacant += objects_[slot] == nullptr;
            if (objects_[slot] != nullptr && objects_[slot]->slot != slot) return false;
        }
        for (const slot_t slot : vacant_)
            if (slot >= objects_.size() || objects_[slot] != nullptr) return false;
        return vacant == vacant_.size() + retired_ && vacant_.capacity() >= objects_.size();
    }

private:
    PlainVector<T*> objects_{};
    PlainVector<slot_t> vacant_{};
    std::size_t retired_ = 0;
};

/// Objects that are found by a hash of what they are. @tparam T has a member `tag` too, the hash
template <class T>
class ObjectTable {
public:
    void swap(ObjectTable& other) noexcept {
        pool_.swap(other.pool_);
        by_tag_.swap(other.by_tag_);
    }
    std::size_t size() const noexcept { return pool_.size(); }
    bool empty() const noexcept { return pool_.empty(); }
    const ObjectPool<T>& pool() const noexcept { return pool_; }
    template <class Own>
    std::size_t memory_usage(Own&& own) const noexcept {
        return pool_.memory_usage(own) + by_tag_.memory_usage();
    }
    /// The object with this tag for which matches(object) holds; null if there is none.
    template <class Match>
    SLOTWISE_ALWAYS_INLINE T* find(std::uint32_t tag, Match&& matches) const {
        const slot_t slot = by_tag_.find(tag, [&](slot_t each) { return matches(std::as_const(*pool_[each])); });
        return slot == no_slot ? nullptr : pool_[slot];
    }
    /// Room for one object more, see ObjectPool.
    slot_t reserve_one(std::uint32_t tag) {
        by_tag_.make_room(tag, size() + 1);
        return pool_.reserve_one();
    }
    /// Adds *make(), whose tag this is. @pre reserve_one(tag)
    template <class Make>
    T& add(std::uint32_t tag, Make&& make) {
        T& made = pool_.add(std::forward<Make>(make));
        made.tag = tag;
        by_tag_.insert(tag, made.slot);
        return made;
    }
    template <class... Args>
    T& emplace(std::uint32_t tag, Args&&... args) {
        static_cast<void>(reserve_one(tag));
        return add(tag, [&] { return new T(std::forward<Args>(args)...); });
    }
    void erase(T& object, bool again = true) noexcept {
        by_tag_.erase(object.tag, object.slot);
        pool_.erase(object, again);
    }
    bool check_invariants() const {
        return pool_.check_invariants() && by_tag_.is_sound(size(), [&](slot_t slot) { return pool_[slot]->tag; });
    }

private:
    ObjectPool<T> pool_{};
    ValueTable<false, std::allocator<std::byte>> by_tag_{std::allocator<std::byte>()};
};

} // namespace detail

SLOTWISE_END

#endif
