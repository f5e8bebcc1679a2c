#!/usr/bin/env python3
"""Falsifies each fragment shader (gl) or kernel (cuda) in turn and checks that the command refuses its result.

Usage: scripts/falsify.py --program build/release/glycine [OPTION…]

Every run of `CASES` is made once without faults. Then each shader or kernel that it uses is falsified in one way after
another: all of its outputs are scaled, shifted, exchanged or set to 0, or only those of one channel, one column of texels,
one tile, one render target, or 1 % or 0.1 % of the elements. Each run ends as one of:

  refused   exit code 1, an error, and no file written: the fault was caught
  harmless  the files equal those of the correct run to the byte
  rounding  the files differ by less than the tolerance that the documentation states
  MISSED    exit code 0, and the files differ
  CRASHED   a signal, a time limit, or a refusal that left a file on which the next run would fail

Shaders are falsified through --shaders: `main` becomes `computed`, and a new `main` calls it and alters its outputs.
Kernels are falsified by a program that was built with -DGLYCINE_FAULTS=ON (docs/testing.md).

Exit code: 0 if every fault in more than 1 % of the elements, and 99 % of all, were caught; 1 otherwise; 2 wrong use;
77 if the backend is not available.
"""

import argparse
import array
import concurrent.futures
import gzip
import hashlib
import io
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter, defaultdict

# Exit code that CTest interprets as "skipped".
NOT_AVAILABLE = 77
REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHADERS = os.path.join(REPOSITORY, "shaders")

# ---- Runs

# Inputs: arguments that generate them, or a function below that writes them.
INPUTS = {
    "bounds.npz": ["bounds", "--atoms", "150"],
    "few-bounds.npz": ["bounds", "--atoms", "60"],
    "genotypes.npy": ["genotypes", "--instances", "40", "--attributes", "600"],
    "gaps.npy": ["genotypes", "--instances", "40", "--attributes", "600", "--missing", "0.05"],
    "signals.npy": ["signals", "--channels", "6", "--samples", "100", "--epochs", "3"],
    "expression.tsv": ["expression", "--genes", "40", "--samples", "60"],
    "expression-gaps.tsv": ["expression", "--genes", "40", "--samples", "60", "--missing", "0.1"],
    "proteins.fa": ["sequences", "--sequences", "14", "--length", "50"],
    "dna.fa": ["sequences", "--sequences", "14", "--length", "60", "--alphabet", "dna", "--divergence", "0.3"],
    "family.fa": ["sequences", "--sequences", "7", "--length", "40", "--family"],
    "long.fa": ["sequences", "--sequences", "8", "--length", "800"],
    "longer.fa": ["sequences", "--sequences", "8", "--length", "1500"],
    "many.fa": ["sequences", "--sequences", "60", "--length", "40", "--family"],
}


def write_alignment(path):
    """Aligned proteins: symbols of five bit planes, some missing."""
    rng = random.Random(1)
    with open(path, "w") as file:
        for i in range(40):
            letters = "".join(rng.choice("ACDEFGHIKLMNPQRSTVWY-") for _ in range(300))
            file.write(f">p{i}\n{letters}\n")


def write_coordinates(path):
    rng = random.Random(2)
    with open(path, "w") as file:
        file.write("name," + ",".join(f"x{k}" for k in range(70)) + "\n")
        for i in range(40):
            file.write(f"c{i}," + ",".join(f"{rng.gauss(1, 2):.4f}" for _ in range(70)) + "\n")


def write_tree(path):
    with open(path, "w") as file:
        file.write("(((s1:1,s2:1):1,(s3:1,s4:1):1):1,((s5:1,s6:1):1,(s7:1,s8:1):1):1);\n")


def write_peptide(path):
    with open(path, "w") as file:
        file.write(">A\nALKGFSVPDW\n")


def write_limits(path):
    with open(path, "w") as file:
        for line in ("1 ALA HA 4 GLY H 4.5", "2 LEU HA 5 PHE H 3.5", "3 LYS HA 7 VAL H 4.0", "2 LEU QB 6 SER HA 5.0",
                     "5 PHE HA 9 ASP H 4.0", "7 VAL QQG 10 TRP HE3 5.0"):
            file.write(line + "\n")


