"""Arrays of other packages, on the host and on CUDA devices, in and out."""

import ctypes

import numpy as np
import pytest

import glycine
from glycine import _glycine, _inputs
from conftest import same_bits

HAS_CUDA = any(one["name"] == "cuda" and one["available"] and one["devices"] for one in glycine.backends())


class Described:
    """Claims that its memory is on a device, although it is on the host."""

    def __init__(self, array, **more):
        self.array = array
        of = array.__array_interface__
        self.__cuda_array_interface__ = {
            "shape": of["shape"], "typestr": of["typestr"], "data": of["data"], "strides": of["strides"], "version": 3, **more,
        }


class Packed:
    def __init__(self, array, device=2):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


@pytest.fixture
def copied(monkeypatch):
    """Substitutes host memory for device memory."""
    taken = []

    def copy(source, target):
        taken.append(target.size)
        ctypes.memmove(target.ctypes.data, source, target.size)

    monkeypatch.setattr(_glycine, "copy_to_host", copy)
    monkeypatch.setattr(_glycine, "copy_to_device", lambda source, target: ctypes.memmove(target, source.ctypes.data, source.nbytes))
    return taken


WHOLE = np.arange(2 * 60, dtype=np.float32).reshape(10, 12) + 1
VIEWS = {
    "whole": WHOLE, "columns": WHOLE.T, "fortran": np.asfortranarray(WHOLE), "steps": WHOLE[1::3, 2::2],
    "reversed": WHOLE[::-1, ::-2], "one": WHOLE[3:4, 4:5], "repeated": np.broadcast_to(WHOLE[2], (4, 12)),
    "genotypes": (WHOLE % 3).astype(np.int8), "doubles": WHOLE.astype(float)[:, ::-1], "row": WHOLE[2],
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("wrap", [Described, Packed])
def test_views_on_devices_are_never_misread(copied, name, wrap):
    view = VIEWS[name]
    given = wrap(view if view.flags.writeable or wrap is Described else view.copy())
    assert same_bits(_inputs.array(given), view) and len(copied) == 1
    if view.ndim == 2 and view.shape[0] > 1:
        assert same_bits(glycine.distances(given, backend="cpu"), glycine.distances(view, backend="cpu"))
        assert same_bits(glycine.mutual_information(given, backend="cpu"), glycine.mutual_information(view, backend="cpu"))


@pytest.mark.parametrize("name", ["cross_apen", "sampen", "fuzzyen", "permen"])
def test_signals_on_a_device(copied, name):
    signals = np.random.default_rng(3).normal(size=(2, 3, 80))
    for view in (signals, signals[:, ::-1, 3:], signals[1], signals.astype(np.float32)):
        found = getattr(glycine, name)(Described(view), backend="cpu")
        assert same_bits(found, getattr(glycine, name)(view, backend="cpu"))
    assert len(copied) == 4


def test_bounds_on_a_device(copied):
    upper = (np.ones((5, 5)) - np.eye(5)) * 3
    found = glycine.smooth_bounds(Described(upper), Packed(upper * 0.5), backend="cpu")
    assert same_bits(found.upper, glycine.smooth_bounds(upper, upper * 0.5, backend="cpu").upper) and len(copied) == 2


def test_outputs_on_a_device_are_filled(copied):
    out = np.zeros((10, 10), np.float32)
    found = glycine.distances(Described(WHOLE), out=Described(out), backend="cpu")
    expected = glycine.distances(WHOLE, dtype="float32", backend="cpu")
    assert same_bits(found, out) and same_bits(out, expected)
    assert found.backend == "cpu" and found.host().backend == "cpu" and len(found) == 10 and found.shape == (10, 10)
    assert same_bits(found[1:3], expected[1:3]) and found.names is None and found._repr_png_()[:4] == b"\x89PNG"
    assert found.__cuda_array_interface__ is found.values.__cuda_array_interface__
    with pytest.raises(AttributeError):
        found.nothing
    wide = np.zeros((10, 10))
    crossed = glycine.cross_distances(WHOLE[:5], Packed(WHOLE), out=Packed(wide[:5]), backend="cpu")
    assert same_bits(crossed, glycine.cross_distances(WHOLE[:5], WHOLE, backend="cpu")) and same_bits(crossed, wide[:5])
    condensed = np.zeros(45)
    glycine.mutual_information(WHOLE, condensed=True, out=Described(condensed), backend="cpu")
    assert same_bits(condensed, glycine.mutual_information(WHOLE, condensed=True, backend="cpu"))
    upper = (np.ones((5, 5)) - np.eye(5)) * 3
    out = [np.ones((5, 5), np.float32) for _ in range(2)]
    given = [Described(one) for one in out]
    found = glycine.smooth_bounds(upper, out=given, backend="cpu")
    expected = glycine.smooth_bounds(upper, backend="cpu")
    assert found.upper is given[0] and same_bits(out[0], expected.upper) and same_bits(out[1], expected.lower)
    for wrong in (np.zeros((10, 9)), wide[::-1], wide[:, ::-1]):
        with pytest.raises(ValueError, match="expected a writeable, contiguous"):
            glycine.distances(WHOLE, out=Described(wrong), backend="cpu")
    for wrong in (out, given[:1], given + given):
        with pytest.raises(ValueError, match="two arrays on a CUDA device"):
            glycine.smooth_bounds(upper, out=wrong, backend="cpu")


def test_what_cannot_be_read_on_a_device_is_refused(copied):
    assert glycine.distances(np.eye(3), backend="cpu")[0, 1] > 0
    for given, says in [
        (Described(WHOLE, mask=WHOLE), "mask"),
        (Described(WHOLE.astype(complex)), "complex128; expected"),
        (Described(WHOLE[:0]), "expected at least one of each"),
        (Described(WHOLE[0]), "1 dimensions; expected 2"),
        (Packed(WHOLE.astype(complex)), "DLPack's type"),
    ]:
        with pytest.raises(ValueError, match=says):
            glycine.distances(given)
    taken = np.ones(3).__dlpack__()
    ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(taken), b"used_dltensor")
    with pytest.raises(ValueError, match="incorrect name"):
        _glycine.describe_dlpack(taken)


