#!/usr/bin/env bash
# Makes a small file for each name that the commands of the documentation's pages read, so that scripts/run_pages.py can run them.
#
# Usage: scripts/page_samples.sh FOLDER [PROGRAM] (default: build/release/glycine)
source "$(dirname "$0")/lib.sh"

folder=${1:?expected a folder}
glycine=$(realpath "${2:-build/release/glycine}")
install_packages openmpi-bin python3-h5py python3-numpy
people=$(realpath "$(unpack_package bio-eagle-examples)/usr/share/doc/bio-eagle/examples")
protein=$(realpath "$(unpack_package theseus-examples)/usr/share/doc/theseus/examples/2sdf.pdb.gz")
mice=$(realpath "$(unpack_package gemma-doc)/usr/share/doc/gemma/example")
arrays=$(realpath "$(unpack_package r-bioc-biobase)/usr/lib/R/site-library/Biobase/extdata/exprsData.txt")
globins=$(realpath "$(unpack_package hmmer2-doc)/usr/share/doc/hmmer2/tutorial/globins50.msf.gz")
reports=$PWD/docs/results
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder"
mkdir a b laptop server server/figures figures rest
make() { "$glycine" "$@" --quiet; }
seed=0
generate() { "$glycine" generate "$@" >/dev/null; }

# Genotypes, and sequences of one length.
generate genotypes --instances 60 --attributes 3000 --missing 0.01 -o cohort.bed
generate genotypes --instances 60 --attributes 3000 -o calls.vcf && gzip -k calls.vcf
for part in bed bim fam; do
    cp "cohort.$part" "genotypes.$part"
    gunzip -c "$people/EUR_test.$part.gz" >"EUR_test.$part"
    gunzip -c "$mice/mouse_hs1940.$part.gz" >"mouse_hs1940.$part"
done
awk '{ print $2 "\t" (NR % 2 ? "CEU" : "YRI") }' cohort.fam >panel.tsv
sequences() { generate sequences --alphabet dna --gaps 0 --shortest 1 "$@"; }
sequences --sequences 12 --length 300 --divergence 0.02 -o outbreak.fa
sequences --sequences 12 --length 300 --divergence 0.02 --seed 2 -o known.fa
sequences --sequences 3 --length 300 --divergence 0.02 --seed 3 -o new.fa
sed -i 's/^>/>new-/' new.fa
for name in core.fa core.aln; do gzip -c outbreak.fa >"$name.gz"; done

# Families, and alignments.
for name in family loci; do sequences --sequences 12 --length 300 --divergence 0.2 --seed 4 -o "$name.fa"; done
generate sequences --sequences 20 --length 120 -o proteins.fa
generate sequences --sequences 300 --length 100 --family -o thousands.fa
gzip -k family.fa thousands.fa
make align family.fa -o family.aln
sequences --sequences 4 --length 300 --divergence 0.2 --seed 5 -o others.fa
sed -i 's/^>/>other-/' others.fa
make align others.fa -o others.sto

# Expression of genes.
generate expression --genes 60 --samples 40 -o expression.tsv --truth known.tsv
tr '\t' ',' <expression.tsv >expression.csv
gzip -k expression.tsv
cp expression.tsv.gz yeast.tsv.gz
{
    printf '!Series_title\t"Sixty genes"\n!series_matrix_table_begin\n'
    sed '1s/^[^\t]*/ID_REF/' expression.tsv
    printf '!series_matrix_table_end\n'
} | gzip >GSE1_series_matrix.txt.gz
awk 'NR > 1 && NR < 20 { print $1 }' expression.tsv >factors.txt
make mutualinfo expression.tsv -o mi.npy

# Signals.
for name in S001R01 S001R02 recording rest/S001 rest/S002 rest/S003 rest/S004; do
    generate signals --channels 4 --epochs 2 --samples 1024 --seed "$((++seed))" -o "$name.edf"
done
printf 'name,group\nS001,patient\nS002,patient\nS003,control\nS004,control\n' >groups.csv
awk 'BEGIN { print "Fz,Cz,Pz"; srand(1); for (i = 0; i < 2048; ++i) print rand() "," rand() "," rand() }' >eeg.csv
cp eeg.csv x.csv