WRITTEN = {"peptide.fa": write_peptide, "limits.upl": write_limits, "guide.nwk": write_tree, "alignment.fa": write_alignment, "coordinates.csv": write_coordinates}


class Case:
    """A command, with the options that determine its shaders and kernels. It is run on each variant of `glycine list` that accepts
    the options, or without naming a variant. Options that begin with @ are inputs. `quick`: a set of cases that together use nearly
    all shaders. `rounding`: difference that the documentation allows between backends, relative to a result's largest number."""

    def __init__(self, algorithm, command, source, output, options=(), name="", quick=False, backends=("gl", "cuda"),
                 has_variants=True, rounding=2e-6):
        self.algorithm, self.command, self.source, self.output = algorithm, command, source, output
        self.options, self.name, self.quick, self.backends = list(options), name, quick, backends
        self.has_variants, self.rounding = has_variants, rounding


CASES = [
    Case("bounds", "bounds", "bounds.npz", "out.npz", quick=True),
    Case("bounds", "bounds", "bounds.npz", "out.npz", ["--precision", "fixed"], name="fixed"),
    Case("bounds", "bounds", "bounds.npz", "out.npz", ["--precision", "float64"], name="float64", backends=["cuda"]),
    Case("bounds", "bounds", "few-bounds.npz", "out.npz", ["--tetrangle", "1"], name="tetrangles", quick=True, has_variants=False),
    Case("distance", "distance", "genotypes.npy", "out.npy", name="mismatch", quick=True),
    Case("distance", "distance", "genotypes.npy", "out.npy", ["--measure", "ibs"], name="ibs"),
    Case("distance", "distance", "gaps.npy", "out.npy", ["--measure", "allele"], name="allele, gaps"),
    Case("distance", "distance", "gaps.npy", "out.npy", ["--measure", "proportion"], name="proportion, gaps"),
    Case("distance", "distance", "alignment.fa", "out.npy", ["--tile", "16"], name="proteins"),
    Case("distance", "distance", "coordinates.csv", "out.npy", name="euclidean", quick=True),
    Case("distance", "distance", "coordinates.csv", "out.npy", ["--measure", "manhattan"], name="manhattan"),
    Case("distance", "distance", "coordinates.csv", "out.npy", ["--measure", "correlation"], name="correlation"),
    Case("distance", "distance", "coordinates.csv", "out.npy", ["--precision", "float32"], name="float32", backends=["cuda"]),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100"], name="m = 1", quick=True),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--m", "2"], name="m = 2"),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--measure", "crosssampen", "--m", "2"],
         name="crosssampen"),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--measure", "apen", "--m", "2"], name="apen"),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--measure", "crossfuzzyen"],
         name="crossfuzzyen", quick=True, rounding=4e-5),
    *(Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--measure", measure], name=measure,
           quick=measure == "crosspermen") for measure in ("permen", "crosspermen", "dispen")),
    Case("crossapen", "crossapen", "signals.npy", "out.npz", ["--epoch", "100", "--precision", "float64"], name="float64",
         backends=["cuda"]),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", name="splines", quick=True),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", ["--precision", "float32"], name="float32", backends=["cuda"]),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", ["--precision", "tf32"], name="tf32", backends=["cuda"],
         rounding=2e-4),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", ["--precision", "fp16"], name="fp16", backends=["cuda"],
         rounding=2e-4),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", ["--method", "bins"], name="bins"),
    Case("mutualinfo", "mutualinfo", "expression.tsv", "out.npy", ["--spline-order", "6"], name="order 6"),
    Case("mutualinfo", "mutualinfo", "expression-gaps.tsv", "out.npy", ["--tile", "16"], name="gaps"),
    Case("fold", "fold", "limits.upl", "out.pdb", ["--sequence", "@peptide.fa", "--models", "2", "--steps", "50"]),
    Case("mutualinfo", "network", "expression.tsv", "out.tsv", ["--method", "aracne"], name="network aracne", quick=True),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", name="distance", quick=True),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", ["--measure", "score"], name="score"),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", ["--method", "local"], name="local"),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", ["--method", "local", "--measure", "score"], name="local score"),
    Case("pairwise", "pairwise", "dna.fa", "out.npy", ["--gap-open", "0", "--gap-extend", "4"], name="dna, linear gaps"),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", ["--method", "thesis"], name="thesis"),
    Case("pairwise", "pairwise", "proteins.fa", "out.npy", ["--method", "clustalw", "--measure", "identity"], name="clustalw", quick=True),
    Case("align", "align", "family.fa", "out.fa", name="posteriors", quick=True),
    Case("align", "align", "family.fa", "out.fa", ["--method", "clustalw"], name="clustalw", quick=True),
    Case("align", "align", "family.fa", "out.fa", ["--method", "thesis"], name="thesis", quick=True),
    Case("align", "align", "many.fa", "out.fa", ["--method", "fast"], name="fast", has_variants=False),
    # Profiles large enough for the device.
    Case("align", "align", "longer.fa", "out.fa", ["--method", "clustalw", "--stage", "progressive", "--tree-in", "@guide.nwk"],
         name="clustalw profiles", has_variants=False),
    Case("align", "align", "long.fa", "out.fa", ["--method", "thesis", "--stage", "progressive", "--tree-in", "@guide.nwk"],
         name="thesis profiles", has_variants=False),
]

