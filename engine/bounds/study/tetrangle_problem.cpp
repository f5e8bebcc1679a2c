#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/bounds/agreement.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/bounds/study/bounds_problem.hpp"
#include "engine/bounds/tetrangle.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::bounds {

namespace {

/// Bounds smoothed by the reference, its limits of them, and the bounds that these tighten.
struct Expected {
    AnyOwnedBounds smoothed;
    TetrangleLimits limits;
    AnyOwnedBounds tightened;
    double seconds;  ///< of the reference
};

AnyOwnedBounds tightened(AnyOwnedBounds& bounds, const TetrangleLimits& limits) {
    AnyOwnedBounds result = cloneBounds(viewBounds(bounds));
    tightenBy(limits, viewBounds(result));
    return result;
}

Expected expect(AnyOwnedBounds bounds) {
    const auto reference = BackendRegistry::instance().create("reference", {});
    const Stopwatch watch;
    smooth(*reference, viewBounds(bounds), {}, silentProgress());
    TetrangleLimits limits = findTetrangleLimits(*reference, viewBounds(bounds), silentProgress());
    const double seconds = watch.seconds();
    AnyOwnedBounds result = tightened(bounds, limits);
    return {std::move(bounds), std::move(limits), std::move(result), seconds};
}

Comparison compare(Expected& expected, const TetrangleLimits& found) {
    AnyOwnedBounds result = tightened(expected.smoothed, found);
    Comparison comparison = std::visit(
        [&]<class T>(const BoundMatrices<T>& bounds) {
            return compareBounds(bounds, std::get<BoundMatrices<T>>(viewBounds(result)),
                                 allowedTetrangleDifference(found.slack));
        },
        viewBounds(expected.tightened));
    if (isTighterAnywhere(found, expected.limits))
        comparison.fail("a limit that is tighter than the reference's");
    return comparison;
}

/// Limits do not depend on the variant that smooths: one for each backend, dialect and number format.
bool standsForBackend(const Configuration& configuration) {
    if (configuration.dialect == Dialect::Gl21) return configuration.variant == toString(Variant::Packed);
    return std::ranges::any_of(allVariants<SmoothingEngine>(), [&](const VariantInfo& info) {
        return info.isDefault && info.backend == configuration.backend && info.name == configuration.variant;
    });
}

}  // namespace

std::unique_ptr<study::Problem> tetrangleProblem(std::string name, std::size_t atoms,
                                                 std::function<AnyOwnedBounds(NumberFormat)> makeInput) {
    const auto all = std::make_shared<std::map<std::string, Expected>>();
    const auto start = [all, makeInput](Backend& backend, const Configuration& configuration) {
        const std::string& format = configuration.numberFormat;
        auto one = all->find(format);
        if (one == all->end())
            one = all->emplace(format, expect(makeInput(fromString<NumberFormat>(format)))).first;
        const auto found = std::make_shared<std::optional<TetrangleLimits>>();
        return study::CallbackComputation{
            [&backend, found, variant = configuration.variant, &expected = one->second](Progress& progress) {
                const Stopwatch watch;
                *found = findTetrangleLimits(backend, viewBounds(expected.smoothed), progress);
                return study::Outcome{variant, {}, watch.seconds(), 0, (*found)->note};
            },
            // value(): a second check without a run throws.
            [found, &expected = one->second](Progress&) {
                Comparison comparison = compare(expected, found->value());
                found->reset();
                return comparison;
            }};
    };
    const auto supports = [atoms](Backend& backend, const Configuration& configuration) {
        return supportsRequest(backend, {.variant = fromString<Variant>(configuration.variant),
                                         .format = fromString<NumberFormat>(configuration.numberFormat),
                                         .atoms = atoms,
                                         .tetrangles = true});
    };
    return study::problemOf({.name = std::move(name),
                             .dimensions = {{"atoms", atoms}},
                             .supports = supports,
                             .start = start,
                             .concerns = standsForBackend,
                             .referenceSeconds = [all] {
                                 double seconds = 0;
                                 for (const auto& [format, one] : *all) seconds += one.seconds;
                                 return seconds;
                             }});
}

}  // namespace glycine::bounds
