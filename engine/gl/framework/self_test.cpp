#include "engine/gl/framework/self_test.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/core/error.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::gl {

namespace {

constexpr int kProbeTexels = 4;
/// Values that half floats, clamping to [0, 1] or a lost sign would change.
constexpr std::array<float, 16> kFloatProbe{1.0F / 3, -2.5F,      16777215.0F, 1e30F,     1e-30F, 0.1F,
                                            -0.0F,    1234.5678F, 65537.0F,    0.999999F, -7e8F,  3.1415927F,
                                            1e9F,     1.5e-5F,    42.0F,       -1.0F};
constexpr std::array<std::int32_t, 16> kIntegerProbe{0,   1,   -1,    (1 << 30) - 1, -(1 << 30), 1048577,
                                                     255, 256, 65536, -65537,        0x7fffffff, 12345,
                                                     7,   -8,  99,    1024};
/// Values that a conversion to int32 or float would change.
constexpr std::array<std::uint32_t, 16> kUnsignedProbe{
    0,       1,          0xffffffffU, 0x80000000U, 0x7fffffffU, 0xfffffffeU, 0xaaaaaaaaU, 0x55555555U,
    1048577, 0x01020304, 255,         0xdeadbeefU, 65537,       0xff800000U, 0x7fc00000U, 12345};

/// Returns an empty string if texels of `format` survive a pass unchanged, else the fault.
template <class Value>
std::string probe(TextureFormat format, const std::array<Value, 16>& values, TexturePool& pool,
                  PassGeometry& geometry, ProgramCache& programs, const ShaderDefines& defines) {
    try {
        const TextureShape shape{format, {kProbeTexels, info(format).channels == 4 ? 1 : kProbeTexels}};
        RenderTexture source(pool, shape);
        RenderTexture target(pool, shape);
        source.texture().upload(values.data());
        Program& program = programs.get("common/rectangle.vert", "common/copy_texel.frag", defines);
        FragmentPass(geometry, program).input("source", source.texture()).output(target.framebuffer()).draw();
        std::array<Value, 16> result{};
        readPixels(target.framebuffer(), 0, format, target.texture().extent(), result.data());
        if (std::memcmp(result.data(), values.data(), sizeof(values)) != 0)
            return fmt::format("{} targets are accepted but change values", info(format).name);
        return {};
    } catch (const Error& error) {
        while (glGetError() != GL_NO_ERROR) {
            // The refusal is the result; clear errors for later calls.
        }
        return error.what();
    }
}

/// Name of the extension that float targets require in this dialect and the driver lacks; empty if it has
/// all.
std::string missingExtension(Dialect dialect) {
    if (dialect == Dialect::Gl33) return {};  // float textures and targets are part of OpenGL 3.0
    if (dialect == Dialect::Gl21) {
        for (const char* name :
             {"GL_ARB_texture_float", "GL_ARB_texture_rectangle", "GL_ARB_framebuffer_object"})
            if (!hasExtension(name)) return name;
        return {};
    }
    const char* const needed = "GL_EXT_color_buffer_float";
    return hasExtension(needed) ? "" : needed;
}

}  // namespace

void beginSelfTests(ProgramCache& programs) {
    const auto begin = [&](const char* shader, const ShaderDefines& defines) {
        programs.begin("common/rectangle.vert", shader, defines);
    };
    begin("common/arithmetic_probe.frag", {});
    begin("common/copy_texel.frag", {});
    begin("common/canary.frag", {});
    if (programs.dialect() == Dialect::Gl21) return;
    begin("common/copy_texel.frag", {{"FIXED_POINT", ""}});
    begin("common/copy_texel.frag", {{"UNSIGNED", ""}});
}

