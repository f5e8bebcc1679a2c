// Every backend and variant of `mutualinfo` must give the reference's results, for any splines, any numbers
// of genes and samples, and any tile.
#include "engine/core/guarded_matrix.hpp"
#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

using pairs::PairTile;

class MutualInformationBackends
    : public glycine::test::WithImplementation<glycine::test::EveryBackend, InformationEngine> {
  protected:
    /// Runs every variant in every precision, tile after tile in one run.
    void expectInformation(const Matrix<double>& expression, const SplineOptions& splines,
                           const std::vector<PairTile>& tiles) {
        const std::size_t n = expression.rows();
        const test::InputKey key = test::InputKey()
                                       .add(expression)
                                       .add(splines.bins)
                                       .add(splines.order)
                                       .add(splines.knots)
                                       .add(splines.transform)
                                       .add(splines.estimator);
        const Matrix<double>& expected = test::madeOnce(key, [&] {
            Matrix<double> information(n, n);
            const auto reference =
                reference::engine().create(reference_)->start(expression.view(), {.splines = splines});
            const MatrixView<double> all = information.view();
            reference->compute({{0, n}, {0, n}}, {&all, 1}, progress_);
            return information;
        });
        for (const WeightPrecision precision : {WeightPrecision::Float64, WeightPrecision::Float32,
                                                WeightPrecision::Tf32, WeightPrecision::Float16})
            for (const std::string& name :
                 variantsFor(allVariants<InformationEngine>(), std::string(toString(precision)))) {
                SCOPED_TRACE(testing::Message() << name << ' ' << toString(precision) << ", " << n << " x "
                                                << expression.columns() << ", " << splines.bins
                                                << " bins, order " << splines.order);
                const InformationRequest request{.variant = fromString<Variant>(name),
                                                 .precision = precision,
                                                 .genes = n,
                                                 .samples = expression.columns(),
                                                 .splines = splines};
                if (const Support support = engine_->supports(request); !support) {
                    ASSERT_TRUE(mayRefuse(name, splines, precision)) << support.reason();
                    continue;
                }
                const auto run = engine_->start(expression.view(), request);
                EXPECT_EQ(run->variantName(), name);
                for (const PairTile& tile : tiles)
                    expectTile(*run, tile, expected, allowedDifference(precision));
                if (HasFatalFailure()) return;
            }
    }
    void expectInformation(const Matrix<double>& expression, const SplineOptions& splines) {
        const std::size_t n = expression.rows();
        std::vector<PairTile> tiles = pairs::tilesBelowDiagonal(n, (n + 2) / 3);
        tiles.insert(tiles.begin(), PairTile{{0, n}, {0, n}});
        expectInformation(expression, splines, tiles);
    }

    HostBackend reference_{"reference", 1};
    Progress progress_;

  private:
    /// Variants of `cuda` support as many bins as threads and shared memory allow; tf32 and fp16 need tensor
    /// cores.
    bool mayRefuse(const std::string& variant, const SplineOptions& splines,
                   WeightPrecision precision) const {
        constexpr std::size_t kPublishedBins = 32;
        constexpr std::size_t kLeastProductBins = 64;
        if (variant == "blocked") return splines.order > 8;  // weights in two texels
        if (variant.starts_with("cudami")) return splines.bins > kPublishedBins;
        return variant == "gemm" && (splines.bins > kLeastProductBins || precision == WeightPrecision::Tf32 ||
                                     precision == WeightPrecision::Float16);
    }
    void expectTile(InformationRun& run, const PairTile& tile, const Matrix<double>& expected,
                    double allowed) {
        GuardedMatrix<double> found(tile.rows.size(), tile.columns.size());
        const MatrixView<double> view = found.view();
        run.compute(tile, {&view, 1}, progress_);
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
                const double value = expected(tile.rows.begin + r, tile.columns.begin + c);
                const std::string place = "tile (" + std::to_string(tile.rows.begin) + ", " +
                                          std::to_string(tile.columns.begin) + "): " + std::to_string(r) +
                                          ", " + std::to_string(c);
                if (std::isnan(value)) {
                    ASSERT_TRUE(std::isnan(view(r, c))) << place;
                } else {
                    ASSERT_NEAR(view(r, c), value, allowed) << place;
                    ASSERT_GE(view(r, c), 0) << place;
                }
            }
        ASSERT_TRUE(found.isIntact());
    }
};

