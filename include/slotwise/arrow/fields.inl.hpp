// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of fields.hpp.
#ifndef SLOTWISE_ARROW_FIELDS_INL_HPP
#define SLOTWISE_ARROW_FIELDS_INL_HPP

#include "fields.hpp"

SLOTWISE_BEGIN

SLOTWISE_INLINE std::string encode_metadata(const ArrowPairs& pairs) {
    std::string out;
    if (pairs.empty()) return out;
    detail::append_size(out, pairs.size());
    for (const auto& [key, value] : pairs) {
        detail::append_size(out, key.size());
        out += key;
        detail::append_size(out, value.size());
        out += value;
    }
    return out;
}

namespace detail {

SLOTWISE_INLINE bool read_metadata(const char* metadata, ArrowPairs& pairs) {
    if (metadata == nullptr) return true;
    const auto length = [&] {
        std::int32_t value = 0;
        std::memcpy(&value, metadata, sizeof value);
        metadata += sizeof value;
        return value;
    };
    const auto text = [&](std::string& to) {
        const std::int32_t size = length();
        if (size < 0) return false;
        to.assign(metadata, static_cast<std::size_t>(size));
        metadata += size;
        return true;
    };
    std::int32_t left = length();
    for (; left > 0; --left) {
        auto& [key, value] = pairs.emplace_back();
        if (!text(key) || !text(value)) break;
    }
    return left == 0;
}

} // namespace detail

SLOTWISE_INLINE const std::string* find_metadata(const ArrowPairs& found, std::string_view key) noexcept {
    for (const auto& [name, value] : found)
        if (name == key) return &value;
    return nullptr;
}

SLOTWISE_END

#endif
