#!/usr/bin/env python3
"""Overhead of processes of glycine-mpi: the same command on as many processors, as threads of one process and as processes
with a thread each. Both take turns, on the same processors. Writes the table of docs/machines.md: median times, the median of
the ratios of each turn, and the same of the processor time, which depends less on other work of the machine. The outputs must
have the same bytes.

No turn begins that would end after --minutes; there is at least one.

Usage: scripts/mpi_overhead.py [--build build/release | --glycine PROGRAM --glycine-mpi PROGRAM] [--minutes 7.5] [--turns 5]
                               [--ranks 2] [--sizes short,long,larger] [--only distance,bounds]
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", GLYCINE_CACHE="off")

SIZES = ["short", "long", "larger"]
# Command, ending of its output, the size in words, how to make the input, and the numbers of each of SIZES.
CASES = {
    "distance": ("distance g.bed", "npy", "{:,} × {:,} genotypes", "genotypes --instances {} --attributes {} -o g.bed",
                 [(5000, 20000), (5000, 200000), (10000, 200000)]),
    "mutualinfo": ("mutualinfo e.tsv", "npy", "{:,} genes × {:,} samples", "expression --genes {} --samples {} -o e.tsv",
                   [(2000, 300), (2000, 2000), (3000, 2000)]),
    "pairwise": ("pairwise s.fa", "npy", "{:,} proteins of 300 residues", "sequences --sequences {} --length 300 -o s.fa",
                 [(400,), (1500,), (2500,)]),
    "crossapen": ("crossapen x.edf --epoch 1024", "npz", "a file of 64 channels, {} epochs",
                  "signals --channels 64 --samples 1024 --epochs {} -o x.edf", [(16,), (128,), (256,)]),
    "bounds": ("bounds b.npz --variant dense", "npz", "{:,} atoms", "bounds --atoms {} --known 0.3 -o b.npz",
               [(2048,), (6144,), (7168,)]),
}


def run(command, folder):
    """Seconds and processor seconds, those of all processes that it starts included."""
    started = time.monotonic()
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {(folder / 'log').read_text()}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime


class Comparison:
    """One row of the table: a command as one process and as several."""

    def __init__(self, label, folder, one, many, outputs=()):
        self.label, self.folder, self.one, self.many, self.outputs = label, folder, one, many, outputs
        self.turns = []

    def take_turn(self):
        self.turns.append((*run(self.one, self.folder), *run(self.many, self.folder)))
        contents = [(self.folder / output).read_bytes() for output in self.outputs]
        if len(set(contents)) > 1:
            sys.exit(f"{self.label}: the outputs differ")
        for output in self.outputs:
            (self.folder / output).unlink()

    def row(self, hasRatios):
        one, own, many, all = [statistics.median(column) for column in zip(*self.turns)]
        ratio, processor = ("", "")
        if hasRatios:
            ratio = f"{statistics.median(turn[2] / turn[0] for turn in self.turns):.2f}"
            processor = f"{statistics.median(turn[3] / turn[1] for turn in self.turns):.2f}"
        return f"| {self.label} | {one:.2f} s | {many:.2f} s | {ratio} | {own:.2f}, {all:.2f} s | {processor} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release", help="folder of both programs")
    parser.add_argument("--glycine", help="the program for one process")
    parser.add_argument("--glycine-mpi", help="the program for several")
    parser.add_argument("--turns", type=int, default=5, help="at most")
    parser.add_argument("--minutes", type=float, default=7.5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--only", default=",".join(CASES))
    options = parser.parse_args()
    begun = time.monotonic()
    build = pathlib.Path(options.build)
    glycine = pathlib.Path(options.glycine or build / "glycine").resolve()
    glycine_mpi = pathlib.Path(options.glycine_mpi or build / "glycine-mpi").resolve()
    if not glycine_mpi.exists() or not shutil.which("mpirun"):
        print("no glycine-mpi or no mpirun: nothing to do")
        return
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:options.ranks]))
    bound = ["taskset", "-c", processors]
    mpirun = [*bound, "mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(options.ranks), glycine_mpi]
    # Where they have all processors of the machine, processes share them by themselves.
    one_thread = [] if options.ranks == os.cpu_count() else ["--threads", "1"]
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        start = Comparison("start and end alone", folder, [*bound, glycine, "--version"], [*mpirun, "--version"])
        comparisons = [start]
        for case in options.only.split(","):
            command, ending, words, making, numbers = CASES[case]
            for size in options.sizes.split(","):
                place = folder / f"{case}-{size}"
                place.mkdir()
                of_size = numbers[SIZES.index(size)]
                run([glycine, "generate", *making.format(*of_size).split()], place)
                outputs = [f"one.{ending}", f"many.{ending}"]
                common = [*command.split(), "--backend", "cpu", *(["--restart"] if case != "bounds" else [])]
                comparisons.append(Comparison(
                    f"`{case}`, {words.format(*of_size)}", place,
                    [*bound, glycine, *common, "--threads", str(options.ranks), "-o", outputs[0]],
                    [*mpirun, *common, *one_thread, "-o", outputs[1]], outputs))
        longest = 0
        for turn in range(options.turns):
            if turn > 0 and time.monotonic() - begun + longest > 60 * options.minutes:
                break
            before = time.monotonic()
            for comparison in comparisons:
                comparison.take_turn()
            longest = max(longest, time.monotonic() - before)
        print(f"{options.ranks} processes of a thread each, and {options.ranks} threads of one process, on processors "
              f"{processors}; {len(start.turns)} turns; load {load:.1f} before them\n")
        print("| run | one process | processes | ratio | processor time of both | ratio |")
        print("|---|---|---|---|---|---|")
        for comparison in comparisons:
            print(comparison.row(comparison is not start))


main()
