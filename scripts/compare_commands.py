#!/usr/bin/python3
"""Runs commands of glycine next to those of other programs, on the same files in one run, and writes a table.

Usage: scripts/compare_commands.py --data DIR [-o OUT] [--glycine PROGRAM] [--threads N] [--repeats N]
                                   [--only ROW[,ROW…]] [--peer NAME=PROGRAM]… [--keep]

DIR holds snp/kg3_chr21_start.vcf.gz (1000 Genomes), snp/fastbaps_seqs.fa.gz (aligned bacterial genomes), mi/yeastCC_77.tsv.gz and
mi/table5_500.tsv.gz (expression, a gene per row), crossapen/edf/S001R01.edf, msa/families/BB*.fa and .ref (BAliBASE; capitals are core
columns) and msa/score.py, which prints "Q_core Q TC_core TC" for REF and TEST. Peers: Debian's plink1.9, plink2, quicktree, mafft,
clustalo, python3-scipy and python3-sklearn; FAMSA, MUSCLE and EntropyHub (the folder of its package) only with --peer famsa=PROGRAM,
muscle=PROGRAM, entropyhub=FOLDER. Debian has no minet and no antropy: formulas in NumPy, written below, stand for them. A peer that is not installed is left out and named.

Each row runs both commands once and compares their results, then `--repeats` times in turn; medians of wall times from start to
end count. Python's start and imports count for peers in Python. OUT.json has all samples, OUT.md the table; without -o the
table is printed. The exit code is 1 if a result differs by more than its row allows.
"""

import argparse
import datetime
import gzip
import importlib.metadata
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", type=Path, required=True)
parser.add_argument("-o", "--output", type=Path)
parser.add_argument("--glycine", type=Path, default=Path("build/release/glycine"))
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--repeats", type=int, default=3)
parser.add_argument("--only", default="")
parser.add_argument("--peer", action="append", default=[])
parser.add_argument("--keep", action="store_true", help="keep the folder of results, and print its name")
arguments = parser.parse_args()
THREADS = str(arguments.threads)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = THREADS

import numpy as np  # noqa: E402

DATA = arguments.data.resolve()
GLYCINE = str(arguments.glycine.resolve())
GIVEN = dict(one.split("=", 1) for one in arguments.peer)
STARTED = Path.cwd()
folder = Path(tempfile.mkdtemp(prefix="compare."))
os.chdir(folder)


# ---- peers in Python: what a user of NumPy, SciPy or scikit-learn would write, as programs of their own

