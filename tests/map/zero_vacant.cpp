// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapOptions::zero_vacant: slots without an element read as zero bytes, whatever was done before.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/slots/snapshot.hpp>
#include <slotwise/slots/value_array.hpp>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace test;

namespace {

/// Its memory is never zero by chance.
template <class T>
struct Dirty {
    using value_type = T;
    Dirty() = default;
    template <class U>
    Dirty(const Dirty<U>&) noexcept {}
    T* allocate(std::size_t n) {
        T* const data = std::allocator<T>().allocate(n);
        std::memset(static_cast<void*>(data), 0xA5, n * sizeof(T));
        return data;
    }
    void deallocate(T* data, std::size_t n) noexcept { std::allocator<T>().deallocate(data, n); }
    friend bool operator==(const Dirty&, const Dirty&) noexcept { return true; }
};

struct Row { // with padding
    std::uint32_t id = 0;
    double x = 1.5;
    char mark = 'm';
    Row(int value = 7) noexcept : id(static_cast<std::uint32_t>(value)) {}
    int value() const noexcept { return static_cast<int>(id); }
};
static_assert(std::is_trivially_copyable_v<Row>);

struct Text {
    std::string words;
    Text(int value) : words(static_cast<std::size_t>(value % 40), 't') {}
    int value() const noexcept { return static_cast<int>(words.size()); }
};

bool is_zero(const void* data, std::size_t bytes) {
    const auto* const first = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i != bytes; ++i)
        if (first[i] != 0) return false;
    return true;
}
/// Every vacant slot below the capacity, at `checked` least one: the last slot is taken for the time, so that the views reach there.
template <class Map>
bool vacant_is_zero(Map& map, std::size_t& checked) {
    using H = typename Map::handle_type;
    H last;
    const auto end = static_cast<slot_t>(map.capacity());
    if (end != 0 && map.state(end - 1) == SlotState::free)
        for (std::uint32_t version = 1; last.is_null() && version < 64; version += 2)
            if (map.insert_at(H(end - 1, version), 3) != nullptr) last = H(end - 1, version);
    bool all = end == 0 || !last.is_null() || map.state(end - 1) != SlotState::free;
    for (const auto& chunk : std::as_const(map).chunks())
        for (std::size_t i = 0; i != chunk.values.size(); ++i) {
            if (map.state(chunk.first + static_cast<slot_t>(i)) == SlotState::live) continue;
            ++checked;
            all = all && is_zero(std::addressof(chunk.values[i]), sizeof(chunk.values[i]));
        }
    if (!last.is_null()) {
        const auto* const value = map.get(last);
        map.erase(last);
        all = all && is_zero(value, sizeof(*value));
    }
    return all && map.check_invariants();
}

/// One step of a random history.
template <class Map>
void step(Map& map, Map& other, std::vector<typename Map::handle_type>& handles, std::mt19937& random) {
    using T = typename Map::value_type;
    const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const auto any = [&] { return handles.empty() ? typename Map::handle_type() : handles[random() % handles.size()]; };
    switch (number(16)) {
    default:
        for (int i = number(40); i >= 0; --i) handles.push_back(map.emplace(number(100)));
        return;
    case 0:
    case 1:
        for (int i = number(40); i >= 0; --i) map.erase(any());
        return;
    case 2:
        handles.push_back(map.reserve_handle());
        if (number(2) == 0) map.fulfill(handles.back(), 9);
        return;
    case 3:
        map.cancel(any());
        return;
    case 4:
        map.insert_at(any(), 11); // an undo, if it is the last one of its slot
        return;
    case 5:
        if (number(4) == 0) map.clear();
        return;
    case 6:
        map.shrink_to_fit();
        return;
    case 7:
        map.reserve(map.size() + static_cast<std::size_t>(number(300)));
        return;
    case 8:
        map.swap(other);
        return;
    case 9:
        handles.push_back(map.insert_with([&](auto) { return T(5); }));
        return;
    case 10:
        if constexpr (std::is_move_constructible_v<T>) static_cast<void>(map.extract(any()));
        return;
    case 11:
        other = std::move(map);
        return;
    case 12:
        if constexpr (std::is_copy_constructible_v<T>) other = map;
        return;
    case 13:
        map.erase_if([&](const T& value) { return value.value() % 3 == 0; });
        return;
    case 14:
        map.restore(other.snapshot(NumberCodec()), NumberCodec());
        return;
    case 15:
        if constexpr (std::is_move_constructible_v<T>) map.swap_values(any(), any());
        return;
    }
}

template <class Map>
void history() {
    const NothingLeaks scope;
    std::size_t checked = 0;
    for (unsigned seed = 1; seed != 6; ++seed) {
        Map map, other;
        std::vector<typename Map::handle_type> handles;
        std::mt19937 random(seed);
        for (int i = 0; i != 150; ++i) {
            step(map, other, handles, random);
            REQUIRE((vacant_is_zero(map, checked) && vacant_is_zero(other, checked)));
        }
    }
    REQUIRE(checked > 10'000);
}

template <Reuse R>
constexpr SlotMapOptions zeroing{.reuse = R, .page_slots = 64, .zero_vacant = true};
constexpr SlotMapOptions few{
    .handle = {.index_bits = 10, .version_bits = 6, .user_bits = 0}, .first_slot = 1, .zero_vacant = true};

} // namespace

