// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "containers.hpp"

#include <memory>
#include <tuple>

namespace {

using namespace bench;
using namespace bench::arrow;

template <class T, class F>
std::vector<T> array_of(std::size_t n, F&& f) {
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i != n; ++i) values.push_back(static_cast<T>(f(i)));
    return values;
}

std::unique_ptr<std::byte[]> copied(const void* data, std::size_t bytes) {
    std::unique_ptr<std::byte[]> copy(new std::byte[bytes]);
    std::memcpy(copy.get(), data, bytes);
    return copy;
}

// Arrays of one length; `texts` are those of the first, if it has offsets.
template <class... Ts>
auto give(bool share, std::size_t rows, std::vector<Ts>... arrays) {
    return [=](auto&& visit) {
        Batch batch(rows, sizeof...(Ts));
        std::unique_ptr<std::byte[]> copies[sizeof...(Ts)];
        std::size_t column = 0;
        const auto one = [&](const auto& array) {
            if (!share) copies[column] = copied(array.data(), array.size() * sizeof(array[0]));
            batch.set(column, share ? static_cast<const void*>(array.data()) : copies[column].get());
            ++column;
        };
        (one(arrays), ...);
        visit(batch.get());
    };
}

auto rows_of(bool share) {
    return [share](std::size_t n) {
        return give(share, n, array_of<double>(n, number_of), array_of<float>(n, [](std::size_t i) { return i % 1000; }),
                    array_of<std::int64_t>(n, [](std::size_t i) { return i; }),
                    array_of<std::int32_t>(n, [](std::size_t i) { return i % 77; }));
    };
}
auto numbers_of(bool share) {
    return [share](std::size_t n) { return give(share, n, array_of<double>(n, number_of)); };
}
auto map_of(bool share) {
    return [share](std::size_t n) { return give(share, n, array_of<Key>(n, key_of), array_of<double>(n, number_of)); };
}

auto texts_of(std::size_t n) {
    std::vector<std::int32_t> offsets{0};
    std::vector<char> characters;
    for (std::size_t i = 0; i != n; ++i) {
        for (const char each : text_of(i)) characters.push_back(each);
        offsets.push_back(static_cast<std::int32_t>(characters.size()));
    }
    return [=](auto&& visit) {
        const auto ends = copied(offsets.data(), offsets.size() * sizeof(std::int32_t)),
                   copy = copied(characters.data(), characters.size());
        Batch batch(n, 1);
        batch.set(0, ends.get(), copy.get());
        visit(batch.get());
    };
}
auto holes_live_of(std::size_t n) {
    std::vector<double> live;
    for (std::size_t i = 0; i != n; ++i)
        if (!is_hole(i)) live.push_back(number_of(i));
    const std::size_t rows = live.size();
    return give(false, rows, std::move(live));
}
auto holes_slots_of(std::size_t n) {
    std::vector<unsigned char> validity((n + 7) / 8);
    for (std::size_t i = 0; i != n; ++i) validity[i / 8] = static_cast<unsigned char>(validity[i / 8] | (!is_hole(i) << i % 8));
    return [validity, values = array_of<double>(n, number_of)](auto&& visit) {
        const auto bits = copied(validity.data(), validity.size());
        Batch batch(values.size(), 1);
        batch.set(0, values.data(), nullptr, bits.get());
        visit(batch.get());
    };
}

class Writes {
public:
    explicit Writes(std::size_t n) { fill(series_, n); }
    void prepare(const std::uint32_t*, std::int64_t) {}
    SLOTWISE_BENCH_LOOP void run(const std::uint32_t* changed, std::int64_t time) { write(series_, changed, changes, time); }
    [[nodiscard]] std::uint64_t sum() const { return sum_of(series_); }

private:
    Series series_;
};

const Registered registered([] {
    add_export(shared_slot_map, "memcpy", Role::limit, numbers_of(true));
    add_export(shared_map, "memcpy", Role::limit, map_of(true));
    add_export(shared_soa, "memcpy", Role::limit, rows_of(true));
    add_export(copy_slot_map, "memcpy", Role::limit, numbers_of(false));
    add_export(copy_map, "memcpy", Role::limit, map_of(false));
    add_export(copy_soa, "memcpy", Role::limit, rows_of(false));
    add_export(copy_text, "memcpy", Role::limit, texts_of);
    add_export(holes_live, "memcpy", Role::limit, holes_live_of);
    add_export(holes_slots, "memcpy", Role::limit, holes_slots_of);
    add_delta<Writes>("original_writes", Role::limit);
});

} // namespace
