// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The engine without a container around it: SlotDirectory under all options beside its exact model, paged and reserved memory,
// ObserverHub with observers that attach, detach and refuse while they are notified, bytes of snapshots; and the small
// structures below, SparsePages and SummaryBits, by themselves. The first byte of an input picks which.
#include "directory_model.hpp"

#include <slotwise/memory/reserved_array.hpp>
#include <slotwise/memory/sparse_pages.hpp>
#include <slotwise/slots/detail/observer_hub.hpp>
#include <slotwise/slots/slot_directory.hpp>
#include <slotwise/slots/snapshot.hpp>
#include <slotwise/slots/value_array.hpp>

#include <array>

namespace {

using namespace test;
using slotwise::detail::DirectorySnapshot;
using slotwise::detail::ObserverHub;
using Is = DirectoryModel::Is;

//=== observers that do things ===//

struct Refusal {};
class Watcher;

/// All observers of one hub, and what one of them is to do when it is notified of something.
struct Crew {
    enum class Deed : std::uint8_t { none, detach, attach, refuse };
    std::array<Watcher, 4>* watchers = nullptr;
    Deed deed = Deed::none;
    unsigned whom = 0;
    unsigned events = 0;         // until the deed
    const void* order = nullptr; // the kind of event that runs; watchers must hear of it in order
    std::uint64_t last = 0;      // serial number of who heard of it last
    std::uint64_t attached = 0;  // serial numbers given out
    bool replaying = false;

    void begin() { order = nullptr; }
    /// Attaching and detaching as the hub at hand does it.
    void* body = nullptr;
    void (*attach)(void* body, Watcher& watcher) = nullptr;
};

class Watcher final : public SlotObserver {
public:
    Crew* crew = nullptr;
    Shadow book{};
    ObserverToken token{};
    std::uint64_t serial = 0;

    void detach() {
        token.detach();
        book.forget();
    }
    void on_capacity(slot_t old_slots, slot_t new_slots) override {
        heard(true, "capacity");
        act(new_slots > old_slots);
        if (serial == 0) return; // it was itself that had to go
        book.on_capacity(old_slots, new_slots);
    }
    void on_insert(slot_t slot, InsertKind kind) override {
        heard(true, "insert");
        act(true);
        if (serial != 0) book.on_insert(slot, kind);
    }
    void on_remove(slot_t slot) noexcept override {
        heard(false, "remove");
        book.on_remove(slot);
        act(false);
    }
    void on_erase(slot_t slot) noexcept override {
        heard(false, "erase");
        book.on_erase(slot);
        act(false);
    }
    void on_clear(Occupancy slots) noexcept override {
        heard(false, "clear");
        slots.for_each([this](slot_t slot) {
            book.on_remove(slot);
            book.on_erase(slot);
        });
        act(false);
    }
    void on_reset() noexcept override {
        heard(false, "reset");
        book.on_reset();
    }

private:
    /// Construct-type events run in attach order, destroy-type events in reverse.
    void heard(bool forward, const char* kind) {
        if (crew->replaying) return;
        if (crew->order == kind) FUZZ_CHECK(forward ? serial > crew->last : serial < crew->last);
        crew->order = kind;
        crew->last = serial;
    }
    void act(bool may_refuse) {
        if (crew->deed == Crew::Deed::none || crew->events-- != 0) return;
        const Crew::Deed deed = std::exchange(crew->deed, Crew::Deed::none);
        Watcher& other = (*crew->watchers)[crew->whom];
        if (deed == Crew::Deed::refuse && may_refuse) raise<Refusal>();
        if (deed == Crew::Deed::detach && other.token.attached()) { // one that is being attached has no token yet
            other.serial = 0;
            other.detach();
        }
        if (deed == Crew::Deed::attach && other.serial == 0) crew->attach(crew->body, other);
    }
};

//=== SlotDirectory ===//

template <HandleLayout L, Exhaustion E, Reuse R, class Array, class... Column>
class DirectoryBody {
    using Directory = SlotDirectory<L, E, R>;
    using Allocator = std::allocator<std::byte>;
    static constexpr std::size_t most_slots = Directory::max_slots < 200 ? Directory::max_slots : 200;
    static constexpr bool has_column = sizeof...(Column) != 0;

public:
    explicit DirectoryBody(Input& in) : in_(in), model_(Directory::max_version, E, R) {
        crew_.watchers = &watchers_;
        crew_.body = this;
        crew_.attach = [](void* body, Watcher& watcher) { static_cast<DirectoryBody*>(body)->attach(watcher); };
        for (Watcher& watcher : watchers_) watcher.crew = &crew_;
        const unsigned who = in_.byte();
        for (unsigned i = 0; i != watchers_.size(); ++i)
            if ((who >> i & 1) != 0) attach(watchers_[i]);
    }
    DirectoryBody(const DirectoryBody&) = delete;
    DirectoryBody& operator=(const DirectoryBody&) = delete;
    ~DirectoryBody() {
        crew_.begin();
        hub_.detach_all();
    }

