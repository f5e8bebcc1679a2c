#!/usr/bin/python3
"""Times the package glycine next to other Python packages, in one run on the same arrays, and prints a Markdown table.

Usage: PYTHONPATH=build/release/python scripts/compare_python.py [--threads N] [--repeats N] [--backend NAME] [--costs]

Debian has python3-scipy, python3-sklearn, python3-rdkit and mafft; scikit-allel, antropy and EntropyHub are on PyPI. Packages that are not
installed are left out and named. Each side runs in turn; the minimum time of the repeats counts, without the first run of each
side. Then follow costs of calls: the minimum time of small calls, the import time, and the peak memory beyond inputs and result.
"""

import argparse
import importlib
import itertools
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--repeats", type=int, default=3)
parser.add_argument("--backend", default="cpu")
parser.add_argument("--costs", action="store_true", help="measure only the cost of calls")
arguments = parser.parse_args()
os.environ.update(OMP_NUM_THREADS=str(arguments.threads), OPENBLAS_NUM_THREADS=str(arguments.threads))

import numpy as np  # noqa: E402

import glycine  # noqa: E402

HOW = {"backend": arguments.backend}
if arguments.backend == "cpu":
    HOW["threads"] = arguments.threads
rng = np.random.default_rng(1)
warnings.simplefilter("ignore")


def largest(theirs, ours):
    return f"{np.nanmax(np.abs(np.asarray(theirs, float) - np.asarray(ours, float))):.2g}"


def distances(package):
    points = rng.normal(size=(2000, 500))
    of = importlib.import_module("scipy.spatial.distance")
    yield "euclidean, 2,000 × 500 float64", "`pdist`", lambda: of.pdist(points), lambda: glycine.distances(points, condensed=True, **HOW), largest
    A, B = points[:200], points
    yield "euclidean, 200 queries × 2,000 × 500", "`cdist`", lambda: of.cdist(A, B), lambda: glycine.cross_distances(A, B, **HOW), largest


def genotypes(allel):
    copies = rng.integers(0, 3, (800, 10000), np.int8)
    theirs = lambda: allel.pairwise_distance(copies.T, "cityblock")  # noqa: E731
    yield "allele counts, 800 people × 10,000", "`pairwise_distance`", theirs, lambda: glycine.distances(copies, "allele", condensed=True, **HOW), largest


SIGNALS = rng.normal(size=(8, 2000)).cumsum(axis=1)


def single_entropies(antropy):
    how = {"m": 2, "deviation": "n", "precision": "float64", **HOW}
    theirs = lambda: [antropy.sample_entropy(one) for one in SIGNALS]  # noqa: E731
    yield "SampEn, 8 channels × 2,000", "`sample_entropy`", theirs, lambda: glycine.sampen(SIGNALS, strict=True, **how)[:, 0], largest
    theirs = lambda: [antropy.app_entropy(one) for one in SIGNALS]  # noqa: E731
    yield "ApEn, 8 channels × 2,000", "`app_entropy`", theirs, lambda: glycine.apen(SIGNALS, **how)[:, 0], largest


def cross_entropies(hub):
    some = SIGNALS[:4, :1000]
    for name, ours in (("XApEn", glycine.cross_apen), ("XSampEn", glycine.cross_sampen)):
        theirs = lambda name=name: [[getattr(hub, name)(b, a)[0][-1] for b in some] for a in some]  # noqa: E731
        how = {"m": 2, "convention": "entropyhub", "precision": "float64", **HOW}
        yield f"{name}, 4 × 4 channels × 1,000", f"`{name}`", theirs, lambda ours=ours, how=how: ours(some, **how), largest


def information(package):
    metrics = importlib.import_module("sklearn.metrics")
    genes = rng.normal(size=(60, 500))
    genes[1::2] += genes[::2]
    low, high = genes.min(axis=1)[:, None], genes.max(axis=1)[:, None]
    # The largest value belongs to the last bin.
    binned = np.minimum((genes - low) / (high - low) * 10, 9).astype(int)
    theirs = lambda: [metrics.mutual_info_score(binned[i], binned[j]) for i, j in itertools.combinations(range(60), 2)]  # noqa: E731
    yield "mutual information, 60 genes × 500, 10 bins", "`mutual_info_score`", theirs, lambda: glycine.mutual_information(
        genes, 10, estimator="bins", unit="nats", condensed=True, **HOW
    ), largest


def bounds(package):
    smoothing = importlib.import_module("rdkit.DistanceGeometry")
    where = rng.normal(size=(400, 3)) * 6
    d = np.linalg.norm(where[:, None] - where[None], axis=2)
    known = np.triu(rng.random(d.shape) < 0.3, 1)
    known |= known.T
    upper, lower = np.where(known, d + 0.2, 100.0), np.where(known, np.maximum(d - 0.2, 0), 0.5)
    for matrix in (upper, lower):
        np.fill_diagonal(matrix, 0)

    def theirs():
        both = np.where(np.triu(np.ones_like(d), 1) > 0, upper, lower)
        assert smoothing.DoTriangleSmoothing(both)
        return both

    def ours():
        found = glycine.smooth_bounds(upper, lower, precision="float64", **HOW)
        return np.where(np.triu(np.ones_like(d), 1) > 0, found.upper, found.lower)

    yield "bounds of 400 atoms", "`DoTriangleSmoothing`", theirs, ours, largest


