#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The guide in docs/guide: each ```cpp snippet compiles and runs, each public name is named, each folder of headers has its page.
The ```python snippets run in python/tests/test_guide.py."""
import pathlib
import re
import tempfile
import unittest

from fixture import CXX, ROOT
from guide import SNIPPET, as_program, pages
import parsed
import proof

PAGES = pages()
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
IN_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)  # of a shell, for platforms that are not this one


def compile_and_run(text, name):
    """Empty when all is well, else what the compiler or the program said."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "page.cpp", pathlib.Path(folder) / "page"
        source.write_text(as_program({name: text}), encoding="utf-8")
        for command in ([CXX, *FLAGS, source, "-o", program], [program]):
            done = proof.run(command)
            if not done.ok:
                return f"{command} ended with {done.code}\n{done.output[:4000]}"
    return ""


class Guide(unittest.TestCase):
    def test_every_snippet_compiles_without_a_warning_and_its_assertions_hold(self):
        for name, said in proof.parallel(lambda name: compile_and_run(PAGES[name], name), PAGES):
            with self.subTest(page=name):
                self.assertEqual(said, "")
                if not COMMANDS.search(PAGES[name]):
                    self.assertIn("assert(", as_program({name: PAGES[name]}), "a page of the guide claims something that can be wrong")

    def test_every_fence_is_a_snippet(self):
        for name, text in PAGES.items():
            fences = len(re.findall(r"^[ \t]*(?:```|~~~)", text, re.M))
            snippets = SNIPPET.findall(text) + IN_PYTHON.findall(text) + COMMANDS.findall(text)
            self.assertEqual(fences, 2 * len(snippets), f"{name}: a fenced block is ```cpp or ```python, and is run, or ```sh")

    def test_every_public_name_is_named(self):
        named = set(re.findall(r"`(\w+)`", "\n".join(PAGES.values())))
        kinds = parsed.CLASSES | parsed.ALIASES | {"ENUM_DECL", "CONCEPT_DECL"}
        public = {each.name: each.header for each in parsed.declarations() if each.public and each.name and each.kind in kinds
                  and len(each.spaces) == 1}
        self.assertGreater(len(public), 50)
        self.assertEqual([f"{name} ({header})" for name, header in sorted(public.items()) if name not in named], [],
                         "a page of docs/guide names it in backticks")

    def test_there_is_a_page_for_each_folder_of_headers_and_the_main_page_leads_to_every_page(self):
        folders = {path.name for path in parsed.ROOM.iterdir() if path.is_dir()}
        self.assertEqual(folders - set(PAGES), set())
        self.assertEqual({name for name in PAGES if f"({name}.md)" not in PAGES["index"]}, {"index"})


class Snippets(unittest.TestCase):
    def test_faults_are_found_at_their_place_in_the_page(self):
        for page, words in (("```cpp\nint i = 1;\nassert(i == 2);\n```\n", "page.md:3"), ("text\n\n```cpp\nint i = ;\n```\n", "page.md:4"),
                            ("```cpp\nint i = 1;\n```\n", "unused")):
            self.assertIn(words, compile_and_run(page, "page"))


if __name__ == "__main__":
    unittest.main()
