#!/usr/bin/env python3
"""Runs the commands of documentation pages, and reports which block of which page fails.

Each page runs in a folder of its own, its ```sh blocks in turn. `sudo apt install PACKAGE` unpacks the package instead of
installing it; its files below /usr are read from there.
"""
import argparse
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
    parser.add_argument("pages", nargs="*", type=pathlib.Path, help="pages to run (default: all tutorials)")
    options = parser.parse_args()
    program = options.program.resolve()
    if not program.is_file():
        sys.exit(f"{program} is not there; build it first, or name it with --program")
    pages = options.pages or sorted(page for page in (ROOT / "docs/tutorials").glob("*.md") if page.name != "README.md")
    with ThreadPoolExecutor(options.jobs) as pool:
        failures = [text for text in pool.map(lambda page: run(page.resolve(), program, options.work.resolve()), pages) if text]
    for text in failures:
        print(text, file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
