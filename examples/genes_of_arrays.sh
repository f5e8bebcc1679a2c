#!/usr/bin/env bash
# Microarrays with a known answer: a simulated network of 250 genes in modules, measured in 500 samples, with some missing
# values. `glycine mutualinfo` estimates the mutual information of all pairs, by B-splines and by plain bins, and for comparison
# Pearson's and Spearman's correlation. The strongest pairs are compared with the true edges. Many of them are genes with a
# common factor: pairs alone do not reveal which links are direct. Draws the matrix ordered by clustering, which shows the
# modules, and compares cpu with the reference.
#
# Usage: examples/genes_of_arrays.sh [OUTPUT FOLDER]   (default: demo-output; GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
output=${1:-demo-output}
mkdir -p "$output"

echo "=== A network and what it does in 500 samples, 2 % of the values missing"
"$glycine" generate expression --genes 250 --samples 500 --topology modular --missing 0.02 --seed 1 \
    -o "$output/arrays.tsv" --truth "$output/arrays-truth.tsv"

# precision ESTIMATOR [OPTION…]: share of true edges among the strongest pairs, as many as there are true edges (for
# correlations, by absolute value).
precision() {
    local table="$output/arrays-pairs.tsv"
    "$glycine" mutualinfo "$output/arrays.tsv" --method "$@" -o "$table" --molten --shape triangle >/dev/null
    awk -F '\t' '
        FNR == 1 { file++ }
        file == 1 { if (FNR > 1) { true[$1, $2] = true[$2, $1] = 1; edges++ } next }
        $1 != $2 && FNR <= edges { found += ($1, $2) in true }
        END { printf "%.1f %% of %d\n", 100 * found / edges, edges }
    ' "$output/arrays-truth.tsv" <(awk -F '\t' '$1 != $2 { size = $3 < 0 ? -$3 : $3; print $1 "\t" $2 "\t" size }' \
        "$table" | LC_ALL=C sort -t $'\t' -k3,3gr)
}

echo
echo "=== True edges among as many pairs with the largest values"
echo "splines            $(precision spline)"
echo "splines, of ranks  $(precision spline --rank)"
echo "plain bins         $(precision bins)"
echo "Pearson's r        $(precision pearson)"
echo "Spearman's r       $(precision spearman)"

echo
echo "=== The matrix, with a heat map ordered by clustering"
"$glycine" mutualinfo "$output/arrays.tsv" -o "$output/arrays-mi.npy" -o "$output/arrays-mi.png"

echo
echo "=== cpu against the reference, on these arrays"
"$glycine" validate mutualinfo "$output/arrays.tsv" --backend cpu
