// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetDelta, DictDelta: the changes of a window as owned values that outlive it. compose() joins two. to_bytes(), from_bytes():
// one on its way to another process.
#ifndef SLOTWISE_SERIES_DELTA_HPP
#define SLOTWISE_SERIES_DELTA_HPP

#include "../core/detail/seal.hpp"
#include "../keyed/map_storage.hpp"
#include "time_array.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// Base of TSSStorage and TSDStorage, which marks a type as a series.
struct SeriesTag {};

template <class T>
inline constexpr bool is_series = std::is_base_of_v<SeriesTag, T>;

/// The type of time of a series with these arguments.
template <class Key, class... With>
using time_of = pick<with_time, std::int64_t, With...>;

/// What a delta stores for a value: the value, or the delta of a nested series.
template <class T, bool = is_series<T>>
struct DeltaValue {
    using type = T;
};
template <class T>
struct DeltaValue<T, true> {
    using type = typename T::delta_type;
};
/// Whether a value may be in a series with this type of time: a nested series shares its clock.
template <class T, class Time>
inline constexpr bool shares_clock = [] {
    if constexpr (is_series<T>)
        return std::is_same_v<typename T::time_type, Time>;
    else
        return true;
}();

} // namespace detail

namespace detail {

template <class Delta, class Time, class Codec>
std::vector<std::byte> delta_to_bytes(const Delta& delta, const Time& from, Codec& codec);
template <class Delta, class Codec>
ReceivedDelta<Delta> delta_from_bytes(std::span<const std::byte> bytes, Codec& codec, const char* caller);

} // namespace detail

/// A delta that was read from bytes, and what they say about it.
template <class Delta>
struct ReceivedDelta {
    using time_type = decltype(Delta::time);
    Delta delta{};                                   ///< the changes up to window delta.time
    time_type from = TimeTraits<time_type>::never(); ///< the window after which they begin
    std::string error{};                             ///< why the bytes were refused; empty if they were not

    /// Whether the bytes were read.
    explicit operator bool() const noexcept { return error.empty(); }
};

/// The changes of a set in one window, or several: owned, to be kept, sent and applied elsewhere. Two are equal when they have
/// the same changes in any order.
template <class Key, class Time>
struct SetDelta {
    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the set was written, perhaps without effect
    std::vector<Key> added;                ///< members now, and not before
    std::vector<Key> removed;              ///< members before, and not now
    bool invalidated = false;              ///< the set was invalidated first: all else is relative to an empty set

    /// Whether applying it would change no member.
    bool empty() const noexcept { return added.empty() && removed.empty() && !invalidated; }

    /// The delta as bytes, for apply_delta() and from_bytes() in another process: its changes, the windows between which it
    /// leads, the types of keys and times, and a checksum.
    /// @param from the window that was open before those of the delta @param codec as of TSSStorage::snapshot(); a type-erased
    /// series has one for its deltas: delta_codec()
    /// @throws std::invalid_argument if `from` is later than `time`; std::bad_alloc, what the codec throws
    /// @complexity linear in changes
    template <class Codec = DefaultCodec>
    std::vector<std::byte> to_bytes(Time from, Codec codec = {}) const {
        return detail::delta_to_bytes(*this, from, codec);
    }
    /// The delta of these bytes. Every byte is checked, and bytes that to_bytes() of such a delta would not write are refused.
    /// Whether it fits a series is checked by apply(), and by apply_delta(), which also knows the windows.
    /// @throws std::invalid_argument that says what is wrong with the bytes; std::bad_alloc, what the codec throws
    /// @complexity linear in bytes
    template <class Codec = DefaultCodec>
    static ReceivedDelta<SetDelta> from_bytes(std::span<const std::byte> bytes, Codec codec = {}) {
        auto result = try_from_bytes(bytes, codec);
        if (!result) detail::throw_invalid_argument(result.error.c_str());
        return result;
    }
    /// As from_bytes(), but returns the error instead of throwing it.
    template <class Codec = DefaultCodec>
    static ReceivedDelta<SetDelta> try_from_bytes(std::span<const std::byte> bytes, Codec codec = {}) {
        return detail::delta_from_bytes<SetDelta>(bytes, codec, "delta from_bytes");
    }
    /// Keys are compared by ==. equal_deltas() compares them by the equality of a series.
    friend bool operator==(const SetDelta& a, const SetDelta& b) { return equal_deltas(a, b, DefaultHash<Key>(), EqualTo()); }
};

