#include "engine/distance/recount_distances.hpp"

#include <omp.h>

#include <atomic>
#include <cmath>
#include <random>

#include "engine/distance/input/genotype_source.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

/// Counts how often an instance is read, and by how many attributes.
class WatchedSource final : public DiscreteSource {
  public:
    explicit WatchedSource(const DiscreteSource& source) : source_(source) {}
    const DiscreteShape& shape() const override { return source_.shape(); }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        read_ += instances.size() * attributes.size();
        source_.readSymbols(instances, attributes, target);
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        return source_.readPlanes(instances, attributes);
    }
    std::size_t read() const { return read_; }

  private:
    const DiscreteSource& source_;
    mutable std::atomic<std::size_t> read_{0};
};

class RecountDistances : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (BackendRegistry::instance().entries().empty()) registerHostBackends();
    }
    /// The genotypes of samples in .bed layout, some of them missing.
    static GenotypeSource randomGenotypes(std::size_t samples, std::size_t variants) {
        io::PackedGenotypes genotypes;
        genotypes.samples = samples;
        genotypes.variants = variants;
        const auto bytes =
            std::make_shared<std::vector<std::uint8_t>>(genotypes.bytesPerVariant() * variants);
        std::mt19937 random(5);
        for (std::uint8_t& byte : *bytes) byte = static_cast<std::uint8_t>(random());
        genotypes.data = bytes->data();
        genotypes.storage = bytes;
        return GenotypeSource(genotypes);
    }
};

TEST_F(RecountDistances, EveryPairHasTheReferencesValue) {
    constexpr std::size_t kInstances = 33;
    const GenotypeSource genotypes = randomGenotypes(kInstances, 2500);
    const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
    std::vector<std::size_t> numbers(kInstances * (kInstances - 1) / 2);
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = k;
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(3));
    for (const DistanceOptions& options :
         {DistanceOptions{}, DistanceOptions{.measure = Measure::Allele, .missing = MissingRule::Flat},
          DistanceOptions{.measure = Measure::Proportion, .leastInCommon = 1400},
          DistanceOptions{.measure = Measure::Allele, .missing = MissingRule::Weighted}}) {
        const fixtures::Run whole = compute("reference", view(genotypes), options);
        std::size_t taken = 0;
        recountByReference(
            *reference, view(genotypes), options, whole.report, numbers, silentProgress(),
            [&](const RecountedPair& pair) {
                const pairs::PairTile tile = pairs::pairNumber(numbers[taken++]);
                EXPECT_EQ(pair.row, tile.rows.begin);
                EXPECT_EQ(pair.column, tile.columns.begin);
                const double value = whole(pair.row, pair.column);
                EXPECT_TRUE(pair.value == value || (std::isnan(pair.value) && std::isnan(value)))
                    << pair.value << ' ' << value;
                return true;
            });
        EXPECT_EQ(taken, numbers.size());
    }
}

TEST_F(RecountDistances, ReadsFewPairsMoreThanTheCallerTakes) {
    const GenotypeSource genotypes = randomGenotypes(400, 300);
    const WatchedSource watched(genotypes);
    const std::unique_ptr<Backend> reference = BackendRegistry::instance().create("reference", {});
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < 5000; ++k) numbers.push_back(15 * k);
    const std::size_t before = watched.read();
    std::size_t taken = 0;
    recountByReference(*reference, view(watched), {}, {}, numbers, silentProgress(),
                       [&](const RecountedPair&) { return ++taken < 10; });
    EXPECT_EQ(taken, 10U);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    EXPECT_LE(watched.read() - before, (2 * 10 + threads) * 2 * 2 * 300U);
}

}  // namespace
}  // namespace glycine::distance
