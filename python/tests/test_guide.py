# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each ```python snippet of the pages of docs/guide and of both README.md runs, and its assertions hold."""

import pathlib
import re
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
READMES = ("README.md", "python/README.md")
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
         for path in (*(ROOT / name for name in READMES), *sorted(ROOT.glob("docs/guide/*.md")))}
PAGE = PAGES["docs/guide/python.md"]
SNIPPETS = {name: re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) for name, page in PAGES.items()}
NEEDED = ("pyarrow", "polars", "pandas")  # pyarrow's to_pandas() imports pandas


CASES = [pytest.param(snippet, id=f"{name}:{PAGES[name].count(chr(10), 0, PAGES[name].index(snippet))}")
         for name, snippets in SNIPPETS.items() for snippet in snippets]


@pytest.mark.parametrize("snippet", CASES)
def test_a_snippet_runs(snippet):
    for name in NEEDED:
        if name in snippet:
            pytest.importorskip(name)
    assert "assert " in snippet
    module = types.ModuleType("a_snippet")
    sys.modules[module.__name__] = module  # where dataclasses and pickle look for what it defines
    try:
        exec(compile(snippet, "a snippet", "exec"), vars(module))
    finally:
        del sys.modules[module.__name__]


def test_every_fence_is_a_snippet():
    assert len(SNIPPETS["README.md"]) == 1 and len(SNIPPETS["python/README.md"]) == 1 and len(SNIPPETS["docs/guide/how-do-i.md"]) == 2
    assert len(re.findall(r"^```", PAGE, re.M)) == 2 * len(SNIPPETS["docs/guide/python.md"]) > 0
