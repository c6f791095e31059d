#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""tools/check_readme.py accepts a README that agrees with its repository, says where another one differs, and mends quotations."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_readme.py"
SOURCE = "int main() {\n    // [readme]\n    int a = 1;\n\n    if (a)\n        ++a;\n    // [/readme]\n}\n"
QUOTE = "int a = 1;\n\nif (a)\n    ++a;\n"
DEV = 'case "$1" in\n    inner) ;;\nesac\ncommand="$1"\ncase "$command" in\n    demo) run_demo "$@" ;;\n    help | --help) help ;;\n    *) exit 2 ;;\nesac\n'


class Readmes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("src/a.cpp", SOURCE)
        self.write("tools/dev", DEV)
        self.readme(QUOTE)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def readme(self, quote, after=""):
        self.write("README.md", f"# x\n\n<!-- quoted from src/a.cpp, which\nis compiled -->\n```cpp\n{quote}```\n{after}\n")

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, "--root", self.root, *arguments], capture_output=True, text=True)

    def accepts(self, *words, arguments=()):
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stdout)

    def refuses(self, *words, arguments=()):
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for word in words:
            self.assertIn(word, result.stdout)

    def test_a_word_for_word_quotation_is_accepted_and_counted(self):
        self.accepts("README agrees with src/a.cpp: 1 quoted")

    def test_the_first_different_line_is_shown_from_both_sides(self):
        self.readme(QUOTE.replace("++a", "a++"))
        self.refuses("README.md:9 differs from src/a.cpp:6", "'    a++;'", "'    ++a;'", "--update")

    def test_update_replaces_the_whole_block_and_nothing_else(self):
        self.readme("@PLACEHOLDER@\nold\n", "tail `src/a.cpp`")
        self.accepts("rewritten", "agrees", arguments=("--update",))
        updated = (self.root / "README.md").read_text()
        self.readme(QUOTE, "tail `src/a.cpp`")
        self.assertEqual(updated, (self.root / "README.md").read_text())
        self.accepts("nothing to rewrite", arguments=("--update",))

    def test_no_quotation_at_all_is_refused(self):
        self.write("README.md", "# x\n\n```cpp\nint a;\n```\n")
        self.refuses("quotes nothing")
        (self.root / "README.md").unlink()
        self.refuses("there is no")

    def test_a_comment_without_its_block_is_refused(self):
        for text in ("", "words first\n```cpp\nx\n```\n", "```sh\nx\n```\n", "```cpp\nno end\n"):
            self.write("README.md", f"<!-- quoted from src/a.cpp -->\n{text}")
            self.refuses("README.md:1: below 'quoted from src/a.cpp' a ```cpp block must follow")

    def test_a_source_without_its_marks_is_refused_and_the_readme_stays(self):
        for source in (SOURCE.replace("// [/readme]", ""), SOURCE + "// [readme]\n", "// [readme]\n// [/readme]\n"):
            self.write("src/a.cpp", source)
            self.refuses("src/a.cpp must have one line '// [readme]'")
            before = (self.root / "README.md").read_text()
            self.refuses("as it was", arguments=("--update",))
            self.assertEqual(before, (self.root / "README.md").read_text())
        (self.root / "src/a.cpp").unlink()
        self.refuses("there is no file src/a.cpp")

    def test_commands_of_tools_dev_exist_wherever_they_are_shown(self):
        self.readme(QUOTE, "```\ntools/dev demo   # words\n```\nOr `tools/dev help`; tools/dev does more.")
        self.accepts("2 commands")
        self.readme(QUOTE, "`tools/dev inner`")
        self.refuses("README.md:11: tools/dev has no command 'inner', only: --help, demo, help")
        self.readme(QUOTE, "```\ntools/dev demo\ntools/dev dmeo\n```")
        self.refuses("README.md:13: tools/dev has no command 'dmeo'")

    def test_other_documents_are_checked_too_and_their_links_are_relative_to_them(self):
        self.write("docs/tour.md", f"<!-- quoted from src/a.cpp -->\n```cpp\n{QUOTE}```\n[x](../src/a.cpp)\n")
        self.accepts("2 quoted", "1 paths")
        self.write("docs/tour.md", "[x](src/a.cpp)\n")
        self.refuses("docs/tour.md:1: there is no docs/src/a.cpp")

    def test_a_readme_of_too_many_words_is_refused(self):
        self.readme(QUOTE, "word " * 900)
        self.refuses("words, more than 900")

    def test_paths_in_backticks_and_links_exist(self):
        self.write("include/slotwise/a/b.hpp", "")
        self.readme(QUOTE, "`src/a.cpp`, `include/slotwise`, `src/`, `<slotwise/a/b.hpp>`, `python3 tools/dev`, [x](src/a.cpp#L1),\n"
                           "[y](https://example.org/z), `https://example.org/z`, `/usr/include`, `-I/x`, `build/x`, `a` / `b`, c/d, `<vector>`")
        self.accepts("5 paths")
        for wrong, name in (("`src/b.cpp`", "src/b.cpp"), ("a\n`sh src/b.cpp x`", "src/b.cpp"), ("`<slotwise/c.hpp>`", "include/slotwise/c.hpp"),
                            ("[x](gone.md)", "gone.md"), ("<!-- `c -->`no/where`", "no/where")):
            self.readme(QUOTE, wrong)
            self.refuses(f"there is no {name}; correct the name")


if __name__ == "__main__":
    unittest.main()
