// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a plain reader makes of a stream of arrow_wire.hpp: its rows as texts, or nothing where a rule is broken. It follows the
// rules of import_stream() one by one and knows nothing of its code.
#ifndef SLOTWISE_TESTS_FUZZ_ARROW_READER_HPP
#define SLOTWISE_TESTS_FUZZ_ARROW_READER_HPP

#include "arrow_wire.hpp"

#include <bit>

namespace wire {

/// A column that a reader asks for: its name and Arrow's letter of its type.
struct Want {
    std::string name;
    char type;
    bool is_value = false; ///< one of the columns of values, which are null together
};
using Cell = std::optional<std::string>;
using Row = std::vector<Cell>;

inline std::string said(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }
inline std::string said(const std::string& value) { return value; }
template <class T>
    requires std::is_integral_v<T>
std::string said(T value) {
    return std::to_string(value);
}

class PlainReader {
public:
    explicit PlainReader(std::vector<Want> wants) : wants_(std::move(wants)) {}

    /// Whether the schema has these columns and no others.
    bool bind(const Stream& stream) {
        if (stream.schema_error || stream.schema_released || stream.format != "+s" || stream.no_children) return false;
        if (stream.n_children != static_cast<std::int64_t>(stream.fields.size()) || stream.fields.size() != wants_.size())
            return false;
        places_.assign(wants_.size(), wants_.size());
        for (std::size_t i = 0; i != wants_.size(); ++i)
            for (std::size_t place = 0; place != stream.fields.size(); ++place) {
                const Field& field = stream.fields[place];
                if (field.missing || field.released || !field.name || *field.name != wants_[i].name) continue;
                if (!field.format || field.dictionary || field.n_children != 0 || !takes(wants_[i].type, *field.format))
                    return false;
                places_[i] = place;
            }
        for (const std::size_t place : places_)
            if (place == wants_.size()) return false;
        return true;
    }
    /// The rows of a batch. @pre bind() held
    std::optional<std::vector<Row>> read(const Stream& stream, const Batch& batch) const {
        const Part& root = batch.root;
        if (!has_extent(root) || batch.no_children || root.n_children != static_cast<std::int64_t>(batch.columns.size()) ||
            root.n_children != stream.n_children || root.n_buffers != 1 || root.no_list || root.dictionary)
            return {};
        if (!has_validity(root)) return {};
        for (std::int64_t i = 0; i != root.length; ++i)
            if (is_null(root, i)) return {};
        std::vector<Row> rows(static_cast<std::size_t>(root.length), Row(wants_.size()));
        for (std::size_t want = 0; want != wants_.size(); ++want) {
            const Part& part = batch.columns[places_[want]];
            const std::string& format = *stream.fields[places_[want]].format;
            if (part.missing || part.released || !has_extent(part) || part.length < root.offset + root.length) return {};
            const std::int64_t buffers = is_text(format) || is_view(format) ? 3 : 2;
            if (part.dictionary || part.n_children != 0 || part.no_list || part.n_buffers < buffers ||
                (!is_view(format) && part.n_buffers > buffers) || !has_validity(part))
                return {};
            if (root.length == 0) continue;
            if (!has_offsets(part, format, root)) return {};
            for (std::int64_t i = 0; i != root.length; ++i) {
                Cell& cell = rows[static_cast<std::size_t>(i)][want];
                if (!is_null(part, root.offset + i)) {
                    if (!read_cell(part, format, wants_[want].type, static_cast<std::size_t>(part.offset + root.offset + i),
                                   cell) ||
                        (wants_[want].type == 'u' && !is_utf8(*cell)))
                        return {};
                } else if (!part.buffers[1] || (is_view(format) && part.n_buffers > 3 && !sizes_of(part)))
                    return {};
            }
        }
        for (const Row& row : rows) {
            bool value = false, null = false;
            for (std::size_t want = 0; want != wants_.size(); ++want)
                if (wants_[want].is_value) (row[want] ? value : null) = true;
            if (value && null) return {};
        }
        return rows;
    }

private:
    /// Decodes each character, and encodes it again where its length was a choice.
    static bool is_utf8(const std::string& text) {
        for (std::size_t at = 0; at != text.size();) {
            const auto first = static_cast<unsigned char>(text[at]);
            const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
            if ((first >= 0x80 && first < 0xc0) || first >= 0xf8 || size > text.size() - at) return false;
            std::uint32_t point = size == 1 ? first : first & (0xffu >> (size + 1));
            for (std::size_t i = 1; i != size; ++i) {
                const auto next = static_cast<unsigned char>(text[at + i]);
                if (next / 0x40 != 2) return false;
                point = point * 0x40 + next % 0x40;
            }
            constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
            if (point < least[size - 1] || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return false;
            at += size;
        }
        return true;
    }
    static bool takes(char type, const std::string& format) {
        if (type == 'u') return format == "u" || format == "U" || format == "vu";
        if (type == 'z') return format == "z" || format == "Z" || format == "vz";
        if (type == 'g') return format == "g" || format == "f";
        if (type == 'b') return format == "b";
        return format.size() == 1 && std::string_view("cCsSiIlL").find(format) != std::string_view::npos;
    }
    static bool has_extent(const Part& part) {
        return is_plausible(part) && part.null_count >= -1 && part.null_count <= part.length;
    }
    static bool is_null(const Part& part, std::int64_t row) {
        return part.buffers[0] && !bit(*part.buffers[0], static_cast<std::size_t>(part.offset + row));
    }
    static bool has_validity(const Part& part) {
        std::int64_t nulls = 0;
        for (std::int64_t i = 0; i != part.length; ++i) nulls += is_null(part, i) ? 1 : 0;
        return part.null_count == nulls || part.null_count == -1;
    }
    static const std::optional<Bytes>& sizes_of(const Part& part) {
        return part.buffers[static_cast<std::size_t>(part.n_buffers) - 1];
    }
    // Of the rows that the batch has, also of those that are null.
    static bool has_offsets(const Part& part, const std::string& format, const Part& root) {
        if (!is_text(format)) return true;
        if (!part.buffers[1]) return false;
        const auto at = [&](std::int64_t i) -> std::int64_t {
            const auto index = static_cast<std::size_t>(part.offset + root.offset + i);
            return is_large(format) ? load<std::int64_t>(*part.buffers[1], index) : load<std::int32_t>(*part.buffers[1], index);
        };
        for (std::int64_t i = 0; i != root.length; ++i)
            if (at(i) < 0 || at(i) > at(i + 1)) return false;
        return at(0) == at(root.length) || part.buffers[2];
    }
    static std::string bytes_of(const Bytes& bytes, std::int64_t begin, std::int64_t end) {
        FUZZ_CHECK(0 <= begin && begin <= end && end <= static_cast<std::int64_t>(bytes.size()));
        return {reinterpret_cast<const char*>(bytes.data()) + begin, static_cast<std::size_t>(end - begin)};
    }
    template <class S>
    static bool read_integer(S value, char type, Cell& cell) {
        const auto fits = [&]<class D>(D) {
            const D other = static_cast<D>(value);
            if (static_cast<S>(other) != value || (other < D{}) != (value < S{})) return false;
            cell = said(other);
            return true;
        };
        switch (type) {
        case 'c':
            return fits(std::int8_t{});
        case 's':
            return fits(std::int16_t{});
        case 'i':
            return fits(std::int32_t{});
        case 'I':
            return fits(std::uint32_t{});
        case 'l':
            return fits(std::int64_t{});
        default:
            FUZZ_CHECK(type == 'L');
            return fits(std::uint64_t{});
        }
    }
    static bool read_cell(const Part& part, const std::string& format, char type, std::size_t at, Cell& cell) {
        if (!part.buffers[1]) return false;
        const Bytes& bytes = *part.buffers[1];
        if (is_view(format)) {
            if (part.n_buffers > 3 && !sizes_of(part)) return false;
            const auto size = load<std::int32_t>(bytes, 4 * at);
            if (size < 0) return false;
            if (size <= 12) {
                cell = bytes_of(bytes, static_cast<std::int64_t>(16 * at + 4), static_cast<std::int64_t>(16 * at + 4) + size);
                return true;
            }
            const auto buffer = load<std::int32_t>(bytes, 4 * at + 2), offset = load<std::int32_t>(bytes, 4 * at + 3);
            if (buffer < 0 || buffer >= part.n_buffers - 3 || offset < 0) return false;
            const auto& text = part.buffers[2 + static_cast<std::size_t>(buffer)];
            if (!text || std::int64_t{offset} + size > load<std::int64_t>(*sizes_of(part), static_cast<std::size_t>(buffer)))
                return false;
            cell = bytes_of(*text, offset, std::int64_t{offset} + size);
            return true;
        }
        if (is_text(format)) {
            const auto end_of = [&](std::size_t i) -> std::int64_t {
                return is_large(format) ? load<std::int64_t>(bytes, i) : load<std::int32_t>(bytes, i);
            };
            cell = end_of(at) == end_of(at + 1) ? std::string() : bytes_of(*part.buffers[2], end_of(at), end_of(at + 1));
            return true;
        }
        switch (format[0]) {
        case 'b':
            cell = said(bit(bytes, at) ? 1 : 0);
            return true;
        case 'f':
            cell = said(static_cast<double>(load<float>(bytes, at)));
            return true;
        case 'g':
            cell = said(load<double>(bytes, at));
            return true;
        case 'c':
            return read_integer(load<std::int8_t>(bytes, at), type, cell);
        case 'C':
            return read_integer(load<std::uint8_t>(bytes, at), type, cell);
        case 's':
            return read_integer(load<std::int16_t>(bytes, at), type, cell);
        case 'S':
            return read_integer(load<std::uint16_t>(bytes, at), type, cell);
        case 'i':
            return read_integer(load<std::int32_t>(bytes, at), type, cell);
        case 'I':
            return read_integer(load<std::uint32_t>(bytes, at), type, cell);
        case 'l':
            return read_integer(load<std::int64_t>(bytes, at), type, cell);
        default:
            return read_integer(load<std::uint64_t>(bytes, at), type, cell);
        }
    }

    std::vector<Want> wants_;
    std::vector<std::size_t> places_{};
};

//=== streams that are made up ===//

/// A column of `rows` values, mostly ones that fit the wanted type, in one of the formats that it may have.
inline std::pair<std::string, Part> made_column(Input& in, const Want& want, std::int64_t rows, bool nulls,
                                                const std::string* format_before) {
    Part part;
    part.offset = in.below(4) == 0 ? static_cast<std::int64_t>(in.below(11)) : 0;
    part.length = rows + (in.below(8) == 0 ? static_cast<std::int64_t>(in.below(5)) : 0);
    const auto all = static_cast<std::size_t>(part.offset + part.length);
    const auto one_of = [&](std::string_view letters) { return std::string(1, letters[in.below(letters.size())]); };
    std::string format = format_before != nullptr                 ? *format_before
                         : want.type == 'b'                       ? "b"
                         : want.type == 'g'                       ? one_of("gggf")
                         : (want.type == 'u' || want.type == 'z') ? (in.below(3) == 0 ? "v" : "") + std::string(1, want.type)
                         : in.below(3) == 0                       ? one_of("cCsSiIlL")
                                                                  : std::string(1, want.type);
    if (format_before == nullptr && format.size() == 1 && is_text(format) && in.below(3) == 0)
        format = want.type == 'u' ? "U" : "Z";
    part.buffers.resize(2);
    if (nulls || in.below(8) == 0) {
        Bytes bits;
        std::int64_t count = 0;
        for (std::size_t i = 0; i != all; ++i) {
            const bool valid = !nulls || in.below(4) != 0;
            append_bit(bits, i, valid);
            count += i >= static_cast<std::size_t>(part.offset) && !valid ? 1 : 0;
        }
        part.buffers[0] = std::move(bits);
        part.null_count = in.below(4) == 0 ? -1 : count;
    }
    Bytes values;
    const auto text = [&] {
        std::string chars(in.below(8) == 0 ? 13 + in.below(8) : in.below(4), 'k');
        for (char& c : chars) c = static_cast<char>('a' + in.below(3));
        if (chars == "ca") return std::string("\xc3\xa9");
        return chars == "cbc" ? std::string("c\xc3"
                                            "c")
                              : chars; // no UTF-8
    };
    if (is_view(format)) {
        std::vector<Bytes> texts;
        for (std::size_t i = 0; i != all; ++i) {
            const std::string chars = text();
            unsigned char view[16] = {};
            const auto size = static_cast<std::int32_t>(chars.size());
            std::memcpy(view, &size, 4);
            std::memcpy(view + 4, chars.data(), std::min<std::size_t>(chars.size(), 12));
            if (size > 12) {
                if (texts.empty() || in.flip()) texts.emplace_back();
                const auto buffer = static_cast<std::int32_t>(texts.size() - 1),
                           offset = static_cast<std::int32_t>(texts.back().size());
                std::memcpy(view + 8, &buffer, 4);
                std::memcpy(view + 12, &offset, 4);
                texts.back().insert(texts.back().end(), chars.begin(), chars.end());
            }
            values.insert(values.end(), view, view + 16);
        }
        part.buffers[1] = std::move(values);
        Bytes sizes;
        for (Bytes& bytes : texts) {
            append(sizes, static_cast<std::int64_t>(bytes.size()));
            part.buffers.emplace_back(std::move(bytes));
        }
        part.buffers.emplace_back(std::move(sizes));
    } else if (is_text(format)) {
        Bytes chars;
        const auto offset = [&] {
            if (is_large(format))
                append(values, static_cast<std::int64_t>(chars.size()));
            else
                append(values, static_cast<std::int32_t>(chars.size()));
        };
        offset();
        for (std::size_t i = 0; i != all; ++i) {
            const std::string more = text();
            chars.insert(chars.end(), more.begin(), more.end());
            offset();
        }
        part.buffers[1] = std::move(values);
        part.buffers.emplace_back(std::move(chars));
    } else if (format == "b") {
        for (std::size_t i = 0; i != all; ++i) append_bit(values, i, in.flip());
        part.buffers[1] = std::move(values);
    } else {
        for (std::size_t i = 0; i != all; ++i) {
            if (format == "f")
                append(values, static_cast<float>(in.below(8)) / 4);
            else if (format == "g")
                append(values, static_cast<double>(in.below(8)) / 4);
            else {
                const std::uint64_t number = in.below(24) == 0 ? in.number() : in.below(12);
                for (std::size_t b = 0; b != width_of(format); ++b)
                    values.push_back(static_cast<unsigned char>(number >> (8 * b)));
            }
        }
        part.buffers[1] = std::move(values);
    }
    part.n_buffers = static_cast<std::int64_t>(part.buffers.size());
    return {format, std::move(part)};
}
/// A stream that a reader of these columns may take. @param nulls_in the columns that have nulls
inline Stream made_stream(Input& in, const std::vector<Want>& wants, bool null_values) {
    Stream stream;
    std::vector<std::size_t> order(wants.size());
    for (std::size_t i = 0; i != order.size(); ++i) order[i] = i;
    if (order.size() > 1 && in.flip()) std::swap(order[0], order[in.below(order.size())]);
    for (const std::size_t i : order) stream.fields.push_back({wants[i].name, std::nullopt});
    stream.n_children = static_cast<std::int64_t>(order.size());
    for (std::size_t left = in.below(4); left != 0; --left) {
        const auto first = in.below(6) == 0 ? static_cast<std::int64_t>(in.below(4)) : 0;
        const auto rows =
            static_cast<std::int64_t>(in.below(8) == 0 ? in.below(80) : in.below(12)); // an import looks 24 rows ahead
        std::vector<Part> parts;
        for (std::size_t place = 0; place != order.size(); ++place) {
            Field& field = stream.fields[place];
            const Want& want = wants[order[place]];
            auto [format, part] =
                made_column(in, want, first + rows, want.is_value && null_values, field.format ? &*field.format : nullptr);
            field.format = format;
            parts.push_back(std::move(part));
        }
        stream.batches.push_back(batch_of(std::move(parts), rows));
        stream.batches.back().root.offset = first;
    }
    for (std::size_t place = 0; place != order.size(); ++place)
        if (!stream.fields[place].format) stream.fields[place].format = std::string(1, wants[order[place]].type);
    return stream;
}

} // namespace wire

#endif
