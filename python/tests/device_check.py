"""Runs every function on the devices of this machine, and compares the results with the processor's and, to the bit, with what the
program writes (GLYCINE, or the one of build/release); arrays on CUDA devices go in and out where they are (CuPy and PyTorch where they
are installed, and memory of CUDA's driver).

Usage: PYTHONPATH=build/release/python python3 python/tests/device_check.py [--backends gl,cuda] [--large]

Prints a line a check and their number, and fails if one does. The checks run in a process of their own: one that a check ends is
followed by another for the rest. --large also times arrays that lie on the device beside those of the host.
"""

import argparse
import csv
import ctypes
import importlib
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

import glycine

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--backends", default="gl,cuda")
parser.add_argument("--large", action="store_true")
parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
arguments = parser.parse_args()
rng = np.random.default_rng(1)


def says(work):
    """Runs a check and returns its result in one line."""
    try:
        return work() or "good"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in place if frame.filename == __file__][-1]
        return f"FAILED: {type(error).__name__} at line {own.lineno} ({place[-1].name}): {' '.join(str(error).split())}"


def near(a, b, tolerance):
    if isinstance(a, list):  # edges, of which equal ones may change places
        a, b = ([score for *_, score in edges] for edges in (a, b))
    if isinstance(a, str):
        assert a == b, "texts differ"
        return
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True), np.nanmax(np.abs(a - b))


POINTS = rng.normal(size=(150, 70))
GENOTYPES = rng.integers(-1, 3, size=(120, 900)).astype(np.int8)
EXPRESSION = rng.normal(size=(40, 90))
EXPRESSION[1:7] += EXPRESSION[0]
SIGNALS = rng.normal(size=(2, 4, 300)).cumsum(axis=2)
LETTERS = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 80)) for _ in range(7)]
UPPER = np.abs(rng.normal(size=(90, 90))) + 1
UPPER = np.where(np.eye(90), 0, np.minimum(UPPER, UPPER.T))
LOWER = np.where(np.eye(90), 0, 0.4)
FOLDER = tempfile.TemporaryDirectory()
FASTA, RESTRAINTS, CHAIN = (pathlib.Path(FOLDER.name, name) for name in ("s.fa", "r.tbl", "c.fa"))
FASTA.write_text("".join(f">{number}\n{letters}\n" for number, letters in enumerate(LETTERS, 1)))
RESTRAINTS.write_text("assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\n")
CHAIN.write_text(">A\nGSAKVLDEAG\n")
PLACES = np.asarray(glycine.distances(POINTS, backend="cpu"))
# Name: the function, the tolerance next to cpu (None: not comparable), and the command that has the same bits.
FUNCTIONS = {
    "distances of coordinates": (lambda **how: glycine.distances(POINTS, **how), 1e-6, ("distance", POINTS, ".npy")),
    "distances of genotypes": (lambda **how: glycine.distances(GENOTYPES, **how), 0, ("distance", GENOTYPES, ".npy")),
    "plink": (lambda **how: glycine.distances(GENOTYPES, "plink", **how), 0, ("distance", GENOTYPES, ".npy", "--measure", "plink")),
    "king": (lambda **how: glycine.distances(GENOTYPES, "king", **how), 0, None),
    "cross_distances": (lambda **how: glycine.cross_distances(POINTS[:20], POINTS[20:], **how), 1e-6, None),
    "relatives": (lambda **how: glycine.relatives(GENOTYPES, -1.0, **how).kinship, 0, None),
    "nearest": (lambda **how: glycine.nearest(glycine.distances(GENOTYPES, **how), 3)[0], 0, None),
    "clusters": (lambda **how: glycine.clusters(glycine.distances(GENOTYPES, **how), 430, "average")[0], 0, None),
    "coordinates": (lambda **how: glycine.coordinates(glycine.distances(GENOTYPES, **how), 3).points, 0, None),
    "smooth_bounds": (lambda **how: glycine.smooth_bounds(UPPER, LOWER, **how).upper, 1e-5, None),
    "mutual_information": (lambda **how: glycine.mutual_information(EXPRESSION, **how), 1e-5, ("mutualinfo", EXPRESSION, ".npy")),
    "pairwise": (lambda **how: glycine.pairwise(LETTERS, **how), 1e-12, ("pairwise", FASTA, ".npy")),
    "tree": (lambda **how: str(glycine.tree(PLACES, **how)), 0, ("tree", PLACES, ".nwk")),
    "upgma": (lambda **how: str(glycine.tree(PLACES, "upgma", **how)), 0, ("tree", PLACES, ".nwk", "--method", "upgma")),
    "fold": (
        lambda **how: glycine.fold(RESTRAINTS, CHAIN, models=2, steps=60, **how).cif, None,
        ("fold", RESTRAINTS, ".cif", "--sequence", CHAIN, "--models", 2, "--steps", 60),
    ),
}
for name in ("cross_apen", "apen", "cross_sampen", "sampen", "fuzzyen", "permen", "cross_permen", "dispen"):
    measure = "crossfuzzyen" if name == "fuzzyen" else name.replace("_", "")
    line = ("crossapen", SIGNALS[0], ".npy", "--measure", measure, "--epoch", 300, "--max-clipped", 1, "--max-flat", 1)
    FUNCTIONS[name] = (lambda name=name, **how: getattr(glycine, name)(SIGNALS[0], **how), 1e-5, line)
    FUNCTIONS[f"{name} of epochs"] = (lambda name=name, **how: getattr(glycine, name)(SIGNALS, **how), 1e-5, None)
