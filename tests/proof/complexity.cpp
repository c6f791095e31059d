// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every @complexity in include/ claims, counted at several sizes: see counted.hpp. Run by tools/verify/promises.py, which
// compares the rows with the comments.
#include <slotwise/slotwise.hpp>

#include "counted.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace slotwise;
using namespace counted;

//=== scenes ===//

/// A number that jumps about, for i = 0, 1, 2, ...
std::uint64_t scattered(std::size_t i) { return (static_cast<std::uint64_t>(i) + 1) * 0x9E37'79B9'7F4A'7C15u; }
std::size_t pick(std::size_t i, std::size_t n) { return static_cast<std::size_t>((scattered(i) >> 20) % n); }

struct Deaf final : SlotObserver {};
struct Big {
    std::byte bytes[256];
};

template <class Map>
auto filled(std::size_t n) {
    struct {
        Map map{};
        std::vector<typename Map::handle_type> handles{};
    } made;
    made.handles.reserve(n);
    for (std::size_t i = 0; i != n; ++i) made.handles.push_back(made.map.emplace());
    return made;
}
template <class Set>
Set keys_below(std::size_t n) {
    Set set;
    for (std::size_t i = 0; i != n; ++i) set.insert(static_cast<std::uint32_t>(i));
    return set;
}
using Keys = SetStorage<std::uint32_t>;
using Map = MapStorage<std::uint32_t, std::uint32_t>;
Map map_below(std::size_t n) {
    Map map;
    for (std::size_t i = 0; i != n; ++i) map.try_emplace(static_cast<std::uint32_t>(i), 1u);
    return map;
}

constexpr KeySetOptions deferring{.deferred_erase = true};

template <DeltaRepresentation R>
using SetOf = TSSStorage<std::uint32_t, Options<SeriesOptions{.delta = R}>>;
using Set = SetOf<DeltaRepresentation::adaptive>;
using Dict = TSDStorage<std::uint32_t, std::uint32_t>;

/// `members` in window 1, `changes` more in window 2.
template <class S>
void write(S& series, std::size_t members, std::size_t changes) {
    const auto enter = [](auto& w, std::size_t i) {
        if constexpr (requires { w.set(0u, 0u); })
            w.set(static_cast<std::uint32_t>(i), 1u);
        else
            w.add(static_cast<std::uint32_t>(i));
    };
    series.reserve(members + changes);
    {
        auto w = series.write(1);
        for (std::size_t i = 0; i != members; ++i) enter(w, i);
    }
    auto w = series.write(2);
    for (std::size_t i = 0; i != changes; ++i) enter(w, members + i);
}

using Directory = SlotDirectory<HandleLayout{}, Exhaustion::retire, Reuse::lifo, std::allocator<std::byte>>;
/// One version a slot: whatever is erased is retired.
using Brief = SlotDirectory<HandleLayout{31, 1, 0}, Exhaustion::retire, Reuse::lifo, std::allocator<std::byte>>;

template <class D>
void give_capacity(D& directory, std::size_t slots) {
    auto more = directory.prepare(slots, {});
    directory.adopt(more);
    directory.set_capacity(slots);
}
template <class D>
void insert_all(D& directory, std::size_t n) {
    give_capacity(directory, n);
    for (std::size_t i = 0; i != n; ++i) static_cast<void>(directory.acquire_live());
}

/// Bits of an occupancy, every `step`th one is set.
std::vector<bits::word_t> words_of(std::size_t slots, std::size_t step) {
    std::vector<bits::word_t> words(bits::word_count(slots));
    for (std::size_t slot = 0; slot < slots; slot += step)
        words[bits::word_of(slot)] |= bits::bit_of(static_cast<slot_t>(slot));
    return words;
}

//=== the rows ===//

void of_core_and_memory() {
    row("collect_changed_into complexity", "values", linear, [](std::size_t n) {
        std::vector<Versioned<int>> values(n, Versioned<int>(1));
        std::vector<change_t> marks;
        for (auto& value : values) marks.push_back(value.mark());
        for (std::size_t i = 0; i != 10; ++i) values[pick(i, n)].touch();
        std::vector<std::size_t> out;
        out.reserve(n);
        return once([&] { collect_changed_into(values, marks, out); });
    });
    row(
        "Occupancy::count complexity", "words", linear,
        [](std::size_t n) {
            const auto words = words_of(n, 3);
            return once([&] { keep(Occupancy(words.data(), n).count()); });
        },
        never_allocates, 16);
    row(
        "Occupancy::find_next complexity", "words skipped", linear,
        [](std::size_t n) {
            auto words = words_of(n, n);
            return once([&] { keep(Occupancy(words.data(), n).find_next(1)); });
        },
        never_allocates, 16);
    row(
        "ColumnView::empty complexity", "slots, cleared", constant,
        [](std::size_t n) {
            MapStorage<std::size_t, int> map;
            for (std::size_t i = 0; i != n; ++i) map.insert(i, 1);
            map.clear();
            return once([&] { keep(map.values().empty()); });
        },
        never_allocates);
    row(
        "Occupancy::find_next complexity", "slots, none skipped", constant,
        [](std::size_t n) {
            const auto words = words_of(n, 7);
            return worst(100, [&](std::size_t i) { keep(Occupancy(words.data(), n).find_next(pick(i, n - 10))); });
        },
        never_allocates);
    row(
        "Occupancy::find_previous complexity", "words skipped", linear,
        [](std::size_t n) {
            const auto words = words_of(n, n);
            return once([&] { keep(Occupancy(words.data(), n).find_previous(n)); });
        },
        never_allocates, 16);
    // A container knows which of its words are empty: taking the first one until none is left, and a walk over the 10 that are
    // left.
    const auto popping = []<class M>(std::type_identity<M>, auto fill) {
        return [fill](std::size_t n) {
            M map = fill(n);
            return mean(n, [&](std::size_t) { map.erase(map.begin()); });
        };
    };
    const auto filling = []<class M>(std::type_identity<M>) { return [](std::size_t n) { return filled<M>(n).map; }; };
    using Deferring = KeySet<std::uint32_t, Options<deferring>>;
    row("Occupancy::find_next complexity", "front erased, slot map", constant,
        popping(std::type_identity<SlotMap<int>>(), filling(std::type_identity<SlotMap<int>>())));
    row("Occupancy::find_next complexity", "front erased, fifo", constant,
        popping(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::fifo}>>>(),
                filling(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::fifo}>>>())));
    row("Occupancy::find_next complexity", "front erased, map", constant, popping(std::type_identity<Map>(), map_below));
    row("Occupancy::find_next complexity", "front erased, set", constant, [](std::size_t n) {
        Keys keys = keys_below<Keys>(n);
        return mean(n, [&](std::size_t) { keys.erase(std::uint32_t(*keys.begin())); });
    });
    row("Occupancy::find_next complexity", "front erased, deferred", constant, [](std::size_t n) {
        Deferring keys = keys_below<Deferring>(n);
        return mean(n, [&](std::size_t) { keys.erase(std::uint32_t(*keys.begin())); });
    });
    const auto ten_left = [](auto&& walk) {
        return [walk](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            for (std::size_t i = 0; i != n; ++i)
                if (i % (n / 10) != n / 10 - 1) made.map.erase(made.handles[i]);
            return once([&] { walk(made.map); });
        };
    };
    row("Occupancy::find_next complexity", "slots, 10 live, range-for", constant, ten_left([](SlotMap<int>& map) {
            for (const int value : map) keep(value);
        }),
        never_allocates, 4);
    row("Occupancy::find_next complexity", "slots, 10 live, for_each", constant,
        ten_left([](SlotMap<int>& map) { map.for_each([](int value) { keep(value); }); }), never_allocates, 4);
    row("Occupancy::find_next complexity", "slots, 10 live, column", constant,
        ten_left([](SlotMap<int>& map) { map.values().for_each([](int value) { keep(value); }); }), never_allocates, 16);
    row("Occupancy::find_next complexity", "slots, 10 live, slots()", constant, ten_left([](SlotMap<int>& map) {
            for (const slot_t slot : map.slots()) keep(slot);
        }),
        never_allocates, 4);
    row(
        "PagedArray::ptr complexity", "slots", constant,
        [](std::size_t n) {
            PagedArray<Big> array;
            array.reserve(n);
            return worst(100, [&](std::size_t i) { keep(array.ptr(static_cast<slot_t>(pick(i, n)))); });
        },
        never_allocates);
    row(
        "PagedArray::slot_at complexity", "runs of 1 MiB", linear,
        [](std::size_t n) {
            PagedArray<Big> array;
            array.reserve(n);
            return once([&] { keep(array.slot_at(array.ptr(static_cast<slot_t>(array.capacity() - 1)))); });
        },
        never_allocates, 8);
}

