#include "engine/io/restraints/map_restraints.hpp"

#include "tests/test.hpp"

namespace glycine::io {
namespace {

const std::map<std::string, std::vector<std::string>> kResidues{
    {"MET",
     {"N", "CA", "C", "O", "CB", "CG", "SD", "CE", "H1", "H2", "H3", "HA", "HB2", "HB3", "HG2", "HG3", "HE1",
      "HE2", "HE3"}},
    {"LEU",
     {"N", "CA", "C", "O", "CB", "CG", "CD1", "CD2", "H", "HA", "HB2", "HB3", "HG", "HD11", "HD12", "HD13",
      "HD21", "HD22", "HD23"}},
    {"ILE",
     {"N", "CA", "C", "O", "CB", "CG1", "CG2", "CD1", "H", "HA", "HB", "HG12", "HG13", "HG21", "HG22", "HG23",
      "HD11", "HD12", "HD13"}},
    {"ASN", {"N", "CA", "C", "O", "OXT", "CB", "CG", "OD1", "ND2", "H", "HA", "HB2", "HB3", "HD21", "HD22"}},
    {"PHE", {"H", "HA", "HB2", "HB3", "HD1", "HD2", "HE1", "HE2", "HZ"}},
    {"THR", {"H", "HA", "HB", "HG1", "HG21", "HG22", "HG23"}}};

TEST(MapRestraints, FindsAtomsByTheNamesOfEachFormat) {
    using enum RestraintFormat;
    const struct {
        const char* residue;
        const char* written;
        RestraintFormat format;
        const char* expected;  ///< names; after a bar, those they may be swapped with
    } cases[] = {
        {"LEU", "HA", Nef, "HA"},
        {"LEU", "HB%", Nef, "HB2 HB3"},
        {"LEU", "HD2%", Nef, "HD21 HD22 HD23"},
        {"ASN", "HD2%", Nef, "HD21 HD22"},
        {"LEU", "HBx", Nef, "HB2|HB3"},
        {"LEU", "HBy", Nef, "HB3|HB2"},
        {"LEU", "HDx%", Nef, "HD11 HD12 HD13|HD21 HD22 HD23"},
        {"LEU", "HD%", Nef, "HD11 HD12 HD13 HD21 HD22 HD23"},
        {"ILE", "HG1x", Nef, "HG12|HG13"},
        {"PHE", "HDy", Nef, "HD2|HD1"},
        {"MET", "H", Nef, "H1 H2 H3"},
        {"ILE", "HG1%", Nef, "HG12 HG13"},
        {"LEU", "HN", Xplor, "H"},
        {"LEU", "hb1", Xplor, "HB3"},
        {"LEU", "HB2", Xplor, "HB2"},
        {"LEU", "HD2#", Xplor, "HD21 HD22 HD23"},
        {"LEU", "HD1*", Xplor, "HD11 HD12 HD13"},
        {"LEU", "HB%", Xplor, "HB2 HB3"},
        {"LEU", "HB+", Xplor, "HB2 HB3"},
        {"ILE", "HG11", Xplor, "HG13"},
        {"ILE", "HD1", Xplor, "HD11"},
        {"ILE", "CD", Xplor, "CD1"},
        {"ASN", "OT2", Xplor, "OXT"},
        {"THR", "HG1", Xplor, "HG1"},
        {"LEU", "QB", CyanaUpl, "HB2 HB3"},
        {"LEU", "QQD", CyanaUpl, "HD11 HD12 HD13 HD21 HD22 HD23"},
        {"LEU", "QD1", CyanaUpl, "HD11 HD12 HD13"},
        {"LEU", "HD1", CyanaUpl, "HD11 HD12 HD13"},
        {"ILE", "HD1", CyanaUpl, "HD11 HD12 HD13"},
        {"PHE", "HE", CyanaUpl, "HE1 HE2"},
        {"PHE", "QR", CyanaUpl, "HD1 HD2 HE1 HE2 HZ"},
        {"LEU", "MD2", NmrStar, "HD21 HD22 HD23"},
        {"ILE", "MG", NmrStar, "HG21 HG22 HG23"},
        {"THR", "MG", NmrStar, "HG21 HG22 HG23"},
        {"MET", "ME", NmrStar, "HE1 HE2 HE3"},
        {"LEU", "1HB", Table, "HB3"},
        {"LEU", "HX", Xplor, ""},
        {"LEU", "HX#", Xplor, ""},
        {"ILE", "HBx", Nef, ""},
    };
    for (const auto& [residue, written, format, expected] : cases) {
        const std::vector<std::string>& names = kResidues.at(residue);
        const auto found = findAtoms(names, written, format);
        std::string text;
        if (found) {
            const auto join = [&](const std::vector<std::size_t>& atoms) {
                std::vector<std::string> all;
                for (const std::size_t a : atoms) all.push_back(names[a]);
                return fmt::format("{}", fmt::join(all, " "));
            };
            text = join(found->atoms) + (found->swapped.empty() ? "" : "|" + join(found->swapped));
        }
        EXPECT_EQ(text, expected) << residue << " " << written << " " << describe(format);
    }
}

/// MET 1, LEU 2, ASN 3 of each chain, 19 + 19 + 15 atoms.
std::vector<NamedAtom> tripeptides(const std::vector<std::string>& chains) {
    std::vector<NamedAtom> atoms;
    for (const std::string& chain : chains) {
        int number = 0;
        for (const char* residue : {"MET", "LEU", "ASN"}) {
            ++number;
            for (const std::string& name : kResidues.at(residue))
                atoms.push_back({chain, number, residue, name});
        }
    }
    return atoms;
}
MappedRestraints map(const std::string& name, const std::string& text, const std::vector<std::string>& chains,
                     const MappingOptions& options = {}) {
    return mapRestraints(parseRestraints(text, name), tripeptides(chains), options);
}

TEST(MapRestraints, ListsEveryPairOnce) {
    const MappedRestraints mapped =
        map("a.upl", "2 LEU QB 1 MET HA 5\n1 MET HB2 1 MET QB 5\n2 LEU HA 3 ASN H 5\n2 LEU HB2 3 ASN QB 0\n",
            {"A"});
    ASSERT_EQ(mapped.distances.size(), 3U);
    EXPECT_THAT(mapped.distances[0].pairs, ElementsAre(testing::Pair(29, 11), testing::Pair(30, 11)));
    EXPECT_THAT(mapped.distances[1].pairs, ElementsAre(testing::Pair(12, 13)));
    EXPECT_THAT(mapped.distances[2].pairs,
                ElementsAre(testing::Pair(28, 47), testing::Pair(29, 49), testing::Pair(29, 50)));
}

TEST(MapRestraints, NumbersChainsAsTheFileDoes) {
    const MappingOptions options{.firstResidues = {{"B", 101}}};
    EXPECT_THAT(map("a.upl", "2 LEU HA 102 LEU+ HA 5\n", {"A", "B"}, options).distances[0].pairs,
                ElementsAre(testing::Pair(28, 53 + 28)));
    // Without it, each chain has a residue 2, and all of them count.
    EXPECT_EQ(map("a.upl", "2 LEU HA 1 MET HA 5\n", {"A", "B"}).distances[0].pairs.size(), 4U);
    const MappedRestraints renamed =
        map("a.tbl", "assign (segid PROT and resid 2 and name HA)(resid 3 and name HA) 3 1 1", {"A"});
    EXPECT_THAT(renamed.notes,
                ElementsAre("chain 'PROT' of the file is taken for the molecule's only one, 'A'"));
}

TEST(MapRestraints, FindsAnglesByTheirNames) {
    const MappedRestraints mapped =
        map("a.aco",
            "2 LEU PHI -70 -50\n2 LEU PSI 1 2\n1 MET CHI3 1 2\n2 LEU CHI2 1 2\n3 ASN OMEGA 170 190\n", {"A"});
    const std::vector<NamedAtom> atoms = tripeptides({"A"});
    std::vector<std::string> names;
    for (const MappedDihedral& dihedral : mapped.dihedrals) {
        std::string name;
        for (const std::size_t a : dihedral.atoms)
            name += fmt::format("{}{} ", atoms[a].residue, atoms[a].name);
        names.push_back(name);
    }
    EXPECT_THAT(names, ElementsAre("1C 2N 2CA 2C ", "2N 2CA 2C 3N ", "1CB 1CG 1SD 1CE ", "2CA 2CB 2CG 2CD1 ",
                                   "2CA 2C 3N 3CA "));
}

TEST(MapRestraints, RefusesOrSkipsWhatTheMoleculeLacks) {
    const struct {
        const char* name;
        std::string text;
        const char* expected;
    } cases[] = {
        {"a.upl", "2 LEU HA 3 ASN HG2 5\n",
         "a.upl: line 1: restraint 1: ASN3/HG2: ASN has no such atom; nearest: "},
        {"a.upl", "2 LEU HA 9 ASN HA 5\n",
         "ASN9/HA: no such residue; chain 'A' has 1 to 3, chain 'B' has 1 to 3"},
        {"a.upl", "2 ILE HA 3 ASN HA 5\n", "residue 2 is LEU, not ILE"},
        {"a.tbl", "assign (segid C and resid 1)(resid 2) 3 1 1",
         "the molecule has no chain 'C'; known: A, B"},
        {"a.bounds", "1 999 1 2\n", "atom 999: the molecule has 106 atoms"},
        {"a.aco", "1 MET PHI 1 2\n", "PHI needs a residue before it"},
        {"a.aco", "2 LEU CHI4 1 2\n", "no angle CHI4"},
        {"a.tbl",
         "assign (resid 1 and name C)(resid 2 and name N)(resid 2 and name CA)(resid 2 and name HB#) 1 2 3 2",
         "expected one"},
    };
    for (const auto& [name, text, expected] : cases) {
        EXPECT_THAT(messageOf<InputError>([&, &text = text, &name = name] {
                        map(name, text, {"A", "B"});
                    }),
                    HasSubstr(expected));
        const MappedRestraints mapped = map(name, text, {"A", "B"}, {.skipUnknown = true});
        EXPECT_EQ(mapped.skipped.size(), 1U) << text;
        EXPECT_TRUE(mapped.distances.empty() && mapped.dihedrals.empty());
    }
    EXPECT_THAT(messageOf<UsageError>([] {
                    map("a.upl", "2 LEU HA 1 MET HA 5\n", {"A", "B"}, {.firstResidues = {{"C", 1}}});
                }),
                HasSubstr("--first-residue C=1: the molecule has no chain 'C'; known: A, B"));
    for (const char* word : {"B", "B=", "B=x", "B=1 "})
        EXPECT_THAT(messageOf<UsageError>([&] { parseFirstResidue(word); }),
                    HasSubstr("expected CHAIN=NUMBER"))
            << word;
    EXPECT_EQ(parseFirstResidue("B=-5"), std::pair(std::string("B"), -5));
    EXPECT_THAT(messageOf<InputError>([] { map("a.bounds", "5 5 1 2\n", {"A"}); }),
                HasSubstr("both ends are the same atom"));
}

/// The head of NEF's distances, up to the tag of the upper limit.
std::string nefDistances() {
    std::string text = "data_x\nloop_\n_nef_distance_restraint.restraint_id\n";
    for (const char* end : {"1", "2"})
        for (const char* tag : {"chain_code", "sequence_code", "residue_name", "atom_name"})
            text += fmt::format("_nef_distance_restraint.{}_{}\n", tag, end);
    return text + "_nef_distance_restraint.upper_limit\n";
}

TEST(MapRestraints, LeavesOutThoseOfNoWeight) {
    // The unknown atom does no harm.
    const MappedRestraints mapped = map("a.nef",
                                        nefDistances() +
                                            "_nef_distance_restraint.weight\n1 A 2 LEU QX A 1 MET HA 4 0\n"
                                            "2 A 2 LEU HA A 1 MET HA 4 0.5\nstop_\n",
                                        {"A"});
    ASSERT_EQ(mapped.distances.size(), 1U);
    EXPECT_EQ(mapped.distances[0].stated, 1U);
    EXPECT_THAT(mapped.skipped, ElementsAre("line 14, restraint 1: its weight is 0"));
}

TEST(MapRestraints, SkipsCombinationsByAnd) {
    const std::string text = nefDistances() +
                             "_nef_distance_restraint.restraint_combination_id\n"
                             "1 A 2 LEU HA A 1 MET HA 4 7\n1 A 2 LEU HG A 1 MET HA 4 7\n"
                             "2 A 2 LEU HA A 1 MET HA 4 .\nstop_\n";
    EXPECT_THAT(messageOf<InputError>([&] { map("a.nef", text, {"A"}); }),
                HasSubstr("a.nef: line 14: restraint 1: restraints that are combined by AND are not read"));
    const MappedRestraints mapped = map("a.nef", text, {"A"}, {.skipUnknown = true});
    ASSERT_EQ(mapped.distances.size(), 1U);
    EXPECT_EQ(mapped.distances[0].stated, 1U);
    EXPECT_EQ(mapped.skipped.size(), 1U);
}

TEST(MapRestraints, LeavesOutNefRestraintsOfOneAtom) {
    std::string text = nefDistances() +
                       "483 A 2 LEU HBx A 2 LEU HBy 4\n"
                       "484 A 2 LEU HBx A 2 LEU HBx 4\n"
                       "485 A 1 MET HA A 2 LEU HBx 4\nstop_\n";
    const MappedRestraints mapped = map("a.nef", text, {"A"});
    ASSERT_EQ(mapped.distances.size(), 2U);
    EXPECT_EQ(mapped.distances[1].stated, 2U);
    EXPECT_THAT(mapped.skipped,
                ElementsAre("line 14, restraint 484: both ends are the same atom, A/LEU2/HBx"));

    // The same row as one of two alternatives.
    text.replace(text.find("485"), 3, "484");
    const MappedRestraints ambiguous = map("a.nef", text, {"A"});
    ASSERT_EQ(ambiguous.distances.size(), 2U);
    EXPECT_EQ(ambiguous.distances[1].pairs.size(), 1U);
    EXPECT_THAT(
        ambiguous.skipped,
        ElementsAre("line 14, restraint 484: both ends of an alternative are the same atom, A/LEU2/HBx"));
}

}  // namespace
}  // namespace glycine::io
