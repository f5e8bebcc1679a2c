#pragma once

#include <cstddef>
#include <glm/mat4x4.hpp>
#include <string_view>

#include "engine/core/stopwatch.hpp"
#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/framebuffer.hpp"

struct GLFWwindow;

namespace glycine::gl {

/// Matrix that places the unit square in a window, both sizes in pixels: centred, as large as fits, at the
/// image's aspect ratio. Tables of one row or column are at least a sixteenth of the window high or wide.
glm::mat4 placingOf(glm::ivec2 image, glm::ivec2 window);

/// Saves the GL state that drawing between passes changes; the destructor restores it.
class SavedGlState {
  public:
    SavedGlState();
    ~SavedGlState();
    SavedGlState(const SavedGlState&) = delete;
    SavedGlState& operator=(const SavedGlState&) = delete;

  private:
    GLint program_ = 0;
    GLint framebuffer_ = 0;
    GLint viewport_[4] = {};
    GLint scissor_[4] = {};
    GLint unit_ = 0;
};

/// Numbers of a target per row and per column.
glm::ivec2 numbersOf(const Framebuffer& target);

/// Draws the numbers of a render target's first attachment (layer 0 of an array) as colours, from black by
/// red and yellow to white. The four numbers of a texel lie side by side.
class TargetPainter {
  public:
    TargetPainter(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);
    /// Samples 64 × 64 numbers of the target. Returns the least, which becomes black, and 1 / (largest −
    /// least). Returns 0 and 2⁻³² for unsigned words.
    glm::vec2 rangeOf(const Framebuffer& target);
    /// Paints into the current framebuffer and viewport; `placing` places the unit square.
    void paint(const Framebuffer& target, glm::vec2 range, const glm::mat4& placing) {
        paint(target, false, range, placing);
    }

  private:
    void paint(const Framebuffer& target, bool isSample, glm::vec2 range, const glm::mat4& placing);

    PassGeometry& geometry_;
    ProgramCache& programs_;
    RenderTexture sample_;
};

/// Shows passes in the window of the current GLFW context as they draw (`--visible`), each with its own range
/// of numbers.
class VisibleWindow {
  public:
    /// Throws UnavailableError if the current context has no window.
    VisibleWindow(TexturePool& pool, PassGeometry& geometry, ProgramCache& programs);

    /// Call after a pass of `program` to `target`. Draws the target into the window at most 60 times a
    /// second, and seldom enough that a run is at most a tenth slower. Leaves out targets of one texel, which
    /// check the device. Escape hides the window, and the run goes on. Throws CancelledError once the user
    /// has closed the window or pressed Ctrl-C in it.
    void show(std::string_view program, const Framebuffer& target);
    /// Draws `target` into the back buffer and restores the GL state.
    void draw(const Framebuffer& target);

    std::size_t passes() const { return passes_; }  ///< seen so far
    std::size_t frames() const { return frames_; }  ///< shown so far
    bool isOpen() const { return isOpen_; }
    /// Reactions to a key, or to the button that closes the window.
    void hide();
    void cancel() { isCancelled_ = true; }

  private:
    GLFWwindow* window_;
    TargetPainter painter_;
    std::size_t passes_ = 0;
    std::size_t frames_ = 0;
    bool isOpen_ = true;
    bool isCancelled_ = false;
    Clock::TimePoint next_;  ///< earliest time of the next frame
};

}  // namespace glycine::gl
