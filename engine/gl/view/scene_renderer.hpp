#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <optional>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::view::gl {

/// How a scene lies in a picture.
struct Placing {
    glm::mat4 rotation{1};    ///< after Scene::axes
    glm::vec2 pan{0};         ///< Å by which the middle of the scene is moved
    float pixelAngstrom = 1;  ///< Å of a pixel
    float depth = 1;          ///< Å from the middle to the farthest and the nearest part
};

/// The camera's turn, without the scene's own axes.
glm::mat4 rotationOf(const Camera& camera);

/// Draws scenes: capsules into a texture of colours and heights with several samples a pixel, and the picture
/// from that.
class SceneRenderer {
  public:
    /// Throws UnavailableError in dialect gl21.
    explicit SceneRenderer(glycine::gl::GlBackend& backend);
    ~SceneRenderer();
    SceneRenderer(const SceneRenderer&) = delete;
    SceneRenderer& operator=(const SceneRenderer&) = delete;

    void load(const Scene& scene);
    /// The placing in which the loaded scene just fills a picture.
    Placing fit(const glm::mat4& rotation, glm::ivec2 size) const;
    /// Throws UnavailableError where the samples do not fit a texture.
    void draw(const Placing& placing, glm::ivec2 size);
    /// Draws the finished picture into the framebuffer that is bound, from its lower left corner on.
    void finish();

  private:
    glm::mat4 axes() const;

    glycine::gl::GlBackend& backend_;
    GLuint vertexArray_ = 0;
    GLuint corners_ = 0;
    GLuint capsules_ = 0;
    GLuint depth_ = 0;
    std::optional<glycine::gl::RenderTexture> samples_;
    Scene scene_;
    glm::ivec2 size_{0};
    glm::vec4 extent_{1};
};

}  // namespace glycine::view::gl
