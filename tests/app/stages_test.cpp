// The reports of all commands list the stages of a device's run, each with the place where it ran.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// A run, and its stages in order; those of the host are in brackets.
struct StagedRun {
    std::string name;
    std::vector<std::string> run;
    std::vector<std::string> stages;
};

const std::vector<StagedRun> kStagedRuns{
    {"bounds",
     "bounds b.npz -o o.npz --variant packed"_args,
     {"[making bounds]", "upper bounds", "lower bounds"}},
    {"distance", "distance whole.npy -o o.npy"_args, {"[packing]", "counts and sums of pairs", "[values]"}},
    {"distanceWithWeights",
     "distance g.npy -o o.npy --measure ibs"_args,
     {"[packing]", "counts and sums of pairs", "[missing weights]", "[values]"}},
    {"distanceOfManyAttributes",
     "distance wide.npy -o o.npy --measure euclidean --precision float32"_args,
     {"[packing]", "counts and sums of pairs", "[sums over blocks of attributes]", "[values]"}},
    {"distanceInOrder",
     "distance whole.npy -o o.npy -o o.png --order cluster"_args,
     {"[packing]", "counts and sums of pairs", "[values]", "[order of the heat map]"}},
    {"coordinates",
     "distance whole.npy -o o.tsv --coordinates 2"_args,
     {"[packing]", "counts and sums of pairs", "[values]", "[coordinates]"}},
    {"clusters",
     "distance whole.npy -o o.tsv --clusters 40"_args,
     {"[packing]", "counts and sums of pairs", "[values]", "[clusters]"}},
    {"treeOfDistances",
     "distance whole.npy -o o.nwk --tree nj"_args,
     {"[packing]", "counts and sums of pairs", "[values]", "[tree]"}},
    {"mutualinfo",
     "mutualinfo e.tsv -o o.npy"_args,
     {"[ranks and scaling]", "weights, tables and entropies"}},
    {"mutualinfoWithGaps",
     "mutualinfo gaps.tsv -o o.npy --gaps standardised"_args,
     {"[ranks and scaling]", "[null moments of gaps]", "weights, tables and entropies",
      "[correction for gaps]"}},
    {"pearson", "mutualinfo e.tsv -o o.npy --method pearson"_args, {"[ranks and scaling]", "correlations"}},
    {"pearsonOfOneTile",
     "mutualinfo gaps.tsv -o o.npy --method pearson"_args,
     {"[ranks and scaling]", "[correlations]", "[correction for gaps]"}},
    {"spearmanWithGaps",
     "mutualinfo gaps.tsv -o o.npy --method spearman --tile 8"_args,
     {"[ranks and scaling]", "correlations", "[correlations of tiles with gaps]", "[correction for gaps]"}},
    {"network",
     "network e.tsv -o o.tsv --method clr --precision float32"_args,
     {"[ranks and scaling]", "weights, tables and entropies", "[inference of edges]"}},
    {"networkWithGaps",
     "network gaps.tsv -o o.tsv --method aracne --threshold 0.01 --precision float32"_args,
     {"[ranks and scaling]", "[null moments of gaps]", "weights, tables and entropies",
      "[correction for gaps]", "indirect paths", "[ranking]"}},
    {"networkByPermutations",
     "network e.tsv -o o.tsv --method mi --pvalue 0.01 --null permutation --null-pairs 1000 "
     "--precision float32"_args,
     {"[ranks and scaling]", "weights, tables and entropies", "null distribution", "[inference of edges]",
      "[P-values of edges]"}},
    {"networkOfCorrelations",
     "network gaps.tsv -o o.tsv --method correlation --precision float32"_args,
     {"[ranks and scaling]", "[correlations]", "[correction for gaps]", "[inference of edges]"}},
    {"crossapen",
     "crossapen s.csv -o o.npz --epoch 200 --variant scalar"_args,
     {"[z-scores]", "matches", "logarithms", "[bias and entropies]"}},
    {"crossapenOfFilteredSignals",
     "crossapen s.edf -o o.npz --epoch 100 --variant scalar --resample 100 --band 0-40"_args,
     {"[resampling]", "[band pass]", "[z-scores]", "matches", "logarithms", "[bias and entropies]"}},
    {"pairwise", "pairwise s.fa -o o.npy"_args, {"scores and identities", "[measure]"}},
    {"align",
     "align s.fa -o o.fa --method clustalw"_args,
     {"pairs", "[guide tree]", "[weights of the tree]", "large rounds of profiles",
      "[small rounds of profiles]", "[cuts and tracebacks]"}},
    {"fold",
     "fold r.nef -o o.pdb --sequence q.fa -n 1 --steps 10"_args,
     {"[bounds of the restraints]", "smoothing", "[random torsion angles]", "[lists of neighbours]",
      "energies and gradients", "[dynamics]", "[minimisation]", "[exchange of names, trials of rotamers]",
      "[quality and superposition]"}},
};

