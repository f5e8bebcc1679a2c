#include "engine/gl/framework/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <glm/gtc/type_ptr.hpp>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine::gl {

namespace {

GLuint compile(GLenum stage, const std::string& source, const std::string& name) {
    const GLuint shader = glCreateShader(stage);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    GLint ok = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == GL_TRUE) return shader;
    std::array<char, 4096> log{};
    glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
    glDeleteShader(shader);
    throw DeviceError(fmt::format("shader '{}' ({} stage) does not compile on this driver:\n{}", name,
                                  stage == GL_VERTEX_SHADER ? "vertex" : "fragment", log.data()));
}

}  // namespace

Program::Program(const std::string& vertexSource, const std::string& fragmentSource, std::string name)
    : name_(std::move(name)) {
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertexSource, name_);
    GLuint fragment = 0;
    try {
        fragment = compile(GL_FRAGMENT_SHADER, fragmentSource, name_);
    } catch (...) {
        glDeleteShader(vertex);
        throw;
    }
    program_ = glCreateProgram();
    glAttachShader(program_, vertex);
    glAttachShader(program_, fragment);
    // The 2005 dialect has no layout qualifiers: places of the attributes are fixed here for all dialects.
    glBindAttribLocation(program_, 0, "position");
    for (GLuint i = 0; i < 4; ++i)
        glBindAttribLocation(program_, 1 + i, fmt::format("coordinate{}", i).c_str());
    glLinkProgram(program_);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint ok = GL_FALSE;
    glGetProgramiv(program_, GL_LINK_STATUS, &ok);
    if (ok != GL_TRUE) {
        std::array<char, 4096> log{};
        glGetProgramInfoLog(program_, log.size(), nullptr, log.data());
        glDeleteProgram(program_);
        throw DeviceError(fmt::format("shader '{}' does not link on this driver:\n{}", name_, log.data()));
    }
    GLint count = 0;
    glGetProgramiv(program_, GL_ACTIVE_UNIFORMS, &count);
    for (GLint i = 0; i < count; ++i) {
        std::array<char, 256> text{};
        GLint size = 0;
        GLenum type = 0;
        glGetActiveUniform(program_, static_cast<GLuint>(i), text.size(), nullptr, &size, &type, text.data());
        const GLint place = glGetUniformLocation(program_, text.data());
        if (place >= 0) locations_.emplace(text.data(), place);
    }
}

Program::~Program() {
    glDeleteProgram(program_);
}

GLint Program::location(std::string_view uniform) const {
    const auto found = locations_.find(uniform);
    if (found != locations_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, place] : locations_) known.push_back(name);
    throw UsageError(
        fmt::format("shader '{}' has no uniform '{}'; it has: {}", name_, uniform, fmt::join(known, ", ")));
}

Program& Program::set(std::string_view uniform, int value) {
    glUniform1i(location(uniform), value);
    return *this;
}
Program& Program::set(std::string_view uniform, float value) {
    glUniform1f(location(uniform), value);
    return *this;
}
Program& Program::set(std::string_view uniform, glm::vec2 value) {
    glUniform2f(location(uniform), value.x, value.y);
    return *this;
}
Program& Program::set(std::string_view uniform, glm::ivec2 value) {
    glUniform2i(location(uniform), value.x, value.y);
    return *this;
}
Program& Program::set(std::string_view uniform, glm::vec4 value) {
    glUniform4f(location(uniform), value.x, value.y, value.z, value.w);
    return *this;
}

Program& Program::set(std::string_view uniform, const glm::mat4& value) {
    glUniformMatrix4fv(location(uniform), 1, GL_FALSE, glm::value_ptr(value));
    return *this;
}

Program& Program::bindBlock(std::string_view block, unsigned bindingPoint) {
    const GLuint index = glGetUniformBlockIndex(program_, std::string(block).c_str());
    if (index == GL_INVALID_INDEX)
        throw UsageError(fmt::format("shader '{}' has no uniform block '{}'", name_, block));
    glUniformBlockBinding(program_, index, bindingPoint);
    return *this;
}

Program& ProgramCache::get(std::string_view vertexFile, std::string_view fragmentFile,
                           const ShaderDefines& defines) {
    std::string key = fmt::format("{}|{}", vertexFile, fragmentFile);
    for (const auto& [name, value] : defines) key += fmt::format("|{}={}", name, value);
    Program*& named = byName_[key];
    if (named == nullptr) {
        const std::string vertex =
            assembleShader(dialect_, ShaderStage::Vertex, vertexFile, defines, overrideFolder_);
        const std::string fragment =
            assembleShader(dialect_, ShaderStage::Fragment, fragmentFile, defines, overrideFolder_);
        auto& program = programs_[vertex + '\0' + fragment];
        if (!program) program = std::make_unique<Program>(vertex, fragment, std::string(fragmentFile));
        named = program.get();
    }
    return *named;
}

}  // namespace glycine::gl
