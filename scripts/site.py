#!/usr/bin/env python3
"""Builds the site of the documentation: static pages with search that are read from a folder or a server.

Prepares the pages in build/site-pages: docs/, README.md as the first one, a page per command from its own help, and the C++ interface by
Doxygen. MkDocs makes build/site of them. Fails at a dead link, a missing anchor, or a warning of Doxygen.
"""
import argparse
import html.parser
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "build/site-pages"
SITE = ROOT / "build/site"
ROOT_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "CONTRIBUTING.md", "CHANGELOG.md": "CHANGELOG.md"}


def tracked(path):
    """Files of the repository below `path`."""
    listed = subprocess.run(["git", "ls-files", path], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split("\n")[:-1]


class Pages:
    """The tree of pages for MkDocs."""

    def __init__(self):
        shutil.rmtree(PAGES, ignore_errors=True)
        self.dead = []

    def place(self, path):
        """The place of a repository file among the pages; copies files outside docs/ below source/.

        A folder gets a page that lists it. MkDocs ignores names that begin with a dot.
        """
        if path in ROOT_PAGES:
            return ROOT_PAGES[path]
        place = path[len("docs/"):] if path.startswith("docs/") else f"source/{path.lstrip('.')}"
        if (ROOT / path).is_dir():
            place += "/index.md"
            if not (PAGES / place).exists():
                lines = [f"- [{file}]({posixpath.relpath(self.place(file), posixpath.dirname(place))})" for file in tracked(path)]
                self.write(place, f"# {path}\n\n" + "\n".join(lines) + "\n")
            return place
        if path.startswith("docs/"):
            return place
        place += ".txt"
        self.write(place, (ROOT / path).read_text())
        return place

    def write(self, place, text):
        (PAGES / place).parent.mkdir(parents=True, exist_ok=True)
        (PAGES / place).write_text(text)

    def add(self, path):
        """Adds a page of the repository, with links adapted to the site."""
        here = posixpath.dirname(self.place(path))

        def relink(found):
            before, target, after = found.groups()
            if re.match(r"[a-z]+:|#|<", target):
                return found.group(0)
            file, hash_sign, anchor = target.partition("#")
            known = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
            if not (ROOT / known).exists():
                self.dead.append(f"{path}: {target}")
                return found.group(0)
            return before + posixpath.relpath(self.place(known), here or ".") + hash_sign + anchor + after

        parts = re.split(r"(^```.*?^```$)", (ROOT / path).read_text(), flags=re.MULTILINE | re.DOTALL)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"(\]\()([^)\s]+)(\))", relink, parts[i])
            parts[i] = re.sub(r'(<img src=")([^"]+)(")', relink, parts[i])
        self.write(self.place(path), "".join(parts))

    def add_repository(self):
        for path in [*ROOT_PAGES, *tracked("docs")]:
            if path == "docs/Doxyfile":
                continue
            if path.endswith(".md"):
                self.add(path)
            else:
                (PAGES / self.place(path)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, PAGES / self.place(path))

    def add_commands(self, program):
        """Adds a page with the complete help of each command."""
        def help_of(*words):
            return subprocess.run([program, "help", *words], capture_output=True, text=True, check=True).stdout

        overview = help_of()
        commands = re.findall(r"^  ([a-z]+) {2,}[A-Z]", overview, re.MULTILINE)
        lines = [f"- [{command}]({command}.md)" for command in commands]
        self.write("commands/index.md", f"# Commands\n\n```text\n{overview}```\n\n" + "\n".join(lines) + "\n")
        for command in commands:
            self.write(f"commands/{command}.md", f"# glycine {command}\n\n```text\n{help_of(command, '--all')}```\n")

    def add_interface(self):
        """Adds the installed headers, by Doxygen; any warning ends the run."""
        headers, pending = set(), ["engine/api/glycine.hpp"]
        while pending:
            header = pending.pop()
            if header not in headers:
                headers.add(header)
                pending += re.findall(r'^#include "(engine/[^"]+)"', (ROOT / header).read_text(), re.MULTILINE)
        settings = (ROOT / "docs/Doxyfile").read_text()
        settings += f"INPUT = {' '.join(sorted(headers))}\nOUTPUT_DIRECTORY = {PAGES}\nHTML_OUTPUT = api\n"
        done = subprocess.run(["doxygen", "-"], cwd=ROOT, input=settings, capture_output=True, text=True, check=True)
        if done.stderr:
            sys.exit(f"Doxygen:\n{done.stderr[-4000:]}")


def embed_search():
    """Makes the search work in pages from a folder, where browsers load neither JSON nor workers, by turning both into scripts."""
    index = json.loads((SITE / "search/search_index.json").read_text())
    worker = next((SITE / "assets/javascripts/workers").glob("search.*.min.js")).read_text()
    (SITE / "search.js").write_text(
        f"var __search = {{index: Promise.resolve({json.dumps(index)}), "
        f"worker: URL.createObjectURL(new Blob([{json.dumps(worker)}], {{type: 'text/javascript'}}))}};\n")
    for page in SITE.rglob("*.html"):
        if "api" not in page.relative_to(SITE).parts[:1]:
            text = page.read_text()
            up = "../" * (len(page.relative_to(SITE).parts) - 1)
            page.write_text(text.replace('<script id="__config"', f'<script src="{up}search.js"></script><script id="__config"'))


class Targets(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.links.add(value)


def dead_links():
    """Dead links among the site's own pages."""
    pages = {page: Targets(page.read_text()) for page in SITE.rglob("*.html")}
    for page, targets in sorted(pages.items()):
        if page.relative_to(SITE).parts[0] == "api" or page.name == "404.html":
            continue
        for link in sorted(targets.links):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            if not target.exists() or (target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors):
                yield f"{page.relative_to(SITE)}: {link}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/glycine", help="program whose help becomes the pages of commands")
    options = parser.parse_args()
    if not options.program.is_file():
        sys.exit(f"{options.program} is not there; build it first, or name it with --program")
    pages = Pages()
    pages.add_repository()
    pages.add_commands(options.program)
    pages.add_interface()
    if subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", "mkdocs.yml"], cwd=ROOT).returncode:
        sys.exit("MkDocs found faults, see above")
    embed_search()
    dead = pages.dead + list(dead_links())
    if dead:
        sys.exit("Dead links:\n" + "\n".join(dead))
    print(f"The site is {SITE}/index.html")


if __name__ == "__main__":
    main()
