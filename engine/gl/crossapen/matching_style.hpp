#pragma once

#include "engine/crossapen/entropy_engine.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/shader_source.hpp"

namespace glycine::crossapen::gl {

/// What the shaders are made for; the matches are the same in any style.
struct MatchingStyle {
    bool bitCount = false;    ///< the instruction, else parallel sums
    bool carrySave = false;   ///< GlBugs::slowBitCount
    bool normalised = false;  ///< GlBugs::slowTexelFetch
};
MatchingStyle bestStyle(const glycine::gl::GlCapabilities& capabilities);

/// The fragment shader of a variant, and what it is compiled with. `variant`: not Default.
const char* matchingShader(Variant variant);
glycine::gl::ShaderDefines matchingDefines(Variant variant, unsigned m, int rowBits,
                                           const MatchingStyle& style);

}  // namespace glycine::crossapen::gl
