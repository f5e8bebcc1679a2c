"""`mutualinfo` and `network`: B-splines by their recursion, and networks from the information."""

import math

from . import files, outputs, tables
from .case import Failure, refusable

NAN = math.nan


# The definition

def knots(bins, order, form):
    if form == "uniform":
        return list(range(bins + order))
    return [0 if i < order else i - order + 1 if i < bins else bins - order + 1 for i in range(bins + order)]


def basis(z, bins, order, t):
    """The weights of all bins at z, by the recursion of Cox and de Boor."""
    last = max(i for i in range(len(t) - 1) if t[i] < t[i + 1] and (i < bins))
    values = [1.0 if t[i] <= z < t[i + 1] else 0.0 for i in range(len(t) - 1)]
    if z >= t[last + 1]:
        values = [0.0] * len(values)
        values[last] = 1.0
    for k in range(2, order + 1):
        following = []
        for i in range(len(t) - k):
            left = (z - t[i]) / (t[i + k - 1] - t[i]) * values[i] if t[i + k - 1] > t[i] and values[i] else 0.0
            right = (t[i + k] - z) / (t[i + k] - t[i + 1]) * values[i + 1] if t[i + k] > t[i + 1] and values[i + 1] else 0.0
            following.append(left + right)
        values = following
    return values[:bins]


def ranks(values, rule):
    order = sorted((k for k in range(len(values)) if values[k] is not None), key=lambda k: values[k])
    result = [None] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for position in range(at, end):
            result[order[position]] = float(position if rule == "ordinal" else (at + end - 1) / 2)
        at = end
    return result


def entropy(shares):
    return -math.fsum(p * math.log2(p) for p in shares if p > 0)


class Estimator:
    def __init__(self, bins=10, order=3, form="clamped", rank="none"):
        self.bins, self.order, self.form, self.rank = bins, order, form, rank
        self.undecided = False  # whether a value is so close to a bin's border that rounding may decide

    def rows(self, values):
        """The weights of a gene's samples; None for a missing value; an empty list for a constant gene."""
        known = [v for v in values if v is not None]
        if not known or min(known) == max(known):
            return []
        if self.rank != "none":
            values = ranks(values, self.rank)
            known = [v for v in values if v is not None]
        t = knots(self.bins, self.order, self.form)
        start, width = (self.order - 1 if self.form == "uniform" else 0), self.bins - self.order + 1
        least, span = min(known), max(known) - min(known)
        rows = []
        for v in values:
            if v is None:
                rows.append(None)
                continue
            z = (v - least) * width / span
            if self.order == 1 and 1e-9 < z < width - 1e-9 and abs(z - round(z)) < 1e-9:
                self.undecided = True
            rows.append(basis(start + z, self.bins, self.order, t))
        return rows

    def matrix(self, genes):
        """Information in bits; None if two genes have no sample in common."""
        rows = [self.rows(values) for values in genes]
        n = len(genes)
        result = [[0.0] * n for _ in range(n)]
        for i in range(n):
            has_i = [k for k, v in enumerate(genes[i]) if v is not None]
            result[i][i] = entropy(self.shares([rows[i][k] for k in has_i])) if rows[i] else 0.0
            for j in range(i):
                both = [k for k in has_i if genes[j][k] is not None]
                if not both:
                    value = None
                elif not rows[i] or not rows[j]:
                    value = 0.0
                else:
                    a, b = [rows[i][k] for k in both], [rows[j][k] for k in both]
                    joint = [math.fsum(x[p] * y[q] for x, y in zip(a, b)) / len(both) for p in range(self.bins) for q in range(self.bins)]
                    value = max(0.0, entropy(self.shares(a)) + entropy(self.shares(b)) - entropy(joint))
                result[i][j] = result[j][i] = value
        return result

    def shares(self, rows):
        return [math.fsum(row[p] for row in rows) / len(rows) for p in range(self.bins)]


def correlation(genes, rank):
    n = len(genes)
    rows = [ranks(values, "average") if rank else values for values in genes]
    result = [[0.0 if len({v for v in genes[i] if v is not None}) < 2 else 1.0] * n for i in range(n)]
    for i in range(n):
        for j in range(i):
            both = [k for k in range(len(rows[i])) if rows[i][k] is not None and rows[j][k] is not None]
            if not both:
                result[i][j] = result[j][i] = None
                continue
            a, b = [rows[i][k] for k in both], [rows[j][k] for k in both]
            value = 0.0
            if min(a) < max(a) and min(b) < max(b):
                a, b = centred(a), centred(b)
                value = math.fsum(x * y for x, y in zip(a, b))
            result[i][j] = result[j][i] = value
    return result


