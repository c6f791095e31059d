#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a file of a user costs to compile: the same programs with slotwise, header-only and compiled, and with the headers of rivals.

  programs.py [--entt FOLDER] [--flecs FOLDER] [--rounds N] [--only WORD] [--write FOLDER]

  --entt FOLDER   where entt/entt.hpp is, in a checkout of EnTT (single_include); --flecs: where flecs.h is (distr). Without one, that rival
                  is left out: both headers come from outside of the repository
  --rounds N      how often each program is compiled (default 5), the contenders of a row in turns; printed are medians
  --only WORD     rows whose name contains the word
  --write FOLDER  writes the programs there and compiles nothing

Seconds of processor time and bytes of the object, by g++ 12 and clang 16 where they are. A ratio is to the first contender of its row.
"""
import itertools
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench"), str(ROOT / "tools")]
from headers import arguments, write  # noqa: E402
from tools.compiling import call, find_compiler, program_of  # noqa: E402
from tools.programs import processor  # noqa: E402

ECS = {  # what differs between the libraries: headers, and the words for the same steps
    "slotwise": dict(head="#include <slotwise/ecs/archetype_store.hpp>", world="slotwise::ArchetypeStore", entity="slotwise::Entity", query="world.query<{0}>()",
                     exclude="world.query<{0}>().exclude<{1}>()", each="for_each", make="world.spawn()", add="world.add(e, {0});", tag="world.add(e, {0}{{}});",
                     alive="world.is_alive(e)", get="world.get<{0}>(e)", remove="world.remove<{0}>(e);", kill="world.despawn(e);",
                     rows="for (auto [e, p] : world.query<const Position>()) sum += p.x;"),
    "entt": dict(head="#include <entt/entt.hpp>", world="entt::registry", entity="entt::entity", query="world.view<{0}>()",
                 exclude="world.view<{0}>(entt::exclude<{1}>)", each="each", make="world.create()", add="world.emplace<{1}>(e, {0});", tag="world.emplace<{0}>(e);",
                 alive="world.valid(e)", get="world.try_get<{0}>(e)", remove="world.remove<{0}>(e);", kill="world.destroy(e);",
                 rows="for (auto [e, p] : world.view<const Position>().each()) sum += p.x;"),
    "flecs": dict(head="#include <flecs.h>", world="flecs::world", entity="flecs::entity", query="world.query<{0}>()",
                  exclude="world.query_builder<{0}>().without<{1}>().build()", each="each", make="world.entity()", add="e.set<{1}>({0});",
                  tag="e.add<{0}>();", alive="e.is_alive()", get="e.try_get<{0}>()", remove="e.remove<{0}>();", kill="e.destruct();",
                  rows="world.query<const Position>().each([&](const Position& p) { sum += p.x; });"),
}


def small(lib):
    """Four components, four queries, entities that come and go."""
    w = ECS[lib]
    add = "\n".join(w["add"].format(f"{t}{{{v}}}", t) for t, v in (("Position", "float(i), 0.f"), ("Velocity", "1.f, 2.f")))
    return f"""{w['head']}
