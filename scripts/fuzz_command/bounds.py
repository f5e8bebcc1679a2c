"""`bounds`: shortest paths and inverse triangle inequalities, by definition."""

import math
from fractions import Fraction

from . import files
from .case import Failure, refusable

INF = math.inf


def smooth(upper, lower):
    """The definition, in the number type of the matrices."""
    n = len(upper)
    u = [row[:] for row in upper]
    for k in range(n):
        row_k = u[k]
        for i in range(n):
            if u[i][k] == INF:
                continue
            row_i, through = u[i], u[i][k]
            for j in range(n):
                if row_k[j] != INF and through + row_k[j] < row_i[j]:
                    row_i[j] = through + row_k[j]
    reach = [[k for k in range(n) if u[i][k] != INF] for i in range(n)]
    half = [[max(lower[p][j] - u[i][p] for p in reach[i]) for j in range(n)] for i in range(n)]
    least = [[max(half[i][q] - u[q][j] for q in reach[j]) for j in range(n)] for i in range(n)]
    for i in range(n):
        least[i][i] = least[i][i] * 0
    return u, least


def random_bounds(case):
    """(upper, lower) of points in space, consistent or contradictory, with any share of unknown pairs."""
    r = case.random
    n = case.size(1, 26)
    style = case.pick("points", "points", "points", "random", "integers", "chain", "zeros", "large", "tiny")
    if style == "points":
        at = [[r.gauss(0, 6) for _ in range(3)] for _ in range(n)]
        distance = lambda i, j: math.dist(at[i], at[j])
    elif style == "chain":
        distance = lambda i, j: 3.8 * abs(i - j)
    elif style == "zeros":
        distance = lambda i, j: 0.0 if (i + j) % 3 else 1.0
    elif style == "integers":
        at = [[r.randrange(9) for _ in range(3)] for _ in range(n)]
        distance = lambda i, j: float(sum(abs(a - b) for a, b in zip(at[i], at[j])))
    else:
        most = {"random": 400.0, "large": 90000.0, "tiny": 10.0 ** -r.choice([20, 39, 44, 150, 310])}[style]
        distance = lambda i, j: r.random() * most
    known = r.choice([0.05, 0.2, 0.5, 1.0])
    slack = 0.0 if style in ("chain", "zeros", "integers", "tiny") else r.choice([0.0, 0.05, 1.0])
    upper = [[0.0 if i == j else INF for j in range(n)] for i in range(n)]
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            d = distance(i, j)
            if r.random() < known:
                upper[i][j] = upper[j][i] = d + slack
            if r.random() < known:
                lower[i][j] = lower[j][i] = max(0.0, d - slack)
    if n > 1 and style != "tiny" and case.chance(0.25):  # a restraint that contradicts others, or itself
        i, j = r.sample(range(n), 2)
        lower[i][j] = lower[j][i] = r.choice([20.0, 200.0, 400.0])
    if style in ("random", "large", "tiny"):
        for i in range(n):
            for j in range(n):
                lower[i][j] = min(lower[i][j], upper[i][j])
    return upper, lower


def flat(matrix):
    return [value for row in matrix for value in row]


def representable(dtype, matrix):
    if dtype[1] == "f":
        return True
    bits = 8 * int(dtype[2]) - (dtype[1] == "i")
    return all(v != INF and v == int(v) and v < 2 ** bits for v in flat(matrix))


def rounded(value, dtype):
    return files.struct.unpack("<f", files.struct.pack("<f", value))[0] if dtype[1:] == "f4" else value


