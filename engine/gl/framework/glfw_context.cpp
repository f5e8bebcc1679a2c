#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/system/shared_library.hpp"
#include "engine/gl/framework/context.hpp"

namespace glycine::gl {

namespace {

// The functions of GLFW that are used: pointers, as those of OpenGL are (gl_api.hpp).
#define GLYCINE_GLFW_FUNCTIONS(X) \
    X(glfwCreateWindow)           \
    X(glfwDestroyWindow)          \
    X(glfwGetError)               \
    X(glfwGetProcAddress)         \
    X(glfwInit)                   \
    X(glfwMakeContextCurrent)     \
    X(glfwTerminate)              \
    X(glfwWindowHint)
#define GLYCINE_DECLARE(name) decltype(&::name) name = nullptr;
GLYCINE_GLFW_FUNCTIONS(GLYCINE_DECLARE)
#undef GLYCINE_DECLARE

/// Fills the pointers; returns why it cannot.
std::string loadGlfw() {
    const SharedLibrary library{"libglfw.so.3"};
    if (!library.isLoaded()) return library.reason();
    std::string missing;
#define GLYCINE_LOAD(name)                             \
    name = library.function<decltype(&::name)>(#name); \
    if (name == nullptr) missing += " " #name;
    GLYCINE_GLFW_FUNCTIONS(GLYCINE_LOAD)
#undef GLYCINE_LOAD
    return missing.empty() ? std::string() : "libglfw.so.3 lacks" + missing;
}

class GlfwContext final : public Context {
  public:
    GlfwContext(std::string origin, GLFWwindow* window) : Context(std::move(origin)), window_(window) {}
    ~GlfwContext() override {
        glfwDestroyWindow(window_);
        glfwTerminate();
    }
    AddressOf addressOf() const override { return glfwGetProcAddress; }
    void makeItCurrent() override { glfwMakeContextCurrent(window_); }

  private:
    GLFWwindow* window_;
};

std::string lastGlfwError() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text != nullptr ? text : "no reason given";
}

}  // namespace

const std::string& lackOfGlfw() {
    static const std::string reason = loadGlfw();
    return reason;
}

std::unique_ptr<Context> createGlfwContext(const ContextOptions& options) {
    if (options.device)
        throw UsageError(
            "--device chooses among EGL devices; a GLFW window opens on the display's own device");
    if (!lackOfGlfw().empty()) throw UnavailableError(fmt::format("GLFW cannot be loaded: {}", lackOfGlfw()));
    if (!glfwInit()) throw UnavailableError("GLFW cannot start: " + lastGlfwError());
    const RequiredVersion version = requiredVersion(options.dialect);
    glfwWindowHint(GLFW_VISIBLE, options.visibleWindow ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_CLIENT_API, version.isEs ? GLFW_OPENGL_ES_API : GLFW_OPENGL_API);
    if (options.dialect == Dialect::Gl33) glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, GLFW_TRUE);
    GLFWwindow* window = nullptr;
    for (const RequiredVersion& wanted : wantedVersions(options.dialect)) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, wanted.major);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, wanted.minor);
        window = glfwCreateWindow(320, 240, "Glycine", nullptr, nullptr);
        if (window != nullptr) break;
    }
    if (window == nullptr) {
        const std::string reason = lastGlfwError();
        glfwTerminate();
        throw UnavailableError(fmt::format("GLFW gives no OpenGL{} {}.{} window: {}",
                                           version.isEs ? " ES" : "", version.major, version.minor, reason));
    }
    auto context = std::make_unique<GlfwContext>(
        options.visibleWindow ? "GLFW visible window" : "GLFW hidden window", window);
    context->makeCurrent();
    return context;
}

}  // namespace glycine::gl