/// The changes of a dictionary in one window, or several. Two are equal when they have the same changes in any order.
/// @tparam T of the dictionary; where it is a series, `modified` holds its deltas
template <class Key, class T, class Time>
struct DictDelta {
    using value_type = typename detail::DeltaValue<T>::type;

    Time time = TimeTraits<Time>::never(); ///< the (last) window
    bool ticked = false;                   ///< the dictionary was written, perhaps without effect
    bool keys_ticked = false;              ///< keys were added or removed, perhaps without effect
    std::vector<Key> added;                ///< members now, and not before, including those without a value
    std::vector<Key> removed;              ///< members before, and not now
    std::vector<Key> reset;                ///< members before and now, whose element was replaced by an empty one first
    std::vector<std::pair<Key, value_type>> modified; ///< written: the last value. New keys are here and in `added`
    bool invalidated = false; ///< the dictionary was invalidated first: all else is relative to an empty dictionary

    /// Whether applying it would change no member and no value.
    bool empty() const noexcept {
        return added.empty() && removed.empty() && reset.empty() && modified.empty() && !invalidated;
    }

    /// The delta as bytes, for apply_delta() and from_bytes() in another process: its changes, the windows between which it
    /// leads, the types of keys, values and times, and a checksum.
    /// @param from the window that was open before those of the delta @param codec as of TSDStorage::snapshot(); a type-erased
    /// series has one for its deltas: delta_codec()
    /// @throws std::invalid_argument if `from` is later than `time`; std::bad_alloc, what the codec throws
    /// @complexity linear in changes
    template <class Codec = DefaultCodec>
    std::vector<std::byte> to_bytes(Time from, Codec codec = {}) const {
        return detail::delta_to_bytes(*this, from, codec);
    }
    /// The delta of these bytes. Every byte is checked, and bytes that to_bytes() of such a delta would not write are refused.
    /// Whether it fits a series is checked by apply(), and by apply_delta(), which also knows the windows.
    /// @throws std::invalid_argument that says what is wrong with the bytes; std::bad_alloc, what the codec throws
    /// @complexity linear in bytes
    template <class Codec = DefaultCodec>
    static ReceivedDelta<DictDelta> from_bytes(std::span<const std::byte> bytes, Codec codec = {}) {
        auto result = try_from_bytes(bytes, codec);
        if (!result) detail::throw_invalid_argument(result.error.c_str());
        return result;
    }
    /// As from_bytes(), but returns the error instead of throwing it.
    template <class Codec = DefaultCodec>
    static ReceivedDelta<DictDelta> try_from_bytes(std::span<const std::byte> bytes, Codec codec = {}) {
        return detail::delta_from_bytes<DictDelta>(bytes, codec, "delta from_bytes");
    }
    /// Keys are compared by ==. equal_deltas() compares them by the equality of a series.
    friend bool operator==(const DictDelta& a, const DictDelta& b) { return equal_deltas(a, b, DefaultHash<Key>(), EqualTo()); }
};

namespace detail {

/// Hash and equality of sets of keys by address, in which no key is copied. They refer to those of the series, which may have
/// state, or throw when they are copied.
template <class Hash>
struct PointeeHash {
    const Hash* hash = nullptr;
    template <class Key>
    std::size_t operator()(const Key* key) const {
        return static_cast<std::size_t>((*hash)(*key));
    }
};
template <class Equal>
struct PointeeEqual {
    const Equal* equal = nullptr;
    template <class Key>
    bool operator()(const Key* a, const Key* b) const {
        return (*equal)(*a, *b);
    }
};
template <class Key, class Hash, class Equal>
using KeyPointers = SetStorage<const Key*, HashBy<PointeeHash<Hash>>, EqualBy<PointeeEqual<Equal>>>;
template <class Key, class V, class Hash, class Equal>
using ValuePointers = MapStorage<const Key*, const V*, HashBy<PointeeHash<Hash>>, EqualBy<PointeeEqual<Equal>>>;

template <class Pointers, class List, class Hash, class Equal>
Pointers room_for(const List& list, const Hash& hash, const Equal& equal) {
    Pointers result(PointeeHash<Hash>{std::addressof(hash)}, PointeeEqual<Equal>{std::addressof(equal)});
    result.reserve(list.size());
    return result;
}
template <class Key, class Hash, class Equal>
KeyPointers<Key, Hash, Equal> pointers_to(const std::vector<Key>& keys, const Hash& hash, const Equal& equal) {
    auto result = room_for<KeyPointers<Key, Hash, Equal>>(keys, hash, equal);
    for (const Key& key : keys) result.insert(std::addressof(key));
    return result;
}
template <class Key, class V, class Hash, class Equal>
ValuePointers<Key, V, Hash, Equal> values_of(const std::vector<std::pair<Key, V>>& items, const Hash& hash,
                                             const Equal& equal) {
    auto result = room_for<ValuePointers<Key, V, Hash, Equal>>(items, hash, equal);
    for (const auto& [key, value] : items) result.insert(std::addressof(key), std::addressof(value));
    return result;
}
template <class Key, class Hash, class Equal>
bool same_keys(const std::vector<Key>& a, const std::vector<Key>& b, const Hash& hash, const Equal& equal) {
    return a.size() == b.size() && pointers_to(a, hash, equal) == pointers_to(b, hash, equal);
}

/// Appends the keys of `from` that none of `sets` has.
template <class Key, class... Sets>
void append_without(std::vector<Key>& to, const std::vector<Key>& from, const Sets&... sets) {
    for (const Key& key : from)
        if ((!sets.contains(std::addressof(key)) && ... && true)) to.push_back(key);
}
/// Makes a nested delta part of a delta up to `time`.
template <class V, class Time>
void set_time(V& value, const Time& time) {
    if constexpr (requires {
                      value.ticked;
                      value.removed;
                  }) {
        value.time = time;
        if constexpr (requires { value.modified; })
            for (auto& item : value.modified) set_time(item.second, time);
    }
}

} // namespace detail

