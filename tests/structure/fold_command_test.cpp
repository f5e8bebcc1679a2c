// `glycine fold` and `glycine bounds` with restraints, as users call them.
#include "tests/app/task_test.hpp"

namespace glycine {
namespace {

class RestraintCommands : public ::testing::Test {
  protected:
    static CommandAction declare(Options& options, const std::string& name, const std::string& group = "") {
        for (const Command& command : CommandRegistry::instance().commands())
            if (command.group == group && command.name == name) return command.declare(options);
        throw std::logic_error(name);
    }
    static CommandAction fold(Options& options) { return declare(options, "fold"); }
    static CommandAction bounds(Options& options) { return declare(options, "bounds"); }
    static CommandAction generate(Options& options) { return declare(options, "restraints", "generate"); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

    /// A NEF file of ACAPGC, with 0 or 1 flags `cis` at its proline, and rows of distances.
    std::string nef(const std::string& cis, const std::string& rows) const {
        std::string text = "data_a\nloop_\n";
        for (const char* item : {"chain_code", "sequence_code", "residue_name", "cis_peptide"})
            text += std::string("_nef_sequence.") + item + "\n";
        text += "A 1 ALA .\nA 2 CYS .\nA 3 ALA .\nA 4 PRO " + cis + "\nA 5 GLY .\nA 6 CYS .\nstop_\nloop_\n";
        for (const char* item :
             {"restraint_id", "chain_code_1", "sequence_code_1", "residue_name_1", "atom_name_1",
              "chain_code_2", "sequence_code_2", "residue_name_2", "atom_name_2", "weight", "upper_limit"})
            text += std::string("_nef_distance_restraint.") + item + "\n";
        return write("a.nef", text + rows + "stop_\n");
    }

    TemporaryFolder folder_;
    std::string sequence_ = write("a.fa", ">A\nACAAGAACA\n");
    std::string limits_ = write("a.upl", "1 ALA HA 4 ALA H 5\n2 CYS HA 8 CYS HA 6\n3 ALA QB 7 ALA H 5\n");
};

TEST_F(RestraintCommands, FoldsAndCompares) {
    const std::vector<std::string> input{limits_, "--sequence", sequence_, "-n", "3", "--steps", "100"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), input.begin(), input.end());
        return more;
    };
    const Json first = succeedTask(fold, with({"-o", path("m.pdb"), "--json", "--disulfide", "2-8"})).json();
    EXPECT_EQ(first["models"].size(), 3U);
    EXPECT_EQ(first["disulfides"][0], "A/CYS2 - A/CYS8: as requested");
    EXPECT_EQ(first["restraints"]["distances"], 3);
    const std::string models = readFile(path("m.pdb"));
    EXPECT_THAT(models,
                AllOf(HasSubstr("MODEL        3"), Not(HasSubstr(" HG  CYS")),
                      HasSubstr("\nSSBOND   1 CYS A    2    CYS A    8                          1555   "
                                "1555  ")));
    for (const Json& model : first["models"]) EXPECT_EQ(model["wrongCentres"], 0);

    // The models serve as their own reference, whose first model is the best.
    const Json again =
        succeedTask(fold, with({"-o", path("n.cif"), "--json", "--disulfide", "A/2-A/8", "--reference",
                                path("m.pdb"), "-o", path("m.svg"), "--color", "violation"}))
            .json();
    EXPECT_THAT(again["orderedBy"].get<std::string>(), HasSubstr("RMSF of at most 1.5 Å among the 3 models"));
    EXPECT_NEAR(again["models"][0]["rmsdToReference"].get<double>(), 0, 1e-2);
    EXPECT_NEAR(again["models"][0]["tmScore"].get<double>(), 1, 1e-2);
    EXPECT_EQ(again["models"][0]["gdtTs"], 1);
    EXPECT_LT(again["models"][1]["tmScore"].get<double>(), 0.999);
    EXPECT_THAT(readFile(path("m.svg")), AllOf(StartsWith("<?xml"), HasSubstr("violation")));

