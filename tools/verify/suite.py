#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Builds and runs the whole test suite in other worlds than the default build: other targets, libraries, checkers, flags.

  suite.py arch|hardened|sanitize|bare|single|compiled|coverage [--quick] [--only NAME]

  arch       i686, aarch64, s390x (big-endian) through cross compilers and QEMU user mode, in which virtual memory is not used; x86-64
             with libstdc++ and with libc++; Windows through MinGW and Wine, by clang++ and by g++; WebAssembly under node; walks of bench/iteration on
             aarch64, their sums and instructions beside x86-64's
  hardened   libstdc++ with _GLIBCXX_DEBUG and _GLIBCXX_ASSERTIONS; libc++ with its assertions; our own checks at level debug
  sanitize   AddressSanitizer and UndefinedBehaviorSanitizer with g++ and with clang++, and where size_t has 32 bits over the fuzz bodies, which
             restore hostile bytes; ThreadSanitizer over the readers; Valgrind over the fuzz bodies
  bare       every unit program and fuzz body without exceptions and RTTI
  single     everything against the single header that tools/amalgamate.py writes
  compiled   everything against slotwise::compiled
  coverage   which lines of include/ were executed, added up by gcovr: at least COVERED per cent. A line of a template counts when any instantiation
             executes it; what aborts is not counted. build/proof/coverage/coverage.txt has the lines that are missing

A world is a build folder build/proof/NAME of the same CMake project. --only windows is windows-clang and windows-gcc. --quick builds only
what QUICK names, a few programs that touch every container, or what the world says. Ends with one line: what passed of what.
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import time

import proof

# Programs that touch every container and compile fast: the bodies of the fuzz targets over the committed inputs.
QUICK = tuple(f"slotwise_fuzz_{path.stem}" for path in sorted((proof.TESTS / "fuzz").glob("*.cpp")))
COVERED = {False: 95, True: 85}  # --quick
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
# What reads sources tells the same in every world; full bounds take hours with sanitizers.
NOT_HERE = ("-LE", "^(house|consumer|compile_fail)$", "-E", "/full bounds$")


@dataclasses.dataclass
class World:
    name: str
    compiler: str
    flags: str = ""
    optimise: str = "-O0 -g0"  # compiles in half the time
    definitions: tuple = ()  # for CMake
    needs: tuple = ()  # commands
    emulator: str = ""  # the command that runs its programs here
    targets: tuple = ()  # empty: all
    quick: tuple = (QUICK, "^fuzz/")  # of --quick: the targets, and which tests
    tests: tuple = ()  # arguments of ctest that choose
    environment: dict = dataclasses.field(default_factory=dict)
    check: object = None  # of the world: whether what was built is what is meant; says why not
    after: object = None  # of the world and --quick: whether what the tests left behind is as it should be


def cross(triple, emulator=""):
    """A world of another processor: by clang, whose compile time is the least, with the headers, libraries and linker of the
    distribution's cross compiler. Linked statically: no library of the target has to be found at run time."""
    processor, flags = triple.split("-")[0], f"--target={triple}"
    if emulator:  # QEMU's user mode keeps a record of every page of reserved addresses: gigabytes for a few maps with Growth::reserve
        flags += " -DSLOTWISE_VIRTUAL_MEMORY=0"
    return World(processor, proof.clang(), flags, needs=(f"{triple}-g++",), emulator=emulator, definitions=(
        "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={processor}", f"-DSLOTWISE_CATCH2_SINGLE_HEADER={single_header()}",
        "-DCMAKE_EXE_LINKER_FLAGS=-static", "-DSLOTWISE_WERROR=OFF"), tests=NOT_HERE)


