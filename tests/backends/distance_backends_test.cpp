// Every backend and variant of `distance` must count and sum like a plain loop over the attributes, for any
// alphabet, any size, and any tile of the result.
#include "engine/distance/measures.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/backends/limits.hpp"
#include "tests/distance/distance_engine_fixtures.hpp"
#include "tests/made_once.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

/// Every number of planes, including alphabets with unused symbols.
constexpr Alphabet kOthers[] = {{2, 1},  {4, 2},   {8, 3},   {16, 4}, {32, 5},
                                {64, 6}, {128, 7}, {255, 8}, {20, 5}, {250, 8}};

/// countPlainly() of these symbols, once for all settings.
CountedPairs& countOnce(const DiscreteSource& source) {
    const DiscreteShape& shape = source.shape();
    Matrix<std::uint8_t> symbols(shape.instances, shape.attributes);
    source.readSymbols({0, shape.instances}, {0, shape.attributes}, symbols.view());
    return *glycine::test::madeOnce(glycine::test::InputKey().add(symbols),
                                    [&] { return std::make_unique<CountedPairs>(countPlainly(source)); });
}

/// All meaningful combinations of counts.
std::vector<CountNeeds> allNeeds(const DiscreteShape& shape) {
    if (shape.isGenotypes) return {{false, false}, {false, true}, {true, false}, {true, true}};
    return {{false, false}, {false, true}};
}

/// halvesOf(), and tiles with sides of a third, on and off the diagonal.
std::vector<PairTile> thirdsOf(std::size_t instances) {
    std::vector<PairTile> tiles = halvesOf(instances);
    const std::vector<PairTile> thirds = tilesBelowDiagonal(instances, (instances + 2) / 3);
    tiles.insert(tiles.end(), thirds.begin(), thirds.end());
    return tiles;
}
/// For 90 instances, tiles with arbitrary begins and ends.
const std::vector<PairTile> kOddTiles{{{70, 90}, {0, 70}},  {{89, 90}, {3, 4}},   {{40, 77}, {5, 38}},
                                      {{13, 90}, {13, 90}}, {{30, 60}, {30, 60}}, {{60, 90}, {0, 30}}};

