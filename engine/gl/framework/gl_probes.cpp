#include "engine/gl/framework/gl_probes.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::gl {

namespace {

/// A draw that is repeated; `amount` is the work of one draw, in the probe's unit.
struct Drawing {
    std::function<void(std::size_t portion)> draw;
    std::function<void(std::size_t portions)> verify;  ///< after the last draw
    double amount = 0;
};

/// Upper limit of fittingSide: few fragments fill a processor.
int mostFittingSide(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 128 : 1024, backend.gl().limits.maxTextureSize);
}

/// Calls `drawSquare(side)` with sides from 128 on, doubled each time. Returns the largest side whose
/// undisturbed time (shortestSeconds) is at most some hundredths of a second: a watchdog kills long draws,
/// and small draws do not fill a large device.
int fittingSide(GlBackend& backend, const std::function<void(int side)>& drawSquare) {
    constexpr double kMaxSeconds = 0.04;
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
            kMaxSeconds / 4);
        if (4 * seconds > kMaxSeconds) break;
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

/// Expected value of a texel's component.
using TexelValue = std::function<double(int x, int y, int component)>;

/// Checks texels of a square: its corners and an inner one.
void verifyTexels(const std::string& probe, const RenderTexture& target, int side, const TexelValue& expected,
                  double tolerance = 0) {
    const TextureFormat format = target.shape().format;
    for (const auto& [x, y] : {std::pair(0, 0), std::pair(side - 1, 0), std::pair(5 % side, side / 2),
                               std::pair(side - 1, side - 1)}) {
        std::array<std::uint32_t, 4> texel{};
        readPixelBytes(target.framebuffer(), 0, format, {{x, y}, {1, 1}},
                       reinterpret_cast<std::byte*>(texel.data()));
        for (int component = 0; component < info(format).channels; ++component) {
            const std::uint32_t bits = texel[static_cast<std::size_t>(component)];
            const double found = info(format).type == GL_FLOAT ? std::bit_cast<float>(bits)
                                 : info(format).type == GL_INT
                                     ? static_cast<double>(static_cast<std::int32_t>(bits))
                                     : static_cast<double>(bits);
            const double wanted = expected(x, y, component);
            if (!(std::abs(found - wanted) <= tolerance))
                requireProbeResult(fmt::format("{}, texel ({}, {})", probe, x, y), found, wanted);
        }
    }
}

/// Work of a program in the registers of fragments: one row of glProbes().
struct FragmentWork {
    std::string name;
    const char* shader;
    std::string how;
    double amount;  ///< per fragment
    TexelValue expected;
    double tolerance = 0;
    std::vector<std::pair<const char*, std::variant<int, float>>> uniforms{};  ///< in addition to "rounds"
    int rounds = kProbeRounds;
    TextureFormat format = TextureFormat::RGBA32F;
    std::vector<ShaderDefines> ways{{}};      ///< equivalent variants; the fastest one counts
    std::function<PooledTexture()> texels{};  ///< creates the shader's input, if any
    const char* unit = "G/s";
};

/// Starts one variant, drawing the largest square that fits.
DeviceProbe::Runner startWay(GlBackend& backend, const FragmentWork& work, const ShaderDefines& defines) {
    const int most = mostFittingSide(backend);
    const auto target =
        std::make_shared<RenderTexture>(backend.textures(), TextureShape{work.format, {most, most}});
    const auto texels = work.texels ? std::make_shared<PooledTexture>(work.texels()) : nullptr;
    const auto drawSquare = [&backend, work, defines, target, texels](int side) {
        FragmentPass pass = backend.pass(work.shader, defines);
        pass.output(target->framebuffer()).uniform("rounds", work.rounds);
        if (texels) pass.input("texels", **texels);
        for (const auto& [name, value] : work.uniforms)
            std::visit([&pass, uniform = name](auto number) { pass.uniform(uniform, number); }, value);
        pass.draw({{0, 0}, {side, side}});
    };
    const int side = fittingSide(backend, drawSquare);
    return runnerOf(
        backend, {[drawSquare, side](std::size_t) { drawSquare(side); },
                  [=](std::size_t) { verifyTexels(work.name, *target, side, work.expected, work.tolerance); },
                  work.amount * side * side / 1e9});
}

