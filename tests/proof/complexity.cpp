// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every @complexity in include/ claims, counted at several sizes: see counted.hpp. tools/dev complexity builds and runs it.
#include <slotwise/slotwise.hpp>

#include "../arrow/foreign.hpp"
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
/// Numbers in an AnySlotMap.
struct Described : AnySlotMap {
    Described() : AnySlotMap(TypeDescriptor::of<int>()) {}
};
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
    row(
        "zip_chunks complexity", "slots", linear,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return once([&] { keep(zip_chunks(made.map.values(), made.map.values()).size()); });
        },
        never_allocates);
}

void of_maps() {
    row(
        "SlotMapInterface::SlotMapInterface complexity", "elements moved", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return once([&] {
                SlotMap<int> moved(std::move(made.map));
                std::swap(moved, made.map);
            });
        },
        never_allocates);
    row(
        "SlotMapInterface::SlotMapInterface complexity", "elements moved, dense", constant,
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
    row("SlotMapInterface::emplace complexity", "elements, amortised", constant, [](std::size_t n) {
        SlotMap<int> map;
        return mean(n, [&](std::size_t) { keep(map.emplace(1).index()); });
    });
    row("SlotMapInterface::emplace complexity", "elements, dense, amort.", constant, [](std::size_t n) {
        DenseSlotMap<int> map;
        return mean(n, [&](std::size_t) { keep(map.emplace(1).index()); });
    });
    row("SlotMapInterface::emplace complexity", "elements, described, amort.", constant, [](std::size_t n) {
        Described map;
        const int value = 1;
        return mean(n, [&](std::size_t) { keep(map.insert(&value).index()); });
    });
    row(
        "SlotMapInterface::insert_at complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            for (std::size_t i = 0; i != 100; ++i) made.map.erase(made.handles[i * (n / 100)]);
            return worst(100, [&](std::size_t i) { keep(made.map.insert_at(made.handles[i * (n / 100)], 1)); });
        },
        never_allocates);
    row(
        "SlotMapInterface::insert_at complexity", "gap", linear,
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
    row("SlotMapInterface::erase complexity", "elements", constant, erasing(std::type_identity<SlotMap<int>>()),
        never_allocates);
    row("SlotMapInterface::erase complexity", "elements, dense", constant, erasing(std::type_identity<DenseSlotMap<int>>()),
        never_allocates);
    row("SlotMapInterface::erase complexity", "elements, described", constant, erasing(std::type_identity<Described>()),
        never_allocates);
    row("SlotMapInterface::erase complexity", "elements, reuse lowest", constant,
        erasing(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lowest}>>>()), never_allocates);
    row("SlotMapInterface::erase complexity", "elements, reuse fifo", constant,
        erasing(std::type_identity<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::fifo}>>>()), never_allocates);
    row(
        "SlotMapInterface::erase_reserved complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            made.map.cancel(made.map.reserve_handle()); // the first one allocates
            return worst(500, [&](std::size_t i) { keep(made.map.erase_reserved(made.handles[(i * 7919) % n])); });
        },
        never_allocates);
    row(
        "SlotMapInterface::erase_at complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return worst(500, [&](std::size_t i) { keep(made.map.erase_at(made.handles[(i * 7919) % n].index())); });
        },
        never_allocates);
    const auto finding = []<class M>(std::type_identity<M>) {
        return [](std::size_t n) {
            auto made = filled<M>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.find(made.handles[pick(i, n)]).slot()); });
        };
    };
    row("SlotMapInterface::find complexity", "elements", constant, finding(std::type_identity<SlotMap<int>>()),
        never_allocates);
    row("SlotMapInterface::find complexity", "elements, described", constant, finding(std::type_identity<Described>()),
        never_allocates);
    row("DenseSlotMap::find complexity", "elements", constant, finding(std::type_identity<DenseSlotMap<int>>()),
        never_allocates);
    row(
        "SlotMapInterface::get complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.get(made.handles[pick(i, n)])); });
        },
        never_allocates);
    row(
        "SlotMapInterface::get complexity", "elements, described", constant,
        [](std::size_t n) {
            auto made = filled<Described>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.get(made.handles[pick(i, n)])); });
        },
        never_allocates);
    row(
        "SlotMapInterface::clear complexity", "slots, described", linear,
        [](std::size_t n) {
            auto made = filled<Described>(n);
            return once([&] { made.map.clear(); });
        },
        never_allocates);
    row(
        "SlotMapInterface::clear complexity", "slots", linear,
        [](std::size_t n) {
            auto made = filled<SlotMap<int>>(n);
            return once([&] { made.map.clear(); });
        },
        never_allocates);
    row(
        "SlotMapInterface::clear complexity", "slots, with destructors", linear,
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
    row("SlotMapInterface::shrink_to_fit complexity", "capacity", linear, shrinking(std::type_identity<SlotMap<int>>()));
    row("SlotMapInterface::shrink_to_fit complexity", "capacity, described", linear,
        shrinking(std::type_identity<Described>()));
    row("SlotMapInterface::shrink_to_fit complexity", "capacity, dense", linear,
        shrinking(std::type_identity<DenseSlotMap<int>>()));
    row("SlotMapInterface::set_max_slots complexity", "free slots", linear, [](std::size_t n) {
        auto made = filled<SlotMap<int>>(n);
        for (std::size_t i = 10; i != n; ++i) made.map.erase(made.handles[i]);
        return once([&] { keep(made.map.set_max_slots(10)); });
    });
    row("SlotMapInterface::items_present complexity", "capacity", linear, [](std::size_t n) {
        auto made = filled<SlotMap<int>>(n);
        return once([&] {
            auto present = made.map.items_present();
            keep((*present.begin()).value);
        });
    });
    row("SlotMapInterface::check_invariants complexity", "capacity", linear, [](std::size_t n) {
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
        "SlotMap::erase complexity", "MiB of values", linear,
        [](std::size_t n) {
            SlotMap<Big> map;
            map.reserve(n);
            for (std::size_t i = 1; i != n; ++i) static_cast<void>(map.emplace());
            const Big* const last = map.get(map.emplace());
            return once([&] { keep(map.erase(last)); });
        },
        never_allocates, 8);
    row(
        "DenseSlotMap::erase complexity", "elements", constant,
        [](std::size_t n) {
            auto made = filled<DenseSlotMap<int>>(n);
            return worst(100, [&](std::size_t i) { keep(made.map.erase(made.map.values().data() + (i * 7919) % (n / 2))); });
        },
        never_allocates);
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
        "SecondaryInterface::get complexity", "entries", constant,
        [](std::size_t n) {
            SecondaryMap<SlotMap<int>::handle_type, int> more;
            for (std::size_t i = 0; i != n; ++i) more.try_emplace({static_cast<slot_t>(i), 1}, 1);
            return worst(100, [&](std::size_t i) { keep(more.get({static_cast<slot_t>(pick(i, n)), 1})); });
        },
        never_allocates);
    row(
        "SecondaryInterface::get complexity", "entries, sparse", constant,
        [](std::size_t n) {
            SparseSecondaryMap<SlotMap<int>::handle_type, int> more;
            for (std::size_t i = 0; i != n; ++i) more.try_emplace({static_cast<slot_t>(i), 1}, 1);
            return worst(100, [&](std::size_t i) { keep(more.get({static_cast<slot_t>(pick(i, n)), 1})); });
        },
        never_allocates);
    row(
        "SecondaryInterface::get complexity", "far pages, per log2", constant,
        [](std::size_t n) {
            SecondaryMap<SlotMap<int>::handle_type, int> more;
            const auto far = [](std::size_t i) { return static_cast<slot_t>(0xFFFF'0000u - i * 6400); };
            for (std::size_t i = n; i-- != 0;) more.try_emplace({far(i), 1}, 1);
            Cost cost = worst(200, [&](std::size_t i) { keep(more.get({far(pick(i, n)), 1})); });
            cost.blocks /= std::log2(static_cast<double>(n));
            return cost;
        },
        never_allocates);
    row(
        "IndexMap::lower_bound complexity", "entries", constant,
        [](std::size_t n) {
            IndexMap<int> map;
            for (std::size_t i = 0; i != n; ++i) map.try_emplace(static_cast<slot_t>(2 * i), 1);
            return worst(100, [&](std::size_t i) { keep(map.lower_bound(static_cast<slot_t>(pick(i, n))).id()); });
        },
        never_allocates);
    row(
        "IndexMap::lower_bound complexity", "far pages, per log2", constant,
        [](std::size_t n) {
            IndexMap<int> map;
            const auto far = [](std::size_t i) { return static_cast<slot_t>(0xFFFF'0000u - i * 6400); };
            for (std::size_t i = n; i-- != 0;) map.try_emplace(far(i), 1);
            Cost cost = worst(200, [&](std::size_t i) { keep(map.lower_bound(far(pick(i, n)) - 1).id()); });
            cost.blocks /= std::log2(static_cast<double>(n));
            return cost;
        },
        never_allocates);
    row("SecondaryInterface::try_emplace complexity", "entries", constant, [](std::size_t n) {
        SecondaryMap<SlotMap<int>::handle_type, int> more;
        return mean(n, [&](std::size_t i) { keep(more.try_emplace({static_cast<slot_t>(i), 1}, 1).inserted); });
    });
    row("SecondaryInterface::try_emplace complexity", "packed, amortised", constant, [](std::size_t n) {
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
        "KeyedInterface::erase complexity", "elements", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return mean(500, [&](std::size_t i) { keep(set.erase(set.handle_at(static_cast<slot_t>((i * 7919) % n)))); });
        },
        never_allocates);
    row(
        "KeyedInterface::erase complexity", "elements, deferred", constant,
        [](std::size_t n) {
            auto set = keys_below<SetStorage<std::uint32_t, Options<deferring>>>(n);
            return mean(500, [&](std::size_t i) { keep(set.erase(set.handle_at(static_cast<slot_t>((i * 7919) % n)))); });
        },
        never_allocates);
    row(
        "KeyedInterface::erase_reserved complexity", "elements", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            keep(set.erase_reserved(set.handle_at(static_cast<slot_t>(n - 1)))); // the first one allocates
            return mean(500,
                        [&](std::size_t i) { keep(set.erase_reserved(set.handle_at(static_cast<slot_t>((i * 7919) % n)))); });
        },
        never_allocates);
    row(
        "KeyedInterface::KeyedInterface complexity", "elements moved", constant,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return once([&] {
                Keys moved(std::move(set));
                moved.swap(set);
            });
        },
        never_allocates);
    row("SetStorage::items_present complexity", "capacity", linear, [](std::size_t n) {
        auto set = keys_below<Keys>(n);
        return once([&] {
            auto present = set.items_present();
            keep((*present.begin()).value);
        });
    });
    row("KeyedInterface::shrink_to_fit complexity", "capacity", linear, [](std::size_t n) {
        auto set = keys_below<Keys>(n);
        for (std::size_t i = 10; i != n; ++i) set.erase(static_cast<std::uint32_t>(i));
        return once([&] { set.shrink_to_fit(); });
    });
    row(
        "KeyedInterface::clear complexity", "slots", linear,
        [](std::size_t n) {
            auto set = keys_below<Keys>(n);
            return once([&] { set.clear(); });
        },
        never_allocates);
    row(
        "KeyedInterface::clear complexity", "slots, deferred", linear,
        [](std::size_t n) {
            auto set = keys_below<SetStorage<std::uint32_t, Options<deferring>>>(n);
            return once([&] { set.clear(); });
        },
        never_allocates);
    row("KeyedInterface::check_invariants complexity", "capacity", linear, [](std::size_t n) {
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
        "SeriesInterface::contains complexity", "members, expected", constant,
        [](std::size_t n) {
            Set set;
            write(set, n, 10);
            return mean(1000, [&](std::size_t i) { keep(set.contains(static_cast<std::uint32_t>(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SeriesInterface::count_valid complexity", "members", constant,
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
    row("SeriesInterface::check_invariants complexity", "capacity", linear, [](std::size_t n) {
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
    row("capture_state complexity", "slots", linear, [](std::size_t n) {
        Dict dict;
        write(dict, n, 10);
        return once([&] { keep(capture_state(dict).added.size()); });
    });
    row("capture complexity", "members, 10 touched", constant, [](std::size_t n) {
        Set set;
        write(set, n, 10);
        return once([&] { keep(capture(set, 2).added.size()); });
    });
    row("import_stream complexity", "rows", linear, [](std::size_t n) {
        std::vector<std::uint32_t> numbers(n);
        std::iota(numbers.begin(), numbers.end(), 0u);
        test::Foreign foreign({test::numbers("key", "I", numbers), test::numbers("value", "I", numbers)});
        Map map;
        return once([&] { keep(import_stream(&foreign.stream, map)); });
    });
    row("export_stream(container, out, options) complexity", "rows", linear, [](std::size_t n) {
        SlotMap<std::uint32_t> map;
        for (std::size_t i = 0; i != n; ++i) map.insert(static_cast<std::uint32_t>(i));
        ArrowArrayStream stream;
        const auto steps = once([&] { export_stream(map, &stream); });
        keep(static_cast<std::size_t>(static_cast<bool>(OwnedStream(&stream))));
        return steps;
    });
    row("export_stream(container, out, options) complexity #2", "rows that are gathered", linear, [](std::size_t n) {
        SlotMap<bool> map;
        for (std::size_t i = 0; i != n; ++i) map.insert(i % 3 == 0);
        const auto frozen = freeze(std::move(map));
        return once([&] {
            ArrowArrayStream raw;
            export_stream(frozen, &raw);
            OwnedStream stream(&raw);
            for (OwnedArray batch = stream.next(); batch; batch = stream.next()) keep(static_cast<std::size_t>(batch->length));
        });
    });
    const auto store_of = [](std::size_t n) {
        auto store = std::make_shared<ArchetypeStore>();
        store->spawn_n(n, 1, true);
        return store;
    };
    row("export_stream(query, out, options) complexity", "rows", linear, [=](std::size_t n) {
        const auto store = store_of(n);
        const auto query = store->query<const bool>();
        return once([&] {
            ArrowArrayStream stream;
            export_stream(query, &stream);
            keep(static_cast<std::size_t>(static_cast<bool>(OwnedStream(&stream))));
        });
    });
    row("export_stream(store, query, out, options) complexity", "rows that are gathered", linear, [=](std::size_t n) {
        const auto store = store_of(n);
        const auto query = store->query<const bool>();
        return once([&] {
            ArrowArrayStream raw;
            export_stream(store, query, &raw);
            OwnedStream stream(&raw);
            for (OwnedArray batch = stream.next(); batch; batch = stream.next()) keep(static_cast<std::size_t>(batch->length));
        });
    });
    const auto window_of = [](Dict& dict, std::size_t n) {
        write(dict, 100, n);
        ArrowArrayStream stream;
        export_delta(dict, Dict::never, &stream);
        return OwnedStream(&stream);
    };
    row("export_delta complexity", "changes", linear, [&](std::size_t n) {
        Dict dict;
        write(dict, 100, n);
        const auto delta = capture(dict, 2);
        ArrowArrayStream stream{};
        const auto cost = once([&] { export_delta(delta, 1, &stream); });
        keep(static_cast<std::size_t>(OwnedStream(&stream).next()->length));
        return cost;
    });
    row("export_change_feed complexity", "changes", linear, [&](std::size_t n) {
        Dict dict;
        write(dict, 100, n);
        const auto delta = capture(dict, 2);
        ArrowArrayStream stream{};
        const auto cost = once([&] { export_change_feed(delta, &stream); });
        keep(static_cast<std::size_t>(OwnedStream(&stream).next()->length));
        return cost;
    });
    row("import_delta complexity", "rows", linear, [&](std::size_t n) {
        Dict dict;
        OwnedStream stream = window_of(dict, n);
        return once([&] { keep(import_delta<Dict::delta_type>(stream.get()).delta.added.size()); });
    });
    row("export_restore_point complexity", "slots", linear, [](std::size_t n) {
        Dict dict;
        write(dict, n, 0);
        ArrowArrayStream stream{};
        const auto cost = once([&] { export_restore_point(dict, 0, &stream); });
        keep(static_cast<std::size_t>(OwnedStream(&stream).next()->length));
        return cost;
    });
    row("restore_point complexity", "slots", linear, [](std::size_t n) {
        Dict dict, again;
        write(dict, n, 0);
        ArrowArrayStream stream{};
        export_restore_point(dict, 0, &stream);
        return once([&] { keep(restore_point(&stream, again)); });
    });
    row("apply_delta complexity", "rows", linear, [&](std::size_t n) {
        Dict dict, replica;
        OwnedStream stream = window_of(dict, n);
        return once([&] { keep(apply_delta(replica, stream.get(), Strictness::lenient) == Applied::gap ? 1u : 0u); });
    });
    row("DictDelta::to_bytes complexity", "changes", linear, [&](std::size_t n) {
        Dict dict;
        write(dict, 100, n);
        const auto delta = capture(dict, 2);
        return once([&] { keep(delta.to_bytes(1).size()); });
    });
    row("DictDelta::from_bytes complexity", "bytes", linear, [&](std::size_t n) {
        Dict dict;
        write(dict, 100, n);
        const auto bytes = capture(dict, 2).to_bytes(1);
        return once([&] { keep(Dict::delta_type::from_bytes(bytes).delta.added.size()); });
    });
    row("apply_delta(series, bytes) complexity", "changes", linear, [&](std::size_t n) {
        Dict dict, replica;
        write(dict, 100, n);
        const auto bytes = capture(dict, 2).to_bytes(Dict::never);
        return once([&] { keep(apply_delta(replica, bytes, Strictness::lenient) == Applied::gap ? 1u : 0u); });
    });
    row("apply_delta(series, bytes) complexity", "members, one changed", constant, [&](std::size_t n) {
        Dict dict;
        write(dict, n, 0);
        Dict replica = dict;
        dict.write(dict.window() + 1).set(1u, 7u);
        const auto bytes = capture(dict).to_bytes(replica.window());
        return once([&] { keep(apply_delta(replica, bytes) == Applied::gap ? 1u : 0u); });
    });
    row("stable_hash complexity", "bytes of the key", linear, [](std::size_t n) {
        const std::string text(n, 'x');
        return once([&] { keep(static_cast<std::size_t>(stable_hash(text))); });
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
    row("Xxh3::add complexity", "bytes", linear, [](std::size_t n) {
        const std::vector<std::byte> bytes(n, std::byte{7});
        detail::Xxh3 sum;
        return once([&] { sum.add(bytes); });
    });
    row("Xxh3::finish complexity", "bytes", constant, [](std::size_t n) {
        const std::vector<std::byte> bytes(n, std::byte{7});
        detail::Xxh3 sum;
        sum.add(bytes);
        return once([&] { keep(sum.finish()); });
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
    row("SeriesInterface::write complexity", "changes of the window before", linear, [](std::size_t n) {
        Set set;
        write(set, n, 10);
        {
            auto w = set.write(3);
            for (std::size_t i = 0; i != n; ++i) w.remove(static_cast<std::uint32_t>(i));
        }
        return once([&] { keep(set.write(4).is_open()); });
    });
    row("SeriesInterface::write complexity", "members, 10 changes", constant, rolling(std::type_identity<Set>(), few));
    const TypeDescriptor& number = TypeDescriptor::of<std::uint32_t>();
    const auto described = [&](std::size_t members) {
        AnyTSSStorage set(number);
        auto writer = set.write(1);
        for (std::uint32_t i = 0; i != members; ++i) writer.add(&i);
        writer.close();
        return set;
    };
    row("SeriesInterface::write complexity", "changes, described", linear, [&](std::size_t n) {
        auto set = described(n);
        set.write(3).clear();
        return once([&] { keep(set.write(4).is_open()); });
    });
    row("SeriesInterface::write complexity", "members, 10 changes, described", constant, [&](std::size_t n) {
        auto set = described(n);
        {
            auto writer = set.write(2);
            for (std::uint32_t i = 0; i != 10; ++i) writer.remove(&i);
        }
        return once([&] { keep(set.write(3).is_open()); });
    });
    row("AnyTSSWriter::insert complexity", "keys, amortised", constant, [&](std::size_t n) {
        AnyTSSStorage set(number);
        auto writer = set.write(1);
        return mean(n, [&](std::size_t i) {
            const auto key = static_cast<std::uint32_t>(i);
            writer.insert(&key);
        });
    });
    row(
        "AnyTSDWriter::set complexity", "members, of a member", constant,
        [&](std::size_t n) {
            AnyTSDStorage dict(number, number);
            auto writer = dict.write(1);
            for (std::uint32_t i = 0; i != n; ++i) writer.set(&i, &i);
            return worst(200, [&](std::size_t i) {
                const auto key = static_cast<std::uint32_t>(pick(i, n));
                writer.set(&key, &key);
            });
        },
        never_allocates);
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

void of_pools() {
    using Pool = HandlePool<struct Pooled>;
    using H = Pool::handle_type;
    const auto of_size = [](std::size_t n) {
        Pool pool;
        for (std::size_t i = 0; i != n; ++i) pool.create();
        return pool;
    };
    const auto some = [](std::size_t i, std::size_t n) { return H(static_cast<slot_t>((i * 7919) % n), 1); };
    row(
        "HandlePool::HandlePool complexity", "handles moved", constant,
        [=](std::size_t n) {
            Pool pool = of_size(n);
            return once([&] {
                Pool moved(std::move(pool));
                std::swap(moved, pool);
            });
        },
        never_allocates);
    row("HandlePool::create complexity", "handles, amortised", constant, [](std::size_t n) {
        Pool pool;
        return mean(n, [&](std::size_t) { keep(pool.create().index()); });
    });
    row(
        "HandlePool::erase complexity", "handles", constant,
        [=](std::size_t n) {
            Pool pool = of_size(n);
            return worst(500, [&](std::size_t i) { keep(pool.erase(some(i, n))); });
        },
        never_allocates);
    row(
        "HandlePool::erase_reserved complexity", "handles", constant,
        [=](std::size_t n) {
            Pool pool = of_size(n);
            pool.cancel(pool.reserve_handle()); // the first one allocates
            return worst(500, [&](std::size_t i) { keep(pool.erase_reserved(some(i, n))); });
        },
        never_allocates);
    row(
        "HandlePool::contains complexity", "handles", constant,
        [=](std::size_t n) {
            const Pool pool = of_size(n);
            return worst(100, [&](std::size_t i) { keep(pool.contains(some(i, 2 * n))); });
        },
        never_allocates);
    row(
        "HandlePool::clear complexity", "slots", linear,
        [=](std::size_t n) {
            Pool pool = of_size(n);
            return once([&] { pool.clear(); });
        },
        never_allocates);
    row("HandlePool::shrink_to_fit complexity", "capacity", linear, [=](std::size_t n) {
        Pool pool = of_size(n);
        pool.erase_if([](H handle) { return handle.index() > 10; });
        return once([&] { pool.shrink_to_fit(); });
    });
    row("HandlePool::items_present complexity", "capacity", linear, [=](std::size_t n) {
        Pool pool = of_size(n);
        return once([&] {
            auto present = pool.items_present();
            keep((*present.begin()).index());
        });
    });
    row("HandlePool::check_invariants complexity", "capacity", linear, [=](std::size_t n) {
        const Pool pool = of_size(n);
        return once([&] { keep(pool.check_invariants()); });
    });
    row(
        "HandlePool::memory_usage complexity", "handles", constant,
        [=](std::size_t n) {
            const Pool pool = of_size(n);
            return once([&] { keep(pool.memory_usage()); });
        },
        never_allocates);
}

void of_entities_and_states() {
    using Id = Handle<struct Unit>;
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
        "EntityIndex::create_n(count) complexity", "dead ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            index.clear();
            return once([&] { keep(index.create_n(n).size()); });
        },
        never_allocates);
    row("EntityIndex::create_n(count) complexity", "fresh ids", linear, [](std::size_t n) {
        Index index;
        return once([&] { keep(index.create_n(n).size()); });
    });
    row("EntityIndex::create_n(range, count, locate) complexity", "ids", linear, [](std::size_t n) {
        Index index;
        return once([&] { keep(index.create_n({}, n, [](slot_t i) { return i; }).size()); });
    });
    row(
        "EntityIndex::next complexity", "dead ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            index.clear();
            return mean(100, [&](std::size_t i) { keep(index.next(pick(i, n)).index()); });
        },
        never_allocates);
    row(
        "EntityIndex::next complexity", "ranges", linear,
        [](std::size_t n) {
            Index index;
            for (slot_t i = 0; i != n / 32; ++i) index.add_range(i, i + 1);
            return once([&] { keep(index.next().index()); });
        },
        never_allocates);
    row(
        "EntityIndex::next complexity", "ids above", linear,
        [](std::size_t n) {
            Index index;
            for (slot_t i = 1; i <= n; ++i) index.make_alive(Id(i, 1));
            return once([&] { keep(index.next(1).index()); });
        },
        never_allocates);
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
        "EntityIndex::erase_reserved complexity", "ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            return mean(100, [&](std::size_t i) { keep(index.erase_reserved(id_of(i, n))); });
        },
        never_allocates);
    row(
        "EntityIndex::fulfill complexity", "ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            for (std::size_t i = 0; i != 100; ++i) index.erase_reserved(id_of(i, n));
            return mean(100, [&](std::size_t i) { keep(index.fulfill(id_of(i, n))); });
        },
        never_allocates);
    row(
        "EntityIndex::cancel complexity", "ids", constant,
        [=](std::size_t n) {
            Index index = of_size(n);
            for (std::size_t i = 0; i != 100; ++i) index.erase_reserved(id_of(i, n));
            return mean(100, [&](std::size_t i) { keep(index.cancel(id_of(i, n))); });
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

using SoaRows = SoaVector<std::uint32_t, double>;
SoaRows rows_below(std::size_t n) {
    SoaRows rows;
    rows.reserve(2 * n);
    for (std::size_t i = 0; i != n; ++i) rows.push_back(static_cast<std::uint32_t>(i), 1.0);
    return rows;
}
void of_rows() {
    row("BasicSoaVector::push_back complexity", "rows, amortised", constant, [](std::size_t n) {
        SoaRows rows;
        return mean(n, [&](std::size_t i) { rows.push_back(static_cast<std::uint32_t>(i), 1.0); });
    });
    row("BasicSoaVector::emplace_back complexity", "rows, amortised", constant, [](std::size_t n) {
        SoaRows rows;
        return mean(n, [&](std::size_t i) { rows.emplace_back(static_cast<std::uint32_t>(i), [] { return 1.0; }); });
    });
    const auto once_of = [](auto act) {
        return [act](std::size_t n) {
            SoaRows rows = rows_below(n);
            return once([&] { act(rows); });
        };
    };
    row("BasicSoaVector::insert complexity", "rows behind it", linear, once_of([](SoaRows& rows) { rows.insert(0, 1u, 1.0); }),
        never_allocates);
    row("BasicSoaVector::erase complexity", "rows behind it", linear, once_of([](SoaRows& rows) { rows.erase(0); }),
        never_allocates);
    row("BasicSoaVector::swap_erase complexity", "rows", constant, once_of([](SoaRows& rows) { rows.swap_erase(0); }),
        never_allocates);
    row("BasicSoaVector::clear complexity", "rows of trivial types", constant, once_of([](SoaRows& rows) { rows.clear(); }),
        never_allocates);
    row("BasicSoaVector::erase_if complexity", "rows", linear,
        once_of([](SoaRows& rows) { rows.erase_if([](const auto& each) { return each.template get<0>() % 3 == 0; }); }),
        never_allocates);
    row("BasicSoaVector::sort complexity", "rows", linearithmic, [](std::size_t n) {
        SoaRows rows = rows_below(n);
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
        "SparseInterface::contains complexity", "ids", constant,
        [=](std::size_t n) {
            const auto map = below(n);
            return mean(100, [&](std::size_t i) { keep(map.contains(static_cast<Id>(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SparseInterface::erase complexity", "ids", constant,
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
    row("SparseInterface::sort_like complexity", "ids of the other", linear, [=](std::size_t n) {
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

/// A graph of sets of numbers, whose nodes are numbers too.
using Graph = ArchetypeGraph<int, std::uint32_t>;
constexpr auto make_node = [](auto, std::span<const std::uint32_t> ids) { return static_cast<int>(ids.size()); };
/// `n` ids from `first` on.
std::vector<std::uint32_t> ids_from(std::size_t n, std::uint32_t first = 0) {
    std::vector<std::uint32_t> ids(n);
    std::iota(ids.begin(), ids.end(), first);
    return ids;
}
/// One relation with pairs for `n` targets.
struct Relation {
    ComponentRegistry registry{};
    ComponentId likes = registry.add_relation("likes"), tag = registry.add_tag("tag");
    ComponentId to(std::size_t target) const { return pair(likes, Entity(static_cast<slot_t>(target), 1)); }
    std::vector<ComponentId> all(std::size_t n) const {
        std::vector<ComponentId> pairs;
        for (std::size_t i = 0; i != n; ++i) pairs.push_back(to(i));
        return pairs;
    }
    /// A table for each of n pairs, and those with the tag too.
    void fill(detail::ArchetypeTables& tables, std::size_t n) const {
        for (std::size_t i = 0; i != n; ++i) tables.add(tables.add(0, to(i)).table, tag);
    }
};

/// A registry with n components of int, and tables of them.
struct ManyComponents {
    ComponentRegistry registry{};
    std::vector<ComponentId> ids{};

    explicit ManyComponents(std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) ids.push_back(registry.add(std::to_string(i), TypeDescriptor::of<int>()));
    }
    /// Of all of them but the last `without`, with room for rows.
    Table table(std::size_t without = 0) const {
        Table made(registry, std::span(ids).first(ids.size() - without));
        made.reserve(8);
        return made;
    }
};
constexpr auto build_int = [](std::size_t column, void* to) { ::new (to) int(static_cast<int>(column)); };

void of_tables() {
    row("ColumnMapping::ColumnMapping complexity", "ids", linear, [](std::size_t n) {
        const ManyComponents many(n);
        const Table from = many.table(1), to = many.table();
        return once([&] { keep(ColumnMapping(from, to).built().size()); });
    });
    row(
        "Table::push_back complexity", "columns", linear,
        [](std::size_t n) {
            Table table = ManyComponents(n).table();
            return once([&] { keep(table.push_back(Entity(1, 1), 1, build_int)); });
        },
        never_allocates);
    row(
        "Table::swap_erase complexity", "columns", linear,
        [](std::size_t n) {
            Table table = ManyComponents(n).table();
            for (slot_t i = 0; i != 2; ++i) table.push_back(Entity(i, 1), 1, build_int);
            return once([&] { keep(table.swap_erase(0).index()); });
        },
        never_allocates);
    row(
        "Table::move_row complexity", "columns", linear,
        [](std::size_t n) {
            const ManyComponents many(n);
            Table from = many.table(1), to = many.table();
            const ColumnMapping map(from, to);
            for (slot_t i = 0; i != 2; ++i) from.push_back(Entity(i, 1), 1, build_int);
            return once([&] { keep(Table::move_row(from, 0, to, map, 1, build_int).row); });
        },
        never_allocates);
    row("Table::append complexity", "rows", linear, [](std::size_t n) {
        Table table = ManyComponents(3).table();
        const std::vector<Entity> entities(n, Entity(1, 1));
        return once([&] {
            keep(table.append(entities, 1, [](std::size_t, void* to, std::size_t count) {
                std::uninitialized_fill_n(static_cast<int*>(to), count, 7);
            }));
        });
    });
    const auto lookups = [](auto look) {
        return [look](std::size_t n) { // of a component with a low number among many
            const ManyComponents many(n);
            const Table table = many.table();
            return worst(100, [&](std::size_t i) { keep(look(table, many.ids[i])); });
        };
    };
    row("Table::place_of complexity", "ids", constant,
        lookups([](const Table& table, ComponentId id) { return table.place_of(id); }), never_allocates);
    row("Table::column_of complexity", "ids", constant,
        lookups([](const Table& table, ComponentId id) { return table.column_of(id); }), never_allocates);
    row("Table::column_of_own complexity", "ids", constant,
        lookups([](const Table& table, ComponentId id) { return table.column_of_own(id); }), never_allocates);
    row("Table::contains complexity", "ids", constant,
        lookups([](const Table& table, ComponentId id) { return table.contains(id); }), never_allocates);
    row(
        "Table::clamp_ticks complexity", "rows", linear,
        [](std::size_t n) {
            ComponentRegistry registry;
            const ComponentId id = registry.add_tag("tracked", {.tracked = true});
            Table table(registry, std::span(&id, 1));
            table.append(std::vector<Entity>(n, Entity(1, 1)), 1, [](std::size_t, void*, std::size_t) {});
            return once([&] { table.clamp_ticks(2); });
        },
        never_allocates);
    row(
        "ComponentRegistry::id complexity", "components", constant,
        [](std::size_t n) {
            ManyComponents many(n);
            keep(many.registry.id<float>().bits());
            return worst(100, [&](std::size_t) { keep(many.registry.id<float>().bits()); });
        },
        never_allocates);
    row(
        "ComponentRegistry::find complexity", "components", constant,
        [](std::size_t n) {
            const ManyComponents many(n);
            return mean(1000, [&](std::size_t i) {
                keep(many.registry.find(std::to_string(pick(i, n))).bits());
                keep(many.registry.find<float>().bits());
            });
        },
        never_allocates);
    row(
        "BasicTickColumn::mark complexity", "rows", linear,
        [](std::size_t n) {
            TickColumn column(16 * n, 1);
            return once([&] { column.mark(0, 16 * n, 2); });
        },
        never_allocates);
}

void of_archetypes() {
    row("ArchetypeGraph::find complexity", "ids", linear, [](std::size_t n) {
        Graph graph;
        graph.insert(ids_from(n), make_node);
        return once([&] { keep(graph.find(ids_from(n)).is_null()); });
    });
    row("ArchetypeGraph::insert complexity", "ids", linear, [](std::size_t n) {
        Graph graph;
        return once([&] { keep(graph.insert(ids_from(n), make_node).is_null()); });
    });
    row("ArchetypeGraph::erase complexity", "edges of the node", linear, [](std::size_t n) {
        Graph graph;
        const auto node = graph.insert({}, make_node);
        for (const std::uint32_t id : ids_from(n)) graph.add(node, id, make_node);
        return once([&] { keep(graph.erase(node)); });
    });
    const auto with_nodes = [](std::size_t n) {
        Graph graph;
        const auto root = graph.insert({}, make_node);
        for (const std::uint32_t id : ids_from(n)) graph.add_all(root, ids_from(2, id), make_node);
        return graph;
    };
    row(
        "ArchetypeGraph::add complexity", "nodes, cached", constant,
        [=](std::size_t n) {
            Graph graph = with_nodes(n);
            const auto root = graph.root();
            graph.add(root, 7, make_node);
            return worst(100, [&](std::size_t) { keep(graph.add(root, 7, make_node).edge); });
        },
        never_allocates);
    row(
        "ArchetypeGraph::add_all complexity", "nodes, the last one", constant,
        [=](std::size_t n) {
            Graph graph = with_nodes(n);
            const std::uint32_t ids[] = {3, 999'999};
            graph.add_all(graph.root(), ids, make_node);
            return worst(100, [&](std::size_t) { keep(graph.add_all(graph.root(), ids, make_node).edge); });
        },
        never_allocates);

    using Index = ComponentIndex<std::uint32_t, std::uint32_t>;
    const auto no_column = [](slot_t) { return -1; };
    const auto indexed = [=](std::size_t n) {
        Index index;
        for (std::uint32_t table = 0; table != n; ++table) index.insert(table, ids_from(4, table / 2), no_column);
        return index;
    };
    row(
        "ComponentIndex::tables complexity", "tables", constant,
        [=](std::size_t n) {
            const Index index = indexed(n);
            return mean(100, [&](std::size_t i) { keep(index.tables(static_cast<std::uint32_t>(pick(i, n / 2))).size()); });
        },
        never_allocates);
    row(
        "ComponentIndex::find complexity", "tables", constant,
        [=](std::size_t n) {
            const Index index = indexed(n);
            return mean(100, [&](std::size_t i) {
                const auto table = static_cast<std::uint32_t>(pick(i, n));
                keep(index.find(table / 2 + 1, table));
            });
        },
        never_allocates);
    row("ComponentIndex::erase complexity", "tables, amortised", constant, [=](std::size_t n) {
        Index index = indexed(n);
        return mean(n, [&](std::size_t i) { keep(index.erase(static_cast<std::uint32_t>(i * 7919 % n))); });
    });
    const Relation relation;
    row("ComponentIndex::insert complexity", "pairs of the table", linearithmic, [&](std::size_t n) {
        ComponentIndex<int> index;
        const auto pairs = relation.all(n);
        return once([&] { index.insert(1, pairs, no_column); });
    });
    row("ComponentIndex::for_each_match complexity", "ids of the table", linear, [&](std::size_t n) {
        ComponentIndex<int> index;
        index.insert(1, relation.all(n), no_column);
        return once(
            [&] { index.for_each_match(pair(relation.likes, any), 1, [](ComponentId id, const auto&) { keep(id.bits()); }); });
    });
    row("ComponentIndex::reorder complexity", "tables", linearithmic, [=](std::size_t n) {
        Index index = indexed(n);
        std::vector<std::uint32_t> order(n);
        for (std::size_t i = 0; i != n; ++i) order[i] = static_cast<std::uint32_t>(i * 7919 % n);
        return once([&] { index.reorder(order); });
    });

    using Cache = detail::QueryCache;
    // As ids_from, of components.
    const auto components_from = [](std::size_t n, std::uint32_t first = 0) {
        std::vector<ComponentId> ids(n);
        for (std::size_t i = 0; i != n; ++i)
            ids[i] = detail::ComponentIdParts::make(1, first + static_cast<std::uint32_t>(i) + 1);
        return ids;
    };
    // An index and a cache of tables that are asked for nothing.
    struct Cached {
        explicit Cached(std::size_t n) : tables(n) {}
        std::vector<Table> tables;
        ComponentIndex<Table*> index{};
        Cache cache{};
    };
    const auto cached = [=](std::size_t n, std::size_t room) {
        auto made = std::make_unique<Cached>(room);
        for (std::uint32_t table = 0; table != n; ++table)
            made->index.insert(&made->tables[table], components_from(4, table / 2), no_column);
        return made;
    };
    row("QueryCache::reorder complexity", "tables of a query", linearithmic, [=](std::size_t n) {
        const auto made = cached(n, n);
        made->cache.make({}, made->index);
        std::vector<Table*> order(n);
        for (std::size_t i = 0; i != n; ++i) order[i] = &made->tables[i * 7919 % n];
        made->index.reorder(order);
        return once([&] { made->cache.reorder(made->index); });
    });
    row("QueryCache::make complexity", "tables with the rarest id", linear, [=](std::size_t n) {
        const auto made = cached(0, 2 * n);
        for (std::uint32_t table = 0; table != 2 * n; ++table)
            made->index.insert(&made->tables[table], components_from(1 + table % 2), no_column);
        return once([&] { keep(made->cache.make(components_from(2), made->index).size()); });
    });
    row("QueryCache::insert complexity", "tables and other queries, amortised", constant, [=](std::size_t n) {
        const auto made = cached(n, 2 * n);
        for (std::uint32_t id = 0; id != n; ++id) made->cache.make(components_from(2, 1000 + id), made->index);
        return mean(n, [&](std::size_t i) {
            made->index.insert(&made->tables[n + i], components_from(3), no_column);
            made->cache.insert(&made->tables[n + i], made->index);
        });
    });

    using Tables = detail::ArchetypeTables;
    row("ArchetypeTables::find complexity", "ids", linear, [&](std::size_t n) {
        Tables tables(relation.registry);
        const auto pairs = relation.all(n);
        tables.find_or_make(pairs);
        return once([&] { keep(tables.find(pairs)); });
    });
    row(
        "ArchetypeTables::add complexity", "tables, when the step was made", constant,
        [&](std::size_t n) {
            Tables tables(relation.registry);
            relation.fill(tables, n / 4);
            tables.add(0, relation.tag);
            return worst(100, [&](std::size_t) { keep(tables.add(0, relation.tag).table); });
        },
        never_allocates);
    row("ArchetypeTables::erase_empty complexity", "tables", linear, [&](std::size_t n) {
        Tables tables(relation.registry);
        relation.fill(tables, n / 4);
        return once([&] { keep(tables.erase_empty()); });
    });
    row("ArchetypeTables::erase_tables_with complexity", "tables that have it", linear, [&](std::size_t n) {
        Tables tables(relation.registry);
        relation.fill(tables, n / 4);
        return once([&] { keep(tables.erase_tables_with(relation.tag)); });
    });
    row("ArchetypeTables::reorder complexity", "tables", linearithmic, [&](std::size_t n) {
        Tables tables(relation.registry);
        relation.fill(tables, n / 4);
        std::vector<Table*> order;
        tables.for_each([&](slot_t, Table& table) { order.push_back(&table); });
        for (std::size_t i = 0; i != order.size(); ++i) std::swap(order[i], order[pick(i, order.size())]);
        return once([&] { tables.reorder(order); });
    });
    row("ArchetypeTables::query complexity", "tables with the rarest id", linear, [&](std::size_t n) {
        Tables tables(relation.registry);
        relation.fill(tables, n / 4);
        return once([&] { keep(tables.query(std::span<const ComponentId>(&relation.tag, 1)).size()); });
    });
}

void of_relations_and_events() {
    using Id = std::uint32_t;
    using Relations = RelationMap<Id, Id, Id>;
    // One source with n targets, and one target with n sources: 0 to 1, 2, ..., n and n + 1, n + 2, ... to 0.
    const auto related = [](std::size_t n) {
        Relations map;
        map.insert(0, 1, 0);
        for (std::size_t i = 1; i != n; ++i) {
            map.insert(0, 1, static_cast<Id>(i));
            map.insert(static_cast<Id>(n + i), 1, 0);
        }
        return map;
    };
    const auto far = [](std::size_t i, std::size_t n) { return static_cast<Id>(1 + pick(i, n - 1)); };
    row("RelationMap::set_exclusive complexity", "sources of the relation", constant, [](std::size_t n) {
        Relations map;
        for (std::size_t i = 0; i != n; ++i) map.insert(static_cast<Id>(i), 1, 7);
        return once([&] { map.set_exclusive(1); });
    });
    row(
        "RelationMap::contains complexity", "pairs, the shorter list has 1", constant,
        [=](std::size_t n) {
            const Relations map = related(n);
            return mean(100, [&](std::size_t i) {
                keep(map.contains(0, 1, far(i, n)));
                keep(map.contains(static_cast<Id>(n) + far(i, n), 1, 0));
                keep(map.contains(0, 1, static_cast<Id>(3 * n + i)));
            });
        },
        never_allocates);
    row(
        "RelationMap::contains complexity", "pairs of both, the last one", linear,
        [=](std::size_t n) {
            Relations map = related(n);
            map.erase(0, 1, 0);
            map.insert(0, 1, 0);
            return once([&] { keep(map.contains(0, 1, 0)); });
        },
        never_allocates);
    row(
        "RelationMap::targets complexity", "targets", constant,
        [=](std::size_t n) {
            const Relations map = related(n);
            return worst(100, [&](std::size_t) { keep(map.targets(0, 1).size()); });
        },
        never_allocates);
    row("RelationMap::insert complexity", "targets, amortised", constant, [](std::size_t n) {
        Relations map;
        return mean(n, [&](std::size_t i) { keep(map.insert(0, 1, static_cast<Id>(i))); });
    });
    row("RelationMap::insert complexity", "sources, amortised", constant, [](std::size_t n) {
        Relations map;
        return mean(n, [&](std::size_t i) { keep(map.insert(static_cast<Id>(i), 1, 0)); });
    });
    row("RelationMap::insert complexity", "pairs of both, the last one", linear, [=](std::size_t n) {
        Relations map = related(n);
        map.erase(0, 1, 0);
        return once([&] { keep(map.insert(0, 1, 0)); });
    });
    row(
        "RelationMap::erase complexity", "pairs, the shorter list has 1", constant,
        [=](std::size_t n) {
            Relations map = related(n);
            return mean(100, [&](std::size_t i) {
                keep(map.erase(0, 1, far(i, n)));
                keep(map.erase(static_cast<Id>(n) + far(i, n), 1, 0));
            });
        },
        never_allocates);
    row(
        "RelationMap::erase complexity", "pairs of both, the last one", linear,
        [=](std::size_t n) {
            Relations map = related(n);
            map.erase(0, 1, 0);
            map.insert(0, 1, 0);
            return once([&] { keep(map.erase(0, 1, 0)); });
        },
        never_allocates);
    row(
        "RelationMap::erase_source complexity", "pairs of the source", linear,
        [=](std::size_t n) {
            Relations map = related(n);
            return once([&] { keep(map.erase_source(0)); });
        },
        never_allocates);
    row(
        "RelationMap::erase_target complexity", "pairs of the target", linear,
        [=](std::size_t n) {
            Relations map = related(n);
            return once([&] { keep(map.erase_target(0)); });
        },
        never_allocates);
    // Of other elements: each relation is looked at, and their pairs are not.
    const auto others = [](std::size_t relations, std::size_t pairs) {
        Relations map;
        for (std::size_t i = 0; i != relations; ++i)
            for (std::size_t k = 0; k != pairs; ++k) map.insert(static_cast<Id>(k), static_cast<Id>(i), static_cast<Id>(k));
        map.insert(1'000'000, 0, 1'000'000);
        return map;
    };
    row("RelationMap::erase_source complexity", "relations", linear, [=](std::size_t n) {
        Relations map = others(n, 1);
        return once([&] { keep(map.erase_source(1'000'000)); });
    });
    row("RelationMap::erase_target complexity", "relations", linear, [=](std::size_t n) {
        Relations map = others(n, 1);
        return once([&] { keep(map.erase_target(1'000'000)); });
    });
    row("RelationMap::erase_source complexity", "pairs of others", constant, [=](std::size_t n) {
        Relations map = others(1, n);
        return once([&] { keep(map.erase_source(1'000'000)); });
    });
    row("RelationMap::erase_target complexity", "pairs of others", constant, [=](std::size_t n) {
        Relations map = others(1, n);
        return once([&] { keep(map.erase_target(1'000'000)); });
    });
    row("RelationMap::clear complexity", "pairs", linear, [=](std::size_t n) {
        Relations map = related(n);
        return once([&] { map.clear(); });
    });
    row("RelationMap::clear complexity", "relations", linear, [=](std::size_t n) {
        Relations map = others(n, 1);
        return once([&] { map.clear(); });
    });

    // Events with a destructor.
    using Queue = EventQueue<std::unique_ptr<int>>;
    const auto pushed = [](std::size_t n) {
        Queue queue;
        for (std::size_t i = 0; i != n; ++i) queue.emplace();
        return queue;
    };
    row(
        "EventQueue::Reader::read complexity", "events", constant,
        [=](std::size_t n) {
            Queue queue = pushed(n);
            queue.update();
            for (std::size_t i = 0; i != n; ++i) queue.emplace();
            return worst(100, [&](std::size_t) { keep(Queue::Reader().read(queue).size()); });
        },
        never_allocates);
    row("EventQueue::push complexity", "events, amortised", constant, [](std::size_t n) {
        Queue queue;
        return mean(n, [&](std::size_t) { keep(queue.push(nullptr).get()); });
    });
    row(
        "EventQueue::update complexity", "events dropped", linear,
        [=](std::size_t n) {
            Queue queue = pushed(n);
            queue.update();
            return once([&] { queue.update(); });
        },
        never_allocates);
    row(
        "EventQueue::update complexity", "events that stay", constant,
        [=](std::size_t n) {
            Queue queue = pushed(n);
            return once([&] { queue.update(); });
        },
        never_allocates);
    row(
        "EventQueue::clear complexity", "events", linear,
        [=](std::size_t n) {
            Queue queue = pushed(n);
            queue.update();
            for (std::size_t i = 0; i != n; ++i) queue.emplace();
            return once([&] { queue.clear(); });
        },
        never_allocates);
    row(
        "EventQueue::shrink_to_fit complexity", "chunks of 1 MiB", linear,
        [](std::size_t n) {
            EventQueue<Big> queue;
            queue.reserve(n);
            return once([&] { queue.shrink_to_fit(); });
        },
        never_allocates, 32);
}

void of_what_is_outside_and_commands() {
    using detail::CommandBatch;
    using detail::SparseColumn;
    const auto e = [](std::size_t i) { return Entity(static_cast<slot_t>(i), 1); };
    const auto one = [](void* to) { ::new (to) int(1); };
    row(
        "SparseColumn::contains complexity", "entities", constant,
        [=](std::size_t n) {
            SparseColumn column(&TypeDescriptor::of<int>());
            for (std::size_t i = 0; i != n; ++i) column.emplace(e(i), one);
            return mean(100, [&](std::size_t i) { keep(column.contains(e(pick(i, 2 * n)))); });
        },
        never_allocates);
    row(
        "SparseColumn::contains complexity", "far pages, per log2", constant,
        [=](std::size_t n) {
            SparseColumn column(nullptr);
            const auto far = [=](std::size_t i) { return e((1u << 31) + 16384 * i); };
            for (std::size_t i = 0; i != n; ++i) column.emplace(far(i), one);
            Cost cost = mean(100, [&](std::size_t i) { keep(column.contains(far(pick(i, n)))); });
            cost.blocks /= std::log2(static_cast<double>(n));
            return cost;
        },
        never_allocates);
    row("SparseColumn::emplace complexity", "entities, amortised", constant, [=](std::size_t n) {
        SparseColumn column(&TypeDescriptor::of<int>());
        return mean(n, [&](std::size_t i) { keep(column.emplace(e(i), one)); });
    });
    row(
        "SparseComponents::erase complexity", "sparse components", linear,
        [=](std::size_t n) {
            ComponentRegistry registry;
            detail::SparseComponents outside(registry);
            for (std::size_t i = 0; i != n / 4; ++i)
                outside.emplace(e(1), registry.add_tag(std::to_string(i), {.sparse = true}), AnyValue());
            return once([&] { keep(outside.erase(e(1))); });
        },
        never_allocates);
    row("CommandArena::take complexity", "pieces, amortised", constant, [](std::size_t n) {
        detail::CommandArena arena;
        return mean(n, [&](std::size_t) { keep(arena.take(24, 8)); });
    });
    row(
        "CommandBatch::next complexity", "groups, amortised", constant,
        [=](std::size_t n) {
            CommandBatch batch;
            for (std::size_t i = 0; i != n; ++i) {
                detail::CommandGroup& group = batch.group(e(i));
                i < n / 2 ? batch.despawn(group) : batch.count(group);
            }
            batch.next_phase();
            return mean(n / 2, [&](std::size_t) {
                keep(batch.next());
                batch.finish(1, false);
            });
        },
        never_allocates);
}

void of_stores() {
    struct Fish {
        int weight = 0;
    };
    struct Wet {};
    const auto of_size = [](ArchetypeStore& store, std::size_t n) {
        const auto made = store.spawn_n(n, Fish{1});
        return std::vector<Entity>(made.begin(), made.end());
    };
    row("ArchetypeStore::ArchetypeStore complexity", "entities", constant, [=](std::size_t n) {
        ArchetypeStore store;
        of_size(store, n);
        return once([&] {
            ArchetypeStore moved(std::move(store));
            std::swap(moved, store);
        });
    });
    row("ArchetypeStore::spawn complexity", "entities, amortised", constant, [](std::size_t n) {
        ArchetypeStore store;
        return mean(n, [&](std::size_t) { keep(store.spawn(Fish{1}).index()); });
    });
    row("ArchetypeStore::spawn_n complexity", "entities", linear, [](std::size_t n) {
        ArchetypeStore store;
        return once([&] { keep(store.spawn_n(n, Fish{1}).size()); });
    });
    row("ArchetypeStore::clone complexity", "entities, amortised", constant, [](std::size_t n) {
        ArchetypeStore store;
        const Entity source = store.spawn(1, 2.0);
        return mean(n, [&](std::size_t) { keep(store.clone(source).index()); });
    });
    row("ArchetypeStore::clone_n complexity", "entities", linear, [](std::size_t n) {
        ArchetypeStore store;
        const Entity source = store.spawn(1, 2.0);
        return once([&] { keep(store.clone_n(source, n).empty()); });
    });
    row("ArchetypeStore::add_range complexity", "pages", linear, [](std::size_t n) {
        ArchetypeStore store;
        store.reserve(64 * n);
        return once([&] { keep(store.add_range(0, static_cast<slot_t>(64 * n)) == ArchetypeStore::Range()); });
    });
    row("ArchetypeStore::add_range complexity", "pages that do not exist yet", constant, [](std::size_t n) {
        ArchetypeStore store;
        store.spawn();
        return once(
            [&] { keep(store.add_range(1 << 20, (1 << 20) + static_cast<slot_t>(256 * n)) == ArchetypeStore::Range()); });
    });
    row(
        "ArchetypeStore::despawn complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            return mean(100, [&](std::size_t i) { keep(store.despawn(entities[pick(i, n)])); });
        },
        never_allocates);
    row("ArchetypeStore::add complexity", "entities, amortised", constant, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return mean(n, [&](std::size_t i) { keep(store.add(entities[i], Wet{})); });
    });
    row("ArchetypeStore::add complexity", "entities of a list", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return once([&] { keep(store.add(entities, Wet{})); });
    });
    row("ArchetypeStore::add_each complexity", "entities", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        const std::vector<double> values(n);
        return once([&] { keep(store.add_each(entities, std::span(values))); });
    });
    row("ArchetypeStore::despawn complexity", "entities of a list", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return once([&] { keep(store.despawn(entities)); });
    });
    row("ArchetypeStore::get_or_add complexity", "entities, amortised", constant, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return mean(n, [&](std::size_t i) { keep(store.get_or_add<double>(entities[i])); });
    });
    row("ArchetypeStore::remove complexity", "entities, amortised", constant, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return mean(n, [&](std::size_t i) { keep(store.remove<Fish>(entities[i])); });
    });
    row(
        "ArchetypeStore::get complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            return mean(100, [&](std::size_t i) { keep(store.get<Fish>(entities[pick(i, n)])->weight); });
        },
        never_allocates);
    row(
        "ArchetypeStore::has complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            return mean(100, [&](std::size_t i) { keep(store.has<Wet>(entities[pick(i, n)])); });
        },
        never_allocates);
    row(
        "ComponentAccessor::get complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            const auto fish = store.accessor<Fish>();
            return mean(100, [&](std::size_t i) { keep(fish.get(entities[pick(i, n)])->weight); });
        },
        never_allocates);
    row(
        "ComponentAccessor::has complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            const auto wet = store.accessor<Wet>();
            return mean(100, [&](std::size_t i) { keep(wet.has(entities[pick(i, n)])); });
        },
        never_allocates);
    row(
        "ArchetypeStore::advance complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            store.registry().add<Fish>({.tracked = true});
            of_size(store, n);
            return mean(100, [&](std::size_t) { keep(store.advance()); });
        },
        never_allocates);
    // A fish with each of n tags, in a table each.
    const auto in_tables = [](ArchetypeStore& store, std::size_t n) {
        std::vector<Entity> entities;
        for (std::size_t i = 0; i != n; ++i) {
            entities.push_back(store.spawn(Fish{1}));
            store.add(entities.back(), store.registry().add_tag(std::to_string(i)));
        }
        return entities;
    };
    row("Query::size complexity", "tables", linear, [=](std::size_t n) {
        ArchetypeStore store;
        in_tables(store, n / 8);
        const auto query = store.query<const Fish>();
        query.warm();
        return once([&] { keep(query.size()); });
    });
    row("Query::size complexity", "rows, every other one left out", linear, [=](std::size_t n) {
        ArchetypeStore store;
        store.registry().add<Fish>({.toggle = true});
        const auto entities = of_size(store, n);
        for (std::size_t i = 0; i < n; i += 2) store.disable<Fish>(entities[i]);
        const auto query = store.query<const Fish>();
        query.warm();
        return once([&] { keep(query.size()); });
    });
    row(
        "Query::contains complexity", "entities", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const auto entities = of_size(store, n);
            const auto query = store.query<Fish>().exclude<Wet>();
            return mean(100, [&](std::size_t i) { keep(query.contains(entities[i * (n / 100)]) && query.get(entities[i])); });
        },
        never_allocates);
    row("Query::cascade complexity", "entities, each the parent of the next", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", {.exclusive = true});
        const auto entities = of_size(store, n / 16);
        for (std::size_t i = 1; i != entities.size(); ++i) store.relate(entities[i - 1], child_of, entities[i]);
        const auto query = store.query<const Fish>().up<const Fish>(child_of);
        return once([&] { query.for_each([](const Fish&, const Fish* parent) { keep(parent != nullptr); }); });
    });
    row(
        "ArchetypeStore::removed complexity", "removals that are kept, per log2", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            store.keep_removed<Fish>();
            for (const Entity entity : of_size(store, n)) store.despawn(entity);
            Cost cost = once([&] { keep(store.removed<Fish>(0).size()); });
            cost.blocks /= std::log2(static_cast<double>(n));
            return cost;
        },
        never_allocates);
    row(
        "ArchetypeStore::forget_removed complexity", "removals that stay", linear,
        [=](std::size_t n) {
            ArchetypeStore store;
            store.keep_removed<Fish>();
            store.despawn(store.spawn(Fish{1}));
            const tick_t first = store.advance();
            for (const Entity entity : of_size(store, n)) store.despawn(entity);
            return once([&] { store.forget_removed(first); });
        },
        never_allocates);
    row(
        "ArchetypeStore::targets complexity", "components, per log2", constant,
        [=](std::size_t n) {
            ArchetypeStore store;
            const ComponentId likes = store.registry().add_relation("likes");
            std::vector<ComponentId> pairs;
            for (const Entity target : of_size(store, n / 16)) pairs.push_back(pair(likes, target));
            const Entity entity = store.spawn();
            store.add(entity, pairs);
            Cost cost = once([&] { keep(store.targets(entity, likes).size()); });
            cost.blocks /= std::log2(static_cast<double>(n / 16));
            return cost;
        },
        never_allocates);
    row(
        "ArchetypeStore::sources complexity", "tables that have the pair", linear,
        [=](std::size_t n) {
            ArchetypeStore store;
            const ComponentId likes = store.registry().add_relation("likes");
            const Entity target = store.spawn();
            for (const Entity entity : in_tables(store, n / 8)) store.relate(entity, likes, target);
            return once([&] { keep(store.sources(likes, target).size()); });
        },
        never_allocates);
    row("ArchetypeStore::for_each_descendant complexity", "descendants", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", {.exclusive = true});
        const Entity root = store.spawn();
        for (const Entity entity : of_size(store, n)) store.relate(entity, child_of, root);
        return once([&] { store.for_each_descendant(root, child_of, [](Entity, std::size_t depth) { keep(depth); }); });
    });
    row("ArchetypeStore::snapshot_of complexity", "entities", linear, [=](std::size_t n) {
        ArchetypeStore store;
        const auto entities = of_size(store, n);
        return once([&] { keep(store.snapshot_of(entities, AnyCodec().add<Fish>()).size()); });
    });
    row("ArchetypeStore::snapshot_of complexity", "entities in disorder", linearithmic, [=](std::size_t n) {
        ArchetypeStore store;
        auto entities = of_size(store, n);
        for (std::size_t i = n; i > 1; --i) std::swap(entities[i - 1], entities[pick(i, i)]);
        return once([&] { keep(store.snapshot_of(entities, AnyCodec().add<Fish>()).size()); });
    });
    row("ArchetypeStore::insert_snapshot complexity", "entities", linear, [=](std::size_t n) {
        ArchetypeStore store, other;
        const auto bytes = store.snapshot_of(of_size(store, n), AnyCodec().add<Fish>());
        other.registry().id<Fish>();
        return once([&] { keep(other.insert_snapshot(bytes, AnyCodec().add<Fish>()).size()); });
    });
    row("ArchetypeStore::resource complexity", "entities", constant, [=](std::size_t n) {
        ArchetypeStore store;
        of_size(store, n);
        store.emplace_resource<Fish>(2);
        return mean(100, [&](std::size_t) { keep(store.resource<Fish>().weight); });
    });
    row("ArchetypeStore::emplace_resource complexity", "entities", constant, [=](std::size_t n) {
        ArchetypeStore store;
        of_size(store, n);
        return mean(100, [&](std::size_t i) { keep(store.emplace_resource<Fish>(static_cast<int>(i)).weight); });
    });
    row("ArchetypeStore::relate complexity", "pairs of the target, of a sparse relation", constant, [=](std::size_t n) {
        ArchetypeStore store;
        const ComponentId likes = store.registry().add_relation("likes", {.sparse = true});
        const Entity target = store.spawn(), last = store.spawn();
        for (const Entity entity : of_size(store, n)) store.relate(entity, likes, target);
        return once([&] { keep(store.relate(last, likes, target)); });
    });
    const auto chain = [=](ArchetypeStore& store, const ComponentTraits& traits, std::size_t n) {
        const ComponentId child_of = store.registry().add_relation("child of", traits);
        const auto entities = of_size(store, n);
        for (std::size_t i = 1; i != entities.size(); ++i) store.relate(entities[i - 1], child_of, entities[i]);
        return child_of;
    };
    for (const bool sparse : {false, true}) {
        row("ArchetypeStore::relate complexity", "ancestors of the target, of an acyclic relation", linear, [=](std::size_t n) {
            ArchetypeStore store;
            const ComponentId child_of = chain(store, {.sparse = sparse, .exclusive = true, .acyclic = true}, n);
            const Entity top = store.spawn(), below = store.spawn();
            store.relate(below, child_of, top); // something is related to the one that gets a parent
            return once([&] { keep(store.relate(top, child_of, store.entities().front())); });
        });
        row(
            "ArchetypeStore::ancestors complexity", "ancestors", linear,
            [=](std::size_t n) {
                ArchetypeStore store;
                const ComponentId child_of = chain(store, {.sparse = sparse, .exclusive = true}, n);
                return once([&] {
                    for (const Entity each : store.ancestors(store.entities().front(), child_of)) keep(each.index());
                });
            },
            never_allocates);
    }
    row("ArchetypeStore::relate_before complexity", "siblings", constant, [=](std::size_t n) {
        ArchetypeStore store;
        const ComponentId child_of = store.registry().add_relation("child of", {.sparse = true, .exclusive = true});
        const Entity parent = store.spawn(), last = store.spawn();
        const auto entities = of_size(store, n);
        for (const Entity entity : entities) store.relate(entity, child_of, parent);
        return once([&] { keep(store.relate_before(last, child_of, parent, entities[n / 2])); });
    });
    row("ArchetypeStore::apply complexity", "commands", linear, [=](std::size_t n) {
        ArchetypeStore store;
        CommandBuffer buffer(store);
        for (const Entity entity : of_size(store, n)) {
            buffer.set(entity, Fish{2});
            buffer.add<Wet>(entity);
        }
        return once([&] { keep(store.apply(buffer)); });
    });
}

/// A graph with a chain of n nodes, evaluated.
struct OfChain {
    explicit OfChain(std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            nodes.push_back(graph.add(1, 2, 1));
            if (i != 0) static_cast<void>(graph.connect(nodes[i - 1], 0, nodes[i], 0));
        }
        evaluate();
    }
    std::size_t evaluate() {
        return graph.evaluate([](int node, auto& context) { context.set_output(0, context.input(0) + node); }).ran;
    }
    using Graph = DataflowGraph<int, int>;
    Graph graph{};
    std::vector<Graph::handle_type> nodes{};
};

void of_dataflow() {
    row("DataflowGraph::add complexity", "nodes, amortised", constant, [](std::size_t n) {
        OfChain::Graph graph;
        return mean(n, [&](std::size_t) { keep(graph.add(1, 2, 1).to_bits()); });
    });
    row("DataflowGraph::add complexity", "pins", linear, [](std::size_t n) {
        OfChain::Graph graph;
        graph.reserve(1, n);
        return once([&] { keep(graph.add(1, n / 2, n / 2).to_bits()); });
    });
    row("DataflowGraph::set_pins complexity", "pins", linear, [](std::size_t n) {
        OfChain::Graph graph;
        const auto node = graph.add(1, n, n);
        return once([&] { keep(graph.set_pins(node, n, n + 1)); });
    });
    row("DataflowGraph::set_pins complexity", "consumers", linear, [](std::size_t n) {
        OfChain::Graph graph;
        const auto node = graph.add(1, 1, 1);
        for (std::size_t i = 0; i != n; ++i) static_cast<void>(graph.connect(node, 0, graph.add(1, 1, 1), 0));
        return once([&] { keep(graph.set_pins(node, 2, 1)); });
    });
    row(
        "DataflowGraph::erase complexity", "nodes", constant,
        [](std::size_t n) {
            OfChain chain(n);
            return mean(100, [&](std::size_t i) { keep(chain.graph.erase(chain.nodes[pick(i, n)])); });
        },
        never_allocates);
    row(
        "DataflowGraph::erase complexity", "consumers", linear,
        [](std::size_t n) {
            OfChain::Graph graph;
            const auto node = graph.add(1, 1, 1);
            for (std::size_t i = 0; i != n; ++i) static_cast<void>(graph.connect(node, 0, graph.add(1, 1, 1), 0));
            return once([&] { keep(graph.erase(node)); });
        },
        never_allocates);
    row(
        "DataflowGraph::clear complexity", "nodes", linear,
        [](std::size_t n) {
            OfChain chain(n);
            return once([&] { chain.graph.clear(); });
        },
        never_allocates);
    row(
        "DataflowGraph::get complexity", "nodes", constant,
        [](std::size_t n) {
            OfChain chain(n);
            return worst(100, [&](std::size_t i) { keep(chain.graph.get(chain.nodes[pick(i, n)])); });
        },
        never_allocates);
    row("DataflowGraph::connect complexity", "nodes, in order", constant, [](std::size_t n) {
        OfChain chain(n);
        return worst(100, [&](std::size_t i) {
            keep(static_cast<bool>(chain.graph.connect(chain.nodes[i], 0, chain.nodes[n - 1 - i], 1)));
        });
    });
    row("DataflowGraph::connect complexity", "nodes between the ends, against the order", linearithmic, [](std::size_t n) {
        OfChain chain(n);
        auto late = chain.graph.add(1, 1, 1);
        for (int i = 0; i != 20; ++i) { // more than a few, which would go to the front
            const auto later = chain.graph.add(1, 1, 1);
            keep(static_cast<bool>(chain.graph.connect(late, 0, later, 0)));
            late = later;
        }
        return once([&] { keep(static_cast<bool>(chain.graph.connect(late, 0, chain.nodes[0], 0))); });
    });
    for (const bool forward : {false, true})
        row("DataflowGraph::connect complexity",
            forward ? "nodes, against the order, from a new one, amortised"
                    : "nodes, against the order, to a new one, amortised",
            constant, [=](std::size_t n) {
                OfChain::Graph graph;
                std::vector<OfChain::Graph::handle_type> nodes;
                for (std::size_t i = 0; i != n; ++i) nodes.push_back(graph.add(1, 1, 1));
                return mean(n - 1, [&](std::size_t i) {
                    const std::size_t to = forward ? i : n - 2 - i;
                    keep(static_cast<bool>(graph.connect(nodes[to + 1], 0, nodes[to], 0)));
                });
            });
    row(
        "DataflowGraph::evaluate complexity", "nodes, all dirty", linear,
        [](std::size_t n) {
            OfChain chain(n);
            chain.graph.set_input(chain.nodes[0], 0, 5);
            return once([&] { keep(chain.evaluate()); });
        },
        never_allocates);
    row(
        "DataflowGraph::evaluate complexity", "nodes, 10 dirty", constant,
        [](std::size_t n) {
            OfChain chain(n);
            // Each computes an equal value, so that nothing behind it runs. The words of the walk are n / 4096.
            return worst(100, [&](std::size_t i) {
                for (std::size_t k = 0; k != 10; ++k) chain.graph.mark(chain.nodes[pick(10 * i + k, n)]);
                keep(chain.evaluate());
            });
        },
        never_allocates);
    row(
        "DataflowGraph::evaluate complexity", "consumers of an output", linear,
        [](std::size_t n) {
            OfChain::Graph graph;
            const auto node = graph.add(1, 1, 1);
            for (std::size_t i = 0; i != n; ++i) static_cast<void>(graph.connect(node, 0, graph.add(1, 1, 1), 0));
            const auto forward = [](int, auto& context) { context.set_output(0, context.input(0)); };
            keep(graph.evaluate(forward).ran);
            graph.set_input(node, 0, 1);
            return once([&] { keep(graph.evaluate(forward).ran); });
        },
        never_allocates);
    for (const bool forward : {false, true})
        row("DataflowGraph::link_all complexity",
            forward ? "links of a chain, in order" : "links of a chain, against the order", linear, [=](std::size_t n) {
                OfChain::Graph graph;
                std::vector<OfChain::Graph::handle_type> nodes;
                for (std::size_t i = 0; i != n; ++i) nodes.push_back(graph.add(1, 1, 1));
                std::vector<OfChain::Graph::Link> links;
                for (std::size_t i = 1; i != n; ++i)
                    links.push_back({nodes[forward ? i - 1 : i], 0, nodes[forward ? i : i - 1], 0});
                return once([&] { keep(static_cast<bool>(graph.link_all(links))); });
            });
    row("DataflowGraph::link_all complexity", "nodes, links in order", constant, [](std::size_t n) {
        OfChain chain(n);
        const OfChain::Graph::Link links[] = {{chain.nodes[0], 0, chain.nodes[n - 1], 1},
                                              {chain.nodes[0], 0, chain.nodes[9], 1}};
        keep(static_cast<bool>(chain.graph.link_all(links))); // room
        return once([&] { keep(static_cast<bool>(chain.graph.link_all(links))); });
    });
    row("DataflowGraph::up_to_date complexity", "nodes that it depends on", linear, [](std::size_t n) {
        OfChain chain(n);
        return once([&] { keep(chain.graph.up_to_date(chain.nodes[n - 1])); });
    });
    row(
        "DataflowGraph::would_run complexity", "nodes", constant,
        [](std::size_t n) {
            const OfChain chain(n);
            return worst(100, [&](std::size_t i) { keep(chain.graph.would_run(chain.nodes[pick(i, n)])); });
        },
        never_allocates);
    row("DataflowGraph::shrink_to_fit complexity", "nodes", linear, [](std::size_t n) {
        OfChain chain(n);
        for (std::size_t i = 0; i < n; i += 4) chain.graph.erase(chain.nodes[i]);
        return once([&] { chain.graph.shrink_to_fit(); });
    });
    row(
        "DataflowGraph::check_invariants complexity", "nodes", linear,
        [](std::size_t n) {
            const OfChain chain(n);
            return once([&] { keep(chain.graph.check_invariants()); });
        },
        never_allocates);
}

/// memory_usage() of the container that fill(n) makes.
template <class Fill>
auto usage(Fill fill) {
    return [fill](std::size_t n) {
        const auto c = fill(n);
        return once([&] { keep(c.memory_usage()); });
    };
}
void of_memory_usage() {
    const auto related = []<class M>(std::type_identity<M>) {
        return [](std::size_t n) {
            M map;
            for (std::size_t i = 0; i != n; ++i) map.try_emplace(SlotMap<int>::handle_type(static_cast<slot_t>(i), 1), 1);
            return map;
        };
    };
    row("SlotMapInterface::memory_usage complexity", "elements", constant,
        usage([](std::size_t n) { return filled<SlotMap<int>>(n).map; }), never_allocates);
    row("SlotMapInterface::memory_usage complexity", "elements, packed", constant,
        usage([](std::size_t n) { return filled<DenseSlotMap<int>>(n).map; }), never_allocates);
    row("KeyedInterface::memory_usage complexity", "elements", constant, usage(map_below), never_allocates);
    row("SecondaryInterface::memory_usage complexity", "elements", constant,
        usage(related(std::type_identity<SecondaryMap<SlotMap<int>::handle_type, int>>())), never_allocates);
    row("SecondaryInterface::memory_usage complexity", "elements, packed", constant,
        usage(related(std::type_identity<SparseSecondaryMap<SlotMap<int>::handle_type, int>>())), never_allocates);
    row("IdentityMap::memory_usage complexity", "elements", constant, usage([](std::size_t n) {
            IdentityMap<int, SlotMap<int>::handle_type> map;
            for (std::size_t i = 0; i != n; ++i)
                map.insert(static_cast<int>(i), SlotMap<int>::handle_type(static_cast<slot_t>(i), 1));
            return map;
        }),
        never_allocates);
    row("SeriesInterface::memory_usage complexity", "elements", constant, usage([](std::size_t n) {
            Dict dict;
            write(dict, n, 10);
            return dict;
        }),
        never_allocates);
    row("BasicSoaVector::memory_usage complexity", "rows", constant, usage([](std::size_t n) {
            SoaVector<int, int> rows;
            for (std::size_t i = 0; i != n; ++i) rows.push_back(1, 2);
            return rows;
        }),
        never_allocates);
    row("BasicAnyRows::memory_usage complexity", "rows", constant, usage([](std::size_t n) {
            AnyRows rows{&TypeDescriptor::of<int>()};
            for (std::size_t i = 0; i != n; ++i) rows.push_back({AnyValue::of(1)});
            return rows;
        }),
        never_allocates);
    row("BasicBitColumn::memory_usage complexity", "rows", constant, usage([](std::size_t n) {
            BitColumn bits;
            for (std::size_t i = 0; i != n; ++i) bits.push_back(true);
            return bits;
        }),
        never_allocates);
    row("BasicTickColumn::memory_usage complexity", "rows", constant, usage([](std::size_t n) {
            TickColumn ticks;
            for (std::size_t i = 0; i != n; ++i) ticks.push_back(1);
            return ticks;
        }),
        never_allocates);
    row("EventQueue::memory_usage complexity", "events", constant, usage([](std::size_t n) {
            EventQueue<int> queue;
            for (std::size_t i = 0; i != n; ++i) queue.push(1);
            return queue;
        }),
        never_allocates);
    row("SparseInterface::memory_usage complexity", "ids", constant, usage([](std::size_t n) {
            SparseMap<std::uint32_t, int> map;
            for (std::size_t i = 0; i != n; ++i) map.try_emplace(static_cast<std::uint32_t>(i), 1);
            return map;
        }),
        never_allocates);
    row("EntityIndex::memory_usage complexity", "entities", constant, usage([](std::size_t n) {
            EntityIndex<Entity, EntityLocation> entities;
            for (std::size_t i = 0; i != n; ++i) entities.create();
            return entities;
        }),
        never_allocates);
    row("SwitchMap::memory_usage complexity", "values", linear, usage([](std::size_t n) {
            SwitchMap<std::uint32_t, std::uint32_t> map;
            for (std::size_t i = 0; i != n; ++i) map.set(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i));
            return map;
        }),
        never_allocates);
    row("SwitchMap::memory_usage complexity", "ids of one value", constant, usage([](std::size_t n) {
            SwitchMap<std::uint32_t, std::uint32_t> map;
            for (std::size_t i = 0; i != n; ++i) map.set(static_cast<std::uint32_t>(i), 1);
            return map;
        }),
        never_allocates);
    row("RelationMap::memory_usage complexity", "ids with pairs", linear, usage([](std::size_t n) {
            RelationMap<std::uint32_t, std::uint32_t, std::uint32_t> map;
            for (std::size_t i = 0; i != n; ++i) map.insert(static_cast<std::uint32_t>(i), 1, static_cast<std::uint32_t>(i));
            return map;
        }),
        never_allocates);
    row("ArchetypeGraph::memory_usage complexity", "nodes and edges", linear, usage([](std::size_t n) {
            ArchetypeGraph<int, std::uint32_t> graph;
            const auto make = [](auto, auto) { return 1; };
            const auto root = graph.insert(std::span<const std::uint32_t>(), make);
            for (std::size_t i = 0; i != n; ++i) {
                const std::uint32_t id[] = {static_cast<std::uint32_t>(i)};
                keep(graph.change(root, id, {}, make).node.index());
            }
            return graph;
        }),
        never_allocates);
    row("ComponentIndex::memory_usage complexity", "tables and ids", linear, usage([](std::size_t n) {
            ComponentIndex<std::uint32_t, std::uint32_t> index;
            for (std::size_t i = 0; i != n; ++i) {
                const std::uint32_t id[] = {static_cast<std::uint32_t>(i)};
                index.insert(static_cast<std::uint32_t>(i), id, [](slot_t) { return 0; });
            }
            return index;
        }),
        never_allocates);
    const auto registered = [](std::size_t n) {
        ComponentRegistry registry;
        for (std::size_t i = 0; i != n; ++i) registry.add_tag(std::to_string(i), {.toggle = true});
        return registry;
    };
    row("ComponentRegistry::memory_usage complexity", "components", linear,
        usage([=](std::size_t n) { return registered(n / 8); }), never_allocates);
    row("Table::memory_usage complexity", "ids", linear, usage([=](std::size_t n) {
            const ComponentRegistry registry = registered(n / 8);
            std::vector<ComponentId> ids;
            for (std::size_t i = 0; i != n / 8; ++i) ids.push_back(registry.id(static_cast<std::uint32_t>(i + 1)));
            return Table(registry, ids);
        }),
        never_allocates);
    row("ArchetypeStore::memory_usage complexity", "entities", constant, usage([](std::size_t n) {
            ArchetypeStore store;
            static_cast<void>(store.spawn_n(n, 1));
            return store;
        }),
        never_allocates);
    row("ArchetypeStore::memory_usage complexity", "tables and components", linear, usage([](std::size_t n) {
            ArchetypeStore store;
            for (std::size_t i = 0; i != n / 8; ++i) store.add(store.spawn(1), store.registry().add_tag(std::to_string(i)));
            return store;
        }),
        never_allocates);
    row(
        "CommandBuffer::memory_usage complexity", "kinds of commands", linear,
        [](std::size_t n) {
            ArchetypeStore store;
            CommandBuffer buffer(store);
            const Entity entity = store.spawn();
            for (std::size_t i = 0; i != n / 8; ++i) buffer.add(entity, store.registry().add_tag(std::to_string(i)));
            return once([&] { keep(buffer.memory_usage()); });
        },
        never_allocates);
    row("DataflowGraph::memory_usage complexity", "nodes", constant, usage([](std::size_t n) { return OfChain(n).graph; }),
        never_allocates);
    row(
        "ObserverArray::memory_usage complexity", "keys", linear,
        [](std::size_t n) {
            struct Nobody final : SeriesSubscriber<std::int64_t> {
                void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
            } nobody;
            ObserverArray<std::uint32_t> array;
            std::vector<Subscription<>> tokens;
            for (std::size_t i = 0; i != n; ++i)
                tokens.push_back(array.subscribe(static_cast<std::uint32_t>(i), no_slot, nobody));
            return once([&] { keep(array.memory_usage()); });
        },
        never_allocates);
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
    of_pools();
    of_entities_and_states();
    of_tables();
    of_archetypes();
    of_relations_and_events();
    of_what_is_outside_and_commands();
    of_stores();
    of_dataflow();
    of_memory_usage();
    return finish(4);
}
