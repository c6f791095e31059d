#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The C++20 module: writes the list of names it exports, and builds a program that has nothing else of slotwise.

  module.py            writes include/slotwise/slotwise.cppm, which exports each public name that the front door, slotwise.hpp, brings:
                       all at namespace scope but what is in a namespace detail, with the namespaces below slotwise (bits, pmr)
  module.py --check    compares that file with the headers and writes nothing; both need libclang
  module.py --cmake    installs slotwise, builds the program of tests/consumer/module with slotwise::module and runs it, by the
                       CMake and the Ninja of the Python package index, which are put into build/module/venv

CXX chooses the compiler if it is a clang++ 16 or newer; else the oldest of these that is here. g++ 12 cannot build modules. --cmake also
needs the clang-scan-deps of that clang++ (Debian and Ubuntu: clang-tools-16) and python3-venv.

Exit code 0: done, or nothing was found; 1: the file says something else than the headers, or something did not build or work; 3: a
program that is needed is not here.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

from check_headers import FRONT_DOOR, SPDX
from headers import version_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
UNIT = "slotwise.cppm"
LEAST_CLANG, LEAST_CMAKE = 16, "3.28"
CLANGS = [f"clang++-{version}" for version in range(LEAST_CLANG, 40)] + ["clang++"]
CONSUMER = ROOT / "tests" / "consumer" / "module"


class Missing(Exception):
    """A program that is not installed."""


#=== the file ===#

def public_names(declarations):
    """{namespace: names} of what is declared."""
    names = {}
    for each in declarations:
        if each.public and each.name:
            names.setdefault("::".join(each.spaces), set()).add(each.name)
    return names


def unit(names):
    """The text of the module interface."""
    lines = [f"// {line}" for line in SPDX] + ["//"]
    lines += ["// The front door as a module: `import slotwise;`. Written by tools/module.py, which also tells when it is out of date.",
              "// Macros stay behind: what SLOTWISE_CHECK_LEVEL and the others are, is settled where this file is compiled.",
              "// clang-format off", "module;", f'#include "{FRONT_DOOR}"', "", "export module slotwise;"]
    for space in sorted(names):
        lines += ["", f"export namespace {space} {{"]
        lines += [f"using {space}::{name};" for name in sorted(names[space])]
        lines += [f"}} // namespace {space}"]
    return "\n".join(lines) + "\n"


def differences(there, wanted):
    """What the committed text lacks (+) and has too much (-), one finding a line."""
    return [line for line in difflib.unified_diff(there.splitlines(), wanted.splitlines(), lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]


#=== building ===#

def compiler():
    """A clang++ that can build modules: CXX if it is one."""
    for name in filter(shutil.which, [os.environ.get("CXX") or CLANGS[0], *CLANGS]):
        said = subprocess.run([name, "--version"], stdout=subprocess.PIPE, universal_newlines=True).stdout
        version = re.search(r"clang version (\d+)", said)
        if version and int(version[1]) >= LEAST_CLANG:
            return shutil.which(name)
    raise Missing(f"the module is built by clang++ {LEAST_CLANG} or newer, and none is here (g++ 12 cannot build it); "
                  f"on Debian and Ubuntu: apt-get install clang-{LEAST_CLANG}")


def run(*command, **more):
    command = [str(word) for word in command]
    print(" ".join(command), flush=True)
    subprocess.run(command, check=True, **more)


def by_cmake():
    """Builds and runs the consumer with slotwise::module of an installed package."""
    clang = compiler()
    work = ROOT / "build" / "module"
    tools = work / "venv" / "bin"
    if not (tools / "ninja").exists():
        print("installing CMake and Ninja into build/module/venv", flush=True)
        shutil.rmtree(work / "venv", ignore_errors=True)
        run(sys.executable, "-m", "venv", work / "venv")
        run(tools / "pip", "install", "--quiet", f"cmake>={LEAST_CMAKE}", "ninja>=1.11")
    command = [tools / "cmake", f"-Dproject={CONSUMER}", f"-Dwork={work / 'consumer'}", f"-Dslotwise_source={ROOT}",
               f"-Dslotwise_version={version_of(ROOT)}", "-Dgenerator=Ninja", f"-Dcompiler={clang}", "-P", CONSUMER.parent / "run.cmake"]
    run(*command, env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "SLOTWISE_MODULE_BY": "cmake"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cmake", action="store_true")
    options = parser.parse_args()
    try:
        if options.cmake:
            by_cmake()
            return 0
        import parsed  # needs libclang, which building does not
        wanted = unit(public_names(parsed.declarations(paths=[parsed.ROOM / FRONT_DOOR])))
    except (Missing, subprocess.CalledProcessError) as error:
        print(f"module: {error}", file=sys.stderr)
        return 3 if isinstance(error, Missing) else 1
    path = ROOT / "include" / "slotwise" / UNIT
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    found = differences(there, wanted)
    if found and not options.check:
        path.write_text(wanted, encoding="utf-8")
    print("\n".join(found) or f"{path.relative_to(ROOT)}: {wanted.count('using ')} names, as the headers say")
    if found and options.check:
        print(f"{path.relative_to(ROOT)} is not what the headers say; tools/module.py writes it anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
