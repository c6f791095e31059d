# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the tests of the tools share: a folder of their own, and tools run as commands."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CXX = os.environ.get("CXX") or "g++"
sys.path[:0] = [str(ROOT / folder) for folder in ("tools", "tools/verify", "bench")]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def command(self, tool, *arguments):
        """(exit code, what it said)"""
        done = subprocess.run([sys.executable, str(ROOT / tool), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd=self.folder)
        return done.returncode, done.stdout
