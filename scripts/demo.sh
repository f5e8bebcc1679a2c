#!/usr/bin/env bash
# Smooths the distance bounds of a real protein (2SDF, the NMR structure of a chemokine, from Debian's
# theseus-examples) on the GL and the CPU backends, checks one against the other, and draws the bounds before and
# after. Sets up what is missing; safe to run again; needs no network the second time.
#
# Usage: scripts/demo.sh [OUTPUT FOLDER]        (default: demo-output)
source "$(dirname "$0")/lib.sh"

output=${1:-demo-output}
install_packages "${BUILD_PACKAGES[@]}"
build release glycine
protein=$(unpack_package theseus-examples)/usr/share/doc/theseus/examples/2sdf.pdb.gz
mkdir -p "$output"
glycine=build/release/glycine

echo
echo "=== Smoothing on the graphics pipeline (gl)"
"$glycine" bounds "$protein" --backend gl -o "$output/2sdf-gl.npz" --png "$output/2sdf-bounds.png"
echo
echo "=== The same on the processor (cpu)"
"$glycine" bounds "$protein" --backend cpu -o "$output/2sdf-cpu.npz"
echo
echo "=== Both, and the chapter's own best variant, checked against the reference on this protein"
"$glycine" validate bounds "$protein" --backend cpu,gl --variant dense,packed,blocked --format float32,fixed --dialects gl33
echo
echo "The smoothed bounds are in $output/2sdf-gl.npz, the heat maps before and after in $output/2sdf-bounds.png"
