// What validate and bench of all algorithms share: options, comparison of elements, guards around results.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/guarded_matrix.hpp"
#include "engine/core/quantity.hpp"
#include "engine/study/comparison_options.hpp"
#include "engine/study/validation_report.hpp"
#include "tests/app/task_test.hpp"

namespace glycine {
namespace {

using ::testing::ElementsAre;

TEST(GuardedMatrix, NoticesStrayWrites) {
    GuardedMatrix<std::uint32_t> guarded(3, 4);
    const MatrixView<std::uint32_t> view = guarded.view();
    EXPECT_FALSE(view.isContiguous());
    EXPECT_EQ(view(1, 1), GuardedMatrix<std::uint32_t>::kGuard);
    view(0, 0) = view(2, 3) = 5;
    EXPECT_TRUE(guarded.isIntact());
    *(view.row(2) + 4) = 5;  // one element right of the last
    EXPECT_FALSE(guarded.isIntact());
    GuardedMatrix<double> empty(0, 0);
    EXPECT_TRUE(empty.isIntact());
}

struct Padded {
    std::uint32_t first;
    std::uint64_t second;
    bool operator==(const Padded&) const = default;
};
struct Incomparable {
    double first, second;
};

TEST(GuardedMatrix, HoldsStructures) {
    GuardedMatrix<Padded> padded(2, 2);
    padded.view()(1, 1) = {1, 2};
    EXPECT_TRUE(padded.isIntact());
    (padded.view().row(0) - 1)->second = 0;  // left of the first
    EXPECT_FALSE(padded.isIntact());
    GuardedMatrix<Incomparable> plain(2, 2);
    EXPECT_TRUE(plain.isIntact());
    (plain.view().row(1) + 2)->first = 0;
    EXPECT_FALSE(plain.isIntact());
}

TEST(Comparison, KeepsTheLargestDifference) {
    Comparison comparison = equalSoFar(0.1);
    comparison.compareElement(4, 4, [] { return std::string("same"); });
    EXPECT_TRUE(comparison.isEqual);
    comparison.compareElement(100, 95, [] { return std::string("close"); });
    comparison.compareElement(100, 99, [] { return std::string("closer"); });
    EXPECT_FALSE(comparison.isEqual);
    EXPECT_TRUE(comparison.agrees());
    EXPECT_DOUBLE_EQ(comparison.largestDifference, 0.05);
    EXPECT_EQ(comparison.place, "close: 95 instead of 100");
    comparison.compareElement(1, std::nan(""), [] { return std::string("no number"); });
    EXPECT_FALSE(comparison.agrees());
    EXPECT_EQ(comparison.largestDifference, std::numeric_limits<double>::infinity());
    Comparison failed = equalSoFar(1e9);
    failed.fail("stray");
    EXPECT_FALSE(failed.agrees());
}

TEST(Quantities, PowersOfSeconds) {
    EXPECT_EQ(formatPowerOfSeconds(3), "1,000 s");
    EXPECT_EQ(formatPowerOfSeconds(0), "1 s");
    EXPECT_EQ(formatPowerOfSeconds(-1), "100 ms");
    EXPECT_EQ(formatPowerOfSeconds(-6), "1 µs");
    EXPECT_EQ(formatPowerOfSeconds(-8), "10 ns");
    EXPECT_EQ(formatPowerOfSeconds(-12), "1e-12 s");
}

/// Two backends with variants.
class TwoBackends final : public Algorithm {
  public:
    std::string_view name() const override { return "twice"; }
    std::string_view summary() const override { return ""; }
    std::string_view source() const override { return ""; }
    std::vector<VariantInfo> variants() const override {
        return {{"reference", "serial", "", "", {"float32"}, {}, true},
                {"cpu", "fast", "", "", {"float32", "float64"}, {}, true},
                {"cpu", "slow", "", "", {"float32"}, {}, false}};
    }
    Support supports(Backend&, const Configuration&, const Dimensions&) const override {
        return Support::yes();
    }
};

class ComparisonOptions : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        test::runTask([](CLI::App&) -> CommandAction { return [](CommandContext&) { return 0; }; }, {});
    }
    static std::vector<std::string> labels(const std::vector<Configuration>& configurations) {
        std::vector<std::string> result;
        for (const Configuration& configuration : configurations) result.push_back(configuration.label());
        return result;
    }
    std::vector<std::string> compare(std::vector<std::string> arguments) {
        CLI::App command;
        ValidationOptions options;
        addValidationOptions(command, options, "Only these");
        std::reverse(arguments.begin(), arguments.end());
        command.parse(arguments);
        return labels(configurationsToCompare(command, algorithm_, options));
    }
    std::vector<std::string> time(std::vector<std::string> arguments, bool areFree = false) {
        CLI::App command;
        TimingOptions options;
        addTimingOptions(command, options, "its default");
        std::reverse(arguments.begin(), arguments.end());
        command.parse(arguments);
        options.filter.numberFormats = {"float32"};
        auto configurations = configurationsToTime(command, algorithm_, options);
        return labels(areFree ? leaveVariantToBackends(std::move(configurations)) : configurations);
    }
    TwoBackends algorithm_;
};

TEST_F(ComparisonOptions, CompareEverythingButTheReference) {
    EXPECT_THAT(compare({}), ElementsAre("cpu/fast float32", "cpu/fast float64", "cpu/slow float32", "cuda"));
    EXPECT_THAT(compare({"--backend", "reference,cpu", "--variant", "slow,serial"}),
                ElementsAre("reference/serial float32", "cpu/slow float32"));
    EXPECT_THAT(compare({"--format", "float64", "--backend", "cpu"}), ElementsAre("cpu/fast float64"));
    EXPECT_THROW(compare({"--variant", "quick"}), UsageError);
    EXPECT_THROW(compare({"--dialects", "hlsl"}), UsageError);
    EXPECT_THROW(compare({"--backend", "reference", "--threads", "2"}), UsageError);
    EXPECT_THROW(compare({"--dialect", "es300"}), CLI::ParseError);  // --dialects stands for it
}

TEST_F(ComparisonOptions, TimeWhatWasNamed) {
    EXPECT_THAT(time({}), ElementsAre("cpu/fast float32", "cpu/slow float32", "cuda"));
    EXPECT_THAT(time({}, true), ElementsAre("cpu/default float32", "cuda"));
    EXPECT_THAT(time({"--variant", "serial"}), ElementsAre("reference/serial float32"));
    EXPECT_THAT(time({"--backend", "reference,cpu"}, true),
                ElementsAre("reference/default float32", "cpu/default float32"));
    EXPECT_THROW(time({"--backend", "cpu", "--dialect", "es300"}), UsageError);
    EXPECT_THROW(time({"--repeats", "0"}), CLI::ParseError);
}

TEST_F(ComparisonOptions, SeedIsExplained) {
    CLI::App command;
    std::uint64_t seed = 7;
    addSeedOption(command, seed, "signals");
    EXPECT_EQ(command.get_option("--seed")->get_description(), "Which signals are generated (default: 7)");
    command.parse(std::vector<std::string>{"9", "--seed"});
    EXPECT_EQ(seed, 9u);
}

}  // namespace
}  // namespace glycine