class DistanceBackends
    : public glycine::test::WithImplementation<glycine::test::EveryBackend, DistanceEngine> {
  protected:
    std::vector<Variant> counting(bool toBeRun = true) const {
        return variantsOf<Variant>("counts", toBeRun);
    }
    template <class Number = float>
    std::vector<Variant> summing(bool toBeRun = true) const {
        return variantsOf<Variant>(std::is_same_v<Number, float> ? "float32" : "float64", toBeRun);
    }

    /// Every variant counts `tiles` one after another, in one run for each of `requests`.
    void expectCounts(const DiscreteSource& source, const std::vector<PairTile>& tiles,
                      const std::vector<CountNeeds>& requests) {
        CountedPairs& expected = countOnce(source);
        for (const Variant variant : counting())
            for (const CountNeeds needs : requests) {
                SCOPED_TRACE(testing::Message()
                             << toString(variant) << ", " << source.shape().instances << " x "
                             << source.shape().attributes << ", " << source.shape().planes
                             << " planes, missing " << source.shape().hasMissing << ", opposite "
                             << needs.opposite << ", valid " << needs.valid);
                if (!takes({.variant = variant, .shape = source.shape(), .needs = needs})) continue;
                const auto run = engine_->startCounting(source, needs, variant);
                EXPECT_EQ(run->variant(), variant);
                fixtures::expectCounts(*run, source, needs, tiles, expected);
                if (HasFatalFailure()) return;
                expectTimes(*run);
            }
    }
    void expectCounts(const DiscreteSource& source) {
        const std::size_t n = source.shape().instances;
        const std::vector<CountNeeds> needs = allNeeds(source.shape());
        if (isQuick())
            expectCounts(source, thirdsOf(n), needs);
        else
            expectCounts(source, halvesOf(n), {needs.back()});
    }
    /// In their own precision, and also as float64 numbers if `summing` has variants for these.
    void expectSums(const Matrix<float>& coordinates, const std::vector<PairTile>& tiles) {
        expectSumsOf(coordinates, tiles);
        if (!HasFatalFailure() && !summing<double>().empty()) expectSumsOf(widened(coordinates), tiles);
    }
    template <class Number>
    void expectSumsOf(const Matrix<Number>& coordinates, const std::vector<PairTile>& tiles) {
        for (const SumTerm term : kSumTerms) {
            const Matrix<double>& expected =
                glycine::test::madeOnce(glycine::test::InputKey().add(coordinates).add(term),
                                        [&] { return sumPlainly(coordinates, term); });
            for (const Variant variant : summing<Number>()) {
                SCOPED_TRACE(testing::Message()
                             << toString(variant) << ", "
                             << toString(CoordinateView(coordinates.view()).precision()) << ", "
                             << coordinates.rows() << " x " << coordinates.columns() << ", term "
                             << static_cast<int>(term));
                if (!takes(requestFor(coordinates.view(), variant))) continue;
                const auto run = engine_->startSumming(coordinates.view(), term, variant);
                EXPECT_EQ(run->variant(), variant);
                fixtures::expectSums(*run, coordinates, tiles, expected);
                if (HasFatalFailure()) return;
                expectTimes(*run);
            }
        }
    }
    void expectSums(const Matrix<float>& coordinates) {
        expectSums(coordinates, isQuick() ? thirdsOf(coordinates.rows()) : halvesOf(coordinates.rows()));
    }

    /// Whether the backend is fast: the reference and software renderers are slow.
    bool isQuick() const { return GetParam().backend == "cpu" || GetParam().backend == "cuda"; }

    /// Only cuda may refuse requests for which it has variants: if memory is insufficient, and for products
    /// on tensor cores, which need certain alphabets and a recent device.
    virtual bool mayRefuse(const PairRequest& request) const {
        return GetParam().backend == "cuda" &&
               (GetParam().options.maxDeviceBytes != 0 || request.variant == Variant::BitTensor ||
                request.variant == Variant::Tensor);
    }
    bool takes(const PairRequest& request) {
        return glycine::test::isTaken(engine_->supports(request), mayRefuse(request));
    }
    static PairRequest requestFor(const CoordinateView& coordinates, Variant variant) {
        return {.variant = variant,
                .isCoordinates = true,
                .shape = {.instances = coordinates.rows(), .attributes = coordinates.columns()},
                .precision = coordinates.precision()};
    }

  private:
    static void expectTimes(const pairs::PairRun& run) {
        const pairs::PairTimes times = run.times();
        for (const double stage : {times.pack, times.upload, times.compute, times.download})
            EXPECT_GE(stage, 0);
    }
};

/// Instances × attributes close to multiples of words, texels, strips and tiles.
using Sizes = std::vector<std::pair<std::size_t, std::size_t>>;
const Sizes kSomeSizes{{1, 1},    {2, 1},     {2, 63},   {3, 64},  {5, 3},    {9, 100},
                       {9, 2600}, {17, 5000}, {33, 129}, {37, 65}, {70, 1000}};
Sizes allSizes(const std::vector<std::size_t>& attributes) {
    Sizes sizes;
    for (const std::size_t n : {1, 2, 5, 17, 33, 70})
        for (const std::size_t m : attributes) sizes.emplace_back(n, m);
    return sizes;
}
/// The sizes to test on a backend: more on faster ones.
Sizes sizesFor(const glycine::test::Setting& setting) {
    Sizes sizes = kSomeSizes;
    if (setting.backend == "cpu")
        sizes = allSizes({1, 2, 3, 63, 64, 65, 127, 129, 255, 256, 257, 511, 513, 1000, 4100});
    if (setting.backend == "gl" && glycine::test::isSwept(setting)) {
        const Sizes many = allSizes({1, 3, 64, 65, 129, 1000});
        sizes.insert(sizes.end(), many.begin(), many.end());
    }
    if (setting.backend == "cuda") sizes.insert(sizes.end(), {{130, 95}, {67, 777}});
    return sizes;
}

