#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "engine/core/backend.hpp"

namespace glycine::gl {

/// Limits set by the driver or the user.
struct GlLimits {
    int maxTextureSize = 0;        ///< texels per side
    int maxArrayLayers = 0;        ///< 0: no array textures
    int maxDrawBuffers = 1;        ///< render targets of one pass
    int maxUniformBlockBytes = 0;  ///< 0: no uniform blocks
    int uniformBufferAlignment = 256;
    std::size_t maxTextureBytes = 0;  ///< of one texture
    /// Largest integer up to which shaders count exactly: gl21 has floats only, hence 2^24.
    std::size_t largestInteger = std::numeric_limits<int>::max();
    std::size_t deviceBytes = 0;  ///< for all textures together
    /// Layers of an array texture that passes use as simultaneous render targets: 8, or 4 if the driver has
    /// fewer.
    int targetsAtOnce() const { return maxDrawBuffers >= 8 && maxArrayLayers >= 8 ? 8 : 4; }
};

/// Total iterations of all loops of a fragment, after which the driver silently ends them. Mesa's software
/// renderers stop at 65,535.
struct LoopLimit {
    int rounds = 0;  ///< 0: no limit found
    bool allows(std::size_t wanted) const {
        return rounds == 0 || wanted <= static_cast<std::size_t>(rounds);
    }
};

/// Capabilities of the driver. Float and integer targets are proved by rendering to them and reading back.
struct GlFeatures {
    bool floatTargets = false;      ///< R32F and RGBA32F
    bool redTargets = false;        ///< one-channel targets (gl21: GL_ARB_texture_rg)
    bool integerTargets = false;    ///< R32I and RGBA32I
    bool unsignedTargets = false;   ///< RGBA32UI
    bool multipleTargets = false;   ///< array layers as at least four render targets, with uniform blocks
    bool bitCount = false;          ///< bitCount() in shaders
    std::string floatTargetsCause;  ///< why floatTargets is false
};

/// Known driver bugs and slow paths. Call sites check these flags and use a workaround.
struct GlBugs {
    /// NVIDIA reads uniform blocks fast only at indices that are constants after unrolling (376 against
    /// 94–123 G relaxations/s on an H200): loops over a block are unrolled completely.
    bool slowComputedBlockIndex = false;
    /// Mesa's software renderers check every coordinate of texelFetch against the texture's size. There, a
    /// lookup in normalised coordinates is a fifth faster (on an H200 it is 5 % slower).
    bool slowTexelFetch = false;
    /// Software renderers expand bitCount to a dozen instructions, and spill what exceeds the processor's few
    /// registers to its cache. Keeping more sums and counting less often is faster there (579 against 482 G
    /// comparisons/s on two cores). On an H200 it is slower (6.4 against 8.2 T).
    bool slowBitCount = false;
    /// Software renderers draw to host memory, so a pixel buffer only adds a copy.
    bool slowPixelBuffers = false;
    bool operator==(const GlBugs&) const = default;
};

struct GlCapabilities {
    std::string vendor;
    std::string renderer;
    std::string version;
    bool isSoftware = false;  ///< llvmpipe, softpipe and the like
    GlLimits limits;
    GlFeatures features;
    GlBugs bugs;
};

/// Queries the current context. `options` may lower limits.
GlCapabilities queryCapabilities(const BackendOptions& options);

/// For `glycine info`.
Capabilities describe(const GlCapabilities& capabilities);
Capability describe(const LoopLimit& limit);

}  // namespace glycine::gl
