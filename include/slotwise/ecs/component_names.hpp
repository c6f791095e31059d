// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Names of C++ types, as compilers write them.
#ifndef SLOTWISE_ECS_COMPONENT_NAMES_HPP
#define SLOTWISE_ECS_COMPONENT_NAMES_HPP

#include "../config/abi.hpp"

#include <string_view>

SLOTWISE_BEGIN
namespace detail {

/// A text in which the compiler writes T's name.
template <class T>
constexpr auto text_with_name() noexcept { // auto: the type would be part of the text
#if defined(_MSC_VER) && !defined(__clang__)
    return std::string_view(__FUNCSIG__);
#else
    return std::string_view(__PRETTY_FUNCTION__);
#endif
}

/// The name of T: "game::Position". Where it stands in the text is the same for all types, and double is found there.
template <class T>
constexpr std::string_view type_name() noexcept {
    constexpr std::string_view probe = text_with_name<double>();
    constexpr std::size_t before = probe.rfind("double"), behind = probe.size() - before - 6;
    std::string_view name = text_with_name<T>();
    name = name.substr(before, name.size() - before - behind);
    for (const std::string_view word : {std::string_view("struct "), std::string_view("class "), std::string_view("enum "),
                                        std::string_view("union ")}) // what MSVC writes in front
        if (name.substr(0, word.size()) == word) name.remove_prefix(word.size());
    return name;
}

} // namespace detail
SLOTWISE_END

#endif