/// Whether two deltas have the same changes, in any order, where keys are compared by `hash` and `equal` of their series.
/// Values are compared by ==. Nested deltas are compared in the same way with hash and equality of the nested series.
/// @throws std::bad_alloc, what Hash, Equal and == throw @complexity linear in the keys of both, expected
template <class Key, class Time, class Hash, class Equal>
bool equal_deltas(const SetDelta<Key, Time>& a, const SetDelta<Key, Time>& b, const Hash& hash, const Equal& equal) {
    return a.time == b.time && a.ticked == b.ticked && a.invalidated == b.invalidated &&
           detail::same_keys(a.added, b.added, hash, equal) && detail::same_keys(a.removed, b.removed, hash, equal);
}
template <class Key, class T, class Time, class Hash, class Equal>
bool equal_deltas(const DictDelta<Key, T, Time>& a, const DictDelta<Key, T, Time>& b, const Hash& hash, const Equal& equal) {
    if (a.time != b.time || a.ticked != b.ticked || a.invalidated != b.invalidated || a.keys_ticked != b.keys_ticked ||
        !detail::same_keys(a.added, b.added, hash, equal) || !detail::same_keys(a.removed, b.removed, hash, equal) ||
        !detail::same_keys(a.reset, b.reset, hash, equal) || a.modified.size() != b.modified.size())
        return false;
    const auto in_a = detail::values_of(a.modified, hash, equal), in_b = detail::values_of(b.modified, hash, equal);
    if (in_a.size() != in_b.size()) return false;
    for (const auto [key, value] : in_a) {
        const auto* const other = in_b.get(key);
        if (other == nullptr) return false;
        if constexpr (detail::is_series<T>) {
            if (!equal_deltas(*value, **other, typename T::hasher(), typename T::key_equal())) return false;
        } else if (!(*value == **other))
            return false;
    }
    return true;
}