    std::uint64_t run() {
        while (!in_.done()) {
            step();
            after_step();
        }
        check_all();
        clear();
        check_all();
        crew_.begin();
        hub_.reset();
        for (const Watcher& watcher : watchers_) FUZZ_CHECK(watcher.book.live() == 0);
        return steps_;
    }

private:
    struct Place {
        const int* address = nullptr;
        int value = 0;
        int column = 0;
    };

    void step() {
        const unsigned kind = in_.byte();
        if (kind < 72)
            insert(kind);
        else if (kind < 112)
            erase(kind);
        else if (kind < 120)
            hold();
        else if (kind < 130)
            settle();
        else if (kind < 136)
            reserve();
        else if (kind < 144)
            redeem();
        else if (kind < 158)
            take();
        else if (kind < 162)
            clear();
        else if (kind < 165)
            shrink();
        else if (kind < 168)
            grow(in_.below(most_slots + 1));
        else if (kind < 171)
            retreat_in_vain();
        else if (kind < 173)
            recycle();
        else if (kind < 177)
            copy(kind);
        else if (kind < 182)
            save_and_load();
        else if (kind < 190)
            load_hostile();
        else if (kind < 206)
            plot();
        else if (kind < 212)
            toggle(watchers_[kind % 4]);
        else if (kind < 214)
            exchange();
        else if (kind < 236)
            probe(any_slot(), static_cast<std::uint32_t>(in_.number(kind % 4 == 0 ? 4 : 1)));
        else
            check_memory();
    }

    slot_t any_slot() { return static_cast<slot_t>(in_.below(model_.cursor() + 1)); }
    /// The first one from a random slot on that is so; no_slot when there is none.
    slot_t any(Is is) {
        const slot_t end = model_.cursor(), from = any_slot();
        for (slot_t i = 0; i < end; ++i)
            if (const slot_t slot = from + i < end ? from + i : from + i - end; slot < end && model_.is(slot) == is)
                return slot;
        return no_slot;
    }
    Place& place(slot_t slot) {
        if (slot >= places_.size()) places_.resize(slot + 64);
        return places_[slot];
    }

    //=== steps of a container ===//