void of_slots() {
    row(
        "SlotDirectory::is_live complexity", "slots", constant,
        [](std::size_t n) {
            Directory directory;
            insert_all(directory, n);
            return worst(100, [&](std::size_t i) { keep(directory.is_live(static_cast<slot_t>(pick(i, n)), 1)); });
        },
        never_allocates);
    row(
        "SlotDirectory::take complexity", "slots", constant,
        [](std::size_t n) {
            Directory directory;
            insert_all(directory, n);
            for (std::size_t i = 0; i != 100; ++i) directory.erase(static_cast<slot_t>(i * (n / 100)));
            return worst(100, [&](std::size_t i) { keep(directory.take(static_cast<slot_t>(i * (n / 100)), 5)); });
        },
        never_allocates);
    row(
        "SlotDirectory::take complexity", "gap above the cursor", linear,
        [](std::size_t n) {
            Directory directory;
            give_capacity(directory, n);
            return once([&] { keep(directory.take(static_cast<slot_t>(n - 1), 1)); });
        },
        never_allocates);
    row(
        "SlotDirectory::begin_clear complexity", "slots", linear,
        [](std::size_t n) {
            Directory directory;
            insert_all(directory, n);
            return once([&] { keep(directory.begin_clear()); });
        },
        never_allocates);
    row(
        "SlotDirectory::recycle_retired complexity", "slots", linear,
        [](std::size_t n) {
            Brief directory;
            insert_all(directory, n);
            for (std::size_t i = 0; i != 10; ++i) directory.erase(static_cast<slot_t>(i));
            return once([&] { keep(directory.recycle_retired()); });
        },
        never_allocates);
    row(
        "SlotDirectory::lower_cursor complexity", "slots given up", linear,
        [](std::size_t n) {
            Directory directory;
            insert_all(directory, n);
            for (std::size_t i = n; i-- != 10;) directory.erase(static_cast<slot_t>(i));
            return once([&] { keep(directory.lower_cursor()); });
        },
        never_allocates);
    row(
        "SlotDirectory::lower_cursor complexity", "slots, 10 given up", constant,
        [](std::size_t n) {
            Directory directory;
            insert_all(directory, n);
            for (std::size_t i = n; i-- != n - 10;) directory.erase(static_cast<slot_t>(i));
            return once([&] { keep(directory.lower_cursor()); });
        },
        never_allocates);
    row("SlotDirectory::check_invariants complexity", "capacity", linear, [](std::size_t n) {
        Directory directory;
        insert_all(directory, n);
        return once([&] { keep(directory.check_invariants()); });
    });
    row(
        "ColumnView::operator[] complexity", "slots", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            const auto view = made.map.values();
            return worst(100, [&](std::size_t i) { keep(view[static_cast<slot_t>(pick(i, n))]); });
        },
        never_allocates);
}

