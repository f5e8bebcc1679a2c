#include "engine/gl/framework/texture.hpp"

#include <omp.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::gl {

namespace {

/// One being filled, one in transfer, one whose copy may still be pending.
constexpr std::size_t kBuffers = 3;
/// Copying is bound by memory bandwidth: more cores gain nothing.
constexpr int kMaxThreads = 8;

}  // namespace

/// Uploads large data through pixel buffers used in turn. The host's cores fill one buffer while the previous
/// piece travels and earlier passes draw. A copy from the program's own memory would run in the driver, on
/// one core, before the call returns.
class UploadBuffers {
  public:
    static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

    UploadBuffers();
    /// Uploads `pixels` piece by piece. Calls copy(rows) per piece, with the buffer bound that holds these
    /// rows without gaps. A row has `rowBytes` and starts `strideBytes` after the previous one. Returns false
    /// if the driver gives no memory or has lost it; the contents of the destination are then undefined.
    template <class Copy>
    bool send(const std::byte* pixels, std::size_t rows, std::size_t rowBytes, std::size_t strideBytes,
              const Copy& copy) {
        const std::size_t most = kPieceBytes / rowBytes;
        if (most == 0) return false;
        for (std::size_t first = 0; first < rows; first += most) {
            const std::size_t count = std::min(most, rows - first);
            if (!fillNext(pixels + first * strideBytes, count, rowBytes, strideBytes)) return false;
            copy(Range{first, first + count});
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        }
        return true;
    }

  private:
    /// Binds the next buffer, filled with these rows.
    bool fillNext(const std::byte* pixels, std::size_t rows, std::size_t rowBytes, std::size_t strideBytes);

    std::vector<Buffer> buffers_;
    std::size_t next_ = 0;
};

UploadBuffers::UploadBuffers() {
    for (std::size_t i = 0; i < kBuffers; ++i)
        buffers_.emplace_back(GL_PIXEL_UNPACK_BUFFER, kPieceBytes, GL_STREAM_DRAW);
}

bool UploadBuffers::fillNext(const std::byte* pixels, std::size_t rows, std::size_t rowBytes,
                             std::size_t strideBytes) {
    const Buffer& buffer = buffers_[next_];
    next_ = (next_ + 1) % kBuffers;
    buffer.bind();
    // Its old contents may still be in transfer: the driver then provides other memory.
    void* memory = nullptr;
    if (glMapBufferRange != nullptr) {
        memory = glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, static_cast<GLsizeiptr>(rows * rowBytes),
                                  GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    } else {
        glBufferData(GL_PIXEL_UNPACK_BUFFER, kPieceBytes, nullptr, GL_STREAM_DRAW);
        memory = glMapBuffer(GL_PIXEL_UNPACK_BUFFER, GL_WRITE_ONLY);
    }
    bool isFilled = memory != nullptr;
    if (isFilled) {
        auto* const target = static_cast<std::byte*>(memory);
        const int threads = std::min(omp_get_max_threads(), kMaxThreads);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::size_t row = 0; row < rows; ++row)
            std::memcpy(target + row * rowBytes, pixels + row * strideBytes, rowBytes);
        isFilled = glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER) == GL_TRUE;
    }
    if (!isFilled) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        while (glGetError() != GL_NO_ERROR) {
            // The caller falls back to a direct copy, which reports faults of the context.
        }
    }
    return isFilled;
}

const TextureFormatInfo& info(TextureFormat format) {
    static const std::array<TextureFormatInfo, 5> table{{
        {"R32F", GL_R32F, GL_RED, GL_FLOAT, 1, 4},
        {"RGBA32F", GL_RGBA32F, GL_RGBA, GL_FLOAT, 4, 16},
        {"R32I", GL_R32I, GL_RED_INTEGER, GL_INT, 1, 4},
        {"RGBA32I", GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 4, 16},
        {"RGBA32UI", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 4, 16},
    }};
    return table[static_cast<std::size_t>(format)];
}

void requireElementType(TextureFormat format, GLenum elementType) {
    if (info(format).type != elementType)
        throw UsageError(fmt::format("texels of format {} are not numbers of GL type 0x{:04x}",
                                     info(format).name, elementType));
}

void checkErrors(std::string_view doing) {
    const GLenum error = glGetError();
    if (error == GL_NO_ERROR) return;
    const char* text = error == GL_OUT_OF_MEMORY                   ? "out of memory"
                       : error == GL_INVALID_ENUM                  ? "invalid enum"
                       : error == GL_INVALID_VALUE                 ? "invalid value"
                       : error == GL_INVALID_OPERATION             ? "invalid operation"
                       : error == GL_INVALID_FRAMEBUFFER_OPERATION ? "invalid framebuffer operation"
                       : error == GL_CONTEXT_LOST                  ? "context lost"
                                                                   : "unknown error";
    throw DeviceError(fmt::format("OpenGL: {} (0x{:04x}) while {}", text, error, doing));
}

