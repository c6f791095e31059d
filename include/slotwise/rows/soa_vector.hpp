// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaVector: a vector of rows whose members lie in an array each, so that loops over some of them read nothing else.
#ifndef SLOTWISE_ROWS_SOA_VECTOR_HPP
#define SLOTWISE_ROWS_SOA_VECTOR_HPP

#include "../core/detail/call_form.hpp"
#include "../core/detail/iterators.hpp"
#include "../core/detail/seal.hpp"
#include "detail/packed_columns.hpp"
#include "detail/row_container.hpp"
#include "row_iterator.hpp"

#include <span>

SLOTWISE_BEGIN
namespace detail {

template <class... Ts, std::size_t... Found>
consteval auto columns_among(std::index_sequence<Found...> found, std::index_sequence<>) noexcept {
    return found;
}
template <class... Ts, std::size_t... Found, std::size_t Nth, std::size_t... Rest>
consteval auto columns_among(std::index_sequence<Found...>, std::index_sequence<Nth, Rest...>) noexcept {
    if constexpr (is_tag<std::tuple_element_t<Nth, std::tuple<Ts...>>>)
        return columns_among<Ts...>(std::index_sequence<Found...>{}, std::index_sequence<Rest...>{});
    else
        return columns_among<Ts...>(std::index_sequence<Found..., Nth>{}, std::index_sequence<Rest...>{});
}
/// The numbers of those among Ts... that have a column.
template <class... Ts>
using columns_of = decltype(columns_among<Ts...>(std::index_sequence<>{}, std::index_sequence_for<Ts...>{}));

/// Calls f(spans...) for each N of `count` rows of these columns. The spans have a fixed size, but those of the last rows,
/// fewer than N, a dynamic one.
template <std::size_t N, class F, class... Us>
constexpr void walk_blocks(std::size_t count, F& f, Us*... columns) {
    static_assert(N != 0, "SoaVector::for_each_block<N>(f): a block has at least one row");
    const std::size_t whole = count - count % N;
    for (std::size_t row = 0; row != whole; row += N) f(std::span<Us, N>(columns + row, N)...);
    if (whole != count) f(std::span<Us>(columns + whole, count - whole)...);
}

/// The beginning of a snapshot of rows: byte order, the sizes of trivially copyable members, and the number of rows. The rows
/// follow, one after the other. The bytes that are read are not trusted.
template <class Codec, class... Ts>
struct RowsSnapshot {
    static constexpr std::uint32_t magic = 0x3152'4C53; // "SLR1"
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;
    static constexpr std::size_t row_bytes = std::is_same_v<Codec, DefaultCodec> ? (coding<Ts>.least + ... + 0) : 0;
    /// A row whose values may take no bytes gets a filler byte, so that a false number of rows is noticed.
    static constexpr bool filled = row_bytes == 0;

    static constexpr std::array<ElementTag, sizeof...(Ts)> tags = {{{ElementRole::column, type_tag<Codec, Ts>()}...}};

    static void begin(ByteWriter& out, std::size_t count) {
        out.number(magic);
        out.number(byte_order);
        (out.number(size_check_of<Ts>()), ...);
        out.number(std::uint64_t{count});
    }
    /// The number of rows; 0 when the bytes are of another container.
    static std::size_t read(ByteReader& in) noexcept {
        if (in.number<std::uint32_t>() != magic) in.fail("snapshot: these bytes are not a snapshot of rows");
        if (in.number<std::uint8_t>() != byte_order) in.fail("snapshot: it was made by a machine of another byte order");
        if (!((in.number<std::uint32_t>() == size_check_of<Ts>()) && ...))
            in.fail("snapshot: it was made by rows of other members");
        return in.length(filled ? 1 : row_bytes);
    }
};

/// The vector of the plain types, so that the assertion is the only error.
template <class Vector>
struct OfPlainMembers : Vector {
    static_assert(sizeof(Vector) == 0,
                  "SoaVector: members are plain objects, not const, volatile or references; write T, T* or "
                  "std::reference_wrapper<T>");
};

} // namespace detail

