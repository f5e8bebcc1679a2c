"""Matrices in every format that the program writes."""

import math
import struct

from . import files, tables

NAN = math.nan


class Wanted:
    """The files that a run writes, and their formats."""

    def __init__(self, case, kinds, measure, whole=False, npz="measure", dtype=None):
        self.measure, self.npz, self.outputs, self.options = measure, npz, [], []
        r = case.random
        self.shape = r.choice([None, None, "square", "triangle", "square0"])
        usual = dtype
        self.molten = case.chance(0.2)
        if self.molten:
            kinds = [".tsv"]
        for ending in r.sample(kinds, min(len(kinds), r.choice([1, 1, 2, 3]))):
            self.outputs.append("out" + ending)
        plink = all(".dist" in o or ".mdist" in o or ".mibs" in o for o in self.outputs)
        if self.shape == "square0" and not plink:
            self.shape = "square"
        self.dtype = r.choice(["float64", "float64", "float32"]) if case.chance(0.3) else None
        if self.shape:
            self.options += ["--shape", self.shape]
        if self.molten:
            self.options += ["--molten"]
        if self.dtype:
            self.options += ["--dtype", self.dtype]
            usual = self.dtype
        self.whole = whole and not self.dtype
        self.code = "i4" if self.whole else "f4" if usual == "float32" else "f8"
        for output in self.outputs:
            self.options += ["-o", output]


def read(case, wanted, names, ids=None):
    """Every output as a matrix, None for elements missing in the format: [(name, matrix, relative error of its digits)]."""
    n = len(names)
    found = []
    triangle = wanted.shape == "triangle"
    narrow = 1.3e-7 if wanted.code == "f4" else 0.0
    for output in wanted.outputs:
        ending = output[3:]
        if ending in (".npy", ".npz"):
            if ending == ".npz":
                arrays = files.read_npz(case.read(output), output)
                case.equal(f"{output}: arrays", {"values", "names", wanted.npz}, set(arrays))
                case.equal(f"{output}: names", names, arrays["names"][2])
                shape, code, values = arrays["values"]
            else:
                shape, code, values = files.read_npy(case.read(output), output)
                lines = files.lines_of(case.read_text(output + ".names"), output)
                case.equal(f"{output}: names", [tables.one_line(v) for v in names], lines)
            case.equal(f"{output}: type", wanted.code, code)
            values = [NAN if code == "i4" and v == -2147483648 else float(v) for v in values]
            case.equal(f"{output}: shape", (n * (n - 1) // 2,) if triangle else (n, n), shape)
            if triangle:
                matrix = [[None if i == j else values[condensed(min(i, j), max(i, j), n)] for j in range(n)] for i in range(n)]
            else:
                matrix = [values[i * n:(i + 1) * n] for i in range(n)]
            found.append((output, matrix, narrow))
        elif wanted.molten:
            found.append((output, molten_matrix(case, output, names, triangle), narrow))
        elif ending in (".tsv", ".csv"):
            shown, matrix = files.read_square_table(case.read_text(output), output, ending == ".csv", triangle)
            case.equal(f"{output}: names", [tables.in_table(v) for v in names], [tables.in_table(v) for v in shown])
            found.append((output, matrix, narrow))
        elif ending == ".phy":
            shown, matrix = files.read_phylip(case.read_text(output), output, triangle)
            case.equal(f"{output}: names", [tables.without_space(v) for v in names], shown)
            matrix = [[NAN if v == -1 else v for v in row] for row in matrix]
            found.append((output, matrix, narrow))
        else:
            digits = 0.0 if ending.endswith(".bin") and not narrow else 1e-5
            found.append((output, plink_matrix(case, wanted, output, n, wanted.measure), digits))
            beside = output.removesuffix(".bin") + ".id"
            ids = [tuple(line.split("\t")) for line in files.lines_of(case.read_text(beside), beside)]
            case.equal(f"{output}: identifiers", [tuple(tables.without_space(v) for v in pair) for pair in ids], ids)
    return found


def condensed(i, j, n):
    return i * n - i * (i + 1) // 2 + j - i - 1


def molten_matrix(case, output, names, triangle):
    n = len(names)
    rows = files.read_molten(case.read_text(output), output)
    shown = [tables.in_table(v) for v in names]
    if triangle:
        pairs = [(a, b) for a in range(n) for b in range(a)]
        case.equal(f"{output}: number of pairs", len(pairs), len(rows))
        matrix = [[0.0] * n for _ in range(n)]
        place = {name: i for i, name in enumerate(shown)}
        distinct = set()
        for a, b, value in rows:
            i, j = place[a], place[b]
            distinct.add(frozenset((i, j)))
            matrix[i][j] = matrix[j][i] = value
        case.equal(f"{output}: different pairs", len(pairs), len(distinct))
        return [[None if i == j else v for j, v in enumerate(row)] for i, row in enumerate(matrix)]
    case.equal(f"{output}: names of the pairs", [(a, b) for a in shown for b in shown], [row[:2] for row in rows])
    return [[row[2] for row in rows[i * n:(i + 1) * n]] for i in range(n)]


def plink_matrix(case, wanted, output, n, measure):
    data = case.read(output)
    diagonal = 1.0 if measure == "ibs" else 0.0
    if output.endswith(".bin"):
        shape = wanted.shape or "square"
        code = "f" if wanted.dtype == "float32" else "d"
        count = n * (n - 1) // 2 if shape == "triangle" else n * n
        case.equal(f"{output}: bytes", count * struct.calcsize(code), len(data))
        values = list(struct.unpack(f"<{count}{code}", data))
        rows, at = [], 0
        for i in range(n):
            width = i if shape == "triangle" else n
            rows.append(values[at:at + width])
            at += width
    else:
        shape = wanted.shape or "triangle"
        lines = files.lines_of(case.read_text(output), output)
        rows = [[files.to_number(v, output) for v in line.split("\t")] for line in lines]
        if shape == "triangle" and measure == "ibs":  # with the diagonal, as PLINK writes similarities
            for i, row in enumerate(rows):
                case.equal(f"{output}: the end of line {i + 1}", 1.0, row.pop())
        elif shape == "triangle":
            rows = [[]] + rows if n else rows
        case.equal(f"{output}: lines", n, len(rows))
    matrix = [[diagonal] * n for _ in range(n)]
    for i, row in enumerate(rows):
        case.equal(f"{output}: values of row {i}", i if shape == "triangle" else n, len(row))
        for j in range(i):
            matrix[i][j] = matrix[j][i] = row[j]
        for j in range(i + 1, n if shape != "triangle" else 0):
            if shape == "square0":
                case.equal(f"{output}: above the diagonal", 0.0, row[j])
            else:
                case.close(f"{output}: symmetry of ({i}, {j})", row[j], rows[j][i])
    return matrix


def compare(case, what, expected, found, absolute=0.0, relative=0.0, names=None):
    """Compares element by element, except for elements missing in the format (None)."""
    known = [[e if f is not None else 0.0 for e, f in zip(a, b)] for a, b in zip(expected, found)]
    case.matrix(what, known, [[0.0 if f is None else f for f in row] for row in found], absolute, relative, names)
