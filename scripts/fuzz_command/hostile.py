"""Hostile conditions of any run: damaged files, nonsense options, blocked outputs, pipes, lack of resources, kills."""

import gzip
import math
import os
import re
import signal
import subprocess
import time

from . import files, samples
from .case import MEGABYTE, Failure

TOKENS = [b"\0", b"\x1b[31m", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b"\t", b" ", b"\xff\xfe", b"\xc3", b"\xc2\x9b", b"\x08",
          b"\xe2\x80\xae", b"A" * 300]
TOKENS += b"nan inf -inf 1e999 -1 9007199254740993 18446744073709551616 1e-320 , ; \" ' ( ) : > # NA 0x10 1_0 -- %s%n".split()


def mutate(case, data):
    """Damages data in one to four small ways."""
    r = case.random
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(9)
        end = min(len(data), at + r.choice([1, 1, 2, 8, 60]))
        if kind == 0 and data:
            at = min(at, len(data) - 1)
            data[at] ^= 1 << r.randrange(8)
        elif kind == 1:
            data[at:end] = bytes(r.randrange(256) for _ in range(end - at))
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at:end]
        elif kind == 4:
            data[at:at] = data[at:end]
        elif kind == 5:
            data[at:at] = r.choice(TOKENS)
        elif kind == 6:
            data[at:end] = r.choice(TOKENS)
        elif kind == 7:
            lines = bytes(data).split(b"\n")
            a, b = r.randrange(len(lines)), r.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            data = bytearray(b"\n".join(lines))
        else:
            lines = bytes(data).split(b"\n")
            a = r.randrange(len(lines))
            lines.insert(a, lines[r.randrange(len(lines))])
            data = bytearray(b"\n".join(lines))
    return bytes(data)


def memory_refusal(result):
    return result.status == 1 and re.search(r"memory|GiB|TiB|MiB|bytes|room", result.err.decode())


def numbers_of(text):
    return re.split(r"[\t,\n]", text)


def same_results(case, what, first, second, exact, near=1e-9):
    """Two text files have the same words, and numbers that differ at most by the order of summation."""
    if first == second:
        return
    a, b = numbers_of(first), numbers_of(second)
    case.equal(f"{what}: fields", len(a), len(b))
    finite = [abs(v) for v in map(as_number, a) if v is not None and math.isfinite(v)]
    scale = max(finite, default=1.0)
    for x, y in zip(a, b):
        if x != y:
            u, v = as_number(x), as_number(y)
            if u is None or v is None or exact:
                raise Failure(what, repr(x), repr(y))
            case.close(what, u, v, near * scale + 1e-150, near)


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return None


def run_mutated(case):
    """A damaged file leads to a message, or to a result on which backends agree."""
    s = samples.sample(case)
    name = case.random.choice(s.inputs)
    data = case.read(name)
    if name.endswith((".gz", ".bgz")) and case.chance(0.7):
        data = gzip.compress(mutate(case, gzip.decompress(data)), 1, mtime=0)
    else:
        data = mutate(case, data)
    case.write(name, data)
    results = {}
    for backend in s.backends or (None,):
        result = case.run(*s.line(backend=backend), outputs=[s.output], accepted=(0, 1, 2), memory=6000 * MEGABYTE)
        if result.status == 1 and not memory_refusal(result):
            raise Failure("exit code of a damaged input", "0 or 2", f"1: {result.err.decode()}")
        results[backend] = (result.status, case.read(s.output).decode("utf-8", "surrogateescape") if result.status == 0 else result.err.decode())
        case.remove(s.output)
    if len(results) == 2:
        (first, text), (second, other) = results.values()
        case.equal("exit codes of reference and cpu", first, second)
        if first == 0:
            narrow = data[:6] == b"\x93NUMPY" and b"f4'" in data[:128]  # cpu computes float32 inputs in float32
            same_results(case, f"{s.output} of cpu against reference", text, other, s.exact, 4e-6 if narrow else 1e-9)


# Options

ODD_VALUES = "0 -1 1 2 0x10 1e3 1e300 -1e300 nan inf -inf 1e-320 9007199254740993 99999999999999999999 x é a,b 1,2 +1 0.5 1.5".split()
ODD_VALUES += "-- - ../x / . auto all none 1M 1G -1M".split() + ["", " 1", "1 ", "\x1b[31m", "A" * 400]
LEFT_OUT = {"--shaders", "--visible", "--help", "--output", "--bootstraps", "--bootstrap", "--null-pairs", "--context", "--profile", "--quiet", "--verbose",
            "--stage", "--add", "--to"}
