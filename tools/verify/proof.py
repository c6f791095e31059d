# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the commands of tools/verify share: where things are, compiling a program of the tests, doing several things at once."""
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
sys.path.append(str(ROOT / "tools"))
from headers import arguments  # noqa: E402, F401  (for the commands)


def gcc():
    return os.environ.get("CXX") or next((name for name in ("g++", "g++-14", "g++-13", "g++-12") if shutil.which(name)), "g++")


def clang(tool="clang++"):
    """The name of a tool of clang or LLVM with its version: clang++-16, llvm-cov-16."""
    found = next((name for version in range(16, 22) if shutil.which(name := f"{tool}-{version}")), None)
    return found or die(f"{tool}-16 or newer is not here; tools/dev setup proof installs it")


def die(*lines, code=3):
    for line in lines:
        print(f"proof: {line}", file=sys.stderr)
    raise SystemExit(code)


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
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        return Result(124, process.communicate()[0].decode(errors="replace"))
    return Result(process.returncode, output.decode(errors="replace"))


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


class Programs:
    """Compiles programs of Catch2 test sources with one compiler and one set of flags, in build/proof/<name>. The runner is compiled once."""

    def __init__(self, name, compiler=None, flags=("-std=c++20", "-O0", "-DSLOTWISE_CHECK_LEVEL=2")):
        self.folder, self.compiler = BUILD / name, compiler or gcc()
        self.folder.mkdir(parents=True, exist_ok=True)
        version = 3 if run([gcc(), "-x", "c++", "-E", "-", "-include", "catch2/catch_all.hpp"]).ok else 2  # of Catch2
        self.flags, self.runner = [*flags, f"-DSLOTWISE_CATCH2_VERSION={version}"], ["-lCatch2Main", "-lCatch2"]
        if version < 3:
            source, self.runner = self.folder / "catch_main.cpp", [self.folder / "catch_main.o"]
            source.write_text("#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
            if not self.runner[0].exists():
                must([self.compiler, *self.flags, "-c", source, "-o", *self.runner], "cannot compile the runner of Catch2:", code=3)

    def compile(self, sources, output):
        """A program from test sources; its Result."""
        return run([self.compiler, *self.flags, f"-I{INCLUDE}", f"-I{TESTS}", *sources, *self.runner, "-o", output])
