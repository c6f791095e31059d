#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Tests tools/verify/fuzz.py and the replay half of tests/fuzz/driver.hpp: what is counted, what fails, what is kept."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "verify"))
import fuzz  # noqa: E402
import proof  # noqa: E402

BODY = """
#include "input.hpp"
std::uint64_t fuzz_one(test::Input& in) {
    std::uint64_t steps = 0;
    for (; !in.done(); ++steps) FUZZ_CHECK(in.byte() != 77 || in.byte() != 78 || in.byte() % 4 != 3);
    return steps;
}
#include "driver.hpp"
"""


class Counting(unittest.TestCase):
    def test_the_last_count_is_taken_and_a_run_without_one_has_none(self):
        self.assertEqual(fuzz.counted("INFO: x\nfuzz: 1 inputs, 2 operations\nfuzz: 12 inputs, 3456 operations\n"), (12, 3456))
        self.assertIsNone(fuzz.counted("fuzz: container is wrong (map.cpp:12)\nfuzz: failed: --random 1 5\n"))


class Tool(unittest.TestCase):
    def test_every_family_has_a_body_and_an_unknown_one_is_refused(self):
        for family in fuzz.families():
            text = (fuzz.SOURCES / f"{family}.cpp").read_text()
            self.assertIn("fuzz_one(", text)
            self.assertTrue(text.rstrip().endswith('#include "driver.hpp"'), family)
        self.assertIn("map", fuzz.families())
        with self.assertRaises(SystemExit) as refused:
            fuzz.main(["no_such_family"])
        self.assertEqual(refused.exception.code, 2)

    def test_the_committed_corpora_are_small(self):
        for folder in fuzz.CORPUS.iterdir() if fuzz.CORPUS.is_dir() else ():
            files = list(folder.iterdir())
            self.assertIn(folder.name, fuzz.families())
            self.assertLessEqual(len(files), fuzz.MOST_FILES)
            self.assertLessEqual(sum(path.stat().st_size for path in files), fuzz.MOST_BYTES)


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "body.cpp").write_text(BODY)
        done = proof.run([proof.gcc(), "-std=c++20", "-O1", f"-I{fuzz.SOURCES}", cls.folder / "body.cpp", "-o", cls.folder / "replay"])
        if not done.ok:
            raise AssertionError(done.output)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def replay(self, *arguments):
        done = subprocess.run([str(self.folder / "replay"), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    def test_a_folder_is_replayed_and_counted(self):
        corpus = self.folder / "corpus"
        corpus.mkdir()
        (corpus / "one").write_bytes(bytes(10))
        (corpus / "two").write_bytes(bytes(5))
        self.assertEqual(self.replay(corpus), (0, "fuzz: 2 inputs, 15 operations\n"))

    def test_nothing_replayed_is_a_failure(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertEqual(self.replay(empty)[0], 2)
        self.assertEqual(self.replay(self.folder / "absent")[0], 2)

    def test_random_inputs_are_the_same_every_time_and_each_has_its_own_seed(self):
        code, text = self.replay("--random", 20, 5)
        self.assertEqual((code, text), self.replay("--random", 20, 5))
        inputs, operations = fuzz.counted(text)
        alone = [fuzz.counted(self.replay("--random", 1, seed)[1])[1] for seed in range(5, 25)]
        self.assertEqual((inputs, operations), (20, sum(alone)))
        self.assertGreater(len(set(alone)), 10)

    def test_a_failure_names_its_input_which_fails_again_as_a_file(self):
        code, text = self.replay("--random", 100_000, 1)
        self.assertNotEqual(code, 0)
        self.assertIn("fuzz: in.byte() != 77", text)
        last = text.splitlines()[-1]
        self.assertRegex(last, r"^fuzz: failed: --random 1 \d+$")
        found = self.folder / "found"
        self.assertEqual(self.replay("--write", found, last.split()[-1])[0], 0)
        code, text = self.replay(found)
        self.assertNotEqual(code, 0)
        self.assertEqual(text.splitlines()[-1], f"fuzz: failed: {found}")


if __name__ == "__main__":
    unittest.main()