class Stages : public test::ProgramTest {
  protected:
    void SetUp() override {
        makePairInputs();
        succeed("generate genotypes --instances 40 --attributes 90 -o whole.npy"_args);
        succeed("generate bounds --atoms 40 -o b.npz"_args);
        succeed("generate signals --channels 4 --samples 400 -o s.csv"_args);
        succeed("generate signals --channels 4 --samples 960 -o s.edf"_args);
        // More attributes than a float32 sum of a pass may have.
        succeed("generate signals --channels 3 --samples 70000 -o wide.npy"_args);
        // The first gene lacks one value.
        std::string gaps = read("e.tsv");
        const std::size_t gene = gaps.find("\ng0\t") + 4;
        writeFile(folder_ / "gaps.tsv", gaps.replace(gene, gaps.find('\t', gene) - gene, "NA"));
        writeFile(folder_ / "q.fa", ">A\nAAAA\n");
        std::string nef =
            "data_x\nsave_nef_distance_restraint_list_1\n_nef_distance_restraint_list.sf_category a\nloop_\n"
            "_nef_distance_restraint.restraint_id\n";
        for (const std::string end : {"1", "2"})
            for (const char* tag : {"chain_code_", "sequence_code_", "residue_name_", "atom_name_"})
                nef += "_nef_distance_restraint." + std::string(tag) + end + "\n";
        writeFile(folder_ / "r.nef",
                  nef + "_nef_distance_restraint.upper_limit\n1 A 1 ALA HA A 3 ALA H 4\nstop_\nsave_\n");
    }
    /// Without variants and precisions of gl on other backends.
    test::Outcome runOn(const std::string& backend, std::vector<std::string> arguments,
                        const std::vector<std::string>& more) const {
        const auto isOfGl = [](const std::string& one) {
            return one == "--variant" || one == "packed" || one == "scalar" || one == "--precision" ||
                   one == "float32";
        };
        if (backend != "gl") std::erase_if(arguments, isOfGl);
        arguments.insert(arguments.end(), {"--backend", backend});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
};

TEST_F(Stages, AreAllListed) {
    for (const StagedRun& one : kStagedRuns) {
        SCOPED_TRACE(one.name);
        const test::Outcome outcome = runOn("gl", one.run, {"--json"});
        if (outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos)
            GTEST_SKIP() << outcome.err;
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        const nlohmann::json report = outcome.json();
        ASSERT_TRUE(report.contains("stages"));
        std::vector<std::string> found;
        for (const nlohmann::json& stage : report["stages"]) {
            const std::string name = stage["stage"];
            const bool isHost = stage["where"] == "host";
            EXPECT_EQ(stage["where"], isHost ? "host" : "gl") << name;
            EXPECT_EQ(stage.contains("why"), isHost) << name;
            found.push_back(isHost ? "[" + name + "]" : name);
        }
        EXPECT_EQ(found, one.stages);
    }
}

TEST_F(Stages, OfTheHostAreNamedInText) {
    const test::Outcome outcome = runOn("gl", "mutualinfo gaps.tsv -o o.npy --method pearson"_args, {});
    if (outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos)
        GTEST_SKIP() << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("correlations (products of genes cannot leave out missing values)"));
    EXPECT_THAT(runOn("gl", "fold r.nef -o o.pdb --sequence q.fa -n 1 --steps 10"_args, {}).out,
                AllOf(HasSubstr("On the host"), HasSubstr("dynamics, minimisation (the same code")));
}

TEST_F(Stages, OfHostBackendsAreNotListed) {
    for (const StagedRun& one : kStagedRuns) {
        SCOPED_TRACE(one.name);
        const test::Outcome outcome = runOn("cpu", one.run, {"--json"});
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        EXPECT_FALSE(outcome.json().contains("stages")) << "all of it is the host's";
    }
}

}  // namespace
}  // namespace glycine
