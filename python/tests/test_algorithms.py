"""Compares every function with the command: the same bits on reference, cpu and gl, on real data where available."""

import csv
import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import glycine
from conftest import same_bits

GLOBINS = {
    "HBA": "VLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKK",
    "HBB": "VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVK",
    "MYG": "VLSEGEWQLVLHVWAKVEADVAGHGQDILIRLFKSHPETLEKFDRFKHLKTEAEMKASEDL",
    "LGB": "GALTESQAALVKSSWEEFNANIPKHTHRFFILVLEIAPAAKDLFSFLKGTSEVPQNNPELQ",
}


def bounds_of(rng, atoms, dtype=np.float64):
    where = rng.normal(size=(atoms, 3)) * 4
    d = np.linalg.norm(where[:, None] - where[None], axis=2)
    known = np.triu(rng.random((atoms, atoms)) < 0.4, 1)
    known |= known.T
    upper = np.where(known, d + 0.3, 40.0).astype(dtype)
    lower = np.where(known, np.maximum(d - 0.3, 0), 0.5).astype(dtype)
    np.fill_diagonal(upper, 0)
    np.fill_diagonal(lower, 0)
    return upper, lower


@pytest.mark.parametrize("options", [{}, {"rounding": "outward"}, {"precision": "fixed"}, {"precision": "float64"}])
def test_bounds_have_the_commands_bits(rng, command, tmp_path, backend, options):
    if backend == "gl" and options.get("precision") == "float64":
        with pytest.raises((RuntimeError, ValueError)):
            glycine.smooth_bounds(*bounds_of(rng, 9), backend=backend, **options)
        return
    upper, lower = bounds_of(rng, 41)
    found = glycine.smooth_bounds(upper, lower, backend=backend, **options)
    np.save(tmp_path / "u.npy", upper), np.save(tmp_path / "l.npy", lower)
    line = [part for name, value in options.items() for part in ("--" + name, value)]
    code, out, messages = command("bounds", "--upper", "u.npy", "--lower", "l.npy", "-o", "s.npz", "--backend", backend, "--json", *line)
    assert code == 0, messages
    expected = np.load(tmp_path / "s.npz")
    assert same_bits(found.upper, expected["upper"]) and same_bits(found.lower, expected["lower"])
    report = json.loads(out)
    assert found.variant == report["variant"] and found.violation_count == report["violations"]["count"]
    assert found.run["known_pairs"] == report["knownPairs"] and set(found.times) == {"upload", "upper", "lower", "download"}


def test_bounds_of_a_real_structure(real, command, tmp_path, backend):
    pdb = real("2sdf.pdb.gz")
    given = glycine.read_bounds(pdb, atoms="ca", known=0.3)
    found = glycine.smooth_bounds(given, backend=backend)
    code, _, messages = command("bounds", pdb, "-o", "s.npz", "--atoms", "ca", "--known", 0.3, "--backend", backend)
    assert code == 0, messages
    expected = np.load(tmp_path / "s.npz")
    assert same_bits(found.upper, expected["upper"]) and same_bits(found.lower, expected["lower"])
    assert found.names == list(expected["atoms"]) and given.upper is not found.upper
    upper, lower = found
    assert (lower <= upper + 1e-3).all()
    gemmi = pytest.importorskip("gemmi")
    assert same_bits(glycine.read_bounds(gemmi.read_structure(str(pdb)), atoms="ca", known=0.3).upper, given.upper)