def windows(kind):
    """Windows by MinGW, whose headers, libraries and libstdc++ are g++'s for both compilers; clang does not find its folder. lld links in no time
    where GNU ld takes half a minute a program. Statically: no DLL has to be found. Programs run under Wine."""
    gcc, lld, headers = "x86_64-w64-mingw32-g++-posix", proof.clang().replace("clang++", "ld.lld"), single_header()
    library = pathlib.Path(proof.run([gcc, "-print-libgcc-file-name"]).output.strip()).parent if shutil.which(gcc) else ""
    compiler, flags, targets, tests = {  # the macro is libstdc++'s: that its own objects are compiled without weak symbols
        "clang": (proof.clang(), f"--target=x86_64-w64-windows-gnu -stdlib++-isystem {library}/include/c++ "
                  f"-stdlib++-isystem {library}/include/c++/x86_64-w64-mingw32 -D__GXX_TYPEINFO_EQUALITY_INLINE=0",  # its fault with empty members was in keyed containers
                  ("slotwise_fuzz_slots", "slotwise_fuzz_keyed", "slotwise_test_memory", "slotwise_test_config", "slotwise_host_OFF"),
                  "^fuzz/(slots|keyed)$|^memory/(reserved|steady)_array$|^config/assert$|^plugin/"),
        "gcc": (gcc, "-Wa,-mbig-obj", ("slotwise_fuzz_slots",), "^fuzz/slots$")}[kind]  # more sections than a plain object can have
    least = "-O1 -g0" if kind == "gcc" else "-O0 -g0"  # unoptimised, names of functions are more than GNU as can number
    return World(f"windows-{kind}", compiler, flags, least, needs=(gcc, lld), emulator="wine", tests=NOT_HERE, quick=(targets, tests), definitions=(
        "-DCMAKE_SYSTEM_NAME=Windows", "-DCMAKE_SYSTEM_PROCESSOR=x86_64", f"-DSLOTWISE_CATCH2_SINGLE_HEADER={headers}", "-DSLOTWISE_WERROR=OFF",
        f"-DCMAKE_INCLUDE_PATH={headers}", "-DCMAKE_CXX_STANDARD_LIBRARIES=-lwinpthread", "-DCMAKE_EXE_LINKER_FLAGS=-static -fuse-ld=lld "
        f"-B{pathlib.Path(shutil.which(lld) or lld).resolve().parent} -L{library}"),
        # Not in build/: it has a link to the root folder, which builders of packages follow.
        environment={"WINEPREFIX": f"{tempfile.gettempdir()}/slotwise-wine-{os.getuid()}", "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="},
        check=lambda world: proof.run(["wine", "wineboot", "-i"], env=world.environment).ok)  # its folder, once for what runs at once


def wasm():
    """WebAssembly by clang, libc++ and wasi-libc, without exceptions, run by node: all that neither throws nor wants threads, folders or jumps."""
    examples = [main.parent.name for main in sorted((proof.ROOT / "examples").glob("*/main.cpp")) if not any(
        re.search(r"\bthrow \w|\btry \{|<(thread|mutex|filesystem|csetjmp)>|__wasm__", path.read_text(encoding="utf-8"))
        for path in main.parent.glob("*.[ch]pp") if path.stem not in ("library", "lights"))]  # the word is in a comment
    return World("wasm", proof.clang(), "--target=wasm32-wasi -stdlib=libc++ -fno-exceptions -D_WASI_EMULATED_SIGNAL", emulator="node", definitions=(
        "-DCMAKE_SYSTEM_NAME=WASI", "-DCMAKE_EXE_LINKER_FLAGS=-lwasi-emulated-signal", f"-DSLOTWISE_CATCH2_SINGLE_HEADER={single_header()}",
        "-DSLOTWISE_BUILD_EXAMPLES=ON"), targets=("slotwise_bare", "slotwise_wasm", *QUICK, *(f"slotwise_example_{name}" for name in examples)),
        tests=("-R", f"^(bare|fuzz|wasm)/|^example/({'|'.join(examples)})$"), needs=(proof.clang().replace("clang++", "wasm-ld"),),
        quick=(("slotwise_bare", "slotwise_wasm", "slotwise_fuzz_slots", "slotwise_fuzz_map"), "^(bare/.*|fuzz/(slots|map)|wasm/.*)$"))


