// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EventQueue: events that each reader sees once, and that are dropped after two updates.
#ifndef SLOTWISE_ECS_EVENT_QUEUE_HPP
#define SLOTWISE_ECS_EVENT_QUEUE_HPP

#include "../core/detail/concepts.hpp"
#include "../core/detail/iterators.hpp"
#include "../memory/paged_array.hpp"
#include "../rows/detail/row_container.hpp"
#include "../slots/detail/arguments.hpp"

SLOTWISE_BEGIN

/// Events from many writers to many readers, in two buffers (as in Bevy): events are pushed into the newer one, and update()
/// drops the older one and makes the newer one the older. So an event can be read until the second update() after its push. A
/// system that runs once between two updates sees each event, wherever in the order of systems it runs. A Reader is a number
/// that the user keeps: it says which events were read. It also counts the events that were dropped before it has read them.
///
/// An event never moves: its address is stable until it is dropped. So events may be pushed while a range of events is walked:
/// the range ends where it ended when it was read, and the next read() returns the new events. The destructor of an event may
/// push too; its constructor must not. Several threads may use const functions at once, each with a reader of its own.
/// @tparam E an object type; it need be neither copyable nor movable @tparam With AllocBy<A>
template <class E, class... With>
class EventQueue {
    static_assert(Storable<E>, "EventQueue<E>: E is an object type without const and volatile");
    using Args = detail::Arguments<detail::with_alloc, detail::NoOptions, E, detail::NoKey, With...>;
    using Allocator = detail::rebind_t<typename Args::allocator, E>;
    using traits = std::allocator_traits<Allocator>;
    friend detail::RowRules;
    /// Whether events can get to memory of another allocator, if they may ever have to.
    static constexpr bool can_change_memory = std::is_move_constructible_v<E> || detail::always_equal<Allocator>;

    /// The events of one buffer. They are constructed in pages and never move.
    struct Buffer {
        explicit Buffer(const Allocator& alloc) noexcept : events(alloc) {}
        Buffer(Buffer&& other) noexcept : events(std::move(other.events)), count(std::exchange(other.count, 0)) {}
        Buffer& operator=(Buffer&&) = delete;
        ~Buffer() { drop(0); }
        void swap(Buffer& other) noexcept {
            events.swap(other.events);
            std::swap(count, other.count);
        }
        E* at(std::size_t i) const noexcept { return events.ptr(static_cast<slot_t>(i)); }
        template <class... Args>
        E& emplace(Args&&... args) {
            if (count == events.capacity()) [[unlikely]]
                grow();
            Allocator alloc(events.get_allocator());
            E* const event = at(count);
            traits::construct(alloc, event, std::forward<Args>(args)...);
            ++count;
            return *event;
        }
        void reserve(std::size_t room) {
            if (room > no_slot)
                detail::throw_length_error("EventQueue: more than 4,294,967,295 events between two updates; update more often");
            events.reserve(room);
        }
        SLOTWISE_NEVER_INLINE void grow() { // up to the highest number of a slot; beyond, reserve() throws
            const std::size_t more = events.grown_capacity();
            reserve(more <= no_slot || count >= no_slot ? more : std::size_t{no_slot});
        }
        // Destroys the events from `first` on.
        void drop(std::size_t first) noexcept {
            const std::size_t last = std::exchange(count, first);
            Allocator alloc(events.get_allocator());
            if constexpr (!std::is_trivially_destructible_v<E>)
                for (std::size_t i = first; i != last; ++i) traits::destroy(alloc, at(i));
        }

        PagedArray<E, Allocator> events;
        std::size_t count = 0;
    };

    /// Walks by address within a page, and by number from page to page.
    class Iterator : public detail::IteratorFacade<Iterator, E, const E&> {
    public:
        Iterator() noexcept = default;
        Iterator(const EventQueue& queue, std::uint64_t at) noexcept : queue_(std::addressof(queue)), at_(at) { locate(); }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept { return a.at_ == b.at_; }

    private:
        friend detail::IteratorFacade<Iterator, E, const E&>;
        const E& dereference() const noexcept {
            SLOTWISE_EXPECT(at_ >= queue_->first_, "EventQueue: the event was dropped; end walks before update() and clear()");
            return *event_;
        }
        void increment() noexcept {
            ++at_;
            if (++event_ == last_) locate();
        }
        // Finds the event, and the end of its page or buffer.
        void locate() noexcept {
            if (at_ >= queue_->end()) return;
            const bool newer = at_ >= queue_->boundary();
            const Buffer& buffer = newer ? queue_->newer_ : queue_->older_;
            const auto i = static_cast<std::size_t>(at_ - (newer ? queue_->boundary() : queue_->first_));
            constexpr std::size_t page = PagedArray<E, Allocator>::page_slots;
            const std::size_t in_page = page - i % page, in_buffer = buffer.count - i;
            event_ = buffer.at(i);
            last_ = event_ + (in_page < in_buffer ? in_page : in_buffer);
        }

