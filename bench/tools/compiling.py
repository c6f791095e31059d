# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Calls of the compiler, for the questions that are about what it makes and how long it takes."""

import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

from tools.results import ROOT, Failure

MISSING = re.compile(r"fatal error: (\S+?):? (?:No such file or directory|file not found)")


class Absent(Exception):
    """A header of somebody else that is not installed: its name."""


def find_compiler():
    for name in ("g++-12", "g++"):
        if shutil.which(name):
            return name
    raise Failure("no g++ to measure with", 2)


def call(compiler, *arguments):
    """Standard output and CPU seconds. The locale is C: the message about a missing header is read."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["env", "LC_ALL=C", compiler, "-std=c++20", "-I", str(ROOT / "include"), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        missing = MISSING.search(done.stderr)
        if missing is not None and not (ROOT / "include" / missing[1]).exists() and not missing[1].startswith("slotwise/"):
            raise Absent(missing[1])
        raise Failure(f"does not compile: {' '.join(map(str, arguments))}\n{done.stderr[:2000]}", 1)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def including(header):
    """The text of a program that includes this header and does nothing."""
    return (f"#include <{header}>\n" if header else "") + "int main() {}\n"


def with_file(text, function):
    """What function(path) returns for a source with this text."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        source.write_text(text)
        return function(source)


def compile_seconds(compiler, text, repetitions, level="-O0"):
    """Median CPU time of compiling one file with this text."""
    def measure(source):
        return statistics.median(call(compiler, level, "-c", source, "-o", source.with_suffix(".o"))[1] for _ in range(repetitions))
    return with_file(text, measure)


def preprocessed_lines(compiler, text):
    """Lines that are left for the compiler itself: no comments, no empty ones, no marks of the preprocessor."""
    preprocessed = with_file(text, lambda source: call(compiler, "-E", "-P", source)[0])
    return sum(1 for line in preprocessed.splitlines() if line.strip())
