// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SwitchMap: each id has one of a few values, and each value has its ids in one array. Before it stand its iterators and the
// values with their ids, SwitchBuckets.
#ifndef SLOTWISE_SPARSE_SWITCH_MAP_HPP
#define SLOTWISE_SPARSE_SWITCH_MAP_HPP

#include "../core/detail/iterators.hpp"
#include "../core/detail/seal.hpp"
#include "../core/id_traits.hpp"
#include "../fwd.hpp"
#include "../memory/aligned_array.hpp"
#include "../memory/sparse_pages.hpp"
#include "../memory/value_table.hpp"
#include "../rows/detail/row_container.hpp"
#include "../slots/detail/absence.hpp"
#include "../slots/detail/arguments.hpp"

#include <array>
#include <cstring>
#include <span>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// What a walk over values yields.
template <class Id, class Value>
struct SwitchItem {
    const Value& value;
    std::span<const Id> ids;
};

/// The iterator over values that have ids. It is a place in the list of values, so that it stays valid when values behind it
/// come and go.
template <class Buckets>
class SwitchIterator : public IteratorFacade<SwitchIterator<Buckets>, typename Buckets::Item, typename Buckets::Item,
                                             std::bidirectional_iterator_tag> {
    using Item = typename Buckets::Item;
    friend IteratorFacade<SwitchIterator, Item, Item, std::bidirectional_iterator_tag>;

public:
    SwitchIterator() noexcept = default;
    /// For the map: at this place.
    SwitchIterator(const Buckets& buckets, slot_t place) noexcept : buckets_(std::addressof(buckets)), place_(place) {}
    friend bool operator==(const SwitchIterator& a, const SwitchIterator& b) noexcept { return a.place_ == b.place_; }

private:
    Item dereference() const noexcept {
        const auto& bucket = buckets_->listed(place_);
        return {bucket.value, bucket.span()};
    }
    void increment() noexcept { ++place_; }
    void decrement() noexcept { --place_; }

    const Buckets* buckets_ = nullptr;
    slot_t place_ = 0;
};

/// The iterator over ids that have a value, value by value.
template <class Buckets>
class SwitchIdIterator
    : public IteratorFacade<SwitchIdIterator<Buckets>, typename Buckets::id_type, const typename Buckets::id_type&> {
    using Id = typename Buckets::id_type;
    friend IteratorFacade<SwitchIdIterator, Id, const Id&>;

public:
    SwitchIdIterator() noexcept = default;
    /// For the map: at the first id of a value.
    explicit SwitchIdIterator(SwitchIterator<Buckets> item) noexcept : item_(item) {}
    /// The value of the id here. @pre not at the end
    const auto& value() const noexcept { return (*item_).value; }
    friend bool operator==(const SwitchIdIterator& a, const SwitchIdIterator& b) noexcept {
        return a.item_ == b.item_ && a.row_ == b.row_;
    }

private:
    const Id& dereference() const noexcept { return (*item_).ids[row_]; }
    void increment() noexcept {
        if (++row_ != (*item_).ids.size()) return;
        row_ = 0;
        ++item_;
    }

    SwitchIterator<Buckets> item_{};
    std::size_t row_ = 0;
};

/// The values of a SwitchMap: a bucket, with packed ids, for each value that has ids. The number of a bucket is stable; a list
/// has the numbers without gaps. It does not know where the positions of ids are kept.
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
        slot_t place = 0; // in the list; in a bucket without value, the number of the next such bucket
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
    /// Removes a value that has no id, or whose last id goes. The value is destroyed when all else is done.
    void drop(slot_t number) noexcept {
        Bucket& bucket = buckets_[number];
        table_.erase(bucket.tag, number);
        const slot_t last = list_[--count_];
        list_[bucket.place] = last;
        buckets_[last].place = bucket.place;
        bucket.count = 0;
        // The memory of the ids is kept: otherwise a value that comes and goes with one id would allocate each time.
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

/// What an ArchetypeStore does with a SwitchMap before it calls hooks.
struct SwitchMapMemory {
    /// Memory for the next set(id, value), which then allocates nothing. @pre the id has a value
    /// @throws what the allocator, Hash and Equal throw; nothing has changed then
    template <class Map>
    static void reserve_set(Map& map, const typename Map::value_type& value) {
        const std::uint32_t tag = map.buckets_.tag(value);
        const slot_t to = map.buckets_.find(tag, value);
        if (to == no_slot)
            map.buckets_.reserve_add(tag);
        else
            map.buckets_.reserve_id(map.buckets_[to]);
    }
};

} // namespace detail

