// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Reserved handles of every container that makes handles: random histories of erase_reserved, extract_reserved, fulfill and
// cancel, with everything else between them, against a model of names.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/maps.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace {
using namespace test::every;
using test::Random;

/// Of the ints that described containers hold.
const AnyCodec& ints() {
    static const AnyCodec codec = [] {
        AnyCodec made;
        made.add<int>();
        return made;
    }();
    return codec;
}

template <class Entry, class Verbs>
inline constexpr bool is = std::is_base_of_v<Verbs, Entry>;
template <class Entry>
inline constexpr bool is_described_slot_map = is<Entry, DescribedSlotMapVerbs>;

/// Brings a reserved element back, which is made of n as Entry::insert() makes it.
template <class Entry, class C, class Name>
bool put_back(C& c, Name name, int n) {
    if constexpr (is<Entry, PoolVerbs>)
        return c.fulfill(name);
    else if constexpr (is_described_slot_map<Entry>)
        return c.fulfill(name, AnyValue::of(n)) != nullptr;
    else if constexpr (is<Entry, DescribedVerbs>) {
        if constexpr (requires { c.value_type(); })
            return c.fulfill(name, &n, &n) != nullptr;
        else
            return c.fulfill(name, &n) != nullptr;
    } else if constexpr (is<Entry, KeyedVerbs>) {
        if constexpr (requires { c.fulfill(name, n, n); })
            return c.fulfill(name, n, n) != nullptr;
        else
            return c.fulfill(name, n) != nullptr;
    } else if constexpr (is<Entry, EntityVerbs>) {
        if (!c.fulfill(name)) return false;
        *c.location(name) = n;
        return true;
    } else if constexpr (is<Entry, StoreVerbs>)
        return c.fulfill(name, n);
    else if constexpr (is<Entry, DataflowVerbs>)
        return c.fulfill(name, n, 2, 1);
    else if constexpr (test::is_soa<C>)
        return static_cast<bool>(c.fulfill(name, n, n));
    else
        return static_cast<bool>(c.fulfill(name, n));
}
/// What the element was made of; `otherwise` where there are no elements.
template <class Entry, class C, class Name>
int number(const C& c, Name name, [[maybe_unused]] int otherwise) {
    if constexpr (is<Entry, PoolVerbs>)
        return otherwise;
    else if constexpr (is<Entry, DescribedVerbs>) {
        if constexpr (requires { c.get(name); })
            return *static_cast<const int*>(c.get(name));
        else
            return *static_cast<const int*>(c.key(name));
    } else if constexpr (is<Entry, KeyedVerbs>)
        return *c.key(name);
    else if constexpr (is<Entry, EntityVerbs>)
        return *c.location(name);
    else if constexpr (is<Entry, StoreVerbs>)
        return c.template at<int>(name);
    else if constexpr (is<Entry, DataflowVerbs>)
        return c.at(name);
    else
        return test::number_of(c, name);
}
/// Takes the element out by extract_reserved(), and says what it was made of; -1: there was none.
template <class Entry, class C, class Name>
int taken(C& c, Name name) {
    const auto first = [](const DescribedValue& value) { return value.has_value() ? value.template as<int>() : -1; };
    auto old = c.extract_reserved(name);
    if constexpr (is<Entry, DescribedVerbs>) {
        if constexpr (requires { old.has_value() && old->first.data(); })
            return old ? first(old->first) : -1;
        else
            return first(old);
    } else if constexpr (is<Entry, StoreVerbs>) {
        if (!old) return -1;
        int n = -1;
        old->for_each_component([&](ComponentId id, const void* value) {
            if (id == c.registry().template id<int>()) n = *static_cast<const int*>(value);
        });
        return n;
    } else if constexpr (requires { old->first; })
        return old ? old->first : -1;
    else if constexpr (test::is_soa<C>)
        return old ? std::get<0>(*old) : -1;
    else
        return old ? *old : -1;
}