    /// False when there can be no more, or an observer refused.
    bool grow(std::size_t slots) {
        if (slots <= directory_.capacity()) return true;
        if (slots > most_slots) return false;
        values_.reserve(slots);
        const std::size_t room = values_.capacity() < most_slots ? values_.capacity() : most_slots,
                          before = directory_.capacity();
        crew_.begin();
        const bool refused = throws<Refusal>([&] {
            if (!directory_.covers(room)) {
                auto more = directory_.prepare(room, {});
                hub_.capacity(before, room);
                directory_.adopt(more);
            } else
                hub_.capacity(before, room);
        });
        if (refused) {
            // Those notified before it keep the room they have made: on_capacity has no way back. They start again.
            for (Watcher& watcher : watchers_)
                if (watcher.serial != 0) reattach(watcher);
            return false;
        }
        directory_.set_capacity(room);
        return true;
    }
    bool make_room() {
        FUZZ_CHECK(directory_.has_room() == (model_.next() < directory_.capacity()));
        return directory_.has_room() || grow(directory_.capacity() + 1);
    }
    /// False when an observer refused: the observers notified were notified of the end.
    bool tell_insert(slot_t slot) {
        crew_.begin();
        return !throws<Refusal>([&] { hub_.insert(slot, InsertKind::fresh); });
    }
    void born(slot_t slot) {
        Place& here = place(slot);
        here.value = next_value_++;
        *values_.ptr(slot) = here.value;
        here.address = values_.ptr(slot);
        if constexpr (has_column) hub_.template get<0>()[slot] = Counted(here.column = next_value_++);
    }

    void insert(unsigned kind) {
        if (!make_room()) return;
        const bool fresh = directory_.next_is_fresh();
        FUZZ_CHECK(fresh == model_.next_is_fresh());
        slot_t slot = model_.next();
        if (!hub_.dynamic() && kind % 3 == 0) {
            FUZZ_CHECK(directory_.acquire_live() == slot);
            hub_.insert_nothrow(slot);
        } else {
            FUZZ_CHECK(directory_.acquire() == slot && !directory_.is_live(slot) && directory_.is_held(slot));
            if (!tell_insert(slot)) {
                directory_.undo_acquire(slot, fresh); // and nothing has happened
                return;
            }
            directory_.commit(slot);
        }
        FUZZ_CHECK(model_.insert() == slot);
        born(slot);
    }
    void erase(unsigned kind) {
        const slot_t slot = any(Is::live);
        if (slot == no_slot) return;
        FUZZ_CHECK(*values_.ptr(slot) == place(slot).value && values_.ptr(slot) == place(slot).address);
        crew_.begin();
        if (!hub_.dynamic() && kind % 3 == 0) {
            directory_.erase(slot);
            hub_.erase_static(slot);
            model_.erase(slot);
            return;
        }
        directory_.remove(slot);
        hub_.erase(slot);
        model_.remove(slot);
        if (kind % 3 == 1 && held_.size() < 8) {
            held_.push_back(slot); // its value takes its time
            return;
        }
        directory_.release(slot);
        model_.release(slot);
    }
    /// A slot is taken; its value comes later, or never.
    void hold() {
        if (held_.size() >= 8 || !make_room()) return;
        const slot_t slot = directory_.acquire();
        FUZZ_CHECK(slot == model_.acquire());
        born_later_.push_back(slot);
    }
    void settle() {
        const bool later = !born_later_.empty() && (held_.empty() || in_.flip());
        auto& list = later ? born_later_ : held_;
        if (list.empty()) return;
        const std::size_t at = in_.below(list.size());
        const slot_t slot = list[at];
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        if (!later) {
            directory_.release(slot);
            model_.release(slot);
        } else if (in_.byte() % 4 == 0 || !tell_insert(slot)) {
            directory_.skip_version(slot);
            model_.skip_version(slot);
        } else {
            directory_.commit(slot);
            model_.commit(slot);
            born(slot);
        }
    }
    void reserve() {
        if (!make_room()) return;
        FUZZ_CHECK(directory_.reserve_slot() == model_.reserve());
    }
    void redeem() {
        const slot_t slot = any(Is::reserved);
        if (slot == no_slot) return;
        directory_.unreserve(slot);
        if (in_.byte() % 3 == 0) {
            directory_.skip_version(slot);
            model_.skip_version(slot);
        } else if (tell_insert(slot)) {
            directory_.commit(slot);
            model_.commit(slot);
            born(slot);
        } else
            directory_.undo_unreserve(slot);
    }
    void take() {
        const slot_t slot = static_cast<slot_t>(in_.below(most_slots + 8));
        std::uint32_t version = static_cast<std::uint32_t>(in_.number(1));
        if (version >= 128) version = model_.version(slot) + version % 8 - 3; // about what is due
        const bool can = slot < Directory::max_slots && model_.can_take(slot, version);
        FUZZ_CHECK(directory_.can_take(slot, version) == can);
        if (!can || !grow(std::size_t{slot} + 1)) return;
        const slot_t cursor = directory_.cursor();
        const std::uint32_t before = directory_.take(slot, version);
        if (!tell_insert(slot)) {
            directory_.undo_take(slot, before, cursor);
            return;
        }
        directory_.commit(slot);
        model_.take(slot, version);
        model_.commit(slot);
        born(slot);
    }
    void clear() {
        if (directory_.cursor() == 0) return;
        crew_.begin();
        const slot_t end = directory_.begin_clear();
        FUZZ_CHECK(end == model_.begin_clear() && directory_.size() == 0);
        hub_.clear(directory_.occupancy());
        // What destructors may do meanwhile.
        std::vector<slot_t> newcomers;
        for (std::size_t more = in_.byte() % 4; more != 0 && make_room(); --more) {
            const slot_t slot = directory_.acquire();
            FUZZ_CHECK(slot == model_.acquire() && slot >= end);
            if (!tell_insert(slot)) {
                directory_.skip_version(slot);
                model_.skip_version(slot);
                continue;
            }
            directory_.commit(slot);
            model_.commit(slot);
            born(slot);
            newcomers.push_back(slot);
        }
        if (!newcomers.empty() && in_.flip()) {
            crew_.begin();
            directory_.remove(newcomers.back());
            hub_.erase(newcomers.back());
            directory_.release(newcomers.back());
            model_.erase(newcomers.back());
        }
        FUZZ_CHECK(directory_.recycle_retired() == 0);
        directory_.end_clear(end);
        model_.end_clear(end);
    }
    void shrink() {
        const std::size_t end = directory_.lower_cursor(), before = directory_.capacity();
        const std::size_t from = directory_.first_forgotten(end);
        auto less = directory_.prepare_shrink(values_.shrunk_capacity(end), from, {});
        const std::size_t after = values_.shrunk_capacity(end) < before ? values_.shrunk_capacity(end) : before;
        values_.shrink(end);
        crew_.begin();
        if (before != after) hub_.capacity(before, after);
        directory_.commit_shrink(less, from);
        directory_.set_capacity(after);
        model_.shrink();
    }
    void retreat_in_vain() {
        const slot_t cursor = directory_.cursor();
        DirectoryModel copy(model_);
        FUZZ_CHECK(directory_.lower_cursor() == copy.lower_cursor());
        directory_.restore_cursor(cursor);
    }
    void recycle() {
        const std::size_t expected = model_.recycle();
        FUZZ_CHECK(directory_.recycle_retired() == expected);
    }

