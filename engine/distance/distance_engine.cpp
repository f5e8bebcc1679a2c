#include "engine/distance/distance_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/configuration.hpp"

namespace glycine::distance {

PairRequest requestFor(const DataView& data, CountNeeds needs, Variant variant, Precision precision) {
    if (data.isCoordinates())
        return {.variant = variant,
                .isCoordinates = true,
                .shape = {.instances = data.instances(), .attributes = data.attributes()},
                .precision = precision};
    return {.variant = variant, .shape = data.discrete->shape(), .needs = needs};
}

Support supportsRequest(Backend& backend, const PairRequest& request) {
    return glycine::supportsRequest<DistanceEngine>(backend, request);
}

Precision precisionOf(const DistanceEngine& engine, const DataView& data, const DistanceOptions& options) {
    const bool isGrm = options.measure == Measure::Grm;
    if (!data.isCoordinates() && !isGrm) return Precision::Float32;
    const PairRequest wide{
        .variant = options.variant, .isCoordinates = true, .precision = Precision::Float64};
    const bool isWide = isGrm || data.coordinates.precision() == Precision::Float64;
    const Precision usual = isWide && engine.supports(wide) ? Precision::Float64 : Precision::Float32;
    return engine.summingPrecision(options.precision.value_or(usual));
}

Support supportsData(Backend& backend, const DataView& data, CountNeeds needs,
                     const DistanceOptions& options) {
    if (findImplementation<DistanceEngine>(backend) == nullptr) return supportsRequest(backend, {});
    const std::unique_ptr<DistanceEngine> engine = createImplementation<DistanceEngine>(backend);
    return engine->supports(requestFor(data, needs, options.variant, precisionOf(*engine, data, options)));
}

Support supportsCounts(const PairRequest& request) {
    if (request.isCoordinates) return Support::yes();
    const DiscreteShape& shape = request.shape;
    constexpr std::size_t kMaxAttributes = std::numeric_limits<std::uint32_t>::max();
    if (shape.attributes > kMaxAttributes)
        return Support::no(fmt::format("counts are 32 bits wide: at most {} attributes; the data have {}",
                                       kMaxAttributes, shape.attributes));
    if (request.needs.opposite && !shape.isGenotypes)
        return Support::no("opposite homozygotes are counted among genotypes only");
    return Support::yes();
}

void repairSums(CoordinateView view, SumTerm term, const PairTile& tile, MatrixView<double> sums) {
    const std::size_t attributes = view.columns();
    const double smallest = withTerm(term, [=](auto operation) { return operation.leastSum(attributes); });
    const auto rows = static_cast<std::ptrdiff_t>(sums.rows());
    const auto isLost = [=](double sum) { return !(sum >= smallest && std::isfinite(sum)); };
    // The sums of a device may not require its coordinates on the host.
    if (view.device() != nullptr) {
        bool isAny = false;
        for (std::size_t i = 0; i < sums.rows() && !isAny; ++i)
            isAny = std::any_of(sums.row(i), sums.row(i) + tile.columnsOf(i), isLost);
        if (!isAny) return;
    }
    const CoordinateRows<float> coordinates = view.as<float>();
#pragma omp parallel for schedule(dynamic, 16) if (sums.rows() * sums.columns() > 100000)
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
        const auto i = static_cast<std::size_t>(r);
        const float* row = coordinates.row(tile.rows.begin + i);
        for (std::size_t j = 0; j < tile.columnsOf(i); ++j) {
            if (!isLost(sums(i, j))) continue;
            const float* column = coordinates.row(tile.columns.begin + j);
            // Equal rows have the sum 0 in any case.
            if (!std::equal(row, row + attributes, column))
                sums(i, j) = sumOfTerms(row, column, attributes, term);
        }
    }
}

const Algorithm& algorithm() {
    static const Algorithm algorithm(
        "distance", "Compute the distances between all pairs of genotypes, aligned sequences or coordinates",
        "N. A. Sinnott-Armstrong et al., Exploiting Graphics Processing Units for Computational Biology and "
        "Bioinformatics, Interdisciplinary Sciences 2 (2010)",
        [] { return allVariants<DistanceEngine>(); },
        [](Backend& backend, const Configuration& configuration, const Dimensions& dimensions) {
            PairRequest request;
            if (!configuration.variant.empty()) request.variant = fromString<Variant>(configuration.variant);
            request.shape = {.instances = dimension(dimensions, "instances"),
                             .attributes = dimension(dimensions, "attributes"),
                             .isGenotypes = true};
            const Support counts = supportsRequest(backend, request);
            if (configuration.numberFormat.empty() ? bool(counts) : configuration.numberFormat == "counts")
                return counts;
            // A variant may support only coordinates.
            request.isCoordinates = true;
            if (configuration.numberFormat == toString(Precision::Float64))
                request.precision = Precision::Float64;
            const Support sums = supportsRequest(backend, request);
            return sums || !configuration.numberFormat.empty() ? sums : counts;
        });
    return algorithm;
}

ImplementationList<DistanceEngine>& DistanceEngine::implementations() {
    static ImplementationList<DistanceEngine> all{reference::engine(), cpu::engine()};
    return all;
}

}  // namespace glycine::distance
