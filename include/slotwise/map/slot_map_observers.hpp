// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapObservers: observers, further columns and snapshots of slot maps.
#ifndef SLOTWISE_MAP_SLOT_MAP_OBSERVERS_HPP
#define SLOTWISE_MAP_SLOT_MAP_OBSERVERS_HPP

#include "slot_map_container.hpp"

SLOTWISE_BEGIN

/// The part of SlotMapCore and HandlePool that concerns observers, columns and snapshots, and no handle. Not used by itself.
/// `extern template` of these two leaves out what they inherit: what is no template and emits much code stays with them.
template <class Container>
class SlotMapObservers {
    using Hub = typename Container::Hub;
    using allocator = decltype(Container::allocator);

public:
    //=== observers and columns ===//

    /// Attaches an observer until the token is destroyed. It is notified of the capacity and of every live slot first. An
    /// observer that attaches while an assignment or a restore notifies others is notified of the new contents only.
    /// @pre the observer lives as long as the token is attached
    /// @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) { return core_.do_attach(observer); }
    /// Static observer number I.
    template <std::size_t Nth>
    constexpr auto& observer() noexcept {
        return core_.hub.template get<Nth>();
    }
    template <std::size_t Nth>
    constexpr const auto& observer() const noexcept {
        return core_.hub.template get<Nth>();
    }
    /// The static observer of type Observer, which must be one: map.observer<DeltaTracker<>>().
    template <class Observer>
    constexpr Observer& observer() noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    template <class Observer>
    constexpr const Observer& observer() const noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    /// Static observer number I, a column, as a view by slot.
    template <std::size_t Nth>
    constexpr auto column() noexcept {
        using T = typename std::remove_reference_t<decltype(observer<Nth>())>::value_type;
        return ColumnView<T>(observer<Nth>().pages(), core_.directory_view());
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        using T = typename std::remove_cvref_t<decltype(observer<Nth>())>::value_type;
        return ColumnView<const T>(ColumnView<T>(observer<Nth>().pages(), core_.directory_view()));
    }
    /// The column of values of type T, which must be one: map.column<Velocity>().
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return column_of<T, ColumnView<T>>(*this);
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return column_of<T, ColumnView<const T>>(*this);
    }

    //=== snapshots ===//

    /// The exact state as bytes, static columns included: restored anywhere, the map or pool gives the same handles for the
    /// same calls. The same state gives the same bytes. @pre no element is being built or destroyed
    /// @param codec how values become bytes; see DefaultCodec for types that need none, dropping() for columns to leave out
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        core_.template write<0, detail::block_bytes<Codec, typename Container::Store::value_type>>(
            out, codec, [&] { core_.store.write(core_.directory, out, codec); });
        return detail::Seal::close<Codec>(out, tags<Codec>());
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused. The codec checks values. Observers that are no columns, and dynamic ones, are notified of the
    /// exchange. Memory: up to the values of all slots in the bytes. @throws std::invalid_argument, which says why; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        const char* const error = detail::Seal::open<Codec>(bytes, detail::DirectorySnapshot::magic, tags<Codec>());
        return error != nullptr ? error : core_.do_restore(bytes, codec);
    }

protected:
    constexpr SlotMapObservers() = default;
    constexpr explicit SlotMapObservers(const allocator& alloc) : core_(alloc) {}
    constexpr SlotMapObservers(const SlotMapObservers& other, const allocator& alloc) : core_(other.core_, alloc) {}
    constexpr SlotMapObservers(SlotMapObservers&& other, const allocator& alloc) : core_(std::move(other.core_), alloc) {}
    SlotMapObservers(typename Container::Store&& empty, const allocator& alloc) : core_(std::move(empty), alloc) {}
    Container core_{};

private:
    template <class Codec>
    static consteval auto tags() noexcept {
        return detail::join_tags(Container::Store::template tags<Codec>(), Container::template column_tags<0, Codec>());
    }
    template <class T, class View, class Self>
    static constexpr View column_of(Self& self) noexcept {
        constexpr std::size_t place = Hub::template index_of_column<T>();
        if constexpr (place < Hub::static_count) return self.template column<place>();
        return View(); // reached when index_of_column has reported its error, which then stays the only one
    }
};

SLOTWISE_END

#endif