def centred(values):
    mean = math.fsum(values) / len(values)
    rest = [v - mean for v in values]
    length = math.hypot(*rest)
    return [v / length for v in rest]


# Input

def expression(case, gaps=True):
    """Genes as lists of values; None if missing."""
    r = case.random
    n, m = case.size(1, 12), case.size(1, 45)
    style = r.choice(["normal", "normal", "normal", "coupled", "counts", "constant", "offset", "wide"])
    rows = []
    for i in range(n):
        if style == "counts":
            row = [float(r.choice([0, 0, 0, 1, 2, 3, 10])) for _ in range(m)]
        elif style == "offset":
            row = [1e6 + r.random() for _ in range(m)]
        elif style == "wide":
            row = [r.gauss(0, 1) * 10.0 ** r.randrange(-20, 20) for _ in range(m)]
        else:
            row = [r.gauss(8, 2) for _ in range(m)]
        if style == "coupled" and rows:
            row = [a + 0.3 * b for a, b in zip(r.choice(rows), row)]
        if (style == "constant" and case.chance(0.4)) or case.chance(0.03):
            row = [row[0]] * m
        rows.append(row)
    if gaps and case.chance(0.4):
        share = r.choice([0.05, 0.3, 0.8])
        rows = [[None if r.random() < share else v for v in row] for row in rows]
    return rows


def write_expression(case, rows):
    """(names, file, options)"""
    r = case.random
    n, m = len(rows), len(rows[0])
    if case.chance(0.3):
        dtype = r.choice(["<f8", "<f8", ">f8", "<f4"])
        if dtype == "<f4":
            for row in rows:
                row[:] = [v if v is None else files.struct.unpack("<f", files.struct.pack("<f", v))[0] for v in row]
        if all(v is not None and v == int(v) for row in rows for v in row) and case.chance(0.5):
            dtype = r.choice(["<i4", "<i8", ">i2"]) if all(abs(v) < 30000 for row in rows for v in row) else dtype
        convert = (lambda v: int(v)) if dtype[1] == "i" else (lambda v: NAN if v is None else v)
        options, source = [], rows
        if case.chance(0.2):
            source, options = [[rows[i][k] for i in range(n)] for k in range(m)], ["--transpose"]
        name = case.write("in.npy", files.npy([convert(v) for row in source for v in row], (len(source), len(source[0])), dtype,
                                              case.chance(0.3)))
        return [str(i + 1) for i in range(n)], name, options
    names = tables.random_names(case, n, avoid=";\t\\#")
    names = [name if not name.startswith("NA") else "g" + name for name in names]
    gap = r.choice(["NA", "", ".", "NaN", "null", "N/A"])
    fields = [[gap if v is None else repr(v) for v in row] for row in rows]
    name, options = tables.write_table(case, names, [f"c{k}" for k in range(m)], fields, corner=r.choice(["gene", "", "ID_REF", "probe"]),
                                       endings=(".tsv", ".csv", ".txt"))
    if case.chance(0.3):
        options += ["--header", "yes"]
    return names, name, options


def estimator_options(case, rank="none"):
    r = case.random
    options, bins, order, form = [], 10, 3, "clamped"
    if case.chance(0.6):
        bins = r.choice([2, 3, 5, 6, 8, 10, 15, 20])
        order = r.randint(1, min(bins - 1, 5)) if case.chance(0.8) else min(3, bins - 1)
        options += ["--bins", bins, "--spline-order", order]
    if case.chance(0.25):
        form = r.choice(["clamped", "uniform"])
        options += ["--knots", form]
    if case.chance(0.4):
        rank = r.choice(["average", "ordinal", "none"])
        options += ["--rank", rank]
    unit = 1.0
    if case.chance(0.2):
        options += ["--unit", "nats"]
        unit = math.log(2)
    return options, Estimator(bins, order, form, rank), unit


