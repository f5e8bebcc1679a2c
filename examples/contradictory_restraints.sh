#!/usr/bin/env bash
# Finds restraints that contradict each other, removes one, and shows that the rest can be satisfied.
#
# Five atoms in a chain. Each link has an upper bound, and an assignment error claims that the ends of the chain are
# 20 Å apart, more than all links together allow. No single pair is wrong on its own: only the chain shows it.
#
# Usage: examples/contradictory_restraints.sh        (GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# write_npy FILE N VALUE…: writes an N × N array of integers (0 … 255) in NumPy's format, version 1.0. If NumPy is available,
# numpy.save does the same.
write_npy() {
    local file=$1 n=$2 value header
    shift 2
    # Magic string, version and the header's length make 10 bytes; the header is padded to a multiple of 64.
    header="{'descr': '|u1', 'fortran_order': False, 'shape': ($n, $n), }"
    {
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
        for value in "$@"; do printf "\\x$(printf %02x "$value")"; done
    } >"$file"
}

# 60 Å stands for "unknown": the diameter of the molecule.
write_npy "$folder/upper.npy" 5 \
    0 4 60 60 60 \
    4 0 5 60 60 \
    60 5 0 4 60 \
    60 60 4 0 5 \
    60 60 60 5 0
write_npy "$folder/lower.npy" 5 \
    0 1 1 1 20 \
    1 0 1 1 1 \
    1 1 0 1 1 \
    1 1 1 0 1 \
    20 1 1 1 0

echo "=== With the wrong restraint between atoms 1 and 5"
"$glycine" bounds --upper "$folder/upper.npy" --lower "$folder/lower.npy" --backend cpu --explain \
    -o "$folder/smoothed.npz"

write_npy "$folder/corrected.npy" 5 \
    0 1 1 1 1 \
    1 0 1 1 1 \
    1 1 0 1 1 \
    1 1 1 0 1 \
    1 1 1 1 0

echo
echo "=== Without it"
"$glycine" bounds --upper "$folder/upper.npy" --lower "$folder/corrected.npy" --backend cpu \
    -o "$folder/smoothed.npz" -o "$folder/smoothed.tsv"
echo
cat "$folder/smoothed.tsv"
