#include "engine/algorithms/distance/distance.hpp"

#include <fmt/format.h>

#include "engine/algorithms/distance/discrete_data.hpp"
#include "engine/core/names.hpp"

namespace glycine::distance {

namespace {

constexpr NameTable<Measure, 9> kMeasures{{
    {Measure::Mismatch, "mismatch"},
    {Measure::Proportion, "proportion"},
    {Measure::Allele, "allele"},
    {Measure::Ibs, "ibs"},
    {Measure::OneMinusIbs, "1-ibs"},
    {Measure::Euclidean, "euclidean"},
    {Measure::SquaredEuclidean, "sqeuclidean"},
    {Measure::Manhattan, "manhattan"},
    {Measure::Correlation, "correlation"},
}};

constexpr NameTable<MissingRule, 4> kMissingRules{{{MissingRule::Ignore, "ignore"},
                                                   {MissingRule::Flat, "flat"},
                                                   {MissingRule::Weighted, "weighted"},
                                                   {MissingRule::Refuse, "refuse"}}};

constexpr NameTable<Variant, 15> kVariants{{
    {Variant::Default, "default"},
    {Variant::Serial, "serial"},
    {Variant::PaperLoop, "paper-loop"},
    {Variant::Bitplane, "bitplane"},
    {Variant::Direct, "direct"},
    {Variant::Scalar, "scalar"},
    {Variant::Packed, "packed"},
    {Variant::Bits, "bits"},
    {Variant::Naive, "naive"},
    {Variant::Coalesced, "coalesced"},
    {Variant::Char4, "char4"},
    {Variant::Register, "register"},
    {Variant::Shared, "shared"},
    {Variant::Tensor, "tensor"},
    {Variant::BitTensor, "bittensor"},
}};

}  // namespace

std::string_view toString(Measure measure) {
    return nameOf(measure, kMeasures);
}
Measure parseMeasure(std::string_view name) {
    return valueOf("measure", name, kMeasures);
}
std::string_view toString(MissingRule rule) {
    return nameOf(rule, kMissingRules);
}
MissingRule parseMissingRule(std::string_view name) {
    return valueOf("rule for missing entries", name, kMissingRules);
}
std::string_view toString(Variant variant) {
    return nameOf(variant, kVariants);
}
Variant parseVariant(std::string_view name) {
    return valueOf("variant", name, kVariants);
}

bool isForCoordinates(Measure measure) {
    return measure == Measure::Euclidean || measure == Measure::SquaredEuclidean ||
           measure == Measure::Manhattan || measure == Measure::Correlation;
}

bool isForGenotypes(Measure measure) {
    return measure == Measure::Allele || measure == Measure::Ibs || measure == Measure::OneMinusIbs;
}

MissingRule defaultMissingRule(Measure measure) {
    return isForGenotypes(measure) ? MissingRule::Weighted : MissingRule::Ignore;
}

std::size_t DataView::instances() const {
    return isCoordinates() ? coordinates.rows() : discrete->shape().instances;
}

std::size_t DataView::attributes() const {
    return isCoordinates() ? coordinates.columns() : discrete->shape().attributes;
}

void checkMeasure(const DataView& data, const DistanceOptions& options) {
    const std::string_view measure = toString(options.measure);
    if (data.isCoordinates() != isForCoordinates(options.measure))
        throw UsageError(data.isCoordinates()
                             ? fmt::format("the measure '{}' counts symbols, but the data are coordinates; "
                                           "for them: euclidean, sqeuclidean, manhattan, correlation",
                                           measure)
                             : fmt::format("the measure '{}' is for coordinates, but the data are symbols; "
                                           "for them: mismatch, proportion, and for genotypes allele, ibs, "
                                           "1-ibs",
                                           measure));
    if (data.isCoordinates()) return;
    if (isForGenotypes(options.measure) && !data.discrete->shape().isGenotypes)
        throw UsageError(fmt::format(
            "the measure '{}' counts alleles, but the data are no genotypes; use mismatch or proportion",
            measure));
    if (options.missing == MissingRule::Weighted && !isForGenotypes(options.measure))
        throw UsageError(fmt::format(
            "missing entries can be weighted for allele, ibs and 1-ibs, not for '{}'; use ignore or flat",
            measure));
}

double summationTolerance(std::size_t attributes) {
    return static_cast<double>(attributes + 3) * 0x1p-24;
}

}  // namespace glycine::distance
