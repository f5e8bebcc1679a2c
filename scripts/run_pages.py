#!/usr/bin/env python3
"""Checks and runs the commands of documentation pages, and reports which line or block of which page fails.

Compares every `glycine COMMAND --option` of every page with the program's help. Then runs the tutorials, each in a folder of its
own, its ```sh blocks in turn. `sudo apt install PACKAGE` unpacks the package instead of installing it; its files below /usr are
read from there.
"""
import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


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
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="pages to check and run (default: check all, run the tutorials)")
    options = parser.parse_args()
    program = options.program.resolve()
    if not program.is_file():
        sys.exit(f"{program} is not there; build it first, or name it with --program")
    checked = options.pages or [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    unknown = [text for page in checked for text in unknown_words(page.resolve(), program)]
    if unknown:
        sys.exit("\n".join(unknown))
    pages = options.pages or sorted(page for page in (ROOT / "docs/tutorials").glob("*.md") if page.name != "README.md")
    with ThreadPoolExecutor(options.jobs) as pool:
        failures = [text for text in pool.map(lambda page: run(page.resolve(), program, options.work.resolve()), pages) if text]
    for text in failures:
        print(text, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
