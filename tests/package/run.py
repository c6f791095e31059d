#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Makes the packages of slotwise and uses each of them as a stranger would: a program is built with it and run.

  run.py [WAY...]          (default: conan, vcpkg, cpack, printed, module)
  run.py arrow [--quick]
  run.py release [--check]

  conan   Conan 2 from the Python package index; `conan create` without any remote; one package for every compiler and build type
  vcpkg   the port in tests/package/vcpkg with stand-ins for the functions of vcpkg: what its portfile leaves behind, and a project
          made of the lines that its usage text tells users to write
  cpack   the archive: it holds include/, share/ and LICENSE, and a project finds slotwise in it
  printed the commands of docs/packages.md, as they are printed, in a folder with a copy of these files: by the oldest and the newest
          g++ and clang++ that are here
  module  tests/consumer/module with slotwise::module of an installed slotwise, by the CMake and the Ninja of the Python package index
  arrow   Arrow's own library, out of pyarrow's wheel, reads what is exported, by two programs: every option at every size, and the extremes of
          options under sanitizers, compiled without optimisation, which takes g++ half the time. --quick: fewer sizes, no sanitizers
  release writes build/release_files: single header, sdist, archive, SHA256SUMS of them and of wheels that are there. --check: takes slotwise by
          each way but arrow, in a clone of a bare clone of HEAD that has the tag; these too:
            stated  tools/check_readme.py; tag  FetchContent by URL and tag; pip, sdist  a program of Python; readme  commands of README.md
            subdirectory, find_package, pkg_config, compiled  projects of tests/consumer
            single  another clone makes the single header anew, with the same bytes; a program by each compiler

Works in build/package. CXX chooses the compiler. Exit code 0: all of them work; 1: one does not, with the output of what failed.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
from headers import arguments, version_of  # noqa: E402

WORK = ROOT / "build" / "package"
CXX = shutil.which(os.environ.get("CXX") or "g++") or "c++"
GENERATOR = "Ninja" if shutil.which("ninja") else "Unix Makefiles"
CMAKE_FILES = ("slotwiseConfig.cmake", "slotwiseConfigVersion.cmake", "slotwiseModule.cmake")
PAGE = (ROOT / "docs/packages.md").read_text(encoding="utf-8")
VERSION = version_of(ROOT)
USUAL = ["-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={CXX}"]


class Failed(Exception):
    pass


def run(*command, cwd=ROOT, fails=False, both=False, **environment):
    """What the command wrote to standard output; with `both` to standard error too. With `fails` it is expected to."""
    command = [str(word) for word in command]
    result = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)
    if (result.returncode != 0) != fails:
        said = (result.stdout + result.stderr)[-4000:]
        raise Failed(f"{' '.join(command)}\n{'went through' if fails else 'failed'}:\n{said}")
    return result.stdout + (result.stderr if both else "")


def expect(holds, words):
    if not holds:
        raise Failed(words)


