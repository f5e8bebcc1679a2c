#!/usr/bin/env python3
"""Compares `glycine plan` with runs of some seconds. Each algorithm first runs on a sample, as one process; its report
(--json) is what the plan takes. Then the whole runs as one process and as 2 and 4 processes of glycine-mpi on this machine.
Writes the table of docs/machines.md: planned and measured seconds, and their ratio.

Other programs make runs longer, so sample and whole take turns, and the shortest of --turns counts. On a machine with other
work, --processor-time compares processor seconds instead: planned seconds are multiplied by the processors that the sample
kept busy.

The exit code is 1 if a ratio is further than --tolerance from 1. No turn begins that would end after --minutes; there is at
least one.

Usage: scripts/plan_check.py [--build build/release] [--turns 3] [--minutes 20] [--ranks 2,4] [--only distance,bounds]
                             [--tolerance 0.2] [--processor-time]
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", GLYCINE_CACHE="off")

# Command and input, how to make the input, the size in words, ending of the output, and --size. Each with the numbers of the sample
# and of the whole. A run of crossapen has its channels and samples from the sample's report.
CASES = {
    "distance": ("distance {}.bed", "genotypes --instances {} --attributes {} -o {}.bed", "{:,} × {:,} genotypes", "npy", "{}x{}",
                 (2500, 40000), (6000, 160000)),
    "mutualinfo": ("mutualinfo {}.tsv", "expression --genes {} --samples {} -o {}.tsv", "{:,} genes × {:,} samples", "npy",
                   "{}x{}", (700, 1000), (2000, 2000)),
    "pairwise": ("pairwise {}.fa", "sequences --sequences {} --length {} -o {}.fa", "{:,} proteins of {} residues", "npy", "{}",
                 (500, 300), (1500, 300)),
    "crossapen": ("crossapen {}.edf --epoch 1024", "signals --channels 64 --samples 1024 --epochs {1} -o {2}.edf",
                  "{:,} file of 64 channels, {} epochs", "npz", "{}x{}", (1, 24), (1, 128)),
    "bounds": ("bounds {}.npz --variant dense", "bounds --atoms {0} --known 0.3 -o {2}.npz", "{:,} atoms", "npz", "{}",
               (2048, 2048), (5120, 5120)),
}


def run(command, folder):
    """Seconds, processor seconds of all processes that it starts, and its output."""
    started = time.monotonic()
    with open(folder / "out", "w+") as out, open(folder / "errors", "w+") as errors:
        process = subprocess.Popen([str(word) for word in command], cwd=folder, env=ENVIRONMENT, stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (out, errors):
            stream.seek(0)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {errors.read()}")
        return seconds, usage.ru_utime + usage.ru_stime, out.read()


class Case:
    """An algorithm's sample, and its whole by one process and by several."""

    def __init__(self, name, folder, glycine, glycine_mpi, ranks):
        self.name, self.folder, self.glycine = name, folder, glycine
        command, making, self.words, ending, self.size_option, self.sample, self.whole = CASES[name]
        folder.mkdir()
        for size, file in ((self.sample, "sample"), (self.whole, "whole")):
            run([glycine, "generate", *making.format(*size, file).split()], folder)
        common = ["--backend", "cpu", "--json", *(["--restart"] if name != "bounds" else [])]
        words_of = lambda file: [*command.format(file).split(), *common, "-o", f"{file}-result.{ending}"]
        self.of_sample = [glycine, *words_of("sample")]
        self.runs = {1: [glycine, *words_of("whole")]}
        for processes in ranks:
            self.runs[processes] = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", processes, glycine_mpi, *words_of("whole")]
        self.sampled, self.measured = [], {processes: [] for processes in self.runs}

    def take_turn(self):
        self.sampled.append(run(self.of_sample, self.folder))
        for processes, command in self.runs.items():
            self.measured[processes].append(run(command, self.folder)[:2])

    def rows(self, by_processors):
        """(run, processes, planned, measured) of the shortest turns."""
        seconds, processor_seconds, report = min(self.sampled, key=lambda turn: turn[1 if by_processors else 0])
        (self.folder / "run.json").write_text(report)
        busy = processor_seconds / seconds if by_processors else 1
        size = self.size_option.format(*self.whole)
        label = f"`{self.name}`, {self.words.format(*self.whole)}"
        for processes, turns in self.measured.items():
            plan = json.loads(run([self.glycine, "plan", self.name, "--size", size, "--devices", processes, "--report", "run.json",
                                   "--json"], self.folder)[2])
            yield label, processes, plan["seconds"] * busy, min(turn[1 if by_processors else 0] for turn in turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release", help="folder of both programs")
    parser.add_argument("--turns", type=int, default=3, help="at most")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--ranks", default="2,4", help="numbers of processes of glycine-mpi")
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--tolerance", type=float, default=0.2, help="largest distance of a ratio from 1")
    parser.add_argument("--processor-time", action="store_true", help="compare processor time, for a machine with other work")
    options = parser.parse_args()
    begun = time.monotonic()
    build = pathlib.Path(options.build).resolve()
    ranks = [int(number) for number in options.ranks.split(",") if number]
    if ranks and not ((build / "glycine-mpi").exists() and shutil.which("mpirun")):
        print("no glycine-mpi or no mpirun: one process alone")
        ranks = []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        cases = [Case(case, pathlib.Path(name) / case, build / "glycine", build / "glycine-mpi", ranks)
                 for case in options.only.split(",")]
        longest = 0
        for turn in range(options.turns):
            if turn > 0 and time.monotonic() - begun + longest > 60 * options.minutes:
                break
            before = time.monotonic()
            for case in cases:
                case.take_turn()
            longest = max(longest, time.monotonic() - before)
        rows = [row for case in cases for row in case.rows(options.processor_time)]
        turns = len(cases[0].sampled)
    unit = "processor seconds" if options.processor_time else "seconds"
    print(f"{unit.capitalize()} on {os.cpu_count()} processors, the shortest of {turns}; load {load:.1f} before them\n")
    print("| run | processes | planned | measured | planned / measured |")
    print("|---|---|---|---|---|")
    beyond = 0
    for label, processes, planned, measured in rows:
        print(f"| {label} | {processes} | {planned:.2f} s | {measured:.2f} s | {planned / measured:.2f} |")
        beyond += abs(planned / measured - 1) > options.tolerance
    if beyond:
        sys.exit(f"{beyond} of {len(rows)} plans are further than {options.tolerance:.0%} from the measured time")


main()
