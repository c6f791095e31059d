// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Allocators that know malloc(size) only: they say so by max_alignment, and are never asked for more.
#include "support/catch.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/dense_slot_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/rows/soa_vector.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/slots/value_array.hpp>
#include <slotwise/sparse/sparse_map.hpp>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <new>

namespace {

using namespace slotwise;

// What malloc returned, and how many bytes were asked for.
std::map<void*, std::size_t> blocks;
std::size_t strictest = 0;

template <class T, std::size_t Max = alignof(std::max_align_t)>
struct Malloc {
    using value_type = T;
    template <class U>
    struct rebind {
        using other = Malloc<U, Max>;
    };
    static constexpr std::size_t max_alignment = Max;
    Malloc() = default;
    template <class U>
    Malloc(const Malloc<U, Max>&) noexcept {}
    T* allocate(std::size_t count) {
        strictest = alignof(T) > strictest ? alignof(T) : strictest;
        void* const data = std::malloc(count * sizeof(T));
        if (data == nullptr) throw std::bad_alloc();
        blocks[data] = count * sizeof(T);
        return static_cast<T*>(data);
    }
    void deallocate(T* data, std::size_t count) noexcept {
        const auto found = blocks.find(data);
        const bool known = found != blocks.end() && found->second == count * sizeof(T);
        if (!known) std::abort(); // another address or size than at allocate()
        blocks.erase(found);
        std::free(data);
    }
    friend bool operator==(Malloc, Malloc) { return true; }
};

struct alignas(128) Wide {
    int value = 0;
};

bool aligned(const Wide& wide) { return reinterpret_cast<std::uintptr_t>(&wide) % alignof(Wide) == 0; }

} // namespace

TEST_CASE("an allocator with max_alignment is asked for nothing stricter, and values are aligned", "[memory]") {
    blocks.clear();
    strictest = 0;
    {
        SlotMap<Wide, AllocBy<Malloc<Wide>>, ValueArray<Wide, Malloc<Wide>>> map;
        DenseSlotMap<Wide, AllocBy<Malloc<Wide>>> dense;
        SparseSecondaryMap<decltype(map)::handle_type, Wide, AllocBy<Malloc<Wide>>> sparse;
        MapStorage<int, Wide, AllocBy<Malloc<Wide>>> keyed;
        TSDStorage<int, Wide, AllocBy<Malloc<Wide>>> series;
        BasicSoaVector<Members<Wide, char>, AllocBy<Malloc<Wide>>> rows;
        for (int i = 0; i != 3000; ++i) {
            const auto handle = map.insert({i});
            dense.insert({i});
            sparse.insert(handle, {i});
            keyed.insert(i, Wide{i});
            series.write(1).set(i, Wide{i});
            rows.push_back(Wide{i}, 'a');
            if (i % 3 == 0) map.erase(handle);
        }
        bool right = map.size() == 2000 && keyed.size() == 3000 && series.size() == 3000;
        for (const Wide& wide : map)
            right = right && aligned(wide) && aligned(map.column<Wide>()[map.handle_of(&wide).index()]);
        for (const Wide& wide : dense) right = right && aligned(wide);
        for (const auto [handle, wide] : sparse) right = right && aligned(wide) && wide.value % 3000 == wide.value;
        for (const auto& [key, wide] : keyed) right = right && aligned(wide) && wide.value == key;
        right = right && aligned(rows.column<0>()[1]) && rows.column<0>()[2999].value == 2999;
        auto copy = map;
        map.shrink_to_fit();
        copy.clear();
        copy.shrink_to_fit();
        REQUIRE((right && copy.check_invariants() && keyed.check_invariants() && series.check_invariants()));
    }
    REQUIRE(blocks.empty());
    REQUIRE(strictest <= alignof(std::max_align_t));
}

TEST_CASE("an allocator that honours cache lines is asked for them, and for nothing stricter", "[memory]") {
    blocks.clear();
    strictest = 0;
    {
        SlotMap<Wide, AllocBy<Malloc<Wide, 64>>> map;
        SlotMap<int, AllocBy<Malloc<int, 1>>> bytes;
        for (int i = 0; i != 300; ++i) REQUIRE(aligned(map[map.insert({i})]));
        REQUIRE(strictest <= 64);
        for (int i = 0; i != 300; ++i) bytes.insert(i);
        REQUIRE(bytes.check_invariants());
    }
    REQUIRE(blocks.empty());
}