PYTHON = {
    "cdist": """
from scipy.spatial.distance import cdist
np.save("theirs.npy", cdist(np.load("queries.npy"), np.load("genes.npy")))
""",
    "pdist": """
from scipy.spatial.distance import pdist, squareform
np.save("theirs.npy", squareform(pdist(np.load(sys.argv[1]), sys.argv[2])))
""",
    "correlation": """
from scipy.stats import spearmanr
genes = np.load("some.npy")
np.save("theirs.npy", np.corrcoef(genes) if sys.argv[1] == "pearson" else spearmanr(genes, axis=1)[0])
""",
    "cross_entropy": """
sys.path.insert(0, sys.argv[1])
import EntropyHub
signals = np.load("signals.npy")
of_pair = getattr(EntropyHub, sys.argv[2])
# Both functions return the entropies of m = 0 to 2; element (a, b) is that of (signals[b], signals[a]).
np.save("theirs.npy", [[of_pair(b, a, m=2)[0][2] for b in signals] for a in signals])
""",
    "neighbours": """
from sklearn.neighbors import NearestNeighbors
genes = np.load("genes.npy")
distances, places = NearestNeighbors(n_neighbors=6, algorithm="brute").fit(genes).kneighbors(genes)
np.savez("theirs.npz", distances=distances[:, 1:], places=places[:, 1:])
""",
    "clusters": """
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist
if sys.argv[1] == "single":
    names, rows = read_fasta("core.fa")
    letters = np.frombuffer("".join(rows).encode(), np.uint8).reshape(len(rows), -1)
    distances, within = pdist(letters, "hamming") * letters.shape[1], 12 + 1e-6
else:
    genes = np.load("some.npy")
    names, distances, within = range(1, len(genes) + 1), pdist(genes), 5
found = fcluster(linkage(distances, sys.argv[1]), within, "distance")
open("theirs.tsv", "w").writelines(f"{a}\\t{b}\\n" for a, b in zip(names, found))
""",
    "mutual_info_score": """
from sklearn.metrics import mutual_info_score
genes = np.load("few.npy")
low, high = genes.min(axis=1)[:, None], genes.max(axis=1)[:, None]
binned = np.minimum((genes - low) / (high - low) * 10, 9).astype(int)
n = len(genes)
result = np.zeros((n, n))
for i in range(n):
    for j in range(i):
        result[i, j] = result[j, i] = mutual_info_score(binned[i], binned[j])
np.save("theirs.npy", result)
""",
    "clr": """
I = np.load("mi.npy")
n = len(I)
np.fill_diagonal(I, np.nan)
z = np.maximum(0, (I - np.nanmean(I, axis=1)[:, None]) / np.nanstd(I, axis=1)[:, None])
np.save("theirs.npy", np.sqrt(z ** 2 + z.T ** 2))
""",
    "mrnet": """
I = np.load("mi.npy")
n = len(I)
np.fill_diagonal(I, 0)
scores = np.zeros((n, n))
for target in range(n):
    relevance = I[target].copy()
    relevance[target] = -np.inf
    redundancy = np.zeros(n)
    selected = 0
    while selected < n - 1:
        score = relevance - (redundancy / selected if selected else 0)
        best = np.argmax(score)
        if score[best] < 0:
            break
        scores[target, best] = score[best]
        relevance[best] = -np.inf
        redundancy += I[best]
        selected += 1
np.save("theirs.npy", np.maximum(scores, scores.T))
""",
    "aracne": """
I = np.load("mi.npy")
n = len(I)
np.fill_diagonal(I, 0)
kept = I.copy()
for x in range(n):
    # The strongest path x - y - z: the larger, over y, of the smaller of I_xy and I_yz.
    path = np.minimum(I[x][None, :], I).max(axis=1)
    kept[x][path >= I[x] / (1 - 0.01)] = 0
np.save("theirs.npy", kept)
""",
    "sampen": """
def entropy(x, m, r):
    n = len(x) - m
    short = np.lib.stride_tricks.sliding_window_view(x, m)[:n]
    a = b = 0
    for i in range(n - 1):
        near = np.abs(short[i + 1:] - short[i]).max(axis=1) <= r
        b += near.sum()
        a += (near & (np.abs(x[i + 1 + m:n + m] - x[i + m]) <= r)).sum()
    return -np.log(a / b)
x = np.load("eeg.npy")
np.save("theirs.npy", [entropy(one, 2, 0.2 * one.std(ddof=1)) for one in x])
""",
    "permen": """
from itertools import permutations
x = np.load("eeg.npy")
result = []
for one in x:
    # Equal samples keep their order in time.
    order = np.argsort(np.lib.stride_tricks.sliding_window_view(one, 3), axis=1, kind="stable")
    counts = np.unique(order @ [9, 3, 1], return_counts=True)[1]
    p = counts / counts.sum()
    result.append(-(p * np.log(p)).sum())
np.save("theirs.npy", result)
""",
}
HEAD = '''import sys
import numpy as np
def read_fasta(path):
    names, rows = [], []
    for line in open(path):
        if line.startswith(">"):
            names.append(line[1:].split()[0])
            rows.append([])
        else:
            rows[-1].append(line.strip())
    return names, ["".join(row) for row in rows]
'''
for name, text in PYTHON.items():
    Path(name + ".py").write_text(HEAD + text)


def formula(name, *more):
    return [sys.executable, name + ".py", *more]


# ---- inputs


def run(*command, **how):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, **how)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))}: exit code {done.returncode}: {(done.stderr or done.stdout)[-600:]}")
    return done.stdout


