#!/usr/bin/env bash
# Single cells with a known answer: a simulated network of 100 genes and 1,500 cells with the noise of single-cell data. Library
# sizes differ, counts are small numbers of molecules, and dropouts make nearly half of the counts 0 (the model of Splatter;
# `glycine generate expression --molecules --dropouts`). `glycine network` infers the network from the counts, from counts
# scaled to the same library size, and from as many arrays of the same network. Draws the best network.
#
# Usage: examples/cells_of_a_network.sh [OUTPUT FOLDER]   (default: demo-output; GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
output=${1:-demo-output}
mkdir -p "$output"

# generate NAME [OPTION…]: the same seed always gives the same network.
generate() {
    local name=$1
    shift
    "$glycine" generate expression --genes 100 --samples 1500 --seed 1 "$@" \
        -o "$output/$name.tsv" --truth "$output/network-truth.tsv"
}
echo "=== A network, in 1,500 cells and in 1,500 arrays"
generate cells --molecules 10000 --library-variation 0.5 --dropouts 1
generate cells-as-arrays

# Counts of each cell, divided by their sum, times 10,000.
awk -F '\t' -v OFS='\t' '
    NR == FNR { if (FNR > 1) for (i = 2; i <= NF; ++i) library[i] += $i; next }
    FNR == 1 { print; next }
    { line = $1; for (i = 2; i <= NF; ++i) line = line OFS (library[i] > 0 ? $i * 10000 / library[i] : 0); print line }
' "$output/cells.tsv" "$output/cells.tsv" >"$output/cells-scaled.tsv"
# The simulation names them TF1 to TF10.
printf 'TF%d\n' {1..10} >"$output/cells-factors.txt"

# score TABLE METHOD [OPTION…]: area under the precision-recall curve, compared with the true edges.
score() {
    local table=$1 method=$2
    shift 2
    "$glycine" network "$output/$table.tsv" -o "$output/cells-network.tsv" --method "$method" "$@" \
        --gold "$output/network-truth.tsv" | sed -n 's/^Truth *AUPR \([0-9.]*\),.*/\1/p'
}
for named in no yes; do
    options=()
    [ "$named" = yes ] && options=(--tf "$output/cells-factors.txt")
    echo
    if [ "$named" = yes ]; then
        echo "=== AUPR where the regulators are named (--tf); of a guess 0.18"
    else
        echo "=== AUPR of all pairs; of a guess 0.035"
    fi
    printf '%-12s %10s %10s %10s\n' method counts scaled arrays
    for method in mi clr mrnet consensus; do
        printf '%-12s %10s %10s %10s\n' "$method" "$(score cells "$method" "${options[@]}")" \
            "$(score cells-scaled "$method" "${options[@]}")" "$(score cells-as-arrays "$method" "${options[@]}")"
    done
done

echo
echo "=== The best edges of the cells, as a list, for ARACNE's readers and as a picture"
"$glycine" network "$output/cells-scaled.tsv" --method clr --tf "$output/cells-factors.txt" --top 300 \
    --gold "$output/network-truth.tsv" -o "$output/cells-network.tsv" -o "$output/cells-network.adj" \
    -o "$output/cells-network.png" --drawn-edges 80
