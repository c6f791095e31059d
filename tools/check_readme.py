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
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*?)```[ \t]*$", re.M)
EXCERPT = re.compile(r"^[ \t]*(?://|#) \[readme\]\n(.+?)^[ \t]*(?:// |# )\[/readme\]$", re.M | re.S)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
COMMAND = re.compile(r"\btools/dev[ \t]+([a-z][\w-]*)")
PATH = re.compile(r"[\w.][\w.+-]*/[\w./+-]*")
DOCUMENTS = ("CONTRIBUTING.md", "docs/*.md", "bench/RESULTS.md")  # besides README.md, where they exist
WORDS_MOST = 900  # of README.md


class Finding(Exception):
    pass


def excerpt(root, name):
    """What stands between the marks of a source, without common indentation, and the number of its first line."""
    if not (root / name).is_file():
        raise Finding(f"there is no file {name} to quote from; correct the name in the comment")
    text = (root / name).read_text(encoding="utf-8")
    found = EXCERPT.search(text)
    if not found or text.count(" [readme]\n") != 1:
        raise Finding(f"{name} must have one line '// [readme]', lines to quote, and one line '// [/readme]'")
    return textwrap.dedent(re.sub(r"[ \t]+$", "", found[1], flags=re.M)), text.count("\n", 0, found.start(1)) + 1


def commands_of(root):
    """What the last `case "$command" in` of tools/dev knows."""
    script = root / "tools" / "dev"
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    labels = re.findall(r"^[ \t]*([\w|\- \t]+)\)", text.rpartition('case "$command" in')[2], re.M)
    return {label.strip() for alternatives in labels for label in alternatives.split("|")}


class Document:
    def __init__(self, root, name):
        self.root, self.name, self.text = root, name, (root / name).read_text(encoding="utf-8")

    def at(self, position):
        return f"{self.name}:{self.text.count(chr(10), 0, position) + 1}"

    def quotes(self):
        """Each quotation: (FILE, the match of its comment, the match of its fenced block or None)."""
        for comment in QUOTE.finditer(self.text):
            block = FENCE.search(self.text, comment.end())
            follows = block and block[1].strip() in ("cpp", "cmake") and not self.text[comment.end():block.start()].strip()
            yield comment[1], comment, block if follows else None

    def update(self):
        for name, _, block in reversed(list(self.quotes())):
            if block:
                self.text = self.text[:block.start(2)] + excerpt(self.root, name)[0] + self.text[block.end(2):]
        (self.root / self.name).write_text(self.text, encoding="utf-8", newline="\n")

    def wrong_quotes(self):
        for name, comment, block in self.quotes():
            if not block:
                yield f"{self.at(comment.start())}: below 'quoted from {name}' a ```cpp block must follow (or ```cmake), and end in ```"
                continue
            try:
                wanted, line = excerpt(self.root, name)
            except Finding as finding:
                yield str(finding)
                continue
            if block[2] != wanted:
                here, there = block[2].split("\n"), wanted.split("\n")
                i = next(i for i in range(len(here) + 1) if here[i:i + 1] != there[i:i + 1])
                first = self.text.count("\n", 0, block.start(2)) + 1
                yield (f"{self.name}:{first + i} differs from {name}:{line + i}\n  {self.name} has {here[i:i + 1]}\n  source has {there[i:i + 1]}\n"
                       "  edit the source, where it is compiled and run, then run: tools/check_readme.py --update")

    def names(self):
        """(commands, paths) that the document names, each with its place."""
        commands, paths = {}, {}
        for fence in FENCE.finditer(self.text):
            for command in COMMAND.finditer(fence[2]):
                commands.setdefault(command[1], self.at(fence.start(2) + command.start()))
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])  # keeps positions, and ends paragraphs
        prose = re.sub(r"<!--.*?-->", blank, FENCE.sub(blank, self.text), flags=re.S)
        for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", prose):
            for span in SPAN.finditer(paragraph[0]):
                place = self.at(paragraph.start() + span.start())
                for command in COMMAND.finditer(" ".join(span[1].split())):
                    commands.setdefault(command[1], place)
                for word in span[1].split():
                    header = re.fullmatch(r"<(slotwise/[\w./]+)>", word)
                    if header or (PATH.fullmatch(word) and not word.startswith("build/")):
                        paths.setdefault("include/" + header[1] if header else word, place)
            for link in LINK.finditer(paragraph[0]):
                if not re.match(r"[a-z][a-z0-9+.-]*:", link[1]):
                    path = os.path.normpath(os.path.join(os.path.dirname(self.name), link[1]))
                    paths.setdefault(path, self.at(paragraph.start() + link.start()))
        return commands, paths


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    paths = [path for pattern in ("README.md", *DOCUMENTS) for path in sorted(given.root.glob(pattern))]
    documents = [Document(given.root, path.relative_to(given.root).as_posix()) for path in paths]
    wrong, quoted, counted, known = [], 0, [0, 0], commands_of(given.root)
    for document in documents:
        try:
            if given.update:
                document.update()
        except Finding as finding:
            wrong.append(f"{document.name} is as it was: {finding}")
        wrong += document.wrong_quotes()
        quoted += sum(1 for _ in document.quotes())
        commands, paths = document.names()
        counted = [counted[0] + len(commands), counted[1] + len(paths)]
        wrong += [f"{place}: tools/dev has no command '{name}', only: {', '.join(sorted(known))}"
                  for name, place in commands.items() if name not in known]
        wrong += [f"{place}: there is no {name}; correct the name, or write it without backticks if it is no path"
                  for name, place in paths.items() if not (given.root / name).exists()]
    if not quoted:
        wrong.append("README.md quotes nothing: put '<!-- quoted from FILE -->' above a ```cpp block")
    words = sum(len(document.text.split()) for document in documents if document.name == "README.md")
    if words > WORDS_MOST:
        wrong.append(f"README.md has {words} words, more than {WORDS_MOST}: move what a reader does not need first to docs/")
    print("\n".join(wrong) or f"README agrees with its sources: {quoted} quoted, {counted[0]} commands and {counted[1]} paths exist")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
