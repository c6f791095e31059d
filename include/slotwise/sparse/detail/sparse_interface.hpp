// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseInterface: what SparseSet and SparseMap have in common. Before it stand their iterator, and the ranges of chunks and
// values.
#ifndef SLOTWISE_SPARSE_DETAIL_SPARSE_INTERFACE_HPP
#define SLOTWISE_SPARSE_DETAIL_SPARSE_INTERFACE_HPP

#include "../../core/detail/concepts.hpp"
#include "../../core/detail/iterators.hpp"
#include "../../core/detail/seal.hpp"
#include "../../fwd.hpp"
#include "../../slots/detail/arguments.hpp"
#include "sparse_engine.hpp"

#include <optional>
#include <span>

SLOTWISE_BEGIN

/// Consecutive rows whose values lie side by side in memory.
template <class Id, class T>
struct SparseChunk {
    std::size_t first;       ///< number of the first row
    std::span<const Id> ids; ///< one a row
    T* data;                 ///< the value of the first row; for an empty T the one object that stands for all
    /// Of values in memory: 0 for an empty T, one otherwise.
    static constexpr std::size_t step = detail::takes_no_memory<std::remove_const_t<T>> ? 0 : 1;

    /// How many rows.
    std::size_t size() const noexcept { return ids.size(); }
    /// One a row. An empty T has no memory and no span.
    std::span<T> values() const noexcept
        requires(step == 1)
    {
        return {data, ids.size()};
    }
    /// Calls f(id, value) in row order.
    template <class F>
    void for_each(F&& f) const {
        const Id* const id = ids.data();
        const std::size_t rows = ids.size();
        for (std::size_t i = 0; i != rows; ++i) f(id[i], data[i * step]);
    }
};

namespace detail {

/// The access of chunks and ranges of values to the values of a map.
struct SparseRuns {
    template <class T, class Core>
    static SparseChunk<typename Core::id_type, T> at(const Core& core, std::size_t run, std::size_t limit) noexcept {
        const auto& values = core.values_;
        if constexpr (requires { values.run(run); }) {
            const auto here = values.run(run);
            const std::size_t left = limit - here.first;
            return {here.first, core.ids().subspan(here.first, here.slot_count < left ? here.slot_count : left), here.data};
        } else
            return {0, core.ids().first(limit), values.at(0)};
    }
    /// How many runs there are in the first `rows` rows.
    template <class Core>
    static std::size_t count(const Core& core, std::size_t rows) noexcept {
        const auto& values = core.values_;
        if constexpr (requires { values.run_count(); }) {
            std::size_t runs = values.run_count();
            while (runs != 0 && values.run(runs - 1).first >= rows) --runs;
            return runs;
        } else
            return rows != 0;
    }
    template <class T, class Core>
    static T* value(const Core& core, std::size_t row) noexcept {
        return core.values_.at(row);
    }
    /// Consecutive rows with values side by side, as many as are certain.
    template <class Core>
    static std::size_t page() noexcept {
        using Values = std::remove_cvref_t<decltype(std::declval<const Core&>().values_)>;
        if constexpr (requires { Values::page_rows; })
            return Values::page_rows;
        else
            return 1;
    }
};

/// A range of SparseChunk.
template <class Core, class Id, class T>
class SparseChunks {
public:
    class iterator : public IteratorFacade<iterator, SparseChunk<Id, T>, SparseChunk<Id, T>, std::forward_iterator_tag> {
    public:
        iterator() noexcept = default;
        iterator(const Core& core, std::size_t run) noexcept : core_(&core), run_(run) {}
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.run_ == b.run_; }

    private:
        friend IteratorFacade<iterator, SparseChunk<Id, T>, SparseChunk<Id, T>, std::forward_iterator_tag>;
        SparseChunk<Id, T> dereference() const noexcept { return SparseRuns::at<T>(*core_, run_, core_->size()); }
        void increment() noexcept { ++run_; }

        const Core* core_ = nullptr;
        std::size_t run_ = 0;
    };

    explicit SparseChunks(const Core& core) noexcept : core_(&core) {}
    iterator begin() const noexcept { return {*core_, 0}; }
    iterator end() const noexcept { return {*core_, size()}; }
    std::size_t size() const noexcept { return SparseRuns::count(*core_, core_->size()); }
    bool empty() const noexcept { return core_->empty(); }

private:
    const Core* core_;
};

