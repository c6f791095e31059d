#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds the documentation, public names and the guide of docs/guide, by Doxygen: build/docs/html/index.html.

A warning of Doxygen, such as of a link to a page that there is not, is an error, and so is a public name that nobody describes.

One verb means one thing in every container: a member needs a comment in one class, not in each. VOCABULARY has what
means the same as in the standard library, or what the options of each container name. The snippets of the guide are compiled and run by tests/tools/guide_test.py.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import guide
from headers import ROOT, arguments, version_of

OUT = ROOT / "build" / "docs"
THEME = pathlib.Path("/usr/share/doxygen-awesome-css")  # where Debian and Ubuntu put the package of that name
# What Doxygen 1.9 says of code it cannot read: specialisations of templates in namespace std, bases that are initialised by name, names
# of standard headers in prose (which it prints as they stand); and of what is no public name.
NOT_OURS = re.compile(r"scope for class std::|documented symbol '.*std::|no uniquely matching class member|"
                      r"^\s|^Possible candidates|Unsupported xml/html tag <\w+>|slotwise::detail::")
VOCABULARY = set("""size empty capacity begin end cbegin cend swap get_allocator hash_function key_eq clear at data contains erase
    value_type key_type mapped_type size_type difference_type allocator_type reference const_reference pointer const_pointer iterator
    const_iterator iterator_category iterator_concept hasher key_equal is_avalanching is_transparent type
    handle_type id_type time_type delta_type subscriber_type subscription_type writer options exhaustion growth reuse layout delta
    modified_items chunk_iterator basic_iterator""".split())


# Classes without an example of their own, each with the reason.
NO_EXAMPLE = {"GroupIndex": "the template of HashIndex", "ObserverArray": "a part of series, which subscribe() hides"}


def write_examples():
    """Gives the page of each class of fwd.hpp the shortest snippet of the guide that names it, best one that includes its header.
    Returns the classes that no snippet names."""
    fwd, known = (ROOT / "include" / "slotwise" / "fwd.hpp").read_text(encoding="utf-8"), []
    for text in guide.pages().values():
        known += guide.SNIPPET.findall(text)
    without, pages = [], []
    for full in re.findall(r"^class (\w+);", fwd, re.M):
        name = full.removeprefix("Basic")
        header = "/" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() + ".hpp>"
        found = sorted((each for each in known if re.search(rf"\b{name}\b", each)), key=lambda each: (header not in each, each.count("\n")))
        if found:
            pages.append(f"/** @class slotwise::{full}\n@par Example\n@code{{.cpp}}\n{found[0]}@endcode\n*/\n")
        elif name not in NO_EXAMPLE:
            without.append(f"no snippet of the guide names {name}: its page has no example")
    (OUT / "examples.dox").write_text("".join(pages), encoding="utf-8")
    return without


def run_doxygen():
    """What Doxygen warned of."""
    if not shutil.which("doxygen"):
        sys.exit("docs: there is no doxygen here; on Debian and Ubuntu: apt-get install doxygen")
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    without = write_examples()
    sheets = [*THEME.glob("doxygen-awesome.css"), *THEME.glob("doxygen-awesome-sidebar-only.css"), ROOT / "docs" / "theme.css"]
    quoted = " ".join(f'"{sheet}"' for sheet in sheets)
    settings = (f'@INCLUDE = "{ROOT / "docs" / "Doxyfile"}"\nPROJECT_NUMBER = {version_of(ROOT)}\nOUTPUT_DIRECTORY = "{OUT}"\nINPUT += "{OUT}/examples.dox"\n'
                f"HTML_EXTRA_STYLESHEET = {quoted}\n")
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    warnings = [line for line in done.stderr.splitlines() if line.strip() and not NOT_OURS.search(line)]
    return without + warnings or ([f"doxygen ended with {done.returncode}"] if done.returncode else [])


def described(element):
    return any("".join(part.itertext()).strip() for tag in ("briefdescription", "detaileddescription") for part in element.findall(tag))


def undescribed():
    """(public names that no comment describes, the number of public names)"""
    compounds = [compound for path in sorted((OUT / "xml").glob("*.xml")) for compound in xml.etree.ElementTree.parse(path).getroot()
                 if compound.tag == "compounddef" and compound.get("kind") in ("class", "struct", "namespace")]
    members = [(compound, member) for compound in compounds for member in compound.iter("memberdef")
               if member.get("prot") == "public" and member.get("kind") != "friend"]
    known = VOCABULARY | {member.findtext("name") for _, member in members if described(member)}
    public = [compound for compound in compounds if re.match("slotwise(::|$)", compound.findtext("compoundname"))
              and "::detail" not in compound.findtext("compoundname") and compound.get("prot", "public") == "public"]
    wrong = [f"{compound.find('location').get('file')}:{compound.find('location').get('line')}: {compound.findtext('compoundname')}"
             for compound in public if compound.get("kind") != "namespace" and not described(compound)
             and compound.findtext("compoundname").rpartition("::")[2] not in known]
    for compound, member in members:
        name, owner = member.findtext("name"), compound.findtext("compoundname")
        special = name.startswith("operator") or name.lstrip("~") == re.sub(r"<.*", "", owner).strip().rpartition("::")[2]
        if compound in public and not described(member) and name not in known and not special and member.get("kind") != "enum":
            wrong.append(f"{member.find('location').get('file')}:{member.find('location').get('line')}: {owner}::{name}")
    return [f"{each} is not described" for each in wrong], len(public)


def main():
    arguments(__doc__).parse_args()
    warnings = run_doxygen()
    wrong, names = undescribed()
    wrong = warnings + wrong
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"docs: {len(wrong)} findings" if wrong else f"docs: build/docs/html/index.html: {names} classes and namespaces, every name described")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
