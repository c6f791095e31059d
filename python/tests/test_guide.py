# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Each snippet of docs/guide/python.md and of README.md runs, and its assertions hold."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("docs/guide/python.md", "README.md")]
PAGE = PAGES[0]
SNIPPETS, OF_README = (re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S) for page in PAGES)


@pytest.mark.parametrize("snippet", SNIPPETS + OF_README)
def test_a_snippet_runs(snippet):
    if "pyarrow" in snippet:
        pytest.importorskip("pyarrow")
    assert "assert " in snippet
    exec(compile(snippet, "a snippet", "exec"), {})


def test_every_fence_is_a_snippet():
    assert len(OF_README) == 1
    assert len(re.findall(r"^```", PAGE, re.M)) == 2 * len(SNIPPETS) > 0


def test_every_public_name_is_in_the_guide_or_has_a_docstring():
    import slotwise

    for name in slotwise.__all__:
        thing = getattr(slotwise, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for member, function in vars(thing).items():
                if not member.startswith("_"):
                    assert function.__doc__ or not callable(function), f"{name}.{member}"
