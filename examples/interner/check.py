#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks interner from the outside: usage: check.py PROGRAM

Counts the identifiers of several trees with Python's re, this repository's and hostile ones, and compares what the program prints.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NOBODY = 65534
ENDINGS = {b".h", b".hh", b".hpp", b".hxx", b".c", b".cc", b".cpp", b".cxx", b".inc", b".inl", b".ipp", b".tpp"}
IDENTIFIER = re.compile(rb"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*")
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


def printable(path):
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in path)


def count(base, folders, left_out=()):
    """What the program must find: {identifier: (count, "file:line")}, and the totals of its first lines."""
    paths = []
    for folder in folders:
        for where, _, names in os.walk(os.fsencode(folder)):
            paths += [os.path.join(where, name) for name in names if os.path.splitext(name)[1] in ENDINGS]
    paths = [path for path in sorted(paths) if os.path.isfile(path) and os.fsdecode(path) not in map(str, left_out)]
    found, totals = {}, {"files": len(paths), "lines": 0, "in all": 0, "read": 0}
    for path in paths:
        text = Path(os.fsdecode(path)).read_bytes()
        name = printable(os.path.relpath(path, os.fsencode(base)))
        totals["lines"] += text.count(b"\n")
        for number, line in enumerate(text.split(b"\n"), 1):
            for word in IDENTIFIER.findall(line):
                times, place = found.get(word, (0, f"{name}:{number}"))
                found[word] = (times + 1, place)
                totals["in all"] += 1
                totals["read"] += len(word)
    return {word.decode(): value for word, value in found.items()}, totals


def run(program, *arguments, **options):
    text = dict(capture_output=True, encoding="utf-8", errors="surrogateescape")
    return subprocess.run([program, *map(os.fsencode, map(str, arguments))], **{**text, **options})


def compare(done, expected, totals, name):
    rows = re.findall(r"^ *(\d+)  (\w+) +(\S.*:\d+)$", done.stdout, re.M)
    expect(done.returncode == 0 and "check: passed" in done.stdout and not done.stderr, f"{name}: passes", done)
    expect({word: (int(times), place) for times, word, place in rows} == expected, f"{name}: every count and first place", None)
    order = [(-int(times), word) for times, word, _ in rows]
    expect(order == sorted(order), f"{name}: the most frequent first")
    head = done.stdout.split("count  identifier")[0]
    numbers = {
        "files": r"files (\d+)", "lines": r"lines (\d+)", "in all": r"(\d+) in all", "read": r"bytes (\d+) read",
    }
    expect({key: int(re.search(pattern, head).group(1)) for key, pattern in numbers.items()} == totals, f"{name}: totals", done)
    expect(f"identifiers {len(expected)} different" in head, f"{name}: how many differ", done)
    expect(f"{sum(map(len, expected))} kept" in head, f"{name}: bytes that are kept", done)
    rare = sum(times == 1 for times, _ in expected.values())
    stale = f"{rare} words that occur once are erased: {rare} handles are stale, {len(expected) - rare} resolve"
    expect(stale in done.stdout, f"{name}: exactly what occurs once goes stale", done)


def write(path, data=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def check_repository(program):
    folders = [REPOSITORY / "include", REPOSITORY / "tests"]
    expected, totals = count(REPOSITORY, folders)
    expect(len(expected) > 1000, "the repository has identifiers to count")
    compare(run(program, "--all"), expected, totals, "the repository")
    short = run(program)
    rows = re.findall(r"^ *(\d+)  (\w+) +\S.*:\d+$", short.stdout, re.M)
    expect(short.returncode == 0 and len(rows) == 12 and "stays stale" in short.stdout, "a short table by default", short)
    best = max(times for times, _ in expected.values())
    expect(rows and int(rows[0][0]) == best, "which starts with the most frequent one", short)


def check_trouble(program, home, as_nobody):
    tree = home / "trouble"
    write(tree / "a.h", b"int a = 0x1F + 1'000u; // caf\xe9 na\xc3\xafve \xff\xfe\0zero\r\nint a1, _, __x, 9lives;\n\n\tlast")
    write(tree / "b/one.cpp", b"a a a\na")
    write(tree / "b/long.c", b"x" * 70000 + b" " + b"short " * 5000)
    write(tree / "b/empty.hpp")
    write(tree / "b/notes.txt", b"not_counted")
    write(Path(os.fsdecode(os.fsencode(tree) + b"/bytes\xff\x1b[31m.h")), b"strange_name\n")
    secret, huge, closed = write(tree / "secret.h", b"hidden"), tree / "huge.h", tree / "closed"
    with open(huge, "wb") as file:
        file.truncate(40 << 20)
    write(closed / "inner.h", b"unreachable")
    (tree / "circle").symlink_to("..")
    (tree / "gone.h").symlink_to("nowhere.h")
    (tree / "link.h").symlink_to("b/one.cpp")
    os.mkfifo(tree / "pipe.h")
    (tree / "folder.h").mkdir()
    expected, totals = count(tree, [tree], [secret, huge, closed / "inner.h"])
    secret.chmod(0)
    closed.chmod(0)
    for folder in (tree, f"{tree}/", f"{tree}/b/.."):
        done = run(program, "--all", folder, **as_nobody)
        compare(done, expected, totals, f"a tree full of trouble as {folder}")
        expect("left out 3\n" in done.stdout, "two files and a folder are left out", done)
        for words in ("secret.h: cannot be read", "huge.h: over 32 MiB", "closed: "):
            expect(words in done.stdout, f"'{words}' is reported", done)
        expect("\x1b" not in done.stdout, "no control character of a name reaches the terminal", done)
    done = run(program, "--all", ".", cwd=tree, **as_nobody)
    compare(done, expected, totals, "the current folder")
    closed.chmod(stat.S_IRWXU)


def check_refused(program, home, as_nobody):
    write(home / "void/notes.txt", b"words")
    write(home / "locked/a.h").parent.chmod(0)
    file = write(home / "file.h", b"int x;")
    for arguments, words in [
        ([home / "missing"], "missing': No such file"),
        ([file], "file.h': Not a directory"),
        ([home / "void"], "no readable C or C++ source"),
        ([home / "locked"], "locked': Permission denied"),
        ([""], "usage"), (["--help"], "usage"), (["--all", "--all"], "usage"), ([home, home], "usage"),
    ]:
        done = run(program, *arguments, **as_nobody)
        expect(done.returncode == 2 and words in done.stderr and not done.stdout, f"{arguments} is refused with '{words}'", done)
    (home / "locked").chmod(stat.S_IRWXU)
    write(home / "blank/a.h", b"123 +-*/ 4e5\n\n")
    compare(run(program, "--all", home / "blank", **as_nobody), *count(home / "blank", [home / "blank"]), "sources without identifiers")


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
        program = shutil.copy2(sys.argv[1], home / "interner")
        os.chmod(program, 0o755)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        check_repository(program)
        check_trouble(program, home, as_nobody)
        check_refused(program, home, as_nobody)
    print(f"{passed} passed, {len(failures)} failed")
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
