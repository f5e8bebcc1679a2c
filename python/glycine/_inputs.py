"""Objects of other packages as arrays and names, by what they have; none of these packages is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _glycine


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
    if hasattr(X, "obs_names") and hasattr(X, "X"):
        values = _dense(X.X)
        return (values.T, _names(X.var_names)) if of_columns else (values, _names(X.obs_names))
    if hasattr(X, "to_numpy") and hasattr(X, "index"):
        return X.to_numpy(), _names(X.index)
    return _dense(X), None
