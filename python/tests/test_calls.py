"""Behaviour common to all calls: signals, progress, threads, forks, leaks, and side effects of the import."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pytest

import glycine
from conftest import BACKENDS, ROOT, same_bits

RNG = np.random.default_rng(3)
LETTERS = ["".join(RNG.choice(list("ACDEFGHIKLMNPQRSTVWY"), 700)) for _ in range(60)]

def many(*shape, of=RNG.normal(size=9973)):
    """Repeated numbers, where that does not matter: drawing so many would take longer than the calls."""
    return np.resize(of, shape)


# Far longer than the time until the first progress update.
LONG = {
    "distances": lambda **how: glycine.distances(many(3000, 4000), "manhattan", **how),
    "cross_distances": lambda **how: glycine.cross_distances(many(3000, 3000), many(2000, 3000), "manhattan", **how),
    "genotypes": lambda **how: glycine.distances(many(4000, 20000, of=RNG.integers(0, 3, 9973, np.int8)), **how),
    "smooth_bounds": lambda **how: glycine.smooth_bounds(np.where(np.eye(2500) == 1, 0, 50.5), **how),
    "mutual_information": lambda **how: glycine.mutual_information(many(1500, 800), **how),
    "network": lambda **how: glycine.network(many(1500, 800), "aracne", **how),
    "cross_apen": lambda **how: glycine.cross_apen(many(20, 30, 3000), 2, **how),
    "fuzzyen": lambda **how: glycine.fuzzyen(many(20, 30, 3000), **how),
    "pairwise": lambda **how: glycine.pairwise(LETTERS * 4, **how),
    "align": lambda **how: glycine.align(LETTERS, "accuracy", **how),
    # On the processor, by products of blocks and by the whole matrix.
    "coordinates": lambda backend, **how: glycine.coordinates(glycine.distances(many(4000, 20)), 200, **how),
    "many coordinates": lambda backend, **how: glycine.coordinates(glycine.distances(many(2500, 20)), 200, **how),
}
RUNS = [(name, backend) for name in LONG for backend in (["cpu"] if "coordinates" in name else BACKENDS)]


class Interrupt:
    """A progress callable that acts like Ctrl-C."""

    def __init__(self):
        self.updates = []

    def __call__(self, stage, fraction, remaining):
        self.updates.append((stage, fraction, remaining))
        self.begin = time.process_time()
        signal.raise_signal(signal.SIGINT)

    def check(self):
        """A call must stop within two seconds of all processors' time, whatever else uses them."""
        assert time.process_time() - self.begin < 2 * os.cpu_count()
        stage, fraction, remaining = self.updates[0]
        assert isinstance(stage, str) and (fraction is None or 0 <= fraction <= 1) and (remaining is None or remaining >= 0)


@pytest.mark.parametrize("name, backend", RUNS)
def test_ctrl_c_ends_a_call(name, backend):
    interrupt = Interrupt()
    with pytest.raises(KeyboardInterrupt):
        LONG[name](backend=backend, progress=interrupt)
    interrupt.check()
    # The thread and its devices remain usable.
    assert glycine.distances(np.eye(3), backend=backend)[0, 1] > 0


def test_ctrl_c_without_a_callable():
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            LONG["mutual_information"](backend="reference")


def test_ctrl_c_ends_the_check_of_an_input():
    begin = time.process_time()
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        glycine.distances(np.broadcast_to(np.int8(1), (3_000_000, 100_000)))  # needs no memory, but takes minutes to read
    assert time.process_time() - begin < 2.3 * os.cpu_count()


@pytest.fixture
def files(tmp_path):
    """Restraints and a sequence to fold."""
    (tmp_path / "s.fa").write_text(">A\nGSAKVLDEAGGSAKVLDEAG\n")
    (tmp_path / "r.tbl").write_text("assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\n")
    return tmp_path / "r.tbl", tmp_path / "s.fa"


def test_ctrl_c_ends_the_wait_for_another_fold(files):
    begun, ended = threading.Event(), threading.Event()

    def stop(*update):
        begun.set()
        if ended.is_set():
            raise LookupError

    other = threading.Thread(target=lambda: pytest.raises(LookupError, glycine.fold, *files, models=500, steps=100000, progress=stop))
    other.start()
    begun.wait()
    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        glycine.fold(*files, models=1, steps=10)
    assert other.is_alive()
    ended.set()
    other.join()


def test_folding_tells_how_far_it_is_and_ends(files):
    interrupt, updates = Interrupt(), []
    with pytest.raises(KeyboardInterrupt):
        glycine.fold(*files, models=500, steps=100000, progress=interrupt)
    interrupt.check()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        glycine.fold(*files, models=500, steps=100000)
    assert len(glycine.fold(*files, models=4, steps=2000, progress=lambda *one: updates.append(one))) == 4
    assert updates and updates[-1][1] == 1.0
    assert len(glycine.fold(*files, models=1, steps=10, progress=True)) == 1

    def fail(stage, fraction, remaining):
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        glycine.fold(*files, models=500, steps=100000, progress=fail)


