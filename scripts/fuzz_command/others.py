"""`generate`, `list`, `info`, `help` and `validate`."""

from . import files
from .case import Failure, control_characters

COMMANDS = ("align pairwise tree bounds crossapen distance mutualinfo network "
            "generate validate bench reproduce study report list info").split()
VALIDATED = {"distance": ["--sizes", "{n}x{m}"], "bounds": ["--sizes", "{n}"], "mutualinfo": ["--sizes", "{n}x{m}"]}


def run_generate(case):
    """The same seed gives the same bytes, another seed different ones, and the command can read the generated file."""
    r = case.random
    kind = r.choice(["sequences", "bounds", "signals", "genotypes", "expression"])
    if kind == "sequences":
        options, ending = ["--sequences", r.randint(2, 9), "--length", r.randint(20, 60)], ".fa"
        options += ["--alphabet", r.choice(["protein", "dna", "rna"])] + (["--family"] if case.chance(0.5) else [])
        then = ["pairwise"]
    elif kind == "bounds":
        options, ending, then = ["--atoms", r.randint(4, 20), "--known", r.choice([0.1, 0.5, 1])], ".npz", ["bounds"]
        options += ["--dtype", r.choice(["float32", "float64", "fixed"])]
    elif kind == "signals":
        options, ending = ["--channels", r.randint(2, 4), "--samples", 64, "--epochs", r.randint(1, 3)], r.choice([".edf", ".npy", ".csv"])
        options += ["--kind", r.choice(["white", "ar", "henon", "logistic", "lorenz"]), "--coupling", r.choice([0, 0.3, 1])]
        then = ["crossapen", "--epoch", 64] + (["--header", "yes"] if ending == ".csv" else [])
    elif kind == "genotypes":
        options = ["--instances", r.randint(1, 9), "--attributes", r.randint(1, 70), "--missing", r.choice([0, 0.1])]
        ending = r.choice([".vcf", ".npy", ".csv", ".bed"])
        then = ["distance", "--data", "genotypes"] if ending == ".csv" else ["distance"]
    else:
        options, ending, then = ["--genes", r.randint(2, 20), "--samples", r.randint(3, 30)], ".tsv", ["mutualinfo"]
        options += ["--molecules", 2000] if case.chance(0.3) else ["--missing", r.choice([0, 0.1])]
    beside = lambda stem: [stem + ".bim", stem + ".fam"] if ending == ".bed" else []
    seed = r.randrange(1000)
    for stem, s in (("a", seed), ("b", seed), ("c", seed + 1)):
        case.run("generate", kind, *options, "--seed", s, "-o", stem + ending, outputs=[stem + ending, *beside(stem)])
    content = lambda stem: [case.read(stem + e) for e in [ending] + [x[1:] for x in beside(stem)]]
    case.equal(f"generate {kind}: the same seed's files", content("a"), content("b"))
    if kind not in ("genotypes",) and content("a") == content("c") and case.files():
        raise Failure(f"generate {kind}: another seed's file", "another one", "the same")
    output = {"pairwise": "out.tsv", "bounds": "out.npz", "crossapen": "out.csv", "distance": "out.tsv", "mutualinfo": "out.tsv"}[then[0]]
    case.run(then[0], "a" + ending, *then[1:], "-o", output, outputs=[output], accepted=(0,))


def run_help(case):
    r = case.random
    command = r.choice(COMMANDS)
    form = r.choice(["help", "--help", "unknown", "version", "list", "info"])
    if form == "unknown":
        case.run(command, r.choice(["--nonsense", "-Z", "--nonsense=1", "--é", "--\x1b[31m"]), accepted=(2,))
    elif form == "version":
        if not case.run("--version").text.startswith("glycine "):
            raise Failure("--version", "glycine and a number", case.run("--version").text)
    elif form == "list":
        report = case.run("list", "--json").report()
        case.equal("list --json: its command", "list", report["command"])
        text = case.run("list").text
        for entry in report["variants"]:
            if entry["variant"] and entry["variant"] not in text:
                raise Failure("list", entry["variant"], "not in the text")
    elif form == "info":
        report = case.run("info", "--json").report()
        case.equal("info --json: backends", {"reference", "cpu", "gl", "cuda"}, {b["name"] for b in report["backends"]})
    else:
        first = case.run("help", command)
        second = case.run(command, "--help")
        case.equal(f"help {command}: the same as {command} --help", first.out, second.out)
        if first.err or not first.text.strip() or control_characters(first.text):
            raise Failure(f"help {command}", "text on standard output", repr(first.err[:200]))


def run_validate(case):
    r = case.random
    algorithm = r.choice(sorted(VALIDATED))
    sizes = [v.format(n=r.randint(2, 12), m=r.randint(3, 30)) for v in VALIDATED[algorithm]]
    result = case.run("validate", algorithm, *sizes, "--backend", "reference,cpu", "--seed", r.randrange(1000), "--json")
    case.equal("validate: agrees", True, result.report().get("agrees"))


def run_generated_bounds(case):
    """Bounds of a random chain: symmetric, with a zero diagonal, lower below upper."""
    r = case.random
    n = r.randint(2, 30)
    case.run("generate", "bounds", "--atoms", n, "--seed", r.randrange(1000), "-o", "a.npz", "--dtype", "float64", outputs=["a.npz"])
    arrays = files.read_npz(case.read("a.npz"), "a.npz")
    upper, lower = files.matrix_of(arrays["upper"]), files.matrix_of(arrays["lower"])
    for i in range(n):
        for j in range(n):
            case.equal(f"symmetry of ({i}, {j})", (upper[i][j], lower[i][j]), (upper[j][i], lower[j][i]))
            if lower[i][j] > upper[i][j] or (i == j and upper[i][j]):
                raise Failure(f"bounds ({i}, {j})", "lower below upper", f"{lower[i][j]}, {upper[i][j]}")


KINDS = [("generate", run_generate, 5), ("generate", run_generated_bounds, 1), ("help", run_help, 5), ("validate", run_validate, 1)]
