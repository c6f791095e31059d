#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that README.md and the documents beside it (DOCUMENTS) say what is true of this repository.

  check_readme.py [--update]

  quotes    a ```cpp or ```cmake block below a comment "<!-- quoted from FILE ... -->" is, word for word, what stands in FILE
            between the lines "// [readme]" and "// [/readme]" (in CMake "# [readme]"), without its common indentation; several such parts
            stand below each other, a blank line between two
  links     what each relative link leads to exists, and has the heading behind the #
  words     README.md has at most 900, its code included
  figures   what bench/tools/figures.py finds: README.md, docs/charts, their page and bench/RESULTS.md print those of bench/results.json
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
LINK = re.compile(r"\]\((?![a-z][a-z0-9+.-]*:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.+?)[ #]*$", re.M)
FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$", re.M | re.S)
DOCUMENTS = ("*.md", "docs/**/*.md", "bench/**/*.md", "include/**/*.md", "examples/**/*.md", "tests/**/*.md", "python/**/*.md")  # where they exist
WORDS_MOST = 900  # of README.md
# What a file says of the version: the first match in it. CMake and Conan read the header themselves.
STATED = {"CHANGELOG.md": r"^## (?!Unreleased$)(\S+)", "pyproject.toml": r'^version = "(.+)"', "python/slotwise/__init__.py": r'^__version__ = "(.+)"',
          "tests/package/vcpkg/vcpkg.json": r'"version": "(.+)"',
          "tests/consumer/find_package/CMakeLists.txt": r"find_package\(slotwise ([\d.]+)",
          "docs/packages.md": r'requires = "slotwise/([\d.]+)"'}


def excerpt(root, name):
    """What stands between the marks of a source, part by part, without common indentation; None when it is not marked so."""
    text = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
    found = EXCERPT.findall(text)
    return "\n".join(textwrap.dedent(re.sub(r"[ \t]+$", "", each, flags=re.M)) for each in found) if 0 < len(found) == text.count(" [readme]\n") else None


def anchors(path):
    """What a link into a document may name: each heading in small letters, without signs, with - for spaces; its second one ends in -1."""
    found, times = set(), {}
    for heading in HEADING.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        times[name] = times.get(name, -1) + 1
        found.add(f"{name}-{times[name]}" if times[name] else name)
    return found


def dead(path, link):
    """What is wrong with a link of a document; nothing, if it leads somewhere."""
    to = path.parent / link[1] if link[1] else path
    if not to.exists():
        return f"there is no {link[1]} beside it"
    line = re.fullmatch(r"L\d+(-L\d+)?", link[2] or "")
    if link[2] and not line and to.suffix == ".md" and link[2] not in anchors(to):
        return f"{to.name} has no heading for #{link[2]}"
    return ""


def check(root, path, update):
    """(the findings in a document, how much it quotes)"""
    text, name, wrong = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix(), []

    def at(match):
        return f"{name}:{text.count(chr(10), 0, match.start()) + 1}"

    def quoted(match):
        wanted = excerpt(root, match[2])
        if wanted is None:
            wrong.append(f"{at(match)}: {match[2]} must have a line '// [readme]', lines to quote, and a line '// [/readme]'")
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
    prose = FENCED.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)
    wrong += [f"{at(link)}: {dead(path, link)}" for link in LINK.finditer(prose) if (link[1] or link[2]) and dead(path, link)]
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
    documents = sorted({path for pattern in DOCUMENTS for path in given.root.glob(pattern) if "build" not in path.relative_to(given.root).parts})
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
