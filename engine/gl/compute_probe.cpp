#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/gl_probes.hpp"
#include "engine/gl/readback.hpp"

namespace glycine::gl {

namespace {

constexpr GLuint kGroupThreads = 128;  // as in probes/add_min.comp

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
DeviceProbe::Runner startMinima(GlBackend& backend, const std::string& name, const ShaderDefines& defines) {
    const auto program = std::make_shared<ComputeProgram>(
        assembleComputeShader("probes/add_min.comp", defines, backend.options().shaderFolder));
    constexpr T start = 1 << 18;
    const GLuint most = backend.isEmulated() ? 64 : 4096;
    const auto sums = std::make_shared<Buffer>(
        GL_SHADER_STORAGE_BUFFER, 4 * std::size_t{most} * kGroupThreads * sizeof(T), GL_STREAM_READ);
    const auto prepare = [program, sums] {
        sums->bind();
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, sums->name());
        program->use();
        program->set("rounds", kProbeRounds);
        program->set("step_", T{-1});
        program->set("start", start);
    };
    // No longer than a watchdog lets pass, as fragments' squares.
    GLuint groups = 64;
    prepare();
    glDispatchCompute(groups, 1, 1);  // drivers compile now
    backend.finish();
    for (; 2 * groups <= most; groups *= 2) {
        const Stopwatch watch;
        glDispatchCompute(groups, 1, 1);
        backend.finish();
        if (2 * watch.seconds() > 0.04) break;
    }
    const std::size_t threads = std::size_t{groups} * kGroupThreads;
    return [&backend, name, prepare, groups, threads, sums](std::size_t portions) {
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
        std::vector<T> expected(kGroupThreads + 3);
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] = expectedChainSum<T>(start + static_cast<T>(i));
        for (std::size_t i = 0; i < found.size(); ++i)
            if (const T wanted = expected[i / 4 % kGroupThreads + i % 4]; found[i] != wanted)
                requireProbeResult(fmt::format("{}, thread {}", name, i / 4), static_cast<double>(found[i]),
                                   static_cast<double>(wanted));
        return ProbeRun{4. * kProbeChains * kProbeRounds * static_cast<double>(threads) *
                            static_cast<double>(portions) / 1e9,
                        seconds};
    };
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
        return isInteger ? startMinima<std::int32_t>(backend, name, {{"FIXED_POINT", ""}})
                         : startMinima<float>(backend, name, {});
    };
    return {std::move(name), "G/s",
            "an addition and a minimum each, in registers; measured only: no algorithm uses this stage",
            begin};
}

}  // namespace glycine::gl