    const Json given = succeedTask(fold, with({"-o", path("n.cif"), "--json", "--ordered", "2-5,7"})).json();
    EXPECT_EQ(given["ordered"], "2-5, 7-7");
    EXPECT_EQ(given["orderedBy"], "as given");
    EXPECT_TRUE(given["disulfides"].empty());
}

TEST_F(RestraintCommands, KeepsDisulfidesThatFilesState) {
    const std::vector<std::string> short_{"-n", "1", "--steps", "20", "--json"};
    const auto disulfides = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), short_.begin(), short_.end());
        return succeedTask(fold, arguments).json()["disulfides"];
    };
    disulfides(
        {limits_, "--sequence", sequence_, "--disulfide", "2-8", "-o", path("s.pdb"), "-o", path("s.cif")});
    EXPECT_THAT(readFile(path("s.cif")), HasSubstr("\ndisulf1 disulf A CYS 2 SG A 2 1_555 A CYS 8 SG A 8"));
    for (const char* topology : {"s.pdb", "s.cif"}) {
        const Json found = disulfides({limits_, "--topology", path(topology), "-o", path("t.pdb")});
        ASSERT_EQ(found.size(), 1U) << topology;
        EXPECT_EQ(found[0], "A/CYS2 - A/CYS8: as " + path(topology) + " states");
        EXPECT_THAT(readFile(path("t.pdb")), HasSubstr("SSBOND   1 CYS A    2    CYS A    8"));
    }
    std::string nef =
        "data_a\nloop_\n_nef_sequence.chain_code\n_nef_sequence.sequence_code\n"
        "_nef_sequence.residue_name\n";
    for (const char* residue : {"A 1 ALA", "A 2 CYS", "A 3 ALA", "A 4 ALA", "A 5 GLY", "A 6 CYS"})
        nef += std::string(residue) + "\n";
    nef += "stop_\nloop_\n";
    for (const char* item : {"chain_code_1", "sequence_code_1", "residue_name_1", "atom_name_1",
                             "chain_code_2", "sequence_code_2", "residue_name_2", "atom_name_2"})
        nef += std::string("_nef_covalent_links.") + item + "\n";
    const std::string links = nef + "A 2 CYS SG A {} CYS SG\nA 1 ALA N A 6 CYS C\nstop_\nloop_\n";
    const auto nefWith = [&](const std::string& residue) {
        std::string text = links;
        text.replace(text.find("{}"), 2, residue);
        for (const char* item :
             {"restraint_id", "chain_code_1", "sequence_code_1", "residue_name_1", "atom_name_1",
              "chain_code_2", "sequence_code_2", "residue_name_2", "atom_name_2", "upper_limit"})
            text += std::string("_nef_distance_restraint.") + item + "\n";
        return write("l.nef", text + "1 A 1 ALA HA A 4 ALA H 5\nstop_\n");
    };
    const Json linked = disulfides({nefWith("6"), "-o", path("t.pdb")});
    ASSERT_EQ(linked.size(), 1U);
    EXPECT_THAT(linked[0].get<std::string>(), StartsWith("A/CYS2 - A/CYS6"));
    expectTaskRefused(fold, {nefWith("7"), "-o", path("t.pdb")},
                      "l.nef: a disulfide bond of residue A/7, which the molecule lacks");
    std::string star = "data_a\nloop_\n_Bond.ID\n";
    const auto items = [&](const std::string& category, std::initializer_list<const char*> names) {
        for (const std::string end : {"_1", "_2"})
            for (const char* item : names) star += category + "." + item + end + "\n";
    };
    items("_Bond", {"Entity_assembly_ID", "Comp_ID", "Comp_index_ID", "Seq_ID", "Atom_ID"});
    // Chains by their number in the assembly; the second bond is to an ion, which is no residue.
    star +=
        "1 1 CYS 2 . SG 1 CYS 8 8 SG\n2 1 CYS 2 2 SG 2 ZN . . ZN\nstop_\nloop_\n_Gen_dist_constraint.ID\n";
    items("_Gen_dist_constraint", {"Entity_assembly_ID", "Comp_ID", "Seq_ID", "Atom_ID"});
    star += "_Gen_dist_constraint.Distance_upper_bound_val\n1 1 ALA 1 HA 1 ALA 3 H 6\nstop_\n";
    const Json bonds = disulfides({write("b.str", star), "--sequence", sequence_, "-o", path("t.pdb")});
    ASSERT_EQ(bonds.size(), 1U);
    EXPECT_EQ(bonds[0], "A/CYS2 - A/CYS8: as the file of restraints states");
}

