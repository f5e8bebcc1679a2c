#!/usr/bin/env python3
"""Draws the figures of docs/papers as SVG files, from a report of `glycine reproduce all`.

Usage: scripts/draw_papers.py [REPORT.json.gz [FOLDER]] (default: docs/results/reproduce-h100/report.json.gz docs/papers/figures)

Times are medians. Rows without a time are left out, so that a report of another machine has other lines.
"""
import gzip
import json
import math
import pathlib
import sys
from html import escape

from draw_diagrams import INK, Drawing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPER, HERE, GRID = "#9aa1ac", "#187c8c", "#e2e2e5"
COLORS = ("#187c8c", "#d55d00", "#5b4ea3", "#7a8b1c")


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            break
    value = seconds / scale
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


class Report:
    """The rows of a figure by method and stage."""

    def __init__(self, path):
        figures = json.loads(gzip.open(path).read())["figures"]
        self.figures = {figure["figure"]: figure for figure in figures}

    def find(self, figure, method, stage="", problem=""):
        """The row, or nothing; `problem` is how its problem begins."""
        for row in self.figures[figure]["rows"]:
            if row["method"] == method and row["stage"] == stage and row["problem"].startswith(problem):
                return row
        return None

    def here(self, *key):
        """Median seconds, and whether they were extrapolated; nothing where the row has no time."""
        row = self.find(*key)
        if not row or not row.get("seconds") or not row["seconds"]["median"]:
            return None
        return row["seconds"]["median"], "extrapolated" in row

    def values(self, figure, claim):
        """The value that a claim was judged by, and whether it was extrapolated, for each of its columns."""
        return {judged.get("column", ""): (judged["value"], "extrapolated" in judged.get("reason", ""))
                for judged in self.figures[figure]["claims"] if judged["claim"] == claim and "value" in judged}

    def published(self, *key):
        row = self.find(*key)
        seconds = (row or {}).get("published", {}).get("seconds", 0)
        return (seconds, False) if seconds else None


def axis(low, high):
    """Powers of ten that enclose values."""
    return math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)


def bars(title, rows, note):
    """Times as bars on a logarithmic axis: rows of (label, published, here), each (seconds, extrapolated) or nothing; a heading has
    neither."""
    rows = [row for row in rows if len(row) == 1 or row[1] or row[2]]
    heights = [22 if len(row) == 1 else 16 * sum(map(bool, row[1:])) + 8 for row in rows]
    left, right, top = 210, 660, 70
    d = Drawing(760, top + sum(heights) + 54, escape(title))
    values = [bar[0] for row in rows for bar in row[1:] if bar]
    first, last = axis(min(values), max(values))
    if min(values) < 1.3 * 10 ** first:
        first -= 1

    def x(seconds):
        return left + (right - left) * (math.log10(seconds) - first) / (last - first)

    bottom = top + sum(heights)
    d.text(24, 30, escape(title), 15, "start", bold=True)
    if any(row[1] for row in rows if len(row) > 1):
        d.box(left, 44, 12, 12, PAPER, PAPER)
        d.text(left + 18, 55, "published", 12, "start")
        d.box(left + 100, 44, 12, 12, HERE, HERE)
        d.text(left + 118, 55, "here", 12, "start")
    for power in range(first, last + 1):
        d.line([(x(10.0 ** power), top), (x(10.0 ** power), bottom)], edge=GRID, thick=1)
        d.text(x(10.0 ** power), bottom + 17, time_text(10.0 ** power), 12)
    y = top
    for row, height in zip(rows, heights):
        if len(row) == 1:
            d.text(left + 4, y + 15, escape(row[0]), 12, "start", bold=True)
        else:
            d.text(left - 8, y + height / 2 + 4, escape(row[0]), 12, "end")
            at = y + 4
            for bar, color in zip(row[1:], (PAPER, HERE)):
                if bar:
                    d.box(left, at, x(bar[0]) - left, 14, "#ffffff" if bar[1] else color, color)
                    d.text(x(bar[0]) + 6, at + 12, ("≈ " if bar[1] else "") + time_text(bar[0]), 11, "start")
                    at += 16
        y += height
    d.line([(left, top), (left, bottom)], thick=1)
    d.text(24, bottom + 40, escape(note), 11, "start")
    return d