    //=== wholes ===//

    void copy(unsigned kind) {
        Directory other(directory_, Allocator());
        FUZZ_CHECK(other.capacity() == directory_.capacity() && other.cursor() == directory_.cursor());
        if (kind % 2 == 0) {
            directory_.swap(other);
        } else {
            Directory moved(std::move(directory_));
            FUZZ_CHECK(directory_.capacity() == 0 && directory_.check_invariants()); // NOLINT(bugprone-use-after-move)
            directory_.swap(moved);
        }
    }
    std::vector<std::byte> bytes() const {
        ByteWriter out;
        DirectorySnapshot::write(directory_, out);
        return out.take();
    }
    std::vector<slot_t> held() const {
        std::vector<slot_t> all(held_);
        all.insert(all.end(), born_later_.begin(), born_later_.end());
        return all;
    }
    void save_and_load() {
        const auto saved = bytes();
        ByteReader in(saved);
        Directory other;
        FUZZ_CHECK(DirectorySnapshot::read(other, in, Allocator(), held()) && in.left() == 0 && in.error() == nullptr);
        FUZZ_CHECK(other.check_invariants());
        if (!other.covers(directory_.capacity())) {
            auto more = other.prepare(directory_.capacity(), {});
            other.adopt(more);
        }
        other.set_capacity(directory_.capacity());
        directory_.swap(other);
        FUZZ_CHECK(bytes() == saved);
    }
    void load_hostile() {
        auto saved = bytes();
        corrupt(saved, in_);
        auto pending = held();
        if (in_.byte() % 8 == 0) pending.push_back(static_cast<slot_t>(in_.number(1)));
        ByteReader in(saved);
        Directory other;
        if (!DirectorySnapshot::read(other, in, Allocator(), pending)) {
            FUZZ_CHECK(in.error() != nullptr);
            return;
        }
        // What was believed must be a sound state of its own.
        FUZZ_CHECK(other.check_invariants() && other.capacity() <= saved.size());
        std::size_t live = 0;
        other.occupancy().for_each([&](slot_t slot) { live += other.is_live(slot) && other.is_live_bit(slot); });
        FUZZ_CHECK(live == other.size());
        for (int i = 0; i != 16 && other.has_room(); ++i) {
            const slot_t slot = other.acquire_live();
            const std::uint32_t version = other.version(slot);
            FUZZ_CHECK(other.is_live(slot, version) && other.size() == ++live);
            if (i % 2 != 0) {
                other.erase(slot);
                --live;
                FUZZ_CHECK(!other.is_live(slot, version));
            }
        }
        FUZZ_CHECK(other.check_invariants());
        other.end_clear(other.begin_clear());
        static_cast<void>(other.recycle_retired());
        FUZZ_CHECK(other.check_invariants() && other.size() == 0);
    }

