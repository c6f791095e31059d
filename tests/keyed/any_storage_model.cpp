// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Random histories of described maps against a std::map of numbers.
#include "keys.hpp"
#include "scene.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <deque>
#include <map>

using namespace test;

namespace {

template <class T>
const TypeDescriptor& described() {
    return TypeDescriptor::of<T, HashOf<T>>();
}
template <class T>
int number_at_address(const void* at) {
    return number_of_key(*static_cast<const T*>(at));
}

/// A described map from Key to T, and a std::map of the numbers they are made of.
template <class Key, class T, KeySetOptions O>
class Model {
    using Map = BasicAnyMapStorage<O, StatefulAllocator<std::byte>>;
    using handle_type = typename Map::handle_type;
    struct Element {
        int value;
        handle_type handle;
        const void* key;
        const void* place;
    };
    struct Gone {
        int number, value;
        const void* key;
    };

public:
    explicit Model(std::uint64_t seed) : random_(seed) {}

    void step() {
        const int number = static_cast<int>(random_.below(150));
        const Key key = make_key<Key>(number);
        const auto dice = random_.below(1000);
        if (dice < 350)
            insert(number, key, false);
        else if (dice < 450)
            insert(number, key, true);
        else if (dice < 520)
            insert_default(number, key);
        else if (dice < 650)
            erase(number, key);
        else if (dice < 750)
            erase_by_handle();
        else if (dice < 800)
            erase_by_own_address(key, number);
        else if (dice < 860)
            flush();
        else if (dice < 880)
            erase_while_visiting();
        else if (dice < 900)
            map_.reserve(map_.size() + random_.below(200));
        else if (dice < 940)
            map_.shrink_to_fit();
        else if (dice < 950)
            clear();
        else if (dice < 955) {
            map_.reset();
            all_gone();
            pending_.clear();
        } else
            replace(dice);
        check();
    }

private:
    void forget(int number) {
        const Element& element = live_.at(number);
        stale_.push_back(element.handle);
        if (O.deferred_erase) pending_.push_back({number, element.value, element.key});
        live_.erase(number);
    }
    void all_gone() {
        while (!live_.empty()) forget(live_.begin()->first);
    }
    void remember(int number, int value, InsertResult result) {
        REQUIRE(result.inserted);
        const auto again =
            std::find_if(pending_.begin(), pending_.end(), [&](const Gone& gone) { return gone.number == number; });
        REQUIRE((result.kind == InsertKind::resurrected) == (again != pending_.end()));
        if (again != pending_.end()) {
            REQUIRE(map_.key(result.slot) == again->key);
            pending_.erase(again);
        }
        live_[number] = {value, map_.handle_at(result.slot), map_.key(result.slot), map_.value(result.slot)};
    }
    void insert(int number, const Key& key, bool assign) {
        const int value = next_value_++;
        const T made = make_key<T>(value);
        const auto result = assign ? map_.insert_or_assign(&key, &made) : map_.insert(&key, &made);
        const auto at = live_.find(number);
        if (at == live_.end()) return remember(number, value, result);
        REQUIRE_FALSE(result.inserted);
        REQUIRE(result.slot == at->second.handle.index());
        if (assign) at->second.value = value;
    }
    void insert_default(int number, const Key& key) {
        if constexpr (std::is_same_v<T, std::string>)
            insert(number, key, false);
        else {
            const auto result = map_.insert(&key, nullptr);
            if (result.inserted)
                remember(number, 0, result);
            else
                REQUIRE(live_.contains(number));
        }
    }
    void erase(int number, const Key& key) {
        REQUIRE(map_.erase(&key) == live_.contains(number));
        if (live_.contains(number)) forget(number);
    }
    void erase_by_handle() {
        if (random_.chance(30) && !stale_.empty())
            REQUIRE_FALSE(map_.erase(stale_[random_.below(stale_.size())]));
        else if (!live_.empty()) {
            const auto at = std::next(live_.begin(), random_.below(live_.size()));
            REQUIRE(map_.erase(at->second.handle));
            forget(at->first);
        }
    }
    void erase_by_own_address(const Key& key, int number) {
        if (!live_.contains(number)) return;
        REQUIRE(map_.erase(map_.key(map_.slot_of(&key))));
        forget(number);
    }
    void erase_while_visiting() {
        std::vector<int> erased;
        map_.for_each([&](const void* key, const void*) {
            if (!random_.chance(20)) return;
            erased.push_back(number_at_address<Key>(key));
            map_.erase(key);
        });
        for (const int number : erased) forget(number);
    }
    void flush() {
        map_.flush_removed();
        pending_.clear();
    }
    void clear() {
        // In slot order, which is the order in which they wait.
        std::vector<int> order;
        map_.for_each([&](const void* key, const void*) { order.push_back(number_at_address<Key>(key)); });
        map_.clear();
        for (const int number : order) forget(number);
    }
    void replace(unsigned dice) {
        Map other(described<Key>(), described<T>(), StatefulAllocator<std::byte>(static_cast<int>(1 + dice % 3)));
        if (dice < 965) {
            Map copy(map_);
            REQUIRE(copy == map_);
            map_.swap(copy); // unequal allocators
        } else if (dice < 975) {
            Map moved(std::move(map_));
            REQUIRE(map_.empty());
            map_ = std::move(moved);
        } else if (dice < 985)
            other = map_, swap(map_, other);
        else {
            Map moved(std::move(map_), other.get_allocator());
            REQUIRE(map_.check_invariants());
            map_ = std::as_const(moved);
        }
        for (auto& [number, element] : live_) { // elsewhere now
            element.key = map_.key(element.handle);
            element.place = map_.get(element.handle);
        }
        for (auto& gone : pending_) {
            const Key key = make_key<Key>(gone.number);
            gone.key = map_.key(map_.slot_of_any(&key));
        }
    }
    void check() {
        REQUIRE(map_.check_invariants());
        REQUIRE(map_.size() == live_.size());
        REQUIRE(map_.pending() == pending_.size());
        for (const auto& [number, element] : live_) {
            REQUIRE(map_.get(element.handle) == element.place);
            REQUIRE(map_.key(element.handle) == element.key);
            REQUIRE(number_at_address<Key>(element.key) == number);
            REQUIRE(number_at_address<T>(element.place) == element.value);
            const Key key = make_key<Key>(number);
            REQUIRE(map_.slot_of(&key) == element.handle.index());
        }
        std::size_t i = 0;
        map_.for_each_pending([&](slot_t slot) {
            REQUIRE(map_.key(slot) == pending_[i].key);
            REQUIRE(number_at_address<Key>(map_.key(slot)) == pending_[i].number);
            REQUIRE(number_at_address<T>(map_.value(slot)) == pending_[i].value);
            ++i;
        });
        for (const auto handle : stale_)
            if (map_.contains(handle)) FAIL("a stale handle resolves");
    }

    Random random_;
    Map map_{described<Key>(), described<T>(), StatefulAllocator<std::byte>(1)};
    std::map<int, Element> live_{};
    std::deque<Gone> pending_{};
    std::vector<handle_type> stale_{};
    int next_value_ = 1000;
};

template <class Key, class T>
struct Of {
    using key = Key;
    using value = T;
};

} // namespace

TEMPLATE_TEST_CASE("random histories of described maps agree with std::map", "[any_storage]",
                   (Of<std::string, OverAligned<64>>), (Of<int, std::string>), (Of<OverAligned<128>, Tracked>)) {
    using Key = typename TestType::key;
    using T = typename TestType::value;
    for (std::uint64_t seed = 0; seed != 3; ++seed) {
        NothingLeaks objects;
        EveryByteReturned bytes;
        CAPTURE(seed);
        Model<Key, T, KeySetOptions{}> plain(seed);
        Model<Key, T, KeySetOptions{.deferred_erase = true, .reuse = Reuse::fifo}> deferring(seed + 100);
        for (int step = 0; step != 400; ++step) {
            CAPTURE(step);
            plain.step();
            deferring.step();
        }
    }
}