/// The delta of both windows, `first` and then `second`, as if capture() had seen one window. A change that the second undid is
/// not in it. @param hash and equal: hash_function() and key_eq() of the series; nested series use default-constructed ones
/// @throws std::bad_alloc, what copies, Hash and Equal throw
/// @complexity linear in the keys of both, expected
template <class Key, class Time, class Hash = DefaultHash<Key>, class Equal = EqualTo>
SetDelta<Key, Time> compose(const SetDelta<Key, Time>& first, const SetDelta<Key, Time>& second, const Hash& hash = Hash(),
                            const Equal& equal = Equal()) {
    if (second.invalidated) return second;
    const auto pointers = [&](const std::vector<Key>& keys) { return detail::pointers_to(keys, hash, equal); };
    const auto added1 = pointers(first.added), removed1 = pointers(first.removed);
    const auto added2 = pointers(second.added), removed2 = pointers(second.removed);
    SetDelta<Key, Time> both{second.time, first.ticked || second.ticked, {}, {}, first.invalidated};
    detail::append_without(both.added, first.added, removed2);
    detail::append_without(both.added, second.added, removed1, added1);
    detail::append_without(both.removed, first.removed, added2);
    detail::append_without(both.removed, second.removed, added1, removed1);
    return both;
}
template <class Key, class T, class Time, class Hash = DefaultHash<Key>, class Equal = EqualTo>
DictDelta<Key, T, Time> compose(const DictDelta<Key, T, Time>& first, const DictDelta<Key, T, Time>& second,
                                const Hash& hash = Hash(), const Equal& equal = Equal()) {
    constexpr bool nested = detail::is_series<T>;
    if (second.invalidated) return second;
    const auto membership = [](const auto& delta) {
        return SetDelta<Key, Time>{delta.time, delta.ticked, delta.added, delta.removed};
    };
    auto keys = compose(membership(first), membership(second), hash, equal);
    DictDelta<Key, T, Time> both{keys.time,
                                 keys.ticked,
                                 first.keys_ticked || second.keys_ticked,
                                 std::move(keys.added),
                                 std::move(keys.removed),
                                 {},
                                 {},
                                 first.invalidated};
    const auto pointers = [&](const std::vector<Key>& list) { return detail::pointers_to(list, hash, equal); };
    const auto added1 = pointers(first.added), added2 = pointers(second.added);
    const auto removed2 = pointers(second.removed), reset2 = pointers(second.reset);
    const auto values1 = detail::values_of(first.modified, hash, equal),
               values2 = detail::values_of(second.modified, hash, equal);
    for (const auto& [key, value] : first.modified) {
        const Key* const at = std::addressof(key);
        if (removed2.contains(at) || reset2.contains(at) || added2.contains(at) || values2.contains(at)) continue;
        both.modified.emplace_back(key, value);
        detail::set_time(both.modified.back().second, both.time);
    }
    for (const auto& [key, value] : second.modified) {
        if constexpr (nested) {
            const Key* const at = std::addressof(key);
            const auto* const before = values1.get(at);
            if (before != nullptr && !reset2.contains(at) && !added2.contains(at)) {
                both.modified.emplace_back(key, compose(**before, value, typename T::hasher(), typename T::key_equal()));
                continue;
            }
        }
        both.modified.emplace_back(key, value);
    }
    // A new value replaces a plain element completely. A nested delta continues from the previous state.
    const auto reset = [&](const Key& key) {
        const Key* const at = std::addressof(key);
        if (nested || !(values2.contains(at) || (values1.contains(at) && !reset2.contains(at) && !added2.contains(at))))
            both.reset.push_back(key);
    };
    for (const Key& key : first.reset)
        if (!removed2.contains(std::addressof(key)) && !reset2.contains(std::addressof(key))) reset(key);
    for (const Key& key : second.reset)
        if (!added1.contains(std::addressof(key))) reset(key);
    for (const Key& key : first.removed)
        if (added2.contains(std::addressof(key))) reset(key);
    return both;
}

namespace detail {

//=== checks of a delta, before anything of it is applied ===//

/// The first change of a delta that cannot be applied: in which list, where, and why. None if `what` is null.
struct DeltaFault {
    const char* list = nullptr;
    std::size_t index = 0;
    const char* what = nullptr;