def i686():
    """By the processor itself where it can, ten times as fast as by QEMU."""
    triple, program = "i686-linux-gnu", proof.BUILD / "empty_i686"
    proof.BUILD.mkdir(parents=True, exist_ok=True)
    probe = proof.run(["sh", "-c", f"echo 'int main() {{}}' | {triple}-g++ -static -x c++ - -o '{program}' && '{program}'"])
    return cross(triple, "" if probe.ok else "qemu-i386-static")


def i686_sanitizers():
    """Of the distribution only g++'s sanitizers are there for i686. They need a dynamic program: its loader is the cross compiler's."""
    libraries, world = "/usr/i686-linux-gnu/lib", cross("i686-linux-gnu")
    static, dynamic = "-DCMAKE_EXE_LINKER_FLAGS=-static", f"-static-libasan -Wl,--dynamic-linker={libraries}/ld-linux.so.2 -Wl,-rpath,{libraries}"
    return dataclasses.replace(
        world, name="i686-sanitizers", compiler="i686-linux-gnu-g++", flags=SANITIZERS, optimise="-O0 -g1", targets=QUICK, tests=("-R", "^fuzz/"),
        definitions=tuple(each.replace(static, f"-DCMAKE_EXE_LINKER_FLAGS={dynamic}") for each in world.definitions))


def single_header():
    """A folder with nothing but Catch2's one header of version 2 and the tables of adapters: a cross compiler must not search /usr/include."""
    folder, header = proof.BUILD / "catch2_alone", pathlib.Path("/usr/include/catch2/catch.hpp")
    if header.exists() and not (folder / "catch2").exists():
        shutil.copytree(header.parent, folder / "catch2")
    for table in (path for name in ("ankerl", "boost", "tsl") if (path := header.parents[1] / name).exists() and not (folder / name).exists()):
        (folder / table.name).symlink_to(table)
    return folder


def worlds(command):
    gcc, clang = proof.gcc(), proof.clang()
    libcxx = World("libcxx", clang, "-stdlib=libc++ -D_LIBCPP_ENABLE_ASSERTIONS=1 -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_DEBUG",
                   tests=NOT_HERE)
    return {
        "arch": lambda: [
            World("x86-64", gcc, "", "-O1 -g0", tests=NOT_HERE),
            libcxx,
            i686(),
            cross("aarch64-linux-gnu", "qemu-aarch64-static"),
            cross("s390x-linux-gnu", "qemu-s390x-static"),
            windows("clang"),
            windows("gcc"),
            wasm(),
        ],
        "hardened": lambda: [World("glibcxx-debug", clang, "-D_GLIBCXX_DEBUG -D_GLIBCXX_ASSERTIONS", tests=NOT_HERE), libcxx],
        "sanitize": lambda: [
            World("gcc-sanitizers", gcc, SANITIZERS, "-O0 -g1", tests=NOT_HERE),
            World("clang-sanitizers", clang, SANITIZERS, "-O0 -g1", tests=NOT_HERE,
                  environment={"ASAN_OPTIONS": "detect_stack_use_after_return=1"}),
            i686_sanitizers(),
        ],
        "bare": lambda: [World("bare", clang, "-fno-exceptions -fno-rtti", tests=("-L", "^(unit|more|fuzz)$"),
                               targets=("slotwise_unit", "slotwise_more", *QUICK))],
        "single": lambda: [World("single-header", clang, definitions=(f"-DCMAKE_PROJECT_slotwise_INCLUDE={forwarding()}",), tests=NOT_HERE,
                                 check=takes_no_header_of_its_own)],
        "compiled": lambda: [World("compiled", clang, definitions=("-DSLOTWISE_TEST_COMPILED=ON",), tests=NOT_HERE)],
        "coverage": lambda: [World("coverage", clang, "--coverage -fprofile-update=atomic", tests=NOT_HERE, after=covered)],
    }[command]()  # the others' worlds would copy Catch2's header for nothing