def test_ctrl_c_ends_a_study():
    interrupt = Interrupt()
    with pytest.raises(KeyboardInterrupt):
        glycine.bench("mutualinfo", sizes="3000x2000", backend="reference", repeats=3, progress=interrupt)
    interrupt.check()
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            glycine.bench("mutualinfo", sizes="3000x2000", backend="reference", repeats=3)


WRONG_SHADERS = {
    "distances": (
        lambda how: glycine.distances(RNG.integers(0, 3, (60, 500)).astype(np.int8), tile=16, variant="packed", **how),
        "distance/count_symbols.frag", "differing += min(difference, 1.0);", "differing += min(difference, 1.0) * step(16.0, x);", "mismatch of ",
    ),
    "cross_distances": (
        lambda how: glycine.cross_distances(*RNG.integers(0, 3, (2, 30, 500)).astype(np.int8), tile=16, variant="packed", **how),
        "distance/count_symbols.frag", "differing += min(difference, 1.0);", "differing += min(difference, 1.0) * step(16.0, x);", "mismatch of ",
    ),
    "smooth_bounds": (
        lambda how: glycine.smooth_bounds(np.where(np.eye(70), 0, RNG.random() + 2.0) * np.ones((70, 70)), variant="packed", **how),
        "bounds/smooth_upper_packed.frag", "VALUE4(uik) + FETCH", "VALUE4(uik) * 0.1 + FETCH", "upper bound of atoms ",
    ),
    "mutual_information": (
        lambda how: glycine.mutual_information(RNG.normal(size=(12, 60)), tile=5, variant="blocked", **how),
        "mutualinfo/blocked_information.frag", "inColumns[g * COLUMNS + j] += p;", "inColumns[g * COLUMNS + j] += p * 1.01;", "mutual information of ",
    ),
    "cross_apen": (
        lambda how: glycine.cross_apen(RNG.normal(size=(4, 5, 100)), variant="scalar", **how),
        "crossapen/match_scalar.frag", "longMatches += runs[M];", "longMatches += runs[M] * float(j > 60);", "in epoch ",
    ),
}


@pytest.mark.parametrize("name", WRONG_SHADERS)
def test_a_wrong_device_is_an_error(name, tmp_path):
    call, shader, right, wrong, place = WRONG_SHADERS[name]
    found = call(dict(backend="gl"))
    assert found.run["recount"]["elements"] > 0 and found.run["recount"]["kind"] in ("pair", "row")
    text = (ROOT / "shaders" / shader).read_text()
    assert right in text
    (tmp_path / shader).parent.mkdir()
    (tmp_path / shader).write_text(text.replace(right, wrong))
    with pytest.raises(RuntimeError, match=place):
        call(dict(backend="gl", shaders=str(tmp_path)))
    assert call(dict(backend="gl", shaders=str(tmp_path), check=False)).run["recount"]["elements"] == 0
    assert glycine.distances(np.eye(3), backend="cpu").run["recount"] is None


def test_indirect_paths_are_counted_again():
    expression = RNG.normal(size=(20, 60))
    expression[1:7] += expression[0]
    run = glycine.network(expression, "aracne", backend="gl").run
    assert run["recount"]["elements"] == 190 and run["inference_recount"]["elements"] > 0 and run["inference_recount"]["kind"] == "path"
    assert glycine.network(expression, "clr", backend="gl").run["inference_recount"] is None


@pytest.mark.parametrize("method", ["accuracy", "clustalw", "thesis"])
def test_pairs_of_sequences_are_counted_again(method):
    letters = [one[:60] for one in LETTERS[:5]]
    # Each of the ten, by cpu and by the reference.
    assert glycine.pairwise(letters, backend="gl").run["recount"]["elements"] == 20
    recount = glycine.align(letters, method, backend="gl").run["recount"]
    assert recount["elements"] == sum(stage["elements"] for stage in recount["stages"]) >= 10
    assert recount["stages"][0]["elements"] > 0


def test_what_a_callable_raises_ends_the_call():
    def fail(stage, fraction, remaining):
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        LONG["distances"](backend="cpu", progress=fail)

    def nested(stage, fraction, remaining):
        glycine.distances(np.eye(3))

    with pytest.raises(RuntimeError, match="its thread is already computing"):
        LONG["distances"](backend="cpu", progress=nested)


def test_progress_ends_with_all_of_it():
    updates = []
    glycine.distances(RNG.normal(size=(700, 700)), "manhattan", backend="reference", progress=lambda *one: updates.append(one))
    assert updates[-1][1] == 1.0 and glycine.distances(np.eye(3), progress=False).shape == (3, 3)
    assert glycine.distances(np.eye(3), progress=True).shape == (3, 3)


