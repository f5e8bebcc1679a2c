"""Loads the extension, for all modules of the package."""

import atexit
import os

# Spinning threads of GNU OpenMP delay others. The runtime reads this variable once, when it is loaded. The program uses the same
# number (kSpinCount in engine/core/parallel.hpp).
_is_chosen = "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ
if not _is_chosen:
    os.environ["GOMP_SPINCOUNT"] = "5000"
try:
    from . import _glycine
finally:
    if not _is_chosen:
        del os.environ["GOMP_SPINCOUNT"]

# Drivers crash if they are released after the end of the program.
atexit.register(_glycine.release_backends)
