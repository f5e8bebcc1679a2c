#!/usr/bin/env python3
"""Checks project rules that no compiler checks (docs/architecture.md lists them).

Usage: scripts/check_rules.py [--self-test]

Prints one line per violation, "file:line: what is wrong", and fails if there is any. --self-test plants every violation in
a small made-up tree and checks that it is found.
"""

import fnmatch
import os
import re
import subprocess
import sys
from collections import defaultdict

SOURCES = (".cpp", ".hpp", ".cu", ".cuh")

# Folders that every algorithm may use.
BELOW_ALGORITHMS = ("engine/core/", "engine/gl/framework/", "engine/gl/pairs/", "engine/gl/structure/", "engine/layout/", "engine/pairs/",
                    "engine/sequences/", "engine/structure/", "engine/trees/", "engine/statistics/", "engine/storage/", "engine/picture/",
                    "engine/io/", "engine/command/", "engine/study/",
                    "kernels_cuda/device/", "kernels_cuda/pairs/", "kernels_cuda/structure/", "kernels_cuda/trees/")

# Files that may include third-party libraries: libraries that are slow to compile or replaceable stay in few files.
INCLUDED_BY = {
    r"CLI/": ("engine/command/*", "app/*"),
    r"gemmi/": ("engine/io/structures/gemmi_reader.cpp", "engine/io/restraints/star_tables.cpp"),
    r"htslib/": ("engine/io/hts/*",),
    r"zip\.h": ("engine/io/zip/*",),
    r"hdf5\.h": ("engine/io/hdf5/*",),
    r"Eigen/": ("engine/mutualinfo/network/information_null.cpp", "engine/mutualinfo/network/partial_correlation.cpp",
                 "engine/statistics/principal_coordinates.cpp", "engine/structure/ensemble.cpp"),
    r"cairo/": ("engine/picture/cairo/*",),
    r"graphviz": ("engine/picture/cairo/*",),
    r"nlohmann/": ("engine/io/text/json*.hpp",),
    r"GL/|EGL/|GLFW/": ("engine/gl/framework/*", "engine/gl/view/window.cpp"),
    r"imgui|backends/imgui": ("engine/gl/view/window.cpp",),
    r"cuda|cublas": ("kernels_cuda/*",),
    r"dlfcn\.h|sched\.h|sys/sysinfo\.h|linux/": ("engine/core/system/*",),
}

# Where backends may be created: in the harness and in the command's choice of a default for all algorithms, ... (A problem creates
# its reference: create("reference", …) is allowed everywhere.)
MAKES_BACKENDS = ("engine/study/*", "engine/command/*", "engine/core/*", "engine/gl/framework/gl_backend.cpp", "kernels_cuda/device/*")
# ... and where a backend is part of the computation.
MAKES_ITS_OWN_BACKENDS = {
    # compares data of two devices of one machine, without the host in between
    "kernels_cuda/bounds/device_comparison.cpp": {"GlBackend", "CudaBackend"},
    # the processor searches indirect paths that the information's backend does not
    "engine/mutualinfo/network/path_engine.cpp": {"BackendRegistry"},
}

# An algorithm may include one that it builds on, but not the reverse: multiple alignments begin with pairwise alignments.
STANDS_ON = {"alignment": ("pairwise",)}

STUDY_LINES = 730
# One subject covers three methods.
STUDY_LINES_OF = {"alignment": 1100}

MUTATIONS = "scripts/mutations.txt"

