#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The guide in docs/guide says what compiles and runs, and leaves no public name out; tools/docs.py reads headers and pages as it claims.
What needs Doxygen and a browser is `tools/docs.py --check`.

DOCS_PAGES=map,core runs the snippets of these pages only."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import docs

CXX = os.environ.get("CXX") or "g++"
FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
ONLY = os.environ.get("DOCS_PAGES", "")


def compile_and_run(folder, name, source):
    """Empty when all is well, else what the compiler or the program said."""
    path, program = folder / f"{name}.cpp", folder / name
    path.write_text(source, encoding="utf-8")
    for command in ([CXX, *FLAGS, str(path), "-o", str(program)], [str(program)]):
        process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if process.returncode != 0:
            return f"{' '.join(command)} ended with {process.returncode}\n{process.stdout.decode(errors='replace')[:4000]}"
    return ""


class Guide(unittest.TestCase):
    def test_every_snippet_compiles_without_a_warning_and_its_assertions_hold(self):
        pages = [page for page in docs.pages(ROOT) if not ONLY or page.stem in ONLY.split(",")]
        self.assertTrue(pages)
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            def run(page):
                source, snippets = docs.as_program(page, str(page.relative_to(ROOT)))
                return page.name, snippets, source.count("assert("), compile_and_run(pathlib.Path(folder), page.stem, source)
            for name, snippets, assertions, said in pool.map(run, pages):
                with self.subTest(page=name):
                    self.assertEqual(said, "")
                    self.assertGreater(snippets, 0, "a page of the guide shows code")
                    self.assertGreater(assertions, 0, "a page of the guide claims something that can be wrong")

    def test_every_fence_is_a_snippet(self):
        for page in docs.pages(ROOT):
            text = page.read_text(encoding="utf-8")
            with self.subTest(page=page.name):
                self.assertEqual(len(re.findall(r"^[ \t]*(?:```|~~~)", text, re.M)), 2 * len(docs.SNIPPET.findall(text)),
                                 "a fenced block is ```cpp, and is compiled")

    def test_every_public_name_is_named(self):
        text = "\n".join(page.read_text(encoding="utf-8") for page in docs.pages(ROOT))
        named = set(re.findall(r"`(\w+)`", text))
        names = docs.public_names(ROOT)
        self.assertGreater(len(names), 50)
        self.assertEqual([f"{name} ({header})" for name, header in sorted(names.items()) if name not in named], [],
                         "a page of docs/guide names it in backticks")

    def test_there_is_a_page_for_each_folder_of_headers_and_the_main_page_leads_to_every_page(self):
        stems = {page.stem for page in docs.pages(ROOT)}
        folders = {path.name for path in (ROOT / "include" / "slotwise").iterdir() if path.is_dir()}
        self.assertEqual(folders - stems, set())
        main = (ROOT / "docs" / "guide" / "index.md").read_text(encoding="utf-8")
        self.assertEqual({stem for stem in stems if f"({stem}.md)" not in main}, {"index"})


class Snippets(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.page = pathlib.Path(self.folder.name) / "page.md"

    def program(self, text):
        self.page.write_text(text, encoding="utf-8")
        return docs.as_program(self.page, "page.md")[0]

    def test_a_false_assertion_is_found(self):
        said = compile_and_run(self.page.parent, "false", self.program("```cpp\nint i = 1;\nassert(i == 2);\n```\n"))
        self.assertIn("page.md:3", said)

    def test_what_does_not_compile_is_found_at_its_place_in_the_page(self):
        said = compile_and_run(self.page.parent, "wrong", self.program("text\n\n```cpp\nint i = ;\n```\n"))
        self.assertIn("page.md:4", said)

    def test_a_warning_is_an_error(self):
        self.assertIn("unused", compile_and_run(self.page.parent, "unused", self.program("```cpp\nint i = 1;\n```\n")))

    def test_declarations_stand_in_front_and_snippets_do_not_see_each_other(self):
        said = compile_and_run(self.page.parent, "two", self.program(
            "```cpp\n#include <string>\n\nstatic int one() { return 1; }\n\nassert(one() == 1);\n```\n"
            "```cpp\nstruct S { std::string one; };\n\nS s{\"1\"};\nassert(s.one == \"1\");\n```\n"))
        self.assertEqual(said, "")


class Headers(unittest.TestCase):
    HEADER = """#include <vector>
SLOTWISE_BEGIN
namespace detail {
struct Hidden { int gone; };
/// Shown.
template <class T>
class Base {
public:
    int kept;
    template <class U>
    struct Within { U u; };
};
}
/// A set. @throws nothing
///     Set s;
class Set : public detail::Base<int> {
    int secret;

public:
    int open;

private:
    struct Inner { int deep; };
};
template <class T, HandleLayout L = {}>
using Alias = Set;
enum class Kind { a };
template <class T>
struct Pair {
    T first;
};
SLOTWISE_END
int outside;
"""

    def test_only_what_is_public_is_left_and_lines_keep_their_numbers(self):
        texts = {"a.hpp": self.HEADER}
        self.assertEqual(docs.public_bases(texts), {"Base"})
        lines = docs.prepared(self.HEADER, {"Base"})
        text = "\n".join(line for _, line in lines)
        for word in ("Base", "kept", "Set", "open", "Alias", "Kind", "T first;"):
            self.assertIn(word, text)
        for word in ("Hidden", "gone", "secret", "Inner", "deep", "outside", "vector", "SLOTWISE"):
            self.assertNotIn(word, text)
        original = self.HEADER.split("\n")
        self.assertTrue(all(line.strip() in ("", "///  @code{.cpp}", "/// @code{.cpp}", "/// @endcode", "namespace slotwise {", "}")
                            or line.replace("@raises", "@throws") == original[number - 1] for number, line in lines))
        self.assertIn("@raises nothing", text)
        self.assertLess(text.index("@code"), text.index("Set s;"))
        self.assertLess(text.index("Set s;"), text.index("@endcode"))

    def test_public_names_are_those_outside_detail(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder) / "include" / "slotwise" / "x.hpp"
            header.parent.mkdir(parents=True)
            header.write_text(self.HEADER, encoding="utf-8")
            self.assertEqual(docs.public_names(pathlib.Path(folder)), {"Set": "x.hpp", "Alias": "x.hpp", "Kind": "x.hpp", "Pair": "x.hpp"})

    def test_version_comes_from_its_header(self):
        self.assertRegex(docs.version_of(ROOT), r"^\d+\.\d+\.\d+$")


class Links(unittest.TestCase):
    def findings(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            (site / "search").mkdir()
            for name, text in files.items():
                (site / name.replace("_", ".")).write_text(text, encoding="utf-8")
            return docs.dead_links(site)

    def test_links_that_lead_somewhere_are_no_findings(self):
        self.assertEqual(self.findings(a_html='<a href="b.html#x">b</a>', b_html='<p id="x"></p><a href="#x">x</a>'), ([], 2))

    def test_a_missing_page_a_missing_place_and_a_link_out_are_findings(self):
        wrong, links = self.findings(a_html='<a href="c.html">c</a><a href="#y">y</a><a href="https://example.com/">out</a>',
                                     t_js='["T","d.html#z"]')
        self.assertEqual((len(wrong), links), (4, 4), wrong)


class Tools(unittest.TestCase):
    def test_a_missing_program_is_said_with_its_package(self):
        with self.assertRaisesRegex(docs.Missing, "apt-get install a-package"):
            docs.program(["no-such-program-anywhere"], "a-package")


if __name__ == "__main__":
    unittest.main()
