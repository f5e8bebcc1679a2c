"""Bioinformatics on the graphics pipeline: NumPy arrays in, NumPy arrays out, on every backend.

Each function gives the same numbers, to the last bit, as the command ``glycine`` does for files. It runs on the named backend:
"cpu", "gl" (OpenGL fragment shaders), "cuda", or "reference" (the specification); by default, the rule of ``glycine info`` chooses.
"""

import os as _os


def _load():
    # Spinning threads of GNU OpenMP delay others. The runtime reads this variable once, when it is loaded. The program uses
    # the same number (kSpinCount in engine/core/parallel.hpp).
    chosen = "GOMP_SPINCOUNT" in _os.environ or "OMP_WAIT_POLICY" in _os.environ
    if not chosen:
        _os.environ["GOMP_SPINCOUNT"] = "5000"
    try:
        from . import _glycine
    finally:
        if not chosen:
            del _os.environ["GOMP_SPINCOUNT"]
    import atexit

    # Drivers crash if they are released after the end of the program.
    atexit.register(_glycine.release_backends)
    return _glycine


__version__ = _load().version

from ._functions import (  # noqa: E402
    align, apen, backends, bench, clusters, coordinates, cross_apen, cross_distances, cross_permen, cross_sampen, dispen, distances,
    fold, fuzzyen, mutual_information, nearest, network, pairwise, permen, read, read_alignment, read_bed, read_bounds, read_edf,
    read_eeglab, read_expression, read_fasta, read_fif, read_signals, read_vcf, relatives, sampen, smooth_bounds, tree, validate,
)
from ._results import (  # noqa: E402
    Alignment, Bounds, Coordinates, DevicePairValues, Ensemble, Entropies, Expression, Network, PairValues, Relatives, Sequences,
    Signals,
)
from ._transformers import PairwiseDistances  # noqa: E402

__all__ = [name for name in dir() if not name.startswith("_")]