    //=== observers ===//

    void attach(Watcher& watcher) {
        const bool nested = std::exchange(crew_.replaying, true);
        watcher.serial = ++crew_.attached;
        watcher.book.forget();
        const bool refused = throws<Refusal>([&] {
            watcher.token = hub_.attach(
                watcher, directory_.capacity(), directory_.occupancy(),
                [this](slot_t slot) { return directory_.is_live(slot); }, [](auto&&) {});
        });
        if (refused) {
            watcher.serial = 0;
            watcher.book.forget();
        }
        crew_.replaying = nested;
    }
    void reattach(Watcher& watcher) {
        watcher.serial = 0;
        watcher.detach();
        attach(watcher);
    }
    void toggle(Watcher& watcher) {
        if (watcher.serial == 0) return attach(watcher);
        watcher.serial = 0;
        watcher.detach();
    }
    void plot() {
        crew_.whom = static_cast<unsigned>(in_.below(watchers_.size()));
        const unsigned what = in_.byte();
        crew_.deed = what % 8 < 3 ? Crew::Deed::detach : what % 8 < 7 ? Crew::Deed::attach : Crew::Deed::refuse;
        crew_.events = what / 8 % 6;
    }
    /// Two observers change places: each hears what the other would have heard.
    void exchange() {
        Watcher& a = watchers_[in_.below(watchers_.size())];
        Watcher& b = watchers_[in_.below(watchers_.size())];
        if (&a == &b) return;
        ObserverToken::exchange(a.token, a, b.token, b);
        std::swap(a.book, b.book);
        std::swap(a.serial, b.serial);
    }

    //=== checks ===//