def fill(case, rows, names):
    """(options, rows, names) after --missing."""
    r = case.random
    rule = r.choice(["pairwise", "mean", "median", "drop-samples", "drop-genes"])
    empty = [all(v is None for v in row) for row in rows]
    if rule in ("mean", "median"):
        filled = []
        for row in rows:
            known = sorted(v for v in row if v is not None)
            if known:
                half = len(known) // 2
                median = known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2
                value = median if rule == "median" else math.fsum(known) / len(known)
                value = min(max(value, known[0]), known[-1])
                row = [value if v is None else v for v in row]
            filled.append(row)
        rows = filled
    elif rule == "drop-samples":
        keep = [k for k in range(len(rows[0])) if all(e or row[k] is not None for e, row in zip(empty, rows))]
        rows = [[row[k] for k in keep] for row in rows]
    elif rule == "drop-genes":
        keep = [i for i, row in enumerate(rows) if all(v is not None for v in row)]
        rows, names = [rows[i] for i in keep], [names[i] for i in keep]
    return ["--missing", rule], rows, names


def run_mutualinfo(case):
    r = case.random
    rows = expression(case)
    names, name, options = write_expression(case, rows)
    gaps = any(v is None for row in rows for v in row)
    kept = rows
    if gaps and case.chance(0.4):
        more, kept, names = fill(case, rows, names)
        options += more
    correlated = case.chance(0.15)
    if correlated:
        which = r.choice(["pearson", "spearman"])
        options += ["--method", which]
        unit, estimator = 1.0, None
    else:
        more, estimator, unit = estimator_options(case)
        options += more
    backend, used = case.settings.backends.choose(case, "mutualinfo")
    if correlated:
        backend, used = case.pick(([], None), (["--backend", "cpu"], "cpu"), (["--backend", "reference"], "reference"))
    precision = "float32" if used == "gl" else "float64"
    if used in ("cpu", "gl") and not correlated and case.chance(0.3):
        precision = "float32"
        options += ["--precision", "float32"]
    if case.chance(0.25):
        options += ["--tile", r.choice([1, 2, 3, 64])]
    wanted = outputs.Wanted(case, [".npy", ".npz", ".csv", ".tsv"], "information", npz="unit", dtype=precision)
    odd = not kept or not kept[0] or all(v is None for row in kept for v in row)
    result = case.attempt("mutualinfo", name, *options, *wanted.options, *backend, "--json", outputs=wanted.outputs,
                          may_refuse=refusable(backend), excused=odd)
    if not result or odd:
        return
    matrix = correlation(kept, which == "spearman") if correlated else estimator.matrix(kept)
    if not correlated and estimator.undecided:
        return
    wide = max((abs(v) for row in rows for v in row if v is not None), default=0) > 1e5
    tolerance = 2e-5 if precision == "float32" else 1e-9 if wide else 2e-12 if not correlated else 1e-11
    expected = [[v if v is None else v * unit for v in row] for row in matrix]
    for output, found, digits in outputs.read(case, wanted, names):
        outputs.compare(case, output, expected, found, tolerance * max(unit, 1.0), digits, names)
        for i, row in enumerate(found):
            for j, value in enumerate(row):
                if value is not None and value != value:
                    continue
                if value is not None and not correlated and value < 0:
                    raise Failure(f"{output}, ({i}, {j})", "information of at least 0", repr(value))
                constant = [len({v for v in kept[g] if v is not None}) == 1 for g in (i, j)]
                if value and any(constant) and not correlated:
                    raise Failure(f"{output}, ({i}, {j}), of a constant gene", "exactly 0", repr(value))


# Networks

def clr(info):
    n = len(info)
    z = []
    for i in range(n):
        others = [info[i][j] for j in range(n) if j != i]
        mean = math.fsum(others) / len(others)
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in others) / max(1, len(others) - DIVISOR))
        z.append([max(0.0, (v - mean) / deviation) if deviation > 0 else 0.0 for v in info[i]])
    return {(i, j): math.hypot(z[i][j], z[j][i]) for i in range(n) for j in range(i)}


DIVISOR = 0  # divisor of the variance of the n - 1 others: n - 1


def aracne(info, tolerance, regulators=None):
    n = len(info)
    kept = {}
    for i in range(n):
        for j in range(i):
            way = max([min(info[i][k], info[k][j]) for k in range(n) if k not in (i, j) and (not regulators or k in regulators)] + [-1.0])
            kept[i, j] = 0.0 if way >= info[i][j] / (1 - tolerance) else info[i][j]
    return kept


