#!/usr/bin/env python3
"""Checks that Glycine's packaging agrees with the repository: versions, lists of packages, paths, options.

Usage: scripts/check_packaging.py [--self-test]

Prints one line per fault, "file: what is wrong", and fails if there is any. --self-test plants faults in copies of the files
in memory and checks that each is found. Builds nothing; packaging/check_debian.sh builds and runs the packages.
"""

import os
import re
import subprocess
import sys

import yaml

VERSIONED = ("CITATION.cff", "CHANGELOG.md", "packaging/conda/meta.yaml", "packaging/Dockerfile", "packaging/glycine.def",
             "packaging/nextflow/glycine/distance/main.nf", "packaging/nextflow/glycine/distance/environment.yml",
             "packaging/nextflow/glycine/parts/main.nf")
IMAGES = ("packaging/Dockerfile", "packaging/glycine.def")
BUILD_SCRIPT, INSTALL_SCRIPT = "packaging/build_packages.sh", "packaging/install_packages.sh"

# conda's names for BUILD_PACKAGES in scripts/lib.sh; None: part of the system, of the tests or of the toolchain.
CONDA_NAMES = {
    "libfmt-dev": "fmt", "libcli11-dev": "cli11", "nlohmann-json3-dev": "nlohmann_json", "zlib1g-dev": "zlib",
    "libcairo2-dev": "cairo", "libgraphviz-dev": "graphviz", "pkg-config": "pkg-config", "libopenmpi-dev": "openmpi", "openmpi-bin": None, "libzip-dev": "libzip", "libdeflate-dev": "libdeflate",
    "gemmi-dev": "gemmi", "tao-pegtl-dev": "gemmi", "libhts-dev": "htslib", "libhdf5-dev": "hdf5", "libxxhash-dev": "xxhash",
    "libboost-dev": "libboost-headers", "libeigen3-dev": "eigen", "libglfw3-dev": "glfw", "libglew-dev": "glew", "libopengl-dev": "libopengl-devel",
    "libglm-dev": "glm", "libegl-dev": "libegl-devel", "libgl-dev": "libgl-devel", "cmake": "cmake", "ninja-build": "ninja",
    "libegl1": "libegl", "libimgui-dev": None, "g++": None, "ccache": None, "git": None, "ca-certificates": None, "fonts-dejavu-core": None,
    "libegl-mesa0": None, "libgl1-mesa-dri": None, "libgtest-dev": None, "libgmock-dev": None, "libbenchmark-dev": None,
}
# Packages that the recipe builds from their own sources.
CONDA_SOURCES = {"libcsv-dev": "libcsv", "libkissfft-dev": "kissfft"}


