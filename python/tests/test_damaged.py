# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Damaged snapshots and pickles: cut, longer, each byte and each bit changed, with a checksum that fits again or does not. They are
refused and nothing has changed, or mean something that is sound; no process crashes."""

import pickle
import subprocess
import sys

import pytest
from conftest import SUBJECTS, Timed, TimedMembers, swept

PROGRAM = """
import random, sys
sys.path.insert(0, {directory!r})
from conftest import SUBJECTS, Keyed, Rows, Slots, TimedMembers, Timed
from checksum import sealed

subject = SUBJECTS[int(sys.argv[1])]

def holed():
    c = subject.filled(6)
    for _ in range(2):
        for name in ("del [handle]", "del [key]", "discard", "erase", "swap_erase"):
            if name in subject.writes:
                subject.writes[name](c)
                break
    return c

def use(c):
    contents = subject.shown(c)
    repr(c), c.snapshot(), c.to_arrow().validate(full=True), c.to_numpy(), len(c.column(subject.column))
    assert c == c.copy() and len(contents) == len(c)
    for name in ("insert", "append", "update", "add"):
        if name in subject.writes:
            try:
                subject.writes[name](c)
            except (ValueError, OverflowError):
                pass  # times that are beyond

def flips(data):
    for at in range(len(data)):
        for bit in range(8):
            yield bytes(data[:at]) + bytes([data[at] ^ 1 << bit]) + bytes(data[at + 1:])

def bytes_of(data):
    for at in range(len(data)):
        for value in (0, 1, 0x7F, 0x80, 0xFF):
            if value != data[at]:
                yield bytes(data[:at]) + bytes([value]) + bytes(data[at + 1:])

def words_of(data):
    for at in range(len(data) - 7):
        for value in (0, 1, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, len(data), len(data) - at - 8):
            yield bytes(data[:at]) + value.to_bytes(8, "little") + bytes(data[at + 8:])

counts = {{"refused": 0, "equal": 0, "other": 0}}
c = holed()
data = c.snapshot()
other = subject.filled(1)
before = other.snapshot()

def attempt(damaged):
    global other
    try:
        other.restore(damaged)
    except (ValueError, OverflowError, MemoryError):
        counts["refused"] += 1
        assert other.snapshot() == before
        return
    counts["equal" if subject.shown(other) == subject.shown(c) else "other"] += 1
    use(other)
    other = subject.make()
    other.restore(before)

what = sys.argv[2]
if what == "plain":
    for damaged in flips(data): attempt(damaged)
    for size in range(len(data)): attempt(data[:size])
    for more in (b"\\0", data[-1:], bytes(8), data): attempt(data + more)
else:
    body = data[:-8]
    if len(body) <= 240 or sealed(body) != data:
        print("no checksum of this kind")
        sys.exit()
    damages = [flips, bytes_of] if what == "forged" else [words_of]
    for damage in damages:
        for damaged in damage(body): attempt(sealed(damaged))
    for size in range(241, len(body)): attempt(sealed(body[:size]))
    for more in (bytes(1), bytes(8), body[-1:] * 300): attempt(sealed(body + more))
print(counts["refused"], counts["equal"], counts["other"])
"""


def counts_of(subject, what):
    pytest.importorskip("pyarrow")
    program = PROGRAM.format(directory=__file__.rsplit("/", 1)[0])
    done = subprocess.run([sys.executable, "-c", program, str(SUBJECTS.index(subject)), what], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


@swept()
def test_a_flipped_bit_or_a_cut_is_refused(subject):
    refused, equal, other = map(int, counts_of(subject, "plain").split())
    assert refused > 300 and equal == 0 and other == 0


@swept()
@pytest.mark.parametrize("what", ["forged", "words"])
def test_damage_below_a_checksum_that_fits_is_refused_or_sound(subject, what):
    out = counts_of(subject, what)
    if "checksum" not in out:
        refused, _, _ = map(int, out.split())
        assert refused > 500


@swept()
def test_another_class_or_schema_is_refused(subject):
    data = subject.filled(3).snapshot()
    for other in SUBJECTS:
        if other is subject:
            continue
        c = other.filled(2)
        before = c.snapshot()
        with pytest.raises(ValueError, match="data: "):
            c.restore(data)
        assert c.snapshot() == before


@swept()
def test_other_bytes_are_refused(subject):
    c = subject.filled(3)
    before = c.snapshot()
    for wrong in (b"", b"1234", bytes(8), bytes(1000), b"\xff" * 1000, before[:-1], before[1:]):
        with pytest.raises(ValueError, match="data: "):
            c.restore(wrong)
        assert c.snapshot() == before
    for wrong in (None, 5, "text", [1], object()):
        with pytest.raises(TypeError, match="data: "):
            c.restore(wrong)
    for right in (bytearray(before), memoryview(before)):
        c.restore(right)
        assert c.snapshot() == before


BAD = [b"\xff\xfe\xfd", b"\xed\xa0\x80", b"\xc0\x80a", b"ab\xc3", b"\x80bc"]  # no character, a surrogate, too long, cut, a rest


@pytest.mark.parametrize("bad", BAD)
def test_text_that_is_not_utf8_is_refused_and_nothing_changes(bad):
    import slotwise as sw
    from checksum import sealed

    cases = [sw.SlotMap(value=str), sw.Table(str)]
    for text in ("abc", "x" * 20 + "abc"):
        for c in cases:
            c.clear()
            c.extend([text, "def"] + [str(i) for i in range(100)])
            data = c.snapshot()
            assert data.count(b"abc") == 1 and sealed(data[:-8]) == data
            before = c.snapshot()
            with pytest.raises(ValueError, match="data: .*UTF-8"):
                c.restore(sealed(data[:-8].replace(b"abc", bad)))
            assert c.snapshot() == before
            with pytest.raises(ValueError, match="snapshot"):
                pickle.loads(pickle.dumps(c).replace(b"abc", bad))


@swept()
def test_a_pickle_is_the_whole_object(subject):
    for size in (0, 1, 3, 5000):
        c = subject.filled(size)
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            other = pickle.loads(pickle.dumps(c, protocol))
            assert other == c and other.snapshot() == c.snapshot() and other.schema == c.schema if hasattr(c, "schema") else True


def test_a_snapshot_has_the_open_window():
    for subject in SUBJECTS:
        if isinstance(subject, (Timed, TimedMembers)):
            c = subject.filled(3)
            other = subject.make()
            other.restore(c.snapshot())
            assert subject.shown(other) == subject.shown(c) and other.capture() == c.capture()
