// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// import_stream: makes elements of a map, a set or a series from the rows of an Arrow stream.
#ifndef SLOTWISE_ARROW_IMPORT_HPP
#define SLOTWISE_ARROW_IMPORT_HPP

#include "../keyed/set_storage.hpp"
#include "detail/batch_reader.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The types of keys and values that a container or the writer of a series takes. Those of a set have no value.
template <class M>
struct ImportTypes {
    using key = typename M::key_type;
    using value = void;
};
template <class M>
    requires requires { typename M::mapped_type; }
struct ImportTypes<M> {
    using key = typename M::key_type;
    using value = typename M::mapped_type;
};
template <class M>
    requires requires { typename M::storage_type::mapped_type; }
struct ImportTypes<M> {
    using key = typename M::key_type;
    using value = typename M::storage_type::mapped_type;
};
/// Whether members may lack a value: those of a time-series dictionary, to whose writer this applies.
template <class M>
concept TakesNulls = requires(M& to, const typename M::key_type& key) {
    to.create(key);
    to.invalidate(key);
};

/// The key in the form that M takes: unchanged if M accepts that (a view of a text, say), otherwise converted to a Key.
template <class M, class K>
auto import_key(const K& key) {
    using Key = typename ImportTypes<M>::key;
    using T = typename ImportTypes<M>::value;
    constexpr bool as_it_is = [] {
        if constexpr (std::is_void_v<T>)
            return requires(M& to) { to.insert(std::declval<K>()); };
        else
            return requires(M& to) { to.insert_or_assign(std::declval<K>(), std::declval<T>()); };
    }();
    if constexpr (as_it_is)
        return key;
    else
        return Key(key);
}

/// The container whose index finds the keys: the one inside of a series, or of its writer.
template <class M>
const auto& indexed_container(const M& to) noexcept {
    if constexpr (requires { to.storage(); })
        return indexed_container(to.storage());
    else if constexpr (requires { to.as_map(); })
        return to.as_map();
    else if constexpr (requires { to.as_set(); })
        return to.as_set();
    else
        return to;
}

inline constexpr std::size_t rows_to_element = 10; // ahead of the row that is written, for the element and its columns

/// Prefetches what writes to later rows will read, so that cache misses overlap: first the group of the index, then the element
/// that it leads to. A million rows in random order take half the time.
template <class Container, class Keys>
class LookAhead {
    static constexpr std::size_t to_index = 24, to_element = rows_to_element; // rows ahead
    static constexpr std::size_t kept = 32;                                   // hashes of the rows between

public:
    LookAhead(const Container& container, const Keys& keys, std::size_t rows) noexcept
        : container_(container), keys_(keys), rows_(rows) {
        for (std::size_t row = 0; row != to_index && row != rows; ++row) fetch_index(row);
    }
    /// Call it before the write of a row.
    SLOTWISE_ALWAYS_INLINE void at(std::size_t row) noexcept {
        if (row + to_index < rows_) fetch_index(row + to_index);
        if (row + to_element < rows_) ColumnAccess::prefetch_element(container_, hashes_[(row + to_element) % kept]);
    }

private:
    SLOTWISE_ALWAYS_INLINE void fetch_index(std::size_t row) noexcept {
        hashes_[row % kept] = ColumnAccess::prefetch_index(container_, keys_[row]);
    }
    const Container& container_;
    const Keys& keys_;
    std::size_t rows_;
    std::uint64_t hashes_[kept];
};
/// Stands for a LookAhead where there is none.
struct NoLookAhead {
    void at(std::size_t) const noexcept {}
};
/// A LookAhead if keys are looked up unconverted and if reading and hashing them does not throw: an error belongs to its own
/// row.
template <class M, class Keys>
auto look_ahead(const M& to, const Keys& keys, std::size_t rows) noexcept {
    using Container = std::remove_cvref_t<decltype(indexed_container(to))>;
    using Key = decltype(keys[0]);
    if constexpr (std::is_same_v<Key, decltype(import_key<M>(keys[0]))>&& noexcept(keys[0])) {
        if constexpr (ColumnAccess::can_prefetch<Container, Key>)
            return LookAhead<Container, Keys>(indexed_container(to), keys, rows);
        else
            return NoLookAhead{};
    } else
        return NoLookAhead{};
}