def alignments(package):
    ancestor = rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 150)
    family = []
    for _ in range(100):
        letters = list(np.where(rng.random(150) < 0.5, rng.choice(ancestor, 150), ancestor))
        for place, length in zip(rng.integers(0, 140, 3), rng.integers(1, 7, 3)):
            del letters[place:place + length]
        family.append("".join(letters))

    def theirs():
        with tempfile.NamedTemporaryFile("w", suffix=".fa") as file:
            file.write("".join(f">{k}\n{one}\n" for k, one in enumerate(family)))
            file.flush()
            line = ["mafft", "--quiet", "--auto", "--amino", "--thread", str(arguments.threads), file.name]
            text = subprocess.run(line, check=True, capture_output=True, text=True).stdout
        return ["".join(one.split("\n")[1:]).upper() for one in text.split(">")[1:]]

    def aligned(rows):
        """Pairs of letters in one column, of the first sequences."""
        places = [np.where([c != "-" for c in row], np.cumsum([c != "-" for c in row]), 0) for row in rows[:20]]
        return {(i, j, p, q) for i, j in itertools.combinations(range(20), 2) for p, q in zip(places[i], places[j]) if p and q}

    def common(a, b):
        a, b = aligned(a), aligned(b)
        return f"{100 * len(a & b) / len(a | b):.0f} % of aligned letters in common"

    for method in ("fast", glycine.align(family, **HOW).run["method"]):
        ours = lambda method=method: glycine.align(family, method, **HOW).rows  # noqa: E731
        yield f"100 proteins of about 140 letters, `{method}`", "`mafft --auto`", theirs, ours, common


def timed(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


model = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
print(f"{model[0] if model else platform.machine()}, load {os.getloadavg()[0]:.1f}, {arguments.threads} threads, backend {arguments.backend}, glycine {glycine.__version__}\n")
print("| task | next to | its seconds | seconds | times as fast | largest difference |\n|---|---|---|---|---|---|")
missing = []
CASES = [("scipy", distances), ("allel", genotypes), ("sklearn", information), ("antropy", single_entropies), ("EntropyHub", cross_entropies), ("rdkit", bounds), ("mafft", alignments)]
for name, make in CASES if not arguments.costs else ():
    try:
        package = None if name == "mafft" else importlib.import_module(name)
        version = subprocess.run(["mafft", "--version"], capture_output=True, text=True).stderr.split()[0] if name == "mafft" else package.__version__
    except (ImportError, OSError) as error:
        missing.append(f"{name} ({error})")
        continue
    for task, label, theirs, ours, difference in make(package):
        (_, a), (_, b) = timed(theirs), timed(ours)
        seconds = [(timed(theirs)[0], timed(ours)[0]) for _ in range(arguments.repeats)]
        slow, fast = min(one[0] for one in seconds), min(one[1] for one in seconds)
        print(f"| {task} | {name} {version} {label} | {slow:.3g} | {fast:.3g} | {slow / fast:.3g} | {difference(a, b)} |", flush=True)
for one in missing:
    print(f"\nLeft out: {one}")


# ---- overhead of calls: time in addition to the library's work (`run["seconds"]`), including passing arrays in and results out

small, large = rng.normal(size=(8, 60)), rng.normal(size=(3000, 2000))
letters = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 400)) for _ in range(400)]
upper = np.where(np.eye(3000), 0, 40.0)
places = np.asarray(glycine.distances(rng.normal(size=(4000, 20)), backend="cpu"))
folder = tempfile.TemporaryDirectory()
FILES = [os.path.join(folder.name, name) for name in ("r.tbl", "s.fa")]
for name, text in zip(FILES, ("assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\n", ">A\n" + 5 * "GSAKVLDEAG" + "\n")):
    with open(name, "w") as file:
        file.write(text)