# ---- Faults

# Faults in all elements, then in some.
ALL = ("scaled", "halved", "shifted", "nudged", "swapped", "zeroed")
SOME = ("lane", "column", "tile", "seldom 1 %", "seldom 0.1 %")
COARSE = ("zeroed", "scaled", "shifted")  # one of these has an effect, whatever a shader does
# Number of further seeds for faults that may hit nothing.
ATTEMPTS = 3


def tile_of(seed):
    """One of the first tiles of a texture, which are used however small the texture is."""
    return [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2)][seed % 8]


def faulty_shader(text, kind, seed):
    """A shader with the altered outputs of `text`. `kind`: an element of ALL or SOME, "none" or "target N"."""
    text, count = re.subn(r"\bvoid\s+main\s*\(\s*(void)?\s*\)", "void computed()", text)
    if count == 0:
        return None
    target = int(kind.split()[1]) if kind.startswith("target") else None
    where = "true"
    if kind == "column":
        where = f"mod(floor(gl_FragCoord.x), 4.0) == {seed % 4}.0"
    elif kind == "tile":
        x, y = tile_of(seed)
        where = f"floor(gl_FragCoord.xy / 8.0) == vec2({x}.0, {y}.0)"
    elif kind.startswith("seldom"):
        share = {"1": "0.01", "0.1": "0.001"}[kind.split()[1]]
        where = (f"fract(sin(dot(floor(gl_FragCoord.xy), vec2(12.9898, 78.233)) + {seed % 97}.0) * 43758.5453) < {share}")
    lines = ["", "#ifndef OUTPUTS", "#define OUTPUTS 1", "#endif"]
    # As in common/values.glsl; the 2005 dialect only has floats.
    for condition, vector, unit, scale, halve, nudge in (
        ("#if __VERSION__ > 120 && defined(FIXED_POINT)", "ivec4", "1", "v + sign(v) * ((abs(v) + 19) / 20)", "v / 2",
         "v ^ ivec4(1)"),
        ("#elif __VERSION__ > 120 && defined(UNSIGNED)", "uvec4", "1u", "v + (v + 19u) / 20u", "v >> 1u", "v ^ uvec4(1u)"),
        ("#else", "vec4", "1.0", "v * 1.05", "v * 0.5", "v + 0.01"),
    ):
        spoilt = f"{scale} + {unit}"
        change = {
            "none": "v", "scaled": scale, "halved": halve, "shifted": f"v + {unit}", "nudged": nudge, "swapped": "v.yxwz",
            # Not a compile-time constant, which would eliminate uniforms.
            "zeroed": f"gl_FragCoord.x < -1.0 ? v : {vector}(0)",
        }.get(kind, spoilt)
        lines.append(condition)
        if kind == "lane":
            channel = "xyzw"[seed % 4]
            lines.append(f"{vector} altered({vector} v) {{ {vector} all = {spoilt}; v.{channel} = all.{channel}; return v; }}")
        else:
            lines.append(f"{vector} altered({vector} v) {{ return {change}; }}")
    lines += ["#endif", "void main() {", "    computed();", f"    if ({where}) {{"]
    for output in range(8) if target is None else [target]:
        lines += [f"#if OUTPUTS > {output}", f"        fragmentOutput[{output}] = altered(fragmentOutput[{output}]);", "#endif"]
    lines += ["    }", "}", ""]
    return text + "\n".join(lines)


