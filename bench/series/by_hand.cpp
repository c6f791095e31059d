// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <unordered_map>
#include <unordered_set>

namespace {

using namespace bench;
using namespace bench::series;

class Dict {
public:
    static constexpr bool reads = true;

    explicit Dict(std::size_t n) {
        map_.reserve(n);
        for (std::size_t i = 0; i != n; ++i) map_.emplace(key_of(i), 0.0);
    }
    [[nodiscard]] static Key name_of(std::uint32_t number) { return key_of(number); }
    void open(std::int64_t) { modified_.clear(); }
    void write(std::uint32_t number, double value) {
        map_.insert_or_assign(key_of(number), value);
        modified_.insert(key_of(number));
    }
    static void close() {}
    [[nodiscard]] std::uint64_t read() const {
        std::uint64_t sum = 0;
        for (const Key key : modified_) sum = seen(sum, key);
        return sum;
    }

private:
    std::unordered_map<Key, double> map_;
    std::unordered_set<Key> modified_;
};

const Registered registered([] { add_windows<Dict>("write", "by_hand", Role::rival); });

} // namespace