def test_bad_bounds_name_their_place(rng):
    upper, lower = bounds_of(rng, 5)
    for change, says in [
        (lambda: upper.__setitem__((1, 2), np.nan), r"upper: \(1, 2\) is nan"),
        (lambda: upper.__setitem__((3, 3), 1.0), r"upper: \(3, 3\) is 1; expected 0 on the diagonal"),
        (lambda: upper.__setitem__((0, 4), 7e6), r"upper: \(0, 4\) is 7000000"),
        (lambda: lower.__setitem__((0, 4), 39.0), r"lower: not symmetric"),
        (lambda: lower.__setitem__(([0, 1], [1, 0]), 41.0), r"lower: the lower bound exceeds the upper bound"),
    ]:
        kept = upper.copy(), lower.copy()
        change()
        with pytest.raises(ValueError, match=says):
            glycine.smooth_bounds(upper, lower)
        upper, lower = kept
    with pytest.raises(ValueError, match="square"):
        glycine.smooth_bounds(upper[:, 1:])
    with pytest.raises(ValueError, match="5 x 5"):
        glycine.smooth_bounds(upper, lower[1:, 1:])
    with pytest.raises(ValueError, match="rounds outward"):
        glycine.smooth_bounds(upper, precision="fixed", rounding="nearest")
    inconsistent = lower.copy()
    inconsistent[0, 1] = inconsistent[1, 0] = 41
    found = glycine.smooth_bounds(upper, inconsistent, allow_inconsistent=True)
    assert found.violation_count > 0 and found.violations[0].lower > found.violations[0].upper
    strided = glycine.smooth_bounds(np.repeat(upper, 2, 0)[::2].copy("F"), lower[::-1, ::-1][::-1, ::-1])
    assert same_bits(strided.upper, glycine.smooth_bounds(upper, lower).upper)


@pytest.mark.parametrize(
    "options", [{}, {"rank": "average", "order": 4, "unit": "nats"}, {"estimator": "pearson"}, {"estimator": "bins"}, {"gaps": "standardised"}]
)
def test_information_has_the_commands_bits(rng, computed, backend, options):
    expression = rng.normal(size=(13, 40))
    expression[1:4] += 2 * expression[0]
    expression[rng.random(expression.shape) < 0.05] = np.nan
    found = glycine.mutual_information(expression, backend=backend, **options)
    line = [str(part) for name, value in options.items() for part in ("--" + {"order": "spline-order", "estimator": "method"}.get(name, name), value)]
    assert same_bits(found, computed("mutualinfo", expression, "--backend", backend, *line))
    condensed = glycine.mutual_information(expression, backend=backend, condensed=True, **options)
    assert np.array_equal(condensed, found[np.triu_indices(13, 1)], equal_nan=True)
    for view in (np.repeat(expression, 2, 1)[:, ::2], expression.copy("F"), np.repeat(expression, 3, 0)[::3]):
        assert same_bits(glycine.mutual_information(view, backend=backend, **options), found)


@pytest.mark.parametrize("method", ["consensus", "clr", "mrnet", "mi", "aracne", "correlation", "partial", "forest"])
def test_networks_are_the_commands(rng, command, tmp_path, backend, method):
    expression = rng.normal(size=(20, 60))
    expression[1:7] += 2 * expression[0]
    expression[7:9] += expression[3]
    if method == "clr":
        expression[rng.random(expression.shape) < 0.02] = np.nan
    more = {"pvalue": 0.05, "null": "permutation", "null_pairs": 3000} if method == "aracne" else {"trees": 20, "seed": 3} if method == "forest" else {}
    if backend == "gl" and method in ("partial", "forest"):
        with pytest.raises((RuntimeError, ValueError), match="on the processor"):
            glycine.network(expression, method, backend=backend)
        return
    line = [str(part) for name, value in more.items() for part in ("--" + name.replace("_", "-"), value)]
    regulators = [0, 3, 7]
    (tmp_path / "tf.txt").write_text("\n".join(str(one + 1) for one in regulators))
    found = glycine.network(expression, method, regulators, backend=backend, **more)
    code, out, messages = command("network", expression, "-o", "n.tsv", "--method", method, "--tf", "tf.txt", "--backend", backend, "--json", *line)
    assert code == 0, messages
    with open(tmp_path / "n.tsv") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    assert len(found) == len(rows) > 0
    for k, row in enumerate(rows):
        assert (found.names[found.first[k]], found.names[found.second[k]]) == (row["regulator"], row["target"])
        assert found.score[k] == float(row["score"])
        assert found.information is None if "mi" not in row else found.information[k] == float(row["mi"])
        assert (found.p is not None) == ("p" in row) and (found.p is None or found.p[k] == float(row["p"]))
    report = json.loads(out)
    assert found.run["candidates"] == report["candidates"] and found.backend == backend
    assert found._repr_png_()[:4] == b"\x89PNG" and len(found.to_pandas()) == len(rows)
    with pytest.raises(ValueError, match="no gene of the input"):
        glycine.network(expression, regulators=["p53"])
    with pytest.raises(ValueError, match="none of 20 genes"):
        glycine.network(expression, regulators=[20])
    with pytest.raises(ValueError, match="exclude each other"):
        glycine.network(expression, pvalue=0.1, threshold=1)
    if method in ("correlation", "partial", "forest"):
        with pytest.raises(ValueError, match="mutual information, which"):
            glycine.network(expression, method, bins=5)
        with pytest.raises(ValueError, match="mutual information, which"):
            glycine.network(expression, method, pvalue=0.1)


