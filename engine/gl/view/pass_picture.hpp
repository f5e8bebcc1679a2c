#pragma once

#include <optional>
#include <string>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/visible_window.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::view::gl {

/// Calls `watcher` after each pass of the backend during its lifetime, except for targets of one texel, which
/// check the device.
class WatchedPasses {
  public:
    using Watcher = std::function<void(const glycine::gl::Program&, const glycine::gl::Framebuffer&)>;
    WatchedPasses(glycine::gl::GlBackend& backend, Watcher watcher);
    ~WatchedPasses();
    WatchedPasses(const WatchedPasses&) = delete;
    WatchedPasses& operator=(const WatchedPasses&) = delete;

  private:
    glycine::gl::GlBackend& backend_;
    Watcher before_;
};

/// A picture of a pass' target, in a texture of its own. Row 0 of the target is at the top.
class PassPicture {
  public:
    PassPicture(glycine::gl::GlBackend& backend, glm::ivec2 size);

    /// Paints the target and restores the GL state. `white`: the number shown as white.
    void paint(const glycine::gl::Framebuffer& target, double white);
    /// The same for a matrix on the host.
    void paint(const Matrix<float>& matrix, double white);
    glm::ivec2 size() const { return picture_.shape().size; }
    const glycine::gl::RenderTexture& texture() const { return picture_; }

  private:
    glycine::gl::GlBackend& backend_;
    glycine::gl::TargetPainter painter_;
    glycine::gl::RenderTexture picture_;
};

/// "361 x 1444 RGBA32F"
std::string describeTarget(const glycine::gl::Framebuffer& target);

/// Reads back a texture of colours 0 … 1.
Image readImage(const glycine::gl::RenderTexture& texture);

}  // namespace glycine::view::gl