def panels(title, plots, note):
    """Plots side by side: (heading, name of x, values of x, series, logarithmic), a series (label, color, dashed, values); all have the
    series of the first, which names them."""
    height = 338 + 17 * len(plots[0][3])
    width = 760
    d = Drawing(width, height, escape(title))
    d.text(24, 30, escape(title), 15, "start", bold=True)
    share = (width - 20) / len(plots)
    values = [v[0] for plot in plots for line in plot[3] for v in line[3] if v]
    logarithmic = plots[0][4]
    first, last = axis(min(values), max(values)) if logarithmic else (0, 1)
    for index, (heading, name, xs, series, _) in enumerate(plots):
        left, right, top, bottom = 20 + index * share + 56, 20 + (index + 1) * share - 24, 66, 262
        lowest, highest = math.log(min(xs)), math.log(max(xs))

        def place(at, value):
            height_of = (math.log10(value) - first) / (last - first) if logarithmic else value
            return left + (right - left) * (math.log(at) - lowest) / (highest - lowest), bottom - (bottom - top) * height_of

        if heading:
            d.text((left + right) / 2, 56, escape(heading), 12, bold=True)
        ticks = [10.0 ** power for power in range(first, last + 1)] if logarithmic else [0, 0.25, 0.5, 0.75, 1]
        for tick in ticks:
            y = place(xs[0], tick)[1]
            d.line([(left, y), (right, y)], edge=GRID, thick=1)
            d.text(left - 6, y + 4, time_text(tick) if logarithmic else f"{100 * tick:.0f} %", 11, "end")
        shown = xs if len(xs) <= 6 else xs[::2] if len(xs) % 2 else [*xs[::3], xs[-1]]
        for at in shown:
            d.text(place(at, ticks[-1])[0], bottom + 16, f"{at:,}", 11)
        d.text((left + right) / 2, bottom + 33, escape(name), 12)
        d.line([(left, top), (left, bottom), (right, bottom)], thick=1)
        for number, (label, color, dashed, line) in enumerate(series):
            points = [(*place(at, value[0]), value[1]) for at, value in zip(xs, line) if value]
            d.line([(px, py) for px, py, _ in points], edge=color, thick=2, dashed=dashed)
            for px, py, fitted in points:
                d.parts.append(f'<circle cx="{px:g}" cy="{py:g}" r="3.5" fill="{"#ffffff" if fitted else color}" stroke="{color}"/>')
            if index:
                continue
            y = bottom + 54 + 17 * number
            d.line([(left, y), (left + 26, y)], edge=color, thick=2, dashed=dashed)
            d.text(left + 32, y + 4, escape(label), 12, "start")
    d.text(24, height - 10, escape(note), 11, "start")
    return d