TEST_F(RestraintCommands, NumbersADimerAsItsFileDoes) {
    const std::string limits = write("e.upl", "2 ALA HA 102 ALA HA 4\n1 GLY CA 103 GLY CA 9\n");
    const std::string angles = write("e.aco", "102 ALA PHI -80 -60\n");
    const std::string dimer = write("e.fa", ">A\nGAG\n>B\nGAG\n");
    const std::vector<std::string> input{limits, angles, "--sequence", dimer};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), input.begin(), input.end());
        return more;
    };
    const std::vector<std::string> short_{"-n", "2", "--steps", "300", "--json", "-o", path("m.pdb")};
    std::vector<std::string> arguments = with(short_);
    arguments.insert(arguments.end(), {"--first-residue", "B=101", "-o", path("m.violations.tsv")});
    const Json found = succeedTask(fold, arguments).json();
    EXPECT_EQ(found["restraints"]["distances"], 2);
    EXPECT_EQ(found["restraints"]["dihedrals"], 1);
    EXPECT_EQ(found["bounds"]["inconsistentPairs"], 0);
    EXPECT_GT(found["seconds"]["upper"].get<double>(), 0);
    // Distances of the models, from the file.
    std::map<std::string, std::array<double, 3>> atoms;
    std::istringstream models(readFile(path("m.pdb")));
    for (std::string line; std::getline(models, line) && !line.starts_with("ENDMDL");)
        if (line.starts_with("ATOM"))
            atoms[line.substr(12, 14)] = {std::stod(line.substr(30, 8)), std::stod(line.substr(38, 8)),
                                          std::stod(line.substr(46, 8))};
    const auto& a = atoms.at(" HA  ALA A   2");
    const auto& b = atoms.at(" HA  ALA B   2");
    EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 4.5);

    expectTaskRefused(fold, with({"-o", path("n.pdb")}), "ALA102/HA: no such residue");
    expectTaskRefused(fold, with({"-o", path("n.pdb"), "--first-residue", "C=101"}),
                      "--first-residue C=101: the molecule has no chain 'C'; known: A, B");
    EXPECT_FALSE(fs::exists(path("n.pdb")));
}

