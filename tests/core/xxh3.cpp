// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// XXH3-64 against vectors of its authors' library.
#include <slotwise/core/detail/xxh3.hpp>

#include "support/catch.hpp"

#include <array>
#include <vector>

namespace {
using slotwise::detail::Xxh3;

struct Vector {
    std::size_t length;
    std::uint64_t checksum;
};
// Made by xxHash 0.8.4 (github.com/Cyan4973/xxHash; the Python package xxhash 4.1.0), XXH3_64bits of the first bytes of the
// buffer of its own sanity check (tests/sanity_test.c). Lengths 0, 1, 6, 12, 24, 48, 80, 195, 403, 512, 2048, 2240 and 2367 are
// also in its table of vectors.
// clang-format off
constexpr Vector vectors[] = {
    {0, 0x2D06800538D394C2}, {1, 0xC44BDFF4074EECDB}, {2, 0x7A9978044CB8A8BB}, {3, 0x54247382A8D6B94D},
    {4, 0xE5DC74BC51848A51}, {5, 0xE4243F00720306BB}, {6, 0x27B56A84CD2D7325}, {7, 0x9941E0007F555E50},
    {8, 0x24CCC9ACAA9F65E4}, {9, 0x14D5001C15DD3F2B}, {10, 0x1C117F233FBC3C14}, {11, 0x889839B4C796DDD6},
    {12, 0xA713DAF0DFBB77E7}, {13, 0x2EB03C6E66BA6524}, {14, 0x1AC0BBDA2B9FCF03}, {15, 0x45556D4D6E1798BC},
    {16, 0x981B17D36C7498C9}, {17, 0x796F5ACD3A60F862}, {18, 0x6CFEAA845E6EBCD1}, {19, 0x750D97933D2DC370},
    {20, 0x4BC18275FB46F223}, {21, 0xCE0376AB8CDD7F20}, {22, 0x85552B609DB72220}, {23, 0xE070C50BE9861FF8},
    {24, 0xA3FE70BF9D3510EB}, {25, 0x9E41329ED21A1D6D}, {26, 0x667D3AAA920C9A05}, {27, 0xF54AF525A7B4D3B9},
    {28, 0x61D5D60DFED01688}, {29, 0xA375819F83DDCCE6}, {30, 0xDA4953A393E8B1F3}, {31, 0x5D516692CA764C50},
    {32, 0x9FEADDBDBF57EED3}, {33, 0xABFB2D081B400A10}, {47, 0x050B544C7C6147BD}, {48, 0x397DA259ECBA1F11},
    {49, 0x982095B2470B49A1}, {63, 0x83D74A75F2C2577A}, {64, 0x9CB48487720EC49D}, {65, 0xFD81AAC4BEBC3883},
    {80, 0xBCDEFBBB2C47C90A}, {95, 0xC0DD460B48116CDA}, {96, 0x935A769A7F94776F}, {97, 0xCA4CA268FD3C3A6C},
    {111, 0x678DBD7CD8EF8F5C}, {112, 0xD13D8F57931EEF19}, {113, 0xBE550B209B8053F4}, {127, 0x2408ED71323D6096},
    {128, 0xFCFF24126754D861}, {129, 0x98F1B0A679A2CA29}, {130, 0x7F6C531CF53EEB30}, {143, 0x7A7813693F1F4EDB},
    {144, 0xC440D47E5F03FE58}, {145, 0x6B0A35A6CB2DA39D}, {159, 0x7CB32A6ECDEBAF1C}, {160, 0x9D03A319ED4CBD2B},
    {195, 0xCD94217EE362EC3A}, {223, 0x6E495316B983036E}, {224, 0x3F3250C7E92C871A}, {239, 0x16CE2B9D3B28805D},
    {240, 0x81C3C2B67F568CCF}, {241, 0xC5A639ECD2030E5E}, {242, 0x967344E78CB4B723}, {255, 0xE98F979F4ED8A197},
    {256, 0x55DE574AD89D0AC5}, {257, 0xB17FD5A8AE75BB0B}, {258, 0x597C26D615CCF5D2}, {300, 0x7F371220466C4A1A},
    {319, 0x0FCAA9E59EC5A883}, {320, 0x75620D350FF5C694}, {321, 0x2D8C7E2634AB900A}, {383, 0xEFF81E7006EF8ADD},
    {384, 0xBFA4BA14B8819D81}, {385, 0x9C71E10B185A00BC}, {403, 0xCDEB804D65C6DEA4}, {448, 0xCBB14EA4B925B28E},
    {511, 0x8089715B163E7FC0}, {512, 0x617E49599013CB6B}, {513, 0xF7037D3B6722AEEC}, {514, 0xD6D133F802EC8DE9},
    {575, 0xB00BEEA09D518435}, {576, 0x9C875962CB39ACF8}, {640, 0xAF4193ABDC5994B3}, {703, 0x683E5E6D58E06485},
    {704, 0x53D0007023B75557}, {705, 0xBA8F3D7D77F20C8E}, {768, 0x6CBE42E950F7426B}, {832, 0xAFE6259BB7E82719},
    {896, 0xEB301FCAE547B530}, {960, 0xFE24A9D0DDDF9D8A}, {1023, 0x87A8F7B2F2E22496}, {1024, 0xDD85C9B5C1109C5C},
    {1025, 0xD870C0FA13211C6A}, {1026, 0x98CE9E9675649F1B}, {1087, 0x047F181E7C8A41B9}, {1088, 0xCC1450EA6B52A8F4},
    {1089, 0xEF727B2EFFC4CC8C}, {1152, 0x8D10F861683EB1DD}, {1279, 0x5D6D044F9D287AB3}, {1280, 0xA052007A1ED81B4B},
    {1281, 0x706FE95B5ED1F1EC}, {1500, 0xE81D866A4E684A3B}, {1536, 0x8DAA8C2ECCABB68B}, {1984, 0x67F7098725D64EFB},
    {2047, 0xB36ECE19FCA2197F}, {2048, 0xDD59E2C3A5F038E0}, {2049, 0xD3AFA4329779B921}, {2050, 0x0532360C2902A5BD},
    {2111, 0x161BC831576C278A}, {2112, 0x7C33C86D9E6A8C39}, {2113, 0x30A8AA601425D0BC}, {2240, 0x6E73A90539CF2948},
    {2367, 0xCB37AEB9E5D361ED}, {2368, 0x7BF80846CEB7121F}, {3071, 0xEA91DBA6A78E984A}, {3072, 0x696BF231F32AB848},
    {3073, 0xBB5CD7893718D93D}, {4095, 0x3044187222AB0EFB}, {4096, 0xE91206429D1F48F9}, {4097, 0xDAC80D543E339451},
    {5000, 0x1C246C7BFE003A78}, {8191, 0x31FFDFA431FAF170}, {8192, 0xD63690A28889A350}, {8193, 0xDF4DE9DB3AB7FA53},
    {12345, 0xEE11DEE873BF4750}, {16384, 0xEDD17B079A94769E}, {16385, 0xCC7D15EF1CC53611}, {20000, 0xF5C7E25B7401101A},
};
// clang-format on

template <std::size_t N>
constexpr auto sanity_buffer() {
    std::array<std::byte, N> bytes{};
    std::uint64_t state = 2654435761u;
    for (auto& byte : bytes) {
        byte = static_cast<std::byte>(state >> 56);
        state *= 11400714785074694797u;
    }
    return bytes;
}
const auto buffer = sanity_buffer<20000>();

TEST_CASE("XXH3-64 gives what its authors' library gives") {
    for (const auto& [length, checksum] : vectors) {
        INFO(length);
        CHECK(Xxh3::of(buffer.data(), length) == checksum);
    }
}

TEST_CASE("XXH3-64 gives the same for bytes in parts, however they are divided") {
    for (const std::size_t part : {1u, 3u, 7u, 63u, 64u, 65u, 100u, 240u, 255u, 256u, 257u, 320u, 513u, 1024u, 3000u})
        for (const auto& [length, checksum] : vectors) {
            Xxh3 state;
            for (std::size_t at = 0; at < length; at += part)
                state.add(buffer.data() + at, part < length - at ? part : length - at);
            INFO(part << " " << length);
            REQUIRE(state.finish() == checksum);
            REQUIRE(state.finish() == checksum);
        }
    Xxh3 grown; // finish() at each length changes nothing
    for (std::size_t length = 0; length != 1500; ++length) {
        REQUIRE(grown.finish() == Xxh3::of(buffer.data(), length));
        grown.add(&buffer[length], 1);
    }
}

TEST_CASE("XXH3-64 can be computed at compile time") {
    static constexpr auto bytes = sanity_buffer<600>();
    static_assert(Xxh3::of(bytes.data(), 0) == 0x2D06800538D394C2);
    static_assert(Xxh3::of(bytes.data(), 6) == 0x27B56A84CD2D7325);
    static_assert(Xxh3::of(bytes.data(), 12) == 0xA713DAF0DFBB77E7);
    static_assert(Xxh3::of(bytes.data(), 80) == 0xBCDEFBBB2C47C90A);
    static_assert(Xxh3::of(bytes.data(), 195) == 0xCD94217EE362EC3A);
    static_assert(Xxh3::of(bytes.data(), 512) == 0x617E49599013CB6B);
    static_assert([] {
        Xxh3 state;
        state.add(bytes.data(), 300);
        state.add(bytes.data() + 300, 212);
        return state.finish();
    }() == 0x617E49599013CB6B);
    SUCCEED();
}

} // namespace