def test_memory_that_is_on_no_device_is_refused():
    error, says = (ValueError, "its memory is on none") if HAS_CUDA else (RuntimeError, "is not available")
    with pytest.raises(error, match=says):
        glycine.distances(Described(WHOLE))


def test_dlpack_of_the_host_goes_in_and_out():
    found = glycine.distances(Packed(WHOLE, device=1), backend="cpu")
    assert same_bits(found, glycine.distances(WHOLE, backend="cpu"))
    out = np.from_dlpack(found)
    assert np.shares_memory(out, found) and same_bits(np.asarray(found), out)


def test_tensors_of_pytorch_on_the_host(rng):
    torch = pytest.importorskip("torch")
    points = rng.normal(size=(20, 30))
    given = torch.as_tensor(points)
    for view, plain in [(given, points), (given[::2, 3:], points[::2, 3:]), (given.t(), points.T)]:
        found = glycine.distances(view, backend="cpu")
        assert same_bits(found, glycine.distances(plain, backend="cpu"))
        out = torch.from_dlpack(found)
        assert same_bits(out.numpy(), np.asarray(found)) and np.shares_memory(out.numpy(), found)


@pytest.mark.skipif(not HAS_CUDA, reason="needs a CUDA device")
@pytest.mark.parametrize("package", ["cupy", "torch"])
def test_arrays_of_other_packages(package, rng):
    other = pytest.importorskip(package)
    on_device = other.asarray if package == "cupy" else lambda array: other.as_tensor(array, device="cuda")
    points = rng.normal(size=(40, 30))
    given = on_device(points)
    for view, plain in [(given, points), (given[::2, 3:], points[::2, 3:]), (given.T, points.T)]:
        for name in ("distances", "mutual_information"):
            assert same_bits(getattr(glycine, name)(view, backend="cuda"), getattr(glycine, name)(plain, backend="cuda"))
    upper = np.where(np.eye(30), 0, 4.0)
    found = glycine.smooth_bounds(on_device(upper), backend="cuda")
    assert same_bits(found.upper, glycine.smooth_bounds(upper, backend="cuda").upper)
    assert np.allclose(other.from_dlpack(found.upper), found.upper)
