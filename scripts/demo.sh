#!/usr/bin/env bash
# Runs each algorithm on real data from Debian packages, on the GL and the CPU backends, compares the two, and draws the
# results: the distance bounds and folded models of a protein (2SDF, an NMR structure of a chemokine, from
# theseus-examples), the genetic distances of 1,940 mice (from gemma-doc), of 379 people (1000 Genomes, from
# bio-eagle-examples) and of 180 people of two populations (HapMap, from r-bioc-snpstats), the cross-entropies of four EEG channels (from python-matplotlib-data), the network of 500 genes on
# 26 microarrays (from r-bioc-biobase), and the alignment of 50 globins (from hmmer2-doc). docs/demo.md explains the
# output.
# Installs what is missing. Can be repeated; needs no network the second time.
#
# Usage: scripts/demo.sh [OUTPUT FOLDER]        (default: demo-output)
source "$(dirname "$0")/lib.sh"

output=${1:-demo-output}
install_packages "${BUILD_PACKAGES[@]}" python3
build release glycine_program
protein=$(unpack_package theseus-examples)/usr/share/doc/theseus/examples/2sdf.pdb.gz
mice=$(unpack_package gemma-doc)/usr/share/doc/gemma/example
people=$(unpack_package bio-eagle-examples)/usr/share/doc/bio-eagle/examples
populations=$(unpack_package r-bioc-snpstats)/usr/lib/R/site-library/snpStats/data/ld.example.RData
recording=$(unpack_package python-matplotlib-data)/usr/share/matplotlib/mpl-data/sample_data/eeg.dat
arrays=$(unpack_package r-bioc-biobase)/usr/lib/R/site-library/Biobase/extdata/exprsData.txt
globins=$(unpack_package hmmer2-doc)/usr/share/doc/hmmer2/tutorial/globins50.msf.gz
mkdir -p "$output"
# Next to the results, so that the commands of README.md run there as printed.
cp "$protein" "$arrays" "$globins" "$output"
protein=$output/2sdf.pdb.gz arrays=$output/exprsData.txt globins=$output/globins50.msf.gz
for part in bed bim fam; do
    gunzip -c "$people/EUR_test.$part.gz" >"$output/EUR_test.$part"
    gunzip -c "$mice/mouse_hs1940.$part.gz" >"$output/mouse_hs1940.$part"
done
# 800 samples of four channels, float64, 80 Hz: as a table with the channels' names.
od -An -v -t f8 -w32 "$recording" | sed 's/^ *//; s/  */,/g; 1i PG3,PG5,PG7,PG9' >"$output/eeg.csv"
glycine=build/release/glycine

# contacts PDB: the pairs of hydrogens of different residues within 5 Å, as distances of up to 6 Å.
contacts() {
    "$glycine" bounds "$1" -o - --quiet | awk -F, -v OFS=, 'NR == 1 { print }
        { split($3, a, "/"); split($4, b, "/") }
        a[2] != b[2] && a[3] ~ /^H/ && b[3] ~ /^H/ && $6 < 5 { $5 = 1.8; $6 = 6; print }'
}

echo
echo "=== Smoothing on the graphics pipeline (gl)"
"$glycine" bounds "$protein" --backend gl -o "$output/2sdf-gl.npz" -o "$output/2sdf-bounds.png"
echo
echo "=== The same on the processor (cpu)"
"$glycine" bounds "$protein" --backend cpu -o "$output/2sdf-cpu.npz"
echo
echo "=== Both, and the chapter's own best variant, checked against the reference on this protein"
"$glycine" validate bounds "$protein" --backend cpu,gl --variant dense,packed,blocked --precision float32,fixed --dialects gl33
echo
echo "=== Genetic distances of mice, clustered: families are dark squares"
"$glycine" distance "$output/mouse_hs1940.bed" --measure 1-ibs -o "$output/mice.npy" -o "$output/mice.png" --order cluster
echo
echo "=== Genetic distances of people on the graphics pipeline (gl), as plink --distance computes them"
"$glycine" distance "$output/EUR_test.bed" --measure plink --backend gl -o "$output/EUR_test.dist"
echo
echo "=== The same on the processor (cpu), as a table of pairs"
"$glycine" distance "$output/EUR_test.bed" --measure plink --backend cpu -o "$output/EUR_test.tsv" --molten --shape triangle
echo
echo "=== All variants on these genotypes, checked against the reference"
"$glycine" validate distance "$output/EUR_test.bed" --backend cpu,gl --precision counts
echo
echo "=== People of two populations: clustered, and on two principal coordinates"
/usr/bin/python3 scripts/hapmap.py "$populations" "$output/hapmap"
"$glycine" distance "$output/hapmap.bed" --measure 1-ibs -o "$output/hapmap.npy" -o "$output/hapmap.png" --order cluster \
    --groups "$output/hapmap.tsv"
