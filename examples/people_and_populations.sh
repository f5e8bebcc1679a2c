#!/usr/bin/env bash
# Genetic distances of 379 Europeans (1000 Genomes, phase 1) at 2000 variants of chromosomes 21 and 22. Writes the file of
# `plink --distance`, compared byte for byte if plink1.9 is installed, the ten closest pairs, the mean within and between the
# five populations, and a heat map ordered by clustering, and compares gl and cpu with the reference. So few variants show that
# Finns and Tuscans are farthest apart on average, but not who belongs to which population.
#
# Usage: examples/people_and_populations.sh [OUTPUT FOLDER]   (default: demo-output; GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
output=${1:-demo-output}
packed=$(unpack_package bio-eagle-examples)/usr/share/doc/bio-eagle/examples
mkdir -p "$output"
for part in bed bim fam; do gunzip -c "$packed/EUR_test.$part.gz" >"$output/EUR_test.$part"; done

echo "=== Alleles by which two people differ, as PLINK writes them"
"$glycine" distance "$output/EUR_test.bed" --measure plink -o "$output/EUR_test.dist"
if command -v plink1.9 >/dev/null; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    plink1.9 --bfile "$output/EUR_test" --distance --out "$scratch/plink" >/dev/null 2>&1
    cmp "$output/EUR_test.dist" "$scratch/plink.dist"
    echo "plink1.9 wrote the same bytes"
fi

echo
echo "=== The same as a share of all alleles, with a heat map ordered by clustering"
"$glycine" distance "$output/EUR_test.bed" --measure 1-ibs --backend gl -o "$output/EUR_test-pairs.tsv" \
    --molten --shape triangle -o "$output/EUR_test-1-ibs.png" --order cluster

echo
echo "=== The ten closest pairs"
LC_ALL=C sort -k3,3g "$output/EUR_test-pairs.tsv" | sed -n '1,10p'

echo
echo "=== Mean within and between populations: British, Finnish, Spanish, Tuscan, and Utah residents (CEU)"
label_europeans "$output/EUR_test.fam" >"$output/EUR_populations.tsv"
awk -F '\t' '
    NR == FNR { population[$1] = $2; next }
    {
        a = population[$1]; b = population[$2]
        pair = sprintf("%-10s %-10s", a < b ? a : b, a < b ? b : a)
        sum[pair] += $3; pairs[pair]++
    }
    END { for (pair in sum) printf "%s %.4f %6d pairs\n", pair, sum[pair] / pairs[pair], pairs[pair] }
' "$output/EUR_populations.tsv" "$output/EUR_test-pairs.tsv" | LC_ALL=C sort -k3,3g

echo
echo "=== Two principal coordinates: Finns on one side, Tuscans on the other"
"$glycine" distance "$output/EUR_test.bed" --measure 1-ibs --coordinates 2 --groups "$output/EUR_populations.tsv" \
    -o "$output/EUR_test-coordinates.tsv" -o "$output/EUR_test-coordinates.svg"

echo
echo "=== gl and cpu against the reference, on these genotypes"
"$glycine" validate distance "$output/EUR_test.bed" --backend gl,cpu --variant bits,bitplane --precision counts \
    --dialects gl33