/// The members stand first.
template <class Row, class... With>
class BasicSoaVector {
    static_assert(detail::is_members<Row>, "BasicSoaVector<Members<Ts...>, With...>: the members stand first, in Members<...>");
};

/// A vector of rows of members Ts..., each member packed in a 64-byte aligned array of its own. All arrays have one length
/// always, also after a throw. Arguments may refer to elements of the same vector. A tag (an empty type, trivially copyable)
/// takes no memory: it keeps its place in the row, as a value, and has no column. The functions of an element must not use the
/// vector that it is in. SoaVector<Ts...> is the class without further arguments.
/// @tparam Ts movable, and swappable to erase if their moves may throw; a row is erased noexcept if their moves are
/// @tparam With AllocBy<A>
template <class... Ts, class... With>
class BasicSoaVector<Members<Ts...>, With...> {
    static_assert(sizeof...(Ts) > 0, "SoaVector<Ts...>: name at least one member type");
    static_assert((Storable<Ts> && ...),
                  "SoaVector<Ts...>: members must be non-const object types whose destructors do not throw");
    static_assert((std::is_move_constructible_v<Ts> && ...), "SoaVector<Ts...>: members must be movable, because rows move");
    using Allocator = typename detail::RowArguments<std::byte, With...>::allocator;
    using Rows = detail::PackedColumns<true, detail::RowColumn<Ts, Allocator>...>;
    using Rules = detail::RowRules;
    using All = std::index_sequence_for<Ts...>;
    template <std::size_t Nth>
    using member = std::tuple_element_t<Nth, std::tuple<Ts...>>;
    template <class Self, std::size_t Nth>
    using element = std::conditional_t<std::is_const_v<Self>, const member<Nth>, member<Nth>>;
    static constexpr bool nothrow_move = Rows::nothrow_move;
    template <class Pred, class First, class... Others>
    static constexpr bool takes_values = detail::TakesFirst<Pred, std::remove_cvref_t<First>, Others...>;
    /// Whether pred(row) is meant: a first parameter of exactly the first member's type takes that, and no row that converts.
    template <class Pred, class Row>
    static constexpr bool takes_row =
        std::is_invocable_v<Pred&, const Row&> &&
        (detail::TakesFirst<Pred, Row> || !takes_values<Pred, detail::row_reference<const Ts>...>);

public:
    using value_type = std::tuple<Ts...>;
    using reference = RowRef<detail::row_reference<Ts>...>;
    using const_reference = RowRef<detail::row_reference<const Ts>...>;
    using iterator = detail::RowIterator<Ts...>;
    using const_iterator = detail::RowIterator<const Ts...>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;

    //=== construction ===//

