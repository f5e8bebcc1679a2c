"""`pairwise` and `align`: Gotoh's recurrence with identities, and properties of every alignment."""

import math

from . import files, outputs, tables
from .case import Failure, refusable

BLOSUM62 = """
A  4 -1 -2 -2  0 -1 -1  0 -2 -1 -1 -1 -1 -2 -1  1  0 -3 -2  0
R -1  5  0 -2 -3  1  0 -2  0 -3 -2  2 -1 -3 -2 -1 -1 -3 -2 -3
N -2  0  6  1 -3  0  0  0  1 -3 -3  0 -2 -3 -2  1  0 -4 -2 -3
D -2 -2  1  6 -3  0  2 -1 -1 -3 -4 -1 -3 -3 -1  0 -1 -4 -3 -3
C  0 -3 -3 -3  9 -3 -4 -3 -3 -1 -1 -3 -1 -2 -3 -1 -1 -2 -2 -1
Q -1  1  0  0 -3  5  2 -2  0 -3 -2  1  0 -3 -1  0 -1 -2 -1 -2
E -1  0  0  2 -4  2  5 -2  0 -3 -3  1 -2 -3 -1  0 -1 -3 -2 -2
G  0 -2  0 -1 -3 -2 -2  6 -2 -4 -4 -2 -3 -3 -2  0 -2 -2 -3 -3
H -2  0  1 -1 -3  0  0 -2  8 -3 -3 -1 -2 -1 -2 -1 -2 -2  2 -3
I -1 -3 -3 -3 -1 -3 -3 -4 -3  4  2 -3  1  0 -3 -2 -1 -3 -1  3
L -1 -2 -3 -4 -1 -2 -3 -4 -3  2  4 -2  2  0 -3 -2 -1 -2 -1  1
K -1  2  0 -1 -3  1  1 -2 -1 -3 -2  5 -1 -3 -1  0 -1 -3 -2 -2
M -1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5  0 -2 -1 -1 -1 -1  1
F -2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6 -4 -2 -2  1  3 -1
P -1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7 -1 -1 -4 -3 -2
S  1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4  1 -3 -2 -2
T  0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5 -2 -2  0
W -3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11  2 -3
Y -2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7 -1
V  0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4
"""
LOWEST = (-math.inf, 0)


def blosum62():
    rows = [line.split() for line in BLOSUM62.strip().split("\n")]
    return {(a[0], b[0]): int(a[1 + j]) for a in rows for j, b in enumerate(rows)}


def align_pair(a, b, score, gap_open, gap_extend, local):
    """(score, identities): the best score, and the largest number of identities among alignments with this score."""
    better = max
    shift = lambda cell, by: (cell[0] + by, cell[1])
    zero = (0, 0)
    above = [zero] + [zero if local else (-gap_open - j * gap_extend, 0) for j in range(1, len(b) + 1)]
    f = [LOWEST] * (len(b) + 1)
    best = zero
    for i in range(1, len(a) + 1):
        row = [zero if local else (-gap_open - i * gap_extend, 0)]
        e = LOWEST
        if not local:
            f[0] = row[0]
        for j in range(1, len(b) + 1):
            e = shift(better(e, shift(row[j - 1], -gap_open)), -gap_extend)
            f[j] = shift(better(f[j], shift(above[j], -gap_open)), -gap_extend)
            pair = (above[j - 1][0] + score[a[i - 1], b[j - 1]], above[j - 1][1] + (a[i - 1] == b[j - 1]))
            cell = better(pair, e, f[j])
            if local and cell[0] <= 0:
                cell = better(cell, zero) if cell[0] == 0 else zero
            row.append(cell)
            best = better(best, cell)
        above = row
    return best if local else above[-1]


# Input

def family(case, letters, least=2, most=9, longest=60):
    r = case.random
    n = case.size(least, most)
    ancestor = [r.choice(letters) for _ in range(case.size(1, longest))]
    change, cut = r.choice([0.05, 0.3, 1.0]), r.choice([0, 0.05, 0.2])
    texts = []
    for _ in range(n):
        row = []
        for c in ancestor:
            if r.random() < cut:
                continue
            row.append(r.choice(letters) if r.random() < change else c)
            if r.random() < cut / 2:
                row += [r.choice(letters) for _ in range(r.randint(1, 5))]
        texts.append("".join(row) or r.choice(letters))
    if n > 2 and case.chance(0.2):
        texts[1] = texts[0]
    if case.chance(0.1):
        texts[0] = r.choice(letters)
    return texts