void of_maps() {
    row(
        "SlotMapCore::SlotMapCore complexity", "elements moved", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return once([&] {
                SlotMap<int> moved(std::move(made.map));
                std::swap(moved, made.map);
            });
        },
        never_allocates);
    row(
        "SlotMapCore::SlotMapCore complexity", "elements moved, dense", constant,
        [](std::size_t n) {
            auto made = filled<DenseSlotMap<int>>(n);
            return once([&] {
                DenseSlotMap<int> moved(std::move(made.map));
                std::swap(moved, made.map);
            });
        },
        never_allocates);
    const auto detaching = [](auto nth) {
        return [nth](std::size_t n) {
            SlotMap<int> map;
            std::vector<Deaf> observers(n);
            std::vector<ObserverToken> tokens;
            tokens.reserve(n);
            for (Deaf& each : observers) tokens.push_back(map.attach(each));
            return mean(n, [&](std::size_t i) { tokens[nth(i, n)].detach(); });
        };
    };
    const auto scattered_of = [](std::size_t i, std::size_t n) { return (i * 7919) % n; };
    row("BasicObserverToken::detach complexity", "observers, first first", constant,
        detaching([](std::size_t i, std::size_t) { return i; }), never_allocates);
    row("BasicObserverToken::detach complexity", "observers, last first", constant,
        detaching([](std::size_t i, std::size_t n) { return n - 1 - i; }), never_allocates);
    row("BasicObserverToken::detach complexity", "observers, scattered", constant, detaching(scattered_of), never_allocates);
    row(
        "BasicObserverToken::exchange complexity", "observers", constant,
        [=](std::size_t n) {
            SlotMap<int> map;
            std::vector<Deaf> observers(n + 1);
            std::vector<ObserverToken> tokens(n + 1);
            for (std::size_t i = 0; i != n; ++i) tokens[i] = map.attach(observers[i]);
            const Cost cost = worst(500, [&](std::size_t i) {
                const std::size_t at = scattered_of(i, n);
                ObserverToken::exchange(tokens[at], observers[at], tokens[n], observers[n]);
            });
            tokens.clear();
            return cost;
        },
        never_allocates);
    row("SlotMapCore::emplace complexity", "elements, amortised", constant, [](std::size_t n) {
        SlotMap<int> map;
        return mean(n, [&](std::size_t) { keep(map.emplace(1).index()); });
    });
    row("SlotMapCore::emplace complexity", "elements, dense, amort.", constant, [](std::size_t n) {
        DenseSlotMap<int> map;
        return mean(n, [&](std::size_t) { keep(map.emplace(1).index()); });
    });
    row(
        "SlotMapCore::insert_at complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            for (std::size_t i = 0; i != 100; ++i) made.map.erase(made.handles[i * (n / 100)]);
            return worst(100, [&](std::size_t i) { keep(made.map.insert_at(made.handles[i * (n / 100)], 1)); });
        },
        never_allocates);
    row(
        "SlotMapCore::insert_at complexity", "gap", linear,
        [](std::size_t n) {
            SlotMap<int> map;
            map.reserve(n);
            return once([&] { keep(map.insert_at(SlotMap<int>::handle_type(static_cast<slot_t>(n - 1), 1), 1)); });
        },
        never_allocates);
    const auto erasing = []<class M>(std::type_identity<M>) {
        return [](std::size_t n) {
            auto made = filled<M>(n);
            return worst(500, [&](std::size_t i) { keep(made.map.erase(made.handles[(i * 7919) % n])); });
        };
    };
    row("SlotMapCore::erase complexity", "elements", constant, erasing(std::type_identity<SlotMap<int>>()), never_allocates);
    row("SlotMapCore::erase complexity", "elements, dense", constant, erasing(std::type_identity<DenseSlotMap<int>>()),
        never_allocates);
    row("SlotMapCore::erase complexity", "elements, reuse lowest", constant,
        erasing(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lowest}>>>()), never_allocates);
    row("SlotMapCore::erase complexity", "elements, reuse fifo", constant,
        erasing(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::fifo}>>>()), never_allocates);
    const auto finding = []<class M>(std::type_identity<M>) {
        return [](std::size_t n) {
            auto made = filled<M>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.find(made.handles[pick(i, n)]).slot()); });
        };
    };
    row("SlotMapCore::find complexity", "elements", constant, finding(std::type_identity<SlotMap<int>>()), never_allocates);
    row("DenseSlotMap::find complexity", "elements", constant, finding(std::type_identity<DenseSlotMap<int>>()),
        never_allocates);
    row(
        "SlotMapCore::get complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.get(made.handles[pick(i, n)])); });
        },
        never_allocates);
    row(
        "SlotMapCore::clear complexity", "slots", linear,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return once([&] { made.map.clear(); });
        },
        never_allocates);
    row(
        "SlotMapCore::clear complexity", "slots, with destructors", linear,
        [](std::size_t n) {
            auto made = filled<SlotMap<std::string>>(n);
            return once([&] { made.map.clear(); });
        },
        never_allocates);
    const auto shrinking = []<class M>(std::type_identity<M>) {
        return [](std::size_t n) {
            auto made = filled<M>(n);
            for (std::size_t i = 10; i != n; ++i) made.map.erase(made.handles[i]);
            return once([&] { made.map.shrink_to_fit(); });
        };
    };
    row("SlotMapCore::shrink_to_fit complexity", "capacity", linear, shrinking(std::type_identity<SlotMap<int>>()));
    row("SlotMapCore::shrink_to_fit complexity", "capacity, dense", linear, shrinking(std::type_identity<DenseSlotMap<int>>()));
    row("SlotMapCore::check_invariants complexity", "capacity", linear, [](std::size_t n) {
        auto made = filled<SlotMap<int>>(n);
        return once([&] { keep(made.map.check_invariants()); });
    });
    row(
        "SlotMap::handle_of complexity", "MiB of values", linear,
        [](std::size_t n) {
            SlotMap<Big> map; // growing bit by bit it has smaller runs at first
            map.reserve(n);
            for (std::size_t i = 1; i != n; ++i) static_cast<void>(map.emplace());
            const Big* const last = map.get(map.emplace());
            return once([&] { keep(map.handle_of(last).index()); });
        },
        never_allocates, 8);
    row(
        "DenseSlotMap::handle_of complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<DenseSlotMap<int>>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.handle_of(made.map.begin() + pick(i, n)).index()); });
        },
        never_allocates);
    row("DenseSlotMap::sort complexity", "elements", linearithmic, [](std::size_t n) {
        DenseSlotMap<std::uint64_t> map;
        for (std::size_t i = 0; i != n; ++i) map.insert(scattered(i));
        return once([&] { map.sort(std::less<>()); });
    });
    // The last element belongs to the front: one cycle of all rows.
    row("DenseSlotMap::sort complexity", "elements, rotated", linearithmic, [](std::size_t n) {
        DenseSlotMap<std::uint64_t> map;
        for (std::size_t i = 1; i <= n; ++i) map.insert(i % n);
        return once([&] { map.sort(std::less<>()); });
    });
    row("DenseSlotMap::sort complexity", "elements, compares", linearithmic, [](std::size_t n) {
        DenseSlotMap<std::uint64_t> map;
        for (std::size_t i = 0; i != n; ++i) map.insert(scattered(i));
        Cost compares;
        map.sort([&](std::uint64_t a, std::uint64_t b) {
            compares.blocks += 1;
            return a < b;
        });
        return compares;
    });
    row(
        "SecondaryFace::get complexity", "entries", constant,
        [](std::size_t n) {
            SecondaryMap<SlotMap<int>::handle_type, int> more;
            for (std::size_t i = 0; i != n; ++i) more.try_emplace({static_cast<slot_t>(i), 1}, 1);
            return worst(100, [&](std::size_t i) { keep(more.get({static_cast<slot_t>(pick(i, n)), 1})); });
        },
        never_allocates);
    row(
        "SecondaryFace::get complexity", "entries, sparse", constant,
        [](std::size_t n) {
            SparseSecondaryMap<SlotMap<int>::handle_type, int> more;
            for (std::size_t i = 0; i != n; ++i) more.try_emplace({static_cast<slot_t>(i), 1}, 1);
            return worst(100, [&](std::size_t i) { keep(more.get({static_cast<slot_t>(pick(i, n)), 1})); });
        },
        never_allocates);
    row(
        "SecondaryFace::get complexity", "far pages, per log2", constant,
        [](std::size_t n) {
            SecondaryMap<SlotMap<int>::handle_type, int> more;
            const auto far = [](std::size_t i) { return static_cast<slot_t>(0xFFFF'0000u - i * 6400); };
            for (std::size_t i = n; i-- != 0;) more.try_emplace({far(i), 1}, 1);
            Cost cost = worst(200, [&](std::size_t i) { keep(more.get({far(pick(i, n)), 1})); });
            cost.blocks /= std::log2(static_cast<double>(n));
            return cost;
        },
        never_allocates);
    row("SecondaryFace::try_emplace complexity", "entries", constant, [](std::size_t n) {
        SecondaryMap<SlotMap<int>::handle_type, int> more;
        return mean(n, [&](std::size_t i) { keep(more.try_emplace({static_cast<slot_t>(i), 1}, 1).inserted); });
    });
    row("SecondaryFace::try_emplace complexity", "packed, amortised", constant, [](std::size_t n) {
        SparseSecondaryMap<SlotMap<int>::handle_type, int> more;
        return mean(n, [&](std::size_t i) { keep(more.try_emplace({static_cast<slot_t>(i), 1}, 1).inserted); });
    });
}

void of_keyed() {
    row(
        "GroupIndex::find complexity", "entries, expected", constant,
        [](std::size_t n) {
            HashIndex<std::allocator<std::byte>> index;
            const auto source = [&](auto&&) {};
            index.reserve(n, source);
            for (std::size_t i = 0; i != n; ++i) index.place(scattered(i), static_cast<slot_t>(i));
            return mean(1000, [&](std::size_t k) {
                const std::size_t i = pick(k, n);
                keep(index.find(scattered(i), [&](slot_t slot) { return slot == i; }));
            });
        },
        never_allocates);
    row("SetStorage::insert complexity", "keys, amortised, expect.", constant, [](std::size_t n) {
        Keys set;
        return mean(n, [&](std::size_t i) { keep(set.insert(static_cast<std::uint32_t>(i)).it.slot()); });
    });
    row(
        "SetStorage::contains complexity", "keys, expected", constant,
        [](std::size_t n) {
            const auto set = keys_below<Keys>(n);
            return mean(1000, [&](std::size_t i) { keep(set.contains(static_cast<std::uint32_t>(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SetStorage::erase complexity", "keys, expected", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return mean(500, [&](std::size_t i) { keep(set.erase(static_cast<std::uint32_t>((i * 7919) % n))); });
        },
        never_allocates);
    row(
        "KeySetCore::erase complexity", "elements", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return mean(500, [&](std::size_t i) { keep(set.erase(set.handle_at(static_cast<slot_t>((i * 7919) % n)))); });
        },
        never_allocates);
    row(
        "KeySetCore::erase complexity", "elements, deferred", constant,
        [](std::size_t n) {
            auto set = keys_below<SetStorage<std::uint32_t, Options<deferring>>>(n);
            return mean(500, [&](std::size_t i) { keep(set.erase(set.handle_at(static_cast<slot_t>((i * 7919) % n)))); });
        },
        never_allocates);
    row(
        "KeySetCore::KeySetCore complexity", "elements moved", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return once([&] {
                Keys moved(std::move(set));
                moved.swap(set);
            });
        },
        never_allocates);
    row("KeySetCore::shrink_to_fit complexity", "capacity", linear, [](std::size_t n) {
        auto set = keys_below<Keys>(n);
        for (std::size_t i = 10; i != n; ++i) set.erase(static_cast<std::uint32_t>(i));
        return once([&] { set.shrink_to_fit(); });
    });
    row(
        "KeySetCore::clear complexity", "slots", linear,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return once([&] { set.clear(); });
        },
        never_allocates);
    row(
        "KeySetCore::clear complexity", "slots, deferred", linear,
        [](std::size_t n) {
            auto set = keys_below<SetStorage<std::uint32_t, Options<deferring>>>(n);
            return once([&] { set.clear(); });
        },
        never_allocates);
    row("KeySetCore::check_invariants complexity", "capacity", linear, [](std::size_t n) {
        const auto set = keys_below<Keys>(n);
        return once([&] { keep(set.check_invariants()); });
    });
    row(
        "MapStorage::find complexity", "elements, expected", constant,
        [](std::size_t n) {
            const auto map = map_below(n);
            return mean(1000, [&](std::size_t i) { keep(map.find(static_cast<std::uint32_t>(pick(i, 2 * n))) == map.end()); });
        },
        never_allocates);
}

void of_series() {
    row(
        "SeriesCore::contains complexity", "members, expected", constant,
        [](std::size_t n) {
            Set set;
            write(set, n, 10);
            return mean(1000, [&](std::size_t i) { keep(set.contains(static_cast<std::uint32_t>(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SeriesCore::count_valid complexity", "members", constant,
        [](std::size_t n) {
            Dict dict;
            write(dict, n, 10);
            return once([&] { keep(dict.count_valid()); });
        },
        never_allocates);
    row(
        "TSDView::count_valid complexity", "members", constant,
        [](std::size_t n) {
            Dict dict;
            write(dict, n, 10);
            return once([&] { keep(dict.view().count_valid()); });
        },
        never_allocates);
    row("SeriesCore::check_invariants complexity", "capacity", linear, [](std::size_t n) {
        Set set;
        write(set, n, 10);
        return once([&] { keep(set.check_invariants()); });
    });
    row(
        "TSDView::touched complexity", "touched slots", linear,
        [](std::size_t n) {
            Dict dict;
            write(dict, 100, n);
            return once([&] { keep(dict.view().touched()); });
        },
        never_allocates);
    row(
        "TSDView::touched complexity", "members, 10 touched", constant,
        [](std::size_t n) {
            Dict dict;
            write(dict, n, 10);
            return once([&] { keep(dict.view().touched()); });
        },
        never_allocates);
    row(
        "DeltaRange::size complexity", "touched slots", linear,
        [](std::size_t n) {
            Set set;
            write(set, 100, n);
            return once([&] { keep(set.added(2).size()); });
        },
        never_allocates);
    row(
        "DeltaRange::size complexity", "members, 10 touched", constant,
        [](std::size_t n) {
            Set set;
            write(set, n, 10);
            return once([&] { keep(set.added(2).size()); });
        },
        never_allocates);
    row("capture complexity", "touched slots", linear, [](std::size_t n) {
        Dict dict;
        write(dict, 100, n);
        return once([&] { keep(capture(dict, 2).added.size()); });
    });
    row("capture complexity", "members, 10 touched", constant, [](std::size_t n) {
        Set set;
        write(set, n, 10);
        return once([&] { keep(capture(set, 2).added.size()); });
    });
    row("compose complexity", "keys in both", linear, [](std::size_t n) {
        SetDelta<std::uint32_t> first{1, true, {}, {}}, second{2, true, {}, {}};
        for (std::size_t i = 0; i != n; ++i) {
            first.added.push_back(static_cast<std::uint32_t>(i));
            second.removed.push_back(static_cast<std::uint32_t>(2 * i));
        }
        return once([&] { keep(compose(first, second).added.size()); });
    });
    row("equal_deltas complexity", "keys in both", linear, [](std::size_t n) {
        SetDelta<std::uint32_t> one{1, true, {}, {}}, other{1, true, {}, {}};
        for (std::size_t i = 0; i != n; ++i) {
            one.added.push_back(static_cast<std::uint32_t>(i));
            other.added.push_back(static_cast<std::uint32_t>(n - 1 - i));
        }
        return once([&] { keep(equal_deltas(one, other, DefaultHash<std::uint32_t>(), EqualTo())); });
    });
    row("SipHash13::hash_units complexity", "characters", linear, [](std::size_t n) {
        const std::string text(n, 'x');
        return once([&] { keep(SipHash13(1, 2).hash_units(text.data(), text.size())); });
    });
    // As many inserts as there are removed keys, in a copy; and one key in slot after slot, each good for one stay.
    row("TSSWriter::insert complexity", "pending, as many inserts", linear, [](std::size_t n) {
        Set set, copy;
        write(set, n, 10);
        set.write(3).clear();
        copy = set;
        return once([&] {
            auto w = copy.write(3);
            for (std::size_t i = 0; i != n; ++i) w.insert(static_cast<std::uint32_t>(2 * n + i));
        });
    });
    row("TSSWriter::insert complexity", "stays of one key in worn-out slots", linear, [](std::size_t n) {
        constexpr SeriesOptions one_stay{.handle = {.index_bits = 31, .version_bits = 1}};
        TSSStorage<std::uint32_t, Options<one_stay>> set;
        return once([&] {
            auto w = set.write(1);
            for (std::size_t i = 0; i != n; ++i) w.insert(7), w.erase(7);
        });
    });
    const auto rolling = []<class S>(std::type_identity<S>, auto changes_of) {
        return [=](std::size_t n) {
            S set;
            const auto [members, changes] = changes_of(n);
            write(set, members, changes);
            return once([&] { keep(set.write(3).is_open()); });
        };
    };
    const auto all = [](std::size_t n) { return std::pair(std::size_t{100}, n); };
    const auto few = [](std::size_t n) { return std::pair(n, std::size_t{10}); };
    // Removed ones are erased when the window rolls; added ones cost nothing but the tracker's own work.
    row("DeltaTracker::open complexity", "slots touched, listed", linear,
        rolling(std::type_identity<SetOf<DeltaRepresentation::dirty_list>>(), all));
    row("DeltaTracker::open complexity", "slots, 10 touched, listed", constant,
        rolling(std::type_identity<SetOf<DeltaRepresentation::dirty_list>>(), few));
    row("DeltaTracker::open complexity", "slots, by bitmap", linear,
        rolling(std::type_identity<SetOf<DeltaRepresentation::bitmap>>(), few), may_allocate, 16);
    row("TSSStorage::write complexity", "changes of the window before", linear, [](std::size_t n) {
        Set set;
        write(set, n, 10);
        {
            auto w = set.write(3);
            for (std::size_t i = 0; i != n; ++i) w.remove(static_cast<std::uint32_t>(i));
        }
        return once([&] { keep(set.write(4).is_open()); });
    });
    row("TSSStorage::write complexity", "members, 10 changes", constant, rolling(std::type_identity<Set>(), few));
    row(
        "ObserverArray::mark complexity", "slots", constant,
        [](std::size_t n) {
            struct Nobody final : SeriesSubscriber<std::int64_t> {
                void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
            } nobody;
            ObserverArray<std::uint32_t> array;
            array.cover(n);
            std::vector<Subscription<>> tokens;
            for (std::size_t i = 0; i != 100; ++i)
                tokens.push_back(array.subscribe(static_cast<std::uint32_t>(i), static_cast<slot_t>(pick(i, n)), nobody));
            return worst(200, [&](std::size_t i) { array.mark(static_cast<slot_t>(pick(i, n))); });
        },
        never_allocates);
}

void of_bits_ticks_and_described_rows() {
    row("BasicBitColumn::push_back complexity", "rows, amortised", constant, [](std::size_t n) {
        BitColumn column;
        return mean(n, [&](std::size_t i) { column.push_back(i % 3 == 0); });
    });
    row(
        "BasicBitColumn::erase complexity", "words behind the row", linear,
        [](std::size_t n) {
            BitColumn column(64 * n, true);
            return once([&] { column.erase(0); });
        },
        never_allocates);
    row(
        "BasicBitColumn::count complexity", "words", linear,
        [](std::size_t n) {
            const BitColumn column(64 * n, true);
            return once([&] { keep(column.count()); });
        },
        never_allocates);
    row(
        "for_each_run complexity", "words, ten runs", linear,
        [](std::size_t n) {
            BitColumn column(64 * n);
            for (std::size_t i = 0; i != 10; ++i) column.set(pick(i, column.size()));
            return once(
                [&] { for_each_run(column.size(), include(column), exclude(), [](std::size_t a, std::size_t) { keep(a); }); });
        },
        never_allocates);
    row("BasicTickColumn::push_back complexity", "rows, amortised", constant, [](std::size_t n) {
        TickColumn column;
        return mean(n, [&](std::size_t i) { column.push_back(static_cast<tick_t>(i)); });
    });
    row(
        "BasicTickColumn::for_each_changed complexity", "rows / 4,096, none changed", linear,
        [](std::size_t n) {
            const TickColumn column(64 * n, 1);
            return once([&] { column.for_each_changed(1, [](std::size_t changed) { keep(changed); }); });
        },
        never_allocates, 8);
    row(
        "BasicTickColumn::clamp complexity", "rows", linear,
        [](std::size_t n) {
            TickColumn column(n, 1);
            return once([&] { column.clamp(2); });
        },
        never_allocates);
    using Types = std::vector<const TypeDescriptor*>;
    row("BasicAnyRows::push_back complexity", "columns", linear, [](std::size_t n) {
        AnyRows rows(Types(n, &TypeDescriptor::of<int>()));
        rows.reserve(2);
        return once([&] { rows.push_back_default(); });
    });
    row(
        "BasicAnyRows::move_row complexity", "columns", linear,
        [](std::size_t n) {
            const Types types(n, &TypeDescriptor::of<int>());
            AnyRows from(types), to(types);
            from.append(2), to.reserve(2);
            std::vector<std::int32_t> map(n);
            std::iota(map.begin(), map.end(), 0);
            return once([&] { AnyRows::move_row(from, 0, to, map); });
        },
        never_allocates);
}

void of_entities_and_states() {
    using Id = Handle<struct Entity>;
    using Index = EntityIndex<Id, std::uint32_t>;
    const auto of_size = [](std::size_t n) {
        Index index;
        index.create_n(n);
        return index;
    };
    const auto id_of = [](std::size_t i, std::size_t n) { return Id(static_cast<slot_t>(pick(i, n)), 1); };
    row(
        "EntityIndex::is_alive complexity", "ids", constant,
        [=](std::size_t n) {
            const Index index = of_size(n);
            return mean(100, [&](std::size_t i) { keep(index.is_alive(id_of(i, 2 * n))); });
        },
        never_allocates);
    row("EntityIndex::create complexity", "ids, amortised", constant, [](std::size_t n) {
        Index index;
        return mean(n, [&](std::size_t) { keep(index.create().index()); });
    });
    row(
        "EntityIndex::create_n complexity", "dead ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            index.clear();
            return once([&] { keep(index.create_n(n).size()); });
        },
        never_allocates);
    row("EntityIndex::create_n complexity", "fresh ids", linear, [](std::size_t n) {
        Index index;
        return once([&] { keep(index.create_n(n).size()); });
    });
    row("EntityIndex::make_alive complexity", "ids, amortised", constant, [](std::size_t n) {
        Index index;
        return mean(n, [&](std::size_t i) { keep(index.make_alive(Id(static_cast<slot_t>(i), 5))); });
    });
    row(
        "EntityIndex::destroy complexity", "ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            return mean(100, [&](std::size_t i) { keep(index.destroy(id_of(i, n))); });
        },
        never_allocates);
    row(
        "EntityIndex::clear complexity", "ids", linear,
        [=](std::size_t n) {
            Index index = of_size(n);
            return once([&] { index.clear(); });
        },
        never_allocates);
    row("EntityIndex::add_range complexity", "pages", linear, [](std::size_t n) {
        Index index;
        index.reserve(64 * n);
        return once([&] { index.add_range(0, static_cast<slot_t>(64 * n)); });
    });

    using States = SwitchMap<Id, std::uint32_t>;
    const auto in_state = [](std::size_t n, std::size_t states) {
        States map;
        for (std::size_t i = 0; i != n; ++i)
            map.set(Id(static_cast<slot_t>(i), 1), static_cast<std::uint32_t>(i % states) << 20);
        return map;
    };
    row(
        "SwitchMap::get complexity", "ids and values", constant,
        [=](std::size_t n) {
            const States map = in_state(n, n / 2);
            return mean(100, [&](std::size_t i) { keep(map.get(id_of(i, 2 * n))); });
        },
        never_allocates);
    row(
        "SwitchMap::of complexity", "ids and values", constant,
        [=](std::size_t n) {
            const States map = in_state(n, n / 2);
            return mean(100, [&](std::size_t i) { keep(map.of(static_cast<std::uint32_t>(pick(i, n)) << 20).size()); });
        },
        never_allocates);
    row("SwitchMap::set complexity", "ids and values, amortised", constant, [](std::size_t n) {
        States map;
        return mean(4 * n, [&](std::size_t i) {
            map.set(Id(static_cast<slot_t>(pick(i, n)), 1), static_cast<std::uint32_t>(pick(3 * i, n / 8)) << 12);
        });
    });
    row(
        "SwitchMap::erase complexity", "ids", constant,
        [=](std::size_t n) {
            States map = in_state(n, 3);
            return mean(100, [&](std::size_t i) { keep(map.erase(id_of(i, n))); });
        },
        never_allocates);
    row("SwitchMap::erase_value complexity", "ids of the value", linear, [=](std::size_t n) {
        States map = in_state(2 * n, 2);
        return once([&] { keep(map.erase_value(0)); });
    });
}

using Rows = SoaVector<std::uint32_t, double>;
Rows rows_below(std::size_t n) {
    Rows rows;
    rows.reserve(2 * n);
    for (std::size_t i = 0; i != n; ++i) rows.push_back(static_cast<std::uint32_t>(i), 1.0);
    return rows;
}
void of_rows() {
    row("BasicSoaVector::push_back complexity", "rows, amortised", constant, [](std::size_t n) {
        Rows rows;
        return mean(n, [&](std::size_t i) { rows.push_back(static_cast<std::uint32_t>(i), 1.0); });
    });
    row("BasicSoaVector::emplace_back complexity", "rows, amortised", constant, [](std::size_t n) {
        Rows rows;
        return mean(n, [&](std::size_t i) { rows.emplace_back(static_cast<std::uint32_t>(i), [] { return 1.0; }); });
    });
    const auto once_of = [](auto act) {
        return [act](std::size_t n) {
            Rows rows = rows_below(n);
            return once([&] { act(rows); });
        };
    };
    row("BasicSoaVector::insert complexity", "rows behind it", linear, once_of([](Rows& rows) { rows.insert(0, 1u, 1.0); }),
        never_allocates);
    row("BasicSoaVector::erase complexity", "rows behind it", linear, once_of([](Rows& rows) { rows.erase(0); }),
        never_allocates);
    row("BasicSoaVector::swap_erase complexity", "rows", constant, once_of([](Rows& rows) { rows.swap_erase(0); }),
        never_allocates);
    row("BasicSoaVector::clear complexity", "rows of trivial types", constant, once_of([](Rows& rows) { rows.clear(); }),
        never_allocates);
    row("BasicSoaVector::erase_if complexity", "rows", linear,
        once_of([](Rows& rows) { rows.erase_if([](const auto& each) { return each.template get<0>() % 3 == 0; }); }),
        never_allocates);
    row("BasicSoaVector::sort complexity", "rows", linearithmic, [](std::size_t n) {
        Rows rows = rows_below(n);
        for (std::uint32_t& number : rows.column<0>()) number = static_cast<std::uint32_t>(scattered(number));
        return once([&] { rows.sort<0>(); });
    });
}

//=== controls: wrong claims are refused ===//

/// Each of these has to be refused; if one is not, this program can prove nothing.
void controls() {
    const auto find_last = [](std::size_t n) {
        const std::vector<int> values(n, 0);
        return once([&] { keep(std::find(values.begin(), values.end(), 1) == values.end()); });
    };
    const auto copy_all = [](std::size_t n) {
        const std::vector<char> from(n, 'x');
        std::vector<char> to(n);
        return once([&] { std::memcpy(to.data(), from.data(), n); });
    };
    const auto look_up = [](std::size_t n) {
        auto made = filled<SlotMap<int>>(n);
        return once([&] { keep(made.map.get(made.handles.back())); });
    };
    const auto halve = [](std::size_t n) {
        std::vector<std::size_t> values(n);
        std::iota(values.begin(), values.end(), 0);
        return once([&] {
            for (std::size_t i = 0; i != n / 100; ++i) keep(std::accumulate(values.data(), values.data() + i, std::size_t{0}));
        });
    };
    failures += !measure("(control) a linear search is not", "elements", constant, may_allocate, 1, find_last, false);
    failures += !measure("(control) memcpy is not", "bytes", constant, may_allocate, 4, copy_all, false);
    failures += !measure("(control) a lookup is not", "elements", linear, may_allocate, 1, look_up, false);
    failures += !measure("(control) a sum of sums is not", "elements", linear, may_allocate, 1, halve, false);
}

void of_sparse_sets() {
    using Id = std::uint32_t;
    const auto below = [](std::size_t n, std::size_t step = 1) {
        SparseMap<Id, int> map;
        for (std::size_t i = 0; i != n; ++i) map.try_emplace(static_cast<Id>(i * step), 1);
        return map;
    };
    row(
        "SparseCore::contains complexity", "ids", constant,
        [=](std::size_t n) {
            const auto map = below(n);
            return mean(100, [&](std::size_t i) { keep(map.contains(static_cast<Id>(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SparseCore::erase complexity", "ids", constant,
        [=](std::size_t n) {
            auto map = below(n);
            return mean(100, [&](std::size_t i) { keep(map.erase(static_cast<Id>(pick(i, n)))); });
        },
        never_allocates);
    row("SparseMap::try_emplace complexity", "ids, amortised", constant, [](std::size_t n) {
        SparseMap<Id, int> map;
        return mean(n, [&](std::size_t i) { map.try_emplace(static_cast<Id>(i), 1); });
    });
    row("SparseSet::insert complexity", "ids, amortised", constant, [](std::size_t n) {
        SparseSet<Id> set;
        return mean(n, [&](std::size_t i) { set.insert(static_cast<Id>(i)); });
    });
    row("SparseCore::sort_like complexity", "ids of the other", linear, [=](std::size_t n) {
        auto map = below(100);
        const auto other = below(n);
        return once([&] { map.sort_like(other); });
    });
    row("align_prefix complexity", "ids of the smallest", linear, [=](std::size_t n) {
        auto a = below(8 * n), b = below(n, 3);
        return once([&] { keep(align_prefix(a, b)); });
    });
    row("SparseGroup::SparseGroup complexity", "ids", linear, [=](std::size_t n) {
        auto a = below(n), b = below(n, 2);
        return once([&] {
            SparseGroup group(a, b);
            keep(group.size());
        });
    });
    const auto scattered_ids = [](std::size_t n) {
        SparseSet<Id> set;
        for (std::size_t i = 0; i != n; ++i) set.insert(static_cast<Id>(pick(i, 16 * n)));
        return set;
    };
    row("SparseSet::sort complexity", "ids", linearithmic, [=](std::size_t n) {
        auto set = scattered_ids(n);
        return once([&] { set.sort(); });
    });
    row("SparseMap::sort complexity", "values", linearithmic, [](std::size_t n) {
        SparseMap<Id, std::uint64_t> map;
        for (std::size_t i = 0; i != n; ++i) map.try_emplace(static_cast<Id>(i), scattered(i));
        return once([&] { map.sort(); });
    });
    row("SparseGroup::sort complexity", "ids", linearithmic, [=](std::size_t n) {
        auto a = scattered_ids(n), b = a;
        SparseGroup group(a, b);
        return once([&] { group.sort(); });
    });
}

} // namespace

int main() {
    std::printf("     %-46s | %-40s | blocks at 1,000 4,000 16,000 64,000 (some: times 4, 8 or 16)\n", "promise", "claim");
    controls();
    of_core_and_memory();
    of_slots();
    of_maps();
    of_keyed();
    of_series();
    of_bits_ticks_and_described_rows();
    of_rows();
    of_sparse_sets();
    of_entities_and_states();
    return finish(4);
}