def write_input(case, upper, lower):
    """(options, names or None, upper and lower as written to the files)"""
    n = len(upper)
    r = case.random
    dtypes = [d for d in ("<f8", "<f8", "<f4", ">f8", ">f4", "|u1", "<u2", ">i4", "<i8", "<u8") if representable(d, upper)]
    to_file = r.choice(dtypes)
    lower_type = r.choice([d for d in ("<f8", "<f4", to_file) if representable(d, lower)])
    upper = [[rounded(v, to_file) for v in row] for row in upper]
    lower = [[rounded(v, lower_type) for v in row] for row in lower]
    if n > 1 and to_file[1:] == "f8" and case.chance(0.1):  # triangles that differ by less than 1e-4
        for i in range(n):
            for j in range(i):
                if 1 < upper[i][j] < INF:
                    upper[i][j] += 5e-5
    use_lower = case.chance(0.85)
    integer = lambda m, d: m if d[1] == "f" else [[int(v) for v in row] for row in m]
    arrays = {"upper": files.npy(flat(integer(upper, to_file)), (n, n), to_file, case.chance(0.3), r.choice([1, 1, 2]))}
    if use_lower:
        arrays["lower"] = files.npy(flat(integer(lower, lower_type)), (n, n), lower_type, case.chance(0.3))
    names = None
    if case.chance(0.5):
        options = ["--upper", case.write("u.npy", arrays["upper"])]
        if use_lower:
            options += ["--lower", case.write("l.npy", arrays["lower"])]
    else:
        if case.chance(0.5):
            names = [f"A/{r.choice(['LYS', 'PRO', 'a b', 'é', chr(0x4e2d), 'x,y', 'q' + chr(34)])}{i}/CA" for i in range(n)]
            arrays["atoms"] = files.npy(names, (n,), "U")
        options = [case.write("in.npz", files.npz(arrays, case.chance(0.5)))]
    tighter_u = [[min(upper[i][j], upper[j][i]) for j in range(n)] for i in range(n)]
    tighter_l = [[max(lower[i][j], lower[j][i]) if use_lower else 0.0 for j in range(n)] for i in range(n)]
    return options, names, tighter_u, tighter_l


def random_precision(case):
    options, form, outward = [], "float32", False
    if case.chance(0.75):
        form = case.pick("float32", "float64", "float64", "fixed")
        options += ["--precision", form]
    if form != "fixed" and case.chance(0.25):
        outward = True
        options += ["--rounding", "outward"]
    return options, form, outward


def read_result(case, name, form):
    arrays = files.read_npz(case.read(name), name)
    for key in ("upper", "lower"):
        if key not in arrays:
            raise Failure(f"{name}: its arrays", "upper and lower", str(sorted(arrays)))
        case.equal(f"{name}: the type of {key}", "f4" if form == "float32" else "f8", arrays[key][1])
    return files.matrix_of(arrays["upper"]), files.matrix_of(arrays["lower"]), arrays.get("atoms")


def check_values(case, form, outward, upper, lower, found_u, found_l):
    n = len(upper)
    finite = [v for v in flat(upper) + flat(lower) if v != INF]
    if form == "fixed":
        unit = 1 << 20
        exact_u, exact_l = smooth([[v if v == INF else math.ceil(Fraction(v) * unit) for v in row] for row in upper],
                                  [[math.floor(Fraction(v) * unit) for v in row] for row in lower])
        as_length = lambda m: [[v if v == INF else v / unit for v in row] for row in m]
        case.matrix("upper bounds (fixed)", as_length(exact_u), found_u)
        case.matrix("lower bounds (fixed)", as_length(exact_l), found_l)
        return exact_u
    epsilon = 2.0 ** (-23 if form == "float32" else -52)
    if outward:
        exact = lambda m: [[v if v == INF else Fraction(v) for v in row] for row in m]
        exact_u, exact_l = smooth(exact(upper), exact(lower))
        largest = max(finite + [2 * float(v) for v in flat(exact_u) if v != INF] + [0.0])
        step = max(2 * largest * epsilon, 2.0 ** -99)  # no bound needs a finer one
        for i in range(n):
            for j in range(n):
                case.results_checked += 1
                u, l = exact_u[i][j], exact_l[i][j]
                if u == INF:
                    case.close(f"upper bound ({i}, {j}), unknown", INF, found_u[i][j])
                elif not u <= Fraction(found_u[i][j]) <= u + Fraction(step) * (n + 1):
                    raise Failure(f"upper bound ({i}, {j}), rounded outward", f"{float(u)!r} or just above", repr(found_u[i][j]))
                if not l - Fraction(step) * (n + 2) <= Fraction(found_l[i][j]) <= l:
                    raise Failure(f"lower bound ({i}, {j}), rounded outward", f"{float(l)!r} or just below", repr(found_l[i][j]))
        return exact_u
    exact_u, exact_l = smooth(upper, lower)
    largest = max([v for v in flat(exact_u) if v != INF] + flat(lower) + [0.0])
    least = (n + 2) * (1.5e-45 if form == "float32" else 5e-324)  # a unit of the smallest numbers
    case.matrix("upper bounds", exact_u, found_u, 2 * (n + 1) * epsilon * largest + least)
    case.matrix("lower bounds", exact_l, found_l, 2 * (n + 2) * epsilon * largest + least)
    return exact_u


