#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks include_graph from the outside: usage: check.py PROGRAM

Builds trees with cycles, links that lead nowhere or in circles, binary, huge, unreadable and special files, runs the program
on them and compares what it prints, writes and returns.
"""

import os
import re
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

NOBODY = 65534


class Checks:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def expect(self, holds, promise, run=None):
        if holds:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {promise}")
        if run is not None:
            print(f"  command: {run.args}\n  exit code: {run.returncode}\n  stdout: {run.stdout}\n  stderr: {run.stderr}")


class Program:
    """The program under test. As root, nothing is unreadable: then it runs as nobody, from a copy that nobody can execute."""

    def __init__(self, path, home):
        self.path = shutil.copy2(path, home / "include_graph")
        os.chmod(self.path, 0o755)
        self.home = home
        self.as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}

    def run(self, *arguments, **options):
        text = dict(capture_output=True, encoding="utf-8", errors="surrogateescape", cwd=self.home)
        return subprocess.run([self.path, *map(os.fsencode, map(str, arguments))], **{**text, **self.as_nobody, **options})


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def value(run, label):
    """The first number in the row of this label, -1 when there is no such row."""
    row = re.search(rf"^  {re.escape(label)} +([\d,]+)", run.stdout, re.M)
    return int(row.group(1).replace(",", "")) if row else -1


def left_out(run, words):
    row = re.search(rf"^  left out +([\d,]+) x {re.escape(words)}", run.stdout, re.M)
    return int(row.group(1).replace(",", "")) if row else 0


def timeless(run):
    """What is printed, without times, their share and the blanks that pad them."""
    return re.sub(r" +[\d.]+ (ms|us|%)| +[\d.]+$", "", run.stdout, flags=re.M)


def check_usage(checks, program, home):
    tree = home / "usage"
    write(tree / "a.h", "int a;\n")
    for arguments, words in [
        ([home / "missing"], "missing"),
        ([tree / "a.h"], "not a directory"),
        ([tree, "--frobnicate"], "--help"),
        ([tree, "--edit", "3"], "did you mean --edits"),
        ([tree, "--edits", "many"], "whole number"),
        ([tree, "--edits", "-1"], "whole number"),
        ([tree, "--edits", "99999999999"], "whole number"),
        ([tree, "--seed"], "needs a value"),
        ([tree, "-I"], "needs a value"),
        ([tree, "-I", home / "missing"], "missing"),
        ([tree, tree], "-I DIR"),
        ([""], "empty"),
    ]:
        run = program.run(*arguments)
        checks.expect(run.returncode == 2 and words in run.stderr, f"{arguments} is refused with '{words}' and exit code 2", run)
    run = program.run("--help")
    checks.expect(run.returncode == 0 and "--dot FILE" in run.stdout and not run.stderr, "--help explains and succeeds", run)
    (home / "empty").mkdir()
    run = program.run(home / "empty")
    checks.expect(run.returncode == 2 and "no readable C or C++ source" in run.stderr, "a tree without sources is refused", run)
    run = program.run(tree, "--dot", home / "nowhere" / "x.dot")
    checks.expect(run.returncode == 1 and "cannot write" in run.stderr, "a Graphviz file that cannot be written is an error", run)
    run = program.run(tree, "--folders", home / "nowhere" / "x.svg")
    checks.expect(run.returncode == 1 and "--folders FILE" in run.stderr, "a picture that cannot be written is an error", run)
    run = program.run("--edits", "0", "--", tree)
    checks.expect(run.returncode == 0, "no edits and a directory behind -- are fine", run)
    locked = home / "locked"
    write(locked / "a.h")
    locked.chmod(0)
    run = program.run(locked)
    checks.expect(run.returncode == 2 and "locked" in run.stderr, "an unreadable directory is refused", run)
    locked.chmod(0o755)


def check_graph(checks, program, home):
    tree = home / "graph"
    write(tree / "top.cpp", '#include "mid.hpp"\n#include <base.hpp>\n#include <vector>\nint main() {}\n')
    write(tree / "mid.hpp", '#  include\t"sub/low.hpp"\n')
    write(tree / "sub/low.hpp", '/* x */ # /* y */ include /* z */ "../base.hpp" // end\n')
    write(tree / "base.hpp", "// nothing\n")
    write(tree / "ring/a.h", '#include "b.h"\n')
    write(tree / "ring/b.h", '#include "c.h"\n')
    write(tree / "ring/c.h", '#include "a.h"\n')
    write(tree / "ring/self.h", '#include "self.h"\n')
    write(tree / "extensionless", "// -*- C++ -*-\n#ifndef X\n#define X\n#include <base.hpp>\n#endif\n")
    write(tree / "LICENSE", "Permission is granted\n")
    write(tree / "Makefile", '# all of it\nall:\n')
    write(tree / "notes.txt", '#include "base.hpp"\n')
    write(tree / ".git/config.h", '#include "base.hpp"\n')
    dot = home / "out" / "graph.dot"
    run = program.run(tree, "--dot", dot)
    checks.expect(run.returncode == 0 and ": passed" in run.stdout and not run.stderr, "a sound tree passes", run)
    checks.expect(value(run, "files") == 9, "sources, headers and headers without an extension are files, others not", run)
    checks.expect(value(run, "edges") == 9, "every include of a known file is an edge", run)
    checks.expect(value(run, "unresolved") == 1 and "1 external" in run.stdout, "<vector> is external", run)
    checks.expect(value(run, "cycles") == 1 and "(3 files; 1 files include themselves)" in run.stdout, "the ring is found", run)
    checks.expect("ring/a.h ->\n      ring/b.h ->\n      ring/c.h ->\n      ring/a.h" in run.stdout, "the ring is printed in order", run)
    chain = "3 steps  (a cycle counts as one place)\n      top.cpp\n      mid.hpp\n      sub/low.hpp\n      base.hpp\n"
    checks.expect(chain in run.stdout, "the deepest chain is printed from its top", run)
    gone, still = value(run, "handles gone stale"), value(run, "handles still stale")
    checks.expect(gone == value(run, "files deleted") and gone > 0 and gone == still, "deleted files leave stale handles", run)
    text = dot.read_text()
    checks.expect(text.startswith("digraph") and text.endswith("}\n"), "the Graphviz file is whole")
    checks.expect(text.count(" -> ") == 9 and text.count("[label=") == 9, "the Graphviz file has every file and every edge")
    checks.expect('label="sub/low.hpp"' in text, "labels are paths from the root")
    again = program.run(tree, "--dot", dot)
    checks.expect(timeless(run) == timeless(again), "two runs with one seed report the same", again)
    if shutil.which("dot"):
        drawn = subprocess.run(["dot", "-Tsvg", dot], capture_output=True)
        checks.expect(drawn.returncode == 0 and b"<svg" in drawn.stdout, "Graphviz accepts the file")


def check_folders(checks, program, home):
    tree, picture = home / "layers", home / "out" / "layers.svg"
    write(tree / "main.cpp", '#include "up/a.h"\n#include "low/a.h"\n')
    write(tree / "up/a.h", '#include "detail/b.h"\n#include "../mid&/a.h"\n#include "../low/a.h"\n')
    write(tree / "up/detail/b.h", '#include "../../mid&/a.h"\n')
    write(tree / "mid&/a.h", '#include "../low/a.h"\n')
    write(tree / "low/a.h")
    run = program.run(tree, "--folders", picture, "--edits", "0")
    checks.expect("folders             4 in 4 layers, 0 of them in cycles" in run.stdout, "folders and layers are counted", run)
    root = xml.etree.ElementTree.parse(picture).getroot()  # raises when it is no XML
    boxes = {each[2].text: each for each in root.findall("{*}g")}
    checks.expect(set(boxes) == {"main.cpp", "up", "mid&", "low"}, "a box for each folder, and for a file beside them")
    height = {name: int(box[1].get("y")) for name, box in boxes.items()}
    checks.expect(height["main.cpp"] < height["up"] < height["mid&"] < height["low"], "each layer is above those it includes")
    checks.expect(boxes["up"][0].text == "up includes low: 1; mid&: 2;", "a box knows how many includes lead where")
    checks.expect(boxes["up"][3].text == "1 + 1 files, 4 lines", "files of nested folders are counted apart")
    lines = [each.get("stroke") for each in root.findall("{*}path")]
    checks.expect(len(lines) == 3 and len(set(lines)) == 1, "lines that others imply are left out")
    write(tree / "low/b.h", '#include "../up/a.h"\n')
    run = program.run(tree, "--folders", picture, "--edits", "0")
    checks.expect("folders             4 in 2 layers, 3 of them in cycles" in run.stdout, "folders in a circle are one layer", run)
    lines = [each.get("stroke") for each in xml.etree.ElementTree.parse(picture).getroot().findall("{*}path")]
    checks.expect(sorted(map(lines.count, set(lines))) == [2, 4], "lines of a circle are of their own colour, and all drawn")


def check_lexer(checks, program, home):
    """Each text includes real.h exactly as often as said; edges count a pair once, hence one file a text."""
    cases = [
        ('#include "real.h"', 1),  # no end of line
        ('#include "real.h"\r\n', 1),
        ('\ufeff#include "real.h"\n', 1),  # byte order mark
        ('#inc\\\nlude "re\\\nal.h"\n', 1),
        ('#include \\\n "real.h"\n', 1),
        ('#include "re\\\nal.h"\n', 1),
        ('// #include "real.h"\n', 0),
        ('// continued \\\n#include "real.h"\n', 0),
        ('// continued \\\r\n#include "real.h"\r\n', 0),
        ('/*\n#include "real.h"\n*/\n', 0),
        ('/* a */ /* b\n */ #include "real.h"\n', 1),
        ('int x; #include "real.h"\n', 0),
        ('const char* s = "/*";\n#include "real.h"\n', 1),
        ("char c = '\"'; /*\n#include \"real.h\"\n*/\n", 0),
        ("int n = 1'000; /*\n#include \"real.h\"\n*/\n", 0),
        ("char c = '\\''; char d = '\"';\n#include \"real.h\"\n", 1),
        ('auto r = R"(\n#include "real.h"\n)";\n', 0),
        ('auto r = u8R"x(\n)" \n#include "real.h"\n)x";\n', 0),
        ('auto r = R"(a)";\n#include "real.h"\n', 1),
        ('#error don\'t /* this\n#include "real.h"\n', 1),  # the apostrophe takes the rest of its line, no more
        ('#if 0\n#include "real.h"\n#endif\n', 1),  # conditions are not evaluated
        ('#import "real.h"\n', 1),
        ('#include "real.h\n', 0),
        ('#include ""\n#include <>\n#include\n#\n', 0),
        ('#include "./sub//../real.h"\n', 1),
        ('#include "../../../../../../../../../../../../real.h"\n', 0),
        ('#define X "real.h"\n#include X\n', 0),
        ('#include "real.h" /* open\n#include "other.h"\n', 1),
        ('/* never closed\n#include "real.h"', 0),
        ('R"never closed(\n#include "real.h"', 0),
        ("\\", 0),
        ("#", 0),
        ("", 0),
    ]
    tree = home / "lexer"
    (tree / "sub").mkdir(parents=True)
    write(tree / "real.h")
    write(tree / "other.h")
    wrong = []
    for number, (text, edges) in enumerate(cases):
        case = write(tree / "case.c", text)
        run = program.run(tree, "--edits", "20", "--seed", number)
        if run.returncode != 0 or value(run, "edges") != edges:
            wrong.append((text, edges, value(run, "edges"), run.returncode))
        case.unlink()
    for case in wrong:
        print(f"  text, edges expected, edges found, exit code: {case}")
    checks.expect(not wrong, "comments, strings and continued lines are told from directives")
    checks.expect(len(cases) > 30, "enough texts were tried")
    write(tree / "case.c", "#define X <real.h>\n#include X\n#include X\n")
    run = program.run(tree)
    checks.expect(value(run, "unresolved") == 2 and "2 by macro" in run.stdout, "includes by macro are counted as such", run)


def check_roots(checks, program, home):
    tree = home / "roots"
    write(tree / "src/main.c", '#include <lib.h>\n#include <string.h>\n#include "beside.h"\n')
    write(tree / "src/beside.h")
    write(tree / "one/string.h", "#include_next <string.h>\n")
    write(tree / "two/string.h")
    write(tree / "two/lib.h")
    run = program.run(tree / "src")
    checks.expect(value(run, "files") == 2 and value(run, "unresolved") == 2, "without -I, only the directory is searched", run)
    run = program.run(tree / "src", "-I", tree / "one", "-I", tree / "two")
    checks.expect(value(run, "files") == 5 and value(run, "unresolved") == 0, "-I directories are read and searched", run)
    checks.expect(value(run, "edges") == 4 and value(run, "cycles") == 0, "#include_next goes on behind its own root", run)
    run = program.run(tree / "src", "-I" + str(tree / "two"), "-I", tree / "one")
    checks.expect(value(run, "edges") == 3 and value(run, "unresolved") == 1, "-I directories are searched in order", run)
    run = program.run(tree, "-I", tree / "one", "-I", tree / "two")
    checks.expect(value(run, "files") == 5 and value(run, "edges") == 4, "an -I inside of the directory is not read twice", run)
    run = program.run(tree / "src", "-I", tree)
    checks.expect(value(run, "files") == 5, "a directory inside of an -I is not read twice", run)
    write(tree / "src/main.c", f'#include "{tree}/two/lib.h"\n')
    run = program.run(tree, "-I", tree / "one", "-I", tree / "two")
    checks.expect(value(run, "edges") == 2 and value(run, "unresolved") == 0, "absolute names are resolved", run)


def check_troubles(checks, program, home):
    tree = home / "trouble"
    write(tree / "good.h", '#include "alias/inner.h"\n#include "link.h"\n#include "binary.h"\n')
    write(tree / "real/inner.h", '#include "../good.h"\n')
    (tree / "alias").symlink_to("real")
    (tree / "link.h").symlink_to("real/inner.h")
    (tree / "real/up").symlink_to("..")
    (tree / "everything").symlink_to("/")
    (tree / "gone.h").symlink_to("nowhere.h")
    (tree / "circle1.h").symlink_to("circle2.h")
    (tree / "circle2.h").symlink_to("circle1.h")
    (tree / "myself").symlink_to("myself")
    write(tree / "binary.h", b"int a;\0\x01\x02\n")
    write(tree / "latin.h", b"// caf\xe9 \xff\xfe\n")
    with open(tree / "huge.h", "wb") as huge:
        huge.truncate(40 << 20)
    write(tree / "secret.h", "int s;\n").chmod(0)
    write(tree / "closed/a.h")
    (tree / "closed").chmod(0)
    os.mkfifo(tree / "pipe.h")
    (tree / "directory.h").mkdir()
    write(tree / "quote\"back\\slash\nline.h", '#include "good.h"\n')
    write(Path(os.fsdecode(os.fsencode(tree) + b"/bytes\xff\xfe\x1b[31m.h")), "int b;\n")
    dot = home / "out" / "trouble.dot"
    run = program.run(tree, "--dot", dot, "--edits", "200")
    checks.expect(run.returncode == 0 and ": passed" in run.stdout, "a tree full of trouble is survived", run)
    checks.expect(value(run, "files") == 5, "good files are kept, each once", run)
    for count, words in [
        (4, "broken link"), (1, "binary file"), (1, "file over 32 MiB"), (1, "unreadable file"), (1, "unreadable directory"),
        (1, "special file"), (3, "link to a directory already read"),
    ]:
        checks.expect(left_out(run, words) == count, f"{count} x {words} is reported", run)
    checks.expect(value(run, "cycles") == 1 and value(run, "edges") == 3, "includes through links reach the real file", run)
    checks.expect("\x1b" not in run.stdout, "no control character of a name reaches the terminal", run)
    text = dot.read_bytes().decode("utf-8")  # raises when the file is no UTF-8
    checks.expect(r'label="quote\"back\\slash\\x0aline.h"' in text, "quotes, backslashes and line ends in labels are escaped")
    checks.expect(r"bytes\\xff\\xfe\\x1b[31m.h" in text, "bytes that are no text are written as numbers")
    if shutil.which("dot"):
        drawn = subprocess.run(["dot", "-Tsvg", dot], capture_output=True)
        checks.expect(drawn.returncode == 0 and not drawn.stderr, "Graphviz accepts strange labels")
    (tree / "closed").chmod(0o755)


def check_depth(checks, program, home):
    """Recursion anywhere would end here: a long chain that leads into a long ring, on a stack of 128 KiB."""
    tree = home / "deep"
    count = 1500
    for number in range(count):
        write(tree / f"chain{number}.h", f'#include "chain{number + 1}.h"\n' if number + 1 < count else '#include "ring0.h"\n')
        write(tree / f"ring{number}.h", f'#include "ring{(number + 1) % count}.h"\n')
    run = program.run(tree, "--edits", "10", "--dot", "/dev/null", preexec_fn=small_stack)
    checks.expect(run.returncode == 0 and ": passed" in run.stdout, "long chains need no deep stack", run)
    checks.expect(value(run, "deepest chain") == count, "the ring below the chain counts as one place", run)
    checks.expect(value(run, "biggest cycle") == count, "the ring is one cycle", run)


def check_vanishing(checks, program, home):
    """Which file goes at which moment is up to the machine; the run must end well whatever it is."""
    tree = home / "vanishing"
    names = [f"f{number}.h" for number in range(4000)]
    for number, name in enumerate(names):
        write(tree / name, f'#include "{names[number // 2]}"\n' + "// filler\n" * 200)
    tree.chmod(0o777)
    arguments = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=home, **program.as_nobody)
    with subprocess.Popen([program.path, tree, "--edits", "300"], **arguments) as running:
        for name in names[1::2]:
            (tree / name).unlink()
        running.stdout_text, running.stderr_text = running.communicate()
    done = subprocess.CompletedProcess(running.args, running.returncode, running.stdout_text, running.stderr_text)
    checks.expect(done.returncode == 0 and ": passed" in done.stdout, "files that vanish during the run are survived", done)
    checks.expect(value(done, "files") >= 2000, "the files that stayed are read", done)


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (128 << 10, 128 << 10))


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return 0
    if len(sys.argv) != 2:
        print("usage: check.py PROGRAM", file=sys.stderr)
        return 2
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        home.chmod(0o755)
        (home / "out").mkdir()
        (home / "out").chmod(0o777)
        home.chmod(0o777)  # the Graphviz file of a run without --dot lies beside the program
        program = Program(sys.argv[1], home)
        for part in (check_usage, check_graph, check_folders, check_lexer, check_roots, check_troubles, check_depth, check_vanishing):
            try:
                part(checks, program, home)
            except (OSError, ValueError, subprocess.SubprocessError) as error:  # what the program should have left is not there
                checks.expect(False, f"{part.__name__} could be carried out: {error!r}")
        for path in home.rglob("*"):
            if not path.is_symlink() and path.is_dir():
                path.chmod(path.stat().st_mode | stat.S_IRWXU)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 0 if checks.failed == 0 and checks.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
