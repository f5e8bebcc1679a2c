// The commands of all algorithms recount a few elements of results of `gl`, and do not write wrong results;
// here, shaders are falsified on purpose.
#include <signal.h>

#include "tests/app/program_test.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

/// A run, and the falsification of its shader.
struct Case {
    std::string name;
    std::vector<std::string> generate;
    std::vector<std::string> run;
    std::string shader;
    std::string right;
    std::string wrong;
    std::string element;    ///< name of the element in the error
    std::string variant{};  ///< named in the error, if it is not the last argument
};
void PrintTo(const Case& one, std::ostream* stream) {
    *stream << one.name;
}
const std::vector<Case> kCases{
    {"bounds", "bounds --atoms 70 -o in.npz"_args, "bounds in.npz -o out.npz --variant packed"_args,
     "bounds/smooth_upper_packed.frag", "VALUE4(uik) + FETCH", "VALUE4(uik) * 1.01 + FETCH",
     "upper bound of atoms "},
    {"tetrangles", "bounds --atoms 40 -o in.npz"_args,
     "bounds in.npz -o out.npz --tetrangle 1 --variant packed"_args, "bounds/search_tetrangles.frag",
     "if (most < best.x) {", "if (most < best.x && l > 30) {", "tetrangle limit of the upper bound of atoms ",
     "tetrangles"},
    {"distance", "genotypes --instances 60 --attributes 500 -o in.bed"_args,
     "distance in.bed -o out.npy --tile 16 --variant packed"_args, "distance/count_symbols.frag",
     "differing += min(difference, 1.0);", "differing += min(difference, 1.0) * step(16.0, x);",
     "mismatch of "},
    {"crossapen", "signals --channels 5 --samples 400 -o in.npy"_args,
     "crossapen in.npy --epoch 100 -o out.npz --variant scalar"_args, "crossapen/match_scalar.frag",
     "longMatches += runs[M];", "longMatches += runs[M] * float(j > 60);", "Cross-ApEn"},
    {"mutualinfo", "signals --channels 12 --samples 60 -o in.npy"_args,
     "mutualinfo in.npy -o out.npy --tile 5 --variant blocked"_args, "mutualinfo/blocked_information.frag",
     "inColumns[g * COLUMNS + j] += p;", "inColumns[g * COLUMNS + j] += p * 1.01;", "mutual information of "},
};
std::string nameOf(const testing::TestParamInfo<Case>& info) {
    return info.param.name;
}

class RecountCommand : public test::ProgramTest, public testing::WithParamInterface<Case> {
  protected:
    void SetUp() override {
        std::vector<std::string> generate{"generate"};
        generate.insert(generate.end(), GetParam().generate.begin(), GetParam().generate.end());
        succeed(generate);
        inputs_ = files();
    }
    /// Like `onGl`; if another backend is named, without the variant.
    test::Outcome runWith(const std::vector<std::string>& more, const std::string& backend = "gl") const {
        std::vector<std::string> arguments = GetParam().run;
        if (backend != "gl") arguments.resize(arguments.size() - 2);
        arguments.insert(arguments.end(), {"--backend", backend});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    static bool isMissing(const test::Outcome& outcome) {
        return outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos;
    }
    /// Writes the falsified shader to a folder.
    std::string wrongShaders() const {
        const fs::path original = fs::path(GLYCINE_SOURCE_DIR) / "shaders" / GetParam().shader;
        std::string text = readFile(original);
        const std::size_t place = text.find(GetParam().right);
        EXPECT_NE(place, std::string::npos) << "the shader has changed: " << original;
        if (place == std::string::npos) return "";
        text.replace(place, GetParam().right.size(), GetParam().wrong);
        const fs::path folder = shaders_.path();
        fs::create_directories((folder / GetParam().shader).parent_path());
        std::ofstream(folder / GetParam().shader) << text;
        return folder.string();
    }

    std::vector<std::string> inputs_;
    TemporaryFolder shaders_;
};

TEST_P(RecountCommand, CountsSomeElementsAgain) {
    const test::Outcome outcome = runWith({"--json"});
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const nlohmann::json recount = outcome.json()["recount"];
    EXPECT_GT(recount["elements"], 0);
    EXPECT_EQ(recount["agree"], true);
    const test::Outcome text = runWith({});
    EXPECT_THAT(text.out, AllOf(HasSubstr("re-counted "), HasSubstr(", all agree")));
}

TEST_P(RecountCommand, UnlessItIsNotWanted) {
    const test::Outcome outcome = runWith("--json --no-check"_args);
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["recount"]["elements"], 0);
    EXPECT_EQ(outcome.json()["recount"]["skipped"], "--no-check");
    EXPECT_THAT(runWith({"--no-check"}).out, HasSubstr("nothing re-counted"));
}