KNOWN_OPTIONS = {}


def options_of(case, command):
    """Names of a command's options and whether each takes a value, from its help."""
    if command not in KNOWN_OPTIONS:
        text = case.run("help", command, "--all").text
        found = re.findall(r"^  (?:-\w,)?(--[\w-]+)( [^ ]+)?", text, re.MULTILINE)
        KNOWN_OPTIONS[command] = sorted({(name, bool(value)) for name, value in found if name not in LEFT_OUT})
    return KNOWN_OPTIONS[command]


def run_options(case):
    """Any option with any value leads to a result or a message, never anything else."""
    r = case.random
    s = samples.sample(case)
    arguments, outputs = s.line(), [s.output]
    for name, takes_value in r.sample(options_of(case, s.command), r.choice([1, 1, 2, 3])):
        if takes_value:
            arguments += [name, r.choice(ODD_VALUES)] if case.chance(0.7) else [f"{name}={r.choice(ODD_VALUES)}"]
        else:
            arguments += [name]
    if case.chance(0.05):
        arguments.insert(r.randrange(1, len(arguments)), r.choice(ODD_VALUES))
    before = [outputs[0]]
    arguments = [a.replace("\0", "") for a in arguments]
    result = case.run(*arguments, outputs=before, accepted=(0, 1, 2), memory=8000 * MEGABYTE, loose=outputs[1:])
    if result.status == 0 and "--json" in arguments:
        result.report()


# Blocked outputs

def run_outputs(case):
    r = case.random
    s = samples.sample(case)
    fresh = case.run(*s.line(), outputs=[s.output], accepted=(0, 1, 2))
    if fresh.status:
        return
    expected = case.read(s.output)
    case.remove(s.output)
    what = r.choice(["file", "link", "dangling", "folder", "input", "input link", "hard link", "read-only", "missing folder",
                     "foreign unfinished", "unfinished link", "long name", "twice", "dot"])
    single = not s.inputs or s.inputs[0].endswith(".bed")
    if what == "file":
        case.write(s.output, b"old\n")
        case.run(*s.line(), outputs=[s.output])
        case.equal("an output that was there", expected, case.read(s.output))
    elif what in ("link", "dangling"):
        if what == "link":
            case.write("victim", b"precious\n")
        os.symlink("victim", case.path(s.output))
        result = case.run(*s.line(), outputs=[s.output, "victim"] if what == "link" else [s.output], accepted=(0, 2), loose=["victim"])
        if result.status == 0:
            case.equal("the result at a link", expected, case.read(s.output))
            if what == "link" and case.read("victim") not in (b"precious\n", expected):
                raise Failure("the file that a link leads to", "the old or the whole new content", repr(case.read("victim")[:200]))
    elif what == "folder" and s.command != "crossapen":  # crossapen writes into folders
        os.mkdir(case.path(s.output))
        case.write(s.output + "/kept", b"x")
        case.run(*s.line(), accepted=(1, 2))
    elif what in ("input", "input link", "hard link", "dot") and not single:
        ending = "." + s.output.rsplit(".", 1)[1]
        name = s.inputs[0]
        if what == "input":
            target = name
        elif what == "dot":
            target = "./tmp/../" + name
        else:
            target = "other" + ending
            (os.symlink if what == "input link" else os.link)(name if what == "input link" else case.path(name), case.path(target))
        if what == "hard link":  # a hard link may be replaced; the input stays
            was = case.read(name)
            case.run(*s.line(output=target), accepted=(0, 2), outputs=[target])
            case.equal("the input after a run to another name of it", was, case.read(name))
        elif what == "input link":
            was = case.read(name)
            case.run(*s.line(output=target), accepted=(0, 2), outputs=[target])
            case.equal("the input after a run to a link to it", was, case.read(name))
        else:
            case.run(*s.line(output=target), accepted=(2,))
    elif what == "read-only":
        os.mkdir(case.path("shut"))
        os.chmod(case.path("shut"), 0o555)
        case.run(*s.line(output="shut/" + s.output), accepted=(0, 1, 2), outputs=["shut/" + s.output])  # root can write there
        os.chmod(case.path("shut"), 0o755)
    elif what == "missing folder":
        case.run(*s.line(output="nowhere/" + s.output), accepted=(1, 2))
    elif what == "foreign unfinished" and s.command in ("distance", "pairwise", "mutualinfo", "network", "crossapen", "align"):
        case.write(s.output + ".unfinished", b"a user's own file\n")
        if case.chance(0.5):
            case.write(s.output + ".unfinished.tiles", b"another one\n")
        case.run(*s.line(), *tiles(case, s), accepted=(0, 1, 2), outputs=[s.output])
    elif what == "unfinished link":
        case.write("victim", b"precious\n")
        os.symlink("victim", case.path(s.output + r.choice([".unfinished", ".unfinished.tiles"])))
        case.run(*s.line(), *tiles(case, s), accepted=(0, 1, 2), outputs=[s.output])
    elif what == "long name":
        length = r.choice([240, 250, 255, 256, 300])
        ending = "." + s.output.rsplit(".", 1)[1]
        name = "n" * (length - len(ending)) + ending
        case.run(*s.line(output=name), accepted=(0, 1, 2), outputs=[name])
    elif what == "twice" and s.command not in ("bounds",):
        result = case.run(*s.line(), "-o", "./" + s.output, accepted=(0, 2), outputs=[s.output])
        if result.status == 0:
            raise Failure("the same output twice", "a refusal", "exit code 0")


