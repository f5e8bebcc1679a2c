// `glycine fold` and `glycine bounds` of restraints as their users call them.
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
    EXPECT_EQ(first["disulfides"][0], "A/CYS2 - A/CYS8: as asked for");
    EXPECT_EQ(first["restraints"]["distances"], 3);
    const std::string models = readFile(path("m.pdb"));
    EXPECT_THAT(models, AllOf(HasSubstr("MODEL        3"), Not(HasSubstr(" HG  CYS"))));
    for (const Json& model : first["models"]) EXPECT_EQ(model["wrongCentres"], 0);

    // The models as a reference of their own: its first one is the best.
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
