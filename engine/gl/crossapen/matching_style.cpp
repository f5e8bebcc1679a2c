#include "engine/gl/crossapen/matching_style.hpp"

#include <string>

#include "engine/gl/crossapen/match_plan.hpp"

namespace glycine::crossapen::gl {

MatchingStyle bestStyle(const glycine::gl::GlCapabilities& capabilities) {
    return {capabilities.features.bitCount, capabilities.bugs.slowBitCount, capabilities.bugs.slowTexelFetch};
}

const char* matchingShader(Variant variant) {
    switch (variant) {
        case Variant::Scalar:
            return "crossapen/match_scalar.frag";
        case Variant::Packed:
            return "crossapen/match_packed.frag";
        case Variant::Bitset:
            return "crossapen/match_bitset.frag";
        default:
            return "crossapen/match_dominance.frag";
    }
}

glycine::gl::ShaderDefines matchingDefines(Variant variant, unsigned m, int rowBits,
                                           const MatchingStyle& style) {
    glycine::gl::ShaderDefines result{
        {"UNSIGNED", ""}, {"OUTPUTS", "2"}, {"ROW_BITS", std::to_string(rowBits)}};
    if (variant == Variant::Dominance)
        result.push_back({"TEMPLATES", std::to_string(kTemplatesPerSearch)});
    else
        result.push_back({"M", std::to_string(m)});
    if (variant == Variant::Bitset) result.push_back({"TEMPLATES", std::to_string(kTemplatesPerSets)});
    const bool counts = variant == Variant::Dominance || variant == Variant::Bitset;
    if (counts && style.bitCount) result.push_back({"BIT_COUNT", ""});
    if (variant == Variant::Bitset && style.carrySave) result.push_back({"CARRY_SAVE", ""});
    if (style.normalised) result.push_back({"NORMALISED", ""});
    return result;
}

}  // namespace glycine::crossapen::gl