    explicit operator bool() const noexcept { return what != nullptr; }
    /// "<list>[<index>] <what>"
    std::string text() const { return std::string(list) + "[" + std::to_string(index) + "] " + what; }
    /// @throws std::invalid_argument "apply(delta): <text>", if there is one
    void raise() const {
        if (what != nullptr) throw_invalid_argument(("apply(delta): " + text()).c_str());
    }
};

/// Puts the keys of a list into a set, by address. Finds the first that occurs twice.
template <class Pointers, class List, class PointerTo>
DeltaFault find_twice(Pointers& seen, const List& list, const char* name, PointerTo&& pointer_to) {
    seen.reserve(list.size());
    for (std::size_t i = 0; i != list.size(); ++i)
        if (!seen.insert(pointer_to(list[i])).inserted) return {name, i, "occurs twice; a list has a key once"};
    return {};
}

template <class Key, class Hash, class Equal>
struct DeltaKeys {
    KeyPointers<Key, Hash, Equal> added, removed, reset;
    DeltaFault fault{};
};

/// The keys of a delta, with the first fault: a key occurs twice in one list, or is both added and removed. @param hash and
/// equal: those of the series, which outlive the result
template <class Delta, class Hash, class Equal>
auto checked_keys(const Delta& delta, const Hash& hash, const Equal& equal) {
    using Key = typename decltype(delta.added)::value_type;
    const auto none = [&] { return room_for<KeyPointers<Key, Hash, Equal>>(std::span<const Key>(), hash, equal); };
    const auto address = [](const Key& key) { return std::addressof(key); };
    DeltaKeys<Key, Hash, Equal> keys{none(), none(), none(), {}};
    keys.fault = find_twice(keys.added, delta.added, "added", address);
    if (keys.fault) return keys;
    keys.fault = find_twice(keys.removed, delta.removed, "removed", address);
    if (keys.fault) return keys;
    for (std::size_t i = 0; i != delta.removed.size(); ++i)
        if (keys.added.contains(std::addressof(delta.removed[i]))) {
            keys.fault = {"removed", i,
                          "is in `added` too; a key is either added or removed, and a new value is in `modified`"};
            return keys;
        }
    if constexpr (requires { delta.modified; }) {
        keys.fault = find_twice(keys.reset, delta.reset, "reset", address);
        if (keys.fault) return keys;
        auto written = none();
        if (delta.modified.size() > 1)
            keys.fault =
                find_twice(written, delta.modified, "modified", [](const auto& item) { return std::addressof(item.first); });
    }
    return keys;
}

/// Whether the key must fit. @param mode one for all keys, or a function of the key
template <class Mode, class Key>
bool is_strict(const Mode& mode, const Key& key) {
    if constexpr (std::is_same_v<Mode, Strictness>)
        return mode == Strictness::strict;
    else
        return mode(key) == Strictness::strict;
}

/// The first key that does not fit, as apply() in mode strict. @tparam IsMember bool(key)
template <class Delta, class Mode, class IsMember>
DeltaFault check_membership(const Delta& delta, const Mode& mode, IsMember&& is_member) {
    for (std::size_t i = 0; i != delta.added.size(); ++i)
        if (is_strict(mode, delta.added[i]) && is_member(delta.added[i]))
            return {"added", i, "is a member already; apply it lenient to leave it"};
    for (std::size_t i = 0; i != delta.removed.size(); ++i)
        if (is_strict(mode, delta.removed[i]) && !is_member(delta.removed[i]))
            return {"removed", i, "is not a member; apply it lenient to go on"};
    return {};
}

/// Why a delta does not fit the set `s`. @param s null: an empty set, for a nested one that the delta creates
template <class Series, class Key, class Time, class Mode>
DeltaFault check_delta(const Series* s, const typename Series::hasher& hash, const typename Series::key_equal& equal,
                       const SetDelta<Key, Time>& delta, const Mode& mode) {
    if (const auto keys = checked_keys(delta, hash, equal); keys.fault) return keys.fault;
    if (delta.invalidated) s = nullptr;
    return check_membership(delta, mode, [&](const Key& key) { return s != nullptr && s->contains(key); });
}

/// The same for a dictionary and its nested series.
template <class Series, class Key, class T, class Time, class Mode>
DeltaFault check_delta(const Series* s, const typename Series::hasher& hash, const typename Series::key_equal& equal,
                       const DictDelta<Key, T, Time>& delta, const Mode& mode) {
    constexpr bool nested = is_series<T>;
    const auto keys = checked_keys(delta, hash, equal);
    if (keys.fault) return keys.fault;
    if constexpr (!std::is_default_constructible_v<T>) {
        if (!delta.reset.empty()) return {"reset", 0, "needs a default-constructible T"};
        const auto written = values_of(delta.modified, hash, equal);
        for (std::size_t i = 0; i != delta.added.size(); ++i)
            if (!written.contains(std::addressof(delta.added[i])))
                return {"added", i, "has no value in `modified`, and T is not default-constructible"};
    }
    if constexpr (std::is_same_v<Mode, Strictness> && !nested)
        if (mode == Strictness::lenient) return {};
    if (delta.invalidated) s = nullptr;
    const auto is_member = [&](const Key& key) { return s != nullptr && s->contains(key); };
    if (const DeltaFault fault = check_membership(delta, mode, is_member)) return fault;
    for (std::size_t i = 0; i != delta.reset.size(); ++i)
        if (is_strict(mode, delta.reset[i]) &&
            (!is_member(delta.reset[i]) || keys.removed.contains(std::addressof(delta.reset[i]))))
            return {"reset", i, "is not a member; apply it lenient to go on"};
    for (std::size_t i = 0; i != delta.modified.size(); ++i) {
        const auto& [key, value] = delta.modified[i];
        const bool strict = is_strict(mode, key);
        const bool gone = keys.removed.contains(std::addressof(key));
        if (strict && (gone || (!is_member(key) && !keys.added.contains(std::addressof(key)))))
            return {"modified", i, "is neither a member nor in `added`; apply it lenient to create it"};
        if constexpr (nested) {
            const auto mode_inside = strict ? Strictness::strict : Strictness::lenient;
            const T* const there = gone || s == nullptr || keys.reset.contains(std::addressof(key)) ? nullptr : s->get(key);
            const DeltaFault fault =
                there != nullptr ? check_delta(there, there->hash_function(), there->key_eq(), value, mode_inside)
                                 : check_delta<T>(nullptr, typename T::hasher(), typename T::key_equal(), value, mode_inside);
            if (fault) return fault;
        }
    }
    return {};
}

//=== a delta as bytes ===//

/// The tag of a value that `Codec` writes, or of a series whose elements it writes.
template <class Codec, class V>
consteval std::uint64_t series_tag() noexcept {
    if constexpr (!is_series<V>)
        return type_tag<Codec, V>();
    else if constexpr (requires { typename V::mapped_type; })
        return make_tag(TypeKind::series,
                        {series_tag<Codec, typename V::key_type>(), series_tag<Codec, typename V::mapped_type>()});
    else
        return make_tag(TypeKind::series, {series_tag<Codec, typename V::key_type>()});
}

/// What a row of a delta in bytes says of its key.
enum class DeltaRow : std::uint8_t {
    removed = 0,
    modified = 1,       // with a value, as the two that follow
    added_modified = 2, // in both lists
    reset_modified = 3,
    added = 4,
    reset = 5
};

/// Whether the values of a delta are deltas of nested series.
template <class Delta>
inline constexpr bool has_nested = false;
template <class Key, class T, class Time>
inline constexpr bool has_nested<DictDelta<Key, T, Time>> = is_series<T>;

/// Writes and reads the changes of deltas as bytes: flags, time, the number of rows, what each row says, their keys, and the
/// values of those that have one. A nested delta is a value. A key that is both added and modified is one row, if both lists
/// have such keys in the same order, as those of capture() have.
/// @tparam Codec as of snapshots, or a DescribedDeltaCodec: it writes keys and values, whose types are known at run time
template <class Codec>
class DeltaBytes {
    static constexpr bool is_described = requires { Codec::is_described; };

public:
    static constexpr std::uint8_t byte_order = std::endian::native == std::endian::little ? 1 : 2;

