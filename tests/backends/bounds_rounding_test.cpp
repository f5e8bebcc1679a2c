// Rounding tolerance of `validate` and `bench` if many paths have equal lengths except for rounding.
#include "engine/bounds/agreement.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/bounds/tied_bounds.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

/// The host's backends, one dialect and CUDA; the others compute the same sums as one of these.
std::vector<test::Setting> settings() {
    std::vector<test::Setting> all = test::allSettings();
    std::erase_if(all, [](const test::Setting& one) { return one.backend == "gl" && one.name != "gl_gl33"; });
    return all;
}

class BoundsRounding : public test::EveryBackend {
  public:
    static constexpr std::size_t kAtoms = 300;

  protected:
    /// For gl, only one of the variants with one pass per atom, which are slow on software renderers: all
    /// compute the same sums.
    std::vector<std::string> variants(NumberFormat format) const {
        std::vector<std::string> names =
            variantsFor(allVariants<SmoothingEngine>(), std::string(toString(format)));
        if (GetParam().backend == "gl")
            std::erase_if(names, [](const auto& name) { return name != "packed" && name != "blocked"; });
        return names;
    }
};

/// The problem with the reference's result, computed once for all backends.
BoundsProblem& problemOf(Ties ties) {
    static std::map<Ties, BoundsProblem> problems;
    const auto make = [ties](NumberFormat format) {
        return withNumberOf(format, [&]<class T>(T) -> AnyOwnedBounds {
            auto made = fixtures::makeTiedBounds<T>(ties, BoundsRounding::kAtoms);
            return OwnedBounds<T>{std::move(made.upper), std::move(made.lower)};
        });
    };
    return problems.try_emplace(ties, std::string(nameOf(ties)), BoundsRounding::kAtoms, make).first->second;
}

// Compares the whole result with the reference, as `validate` does.
TEST_P(BoundsRounding, TiesAreNoMistakes) {
    for (const Ties ties : fixtures::kAllTies)
        for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64})
            for (const std::string& variant : variants(format)) {
                SCOPED_TRACE(testing::Message()
                             << nameOf(ties) << ", " << variant << ' ' << toString(format));
                const Configuration configuration{GetParam().backend, variant, GetParam().dialect(),
                                                  std::string(toString(format))};
                const auto computation = problemOf(ties).start(backend(), configuration,
                                                               study::CheckScope::Full, silentProgress());
                computation->run(silentProgress());
                const Comparison found = computation->check(silentProgress());
                EXPECT_TRUE(found.agrees()) << found.place << ": " << found.largestDifference << " of "
                                            << found.allowedDifference << " allowed";
            }
}

// Compares some rows, as `bench` does, without and with a wrong bound.
TEST_P(BoundsRounding, TiesHideNoMistakes) {
    for (const Ties ties : fixtures::kAllTies)
        for (const std::string& variant : variants(NumberFormat::Float32)) {
            SCOPED_TRACE(testing::Message() << nameOf(ties) << ", " << variant);
            auto input = fixtures::makeTiedBounds<float>(ties, kAtoms);
            fixtures::FilledBounds<float> smoothed(input);
            fixtures::smoothWith(backend(), smoothed, fromString<Variant>(variant));
            const std::vector<std::size_t> rows{0, 77, 200, 299};
            const Comparison good = verifyRows(input.view(), smoothed.view(), rows);
            EXPECT_TRUE(good.agrees()) << good.place << ": " << good.largestDifference << " of "
                                       << good.allowedDifference << " allowed";
            // The worst case: every path between two ends has an atom in each place of the line.
            EXPECT_LT(good.allowedDifference, 2.5e-3);
            const auto fault = static_cast<float>(std::max(10 * good.allowedDifference, 1e-5));
            for (const auto& [i, j] : {std::pair{77, 250}, {250, 77}})
                smoothed.upper(std::size_t(i), std::size_t(j)) -= fault;
            EXPECT_FALSE(verifyRows(input.view(), smoothed.view(), rows).agrees());
        }
}

INSTANTIATE_TEST_SUITE_P(All, BoundsRounding, testing::ValuesIn(settings()), test::nameOf);

}  // namespace
}  // namespace glycine::bounds