def targets_of(text):
    """Maximum number of render targets of a shader: the largest OUTPUTS that it declares."""
    found = [int(number) for values in re.findall(r"OUTPUTS=([\d|]+)", text) for number in values.split("|")]
    return max(found, default=1)


# ---- Results

def members(path):
    """The arrays and texts in a file, by name."""
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    return {"": data}


def elements(data):
    """The numbers of an array, or the words of a text."""
    if not data.startswith(b"\x93NUMPY"):
        return [number_or_word(word) for word in re.findall(r"[^\s,]+", data.decode("utf-8", "replace"))]
    length, = struct.unpack("<H", data[8:10])
    kind = re.search(r"'descr':\s*'[<|>=]([fiub])(\d+)'", data[10:10 + length].decode("latin-1"))
    body = data[10 + length:]
    if not kind:
        return [body]
    code = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "i1": "b", "u8": "Q", "u4": "I", "u1": "B", "b1": "B"}
    numbers = array.array(code[kind[1] + kind[2]])
    numbers.frombytes(body)
    return list(numbers)


def number_or_word(word):
    try:
        return float(word)
    except ValueError:
        return word


class Difference:
    """Difference of two runs' files: share of differing elements, and the largest difference relative to the largest number."""

    def __init__(self, right, found):
        self.share, self.largest = 1.0, float("inf")
        if right == found:
            self.share, self.largest = 0.0, 0.0
            return
        if right.keys() != found.keys():
            return
        count = differing = 0
        worst = 0.0
        for name, data in right.items():
            if data == found[name]:
                # Lists of names and the like are not results.
                count += len(elements(data)) if data.startswith(b"\x93NUMPY") else 0
                continue
            a, b = elements(data), elements(found[name])
            if len(a) != len(b):
                return
            count += len(a)
            scale = max((abs(x) for x in a if isinstance(x, (int, float)) and x == x and abs(x) != float("inf")), default=0)
            for x, y in zip(a, b):
                if x == y or (x != x and y != y):
                    continue
                differing += 1
                isNumber = isinstance(x, (int, float)) and isinstance(y, (int, float))
                apart = abs(x - y) / scale if isNumber and scale > 0 else float("inf")
                worst = max(worst, apart if apart == apart else float("inf"))
        self.share, self.largest = differing / max(count, 1), worst


class Outcome:
    def __init__(self, code, error, files, hung=False):
        self.code, self.error, self.files, self.hung = code, error, files, hung
        self.altered = None  # elements of arrays on the device, if known


