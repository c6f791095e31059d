// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SwitchBuckets: the values of a SwitchMap, each with its packed ids.
#ifndef SLOTWISE_SPARSE_SWITCH_BUCKETS_HPP
#define SLOTWISE_SPARSE_SWITCH_BUCKETS_HPP

#include "../memory/aligned_array.hpp"
#include "switch_iterator.hpp"
#include "value_table.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A bucket for each value that has ids. Its number is stable; a list has the numbers without gaps. It does not know where the
/// positions of ids are kept.
template <class Id, class Value, class Hash, class Equal, class Allocator>
class SwitchBuckets {
    static constexpr bool numbers = (std::is_integral_v<Value> || std::is_enum_v<Value>)&&sizeof(Value) <= 4 &&
                                    std::is_same_v<Hash, DefaultHash<Value>> && std::is_same_v<Equal, EqualTo>;
    using value_allocator = rebind_t<Allocator, Value>;
    using Ids = FlatArray<Id, Allocator>;

public:
    using id_type = Id;
    using Item = SwitchItem<Id, Value>;
    struct Bucket {
        Ids ids;
        slot_t count = 0; // 0: there is no value here
        slot_t place = 0; // in the list; of a bucket without value, the number of the next such bucket
        std::uint32_t tag = 0;
        union {
            Value value;
        };
        explicit Bucket(const Allocator& alloc) noexcept : ids(alloc) {}
        Bucket(Bucket&& other) noexcept : ids(std::move(other.ids)), count(other.count), place(other.place), tag(other.tag) {
            if (count != 0) std::construct_at(std::addressof(value), std::move(other.value));
        }
        ~Bucket() {
            if (count != 0) end();
        }
        // @pre there is a value
        void end() noexcept {
            value_allocator values(ids.get_allocator());
            std::allocator_traits<value_allocator>::destroy(values, std::addressof(value));
        }
        std::span<const Id> span() const noexcept { return {ids.data(), count}; }
    };

    SwitchBuckets(const Hash& hash, const Equal& equal, const Allocator& alloc)
        : buckets_(alloc), list_(alloc), table_(alloc), spare_(alloc), hash_(hash), equal_(equal) {}
    SwitchBuckets(const SwitchBuckets&) = delete;
    SwitchBuckets& operator=(const SwitchBuckets&) = delete;
    ~SwitchBuckets() { buckets_.destroy(0, made_); }
    void swap(SwitchBuckets& other) noexcept {
        buckets_.swap(other.buckets_);
        list_.swap(other.list_);
        table_.swap(other.table_);
        spare_.swap(other.spare_);
        std::swap(count_, other.count_);
        std::swap(made_, other.made_);
        std::swap(free_, other.free_);
        if constexpr (!std::is_empty_v<Hash>) exchange_by_moving(hash_, other.hash_);
        if constexpr (!std::is_empty_v<Equal>) exchange_by_moving(equal_, other.equal_);
    }
    Allocator get_allocator() const noexcept { return Allocator(list_.get_allocator()); }
    const Hash& hash() const noexcept { return hash_; }
    const Equal& equal() const noexcept { return equal_; }

    /// How many values have ids.
    slot_t size() const noexcept { return count_; }
    Bucket& operator[](slot_t number) const noexcept { return buckets_[number]; }
    /// The bucket at a place of the list.
    Bucket& listed(std::size_t place) const noexcept { return buckets_[list_[place]]; }

