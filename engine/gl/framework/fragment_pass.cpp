#include "engine/gl/framework/fragment_pass.hpp"

#include <cstddef>

namespace glycine::gl {

namespace {
constexpr std::array<float, 12> kUnitSquare{0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1};

const void* byteOffset(std::size_t bytes) {
    return reinterpret_cast<const void*>(bytes);
}
}  // namespace

PassGeometry::PassGeometry() {
    // OpenGL 2.1 has no vertex array objects; without them, each change sets the attribute state again.
    hasVertexArrays_ = glGenVertexArrays != nullptr && glBindVertexArray != nullptr;
    if (hasVertexArrays_) glGenVertexArrays(2, vertexArrays_);
    glGenBuffers(2, buffers_);
    glBindBuffer(GL_ARRAY_BUFFER, buffers_[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof(kUnitSquare), kUnitSquare.data(), GL_STATIC_DRAW);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DITHER);
    glEnable(GL_SCISSOR_TEST);
}

PassGeometry::~PassGeometry() {
    glDeleteBuffers(2, buffers_);
    if (hasVertexArrays_) glDeleteVertexArrays(2, vertexArrays_);
}

void PassGeometry::use(Layout layout) {
    if (inUse_ == layout) return;
    inUse_ = layout;
    const int index = layout == Layout::Rectangle ? 0 : 1;
    if (hasVertexArrays_) glBindVertexArray(vertexArrays_[index]);
    glBindBuffer(GL_ARRAY_BUFFER, buffers_[index]);
    glEnableVertexAttribArray(0);
    if (layout == Layout::Rectangle) {
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
        for (GLuint i = 1; i <= 4; ++i) glDisableVertexAttribArray(i);
    } else {
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(PassVertex), nullptr);
        for (GLuint i = 0; i < 4; ++i) {
            glEnableVertexAttribArray(1 + i);
            glVertexAttribPointer(1 + i, 2, GL_FLOAT, GL_FALSE, sizeof(PassVertex),
                                  byteOffset(offsetof(PassVertex, coordinates) + i * sizeof(glm::vec2)));
        }
    }
}

void PassGeometry::drawRectangle() {
    use(Layout::Rectangle);
    glDrawArrays(GL_TRIANGLES, 0, 6);
}

void PassGeometry::drawTriangles(std::span<const PassVertex> vertices) {
    use(Layout::Triangles);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size_bytes()), vertices.data(),
                 GL_STREAM_DRAW);
    glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(vertices.size()));
}

FragmentPass::FragmentPass(PassGeometry& geometry, Program& program)
    : geometry_(geometry), program_(program) {
    program_.use();
}

FragmentPass& FragmentPass::input(std::string_view sampler, const Texture& texture) {
    texture.bind(nextUnit_);
    program_.set(sampler, nextUnit_);
    ++nextUnit_;
    return *this;
}

FragmentPass& FragmentPass::output(const Framebuffer& target) {
    target.bind();
    target_ = &target;
    extent_ = target.extent();
    glViewport(0, 0, extent_.size.x, extent_.size.y);
    return *this;
}

void FragmentPass::draw() {
    draw(extent_);
}

void FragmentPass::draw(const Rectangle& region) {
    glScissor(region.origin.x, region.origin.y, region.size.x, region.size.y);
    geometry_.drawRectangle();
    finishDraw();
}

void FragmentPass::draw(std::span<const PassVertex> triangles, const Rectangle& region) {
    program_.set("targetSize", glm::vec2(extent_.size));
    glScissor(region.origin.x, region.origin.y, region.size.x, region.size.y);
    geometry_.drawTriangles(triangles);
    finishDraw();
}

void FragmentPass::finishDraw() const {
    if (geometry_.watcher() && target_ != nullptr) geometry_.watcher()(program_, *target_);
}

}  // namespace glycine::gl
