#include "engine/gl/gl_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/ping_pong.hpp"
#include "engine/gl/readback.hpp"

namespace glycine::gl {

namespace {

/// Draws into a target of some size, again and again; what one draw does is `amount`, in the probe's unit.
struct Drawing {
    std::function<void(std::size_t portion)> draw;
    std::function<void(std::size_t portions)> verify;  ///< after the last one
    double amount = 0;
};

DeviceProbe::Runner runnerOf(GlBackend& backend, Drawing drawing) {
    return [&backend, drawing = std::move(drawing)](std::size_t portions) {
        backend.makeCurrent();
        backend.finish();
        const Stopwatch watch;
        for (std::size_t portion = 0; portion < portions; ++portion) drawing.draw(portion);
        backend.finish();
        const double seconds = watch.seconds();
        drawing.verify(portions);
        return ProbeRun{drawing.amount * static_cast<double>(portions), seconds};
    };
}

/// Texels that are looked at: the corners, and one within.
template <class T, class Expected>
void verifyTexels(const std::string& probe, const RenderTexture& target, const Expected& expected,
                  double tolerance = 0) {
    const TextureShape& shape = target.shape();
    for (const auto& [x, y] :
         {std::pair(0, 0), std::pair(shape.width - 1, 0), std::pair(5 % shape.width, shape.height / 2),
          std::pair(shape.width - 1, shape.height - 1)}) {
        std::array<T, 4> texel{};
        readPixels(target.framebuffer(), 0, shape.format, {x, y, 1, 1}, texel.data());
        for (int component = 0; component < info(shape.format).channels; ++component) {
            const auto found = static_cast<double>(texel[static_cast<std::size_t>(component)]);
            const auto wanted = static_cast<double>(expected(x, y, component));
            if (!(std::abs(found - wanted) <= tolerance))
                requireProbeResult(fmt::format("{}, texel ({}, {})", probe, x, y), found, wanted);
        }
    }
}

/// A side of targets of programs with much to do: some milliseconds a draw, or less.
int sideForArithmetic(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 128 : 1024, backend.gl().limits.maxTextureSize);
}
/// A side of targets that shall not stay in caches.
int sideForMemory(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 2048 : 4096, backend.gl().limits.maxTextureSize);
}
std::string fragmentsText(int side, std::string_view what) {
    return fmt::format("{}, {} × {} fragments", what, side, side);
}

template <class T>
DeviceProbe minimaProbe(GlBackend& backend, TextureFormat format, std::string_view numbers,
                        const ShaderDefines& defines) {
    std::string name = probeName(kAddMin, numbers);
    const int side = sideForArithmetic(backend);
    const auto begin = [&backend, format, defines, name, side] {
        const auto target =
            std::make_shared<RenderTexture>(backend.textures(), TextureShape{format, side, side});
        constexpr T start = 1 << 18;
        const auto draw = [&backend, target, defines](std::size_t) {
            backend.pass("probes/add_min.frag", defines)
                .output(target->framebuffer())
                .uniform("rounds", kProbeRounds)
                .uniform("step_", T{-1})
                .uniform("start", start)
                .draw();
        };
        const auto verify = [target, name](std::size_t) {
            verifyTexels<T>(name, *target, [](int x, int, int component) {
                return expectedChainSum<T>(start + static_cast<T>(x + component));
            });
        };
        return runnerOf(backend, {draw, verify, 4. * kProbeChains * kProbeRounds * side * side / 1e9});
    };
    return {std::move(name), "G/s",
            fragmentsText(side, "an addition and a minimum each (or a maximum), in registers"), begin};
}

DeviceProbe multiplyAddProbe(GlBackend& backend) {
    std::string name = probeName(kMultiplyAdd, "float32");
    const int side = sideForArithmetic(backend);
    const auto begin = [&backend, name, side] {
        const auto target = std::make_shared<RenderTexture>(backend.textures(),
                                                            TextureShape{TextureFormat::RGBA32F, side, side});
        // Within half a percent of 1 after all rounds, wherever they begin.
        const auto draw = [&backend, target](std::size_t) {
            backend.pass("probes/multiply_add.frag")
                .output(target->framebuffer())
                .uniform("rounds", kProbeRounds)
                .uniform("factor", 0.96875F)
                .uniform("summand", 0.03125F)
                .draw();
        };
        const auto verify = [target, name](std::size_t) {
            verifyTexels<float>(
                name, *target, [](int, int, int) { return 8.0; }, 0.04);
        };
        return runnerOf(backend, {draw, verify, 4. * kProbeChains * kProbeRounds * side * side / 1e9});
    };
    return {std::move(name), "G/s", fragmentsText(side, "in registers"), begin};
}

