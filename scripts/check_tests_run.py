#!/usr/bin/env python3
"""Holds that every test which the given builds contain is run by CTest in one of them.

Usage: scripts/check_tests_run.py BUILD_FOLDER…

The builds of .ci/run share the tests: each runs whole programs under a filter (tests/CMakeLists.txt). A test that no filter takes
would never be asked, and nobody would notice. Prints how many tests there are, and those that nothing runs.
"""

import concurrent.futures
import json
import os
import subprocess
import sys


def tests_of(program, *arguments):
    """The names of a GoogleTest program's tests: Suite.Test, parameters included."""
    output = subprocess.run(
        [program, "--gtest_list_tests", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        # Shards list a part only; leaks of drivers that are loaded for the list are none of this script's.
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
    ).stdout
    names, suite = set(), ""
    for line in output.splitlines():
        name = line.split("#")[0].rstrip()
        if name.endswith(".") and not name.startswith(" "):
            suite = name
        elif name.startswith("  ") and suite:
            names.add(suite + name.strip())
    return names


def runs_of(folder):
    """(program, filter) of each GoogleTest run that CTest knows in a build folder."""
    shown = json.loads(
        subprocess.run(
            ["ctest", "--test-dir", folder, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    )
    runs = set()
    for test in shown["tests"]:
        program, *arguments = test["command"]
        filters = [argument for argument in arguments if argument.startswith("--gtest_filter=")]
        if filters:
            runs.add((program, filters[0]))
    return runs


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.split("\n\n")[1])
    runs = set()
    for folder in sys.argv[1:]:
        found = runs_of(folder)
        if not found:
            sys.exit(f"{folder}: CTest knows no GoogleTest program there")
        runs |= found
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as processes:
        there = set().union(*processes.map(tests_of, {program for program, _ in runs}))
        run = set().union(*processes.map(lambda one: tests_of(*one), runs))
    lacking = sorted(there - run)
    if lacking:
        print("No build runs these tests (left_to_optimised and optimised_tests in tests/CMakeLists.txt):", *lacking, sep="\n  ")
        sys.exit(1)
    print(f"Tests: {len(there)}, each is run")


if __name__ == "__main__":
    main()