    void probe(slot_t slot, std::uint32_t version) {
        FUZZ_CHECK(directory_.is_live(slot, version) == model_.is_live(slot, version));
        FUZZ_CHECK(directory_.is_reserved(slot, version) == model_.is_reserved(slot, version));
        if (version <= Directory::max_version) // no handle has a greater one
            FUZZ_CHECK(directory_.explain(slot, version) == model_.explain(slot, version, directory_.capacity()));
        FUZZ_CHECK(directory_.can_take(slot, version) == (slot < Directory::max_slots && model_.can_take(slot, version)));
        FUZZ_CHECK(directory_.state(slot) == model_.state(slot) && directory_.is_live(slot) == (model_.is(slot) == Is::live));
        const Is is = model_.is(slot);
        FUZZ_CHECK(directory_.is_held(slot) == (is != Is::vacant && is != Is::reserved)); // no element is there
        if (slot < directory_.capacity()) FUZZ_CHECK(directory_.version(slot) == model_.version(slot));
        if (is == Is::live) {
            FUZZ_CHECK(*values_.ptr(slot) == place(slot).value && values_.ptr(slot) == place(slot).address);
            if constexpr (has_column) FUZZ_CHECK(hub_.template get<0>()[slot].value() == place(slot).column);
        }
    }
    void check_memory() {
        FUZZ_CHECK(values_.capacity() >= directory_.capacity());
        const slot_t slot = any(Is::live);
        if (slot != no_slot) FUZZ_CHECK(values_.slot_at(values_.ptr(slot)) == slot);
        std::size_t covered = 0;
        for (std::size_t i = 0; i != values_.run_count(); ++i) {
            const auto run = values_.run(i);
            FUZZ_CHECK(run.first == covered && run.data == values_.ptr(run.first));
            FUZZ_CHECK(run.data + (run.slot_count - 1) == values_.ptr(static_cast<slot_t>(run.first + run.slot_count - 1)));
            covered += run.slot_count;
        }
        FUZZ_CHECK(covered == values_.capacity());
        const Occupancy live = directory_.occupancy();
        for (std::size_t first = 0; first < live.size(); first += 64) {
            const Occupancy part = live.part(first, 64);
            for (std::size_t i = 0; i != part.size(); ++i) FUZZ_CHECK(part.test(i) == live.test(first + i));
        }
    }
    void after_step() {
        ++steps_;
        FUZZ_CHECK(directory_.size() == model_.live() && directory_.cursor() == model_.cursor());
        FUZZ_CHECK(directory_.retired() == model_.count(Is::retired) && directory_.reserved() == model_.count(Is::reserved));
        if ((unchecked_ += 32) >= directory_.capacity()) {
            FUZZ_CHECK(directory_.check_invariants());
            unchecked_ = 0;
        }
        for (const Watcher& watcher : watchers_)
            if (watcher.serial != 0)
                FUZZ_CHECK(watcher.book.live() == model_.live() && watcher.book.capacity() == directory_.capacity());
        sample_ = sample_ * 0x9E37'79B9u + 0x7F4A'7C15u;
        const slot_t slot = (sample_ >> 8) % (model_.cursor() + 2);
        probe(slot, (model_.version(slot) + (sample_ & 3) - 1) & Directory::max_version);
        if (steps_ % 16 == 0) check_all();
    }
    void check_all() {
        const Occupancy live = directory_.occupancy();
        slot_t next = live.find_next(0);
        for (slot_t slot = 0; slot < model_.cursor(); ++slot) {
            const bool is_live = model_.is(slot) == Is::live;
            FUZZ_CHECK(live.test(slot) == is_live && directory_.is_live_bit(slot) == is_live);
            probe(slot, model_.version(slot));
            if (is_live) {
                FUZZ_CHECK(next == slot);
                next = live.find_next(std::size_t{slot} + 1);
            }
            for (const Watcher& watcher : watchers_)
                if (watcher.serial != 0) FUZZ_CHECK((watcher.book[slot] == Shadow::Is::live) == is_live);
        }
        FUZZ_CHECK(next == no_slot && live.count() == model_.live() && live.none() == (model_.live() == 0));
        for (const Watcher& watcher : watchers_)
            FUZZ_CHECK(watcher.token.attached() == (watcher.serial != 0) && watcher.book.removed() == 0);
    }

