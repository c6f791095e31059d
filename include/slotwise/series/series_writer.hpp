// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesWriter: the common part of the writers of sets and dictionaries.
#ifndef SLOTWISE_SERIES_SERIES_WRITER_HPP
#define SLOTWISE_SERIES_SERIES_WRITER_HPP

#include "../core/call_form.hpp"
#include "delta_check.hpp"
#include "series_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of TSSWriter and TSDWriter: an open window of one series. Move-only. The destructor closes it, also during an
/// exception: the changes written until then stay, and subscribers are notified.
template <class Storage>
class SeriesWriter {
public:
    /// The series that is written.
    using storage_type = Storage;
    using key_type = typename KeyOfSeries<Storage>::type;
    using time_type = typename Storage::time_type;
    using const_iterator = typename Storage::const_iterator;

    SeriesWriter(SeriesWriter&& other) noexcept : series_(std::exchange(other.series_, nullptr)) {}
    SeriesWriter& operator=(SeriesWriter&& other) noexcept {
        if (this != &other) {
            close();
            series_ = std::exchange(other.series_, nullptr);
        }
        return *this;
    }
    SeriesWriter(const SeriesWriter&) = delete;
    SeriesWriter& operator=(const SeriesWriter&) = delete;
    ~SeriesWriter() { close(); }

    /// Closes the writer. If no other writer is open, subscribers are notified. The window stays open: another write(time)
    /// joins it.
    void close() noexcept {
        if (series_ != nullptr) SeriesAccess::state(*std::exchange(series_, nullptr)).close_writer();
    }
    /// Whether it can write: it was neither closed nor moved from.
    bool is_open() const noexcept { return series_ != nullptr; }
    /// The window: the time of everything written here. It may be later than the argument of write_late(). @throws as every
    /// member, if closed
    time_type time() const { return series().window(); }
    /// The series that is written.
    const Storage& storage() const { return series(); }

    //=== reading: as storage() answers ===//

    /// Members now.
    std::size_t size() const { return series().size(); }
    bool empty() const { return series().empty(); }
    /// Whether `key`, or the element of a handle, is a member. @throws what hash and equality throw
    template <class K = key_type>
    bool contains(const K& key) const {
        return slot_of(key) != no_slot;
    }
    /// The element with this key, or storage().end(). @throws what hash and equality throw
    template <class K = key_type>
    const_iterator find(const K& key) const {
        return series().find(key);
    }
    /// 1 if `key`, or the element of a handle, is a member, otherwise 0. @throws what hash and equality throw
    template <class K = key_type>
    std::size_t count(const K& key) const {
        return contains(key) ? 1 : 0;
    }
    /// The members now, in slot order, as the series iterates.
    const_iterator begin() const { return series().begin(); }
    const_iterator end() const { return series().end(); }
    auto keys() const { return series().keys(); }
    auto items() const { return series().items(); }

    //=== writing ===//

    /// Room for `count` members and what is removed now. @throws as SetStorage::reserve; strong
    void reserve(std::size_t count) { series().reserve(count); }
    /// Removes a member, by key or handle; false and no effect when it is none. Key and columns are readable until the window
    /// rolls. @throws what hash and equality throw
    template <KeyArgument<key_type, const_iterator> K = key_type>
    bool erase(const K& key) {
        const slot_t slot = slot_of(key);
        if (slot != no_slot) state().remove_slot(slot);
        return slot != no_slot;
    }
    /// Removes the member at `it`; returns the next one. @pre it refers to a member (checked at level fast)
    template <std::same_as<const_iterator> It>
    const_iterator erase(It it) {
        SLOTWISE_EXPECT(series().state(it.slot()) == SlotState::live,
                        "series erase(it): the element here was removed, or it is the end");
        state().remove_slot(it.slot());
        return ++it;
    }
    /// The same as erase, under the name that says what happens: the slot becomes pending.
    template <class K = key_type>
    auto remove(const K& key) {
        return erase(key);
    }
    /// Removes every member for which `pred` holds; returns how many. It is called with what for_each() gives: of a set
    /// pred(key) or pred(handle, key), of a dictionary pred(key, value) or pred(handle, key, value). If it throws, what was
    /// removed stays removed.
    template <class Pred>
    std::size_t erase_if(Pred pred) {
        const std::size_t before = size();
        const auto& members = series();
        for (auto it = members.begin(); it != members.end();) {
            if (holds(pred, it))
                it = erase(it);
            else
                ++it;
        }
        return before - size();
    }
    /// Removes every member. The whole ticks, even if it was empty.
    void clear() { state().remove_all(); }
    /// Makes it as if it had never been written: no members, and not valid until the next write. Deltas of this window are
    /// relative to an empty series from now on. Subscribers hear TickKind::invalidated, those of a member that it was removed.
    void invalidate() { state().invalidate_all(); }
    /// Writes the whole without changing a member: it is valid and modified then.
    void touch() { state().notification().whole.tick(time()); }

protected:
    /// Marks the slots that a range has named, and removes the members that it has not.
    class Kept {
    public:
        explicit Kept(const Storage& series) : slots_(series.capacity()) {}
        void add(const Storage& series, slot_t slot) {
            if (slot >= slots_.size()) slots_.resize(series.capacity());
            slots_[slot] = true;
        }
        bool has(slot_t slot) const { return slot < slots_.size() && slots_[slot]; }
        void remove_others(const Storage& series, const SeriesWriter& writer) const {
            for (slot_t slot = 0; slot != series.occupancy().size(); ++slot)
                if (series.state(slot) == SlotState::live && !has(slot)) writer.state().remove_slot(slot);
        }

