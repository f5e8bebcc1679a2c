#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/program.hpp"

namespace glycine::gl {

/// A corner of a primitive, with the texture coordinates that the rasterizer interpolates.
struct PassVertex {
    glm::vec2 position;                      ///< in pixels of the target
    std::array<glm::vec2, 4> coordinates{};  ///< texCoord0 … texCoord3 of the fragment shader
};

/// The vertex buffers that all passes of a context share.
class PassGeometry {
  public:
    PassGeometry();
    ~PassGeometry();
    PassGeometry(const PassGeometry&) = delete;
    PassGeometry& operator=(const PassGeometry&) = delete;
    /// Triangles that cover the viewport.
    void drawRectangle();
    /// Triangles with texture coordinates, three vertices each.
    void drawTriangles(std::span<const PassVertex> vertices);
    /// Installs a callback that runs after each draw with its program and target. It may throw to end the
    /// run.
    using Watcher = std::function<void(const Program&, const Framebuffer&)>;
    void watch(Watcher watcher) { watcher_ = std::move(watcher); }
    const Watcher& watcher() const { return watcher_; }

  private:
    enum class Layout { None, Rectangle, Triangles };
    void use(Layout layout);

    GLuint vertexArrays_[2] = {0, 0};
    GLuint buffers_[2] = {0, 0};
    Layout inUse_ = Layout::None;
    bool hasVertexArrays_ = false;
    Watcher watcher_;
};

/// One draw of a region of one framebuffer by one fragment program:
///
///     FragmentPass(geometry, program)
///         .input("upper", bounds.source())
///         .output(bounds.target())
///         .uniform("k", k)
///         .draw();
///     bounds.swap();
///
/// Each call sets GL state at once, so only one pass may be under construction at a time.
class FragmentPass {
  public:
    FragmentPass(PassGeometry& geometry, Program& program);
    /// Binds the next free texture unit.
    FragmentPass& input(std::string_view sampler, const Texture& texture);
    /// `target` must outlive the draws.
    FragmentPass& output(const Framebuffer& target);
    template <class Value>
    FragmentPass& uniform(std::string_view name, Value value) {
        program_.set(name, value);
        return *this;
    }
    /// Connects a uniform block with a binding point; the caller binds the buffer itself.
    FragmentPass& block(std::string_view name, unsigned bindingPoint) {
        program_.bindBlock(name, bindingPoint);
        return *this;
    }
    /// Draws the whole target.
    void draw();
    /// Draws only `region` of the target, in pixels.
    void draw(const Rectangle& region);
    /// Draws triangles with interpolated texture coordinates (programs with common/texture_coordinates.vert),
    /// clipped to `region`.
    void draw(std::span<const PassVertex> triangles, const Rectangle& region);
    const Rectangle& extent() const { return extent_; }

  private:
    void finishDraw() const;

    PassGeometry& geometry_;
    Program& program_;
    const Framebuffer* target_ = nullptr;
    Rectangle extent_;
    int nextUnit_ = 0;
};

/// Size of a texel in normalised coordinates, for passes that look up texels by those
/// (GlBugs::slowTexelFetch).
inline glm::vec2 texelSize(const Texture& texture) {
    return 1.0F / glm::vec2(texture.shape().size);
}

/// Appends the triangle (a, b, c) to `vertices`. `coordinates` maps a position on the target to the four
/// coordinate sets. The map must be affine, because the rasterizer interpolates linearly.
template <class Coordinates>
void addTriangle(std::vector<PassVertex>& vertices, glm::vec2 a, glm::vec2 b, glm::vec2 c,
                 Coordinates&& coordinates) {
    for (const glm::vec2 position : {a, b, c}) vertices.push_back({position, coordinates(position)});
}

/// Appends the rectangle between two opposite corners to `vertices`; `coordinates` as for addTriangle.
template <class Coordinates>
void addRectangle(std::vector<PassVertex>& vertices, glm::vec2 lower, glm::vec2 upper,
                  Coordinates&& coordinates) {
    const glm::vec2 lowerRight(upper.x, lower.y);
    const glm::vec2 upperLeft(lower.x, upper.y);
    addTriangle(vertices, lower, lowerRight, upperLeft, coordinates);
    addTriangle(vertices, upperLeft, lowerRight, upper, coordinates);
}

}  // namespace glycine::gl