CODE = ("engine", "kernels_cuda", "app", "mpi", "python", "shaders", "bench", "cmake", "scripts", "packaging", ".ci/run", "tests")
# Pages that name files, types and functions of the code, ...
PAGES = ("CONTRIBUTING.md", "docs/architecture.md", "docs/variants.md", "docs/backends.md", "docs/testing.md")
# ... and names there that are no code's.
NAMES_OF_NOTHING = {"CamelCase", "camelCase", "kCamelCase", "verb_noun.frag"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def read_tree():
    """All files that git tracks or would add: path → text."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *CODE, *PAGES],
        check=True, capture_output=True, text=True).stdout.split("\n")
    files = {}
    for path in listed:
        if path.endswith((*SOURCES, ".frag", ".glsl", ".md", ".py", ".sh", "CMakeLists.txt", ".ci/run")) and os.path.exists(path):
            files[path] = text_of(path)
    files[MUTATIONS] = text_of(MUTATIONS)
    return files


def text_of(path):
    """The file's text; empty if it does not exist."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def includes(text):
    """(line, form, included file) of a source."""
    for number, line in enumerate(text.split("\n"), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1], found[2]


def folder(path):
    return path.rsplit("/", 1)[0]


def algorithms_of(files):
    """The algorithms that engine/CMakeLists.txt lists."""
    found = re.search(r"set\(algorithms ([^)]*)\)", files.get("engine/CMakeLists.txt", ""))
    return found[1].split() if found else []


def algorithm_of(path, algorithms):
    found = re.match(r"(?:engine/gl|engine|app|kernels_cuda)/([^/]+)/", path)
    return found[1] if found and found[1] in algorithms else None


# ---- the libraries of engine/CMakeLists.txt -------------------------------------------------------------------------


class Libraries:
    """Maps files to libraries: those of engine/CMakeLists.txt in their order, then the commands."""

    def __init__(self, files):
        self.names = []
        self.patterns = []  # (pattern of folders, index); what is named later wins
        text = files.get("engine/CMakeLists.txt", "")
        for found in re.finditer(r"glycine_sources\(\s*sources\s+([^)]*)\)|glycine_library\(\s*(\w+)", text):
            if found[2]:
                self.names.append(found[2])
            elif not found[1].startswith("gl "):  # a backend: see BACKENDS
                index = len(self.names)
                for pattern in found[1].split():
                    self.patterns += [("engine/" + "/".join(name if part == "X" else part for part in pattern.split("/")), index)
                                      for name in algorithms_of(files)]
        self.names.append("glycine_app")
        self.patterns += [("app/*", len(self.names) - 1), ("app", len(self.names) - 1)]

    def index(self, path):
        """The library's index; None if no library contains the folder."""
        result = None
        parts = folder(path).split("/")
        for pattern, index in self.patterns:
            wanted = pattern.split("/")
            if len(wanted) == len(parts) and all(map(fnmatch.fnmatchcase, parts, wanted)):
                result = index
        return result


# Modules may include libglycine, themselves and the folder of the static library that loads them; only tests include them.
BACKENDS = ("engine/gl/", "kernels_cuda/")
LOADED_FROM = {"engine/picture/cairo/": "engine/picture/", "engine/io/hdf5/": "engine/io/arrays/",
               "engine/io/zip/": "engine/io/arrays/"}
MODULES = (*BACKENDS, *LOADED_FROM)


def modules_stand_alone(files):
    libraries = Libraries(files)
    for path, text in files.items():
        if not path.startswith(("engine/", "kernels_cuda/", "app/")) or not path.endswith(SOURCES):
            continue
        own = next((module for module in MODULES if path.startswith(module)), None)
        for line, form, included in includes(text):
            other = next((module for module in MODULES if included.startswith(module)), None)
            if form == '"' and other is not None and other != own:
                yield f"{path}:{line}: includes {included} of a module, which is loaded when the program runs"
            elif form == '"' and own is not None and other is None and (libraries.index(included) or 0) > 0 and folder(included) + "/" != LOADED_FROM.get(own):
                yield f"{path}:{line}: includes {included} of {libraries.names[libraries.index(included)]}; modules know libglycine alone"


def libraries_include_those_below(files):
    libraries = Libraries(files)
    for path, text in files.items():
        if not path.startswith("engine/") or path.startswith(BACKENDS) or not path.endswith(SOURCES):
            continue
        own = libraries.index(path)
        if own is None:
            yield f"{path}:1: belongs to no library of engine/CMakeLists.txt"
            continue
        for line, form, included in includes(text):
            if form != '"' or not included.startswith(("engine/", "app/")):
                continue
            other = libraries.index(included)
            if other is not None and other > own:
                yield (f"{path}:{line}: {libraries.names[own]} includes {included} of {libraries.names[other]}, "
                       "which stands above it")


def headers_have_names_of_their_own(files):
    """Excludes app/X, where each algorithm has its own commands.hpp."""
    libraries = Libraries(files)
    first = {}
    for path in sorted(files):
        if not path.endswith((".hpp", ".cuh")) or not path.startswith(("engine/", "kernels_cuda/")):
            continue
        key = (libraries.index(path), os.path.basename(path))
        if key in first:
            yield f"{path}:1: has the name of {first[key]}, a header of the same library"
        first.setdefault(key, path)


# ---- dependencies ---------------------------------------------------------------------------------------------------


def algorithms_do_not_know_each_other(files):
    algorithms = algorithms_of(files)
    for path, text in files.items():
        own = algorithm_of(path, algorithms)
        if own is None:
            continue
        for line, _, included in includes(text):
            other = algorithm_of(included, algorithms)
            if other is not None and other != own and other not in STANDS_ON.get(own, ()):
                yield f"{path}:{line}: {own} includes {included} of {other}"


def nothing_below_knows_algorithms(files):
    algorithms = algorithms_of(files)
    for path, text in files.items():
        if path.startswith(BELOW_ALGORITHMS):
            for line, _, included in includes(text):
                if algorithm_of(included, algorithms) is not None:
                    yield f"{path}:{line}: includes {included}, but stands below all algorithms"


def others_are_included_by_few(files):
    for path, text in files.items():
        if path.startswith("tests/"):
            continue
        for line, form, included in includes(text):
            for header, allowed in INCLUDED_BY.items():
                if form != "<" or not re.match(header, included):
                    continue
                if not any(fnmatch.fnmatchcase(path, pattern) for pattern in allowed):
                    yield f"{path}:{line}: includes <{included}>, which only {', '.join(allowed)} may"


def linux_has_one_room(files):
    """Only engine/core/system and mpi may contain Linux-specific code: paths below /proc and /sys, in strings."""
    for path, text in files.items():
        if path.startswith(("tests/", "engine/core/system/", "mpi/")) or not path.endswith(SOURCES):
            continue
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            if re.search(r"\b(timer_create|sched_\w+|dlopen|dlsym)\s*\(", line):
                yield f"{path}:{number}: calls what is Linux's own; that is for engine/core/system"
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r'^(?!\s*//).*"/?(proc|sys)/', line):
                yield f"{path}:{number}: names a path of Linux; that is for engine/core/system"


