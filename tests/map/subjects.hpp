// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slot maps and what follows them as subjects of support/whole.hpp. T is Tracked, or what may throw.
#ifndef SLOTWISE_TESTS_MAP_SUBJECTS_HPP
#define SLOTWISE_TESTS_MAP_SUBJECTS_HPP

#include "support/maps.hpp"
#include "support/whole.hpp"

#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/index_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>

namespace test {

template <class Storage, class T = Tracked>
struct SlotMaps {
    static constexpr bool exact_noexcept = true;
    using element = T;
    template <class A>
    using container = typename Storage::template map<T, SlotMapOptions{}, A>;

    template <class Map>
    static void fill(Map& map, int first, int count) {
        std::vector<typename Map::handle_type> handles;
        for (int i = 0; i != count; ++i) handles.push_back(put(map, first + i));
        for (std::size_t i = 4; i < handles.size(); i += 5) map.erase(handles[i]);
    }
    template <class Map>
    static Contents contents(const Map& map) {
        Contents all{static_cast<std::int64_t>(map.retired())};
        for (const auto& [handle, number] : test::contents(map)) {
            all.push_back(static_cast<std::int64_t>(handle.to_bits()));
            all.push_back(number);
        }
        return all;
    }
    template <class Map>
    static bool sound(const Map& map) {
        return map.check_invariants();
    }
    template <class Map>
    static auto future(Map& map) {
        return futures(map);
    }
};

/// AnySlotMap of the type T, which an allocator alone makes.
template <class T, class A>
struct DescribedSlots : BasicAnySlotMap<AllocBy<A>> {
    using reported_class = BasicAnySlotMap<AllocBy<A>>;
    explicit DescribedSlots(const A& alloc) : reported_class(TypeDescriptor::of<T>(), alloc) {}
    DescribedSlots(const DescribedSlots&) = default;
    DescribedSlots(DescribedSlots&&) = default;
    DescribedSlots(const DescribedSlots& other, const A& alloc) : reported_class(other, alloc) {}
    DescribedSlots(DescribedSlots&& other, const A& alloc) : reported_class(static_cast<reported_class&&>(other), alloc) {}
    DescribedSlots& operator=(const DescribedSlots&) = default;
    DescribedSlots& operator=(DescribedSlots&&) = default;
    ~DescribedSlots() = default;
};
template <class T = Tracked>
struct DescribedSlotMaps {
    using element = std::byte;
    template <class A>
    using container = DescribedSlots<T, A>;

    template <class Map>
    static void fill(Map& map, int first, int count) {
        std::vector<typename Map::handle_type> handles;
        for (int i = first; i != first + count; ++i) handles.push_back(map.emplace(AnyValue::of(T(i))));
        for (std::size_t i = 4; i < handles.size(); i += 5) map.erase(handles[i]);
    }
    template <class Map>
    static Contents contents(const Map& map) {
        Contents all;
        map.for_each([&](auto handle, const void* at) {
            all.push_back(static_cast<std::int64_t>(handle.to_bits()));
            all.push_back(static_cast<const T*>(at)->value());
        });
        return all;
    }
    template <class Map>
    static bool sound(const Map& map) {
        return map.check_invariants();
    }
    template <class Map>
    static auto future(Map& map) {
        std::vector<typename Map::handle_type> given;
        for (int i = 0; i != 40; ++i) {
            given.push_back(map.emplace(AnyValue::of(T(i))));
            if (i % 3 == 2) map.erase(given[given.size() - 2]);
        }
        return given;
    }
};

/// HandlePool; T is what its column holds, if it has one: columns keep their memory when a pool moves into other memory.
template <class T = void>
struct Pools {
    static constexpr bool exact_noexcept = true;
    using element = std::byte;
    template <class A>
    using container = std::conditional_t<std::is_void_v<T>, HandlePool<struct Pooled, AllocBy<A>>,
                                         HandlePool<struct Pooled, AllocBy<A>, Column<T>>>;

