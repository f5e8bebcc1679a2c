"""`distance`: counts and sums over the attributes of each pair, as defined in docs/distance.md."""

import math
from fractions import Fraction

from . import files, outputs, tables
from .case import Failure, refusable

NAN = math.nan
COUNTS = ("mismatch", "proportion", "allele", "ibs", "1-ibs", "plink")
LARGEST = 1.7976931348623157e308


class Data:
    """rows: symbols, None if missing. alleles: rows contain numbers of copies. weights: one per attribute."""

    def __init__(self, names, rows, alleles=False, founders=None):
        self.names, self.rows, self.alleles, self.founders = names, rows, alleles, founders
        self.ids = [(name, name) for name in names]
        self.autosomes = None      # indices of the attributes that plink, ibs and 1-ibs count
        self.biallelic = None      # rows of copies and remaining attributes, if allele measures need others
        self.options = []
        self.input = None


# The definition

def weights(rows, founders):
    result = []
    for k in range(len(rows[0])):
        known = [rows[i][k] for i in range(len(rows)) if founders[i] and rows[i][k] is not None]
        if not known:
            result.append(Fraction(3, 16))
            continue
        p = Fraction(sum(known), 2 * len(known))
        result.append(p * (1 - p) * (1 - p * (1 - p)) if 0 < p < 1 else Fraction(1))
    return result


def count_distances(data, measure, missing, overlap):
    """The matrix; None for pairs without a value."""
    rows = data.rows
    attributes = range(len(rows[0]))
    if measure in ("plink", "ibs", "1-ibs") and data.autosomes is not None:
        attributes = data.autosomes
    if measure not in ("mismatch", "proportion") and data.biallelic is not None:
        rows, biallelic = data.biallelic
        attributes = [k for k in attributes if k in biallelic]
    rows = [[row[k] for k in attributes] for row in rows]
    m = len(attributes)
    rule = missing or ("ignore" if measure in ("mismatch", "proportion") else "weighted")
    if measure == "plink":
        measure, rule = "allele", "weighted"
        overlap = 0 if overlap is None else overlap
    if overlap is None:
        overlap = Fraction(m, 2)
        if rule != "ignore" or measure not in ("mismatch", "allele"):
            overlap = min(overlap, 1000)
    elif overlap < 1:
        overlap = Fraction(overlap) * m
    n = len(rows)
    w = weights(rows, data.founders or [True] * n) if rule == "weighted" and m else []
    result = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            both = [k for k in range(m) if rows[i][k] is not None and rows[j][k] is not None]
            if i == j:
                result[i][i] = 1.0 if measure == "ibs" else 0.0
                continue
            if len(both) < overlap:
                continue
            if measure in ("mismatch", "proportion"):
                count = Fraction(sum(rows[i][k] != rows[j][k] for k in both))
            else:
                count = Fraction(sum(abs(rows[i][k] - rows[j][k]) for k in both))
            shares = measure in ("proportion", "ibs", "1-ibs")
            if not both and (shares or rule != "ignore"):
                continue
            if measure == "proportion":
                value = count / len(both)
            else:
                if rule == "flat" or (rule == "ignore" and shares):
                    count = count * m / len(both)
                elif rule == "weighted":
                    common = sum(w[k] for k in both)
                    count = count * sum(w) / common
                value = count / (2 * m) if shares else count
                if measure == "ibs":
                    value = 1 - value
            result[i][j] = result[j][i] = float(value)
    return result


def coordinate_distance(a, b, measure):
    a, b = [Fraction(v) for v in a], [Fraction(v) for v in b]
    if measure == "manhattan":
        return sum(abs(x - y) for x, y in zip(a, b))
    if measure in ("euclidean", "sqeuclidean"):
        return sum((x - y) ** 2 for x, y in zip(a, b))
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    a, b = [x - mean_a for x in a], [y - mean_b for y in b]
    aa, bb, ab = sum(x * x for x in a), sum(y * y for y in b), sum(x * y for x, y in zip(a, b))
    if not aa or not bb:
        return None
    scale = Fraction(root(aa)) * Fraction(root(bb))
    return 1 - ab / scale


