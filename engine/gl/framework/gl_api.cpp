#include "engine/gl/framework/gl_api.hpp"

#include <algorithm>
#include <initializer_list>

#include "engine/core/error.hpp"

namespace glycine {

#define GLYCINE_DEFINE(name, Type) Type name = nullptr;
GLYCINE_GL_FUNCTIONS(GLYCINE_DEFINE)
#undef GLYCINE_DEFINE

namespace gl {

void loadEntryPoints(AddressOf addressOf) {
#define GLYCINE_LOAD(name, Type) name = reinterpret_cast<Type>(addressOf(#name));
    GLYCINE_GL_FUNCTIONS(GLYCINE_LOAD)
#undef GLYCINE_LOAD
    if (glGetError == nullptr || glGetString == nullptr)
        throw UnavailableError("the driver gives no addresses of OpenGL's functions");
    if (glGenFramebuffers == nullptr)
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
    // From version 3 on extensions are told one by one; core contexts refuse the old way.
    if (version < "3") return hasWord(textOf(glGetString(GL_EXTENSIONS)), name);
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; ++i) {
        const char* const listed = textOf(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
        if (listed != nullptr && listed == name) return true;
    }
    return false;
}

}  // namespace gl

}  // namespace glycine
