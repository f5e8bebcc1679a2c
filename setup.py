"""Builds the extension by CMake, and puts libglycine and its modules beside it.

GLYCINE_BUILD names a build folder to use again, with -DGLYCINE_PYTHON=ON or not configured yet; GLYCINE_BUNDLE=1 also copies the
libraries that these link, but for the system's own and those of drivers, so that the wheel runs on a machine without them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
# What every Linux has in a version of its own, and what belongs to displays and drivers.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|stdc\+\+|gcc_s|EGL|GL|GLX|GLdispatch|OpenGL))\.so.*")


class BuildByCMake(build_ext):
    def run(self):
        build = pathlib.Path(os.environ.get("GLYCINE_BUILD") or pathlib.Path(self.build_temp).resolve() / "cmake")
        preset = [] if (build / "CMakeCache.txt").exists() else ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DGLYCINE_WITH_TESTS=OFF"]
        subprocess.run(["cmake", "-S", ROOT, "-B", build, *preset, "-DGLYCINE_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "glycine_python"], check=True)
        package = pathlib.Path(self.get_ext_fullpath("glycine._glycine")).parent
        package.mkdir(parents=True, exist_ok=True)
        # A library goes by the name that is loaded.
        libraries = [file for file in (build / "lib").iterdir() if re.fullmatch(r"libglycine(-\w+\.so|\.so\.\d+\.\d+)", file.name)]
        copied = [*(build / "python/glycine").glob("_glycine.*.so"), *libraries]
        for file in copied:
            shutil.copy(file, package / file.name)
        if os.environ.get("GLYCINE_BUNDLE"):
            needed = "".join(subprocess.run(["ldd", file], capture_output=True, text=True).stdout for file in copied)
            for name, path in re.findall(r"^\s*(\S+) => (/\S+)", needed, re.M):
                if not OF_THE_SYSTEM.fullmatch(name) and not name.startswith("libglycine"):
                    shutil.copy(path, package / name)


version = (ROOT / "VERSION").read_text().strip()
setup(version=version, ext_modules=[Extension("glycine._glycine", [])], cmdclass={"build_ext": BuildByCMake})