def root(value):
    """The square root of a fraction of any size, to double precision."""
    if not value:
        return Fraction(0)
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return Fraction(math.sqrt(value / Fraction(4) ** shift)) * Fraction(2) ** shift


def endings(measure):
    kinds = [".npy", ".npz", ".csv", ".tsv"]
    if measure != "ibs":
        kinds.append(".phy")
    if measure in COUNTS:
        kinds.append({"1-ibs": ".mdist", "ibs": ".mibs"}.get(measure, ".dist"))
        kinds.append(kinds[-1] + ".bin")
    return kinds


def check_summary(case, report, matrix):
    """Checks the report's own numbers: pairs, smallest, largest, mean."""
    n = len(matrix)
    values = {(i, j): matrix[i][j] for i in range(n) for j in range(i) if matrix[i][j] is not None}
    summary = report.get("distances")
    if not summary:
        return
    case.equal("report: pairs with a value", len(values), summary["pairs"])
    if values:
        scale = max(abs(v) for v in values.values())
        case.close("report: smallest", min(values.values()), summary["smallest"], 1e-6 * scale, 1e-6)
        case.close("report: largest", max(values.values()), summary["largest"], 1e-6 * scale, 1e-6)
        case.close("report: mean", math.fsum(v / len(values) for v in values.values()), summary["mean"], 1e-6 * scale, 1e-6)
        for key in ("smallest", "largest"):
            i, j = summary[key + "Pair"]
            case.close(f"report: the {key} pair's value", summary[key], matrix[i][j], 1e-6 * scale, 1e-6)


# Counts

def random_counts(case):
    return case.random.choice([tables.genotype_table, tables.genotype_array, tables.plink_set, tables.plink_set, tables.variant_calls,
                               tables.alignment, tables.alignment])(case, Data)


def run_counts(case):
    r = case.random
    data = random_counts(case)
    n = len(data.rows)
    measure = r.choice(COUNTS if data.alleles else ("mismatch", "proportion"))
    options = [*data.options, "--measure", measure]
    missing, overlap = None, None
    if measure != "plink" and case.chance(0.5):
        missing = r.choice(["ignore", "flat"] + (["weighted"] if measure in ("allele", "ibs", "1-ibs") else []))
        options += ["--missing", missing]
    if case.chance(0.5):
        overlap = r.choice([0, 1, 2, 0.25, 0.5, 5])
        options += ["--min-overlap", overlap]
    m = len(data.rows[0])
    if measure in ("plink", "ibs", "1-ibs") and data.autosomes is not None:
        m = len(data.autosomes)
    if measure not in ("mismatch", "proportion") and data.biallelic is not None:
        counted = data.autosomes is not None and measure in ("plink", "ibs", "1-ibs")
        allowed = set(data.autosomes) if counted else set(range(len(data.rows[0])))
        m = len(data.biallelic[1] & allowed)
    rows = data.biallelic[0] if data.biallelic is not None and measure not in ("mismatch", "proportion") else data.rows
    gaps = any(v is None for row in rows for v in row)
    rule = missing or ("ignore" if measure in ("mismatch", "proportion") else "weighted")
    whole = measure == "mismatch" and rule == "ignore" or measure in ("allele", "plink") and rule == "ignore" or \
        measure in ("mismatch", "allele", "plink") and not gaps
    wanted = outputs.Wanted(case, endings(measure), measure, whole)
    backend, _ = case.settings.backends.choose(case, "distance")
    if case.chance(0.25):
        options += ["--tile", r.choice([1, 2, 3, 5, 64])]
    odd = m == 0 or (overlap is not None and overlap > m)
    result = case.attempt("distance", data.input, *options, *wanted.options, *backend, "--json", outputs=wanted.outputs,
                          may_refuse=refusable(backend), excused=odd)
    if not result:
        return
    matrix = count_distances(data, measure, missing, overlap)
    weighted = rule == "weighted" and gaps
    for output, found, digits in outputs.read(case, wanted, data.names, data.ids):
        # The diagonal of an instance with too few attributes is not specified.
        found = [[None if i == j and v != v else v for j, v in enumerate(row)] for i, row in enumerate(found)]
        absolute, relative = (1e-8, 1e-8) if weighted else (1e-12, 1e-14)
        outputs.compare(case, output, matrix, found, absolute, relative + digits, data.names)
    check_summary(case, result.report(), matrix)