TEST_P(MutualInformationBackends, EveryOrderAndNumberOfBins) {
    const Matrix<double> expression = randomExpression({.genes = 9, .samples = 40, .missing = 0.1});
    for (const std::size_t bins : sweep({2, 3, 7, 10, 16, 33, 73}, {10, 33, 73})) {
        // Drivers are slow to compile programs; workarounds only change how texels are fetched, whatever the
        // bins.
        if (GetParam().bugs && bins != 10 && bins != 33) continue;
        for (const std::size_t order : sweep({1, 2, 3, 4, 5, 6, 8, 11}, {1, 3, 11})) {
            // On gl, each is a separate program: all orders with 16 bins, and some with the other numbers.
            const bool isSome = order == 1 || order == 3 || order >= 8 || order + 1 == bins;
            if (GetParam().backend == "gl" && bins != 16 && !isSome) continue;
            if (order < bins) expectInformation(expression, {.bins = bins, .order = order});
        }
    }
    expectInformation(expression, {.bins = kMaxBins, .order = 3});
    expectInformation(expression, {.bins = 12, .order = 3, .knots = Knots::Uniform});
}

TEST_P(MutualInformationBackends, AsManyBinsAsAVariantTakes) {
    const Matrix<double> expression = randomExpression({.genes = 5, .samples = 70, .missing = 0.1});
    for (const std::size_t bins : sweep({31, 32, 33, 63, 64, 65, 127, 128, 129}, {31, 129}))
        expectInformation(expression, {.bins = bins, .order = 3});
}

TEST_P(MutualInformationBackends, EveryNumberOfGenes) {
    // Panels and blocks of rows, full and partial.
    for (const std::size_t genes :
         sweep({1, 2, 3, 6, 7, 8, 13, 14, 15, 28, 29, 63, 64, 65, 130}, {1, 2, 130}))
        expectInformation(randomExpression({.genes = genes, .samples = 11, .seed = genes}), {});
}

TEST_P(MutualInformationBackends, EveryNumberOfSamples) {
    // Blocks of samples, full and partial.
    for (const std::size_t samples : sweep({1, 2, 3, 9, 511, 512, 513, 1024, 1025, 2600, 4100}, {1, 2, 4100}))
        expectInformation(randomExpression({.genes = 9, .samples = samples, .missing = samples % 2 * 0.2}),
                          {});
}

TEST_P(MutualInformationBackends, TilesThatBeginAndEndAnywhere) {
    const Matrix<double> expression =
        randomExpression({.genes = 90, .samples = 20, .missing = 0.05, .hasIdleGenes = true});
    expectInformation(expression, {},
                      {{{70, 90}, {0, 70}},
                       {{89, 90}, {3, 4}},
                       {{40, 77}, {5, 38}},
                       {{13, 90}, {13, 90}},
                       {{30, 60}, {30, 60}},
                       {{60, 90}, {0, 30}}});
}

TEST_P(MutualInformationBackends, GapsConstantAndEmptyGenes) {
    Matrix<double> expression =
        randomExpression({.genes = 20, .samples = 50, .missing = 0.4, .hasIdleGenes = true});
    constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
    // Two genes without a common sample, and one with a single value.
    for (std::size_t s = 0; s < 50; ++s) expression(s % 2, s) = kMissing;
    for (std::size_t s = 1; s < 50; ++s) expression(2, s) = kMissing;
    expression(2, 0) = 1;
    for (const Transform transform : {Transform::None, Transform::Ranks, Transform::Ordinals})
        expectInformation(expression, {.transform = transform});
}

