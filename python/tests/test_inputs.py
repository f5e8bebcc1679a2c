"""Data as people have them: gaps in pandas' types, masks, names, and values that must not be taken for something else."""

import os

import numpy as np
import pytest

import glycine
from conftest import same_bits

LETTERS = {"a": "ACDEFGHIKL", "b": "ACDEFGIKL", "c": "CDEFGHIKLM"}


def test_masks_are_not_ignored(rng):
    values = rng.normal(size=(5, 60))
    masked = np.ma.masked_greater(values, 1.5)
    for function in (glycine.distances, glycine.mutual_information, glycine.network, glycine.cross_apen):
        with pytest.raises(ValueError, match="masked arrays are not accepted"):
            function(masked)
        assert function(np.ma.masked_greater(values, 99)) is not None  # masks nothing
    square = 1 - np.eye(4)
    for function in (glycine.smooth_bounds, glycine.tree, lambda one: glycine.nearest(one, 2)):
        with pytest.raises(ValueError, match="masked arrays are not accepted"):
            function(np.ma.masked_equal(square, 1))


def test_gaps_of_nullable_frames(rng):
    pandas = pytest.importorskip("pandas")
    plain = rng.integers(0, 3, (6, 40))
    holes = rng.random(plain.shape) < 0.1
    frame = pandas.DataFrame(plain, index=list("uvwxyz")).astype("Int8").mask(pandas.DataFrame(holes, index=list("uvwxyz")))
    found = glycine.distances(frame, min_overlap=0)
    assert same_bits(found, glycine.distances(np.where(holes, -1, plain), min_overlap=0)) and found.names == list("uvwxyz")
    gaps = np.where(holes, np.nan, plain)
    assert same_bits(glycine.mutual_information(frame), glycine.mutual_information(gaps))
    assert same_bits(glycine.mutual_information(frame.astype("Float32")), glycine.mutual_information(gaps))
    with pytest.raises(ValueError, match="coordinate is nan"):
        glycine.distances(frame.astype("Float64"))
    signals = pandas.DataFrame(plain.T).astype("Int64")
    assert same_bits(glycine.apen(signals), glycine.apen(plain))
    with pytest.raises(ValueError, match="X holds object"):
        glycine.distances(frame.assign(name="x"))


def test_frames_name_atoms_and_leaves(rng):
    pandas = pytest.importorskip("pandas")
    square = pandas.DataFrame(1.0 - np.eye(3), index=["p q", "r", "s"])
    assert glycine.smooth_bounds(square).names == glycine.smooth_bounds(square, square * 0).names == ["p q", "r", "s"]
    assert glycine.tree(square) == glycine.tree(square.to_numpy(), names=["p q", "r", "s"]) and "'p q'" in glycine.tree(square)
    condensed = glycine.distances(rng.normal(size=(3, 4)), condensed=True)
    assert glycine.tree(condensed.to_pandas()) == glycine.tree(condensed)


def test_leaves_of_one_name(command, tmp_path):
    square, names = 1 - np.eye(3), ["p", "q", "p"]
    with pytest.raises(ValueError, match="names: sequences 1 and 3 are both named 'p'; expected each once") as error:
        glycine.tree(square, names=names)
    (tmp_path / "in1.npy.names").write_text("\n".join(names) + "\n")
    code, _, messages = command("tree", square, "-o", "o.nwk")
    assert code == 2 and str(error.value).removeprefix("names: ") in " ".join(messages.split())
    with pytest.raises(ValueError, match="names: sequence 2 has no name"):
        glycine.tree(square, names=["p", "", "q"])
    with pytest.raises(ValueError, match="both named 'p'"):
        glycine.tree(pytest.importorskip("pandas").DataFrame(square, index=names))


@pytest.mark.parametrize("wrong", [None, float("nan"), 7, True, ("x", "ACDEF"), ["A", "C"]])
def test_only_letters_are_sequences(wrong):
    for given in ([wrong, "ACDEF", "ACDFF"], {"a": wrong, "b": "ACDEF"}):
        for function in (glycine.pairwise, glycine.align):
            with pytest.raises(ValueError, match=r"the sequence (1|a) is .*; expected its letters"):
                function(given)


