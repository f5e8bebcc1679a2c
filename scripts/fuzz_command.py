#!/usr/bin/env python3
"""Fuzzes the command: random inputs and options, compared with small independent references.

Usage: scripts/fuzz_command.py --program build/release/glycine [--seconds N] [--seed N] …

Every case follows from the seed and its number: --seed N --case K runs it again. docs/testing.md lists the comparisons.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from random import Random

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fuzz_command import bounds, distance, entropy, hostile, information, others, sequences, trees  # noqa: E402
from fuzz_command.case import Backends, Case, Failure, Refused  # noqa: E402

KINDS = [kind for module in (bounds, distance, information, sequences, trees, entropy, others, hostile) for kind in module.KINDS]


class Settings:
    """Settings of all cases: the program, its backends, the folder for failed cases."""

    def __init__(self, program, work):
        self.program, self.work = os.path.abspath(program), os.path.abspath(work)
        self.hang_seconds = None
        run = lambda *arguments: subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout
        info = json.loads(run("info", "--json"))
        sets = ["generic", "avx2", "avx512"]
        named = " ".join(f["value"] for b in info["backends"] if b["name"] == "cpu" for f in b["features"])
        sets = sets if "AVX-512" in named else sets[:2] if "AVX2" in named else sets[:1]
        self.version = run("--version").split("\n")[0]
        self.backends = Backends(json.loads(run("list", "--json")), sets)


def kind_of(seed, number):
    draw = Random(f"{seed} {number}")
    return draw.choices(KINDS, weights=[kind[2] for kind in KINDS])[0]


def run_case(settings, seed, number, keep=False):
    """Returns (command, kind, outcome, text); outcome: passed, failed or refused; text: details."""
    command, function, _ = kind_of(seed, number)
    kind = function.__name__
    os.makedirs(settings.work, exist_ok=True)
    folder = tempfile.mkdtemp(prefix=f"{command}-{seed}-{number}-", dir=settings.work)
    case = Case(settings, command, seed, number, folder)
    try:
        function(case)
        outcome, text = "passed", ""
    except Refused as refusal:
        outcome, text = "refused", str(refusal).strip()
    except Failure as failure:
        outcome = "failed"
        text = f"what      {failure.what}\nexpected  {failure.expected}\nfound     {failure.found}"
    except Exception:  # the program's output is unreadable, or the fuzzer has a bug
        outcome, text = "failed", "what      the fuzzer met something unforeseen\n" + traceback.format_exc()
    if outcome == "failed":
        runs = "\n".join(f"run       cd {folder} && {line}" for line in case.commands[-3:])
        text = f"FAILED    {command} ({kind}), --seed {seed} --case {number}\n{runs}\n{text}\n"
    if outcome != "failed" and not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return command, kind, outcome, text


def selected(numbers, seed, only):
    return (number for number in numbers if not only or {kind_of(seed, number)[0], kind_of(seed, number)[1].__name__} & only)


def run_all(settings, seed, arguments, only):
    """Runs cases until the time or the number of cases is reached: {command: {outcome: number}}."""
    deadline = time.monotonic() + arguments.seconds if arguments.cases is None else None
    count = arguments.cases if arguments.cases is not None else sys.maxsize
    numbers = selected(range(arguments.first, arguments.first + count), seed, only)
    table = collections.defaultdict(collections.Counter)
    kinds = collections.Counter()
    printed = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = set()
        more = True
        while more or waiting:
            while more and len(waiting) < 2 * arguments.jobs:
                number = None if deadline and time.monotonic() > deadline else next(numbers, None)
                if number is None:
                    more = False
                    break
                waiting.add(pool.submit(run_case, settings, seed, number, arguments.keep))
            done, waiting = concurrent.futures.wait(waiting, timeout=10, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                command, kind, outcome, text = future.result()
                table[command][outcome] += 1
                kinds[kind] += 1
                if outcome == "failed":
                    print(text, flush=True)
                elif arguments.verbose:
                    print(f"{outcome:8} {command} ({kind}) {text[:200]}", flush=True)
            if time.monotonic() - printed > 60:
                printed = time.monotonic()
                print(f"{sum(kinds.values())} cases, {sum(row['failed'] for row in table.values())} failed", flush=True)
    return table


def print_table(table):
    print(f"{'command':<12} {'passed':>8} {'refused':>8} {'failed':>8}")
    for command in sorted(table):
        print(f"{command:<12} {table[command]['passed']:>8} {table[command]['refused']:>8} {table[command]['failed']:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/release/glycine", help="command to test (default: build/release/glycine)")
    parser.add_argument("--seconds", type=float, default=60, help="time during which cases begin (default: 60)")
    parser.add_argument("--cases", type=int, help="number of cases, without a time limit")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default: 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of parallel cases (default: all processors)")
    parser.add_argument("--seed", type=int, help="random seed (default: from the date)")
    parser.add_argument("--case", type=int, help="run only this case; its folder is kept")
    parser.add_argument("--only", default="", help="only these commands or kinds of cases, separated by commas")
    parser.add_argument("--work", default="fuzz-work/command", help="folder of the cases; failed cases are kept (default: fuzz-work/command)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of all cases")
    parser.add_argument("--verbose", action="store_true", help="print one line per case")
    parser.add_argument("--self-test", action="store_true", help="plant faults and check that each is found")
    arguments = parser.parse_args()
    only = {name for name in arguments.only.split(",") if name}
    unknown = only - {name for kind in KINDS for name in (kind[0], kind[1].__name__)}
    if unknown:
        parser.error(f"--only {', '.join(sorted(unknown))}: known are {', '.join(sorted({k[0] for k in KINDS}))}, and "
                     f"{', '.join(sorted({k[1].__name__ for k in KINDS}))}")
    if not os.access(arguments.program, os.X_OK):
        parser.error(f"{arguments.program}: no program")
    settings = Settings(arguments.program, arguments.work)
    if arguments.self_test:
        from fuzz_command import self_test
        return self_test.run(settings, run_case, kind_of, only, arguments.jobs)
    seed = arguments.seed if arguments.seed is not None else int(datetime.date.today().strftime("%Y%m%d"))
    print(f"{settings.version}; --seed {seed}", flush=True)
    if arguments.case is not None:
        command, kind, outcome, text = run_case(settings, seed, arguments.case, keep=True)
        print(text or f"{outcome}: {command} ({kind})")
        table = {command: collections.Counter({outcome: 1})}
    else:
        table = run_all(settings, seed, arguments, only)
        print_table(table)
    failed = sum(row["failed"] for row in table.values())
    print(f"{sum(row['passed'] + row['refused'] for row in table.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