@pytest.mark.parametrize("function", ["permen", "cross_permen", "dispen", "sampen", "cross_apen"])
def test_patterns_and_scales_have_the_commands_bits(rng, computed, backend, function):
    signals = rng.normal(size=(3, 200)).cumsum(axis=1)
    patterns = function in ("permen", "cross_permen", "dispen")
    options = {"m": 3, "classes": 4} if function == "dispen" else {"m": 3} if patterns else {"r": 0.3}
    for more in ({}, {"scales": 3}):
        line = [str(part) for name, value in {**options, **more}.items() for part in ("--" + name, value)]
        measure = function.replace("cross_", "cross")
        expected = computed("crossapen", signals, "--epoch", 200, "--measure", measure, "--backend", backend, "--max-clipped", 1, *line)
        found = getattr(glycine, function)(signals, backend=backend, **options, **more)
        assert same_bits(np.asarray(found).reshape(expected.shape), expected)
        if more:
            parts = [value for name, value in found.quantities.items() if "_scale_" in name]
            assert len(parts) == 3 and np.allclose(sum(parts), found, equal_nan=True)
    for wrong, says in [(dict(scales=0), "scale"), (dict(scales=190), "scale 190"), (dict(classes=1), "classes"), (dict(r=0.1), "--r" if patterns else None)]:
        if says:
            with pytest.raises(ValueError, match=says):
                getattr(glycine, function)(signals, backend=backend, **wrong)


def test_epochs_around_events(rng, tmp_path):
    signals = np.round(rng.normal(size=(2, 400)) * 1000).astype("<i2")
    signals.T.tofile(tmp_path / "a.eeg")
    head = "Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\n"
    (tmp_path / "a.vhdr").write_text(
        head + "DataFile=a.eeg\nMarkerFile=a.vmrk\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\nNumberOfChannels=2\n"
        "SamplingInterval=10000\n[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=C3,,1,µV\nCh2=C4,,1,µV\n"
    )
    markers = "".join(f"Mk{k}=Stimulus,S {name:2d},{place},1,0\n" for k, (name, place) in enumerate([(1, 51), (2, 120), (1, 301)], 1))
    (tmp_path / "a.vmrk").write_text(head.replace("Header", "Marker") + "DataFile=a.eeg\n[Marker Infos]\n" + markers)
    found = glycine.read_signals(tmp_path / "a.vhdr", events=["S  1"], event_start=-0.1, epoch=30, max_clipped=1.0)
    assert found.values.shape == (2, 2, 30) and [one.split("/")[-1] for one in found.events] == ["S  1"] * 2 and found.rate == 100
    assert np.array_equal(found.values, [signals[:, 40:70], signals[:, 290:320]])
    derived = glycine.read_signals(tmp_path / "a.vhdr", montage=["C3-C4"], epoch=100, max_clipped=1.0)
    assert derived.names == ["C3-C4"] and np.allclose(derived.values[1, 0], signals[0, 100:200] - signals[1, 100:200])
    with pytest.raises(ValueError, match="event"):
        glycine.read_signals(tmp_path / "a.vhdr", event_start=-0.1)


