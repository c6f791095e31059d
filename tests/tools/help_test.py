# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a newcomer types first: --help of each command and script that is found says how it is used and does nothing else, also where no
library is installed."""
import os
import re
import shutil
import subprocess
import sys
import unittest

from fixture import ROOT, Case

FOLDERS = ("tools", "bench", "python", "examples", "tests", "include", "docs", ".ci")
# What a --help may not start: each leaves a file behind instead.
ACTORS = ("apt-get", "sudo", "cmake", "ctest", "ninja", "cargo", "doxygen", "pip", "git", "g++", "clang++-16", "clang-format-16")


class Help(Case):
    def setUp(self):
        super().setUp()
        self.clone = self.folder / "clone"
        for name in FOLDERS:
            shutil.copytree(ROOT / name, self.clone / name, ignore=shutil.ignore_patterns("build*", "__pycache__", "corpus"))
        for name in ("home", "tmp", "none"):
            (self.folder / name).mkdir()
        self.scripts = [path for path in sorted(self.clone.rglob("*")) if path.is_file() and path.suffix in ("", ".py", ".sh")
                        and (path.read_bytes()[:2] == b"#!" or b'\nif __name__ == "__main__"' in path.read_bytes())]
        self.environment = {**os.environ, "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"), "PYTHONDONTWRITEBYTECODE": "1",
                            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "SLOTWISE_NO_INSTALL": "1"}

    def actor(self, name, text):
        self.write(f"bin/{name}", "#!/bin/sh\n" + text).chmod(0o755)

    def run_in_clone(self, *command):
        done = subprocess.run(list(map(str, command)), cwd=self.clone, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        return done.returncode, done.stdout

    def files(self):
        return {(str(path), path.stat().st_mtime_ns) for path in self.folder.rglob("*")}

    def test_each_command_and_script_prints_its_usage_and_does_nothing_else(self):
        for name in ACTORS:
            self.actor(name, f"touch '{self.folder}/tmp/ran-{name}'\nexit 1\n")
        text = "\n".join(path.read_text(encoding="utf-8") for path in self.clone.rglob("*.py"))
        ours = {name for path in self.clone.rglob("*.py") for name in (path.stem, path.parent.name)}
        for name in set(re.findall(r"^\s*(?:import|from) (\w+)", text, re.M)) - ours - sys.stdlib_module_names:
            self.write(f"none/{name}.py", "raise ModuleNotFoundError('none is here', name=__name__)\n")
        self.environment["PYTHONPATH"] = str(self.folder / "none")
        dev = (ROOT / "tools" / "dev").read_text(encoding="utf-8")
        commands = re.findall(r"^run_(\w+)\(\)", dev, re.M)
        commands += re.search(r"^proofs=\((.*)\)", dev, re.M)[1].split()
        self.assertGreaterEqual(len(commands), 25)
        self.assertGreaterEqual(len(self.scripts), 25)
        before = self.files()
        for call in [["tools/dev", command] for command in commands] + [[script.relative_to(self.clone)] for script in self.scripts]:
            with self.subTest(call=call):
                runner = [] if (self.clone / call[0]).read_bytes().startswith(b"#!/usr/bin/env bash") else [sys.executable]
                code, said = self.run_in_clone(*(runner or ["bash"]), *call, "--help")
                after = self.files()
                before, changed = after, after ^ before
                self.assertEqual((code, "usage" in said.lower(), "Traceback" in said, sorted(changed)), (0, True, False, []), said)

    def test_a_command_that_does_not_exist_has_no_help(self):
        self.assertEqual(self.run_in_clone("bash", "tools/dev", "proof", "--help")[0], 2)


if __name__ == "__main__":
    unittest.main()
