#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds the documentation: a site of the public names and of the guide in docs/guide, by Doxygen.

  docs.py [--check] [--pictures FOLDER] [--plain]

  (no argument)       writes build/docs/html/index.html; a warning of Doxygen, an undocumented public name among them, is an error
  --check             then looks at what was built: no dead link, no dead fragment; in a headless browser the search finds each public
                      container, and no page of a few is wider than a narrow screen
  --pictures FOLDER   writes pictures of a few pages into FOLDER, light, dark and narrow, to be looked at
  --plain             leaves the theme out, as where the package doxygen-awesome-css is not installed

Doxygen reads copies of the headers in build/docs/input, which differ in this: namespace detail is left out, but for the bases whose
members are public members of what derives from them; names that mean what they mean in the standard library (size, begin, swap,
value_type ...), or the same in every container here (slot_of, modified ...), get their sentence from COMMON below; an overload right
behind a documented one of its name shares its comment.
Each page of the guide is made of text and of ```cpp snippets, all of which are compiled and run by tests/tools/docs_test.py.

--root FOLDER is another repository than the one this script is in. Exit code 0: built, and nothing was found; 1: findings, one a line;
3: a program that is needed is not here.
"""
import argparse
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

from headers import closing, declarations, masked, public, texts, version_of, without_template

THEME = pathlib.Path("/usr/share/doxygen-awesome-css")  # where Debian and Ubuntu put the package of that name
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
NARROW = 390  # pixels, a telephone

# What a name says wherever it occurs: one verb means one thing in every container. Keys of more than one word: a kind of declaration.
# A comment in a header goes before.
COMMON = {
    "size": "The number of elements.",
    "empty": "Whether there are no elements.",
    "capacity": "How many there is memory for.",
    "begin": "To the first element.",
    "end": "Behind the last element.",
    "cbegin": "To the first element, read-only.",
    "cend": "Behind the last element, read-only.",
    "swap": "Exchanges the contents of the two.",
    "get_allocator": "A copy of the allocator.",
    "hash_function": "The hash that keys are found by.",
    "key_eq": "What decides that two keys are one.",
    "state": "What the slot is at the moment.",
    "occupancy": "Liveness of the slots, one bit each.",
    "slots": "Live slots in ascending order.",
    "slot": "The slot of the element.",
    "key": "The key.",
    "value": "The value.",
    "clear": "Removes all elements.",
    "at": "The value. @raises std::out_of_range when there is none",
    "slot_of": "The slot of the element, or no_slot.",
    "handle_of": "The handle of the element, or null.",
    "handle_at": "The handle of the element in `slot`, null when none lives there.",
    "explain": "Why a handle does or does not resolve.",
    "values": "The values.",
    "was_added": "Whether it is there now, and was not when window `time` opened; false unless that is the open one.",
    "was_removed": "Whether it was there when window `time` opened, and is not now; false unless that is the open one.",
    "last_modified": "When it was last written, or never.",
    "modified": "Whether it was last written at exactly `time`.",
    "modified_items": "As modified_keys, with the values.",
    "as_set": "Its keys as a set: the same object, not a copy.",
    "never": "The time before every other one: it was not written yet.",
    "column": "A static observer that is a column, seen by slot.",
    "observer": "A static observer.",
    "delta_type": "What capture() gives and apply() takes.",
    "writer": "What write() gives.",
    "subscriber_type": "Who can be told of changes.",
    "subscription_type": "Keeps a subscriber subscribed.",
    "exhaustion": "What happens to a slot that has used its last version.",
    "reuse": "Which vacant slot the next element gets.",
    "layout": "Where the version of a slot lives.",
    "growth": "How memory for values grows.",
    "handle": "How the bits of a handle are divided.",
    "delta": "How the slots that changed are found again.",
    "on_insert": "Hook of a static observer, see SlotObserver.",
    "on_remove": "Hook of a static observer, see SlotObserver.",
    "on_erase": "Hook of a static observer, see SlotObserver.",
    "on_clear": "Hook of a static observer, see SlotObserver.",
    "on_reset": "Hook of a static observer, see SlotObserver.",
    "contains": "Whether the element is there.",
    "get": "The value, or null when there is none.",
    "data": "The address of the first value.",
    "value_type": "What the elements are.",
    "key_type": "What the keys are.",
    "mapped_type": "What the values of keys are.",
    "time_type": "What times are.",
    "id_type": "What the ids are.",
    "size_type": "Counts elements.",
    "difference_type": "Distances of iterators.",
    "allocator_type": "What memory comes from.",
    "handle_type": "What names one element.",
    "reference": "How an element is passed to be changed.",
    "const_reference": "How an element is passed to be read.",
    "pointer": "Leads to an element that may be changed.",
    "const_pointer": "Leads to an element that is read.",
    "iterator": "Walks over the elements.",
    "const_iterator": "Walks over the elements, read-only.",
    "iterator_category": "How iterators of this kind may be used.",
    "iterator_concept": "How iterators of this kind may be used.",
    "chunk_iterator": "Walks over the chunks.",
    "basic_iterator": "Walks over the elements, read-only or not.",
    "hasher": "Makes hashes of keys.",
    "key_equal": "Decides that two keys are one.",
    "options": "The choices this type was made with.",
    "is_avalanching": "Every input bit reaches every output bit.",
    "is_transparent": "Also takes types that compare with the key.",
    "operator*": "What it refers to.",
    "operator->": "A member of what it refers to.",
    "operator++": "On to the next one.",
    "operator[]": "The value in this place.",
    "operator==": "Whether the two are equal.",
    "operator<=>": "How the two are ordered.",
    "operator bool": "Whether there is something.",
    "default constructor": "Makes an empty one.",
    "copy constructor": "Makes a copy.",
    "move constructor": "Takes over what the other one has.",
    "allocator constructor": "Makes an empty one, with memory of `alloc`.",
    "copy constructor, allocator": "Makes a copy, in memory of `alloc`.",
    "move constructor, allocator": "Takes over what the other one has, into memory of `alloc`.",
    "copy assignment": "Becomes a copy of the other one.",
    "move assignment": "Takes over what the other one has.",
    "destructor": "Ends what is there.",
}


class Missing(Exception):
    """A program that is not installed."""


def program(names, package):
    for name in names:
        if shutil.which(name):
            return name
    raise Missing(f"there is no {names[0]} here; on Debian and Ubuntu: apt-get install {package}")


#=== the headers as Doxygen reads them ===#

def body(text):
    """The place of what stands between SLOTWISE_BEGIN and SLOTWISE_END; empty where they are not."""
    begin, end = re.search(r"^SLOTWISE_BEGIN$", text, re.M), re.search(r"^SLOTWISE_END$", text, re.M)
    return (begin.end(), end.start()) if begin and end else (0, 0)


def public_bases(sources):
    """Classes in detail whose members are public members of public classes."""
    found, inside, outside = set(), "", ""
    for text in sources.values():
        for each in declarations(masked(text)):
            if each.detail:
                inside += each.text
            elif each.space:
                outside += each.text
    todo = re.findall(r"\bpublic detail::(\w+)", outside)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            for derived in re.finditer(rf"\b(?:class|struct) {name}\b[^;{{]*?:([^;{{]*)\{{", inside):
                todo += re.findall(r"\bpublic (\w+)", derived[1])
    return found


def blank(text, begin, end):
    return text[:begin] + re.sub(r"[^\n]", "", text[begin:end]) + text[end:]


def hidden(bare):
    """What is private or protected in classes."""
    heads = re.finditer(r"^[ \t]*class \w[^;{}]*\{", bare, re.M)
    starts = [head.end() for head in heads if head[0].count("<") == head[0].count(">")]  # else it is the end of a template head
    starts += [match.end() for match in re.finditer(r"^[ \t]*(?:private|protected):", bare, re.M)]
    label = re.compile(r"\b(?:public|private|protected):(?!:)")
    for start in starts:
        depth, place = 0, start
        while depth >= 0 and not (depth == 0 and label.match(bare, place)):
            depth += {"{": 1, "}": -1}.get(bare[place], 0)
            place += 1
        yield start, place if depth >= 0 else place - 1


def prepared(text, bases):
    """A header as (line number, line): only what is public, comments as Doxygen takes them."""
    bare = masked(text)
    begin, end = body(text)
    cuts = list(hidden(bare))
    for block in re.finditer(r"^namespace detail \{", bare, re.M):
        cuts += [match.span() for match in re.compile(r"^#.*", re.M).finditer(bare, block.end(), closing(bare, block.end() - 1))]
    for each in filter(lambda each: each.detail, declarations(bare)):
        kept = re.match(r"(?:class|struct) (\w+)[^;{]*\{", without_template(each.text))
        if not kept or kept[1] not in bases:
            cuts.append((each.behind, each.end))
    kept_text = text
    for a, b in sorted(cuts + [(0, begin), (end, len(text))], reverse=True):
        if not any(c <= a and b <= d for c, d in cuts if (c, d) != (a, b)):
            kept_text = blank(kept_text, a, b)
    if begin:
        line = text.count("\n", 0, begin)
        lines = kept_text.split("\n")
        lines[line] = "namespace slotwise {"
        lines[text.count("\n", 0, end)] = "}"
    else:
        lines = kept_text.split("\n")
    return takeovers(with_comments([[number, line] for number, line in enumerate(lines, 1)]))


def with_comments(lines):
    """Comments in Doxygen's words: what is indented in a comment is code; @throws names no single type."""
    result, in_code = [], False
    for number, line in lines:
        comment = re.match(r"([ \t]*///)( {5,}| ?)(.*)", line)
        is_code = bool(comment) and len(comment[2]) >= 5
        if is_code != in_code:
            result.append([number, (comment[1] if comment else "///") + (" @code{.cpp}" if is_code else " @endcode")])
            in_code = is_code
        if "///" in line and not is_code:
            line = re.sub(r"@throws\b", "@raises", line)
        result.append([number, line])
    return result


def takeovers(lines):
    """Bases that are not public are left out. A class that takes members from one (`using set_type::erase;`) says so in its comment."""
    text = "\n".join(line for _, line in lines)
    notes = []
    for match in re.finditer(r"^class \w+\s*(: (?:private|protected)\s[^{;]*)\{", masked(text), re.M):
        inside = text[match.end():closing(masked(text), match.end() - 1) - 1]
        names = re.findall(r"^    using set_type::(\w+);", inside, re.M)
        base = re.search(r"using set_type = ((?:detail::)?\w+)<", inside)
        if names and base:
            notes.append((text.count("\n", 0, match.start()), ", ".join(f"`{name}`" for name in names), base[1]))
        text = text[:match.start(1)] + re.sub(r"[^\n]", " ", match[1]) + text[match.end(1):]
    lines = [[number, line] for (number, _), line in zip(lines, text.split("\n"))]
    for place, names, base in reversed(notes):
        while not lines[place][1].lstrip().startswith("///"):
            place -= 1
        number = lines[place][0]
        lines[place + 1:place + 1] = [[number, "/// @par Members as its base has them"], [number, f"/// {names}: see slotwise::{base}."]]
    return lines


#=== sentences for names that need none in the headers ===#

def sentence(member, owner):
    """What COMMON says of an undocumented member, or None."""
    name = member.findtext("name")
    arguments = re.sub(r"\s+", " ", member.findtext("argsstring") or "")
    inside = arguments[1:arguments.rfind(")")] if arguments.startswith("(") else ""
    short = owner.rpartition("::")[2].partition("<")[0].strip()
    if name == "~" + short:
        return COMMON["destructor"]
    if name in (short, "operator="):
        parts = [part.strip() for part in re.split(r",(?![^<]*>)", inside)] if inside.strip() else []
        same = parts and re.match(rf"(const )?{short}(<[^>]*>)? ?(&&|&|\w)", parts[0])
        kind = "move" if same and "&&" in parts[0] else "copy"
        if name == "operator=":
            return COMMON[f"{kind} assignment"] if same else None
        if same:
            return COMMON[f"{kind} constructor" + (", allocator" if len(parts) > 1 else "")]
        if not parts:
            return COMMON["default constructor"]
        return COMMON["allocator constructor"] if len(parts) == 1 and re.search(r"\balloc\b", parts[0]) else None
    return COMMON.get(name)


def special(name, owner):
    """Whether a member is a constructor, a destructor or an assignment."""
    return name.lstrip("~") in (owner.rpartition("::")[2].partition("<")[0].strip(), "operator=")


def is_documented(element):
    return any("".join(part.itertext()).strip() for tag in ("briefdescription", "detaileddescription") for part in element.findall(tag))


def first_line(lines, place):
    """Where the declaration begins that goes on in line `place`: its template head may stand above."""
    while place > 0:
        above = masked(lines[place - 1][1]).strip()
        if above.startswith("requires"):
            place -= 1
            continue
        if not above or above[-1] in ";{}:" or above.startswith("#"):
            return place
        place -= 1
    return place


def comment_above(lines, place):
    text = []
    while place > 0 and lines[place - 1][1].lstrip().startswith("///"):
        place -= 1
        text.insert(0, lines[place][1])
    return text


def add_sentences(folder, copies):
    """Reads the XML of a first run; adds comments to the copies where names have none and need none of their own."""
    additions = {}
    for path in sorted((folder / "xml").glob("*.xml")):
        for compound in xml.etree.ElementTree.parse(path).getroot().findall("compounddef"):
            if compound.get("kind") not in ("class", "struct", "namespace"):
                continue
            owner = compound.findtext("compoundname")
            members = [(m.find("location"), m) for m in compound.iter("memberdef")]
            members = sorted(((place.get("file"), int(place.get("line")), m) for place, m in members), key=lambda each: each[:2])
            shared = None  # (name, file, comment)
            for file, line, member in members:
                name = member.findtext("name")
                file = str(folder / "input" / file)
                lines = copies[file]
                start = first_line(lines, line - 1)
                if is_documented(member):
                    shared = (name, file, comment_above(lines, start))
                    continue
                if member.get("kind") == "enum":
                    continue
                text = sentence(member, owner)
                if text and special(name, owner):
                    additions[(file, start)] = ["/// " + text]
                elif shared and shared[:2] == (name, file) and shared[2]:
                    additions[(file, start)] = [line.strip() for line in shared[2]]
                elif text:
                    shared = (name, file, ["/// " + text])
                    additions[(file, start)] = shared[2]
            if compound.get("kind") != "namespace" and not is_documented(compound):
                text = COMMON.get(owner.rpartition("::")[2])
                if text:
                    location = compound.find("location")
                    file = str(folder / "input" / location.get("file"))
                    additions[(file, first_line(copies[file], int(location.get("line")) - 1))] = ["/// " + text]
    for file, place in sorted(additions, reverse=True):
        lines = copies[file]
        indent = re.match(r"[ \t]*", lines[place][1])[0]
        lines[place:place] = [[lines[place][0], indent + text] for text in additions[(file, place)]]


#=== the guide ===#

SNIPPET = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
AT_NAMESPACE = re.compile(r"(template|struct|class|enum|static|inline|using namespace)\b")


def pages(root):
    return sorted((root / "docs" / "guide").glob("*.md"))


def as_program(page, name):
    """The snippets of a page as one program: each a function, what is declared at namespace scope in front of it, includes on top."""
    text = page.read_text(encoding="utf-8")
    includes, parts, calls = [], [], []
    for number, snippet in enumerate(SNIPPET.finditer(text), 1):
        line = text.count("\n", 0, snippet.start(1)) + 1
        outside, inside = [], []
        for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*\n)+", snippet[1]):
            rows = paragraph[0].split("\n")[:-1]
            here = line + snippet[1].count("\n", 0, paragraph.start())
            said = [row for row in rows if not row.startswith("//")]
            target = outside if said and AT_NAMESPACE.match(said[0]) else inside
            special = bool(said) and said[0].startswith("template <> struct slotwise::")  # cannot stand in another namespace
            target += ["}", f"using namespace snippet_{number};"] if special else []
            target.append(f'#line {here} "{name}"')
            for row in rows:
                if row.startswith("#include"):
                    includes.append(row)
                    target.append("")
                else:
                    target.append(row)
            target += [f"namespace snippet_{number} {{"] if special else []
        parts += [f"namespace snippet_{number} {{", *outside, "static void run() {", *inside, "}", "}"]
        calls.append(f"    snippet_{number}::run();")
    includes = list(dict.fromkeys(includes + ["#include <cassert>"]))
    return "\n".join(["#undef NDEBUG", *includes, *parts, "int main() {", *calls, "}", ""]), len(calls)


def public_names(root):
    """Every class template, class, alias and enumeration at namespace scope that is no detail: {name: header}."""
    names = {}
    for header, text in texts(root).items():
        for kind, name in public(masked(text)):
            if kind and name:
                names.setdefault(name, header)
    return names


def linked(page, names):
    """A page as Doxygen reads it: with a name of its own, links by name, and a public name alone in backticks leads to what it is."""
    def label_of(stem):
        return "index" if stem == "index" else "guide_" + stem

    text = page.read_text(encoding="utf-8")
    if page.stem != "index":
        text = re.sub(r"\A# [^\n]*", lambda m: f"{m[0]} {{#{label_of(page.stem)}}}", text)
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"`(\w+)`", lambda m: f'@ref slotwise::{m[1]} "{m[1]}"' if m[1] in names else m[0], parts[i])
        parts[i] = re.sub(r"\[([^\]]+)\]\((\w+)\.md\)", lambda m: f'@ref {label_of(m[2])} "{m[1]}"', parts[i])
    return "".join(parts)


#=== building ===#

def predefined(root):
    """Macros as Doxygen takes them: those of config.hpp that stand for attributes are nothing, conditions are as by default."""
    config = (root / "include" / "slotwise" / "config" / "config.hpp").read_text(encoding="utf-8")
    for name, value in dict(re.findall(r"^#define (SLOTWISE_\w+)(?![\w(])[ \t]*([^\n]*)", config, re.M)).items():
        yield f"{name}={'1' if value.isdigit() else ''}"
    yield "__cplusplus=202002L"


def doxygen_version(doxygen):
    said = subprocess.run([doxygen, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return tuple(int(part) for part in re.match(r"(\d+)\.(\d+)\.(\d+)", said).groups())


def run_doxygen(doxygen, root, out, settings):
    """What Doxygen warned of, its lines and files being those of the repository."""
    lines = (root / "docs" / "Doxyfile").read_text(encoding="utf-8")
    lines += "".join(f"{name} = {value}\n" for name, value in settings)
    process = subprocess.run([doxygen, "-"], input=lines.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=str(out))
    said = process.stderr.decode(errors="replace").split("\n")
    return [line for line in said if line.strip()], process.returncode


def in_repository(line, root, out, copies):
    """A message about a copy, as one about the file it was made of."""
    match = re.match(r"(.*?):(\d+): (.*)", line)
    if not match:
        return line
    lines = copies.get(match[1])
    number = int(match[2])
    name = os.path.relpath(match[1], str(out / "input"))
    if lines:
        number = lines[min(number, len(lines)) - 1][0]
        return f"include/{name}:{number}: {match[3]}"
    return f"docs/{name}:{number}: {match[3]}" if name.startswith("guide/") else line


def write_copies(copies):
    for file, lines in copies.items():
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_text("\n".join(line for _, line in lines), encoding="utf-8")


def layout(doxygen, out):
    """This release's layout, with the description of a class above the list of its members."""
    subprocess.run([doxygen, "-l", "layout.xml"], cwd=str(out), stdout=subprocess.DEVNULL, check=True)
    file = out / "layout.xml"
    text = file.read_text(encoding="utf-8")
    begin, end = text.index("<class>"), text.index("</class>")
    part = text[begin:end]
    description = re.search(r"[ \t]*<detaileddescription[^\n]*\n", part)
    part = part.replace(description[0], "").replace("<memberdecl>", description[0].strip() + "\n    <memberdecl>", 1)
    file.write_text(text[:begin] + part + text[end:], encoding="utf-8")
    return file


def theme_settings(doxygen, root, plain):
    newer = doxygen_version(doxygen) >= (1, 9, 5)
    sheets = [str(root / "docs" / "theme.css")]
    if not plain and (THEME / "doxygen-awesome.css").is_file():
        sheets = [str(THEME / "doxygen-awesome.css"), str(THEME / "doxygen-awesome-sidebar-only.css")] + sheets
        colours = "LIGHT"  # the theme brings its own dark ones
    else:
        colours = "AUTO_LIGHT"
        yield "GENERATE_TREEVIEW", "NO"  # beside it there is no room for text on a narrow screen
    if newer:
        yield "HTML_COLORSTYLE", colours
    yield "HTML_EXTRA_STYLESHEET", " ".join(f'"{sheet}"' for sheet in sheets)


def build(root, out, plain=False):
    """Writes out/html; findings, one a line."""
    doxygen = program(["doxygen"], "doxygen")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    sources = texts(root)
    bases = public_bases(sources)
    copies = {str(out / "input" / "slotwise" / name): prepared(text, bases) for name, text in sources.items()}
    everything = "\n".join(line for lines in copies.values() for _, line in lines)
    lost = sorted(base for base in bases if not re.search(rf"^(class|struct) {base}\b", everything, re.M))
    if lost:
        return [f"docs.py leaves out {base}, whose members are public members of what derives from it" for base in lost]
    copies[str(out / "input" / "slotwise" / "fwd.hpp")].insert(0, [1, "/// Everything that is public."])
    write_copies(copies)
    settings = [("OUTPUT_DIRECTORY", f'"{out}"'), ("PROJECT_NUMBER", version_of(root)), ("STRIP_FROM_INC_PATH", f'"{out / "input"}"'),
                ("STRIP_FROM_PATH", f'"{out / "input"}"'), ("PREDEFINED", " ".join(f'"{each}"' for each in predefined(root)))]
    said, status = run_doxygen(doxygen, root, out, settings + [
        ("INPUT", f'"{out / "input"}"'), ("GENERATE_HTML", "NO"), ("GENERATE_XML", "YES"), ("WARNINGS", "NO"),
        ("WARN_IF_UNDOCUMENTED", "NO"), ("WARN_IF_DOC_ERROR", "NO")])
    if status != 0:
        return said + [f"doxygen ended with {status}"]
    add_sentences(out, copies)
    shutil.rmtree(out / "xml")
    write_copies(copies)
    names = public_names(root)
    guide = out / "input" / "guide"
    guide.mkdir()
    for page in pages(root):
        (guide / page.name).write_text(linked(page, names), encoding="utf-8")
    first = ["index"] + re.findall(r"\]\((\w+)\.md\)", (root / "docs" / "guide" / "index.md").read_text(encoding="utf-8"))
    order = [guide / f"{stem}.md" for stem in dict.fromkeys(first)] + [out / "input"]
    said, status = run_doxygen(doxygen, root, out, settings + list(theme_settings(doxygen, root, plain)) + [
        ("INPUT", " ".join(f'"{each}"' for each in order)), ("USE_MDFILE_AS_MAINPAGE", f'"{order[0]}"'),
        ("WARN_AS_ERROR", "FAIL_ON_WARNINGS"), ("LAYOUT_FILE", f'"{layout(doxygen, out)}"')])
    said = [in_repository(line, root, out, copies) for line in said]
    return said or ([f"doxygen ended with {status}"] if status != 0 else [])


#=== looking at what was built ===#

class Page(html.parser.HTMLParser):
    """The links of a page and the places in it that links can lead to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value)


def dead_links(site):
    """Links that lead nowhere: of the pages, of the tree beside them and of the search."""
    read = {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    links = {(name, link) for name, page in read.items() for link in page.links}
    for path in list(site.glob("*.js")) + list((site / "search").glob("*.js")):
        text = path.read_text(encoding="utf-8")
        links |= {(path.relative_to(site).as_posix(), link) for link in re.findall(r"[\"']((?:\.\./)?[\w-]+\.html(?:#[\w-]*)?)[\"']", text)}
    wrong = []
    for name, link in sorted(links):
        address, fragment = urllib.parse.urldefrag(link)
        if re.match(r"[a-z][a-z0-9+.-]*:", address):
            if not address.startswith(("https://www.doxygen.org/", "javascript:")):
                wrong.append(f"{name}: {link} leads out of the site, where no check reaches")
            continue
        folder = "" if name.endswith(".js") and not name.startswith("search/") else os.path.dirname(name)
        target = os.path.normpath(os.path.join(folder, urllib.parse.unquote(address))) if address else name
        if not (site / target).is_file():
            wrong.append(f"{name}: there is no {target}, to which {link} leads")
        elif fragment and target in read and urllib.parse.unquote(fragment) not in read[target].places:
            wrong.append(f"{name}: {target} has no place {fragment}")
    return wrong, len(links)


class Browser:
    """A headless browser that reads files, with a profile of its own."""

    def __init__(self):
        self.command = program(BROWSERS, "chromium")
        self.home = tempfile.TemporaryDirectory()

    def run(self, *arguments):
        command = [self.command, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--allow-file-access-from-files", f"--user-data-dir={self.home.name}", "--virtual-time-budget=90000", *arguments]
        environment = {**os.environ, "HOME": self.home.name}
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, env=environment)

    def dom(self, page):
        return self.run("--dump-dom", page.as_uri()).stdout.decode(errors="replace")

    def picture(self, page, target, width, height, *more):
        self.run(f"--screenshot={target}", f"--window-size={width},{height}", *more, page.as_uri())
        return target.is_file() and target.stat().st_size > 0


def with_script(site, name, script):
    """A page like site/name that runs a script when it is loaded."""
    page = site / f"check_{os.getpid()}.html"
    text = (site / name).read_text(encoding="utf-8")
    page.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    return page


# Fills the search box as a reader would, and leaves what is shown as an attribute of the page. Releases of Doxygen differ in when
# the box is made and in whether results come in a frame.
SEARCH = """
window.addEventListener('load', function () {
  var names = WANTED, found = {}, at = 0;
  var look = function () {
    var results = document.getElementById('MSearchResults');
    var shown = results && results.contentDocument ? results.contentDocument : document;
    found[names[at]] = Array.prototype.filter.call(shown.querySelectorAll('a.SRSymbol, a.SRScope'), function (a) {
      return a.closest('.SRResult').style.display == 'block'; }).map(function (a) { return [a.textContent, a.getAttribute('href')]; });
    document.body.setAttribute('data-found', JSON.stringify(found));
    if (++at < names.length) search();
  };
  var search = function () {
    var field = document.getElementById('MSearchField');
    field.focus(); searchBox.OnSearchFieldFocus(true); field.value = names[at]; searchBox.Search();
    setTimeout(look, 1000);
  };
  setTimeout(search, 1000);
});"""
# Leaves, for each frame of a page, the widths of its page and of the text in it: how wide it is, how wide it would be.
WIDTHS = """
setTimeout(function () {
  var widths = Array.prototype.map.call(document.getElementsByTagName('iframe'), function (frame) {
    var page = frame.contentDocument.documentElement, text = frame.contentDocument.getElementById('doc-content') || page;
    return [page.clientWidth, page.scrollWidth, text.clientWidth, text.scrollWidth];
  });
  document.body.setAttribute('data-width', JSON.stringify(widths));
}, 10000);"""


def attribute(dom, name):
    match = re.search(rf'{name}="([^"]*)"', dom)
    return html.unescape(match[1]) if match else ""


def search_findings(site, browser, names):
    """Names that the search does not find, or whose results lead nowhere."""
    page = with_script(site, "index.html", SEARCH.replace("WANTED", json.dumps(names)))
    try:
        found = json.loads(attribute(browser.dom(page), "data-found") or "{}")
    finally:
        page.unlink()
    wrong = []
    for name in names:
        results = found.get(name, [])
        if not any(text in (name, "slotwise::" + name) for text, _ in results):
            wrong.append(f"search: {name} is not found, only: {', '.join(text for text, _ in results[:5]) or 'nothing'}")
        addresses = [address.partition("#")[0] for _, address in results if address and not address.startswith("javascript:")]
        missing = [each for each in addresses if not (site / "search" / each).is_file() and not (site / each).is_file()]
        if missing or (results and not addresses):
            wrong.append(f"search: {name} leads to {missing[0] if missing else 'no page'}, which is not there")
    return wrong


def width_findings(site, browser, names):
    """Pages that are wider than a narrow screen, so that text must be pushed sideways to be read."""
    # A browser window is never narrower than some 500 pixels: pages are looked at in frames of the wanted width.
    frames = "".join(f'<iframe src="{name}" width="{NARROW}" height="800"></iframe>' for name in names)
    page = site / f"check_{os.getpid()}.html"
    page.write_text(f"<!DOCTYPE html><body>{frames}<script>{WIDTHS}</script></body>", encoding="utf-8")
    try:
        widths = json.loads(attribute(browser.dom(page), "data-width") or "[]")
    finally:
        page.unlink()
    if len(widths) != len(names):
        return ["the browser does not say how wide pages are"]
    return [f"{name}: on a screen of {NARROW} pixels the page needs {wide}, and its text {text_wide} where there are {text_here}"
            for name, (here, wide, text_here, text_wide) in zip(names, widths) if wide > here or text_wide > text_here or not text_here]


def containers(root):
    """Public names that a reader will look for by name: class templates and aliases of them that fwd.hpp declares."""
    declared = [name for kind, name in public(masked(texts(root)["fwd.hpp"])) if kind in ("class", "using")]
    return sorted(name for name in declared if not name.endswith("_t") and not name.startswith("Basic"))


def looked_at(root):
    """Pages whose appearance is checked: the main page, each page of the guide, a class, the list of classes."""
    return ["index.html"] + [f"guide_{page.stem}.html" for page in pages(root) if page.stem != "index"] + [
        "classslotwise_1_1SlotMap.html", "annotated.html"]


def check(root, out):
    """What is wrong with the site; and a line of figures."""
    site = out / "html"
    browser = Browser()
    dead, links = dead_links(site)
    names = containers(root)
    wrong = dead + search_findings(site, browser, names) + width_findings(site, browser, looked_at(root))
    return wrong, f"{links} links lead somewhere, the search finds {len(names)} names, {len(looked_at(root))} pages fit a narrow screen"


def take_pictures(root, out, folder):
    site, browser = out / "html", Browser()
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, page in (("main", "index.html"), ("class", "classslotwise_1_1SlotMap.html"), ("guide", "guide_map.html")):
        for kind, width, height, more in (("light", 1280, 1600, []), ("dark", 1280, 1600, ["--blink-settings=preferredColorScheme=0"]),
                                          ("narrow", 500, 1400, [])):
            target = folder / f"{name}_{kind}.png"
            if not browser.picture(site / page, target, width, height, *more):
                return [f"{browser.command} made no picture of {page}"], made
            made.append(target)
    return [], made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    out = root / "build" / "docs"
    figures = "no name is undocumented"
    try:
        if arguments.check or arguments.pictures:
            program(BROWSERS, "chromium")  # said before the time is spent
        wrong = build(root, out, arguments.plain)
        if not wrong and arguments.check:
            wrong, more = check(root, out)
            figures += ", " + more
        if not wrong and arguments.pictures:
            wrong, made = take_pictures(root, out, arguments.pictures.resolve())
            figures += f", {len(made)} pictures"
    except Missing as missing:
        print(f"docs: {missing}")
        return 3
    if wrong:
        print("\n".join(wrong))
        print(f"docs: {len(wrong)} findings")
        return 1
    where = os.path.relpath(str(out / "html" / "index.html"))
    print(f"docs: {where}: {len(pages(root))} pages of the guide, {len(public_names(root))} public names, {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
