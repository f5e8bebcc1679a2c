"""A bar for progress=True."""

from __future__ import annotations

from typing import Callable


def bar() -> Callable[[str, "float | None", "float | None"], None] | None:
    """A callable that draws a bar a stage with tqdm; None where tqdm is not there."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    shown = None

    def show(stage: str, fraction: float | None, remaining: float | None) -> None:
        nonlocal shown
        if shown is None or shown.desc != f"{stage}: ":
            if shown is not None:
                shown.close()
            shown = tqdm(total=100, unit="%", desc=stage, leave=False)
        if fraction is not None:
            shown.update(round(100 * fraction) - shown.n)
        if fraction == 1.0:
            shown.close()
            shown = None

    return show