def fresh(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def files_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def headers():
    return [f"include/{name}" for name in files_of(ROOT / "include") if name.endswith((".hpp", ".cppm", ".py", ".natvis"))]


def expect_files(folder, expected):
    here, expected = set(files_of(folder)), set(expected)
    expect(here == expected, f"{folder} lacks {sorted(expected - here)} and should not have {sorted(here - expected)}")


def expect_works(said):
    expect(said == f"slotwise {VERSION}: works\n", f"the program said: {said}")


def use(work, prefix, lines, sources="main.cpp"):
    """A project with a target `main` and these lines, which find slotwise below the prefix, if there is one, and nowhere else."""
    project = work / "project"
    project.mkdir()
    declare = f"add_executable(main {' '.join((ROOT / 'tests/consumer' / each).as_posix() for each in sources.split())})\n"
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.23)\nproject(consumer LANGUAGES CXX)\n" + declare + lines)
    run("cmake", *USUAL, "-S", project, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    cache = (work / "build/CMakeCache.txt").read_text()
    expect(not prefix or f"slotwise_DIR:PATH={prefix}/" in cache, f"slotwise was found elsewhere than below {prefix}")
    run("cmake", "--build", work / "build")
    expect_works(run(work / "build" / "main"))


def consumer(name, cmake="cmake", generator=GENERATOR, compiler=CXX, **environment):
    """A project of tests/consumer, with slotwise as this folder has it and with an installed one."""
    run(cmake, f"-Dproject={ROOT / 'tests/consumer' / name}", f"-Dwork={fresh(name)}", f"-Dslotwise_source={ROOT}", f"-Dslotwise_version={VERSION}",
        f"-Dgenerator={generator}", f"-Dcompiler={compiler}", "-P", ROOT / "tests/consumer/run.cmake", **environment)


def venv(*packages):
    """The programs of a virtual environment that has these of the Python package index."""
    programs = WORK / "venv" / "bin"
    if not (programs / "pip").exists():
        run(sys.executable, "-m", "venv", WORK / "venv")
    run(programs / "pip", "install", "--quiet", *packages)
    return programs


def conan():
    work = fresh("conan")
    tool = venv("conan>=2,<3") / "conan"

    def ask(*arguments, **more):
        return run(tool, *arguments, CONAN_HOME=str(work / "home"), CXX=CXX, **more)

    ask("profile", "detect")
    ask("remote", "remove", "*")
    expect(json.loads(ask("remote", "list", "--format=json")) == [], "Conan still has remotes")
    build = ["-c", f"tools.cmake.cmaketoolchain:generator={GENERATOR}", "-c", f"tools.build:compiler_executables={{'cpp': '{CXX}'}}"]
    said = ask(*re.search(r"`conan (create \. .*?)`", PAGE)[1].split(), *build, both=True)
    expect(f"slotwise {VERSION}: works\n" in said, f"the test package built no program that works:\n{said}")

    # What is in the package, and that it is the only one: taken for another standard and build type without being built again.
    reference = f"slotwise/{VERSION}"
    ask("install", f"--requires={reference}", "-s", "compiler.cppstd=23", "-s", "build_type=Debug", "--build=never",
        f"--output-folder={work}")
    revisions = json.loads(ask("list", f"{reference}:*", "--format=json"))["Local Cache"][reference]["revisions"]
    packages = [package for revision in revisions.values() for package in revision["packages"]]
    expect(len(packages) == 1, f"there should be one package for all settings: {packages}")
    folder = pathlib.Path(ask("cache", "path", f"{reference}:{packages[0]}").strip())
    expect_files(folder, headers() + ["licenses/LICENSE", "conaninfo.txt", "conanmanifest.txt"])

    said = ask(*re.search(r"`conan (create \. .*?)`", PAGE)[1].split(), "-o", "&:compiled=True", *build, both=True)
    expect(f"slotwise {VERSION}: works\n" in said, f"the test package built no program with the compiled library that works:\n{said}")

    said = ask("create", ROOT, "-s", "compiler.cppstd=17", "--test-folder=", fails=True, both=True)
    expect("lower than the required C++ standard (20)" in said, f"Conan refuses C++17, but not by saying so:\n{said}")


def vcpkg():
    work = fresh("vcpkg")
    port = ROOT / re.search(r"--overlay-ports=slotwise/(\S+)", PAGE)[1]
    manifest = json.loads((port / "vcpkg.json").read_text(encoding="utf-8"))
    told = {name: manifest[name] for name in ("name", "version", "license")}
    expect(told == {"name": "slotwise", "version": VERSION, "license": "MIT"}, f"vcpkg.json says {told}")
    used = {name for name in ("vcpkg-cmake", "vcpkg-cmake-config") if f"{name.replace('-', '_')}_" in (port / "portfile.cmake").read_text()}
    asked = {dependency["name"] for dependency in manifest["dependencies"] if dependency["host"] is True}
    expect(used == asked, f"portfile.cmake uses {used}, vcpkg.json asks for {asked}")

    run("cmake", f"-Dwork={work}", f"-Dport={port}", f"-Dgenerator={GENERATOR}", f"-Dcompiler={CXX}", "-P", ROOT / "tests/package/vcpkg_stubs.cmake")
    package = work / "package"
    expect_files(package, headers() + ["share/pkgconfig/slotwise.pc"] + [
        f"share/slotwise/{name}" for name in ("copyright", "usage", *CMAKE_FILES)])
    usage = (package / "share/slotwise/usage").read_text()
    lines = re.findall(r"^    (.*)\n", usage, re.M)
    expect(lines, "the usage text has no indented lines to copy")
    installed = work / "installed"  # where vcpkg puts it for its users
    package.rename(installed)
    use(work, installed, "\n".join(lines) + "\n")
    compiled = fresh("vcpkg_compiled")
    run("cmake", f"-Dwork={compiled}", f"-Dport={port}", f"-Dgenerator={GENERATOR}", f"-Dcompiler={CXX}", "-DFEATURES=compiled", "-P", ROOT / "tests/package/vcpkg_stubs.cmake")
    use(compiled, compiled / "package", "\n".join(lines).replace("slotwise::slotwise", "slotwise::compiled") + "\n",
        "compiled/main.cpp compiled/part.cpp")  # a program that calls the compiled library


def archive_of(work):
    run("cmake", *USUAL, *(f"-DSLOTWISE_BUILD_{part}=OFF" for part in ("TESTS", "BENCH", "EXAMPLES")), "-S", ROOT, "-B", work / "slotwise")
    run("cpack", "-B", work, cwd=work / "slotwise")
    archives = [path.name for path in work.glob("*.tar.gz")]
    expect(archives == [f"slotwise-{VERSION}.tar.gz"], f"the archives are {archives}")
    return work / archives[0]


def cpack():
    work = fresh("cpack")
    with tarfile.open(archive_of(work)) as archive:
        archive.extractall(work)
    unpacked = work / f"slotwise-{VERSION}"
    expect(sorted(path.name for path in unpacked.iterdir()) == ["LICENSE", "include", "share"], f"{unpacked}: {files_of(unpacked)}")
    expect_files(unpacked, headers() + ["LICENSE", "share/licenses/slotwise/LICENSE", "share/pkgconfig/slotwise.pc"] + [
        f"share/cmake/slotwise/{name}" for name in CMAKE_FILES])
    use(work, unpacked, f"find_package(slotwise {VERSION} REQUIRED)\ntarget_link_libraries(main PRIVATE slotwise::slotwise)\n")


def compilers():
    """The oldest and the newest of each kind."""
    for kind, least in (("g++", 12), ("clang++", 16)):
        found = [name for name in [f"{kind}-{version}" for version in range(least, 40)] if shutil.which(name)] or [kind]
        yield from (shutil.which(name) for name in dict.fromkeys((found[0], found[-1])) if shutil.which(name))


def printed():
    work = fresh("printed")
    shutil.copytree(ROOT, work / "slotwise", ignore=shutil.ignore_patterns("build", "build-*", ".git", "__pycache__"))
    (work / "bin").mkdir()
    blocks, done = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S), set()
    for compiler in compilers():
        names = ["c++", "clang++"] if "clang" in compiler else ["c++"]
        for name in names:
            (work / "bin" / name).unlink(missing_ok=True)
            (work / "bin" / name).symlink_to(compiler)
        for block in blocks:
            if "clang++" in block and "clang++" not in names:
                continue
            source = "module/program/main.cpp" if "--precompile" in block else "main.cpp"
            text = (ROOT / "tests/consumer" / source).read_text(encoding="utf-8")
            (work / "app.cpp").write_text(text.replace("<slotwise/slotwise.hpp>", '"slotwise_single.hpp"') if "slotwise_single" in block else text)
            run("bash", "-euo", "pipefail", "-c", block, cwd=work, PATH=f"{work / 'bin'}{os.pathsep}{os.environ['PATH']}")
            done.add(block)
            if "-o app\n" in block:
                said = run(work / "app")
                expect(said.endswith(" works\n"), f"the program built by {compiler} with\n{block}said: {said}")
                (work / "app").unlink()
    expect(len(blocks) >= 4 and done == set(blocks), f"of {len(blocks)} blocks of docs/packages.md {len(done)} were run: is there no clang++?")


