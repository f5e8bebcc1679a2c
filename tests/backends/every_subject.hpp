#pragma once

#include <ostream>

#include "engine/command/options.hpp"
#include "engine/study/subject.hpp"
#include "tests/app/registered_algorithms.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/test.hpp"

/// Every algorithm of the study harness, on the inputs of `glycine validate`, in one setting of a backend.
/// New algorithms are included automatically.
namespace glycine::study {

/// Options that replace the sizes of `glycine validate`. Inputs have fewer pairs and letters where software
/// renderers would draw most of the time, but reach beyond the same tiles, strips and blocks.
inline const std::map<std::string_view, Arguments>& sizesForTests() {
    static const std::map<std::string_view, Arguments> sizes{
        {"align", "--sizes 2x1,3x17,9x60,20x40,4x400"_args},
        {"mutualinfo", "--sizes 1x1,2x1,3x2,5x31,17x65,33x100,9x1100"_args},
        {"pairwise", "--sizes 1x1,2x1,3x17,17x40,40x30,4x400"_args}};
    return sizes;
}

struct Case {
    const Subject* subject;
    Setting setting;
};
inline void PrintTo(const Case& one, std::ostream* stream) {
    *stream << one.subject->algorithm().name() << ' ' << one.setting.name;
}
inline std::string nameOfCase(const testing::TestParamInfo<Case>& info) {
    return std::string(info.param.subject->algorithm().name()) + '_' + info.param.setting.name;
}

inline std::vector<Case> casesOf(const std::vector<Setting>& settings) {
    test::registerAlgorithmsOnce();
    std::vector<Case> cases;
    for (const auto& subject : SubjectRegistry::instance().subjects())
        for (const Setting& setting : settings) cases.push_back({subject.get(), setting});
    return cases;
}

/// A backend for each test, with all its configurations of the algorithm.
class EverySubject : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        test::registerBackends();
        const auto& entries = BackendRegistry::instance().entries();
        if (std::none_of(entries.begin(), entries.end(),
                         [this](const auto& entry) { return entry.name == setting().backend; }))
            GTEST_SKIP() << setting().backend << " is not in this build";
        try {
            // Only the shaders of bounds read uniform blocks at computed indices.
            if (test::hasDriversOwnBugs(setting(), algorithm().name() == "bounds"))
                GTEST_SKIP() << test::kDriversOwnBugs;
            backend_ = test::TestBackend(setting());
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        for (const VariantInfo& info : algorithm().variants())
            for (const std::string& format : info.numberFormats)
                if (Configuration one{info.backend, info.name, setting().dialect(), format};
                    isHere(info) && algorithm().supports(*backend_, one, {}))
                    configurations_.push_back(std::move(one));
        ASSERT_FALSE(problems().empty());
        gl::DebugLog::take();
    }
    void TearDown() override {
        backend_.release();
        EXPECT_THAT(gl::DebugLog::take(), IsEmpty());
    }

    const Setting& setting() const { return GetParam().setting; }
    const Algorithm& algorithm() const { return GetParam().subject->algorithm(); }
    bool isHere(const VariantInfo& info) const {
        if (info.backend != setting().backend) return false;
        const auto dialect = setting().dialect();
        return !dialect ||
               std::find(info.dialects.begin(), info.dialects.end(), *dialect) != info.dialects.end();
    }

    /// Runs the problems that a configuration supports and counts those that it solves: two of five where
    /// sweeps have no middle, two of eleven where another setting has the same shaders, else all. One of
    /// these five or eleven is run twice. That covers all kinds and sizes, because two, three, four, eight or
    /// nine kinds alternate.
    struct Count {
        std::size_t attempted = 0;
        std::size_t solved = 0;
    };
    Count solveAll(const Configuration& configuration) {
        Count count;
        for (const auto& problem : problems()) {
            if (!problem->concerns(configuration)) continue;
            const std::size_t place = count.attempted++ % (test::repeatsShaders(setting()) ? 11 : 5);
            if (place > 1 && !test::isSwept(setting())) continue;
            count.solved += solve(*problem, configuration, place == 1 ? 2 : 1) ? 1 : 0;
        }
        return count;
    }

    /// The subject's problems with the reference's results, computed once for all settings.
    const std::vector<std::unique_ptr<Problem>>& problems() const {
        return questionsFor(*GetParam().subject).problems;
    }

    /// Runs a problem once or several times, so that the second result cannot be left over from the first.
    /// Returns false if it is refused with a reason.
    bool solve(Problem& problem, const Configuration& configuration, int runs) {
        SCOPED_TRACE(configuration.label() + ", " + problem.name());
        if (const Support support = problem.supports(*backend_, configuration); !support) {
            EXPECT_NE(support.reason(), "");
            return false;
        }
        const auto computation = problem.start(*backend_, configuration, CheckScope::Full, progress_);
        for (int run = 0; run < runs; ++run) {
            EXPECT_EQ(computation->run(progress_).variant, configuration.variant);
            const Comparison comparison = computation->check(progress_);
            EXPECT_TRUE(comparison.agrees()) << comparison.place << ": " << comparison.largestDifference
                                             << " of " << comparison.allowedDifference << " allowed";
        }
        return true;
    }

    test::TestBackend backend_;
    std::vector<Configuration> configurations_;
    Progress progress_;

  private:
    struct Questions {
        std::unique_ptr<ProblemSet> set;
        std::vector<std::unique_ptr<Problem>> problems;
    };
    static const Questions& questionsFor(const Subject& subject) {
        static std::map<const Subject*, Questions> made;
        const auto [place, isNew] = made.try_emplace(&subject);
        Questions& questions = place->second;
        if (!isNew) return questions;
        Options options;
        questions.set = subject.validationProblems();
        questions.set->declare(options);
        const auto sizes = sizesForTests().find(subject.algorithm().name());
        options.parse(sizes == sizesForTests().end() ? Arguments() : sizes->second);
        questions.set->prepare(options, silentProgress());
        questions.set->makeInputs(silentProgress());
        for (std::size_t index = 0; index < questions.set->count(); ++index)
            questions.problems.push_back(questions.set->make(index, silentProgress()));
        return questions;
    }
};

}  // namespace glycine::study