DeviceProbe logProbe(GlBackend& backend) {
    std::string name = probeName(kLog, "float32");
    const int side = sideForArithmetic(backend);
    const auto begin = [&backend, name, side] {
        const auto target = std::make_shared<RenderTexture>(backend.textures(),
                                                            TextureShape{TextureFormat::RGBA32F, side, side});
        constexpr int kRounds = kProbeRounds / 4, kChains = 4;
        const auto draw = [&backend, target](std::size_t) {
            backend.pass("probes/logarithm.frag")
                .output(target->framebuffer())
                .uniform("rounds", kRounds)
                .uniform("summand", 2.0F)
                .draw();
        };
        const auto verify = [target, name](std::size_t) {
            constexpr double kFixed = 3.1461932206;  // x = log x + 2
            verifyTexels<float>(
                name, *target, [](int, int, int) { return kChains * kFixed; }, 0.002);
        };
        return runnerOf(backend, {draw, verify, 4. * kChains * kRounds * side * side / 1e9});
    };
    return {std::move(name), "G/s", fragmentsText(side, "in registers, with an addition each"), begin};
}

/// What probes/count_bits.frag leaves in a component.
double expectedBits(int x, int y, int component) {
    const auto place = static_cast<std::uint32_t>(x + 1000 * y);
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < 8; ++k) {
        const std::uint32_t word =
            static_cast<std::uint32_t>(component + 1) * 2654435769U + (place + k) * 2246822519U;
        for (std::uint32_t round = 0; round < static_cast<std::uint32_t>(kProbeRounds); ++round)
            count += static_cast<std::uint32_t>(std::popcount(word ^ (round * 668265263U)));
    }
    return count;
}

DeviceProbe countProbe(GlBackend& backend) {
    std::string name(kPopulationCount);
    const int side = sideForArithmetic(backend);
    const auto begin = [&backend, name, side]() -> DeviceProbe::Runner {
        const auto target = std::make_shared<RenderTexture>(
            backend.textures(), TextureShape{TextureFormat::RGBA32UI, side, side});
        const auto runnerFor = [&](const ShaderDefines& defines) {
            const auto draw = [&backend, target, defines](std::size_t) {
                backend.pass("probes/count_bits.frag", defines)
                    .output(target->framebuffer())
                    .uniform("rounds", kProbeRounds)
                    .draw();
            };
            const auto verify = [target, name](std::size_t) {
                verifyTexels<std::uint32_t>(name, *target, expectedBits);
            };
            return runnerOf(backend, {draw, verify, 1024. * kProbeRounds * side * side / 1e9});
        };
        std::vector<ShaderDefines> ways{{{"UNSIGNED", ""}, {"CARRY_SAVE", ""}}};
        if (backend.gl().features.bitCount) {
            ways.push_back({{"UNSIGNED", ""}, {"CARRY_SAVE", ""}, {"BIT_COUNT", ""}});
            ways.push_back({{"UNSIGNED", ""}, {"BIT_COUNT", ""}});
        }
        // The fastest, found out once.
        DeviceProbe::Runner best;
        double seconds = 0;
        for (const ShaderDefines& defines : ways) {
            DeviceProbe::Runner run = runnerFor(defines);
            run(1);
            const double own = run(1).seconds;
            if (best && own >= seconds) continue;
            best = std::move(run);
            seconds = own;
        }
        return best;
    };
    return {std::move(name), "Gbit/s",
            fragmentsText(side,
                          "XOR with a word and count, by bitCount or carry-save adders, whichever is "
                          "faster; in registers"),
            begin};
}

constexpr int kFetchSide = 256;
/// What lies at a texel: the same small number in all components.
std::uint32_t texelAt(std::uint32_t x, std::uint32_t y) {
    return (x * 7 + y * 13) % 4;
}
double expectedFetches(bool isScattered, int x, int y) {
    std::uint32_t state = 12345;
    if (isScattered) state += 2654435769U * static_cast<std::uint32_t>(x + 1000 * y);
    std::uint32_t sum = 0;
    for (int round = 0; round < kProbeRounds; ++round) {
        state = state * 1664525U + 1013904223U;
        for (const unsigned shift : {1U, 6U, 11U, 16U})
            sum += texelAt(state >> shift & 255U, state >> (shift + 8) & 255U);
    }
    return sum;
}

