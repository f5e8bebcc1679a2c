"""One case of the fuzzer: a folder, random numbers, runs of the program, and the checks of every run."""

import hashlib
import json
import math
import os
import random
import re
import resource
import shlex
import signal
import subprocess

HANG_SECONDS = 120
MEGABYTE = 1 << 20

# Spinning threads would slow down parallel cases. Mesa draws in the calling thread.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "LP_NUM_THREADS": "0", "GALLIVM_PERF": "nopt", "LC_ALL": "C.UTF-8"}


class Failure(Exception):
    """The program did something wrong."""

    def __init__(self, what, expected, found):
        super().__init__(what)
        self.what, self.expected, self.found = what, expected, found


class Refused(Exception):
    """A backend refused an input that others accept: counted, but not a failure."""


class Result:
    def __init__(self, status, out, err, arguments):
        self.status, self.out, self.err, self.arguments = status, out, err, arguments

    @property
    def text(self):
        return self.out.decode("utf-8")

    def report(self):
        return parse_json(self.text)


def parse_json(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failure("the JSON output cannot be parsed", "one JSON object", f"{error}: {text[:300]!r}") from error


def fingerprint(path):
    if os.path.islink(path):
        return "link to " + os.readlink(path)
    if not os.path.isfile(path):
        return "special file"
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def control_characters(text):
    """Control characters that affect a terminal: C0 except tab and line feed, DEL and C1."""
    return sorted({repr(c) for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160})


def accompanying(output):
    """Files that may stand next to an output."""
    stem = output.rsplit(".", 1)[0]
    return {output, output + ".names", output.removesuffix(".bin") + ".id", stem + ".nwk", stem + ".order.tsv"}


class Case:
    def __init__(self, settings, command, seed, number, folder):
        self.settings, self.command, self.seed, self.number, self.folder = settings, command, seed, number, folder
        self.random = random.Random(f"{command} {seed} {number}")
        self.commands = []
        self.results_checked = 0
        os.makedirs(os.path.join(folder, "tmp"))

    # Random choices

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def size(self, least, most):
        """Mostly small, sometimes up to the largest."""
        return min(most, least + int((most - least + 1) * self.random.random() ** 2))

    # Files

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        if isinstance(data, str):
            data = data.encode("utf-8")
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def read_text(self, name):
        data = self.read(name)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Failure(f"{name} is not UTF-8", "UTF-8", str(error)) from error

    def remove(self, *names):
        for name in names:
            for path in accompanying(name):
                if os.path.lexists(self.path(path)):
                    os.remove(self.path(path))

    def files(self):
        """Every file below the folder of the case: name → value that reveals changes."""
        found = {}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.folder)] = fingerprint(path)
        return found

    # Runs

    def start(self, arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, memory=None, file_size=None):
        def limits():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if memory:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            if file_size is not None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))

        environment = {**os.environ, **ENVIRONMENT, "TMPDIR": self.path("tmp")}
        shown = shlex.join([self.settings.program, *arguments])
        prefix = f"ulimit -v {memory // 1024}; " if memory else ""
        if file_size is not None:
            prefix += f"trap '' XFSZ; ulimit -f {file_size // 1024}; "
        self.commands.append(prefix + shown)
        return subprocess.Popen([self.settings.program, *arguments], cwd=self.folder, env=environment, stdin=stdin, stdout=stdout,
                                stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limits)

    def finish(self, process, arguments, given=None):
        try:
            out, err = process.communicate(given, timeout=self.settings.hang_seconds or HANG_SECONDS)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failure("the program hangs", f"an end within {HANG_SECONDS} s", "none") from error
        if process.returncode < 0:
            name = signal.Signals(-process.returncode).name
            raise Failure("the program was ended by a signal", "an exit code of 0, 1, 2 or 130",
                          f"{name}; {err.decode('utf-8', 'replace')[-500:]}")
        return Result(process.returncode, out or b"", err, arguments)

    def run(self, *arguments, outputs=(), accepted=(0,), given=None, stdin=None, memory=None, file_size=None, leaves=False,
            loose=(), raw_out=False, resumes=False, loader=False, several_lines=False):
        """Runs the program and makes the checks of every run.

        outputs: files that must exist afterwards if, and only if, the exit code is 0. accepted: exit codes. given: standard input,
        through a pipe. stdin: an open file as standard input. leaves: working files may be kept for another run. loose: files
        that may or may not be written. raw_out: standard output contains results, with any characters. resumes: the run may
        remove an earlier run's working files. loader: there may be too little memory to start the program. several_lines:
        libraries may print messages, too.
        """
        arguments = [str(argument) for argument in arguments]
        before = self.files()
        source = subprocess.PIPE if given is not None else subprocess.DEVNULL if stdin is None else stdin
        process = self.start(arguments, stdin=source, memory=memory, file_size=file_size)
        if given is not None:
            self.commands[-1] += f" < (a pipe of {len(given)} bytes)"
        result = self.finish(process, arguments, given)
        if loader and result.status == 127 and b"error while loading shared libraries" in result.err:
            return result
        self.check_messages(result, raw_out, several_lines)
        if result.status not in accepted:
            raise Failure("exit code", " or ".join(map(str, accepted)), f"{result.status}: {result.err.decode()[-800:].strip()}")
        self.check_files(result, before, outputs, leaves, loose, resumes)
        return result

    def attempt(self, *arguments, may_refuse=False, excused=False, **others):
        """run(), but a backend may refuse the input (Refused); if excused, any refusal is correct (None)."""
        accepted = (0, 2) if excused else (0,)
        if may_refuse:
            accepted = (0, 1, 2)
        result = self.run(*arguments, accepted=accepted, **others)
        if result.status == 0:
            return result
        text = result.err.decode()
        if re.search(r"found .* (reference|expected)|wrong result|counted again|re-count", text):
            raise Failure("a result that the program itself found wrong", "a right one", text)
        if excused:
            return None
        raise Refused(text)

    def check_messages(self, result, raw_out=False, several_lines=False):
        for name, data in (("standard output", b"" if raw_out else result.out), ("standard error", result.err)):
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise Failure(f"{name} is not UTF-8", "UTF-8", f"{error}: {data[:300]!r}") from error
            found = control_characters(text)
            if found:
                raise Failure(f"control characters in {name}", "none", f"{', '.join(found)} in {text[:300]!r}")
        text = result.err.decode()
        if result.status in (1, 2):
            lines = [line for line in text.splitlines() if line.startswith("glycine: error: ")]
            if len(lines) != 1 or not (several_lines or text == lines[0] + "\n") or len(lines[0]) < 25:
                raise Failure("message of an error", "one line, which begins with 'glycine: error: '", repr(text[-800:]))
            if re.search(r"std::|basic_string|vector::|bad_alloc|terminate called|locale::", lines[0]):
                raise Failure("message of an error", "what was found, where, and what was expected", repr(lines[0]))
        elif result.status == 0 and "error" in text.split("\n")[0].lower().split(":")[:2]:
            raise Failure("an error with exit code 0", "none", repr(text[-500:]))

    def check_files(self, result, before, outputs, leaves=False, loose=(), resumes=False):
        after = self.files()
        allowed = set()
        for output in [*outputs, *loose]:
            allowed |= accompanying(output)
        if resumes:
            allowed |= {name for name in before if "unfinished" in name or name.startswith("tmp/") or name.endswith(".tmp")}
        for name, was in before.items():
            if after.get(name) != was and not (result.status == 0 and name in allowed):
                raise Failure(f"{name} was {'changed' if name in after else 'removed'}", "an untouched file",
                              f"exit code {result.status}")
        added = sorted(set(after) - set(before))
        if result.status == 0:
            missing = [output for output in outputs if output not in after]
            if missing:
                raise Failure(f"{missing[0]} was not written", "a file, as the exit code is 0", f"new files: {added}")
            rest = [name for name in added if name not in allowed]
        else:
            rest = [name for name in added if not (leaves and name.endswith((".unfinished", ".unfinished.tiles")))]
        if rest:
            raise Failure(f"{rest[0]} was left", "no other file than the outputs, and none after an error",
                          f"exit code {result.status}; new files: {added}; {result.err.decode()[-300:]}")

    # Comparisons

    def equal(self, what, expected, found):
        self.results_checked += 1
        if expected != found:
            raise Failure(what, shorten(expected), shorten(found))

    def close(self, what, expected, found, absolute=0.0, relative=0.0):
        """NaN equals NaN; infinities equal themselves."""
        self.results_checked += 1
        if expected is None or (isinstance(expected, float) and math.isnan(expected)):
            good = isinstance(found, float) and math.isnan(found)
        elif math.isinf(expected) or math.isinf(found):
            good = expected == found
        else:
            good = abs(expected - found) <= absolute + relative * abs(expected)
        if not good:
            allowed = f" (within {absolute + relative * abs(expected or 0):.3g})" if absolute or relative else ""
            raise Failure(what, f"{expected!r}{allowed}", repr(found))

    def matrix(self, what, expected, found, absolute=0.0, relative=0.0, names=None):
        """Two matrices, element by element."""
        if len(found) != len(expected) or any(len(a) != len(b) for a, b in zip(expected, found)):
            raise Failure(f"{what}: shape", f"{len(expected)} x {len(expected[0]) if expected else 0}",
                          f"{len(found)} x {len(found[0]) if found else 0}")
        for i, row in enumerate(expected):
            for j, value in enumerate(row):
                where = f"{what}, ({i}, {j})" + (f", {names[i]!r} and {names[j]!r}" if names else "")
                self.close(where, value, found[i][j], absolute, relative)