/// The values in row order. An iterator is a pointer into a page and the row.
template <class Core, class T>
class SparseValueRange {
public:
    class iterator : public IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag> {
    public:
        iterator() noexcept = default;
        iterator(const Core& core, std::size_t row) noexcept : core_(&core), row_(row) { find(); }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.row_ == b.row_; }
        /// The row of the value.
        std::size_t row() const noexcept { return row_; }

    private:
        friend IteratorFacade<iterator, std::remove_const_t<T>, T&, std::bidirectional_iterator_tag>;
        T& dereference() const noexcept { return *value_; }
        void increment() noexcept {
            ++value_;
            if (++row_ % SparseRuns::page<Core>() == 0) find();
        }
        void decrement() noexcept {
            --row_;
            find();
        }
        void find() noexcept { value_ = row_ < core_->size() ? SparseRuns::value<T>(*core_, row_) : nullptr; }

        const Core* core_ = nullptr;
        std::size_t row_ = 0;
        T* value_ = nullptr;
    };

    explicit SparseValueRange(const Core& core) noexcept : core_(&core) {}
    iterator begin() const noexcept { return {*core_, 0}; }
    iterator end() const noexcept { return {*core_, core_->size()}; }
    std::size_t size() const noexcept { return core_->size(); }
    bool empty() const noexcept { return core_->empty(); }
    /// The value in a row. @pre row < size()
    T& operator[](std::size_t row) const noexcept { return *SparseRuns::value<T>(*core_, row); }

private:
    const Core* core_;
};

/// The access of iterators to the items of a container.
struct SparseItems {
    template <class Container>
    static decltype(auto) at(Container& container, std::size_t row) noexcept {
        return container.item(row);
    }
};
/// The iterator of sparse containers: a row, from the last one to the first. It has no address, so that it stays valid while
/// entries are inserted, and while the entry here and those that the walk has passed are erased: the row that takes the place
/// of an erased one was passed before.
template <class Container, class Item>
class SparseIterator : public IteratorFacade<SparseIterator<Container, Item>, Item, Item, std::bidirectional_iterator_tag> {
    using Facade = IteratorFacade<SparseIterator, Item, Item, std::bidirectional_iterator_tag>;

public:
    SparseIterator() noexcept = default;
    /// For the container: at row `end` - 1, or at the end if that is 0.
    SparseIterator(Container* container, std::size_t end) noexcept : container_(container), end_(end) {}
    /// iterator to const_iterator.
    template <class Const, class ConstItem>
        requires(!std::is_const_v<Container> && std::is_same_v<Const, const Container>)
    operator SparseIterator<Const, ConstItem>() const noexcept {
        return {container_, end_};
    }
    friend bool operator==(const SparseIterator& a, const SparseIterator& b) noexcept { return a.end_ == b.end_; }
    /// The row of the entry here. @pre not at the end
    std::size_t row() const noexcept { return end_ - 1; }
    /// Its id. @pre not at the end (checked at level fast)
    auto id() const noexcept { return container_->id_at(row()); }

private:
    friend Facade;
    Item dereference() const noexcept {
        SLOTWISE_EXPECT_DEBUG(row() < container_->size(),
                              "sparse container iterator: it is the end, or entries before it in the walk were erased");
        return SparseItems::at(*container_, row());
    }
    void increment() noexcept { --end_; }
    void decrement() noexcept { ++end_; }

    Container* container_ = nullptr;
    std::size_t end_ = 0; // the row and one, so that 0 is the end
};

/// The allocator of a sparse container of Ts with these named arguments.
template <class T, class... With>
using SparseAllocator = typename Arguments<with_alloc, NoOptions, T, NoKey, With...>::allocator;

/// The interface of a sparse container, which does not depend on the items that iterators yield. A set has values that take no
/// memory.
///
/// Constructors and destructors of values may do anything to the container but move, swap, assign or destroy it. An entry is
/// not found before its value is built, nor once its destructor runs. Moves of values, and destructors of moved-from ones, must
/// not change the container.
template <class Id, class Values, class Allocator>
class SparseInterface : protected SparseEngine<Id, Values, Allocator> {
protected:
    using Engine = SparseEngine<Id, Values, Allocator>;
    using typename Engine::Entries;
    using typename Engine::Page;
    using typename Engine::Traits;
    using typename Engine::Value;

public:
    using id_type = Id;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    /// What row_of() returns for an id that is not here.
    static constexpr size_type no_row = Engine::no_row;