    constexpr BasicSoaVector()
        requires std::is_default_constructible_v<Allocator>
    = default;
    /// An empty one with memory of `alloc`.
    constexpr explicit BasicSoaVector(const Allocator& alloc) noexcept : rows_(alloc) {}
    /// @throws what the allocator and the copies throw
    constexpr BasicSoaVector(const BasicSoaVector& other)
        : BasicSoaVector(other,
                         std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    constexpr BasicSoaVector(const BasicSoaVector& other, const Allocator& alloc) : rows_(alloc) {
        if constexpr ((std::is_copy_constructible_v<Ts> && ...)) {
            reserve(other.size());
            rows_.fill(other.rows_, [](const auto& value) -> const auto& { return value; });
        } else
            static_assert(detail::never<Members<Ts...>>, "SoaVector copy: a member cannot be copied; write std::move(rows)");
    }
    /// Takes the arrays; `other` is empty then.
    constexpr BasicSoaVector(BasicSoaVector&& other) noexcept = default;
    /// The same into memory of `alloc`: moves the values one by one if the allocators differ.
    /// @throws if they differ: what the allocator and the moves throw; `other` is empty then
    constexpr BasicSoaVector(BasicSoaVector&& other, const Allocator& alloc) : rows_(alloc) {
        if (alloc == other.get_allocator()) {
            rows_.swap(other.rows_);
            return;
        }
        const ScopeGuard emptied([&]() noexcept { other.clear(); }); // also when something throws: its values were moved
        reserve(other.size());
        rows_.fill(other.rows_, [](auto& value) -> auto&& { return std::move(value); });
    }
    /// @throws what the allocator and the copies throw; strong
    constexpr BasicSoaVector& operator=(const BasicSoaVector& other) {
        Rules::assign_copy(*this, other);
        return *this;
    }
    /// @throws if the allocators differ and do not propagate: as the constructor
    constexpr BasicSoaVector& operator=(BasicSoaVector&& other) noexcept(Rules::nothrow_move<BasicSoaVector>) {
        Rules::assign_move(*this, other);
        return *this;
    }
    ~BasicSoaVector() = default;
    /// Exchanges the rows. Allocators that do not propagate stay; if they differ, values are moved one by one.
    /// @throws if they differ: what the allocators and the moves throw; a vector whose values were moved is empty then
    constexpr void swap(BasicSoaVector& other) noexcept(Rules::nothrow_swap<BasicSoaVector>) { Rules::swap(*this, other); }
    friend constexpr void swap(BasicSoaVector& a, BasicSoaVector& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== size ===//

    constexpr size_type size() const noexcept { return rows_.count(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Rows that fit without growth.
    constexpr size_type capacity() const noexcept { return rows_.capacity(); }
    /// Bytes held on the heap, without what values hold themselves. @complexity O(1)
    constexpr size_type memory_usage() const noexcept { return rows_.memory_usage(); }
    constexpr allocator_type get_allocator() const noexcept { return Allocator(rows_.template column<0>().get_allocator()); }
    /// Makes room for `count` rows in all: exactly that if there was none, else at least a quarter more than there was.
    /// @throws std::bad_array_new_length, what the allocator throws, and what copies throw if moves can throw; strong
    /// @invalidates everything on growth
    constexpr void reserve(size_type count) {
        if (count > capacity()) rows_.resize(detail::reserved_capacity(count, capacity()));
    }
    /// Gives memory back that no row needs. @throws as reserve; strong @invalidates everything
    constexpr void shrink_to_fit() {
        if (size() != capacity()) rows_.resize(size());
    }
    /// Removes all rows and keeps the memory. @complexity O(rows), O(1) for trivial types
    constexpr void clear() noexcept { rows_.truncate(0); }
    /// `count` rows: removes the last ones, or appends rows of value-initialised members.
    /// @throws as push_back; strong @invalidates everything on growth, the removed rows otherwise
    constexpr void resize(size_type count)
        requires(std::default_initializable<Ts> && ...)
    {
        resize_with(count, [this] { rows_.append(std::tuple<std::conditional_t<true, detail::ByDefault, Ts>...>()); });
    }
    /// The same with copies of these values.
    constexpr void resize(size_type count, const Ts&... values)
        requires(std::copy_constructible<Ts> && ...)
    {
        if (count <= size()) return rows_.truncate(count);
        const std::tuple<Ts...> row(values...); // they may lie in this vector
        std::apply([&](const Ts&... kept) { resize_with(count, [&] { rows_.append(std::forward_as_tuple(kept...)); }); }, row);
    }

    //=== rows ===//

    /// The row as references. @pre row < size() (checked at level fast)
    constexpr reference operator[](size_type row) noexcept { return row_at(*this, row); }
    constexpr const_reference operator[](size_type row) const noexcept { return row_at(*this, row); }
    /// The first row. @pre not empty (checked at level fast)
    constexpr reference front() noexcept { return row_at(*this, 0); }
    constexpr const_reference front() const noexcept { return row_at(*this, 0); }
    /// The last row. @pre not empty (checked at level fast)
    constexpr reference back() noexcept { return row_at(*this, size() - 1); }
    constexpr const_reference back() const noexcept { return row_at(*this, size() - 1); }

    /// Appends a row; each member is built from one value.
    /// @throws what the allocator, the constructors, and copies (if moves can throw) throw; strong, unless a member can only be
    /// moved and that throws
    /// @complexity amortised O(1) @invalidates everything on growth
    template <class... Args>
        requires(sizeof...(Args) == sizeof...(Ts) && (std::is_constructible_v<Ts, Args&&> && ...))
    constexpr void push_back(Args&&... values) {
        push(std::forward_as_tuple(std::forward<Args>(values)...));
    }
    /// Appends a row; an argument that can be called without arguments, and then gives the member's type, is called, others are
    /// values as in push_back. All calls are made before the vector changes, and may change it. @returns the row
    /// @throws as push_back, and what the calls throw; strong @complexity amortised O(1) @invalidates everything on growth
    template <class... Args>
        requires(sizeof...(Args) == sizeof...(Ts) && (std::is_constructible_v<Ts, detail::made_by<Ts, Args>> && ...))
    constexpr reference emplace_back(Args&&... args) {
        push(std::tuple<detail::made_by<Ts, Args>...>{detail::make_by<Ts>(std::forward<Args>(args))...});
        return back();
    }
    /// Inserts a row at `row`; those from there on move up by one. @pre row <= size() (checked at level fast)
    /// @throws as push_back; strong @complexity O(rows behind it); of all rows on growth, or if moves can throw
    /// @invalidates everything on growth, else the rows from `row` on
    template <class... Args>
        requires(sizeof...(Args) == sizeof...(Ts) && (std::is_constructible_v<Ts, Args&&> && ...))
    constexpr void insert(size_type row, Args&&... values) {
        SLOTWISE_EXPECT(row <= size(), "SoaVector::insert(row, values...): row is beyond size()");
        auto refs = std::forward_as_tuple(std::forward<Args>(values)...);
        if (row == size())
            push(std::move(refs));
        else if (size() == capacity() || !nothrow_move)
            rows_.insert_and_resize(row, size() == capacity() ? rows_.grown_capacity() : capacity(), std::move(refs));
        else if constexpr (nothrow_move)
            rows_.insert_at(row, std::move(refs));
    }
    /// Removes the last row. @pre not empty (checked at level fast)
    constexpr void pop_back() noexcept {
        SLOTWISE_EXPECT(!empty(), "SoaVector::pop_back: there is no row");
        rows_.drop_last();
    }
    /// Removes a row; those behind it move down by one. @pre row < size() (checked at level fast)
    /// @throws if moves can throw: what swaps throw; every row is whole then, none is removed, their order may have changed
    /// @complexity O(rows behind it) @invalidates the rows from `row` on
    constexpr void erase(size_type row) noexcept(nothrow_move) {
        SLOTWISE_EXPECT(row < size(), "SoaVector::erase(row): row is not below size()");
        rows_.erase_at(row);
    }
    /// Removes a row; the last one takes its place. @pre row < size() (checked at level fast)
    /// @throws if moves can throw: what swaps throw; no effect then, if each swap is strong
    /// @complexity O(1) @invalidates this row and the last one
    constexpr void swap_erase(size_type row) noexcept(nothrow_move) {
        SLOTWISE_EXPECT(row < size(), "SoaVector::swap_erase(row): row is not below size()");
        if (const size_type last = size() - 1; row != last) {
            if constexpr (nothrow_move)
                rows_.fill_from_last(row);
            else
                rows_.swap_rows(row, last);
        }
        rows_.drop_last();
    }
    /// Removes the rows for which pred(row) or pred(values...) holds; the others keep their order. Returns how many. pred sees
    /// const values and must not use the vector.
    /// @throws what pred throws; the rows erased before stay erased. If moves can throw, also what swaps throw; then no row is
    /// removed, and their order may have changed
    /// @complexity O(rows) @invalidates the rows from the first removed one on
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        return rows_.erase_if([&](size_type row) {
            const_reference here = *const_iterator(iterator_at(std::as_const(*this), row, All{}));
            if constexpr (takes_row<Pred, const_reference>)
                return static_cast<bool>(pred(std::as_const(here)));
            else
                return static_cast<bool>(std::apply(pred, std::as_const(here)));
        });
    }
    /// Exchanges two rows. @pre both are below size() (checked at level fast)
    /// @throws what the swaps of the members throw; strong, if each of them is
    constexpr void swap_rows(size_type a, size_type b) {
        SLOTWISE_EXPECT(a < size() && b < size(), "SoaVector::swap_rows(a, b): a row is not below size()");
        if (a != b) rows_.swap_rows(a, b);
    }

    //=== order ===//

    /// Sorts the rows by less(row, row), which sees rows of const references. Not stable.
    /// @throws std::bad_alloc and what less throws: no effect then; if moves can throw, what swaps throw: the order is
    /// unspecified then, every row is whole
    /// @complexity O(n log n) compares, n row moves @invalidates the contents of all rows
    template <class Less>
    constexpr void sort(Less less) {
        const auto rows = std::as_const(*this).begin();
        const auto at = [&](std::size_t row) { return rows[static_cast<difference_type>(row)]; };
        sort_as([&]<class Number>(Number) {
            rows_.template sort_rows<Number>([&](std::size_t a, std::size_t b) { return less(at(a), at(b)); },
                                             detail::Unnumbered{});
        });
    }
    /// Sorts the rows by member I, as above. Keys of at most 16 bytes, trivially copyable, are sorted in an array of their own.
    template <std::size_t Nth, class Less>
    constexpr void sort(Less less) {
        sort_as([&]<class Number>(Number) { rows_.template sort_by<Number, Nth>(less, detail::Unnumbered{}); });
    }
    template <std::size_t Nth>
    constexpr void sort() {
        sort<Nth>([](const member<Nth>& a, const member<Nth>& b) { return a < b; });
    }
    /// The same by the member of type T.
    template <class T, class Less>
    constexpr void sort(Less less) {
        sort<place<T>>(std::move(less));
    }
    template <class T>
    constexpr void sort() {
        sort<place<T>>();
    }

    //=== columns ===//

    /// Member I of all rows, packed, in row order, 64-byte aligned. @invalidates itself on growth
    template <std::size_t Nth>
    constexpr std::span<member<Nth>> column() noexcept {
        return column_of<Nth>(*this);
    }
    template <std::size_t Nth>
    constexpr std::span<const member<Nth>> column() const noexcept {
        return column_of<Nth>(*this);
    }
    /// The member of type T of all rows, which must occur once.
    template <class T>
    constexpr std::span<T> column() noexcept {
        return column_of<place<T>>(*this);
    }
    template <class T>
    constexpr std::span<const T> column() const noexcept {
        return column_of<place<T>>(*this);
    }
    /// Several columns: auto [positions, speeds] = rows.columns<Position, Speed>().
    template <class... Us>
        requires(sizeof...(Us) > 0)
    constexpr auto columns() noexcept {
        return std::tuple(column<Us>()...);
    }
    template <class... Us>
        requires(sizeof...(Us) > 0)
    constexpr auto columns() const noexcept {
        return std::tuple(column<Us>()...);
    }
    template <std::size_t... Nth>
        requires(sizeof...(Nth) > 0)
    constexpr auto columns() noexcept {
        return std::tuple(column<Nth>()...);
    }
    template <std::size_t... Nth>
        requires(sizeof...(Nth) > 0)
    constexpr auto columns() const noexcept {
        return std::tuple(column<Nth>()...);
    }

    /// Column I for loops over whole cache lines: padded_size<I>() elements can be read, and those from size() on are zero
    /// bytes. They must not be written. Null before the first row or reserve().
    template <std::size_t Nth>
        requires std::is_trivially_copyable_v<member<Nth>>
    constexpr const member<Nth>* padded_data() const noexcept {
        static_assert(has_column<Nth>, "SoaVector: this member is a tag, which has no column");
        return rows_.template column<Nth>().data();
    }
    /// The elements in size() elements' bytes, rounded up to a multiple of 64 bytes. (In a constant expression size(): there is
    /// no padding.)
    template <std::size_t Nth>
        requires std::is_trivially_copyable_v<member<Nth>>
    constexpr size_type padded_size() const noexcept {
        if (std::is_constant_evaluated()) return size();
        return bits::round_up(size() * sizeof(member<Nth>), 64) / sizeof(member<Nth>);
    }

    /// Rows of references in row order: for (auto [position, speed] : rows). Random access; standard algorithms sort by these
    /// iterators (libstdc++'s sort of std::ranges copies, so members that can only be moved are sorted by sort()).
    constexpr iterator begin() noexcept { return iterator_at(*this, 0, All{}); }
    constexpr iterator end() noexcept { return iterator_at(*this, size(), All{}); }
    constexpr const_iterator begin() const noexcept { return iterator_at(*this, 0, All{}); }
    constexpr const_iterator end() const noexcept { return iterator_at(*this, size(), All{}); }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }
    /// The same as a range, and of some members only: for (auto [position] : rows.rows<Position>()).
    constexpr auto rows() noexcept { return rows_of(*this, All{}); }
    constexpr auto rows() const noexcept { return rows_of(*this, All{}); }
    template <class... Us>
        requires(sizeof...(Us) > 0)
    constexpr auto rows() noexcept {
        return rows_of(*this, std::index_sequence<place<Us>...>{});
    }
    template <class... Us>
        requires(sizeof...(Us) > 0)
    constexpr auto rows() const noexcept {
        return rows_of(*this, std::index_sequence<place<Us>...>{});
    }
    template <std::size_t... Nth>
        requires(sizeof...(Nth) > 0)
    constexpr auto rows() noexcept {
        return rows_of(*this, std::index_sequence<Nth...>{});
    }
    template <std::size_t... Nth>
        requires(sizeof...(Nth) > 0)
    constexpr auto rows() const noexcept {
        return rows_of(*this, std::index_sequence<Nth...>{});
    }

    /// Calls f(spans...) for each N rows, in row order: a span of fixed size N for each named column (without names: for each
    /// that has one). The last rows, fewer than N, come as spans of dynamic size. f must not add or remove rows.
    template <std::size_t N, class... Us, class F>
        requires(sizeof...(Us) > 0)
    constexpr void for_each_block(F&& f) {
        blocks<N>(*this, f, std::index_sequence<place<Us>...>{});
    }
    template <std::size_t N, class... Us, class F>
        requires(sizeof...(Us) > 0)
    constexpr void for_each_block(F&& f) const {
        blocks<N>(*this, f, std::index_sequence<place<Us>...>{});
    }
    template <std::size_t N, std::size_t... Nth, class F>
    constexpr void for_each_block(F&& f) {
        blocks<N>(*this, f, named_or_all<Nth...>{});
    }
    template <std::size_t N, std::size_t... Nth, class F>
    constexpr void for_each_block(F&& f) const {
        blocks<N>(*this, f, named_or_all<Nth...>{});
    }

    //=== whole ===//

    /// Equal when all rows are.
    friend constexpr bool operator==(const BasicSoaVector& a, const BasicSoaVector& b)
        requires((detail::is_tag<Ts> || std::equality_comparable<Ts>) && ...)
    {
        return a.rows_.equals(b.rows_);
    }
    /// Whether all columns have one length and are padded; for tests.
    constexpr bool check_invariants() const noexcept { return rows_.is_sound(); }

    /// The rows as bytes. The same rows give the same bytes. @param codec how values become bytes; see DefaultCodec
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        detail::RowsSnapshot<Codec, Ts...>::begin(out, size());
        for (size_type row = 0; row != size(); ++row) {
            if constexpr (detail::RowsSnapshot<Codec, Ts...>::filled) out.number(std::uint8_t{0});
            std::apply([&](const auto&... column) { (codec.write(static_cast<const Ts&>(column[row]), out), ...); },
                       rows_.columns());
        }
        return detail::Seal::close<Codec>(out, detail::RowsSnapshot<Codec, Ts...>::tags);
    }
    /// Replaces the rows by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would not
    /// write are refused. @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator and
    /// the members' constructors throw; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const wrong = detail::Seal::open<Codec>(bytes, detail::RowsSnapshot<Codec, Ts...>::magic,
                                                                detail::RowsSnapshot<Codec, Ts...>::tags))
            return wrong;
        ByteReader in(bytes);
        BasicSoaVector fresh(get_allocator());
        for (size_type n = detail::RowsSnapshot<Codec, Ts...>::read(in); n != 0 && in.error() == nullptr; --n) {
            if constexpr (detail::RowsSnapshot<Codec, Ts...>::filled)
                if (in.template number<std::uint8_t>() != 0) in.fail("snapshot: a filler byte is not 0");
            fresh.push(std::tuple<Ts...>{codec.template read<Ts>(in)...});
        }
        if (in.error() == nullptr && in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        if (in.error() == nullptr) rows_.swap(fresh.rows_);
        return in.error();
    }