def shorten(value, most=600):
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]} … ({len(text)} characters)"


class Backends:
    """The backends, variants and dialects of a program, from `list --json`."""

    def __init__(self, listed, sets):
        self.sets = sets
        self.variants = {}
        for entry in listed["variants"]:
            if not entry["available"]:
                continue
            dialects = [name for name, state in entry.get("dialects", {}).items() if state["available"]]
            for algorithm in [entry["algorithm"]]:
                self.variants.setdefault(algorithm, []).append(
                    (entry["backend"], entry["variant"], dialects, entry["numberFormats"]))

    def choose(self, case, algorithm, gl_share=0.12, variants=True):
        """Returns (options, backend) for a random backend; device backends may refuse, see refusable()."""
        draw = case.random.random()
        of = self.variants.get(algorithm, [])
        names = {entry[0] for entry in of}
        if draw < 0.12 or not of:
            return [], None
        devices = sorted(names - {"reference", "cpu"})
        if draw < 0.12 + gl_share and devices:
            backend = case.random.choice(devices)
        else:
            backend = case.pick("cpu", "cpu", "reference")
        options = ["--backend", backend]
        entries = sorted(entry for entry in of if entry[0] == backend)
        if variants and case.chance(0.5):
            _, variant, dialects, _ = case.random.choice(entries)
            options += ["--variant", variant]
            if dialects and case.chance(0.6):
                options += ["--dialect", case.random.choice(sorted(dialects))]
        if backend == "gl":
            if case.chance(0.3):
                options += ["--max-texture", case.pick(64, 128, 256)]
            if case.chance(0.2):
                options += ["--max-memory", case.pick("2M", "8M", "64M")]
        if backend == "cpu":
            if case.chance(0.4):
                options += ["--simd", case.random.choice(self.sets)]
            if case.chance(0.3):
                options += ["--threads", case.pick(1, 2, 3, 7)]
        return options, backend


def refusable(options):
    """Whether the options request a backend that may refuse inputs which others accept."""
    return "gl" in options or "cuda" in options or "--variant" in options