@pytest.mark.parametrize("function", ["cross_apen", "apen", "cross_sampen", "sampen", "fuzzyen"])
def test_entropies_have_the_commands_bits(rng, computed, backend, function):
    signals = rng.normal(size=(2, 3, 64)).cumsum(axis=2)
    found = getattr(glycine, function)(signals, r=0.3, backend=backend)
    measure = {"cross_apen": "crossapen", "cross_sampen": "crosssampen", "fuzzyen": "crossfuzzyen"}.get(function, function)
    for epoch in range(2):
        expected = computed("crossapen", signals[epoch], "--epoch", 64, "--measure", measure, "--r", 0.3, "--backend", backend, "--max-clipped", 1)
        one = getattr(glycine, function)(signals[epoch], r=0.3, backend=backend)
        assert same_bits(np.asarray(found[epoch]).reshape(expected.shape), expected)
        assert same_bits(np.asarray(one).reshape(expected.shape), expected)
    assert same_bits(getattr(glycine, function)(np.repeat(signals, 2, 2)[:, :, ::2], r=0.3, backend=backend), found)
    assert found.backend == backend and found.times["compute"] > 0


def test_entropies_of_a_real_recording(real, tmp_path, computed):
    eeg = np.fromfile(real("eeg.dat"), float).reshape(800, 4).T[:, :600]
    np.save(tmp_path / "eeg.npy", eeg)
    given = glycine.read_edf(tmp_path / "eeg.npy", epoch=300)
    assert given.values.shape == (2, 4, 300) and np.array_equal(given.values[1], eeg[:, 300:], equal_nan=True)
    found = glycine.cross_apen(given)
    assert found.shape == (2, 4, 4) and found.names == given.names
    assert same_bits(found[0], computed("crossapen", eeg, "--epoch", 300, "--epochs", 1))


def test_bad_signals(rng):
    signals = rng.normal(size=(2, 30))
    for options, says in [
        (dict(m=0), "m"),
        (dict(m=40), "samples"),
        (dict(r=-1.0), "r"),
        (dict(r=np.nan), "r"),
        (dict(measure="sampen", bias="max"), "--bias"),
        (dict(power=2.0), "--n"),
        (dict(precision="float16"), "number format"),
    ]:
        with pytest.raises(ValueError, match=says):
            glycine.cross_apen(signals, **options)
    with pytest.raises(ValueError, match="dimensions"):
        glycine.cross_apen(signals[0])
    with pytest.raises(ValueError):
        glycine.cross_apen(np.zeros((0, 2, 30)))
    signals[1, 3] = np.nan
    found = glycine.cross_apen(signals)
    assert np.isnan(found[0, 1]) and found.run["unusable"] == [(0, 1, "not finite")]


@pytest.mark.parametrize("options", [{}, {"measure": "score", "method": "local"}, {"measure": "identity", "method": "clustalw"}, {"matrix": "PAM250", "gap_open": 9, "gap_extend": 2}])
def test_pairs_have_the_commands_bits(command, tmp_path, backend, options):
    (tmp_path / "s.fa").write_text("".join(f">{name}\n{letters}\n" for name, letters in GLOBINS.items()))
    found = glycine.pairwise(GLOBINS, backend=backend, **options)
    line = [p for n, v in options.items() for p in (["--" + n] if v is True else ["--" + n.replace("_", "-"), v])]
    code, _, messages = command("pairwise", "s.fa", "-o", "p.npy", "--backend", backend, *line)
    assert code == 0, messages
    assert same_bits(found, np.load(tmp_path / "p.npy")) and found.names == list(GLOBINS)
    assert same_bits(glycine.pairwise(glycine.read_fasta(tmp_path / "s.fa"), backend=backend, **options), found)