def glycine(*command):
    return [GLYCINE, *command, "--backend", "cpu", "--threads", THREADS, "--quiet"]


def table(path):
    with (gzip.open(path, "rt") if path.name.endswith(".gz") else open(path)) as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def first_lines(source, target, count):
    Path(target).write_text("".join(" ".join(line.split()[:2]) + "\n" for line in open(source).read().splitlines()[:count]))


def make_people():
    """1000 Genomes, 2,504 people; and a cohort as large as those that users have."""
    run("plink2", "--vcf", DATA / "snp/kg3_chr21_start.vcf.gz", "--max-alleles", 2, "--make-bed", "--out", "people")
    first_lines("people.fam", "some.txt", 800)
    run(GLYCINE, "generate", "genotypes", "--instances", 1500, "--attributes", 20000, "--missing", 0.01, "--seed", 1, "-o", "cohort.bed")


def make_core():
    with gzip.open(DATA / "snp/fastbaps_seqs.fa.gz", "rt") as file:
        Path("core.fa").write_text(file.read())
    run(GLYCINE, "distance", "core.fa", "--measure", "proportion", "-o", "core.npy", "-o", "core.tsv")
    # Differences of neighbouring strains are often equal, and programs break ties of joins differently.
    distances = np.load("core.npy")
    noise = np.random.default_rng(1).uniform(0, 1e-4, distances.shape)
    distances += noise + noise.T
    np.fill_diagonal(distances, 0)
    names = [line[1:].split()[0] for line in open("core.fa") if line.startswith(">")]
    with open("core.phy", "w") as file:
        file.write(f"{len(names)}\n")
        for name, row in zip(names, distances):
            file.write(name.ljust(10) + " " + " ".join(f"{value:.9f}" for value in row) + "\n")


def make_genes():
    rows = [row[1:] for row in table(DATA / "mi/yeastCC_77.tsv.gz")]
    genes = np.array([[float(one) if one not in ("", "NA", "nan", "NaN") else np.nan for one in row] for row in rows])
    genes = genes[np.isfinite(genes).sum(axis=1) > 40]
    genes = np.where(np.isnan(genes), np.nanmean(genes, axis=1)[:, None], genes)
    np.save("genes.npy", genes)
    np.save("queries.npy", genes[:500])
    np.save("some.npy", genes[:1500])
    np.save("levels.npy", np.exp2(genes[:1500]))
    np.save("raised.npy", genes[:1500] > 0)
    expression = np.array([[float(one) for one in row[1:]] for row in table(DATA / "mi/table5_500.tsv.gz")])
    np.save("few.npy", expression[:100])
    np.save("expression.npy", expression)
    run(GLYCINE, "mutualinfo", "expression.npy", "-o", "mi.npy")


def make_eeg():
    """The channels of an EDF file, digital values in 16 bits."""
    data = (DATA / "crossapen/edf/S001R01.edf").read_bytes()
    head, records, signals = int(data[184:192]), int(data[236:244]), int(data[252:256])
    fields = data[256:head].decode("latin-1")
    counts = [int(fields[216 * signals + 8 * s:216 * signals + 8 * s + 8]) for s in range(signals)]
    values = np.frombuffer(data[head:], "<i2")[:records * sum(counts)].reshape(records, -1)
    begins = np.cumsum([0, *counts])
    channels = [values[:, begins[s]:begins[s + 1]].ravel() for s in range(signals) if counts[s] == counts[0]]
    np.save("eeg.npy", np.array(channels[:16], float)[:, :4000])
    np.save("signals.npy", np.array(channels[:8], float)[:, :1000])


def make_families():
    os.makedirs("families")
    small = [path for path in sorted((DATA / "msa/families").glob("BB*.fa")) if path.read_text().count(">") <= 20]
    for path in small[::3]:
        shutil.copy(path, "families")
        shutil.copy(path.with_suffix(".ref"), "families")


MAKERS = {"people": make_people, "core": make_core, "genes": make_genes, "eeg": make_eeg, "families": make_families}


