"""`tree`: neighbour joining and UPGMA by definition, distances of alignments, roots and bootstraps."""

import math

from . import files, tables
from .case import Failure


DIGITS = {"nj": (1e-9, 1e-9), "upgma": (1e-9, 1e-9)}  # relative, absolute


def neighbour_joining(d):
    """(path lengths between all leaves, whether pairs were so nearly equal that rounding may decide)"""
    n = len(d)
    if n < 2:
        return [[0.0] * n for _ in range(n)], False
    nodes = {i: dict(enumerate(row)) for i, row in enumerate(d)}
    edges, close, following = {}, False, n
    def join(a, b, length):
        edges.setdefault(a, []).append((b, length))
        edges.setdefault(b, []).append((a, length))
    while len(nodes) > 2:
        r = len(nodes)
        sums = {a: math.fsum(nodes[a][b] for b in nodes if b != a) for a in nodes}
        q = {}
        keys = sorted(nodes)
        for x, a in enumerate(keys):
            for b in keys[x + 1:]:
                q[a, b] = (r - 2) * nodes[a][b] - sums[a] - sums[b]
        best = min(q, key=lambda p: q[p])
        scale = max(abs(v) for v in q.values()) + 1e-300
        for pair, value in q.items():
            # With four nodes, both pairs of a split are equal and give the same tree.
            if pair != best and not (r == 4 and not set(pair) & set(best)) and r > 3 and value - q[best] < 1e-9 * scale:
                close = True
        a, b = best
        length = nodes[a][b] / 2 + (sums[a] - sums[b]) / (2 * (r - 2))
        join(a, following, length)
        join(b, following, nodes[a][b] - length)
        row = {c: (nodes[a][c] + nodes[b][c] - nodes[a][b]) / 2 for c in nodes if c not in best}
        for c in row:
            del nodes[c][a], nodes[c][b]
            nodes[c][following] = row[c]
        del nodes[a], nodes[b]
        nodes[following] = {**row, following: 0.0}
        following += 1
    a, b = nodes
    join(a, b, nodes[a][b])
    result = []
    for leaf in range(n):
        far, stack = {leaf: 0.0}, [leaf]
        while stack:
            x = stack.pop()
            for y, length in edges[x]:
                if y not in far:
                    far[y] = far[x] + length
                    stack.append(y)
        result.append([far[i] for i in range(n)])
    return result, close


def upgma(d):
    n = len(d)
    clusters = [[i] for i in range(n)]
    result = [[0.0] * n for _ in range(n)]
    close = False
    mean = lambda a, b: math.fsum(d[i][j] for i in a for j in b) / (len(a) * len(b))
    while len(clusters) > 1:
        values = sorted((mean(a, b), x, y) for x, a in enumerate(clusters) for y, b in enumerate(clusters[:x]))
        value, x, y = values[0]
        close = close or (len(values) > 1 and values[1][0] - value < 1e-9 * (1 + abs(value)))
        for i in clusters[x]:
            for j in clusters[y]:
                result[i][j] = result[j][i] = value
        clusters[y] = clusters[y] + clusters[x]
        del clusters[x]
    return result, close


def random_matrix(case, n):
    """(distances, kind): of a random tree, of an ultrametric tree, or arbitrary."""
    r = case.random
    kind = r.choice(["additive", "additive", "ultrametric", "any", "ties"])
    d = [[0.0] * n for _ in range(n)]
    if kind == "any" or kind == "ties":
        for i in range(n):
            for j in range(i):
                d[i][j] = d[j][i] = r.random() if kind == "any" else float(r.randint(1, 3))
        return d, kind
    groups = [[i] for i in range(n)]
    depth = {i: 0.0 for i in range(n)}
    height = 0.0
    while len(groups) > 1:
        a = groups.pop(r.randrange(len(groups)))
        b = groups.pop(r.randrange(len(groups)))
        if kind == "ultrametric":
            height += r.uniform(0.1, 1)
            for i in a:
                for j in b:
                    d[i][j] = d[j][i] = 2 * height
        else:
            x, y = r.uniform(0.05, 1), r.uniform(0.05, 1)
            for i in a:
                depth[i] += x
            for j in b:
                depth[j] += y
            for i in a:
                for j in b:
                    d[i][j] = d[j][i] = depth[i] + depth[j]
        groups.append(a + b)
    return d, kind


