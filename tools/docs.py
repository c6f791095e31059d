#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds the documentation, build/docs/html/index.html: the guide of docs/guide in the order of the table on its first page, and a reference
that Doxygen reads from the headers, a page a class (docs/reference.md.jinja). MkDocs makes a site of them (docs/mkdocs.yml).

A warning of either, such as of a link to a page that there is not, is an error, and so is a public name that nobody describes.

One verb means one thing in every container: a member needs a comment in one class, not in each. docs/reference.yml has the verbs that need none, and
the groups of verbs. The snippets of the guide are compiled and run by tests/tools/guide_test.py.
"""
import html
import json
import re
import shutil
import subprocess
import sys
import textwrap
import xml.etree.ElementTree

import guide
from headers import ROOM, ROOT, arguments, version_of

OUT = ROOT / "build" / "docs"
PAGES = OUT / "pages"
# What Doxygen 1.9 says of code it cannot read: specialisations of templates in namespace std, bases that are initialised by name, names
# of standard headers in prose (which it prints as they stand); and of what is no public name.
NOT_OURS = re.compile(r"scope for class std::|documented symbol '.*std::|no uniquely matching class member|"
                      r"^\s|^Possible candidates|Unsupported xml/html tag <\w+>|slotwise::detail::")

PLACES = {}  # what a name can lead to: {id of Doxygen: [(page, anchor)]}


def plain(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def escaped(text):
    return html.escape(re.sub(r"([\\`*_{}\[\]|])", r"\\\1", text or ""), quote=False)


def link(element, page):
    """A name or a piece of code, as a link if it has a page."""
    ref, text = element if element.tag == "ref" else element.find("ref"), plain(element)
    found = PLACES.get(ref.get("refid")) if ref is not None else None
    if not found:
        return f"`{text}`"
    to, place = next((each for each in found if each[0] == page), found[0])
    return f"[`{text}`]({'' if to == page and place else to + '.md'}{'#' + place if place else ''})"


def code(text):
    """A declaration as the headers have it, in lines of 98 characters: Doxygen has blanks within angle brackets, and in front of & and *."""
    text = re.sub(r"\s+", " ", text).replace("< ", "<").replace(" >", ">").replace(" ,", ",").strip()
    text = re.sub(r"(?<!\)) (&&?|\*+)(\.\.\.)? ?(?=\w|$)", r"\1\2 ", text).strip()
    return textwrap.fill(text, 98, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def anchor(name):
    return re.sub(r"\W", lambda sign: f"-{ord(sign[0]):x}", name)


def described(element):
    return any(plain(part) for tag in ("briefdescription", "detaileddescription") for part in element.findall(tag))


def grouped(members, owner, verbs):
    """[(group, [(verb, [[a member with a comment, the overloads that share it]])])], in the order of a page."""
    kinds = {"typedef": "Aliases", "enum": "Aliases" if owner else "Enumerations", "variable": "Fields" if owner else "Constants", "concept": "Concepts"}
    groups = {each: {} for each in ["Concepts", "Fields", *list(verbs)[:-1], "More", "Functions", list(verbs)[-1], "Make", "Enumerations", "Constants", "Aliases"]}
    for member in sorted(members, key=lambda each: owner and "Interface" not in each.get("id")):  # what others share with it stands first
        name, group = member.findtext("name"), kinds.get(member.get("kind"))
        if group and owner and member.get("static") == "yes":
            group = "Aliases"
        elif not group:
            verb = next((each for each, names in verbs.items() if re.fullmatch(names.replace(" ", ""), name.replace(" ", ""))), "More")
            group = "Make" if name in ("operator=", owner) else verb if owner else "Functions"
        overloads = groups[group].setdefault(name, [])
        if described(member) or not overloads:
            overloads.append([])
        overloads[-1].append(member)
    return [(group, list(names.items())) for group, names in groups.items() if names]


def read_headers():
    """(what Doxygen warned of, its classes, structs, concepts and namespaces)"""
    if not shutil.which("doxygen"):
        sys.exit("docs: there is no doxygen here; on Debian and Ubuntu: apt-get install doxygen")
    shutil.rmtree(OUT, ignore_errors=True)
    (PAGES / "reference").mkdir(parents=True)
    settings = f'@INCLUDE = "{ROOT / "docs" / "Doxyfile"}"\nOUTPUT_DIRECTORY = "{OUT}"\n'
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    warnings = [line for line in done.stderr.splitlines() if line.strip() and not NOT_OURS.search(line)]
    texts = (re.sub(r"<(sp|linebreak)[^>]*/>", " ", path.read_text(encoding="utf-8")) for path in sorted((OUT / "xml").glob("*.xml")))
    compounds = [each for text in texts for each in xml.etree.ElementTree.fromstring(text)
                 if each.tag == "compounddef" and each.get("kind") in ("class", "struct", "namespace", "concept")]
    return warnings or ([f"doxygen ended with {done.returncode}"] if done.returncode else []), compounds


def undescribed(compounds, known):
    """(public names that no comment describes, the number of public names)"""
    names = {each: re.sub(r"<.*", "", each.findtext("compoundname")).strip() for each in compounds if each.get("kind") != "concept"}
    members = [(compound, each) for compound in names for each in compound.iter("memberdef") if each.get("prot") == "public" and each.get("kind") != "friend"]
    known = {*known.split(), *(each.findtext("name") for _, each in members if described(each))}
    public = {each for each, name in names.items() if re.match("slotwise(::(?!detail)|$)", name) and each.get("prot", "public") == "public"}
    wrong = [(each, names[each]) for each in public if each.get("kind") != "namespace" and not described(each) and names[each].rpartition("::")[2] not in known]
    for compound, each in members:
        name, owner = each.findtext("name"), names[compound]
        special = name.startswith("operator") or name.lstrip("~") == owner.rpartition("::")[2] or each.get("kind") == "enum"
        wrong += [(each, f"{owner}::{name}")] if compound in public and not described(each) and name not in known and not special else []
    return [f"{each.find('location').get('file')}:{each.find('location').get('line')}: {name} is not described" for each, name in wrong], len(public)


def title_of(page):
    return re.search(r"^# (.*)", (guide.GUIDE / f"{page}.md").read_text(encoding="utf-8"), re.M)[1]


def reading_order():
    """The pages as the table of the first one lists them."""
    return list(dict.fromkeys(["index", *re.findall(r"^\|.*?\]\((?:\.\./)?([\w-]+)\.md", guide.pages()["index"], re.M)]))


def example_of(name, room):
    """The first snippet of its own page, or of the others, that names the class, best one that includes its header."""
    header = "/" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() + ".hpp>"
    order = [page for page in dict.fromkeys(["index", room, *reading_order()]) if page in guide.pages()]
    found = [(page, text) for page in order for text in guide.SNIPPET.findall(guide.pages()[page]) if re.search(rf"\b{name}\b", text)]
    best = min(found, key=lambda each: (header not in each[1], each[1].count("\n") > 30, each[0] not in ("index", room)), default=None)
    return best and {"page": best[0], "title": title_of(best[0]), "code": best[1]}


def room_of(element):
    return (re.match(r"slotwise/(\w+)/", element.find("location").get("file")) or ["", "fwd"])[1]


def write_reference(compounds, config):
    """(the classes that no snippet names, the part of the navigation, {class: page})"""
    import jinja2  # of MkDocs

    everything = next(each for each in compounds if each.findtext("compoundname") == "slotwise")
    aliases = {each.findtext("name") for each in everything.iter("memberdef") if each.get("kind") == "typedef"}
    classes, rooms = {}, {}
    whole = {each.get("id"): each for compound in compounds for each in compound.iter("memberdef") if each.find("templateparamlist") is not None}
    for each in compounds:
        name = each.findtext("compoundname").removeprefix("slotwise::")
        if each.get("kind") in ("class", "struct") and each.findtext("compoundname") != name and "detail::" not in name and each.get("prot") == "public":
            title = re.sub(r"<.*", "", name.removeprefix("Basic") if re.match(r"\w+", name.removeprefix("Basic"))[0] in aliases else name).strip()
            page = re.sub(r"\W+", "-", title)
            PLACES[each.get("id")] = [(page, "")]
            members = [whole.get(each.get("id"), each) for each in each.iter("memberdef")  # what is inherited has no template parameters
                       if each.get("prot") == "public" and not re.search("::|@|^~", each.findtext("name"))]
            if "<" not in name or (page in classes and not classes[page]["members"] and described(each)):  # of SoaSlotMap the specialisation has all
                classes[page] = {"element": each, "name": name, "title": title, "page": page, "room": room_of(each), "members": members}
    classes = list(classes.values())
    for each in classes:  # what it takes from a private base by name
        bases = [ref.get("refid") for ref in each["element"].findall("basecompoundref") if ref.get("prot") == "private"]
        taken = set(re.findall(r"using (?:typename )?\w+::(\w+);", (ROOT / "include" / each["element"].find("location").get("file")).read_text(encoding="utf-8")))
        each["members"] += [member for base in classes if base["element"].get("id") in bases for member in base["members"] if member.findtext("name") in taken]
    known = {each["title"]: each["page"] for each in classes}
    for each in [*everything.iter("memberdef"), *(each for each in compounds if each.get("kind") == "concept")]:
        if each.get("kind") == "concept":
            xml.etree.ElementTree.SubElement(each, "name").text = each.findtext("compoundname").removeprefix("slotwise::")
        if "::" not in each.findtext("name") and each.findtext("name") not in known:
            rooms.setdefault(room_of(each), []).append(each)
    for page, members in [*((each["page"], each["members"]) for each in classes), *rooms.items()]:
        for each in members:
            PLACES.setdefault(each.get("id"), []).append((page, anchor(each.findtext("name"))))

    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    environment.filters.update(anchor=anchor, code=code, escaped=escaped, link=link, plain=plain)
    template = environment.from_string((ROOT / "docs" / "reference.md.jinja").read_text(encoding="utf-8"))

    def write(page, **parts):
        text = re.sub(r"\n(\s*\n)+", "\n\n", template.render(page=page, **parts)).lstrip()
        text = re.sub(r"(?m)^(- \*\*.*)\n\n(?=- \*\*)", r"\1\n", text)  # what a function expects and throws is one list
        (PAGES / "reference" / f"{page}.md").write_text(text, encoding="utf-8")

    public = set(re.findall(r"^class (\w+);", (ROOM / "fwd.hpp").read_text(encoding="utf-8"), re.M))
    for each in classes:
        each["example"] = None if "::" in each["name"] else example_of(each["title"], each["room"])
        write(**each, boost=3 if re.sub("<.*", "", each["name"]).strip() in public else 1, groups=grouped(each["members"], re.sub(r"<.*|.*::", "", each["name"]).strip(), config["groups"]))
    order = [page for page in dict.fromkeys([*reading_order(), "fwd"]) if page in {each["room"] for each in classes} | set(rooms)]
    parts = [(room, title_of(room) if room != "fwd" else "Options and arguments", sorted((each for each in classes if each["room"] == room and described(each["element"])),
                                                                                       key=lambda each: each["title"].lower())) for room in order]
    for room, title, there in parts:
        write(room, title=title, classes=there, boost=1, groups=grouped(rooms.get(room, []), "", config["groups"]))
    write("index", title="Reference", boost=1, parts=parts)
    nav = ["reference/index.md", *({title: [f"reference/{room}.md", *({each["title"]: f"reference/{each['page']}.md"} for each in there)]}
                                   for room, title, there in parts)]
    return [f"no snippet of the guide names {each['title']}: its page has no example" for each in classes
            if re.match(r"\w+", each["name"])[0] in public and "::" not in each["name"] and not each["example"] and each["name"] not in config["without an example"]], nav, known


def write_guide(known, words):
    """Copies the guide, each page with the words that find it. Where a page first names a class, it links to it."""
    for source in [*guide.GUIDE.glob("*.md"), ROOT / "docs" / "packages.md"]:
        unseen = dict(known)
        parts = re.split(r"(^```.*?^```$|^#.*?$)", source.read_text(encoding="utf-8").replace("](../", "](").replace("](guide/", "]("), flags=re.M | re.S)
        parts[::2] = [re.sub(r"(?<![\[`])`(\w+)`(?![`\]])", lambda name: f"[{name[0]}](reference/{unseen.pop(name[1])}.md)" if name[1] in unseen else name[0], each)
                      for each in parts[::2]]
        (PAGES / source.name).write_text(f"---\ntags: {json.dumps(words.get(source.stem, []))}\nsearch: {{boost: 2}}\n---\n" + "".join(parts), encoding="utf-8")
    for each in [*(ROOT / "docs").glob("*.svg"), ROOT / "docs" / "theme.css"]:
        shutil.copy(each, PAGES)
    for each in ("charts", "live"):
        shutil.copytree(ROOT / "docs" / each, PAGES / each)


def main():
    arguments(__doc__).parse_args()
    import yaml  # of MkDocs

    config = yaml.safe_load((ROOT / "docs" / "reference.yml").read_text(encoding="utf-8"))
    warnings, compounds = read_headers()
    without, reference, known = write_reference(compounds, config)
    write_guide(known, config["words"])
    nav = [{"Guide": [f"{page}.md" for page in reading_order()]}, {"Reference": reference}, {"Live": "live/index.html"}]
    (OUT / "mkdocs.yml").write_text(f"INHERIT: {ROOT}/docs/mkdocs.yml\ncopyright: slotwise {version_of(ROOT)}, MIT licence\nnav: {json.dumps(nav)}\n",
                                    encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", OUT / "mkdocs.yml"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wrong, names = undescribed(compounds, config["known"])
    wrong = warnings + without + wrong + (["MkDocs failed:", *(line for line in done.stdout.splitlines() if line.startswith(("WARNING", "ERROR")))] if done.returncode else [])
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"docs: {len(wrong)} findings" if wrong else f"docs: build/docs/html/index.html: {names} classes and namespaces, every name described")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
