#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that README.md and the documents beside it (DOCUMENTS) say what is true of this repository.

  check_readme.py [--update]

  quotes    a ```cpp or ```cmake block below a comment "<!-- quoted from FILE ... -->" is, word for word, what stands in FILE between the lines
            "// [readme]" and "// [/readme]" (in CMake "# [readme]"), without its common indentation; there is at least one such block
  commands  each `tools/dev COMMAND`, in a fenced block or in backticks, is a command of tools/dev
  paths     each relative file or folder in backticks that has a slash exists, and so does each relative link; `<slotwise/...>` is
            looked for in include/, what lies in build/ is not looked for; a link is relative to the document
  words     README.md has at most 900, its code included

--update rewrites the quoted blocks from their sources, then checks. --root FOLDER is another repository than the one this script
is in. Exit code 0: all agree; 1: findings, one each.
"""
import argparse
import os
import pathlib
import re
import sys
import textwrap

QUOTE = re.compile(r"<!--\s*quoted from\s+(\S+?)[,;:]?(?:\s.*?)?-->", re.S)
COMMENT = re.compile(r"<!--.*?-->", re.S)
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*?)```[ \t]*$", re.M)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
COMMAND = re.compile(r"\btools/dev[ \t]+([a-z][\w-]*)")
PATH = re.compile(r"[\w.][\w.+-]*/[\w./+-]*")
UPDATE = "tools/check_readme.py --update"
DOCUMENTS = ("CONTRIBUTING.md", "docs/*.md", "bench/RESULTS.md")  # besides README.md, where they exist
WORDS_MOST = 900  # of README.md


class Finding(Exception):
    pass


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def excerpt(root, name):
    """The lines between the marks of a source, without common indentation, and the number of the first one."""
    path = root / name
    if not path.is_file():
        raise Finding(f"there is no file {name} to quote from; correct the name in the comment")
    lines = path.read_text(encoding="utf-8").split("\n")
    first = [i for i, line in enumerate(lines) if line.strip() in ("// [readme]", "# [readme]")]
    last = [i for i, line in enumerate(lines) if line.strip() in ("// [/readme]", "# [/readme]")]
    if len(first) != 1 or len(last) != 1 or last[0] <= first[0] + 1:
        raise Finding(f"{name} must have one line '// [readme]', lines to quote, and one line '// [/readme]'")
    inside = textwrap.dedent("\n".join(lines[first[0] + 1:last[0]])).split("\n")
    return [line.rstrip() for line in inside], first[0] + 2


def quotes(text):
    """Each quotation: (FILE, line of its comment, the match of its fenced block or None)."""
    for comment in QUOTE.finditer(text):
        block = FENCE.search(text, comment.end())
        follows = block and block[1].strip() in ("cpp", "cmake") and not text[comment.end():block.start()].strip()
        yield comment[1], line_of(text, comment.start()), block if follows else None


def updated(root, text):
    for name, _, block in reversed(list(quotes(text))):
        if block:
            lines, _ = excerpt(root, name)
            text = text[:block.start(2)] + "\n".join(lines) + "\n" + text[block.end(2):]
    return text


def update(root, document):
    """Rewrites the quotations; answers whether every source was there."""
    text = (root / document).read_text(encoding="utf-8")
    try:
        new = updated(root, text)
    except Finding as finding:
        print(f"{document} is as it was: {finding}")
        return False
    print(f"{document}: " + ("rewritten from its sources" if new != text else "nothing to rewrite"))
    if new != text:
        with open(root / document, "w", encoding="utf-8", newline="\n") as out:
            out.write(new)
    return True


def check_quote(root, text, name, line, block, document):
    if not block:
        raise Finding(f"{document}:{line}: below 'quoted from {name}' a ```cpp block must follow (or ```cmake), and end in ```")
    wanted, source_line = excerpt(root, name)
    found = block[2].split("\n")[:-1]
    block_line = line_of(text, block.start(2))
    for i in range(max(len(found), len(wanted))):
        here = repr(found[i]) if i < len(found) else "the end of the block"
        there = repr(wanted[i]) if i < len(wanted) else "the end of the excerpt"
        if here != there:
            raise Finding(f"{document}:{block_line + i} differs from {name}:{source_line + i}\n  {document} has {here}\n  source has {there}\n"
                          f"  edit the source, where it is compiled and run, then run: {UPDATE}")


def commands_of(root):
    """What the last `case "$command" in` of tools/dev knows."""
    script = root / "tools" / "dev"
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    labels = re.findall(r"^[ \t]*([\w|\- \t]+)\)", text.rpartition('case "$command" in')[2], re.M)
    return {label.strip() for alternatives in labels for label in alternatives.split("|")}


def check_text(root, text, document):
    """Commands and paths: what is wrong, and how many there were of each."""
    wrong, commands, paths = [], {}, {}
    for fence in FENCE.finditer(text):
        for command in COMMAND.finditer(fence[2]):
            commands.setdefault(command[1], line_of(text, fence.start(2) + command.start()))

    def blank(match):  # keeps positions, and ends paragraphs
        return re.sub(r"[^\n]", " ", match[0])

    prose = COMMENT.sub(blank, FENCE.sub(blank, text))
    for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", prose):
        for span in SPAN.finditer(paragraph[0]):
            line = line_of(text, paragraph.start() + span.start())
            for command in COMMAND.finditer(" ".join(span[1].split())):
                commands.setdefault(command[1], line)
            for word in span[1].split():
                header = re.fullmatch(r"<(slotwise/[\w./]+)>", word)
                if header:
                    paths.setdefault("include/" + header[1], line)
                elif PATH.fullmatch(word) and not word.startswith("build/"):
                    paths.setdefault(word, line)
        for link in LINK.finditer(paragraph[0]):
            if not re.match(r"[a-z][a-z0-9+.-]*:", link[1]):
                paths.setdefault(os.path.normpath(os.path.join(os.path.dirname(document), link[1])), line_of(text, paragraph.start() + link.start()))

    known = commands_of(root) if commands else set()
    for name, line in commands.items():
        if name not in known:
            wrong.append(f"{document}:{line}: tools/dev has no command '{name}', only: {', '.join(sorted(known)) or 'none'}")
    for name, line in paths.items():
        if not (root / name).exists():
            wrong.append(f"{document}:{line}: there is no {name}; correct the name, or write it without backticks if it is no path")
    return wrong, len(commands), len(paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root
    if not (root / "README.md").is_file():
        print(f"check_readme: there is no {root / 'README.md'}")
        return 1
    documents = ["README.md", *(path.relative_to(root).as_posix() for pattern in DOCUMENTS for path in sorted(root.glob(pattern)))]
    if arguments.update and not all([update(root, document) for document in documents]):
        return 1

    wrong, sources, commands, paths = [], [], 0, 0
    for document in documents:
        text = (root / document).read_text(encoding="utf-8")
        for name, line, block in quotes(text):
            try:
                check_quote(root, text, name, line, block, document)
                sources.append(name)
            except Finding as finding:
                wrong.append(str(finding))
        more, count, found = check_text(root, text, document)
        wrong += more
        commands += count
        paths += found
    if not sources and not wrong:
        wrong.append("README.md quotes nothing: put '<!-- quoted from FILE -->' above a ```cpp block")
    words = len((root / "README.md").read_text(encoding="utf-8").split())
    if words > WORDS_MOST:
        wrong.append(f"README.md has {words} words, more than {WORDS_MOST}: move what a reader does not need first to docs/")
    if wrong:
        print("\n".join(wrong))
        return 1
    print(f"README agrees with {', '.join(sources)}: {len(sources)} quoted, {commands} commands and {paths} paths exist")
    return 0


if __name__ == "__main__":
    sys.exit(main())