TEST_F(RestraintCommands, FoldRefusesContradictions) {
    const std::string limits = write("f.upl", "1 ALA HA 4 ALA HA 3\n4 ALA HA 8 CYS HA 3\n");
    const std::string lower = write("f.lol", "1 ALA HA 8 CYS HA 9\n");
    const std::vector<std::string> input{limits, lower, "--sequence", sequence_, "-n", "1", "--steps", "50"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), input.begin(), input.end());
        return more;
    };
    const TaskOutcome refused = runTask(fold, with({"-o", path("m.pdb"), "-o", path("m.violations.tsv")}));
    EXPECT_EQ(refused.exitCode, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(
        refused.error,
        AllOf(
            HasSubstr("the restraints contradict each other by more than 0.1 Å: 1 group"),
            HasSubstr("A/ALA1/HA and A/CYS8/HA must be at least 9.0000 Å apart (restraint f.lol 1, line 1)"),
            HasSubstr("(restraint f.upl 2, line 2)"), HasSubstr("short by 3.0000 Å"),
            HasSubstr("--allow-inconsistent")));
    EXPECT_FALSE(fs::exists(path("m.pdb")));
    EXPECT_FALSE(fs::exists(path("m.violations.tsv")));

    // The explanation is that of `bounds`.
    const TaskOutcome explained = succeedTask(bounds, {limits, lower, "--sequence", sequence_, "--backend",
                                                       "reference", "--explain", "-o", path("o.npz")});
    const std::string proof = explained.out.substr(explained.out.find("A/ALA1/HA and"));
    EXPECT_THAT(refused.error, HasSubstr(proof.substr(0, proof.find("found from"))));

    const Json allowed =
        succeedTask(fold, with({"-o", path("m.pdb"), "--allow-inconsistent", "--json"})).json();
    EXPECT_GT(allowed["bounds"]["inconsistentPairs"], 0);
    EXPECT_EQ(allowed["bounds"]["contradictions"].size(), 1U);
    EXPECT_EQ(allowed["bounds"]["contradictions"][0]["lowerSource"], "restraint f.lol 1, line 1");
    EXPECT_THAT(succeedTask(fold, with({"-o", path("m.pdb"), "--violation-tolerance", "3.1"})).out,
                HasSubstr("Contradict"));
    expectTaskRefused(fold, with({"-o", path("m.pdb"), "--violation-tolerance", "2.9"}), "more than 2.9 Å");
}

TEST_F(RestraintCommands, ListsWhatEachModelBreaks) {
    // Farther than the chain reaches.
    const std::string lower = write("g.lol", "1 ALA HA 9 ALA HA 60\n");
    const std::vector<std::string> input{lower, "--sequence", sequence_, "-n",
                                         "2",   "--steps",    "50",      "--allow-inconsistent",
                                         "-o",  path("g.pdb")};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), input.begin(), input.end());
        return more;
    };
    const Json found = succeedTask(fold, with({"--json", "-o", path("g.violations.tsv")})).json();
    std::istringstream table(readFile(path("g.violations.tsv")));
    std::string line;
    std::getline(table, line);
    EXPECT_EQ(line, "model\tkind\trestraint\tline\tatoms\tpairs\tlower\tupper\tvalue\tviolation");
    for (int m = 1; m <= 2; ++m) {
        const Json& model = found["models"][static_cast<std::size_t>(m - 1)];
        ASSERT_EQ(model["violated"].size(), 1U);
        const Json& one = model["violated"][0];
        EXPECT_EQ(one["atoms"], "A/ALA1/HA - A/ALA9/HA");
        EXPECT_EQ(one["line"], 1);
        EXPECT_NEAR(one["violation"].get<double>(), one["value"].get<double>() - 60, 1e-9);
        EXPECT_NEAR(-one["violation"].get<double>(), model["largestViolation"].get<double>(), 1e-9);
        std::getline(table, line);
        EXPECT_THAT(line,
                    StartsWith(fmt::format("{}\tdistance\t1\t1\tA/ALA1/HA - A/ALA9/HA\t1\t60\tinf\t", m)));
    }
    EXPECT_FALSE(std::getline(table, line));
    EXPECT_THAT(succeedTask(fold, with({})).out, HasSubstr("1 (line 1): A/ALA1/HA - A/ALA9/HA by -"));
}

