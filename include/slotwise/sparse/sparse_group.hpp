// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseGroup: keeps the ids that several sparse containers share in their first rows. align_prefix: brings them there once.
#ifndef SLOTWISE_SPARSE_SPARSE_GROUP_HPP
#define SLOTWISE_SPARSE_SPARSE_GROUP_HPP

#include "../core/detail/call_form.hpp"
#include "detail/sparse_interface.hpp"

#include <tuple>

SLOTWISE_BEGIN

/// Brings the ids that all of these sparse containers share to their first rows, in the same order in each, and returns how
/// many there are. Rows 0 to result - 1 of the containers have the same ids then, until one of them changes.
/// @param first a SparseSet or SparseMap @param others such containers of the same id type, no object twice
/// @throws what moves of values throw @complexity linear in the rows of the smallest
/// @pre no group owns one of them (checked at level fast)
template <class First, class... Others>
std::size_t align_prefix(First& first, Others&... others) {
    static_assert((std::is_same_v<typename First::id_type, typename Others::id_type> && ...),
                  "align_prefix(a, b, ...): the containers have different types of ids");
    SLOTWISE_EXPECT(!(first.owned() || ... || others.owned()),
                    "align_prefix(a, b, ...): a group owns one of them and keeps its rows in order");
    using Id = typename First::id_type;
    std::span<const Id> fewest = first.ids();
    ((fewest = others.ids().size() < fewest.size() ? others.ids() : fewest), ...);
    std::size_t shared = 0;
    const auto bring = [&](auto& container, Id id) { detail::OwnedRows::swap(container, container.row_of(id), shared); };
    for (std::size_t row = 0; row != fewest.size(); ++row) {
        const Id id = fewest[row]; // the span shows the rows as they are swapped: those before `row` only
        if (!(first.contains(id) && ... && others.contains(id))) continue;
        bring(first, id);
        (bring(others, id), ...);
        ++shared;
    }
    return shared;
}

/// Keeps the ids that all of `Sets` have in the first rows of each, in the same order, so that a loop over them looks nothing
/// up: EnTT's owning group. It observes inserts and erases; each costs a lookup in every set and at most one swap of rows in
/// each. A set has one group at most, and only that swaps its rows.
///     SparseGroup group(positions, velocities);
///     group.for_each([](Id id, Position& p, const Velocity& v) { p += v; });
/// It cannot be copied or moved. It follows a set that is moved or swapped, and is empty for ever when one of them is
/// destroyed.
/// @tparam Sets SparseSet and SparseMap of one id type; values move without throwing
template <class... Sets>
class SparseGroup {
    using First = std::tuple_element_t<0, std::tuple<Sets...>>;
    using Own = detail::OwnedRows;
    template <class Set>
    using InterfaceOf = typename detail::PartsOfSparse<Set>::Interface;
    template <class Set>
    using ValueOf = typename detail::PartsOfSparse<Set>::Value;
    static_assert(sizeof...(Sets) > 1, "SparseGroup<A, B, ...>: a group has two containers or more");
    static_assert((std::is_same_v<typename First::id_type, typename Sets::id_type> && ...),
                  "SparseGroup<A, B, ...>: the containers have different types of ids");
    static_assert((noexcept(Own::swap(std::declval<Sets&>(), 0, 0)) && ...),
                  "SparseGroup<A, B, ...>: a value's moves may throw, and the group moves values when ids come and go; declare "
                  "the moves noexcept");

