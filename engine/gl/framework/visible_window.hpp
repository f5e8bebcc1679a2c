#pragma once

#include <cstddef>
#include <glm/mat4x4.hpp>
#include <string_view>

#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/framebuffer.hpp"

struct GLFWwindow;

namespace glycine::gl {

/// Places the unit square in a window, both in pixels: as large as fits without changing its aspect ratio, in
/// the middle. Tables of one row or column are at least a sixteenth of the window high or wide.
glm::mat4 placingOf(glm::ivec2 image, glm::ivec2 window);

/// What drawing between passes changes, as it was: destroyed, it sets it again.
class KeptState {
  public:
    KeptState();
    ~KeptState();
    KeptState(const KeptState&) = delete;
    KeptState& operator=(const KeptState&) = delete;

  private:
    GLint program_ = 0;
    GLint framebuffer_ = 0;
    GLint viewport_[4] = {};
    GLint scissor_[4] = {};
    GLint unit_ = 0;
};

/// How many numbers lie side by side and one above the other.
glm::ivec2 numbersOf(const Framebuffer& target);

/// Draws numbers of a render target's first attachment (layer 0 of an array) as colours, black by red and
/// yellow to white. The four numbers of a texel lie side by side.
class TargetPainter {
  public:
    TargetPainter(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);
    /// Of 64 × 64 numbers of the target: the least, which becomes black, and 1 / (largest − least); of
    /// unsigned words 0 and 2⁻³².
    glm::vec2 rangeOf(const Framebuffer& target);
    /// Into the framebuffer and the viewport that are set; `placing` is that of the unit square.
    void paint(const Framebuffer& target, glm::vec2 range, const glm::mat4& placing) {
        paint(target, false, range, placing);
    }

  private:
    void paint(const Framebuffer& target, bool isSample, glm::vec2 range, const glm::mat4& placing);

    PassGeometry& geometry_;
    ProgramCache& programs_;
    RenderTexture sample_;
};

/// Shows in the window of the current GLFW context what passes draw (`--visible`), each with its own range of
/// numbers.
class VisibleWindow {
  public:
    /// Throws UnavailableError where the current context has no window.
    VisibleWindow(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);

    /// After a pass of `program` to `target`: draws it into the window, at most 60 times a second, and so
    /// seldom that a run becomes at most a tenth slower; targets of one texel, which check the device, are
    /// left out. Escape hides the window, and the run goes on. Throws
    /// CancelledError once the window was closed or Ctrl-C pressed in it.
    void show(std::string_view program, const Framebuffer& target);
    /// Draws `target` into the back buffer, and leaves the state of OpenGL as it was.
    void draw(const Framebuffer& target);

    std::size_t passes() const { return passes_; }  ///< seen so far
    std::size_t frames() const { return frames_; }  ///< shown so far
    bool isOpen() const { return isOpen_; }
    /// What a key does, or the button that closes the window.
    void hide();
    void cancel() { isCancelled_ = true; }

  private:
    GLFWwindow* window_;
    TargetPainter painter_;
    std::size_t passes_ = 0;
    std::size_t frames_ = 0;
    bool isOpen_ = true;
    bool isCancelled_ = false;
    Clock::TimePoint next_;  ///< no frame before
};

}  // namespace glycine::gl