# ---- comparisons: each returns a text, and whether the results agree


def same_bytes(ours, theirs):
    equal = Path(ours).read_bytes() == Path(theirs).read_bytes()
    return ("same bytes" if equal else "bytes differ"), equal


def within(difference, limit):
    return f"largest difference {difference:.1g}", bool(difference <= limit)


def between(ours, theirs, limit):
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if a.shape != b.shape:
        return f"shapes {a.shape} and {b.shape}", False
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "values are missing in different places", False
    return within(np.nanmax(np.abs(a - b)), limit)


def floats(path):
    return np.fromfile(path, np.float32)


def axes():
    """Coordinates up to their signs and scale: 1 − |r| per axis."""
    def read(path, skip):
        return np.array([row.split()[skip:] for row in Path(path).read_text().splitlines()[1:]], float)
    ours = read("ours.tsv", 1)
    theirs = read("theirs.eigenvec", 2) if Path("theirs.eigenvec").exists() else read("theirs.mds", 3)
    r = [abs(np.corrcoef(ours[:, k], theirs[:, k])[0, 1]) for k in range(ours.shape[1])]
    return f"correlation of each axis at least 1 − {max(1e-16, 1 - min(r)):.0e}", min(r) > 1 - 1e-6


def neighbours():
    theirs = np.load("theirs.npz")
    rows = [line.split("\t") for line in Path("ours.tsv").read_text().splitlines()]
    ours = np.array([float(row[2]) for row in rows]).reshape(theirs["distances"].shape)
    places = np.array([int(row[1]) - 1 for row in rows]).reshape(ours.shape)
    text, agrees = between(ours, theirs["distances"], 1e-5)
    return f"{text}, {np.mean(places == theirs['places']):.2%} of the places", agrees


def partitions():
    ours = {row[0]: row[1] for row in table(Path("ours.tsv"))}
    theirs = dict(line.split("\t") for line in Path("theirs.tsv").read_text().splitlines())
    clusters = []
    for labels in (ours, theirs):
        groups = {}
        for name, label in labels.items():
            groups.setdefault(label, set()).add(name)
        clusters.append({frozenset(group) for group in groups.values() if len(group) > 1})
    equal = clusters[0] == clusters[1]
    return (f"the same {len(clusters[0])} clusters" if equal else f"{len(clusters[0] ^ clusters[1])} clusters differ"), equal


def paths_in(text):
    """Lengths of the paths between the leaves of a Newick tree, by name."""
    text = "".join(text.split())
    place = 0
    pairs = {}

    def label(end):
        nonlocal place
        begin = place
        while text[place] not in end:
            place += 1
        return text[begin:place]

    def node():
        nonlocal place
        if text[place] == "(":
            children = []
            while text[place] in "(,":
                place += 1
                children.append(node())
            place += 1
            label(":,();")
            below = {}
            for child in children:
                for a, x in below.items():
                    for b, y in child.items():
                        pairs[(a, b) if a < b else (b, a)] = x + y
                below.update(child)
        else:
            below = {label(":,();").strip("'"): 0.0}
        length = 0.0
        if text[place] == ":":
            place += 1
            length = float(label(",();"))
        return {name: distance + length for name, distance in below.items()}

    sys.setrecursionlimit(10000)
    node()
    return pairs


def trees():
    ours, theirs = paths_in(Path("ours.nwk").read_text()), paths_in(Path("theirs.nwk").read_text())
    if set(ours) != set(theirs):
        return "leaves differ", False
    # QuickTree writes lengths with five decimals; a path has at most some hundred.
    return within(max(abs(ours[pair] - theirs[pair]) for pair in ours), 1e-3)