def forwarding():
    """What makes the project compile against the single header, written from the headers of now."""
    folder = proof.BUILD / "forwarding"
    written = proof.must([sys.executable, proof.ROOT / "tools" / "amalgamate.py", "--forwarding", folder], "the single header could not be written:")
    print("  " + written.strip().splitlines()[-1], flush=True)
    return folder / "forwarding.cmake"


def takes_no_header_of_its_own(world):
    """Whether no source that was compiled has read a header in include/: else the single one would not be what was tested."""
    used = proof.run(["ninja", "-C", proof.BUILD / world.name, "-t", "deps"])
    of_ours = sorted({line.strip() for line in used.output.splitlines() if line.strip().startswith(f"{proof.INCLUDE}/")})
    if of_ours or not used.ok or "#deps" not in used.output:
        print(f"  {world.name}: read beside the single header: {', '.join(of_ours[:3]) or used.output[-500:]}")
    return used.ok and not of_ours and "#deps" in used.output


def covered(world, quick):
    folder, goal = proof.BUILD / world.name, COVERED[quick]
    result = proof.run(["gcovr", "--root", proof.ROOT, "--filter", f"{proof.INCLUDE}/", "--gcov-executable", f"{proof.clang('llvm-cov')} gcov", "-j", proof.JOBS,
                        "--txt", folder / "coverage.txt", "--print-summary", "--fail-under-line", goal, folder])
    print(f"  {world.name}: {' '.join(re.findall(r'^lines:.*', result.output, re.M)) or result.output[-3000:]}; at least {goal} %")
    return result.ok


def build(world, targets):
    folder = proof.BUILD / world.name
    for need in filter(None, (*world.needs, world.emulator)):
        if not shutil.which(need):
            proof.die(f"{need} is not here; tools/dev setup arch installs it")
    configured = proof.run(["cmake", "-S", proof.ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                            f"-DCMAKE_CXX_COMPILER={world.compiler}", f"-DCMAKE_CXX_FLAGS={world.flags}",
                            f"-DCMAKE_CXX_FLAGS_DEBUG={world.optimise}",
                            "-DSLOTWISE_BUILD_TESTS=ON", "-DSLOTWISE_BUILD_BENCH=OFF",
                            "-DSLOTWISE_BUILD_EXAMPLES=" + ("OFF" if targets else "ON"), *world.definitions])
    if not configured.ok:
        print(configured.output)
        return False
    built = proof.run(["cmake", "--build", folder, "-j", str(proof.JOBS), *(["--target", *targets] if targets else []), "--", "-k", "0"])
    (folder / "build.log").write_text(built.output)
    if not built.ok:
        print("\n".join([line for line in built.output.splitlines() if "error" in line][:20]) or built.output[-2000:])
    elif world.emulator:
        emulate(world)
    return built.ok


def emulate(world):
    """Puts a script in the place of each program, which runs it by the emulator: it can be copied, and started by other programs and
    by itself, where the kernel knows nothing of the emulator (under Wine it starts itself as it is). CMake's own means covers only what ctest
    starts. A relinked program lies in the script's place again; the script has the program's time, so that nothing is linked for its sake."""
    itself = {"wine": "", "node": f"--no-warnings '{proof.TESTS}/support/wasi.mjs'"}.get(world.emulator, '-0 "$0"')
    for program in [path for part in ("tests", "examples") for path in (proof.BUILD / world.name / part).glob("*") if path.is_file()]:
        with program.open("rb") as file:
            is_program = file.read(2) in (b"\x7fE", b"MZ", b"\0a") and ".moved" not in program.name and program.suffix not in (".so", ".dll", ".wasm")
        if is_program:
            moved, script = program.with_name(f"{program.stem}.moved{program.suffix}"), program.with_suffix(".sh")
            script.write_text(f"#!/bin/sh\nexec {shutil.which(world.emulator)} {itself} {shlex.quote(str(moved))} \"$@\"\n")
            shutil.copystat(program, script)
            program.rename(moved)
            script.rename(program)