@pytest.mark.parametrize("method", [None, "accuracy", "clustalw", "thesis", "fast"])
def test_alignments_are_the_commands(command, tmp_path, backend, method):
    if method == "fast" and backend == "gl":
        with pytest.raises((RuntimeError, ValueError)):
            glycine.align(GLOBINS, method, backend=backend)
        return
    (tmp_path / "s.fa").write_text("".join(f">{name}\n{letters}\n" for name, letters in GLOBINS.items()))
    found = glycine.align(GLOBINS, method, backend=backend)
    flag = [] if method is None else ["--method", method]
    code, _, messages = command("align", "s.fa", "-o", "a.sto", "-o", "t.nwk", "--backend", backend, "--order", "input", *flag)
    assert code == 0, messages
    expected = glycine.read_alignment(tmp_path / "a.sto")
    assert found.rows == expected.rows and found.names == expected.names == list(GLOBINS)
    assert found.tree == (tmp_path / "t.nwk").read_text().strip()
    assert len(found.columns) == len(found.rows[0]) == found.array.shape[1] and found.times
    if method != "thesis":
        code, _, messages = command("tree", "a.sto", "-o", "t.nwk", "--correction", "kimura")
        assert code == 0, messages
        assert glycine.tree(found, correction="kimura") == (tmp_path / "t.nwk").read_text().strip()


def test_trees_are_the_commands(rng, command, tmp_path):
    distances = glycine.pairwise(GLOBINS)
    expected = glycine.tree(distances)
    assert expected.count("(") == 2 and all(name in expected for name in GLOBINS)
    assert glycine.tree(glycine.pairwise(GLOBINS, condensed=True)) == expected
    points = rng.normal(size=(7, 3))
    square = glycine.distances(points)
    for options in ({}, {"method": "upgma"}, {"midpoint": True}):
        line = [] if not options else ["--method", "upgma"] if "method" in options else ["--root", "midpoint"]
        code, _, messages = command("tree", np.asarray(square), "-o", "t.nwk", *line)
        assert code == 0, messages
        assert glycine.tree(square, **options) == (tmp_path / "t.nwk").read_text().strip()
    for wrong in (square[:, 1:], np.arange(4.0), np.triu(square), square + np.nan):
        with pytest.raises(ValueError):
            glycine.tree(wrong)


def test_trees_say_what_ran():
    square = glycine.distances(np.arange(12.0).reshape(4, 3) ** 2)
    found = glycine.tree(square)
    # As in the command: a tree of so few leaves starts no device.
    assert (found.backend, found.variant) == ("cpu", "pruned") and "cuda: gains from 10,000 sequences on" in found.run["reason"]
    assert found.times["tree"] >= 0 and found.run["recount"] is None
    updates = []
    assert found == glycine.tree(square, backend="cpu", variant="pruned", threads=1, progress=lambda *one: updates.append(one))
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, str) and again == found and again.run == found.run
    with pytest.raises(RuntimeError, match="trees are built on cpu and cuda, and not on gl"):
        glycine.tree(square, backend="gl")
    with pytest.raises(ValueError, match="no variant 'fast'|'fast'"):
        glycine.tree(square, backend="cpu", variant="fast")
    with pytest.raises(TypeError, match="bootstrap is no option of this call"):
        glycine.tree(square, bootstrap=3)


@pytest.mark.parametrize(
    "given, says",
    [
        ([], "sequence"),
        (["ACDEF", ""], "no letters"),
        (["ACDEF", "AC1EF"], "'1'"),
        (["ACDEF", "AC\n>x\nEF"], "end of a line"),
        ({"a b": "ACD", "c": "ACD"}, "blanks"),
        ("ACDEF", "one string"),
        (["ACDEF"], "2"),
    ],
)
def test_bad_sequences(given, says):
    for function in (glycine.pairwise, glycine.align):
        with pytest.raises(ValueError, match=says):
            function(given)


FORMATS = {
    "pairwise": (lambda **how: glycine.pairwise(GLOBINS, **how), "integers"),
    "align": (lambda **how: glycine.align(GLOBINS, "accuracy", **how), "float32"),
    "tree": (lambda **how: glycine.tree(np.ones((4, 4)) - np.eye(4), **how), "float64"),
}


