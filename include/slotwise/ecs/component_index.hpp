// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ComponentIndex: which tables have an id, and where a table has it. PairTraits: which ids are pairs.
#ifndef SLOTWISE_ECS_COMPONENT_INDEX_HPP
#define SLOTWISE_ECS_COMPONENT_INDEX_HPP

#include "../core/detail/iterators.hpp"
#include "../core/scope_guard.hpp"
#include "../core/with.hpp"
#include "component_id.hpp"
#include "detail/id_set.hpp"
#include "detail/object_pool.hpp"

#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

/// Tables in the order of their creation, each with some values. To erase one is O(log n), amortised: its place stays until
/// half of the places are such, because a crowd that is despawned erases thousands of tables one by one.
/// @tparam Item what a walk gives: Item::of(table, pointer to the values of the table)
template <class TableRef, class Value, class Item>
class TableList {
    static_assert(std::is_trivially_copyable_v<TableRef> && std::is_trivially_copyable_v<Value>,
                  "tables are named by what is trivially copyable: a pointer, a number, a handle");
    struct Row {
        std::uint64_t age; // twice the number of the table, and 1 if it was erased
        TableRef table;
    };

public:
    class iterator : public IteratorFacade<iterator, Item, Item> {
    public:
        constexpr iterator() noexcept = default;
        iterator(const Row* row, const Row* end, const Value* values, std::size_t stride) noexcept
            : row_(row), end_(end), values_(values), stride_(stride) {
            skip();
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.row_ == b.row_; }

    private:
        friend IteratorFacade<iterator, Item, Item>;
        Item dereference() const noexcept { return Item::of(row_->table, values_); }
        void increment() noexcept {
            next();
            skip();
        }
        void next() noexcept {
            ++row_;
            values_ += stride_;
        }
        void skip() noexcept {
            while (row_ != end_ && row_->age % 2 != 0) next();
        }

        const Row* row_ = nullptr;
        const Row* end_ = nullptr;
        const Value* values_ = nullptr;
        std::size_t stride_ = 0;
    };
    using Range = IteratorRange<iterator>;

    /// @param stride values a table
    explicit TableList(std::size_t stride) noexcept : stride_(stride) {}

    std::size_t size() const noexcept { return rows_.size() - erased_; }
    bool empty() const noexcept { return size() == 0; }
    Range range() const noexcept {
        const Row* const end = rows_.data() + rows_.size();
        return Range(iterator(rows_.data(), end, values_.data(), stride_),
                     iterator(end, end, values_.data() + values_.size(), stride_), size());
    }

    /// The first place from `place` on whose table was not erased and is accepted by f; SIZE_MAX if there is none.
    template <class F>
    std::size_t find(std::size_t place, F&& f) const {
        while (place < rows_.size() && (rows_[place].age % 2 != 0 || !f(rows_[place].table))) ++place;
        return place < rows_.size() ? place : static_cast<std::size_t>(-1);
    }
    /// The table at a place.
    Item at(std::size_t place) const noexcept { return Item::of(rows_[place].table, values_.data() + place * stride_); }