    SparseInterface() = default;
    explicit SparseInterface(const Allocator& alloc) : Engine(alloc) {}
    /// Copies the entries, row by row. A copy has no observers. @throws what the allocator and the copies throw
    SparseInterface(const SparseInterface& other)
        : SparseInterface(other,
                          std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    /// As above, into memory of `alloc`.
    SparseInterface(const SparseInterface& other, const Allocator& alloc) : SparseInterface(alloc) {
        if constexpr (std::is_same_v<Value, WithoutValue> || std::is_copy_constructible_v<Value>)
            this->take_rows(other, [](Value& value) -> const Value& { return value; });
        else
            static_assert(never<Value>, "SparseMap copy: T cannot be copied; write std::move(map)");
    }
    /// Takes the entries and the observers.
    SparseInterface(SparseInterface&& other) noexcept : Engine(other.get_allocator()) {
        this->swap_rows_with(other);
        this->take_observers(other);
    }
    /// As above, into memory of `alloc`: moves the values one by one if the allocators differ.
    SparseInterface(SparseInterface&& other, const Allocator& alloc) : SparseInterface(alloc) {
        if constexpr (!always_equal<Allocator>)
            if (alloc != other.get_allocator()) {
                this->take_rows(other, [](Value& value) -> Value&& { return std::move(value); });
                SparseInterface(other.get_allocator()).swap_rows_with(other);
            }
        if (alloc == other.get_allocator()) this->swap_rows_with(other);
        this->take_observers(other);
    }
    /// Replaces the entries and keeps the observers, which are notified. @throws what the allocator, the copies and observers
    /// throw; strong, but empty if an observer throws
    SparseInterface& operator=(const SparseInterface& other) {
        if (this == &other) return *this;
        SparseInterface copy(other, propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        this->adopt(copy);
        return *this;
    }
    /// Takes the entries and the observers. The observers here are notified of a clear, and detached.
    SparseInterface& operator=(SparseInterface&& other) noexcept(propagates_on_move<Allocator> || always_equal<Allocator>) {
        if (this == &other) return *this;
        SparseInterface taken(std::move(other), propagates_on_move<Allocator> ? other.get_allocator() : get_allocator());
        this->hub_.clear();
        this->hub_.release();
        this->swap_rows_with(taken);
        this->take_observers(taken);
        return *this;
    }
    ~SparseInterface() {
        this->hub_.clear();
        this->hub_.moved(this, nullptr);
        this->hub_.release();
        while (!empty()) this->drop_all(); // a destructor may insert
    }
    /// Exchanges entries and observers. Unequal allocators that do not propagate: the values are moved one by one.
    void swap(SparseInterface& other) noexcept(propagates_on_swap<Allocator> || always_equal<Allocator>) {
        if constexpr (!propagates_on_swap<Allocator> && !always_equal<Allocator>)
            if (get_allocator() != other.get_allocator()) {
                SparseInterface mine(std::move(*this), other.get_allocator()), theirs(std::move(other), get_allocator());
                this->swap_rows_with(theirs);
                this->take_observers(theirs);
                other.swap_rows_with(mine);
                other.take_observers(mine);
                return;
            }
        this->swap_rows_with(other);
        this->hub_.swap(other.hub_);
        this->hub_.moved(&other, this);
        other.hub_.moved(this, &other);
    }

    size_type size() const noexcept { return this->size_; }
    bool empty() const noexcept { return this->size_ == 0; }
    /// How many entries fit before an insert allocates rows.
    size_type capacity() const noexcept { return this->room(); }
    /// Bytes held on the heap, without what values hold themselves. @complexity O(1)
    size_type memory_usage() const noexcept { return memory_of(this->entries_, this->ids_, this->values_, this->hub_); }
    allocator_type get_allocator() const noexcept { return this->entries_.get_allocator(); }
    /// Makes room for `count` rows. Pages of ids are made when ids are inserted. @throws what the allocator throws; strong
    void reserve(size_type count) { this->do_reserve(count); }
    /// Frees rows and pages that no id needs; erase keeps them. @throws what the allocator throws; strong @invalidates ids()
    void shrink_to_fit() {
        if (this->size_ != this->ids_.size()) this->ids_.resized(this->size_, Id{}).swap(this->ids_);
        this->values_.shrink(this->size_);
        this->entries_.shrink();
        this->room_ = this->room();
    }

    /// Whether exactly this id is here. Any bit pattern is allowed. @complexity O(1), far indices O(log pages)
    SLOTWISE_ALWAYS_INLINE bool contains(Id id) const noexcept {
        const Page* const page = this->entries_.find(id);
        return page != nullptr && Entries::row(*page, id) < this->size_;
    }
    /// 1 if the id is here, else 0.
    size_type count(Id id) const noexcept { return contains(id) ? 1 : 0; }
    /// The row of the id, or no_row.
    SLOTWISE_ALWAYS_INLINE size_type row_of(Id id) const noexcept { return this->do_row_of(id); }
    /// @pre row < size() (checked at level fast)
    Id id_at(size_type row) const noexcept {
        SLOTWISE_EXPECT(row < this->size_, "id_at(row): the container has no such row; rows are less than size()");
        return this->ids_[row];
    }
    /// The ids, row by row. @invalidates itself on insert and erase
    std::span<const Id> ids() const noexcept { return {this->ids_.data(), this->size_}; }

    /// Removes the entry of exactly this id; false when there is none. The last row takes its place.
    /// @throws nothing if moves of values throw nothing; else what they throw: nothing is erased then @complexity O(1)
    bool erase(Id id) noexcept(Values::nothrow_move) { return this->do_erase(id); }
    /// Removes all entries. Row capacity stays, pages of ids are freed. An entry that a destructor inserts meanwhile survives.
    /// @throws nothing
    void clear() noexcept {
        this->expect_not_notifying();
        this->hub_.clear();
        this->drop_all();
    }

    /// Exchanges the rows of two entries. Others stay where they are. @throws what moves of values throw @pre a and b are less
    /// than size(), and no group owns the container (checked at level fast)
    void swap_rows(size_type a, size_type b) noexcept(Values::nothrow_move) {
        SLOTWISE_EXPECT(a < this->size_ && b < this->size_,
                        "swap_rows(a, b): the container has no such row; rows are less than size()");
        this->expect_no_owner();
        this->do_swap_rows(a, b);
    }
    /// Brings the ids that `other`, a sparse container of the same ids, has too to the front, in the order of its rows. The
    /// rest follows in unspecified order. @throws what moves of values throw @complexity linear in the size of other @pre
    /// no group owns the container (checked at level fast)
    template <class Other>
    void sort_like(const Other& other) noexcept(Values::nothrow_move) {
        this->expect_no_owner();
        size_type front = 0;
        for (const Id id : other.ids())
            if (const size_type row = row_of(id); row != no_row) this->do_swap_rows(row, front++);
    }

    /// Attaches an observer, which is notified of every row there is. Moves with the entries; a copy has no observers.
    /// @throws std::bad_alloc and what the observer throws: it is not attached then; std::invalid_argument: the observer swaps
    /// rows, and one that does is attached already @pre the container is not notifying (checked at level fast)
    [[nodiscard]] RowToken attach(RowObserver& observer) {
        if (observer.swaps_rows() && this->hub_.owned())
            throw_invalid_argument("attach(observer): a group owns this container already, and only one may swap its rows; "
                                   "destroy that group first");
        return this->hub_.attach(observer, this->size_);
    }
    /// Whether a group, or another observer that swaps rows, is attached.
    bool owned() const noexcept { return this->hub_.owned(); }

    /// The exact state as bytes, the order of rows included. The same state gives the same bytes.
    /// @param codec how values become bytes; see DefaultCodec for the types that need none
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        for (const auto word : header()) out.number(word);
        out.number(std::uint64_t{this->size_});
        out.raw(this->ids_.data(), this->size_ * sizeof(Id));
        if constexpr (!std::is_same_v<Value, WithoutValue>)
            for (size_type row = 0; row != this->size_; ++row) codec.write(std::as_const(*this->values_.at(row)), out);
        return Seal::close<Codec>(out, tags<Codec>());
    }
    /// Replaces the entries by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would not
    /// write are refused. Observers are notified of the exchange.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator and the codec throw;
    /// strong, but empty if an observer throws
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* const wrong = Seal::open<Codec>(bytes, header()[0], tags<Codec>())) return wrong;
        ByteReader in(bytes);
        SparseInterface fresh(get_allocator());
        fresh.read(in, codec);
        if (in.error() == nullptr) this->adopt(fresh);
        return in.error();
    }

    /// Whether ids, rows and entries agree; for tests. Linear.
    bool check_invariants() const noexcept {
        for (size_type row = 0; row != this->size_; ++row)
            if (row_of(this->ids_[row]) != row || !Traits::can_live(this->ids_[row])) return false;
        return this->entries_.is_sound(this->size_) && this->size_ <= this->room() && this->room_ <= this->room();
    }

