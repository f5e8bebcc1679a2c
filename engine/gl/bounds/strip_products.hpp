#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/gl_backend.hpp"
#include "engine/layout/strips.hpp"

namespace glycine::bounds::gl {

/// A matrix in layout `Strips` on the device: one array texture.
class StripMatrix {
  public:
    StripMatrix(glycine::gl::TexturePool& pool, const layout::StripShape& shape,
                glycine::gl::TextureFormat format)
        : shape_(shape),
          texture_(pool, {format, {shape.width(), shape.height()}, static_cast<int>(shape.rowsPerStrip)}) {}
    const layout::StripShape& shape() const { return shape_; }
    glycine::gl::RenderTexture& render() { return texture_; }
    const glycine::gl::RenderTexture& render() const { return texture_; }
    const glycine::gl::Texture& texture() const { return texture_.texture(); }
    const glycine::gl::Framebuffer& framebuffer() const { return texture_.framebuffer(); }

  private:
    layout::StripShape shape_;
    glycine::gl::RenderTexture texture_;
};

/// Copies a part of the matrix back to the host, without its padding. The part begins in a row and a column
/// that are multiples of layout::kStripBlock, and is as large as `matrix`. One layer travels while the
/// previous one is unpacked.
template <class T>
void downloadStrips(const StripMatrix& source, std::size_t firstRow, std::size_t firstColumn,
                    MatrixView<T> matrix) {
    const layout::StripShape shape{matrix.rows(), matrix.columns(), source.shape().rowsPerStrip};
    const std::size_t bytes = shape.layerElements() * sizeof(T);
    const glycine::gl::Rectangle region{
        {firstColumn / 16, layout::kTexelRowsPerStrip * firstRow / shape.rowsPerStrip},
        {shape.width(), shape.height()}};
    glycine::gl::AsyncReadback readbacks[2] = {glycine::gl::AsyncReadback(bytes),
                                               glycine::gl::AsyncReadback(bytes)};
    const auto start = [&](std::size_t layer) {
        readbacks[layer % 2].start(source.framebuffer(), static_cast<int>(layer),
                                   source.render().shape().format, region);
    };
    start(0);
    for (std::size_t layer = 0; layer < shape.rowsPerStrip; ++layer) {
        if (layer + 1 < shape.rowsPerStrip) start(layer + 1);
        const T* texels = readbacks[layer % 2].finish<T>();
        layout::unpackStripLayer(texels, shape, layer, matrix);
        readbacks[layer % 2].release();
    }
}
/// The same for the whole matrix.
template <class T>
void downloadStrips(const StripMatrix& source, MatrixView<T> matrix) {
    downloadStrips(source, 0, 0, matrix);
}

/// Which (strip of rows, block of 64 k) pairs a product needs. The other pairs cannot change the result.
class ActiveBlocks {
  public:
    ActiveBlocks(std::size_t strips, std::size_t blocks, bool active)
        : blocks_(blocks), active_(strips * blocks, active ? 1 : 0) {}
    bool operator()(std::size_t strip, std::size_t block) const {
        return active_[strip * blocks_ + block] != 0;
    }
    void activate(std::size_t strip, std::size_t block) { active_[strip * blocks_ + block] = 1; }
    /// Fraction of active pairs, 0 … 1.
    double share() const;

  private:
    std::size_t blocks_;
    std::vector<std::uint8_t> active_;
};

/// Rows that one fragment can write on this device: 8, or 4 if it has fewer render targets.
std::size_t rowsPerStrip(const glycine::gl::GlCapabilities& capabilities);

/// The arithmetic of a product of matrices of bounds, where A holds upper bounds.
enum class Relaxation {
    Upper,  ///< C_ij <- min(C_ij, min over k of A_ik + B_kj)
    Lower,  ///< C_ij <- max(C_ij, max over k of B_kj − A_ik)
};

/// The columns of a strip that a product computes: from and up to a multiple of 16, or of the padded width.
using ColumnsOfStrip = std::function<Range(std::size_t strip)>;

class StripProducts;

/// A matrix that passes update strip by strip. No pass may read the texture that it writes, so there are two
/// textures, and each strip records which one holds its latest state. A strip that a pass skips stays in its
/// texture.
class StripAccumulator {
  public:
    StripAccumulator(StripProducts& products, StripMatrix initial);

    const layout::StripShape& shape() const { return shape_; }
    StripMatrix& side(int index) { return sides_[index]; }
    int latest(std::size_t strip) const { return side_[strip]; }
    void flip(std::size_t strip) { side_[strip] ^= 1; }
    /// The texture with the latest state, if all passes updated all strips.
    StripMatrix& whole() { return sides_[side_.front()]; }
    /// Returns one texture with the latest state of all strips. The accumulator is empty afterwards.
    StripMatrix finish(StripProducts& products);

  private:
    layout::StripShape shape_;
    StripMatrix sides_[2];
    std::vector<std::uint8_t> side_;
};

/// The passes of variant `blocked` on matrices in layout `Strips`. One product, with a block of 64 k per
/// pass, does all the work. All elements are ≥ 0.
///
/// Cost of a product of R × K and K × C: R·K·C relaxations (one addition, one comparison), or half of it with
/// `symmetric`.
class StripProducts {
  public:
    /// `fixedPoint` selects int32 elements instead of float.
    StripProducts(glycine::gl::GlBackend& backend, bool fixedPoint);

    /// Lets the driver start compiling what closing a matrix needs and, with `hasLower`, what the products
    /// for lower bounds need.
    void beginCompiling(bool hasLower);

