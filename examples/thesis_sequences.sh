#!/usr/bin/env bash
# The five sequences of appendix B of C. S. Khaladkar's thesis (University of Western Australia, 2009), which have no real
# relatives, aligned by the thesis' scheme (1 for equal letters, -1 for others, -2 per gap letter) and as in ClustalW 2.1. The
# rows printed in the appendix have different lengths; these do not. Also runs the stages one by one: distances, guide tree,
# progressive alignment.
#
# Usage: examples/thesis_sequences.sh [OUTPUT FOLDER]   (default: demo-output; GLYCINE=PATH for another build)
source "$(dirname "$0")/../scripts/lib.sh"
find_glycine
output=${1:-demo-output}
mkdir -p "$output"

cat >"$output/thesis.fa" <<'FASTA'
>seqNum0 This is random sequence 0
DBCADABCEBCCAEDBABCBBBDCECACDCAECCDECDBBCEDBEE
>seqNum1 This is random sequence 1
CDBDDEDBEECABDECBEEAAEDCBCCCCBBABBAEEEAEBCC
>seqNum2 This is random sequence 2
EDEDBADAEEEECBDBCAEBCBCDACEBDAECADDDDBDEBEDDD
>seqNum3 This is random sequence 3
CDEDBDACBAABBADAABEBCADBCDECCEABCEEADBDBBADA
>seqNum4 This is random sequence 4
BBDCBAEEBEEBACADCAEDAECCEBBAECCCAAACEACDDDAEAE
FASTA

echo "=== By the thesis' scheme"
"$glycine" align "$output/thesis.fa" --method thesis -o "$output/thesis.aln" -o "$output/thesis.png"
cat "$output/thesis.aln"

echo
echo "=== The same in three steps: distances, the tree made from them, the alignment along it"
"$glycine" align "$output/thesis.fa" --method thesis --stage pairwise -o "$output/thesis-distances.phy" >/dev/null
"$glycine" align "$output/thesis.fa" --method thesis --stage tree --distances-in "$output/thesis-distances.phy" \
    -o "$output/thesis.nwk" >/dev/null
"$glycine" align "$output/thesis.fa" --method thesis --stage progressive --tree-in "$output/thesis.nwk" \
    -o "$output/thesis-steps.aln" >/dev/null
cat "$output/thesis-distances.phy" "$output/thesis.nwk"
cmp "$output/thesis.aln" "$output/thesis-steps.aln" && echo "both ways lead to the same alignment"

echo
echo "=== As ClustalW 2.1 aligns them"
"$glycine" align "$output/thesis.fa" --method clustalw -o "$output/thesis-clustalw.aln"
cat "$output/thesis-clustalw.aln"