def write_fasta(case, names, texts, kind, stem="in", gaps=True):
    """Writes the file: letters in either case, ignored gaps, long and short lines."""
    r = case.random
    style = r.choice(["plain", "plain", "lower", "gaps" if gaps else "plain", "mixed"])
    def shown(text):
        if style == "lower":
            return text.lower()
        if style == "gaps":
            return "".join(c + ("-" if case.chance(0.2) else "." if case.chance(0.05) else "") for c in text)
        if style == "mixed":
            return "".join(c.lower() if case.chance(0.5) else c for c in text)
        return text
    heads = [name + (" of a family" if case.chance(0.2) else "") for name in names]
    text = files.fasta(heads, [shown(t) for t in texts], r.choice([1, 7, 60, 1000]), r.choice(["\n", "\n", "\r\n"]))
    if case.chance(0.1):
        text = text.rstrip("\r\n")
    ending = r.choice([".fa", ".fasta"])
    if case.chance(0.15):
        return case.write(stem + ending + ".gz", files.packed(text))
    return case.write(stem + ending, text)


def sequence_names(case, count):
    return [tables.without_space(name) for name in tables.random_names(case, count, avoid=" #")]


def scoring(case, kind):
    """(options, letters' scores, opening, extension)"""
    r = case.random
    letters = tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES
    pairs = [(a, b) for a in letters for b in letters]
    choice = r.choice(["default", "default", "thesis", "identity", "file", "iub" if kind != "protein" else "file"])
    penalties = []
    gap_open, gap_extend = None, None
    if choice in ("identity", "file", "iub") or (choice == "default" and case.chance(0.5)):
        gap_open, gap_extend = r.choice([0, 1, 5, 11, 40]), r.choice([0, 1, 2, 7])
        penalties = ["--gap-open", gap_open, "--gap-extend", gap_extend]
    if choice == "thesis":
        return ["--method", "thesis"], {p: 1 if p[0] == p[1] else -1 for p in pairs}, 0, 2
    if choice == "identity":
        return ["--matrix", "IDENTITY", *penalties], {p: 10 if p[0] == p[1] else 0 for p in pairs}, gap_open, gap_extend
    if choice == "iub":
        return ["--matrix", "IUB", *penalties], {p: 10 if p[0] == p[1] else -9 for p in pairs}, gap_open, gap_extend
    if choice == "file":
        most = r.choice([3, 20, 20, 1000])
        score = {}
        for a, b in pairs:
            score[a, b] = score[b, a] = r.randint(-most, most)
        lines = ["# random", "   " + " ".join(letters)] + [f"{a} " + " ".join(str(score[a, b]) for b in letters) for a in letters]
        return ["--matrix", case.write("matrix.txt", "\n".join(lines) + "\n"), *penalties], score, gap_open, gap_extend
    if kind == "protein":
        return penalties, blosum62(), 11 if gap_open is None else gap_open, 1 if gap_extend is None else gap_extend
    if not penalties:
        penalties = ["--gap-open", 10, "--gap-extend", 1]
        gap_open, gap_extend = 10, 1
    return ["--matrix", "EDNAFULL", *penalties], {p: 5 if p[0] == p[1] else -4 for p in pairs}, gap_open, gap_extend


def run_pairwise(case):
    r = case.random
    kind = r.choice(["protein", "protein", "dna"])
    texts = family(case, tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES)
    names = sequence_names(case, len(texts))
    name = write_fasta(case, names, texts, kind)
    options, score, gap_open, gap_extend = scoring(case, kind)
    local = case.chance(0.35) and "thesis" not in options
    measure = r.choice(["score", "identity", "distance", "distance"])
    options = [*options, "--alphabet", kind, "--measure", measure] + (["--method", "local"] if local else [])
    kinds = [".npy", ".npz", ".csv", ".tsv"] + ([".phy"] if measure == "distance" else [])
    wanted = outputs.Wanted(case, kinds, measure)
    if measure == "score":
        wanted.options = [o for k, o in enumerate(wanted.options) if o != "--dtype" and (k == 0 or wanted.options[k - 1] != "--dtype")]
        wanted.code, wanted.dtype = "i4", None
    if case.chance(0.3):
        options += ["--tile", r.choice([1, 2, 3, 64])]
    backend, _ = case.settings.backends.choose(case, "pairwise")
    case.attempt("pairwise", name, *options, *wanted.options, *backend, "--json", outputs=wanted.outputs, may_refuse=refusable(backend))
    n = len(texts)
    expected = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            best, same = align_pair(texts[i], texts[j], score, gap_open, gap_extend, local)
            share = same / min(len(texts[i]), len(texts[j]))
            value = float(best) if measure == "score" else share if measure == "identity" else 1 - share
            expected[i][j] = expected[j][i] = float(sum(score[c, c] for c in texts[i])) if i == j else value
    for output, found, digits in read_matrices(case, wanted, names):
        # A sequence is aligned with itself letter by letter, even if a strange matrix would favour something else.
        found = [[None if i == j and (measure != "score" or local) else v for j, v in enumerate(row)] for i, row in enumerate(found)]
        outputs.compare(case, output, expected, found, 1e-15, 1e-15 + digits, names)


