# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The snippets of docs/guide as programs: what a user writes, of every public name."""
import re

from headers import ROOT

GUIDE = ROOT / "docs" / "guide"
SNIPPET = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
AT_NAMESPACE = re.compile(r"(template|struct|class|enum|static|inline|using namespace|namespace)\b")


def pages():
    """{name: text} of the pages whose snippets are C++."""
    found = {page.stem: page.read_text(encoding="utf-8") for page in sorted(GUIDE.glob("*.md"))}
    found.pop("python", None)  # all its snippets are Python
    return found


def as_program(texts):
    """The snippets of these pages {name: text} as one program: each a function, what is declared at namespace scope in front of it, includes
    on top."""
    includes, parts, calls = ["#include <cassert>"], [], []
    for name, text in texts.items():
        for number, snippet in enumerate(SNIPPET.finditer(text), 1):
            space = f"snippet_{re.sub(r'[^a-z]', '_', name)}_{number}"
            outside, inside = [], []
            for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*\n)+", snippet[1]):
                rows = paragraph[0].split("\n")[:-1]
                line = text.count("\n", 0, snippet.start(1) + paragraph.start()) + 1
                code = [row for row in rows if not row.startswith("//")]
                target = outside if code and AT_NAMESPACE.match(code[0]) else inside
                special = bool(code) and code[0].startswith("template <> struct slotwise::")  # cannot stand in another namespace
                includes += [row for row in rows if row.startswith("#include")]
                if special:
                    own = "|".join(re.findall(r"^(?:struct|class|enum class) (\w+)", "\n".join(outside), re.M)) or "(?!)"
                    rows = [re.sub(rf"(?<![\w:.])(?:{own})\b", rf"{space}::\g<0>", row) for row in rows]
                target += ["}"] if special else []
                target += [f'#line {line} "docs/guide/{name}.md"', *("" if row.startswith("#include") else row for row in rows)]
                target += [f"namespace {space} {{"] if special else []
            parts += [f"namespace {space} {{", *outside, "static void run() {", *inside, "}", "}"]
            calls.append(f"    {space}::run();")
    return "\n".join(["#undef NDEBUG", *dict.fromkeys(includes), *parts, "int main() {", *calls, "}", ""])
