"""The functions of the package. None stands for the library's own default everywhere."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import _glycine, _inputs
from ._results import PairValues

Progress = Callable[[str, "float | None", "float | None"], Any]


def _options(scope: Mapping[str, Any], *inputs: str) -> dict[str, Any]:
    """The options of a call among its arguments; `more` holds further ones by name."""
    options = {name: value for name, value in scope.items() if value is not None and name not in inputs}
    options.update(options.pop("more", {}))
    if options.get("progress") is True:
        from ._progress import bar

        options["progress"] = bar()
    elif options.get("progress") is False:
        del options["progress"]
    return options


def distances(
    X: Any,
    measure: str | None = None,
    *,
    kind: str | None = None,
    missing: str | None = None,
    min_overlap: float | None = None,
    founders: Sequence[bool] | None = None,
    condensed: bool | None = None,
    dtype: Any = None,
    out: np.ndarray | None = None,
    backend: str | None = None,
    variant: str | None = None,
    device: int | None = None,
    precision: str | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    **more: Any,
) -> PairValues:
    """Distances of all pairs of rows: genotypes, sequences, coordinates.

    Parameters
    ----------
    X : array_like, shape (instances, attributes), or what `read` returns
        Whole numbers are genotypes (0, 1, 2 copies of an allele; -1, -9 or -127 is missing), as are real ones with
        ``kind="genotypes"`` (NaN is missing). Real numbers are coordinates. Genotypes are never copied, coordinates
        where their rows are contiguous float32 or float64. Data frames and AnnData bring their names along.
    measure : str, optional
        Genotypes: mismatch (default), proportion, allele, ibs, 1-ibs, or plink, what ``plink --distance`` computes.
        Coordinates: euclidean (default), sqeuclidean, manhattan, correlation.
    kind : {"genotypes", "coordinates"}, optional
        What the entries are, where their type does not say it.
    missing : {"ignore", "flat", "weighted", "refuse"}, optional
        What becomes of attributes that one of a pair lacks.
    min_overlap : float, optional
        Attributes that both of a pair must have, a number or (below 1) a share; NaN is the value of others.
    founders : sequence of bool, optional
        Instances whose allele frequencies weigh missing genotypes.
    condensed : bool, optional
        Each pair once, as ``scipy.spatial.distance.pdist`` orders them.
    dtype : {"int32", "float32", "float64"}, optional
        int32 for whole counts and float64 for all else where nothing is said.
    out : ndarray, optional
        Takes the result: contiguous, of the result's shape and type; a ``numpy.memmap`` perhaps.
    backend, variant, device, threads, progress
        Where and how it runs: see :doc:`python.md`. `more`: simd, dialect, context, max_texture, max_memory,
        pass_budget, shaders, tile.
    precision : {"float32", "float64"}, optional
        Of the differences of coordinates.

    Returns
    -------
    PairValues
        The distances, with `.backend`, `.variant`, `.times` and `.names`.

    Raises
    ------
    ValueError
        For data and options that make no sense, with the command's messages.
    RuntimeError
        Where a backend is not there, or fails.

    Notes
    -----
    Source: Sinnott-Armstrong et al., Interdisciplinary Sciences 2 (2010), 213-220; allele counts as PLINK 1.9.
    """
    options = _options(locals(), "X")
    data, names = _inputs.matrix(X)
    return PairValues.of(*_glycine.distances(data, options), names)


def read(path: str | os.PathLike[str], **options: Any) -> "_glycine.DataSet":
    """Reads a file as ``glycine distance`` does: .bed, .vcf, .bcf, .fa, .aln, .npy, .csv, .tsv.

    Returns a set with `.names`, `.kind`, `.shape`, `.description` and `.values()`, which `distances` takes in place of
    an array; a .bed file stays where it is, mapped.
    """
    return _glycine.read_data(os.fspath(path), options)


def backends() -> list[dict[str, Any]]:
    """A dictionary for each backend: name, summary, whether it is available, the reason why not, its devices."""
    return _glycine.backends()


class CommandError(RuntimeError):
    """The command ended with another code than 0; `code` holds it."""

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


def _command(*arguments: Any, **options: Any) -> str:
    """What the command prints. Options by their long names: ``max_atoms=5`` is ``--max-atoms 5``."""
    line = [str(argument) for argument in arguments]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            line.append(option)
        elif value is not None and value is not False:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            line += [option, text]
    code, output, messages = _glycine.command(line)
    if code == 0:
        return output
    text = messages.strip().removeprefix("glycine: ").removeprefix("error: ")
    if code == 2:
        raise ValueError(text)
    raise CommandError(code, text)


def validate(algorithm: str, **options: Any) -> dict[str, Any]:
    """Compares backends and variants with the reference, as ``glycine validate`` does; its report as a dictionary.

    Options are those of the command by their long names: ``validate("bounds", sizes=[64, 128], backend="cpu,gl")``.
    """
    return json.loads(_command("validate", algorithm, json=True, **options))


def bench(algorithm: str, **options: Any) -> dict[str, Any]:
    """Times backends and variants on verified results, as ``glycine bench`` does; its report as a dictionary."""
    return json.loads(_command("bench", algorithm, json=True, **options))
