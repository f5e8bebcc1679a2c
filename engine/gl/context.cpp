#include "engine/gl/context.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/gl/debug_log.hpp"

namespace glycine::gl {

CurrentContext::~CurrentContext() {
    if (before_ != nullptr && before_ != Context::current()) before_->makeCurrent();
}

RequiredVersion requiredVersion(Dialect dialect) {
    switch (dialect) {
        case Dialect::Gl33:
            return {3, 3, false};
        case Dialect::Es300:
            return {3, 0, true};
        case Dialect::Gl21:
            break;
    }
    return {2, 1, false};
}

namespace {

void loadEntryPoints() {
    glewExperimental = GL_TRUE;  // otherwise GLEW trusts the extension string of old GL only
    const GLenum status = glewInit();
    // Debian's GLEW is built for GLX: under EGL it loads everything and then misses the GLX display.
    constexpr GLenum kNoGlxDisplay = 4;  // GLEW_ERROR_NO_GLX_DISPLAY, absent from older headers
    if (status != GLEW_OK && status != kNoGlxDisplay)
        throw UnavailableError(fmt::format("GLEW cannot load OpenGL: {}",
                                           reinterpret_cast<const char*>(glewGetErrorString(status))));
    if (glGenFramebuffers == nullptr && glGenFramebuffersEXT == nullptr)
        throw UnavailableError(
            "this OpenGL has no framebuffer objects (GL_ARB_framebuffer_object is missing)");
    while (glGetError() != GL_NO_ERROR) {
        // GLEW's probing of a core context leaves errors behind that are nobody's.
    }
}

void checkVersion(Dialect dialect) {
    const auto* text = reinterpret_cast<const char*>(glGetString(GL_VERSION));
    const std::string_view full = text != nullptr ? text : "";
    std::string_view numbers = full;
    const bool isEs = full.starts_with("OpenGL ES ");
    if (isEs) numbers.remove_prefix(std::string_view("OpenGL ES ").size());
    int major = 0;
    int minor = 0;
    std::sscanf(std::string(numbers).c_str(), "%d.%d", &major, &minor);
    const RequiredVersion required = requiredVersion(dialect);
    if (isEs != required.isEs || major < required.major ||
        (major == required.major && minor < required.minor))
        throw UnavailableError(fmt::format("dialect {} needs OpenGL{} {}.{}; the driver gives '{}'",
                                           toString(dialect), required.isEs ? " ES" : "", required.major,
                                           required.minor, full));
}

}  // namespace

std::unique_ptr<Context> Context::create(const ContextOptions& options) {
    std::unique_ptr<Context> context;
    std::string eglReason;
    if (options.kind != ContextKind::Glfw && !options.visibleWindow) {
        try {
            context = createEglContext(options);
        } catch (const UnavailableError& error) {
            if (options.kind == ContextKind::Egl) throw;
            eglReason = error.what();
        }
    }
    if (!context) {
        if (options.kind == ContextKind::Egl) throw UsageError("a visible window needs --context glfw");
        try {
            context = createGlfwContext(options);
        } catch (const UnavailableError& error) {
            throw UnavailableError(eglReason.empty() ? error.what()
                                                     : fmt::format("{}\n{}", eglReason, error.what()));
        }
    }
    loadEntryPoints();
    checkVersion(options.dialect);
    DebugLog::install();
    return context;
}

}  // namespace glycine::gl
