// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "containers.hpp"

#include <memory>

namespace {

using namespace bench;
using namespace bench::arrow;

auto numbers_of(Numbers map) {
    return [map = std::make_shared<const Numbers>(std::move(map))](auto&& visit) {
        std::vector<double> values;
        values.reserve(map->size());
        for (const double value : *map) values.push_back(value);
        Batch batch(values.size(), 1);
        batch.set(0, values.data());
        visit(batch.get());
    };
}
auto map_of(std::size_t n) {
    return [map = std::make_shared<const Map>(keys_and_numbers(n))](auto&& visit) {
        std::vector<Key> keys;
        std::vector<double> values;
        keys.reserve(map->size());
        values.reserve(map->size());
        for (const auto& [key, value] : map->items()) {
            keys.push_back(key);
            values.push_back(value);
        }
        Batch batch(keys.size(), 2);
        batch.set(0, keys.data());
        batch.set(1, values.data());
        visit(batch.get());
    };
}
auto rows_of(std::size_t n) {
    return [table = std::make_shared<const Rows>(rows(n))](auto&& visit) {
        std::vector<double> a;
        std::vector<float> b;
        std::vector<std::int64_t> c;
        std::vector<std::int32_t> d;
        a.reserve(table->size());
        b.reserve(table->size());
        c.reserve(table->size());
        d.reserve(table->size());
        for (const auto& [first, second, third, fourth] : *table) {
            a.push_back(first);
            b.push_back(second);
            c.push_back(third);
            d.push_back(fourth);
        }
        Batch batch(a.size(), 4);
        batch.set(0, a.data());
        batch.set(1, b.data());
        batch.set(2, c.data());
        batch.set(3, d.data());
        visit(batch.get());
    };
}
auto texts_of(std::size_t n) {
    return [map = std::make_shared<const Texts>(texts(n))](auto&& visit) {
        std::vector<std::int32_t> offsets{0};
        offsets.reserve(map->size() + 1);
        std::string characters;
        for (const std::string& text : *map) {
            characters += text;
            offsets.push_back(static_cast<std::int32_t>(characters.size()));
        }
        Batch batch(map->size(), 1);
        batch.set(0, offsets.data(), characters.data());
        visit(batch.get());
    };
}
auto slots_of(std::size_t n) {
    return [holes = std::make_shared<const std::pair<Numbers, std::vector<Numbers::handle_type>>>(numbers_with_holes(n))](
               auto&& visit) {
        const auto& [map, handles] = *holes;
        std::vector<double> values(handles.size());
        std::vector<unsigned char> validity((handles.size() + 7) / 8);
        for (std::size_t i = 0; i != handles.size(); ++i)
            if (const double* const value = map.get(handles[i])) {
                values[i] = *value;
                validity[i / 8] = static_cast<unsigned char>(validity[i / 8] | 1u << i % 8);
            }
        Batch batch(values.size(), 1);
        batch.set(0, values.data(), nullptr, validity.data());
        visit(batch.get());
    };
}

class Inserted {
public:
    Inserted(std::vector<Key> keys, std::vector<double> values) : keys_(std::move(keys)), values_(std::move(values)) {}
    void clear() { map_ = Map(); }
    SLOTWISE_BENCH_LOOP void fill() {
        map_.reserve(keys_.size());
        for (std::size_t i = 0; i != keys_.size(); ++i) map_.insert_or_assign(keys_[i], values_[i]);
    }
    [[nodiscard]] std::uint64_t sum() const { return sum_of(map_); }

private:
    std::vector<Key> keys_;
    std::vector<double> values_;
    Map map_;
};

struct Captured : Replica {
    using Replica::Replica;
    SLOTWISE_BENCH_LOOP void run(const std::uint32_t*, std::int64_t time) {
        std::vector<Key> keys;
        std::vector<double> values;
        for (const auto& [key, value] : original.modified_items(time)) {
            keys.push_back(key);
            values.push_back(value);
        }
        auto writer = replica.write(time);
        for (std::size_t i = 0; i != keys.size(); ++i) writer.set(keys[i], values[i]);
    }
};

const Registered registered([] {
    const auto full = [](std::size_t n) { return numbers_of(numbers(n)); };
    for (const bool share : {true, false}) {
        add_export(share ? shared_slot_map : copy_slot_map, "loop", Role::rival, full);
        add_export(share ? shared_map : copy_map, "loop", Role::rival, map_of);
        add_export(share ? shared_soa : copy_soa, "loop", Role::rival, rows_of);
    }
    add_export(copy_text, "loop", Role::rival, texts_of);
    add_export(holes_live, "loop", Role::rival, [](std::size_t n) { return numbers_of(numbers_with_holes(n).first); });
    add_export(holes_slots, "loop", Role::rival, slots_of);
    add_import<Inserted>("loop", Role::rival);
    add_delta<Captured>("loop", Role::rival);
});

} // namespace
