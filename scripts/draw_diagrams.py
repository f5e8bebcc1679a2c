#!/usr/bin/env python3
"""Draws the diagrams of docs/explanation as SVG files.

Usage: scripts/draw_diagrams.py [FOLDER] (default: docs/explanation)
"""
import pathlib
import sys

INK, LINE, TEAL, ROSE, GOLD, BLUE = "#20303a", "#8a9aa3", "#bfe3df", "#f6d0cf", "#f8e6b8", "#cfe0f5"
CHANNELS = ("#f6d0cf", "#d3ecc8", "#cfe0f5", "#e6e6e6")  # red, green, blue, alpha


class Drawing:
    """An SVG on a pale card, so that it reads on light and on dark pages."""

    def __init__(self, width, height, title):
        self.size = (width, height)
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            'font-family="sans-serif" font-size="14">',
            f"<title>{title}</title>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0 L8 4 L0 8 z" fill="{INK}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#fbfcfc"/>',
        ]

    def box(self, x, y, width, height, fill="#ffffff", edge=LINE, thick=1.0, rounded=0):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rounded}" fill="{fill}" '
                          f'stroke="{edge}" stroke-width="{thick:g}"/>')

    def text(self, x, y, words, size=14, anchor="middle", bold=False, fill=INK):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{weight} fill="{fill}">{words}</text>')

    def line(self, points, arrow=False, edge=INK, thick=1.5, dashed=False):
        path = " ".join(f"{x:g},{y:g}" for x, y in points)
        end = ' marker-end="url(#head)"' if arrow else ""
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{edge}" stroke-width="{thick:g}"{end}{dashes}/>')

    def curve(self, path, arrow=True, edge=INK, thick=1.5):
        end = ' marker-end="url(#head)"' if arrow else ""
        self.parts.append(f'<path d="{path}" fill="none" stroke="{edge}" stroke-width="{thick:g}"{end}/>')

    def dot(self, x, y, radius=5, fill=INK):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{INK}"/>')

    def grid(self, x, y, columns, rows, cell, fills=None):
        for row in range(rows):
            for column in range(columns):
                self.box(x + column * cell, y + row * cell, cell, cell, (fills or {}).get((row, column), "#ffffff"))

    def save(self, path):
        path.write_text("\n".join([*self.parts, "</svg>"]) + "\n")


def draw_pass():
    d = Drawing(760, 300, "One pass: a rectangle is drawn, and a fragment program computes each texel of the target")
    d.text(90, 30, "source texture", bold=True)
    d.grid(20, 50, 7, 7, 20, {(2, 4): ROSE, (2, 5): GOLD, (5, 4): BLUE})
    d.text(90, 214, "u(i, j), u(i, k), u(k, j)", 13)
    d.line([(170, 120), (236, 120)], arrow=True)
    d.text(203, 110, "look up", 12)
    d.box(240, 60, 270, 122, TEAL, rounded=6)
    d.text(375, 82, "fragment program", bold=True)
    d.text(375, 108, "runs once for each texel (i, j):", 13)
    d.text(375, 136, "min( u(i, j), u(i, k) + u(k, j) )", 14)
    d.text(375, 164, "all texels at once, in any order", 13)
    d.line([(510, 120), (582, 120)], arrow=True)
    d.text(546, 110, "write", 12)
    d.text(660, 30, "target texture", bold=True)
    d.grid(590, 50, 7, 7, 20, {(2, 4): TEAL})
    d.text(660, 214, "new u(i, j)", 13)
    d.box(210, 226, 330, 48, "#ffffff", rounded=6)
    d.text(375, 246, "the processor draws one rectangle;", 13)
    d.text(375, 264, "the rasterizer makes a fragment of each texel", 13)
    d.line([(375, 226), (375, 186)], arrow=True)
    return d


def draw_ping_pong():
    d = Drawing(760, 230, "Ping-pong: two textures swap the roles of source and target after each pass")
    for index, name in enumerate(("pass k = 0", "pass k = 1", "pass k = 2")):
        left = 20 + 250 * index
        source, target = ("A", "B") if index % 2 == 0 else ("B", "A")
        d.text(left + 110, 30, name, bold=True)
        for place, texture, role in ((left, source, "reads"), (left + 140, target, "writes")):
            d.box(place, 56, 80, 80, TEAL if texture == "A" else GOLD, rounded=4)
            d.text(place + 40, 106, texture, 28, bold=True)
            d.text(place + 40, 156, role, 13)
        d.line([(left + 82, 96), (left + 136, 96)], arrow=True)
        if index < 2:
            d.curve(f"M{left + 180} 166 C{left + 180} 206 {left + 290} 206 {left + 290} 166")
            d.text(left + 235, 214, "swap", 12)
    return d


