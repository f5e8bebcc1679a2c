#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/gl_probes.hpp"
#include "engine/gl/framework/readback.hpp"

namespace glycine::gl {

namespace {

/// A way to the same, as probes/add_min.comp has two.
struct Way {
    ShaderDefines defines;
    GLuint groupThreads;
    double amount;  ///< additions with minima of a thread
    bool isOfSums;
};
/// Chains of four numbers each, or sums that have nothing to do with each other.
Way wayOf(bool isInteger, bool isOfSums) {
    Way way = isOfSums ? Way{{{"SUMS", ""}}, 256, 2. * kProbeSums * kProbeRounds, true}
                       : Way{{}, 128, 4. * kProbeChains * kProbeRounds, false};
    if (isInteger) way.defines.push_back({"FIXED_POINT", ""});
    return way;
}
/// What a thread of a group leaves in a component.
template <class T>
T expectedOf(const Way& way, T start, std::size_t thread, std::size_t component) {
    if (way.isOfSums) return expectedSums<T>(start + static_cast<T>(thread), static_cast<int>(component));
    return expectedChainSum<T>(start + static_cast<T>(thread + component));
}

/// A program of the compute stage alone.
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
    // No longer than a watchdog lets pass, as fragments' squares; a run that something else held up must not
    // decide that.
    constexpr double kMostSeconds = 0.04;
    GLuint groups = std::min(most, GLuint{64});
    prepare();
    glDispatchCompute(groups, 1, 1);  // drivers compile now
    backend.finish();
    for (; 2 * groups <= most; groups *= 2) {
        const double seconds = shortestSeconds(
            [&] {
                const Stopwatch watch;
                glDispatchCompute(groups, 1, 1);
                backend.finish();
                return watch.seconds();
            },
            kMostSeconds / 2);
        if (2 * seconds > kMostSeconds) break;
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
        checkErrors(name);
        // Nothing is left for the next run to find.
        const std::vector<T> zeros(found.size());
        glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, static_cast<GLsizeiptr>(found.size() * sizeof(T)),
                        zeros.data());
        for (std::size_t i = 0; i < found.size(); ++i)
            if (const T wanted = expected[i % expected.size()]; found[i] != wanted)
                requireProbeResult(fmt::format("{}, thread {}", name, i / 4), static_cast<double>(found[i]),
                                   static_cast<double>(wanted));
        return ProbeRun{amount * static_cast<double>(threads) * static_cast<double>(portions) / 1e9, seconds};
    };
}

/// By both ways: which one a driver's compiler makes more of differs.
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
