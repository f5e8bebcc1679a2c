#pragma once

#include <optional>
#include <string>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/gl/framework/visible_window.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::view::gl {

/// Calls `watcher` after each pass of the backend while it lives, but for targets of one texel, which check
/// the device.
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

/// A picture of what a pass drew, kept in a texture of its own: row 0 of the target is at the top.
class PassPicture {
  public:
    PassPicture(glycine::gl::GlBackend& backend, glm::ivec2 size);

    /// Leaves the state of OpenGL as it was. `white`: the number that is drawn so.
    void paint(const glycine::gl::Framebuffer& target, double white);
    /// The same of a matrix on the host.
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

/// What was drawn into a texture of colours 0 … 1.
Image readImage(const glycine::gl::RenderTexture& texture);

}  // namespace glycine::view::gl