def read_tree():
    """All text files that git knows or would add: path → text."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True,
                            text=True).stdout.split("\n")
    files = {}
    for path in listed:
        if os.path.isfile(path):
            try:
                with open(path, encoding="utf-8") as file:
                    files[path] = file.read()
            except UnicodeDecodeError:
                pass
    return files


def package_list(files, name):
    found = re.search(rf"^{name}=\(([^)]*)\)", files["scripts/lib.sh"], re.MULTILINE)
    return found[1].split() if found else []


def versions_agree(files):
    version = files["VERSION"].strip()
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"VERSION: '{version}' is not three numbers"
        return
    first = re.search(r"^## (\S+?),? ", files["CHANGELOG.md"], re.MULTILINE)
    if not first or first[1] != version:
        yield f"CHANGELOG.md: the newest entry is not of {version}"
    places = {
        "CITATION.cff": r"^version: (\S+)$",
        "packaging/conda/meta.yaml": r'^  version: "(\S+)"$',
        "packaging/Dockerfile": r"glycine:(\d[\d.]*\d)",
        "packaging/glycine.def": r"^    version (\S+)$",
        "packaging/nextflow/glycine/distance/main.nf": r'container "glycine:(\S+)"',
        "packaging/nextflow/glycine/parts/main.nf": r'container "glycine:(\S+)"',
        "packaging/nextflow/glycine/distance/environment.yml": r"glycine=(\S+)$",
    }
    for path, pattern in places.items():
        named = re.findall(pattern, files[path], re.MULTILINE)
        if not named:
            yield f"{path}: names no version"
        for other in named:
            if other != version:
                yield f"{path}: of version {other}; VERSION says {version}"


def tags_agree(files):
    """A tagged commit is a release, and its files must say so. (`tag` replaces git in the self-test.)"""
    tag = files.get("tag")
    if tag is None:
        tag = subprocess.run(["git", "tag", "--points-at", "HEAD", "--list", "v*"], capture_output=True, text=True).stdout
    for name in tag.split():
        if name != "v" + files["VERSION"].strip():
            yield f"VERSION: {files['VERSION'].strip()}, but this commit is tagged {name}"
        if "not yet released" in files["CHANGELOG.md"].split("\n## ")[1]:
            yield f"CHANGELOG.md: the entry of {name} says that it is not yet released"


def yaml_is_valid(files):
    for path, text in files.items():
        # mkdocs.yml refers to Python functions, which the build of scripts/site.py tests.
        if not path.endswith((".yml", ".yaml", ".cff")) or path == "mkdocs.yml":
            continue
        try:
            yaml.safe_load(text)
        except yaml.YAMLError as error:
            yield f"{path}: {' '.join(str(error).split())}"


def images_use_the_scripts(files):
    """Both images use the same two scripts and the same base system, and install nothing on their own."""
    systems = set()
    for path in IMAGES:
        text = files[path]
        systems.update(re.findall(r"^F(?:ROM|rom:) (\S+)", text, re.MULTILINE))
        for script in (BUILD_SCRIPT, INSTALL_SCRIPT):
            if script not in text:
                yield f"{path}: does not use {script}"
        if "apt-get" in text:
            yield f"{path}: installs packages by itself; that is what {INSTALL_SCRIPT} is for"
    if len(systems) != 1:
        yield f"{IMAGES[0]}: the images stand on different systems: {', '.join(sorted(systems))}"


def named_files_exist(files):
    """Paths of this repository in packaging, workflows and their documentation exist."""
    pattern = re.compile(r"(?<![\w./-])((?:packaging|scripts|examples|docs|cmake|\.ci|\.github)/[\w./-]*[\w])")
    for path, text in files.items():
        if not path.startswith(("packaging/", ".github/")) and path not in ("docs/install.md", "CITATION.cff"):
            continue
        for name in sorted(set(pattern.findall(text))):
            if name not in files and not any(other.startswith(name + "/") for other in files):
                yield f"{path}: {name} does not exist"


def workflows_call_the_checks(files):
    runs = []
    for path, text in files.items():
        if not path.startswith(".github/workflows/"):
            continue
        try:
            workflow = yaml.safe_load(text)
        except yaml.YAMLError:
            continue  # said above
        for job in workflow.get("jobs", {}).values():
            runs += [step["run"] for step in job.get("steps", []) if "run" in step]
    if ".ci/run" not in runs:
        yield ".github/workflows/checks.yml: no step runs .ci/run"
    if not any("packaging/build_packages.sh" in run for run in runs):
        yield ".github/workflows/release.yml: no step makes the packages"


def conda_has_what_building_needs(files):
    recipe = files["packaging/conda/meta.yaml"]
    try:
        document = yaml.safe_load(recipe)
    except yaml.YAMLError:
        return  # said above
    named = {word.split()[0] for part in document["requirements"].values() for word in part}
    sources = {source["folder"] for source in document["source"]}
    for package in package_list(files, "BUILD_PACKAGES"):
        if package in CONDA_SOURCES:
            if CONDA_SOURCES[package] not in sources:
                yield f"packaging/conda/meta.yaml: has no source for {package}"
        elif package not in CONDA_NAMES:
            yield f"scripts/check_packaging.py: CONDA_NAMES does not say what {package} is called there"
        elif CONDA_NAMES[package] is not None and CONDA_NAMES[package] not in named:
            yield f"packaging/conda/meta.yaml: lacks {CONDA_NAMES[package]}, which is {package} of BUILD_PACKAGES"
    known = {*CONDA_NAMES.values(), *CONDA_SOURCES.values()}
    for name in sorted(named):
        if not name.startswith("{{") and name not in known:
            yield f"packaging/conda/meta.yaml: {name} is none of BUILD_PACKAGES"


def opengl_packages_agree(files):
    """The drivers in the program's advice are those that the package recommends and that building and testing use."""
    path = "engine/core/system/module.cpp"
    named = set(re.findall(r"libgl1-mesa-\w+", files[path]))
    recommended = re.search(r'GL_PACKAGE_RECOMMENDS "([^"]*)"', files["cmake/Install.cmake"])
    if not named or not recommended:
        yield f"{path}: names no drivers, or cmake/Install.cmake recommends none"
        return
    for package in named:
        if package not in re.split(r",\s*", recommended[1]):
            yield f"cmake/Install.cmake: does not recommend {package}, which {path} installs"
        if package not in package_list(files, "BUILD_PACKAGES"):
            yield f"scripts/lib.sh: BUILD_PACKAGES lacks {package}, which {path} installs"


def development_package_depends(files):
    """The package depends on everything that find_dependency needs for the static library."""
    depends = re.search(r'DEVELOPMENT_PACKAGE_DEPENDS "([^"]*)"', files["cmake/Install.cmake"])
    for package in re.split(r",\s*", depends[1]) if depends else []:
        if package.endswith("-dev") and package not in package_list(files, "BUILD_PACKAGES"):
            yield f"cmake/Install.cmake: libglycine-dev depends on {package}, which building does not use"