# Each with a small and a large input.
CALLS = {
    "distances": (lambda X: glycine.distances(X, **HOW), small, large),
    "distances of genotypes": (lambda X: glycine.distances(X, **HOW), (small > 0).astype(np.int8), np.resize((large > 0).astype(np.int8), (4000, 20000))),
    "cross_distances": (lambda X: glycine.cross_distances(X[: len(X) // 2], X, "manhattan", **HOW), small, large),
    "relatives": (lambda X: glycine.relatives(X, **HOW), (small > 0).astype(np.int8), rng.integers(0, 3, (2000, 10000), np.int8)),
    "smooth_bounds": (lambda X: glycine.smooth_bounds(X, **HOW), 1 - np.eye(8), upper),
    "mutual_information": (lambda X: glycine.mutual_information(X, **HOW), small, large[:1000, :500]),
    "network": (lambda X: glycine.network(X, "clr", **HOW), small, large[:1000, :500]),
    "cross_apen": (lambda X: glycine.cross_apen(X, m=2, **HOW), small[:2], large[:40]),
    "fuzzyen": (lambda X: glycine.fuzzyen(X, **HOW), small[:2], large[:12]),
    "permen": (lambda X: glycine.permen(X, **HOW), small[:2], large),
    "pairwise": (lambda X: glycine.pairwise(X, **HOW), ["ACDEFG", "ACDFG"], letters),
    "align": (lambda X: glycine.align(X, **HOW), ["ACDEFG", "ACDFG"], letters[:60]),
    "tree": (glycine.tree, places[:8, :8], places),
    "fold": (lambda X: glycine.fold(*FILES, **X, **HOW), {"models": 1, "steps": 10}, {"models": 2, "steps": 5000}),
}


def overhead(call, X, repeats):
    """The least seconds of a call, and its least overhead besides the library's work."""
    more, all_seconds = [], []
    for _ in range(repeats):
        seconds, result = timed(lambda: call(X))
        all_seconds.append(seconds)
        more.append(seconds - result.run["seconds"])
    return min(all_seconds), min(more)


print("\n| function | small call, ms | outside the library, ms | large call, s | outside the library, % |\n|---|---|---|---|---|")
for name, (call, little, much) in CALLS.items():
    (whole, package), (seconds, more) = overhead(call, little, 50), overhead(call, much, arguments.repeats)
    print(f"| {name} | {1000 * whole:.2f} | {1000 * package:.2f} | {seconds:.3g} | {100 * more / seconds:.2f} |", flush=True)

MEMORY = """
import sys, numpy as np, glycine
# Of this program alone: ru_maxrss includes its parent.
peak = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) * 1024
how = dict(backend="cpu", threads=2)
rng = np.random.default_rng(1)
glycine.distances(rng.normal(size=(9, 9)), **how)
make, call = {
    "distances": (lambda: [rng.random((10000, 200))], lambda X: glycine.distances(X, dtype="float64", **how)),
    "genotypes": (lambda: [rng.integers(0, 3, (10000, 5000), np.int8)], lambda X: glycine.distances(X, "ibs", **how)),
    "cross_distances": (lambda: [rng.random((8000, 400)), rng.random((8000, 400))], lambda A, B: glycine.cross_distances(A, B, **how)),
    "mutual_information": (lambda: [rng.random((10000, 60))], lambda X: glycine.mutual_information(X, **how)),
    "network": (lambda: [rng.random((3000, 60))], lambda X: glycine.network(X, "clr", threshold=0.3, **how)),
    "smooth_bounds": (lambda: [2 - 2 * np.eye(4000)], lambda X: glycine.smooth_bounds(X, precision="float64", **how)),
    "cross_apen": (lambda: [rng.normal(size=(200, 12, 5000))[:, :, :2500].copy()], lambda X: glycine.cross_apen(X, 2, **how)),
    "pairwise": (lambda: [["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 40)) for _ in range(6000)]], lambda X: glycine.pairwise(X, **how)),
    "tree": (lambda: [np.asarray(glycine.distances(rng.random((3000, 20)), **how))], lambda X: np.frombuffer(glycine.tree(X).encode(), np.uint8)),
}[sys.argv[1]]
size = lambda one: getattr(one, "nbytes", None) or sum(map(len, one))
inputs = make()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # making the inputs may have taken more
before = peak()
result = call(*inputs)
held = [getattr(result, name, None) for name in ("upper", "lower", "first", "second", "score", "information")]
print(sum(map(size, inputs)), getattr(result, "nbytes", 0) + sum(size(one) for one in held if one is not None), peak() - before)
"""
print("\n| memory | inputs, MB | result, MB | more than both, MB | share of both, % |\n|---|---|---|---|---|")
for name in ("distances", "genotypes", "cross_distances", "mutual_information", "network", "smooth_bounds", "cross_apen", "pairwise", "tree"):
    done = subprocess.run([sys.executable, "-c", MEMORY, name], check=True, capture_output=True, text=True)
    given, result, more = (int(one) / 1e6 for one in done.stdout.split())
    beyond = max(0, more - result)
    print(f"| {name} | {given:.0f} | {result:.0f} | {beyond:.0f} | {100 * beyond / (given + result):.0f} |", flush=True)

IMPORT = """
import time
begin = time.perf_counter()
import glycine
imported = time.perf_counter()
import numpy
between = time.perf_counter()
glycine.distances
print(imported - begin, between - imported, time.perf_counter() - between)
"""
runs = [subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True).stdout.split() for _ in range(7)]
import_ms, numpy_ms, first_ms = (1000 * min(map(float, one)) for one in zip(*runs))
print(f"\nImport: {import_ms:.1f} ms; the first use: {first_ms:.0f} ms, after NumPy's {numpy_ms:.0f} ms")
