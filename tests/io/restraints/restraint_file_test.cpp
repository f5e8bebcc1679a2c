#include "engine/io/restraints/restraint_file.hpp"

#include "tests/test.hpp"

namespace glycine::io {
namespace {

std::string text(const AtomSet& set) {
    std::string all;
    for (const AtomSelection& selection : set) all += (all.empty() ? "" : ",") + describe(selection);
    return all;
}
/// "1@2: A/5/HA A/6/HB#|A/7/HN [1.8, 5]": ID and line, alternatives, limits.
std::vector<std::string> contents(const RestraintFile& file) {
    std::vector<std::string> all;
    for (const StatedDistance& stated : file.distances) {
        std::string line = fmt::format("{}@{}:", stated.id, stated.line);
        for (const auto& [first, second] : stated.alternatives)
            line += fmt::format(" {} {}", text(first), text(second));
        all.push_back(line + fmt::format(" [{:.6g}, {:.6g}]", stated.lower, stated.upper));
    }
    for (const StatedDihedral& stated : file.dihedrals) {
        std::string line = fmt::format("{}@{}:", stated.id, stated.line);
        if (stated.angle.empty())
            for (const AtomSelection& atom : stated.atoms) line += " " + describe(atom);
        else
            line += " " + describe(stated.atoms[0]) + " " + stated.angle;
        all.push_back(line + fmt::format(" [{:.6g}°, {:.6g}°]", stated.lower, stated.upper));
    }
    return all;
}

const std::string kNefHead =
    "data_x\nsave_nef_distance_restraint_list_1\n_nef_distance_restraint_list.sf_category a\nloop_\n"
    "_nef_distance_restraint.restraint_id\n_nef_distance_restraint.chain_code_1\n"
    "_nef_distance_restraint.sequence_code_1\n_nef_distance_restraint.residue_name_1\n"
    "_nef_distance_restraint.atom_name_1\n_nef_distance_restraint.chain_code_2\n"
    "_nef_distance_restraint.sequence_code_2\n_nef_distance_restraint.residue_name_2\n"
    "_nef_distance_restraint.atom_name_2\n_nef_distance_restraint.lower_limit\n"
    "_nef_distance_restraint.upper_limit\n";  // 15 lines
const std::string kStarHead =
    "data_x\nsave_a\nloop_\n_Gen_dist_constraint.ID\n_Gen_dist_constraint.Member_logic_code\n"
    "_Gen_dist_constraint.Entity_assembly_ID_1\n_Gen_dist_constraint.Seq_ID_1\n"
    "_Gen_dist_constraint.Comp_ID_1\n_Gen_dist_constraint.Atom_ID_1\n"
    "_Gen_dist_constraint.Entity_assembly_ID_2\n_Gen_dist_constraint.Seq_ID_2\n"
    "_Gen_dist_constraint.Comp_ID_2\n_Gen_dist_constraint.Atom_ID_2\n"
    "_Gen_dist_constraint.Distance_lower_bound_val\n_Gen_dist_constraint.Distance_upper_bound_val\n";

std::string nefDihedral(const std::string& row) {
    std::string head = "data_x\nloop_\n_nef_dihedral_restraint.restraint_id\n";
    for (const char* end : {"1", "2", "3", "4"})
        for (const char* tag : {"chain_code_", "sequence_code_", "atom_name_"})
            head += fmt::format("_nef_dihedral_restraint.{}{}\n", tag, end);
    return head + "_nef_dihedral_restraint.lower_limit\n_nef_dihedral_restraint.upper_limit\n" + row;
}

std::string nefSequence(const std::string& rows) {
    std::string head = "data_x\nloop_\n";
    for (const char* tag : {"chain_code", "sequence_code", "residue_name", "cis_peptide"})
        head += fmt::format("_nef_sequence.{}\n", tag);
    return head + rows + "stop_\n";
}
/// NEF's distances with a column of weights; the first row is line 17.
std::string weighted(const std::string& rows) {
    return kNefHead + "_nef_distance_restraint.weight\n" + rows + "stop_\nsave_\n";
}

TEST(RestraintFile, ReadsWeightsAndCombinations) {
    const RestraintFile file =
        parseRestraints(weighted("1 A 5 SER O A 18 THR N 2 3 .\n2 A 5 SER O A 18 THR N 2 3 0.25\n"), "a.nef");
    EXPECT_EQ(file.distances[0].weight, 1);
    EXPECT_EQ(file.distances[1].weight, 0.25);
    std::string star = kStarHead + "_Gen_dist_constraint.Weight\n";
    star += "1 OR 1 1 MET HA 1 20 SER HB3 1.8 6 3\n2 AND 1 1 MET HA 1 20 SER HB3 1.8 6 .\nstop_\nsave_\n";
    const RestraintFile other = parseRestraints(star, "a.str");
    EXPECT_EQ(other.distances[0].weight, 3);
    EXPECT_EQ(other.distances[0].unsupported, "");
    EXPECT_THAT(other.distances[1].unsupported, HasSubstr("combined by AND"));
    const std::string dihedrals =
        nefDihedral("_nef_dihedral_restraint.weight\n1 A 2 C A 3 N A 3 CA A 3 C 1 2 5\n");
    EXPECT_EQ(parseRestraints(dihedrals, "a.nef").dihedrals[0].weight, 5);
}

TEST(RestraintFile, ReadsCisPeptidesOfNef) {
    const RestraintFile file =
        parseRestraints(nefSequence("A 1 ALA .\nA 2 PRO true\nA 3 PRO false\n") + "save_b\n" +
                            kNefHead.substr(kNefHead.find("_nef_distance_restraint_list.sf")) +
                            "1 A 1 ALA HA A 2 PRO HA 2 5\nstop_\nsave_\n",
                        "a.nef");
    ASSERT_EQ(file.sequence.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(file.sequence[k].cisPeptide, k == 1);
        EXPECT_EQ(file.sequence[k].line, 7 + k);
    }
}

TEST(RestraintFile, ReadsEveryFormat) {
    const struct {
        const char* name;
        std::string text;
        std::vector<std::string> expected;
    } cases[] = {
        {"a.tbl",
         "{a {nested} one}! c\nassign (resid 5 and name HN)(resid 6 and name HB#) 4.0 2.2 1.0\n",
         {"1@2: 5/HN 6/HB# [1.8, 5]"}},
        {"a.tbl",
         "assign (segid \" A\" and resid 5 and (name HA or name HN)) (resn L* and resid 7:8) 3 3 0 weight 1 "
         "! x\n"
         "  or (resid 1)(resid 2 and name HA)\nASSIGN (atom B 3 O) (all) 2 3 1",
         {"1@1: A/5/HA,A/5/HN L*7,L*8 1 2/HA [0, 3]", "2@3: B/3/O all [0, 3]"}},
        {"a.tbl",
         "assign (resid 2 and name C)(resid 3 and name N)\n (resid 3 and name CA)(resid 3 and name C) 1 -40 "
         "130 2",
         {"1@1: 2/C 3/N 3/CA 3/C [-170°, 90°]"}},
        {"a.nef",
         kNefHead + "1 A 5 SER O A 18 THR N 2.4 3.3\n2 A 5 SER HBx A 8 VAL HGx% . 5\n"
                    "2 A 5 SER HBx A 9 'VAL' \"HG1%\" . 5\nstop_\nsave_\n",
         {"1@16: A/SER5/O A/THR18/N [2.4, 3.3]",
          "2@17: A/SER5/HBx A/VAL8/HGx% A/SER5/HBx A/VAL9/HG1% [0, 5]"}},
        {"a.nef",
         nefDihedral("1 A 2 C A 3 N A 3 CA A 3 C 180 -170\n"),
         {"1@18: A/2/C A/3/N A/3/CA A/3/C [180°, 190°]"}},
        {"a.str",
         kStarHead + "1 OR 1 1 MET HA 1 20 SER HB3 1.8 6\n1 OR 1 1 MET HA 1 20 SER HB2 1.8 6\nstop_\nsave_\n",
         {"1@16: 1/MET1/HA 1/SER20/HB3 1/MET1/HA 1/SER20/HB2 [1.8, 6]"}},
        {"a.upl",
         "# c\n  4 PHE  H  53 VAL  HG2  4.46  #peak 2\n 4 PHE QD 5 LEU HA 0.00\n",
         {"1@2: PHE4/H VAL53/HG2 PHE4/QD LEU5/HA [0, 4.46]"}},
        {"a.lol.gz", "4 PHE H 53 VAL HG2 2.5\r\n", {"1@1: PHE4/H VAL53/HG2 [2.5, inf]"}},
        {"a.aco", "#  2 THR PHI -1 1\n 4 PHE PHI -248.4 -27.3\n", {"1@2: PHE4 PHI [-248.4°, -27.3°]"}},
        {"a.bounds",
         "1 2 1.5 1.6\nA:5:HB2 A/LYS6/CA 0 inf\n",
         {"1@1: atom 1 atom 2 [1.5, 1.6]", "2@2: A/5/HB2 A/LYS6/CA [0, inf]"}},
        {"a.csv",
         "i,j,atom_i,atom_j,lower,upper\n1,2,A/LYS1/CA,A/PRO-2/CA,3.8,3.9\n",
         {"1@2: A/LYS1/CA A/PRO-2/CA [3.8, 3.9]"}},
    };
    for (const auto& [name, text, expected] : cases)
        EXPECT_EQ(contents(parseRestraints(text, name)), expected) << name << "\n" << text;
}

TEST(RestraintFile, SaysWhatIsNoRestraint) {
    const RestraintFile file = parseRestraints(
        "*HEADER (of a file)\nset echo=off end\nassign (resid 1)(resid 2) 3 1 1\n"
        "assign (resid 1)(resid 2)(resid 3)(resid 4)(resid 5)(resid 6) 1 2 3\n",
        "a.tbl");
    EXPECT_THAT(file.notes,
                ElementsAre("2 lines of other text, the first in line 1",
                            "1 assign statements of neither distances nor torsion angles, the first "
                            "in line 4"));
}

TEST(RestraintFile, RefusesWithPlaceAndExpectation) {
    const struct {
        const char* name;
        std::string text;
        const char* expected;
    } cases[] = {
        {"a.tbl", "\nassign (resid 5 and name HA", "line 2: the file ends where ')' should follow"},
        {"a.tbl", "assign (resid 5)(resid 6) 4 2\n", "line 1: the statement has 2 numbers"},
        {"a.tbl", "assign (resid 5)(resid six) 4 2 1",
         "the residue number is 'six'; expected a whole number"},
        {"a.tbl", "assign (resid 5)(resid 6 and near HA) 4 2 1", "the selection says 'near'"},
        {"a.tbl", "assign (resid 5 and resid 6)(resid 6) 4 2 1", "contradicts itself"},
        {"a.tbl", "assign (resid 5)(resid 6) 4 2 1e9", "plus is '1e9'; expected a distance in Å"},
        {"a.tbl", "assign (resid 5) 4 2 1", "assign with 1 selections"},
        {"a.tbl", "asign (resid 5)(resid 6) 4 2 1", "line 1: 'asign' where 'assign' should stand"},
        {"a.tbl", "assign (resid 5)(resid 6) 4 2 1 (resid 7)",
         "line 1: '(' after the assign statement of line 1"},
        {"a.tbl", "{ open\nassign (resid 5)(resid 6) 4 2 1", "line 1: a comment '{' is not closed"},
        {"a.tbl", "assign (segid \"A and resid 5)(resid 6) 4 2 1", "a quote is not closed"},
        {"a.tbl", std::string(100, '('), "line 1: '(' where 'assign' should stand"},
        {"a.tbl", "assign " + std::string(100, '('), "more than 64 nested parentheses"},
        {"a.tbl", "! nothing\n", "a.tbl: holds no restraint of a distance or a torsion angle"},
        {"a.nef", kNefHead + "1 A 5 SER O A 18 THR N 2.4\nstop_\nsave_\n",
         "line 16: the last row of _nef_distance_restraint has 10"},
        {"a.nef", kNefHead + "1 A 5 SER O A 18 THR N 3.4 2\nstop_\nsave_\n",
         "line 16: the lower limit 3.4 Å is above the upper limit 2 Å"},
        {"a.nef", kNefHead + "1 A 5 SER O A 18 THR N . .\nstop_\nsave_\n",
         "neither a lower nor an upper limit"},
        {"a.nef", kNefHead + "1 A x SER O A 18 THR N 2 3\nstop_\nsave_\n",
         "line 16: the residue number is 'x'"},
        {"a.nef", kNefHead + "1 A 5 SER O A 18 THR N 2 3\nstop_\n", "may be cut short"},
        {"a.nef", "no star file", "a.nef: line 1: "},
        {"a.nef", nefSequence("A 1 ALA yes\n"), "line 7: cis_peptide is 'yes'; expected true, false or ."},
        {"a.nef", weighted("1 A 5 SER O A 18 THR N 2 3 -1\n"),
         "line 17: the weight is '-1'; expected a number"},
        {"a.nef", weighted("1 A 5 SER O A 18 THR N 2 3 1\n1 A 5 SER O A 19 THR N 2 3 2\n"),
         "line 18: the weight of restraint 1 is 2; expected 1 as in line 17"},
        {"a.upl", "4 PHE H 53 VAL HG2\n", "line 1: 6 columns; expected residue number"},
        {"a.upl", "4 PHE H 53 VAL HG2 0\n", "there is none"},
        {"a.upl", "4 PHE H 53 VAL HG2 nan\n", "the limit is 'nan'"},
        {"a.aco", "4 PHE PHI 1 x\n", "the upper limit is 'x'; expected an angle in degrees"},
        {"a.bounds", "1 2 3 2\n", "line 1: the lower limit 3 Å is above the upper limit 2 Å"},
        {"a.bounds", "0 2 1 2\n", "'0' is no atom"},
        {"a.bounds", "1 A:B:C 1 2\n", "'A:B:C' is no atom"},
        {"a.csv", "i,j,lower\n1,2,3\n", "line 1: there is no column 'upper'"},
    };
    for (const auto& [name, text, expected] : cases)
        EXPECT_THAT(messageOf<InputError>([&, &text = text, &name = name] { parseRestraints(text, name); }),
                    HasSubstr(expected))
            << text;
    EXPECT_THAT(messageOf<UsageError>([] { parseRestraints("", "a.xyz"); }),
                HasSubstr("unknown kind of file"));
    EXPECT_THAT(messageOf<UsageError>([] { readRestraintFile("/folder/a.pdb.gz"); }),
                HasSubstr("`glycine inspect /folder/a.pdb.gz`"));
}

TEST(RestraintFile, ShiftsRevealCisProlines) {
    std::string nef = kNefHead + "1 A 1 ALA HA A 2 PRO HA . 5\nstop_\nloop_\n";
    for (const char* tag : {"chain_code", "sequence_code", "residue_name", "atom_name", "value"})
        nef += fmt::format("_nef_chemical_shift.{}\n", tag);
    const RestraintFile file =
        parseRestraints(nef +
                            "A 2 PRO CB 34.1\nA 2 PRO CG 24.5\nA 9 PRO CB 31.9\nA 9 PRO CG 27.4\n"
                            "A 7 ALA CB 19\nA 8 PRO CB 34\nA 8 PRO CG .\nstop_\nsave_\n",
                        "a.nef");
    ASSERT_EQ(file.prolines.size(), 3U);
    const std::vector<bool> expected{true, false, false};
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(file.prolines[k].isCis(), expected[k]) << k;
}

}  // namespace
}  // namespace glycine::io
