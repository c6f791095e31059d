// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Chunks of a query: runs of rows as spans, as a list whose parts may go to different threads.
#ifndef SLOTWISE_ECS_QUERY_CHUNK_HPP
#define SLOTWISE_ECS_QUERY_CHUNK_HPP

#include "query_plan.hpp"

SLOTWISE_BEGIN

template <class Store, class... Ts>
class Query;

namespace detail {

/// What the chunks of a list share.
template <class Fetch>
struct QueryChunkColumns {
    typename Fetch::Columns columns;
    tick_t tick;
};

/// Some rows of a table that match a query, side by side. Made by Query::chunks(). One chunk may be used by one thread, and
/// others by other threads at the same time.
/// @invalidates itself when the list of chunks dies
template <class Core, class Fetch>
class QueryChunk {
    using table_type = typename QueryWalk<Core>::table_type;

public:
    using size_type = std::size_t;

    /// Rows there are; never 0.
    size_type size() const noexcept { return last_ - first_; }
    /// The entity of each row.
    std::span<const Entity> entities() const noexcept { return table_->entities().subspan(first_, size()); }
    /// The values of a component of the query, row by row; empty if it is optional and missing. get<const T>() only reads. If T
    /// is tracked, get<T>() stamps the rows with the store's tick.
    template <class T>
    std::span<T> get() const {
        using component = std::remove_const_t<T>;
        constexpr std::size_t i = Fetch::template number_of<component>();
        static_assert(i < Fetch::count, "QueryChunk::get<T>(): T is no component of the query, or a tag");
        using Value = typename Fetch::template Value<i>;
        static_assert(std::is_const_v<T> || !QueryArgument<Value>::constant,
                      "QueryChunk::get<T>(): the query names T const; ask for get<const T>(), or for query<T>()");
        const QueryColumn& of = shared_->columns[i];
        const std::int32_t place = of.id ? table_->place_of(of.id) : -1;
        if (place < 0 || (of.optional && of.toggle && !table_->is_enabled(first_, static_cast<size_type>(place)))) return {};
        if constexpr (!std::is_const_v<T>)
            if (of.stamps) stamp(static_cast<size_type>(place));
        const std::int32_t column = table_->column_at(static_cast<size_type>(place));
        return {table_->template data<component>(static_cast<size_type>(column)) + first_, size()};
    }
    /// The values of a component, or pair, that the entities have in their table. Of a store that is not const they may be
    /// written, and are stamped if it is tracked: by this call, unless the query names it and leaves rows out. A query that
    /// leaves rows out has chunks that share ticks. Call this from one thread then, if the query does not name it.
    /// @throws std::invalid_argument when the table has no values of it
    auto column(ComponentId id) const {
        const std::int32_t place = table_->place_of(id);
        const std::int32_t column = place < 0 ? -1 : table_->column_at(static_cast<size_type>(place));
        if (column < 0) [[unlikely]]
            throw_invalid_argument("QueryChunk::column(id): the entities have no values of this component in their table");
        if constexpr (!std::is_const_v<Core>)
            if (TickColumn* const ticks = table_->ticks(static_cast<size_type>(place));
                ticks != nullptr && !is_stamped(id, static_cast<size_type>(place)))
                ticks->mark(first_, last_, shared_->tick);
        const auto all = table_->column(static_cast<size_type>(column));
        return decltype(table_->column(0))(all.type(), all[first_], size());
    }
    /// Whether the entities have this component, tag or pair in their table.
    bool contains(ComponentId id) const noexcept { return table_->contains(id); }

private:
    template <class>
    friend class QueryChunks;
    using Shared = QueryChunkColumns<Fetch>;

    QueryChunk(const Shared& shared, table_type& table, size_type first, size_type last, bool stamped) noexcept
        : shared_(&shared), table_(&table), first_(first), last_(last), stamped_(stamped) {}
    // Whether the rows were stamped when the list was made.
    bool is_stamped(ComponentId id, size_type place) const noexcept {
        bool found = false;
        for (const QueryColumn& each : shared_->columns)
            found = found ||
                    (each.stamps && each.id == id && !(each.optional && each.toggle && !table_->is_enabled(first_, place)));
        return stamped_ && found;
    }
    void stamp(size_type place) const {
        if (!stamped_) table_->ticks(place)->mark(first_, last_, shared_->tick);
    }

    const Shared* shared_;
    table_type* table_;
    size_type first_, last_;
    bool stamped_; // rows that share a page of ticks with another chunk are stamped when the list is made
};

/// A list of chunks. The walk lasts as long as it lives: the structure of the store must not change.
/// @invalidates its iterators and chunks when it is moved from or dies
template <class Chunk>
class QueryChunks;
template <class Core, class Fetch>
class QueryChunks<QueryChunk<Core, Fetch>> {
    using Chunk = QueryChunk<Core, Fetch>;

public:
    using value_type = Chunk;
    using size_type = std::size_t;
    /// Chunks begin at multiples of this many rows, which have ticks of their own.
    static constexpr size_type page_rows = 4096;

    size_type size() const noexcept { return chunks_.size(); }
    bool empty() const noexcept { return chunks_.empty(); }
    auto begin() const noexcept { return chunks_.begin(); }
    auto end() const noexcept { return chunks_.end(); }
    /// @pre i < size() (checked at level fast)
    const Chunk& operator[](size_type i) const noexcept {
        SLOTWISE_EXPECT(i < size(), "QueryChunks[i]: i is not below size()");
        return chunks_[i];
    }

private:
    template <class, class...>
    friend class slotwise::Query;
    using Shared = QueryChunkColumns<Fetch>;

    QueryChunks(Core& core, const typename Fetch::Columns& columns, size_type max_rows)
        : scope_(core), shared_{Shared{columns, core.tick}} {
        const size_type most = static_cast<size_type>(-1) - page_rows;
        rows_ = max_rows > most ? static_cast<size_type>(-1)
                : max_rows == 0 ? page_rows
                                : (max_rows + page_rows - 1) / page_rows * page_rows;
    }
    /// @param stamped whether the rows share pages of ticks with other chunks, and are stamped already
    template <class TableType>
    void add(TableType& table, size_type first, size_type last, bool stamped) {
        while (first != last) {
            const size_type cut = first / rows_ * rows_;
            const size_type end = last - cut <= rows_ ? last : cut + rows_;
            chunks_.push_back(Chunk(shared_.front(), table, first, end, stamped));
            first = end;
        }
    }

    QueryWalkScope scope_;
    std::vector<Shared> shared_; // one, at an address that stays
    std::vector<Chunk> chunks_{};
    size_type rows_;
};

} // namespace detail
SLOTWISE_END

#endif