TEST_P(RecountCommand, ConcernsNoBackendOfTheHost) {
    const test::Outcome outcome = runWith({"--json"}, "cpu");
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    EXPECT_FALSE(outcome.json().contains("recount"));
    for (const char* host : {"cpu", "reference"}) {
        const test::Outcome refused = runWith({"--no-check"}, host);
        EXPECT_EQ(refused.exitCode, 2);
        EXPECT_THAT(refused.err, HasSubstr("--no-check concerns gl and cuda"));
    }
}

TEST_P(RecountCommand, WritesNothingThatIsWrong) {
    const std::string shaders = wrongShaders();
    const test::Outcome outcome = runWith({"--shaders", shaders});
    if (isMissing(outcome)) GTEST_SKIP() << outcome.err;
    EXPECT_EQ(outcome.exitCode, 1) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(StartsWith("glycine: error: the "), HasSubstr(GetParam().element),
                                   HasSubstr(" by gl " + (GetParam().variant.empty() ? GetParam().run.back()
                                                                                     : GetParam().variant)),
                                   HasSubstr("counted again")));
    EXPECT_EQ(files(), inputs_);
    // With --no-check, the fault is not reported.
    EXPECT_EQ(runWith({"--shaders", shaders, "--no-check"}).exitCode, 0);
}

INSTANTIATE_TEST_SUITE_P(All, RecountCommand, testing::ValuesIn(kCases), nameOf);

class TetrangleCommand : public test::ProgramTest {};

TEST_F(TetrangleCommand, SaysWhereItRan) {
    succeed("generate bounds --atoms 33 --known 0.2 -o in.npz"_args);
    nlohmann::json expected;
    for (const std::string backend : {"reference", "cpu", "gl", "cuda"}) {
        const test::Outcome outcome =
            run({"bounds", "in.npz", "-o", "out.npz", "--tetrangle", "2", "--json", "--backend", backend});
        if (outcome.exitCode == 1 && outcome.err.find("is not available") != std::string::npos) continue;
        ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
        const nlohmann::json found = outcome.json();
        ASSERT_EQ(found["tetrangles"].size(), 2U);
        EXPECT_GT(found["tetrangles"][0]["upper"], 10);
        const bool isHost = backend == "reference" || backend == "cpu";
        EXPECT_EQ(found.contains("tetrangleRecount"), !isHost);
        if (!isHost) {
            EXPECT_EQ(found["tetrangleRecount"]["agree"], true);
            EXPECT_THAT(found["stages"],
                        Contains(nlohmann::json{{"stage", "limits by tetrangles"}, {"where", backend}}));
        }
        if (expected.is_null()) expected = found;
        EXPECT_EQ(found["tetrangles"][0]["upper"], expected["tetrangles"][0]["upper"]);
        EXPECT_EQ(found["violations"]["count"], expected["violations"]["count"]);
        const test::Outcome text =
            run({"bounds", "in.npz", "-o", "out.npz", "--tetrangle", "1", "--backend", backend});
        EXPECT_THAT(text.out, HasSubstr("limits on " + backend + " ("));
    }
}

// Results kept from an earlier run are recounted like the rest.
class ResumedRecount : public test::ProgramTest {};

TEST_F(ResumedRecount, TakesWhatWasKept) {
    succeed("generate genotypes --instances 64 --attributes 2000 -o in.bed"_args);
    const auto command = "distance in.bed -o out.npy --tile 16 --backend gl --variant scalar --json"_args;
    const test::Outcome stopped = runUntilEntry(command, 1);
    ASSERT_EQ(stopped.exitCode, 130) << stopped.err;
    const Outcome resumed = succeed(command);
    EXPECT_GT(resumed.json()["tilesResumed"], 0);
    EXPECT_GT(resumed.json()["recount"]["elements"], 0);
}

}  // namespace
}  // namespace glycine