#include <cstdio>
#include <vector>
struct Position {{ float x, y; }};
struct Velocity {{ float x, y; }};
struct Health {{ int points; }};
struct Enemy {{}};
int main() {{
{w['world']} world;
std::vector<{w['entity']}> all;
for (int i = 0; i != 1000; ++i) {{
auto e = {w['make']};
{add}
if (i % 2 == 0) {{ {w['add'].format('Health{i}', 'Health')} }}
if (i % 3 == 0) {{ {w['tag'].format('Enemy')} }}
all.push_back(e);
}}
for (int step = 0; step != 10; ++step) {{
{w['query'].format('Position, const Velocity')}.{w['each']}([](Position& p, const Velocity& v) {{ p.x += v.x; p.y += v.y; }});
{w['exclude'].format('Health', 'Enemy')}.{w['each']}([](Health& h) {{ h.points -= 1; }});
std::vector<{w['entity']}> dead;
{w['query'].format('const Health')}.{w['each']}([&]({w['entity']} e, const Health& h) {{ if (h.points < 0) dead.push_back(e); }});
for (auto e : dead) {{ {w['kill']} }}
}}
for (auto e : all)
if ({w['alive']})
if (const auto* v = {w['get'].format('Velocity')})
if (v->x > 2) {{ {w['remove'].format('Velocity')} }}
float sum = 0;
{w['rows']}
std::printf("%f\\n", double(sum));
}}
"""


def many(lib, queries, types=10):
    """Ten components and so many queries."""
    w, lines = ECS[lib], []
    for q in range(queries):
        of = list(dict.fromkeys((q % types, (q * 3 + 1) % types, (q * 7 + 5) % types)))
        names = ", ".join(("const " if at else "") + f"C{n}" for at, n in enumerate(of))
        values = ", ".join(("const " if at else "") + f"C{n}& v{at}" for at, n in enumerate(of))
        body = " ".join(f"v0.a += v{at}.b;" for at in range(1, len(of))) or "v0.a += 1;"
        lines.append(f"{w['query'].format(names)}.{w['each']}([&]({values}) {{ {body} sum += v0.a; }});")
    adds = "".join(f"if (i % {n + 2} != 0) {{ " + w["add"].format(f"C{n}{{float(i), 0.f}}", f"C{n}") + " }\n" for n in range(types))
    return (w["head"] + "\n" + "".join(f"struct C{n} {{ float a, b; }};\n" for n in range(types)) +
            f"void fill({w['world']}& world, int count) {{\nfor (int i = 0; i != count; ++i) {{\nauto e = {w['make']};\n{adds}}}\n}}\n" +
            f"float run({w['world']}& world) {{\nfloat sum = 0;\n" + "\n".join(lines) + "\nreturn sum;\n}\n")


def rows(entt, flecs=None):
    """(name, optimisation, [(contender, source, flags)])"""
    rivals = [(name, ["-isystem", folder]) for name, folder in (("EnTT", entt), ("flecs", flecs)) if folder]
    ours = [("slotwise", []), ("slotwise::compiled", ["-DSLOTWISE_COMPILED"])]

    def ecs(make):
        return [(name, make(name.lower()), flags) for name, flags in rivals] + [(name, make("slotwise"), flags) for name, flags in ours]

    yield "small ECS program", "-O2", ecs(small)
    yield "small ECS program", "-O0", ecs(small)
    for queries in (20, 21):
        yield f"10 components, {queries} queries", "-O2", ecs(lambda lib, n=queries: many(lib, n))
    yield "include of the store", "-O0", ecs(lambda lib: ECS[lib]["head"] + "\n")
    yield "include of slotwise.hpp", "-O0", [(name, "#include <slotwise/slotwise.hpp>\n", flags) for name, flags in ours]
    for types in (1, 5):
        yield f"TSDStorage of {types} types", "-O0", [(name, program_of("slotwise/series/tsd_storage.hpp", types), flags) for name, flags in ours]
        yield f"maps of {types} types", "-O2", [(name, program_of(header, types), []) for name, header in (
            ("boost flat", "boost/unordered/unordered_flat_map.hpp"), ("MapStorage", "slotwise/keyed/map_storage.hpp"))]


def measure(compiler, optimise, source, flags, folder):
    path, made = folder / "program.cpp", folder / "program.o"
    path.write_text(source, encoding="utf-8")
    seconds = call(compiler, optimise, *flags, "-c", path, "-o", made)[1]
    text = int(subprocess.run(["size", made], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[1].split()[0])
    return seconds, made.stat().st_size, text


def medians(compiler, optimise, contenders, rounds):
    """[[seconds, bytes, bytes of code]] of the contenders, which take turns."""
    with tempfile.TemporaryDirectory() as folder:
        turns = [[measure(compiler, optimise, source, flags, pathlib.Path(folder)) for _, source, flags in contenders] for _ in range(rounds)]
    return [[statistics.median(each[at][part] for each in turns) for part in range(3)] for at in range(len(contenders))]


def report(runner):
    """The seconds of the small program, as a bench program would report them; medians of at most three."""
    compiler, rounds = find_compiler(), min(runner.repetitions, 3)
    version = subprocess.run([compiler, "-dumpfullversion"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    context = {"question": "compile", "date": time.strftime("%FT%T+00:00", time.gmtime()), "processor": processor(), "num_cpus": os.cpu_count(),
               "load_avg": os.getloadavg(), "compiler": f"g++ {version}", "repetitions": rounds}
    return {"context": context, "benchmarks": [
        {"name": f"small_program_{level[1:]}/bytes:0/n:1000/{name}", "run_type": "iteration", "value": seconds, "checksum": 0, "label": "ours" if "slotwise" in name else "rival"}
        for _, level, contenders in itertools.islice(rows(runner.entt), 2)
        for (name, *_), (seconds, *_) in zip(contenders, medians(compiler, level, contenders, rounds))]}


def main():
    parser = arguments(__doc__)
    parser.add_argument("--entt")
    parser.add_argument("--flecs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    if given.write:
        for name, optimise, contenders in rows(given.entt, given.flecs):
            for contender, source, _ in contenders:
                write(given.write / re.sub("[ :]+", "_", f"{name} {contender}.cpp").replace(",", ""), source)
        return
    print("| program | | compiler | contender | seconds | ratio | object, KB | ratio | text, KB |\n|---|---|---|---|---|---|---|---|---|")
    for name, optimise, contenders in rows(given.entt, given.flecs):
        for compiler in filter(shutil.which, ("g++-12", "clang++-16") if given.only in name else ()):
            found = medians(compiler, optimise, contenders, given.rounds)
            for (contender, *_), (seconds, size, text) in zip(contenders, found):
                print(f"| {name} | {optimise} | {compiler} | {contender} | {seconds:.2f} | {seconds / found[0][0]:.2f} | {size / 1000:.0f} | "
                      f"{size / found[0][1]:.2f} | {text / 1000:.1f} |", flush=True)


if __name__ == "__main__":
    main()
