#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks ticker from the outside: usage: check.py PROGRAM

Replays feeds in a model that compares the market before and after each time stamp: the one beside this script, small ones written out
below, and random ones where a few instruments come and go within a millisecond. Then feeds that cannot be read.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FEED = HERE / "ticks.csv"
HEADER = "time_ms,event,instrument,price,size"
NOBODY = 65534
KINDS = ["list", "delist", "halt", "resume", "quote", "trade"]
HEAD, TAIL = 8, 4  # ticks shown without -v
WRONG = {  # of ticks.csv
    32: "3 fields, not 5",
    53: "6 fields, not 5",
    71: "empty line",
    89: "unknown event 'amend'",
    104: "GILT is not listed",
    120: "price 'nan' is no number above 0",
    128: "price '-18492.5' is no number above 0",
    142: "time '09:15:02' is no millisecond of a day",
    159: "size '1O' is no whole number above 0",
    177: "09:15:27.523 is before 09:16:27.523",
    195: "instrument 'EURUSD_SPOT_T_PLUS_2' has 20 characters, more than 12",
    216: "price is missing",
    234: "BUND is listed already",
    247: "time '99999999999999999999' is no millisecond of a day",
    260: "size '0' is no whole number above 0",
    275: "instrument 'bund' is not made of A-Z, 0-9 and '.'",
}
SMALL = f"""{HEADER}
1000,list,A,10.50,
1000,list,B,,
1000,trade,A,10.25,7
2000,quote,EURUSD,1.0845,
2000,halt,A,,
1999,resume,A,,
2000,trade,A,10.5,1
2500,list,EURUSD,1.085,
2500,delist,B,,
2500,list,B,,
2600,halt,EURUSD,,
2600,resume,EURUSD,,
86399999,delist,A,,
86399999,quote,EURUSD,1.09,
86400000,quote,EURUSD,1.1,

"""
SMALL_SKIPPED = """\
line 5 skipped: EURUSD is not listed
line 7 skipped: 00:00:01.999 is before 00:00:02.000
line 8 skipped: A is halted
line 16 skipped: time '86400000' is no millisecond of a day
line 17 skipped: empty line
"""
SMALL_SHOWN = """\
+listed -delisted ~emptied name=price:volume [+active -halted], a line for each time stamp

00:00:01.000  +A=10.25:7 +B [+A +B]
00:00:02.000  [-A]
00:00:02.500  +EURUSD=1.085 ~B [+EURUSD]
00:00:02.600  (no net change)
23:59:59.999  -A=10.25:7 EURUSD=1.09

lines 17 = 1 header + 11 applied + 5 skipped, in 5 ticks
applied: list 4 delist 2 halt 2 resume 1 quote 1 trade 1

at the end 2 are listed, 2 of them active
  instrument        price    volume  last changed
  B                     -         0             -
  EURUSD             1.09         0  23:59:59.999

EURUSD, watched since before it was listed: told 2 times, 00:00:02.500 to 23:59:59.999, low 1.085, high 1.09

deltas alone, applied strictly to an empty market:
     5 of one tick each: the same market
     1 composed of ten ticks each: the same market
     1 composed of all ticks: the same market
check: passed
"""
EMPTY_SHOWN = """\
+listed -delisted ~emptied name=price:volume [+active -halted], a line for each time stamp


lines 0 = 0 header + 0 applied + 0 skipped, in 0 ticks
applied: list 0 delist 0 halt 0 resume 0 quote 0 trade 0

at the end 0 are listed, 0 of them active

EURUSD, watched since before it was listed: told 0 times

deltas alone, applied strictly to an empty market:
     0 of one tick each: the same market
     0 composed of ten ticks each: the same market
     0 composed of all ticks: the same market
check: passed
"""
failures = []
passed = 0


def expect(holds, promise, run=None):
    global passed
    passed += bool(holds)
    if not holds:
        failures.append(promise)
        print(f"FAILED: {promise}")
        if run is not None:
            print(f"  command: {run.args}\n  exit code: {run.returncode}\n  stdout: {run.stdout[-2000:]}\n  stderr: {run.stderr}")


def clock(time):
    return f"{time // 3600000:02}:{time // 60000 % 60:02}:{time // 1000 % 60:02}.{time % 1000:03}"