def check_report(case, report, upper, lower, found_u, found_l, tolerance, explained):
    n = len(upper)
    excess = [found_l[i][j] - found_u[i][j] for i in range(n) for j in range(i)]
    slip = 1e-6 * max([1.0] + [v for v in flat(found_l)])
    least, most = sum(e > tolerance + slip for e in excess), sum(e > tolerance - slip for e in excess)
    violations = report["violations"]
    if not least <= violations["count"] <= most:
        raise Failure("number of inconsistent pairs", f"{least} to {most}", str(violations["count"]))
    case.equal("number of atoms", n, report["atoms"])
    for pair in violations["worst"]:
        case.close("an inconsistent pair's upper bound", found_u[pair["i"]][pair["j"]], pair["upper"], 1e-5, 1e-6)
        case.close("an inconsistent pair's lower bound", found_l[pair["i"]][pair["j"]], pair["lower"], 1e-5, 1e-6)
    if not explained:
        return
    # At a tolerance of 0, rounding alone makes pairs inconsistent; exact sums agree.
    groups = report["contradictions"]
    proved = sum(g["explainedPairs"] for g in groups)
    if not least <= proved <= violations["count"]:
        raise Failure("pairs that the groups prove", f"{least} to {violations['count']}", str(proved))
    for g in groups:
        path = g["upperPath"]
        case.equal("ends of a chain of upper bounds", {g["p"], g["q"]}, {path[0], path[-1]} if len(path) > 1 else {path[0]})
        case.close("lower bound of a contradiction", lower[g["p"]][g["q"]], g["lower"], 1e-5, 1e-6)
        for a, b, value in zip(path, path[1:], g["upperInputs"]):
            case.close(f"upper bound ({a}, {b}) of a chain", upper[a][b], value, 1e-5, 1e-6)
        case.close("length of a chain", sum(g["upperInputs"]), g["upperSum"], 1e-5, 1e-5)
        if g["lower"] - g["upperSum"] <= tolerance - slip:
            raise Failure("a contradiction", "a lower bound above its chain", str(g))