def test_sequences_of_many_kinds(tmp_path):
    expected = glycine.pairwise(LETTERS)
    letters = list(LETTERS.values())
    for given in (letters, np.array(letters), np.array(letters, "S"), [one.encode() for one in letters], iter(letters), [one.lower() for one in letters]):
        assert same_bits(glycine.pairwise(given), expected)
    series = pytest.importorskip("pandas").Series(LETTERS)
    assert same_bits(glycine.pairwise(series), expected) and glycine.pairwise(series).names == list("abc")
    for file in (tmp_path / "a.fa", str(tmp_path / "a.fa")):
        with pytest.raises(ValueError, match="read_fasta"):
            glycine.align(file)


def test_text_that_is_not_utf8(tmp_path):
    names, file = ["caf\udce9", "b"], tmp_path / "n\udcff.fa"
    file.write_bytes(b">caf\xe9\nACDEF\n>b\nACDFF\n")
    (tmp_path / "e.tsv").write_bytes(b"gene\ts1\ts2\ncaf\xe9\t1\t2\nb\t4\t3\n")
    for read in (glycine.read_fasta(file), glycine.read_fasta(os.fsencode(file)), glycine.read_alignment(str(file))):
        assert read.names == names and glycine.pairwise(read).names == names and glycine.align(read).names == names
    assert glycine.read(file).names == glycine.read_expression(tmp_path / "e.tsv").genes == names
    assert names[0] in glycine.tree(1 - np.eye(2), names=names)
    with pytest.raises(ValueError, match="the name 'caf\udce9 x' has blanks"):
        glycine.pairwise({"caf\udce9 x": "ACD", "b": "ACD"})


def test_regulators_by_name_index_or_mask(rng):
    values = rng.normal(size=(6, 40))
    expected = glycine.network(values, "mi", [1, 4])
    mask = np.isin(np.arange(6), [1, 4])
    for given in (mask, list(mask), np.array([1, 4], np.uint8), ["2", "5"], [1, "5"]):
        found = glycine.network(values, "mi", given)
        assert same_bits(found.first, expected.first) and same_bits(found.second, expected.second)
    assert set(expected.first) <= {1, 4} and len(glycine.network(values, "mi", "2")) == 5
    frame = pytest.importorskip("pandas").DataFrame(values, index=list("aabcde"))
    with pytest.raises(ValueError, match="regulators: genes 1 and 2 are both named 'a'; expected each gene once"):
        glycine.network(frame, "mi", ["a"])
    assert len(glycine.network(frame, "mi", ["b"])) == 5
    for wrong, says in [([1.5], "1.5 is no index"), ([-1], "regulator -1 is none of 6 genes"), (mask[:5], "5 bools"), ([None], "None is no index"), (["x"], "'x' is no gene")]:
        with pytest.raises(ValueError, match=says):
            glycine.network(values, "mi", wrong)


@pytest.mark.parametrize("call", [lambda one: glycine.clusters(one, 1), lambda one: glycine.coordinates(one, 2), glycine.tree])
def test_all_pairs_are_symmetric(rng, call):
    square = np.asarray(glycine.distances(rng.normal(size=(70, 3))))
    call(square)
    call(square + np.triu(np.full_like(square, 1e-9), 1))  # rounding
    call(square.astype(">f4"))
    for change in (np.triu(square), square + np.triu(np.full_like(square, 0.1), 1)):
        with pytest.raises(ValueError, match=r"not symmetric: \(\d+, \d+\) is"):
            call(change)
    with pytest.raises(ValueError, match="70 × 60; expected a square"):
        call(square[:, :60])


def test_options_of_the_wrong_kind(rng):
    signals = rng.normal(size=(2, 60))
    for options, says in [
        (dict(strict="no"), "strict is 'no'; expected True or False"), (dict(m=2.0), "m is 2.0; expected a whole number"),
        (dict(r="0.2"), "r is '0.2'; expected a number"), (dict(bias=3), "bias is 3; expected a name"),
    ]:
        with pytest.raises(ValueError, match=says):
            glycine.cross_apen(signals, **options)
    assert same_bits(glycine.cross_apen(signals, strict=np.bool_(True), m=np.int8(2)), glycine.cross_apen(signals, strict=True, m=2))
    with pytest.raises(ValueError, match="1 dimensions; expected channels"):
        glycine.sampen(signals[0])
    square = 1 - np.eye(4)
    for count in (-1, 1.5, "2"):
        with pytest.raises(ValueError, match="count is"):
            glycine.nearest(square, count)
    numbers, values = glycine.nearest(square, 5)
    assert (numbers[:, 3:] == -1).all() and np.isnan(values[:, 3:]).all()
