#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/process_team.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo {

double perBit(Unit unit) {
    return unit == Unit::Bits ? 1 : std::log(2.0);
}

double allowedDifference(WeightPrecision precision) {
    switch (precision) {
        case WeightPrecision::Float64:
            return 1e-12;
        case WeightPrecision::Float32:
            return 1e-5;
        default:
            return 5e-4;
    }
}

namespace {

/// H(X) in bits from the sums of the samples' weights in each bin.
double entropyOf(std::span<const double> sums, double samples) {
    double entropy = 0;
    for (const double sum : sums)
        if (sum > 0) entropy -= sum / samples * std::log2(sum / samples);
    return entropy;
}

/// H(X) in bits of a gene's values.
double entropyOf(const GenePositions& gene, const SplineBasis& basis) {
    if (gene.isConstant || gene.isEmpty) return 0;
    std::vector<double> sums(basis.bins());
    std::vector<double> weights(basis.order());
    double samples = 0;
    for (const double z : gene.z) {
        if (std::isnan(z)) continue;
        const std::size_t first = basis.evaluate(z, weights.data());
        for (std::size_t i = 0; i < weights.size(); ++i) sums[first + i] += weights[i];
        samples += 1;
    }
    return entropyOf(sums, samples);
}

/// The genes that this process reads if a team shares them; null: all.
Range ownGenes(ExpressionView expression, const ProcessTeam* team) {
    return team != nullptr ? ownPart(*team, expression.rows()) : Range{0, expression.rows()};
}

}  // namespace

void checkExpression(ExpressionView expression, const ProcessTeam* team) {
    if (expression.empty())
        throw InputError(fmt::format("the data are {} genes × {} samples; expected at least one of each",
                                     expression.rows(), expression.columns()));
    checkView("the expression values", expression);
    const Range own = ownGenes(expression, team);
    const ExpressionView genes = expression.block(own.begin, 0, own.size(), expression.columns());
    if (const auto place = firstRefused(genes, [](double value) { return !std::isinf(value); }))
        throw InputError(
            fmt::format("gene {}, sample {}: the value is {}; expected a finite number, or NaN for missing",
                        own.begin + place->row + 1, place->column + 1, genes(place->row, place->column)));
}

void checkInformation(ExpressionView expression, const MutualInformationOptions& options) {
    checkSplines(withImplied(options.splines));
    checkKnown(options.unit);
    checkKnown(options.precision);
    checkKnown(options.variant);
    if (options.onDevice == nullptr) checkExpression(expression, teamAtWork());
}

GeneSummary summarizeGenes(ExpressionView expression, const SplineOptions& splines, Unit unit,
                           Progress& progress, ProcessTeam* team) {
    checkSplines(withImplied(splines));
    checkKnown(unit);
    checkExpression(expression, team);
    const bool areCorrelations = isCorrelation(splines.estimator);
    const SplineBasis basis(areCorrelations ? SplineOptions{} : withImplied(splines));
    enum class Kind : std::uint8_t { Usual, Constant, Empty };
    std::vector<Kind> kinds(expression.rows());
    GeneSummary summary{.entropies = std::vector<double>(expression.rows()), .constant = {}, .empty = {}};
    const auto work = static_cast<double>(expression.columns());
    const Range own = ownGenes(expression, team);
    progress.begin(areCorrelations ? "constant genes" : "entropies", static_cast<double>(own.size()) * work);
    std::vector<PositionFinder> finders(static_cast<std::size_t>(omp_get_max_threads()),
                                        PositionFinder(basis.intervals(), splines.transform));
    parallelFor(omp_get_max_threads(), own.size(), [&](std::size_t place, std::size_t thread) {
        const std::size_t g = own.begin + place;
        const GenePositions& gene = finders[thread].find({expression.row(g), expression.columns()});
        summary.entropies[g] = !areCorrelations                  ? entropyOf(gene, basis) * perBit(unit)
                               : gene.isConstant || gene.isEmpty ? 0
                                                                 : 1;
        kinds[g] = gene.isEmpty ? Kind::Empty : gene.isConstant ? Kind::Constant : Kind::Usual;
        progress.advance(work);
    });
    if (team != nullptr) {
        completeParts(*team, std::as_writable_bytes(std::span(summary.entropies)), expression.rows());
        completeParts(*team, std::as_writable_bytes(std::span(kinds)), expression.rows());
    }
    for (std::size_t g = 0; g < kinds.size(); ++g) {
        if (kinds[g] == Kind::Constant) summary.constant.push_back(g);
        if (kinds[g] == Kind::Empty) summary.empty.push_back(g);
    }
    return summary;
}