    Input& in_;
    DirectoryModel model_;
    Directory directory_{};
    Array values_{};
    ObserverHub<Column...> hub_{};
    Crew crew_{};
    std::array<Watcher, 4> watchers_{};
    std::vector<Place> places_{};
    std::vector<slot_t> held_{}, born_later_{};
    int next_value_ = 1;
    std::uint32_t sample_ = 1;
    std::size_t unchecked_ = 0;
    std::uint64_t steps_ = 0;
};

//=== SparsePages, SummaryBits ===//

class PagesBody {
    struct Page : slotwise::detail::PageLink<Page> {
        Counted value{}; // 0: the page is empty
    };
    using Pages = slotwise::detail::SparsePages<Page, std::allocator<std::byte>>;

public:
    explicit PagesBody(Input& in) : in_(in) {}

    std::uint64_t run() {
        std::uint64_t steps = 0;
        for (; !in_.done(); ++steps) {
            step();
            FUZZ_CHECK(pages_.size() <= model_.size() + Pages::kept);
            if (most_ < model_.size()) most_ = model_.size();
            if (steps % 16 == 0) check_all();
        }
        check_all();
        return steps;
    }

private:
    std::uint32_t any_number() {
        const unsigned kind = in_.byte();
        return static_cast<std::uint32_t>(kind % 4 == 0 ? in_.number(4) : kind % 4 == 1 ? 8 * in_.number(1) : in_.below(64));
    }
    auto find(std::uint32_t number) {
        return std::lower_bound(model_.begin(), model_.end(), number,
                                [](const auto& entry, std::uint32_t n) { return entry.first < n; });
    }
    void step() {
        const unsigned kind = in_.byte();
        const std::uint32_t number = any_number();
        const auto at = find(number);
        const bool there = at != model_.end() && at->first == number;
        if (kind < 110) {
            if (!there && model_.size() >= 150) return;
            Page& page = pages_.make(number);
            FUZZ_CHECK(page.value.value() == (there ? at->second : 0));
            page.value = Counted(++value_);
            if (there)
                at->second = value_;
            else
                model_.insert(at, {number, value_});
        } else if (kind < 180) {
            Page* const page = pages_.find(number);
            FUZZ_CHECK((page != nullptr || !there) && (page == nullptr || page->value.value() == (there ? at->second : 0)));
            if (!there || kind < 140) return;
            page->value = Counted(0);
            pages_.emptied(number, *page, is_empty);
            model_.erase(at);
        } else if (kind < 240) {
            std::uint64_t from = number;
            const Page* page = pages_.next(from);
            while (page != nullptr && is_empty(*page)) page = pages_.next(++from);
            FUZZ_CHECK((page != nullptr) == (at != model_.end()));
            if (page != nullptr) FUZZ_CHECK(from == at->first && page->value.value() == at->second);
        } else if (kind < 242) {
            pages_.clear_if(is_empty);
            FUZZ_CHECK(pages_.size() == model_.size());
            most_ = 0;
        } else if (kind < 244) {
            pages_.clear();
            model_.clear();
            most_ = 0;
        } else if (kind < 250) {
            Pages moved(std::move(pages_));
            FUZZ_CHECK(pages_.size() == 0 && pages_.find(number) == nullptr); // NOLINT(bugprone-use-after-move)
            pages_.make(number).value = Counted(1);
            pages_.swap(moved);
        } else
            check_all();
    }
    void check_all() {
        auto at = model_.begin();
        pages_.for_each([&](std::uint32_t number, const Page& page) {
            if (is_empty(page)) {
                FUZZ_CHECK(page.listed);
                return;
            }
            FUZZ_CHECK(at != model_.end() && at->first == number && at->second == page.value.value());
            ++at;
        });
        FUZZ_CHECK(at == model_.end());
        std::size_t held = pages_.size();
        pages_.for_each_spare([&](const Page& page) { held += is_empty(page) && !page.listed; });
        FUZZ_CHECK(held <= most_ + Pages::kept);
    }

    static bool is_empty(const Page& page) noexcept { return page.value.value() == 0; }

