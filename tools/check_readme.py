#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that README.md and the documents beside it (DOCUMENTS) say what is true of this repository.

  check_readme.py [--update]

  quotes    a ```cpp or ```cmake block below a comment "<!-- quoted from FILE ... -->" is, word for word, what stands in FILE
            between the lines "// [readme]" and "// [/readme]" (in CMake "# [readme]"), without its common indentation
  links     what each relative link leads to exists
  words     README.md has at most 900, its code included
  figures   what bench/tools/figures.py finds: README.md, docs/bench.svg and bench/RESULTS.md print those of bench/results.json
  version   each file of STATED has the version of include/slotwise/config/version.hpp

--update rewrites the quoted blocks and the figures from their sources, then checks. --root FOLDER is another repository than the one this script
is in. Exit code 0: all agree; 1: findings, one each.
"""
import difflib
import pathlib
import re
import sys
import textwrap

from headers import ROOT, arguments, version_of

sys.path.insert(0, str(ROOT / "bench"))
from tools import figures  # noqa: E402  (bench/tools)

QUOTED = re.compile(r"(<!--\s*quoted from\s+(\S+?)[,;:]?(?:\s[^>]*)?-->\s*)(?:(```(?:cpp|cmake)\n)((?:(?!```).*\n)*)```)?")
EXCERPT = re.compile(r"^[ \t]*(?://|#) \[readme\]\n(.+?)^[ \t]*(?:// |# )\[/readme\]$", re.M | re.S)
LINK = re.compile(r"\]\((?![a-z][a-z0-9+.-]*:)([^)#\s]+)(?:#\S*)?\)")
DOCUMENTS = ("CONTRIBUTING.md", "docs/*.md", "docs/guide/how-do-i.md", "bench/RESULTS.md")  # besides README.md, where they exist
WORDS_MOST = 900  # of README.md
# What a file says of the version: the first match in it. CMake and Conan read the header themselves.
STATED = {"CHANGELOG.md": r"^## (?!Unreleased$)(\S+)", "pyproject.toml": r'^version = "(.+)"', "python/slotwise/__init__.py": r'^__version__ = "(.+)"',
          "tests/package/vcpkg/vcpkg.json": r'"version": "(.+)"', "tests/consumer/fetchcontent/CMakeLists.txt": r"GIT_TAG v([\d.]+)",
          "tests/consumer/find_package/CMakeLists.txt": r"find_package\(slotwise ([\d.]+)",
          "docs/packages.md": r'requires = "slotwise/([\d.]+)"'}


def excerpt(root, name):
    """What stands between the marks of a source, without common indentation; None when it is not marked so."""
    text = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
    found = EXCERPT.search(text)
    return textwrap.dedent(re.sub(r"[ \t]+$", "", found[1], flags=re.M)) if found and text.count(" [readme]\n") == 1 else None


def check(root, path, update):
    """(the findings in a document, how much it quotes)"""
    text, name, wrong = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix(), []

    def at(match):
        return f"{name}:{text.count(chr(10), 0, match.start()) + 1}"

    def quoted(match):
        wanted = excerpt(root, match[2])
        if wanted is None:
            wrong.append(f"{at(match)}: {match[2]} must have one line '// [readme]', lines to quote, and one '// [/readme]'")
        elif match[3] is None:
            wrong.append(f"{at(match)}: below 'quoted from {match[2]}' a ```cpp block must follow (or ```cmake)")
        elif update:
            return f"{match[1]}{match[3]}{wanted}```"
        elif match[4] != wanted:
            differs = difflib.unified_diff(match[4].split("\n"), wanted.split("\n"), lineterm="")
            wrong.append(f"{at(match)}: is not what {match[2]} has. Edit that source, then: tools/check_readme.py --update\n"
                         + "\n".join(differs))
        return match[0]

    made, count = QUOTED.subn(quoted, text)
    if made != text:
        path.write_text(made, encoding="utf-8", newline="\n")
    wrong += [f"{at(link)}: there is no {link[1]} beside it" for link in LINK.finditer(text) if not (path.parent / link[1]).exists()]
    if name == "README.md" and len(text.split()) > WORDS_MOST:
        wrong.append(f"README.md has {len(text.split())} words, more than {WORDS_MOST}: move what is not needed first to docs/")
    return wrong, count


def other_versions(root):
    """The files whose version is not the header's."""
    found = {name: re.search(pattern, (root / name).read_text(encoding="utf-8"), re.M) for name, pattern in STATED.items()
             if (root / name).is_file()}
    return [f"{name} says version {match[1] if match else 'nothing'}, include/slotwise/config/version.hpp says {version_of(root)}"
            for name, match in found.items() if not match or match[1] != version_of(root)]


def main():
    parser = arguments(__doc__, "--update")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    given = parser.parse_args()
    documents = [path for pattern in ("README.md", *DOCUMENTS) for path in sorted(given.root.glob(pattern))]
    results = [check(given.root, path, given.update) for path in documents]
    wrong = [finding for findings, _ in results for finding in findings]
    wrong += other_versions(given.root) + figures.checked(given.root, given.update)
    quoted = sum(count for _, count in results)
    if not quoted:
        wrong.append("README.md quotes nothing: put '<!-- quoted from FILE -->' above a ```cpp block")
    print("\n".join(wrong) or f"{len(documents)} documents agree with their sources: {quoted} quoted, every link leads somewhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
