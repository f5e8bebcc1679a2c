// `glycine fold` and `glycine bounds` with restraints, as users call them.
#include "tests/app/task_test.hpp"

namespace glycine {
namespace {

class RestraintCommands : public ::testing::Test {
  protected:
    static CommandAction declare(Options& options, const std::string& name) {
        for (const Command& command : CommandRegistry::instance().commands())
            if (command.group.empty() && command.name == name) return command.declare(options);
        throw std::logic_error(name);
    }
    static CommandAction fold(Options& options) { return declare(options, "fold"); }
    static CommandAction bounds(Options& options) { return declare(options, "bounds"); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }

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
