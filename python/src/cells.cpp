// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The cast of columns to fields.
#include "raw.hpp"

#include <slotwise/core/utf8.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace slotwise_python {

namespace {

constexpr std::int64_t nat = not_a_time;

bool is_time(Kind kind) { return kind == Kind::datetime || kind == Kind::timedelta; }

std::size_t size_of(Kind kind) {
    switch (kind) {
    case Kind::boolean:
    case Kind::int8:
    case Kind::uint8:
        return 1;
    case Kind::int16:
    case Kind::uint16:
        return 2;
    case Kind::int32:
    case Kind::uint32:
    case Kind::float32:
        return 4;
    default:
        return 8;
    }
}
const char* name_of(Kind kind) {
    static constexpr const char* names[] = {"bool",    "int8",       "int16",       "int32",  "int64",
                                            "uint8",   "uint16",     "uint32",      "uint64", "float32",
                                            "float64", "datetime64", "timedelta64", "str",    "bytes"};
    return names[static_cast<std::size_t>(kind)];
}

/// Calls f with a value of the C++ type of a number.
template <class F>
decltype(auto) with_number(Kind kind, F&& f) {
    switch (kind) {
    case Kind::int8:
        return f(std::int8_t{});
    case Kind::int16:
        return f(std::int16_t{});
    case Kind::int32:
        return f(std::int32_t{});
    case Kind::uint8:
        return f(std::uint8_t{});
    case Kind::uint16:
        return f(std::uint16_t{});
    case Kind::uint32:
        return f(std::uint32_t{});
    case Kind::uint64:
        return f(std::uint64_t{});
    case Kind::float32:
        return f(float{});
    case Kind::float64:
        return f(double{});
    case Kind::boolean:
        return f(bool{});
    default:
        return f(std::int64_t{});
    }
}

template <class T>
std::string number_text(T value) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text.substr(0, 57)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            out += c;
            continue;
        }
        static constexpr char digits[] = "0123456789abcdef";
        out += "\\x";
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out + (text.size() > 57 ? "...'" : "'");
}

/// Whether `value` has the same value as a D, which is written to `to`. Wide is int64, uint64 or double.
template <class D, class Wide>
bool narrow(Wide value, D& to) noexcept {
    if constexpr (std::is_same_v<D, bool>) {
        to = value != 0;
        return value == 0 || value == 1;
    } else if constexpr (std::is_integral_v<Wide> && std::is_integral_v<D>) {
        to = static_cast<D>(value);
        return std::in_range<D>(value);
    } else if constexpr (std::is_integral_v<Wide>) { // the upper bound of Wide is no D: it would be rounded to one beyond
        to = static_cast<D>(value);
        constexpr D beyond = static_cast<D>(2) * static_cast<D>(std::uint64_t{1} << (std::numeric_limits<Wide>::digits - 1));
        return to < beyond && static_cast<Wide>(to) == value;
    } else if constexpr (std::is_integral_v<D>) {
        constexpr double beyond = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<D>::digits - 1));
        constexpr double least = std::is_signed_v<D> ? -beyond : 0.0;
        if (!(value >= least && value < beyond)) {
            to = 0;
            return false;
        }
        to = static_cast<D>(value);
        return static_cast<double>(to) == value;
    } else {
        to = static_cast<D>(value);
        return static_cast<double>(to) == value || value != value;
    }
}
template <class T>
using wide_of = std::conditional_t<std::is_floating_point_v<T>, double,
                                   std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

double half_value(std::uint16_t half) noexcept {
    const int exponent = (half >> 10) & 31;
    const int fraction = half & 1023;
    double value = exponent == 0    ? std::ldexp(fraction, -24)
                   : exponent == 31 ? (fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN())
                                    : std::ldexp(fraction + 1024, exponent - 25);
    return (half & 0x8000) != 0 ? -value : value;
}

