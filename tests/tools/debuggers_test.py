#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests what debuggers show: include/slotwise/debug on tests/debuggers/program.cpp, in GDB and LLDB, built by g++ and by clang++.

  debuggers_test.py             needs g++, clang++, gdb and lldb (tools/dev setup test installs them)
  debuggers_test.py --accept    writes what is printed now into tests/debuggers/gdb.txt and lldb.txt, to be read before it is kept

Those two files are sessions: a line "> command", then what it prints. Addresses are "0x...", names of types before "name =" left out.
"""
import functools
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from fixture import ROOT
HERE = ROOT / "tests" / "debuggers"
DEBUG = ROOT / "include" / "slotwise" / "debug"
NATVIS = DEBUG / "slotwise.natvis"
sys.path.insert(0, str(DEBUG))
import headers  # noqa: E402
import parsed  # noqa: E402
import proof  # noqa: E402
import slotwise_shapes as shapes  # noqa: E402

COMPILERS = (proof.gcc(), proof.clang())
LLDB = proof.clang("lldb")
SECONDS = 900  # for a session, on a busy machine; each takes two or three
# Classes that a debugger shows well by itself, and why.
PLAIN = {
    "ScopeGuard": "a function and a flag, on the stack for a moment",
    "SlotObserver": "an interface without members", "SeriesSubscriber": "an interface without members", "RowObserver": "an interface and a flag",
    "AnyValue": "pointers and what to do with them", "BitSource": "a pointer and a number", "AnyCodec": "a std::vector",
    "ByteReader": "a std::span and a message", "ByteWriter": "a std::vector",
    "DroppingCodec": "has no state",
    **dict.fromkeys(("Query", "ColumnMapping", "EntityBuilder", "ExtractedEntity", "CommandBuffer"), "work in progress: what it is about is a store or a table"),
    **dict.fromkeys(("ArchetypeGraph", "ComponentIndex", "ComponentRegistry"), "std::vectors and slot maps"),
    "RelationMap": "a list of relations, each two MapStorages", "HookId": "a number", "EntityLocation": "two numbers",
    "BasicPairMatch": "an id and pointers",
    "DataflowContext": "two pointers and a slot, during a call",
    "Exportable": "a std::shared_ptr to its container", "OwnedStream": "a structure of Arrow's C interface",
    "LinkResult": "a status and a std::vector", "ChangedInputs": "a pointer and a count", "OutputSubscriber": "an interface without members",
}
NATVIS_INHERITS = dict.fromkeys(("SoaRow", "RowRef", "StructRef"), "what Visual Studio has for std::tuple")
# Their headers need a library that not everybody has: a variable where it is there.
ADAPTERS = {"BoostIndex", "RobinIndex", "AnkerlIndex"}
BASES = {"SlotMapInterface", "KeyedInterface"}


def classes():
    """Public classes: those with something private. What a structure has, debuggers show by themselves."""
    public = set(parsed.public_types())
    return public & {name for text in map(headers.code, headers.texts().values()) for name in re.findall(r"\bclass (\w+)(?= final\b|\s*[:{])", text)}


def natvis_names():
    """(inline namespace, class) of every name in the natvis file."""
    return re.findall(r'Type Name="slotwise::(v\w+)::([^"]+)"', NATVIS.read_text(encoding="utf-8"))


def run(program, *arguments, **more):
    """What a program says."""
    if shutil.which(program) is None:
        raise AssertionError(f"{program} is not there; tools/dev setup test-all installs it")
    return proof.run([program, *arguments], timeout=SECONDS, **more)


def gdb(program, commands, **more):
    """What GDB prints for each of the commands."""
    before = ["set width 0", "set confirm off", f"source {DEBUG}/slotwise_gdb.py", "break stop_here", "run", "up"]
    marked = [each for command in commands for each in ("echo @@@\\n", command)]
    script = [each for command in before + marked for each in ("-ex", command)]
    return run("gdb", "-nx", "-batch", *script, program, **more).output.split("@@@\n")[1:]


def lldb(program, commands):
    """The same of LLDB. The program gets no terminal: LLDB would open a pseudo terminal for it, which containers and CI runners may lack."""
    before = ["settings set target.disable-stdio true", "breakpoint set -n stop_here", "run", "up", f"command script import {DEBUG}/slotwise_lldb.py"]
    marked = [each for command in commands for each in ("script print('@@@')", command)]
    script = [each for command in before + marked for each in ("-o", command)]
    output = run(LLDB, "-b", "-X", *script, program).output
    refused = re.search(r"^error: (Cannot launch|process launch failed|.*[Oo]peration not permitted).*$", output, flags=re.MULTILINE)
    if refused and "@@@" not in output:
        skip(f"LLDB may not start a program here, so what it prints cannot be compared: {refused[0]}")
    if "@@@" not in output:
        raise AssertionError(f"LLDB stopped before the first command; it says:\n{output}")
    output = re.sub(r"^\(lldb\) .*\n", "", output, flags=re.MULTILINE)
    return output.split("@@@\n")[1:]


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)  # unittest itself names reasons only with -v
    raise unittest.SkipTest(reason)


DEBUGGERS = {"gdb": gdb, "lldb": lldb}


def without_chance(text, namespace="slotwise"):
    """What differs between runs and compilers is taken out."""
    text = re.sub(r"^\(.*\) (?=\w+ = )", "", text, flags=re.MULTILINE)
    text = re.sub(rf"^(\w+ = )0x[0-9a-f]{{16}} (?={namespace})", r"\1", text, flags=re.MULTILINE)  # of a reference
    return re.sub(r"0x[0-9a-f]{6,}", "0x...", text)


def session(name):
    """The commands of a file and what each is to print."""
    parts = re.split(r"^> (.*)\n", (HERE / f"{name}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return parts[1::2], parts[2::2]


@functools.cache
def folder():
    return tempfile.TemporaryDirectory()  # of the programs, until the end


@functools.cache
def program_by(compiler, namespace="slotwise"):
    """The test program; built when first asked for. Another namespace is that of a single header."""
    place, include, source = pathlib.Path(folder().name) / namespace.replace("::", "_"), ROOT / "include", HERE / "program.cpp"
    place.mkdir(exist_ok=True)
    program = place / pathlib.Path(compiler).name  # CXX may be a path
    if namespace != "slotwise":
        include, source = place, place / "program.cpp"
        text = (HERE / source.name).read_text(encoding="utf-8")
        source.write_text(text.replace("using namespace slotwise;", f"using namespace {namespace};"), encoding="utf-8")
        proof.must([sys.executable, ROOT / "tools" / "amalgamate.py", "--namespace", namespace, "--forwarding", place])
    made = run(compiler, "-std=c++20", "-O0", "-g", f"-I{include}", source, "-o", program)
    if not made.ok:
        raise AssertionError(made.output)
    return program


class Complete(unittest.TestCase):
    def test_every_public_class_has_a_shape_a_natvis_entry_and_a_variable(self):
        public = classes()
        self.assertGreater(len(public), 40)
        self.assertEqual(sorted(public - set(shapes.SHAPES) - set(PLAIN)), [])
        entries = {re.sub("&lt;.*", "", name) for _, name in natvis_names()}
        self.assertEqual(sorted(public - entries - set(PLAIN) - set(NATVIS_INHERITS)), [])
        frame = gdb(program_by(COMPILERS[1]), ["python for s in gdb.selected_frame().block(): "
                                                "print(plain(gdb.selected_frame().read_var(s).type))"])[0]
        shown = {shapes.class_of(line)[0] for line in frame.split("\n")}
        self.assertEqual(sorted(public - shown - set(PLAIN) - ADAPTERS - BASES), [])

    def test_nothing_is_listed_that_is_no_public_class(self):
        known = classes() | {"PublicId"}
        self.assertLessEqual({"SlotMap"}, known)
        for listed in (set(shapes.SHAPES), set(PLAIN), set(NATVIS_INHERITS), ADAPTERS, BASES):
            self.assertEqual(sorted(listed - known), [])
        self.assertEqual(sorted(set(PLAIN) & set(shapes.SHAPES)), [])


class Printed(unittest.TestCase):
    def check(self, debugger, compilers=COMPILERS, namespace="slotwise"):
        commands, expected = session(debugger)
        self.assertGreater(len(commands), 60)
        for compiler in compilers:
            printed = [without_chance(text, namespace) for text in DEBUGGERS[debugger](program_by(compiler, namespace), commands)]
            self.assertEqual(len(printed), len(commands), printed[-1:])
            for command, text, good in zip(commands, printed, expected):
                with self.subTest(compiler=compiler, command=command):
                    self.assertEqual(text, good.replace("slotwise::", f"{namespace}::"))

    def test_gdb(self):
        self.check("gdb")

    def test_lldb(self):
        self.check("lldb")

    # Each with the compiler whose debug information says less to it: names of types are asked of the linker's names there.
    def test_gdb_shows_a_single_header_of_another_namespace_alike(self):
        self.check("gdb", COMPILERS[1:], "mine::slots")

    def test_lldb_shows_a_single_header_of_another_namespace_alike(self):
        self.check("lldb", COMPILERS[:1], "mine::slots")


class Natvis(unittest.TestCase):
    def test_every_class_is_named_in_each_inline_namespace_of_this_version(self):
        names, version = natvis_names(), headers.version_of(ROOT).replace(".", "_")
        spaces = {f"v{version}_c{level}_e{exceptions}" for level in range(3) for exceptions in range(2)}
        self.assertEqual(sorted(names), sorted((space, name) for space in spaces for name in {name for _, name in names}))

    def evaluate(self, text):
        """What natvis_in_gdb.py says of a natvis file. By clang++: of g++'s constants in classes GDB knows not all."""
        with tempfile.NamedTemporaryFile("w", suffix=".natvis") as file:
            file.write(text)
            file.flush()
            return gdb(program_by(COMPILERS[1]), [f"source {HERE}/natvis_in_gdb.py"], env={"SLOTWISE_NATVIS": file.name})[0]

    def test_every_expression_evaluates_and_shows_what_the_printers_show_and_faults_are_found(self):
        good = NATVIS.read_text(encoding="utf-8")
        self.assertRegex(self.evaluate(good), r"^natvis: \d+ variables, (\d+) of \1 expressions\n$")
        for old, new, fault in (("core_.store.columns_.count_", "core_.store.amount_", "dense: natvis shows 0 elements"),
                                ("slot % 64)) &amp; 1", "slot % 64)) &amp; 0", "elements"), ("max_index + 1ull", "max_version + 1ull", "user_handle")):
            self.assertIn(old, good)
            self.assertRegex(self.evaluate(good.replace(old, new)), f"(?m)^fault: .*{fault}")


def accept():
    """Writes the sessions anew from what is printed for g++'s program."""
    for name, debugger in DEBUGGERS.items():
        commands, _ = session(name)
        printed = debugger(program_by(COMPILERS[0]), commands)
        text = "".join(f"> {command}\n{without_chance(each)}" for command, each in zip(commands, printed))
        (HERE / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--accept"]:
        accept()
    else:
        unittest.main()
