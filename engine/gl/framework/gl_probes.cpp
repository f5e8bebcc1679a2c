#include "engine/gl/framework/gl_probes.hpp"

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
#include "engine/gl/framework/ping_pong.hpp"
#include "engine/gl/framework/readback.hpp"

namespace glycine::gl {

namespace {

/// Draws into a target of some size, again and again; what one draw does is `amount`, in the probe's unit.
struct Drawing {
    std::function<void(std::size_t portion)> draw;
    std::function<void(std::size_t portions)> verify;  ///< after the last one
    double amount = 0;
};

/// The largest that fittingSide gives: a processor is filled by few fragments.
int mostFittingSide(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 128 : 1024, backend.gl().limits.maxTextureSize);
}

/// Draws `drawSquare(side)` with sides from 128 on, twice as long each time, and returns the longest one that
/// takes no more than some hundredths of a second, undisturbed (shortestSeconds): a watchdog kills draws that
/// take long, and small ones do not fill a large device.
int fittingSide(GlBackend& backend, const std::function<void(int side)>& drawSquare) {
    constexpr double kMostSeconds = 0.04;
    const int most = mostFittingSide(backend);
    int side = std::min(128, most);
    drawSquare(side);  // compiles
    backend.finish();
    while (2 * side <= most) {
        const double seconds = shortestSeconds(
            [&] {
                const Stopwatch watch;
                drawSquare(side);
                backend.finish();
                return watch.seconds();
            },
            kMostSeconds / 4);
        if (4 * seconds > kMostSeconds) break;
        side *= 2;
    }
    return side;
}

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

/// Texels of a square that are looked at: corners, and one within.
template <class T, class Expected>
void verifyTexels(const std::string& probe, const RenderTexture& target, int side, const Expected& expected,
                  double tolerance = 0) {
    const TextureShape& shape = target.shape();
    for (const auto& [x, y] : {std::pair(0, 0), std::pair(side - 1, 0), std::pair(5 % side, side / 2),
                               std::pair(side - 1, side - 1)}) {
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

/// A side of targets that shall not stay in caches.
int sideForMemory(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 2048 : 4096, backend.gl().limits.maxTextureSize);
}
/// A program that computes `amountOfEach` in each fragment of a square that fits.
struct SquareProgram {
    TextureFormat format;
    std::function<void(const Framebuffer& target, const Rect& square)> draw;
    std::function<void(const RenderTexture& target, int side)> verify;
    double amountOfEach;
};

DeviceProbe::Runner startSquare(GlBackend& backend, const SquareProgram& program) {
    backend.makeCurrent();
    const int most = mostFittingSide(backend);
    const auto target =
        std::make_shared<RenderTexture>(backend.textures(), TextureShape{program.format, most, most});
    const auto drawSquare = [target, draw = program.draw](int side) {
        draw(target->framebuffer(), {0, 0, side, side});
    };
    const int side = fittingSide(backend, drawSquare);
    return runnerOf(backend, {[drawSquare, side](std::size_t) { drawSquare(side); },
                              [target, side, verify = program.verify](std::size_t) { verify(*target, side); },
                              program.amountOfEach * side * side / 1e9});
}

template <class T>
DeviceProbe minimaProbe(GlBackend& backend, TextureFormat format, std::string_view numbers,
                        const ShaderDefines& defines) {
    std::string name = probeName(kAddMin, numbers);
    constexpr T start = 1 << 18;
    const auto draw = [&backend, defines](const Framebuffer& target, const Rect& square) {
        backend.pass("probes/add_min.frag", defines)
            .output(target)
            .uniform("rounds", kProbeRounds)
            .uniform("step_", T{-1})
            .uniform("start", start)
            .draw(square);
    };
    const auto verify = [name](const RenderTexture& target, int side) {
        verifyTexels<T>(name, target, side, [](int x, int, int component) {
            return expectedChainSum<T>(start + static_cast<T>(x + component));
        });
    };
    const SquareProgram program{format, draw, verify, 4. * kProbeChains * kProbeRounds};
    return {std::move(name), "G/s",
            "an addition and a minimum each (or a maximum), in registers of fragments",
            [&backend, program] { return startSquare(backend, program); }};
}

DeviceProbe multiplyAddProbe(GlBackend& backend) {
    std::string name = probeName(kMultiplyAdd, "float32");
    // All numbers come near to 1, wherever they begin.
    const auto draw = [&backend](const Framebuffer& target, const Rect& square) {
        backend.pass("probes/multiply_add.frag")
            .output(target)
            .uniform("rounds", kProbeRounds)
            .uniform("factor", 0.96875F)
            .uniform("summand", 0.03125F)
            .draw(square);
    };
    const auto verify = [name](const RenderTexture& target, int side) {
        verifyTexels<float>(
            name, target, side, [](int, int, int) { return 8.0; }, 0.04);
    };
    const SquareProgram program{TextureFormat::RGBA32F, draw, verify, 4. * kProbeChains * kProbeRounds};
    return {std::move(name), "G/s", "in registers of fragments",
            [&backend, program] { return startSquare(backend, program); }};
}

DeviceProbe logProbe(GlBackend& backend) {
    std::string name = probeName(kLog, "float32");
    constexpr int kRounds = kProbeRounds / 4, kChains = 4;
    const auto draw = [&backend](const Framebuffer& target, const Rect& square) {
        backend.pass("probes/logarithm.frag")
            .output(target)
            .uniform("rounds", kRounds)
            .uniform("summand", 2.0F)
            .draw(square);
    };
    const auto verify = [name](const RenderTexture& target, int side) {
        constexpr double kFixed = 3.1461932206;  // x = log x + 2
        verifyTexels<float>(
            name, target, side, [](int, int, int) { return kChains * kFixed; }, 0.002);
    };
    const SquareProgram program{TextureFormat::RGBA32F, draw, verify, 4. * kChains * kRounds};
    return {std::move(name), "G/s", "in registers of fragments, with an addition each",
            [&backend, program] { return startSquare(backend, program); }};
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
    const auto begin = [&backend, name]() -> DeviceProbe::Runner {
        const auto startWay = [&](const ShaderDefines& defines) {
            const auto draw = [&backend, defines](const Framebuffer& target, const Rect& square) {
                backend.pass("probes/count_bits.frag", defines)
                    .output(target)
                    .uniform("rounds", kProbeRounds)
                    .draw(square);
            };
            const auto verify = [name](const RenderTexture& target, int side) {
                verifyTexels<std::uint32_t>(name, target, side, expectedBits);
            };
            return startSquare(backend, {TextureFormat::RGBA32UI, draw, verify, 1024. * kProbeRounds});
        };
        std::vector<ShaderDefines> ways{{{"UNSIGNED", ""}, {"CARRY_SAVE", ""}}};
        if (backend.gl().features.bitCount) {
            ways.push_back({{"UNSIGNED", ""}, {"CARRY_SAVE", ""}, {"BIT_COUNT", ""}});
            ways.push_back({{"UNSIGNED", ""}, {"BIT_COUNT", ""}});
        }
        std::vector<DeviceProbe::Runner> runners;
        for (const ShaderDefines& defines : ways) runners.push_back(startWay(defines));
        return fastestOf(std::move(runners));
    };
    return {std::move(name), "Gbit/s",
            "XOR with a word and count, by bitCount or carry-save adders, whichever is faster; in registers "
            "of fragments",
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
    const bool isNormalised = backend.gl().bugs.slowTexelFetch;
    const auto begin = [&backend, format, isScattered, isNormalised, name] {
        const bool isUnsigned = format == TextureFormat::RGBA32UI;
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
        if (isNormalised) defines.push_back({"NORMALISED", ""});
        const auto draw = [&backend, texels, defines](const Framebuffer& target, const Rect& square) {
            backend.pass("probes/fetch.frag", defines)
                .input("texels", **texels)
                .output(target)
                .uniform("rounds", kProbeRounds)
                .draw(square);
        };
        const auto verify = [name, isScattered, channels](const RenderTexture& target, int side) {
            verifyTexels<T>(name, target, side, [&](int x, int y, int component) {
                // What a texture lacks reads as (0, 0, 0, 1).
                if (static_cast<std::size_t>(component) >= channels)
                    return component == 3 ? 4. * kProbeRounds : 0.;
                return expectedFetches(isScattered, x, y);
            });
        };
        return startSquare(backend, {isUnsigned ? TextureFormat::RGBA32UI : TextureFormat::RGBA32F, draw,
                                     verify, 4. * kProbeRounds});
    };
    return {name, "G/s",
            fmt::format("{} of a texture of {} × {}, {}", isNormalised ? "nearest texels" : "texelFetch",
                        kFetchSide, kFetchSide,
                        isScattered ? "each fragment its own texels in no order"
                                    : "all fragments the same texel at a time"),
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
        const auto verify = [target, side](std::size_t portions) {
            verifyTexels<float>("fill", *target, side, [&](int, int, int) { return (portions - 1) % 1000; });
        };
        return runnerOf(backend, {draw, verify, 16. * side * side / 1e9});
    };
    return {"fill", "GB/s", fmt::format("one number for each texel of RGBA32F, {} × {}", side, side), begin};
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
        const auto verify = [textures, side, valueAt](std::size_t) {
            verifyTexels<float>("copy bandwidth", textures->source(), side, valueAt);
        };
        return runnerOf(backend, {draw, verify, 32. * side * side / 1e9});
    };
    return {std::string(kCopyBandwidth), "GB/s",
            fmt::format("RGBA32F from texture to texture, {} × {}, bytes read and bytes written counted",
                        side, side),
            begin};
}

DeviceProbe drawProbe(GlBackend& backend) {
    const auto begin = [&backend] {
        const auto target =
            std::make_shared<RenderTexture>(backend.textures(), TextureShape{TextureFormat::RGBA32F, 4, 4});
        return [&backend, target](std::size_t portions) {
            constexpr int kDraws = 1024;  // of a batch: waiting for its end is nothing beside them
            backend.makeCurrent();
            backend.finish();
            ProbeRun run{static_cast<double>(portions * kDraws)};
            for (std::size_t batch = 0; batch < portions; ++batch) {
                const Stopwatch watch;
                for (int i = 0; i < kDraws; ++i)
                    backend.pass("probes/fill.frag")
                        .output(target->framebuffer())
                        .uniform("number", static_cast<float>(batch % 1000 * kDraws) + static_cast<float>(i))
                        .draw();
                backend.finish();
                const double seconds = watch.seconds();
                run.seconds += seconds;
                run.least = batch == 0 ? seconds / kDraws : std::min(run.least, seconds / kDraws);
            }
            verifyTexels<float>(std::string(kLaunchOverhead), *target, 4,
                                [&](int, int, int) { return (portions - 1) % 1000 * kDraws + kDraws - 1; });
            return run;
        };
    };
    return {std::string(kLaunchOverhead), "µs",
            "a pass over 4 × 4 texels: program, target, a uniform, draw; the best of batches of 1,024",
            begin};
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
