// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TableIndex: a hash set of another library as an index. The common part of BoostIndex, RobinIndex and AnkerlIndex.
#ifndef SLOTWISE_KEYED_DETAIL_TABLE_INDEX_HPP
#define SLOTWISE_KEYED_DETAIL_TABLE_INDEX_HPP

#include "../../fwd.hpp"
#include "../../memory/allocator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A slot and half of its key's hash. The table then needs no access to the keys, and may be moved.
struct TableEntry {
    slot_t slot;
    std::uint32_t hash;
};
/// A key to be found: its hash, and equality with a slot's key.
template <class Equal>
struct TableProbe {
    std::uint32_t hash;
    const Equal& equal;
};
struct TableHash {
    using is_transparent = void;
    using is_avalanching = void;
    template <class Asked>
    std::uint64_t operator()(const Asked& asked) const noexcept {
        return asked.hash * 0x9E37'79B9'7F4A'7C15u; // 32 mixed bits, spread over the word for tables that use either end
    }
};
struct TableEqual {
    using is_transparent = void;
    bool operator()(TableEntry a, TableEntry b) const noexcept { return a.slot == b.slot; }
    template <class Equal>
    bool operator()(const TableProbe<Equal>& probe, TableEntry entry) const {
        return probe.hash == entry.hash && probe.equal(entry.slot);
    }
    template <class Equal>
    bool operator()(TableEntry entry, const TableProbe<Equal>& probe) const {
        return (*this)(probe, entry);
    }
};

/// An index policy (see GroupIndex) over a hash set with transparent find, insert, erase(iterator), reserve, clear.
template <class Table>
class TableIndex {
    using Allocator = typename Table::allocator_type;

public:
    /// As GroupIndex::nothrow_place.
    static constexpr bool nothrow_place = false; // no table guarantees the room that reserve() made

    TableIndex() = default;
    template <class A>
    explicit TableIndex(const A& alloc) : table_(Allocator(alloc)) {}
    template <class A>
    TableIndex(const TableIndex& other, const A& alloc) : table_(Allocator(alloc)) {
        table_.reserve(other.table_.size());
        for (const TableEntry entry : other.table_) table_.insert(entry);
    }
    TableIndex(TableIndex&& other) noexcept : table_(std::move(other.table_)) { other.table_.clear(); }
    TableIndex(const TableIndex&) = delete;
    TableIndex& operator=(const TableIndex&) = delete;
    TableIndex& operator=(TableIndex&&) = delete;
    ~TableIndex() = default;
    /// Swaps by moving: the swap of tables requires equal allocators, and these may be exchanged.
    void swap(TableIndex& other) noexcept { exchange_by_moving(table_, other.table_); }

    std::size_t size() const noexcept { return table_.size(); }
    /// As GroupIndex::find.
    template <class Equal>
    slot_t find(std::uint64_t hash, Equal&& equal) const {
        const auto found = table_.find(TableProbe<std::remove_reference_t<Equal>>{half(hash), equal});
        return found == table_.end() ? no_slot : (*found).slot;
    }
    /// As GroupIndex::take.
    template <class Equal>
    slot_t take(std::uint64_t hash, Equal&& equal) {
        const auto found = table_.find(TableProbe<std::remove_reference_t<Equal>>{half(hash), equal});
        if (found == table_.end()) return no_slot;
        const slot_t slot = (*found).slot;
        table_.erase(found);
        return slot;
    }
    /// As GroupIndex::make_room, but place() may throw nevertheless.
    template <class Source>
    void make_room(Source&&) const noexcept {}
    /// As GroupIndex::reserve.
    template <class Source>
    void reserve(std::size_t count, Source&&) {
        table_.reserve(count);
    }
    /// As GroupIndex::shrink_to_fit.
    template <class Source>
    void shrink_to_fit(Source&&) {
        table_.rehash(0);
    }
    /// As GroupIndex::place, but it may throw what the allocator throws.
    void place(std::uint64_t hash, slot_t slot) { table_.insert(TableEntry{slot, half(hash)}); }
    /// As GroupIndex::erase.
    void erase(std::uint64_t hash, slot_t slot) noexcept {
        take(hash, [slot](slot_t each) { return each == slot; });
    }
    void clear() noexcept { table_.clear(); }
    /// As GroupIndex::reset.
    void reset() noexcept { renew(table_, Table(table_.get_allocator())); }
    /// An estimate, because no table says it: 16 bytes a bucket, which is an entry and what tables keep beside it.
    std::size_t memory_usage() const noexcept { return table_.bucket_count() * (sizeof(TableEntry) + 8); }
    /// As GroupIndex::is_sound.
    template <class Source>
    bool is_sound(Source&& source) const {
        std::size_t entries = 0;
        bool sound = true;
        source([&](slot_t slot, std::uint64_t hash) {
            ++entries;
            sound = sound && find(hash, [&](slot_t each) { return each == slot; }) == slot;
        });
        return sound && entries == size();
    }

private:
    static std::uint32_t half(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

    Table table_;
};

} // namespace detail

SLOTWISE_END

#endif
