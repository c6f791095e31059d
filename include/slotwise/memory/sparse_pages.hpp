// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparsePages: pages found by number, made on touch. One far number costs one page, not its whole range.
#ifndef SLOTWISE_MEMORY_SPARSE_PAGES_HPP
#define SLOTWISE_MEMORY_SPARSE_PAGES_HPP

#include "../core/detail/bits.hpp"
#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"
#include "occupancy.hpp"

#include <map>

SLOTWISE_BEGIN
namespace detail {

/// The base of a page of which SparsePages keeps the empty ones.
template <class Page>
struct PageLink {
    Page* next = nullptr;        // of the spare pages
    std::uint32_t listed_at = 0; // its number while it is listed
    bool listed = false;         // it was empty once, see SparsePages::emptied
};

/// Owns value-initialised `Page` objects by page number. Low numbers, up to a small multiple of the pages there are, are in a
/// flat table: one load. Far ones are in an ordered map, so that an untrusted handle cannot claim the memory of its range
/// (Rust's SecondaryMap allocates all of it: 10 million slots for one entry). A summary of the table finds the next page, or a
/// loop that erases the first entry until none is left would look at all places before it each time.
template <class Page, class Allocator>
class SparsePages {
    using page_allocator = rebind_t<Allocator, Page>;
    using traits = std::allocator_traits<page_allocator>;
    // Of void*, because each other type of pages would be a map of its own to compile: 3 MB of the compiler's memory.
    using far_map = std::map<std::uint32_t, void*, std::less<>, rebind_t<Allocator, std::pair<const std::uint32_t, void*>>>;

    static consteval bool recycles() noexcept { return std::is_base_of_v<PageLink<Page>, Page>; }

public:
    /// How many empty pages stay under their numbers.
    static constexpr unsigned kept = 8;

    SparsePages() = default;
    explicit SparsePages(const Allocator& alloc)
        : allocator_(alloc), near_(alloc), present_(alloc), far_(typename far_map::allocator_type(alloc)) {}
    SparsePages(SparsePages&& other) noexcept
        : allocator_(other.allocator_), near_(std::move(other.near_)), present_(std::move(other.present_)),
          far_(std::move(other.far_)), spare_(std::exchange(other.spare_, nullptr)), count_(std::exchange(other.count_, 0)),
          spares_(std::exchange(other.spares_, 0)), farthest_(std::exchange(other.farthest_, 0)),
          returns_(std::exchange(other.returns_, 0)), newest_(other.newest_) {
        std::swap(emptied_, other.emptied_);
        other.far_.clear();
    }
    SparsePages(const SparsePages&) = delete;
    SparsePages& operator=(const SparsePages&) = delete;
    SparsePages& operator=(SparsePages&&) = delete;
    ~SparsePages() { clear(); }
    void swap(SparsePages& other) noexcept {
        exchange_allocators(allocator_, other.allocator_);
        near_.swap(other.near_);
        present_.swap(other.present_);
        // By moving: std::map::swap requires equal allocators, and these may have been exchanged.
        exchange_by_moving(far_, other.far_);
        std::swap(spare_, other.spare_);
        std::swap(count_, other.count_);
        std::swap(spares_, other.spares_);
        std::swap(farthest_, other.farthest_);
        std::swap(returns_, other.returns_);
        std::swap(emptied_, other.emptied_);
        std::swap(newest_, other.newest_);
    }

