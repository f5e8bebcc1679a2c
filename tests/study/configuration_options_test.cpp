// Which configurations validate and bench go through, as their options say.
#include "engine/study/configuration_options.hpp"
#include "engine/core/error.hpp"
#include "tests/study/fake_subject.hpp"

namespace glycine::study::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

class ConfigurationOptions : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { registerFakeBackends(); }
    static std::vector<std::string> labels(const std::vector<Configuration>& configurations) {
        std::vector<std::string> result;
        for (const Configuration& configuration : configurations) result.push_back(configuration.label());
        return result;
    }
    std::vector<std::string> compare(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& formats = {}) {
        Options options;
        StudyOptions chosen;
        addValidationOptions(options, chosen, algorithm_);
        options.parse(arguments);
        return labels(configurationsToCompare(options, chosen, algorithm_, formats));
    }
    std::vector<std::string> time(const std::vector<std::string>& arguments, bool leavesVariant = false) {
        Options options;
        StudyOptions chosen;
        addTimingOptions(options, chosen, algorithm_, leavesVariant);
        options.parse(arguments);
        return labels(configurationsToTime(options, chosen, algorithm_, leavesVariant, {"float32"}));
    }
    TwoBackends algorithm_;
};

TEST_F(ConfigurationOptions, CompareEverythingButTheReference) {
    EXPECT_THAT(compare({}),
                ElementsAre("cpu/fast float32", "cpu/fast float64", "cpu/slow float32", "gl", "cuda"));
    EXPECT_THAT(compare({"--backend", "reference,cpu", "--variant", "slow,serial"}),
                ElementsAre("reference/serial float32", "cpu/slow float32"));
    EXPECT_THAT(compare({"--format", "float64", "--backend", "cpu"}), ElementsAre("cpu/fast float64"));
    EXPECT_THROW(compare({"--variant", "quick"}), UsageError);
    EXPECT_THROW(compare({"--dialects", "hlsl"}), UsageError);
    EXPECT_THROW(compare({"--backend", "reference", "--threads", "2"}), UsageError);
    EXPECT_THROW(compare({"--dialect", "es300"}), UsageError) << "--dialects stands for it";
}

TEST_F(ConfigurationOptions, CompareInTheFormatsThatTheInputHas) {
    EXPECT_THAT(compare({"--backend", "cpu"}, {"float64"}), ElementsAre("cpu/fast float64"));
    EXPECT_THAT(compare({"--backend", "cpu", "--format", "float32,float64"}, {"float64"}),
                ElementsAre("cpu/fast float64"));
    try {
        compare({"--format", "float32"}, {"float64"});
        FAIL() << "nothing was thrown";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("nothing to compare: --format float32 is not what the input holds, float64"));
    }
}

TEST_F(ConfigurationOptions, TimeWhatWasNamed) {
    EXPECT_THAT(time({}), ElementsAre("cpu/fast float32", "gl", "cuda"));
    EXPECT_THAT(time({}, true), ElementsAre("cpu/default float32", "gl", "cuda"));
    EXPECT_THAT(time({"--variant", "serial"}), ElementsAre("reference/serial float32"));
    EXPECT_THAT(time({"--variant", "slow,fast"}, true), ElementsAre("cpu/slow float32", "cpu/fast float32"));
    EXPECT_THAT(time({"--backend", "reference,cpu"}, true),
                ElementsAre("reference/default float32", "cpu/default float32"));
    EXPECT_THROW(time({"--backend", "cpu", "--dialect", "es300"}), UsageError);
    EXPECT_THROW(time({"--repeats", "0"}), UsageError);
}

}  // namespace
}  // namespace glycine::study::test
