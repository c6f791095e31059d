// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "market.hpp"

#include "feed.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>

namespace ticker {

namespace {

std::string text_of(const std::string& name, const Quote& quote) {
    std::string text = name;
    if (quote.price > 0) text += '=' + digits(quote.price);
    if (quote.volume > 0) text += ':' + std::to_string(quote.volume);
    return text;
}

} // namespace

bool Market::same_as(const Market& other) const {
    const auto& keys = instruments.as_set();
    return instruments == other.instruments && active == other.active &&
           std::all_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return instruments.valid(key) == other.instruments.valid(key); });
}

std::string text_of(TSDView<std::string, Quote> instruments, TSSView<std::string> active, Time time) {
    std::string text;
    for (const std::string& key : instruments.added_keys(time)) text += " +" + text_of(key, instruments.at(key));
    const auto removed = instruments.removed_keys(time);
    // Whoever was removed is still there to be read.
    for (auto it = removed.begin(); it != removed.end(); ++it) text += " -" + text_of(*it, instruments.value(it.slot()));
    for (const std::string& key : instruments.reset_keys(time)) text += " ~" + key;
    for (const auto [key, quote] : instruments.modified_items(time))
        if (!instruments.was_added(key, time)) text += ' ' + text_of(key, quote);
    std::string turned;
    for (const std::string& key : active.added(time)) turned += " +" + key;
    for (const std::string& key : active.removed(time)) turned += " -" + key;
    if (!turned.empty()) text += " [" + turned.substr(1) + ']';
    return clock(time) + ' ' + (text.empty() ? " (no net change)" : text);
}

void print(const Market& market) {
    const auto& [instruments, active] = market;
    std::cout << "  instrument        price    volume  last changed\n";
    for (const auto [key, quote] : instruments) {
        std::cout << "  " << std::left << std::setw(12) << key << std::right << std::setw(11)
                  << (instruments.valid(key) ? digits(quote.price) : "-") << std::setw(10) << quote.volume << std::setw(14)
                  << (instruments.valid(key) ? clock(instruments.last_modified(key)) : "-")
                  << (active.contains(key) ? "\n" : "  halted\n");
    }
}

} // namespace ticker