TEST_F(RestraintCommands, KeepsCisPeptidesThatFilesState) {
    const std::string row = "1 A 1 ALA HA A 3 ALA H 1 6\n";
    const auto cisOf = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-n", "1", "--steps", "20", "--json", "-o", path("c.pdb")});
        return succeedTask(fold, arguments).json()["cis"];
    };
    EXPECT_TRUE(cisOf({nef("false", row)}).empty());
    const Json stated = cisOf({nef("true", row)});
    ASSERT_EQ(stated.size(), 1U);
    EXPECT_EQ(stated[0], "A/PRO4: as a.nef states");
    // The CA atoms of a cis peptide are 2.9 Å apart, of a trans one 3.8 Å.
    const auto distance = [&] {
        std::map<std::string, std::array<double, 3>> places;
        std::istringstream file(readFile(path("c.pdb")));
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("ATOM") && line.substr(12, 4) == " CA ")
                places[line.substr(22, 4)] = {std::stod(line.substr(30, 8)), std::stod(line.substr(38, 8)),
                                              std::stod(line.substr(46, 8))};
        const auto& a = places.at("   3");
        const auto& b = places.at("   4");
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    };
    EXPECT_NEAR(distance(), 2.9, 0.2);
    EXPECT_TRUE(cisOf({nef("false", row)}).empty());
    EXPECT_NEAR(distance(), 3.8, 0.1);

    const std::string plain = readFile(path("c.pdb"));

    // Models state the bond themselves, one record each.
    const std::string limits = write("c.upl", "1 ALA HA 3 ALA H 6\n");
    succeedTask(fold,
                {nef("true", row), "-n", "2", "--steps", "20", "-o", path("d.pdb"), "-o", path("d.cif")});
    EXPECT_THAT(readFile(path("d.pdb")),
                HasSubstr("CISPEP   1 ALA A    3    PRO A    4          1         0.00\n"
                          "CISPEP   2 ALA A    3    PRO A    4          2         0.00\nMODEL"));
    for (const char* models : {"d.pdb", "d.cif"})
        EXPECT_EQ(cisOf({limits, "--topology", path(models)}).dump(),
                  "[\"A/PRO4: as " + path(models) + " states\"]");

    // Files of others, about all models or some.
    const std::string topology =
        write("t.pdb", "CISPEP   1 ALA A    3    PRO A    4          0         0.00\n" + plain);
    const Json recorded = cisOf({limits, "--topology", topology});
    ASSERT_EQ(recorded.size(), 1U);
    EXPECT_EQ(recorded[0], "A/PRO4: as " + topology + " states");
    EXPECT_NEAR(distance(), 2.9, 0.2);
    succeedTask(
        fold, {limits, "--topology", write("p.pdb", plain), "-n", "1", "--steps", "20", "-o", path("c.cif")});
    const std::string cif = write("t.cif", readFile(path("c.cif")) +
                                               "#\nloop_\n_struct_mon_prot_cis.pdbx_id\n"
                                               "_struct_mon_prot_cis.pdbx_auth_asym_id_2\n"
                                               "_struct_mon_prot_cis.pdbx_auth_seq_id_2\n"
                                               "_struct_mon_prot_cis.pdbx_PDB_model_num\n1 A 4 1\n2 A 5 7\n");
    EXPECT_EQ(cisOf({limits, "--topology", cif}).dump(), "[\"A/PRO4: as " + cif + " states\"]");
}

TEST_F(RestraintCommands, WeighsRestraintsAndCountsThoseLeftOut) {
    const auto run = [&](const std::string& weight) {
        const std::string rows = "1 A 1 ALA HA A 6 CYS HA " + weight +
                                 " 3\n2 A 1 ALA HA A 3 ALA H 1 6\n"
                                 "3 A 1 ALA HX A 3 ALA H 1 6\n";
        return succeedTask(fold, {nef(".", rows), "--skip-unknown", "-n", "1", "--steps", "20", "--json",
                                  "-o", path("w.pdb")})
            .json();
    };
    const Json none = run("0");
    EXPECT_EQ(none["restraints"]["distances"], 1);
    ASSERT_EQ(none["restraints"]["leftOut"].size(), 2U);
    EXPECT_EQ(none["restraints"]["leftOut"][0], "a.nef: line 26, restraint 1: its weight is 0");
    EXPECT_THAT(none["restraints"]["leftOut"][1].get<std::string>(), HasSubstr("ALA has no such atom"));
    EXPECT_THAT(none["warnings"][0].get<std::string>(), HasSubstr("left out 2 of 3 restraints"));
    const Json once = run("1"), twice = run("2");
    EXPECT_EQ(once["restraints"]["distances"], 2);
    EXPECT_NE(once["models"][0]["target"], twice["models"][0]["target"]);
    expectTaskRefused(fold, {nef(".", "1 A 1 ALA HA A 6 CYS HA -2 3\n"), "-o", path("w.pdb")},
                      "a.nef: line 26: the weight is '-2'; expected a number from 0 to 1000");
}