def parse(line):
    """(time, kind, name, price, size), or None. None for a price or size that is not there."""
    fields = line.split(",")
    if len(fields) != 5:
        return None
    time, kind, name, price, size = fields
    if not re.fullmatch(r"[0-9]{1,18}", time) or int(time) >= 86400000 or kind not in KINDS:
        return None
    if not re.fullmatch(r"[A-Z0-9.]{1,12}", name):
        return None
    wants_price = kind in ("quote", "trade") or (kind == "list" and price)
    if not (re.fullmatch(r"[0-9]+(\.[0-9]+)?", price) and 0 < float(price) <= 1e9 if wants_price else price == ""):
        return None
    if not (re.fullmatch(r"[0-9]+", size) and 0 < int(size) <= 1000000000 if kind == "trade" else size == ""):
        return None
    return int(time), kind, name, float(price) if price else None, int(size) if size else 0


def shown(name, value):
    price, volume = value
    digits = "" if price is None else "=" + repr(price)[:-2] if repr(price).endswith(".0") else "=" + repr(price)
    return name + digits + (f":{volume}" if volume else "")


class Model:
    """Each tick as (clock, changes, changes of the active), the numbers of wrong lines, and what is listed in the end."""

    def __init__(self, text):
        self.ticks, self.wrong, self.kinds = [], [], {kind: 0 for kind in KINDS}
        self.listed, self.active, self.time = {}, set(), None  # listed: name: (price or None, volume)
        self.open_tick()
        lines = text.split("\n")
        self.lines = len(lines) - (lines[-1] == "")
        self.headers = int(lines[0] == HEADER)
        for number, line in enumerate(lines[:self.lines], 1):
            if number == 1 and self.headers:
                continue
            event = parse(line)
            if event is None or not self.possible(*event):
                self.wrong.append(number)
                continue
            if event[0] != self.time:
                self.close_tick()
                self.time = event[0]
            self.apply(*event)
        self.close_tick()

    def possible(self, time, kind, name, _price, _size):
        if self.time is not None and time < self.time:
            return False
        if (name in self.listed) == (kind == "list"):
            return False
        return kind not in ("halt", "resume", "trade") or (name in self.active) != (kind == "resume")

    def open_tick(self):
        self.before, self.active_before = dict(self.listed), set(self.active)
        self.last, self.renewed, self.written = {}, set(), set()

    def apply(self, _time, kind, name, price, size):
        self.kinds[kind] += 1
        if kind in ("list", "resume"):
            self.active.add(name)
        if kind in ("delist", "halt"):
            self.active.discard(name)
        if kind == "list":
            self.listed[name] = (price, 0)
            self.renewed |= {name} & set(self.before)
        elif kind == "delist":
            self.last[name] = self.listed.pop(name)
            self.written.discard(name)
        elif kind in ("quote", "trade"):
            self.listed[name] = (price, self.listed[name][1] + size)
        if kind in ("quote", "trade") or (kind == "list" and price is not None):
            self.written.add(name)

    def close_tick(self):
        if self.time is None:
            return
        now, before = self.listed, self.before
        changes = [f"+{shown(name, now[name])}" for name in now.keys() - before.keys()]
        changes += [f"-{shown(name, self.last[name])}" for name in before.keys() - now.keys()]
        changes += [f"~{name}" for name in self.renewed & now.keys() - self.written]
        changes += [shown(name, now[name]) for name in self.written & before.keys()]
        turned = [f"+{name}" for name in self.active - self.active_before]
        turned += [f"-{name}" for name in self.active_before - self.active]
        self.ticks.append((clock(self.time), sorted(changes), sorted(turned)))
        self.open_tick()


def tick(line):
    """A line as it is printed, in the form of the model."""
    time, text = line.split("  ", 1)
    if text == "(no net change)":
        return time, [], []
    changes, turned = re.fullmatch(r"([^\[]*?) ?(?:\[(.*)\])?", text).groups()
    return time, sorted(changes.split()), sorted((turned or "").split())


def run(program, *arguments, **options):
    text = dict(capture_output=True, encoding="utf-8", errors="surrogateescape")
    return subprocess.run([program, *map(str, arguments)], **{**text, **options})