    /// Follows the set number I.
    template <std::size_t Nth, class Set>
    struct Member final : RowObserver {
        explicit Member(Set& of) noexcept : RowObserver(true), set(&of) {}
        void on_insert(std::size_t row) override { group->template join<Nth>(row, Indices()); }
        void on_erase(std::size_t row) noexcept override { group->leave(row); }
        void on_clear() noexcept override { group->size_ = 0; }
        void on_move(const void*, void* to) noexcept override {
            set = static_cast<Set*>(static_cast<InterfaceOf<Set>*>(to));
            if (set == nullptr) group->whole_ = false;
        }
        Set* set;
        SparseGroup* group = nullptr;
        RowToken token{};
    };
    template <class>
    struct MembersOf;
    template <std::size_t... Nth>
    struct MembersOf<std::index_sequence<Nth...>> {
        using type = std::tuple<Member<Nth, Sets>...>;
    };
    using Indices = std::index_sequence_for<Sets...>;
    template <class Set>
    static constexpr bool has_values = !std::is_same_v<ValueOf<Set>, detail::WithoutValue>;
    template <class Set>
    using Values = std::conditional_t<has_values<Set>, std::tuple<ValueOf<Set>&>, std::tuple<>>;

public:
    using id_type = typename First::id_type;
    using size_type = std::size_t;
    /// What the walk yields: an id, and a reference to its value in each container that has values.
    using value_type = decltype(std::tuple_cat(std::declval<std::tuple<id_type>>(), std::declval<Values<Sets>>()...));
    using iterator = detail::SparseIterator<const SparseGroup, value_type>;

    /// Groups these containers, which outlive the group or not. @throws std::invalid_argument: one of them has a group already,
    /// or is named twice; what the allocator throws. Their rows may have changed places then @complexity linear in the rows
    explicit SparseGroup(Sets&... sets) : members_(sets...) {
        each([this](auto& member) { member.group = this; });
        each([](auto& member) { member.token = member.set->attach(member); });
    }
    SparseGroup(const SparseGroup&) = delete;
    SparseGroup& operator=(const SparseGroup&) = delete;
    ~SparseGroup() = default;

    /// How many ids all containers share; they are in rows 0 to size() - 1 of each.
    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// Whether all containers have exactly this id.
    bool contains(id_type id) const noexcept { return size_ != 0 && first().row_of(id) < size_; }
    /// The row of the id in every container, or no_row of a container.
    size_type row_of(id_type id) const noexcept { return contains(id) ? first().row_of(id) : First::no_row; }
    /// @pre row < size() (checked at level fast)
    id_type id_at(size_type row) const noexcept {
        SLOTWISE_EXPECT(row < size_, "SparseGroup id_at(row): the group has no such row; rows are less than size()");
        return first().id_at(row);
    }
    /// The ids, row by row. @invalidates itself when a container changes
    std::span<const id_type> ids() const noexcept {
        return size_ == 0 ? std::span<const id_type>() : first().ids().first(size_);
    }

    /// Calls f(id, values...) or f(values...) in row order, with a reference for each container that has values. f must not
    /// insert or erase.
    template <class F>
    void for_each(F&& f) const {
        walk([&](const id_type* id, size_type rows, auto... runs) {
            for (size_type i = 0; i != rows; ++i) {
                if constexpr (detail::takes_name<F, id_type, decltype(*runs.data)...>())
                    f(id[i], runs.data[i * runs.step]...);
                else
                    f(runs.data[i * runs.step]...);
            }
        });
    }
    /// The same for runs of rows that are contiguous in every container: f(span of ids, span of values...), for loops that the
    /// compiler vectorises. A container of an empty type has no span.
    template <class F>
    void for_each_chunk(F&& f) const {
        walk([&](const id_type* id, size_type rows, auto... runs) {
            const auto span_of = [rows]<class Run>(const Run& run) {
                if constexpr (Run::step == 0)
                    return std::tuple<>();
                else
                    return std::tuple(std::span(run.data, rows));
            };
            std::apply(f, std::tuple_cat(std::tuple(std::span(id, rows)), span_of(runs)...));
        });
    }
    /// Tuples of id and references to values, from the last row to the first: erasing the current id from containers, and
    /// inserting ids, is allowed while the walk runs.
    iterator begin() const noexcept { return {this, size_}; }
    iterator end() const noexcept { return {this, 0}; }

    /// Orders the shared rows of all containers by less(id, id). @throws what `less` and the allocator throw; strong
    /// @complexity O(n log n)
    template <class Less = std::less<>>
    void sort(Less less = {}) {
        if (size_ == 0) return;
        Own::sort(first(), size_, less);
        each([this](auto& member) {
            for (size_type row = 0; row != size_; ++row) bring(*member.set, first().id_at(row), row);
        });
    }

