"""Plants faults between the program and the fuzzer, and checks that each is noticed: a fuzzer that cannot fail is useless.

A fault is a program that runs the real one and changes its results. Cases run with the real program first. Of those that
pass, and in which the fault changes something, at least the stated share must fail with the fault.
"""

import concurrent.futures
import os
import shutil
import stat
import textwrap

RESULTS = ("bounds", "distance", "mutualinfo", "network", "pairwise", "align", "tree", "crossapen")

# name → (commands or kinds of cases, least share noticed, body). `ran`: the finished run; `outputs`: its output files.
FAULTS = {
    "a value is off by a thousandth": (RESULTS, 0.3, """
        for name in outputs[:1]:
            if ran.returncode == 0 and change(name, value_off):
                altered()
    """),
    "a result is cut short": (RESULTS, 0.7, """
        for name in outputs[:1]:
            if ran.returncode == 0 and change(name, lambda data: data[:-9]):
                altered()
    """),
    "a name is another one": (("distance", "pairwise", "mutualinfo", "tree", "align"), 0.5, """
        for name in outputs[:1]:
            if ran.returncode == 0 and change(name, name_off):
                altered()
    """),
    "exit code 1 after success": (RESULTS, 0.9, """
        if ran.returncode == 0 and outputs:
            altered()
            ran.returncode = 1
            ran.stderr = b"glycine: error: nothing is wrong in fact\\n"
    """),
    "a refusal with exit code 0": (("run_crafted", "run_names", "run_help", "run_mutated"), 0.2, """
        if ran.returncode == 2:
            altered()
            ran.returncode = 0
    """),
    "a refusal in two lines": (("run_mutated", "run_help", "run_options"), 0.9, """
        if ran.returncode == 2:
            altered()
            ran.stderr += b"Traceback\\n"
    """),
    "an escape sequence in the report": (("distance", "pairwise", "run_names"), 0.8, """
        altered()
        ran.stdout = b"\\x1b[31m" + ran.stdout
    """),
    "a file is left over": (RESULTS, 0.9, """
        if outputs:
            altered()
            open("left.tmp", "w").close()
    """),
    "a refusal leaves half a result": (("run_mutated", "run_names", "run_crafted"), 0.9, """
        if ran.returncode == 2 and "-o" in arguments:
            altered()
            open(arguments[arguments.index("-o") + 1], "wb").write(b"half")
    """),
    "the input is changed": (("distance", "mutualinfo", "crossapen"), 0.9, """
        name = next((a for a in arguments[1:] if a.startswith("in.") and os.path.exists(a)), None)
        if name:
            altered()
            open(name, "ab").write(b" ")
    """),
    "a signal in place of a refusal": (("run_mutated", "run_options", "run_crafted"), 0.9, """
        if ran.returncode == 2:
            altered()
            os.kill(os.getpid(), 11)
    """),
    "one backend computes something else": (("run_mutated",), 0.3, """
        if ran.returncode == 0 and "cpu" in arguments and outputs and change(outputs[0], value_off):
            altered()
    """),
    "a resumed run has other bytes": (("run_killed",), 0.3, """
        if resumed and ran.returncode == 0 and outputs and change(outputs[0], lambda data: data + b" "):
            altered()
    """),
    "the end of a pipe is lost": (("run_pipe",), 0.5, """
        if given and ran.returncode == 0:
            altered()
    """),
    "the seed is not all that decides": (("run_generate",), 0.5, """
        random_end = lambda data: data[:-3] + os.urandom(2) + data[-1:]
        if arguments[0] == "generate" and ran.returncode == 0 and outputs and change(outputs[0], random_end):
            altered()
    """),
    "JSON that is none": (("distance", "bounds", "network"), 0.9, """
        if "--json" in arguments and ran.returncode == 0:
            altered()
            ran.stdout = ran.stdout.replace(b"}", b"", 1)
    """),
    "an output that was there is emptied by a refusal": (("run_outputs",), 0.05, """
        if ran.returncode in (1, 2) and before:
            altered()
            open(before[0], "wb").close()
    """),
    "a hang": (("run_help",), 0.9, """
        altered()
        time.sleep(60)
    """),
}