    SLOTWISE_ALWAYS_INLINE std::uint32_t tag(const Value& value) const {
        if constexpr (numbers)
            return static_cast<std::uint32_t>(value);
        else if constexpr (Avalanching<Hash>)
            return static_cast<std::uint32_t>(hash_(value));
        else
            return static_cast<std::uint32_t>(mix_bits(hash_(value)));
    }
    /// The number of the value's bucket, or no_slot. @throws what Hash and Equal throw
    SLOTWISE_ALWAYS_INLINE slot_t find(std::uint32_t tag, const Value& value) const {
        return table_.find(tag, [&](slot_t number) {
            if constexpr (numbers)
                return true;
            else
                return static_cast<bool>(equal_(std::as_const(buckets_[number].value), value));
        });
    }
    slot_t find(const Value& value) const { return find(tag(value), value); }
    /// Whether the value equals itself. Throws what Equal throws.
    bool is_reflexive(const Value& value) const {
        if constexpr (std::is_scalar_v<Value> && std::is_same_v<Equal, EqualTo>)
            return true;
        else
            return static_cast<bool>(equal_(value, value));
    }
    /// Room for `count` values. @throws what the allocator throws; nothing has changed then
    void reserve(std::size_t count) {
        if (count > buckets_.capacity()) buckets_.resize(reserved_capacity(count, buckets_.capacity()), made_);
        if (count > list_.size()) list_.resized(reserved_capacity(count, list_.size()), 0).swap(list_);
    }
    /// Memory for the next add() of a value with this tag: then only the value's construction throws.
    /// @throws what the allocator throws; nothing has changed then
    void reserve_add(std::uint32_t tag) {
        if (count_ == list_.size()) reserve_more();
        table_.make_room(tag, count_);
        if (!spare_.empty()) return;
        auto room = spare_.resized(least_room, Id{});
        spare_.swap(room);
    }
    /// Memory for one more id of a bucket. @throws what the allocator throws; nothing has changed then
    static void reserve_id(Bucket& bucket) {
        if (bucket.count == bucket.ids.size()) grow(bucket);
    }
    /// A bucket with room for an id, which the caller must put there. @pre no bucket has the value
    /// @throws what the allocator and the value throw; nothing has changed then
    template <class V>
    slot_t add(std::uint32_t tag, V&& value) {
        if (count_ == list_.size()) {
            if constexpr (std::is_lvalue_reference_v<V>) {
                TemporaryElement<Value, value_allocator> kept(get_allocator(), value);
                reserve_more();
                return add(tag, kept.take());
            } else
                reserve_more();
        }
        table_.make_room(tag, count_);
        Ids ids(Allocator(list_.get_allocator()));
        if (spare_.empty()) {
            auto room = ids.resized(least_room, Id{});
            ids.swap(room);
        }
        const slot_t number = free_ != no_slot ? free_ : made_;
        if (number == made_) {
            buckets_.construct(number, get_allocator());
            ++made_;
            buckets_[number].place = std::exchange(free_, number); // if the value throws it stays free
        }
        Bucket& bucket = buckets_[number];
        value_allocator values(list_.get_allocator());
        std::allocator_traits<value_allocator>::construct(values, std::addressof(bucket.value), std::forward<V>(value));
        free_ = bucket.place;
        bucket.ids.swap(spare_.empty() ? ids : spare_);
        bucket.tag = tag;
        bucket.place = count_;
        list_[count_++] = number;
        table_.insert(tag, number);
        return number;
    }
    /// Room for one more id. @throws what the allocator throws; nothing has changed then
    static void grow(Bucket& bucket) {
        auto more = bucket.ids.resized(2 * bucket.ids.size(), Id{});
        bucket.ids.swap(more);
    }
    /// The value has no id any more, or got none. The value is destroyed when all else is done.
    void drop(slot_t number) noexcept {
        Bucket& bucket = buckets_[number];
        table_.erase(bucket.tag, number);
        const slot_t last = list_[--count_];
        list_[bucket.place] = last;
        buckets_[last].place = bucket.place;
        bucket.count = 0;
        // A value that comes and goes with one id would allocate each time.
        if (spare_.empty() && bucket.ids.size() <= most_spare) bucket.ids.swap(spare_);
        bucket.ids.free();
        bucket.end();
        bucket.place = std::exchange(free_, number);
    }
    /// As if each bucket were dropped; frees all memory.
    void clear() noexcept {
        AlignedArray<Bucket, Allocator> gone(get_allocator());
        gone.swap(buckets_);
        const slot_t made = std::exchange(made_, 0);
        list_.free();
        table_.free();
        spare_.free();
        count_ = 0;
        free_ = no_slot;
        gone.destroy(0, made);
    }
    void shrink_to_fit() {
        for (slot_t place = 0; place != count_; ++place) {
            Bucket& bucket = buckets_[list_[place]];
            if (bucket.count == bucket.ids.size()) continue;
            auto fewer = bucket.ids.resized(bucket.count, Id{});
            bucket.ids.swap(fewer);
        }
        spare_.free();
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(buckets_, list_, table_, spare_);
        for (slot_t number = 0; number != made_; ++number) bytes += buckets_[number].ids.memory_usage();
        return bytes;
    }
    /// Whether list, table and buckets agree; for tests.
    bool is_sound() const {
        for (slot_t place = 0; place != count_; ++place) {
            const Bucket& bucket = listed(place);
            if (bucket.place != place || bucket.count == 0 || bucket.count > bucket.ids.size()) return false;
            if (find(tag(bucket.value), bucket.value) != list_[place]) return false;
        }
        slot_t vacant = 0;
        for (slot_t number = free_; number != no_slot; number = buckets_[number].place, ++vacant)
            if (vacant == made_ || buckets_[number].count != 0 || !buckets_[number].ids.empty()) return false;
        return made_ == count_ + vacant &&
               (made_ == 0 || table_.is_sound(count_, [this](slot_t number) { return buckets_[number].tag; }));
    }

private:
    static constexpr std::size_t least_room = sizeof(Id) >= 16 ? 1 : 16 / sizeof(Id), most_spare = 64;

    void reserve_more() {
        const std::size_t count = count_ < 4 ? 8 : std::size_t{2} * count_;
        reserve(count < no_slot ? count : std::size_t{no_slot});
        if (count_ == no_slot) throw_length_error("SwitchMap: more than 2^32 - 1 values");
    }

    AlignedArray<Bucket, Allocator> buckets_;
    FlatArray<slot_t, Allocator> list_; // the numbers of the buckets with ids
    ValueTable<numbers, Allocator> table_;
    Ids spare_; // of the bucket that was dropped last
    slot_t count_ = 0;
    slot_t made_ = 0;
    slot_t free_ = no_slot; // the first bucket without value
    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_;
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal_;
};

} // namespace detail
SLOTWISE_END

#endif