private:
    friend Rules;
    constexpr void swap_contents(BasicSoaVector& other) noexcept { rows_.swap(other.rows_); }

    template <std::size_t Nth>
    static constexpr bool has_column = !detail::is_tag<member<Nth>>;
    /// The place of the member of type T.
    template <class T>
    static constexpr std::size_t place = [] {
        constexpr std::size_t found = detail::position_of<T, Ts...>();
        static_assert(found != detail::nowhere, "SoaVector: T must name exactly one member; name it by its number");
        return found == detail::nowhere ? 0 : found;
    }();
    template <std::size_t... Nth>
    using named_or_all = std::conditional_t<sizeof...(Nth) != 0, std::index_sequence<Nth...>, detail::columns_of<Ts...>>;

    template <class Tuple>
    constexpr void push(Tuple&& values) {
        if (size() == capacity()) [[unlikely]]
            rows_.insert_and_resize(size(), rows_.grown_capacity(), std::forward<Tuple>(values));
        else
            rows_.append(std::forward<Tuple>(values));
    }
    template <class Append>
    constexpr void resize_with(size_type count, Append&& append) {
        const size_type before = size();
        if (count <= before) return rows_.truncate(count);
        if (count > capacity()) rows_.resize(count < rows_.grown_capacity() ? rows_.grown_capacity() : count);
        ScopeGuard undo([&]() noexcept { rows_.truncate(before); });
        while (size() != count) append();
        undo.dismiss();
    }
    // Row numbers of 32 bits, where they suffice, sort faster.
    template <class Sort>
    constexpr void sort_as(Sort&& sort) {
        if constexpr (sizeof(size_type) > 4)
            if (size() > 0xFFFF'FFFFu) return sort(size_type{});
        sort(std::uint32_t{});
    }

    template <std::size_t Nth, class Self>
    static constexpr auto data_of(Self& self) noexcept {
        if constexpr (has_column<Nth>)
            return static_cast<element<Self, Nth>*>(self.rows_.template column<Nth>().data());
        else
            return detail::NoData<member<Nth>>{};
    }
    template <std::size_t Nth, class Self>
    static constexpr std::span<element<Self, Nth>> column_of(Self& self) noexcept {
        static_assert(has_column<Nth>, "SoaVector: this member is a tag, which has no column");
        if constexpr (has_column<Nth>) return {data_of<Nth>(self), self.size()};
    }
    template <class Self, std::size_t... Nth>
    static constexpr auto iterator_at(Self& self, size_type row, std::index_sequence<Nth...>) noexcept {
        return detail::RowIterator<element<Self, Nth>...>(static_cast<difference_type>(row), data_of<Nth>(self)...);
    }
    template <class Self>
    static constexpr auto row_at(Self& self, size_type row) noexcept {
        SLOTWISE_EXPECT(row < self.size(), "SoaVector: there is no such row; ask size()");
        return *iterator_at(self, row, All{});
    }
    template <class Self, class Which>
    static constexpr auto rows_of(Self& self, Which which) noexcept {
        const auto first = iterator_at(self, 0, which);
        return detail::IteratorRange(first, first + static_cast<difference_type>(self.size()), self.size());
    }
    template <std::size_t N, class Self, class F, std::size_t... Nth>
    static constexpr void blocks(Self& self, F& f, std::index_sequence<Nth...>) {
        detail::walk_blocks<N>(self.size(), f, column_of<Nth>(self).data()...);
    }

    Rows rows_{};
};

/// The error for const, volatile and reference members.
template <class... Ts, class... With>
    requires((std::is_reference_v<Ts> || std::is_const_v<Ts> || std::is_volatile_v<Ts>) || ...)
class BasicSoaVector<Members<Ts...>, With...>
    : public detail::OfPlainMembers<BasicSoaVector<Members<std::remove_cvref_t<Ts>...>, With...>> {};

SLOTWISE_END

#endif