# Coordinates

def run_coordinates(case):
    r = case.random
    data, narrow, exact = tables.coordinates(case, Data)
    n, m = len(data.rows), len(data.rows[0])
    measure = r.choice(["euclidean", "euclidean", "sqeuclidean", "manhattan", "correlation"])
    wanted = outputs.Wanted(case, endings(measure), measure)
    options = [*data.options, "--measure", measure] if measure != "euclidean" or case.chance(0.5) else list(data.options)
    backend, name = case.settings.backends.choose(case, "distance")
    precision = None
    if case.chance(0.3):
        precision = r.choice(["float32", "float64"])
        options += ["--precision", precision]
    if case.chance(0.25):
        options += ["--tile", r.choice([1, 2, 3, 5, 64])]
    pairs = {(i, j): coordinate_distance(data.rows[i], data.rows[j], measure) for i in range(n) for j in range(i)}
    largest = max([v for v in pairs.values() if v is not None] + [0])
    if measure == "euclidean":  # the square of a pair's distance exists, which the program does not need
        largest = root(Fraction(largest))
    too_large = largest > LARGEST
    constant = measure == "correlation" and any(len(set(row)) == 1 for row in data.rows)
    span = max(max(column) - min(column) for column in zip(*data.rows))
    extreme = not exact and (span > 1e30 or 0 < span < 1e-30)
    may_refuse = refusable(backend) or constant or largest > LARGEST / 4 or (wanted.dtype == "float32" and extreme) or \
        (precision is not None and name is None) or (extreme and "float32" in (precision or ("float32" if narrow else "")))
    excused = constant or largest > LARGEST / 4
    result = case.attempt("distance", data.input, *options, *wanted.options, *backend, "--json", outputs=wanted.outputs,
                          may_refuse=may_refuse, excused=excused)
    if not result:
        return
    result.report()
    if too_large:
        raise Failure("a sum beyond the range of float64", "a refusal", "exit code 0")
    used32 = name != "reference" and ("float32" in (precision or "") or (precision is None and (narrow or name == "gl")))
    columns = list(zip(*data.rows))
    medians = [sorted(c)[len(c) // 2] for c in columns]
    step = 0.0 if not used32 or narrow else [max(abs(v - med) for v in c) * 2.0 ** -23 for c, med in zip(columns, medians)]
    matrix = [[0.0] * n for _ in range(n)]
    absolute = [[0.0] * n for _ in range(n)]
    for (i, j), value in pairs.items():
        relative = (m + 4) * 2.0 ** (-24 if used32 else -51)
        if value is None:
            matrix[i][j] = matrix[j][i] = NAN
            continue
        if measure in ("euclidean",):
            value = root(value)
        value = float(value)
        moved = 0.0
        if step:
            moved = 2 * (sum(step) if measure == "manhattan" else math.hypot(*step))
            if measure == "sqeuclidean":
                moved = moved * (2 * math.sqrt(value) + moved)
        if measure == "correlation":
            condition = max(max(abs(v) for v in data.rows[k]) / max(deviation(data.rows[k]), 1e-300) for k in (i, j))
            moved = 8 * (m + 4) * (2.0 ** (-24 if used32 else -52)) * (1 + (0 if used32 else 0)) + condition * m * 2.0 ** -50
        if measure in ("euclidean", "sqeuclidean") and not used32:
            moved += m * (1.6e-154 if measure == "euclidean" else 1e-307)
        if used32 and measure != "correlation":  # products below the range of float32
            moved += 0.0 if exact else 1e-45
        matrix[i][j] = matrix[j][i] = value
        absolute[i][j] = absolute[j][i] = moved + relative * abs(value)
    for output, found, digits in outputs.read(case, wanted, data.names, data.ids):
        for i in range(n):
            for j in range(n):
                if found[i][j] is not None:
                    case.close(f"{output}, ({i}, {j}), {data.names[i]!r} and {data.names[j]!r}", matrix[i][j], found[i][j],
                               absolute[i][j] + (1.5e-45 if digits else 0), digits)  # half a step, and half a step of its text


def deviation(row):
    mean = math.fsum(row) / len(row)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in row)) if max(map(abs, row)) < 1e150 else max(row) - min(row)