        const EventQueue* queue_ = nullptr;
        std::uint64_t at_ = 0;
        const E* event_ = nullptr;
        const E* last_ = nullptr;
    };

public:
    using value_type = E;
    using size_type = std::size_t;
    using allocator_type = Allocator;
    using const_iterator = Iterator;
    using iterator = const_iterator;
    /// What Reader::read returns: a view of events in the order in which they were pushed. @invalidates the update() or
    /// clear() that drops one of the events, an assignment to the queue, its swap and its move
    using Events = detail::IteratorRange<Iterator>;

    /// Which events were read already. A reader belongs to the contents of a queue: after b = std::move(a), a reader of `a`
    /// continues with b.
    class Reader {
    public:
        /// Begins with the first event that was ever pushed. Those that were dropped since count as missed().
        constexpr Reader() noexcept = default;
        /// The events since the last read. All of them count as read, even if a loop over them ends early.
        /// @pre the reader has read nothing of another queue that has had more events (checked at level fast) @complexity O(1)
        Events read(const EventQueue& queue) noexcept {
            const auto count = static_cast<size_type>(queue.end() - catch_up(queue));
            const Iterator first(queue, std::exchange(next_, queue.end()));
            return Events(first, Iterator(queue, next_), count);
        }
        /// The next event, which then counts as read; null if there is none. As read().
        const E* next(const EventQueue& queue) noexcept {
            if (catch_up(queue) == queue.end()) return nullptr;
            return std::addressof(*Iterator(queue, next_++));
        }
        /// Counts all events as read, and none of them as missed. As read().
        void skip(const EventQueue& queue) noexcept {
            catch_up(queue);
            next_ = queue.end();
        }
        /// How many events read() would return. As read().
        size_type unread(const EventQueue& queue) const noexcept {
            Reader copy(*this);
            return static_cast<size_type>(queue.end() - copy.catch_up(queue));
        }
        /// How many events were dropped before this reader has read them, as of the last call of read, next or skip.
        std::uint64_t missed() const noexcept { return missed_; }

    private:
        friend EventQueue;
        explicit Reader(std::uint64_t next) noexcept : next_(next) {}
        // Skips and counts what was dropped. Returns the number of the next event to be read.
        std::uint64_t catch_up(const EventQueue& queue) noexcept {
            SLOTWISE_EXPECT(next_ <= queue.end(),
                            "EventQueue::Reader: it has read events of another queue; take queue.reader()");
            if (next_ > queue.end()) next_ = queue.end();
            if (next_ < queue.first_) missed_ += queue.first_ - std::exchange(next_, queue.first_);
            return next_;
        }

        std::uint64_t next_ = 0;
        std::uint64_t missed_ = 0;
    };

    //=== construction ===//