def write_matrix(case, names, d):
    r = case.random
    n = len(d)
    flat = [v for row in d for v in row]
    kind = r.choice([".npy", ".npz", ".csv", ".tsv", ".phy", ".phy", ".dst"])
    if kind == ".npy":
        case.write("in.npy.names", "".join(name + "\n" for name in names))
        return case.write("in.npy", files.npy(flat, (n, n)))
    if kind == ".npz":
        return case.write("in.npz", files.npz({"values": files.npy(flat, (n, n)), "names": files.npy(names, (n,), "U")}))
    if kind in (".csv", ".tsv"):
        return case.write("in" + kind, tables.table_text(case, ["", *names], [[name, *map(repr, row)] for name, row in zip(names, d)],
                                                         "," if kind == ".csv" else "\t", r.choice(["\n", "\r\n"]), False))
    lower = case.chance(0.4)
    lines = [str(n)] + [f"{name}  " + " ".join(map(repr, row[:i] if lower else row)) for i, (name, row) in enumerate(zip(names, d))]
    return case.write("in" + kind, "\n".join(lines) + "\n")


def leaf_names(case, count, plain=0.5):
    return [tables.without_space(name) for name in tables.random_names(case, count, avoid=" \\", plain=plain)]


def check_tree(case, output, names, expected, relative=1e-9, absolute=1e-9):
    """Compares the path lengths between all leaves; returns the tree."""
    tree = files.read_newick(case.read_text(output), output)
    shown, found, depths = files.leaf_distances(tree)
    case.equal(f"{output}: leaves", sorted(names), sorted(shown))
    place = {name: i for i, name in enumerate(shown)}
    order = [place[name] for name in names]
    if expected is not None:
        case.matrix(f"{output}: ways between leaves", expected, [[found[i][j] for j in order] for i in order], absolute, relative, names)
    return tree, found, depths


def run_tree_of_distances(case):
    r = case.random
    n = case.size(2, 16)
    d, kind = random_matrix(case, n)
    names = leaf_names(case, n)
    name = write_matrix(case, names, d)
    method = r.choice(["nj", "upgma"])
    options = ["--method", method] if method == "upgma" or case.chance(0.5) else []
    midpoint = case.chance(0.3)
    if midpoint:
        options += ["--root", "midpoint"]
    written = [] if not case.chance(0.3) else ["-o", "d.npy"]
    output = r.choice(["out.nwk", "out.nwk", "out.tree"])
    case.run("tree", name, *options, "-o", output, *written, outputs=[output, *written[1:]])
    expected, close = neighbour_joining(d) if method == "nj" else upgma(d)
    if kind == "additive" and method == "nj":
        expected, close = d, False
    if kind == "ultrametric":
        expected, close = d, False
    expected = None if close else expected
    _, found, depths = check_tree(case, output, names, expected, *DIGITS[method])
    if method == "upgma":
        case.close(f"{output}: depths of the leaves", max(depths), min(depths), *DIGITS[method])
    elif midpoint and kind == "additive":
        longest = max(v for row in found for v in row)
        case.close(f"{output}: depth of the deepest leaf", longest / 2, max(depths), 1e-9, 1e-9)
    if written:
        shape, _, values = files.read_npy(case.read("d.npy"), "d.npy")
        case.equal("d.npy: values", [v for row in d for v in row], values)


def sequence_distance(a, b, kind, correction, columns):
    """None if the definition gives no finite number, or needs a table."""
    both = [(a[k], b[k]) for k in columns if a[k] not in "-." and b[k] not in "-."]
    if not both:
        return None
    differing = [pair for pair in both if pair[0] != pair[1]]
    share = len(differing) / len(both)
    if not correction:
        return share
    if kind == "protein":
        return -math.log(1 - share - share * share / 5) if share < 0.75 else None
    transitions = sum(set(pair) in ({"A", "G"}, {"C", "T"}) for pair in differing) / len(both)
    transversions = share - transitions
    x, y = 1 - 2 * transitions - transversions, 1 - 2 * transversions
    return -0.5 * math.log(x) - 0.25 * math.log(y) if x > 1e-9 and y > 1e-9 else None


