#include "engine/crossapen/entropy_request.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/crossapen/pair_entropies.hpp"

namespace glycine::crossapen {

void applyDefaults(EntropyOptions& options, const GivenOptions& given, std::optional<NumberFormat> format) {
    const bool isPaper = options.convention == Convention::Paper;
    const bool isFuzzy = options.measure == Measure::CrossFuzzyEn;
    const bool isApproximate = options.measure == Measure::CrossApEn || options.measure == Measure::ApEn;
    if (given.bias && !(isApproximate && isPaper))
        throw UsageError("--bias is for crossapen and apen in the paper's convention");
    if (given.fuzzyPower && !isFuzzy) throw UsageError("--n is the power in the memberships of crossfuzzyen");
    if (given.deviation && (options.isAbsolute || !isPaper))
        throw UsageError(
            "--sd chooses the normalisation, and --absolute and the convention 'entropyhub' have none");
    if (given.isAbsolute && !isPaper && isFuzzy)
        throw UsageError(
            "--absolute: crossfuzzyen in the convention 'entropyhub' takes --r in the unit of the signals "
            "anyway");
    const bool isDispersion = options.measure == Measure::DispEn;
    if (given.classes && !isDispersion) throw UsageError("--classes is the number of classes of dispen");
    if (isOfPatterns(options.measure)) {
        if (given.tolerance || (given.deviation && !isDispersion) || format == NumberFormat::Float32)
            throw UsageError(fmt::format(
                "{} counts patterns of samples as they are: it takes neither --r nor {}",
                toString(options.measure), isDispersion ? "--format float32" : "--sd nor --format float32"));
        if (!given.m) options.rule.m = isDispersion ? 2 : PatternRule{}.m;
        options.format = NumberFormat::Float64;
        return;
    }
    if (isFuzzy && !given.m) options.rule.m = FuzzyRule{}.m;
    options.format = format.value_or(isPaper ? NumberFormat::Float32 : NumberFormat::Float64);
}

}  // namespace glycine::crossapen
