#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec4.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "engine/gl/framework/gl_api.hpp"
#include "engine/gl/framework/shader_source.hpp"

namespace glycine::gl {

/// A linked pair of vertex and fragment shader. Uniform setters need the program to be in use, and throw
/// UsageError for a name that the linked program does not have: a misspelt uniform is never silently ignored.
class Program {
  public:
    /// Compiles and links; throws DeviceError with the driver's log and the numbered source line it names.
    Program(const std::string& vertexSource, const std::string& fragmentSource, std::string name);
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

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
    GLuint handle() const { return program_; }

  private:
    GLint location(std::string_view uniform) const;

    GLuint program_ = 0;
    std::string name_;
    std::map<std::string, GLint, std::less<>> locations_;
};

/// Programs by their complete source, so that a variant compiles once a context however often it runs.
class ProgramCache {
  public:
    ProgramCache(Dialect dialect, std::string overrideFolder)
        : dialect_(dialect), overrideFolder_(std::move(overrideFolder)) {}
    /// The program of the shader files under shaders/ with the given defines.
    Program& get(std::string_view vertexFile, std::string_view fragmentFile,
                 const ShaderDefines& defines = {});
    std::size_t size() const { return programs_.size(); }
    Dialect dialect() const { return dialect_; }

  private:
    Dialect dialect_;
    std::string overrideFolder_;
    std::map<std::string, std::unique_ptr<Program>> programs_;  ///< by complete source
    std::map<std::string, Program*> byName_;  ///< by files and defines, which is quicker to ask
};

}  // namespace glycine::gl
