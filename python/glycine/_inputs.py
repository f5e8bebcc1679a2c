"""Converts objects of other packages to arrays and names by duck typing; imports none of these packages."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._load import _glycine
from ._results import Alignment, Expression, Sequences, Signals


_CUDA = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged
_MASKED = "masked arrays are not accepted; fill in the masked values"


class OnDevice:
    """An array in the memory of a CUDA device, described by ``__cuda_array_interface__`` or DLPack; `owner` keeps it alive."""

    def __init__(self, described: dict[str, Any], owner: Any):
        if described.get("mask") is not None:
            raise ValueError(_MASKED)
        self.shape, self.dtype, self.owner = tuple(described["shape"]), np.dtype(described["typestr"]), owner
        self.pointer: int = described["data"][0]
        strides = described.get("strides")
        if strides is None:
            strides = [self.dtype.itemsize * int(np.prod(self.shape[axis + 1:])) for axis in range(len(self.shape))]
        self.strides = tuple(strides)

    ndim = property(lambda self: len(self.shape))

    def _as(self, shape: tuple, strides: tuple) -> "OnDevice":
        return OnDevice({"shape": shape, "typestr": self.dtype.str, "data": (self.pointer,), "strides": strides}, self.owner)

    @property
    def T(self) -> "OnDevice":
        return self._as(self.shape[::-1], self.strides[::-1])

    def __getitem__(self, new_axis: None) -> "OnDevice":
        """The array with a new first axis of length 1."""
        return self._as((1, *self.shape), (0, *self.strides))

    def array(self) -> np.ndarray:
        """A copy on the host."""
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype)
        begin, end = _extent(self)
        held = np.empty(end - begin, np.uint8)
        _glycine.copy_to_host(begin, held)
        return np.ndarray(self.shape, self.dtype, held, self.pointer - begin, self.strides)

    def fill(self, values: np.ndarray) -> None:
        """Copies an array from the host to the device."""
        if self.shape != values.shape or self.dtype != values.dtype or self.strides != np.empty(self.shape, self.dtype).strides:
            raise ValueError(
                f"out is {self.dtype} of {self.shape}; expected a contiguous array of {values.dtype} of the shape {values.shape}"
            )
        _glycine.copy_to_device(np.ascontiguousarray(values), self.pointer)


def _extent(held: Any) -> tuple[int, int]:
    """The addresses of the first byte of an array and of the byte after its last; an array without elements has none."""
    if 0 in held.shape:
        return 0, 0
    place = held.pointer if isinstance(held, OnDevice) else held.ctypes.data
    ends = [(size - 1) * stride for size, stride in zip(held.shape, held.strides)]
    return place + sum(min(end, 0) for end in ends), place + sum(max(end, 0) for end in ends) + held.dtype.itemsize


def refuse_shared(out: Any, inputs: Any) -> None:
    """Raises ValueError if `out` lies in the memory of an input, which a call reads while it writes its result."""
    begin, end = _extent(out)
    for one in inputs:
        if isinstance(one, tuple):
            refuse_shared(out, one)
        elif isinstance(one, (np.ndarray, OnDevice)):
            first, last = _extent(one)
            if first < end and begin < last:
                raise ValueError("out shares memory with the input; expected an array of its own")


def numbers(values: Any) -> np.ndarray | OnDevice:
    """A NumPy array of any object that holds numbers, without a copy if possible; or an `OnDevice` for arrays on a CUDA device."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(_MASKED)
    if isinstance(values, (np.ndarray, OnDevice)):
        return values if isinstance(values, OnDevice) else np.asarray(values)
    described = getattr(values, "__cuda_array_interface__", None)
    if described is not None:
        return OnDevice(described, values)
    if hasattr(values, "__dlpack_device__"):
        if values.__dlpack_device__()[0] not in _CUDA:
            return np.from_dlpack(values)
        capsule = values.__dlpack__()
        return OnDevice(_glycine.describe_dlpack(capsule), capsule)
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def array(values: Any) -> np.ndarray:
    """The same on the host; copies an array from a device once."""
    found = numbers(values)
    return found.array() if isinstance(found, OnDevice) else found


def joined(first: Any, second: Any, options: dict[str, Any]) -> Any:
    """Two matrices whose rows come one after the other: joined on the device if both are there and `cuda` may compute."""
    both = [one for one in (first, second) if isinstance(one, OnDevice)]
    if len(both) < 2 or first.dtype != second.dtype or first.dtype.str[1:] == "f2" or options.get("backend", "cuda") != "cuda":
        return first, second
    place, owner = _glycine.join_on_device(first, second)
    described = {"shape": (first.shape[0] + second.shape[0], first.shape[1]), "typestr": first.dtype.str, "data": (place,)}
    return OnDevice(described, owner)


