// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SipHash-1-3 by its published vectors, and containers whose hash has a key of its own.
#include "support/catch.hpp"

#include <slotwise/core/handle.hpp>
#include <slotwise/core/seeded_hash.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <string>

using namespace slotwise;

namespace {

// Of the bytes 0, 1, ... n - 1 under the key 00 01 ... 0F, for n from 0 on: library/coretests/tests/hash/sip.rs of Rust,
// test_siphash_1_3.
constexpr std::uint64_t vectors[64] = {
    0xABAC0158050FC4DC, 0xC9F49BF37D57CA93, 0x82CB9B024DC7D44D, 0x8BF80AB8E7DDF7FB, 0xCF75576088D38328, 0xDEF9D52F49533B67,
    0xC50D2B50C59F22A7, 0xD3927D989BB11140, 0x369095118D299A8E, 0x25A48EB36C063DE4, 0x79DE85EE92FF097F, 0x70C118C1F94DC352,
    0x78A384B157B4D9A2, 0x306F760C1229FFA7, 0x605AA111C0F95D34, 0xD320D86D2A519956, 0xCC4FDD1A7D908B66, 0x9CF2689063DBD80C,
    0x8FFC389CB473E63E, 0xF21F9DE58D297D1C, 0xC0DC2F46A6CCE040, 0xB992ABFE2B45F844, 0x7FFE7B9BA320872E, 0x525A0E7FDAE6C123,
    0xF464AEB267349C8C, 0x45CD5928705B0979, 0x3A3E35E3CA9913A5, 0xA91DC74E4ADE3B35, 0xFB0BED02EF6CD00D, 0x88D93CB44AB1E1F4,
    0x540F11D643C5E663, 0x2370DD1F8C21D1BC, 0x81157B6C16A7B60D, 0x4D54B9E57A8FF9BF, 0x759F12781F2A753E, 0xCEA1A3BEBF186B91,
    0x2CF508D3ADA26206, 0xB6101C2DA3C33057, 0xB3F47496AE3A36A1, 0x626B57547B108392, 0xC1D2363299E41531, 0x667CC1923F1AD944,
    0x65704FFEC8138825, 0x24F280D1C28949A6, 0xC2CA1CEDFAF8876B, 0xC2164BFC9F042196, 0xA16E9C9368B1D623, 0x49FB169C8B5114FD,
    0x9F3143F8DF074C46, 0xC6FDAF2412CC86B3, 0x7EAF49D10A52098F, 0x1CF313559D292F9A, 0xC44A30DDA2F41F12, 0x36FAE98943A71ED0,
    0x318FB34C73F0BCE6, 0xA27ABF3670A7E980, 0xB4BCC0DB243C6D75, 0x23F8D852FDB71513, 0x8F035F4DA67D8A08, 0xD89CD0E5B7E8F148,
    0xF6F4E6BCF7A644EE, 0xAEC59AD80F1837F2, 0xC3B2F6154B6694E0, 0x9D199062B7BBB3A8};
constexpr SipHash13 published(0x0706'0504'0302'0100u, 0x0F0E'0D0C'0B0A'0908u);
constexpr std::array<unsigned char, 64> input = [] {
    std::array<unsigned char, 64> bytes{};
    for (unsigned char i = 0; i != 64; ++i) bytes[i] = i;
    return bytes;
}();

enum class Color : std::uint32_t { mixed = 0x0302'0100u };
using Names = SetStorage<std::string, HashBy<SeededHash<std::string>>>;
using Numbers = MapStorage<std::uint64_t, int, HashBy<SeededHash<std::uint64_t>>>;

} // namespace

TEST_CASE("SipHash-1-3 gives the published hashes, at run time and in constant expressions", "[seeded_hash]") {
    for (std::size_t n = 0; n != 64; ++n) {
        CAPTURE(n);
        REQUIRE(published.hash_units(input.data(), n) == vectors[n]);
        const std::string text(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(n));
        REQUIRE(published.hash_units(text.data(), n) == vectors[n]);
    }
    STATIC_REQUIRE([] {
        bool all = true;
        for (std::size_t n = 0; n != 64; ++n) all = all && published.hash_units(input.data(), n) == vectors[n];
        return all;
    }());
    const std::array<std::byte, 3> bytes{std::byte{0}, std::byte{1}, std::byte{2}};
    REQUIRE(published.hash_units(bytes.data(), 3) == vectors[3]);
}

TEST_CASE("values are hashed as their bytes from the lowest, characters of any width as their values", "[seeded_hash]") {
    REQUIRE(published.hash_value(std::uint8_t{0}) == vectors[1]);
    REQUIRE(published.hash_value(std::int16_t{0x0100}) == vectors[2]);
    REQUIRE(published.hash_value(0x0302'0100) == vectors[4]);
    REQUIRE(published.hash_value(0x0706'0504'0302'0100) == vectors[8]);
    REQUIRE(published.hash_value(false) == vectors[1]);
    if constexpr (std::endian::native == std::endian::little) {
        REQUIRE(published.hash_value(Color::mixed) == vectors[4]);
        REQUIRE(published.hash_value(std::array<std::uint64_t, 2>{0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908}) ==
                vectors[16]);
    }
    STATIC_REQUIRE(published.hash_value(Color::mixed) == published.hash_value(Color::mixed));
    constexpr char16_t wide[] = {0x0100, 0x0302, 0x0504, 0x0706, 0x0908};
    STATIC_REQUIRE(published.hash_units(wide, 5) == vectors[10]);
    const std::u16string text(wide, 5);
    if constexpr (std::endian::native == std::endian::little) REQUIRE(published.hash_units(text.data(), 5) == vectors[10]);
    const SeededHash<std::string> hash(1, 2);
    REQUIRE(hash("ada") == hash(std::string("ada")));
    REQUIRE(hash(std::string_view("ada")) == SeededHash<std::string>(1, 2)("ada"));
    REQUIRE(hash("ada") != SeededHash<std::string>(2, 2)("ada"));
    using H = Handle<int>;
    REQUIRE(SeededHash<H>(1, 2)(H(3, 5)) != SeededHash<H>(1, 2)(H(3, 7)));
}

TEST_CASE("each container draws a key of its own, and its copies have the same", "[seeded_hash]") {
    Names a{"ada", "grace"}, b{"ada", "grace"};
    REQUIRE(a.hash_function()("ada") != b.hash_function()("ada"));
    REQUIRE(a == b);
    REQUIRE((a.contains("ada") && a.contains(std::string_view("grace")) && !a.contains("alan")));
    for (int i = 0; i != 1000; ++i) a.insert(std::to_string(i));
    const auto same = [&](const Names& set) {
        return set.size() == 1002 && set.check_invariants() && set.contains("999") &&
               set.hash_function()("ada") == a.hash_function()("ada");
    };
    Names copy(a), assigned;
    assigned = copy;
    Names moved(std::move(copy)), taken;
    taken = std::move(assigned);
    REQUIRE((same(a) && same(moved) && same(taken)));
    swap(b, moved);
    REQUIRE((same(b) && moved.size() == 2 && moved.contains("ada") && moved.check_invariants()));
    moved.merge(taken);
    REQUIRE((moved.size() == 1002 && moved == a && moved.check_invariants()));
    Names restored;
    restored.insert("zoe");
    restored.restore(a.snapshot());
    REQUIRE((restored == a && restored.check_invariants()));
}

TEST_CASE("keys that collide under DefaultHash do not under SeededHash", "[seeded_hash]") {
    Numbers numbers;
    for (std::uint64_t i = 0; i != 3000; ++i)
        numbers.insert(i * 0xF1DE'83E1'9937'733Du, 1); // products with low halves in a row
    REQUIRE((numbers.size() == 3000 && numbers.check_invariants()));
    std::size_t low = 0;
    for (const auto [key, value] : numbers) low += (numbers.hash_function()(key) & 0xFF) == 0;
    REQUIRE((low < 60)); // 12 are expected
    TSSStorage<std::string, HashBy<SeededHash<std::string>>> series;
    series.write(1).add("ada");
    const auto replica = series;
    REQUIRE((replica.contains("ada") && replica.check_invariants()));
}

TEST_CASE("a seeded set works in constant expressions", "[seeded_hash]") {
    STATIC_REQUIRE([] {
        SetStorage<int, HashBy<SeededHash<int>>> set{1, 2, 3};
        const auto copy = set;
        return set.contains(2) && copy.contains(3) && !copy.contains(4);
    }());
}