def run_world(world, quick):
    """(passed, all) of ctest, whose output goes to a file and, when something failed, to the reader."""
    started, folder = time.time(), proof.BUILD / world.name
    if not build(world, list(world.quick[0] if quick else world.targets)) or (world.check and not world.check(world)):
        return 0, 1
    result = proof.run(["ctest", "--test-dir", folder, "-j", str(proof.JOBS), "--output-on-failure", "--no-tests=error", "--timeout", "3600",
                        *world.tests, *(["-R", world.quick[1]] if quick else [])], env=world.environment)
    (folder / "test.log").write_text(result.output)
    summary = re.search(r"^\d+% tests passed(?:, (\d+) tests? failed)? out of (\d+)$", result.output, re.M)
    failed, total = (int(summary[1] or 0), int(summary[2])) if summary else (1, 1)
    if not result.ok:
        print(result.output[-8000:])
        failed = failed or 1
    # What Catch2 says of itself, so that a program that ran nothing cannot pass for a suite.
    log = folder / "Testing" / "Temporary" / "LastTest.log"
    said = log.read_text(errors="replace") if log.exists() else ""
    cases = sum(map(int, re.findall(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", said, re.M)))
    print(f"  {world.name}: {total - failed} of {total} programs passed, {cases} test cases, {time.time() - started:.0f} s", flush=True)
    if world.after:
        total, failed = total + 1, failed + (not world.after(world, quick))
    return total - failed, total


#=== what is not the whole suite ===#

def walks(quick):
    """Whether walks over containers add up to the same on aarch64 as on x86-64; prints instructions an element, of x86-64 first. QEMU traces each
    instruction of the loops alone, in the order of the lines that the program prints."""
    folder, bench, counts = proof.BUILD / "walks", proof.ROOT / "bench" / "instructions", {}
    (folder / "colony").mkdir(parents=True, exist_ok=True)
    shutil.copy("/usr/include/plf_colony.h", folder / "colony")  # alone: a cross compiler must not search /usr/include
    compilers = (proof.clang(),), (proof.clang(), "--target=aarch64-linux-gnu"), ("g++",), ("aarch64-linux-gnu-g++",)
    for number, compiler in enumerate(compilers[:2 if quick else 4]):
        proof.must([*compiler, *"-std=c++20 -O3 -DNDEBUG -static -no-pie -DSLOTWISE_VIRTUAL_MEMORY=0".split(), f"-I{proof.INCLUDE}", f"-I{bench}",
                    "-isystem", folder / "colony", bench / "iteration.cpp", "-o", folder / "walks"], "the walks do not compile:")
        symbols = proof.must(["nm", "-S", folder / "walks"], "nm:")
        loops = re.findall(r"^(\w+) (\w+) \w (\S*(?:sum_of|8for_eachI|3sumEv)\S*)$", symbols, re.M)
        said = proof.must([("qemu-x86_64-static", "qemu-aarch64-static")[number % 2], "-singlestep", "-d", "exec,nochain", "-D", folder / "log",
                           "-dfilter", ",".join(f"0x{at}+0x{size}" for at, size, _ in loops), folder / "walks"], "the walks failed:").split()
        steps = re.findall(r"^Trace \d+: \S+ \[\w+/(\w+)/", (folder / "log").read_text(), re.M)
        entries = {at for at, _, name in loops if "sum_of" in name}
        starts = [step for step, at in enumerate(steps) if at in entries] + [len(steps)]
        for line, first, last in zip(said, starts, starts[1:]):
            counts.setdefault(line, []).append(f"{(last - first) / int(line.split('|')[3]):.2f}")
    same = len(said) == len(starts) - 1 == len(counts) and {len(each) for each in counts.values()} == {number + 1}
    print(*("  " + " | ".join(line.split("|")[:3] + each) for line, each in counts.items()), sep="\n")
    print(f"  walks: {len(counts)}, {'the same sums on both' if same else 'OTHER SUMS'}", flush=True)
    return int(same), 1


def threads():
    """ThreadSanitizer: eight readers on every const member, pins of exports, and locks of the Python package; the cases are tagged
    [readers]."""
    sources = sorted(path for path in proof.TESTS.glob("*/*.cpp") if "[readers]" in path.read_text(encoding="utf-8"))
    if not sources:
        proof.die("no test case is tagged [readers]")
    programs = proof.Programs("thread-sanitizer", proof.clang(),
                              ("-std=c++20", "-O1", "-g1", "-fsanitize=thread", "-DSLOTWISE_CHECK_LEVEL=2", "-pthread"))
    output = programs.folder / "readers"
    result = programs.compile(sources, output)
    if result.ok:
        result = proof.run([output, "[readers]", "--warn", "NoTests"], env={"TSAN_OPTIONS": "halt_on_error=1 exitcode=66"})
    if not result.ok:
        print(result.output[-6000:])
    cases = re.search(r"in (\d+) test case", result.output)
    print(f"  thread-sanitizer: {cases.group(1) if cases else 0} cases with readers, {'no report' if result.ok else 'REPORTS'}", flush=True)
    return int(result.ok), 1


def valgrind(quick):
    """Valgrind over the fuzz bodies: it sees uninitialised reads, which no sanitizer of g++ does."""
    if not shutil.which("valgrind"):
        proof.die("valgrind is not here; tools/dev setup sanitize installs it")
    tests, passed = proof.ROOT / "build" / "dev" / "tests", 0
    if not quick or not all((tests / target).exists() for target in QUICK):
        tests = proof.BUILD / "valgrind" / "tests"
        if not build(World("valgrind", proof.gcc(), optimise="-O1 -g1"), list(QUICK)):
            return 0, 1
    for target in QUICK:
        corpus = [] if quick else [proof.TESTS / "fuzz" / "corpus" / target.rsplit("_", 1)[1]]
        result = proof.run(["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", tests / target, "--random", "20" if quick else "300", "7", *corpus])
        done = result.ok and re.search(r"(\d+) inputs, (\d+) operations", result.output)
        passed += bool(done)
        print(f"  valgrind: {target}, {done[0] if done else 'FAILED' + chr(10) + result.output[-3000:]}", flush=True)
    return passed, len(QUICK)


def main():
    parser = proof.arguments(__doc__, "--quick")
    parser.add_argument("command", choices=("arch", "hardened", "sanitize", "bare", "single", "compiled", "coverage"))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    steps = [(world.name, lambda world=world: run_world(world, given.quick)) for world in worlds(given.command)]
    if given.command == "arch":
        steps.append(("walks", lambda: walks(given.quick)))
    if given.command == "sanitize":
        steps += [("thread-sanitizer", threads), ("valgrind", lambda: valgrind(given.quick))]
        if given.quick:
            steps = [step for step in steps if "sanitizers" not in step[0] or step[0].startswith("clang")]  # they find what those of g++ do
    steps = [step for step in steps if step[0] == given.only or step[0].startswith(f"{given.only}-") or not given.only]
    if not steps:
        proof.die(f"{given.command} has no world '{given.only}'", code=2)
    results = [step() for _, step in steps]
    passed, total = (sum(column) for column in zip(*results))
    names = [name for name, _ in steps]
    print(f"{given.command}: {passed} of {total} programs passed in {len(names)} worlds ({', '.join(names)})")
    sys.exit(0 if passed == total and total else 1)


if __name__ == "__main__":
    main()