def drawings(report):
    """Every figure: (name of the file, drawing)."""
    note = "NVIDIA H100 80GB; 16 threads of its host. Medians."
    fits = note + " Hollow: extrapolated from shorter runs."

    atoms = (128, 256, 512, 1024, 2048, 4096)
    figure = "gems2-table-43-1"

    def table(method, published=False):
        ask = report.published if published else report.here
        return [ask(figure, method, "upper+lower", f"{n:,} atoms") for n in atoms]

    yield figure, panels("Table 43-1: upper and lower bounds, then and now", [("", "atoms", atoms, [
        ("CPU, 2005: Xeon 2.4 GHz", PAPER, True, table("CPU", True)),
        ("GPU, 2005: GeForce 6800 Ultra", COLORS[1], True, table("GPU", True)),
        ("CPU here: the chapter's loops, one thread", PAPER, False, table("CPU")),
        ("GPU here: gl packed, the chapter's passes", COLORS[1], False, table("GPU")),
        ("cuda naive", COLORS[0], False, table("cuda naive"))], True)], fits)
    yield "gems2-variants", bars("The chapter's variants: 1,024 atoms, upper and lower bounds", [
        (name, None, report.here(figure, method, "upper+lower", "1,024 atoms")) for name, method in (
            ("copy", "gl copy"), ("scalar", "gl scalar"), ("scalar-shadercoords", "gl scalar-shadercoords"), ("packed", "GPU"),
            ("packed-branch", "gl packed-branch"), ("triangle", "gl triangle"), ("triangle-single", "gl triangle-single"),
            ("triangle-packed", "gl triangle-packed"))], note)

    sequences = (17, 22, 50, 70, 78, 150, 170, 200, 298, 500, 1000)

    def published_share(n):
        part, whole = (report.published("clustal-c1", f"ClustalW {n}", stage) for stage in ("pairs", ""))
        return part[0] / whole[0], False

    shares = report.values("clustal-c1", "the pairs' shares of the time are those of figure 3.6")

    yield "clustal-figure-3-6", panels("Figure 3.6: share of ClustalW's time that all pairs take", [("", "sequences", sequences, [
        ("published", PAPER, True, list(map(published_share, sequences))),
        ("here: ClustalW's rules, 256 letters, one thread", HERE, False, [shares.get(f"{n} sequences") for n in sequences])],
        False)], fits)
    yield "clustal-figure-5-8", bars("Figures 5.7 and 5.8: the whole square, and its half; 200 sequences of 64 letters", [
        (f"{label}, {part}", None, report.here("clustal-figure-5-8", f"{method}, {part}"))
        for label, method in (("one core, cell by cell", "one core, a cell after another"), ("one core, vectors", "cpu"), ("gl", "gl"),
                              ("cuda, as printed", "cuda, as printed"), ("cuda", "cuda")) for part in ("square", "half")], note)
    numbers, letters = (100, 200, 300, 400), (16, 64, 256)

    def over(figure, method, length):
        return [report.here(figure, f"{method} {n} × {length}") for n in numbers]

    yield "clustal-figure-6-1", panels("Figure 6.1: ClustalW's rules on one thread (cpu interpair)", [("", "sequences", numbers, [
        (f"{n} letters", color, False, over("clustal-figure-6-1", "CPU", n)) for n, color in zip(letters, COLORS)], True)], note)
    yield "clustal-figure-6-2", panels("Figure 6.2: the GPU, whole alignments", [(heading, "sequences", numbers, [
        (f"{n} letters", color, False, over("clustal-figure-6-2", method, n)) for n, color in zip(letters, COLORS)], True)
        for heading, method in (("cuda, the printed kernels", "GPU"), ("gl", "gl"))], note)
    stages = ("pairs", "guide tree", "progressive")

    def stage_shares(method, length):
        for stage in stages:
            line = []
            for n in numbers:
                part, whole = (report.here("clustal-figure-6-3", f"{method} {n} × {length}", s) for s in (stage, ""))
                line.append((part[0] / whole[0], False) if part and whole else None)
            yield line

    yield "clustal-figure-6-3", panels("Figure 6.3: shares of the three stages, sequences of 16 letters", [
        (heading, "sequences", numbers, [
        (stage, color, False, line) for stage, color, line in zip(stages, COLORS, stage_shares(method, 16))], False)
        for heading, method in (("cuda, the printed kernels", "GPU"), ("gl", "gl"))], note)
    yield "clustal-figure-6-4", panels("Figure 6.4: the GPU against ClustalW on the CPU", [(f"{n} letters", "sequences", numbers, [
        (label, color, False, over("clustal-figure-6-4", method, n)) for label, color, method in (
            ("CPU, one thread", PAPER, "CPU"), ("cuda, as printed", COLORS[0], "GPU"), ("gl", COLORS[1], "gl"))], True)
        for n in letters], fits)
    device = (8, 16, 24, 32, 40, 48, 56, 64, 128, 256, 512)

    def memory(way, published):
        return [(report.published if published else report.here)("clustal-figure-6-5", f"{way} device memory {n}") for n in device]

    yield "clustal-figure-6-5", panels("Figure 6.5: sequences and matrix sent for each pair, or kept on the device", [
        ("", "sequences", device, [
        ("published, without device memory", PAPER, True, memory("without", True)),
        ("published, with device memory", COLORS[1], True, memory("with", True)),
        ("here, without device memory", PAPER, False, memory("without", False)),
        ("here, with device memory", COLORS[1], False, memory("with", False))],
        True)], fits)
    methods = (("ClustalW", "ClustalW 400"), ("gl", "gl"), ("cuda", "cuda"))
    yield "liu-2006", bars("Liu et al. 2006: 400 sequences of 256 letters", [
        row for heading, stage in (("all pairs", "pairs"), ("whole alignment", "")) for row in
        [(heading,), *((label, None, report.here("liu-2006", method, stage)) for label, method in methods)]], fits)

    figure = "allpairs-figure-4"
    yield figure, bars("Figure 4: all pairs of 112 instances, 512 attributes", [
        (method, report.published(figure, method, "compute"), report.here(figure, method, "compute")) for method in (
            "CPU loop", "naive", "coalesced", "char4", "register", "shared", "cuda reduction",
            "cuda texture", "cuda constant", "gl scalar", "gl bits")], note)

    bins = (10, 15, 20)
    kernels = "weights+scan+self+joint"

    def kernel_share(stage):
        for n in bins:
            part, whole = (report.here("cudami-table-4", f"CUDAMI R {n} k 3", s) for s in (stage, kernels))
            yield (part[0] / whole[0], False) if part and whole else None

    yield "cudami-figure-6", panels("Figure 6 and table 4: shares of the kernels, 4,096 genes × 911 samples", [("", "bins", bins, [
        ("kernel 4, published", PAPER, True, [(0.6139, False), (0.719, False), (0.7938, False)]),
        ("kernel 4, here", COLORS[0], False, list(kernel_share("joint"))),
        ("kernel 2 (the scan), published for 10 bins", COLORS[3], True, [(0.3193, False), None, None]),
        ("kernel 2, here", COLORS[1], False, list(kernel_share("scan")))], False)], note)
    yield "cudami-table-5", bars("Table 5: mutual information and network of 250 genes", [
        row for n in (500, 900, 1200) for row in [
            (f"{n:,} samples",), *((label, None, report.here("cudami-table-5", f"{method} {n}")) for label, method in (
            ("ARACNE's stand-in, 1 thread", "ARACNE"), ("TINGe's stand-in, 4 threads", "TINGe"),
                ("CARACNE: cuda", "CARACNE"), ("CARACNE: gl", "CARACNE, gl")))]], note)

    lengths, trials = (1024, 2048, 4096, 8192), (12, 25, 50)
    yield "crossapen-figure-4", panels("Figure 4: one sweep, C(2), instead of two, C(1); one thread", [("", "samples", lengths, [
        (label, color, False, [report.here("crossapen-figure-4", method, "", f"1 × {n:,}") for n in lengths])
        for label, color, method in (
            ("C(1): two sweeps", COLORS[1], "reference paper-two-sweeps"),
            ("C(2): one sweep", COLORS[0], "reference paper-one-sweep"))], True)], note)
    yield "crossapen-figure-5", bars("Figure 5: brute force of 50 trials of 8,192 samples in one launch", [
        (method, report.published("crossapen-figure-5", f"cuda {method}"), report.here("crossapen-figure-5", f"cuda {method}"))
        for method in ("registers", "halo", "shifted")], note)
    methods = (("cuda shifted", COLORS[0]), ("gl packed", COLORS[1]), ("cpu merged", COLORS[2]))
    yield "crossapen-figure-6", panels("Figure 6: time over trials and over length", [(heading, name, xs, [
        (method if method != "cpu merged" else "cpu merged, 16 threads", color, False,
         [report.here("crossapen-figure-6", method, "", problem.format(n)) for n in xs])
        for method, color in methods], True) for heading, name, xs, problem in (
            ("8,192 samples", "trials", trials, "{} × 8,192"), ("50 trials", "samples", lengths, "50 × {:,}"))], note)
    yield "crossapen-table-1", bars("Table 1: 50 epochs of 8,192 samples", [
        (label, *(ask("crossapen-table-1", method, "", "50 × 8,192") for ask in (report.published, report.here)))
        for label, method in (("1 core, the paper's loop", "C(2), 1 core"), ("1 core, vectors", "1 core"), ("2 cores, vectors", "2 cores"),
                              ("4 cores, vectors", "4 cores"), ("6 cores, vectors", "6 cores"),
                              ("cuda shifted", "cuda shifted"), ("gl packed", "gl packed"))], note)


def main():
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/results/reproduce-h100/report.json.gz"
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs/papers/figures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings(Report(path)):
        drawing.save(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