    EventQueue() noexcept(noexcept(Allocator()))
        requires std::is_default_constructible_v<Allocator>
        : EventQueue(Allocator()) {}
    explicit EventQueue(const Allocator& alloc) noexcept : older_(alloc), newer_(alloc) {}
    /// Copies events. A reader of `other` may continue with either queue. @throws what the allocator and the copies throw
    EventQueue(const EventQueue& other)
        requires std::is_copy_constructible_v<E>
        : EventQueue(other, traits::select_on_container_copy_construction(other.get_allocator())) {}
    EventQueue(const EventQueue& other, const Allocator& alloc)
        requires std::is_copy_constructible_v<E>
        : EventQueue(alloc) {
        enter(other, [](E& event) -> const E& { return event; });
    }
    /// Takes over the events. `other` is empty then. A reader of it may continue with either queue.
    EventQueue(EventQueue&& other) noexcept : EventQueue(other.get_allocator()) { take(other); }
    /// The same; events are moved one by one if the allocators differ. @throws what the allocator and the moves throw;
    /// `other` is empty then
    EventQueue(EventQueue&& other, const Allocator& alloc)
        requires can_change_memory
        : EventQueue(alloc) {
        if (alloc == other.get_allocator()) {
            take(other);
        } else if constexpr (std::is_move_constructible_v<E>) {
            const ScopeGuard emptied([&]() noexcept { other.clear(); });
            enter(other, [](E& event) -> E&& { return std::move(event); });
        }
    }
    /// Replaces the contents. @throws what the allocator and the copies throw; strong
    EventQueue& operator=(const EventQueue& other)
        requires std::is_copy_constructible_v<E>
    {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// `other` is empty then. @throws what the allocator and the moves throw when the allocators differ and do not propagate
    EventQueue& operator=(EventQueue&& other) noexcept(detail::RowRules::nothrow_move<EventQueue>)
        requires can_change_memory
    {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    ~EventQueue() = default;
    /// Exchanges the contents; readers belong to them. Events are moved one by one if the allocators differ and do not
    /// propagate.
    void swap(EventQueue& other) noexcept(detail::RowRules::nothrow_swap<EventQueue>)
        requires can_change_memory
    {
        detail::RowRules::swap(*this, other);
    }
    friend void swap(EventQueue& a, EventQueue& b) noexcept(noexcept(a.swap(b)))
        requires can_change_memory
    {
        a.swap(b);
    }
    allocator_type get_allocator() const noexcept { return allocator_type(newer_.events.get_allocator()); }

    //=== capacity ===//

    /// The number of events in both buffers.
    size_type size() const noexcept { return older_.count + newer_.count; }
    bool empty() const noexcept { return size() == 0; }
    /// The number of events that were ever pushed.
    std::uint64_t pushed() const noexcept { return end(); }
    /// Makes room for `count` events in the newer buffer: until the next update() none of them allocates.
    /// @throws std::length_error when that is more than 4,294,967,295, what the allocator throws; strong
    void reserve(size_type count) { newer_.reserve(count); }
    /// Frees memory that no event needs. @complexity O(chunks of memory)
    void shrink_to_fit() noexcept {
        older_.events.shrink(older_.count);
        newer_.events.shrink(newer_.count);
    }

    //=== events ===//

    /// Adds an event and returns it. It can be read until the second update() from now.
    /// @pre the event's constructor pushes nothing (checked at level fast) @throws std::length_error at the 4,294,967,296th
    /// event between two updates, what the allocator and the copy or move throw; strong @complexity amortised O(1)
    E& push(const E& event)
        requires std::is_copy_constructible_v<E>
    {
        return emplace(event);
    }
    E& push(E&& event)
        requires std::is_move_constructible_v<E>
    {
        return emplace(std::move(event));
    }
    /// Builds an event from `args`, which may refer to other events. As push.
    template <class... Args>
        requires std::is_constructible_v<E, Args...>
    E& emplace(Args&&... args) {
        SLOTWISE_EXPECT(!building_, "EventQueue: the constructor of an event pushes another one; push it afterwards");
        building_ = true;
        const ScopeGuard built([this]() noexcept { building_ = false; });
        return newer_.emplace(std::forward<Args>(args)...);
    }
    /// Adds an event made from each element of `range`, in order; it may be a range of events of this queue.
    /// @throws as push; strong: what was pushed since the call began is dropped then
    template <class R>
    void append(R&& range) {
        const size_type before = newer_.count;
        ScopeGuard undo([&]() noexcept { newer_.drop(before); });
        for (auto&& event : range) emplace(std::forward<decltype(event)>(event));
        undo.dismiss();
    }
    /// Bytes held on the heap, without what events hold themselves. @complexity O(1)
    size_type memory_usage() const noexcept { return detail::memory_of(older_.events, newer_.events); }
    /// Drops the events that were pushed before the previous update(). Memory is kept for later events. If the destructor of an
    /// event pushes another one, that can be read until the next update(). @complexity O(events dropped)
    void update() noexcept {
        first_ += older_.count;
        older_.drop(0);
        older_.swap(newer_);
    }
    /// Drops all events. Readers have missed those that they have not read. If the destructor of an event pushes another one,
    /// that stays. @complexity O(size())
    void clear() noexcept {
        Buffer older(std::move(older_)), newer(std::move(newer_)); // what destructors push goes elsewhere
        first_ += older.count + newer.count;
        older.drop(0);
        newer.drop(0);
        if (older_.events.capacity() == 0) older_.swap(older);
        if (newer_.events.capacity() == 0) newer_.swap(newer);
    }
    /// A reader that begins with the oldest event in the queue. After skip() it begins with the next event to be pushed.
    Reader reader() const noexcept { return Reader(first_); }

private:
    /// The number of the first event in the newer buffer.
    std::uint64_t boundary() const noexcept { return first_ + older_.count; }
    /// The number of the next event to be pushed.
    std::uint64_t end() const noexcept { return boundary() + newer_.count; }
    void take(EventQueue& other) noexcept {
        swap_contents(other);
        other.first_ = end();
    }
    /// Builds all events of `other` from from(event). @pre this is empty
    template <class From>
    void enter(const EventQueue& other, From&& from) {
        const auto copy = [&](Buffer& to, const Buffer& old) {
            to.reserve(old.count);
            while (to.count != old.count) to.emplace(from(*old.at(to.count)));
        };
        copy(older_, other.older_);
        copy(newer_, other.newer_);
        first_ = other.first_;
    }
    void swap_contents(EventQueue& other) noexcept {
        older_.swap(other.older_);
        newer_.swap(other.newer_);
        std::swap(first_, other.first_);
    }

    Buffer older_, newer_;
    std::uint64_t first_ = 0; // the number of the oldest event
    bool building_ = false;   // an event's constructor runs
};

SLOTWISE_END

#endif
