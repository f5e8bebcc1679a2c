#include "engine/gl/view/scene_renderer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/trigonometric.hpp>
#include <limits>

#include "engine/core/error.hpp"

namespace glycine::view::gl {

using glycine::gl::Framebuffer;
using glycine::gl::Program;
using glycine::gl::RenderTexture;
using glycine::gl::TextureFormat;

namespace {

constexpr int kSamples = 2;  // as in finish_scene.frag
constexpr std::array<float, 8> kCorners{0, 0, 1, 0, 0, 1, 1, 1};
/// Fraction of the picture kept free along its edge.
constexpr float kMargin = 0.04F;

glm::vec3 vectorOf(const Vector& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// Attributes of a capsule for the vertex stage: coordinate0 to coordinate3.
std::array<float, 16> numbersOf(const Capsule& capsule) {
    const glm::vec3 from = vectorOf(capsule.from);
    const glm::vec3 to = vectorOf(capsule.to);
    const auto share = [](std::uint8_t byte) { return static_cast<float>(byte) / 255; };
    const Rgb& a = capsule.fromColor;
    const Rgb& b = capsule.toColor;
    return {from.x,      from.y,      from.z,      static_cast<float>(capsule.radius),
            to.x,        to.y,        to.z,        0,
            share(a[0]), share(a[1]), share(a[2]), 1,
            share(b[0]), share(b[1]), share(b[2]), 1};
}

/// Saves the buffer bindings between passes; the destructor restores them.
class SavedBufferBindings {
  public:
    SavedBufferBindings() {
        glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertexArray_);
        glGetIntegerv(GL_ARRAY_BUFFER_BINDING, &buffer_);
    }
    ~SavedBufferBindings() {
        glBindVertexArray(static_cast<GLuint>(vertexArray_));
        glBindBuffer(GL_ARRAY_BUFFER, static_cast<GLuint>(buffer_));
    }
    SavedBufferBindings(const SavedBufferBindings&) = delete;
    SavedBufferBindings& operator=(const SavedBufferBindings&) = delete;

  private:
    GLint vertexArray_ = 0;
    GLint buffer_ = 0;
};

}  // namespace
glm::mat4 rotationOf(const Camera& camera) {
    const auto about = [&](int axis, glm::vec3 direction) {
        const double degrees = camera.turn[static_cast<std::size_t>(axis)];
        return glm::rotate(glm::mat4(1), glm::radians(static_cast<float>(degrees)), direction);
    };
    return about(2, {0, 0, 1}) * about(1, {0, 1, 0}) * about(0, {1, 0, 0});
}

SceneRenderer::SceneRenderer(glycine::gl::GlBackend& backend) : backend_(backend) {
    if (backend.dialect() == Dialect::Gl21)
        throw UnavailableError("molecules are drawn in dialects gl33 and es300, not in gl21");
    const SavedBufferBindings kept;
    glGenVertexArrays(1, &vertexArray_);
    glBindVertexArray(vertexArray_);
    glGenBuffers(1, &corners_);
    glBindBuffer(GL_ARRAY_BUFFER, corners_);
    glBufferData(GL_ARRAY_BUFFER, sizeof kCorners, kCorners.data(), GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glGenBuffers(1, &capsules_);
    glBindBuffer(GL_ARRAY_BUFFER, capsules_);
    for (GLuint i = 0; i < 4; ++i) {
        glEnableVertexAttribArray(1 + i);
        glVertexAttribPointer(1 + i, 4, GL_FLOAT, GL_FALSE, 16 * sizeof(float),
                              reinterpret_cast<const void*>(4 * sizeof(float) * i));
        glVertexAttribDivisor(1 + i, 1);
    }
    glGenRenderbuffers(1, &depth_);
}

SceneRenderer::~SceneRenderer() {
    glDeleteRenderbuffers(1, &depth_);
    glDeleteBuffers(1, &capsules_);
    glDeleteBuffers(1, &corners_);
    glDeleteVertexArrays(1, &vertexArray_);
}

void SceneRenderer::load(const Scene& scene) {
    scene_ = scene;
    std::vector<std::array<float, 16>> numbers(scene.capsules.size());
    std::ranges::transform(scene.capsules, numbers.begin(), numbersOf);
    const SavedBufferBindings kept;
    glBindBuffer(GL_ARRAY_BUFFER, capsules_);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(numbers.size() * sizeof numbers[0]), numbers.data(),
                 GL_STATIC_DRAW);
    glycine::gl::checkErrors("loading a scene");
}

glm::mat4 SceneRenderer::axes() const {
    glm::mat4 rows(1);
    for (int row = 0; row < 3; ++row) {
        const glm::vec3 axis = vectorOf(scene_.axes[static_cast<std::size_t>(row)]);
        for (int column = 0; column < 3; ++column) rows[column][row] = axis[column];
    }
    return glm::translate(rows, -vectorOf(scene_.centre));
}

Placing SceneRenderer::fit(const glm::mat4& rotation, glm::ivec2 size) const {
    glm::vec2 least(std::numeric_limits<float>::max());
    glm::vec2 most(std::numeric_limits<float>::lowest());
    float depth = 1e-3F;
    const glm::mat4 turned = rotation * axes();
    for (const Capsule& capsule : scene_.capsules)
        for (const Vector* end : {&capsule.from, &capsule.to}) {
            const glm::vec3 at(turned * glm::vec4(vectorOf(*end), 1));
            const auto radius = static_cast<float>(capsule.radius);
            least = glm::min(least, glm::vec2(at) - radius);
            most = glm::max(most, glm::vec2(at) + radius);
            depth = std::max(depth, glm::length(at) + radius);
        }
    if (scene_.capsules.empty()) return {rotation, {0, 0}, 1, 1};
    const glm::vec2 pixels = (most - least) / (glm::vec2(size) * (1 - 2 * kMargin));
    return {rotation, -0.5F * (least + most), std::max({pixels.x, pixels.y, 1e-4F}), depth};
}

void SceneRenderer::draw(const Placing& placing, glm::ivec2 size) {
    const glm::ivec2 samples = kSamples * size;
    const int largest = backend_.gl().limits.maxTextureSize;
    if (samples.x > largest || samples.y > largest)
        throw UnavailableError(
            fmt::format("a picture of {} x {} pixels takes a texture of {} x {}; this device "
                        "has {} texels per side",
                        size.x, size.y, samples.x, samples.y, largest));
    if (!samples_ || size_ != size) {
        samples_.reset();
        samples_.emplace(backend_.textures(), glycine::gl::TextureShape{TextureFormat::RGBA32F, samples});
        samples_->framebuffer().bind();
        glBindRenderbuffer(GL_RENDERBUFFER, depth_);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, samples.x, samples.y);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_);
        size_ = size;
    }
    const float sample = placing.pixelAngstrom / kSamples;
    extent_ = {0.5F * placing.pixelAngstrom * glm::vec2(size), placing.depth, sample};
    samples_->framebuffer().bind();
    glViewport(0, 0, samples.x, samples.y);
    glScissor(0, 0, samples.x, samples.y);
    glEnable(GL_DEPTH_TEST);
    glClearColor(0, 0, 0, -1e9F);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    Program& program = backend_.programs().get("view/draw_capsule.vert", "view/draw_capsule.frag");
    program.use();
    program
        .set("placing", glm::translate(glm::mat4(1), glm::vec3(placing.pan, 0)) * placing.rotation * axes())
        .set("extent", extent_);
    {
        const SavedBufferBindings kept;
        glBindVertexArray(vertexArray_);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(scene_.capsules.size()));
    }
    glDisable(GL_DEPTH_TEST);
    glycine::gl::checkErrors("drawing a scene");
}

void SceneRenderer::finish() {
    glViewport(0, 0, size_.x, size_.y);
    glScissor(0, 0, size_.x, size_.y);
    Program& program = backend_.programs().get("common/window.vert", "view/finish_scene.frag");
    program.use();
    samples_->texture().bind(0);
    program.set("scene", 0)
        .set("extent", extent_)
        .set("background", glm::vec4(1, 1, 1, 1))
        .set("placing",
             glm::translate(glm::scale(glm::mat4(1), glm::vec3(2, 2, 1)), glm::vec3(-0.5F, -0.5F, 0)));
    backend_.geometry().drawRectangle();
    glycine::gl::checkErrors("finishing the picture of a scene");
}

}  // namespace glycine::view::gl