def only_the_harness_makes_backends(files):
    made = re.compile(r"\b(BackendPool)\b|\b(BackendRegistry)::instance\(\)\s*\.\s*create\b(?!\(\"reference\")"
                      r"|\bmake_unique<(?:\w+::)*(\w+Backend)>|\b(HostBackend|GlBackend|CudaBackend)\s+\w+\s*[({]")
    for path, text in files.items():
        if not path.startswith(("engine/", "kernels_cuda/")) or any(fnmatch.fnmatchcase(path, pattern) for pattern in MAKES_BACKENDS):
            continue
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            for found in made.finditer(line):
                what = next(filter(None, found.groups()))
                if what not in MAKES_ITS_OWN_BACKENDS.get(path, ()):
                    yield f"{path}:{number}: makes a backend ({what}); the harness chooses backends"


def backends_compute_without_the_reference(files):
    for path, text in files.items():
        if not re.match(r"engine/[^/]+/cpu/|engine/gl/|kernels_cuda/", path):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if (found := INCLUDE.match(line)) and "/reference/" in found[2]:
                yield f"{path}:{number}: includes {found[2]}; the reference is compared with nothing that calls it"


def pages_name_what_exists(files):
    name_of_code = re.compile(r"(?:\w+::)*([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+|k[A-Z]\w+)(?:[(<].*)?")
    words = {word for path, text in files.items() if path not in PAGES for word in re.findall(r"\w+", text)}
    for page in PAGES:
        text = re.sub(r"```.*?```", lambda code: "\n" * code[0].count("\n"), files.get(page, ""), flags=re.S)
        for quoted in re.finditer(r"`([^`\n]+)`", text):
            if quoted[1] in NAMES_OF_NOTHING:
                continue
            where = f"{page}:{text.count(chr(10), 0, quoted.start()) + 1}"
            if re.fullmatch(r"[\w./-]+\.(hpp|cpp|cuh?|frag|glsl)", quoted[1]) and "X" not in quoted[1]:
                if not any(("/" + path).endswith("/" + quoted[1]) for path in files):
                    yield f"{where}: no file {quoted[1]}"
            elif (name := name_of_code.fullmatch(quoted[1])) and name[1] not in words:
                yield f"{where}: nothing in the code is called {name[1]}"


