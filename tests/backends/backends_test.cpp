// The same checks for every algorithm of the study harness, on every backend, variant, dialect and number
// format: the comparisons of `glycine validate`, also on artificially small devices, after a cancellation,
// and for refusals. New algorithms are included automatically.
#include "tests/backends/every_subject.hpp"
#include "tests/test.hpp"

namespace glycine::study {
namespace {

class Backends : public EverySubject {
  protected:
    /// Runs all configurations on all problems; each configuration must solve some.
    void solveAll() {
        for (const Configuration& configuration : configurations_) {
            const Count count = EverySubject::solveAll(configuration);
            EXPECT_TRUE(count.solved > 0 || count.attempted == 0) << configuration.label();
        }
    }
};

TEST_P(Backends, AgreeWithTheReference) {
    solveAll();
}

TEST_P(Backends, StopWhenCancelledAndGoOn) {
    for (const Configuration& configuration : configurations_) {
        // The last, and thus largest, problem that the configuration supports.
        Problem* last = nullptr;
        for (const auto& problem : problems())
            if (problem->concerns(configuration) && problem->supports(*backend_, configuration))
                last = problem.get();
        if (last == nullptr) continue;
        SCOPED_TRACE(configuration.label() + ", " + last->name());
        const auto computation = last->start(*backend_, configuration, CheckScope::Full, progress_);
        test::expectStops({0, 1}, [&](Progress& progress) { computation->run(progress); });
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
                                  info.numberFormats.front()};
        if (!own.contains(info.name)) {
            const Support support = algorithm().supports(*backend_, other, {});
            EXPECT_FALSE(support) << other.label();
            // If the algorithm has nothing that can run, that is the reason.
            if (configurations_.empty())
                EXPECT_NE(support.reason(), "");
            else
                EXPECT_THAT(support.reason(), AnyOf(HasSubstr("no variant '" + info.name + "'; it has: "),
                                                    HasSubstr(' ' + info.name + " does not work in ")));
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

/// Artificially small devices: supported requests give correct results, and refusals have a reason.
class SmallBackends : public Backends {};

TEST_P(SmallBackends, AgreeOrRefuse) {
    std::size_t solved = 0;
    for (const Configuration& configuration : configurations_)
        solved += EverySubject::solveAll(configuration).solved;
    // Only if the algorithm has anything for the backend.
    EXPECT_TRUE(solved > 0 || configurations_.empty());
}

INSTANTIATE_TEST_SUITE_P(All, SmallBackends,
                         testing::ValuesIn(casesOf(test::smallSettings(64, std::size_t{256} << 10,
                                                                       std::size_t{1} << 20))),
                         nameOfCase);

}  // namespace
}  // namespace glycine::study
