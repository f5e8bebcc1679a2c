// Results of `gl` for alignments are recounted stage by stage, and wrong results are not written; here,
// shaders are falsified on purpose. Wrong values that would lead an index or a step astray are refused as
// well.
#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// A stage, and the falsification of its shader.
struct Fault {
    std::string name;
    std::vector<std::string> method;  ///< options of the run
    std::string shader;
    std::string right;
    std::string wrong;
    std::string element;  ///< name of the element in the error
};
void PrintTo(const Fault& fault, std::ostream* stream) {
    *stream << fault.name;
}
const std::string kMerge = "align/merge_posteriors.frag", kWrite = "fragmentOutput[r] = squares[r];";
const std::string kJoin = "align/join_tiles.frag", kSteps = "ivec4(column2, steps, 0)";
const std::string kCells = "align/step_profiles.frag", kBest = "fragmentOutput[0] = aboveBest;";
const std::string kLinear = "align/step_linear.frag",
                  kMove = "(best == both ? 0 : best == fromFirst ? 1 : 2)";
const std::vector<Fault> kFaults{
    {"PosteriorsScaled",
     {},
     kMerge,
     kWrite,
     "fragmentOutput[r] = squares[r] * 0.0025;",
     "posterior of letter "},
    {"PosteriorsZero", {}, kMerge, kWrite, "fragmentOutput[r] = squares[r] * 1e-9;", "posterior of letter "},
    // Columns after the last one.
    {"PosteriorsReversed", {}, kMerge, kWrite, "fragmentOutput[r] = squares[r].wzyx;", "poster"},
    {"PosteriorsOfOneLane",
     {},
     kMerge,
     kWrite,
     "fragmentOutput[r] = squares[r] * (place == 7 ? 0.9 : 1.0);",
     "posterior of letter "},
    {"PosteriorsOfOneTile",
     {},
     kMerge,
     kWrite,
     "fragmentOutput[r] = squares[r] * (tile == ivec2(3, 5) ? 0.9 : 1.0);",
     "posterior of letter "},
    {"PosteriorsNotANumber",
     {},
     kMerge,
     kWrite,
     "fragmentOutput[r] = squares[r] / (tile == ivec2(3, 5) ? 0.0 : 1.0);",
     "posterior"},
    {"JoinsZero", {}, kJoin, kSteps, "ivec4(column2, 0, 0)", "sum of posteriors of the join of "},
    // Not a step: the path would never end.
    {"JoinsImpossible", {}, kJoin, kSteps, "ivec4(column2, -1, 0)", "step of a join at columns "},
    {"JoinsOfOneTile",
     {},
     kJoin,
     kSteps,
     "ivec4(column2, lane == 9 ? 0 : steps, 0)",
     "sum of posteriors of the join of "},
    {"JoinsWithLessGain",
     {},
     kJoin,
     "others.zw, 8 * r + 6",
     "ivec2(0), 8 * r + 6",
     "sum of posteriors of the join of "},
    {"ProfilesShifted",
     {"--method", "clustalw"},
     kCells,
     kBest,
     "fragmentOutput[0] = aboveBest + 60000;",
     "profiles of "},
    {"ProfilesOfOneTile",
     {"--method", "clustalw"},
     kCells,
     kBest,
     "fragmentOutput[0] = aboveBest - (tile == ivec2(8, 8) ? 90000 : 0);",
     "profiles of "},
    {"ProfileScoresScaled",
     {"--method", "clustalw"},
     "align/score_profiles.frag",
     "fragmentOutput[0] = ivec4(",
     "fragmentOutput[0] = 2 * ivec4(",
     "profiles of "},
    {"ThesisGapsExchanged",
     {"--method", "thesis"},
     kLinear,
     kMove,
     "(best == both ? 0 : best == fromFirst ? 2 : 1)",
     "groups of "},
    {"ThesisStepsImpossible", {"--method", "thesis"}, kLinear, kMove, "3", "step of a path at columns "},
    {"PairsScaled",
     {"--method", "clustalw"},
     "align/collect_clustal.frag",
     "texelFetch(state0, texel, 0) : texelFetch(state1, texel, 0);",
     "2 * texelFetch(state0, texel, 0) : 2 * texelFetch(state1, texel, 0);",
     "local alignment of sequences "},
};
std::string nameOf(const testing::TestParamInfo<Fault>& info) {
    return info.param.name;
}

