#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/gl/framework/context.hpp"

namespace glycine::gl {

namespace {

class GlfwContext final : public Context {
  public:
    GlfwContext(std::string origin, GLFWwindow* window) : Context(std::move(origin)), window_(window) {}
    ~GlfwContext() override {
        glfwDestroyWindow(window_);
        glfwTerminate();
    }
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

std::unique_ptr<Context> createGlfwContext(const ContextOptions& options) {
    if (options.device)
        throw UsageError(
            "--device chooses among EGL devices; a GLFW window opens on the display's own device");
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
        window = glfwCreateWindow(640, 480, "Glycine", nullptr, nullptr);
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
