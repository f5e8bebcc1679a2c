#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <optional>

#include "engine/gl/framework/gl_backend.hpp"
#include "engine/view/viewer.hpp"

namespace glycine::view::gl {

/// Placement of a scene in a picture.
struct Placing {
    glm::mat4 rotation{1};    ///< after Scene::axes
    glm::vec2 pan{0};         ///< shift of the scene's middle, in Å
    float pixelAngstrom = 1;  ///< Å per pixel
    float depth = 1;          ///< Å from the middle to the farthest and to the nearest part
};

/// The camera's rotation, without the scene's own axes.
glm::mat4 rotationOf(const Camera& camera);

/// Draws scenes: capsules into a texture of colours and heights with several samples per pixel, from which a
/// second pass makes the picture.
class SceneRenderer {
  public:
    /// Throws UnavailableError in dialect gl21.
    explicit SceneRenderer(glycine::gl::GlBackend& backend);
    ~SceneRenderer();
    SceneRenderer(const SceneRenderer&) = delete;
    SceneRenderer& operator=(const SceneRenderer&) = delete;

    void load(const Scene& scene);
    /// The placing in which the loaded scene just fits a picture of `size` pixels.
    Placing fit(const glm::mat4& rotation, glm::ivec2 size) const;
    /// Throws UnavailableError if the samples do not fit into a texture.
    void draw(const Placing& placing, glm::ivec2 size);
    /// Draws the finished picture into the bound framebuffer, from its lower left corner on.
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
