#include "engine/gl/framework/gl_api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/error.hpp"

namespace glycine::gl {

void loadEntryPoints() {
    glewExperimental = GL_TRUE;  // otherwise GLEW trusts only the old extension string
    const GLenum status = glewInit();
    // Debian's GLEW is built for GLX: under EGL it loads everything and then fails for lack of a GLX display.
    if (status != GLEW_OK && status != GLEW_ERROR_NO_GLX_DISPLAY)
        throw UnavailableError(fmt::format("GLEW cannot load OpenGL: {}",
                                           reinterpret_cast<const char*>(glewGetErrorString(status))));
    if (glGenFramebuffers == nullptr && glGenFramebuffersEXT == nullptr)
        throw UnavailableError(
            "this OpenGL has no framebuffer objects (GL_ARB_framebuffer_object is missing)");
}

bool hasWord(const char* list, std::string_view word) {
    if (list == nullptr) return false;
    std::string_view rest(list);
    while (!rest.empty()) {
        const auto end = std::min(rest.find(' '), rest.size());
        if (rest.substr(0, end) == word) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

bool hasExtension(std::string_view name) {
    const auto textOf = [](const GLubyte* text) { return reinterpret_cast<const char*>(text); };
    const char* const versionText = textOf(glGetString(GL_VERSION));
    std::string_view version = versionText != nullptr ? versionText : "";
    constexpr std::string_view kEs = "OpenGL ES ";
    if (version.starts_with(kEs)) version.remove_prefix(kEs.size());
    // Since version 3, extensions are listed one by one; core contexts refuse the old query.
    if (version < "3") return hasWord(textOf(glGetString(GL_EXTENSIONS)), name);
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const char* const listed = textOf(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (listed != nullptr && listed == name) return true;
    }
    return false;
}

}  // namespace glycine::gl