for name in ("consensus", "mi", "aracne", "clr", "mrnet", "correlation", "partial", "forest"):
    line = ("network", EXPRESSION, ".tsv", "--method", name)
    # gl has float32: z-scores enlarge what differs, and two edges that change places change the mean of their ranks.
    tolerance = {"clr": 1e-4, "consensus": 5e-3}.get(name, 1e-5)
    FUNCTIONS[f"network by {name}"] = (lambda name=name, **how: edges(glycine.network(EXPRESSION, name, **how)), tolerance, line)
for name in ("accuracy", "fast", "clustalw", "thesis"):
    line = ("align", FASTA, ".sto", "--method", name, "--order", "input")
    FUNCTIONS[f"align by {name}"] = (lambda name=name, **how: "\n".join(glycine.align(LETTERS, name, **how).rows), 0, line)
# Computed on the processor alone.
ON_HOST = {"cuda": ["align by fast", "network by partial", "network by forest"]}
ON_HOST["gl"] = ["tree", "upgma", *ON_HOST["cuda"]]


def edges(network):
    ends = ([network.names[one] for one in some] for some in (network.first, network.second))
    return list(zip(*ends, network.score.tolist()))


def written(backend, name, given, ending, *options):
    """What the command writes: numbers, edges, the rows of an alignment, or text."""
    source, output = (pathlib.Path(FOLDER.name, one) for one in ("in.npy", "out" + ending))
    if isinstance(given, np.ndarray):
        np.save(source, given)
    program, given = os.environ.get("GLYCINE", "build/release/glycine"), source if isinstance(given, np.ndarray) else given
    line = [program, name, given, "-o", output, "--backend", backend, *options]
    done = subprocess.run([*map(str, line)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if ending == ".npy":
        return np.load(output)
    if ending == ".tsv":
        with open(output) as table:
            return [(row["regulator"], row["target"], float(row["score"])) for row in csv.DictReader(table, delimiter="\t")]
    return "\n".join(glycine.read_alignment(output).rows) if ending == ".sto" else output.read_text()


def device_of(backend, name):
    function, tolerance, line = FUNCTIONS[name]

    def work():
        found = function(backend=backend)
        if tolerance is not None:
            near(found, function(backend="cpu"), tolerance)
        if line is not None:
            there = written(backend, *line)
            if isinstance(there, np.ndarray):
                equal(np.asarray(found).reshape(there.shape), there)
            else:
                assert (found.strip() == there.strip()) if isinstance(there, str) else found == there, "the command writes something else"
        return f"good, {getattr(found, 'variant', '')}"

    return work


class Driver:
    """Memory from the CUDA driver, with arrays that offer only their interface."""

    def __init__(self):
        self.library, context, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_int()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *given):
        code = getattr(self.library, name)(*given)
        assert code == 0, f"{name}: error {code}"

    def asarray(self, array):
        whole = np.ascontiguousarray(array)
        place = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(whole.nbytes))
        self("cuMemcpyHtoD_v2", place, ctypes.c_void_p(whole.ctypes.data), ctypes.c_size_t(whole.nbytes))
        return Described(self, place.value, whole.shape, whole.dtype, whole.strides)


