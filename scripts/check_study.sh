#!/usr/bin/env bash
# Makes a quick study of one algorithm and a comparison of two, and opens both in a browser. Checks that pages are well-formed,
# conform to the schema, and show something.
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
# A second call finds everything finished.
"$glycine" study bounds --quick --backend cpu,reference --label "all threads" -o "$work/one" >"$work/again" 2>&1
grep -q 'times of bounds.*from an earlier call' "$work/again" || { cat "$work/again"; exit 1; }

"$python" scripts/check_study_report.py "$work/one/report.json" "$work/two/report.json"

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
assert not {"script", "link", "iframe", "object", "img"} & set(names)
identifiers = [element.get("id") for element in page.iter() if element.get("id")]
assert len(identifiers) == len(set(identifiers)), "two elements of one name"
PYTHON
    # Without the machine's own settings and without network.
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --hide-scrollbars --user-data-dir="$work/profile" --window-size=1180,2400 \
        --screenshot="$work/page.png" "file://$work/$page.html" >"$work/browser.log" 2>&1 || { cat "$work/browser.log" >&2; exit 1; }
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
done