TEST_F(RestraintCommands, NamesThePlaceOfUnknownResidues) {
    const std::string fasta = write("x.fa", ">one\nACA\n>two\nACAG\nAXA\n");
    expectTaskRefused(
        fold, {limits_, "--sequence", fasta, "-o", path("x.pdb")},
        "x.fa: line 5: residue 6 of sequence two is 'X', which is none of the twenty amino acids; "
        "expected one of ACDEFGHIKLMNPQRSTVWY");
    std::string text = readFile(nef(".", "1 A 1 ALA HA A 3 ALA H 1 6\n"));
    text.replace(text.find("PRO"), 3, "PRX");
    expectTaskRefused(fold, {write("x.nef", text), "-o", path("x.pdb")},
                      "x.nef: line 10: 'PRX' is none of the twenty amino acids; nearest: PRO");
    succeedTask(fold, {limits_, "--sequence", sequence_, "-n", "1", "--steps", "20", "-o", path("x.pdb")});
    std::string model = readFile(path("x.pdb"));
    for (std::size_t at = 0; (at = model.find("GLY A   5", at)) != std::string::npos;)
        model.replace(at, 3, "GLX");
    expectTaskRefused(fold, {limits_, "--topology", write("y.pdb", model), "-o", path("x.pdb")},
                      "y.pdb: residue A/5: 'GLX' is none of the twenty amino acids; nearest: ");
}

TEST_F(RestraintCommands, TightensByTetrangles) {
    const std::vector<std::string> input{limits_, "--sequence", sequence_, "-o", path("o.npz"), "--json"};
    const Json plain = succeedTask(bounds, input).json();
    std::vector<std::string> more = input;
    more.insert(more.end(), {"--tetrangle", "2"});
    const Json found = succeedTask(bounds, more).json();
    EXPECT_EQ(found["tetrangles"].size(), 2U);
    EXPECT_GT(found["tetrangles"][0]["lower"], 100);
    EXPECT_GT(found["tightened"]["lower"]["mean"], plain["tightened"]["lower"]["mean"]);
    EXPECT_EQ(found["violations"]["count"], 0);
}

TEST_F(RestraintCommands, FindsDisulfidesAndCisProlinesInRestraints) {
    const std::string near = write("b.upl", "2 CYS SG 8 CYS SG 2.1\n4 ALA HA 5 PRO HA 3\n");
    const std::string fasta = write("b.fa", ">A\nACAAPAACA\n");
    const Json found = succeedTask(fold, {near, "--sequence", fasta, "-n", "2", "--steps", "200", "-o",
                                          path("m.pdb"), "--json"})
                           .json();
    EXPECT_THAT(found["disulfides"][0].get<std::string>(), HasSubstr("a restraint puts their SG"));
    EXPECT_THAT(found["cis"][0].get<std::string>(), HasSubstr("A/PRO5: its HA"));
}