def tiles(case, s):
    return ["--tile", "1"] if s.command in ("distance", "pairwise", "mutualinfo", "network", "align") else []


# Standard input and output

PIPED = [samples.of_distance, samples.of_information, samples.of_pairwise, samples.of_align, samples.of_tree, samples.of_crossapen,
         samples.of_bounds]


def run_pipe(case):
    """Input through a pipe, or from the middle of a file, gives the same result as a file."""
    r = case.random
    s = samples.sample(case, PIPED)
    if len(s.inputs) != 1 or s.arguments[0] != s.inputs[0] or s.inputs[0].endswith((".bed", ".bcf", ".npz", ".phy", ".dst", ".nwk")):
        return
    name = s.inputs[0]
    if os.path.exists(case.path(name + ".names")):
        os.remove(case.path(name + ".names"))
    data = case.read(name)
    whole = case.run(*s.line(), outputs=[s.output], accepted=(0, 2))
    form = r.choice(["pipe", "file", "offset", "device"])
    arguments = [s.command, "/dev/stdin" if form == "device" else "-", *s.arguments[1:]]
    to_stdout = case.chance(0.5)
    arguments += ["-o", "-" if to_stdout else "piped." + s.output.rsplit(".", 1)[1]]
    output = arguments[-1]
    if s.command == "align" and to_stdout and s.output != "out.fa":
        return
    options = dict(outputs=[] if to_stdout else [output], accepted=(0, 2), raw_out=to_stdout)
    if form == "pipe":
        result = case.run(*arguments, given=data, **options)
    else:
        skipped = r.choice([b"", b"a line that the shell took away\n", b"1,2,3\n"]) if form == "offset" else b""
        path = case.write("stdin.data", skipped + data)
        with open(case.path(path), "rb") as file:
            os.lseek(file.fileno(), len(skipped), os.SEEK_SET)
            result = case.run(*arguments, stdin=file, **options)
        case.commands[-1] += f" < stdin.data, from byte {len(skipped)}"
    if whole.status:
        return
    if result.status:
        if s.command == "crossapen" or name.endswith((".gz", ".bgz")):
            return
        raise Failure("exit code of standard input", "0, as of the file", result.err.decode())
    if s.command == "crossapen":  # its first column is the input's name
        return
    content = result.out if to_stdout else case.read(output)
    if to_stdout and not s.output.endswith((".tsv", ".fa", ".nwk")) and s.command != "bounds":
        return
    case.equal("the result of standard input", case.read(s.output), content)


