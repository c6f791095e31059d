// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/soa_slot_map.hpp>

#include <string>

using namespace test;

TEST_CASE("SoaSlotMap: columns, rows and handles agree", "[soa_slot_map]") {
    SoaSlotMap<int, std::string, double> map;
    using handle_type = decltype(map)::handle_type;
    std::vector<handle_type> handles;
    for (int i = 0; i != 50; ++i) handles.push_back(map.insert(i, std::to_string(i), i * 0.5));
    for (std::size_t i = 0; i < 50; i += 4) map.erase(handles[i]);
    REQUIRE(map.column<0>().size() == map.size());
    std::size_t row = 0;
    for (auto [number, text, half] : map.rows()) {
        REQUIRE(&number == &map.column<0>()[row]);
        REQUIRE(&text == &map.column<std::string>()[row]);
        REQUIRE(&half == &map.column<2>()[row]);
        REQUIRE(text == std::to_string(number));
        REQUIRE(map.index_of(map.handle_of_row(row)) == row);
        REQUIRE(map[map.handle_of_row(row)].get<0>() == number);
        ++row;
    }
    REQUIRE(row == map.size());
    REQUIRE(row == 37);
    map.for_each([&](handle_type handle, int& number, std::string& text, double& half) {
        REQUIRE(map[handle].get<0>() == number);
        text += "!";
        half *= 2;
    });
    REQUIRE(map[handles[1]].get<1>() == "1!");
    REQUIRE(map[handles[1]].get<2>() == 1.0);
    REQUIRE(reinterpret_cast<std::uintptr_t>(map.column<2>().data()) % 64 == 0);
}

TEST_CASE("SoaSlotMap: column() finds members and further columns by type and number", "[soa_slot_map]") {
    BasicSoaSlotMap<Members<int, float>, Column<double>, Column<std::string>> map;
    const auto a = map.insert(1, 1.5f), b = map.insert(2, 2.5f);
    map.column<double>()[a] = 7;
    map.column<std::string>().at(b) = "b";
    map.erase(map.insert(3, 3.5f));
    const auto& reader = map;
    REQUIRE(reader.column<double>().at(a) == 7);
    REQUIRE(reader.column<3>()[b] == "b");
    REQUIRE(map.column<2>()[a] == 7);
    REQUIRE(reader.column<float>()[map.index_of(b)] == 2.5f);
    REQUIRE(map.column<1>().data() == reader.column<float>().data());
    static_assert(std::is_same_v<decltype(reader.column<float>()), std::span<const float>>);
    static_assert(std::is_same_v<decltype(reader.column<double>()), ColumnView<const double>>);
    REQUIRE_THROWS_AS(map.column<double>().at(decltype(a)()), std::out_of_range);
}

TEST_CASE("SoaSlotMap: a row is bound, assigned through and extracted as a tuple", "[soa_slot_map]") {
    SoaSlotMap<int, std::unique_ptr<int>> map;
    const auto handle = map.insert(1, std::make_unique<int>(2));
    if (auto row = map.get(handle)) row->get<0>() += 10;
    auto [number, owner] = map[handle];
    *owner = 20;
    number += 1;
    REQUIRE(std::get<0>(map[handle]) == 12);
    auto taken = map.extract(handle);
    REQUIRE(taken.has_value());
    REQUIRE(*std::get<1>(*taken) == 20);
    REQUIRE_FALSE(map.get(handle));
    REQUIRE(map.get(handle) == nullptr);
}
TEST_CASE("SoaSlotMap: a row is inserted whole, and rows are sorted by the member of a type", "[soa_slot_map]") {
    SoaSlotMap<int, std::unique_ptr<int>> map;
    const auto two = map.insert({2, std::make_unique<int>(20)}), one = map.insert(std::tuple(1, std::make_unique<int>(10)));
    map.sort<int>([](int a, int b) { return a < b; });
    REQUIRE((map.index_of(one) == 0 && map.index_of(two) == 1 && *map[two].get<1>() == 20));
}
