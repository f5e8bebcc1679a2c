#include "engine/gl/framework/texture_pool.hpp"

#include <algorithm>
#include <utility>

#include "engine/core/host_memory.hpp"

namespace glycine::gl {

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
    Texture texture(shape, rectangle_ && shape.layers == 0);
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