def compare(done, model, name):
    ticks = re.findall(r"^\d\d:\d\d:\d\d\.\d{3}  .*$", done.stdout, re.M)
    expect(done.returncode == 0 and done.stdout.endswith("\ncheck: passed\n"), f"{name}: passes", done)
    expect(done.stdout.count("the same market\n") == 3 and "FAILED" not in done.stdout, f"{name}: three proofs", done)
    different = [(seen, wanted) for seen, wanted in zip(map(tick, ticks), model.ticks) if seen != wanted]
    expect(len(ticks) == len(model.ticks) and not different, f"{name}: every tick as in the model: {different[:1]}", done)
    numbers = [int(number) for number in re.findall(r"^line (\d+) skipped: \S.*$", done.stderr, re.M)]
    expect(numbers == model.wrong and len(done.stderr.splitlines()) == len(numbers), f"{name}: exactly the wrong lines", done)
    applied = sum(model.kinds.values())
    counts = (f"lines {model.lines} = {model.headers} header + {applied} applied + {len(model.wrong)} skipped, "
              f"in {len(model.ticks)} ticks\napplied: " + " ".join(f"{kind} {model.kinds[kind]}" for kind in KINDS) + "\n")
    expect(counts in done.stdout and applied + model.headers + len(model.wrong) == model.lines, f"{name}: the counts add up", done)
    rows = re.findall(r"^  ([A-Z0-9.]+) +(\S+) +(\d+) +\S+(  halted)?$", done.stdout, re.M)
    wanted = {(each, "-" if price is None else shown("", (price, 0))[1:], str(volume), "" if each in model.active else "  halted")
              for each, (price, volume) in model.listed.items()}
    expect(len(rows) == len(wanted) and set(rows) == wanted, f"{name}: what is listed in the end", done)


def check_feed(program, home):
    again = home / "again.csv"
    subprocess.run([sys.executable, HERE / "make_ticks.py", again], check=True)
    expect(again.read_bytes() == FEED.read_bytes(), "make_ticks.py writes ticks.csv again, byte by byte")
    model = Model(FEED.read_text(encoding="ascii"))
    expect(model.wrong == sorted(WRONG) and all(model.kinds.values()) and len(model.ticks) > 100, "the feed is worth replaying")
    expect(sum(not changes and not turned for _, changes, turned in model.ticks) == 2, "two ticks undo what they did")
    done = run(program, "-v")
    compare(done, model, "ticks.csv")
    expect(done.stderr == "".join(f"line {number} skipped: {why}\n" for number, why in WRONG.items()), "each with its reason", done)
    expect(run(program, "-v", again).stdout == done.stdout, "the feed beside the source is the default")
    lines = done.stdout.split("\n")
    cut = [f"  ... {len(model.ticks) - HEAD - TAIL} more, shown with -v ..."]
    lines[2 + HEAD:2 + len(model.ticks) - TAIL] = cut
    expect(run(program).stdout == "\n".join(lines), "without -v only the first and the last ticks are shown")


def check_small(program, home):
    small = SMALL.encode("ascii")
    for name, data in [
        ("a small feed", small), ("with CRLF", small.replace(b"\n", b"\r\n")), ("with a byte order mark", b"\xef\xbb\xbf" + small),
    ]:
        (home / "small.csv").write_bytes(data)
        done = run(program, home / "small.csv")
        expect(done.returncode == 0 and done.stdout == SMALL_SHOWN and done.stderr == SMALL_SKIPPED, f"{name}: word for word", done)
    compare(done, Model(SMALL), "a small feed")
    last = SMALL.rstrip("\n").rsplit("\n", 1)[0]
    for name, data in [("no newline at the end", last), ("no header", last.split("\n", 1)[1]), ("a header only", HEADER)]:
        (home / "small.csv").write_text(data, encoding="ascii")
        compare(run(program, home / "small.csv"), Model(data), name)
    (home / "empty.csv").write_bytes(b"")
    done = run(program, home / "empty.csv")
    expect(done.returncode == 0 and done.stdout == EMPTY_SHOWN and not done.stderr, "an empty file: word for word", done)