def test_two_threads_at_once_and_the_lock_is_free(backend):
    points = RNG.normal(size=(2, 300, 400))
    expected = [glycine.distances(one, backend=backend) for one in points]
    found = [[], []]

    def work(which):
        for _ in range(5):
            found[which].append(glycine.distances(points[which], backend=backend))

    threads = [threading.Thread(target=work, args=(which,)) for which in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for which in range(2):
        assert len(found[which]) == 5 and all(same_bits(one, expected[which]) for one in found[which])


def test_others_run_while_a_call_computes():
    counted = []
    ended = threading.Event()

    def count():
        while not ended.is_set():
            counted.append(1)
            ended.wait(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before = len(counted)
    glycine.mutual_information(RNG.normal(size=(150, 800)), backend="reference")
    after = len(counted)
    ended.set()
    counter.join()
    assert after > before


class Heap(ctypes.Structure):
    """The struct mallinfo2 of the C library."""

    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def in_use():
    """Bytes that the C library's malloc has given out."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = Heap
    found = mallinfo()
    return found.uordblks + found.hblkhd


NAMED = {"a": "ACDEFGH", "b": "ACDFGH", "c": "CDEFGHI"}
ALIGNED, POINTS = glycine.align(NAMED), RNG.normal(size=(24, 40))
NEAR, NET = glycine.distances(POINTS), glycine.network(POINTS, "clr", top=15)
# Each call is small. Those without a backend run on the processor.
SMALL = {
    "distances": lambda files, **how: glycine.distances(POINTS, **how),
    "cross_distances": lambda files, **how: glycine.cross_distances(POINTS, POINTS[:5], **how),
    "relatives": lambda files, **how: glycine.relatives((POINTS > 0).astype(np.int8), **how),
    "smooth_bounds": lambda files, **how: glycine.smooth_bounds(1 - np.eye(24), **how),
    "mutual_information": lambda files, **how: glycine.mutual_information(POINTS, **how),
    "network": lambda files, **how: glycine.network(POINTS, "clr", **how),
    "cross_apen": lambda files, **how: glycine.cross_apen(POINTS, **how),
    "permen": lambda files, **how: glycine.permen(POINTS, **how),
    "pairwise": lambda files, **how: glycine.pairwise(NAMED, **how),
    "align": lambda files, **how: glycine.align(NAMED, **how),
    "wrong input": lambda files, **how: pytest.raises(ValueError, glycine.distances, POINTS * np.nan, **how),
    "nearest": lambda files: glycine.nearest(NEAR, 3),
    "clusters": lambda files: glycine.clusters(NEAR, 1),
    "coordinates": lambda files: glycine.coordinates(NEAR, 3),
    "tree": lambda files: glycine.tree(NEAR),
    "tree of an alignment": lambda files: glycine.tree(ALIGNED),
    "read_fasta": lambda files: glycine.read_fasta(files[1]),
    "picture of distances": lambda files: NEAR._repr_png_(),
    "picture of coordinates": lambda files: glycine.coordinates(NEAR, 2)._repr_png_(),
    "picture of a network": lambda files: NET._repr_png_(),
    "picture of an alignment": lambda files: ALIGNED._repr_png_(),
    "page of an alignment": lambda files: ALIGNED._repr_html_(),
    "fold": lambda files: glycine.fold(*files, models=1, steps=10),
    "validate": lambda files: glycine.validate("distance", sizes="16x16", backend="cpu"),
}


def has_backend(name):
    return list(SMALL).index(name) < list(SMALL).index("nearest")


@pytest.mark.parametrize("name", [name for name in SMALL if name != "wrong input"])
def test_a_forked_process_is_refused(name, files):
    glycine.distances(np.eye(3))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a call that waits for threads
        try:
            SMALL[name](files)
            os.write(write, b"computed")
        except BaseException as error:
            os.write(write, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        assert re.match("RuntimeError: .*forked", said.read())
    os.waitpid(child, 0)


def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# Calls that take longer than a millisecond.
FEWER = {name: 100 for name in SMALL if name.startswith(("picture", "page"))} | {"fold": 10, "validate": 10}


@pytest.mark.parametrize("name", SMALL)
def test_calls_leak_nothing(name, files, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/dev/shm" if os.path.isdir("/dev/shm") else None)  # waits for no disk
    references = sys.getrefcount(POINTS)
    for how in (dict(backend="cpu"), dict(backend="gl")) if has_backend(name) else ({},):
        times = FEWER.get(name, 60 if how.get("backend") == "gl" else 1000)
        for _ in range(max(3, times // 10)):
            SMALL[name](files, **how)
        before, allocated = memory(), in_use()
        for _ in range(times):
            SMALL[name](files, **how)
        # Keeping 24 × 24 float64 per call would leak 4.6 kB, the name of a picture's file 0.3 kB.
        assert memory() - before < 1_000_000 + 400 * times and in_use() - allocated < 20_000 + 100 * times
    assert sys.getrefcount(POINTS) == references


IMPORT = """
import os, re, sys
had, before = dict(os.environ), set(sys.modules)
import glycine
assert set(sys.modules) - before == {"glycine"}, set(sys.modules) - before
loaded = lambda: {os.path.basename(line.split()[-1]) for line in open("/proc/self/maps") if ".so" in line}
assert not [name for name in loaded() if "glycine" in name], loaded()
print(glycine.__version__)  # the first use loads NumPy and the extension
assert any(name.startswith("_glycine") for name in loaded()), loaded()
# A context needs one of these, and a file of the driver.
woken = re.compile(r"lib(GL|EGL|GLX|GLdispatch|OpenGL|GLEW|glfw|gallium|cuda|cudart|nvidia-.*|glycine-(gl|cuda))\\b.*")
assert not list(filter(woken.match, loaded())), loaded()
opened = [os.readlink(f"/proc/self/fd/{one}") for one in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{one}")]
assert not [name for name in opened if name.startswith(("/dev/dri", "/dev/nvidia"))], opened
brought = {name.split(".")[0] for name in set(sys.modules) - before}
assert not brought & {"scipy", "pandas", "sklearn", "tqdm", "IPython"}, brought
assert dict(os.environ) == had
if len(sys.argv) > 1:  # that the check sees what a call wakes
    glycine.distances([[0.0, 1.0], [1.0, 0.0]], backend="gl")
    assert list(filter(woken.match, loaded()))
"""


@pytest.mark.parametrize("more", [[], ["gl"]])
def test_importing_loads_nothing_and_the_first_use_no_device(more):
    done = subprocess.run([sys.executable, "-c", IMPORT, *more], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == glycine.__version__


def test_the_package_lists_its_names():
    assert {*glycine.__all__} <= {*dir(glycine)} and "distances" in glycine.__all__ and "np" not in glycine.__all__
    assert glycine.read_bed is glycine.read
    with pytest.raises(AttributeError, match="no attribute 'distance'"):
        glycine.distance


def test_a_numpy_that_would_be_misread_is_refused():
    code = 'import numpy; numpy.__version__ = "2.1.0"; import glycine; glycine.backends'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        pytest.skip("this pybind11 reads NumPy 2")
    assert "ImportError: this build of glycine" in done.stderr and "NumPy 2.1.0" in done.stderr


def test_the_interpreter_ends_with_devices_awake():
    code = "import glycine, numpy; print(glycine.distances(numpy.eye(3), backend='gl').backend)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == "gl" and done.stderr == ""


def of_status(name):
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith(name)).split()[1]) * 1024


def peak_beyond_result(call):
    """Bytes that a call takes at most beyond its result and what was there before."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak to the present size
    before = of_status("VmRSS")
    result = call()
    return of_status("VmHWM") - before - result.nbytes, result.nbytes


@pytest.mark.parametrize("X", [many(4000, 30), many(4000, 300, of=RNG.integers(0, 3, 9973, np.int8))], ids=["coordinates", "genotypes"])
def test_memory_is_that_of_inputs_and_result(X):
    glycine.distances(X[:9], backend="cpu")
    peak, result = peak_beyond_result(lambda: glycine.distances(X, dtype="float64", backend="cpu"))
    assert peak < 50_000_000 < result / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cross_distances_hold_their_inputs_once(dtype):
    queries, references = many(400, 40_000).astype(dtype), many(900, 40_000).astype(dtype)
    glycine.cross_distances(queries[:9], references[:9], backend="cpu")
    peak, _ = peak_beyond_result(lambda: glycine.cross_distances(queries, references, backend="cpu"))
    assert peak < 50_000_000 < (queries.nbytes + references.nbytes) / 4
    # Of two precisions, both become float64.
    assert same_bits(glycine.cross_distances(queries[:3].astype(np.float32), references[:5].astype(np.float64)),
                     glycine.cross_distances(queries[:3].astype(np.float32).astype(np.float64), references[:5].astype(np.float64)))


def test_networks_hold_their_edges_once():
    X = many(3000, 40)
    glycine.network(X[:9], "clr", backend="cpu")
    found = []

    def call():
        found.append(glycine.network(X, "clr", backend="cpu"))
        return np.empty((len(found[0]), 24), np.uint8)  # of the size of the edges, and without pages

    peak, result = peak_beyond_result(call)
    assert result > 30_000_000 and found[0].score.strides == (24,)
    # The information of all pairs takes 36 MB.
    assert peak < 75_000_000
