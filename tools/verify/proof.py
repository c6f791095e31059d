# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the commands of tools/verify share: where things are, compiling a program of the tests, doing several things at once."""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
TESTS = ROOT / "tests"
BUILD = ROOT / "build" / "proof"
JOBS = int(os.environ.get("SLOTWISE_JOBS") or os.cpu_count() or 2)
sys.path.append(str(ROOT / "tools"))  # headers.py, which reads their text, is there


def gcc():
    return os.environ.get("CXX") or next((name for name in ("g++", "g++-14", "g++-13", "g++-12") if shutil.which(name)), "g++")


def clang(tool="clang++"):
    """The name of a tool of clang or LLVM with its version: clang++-16, llvm-cov-16."""
    for version in ("16", "17", "18", "19", "20", "21"):
        if shutil.which(f"{tool}-{version}"):
            return f"{tool}-{version}"
    die(f"{tool}-16 or newer is not here; tools/dev setup proof installs it")


def die(*lines, code=3):
    for line in lines:
        print(f"proof: {line}", file=sys.stderr)
    raise SystemExit(code)


def arguments(description, *flags):
    """A parser that knows these flags; its --help is the description."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser


def relative(path):
    return str(pathlib.Path(path).resolve().relative_to(ROOT))


@dataclasses.dataclass
class Result:
    code: int  # 124 when it took too long
    output: str

    @property
    def ok(self):
        return self.code == 0


def run(command, *, timeout=None, env=None, cwd=ROOT):
    """Runs a command to its end; stdout and stderr together. A command that takes too long is ended with all its children."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                               cwd=cwd, env={**os.environ, "LC_ALL": "C", **(env or {})}, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return Result(process.returncode, output.decode(errors="replace"))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        output, _ = process.communicate()
        return Result(124, output.decode(errors="replace"))


def must(command, *lines, code=1, **options):
    """What a command says that has to succeed; else these lines and its last ones end the script."""
    result = run(command, **options)
    if not result.ok:
        die(*lines, result.output[-6000:], code=code)
    return result.output


def parallel(function, items, jobs=JOBS):
    """function(item) for all items, `jobs` at once; yields (item, result) as they end. An exception ends it all."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(function, item): item for item in items}
        for done in concurrent.futures.as_completed(running):
            yield running[done], done.result()


def catch_version():
    probe = run([gcc(), "-x", "c++", "-E", "-", "-include", "catch2/catch_all.hpp"])
    return 3 if probe.ok else 2


class Programs:
    """Compiles programs of Catch2 test sources with one compiler and one set of flags, in build/proof/<name>.

    The runner is compiled once. `include` may be a patched copy of include/.
    """

    def __init__(self, name, compiler=None, flags=("-std=c++20", "-O0", "-DSLOTWISE_CHECK_LEVEL=2"), link=()):
        self.folder = BUILD / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.compiler = compiler or gcc()
        self.version = catch_version()
        self.flags = [*flags, f"-DSLOTWISE_CATCH2_VERSION={self.version}"]
        self.link = list(link)
        self._main = None

    def main(self):
        if self._main is None:
            if self.version >= 3:
                self._main = ["-lCatch2Main", "-lCatch2"]
            else:
                source, object_file = self.folder / "catch_main.cpp", self.folder / "catch_main.o"
                source.write_text("#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
                if not object_file.exists():
                    must([self.compiler, *self.flags, "-c", source, "-o", object_file], "cannot compile the runner of Catch2:", code=3)
                self._main = [object_file]
        return self._main

    def compile(self, sources, output, include=INCLUDE, extra=()):
        """A program from test sources; its Result."""
        return run([self.compiler, *self.flags, *extra, f"-I{include}", f"-I{TESTS}", *sources, *self.main(), *self.link, "-o", output])