void proveRenderTargets(GlCapabilities& capabilities, TexturePool& pool, PassGeometry& geometry,
                        ProgramCache& programs) {
    GlFeatures& features = capabilities.features;
    const bool legacy = programs.dialect() == Dialect::Gl21;
    const std::string missing = missingExtension(programs.dialect());
    if (!missing.empty()) {
        features.floatTargetsCause = fmt::format("{} is missing", missing);
    } else {
        features.floatTargetsCause = probe(TextureFormat::RGBA32F, kFloatProbe, pool, geometry, programs, {});
        features.floatTargets = features.floatTargetsCause.empty();
        features.redTargets = features.floatTargets &&
                              probe(TextureFormat::R32F, kFloatProbe, pool, geometry, programs, {}).empty();
    }
    if (!legacy) {
        const ShaderDefines fixedPoint{{"FIXED_POINT", ""}};
        features.integerTargets =
            probe(TextureFormat::RGBA32I, kIntegerProbe, pool, geometry, programs, fixedPoint).empty() &&
            probe(TextureFormat::R32I, kIntegerProbe, pool, geometry, programs, fixedPoint).empty();
        features.unsignedTargets =
            probe(TextureFormat::RGBA32UI, kUnsignedProbe, pool, geometry, programs, {{"UNSIGNED", ""}})
                .empty();
    }
}

LoopLimit measureLoopRounds(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs) {
    constexpr int kMany = 1 << 17;  // takes a graphics processor a millisecond
    RenderTexture target(pool, {TextureFormat::RGBA32F, {1, 1}});
    FragmentPass(geometry, programs.get("common/rectangle.vert", "common/loop_probe.frag"))
        .output(target.framebuffer())
        .uniform("rounds", kMany)
        .draw();
    std::array<float, 4> counted{};
    readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), counted.data());
    const int rounds = static_cast<int>(counted[0]);
    return {rounds == kMany ? 0 : rounds};
}

std::vector<PrecisionResult> measurePrecision(TexturePool& pool, PassGeometry& geometry,
                                              ProgramCache& programs) {
    constexpr int kInputs = 256;
    constexpr int kOperations = 5;
    // First operands −8 … 8, second ones in (0, 16]: varied mantissas, both signs, logarithms near 1.
    std::vector<float> operands(2 * kInputs * 4, 0.0F);
    for (int i = 0; i < kInputs; ++i) {
        operands[static_cast<std::size_t>(4 * i)] = -8.0F + 16.0F * static_cast<float>(i) / 255.0F;
        operands[static_cast<std::size_t>(4 * (kInputs + i))] = 0.0631F * static_cast<float>(i + 1) / 1.01F;
    }
    RenderTexture source(pool, {TextureFormat::RGBA32F, {kInputs, 2}});
    RenderTexture target(pool, {TextureFormat::RGBA32F, {kInputs, kOperations}});
    source.texture().upload(operands.data());
    FragmentPass(geometry, programs.get("common/rectangle.vert", "common/arithmetic_probe.frag"))
        .input("operands", source.texture())
        .output(target.framebuffer())
        .draw();
    std::vector<float> texels(static_cast<std::size_t>(kInputs) * kOperations * 4);
    readPixels(target.framebuffer(), 0, TextureFormat::RGBA32F, target.texture().extent(), texels.data());

    std::vector<PrecisionResult> results{{"a + b"}, {"a * b"}, {"a / b"}, {"exp(a)"}, {"log(b)"}};
    for (int operation = 0; operation < kOperations; ++operation) {
        PrecisionResult& result = results[static_cast<std::size_t>(operation)];
        result.isExact = true;
        for (int i = 0; i < kInputs; ++i) {
            const double a = operands[static_cast<std::size_t>(4 * i)];
            const double b = operands[static_cast<std::size_t>(4 * (kInputs + i))];
            const double exact = operation == 0   ? a + b
                                 : operation == 1 ? a * b
                                 : operation == 2 ? a / b
                                 : operation == 3 ? std::exp(a)
                                                  : std::log(b);
            const float computed = texels[static_cast<std::size_t>(4 * (operation * kInputs + i))];
            if (computed != static_cast<float>(exact)) result.isExact = false;
            // Near 1 the logarithm crosses zero, where only the absolute error is meaningful.
            const double scale = operation == 4 ? std::max(1.0, std::abs(exact)) : std::abs(exact);
            if (scale > 0)
                result.largestError =
                    std::max(result.largestError, std::abs(computed - exact) / scale * 16777216.0);
        }
    }
    return results;
}

}  // namespace glycine::gl