template <class T>
DeviceProbe fetchProbe(GlBackend& backend, TextureFormat format, bool isScattered) {
    const std::string name =
        fmt::format("texel fetch {} {}", info(format).name, isScattered ? "scattered" : "equal");
    const int side = sideForArithmetic(backend);
    const auto begin = [&backend, format, isScattered, name, side] {
        const bool isUnsigned = format == TextureFormat::RGBA32UI;
        const auto target = std::make_shared<RenderTexture>(
            backend.textures(),
            TextureShape{isUnsigned ? TextureFormat::RGBA32UI : TextureFormat::RGBA32F, side, side});
        const auto texels =
            std::make_shared<PooledTexture>(backend.textures(), TextureShape{format, kFetchSide, kFetchSide});
        const auto channels = static_cast<std::size_t>(info(format).channels);
        std::vector<T> values(channels * kFetchSide * kFetchSide);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<T>(texelAt(static_cast<std::uint32_t>(i / channels % kFetchSide),
                                               static_cast<std::uint32_t>(i / channels / kFetchSide)));
        (*texels)->upload(values.data());
        ShaderDefines defines;
        if (isUnsigned) defines.push_back({"UNSIGNED", ""});
        if (isScattered) defines.push_back({"SCATTERED", ""});
        if (backend.gl().bugs.slowTexelFetch) defines.push_back({"NORMALISED", ""});
        const auto draw = [&backend, target, texels, defines](std::size_t) {
            backend.pass("probes/fetch.frag", defines)
                .input("texels", **texels)
                .output(target->framebuffer())
                .uniform("rounds", kProbeRounds)
                .draw();
        };
        const auto verify = [target, name, isScattered, channels](std::size_t) {
            verifyTexels<T>(name, *target, [&](int x, int y, int component) {
                if (static_cast<std::size_t>(component) >= channels)
                    return component == 3 ? 4. * kProbeRounds : 0.;
                return expectedFetches(isScattered, x, y);
            });
        };
        return runnerOf(backend, {draw, verify, 4. * kProbeRounds * side * side / 1e9});
    };
    return {
        name, "G/s",
        fragmentsText(side, fmt::format("{} of a texture of {} × {}, {}",
                                        backend.gl().bugs.slowTexelFetch ? "nearest texels" : "texelFetch",
                                        kFetchSide, kFetchSide,
                                        isScattered ? "each fragment its own texels in no order"
                                                    : "all fragments the same texel at a time")),
        begin};
}

DeviceProbe fillProbe(GlBackend& backend) {
    const int side = sideForMemory(backend);
    const auto begin = [&backend, side] {
        const auto target = std::make_shared<RenderTexture>(backend.textures(),
                                                            TextureShape{TextureFormat::RGBA32F, side, side});
        const auto draw = [&backend, target](std::size_t portion) {
            backend.pass("probes/fill.frag")
                .output(target->framebuffer())
                .uniform("number", static_cast<float>(portion % 1000))
                .draw();
        };
        const auto verify = [target](std::size_t portions) {
            verifyTexels<float>("fill", *target, [&](int, int, int) { return (portions - 1) % 1000; });
        };
        return runnerOf(backend, {draw, verify, 16. * side * side / 1e9});
    };
    return {"fill", "GB/s", fragmentsText(side, "one number for each texel of RGBA32F"), begin};
}

DeviceProbe copyProbe(GlBackend& backend) {
    const int side = sideForMemory(backend);
    const auto begin = [&backend, side] {
        const auto textures =
            std::make_shared<PingPong>(backend.textures(), TextureShape{TextureFormat::RGBA32F, side, side});
        const auto valueAt = [side](int x, int y, int component) {
            return static_cast<float>((4 * (side * y + x) + component) % 65521);
        };
        std::vector<float> values(std::size_t{4} * static_cast<std::size_t>(side) *
                                  static_cast<std::size_t>(side));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(static_cast<int>(i) % 65521);
        textures->source().texture().upload(values.data());
        const auto draw = [&backend, textures](std::size_t) {
            backend.pass("common/copy_texel.frag")
                .input("source", textures->source().texture())
                .output(textures->target().framebuffer())
                .draw();
            textures->swap();
        };
        const auto verify = [textures, valueAt](std::size_t) {
            verifyTexels<float>("copy bandwidth", textures->source(), valueAt);
        };
        return runnerOf(backend, {draw, verify, 32. * side * side / 1e9});
    };
    return {std::string(kCopyBandwidth), "GB/s",
            fragmentsText(side, "RGBA32F from texture to texture, bytes read and bytes written counted"),
            begin};
}

