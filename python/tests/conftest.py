"""Shared fixtures: the command that results are compared with, and real data from Debian packages."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Deterministic examples, independent of the machine's speed.
settings.register_profile(
    "glycine",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
settings.load_profile("glycine")

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GLYCINE", str(ROOT / "build/release/glycine"))
BACKENDS = ["reference", "cpu", "gl"]


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error")


@pytest.fixture(params=BACKENDS)
def backend(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def command(tmp_path):
    """Runs the command with arrays as .npy input files; returns its messages."""

    def run(*arguments):
        line = [COMMAND]
        for number, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                np.save(tmp_path / f"in{number}.npy", argument)
                argument = tmp_path / f"in{number}.npy"
            line.append(str(argument))
        done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, timeout=60)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def computed(command, tmp_path):
    """The array that the command writes."""

    def run(name, *arguments):
        out = tmp_path / "out.npy"
        out.unlink(missing_ok=True)
        code, _, messages = command(name, *arguments, "-o", out)
        assert code == 0, messages
        return np.load(out)

    return run


@pytest.fixture
def real():
    """A file of the packages that scripts/test.sh unpacks."""

    def find(pattern):
        found = sorted((ROOT / ".cache/packages").glob("*/**/" + pattern))
        if not found:
            pytest.skip(f"needs {pattern}, which scripts/test.sh unpacks")
        return found[0]

    return find


def same_bits(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()
