// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySeries, AnySeriesWriter: the members that the type-erased series and their writers share. AnyDeltaRange: their deltas.
#ifndef SLOTWISE_SERIES_DETAIL_ANY_SERIES_HPP
#define SLOTWISE_SERIES_DETAIL_ANY_SERIES_HPP

#include "../../keyed/any_storage.hpp"
#include "../delta_range.hpp"
#include "series_interface.hpp"

SLOTWISE_BEGIN
namespace detail {

template <bool Items>
using AnyReference = std::conditional_t<Items, AnyMapItem<const void>, const void*>;

/// Walks as an iterator of slots does, and yields the element in the slot, by address.
template <class Slots, bool Items>
class AnySlotIterator : public IteratorFacade<AnySlotIterator<Slots, Items>, AnyReference<Items>, AnyReference<Items>> {
public:
    AnySlotIterator() noexcept = default;
    AnySlotIterator(const Slots& at, const AnyPages& keys, const AnyPages& values) noexcept
        : at_(at), keys_(keys), values_(values) {}
    /// The slot here; no_slot at the end.
    slot_t slot() const noexcept { return at_.slot(); }
    friend bool operator==(const AnySlotIterator& a, const AnySlotIterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend IteratorFacade<AnySlotIterator, AnyReference<Items>, AnyReference<Items>>;
    AnyReference<Items> dereference() const noexcept {
        if constexpr (Items)
            return {keys_.ptr(slot()), values_.ptr(slot())};
        else
            return keys_.ptr(slot());
    }
    void increment() noexcept { ++at_; }

    Slots at_{};
    AnyPages keys_{}, values_{};
};

} // namespace detail

/// As DeltaRange, of a type-erased series: it yields the address of a key, or those of key and value, which bind
/// as auto [key, value]. Empty unless its time is the open window, also when that window rolls after the range was made.
/// @invalidates itself as DeltaRange does
template <class Time, bool Items>
class AnyDeltaRange {
public:
    using iterator = detail::AnySlotIterator<typename DeltaRange<Time>::iterator, Items>;

    AnyDeltaRange() noexcept = default;
    /// For series: the changed slots, and where keys and values lie.
    AnyDeltaRange(const DeltaRange<Time>& range, const detail::AnyPages& keys, const detail::AnyPages& values = {}) noexcept
        : slots_(range), keys_(keys), values_(values) {}

    iterator begin() const noexcept { return iterator(slots_.begin(), keys_, values_); }
    iterator end() const noexcept { return iterator(slots_.end(), keys_, values_); }
    bool empty() const noexcept { return slots_.empty(); }
    /// The number of changes.
    std::size_t size() const noexcept { return slots_.size(); }
    /// The same changes as slot numbers.
    const DeltaRange<Time>& slot_range() const noexcept { return slots_; }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; slot_range() also compiles where Qt defines `slots`.
    const DeltaRange<Time>& slots() const noexcept { return slots_; }
#pragma pop_macro("slots")

private:
    DeltaRange<Time> slots_{};
    detail::AnyPages keys_{}, values_{};
};

namespace detail {

/// As ValidRange, of a type-erased dictionary.
template <class Time, bool Items>
class AnyValidRange {
public:
    using iterator = AnySlotIterator<typename ValidRange<Time>::iterator, Items>;