    private:
        std::vector<bool> slots_;
    };
    /// Whether the elements of a range passed as Range may be moved: it is a container that the caller gives away.
    template <class Range>
    static constexpr bool gives_away =
        !std::is_reference_v<Range> && !std::is_const_v<Range> && !std::ranges::borrowed_range<Range>;
    /// An element, or a part of one, of such a range.
    template <class Range, class U>
    static decltype(auto) handed_over(U& part) noexcept {
        if constexpr (gives_away<Range>)
            return std::move(part);
        else
            return static_cast<U&>(part);
    }

    explicit SeriesWriter(Storage& series) noexcept : series_(&series) {}

    /// The steps of assign(): replaces the members by those of the range. @param enter makes one of an item; returns its slot
    template <class Range, class Enter>
    void assign_by(Range&& range, Enter enter) {
        Storage& s = series();
        Kept kept(s);
        for (auto&& item : range) kept.add(s, enter(item));
        kept.remove_others(s, *this);
        if (!s.valid()) touch();
    }
    /// The first steps of apply(): checks the whole delta, and removes what it removes.
    template <class Delta, class Mode>
    void apply_removals(const Delta& delta, const Mode& mode) {
        Storage& s = series();
        check_delta(std::addressof(s), s.hash_function(), s.key_eq(), delta, mode);
        state().reserve_for(delta.added.size());
        if (delta.invalidated) invalidate();
        for (const auto& key : delta.removed) erase(key);
    }
    /// The last step of apply() of dictionaries: the whole ticks whenever the keys do.
    template <class Delta>
    void apply_ticks(const Delta& delta) {
        if (delta.keys_ticked) state().notification().keys.tick(time());
        if (delta.ticked || delta.keys_ticked) touch();
    }
    /// The steps of reconcile() of dictionaries. @param create makes a member without a value of a key, if it is none; returns
    /// its slot @param write writes what differs, of a slot and a value @param reset gives a slot the default value
    template <class Delta, class Create, class Write, class Reset>
    void reconcile_by(const Delta& wanted, Create create, Write write, Reset reset) {
        Storage& s = series();
        static_cast<void>(checked_keys(wanted, s.hash_function(), s.key_eq()));
        auto& keys = state().notification().keys;
        if (wanted.added.empty() && wanted.modified.empty()) {
            if (wanted.ticked ? !wanted.keys_ticked && keys.last != Storage::never : s.valid()) invalidate();
            if (!wanted.ticked) return;
        }
        Kept kept(s), written(s);
        for (const auto& [key, value] : wanted.modified) {
            const slot_t slot = create(key);
            kept.add(s, slot);
            written.add(s, slot);
            write(slot, value);
        }
        for (const auto& key : wanted.added) {
            const slot_t slot = create(key);
            kept.add(s, slot);
            if (!written.has(slot) && s.valid_at(slot)) reset(slot);
        }
        kept.remove_others(s, *this);
        if (wanted.keys_ticked && keys.last == Storage::never) keys.tick(time());
        if (!s.valid()) touch();
    }

    /// @throws std::invalid_argument if the writer was closed or moved from
    Storage& series() const {
        if (series_ == nullptr)
            throw_invalid_argument("series writer: it was closed or moved from; get another by write(time)");
        return *series_;
    }
    /// Keyed container, times and subscribers of the series, as series().
    auto& state() const { return SeriesAccess::state(series()); }
    /// The slot of a member, by key or handle, or no_slot.
    template <class K>
    slot_t slot_of(const K& key) const {
        const Storage& s = series();
        if constexpr (std::is_same_v<K, typename Storage::handle_type>)
            return s.contains(key) ? key.index() : no_slot;
        else
            return s.slot_of(key);
    }

private:
    template <class Pred>
    static bool holds(Pred& pred, const const_iterator& it) {
        const auto call = [&](const auto&... element) -> bool {
            if constexpr (takes_name<Pred, typename Storage::handle_type, decltype(element)...>())
                return pred(it.handle(), element...);
            else
                return pred(element...);
        };
        if constexpr (std::remove_reference_t<decltype(SeriesAccess::state(std::declval<Storage&>()))>::has_values)
            return call((*it).key, (*it).value);
        else
            return call(*it);
    }

    Storage* series_;
};

} // namespace detail
SLOTWISE_END

#endif
