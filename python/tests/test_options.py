"""Options that a call would not use are refused, with the command's message."""

import numpy as np
import pytest

import glycine

REALS = np.random.default_rng(1).normal(size=(4, 60))
GENOTYPES = np.random.default_rng(2).integers(0, 3, (4, 60)).astype(np.int8)
GLOBINS = {"a": "VLSPADKTNVKAAW", "b": "VLSEGEWQLVLHVW", "c": "VHLTPEEKSAVTALW"}

COMMANDS = {
    "distance": lambda **how: glycine.distances(REALS, **how),
    "bounds": lambda **how: glycine.smooth_bounds(2 - 2 * np.eye(4), **how),
    "mutualinfo": lambda **how: glycine.mutual_information(REALS, **how),
    "network": lambda **how: glycine.network(REALS, **how),
    "crossapen": lambda **how: glycine.cross_apen(REALS, **how),
    "pairwise": lambda **how: glycine.pairwise(GLOBINS, **how),
    "align": lambda **how: glycine.align(GLOBINS, **how),
    "tree": lambda **how: glycine.tree(1 - np.eye(4), **how),
}


@pytest.fixture
def refused_alike(command, tmp_path):
    """Checks that a call and the command refuse an option with the same words."""

    def check(name, call, line, given=None):
        (tmp_path / "s.fa").write_text("".join(f">{one}\n{letters}\n" for one, letters in GLOBINS.items()))
        np.savez(tmp_path / "b.npz", upper=2 - 2 * np.eye(4))
        usual = {"bounds": "b.npz", "pairwise": "s.fa", "align": "s.fa", "tree": 1 - np.eye(4)}
        outputs = {"bounds": "o.npz", "network": "o.tsv", "align": "o.fa", "tree": "o.nwk"}
        more = ["--epoch", 60] if name == "crossapen" else []
        code, _, messages = command(name, usual.get(name, REALS) if given is None else given, "-o", outputs.get(name, "o.npy"), *more, *line)
        with pytest.raises(ValueError) as error:
            call()
        assert code == 2 and str(error.value) in " ".join(messages.split()), (str(error.value), messages)

    return check


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    "options, line",
    [
        (dict(backend="gl", threads=2), ["--threads", 2]),
        (dict(backend="cpu", dialect="gl33"), ["--dialect", "gl33"]),
        (dict(backend="reference", simd="avx2"), ["--simd", "avx2"]),
        (dict(backend="cpu", check=False), ["--no-check"]),
        (dict(backend="cpu", max_memory=10**9), ["--max-memory", 10**9]),
        (dict(backend="cpu", context="egl"), ["--context", "egl"]),
        (dict(backend="cpu", threads=0), ["--threads", 0]),
        (dict(backend="gl", pass_budget=-1.5), ["--pass-budget=-1.5"]),
        (dict(device=0), ["--device", 0]),
        # Of the backend that the rule chooses.
        (dict(dialect="gl33"), ["--dialect", "gl33"]),
    ],
    ids=str,
)
def test_options_of_other_backends(refused_alike, name, options, line):
    backend = ["--backend", options["backend"]] if "backend" in options else []
    refused_alike(name, lambda: COMMANDS[name](**options), [*backend, *line])


def test_options_of_the_backend_are_used(tmp_path):
    found = glycine.distances(REALS, backend="gl", dialect="gl33", max_texture=64, check=False)
    assert found.run["recount"]["elements"] == 0
    assert "1 thread" in glycine.distances(REALS, backend="cpu", threads=np.int16(1), check=True).device
    assert glycine.distances(REALS, backend="gl", max_memory="512M").backend == "gl"
    with pytest.raises(ValueError, match="a call runs on one backend; expected gl"):
        glycine.distances(REALS, backend="gl+cpu")


@pytest.mark.parametrize(
    "name, call, line, given",
    [
        ("distance", lambda: glycine.distances(REALS, min_overlap=3), ["--min-overlap", 3], REALS),
        ("distance", lambda: glycine.distances(REALS, missing="flat"), ["--missing", "flat"], REALS),
        ("distance", lambda: glycine.distances(GENOTYPES, precision="float32"), ["--precision", "float32"], GENOTYPES),
        ("distance", lambda: glycine.distances(REALS, tile=0), ["--tile", 0], REALS),
        ("mutualinfo", lambda: glycine.mutual_information(REALS, tile=0), ["--tile", 0], REALS),
        ("pairwise", lambda: glycine.pairwise(GLOBINS, tile=0), ["--tile", 0], "s.fa"),
        ("mutualinfo", lambda: glycine.mutual_information(REALS, 5, estimator="pearson"), ["--bins", 5, "--method", "pearson"], REALS),
        ("mutualinfo", lambda: glycine.mutual_information(REALS, order=2, estimator="bins"), ["--spline-order", 2, "--method", "bins"], REALS),
        ("network", lambda: glycine.network(REALS, "clr", dpi=0.1), ["--method", "clr", "--dpi", 0.1], REALS),
        ("network", lambda: glycine.network(REALS, "mi", trees=5), ["--method", "mi", "--trees", 5], REALS),
        ("network", lambda: glycine.network(REALS, "correlation", bins=5), ["--method", "correlation", "--bins", 5], REALS),
        ("pairwise", lambda: glycine.pairwise(GLOBINS, method="clustalw", gap_open=3), ["--method", "clustalw", "--gap-open", 3], "s.fa"),
        ("pairwise", lambda: glycine.pairwise(GLOBINS, "mismatch"), ["--measure", "mismatch"], "s.fa"),
        ("align", lambda: glycine.align(GLOBINS, "fast", budget=5), ["--method", "fast", "--budget", 5], "s.fa"),
        ("align", lambda: glycine.align(GLOBINS, "fast", tree_method="nj"), ["--method", "fast", "--guide-tree", "nj"], "s.fa"),
        ("align", lambda: glycine.align(GLOBINS, "accuracy", tile=64), ["--method", "accuracy", "--tile", 64], "s.fa"),
    ],
    ids=lambda one: " ".join(map(str, one)) if isinstance(one, list) else None,
)
def test_options_of_other_data_and_methods(refused_alike, name, call, line, given):
    refused_alike(name, call, line, given)