def run_closed_output(case):
    """Closed or full standard output leads to a message, or to SIGPIPE."""
    s = samples.sample(case, [samples.of_distance, samples.of_information, samples.of_pairwise, samples.of_tree])
    arguments = [str(a) for a in s.line(output="-")]
    before = case.files()
    if case.chance(0.5):
        with open("/dev/full", "wb") as full:
            process = case.start(arguments, stdout=full)
            _, err = process.communicate(timeout=120)
        wrong = process.returncode not in (1, 2)
    else:
        process = case.start(arguments)
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=120)
        process.stderr.close()
        wrong = process.returncode not in (0, 1, 2, -signal.SIGPIPE, 128 + signal.SIGPIPE)
    if wrong:
        raise Failure("exit code with a standard output that takes nothing", "1 or 2",
                      f"{process.returncode}: {err.decode('utf-8', 'replace')}")
    case.equal("files after a standard output that takes nothing", before, case.files())


# Lack of resources

def run_little_memory(case):
    """ulimit -v: a result or a message of one line, whatever the backend."""
    r = case.random
    s = samples.sample(case)
    backend = r.choice([None, None, "cpu", "reference", "gl"]) if s.backends else None
    memory = int(r.uniform(90, 700)) * MEGABYTE
    case.run(*s.line(backend=backend), outputs=[s.output], accepted=(0, 1, 2), memory=memory, loader=True,
             several_lines=backend == "gl")


def run_full_disk(case):
    """Files that cannot grow: a message of one line, and no partial output."""
    s = samples.sample(case)
    size = case.random.choice([0, 1024, 4096])
    case.run(*s.line(), *(tiles(case, s) if case.chance(0.5) else []), outputs=[s.output], accepted=(0, 1, 2), file_size=size, leaves=True)


# Kills

def run_killed(case):
    """A run is killed at any time; the same command must then complete it."""
    r = case.random
    kind = r.choice(["distance", "pairwise", "mutualinfo", "crossapen", "network", "align"])
    if kind == "distance":
        case.run("generate", "genotypes", "--instances", r.randint(20, 60), "--attributes", r.randint(50, 400),
                 "--missing", r.choice([0, 0.05]), "-o", "in.vcf", outputs=["in.vcf"])
        arguments, output = ["distance", "in.vcf", "--tile", r.randint(2, 9)], r.choice(["out.npy", "out.tsv", "out.npz"])
    elif kind in ("pairwise", "align"):
        case.run("generate", "sequences", "--sequences", r.randint(8, 24), "--length", r.randint(30, 120), "-o", "in.fa", outputs=["in.fa"])
        arguments, output = [kind, "in.fa", "--tile", r.randint(2, 7)], "out.tsv" if kind == "pairwise" else "out.aln"
        if kind == "align":
            arguments += r.choice([["--method", "clustalw"], ["--method", "thesis"]])
    elif kind == "crossapen":
        case.run("generate", "signals", "--channels", r.randint(2, 6), "--samples", 200, "--epochs", r.randint(2, 9), "-o", "in.edf",
                 outputs=["in.edf"])
        arguments, output = ["crossapen", "in.edf", "--epoch", 200, "--per-epoch"], r.choice(["out.csv", "out.npz"])
    else:
        case.run("generate", "expression", "--genes", r.randint(20, 60), "--samples", r.randint(20, 80), "-o", "in.tsv", outputs=["in.tsv"])
        arguments, output = [kind, "in.tsv", "--tile", r.randint(2, 9)], "out.tsv"
    backend = r.choice([["--backend", "reference"], ["--backend", "reference"], ["--backend", "cpu"], []])
    arguments = [str(a) for a in [*arguments, *backend]]
    started = time.monotonic()
    case.run(*arguments, "-o", output, outputs=[output])
    took = time.monotonic() - started
    expected = case.read(output)
    case.remove(output)
    for _ in range(r.choice([1, 2, 4])):
        by = r.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
        case.commands.append(f"kill -{by.name}")
        process = case.start([*arguments, "-o", output])
        if case.chance(0.4):  # as soon as there are working files
            until = time.monotonic() + 3 * took + 1
            while process.poll() is None and time.monotonic() < until and not os.path.exists(case.path(output + ".unfinished")):
                time.sleep(0.0005)
        else:
            time.sleep(r.random() * took)
        process.send_signal(by)
        try:
            _, err = process.communicate(timeout=120)
        except subprocess.TimeoutExpired as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Failure(f"the program goes on after {by.name}", "an end", "none within 120 s") from error
        allowed = (0, 130, 143, -by) if by != signal.SIGKILL else (0, -by)
        if process.returncode not in allowed:
            raise Failure(f"exit code after {by.name}", str(allowed), f"{process.returncode}: {err.decode('utf-8', 'replace')[-500:]}")
        if process.returncode == 0:
            case.equal(f"whether {output} has the same bytes after {by.name}, which came too late", True, case.read(output) == expected)
            break
        if os.path.exists(case.path(output)) and case.read(output) != expected:
            raise Failure(f"{output} after {by.name}", "the whole result, or no file", f"{len(case.read(output))} of {len(expected)} bytes")
    case.run(*arguments, "-o", output, outputs=[output], resumes=True)
    if case.read(output) != expected:
        raise Failure(f"{output} after a kill and another run", "the same bytes", f"{len(case.read(output))} bytes, other ones")
    left = [name for name in case.files() if "unfinished" in name or name.startswith("tmp")]
    case.equal("files that are left in the end", [], left)