@pytest.mark.parametrize("algorithm", FORMATS)
def test_precision_is_that_of_the_algorithm(algorithm, command):
    call, only = FORMATS[algorithm]
    plain, found = call(backend="cpu"), call(backend="cpu", precision=only)
    assert getattr(plain, "rows", None) == getattr(found, "rows", None) and (same_bits(plain, found) if algorithm == "pairwise" else str(plain.run["variant"]) == found.variant)
    assert call(precision=only).run["backend"]
    with pytest.raises(ValueError) as error:
        call(precision="float16")
    code, _, messages = command("validate", algorithm, "--precision", "float16")
    assert code == 2 and str(error.value) in messages.replace("\n", " ")
    assert "float16" in str(error.value) and only in str(error.value)


def test_precision_chooses_among_backends(tmp_path):
    found = glycine.align(GLOBINS, "accuracy", precision="float64", backend="reference")
    assert found.backend == "reference" and glycine.align(GLOBINS, "clustalw", precision="integers").rows == glycine.align(GLOBINS, "clustalw").rows
    with pytest.raises(ValueError, match="no backend has this combination of variant, number format"):
        glycine.align(GLOBINS, "accuracy", precision="float64", backend="cpu")
    (tmp_path / "s.fa").write_text(">A\nGSAKVLDEAG\n")
    (tmp_path / "r.tbl").write_text("assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\n")
    files, how = (tmp_path / "r.tbl", tmp_path / "s.fa"), dict(models=1, steps=20)
    assert glycine.fold(*files, precision="float64", **how).cif == glycine.fold(*files, **how).cif
    assert glycine.fold(*files, precision="float32", **how).backend == "gl"
    for precision, says in [("float32", "no backend has this combination"), ("float16", "unknown number format 'float16'")]:
        with pytest.raises(ValueError, match=says):
            glycine.fold(*files, precision=precision, backend="cpu", **how)


def test_studies_are_plain_dictionaries():
    found = glycine.validate("distance", sizes="64x64", backend="cpu")
    assert found["command"] == "validate" and isinstance(found, dict)
    with pytest.raises(ValueError, match="nonsense"):
        glycine.validate("nonsense")
    timed = glycine.bench("distance", sizes="64x64", backend="cpu", repeats=1)
    assert timed["command"] == "bench"


def test_readers_name_what_they_read(real, tmp_path):
    (tmp_path / "e.tsv").write_text("gene\ts1\ts2\tNA1\nA\t1\t2\t3\nB\t4\tNA\t6\n")
    table = glycine.read_expression(tmp_path / "e.tsv")
    assert table.genes == ["A", "B"] and table.samples == ["s1", "s2", "NA1"] and np.isnan(table.values[1, 1])
    assert glycine.mutual_information(table).names == ["A", "B"]
    globins = glycine.read_fasta(real("globins50.msf.gz"))
    assert len(globins.names) == 50 and globins.alphabet == "protein" and "-" not in "".join(globins.letters)
    for reader in (glycine.read_fasta, glycine.read_edf, glycine.read_expression, glycine.read_bounds, glycine.read):
        with pytest.raises(ValueError, match="missing|absent|open|ending|kind"):
            reader(tmp_path / "missing.npz")


def test_inputs_of_other_packages(rng):
    class Record:
        def __init__(self, name, letters):
            self.id, self.seq = name, letters

    records = [Record(name, letters) for name, letters in GLOBINS.items()]
    assert same_bits(glycine.pairwise(records), glycine.pairwise(GLOBINS))

    class AnnData:
        X = rng.integers(0, 3, size=(4, 30)).astype(float)
        obs_names = ["c1", "c2", "c3", "c4"]
        var_names = [f"g{k}" for k in range(30)]

    assert glycine.distances(AnnData).names == AnnData.obs_names
    assert glycine.mutual_information(AnnData, bins=3, order=1).names == AnnData.var_names

    class Epochs:
        ch_names = ["Fz", "Cz"]

        def get_data(self):
            return np.random.default_rng(1).normal(size=(3, 2, 50))

    assert glycine.cross_apen(Epochs()).names == ["Fz", "Cz"]