Texture::Texture(const TextureShape& shape, bool rectangle, UploadBuffers* buffers)
    : shape_(shape),
      buffers_(buffers),
      target_(shape.layers > 0 ? GL_TEXTURE_2D_ARRAY
              : rectangle      ? GL_TEXTURE_RECTANGLE
                               : GL_TEXTURE_2D) {
    const TextureFormatInfo& f = info(shape.format);
    glGenTextures(1, &name_);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(target_, name_);
    glTexParameteri(target_, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(target_, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(target_, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target_, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    const auto internal = static_cast<GLint>(f.internalFormat);
    if (shape.layers > 0)
        glTexImage3D(target_, 0, internal, shape.size.x, shape.size.y, shape.layers, 0, f.format, f.type,
                     nullptr);
    else
        glTexImage2D(target_, 0, internal, shape.size.x, shape.size.y, 0, f.format, f.type, nullptr);
    try {
        checkErrors(fmt::format("allocating a {} texture of {} x {} x {}, which takes {}", f.name,
                                shape.size.x, shape.size.y, std::max(shape.layers, 1),
                                formatBytes(shape.bytes())));
    } catch (...) {
        glDeleteTextures(1, &name_);
        throw;
    }
}

Texture::~Texture() {
    if (name_ != 0) glDeleteTextures(1, &name_);
}

Texture::Texture(Texture&& other) noexcept
    : shape_(other.shape_),
      buffers_(other.buffers_),
      target_(other.target_),
      name_(std::exchange(other.name_, 0)) {}

Texture& Texture::operator=(Texture&& other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(buffers_, other.buffers_);
    std::swap(target_, other.target_);
    std::swap(name_, other.name_);
    return *this;
}

void Texture::uploadBytes(const std::byte* texels, const Rectangle& region, int rowTexels, int layer) {
    const std::size_t texel = info(shape_.format).bytesPerTexel;
    const std::size_t rowBytes = texel * static_cast<std::size_t>(region.size.x);
    const auto rows = static_cast<std::size_t>(region.size.y);
    // Smaller uploads are faster when copied directly.
    constexpr std::size_t kWorthBuffers = std::size_t{256} << 10;
    bind(0);
    const auto copyPiece = [&](const Range& piece) {
        copyTexels(nullptr,
                   {{region.origin.x, region.origin.y + toInt(piece.begin)}, {region.size.x, piece.size()}},
                   region.size.x, layer);
    };
    if (buffers_ == nullptr || rowBytes * rows < kWorthBuffers ||
        !buffers_->send(texels, rows, rowBytes, texel * static_cast<std::size_t>(rowTexels), copyPiece))
        copyTexels(texels, region, rowTexels, layer);
    checkErrors("uploading a texture");
}

void Texture::copyTexels(const void* texels, const Rectangle& region, int rowTexels, int layer) {
    const TextureFormatInfo& f = info(shape_.format);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, rowTexels);
    if (shape_.layers > 0)
        glTexSubImage3D(target_, 0, region.origin.x, region.origin.y, layer, region.size.x, region.size.y, 1,
                        f.format, f.type, texels);
    else
        glTexSubImage2D(target_, 0, region.origin.x, region.origin.y, region.size.x, region.size.y, f.format,
                        f.type, texels);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void Texture::bind(int unit) const {
    glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
    glBindTexture(target_, name_);
}

TexturePool::TexturePool(std::size_t maxBytes, bool rectangle, bool pixelBuffers)
    : buffers_(pixelBuffers ? std::make_unique<UploadBuffers>() : nullptr),
      maxBytes_(maxBytes),
      rectangle_(rectangle) {}

TexturePool::~TexturePool() = default;

Texture TexturePool::acquire(const TextureShape& shape) {
    const auto match = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const Texture& texture) { return texture.shape() == shape; });
    if (match != kept_.end()) {
        Texture texture = std::move(*match);
        kept_.erase(match);
        bytesKept_ -= shape.bytes();
        bytesLent_ += shape.bytes();
        return texture;
    }
    while (bytesLent_ + bytesKept_ + shape.bytes() > maxBytes_ && !kept_.empty()) {
        bytesKept_ -= kept_.front().shape().bytes();
        kept_.erase(kept_.begin());
    }
    if (bytesLent_ + shape.bytes() > maxBytes_)
        throw MemoryError(lackOfDeviceMemory("a texture", static_cast<double>(shape.bytes()), bytesFree()));
    Texture texture(shape, rectangle_ && shape.layers == 0, buffers_.get());
    bytesLent_ += shape.bytes();
    return texture;
}

void TexturePool::release(Texture texture) {
    bytesLent_ -= texture.shape().bytes();
    bytesKept_ += texture.shape().bytes();
    kept_.push_back(std::move(texture));
}

void TexturePool::trim() {
    kept_.clear();
    bytesKept_ = 0;
}

}  // namespace glycine::gl
