# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""stable_hash and shard_ids."""

import numpy as np
import pytest
import slotwise


def test_shards_are_the_upper_bits_of_the_hash():
    keys = [0, 1, -1, 2**63 - 1, 2**64 - 1, "", "a", "Ünïcödé", "x" * 100]
    for n in (1, 2, 3, 7, 64, 2**32 - 1):
        assert slotwise.shard_ids(keys, n).tolist() == [(slotwise.stable_hash(key) >> 32) * n >> 32 for key in keys]


def test_hashes_are_those_of_every_release():
    assert slotwise.stable_hash("") == 0xEF46DB3751D8E999  # XXH64 of nothing
    assert slotwise.stable_hash("abc") == 0x44BC2CF5AD770999
    assert slotwise.stable_hash(0) == 0xE220A8397B1DCDAF  # the first number of SplitMix64 from 0
    assert slotwise.stable_hash(-1) == slotwise.stable_hash(2**64 - 1)


def test_arrays_give_the_same_as_ints():
    keys = list(range(-1000, 1000))
    ids = slotwise.shard_ids(np.array(keys, dtype=np.int64), 8)
    assert ids.dtype == np.uint32 and ids.shape == (2000,)
    assert ids.tolist() == slotwise.shard_ids(keys, 8).tolist()
    positive = np.arange(1000, dtype=np.uint64)
    assert slotwise.shard_ids(positive, 8).tolist() == slotwise.shard_ids(positive.astype(np.int64), 8).tolist()
    assert slotwise.shard_ids(positive[::2], 8).tolist() == slotwise.shard_ids(positive, 8)[::2].tolist()
    assert slotwise.shard_ids(np.array(["a", "b"]), 8).tolist() == slotwise.shard_ids(["a", "b"], 8).tolist()


def test_doubling_splits_each_shard_in_two():
    keys = [f"key{i}" for i in range(5000)]
    assert (slotwise.shard_ids(keys, 8) // 2 == slotwise.shard_ids(keys, 4)).all()


def test_shards_are_even():
    counts = np.bincount(slotwise.shard_ids(np.arange(100_000), 16))
    assert counts.min() > 5900 and counts.max() < 6600


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="n: at least 1 shard"):
        slotwise.shard_ids([1], 0)
    with pytest.raises(ValueError, match="n: "):
        slotwise.shard_ids([1], 2**32)
    with pytest.raises(TypeError, match="key: an int or a str"):
        slotwise.shard_ids([1.5], 2)
    with pytest.raises(TypeError, match="keys: a sequence"):
        slotwise.shard_ids("abc", 2)
    with pytest.raises(OverflowError):
        slotwise.stable_hash(2**64)
