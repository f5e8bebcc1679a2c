#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/backend.hpp"
#include "engine/core/embedded_files.hpp"
#include "engine/gl/framework/gl_api.hpp"
#include "engine/gl/framework/program_binaries.hpp"

namespace glycine::gl {

/// Of shaders/: "bounds/smooth_upper_scalar.frag".
const EmbeddedFiles& embeddedShaders();

enum class ShaderStage { Vertex, Fragment };

/// Preprocessor names put between prologue and body: {"ROWS", "8"} becomes `#define ROWS 8`.
using ShaderDefines = std::vector<std::pair<std::string, std::string>>;

/// Puts a complete shader together: the dialect's prologue, the defines, the body. A body is written in the
/// common subset of GLSL 3.30 and ESSL 3.00 and has no `#version`; `#include "common/x.glsl"` is replaced by
/// that file. `overrideFolder` (may be empty) is searched before the built-in files. Throws UsageError for a
/// file that does not exist.
std::string assembleShader(Dialect dialect, ShaderStage stage, std::string_view bodyFile,
                           const ShaderDefines& defines, const std::string& overrideFolder);

/// A shader with its defines, as a name: "bounds/relax_strips.frag ROWS=8".
std::string nameOf(std::string_view bodyFile, const ShaderDefines& defines);

/// A program of the compute stage, which is complete as it stands in its file: defines go behind its
/// `#version`.
std::string assembleComputeShader(std::string_view file, const ShaderDefines& defines,
                                  const std::string& overrideFolder);

/// A linked pair of vertex and fragment shader. Uniform setters need the program to be in use, and throw
/// UsageError for a name that the linked program does not have: a misspelt uniform is never silently ignored.
class Program {
  public:
    /// Compiles and links, or takes what an earlier process has left in `binaries` and leaves it there for
    /// later ones; `binaries` outlive it. Throws DeviceError with the driver's log and the numbered source
    /// line it names. Without `waits`, `finish` does so, before anything else is called.
    Program(const std::string& vertexSource, const std::string& fragmentSource, std::string name,
            ProgramBinaries* binaries = nullptr, bool waits = true);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Waits for the driver's compiler, once.
    void finish();
    void use() const { glUseProgram(program_); }
    Program& set(std::string_view uniform, int value);
    Program& set(std::string_view uniform, float value);
    Program& set(std::string_view uniform, glm::vec2 value);
    Program& set(std::string_view uniform, glm::ivec2 value);
    Program& set(std::string_view uniform, glm::vec4 value);
    Program& set(std::string_view uniform, const glm::mat4& value);
    /// Connects a uniform block with a binding point of glBindBufferRange.
    Program& bindBlock(std::string_view block, unsigned bindingPoint);
    const std::string& name() const { return name_; }

  private:
    void begin(const std::string& vertexSource, const std::string& fragmentSource);
    void deleteShaders();
    void destroy();
    GLint location(std::string_view uniform) const;

    GLuint program_ = 0;
    GLuint vertex_ = 0;    ///< until it is finished
    GLuint fragment_ = 0;  ///< until it is finished
    bool isFinished_ = false;
    std::string name_;
    ProgramBinaries* binaries_;
    std::string sources_;  ///< until it is finished
    std::map<std::string, GLint, std::less<>> locations_;
};

/// Programs by their complete source, so that a variant compiles once a context however often it runs, and
/// once a machine where the driver and the user's cache allow.
class ProgramCache {
  public:
    /// For the current context; `cache` must outlive it.
    ProgramCache(Dialect dialect, std::string overrideFolder, storage::UserCache& cache)
        : dialect_(dialect), overrideFolder_(std::move(overrideFolder)), binaries_(cache, dialect) {}
    /// The program of the shader files under shaders/ with the given defines.
    Program& get(std::string_view vertexFile, std::string_view fragmentFile,
                 const ShaderDefines& defines = {});
    /// Has the driver begin with a program that will be needed: it may compile several side by side.
    void begin(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines = {});
    std::size_t size() const { return programs_.size(); }
    Dialect dialect() const { return dialect_; }
    const ProgramBinaries& binaries() const { return binaries_; }

  private:
    Program& find(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines);

    Dialect dialect_;
    std::string overrideFolder_;
    ProgramBinaries binaries_;
    std::map<std::string, std::unique_ptr<Program>> programs_;  ///< by complete source
    std::map<std::string, Program*> byName_;  ///< by files and defines, which is quicker to ask
};

}  // namespace glycine::gl
