#!/usr/bin/env python3
"""Times `glycine crossapen --convention entropyhub` against EntropyHub's Python functions on the same pairs, in one run
on one machine, and checks that both give the same numbers to 1e-9. Needs numpy and EntropyHub
2.0.

Usage: bench/compare_with_entropyhub.py GLYCINE [CHANNELS [SAMPLES [M]]]     (default: 12 1024 2)

EntropyHub computes one pair per call on one core; only its calls are timed, not its start. Glycine's time covers the
whole process: start, reading, computing on all processor cores, writing."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import EntropyHub
import numpy


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True).stdout


def compare(glycine, measure, function, signals, folder, m):
    output = folder / f"{measure}.npy"
    ours = []
    for _ in range(3):
        begin = time.perf_counter()
        report = run(glycine, "crossapen", folder / "signals.npy", "-o", output, "--measure", measure, "--m", m,
                     "--epoch", signals.shape[1], "--convention", "entropyhub", "--backend", "cpu", "--json")
        ours.append(time.perf_counter() - begin)
    stages = json.loads(report)["seconds"]
    computing = sum(stages.get(stage, 0) for stage in ("prepare", "upload", "compute", "download"))
    values = numpy.load(output)

    channels = len(signals)
    begin = time.perf_counter()
    # Both functions return the entropies of m = 0 … m; element (a, b) is that of (signals[b], signals[a]).
    theirs = numpy.array([[function(signals[b], signals[a], m=m)[0][m] for b in range(channels)]
                          for a in range(channels)])
    seconds = time.perf_counter() - begin
    finite = numpy.isfinite(theirs)
    assert (numpy.isfinite(values) == finite).all(), "undefined values differ"
    largest = abs(values - theirs)[finite].max()
    assert largest < 1e-9, f"{measure}: values differ by {largest}"
    print(f"{measure}, m = {m}: {channels * channels} ordered pairs of {signals.shape[1]} samples")
    print(f"  EntropyHub {seconds:10.4f} s")
    print(f"  glycine    {min(ours):10.4f} s, of which computing {computing:.4f} s")
    print(f"  ratio      {seconds / min(ours):10.1f} end to end, {seconds / computing:.1f} computing;"
          f" largest difference {largest:.1e}")


def main():
    glycine = pathlib.Path(sys.argv[1]).resolve()
    channels, samples, m = (int(value) for value in (sys.argv[2:] + ["12", "1024", "2"][len(sys.argv) - 2:]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(glycine, "generate", "signals", "--channels", channels, "--samples", samples, "--seed", 1,
            "-o", folder / "signals.npy")
        signals = numpy.load(folder / "signals.npy")
        compare(glycine, "crossapen", EntropyHub.XApEn, signals, folder, m)
        compare(glycine, "crosssampen", EntropyHub.XSampEn, signals, folder, m)


main()