def run_killed_pipe(case):
    """A kill while standard input is copied leaves nothing, or the next run removes it."""
    s = samples.sample(case, [samples.of_distance, samples.of_information, samples.of_pairwise])
    if len(s.inputs) != 1 or s.arguments[0] != s.inputs[0]:
        return
    data = case.read(s.inputs[0])
    arguments = [s.command, "-", *s.arguments[1:], "-o", s.output]
    case.commands.append("the next one is killed while its input is open")
    process = case.start(arguments, stdin=subprocess.PIPE)
    try:
        process.stdin.write(data)
        process.stdin.flush()
        time.sleep(0.2)
    except BrokenPipeError:
        pass
    process.kill()
    process.communicate()
    case.run(*arguments, given=data, outputs=[s.output], accepted=(0, 2), resumes=True)
    case.equal("files in TMPDIR after a kill and another run", [], os.listdir(case.path("tmp")))


def run_at_once(case):
    """Two runs with one output: each ends with the result or a message, and the file is complete."""
    s = samples.sample(case, [samples.of_distance, samples.of_information, samples.of_pairwise, samples.of_bounds, samples.of_align])
    first = case.run(*s.line(), outputs=[s.output], accepted=(0, 2))
    if first.status:
        return
    expected = case.read(s.output)
    case.remove(s.output)
    arguments = [str(a) for a in [*s.line(), *tiles(case, s)]]
    runs = [case.start(arguments) for _ in range(2)]
    results = [case.finish(process, arguments) for process in runs]
    for result in results:
        case.check_messages(result)
    statuses = [result.status for result in results]
    if 0 not in statuses or not set(statuses) <= {0, 1, 2}:
        said = " ".join(result.err.decode() for result in results)
        raise Failure("exit codes of two runs at once", "0, and 0, 1 or 2", f"{statuses}: {said}")
    same_results(case, "the result of two runs at once", expected.decode(), case.read_text(s.output), s.exact)
    case.equal("files that two runs at once leave", [], [n for n in case.files() if "unfinished" in n or n.startswith("tmp")])


# Names

CONTROL = ["\x1b[31mred", "a\x08b", "\x9b31m", "a\x7fb", "bell\x07", "\x85next", "a\x0bb", "\x1b]0;title\x07", "\u202eltr"]