/// A map that gives each id at most one value of a few: the state of a state machine, a team, the target of a relation. The ids
/// of each value are packed in one array, so that a loop over them costs what a loop over a span costs. (flecs linked the ids
/// of a value, which took 9 to 180 times as long to walk.) Pages, found by the id's index, have the number of the value and the
/// row of the id among the ids of that value.
///
/// An id with a newer version takes the place of the older id of its index; an older version is refused. A value whose last id
/// goes is destroyed and its memory freed. The order of values, and of the ids of one, is unspecified; it is part of a
/// snapshot. A floating-point NaN is one value, whatever its bits, as with EqualTo everywhere. Any other value that does not
/// equal itself, such as a struct with a NaN, is refused, because of() would not find it.
///
/// While of(v), values() or items() are walked from the last to the first, the current id or value may be erased or set to
/// another value. Hash, Equal, and constructors and destructors of values must not change the map.
/// @tparam Id a type with IdTraits @tparam Value hashable and equality comparable; its move does not throw
/// @tparam With in any order: HashBy<H>, EqualBy<E>, AllocBy<A>
template <class Id, class Value, class... With>
class SwitchMap {
    static_assert(detail::is_id<Id>,
                  "SwitchMap<Id, Value>: the first argument is an id: a handle, an unsigned integer of at most "
                  "32 bits, an enumeration over one, or a type with a specialisation of IdTraits");
    static_assert(Storable<Value> && std::is_nothrow_move_constructible_v<Value>,
                  "SwitchMap<Id, Value>: Value is an object type whose move constructor does not throw; store an index or a "
                  "std::shared_ptr of another one");
    using Args = detail::Arguments<detail::with_hash | detail::with_equal | detail::with_alloc, detail::NoOptions, std::byte,
                                   Value, With...>;
    using Hash = typename Args::template get<detail::with_hash, DefaultHash<Value>>;
    using Equal = typename Args::template get<detail::with_equal, EqualTo>;
    using Allocator = typename Args::allocator;
    static_assert(std::is_nothrow_copy_constructible_v<Hash> && std::is_nothrow_copy_constructible_v<Equal>,
                  "SwitchMap: the copy constructors of HashBy<H> and EqualBy<E> must not throw");
    using Traits = IdTraits<Id>;
    using Buckets = detail::SwitchBuckets<Id, Value, Hash, Equal, Allocator>;
    using Bucket = typename Buckets::Bucket;
    using IdIterator = detail::SwitchIdIterator<Buckets>;

    struct Entry {
        slot_t bucket = no_slot; // no_slot: the index has no value
        slot_t row = 0;
    };
    static constexpr slot_t page_slots = 4096 / sizeof(Entry);
    struct Page : detail::PageLink<Page> {
        Entry entries[page_slots];
        slot_t used = 0;
    };
    using Pages = detail::SparsePages<Page, Allocator>;

public:
    using id_type = Id;
    using value_type = Value;
    using size_type = std::size_t;
    using allocator_type = Allocator;

    /// A value and its ids: `value` and `ids`. Binds as auto [value, ids].
    using Item = detail::SwitchItem<Id, Value>;
    using iterator = detail::SwitchIterator<Buckets>;
    using const_iterator = iterator;

    //=== construction ===//