template <class C>
consteval bool handles_return() {
    if constexpr (requires { C::options.exhaustion; })
        return C::options.exhaustion == Exhaustion::wrap;
    else
        return false;
}

/// Slots that are live, as notifications say.
struct Mirror final : SlotObserver {
    std::set<slot_t> live{};
    bool sound = true;
    void on_insert(slot_t slot, InsertKind) override { sound = live.insert(slot).second && sound; }
    void on_remove(slot_t slot) noexcept override { sound = live.erase(slot) == 1 && sound; }
    void on_clear(Occupancy cleared) noexcept override {
        cleared.for_each([this](slot_t slot) { live.erase(slot); });
    }
    void on_reset() noexcept override { live.clear(); }
};

template <class Entry, class C>
class Histories {
    using Name = decltype(Entry::insert(std::declval<C&>(), 0));

public:
    explicit Histories(std::uint64_t seed) : random_(seed) {}
    void run(int steps) {
        Mirror mirror;
        for (int i = 0; i != steps; ++i) {
            if constexpr (std::is_base_of_v<PoolVerbs, Entry> || Entry::names_slots) {
                const auto token = c_.attach(mirror); // replayed each time: the container may have been replaced
                step();
                if (!replaced_) { // else it has gone with other contents
                    REQUIRE((mirror.sound && mirror.live.size() == c_.size()));
                    for (const auto& [name, n] : live_) REQUIRE(mirror.live.count(name.index()) == 1);
                }
                mirror.live.clear(), mirror.sound = true;
            } else
                step();
            check();
        }
    }
    std::size_t brought_back = 0, cancelled = 0, refused = 0;

private:
    void step() {
        const auto dice = random_.below(100);
        replaced_ = dice >= 93 && dice < 99;
        if (live_.empty() || (dice < 30 && live_.size() < 40))
            insert();
        else if (dice < 40) {
            const auto at = some(live_);
            REQUIRE(Entry::erase(c_, at->first));
            gone(at->first);
            live_.erase(at);
        } else if (dice < 60) {
            const auto at = some(live_);
            if constexpr (requires { c_.extract_reserved(at->first); }) {
                if (dice < 50)
                    REQUIRE(c_.erase_reserved(at->first));
                else
                    REQUIRE(taken<Entry>(c_, at->first) == at->second);
            } else
                REQUIRE(c_.erase_reserved(at->first));
            REQUIRE_FALSE(c_.erase_reserved(at->first)); // it does not live any more
            away_.insert(*at);
            live_.erase(at);
        } else if (dice < 80) {
            if (away_.empty()) return;
            const auto at = some(away_);
            REQUIRE(put_back<Entry>(c_, at->first, at->second));
            REQUIRE_FALSE(put_back<Entry>(c_, at->first, next_++));
            ++brought_back;
            live_.insert(*at);
            away_.erase(at);
        } else if (dice < 86) {
            if (away_.empty()) return;
            const auto at = some(away_);
            REQUIRE(c_.cancel(at->first));
            REQUIRE_FALSE(c_.cancel(at->first));
            REQUIRE_FALSE(put_back<Entry>(c_, at->first, at->second));
            ++cancelled;
            gone(at->first);
            away_.erase(at);
        } else if (dice < 90) {
            if (gone_.empty()) return;
            const Name name = *std::next(gone_.begin(), random_.below(gone_.size()));
            REQUIRE_FALSE(c_.erase_reserved(name));
            REQUIRE_FALSE(c_.cancel(name));
            REQUIRE_FALSE(put_back<Entry>(c_, name, next_++));
            ++refused;
        } else if (dice < 93) {
            c_.shrink_to_fit();
        } else if (dice < 95) {
            if constexpr (std::is_copy_constructible_v<C>) {
                C copy(c_);
                c_ = copy;
            }
        } else if (dice < 97) {
            C other = made<C>();
            if (dice == 95)
                other.swap(c_), c_.swap(other);
            else
                other = std::move(c_), c_ = std::move(other);
        } else if (dice < 99)
            through_bytes();
        else if (random_.chance(30)) {
            Entry::clear(c_);
            for (const auto* all : {&live_, &away_})
                for (const auto& [name, n] : *all) gone(name);
            live_.clear(), away_.clear();
        } else if constexpr (requires { c_.flush_removed(); })
            c_.flush_removed();
    }
    void insert() {
        if constexpr (requires { c_.full(); })
            if (c_.full()) return;
        const int n = next_++;
        const Name name = Entry::insert(c_, n);
        REQUIRE(!live_.contains(name));
        REQUIRE(!away_.contains(name)); // nobody else gets it
        for (const auto& [other, of] : away_) REQUIRE(other.index() != name.index());
        if (!handles_return<C>()) REQUIRE(!gone_.contains(name));
        live_.emplace(name, n);
    }
    void through_bytes() {
        C other = made<C>();
        if constexpr (requires { c_.snapshot(); }) {
            const auto bytes = c_.snapshot();
            other.restore(bytes);
            REQUIRE(other.snapshot() == bytes);
        } else {
            const auto bytes = c_.snapshot(ints());
            other.restore(bytes, ints());
            REQUIRE(other.snapshot(ints()) == bytes);
        }
        c_ = std::move(other);
    }
    void gone(Name name) {
        if (!handles_return<C>()) gone_.insert(name);
    }
    template <class All>
    auto some(All& all) {
        return std::next(all.begin(), random_.below(all.size()));
    }
    void check() const {
        bool right = c_.check_invariants() && c_.size() == live_.size();
        for (const auto& [name, n] : live_)
            right =
                right && Entry::contains(c_, name) && c_.explain(name) == HandleStatus::live && number<Entry>(c_, name, n) == n;
        for (const auto& [name, n] : away_)
            right = right && !Entry::contains(c_, name) && c_.explain(name) == HandleStatus::reserved;
        for (const Name name : gone_) right = right && !Entry::contains(c_, name) && c_.explain(name) != HandleStatus::reserved;
        REQUIRE(right);
    }