def run_names(case):
    """Control characters in names and file names do not reach the terminal, and do not break output files."""
    r = case.random
    odd = r.choice(CONTROL)
    kind = r.choice(["table", "fasta", "file", "field", "expression", "atoms", "missing"])
    accepted = (0, 1, 2)
    if kind == "table":
        case.write("in.csv", f"id,a{odd},b\n{odd}1,0,1\n{odd}2,2,1\nthird,0,0\n")
        case.run("distance", "in.csv", "-o", "out.tsv", *r.choice([[], ["--json"]]), outputs=["out.tsv"], accepted=accepted)
    elif kind == "fasta":
        case.write("in.fa", f">{odd}1\nACGT\n>{odd}2\nACCT\n>x\nAC{r.choice(['1', 'G', odd])}T\n")
        output = r.choice(["out.fa", "out.tsv", "out.aln"])
        case.run(r.choice(["pairwise", "align"]), "in.fa", "-o", output, loose=[output], accepted=accepted)
    elif kind == "expression":
        rows = "\n".join(f"{odd}{i}\t" + "\t".join(str(r.random()) for _ in range(12)) for i in range(4))
        case.write("in.tsv", "gene\t" + "\t".join(f"c{k}" for k in range(12)) + "\n" + rows + "\n")
        output = r.choice(["out.tsv", "out.graphml"])
        case.run("network", "in.tsv", "-o", output, outputs=[output], accepted=accepted)
    elif kind == "atoms":
        case.write("in.npz", files.npz({"upper": files.npy([0.0, 1.0, 1.0, 0.0], (2, 2)), "lower": files.npy([0.0, 2.0, 2.0, 0.0], (2, 2)),
                                        "atoms": files.npy([odd, "b"], (2,), "U")}))
        options = r.choice([[], ["--allow-inconsistent", "--explain"]])
        case.run("bounds", "in.npz", "-o", "out.npz", *options, outputs=["out.npz"], accepted=accepted)
    elif kind == "field":
        case.write("in.csv", f"id,a,b\nx,0,1\ny,{odd},1\n")
        case.run(r.choice(["distance", "mutualinfo", "crossapen"]), "in.csv", "-o", "out.csv", outputs=["out.csv"], accepted=accepted)
    elif kind == "missing":
        case.run(r.choice(["distance", "bounds", "tree", "align"]), odd.replace("/", "") + ".npz", "-o", "out.npz", accepted=(2,))
    else:
        case.write(f"{odd}.csv", "id,a,b\nx,0,1\ny,2,1\n")
        case.run("distance", f"./{odd}.csv", "-o", f"./{odd}.out.tsv", outputs=[f"{odd}.out.tsv"], accepted=accepted)


# Deliberately malformed files