def draw_packing():
    d = Drawing(760, 330, "Three ways to lay numbers out in texels")
    cell = 26
    d.text(20, 30, "a matrix row of eight bounds", anchor="start", bold=True)
    for column in range(8):
        d.box(20 + column * cell * 1.5, 42, cell * 1.5, cell, "#ffffff")
        d.text(20 + (column + 0.5) * cell * 1.5, 60, f"a{column}", 13)
    d.text(20, 108, "one number per texel (R32F, R32I): 8 texels", anchor="start", bold=True)
    for column in range(8):
        d.box(20 + column * 90, 120, 80, cell, CHANNELS[0])
        d.text(60 + column * 90, 138, f"a{column}", 13)
    d.text(20, 186, "four numbers per texel (RGBA32F, RGBA32I): 2 texels", anchor="start", bold=True)
    for texel in range(2):
        for channel in range(4):
            left = 20 + texel * 180 + channel * 43
            d.box(left, 198, 43, cell, CHANNELS[channel])
            d.text(left + 21, 216, f"a{texel * 4 + channel}", 13)
        d.box(20 + texel * 180, 198, 172, cell, "none", INK, 2)
    d.text(390, 208, "one lookup, one addition and one minimum", 13, "start")
    d.text(390, 224, "now serve four bounds", 13, "start")
    d.text(20, 264, "128 yes-or-no attributes per texel (RGBA32UI): bit planes", anchor="start", bold=True)
    for channel in range(4):
        d.box(20 + channel * 86, 276, 86, cell, CHANNELS[channel])
        d.text(63 + channel * 86, 294, "32 bits", 13)
    d.box(20, 276, 344, cell, "none", INK, 2)
    d.text(390, 286, "XOR of two texels and a population count", 13, "start")
    d.text(390, 302, "compare 128 attributes of two instances", 13, "start")
    return d


def draw_wavefront():
    d = Drawing(760, 290, "An alignment as passes: one anti-diagonal of tiles a pass")
    cell, left, top = 30, 60, 50
    shades = {(row, column): TEAL if row + column < 4 else GOLD if row + column == 4 else "#ffffff"
              for row in range(6) for column in range(8)}
    d.text(left + 4 * cell, 34, "letters of sequence b", 13)
    d.text(28, top + 3 * cell, "a", 14)
    d.grid(left, top, 8, 6, cell, shades)
    for row in range(5):
        d.text(left + (4.5 - row) * cell, top + (row + 0.65) * cell, "5", 13)
    for row in range(4):
        for column in range(4 - row):
            d.text(left + (column + 0.5) * cell, top + (row + 0.65) * cell, f"{row + column + 1}", 13)
    d.text(60, 262, "pass 5 draws the yellow tiles; the green ones are done, the white ones wait", 13, "start")
    d.box(360, 60, 150, 150, GOLD, rounded=4)
    d.grid(375, 75, 4, 4, 30, {(3, column): BLUE for column in range(4)} | {(row, 3): BLUE for row in range(4)})
    d.text(530, 80, "one fragment computes", 13, "start", bold=True)
    d.text(530, 100, "all cells of a tile in registers", 13, "start")
    d.text(530, 140, "and hands on only its last row", 13, "start")
    d.text(530, 160, "and its last column (blue),", 13, "start")
    d.text(530, 180, "through several render targets", 13, "start")
    d.line([(300, 130), (352, 130)], arrow=True)
    return d


def draw_bounds():
    d = Drawing(760, 240, "The triangle inequality carries bounds from known pairs to others")
    for left, title, near, far, result, color in (
            (80, "upper bounds add up", "i to k: at most 4 Å", "k to j: at most 5 Å", "so i to j: at most 9 Å", TEAL),
            (450, "lower bounds lose an upper one", "i to k: at most 4 Å", "k to j: at least 20 Å", "so i to j: at least 16 Å", ROSE)):
        d.text(left + 130, 30, title, bold=True)
        i, j, k = (left + 10, 180), (left + 240, 180), (left + 90, 80)
        d.line([i, k])
        d.line([k, j])
        d.line([i, j], dashed=True, edge="#0b7a75", thick=2)
        for (x, y), name in ((i, "i"), (j, "j"), (k, "k")):
            d.dot(x, y, 13, color)
            d.text(x, y + 5, name)
        d.text(left + 36, 118, near, 12, "end")
        d.text(left + 180, 106, far, 12, "start")
        d.text(left + 125, 214, result, 14, fill="#0b7a75", bold=True)
    return d


def spline(number, order, knots, z):
    """B-spline `number` of `order` at z, by the recursion of de Boor and Cox."""
    if order == 1:
        return 1.0 if knots[number] <= z < knots[number + 1] else 0.0
    total = 0.0
    span = knots[number + order - 1] - knots[number]
    if span:
        total += (z - knots[number]) / span * spline(number, order - 1, knots, z)
    span = knots[number + order] - knots[number + 1]
    if span:
        total += (knots[number + order] - z) / span * spline(number + 1, order - 1, knots, z)
    return total