def square(values: Any) -> np.ndarray:
    """Values of all pairs as a square; accepts SciPy's condensed form, which contains each pair once."""
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


def _frame(frame: Any, missing: Any = -1) -> np.ndarray:
    """The numbers of a data frame. Of pandas' nullable types, gaps are `missing` among whole numbers and NaN among real ones."""
    values = frame.to_numpy()
    if values.dtype.kind != "O":
        return values
    kinds = {getattr(dtype, "kind", "O") for dtype in (frame.dtypes if values.ndim > 1 else [frame.dtypes])}
    if not kinds <= set("iuf"):
        return values
    return frame.to_numpy(float, na_value=np.nan) if "f" in kinds or missing is None else frame.to_numpy(np.int64, na_value=missing)


def matrix(X: Any, of_columns: bool = False, as_array: bool = False) -> tuple[Any, list[str] | None]:
    """An array, an `OnDevice` or (unless `as_array`) a DataSet from `read`, and the names of its rows or None.

    AnnData and data frames name their rows. `of_columns`: the rows of the result are AnnData's variables.
    """
    if isinstance(X, _glycine.DataSet):
        return (X.values() if as_array else X), X.names
    if isinstance(X, Expression):
        return X.values, X.genes
    if hasattr(X, "obs_names") and hasattr(X, "X"):
        values = numbers(X.X)
        return (values.T, _names(X.var_names)) if of_columns else (values, _names(X.obs_names))
    if hasattr(X, "to_numpy") and hasattr(X, "index"):
        return _frame(X, None if of_columns else -1), _names(X.index)
    return numbers(X), None


def chosen(given: Any, names: list[str]) -> list[int]:
    """Indices of instances that are given by index or name, or by a bool for each."""
    given = [given] if isinstance(given, str) else list(given)
    if any(isinstance(one, (bool, np.bool_)) for one in given):
        if len(given) != len(names):
            raise ValueError(f"regulators: {len(given)} bools; expected one for each of {len(names)} genes")
        return [number for number, one in enumerate(given) if one]
    numbers: dict[str, int] = {}
    repeated = {name: number for number, name in enumerate(names) if numbers.setdefault(name, number) != number}
    found = []
    for one in given:
        if isinstance(one, str) and one not in numbers:
            raise ValueError(f"regulators: {one!r} is no gene of the input")
        if isinstance(one, str) and one in repeated:
            places = f"{numbers[one] + 1} and {repeated[one] + 1}"
            raise ValueError(f"regulators: genes {places} are both named {one!r}; expected each gene once, or indices")
        if not isinstance(one, (str, int, np.integer)):
            raise ValueError(f"regulators: {one!r} is no index and no name")
        found.append(numbers[one] if isinstance(one, str) else int(one))
    return found


def epochs(x: Any) -> tuple[Any, list[str] | None, bool]:
    """Epochs × channels × samples, the names of the channels, and whether there is a single epoch without its axis.

    Accepts arrays of two or three dimensions, Signals from `read_edf`, and MNE's Epochs and Raw.
    """
    names = None
    if isinstance(x, Signals):
        x, names = x.values, x.names
    elif hasattr(x, "get_data") and hasattr(x, "ch_names"):
        x, names = x.get_data(), _names(x.ch_names)
    elif hasattr(x, "to_numpy") and hasattr(x, "columns"):
        x, names = _frame(x, None).T, _names(x.columns)
    x = numbers(x)
    if x.ndim not in (2, 3):
        raise ValueError(f"x has {x.ndim} dimensions; expected channels × samples, or epochs × channels × samples")
    return (x[None], names, True) if x.ndim == 2 else (x, names, False)


def sequences(given: Any) -> tuple[list[str], list[str]]:
    """Names and letters of strings, a dict or Series (name to letters), Biopython's records, or results of the readers."""
    if isinstance(given, Sequences):
        return given.names, given.letters
    if isinstance(given, Alignment):
        return given.names, given.rows
    if isinstance(given, (str, bytes, os.PathLike)):
        raise ValueError("one string is one sequence; expected a list of them, or what read_fasta returns for a file")
    named = given.items() if hasattr(given, "items") else ((getattr(one, "id", k), one) for k, one in enumerate(given, 1))
    names, letters = [], []
    for name, one in named:
        text = getattr(one, "seq", one)
        if not hasattr(text, "upper"):  # None and numbers would become letters
            raise ValueError(f"the sequence {name!s} is {one!r}; expected its letters")
        names.append(str(name))
        letters.append(text.decode() if isinstance(text, bytes) else str(text))
    return names, letters