    /// Room for one more table, or no change.
    void reserve_one() {
        if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() + rows_.size() / 2 + 4);
        if (values_.capacity() - values_.size() < stride_) values_.reserve(rows_.capacity() * stride_);
    }
    /// Adds the table with this number, and its values. @pre there is room, and the number is higher than those before
    template <class ValueOf>
    void append(TableRef table, std::uint64_t number, ValueOf&& value_of) noexcept {
        rows_.push_back({2 * number, table});
        for (std::size_t i = 0; i != stride_; ++i) values_.push_back(value_of(i));
    }
    /// Removes the table with this number; false when it is not there.
    bool erase(std::uint64_t number) noexcept {
        const std::size_t first =
            IdSets::partition_point(rows_.size(), [&](std::size_t place) { return rows_[place].age < 2 * number; });
        if (first == rows_.size() || rows_[first].age != 2 * number) return false;
        ++rows_[first].age;
        if (2 * ++erased_ > rows_.size()) compact();
        return true;
    }
    /// Gives each table the number number_of(table), and orders tables by it: O(n log n), O(n) if they are in order.
    template <class NumberOf>
    void renumber(NumberOf&& number_of) noexcept {
        compact();
        bool sorted = true;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            rows_[i].age = 2 * number_of(rows_[i].table);
            sorted = sorted && (i == 0 || rows_[i - 1].age < rows_[i].age);
        }
        if (sorted) return;
        std::size_t heap = rows_.size(); // heap sort, because it needs no memory: R. W. Floyd, Algorithm 245
        for (std::size_t root = heap / 2; root-- != 0;) sift(root, heap);
        while (heap > 1) {
            swap_rows(0, --heap);
            sift(0, heap);
        }
    }
    std::size_t memory_usage() const noexcept { return memory_of(rows_, values_); }
    /// Whether the order and the counts are right; for tests.
    bool check_invariants() const noexcept {
        std::size_t erased = 0;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            erased += rows_[i].age % 2 != 0;
            if (i != 0 && rows_[i - 1].age / 2 >= rows_[i].age / 2) return false;
        }
        return erased == erased_ && values_.size() == stride_ * rows_.size() && 2 * erased_ <= rows_.size();
    }

private:
    void swap_rows(std::size_t a, std::size_t b) noexcept {
        std::swap(rows_[a], rows_[b]);
        for (std::size_t value = 0; value != stride_; ++value)
            std::swap(values_[a * stride_ + value], values_[b * stride_ + value]);
    }
    void sift(std::size_t root, std::size_t heap) noexcept {
        for (std::size_t child; (child = 2 * root + 1) < heap; root = child) {
            if (child + 1 < heap && rows_[child].age < rows_[child + 1].age) ++child;
            if (rows_[child].age <= rows_[root].age) return;
            swap_rows(root, child);
        }
    }
    void compact() noexcept {
        std::size_t kept = 0;
        for (std::size_t i = 0; i != rows_.size(); ++i) {
            if (rows_[i].age % 2 != 0) continue;
            rows_[kept] = rows_[i];
            for (std::size_t value = 0; value != stride_; ++value)
                values_[kept * stride_ + value] = values_[i * stride_ + value];
            ++kept;
        }
        rows_.truncate(kept);
        values_.truncate(kept * stride_);
        erased_ = 0;
    }

    std::size_t stride_;
    PlainVector<Row> rows_{};
    PlainVector<Value> values_{};
    std::size_t erased_ = 0;
};

} // namespace detail

/// Which ids are pairs, and the wildcards that a pair matches. Here none is: specialise it for a type of ids that may be pairs,
/// with the members that the one for ComponentId has.
template <class Id>
struct PairTraits {
    static constexpr bool has_pairs = false; ///< whether some ids are pairs
};

/// Pairs of a relation and a target.
template <>
struct PairTraits<ComponentId> {
    static constexpr bool has_pairs = true; ///< whether some ids are pairs
    /// Whether it is a pair, or a wildcard.
    static constexpr bool is_pair(ComponentId id) noexcept { return id.is_pair(); }
    /// (R, any) of the pair (R, T). @pre is_pair(id)
    static constexpr ComponentId any_target(ComponentId id) noexcept {
        return ComponentId::from_bits(id.bits() | pair(ComponentId(), any).bits());
    }
    /// (any, T) of the pair (R, T). @pre is_pair(id)
    static constexpr ComponentId any_relation(ComponentId id) noexcept {
        return ComponentId::from_bits(id.bits() | pair(any, ComponentId()).bits());
    }
    /// (any, any).
    static constexpr ComponentId any_pair() noexcept { return pair(any, any); }
};