DeviceProbe probeOf(GlBackend& backend, const FragmentWork& work) {
    return {work.name, work.unit, work.how, [&backend, work] {
                backend.makeCurrent();
                std::vector<DeviceProbe::Runner> runners;
                for (const ShaderDefines& defines : work.ways)
                    runners.push_back(startWay(backend, work, defines));
                return fastestOf(std::move(runners));
            }};
}

TexelValue everywhere(double value) {
    return [value](int, int, int) { return value; };
}

constexpr int kMinimaStart = 1 << 18;
/// Integers that every format represents.
double expectedMinima(int x, int, int component) {
    return expectedChainSum(kMinimaStart + x + component);
}

/// The value that probes/count_bits.frag writes to a component.
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

constexpr int kFetchSide = 256;
/// Contents of a texel: the same small number in all components.
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

/// A texture filled with texelAt(). T: float or std::uint32_t.
template <class T>
PooledTexture fetchedTexels(GlBackend& backend, TextureFormat format) {
    PooledTexture texels(backend.textures(), TextureShape{format, {kFetchSide, kFetchSide}});
    const auto channels = static_cast<std::size_t>(info(format).channels);
    std::vector<T> values(channels * kFetchSide * kFetchSide);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(texelAt(static_cast<std::uint32_t>(i / channels % kFetchSide),
                                           static_cast<std::uint32_t>(i / channels / kFetchSide)));
    texels->upload(values.data());
    return texels;
}

FragmentWork fetchWork(GlBackend& backend, TextureFormat format, bool isScattered) {
    const bool isNormalised = backend.gl().bugs.slowTexelFetch;
    const bool isUnsigned = format == TextureFormat::RGBA32UI;
    ShaderDefines defines;
    if (isUnsigned) defines.push_back({"UNSIGNED", ""});
    if (isScattered) defines.push_back({"SCATTERED", ""});
    if (isNormalised) defines.push_back({"NORMALISED", ""});
    return {.name = fmt::format("texel fetch {} {}", info(format).name, isScattered ? "scattered" : "equal"),
            .shader = "probes/fetch.frag",
            .how = fmt::format("{} of a texture of {} × {}, {}",
                               isNormalised ? "nearest texels" : "texelFetch", kFetchSide, kFetchSide,
                               isScattered ? "each fragment its own texels in no order"
                                           : "all fragments the same texel at a time"),
            .amount = 4. * kProbeRounds,
            .expected =
                [isScattered, channels = info(format).channels](int x, int y, int component) {
                    // Channels that a texture lacks read as (0, 0, 0, 1).
                    if (component >= channels) return component == 3 ? 4. * kProbeRounds : 0.;
                    return expectedFetches(isScattered, x, y);
                },
            .format = isUnsigned ? TextureFormat::RGBA32UI : TextureFormat::RGBA32F,
            .ways = {defines},
            .texels =
                [&backend, format, isUnsigned] {
                    return isUnsigned ? fetchedTexels<std::uint32_t>(backend, format)
                                      : fetchedTexels<float>(backend, format);
                }};
}

/// Side of targets too large to stay in caches.
int sideForMemory(const GlBackend& backend) {
    return std::min(backend.isEmulated() ? 2048 : 4096, backend.gl().limits.maxTextureSize);
}

DeviceProbe fillProbe(GlBackend& backend) {
    const int side = sideForMemory(backend);
    const auto begin = [&backend, side] {
        const auto target = std::make_shared<RenderTexture>(
            backend.textures(), TextureShape{TextureFormat::RGBA32F, {side, side}});
        const auto draw = [&backend, target](std::size_t portion) {
            backend.pass("probes/fill.frag")
                .output(target->framebuffer())
                .uniform("number", static_cast<float>(portion % 1000))
                .draw();
        };
        const auto verify = [target, side](std::size_t portions) {
            verifyTexels("fill", *target, side,
                         [&](int, int, int) { return static_cast<double>((portions - 1) % 1000); });
        };
        return runnerOf(backend, {draw, verify, 16. * side * side / 1e9});
    };
    return {"fill", "GB/s", fmt::format("one number for each texel of RGBA32F, {} × {}", side, side), begin};
}

