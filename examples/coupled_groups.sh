#!/usr/bin/env bash
# A small study with a known answer: two groups of eight recordings of chains of coupled Hénon maps. Each channel is driven by
# the previous one, weakly in one group, strongly in the other. `glycine crossapen` compares the groups for each pair of
# channels: coupling changes which patterns resemble each other, most of all at the end of the chain. Then the same with noise
# that is merely correlated between neighbours: Cross-ApEn matches patterns regardless of their time, so correlation alone makes
# no difference.
#
# Usage: examples/coupled_groups.sh [OUTPUT FOLDER]   (default: demo-output; GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
output=${1:-demo-output}
mkdir -p "$output"

# study KIND WEAK STRONG: generates the recordings and the table of groups, and compares the groups.
study() {
    local kind=$1 folder="$output/coupled-$1" subject
    mkdir -p "$folder"
    echo "file,group" >"$folder/groups.csv"
    for subject in 1 2 3 4 5 6 7 8; do
        "$glycine" generate signals --kind "$kind" --coupling "$2" --channels 8 --epochs 4 --seed "$subject" \
            -o "$folder/weak$subject.edf" >/dev/null
        "$glycine" generate signals --kind "$kind" --coupling "$3" --channels 8 --epochs 4 --seed "10$subject" \
            -o "$folder/strong$subject.edf" >/dev/null
        printf 'weak%d,weak\nstrong%d,strong\n' "$subject" "$subject" >>"$folder/groups.csv"
    done
    "$glycine" crossapen "$folder"/*.edf --groups "$folder/groups.csv" -o "$folder/results" | grep -A 1 '^Groups'
    echo "Means and p-values of every pair: $folder/results/groups.png and groups.csv"
}

echo "=== Hénon maps, coupled by 0.05 and by 0.35"
study henon 0.05 0.35
echo
echo "=== Autoregressive noise, neighbours correlated by 0.1 and by 0.7"
study ar 0.1 0.7