    /// "SLX1" for dictionaries, "SLY1" for sets.
    template <class Key, class Time>
    static std::uint32_t magic(const SetDelta<Key, Time>&) noexcept {
        return 0x3159'4C53;
    }
    template <class Key, class T, class Time>
    static std::uint32_t magic(const DictDelta<Key, T, Time>&) noexcept {
        return 0x3158'4C53;
    }
    /// The types of times, keys and values.
    template <class Key, class Time>
    static std::array<ElementTag, 2> tags(const SetDelta<Key, Time>&, const Codec& codec) noexcept {
        return {{{ElementRole::time, type_tag<Codec, Time>()}, {ElementRole::key, key_tag<Key>(codec)}}};
    }
    template <class Key, class T, class Time>
    static std::array<ElementTag, 3> tags(const DictDelta<Key, T, Time>&, const Codec& codec) noexcept {
        std::uint64_t value = 0;
        if constexpr (is_described)
            value = codec.value_tag();
        else
            value = series_tag<Codec, T>();
        return {{{ElementRole::time, type_tag<Codec, Time>()},
                 {ElementRole::key, key_tag<Key>(codec)},
                 {ElementRole::value, value}}};
    }
    /// What snapshots have in front of keys and values.
    template <class Key, class Time>
    static std::array<std::uint32_t, 1> sizes(const SetDelta<Key, Time>&, const Codec& codec) noexcept {
        return {key_size<Key>(codec)};
    }
    template <class Key, class T, class Time>
    static std::array<std::uint32_t, 2> sizes(const DictDelta<Key, T, Time>&, const Codec& codec) noexcept {
        if constexpr (is_described)
            return {key_size<Key>(codec), codec.value_size()};
        else if constexpr (is_series<T>)
            return {key_size<Key>(codec), 0};
        else
            return {key_size<Key>(codec), size_check_of<T>()};
    }