class Described:
    def __init__(self, driver, place, shape, dtype, strides):
        self.driver, self.place, self.shape, self.dtype = driver, place, shape, dtype
        self.__cuda_array_interface__ = {"shape": shape, "typestr": dtype.str, "data": (place, False), "strides": strides, "version": 3}

    def __getitem__(self, which):
        """The same slice as of a host array."""
        like = np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, self.__cuda_array_interface__["strides"])
        part = like[which]
        return Described(self.driver, self.place + part.ctypes.data - like.ctypes.data, part.shape, self.dtype, part.strides)

    def get(self):
        found = np.empty(self.shape, self.dtype)
        self.driver("cuMemcpyDtoH_v2", ctypes.c_void_p(found.ctypes.data), ctypes.c_uint64(self.place), ctypes.c_size_t(found.nbytes))
        return found


def made(package):
    """Functions that copy arrays to the device and back."""
    if package == "CUDA's driver":
        return Driver().asarray, lambda array: array.get()
    other = importlib.import_module(package)
    if package == "cupy":
        return other.asarray, lambda array: array.get()
    return lambda array: other.as_tensor(np.ascontiguousarray(array), device="cuda"), lambda array: array.cpu().numpy()


def equal(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


PARTS = [slice(None), (slice(None, None, 2), slice(3, None)), (slice(5, None), slice(None, None, 3))]


def same(function, array, to_device, *options, **how):
    """An array on the device gives the same results as on the host, in several views."""
    for part in PARTS:
        equal(function(to_device(array)[part], *options, backend="cuda", **how), function(array[part], *options, backend="cuda", **how))


def coordinates(to_device, to_host, how):
    for points in (POINTS, POINTS.astype(np.float32)):
        for measure in ("euclidean", "manhattan", "correlation"):
            same(glycine.distances, points, to_device, measure, **how)


def genotypes(to_device, to_host, how):
    for type in (np.int8, np.uint8, np.int32, np.int64):
        given = np.abs(GENOTYPES).astype(type) if np.dtype(type).kind == "u" else GENOTYPES.astype(type)
        for measure in ("mismatch", "allele", "plink", "king"):
            same(glycine.distances, given, to_device, measure, **how)


def expression(to_device, to_host, how):
    gaps = np.where(rng.random(EXPRESSION.shape) < 0.1, np.nan, EXPRESSION)
    for values in (EXPRESSION, EXPRESSION.astype(np.float32), gaps):
        same(glycine.mutual_information, values, to_device, **how)


def bounds(to_device, to_host, how):
    for type in (np.float64, np.float32):
        upper, lower = UPPER.astype(type), LOWER.astype(type)
        for precision in ("float32", "float64", "fixed"):
            options = {"precision": precision, "backend": "cuda", **how}
            expected = glycine.smooth_bounds(upper, lower, **options)
            found = glycine.smooth_bounds(to_device(upper), to_device(lower), **options)
            equal(found.upper, expected.upper), equal(found.lower, expected.lower)
            assert found.run["known_pairs"] == expected.run["known_pairs"]
            out = [to_device(np.zeros_like(expected.upper)) for _ in range(2)]
            stays = glycine.smooth_bounds(to_device(upper), to_device(lower), out=out, **options)
            assert stays.upper is out[0] and stays.lower is out[1]
            equal(to_host(out[0]), expected.upper), equal(to_host(out[1]), expected.lower)


def signals(to_device, to_host, how):
    """Entropies of signals on the device, with unusable channels."""
    broken = SIGNALS.copy()
    broken[0, 1], broken[1, 2, 7], broken[1, 3] = 4, np.nan, broken[1, 3] * 1e200
    views = [slice(None), (slice(1, None), slice(1, None), slice(2, None, 2)), 1]
    for array in (SIGNALS, broken, broken.clip(-1e6, 1e6).astype(np.float32), SIGNALS * 1e30):
        for part in views:
            for name, options in [
                ("cross_apen", {}), ("cross_apen", {"m": 2}), ("cross_apen", {"m": 9}), ("cross_apen", {"precision": "float64"}),
                ("cross_apen", {"deviation": "n", "strict": True}), ("cross_apen", {"absolute": True, "r": 0.5}),
                ("cross_apen", {"variant": "shifted"}), ("cross_apen", {"convention": "entropyhub"}), ("cross_apen", {"tau": 2}),
                ("cross_apen", {"scales": 2}), ("apen", {}), ("cross_sampen", {"m": 2}), ("sampen", {"m": 2}), ("fuzzyen", {}),
            ]:
                options = {"backend": "cuda", **options, **how}
                found, expected = (getattr(glycine, name)(given, **options) for given in (to_device(array)[part], array[part]))
                equal(found, expected)
                assert found.run["unusable"] == expected.run["unusable"], (name, found.run["unusable"], expected.run["unusable"])
                assert found.variant == expected.variant and found.quantities.keys() == expected.quantities.keys()
    if not how:
        assert glycine.cross_apen(to_device(SIGNALS), backend="cuda").run["recount"]["elements"] > 0


def results(to_device, to_host, how):
    """Results of all pairs that stay on the device, from arrays on the device and on the host."""
    twins = POINTS.astype(np.float32)
    twins[7] = twins[3]  # a pair whose float32 sum the host recomputes
    constant = EXPRESSION.copy()
    constant[4] = 1
    whole = np.abs(GENOTYPES)
    calls = [
        (function, array, measure)
        for function, array, measures in [
            (glycine.distances, POINTS, ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "correlation", "cosine", "hamming")),
            (glycine.distances, POINTS.astype(np.float32), ("euclidean", "manhattan")), (glycine.distances, twins, ("euclidean",)),
            (glycine.distances, POINTS * 1e200, ("manhattan", "euclidean")),
            (glycine.distances, whole, ("mismatch", "allele")), (glycine.distances, GENOTYPES, ("mismatch", "king")),
            (glycine.mutual_information, EXPRESSION, (None,)), (glycine.mutual_information, constant, (None,)),
            (lambda X, unit, **how: glycine.mutual_information(X, unit=unit, **how), EXPRESSION, ("nats",)),
        ]
        for measure in measures
    ]
    for function, array, measure in calls:
        for more in ({}, {"condensed": True}, {"tile": 37}, {"dtype": "float32"}):
            if "dtype" in more and np.max(array) > 1e38:
                continue
            options = {"backend": "cuda", **more, **how}
            expected = function(array, measure, **options)
            for given in (to_device(array), array):
                out = to_device(np.full(expected.shape, 99, expected.dtype))
                found = function(given, measure, out=out, **options)
                equal(to_host(out), expected), equal(found, expected)
                assert found.values is out and found.variant == expected.variant
                assert how or found.run["recount"]["elements"] > 0
    for array in (POINTS, POINTS.astype(np.float32), whole, GENOTYPES):
        queries, references = array[:25], array[25:]
        expected = glycine.cross_distances(queries, references, backend="cuda", **how)
        out = to_device(np.full(expected.shape, 99, expected.dtype))
        glycine.cross_distances(to_device(queries), to_device(references), out=out, backend="cuda", **how)
        equal(to_host(out), expected)
        equal(glycine.cross_distances(to_device(array)[:25], to_device(array)[25:], backend="cuda", **how), expected)


