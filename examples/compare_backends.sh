#!/usr/bin/env bash
# Smooths the bounds of a real protein (the 550 heavy atoms of 2SDF) on three backends, and shows which results are identical to
# the bit: all in fixed point; in float32, those that add in the same order. Then times the passes of the 2005 chapter next to
# the default ones.
#
# Usage: examples/compare_backends.sh        (GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
protein=$(unpack_package theseus-examples)/usr/share/doc/theseus/examples/2sdf.pdb.gz
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# smooth FORMAT BACKEND VARIANT: prints a checksum of the smoothed matrices; equal checksums mean equal bits.
smooth() {
    local file="$folder/$1-$2-$3.npz"
    "$glycine" bounds "$protein" --atoms heavy --precision "$1" --backend "$2" --variant "$3" -o "$file" >/dev/null
    printf '%-8s %-10s %-8s %s\n' "$1" "$2" "$3" "$(sha256sum "$file" | cut -c1-16)"
}

echo "format   backend    variant  checksum of the smoothed bounds"
for format in fixed float32; do
    smooth "$format" reference serial
    smooth "$format" cpu dense
    smooth "$format" cpu sparse
    smooth "$format" gl packed
    smooth "$format" gl blocked
done

echo
echo "=== How far apart are the results that differ?"
"$glycine" validate bounds --sizes 100 --backend gl,cpu --variant packed,blocked,dense --dialects gl33 --precision float32

echo
echo "=== And how fast are the passes of 2005 compared with the default ones?"
"$glycine" bench bounds --sizes 512 --which upper --backend gl --variant packed,blocked --repeats 3
