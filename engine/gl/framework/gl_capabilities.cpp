#include "engine/gl/framework/gl_capabilities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/host_memory.hpp"
#include "engine/gl/framework/gl_api.hpp"
#include "engine/gl/framework/texture.hpp"

namespace glycine::gl {

namespace {

std::string text(GLenum name) {
    const auto* value = reinterpret_cast<const char*>(glGetString(name));
    return value != nullptr ? value : "";
}

int integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    while (glGetError() != GL_NO_ERROR) value = 0;  // the context does not know the name
    return value;
}

std::size_t deviceBytes(bool isSoftware, const BackendOptions& options) {
    constexpr std::size_t kUnknownDevice = std::size_t{1} << 30;  // even small GPUs have that much today
    std::size_t bytes = kUnknownDevice;
    if (isSoftware) {
        bytes = std::max<std::size_t>(availableHostMemory().bytes / 2, kUnknownDevice / 2);
    } else if (hasExtension("GL_NVX_gpu_memory_info")) {
        const int kibibytes = integer(GL_GPU_MEMORY_INFO_CURRENT_AVAILABLE_VIDMEM_NVX);
        if (kibibytes > 0) bytes = static_cast<std::size_t>(kibibytes) * 1024 / 10 * 9;
    }
    return options.maxDeviceBytes > 0 ? std::min(options.maxDeviceBytes, bytes) : bytes;
}

}  // namespace

GlCapabilities queryCapabilities(const BackendOptions& options) {
    GlCapabilities c;
    c.vendor = text(GL_VENDOR);
    c.renderer = text(GL_RENDERER);
    c.version = text(GL_VERSION);
    c.isSoftware = isSoftwareRenderer(c.renderer);
    const bool modern = options.dialect != Dialect::Gl21;

    c.limits.maxTextureSize = integer(modern ? GL_MAX_TEXTURE_SIZE : GL_MAX_RECTANGLE_TEXTURE_SIZE);
    if (options.maxTextureSize > 0)
        c.limits.maxTextureSize = std::min(c.limits.maxTextureSize, static_cast<int>(options.maxTextureSize));
    if (modern) {
        c.limits.maxArrayLayers = integer(GL_MAX_ARRAY_TEXTURE_LAYERS);
        c.limits.maxDrawBuffers = std::min(integer(GL_MAX_DRAW_BUFFERS), integer(GL_MAX_COLOR_ATTACHMENTS));
        c.limits.maxUniformBlockBytes = integer(GL_MAX_UNIFORM_BLOCK_SIZE);
        c.limits.uniformBufferAlignment = std::max(integer(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT), 16);
    }
    if (!modern) c.limits.largestInteger = std::size_t{1} << 24;
    c.limits.deviceBytes = deviceBytes(c.isSoftware, options);
    // Mesa's software renderers refuse textures above 1 GiB; elsewhere the device memory is the limit.
    c.limits.maxTextureBytes =
        c.isSoftware ? std::min(std::size_t{1} << 30, c.limits.deviceBytes) : c.limits.deviceBytes;

    c.features.multipleTargets = modern && c.limits.maxDrawBuffers >= 4 && c.limits.maxArrayLayers >= 4 &&
                                 c.limits.maxUniformBlockBytes >= 4096;
    c.features.bitCount = options.dialect == Dialect::Gl33 && hasExtension("GL_ARB_gpu_shader5");
    c.bugs.slowComputedBlockIndex = c.vendor.find("NVIDIA") != std::string::npos;
    c.bugs.slowTexelFetch = c.isSoftware && modern;
    c.bugs.slowBitCount = c.isSoftware;
    c.bugs.slowPixelBuffers = c.isSoftware;
    return c;
}

Capabilities describe(const GlCapabilities& c) {
    const auto yesNo = [](bool value) { return std::string(value ? "yes" : "no"); };
    Capabilities result;
    result.limits = {
        {"largest texture", fmt::format("{} x {}", c.limits.maxTextureSize, c.limits.maxTextureSize),
         "driver, or --max-texture"},
        {"render targets of a pass", std::to_string(c.limits.maxDrawBuffers), "driver"},
        {"uniform block", fmt::format("{} KiB", c.limits.maxUniformBlockBytes / 1024), "driver"},
        {"one texture", fmt::format("{} MiB", c.limits.maxTextureBytes >> 20),
         c.isSoftware ? "Mesa's software renderers allow 1 GiB" : "memory"},
        {"all textures", fmt::format("{} MiB", c.limits.deviceBytes >> 20),
         c.isSoftware ? "half of the free memory, or --max-memory" : "free video memory, or --max-memory"},
    };
    result.features = {
        {"float render targets", yesNo(c.features.floatTargets),
         c.features.floatTargets ? "rendered and read back at start" : c.features.floatTargetsCause},
        {"one-channel render targets", yesNo(c.features.redTargets), "R32F, rendered and read back at start"},
        {"integer render targets", yesNo(c.features.integerTargets),
         "R32I and RGBA32I, rendered and read back at start; needed by the fixed-point format"},
        {"unsigned render targets", yesNo(c.features.unsignedTargets),
         "RGBA32UI, rendered and read back at start; needed by bit planes"},
        {"multiple render targets", yesNo(c.features.multipleTargets),
         "at least four array layers at once, and uniform blocks; needed by blocked passes"},
        {"bitCount in shaders", yesNo(c.features.bitCount), "GL_ARB_gpu_shader5"},
    };
    if (c.bugs.slowComputedBlockIndex)
        result.bugs.push_back({"slow uniform blocks at computed indices", "NVIDIA",
                               "loops over a uniform block are unrolled completely"});
    if (c.bugs.slowTexelFetch)
        result.bugs.push_back({"slow texelFetch", "software renderer",
                               "inner loops look texels up in normalised coordinates instead"});
    if (c.bugs.slowBitCount)
        result.bugs.push_back({"slow bitCount", "software renderer",
                               "sums of bits are kept from step to step, so that fewer are counted"});
    if (c.bugs.slowPixelBuffers)
        result.bugs.push_back(
            {"slow pixel buffers", "software renderer", "textures are filled from the program's memory"});
    return result;
}

Capability describe(const LoopLimit& limit) {
    return {"rounds of a fragment's loops",
            limit.rounds > 0 ? std::to_string(limit.rounds) : "no limit found",
            "counted; a loop that would take more ends without a word"};
}

}  // namespace glycine::gl