def mrnet(info, regulators=None):
    n = len(info)
    best = {(i, j): 0.0 for i in range(n) for j in range(i)}
    close = False
    for target in range(n):
        left = [g for g in range(n) if g != target and (not regulators or g in regulators)]
        selected = []
        while left:
            values = {g: info[g][target] - (math.fsum(info[g][s] for s in selected) / len(selected) if selected else 0.0) for g in left}
            ordered = sorted(values.values(), reverse=True)
            close = close or (len(ordered) > 1 and ordered[0] - ordered[1] < 1e-9) or abs(ordered[0]) < 1e-9
            g = max(left, key=lambda g: values[g])
            if values[g] < 0:
                break
            pair = (max(g, target), min(g, target))
            best[pair] = max(best[pair], values[g])
            selected.append(g)
            left.remove(g)
    return best, close


def consensus(info, regulators=None):
    allowed = lambda p: not regulators or p[0] in regulators or p[1] in regulators
    first, (second, close) = clr(info), mrnet(info, regulators)
    pairs = [p for p in first if allowed(p)]
    def places(scores):
        ordered = sorted(pairs, key=lambda p: -scores[p])
        result, at = {}, 0
        while at < len(ordered):
            end = at
            while end < len(ordered) and scores[ordered[end]] == scores[ordered[at]]:
                end += 1
            for p in ordered[at:end]:
                result[p] = (at + 1 + end) / 2
            at = end
        return result
    a, b = places(first), places(second)
    values = sorted(first[p] for p in pairs)
    close = close or any(0 < y - x < 1e-9 for x, y in zip(values, values[1:]))
    return {p: math.log(len(pairs)) - (math.log(a[p]) + math.log(b[p])) / 2 for p in pairs}, close


def read_edges(case, output, names):
    lines = files.lines_of(case.read_text(output), output)
    rows = [files.split_csv(line) if output.endswith(".csv") else line.split("\t") for line in lines]
    case.equal(f"{output}: columns", ["regulator", "target", "score", "mi"], rows[0][:4])
    place = {tables.in_table(name): i for i, name in enumerate(names)}
    return [(place[tables.in_table(row[0])], place[tables.in_table(row[1])], float(row[2]), float(row[3])) for row in rows[1:]]