    Random random_;
    C c_ = made<C>();
    int next_ = 0;
    bool replaced_ = false;
    std::map<Name, int> live_{}, away_{};
    std::set<Name> gone_{};
};

std::size_t brought_back = 0, cancelled = 0, refused = 0, tested = 0, left_out = 0;

/// Of a container of which it is asked that it makes handles. A series is left out: what was removed is in the delta of its
/// window, and comes back by its key.
struct RandomHistories {
    template <class Entry, class C>
    static void run() {
        if constexpr (requires(C& c) { c.erase_reserved(Entry::insert(c, 0)); }) {
            ++tested;
            for (std::uint64_t seed = 1; seed != 4; ++seed) {
                Histories<Entry, C> histories(seed);
                histories.run(1500);
                brought_back += histories.brought_back;
                cancelled += histories.cancelled;
                refused += histories.refused;
            }
        } else {
            ++left_out;
            constexpr bool makes_handles = is<Entry, PoolVerbs> || is<Entry, EntityVerbs> || is<Entry, StoreVerbs> ||
                                           is<Entry, DataflowVerbs> || (Entry::names_slots && !is<Entry, SeriesVerbs>);
            CHECK_FALSE(makes_handles);
        }
    }
};

} // namespace

TEST_CASE("an element that is erased with its handle kept comes back under exactly that handle, whatever happened in between",
          "[properties][reserved]") {
    const std::size_t containers = for_each_container_here<RandomHistories>();
    REQUIRE(tested + left_out == containers);
    REQUIRE(tested >= here(40));
    REQUIRE(brought_back > tested * 500);
    REQUIRE(cancelled > tested * 50);
    REQUIRE(refused > 0);
}
