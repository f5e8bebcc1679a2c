#include "engine/algorithms/crossapen/match_engine.hpp"

#include <fmt/format.h>

#include "engine/core/names.hpp"

namespace glycine::crossapen {

namespace {

constexpr NameTable<NumberFormat, 2> kFormats{
    {{NumberFormat::Float32, "float32"}, {NumberFormat::Float64, "float64"}}};

constexpr NameTable<Variant, 13> kVariants{{
    {Variant::Default, "default"},
    {Variant::Serial, "serial"},
    {Variant::Merged, "merged"},
    {Variant::Pruned, "pruned"},
    {Variant::Scalar, "scalar"},
    {Variant::Packed, "packed"},
    {Variant::Bitset, "bitset"},
    {Variant::Dominance, "dominance"},
    {Variant::Registers, "registers"},
    {Variant::Halo, "halo"},
    {Variant::Shifted, "shifted"},
    {Variant::Diagonal, "diagonal"},
    {Variant::Membership, "membership"},
}};

}  // namespace

std::string_view toString(NumberFormat format) {
    return nameOf(format, kFormats);
}
NumberFormat parseNumberFormat(std::string_view name) {
    return valueOf("number format", name, kFormats);
}
std::string_view toString(Variant variant) {
    return nameOf(variant, kVariants);
}
Variant parseVariant(std::string_view name) {
    return valueOf("variant", name, kVariants);
}

Support supportsShape(const MatchRequest& request) {
    if (request.rule.m == 0) return Support::no("templates have at least one sample: m ≥ 1");
    if (request.samples == 0) return Support::yes();
    if (!isLongEnough(request.samples, request.rule.m))
        return Support::no(fmt::format("epochs of {} samples are too short for m = {}: it takes m + 2 = {}",
                                       request.samples, request.rule.m, std::size_t{request.rule.m} + 2));
    if (request.samples > kMaximumSamples)
        return Support::no(
            fmt::format("epochs of {} samples are too long: {} at most", request.samples, kMaximumSamples));
    return Support::yes();
}

const std::vector<MatcherEntry>& matcherEntries() {
    static const std::vector<MatcherEntry> entries = [] {
        std::vector<MatcherEntry> all{referenceMatcher(), cpuMatcher(), glMatcher()};
#ifdef GLYCINE_HAVE_CUDA
        all.push_back(cudaMatcher());
#endif
        return all;
    }();
    return entries;
}

}  // namespace glycine::crossapen