namespace detail {

/// Whether `id` is `asked`, or a pair that the wildcard `asked` stands for.
template <class Id>
constexpr bool matches_id(const Id& asked, const Id& id) noexcept {
    if (id == asked) return true;
    using Traits = PairTraits<Id>;
    if constexpr (Traits::has_pairs)
        return Traits::is_pair(asked) && Traits::is_pair(id) &&
               (Traits::any_target(id) == asked || Traits::any_relation(id) == asked || Traits::any_pair() == asked);
    else
        return false;
}

} // namespace detail

/// For each id the tables that have it, in the order in which they were inserted, and for each table its ids. A pair is found
/// under itself and under its wildcards (R, any), (any, T) and (any, any), with the number of pairs of the table that match.
///     ComponentIndex<Table*> index;
///     index.insert(&table, table.ids(), [&](slot_t place) { return table.column_at(place); });
///     for (const auto& entry : index.tables(pair(likes, any))) ... // each table once
///     index.for_each_match(pair(likes, any), &table, f);           // each of its pairs
/// @tparam TableRef names a table: trivially copyable and hashable, for example a pointer
/// @tparam Id trivially copyable; ordered by <, compared and hashed without throwing; see PairTraits @tparam With HashBy<H>
template <class TableRef, class Id, class... With>
class ComponentIndex {
    static_assert(std::is_trivially_copyable_v<Id>, "ComponentIndex<TableRef, Id>: Id is trivially copyable");
    using Hash = detail::pick<detail::with_hash, DefaultHash<Id>, With...>;
    struct Place {
        slot_t first = 0;
        std::int32_t column = -1;
        std::uint32_t count = 0;
    };
    using IdSets = detail::IdSets;

public:
    using id_type = Id;
    using hasher = Hash;
    /// What it names tables by.
    using table_type = TableRef;
    using size_type = std::size_t;

    /// A table that has an id, or pairs that a wildcard stands for.
    struct Entry {
        TableRef table;
        slot_t first;        ///< the place, among the table's ids, of the id or of the first pair that matches
        std::int32_t column; ///< the column of that one, -1 for none
        std::uint32_t count; ///< how many of the table's ids match: 1, but for wildcards
        static Entry of(TableRef table, const Place* place) noexcept {
            return {table, place->first, place->column, place->count};
        }
    };
    /// An id of a table, or a wildcard that some of its pairs match.
    struct Key {
        Id id;
        Entry entry; ///< the table, and its ids that match
    };
    /// Tables in the order in which they were inserted, as Entry.
    using Tables = typename detail::TableList<TableRef, Place, Entry>::Range;
    /// The ids of a table, in ascending order.
    using Ids = std::span<const Id>;