def options_exist(files):
    """Command options used in packaging are declared in the sources."""
    declared = set()
    for path, text in files.items():
        if path.startswith(("app/", "engine/")) and path.endswith(".cpp"):
            declared.update(re.findall(r'"(?:-\w,)?(--[a-z][\w-]*)', text))
    declared |= {"--version", "--help"}
    for path, text in files.items():
        if not path.startswith("packaging/"):
            continue
        for line in text.split("\n"):
            # In a line with several commands, only the text after `glycine`.
            for call in re.findall(r"\bglycine (?:bounds|distance|validate|generate|network|align|tree|pairwise|crossapen|mutualinfo|merge)\b([^|;&>\n]*)",
                                   line):
                for option in re.findall(r"(?<=\s)(--[a-z][\w-]*)", call):
                    if option not in declared:
                        yield f"{path}: no command declares {option}"


def scripts_parse(files):
    for path, text in files.items():
        if path.startswith(("packaging/", "scripts/", ".ci/")) and text.startswith("#!/usr/bin/env bash"):
            result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
            if result.returncode:
                yield f"{path}: {result.stderr.strip().splitlines()[0]}"
            if not os.access(path, os.X_OK) and path != "scripts/lib.sh" and os.path.exists(path):
                yield f"{path}: is not executable"


CHECKS = (versions_agree, tags_agree, yaml_is_valid, images_use_the_scripts, named_files_exist, workflows_call_the_checks,
          conda_has_what_building_needs, opengl_packages_agree, development_package_depends, options_exist, scripts_parse)

# (check, file, text, replacement): each must make its check fail.
FAULTS = (
    (versions_agree, "VERSION", "0.", "9."),
    (versions_agree, "VERSION", ".", "-"),
    (versions_agree, "CHANGELOG.md", "\n## ", "\n## 9.9.9, "),
    (tags_agree, "tag", "", "v99.0.0"),
    (yaml_is_valid, "CITATION.cff", "title:", "title: a: b"),
    (yaml_is_valid, ".github/workflows/checks.yml", "jobs:", "jobs: ["),
    (images_use_the_scripts, "packaging/Dockerfile", BUILD_SCRIPT, "make"),
    (images_use_the_scripts, "packaging/glycine.def", "From: debian:bookworm-slim", "From: debian:trixie-slim"),
    (images_use_the_scripts, "packaging/Dockerfile", "WORKDIR", "RUN apt-get install x\nWORKDIR"),
    (named_files_exist, ".github/workflows/checks.yml", ".ci/run", ".ci/go"),
    (named_files_exist, "packaging/Dockerfile", INSTALL_SCRIPT, "packaging/install.sh"),
    (workflows_call_the_checks, ".github/workflows/checks.yml", "run: .ci/run", "run: make"),
    (workflows_call_the_checks, ".github/workflows/release.yml", "packaging/build_packages.sh", "make"),
    (conda_has_what_building_needs, "packaging/conda/meta.yaml", "    - libzip\n", ""),
    (conda_has_what_building_needs, "packaging/conda/meta.yaml", "    - libzip\n", "    - libzip\n    - qt\n"),
    (conda_has_what_building_needs, "scripts/lib.sh", "libzip-dev", "libzip-dev libnew-dev"),
    (opengl_packages_agree, "cmake/Install.cmake", "libgl1-mesa-dri", "libgl1"),
    (opengl_packages_agree, "scripts/lib.sh", "libgl1-mesa-dri", ""),
    (development_package_depends, "cmake/Install.cmake", "libfmt-dev", "libother-dev"),
    (options_exist, "packaging/nextflow/glycine/distance/main.nf", "--threads", "--strands"),
    (options_exist, "packaging/nextflow/glycine/parts/main.nf", "--part ", "--share "),
    (scripts_parse, "packaging/build_packages.sh", "done", "don"),
) + tuple((versions_agree, path, "0.1.0", "0.0.9") for path in VERSIONED)


def self_test(files):
    files = {"tag": "", **files}
    version = files["VERSION"].strip()
    for check, path, what, by in FAULTS:
        text = files[path]
        what = what.replace("0.1.0", version)
        if what not in text:
            sys.exit(f"self-test: {path} has no '{what}' to replace")
        if not list(check({**files, path: text.replace(what, by) if what else by})):
            sys.exit(f"self-test: {check.__name__} does not find '{by}' in {path}")
    print(f"Packaging: {len(FAULTS)} planted faults are found")


def main():
    files = read_tree()
    if sys.argv[1:] == ["--self-test"]:
        return self_test(files)
    faults = [fault for check in CHECKS for fault in check(files)]
    print("\n".join(faults) or f"Packaging: {len(CHECKS)} checks find nothing")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
