#include "engine/gl/framework/program_binaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/core/build_info.hpp"

namespace glycine::gl {

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

}  // namespace glycine::gl
