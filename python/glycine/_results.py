"""What the functions return: NumPy arrays, or objects that hold some, with what ran."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np


class Ran:
    """What ran, and how long it took."""

    run: dict[str, Any]

    @property
    def backend(self) -> str:
        """The backend that computed: "cpu"."""
        return self.run.get("backend", "")

    @property
    def variant(self) -> str:
        """The variant that ran, never "default"."""
        return self.run.get("variant", "")

    @property
    def device(self) -> str:
        """The device as its driver names it."""
        return self.run.get("device", "")

    @property
    def times(self) -> dict[str, float]:
        """Seconds of each stage, of a steady clock; each stage ends with the device idle."""
        return self.run.get("times", {})


class PairValues(Ran, np.ndarray):
    """The values of all pairs: an array, N × N or condensed as SciPy's ``pdist`` has it, with names and what ran.

    Attributes
    ----------
    names : list of str, or None
        Of the instances.
    run : dict
        What ran: backend, variant, device, times, note, and what follows from the options.
    """

    names: list[str] | None

    @classmethod
    def of(cls, values: np.ndarray, run: dict[str, Any], names: Sequence[str] | None) -> "PairValues":
        result = values.view(cls)
        result.run = run
        result.names = None if names is None else [str(name) for name in names]
        return result

    def __array_finalize__(self, source: Any) -> None:
        self.run = getattr(source, "run", {})
        self.names = getattr(source, "names", None)

    def _is_square(self) -> bool:
        return self.ndim == 2 and self.shape[0] == self.shape[1]

    def to_pandas(self):
        """As a pandas DataFrame with the names as index and columns; a Series of a condensed result."""
        import pandas

        if not self._is_square():
            return pandas.Series(np.asarray(self))
        names = self.names if self.names is not None and len(self.names) == len(self) else None
        return pandas.DataFrame(np.asarray(self), index=names, columns=names)
