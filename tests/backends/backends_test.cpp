// The same checks for every algorithm that the study harness knows, on every backend, variant, dialect and
// number format that it has: what `glycine validate` does, and besides on devices that pretend to be small,
// when it is stopped, and for what is refused. An algorithm need not be named here.
#include <array>
#include <atomic>
#include <set>

#include "app/register_algorithms.hpp"
#include "engine/command/options.hpp"
#include "engine/core/error.hpp"
#include "engine/study/subject.hpp"
#include "tests/backends/every_backend.hpp"

namespace glycine::study {
namespace {

using test::Setting;

struct Case {
    const Subject* subject;
    Setting setting;
};
void PrintTo(const Case& one, std::ostream* stream) {
    *stream << one.subject->algorithm().name() << ' ' << one.setting.name;
}
std::string nameOfCase(const testing::TestParamInfo<Case>& info) {
    return std::string(info.param.subject->algorithm().name()) + '_' + info.param.setting.name;
}

std::vector<Case> casesOf(const std::vector<Setting>& settings) {
    static const bool once = [] {
        registerAlgorithms();
        return true;
    }();
    static_cast<void>(once);
    std::vector<Case> cases;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (const Setting& setting : settings) cases.push_back({subject.get(), setting});
    return cases;
}

class Backends : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        test::registerBackends();
        const auto& entries = BackendRegistry::instance().entries();
        if (std::none_of(entries.begin(), entries.end(),
                         [this](const auto& entry) { return entry.name == setting().backend; }))
            GTEST_SKIP() << setting().backend << " is not in this build";
        try {
            backend_ = test::makeBackend(setting());
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        for (const VariantInfo& info : algorithm().variants())
            for (const std::string& format : info.numberFormats)
                if (Configuration one{info.backend, info.name, setting().dialect(), format, info.isDefault};
                    isHere(info) && algorithm().supports(*backend_, one, {}))
                    configurations_.push_back(std::move(one));
        set_ = GetParam().subject->validationProblems();
        Options options;
        set_->declare(options);
        options.parse({});
        set_->prepare(options, progress_);
        for (std::size_t index = 0; index < set_->count(); ++index)
            problems_.push_back(set_->make(index, progress_));
        gl::DebugLog::take();
    }
    void TearDown() override {
        problems_.clear();
        backend_.reset();
        EXPECT_THAT(gl::DebugLog::take(), testing::IsEmpty());
    }

    const Setting& setting() const { return GetParam().setting; }
    const Algorithm& algorithm() const { return GetParam().subject->algorithm(); }
    bool isHere(const VariantInfo& info) const {
        if (info.backend != setting().backend) return false;
        const auto dialect = setting().dialect();
        return !dialect ||
               std::find(info.dialects.begin(), info.dialects.end(), *dialect) != info.dialects.end();
    }

    /// Runs a problem twice, so that the second result cannot be the first one; false with a reason where it
    /// is refused.
    bool solve(Problem& problem, const Configuration& configuration) {
        SCOPED_TRACE(configuration.label() + ", " + problem.name());
        if (const Support support = problem.supports(*backend_, configuration); !support) {
            EXPECT_NE(support.reason(), "");
            return false;
        }
        const auto computation = problem.start(*backend_, configuration, Depth::Whole, progress_);
        for (int run = 0; run < 2; ++run) {
            EXPECT_EQ(computation->run(progress_).variant, configuration.variant);
            const Comparison comparison = computation->check(progress_);
            EXPECT_TRUE(comparison.agrees()) << comparison.place << ": " << comparison.largestDifference
                                             << " of " << comparison.allowedDifference << " allowed";
        }
        return true;
    }
    /// Goes through all configurations and problems; each configuration must solve some.
    void solveAll() {
        for (const Configuration& configuration : configurations_) {
            std::size_t solved = 0;
            std::size_t asked = 0;
            for (const auto& problem : problems_) {
                if (!problem->concerns(configuration)) continue;
                ++asked;
                solved += solve(*problem, configuration) ? 1 : 0;
            }
            EXPECT_TRUE(solved > 0 || asked == 0) << configuration.label();
        }
    }