    /// Whether the shared ids are in the first rows of each container, and no others; for tests. Linear.
    bool check_invariants() const noexcept {
        if (!whole_) return size_ == 0;
        for (size_type row = 0; row != first().size(); ++row) {
            const id_type id = first().id_at(row);
            const bool shared = std::apply([&](const auto&... member) { return (member.set->contains(id) && ...); }, members_);
            if (shared != (row < size_)) return false;
            if (shared &&
                !std::apply([&](const auto&... member) { return ((member.set->row_of(id) == row) && ...); }, members_))
                return false;
        }
        return true;
    }

private:
    friend detail::SparseItems;

    First& first() const noexcept { return *std::get<0>(members_).set; }
    template <class F>
    void each(F&& f) {
        std::apply([&](auto&... member) { (f(member), ...); }, members_);
    }
    template <class Set>
    static void bring(Set& set, id_type id, size_type row) noexcept {
        Own::swap(set, set.row_of(id), row);
    }
    template <std::size_t Nth, std::size_t... J>
    void join(size_type row, std::index_sequence<J...>) noexcept {
        const id_type id = std::get<Nth>(members_).set->id_at(row);
        if (!whole_ || row < size_) return; // below size_: it was brought there when another container was attached
        const size_type rows[] = {(Nth == J ? row : std::get<J>(members_).set->row_of(id))...};
        for (const size_type each : rows)
            if (each == First::no_row) return;
        (Own::swap(*std::get<J>(members_).set, rows[J], size_), ...);
        ++size_;
    }
    void leave(size_type row) noexcept {
        if (row >= size_) return;
        --size_;
        each([&](auto& member) { Own::swap(*member.set, row, size_); });
    }
    value_type item(size_type row) const noexcept {
        return std::apply(
            [&](const auto&... member) { return std::tuple_cat(std::tuple<id_type>(id_at(row)), values(*member.set, row)...); },
            members_);
    }
    template <class Set>
    static Values<Set> values(Set& set, size_type row) noexcept {
        if constexpr (has_values<Set>)
            return Values<Set>(set.value_at(row));
        else
            return {};
    }

    /// Where the walk is in one container: its current run of contiguous rows.
    template <class Set>
    struct Cursor {
        using Value = ValueOf<Set>;
        const InterfaceOf<Set>* core = nullptr;
        SparseChunk<id_type, Value> chunk{};
        std::size_t run = 0;
        /// The end of the run that has `row`.
        size_type reach(size_type row) noexcept {
            while (chunk.first + chunk.size() <= row) chunk = detail::SparseRuns::at<Value>(*core, run++, core->size());
            return chunk.first + chunk.size();
        }
        auto from(size_type row) const noexcept {
            if constexpr (has_values<Set>)
                return std::tuple(Run<Value>{chunk.data + (row - chunk.first) * Run<Value>::step});
            else
                return std::tuple<>();
        }
    };
    template <class Value>
    struct Run {
        Value* data;
        static constexpr std::size_t step = SparseChunk<id_type, Value>::step;
    };
    template <class F>
    void walk(F&& f) const {
        if (size_ == 0) return;
        auto cursors = std::apply([](const auto&... member) { return std::tuple(Cursor<Sets>{member.set}...); }, members_);
        const id_type* const ids = first().ids().data();
        for (size_type row = 0, end = 0; row != size_; row = end) {
            end = size_;
            std::apply(
                [&](auto&... cursor) {
                    ((end = cursor.reach(row) < end ? cursor.reach(row) : end), ...);
                    std::apply([&](auto... runs) { f(ids + row, end - row, runs...); }, std::tuple_cat(cursor.from(row)...));
                },
                cursors);
        }
    }

    typename MembersOf<Indices>::type members_;
    size_type size_ = 0;
    bool whole_ = true; // no container was destroyed
};
template <class... Sets>
SparseGroup(Sets&...) -> SparseGroup<Sets...>;

SLOTWISE_END

#endif