def read_matrices(case, wanted, names):
    if any(output.endswith(".npz") for output in wanted.outputs):
        wanted.npz = "measure"
    return outputs.read(case, wanted, names)


# Multiple alignments

READERS = {".aln": files.read_clustal, ".clustal": files.read_clustal, ".fa": files.read_fasta, ".fasta": files.read_fasta,
           ".afa": files.read_fasta, ".sto": files.read_stockholm, ".phy": files.read_phylip_alignment, ".msf": files.read_msf}


def canonical(text, kind):
    """Maps letters that the program treats as equal: upper and lower case; T and U; ? is X (N)."""
    text = text.upper().replace("?", "X" if kind == "protein" else "N")
    return text.replace("U", "T") if kind != "protein" else text


def check_alignment(case, output, rows, texts, kind):
    """rows: name → letters and gaps."""
    lengths = {len(row) for row in rows.values()}
    case.equal(f"{output}: different lengths of rows", 1, len(lengths))
    for name, text in texts.items():
        letters = rows[name].replace("-", "").replace(".", "")
        case.equal(f"{output}: the letters of {name!r}", canonical(text, kind), canonical(letters, kind))
    for column in range(lengths.pop()):
        if all(row[column] in "-." for row in rows.values()):
            raise Failure(f"{output}: column {column}", "a letter in some row", "gaps alone")


def run_align(case):
    r = case.random
    kind = r.choice(["protein", "protein", "dna", "rna"])
    letters = tables.RESIDUES if kind == "protein" else "ACGU" if kind == "rna" else tables.NUCLEOTIDES
    if case.chance(0.2):
        letters += "X" if kind == "protein" else "N"
    texts = family(case, letters, most=12)
    method = r.choice([[], [], ["--method", "fast"], ["--method", "clustalw"], ["--method", "clustalw"], ["--method", "thesis"]])
    names = sequence_names(case, len(texts))
    name = write_fasta(case, names, texts, kind)
    order = case.pick("input", "aligned", None)
    options = [*method, "--alphabet", kind] + (["--order", order] if order else [])
    by_input = order == "input" or (order is None and method != ["--method", "clustalw"])
    if method != ["--method", "fast"] and case.chance(0.3):
        options += ["--guide-tree", r.choice(["nj", "upgma"])]
    if case.chance(0.3):
        options += ["--tile", r.choice([1, 3, 64])] if method != ["--method", "fast"] else []
    wanted = ["out" + ending for ending in r.sample(sorted(READERS), r.choice([1, 1, 2]))]
    extra = []
    if case.chance(0.3):
        extra += ["-o", r.choice(["guide.nwk", "guide.dnd"])]
    backend, _ = case.settings.backends.choose(case, "align", gl_share=0.05)
    arguments = [name, *options, *[v for output in wanted for v in ("-o", output)], *extra, *backend]
    case.attempt("align", *arguments, outputs=wanted + extra[1::2], may_refuse=refusable(backend) or "--tile" in options)
    texts = dict(zip(names, texts))
    first = None
    for output in wanted:
        ending = "." + output.rsplit(".", 1)[1]
        shown, rows = READERS[ending](case.read_text(output), output)
        if ending == ".msf" and any(not name.replace("_", "").isalnum() for name in names):
            continue
        case.equal(f"{output}: names", sorted(names), sorted(shown))
        if by_input:
            case.equal(f"{output}: order of the names", names, shown)
        rows = {name: row.replace(".", "-").upper() for name, row in zip(shown, rows)}
        check_alignment(case, output, rows, texts, kind)
        if first is not None:
            case.equal(f"{output}: the same alignment as in {wanted[0]}", first, {k: canonical(v, kind) for k, v in rows.items()})
        first = {k: canonical(v, kind) for k, v in rows.items()}
    if extra:
        tree = files.read_newick(case.read_text(extra[1]), extra[1])
        case.equal(f"{extra[1]}: leaves", sorted(names), sorted(n for c, n in zip(*tree[:2]) if not c))
    if first and len(texts) == 2 and method == ["--method", "thesis"] and kind == "dna" and "N" not in letters:
        a, b = first[names[0]], first[names[1]]
        found = sum(-2 if "-" in pair else 1 if pair[0] == pair[1] else -1 for pair in zip(a, b))
        best, _ = align_pair(texts[names[0]], texts[names[1]], {(x, y): 1 if x == y else -1 for x in letters for y in letters}, 0, 2, False)
        case.equal("score of the alignment of two (thesis)", best, found)


