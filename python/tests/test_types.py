"""Type checks of the package's own code and of user code, and what a build of it carries."""

import shutil
import subprocess
import sys

import pytest

from conftest import ROOT

USE = """
import numpy as np
import glycine

found: glycine.PairValues = glycine.distances(np.eye(3), "euclidean", progress=True, backend="cpu")
upper: np.ndarray = glycine.smooth_bounds(np.eye(3)).upper
rows: list[str] = glycine.align(["ACD", "ACE"], budget=1.5).rows
names: list[str] = glycine.read("a.vcf").names
glycine.network(np.eye(3), regulators=["a", 2], top=5).to_pandas()
glycine.distances(np.eye(3), measure=3)
glycine.smooth_bounds(np.eye(3)).uppers
found.run.no
glycine.np  # the package's own import
"""


def test_mypy_knows_what_is_right(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(USE)
    line = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "-p", "glycine", "-m", "use"]
    done = subprocess.run(line, cwd=ROOT / "python", env={"MYPYPATH": str(tmp_path)}, capture_output=True, text=True)
    wrong = [one.split(": error: ") for one in done.stdout.splitlines() if ": error: " in one]
    assert [(place.rsplit("/", 1)[-1], code.split("[")[-1]) for place, code in wrong] == [
        ("use.py:10", "arg-type]"), ("use.py:11", "attr-defined]"), ("use.py:12", "attr-defined]"), ("use.py:13", "attr-defined]"),
    ], done.stdout + done.stderr


BUILD = """
import runpy, setuptools, sys
setup, sys.argv = setuptools.setup, ["setup.py", "-q", "build"]
setuptools.setup = lambda **how: setup(**{**how, "ext_modules": []})  # of Python's files alone
runpy.run_path("setup.py", run_name="__main__")
"""


def test_a_build_carries_no_files_of_an_earlier_one(tmp_path):
    pytest.importorskip("setuptools", minversion="65")
    for name in ("setup.py", "pyproject.toml", "VERSION", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "python/glycine", tmp_path / "python/glycine")
    stale = tmp_path / "build/lib/glycine/_gone.py"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (stale.parent / "_load.py").exists() and not stale.exists()
