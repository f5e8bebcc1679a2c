#!/usr/bin/env python3
"""Overhead of processes of glycine-mpi: the same command on as many processors, as threads of one process and as processes
with a thread each. Both take turns. Reports the median times, the median of the ratios of each turn, and the same of the
processor time, which depends less on other work of the machine. The outputs must have the same bytes.

Usage: scripts/mpi_overhead.py [--build build/release] [--turns 5] [--ranks 2] [--long] [--only distance,bounds]
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

# Command, ending of its output, and for short and for long runs: the size in words, and how to make the input.
CASES = {
    "distance": ("distance g.bed", "npy",
                 ("5,000 × 20,000 genotypes", "genotypes --instances 5000 --attributes 20000 -o g.bed"),
                 ("5,000 × 200,000 genotypes", "genotypes --instances 5000 --attributes 200000 -o g.bed")),
    "mutualinfo": ("mutualinfo e.tsv", "npy",
                   ("2,000 genes × 300 samples", "expression --genes 2000 --samples 300 -o e.tsv"),
                   ("2,000 genes × 2,000 samples", "expression --genes 2000 --samples 2000 -o e.tsv")),
    "pairwise": ("pairwise s.fa", "npy",
                 ("400 proteins of 300 residues", "sequences --sequences 400 --length 300 -o s.fa"),
                 ("1,500 proteins of 300 residues", "sequences --sequences 1500 --length 300 -o s.fa")),
    "crossapen": ("crossapen x.edf --epoch 1024", "npz",
                  ("1 file of 64 channels, 16 epochs", "signals --channels 64 --samples 1024 --epochs 16 -o x.edf"),
                  ("1 file of 64 channels, 128 epochs", "signals --channels 64 --samples 1024 --epochs 128 -o x.edf")),
    "bounds": ("bounds b.npz --variant dense", "npz",
               ("2,048 atoms", "bounds --atoms 2048 --known 0.3 -o b.npz"),
               ("6,144 atoms", "bounds --atoms 6144 --known 0.3 -o b.npz")),
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


def compare(options, folder, one, many):
    turns = []
    for _ in range(options.turns):
        turns.append((*run(one, folder), *run(many, folder)))
    middle = [statistics.median(column) for column in zip(*turns)]
    ratio = statistics.median(turn[2] / turn[0] for turn in turns)
    processor = statistics.median(turn[3] / turn[1] for turn in turns)
    return f"{middle[0]:.2f} s | {middle[2]:.2f} s | {ratio:.2f} | {middle[1]:.2f} s | {middle[3]:.2f} s | {processor:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--long", action="store_true", help="larger inputs")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    if not (build / "glycine-mpi").exists() or not shutil.which("mpirun"):
        print("no glycine-mpi or no mpirun: nothing to do")
        return
    processors = ",".join(map(str, sorted(os.sched_getaffinity(0))[:options.ranks]))
    bound = ["taskset", "-c", processors]
    mpirun = [*bound, "mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(options.ranks), build / "glycine-mpi"]
    print(f"{options.ranks} processes of a thread each, and {options.ranks} threads of one process, on processors {processors}; "
          f"{options.turns} turns; load {os.getloadavg()[0]:.1f} at the beginning\n")
    print("| run | one process | processes | ratio | processor time: one | processes | ratio |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print("| start and end alone |",
              compare(options, folder, [*bound, build / "glycine", "--version"], [*mpirun, "--version"]), flush=True)
        for case in options.only.split(","):
            command, ending, short, long = CASES[case]
            size, making = long if options.long else short
            run([build / "glycine", "generate", *making.split()], folder)
            outputs = [f"{case}-one.{ending}", f"{case}-many.{ending}"]
            common = [*command.split(), "--backend", "cpu", *(["--restart"] if case != "bounds" else [])]
            one = [*bound, build / "glycine", *common, "--threads", str(options.ranks), "-o", outputs[0]]
            many = [*mpirun, *common, "--threads", "1", "-o", outputs[1]]
            print(f"| `{case}`, {size} |", compare(options, folder, one, many), flush=True)
            first, second = [(folder / output).read_bytes() for output in outputs]
            if first != second:
                sys.exit(f"{case}: the outputs differ")
            for output in outputs:
                (folder / output).unlink()


main()
