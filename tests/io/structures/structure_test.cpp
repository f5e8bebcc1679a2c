#include "engine/io/structures/structure.hpp"

#include <zlib.h>

#include "tests/test.hpp"

namespace glycine::io {
namespace {

/// An atom record with the columns of the PDB guide.
std::string atomLine(const std::string& record, const std::string& name, char altloc,
                     const std::string& residue, const std::string& number, const std::string& x,
                     const std::string& element, char insertion = ' ') {
    const auto right = [](const std::string& text, std::size_t width) {
        return std::string(width - text.size(), ' ') + text;
    };
    const auto left = [](const std::string& text, std::size_t width) {
        return text + std::string(width - text.size(), ' ');
    };
    return left(record, 6) + "    1 " + left(name, 4) + altloc + right(residue, 3) + " A" + right(number, 4) +
           insertion + "   " + right(x, 8) + "   2.000  -3.500  1.00 10.00          " + right(element, 2) +
           "\n";
}
std::string atom(const std::string& name = " CA", const std::string& x = "1.000") {
    return atomLine("ATOM", name, ' ', "LYS", "52", x, "C");
}

std::vector<std::string> labels(const Structure& structure) {
    std::vector<std::string> all;
    for (const StructureAtom& atom : structure.atoms) all.push_back(atom.label());
    return all;
}

std::string refusal(const std::string& text, const StructureOptions& options = {}) {
    return messageOf<InputError>([&] { parseStructure(text, "test.pdb", options); });
}

const std::string kMmcifHead =
    "# a "
    "comment\ndata_TEST\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site."
    "label_atom_id\n"
    "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n"
    "_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site."
    "occupancy\n"
    "_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n_atom_site.auth_asym_id\n_atom_site.pdbx_PDB_model_"
    "num\n";

TEST(Pdb, ReadsAnAtom) {
    const Structure structure = parseStructure(atom(), "folder/test.pdb");
    EXPECT_EQ(structure.name, "test.pdb");
    EXPECT_EQ(structure.model, 1);
    ASSERT_EQ(structure.atoms.size(), 1U);
    const StructureAtom& read = structure.atoms[0];
    EXPECT_EQ(read.label(), "A/LYS52/CA");
    EXPECT_EQ(read.element, "C");
    EXPECT_FALSE(read.isHydrogen());
    EXPECT_THAT(read.position, ElementsAre(1.0, 2.0, -3.5));
}

TEST(Pdb, FirstAlternativeLocationOnly) {
    const Structure structure = parseStructure(atomLine("ATOM", " N", ' ', "SER", "7", "0.000", "N") +
                                                   atomLine("ATOM", " CA", 'A', "SER", "7", "1.000", "C") +
                                                   atomLine("ATOM", " CA", 'B', "SER", "7", "1.500", "C") +
                                                   atomLine("ATOM", " CB", 'A', "SER", "7", "2.000", "C") +
                                                   atomLine("ATOM", " CB", 'B', "SER", "7", "2.500", "C"),
                                               "t");
    EXPECT_THAT(labels(structure), ElementsAre("A/SER7/N", "A/SER7/CA", "A/SER7/CB"));
    EXPECT_EQ(structure.atoms[1].position[0], 1.0);
}

TEST(Pdb, FirstResidueTypeOfAMixture) {
    const Structure structure = parseStructure(atomLine("ATOM", " CA", 'A', "SER", "7", "1.000", "C") +
                                                   atomLine("ATOM", " CA", 'B', "PRO", "7", "1.500", "C") +
                                                   atomLine("ATOM", " CA", ' ', "GLY", "8", "2.500", "C"),
                                               "t");
    EXPECT_THAT(labels(structure), ElementsAre("A/SER7/CA", "A/GLY8/CA"));
}

TEST(Pdb, InsertionCodesAreDifferentResidues) {
    const Structure structure =
        parseStructure(atomLine("ATOM", " CA", ' ', "SER", "52", "1.000", "C") +
                           atomLine("ATOM", " CA", ' ', "SER", "52", "2.000", "C", 'A'),
                       "t");
    EXPECT_THAT(labels(structure), ElementsAre("A/SER52/CA", "A/SER52A/CA"));
}

TEST(Pdb, NegativeAndHybrid36ResidueNumbers) {
    const Structure structure = parseStructure(atomLine("ATOM", " CA", ' ', "SER", "-5", "1.000", "C") +
                                                   atomLine("ATOM", " CA", ' ', "SER", "A000", "2.000", "C"),
                                               "t");
    EXPECT_THAT(labels(structure), ElementsAre("A/SER-5/CA", "A/SER10000/CA"));
}

TEST(Pdb, HeteroAtomsOnlyOnRequest) {
    const std::string text = atom() + atomLine("HETATM", " O", ' ', "HOH", "99", "9.000", "O");
    EXPECT_THAT(labels(parseStructure(text, "t")), ElementsAre("A/LYS52/CA"));
    EXPECT_THAT(labels(parseStructure(text, "t", {{}, true})), ElementsAre("A/LYS52/CA", "A/HOH99/O"));
}

/// N, CA and C of a residue with CA at (x, 0, 0), 3.8 Å from the next one's at x + 3.8, so that its C is
/// bound to the next one's N.
std::string backbone(const std::string& record, const std::string& residue, int number, double x) {
    const auto place = [x](double shift) { return fmt::format("{:.3f}", x + shift); };
    const std::string text = std::to_string(number);
    return atomLine(record, " N", ' ', residue, text, place(-1.2), "N") +
           atomLine(record, " CA", ' ', residue, text, place(0), "C") +
           atomLine(record, " C", ' ', residue, text, place(1.3), "C");
}

std::vector<std::string> residues(const std::string& text) {
    std::vector<std::string> all;
    for (const StructureAtom& atom : parseStructure(text, "t").atoms) {
        const std::string residue = atom.residueName + atom.residueNumber;
        if (all.empty() || all.back() != residue) all.push_back(residue);
    }
    return all;
}

// Ligands, waters and a free amino acid of the buffer do not belong to it, before or after the chain's end.
TEST(Pdb, ModifiedResiduesBelongToThePolymer) {
    const std::string chain = backbone("ATOM", "MET", 1, 0) + backbone("HETATM", "MSE", 2, 3.8) +
                              backbone("HETATM", "SEP", 3, 7.6) + backbone("ATOM", "LYS", 4, 11.4) +
                              backbone("HETATM", "TPO", 9, 60);
    const std::string others = backbone("HETATM", "GLU", 101, 100) + backbone("HETATM", "MSE", 102, 200) +
                               atomLine("HETATM", "ZN", ' ', "ZN", "103", "300.000", "ZN") +
                               atomLine("HETATM", " O", ' ', "HOH", "104", "400.000", "O");
    EXPECT_THAT(residues(chain + "TER\n" + others), ElementsAre("MET1", "MSE2", "SEP3", "LYS4", "TPO9"));
    // Without TER, a modified residue of the buffer is indistinguishable from one of the chain.
    EXPECT_THAT(residues(chain + others), ElementsAre("MET1", "MSE2", "SEP3", "LYS4", "TPO9", "MSE102"));
}

TEST(Pdb, NucleotidesAreModifiedToo) {
    const auto nucleotide = [](const char* record, const char* name, const char* number, const char* x) {
        return atomLine(record, " P", ' ', name, number, x, "P");
    };
    EXPECT_THAT(residues(nucleotide("ATOM", "G", "1", "0.000") + nucleotide("HETATM", "PSU", "2", "6.000") +
                         nucleotide("HETATM", "5MC", "3", "40.000") + "TER\n" +
                         nucleotide("HETATM", "GTP", "9", "80.000")),
                ElementsAre("G1", "PSU2", "5MC3"));
}

// XYZ is in no table: it is a link if it is bound to one, or if the file says so.
TEST(Pdb, UnknownResiduesBelongToThePolymerWhereTheyAreBoundOrListed) {
    const std::string ends = backbone("ATOM", "ALA", 1, 0) + backbone("ATOM", "GLY", 9, 100);
    EXPECT_THAT(residues(ends + backbone("HETATM", "XYZ", 10, 103.8) + "TER\n"),
                ElementsAre("ALA1", "GLY9", "XYZ10"));
    const std::string apart = ends + backbone("HETATM", "XYZ", 10, 110);
    EXPECT_THAT(residues(apart + "TER\n"), ElementsAre("ALA1", "GLY9", "XYZ10"));
    EXPECT_THAT(residues(apart), ElementsAre("ALA1", "GLY9"));
    EXPECT_THAT(residues("SEQRES   1 A    3  ALA GLY XYZ\n" + apart), ElementsAre("ALA1", "GLY9", "XYZ10"));
    EXPECT_THAT(residues("SEQRES   1 B    3  ALA GLY XYZ\n" + apart), ElementsAre("ALA1", "GLY9"));
    const std::string late = ends + "TER\n" + backbone("HETATM", "XYZ", 10, 110);
    EXPECT_THAT(residues(late), ElementsAre("ALA1", "GLY9"));
    EXPECT_THAT(residues("MODRES 1ABC XYZ A   10  GLY  SOMETHING ELSE\n" + late),
                ElementsAre("ALA1", "GLY9", "XYZ10"));
    EXPECT_THAT(residues("MODRES 1ABC XYZ A   11  GLY  SOMETHING ELSE\n" + late),
                ElementsAre("ALA1", "GLY9"));
}

TEST(Pdb, Models) {
    const std::string text = "MODEL        3\n" + atom(" CA", "1.000") + "ENDMDL\nMODEL        5\n" +
                             atom(" CA", "2.000") + atom(" CB", "3.000") + "ENDMDL\nEND\n";
    EXPECT_EQ(parseStructure(text, "t").atoms.size(), 1U);
    const Structure second = parseStructure(text, "t", {5, false});
    EXPECT_EQ(second.atoms.size(), 2U);
    EXPECT_EQ(second.model, 5);
    EXPECT_THAT(second.models, ElementsAre(3, 5));
    EXPECT_THAT(refusal(text, {4, false}), HasSubstr("test.pdb: has no model 4; it has 3, 5"));
}

TEST(Pdb, TwoAtomsMayShareAPlace) {
    EXPECT_EQ(parseStructure(atom(" CA") + atom(" CB"), "t").atoms.size(), 2U);
}

TEST(Pdb, OtherRecordsAreNotJudged) {
    EXPECT_EQ(parseStructure("SSBOND\nCRYST1 x\nTITLE \xff\n" + atom() + "CONECT\n", "t").atoms.size(), 1U);
}

TEST(Pdb, DisulfidesButThoseOfSymmetricCopies) {
    const std::string record =
        "SSBOND   1 CYS A   23    CYS B   88A                         1555   1555  2.03";
    std::string copy = record;
    copy.replace(66, 6, "  2555");
    const Structure read = parseStructure(record + "\n" + copy + "\nSSBOND   3 CYS A   23\n" + atom(), "t");
    ASSERT_EQ(read.disulfides.size(), 1U);
    EXPECT_THAT(read.disulfides[0].chain, ElementsAre("A", "B"));
    EXPECT_THAT(read.disulfides[0].residueNumber, ElementsAre("23", "88A"));
}

TEST(Pdb, CisPeptidesOfTheModel) {
    // The second residue of each record follows the bond; 0 stands for all models.
    const std::string record = "CISPEP   1 GLY A  116    PRO B  117A         0       -2.34";
    std::string other = record;
    other[45] = '3';
    const std::string text = record + "\n" + other + "\nCISPEP   2 GLY\n" + atom();
    const Structure read = parseStructure(text, "t");
    ASSERT_EQ(read.cisPeptides.size(), 1U);
    EXPECT_EQ(read.cisPeptides[0].chain, "B");
    EXPECT_EQ(read.cisPeptides[0].number, "117A");
    const Structure third =
        parseStructure(record + "\n" + other + "\nMODEL        3\n" + atom() + "ENDMDL\n", "t");
    EXPECT_EQ(third.cisPeptides.size(), 2U);
}

TEST(Pdb, DeuteriumIsHydrogen) {
    EXPECT_TRUE(
        parseStructure(atomLine("ATOM", " D", ' ', "LYS", "1", "1.000", "D"), "t").atoms[0].isHydrogen());
}

TEST(PdbRefusal, NoAtoms) {
    EXPECT_THAT(refusal(""), HasSubstr("test.pdb: model 1 has no polymer atoms"));
    EXPECT_THAT(refusal("REMARK nothing here\n"), HasSubstr("no polymer atoms"));
    EXPECT_THAT(refusal(atomLine("HETATM", " O", ' ', "HOH", "99", "9.000", "O")),
                HasSubstr("no polymer atoms"));
}

TEST(PdbRefusal, CoordinatesNameTheLine) {
    for (const std::string x : {"nan", "inf", "", "1.0.0", "12e3", "1,5", "********"})
        EXPECT_THAT(refusal(atom() + "TER\n" + atom(" CB", x)),
                    AllOf(HasSubstr("test.pdb: line 3: columns 31-38 are '" + x + "'"),
                          HasSubstr("expected the x coordinate")));
    EXPECT_THAT(refusal(atom(" CA", "99999999")), HasSubstr("within ±100000 Å"));
}

TEST(PdbRefusal, MalformedRecordsNameTheLine) {
    EXPECT_THAT(refusal(atom() + atom().substr(0, 40) + "\n"),
                HasSubstr("line 2: an atom record of 40 columns"));
    // Within any coordinate, and one column before the end of the last one.
    for (const std::size_t columns : {31, 38, 39, 46, 47, 48, 50, 53})
        EXPECT_THAT(
            refusal(atom() + atom().substr(0, columns) + "\n" + atom()),
            HasSubstr(fmt::format("test.pdb: line 2: an atom record of {} columns; the coordinates end in "
                                  "column 54",
                                  columns)));
    EXPECT_THAT(refusal("HETATM" + atom().substr(6, 46)), HasSubstr("line 1: an atom record of 52 columns"));
    EXPECT_EQ(parseStructure(atom().substr(0, 54) + "\n", "t").atoms[0].position[2], -3.5);
    std::string shifted = atom();
    shifted[23] = 'x';
    EXPECT_THAT(refusal(shifted), HasSubstr("line 1: columns 23-26 are ' x52'; expected a residue number"));
    EXPECT_THAT(refusal("MODEL     none\n" + atom()), HasSubstr("line 1: columns 11-14 are 'none'"));
    std::string binary = atom();
    binary[13] = '\x01';
    EXPECT_THAT(refusal(binary), HasSubstr("line 1: column 14 holds the byte 0x01"));
    EXPECT_THAT(refusal("MODEL        1\n" + atom() + "ENDMDL\nMODEL        1\n" + atom()),
                HasSubstr("cannot be parsed"));
}

TEST(PdbRefusal, NumbersWithTooManyDigitsNameTheLine) {
    const auto withResidue = [](const std::string& fromColumn23) {
        std::string line = atom();
        return line.replace(22, fromColumn23.size(), fromColumn23);
    };
    EXPECT_THAT(labels(parseStructure(withResidue("12345"), "t")), ElementsAre("A/LYS12345/CA"));
    EXPECT_THAT(labels(parseStructure(withResidue("ZZZZ "), "t")), ElementsAre("A/LYS1223055/CA"));
    EXPECT_THAT(refusal(atom() + withResidue("123456")),
                HasSubstr("test.pdb: line 2: columns 23-28 are '123456'; expected a residue number of four"));
    // gemmi would read it as A000.
    EXPECT_THAT(refusal(atom() + withResidue("a000")), HasSubstr("line 2: columns 23-26 are 'a000'"));
    EXPECT_THAT(refusal("MODEL    10001\n" + atom()), HasSubstr("line 1: columns 10-15 are '10001'"));
    EXPECT_THAT(refusal("MODEL     10001\n" + atom()), HasSubstr("line 1: columns 10-15 are ' 10001'"));
    EXPECT_THAT(parseStructure("MODEL     9999\n" + atom(), "t").models, ElementsAre(9999));
}

TEST(Mmcif, ReadsAtomsAndModels) {
    const Structure structure = parseStructure(kMmcifHead +
                                                   "ATOM 1 N N . LYS B 1 ? 1.0 2.5 -3.25 1.0 10.0 52 A 1\n"
                                                   "ATOM 2 C CA . LYS B 1 ? 1.5 2.5 -3.25 1.0 10.0 52 A 1\n"
                                                   "HETATM 3 O O . HOH C . ? 1.5 2.5 -3.25 1.0 10.0 99 A 1\n"
                                                   "ATOM 4 N N . LYS B 1 ? 7.0 2.5 -3.25 1.0 10.0 52 A 2\n",
                                               "t.cif");
    EXPECT_THAT(labels(structure), ElementsAre("A/LYS52/N", "A/LYS52/CA"));
    EXPECT_THAT(structure.models, ElementsAre(1, 2));
    EXPECT_THAT(structure.atoms[0].position, ElementsAre(1.0, 2.5, -3.25));
}

TEST(Mmcif, NumberedResiduesBelongToThePolymer) {
    const std::string rows =
        "ATOM 1 CA CA . LYS A {0} ? 1.0 2.5 -3.25 1.0 10.0 52 A 1\n"
        "HETATM 2 CA CA . MSE A {1} ? 4.5 2.5 -3.25 1.0 10.0 53 A 1\n"
        "HETATM 3 CA CA . XYZ A {2} ? 40.5 2.5 -3.25 1.0 10.0 54 A 1\n"
        "HETATM 4 CA CA . GLU B . ? 80.5 2.5 -3.25 1.0 10.0 55 A 1\n"
        "HETATM 5 O O . HOH C . ? 1.5 2.5 -3.25 1.0 10.0 99 A 1\n";
    const auto labelsOf = [&](auto... numbers) {
        return labels(parseStructure(kMmcifHead + fmt::format(fmt::runtime(rows), numbers...), "t.cif"));
    };
    EXPECT_THAT(labelsOf("1", "2", "3"), ElementsAre("A/LYS52/CA", "A/MSE53/CA", "A/XYZ54/CA"));
    EXPECT_THAT(labelsOf("1", "2", "."), ElementsAre("A/LYS52/CA", "A/MSE53/CA"));
    // Without numbers, known residues decide.
    EXPECT_THAT(labelsOf(".", ".", "."), ElementsAre("A/LYS52/CA", "A/MSE53/CA"));
}

TEST(Mmcif, ReadsTablesWithoutOccupancy) {
    // Restraint programs omit occupancy, temperature factor and model number.
    const Structure structure = parseStructure(
        "data_1\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_"
        "id\n"
        "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_"
        "entity_id\n"
        "_atom_site.label_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
        "_atom_site.auth_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n"
        "ATOM 1 N N . MET A . 1 6.5 13.0 4.25 MET A 1\nATOM 2 C CA . MET A . 1 6.0 11.5 4.5 MET A 1\n",
        "t.cif");
    ASSERT_EQ(structure.atoms.size(), 2U);
    EXPECT_EQ(structure.atoms[1].label(), "A/MET1/CA");
    EXPECT_EQ(structure.atoms[0].position[2], 4.25);
}

TEST(Mmcif, Refusals) {
    EXPECT_THAT(refusal(kMmcifHead + "ATOM 1 N N . LYS B 1 ? ? 2.5 -3.25 1.0 10.0 52 A 1\n"),
                HasSubstr("atom A/LYS52/N: x is nan; expected a coordinate"));
    EXPECT_THAT(refusal(kMmcifHead + "ATOM 1 N N . LYS B 1 ? 1 2.5 -3e9 1.0 10.0 52 A 1\n"),
                HasSubstr("z is -3000000000"));
    EXPECT_THAT(refusal(kMmcifHead + "ATOM 1 N N . LYS B 1 ? 1 2.5 3.5 1.0 10.0 52 A first\n"),
                HasSubstr("test.pdb: line 21: _atom_site.pdbx_PDB_model_num is 'first'"));
    EXPECT_THAT(refusal(kMmcifHead + "ATOM 1 N\n"), HasSubstr("cannot be parsed"));
    EXPECT_THAT(refusal("data_EMPTY\n"), HasSubstr("no atoms"));
}

// None of these becomes another number; unused fields are converted, too.
TEST(Mmcif, NumbersWithTooManyDigitsNameTheLine) {
    const auto refused = [](const std::string& row, const std::string& what) {
        const std::string right = "ATOM 1 N N . LYS B 1 ? 1.0 2.5 -3.25 1.0 10.0 52 A 1\n";
        EXPECT_THAT(refusal(kMmcifHead + right + row), HasSubstr("test.pdb: line 22: " + what)) << row;
    };
    for (const std::string number : {"4294967348", "2147483648", "-2147483648", "52x1", "52."})
        refused("ATOM 2 C CA . LYS B 1 ? 1.5 2.5 -3.25 1.0 10.0 " + number + " A 1\n",
                "_atom_site.auth_seq_id is '" + number + "'; expected a residue number within ±2147483647");
    refused("ATOM 2 C CA . LYS B 4294967297 ? 1.5 2.5 -3.25 1.0 10.0 52 A 1\n",
            "_atom_site.label_seq_id is '4294967297'; expected a whole number within ±2147483647");
    refused("ATOM 4294967297 C CA . LYS B 1 ? 1.5 2.5 -3.25 1.0 10.0 52 A 1\n",
            "_atom_site.id is '4294967297'; expected a number");
    refused("ATOM 2 C CA . LYS B 1 ? 1.5 2.5 -3.25 1.0 10.0 52 A 4294967297\n",
            "_atom_site.pdbx_PDB_model_num is '4294967297'");
    // A row continues on the next line; the line of the value counts.
    EXPECT_THAT(refusal(kMmcifHead + "ATOM 2 C CA . LYS B 1 ?\n1.5 2.5 -3.25 1.0 10.0 99999999999A A 1\n"),
                HasSubstr("line 22: _atom_site.auth_seq_id is '99999999999A'"));
}

TEST(Mmcif, NumbersThatFitAreRead) {
    const Structure structure =
        parseStructure(kMmcifHead +
                           "ATOM a1 N N . LYS B 1 ? 1.0 2.5 -3.25 1.0 10.0 '-5' A 1\n"
                           "ATOM 2147483647 N N . SER B 2147483647 ? 1.0 2.5 -3.25 1.0 10.0 2147483647 A 1\n"
                           "ATOM . N N . GLY B . ? 1.0 2.5 -3.25 1.0 10.0 15A A 1\n",
                       "t.cif");
    EXPECT_THAT(labels(structure), ElementsAre("A/LYS-5/N", "A/SER2147483647/N", "A/GLY15A/N"));
}

// A table of a single atom needs no loop.
TEST(Mmcif, NumbersOnTheLineOfTheirTags) {
    const auto text = [](const std::string& number) {
        return "data_1\n_cell.Z_PDB 99999999999\n_atom_site.id 1\n_atom_site.type_symbol N\n"
               "_atom_site.label_atom_id N\n_atom_site.label_alt_id .\n_atom_site.label_comp_id LYS\n"
               "_atom_site.label_asym_id A\n_atom_site.Cartn_x 1\n_atom_site.Cartn_y 2\n"
               "_atom_site.Cartn_z 3\n_atom_site.occupancy 1\n_atom_site.B_iso_or_equiv 0\n"
               "_ATOM_SITE.auth_seq_id\n" +
               number + "\n";
    };
    EXPECT_THAT(labels(parseStructure(text("52"), "t.cif")), ElementsAre("A/LYS52/N"));
    EXPECT_THAT(refusal(text("4294967348")), HasSubstr("line 15: _ATOM_SITE.auth_seq_id is '4294967348'"));
}

TEST(StructureFile, KnownByItsName) {
    for (const char* name : {"a.pdb", "A.PDB", "a.ent.gz", "a.cif", "x/a.mmcif.gz"})
        EXPECT_TRUE(isStructureFile(name)) << name;
    for (const char* name : {"a.npz", "pdb", "a.gz", "a.pdb.txt"})
        EXPECT_FALSE(isStructureFile(name)) << name;
}

TEST(StructureFile, GzipIsUndone) {
    const TemporaryFolder folder;
    const std::string text = atom() + atom(" CB", "2.000");
    const gzFile file = gzopen((folder / "a.pdb.gz").c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    EXPECT_EQ(readStructure(folder / "a.pdb.gz").atoms.size(), 2U);

    const std::string packed = readFile(folder / "a.pdb.gz");
    writeFile(folder / "cut.pdb.gz", packed.substr(0, packed.size() - 12));
    EXPECT_THAT(messageOf<InputError>([&] { readStructure(folder / "cut.pdb.gz"); }),
                HasSubstr("cut.pdb.gz: truncated gzip data"));
    std::string damaged = packed;
    damaged[damaged.size() - 6] ^= 1;
    writeFile(folder / "damaged.pdb.gz", damaged);
    EXPECT_THAT(messageOf<InputError>([&] { readStructure(folder / "damaged.pdb.gz"); }),
                HasSubstr("damaged gzip data"));
    EXPECT_THAT(messageOf<InputError>([&] { readStructure(folder / "none.pdb"); }),
                HasSubstr("No such file"));
}

TEST(StructureFile, RealEntries) {
    const std::filesystem::path folder = sharedData("bounds");
    for (const std::string name : {"bounds/1igt.pdb.gz", "bounds/1d3z_model1.pdb.gz"})
        if (const std::string lack = lackOfData(name); !lack.empty()) GTEST_SKIP() << lack;
    EXPECT_EQ(readStructure(folder / "1igt.pdb.gz").atoms.size(), 12530U);
    EXPECT_EQ(readStructure(folder / "1igt.pdb.gz", {{}, true}).atoms.size(), 12530U + 426U);
    EXPECT_EQ(readStructure(folder / "1d3z_model1.pdb.gz").atoms.size(), 1231U);
}

}  // namespace
}  // namespace glycine::io
