#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""slotwise.cppm exports what the headers declare, and tools/module.py reads declarations as a compiler does.

A program that imports the module is built and run by tests/consumer/module."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "verify")]
import module
from throws import libclang

NAMES = {  # each declaration with the name it declares, None where that is a member's, or nothing
    "class Plain;": "Plain",
    "template <class T, Options O = Options{.a = {1, 2}}> class Made final : public Base<T> { int x; };": "Made",
    "template <class T>\nstruct Special<std::vector<T>> : Special<T> {};": "Special",
    "enum class Kind : std::uint8_t { one, two };": "Kind",
    "template <class T>\nusing Alias = Made<T, Options{}>;": "Alias",
    "template <class T>\nconcept Able = requires(T t) { t.a(); } || requires { T::b; };": "Able",
    "inline constexpr unsigned number = (1 < 2) ? 3 : 4;": "number",
    "template <class T>\ninline constexpr bool is_it<Made<T>> = true;": "is_it",
    "inline constexpr char text[] = \"it's \\\" class Not; {\";": "text",
    "constexpr int braces{7};": "braces",
    "[[nodiscard]] constexpr std::size_t free_function(int a = f(1)) noexcept(noexcept(g())) { return 1; }": "free_function",
    "template <class F>\n    requires std::invocable<F, int> && (sizeof(F) > 1) && requires(F f) { f(); }\nvoid limits(F&&) {}": "limits",
    "extern const int elsewhere;": "elsewhere",
    "void calls() { a.operator->(); }": "calls",
    "template <class A, class B> auto trailing(A a) -> decltype(a.b()) { return a.b(); }": "trailing",
    "constexpr bool operator==(Plain, Plain) noexcept { return true; }": "operator==",
    "constexpr int operator()(Plain) { return 1; }": "operator()",
    'constexpr int operator""_slots(unsigned long long);': 'operator""_slots',
    "template <class T>\nMade(T) -> Made<T>;": "Made",
    "template <class T>\nvoid Made<T>::member(int) const { call(); }": None,
    "template <class T>\nMade<T>::Made(int a) : a_{a}, b_(1) {}": None,
    "template <class T>\nMade<T>::~Made() {}": None,
    "template <class T>\ntemplate <class U>\nclass Made<T>::Inner : Base<U> { int x; };": None,
    "template <class T>\nbool Made<T>::operator<(const Made& other) const { return true; }": None,
    "template <class T>\nconst int Made<T>::constant = 3;": None,
    "static_assert(sizeof(int) == 4);": None,
    "template class Made<int>;": None,
    "extern template class Made<int>;": None,
}
HEADER = """#define SLOTWISE_LINE(a) \\
    class Not##a {};
SLOTWISE_BEGIN
// class Comment;
%s
namespace detail { class Hidden; }
#if X
namespace bits { inline int count() { return '}'; } namespace detail { struct Deep; } }
namespace detail::bits { struct Deeper; }
namespace bits::more { struct Seen; }
#endif
SLOTWISE_END
template <> struct std::hash<slotwise::Plain> {};
"""


class Declarations(unittest.TestCase):
    def test_each_kind_has_its_name(self):
        for text, name in NAMES.items():
            with self.subTest(text):
                self.assertEqual(list(module.declared(text)), [("slotwise", name)] if name else [])

    def test_one_behind_the_other_they_have_the_same_names(self):
        found = [name for _, name in module.declared("\n".join(NAMES))]
        self.assertEqual(found, [name for name in NAMES.values() if name])

    def test_a_compiler_sees_the_same_names(self):
        found = set()

        def look(cursor, space):
            for child in cursor.get_children():
                kind = child._kind_id  # .kind raises for concepts, which are newer than the Python module
                if kind == namespace and child.spelling != "detail":
                    inline = child.spelling.startswith("v") and child.spelling[1:2].isdigit()
                    look(child, space if inline else [*space, child.spelling])
                elif kind != namespace and child.spelling and not child.spelling.startswith("<deduction guide") and child.semantic_parent._kind_id == namespace:
                    found.add(("::".join(space), child.spelling))

        cindex = libclang()
        namespace = cindex.CursorKind.NAMESPACE.value
        parsed = cindex.Index.create().parse(str(ROOT / "include/slotwise/slotwise.hpp"), ["-xc++", "-std=c++20"],
                                             options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES)
        self.assertEqual([str(said) for said in parsed.diagnostics if said.severity >= 3], [])
        for child in parsed.cursor.get_children():
            if child._kind_id == namespace and child.spelling == "slotwise":
                look(child, ["slotwise"])
        names = module.public_names(module.House(ROOT))
        self.assertGreater(len(found), 100)
        self.assertEqual({(space, name) for space in names for name in names[space]}, found)


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.unit = self.root / "include/slotwise/slotwise.cppm"
        self.unit.parent.mkdir(parents=True)
        self.write("front.hpp", HEADER % "class Plain;\nvoid act();")
        self.write("other.hpp", HEADER % "class Adapter;")
        self.write("slotwise.hpp", '#include "front.hpp"\n')

    def write(self, name, text):
        (self.unit.parent / name).write_text(text, encoding="utf-8")

    def call(self, *arguments, root=None):
        said = io.StringIO()
        with mock.patch.object(sys, "argv", ["module", f"--root={root or self.root}", *arguments]):
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                return module.main(), said.getvalue()

    def test_the_committed_one_is_what_the_headers_say(self):
        self.assertEqual(self.call("--check", root=ROOT), (0, mock.ANY), self.call("--check", root=ROOT)[1])

    def test_it_has_the_public_names_behind_the_front_door_and_no_other(self):
        self.assertEqual(self.call()[0], 0)
        names = [line for line in self.unit.read_text().splitlines() if line.startswith("using")]
        self.assertEqual(names, ["using slotwise::Plain;", "using slotwise::act;", "using slotwise::bits::count;",
                                 "using slotwise::bits::more::Seen;"])
        self.assertEqual(self.call("--check")[0], 0)

    def test_a_new_name_a_name_that_went_and_another_order_are_found(self):
        self.call()
        self.write("front.hpp", HEADER % "class Plain;\nvoid run();")
        code, said = self.call("--check")
        self.assertEqual(code, 1)
        self.assertIn("lacks: using slotwise::run;", said)
        self.assertIn("should not have: using slotwise::act;", said)
        self.assertNotIn("Plain", said)
        self.call()
        lines = self.unit.read_text().splitlines(keepends=True)
        place = lines.index("using slotwise::Plain;\n")
        self.unit.write_text("".join(lines[:place] + [lines[place + 1], lines[place]] + lines[place + 2:]))
        self.assertIn("order", self.call("--check")[1])
        self.unit.unlink()
        self.assertEqual(self.call("--check")[0], 1)

    def test_a_declaration_it_cannot_read_is_an_error_with_its_place(self):
        self.write("front.hpp", HEADER % "class Plain;\nnamespace short_form = bits;")
        code, said = self.call("--check")
        self.assertEqual(code, 1)
        self.assertIn("front.hpp:6: ", said)


class Compiler(unittest.TestCase):
    def test_without_a_clang_that_builds_modules_it_says_what_is_needed(self):
        with mock.patch.dict(os.environ, {"PATH": str(ROOT / "tests")}):
            with self.assertRaisesRegex(module.Missing, r"clang\+\+ 16 or newer.*g\+\+ 12 cannot.*apt-get install clang-16"):
                module.compiler()


if __name__ == "__main__":
    unittest.main()