TEST_CASE("with zero_vacant every vacant slot is zero bytes after each step of a random history", "[zero_vacant]") {
    history<SlotMap<Row, Options<zeroing<Reuse::lowest>>, AllocBy<Dirty<Row>>>>();
    history<SlotMap<Row, Options<zeroing<Reuse::fifo>>, AllocBy<Dirty<Row>>, Column<int>>>();
    history<SlotMap<Text, Options<few>, AllocBy<Dirty<Text>>>>();
    history<SlotMap<NonMovable, Options<few>, AllocBy<Dirty<NonMovable>>>>();
    history<SlotMap<Big, Options<SlotMapOptions{.zero_vacant = true}>, AllocBy<Dirty<Big>>>>(); // the first 64 lie apart
    history<Reserved::map<OverAligned<128>, SlotMapOptions{.max_slots = 8192, .zero_vacant = true}>>();
}

TEST_CASE("with zero_vacant an observer that attaches at run time changes nothing", "[zero_vacant]") {
    struct Nothing final : SlotObserver {};
    Nothing observer;
    std::size_t checked = 0;
    SlotMap<Row, Options<zeroing<Reuse::lowest>>, AllocBy<Dirty<Row>>> map;
    const auto token = map.attach(observer);
    std::vector<decltype(map)::handle_type> handles;
    for (int i = 0; i != 100; ++i) handles.push_back(map.emplace(i));
    for (std::size_t i = 0; i < 100; i += 2) map.erase(handles[i]);
    REQUIRE(vacant_is_zero(map, checked));
    map.clear();
    REQUIRE((vacant_is_zero(map, checked) && checked > 150));
}

#if defined(__cpp_exceptions)
TEMPLATE_TEST_CASE("with zero_vacant a constructor, a conversion or an observer that throws leaves zero bytes", "[zero_vacant]",
                   Paged, Reserved) {
    struct Half { // written before it throws
        int first, second = 4;
        Half(int value) : first(value) {
            if (value < 0) throw value;
        }
    };
    struct Refuses {
        static void on_insert(slot_t slot, InsertKind) {
            if (slot % 4 == 3) throw slot;
        }
    };
    const auto run = []<class Map>(std::type_identity<Map>) {
        Map map;
        std::size_t checked = 0;
        const auto kept = map.emplace(1);
        const auto later = map.reserve_handle();
        REQUIRE_THROWS_AS(map.emplace(-1), int);
        REQUIRE_THROWS_AS(map.fulfill(later, -1), int);
        REQUIRE_THROWS_AS(map.insert_with([](auto) { return Half(-1); }), int);
        REQUIRE_THROWS_AS(map.insert_with([](auto) -> Half { throw 1; }), int);
        REQUIRE_THROWS_AS(map.insert_at(typename Map::handle_type(9, 7), -1), int);
        REQUIRE((vacant_is_zero(map, checked) && map.size() == 1 && map[kept].second == 4 && checked > 60));
    };
    constexpr SlotMapOptions zeroing_64{.max_slots = 4096, .zero_vacant = true};
    run(std::type_identity<typename TestType::template map<Half, zeroing_64, Dirty<Half>>>());
    typename TestType::template map<Row, zeroing_64, Dirty<Row>, Refuses> refused;
    std::size_t checked = 0;
    for (int i = 0; i != 3; ++i) refused.emplace(i);
    REQUIRE_THROWS_AS(refused.emplace(3), slot_t);
    const Row* const place = refused.get(refused.handle_at(slot_t{2})) + 1;
    REQUIRE(is_zero(place, sizeof(Row)));
    for (auto handle = refused.handle_at(slot_t{0}); refused.erase(handle); handle = refused.handle_at(slot_t{0})) ++checked;
    REQUIRE((checked == 1 && is_zero(place - 3, sizeof(Row))));
}
#endif

#if SLOTWISE_VIRTUAL_MEMORY
TEST_CASE("with zero_vacant and Growth::reserve C code reads the whole array by its address", "[zero_vacant][promises]") {
    constexpr SlotMapOptions for_c{.growth = Growth::reserve, .max_slots = 4096, .zero_vacant = true};
    SlotMap<Row, Options<for_c>> map;
    map.reserve(4096);
    const Row* const rows = map.slot_span().data(); // what a C library was given
    const auto count = [&] {
        std::size_t live = 0;
        for (std::size_t i = 0; i != map.capacity(); ++i) live += !is_zero(rows + i, sizeof(Row));
        return live;
    };
    REQUIRE((map.capacity() == 4096 && count() == 0));
    std::vector<decltype(map)::handle_type> handles;
    for (int i = 0; i != 4096; ++i) handles.push_back(map.emplace(i));
    REQUIRE(count() == 4096);
    for (std::size_t i = 0; i < 4096; i += 3) map.erase(handles[i]);
    REQUIRE(count() == map.size());
    map.erase_if([](const Row& row) { return row.id >= 100; });
    map.shrink_to_fit();
    REQUIRE((map.slot_span().data() == rows && map.slot_span().size() == 99 + 1 - (99 % 3 == 0)));
    REQUIRE(count() == map.size());
    map.reserve(4096);
    REQUIRE(count() == map.size());
    map.clear();
    REQUIRE((count() == 0 && map.slot_span().data() == rows));
}
#endif
