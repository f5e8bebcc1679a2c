#!/usr/bin/env python3
"""Checks and runs the commands of documentation pages, and reports which line or block of which page fails.

Compares every `glycine COMMAND --option` of every page with the program's help. Then runs the tutorials, each in a folder of its
own, its ```sh blocks in turn. `sudo apt install PACKAGE` unpacks the package instead of installing it; its files below /usr are
read from there. Then runs each command of all other pages, among the small files of scripts/page_samples.sh. Measurements,
windows, and what a page stops by ^C are stopped after half a second, and must stop as the help says.
"""
import argparse
import functools
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Commands that take minutes or wait for the user: stopped after half a second.
LONG = re.compile(r"glycine (bench|reproduce|study|validate|view(?!.* -o )|info)")
CANCELLED = (130, -signal.SIGINT)


def blocks(page):
    """The ```sh blocks of a page: (number of the first line, text)."""
    inside, lines, first = False, [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if inside:
                yield first, "\n".join(lines)
            inside, lines, first = line == "```sh" and not inside, [], number + 1
        elif inside:
            lines.append(line)


def calls(page):
    """The program's calls in the code of a page: (number of the line, words after the program's name)."""
    text = page.read_text()
    for found in re.finditer(r"^```.*?^```$|`[^`]+`", text, re.MULTILINE | re.DOTALL):
        # Both replacements keep all positions.
        code = found.group(0)
        code = code.replace("\\\n", "  ") if code.startswith("```") else code.replace("\n", " ")
        for call in re.finditer(r"(?<![\w.-])glycine(?:-mpi)? +([a-z][^`\n|;&>#)]*)", code):
            yield text.count("\n", 0, found.start() + call.start()) + 1, call.group(1).split()


@functools.cache
def help_of(program, *command):
    """The complete help of a command; None if the program does not know the command."""
    done = subprocess.run([program, "help", *command, "--all"], capture_output=True, text=True)
    return None if done.returncode else done.stdout


def unknown_words(page, program):
    """A message for each command and each option in a page that the program does not know."""
    place = page.relative_to(ROOT)
    for line, words in calls(page):
        named = [word for word in words if word != "help"]
        command = named[:1]
        if not command or not re.fullmatch(r"[a-z]+", command[0]):
            continue
        if f"Usage: glycine {command[0]} COMMAND" in (help_of(program, *command) or ""):
            command += [word for word in named[1:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
        text = help_of(program, *command)
        if text is None:
            yield f"{place}:{line}: unknown command: glycine {' '.join(command)}"
            continue
        known = {name for names in re.findall(r"^  (-[\w,-]+)", text, re.MULTILINE) for name in names.split(",")}
        for option in (word.partition("=")[0] for word in named if re.match(r"--?[A-Za-z]", word)):
            if option not in known:
                yield f"{place}:{line}: glycine {' '.join(command)} has no option {option}"


def commands(page):
    """The commands of a page that begin with a call of the program: (number of the line, text, line that the page shows next)."""
    lines, inside, words, first = page.read_text().splitlines(), False, "", 0
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            inside, words = not inside, ""
        elif inside:
            first = first if words else number
            words += line.removeprefix("$ ").removesuffix("\\")
            if not line.endswith("\\"):
                if re.match(r"([A-Z_]+=\S+ )*(mpirun [^|;&]*?)?glycine(-mpi)? [a-z]|printf .*>\w", words):
                    yield first, words, lines[number]
                words = ""
        elif page == ROOT / "README.md" and line.startswith("| "):
            # In the tables of the first page, commands are whole.
            for found in re.finditer(r"`(glycine [a-z]+ [^`]+)`", line):
                yield number, found.group(1), ""


def can_run(command, program):
    """Whether this machine has the devices and programs that a command names."""
    words = shlex.split(command, comments=True)
    if "mpirun" in words and not (program.parent / "glycine-mpi").exists():
        return False
    return not {"--devices", "cuda", "cuda+cpu"} & set(words)


def run_commands(page, program, work, samples):
    """Runs the commands of a page; returns the text of its first failure, or None."""
    folder = work / page.relative_to(ROOT).with_suffix("")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(samples, folder)
    (folder / "docs").symlink_to(ROOT / "docs")
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    started, count, stopped, left, interrupted = time.monotonic(), 0, 0, 0, set()
    for line, text, shown in commands(page):
        if not can_run(text, program):
            left += 1
            continue
        count += 1
        process = subprocess.Popen(["bash", "-c", f"set -euo pipefail\n{text}"], cwd=folder, env=environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        if shown == "^C":
            interrupted.add(text)
        passes = (0,)
        try:
            output = process.communicate(timeout=0.5 if text in interrupted or LONG.search(text) else 600)[0]
        except subprocess.TimeoutExpired:
            stopped, passes = stopped + 1, (0, *CANCELLED)
            os.killpg(process.pid, signal.SIGINT)
            output = process.communicate(timeout=60)[0]
        # A page may show an error: "… its text".
        if process.returncode not in passes and not (shown.startswith("… ") and shown[2:] in output):
            return f"{page.relative_to(ROOT)}:{line}: exit code {process.returncode}\n{text}\n{output[-2000:]}"
    if count + left:
        print(f"{page.relative_to(ROOT)}: {count} commands, {time.monotonic() - started:.0f} s; {stopped} of them stopped, "
              f"{left} more need what is not here", flush=True)
    return None


def unpacked(package):
    """The folder of an unpacked Debian package."""
    script = 'source scripts/lib.sh; unpack_package "$1"'
    done = subprocess.run(["bash", "-c", script, "bash", package], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{package} cannot be unpacked: {done.stderr.strip()}")
    return ROOT / done.stdout.split("\n")[-2]


def with_packages(text, folders):
    """`text` without its calls of apt; adds the packages that these name to `folders`."""
    lines = []
    for line in text.splitlines():
        if line.startswith("sudo apt install "):
            folders += [unpacked(package) for package in line.split()[3:]]
        else:
            lines.append(line)

    def replace(found):
        path = found.group(0)
        known = path.partition("$")[0].rpartition("/")[0]
        return next((f"{folder}{path}" for folder in folders if (folder / known[1:]).exists()), path)

    return re.sub(r"/usr/(?:share|lib)/[\w.+/$-]+", replace, "\n".join(lines))


def run(page, program, work):
    """Runs a page; returns the text of its first failure, or None."""
    folder = work / page.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "docs").symlink_to(ROOT / "docs")
    environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
    folders, started, count, before = [], time.monotonic(), 0, ""
    for line, text in blocks(page):
        # Shell variables persist for the whole page.
        commands = with_packages(text, folders)
        script = f"set -euo pipefail\n{before}\n{commands}\n"
        done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=600)
        count += 1
        if done.returncode:
            return f"{page.relative_to(ROOT)}:{line}: exit code {done.returncode}\n{text}\n{done.stdout[-2000:]}"
        assignments = [part for part in commands.splitlines() if re.match(r"[a-z]+=", part)]
        before = "\n".join([before, *assignments])
        (folder / f"block-{count}.txt").write_text(done.stdout)
    if not count:
        return f"{page.relative_to(ROOT)}: no ```sh block"
    print(f"{page.relative_to(ROOT)}: {count} blocks, {time.monotonic() - started:.0f} s", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/glycine")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/pages", help="folder for the outputs of each page")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="pages to check and run (default: all)")
    options = parser.parse_args()
    program = options.program.resolve()
    if not program.is_file():
        sys.exit(f"{program} is not there; build it first, or name it with --program")
    checked = [page.resolve() for page in options.pages] or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    unknown = [text for page in checked for text in unknown_words(page, program)]
    if unknown:
        sys.exit("\n".join(unknown))
    tutorials = [page for page in checked if page.parent.name == "tutorials" and page.name != "README.md"]
    # The pages with most commands first, so that all processors have work until the end.
    others = sorted((page for page in checked if page not in tutorials), key=lambda page: -len(list(commands(page))))
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    samples = work / "samples"
    subprocess.run([ROOT / "scripts/page_samples.sh", samples, program], check=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = [*(pool.submit(run, page, program, work) for page in tutorials),
                   *(pool.submit(run_commands, page, program, work, samples) for page in others)]
    failures = [result.result() for result in results if result.result()]
    for text in failures:
        print(text, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
