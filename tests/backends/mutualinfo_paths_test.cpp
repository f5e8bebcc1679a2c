// Indirect paths on every backend: what the definition says, to the bit, in any tile, for any mediators, and
// on devices too small to hold all of it.
#include <cmath>
#include <limits>

#include "engine/core/guarded_matrix.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "tests/backends/every_backend.hpp"

namespace glycine::mutualinfo {
namespace {

using pairs::PairTile;
using pairs::ValueType;

class PathBackends : public glycine::test::EveryBackend {
  protected:
    void SetUp() override {
        EveryBackend::SetUp();
        if (IsSkipped()) return;
        const auto* entry = findImplementation(implementations<PathEngine>(), backend());
        ASSERT_NE(entry, nullptr);
        engine_ = entry->create(backend());
    }
    void TearDown() override {
        engine_.reset();
        EveryBackend::TearDown();
    }

    /// Information with equal values, very small ones, zeros and gaps. `equal`: how many values there are.
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

    /// What the definition says, from its own words rather than from another backend.
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
                for (std::size_t y = 0; y < n; ++y) most = std::max(most, std::min(from[y], to[y]));
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

    std::unique_ptr<PathEngine> engine_;
    std::size_t runs_ = 0;
};

TEST_P(PathBackends, EveryNumberOfGenes) {
    // Texels, panels, windows and blocks of mediators, and what is left of them.
    for (const std::size_t genes : {1U, 2U, 3U, 5U, 8U, 15U, 16U, 17U, 33U, 64U, 127U, 128U, 129U, 139U})
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
    // Once for all backends.
    static const auto store = information(kGenes, ValueType::Float32);
    static const Matrix<double> expected = strongest(*store, {});
    expectPaths(*store, {}, pairs::tilesBelowDiagonal(kGenes, engine_->preferredTile(kGenes)), &expected);
}

TEST_P(PathBackends, StopWhenAsked) {
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

}  // namespace
}  // namespace glycine::mutualinfo
