# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds the programs in Rust, and runs programs of both languages: one process a group of rows and turn."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from tools.results import ROOT, Failure, Row


def processor():
    try:
        return re.search(r"^model name\s*:\s*(.*\S)", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1]
    except (OSError, TypeError):
        return "unknown processor"


def default_core():
    """The last core this process may use: the first ones serve interrupts."""
    try:
        return max(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        return None


def rust_programs():
    """Builds bench/rust. Returns (folder of its programs or None, why there is none)."""
    package = ROOT / "bench" / "rust"
    if shutil.which("cargo") is None:
        return None, "cargo was not found (rustup, or apt-get install cargo; on Debian 12 cargo-web)"
    # in the package's folder: its .cargo/config.toml counts, and a toolchain may be chosen by folder
    built = subprocess.run(["cargo", "build", "--release"], cwd=package, env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "build" / "rust")},
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if built.returncode != 0 and re.search(r"requires rustc|rust-version", built.stderr):
        return None, f"cargo is too old: {built.stderr.strip().splitlines()[0]}"  # Cargo.toml says which one it needs
    if built.returncode != 0:
        raise Failure(f"bench/rust does not build:\n{built.stderr[-3000:]}", 2)
    return ROOT / "build" / "rust" / "release", None


def turns(programs, repetitions):
    """The programs in the order of running. In a turn each contender of a row measures once: what disturbs the machine for longer than that
    disturbs all of them, and each turn has its own layout of memory. With two programs the first one changes."""
    return [program for turn in range(repetitions) for program in (programs if turn % 2 == 0 else programs[::-1])]


class Runner:
    def __init__(self, build, repetitions, core, rust=None, entt=None):
        self.build, self.repetitions, self.core = pathlib.Path(build), repetitions, core
        self.rust, self.entt = rust, entt  # the folders of the programs in Rust, and of EnTT's header

    def programs(self, question):
        """The program in C++ and, where there is one, that in Rust."""
        name = f"bench_{question}"
        def found(folders):
            return [folder / name for folder in folders if (folder / name).is_file() and os.access(folder / name, os.X_OK)][:1]
        ours = found([self.build / "bench", self.build / "bench" / question, self.build])
        if not ours:
            raise Failure(f"{name} is not in {self.build}: build the release preset with SLOTWISE_BUILD_BENCH on (needs Google Benchmark: package "
                          "libbenchmark-dev), or name another folder with --build", 2)
        return ours + ([] if self.rust is None else found([self.rust]))

    def call(self, program, *arguments):
        pin = None if self.core is None else lambda: os.sched_setaffinity(0, {self.core})
        done = subprocess.run([str(program), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=pin)
        if done.returncode != 0:
            raise Failure(f"{program} failed with status {done.returncode}:\n{done.stderr[-2000:]}", 1)
        return done.stdout

    def listed(self, program):
        return [line for line in self.call(program, "--benchmark_list_tests=true").splitlines() if "/bytes:" in line]

    def measure(self, program, names):
        """Each once, in an order that changes."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out.json"
            self.call(program, f"--benchmark_filter=^({'|'.join(re.escape(name) for name in names)})$",
                      "--benchmark_enable_random_interleaving=true",
                      f"--benchmark_out={out}", "--benchmark_out_format=json")
            return json.loads(out.read_text())

    def groups(self, question, wanted):
        """{group: {program: names}} of the benchmarks whose (row, contender) satisfy wanted."""
        groups = {}
        for program in self.programs(question):
            for name in self.listed(program):
                row, contender = Row.parse(name)
                if wanted(row, contender):
                    groups.setdefault(row[:3], {}).setdefault(program, []).append(name)
        if not groups:
            raise Failure(f"bench_{question} has no benchmark for the rows asked for", 2)
        return groups

    def repetitions_of(self, question, group):
        return 1 if "memory" in (question, group[0].split("_")[0]) else self.repetitions

    def run(self, question, wanted, results):
        """Runs the benchmarks whose (row, contender) satisfy wanted, in turns: a group in one process of each program."""
        groups = self.groups(question, wanted)
        for group, names in groups.items():
            for program in turns(list(names), self.repetitions_of(question, group)):
                report = self.measure(program, names[program])
                report["context"].update(question=question, processor=processor())  # for whoever reads the file of --json
                results.add(report)
