# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""XXH3 of 64 bits, of more than 240 bytes: tests damage snapshots and make their checksum fit again."""

import struct

M = 2**64 - 1
SECRET = struct.pack(
    "<24Q",
    0xBE4BA423396CFEB8, 0x1CAD21F72C81017C, 0xDB979083E96DD4DE, 0x1F67B3B7A4A44072, 0x78E5C0CC4EE679CB, 0x2172FFCC7DD05A82,
    0x8E2443F7744608B8, 0x4C263A81E69035E0, 0xCB00C391BB52283C, 0xA32E531B8B65D088, 0x4EF90DA297486471, 0xD8ACDEA946EF1938,
    0x3F349CE33F76FAA8, 0x1D4F0BC7C7BBDCF9, 0x3159B4CD4BE0518A, 0x647378D9C97E9FC8, 0xC3EBD33483ACC5EA, 0xEB6313FAFFA081C5,
    0x49DAF0B751DD0D17, 0x9E68D429265516D3, 0xFCA1477D58BE162B, 0xCE31D07AD1B8F88F, 0x280416958F3ACB45, 0x7E404BBBCAFBD7AF,
)  # fmt: skip
P32 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def words(data, at):
    return struct.unpack_from("<8Q", data, at)


def xxh3(data):
    assert len(data) > 240
    acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]]

    def accumulate(at, secret):
        for i, (value, key) in enumerate(zip(words(data, at), words(SECRET, secret))):
            key ^= value
            acc[i ^ 1] = acc[i ^ 1] + value & M
            acc[i] = acc[i] + (key & 0xFFFFFFFF) * (key >> 32) & M

    for stripe in range((len(data) - 1) // 64):
        accumulate(64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            for i, key in enumerate(words(SECRET, 128)):
                acc[i] = (acc[i] ^ acc[i] >> 47 ^ key) * P32[0] & M
    accumulate(len(data) - 64, 121)
    result = len(data) * P64[0]
    for i in range(4):
        a, b = struct.unpack_from("<2Q", SECRET, 11 + 16 * i)
        product = (acc[2 * i] ^ a) * (acc[2 * i + 1] ^ b)
        result += product & M ^ product >> 64
    result &= M
    result = (result ^ result >> 37) * 0x165667919E3779F9 & M
    return result ^ result >> 32


def sealed(body):
    """The bytes with their checksum behind them."""
    return bytes(body) + struct.pack("<Q", xxh3(body))