def run_network(case):
    r = case.random
    method = r.choice(["mi", "aracne", "clr", "mrnet", "consensus", None])
    options = ["--method", method] if method else []
    from_matrix = case.chance(0.5)
    tolerance = 1e-6
    if from_matrix:
        n = case.size(2, 14)
        distinct = case.chance(0.7) or method in ("mrnet", "consensus", None)
        info = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(i):
                info[i][j] = info[j][i] = round(r.random() * 2, 9) if distinct else float(r.randrange(4))
            info[i][i] = 3.0
        names = tables.random_names(case, n, avoid=";\t\\#")
        kind = r.choice([".npy", ".tsv", ".csv", ".npz"])
        if kind == ".npy":
            case.write("in.npy", files.npy([v for row in info for v in row], (n, n)))
            case.write("in.npy.names", "".join(name + "\n" for name in names))
        elif kind == ".npz":
            values = files.npy([v for row in info for v in row], (n, n))
            case.write("in.npz", files.npz({"values": values, "names": files.npy(names, (n,), "U")}))
        else:
            separator = "," if kind == ".csv" else "\t"
            case.write("in" + kind, tables.table_text(case, ["", *names], [[name, *map(repr, row)] for name, row in zip(names, info)],
                                                      separator, "\n", False))
        name = "in" + kind
        options += ["--matrix"]
    else:
        rows = expression(case, gaps=False)
        if len(rows) < 2:
            rows.append([r.random() for _ in rows[0]])
        names, name, more = write_expression(case, rows)
        options += more
        more, estimator, unit = estimator_options(case, rank="average")
        options += more
        info = [[v * unit for v in row] for row in estimator.matrix(rows)]
        if estimator.undecided:
            return
        info = [[round(v * 2 ** 40) / 2 ** 40 for v in row] for row in info]
    backend, used = case.settings.backends.choose(case, "mutualinfo", gl_share=0.06)
    if from_matrix:
        backend = [option for option in backend if option not in ("--variant",)] if "--variant" not in backend else []
    n = len(names)
    regulators = None
    if case.chance(0.25):
        regulators = set(r.sample(range(n), r.randint(1, n)))
        plain = [i for i in regulators if not any(c in names[i] for c in ' ,"')]
        regulators = set(plain)
        if regulators:
            case.write("tf.txt", "# factors\n" + "".join(names[i] + "\n" for i in sorted(regulators)))
            options += ["--tf", "tf.txt"]
        else:
            regulators = None
    dpi = 0.01
    if method == "aracne":
        dpi = r.choice([0.0, 0.01, 0.15, 0.5])
        options += ["--dpi", dpi]
    threshold = None
    if method == "aracne" or case.chance(0.2):
        threshold = r.choice([0.0, 0.05, 0.5]) if method == "aracne" else r.choice([0.05, 0.5])
        options += ["--threshold", threshold]
    top = None
    if case.chance(0.2):
        top = r.randint(1, 10)
        options += ["--top", top]
    output = r.choice(["net.tsv", "net.csv"])
    extra = r.choice([[], [], ["net.graphml"], ["net.sif"], ["net.adj"]])
    result = case.attempt("network", name, *options, *backend, "-o", output, *[v for e in extra for v in ("-o", e)], "--json",
                          outputs=[output, *extra], may_refuse=refusable(backend))
    result.report()
    edges = read_edges(case, output, names)
    check_edges(case, edges, names, regulators, top)
    narrow = used == "gl"
    if narrow or threshold and any(abs(v - threshold) < 1e-6 for row in info for v in row):
        return
    for a, b, _, mi in edges:
        case.close(f"information of {names[a]!r} and {names[b]!r}", info[a][b], mi, 1e-9, 1e-9)
    close = False
    if threshold is not None and method not in ("aracne", "mi"):
        return  # the documentation does not specify values below the threshold before the method
    if method == "mi":
        scores = {(i, j): info[i][j] for i in range(n) for j in range(i)}
    elif method == "clr":
        scores = clr(info)
        tolerance = 1e-5
    elif method == "aracne":
        cut = [[v if v >= threshold else 0.0 for v in row] for row in info]
        close = any(abs(min(cut[i][k], cut[k][j]) - cut[i][j] / (1 - dpi)) < 1e-9 for i in range(n) for j in range(i) for k in range(n)
                    if k not in (i, j)) and not from_matrix
        close = close or (from_matrix and dpi not in (0.0, 0.5) and any(info[i][j] == 0 for i in range(n) for j in range(i)))
        scores = aracne(info, dpi, regulators)
    elif method == "mrnet":
        scores, close = mrnet(info, regulators)
    else:
        scores, close = consensus(info, regulators)
        tolerance = 1e-5
    if close:
        return
    if threshold is not None:
        scores = {p: s if info[p[0]][p[1]] >= threshold else 0.0 for p, s in scores.items()}
    expected = {p: s for p, s in scores.items() if s > 1e-9 and (not regulators or regulators & set(p))}
    found = {(max(a, b), min(a, b)): score for a, b, score, _ in edges if score > 1e-9}
    if top is None:
        case.equal("pairs with an edge", sorted(expected), sorted(found))
    else:
        case.equal("number of edges", min(top, len(expected)), len(found))
    for pair, score in found.items():
        if pair not in expected:
            raise Failure(f"edge {names[pair[0]]!r} – {names[pair[1]]!r}", "none", repr(score))
        case.close(f"score of {names[pair[0]]!r} and {names[pair[1]]!r}", expected[pair], score, tolerance, tolerance)


def check_edges(case, edges, names, regulators, top):
    pairs = [frozenset(edge[:2]) for edge in edges]
    case.equal("number of different pairs", len(pairs), len(set(pairs)))
    for a, b, score, _ in edges:
        if a == b or not score > 0:
            raise Failure("an edge", "two genes and a score above 0", f"{names[a]!r}, {names[b]!r}, {score}")
        if regulators and a not in regulators:
            raise Failure("the regulator of an edge", "one of --tf", repr(names[a]))
        if not regulators and a > b:
            raise Failure("the order of an edge's genes", "that of the input", f"{names[a]!r}, {names[b]!r}")
    scores = [edge[2] for edge in edges]
    case.equal("scores, the best first", sorted(scores, reverse=True), scores)
    if top is not None and len(edges) > top:
        raise Failure("number of edges", f"at most {top}", str(len(edges)))


def quality(scores, true, pairs):
    """(AUPR, AUROC): equal scores form one step; pairs without an edge come last, as one step."""
    groups = {}
    for p in pairs:
        groups.setdefault(scores.get(p, 0.0), []).append(p in true)
    positives, area, roc, hits, ranked = len(true), 0.0, 0.0, 0, 0
    for score in sorted(groups, reverse=True):
        found = sum(groups[score])
        wrong = len(groups[score]) - found
        roc += wrong * (hits + found / 2)
        hits, ranked = hits + found, ranked + len(groups[score])
        area += found / positives * hits / ranked
    return area, roc / (positives * (len(pairs) - positives)) if len(pairs) > positives else None


