#include "engine/gl/framework/visible_window.hpp"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <glm/common.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/vec3.hpp>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::gl {

namespace {

constexpr int kSampleSide = 64;
/// A texture unit that no pass uses: OpenGL ES 3.0 and OpenGL 3.3 have at least 16.
constexpr int kUnit = 15;

ShaderDefines definesOf(const TextureShape& shape, bool isSample) {
    const GLenum type = info(shape.format).type;
    const bool isArray = shape.layers > 0;
    ShaderDefines defines;
    if (isSample) defines.push_back({"SAMPLE", ""});
    if (isArray) defines.push_back({"ARRAY", ""});
    if (isArray || type != GL_FLOAT)
        defines.push_back({"SAMPLER", fmt::format("{}sampler2D{}",
                                                  type == GL_INT            ? "i"
                                                  : type == GL_UNSIGNED_INT ? "u"
                                                                            : "",
                                                  isArray ? "Array" : "")});
    return defines;
}

void handleKey(GLFWwindow* window, int key, int /*scancode*/, int action, int modifiers) {
    auto* const shown = static_cast<VisibleWindow*>(glfwGetWindowUserPointer(window));
    if (action != GLFW_PRESS) return;
    if (key == GLFW_KEY_ESCAPE) shown->hide();
    if (key == GLFW_KEY_C && (modifiers & GLFW_MOD_CONTROL) != 0) shown->cancel();
}

void handleClose(GLFWwindow* window) {
    static_cast<VisibleWindow*>(glfwGetWindowUserPointer(window))->cancel();
}

}  // namespace

SavedGlState::SavedGlState() {
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer_);
    glGetIntegerv(GL_VIEWPORT, viewport_);
    glGetIntegerv(GL_SCISSOR_BOX, scissor_);
    glGetIntegerv(GL_ACTIVE_TEXTURE, &unit_);
}

SavedGlState::~SavedGlState() {
    glActiveTexture(static_cast<GLenum>(unit_));
    glScissor(scissor_[0], scissor_[1], scissor_[2], scissor_[3]);
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
    glUseProgram(static_cast<GLuint>(program_));
}

glm::ivec2 numbersOf(const Framebuffer& target) {
    return {target.shape().size.x * info(target.shape().format).channels, target.shape().size.y};
}

glm::mat4 placingOf(glm::ivec2 image, glm::ivec2 window) {
    const glm::vec2 room(window);
    const glm::vec2 size(image);
    const float scale = std::min(room.x / size.x, room.y / size.y);
    const glm::vec2 shown = glm::max(size * scale, room / 16.0F);
    const glm::mat4 projection = glm::ortho(0.0F, room.x, 0.0F, room.y);
    const glm::mat4 moved = glm::translate(projection, glm::vec3((room - shown) / 2.0F, 0.0F));
    return glm::scale(moved, glm::vec3(shown, 1.0F));
}

VisibleWindow::VisibleWindow(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs)
    : window_(glfwGetCurrentContext()), painter_(pool, geometry, programs), next_(Clock::now()) {
    if (window_ == nullptr) throw UnavailableError("this OpenGL context has no window to be seen");
    glfwSetWindowUserPointer(window_, this);
    glfwSetKeyCallback(window_, handleKey);
    glfwSetWindowCloseCallback(window_, handleClose);
    glfwSwapInterval(0);  // passes must not wait for the screen
}

void VisibleWindow::hide() {
    isOpen_ = false;
    glfwHideWindow(window_);
}

void VisibleWindow::show(std::string_view program, const Framebuffer& target) {
    ++passes_;
    const Clock::TimePoint start = Clock::now();
    if (!isOpen_ || start < next_ || target.shape().size == glm::ivec2(1)) return;
    draw(target);
    glfwSetWindowTitle(window_, fmt::format("{}, pass {} - Glycine", program, passes_).c_str());
    glfwSwapBuffers(window_);
    glfwPollEvents();
    ++frames_;
    const Clock::TimePoint end = Clock::now();
    next_ = std::max(
        start + std::chrono::duration_cast<Clock::TimePoint::duration>(std::chrono::microseconds(16667)),
        end + 9 * (end - start));
    if (isCancelled_) throw CancelledError();
}

void VisibleWindow::draw(const Framebuffer& target) {
    const SavedGlState kept;
    const glm::vec2 range = painter_.rangeOf(target);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glm::ivec2 size(0);
    glfwGetFramebufferSize(window_, &size.x, &size.y);
    glViewport(0, 0, size.x, size.y);
    glScissor(0, 0, size.x, size.y);
    glClearColor(0.2F, 0.2F, 0.2F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    painter_.paint(target, range, placingOf(numbersOf(target), size));
    checkErrors("showing a pass in the window");
}

TargetPainter::TargetPainter(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs)
    : geometry_(geometry),
      programs_(programs),
      sample_(pool, {TextureFormat::RGBA32F, {kSampleSide, kSampleSide}}) {}

void TargetPainter::paint(const Framebuffer& target, bool isSample, glm::vec2 range,
                          const glm::mat4& placing) {
    Program& program =
        programs_.get("common/window.vert", "common/window.frag", definesOf(target.shape(), isSample));
    program.use();
    target.bindTexture(kUnit);
    program.set("shown", kUnit)
        .set("size", glm::vec2(target.shape().size))
        .set("channels", static_cast<float>(info(target.shape().format).channels))
        .set("placing", placing);
    if (!isSample) program.set("range", range);
    geometry_.drawRectangle();
}

glm::vec2 TargetPainter::rangeOf(const Framebuffer& target) {
    if (info(target.shape().format).type == GL_UNSIGNED_INT) return {0, 0x1p-32F};
    sample_.framebuffer().bind();
    glViewport(0, 0, kSampleSide, kSampleSide);
    glScissor(0, 0, kSampleSide, kSampleSide);
    paint(target, true, {}, placingOf({1, 1}, {1, 1}));
    std::vector<float> texels(4 * kSampleSide * kSampleSide);
    readPixels(sample_.framebuffer(), 0, TextureFormat::RGBA32F, sample_.texture().extent(), texels.data());
    std::erase_if(texels, [](float number) { return !std::isfinite(number); });
    if (texels.empty()) return {0, 0};
    const auto [least, largest] = std::ranges::minmax(texels);
    return {least, largest > least ? 1 / (largest - least) : 0};
}

}  // namespace glycine::gl