DeviceProbe copyProbe(GlBackend& backend) {
    const int side = sideForMemory(backend);
    const auto begin = [&backend, side] {
        const auto textures = std::make_shared<PingPong>(backend.textures(),
                                                         TextureShape{TextureFormat::RGBA32F, {side, side}});
        const auto valueAt = [side](int x, int y, int component) {
            return static_cast<double>((4 * (side * y + x) + component) % 65521);
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
            verifyTexels("copy bandwidth", textures->source(), side, valueAt);
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
            std::make_shared<RenderTexture>(backend.textures(), TextureShape{TextureFormat::RGBA32F, {4, 4}});
        return [&backend, target](std::size_t portions) {
            constexpr std::size_t kDraws = 1024;  // per batch, so that waiting for its end is negligible
            const auto numberOf = [](std::size_t batch, std::size_t draw) {
                return static_cast<float>(batch % 1000 * kDraws + draw);
            };
            backend.makeCurrent();
            backend.finish();
            const ProbeRun run = timedBatches(portions, kDraws, [&](std::size_t batch) {
                for (std::size_t draw = 0; draw < kDraws; ++draw)
                    backend.pass("probes/fill.frag")
                        .output(target->framebuffer())
                        .uniform("number", numberOf(batch, draw))
                        .draw();
                backend.finish();
            });
            verifyTexels(std::string(kLaunchOverhead), *target, 4,
                         [&](int, int, int) { return numberOf(portions - 1, kDraws - 1); });
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
            backend.textures(), TextureShape{TextureFormat::RGBA32F, {side, side}});
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
    std::vector<DeviceProbe> probes{copyProbe(backend), fillProbe(backend)};
    const auto add = [&](const FragmentWork& work) { probes.push_back(probeOf(backend, work)); };
    const auto addAbsent = [&](std::string name, std::string_view why, std::string unit = "G/s") {
        probes.push_back(absentProbe(std::move(name), std::move(unit), std::string(why)));
    };
    // Probes of integers, or of loops over them.
    const auto addWhere = [&](bool isPresent, std::string_view lacks, const FragmentWork& work) {
        if (isPresent && !isLegacy) return add(work);
        addAbsent(work.name, isLegacy ? "dialect gl21 has no whole numbers" : lacks, work.unit);
    };
    for (const bool isScattered : {false, true}) {
        constexpr const char* kLacks = "no such render targets";
        addWhere(features.redTargets, kLacks, fetchWork(backend, TextureFormat::R32F, isScattered));
        addWhere(true, kLacks, fetchWork(backend, TextureFormat::RGBA32F, isScattered));
        addWhere(features.unsignedTargets, kLacks, fetchWork(backend, TextureFormat::RGBA32UI, isScattered));
    }
    constexpr const char* kNoDoubles = "textures hold no numbers of 64 bits";
    FragmentWork minima{.name = probeName(kAddMin, "float32"),
                        .shader = "probes/add_min.frag",
                        .how = "an addition and a minimum each (or a maximum), in registers of fragments",
                        .amount = 4. * kProbeChains * kProbeRounds,
                        .expected = expectedMinima,
                        .uniforms = {{"step_", -1.0F}, {"start", static_cast<float>(kMinimaStart)}}};
    add(minima);
    addAbsent(probeName(kAddMin, "float64"), kNoDoubles);
    minima.name = probeName(kAddMin, "int32");
    minima.uniforms = {{"step_", -1}, {"start", kMinimaStart}};
    minima.format = TextureFormat::RGBA32I;
    minima.ways = {{{"FIXED_POINT", ""}}};
    addWhere(features.integerTargets, "no integer render targets", minima);
    // The factors make all numbers converge to 1, whatever their start.
    add({.name = probeName(kMultiplyAdd, "float32"),
         .shader = "probes/multiply_add.frag",
         .how = "in registers of fragments",
         .amount = 4. * kProbeChains * kProbeRounds,
         .expected = everywhere(kProbeChains),
         .tolerance = 0.04,
         .uniforms = {{"factor", 0.96875F}, {"summand", 0.03125F}}});
    addAbsent(probeName(kMultiplyAdd, "float64"), kNoDoubles);
    for (const char* format : {"float32", "float64", "tf32", "fp16"})
        addAbsent(probeName(kMatrixProduct, format), "fragment programs have no instructions for matrices");
    FragmentWork counts{
        .name = std::string(kPopulationCount),
        .shader = "probes/count_bits.frag",
        .how =
            "XOR with a word and count, by bitCount or carry-save adders, whichever is faster; in registers "
            "of fragments",
        .amount = 1024. * kProbeRounds,
        .expected = expectedBits,
        .format = TextureFormat::RGBA32UI,
        .ways = {{{"UNSIGNED", ""}, {"CARRY_SAVE", ""}}},
        .unit = "Gbit/s"};
    if (features.bitCount) {
        counts.ways.push_back({{"UNSIGNED", ""}, {"CARRY_SAVE", ""}, {"BIT_COUNT", ""}});
        counts.ways.push_back({{"UNSIGNED", ""}, {"BIT_COUNT", ""}});
    }
    addWhere(features.unsignedTargets, "no unsigned render targets", counts);
    add({.name = probeName(kLog, "float32"),
         .shader = "probes/logarithm.frag",
         .how = "in registers of fragments, with an addition each",
         .amount = 4. * kProbeRounds,               // four chains
         .expected = everywhere(4 * 3.1461932206),  // x = log x + 2
         .tolerance = 0.002,
         .uniforms = {{"summand", 2.0F}},
         .rounds = kProbeRounds / 4});
    probes.push_back(drawProbe(backend));
    probes.push_back(transferProbe(backend, true));
    probes.push_back(transferProbe(backend, false));
    for (const bool isInteger : {false, true}) probes.push_back(computeStageProbe(backend, isInteger));
    return probes;
}

namespace {

/// One of the two equivalent programs of probes/add_min.comp.
struct Way {
    ShaderDefines defines;
    GLuint groupThreads;
    double amount;  ///< additions with minima per thread
    bool isOfSums;
};
/// Chains of four numbers each, or independent sums.
Way wayOf(bool isInteger, bool isOfSums) {
    Way way = isOfSums ? Way{{{"SUMS", ""}}, 256, 2. * kProbeSums * kProbeRounds, true}
                       : Way{{}, 128, 4. * kProbeChains * kProbeRounds, false};
    if (isInteger) way.defines.push_back({"FIXED_POINT", ""});
    return way;
}
/// The value that a thread of a group writes to a component.
template <class T>
T expectedOf(const Way& way, T start, std::size_t thread, std::size_t component) {
    if (way.isOfSums) return expectedSums<T>(start + static_cast<T>(thread), static_cast<int>(component));
    return expectedChainSum<T>(start + static_cast<T>(thread + component));
}

/// A program with a compute stage only.
class ComputeProgram {
  public:
    explicit ComputeProgram(const std::string& source) {
        const GLuint shader = glCreateShader(GL_COMPUTE_SHADER);
        const char* text = source.c_str();
        glShaderSource(shader, 1, &text, nullptr);
        glCompileShader(shader);
        program_ = glCreateProgram();
        glAttachShader(program_, shader);
        glLinkProgram(program_);
        glDeleteShader(shader);
        GLint isLinked = GL_FALSE;
        glGetProgramiv(program_, GL_LINK_STATUS, &isLinked);
        if (isLinked == GL_TRUE) return;
        char log[1024] = "";
        glGetProgramInfoLog(program_, sizeof log, nullptr, log);
        glDeleteProgram(program_);
        throw UnavailableError(fmt::format("the driver refuses the compute program: {}", log));
    }
    ~ComputeProgram() { glDeleteProgram(program_); }
    ComputeProgram(const ComputeProgram&) = delete;
    ComputeProgram& operator=(const ComputeProgram&) = delete;
    void use() const { glUseProgram(program_); }
    void set(const char* name, std::int32_t value) const {
        glUniform1i(glGetUniformLocation(program_, name), value);
    }
    void set(const char* name, float value) const {
        glUniform1f(glGetUniformLocation(program_, name), value);
    }

  private:
    GLuint program_ = 0;
};

template <class T>
DeviceProbe::Runner startMinima(GlBackend& backend, const std::string& name, const Way& way) {
    const auto program = std::make_shared<ComputeProgram>(
        assembleComputeShader("probes/add_min.comp", way.defines, backend.options().shaderFolder));
    constexpr T start = 1 << 16;
    const GLuint most = (backend.isEmulated() ? 8192 : 524288) / way.groupThreads;
    const auto sums = std::make_shared<Buffer>(
        GL_SHADER_STORAGE_BUFFER, 4 * std::size_t{most} * way.groupThreads * sizeof(T), GL_STREAM_READ);
    const auto prepare = [program, sums] {
        sums->bind();
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, sums->name());
        program->use();
        program->set("rounds", kProbeRounds);
        program->set("step_", T{-1});
        program->set("otherStep", T{-2});
        program->set("start", start);
    };
    // A run must be short enough for watchdogs, as fragments' squares are. A run delayed by other work must
    // not decide the size.
    constexpr double kMaxSeconds = 0.04;
    GLuint groups = std::min(most, GLuint{64});
    prepare();
    // Drivers compile during the first run. NVIDIA's compiles again during the next ones: until the better
    // code is in place (0.2 s), they reach a fifth of the rate.
    constexpr double kCompileSeconds = 0.5;
    const Stopwatch compiling;
    do {
        glDispatchCompute(groups, 1, 1);
        backend.finish();
    } while (!backend.isEmulated() && compiling.seconds() < kCompileSeconds);
    for (; 2 * groups <= most; groups *= 2) {
        const double seconds = shortestSeconds(
            [&] {
                const Stopwatch watch;
                glDispatchCompute(groups, 1, 1);
                backend.finish();
                return watch.seconds();
            },
            kMaxSeconds / 2);
        if (2 * seconds > kMaxSeconds) break;
    }
    std::vector<T> expected;
    for (std::size_t thread = 0; thread < way.groupThreads; ++thread)
        for (std::size_t component = 0; component < 4; ++component)
            expected.push_back(expectedOf<T>(way, start, thread, component));
    const std::size_t threads = std::size_t{groups} * way.groupThreads;
    return [&backend, name, prepare, groups, threads, sums, expected = std::move(expected),
            amount = way.amount](std::size_t portions) {
        backend.makeCurrent();
        prepare();
        backend.finish();
        const Stopwatch watch;
        for (std::size_t portion = 0; portion < portions; ++portion) glDispatchCompute(groups, 1, 1);
        backend.finish();
        const double seconds = watch.seconds();
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
        std::vector<T> found(4 * threads);
        glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, static_cast<GLsizeiptr>(found.size() * sizeof(T)),
                           found.data());
        // Clear the results, so that the next run cannot pass with them.
        glClearBufferData(GL_SHADER_STORAGE_BUFFER, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
        checkErrors(name);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (const T wanted = expected[i % expected.size()]; found[i] != wanted)
                requireProbeResult(fmt::format("{}, thread {}", name, i / 4), static_cast<double>(found[i]),
                                   static_cast<double>(wanted));
        return ProbeRun{amount * static_cast<double>(threads) * static_cast<double>(portions) / 1e9, seconds};
    };
}

/// Runs both programs, because drivers' compilers favour different ones.
template <class T>
DeviceProbe::Runner startFaster(GlBackend& backend, const std::string& name) {
    std::vector<DeviceProbe::Runner> ways;
    for (const bool isOfSums : {false, true})
        ways.push_back(startMinima<T>(backend, name, wayOf(std::is_integral_v<T>, isOfSums)));
    return fastestOf(std::move(ways));
}

}  // namespace

DeviceProbe computeStageProbe(GlBackend& backend, bool isInteger) {
    std::string name = "compute stage " + probeName(kAddMin, isInteger ? "int32" : "float32");
    if (backend.dialect() != Dialect::Gl33)
        return absentProbe(std::move(name), "G/s", "contexts of this dialect have none");
    backend.makeCurrent();
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    if (std::pair(major, minor) < std::pair(4, 3) || glDispatchCompute == nullptr)
        return absentProbe(std::move(name), "G/s", "the driver's OpenGL is older than 4.3 and has none");
    const auto begin = [&backend, isInteger, name] {
        return isInteger ? startFaster<std::int32_t>(backend, name) : startFaster<float>(backend, name);
    };
    return {std::move(name), "G/s",
            "an addition and a minimum each, in registers, by chains or by 16 sums a thread, whichever is "
            "faster; measured only: no algorithm uses this stage",
            begin};
}

}  // namespace glycine::gl