/// Writes the rows of a batch. @pre they were checked
template <class M, class Keys, class Values>
void import_rows(M& to, std::size_t rows, const Keys& keys, const Values& values) {
    using Key [[maybe_unused]] = typename ImportTypes<M>::key;
    using T = typename ImportTypes<M>::value;
    if constexpr (requires { to.reserve(rows); })
        if (to.size() == 0) to.reserve(rows);
    auto ahead = look_ahead(to, keys, rows);
    for (std::size_t row = 0; row != rows; ++row) {
        ahead.at(row);
        if constexpr (std::is_void_v<T>)
            to.insert(import_key<M>(keys[row]));
        else {
            if constexpr (TakesNulls<M>)
                if (values.is_null(row)) {
                    const Key key(keys[row]);
                    if (!to.create(key).inserted) to.invalidate(key);
                    continue;
                }
            if constexpr (requires { to.insert_or_assign(import_key<M>(keys[row]), values[row]); })
                to.insert_or_assign(import_key<M>(keys[row]), values[row]);
            else
                to.insert_or_assign(import_key<M>(keys[row]), T(values[row]));
        }
    }
}

} // namespace detail

/// What an import did, or why it stopped.
struct ImportResult {
    std::size_t rows = 0; ///< rows written, from all batches before the refused one
    std::string error;    ///< why a batch or the schema was refused; empty if none was

    /// Whether the whole stream was written.
    explicit operator bool() const noexcept { return error.empty(); }
};

namespace detail {

/// Reads a stream and writes its rows. @param nulls whether values may be null @param write write(rows) writes those of a batch
template <class Keys, class Values, class Write>
ImportResult import_batches(ArrowArrayStream* stream, Keys& keys, Values& values, bool nulls, Write&& write) {
    ImportResult result;
    OwnedStream owned(stream);
    ArrowRefusal refusal;
    BatchReader batches(keys, values);
    std::size_t batch_number = 0;
    const auto on_batch = [&](const OwnedArray& batch) {
        ++batch_number;
        std::size_t rows = 0;
        if (!batches.open(*batch, rows, refusal)) return false;
        if (!keys.expect_no_null(rows, ", and a key has a value", refusal)) return false;
        if (!nulls && !values.expect_no_null(rows, ", and a map has a value for each key", refusal)) return false;
        write(rows);
        result.rows += rows;
        return true;
    };
    if (!read_batches(
            owned, refusal, [&](const ArrowSchema& schema) { return batches.bind(schema, refusal); }, on_batch))
        result.error =
            "import_stream: " + (batch_number == 0 ? "" : "batch " + std::to_string(batch_number) + ": ") + refusal.text();
    return result;
}

} // namespace detail

/// As import_stream, but returns the error instead of throwing it: for programs without exceptions, and for streams of others.
/// @throws what the container throws
template <class M>
ImportResult try_import_stream(ArrowArrayStream* stream, M& to) {
    using T = typename detail::ImportTypes<M>::value;
    detail::ColumnsReader<typename detail::ImportTypes<M>::key> keys("key");
    detail::ValueReader<T> values("value");
    return detail::import_batches(stream, keys, values, detail::TakesNulls<M>,
                                  [&](std::size_t rows) { detail::import_rows(to, rows, keys, values); });
}

/// Writes each row of the stream to the container: inserts the key, or assigns the value where the key is a member. Returns the
/// rows. The stream is released in each case, and each of its batches once.
///
/// The columns are "key" and "value" (those of its ArrowFields for a struct), in any order, and no others; a set has no
/// "value". Numbers may have another width if each value fits. Texts are utf8, large_utf8 or utf8_view, and must be UTF-8. A
/// row with a key and no value makes a member without a value if `to` is the writer of a time-series dictionary; otherwise it
/// is refused.
///
/// A batch is checked as a whole before its first row is written. So nothing of a refused batch is written, and the batches
/// before it are in the container.
/// @param to a MapStorage, a SetStorage, the writer of a TSDStorage or TSSStorage, or another container with
/// insert_or_assign(key, value), for a set insert(key); with described_import.hpp also an AnyMapStorage or AnySetStorage
/// @throws std::invalid_argument that names the batch, the column and what is wrong with it; what the container throws: rows
/// before stay
/// @complexity linear in the rows
template <class M>
std::size_t import_stream(ArrowArrayStream* stream, M& to) {
    const ImportResult result = try_import_stream(stream, to);
    if (!result) detail::throw_arrow_error(result.error);
    return result.rows;
}

SLOTWISE_END

#endif
