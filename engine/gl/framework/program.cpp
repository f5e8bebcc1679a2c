#include "engine/gl/framework/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <glm/gtc/type_ptr.hpp>
#include <optional>
#include <sstream>
#include <utility>

#include "engine/core/build_info.hpp"
#include "engine/core/error.hpp"
#include "engine/core/suggestion.hpp"

namespace glycine::gl {

namespace {

std::string loadFile(std::string_view name, const std::string& overrideFolder) {
    if (!overrideFolder.empty()) {
        std::ifstream file(fmt::format("{}/{}", overrideFolder, name));
        if (file) {
            std::ostringstream text;
            text << file.rdbuf();
            return text.str();
        }
    }
    const EmbeddedFiles& shaders = embeddedShaders();
    const auto found = shaders.find(name);
    if (found == shaders.end()) throw UsageError(fmt::format("no shader '{}' is built in", name));
    return std::string(found->second);
}

std::string resolveIncludes(const std::string& text, const std::string& overrideFolder) {
    std::istringstream lines(text);
    std::string result;
    constexpr std::string_view kDirective = "#include \"";
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kDirective)) {
            const auto name = line.substr(kDirective.size(), line.rfind('"') - kDirective.size());
            result += resolveIncludes(loadFile(name, overrideFolder), overrideFolder);
        } else if (line.ends_with('\\')) {
            result += line.substr(0, line.size() - 1);  // GLSL 3.30 has no line continuation
        } else {
            result += line + '\n';
        }
    }
    return result;
}

}  // namespace

std::string assembleShader(Dialect dialect, ShaderStage stage, std::string_view bodyFile,
                           const ShaderDefines& defines, const std::string& overrideFolder) {
    // #version must come first, and the defines before the parts of the prologue that depend on them.
    const std::string prologue =
        loadFile(fmt::format("prologues/{}.glsl", toString(dialect)), overrideFolder);
    const auto versionEnd = prologue.find('\n') + 1;
    std::string source = prologue.substr(0, versionEnd);
    source += stage == ShaderStage::Vertex ? "#define VERTEX_STAGE\n" : "#define FRAGMENT_STAGE\n";
    for (const auto& [name, value] : defines) source += fmt::format("#define {} {}\n", name, value);
    source += resolveIncludes(prologue.substr(versionEnd), overrideFolder);
    source += "#line 1\n";
    source += resolveIncludes(loadFile(bodyFile, overrideFolder), overrideFolder);
    return source;
}

std::string nameOf(std::string_view bodyFile, const ShaderDefines& defines) {
    std::string text(bodyFile);
    for (const auto& [name, value] : defines)
        text += value.empty() ? fmt::format(" {}", name) : fmt::format(" {}={}", name, value);
    return text;
}

std::string assembleComputeShader(std::string_view file, const ShaderDefines& defines,
                                  const std::string& overrideFolder) {
    const std::string text = loadFile(file, overrideFolder);
    const auto versionEnd = text.find('\n') + 1;
    std::string source = text.substr(0, versionEnd);
    for (const auto& [name, value] : defines) source += fmt::format("#define {} {}\n", name, value);
    return source + "#line 2\n" + resolveIncludes(text.substr(versionEnd), overrideFolder);
}

namespace {

/// Whether the context has the functions; in others, queries about them are errors.
bool hasProgramBinaries(Dialect dialect) {
    if (glGetProgramBinary == nullptr || glProgramBinary == nullptr || glProgramParameteri == nullptr)
        return false;
    // Core in OpenGL ES 3.0 and OpenGL 4.1; drivers of the latter still list the extension.
    return dialect == Dialect::Es300 || hasExtension("GL_ARB_get_program_binary");
}

std::vector<GLint> binaryFormats() {
    GLint count = 0;
    glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &count);
    std::vector<GLint> formats(static_cast<std::size_t>(std::max(count, 0)));
    if (!formats.empty()) glGetIntegerv(GL_PROGRAM_BINARY_FORMATS, formats.data());
    return formats;
}

}  // namespace

std::string driverKey(Dialect dialect) {
    std::string key;
    const auto add = [&](std::string_view part) { key.append(part).append("\n"); };
    for (const GLenum name : {GL_VENDOR, GL_RENDERER, GL_VERSION, GL_SHADING_LANGUAGE_VERSION}) {
        const auto* text = reinterpret_cast<const char*>(glGetString(name));
        add(text != nullptr ? text : "");
    }
    add(toString(dialect));
    add(describeBuild());
    return key;
}

ProgramBinaries::ProgramBinaries(storage::UserCache& cache, Dialect dialect)
    : cache_(cache),
      key_("program\n" + driverKey(dialect)),
      isOffered_(hasProgramBinaries(dialect) && !binaryFormats().empty()) {}

bool ProgramBinaries::load(GLuint program, std::string_view sources) {
    if (!isOn()) return false;
    const std::optional<std::string> kept = cache_.find(key_ + std::string(sources));
    GLenum format = 0;
    if (!kept || kept->size() <= sizeof format) return false;
    std::memcpy(&format, kept->data(), sizeof format);
    // Passing a format that the driver does not list is an error, not a refusal.
    const std::vector<GLint> formats = binaryFormats();
    if (std::ranges::find(formats, static_cast<GLint>(format)) == formats.end()) return false;
    glProgramBinary(program, format, kept->data() + sizeof format,
                    static_cast<GLsizei>(kept->size() - sizeof format));
    GLint ok = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (glGetError() != GL_NO_ERROR || ok != GL_TRUE) return false;
    ++loaded_;
    return true;
}