def wrong(to_device, to_host, how):
    """Wrong input gives the same message as on the host."""
    nan, odd, high = POINTS.copy(), GENOTYPES.copy(), UPPER.copy()
    nan[3, 4], odd[2, 5], high[1, 2] = np.nan, 7, 50
    for function, array in [
        (glycine.distances, nan), (glycine.distances, odd), (glycine.mutual_information, np.where(np.isnan(nan), np.inf, nan)),
        (glycine.smooth_bounds, high), (lambda array, **how: glycine.smooth_bounds(UPPER, array, **how), LOWER + 9 - 9 * np.eye(90)),
        (glycine.smooth_bounds, -UPPER),
    ]:
        said = []
        for given in (array, to_device(array)):
            try:
                function(given, backend="cuda", **how)
                said.append("nothing")
            except ValueError as error:
                said.append(str(error))
        assert said[0] == said[1] != "nothing", said


def timed(to_device, to_host, how):
    lines = []
    for name, array, function in [
        ("distances, 8,192 × 4,096 float32", rng.random((8192, 4096), np.float32), lambda a, **how: glycine.distances(a, dtype="float32", backend="cuda", check=False, **how)),
        ("genotypes, 8,192 × 65,536", rng.integers(0, 3, (8192, 65536), np.int8), lambda a, **how: glycine.distances(a, backend="cuda", check=False, **how)),
        ("mutual_information, 4,000 × 1,000", rng.random((4000, 1000)), lambda a, **how: glycine.mutual_information(a, backend="cuda", check=False, **how)),
    ]:
        seconds = []
        there = to_device(array)
        for given in (array, there):
            function(given)
            begin = time.perf_counter()
            function(given)
            seconds.append(time.perf_counter() - begin)
        expected = function(array)
        out = to_device(np.zeros(expected.shape, expected.dtype))
        begin = time.perf_counter()
        function(there, out=out)
        seconds.append(time.perf_counter() - begin)
        equal(to_host(out), expected)
        lines.append(f"{name}: {seconds[0]:.3f} s from the host, {seconds[1]:.3f} s from the device, {seconds[2]:.3f} s from there to there")
    return "; ".join(lines)


