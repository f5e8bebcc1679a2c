#include "engine/distance/recount_distances.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/measures.hpp"

namespace glycine::distance {

namespace {

/// A source with some of its instances in memory. They are read together: in a .bed file, the attributes of
/// an instance lie on as many pages.
class GatheredInstances final : public DiscreteSource {
  public:
    explicit GatheredInstances(const DiscreteSource& source) : source_(source) {}

    /// Reads the instances of these pairs on all threads, and forgets others.
    void gather(std::span<const std::size_t> pairs) {
        instances_.clear();
        for (const std::size_t number : pairs) {
            const PairTile pair = pairs::pairNumber(number);
            instances_.push_back(pair.rows.begin);
            instances_.push_back(pair.columns.begin);
        }
        std::ranges::sort(instances_);
        instances_.erase(std::unique(instances_.begin(), instances_.end()), instances_.end());
        const std::size_t attributes = shape().attributes;
        symbols_ = Matrix<std::uint8_t>(instances_.size(), attributes);
        source_.readSymbolsOf(instances_, {0, attributes}, symbols_.view());
    }

    const DiscreteShape& shape() const override { return source_.shape(); }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        for (std::size_t i = 0; i < instances.size(); ++i) {
            const std::size_t instance = instances.begin + i;
            const auto found = std::ranges::lower_bound(instances_, instance);
            if (found == instances_.end() || *found != instance)
                source_.readSymbols({instance, instance + 1}, attributes,
                                    target.block(i, 0, 1, attributes.size()));
            else
                std::copy_n(
                    symbols_.row(static_cast<std::size_t>(found - instances_.begin())) + attributes.begin,
                    attributes.size(), target.row(i));
        }
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        return source_.readPlanes(instances, attributes);
    }
    std::vector<std::size_t> knownAttributes() const override { return source_.knownAttributes(); }

  private:
    const DiscreteSource& source_;
    std::vector<std::size_t> instances_;  ///< ascending
    Matrix<std::uint8_t> symbols_;
};

}  // namespace

RecountCost costOfRecount(const DataView& data, const DistanceOptions& options) {
    // Measured with the plain loops of the reference: 0.7 to 1.5 ns per attribute of two instances.
    constexpr double kSecondsPerAttribute = 1.5e-9;
    const double attributes = static_cast<double>(data.attributes());
    const bool hasWeights = !data.isCoordinates() && options.missing == MissingRule::Weighted &&
                            data.discrete->shape().hasMissing;
    const MeasureTraits& traits = traitsOf(options.measure);
    const bool dependsOnAll = hasWeights || options.measure == Measure::Grm ||
                              traits.divisor == Divisor::RowSums || traits.preparation != Preparation::None;
    const bool hasOverlap =
        !data.isCoordinates() && options.leastInCommon > 0 && data.discrete->shape().hasMissing;
    return {dependsOnAll ? static_cast<double>(data.instances()) * attributes * kSecondsPerAttribute : 0,
            (hasOverlap ? 4 : 2) * attributes * kSecondsPerAttribute};
}

void recountByReference(Backend& reference, const DataView& data, DistanceOptions options,
                        const DistanceReport& found, std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RecountedPair&)>& take) {
    const std::size_t leastInCommon =
        !data.isCoordinates() && data.discrete->shape().hasMissing ? options.leastInCommon : 0;
    options.variant = Variant::Default;
    options.kinships = nullptr;
    options.references = 0;
    options.precision.reset();
    // The overlap of each pair is counted separately, because the run would scan all data first.
    options.leastInCommon = 0;
    const auto engine = createImplementation<DistanceEngine>(reference);
    CountNeeds common;
    common.valid = true;
    struct Counter {
        std::unique_ptr<ValueRun> values;
        std::unique_ptr<CountingRun> overlap;
    };
    // Pairs are independent, but anything that depends on all data is prepared once.
    const bool isMadeOfAll = data.isCoordinates() || costOfRecount(data, options).fixed > 0;
    const std::size_t threads = isMadeOfAll ? 1 : static_cast<std::size_t>(omp_get_max_threads());
    std::vector<Counter> counters(std::min(threads, pairs.size()));
    DataView read = data;
    std::optional<GatheredInstances> gathered;
    if (!isMadeOfAll) read.discrete = &gathered.emplace(*data.discrete);
    for (Counter& counter : counters)
        counter = {
            startValues(*engine, read, options, progress),
            leastInCommon > 0 ? engine->startCounting(*read.discrete, common, Variant::Default) : nullptr};
    const double work = static_cast<double>(data.attributes());
    progress.begin("re-counting", static_cast<double>(pairs.size()) * work);
    // For relationships, the derived coordinates are rounded, too: by as much as one more term.
    const double relative =
        isSummed(options.measure) ? summationTolerance(data.attributes() + 1, found.precision) : 0;
    const auto countOne = [&](const PairTile& tile, Counter& counter) {
        Progress silent;
        double value = 0;
        const MatrixView<double> view(&value, 1, 1);
        counter.values->compute(tile, {&view, 1}, silent);
        if (counter.overlap) {
            std::uint32_t differing = 0, valid = 0;
            counter.overlap->count(tile, {{&differing, 1, 1}, {}, {&valid, 1, 1}}, silent);
            if (valid < leastInCommon) value = std::numeric_limits<double>::quiet_NaN();
        }
        const double ofRounding = data.isCoordinates() ? changeOf(options.measure, found.rounding, value) : 0;
        return RecountedPair{tile.rows.begin, tile.columns.begin, value,
                             relative * counter.values->magnitude(value) + ofRounding};
    };
    // More and more pairs at once, since the caller may stop after any.
    constexpr std::size_t kGatheredBytes = std::size_t{64} << 20, kMostAtOnce = 64;
    const std::size_t most = gathered ? std::clamp(kGatheredBytes / (2 * data.attributes()), counters.size(),
                                                   std::max(counters.size(), kMostAtOnce))
                                      : counters.size();
    std::vector<RecountedPair> counted(most);
    for (std::size_t begin = 0, atOnce = counters.size(); begin < pairs.size();) {
        progress.throwIfCancelled();
        const std::span<const std::size_t> some =
            pairs.subspan(begin, std::min(atOnce, pairs.size() - begin));
        if (gathered && 2 * some.size() * data.attributes() <= kGatheredBytes) gathered->gather(some);
        parallelFor(static_cast<int>(counters.size()), some.size(), [&](std::size_t k, std::size_t thread) {
            counted[k] = countOne(pairs::pairNumber(some[k]), counters[thread]);
        });
        progress.advance(static_cast<double>(some.size()) * work);
        for (std::size_t k = 0; k < some.size(); ++k)
            if (!take(counted[k])) return;
        begin += some.size();
        atOnce = std::min(2 * atOnce, most);
    }
}

}  // namespace glycine::distance
