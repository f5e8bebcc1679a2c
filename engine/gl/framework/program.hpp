#pragma once

#include <cstddef>
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
#include "engine/storage/user_cache.hpp"

namespace glycine::gl {

/// Files under shaders/, by name: "bounds/smooth_upper_scalar.frag".
const EmbeddedFiles& embeddedShaders();

enum class ShaderStage { Vertex, Fragment };

/// Preprocessor definitions inserted between prologue and body: {"ROWS", "8"} becomes `#define ROWS 8`.
using ShaderDefines = std::vector<std::pair<std::string, std::string>>;

/// Assembles a complete shader from the dialect's prologue, the defines and the body. A body is written in
/// the common subset of GLSL 3.30 and ESSL 3.00, without `#version`. `#include "common/x.glsl"` is replaced
/// by that file. `overrideFolder` (may be empty) is searched before the built-in files. Throws UsageError for
/// a file that does not exist.
std::string assembleShader(Dialect dialect, ShaderStage stage, std::string_view bodyFile,
                           const ShaderDefines& defines, const std::string& overrideFolder);

/// Name of a shader with its defines: "bounds/relax_strips.frag ROWS=8".
std::string nameOf(std::string_view bodyFile, const ShaderDefines& defines);

/// Assembles a compute shader. Its file is complete; the defines are inserted after its `#version`.
std::string assembleComputeShader(std::string_view file, const ShaderDefines& defines,
                                  const std::string& overrideFolder);

/// Identifies the driver of the current context, the dialect and this build, since measurements and compiled
/// programs are valid only for these. Prefix of keys in the user's cache.
std::string driverKey(Dialect dialect);

/// Linked programs of earlier processes (glGetProgramBinary), so that shaders compile once per machine. The
/// key is driver, dialect, build and the complete sources. If the driver rejects a stored program, it is
/// compiled again and replaced. Off if the driver offers no binary formats, or if the cache is off.
class ProgramBinaries {
  public:
    /// For the current context; `cache` must outlive it.
    ProgramBinaries(storage::UserCache& cache, Dialect dialect);

    /// Links `program` from the stored binary. If it returns false, compile the program, with `prepare`
    /// before linking and `store` afterwards.
    bool load(GLuint program, std::string_view sources);
    void prepare(GLuint program) const;
    /// Does nothing if the same binary is stored.
    void store(GLuint program, std::string_view sources);

    /// Number of programs loaded, and stored for later processes.
    std::size_t loaded() const { return loaded_; }
    std::size_t stored() const { return stored_; }
    /// For `glycine info`.
    Capability describe() const;

  private:
    bool isOn() const { return isOffered_ && cache_.isOn(); }

    storage::UserCache& cache_;
    std::string key_;
    bool isOffered_ = false;
    std::size_t loaded_ = 0;
    std::size_t stored_ = 0;
};

/// A linked pair of vertex and fragment shader. Uniform setters require the program to be in use. They throw
/// UsageError for a name that the linked program lacks, so that a misspelt uniform is never ignored.
class Program {
  public:
    /// Compiles and links, or loads the binary that an earlier process stored in `binaries`. A newly linked
    /// program is stored there for later processes; `binaries` must outlive the program. Throws DeviceError
    /// with the driver's log and the numbered source line it names. If `waits` is false, call `finish` before
    /// any other function.
    Program(const std::string& vertexSource, const std::string& fragmentSource, std::string name,
            ProgramBinaries* binaries = nullptr, bool waits = true);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Waits for the driver's compiler, at the first call only.
    void finish();
    /// Stores a program that this process has linked once more, after it was used: a driver that compiled it
    /// again for the state it was used in may add the result (ARB_get_program_binary, section 2.14.3).
    void storeUsed();
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
    GLuint vertex_ = 0;    ///< until finish()
    GLuint fragment_ = 0;  ///< until finish()
    bool isFinished_ = false;
    std::string name_;
    ProgramBinaries* binaries_;
    std::string sources_;  ///< until finish() if the program was loaded
    std::map<std::string, GLint, std::less<>> locations_;
};

/// Programs by their complete source: a variant compiles once per context, however often it runs, and once
/// per machine where the driver and the user's cache allow.
class ProgramCache {
  public:
    /// For the current context; `cache` must outlive it.
    ProgramCache(Dialect dialect, std::string overrideFolder, storage::UserCache& cache)
        : dialect_(dialect), overrideFolder_(std::move(overrideFolder)), binaries_(cache, dialect) {}
    /// The program of the shader files under shaders/ with the given defines.
    Program& get(std::string_view vertexFile, std::string_view fragmentFile,
                 const ShaderDefines& defines = {});
    /// Lets the driver start on a program that will be needed: it may compile several in parallel.
    void begin(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines = {});
    /// Calls Program::storeUsed for all programs.
    void storeUsed();
    std::size_t size() const { return programs_.size(); }
    Dialect dialect() const { return dialect_; }
    const ProgramBinaries& binaries() const { return binaries_; }

  private:
    Program& find(std::string_view vertexFile, std::string_view fragmentFile, const ShaderDefines& defines);

    Dialect dialect_;
    std::string overrideFolder_;
    ProgramBinaries binaries_;
    std::map<std::string, std::unique_ptr<Program>> programs_;  ///< by complete source
    std::map<std::string, Program*> byName_;                    ///< by files and defines, a faster key
};

}  // namespace glycine::gl