TEST_P(MutualInformationBackends, StandardisedEstimatesOfPairsWithGaps) {
    const Matrix<double> expression =
        randomExpression({.genes = 40, .samples = 60, .missing = 0.3, .hasIdleGenes = true});
    for (const Transform transform : {Transform::None, Transform::Ranks}) {
        MutualInformationOptions options{.splines = {.transform = transform}};
        const SharedMoments& moments = test::madeOnce(test::InputKey().add(transform), [&] {
            return momentsFor(expression.view(), options.splines, GapRule::Standardised, {.least = 20},
                              progress_);
        });
        const GapCorrection correction(expression.view(), 20, moments, 1);
        const auto find = [&](Backend& backend, bool isCorrected) {
            auto store = std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {40}});
            CorrectedInformationSink corrected(*store, correction);
            pairs::PairSink& sink = isCorrected ? static_cast<pairs::PairSink&>(corrected) : *store;
            computeMutualInformation(backend, expression.view(), options, sink, progress_);
            return store;
        };
        const auto& [raw, expected] = test::madeOnce(test::InputKey().add(transform), [&] {
            return std::pair(find(reference_, false), find(reference_, true));
        });
        options.precision = defaultPrecision(backend());
        if (const Support support = supportsMutualInformation(backend(), expression.view(), options);
            !support)
            GTEST_SKIP() << support.reason();
        options.tile = 17;
        const auto found = find(backend(), true);
        std::size_t pairs = 0;
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const double value = expected->value(i, j);
                if (std::isnan(value)) {
                    ASSERT_TRUE(std::isnan(found->value(i, j))) << i << ", " << j;
                    continue;
                }
                ++pairs;
                ASSERT_NEAR(
                    found->value(i, j), value,
                    1e-15 + correction.errorOf(i, j, raw->value(i, j), allowedDifference(options.precision)))
                    << i << ", " << j;
            }
        ASSERT_GT(pairs, 400U);
    }
}

TEST_P(MutualInformationBackends, ConstantGenesHaveNoInformation) {
    const Matrix<double> expression = randomExpression({.genes = 15, .samples = 30, .hasIdleGenes = true});
    for (const WeightPrecision precision : {WeightPrecision::Float64, WeightPrecision::Float32})
        for (const std::string& name :
             variantsFor(allVariants<InformationEngine>(), std::string(toString(precision)))) {
            const InformationRequest request{.variant = fromString<Variant>(name),
                                             .precision = precision,
                                             .genes = 15,
                                             .samples = 30,
                                             .splines = {.knots = Knots::Uniform}};
            Matrix<double> values(15, 15);
            const MatrixView<double> view = values.view();
            engine_->start(expression.view(), request)
                ->compute({{0, 15}, {0, 15}}, {&view, 1}, silentProgress());
            for (std::size_t g = 0; g < 7; ++g) EXPECT_EQ(values(7, g), 0) << g;
            for (std::size_t g = 9; g < 15; ++g) EXPECT_EQ(values(g, 7), 0) << g;
            EXPECT_GT(values(1, 0), 0);
        }
}

INSTANTIATE_TEST_SUITE_P(All, MutualInformationBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);

// ---- Indirect paths on every backend: identical to the definition to the bit, in any tile, for any
// mediators, and on devices too small for all of them.

using pairs::PairTile;
using pairs::ValueType;

class PathBackends : public glycine::test::WithImplementation<glycine::test::EveryBackend, PathEngine> {
  protected:
    /// Information with equal values, very small ones, zeros and gaps. `equal`: number of distinct values.
    static std::unique_ptr<pairs::PairStore> information(std::size_t genes, ValueType type,
                                                         std::size_t equal = 1U << 20) {
        auto store = std::make_unique<pairs::PairStore>(
            pairs::PairFormat{.layout = {genes, pairs::StoreLayout::Square}, .type = type, .diagonal = 99});
        RandomSequence random(genes);
        Matrix<double> values(genes, genes, 0.0);
        for (std::size_t i = 0; i < genes; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                values(i, j) =
                    static_cast<double>(random.below(equal)) / (type == ValueType::Float64 ? 3e6 : 64);
                if (random.below(30) == 0) values(i, j) = std::numeric_limits<double>::quiet_NaN();
                if (random.below(30) == 0) values(i, j) *= 1e-12;
            }
        store->store({{0, genes}, {0, genes}}, values.view());
        return store;
    }

