#pragma once

#include <string>
#include <vector>

#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/watchdog.hpp"

namespace glycine::gl {

/// Lets the driver start compiling the programs of the tests below.
void beginSelfTests(ProgramCache& programs);

/// Renders known values to each kind of target that Glycine uses, reads them back, and fills
/// `capabilities.features`. A format that the driver accepts but rounds, clamps or drops counts as missing.
void proveRenderTargets(GlCapabilities& capabilities, TexturePool& pool, PassGeometry& geometry,
                        ProgramCache& programs);

/// Measures the loop limit; none if a loop of 2¹⁷ rounds completes. For dialects with integers.
LoopLimit measureLoopRounds(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);

/// How exactly one shader operation computes in float32, over a fixed set of inputs.
struct PrecisionResult {
    std::string operation;  ///< "a + b", "exp(a)"
    double largestError =
        0;  ///< relative, in units of 2⁻²⁴ (half a unit in the last place); absolute for log near 1
    bool isExact = false;  ///< every result is the correctly rounded one
};

/// Measures add, multiply, divide, exp and log on known inputs, compared with double precision.
std::vector<PrecisionResult> measurePrecision(TexturePool& pool, PassGeometry& geometry,
                                              ProgramCache& programs);

}  // namespace glycine::gl