std::optional<GeneSummary> summarizeOnDevice(Backend& backend, const DeviceMatrix& values,
                                             const SplineOptions& splines, Unit unit) {
    if (isCorrelation(splines.estimator) || splines.transform != Transform::None) return std::nullopt;
    const std::optional<Matrix<double>> sums =
        createInformationEngine(backend)->sumWeights(values, withImplied(splines));
    if (!sums) return std::nullopt;
    GeneSummary summary;
    for (std::size_t g = 0; g < sums->rows(); ++g) {
        const std::span<const double> bins(sums->row(g), sums->columns());
        if (std::ranges::all_of(bins, [](double sum) { return sum == 0; })) summary.constant.push_back(g);
        summary.entropies.push_back(entropyOf(bins, static_cast<double>(values.columns)) * perBit(unit));
    }
    return summary;
}

WeightPrecision defaultPrecision(const Backend& backend) {
    const auto* entry = findImplementation<InformationEngine>(backend);
    if (entry == nullptr) return WeightPrecision::Float64;
    const std::string_view wide = toString(WeightPrecision::Float64);
    for (const VariantInfo& variant : entry->variants)
        for (const std::string& format : variant.numberFormats)
            if (format == wide) return WeightPrecision::Float64;
    return WeightPrecision::Float32;
}

std::size_t tileSide(Backend& backend, const InformationRequest& request) {
    const std::size_t preferred =
        createInformationEngine(backend, request.splines.estimator)->preferredTile(request);
    return std::clamp<std::size_t>(pairs::sharedSide(backend, request.genes, preferred), 1,
                                   std::max<std::size_t>(request.genes, 1));
}

std::size_t tileSide(Backend& backend, ExpressionView expression, const MutualInformationOptions& options) {
    if (options.tile == 0) return tileSide(backend, requestFor(expression, options));
    return std::clamp<std::size_t>(options.tile, 1, std::max<std::size_t>(expression.rows(), 1));
}

Support supportsMutualInformation(Backend& backend, ExpressionView expression,
                                  const MutualInformationOptions& options) {
    return supportsRequest(backend, requestFor(expression, options));
}

MutualInformationReport computeMutualInformation(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 pairs::PairSink& sink, Progress& progress) {
    checkInformation(expression, options);
    // Work outside the backend must not use more threads than the backend may.
    const ThreadsOf threads(backend);
    const InformationRequest request = requestFor(expression, options);
    std::shared_ptr<InformationRun> first;
    const bool areCorrelations = isCorrelation(options.splines.estimator);
    const double unit = areCorrelations ? 1 : perBit(options.unit);
    const std::size_t side = tileSide(backend, expression, options);
    const auto toUnit = [unit](const pairs::TileWork& work) {
        parallelFor(omp_get_max_threads(), work.values.rows(), [&](std::size_t r, std::size_t) {
            for (std::size_t c = 0; c < work.values.columns(); ++c) work.values(r, c) *= unit;
        });
    };
    const pairs::TileCount count = pairs::computeTiles(
        {.instances = expression.rows(),
         .side = side,
         .stage = areCorrelations ? "correlations" : "mutual information",
         .workPerPair = static_cast<double>(expression.columns()),
         .sets = pairs::tileSets(backend, expression.rows(), side)},
        sink, progress, backend, [&](Backend& device) {
            const std::shared_ptr<InformationEngine> engine =
                createInformationEngine(device, options.splines.estimator);
            if (const Support support = engine->supports(request); !support)
                throw UnavailableError(support.reason());
            const std::shared_ptr<InformationRun> run = engine->start(expression, request);
            if (&device == &backend) {
                first = run;
                if (ProcessTeam* const team = teamAtWork()) run->beginShared(*team, side);
            }
            return pairs::TileSteps{
                .compute =
                    [engine, run, &progress](const pairs::TileWork& work) {
                        run->compute(work.tile, {&work.values, 1}, progress);
                    },
                .finish = unit == 1 ? nullptr : std::function<void(const pairs::TileWork&)>(toUnit),
                .keep =
                    [run, unit, &progress](const pairs::PairTile& tile, pairs::DeviceStore& store) {
                        return run->keep(tile, store, {.factor = unit}, progress);
                    }};
        });
    return {{backend, *first, count}, expression.rows(), expression.columns()};
}

}  // namespace glycine::mutualinfo