    template <class Pool>
    static void fill(Pool& pool, [[maybe_unused]] int first, int count) {
        std::vector<typename Pool::handle_type> handles;
        for (int i = 0; i != count; ++i) {
            handles.push_back(pool.create());
            if constexpr (!std::is_void_v<T>) pool.template column<T>()[handles.back().index()] = T(first + i);
        }
        for (std::size_t i = 4; i < handles.size(); i += 5) pool.erase(handles[i]);
    }
    template <class Pool>
    static Contents contents(const Pool& pool) {
        Contents all{static_cast<std::int64_t>(pool.retired())};
        for (const auto handle : pool) {
            all.push_back(static_cast<std::int64_t>(handle.to_bits()));
            if constexpr (!std::is_void_v<T>) all.push_back(number(pool.template column<T>()[handle.index()]));
        }
        return all;
    }
    template <class Pool>
    static bool sound(const Pool& pool) {
        return pool.check_invariants();
    }
    template <class Pool>
    static auto future(Pool& pool) {
        std::vector<typename Pool::handle_type> given;
        for (int i = 0; i != 40; ++i) {
            given.push_back(pool.create());
            if (i % 3 == 2) pool.erase(given[given.size() - 2]);
        }
        return given;
    }
};

using OtherHandle = Handle<struct OtherElement>;

/// SecondaryMap or SparseSecondaryMap: near and far slots.
template <template <class, class, class...> class Kind, class T = Tracked>
struct Secondaries {
    using element = T;
    template <class A>
    using container = Kind<OtherHandle, T, AllocBy<A>>;

    template <class Map>
    static void fill(Map& map, int first, int count) {
        const auto handle = [&](int i) { return OtherHandle(static_cast<slot_t>(i % 7 == 0 ? i * 1000 : i), 1); };
        for (int i = first; i != first + count; ++i) map.try_emplace(handle(i), i);
        for (int i = first + 4; i < first + count; i += 5) map.erase(handle(i));
    }
    template <class Map>
    static Contents contents(const Map& map) {
        std::map<std::uint64_t, int> by_handle;
        map.for_each([&](OtherHandle handle, const T& value) { by_handle[handle.to_bits()] = value.value(); });
        Contents all;
        for (const auto& [handle, number] : by_handle) {
            all.push_back(static_cast<std::int64_t>(handle));
            all.push_back(number);
        }
        return all;
    }
    template <class Map>
    static bool sound(const Map& map) {
        return map.check_invariants();
    }
};

/// IndexMap: near and far ids.
template <class T = Tracked>
struct Indexes {
    using element = T;
    template <class A>
    using container = IndexMap<T, AllocBy<A>>;

    template <class Map>
    static void fill(Map& map, int first, int count) {
        const auto id = [&](int i) { return static_cast<slot_t>(i % 7 == 0 ? i * 1000 : i); };
        for (int i = first; i != first + count; ++i) map.try_emplace(id(i), i);
        for (int i = first + 4; i < first + count; i += 5) map.erase(id(i));
    }
    template <class Map>
    static Contents contents(const Map& map) {
        Contents all;
        map.for_each([&](slot_t id, const T& value) {
            all.push_back(id);
            all.push_back(value.value());
        });
        return all;
    }
    template <class Map>
    static bool sound(const Map& map) {
        return map.check_invariants();
    }
};

/// Ids that are elements too.
struct IdHash {
    template <class Id>
    std::size_t operator()(const Id& id) const {
        if constexpr (!std::is_same_v<Id, Tracked>) Budget::spend();
        return static_cast<std::size_t>(id.value());
    }
};
struct IdEqual {
    template <class Id>
    bool operator()(const Id& a, const Id& b) const {
        if constexpr (!std::is_same_v<Id, Tracked>) Budget::spend();
        return a.value() == b.value();
    }
};
template <class Id = Tracked>
struct Identities {
    static constexpr bool swaps_equal_only = true; // IdentityMap::swap says so
    using element = std::byte;
    template <class A>
    using container = IdentityMap<Id, OtherHandle, HashBy<IdHash>, EqualBy<IdEqual>, AllocBy<A>>;

    template <class Map>
    static void fill(Map& map, int first, int count) {
        for (int i = first; i != first + count; ++i) map.insert(Id(i), OtherHandle(static_cast<slot_t>(i), 1));
        for (int i = first + 4; i < first + count; i += 5) map.erase(OtherHandle(static_cast<slot_t>(i), 1));
    }
    template <class Map>
    static Contents contents(const Map& map) {
        Contents all;
        map.for_each([&](const Id& id, OtherHandle handle) {
            all.push_back(id.value());
            all.push_back(static_cast<std::int64_t>(handle.to_bits()));
        });
        return all;
    }
    template <class Map>
    static bool sound(const Map& map) {
        return map.check_invariants();
    }
};

} // namespace test

#endif
