#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "engine/core/backend.hpp"

namespace glycine::gl {

/// Numbers that the driver or the user sets.
struct GlLimits {
    int maxTextureSize = 0;        ///< texels a side
    int maxArrayLayers = 0;        ///< 0: no array textures
    int maxDrawBuffers = 1;        ///< render targets of one pass
    int maxUniformBlockBytes = 0;  ///< 0: no uniform blocks
    int uniformBufferAlignment = 256;
    std::size_t maxTextureBytes = 0;  ///< of one texture
    /// Up to which shaders count exactly: gl21 has floats alone, and 2^24.
    std::size_t largestInteger = std::numeric_limits<int>::max();
    std::size_t deviceBytes = 0;  ///< for all textures together
    /// Layers of an array texture that passes use as render targets at once: 8, or 4 where there are fewer.
    int targetsAtOnce() const { return maxDrawBuffers >= 8 && maxArrayLayers >= 8 ? 8 : 4; }
};

/// Rounds of all loops of a fragment together, after which the driver ends them without a word. Mesa's
/// software renderers count to 65,535.
struct LoopLimit {
    int rounds = 0;  ///< 0: none found
    bool allows(std::size_t wanted) const {
        return rounds == 0 || wanted <= static_cast<std::size_t>(rounds);
    }
};

/// What the driver offers; float and integer targets are proved by rendering to them and reading back.
struct GlFeatures {
    bool floatTargets = false;      ///< R32F and RGBA32F
    bool redTargets = false;        ///< one-channel targets (gl21: GL_ARB_texture_rg)
    bool integerTargets = false;    ///< R32I and RGBA32I
    bool unsignedTargets = false;   ///< RGBA32UI
    bool multipleTargets = false;   ///< array layers as at least four render targets, with uniform blocks
    bool bitCount = false;          ///< bitCount() in shaders
    std::string floatTargetsCause;  ///< why not
};

/// Known faults and slow paths of drivers, each with a way around it in the code that asks.
struct GlBugs {
    /// NVIDIA reads uniform blocks fast only at indices that are constants after unrolling (94–123 against
    /// 376 G relaxations/s on an H200): loops over a block are unrolled completely.
    bool slowComputedBlockIndex = false;
    /// Mesa's software renderers check every coordinate of texelFetch against the size of the texture; a
    /// lookup in normalised coordinates is a fifth faster there (and 5 % slower on an H200).
    bool slowTexelFetch = false;
    /// Software renderers make a dozen instructions of bitCount, and keep what exceeds the processor's few
    /// registers in its cache: there it is better to keep more sums and count less often (579 against 482 G
    /// comparisons/s on two cores; on an H200 it is the other way, 6.4 against 8.2 T).
    bool slowBitCount = false;
    /// What a software renderer draws lies in the memory of the host: a pixel buffer is one copy more.
    bool slowPixelBuffers = false;
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

/// Asks the current context. `options` lowers limits.
GlCapabilities queryCapabilities(const BackendOptions& options);

/// For `glycine info`.
Capabilities describe(const GlCapabilities& capabilities);
Capability describe(const LoopLimit& limit);

}  // namespace glycine::gl