    explicit ComponentIndex(const Hash& hash = Hash()) : hash_(hash) {}
    ComponentIndex(const ComponentIndex&) = delete;
    ComponentIndex& operator=(const ComponentIndex&) = delete;
    /// `other` is empty then.
    ComponentIndex(ComponentIndex&& other) noexcept : ComponentIndex(other.hash_) { swap(other); }
    ComponentIndex& operator=(ComponentIndex&& other) noexcept {
        ComponentIndex taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~ComponentIndex() = default;
    void swap(ComponentIndex& other) noexcept {
        std::swap(hash_, other.hash_);
        lists_.swap(other.lists_);
        records_.swap(other.records_);
        std::swap(all_, other.all_);
        std::swap(next_, other.next_);
    }
    friend void swap(ComponentIndex& a, ComponentIndex& b) noexcept { a.swap(b); }

    /// The number of tables.
    size_type size() const noexcept { return records_.size(); }
    bool empty() const noexcept { return records_.empty(); }
    /// Whether the table is here.
    bool contains(TableRef table) const { return record(table) != nullptr; }

    /// All tables; `first`, `column` and `count` are 0, -1 and 0. @invalidates insert() and erase()
    Tables tables() const noexcept { return all_.range(); }
    /// The tables that have the id, or pairs that the wildcard stands for. @complexity O(1) expected @invalidates insert() and
    /// erase()
    Tables tables(const Id& id) const {
        const List* const list = find_list(id);
        return list != nullptr ? list->tables.range() : none();
    }
    /// How many tables have the id, or pairs that the wildcard stands for; as tables(id)
    size_type count(const Id& id) const { return tables(id).size(); }
    /// Where the table has the id, or the pairs that the wildcard stands for; null when it has none, or is not here.
    /// @complexity O(1) expected in tables; O(log ids of the table) @invalidates erase(table)
    const Entry* find(const Id& id, TableRef table) const {
        const Record* const found = record(table);
        return found == nullptr ? nullptr : found->find(id);
    }
    /// The ids of a table and the wildcards that its pairs match, in order; empty when the table is not here.
    /// @invalidates erase(table)
    std::span<const Key> keys(TableRef table) const {
        const Record* const found = record(table);
        return found == nullptr ? std::span<const Key>() : found->keys.span();
    }
    /// The number of a table: higher than those of tables that were inserted before. @pre contains(table)
    std::uint64_t number(TableRef table) const { return record(table)->number; }
    /// Calls f(id, entry) for each id of the table that is `id`, or that the wildcard `id` stands for. @complexity O(ids of the
    /// table) for wildcards, else as find()
    template <class F>
    void for_each_match(const Id& id, TableRef table, F&& f) const {
        const Record* const found = record(table);
        const Entry* const entry = found == nullptr ? nullptr : found->find(id);
        if (entry == nullptr) return;
        if (!is_wildcard(id)) return static_cast<void>(f(id, *entry));
        for (const Key& key : found->keys) // those of (any, T) are not neighbours
            if (!is_wildcard(key.id) && detail::matches_id(id, key.id)) f(key.id, key.entry);
    }

    /// Adds a table. @param column_of gives for the place of each id its column, or -1
    /// @pre the ids are in order, each once, none is a wildcard, and the table is not here (checked at level fast)
    /// @throws what column_of and the allocator throw; strong @complexity O(ids log ids), amortised
    template <class ColumnOf>
    void insert(TableRef table, Ids ids, ColumnOf&& column_of) {
        SLOTWISE_EXPECT(IdSets::is_set(ids), "ComponentIndex insert(table, ids, column_of): the ids are in order, each once");
        const std::uint32_t tag = tag_of(table);
        SLOTWISE_EXPECT(record(table, tag) == nullptr,
                        "ComponentIndex insert(table, ids, column_of): this table is here; erase(table) first");
        detail::PlainVector<Key> keys = keys_of(table, ids, column_of);
        detail::PlainVector<List*> lists;
        lists.reserve(keys.size());
        ScopeGuard undo([&]() noexcept {
            for (List* const list : lists) drop_if_empty(*list);
        });
        for (const Key& key : keys) {
            lists.push_back(std::addressof(list_of(key.id)));
            lists.back()->tables.reserve_one();
        }
        all_.reserve_one();
        const Record& made = records_.emplace(tag, table, next_, std::move(keys), std::move(lists));
        undo.dismiss();
        for (std::size_t i = 0; i != made.keys.size(); ++i)
            made.lists[i]->tables.append(table, next_, [&](std::size_t) {
                const Entry& entry = made.keys[i].entry;
                return Place{entry.first, entry.column, entry.count};
            });
        all_.append(table, next_, [](std::size_t) { return Place(); });
        ++next_;
    }
    /// Removes a table; false when it is not here. @complexity O(ids of the table log tables), amortised
    bool erase(TableRef table) noexcept {
        const std::uint32_t tag = tag_of(table);
        Record* const gone = record(table, tag);
        if (gone == nullptr) return false;
        for (List* const list : gone->lists) {
            list->tables.erase(gone->number);
            drop_if_empty(*list);
        }
        all_.erase(gone->number);
        records_.erase(*gone);
        return true;
    }
    /// Whether the table is the last one. @pre contains(table)
    bool is_last(TableRef table) const { return number(table) + 1 == next_; }
    /// Room for move_to_end(table), so that it throws nothing. @pre contains(table) @throws what the allocator throws; strong
    void reserve_move_to_end(TableRef table) {
        for (List* const list : record(table)->lists) list->tables.reserve_one();
        all_.reserve_one();
    }
    /// Makes it the last table, as if it were erased and inserted. @pre reserve_move_to_end(table) was called
    /// It takes O(ids of the table log tables), amortised. @invalidates ranges of tables
    void move_to_end(TableRef table) noexcept {
        Record& moved = *record(table, tag_of(table));
        for (std::size_t i = 0; i != moved.keys.size(); ++i) {
            const Entry& entry = moved.keys[i].entry;
            moved.lists[i]->tables.erase(moved.number);
            moved.lists[i]->tables.append(table, next_, [&](std::size_t) {
                return Place{entry.first, entry.column, entry.count};
            });
        }
        all_.erase(moved.number);
        all_.append(table, next_, [](std::size_t) { return Place(); });
        moved.number = next_++;
    }
    /// Makes this the order of tables, as if they had been inserted so. @pre `order` has each table once (checked at level
    /// debug) @complexity O(ids of all tables log tables) @invalidates ranges of tables
    void reorder(std::span<const TableRef> order) noexcept {
        SLOTWISE_EXPECT_DEBUG(order.size() == size(), "ComponentIndex reorder(order): it has each table once");
        next_ = 0;
        for (const TableRef table : order) record(table, tag_of(table))->number = next_++;
        const auto number_of = [&](TableRef table) { return number(table); };
        lists_.pool().for_each([&](List& list) { list.tables.renumber(number_of); });
        all_.renumber(number_of);
    }
    /// Removes all tables.
    void clear() noexcept {
        ComponentIndex empty(hash_);
        swap(empty);
    }

    /// Bytes held on the heap. @complexity linear in tables and ids
    size_type memory_usage() const noexcept {
        return all_.memory_usage() + lists_.memory_usage([](const List& list) { return list.tables.memory_usage(); }) +
               records_.memory_usage([](const Record& each) { return detail::memory_of(each.keys, each.lists); });
    }
    /// Whether lists and tables agree; for tests.
    bool check_invariants() const {
        std::size_t listed = 0, keys = 0;
        bool all = all_.check_invariants() && all_.size() == size() && lists_.check_invariants() && records_.check_invariants();
        lists_.pool().for_each([&](const List& list) {
            all = all && !list.tables.empty() && list.tables.check_invariants() && find_list(list.id) == std::addressof(list);
            listed += list.tables.size();
            for (const Entry entry : list.tables.range()) {
                const Entry* const found = find(list.id, entry.table);
                all = all && found != nullptr && found->first == entry.first && found->column == entry.column &&
                      found->count == entry.count && entry.count != 0;
            }
        });
        records_.pool().for_each([&](const Record& each) {
            keys += each.keys.size();
            all = all && record(each.table) == std::addressof(each) && each.number < next_;
        });
        return all && listed == keys;
    }

private:
    using TableList = detail::TableList<TableRef, Place, Entry>;
    struct List {
        explicit List(const Id& own) : id(own) {}
        Id id;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
        TableList tables{1};
    };
    struct Record {
        Record(TableRef own, std::uint64_t order, detail::PlainVector<Key>&& sorted, detail::PlainVector<List*>&& of_keys)
            : table(own), number(order), keys(std::move(sorted)), lists(std::move(of_keys)) {}
        const Entry* find(const Id& id) const noexcept {
            const std::size_t first =
                IdSets::partition_point(keys.size(), [&](std::size_t place) { return keys[place].id < id; });
            return first != keys.size() && keys[first].id == id ? std::addressof(keys[first].entry) : nullptr;
        }
        TableRef table;
        std::uint32_t tag = 0;
        slot_t slot = no_slot;
        std::uint64_t number;
        detail::PlainVector<Key> keys;
        detail::PlainVector<List*> lists; // of each key
    };

    static Tables none() noexcept { return Tables({}, {}, 0); }
    static bool is_wildcard(const Id& id) noexcept {
        using Traits = PairTraits<Id>;
        if constexpr (Traits::has_pairs)
            return Traits::is_pair(id) && (Traits::any_target(id) == id || Traits::any_relation(id) == id);
        else
            return false;
    }

    std::uint32_t tag_of(TableRef table) const { return static_cast<std::uint32_t>(mix_bits(DefaultHash<TableRef>()(table))); }
    Record* record(TableRef table) const { return record(table, tag_of(table)); }
    Record* record(TableRef table, std::uint32_t tag) const {
        return records_.find(tag, [&](const Record& each) { return each.table == table; });
    }
    List* find_list(const Id& id) const { return find_list(id, tag_of_id(id)); }
    List* find_list(const Id& id, std::uint32_t tag) const {
        return lists_.find(tag, [&](const List& each) { return each.id == id; });
    }
    std::uint32_t tag_of_id(const Id& id) const { return static_cast<std::uint32_t>(mix_bits(hash_(id))); }
    List& list_of(const Id& id) {
        const std::uint32_t tag = tag_of_id(id);
        List* const found = find_list(id, tag);
        return found != nullptr ? *found : lists_.emplace(tag, id);
    }
    void drop_if_empty(List& list) noexcept {
        if (list.tables.empty()) lists_.erase(list);
    }
    // The ids and the wildcards, in order, each once.
    template <class ColumnOf>
    static detail::PlainVector<Key> keys_of(TableRef table, Ids ids, ColumnOf& column_of) {
        detail::PlainVector<Key> keys;
        std::size_t pairs = 0;
        using Traits = PairTraits<Id>;
        if constexpr (Traits::has_pairs)
            for (const Id& id : ids) pairs += Traits::is_pair(id);
        keys.reserve(ids.size() + 3 * pairs);
        for (std::size_t i = 0; i != ids.size(); ++i) {
            const auto place = static_cast<slot_t>(i);
            keys.push_back({ids[i], {table, place, static_cast<std::int32_t>(column_of(place)), 1}});
        }
        if constexpr (Traits::has_pairs)
            if (pairs != 0) add_wildcards(keys, ids.size());
        return keys;
    }
    static void add_wildcards(detail::PlainVector<Key>& keys, std::size_t ids) {
        using Traits = PairTraits<Id>;
        for (std::size_t i = 0; i != ids; ++i) {
            const Key key = keys[i];
            if (!Traits::is_pair(key.id)) continue;
            SLOTWISE_EXPECT(!is_wildcard(key.id), "ComponentIndex insert(table, ids, column_of): a table has no wildcards");
            keys.push_back({Traits::any_target(key.id), key.entry});
            keys.push_back({Traits::any_relation(key.id), key.entry});
            keys.push_back({Traits::any_pair(), key.entry});
        }
        IdSets::sort(keys.data(), keys.size(),
                     [](const Key& a, const Key& b) { return a.id < b.id || (a.id == b.id && a.entry.first < b.entry.first); });
        std::size_t kept = 0;
        for (std::size_t i = 1; i != keys.size(); ++i)
            if (keys[i].id == keys[kept].id)
                ++keys[kept].entry.count;
            else
                keys[++kept] = keys[i];
        keys.truncate(kept + 1);
    }

    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_;
    detail::ObjectTable<List> lists_{}; // of ids that some table has
    detail::ObjectTable<Record> records_{};
    TableList all_{1};
    std::uint64_t next_ = 0;
};

SLOTWISE_END

#endif