def run_add(case):
    """--add NEW --to ALIGNMENT: letters in a column of the alignment stay in one column."""
    r = case.random
    kind = r.choice(["protein", "dna"])
    letters = tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES
    texts = family(case, letters, least=3, most=7, longest=40)
    names = [f"s{i}" for i in range(len(texts))]
    old = r.randint(1, len(texts) - 1) if len(texts) > 2 else 2
    old = max(2, min(old, len(texts) - 1))
    width = max(map(len, texts[:old]))
    rows = []
    for text in texts[:old]:
        row = list(text)
        while len(row) < width:
            row.insert(r.randint(0, len(row)), "-")
        rows.append("".join(row))
    case.write("old.fa", files.fasta(names[:old], rows))
    case.write("new.fa", files.fasta(names[old:], texts[old:]))
    backend, _ = case.settings.backends.choose(case, "align", gl_share=0.04, variants=False)
    case.attempt("align", "--add", "new.fa", "--to", "old.fa", "-o", "out.fa", "--alphabet", kind, *backend, outputs=["out.fa"],
                 may_refuse=refusable(backend))
    shown, found = files.read_fasta(case.read_text("out.fa"), "out.fa")
    found = dict(zip(shown, (row.upper() for row in found)))
    case.equal("out.fa: names", sorted(names), sorted(found))
    check_alignment(case, "out.fa", found, dict(zip(names, texts)), kind)
    kept = [column for column in zip(*(found[name] for name in names[:old])) if set(column) != {"-"}]
    case.equal("columns of the alignment that is added to", [c for c in zip(*rows) if set(c) != {"-"}], kept)


def run_stages(case):
    """The stages of `align` give the same results one by one as together; its distances equal those of `pairwise`."""
    r = case.random
    kind = r.choice(["protein", "dna"])
    texts = family(case, tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES, least=3, most=8, longest=40)
    names = [f"s{i}" for i in range(len(texts))]
    name = write_fasta(case, names, texts, kind)
    method = r.choice(["clustalw", "thesis"])
    options = ["--method", method, "--alphabet", kind]
    case.run("align", name, *options, "-o", "whole.fa", "-o", "whole.dnd", "-o", "whole.tsv",
             outputs=["whole.fa", "whole.dnd", "whole.tsv"])
    measure = ["--measure", "mismatch"] if method == "thesis" else []
    case.run("pairwise", name, *options, *measure, "-o", "pairs.tsv", outputs=["pairs.tsv"])
    case.run("align", name, *options, "--stage", "pairwise", "-o", "stage.tsv", outputs=["stage.tsv"])
    case.equal("distances of --stage pairwise and of pairwise", case.read("pairs.tsv"), case.read("stage.tsv"))
    case.equal("distances of align and of pairwise", case.read("pairs.tsv"), case.read("whole.tsv"))
    case.run("align", name, *options, "--stage", "tree", "-o", "stage.dnd", outputs=["stage.dnd"])
    case.equal("the tree of --stage tree and of all stages", case.read("whole.dnd"), case.read("stage.dnd"))
    case.run("align", name, *options, "--distances-in", "pairs.tsv", "-o", "after.fa", outputs=["after.fa"])
    case.equal("the alignment with and without --distances-in", case.read("whole.fa"), case.read("after.fa"))


KINDS = [("align", run_stages, 2), ("pairwise", run_pairwise, 12), ("align", run_align, 8), ("align", run_add, 2)]
