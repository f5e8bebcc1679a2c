"""Objects of other packages as arrays and names, by what they have; none of these packages is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _glycine
from ._results import Alignment, Expression, Sequences, Signals


_CUDA = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged


def array(values: Any) -> np.ndarray:
    """NumPy's array of anything that holds numbers: those on a CUDA device are copied once, others used where they are."""
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    described = getattr(values, "__cuda_array_interface__", None)
    if described is None and hasattr(values, "__dlpack_device__"):
        if values.__dlpack_device__()[0] not in _CUDA:
            return np.from_dlpack(values)
        capsule = values.__dlpack__()  # holds the memory until it has been copied
        described = _glycine.describe_dlpack(capsule)
    if described is None:
        return np.asarray(values.toarray() if hasattr(values, "toarray") else values)
    if described.get("mask") is not None:
        raise ValueError("an array with a mask is not taken; fill in what it hides")
    shape, dtype = tuple(described["shape"]), np.dtype(described["typestr"])
    if 0 in shape:
        return np.empty(shape, dtype)
    strides = described.get("strides")
    if strides is None:
        strides = tuple(dtype.itemsize * int(np.prod(shape[axis + 1:])) for axis in range(len(shape)))
    ends = [(size - 1) * stride for size, stride in zip(shape, strides)]
    first, last = sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)
    held = np.empty(last - first + dtype.itemsize, np.uint8)
    _glycine.copy_to_host(described["data"][0] + first, held)
    return np.ndarray(shape, dtype, held, -first, strides)


def square(values: Any) -> np.ndarray:
    """Values of all pairs as a square: SciPy's condensed form has each once."""
    values = array(values)
    if values.ndim != 1:
        return values
    count = round((1 + (1 + 8 * len(values)) ** 0.5) / 2)
    if count * (count - 1) // 2 != len(values):
        raise ValueError(f"{len(values)} distances; expected those of all pairs, n (n - 1) / 2")
    whole = np.zeros((count, count), values.dtype)
    whole[np.triu_indices(count, 1)] = values
    return whole + whole.T


def _names(values: Any) -> list[str]:
    return [str(value) for value in values]


def matrix(X: Any, of_columns: bool = False, as_array: bool = False) -> tuple[Any, list[str] | None]:
    """An array, or (unless `as_array`) a set of `read`, with the names of its rows.

    AnnData and data frames name their rows. `of_columns`: the rows of the result are AnnData's variables.
    """
    if isinstance(X, _glycine.DataSet):
        return (X.values() if as_array else X), X.names
    if isinstance(X, Expression):
        return X.values, X.genes
    if hasattr(X, "obs_names") and hasattr(X, "X"):
        values = array(X.X)
        return (values.T, _names(X.var_names)) if of_columns else (values, _names(X.obs_names))
    if hasattr(X, "to_numpy") and hasattr(X, "index"):
        return X.to_numpy(), _names(X.index)
    return array(X), None


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
    x = array(x)
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
