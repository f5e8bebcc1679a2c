#include "engine/distance/recount_distances.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/measures.hpp"

namespace glycine::distance {

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
    const auto engine = createImplementation<PairEngine>(reference);
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
    for (Counter& counter : counters)
        counter = {
            startValues(*engine, data, options, progress),
            leastInCommon > 0 ? engine->startCounting(*data.discrete, common, Variant::Default) : nullptr};
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
    std::vector<RecountedPair> counted(counters.size());
    for (const Range& some : splitRange(pairs.size(), counters.size())) {
        progress.throwIfCancelled();
        parallelFor(static_cast<int>(counters.size()), some.size(), [&](std::size_t k, std::size_t thread) {
            counted[k] = countOne(pairs::pairNumber(pairs[some.begin + k]), counters[thread]);
        });
        progress.advance(static_cast<double>(some.size()) * work);
        for (std::size_t k = 0; k < some.size(); ++k)
            if (!take(counted[k])) return;
    }
}

}  // namespace glycine::distance