void ProgramBinaries::prepare(GLuint program) const {
    if (isOn()) glProgramParameteri(program, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
}

void ProgramBinaries::store(GLuint program, std::string_view sources) {
    if (!isOn()) return;
    GLint length = 0;
    glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH, &length);
    if (length <= 0) return;
    GLenum format = 0;
    std::string value(sizeof format + static_cast<std::size_t>(length), '\0');
    GLsizei written = 0;
    glGetProgramBinary(program, length, &written, &format, value.data() + sizeof format);
    if (glGetError() != GL_NO_ERROR || written <= 0 || written > length) return;
    std::memcpy(value.data(), &format, sizeof format);
    value.resize(sizeof format + static_cast<std::size_t>(written));
    const std::string key = key_ + std::string(sources);
    if (cache_.find(key) != value && cache_.put(key, value)) ++stored_;
}

Capability ProgramBinaries::describe() const {
    if (!isOffered_) return {"programs kept for later runs", "no", "this driver gives no binary programs"};
    return {"programs kept for later runs", isOn() ? "yes" : "no", cache_.describe()};
}

namespace {

GLuint beginCompiling(GLenum stage, const std::string& source) {
    const GLuint shader = glCreateShader(stage);
    const char* text = source.c_str();
    glShaderSource(shader, 1, &text, nullptr);
    glCompileShader(shader);
    return shader;
}

void requireCompiled(GLuint shader, std::string_view stage, const std::string& name) {
    GLint ok = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (ok == GL_TRUE) return;
    std::array<char, 4096> log{};
    glGetShaderInfoLog(shader, log.size(), nullptr, log.data());
    throw DeviceError(
        fmt::format("shader '{}' ({} stage) does not compile on this driver:\n{}", name, stage, log.data()));
}

}  // namespace

Program::Program(const std::string& vertexSource, const std::string& fragmentSource, std::string name,
                 ProgramBinaries* binaries, bool waits)
    : name_(std::move(name)), binaries_(binaries), sources_(vertexSource + '\0' + fragmentSource) {
    program_ = glCreateProgram();
    if (binaries_ == nullptr || !binaries_->load(program_, sources_)) begin(vertexSource, fragmentSource);
    if (!waits) return;
    try {
        finish();
    } catch (...) {
        destroy();
        throw;
    }
}

void Program::begin(const std::string& vertexSource, const std::string& fragmentSource) {
    vertex_ = beginCompiling(GL_VERTEX_SHADER, vertexSource);
    fragment_ = beginCompiling(GL_FRAGMENT_SHADER, fragmentSource);
    glAttachShader(program_, vertex_);
    glAttachShader(program_, fragment_);
    // The 2005 dialect has no layout qualifiers, so attribute locations are set here for all dialects.
    glBindAttribLocation(program_, 0, "position");
    for (GLuint i = 0; i < 4; ++i)
        glBindAttribLocation(program_, 1 + i, fmt::format("coordinate{}", i).c_str());
    if (binaries_ != nullptr) binaries_->prepare(program_);
    // Does not query the result yet, so that drivers can compile several programs in parallel.
    glLinkProgram(program_);
}

void Program::finish() {
    if (isFinished_) return;
    if (vertex_ != 0) {
        requireCompiled(vertex_, "vertex", name_);
        requireCompiled(fragment_, "fragment", name_);
        GLint ok = GL_FALSE;
        glGetProgramiv(program_, GL_LINK_STATUS, &ok);
        if (ok != GL_TRUE) {
            std::array<char, 4096> log{};
            glGetProgramInfoLog(program_, log.size(), nullptr, log.data());
            throw DeviceError(
                fmt::format("shader '{}' does not link on this driver:\n{}", name_, log.data()));
        }
        deleteShaders();
        if (binaries_ != nullptr) binaries_->store(program_, sources_);
    } else {
        sources_.clear();
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
    isFinished_ = true;
}

void Program::storeUsed() {
    if (isFinished_ && binaries_ != nullptr && !sources_.empty()) binaries_->store(program_, sources_);
}

void Program::deleteShaders() {
    for (GLuint* const shader : {&vertex_, &fragment_}) glDeleteShader(std::exchange(*shader, 0));
}

void Program::destroy() {
    deleteShaders();
    glDeleteProgram(program_);
}

Program::~Program() {
    destroy();
}

GLint Program::location(std::string_view uniform) const {
    const auto found = locations_.find(uniform);
    if (found != locations_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, place] : locations_) known.push_back(name);
    throw UsageError(
        fmt::format("shader '{}' has no uniform '{}'; {}", name_, uniform, suggestNames(uniform, known)));
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

Program& ProgramCache::find(std::string_view vertexFile, std::string_view fragmentFile,
                            const ShaderDefines& defines) {
    Program*& named = byName_[fmt::format("{} {}", vertexFile, nameOf(fragmentFile, defines))];
    if (named == nullptr) {
        const std::string vertex =
            assembleShader(dialect_, ShaderStage::Vertex, vertexFile, defines, overrideFolder_);
        const std::string fragment =
            assembleShader(dialect_, ShaderStage::Fragment, fragmentFile, defines, overrideFolder_);
        auto& program = programs_[vertex + '\0' + fragment];
        if (!program)
            program =
                std::make_unique<Program>(vertex, fragment, std::string(fragmentFile), &binaries_, false);
        named = program.get();
    }
    return *named;
}

Program& ProgramCache::get(std::string_view vertexFile, std::string_view fragmentFile,
                           const ShaderDefines& defines) {
    Program& program = find(vertexFile, fragmentFile, defines);
    program.finish();
    return program;
}

void ProgramCache::storeUsed() {
    for (const auto& [sources, program] : programs_) program->storeUsed();
}

void ProgramCache::begin(std::string_view vertexFile, std::string_view fragmentFile,
                         const ShaderDefines& defines) {
    find(vertexFile, fragmentFile, defines);
}

}  // namespace glycine::gl