def studies_stay_small(files):
    lines = defaultdict(int)
    for path, text in files.items():
        found = re.match(r"engine/([^/]+)/study/", path)
        if found and path.endswith(SOURCES):
            lines[found[1]] += text.count("\n")
    for folder, count in sorted(lines.items()):
        most = STUDY_LINES_OF.get(folder, STUDY_LINES)
        if count > most:
            yield f"engine/{folder}/study:1: {count} lines for studies; {most} at most"


# ---- two definitions of one qualified class name --------------------------------------------------------------------

NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.S | re.M)
TOKEN = re.compile(r"[A-Za-z_]\w*|::|\[\[.*?\]\]|[{}()<>;:,=~]", re.S)


def blank(found):
    """Replaces a match by its line breaks, so that line numbers stay the same."""
    return " " + "\n" * found[0].count("\n")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)


def defined_classes(path, text):
    """(line, qualified name) of classes, structs, unions and enumerations defined at namespace or class scope. Names in an
    anonymous namespace begin with the file's name."""
    code = NOT_CODE.sub(blank, text)
    tokens = [(found[0], found.start()) for found in TOKEN.finditer(code)]
    scopes = []  # names, None for blocks in which nothing is looked for
    at = 0

    def token(index):
        return tokens[index][0] if index < len(tokens) else ""

    def skip_angles(index):
        """The index after the <…> that begins at `index`."""
        depth = 0
        while index < len(tokens):
            depth += {"<": 1, ">": -1}.get(token(index), 0)
            index += 1
            if depth == 0:
                return index
            if token(index - 1) in (";", "{", "}"):
                break
        return index

    while at < len(tokens):
        word, place = tokens[at]
        if word == "}":
            if scopes:
                scopes.pop()
            at += 1
        elif word == "{":
            scopes.append(None)
            at += 1
        elif word == "namespace" and None not in scopes:
            end = at + 1
            names = []
            while token(end) not in ("{", ";", "=", ""):
                if re.match(r"[A-Za-z_]", token(end)) and token(end) != "inline":
                    names.append(token(end))
                end += 1
            if token(end) == "{":
                scopes.append("::".join(names) if names else f"({path})")
                end += 1
            at = end
        elif word in ("class", "struct", "union", "enum") and None not in scopes and token(at - 1) not in ("<", ",", "friend"):
            end = at + 1
            if word == "enum" and token(end) in ("class", "struct"):
                end += 1
            name = ""
            while True:
                if token(end).startswith("[["):
                    end += 1
                elif token(end) == "alignas":
                    while token(end) not in (")", ""):
                        end += 1
                    end += 1
                elif token(end) == "<" and name:
                    behind = skip_angles(end)
                    name += re.sub(r"\s+", "", code[tokens[end][1]:tokens[behind - 1][1] + 1])
                    end = behind
                elif token(end) == "::":
                    name += "::"
                    end += 1
                elif re.match(r"[A-Za-z_]", token(end)) and token(end) != "final":
                    name = name + token(end) if name.endswith("::") or not name else token(end)
                    end += 1
                else:
                    break
            if token(end) == "final":
                end += 1
            if token(end) == ":":  # bases, or the type below an enumeration
                while token(end) not in ("{", ";", ")", ""):
                    end += 1
            if token(end) == "{" and name:
                yield code.count("\n", 0, place) + 1, "::".join([scope for scope in scopes if scope] + [name])
                scopes.append(name)
                end += 1
            elif token(end) == "{":
                scopes.append(None)
                end += 1
            at = end
        else:
            at += 1


def classes_are_defined_once(files):
    """Checks the libraries, and each test together with them."""
    places = defaultdict(dict)  # name → file → line
    for path in sorted(files):
        if path.endswith(SOURCES):
            for line, name in defined_classes(path, files[path]):
                places[name].setdefault(path, line)
    for name, found in places.items():
        ours = [path for path in found if not path.startswith("tests/")]
        others = [path for path in found if path.startswith("tests/")]
        if ours:
            for path in ours[1:] + others:
                yield f"{path}:{found[path]}: defines {name} a second time; {ours[0]}:{found[ours[0]]} does, too"


# for (… : f()[…]): the result of f is destroyed before the first iteration.
DANGLING_RANGE = re.compile(r"\bfor \([^;:]*[^:]:[^:;][^;]*\)\[[^\]]*\]\)")