    template <class Delta>
    static void write(const Delta& delta, Codec& codec, ByteWriter& out) {
        constexpr bool has_values = requires { delta.modified; };
        bool keys_ticked = false;
        if constexpr (has_values) keys_ticked = delta.keys_ticked;
        out.number(static_cast<std::uint8_t>(int{delta.ticked} | int{keys_ticked} << 1 | int{delta.invalidated} << 2));
        codec.write(delta.time, out);
        std::vector<std::uint8_t> rows(delta.removed.size(), static_cast<std::uint8_t>(DeltaRow::removed));
        std::size_t added = 0, reset = 0; // that have the row of a written one
        const auto append = [&](DeltaRow row, std::size_t count) {
            rows.insert(rows.end(), count, static_cast<std::uint8_t>(row));
        };
        if constexpr (has_values) {
            rows.reserve(rows.size() + delta.modified.size());
            for (const auto& [key, value] : delta.modified)
                if (is_next(delta.added, added, key))
                    append(DeltaRow::added_modified, 1), ++added;
                else if (is_next(delta.reset, reset, key))
                    append(DeltaRow::reset_modified, 1), ++reset;
                else
                    append(DeltaRow::modified, 1);
        }
        append(DeltaRow::added, delta.added.size() - added);
        if constexpr (has_values) append(DeltaRow::reset, delta.reset.size() - reset);
        out.number(std::uint64_t{rows.size()});
        out.raw(rows.data(), rows.size());
        const auto write_keys = [&](const auto& keys, std::size_t from) {
            for (std::size_t i = from; i != keys.size(); ++i) write_key(keys[i], codec, out);
        };
        write_keys(delta.removed, 0);
        if constexpr (has_values)
            for (const auto& item : delta.modified) write_key(item.first, codec, out);
        write_keys(delta.added, added);
        if constexpr (has_values) {
            write_keys(delta.reset, reset);
            for (const auto& item : delta.modified) write_value<has_nested<Delta>>(item.second, codec, out);
        }
    }
    /// Reads what write() wrote; in.error() says what is wrong.
    template <class Key, class Time>
    static void read(SetDelta<Key, Time>& delta, Codec& codec, ByteReader& in) {
        const auto rows = read_rows(delta, codec, in);
        read_keys<Key>(rows, codec, in, [&](DeltaRow row, Key&& key) {
            (row == DeltaRow::removed ? delta.removed : delta.added).push_back(std::move(key));
        });
    }
    template <class Key, class T, class Time>
    static void read(DictDelta<Key, T, Time>& delta, Codec& codec, ByteReader& in) {
        using Value = typename DictDelta<Key, T, Time>::value_type;
        const auto rows = read_rows(delta, codec, in);
        std::vector<Key> written; // keys before their values
        read_keys<Key>(rows, codec, in, [&](DeltaRow row, Key&& key) {
            if (row == DeltaRow::added_modified) delta.added.push_back(key);
            if (row == DeltaRow::reset_modified) delta.reset.push_back(key);
            (row == DeltaRow::removed ? delta.removed
             : row == DeltaRow::added ? delta.added
             : row == DeltaRow::reset ? delta.reset
                                      : written)
                .push_back(std::move(key));
        });
        if (in.error() != nullptr) return;
        delta.modified.reserve(written.size());
        for (Key& key : written) {
            if constexpr (is_series<T>) {
                Value value;
                read(value, codec, in);
                delta.modified.emplace_back(std::move(key), std::move(value));
            } else if constexpr (is_described)
                delta.modified.emplace_back(std::move(key), codec.read_value(in));
            else
                delta.modified.emplace_back(std::move(key), codec.template read<Value>(in));
            if (in.error() != nullptr) return;
        }
    }

private:
    template <class Key>
    static std::uint64_t key_tag([[maybe_unused]] const Codec& codec) noexcept {
        if constexpr (is_described)
            return codec.key_tag();
        else
            return type_tag<Codec, Key>();
    }
    template <class Key>
    static std::uint32_t key_size([[maybe_unused]] const Codec& codec) noexcept {
        if constexpr (is_described)
            return codec.key_size();
        else
            return size_check_of<Key>();
    }
    template <class Key>
    static bool is_next(const std::vector<Key>& keys, std::size_t at, const Key& key) {
        if constexpr (std::equality_comparable<Key>)
            return at != keys.size() && keys[at] == key;
        else
            return false;
    }
    template <class Key>
    static void write_key(const Key& key, Codec& codec, ByteWriter& out) {
        if constexpr (is_described)
            codec.write_key(key, out);
        else
            codec.write(key, out);
    }
    template <bool Nested, class Value>
    static void write_value(const Value& value, Codec& codec, ByteWriter& out) {
        if constexpr (Nested)
            write(value, codec, out);
        else if constexpr (is_described)
            codec.write_value(value, out);
        else
            codec.write(value, out);
    }
    // Reads flags and time. Returns what each row says; none when that is wrong.
    template <class Delta>
    static std::span<const std::byte> read_rows(Delta& delta, Codec& codec, ByteReader& in) {
        constexpr bool has_values = requires { delta.modified; };
        const unsigned flags = in.number<std::uint8_t>();
        if (flags > 7 || (!has_values && (flags & 2) != 0)) in.fail("snapshot: the flags of the delta are impossible");
        delta.ticked = (flags & 1) != 0;
        if constexpr (has_values) delta.keys_ticked = (flags & 2) != 0;
        delta.invalidated = (flags & 4) != 0;
        delta.time = codec.template read<decltype(delta.time)>(in);
        const auto rows = in.raw(in.length(1));
        auto last = std::byte{0};
        for (const std::byte row : rows) {
            constexpr auto removed = static_cast<std::byte>(DeltaRow::removed), added = static_cast<std::byte>(DeltaRow::added);
            if (has_values ? row > static_cast<std::byte>(DeltaRow::reset) : row != removed && row != added) {
                in.fail("snapshot: a row of the delta says what no row says");
                return {};
            }
            if (part_of(row) < part_of(last)) {
                in.fail("snapshot: the rows of the delta are in another order than those that are written");
                return {};
            }
            last = row;
        }
        return rows;
    }
    // Removed keys come first, then those with a value, added and reset ones.
    static int part_of(std::byte row) noexcept {
        const auto number = std::to_integer<int>(row);
        return number == 2 || number == 3 ? 1 : number;
    }
    template <class Key, class Take>
    static void read_keys(std::span<const std::byte> rows, Codec& codec, ByteReader& in, Take&& take) {
        for (const std::byte row : rows) {
            if constexpr (is_described)
                take(static_cast<DeltaRow>(row), codec.read_key(in));
            else
                take(static_cast<DeltaRow>(row), codec.template read<Key>(in));
            if (in.error() != nullptr) return;
        }
    }
};

template <class Delta, class Time, class Codec>
std::vector<std::byte> delta_to_bytes(const Delta& delta, const Time& from, Codec& codec) {
    using Bytes = DeltaBytes<Codec>;
    if (!(from <= delta.time))
        throw_invalid_argument(
            "delta to_bytes(from): `from` is later than the delta; it is the window before those of the delta");
    ByteWriter out;
    out.number(Bytes::magic(delta));
    out.number(Bytes::byte_order);
    for (const std::uint32_t size : Bytes::sizes(delta, codec)) out.number(size);
    codec.write(from, out);
    Bytes::write(delta, codec, out);
    return Seal::close<Codec>(out, Bytes::tags(delta, codec));
}
template <class Delta, class Codec>
const char* read_delta(ReceivedDelta<Delta>& result, std::span<const std::byte> bytes, Codec& codec) {
    using Bytes = DeltaBytes<Codec>;
    const std::uint32_t magic = Bytes::magic(result.delta);
    if (const char* const wrong = Seal::open<Codec>(bytes, magic, Bytes::tags(result.delta, codec))) return wrong;
    ByteReader in(bytes);
    if (in.number<std::uint32_t>() != magic) return "snapshot: these bytes are not a delta of such a series";
    if (in.number<std::uint8_t>() != Bytes::byte_order) return "snapshot: it is of a machine with another byte order";
    for (const std::uint32_t size : Bytes::sizes(result.delta, codec))
        if (in.number<std::uint32_t>() != size) return "snapshot: its keys or values have another size";
    result.from = codec.template read<typename ReceivedDelta<Delta>::time_type>(in);
    Bytes::read(result.delta, codec, in);
    if (in.error() != nullptr) return in.error();
    if (!(result.from <= result.delta.time)) return "snapshot: it begins later than it ends";
    return in.left() == 0 ? nullptr : "snapshot: there are more bytes than the delta needs";
}
/// What is wrong with bytes of a delta. @param error as of snapshots, which deltas are not
inline std::string delta_error(const char* caller, std::string_view error) {
    constexpr std::string_view prefix = "snapshot: ";
    if (error.starts_with(prefix)) error.remove_prefix(prefix.size());
    return std::string(caller) + ": " + std::string(error);
}
template <class Delta, class Codec>
ReceivedDelta<Delta> delta_from_bytes(std::span<const std::byte> bytes, Codec& codec, const char* caller) {
    ReceivedDelta<Delta> result;
    if (const char* const error = read_delta(result, bytes, codec)) {
        result = {};
        result.error =
            delta_error(caller, error != Seal::unmarked ? error : "these bytes are not a slotwise delta, or are cut off");
    }
    return result;
}

} // namespace detail
SLOTWISE_END

#endif