WRAPPER = '''#!/usr/bin/env python3
import os, re, struct, subprocess, sys, time
sys.path.insert(0, {scripts!r})
sys.dont_write_bytecode = True
from fuzz_command import files

arguments = sys.argv[1:]
if arguments[:1] in (["--version"], []) or arguments[1:] == ["--json"] or (arguments[0] in ("list", "info", "help") and not {all_commands}):
    os.execv({program!r}, [{program!r}, *arguments])

named = [b for a, b in zip(arguments, arguments[1:]) if a in ("-o", "--output") and b != "-"]
resumed = any(os.path.exists(name + ".unfinished") for name in named)
before = [name for name in named if os.path.isfile(name)]
given = b""
if {reads} and "-" in arguments[1:2]:
    given = sys.stdin.buffer.read()
    ran = subprocess.run([{program!r}, *arguments], capture_output=True, input=given[:-8])
else:
    process = subprocess.Popen([{program!r}, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    import signal
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, frame: process.send_signal(number))
    out, err = process.communicate()
    ran = subprocess.CompletedProcess(arguments, process.returncode, out, err)
outputs = [name for name in named if os.path.isfile(name)]


def altered():
    with open({log!r}, "a") as file:
        file.write("x\\n")


def change(name, how):
    with open(name, "rb") as file:
        data = file.read()
    new = how(data) if not name.endswith(".npz") or how not in (value_off, name_off) else in_archive(data, how)
    if new is None or new == data:
        return False
    with open(name, "wb") as file:
        file.write(new)
    return True


def rewritten(array, values):
    shape, code, _ = array
    return files.npy(values, shape, "U" if code[0] == "U" else "<" + code)


def in_archive(data, how):
    arrays = files.read_npz(data)
    for key, (shape, code, values) in arrays.items():
        if how is value_off and code in ("f4", "f8") and any(0 < abs(v) < 1e300 for v in values):
            values[:] = other(values)
            break
        if how is name_off and code[0] == "U" and key == "names":
            values[0] = values[0] + "x"
            break
    else:
        return None
    return files.npz({{key: rewritten(array, array[2]) for key, array in arrays.items()}})


def other(values):
    at = next((i for i, v in enumerate(values) if 0 < abs(v) < 1e300), None)
    if at is None:
        return None
    v = values[at]
    return values[:at] + [v + (1 if isinstance(v, int) else 0.001 * max(1.0, abs(v)))] + values[at + 1:]


def value_off(data):
    if data[:6] == b"\\x93NUMPY":
        array = files.read_npy(data)
        values = other(array[2])
        return None if values is None else rewritten(array, values)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return data[:-1] + bytes([data[-1] ^ 1]) if data else None
    if text.startswith((">", "CLUSTAL", "# STOCKHOLM")) or "//" in text:
        spots = [m for m in re.finditer(r"[ACDEFGHIKLMNPQRSTVWY]{{4,}}", text) if m.start() > 12]
        if not spots:
            return None
        at = spots[-1].start() + 1
        return (text[:at] + ("A" if text[at] != "A" else "C") + text[at + 1:]).encode()
    spots = [m for m in re.finditer(r"(?<![\\w.])-?\\d+(\\.\\d+)?(e[-+]?\\d+)?(?=[\\s,;:)]|$)", text)
             if 0 < abs(float(m.group())) < 1e300 and m.start() and text[m.start() - 1] in "\\t,: "]
    if not spots:
        return None
    m = spots[-1]
    return (text[:m.start()] + repr(float(m.group()) + 0.001 * max(1.0, abs(float(m.group())))) + text[m.end():]).encode()


def name_off(data):
    if data[:6] == b"\\x93NUMPY" or b"\\0" in data:
        return None
    return re.sub(rb"s2(?=[\\s,:])", b"z2", data)


{body}
sys.stdout.buffer.write(ran.stdout)
sys.stdout.flush()
sys.stderr.buffer.write(ran.stderr)
sys.stderr.flush()
if ran.returncode < 0:
    os.kill(os.getpid(), -ran.returncode)
sys.exit(ran.returncode)
'''


PASSED = {}


def attempt(settings, run_case, kind_of, number, kind):
    """(cases in which the fault was noticed, cases that it changed)"""
    fault, (kinds, _, body) = list(FAULTS.items())[number]
    settings.work = os.path.join(settings.work, f"fault-{number}-{kind}")
    os.makedirs(settings.work)
    real, wrapper, log = settings.program, os.path.join(settings.work, "program"), os.path.join(settings.work, "changed")
    with open(wrapper, "w", encoding="utf-8") as file:
        file.write(WRAPPER.format(scripts=os.path.dirname(os.path.dirname(os.path.abspath(__file__))), program=real, log=log,
                                  body=textwrap.dedent(body), reads="pipe" in fault, all_commands=kinds == ("run_help",)))
    os.chmod(wrapper, os.stat(wrapper).st_mode | stat.S_IXUSR)
    settings.hang_seconds = 5 if fault == "a hang" else None
    noticed = changed = tried = candidate = 0
    while changed < 3 and tried < 60:
        candidate += 1
        if kind not in (kind_of(1, candidate)[0], kind_of(1, candidate)[1].__name__):
            continue
        tried += 1
        settings.program = real
        if candidate not in PASSED:
            PASSED[candidate] = run_case(settings, 1, candidate)[2] == "passed"
        if not PASSED[candidate]:
            continue
        open(log, "w", encoding="utf-8").close()
        settings.program = wrapper
        outcome = run_case(settings, 1, candidate)[2]
        if os.path.getsize(log):
            changed += 1
            noticed += outcome == "failed"
    settings.program = real
    return noticed, changed


def run(settings, run_case, kind_of, only, jobs):
    """Prints a line for each fault and kind of cases; returns 1 if one was not noticed."""
    settings.work = os.path.join(settings.work, "self-test")
    shutil.rmtree(settings.work, ignore_errors=True)
    tries = [(number, kind) for number, (kinds, _, _) in enumerate(FAULTS.values()) for kind in kinds if not only or kind in only]
    survived = 0
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        futures = [pool.submit(attempt, settings, run_case, kind_of, number, kind) for number, kind in tries]
        for (number, kind), future in zip(tries, futures):
            fault, (_, share, _) = list(FAULTS.items())[number]
            noticed, changed = future.result()
            good = noticed >= max(1, share * changed - 1e-9)
            late = kind == "run_killed" and not changed  # every kill came too early or too late: depends on speed, so inconclusive
            survived += not good and not late
            print(f"{'not met' if late else 'noticed' if good else 'SURVIVED':<9} {fault}: {kind}, {noticed} of {changed} cases", flush=True)
    print(f"{survived} faults survived")
    return 1 if survived else 0
