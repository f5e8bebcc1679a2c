"""A transformer as scikit-learn has them, by duck typing."""

from __future__ import annotations

from typing import Any

from ._functions import distances
from ._results import PairValues


class PairwiseDistances:
    """Distances of all pairs of rows as a transformer; nothing is learnt. Options are those of `distances`.

    ``PairwiseDistances("euclidean", backend="gl").fit_transform(X)``, or a step of a pipeline before an estimator with
    ``metric="precomputed"``.
    """

    def __init__(self, measure: str | None = None, **options: Any):
        self.measure, self.options = measure, options

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"measure": self.measure, **self.options}

    def set_params(self, **parameters: Any) -> "PairwiseDistances":
        self.measure = parameters.pop("measure", self.measure)
        self.options.update(parameters)
        return self

    def fit(self, X: Any, y: Any = None) -> "PairwiseDistances":
        return self

    def transform(self, X: Any) -> PairValues:
        return distances(X, self.measure, **self.options)

    def fit_transform(self, X: Any, y: Any = None) -> PairValues:
        return self.fit(X, y).transform(X)
