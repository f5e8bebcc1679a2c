"""glycine.distances: the command's numbers to the last bit, from any array."""

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import pdist, squareform

import glycine
from conftest import same_bits


@pytest.mark.parametrize("measure", ["mismatch", "allele", "ibs", "plink", "proportion"])
def test_genotypes_have_the_commands_bits(rng, computed, backend, measure):
    genotypes = rng.integers(-1, 3, size=(23, 131)).astype(np.int8)
    found = glycine.distances(genotypes, measure, backend=backend)
    expected = computed("distance", genotypes, "--measure", measure, "--backend", backend)
    assert same_bits(found, expected)
    assert found.backend == backend and found.times["compute"] > 0 and found.variant not in ("", "default")


@pytest.mark.parametrize("measure", ["euclidean", "sqeuclidean", "manhattan", "correlation"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_coordinates_have_the_commands_bits(rng, computed, backend, measure, dtype):
    points = rng.normal(size=(19, 33)).astype(dtype)
    found = glycine.distances(points, measure, backend=backend)
    assert same_bits(found, computed("distance", points, "--measure", measure, "--backend", backend))
    names = {"manhattan": "cityblock"}
    scipy = squareform(pdist(points.astype(float), names.get(measure, measure)))
    assert np.allclose(found, scipy, rtol=1e-5, atol=1e-6)


def test_real_genotypes_are_read_and_computed_as_by_the_command(real, computed, backend):
    calls = real("EUR_test.vcf.gz")
    people = glycine.read(calls)
    found = glycine.distances(people, backend=backend)
    assert same_bits(found, computed("distance", calls, "--backend", backend))
    assert found.names == people.names and people.shape[0] == len(found)
    values = people.values()
    assert values.dtype == np.int8 and set(np.unique(values)) <= {-1, 0, 1, 2}
    assert same_bits(glycine.distances(values, backend=backend), found)
    weighted = glycine.distances(people, "plink", backend=backend)
    assert same_bits(glycine.distances(values, "plink", founders=people.founders, backend=backend), weighted)


shapes = st.tuples(st.integers(1, 12), st.integers(1, 70))
kinds = st.sampled_from([np.int8, np.int16, np.int32, np.int64, ">i4", np.float32, np.float64, np.float16])


@settings(max_examples=60)
@given(data=st.data(), shape=shapes, dtype=kinds, step=st.tuples(st.sampled_from([1, 2, -1, -3]), st.sampled_from([1, 2, -1])))
def test_strided_genotypes_are_never_misread(data, shape, dtype, step):
    whole = (shape[0] * abs(step[0]), shape[1] * abs(step[1]))
    genotypes = data.draw(hnp.arrays(np.int8, whole, elements=st.integers(-1, 2)))
    plain = genotypes[:: step[0], :: step[1]].copy()
    strided = np.asarray(genotypes, dtype=dtype)[:: step[0], :: step[1]]
    missing = (plain < 0)[:, None] | (plain < 0)[None]
    expected = ((plain[:, None] != plain[None]) & ~missing).sum(2)
    for array in (strided, np.asfortranarray(strided)):
        found = glycine.distances(array, kind="genotypes", min_overlap=0, backend="cpu")
        assert found.dtype == np.int32 and np.array_equal(found, expected)
        cross = glycine.cross_distances(array[:1], array, kind="genotypes", min_overlap=0, backend="cpu")
        assert cross.dtype == np.int32 and np.array_equal(cross, expected[:1])


@settings(max_examples=40)
@given(data=st.data(), shape=shapes, dtype=st.sampled_from([np.float32, np.float64, ">f8", np.int16, np.int64]))
def test_strided_coordinates_are_never_misread(data, shape, dtype):
    points = data.draw(hnp.arrays(np.int16, (2 * shape[0], 2 * shape[1]), elements=st.integers(-99, 99)))
    expected = glycine.distances(points[::2, ::2].astype(float).copy(), "manhattan", backend="reference")
    whole = points.astype(dtype)
    unaligned = np.frombuffer(b"x" + whole[::2, ::2].tobytes(), np.uint8)[1:].view(dtype).reshape(shape)
    for array in (whole[::2, ::2], whole[::2, ::2].copy("F"), whole[-2::-2][::-1][:, ::2], unaligned):
        assert np.array_equal(glycine.distances(array, "manhattan", kind="coordinates", backend="cpu"), expected)


def test_contiguous_coordinates_are_not_copied(rng):
    points = rng.normal(size=(64, 512))
    view = points[::2]
    before = view.copy()
    found = glycine.distances(view, backend="cpu")
    assert np.array_equal(view, before) and same_bits(found, glycine.distances(before, backend="cpu"))


def test_results_go_where_they_shall(rng, tmp_path, backend):
    genotypes = rng.integers(0, 3, size=(17, 90)).astype(np.uint8)
    square = glycine.distances(genotypes, backend=backend)
    condensed = glycine.distances(genotypes, condensed=True, backend=backend)
    assert np.array_equal(squareform(condensed), square)
    mapped = np.memmap(tmp_path / "d.bin", np.float32, "w+", shape=square.shape)
    found = glycine.distances(genotypes, out=mapped, backend=backend)
    assert np.shares_memory(found, mapped) and np.array_equal(mapped, square)
    assert glycine.distances(genotypes, dtype=np.float64, backend=backend).dtype == np.float64


@pytest.mark.parametrize(
    "out",
    [np.zeros((3, 4)), np.zeros((4, 4), order="F")[:, ::-1], np.zeros((4, 4), ">f8"), np.zeros((4, 4), np.complex64), [0]],
)
def test_an_output_that_does_not_fit_is_refused(out):
    if isinstance(out, np.ndarray) and out.shape == (4, 4):
        before = out.copy()
    with pytest.raises(ValueError):
        glycine.distances(np.eye(4), out=out)
    if isinstance(out, np.ndarray) and out.shape == (4, 4):
        assert np.array_equal(out, before)


def test_a_read_only_output_is_refused():
    out = np.zeros((4, 4))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        glycine.distances(np.eye(4), out=out)


@pytest.mark.parametrize(
    "X, says",
    [
        (np.array([[1.0, np.nan], [1, 2]]), "coordinate is nan"),
        (np.array([[1.0, np.inf], [1, 2]]), "coordinate is inf"),
        (np.array([[0, 7], [1, 2]]), r"X: \(0, 1\) is 7; outside the alphabet"),
        (np.zeros((0, 3)), "expected"),
        (np.zeros((3, 0)), "expected"),
        (np.zeros((0, 3), np.int8), "expected"),
        (np.zeros(3), "1 dimensions; expected 2"),
        (np.zeros((2, 2, 2)), "3 dimensions; expected 2"),
        (np.zeros((2, 2), complex), "complex128; expected"),
        (np.array([["a", "b"]]), "expected whole numbers"),
        (np.array([[None, 1]], object), "object; expected"),
        ([[1, 2], [3, 4.5]], None),
    ],
)
def test_bad_input_has_one_clear_error(X, says):
    if says is None:
        assert glycine.distances(X)[0, 1] > 0
        return
    with pytest.raises(ValueError, match=says):
        glycine.distances(X)


def test_options_are_checked_as_by_the_command(command, rng):
    genotypes = rng.integers(0, 3, size=(4, 9)).astype(np.int8)
    for options, line in [
        (dict(measure="euclidian"), ["--measure", "euclidian"]),
        (dict(measure="euclidean", kind="genotypes"), ["--measure", "euclidean", "--data", "genotypes"]),
        (dict(min_overlap=77), ["--min-overlap", "77"]),
        (dict(backend="cpu", variant="packed"), ["--backend", "cpu", "--variant", "packed"]),
        (dict(backend="vulkan"), ["--backend", "vulkan"]),
    ]:
        with pytest.raises(ValueError) as error:
            glycine.distances(genotypes, **options)
        code, _, messages = command("distance", genotypes, *line, "-o", "out.npy")
        assert code == 2 and str(error.value) in messages.replace("\n", " ")
    with pytest.raises(TypeError, match="flavour"):
        glycine.distances(genotypes, flavour="sweet")
    for wrong in (dict(tile=1.5), dict(tile=-1), dict(tile=True), dict(threads="two"), dict(progress=3)):
        with pytest.raises(ValueError):
            glycine.distances(genotypes, **wrong)


def test_a_backend_that_is_not_there_is_a_runtime_error():
    reasons = {one["name"]: one["reason"] for one in glycine.backends() if not one["available"]}
    for name, reason in reasons.items():
        with pytest.raises(RuntimeError, match="is not available"):
            glycine.distances(np.eye(3), backend=name)
    with pytest.raises(MemoryError, match="memory"):
        glycine.distances(np.zeros((2000000, 1), np.int8))


def test_the_transformer_is_one(rng):
    points = rng.normal(size=(9, 4))
    one = glycine.PairwiseDistances("manhattan", backend="cpu")
    assert same_bits(one.fit_transform(points), glycine.distances(points, "manhattan", backend="cpu"))
    assert repr(one.set_params(measure="euclidean", precision="float32")) == (
        "PairwiseDistances(measure='euclidean', backend='cpu', precision='float32')"
    )
    with pytest.raises(ValueError, match="flavour"):
        one.set_params(flavour=1)
    with pytest.raises(ValueError, match="not fitted"):
        glycine.PairwiseDistances().transform(points)
    assert one.transform(points[:2]).shape == (2, 9) and one.transform(points).run["precision"] == "float32"


@pytest.mark.parametrize("measure", ["mismatch", "proportion", "allele", "plink", "king", "euclidean", "manhattan", "correlation"])
def test_rectangles_have_the_squares_bits(rng, backend, measure):
    genotypes = measure not in ("euclidean", "manhattan", "correlation")
    data = rng.integers(-1, 3, size=(41, 130)).astype(np.int8) if genotypes else rng.normal(size=(41, 30))
    square = glycine.distances(data, measure, backend=backend)
    for references, tile in [(23, None), (23, 5), (40, 16), (1, None)]:
        found = glycine.cross_distances(data[references:], data[:references], measure, backend=backend, tile=tile)
        assert same_bits(found, square[references:, :references])
    assert found.run["measure"] == square.run["measure"] and found.backend == backend


@pytest.mark.parametrize("types", [("i1", "u4"), (">i4", "i1"), ("i1", "f4"), ("f4", "f8"), ("i2", "f2"), ("?", "?")])
def test_rectangles_of_two_types(rng, types):
    """As of the rows one after the other: numbers of both kinds are coordinates."""
    A, B = (rng.integers(0, 2, (rows, 70)).astype(one) for rows, one in zip((5, 9), types))
    for step in (1, 3):
        square = np.asarray(glycine.distances(np.concatenate([B, A])[:, ::step], backend="cpu"))
        assert same_bits(glycine.cross_distances(A[:, ::step], B[:, ::step], backend="cpu"), square[len(B):, : len(B)])


def test_rectangles_of_two_arrays_of_genotypes(rng):
    A, B = rng.integers(0, 3, (3, 64), np.int8), rng.integers(0, 3, (4, 64), np.int8)
    A[1, 5] = -1  # Only one array has missing genotypes.
    whole = np.concatenate([B, A])
    for measure in ("mismatch", "1-ibs", "king"):
        expected = np.asarray(glycine.distances(whole, measure, backend="cpu"))[4:, :4]
        assert same_bits(glycine.cross_distances(A, B, measure, backend="cpu"), expected)
    B[2, 7] = 9
    with pytest.raises(ValueError, match=r"B: \(2, 7\) is 9"):
        glycine.cross_distances(A, B)
    B[2, 7] = 0
    with pytest.raises(ValueError, match="A holds complex64"):
        glycine.cross_distances(A.astype("c8"), B)


def test_rectangles_bring_names_and_fill_outputs(rng, tmp_path):
    pandas = pytest.importorskip("pandas")
    queries = pandas.DataFrame(rng.normal(size=(3, 4)), index=["q1", "q2", "q3"])
    references = pandas.DataFrame(rng.normal(size=(5, 4)), index=list("abcde"))
    mapped = np.memmap(tmp_path / "d.bin", np.float32, "w+", shape=(3, 5))
    found = glycine.cross_distances(queries, references, "euclidean", out=mapped)
    expected = np.linalg.norm(queries.to_numpy()[:, None] - references.to_numpy()[None], axis=2)
    assert np.shares_memory(found, mapped) and np.allclose(mapped, expected, rtol=1e-6)
    table = found.to_pandas()
    assert list(table.index) == ["q1", "q2", "q3"] and list(table.columns) == list("abcde")
    numbers, values = glycine.nearest(found, 2)
    assert np.array_equal(numbers, np.argsort(expected, axis=1)[:, :2]) and (values == np.take_along_axis(found, numbers, 1)).all()
    for A, B in [(queries, references.iloc[:, :3]), (queries.iloc[:0], references), (queries, references.iloc[:0]), (queries, np.ones(4))]:
        with pytest.raises(ValueError, match="expected rows"):
            glycine.cross_distances(A, B)
    with pytest.raises(ValueError, match="coordinate is nan"):
        glycine.cross_distances(queries * np.nan, references)
    with pytest.raises(ValueError, match="expected a writeable"):
        glycine.cross_distances(queries, references, out=np.zeros((5, 3)))


def test_relatives_are_the_commands(rng, command, tmp_path, backend):
    parents = rng.integers(0, 3, size=(8, 400)).astype(np.int8)
    children = np.where(rng.random((8, 400)) < 0.8, parents, np.roll(parents, 1, 0))
    people = np.concatenate([parents, children, parents[:1]])
    people[rng.random(people.shape) < 0.02] = -1
    found = glycine.relatives(people, backend=backend)
    code, _, messages = command("distance", people, "--measure", "king", "-o", "r.relatives.tsv", "--backend", backend)
    assert code == 0, messages
    rows = [line.split("\t") for line in (tmp_path / "r.relatives.tsv").read_text().splitlines()]
    assert len(found) == len(rows) - 1 > 3 and found.degree[0] == "duplicate" and found.backend == backend
    for k, row in enumerate(rows[1:]):
        counts = [getattr(found, name)[k] for name in rows[0][2:7]]
        assert [int(row[0]) - 1, int(row[1]) - 1] == [found.first[k], found.second[k]]
        assert counts == list(map(int, row[2:7])) and f"{found.kinship[k]:.6g}" == row[7] and found.degree[k] == row[8]
    kinship = glycine.distances(people, "king", backend=backend)
    assert (found.kinship == kinship[found.first, found.second]).all()
    assert len(glycine.relatives(people, 0.3, backend=backend)) == (np.triu(kinship, 1) >= 0.3).sum()
    pandas = pytest.importorskip("pandas")
    named = glycine.relatives(pandas.DataFrame(people, index=[f"p{k}" for k in range(17)]))
    assert named.to_pandas().iloc[0][["first", "second"]].tolist() == ["p0", "p16"]


def test_nearest_and_clusters_are_the_commands(rng, command, tmp_path):
    genotypes = rng.integers(0, 3, size=(6, 80)).astype(np.int8).repeat(3, 0)
    genotypes[rng.random(genotypes.shape) < 0.1] = 1
    genotypes[2, :70] = -1
    distances = glycine.distances(genotypes)
    code, _, messages = command("distance", genotypes, "-o", "n.tsv", "--molten", "--nearest", 3)
    assert code == 0, messages
    rows = [line.split("\t") for line in (tmp_path / "n.tsv").read_text().splitlines()]
    numbers, values = glycine.nearest(distances, 3)
    listed = [(i, j, v) for i in range(18) for j, v in zip(numbers[i], values[i]) if j >= 0]
    assert listed == [(int(a) - 1, int(b) - 1, float(v)) for a, b, v in rows[-len(listed):]] and (numbers[2] == -1).all()
    assert (glycine.nearest(glycine.distances(genotypes[:2], "ibs"), 1)[0] == [[1], [0]]).all()
    for linkage in ("single", "complete", "average"):
        code, out, messages = command("distance", genotypes, "-o", "c.tsv", "--clusters", 25, "--linkage", linkage, "--json")
        assert code == 0, messages
        of, sizes = glycine.clusters(distances, 25, linkage)
        report = json.loads(out)["clusters"]
        assert of.tolist() == report["of"] and sizes.tolist() == report["sizes"] and 1 < len(sizes) < 18
        condensed = glycine.distances(genotypes, condensed=True)
        assert (glycine.clusters(condensed, 25, linkage)[0] == of).all()
    for within in (-1, np.nan):
        with pytest.raises(ValueError, match="expected a distance"):
            glycine.clusters(distances, within)
    with pytest.raises(ValueError, match="linkage"):
        glycine.clusters(distances, 1, "ward")
    with pytest.raises(ValueError, match="all pairs"):
        glycine.nearest(np.ones(4), 1)


@pytest.mark.parametrize("measure", ["euclidean", "sqeuclidean", "ibs", "grm"])
def test_coordinates_are_the_commands(rng, command, tmp_path, measure):
    X = rng.normal(size=(12, 5)) if measure.endswith("euclidean") else rng.integers(0, 3, (12, 90), np.int8)
    values = glycine.distances(X, measure, backend="cpu")
    points, eigenvalues, shares = glycine.coordinates(values, 3)
    code, _, messages = command("distance", X, "-o", "c.tsv", "--measure", measure, "--coordinates", 3, "--backend", "cpu")
    assert code == 0, messages
    expected = np.loadtxt(tmp_path / "c.tsv", skiprows=1, usecols=(1, 2, 3))
    assert np.allclose(points, expected, rtol=1e-5, atol=1e-7) and (np.diff(eigenvalues) <= 0).all() and len(shares) == 3
    if measure == "euclidean":
        whole = glycine.coordinates(glycine.distances(X, condensed=True), 5).points
        assert np.allclose(pdist(whole), pdist(X))
    if measure == "grm":
        with pytest.raises(ValueError, match="without their diagonal"):
            glycine.coordinates(values[np.triu_indices(12, 1)], 2, "grm")
    for wrong, says in [(values[:, :4], "square"), (values * np.nan, "finite"), (values, "expected 1 to 11")]:
        with pytest.raises(ValueError, match=says):
            glycine.coordinates(np.asarray(wrong), 12 if wrong is values else 2, measure)


def test_scikit_learns_checks_are_passed():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn's own
        checks.check_estimator(glycine.PairwiseDistances("manhattan", kind="coordinates", backend="cpu"))
    points = np.random.default_rng(1).normal(size=(20, 3))
    neighbors = pytest.importorskip("sklearn.neighbors").KNeighborsClassifier(1, metric="precomputed")
    one = pytest.importorskip("sklearn.pipeline").make_pipeline(glycine.PairwiseDistances("euclidean"), neighbors)
    assert (one.fit(points, np.arange(20)).predict(points + 1e-3) == np.arange(20)).all()


@pytest.mark.parametrize(
    "call",
    [
        glycine.distances,
        lambda X, **how: glycine.cross_distances(X, np.ones((30, 30)), **how),
        lambda X, **how: glycine.cross_distances(np.ones((30, 30)), X, **how),
        glycine.mutual_information,
    ],
)
def test_out_is_no_input(rng, call):
    held = rng.normal(size=1800)
    X, before = held[:900].reshape(30, 30), held.copy()
    for out in (X, held[899:1799].reshape(30, 30), X[::-1, ::-1][::-1, ::-1]):
        with pytest.raises(ValueError, match="out shares memory with the input"):
            call(X, out=out, backend="cpu")
    assert same_bits(held, before)
    expected = call(X, backend="cpu")
    assert same_bits(call(X, out=held[900:].reshape(30, 30), backend="cpu"), expected) and same_bits(X.ravel(), before[:900])
    whole = np.zeros((30, 30))
    genotypes = whole.view(np.int8)[:, ::3]
    with pytest.raises(ValueError, match="out shares memory"):
        glycine.distances(genotypes, out=whole, dtype="float64")


def test_arithmetic_forgets_what_it_makes_untrue(rng):
    genotypes, points = rng.integers(0, 3, (8, 200)).astype(np.int8), rng.normal(size=(8, 3))
    genotypes[1] = genotypes[0]
    ibs = glycine.distances(pytest.importorskip("pandas").DataFrame(genotypes, index=list("abcdefgh")), "ibs")
    assert glycine.nearest(ibs, 1)[0][0, 0] == glycine.nearest(1 - ibs, 1)[0][0, 0] == 1
    squares = glycine.distances(points, "sqeuclidean")
    expected = glycine.coordinates(glycine.distances(points), 3).shares
    assert np.allclose(glycine.coordinates(np.sqrt(squares), 3).shares, expected)
    assert np.allclose(glycine.coordinates(squares, 3).shares, expected)
    for changed in (1 - ibs, np.sqrt(ibs), ibs * ibs, ibs.clip(0, 0.5)):
        assert type(changed) is glycine.PairValues and changed.names == ibs.names and changed.run == {} and changed.backend == ""
    for kept in (ibs[1:], ibs.T, ibs.copy(), ibs.astype(np.float32), copy.copy(ibs), copy.deepcopy(ibs), pickle.loads(pickle.dumps(ibs))):
        assert type(kept) is glycine.PairValues and kept.names == ibs.names and kept.run == ibs.run and kept.backend == ibs.backend
    assert type(ibs.mean()) is np.float64 and type(ibs.sum(axis=0)) is np.ndarray
    same = ibs.copy()
    same *= 2
    assert same.run == {} and same.names == ibs.names and ibs.run
    entropies = glycine.cross_sampen(points.T.repeat(20, 1))
    again = pickle.loads(pickle.dumps(entropies))
    assert again.run == entropies.run and again.quantities.keys() == entropies.quantities.keys() and (entropies + 1).quantities == {}