/// Nanoseconds of a unit of time; 0 of one that is unknown.
std::int64_t nanoseconds(std::string_view unit) noexcept {
    constexpr std::pair<std::string_view, std::int64_t> units[] = {{"ns", 1},
                                                                   {"us", 1'000},
                                                                   {"ms", 1'000'000},
                                                                   {"s", 1'000'000'000},
                                                                   {"m", 60'000'000'000},
                                                                   {"h", 3'600'000'000'000},
                                                                   {"D", 86'400'000'000'000}};
    for (const auto& [name, count] : units)
        if (name == unit) return count;
    return 0;
}

} // namespace

std::string spelled(const Field& field) {
    std::string text = name_of(field.kind);
    if (is_time(field.kind)) text += "[" + field.unit + "]";
    if (field.length != 0) text = "list of " + std::to_string(field.length) + " " + text;
    return text;
}

bool bits_to_bytes(const std::uint8_t* bits, std::size_t first, std::size_t count, std::uint8_t* bytes) noexcept {
    // Eight bits are spread to eight bytes in one step.
    static constexpr auto spread = [] {
        std::array<std::uint64_t, 256> table{};
        for (std::size_t byte = 0; byte != 256; ++byte)
            for (unsigned bit = 0; bit != 8; ++bit)
                if ((byte >> bit & 1) != 0)
                    table[byte] |= std::uint64_t{1} << 8 * (std::endian::native == std::endian::little ? bit : 7 - bit);
        return table;
    }();
    const std::uint8_t* at = bits + first / 8;
    const unsigned shift = first % 8;
    std::uint8_t all = 0xff;
    std::size_t done = 0;
    for (; count - done >= 8; done += 8, ++at) {
        const auto eight = static_cast<std::uint8_t>(shift == 0 ? at[0] : at[0] >> shift | at[1] << (8 - shift));
        all &= eight;
        std::memcpy(bytes + done, &spread[eight], 8);
    }
    for (; done != count; ++done) {
        bytes[done] = bits[(first + done) / 8] >> (first + done) % 8 & 1;
        if (bytes[done] == 0) all = 0;
    }
    return all == 0xff;
}

/// One cast. Steps: which rows are null, then the values of the others.
class Caster {
public:
    Caster(const Raw& raw, const Field& field, const Place& place, bool whole = true)
        : raw_(raw), field_(field), place_(place), whole_(whole) {
        cells_.size_ = raw.size;
        if (raw.owner != nullptr) cells_.owners_.push_back(raw.owner);
    }
    Cells run() {
        find_nulls();
        if (field_.length != 0)
            cast_lists();
        else if (raw_.type->shape == Shape::dictionary)
            cast_dictionary();
        else if (raw_.type->shape == Shape::nulls)
            cast_nulls();
        else if (field_.is_text())
            cast_texts();
        else if (is_time(field_.kind))
            cast_times();
        else
            cast_numbers();
        if (raw_.null_is_nat && is_time(field_.kind) && field_.length == 0 && !field_.nullable) null_to_nat();
        if (valid_ != nullptr && !field_.nullable && std::memchr(valid_, 0, size()) != nullptr) refuse_null();
        if (valid_ != nullptr && std::memchr(valid_, 0, size()) != nullptr) cells_.valid_ = valid_;
        return std::move(cells_);
    }

private:
    std::size_t size() const noexcept { return cells_.size_; }
    bool is_null(std::size_t row) const noexcept { return valid_ != nullptr && valid_[row] == 0; }

    [[noreturn]] void refuse(PyObject* type, std::size_t row, const std::string& what) const {
        raise(type, std::string(place_.argument) + ": column '" + field_.path + "': " +
                        (whole_ ? "row " + std::to_string(place_.first_row + row)
                                : "value " + std::to_string(row) + " of its dictionary or list") +
                        " " + what);
    }
    [[noreturn]] void refuse_value(PyObject* type, std::size_t row, const std::string& value,
                                   const std::string& more = "") const {
        refuse(type, row, "is " + value + ", which is no " + spelled(field_) + more);
    }
    [[noreturn]] void refuse_null() const {
        const auto row = static_cast<std::size_t>(static_cast<const std::uint8_t*>(std::memchr(valid_, 0, size())) - valid_);
        refuse(PyExc_ValueError, row,
               place_.is_key ? "is null, and a key is never null" : "is null, and this field is not nullable");
    }

    /// Memory that the cells keep.
    template <class T>
    T* make(std::size_t count) {
        std::shared_ptr<T[]> made(new T[count == 0 ? 1 : count]);
        T* const address = made.get();
        cells_.owners_.push_back(std::move(made));
        return address;
    }
    std::uint8_t* make_valid() {
        if (valid_ == nullptr) {
            valid_ = make<std::uint8_t>(size());
            std::memset(valid_, 1, size());
        }
        return valid_;
    }
    void find_nulls() {
        const auto apply = [&](const std::uint8_t* bits, std::size_t first) {
            std::vector<std::uint8_t> bytes(size());
            if (bits_to_bytes(bits, first, size(), bytes.data())) return;
            std::uint8_t* const valid = make_valid();
            for (std::size_t row = 0; row != size(); ++row) valid[row] &= bytes[row];
        };
        if (raw_.bitmap != nullptr) {
            valid_ = make<std::uint8_t>(size());
            if (bits_to_bytes(raw_.bitmap, raw_.offset, size(), valid_)) valid_ = nullptr;
        }
        for (const auto& [bits, first] : raw_.parents) apply(bits, first);
        if (raw_.mask != nullptr) {
            const std::uint8_t* const mask = raw_.mask + raw_.offset;
            std::uint8_t any = 0;
            for (std::size_t row = 0; row != size(); ++row) any |= mask[row];
            if (any == 0) return;
            std::uint8_t* const valid = make_valid();
            for (std::size_t row = 0; row != size(); ++row)
                if (mask[row] != 0) valid[row] = 0;
        }
    }

    template <class T>
    const T* values() const noexcept {
        return static_cast<const T*>(raw_.values) + raw_.offset;
    }
    /// Refers to the values as they are; they are copied where they are not aligned.
    void share(const void* values, std::size_t bytes, std::size_t align) {
        if (reinterpret_cast<std::uintptr_t>(values) % align == 0) {
            cells_.values_ = static_cast<const std::byte*>(values);
            return;
        }
        std::byte* const copy = reinterpret_cast<std::byte*>(make<std::uint64_t>(bytes / 8 + 1));
        std::memcpy(copy, values, bytes);
        cells_.values_ = copy;
    }
    void cast_nulls() {
        std::memset(make_valid(), 0, size());
        if (field_.is_text()) {
            std::string_view* const none = make<std::string_view>(size());
            cells_.form_ = Cells::Form::refs;
            cells_.offsets_ = none;
            return;
        }
        const std::size_t words = size() * size_of(field_.kind) / 8 + 1;
        std::uint64_t* const zeros = make<std::uint64_t>(words);
        std::memset(zeros, 0, words * 8);
        cells_.values_ = reinterpret_cast<const std::byte*>(zeros);
    }

    void cast_numbers() {
        const Type& type = *raw_.type;
        if (type.shape == Shape::bits) {
            std::uint8_t* const bytes = make<std::uint8_t>(size());
            if (size() != 0) bits_to_bytes(static_cast<const std::uint8_t*>(raw_.values), raw_.offset, size(), bytes);
            return from_booleans(bytes);
        }
        if (type.shape == Shape::numbers && type.kind == Kind::boolean) {
            std::uint8_t* const bytes = make<std::uint8_t>(size());
            const std::uint8_t* const from = values<std::uint8_t>();
            for (std::size_t row = 0; row != size(); ++row)
                bytes[row] = from[row] != 0; // other bytes than 0 and 1 can be there
            return from_booleans(bytes);
        }
        if (type.shape == Shape::halves)
            return convert_to(values<std::uint16_t>(), [](std::uint16_t half) { return half_value(half); });
        if (raw_.nan_is_null && field_.nullable) nan_to_null();
        if (type.kind == field_.kind)
            return share(static_cast<const std::byte*>(raw_.values) + raw_.offset * size_of(type.kind),
                         size() * size_of(type.kind), size_of(type.kind));
        with_number(type.kind,
                    [&]<class S>(S) { convert_to(values<S>(), [](S value) { return static_cast<wide_of<S>>(value); }); });
    }
    void from_booleans(const std::uint8_t* bytes) {
        if (field_.kind == Kind::boolean || field_.kind == Kind::uint8 || field_.kind == Kind::int8) {
            cells_.values_ = reinterpret_cast<const std::byte*>(bytes);
            return;
        }
        convert_to(bytes, [](std::uint8_t value) { return std::uint64_t{value}; });
    }
    template <class S, class Widen>
    void convert_to(const S* from, Widen widen) {
        with_number(field_.kind, [&]<class D>(D) { convert<D>(from, widen); });
    }
    template <class D, class S, class Widen>
    void convert(const S* from, Widen widen) {
        D* const to = make<D>(size());
        cells_.values_ = reinterpret_cast<const std::byte*>(to);
        for (std::size_t first = 0; first < size(); first += 1024) {
            const std::size_t last = std::min(size(), first + 1024);
            bool good = true;
            for (std::size_t row = first; row != last; ++row) good &= narrow(widen(read(from + row)), to[row]);
            if (good) continue;
            for (std::size_t row = first; row != last; ++row) {
                const auto value = widen(read(from + row));
                if (narrow(value, to[row])) continue;
                to[row] = D{};
                if (is_null(row)) continue;
                refuse_value(std::is_integral_v<decltype(value)> && !std::is_same_v<D, bool> && std::is_integral_v<D>
                                 ? PyExc_OverflowError
                                 : PyExc_ValueError,
                             row, number_text(value), explained<D>(value));
            }
        }
    }
    template <class D>
    static std::string explained(double) { // NOLINT(readability-named-parameter)
        return std::is_same_v<D, float> ? "; round it first, by astype('float32')" : "";
    }
    template <class D, class Wide>
    static std::string explained(Wide) {
        return "";
    }
    /// A value that need not be aligned.
    template <class S>
    static S read(const S* from) noexcept {
        S value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    void nan_to_null() {
        const auto look = [&]<class T>(const T* from) {
            for (std::size_t row = 0; row != size(); ++row)
                if (const T value = read(from + row); value != value) make_valid()[row] = 0;
        };
        if (raw_.type->kind == Kind::float64) look(values<double>());
        if (raw_.type->kind == Kind::float32) look(values<float>());
    }

    void null_to_nat() {
        if (valid_ == nullptr) return;
        std::int64_t* const times = make<std::int64_t>(size());
        for (std::size_t row = 0; row != size(); ++row)
            times[row] = valid_[row] == 0 ? nat : read(reinterpret_cast<const std::int64_t*>(cells_.values_) + row);
        cells_.values_ = reinterpret_cast<const std::byte*>(times);
        valid_ = nullptr;
    }

    void cast_times() {
        const Type& type = *raw_.type;
        const bool is_small = type.shape == Shape::days32;
        if (!is_small && field_.nullable) { // NaT says what null says
            const auto* const from = values<std::int64_t>();
            for (std::size_t row = 0; row != size(); ++row)
                if (read(from + row) == nat) make_valid()[row] = 0;
        }
        if (!is_small && type.unit == field_.unit)
            return share(static_cast<const std::byte*>(raw_.values) + raw_.offset * 8, size() * 8, 8);
        const std::int64_t theirs = nanoseconds(type.unit), ours = nanoseconds(field_.unit);
        const std::int64_t times = theirs > ours ? theirs / ours : 1, parts = ours > theirs ? ours / theirs : 1;
        std::int64_t* const to = make<std::int64_t>(size());
        cells_.values_ = reinterpret_cast<const std::byte*>(to);
        for (std::size_t row = 0; row != size(); ++row) {
            const std::int64_t value = is_small ? read(values<std::int32_t>() + row) : read(values<std::int64_t>() + row);
            if (value == nat && !is_small) {
                to[row] = nat;
                continue;
            }
            if (value % parts == 0 && !multiply_overflows(value / parts, times, to[row]) && to[row] != nat) continue;
            to[row] = 0;
            if (is_null(row)) continue;
            refuse_value(value % parts == 0 ? PyExc_OverflowError : PyExc_ValueError, row,
                         number_text(value) + " " + type.unit +
                             (value % parts == 0 ? "" : " (between two values of the field's unit)"));
        }
    }

    void cast_texts() {
        const Type& type = *raw_.type;
        const bool check = field_.kind == Kind::text && !type.checked;
        switch (type.shape) {
        case Shape::offsets32:
            return share_texts<std::int32_t>(Cells::Form::offsets32, check);
        case Shape::offsets64:
            return share_texts<std::int64_t>(Cells::Form::offsets64, check);
        case Shape::views:
            view_texts();
            break;
        case Shape::fixed:
            fixed_texts();
            break;
        case Shape::utf32:
            return utf32_texts();
        default:
            set_refs(static_cast<const std::string_view*>(raw_.values) + raw_.offset);
            break;
        }
        if (!check) return;
        const auto* const refs = static_cast<const std::string_view*>(cells_.offsets_);
        for (std::size_t row = 0; row != size(); ++row)
            if (!slotwise::detail::is_utf8(refs[row]) && !is_null(row)) refuse_utf8(row, refs[row]);
    }
    [[noreturn]] void refuse_utf8(std::size_t row, std::string_view text) const {
        refuse(PyExc_ValueError, row, "is no UTF-8: " + quoted(text));
    }
    void set_refs(const std::string_view* refs) {
        cells_.form_ = Cells::Form::refs;
        cells_.offsets_ = refs;
    }
    template <class Offset>
    void share_texts(Cells::Form form, bool check) {
        const Offset* offsets = values<Offset>();
        const char* const data = static_cast<const char*>(raw_.data);
        static constexpr Offset none[1] = {0};
        if (size() == 0) offsets = none; // an empty column need not have any
        if (reinterpret_cast<std::uintptr_t>(offsets) % alignof(Offset) != 0) {
            Offset* const copy = make<Offset>(size() + 1);
            std::memcpy(copy, offsets, (size() + 1) * sizeof(Offset));
            offsets = copy;
        }
        bool grow = offsets[0] >= 0;
        for (std::size_t row = 0; row != size(); ++row) grow &= offsets[row] <= offsets[row + 1];
        if (!grow) {
            if (offsets[0] < 0) refuse(PyExc_ValueError, 0, "begins at a negative offset");
            for (std::size_t row = 0; row != size(); ++row)
                if (offsets[row] > offsets[row + 1]) refuse(PyExc_ValueError, row, "ends before it begins: its offsets fall");
        }
        const auto bytes = static_cast<std::size_t>(offsets[size()] - offsets[0]);
        if (bytes != 0 && data == nullptr) refuse(PyExc_ValueError, 0, "has no bytes: the buffer of the texts is missing");
        cells_.form_ = form;
        cells_.offsets_ = offsets;
        cells_.data_ = data;
        if (!check || bytes == 0) return;
        // All texts at once. Then no text may begin within a character.
        const std::string_view all(data + offsets[0], bytes);
        if (slotwise::detail::is_ascii(all)) return;
        bool good = slotwise::detail::is_utf8(all);
        const Offset end = offsets[size()];
        for (std::size_t row = 0; good && row != size(); ++row)
            good = offsets[row] == end || (static_cast<unsigned char>(data[offsets[row]]) & 0xc0) != 0x80;
        if (good) return;
        std::string_view* const refs = make<std::string_view>(size()); // what is behind a null may be anything
        for (std::size_t row = 0; row != size(); ++row) {
            if (is_null(row)) continue;
            refs[row] = {data + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
            if (!slotwise::detail::is_utf8(refs[row])) refuse_utf8(row, refs[row]);
        }
        set_refs(refs);
    }
    struct View { // of Arrow; one of up to 12 bytes has them instead of the last three members
        std::int32_t size;
        char prefix[4];
        std::int32_t buffer, offset;
    };
    void view_texts() {
        std::string_view* const refs = make<std::string_view>(size());
        set_refs(refs);
        const auto* const views = static_cast<const View*>(raw_.values) + raw_.offset;
        const auto* const buffers = static_cast<const void* const*>(raw_.data);
        const std::size_t count = raw_.buffers;
        const auto* const sizes = count == 0 ? nullptr : static_cast<const std::int64_t*>(buffers[count]);
        for (std::size_t row = 0; row != size(); ++row) {
            if (is_null(row)) continue;
            View view;
            std::memcpy(&view, views + row, sizeof view);
            if (view.size < 0) refuse(PyExc_ValueError, row, "has a negative length");
            const auto length = static_cast<std::size_t>(view.size);
            if (length <= 12) {
                refs[row] = {reinterpret_cast<const char*>(views + row) + 4, length};
                continue;
            }
            if (view.buffer < 0 || static_cast<std::size_t>(view.buffer) >= count || view.offset < 0 ||
                std::int64_t{view.offset} + view.size > sizes[view.buffer] || buffers[view.buffer] == nullptr)
                refuse(PyExc_ValueError, row, "refers to bytes outside of the buffers of the column");
            refs[row] = {static_cast<const char*>(buffers[view.buffer]) + view.offset, length};
        }
    }
    void fixed_texts() {
        std::string_view* const refs = make<std::string_view>(size());
        set_refs(refs);
        const std::size_t width = raw_.type->width;
        char* const copy = make<char>(size() * width); // NumPy's memory can change while it is read
        if (size() * width != 0) std::memcpy(copy, static_cast<const char*>(raw_.values) + raw_.offset * width, size() * width);
        for (std::size_t row = 0; row != size(); ++row) {
            std::size_t length = width;
            if (raw_.type->padded)
                while (length != 0 && copy[row * width + length - 1] == 0) --length;
            refs[row] = {copy + row * width, length};
        }
    }
    void utf32_texts() {
        const std::size_t width = raw_.type->width;
        std::int64_t* const offsets = make<std::int64_t>(size() + 1);
        const auto* const points = static_cast<const std::uint32_t*>(raw_.values) + raw_.offset * width;
        auto bytes = std::make_shared<std::string>();
        bytes->reserve(size() * width);
        offsets[0] = 0;
        for (std::size_t row = 0; row != size(); ++row) {
            std::size_t length = width;
            while (length != 0 && read(points + row * width + length - 1) == 0) --length;
            std::uint32_t all = 0;
            for (std::size_t i = 0; i != length; ++i) all |= read(points + row * width + i);
            if (all < 0x80) {
                const std::size_t end = bytes->size();
                bytes->resize(end + length);
                for (std::size_t i = 0; i != length; ++i) (*bytes)[end + i] = static_cast<char>(read(points + row * width + i));
                offsets[row + 1] = static_cast<std::int64_t>(bytes->size());
                continue;
            }
            for (std::size_t i = 0; i != length; ++i) {
                const std::uint32_t point = read(points + row * width + i);
                if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
                    if (is_null(row)) break;
                    refuse(PyExc_ValueError, row, "has a character that is no part of a text: a lone surrogate");
                }
                append_utf8(*bytes, point);
            }
            offsets[row + 1] = static_cast<std::int64_t>(bytes->size());
        }
        cells_.form_ = Cells::Form::offsets64;
        cells_.offsets_ = offsets;
        cells_.data_ = bytes->data();
        cells_.owners_.push_back(std::move(bytes));
    }
    static void append_utf8(std::string& out, std::uint32_t point) {
        const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
        if (point < 0x80) return add(point);
        if (point < 0x800)
            add(0xc0 | point >> 6);
        else {
            if (point < 0x10000)
                add(0xe0 | point >> 12);
            else {
                add(0xf0 | point >> 18);
                add(0x80 | (point >> 12 & 63));
            }
            add(0x80 | (point >> 6 & 63));
        }
        add(0x80 | (point & 63));
    }

    /// The number that each row has in the dictionary, or in the items of a list.
    template <class F>
    void each_index(F&& f) {
        with_number(raw_.type->kind, [&]<class T>(T) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
                const T* const from = values<T>();
                for (std::size_t row = 0; row != size(); ++row)
                    f(row, static_cast<std::uint64_t>(read(from + row)), read(from + row) < 0);
            }
        });
    }
    void cast_dictionary() {
        Field words = field_;
        words.nullable = true;
        const Cells known = Caster(raw_.children[0], words, place_, false).run();
        const auto lookup = [&](auto&& take) {
            each_index([&](std::size_t row, std::uint64_t index, bool negative) {
                if (is_null(row)) return;
                if (negative || index >= known.size())
                    refuse(PyExc_ValueError, row,
                           "has the number " +
                               (negative ? "-" + std::to_string(-static_cast<std::int64_t>(index)) : std::to_string(index)) +
                               " in a dictionary of " + std::to_string(known.size()) + " values");
                if (known.valid() != nullptr && known.valid()[index] == 0) {
                    make_valid()[row] = 0;
                    return;
                }
                take(row, static_cast<std::size_t>(index));
            });
        };
        cells_.owners_.insert(cells_.owners_.end(), known.owners_.begin(), known.owners_.end());
        if (field_.is_text()) {
            std::string_view* const refs = make<std::string_view>(size());
            set_refs(refs);
            std::vector<std::string_view> texts(known.size());
            for (std::size_t i = 0; i != texts.size(); ++i) texts[i] = known.text(i);
            return lookup([&](std::size_t row, std::size_t index) { refs[row] = texts[index]; });
        }
        const std::size_t bytes = size_of(field_.kind);
        std::byte* const to = reinterpret_cast<std::byte*>(make<std::uint64_t>(size() * bytes / 8 + 1));
        std::memset(to, 0, size() * bytes);
        cells_.values_ = to;
        lookup(
            [&](std::size_t row, std::size_t index) { std::memcpy(to + row * bytes, known.values() + index * bytes, bytes); });
    }

    void cast_lists() {
        const Type& type = *raw_.type;
        const std::size_t length = field_.length, bytes = length * size_of(field_.kind);
        if (type.shape == Shape::nulls) {
            std::memset(make_valid(), 0, size());
            std::uint64_t* const zeros = make<std::uint64_t>(size() * bytes / 8 + 1);
            std::memset(zeros, 0, (size() * bytes / 8 + 1) * 8);
            cells_.values_ = reinterpret_cast<const std::byte*>(zeros);
            return;
        }
        const Raw& items = raw_.children[0];
        Field item = field_;
        item.length = 0;
        item.nullable = is_time(field_.kind); // an item that is null is NaT
        const auto cast_items = [&](const Raw& part) {
            Cells all = Caster(part, item, place_, false).run();
            if (all.valid_ == nullptr) return all;
            std::int64_t* const times = make<std::int64_t>(all.size_);
            for (std::size_t i = 0; i != all.size_; ++i)
                times[i] = all.valid_[i] == 0 ? nat : reinterpret_cast<const std::int64_t*>(all.values_)[i];
            all.values_ = reinterpret_cast<const std::byte*>(times);
            return all;
        };
        const auto null_free = [&](Raw part) { // items of a row that is null itself may be null
            part.bitmap = nullptr;
            part.mask = nullptr;
            return part;
        };
        const auto expect_items = [&](std::size_t row, std::size_t first) {
            for (std::size_t i = first; i != first + length; ++i)
                if ((items.bitmap != nullptr && (items.bitmap[(items.offset + i) / 8] >> (items.offset + i) % 8 & 1) == 0) ||
                    (items.mask != nullptr && items.mask[items.offset + i] != 0))
                    refuse(PyExc_ValueError, row, "has a null in its list");
        };
        // Row i has the items from first(i) on. One cast takes the items of all rows where they follow each other, unless a row is
        // null: what is behind it need not be castable.
        const bool is_simple = items.type->shape == Shape::numbers && items.type->kind == field_.kind && !is_time(field_.kind);
        const auto gather = [&](auto&& first, bool follow) {
            if (size() == 0 || (follow && valid_ == nullptr)) {
                const std::size_t from = size() == 0 ? 0 : first(0);
                const Cells all = cast_items(items.slice(from, size() * length));
                cells_.values_ = all.values_;
                cells_.owners_.insert(cells_.owners_.end(), all.owners_.begin(), all.owners_.end());
                return;
            }
            std::byte* const to = reinterpret_cast<std::byte*>(make<std::uint64_t>(size() * bytes / 8 + 1));
            std::memset(to, 0, size() * bytes);
            cells_.values_ = to;
            for (std::size_t row = 0; row != size(); ++row) {
                if (is_null(row)) continue;
                const std::size_t from = first(row);
                if (!item.nullable) expect_items(row, from);
                if (is_simple) {
                    const std::size_t each = size_of(field_.kind);
                    std::memcpy(to + row * bytes, static_cast<const std::byte*>(items.values) + (items.offset + from) * each,
                                bytes);
                    continue;
                }
                const Raw part = items.slice(from, length);
                const Cells one = cast_items(item.nullable ? part : null_free(part));
                std::memcpy(to + row * bytes, one.values(), bytes);
            }
        };
        if (type.shape == Shape::list_fixed) return gather([&](std::size_t row) { return (raw_.offset + row) * length; }, true);
        const auto with_offsets = [&]<class Offset>(const Offset* offsets) {
            for (std::size_t row = 0; row != size(); ++row) {
                if (is_null(row)) continue;
                const Offset first = read(offsets + row), last = read(offsets + row + 1);
                if (first < 0 || last < first || static_cast<std::uint64_t>(last) > items.size)
                    refuse(PyExc_ValueError, row, "refers to items outside of the column of items");
                if (static_cast<std::uint64_t>(last - first) != length)
                    refuse(PyExc_ValueError, row,
                           "has " + std::to_string(last - first) + " items, and " + std::to_string(length) + " are needed");
            }
            gather([&](std::size_t row) { return static_cast<std::size_t>(read(offsets + row)); }, true);
        };
        if (type.shape == Shape::list32)
            with_offsets(values<std::int32_t>());
        else
            with_offsets(values<std::int64_t>());
    }

    const Raw& raw_;
    const Field& field_;
    const Place& place_;
    bool whole_; // else the values of a dictionary or list
    Cells cells_;
    std::uint8_t* valid_ = nullptr;
};

void expect_castable(const Type& type, const Field& field, const char* argument) {
    const auto refuse = [&](const std::string& why) {
        raise(PyExc_TypeError, std::string(argument) + ": column '" + field.path + "' has " + type.spelled + ", and " +
                                   spelled(field) + " is needed" + why);
    };
    if (type.shape == Shape::nulls) return;
    if (field.counts && (type.shape == Shape::bits || (type.shape == Shape::numbers && type.kind == Kind::boolean)))
        refuse(": a mask is no column of numbers; numpy.flatnonzero(mask) has the positions where it is true, and "
               "keys[mask] the keys there");
    if (field.length != 0) {
        if (type.shape != Shape::list_fixed && type.shape != Shape::list32 && type.shape != Shape::list64) refuse("");
        if (type.shape == Shape::list_fixed && type.width != field.length) refuse("");
        Field item = field;
        item.length = 0;
        return expect_castable(type.children[0], item, argument);
    }
    switch (type.shape) {
    case Shape::dictionary:
        return expect_castable(type.children[0], field, argument);
    case Shape::bits:
    case Shape::numbers:
    case Shape::halves:
    case Shape::days32:
        if (field.is_text()) refuse("");
        if (is_time(type.kind) || is_time(field.kind)) {
            if (type.kind != field.kind) refuse(is_time(type.kind) ? "" : "; make times of them first, which says their unit");
            if (nanoseconds(type.unit) == 0) refuse("");
        }
        return;
    case Shape::offsets32:
    case Shape::offsets64:
    case Shape::views:
    case Shape::fixed:
    case Shape::utf32:
    case Shape::refs:
        if (!field.is_text()) refuse("");
        if (field.kind == Kind::bytes && type.kind == Kind::text) refuse("; encode them first");
        return;
    default:
        refuse(type.shape == Shape::unknown ? "; cast them first, to a type that the field takes" : "");
    }
}

Cells cast(const Raw& raw, const Field& field, const Place& place) { return Caster(raw, field, place).run(); }

} // namespace slotwise_python