def test_objects_of_other_packages():
    """Objects of the packages themselves, if they are installed."""
    record = pytest.importorskip("Bio.SeqRecord").SeqRecord
    seq = pytest.importorskip("Bio.Seq").Seq
    assert same_bits(glycine.pairwise([record(seq(letters), id=name) for name, letters in GLOBINS.items()]), glycine.pairwise(GLOBINS))


def test_cells_of_anndata(rng):
    anndata, sparse = pytest.importorskip("anndata"), pytest.importorskip("scipy.sparse")
    values = rng.integers(0, 3, size=(4, 30)).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # anndata's own
        cells = [anndata.AnnData(one) for one in (values, sparse.csr_matrix(values))]
    for one in cells:
        found = glycine.distances(one)
        assert same_bits(found, glycine.distances(values)) and found.names == list(one.obs_names)
        assert same_bits(glycine.mutual_information(one), glycine.mutual_information(values.T.copy()))


def test_pictures():
    points = np.random.default_rng(0).normal(size=(6, 2))
    aligned = glycine.align(GLOBINS)
    where = glycine.coordinates(glycine.distances(points), 2)
    for picture in (glycine.distances(points), glycine.cross_apen(points.T @ points @ points.T), aligned, where):
        assert picture._repr_png_().startswith(b"\x89PNG")
    assert glycine.coordinates(glycine.distances(points), 1)._repr_png_() is None
    marked = glycine.network(np.random.default_rng(0).normal(size=(6, 40)), "clr", [0, 2])
    assert marked._repr_png_()[:4] == b"\x89PNG" and marked.run["regulators"] == [0, 2]
    assert glycine.network(points.repeat(9, 1) * 0, "clr")._repr_png_() is None
    assert "HBA" in aligned._repr_html_()


def test_results_as_data_frames(rng):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rng.normal(size=(4, 30)), index=list("abcd"))
    found = glycine.distances(frame)
    assert found.names == list("abcd") and same_bits(found.to_pandas().to_numpy(), np.asarray(found))
    assert list(found.to_pandas().columns) == list("abcd") and len(glycine.distances(frame, condensed=True).to_pandas()) == 6
    edges = glycine.network(frame, "mi").to_pandas()
    assert list(edges.columns) == ["regulator", "target", "score", "mi"] and set(edges["target"]) <= set("abcd")
    signals = pandas.DataFrame(rng.normal(size=(60, 2)), columns=["Fz", "Cz"])
    entropies = glycine.cross_apen(signals)
    assert entropies.names == ["Fz", "Cz"]
    table = entropies.to_pandas()
    assert table.shape[0] == 4 and table["crossapen_max"][1] == entropies[0, 1] and list(table["column"][:2]) == ["Fz", "Cz"]
    assert len(glycine.apen(rng.normal(size=(3, 2, 50))).to_pandas()) == 6
    bounds = glycine.smooth_bounds(2 - 2 * np.eye(4)).to_pandas()
    assert len(bounds) == 6 and list(bounds.columns) == ["i", "j", "lower", "upper"] and (bounds["upper"] == 2).all()
    aligned = glycine.align({"a": "ACDEF", "b": "ACEF"})
    assert ["".join(row) for row in aligned.to_pandas().to_numpy()] == aligned.rows and list(aligned.to_pandas().index) == ["a", "b"]
    assert glycine.Expression(np.eye(2), ["A", "B"], ["s", "t"], "", []).to_pandas().loc["B", "t"] == 1