def run_bounds(case):
    upper, lower = random_bounds(case)
    options, names, upper, lower = write_input(case, upper, lower)
    n = len(upper)
    precision, form, outward = random_precision(case)
    backend, _ = case.settings.backends.choose(case, "bounds")
    crossed = [(i, j) for i in range(n) for j in range(n) if lower[i][j] > upper[i][j]]
    close_call = any(0 < lower[i][j] - upper[i][j] < 1e-3 for i, j in crossed)
    allow = case.chance(0.5)
    if allow:
        options += ["--allow-inconsistent"]
    tolerance = 1e-4
    if case.chance(0.2):
        tolerance = case.pick(0.0, 0.01, 1.0)
        options += ["--violation-tolerance", tolerance]
    explained = case.chance(0.4)
    if explained:
        options += ["--explain"]
    as_table = case.chance(0.2)
    outputs = ["out.csv" if as_table else "out.npz"]
    extra = []
    if case.chance(0.3):
        extra += ["-o", "table.tsv"]
    if case.chance(0.2):
        extra += ["-o", "pairs.violations.tsv"]
    if case.chance(0.2):
        extra += ["-o", "groups.contradictions.tsv"]
    outputs += extra[1::2]
    r = case.random
    arguments = [*options, *precision, *backend, "-o", outputs[0], *extra, "--json"]
    largest = max([v for v in flat(upper) + flat(lower) if v != INF] + [0.0])
    may_refuse = refusable(backend) or (form == "fixed" and largest * n >= 512) or close_call
    refused = bool(crossed) and not allow
    if refused and not close_call:
        case.run("bounds", *arguments, outputs=outputs, accepted=(1, 2) if refusable(backend) else (2,))
        return
    result = case.attempt("bounds", *arguments, outputs=outputs, may_refuse=refusable(backend),
                          excused=may_refuse and not refusable(backend))
    if not result:
        return
    rows = None
    if as_table or "table.tsv" in extra:
        table = "out.csv" if as_table else "table.tsv"
        rows = [files.split_csv(line) if as_table else line.split("\t") for line in files.lines_of(case.read_text(table), table)]
        case.equal(f"{table}: number of lines", n * (n - 1) // 2 + 1, len(rows))
    if as_table:
        found_u = [[0.0] * n for _ in range(n)]
        found_l = [[0.0] * n for _ in range(n)]
        for row in rows[1:]:
            i, j = int(row[0]) - 1, int(row[1]) - 1
            found_l[i][j] = found_l[j][i] = files.to_number(row[-2], "out.csv")
            found_u[i][j] = found_u[j][i] = files.to_number(row[-1], "out.csv")
            if names:
                case.equal("out.csv: names of a pair", [names[i], names[j]], row[2:4])
    else:
        found_u, found_l, atoms = read_result(case, "out.npz", form)
        case.equal("out.npz: names", names, list(atoms[2]) if atoms else None)
        for row in rows[1:] if rows else ():
            i, j = int(row[0]) - 1, int(row[1]) - 1
            case.close("table.tsv: a lower bound", found_l[i][j], float(row[-2]), 0, 2e-7 if form == "float32" else 0)
            case.close("table.tsv: an upper bound", found_u[i][j], float(row[-1]), 0, 2e-7 if form == "float32" else 0)
    check_values(case, form, outward, upper, lower, found_u, found_l)
    report = result.report()
    check_report(case, report, upper, lower, found_u, found_l, tolerance, explained)
    if "pairs.violations.tsv" in extra:
        lines = files.lines_of(case.read_text("pairs.violations.tsv"), "pairs.violations.tsv")
        case.equal("pairs.violations.tsv: its lines", report["violations"]["count"] + 1, len(lines))
    if case.chance(0.2):  # smoothing again changes only the last digits
        if not as_table and form == "float64" and not outward:
            case.run("bounds", "out.npz", "--precision", "float64", "--allow-inconsistent", "-o", "again.npz", outputs=["again.npz"])
            u, _, _ = read_result(case, "again.npz", form)
            case.matrix("upper bounds, smoothed once more", found_u, u, 4 * n * 2.0 ** -52 * max(1.0, largest) * n)
    

# Structures

def pdb_line(kind, serial, name, residue, chain, number, at, element):
    shown = name if len(name) == 4 else f" {name:<3s}"
    return (f"{kind:<6s}{serial:5d} {shown} {residue:>3s} {chain}{number:4d}    {at[0]:8.3f}{at[1]:8.3f}{at[2]:8.3f}"
            f"{1.0:6.2f}{10.0:6.2f}          {element:>2s}")


def cif_text(atoms):
    keys = ["group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_entity_id",
            "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id",
            "auth_asym_id", "pdbx_PDB_model_num"]
    lines = ["data_X", "loop_", *("_atom_site." + key for key in keys)]
    for i, (name, residue, number, at, element) in enumerate(atoms):
        lines.append(f"ATOM {i + 1} {element} {name} . {residue} A 1 {number} ? {at[0]:.3f} {at[1]:.3f} {at[2]:.3f} 1.0 10.0 {number} A 1")
    return "\n".join(lines) + "\n#\n"


def run_structure(case):
    r = case.random
    residues = case.size(1, 7)
    atoms = []
    for number in range(1, residues + 1):
        residue = r.choice(["GLY", "ALA", "LYS", "SER"])
        for name in ["N", "CA", "C", "O"][: r.choice([2, 4])] + (["H"] if case.chance(0.5) else []):
            while True:
                at = [round(r.uniform(-9, 9), 3) for _ in range(3)]
                if all(math.dist(at, other[3]) > 0.9 for other in atoms):
                    break
            atoms.append((name, residue, number, at, name[0]))
    end = "\r\n" if case.chance(0.2) else "\n"
    as_cif = case.chance(0.3)
    if as_cif:
        text = cif_text(atoms)
    else:
        lines = [pdb_line("ATOM", i + 1, a[0], a[1], "A", a[2], a[3], a[4]) for i, a in enumerate(atoms)]
        if case.chance(0.4):
            lines += ["TER", pdb_line("HETATM", 900, "O", "HOH", "A", 900, [99.0, 0.0, 0.0], "O")]
        if case.chance(0.3):
            lines = ["MODEL        1", *lines, "ENDMDL", "MODEL        2",
                     *[pdb_line("ATOM", i + 1, a[0], a[1], "A", a[2], [50.0 + i, 0.0, 0.0], a[4]) for i, a in enumerate(atoms)], "ENDMDL"]
        text = end.join([*lines, "END"]) + end
    ending = ".cif" if as_cif else r.choice([".pdb", ".ent"])
    zipped = case.chance(0.3)
    name = case.write("in" + ending + (".gz" if zipped else ""), files.packed(text) if zipped else text)
    which = r.choice(["all", "heavy", "ca"])
    chosen = [a for a in atoms if which == "all" or (which == "heavy" and a[4] != "H") or (which == "ca" and a[0] == "CA")]
    cutoff, slack, hydrogen = r.choice([6.0, 3.5, 12.0]), r.choice([0.05, 0.5]), r.choice([0.62, 0.3])
    share = r.choice([1, 1, 1, 0.4])
    n = len(chosen)
    distance = [[math.dist(a[3], b[3]) for b in chosen] for a in chosen]
    diameter = max([d for row in distance for d in row] + [0]) + slack
    options = ["--cutoff", cutoff, "--tolerance", slack, "--hydrogen-diameter", hydrogen, "--known", share, "--precision", "float64"]
    if which != "all" or case.chance(0.3):
        options += ["--atoms", which]
    if case.chance(0.2):
        diameter = 40.0
        options += ["--diameter", diameter]
    if any(abs(d - cutoff) < 1e-3 for row in distance for d in row):
        return
    upper = [[0.0 if i == j else min(diameter, distance[i][j] + slack) if distance[i][j] < cutoff else diameter for j in range(n)]
             for i in range(n)]
    lower = [[0.0 if i == j else max(0.0, distance[i][j] - slack) if distance[i][j] < cutoff else hydrogen for j in range(n)]
             for i in range(n)]
    backend, _ = case.settings.backends.choose(case, "bounds", gl_share=0.0)
    result = case.run("bounds", name, *options, *backend, "-o", "out.npz", outputs=["out.npz"],
                      accepted=(0, 2) if n < 2 else (0,))
    if result.status:
        return
    found_u, found_l, names = read_result(case, "out.npz", "float64")
    case.equal("number of atoms", n, len(found_u))
    case.equal("names of atoms", [f"A/{a[1]}{a[2]}/{a[0]}" for a in chosen], list(names[2]))
    exact_u, exact_l = smooth(upper, lower)
    loose_l = smooth(upper, [[max(v, hydrogen) if i != j else v for j, v in enumerate(row)] for i, row in enumerate(lower)])[1]
    if share == 1:
        case.matrix("upper bounds of a structure", exact_u, found_u, 1e-4)
        case.matrix("lower bounds of a structure", exact_l, found_l, 1e-4)
    else:
        for i in range(n):
            for j in range(n):
                case.results_checked += 1
                if not exact_u[i][j] - 1e-4 <= found_u[i][j] <= diameter + 1e-4:
                    raise Failure(f"upper bound ({i}, {j}) with fewer known pairs", f"{exact_u[i][j]} to {diameter}", found_u[i][j])
                if not found_l[i][j] <= max(exact_l[i][j], loose_l[i][j]) + 1e-4:
                    raise Failure(f"lower bound ({i}, {j}) with fewer known pairs", f"at most {exact_l[i][j]}", found_l[i][j])


KINDS = [("bounds", run_bounds, 10), ("bounds", run_structure, 3)]