def checks():
    """Name and function of each check."""
    there = {one["name"] for one in glycine.backends() if one["available"] and (one["devices"] or one["name"] in ("reference", "cpu"))}
    wanted = arguments.backends.split(",")
    for backend in wanted:
        for name in FUNCTIONS if backend in there else ():
            on = "cpu" if name in ON_HOST.get(backend, ()) else backend
            yield f"{on} {name}", device_of(on, name)
        if backend not in there:
            yield f"{backend}", lambda: "not available"
    for package in ("CUDA's driver", "cupy", "torch") if "cuda" in there and "cuda" in wanted else ():
        if package != "CUDA's driver" and importlib.util.find_spec(package) is None:
            yield package, lambda: "not installed"
            continue
        for work in (coordinates, genotypes, expression, signals, bounds, results, wrong):
            for how in ({}, {"check": False}):
                yield f"{work.__name__} of {package}{', unchecked' if how else ''}", lambda work=work, how=how, package=package: work(*made(package), how)
        if arguments.large:
            yield f"times of {package}", lambda package=package: timed(*made(package), {})


if arguments.first is not None:
    for name, work in list(checks())[arguments.first:]:
        print(f"{name}: {says(work)}", flush=True)
    sys.exit()

names, done, failed = [name for name, _ in checks()], 0, 0
print(f"glycine {glycine.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}", flush=True)
while done < len(names):
    line = [sys.executable, "-X", "faulthandler", __file__, *sys.argv[1:], "--first", str(done)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as child:
        for said in child.stdout:
            print(said, end="", flush=True)
            if done < len(names) and said.startswith(names[done] + ": "):
                done, failed = done + 1, failed + said.startswith(names[done] + ": FAILED")
    if child.returncode or done < len(names):
        how = signal.Signals(-child.returncode).name if child.returncode < 0 else f"code {child.returncode}"
        print(f"{names[done] if done < len(names) else 'the end'}: FAILED: the process ended with {how}", flush=True)
        done, failed = done + 1, failed + 1
print(f"{max(done, len(names)) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