def test_folding_is_the_commands(command, tmp_path):
    (tmp_path / "s.fa").write_text(">A\nGSAKVLDEAG\n")
    (tmp_path / "r.tbl").write_text(
        "assign (resid 3 and name HA) (resid 6 and name HN) 3.0 1.2 0.5\nassign (resid 4 and name HA) (resid 7 and name HN) 3.0 1.2 0.5\n"
    )
    options = dict(models=3, steps=60, seed=5)
    found = glycine.fold(tmp_path / "r.tbl", tmp_path / "s.fa", **options)
    line = [str(part) for name, value in options.items() for part in ("--" + name, value)]
    code, out, messages = command("fold", "r.tbl", "--sequence", "s.fa", "-o", "m.cif", "--json", *line)
    assert code == 0, messages
    report = json.loads(out)
    assert found.cif == (tmp_path / "m.cif").read_text() and found.models == report["models"]
    assert found.backend == "cpu" and found.variant == report["variant"] != "default" and found.run["seconds"] > 0
    assert found.positions.shape == (3, report["atoms"], 3) == (len(found), len(found.atoms), 3) and found.times
    ca = [found.atoms.index(name) for name in ("A/SER2/CA", "A/ALA3/CA")]
    assert np.allclose(np.linalg.norm(np.diff(found.positions[:, ca], axis=1), axis=2), 3.8, atol=0.1)
    assert found.png == found._repr_png_() and found.png[:4] == b"\x89PNG"
    assert list(pytest.importorskip("pandas").DataFrame(found.to_pandas())["target"]) == [one["target"] for one in found.models]
    with pytest.raises(ValueError, match="--sequence"):
        glycine.fold(tmp_path / "r.tbl")
    with pytest.raises(ValueError):
        glycine.fold(tmp_path / "r.tbl", tmp_path / "s.fa", models=0)


# ---- Any array: shapes, strides, types; empty and oversized ones

VIEWS = {
    "steps": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "fortran": np.asfortranarray,
    "part": lambda a: np.pad(a, 1)[1:-1, 1:-1],
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
}


@settings(max_examples=60)
@given(
    data=st.data(), shape=st.tuples(st.integers(2, 7), st.integers(4, 30)), view=st.sampled_from(sorted(VIEWS)),
    dtype=st.sampled_from([np.float64, np.float32, np.float16, ">f8", np.int32, np.uint8, bool]),
)
def test_views_are_never_misread(data, shape, view, dtype):
    whole = data.draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 9))).astype(dtype)
    plain, strided = whole.astype(float), VIEWS[view](whole)
    assert np.array_equal(strided, plain)
    for function in (glycine.mutual_information, lambda a, **how: glycine.cross_apen(a, 1, **how)):
        assert same_bits(function(strided, backend="cpu"), function(plain, backend="cpu"))
    square = whole[:, : shape[0]].astype(float) if shape[1] >= shape[0] else np.eye(shape[0])
    upper = np.where(np.eye(len(square)), 0, square + square.T).astype(dtype)
    found, expected = (glycine.smooth_bounds(one, backend="cpu") for one in (VIEWS[view](upper), upper.astype(float)))
    assert same_bits(found.upper, expected.upper) and same_bits(found.lower, expected.lower)


FUNCTIONS = [glycine.distances, glycine.mutual_information, glycine.network, glycine.smooth_bounds, glycine.cross_apen]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nothing_and_too_much_are_refused(function):
    for empty in (np.zeros((0, 5)), np.zeros((5, 0)), np.zeros((0, 0)), np.zeros(()), np.zeros((2, 2, 2, 2)), np.eye(3, dtype=complex)):
        with pytest.raises(ValueError):
            function(empty)
    # Seems larger than any machine's memory, but is a single number.
    side = 3_000_000
    shape = (side, 1) if function in FUNCTIONS[:3] else (side, side)
    with pytest.raises(MemoryError, match="memory"):
        function(np.broadcast_to(0.0, shape))


def test_numbers_that_are_none(backend):
    gaps = np.where(np.eye(4, 30), np.nan, np.arange(30.0))
    assert np.isfinite(glycine.mutual_information(gaps, backend=backend)).all()
    nothing = glycine.mutual_information(np.full((2, 9), np.nan), backend=backend)
    assert np.isnan(nothing[0, 1])
    for function, wrong in [(glycine.mutual_information, np.inf), (glycine.smooth_bounds, np.nan), (glycine.smooth_bounds, -1.0), (glycine.distances, np.inf)]:
        with pytest.raises(ValueError):
            function(np.where(np.eye(4)[::-1], wrong, 1.0), backend=backend)
    assert np.isinf(glycine.smooth_bounds(np.where(np.eye(3), 0, np.inf), backend=backend).upper[0, 1])