def check_wrong(program, home):
    cases = [
        (b"1,list,A,,,", "6 fields, not 5"), (b"list", "1 field, not 5"), (b"\r", "empty line"), (b" ", "1 field, not 5"),
        (b",list,A,,", "time is missing"), (b"+1,list,A,,", "time '+1' is no millisecond of a day"),
        (b"-1,list,A,,", "time '-1' is no millisecond of a day"), (b"1.5,list,A,,", "time '1.5' is no millisecond of a day"),
        (b"1,LIST,A,,", "unknown event 'LIST'"), (b"1,,A,,", "unknown event ''"), (b"1,list,,,", "instrument is missing"),
        (b"1,list, A,,", "instrument ' A' is not made of A-Z, 0-9 and '.'"),
        (b"1,list,\x1b[2J\xff\x00,,", "instrument '\\x1b[2J\\xff\\x00' is not made of A-Z, 0-9 and '.'"),
        (b"1,list," + b"X" * 5000 + b",,", f"instrument '{'X' * 24}...' has 5000 characters, more than 12"),
        (b"1,list,A,inf,", "price 'inf' is no number above 0"), (b"1,list,A,0,", "price '0' is no number above 0"),
        (b"1,list,A,1e3,", "price '1e3' is no number above 0"), (b"1,list,A,12x,", "price '12x' is no number above 0"),
        (b"1,list,A,0x10,", "price '0x10' is no number above 0"),
        (b"1,list,A,1000000001,", "price '1000000001' is no number above 0"),
        (b"1,list,A," + b"9" * 400 + b",", f"price '{'9' * 24}...' is no number above 0"),
        (b"1,list,A,,5", "a list has no size, but here is '5'"), (b"1,halt,A,5,", "a halt has no price, but here is '5'"),
        (b"1,quote,A,,", "price is missing"), (b"1,trade,A,5,", "size is missing"),
        (b"1,trade,A,5,1.5", "size '1.5' is no whole number above 0"), (b"1,trade,A,5,-3", "size '-3' is no whole number above 0"),
        (b"1,trade,A,5,1000000001", "size '1000000001' is no whole number above 0"), (b"5,resume,A,,", "A is not listed"),
        (HEADER.encode(), "time 'time_ms' is no millisecond of a day"),
    ]
    (home / "wrong.csv").write_bytes(b"\n".join([b"5,list,Z,1,"] + [line for line, _ in cases] + [b"5,resume,Z,,", b"6,halt,Z,,"]))
    done = run(program, home / "wrong.csv")
    reasons = [why for _, why in cases] + ["Z is not halted"]
    wanted = "".join(f"line {number} skipped: {why}\n" for number, why in enumerate(reasons, 2))
    expect(done.returncode == 0 and done.stderr == wanted, "every kind of wrong line has its reason", done)
    expect(f"+ 2 applied + {len(reasons)} skipped, in 2 ticks" in done.stdout, "and none of them does anything", done)


def check_random(program, home):
    seen = set()
    for seed in range(12):
        source, time, lines = random.Random(seed), 1000, [HEADER]
        for _ in range(600):
            time += source.choice([0, 0, 0, 1, 50])
            kind, name = source.choice(KINDS), source.choice(["A", "B", "EURUSD"])
            prices = {"quote": ["1.5", "2"], "trade": ["2", "3.25"], "list": ["", "7"]}
            price = source.choice(prices.get(kind, [""]))
            line = f"{time},{kind},{name},{price},{source.randrange(1, 9) if kind == 'trade' else ''}"
            lines.append(line if source.random() < 0.97 else line[:source.randrange(len(line))])
        (home / "random.csv").write_text("\n".join(lines), encoding="ascii")
        model = Model("\n".join(lines))
        compare(run(program, "-v", home / "random.csv"), model, f"random feed {seed}")
        seen |= {change[0] for _, changes, _ in model.ticks for change in changes or ["="]}
    expect(seen >= set("+-~=A"), "the random feeds add, remove, reset, write, and undo")


def check_refused(program, home, as_nobody):
    secret = home / "secret.csv"
    secret.write_text(SMALL, encoding="ascii")
    secret.chmod(0)
    for arguments, words in [
        ([home / "missing.csv"], "missing.csv': No such file"), ([home], "': Is a directory"),
        ([secret], "secret.csv': Permission denied"),
        ([""], "usage"), (["--help"], "usage"), ([FEED, FEED], "usage"), (["-v", "-v"], "usage"), (["x\x1b.csv"], "'x\\x1b.csv'"),
    ]:
        done = run(program, *arguments, **as_nobody)
        expect(done.returncode == 2 and words in done.stderr and not done.stdout, f"{arguments} is refused with '{words}'", done)
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program], stdout=full, stderr=subprocess.DEVNULL)
        expect(done.returncode == 1, "a proof that cannot be printed is none")


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return 0
    if len(sys.argv) != 2:
        print("usage: check.py PROGRAM", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        home.chmod(0o755)
        # To root nothing is unreadable: then the program runs as nobody, from a copy that nobody can execute.
        program = shutil.copy2(sys.argv[1], home / "ticker")
        os.chmod(program, 0o755)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        check_feed(program, home)
        check_small(program, home)
        check_wrong(program, home)
        check_random(program, home)
        check_refused(program, home, as_nobody)
    print(f"{passed} passed, {len(failures)} failed")
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
