"""Builds the extension with CMake, and copies libglycine and its modules next to it.

GLYCINE_BUILD names an existing build folder, which must have been configured with -DGLYCINE_PYTHON=ON or not at all. GLYCINE_BUNDLE=1
also copies linked libraries, except libraries of the system and of drivers: the wheel then runs on machines without them. patchelf
gives the copies unique names, so that they do not clash with libraries of other packages.
"""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
# Libraries that belong to the system, the display or a driver.
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|stdc\+\+|gcc_s|EGL|GL|GLX|GLdispatch|OpenGL))\.so.*")


def needed_by(file):
    """Libraries that a library loads, directly or not, except libraries of the system: name → path."""
    text = subprocess.run(["ldd", file], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.M))
    return {name: path for name, path in found.items() if not OF_THE_SYSTEM.fullmatch(name) and not name.startswith("libglycine")}


def bundle(package, files):
    """Copies the libraries that the files load next to them. A digest of its contents is part of each name."""
    libraries = {name: path for file in files for name, path in needed_by(file).items()}
    # Graphviz looks for its layouts in the folder of its library, which it recognises by "/libgvc.".
    folder = next(pathlib.Path(path).parent for name, path in libraries.items() if name.startswith("libgvc.")) / "graphviz"
    plugins = next(folder.glob("config?*"))
    about = re.search(r"^(libgvplugin_neato_layout\S*) .*?^}\n", plugins.read_text(), re.M | re.S)
    layout = package / "graphviz" / about[1]
    layout.parent.mkdir(exist_ok=True)
    (layout.parent / plugins.name).write_text(about[0])
    shutil.copy(folder / layout.name, layout)
    libraries |= needed_by(folder / layout.name)
    names = {}
    for name, path in libraries.items():
        digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:8]
        names[name] = name.replace(".so", f".{digest}.so", 1)
        shutil.copy(path, package / names[name])
        subprocess.run(["patchelf", "--set-soname", names[name], package / names[name]], check=True)
    for file in [*(package / file.name for file in files), *(package / name for name in names.values()), layout]:
        own = subprocess.run(["patchelf", "--print-needed", file], check=True, capture_output=True, text=True).stdout.split()
        renamed = [part for name in own if name in names for part in ("--replace-needed", name, names[name])]
        # One after the other: patchelf 0.14 loses names that it changes in the same call.
        for change in (renamed, ["--force-rpath", "--set-rpath", "$ORIGIN:$ORIGIN/.."]):
            if change:
                subprocess.run(["patchelf", *change, file], check=True)


class FreshBuild(build):
    def run(self):
        # A wheel carries all that is in this folder, and so files that an earlier build left there.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


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
            bundle(package, copied)


version = (ROOT / "VERSION").read_text().strip()
setup(version=version, ext_modules=[Extension("glycine._glycine", [])], cmdclass={"build": FreshBuild, "build_ext": BuildByCMake})