protected:
    /// Equal when the same ids have equal values, in whatever order.
    static bool equal(const SparseInterface& a, const SparseInterface& b) {
        if (a.size_ != b.size_) return false;
        for (size_type row = 0; row != a.size_; ++row) {
            const size_type other = b.row_of(a.ids_[row]);
            if (other == no_row) return false;
            if constexpr (!std::is_same_v<Value, WithoutValue>)
                if (!(std::as_const(*a.values_.at(row)) == std::as_const(*b.values_.at(other)))) return false;
        }
        return true;
    }

private:
    friend struct OwnedRows;
    friend SparseRuns;

    template <class Codec>
    static consteval auto tags() noexcept {
        constexpr ElementTag id{ElementRole::id, type_tag<DefaultCodec, Id>()};
        if constexpr (std::is_same_v<Value, WithoutValue>)
            return std::array{id};
        else
            return std::array{id, ElementTag{ElementRole::value, type_tag<Codec, Value>()}};
    }
    static auto header() noexcept {
        // "SLS" and the byte order; the sizes of id and value.
        constexpr std::uint32_t order = std::endian::native == std::endian::little ? 1 : 2;
        constexpr std::uint32_t size = size_check_of<Value>();
        return std::array{0x534C'5300u + order, static_cast<std::uint32_t>(sizeof(Id)), size};
    }
    template <class Codec>
    void read(ByteReader& in, Codec& codec) {
        for (const auto word : header())
            if (in.number<std::uint32_t>() != word) {
                in.fail("snapshot: these bytes are no snapshot of a sparse container with ids and values of these sizes");
                return;
            }
        const std::size_t rows = in.length(sizeof(Id));
        const auto ids = in.raw(rows * sizeof(Id));
        for (size_type row = 0; row != rows && in.error() == nullptr; ++row) {
            Id id;
            std::memcpy(static_cast<void*>(&id), ids.data() + row * sizeof(Id), sizeof(Id));
            if (!Traits::can_live(id) || !(without_user_bits(id) == id))
                in.fail("snapshot: an id is one that no container has");
            else if constexpr (std::is_same_v<Value, WithoutValue>) {
                if (!this->do_try_emplace(id).second) in.fail("snapshot: two ids have one index");
            } else {
                Value value(codec.template read<Value>(in));
                if (in.error() == nullptr && !this->do_try_emplace(id, std::move(value)).second)
                    in.fail("snapshot: two ids have one index");
            }
        }
        if (in.error() == nullptr && this->size_ != rows) in.fail("snapshot: two ids have one index");
        if (in.error() == nullptr && in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
    }
};

/// For groups, which own a container: changes the order of its rows.
struct OwnedRows {
    template <class Set, class Less>
    static void sort(Set& set, std::size_t count, Less& less) {
        set.sort_rows(count, less);
    }
    template <class Set>
    static void swap(Set& set, std::size_t a, std::size_t b) noexcept(noexcept(set.do_swap_rows(a, b))) {
        set.do_swap_rows(a, b);
    }
};

/// The interface that a set or map derives from, and the type of its values. PartsOfSparse<Set> finds them.
template <class Id, class Values, class Allocator>
struct SparseParts {
    using Interface = SparseInterface<Id, Values, Allocator>;
    using Value = std::remove_pointer_t<decltype(std::declval<Values&>().at(0))>;
};
template <class Id, class Values, class Allocator>
SparseParts<Id, Values, Allocator> parts_of_sparse(const SparseInterface<Id, Values, Allocator>&);
template <class Set>
using PartsOfSparse = decltype(parts_of_sparse(std::declval<Set&>()));

} // namespace detail
SLOTWISE_END

template <class Core, class Id, class T>
inline constexpr bool std::ranges::enable_view<slotwise::detail::SparseChunks<Core, Id, T>> = true;
template <class Core, class Id, class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::SparseChunks<Core, Id, T>> = true;
template <class Core, class T>
inline constexpr bool std::ranges::enable_view<slotwise::detail::SparseValueRange<Core, T>> = true;
template <class Core, class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::SparseValueRange<Core, T>> = true;

#endif