def module():
    programs, clang = venv("cmake>=3.28", "ninja>=1.11"), next((compiler for compiler in compilers() if "clang" in compiler), None)
    expect(clang, "the module is built by clang++ 16 or newer, and none is here (g++ 12 cannot build it); tools/dev setup module installs it")
    consumer("module", programs / "cmake", "Ninja", clang, SLOTWISE_MODULE_BY="cmake", PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")


def tag():
    url, block = run("git", "config", "remote.origin.url").strip(), re.search(r"^include\(FetchContent\)\n.*?(?=^```$)", PAGE, re.M | re.S)[0]
    block = block.replace("GIT_TAG main", f"GIT_TAG v{VERSION}").replace("your_target", "main")
    use(fresh("tag"), "", f'set(slotwise_repository "{url}")\n{block}')


def single():
    work, command = fresh("single"), re.search(r"`(slotwise/tools/dev amalgamate \S+ && sha256sum .*?)`", PAGE)[1]
    shutil.copy(release() / "SHA256SUMS", work)
    run("bash", "-ec", f"umask 077; git clone --quiet '{ROOT}' slotwise; {command}", cwd=work, LC_ALL="C", TZ="Asia/Tokyo")
    (work / "app.cpp").write_text((ROOT / "tests/consumer/main.cpp").read_text().replace("<slotwise/slotwise.hpp>", '"slotwise_single.hpp"'))
    for compiler in compilers():
        run(compiler, "-std=c++20", work / "app.cpp", "-o", work / "app")
        expect_works(run(work / "app"))


def pip(source):
    work = fresh("pip")
    run(sys.executable, "-m", "venv", work)
    run(work / "bin/pip", "install", "--quiet", source, CXX=CXX)
    expect_works(run(work / "bin/python", "-c", "import slotwise; m = slotwise.Map(key=int, value=float); m[1] = 0.5; "
                     "print(f'slotwise {slotwise.__version__}:', 'works' if 2 not in m and m.column('value')[0] == 0.5 else m)", cwd=work))


def readme():
    commands = re.findall(r"^(tools/dev \w+) +#", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    expect(commands, "README.md has no commands")
    run("bash", "-ec", "\n".join(commands))


def release():
    """What a release has, beside wheels that are there; the sdist has the name of the archive."""
    folder = ROOT / "build/release_files"
    run("bash", "-ec", f"mkdir -p '{folder}'; find '{folder}' -type f -not -name '*.whl' -delete")
    run(sys.executable, "tools/amalgamate.py", folder / "slotwise_single.hpp")
    shutil.copy(archive_of(fresh("archive")), folder / f"slotwise-{VERSION}-headers.tar.gz")
    run(venv("build") / "python", "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (folder / "SHA256SUMS").write_text(run("bash", "-c", "sha256sum -- *", cwd=folder))
    return folder


def check_release():
    changed, first = run("git", "status", "--porcelain"), re.search(r"^## .*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0]
    expect(not changed, f"this is not committed:\n{changed}")
    expect(re.fullmatch(rf"## {re.escape(VERSION)} \(\d{{4}}-\d\d-\d\d\)", first), f"the first section of CHANGELOG.md is '{first}'")
    store, clone = fresh("release") / "slotwise.git", WORK / "release/slotwise"
    run("git", "clone", "--quiet", "--bare", ROOT, store)
    run("git", "tag", "--force", f"v{VERSION}", cwd=store)
    run("git", "clone", "--quiet", "--branch", f"v{VERSION}", store, clone)
    os.execv(sys.executable, [sys.executable, str(clone / "tests/package/run.py"), *WAYS])


def arrow(quick):
    pin = re.search(r"^pyarrow==.*$", (ROOT / "python/requirements.txt").read_text(encoding="utf-8"), re.M)[0]
    python, work = venv(pin) / "python", fresh("arrow")
    library = run(python, "-c", "import pyarrow; pyarrow.create_library_symlinks(); print(pyarrow.get_library_dirs()[0])").strip()
    for name, flags in (("plain", ["-O1"]), ("sanitized", "-O0 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all".split()))[:1 if quick else 2]:
        run(CXX, "-std=c++20", *flags, "-Iinclude", "-isystem", f"{library}/include", "tests/package/libarrow/main.cpp", "-o", work / name,
            f"-L{library}", "-larrow", f"-Wl,-rpath,{library}")
        print(run(work / name, *["--quick"] * quick), end="", flush=True)


PACKAGES = {"conan": conan, "vcpkg": vcpkg, "cpack": cpack, "printed": printed, "module": module}
WAYS = {"stated": functools.partial(run, sys.executable, "tools/check_readme.py"), "tag": tag, **PACKAGES, "single": single,
        **{name: functools.partial(consumer, name) for name in ("subdirectory", "find_package", "pkg_config", "compiled")},
        "pip": lambda: pip(ROOT), "sdist": lambda: pip(release() / f"slotwise-{VERSION}.tar.gz"), "readme": readme}


def main():
    parser = arguments(__doc__, "--quick", "--check")
    parser.add_argument("ways", nargs="*", metavar="WAY", default=PACKAGES)
    given = parser.parse_args()
    ways, failed = {**WAYS, "arrow": lambda: arrow(given.quick), "release": check_release if given.check else release}, 0
    for way in given.ways:
        if way not in ways:
            parser.error(f"there is no way '{way}'; there are {', '.join(ways)}")
    for way in given.ways:
        try:
            ways[way]()
            print(f"{way}: works", flush=True)
        except Failed as failure:
            failed += 1
            print(f"{way}: {failure}", file=sys.stderr, flush=True)
    print(f"slotwise {VERSION}: {len(given.ways) - failed} ways work, {failed} do not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
