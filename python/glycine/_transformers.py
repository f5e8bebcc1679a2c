"""A transformer for scikit-learn, by duck typing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._functions import cross_distances, distances
from ._inputs import array
from ._results import PairValues

__all__ = ["PairwiseDistances"]


class PairwiseDistances:
    """Distances to the fitted rows, as a transformer: a pipeline step before an estimator with
    ``metric="precomputed"``. Options as in `distances`.

    ``fit_transform(X)`` is ``distances(X)``, ``fit(X).transform(Y)`` is ``cross_distances(Y, X)``.
    """

    def __init__(
        self, measure=None, *, kind=None, missing=None, min_overlap=None, dtype=None, backend=None, variant=None,
        device=None, precision=None, threads=None, progress=None,
    ):
        vars(self).update({name: value for name, value in locals().items() if name in self._parameters})

    _parameters = (
        "measure", "kind", "missing", "min_overlap", "dtype", "backend", "variant", "device", "precision", "threads", "progress",
    )

    kind: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters: Any) -> "PairwiseDistances":
        for name, value in parameters.items():
            if name not in self._parameters:
                raise ValueError(f"{name!r} is no parameter of PairwiseDistances; expected one of {self._parameters}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self.get_params().items() if value is not None]
        return f"PairwiseDistances({', '.join(given)})"

    def _checked(self, X: Any) -> np.ndarray:
        if hasattr(X, "toarray"):
            raise TypeError("X is a sparse matrix; expected a dense one: X.toarray()")
        values = X.to_numpy() if hasattr(X, "to_numpy") else array(X)
        if values.dtype.kind == "O":
            values = values.astype(float)
        if values.dtype.kind == "c":
            raise ValueError("Complex data not supported: X holds complex numbers")
        if values.ndim != 2:
            raise ValueError(f"Expected 2D array, got {values.ndim}D array instead. Reshape your data: rows are instances")
        for count, name in zip(values.shape, ("sample", "feature")):
            if count == 0:
                raise ValueError(f"0 {name}(s) (shape={values.shape}) while a minimum of 1 is required.")
        if values.dtype.kind == "f" and self.kind != "genotypes" and not np.isfinite(values).all():
            raise ValueError("X contains NaN or inf; expected finite numbers")
        return values

    def fit(self, X: Any, y: Any = None) -> "PairwiseDistances":
        values = self._checked(X)
        # A copy, so that later changes of X do not affect the fitted rows.
        self.references_, self.n_features_in_ = values.copy(), values.shape[1]
        return self

    def transform(self, X: Any) -> PairValues:
        if not hasattr(self, "references_"):
            raise ValueError("This PairwiseDistances instance is not fitted yet; call fit first")
        values = self._checked(X)
        if values.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {values.shape[1]} features, but PairwiseDistances is expecting {self.n_features_in_} features as input"
            )
        return cross_distances(values, self.references_, **self.get_params())

    def fit_transform(self, X: Any, y: Any = None) -> PairValues:
        return distances(self.fit(X).references_, **self.get_params())
