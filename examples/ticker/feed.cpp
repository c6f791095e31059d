// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "feed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace ticker {
namespace {

constexpr std::int64_t day = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t largest_size = 1'000'000'000;
constexpr double highest_price = 1e9;
constexpr std::size_t longest_name = 12;

/// The number that is all of `field`; std::from_chars knows no locale, no leading blanks and no plus.
template <class Number, class... Format>
std::optional<Number> number(std::string_view field, Format... format) {
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, format...);
    if (error != std::errc{} || end != field.data() + field.size()) return std::nullopt;
    return value;
}

std::optional<double> decimal(std::string_view field) {
#if defined(__cpp_lib_to_chars)
    return number<double>(field, std::chars_format::fixed); // which takes "nan" and "inf" for numbers
#else                                                       // libc++ before 20 has no std::from_chars for double
    if (field.find_first_not_of("0123456789.-") != field.npos) return std::nullopt;
    std::istringstream in{std::string(field)};
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    return in && in.eof() ? std::optional(value) : std::nullopt;
#endif
}

} // namespace

std::optional<Event> parse(std::string_view line, std::string& why) {
    const auto refuse = [&](std::string reason) {
        why = std::move(reason);
        return std::nullopt;
    };
    if (line.empty()) return refuse("empty line");
    std::array<std::string_view, 5> fields;
    const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (commas + 1 != fields.size())
        return refuse(std::to_string(commas + 1) + (commas == 0 ? " field" : " fields") + ", not 5");
    for (std::string_view& field : fields) {
        field = line.substr(0, line.find(','));
        line.remove_prefix(std::min(line.size(), field.size() + 1));
    }
    const auto [time, event, name, price, size] = fields;
    const auto refuse_number = [&](const char* what, std::string_view field, const char* wanted) {
        return refuse(std::string(what) + (field.empty() ? " is missing" : ' ' + quoted(field) + " is no " + wanted));
    };

    const auto ms = number<std::int64_t>(time);
    if (!ms || *ms < 0 || *ms >= day) return refuse_number("time", time, "millisecond of a day");
    const auto kind = std::find(kind_names.begin(), kind_names.end(), event);
    if (kind == kind_names.end()) return refuse("unknown event " + quoted(event));
    if (name.size() > longest_name)
        return refuse("instrument " + quoted(name) + " has " + std::to_string(name.size()) + " characters, more than " +
                      std::to_string(longest_name));
    if (name.empty()) return refuse("instrument is missing");
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.") != std::string_view::npos)
        return refuse("instrument " + quoted(name) + " is not made of A-Z, 0-9 and '.'");
    Event result{*ms, static_cast<Kind>(kind - kind_names.begin()), name};

    const bool has_price =
        result.kind == Kind::quote || result.kind == Kind::trade || (result.kind == Kind::list && !price.empty());
    if (has_price) {
        const auto value = decimal(price);
        if (!value || !(*value > 0 && *value <= highest_price)) return refuse_number("price", price, "number above 0");
        result.price = *value;
    } else if (!price.empty())
        return refuse("a " + std::string(event) + " has no price, but here is " + quoted(price));
    if (result.kind == Kind::trade) {
        const auto value = number<std::int64_t>(size);
        if (!value || *value <= 0 || *value > largest_size) return refuse_number("size", size, "whole number above 0");
        result.size = *value;
    } else if (!size.empty())
        return refuse("a " + std::string(event) + " has no size, but here is " + quoted(size));
    return result;
}

std::string quoted(std::string_view bytes, std::size_t most) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "'";
    for (const char c : bytes.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7F)
            out += c;
        else
            out += {'\\', 'x', hex[byte >> 4U], hex[byte & 15U]};
    }
    return out + (bytes.size() > most ? "...'" : "'");
}

std::string clock(std::int64_t time) {
    const auto padded = [](std::int64_t number, std::size_t width) {
        const std::string text = std::to_string(number);
        return std::string(width - std::min(width, text.size()), '0') + text;
    };
    return padded(time / 3'600'000, 2) + ':' + padded(time / 60'000 % 60, 2) + ':' + padded(time / 1000 % 60, 2) + '.' +
           padded(time % 1000, 3);
}

std::string digits(double number) {
    std::array<char, 400> text; // in this format the widest double has 309 digits, or 324 places
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    return {text.data(), error == std::errc{} ? end : text.data()};
}

} // namespace ticker