    SwitchMap()
        requires(std::is_default_constructible_v<Allocator> && std::is_default_constructible_v<Hash> &&
                 std::is_default_constructible_v<Equal>)
        : SwitchMap(Allocator()) {}
    explicit SwitchMap(const Allocator& alloc)
        requires(std::is_default_constructible_v<Hash> && std::is_default_constructible_v<Equal>)
        : SwitchMap(Hash(), Equal(), alloc) {}
    /// Uses these functors.
    explicit SwitchMap(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : pages_(alloc), buckets_(hash, equal, alloc) {}
    /// Copies ids and values in their order. @throws what the allocator and the copies throw
    SwitchMap(const SwitchMap& other)
        : SwitchMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    SwitchMap(const SwitchMap& other, const Allocator& alloc) : SwitchMap(other.hash(), other.equal(), alloc) {
        enter(other, [](Bucket& bucket) -> const Value& { return bucket.value; });
    }
    /// `other` is empty then.
    SwitchMap(SwitchMap&& other) noexcept : SwitchMap(other.hash(), other.equal(), other.get_allocator()) {
        swap_contents(other);
    }
    /// As above; values are moved one by one when the allocators differ. @throws what the allocator throws; `other` is empty
    /// then
    SwitchMap(SwitchMap&& other, const Allocator& alloc) : SwitchMap(other.hash(), other.equal(), alloc) {
        if (alloc == other.get_allocator()) {
            swap_contents(other);
            return;
        }
        const ScopeGuard emptied([&]() noexcept { other.clear(); });
        enter(other, [](Bucket& bucket) -> Value&& { return std::move(bucket.value); });
    }
    /// @throws what the allocator and the copies throw; strong
    SwitchMap& operator=(const SwitchMap& other) {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// `other` is empty then. @throws what the allocator throws when the allocators differ and do not propagate
    SwitchMap& operator=(SwitchMap&& other) noexcept(detail::RowRules::nothrow_move<SwitchMap>) {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    ~SwitchMap() = default;
    /// Exchanges the contents. Unequal allocators that do not propagate: values are moved one by one.
    void swap(SwitchMap& other) noexcept(detail::RowRules::nothrow_swap<SwitchMap>) { detail::RowRules::swap(*this, other); }
    friend void swap(SwitchMap& a, SwitchMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
    allocator_type get_allocator() const noexcept { return pages_.get_allocator(); }

    //=== capacity ===//

    /// The number of ids that have a value.
    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Room for `values` different values. @throws what the allocator throws; strong
    void reserve(size_type values) { buckets_.reserve(values); }
    /// Frees memory that no id and no value needs: erase keeps pages for other ids. @throws what the allocator throws; strong
    void shrink_to_fit() {
        buckets_.shrink_to_fit();
        pages_.clear_if([](const Page& page) { return page.used == 0; });
    }

    //=== lookup ===//

    /// The value of exactly this id, or null. Any bit pattern is allowed. @complexity O(1), far indices O(log pages)
    /// @invalidates set() and erase()
    SLOTWISE_ALWAYS_INLINE const Value* get(Id id) const noexcept {
        const Entry* const entry = find(id);
        return entry == nullptr ? nullptr : std::addressof(buckets_[entry->bucket].value);
    }
    bool contains(Id id) const noexcept { return find(id) != nullptr; }
    /// @throws std::out_of_range when the id has no value
    const Value& at(Id id) const {
        const Value* const value = get(id);
        if (value == nullptr) [[unlikely]]
            detail::throw_absent("SwitchMap at(id): the id has no value; get(id) returns null then", detail::text_of_id(id),
                                 "has none");
        return *value;
    }
    /// The ids that have the value. @throws what Hash and Equal throw @complexity O(1) @invalidates set() and erase() of an id
    /// that has the value, or gets it
    std::span<const Id> of(const Value& value) const {
        const slot_t number = buckets_.find(value);
        return number == no_slot ? std::span<const Id>() : buckets_[number].span();
    }
    /// How many ids have the value; as of()
    size_type count(const Value& value) const { return of(value).size(); }
    /// Whether any id has the value; as of()
    bool contains_value(const Value& value) const { return buckets_.find(value) != no_slot; }

    //=== ids come and go ===//

    /// Gives the id this value in place of the one it has. Whether something changed: false when it has the value, and when the
    /// id is refused, because a newer version of its index has a value or it can never be live. `value` may be one of the
    /// map's.
    /// @throws std::invalid_argument when no id has the value and it does not equal itself, what the allocator, Hash, Equal and
    /// the value's copy throw; strong @complexity amortised O(1), far indices O(log pages)
    bool set(Id id, const Value& value) { return do_set(id, value); }
    bool set(Id id, Value&& value) { return do_set(id, std::move(value)); }
    /// Removes the id; false when it has no value. The last id of that value takes its row. @complexity O(1), far indices O(log
    /// pages)
    bool erase(Id id) noexcept {
        Entry* const entry = find(id);
        if (entry == nullptr) return false;
        const slot_t bucket = entry->bucket;
        take_out(buckets_[bucket], entry->row);
        entry->bucket = no_slot;
        release(Traits::index(id));
        --size_;
        if (buckets_[bucket].count == 0) buckets_.drop(bucket);
        return true;
    }
    /// Removes all ids that have the value, for example because it is the target of a relation and dies; returns how many.
    /// @throws what Hash and Equal throw; nothing is erased then @complexity O(ids of the value)
    size_type erase_value(const Value& value) {
        const slot_t number = buckets_.find(value);
        if (number == no_slot) return 0;
        const auto gone = buckets_[number].span();
        for (const Id id : gone) {
            pages_.find(Traits::index(id) / page_slots)->entries[Traits::index(id) % page_slots].bucket = no_slot;
            release(Traits::index(id));
        }
        size_ -= gone.size();
        const size_type count = gone.size();
        buckets_.drop(number);
        return count;
    }
    /// Removes all and frees the memory.
    void clear() noexcept {
        pages_.clear();
        size_ = 0;
        buckets_.clear();
    }

    //=== walks ===//

    /// The values that have ids, each with its ids: for (auto [value, ids] : map).
    iterator begin() const noexcept { return iterator(buckets_, 0); }
    iterator end() const noexcept { return iterator(buckets_, buckets_.size()); }
    auto items() const noexcept { return detail::IteratorRange<iterator>(begin(), end(), buckets_.size()); }
    /// The values that have ids, without gaps.
    auto values() const noexcept { return detail::part_range<detail::ValuePart>(begin(), end(), buckets_.size()); }
    /// The ids that have a value, value by value.
    auto ids() const noexcept { return detail::IteratorRange<IdIterator>(IdIterator(begin()), IdIterator(end()), size_); }
    /// Calls f(value, ids) for each value that has ids.
    template <class F>
    void for_each(F&& f) const {
        for (slot_t place = buckets_.size(); place-- != 0;)
            if (place < buckets_.size()) f(buckets_.listed(place).value, buckets_.listed(place).span());
    }

    //=== comparison and snapshots ===//

    /// Whether both have the same ids, each with an equal value, in whatever order.
    friend bool operator==(const SwitchMap& a, const SwitchMap& b) {
        if (a.size_ != b.size_) return false;
        for (const auto& [value, ids] : a)
            for (const Id id : ids)
                if (const Value* const other = b.get(id); other == nullptr || !a.equal()(value, *other)) return false;
        return true;
    }
    /// The exact state as bytes, in the order of items(). The same state gives the same bytes.
    /// @param codec how values become bytes; see DefaultCodec
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        for (const std::uint8_t byte : header()) out.number(byte);
        out.number(std::uint64_t{buckets_.size()});
        for (const auto& [value, ids] : *this) {
            codec.write(value, out);
            out.number(std::uint64_t{ids.size()});
            out.raw(ids.data(), ids.size_bytes());
        }
        return detail::Seal::close<Codec>(out, tags<Codec>);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator, Hash, Equal and the
    /// codec throw; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws; strong
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const wrong = detail::Seal::open<Codec>(bytes, kind(), tags<Codec>)) return wrong;
        SwitchMap restored(hash(), equal(), get_allocator());
        ByteReader in(bytes);
        if (restored.read(in, codec)) swap_contents(restored);
        return in.error();
    }
    /// Bytes held on the heap, without what values hold themselves. @complexity linear in values
    size_type memory_usage() const noexcept { return detail::memory_of(pages_, buckets_); }
    /// Whether pages and buckets agree; for tests.
    bool check_invariants() const {
        size_type ids = 0, entries = 0;
        for (const auto& [value, of_value] : *this) {
            ids += of_value.size();
            for (const Id& id : of_value) {
                const Entry* const entry = find(id);
                if (entry == nullptr || !Traits::can_live(id) ||
                    std::addressof(buckets_[entry->bucket].value) != std::addressof(value) ||
                    std::addressof(id) != of_value.data() + entry->row)
                    return false;
            }
        }
        bool sound = true;
        pages_.for_each([&](slot_t, const Page& page) {
            slot_t used = 0;
            for (const Entry& entry : page.entries) used += entry.bucket != no_slot;
            sound = sound && used == page.used;
            entries += used;
        });
        return sound && ids == size_ && entries == size_ && buckets_.is_sound();
    }

private:
    friend detail::RowRules;
    friend detail::SwitchMapMemory;

    const Hash& hash() const noexcept { return buckets_.hash(); }
    const Equal& equal() const noexcept { return buckets_.equal(); }
    template <class Codec>
    static constexpr std::array tags = {detail::ElementTag{detail::ElementRole::id, detail::type_tag<DefaultCodec, Id>()},
                                        detail::ElementTag{detail::ElementRole::value, detail::type_tag<Codec, Value>()}};
    /// The first four bytes of header().
    static std::uint32_t kind() noexcept { return detail::number_of(header()); }
    static auto header() noexcept {
        constexpr std::uint32_t size = detail::size_check_of<Value>();
        return std::array<std::uint8_t, 9>{'S',
                                           'L',
                                           'W',
                                           std::endian::native == std::endian::little ? std::uint8_t{1} : std::uint8_t{2},
                                           sizeof(Id),
                                           size & 0xFF,
                                           size >> 8 & 0xFF,
                                           size >> 16 & 0xFF,
                                           size >> 24};
    }

    /// The entry of exactly this id, or null.
    SLOTWISE_ALWAYS_INLINE Entry* find(Id id) const noexcept {
        const slot_t index = Traits::index(id);
        Page* const page = pages_.find(index / page_slots);
        if (page == nullptr) return nullptr;
        Entry& entry = page->entries[index % page_slots];
        if (entry.bucket == no_slot) return nullptr;
        if constexpr (Traits::versioned)
            if (Traits::version(buckets_[entry.bucket].ids[entry.row]) != Traits::version(id)) return nullptr;
        return std::addressof(entry);
    }
    // Only the change of an id's value to one that other ids have is inline. With the rest inline, too, a loop that calls it
    // had too few registers and took a fifth longer.
    template <class V>
    SLOTWISE_ALWAYS_INLINE bool do_set(Id id, V&& value) {
        if (!Traits::can_live(id)) return false;
        const slot_t index = Traits::index(id);
        const std::uint32_t tag = buckets_.tag(value);
        const slot_t to = buckets_.find(tag, value);
        Page* const page = pages_.find(index / page_slots);
        if (page == nullptr || to == no_slot) [[unlikely]]
            return set_slowly(id, tag, to, std::forward<V>(value));
        Entry& entry = page->entries[index % page_slots];
        const Entry before = entry;
        if (before.bucket == no_slot) return put(id, entry, *page, to);
        Bucket& from = buckets_[before.bucket];
        if constexpr (Traits::versioned)
            if (Traits::version(from.ids[before.row]) != Traits::version(id)) [[unlikely]]
                return put(id, entry, *page, to);
        if (before.bucket == to) return false;
        Bucket& bucket = buckets_[to];
        if (bucket.count == bucket.ids.size()) [[unlikely]]
            Buckets::grow(bucket);
        entry = {to, bucket.count};
        bucket.ids[bucket.count++] = detail::without_user_bits(id);
        take_out(from, before.row);
        if (from.count == 0) [[unlikely]]
            buckets_.drop(before.bucket);
        return true;
    }
    // Gives the id the value of bucket `to`. Only growth throws, and nothing has changed then.
    SLOTWISE_NEVER_INLINE bool put(Id id, Entry& entry, Page& page, slot_t to) {
        const Entry before = entry;
        if (before.bucket != no_slot) {
            Id& there = buckets_[before.bucket].ids[before.row];
            if (Traits::version(there) > Traits::version(id)) return false;
            if (before.bucket == to) {
                const bool same = Traits::version(there) == Traits::version(id);
                there = detail::without_user_bits(id);
                return !same;
            }
        }
        Bucket& bucket = buckets_[to];
        if (bucket.count == bucket.ids.size()) Buckets::grow(bucket);
        entry = {to, bucket.count};
        bucket.ids[bucket.count++] = detail::without_user_bits(id);
        if (before.bucket == no_slot) {
            ++page.used;
            ++size_;
            return true;
        }
        take_out(buckets_[before.bucket], before.row);
        if (buckets_[before.bucket].count == 0) buckets_.drop(before.bucket);
        return true;
    }
    // The page or the value is new.
    template <class V>
    SLOTWISE_NEVER_INLINE bool set_slowly(Id id, std::uint32_t tag, slot_t to, V&& value) {
        const slot_t index = Traits::index(id);
        if (Traits::versioned && to == no_slot)
            if (const Page* const page = pages_.find(index / page_slots); page != nullptr)
                if (const Entry& entry = page->entries[index % page_slots]; entry.bucket != no_slot)
                    if (Traits::version(buckets_[entry.bucket].ids[entry.row]) > Traits::version(id)) return false;
        if (to == no_slot && !buckets_.is_reflexive(value)) [[unlikely]]
            detail::throw_invalid_argument("SwitchMap set(id, value): the value does not equal itself, so that of(value) would "
                                           "not find it; leave the id without value, or give EqualBy<E> that calls it equal");
        Page& page = pages_.make(index / page_slots);
        ScopeGuard undo([&]() noexcept {
            if (page.used == 0) emptied(index, page);
        });
        if (to == no_slot) to = buckets_.add(tag, std::forward<V>(value)); // it has room for an id
        const bool changed = put(id, page.entries[index % page_slots], page, to);
        undo.dismiss();
        return changed;
    }
    // Fills the row with the last id of the bucket.
    SLOTWISE_ALWAYS_INLINE void take_out(Bucket& bucket, slot_t row) noexcept {
        const slot_t count = --bucket.count;
        if (row == count) return; // or its entry, which may be another bucket's by now, would be written
        const Id last = bucket.ids[count];
        bucket.ids[row] = last;
        const slot_t index = Traits::index(last);
        pages_.find(index / page_slots)->entries[index % page_slots].row = row;
    }
    void release(slot_t index) noexcept {
        Page& page = *pages_.find(index / page_slots);
        if (--page.used == 0) emptied(index, page);
    }
    void emptied(slot_t index, Page& page) noexcept {
        pages_.emptied(index / page_slots, page, [](const Page& each) { return each.used == 0; });
    }
    void swap_contents(SwitchMap& other) noexcept {
        pages_.swap(other.pages_);
        buckets_.swap(other.buckets_);
        std::swap(size_, other.size_);
    }
    // @pre this is empty
    template <class Take>
    void enter(const SwitchMap& other, Take&& take) {
        for (slot_t place = 0; place != other.buckets_.size(); ++place) {
            Bucket& bucket = other.buckets_.listed(place);
            slot_t to = no_slot;
            for (const Id id : bucket.span()) {
                Page& page = pages_.make(Traits::index(id) / page_slots);
                if (to == no_slot) to = buckets_.add(bucket.tag, take(bucket)); // by its tag, because its value may move
                put(id, page.entries[Traits::index(id) % page_slots], page, to);
            }
        }
    }
    template <class Codec>
    bool read(ByteReader& in, Codec& codec) {
        for (const std::uint8_t byte : header())
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: these bytes are no snapshot of a SwitchMap with ids and values of these sizes");
        const auto values = in.number<std::uint64_t>();
        for (std::uint64_t i = 0; i != values && in.error() == nullptr; ++i) {
            const Value value(codec.template read<Value>(in));
            const std::size_t count = in.length(sizeof(Id));
            const auto bytes = in.raw(count * sizeof(Id));
            if (in.error() != nullptr) break;
            if (count == 0 || contains_value(value)) return in.fail("snapshot: a value has no ids, or occurs twice");
            if (!buckets_.is_reflexive(value)) return in.fail("snapshot: a value does not equal itself");
            for (std::size_t row = 0; row != count; ++row) {
                Id id;
                std::memcpy(static_cast<void*>(std::addressof(id)), bytes.data() + row * sizeof(Id), sizeof(Id));
                if (!Traits::can_live(id) || !(detail::without_user_bits(id) == id))
                    return in.fail("snapshot: an id is one that no container has");
                const size_type before = size_;
                set(id, value);
                if (size_ == before) return in.fail("snapshot: two ids have one index");
            }
        }
        if (in.error() == nullptr && in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        return in.error() == nullptr;
    }

    Pages pages_;
    Buckets buckets_;
    size_type size_ = 0;
};

SLOTWISE_END

#endif