def run_crafted(case):
    r = case.random
    kind = r.choice(["twice", "crc", "whole numbers", "whole signals", "empty", "newline", "bom", "giant shape", "not gzip", "members"])
    square = lambda v: files.npy([0.0, v, v, 0.0], (2, 2))
    if kind == "twice":
        import warnings
        import zipfile
        with warnings.catch_warnings(), zipfile.ZipFile(case.path("in.npz"), "w") as archive:
            warnings.simplefilter("ignore")
            for v in (1.0, 2.0):
                archive.writestr("upper.npy", square(v))
        case.run("bounds", "in.npz", "-o", "out.npz", accepted=(2,))
    elif kind == "crc":
        data = bytearray(files.npz({"upper": square(1.0)}))
        at = data.find(b"\x93NUMPY") + 128 + 8
        data[at + r.randrange(8)] ^= 0x40
        case.write("in.npz", bytes(data))
        case.run("bounds", "in.npz", "-o", "out.npz", accepted=(2,))
    elif kind == "whole numbers":
        base = 2 ** r.choice([53, 54, 60])
        rows = [[base + r.randrange(3), base + r.randrange(3)] for _ in range(3)]
        if case.chance(0.5):
            name = case.write("in.csv", "id,a,b\n" + "".join(f"r{i},{a},{b}\n" for i, (a, b) in enumerate(rows)))
            names = ["r0", "r1", "r2"]
        else:
            name = case.write("in.npy", files.npy([v for row in rows for v in row], (3, 2), "<i8"))
            names = ["1", "2", "3"]
        result = case.run("distance", name, "--data", "coordinates", "--measure", "manhattan", "-o", "out.tsv", outputs=["out.tsv"],
                          accepted=(0, 2))
        if result.status == 0:
            shown, found = files.read_square_table(case.read_text("out.tsv"), "out.tsv")
            case.equal("names", names, shown)
            exact = [[float(abs(a[0] - b[0]) + abs(a[1] - b[1])) for b in rows] for a in rows]
            case.matrix("distances of large whole numbers", exact, found)
    elif kind == "whole signals":
        base = 2 ** 60
        signals = [[base + r.randrange(100) for _ in range(32)] for _ in range(2)]
        case.write("in.npy", files.npy([v for row in signals for v in row], (2, 32), "<i8"))
        case.write("small.npy", files.npy([v - base for row in signals for v in row], (2, 32), "<i8"))
        options = ["--epoch", 32, "--precision", "float64"]
        large = case.run("crossapen", "in.npy", *options, "-o", "large.npy", outputs=["large.npy"], accepted=(0, 2))
        if large.status == 0:
            case.run("crossapen", "small.npy", *options, "-o", "out.npy", outputs=["out.npy"])
            first, second = (files.read_npy(case.read(n), n)[2] for n in ("out.npy", "large.npy"))
            for a, b in zip(first, second):
                case.close("entropy of signals that are 2^60 larger", a, b, 1e-9)
    elif kind == "empty":
        ending = r.choice(".csv .tsv .fa .npy .npz .vcf .pdb .cif .edf .nwk .phy .csv.gz .vhdr .aln".split())
        case.write("in" + ending, b"" if case.chance(0.6) else b"\n")
        case.run(r.choice(["distance", "bounds", "mutualinfo", "network", "pairwise", "align", "tree", "crossapen"]), "in" + ending, "-o",
                 r.choice(["out.npz", "out.tsv", "out.csv", "out.fa", "out.nwk"]), accepted=(2,))
    elif kind in ("newline", "bom"):
        head = b"\xef\xbb\xbf" if kind == "bom" else b""
        rows = b"id,a,b,c\nx,0,1,2\ny,2,1,0\n"
        case.write("plain.csv", rows)
        case.write("in.csv", head + rows.replace(b"\n", r.choice([b"\n", b"\r\n"])) + r.choice([b"", b"\n", b"\r\n"]))
        case.run("distance", "plain.csv", "-o", "plain.tsv", outputs=["plain.tsv"])
        case.run("distance", "in.csv", "-o", "out.tsv", outputs=["out.tsv"])
        case.equal("the table with other line ends", case.read("plain.tsv"), case.read("out.tsv"))
        text = b">a\nACGT\n>b\nACCT\n"
        case.write("in.fa", head + text.replace(b"\n", r.choice([b"\n", b"\r\n"])))
        case.run("pairwise", "in.fa", "-o", "pairs.tsv", outputs=["pairs.tsv"])
        case.equal("names of sequences", "\ta\tb", case.read_text("pairs.tsv").split("\n")[0])
    elif kind == "giant shape":
        shape = r.choice([(2 ** 31, 2 ** 31), (2 ** 62, 4), (10 ** 6, 10 ** 6), (0, 5), (5, 0), (2 ** 63, 1), (3, 2 ** 40)])
        data = bytearray(files.npy([0.0] * 16, (4, 4)))
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
        data[10:128] = header.ljust(117) + b"\n"
        case.write("in.npy", bytes(data))
        command = r.choice(["distance", "mutualinfo", "crossapen", "tree"])
        case.run(command, "in.npy", "-o", "out.nwk" if command == "tree" else "out.npy", accepted=(1, 2), memory=6000 * MEGABYTE)
    elif kind == "not gzip":
        case.write("in.csv.gz", r.choice([b"id,a\nx,1\ny,2\n", b"\x1f\x8b", b"\x1f\x8b\x08\x00" + bytes(20)]))
        case.run("distance", "in.csv.gz", "-o", "out.tsv", accepted=(0, 2), outputs=["out.tsv"])
    else:  # a gzip file of several members, as from bgzip, followed by garbage
        parts = [b"id,a,b\n", b"x,0,1\n", b"y,2,1\nz,0,0\n"]
        case.write("plain.csv", b"".join(parts))
        case.write("in.csv.gz", b"".join(gzip.compress(part) for part in parts))
        case.run("distance", "plain.csv", "-o", "plain.tsv", outputs=["plain.tsv"])
        case.run("distance", "in.csv.gz", "-o", "out.tsv", outputs=["out.tsv"])
        case.equal("the table in several members", case.read("plain.tsv"), case.read("out.tsv"))
        whole = gzip.compress(b"".join(parts))
        case.write("cut.csv.gz", whole[: r.randrange(11, len(whole) - 1)])
        case.run("distance", "cut.csv.gz", "-o", "cut.tsv", accepted=(2,))


KINDS = [("hostile", run_mutated, 40), ("hostile", run_options, 24), ("hostile", run_outputs, 14), ("hostile", run_pipe, 8),
         ("hostile", run_closed_output, 2), ("hostile", run_little_memory, 8), ("hostile", run_full_disk, 3), ("hostile", run_killed, 6),
         ("hostile", run_killed_pipe, 2), ("hostile", run_at_once, 3), ("hostile", run_names, 7), ("hostile", run_crafted, 8)]
