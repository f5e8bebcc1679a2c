"""Objects of other packages as arrays and names, by what they have; none of these packages is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _glycine
from ._results import Alignment, Expression, Sequences, Signals


def _dense(values: Any) -> np.ndarray:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def _names(values: Any) -> list[str]:
    return [str(value) for value in values]


def matrix(X: Any, of_columns: bool = False) -> tuple[Any, list[str] | None]:
    """An array, or a set of `read`, with the names of its rows.

    AnnData and data frames name their rows. `of_columns`: the rows of the result are AnnData's variables.
    """
    if isinstance(X, _glycine.DataSet):
        return X, X.names
    if isinstance(X, Expression):
        return X.values, X.genes
    if hasattr(X, "obs_names") and hasattr(X, "X"):
        values = _dense(X.X)
        return (values.T, _names(X.var_names)) if of_columns else (values, _names(X.obs_names))
    if hasattr(X, "to_numpy") and hasattr(X, "index"):
        return X.to_numpy(), _names(X.index)
    return _dense(X), None


def epochs(x: Any) -> tuple[np.ndarray, list[str] | None, bool]:
    """Epochs × channels × samples, the names of the channels, and whether there is a single epoch without its axis.

    Takes arrays of two or three dimensions, what `read_edf` returns, and MNE's Epochs and Raw.
    """
    names = None
    if isinstance(x, Signals):
        x, names = x.values, x.names
    elif hasattr(x, "get_data") and hasattr(x, "ch_names"):
        x, names = x.get_data(), _names(x.ch_names)
    elif hasattr(x, "to_numpy") and hasattr(x, "columns"):
        x, names = x.to_numpy().T, _names(x.columns)
    x = np.asarray(x)
    return (x[None], names, True) if x.ndim == 2 else (x, names, False)


def sequences(given: Any) -> tuple[list[str], list[str]]:
    """Names and letters of strings, of pairs in a dict, of Biopython's records, or of what the readers return."""
    if isinstance(given, Sequences):
        return given.names, given.letters
    if isinstance(given, Alignment):
        return given.names, given.rows
    if isinstance(given, dict):
        return _names(given), _names(given.values())
    if isinstance(given, (str, bytes)):
        raise ValueError("one string is one sequence; expected a list of them")
    names, letters = [], []
    for number, one in enumerate(given, 1):
        names.append(str(getattr(one, "id", number)))
        letters.append(one.decode() if isinstance(one, bytes) else str(getattr(one, "seq", one)))
    return names, letters