TEST_P(DistanceBackends, CountGenotypesOfAnySize) {
    for (const auto& [instances, attributes] : sizesFor(GetParam()))
        for (const bool hasMissing : {false, true}) {
            expectCounts(makeSymbols(kGenotypes, instances, attributes, hasMissing));
            if (HasFatalFailure()) return;
        }
}

TEST_P(DistanceBackends, CountAnyAlphabet) {
    for (const Alphabet& alphabet : kOthers) {
        // Drivers are slow to compile programs, and each number of planes needs its own.
        const bool isOften = alphabet.planes == 1 || alphabet.symbols == 32 || alphabet.symbols == 255;
        if (GetParam().backend == "gl" && !isOften) continue;
        if (GetParam().bugs && alphabet.planes > 1) continue;
        if (!isSwept() && alphabet.symbols == 32) continue;
        for (const auto& [instances, attributes] :
             GetParam().backend == "cuda" ? sizesFor(GetParam()) : kSomeSizes)
            for (const bool hasMissing : {false, true}) {
                // Large pieces are the same for any alphabet, and slow on software renderers.
                if (GetParam().backend == "gl" && instances * attributes > 30'000) continue;
                expectCounts(makeSymbols(alphabet, instances, attributes, hasMissing));
                if (HasFatalFailure()) return;
            }
    }
}

TEST_P(DistanceBackends, CountTilesAnywhere) {
    for (const double missing : {0.0, 0.05}) {
        if (missing == 0 && !isQuick()) continue;
        const auto genotypes =
            randomGenotypes({.instances = 90, .attributes = 700, .seed = 2, .missing = missing});
        expectCounts(*genotypes, kOddTiles, allNeeds(genotypes->shape()));
        const auto symbols = randomSymbols(90, isQuick() ? 3000 : 300, 4, missing, 8);
        expectCounts(*symbols, kOddTiles, allNeeds(symbols->shape()));
    }
}

TEST_P(DistanceBackends, CountInstancesWithoutAnyEntry) {
    const auto random =
        randomGenotypes({.instances = 12, .attributes = 333, .seed = 4, .missing = 0.3, .uniform = true});
    Matrix<std::uint8_t> symbols(12, 333);
    random->readSymbols({0, 12}, {0, 333}, symbols.view());
    for (const std::size_t instance : {0, 1, 5, 6, 11})
        std::fill_n(symbols.row(instance), 333, kMissingSymbol);
    expectCounts(SymbolMatrix(std::move(symbols), random->shape()));
    expectCounts(SymbolMatrix(Matrix<std::uint8_t>(3, 70, kMissingSymbol), random->shape()));
}

// Enough pairs to involve several threads or blocks.
TEST_P(DistanceBackends, CountManyPairs) {
    if (GetParam().backend == "gl")
        GTEST_SKIP() << "takes long on drivers of software; see SmallDistanceBackends";
    for (const bool hasMissing : {false, true}) {
        const std::size_t n = GetParam().backend == "cuda" ? 601 : 301;
        const SymbolMatrix source = makeSymbols(kGenotypes, n, 1001, hasMissing);
        std::vector<PairTile> tiles = tilesBelowDiagonal(n, 259);
        tiles.push_back(wholeTile(n));
        tiles.push_back({{101, n}, {0, 101}});
        expectCounts(source, tiles, {{hasMissing, hasMissing}});
    }
}

// More attributes than 16-bit counters can count, than are packed at once, and than are read at once.
TEST_P(DistanceBackends, CountManyAttributes) {
    Sizes sizes{{33, 700'001}};
    if (GetParam().backend == "reference") sizes = {{5, 700'001}};
    if (GetParam().backend == "gl") sizes = {{5, 150'001}};
    if (GetParam().backend == "cuda") sizes = {{23, 20'001}, {5, 300'007}};
    for (const auto& [instances, attributes] : sizes)
        for (const double missing : {0.0, 0.02}) {
            if (missing == 0 && GetParam().isHost()) continue;  // a plain loop is slow here
            const auto source = randomGenotypes({.instances = instances,
                                                 .attributes = attributes,
                                                 .seed = 5,
                                                 .missing = missing,
                                                 .uniform = true});
            expectCounts(*source, {wholeTile(instances)}, {{true, missing > 0}});
        }
    // All attributes of the first two instances differ, and none of the first and the third.
    constexpr std::size_t kAttributes = 150'001;
    Matrix<std::uint8_t> symbols(5, kAttributes, 0);
    std::fill_n(symbols.row(1), kAttributes, std::uint8_t{2});
    std::fill_n(symbols.row(3), kAttributes, std::uint8_t{1});
    expectCounts(SymbolMatrix(std::move(symbols), {.planes = 2, .isGenotypes = true}), halvesOf(5),
                 {{true, false}});
}

// OpenGL 2.1 counts in floats, which are exact up to 2^24; the host adds up what lies beyond. Differing
// attributes: 2^24 + 1, 2^24 and 1.
TEST_P(DistanceBackends, CountsOnBothSidesOf24Bits) {
    if (GetParam().dialect() != Dialect::Gl21 || GetParam().bugs) GTEST_SKIP() << "integers of 32 bits";
    constexpr std::size_t kExact = std::size_t{1} << 24;
    Matrix<std::uint8_t> symbols(3, kExact + 1, 0);
    std::fill_n(symbols.row(1), kExact + 1, std::uint8_t{2});
    symbols(2, kExact) = 2;
    expectCounts(SymbolMatrix(std::move(symbols), {.planes = 2, .isGenotypes = true}), {wholeTile(3)},
                 {{true, true}});
}

TEST_P(DistanceBackends, SumCoordinatesOfAnySize) {
    for (const auto& [instances, attributes] : sizesFor(GetParam())) {
        expectSums(randomCoordinates(instances, attributes, attributes));
        if (HasFatalFailure()) return;
    }
    for (const auto& [instances, attributes] : {std::pair{65, 257}, {130, 1000}, {301, 15}, {7, 20'011}})
        if (!repeatsShaders() || instances < 100) expectSums(randomCoordinates(instances, attributes, 3));
}

TEST_P(DistanceBackends, SumTilesAnywhere) {
    expectSums(randomCoordinates(90, 300, 3), kOddTiles);
}

TEST_P(DistanceBackends, SumManyAttributes) {
    // The reference knows no blocks of pairs.
    const std::size_t instances = GetParam().backend == "cpu" ? 20 : GetParam().isHost() ? 5 : 3;
    const std::size_t attributes = GetParam().isHost() ? 300'000 : 140'001;
    expectSums(randomCoordinates(instances, attributes, 3), {wholeTile(instances)});
}

// Squares that float32 cannot represent, or only with few bits, next to ordinary ones.
TEST_P(DistanceBackends, SumCoordinatesOfAnyMagnitude) {
    std::vector<float> scales{1, 1e-30F, 1e-25F, 1e-23F, 1e-20F, 1e10F, 1e20F, 1e25F};
    // GLSL leaves infinities and denormal numbers to the driver.
    if (GetParam().backend != "gl") scales.insert(scales.end(), {1e-42F, 5e37F});
    for (const float scale : scales) {
        Matrix<float> coordinates = randomCoordinates(20, 100, 3);
        for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates.data()[i] *= scale;
        expectSums(coordinates);
    }
    Matrix<float> mixed = randomCoordinates(3 * scales.size(), 40, 3);
    for (std::size_t i = 0; i < mixed.rows(); ++i)
        for (std::size_t k = 0; k < 40; ++k) mixed(i, k) *= scales[i / 3];
    std::copy_n(mixed.row(3), 40, mixed.row(4));
    std::copy_n(mixed.row(0), 40, mixed.row(2));
    expectSums(mixed);
    Matrix<float> few(3, 2);
    const float entries[] = {1e25F, 2, 0, 3.5F, 1e-30F, 3.5F};
    std::copy(std::begin(entries), std::end(entries), few.data());
    expectSums(few);
}

TEST_P(DistanceBackends, SameFromRunToRun) {
    const Matrix<float> coordinates = randomCoordinates(200, 3000, 3);
    const PairTile tile{{100, 200}, {0, 100}};
    for (const Variant variant : summing())
        for (const SumTerm term : kSumTerms) {
            GuardedMatrix<double> first = sumTile(*engine_, coordinates.view(), term, tile, variant);
            GuardedMatrix<double> second = sumTile(*engine_, coordinates.view(), term, tile, variant);
            for (std::size_t i = 0; i < 100; ++i)
                EXPECT_TRUE(std::equal(first.view().row(i), first.view().row(i) + 100, second.view().row(i)))
                    << toString(variant);
        }
}

TEST_P(DistanceBackends, StopWhenCancelledAndGoOn) {
    const PairTile whole = wholeTile(200);
    const SymbolMatrix source = makeSymbols(kGenotypes, 200, 2000, false);
    CountedPairs& expectedCounts = countOnce(source);
    for (const Variant variant : counting()) {
        SCOPED_TRACE(toString(variant));
        if (!takes({.variant = variant, .shape = source.shape()})) continue;
        const auto run = engine_->startCounting(source, {}, variant);
        CountedPairs counted(whole, {});
        const auto count = [&](Progress& progress) { run->count(whole, counted.views(), progress); };
        glycine::test::expectStops({0, 1}, count);
        // cuda does much work between two checks.
        if (GetParam().backend != "cuda") glycine::test::expectStops({2, 3}, count);
        EXPECT_TRUE(countTile(*run, source, whole, {}).agreesWith(expectedCounts));
        EXPECT_GT(run->times().compute, 0);
    }
    const Matrix<float> coordinates = randomCoordinates(200, 100, 1);
    const SumTerm term = SumTerm::AbsoluteDifference;
    const auto stop = [&](const CoordinateView& numbers, Variant variant) {
        SCOPED_TRACE(toString(variant));
        const auto run = engine_->startSumming(numbers, term, variant);
        Matrix<double> sums(200, 200);
        glycine::test::expectStops({GetParam().isHost() ? 3 : 0},
                                   [&](Progress& progress) { run->sum(whole, sums.view(), progress); });
    };
    for (const Variant variant : summing()) stop(coordinates.view(), variant);
    const Matrix<double> wide = widened(coordinates);
    for (const Variant variant : summing<double>()) stop(wide.view(), variant);
    expectSums(coordinates, {whole});
}

TEST_P(DistanceBackends, ChooseAVariantOfTheirOwn) {
    const SymbolMatrix source = makeSymbols({4, 2}, 30, 100, true);
    const auto run = engine_->startCounting(source, {}, Variant::Default);
    EXPECT_THAT(counting(false), Contains(run->variant()));
    CountedPairs& expected = countOnce(source);
    EXPECT_TRUE(countTile(*run, source, wholeTile(30), {}).agreesWith(expected));
    const Matrix<float> coordinates = randomCoordinates(5, 10, 1);
    EXPECT_THAT(
        summing(false),
        Contains(engine_->startSumming(coordinates.view(), kSumTerms[0], Variant::Default)->variant()));
}

TEST_P(DistanceBackends, RefuseWithAReason) {
    const auto reason = [&](const PairRequest& request) { return engine_->supports(request).reason(); };
    for (const bool isCoordinates : {false, true}) EXPECT_EQ(reason({.isCoordinates = isCoordinates}), "");
    std::vector<std::string> own;
    for (const VariantInfo& info : entry_->variants) own.push_back(info.name);
    for (const std::string& name : own) {
        const Variant variant = fromString<Variant>(name);
        const auto isAmong = [&](const std::vector<Variant>& all) {
            return std::find(all.begin(), all.end(), variant) != all.end();
        };
        const bool counts = isAmong(counting(false));
        const bool sums = isAmong(summing(false));
        if (!counts && !sums) {
            EXPECT_THAT(reason({.variant = variant}), HasSubstr("OpenGL 2.1")) << name;
        } else if (counts != sums) {
            EXPECT_THAT(reason({.variant = variant, .isCoordinates = counts}),
                        AllOf(HasSubstr("symbols"), HasSubstr("coordinates")))
                << name;
        }
    }
    EXPECT_THAT(reason({.shape = {.attributes = std::size_t{1} << 32}}), HasSubstr("32 bits wide"));
    EXPECT_THAT(reason({.needs = {.opposite = true}}), HasSubstr("genotypes only"));
    EXPECT_EQ(reason({.isCoordinates = true, .precision = Precision::Float64}).empty(),
              !summing<double>().empty());
}

// Kinship is derived from two counting runs, one of which counts heterozygotes against genotypes.
TEST_P(DistanceBackends, CountWhatMakesKinship) {
    const auto source = randomGenotypes({.instances = 21, .attributes = 300, .missing = 0.1});
    Matrix<std::uint8_t> symbols(21, 300);
    source->readSymbols({0, 21}, {0, 300}, symbols.view());
    DataView data;
    data.discrete = source.get();
    for (const Variant variant : counting()) {
        SCOPED_TRACE(toString(variant));
        const CountNeeds needs{.opposite = true, .valid = true};
        const DiscreteShape hets = MarkedSource::shapeFor(source->shape());
        if (!takes({.variant = variant, .shape = source->shape(), .needs = needs}) ||
            !takes({.variant = variant, .shape = hets, .needs = {.valid = true}}))
            continue;
        const auto run =
            startValues(*engine_, data, {.measure = Measure::King, .variant = variant}, silentProgress());
        for (const PairTile& tile : thirdsOf(21)) {
            Matrix<double> values(tile.rows.size(), tile.columns.size());
            const MatrixView<double> view = values.view();
            run->compute(tile, {&view, 1}, silentProgress());
            for (std::size_t r = 0; r < tile.rows.size(); ++r)
                for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
                    const std::uint8_t* a = symbols.row(tile.rows.begin + r);
                    const std::uint8_t* b = symbols.row(tile.columns.begin + c);
                    int squares = 0, ofRow = 0, ofColumn = 0;
                    for (std::size_t k = 0; k < 300; ++k)
                        if (a[k] != kMissingSymbol && b[k] != kMissingSymbol) {
                            squares += (a[k] - b[k]) * (a[k] - b[k]);
                            ofRow += a[k] == 1;
                            ofColumn += b[k] == 1;
                        }
                    ASSERT_EQ(values(r, c), 0.5 - squares / (4.0 * std::min(ofRow, ofColumn)));
                }
        }
    }
}

// Relationships are derived from squared differences of standardised genotypes.
TEST_P(DistanceBackends, RelateGenotypes) {
    const auto source = randomGenotypes({.instances = 21, .attributes = 300, .missing = 0.1});
    DataView data;
    data.discrete = source.get();
    const auto reference = BackendRegistry::instance().create("reference", {});
    const auto plain = createImplementation<DistanceEngine>(*reference);
    const DistanceOptions options{.measure = Measure::Grm};
    if (!takes(distance::requestFor(data, {.valid = true}, Variant::Default))) return;
    const auto expected = startValues(*plain, data, options, silentProgress());
    const auto run = startValues(*engine_, data, options, silentProgress());
    const bool isDouble = precisionOf(*engine_, data, options) == Precision::Float64;
    for (const PairTile& tile : thirdsOf(21)) {
        Matrix<double> found(tile.rows.size(), tile.columns.size()), wanted(found.rows(), found.columns());
        const MatrixView<double> views[] = {found.view(), wanted.view()};
        run->compute(tile, {views, 1}, silentProgress());
        expected->compute(tile, {views + 1, 1}, silentProgress());
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
                ASSERT_NEAR(found(r, c), wanted(r, c), isDouble ? 1e-13 : 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(All, DistanceBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);

/// Small textures, very short draws, memory for only a part of the data or of the result.
class SmallDistanceBackends : public DistanceBackends {};

TEST_P(SmallDistanceBackends, CountAndSumPieceByPiece) {
    const SymbolMatrix source = makeSymbols(kGenotypes, 133, 2500, true);
    if (GetParam().name == "gl_little_memory") {
        for (const Variant variant : counting()) {
            const PairRequest whole{.variant = variant, .shape = source.shape(), .needs = {true, true}};
            EXPECT_LT(engine_->preferredTile(whole), 133U) << toString(variant);
        }
    }
    expectCounts(source, halvesOf(133), {{}, {true, true}});
    expectSums(randomCoordinates(133, 700, 9));
    if (GetParam().backend == "cuda")
        expectCounts(makeSymbols(kGenotypes, 700, 2000, true), tilesBelowDiagonal(700, 525), {{false, true}});
}

INSTANTIATE_TEST_SUITE_P(All, SmallDistanceBackends,
                         testing::ValuesIn(glycine::test::smallSettings(64, std::size_t{32} << 10,
                                                                        std::size_t{6} << 20, 1e-3)),
                         glycine::test::nameOf);

// ---- Checks of tests/backends/limits.hpp for `distance`: few instances and attributes, all numbers of
// planes, the largest tile.

class DistanceLimits : public DistanceBackends {
  protected:
    bool mayRefuse(const PairRequest&) const override { return GetParam().backend == "cuda" || isSmall(); }
    void count(const SymbolMatrix& source, const std::vector<PairTile>& tiles) {
        expectCounts(source, tiles, {{source.shape().isGenotypes, true}});
    }
};

Matrix<float> coordinatesOf(std::size_t instances, std::size_t attributes) {
    Matrix<float> result(instances, attributes);
    for (std::size_t i = 0; i < result.size(); ++i)
        result.data()[i] = static_cast<float>(i * 7919 % 1009) / 8;
    return result;
}

TEST_P(DistanceLimits, FewInstancesAndAttributes) {
    for (const std::size_t instances : {1, 2, 3})
        for (const std::size_t attributes : sweep({1, 2, 127, 128, 129}, {1, 129})) {
            for (const std::size_t planesOfSymbols : sweep({1, 2, 3, 4, 5, 6, 7, 8}, {1, 8})) {
                const auto planes = static_cast<unsigned>(planesOfSymbols);
                // The most symbols for this number of planes, without kMissingSymbol.
                const unsigned symbols = std::min(1U << planes, 255U);
                for (const bool hasMissing : {false, true})
                    count(makeSymbols({symbols, planes}, instances, attributes, hasMissing),
                          halvesOf(instances));
            }
            count(makeSymbols(kGenotypes, instances, attributes, true), halvesOf(instances));
            expectSums(coordinatesOf(instances, attributes), halvesOf(instances));
            if (HasFatalFailure()) return;
        }
}

// The largest tile that a variant prefers, and one instance more.
TEST_P(DistanceLimits, LargestTile) {
    constexpr std::size_t kMany = 100'000;
    const std::size_t most = isFast() ? 8192 : isSmall() ? 600 : 300;
    std::set<std::size_t> sides;
    for (const Variant variant : variantsOf<Variant>("counts")) {
        const PairRequest request{.variant = variant,
                                  .shape = {.instances = kMany, .attributes = 2, .planes = 2}};
        if (takes(request)) sides.insert(engine_->preferredTile(request));
    }
    for (const std::size_t side : sides) {
        if (side > most) continue;
        count(makeSymbols(kGenotypes, side + 1, 2, true),
              {{{0, side}, {0, side}}, {{side, side + 1}, {0, side}}});
        expectSums(coordinatesOf(side + 1, 2), {{{0, side}, {0, side}}, {{side, side + 1}, {0, side}}});
        if (HasFatalFailure()) return;
    }
}

TEST_P(DistanceLimits, MoreAttributesThanCountersHold) {
    const DiscreteShape shape{.instances = 2, .attributes = std::size_t{1} << 32, .planes = 1};
    for (const Variant variant : variantsOf<Variant>("counts"))
        if (GetParam().backend != "cpu" && GetParam().backend != "reference")
            glycine::test::expectRefusal(engine_->supports({.variant = variant, .shape = shape}),
                                         shape.attributes);
}
INSTANTIATE_TEST_SUITE_P(All, DistanceLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::distance