    std::unique_ptr<Backend> backend_;
    std::vector<Configuration> configurations_;
    std::unique_ptr<ProblemSet> set_;
    std::vector<std::unique_ptr<Problem>> problems_;
    Progress progress_;
};

TEST_P(Backends, AgreeWithTheReference) {
    solveAll();
}

TEST_P(Backends, StopWhenCancelledAndGoOn) {
    for (const Configuration& configuration : configurations_) {
        // The last one of which it can be asked; problems grow.
        Problem* last = nullptr;
        for (const auto& problem : problems_)
            if (problem->concerns(configuration) && problem->supports(*backend_, configuration))
                last = problem.get();
        if (last == nullptr) continue;
        SCOPED_TRACE(configuration.label() + ", " + last->name());
        const auto computation = last->start(*backend_, configuration, Depth::Whole, progress_);
        for (const int looksBefore : {0, 1}) {
            std::atomic<int> looks{0};
            Progress cancelled({}, [&] { return ++looks > looksBefore; });
            EXPECT_THROW(computation->run(cancelled), CancelledError) << looksBefore;
        }
        computation->run(progress_);
        EXPECT_TRUE(computation->check(progress_).agrees());
    }
}

TEST_P(Backends, RefuseWithAReason) {
    std::set<std::string> own, formats;
    for (const VariantInfo& info : algorithm().variants()) {
        if (info.backend == setting().backend) own.insert(info.name);
        formats.insert(info.numberFormats.begin(), info.numberFormats.end());
    }
    for (const VariantInfo& info : algorithm().variants()) {
        const Configuration other{setting().backend, info.name, setting().dialect(),
                                  info.numberFormats.front(), false};
        if (!own.contains(info.name)) {
            const Support support = algorithm().supports(*backend_, other, {});
            EXPECT_FALSE(support) << other.label();
            // Where nothing of the algorithm runs, that is the reason.
            EXPECT_THAT(support.reason(),
                        configurations_.empty() ? testing::HasSubstr(" ") : testing::HasSubstr(info.name));
        }
        if (info.backend != setting().backend) continue;
        for (const std::string& format : formats) {
            if (std::find(info.numberFormats.begin(), info.numberFormats.end(), format) !=
                info.numberFormats.end())
                continue;
            Configuration wrong = other;
            wrong.numberFormat = format;
            EXPECT_FALSE(algorithm().supports(*backend_, wrong, {})) << wrong.label();
        }
        if (!isHere(info)) {
            EXPECT_FALSE(algorithm().supports(*backend_, other, {})) << other.label();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, Backends, testing::ValuesIn(casesOf(test::allSettings())), nameOfCase);

/// Devices that pretend to be small: what they take is right, and what they do not take has a reason.
class SmallBackends : public Backends {};

TEST_P(SmallBackends, AgreeOrRefuse) {
    std::size_t solved = 0;
    for (const Configuration& configuration : configurations_)
        for (const auto& problem : problems_)
            if (problem->concerns(configuration)) solved += solve(*problem, configuration) ? 1 : 0;
    EXPECT_GT(solved, 0U);
}

std::vector<Case> smallCases() {
    std::vector<Case> cases = casesOf(test::smallSettings(64, std::size_t{256} << 10, std::size_t{1} << 20));
    for (Case& one : cases)
        if (one.subject->algorithm().name() == "crossapen" && one.setting.name == "gl_little_memory" &&
            test::isKnown(test::Fault::LittleMemory, "gl", "bitset"))
            one.setting.options.maxDeviceBytes = std::size_t{2} << 20;
    return cases;
}
INSTANTIATE_TEST_SUITE_P(All, SmallBackends, testing::ValuesIn(smallCases()), nameOfCase);

}  // namespace
}  // namespace glycine::study
