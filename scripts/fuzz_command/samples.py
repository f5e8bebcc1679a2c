"""A small input for every command with its options, the starting point of hostile cases."""

from . import bounds, distance, entropy, files, information, sequences, tables, trees


class Sample:
    """A command line without outputs, its files, and the format and comparison of its result."""

    def __init__(self, command, arguments, output, inputs, backends=("reference", "cpu"), exact=False):
        self.command, self.arguments, self.output, self.inputs = command, [str(a) for a in arguments], output, inputs
        self.backends, self.exact = backends, exact

    def line(self, output=None, backend=None):
        options = ["--backend", backend] if backend else []
        return [self.command, *self.arguments, *options, "-o", output or self.output]


def of_distance(case):
    if case.chance(0.3):
        data, _, _ = tables.coordinates(case, distance.Data)
    else:
        data = distance.random_counts(case)
    arguments = [data.input, *data.options]
    stem = [data.input] if "." in data.input else []
    if data.input.startswith("in") and data.input in ("in", "in.bed"):
        stem = ["in.bed", "in.bim", "in.fam"]
    return Sample("distance", arguments, "out.tsv", stem)


def of_bounds(case):
    upper, lower = bounds.random_bounds(case)
    options, _, _, _ = bounds.write_input(case, upper, lower)
    return Sample("bounds", [*options, "--precision", "float64", "--allow-inconsistent"], "out.csv", [o for o in options if o[0] != "-"])


def of_structure(case):
    atoms = [(n, "ALA", 1 + k // 4, [round(case.random.uniform(-9, 9), 3) for _ in range(3)], n[0])
             for k, n in enumerate(["N", "CA", "C", "O"] * case.size(1, 4))]
    if case.chance(0.4):
        name, text = "in.cif", bounds.cif_text(atoms)
    else:
        name = "in.pdb"
        text = "\n".join(bounds.pdb_line("ATOM", i + 1, a[0], a[1], "A", a[2], a[3], a[4]) for i, a in enumerate(atoms)) + "\nEND\n"
    return Sample("bounds", [case.write(name, text), "--precision", "float64", "--diameter", 60], "out.csv", [name])


def of_information(case):
    rows = information.expression(case)
    _, name, options = information.write_expression(case, rows)
    return Sample("mutualinfo", [name, *options], "out.tsv", [name])


def of_network(case):
    rows = information.expression(case, gaps=False)
    while len(rows) < 3:
        rows.append([case.random.random() for _ in rows[0]])
    _, name, options = information.write_expression(case, rows)
    return Sample("network", [name, *options, "--method", case.pick("mi", "clr")], "out.tsv", [name])


def fasta(case):
    kind = case.pick("protein", "dna")
    texts = sequences.family(case, tables.RESIDUES if kind == "protein" else tables.NUCLEOTIDES, most=6, longest=40)
    return sequences.write_fasta(case, sequences.sequence_names(case, len(texts)), texts, kind)


def of_pairwise(case):
    name = fasta(case)
    return Sample("pairwise", [name, *case.pick([], ["--method", "clustalw"], ["--method", "local"], ["--measure", "score"])], "out.tsv", [name], exact=True)


def of_align(case):
    name = fasta(case)
    return Sample("align", [name, *case.pick(["--method", "clustalw"], ["--method", "thesis"])], "out.fa", [name], exact=True)


def of_guide_tree(case):
    n = case.size(3, 6)
    names = [f"s{i}" for i in range(n)]
    name = case.write("in.fa", files.fasta(names, ["".join(case.random.choice(tables.RESIDUES) for _ in range(20)) for _ in names]))
    text = "(" * (n - 1) + names[0] + ":1" + "".join(f",{x}:{case.random.random():.3f}):0.5" for x in names[1:]) + ";\n"
    case.write("in.nwk", text)
    return Sample("align", [name, "--method", "clustalw", "--tree-in", "in.nwk"], "out.fa", ["in.nwk"], exact=True)


def of_tree(case):
    d, _ = trees.random_matrix(case, case.size(2, 9))
    name = trees.write_matrix(case, trees.leaf_names(case, len(d)), d)
    return Sample("tree", [name], "out.nwk", [name], backends=())


def of_aligned(case):
    rows = ["".join(case.random.choice("ACGT-") for _ in range(30)) for _ in range(case.size(2, 6))]
    name = case.write("in.fa", files.fasta([f"s{i}" for i in range(len(rows))], rows))
    return Sample("tree", [name], "out.nwk", [name], backends=())


def of_crossapen(case):
    samples = case.size(8, 40)
    signals, _ = entropy.random_signals(case, case.size(1, 3), samples)
    names = [f"c{i}" for i in range(len(signals))]
    options, _ = entropy.write_signals(case, names, [signals])
    return Sample("crossapen", [*options, "--epoch", samples, "--precision", "float64"], "out.csv", [options[0]])


def of_recording(case):
    """The program's own .edf file, which is as good as any for mutations."""
    case.run("generate", "signals", "--channels", case.size(1, 3), "--samples", 64, "--epochs", case.size(1, 3), "-o", "in.edf",
             "--seed", case.random.randrange(1000), outputs=["in.edf"])
    return Sample("crossapen", ["in.edf", "--epoch", 64], "out.csv", ["in.edf"])


MAKERS = [of_distance, of_distance, of_distance, of_bounds, of_structure, of_information, of_network, of_pairwise, of_align, of_guide_tree,
          of_tree, of_aligned, of_crossapen, of_recording]


def sample(case, makers=None):
    return case.random.choice(makers or MAKERS)(case)