# Bounds, restraints and structures.
generate bounds --atoms 96 --known 0.2 -o in.npz
cp "$protein" "$arrays" "$globins" .
gunzip -c "$protein" >protein.pdb
cp protein.pdb 1igt.pdb
printf '>1\nMKTAYIAKQR\n' >protein.fa
pairs='1.HA.3.H 2.HA.4.H 3.HA.6.H 4.HA.7.H 5.HA.8.H 6.HA.9.H 7.HA.10.H'
names=(- MET LYS THR ALA TYR ILE ALA LYS GLN ARG)
{
    printf 'data_nef_sample\nsave_nef_nmr_meta_data\n_nef_nmr_meta_data.sf_category nef_nmr_meta_data\nsave_\n'
    printf 'save_nef_molecular_system\n_nef_molecular_system.sf_category nef_molecular_system\nloop_\n_nef_sequence.index\n'
    printf '_nef_sequence.%s\n' chain_code sequence_code residue_name linking residue_variant cis_peptide
    for i in {1..10}; do printf '%d A %d %s %s . .\n' "$i" "$i" "${names[i]}" "$([ "$i" = 1 ] && echo start || { [ "$i" = 10 ] && echo end || echo middle; })"; done
    printf 'stop_\nsave_\nsave_nef_distance_restraint_list_1\n_nef_distance_restraint_list.sf_category nef_distance_restraint_list\nloop_\n'
    printf '_nef_distance_restraint.%s\n' index restraint_id chain_code_1 sequence_code_1 residue_name_1 atom_name_1 \
        chain_code_2 sequence_code_2 residue_name_2 atom_name_2 lower_limit upper_limit
    count=0
    for pair in $pairs; do
        IFS=. read -r i one j other <<<"$pair"
        printf '%d %d A %d %s %s A %d %s %s 1.8 4.5\n' "$((++count))" "$count" "$i" "${names[i]}" "$one" "$j" "${names[j]}" "$other"
    done
    printf 'stop_\nsave_\n'
} >protein.nef
cp protein.nef restraints.nef
for pair in $pairs; do
    IFS=. read -r i one j other <<<"$pair"
    printf '%d %s %s %d %s %s 4.5\n' "$i" "${names[i]}" "$one" "$j" "${names[j]}" "$other" >>protein.upl
    printf 'assign (resid %d and name %s) (resid %d and name %s) 2.8 1.0 1.7\n' "$i" "$one" "$j" "${other/H/HN}" >>restraints.tbl
done
printf '3 THR PHI -90.0 -40.0\n4 ALA PSI -60.0 -20.0\n' >protein.aco
make bounds protein.nef -o bounds.npz
make fold protein.nef -n 2 -o models.pdb
cp models.pdb model.pdb

# Tables in HDF5, and matrices of NumPy.
/usr/bin/python3 - <<'END'
import h5py
import numpy as np

upper, lower = (np.load("in.npz")[name] for name in ("upper", "lower"))
np.save("u.npy", upper)
np.save("l.npy", lower)
rows = [line.rstrip("\n").split("\t") for line in open("expression.tsv")]
genes, cells = [row[0] for row in rows[1:]], rows[0][1:]
values = np.array([row[1:] for row in rows[1:]], np.float64)
with h5py.File("cells.h5ad", "w") as file:
    file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
    file["X"] = values.T
    for group, names in (("obs", cells), ("var", genes)):
        file.create_group(group).attrs["_index"] = "_index"
        file[group]["_index"] = names
with h5py.File("cells.loom", "w") as file:
    file["matrix"] = values
    file["row_attrs/Gene"] = genes
    file["col_attrs/CellID"] = cells
END

# Reports of studies.
cp "$reports/study-2cores/report.json.gz" a
cp "$reports/study-h200/report.json.gz" server
for place in a b laptop server; do gunzip -c "$reports/study-h200/report.json.gz" >"$place/report.json"; done
gunzip -c "$reports/reproduce-2cores/report.json.gz" >figures/report.json
gunzip -c "$reports/reproduce-h100/report.json.gz" >server/figures/report.json