def draw_splines():
    bins, order = 10, 3
    end = bins - order + 1
    knots = [0] * order + list(range(1, end)) + [end] * order
    d = Drawing(760, 260, "Ten bins of order 3: each value counts in three neighbouring bins")
    left, bottom, width, height = 50, 200, 660, 150
    inks = ("#0b7a75", "#b5473f", "#8a6d1f", "#3a66a5")
    value = 4.3
    for number in range(bins):
        points = []
        for step in range(401):
            z = min(end * step / 400, end - 1e-9)
            points.append((left + width * step / 400, bottom - height * spline(number, order, knots, z)))
        d.line([p for p in points if p[1] < bottom - 0.01] or points, edge=inks[number % 4], thick=2)
    d.line([(left, bottom), (left + width, bottom)])
    x = left + width * value / end
    d.line([(x, bottom), (x, 40)], dashed=True)
    shares = []
    for number in range(bins):
        weight = spline(number, order, knots, value)
        if weight:
            shares.append(f"{weight:.3f}")
            d.dot(x, bottom - height * weight, 4, inks[number % 4])
    d.text(x, 30, "a value counts " + ", ".join(shares) + " in three bins: 1 in all", 13)
    d.text(left, 224, "smallest value of the gene", 13, "start")
    d.text(left + width, 224, "largest value", 13, "end")
    d.text(left + width / 2, 246, "weights of the ten bins over the range of a gene", 13)
    return d


def draw_indirect():
    d = Drawing(760, 190, "The data-processing inequality removes an indirect edge")
    for left, title, edges in ((40, "mutual information", True), (430, "after the inequality", False)):
        x, y, z = (left + 40, 140), (left + 140, 60), (left + 240, 140)
        d.text(left + 140, 28, title, bold=True)
        d.line([x, y])
        d.line([y, z])
        if edges:
            d.line([x, z], dashed=True, edge="#b5473f")
            d.text(left + 62, 94, "0.9 bit", 13)
            d.text(left + 220, 94, "0.7 bit", 13)
            d.text(left + 140, 160, "0.4 bit", 13, fill="#b5473f")
        for (px, py), name in ((x, "x"), (y, "y"), (z, "z")):
            d.dot(px, py, 15, TEAL)
            d.text(px, py + 5, name)
    d.line([(330, 100), (420, 100)], arrow=True)
    return d


def draw_templates():
    d = Drawing(760, 290, "Templates of two channels: matches of m samples that go on, and one that does not")
    u = [0.1, 0.9, 0.3, -0.6, -0.2, 0.7, 0.2, -0.8, -0.3, 0.5]
    v = [-0.5, 0.2, 0.85, 0.25, -0.5, 0.1, 0.8, 0.2, 0.6, 0.0]
    def place(index, value, middle):
        return 110 + index * 64, middle - value * 44
    for name, values, middle, color in (("u", u, 80, "#0b7a75"), ("v", v, 200, "#b5473f")):
        d.text(40, middle + 5, f"channel {name}")
        points = [place(i, value, middle) for i, value in enumerate(values)]
        d.line(points, edge=color, thick=2)
        for x, y in points:
            d.dot(x, y, 3.5, color)
    def frame(index, middle, last, fill):
        x = 110 + index * 64 - 14
        d.box(x, middle - 54, 92, 106, fill, "#8a6d1f", 1.5, 6)
        d.box(x, middle - 54, 156, 106, "none", last, 1.5, 6)
    d.parts, body = d.parts[:4], d.parts[4:]
    frame(1, 80, "#0b7a75", GOLD)
    frame(2, 200, "#0b7a75", GOLD)
    frame(6, 200, "#b5473f", GOLD)
    d.parts += body
    d.text(380, 276, "m = 2 (yellow): both stretches of v match that of u; at m + 1 the left one still does, the right one does not", 13)
    return d


def draw_consistency():
    d = Drawing(760, 230, "Consistency: a third sequence supports a pair of residues")
    rows = (("x", 60, TEAL), ("z", 120, GOLD), ("y", 180, BLUE))
    for name, y, color in rows:
        d.text(40, y + 5, name, 16, bold=True)
        for index in range(9):
            d.box(70 + index * 36, y - 15, 34, 30, color, rounded=4)
    for (a, ya), (b, yb) in (((4, 75), (5, 105)), ((5, 135), (4, 165))):
        d.line([(87 + a * 36, ya), (87 + b * 36, yb)], arrow=True, thick=2)
    d.curve("M231 76 C200 110 200 130 231 164", edge="#b5473f", thick=2)
    d.text(420, 90, "P(x, z) · P(z, y)", 15, "start")
    d.text(420, 112, "x pairs with z, and z with y:", 13, "start")
    d.text(420, 130, "that supports x with y", 13, "start")
    d.text(420, 164, "P(x, y)", 15, "start", fill="#b5473f")
    d.text(420, 184, "what the two sequences alone say", 13, "start")
    return d


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / "docs/explanation"
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (("pass", draw_pass), ("ping-pong", draw_ping_pong), ("packing", draw_packing), ("wavefront", draw_wavefront),
                       ("bounds", draw_bounds), ("splines", draw_splines), ("indirect", draw_indirect),
                       ("templates", draw_templates), ("consistency", draw_consistency)):
        draw().save(folder / f"{name}.svg")


if __name__ == "__main__":
    main()