"$glycine" distance "$output/hapmap.bed" --measure 1-ibs --coordinates 2 -o "$output/hapmap-coordinates.tsv" \
    -o "$output/hapmap-coordinates.png" --groups "$output/hapmap.tsv"

echo
echo "=== Cross-approximate entropies of EEG on the graphics pipeline (gl)"
"$glycine" crossapen "$output/eeg.csv" --rate 80 --epoch 200 --backend gl -o "$output/eeg-gl.csv" --square \
    -o "$output/eeg.png"
echo
echo "=== The same on the processor (cpu)"
"$glycine" crossapen "$output/eeg.csv" --rate 80 --epoch 200 --backend cpu -o "$output/eeg-cpu.csv" --square
cmp "$output/eeg-gl.csv" "$output/eeg-cpu.csv"
echo "both wrote the same bytes:"
cat "$output/eeg-gl.csv"
echo
echo "=== All variants on this recording, checked against the reference"
"$glycine" validate crossapen "$output/eeg.csv" --samples 200 --backend cpu,gl

echo
echo "=== Mutual information of genes on the graphics pipeline (gl)"
"$glycine" mutualinfo "$arrays" --rank --bins 6 --backend gl -o "$output/genes-gl.npy" -o "$output/genes.png"
echo
echo "=== The same on the processor (cpu)"
"$glycine" mutualinfo "$arrays" --rank --bins 6 --backend cpu -o "$output/genes-cpu.npy"
echo
echo "=== The network of these genes"
"$glycine" network "$arrays" --bins 6 --top 40 -o "$output/genes.graphml" -o "$output/genes.tsv" -o "$output/genes-network.png"
head -n 4 "$output/genes.tsv"
echo
echo "=== Both checked against the reference on these arrays"
"$glycine" validate mutualinfo "$arrays" --backend cpu,gl --variant grouped,blocked,packed --dialects gl33

echo
echo "=== An alignment of 50 globins, its picture, checked against the reference, and a tree with bootstraps"
"$glycine" align "$globins" -o "$output/globins.aln" -o "$output/globins.png" -o "$output/globins.html" --order aligned
"$glycine" validate align "$globins" --backend cpu
"$glycine" tree "$output/globins.aln" -o "$output/globins.nwk" --correction kimura --bootstrap 1000
echo
echo "=== The same globins as ClustalW 2.1 aligns them"
"$glycine" align "$globins" --method clustalw -o "$output/globins-clustalw.aln" -o "$output/globins.dnd" \
    --draw identities="$output/globins-identity.png"

echo
echo "=== The protein folded from its contacts, compared with its NMR structure"
contacts "$protein" >"$output/contacts.csv"
"$glycine" fold "$output/contacts.csv" --topology "$protein" --reference "$protein" -n 4 -o "$output/folded.pdb" -o "$output/folded.png"
echo
echo "=== The folded models as a molecule"
"$glycine" view "$output/folded.pdb" --size 900x700 -o "$output/folded-view.png"

echo
echo "Protein: the smoothed bounds are in $output/2sdf-gl.npz, the heat maps before and after in $output/2sdf-bounds.png,"
echo "         the folded models in $output/folded.pdb, their traces in $output/folded.png and $output/folded-view.png"
echo "Mice:    the distances are in $output/mice.npy, the clustered heat map in $output/mice.png, the tree in $output/mice.nwk"
echo "People:  the distances are in $output/EUR_test.dist and EUR_test.tsv; two populations clustered"
echo "         in $output/hapmap.png, on principal coordinates in $output/hapmap-coordinates.png"
echo "EEG:     the entropies are in $output/eeg-gl.csv, the heat map in $output/eeg.png"
echo "Genes:   mutual information is in $output/genes-gl.npy, the clustered heat map in $output/genes.png, the network's"
echo "         best edges in $output/genes-network.png, and for Cytoscape in $output/genes.graphml"
echo "Globins: the alignment is in $output/globins.aln, coloured in $output/globins.png and globins.html, a tree with bootstraps"
echo "         in $output/globins.nwk; ClustalW's alignment in $output/globins-clustalw.aln, its guide tree in $output/globins.dnd,"
echo "         identities in $output/globins-identity.png"
echo
echo "In $output, the commands of README.md's pictures run as printed: cd $output && PATH=$PWD/build/release:\$PATH"
