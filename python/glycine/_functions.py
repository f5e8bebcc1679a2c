"""The functions that compute. None always selects the library's own default."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import Any, Callable, Sequence

import numpy as np

from . import _inputs
from ._calls import Flag, Name, Progress, Real, Whole, _command, _options, _pairs
from ._load import _glycine
from ._results import Alignment, Bounds, Coordinates, Ensemble, Entropies, Network, PairValues, Relatives, Tree, Violation

__all__ = [
    "align", "apen", "backends", "bench", "clusters", "coordinates", "cross_apen", "cross_distances", "cross_permen", "cross_sampen",
    "dispen", "distances", "fold", "fuzzyen", "mutual_information", "nearest", "network", "pairwise", "permen", "relatives", "sampen",
    "smooth_bounds", "tree", "validate",
]


def distances(
    X: Any, measure: Name = None, *, kind: Name = None, missing: Name = None, min_overlap: Real = None,
    founders: Sequence[bool] | None = None, condensed: Flag = None, dtype: Any = None,
    out: np.ndarray | None = None, backend: Name = None, variant: Name = None, device: Whole = None,
    precision: Name = None, threads: Whole = None, progress: Progress = None, **more: Any,
) -> PairValues:
    """Distances of all pairs of rows: genotypes, sequences, coordinates.

    Source: Sinnott-Armstrong et al., Interdisciplinary Sciences 2 (2010), 213-220; allele counts as PLINK 1.9.

    Parameters
    ----------
    X : array_like, shape (instances, attributes), or DataSet from `read`
        Integers are genotypes (0, 1, 2 copies of an allele; -1, -9 or -127 is missing), as are real numbers with
        ``kind="genotypes"`` (NaN is missing). Other real numbers are coordinates. Genotypes are never copied; coordinates
        are not copied if their rows are contiguous float32 or float64. Names are taken from data frames and AnnData.
    measure : str, optional
        Genotypes: mismatch (default), proportion, allele, ibs, 1-ibs, plink (what ``plink --distance`` computes), king,
        the KING-robust kinship of ``plink2 --make-king``, grm, the relationships of ``plink --make-rel``, or jaccard (0 and 1, too).
        Coordinates: euclidean (default), sqeuclidean, manhattan, chebyshev, correlation, cosine, braycurtis, hamming.
    kind : {"genotypes", "coordinates"}, optional
        Meaning of the entries, if it does not follow from their type.
    missing : {"ignore", "flat", "weighted", "refuse"}, optional
        Treatment of attributes that one of a pair lacks.
    min_overlap : float, optional
        Attributes that both of a pair must have, a number or (below 1) a share; the value of other pairs is NaN.
    founders : sequence of bool, optional
        Instances whose allele frequencies weight missing genotypes.
    condensed : bool, optional
        Each pair once, in the order of ``scipy.spatial.distance.pdist``.
    dtype : {"int32", "float32", "float64"}, optional
        Default: int32 for counts, otherwise float64.
    out : ndarray, optional
        Receives the result: contiguous, with the shape and type of the result; may be a ``numpy.memmap``.
    backend, variant, device, threads, progress
        Where and how it runs: docs/python.md. `more`: check, simd, dialect, context, max_texture, max_memory,
        pass_budget, shaders, tile.
    precision : {"float32", "float64"}, optional
        Precision of the differences of coordinates.

    Returns
    -------
    PairValues
        The distances, with `.backend`, `.variant`, `.times` and `.names`.

    Raises
    ------
    ValueError
        For invalid data and options, with the command's messages.
    RuntimeError
        If a backend is not available, fails, or disagrees with the reference.
    """
    options = _options(locals(), "X")
    data, names = _inputs.matrix(X)
    return _pairs(_glycine.distances, [data], options, names)


def cross_distances(
    A: Any, B: Any, measure: Name = None, *, kind: Name = None, missing: Name = None, min_overlap: Real = None,
    dtype: Any = None, out: np.ndarray | None = None, backend: Name = None, variant: Name = None,
    device: Whole = None, precision: Name = None, threads: Whole = None, progress: Progress = None, **more: Any,
) -> PairValues:
    """Distances of each row of A (queries) to each row of B (references), shape (queries, references).

    The values equal those of `distances` for the rows of B and A together, but only these pairs are computed. Neither matrix is
    copied, but for coordinates of two precisions, and on `cuda`.

    Source: as `distances`.

    Parameters
    ----------
    A, B : array_like, shapes (queries, attributes) and (references, attributes)
        As `X` of `distances`; both of genotypes, or both of coordinates. Weights of missing genotypes come from all rows.
    measure, kind, missing, min_overlap, dtype, out, precision, backend, variant, device, threads, progress
        See `distances`.

    Returns
    -------
    PairValues, shape (queries, references)
        With the `.names` of A's rows and the `.reference_names` of B's.

    Raises
    ------
    ValueError, RuntimeError
        As `distances`, and for matrices without rows or with different numbers of attributes.
    """
    options = _options(locals(), "A", "B")
    (queries, names), (references, columns) = _inputs.matrix(A, as_array=True), _inputs.matrix(B, as_array=True)
    for name, array in (("A", queries), ("B", references)):
        if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] != queries.shape[1]:
            raise ValueError(f"{name} is {array.shape}; expected rows, with as many attributes as the other has")
    both = _inputs.joined(references, queries, options)
    return _pairs(_glycine.distances, [both], {**options, "references": references.shape[0]}, names, columns)


def relatives(X: Any, min_kinship: Real = None, **options: Any) -> Relatives:
    """Related pairs of genotypes by KING-robust kinship, the closest first, as ``glycine distance --measure king`` lists them.

    Source: Manichaikul et al., Bioinformatics 26 (2010), 2867-2873.

    Parameters
    ----------
    X, options
        As in `distances`, but for measure, condensed, dtype and out.
    min_kinship : float, optional
        Minimum kinship of a pair; default: kinship of third degree.

    Returns
    -------
    Relatives
        The pairs, with counts of variants, kinship and degree of each.

    Raises
    ------
    TypeError, ValueError, RuntimeError
        For the options of `distances` that it does not have, and as `distances`.
    """
    for name in ("measure", "condensed", "dtype", "out"):
        if options.get(name) is not None:
            raise TypeError(f"{name} is no option of this call")
    data, names = _inputs.matrix(X)
    given = _options({"min_kinship": min_kinship, **options, "measure": "king", "relatives": True})
    run = _glycine.distances(data, given)[1]
    return Relatives(run.pop("relatives"), run, names)


def nearest(values: Any, count: int, *, similarity: Flag = None) -> tuple[np.ndarray, np.ndarray]:
    """The nearest others of each instance, the nearest first, as ``glycine distance --nearest`` lists them.

    Runs on the processor, on all its threads.

    Parameters
    ----------
    values : PairValues or array_like
        Distances of all pairs, square or condensed, or the result of `cross_distances`: then the nearest references of each row.
    count : int
    similarity : bool, optional
        Large values are near; known for results of this package until arithmetic changes them, otherwise False.

    Returns
    -------
    numbers, values : ndarray, shape (rows, count)
        Indices of instances from 0, and their values; -1 and NaN if there are fewer than `count`.

    Raises
    ------
    ValueError
        For a count that is no whole number, and values that are not those of all pairs.
    """
    run = getattr(values, "run", {})
    similarity = run.get("is_similarity", False) if similarity is None else similarity
    square = _inputs.square(values)
    has_self = not run.get("references") and len(set(square.shape)) == 1
    return _glycine.nearest(square, {"count": count, "similarity": similarity, "has_self": has_self})


def clusters(values: Any, within: float, linkage: str = "single") -> tuple[np.ndarray, np.ndarray]:
    """Clusters of instances within a distance, as ``glycine distance --clusters`` finds them. Runs on the processor.

    Source: single linkage: Florek et al., Colloquium Mathematicum 2 (1951), 282-285; complete and average linkage: Sokal and
    Michener, University of Kansas Science Bulletin 38 (1958), 1409-1438.

    Parameters
    ----------
    values : PairValues or array_like
        Distances of all pairs, square or condensed.
    within : float
    linkage : {"single", "complete", "average"}
        Instances of a cluster that must lie within the distance: any one, all, or all on average.

    Returns
    -------
    of, sizes : ndarray
        The index of each instance's cluster, from 0, and the sizes of the clusters, the largest first.

    Raises
    ------
    ValueError
        For a negative distance, an unknown linkage, and values that are not symmetric or not those of all pairs.
    """
    return _glycine.clusters(_inputs.square(values), {"within": within, "linkage": linkage})


def coordinates(values: Any, dimensions: int, measure: Name = None, *, progress: Progress = None) -> Coordinates:
    """Principal coordinates of distances, or principal components of relationships, as by ``glycine distance --coordinates``.

    Runs on the processor.

    Source: Gower, Biometrika 53 (1966), 325-338.

    Parameters
    ----------
    values : PairValues or array_like
        Values of all pairs, square or condensed.
    dimensions : int
        Less than the number of instances.
    measure : str, optional
        Measure of the values: grm gives components; sqeuclidean is not squared again. Known for results of this package until
        arithmetic changes them, otherwise euclidean.
    progress : callable or True, optional
        See `distances`.

    Returns
    -------
    Coordinates
        `.points`, `.eigenvalues` and `.shares`.

    Raises
    ------
    ValueError
        For too many dimensions, values that are not finite, not symmetric or not those of all pairs, and condensed relationships.
    """
    measure = measure or getattr(values, "run", {}).get("measure", "euclidean")
    if measure == "grm" and np.ndim(values) == 1:
        raise ValueError("relationships are condensed without their diagonal; expected a square of them")
    how = _options({"progress": progress, "measure": measure, "dimensions": dimensions})
    return Coordinates(*_glycine.coordinates(_inputs.square(values), how))


def smooth_bounds(
    upper: Any, lower: Any = None, *, precision: Name = None, rounding: Name = None,
    allow_inconsistent: Flag = None, tolerance: Real = None, max_violations: Whole = None,
    out: tuple[Any, Any] | None = None, backend: Name = None, variant: Name = None, device: Whole = None,
    threads: Whole = None, progress: Progress = None, **more: Any,
) -> Bounds:
    """The tightest bounds of interatomic distances that follow from the triangle inequality.

    Source: Micikevicius, GPU Gems 2 (2005), chapter 43; Dress and Havel, Discrete Applied Mathematics 19 (1988).

    Parameters
    ----------
    upper : array_like, shape (atoms, atoms), or Bounds
        Upper bounds in Å; infinite if unknown. Symmetric, with zeros on the diagonal.
    lower : array_like, shape (atoms, atoms), optional
        Lower bounds in Å; default: 0.
    precision : {"float32", "float64", "fixed"}, optional
        fixed: units of 2⁻²⁰ Å, bitwise equal on all backends.
    rounding : {"nearest", "outward"}, optional
        outward: no bound excludes a distance that exact arithmetic allows.
    allow_inconsistent : bool, optional
        Continue if a lower bound exceeds its upper bound.
    tolerance, max_violations : optional
        A pair is inconsistent if its lower bound exceeds the upper one by more than the tolerance, in Å; number of listed pairs.
    out : pair of arrays on a CUDA device, optional
        Receive the upper and the lower bounds in the type of `precision`, and become the arrays of the result.
    backend, variant, device, threads, progress : see `distances`

    Returns
    -------
    Bounds
        `.upper` and `.lower` in Å, `.violations` and `.names`.

    Raises
    ------
    ValueError, RuntimeError
        As `distances`; for matrices that are not valid bounds, naming row and column, counted from 0.
    """
    options = _options(locals(), "upper", "lower")
    names = upper.names if isinstance(upper, Bounds) else None
    if isinstance(upper, Bounds):
        upper, lower = upper.upper, upper.lower if lower is None else lower
    upper, found = _inputs.matrix(upper)
    names = names or found
    if out is not None:
        options["out"] = [_inputs.numbers(one) for one in out]
        if [type(one) for one in options["out"]] != [_inputs.OnDevice] * 2:
            raise ValueError("out: expected two arrays on a CUDA device, for upper and lower bounds")
    lower = None if lower is None else _inputs.numbers(lower)
    arrays, violations, run = _glycine.smooth_bounds(upper, lower, options)
    if out is not None and arrays is not options["out"]:
        for target, values in zip(options["out"], arrays):
            target.fill(values)
    smoothed, raised = arrays if out is None else out
    return Bounds(smoothed, raised, names, [Violation(*one) for one in violations], run)


def mutual_information(
    X: Any, bins: Whole = None, order: Whole = None, *, estimator: Name = None, knots: Name = None,
    rank: Name = None, unit: Name = None, gaps: Name = None, min_overlap: Whole = None, condensed: Flag = None,
    dtype: Any = None, out: np.ndarray | None = None, backend: Name = None, variant: Name = None,
    device: Whole = None, precision: Name = None, threads: Whole = None, progress: Progress = None, **more: Any,
) -> PairValues:
    """Mutual information of all pairs of rows, estimated with B-splines; entropies on the diagonal.

    Source: Shi et al., BMC Research Notes 4:189 (2011); Daub et al., BMC Bioinformatics 5:118 (2004).

    Parameters
    ----------
    X : array_like, shape (genes, samples)
        Expression values; NaN is missing. Not copied if rows are contiguous float64. Genes are AnnData's variables.
    bins, order : int, optional
        Number of bins per gene, and number of neighbouring bins that a value contributes to; order 1 is plain binning.
    estimator : {"spline", "bins", "pearson", "spearman"}, optional
    knots : {"clamped", "uniform"}, optional
    rank : {"none", "average", "ordinal"}, optional
        Replaces the values of each gene by their ranks.
    unit : {"bits", "nats"}, optional
    gaps, min_overlap : {"raw", "standardised"} and int, optional
        Treatment of estimates of pairs with missing samples, and minimum number of common samples; NaN below that.
    condensed, dtype, out, backend, variant, device, threads, progress : see `distances`
    precision : {"float64", "float32", "tf32", "fp16"}, optional
        Precision of the spline weights.

    Returns
    -------
    PairValues, shape (genes, genes)
        In bits or nats (`run["unit"]`), with the `.names` of the genes.

    Raises
    ------
    ValueError, RuntimeError
        As `distances`; for infinite values, no genes or samples, and options out of range.
    """
    options = _options(locals(), "X")
    values, names = _inputs.matrix(X, of_columns=True)
    return _pairs(_glycine.mutual_information, [values], options, names)


def network(
    X: Any, method: Name = None, regulators: Sequence[Any] | None = None, *, pvalue: Real = None,
    threshold: Real = None, null: Name = None, dpi: Real = None, top: Whole = None, bins: Whole = None,
    order: Whole = None, rank: Name = None, gaps: Name = None, min_overlap: Whole = None, seed: Whole = None,
    trees: Whole = None, backend: Name = None, variant: Name = None, device: Whole = None, precision: Name = None,
    threads: Whole = None, progress: Progress = None, **more: Any,
) -> Network:
    """Infers a gene network from expression, as ``glycine network`` does. Only the command offers bootstraps.

    Sources: Faith et al. (2007), CLR; Meyer et al. (2007), MRNET; Margolin et al. (2006), ARACNE; Huynh-Thu et al. (2010), GENIE3;
    Schäfer and Strimmer (2005), partial correlations.

    Parameters
    ----------
    X : array_like, shape (genes, samples)
        As in `mutual_information`.
    method : {"consensus", "mi", "aracne", "clr", "mrnet", "correlation", "partial", "forest"}, optional
        The last three do not use information: |r|; partial correlation given all other genes; importance in random-forest
        regressions (GENIE3) with `trees` per target. partial and forest require complete data, and run on the processor.
    regulators : sequence, optional
        Genes that may regulate others, by index or name, or a bool for each gene; other pairs cannot be edges.
    pvalue, threshold : float, optional
        Maximum probability that independent genes reach the information of an edge; minimum information of an edge.
    null, dpi : {"permutation", "analytic", "aracne"} and float, optional
        Null distribution of `pvalue`; aracne's tolerance of the data-processing inequality.
    top, seed, trees : int, optional
        Number of best edges to keep; seed of permutations and trees; trees per target.
    bins, order, rank, gaps, min_overlap, precision, backend, variant, device, threads, progress : see
        `mutual_information`; `more`: knots, unit, null_pairs, selections, node_candidates, tile.

    Returns
    -------
    Network
        Its edges, the best first: `.first`, `.second`, `.score`, `.information` and `.p`.

    Raises
    ------
    ValueError, RuntimeError
        As `mutual_information`, and for incompatible options, unknown regulators and repeated names among them.
    """
    options = _options(locals(), "X")
    values, names = _inputs.matrix(X, of_columns=True)
    names = names or [str(number) for number in range(1, (*values.shape, 0)[0] + 1)]
    if regulators is not None:
        options["regulators"] = _inputs.chosen(regulators, names)
    found = _glycine.network(values, options)
    found[-1]["regulators"] = options.get("regulators", [])
    return Network(names, *found)


def cross_apen(
    x: Any, m: Whole = None, r: Real = None, *, tau: Whole = None, absolute: Flag = None, bias: Name = None,
    deviation: Name = None, strict: Flag = None, convention: Name = None, measure: Name = None,
    power: Real = None, classes: Whole = None, scales: Whole = None, backend: Name = None, variant: Name = None, device: Whole = None,
    precision: Name = None, threads: Whole = None, progress: Progress = None, **more: Any,
) -> Entropies:
    """Cross-approximate entropy of all ordered pairs of channels.

    Source: Martínez-Zarzuela et al., Computer Methods and Programs in Biomedicine 112 (2013), 189-199. Channels that
    are constant or not finite in an epoch get NaN there, and are listed in ``run["unusable"]``. Readers also blank flat and
    clipped channels; arrays are used as they are.

    Parameters
    ----------
    x : array_like, shape (channels, samples) or (epochs, channels, samples)
        Signals in any unit; also Signals from `read_edf`, MNE's Epochs and Raw, or a data frame with one column per channel.
    m, tau : int, optional
        Length of the templates, and delay between their elements, in samples.
    r : float, optional
        Tolerance, as a fraction of the standard deviation of each channel and epoch.
    absolute, strict : bool, optional
        r is in the unit of the signals, which are not normalised; a distance of exactly r does not match.
    bias : {"max", "zero", "max-short", "none"}, optional
        Treatment of templates without a match.
    deviation : {"n-1", "n"}, optional
    convention : {"paper", "entropyhub"}, optional
    measure : str, optional
        Set by the other functions; `power`: exponent of fuzzyen's membership; `classes`: number of amplitude classes of dispen.
    scales : int, optional
        Multiscale entropy: of means of 1 to `scales` consecutive samples. The result is the sum over all scales; `quantities`
        contains each scale (``"sampen_scale_2"``).
    precision : {"float32", "float64"}, optional
        Precision in which samples are compared.
    backend, variant, device, threads, progress : see `distances`

    Returns
    -------
    Entropies, shape (channels, channels) or (epochs, channels, channels)
        Row u and column v: the entropy of (v‖u), in nats. Measures of single channels have one column.

    Raises
    ------
    ValueError, RuntimeError
        As `distances`; for epochs that are too short for m, and for incompatible options.
    """
    options = _options(locals(), "x")
    signals, names, is_single = _inputs.epochs(x)
    values, quantities, run = _glycine.entropies(signals, options)
    if is_single:
        values = values[0]
    parts = {name: values[..., number, :, :] for number, name in enumerate(quantities)}
    return Entropies.of(parts[quantities[0]], quantities=parts, run=run, names=names)


def _of(name: str, measure: str, what: str, source: str) -> Callable[..., Entropies]:
    def function(x: Any, m: Whole = None, r: Real = None, **options: Any) -> Entropies:
        return cross_apen(x, m, r, measure=measure, **options)

    function.__name__ = function.__qualname__ = name
    sections = (cross_apen.__doc__ or "").partition("    Parameters\n")
    function.__doc__ = f"{what}.\n\n    Source: {source}. `options` are those of `cross_apen`:\n\n{''.join(sections[1:])}"
    return function


apen = _of("apen", "apen", "Approximate entropy of each channel", "Pincus, PNAS 88 (1991), 2297-2301")
_RICHMAN = "Richman and Moorman, American Journal of Physiology: Heart 278 (2000), H2039-H2049"
cross_sampen = _of("cross_sampen", "crosssampen", "Cross-sample entropy of all pairs of channels", _RICHMAN)
sampen = _of("sampen", "sampen", "Sample entropy of each channel", _RICHMAN)
_XIE = "Xie et al., Information Sciences 180 (2010), 1715-1724"
fuzzyen = _of("fuzzyen", "crossfuzzyen", "Cross-fuzzy entropy of all pairs of channels", _XIE)
permen = _of("permen", "permen", "Permutation entropy of each channel", "Bandt and Pompe, Phys. Rev. Lett. 88 (2002), 174102")
_SHI = "Shi, Shang and Lin, Nonlinear Dynamics 79 (2015), 2439-2447"
cross_permen = _of("cross_permen", "crosspermen", "Cross-permutation entropy of all pairs of channels", _SHI)
dispen = _of("dispen", "dispen", "Dispersion entropy of each channel", "Rostaghi and Azami, IEEE Signal Proc. Lett. 23 (2016), 610-614")


def pairwise(
    sequences: Any, measure: Name = None, *, matrix: Name = None, gap_open: Whole = None,
    gap_extend: Whole = None, method: Name = None, alphabet: Name = None, condensed: Flag = None, dtype: Any = None, out: np.ndarray | None = None,
    backend: Name = None, variant: Name = None, device: Whole = None, precision: Name = None, threads: Whole = None,
    progress: Progress = None, **more: Any,
) -> PairValues:
    """Aligns all pairs of sequences and returns their distances, identities or scores.

    Sources: Needleman and Wunsch (1970), Smith and Waterman (1981), Gotoh (1982).

    Parameters
    ----------
    sequences : list of str, dict, list of Biopython's SeqRecord, or Sequences from `read_fasta`
        Gaps are removed.
    measure : {"distance", "identity", "score", "mismatch"}, optional
        mismatch: only with the method thesis.
    matrix : str, optional
        A substitution matrix by name, or a file in NCBI's format; for the methods global and local, as the next two.
    gap_open, gap_extend : int, optional
        A gap of k letters costs gap_open + k · gap_extend.
    method : {"global", "local", "clustalw", "thesis"}, optional
        local: the best alignment of substrings; clustalw: pairs as in ClustalW 2.1; thesis: Khaladkar's scheme.
    alphabet : {"protein", "dna", "rna"}, optional
        Default: detected.
    precision : {"integers"}, optional
    condensed, dtype, out, backend, variant, device, threads, progress : see `distances`

    Returns
    -------
    PairValues
        Distances, identities or scores, with the `.names` of the sequences.

    Raises
    ------
    ValueError, RuntimeError
        As `distances`; for letters outside the alphabet, empty sequences and duplicate names.
    """
    options = _options(locals(), "sequences")
    names, letters = _inputs.sequences(sequences)
    return _pairs(_glycine.pairwise, [names, letters], options, names)


def align(
    sequences: Any, method: Name = None, *, tree_method: Name = None, consistency: Whole = None,
    refinements: Whole = None, budget: Real = None, seed: Whole = None, alphabet: Name = None,
    backend: Name = None, variant: Name = None, device: Whole = None, precision: Name = None, threads: Whole = None,
    progress: Progress = None, **more: Any,
) -> Alignment:
    """Multiple alignment of sequences.

    Sources: Liu, Schmidt and Maskell (2010), MSAProbs; Gudyś and Deorowicz (2017), QuickProbs 2; Thompson, Higgins and Gibson (1994),
    ClustalW.

    Parameters
    ----------
    sequences
        As in `pairwise`.
    method : {"auto", "accuracy", "fast", "clustalw", "thesis"}, optional
        auto: the better of accuracy and fast whose work fits `budget`, in seconds on two cores.
    tree_method : {"nj", "upgma"}, optional
        Method of the guide tree.
    consistency, refinements, seed : int, optional
        Rounds of accuracy, and seed of the refinements.
    precision : {"float32", "float64", "integers"}, optional
        Precision of posteriors: float64 on `reference` only. clustalw and thesis align pairs in integers.
    alphabet, backend, variant, device, threads, progress : see `pairwise`

    Returns
    -------
    Alignment
        `.rows`, `.columns`, `.confidence`, `.residue_confidence` and `.tree`.

    Raises
    ------
    ValueError, RuntimeError
        As `pairwise`, and for fewer than two sequences.
    """
    options = _options(locals(), "sequences")
    names, letters = _inputs.sequences(sequences)
    found, run = _glycine.align(names, letters, options)
    return Alignment(**found, run=run)


def tree(
    given: Any, method: Name = None, *, names: Sequence[str] | None = None, midpoint: Flag = None, backend: Name = None,
    variant: Name = None, device: Whole = None, precision: Name = None, threads: Whole = None, progress: Progress = None, **more: Any,
) -> Tree:
    """A tree in Newick format, from distances or an alignment.

    Sources: Saitou and Nei (1987), neighbour joining; Sokal and Michener (1958), UPGMA.

    Parameters
    ----------
    given : PairValues, array_like, or Alignment
        Distances of all pairs, square or condensed; or aligned rows, with `correction` ("none", "kimura"),
        `leave_out_gaps` and `alphabet` for their distances.
    method : {"nj", "upgma"}, optional
        Neighbour joining, or average linkage.
    names : sequence of str, optional
        Names of the leaves; default: numbers from 1.
    midpoint : bool, optional
        Places the root in the middle of the longest path between two leaves.
    backend, variant, device, precision, threads, progress
        See `distances`; the precision is float64. "cpu" and "cuda" build trees, with the same bits. By default, as ``glycine tree``: large trees on a device.

    Returns
    -------
    Tree
        The text, with `.backend`, `.variant` and `.times`.

    Raises
    ------
    ValueError
        For distances that are not finite, not symmetric or not of all pairs, and names that are too few, too many, empty or
        not unique.
    """
    options = _options(locals(), "given", "names")
    if names is None:
        names = getattr(given, "names", None)
    if isinstance(given, Alignment):
        own = {name: options.pop(name) for name in ("correction", "leave_out_gaps", "alphabet") if name in options}
        values = _glycine.row_distances(given.names, given.rows, own)
    else:
        matrix, found = _inputs.matrix(given)
        values = _inputs.square(matrix)
        if names is None:
            names = found if found and matrix.ndim == 2 else list(map(str, range(1, len(values) + 1)))
    return Tree(*_glycine.tree(list(map(str, () if names is None else names)), values, options))


def fold(
    restraints: Any, sequence: Any = None, *, topology: Any = None, models: Whole = None, seed: Whole = None,
    steps: Whole = None, backend: Name = None, variant: Name = None, device: Whole = None, precision: Name = None,
    threads: Whole = None, progress: Progress = None, **more: Any,
) -> Ensemble:
    """Folds a protein from NMR restraints by torsion-angle dynamics, as ``glycine fold`` does.

    Source: Güntert, Mumenthaler and Wüthrich, J. Mol. Biol. 273 (1997), 283-298.

    Parameters
    ----------
    restraints : path, or list of paths
        NEF, NMR-STAR 3, X-PLOR or CNS, CYANA, tables.
    sequence, topology : path, optional
        The protein's sequence (FASTA), or a structure of which only the residues are used; unnecessary with NEF.
    models, seed, steps : int, optional
        Number of models, their seed, and steps of the dynamics. `more`: the command's other options by their long names
        (cis, first_residue, skip_unknown, allow_inconsistent, reference, ordered, best; color of the picture).
    precision : {"float64", "float32"}, optional
        Precision of energies: float32 on `gl`, float64 on other backends.
    backend, variant, device, threads, progress : see `distances`

    Returns
    -------
    Ensemble
        The superposed models, the best first.

    Raises
    ------
    ValueError
        For files that cannot be read, restraints of other molecules or that contradict each other, and options out of range.
    """
    options = _options(locals(), "restraints")
    if precision is not None:
        given = {name: options.get(name) for name in ("backend", "variant", "device", "precision")}
        options["backend"] = _glycine.backend_in_format("fold", given)
        del options["precision"]
    files = [restraints] if isinstance(restraints, (str, os.PathLike)) else list(restraints)
    with tempfile.TemporaryDirectory() as folder:
        output, picture = (pathlib.Path(folder, name) for name in ("models.cif", "best.png"))
        report = json.loads(_command("fold", *files, "-o", output, "-o", picture, json=True, **options))
        positions, atoms = _glycine.read_models(str(output))
        _glycine.forget_folder(folder)
        return Ensemble(positions, atoms, report, output.read_text(), picture.read_bytes())


def backends() -> list[dict[str, Any]]:
    """The backends, as ``glycine info`` lists them.

    Returns
    -------
    list of dict
        For each backend: name, summary, whether it is available, the reason if it is not, and its devices.
    """
    return _glycine.backends()


def validate(algorithm: str, **options: Any) -> dict[str, Any]:
    """Compares backends and variants of an algorithm with the reference, as ``glycine validate`` does.

    Parameters
    ----------
    algorithm : str
        Name as in the command: bounds, distance, crossapen, mutualinfo, pairwise, align, tree or fold.
    options
        Options of the command by their long names: ``validate("bounds", sizes=[64, 128], backend="cpu,gl")``.

    Returns
    -------
    dict
        The command's report.

    Raises
    ------
    ValueError, RuntimeError
        For unknown algorithms and options; if a difference exceeds its limit.
    """
    return json.loads(_command("validate", algorithm, json=True, **options))


def bench(algorithm: str, **options: Any) -> dict[str, Any]:
    """Times backends and variants of an algorithm on verified results, as ``glycine bench`` does.

    Parameters
    ----------
    algorithm, options
        As of `validate`.

    Returns
    -------
    dict
        The command's report, with all samples.

    Raises
    ------
    ValueError, RuntimeError
        As `validate`.
    """
    return json.loads(_command("bench", algorithm, json=True, **options))