    SLOTWISE_ALWAYS_INLINE Page* find(std::uint32_t number) const noexcept {
        if (number < near_.size()) [[likely]]
            return near_[number];
        return far_.empty() ? nullptr : find_far(number); // most containers have no far page
    }
    /// The page if it is a near one; null for every far one.
    SLOTWISE_ALWAYS_INLINE Page* find_near(std::uint64_t number) const noexcept {
        return number < near_.size() ? near_[bits::to_size(number)] : nullptr;
    }
    /// The page, made if it is not there. @throws what the allocator throws; nothing has changed then
    Page& make(std::uint32_t number) {
        Page* const page = find(number);
        return page != nullptr ? *page : added(number);
    }
    /// Page `number` has become empty. The last few such pages stay under their numbers, so that repeated insertion and erasure
    /// find them there. The oldest one becomes a spare page if empty(page), and the next page that is made takes its memory and
    /// contents: an empty page must be as good as a new one. So there are never more pages than were in use at once and the
    /// last few; to free them cost 60 to 270 ns for each element that came and went alone in its page.
    /// Page has PageLink<Page> as a base.
    template <class F>
    SLOTWISE_ALWAYS_INLINE void emptied(std::uint32_t number, Page& page, F&& empty) noexcept {
        if (!page.listed) list(number, page, empty);
    }
    /// Calls f(number, page) in ascending order of numbers.
    template <class F>
    void for_each(F&& f) const {
        for (std::size_t i = next_near(0); i < near_.size(); i = next_near(i + 1)) f(static_cast<std::uint32_t>(i), *near_[i]);
        for (const auto& [number, page] : far_) f(number, *static_cast<Page*>(page));
    }
    /// Number of pages, without spare ones.
    std::size_t size() const noexcept { return count_; }
    /// Calls f(page) for each spare page.
    template <class F>
    void for_each_spare(F&& f) const {
        for (const Page* page = spare_; page != nullptr; page = page->next) f(*page);
    }
    /// Bytes held from the allocator. A far page's node is counted as four pointers and the entry, which is what a std::map of
    /// GNU, LLVM and Microsoft takes.
    std::size_t memory_usage() const noexcept {
        return (count_ + spares_) * sizeof(Page) + near_.memory_usage() + present_.memory_usage() +
               far_.size() * (4 * sizeof(void*) + sizeof(typename far_map::value_type));
    }
    /// The first page at or after `number`; null when there is none, else `number` becomes its number.
    Page* next(std::uint64_t& number) const noexcept {
        if (number < near_.size())
            if (const std::size_t found = present_.view().find_next(bits::to_size(number)); found < near_.size()) {
                number = found;
                return near_[found];
            }
        const auto it = far_.lower_bound(static_cast<std::uint32_t>(number));
        if (it == far_.end() || number > no_slot) return nullptr;
        number = it->first;
        return static_cast<Page*>(it->second);
    }
    /// The first page at or after `number` for which wanted(number, page) holds; null when there is none, else `number` becomes
    /// its number.
    template <class F>
    Page* next_where(std::uint64_t& number, F&& wanted) const noexcept {
        for (; number < near_.size(); ++number) {
            if (near_[bits::to_size(number)] == nullptr) {
                const std::size_t found = present_.view().find_next(bits::to_size(number));
                if (found >= near_.size()) {
                    number = near_.size();
                    break;
                }
                number = found;
            }
            Page* const page = near_[bits::to_size(number)];
            if (wanted(number, *page)) return page;
        }
        return far_.empty() || number > no_slot ? nullptr : next_far_where(number, wanted);
    }
    /// The last page at or before `number`; null when there is none, else `number` becomes its number.
    Page* previous(std::uint64_t& number) const noexcept {
        const auto it = far_.upper_bound(number < no_slot ? static_cast<std::uint32_t>(number) : no_slot);
        if (it != far_.begin()) {
            const auto& [found, page] = *std::prev(it);
            number = found;
            return static_cast<Page*>(page);
        }
        if (near_.empty()) return nullptr;
        const std::size_t found =
            present_.view().find_previous(number < near_.size() ? bits::to_size(number) + 1 : near_.size());
        if (found >= near_.size()) return nullptr;
        number = found;
        return near_[found];
    }
    /// Frees every page for which pred(page) holds and the spare ones, and the table when no page is left.
    template <class F>
    SLOTWISE_NEVER_INLINE void clear_if(F&& pred) noexcept {
        free_spare();
        for (std::size_t i = next_near(0); i < near_.size(); i = next_near(i + 1))
            if (pred(*near_[i])) {
                free(take_near(i));
                --count_;
            }
        for (auto it = far_.begin(); it != far_.end();)
            if (Page* const page = static_cast<Page*>(it->second); pred(*page)) {
                it = far_.erase(it);
                --count_;
                free(page);
            } else
                ++it;
        if (count_ == 0) free_table();
    }
    void clear() noexcept {
        clear_if([](const Page&) { return true; });
    }
    Allocator get_allocator() const noexcept { return Allocator(allocator_); }

private:
    // Out of line, or g++ does not inline what is hot: get() took 10 to 60 % longer.
    SLOTWISE_NEVER_INLINE Page* find_far(std::uint32_t number) const noexcept {
        const auto it = far_.find(number);
        return it == far_.end() ? nullptr : static_cast<Page*>(it->second);
    }
    template <class F>
    SLOTWISE_NEVER_INLINE Page* next_far_where(std::uint64_t& number, F& wanted) const noexcept {
        for (auto it = far_.lower_bound(static_cast<std::uint32_t>(number)); it != far_.end(); ++it) {
            number = it->first;
            if (Page* const page = static_cast<Page*>(it->second); wanted(number, *page)) return page;
        }
        return nullptr;
    }
    // The first place of the table at or after `i` that has a page, or the table's size.
    SLOTWISE_ALWAYS_INLINE std::size_t next_near(std::size_t i) const noexcept {
        return i >= near_.size() || near_[i] != nullptr ? i : skip_near(i);
    }
    // Out of line, or the walk of a SecondaryMap's iterator has a call in it.
    SLOTWISE_NEVER_INLINE std::size_t skip_near(std::size_t i) const noexcept {
        const std::size_t found = present_.view().find_next(i);
        return found < near_.size() ? found : near_.size();
    }
    SLOTWISE_NEVER_INLINE Page& added(std::uint32_t number) {
        if constexpr (recycles())
            if (spare_ != nullptr && number < near_.size()) {
                Page* const page = take_spare();
                put_near(number, page);
                ++count_;
                return *page;
            }
        return added_slowly(number);
    }
    SLOTWISE_COLD Page& added_slowly(std::uint32_t number) {
        if (number >= near_.size()) {
            if (number > farthest_)
                farthest_ = number;
            else if (returns_ != most_returns)
                ++returns_;
            if (number < 64 + 8 * (count_ + 1 + returns_)) widen(number + 1);
        }
        Page* page = nullptr;
        bool is_new = true;
        if constexpr (recycles())
            if (spare_ != nullptr) {
                page = take_spare();
                is_new = false;
            }
        if (is_new) {
            page = allocate_raw(allocator_, 1);
            std::construct_at(page);
        }
        ScopeGuard undo([&]() noexcept {
            if constexpr (recycles())
                if (!is_new) return put_spare(page);
            free(page);
        });
        if (number < near_.size())
            put_near(number, page);
        else
            far_.emplace(number, page);
        undo.dismiss();
        ++count_;
        return *page;
    }
    // Forgets which pages were empty once, too.
    SLOTWISE_COLD void free_spare() noexcept {
        if constexpr (recycles()) {
            for (Page*& page : emptied_)
                if (page != nullptr) std::exchange(page, nullptr)->listed = false;
            while (spare_ != nullptr) free(take_spare());
        }
    }
    SLOTWISE_COLD void free_table() noexcept {
        near_.free();
        SummaryBits<Allocator>(Allocator(allocator_)).swap(present_);
        farthest_ = returns_ = 0;
    }
    template <class F>
    SLOTWISE_NEVER_INLINE void list(std::uint32_t number, Page& page, F& empty) noexcept {
        page.listed = true;
        page.listed_at = number;
        newest_ = (newest_ + 1) % kept;
        Page* const oldest = std::exchange(emptied_[newest_], &page);
        if (oldest == nullptr) return;
        oldest->listed = false;
        if (!empty(std::as_const(*oldest))) return;
        if (oldest->listed_at < near_.size())
            take_near(oldest->listed_at);
        else
            far_.erase(oldest->listed_at);
        --count_;
        put_spare(oldest);
    }
    void put_near(std::size_t number, Page* page) noexcept {
        near_[number] = page;
        present_.set_scattered(number);
    }
    Page* take_near(std::size_t number) noexcept {
        present_.reset_scattered(number);
        return std::exchange(near_[number], nullptr);
    }
    void put_spare(Page* page) noexcept {
        page->next = std::exchange(spare_, page);
        ++spares_;
    }
    Page* take_spare() noexcept {
        --spares_;
        return std::exchange(spare_, spare_->next);
    }
    void free(Page* page) noexcept {
        std::destroy_at(page);
        deallocate_raw(allocator_, page, 1);
    }
    void widen(std::size_t size) {
        if (size < 2 * near_.size()) size = 2 * near_.size();
        auto wider = near_.resized(size, nullptr);
        present_.resized(size, Allocator(allocator_)).swap(present_);
        near_.swap(wider);
        while (!far_.empty() && far_.begin()->first < near_.size()) {
            put_near(far_.begin()->first, static_cast<Page*>(far_.begin()->second));
            far_.erase(far_.begin());
        }
    }

    SLOTWISE_NO_UNIQUE_ADDRESS page_allocator allocator_{};
    FlatArray<Page*, Allocator> near_{};
    SummaryBits<Allocator> present_{}; // the places of near_ that have a page
    far_map far_{};
    Page* spare_ = nullptr; // empty pages without a number
    std::size_t count_ = 0; // of pages with a number
    std::size_t spares_ = 0;
    // The highest number of a far page, and how many far pages were made below it: the table also grows as if these were still
    // there. Elements that come and go one at a time all over a range are few at once, and would be far forever. A window of
    // ascending numbers does not count, or it would leave a table of all numbers behind. The table gets up to 32 Ki places so.
    static constexpr std::uint32_t most_returns = 1u << 11;
    std::uint32_t farthest_ = 0, returns_ = 0;
    Page* emptied_[kept] = {}; // pages that were empty once, a ring; they may have filled since
    unsigned newest_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