DeviceProbe drawProbe(GlBackend& backend) {
    const auto begin = [&backend] {
        const auto target =
            std::make_shared<RenderTexture>(backend.textures(), TextureShape{TextureFormat::RGBA32F, 4, 4});
        constexpr int kDraws = 32;
        const auto draw = [&backend, target](std::size_t portion) {
            for (int i = 0; i < kDraws; ++i)
                backend.pass("probes/fill.frag")
                    .output(target->framebuffer())
                    .uniform("number", static_cast<float>(portion % 1000 * kDraws) + static_cast<float>(i))
                    .draw();
        };
        const auto verify = [target](std::size_t portions) {
            verifyTexels<float>("draw overhead", *target,
                                [&](int, int, int) { return (portions - 1) % 1000 * kDraws + kDraws - 1; });
        };
        return runnerOf(backend, {draw, verify, kDraws});
    };
    return {"draw overhead", "µs", "a pass over 4 × 4 texels: program, target, a uniform, draw", begin};
}

DeviceProbe transferProbe(GlBackend& backend, bool isUpload) {
    const int side = sideForMemory(backend);
    const auto begin = [&backend, isUpload, side] {
        const auto texture = std::make_shared<RenderTexture>(
            backend.textures(), TextureShape{TextureFormat::RGBA32F, side, side});
        const std::size_t count =
            std::size_t{4} * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
        const auto values = std::make_shared<std::vector<float>>(count);
        for (std::size_t i = 0; i < count; ++i) (*values)[i] = static_cast<float>(i % 65521);
        texture->texture().upload(values->data());
        const auto found = std::make_shared<std::vector<float>>(count);
        const auto read = [texture, found] {
            readPixels(texture->framebuffer(), 0, TextureFormat::RGBA32F, texture->texture().extent(),
                       found->data());
        };
        const auto move = [isUpload, texture, values, read](std::size_t) {
            if (isUpload)
                texture->texture().upload(values->data());
            else
                read();
        };
        const auto verify = [isUpload, values, found, read](std::size_t) {
            if (isUpload) read();
            if (*found != *values) throw DeviceError("a transfer changed numbers");
            std::fill(found->begin(), found->end(), -1.0F);
        };
        return runnerOf(backend, {move, verify, 4. * static_cast<double>(count) / 1e9});
    };
    return {isUpload ? "upload" : "download", "GB/s",
            isUpload ? "RGBA32F from the host's memory into a texture"
                     : "RGBA32F from a texture into the host's memory",
            begin};
}

}  // namespace

std::vector<DeviceProbe> glProbes(GlBackend& backend) {
    const GlFeatures& features = backend.gl().features;
    const bool isLegacy = backend.dialect() == Dialect::Gl21;
    const std::string noWholeNumbers = "dialect gl21 has no whole numbers";
    std::vector<DeviceProbe> probes;
    probes.push_back(copyProbe(backend));
    probes.push_back(fillProbe(backend));
    for (const bool isScattered : {false, true}) {
        const auto add = [&]<class T>(T, TextureFormat format, bool isThere) {
            probes.push_back(fetchProbe<T>(backend, format, isScattered));
            if (isLegacy || !isThere)
                probes.back() = absentProbe(probes.back().name, "G/s",
                                            isLegacy ? noWholeNumbers : "no such render targets");
        };
        add(0.0F, TextureFormat::R32F, features.redTargets);
        add(0.0F, TextureFormat::RGBA32F, true);
        add(std::uint32_t{0}, TextureFormat::RGBA32UI, features.unsignedTargets);
    }
    probes.push_back(minimaProbe<float>(backend, TextureFormat::RGBA32F, "float32", {}));
    probes.push_back(
        absentProbe(probeName(kAddMin, "float64"), "G/s", "textures hold no numbers of 64 bits"));
    if (features.integerTargets)
        probes.push_back(
            minimaProbe<std::int32_t>(backend, TextureFormat::RGBA32I, "int32", {{"FIXED_POINT", ""}}));
    else
        probes.push_back(absentProbe(probeName(kAddMin, "int32"), "G/s",
                                     isLegacy ? noWholeNumbers : "no integer render targets"));
    probes.push_back(multiplyAddProbe(backend));
    probes.push_back(
        absentProbe(probeName(kMultiplyAdd, "float64"), "G/s", "textures hold no numbers of 64 bits"));
    for (const char* format : {"float32", "float64", "tf32", "fp16"})
        probes.push_back(absentProbe(probeName(kMatrixProduct, format), "G/s",
                                     "fragment programs have no instructions for matrices"));
    if (features.unsignedTargets)
        probes.push_back(countProbe(backend));
    else
        probes.push_back(absentProbe(std::string(kPopulationCount), "Gbit/s",
                                     isLegacy ? noWholeNumbers : "no unsigned render targets"));
    probes.push_back(logProbe(backend));
    probes.push_back(drawProbe(backend));
    probes.push_back(transferProbe(backend, true));
    probes.push_back(transferProbe(backend, false));
    for (const bool isInteger : {false, true}) probes.push_back(computeStageProbe(backend, isInteger));
    return probes;
}

}  // namespace glycine::gl
