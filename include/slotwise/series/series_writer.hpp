// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SeriesWriter: the common part of the writers of sets and dictionaries.
#ifndef SLOTWISE_SERIES_SERIES_WRITER_HPP
#define SLOTWISE_SERIES_SERIES_WRITER_HPP

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
    using time_type = typename Storage::time_type;

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

    /// Writes the whole without changing a member: it is valid and modified then.
    void touch() { state().notification().whole.tick(time()); }

protected:
    explicit SeriesWriter(Storage& series) noexcept : series_(&series) {}

    /// @throws std::invalid_argument if the writer was closed or moved from
    Storage& series() const {
        if (series_ == nullptr)
            throw_invalid_argument("series writer: it was closed or moved from; get another by write(time)");
        return *series_;
    }
    /// Keyed container, times and subscribers of the series. @throws as series()
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
    template <class K>
    bool remove_key(const K& key) {
        const slot_t slot = slot_of(key);
        if (slot != no_slot) state().remove_slot(slot);
        return slot != no_slot;
    }
    void remove_all() { state().remove_all(); }

private:
    Storage* series_;
};

} // namespace detail
SLOTWISE_END

#endif
