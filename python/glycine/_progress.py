"""The progress bar for progress=True."""

from __future__ import annotations

from typing import Callable


def bar() -> Callable[[str, "float | None", "float | None"], None] | None:
    """A callable that draws one bar per stage with tqdm; None if tqdm is not installed."""
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
