"""Bioinformatics on the graphics pipeline: NumPy arrays in, NumPy arrays out, on every backend.

Each function gives the same numbers, to the last bit, as the command ``glycine`` does for files. It runs on the named backend:
"cpu", "gl" (OpenGL fragment shaders), "cuda", or "reference" (the specification); by default, the rule of ``glycine info`` chooses.
"""


def __getattr__(name):
    """Loads NumPy and the extension when a name is first used (PEP 562), so that the import takes no time."""
    # The import system asks for the package's own modules.
    if name.startswith("_") and name not in ("__all__", "__version__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _functions, _load, _readers, _results, _transformers

    public = {key: getattr(module, key) for module in (_functions, _readers, _results, _transformers) for key in module.__all__}
    globals().update(public, __all__=sorted(public), __version__=_load._glycine.version)
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__():
    return sorted({*__getattr__("__all__"), *globals()})