    /// Evaluates the definition directly, without another backend.
    static Matrix<double> strongest(const pairs::PairStore& store, const std::vector<char>& mediators) {
        const std::size_t n = store.instances();
        Matrix<double> steps(n, n, 0.0);
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t y = 0; y < n; ++y)
                if (x != y && (mediators.empty() || mediators[y] != 0) && store.value(x, y) > 0)
                    steps(x, y) = store.value(x, y);
        Matrix<double> result(n, n, 0.0);
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t z = 0; z < x; ++z) {
                const double *from = steps.row(x), *to = steps.row(z);
                double most = 0;
                // Tests are hardly optimised: std::max would be a call.
                for (std::size_t y = 0; y < n; ++y) {
                    const double weaker = from[y] < to[y] ? from[y] : to[y];
                    if (weaker > most) most = weaker;
                }
                result(x, z) = most;
            }
        return result;
    }

    void expectPaths(const pairs::PairStore& store, const std::vector<char>& mediators,
                     const std::vector<PairTile>& tiles, const Matrix<double>* known = nullptr) {
        const PathShape shape{store.instances(), store.valueType()};
        if (const Support support = engine_->supports(shape); !support) {
            ASSERT_EQ(GetParam().backend, "gl") << support.reason();
            ASSERT_TRUE(shape.type == ValueType::Float64 || GetParam().dialect() == Dialect::Gl21)
                << support.reason();
            EXPECT_THROW(engine_->start({&store, mediators}), UnavailableError);
            return;
        }
        ++runs_;
        const Matrix<double> found = known != nullptr ? Matrix<double>() : strongest(store, mediators);
        const Matrix<double>& expected = known != nullptr ? *known : found;
        const auto run = engine_->start({&store, mediators});
        for (const PairTile& tile : tiles) {
            GuardedMatrix<double> paths(tile.rows.size(), tile.columns.size());
            const MatrixView<double> view = paths.view();
            double worked = 0;
            Progress progress([&](const ProgressUpdate& update) { worked = update.fraction; });
            progress.begin("paths", static_cast<double>(tile.pairs() * store.instances()));
            run->compute(tile, {&view, 1}, progress);
            for (std::size_t r = 0; r < tile.rows.size(); ++r)
                for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
                    ASSERT_EQ(view(r, c), expected(tile.rows.begin + r, tile.columns.begin + c))
                        << store.instances() << " genes, tile (" << tile.rows.begin << ", "
                        << tile.columns.begin << "): " << r << ", " << c;
            ASSERT_TRUE(paths.isIntact());
            EXPECT_LE(worked, 1 + 1e-9);
        }
    }
    void expectPaths(std::size_t genes, std::size_t equal = 1U << 20) {
        std::vector<char> few(genes);
        for (std::size_t g = 0; g < genes; g += 3) few[g] = 1;
        std::vector<PairTile> tiles = pairs::tilesBelowDiagonal(genes, (genes + 2) / 3);
        tiles.insert(tiles.begin(), PairTile{{0, genes}, {0, genes}});
        for (const ValueType type : {ValueType::Float32, ValueType::Float64})
            for (const auto& mediators : {std::vector<char>(), few, std::vector<char>(genes)})
                expectPaths(*information(genes, type, equal), mediators, tiles);
    }

    std::size_t runs_ = 0;
};

TEST_P(PathBackends, EveryNumberOfGenes) {
    // Texels, panels, windows and blocks of mediators, full and partial.
    for (const std::size_t genes :
         sweep({1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 127, 128, 129, 139}, {1, 2, 139}))
        expectPaths(genes);
    EXPECT_TRUE(runs_ > 0 || GetParam().dialect() == Dialect::Gl21);
}

TEST_P(PathBackends, TilesThatBeginAndEndAnywhere) {
    const auto store = information(150, ValueType::Float32);
    expectPaths(*store, {},
                {{{70, 150}, {0, 70}},
                 {{149, 150}, {3, 4}},
                 {{40, 77}, {5, 38}},
                 {{13, 150}, {13, 150}},
                 {{30, 61}, {30, 61}},
                 {{61, 150}, {0, 30}}});
}

TEST_P(PathBackends, EqualValues) {
    for (const std::size_t equal : {1U, 2U, 5U}) expectPaths(66, equal);
}