def run_tree_of_alignment(case):
    r = case.random
    kind = r.choice(["protein", "dna"])
    letters = tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES
    n, m = case.size(2, 10), 10 + case.size(1, 80)
    rows = [[r.choice(letters) for _ in range(m)]]
    share = r.choice([0, 0, 0.1])
    for _ in range(n - 1):
        rows.append([r.choice(letters) if r.random() < 0.2 else c for c in r.choice(rows)])
    rows = [["-" if r.random() < share else c for c in row] for row in rows]
    names = leaf_names(case, n, plain=0.7)
    name = case.write("in.fa", files.fasta(names, ["".join(row) for row in rows]))
    options = ["--alphabet", kind]
    correction = case.chance(0.5)
    if correction:
        options += ["--correction", "kimura"]
    columns = range(m)
    if case.chance(0.3):
        options += ["--leave-out-gaps"]
        columns = [k for k in range(m) if all(row[k] != "-" for row in rows)]
    method = r.choice(["nj", "upgma"])
    options += ["--method", method]
    bootstrap = case.chance(0.4)
    if bootstrap:
        options += ["--bootstrap", r.choice([1, 10, 50]), "--seed", r.randrange(100)]
    d = [[0.0 if i == j else sequence_distance(rows[i], rows[j], kind, correction, columns) for j in range(n)] for i in range(n)]
    unknown = any(v is None for row in d for v in row)
    outputs = ["out.nwk", "d.tsv"]
    result = case.attempt("tree", name, *options, "-o", "out.nwk", "-o", "d.tsv", outputs=outputs,
                          excused=unknown or bootstrap)
    if not result:
        return
    shown, found = files.read_square_table(case.read_text("d.tsv"), "d.tsv")
    case.equal("d.tsv: names", [tables.in_table(v) for v in names], shown)
    for i in range(n):
        for j in range(n):
            if d[i][j] is not None:
                case.close(f"d.tsv, ({i}, {j})", d[i][j], found[i][j], 1e-12, 1e-12)
    expected = None
    if not unknown:
        expected, close = neighbour_joining(d) if method == "nj" else upgma(d)
        expected = None if close else expected
    tree, _, _ = check_tree(case, "out.nwk", names, expected, *DIGITS[method])
    if bootstrap:
        for children, label in zip(tree[0][1:], tree[1][1:]):
            if children and label is not None and not (0 <= float(label) <= 100):
                raise Failure("support of an inner node", "a percentage", repr(label))
        first = case.read("out.nwk")
        case.run("tree", name, *options, "-o", "again.nwk", outputs=["again.nwk"])
        case.equal("the same seed's tree", first, case.read("again.nwk"))


def run_round_trip(case):
    """`tree` reads the output of `pairwise`, whatever the names."""
    r = case.random
    names = leaf_names(case, case.size(2, 6), plain=0.2)
    rows = ["".join(r.choice(tables.RESIDUES) for _ in range(r.randint(5, 20))) for _ in names]
    case.write("in.fa", files.fasta(names, rows))
    output = "d" + r.choice([".csv", ".tsv", ".phy", ".npy", ".npz"])
    case.run("pairwise", "in.fa", "--alphabet", "protein", "-o", output, outputs=[output])
    case.run("tree", output, "-o", "out.nwk", outputs=["out.nwk"])
    tree = files.read_newick(case.read_text("out.nwk"), "out.nwk")
    leaves = [name for children, name in zip(*tree[:2]) if not children]
    case.equal("leaves of the tree of the distances", sorted(names), sorted(leaves))


KINDS = [("tree", run_round_trip, 2), ("tree", run_tree_of_distances, 8), ("tree", run_tree_of_alignment, 5)]
