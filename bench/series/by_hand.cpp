// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <functional>
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
    void open(std::int64_t) {
        modified_.clear();
        added_.clear();
        removed_.clear();
    }
    void write(std::uint32_t number, double value) {
        if (map_.insert_or_assign(key_of(number), value).second && removed_.erase(key_of(number)) == 0)
            added_.insert(key_of(number));
        modified_.insert(key_of(number));
    }
    void remove(std::uint32_t number) {
        if (map_.erase(key_of(number)) != 0 && added_.erase(key_of(number)) == 0) removed_.insert(key_of(number));
        modified_.erase(key_of(number));
    }
    static void close() {}
    [[nodiscard]] std::uint64_t read() const {
        std::uint64_t sum = 0;
        for (const Key key : modified_) sum = seen(sum, key);
        return sum;
    }
    [[nodiscard]] std::uint64_t came_and_went() const { return added_.size() + removed_.size(); }

    using Delta = std::vector<std::pair<Key, double>>;
    [[nodiscard]] static std::size_t changes_in(const Delta& delta) { return delta.size(); }
    [[nodiscard]] Delta take() const {
        Delta delta;
        delta.reserve(modified_.size());
        for (const Key key : modified_) delta.emplace_back(key, map_.find(key)->second);
        return delta;
    }
    void put(const Delta& delta, std::int64_t time) {
        open(time);
        for (const auto& [key, value] : delta) {
            map_.insert_or_assign(key, value);
            modified_.insert(key);
        }
    }
    [[nodiscard]] double sum() const {
        double sum = 0;
        for (const auto& [key, value] : map_) sum += value;
        return sum;
    }

protected:
    std::unordered_map<Key, double> map_;
    std::unordered_set<Key> added_, removed_, modified_;
};

class WithSubscribers : public Dict {
public:
    using Dict::Dict;
    void subscribe(std::uint32_t number) {
        subscribers_[key_of(number)].push_back([this] { ++told_; });
    }
    void close() {
        if (!subscribers_.empty())
            for (const Key key : modified_)
                if (const auto found = subscribers_.find(key); found != subscribers_.end())
                    for (const auto& subscriber : found->second) subscriber();
    }
    [[nodiscard]] std::uint64_t told() const { return told_; }

private:
    std::unordered_map<Key, std::vector<std::function<void()>>> subscribers_;
    std::uint64_t told_ = 0;
};

const Registered registered([] {
    add_windows<Dict>("write", "by_hand", Role::rival);
    add_windows<Dict>("again", "by_hand", Role::rival);
    add_sets<Dict>("by_hand", Role::rival);
    add_churn<Dict>("by_hand", Role::rival);
    add_flow<Dict>("by_hand", Role::rival);
    add_fan_out<WithSubscribers>("by_hand", Role::rival);
});

} // namespace
