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

Framebuffer::Framebuffer(std::span<const Texture* const> textures) {
    glGenFramebuffers(1, &name_);
    glBindFramebuffer(GL_FRAMEBUFFER, name_);
    for (std::size_t i = 0; i < textures.size(); ++i)
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(i),
                               textures[i]->target(), textures[i]->name(), 0);
    finish(*textures.front(), static_cast<int>(textures.size()));
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

Buffer::Buffer(GLenum target, std::size_t bytes, GLenum usage) : target_(target), bytes_(bytes) {
    glGenBuffers(1, &name_);
    glBindBuffer(target_, name_);
    glBufferData(target_, static_cast<GLsizeiptr>(bytes), nullptr, usage);
    glBindBuffer(target_, 0);
    checkErrors(fmt::format("allocating a buffer of {} bytes", bytes));
}

Buffer::~Buffer() {
    if (name_ != 0) glDeleteBuffers(1, &name_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : target_(other.target_), name_(std::exchange(other.name_, 0)), bytes_(other.bytes_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(target_, other.target_);
    std::swap(name_, other.name_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

namespace {
void read(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
          void* place) {
    const TextureFormatInfo& f = info(format);
    source.bind();
    glReadBuffer(GL_COLOR_ATTACHMENT0 + static_cast<GLenum>(attachment));
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(region.origin.x, region.origin.y, region.size.x, region.size.y, f.format, f.type, place);
}
}  // namespace

void copyToBuffer(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                  const Buffer& buffer, std::size_t offset) {
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer.name());
    read(source, attachment, format, region, reinterpret_cast<void*>(offset));
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void readPixelBytes(const Framebuffer& source, int attachment, TextureFormat format, const Rectangle& region,
                    std::byte* pixels) {
    read(source, attachment, format, region, pixels);
    checkErrors("reading a render target back");
}

AsyncReadback::AsyncReadback(std::size_t bytes) : buffer_(GL_PIXEL_PACK_BUFFER, bytes, GL_STREAM_READ) {}

AsyncReadback::~AsyncReadback() {
    release();
}

AsyncReadback::AsyncReadback(AsyncReadback&& other) noexcept
    : buffer_(std::move(other.buffer_)),
      format_(other.format_),
      pendingBytes_(other.pendingBytes_),
      mapped_(std::exchange(other.mapped_, false)) {}

void AsyncReadback::start(const Framebuffer& source, int attachment, TextureFormat format,
                          const Rectangle& region) {
    release();
    format_ = format;
    pendingBytes_ = info(format).bytesPerTexel * static_cast<std::size_t>(region.size.x) *
                    static_cast<std::size_t>(region.size.y);
    if (pendingBytes_ > buffer_.bytes())
        throw DeviceError(
            fmt::format("readback of {} bytes into a buffer of {}", pendingBytes_, buffer_.bytes()));
    copyToBuffer(source, attachment, format, region, buffer_);
}

const std::byte* AsyncReadback::map() {
    buffer_.bind();
    const void* pixels = glMapBufferRange != nullptr
                             ? glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0,
                                                static_cast<GLsizeiptr>(pendingBytes_), GL_MAP_READ_BIT)
                             : glMapBuffer(GL_PIXEL_PACK_BUFFER, GL_READ_ONLY);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    if (pixels == nullptr) checkErrors("mapping a pixel buffer");
    if (pixels == nullptr) throw DeviceError("OpenGL: a pixel buffer cannot be mapped");
    mapped_ = true;
    return static_cast<const std::byte*>(pixels);
}

void AsyncReadback::release() {
    if (!mapped_) return;
    buffer_.bind();
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    mapped_ = false;
}

}  // namespace glycine::gl
