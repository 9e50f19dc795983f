#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests scripts/mutate.py and scripts/coverage.py on a program of two functions.

    trust_scripts.py SCRIPTS    exit code 77: no ninja, g++, gcov or git
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SCRIPTS))
import coverage  # noqa: E402
import mutate  # noqa: E402

SOURCE = """int larger(int a, int b) {
    return (a) < (b) ? b : a;
}
int sum_to(int n) {
    int sum = 0;
    for (int i = 0; i <= n; ++i) sum += i;
    if (n == 1000) {
        return -1;
    }
    return sum;
}
"""
PROGRAM = """int larger(int, int);
int sum_to(int);
int main(int, char**) { return larger(2, 3) == 3 && larger(3, 2) == 3 && larger(4, 4) == 4 && sum_to(4) == 10 ? 0 : 1; }
"""
HANDLED = """#include <stdexcept>
#include <string>
#include <vector>
std::vector<int> filled(int n) {
    std::vector<int> v(std::size_t(n), 1);
    return v;
}
std::string text(int n, std::string const& s) {
    return n > 3 ? "a" + s + "b" : s + "c";
}
int checked(int n) {
    if (n < 0) throw std::invalid_argument("n is " + std::to_string(n));
    return n;
}
int handled(int n) {
    try {
        return checked(n);
    } catch (std::out_of_range const&) {
        return n < -9 ? 1 : 2;
    } catch (std::invalid_argument const&) {
        return 3;
    }
}
#include "c.hpp"
int excused(int n) { // not covered: a reason
    if (n > 5)
        return 1;
    return 0;
}
// not covered: another reason
int never() { return 1; }
int never_either() { return 2; }

int main(int, char**) {
    return filled(2)[1] + text(5, "x").size() + text(1, "x").size() + handled(-1) + handled(2) + halved(1) + halved(4L) + halved<short>(1) != 13;
}
"""
HEADER = """template <class T>
T halved(T x) {
    return x < T(2) ? T(0) : x / T(2);
}
"""
TESTS = """#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
int larger(int, int);
int sum_to(int);
TEST_CASE("larger, of equal numbers too") {
    CHECK(larger(2, 3) == 3);
    CHECK(larger(3, 2) == 3);
    CHECK(larger(4, 4) == 4);
}
TEST_CASE("sum_to") { CHECK(sum_to(4) == 10); }
"""
NINJA = """rule cxx
  command = g++ -std=c++20 -include {scripts}/mutants.hpp -MD -MF $out.d -c $in -o $out
  deps = gcc
  depfile = $out.d
rule link
  command = g++ $in -o $out
build a.o: cxx {tree}/core/a.cpp
build main.o: cxx {tree}/tests/support/main.cpp
build bin/coppice_test_core: link a.o main.o
build coppice_test_core: phony bin/coppice_test_core
"""


def mutations(folder):
    tree, build = folder / "tree", folder / "build"
    (tree / "core").mkdir(parents=True)
    (tree / "tests" / "support").mkdir(parents=True)
    (build / "bin").mkdir(parents=True)
    (tree / "core" / "a.cpp").write_text(SOURCE)
    (tree / "tests" / "support" / "main.cpp").write_text(TESTS)
    (build / "build.ninja").write_text(NINJA.format(tree=tree, scripts=SCRIPTS))
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Test"]):
        subprocess.run(["git", "-C", tree, *words], check=True)
    mutate.PROGRAMS = ["coppice_test_core"]
    sys.argv = ["mutate.py", "--tree", str(tree), "--build", str(build), "--state", str(folder / "state"),
                "--out", str(folder / "record.json")]
    assert mutate.main() == 0
    results = [json.loads(line) for line in (folder / "state").read_text().splitlines()]
    by_place = {(r["line"], SOURCE.splitlines()[r["line"] - 1][r["begin"]:].split(" ")[0]): r["outcome"] for r in results}
    assert by_place == {(2, "<"): "survived", (6, "<="): "found", (6, "+="): "found", (7, "=="): "found"}, results
    record = json.loads((folder / "record.json").read_text())
    assert (record["tried"], record["found"], record["equivalent"], len(record["survivors"])) == (4, 3, 0, 1), record
    noted = (folder / "state").read_text().replace('"note": ""', '"note": "equivalent: both are the same number"')
    (folder / "state").write_text(noted)
    assert mutate.main() == 0  # goes on after the results that it has
    assert (folder / "state").read_text() == noted
    assert json.loads((folder / "record.json").read_text())["tried"] == 3


def executed_lines(folder):
    (folder / "core").mkdir()
    (folder / "core" / "a.cpp").write_text(SOURCE)
    (folder / "main.cpp").write_text(PROGRAM)
    subprocess.run(["g++", "--coverage", "core/a.cpp", "main.cpp", "-o", "program"], cwd=folder, check=True)
    subprocess.run([folder / "program"], cwd=folder, check=True)
    coverage.ROOT = folder
    reports = coverage.gather(folder, 1)
    folders, uncovered, _ = coverage.summary(reports)
    assert list(reports) == ["core/a.cpp"], list(reports)
    assert "core/a.cpp:8: not executed" in uncovered, uncovered
    assert any(u.startswith("core/a.cpp:7: 1 of 2 branches") for u in uncovered), uncovered
    figures = folders["core"]
    assert figures["lines"] - figures["lines executed"] == 1, figures


def lines_with_exceptions(folder):
    (folder / "core").mkdir()
    (folder / "core" / "b.cpp").write_text(HANDLED)
    (folder / "core" / "c.hpp").write_text(HEADER)
    subprocess.run(["g++", "--coverage", "core/b.cpp", "-o", "program"], cwd=folder, check=True)
    subprocess.run([folder / "program"], cwd=folder, check=True)
    coverage.ROOT = folder
    folders, uncovered, reasons = coverage.summary(coverage.gather(folder, 1))
    handler = ["core/b.cpp:18: 2 of 3 branches not taken", "core/b.cpp:19: not executed"]  # of 3: also an unknown exception
    assert uncovered == handler, uncovered  # no calls, no destructors, no closing brackets; instantiations are combined
    assert reasons == [*(f"core/b.cpp:{line}: a reason" for line in (25, 26, 27, 28)),
                       *(f"core/b.cpp:{line}: another reason" for line in (31, 32))], reasons
    assert folders["core"]["branches"] - folders["core"]["branches taken"] == 4, folders  # those of lines 18 and 19


def instantiations_in_a_line(_):
    def branches(*counts):
        return [{"count": count, "throw": False, "fallthrough": k % 2 == 0} for k, count in enumerate(counts)]

    function = {"start_line": 2, "start_column": 1, "end_line": 4}
    found = coverage.report()
    lines = [{"line_number": 3, "count": 9, "branches": branches(5, 0, 0, 4)},  # two instantiations take a way each
             {"line_number": 7, "count": 9, "branches": branches(5, 0, 0, 4)}]  # two conditions of no template
    coverage.add_file(found, {"functions": [function, function], "lines": lines}, {})
    assert coverage.taken(found[1][3]) == (2, 2), found
    assert coverage.taken(found[1][7]) == (2, 4), found


def main():
    if not all(map(shutil.which, ("ninja", "g++", "gcov", "git"))):
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        for number, test in enumerate((mutations, executed_lines, lines_with_exceptions, instantiations_in_a_line)):
            folder = Path(scratch).resolve() / str(number)
            folder.mkdir()
            test(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
