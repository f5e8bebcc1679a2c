#!/usr/bin/env bash
# Runs the notebooks of examples/notebooks on data from Debian packages, and writes them with their results as web pages to
# build/notebooks. Each must run to its end and show a picture.
#
# Usage: scripts/notebooks.sh [BUILD FOLDER] (default: build/release, built with the Python package)
source "$(dirname "$0")/lib.sh"

package=$(realpath "${1:-build/release}")/python
[ -d "$package/glycine" ] || { echo "$package has no package glycine; configure with -DGLYCINE_PYTHON=ON" >&2; exit 1; }
install_packages jupyter-nbconvert python3-ipykernel python3-numpy
for data in "${DATA_PACKAGES[@]}"; do unpack_package "$data" >/dev/null; done
export PYTHONPATH=$package GLYCINE_DATA=$PWD/.cache/packages
for notebook in examples/notebooks/*.ipynb; do
    name=$(basename "$notebook" .ipynb)
    jupyter-nbconvert --log-level WARN --to html --execute --ExecutePreprocessor.timeout=120 --output-dir build/notebooks "$notebook"
    grep -q 'class="jp-RenderedImage' "build/notebooks/$name.html" || { echo "$notebook shows no picture" >&2; exit 1; }
done
echo "Notebooks: all of them run; results in build/notebooks"
