# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each ```python snippet of the pages of docs/guide and of README.md runs, and its assertions hold."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/guide/*.md")))}
PAGE = PAGES["python.md"]
SNIPPETS = {name: re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) for name, page in PAGES.items()}
NEEDED = ("pyarrow", "polars", "pandas")  # pyarrow's to_pandas() imports pandas


@pytest.mark.parametrize("snippet", sum(SNIPPETS.values(), []))
def test_a_snippet_runs(snippet):
    for name in NEEDED:
        if name in snippet:
            pytest.importorskip(name)
    assert "assert " in snippet
    exec(compile(snippet, "a snippet", "exec"), {})


def test_every_fence_is_a_snippet():
    assert len(SNIPPETS["README.md"]) == 1 and len(SNIPPETS["how-do-i.md"]) == 2
    assert len(re.findall(r"^```", PAGE, re.M)) == 2 * len(SNIPPETS["python.md"]) > 0


def test_every_public_name_is_in_the_guide_or_has_a_docstring():
    import slotwise

    for name in slotwise.__all__:
        thing = getattr(slotwise, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member, function in vars(thing).items():
                if not member.startswith("_"):
                    assert function.__doc__ or not callable(function), f"{name}.{member}"