// The helix comes back from the restraints that were generated of it.
TEST_F(RestraintCommands, GeneratesRestraintsOfAHelix) {
    const auto generated = [&](const std::string& name, std::vector<std::string> more) {
        more.insert(more.begin(), {"--residues", "12", "-o", path(name)});
        return succeedTask(generate, more);
    };
    EXPECT_THAT(generated("a.nef", {}).out,
                HasSubstr("154 distances and 22 dihedral angles of 12 residues in an alpha helix; seed 1"));
    generated("b.nef", {});
    EXPECT_EQ(readFile(path("a.nef")), readFile(path("b.nef")));
    generated("b.nef", {"--seed", "2"});
    EXPECT_NE(readFile(path("a.nef")), readFile(path("b.nef")));
    const Json run =
        succeedTask(fold, {path("a.nef"), "-o", path("m.pdb"), "-n", "2", "--steps", "1500", "--json"})
            .json();
    EXPECT_EQ(run["restraints"]["distances"], 154);
    EXPECT_EQ(run["restraints"]["dihedrals"], 22);
    EXPECT_EQ(run["ordered"], "2-11");
    EXPECT_EQ(run["converged"], 2);
    expectTaskRefused(generate, {"--residues", "12", "-o", path("a.txt")}, "a name that ends in .nef");
    expectTaskRefused(generate, {"--residues", "1", "-o", path("a.nef")}, "from 2 to 2000");
}

TEST_F(RestraintCommands, FoldRefusesWhatItCannotDo) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
        {{"--disulfide", "2"}, "expected two residues, 6-36 or A/6-B/36"},
        {{"--disulfide", "2-77"}, "no single residue '77'"},
        {{"--disulfide", "2-3"}, "residue ALA 3 cannot have this disulfide bond: it is no cysteine"},
        {{"--disulfide", "2-2"}, "it has one already"},
        {{"--ordered", "2-x"}, "no single residue 'x'"},
        {{"-o", "a.bmp"}, "a.bmp"},
        {{"--color", "violation"}, "-o FILE.png"},
        {{"--cis", "77"}, "--cis"}};
    for (const auto& [more, message] : cases) {
        std::vector<std::string> arguments{limits_, "--sequence", sequence_, "-o", path("m.pdb")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expectTaskRefused(fold, arguments, message);
    }
    expectTaskRefused(fold, {limits_, "-o", path("m.pdb")}, "give --sequence FASTA or --topology");
    expectTaskRefused(fold,
                      {write("c.upl", "1 ALA HX 4 ALA H 5\n"), "--sequence", sequence_, "-o", path("m.pdb")},
                      "ALA has no such atom");
}

TEST_F(RestraintCommands, BoundsOfRestraintsAndTheirContradictions) {
    const std::string limits = write("d.upl", "1 ALA HA 4 ALA HA 3\n4 ALA HA 8 CYS HA 3\n");
    const std::string lower = write("d.lol", "1 ALA HA 8 CYS HA 9\n");
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {limits, lower, "-o", path("o.npz"), "--backend", "reference"});
        return more;
    };
    const Json found = succeedTask(bounds, with({"--sequence", sequence_, "--explain", "--json"})).json();
    EXPECT_EQ(found["restraints"]["distances"], 3);
    EXPECT_EQ(found["restraints"]["upperBounds"], 2);
    EXPECT_GT(found["violations"]["count"], 0);
    const std::string all = found["contradictions"].dump();
    EXPECT_THAT(
        all, AllOf(HasSubstr("d.lol 1, line 1"), HasSubstr("d.upl 1, line 1"), HasSubstr("d.upl 2, line 2")));
    const TaskOutcome text = succeedTask(bounds, with({"--sequence", sequence_, "--explain"}));
    EXPECT_THAT(text.out, HasSubstr("A/ALA1/HA and A/CYS8/HA must be at least 9.0000"));

    // The same molecule from a structure's residues.
    succeedTask(fold, {limits_, "--sequence", sequence_, "-n", "1", "--steps", "20", "-o", path("m.pdb")});
    const Json same = succeedTask(bounds, with({"--topology", path("m.pdb"), "--explain", "--json"})).json();
    EXPECT_EQ(same["violations"], found["violations"]);
    EXPECT_EQ(same["contradictions"], found["contradictions"]);
    expectTaskRefused(bounds, with({"--sequence", sequence_, "--topology", path("m.pdb")}),
                      "give either --sequence or --topology, not both");
    expectTaskRefused(bounds, with({}), "give --sequence FASTA");
}

}  // namespace
}  // namespace glycine
