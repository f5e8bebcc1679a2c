#include <fmt/format.h>

#include <deque>

#include "engine/bounds/device_comparison.hpp"
#include "engine/core/error.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/gl/bounds/blocked_smoothing.hpp"
#include "engine/layout/row1x4.hpp"

namespace glycine::bounds::gl {

namespace {

using glycine::gl::GlBackend;
using glycine::gl::RenderTexture;

class BlockedMatrixHolder final : public MatrixHolder {
  public:
    explicit BlockedMatrixHolder(GlBackend& backend) : backend_(backend) {}

    double smooth(MatrixView<const float> upper, MatrixView<const float> lower, Progress& progress) override {
        buffers_.clear();
        held_.clear();
        const std::size_t n = upper.rows();
        if (n > largestTile(backend_) || n > static_cast<std::size_t>(backend_.gl().limits.maxTextureSize))
            throw UnavailableError(fmt::format("{} atoms do not fit one texture of this device", n));
        held_.push_back(upload(upper, kUnknownUpper<float>));
        held_.push_back(upload(lower, 0.0F));
        backend_.finish();
        const Stopwatch watch;
        StripProducts products(backend_, false);
        progress.begin("upper bounds on gl", static_cast<double>(roundUp(n, layout::kStripBlock)));
        const StripMatrix u =
            products.close(products.fromRows(held_[0].texture(), n, kUnknownUpper<float>), progress);
        progress.begin("lower bounds on gl", 2.0 * static_cast<double>(roundUp(n, layout::kStripBlock)));
        const StripMatrix l =
            smoothLowerStrips(products, u, products.fromRows(held_[1].texture(), n, 0.0F), nullptr, progress);
        held_.push_back(products.toRows(u));
        held_.push_back(products.toRows(l));
        backend_.canary().check("smoothing bounds");
        return watch.seconds();
    }

    HeldTexture texture(HeldMatrix which) const override {
        const RenderTexture& held = matrix(which);
        return {held.texture().name(), static_cast<std::size_t>(held.shape().size.y),
                4 * static_cast<std::size_t>(held.shape().size.x)};
    }

    unsigned bufferWith(HeldMatrix which) override {
        const RenderTexture& held = matrix(which);
        glycine::gl::Buffer& buffer =
            buffers_.emplace_back(GL_PIXEL_PACK_BUFFER, held.shape().bytes(), GL_DYNAMIC_COPY);
        glycine::gl::copyToBuffer(held.framebuffer(), 0, held.shape().format, held.texture().extent(),
                                  buffer);
        return buffer.name();
    }

    void read(HeldMatrix which, float* elements) const override {
        const RenderTexture& held = matrix(which);
        glycine::gl::readPixels(held.framebuffer(), 0, held.shape().format, held.texture().extent(),
                                elements);
    }

    void finish() override { backend_.finish(); }

  private:
    RenderTexture upload(MatrixView<const float> matrix, float padding) {
        RenderTexture texture(backend_.textures(), {glycine::gl::TextureFormat::RGBA32F,
                                                    {layout::row1x4Width(matrix.columns()), matrix.rows()}});
        texture.texture().upload(layout::packRow1x4(matrix, padding).data());
        return texture;
    }
    const RenderTexture& matrix(HeldMatrix which) const { return held_.at(static_cast<std::size_t>(which)); }

    GlBackend& backend_;
    std::vector<RenderTexture> held_;  ///< in the order of HeldMatrix
    std::deque<glycine::gl::Buffer> buffers_;
};

}  // namespace

Implementation<MatrixHolder> matrixHolder() {
    return {"gl", {}, [](Backend& backend) -> std::unique_ptr<MatrixHolder> {
                return std::make_unique<BlockedMatrixHolder>(dynamic_cast<GlBackend&>(backend));
            }};
}

}  // namespace glycine::bounds::gl