    AnyValidRange() noexcept = default;
    AnyValidRange(const ValidRange<Time>& range, const AnyPages& keys, const AnyPages& values = {}) noexcept
        : slots_(range), keys_(keys), values_(values) {}
    iterator begin() const noexcept { return {slots_.begin(), keys_, values_}; }
    iterator end() const noexcept { return {slots_.end(), keys_, values_}; }
    bool empty() const noexcept { return slots_.empty(); }

private:
    ValidRange<Time> slots_{};
    AnyPages keys_{}, values_{};
};

/// The arguments of a type-erased series.
template <class... With>
struct AnySeriesArguments : Arguments<with_options | with_tag | with_index | with_time | with_alloc | with_observers,
                                      SeriesOptions, std::byte, NoKey, With...> {
    using time = pick<with_time, std::int64_t, With...>;
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
};
template <class... With>
struct PartArguments<BasicAnyTSSStorage<With...>> : TimelessArguments<AnySeriesArguments<With...>> {};
template <class... With>
struct PartArguments<BasicAnyTSDStorage<With...>> : TimelessArguments<AnySeriesArguments<With...>> {};

/// The keyed containers inside.
template <class... With>
using AnySeriesSet = BasicAnySetStorage<EmbeddedIn<BasicAnyTSSStorage<With...>>>;
template <class... With>
using AnySeriesMap = BasicAnyMapStorage<EmbeddedIn<BasicAnyTSDStorage<With...>>>;

template <class Series>
struct ArgumentsOfSeries<BasicAnySetStorage<EmbeddedIn<Series>>> : PartArguments<Series> {
    using key = DescribedValue;
    static constexpr bool has_values = false;
};
template <class Series>
struct ArgumentsOfSeries<BasicAnyMapStorage<EmbeddedIn<Series>>> : PartArguments<Series> {
    using key = DescribedValue;
    static constexpr bool has_values = true;
};
template <class... With>
struct KeyOfSeries<BasicAnyTSSStorage<With...>> {
    using type = DescribedValue;
};
template <class... With>
struct KeyOfSeries<BasicAnyTSDStorage<With...>> {
    using type = DescribedValue;
};

/// The codec of deltas whose keys and values are described.
template <class Codec, class Times>
class DescribedDeltaCodec {
public:
    static constexpr bool is_described = true;
    /// @param values null: of a set
    DescribedDeltaCodec(const Codec& codec, Times times, const TypeDescriptor& keys, const TypeDescriptor* values)
        : codec_(&codec), times_(times), keys_(&keys), values_(values) {
        expect_covered(codec, keys);
        if (values != nullptr) expect_covered(codec, *values);
    }

    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return detail::type_tag<Times, T>();
    }
    std::uint64_t key_tag() const noexcept { return described_tag(*codec_, *keys_); }
    std::uint64_t value_tag() const noexcept { return described_tag(*codec_, *values_); }
    std::uint32_t key_size() const noexcept { return described_size_check(*codec_, *keys_); }
    std::uint32_t value_size() const noexcept { return described_size_check(*codec_, *values_); }
    template <class Time>
    void write(const Time& time, ByteWriter& out) {
        times_.write(time, out);
    }
    template <class Time>
    Time read(ByteReader& in) {
        return times_.template read<Time>(in);
    }
    void write_key(const DescribedValue& key, ByteWriter& out) const { write(key, *keys_, out); }
    void write_value(const DescribedValue& value, ByteWriter& out) const { write(value, *values_, out); }
    DescribedValue read_key(ByteReader& in) const { return read(*keys_, in); }
    DescribedValue read_value(ByteReader& in) const { return read(*values_, in); }

private:
    struct Source {
        const Codec* codec;
        const TypeDescriptor* type;
        ByteReader* in;
    };
    void write(const DescribedValue& value, const TypeDescriptor& type, ByteWriter& out) const {
        if (value.type() == nullptr || !same_type(*value.type(), type))
            throw_invalid_argument("delta to_bytes: a key or value is of another type than those of the series of the codec");
        codec_->write(type, value.data(), out);
    }
    DescribedValue read(const TypeDescriptor& type, ByteReader& in) const {
        Source source{codec_, &type, &in};
        constexpr auto build = [](void* to, void* argument) {
            const Source& from = *static_cast<Source*>(argument);
            from.codec->read(*from.type, to, *from.in);
        };
        return {type, AnyValue::built(build, &source)};
    }

    const Codec* codec_;
    Times times_;
    const TypeDescriptor *keys_, *values_;
};

/// Base of the type-erased series.
template <class Store, class Args, class Series, template <class> class Writer>
class AnySeries : public SeriesInterface<Store, typename Args::time, Series, Writer> {
    using Core = SeriesInterface<Store, typename Args::time, Series, Writer>;
    using Allocator = typename Args::allocator;
    static_assert(inserts_nothrow<typename Args::observers>,
                  "AnyTSSStorage, AnyTSDStorage: a further column's on_insert may throw, so a removed key could be lost before "
                  "the window rolls; make it noexcept");

protected:
    using Time = typename Args::time;

public:
    /// Keys as deltas own them.
    using owned_key_type = DescribedValue;
    static constexpr SeriesOptions options = Args::options;

    AnySeries(const AnySeries& other, const Allocator& alloc) : Core(other, alloc) {}
    AnySeries(AnySeries&& other, const Allocator& alloc) : Core(std::move(other), alloc) {}

    const TypeDescriptor& key_type() const noexcept { return this->store().key_type(); }
    /// Addresses of keys by slot, in runs of pointer, stride and mask. @invalidates itself when the series grows, shrinks or
    /// moves
    ConstAnyColumnView keys() const noexcept { return this->store().keys(); }

    using Core::subscribe;
    /// Notifies `subscriber` of every window in which the key at `key` is added, written or removed. The key need not exist; it
    /// is copied. @throws what allocators, the type's copy, hash and equal throw; strong
    [[nodiscard]] typename Core::subscription_type subscribe(const void* key,
                                                             typename Core::subscriber_type& subscriber) const {
        return Core::subscribe(DescribedValue(key_type(), key), subscriber);
    }

    //=== deltas: empty unless `time` is the open window ===//