class AlignRecount : public test::ProgramTest {
  protected:
    void SetUp() override { generate("24", "100"); }
    void generate(const std::string& sequences, const std::string& letters) {
        succeed({"generate", "sequences", "--family", "--sequences", sequences, "--length", letters, "-o",
                 "in.fa"});
        inputs_ = files();
    }
    test::Outcome align(const std::vector<std::string>& more) const {
        auto arguments = "align in.fa -o out.aln --backend gl"_args;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    static bool isMissing(const test::Outcome& outcome) {
        return outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos;
    }

    std::vector<std::string> inputs_;
};

TEST_F(AlignRecount, NamesTheStages) {
    const test::Outcome outcome = align({"--json"});
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const nlohmann::json stages = outcome.json()["recount"]["stages"];
    EXPECT_EQ(stages["posteriors"]["elements"], 24 * 23 / 2);
    EXPECT_EQ(stages["progressive alignment"]["elements"], 23);
    EXPECT_GT(stages["refinement"]["elements"], 0);
    EXPECT_THAT(align({}).out, AllOf(HasSubstr("pairs of posteriors, "), HasSubstr("23 joins of progressive"),
                                     HasSubstr(", all agree")));
    EXPECT_THAT(align({"--no-check"}).out, HasSubstr("nothing re-counted"));
    generate("6", "1200");  // large enough for profiles to run on the device
    const nlohmann::json clustal = align("--method clustalw --json"_args).json()["recount"]["stages"];
    EXPECT_GE(clustal["pairs"]["elements"], 6 * 5 / 2);
    EXPECT_GT(clustal["progressive alignment"]["elements"], 0);
}

TEST_F(AlignRecount, CountsWhatIsAddedToAnAlignment) {
    succeed("align in.fa -o base.aln --backend cpu --method clustalw"_args);
    succeed("generate sequences --sequences 3 --length 250 --seed 9 -o more.fa"_args);
    std::string names = readFile(folder_.path() / "more.fa");
    for (std::size_t at = 0; (at = names.find('>', at)) != std::string::npos; ++at)
        names.insert(at + 1, "new_");
    std::ofstream(folder_.path() / "more.fa") << names;
    const test::Outcome outcome =
        run("align --add more.fa --to base.aln -o both.aln --backend gl --json"_args);
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_GE(outcome.json()["recount"]["stages"]["pairs"]["elements"], 3 * 24 + 3);
}

class AlignFaults : public AlignRecount, public testing::WithParamInterface<Fault> {
  protected:
    void SetUp() override {
        // The device only aligns profiles of about a million cells or more.
        if (GetParam().method.empty())
            generate("24", "100");
        else
            generate("6", "1200");
    }
    /// Writes the falsified shader to a folder.
    std::string wrongShaders() const {
        const Fault& fault = GetParam();
        const fs::path original = fs::path(GLYCINE_SOURCE_DIR) / "shaders" / fault.shader;
        std::string text = readFile(original);
        const std::size_t place = text.find(fault.right);
        EXPECT_NE(place, std::string::npos) << "the shader has changed: " << original;
        if (place == std::string::npos) return "";
        text.replace(place, fault.right.size(), fault.wrong);
        const fs::path folder = shaders_.path();
        fs::create_directories((folder / fault.shader).parent_path());
        std::ofstream(folder / fault.shader) << text;
        return folder.string();
    }

    TemporaryFolder shaders_;
};

TEST_P(AlignFaults, AreRefused) {
    std::vector<std::string> options = GetParam().method;
    options.insert(options.end(), {"--shaders", wrongShaders()});
    const test::Outcome outcome = align(options);
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.exitCode, 1) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(StartsWith("glycine: error: the "), HasSubstr(GetParam().element),
                                   HasSubstr("by gl"), HasSubstr("nothing was written")));
    EXPECT_EQ(files(), inputs_);
    // No working file is left that would make the next run fail.
    succeed("align in.fa -o out.aln --backend cpu --method thesis"_args);
}

INSTANTIATE_TEST_SUITE_P(All, AlignFaults, testing::ValuesIn(kFaults), nameOf);

}  // namespace
}  // namespace glycine