def run_gold(case):
    """--gold: the areas under both curves, and the number of correct edges."""
    r = case.random
    n = case.size(3, 12)
    names = [f"g{i}" for i in range(n)]
    info = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            info[i][j] = info[j][i] = float(r.randrange(5)) if case.chance(0.5) else r.random()
    fields = [[name, *map(repr, row)] for name, row in zip(names, info)]
    case.write("in.tsv", tables.table_text(case, ["", *names], fields, "\t", "\n", False))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    true = set(r.sample(pairs, r.randint(1, len(pairs))))
    either = lambda p: (names[p[0]], names[p[1]]) if case.chance(0.5) else (names[p[1]], names[p[0]])
    lines = [[*either(p), *case.pick([], ["1"], ["-1"])] for p in sorted(true)]
    lines += [[names[p[0]], names[p[1]], "0"] for p in pairs if p not in true and case.chance(0.2)]
    lines += [lines[0]] + ([["nobody", "g1", "1"]] if case.chance(0.3) else [])
    case.write("gold.tsv", "".join("\t".join(line) + "\n" for line in lines))
    method = r.choice(["mi", "clr"])
    top = r.choice([None, None, 3])
    best = ["--top", top] if top else []
    result = case.run("network", "in.tsv", "--matrix", "--method", method, "--gold", "gold.tsv", *best, "-o", "net.tsv", "--json",
                      outputs=["net.tsv"])
    edges = {(max(a, b), min(a, b)): score for a, b, score, _ in read_edges(case, "net.tsv", names)}
    truth = result.report()["truth"]
    case.equal("report: true pairs", len(true), truth["positives"])
    case.equal("report: true edges", len(true & set(edges)), truth["truePositives"])
    case.equal("report: wrong edges", len(set(edges) - true), truth["falsePositives"])
    case.equal("report: missed edges", len(true - set(edges)), truth["falseNegatives"])
    if not top:
        area, roc = quality(edges, true, pairs)
        case.close("report: AUPR", area, truth["aupr"], 1e-9)
        if roc is not None:
            case.close("report: AUROC", roc, truth["auroc"], 1e-9)


def run_null(case):
    """P values and bootstraps: the same seed gives the same bytes with any number of threads; P lies between 0 and 1."""
    r = case.random
    rows = [[r.gauss(0, 1) for _ in range(r.choice([20, 20, 20, 30]))]]
    while len(rows) < 6:
        rows.append([0.8 * v + 0.6 * r.gauss(0, 1) for v in r.choice(rows)])
    case.write("in.tsv", "gene\t" + "\t".join(f"c{k}" for k in range(len(rows[0]))) + "\n" +
               "".join(f"g{i}\t" + "\t".join(map(repr, row)) + "\n" for i, row in enumerate(rows)))
    if case.chance(0.5):
        options = ["--method", case.pick("mi", "aracne"), "--bootstraps", r.randint(2, 9), "--threshold", 0.3]
    else:
        options = ["--pvalue", r.choice([0.05, 0.01]), "--null", r.choice(["permutation", "analytic"]), "--method", r.choice(["mi", "clr"])]
        options += ["--null-pairs", 2000] if "permutation" in options else []
    seed = ["--seed", r.randrange(99)]
    case.run("network", "in.tsv", *options, *seed, "-o", "a.tsv", "--threads", 1, "--backend", "cpu", outputs=["a.tsv"])
    case.run("network", "in.tsv", *options, *seed, "-o", "b.tsv", "--threads", r.choice([1, 2, 3]), "--backend", "cpu", outputs=["b.tsv"])
    case.equal("the same seed's network", case.read("a.tsv"), case.read("b.tsv"))
    lines = [line.split("\t") for line in files.lines_of(case.read_text("a.tsv"), "a.tsv")]
    at = lines[0].index("p")
    for line in lines[1:]:
        if not 0 <= float(line[at]) <= 1:
            raise Failure("a P value", "0 to 1", line[at])


KINDS = [("mutualinfo", run_mutualinfo, 12), ("network", run_network, 8), ("network", run_gold, 3), ("network", run_null, 2)]