def ranges_outlive_their_loops(files):
    for path, text in files.items():
        if not path.endswith(SOURCES):
            continue
        for number, line in enumerate(without_comments(text).split("\n"), 1):
            if DANGLING_RANGE.search(line):
                yield f"{path}:{number}: loops over a part of what a call returns, which is gone by then; name that first"


def readers_read_to_the_end(files):
    """grep -q is gone after its first match, and a program that goes on writing then fails, as does the pipe (pipefail)."""
    for path, text in files.items():
        if not path.endswith((".sh", ".ci/run")):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\| *grep -\w*q", line):
                yield f"{path}:{number}: grep -q at the end of a pipe, whose writer may fail then; write grep … >/dev/null"


def faults_can_be_planted(files):
    """Each pattern of scripts/mutate.sh occurs exactly once."""
    entry = []
    for number, line in enumerate(files[MUTATIONS].split("\n") + [""], 1):
        if line and not line.startswith("#"):
            entry.append(line)
        elif not line and entry:
            where = f"{MUTATIONS}:{number - len(entry)}"
            if len(entry) != 4:
                yield f"{where}: {len(entry)} lines; expected file, pattern, replacement, tests"
            elif (text := text_of(entry[0])) is None:
                yield f"{where}: there is no {entry[0]}"
            elif (times := text.count(entry[1])) != 1:
                yield f"{where}: {entry[0]} holds this {times} times: {entry[1].strip()}"
            entry = []


RULES = (
    modules_stand_alone,
    libraries_include_those_below,
    headers_have_names_of_their_own,
    algorithms_do_not_know_each_other,
    nothing_below_knows_algorithms,
    others_are_included_by_few,
    linux_has_one_room,
    only_the_harness_makes_backends,
    backends_compute_without_the_reference,
    pages_name_what_exists,
    studies_stay_small,
    classes_are_defined_once,
    ranges_outlive_their_loops,
    readers_read_to_the_end,
    faults_can_be_planted,
)


# ---- self-test ------------------------------------------------------------------------------------------------------

MADE_UP = {
    "engine/CMakeLists.txt": """
        set(algorithms alignment bounds pairwise)
        glycine_sources(
            sources core pairs pairs/* X
        )
        glycine_library(glycine SOURCES ${sources})
        glycine_sources(sources gl gl/framework gl/X)
        glycine_backend(gl SOURCES ${sources})
        glycine_sources(sources io/* pairs/files X/input)
        glycine_library(glycine_io SOURCES ${sources} DEPENDS glycine)
        glycine_sources(sources command)
        glycine_library(glycine_command SOURCES ${sources})
        glycine_sources(sources study X/study)
        glycine_library(
            glycine_study SOURCES ${sources})""",
    "engine/core/error.hpp": "namespace glycine {\nclass Error {};\n}\n",
    "engine/pairs/tile.hpp": "namespace glycine::pairs {\nstruct Tile {};\n}\n",
    "engine/pairs/files/tile_file.cpp": '#include "engine/io/text/table.hpp"\n',
    "engine/io/text/table.hpp": '#include "engine/core/error.hpp"\nnamespace glycine { class Table; }\n',
    "engine/io/structures/gemmi_reader.cpp": "#include <gemmi/cif.hpp>\n",
    "engine/command/options.hpp": "#include <CLI/CLI.hpp>\n",
    "engine/bounds/bounds.hpp": '#include "engine/pairs/tile.hpp"\nnamespace glycine::bounds { struct Report {}; }\n',
    "engine/alignment/align.hpp": "namespace glycine::align { struct Report { enum class Kind { A }; }; }\n",
    "engine/pairwise/pairwise.hpp": '#include "engine/pairs/tile.hpp"\n',
    "engine/alignment/align_pairs.cpp": '#include "engine/pairwise/pairwise.hpp"\n',
    "engine/bounds/study/bounds_subject.cpp": "// BackendPool\n" + "int line;\n" * (STUDY_LINES - 1),
    "engine/study/harness.cpp": "namespace glycine { BackendPool slot; }\n",
    "engine/alignment/align_problem.cpp": 'auto b = BackendRegistry::instance().create("reference", {});\n',
    # Looks like a second definition, but is none.
    "engine/gl/framework/pass.hpp": """
        namespace glycine::gl {
        class Pass;
        struct Tile { struct Edge { int at; } edge; };
        template <class T, class Table> struct Trait;
        template <> struct Trait<int, Pass> {};
        template <class T> class Trait<T, Pass> final : public std::vector<T> {};
        enum class Kind : unsigned char;
        inline const char* text = "class Error {";  // class Error {
        namespace { struct Helper {}; }
        inline void draw(struct Pass* pass) { struct Error {}; }
        }""",
    "engine/gl/framework/pass.cpp": "namespace glycine::gl { namespace { struct Helper {}; } class Pass {}; Tile::Edge edge{}; }\n",
    "tests/gl/pass_test.cpp": "namespace glycine::gl { struct Fixture {}; }\n",
    "tests/gl/draw_test.cpp": "namespace glycine::gl { struct Fixture {}; }\n",
    MUTATIONS: "# a comment\nengine/core/error.hpp\nclass Error\nclass Mistake\nerror_test\n",
}

