#!/usr/bin/env bash
# Times `glycine distance --measure plink` against PLINK 1.9's --distance, end to end on the same files, one after the
# other in one run, and checks that both write the same bytes. Needs plink1.9.
#
# Usage: bench/compare_with_plink.sh [INSTANCES [VARIANTS [MISSING SHARE [REPEATS]]]]     (default: 2000 100000 0 3)
source "$(dirname "$0")/../scripts/lib.sh"

instances=${1:-2000} variants=${2:-100000} missing=${3:-0} repeats=${4:-3}
command -v plink1.9 >/dev/null || { echo "plink1.9 is not installed" >&2; exit 1; }
build release glycine_program
glycine=$PWD/build/release/glycine
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$glycine" generate genotypes --instances "$instances" --attributes "$variants" --missing "$missing" --seed 1 -o in.bed

# fastest NAME COMMAND…: runs the command `repeats` times; prints the least wall time with its processor time.
fastest() {
    local name=$1 best="" run TIMEFORMAT='%R %U %S'
    shift
    for ((run = 0; run < repeats; ++run)); do
        local took
        took=$({ time "$@" >"$name.log" 2>&1; } 2>&1) || { cat "$name.log" >&2; exit 1; }
        [ -z "$best" ] && best=$took
        best=$(printf '%s\n%s\n' "$best" "$took" | sort -n | head -n 1)
    done
    echo "$best"
}

threads=$(nproc)
echo "$instances instances × $variants variants, missing $missing, $threads threads, best of $repeats"
theirs=$(fastest plink plink1.9 --bfile in --distance --threads "$threads" --out theirs)
ours=$(fastest glycine "$glycine" distance in.bed --measure plink --backend cpu -o ours.dist)
cmp ours.dist theirs.dist
echo "$theirs $ours" | awk -v n="$instances" -v m="$variants" '{
    printf "plink1.9   %8.2f s, %8.2f s of processor time, %8.1f G comparisons/s (all pairs counted)\n", $1, $2 + $3, n * n * m / $1 / 1e9
    printf "glycine    %8.2f s, %8.2f s of processor time, %8.1f G comparisons/s\n", $4, $5 + $6, n * n * m / $4 / 1e9
    printf "ratio      %8.1f ×\n", $1 / $4
}'
echo "both wrote the same bytes"
