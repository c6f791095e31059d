// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RowObserver: is notified when rows of a sparse container come, go and change places. RowHub: the observers of one container.
#ifndef SLOTWISE_SPARSE_ROW_OBSERVER_HPP
#define SLOTWISE_SPARSE_ROW_OBSERVER_HPP

#include "../core/scope_guard.hpp"
#include "../slots/observer_token.hpp"

SLOTWISE_BEGIN

/// The base of observers of sparse containers. The rows of a container are numbered from 0. A new row is always the last one,
/// and the last one takes the place of a row that goes.
///
/// on_insert runs in the order of attachment, on_erase and on_clear in reverse. An observer must not change the container that
/// notifies it. It may detach observers, itself included, and must not attach any to that container (checked at level fast). An
/// observer that swaps rows of the container says so in its constructor; it is notified of an insert last and of an erase
/// first, so that all others know the rows that it swaps. It must not die while it is attached (checked at level debug).
class RowObserver : detail::AttachmentCount {
public:
    /// The entry in `row` was built and is found. May throw: the observers already notified then get on_erase in reverse order,
    /// and the insert is rolled back.
    virtual void on_insert([[maybe_unused]] std::size_t row) {}
    /// The entry in `row` is about to go and still intact. The last row takes its place afterwards.
    virtual void on_erase([[maybe_unused]] std::size_t row) noexcept {}
    /// The entries of two rows have changed places. An observer that swaps rows is not notified of it.
    virtual void on_swap([[maybe_unused]] std::size_t a, [[maybe_unused]] std::size_t b) noexcept {}
    /// All rows are about to go and still intact. The container was emptied, assigned, restored or destroyed.
    virtual void on_clear() noexcept {}
    /// The container was moved or swapped, and the observer with its contents: the object at `to` notifies it from now on.
    /// Null: the container is destroyed.
    virtual void on_move([[maybe_unused]] const void* from, [[maybe_unused]] void* to) noexcept {}
    /// Whether it swaps rows of the containers it is attached to.
    bool swaps_rows() const noexcept { return swaps_rows_; }
    /// For containers: counts to how many this is attached.
    detail::AttachmentCount& attachments() noexcept { return *this; }

protected:
    RowObserver() = default;
    /// @param swaps_rows whether it swaps rows; a container has one such observer at most
    explicit RowObserver(bool swaps_rows) noexcept : swaps_rows_(swaps_rows) {}
    RowObserver(const RowObserver&) = default;
    RowObserver& operator=(const RowObserver&) = default;
    virtual ~RowObserver() = default; // for -Wnon-virtual-dtor in derived classes

private:
    bool swaps_rows_ = false;
};

namespace detail {

/// The observers of one container's rows. Without observers it costs one predictable branch and a pointer. It does not know
/// ids and values. The row of an entry is asked for before each notification, because an observer may have swapped rows.
class RowHub {
    using Cell = BasicObserverCell<RowObserver>;

public:
    RowHub() = default;
    RowHub(RowHub&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
    RowHub(const RowHub&) = delete;
    RowHub& operator=(const RowHub&) = delete;
    RowHub& operator=(RowHub&&) = delete;
    ~RowHub() { release(); }
    void swap(RowHub& other) noexcept { std::swap(cell_, other.cell_); }

    std::size_t memory_usage() const noexcept { return cell_ == nullptr ? 0 : cell_->memory_usage(); }
    SLOTWISE_ALWAYS_INLINE bool attached() const noexcept { return cell_ != nullptr && cell_->count != 0; }
    bool notifying() const noexcept { return cell_ != nullptr && cell_->depth != 0; }
    /// Whether an observer that swaps rows is attached.
    bool owned() const noexcept {
        if (cell_ == nullptr) return false;
        for (std::size_t i = 0; i != cell_->count; ++i)
            if (cell_->list[i] != nullptr && cell_->list[i]->swaps_rows()) return true;
        return false;
    }

    /// Attaches the observer and notifies it of rows 0 to rows - 1. Throws std::bad_alloc, and what the observer throws: it is
    /// not attached then, and got on_erase for the rows it had been notified of @pre !(observer.swaps_rows() && owned())
    RowToken attach(RowObserver& observer, std::size_t rows) {
        SLOTWISE_EXPECT(!notifying(), "attach(observer): the container is notifying its observers; attach it afterwards");
        if (cell_ == nullptr) cell_ = new Cell;
        RowToken token(*cell_, observer);
        std::size_t row = 0;
        ScopeGuard undo([&]() noexcept {
            while (row-- != 0) observer.on_erase(row);
        });
        for (; row != rows; ++row) observer.on_insert(row);
        undo.dismiss();
        return token;
    }
    /// Notifies all of an insert. Throws what an observer throws; those notified before it got on_erase @param row gives the
    /// row that the entry is in now
    template <class Row>
    SLOTWISE_NEVER_INLINE void insert(Row&& row) {
        const Cell::Notification running(*cell_);
        std::size_t notified = 0;
        bool owner = false;
        ScopeGuard undo([&]() noexcept {
            erase_from(row, owner, notified);
            if (owner) erase_from(row, false, cell_->count);
        });
        for (;; owner = true) {
            for (notified = 0; notified != cell_->count; ++notified)
                if (RowObserver* const each = at(notified, owner)) each->on_insert(row());
            if (owner) break;
        }
        undo.dismiss();
    }
    /// Notifies all that an entry goes.
    template <class Row>
    SLOTWISE_NEVER_INLINE void erase(Row&& row) noexcept {
        const Cell::Notification running(*cell_);
        erase_from(row, true, cell_->count);
        erase_from(row, false, cell_->count);
    }
    /// The observer that swaps rows is not notified of swaps, which are its own.
    SLOTWISE_ALWAYS_INLINE void swapped(std::size_t a, std::size_t b) noexcept {
        if (attached()) [[unlikely]]
            notify_swapped(a, b);
    }
    void clear() noexcept {
        if (!attached()) return;
        const Cell::Notification running(*cell_);
        for (const bool owner : {true, false})
            for (std::size_t i = cell_->count; i-- != 0;)
                if (RowObserver* const each = at(i, owner)) each->on_clear();
    }
    void moved(const void* from, void* to) noexcept {
        if (!attached()) return;
        cell_->forward([=](RowObserver& each, std::size_t) { each.on_move(from, to); });
    }
    /// Detaches all.
    void release() noexcept {
        if (cell_ == nullptr) return;
        cell_->detach_all();
        Cell::release(std::exchange(cell_, nullptr));
    }

private:
    void notify_swapped(std::size_t a, std::size_t b) noexcept {
        for (std::size_t i = 0; i != cell_->count; ++i) // without a Notification: no list is compacted while an observer runs
            if (RowObserver* const each = at(i, false)) {
                const Cell::Notification running(*cell_);
                each->on_swap(a, b);
            }
    }
    RowObserver* at(std::size_t i, bool owner) const noexcept {
        RowObserver* const each = cell_->list[i];
        return each != nullptr && each->swaps_rows() == owner ? each : nullptr;
    }
    template <class Row>
    void erase_from(Row& row, bool owner, std::size_t from) noexcept {
        for (std::size_t i = from; i-- != 0;)
            if (RowObserver* const each = at(i, owner)) each->on_erase(row());
    }

    Cell* cell_ = nullptr;
};

} // namespace detail
SLOTWISE_END

#endif