PLANTED = (
    (modules_stand_alone, "engine/bounds/stray.cpp", '#include "engine/gl/framework/pass.hpp"\n'),
    (modules_stand_alone, "app/stray.cpp", '#include "kernels_cuda/device/cuda_backend.hpp"\n'),
    (modules_stand_alone, "engine/picture/stray.cpp", '#include "engine/picture/cairo/graph_layout.hpp"\n'),
    (modules_stand_alone, "engine/io/hdf5/stray.cpp", '#include "engine/command/options.hpp"\n'),
    (modules_stand_alone, "engine/gl/bounds/stray.cpp", '#include "kernels_cuda/device/cuda_backend.hpp"\n'),
    (modules_stand_alone, "kernels_cuda/bounds/stray.cpp", '#include "engine/io/text/table.hpp"\n'),
    (libraries_include_those_below, "engine/core/stray.cpp", '#include "engine/io/text/table.hpp"\n'),
    (libraries_include_those_below, "engine/pairs/stray.cpp", '#include "engine/pairs/files/tile_file.hpp"\n'),
    (libraries_include_those_below, "engine/bounds/input/stray.cpp", '#include "engine/study/harness.hpp"\n'),
    (libraries_include_those_below, "engine/attic/stray.cpp", ""),
    (headers_have_names_of_their_own, "engine/pairs/error.hpp", ""),
    (algorithms_do_not_know_each_other, "engine/gl/alignment/stray.cpp", '#include "engine/bounds/bounds.hpp"\n'),
    (algorithms_do_not_know_each_other, "engine/pairwise/stray.cpp", '#include "engine/alignment/align.hpp"\n'),
    (algorithms_do_not_know_each_other, "app/alignment/stray.cpp", '#include "app/bounds/commands.hpp"\n'),
    (algorithms_do_not_know_each_other, "kernels_cuda/alignment/stray.cu", '#include "kernels_cuda/bounds/device_smoothing.hpp"\n'),
    (nothing_below_knows_algorithms, "engine/study/stray.cpp", '#include "engine/bounds/bounds.hpp"\n'),
    (nothing_below_knows_algorithms, "kernels_cuda/device/stray.cpp", '#include "engine/bounds/bounds.hpp"\n'),
    (nothing_below_knows_algorithms, "engine/structure/cpu/stray.cpp", '#include "engine/bounds/bounds.hpp"\n'),
    (nothing_below_knows_algorithms, "engine/gl/structure/stray.cpp", '#include "engine/bounds/bounds.hpp"\n'),
    (nothing_below_knows_algorithms, "kernels_cuda/structure/stray.cu", '#include "kernels_cuda/bounds/bounds_kernels.hpp"\n'),
    (others_are_included_by_few, "engine/bounds/study/stray.cpp", "#include <CLI/CLI.hpp>\n"),
    (others_are_included_by_few, "engine/io/structures/stray.cpp", "#  include <gemmi/pdb.hpp>\n"),
    (others_are_included_by_few, "engine/io/text/stray.cpp", "#include <htslib/bgzf.h>\n"),
    (others_are_included_by_few, "engine/io/text/stray.cpp", "#include <zip.h>\n"),
    (others_are_included_by_few, "engine/io/expression/stray.cpp", "#include <hdf5.h>\n"),
    (others_are_included_by_few, "engine/bounds/stray.cpp", "#include <cairo/cairo.h>\n"),
    (others_are_included_by_few, "engine/picture/stray.cpp", "#include <graphviz/gvc.h>\n"),
    (others_are_included_by_few, "engine/bounds/stray.cpp", "#include <GL/gl.h>\n"),
    (others_are_included_by_few, "engine/study/stray.cpp", "#include <sched.h>\n"),
    (linux_has_one_room, "engine/study/stray.cpp", 'std::ifstream file("/proc/stat");\n'),
    (linux_has_one_room, "kernels_cuda/device/stray.cpp", "void* library = dlopen(name, 1);\n"),
    (only_the_harness_makes_backends, "engine/bounds/study/stray.cpp", "void f() { BackendPool slot({}); }\n"),
    (only_the_harness_makes_backends, "engine/bounds/stray.cpp",
     'auto b = BackendRegistry::instance().create("gl", {});\n'),
    (only_the_harness_makes_backends, "engine/gl/bounds/stray.cpp", "glycine::gl::GlBackend backend{options};\n"),
    (only_the_harness_makes_backends, "kernels_cuda/bounds/stray.cpp", "CudaBackend backend(options);\n"),
    (backends_compute_without_the_reference, "engine/bounds/cpu/stray.cpp", '#include "engine/bounds/reference/serial.hpp"\n'),
    (backends_compute_without_the_reference, "kernels_cuda/bounds/stray.cpp", '#include "engine/bounds/reference/serial.hpp"\n'),
    (pages_name_what_exists, "docs/architecture.md", "`TileThatIsNot` holds one.\n"),
    (pages_name_what_exists, "docs/architecture.md", "See `engine/pairs/tiles.hpp`.\n"),
    (studies_stay_small, "engine/bounds/study/stray.cpp", "int line;\n"),
    (classes_are_defined_once, "engine/pairs/stray.cpp", "namespace glycine { namespace pairs { struct Tile {}; } }\n"),
    (classes_are_defined_once, "engine/gl/framework/stray.cpp", "namespace glycine::gl {\nclass [[nodiscard]] Pass final : Base {\n};\n}\n"),
    (classes_are_defined_once, "engine/gl/framework/stray.cpp", "namespace glycine::gl { enum class Tile : int { A }; }\n"),
    (classes_are_defined_once, "engine/gl/framework/stray.cpp", "namespace glycine::gl { template <> struct Trait<int, Pass> {}; }\n"),
    (classes_are_defined_once, "engine/gl/framework/stray.cpp", "namespace glycine::align { struct Report::Kind { }; }\n"),
    (classes_are_defined_once, "tests/core/stray_test.cpp", "namespace glycine {\nclass Error {};\n}\n"),
    (ranges_outlive_their_loops, "tests/core/loop_test.cpp", "for (const Json& row : read(text).json()[\"rows\"]) {\n"),
    (readers_read_to_the_end, "scripts/stray.sh", "if glycine list | grep -q gl; then\n"),
    (faults_can_be_planted, MUTATIONS, "engine/core/error.hpp\nclass Errors\nclass Mistake\nerror_test\n"),
    (faults_can_be_planted, MUTATIONS, "engine/core/error.hpp\ne\nclass Mistake\nerror_test\n"),
    (faults_can_be_planted, MUTATIONS, "engine/core/none.hpp\nclass Error\nclass Mistake\nerror_test\n"),
    (faults_can_be_planted, MUTATIONS, "engine/core/error.hpp\nclass Error\nclass Mistake\n"),
)


def self_test():
    failures = [f"the clean tree: {violation}" for rule in RULES for violation in rule(MADE_UP)]
    for rule, path, text in PLANTED:
        found = list(rule({**MADE_UP, path: text}))
        where = folder(path) if rule is studies_stay_small else path
        if not any(where in violation for violation in found):
            failures.append(f"{rule.__name__} does not find {text.strip()!r} in {path}: {found}")
    untested = set(RULES) - {rule for rule, _, _ in PLANTED}
    failures += [f"nothing is planted for {rule.__name__}" for rule in untested]
    return failures


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    if sys.argv[1:] == ["--self-test"]:
        violations = self_test()
        done = f"Rules: all of {len(PLANTED)} planted violations are found"
    elif not sys.argv[1:]:
        files = read_tree()
        violations = [violation for rule in RULES for violation in rule(files)]
        done = f"Rules: {len(files)} files keep all {len(RULES)}"
    else:
        sys.exit(__doc__)
    for violation in violations:
        print(violation)
    if violations:
        sys.exit(1)
    print(done)


if __name__ == "__main__":
    main()