    std::size_t rowsPerStrip() const { return rowsPerStrip_; }
    glycine::gl::TextureFormat format() const { return format_; }
    StripMatrix make(std::size_t rows, std::size_t columns) {
        return {backend_.textures(), {rows, columns, rowsPerStrip_}, format_};
    }

    /// All-pairs shortest paths of a symmetric square matrix, in three phases per block (blocked
    /// Floyd–Warshall). Returns the complete result and consumes `matrix`. Advances `progress` by 64 per
    /// block of k.
    StripMatrix close(StripMatrix matrix, Progress& progress);

    /// Relaxes C with A and B, where `leftTransposed` holds Aᵀ (K × rows of C) and `right` holds B (K ×
    /// columns of C). `active`: the parts of A needed (null: all). `symmetric`: C is square, and only
    /// elements right of the diagonal are computed; call `complete` afterwards. Returns C and consumes
    /// `accumulator`.
    StripMatrix multiply(StripMatrix accumulator, const StripMatrix& leftTransposed, const StripMatrix& right,
                         Relaxation relaxation, const ActiveBlocks* active, bool symmetric,
                         Progress& progress);

    // Single steps of `close` and `multiply`, for matrices of which a device has a part.
    /// Before the steps of a stage.
    void beginSteps(Relaxation relaxation);
    /// Closes the first 64 columns of a block of 64 rows, by squaring.
    StripMatrix closeBlock(const StripMatrix& rows);
    /// Relaxes 64 rows through the closed block on the diagonal.
    StripMatrix relaxPanel(const StripMatrix& rows, const StripMatrix& closed);
    /// Relaxes all strips of C, in the columns of each that `columnsOf` names, by 64 rows of both factors.
    void relaxBlock(StripAccumulator& accumulator, const StripMatrix& leftTransposed,
                    const StripMatrix& right, Relaxation relaxation, const ColumnsOfStrip& columnsOf);
    /// Copies 64 × 64 elements, row after row, to this place of `target`.
    template <class T>
    void uploadBlock(const T* block, const StripMatrix& target, std::size_t row, std::size_t column);

    /// Fills the part left of the diagonal with its mirror image.
    StripMatrix complete(const StripMatrix& source);
    StripMatrix transpose(const StripMatrix& source);
    StripMatrix copy(const StripMatrix& source);
    void copyStrips(const StripMatrix& source, const StripMatrix& target,
                    std::span<const std::size_t> strips);

    /// Copies `matrix` to the device in pieces, unchanged, and converts the layout there. Padding elements
    /// become `padding`. T is float, or std::int32_t in fixed point.
    template <class T>
    StripMatrix upload(MatrixView<const T> matrix, T padding);
    /// Converts from and to a texture in layout `Row1x4` (float elements), for data that stay on the device.
    StripMatrix fromRows(const glycine::gl::Texture& source, std::size_t columns, float padding);
    glycine::gl::RenderTexture toRows(const StripMatrix& source);

  private:
    /// Name of the work in the pass budget.
    std::string workName(Relaxation relaxation) const;
    glycine::gl::ShaderDefines definesOf(std::size_t outputs, const glycine::gl::ShaderDefines& extra) const;
    /// Defines of a pass whose inner loop reads a matrix, and possibly the operand, by the lookup that is
    /// fast on this driver (GlBugs).
    glycine::gl::ShaderDefines lookupDefines(Relaxation relaxation, bool readsOperand) const;
    glycine::gl::FragmentPass pass(std::string_view shader, std::size_t outputs,
                                   const glycine::gl::ShaderDefines& extra = {});
    /// `texelSize` names the uniform that receives the texel size of `source`.
    glycine::gl::FragmentPass lookupPass(std::string_view shader, const StripMatrix& source,
                                         std::string_view texelSize, Relaxation relaxation,
                                         bool readsOperand);
    /// Lays out rows of `source`, which begin at `origin` (group of four columns, row) of `target`.
    template <class T>
    void placeRows(const glycine::gl::Texture& source, glm::ivec2 size, glm::ivec2 origin, T padding,
                   const StripMatrix& target, const glycine::gl::Rectangle& region);
    void rows(const StripMatrix& source, StripMatrix& target, std::size_t firstRow, bool transposed);
    void loadOperand(const StripMatrix& source, std::size_t firstRow, std::size_t strips);
    /// Relaxes `strips` of `accumulator` with the loaded operand and 64 rows of `right`; writes to `target`.
    void relaxStrips(const StripMatrix& accumulator, const StripMatrix& right, std::size_t firstRow,
                     const StripMatrix& target, std::span<const std::size_t> strips, Relaxation relaxation,
                     const ColumnsOfStrip& columnsOf);
    void relax(StripAccumulator& accumulator, const StripMatrix& right, std::size_t firstRow,
               Relaxation relaxation, const ActiveBlocks* active, const ColumnsOfStrip& columnsOf);
    std::vector<std::size_t> stripsOfBlock() const;
    /// From the texel of the diagonal on.
    ColumnsOfStrip rightOfDiagonal(const StripMatrix& matrix) const;
    void square(const StripMatrix& source, int sourceX, const StripMatrix& target);
    /// Squares the block of `rows` from texel column `sourceX` on.
    void squareAll(const StripMatrix& rows, int sourceX, StripMatrix (&blocks)[2]);

    glycine::gl::GlBackend& backend_;
    bool fixedPoint_;
    std::size_t rowsPerStrip_;
    glycine::gl::TextureFormat format_;
    std::optional<glycine::gl::RenderTexture> operandTexture_;
    std::optional<glycine::gl::Buffer> operandBuffer_;
};

}  // namespace glycine::bounds::gl
