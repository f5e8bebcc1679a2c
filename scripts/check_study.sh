#!/usr/bin/env bash
# Makes a quick study of one algorithm and a comparison of two, and opens both in a browser. Checks that pages are well-formed,
# conform to the schema, open with the answer, show something, sort their tables, show values of charts for arrow keys, and do
# not scroll sideways on a narrow screen.
#
# Usage: scripts/check_study.sh [GLYCINE]     the program; default: the build of scripts/demo.sh
source "$(dirname "$0")/lib.sh"

glycine=$(realpath "${1:-build/release/glycine}")
install_packages chromium fonts-dejavu-core python3 python3-jsonschema python3-pil
# Debian's Python, for which the packages are installed, even if there are others.
python=/usr/bin/python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$glycine" study bounds --quick --backend cpu,reference --label "all threads" -o "$work/one"
"$glycine" study bounds --quick --backend cpu --threads 1 --without figures --label "one thread" -o "$work/two"
"$glycine" report "$work/one/report.json" "$work/two/report.json" -o "$work/both"
# The report of one study gives its page.
"$glycine" report "$work/one/report.json" -o "$work/page"
cmp "$work/one/report.html" "$work/page/report.html"
# A second call finds everything finished.
"$glycine" study bounds --quick --backend cpu,reference --label "all threads" -o "$work/one" >"$work/again" 2>&1
grep -q 'times of bounds.*from an earlier call' "$work/again" || { cat "$work/again"; exit 1; }

"$python" scripts/check_study_report.py "$work/one/report.json" "$work/two/report.json"

# A browser without the machine's own settings and without network. Fails with what it said.
browse() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" "$@" 2>"$work/browser.log" ||
        { cat "$work/browser.log" >&2; exit 1; }
}

for page in one/report both/comparison; do
    "$python" - "$work/$page.html" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

page = tree.parse(sys.argv[1]).getroot()
names = [element.tag.split("}")[-1] for element in page.iter()]
assert names.count("svg") >= 2 and names.count("table") >= 5, "charts and tables are missing"
for element in page.iter():
    for name, value in element.attrib.items():
        local = name.split("}")[-1]
        assert local not in ("src", "srcset") and not (local == "href" and not value.startswith("#")), f"{name}={value}"
assert not {"link", "iframe", "object", "img"} & set(names)
text = "".join(page.itertext())
assert "Fastest" in text.split("Ratios")[0], "the page does not open with the answer"
assert "BUSY MACHINE during" not in text.split("Conditions and warnings", 2)[0], "a warning before the answer"
assert names.count("title") > 20, "charts without values"
identifiers = [element.get("id") for element in page.iter() if element.get("id")]
assert len(identifiers) == len(set(identifiers)), "two elements of one name"
PYTHON
    browse --window-size=1180,2400 --screenshot="$work/page.png" "file://$work/$page.html" >/dev/null
    "$python" - "$work/page.png" <<'PYTHON'
import sys

from PIL import Image

points = Image.open(sys.argv[1]).convert("RGB").getdata()
dark = sum(max(point) < 90 for point in points)
coloured = sum(max(point) - min(point) > 80 for point in points)
assert dark > 5000, f"{dark} dark points: a page without text"
assert coloured > 2000, f"{coloured} coloured points: a page without charts"
print(f"{len(points)} points, {dark} dark and {coloured} coloured")
PYTHON
    # The same page with a script that uses it and writes what it found into its title.
    "$python" - "$work/$page.html" "$work/used.html" <<'PYTHON'
import sys

USE = """<script>
const faults = [];
const expect = (holds, what) => { if (!holds) faults.push(what); };
for (const folded of document.querySelectorAll("details")) folded.open = true;
for (const table of document.querySelectorAll("table.sortable")) {
  const rows = () => [...table.tBodies[0].rows], first = rows();
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = head.querySelector("button"), isNumber = head.classList.contains("number");
    const name = table.getAttribute("aria-label") + ", " + head.textContent;
    button.focus();
    expect(document.activeElement === button, name + " cannot be reached by keys");
    for (const direction of ["ascending", "descending"]) {
      button.click();
      expect(head.getAttribute("aria-sort") === direction, name + " is not " + direction);
      if (!isNumber) continue;
      const values = rows().map(row => row.cells[column].dataset.value).filter(value => value !== undefined).map(Number);
      const sign = direction === "ascending" ? 1 : -1;
      expect(values.every((value, i) => i === 0 || sign * (value - values[i - 1]) >= 0), name + " is not in order");
      expect(new Set(rows()).size === first.length, name + " lost rows");
    }
    button.click();
    expect(rows().every((row, i) => row === first[i]), name + " did not return to its first order");
  });
}
const charts = [...document.querySelectorAll("figure .chart")];
expect(charts.length > 0, "no chart");
for (const chart of charts) {
  chart.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  const value = chart.parentNode.querySelector("output");
  expect(value && value.textContent === chart.querySelector("rect.value title").textContent,
         chart.parentNode.id + " shows no value for an arrow key");
}
const width = document.documentElement.scrollWidth;
expect(width <= innerWidth, "the page is " + width + " wide on a screen of " + innerWidth);
document.title = "Found: " + (faults.join("; ") || "nothing") + ".";
</script></body>"""
text = open(sys.argv[1], encoding="utf-8").read()
open(sys.argv[2], "w", encoding="utf-8").write(text.replace("</body>", USE))
PYTHON
    for width in 500 1400; do
        browse --window-size=$width,900 --dump-dom "file://$work/used.html" >"$work/used.dom"
        grep -q '<title>Found: nothing\.</title>' "$work/used.dom" ||
            { echo "$page at $width pixels: $(grep -m 1 -o '<title>[^<]*' "$work/used.dom")" >&2; exit 1; }
    done
done