def run_close_pairs(case):
    """--molten --max-distance: the same values as in the whole matrix."""
    r = case.random
    data = random_counts(case)
    n = len(data.rows)
    limit = r.choice([0, 1, 2, 5])
    backend, _ = case.settings.backends.choose(case, "distance")
    options = [*data.options, *backend]
    if case.chance(0.4):
        options += ["--tile", r.choice([1, 2, 7])]
    triangle = case.chance(0.5)
    case.attempt("distance", data.input, *options, "--molten", "--max-distance", limit,
                 *(["--shape", "triangle"] if triangle else []), "-o", "out.tsv", outputs=["out.tsv"], may_refuse=refusable(backend))
    matrix = count_distances(data, "mismatch", None, None)
    shown = [tables.in_table(v) for v in data.names]
    expected = {(shown[i], shown[j]): matrix[i][j] for i in range(n) for j in range(n)
                if matrix[i][j] is not None and matrix[i][j] <= limit and i != j}
    rows = [row for row in files.read_molten(case.read_text("out.tsv"), "out.tsv") if row[0] != row[1]]
    if triangle:
        case.equal("close pairs", {frozenset(k): v for k, v in expected.items()}, {frozenset(row[:2]): row[2] for row in rows})
        case.equal("number of close pairs", len(expected) // 2, len(rows))
    else:
        case.equal("close pairs", expected, {row[:2]: row[2] for row in rows})
        case.equal("number of close pairs", len(expected), len(rows))


def run_picture(case):
    """A heat map in clustering order: a picture, a tree, and an order of all instances."""
    r = case.random
    data = tables.genotype_table(case, Data) if case.chance(0.5) else tables.alignment(case, Data)
    picture = "map" + r.choice([".png", ".svg", ".pdf"])
    clustered = len(data.names) > 1 and case.chance(0.7)
    case.run("distance", data.input, *data.options, "--min-overlap", 0, "-o", "out.tsv", "-o", picture,
             "--order", "cluster" if clustered else "input", outputs=["out.tsv", picture])
    names, _ = files.read_square_table(case.read_text("out.tsv"), "out.tsv")
    case.equal("out.tsv: names", [tables.in_table(name) for name in data.names], names)
    start = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}["." + picture[4:]]
    case.equal(f"{picture}: its first bytes", start, case.read(picture)[:len(start)])
    if clustered:
        tree = files.read_newick(case.read_text("map.nwk"), "map.nwk")
        leaves = [name for children, name in zip(*tree[:2]) if not children]
        case.equal("map.nwk: leaves", sorted(data.names), sorted(leaves))
        order = [line.split("\t") for line in files.lines_of(case.read_text("map.order.tsv"), "map.order.tsv")]
        shown = {tables.in_table(name) for name in data.names}
        column = next((k for k in range(len(order[-1])) if {row[k] for row in order} >= shown), None)
        if column is None:
            raise Failure("map.order.tsv", f"a column with the names {sorted(shown)}", str(order))


KINDS = [("distance", run_picture, 2), ("distance", run_counts, 14), ("distance", run_coordinates, 8), ("distance", run_close_pairs, 2)]