class Runner:
    """Runs the program, each time in a new folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.inputs = os.path.join(folder, "inputs")
        os.makedirs(self.inputs)
        self.environment = dict(os.environ, LP_NUM_THREADS="0", OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", GLYCINE_CACHE="off",
                                GALLIVM_PERF="nopt", MESA_SHADER_CACHE_DIR=os.path.join(folder, "cache"))
        self.environment.pop("GLYCINE_FAULT", None)
        self.number = 0
        self.lock = threading.Lock()

    def make_inputs(self):
        for name, arguments in INPUTS.items():
            subprocess.run([self.options.program, "generate", *arguments, "-o", os.path.join(self.inputs, name)], check=True,
                           stdout=subprocess.DEVNULL, env=self.environment)
        for name, write in WRITTEN.items():
            write(os.path.join(self.inputs, name))

    def run(self, run, shaders=None, fault=None, log=None, checked=True):
        with self.lock:
            self.number += 1
            folder = os.path.join(self.folder, f"run{self.number}")
        os.makedirs(folder)
        command = [self.options.program, *run.arguments(self.inputs)]
        command += [] if checked else ["--no-check"]
        command += ["--shaders", shaders] if shaders else []
        environment = dict(self.environment)
        if fault:
            environment["GLYCINE_FAULT"] = fault
            environment["GLYCINE_FAULT_LOG"] = log
        try:
            done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, timeout=self.options.timeout)
            code, error, hung = done.returncode, done.stderr.decode("utf-8", "replace").strip(), False
        except subprocess.TimeoutExpired:
            code, error, hung = -1, f"no end after {self.options.timeout} s", True
        files = {}
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            for member, data in members(path).items() if code == 0 else [("", b"")]:
                files[f"{name}/{member}"] = data
        shutil.rmtree(folder)
        return Outcome(code, error, files, hung)


class Run:
    """A case on one variant, and on one dialect of gl."""

    def __init__(self, case, backend, variant, dialect):
        self.case, self.backend, self.variant, self.dialect = case, backend, variant, dialect
        self.right = None   # its files
        self.parts = []     # shaders or kernels

    def arguments(self, inputs):
        case = self.case
        options = [os.path.join(inputs, option[1:]) if option.startswith("@") else option for option in case.options]
        arguments = [case.command, os.path.join(inputs, case.source), "-o", case.output, *options, "--backend", self.backend]
        arguments += ["--variant", self.variant] if case.has_variants else []
        return arguments + (["--dialect", self.dialect] if self.dialect else [])

    def name(self):
        words = [self.case.command if self.case.command != self.case.algorithm else "", self.case.name]
        what = " ".join(word for word in words if word)
        return f"{self.case.algorithm}{' (' + what + ')' if what else ''} {self.variant}" + (
            f" {self.dialect}" if self.dialect else "")


class Fault:
    """One way of falsifying one part of one run, and its outcome."""

    def __init__(self, run, part, kind, seed):
        self.run, self.part, self.kind, self.seed = run, part, kind, seed
        self.verdict, self.share, self.error, self.largest = "", None, "", None

    def name(self):
        return f"{self.run.name()}: {self.part} {self.kind}"

    def document(self):
        return {"algorithm": self.run.case.algorithm, "run": self.run.name(), "part": self.part, "kind": self.kind,
                "seed": self.seed, "verdict": self.verdict, "share": self.share, "error": self.error}


# ---- Backends

class Shaders:
    """Falsifies shaders, in folders for --shaders."""

    backend = "gl"

    def __init__(self, runner, options):
        self.runner, self.options = runner, options
        self.lock = threading.Lock()
        self.number = 0
        self.text = {}
        for folder, _, names in os.walk(SHADERS):
            for name in names:
                if name.endswith(".frag"):
                    path = os.path.join(folder, name)
                    with open(path) as file:
                        self.text[os.path.relpath(path, SHADERS)] = file.read()

    def find_parts(self, run):
        """Runs the case without faults. The program uses the shaders that it reads."""
        folder = self.folder({name: text for name, text in self.text.items()})
        for name in self.text:
            os.utime(os.path.join(folder, name), (0, time.time()))
        outcome = self.runner.run(run, shaders=folder)
        run.parts = [name for name in self.text if os.stat(os.path.join(folder, name)).st_atime > 0]
        shutil.rmtree(folder)
        return outcome

    def folder(self, shaders):
        with self.lock:
            self.number += 1
            folder = os.path.join(self.runner.folder, f"shaders{self.number}")
        for name, text in shaders.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        return folder

    def kinds(self, run, part):
        targets = targets_of(self.text[part])
        return list(ALL) + list(SOME) + ([f"target {t}" for t in range(targets)] if targets > 1 else [])

    def attempt(self, run, part, kind, seed, checked=True):
        text = faulty_shader(self.text[part], kind, seed)
        folder = self.folder({part: text})
        outcome = self.runner.run(run, shaders=folder, checked=checked)
        shutil.rmtree(folder)
        if re.search("does not compile|does not link|has no uniform", outcome.error):
            raise SystemExit(f"falsify.py: {run.name()}: {part} {kind} is no shader:\n{outcome.error}")
        return outcome

    def all_parts(self):
        return sorted(self.text)


class Kernels:
    """Falsifies kernels in a program built with -DGLYCINE_FAULTS=ON (kernels_cuda/device/faults.hpp)."""

    backend = "cuda"

    def __init__(self, runner, options):
        self.runner, self.options = runner, options
        self.arrays = {}  # number of arrays that a kernel changes in a run
        self.lock = threading.Lock()
        self.number = 0

    def log(self):
        with self.lock:
            self.number += 1
            return os.path.join(self.runner.folder, f"log{self.number}")

    @staticmethod
    def read_log(path):
        """{kernel: (maximum number of arrays that a launch changed, elements altered)}"""
        found = {}
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    kernel, arrays, _, altered = line.rstrip("\n").split("\t")
                    most, sum_altered = found.get(kernel, (0, 0))
                    found[kernel] = (max(most, int(arrays)), sum_altered + int(altered))
            os.remove(path)
        return found

    def find_parts(self, run):
        log = self.log()
        outcome = self.runner.run(run, fault="list", log=log)
        found = self.read_log(log)
        if outcome.code == 0 and not found:
            raise SystemExit(f"falsify.py: {run.name()} launches no kernels: is the program built with -DGLYCINE_FAULTS=ON?")
        run.parts = sorted(found)
        for kernel, (arrays, _) in found.items():
            self.arrays[run, kernel] = arrays
        return outcome

    def kinds(self, run, part):
        targets = min(self.arrays[run, part], 8)
        return list(ALL) + list(SOME) + ([f"target {t}" for t in range(targets)] if targets > 1 else [])

    def attempt(self, run, part, kind, seed, checked=True):
        log = self.log()
        fault = f"{part}:{kind.replace(' %', '').replace(' ', '-')}:{seed}"
        outcome = self.runner.run(run, fault=fault, log=log, checked=checked)
        outcome.altered = self.read_log(log).get(part, (0, 0))[1]
        return outcome

    def all_parts(self):
        return []


# ---- The series

class Series:
    def __init__(self, options, runner, backend):
        self.options, self.runner, self.backend = options, runner, backend
        self.faults, self.skipped = [], []
        self.started = time.monotonic()
        self.lock = threading.Lock()

    def say(self, text):
        with self.lock:
            print(f"[{time.monotonic() - self.started:6.0f} s] {text}", file=sys.stderr, flush=True)

    def variants(self):
        """The backend's variants, as the program lists them: [(algorithm, variant, dialects)]."""
        text = subprocess.run([self.options.program, "list", "--json"], check=True, stdout=subprocess.PIPE,
                              env=self.runner.environment).stdout
        found = []
        listed = [one for one in json.loads(text)["variants"] if one["backend"] == self.backend.backend]
        # Some algorithms have nothing for a backend that others have.
        if not any(one["available"] for one in listed):
            print(f"falsify.py: {self.backend.backend} is not available here: {listed[0].get('reason', '')}", file=sys.stderr)
            sys.exit(NOT_AVAILABLE)
        for one in listed:
            if not one["available"]:
                continue
            dialects = [name for name, state in one.get("dialects", {}).items() if state["available"]] or [None]
            found.append((one["algorithm"], one["variant"], dialects))
        return found

    def find_runs(self):
        runs = []
        for algorithm, variant, dialects in self.variants():
            for case in CASES:
                isWanted = case.algorithm == algorithm and self.backend.backend in case.backends
                isWanted = isWanted and (case.quick or not self.options.quick)
                if isWanted and (not self.options.algorithms or algorithm in self.options.algorithms):
                    for dialect in dialects:
                        if self.options.dialects and dialect and dialect not in self.options.dialects:
                            continue
                        if case.has_variants or not any(run.case is case and run.dialect == dialect for run in runs):
                            runs.append(Run(case, self.backend.backend, variant, dialect))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            outcomes = list(pool.map(self.backend.find_parts, runs))
        usable = []
        for run, outcome in zip(runs, outcomes):
            if outcome.code == 0:
                run.right = outcome.files
                usable.append(run)
            else:
                self.skipped.append((run.name(), outcome.error))
        return usable

    def plan(self, runs):
        """Plans the faults: all kinds for the first run of a variant that uses a part, and for the first of all runs with a kernel;
        coarse ones for other cases and dialects. Code that algorithms share is falsified once in each algorithm."""
        faults, planned = [], set()
        for run in runs:
            for part in run.parts:
                if self.options.only and not re.search(self.options.only, f"{run.name()}: {part}"):
                    continue
                algorithm = run.case.algorithm
                seed = self.options.seed + int(hashlib.sha256(f"{run.name()} {part}".encode()).hexdigest(), 16) % 1000
                isAnywhere = part.startswith("common/") or self.options.quick or not run.dialect
                key = (algorithm, part) if isAnywhere else (algorithm, part, run.variant)
                isFirst = key not in planned
                planned.add(key)
                if self.options.quick or part.startswith("common/"):
                    kinds = (["coarse"] if self.options.quick else COARSE) if isFirst else []
                elif isFirst:
                    kinds = self.backend.kinds(run, part)
                else:
                    kinds = ["coarse"]
                if self.options.kinds:
                    kinds = [kind for kind in kinds if any(kind.startswith(wanted) for wanted in self.options.kinds)]
                faults += [Fault(run, part, kind, seed) for kind in kinds]
        if self.options.limit:
            random.Random(self.options.seed).shuffle(faults)
        return faults

    def judge(self, fault, outcome):
        fault.error, fault.share = outcome.error or f"exit code {outcome.code}", None
        if outcome.hung or outcome.code < 0 or outcome.code > 2:
            fault.verdict = "CRASHED"
        elif outcome.code != 0:
            fault.verdict = "refused" if outcome.error.startswith("glycine: error") else "CRASHED"
            if outcome.files:
                fault.verdict = "CRASHED"
                fault.error += " [left: " + ", ".join(name.rstrip("/") for name in outcome.files) + "]"
        else:
            difference = Difference(fault.run.right, outcome.files)
            fault.share, fault.largest = difference.share, difference.largest
            if difference.share == 0:
                fault.verdict = "harmless"
            elif difference.largest <= fault.run.case.rounding:
                fault.verdict = "rounding"
            else:
                fault.verdict = "MISSED"

    def falsify(self, fault):
        if self.options.limit and time.monotonic() - self.started > self.options.limit:
            fault.verdict = "not run"
            return fault
        kinds = COARSE if fault.kind == "coarse" else [fault.kind]
        isOfSome = fault.kind in SOME
        for kind in kinds:
            for attempt in range(ATTEMPTS if isOfSome else 1):
                fault.kind = kind
                share = None
                if isOfSome:
                    # An unchecked run shows what the fault hits.
                    unchecked = self.backend.attempt(fault.run, fault.part, kind, fault.seed + attempt, checked=False)
                    if unchecked.code == 0:
                        share = Difference(fault.run.right, unchecked.files).share
                        if share == 0:
                            fault.verdict = "harmless"
                            continue
                self.judge(fault, self.backend.attempt(fault.run, fault.part, kind, fault.seed + attempt))
                fault.share = share if share is not None else fault.share
                if fault.verdict != "harmless":
                    fault.seed += attempt
                    return fault
        return fault

    def run(self):
        runs = self.find_runs()
        faults = self.plan(runs)
        self.say(f"{len(runs)} runs, {len(faults)} faults, seed {self.options.seed}")
        if self.backend.backend == "gl" and not self.options.quick:
            # Wrapping alone must not change the result.
            whole = {}
            for fault in faults:
                whole.setdefault((fault.run.dialect, fault.part), fault)
            with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                outcomes = pool.map(lambda fault: self.backend.attempt(fault.run, fault.part, "none", 0), whole.values())
                for fault, outcome in zip(whole.values(), outcomes):
                    if outcome.files != fault.run.right:
                        raise SystemExit(f"falsify.py: {fault.name()}: differs without a fault: {outcome.error}")
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            waiting = [pool.submit(self.falsify, fault) for fault in faults]
            for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
                fault = done.result()
                if fault.verdict != "not run":
                    self.faults.append(fault)
                if fault.verdict in ("MISSED", "CRASHED") or number % 50 == 0 or number == len(faults):
                    share = "" if fault.share is None else f" ({100 * fault.share:.2g} % of the elements)"
                    self.say(f"{number} of {len(faults)}: {fault.name()}: {fault.verdict}{share}"
                             + (f": {fault.error}" if fault.verdict == "CRASHED" else ""))
        order = {fault: number for number, fault in enumerate(faults)}
        self.faults.sort(key=lambda fault: order[fault])
        self.left = len(faults) - len(self.faults)
        self.unused = sorted(set(self.backend.all_parts()) - {part for run in runs for part in run.parts})

    # ---- Reports

    def table(self):
        touched = [fault for fault in self.faults if fault.verdict in ("refused", "MISSED", "CRASHED")]
        kinds = list(dict.fromkeys(self.column(fault) for fault in self.faults))
        algorithms = list(dict.fromkeys(fault.run.case.algorithm for fault in self.faults))
        lines = ["| algorithm | " + " | ".join(kinds) + " | all | share | harmless |", "|---" * (len(kinds) + 4) + "|"]
        for algorithm in [*algorithms, "all"]:
            chosen = [f for f in touched if algorithm in (f.run.case.algorithm, "all")]
            cells = [self.caught([f for f in chosen if self.column(f) == kind]) for kind in kinds]
            harmless = sum(f.verdict in ("harmless", "rounding") and algorithm in (f.run.case.algorithm, "all")
                           for f in self.faults)
            share = sum(f.verdict == "refused" for f in chosen) / len(chosen) if chosen else 1
            lines.append(f"| {algorithm} | " + " | ".join(cells) + f" | {self.caught(chosen)} | {100 * share:.1f} % | {harmless} |")
        lines.append("")
        for title, chosen in (
            ("in 1 % of the elements or more", [f for f in touched if not self.is_small(f)]),
            ("in fewer", [f for f in touched if self.is_small(f)]),
        ):
            lines.append(f"Faults {title}: {self.caught(chosen)} caught.")
        missed = [fault for fault in self.faults if fault.verdict in ("MISSED", "CRASHED")]
        for fault in missed:
            share = "" if fault.share is None else f", {100 * fault.share:.2g} % of the elements, by {fault.largest or 0:.1g}"
            lines.append(f"- {fault.verdict}: {fault.name()}{share}"
                         + (f": {fault.error[:200]}" if fault.verdict == "CRASHED" else ""))
        if self.left:
            lines += ["", f"Not run within {self.options.limit:.0f} s: {self.left} faults."]
        if self.unused and not self.options.algorithms:
            lines += ["", "Shaders that no run uses: " + ", ".join(self.unused) + "."]
        return "\n".join(lines) + "\n"

    @staticmethod
    def column(fault):
        return "target" if fault.kind.startswith("target") else fault.kind

    @staticmethod
    def is_small(fault):
        return fault.share is not None and fault.share < 0.01

    @staticmethod
    def caught(faults):
        return f"{sum(f.verdict == 'refused' for f in faults)} of {len(faults)}" if faults else "–"

    def is_good(self):
        touched = [fault for fault in self.faults if fault.verdict in ("refused", "MISSED", "CRASHED")]
        missed = [fault for fault in touched if fault.verdict != "refused"]
        return all(self.is_small(fault) and fault.verdict == "MISSED" for fault in missed) and (
            len(missed) <= 0.01 * len(touched))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="command to run")
    parser.add_argument("--backend", choices=("gl", "cuda"), default="gl")
    parser.add_argument("--algorithms", type=lambda text: text.split(","), default=[], metavar="NAME,…")
    parser.add_argument("--dialects", type=lambda text: text.split(","), default=[], metavar="NAME,…")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[], metavar="KIND,…")
    parser.add_argument("--only", metavar="REGEX", help="only runs and parts whose name matches")
    parser.add_argument("--quick", action="store_true", help="coarse check: each shader or kernel of each algorithm once")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="time after which no further fault begins; the order is random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="number of parallel processes")
    parser.add_argument("--timeout", type=float, default=120, help="time limit of a run in seconds")
    parser.add_argument("--out", help="write the table to this Markdown file")
    parser.add_argument("--json", help="write every fault to this JSON file")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory(prefix="falsify-") as folder:
        runner = Runner(options, folder)
        runner.make_inputs()
        series = Series(options, runner, (Shaders if options.backend == "gl" else Kernels)(runner, options))
        series.run()
    for name, reason in series.skipped:
        print(f"not run: {name}: {reason.splitlines()[0] if reason else ''}", file=sys.stderr)
    print(series.table())
    print("; ".join(f"{count} {verdict}" for verdict, count in Counter(f.verdict for f in series.faults).items()))
    if options.out:
        with open(options.out, "w") as file:
            file.write(series.table())
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"seed": options.seed, "backend": options.backend, "unused": series.unused,
                       "notRun": [{"run": name, "reason": reason} for name, reason in series.skipped],
                       "faults": [fault.document() for fault in series.faults]}, file, indent=1)
    return 0 if series.is_good() else 1


if __name__ == "__main__":
    sys.exit(main())
