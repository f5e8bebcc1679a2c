"""Results of the functions: NumPy arrays, or objects that hold arrays, with facts about the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Sequence

import numpy as np

from ._load import _glycine

__all__ = [
    "Alignment", "Bounds", "Coordinates", "DevicePairValues", "Ensemble", "Entropies", "Expression", "Network", "PairValues",
    "Relatives", "Sequences", "Signals", "Tree", "Violation",
]

def _frame(values: Any, index: Any = None, columns: Any = None):
    """A pandas DataFrame of a matrix, or of columns by name without those that are None; a Series of a single dimension."""
    import pandas  # type: ignore

    if isinstance(values, dict):
        values = {name: column for name, column in values.items() if column is not None}
    elif values.ndim < 2:
        return pandas.Series(values)
    return pandas.DataFrame(values, index, columns)


def _named(names: Sequence[str] | None, numbers: Any) -> Any:
    """The names of instances, or their numbers if they have none."""
    return numbers if names is None else np.asarray(names, dtype=object)[numbers]


class _Ran:
    """The backend and variant that ran, and the seconds of its stages; each stage ends when the device is idle."""

    run: dict[str, Any]

    # The variant is the one that ran, never "default".
    backend = property(lambda self: self.run.get("backend", ""))
    variant = property(lambda self: self.run.get("variant", ""))
    device = property(lambda self: self.run.get("device", ""))
    times = property(lambda self: self.run.get("times", {}))


class _Array(_Ran, np.ndarray):
    """An array that keeps the declared attributes in views and results of operations."""

    _known: dict[str, Any] = {"run": {}, "names": None}

    @classmethod
    def of(cls, values: np.ndarray, **known: Any) -> Any:
        """A view of the values with these attributes."""
        result = values.view(cls)
        vars(result).update(known)
        return result

    def __array_finalize__(self, source: Any) -> None:
        vars(self).update({name: getattr(source, name, usual) for name, usual in self._known.items()})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: tuple = (), **how: Any) -> Any:
        """Arithmetic: a result of the same shape keeps the names, but not what the run says about its values."""
        changed = {name: usual for name, usual in self._known.items() if name in ("run", "quantities")}
        plain, targets = ([one.view(np.ndarray) if isinstance(one, _Array) else one for one in some] for some in (inputs, out))
        found = getattr(ufunc, method)(*plain, **how, **({"out": tuple(targets)} if out else {}))
        for one in out:
            if isinstance(one, _Array):
                vars(one).update(changed)
        if out:
            return out[0] if len(out) == 1 else out
        if method == "__call__" and isinstance(found, np.ndarray) and found.shape == self.shape:
            return self.of(found, **{**{name: getattr(self, name) for name in self._known}, **changed})
        return found

    def __reduce__(self) -> tuple:
        made, how, state = super().__reduce__()  # type: ignore
        return made, how, (state, vars(self))

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        vars(self).update(state[1])


class PairValues(_Array):
    """The values of all pairs: an array, N × N or condensed like SciPy's ``pdist``, with names and facts about the run.

    `names`: names of the instances, or None. `reference_names`: names of the columns of a rectangle. `run`: a dictionary with all
    facts about the run.
    """

    names: list[str] | None
    reference_names: list[str] | None
    _known = {**_Array._known, "reference_names": None}

    def _is_square(self) -> bool:
        return self.ndim == 2 and self.shape[0] == self.shape[1]

    def to_pandas(self):
        """A pandas DataFrame with the names as index and columns; a Series for a condensed result."""
        if self.ndim == 1:
            return _frame(np.asarray(self))
        names, columns = self.names, self.reference_names if self.run.get("references") else self.names
        fits = (names is None or len(names) == len(self), columns is None or len(columns) == self.shape[1])
        return _frame(np.asarray(self), names if fits[0] else None, columns if fits[1] else None)

    def _repr_png_(self) -> bytes | None:
        if not self._is_square() or self.size == 0:
            return None
        named = self.names is not None and len(self.names) == len(self)
        estimator = self.run.get("estimator")
        title, label = str(self.run.get("measure", estimator or "")), ""
        if estimator in ("spline", "bins"):
            title, label = "mutual information", str(self.run["unit"])
        values = np.array(self, dtype=float)
        # As in the command's picture: entropies would leave few colours for the pairs. Slices may have none.
        blank = bool(label) and (values.diagonal() >= np.fmax.reduce(values, axis=1)).all()
        if blank:
            np.fill_diagonal(values, np.nan)
        return _glycine.heat_map(values, self.names if named else [], title, label, not blank)


class DevicePairValues(_Ran):
    """The values of all pairs in `values`, the call's `out` on a device; `names` and `run` as in `PairValues`.

    `host()` returns a copy as `PairValues`; attributes that `values` lacks are those of the copy.
    """

    def __init__(self, values: Any, there: Any, run: dict[str, Any], names: Any, columns: Any):
        self.values, self.run, self._there, self._names = values, run, there, {"names": names, "reference_names": columns}

    def host(self) -> PairValues:
        return PairValues.of(self._there.array(), run=self.run, **self._names)

    def __array__(self, *how: Any, **more: Any) -> np.ndarray:
        return np.asarray(self.host()).__array__(*how)

    def __getitem__(self, which: Any) -> Any:
        return self.host()[which]

    def __len__(self) -> int:
        return self._there.shape[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in ("__dlpack__", "__dlpack_device__", "__cuda_array_interface__", "_repr_png_"):
            raise AttributeError(name)
        return getattr(self.values if hasattr(self.values, name) else self.host(), name)


class Coordinates(NamedTuple):
    """`points`, instances × dimensions, whose distances approximate those of all pairs; the `eigenvalues`, descending; and the
    `shares` of the dimensions in the sum of all eigenvalues."""

    points: np.ndarray
    eigenvalues: np.ndarray
    shares: np.ndarray

    def _repr_png_(self) -> bytes | None:
        return _glycine.coordinate_picture(self.points, self.shares.tolist()) if self.points.shape[1] > 1 else None


class Violation(NamedTuple):
    """A pair whose smoothed lower bound exceeds its upper bound, in Å: no structure satisfies the input."""

    i: int
    j: int
    upper: float
    lower: float


@dataclass(eq=False, repr=False)
class Bounds(_Ran):
    """Bounds of the distances of all pairs of atoms, in Å.

    `upper` and `lower`: shape (atoms, atoms); an infinite upper bound is unknown. `names`: names of the atoms, or None.
    `violations`: the worst inconsistent pairs. `violation_count`: number of all inconsistent pairs.
    """

    upper: np.ndarray
    lower: np.ndarray | None
    names: list[str] | None = None
    violations: list[Violation] = field(default_factory=list)
    run: dict[str, Any] = field(default_factory=dict)
    description: str = ""

    violation_count = property(lambda self: self.run.get("violation_count", 0))

    def __iter__(self):
        """Upper and lower bounds, for ``upper, lower = smooth_bounds(...)``."""
        return iter((self.upper, self.lower))

    def to_pandas(self):
        """A DataFrame with one row per pair of atoms: i, j, lower, upper."""
        i, j = np.triu_indices(len(self.upper), 1)
        lower = np.zeros_like(self.upper) if self.lower is None else self.lower
        return _frame({"i": _named(self.names, i), "j": _named(self.names, j), "lower": lower[i, j], "upper": self.upper[i, j]})

    def _repr_png_(self) -> bytes:
        return _glycine.heat_map(self.upper, self.names or [], "upper bounds", "Å", True)


class Entropies(_Array):
    """Entropies, epochs × rows × columns, or rows × columns for a single epoch.

    Row: channel of the templates (u); column: partner (v); the element is the entropy of (v‖u). Measures of single
    channels have one column. `quantities`: by name, the entropies and further results from the same matches.
    """

    names: list[str] | None
    quantities: dict[str, np.ndarray]
    _known = {**_Array._known, "quantities": {}}

    def to_pandas(self):
        """A DataFrame with one row per entropy: epoch, row, column (channels), and all quantities."""
        if self.ndim < 2:
            return _frame(np.asarray(self))
        epoch, row, column = np.indices(self.shape if self.ndim == 3 else (1, *self.shape)).reshape(3, -1)
        table = {"epoch": epoch, "row": _named(self.names, row), "column": _named(self.names, column)}
        found = {name: np.ravel(values) for name, values in self.quantities.items() if values.shape == self.shape}
        return _frame({**table, **(found or {self.run.get("measure", "value"): np.ravel(self)})})

    def _repr_png_(self) -> bytes | None:
        mean = np.asarray(self if self.ndim == 2 else self.mean(axis=0))
        return _glycine.heat_map(mean, self.names or [], str(self.run.get("measure", "")), "", True)


@dataclass(eq=False, repr=False)
class Network(_Ran):
    """The edges of a gene network, the best first.

    `first` and `second`: indices of genes in `names`; the regulator is first if regulators are given. `score`: the method's score.
    The arrays are columns of one table, and so not contiguous.
    `information`: mutual information, or None for methods without it. `p`: probability that independent genes have as much
    information, or None without a `pvalue`.
    """

    names: list[str]
    first: np.ndarray
    second: np.ndarray
    score: np.ndarray
    information: np.ndarray | None
    p: np.ndarray | None
    run: dict[str, Any]

    def __len__(self) -> int:
        return len(self.first)

    def to_pandas(self):
        """A DataFrame as ``glycine network`` writes it: regulator, target, score, and mi and p if they are known."""
        ends = {"regulator": _named(self.names, self.first), "target": _named(self.names, self.second)}
        return _frame({**ends, "score": self.score, "mi": self.information, "p": self.p})

    def _repr_png_(self) -> bytes | None:
        ran = [self.backend, self.device, self.variant]
        edges = self.first, self.second, self.score
        return _glycine.network_picture(self.names, *edges, self.run["regulators"], self.run["method"], ran) if len(self) else None


class Relatives(_Ran):
    """Related pairs, the closest first: arrays `first` and `second` (indices of instances), `in_common`, `ibs0`, `ibs1`, `ibs2`,
    `het_het` (counts of variants), `kinship`, and `degree` ("duplicate", "first", ...). `names`: names of the instances, or None.
    """

    def __init__(self, columns: dict[str, Any], run: dict[str, Any], names: list[str] | None):
        self.names, self.run, self._columns = names, run, columns
        vars(self).update(columns)

    def __len__(self) -> int:
        return len(self._columns["first"])

    def to_pandas(self):
        """A DataFrame with the columns of ``.relatives.tsv``."""
        return _frame({**self._columns, **{end: _named(self.names, self._columns[end]) for end in ("first", "second")}})


class Ensemble(_Ran):
    """Models of a folded protein, the best first.

    `positions`: shape (models, atoms, 3), in Å. `atoms`: labels, "A/LYS52/CA". `models`: a dictionary per model with its energies
    and violations. `cif` and `png`: contents of the files that ``glycine fold`` writes. `run`: the command's report.
    """

    def __init__(self, positions: np.ndarray, atoms: list[str], report: dict[str, Any], cif: str, png: bytes):
        self.positions, self.atoms, self.cif, self.png = positions, atoms, cif, png
        device, times = report["device"], report["seconds"]
        self.run = {**report, "backend": device["backend"], "device": device["device"], "times": times, "seconds": times["wall"]}

    models = property(lambda self: self.run["models"])
    converged = property(lambda self: self.run["converged"])

    def to_pandas(self):
        """A DataFrame with one row per model: energies and violations."""
        import pandas  # type: ignore

        return pandas.json_normalize(self.models)

    def _repr_png_(self) -> bytes:
        return self.png

    def __len__(self) -> int:
        return len(self.positions)


class Sequences(NamedTuple):
    """Sequences without gaps, in upper case."""

    names: list[str]
    letters: list[str]
    alphabet: str
    notes: list[str]


@dataclass(eq=False, repr=False)
class Alignment(_Ran):
    """Aligned sequences.

    `names` and `rows`: all rows have the same length, with '-' for gaps. `confidence`: of each column, 0 to 1; empty if the
    method gives none. `residue_confidence`: the same for each residue, rows × columns, NaN at gaps. `tree`: the guide tree in
    Newick format, or None. `order`: rows in the order in which they were joined.
    """

    names: list[str]
    rows: list[str]
    confidence: np.ndarray
    residue_confidence: np.ndarray
    tree: str | None
    order: list[int]
    alphabet: str
    run: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def columns(self) -> list[str]:
        """The letters of each column, from first to last row."""
        return ["".join(column) for column in zip(*self.rows)]

    @property
    def array(self) -> np.ndarray:
        """The letters as bytes, rows × columns, dtype S1."""
        return np.array(self.rows, dtype="S").view("S1").reshape(len(self.rows), -1)

    def to_pandas(self):
        """A DataFrame with one row per sequence and one column per column of the alignment."""
        return _frame(self.array.astype(str), self.names)

    def _picture(self, ending: str) -> bytes:
        return _glycine.alignment_picture(self.names, self.rows, self.alphabet, self.confidence.tolist(), ending)

    def _repr_png_(self) -> bytes:
        return self._picture(".png")

    def _repr_html_(self) -> str:
        return self._picture(".html").decode()


class Tree(_Ran, str):
    """A tree in Newick format. `run`: facts about the run."""

    def __new__(cls, text: str = "", run: dict[str, Any] | None = None):
        tree = super().__new__(cls, text)
        tree.run = run or {}
        return tree


class Signals(NamedTuple):
    """Epochs of a recording. `values`: epochs × channels × samples, in the units of the file. `events`: for each epoch, the text
    of the annotation that it surrounds."""

    values: np.ndarray
    names: list[str]
    rate: float
    units: list[str]
    description: str
    notes: list[str]
    events: list[str]


class Expression(NamedTuple):
    """An expression matrix. `values`: genes × samples; missing values are NaN."""

    values: np.ndarray
    genes: list[str]
    samples: list[str]
    description: str
    notes: list[str]

    def to_pandas(self):
        """A DataFrame with one row per gene and one column per sample."""
        return _frame(self.values, self.genes, self.samples)