def network():
    """Edges by name against a matrix of scores."""
    theirs = np.load("theirs.npy")
    n = len(theirs)
    ours = np.zeros((n, n))
    for row in table(Path("ours.tsv")):
        i, j = int(row[0]) - 1, int(row[1]) - 1
        ours[i, j] = ours[j, i] = float(row[2])
    np.fill_diagonal(theirs, 0)
    edges, expected = int((ours > 0).sum() // 2), int((theirs > 1e-12).sum() // 2)
    text, agrees = between(ours, theirs, 1e-9)
    return f"{text}; {edges:,} edges", agrees and abs(edges - expected) <= max(2, expected // 10000)


def entropies(column):
    lines = [line.split(",") for line in Path("ours.csv").read_text().splitlines()]
    where = lines[0].index(column)
    return between([float(line[where]) for line in lines[1:]], np.load("theirs.npy"), 1e-10)


class Families:
    """A command per family; the quality of all, with and without the peer."""

    def __init__(self, ours, theirs):
        self.programs = (ours, theirs)

    def commands(self, side):
        name = ("ours", "theirs")[side]
        os.makedirs(name, exist_ok=True)
        for path in sorted(Path("families").glob("*.fa")):
            yield self.programs[side](path, f"{name}/{path.stem}.aln")

    def compare(self):
        means = []
        for name in ("ours", "theirs"):
            scores = [run(sys.executable, DATA / "msa/score.py", path, f"{name}/{path.stem}.aln").split() for path in sorted(Path("families").glob("*.ref"))]
            means.append([statistics.mean(float(one[k]) for one in scores) for k in (1, 3)])
        return "Q {:.3f}, TC {:.3f}; the peer's {:.3f}, {:.3f}".format(*means[0], *means[1]), means[0][0] > 0.5


def to_file(command):
    """For programs that write to standard output."""
    return lambda path, out: (command(path), out)


ROWS = []


def row(name, title, data, peer, ours, theirs, compare, rename=()):
    ROWS.append({"name": name, "title": title, "data": data, "peer": peer, "ours": ours, "theirs": theirs, "compare": compare, "rename": rename})


def plink(version, bfile, *more):
    return [f"plink{version}", "--bfile", bfile, *more, "--threads", THREADS, "--out", "theirs"]


for bfile, what in (("people", "1000 Genomes"), ("cohort", "1,500 × 20,000")):
    row(f"king-{bfile}", f"kinship table, {what}", "people", "plink2", glycine("distance", f"{bfile}.bed", "--measure", "king", "-o", "ours.kin0"), plink(2, bfile, "--make-king-table"), lambda: same_bytes("ours.kin0", "theirs.kin0"))
row("relatives", "pairs above a kinship of 0.0442, cohort", "people", "plink2", glycine("distance", "cohort.bed", "--measure", "king", "--min-kinship", "0.0442", "-o", "ours.kin0"), plink(2, "cohort", "--make-king-table", "--king-table-filter", "0.0442"), lambda: same_bytes("ours.kin0", "theirs.kin0"))
row("grm", "relationships, cohort", "people", "plink2", glycine("distance", "cohort.bed", "--measure", "grm", "-o", "ours.grm.bin"), plink(2, "cohort", "--make-grm-bin"), lambda: between(floats("ours.grm.bin"), floats("theirs.grm.bin"), 1e-5))
row("grm-1.9", "relationships, 1000 Genomes", "people", "plink1.9", glycine("distance", "people.bed", "--measure", "grm", "--maf", "0.01", "-o", "ours.grm.bin"), plink(1.9, "people", "--make-grm-bin", "--maf", "0.01"), lambda: between(floats("ours.grm.bin"), floats("theirs.grm.bin"), 1e-6))
row("ibs", "IBS, cohort", "people", "plink1.9", glycine("distance", "cohort.bed", "--measure", "ibs", "-o", "ours.mibs"), plink(1.9, "cohort", "--distance", "ibs"), lambda: same_bytes("ours.mibs", "theirs.mibs"))
row("1-ibs", "1 − IBS, cohort", "people", "plink1.9", glycine("distance", "cohort.bed", "--measure", "1-ibs", "-o", "ours.mdist"), plink(1.9, "cohort", "--distance", "1-ibs"), lambda: same_bytes("ours.mdist", "theirs.mdist"))
row("pca", "principal components, 1000 Genomes", "people", "plink2", glycine("distance", "people.bed", "--measure", "grm", "--maf", "0.01", "--coordinates", "4", "-o", "ours.tsv"), plink(2, "people", "--maf", "0.01", "--pca", "4"), axes)
row("pcoa", "principal coordinates of 1 − IBS, 800 people", "people", "plink1.9", glycine("distance", "people.bed", "--measure", "1-ibs", "--keep", "some.txt", "--coordinates", "4", "-o", "ours.tsv"), plink(1.9, "people", "--keep", "some.txt", "--cluster", "--mds-plot", "4"), axes)
row("against", "500 genes × all others, Euclidean", "genes", "scipy", glycine("distance", "queries.npy", "--against", "genes.npy", "-o", "ours.npy"), formula("cdist"), lambda: between(np.load("ours.npy"), np.load("theirs.npy"), 1e-9))
for file, metrics in (("levels", ("cosine", "chebyshev", "braycurtis", "cityblock")), ("raised", ("jaccard", "hamming"))):
    for metric in metrics:
        row(metric, f"{metric} of 1,500 genes, {file}", "genes", "scipy", glycine("distance", f"{file}.npy", "--measure", {"cityblock": "manhattan"}.get(metric, metric), "-o", "ours.npy"), formula("pdist", f"{file}.npy", metric), lambda: between(np.load("ours.npy"), np.load("theirs.npy"), 1e-12))
for method in ("pearson", "spearman"):
    row(method, f"{method} correlation of 1,500 genes", "genes", "scipy", glycine("mutualinfo", "some.npy", "--method", method, "-o", "ours.npy"), formula("correlation", method), lambda: between(np.load("ours.npy"), np.load("theirs.npy"), 1e-12))
row("nearest", "the 5 nearest genes of each gene", "genes", "sklearn", glycine("distance", "genes.npy", "--molten", "--nearest", "5", "-o", "ours.tsv"), formula("neighbours"), neighbours)
row("clusters-single", "clusters of 515 strains within 12 differences", "core", "scipy", glycine("distance", "core.fa", "--clusters", "12", "-o", "ours.tsv"), formula("clusters", "single"), partitions)
# Whole numbers of differences are often equal, and programs break ties of joins differently: distances of genes.
for linkage in ("complete", "average"):
    row(f"clusters-{linkage}", f"clusters of 1,500 genes, {linkage} linkage", "genes", "scipy", glycine("distance", "some.npy", "--clusters", "5", "--linkage", linkage, "-o", "ours.tsv"), formula("clusters", linkage), partitions)
for method, more in (("nj", []), ("upgma", ["-upgma"])):
    row(method, f"tree of 515 strains, {method.upper()}", "core", "quicktree", glycine("tree", "core.phy", "--method", method, "-o", "ours.nwk"), (["quicktree", "-in", "m", "-out", "t", *more, "core.phy"], "theirs.nwk"), trees)
row("bins", "mutual information, 100 genes × 500, 10 bins", "genes", "sklearn", glycine("mutualinfo", "few.npy", "--method", "bins", "--unit", "nats", "--rank", "none", "-o", "ours.npy"), formula("mutual_info_score"), lambda: between(*(np.where(np.eye(100), 0, np.load(name)) for name in ("ours.npy", "theirs.npy")), 1e-12))
for method, more in (("clr", []), ("mrnet", ["--selections", "250"]), ("aracne", ["--dpi", "0.01"])):
    row(method, f"{method.upper()} of a matrix of 250 genes", "genes", "NumPy", glycine("network", "mi.npy", "--matrix", "--method", method, *more, "-o", "ours.tsv"), formula(method), network)
row("sampen", "SampEn, 16 channels × 4,000", "eeg", "NumPy", glycine("crossapen", "eeg.npy", "--measure", "sampen", "--m", "2", "--epoch", "4000", "--precision", "float64", "-o", "ours.csv"), formula("sampen"), lambda: entropies("sampen"))
row("permen", "permutation entropy, 16 channels × 4,000", "eeg", "NumPy", glycine("crossapen", "eeg.npy", "--measure", "permen", "--m", "3", "--epoch", "4000", "-o", "ours.csv"), formula("permen"), lambda: entropies("permen"))
for measure, function in (("crossapen", "XApEn"), ("crosssampen", "XSampEn")):
    row(measure, f"{function}, 8 × 8 channels × 1,000", "eeg", "entropyhub", glycine("crossapen", "signals.npy", "--measure", measure, "--m", "2", "--epoch", "1000", "--convention", "entropyhub", "-o", "ours.npy"), formula("cross_entropy", GIVEN.get("entropyhub", ""), function), lambda: between(np.load("ours.npy"), np.load("theirs.npy"), 1e-10))
ALIGN = {
    "clustalo": ("clustalo", lambda path, out: ["clustalo", "-i", str(path), "-o", out, "--threads", THREADS, "--force"]),
    "mafft-linsi": ("mafft", lambda path, out: (["mafft", "--quiet", "--localpair", "--maxiterate", "1000", "--thread", THREADS, str(path)], out)),
    "mafft-auto": ("mafft", lambda path, out: (["mafft", "--quiet", "--auto", "--thread", THREADS, str(path)], out)),
    "famsa": ("famsa", lambda path, out: [GIVEN["famsa"], "-t", THREADS, str(path), out]),
    "muscle": ("muscle", lambda path, out: [GIVEN["muscle"], "-align", str(path), "-output", out, "-threads", THREADS]),
}
for name, (peer, theirs) in ALIGN.items():
    fast = ["--method", "fast"] if name in ("mafft-auto", "famsa") else []
    pair = Families(lambda path, out, fast=fast: glycine("align", str(path), *fast, "-o", out), theirs)
    row(f"align-{name}", f"families of up to 20 sequences of BAliBASE, {'--method fast' if fast else 'the default method'}", "families", peer, pair, name.replace("-", " "), pair.compare)


# ---- runs


def start(one):
    """Runs a command, or (command, file for its standard output)."""
    command, out = one if isinstance(one, tuple) else (one, None)
    begin = time.perf_counter()
    with open(out, "w") if out else open(os.devnull, "w") as file:
        done = subprocess.run(command, stdout=file, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}: exit code {done.returncode}: {done.stderr[-600:]}")
    return time.perf_counter() - begin


def side(one, k):
    if isinstance(one["ours"], Families):
        return sum(start(command) for command in one["ours"].commands(k))
    return start(one["ours"] if k == 0 else one["theirs"])


def version(peer):
    """What a peer says that it is; nothing if it is not installed."""
    try:
        if peer in ("scipy", "sklearn", "NumPy"):
            module = {"NumPy": "numpy"}.get(peer, peer)
            return f"{peer} " + run(sys.executable, "-c", f"import {module}; print({module}.__version__)").strip()
        if peer in ("famsa", "muscle", "entropyhub") and peer not in GIVEN:
            return None
        if peer == "entropyhub":
            found = importlib.metadata.distributions(name="EntropyHub", path=[GIVEN[peer]])
            return next((f"EntropyHub {one.version}" for one in found), None)
        program = shutil.which(GIVEN.get(peer, peer))
        if program is None:
            return None
        if peer in ("quicktree", "famsa"):
            packaged = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", peer], capture_output=True, text=True).stdout
            return f"{peer} {packaged}".strip()
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
        return f"{peer} " + " ".join(word for word in (done.stdout + done.stderr).split("\n")[0].split()[:3] if word.upper() not in ("PLINK", peer.upper()))
    except (RuntimeError, OSError):
        return None


def readable(command):
    if isinstance(command, Families):
        command = command.programs[0]("FAMILY.fa", "FAMILY.aln")
    command = command[0] if isinstance(command, tuple) else command
    if isinstance(command, str):
        return command
    words = [os.path.basename(word) if "/" in word else word for word in command]
    for option in ("--backend", "--threads", "--out", "-o"):
        while option in words:
            k = words.index(option)
            del words[k:k + 2]
    return " ".join(word for word in words if word not in ("--quiet",))


model = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
load = os.getloadavg()[0]
result = {
    "date": datetime.date.today().isoformat(),
    "machine": f"{model[0] if model else platform.machine()}, {os.cpu_count()} processors",
    "system": platform.platform(),
    "glycine": run(GLYCINE, "--version").strip(),
    "threads": arguments.threads,
    "repeats": arguments.repeats,
    "loadAtStart": load,
    "isProvisional": load > 0.5,
    "rows": [],
    "leftOut": [],
}
chosen = [one for one in ROWS if not arguments.only or one["name"] in arguments.only.split(",")]
if not chosen:
    sys.exit(f"--only {arguments.only}: no such row; there are: {', '.join(one['name'] for one in ROWS)}")
versions = {peer: version(peer) for peer in {one["peer"] for one in chosen}}
made = set()
try:
    for one in chosen:
        if versions[one["peer"]] is None:
            result["leftOut"].append(f"{one['name']}: {one['peer']} is not there")
            continue
        try:
            if one["data"] not in made:
                MAKERS[one["data"]]()
                made.add(one["data"])
            for old in folder.glob("theirs.*"):
                old.unlink()
            side(one, 1), side(one, 0)
            text, agrees = one["compare"]()
            seconds = [[], []]
            for repeat in range(arguments.repeats):
                for k in ((0, 1), (1, 0))[repeat % 2]:
                    seconds[k].append(side(one, k))
        except (RuntimeError, OSError, ValueError, IndexError) as error:
            text, agrees, seconds = f"failed: {error}", False, [[], []]
        found = {"name": one["name"], "title": one["title"], "ours": readable(one["ours"]), "peer": versions[one["peer"]], "theirs": readable(one["theirs"]), "values": text, "agree": bool(agrees), "seconds": seconds[0], "peerSeconds": seconds[1]}
        if seconds[0]:
            found["ratio"] = statistics.median(seconds[1]) / statistics.median(seconds[0])
        result["rows"].append(found)
        ratio = f"{found['ratio']:.2f} ×" if "ratio" in found else ""
        print(f"{one['name']}: {text}; {ratio}", file=sys.stderr, flush=True)
finally:
    os.chdir("/")
    if arguments.keep:
        print(folder, file=sys.stderr)
    else:
        shutil.rmtree(folder)
result["loadAtEnd"] = os.getloadavg()[0]


def digits(seconds):
    return f"{statistics.median(seconds):.3g}" if seconds else ""


samples = f" All samples: [{arguments.output.stem}.json]({arguments.output.stem}.json)." if arguments.output else ""
lines = ["# Measured: answers next to other programs", "", "Made by [scripts/compare_commands.py](../../scripts/compare_commands.py), which says what it runs on. Each row runs both programs on the "
         "same files, compares the results, and times both from start to end, those in Python with their imports."
         + samples, "", f"{result['machine']}; {result['glycine'].splitlines()[0]}; {result['date']}; {arguments.threads} threads each, medians of {arguments.repeats} runs in turn, load {load:.1f} at the start.", ""]
if result["isProvisional"]:
    lines += ["**The machine was busy: values hold, times are provisional.**", ""]
lines += ["| task | `glycine` | peer | values | seconds | the peer's | times as fast |", "|---|---|---|---|---|---|---|"]
for one in result["rows"]:
    ours = one["ours"].removeprefix("glycine ")
    lines.append(f"| {one['title']} | `{ours}` | {one['peer']}: `{one['theirs']}` | {one['values']} | {digits(one['seconds'])} | {digits(one['peerSeconds'])} | {one['ratio']:.2g} |" if "ratio" in one else f"| {one['title']} | `{ours}` | {one['peer']} | {one['values']} | | | |")
lines += [f"\nLeft out: {one}" for one in result["leftOut"]]
if arguments.output:
    out = STARTED / arguments.output
    out.with_suffix(".json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    out.with_suffix(".md").write_text("\n".join(lines) + "\n")
else:
    print("\n".join(lines))
sys.exit(0 if all(one["agree"] for one in result["rows"]) else 1)
