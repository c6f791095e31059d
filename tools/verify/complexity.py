#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Operations cost what their @complexity says: executed basic blocks, counted at several sizes, never time.

  complexity.py

tests/proof/complexity.cpp counts single operations, tests/proof/growth.cpp what users do in a row, in every container. Both are compiled by g++
with -fsanitize-coverage=trace-pc, fail when a cost grows faster or slower than is claimed, and when their controls do not fail.
"""
import re
import sys

import proof


def counted(source, folder=proof.BUILD / "complexity"):
    """(what a program says, its rows, what is wrong with it)"""
    folder.mkdir(parents=True, exist_ok=True)
    classes = re.findall(r"^class (\w+);", (proof.INCLUDE / "slotwise" / "fwd.hpp").read_text(encoding="utf-8"), re.M)  # as tests/CMakeLists.txt does it
    (folder / "slotwise_public_classes.inc").write_text("".join(f"SLOTWISE_PUBLIC_CLASS({name})\n" for name in sorted(set(classes))))
    program = folder / source.stem
    built = proof.run([proof.gcc(), "-std=c++20", "-O1", "-fsanitize-coverage=trace-pc", "-DSLOTWISE_CHECK_LEVEL=1", f"-I{proof.INCLUDE}",
                       f"-I{proof.TESTS}", f"-I{folder}", source, "-o", program], timeout=1800)
    if not built.ok:
        return "", 0, [f"{source} does not compile:\n{built.output[-3000:]}"]
    ran = proof.run([program], timeout=1800)
    wrong = re.findall(r"^FAIL.*", ran.output, re.M)
    return ran.output, len(re.findall(r"^(?:ok|FAIL)\s", ran.output, re.M)), wrong or ([] if ran.ok else [f"{program} ended with {ran.code}"])


def main():
    proof.arguments(__doc__).parse_args()
    results = [result for _, result in proof.parallel(counted, [proof.TESTS / "proof" / f"{name}.cpp" for name in ("complexity", "growth")])]
    print(*(said for said, _, _ in results), sep="", end="")
    wrong, rows = [each for _, _, wrong in results for each in wrong], [count for _, count, _ in results]
    print(*wrong, f"complexity: {sum(rows)} operations and sequences counted, {len(wrong)} not as promised", sep="\n")
    return 1 if wrong or not all(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