def test_options_of_other_functions():
    for error, says, call in [
        (ValueError, "condensed gives each pair", lambda: glycine.cross_distances(REALS, REALS, condensed=True)),
        (ValueError, "founders are for", lambda: glycine.distances(REALS, founders=[True] * 4)),
        (ValueError, "computes mismatch with", lambda: glycine.distances(GENOTYPES, founders=[True] * 4)),
        *((TypeError, f"{name} is no option", lambda name=name: glycine.relatives(GENOTYPES, **{name: "ibs"})) for name in ("measure", "condensed", "dtype", "out")),
        (ValueError, "dimensions is 2.0; expected a whole number", lambda: glycine.coordinates(1 - np.eye(4), 2.0)),
        (ValueError, "within is '1'; expected a number", lambda: glycine.clusters(1 - np.eye(4), "1")),
        (ValueError, "linkage is 3; expected a name", lambda: glycine.clusters(1 - np.eye(4), 1, 3)),
        (TypeError, "expected str, bytes or os.PathLike object, not", lambda: glycine.read_fasta(None)),
    ]:
        with pytest.raises(error, match=says):
            call()
    for measure in ("plink", "grm"):
        assert glycine.distances(GENOTYPES, measure, founders=[True, True, False, True]).shape == (4, 4)


def test_readers_of_other_files(refused_alike, tmp_path):
    (tmp_path / "s.fa").touch()
    np.save(tmp_path / "e.npy", REALS)
    np.savez(tmp_path / "u.npz", upper=2 - 2 * np.eye(4))
    (tmp_path / "e.tsv").write_text("gene\ts1\ts2\nA\t1\t2\nB\t4\t3\n")
    fasta, table, array = (str(tmp_path / name) for name in ("s.fa", "e.tsv", "e.npy"))
    for name, read, file, options, line in [
        ("distance", glycine.read, fasta, dict(header=True), ["--header", "yes"]),
        ("distance", glycine.read, array, dict(gaps="state"), ["--gaps", "state"]),
        ("distance", glycine.read, table, dict(strict=True), ["--strict"]),
        ("mutualinfo", glycine.read_expression, table, dict(layer="raw"), ["--layer", "raw"]),
        ("mutualinfo", glycine.read_expression, array, dict(header=False), ["--header", "no"]),
    ]:
        refused_alike(name, lambda: read(file, **options), line, file)
    refused_alike("bounds", lambda: glycine.read_bounds(tmp_path / "u.npz", atoms="ca"), ["--atoms", "ca"])
    assert glycine.read_expression(table, transpose=True, header=True).genes == ["s1", "s2"]


def test_folding_passes_its_options_on(tmp_path):
    (tmp_path / "s.fa").write_text(">A\nGSAKVLDEAG\n")
    (tmp_path / "r.tbl").write_text("assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\n")
    files, how = (tmp_path / "r.tbl", tmp_path / "s.fa"), dict(models=1, steps=20)
    with pytest.raises(ValueError, match="--no-check concerns gl and cuda, but this would run on cpu"):
        glycine.fold(*files, backend="cpu", check=False, **how)
    assert glycine.fold(*files, backend="gl", check=False, **how).backend == "gl"
    assert glycine.fold(*files, backend="cpu", check=True, **how).backend == "cpu"
    (tmp_path / "d.fa").write_text(">A\nGAG\n>B\nGAG\n")
    (tmp_path / "d.upl").write_text("2 ALA HA 102 ALA HA 5\n2 ALA H 102 ALA H 0.5\n")
    dimer = (tmp_path / "d.upl", tmp_path / "d.fa")
    with pytest.raises(ValueError, match="no such residue; chain 'A' has 1 to 3"):
        glycine.fold(*dimer, **how)
    with pytest.raises(ValueError, match="A/ALA2/H and B/ALA2/H must be at least"):
        glycine.fold(*dimer, first_residue="B=101", **how)
    folded = glycine.fold(*dimer, first_residue="B=101", allow_inconsistent=True, **how)
    assert folded.run["restraints"]["distances"] == 2 and folded.run["bounds"]["inconsistentPairs"] > 0