TEST_P(PathBackends, LargeTilesAndManyMediators) {
    if (GetParam().backend == "reference") GTEST_SKIP() << "tested by smaller ones";
    constexpr std::size_t kGenes = 1100;
    // Computed once for all backends.
    static const auto store = information(kGenes, ValueType::Float32);
    static const Matrix<double> expected = strongest(*store, {});
    expectPaths(*store, {}, pairs::tilesBelowDiagonal(kGenes, engine_->preferredTile(kGenes)), &expected);
}

TEST_P(PathBackends, StopOnRequest) {
    const auto store = information(300, ValueType::Float32);
    if (!engine_->supports({300, ValueType::Float32})) GTEST_SKIP() << "not here";
    const auto run = engine_->start({store.get(), {}});
    Matrix<double> values(300, 300);
    const MatrixView<double> view = values.view();
    Progress stopped({}, [] { return true; });
    EXPECT_THROW(run->compute({{0, 300}, {0, 300}}, {&view, 1}, stopped), CancelledError);
}

INSTANTIATE_TEST_SUITE_P(All, PathBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);
// A few genes at a time, and on cuda a few mediators.
INSTANTIATE_TEST_SUITE_P(Small, PathBackends,
                         testing::ValuesIn(glycine::test::smallSettings(64, 40U << 10, 1200U << 10)),
                         glycine::test::nameOf);

// ---- Selection of MRNET on every backend: identical to the reference to the bit, for any targets,
// candidates and number of selections.

class SelectionBackends
    : public glycine::test::WithImplementation<glycine::test::EveryBackend, SelectionEngine> {
  protected:
    void expectScores(std::size_t genes, ValueType type, std::size_t equal) {
        auto store = std::make_unique<pairs::PairStore>(
            pairs::PairFormat{.layout = {genes, pairs::StoreLayout::Square}, .type = type, .diagonal = 99});
        TiedInformationSink tied(*store);
        RandomSequence random(genes + equal);
        Matrix<double> values(genes, genes, 0.0);
        for (std::size_t i = 0; i < genes; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                values(i, j) = static_cast<double>(random.below(equal)) / static_cast<double>(equal) * 2;
                if (random.below(30) == 0) values(i, j) = std::numeric_limits<double>::quiet_NaN();
            }
        tied.store({{0, genes}, {0, genes}}, values.view());
        if (const Support support = engine_->supports({genes, type}); !support) {
            ASSERT_EQ(GetParam().dialect(), Dialect::Gl21) << support.reason();
            return;
        }
        std::vector<char> few(genes);
        for (std::size_t g = 0; g < genes; g += 3) few[g] = 1;
        HostBackend host("reference", 1);
        const auto reference = createImplementation<SelectionEngine>(host);
        for (const auto& candidates : {std::vector<char>(), few})
            for (const std::size_t selections :
                 {std::size_t{1}, std::size_t{5}, std::min<std::size_t>(genes, 20)})
                for (const Range targets : {Range{0, genes}, Range{genes / 3, genes / 2 + 1}}) {
                    const SelectionRequest request{store.get(), candidates, 0.625, selections};
                    Matrix<double> expected(targets.size(), genes);
                    reference->start(request)->score(targets, expected.view(), silentProgress());
                    GuardedMatrix<double> found(targets.size(), genes);
                    engine_->start(request)->score(targets, found.view(), silentProgress());
                    for (std::size_t t = 0; t < targets.size(); ++t)
                        for (std::size_t j = 0; j < genes; ++j)
                            ASSERT_EQ(std::max(found.view()(t, j), 0.0), std::max(expected(t, j), 0.0))
                                << genes << " genes, target " << targets.begin + t << ", gene " << j << ", "
                                << selections << " selections";
                    ASSERT_TRUE(found.isIntact());
                }
    }
};

TEST_P(SelectionBackends, FindTheScoresOfTheReference) {
    for (const std::size_t genes : sweep({1, 2, 3, 40, 150}, {1, 2, 150})) {
        expectScores(genes, ValueType::Float64, 1U << 30);
        expectScores(genes, ValueType::Float32, 3);
    }
}

INSTANTIATE_TEST_SUITE_P(All, SelectionBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::mutualinfo