    /// Keys that are members now and were not when window `time` opened. Empty unless that is the open window.
    AnyDeltaRange<Time, false> added_keys(Time time) const noexcept { return keys_of(time, DeltaPart::added); }
    /// Keys that were members when window `time` opened and are not now; readable until it rolls.
    AnyDeltaRange<Time, false> removed_keys(Time time) const noexcept { return keys_of(time, DeltaPart::removed); }
    /// The same of the open window.
    AnyDeltaRange<Time, false> added_keys() const noexcept { return added_keys(this->window()); }
    AnyDeltaRange<Time, false> removed_keys() const noexcept { return removed_keys(this->window()); }

    //=== whole ===//

    /// The exact state as bytes: those of the series of known types with the same contents.
    /// @param codec an AnyCodec to which key and value type were added, or a class with its functions; `columns` is that of
    /// times and static columns @throws std::invalid_argument when the codec lacks a type; what allocator and codecs throw
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        AnyElementCodec<Codec, Columns> both{codec, columns};
        return this->state_.to_bytes(both);
    }
    /// As TSSStorage::restore. @pre no writer is open
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec lacks a type; what
    /// allocator and codecs throw; strong
    template <class Codec, class Columns = DefaultCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        if (const char* error = try_restore(bytes, codec, columns)) throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes instead of throwing it; null on success.
    template <class Codec, class Columns = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        this->state_.expect_closed();
        AnyElementCodec<Codec, Columns> both{codec, columns};
        return this->state_.try_restore(bytes, both);
    }

    /// What to_bytes() and from_bytes() of a delta of this series take. @param codec as of snapshot(), for keys and values
    /// @param times for times @pre codec and series outlive it @throws std::invalid_argument when the codec lacks a type
    template <class Codec, class Times = DefaultCodec>
    auto delta_codec(const Codec& codec, Times times = {}) const {
        const TypeDescriptor* values = nullptr;
        if constexpr (requires { this->store().value_type(); }) values = &this->store().value_type();
        return DescribedDeltaCodec<Codec, Times>(codec, times, key_type(), values);
    }

protected:
    explicit AnySeries(Store&& empty) : Core(std::move(empty)) {}

    DeltaRange<Time> slots_of(Time time, DeltaPart part) const noexcept { return {this->tracker().words(), time, part, {}}; }
    /// Those whose stamp is `stamp`.
    DeltaRange<Time> slots_of(Time time, DeltaPart part, Time stamp) const noexcept {
        const auto pages = this->times().pages();
        return {this->tracker().words(), time, part, {}, {pages.pages, pages.shift}, stamp};
    }
    AnyDeltaRange<Time, false> keys_of(Time time, DeltaPart part) const noexcept {
        return {slots_of(time, part), ColumnAccess::key_pages(this->store())};
    }
};

/// Whether a range of addresses owns what they refer to.
template <class Range>
inline constexpr bool owns_values = false;
template <class... With>
inline constexpr bool owns_values<BasicAnyMapStorage<With...>> = true;

/// Base of the writers of type-erased series.
template <class Storage>
class AnySeriesWriter : public SeriesWriter<Storage> {
    using Base = SeriesWriter<Storage>;

protected:
    using Base::Base;

    /// The address of a key or value in a range. It may be moved from if the range is given away and owns it: an AnyMapStorage,
    /// a container of DescribedValue.
    template <class Range, class U>
    static auto given(U& part) noexcept {
        if constexpr (Base::template gives_away<Range> && std::is_same_v<U, DescribedValue>)
            return part.data();
        else if constexpr (Base::template gives_away<Range> && owns_values<Range> && std::is_same_v<U, void*>)
            return part;
        else
            return static_cast<const void*>(part);
    }
    static constexpr const char* of_other_type = "is of another type than those of the series";

    static bool is_of_type(const DescribedValue& value, const TypeDescriptor& type) noexcept {
        return value.type() != nullptr && same_type(*value.type(), type);
    }
    /// The first key of a list that is of another type than the series'.
    static DeltaFault find_other_type(const Storage& series, const std::vector<DescribedValue>& keys, const char* list) {
        for (std::size_t i = 0; i != keys.size(); ++i)
            if (!is_of_type(keys[i], series.key_type())) return {list, i, of_other_type};
        return {};
    }
};

/// The owned keys of a range of addresses.
template <class Range>
std::vector<DescribedValue> owned(const TypeDescriptor& type, const Range& range) {
    std::vector<DescribedValue> result;
    for (const void* key : range) result.emplace_back(type, key);
    return result;
}

} // namespace detail
SLOTWISE_END

/// They own nothing. Iterators outlive them.
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_view<slotwise::AnyDeltaRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::AnyDeltaRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_view<slotwise::detail::AnyValidRange<Time, Items>> = true;
template <class Time, bool Items>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::AnyValidRange<Time, Items>> = true;

#endif
