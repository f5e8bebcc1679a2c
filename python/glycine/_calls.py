"""How functions call the extension: options of a call, values of pairs, commands by their command line."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from . import _inputs
from ._load import _glycine
from ._results import DevicePairValues, PairValues

Name = Optional[str]
Whole = Optional[int]
Real = Optional[float]
Flag = Optional[bool]
Progress = Union[None, bool, Callable[[str, Optional[float], Optional[float]], Any]]


def _bar() -> Callable[[str, float | None, float | None], None] | None:
    """A callable that draws a bar per stage with tqdm; None if tqdm is not installed."""
    try:
        from tqdm.auto import tqdm  # type: ignore
    except ImportError:
        return None
    shown: list = []

    def show(stage: str, fraction: float | None, remaining: float | None) -> None:
        if not shown or shown[0].desc != f"{stage}: ":
            for one in shown:
                one.close()
            shown[:] = [tqdm(total=100, unit="%", desc=stage, leave=False)]
        shown[0].update(round(100 * (fraction or 0)) - shown[0].n)

    return show


def _options(scope: Mapping[str, Any], *inputs: str) -> dict[str, Any]:
    """The options of a call, selected from its arguments; `more` holds further ones by name."""
    options = {name: value for name, value in scope.items() if value is not None and name not in inputs}
    options.update(options.pop("more", {}))
    if isinstance(options.get("progress"), bool):
        options["progress"] = _bar() if options["progress"] else None
    return options


def _pairs(function: Callable[..., tuple], given: Sequence[Any], options: dict[str, Any], names: Any, columns: Any = None) -> Any:
    """Calls a function of the extension for the values of all pairs; `out` may be on a device."""
    out = options.get("out")
    there = None if out is None or isinstance(out, np.ndarray) else _inputs.numbers(out)
    if isinstance(target := out if there is None else there, (np.ndarray, _inputs.OnDevice)):
        _inputs.refuse_shared(target, given)
    if not isinstance(there, _inputs.OnDevice):
        values, run = function(*given, options)
        return PairValues.of(values, run=run, names=names, reference_names=columns)
    values, run = function(*given, {**options, "out": there})
    if values is not None:
        there.fill(values)
    return DevicePairValues(out, there, run, names, columns)


def _command(*arguments: Any, **options: Any) -> str:
    """Runs the command and returns what it prints. Options by their long names: ``max_atoms=5`` is ``--max-atoms 5``."""
    line = [os.fsdecode(argument) for argument in arguments]
    options = _options(options)
    progress = options.pop("progress", None)
    if options.pop("check", True) is False:
        line.append("--no-check")
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            line.append(option)
        elif value is not None and value is not False:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            text = os.fsdecode(value) if isinstance(value, bytes) else text
            line += [option, text]
    code, output, messages = _glycine.command(line, progress)
    if code == 0:
        return output
    text = messages.strip().removeprefix("glycine: ").removeprefix("error: ")
    if code == 2:
        raise ValueError(text)
    raise RuntimeError(text)
