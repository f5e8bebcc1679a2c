#include "engine/gl/framework/framebuffer.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/core/error.hpp"

namespace glycine::gl {

namespace {
std::vector<GLenum> attachmentNames(int count) {
    std::vector<GLenum> names;
    for (int i = 0; i < count; ++i) names.push_back(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i));
    return names;
}

const char* statusText(GLenum status) {
    switch (status) {
        case GL_FRAMEBUFFER_UNSUPPORTED:
            return "unsupported combination of formats";
        case GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT:
            return "this format cannot be rendered to";
        case GL_FRAMEBUFFER_INCOMPLETE_DRAW_BUFFER:
            return "incomplete draw buffer";
        default:
            return "incomplete";
    }
}
}  // namespace

Framebuffer::Framebuffer(const Texture& texture) {
    glGenFramebuffers(1, &name_);
    glBindFramebuffer(GL_FRAMEBUFFER, name_);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture.target(), texture.name(), 0);
    finish(texture, 1);
}

Framebuffer::Framebuffer(const Texture& arrayTexture, int layers) {
    glGenFramebuffers(1, &name_);
    glBindFramebuffer(GL_FRAMEBUFFER, name_);
    for (int i = 0; i < layers; ++i)
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i),
                                  arrayTexture.name(), 0, i);
    finish(arrayTexture, layers);
}

void Framebuffer::finish(const Texture& texture, int targets) {
    targets_ = targets;
    texture_ = texture.name();
    textureTarget_ = texture.target();
    shape_ = texture.shape();
    if (targets > 1) glDrawBuffers(targets, attachmentNames(targets).data());
    const GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (status != GL_FRAMEBUFFER_COMPLETE) {
        glDeleteFramebuffers(1, &name_);
        throw DeviceError(fmt::format("{} framebuffer with {} target(s): {} (0x{:04x})",
                                      info(texture.shape().format).name, targets, statusText(status),
                                      status));
    }
    checkErrors("making a framebuffer");
}

Framebuffer::~Framebuffer() {
    if (name_ != 0) glDeleteFramebuffers(1, &name_);
}

Framebuffer::Framebuffer(Framebuffer&& other) noexcept
    : name_(std::exchange(other.name_, 0)),
      targets_(other.targets_),
      texture_(other.texture_),
      textureTarget_(other.textureTarget_),
      shape_(other.shape_) {}

Framebuffer& Framebuffer::operator=(Framebuffer&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(targets_, other.targets_);
    std::swap(texture_, other.texture_);
    std::swap(textureTarget_, other.textureTarget_);
    std::swap(shape_, other.shape_);
    return *this;
}

void Framebuffer::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, name_);
}

void Framebuffer::bindTexture(int unit) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(textureTarget_, texture_);
}

void Framebuffer::clear() const {
    bind();
    glScissor(0, 0, shape_.size.x, shape_.size.y);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace glycine::gl