    Input& in_;
    Pages pages_{};
    std::size_t most_ = 0;                               // pages in use at once
    std::vector<std::pair<std::uint32_t, int>> model_{}; // by number
    int value_ = 0;
};

class SummaryBody {
    using Bits = slotwise::detail::SummaryBits<std::allocator<std::byte>>;

public:
    explicit SummaryBody(Input& in) : in_(in) { resize(1 + static_cast<std::size_t>(in_.number(2))); }

    std::uint64_t run() {
        std::uint64_t steps = 0;
        for (; !in_.done(); ++steps) {
            const unsigned kind = in_.byte();
            const std::size_t number = static_cast<std::size_t>(in_.number(kind % 2 == 0 ? 1 : 3)) % size_;
            const auto at = std::lower_bound(model_.begin(), model_.end(), number);
            const bool there = at != model_.end() && *at == number;
            FUZZ_CHECK(bits_.test(number) == there);
            if (kind < 120 && (there || model_.size() < 150)) {
                kind % 3 == 0 ? bits_.set_scattered(number) : bits_.set(number);
                if (!there) model_.insert(at, number);
            } else if (kind < 200 || (kind < 250 && model_.empty())) {
                kind % 3 == 0 ? bits_.reset_scattered(number) : bits_.reset(number);
                if (there) model_.erase(at);
            } else if (kind < 250) {
                bits_.reset(bits_.lowest()); // what taking the lowest free slot does
                model_.erase(model_.begin());
            } else if (kind < 254)
                resize(1 + number * (1 + kind % 3));
            else {
                bits_.clear();
                model_.clear();
            }
            FUZZ_CHECK(bits_.none() == model_.empty() && (model_.empty() || bits_.lowest() == model_.front()));
        }
        return steps;
    }

private:
    void resize(std::size_t size) {
        size_ = size < 300'000 ? size : 300'000;
        auto other = bits_.resized(size_, {});
        bits_.swap(other);
        model_.erase(std::lower_bound(model_.begin(), model_.end(), size_), model_.end());
    }

    Input& in_;
    Bits bits_{};
    std::vector<std::size_t> model_{};
    std::size_t size_ = 1;
};

//=== which ===//

constexpr HandleLayout versions_of(unsigned bits) {
    return bits == 32 ? HandleLayout{} : HandleLayout{16 - bits, bits, 0, bits == 4};
}

using Paged = PagedArray<int, std::allocator<int>, 64>;
#if SLOTWISE_VIRTUAL_MEMORY
using Reserved = ReservedArray<int, std::allocator<int>, 256>;
#else
using Reserved = PagedArray<int>;
#endif

template <class Body>
std::uint64_t run(Input& in) {
    return Body(in).run();
}

std::uint64_t fuzz_one(Input& in) {
    using enum Exhaustion;
    using enum Reuse;
    const NothingLeft objects;
    using Column = ValueArray<Counted>;
    using run_t = std::uint64_t (*)(Input&);
    static constexpr run_t bodies[] = {
        run<DirectoryBody<versions_of(2), retire, lifo, Paged>>,
        run<DirectoryBody<versions_of(2), wrap, fifo, Paged>>,
        run<DirectoryBody<versions_of(3), retire, fifo, Paged, Column>>,
        run<DirectoryBody<versions_of(3), wrap, lowest, Reserved>>,
        run<DirectoryBody<versions_of(4), retire, lowest, Paged>>,
        run<DirectoryBody<versions_of(4), wrap, lifo, Paged, Column>>,
        run<DirectoryBody<versions_of(10), retire, lowest, Paged>>, // 64 slots a handle can name
        run<DirectoryBody<versions_of(32), retire, lowest, Reserved, Column>>,
        run<DirectoryBody<versions_of(1), retire, lifo, Paged>>,
        run<PagesBody>,
        run<SummaryBody>,
    };
    return bodies[in.below(std::size(bodies))](in);
}

} // namespace

#include "driver.hpp"
