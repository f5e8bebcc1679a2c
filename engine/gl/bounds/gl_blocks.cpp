#include "engine/gl/bounds/gl_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/gl/bounds/strip_products.hpp"

/// Own blocks lie in one matrix in layout `Strips`, rows of blocks one below another, columns side by side; a
/// round takes the passes of variant `blocked`. Panels are in the host's memory, because only the thread of a
/// context can read its textures: each own part comes from the device, and the whole goes there as operands.
///
/// The passes relax rows of a difference B − A by upper bounds A. So T, which the lower bounds are raised by,
/// is computed transposed: its rows on the device are the columns of HalfWay. Nothing is pruned.
namespace glycine::bounds::gl {

namespace {

constexpr std::size_t kSide = layout::kStripBlock;

template <class T>
class GlBlocks final : public BlockWorker {
  public:
    GlBlocks(const WorkerPart& part, glycine::gl::GlBackend& backend)
        : BlockWorker(kSide * kSide * sizeof(T), 1),
          layout_(part.layout),
          self_(part.self),
          blocks_(layout_, self_),
          hasLower_(part.hasLower),
          backend_(backend),
          products_(backend, std::is_same_v<T, std::int32_t>) {
        requireRoom();
        products_.beginCompiling(hasLower_);
        for (auto& slot : panels_)
            for (std::size_t panel = 0; panel < (hasLower_ ? 2 : 1); ++panel)
                slot[panel] = Matrix<T>(layout_.count(), kSide * kSide);
        if (blocks_.rows.empty() || blocks_.columns.empty()) return;
        for (const SharedMatrix matrix : {SharedMatrix::Upper, SharedMatrix::Lower, SharedMatrix::HalfWay}) {
            if (matrix != SharedMatrix::Upper && !hasLower_) break;
            const bool isTurned = matrix == SharedMatrix::HalfWay;
            own(matrix).emplace(products_,
                                products_.make((isTurned ? blocks_.columns : blocks_.rows).size() * kSide,
                                               (isTurned ? blocks_.rows : blocks_.columns).size() * kSide));
        }
    }

    void load(const std::vector<BlockPlace>& places,
              const std::function<void(std::size_t, std::byte*)>& cut) override {
        std::vector<T> block(kSide * kSide);
        for (std::size_t index = 0; index < places.size(); ++index) {
            cut(index, reinterpret_cast<std::byte*>(block.data()));
            put(places[index], block.data());
        }
    }
    void store(const std::vector<BlockPlace>& places,
               const std::function<void(std::size_t, const std::byte*)>& paste) override {
        for (std::size_t first = 0; first < places.size();) {
            const BlockPlace& place = places[first];
            std::size_t end = first;
            while (end < places.size() && places[end].row == place.row) ++end;
            const std::vector<std::size_t> columns = columnsOf(std::span(places).subspan(first, end - first));
            const Matrix<T> blocks = take(place.matrix, place.row, columns);
            for (std::size_t index = first; index < end; ++index)
                paste(index, reinterpret_cast<const std::byte*>(blocks.row(index - first)));
            first = end;
        }
        backend_.canary().check("smoothing bounds");
    }

    void gather(SharedMatrix matrix, std::size_t k) override {
        std::vector<std::size_t> inRow, inColumn;
        for (std::size_t block = 0; block < layout_.count(); ++block) {
            const bool isTurned = block < k && matrix != SharedMatrix::HalfWay;
            if ((isTurned ? layout_.ownerOf(block, k) : layout_.ownerOf(k, block)) == self_)
                (isTurned ? inColumn : inRow).push_back(block);
        }
        const auto keep = [&](const std::vector<std::size_t>& blocks, const Matrix<T>& taken) {
            for (std::size_t place = 0; place < blocks.size(); ++place)
                std::memcpy(room({matrix, k, blocks[place]}), taken.row(place), blockBytes());
        };
        if (!inRow.empty()) keep(inRow, take(matrix, k, inRow));
        if (!inColumn.empty()) keep(inColumn, takeColumn(matrix, inColumn, k));
        if (matrix == SharedMatrix::HalfWay || layout_.ownerOf(k, k) != self_) return;
        // Only the part of a block on the diagonal above it is defined.
        T* const pivot = panelBlock({matrix, k, k});
        for (std::size_t i = 0; i < kSide; ++i)
            for (std::size_t j = i + 1; j < kSide; ++j) pivot[j * kSide + i] = pivot[i * kSide + j];
    }

    void closePivot(std::size_t k) override {
        if (layout_.ownerOf(k, k) != self_) return;
        T* const pivot = panelBlock({SharedMatrix::Upper, k, k});
        const MatrixView<T> block(pivot, kSide, kSide, kSide);
        downloadStrips(products_.closeBlock(upload(block)), block);
    }

    /// The blocks in the matrix are relaxed with all others.
    void finishPanel(std::size_t k) override {
        std::vector<std::size_t> own;
        for (std::size_t block = 0; block < layout_.count(); ++block)
            if (block != k && layout_.ownerOf(std::min(block, k), std::max(block, k)) == self_)
                own.push_back(block);
        if (own.empty()) return;
        Matrix<T> side = sideBySide(SharedMatrix::Upper, k, own);
        const MatrixView<T> pivot(panelBlock({SharedMatrix::Upper, k, k}), kSide, kSide, kSide);
        downloadStrips(products_.relaxPanel(upload(side.view()), upload(pivot)), side.view());
        for (std::size_t place = 0; place < own.size(); ++place)
            for (std::size_t i = 0; i < kSide; ++i)
                std::copy_n(side.row(i) + place * kSide, kSide,
                            panelBlock({SharedMatrix::Upper, k, own[place]}) + i * kSide);
    }

    void preparePanel(SharedMatrix raised, std::size_t k) override {
        Operands& operands = operands_[k % 2];
        const bool isHalfWay = raised == SharedMatrix::HalfWay;
        const std::vector<std::size_t>& left = isHalfWay ? blocks_.columns : blocks_.rows;
        const std::vector<std::size_t>& right = isHalfWay ? blocks_.rows : blocks_.columns;
        operands.left.reset();
        operands.right.reset();
        if (left.empty() || right.empty()) return;
        operands.left.emplace(upload(sideBySide(SharedMatrix::Upper, k, left).view()));
        const SharedMatrix matrix = isHalfWay                       ? SharedMatrix::Lower
                                    : raised == SharedMatrix::Lower ? SharedMatrix::HalfWay
                                                                    : SharedMatrix::Upper;
        operands.right.emplace(upload(sideBySide(matrix, k, right).view()));
    }

    /// A strip is relaxed as a whole, since a pass writes into another texture than it reads.
    void relaxAhead(Range /*rounds*/, Range /*next*/) override {}
    void beginRest(Range rounds, Range /*next*/) override {
        if (rounds.begin == 0) products_.beginSteps(Relaxation::Upper);
        relax(SharedMatrix::Upper, rounds, Relaxation::Upper);
    }

    void beginProduct(SharedMatrix raised) override {
        products_.beginSteps(Relaxation::Lower);
        if (raised != SharedMatrix::HalfWay) return;
        for (const std::size_t row : blocks_.rows) {
            std::vector<std::size_t> columns;
            for (const std::size_t column : blocks_.columns)
                if (column >= row && layout_.ownerOf(row, column) == self_) columns.push_back(column);
            if (columns.empty()) continue;
            const Matrix<T> blocks = take(SharedMatrix::Lower, row, columns);
            for (std::size_t place = 0; place < columns.size(); ++place)
                put({SharedMatrix::HalfWay, row, columns[place]}, blocks.row(place));
        }
    }
    void beginRaise(SharedMatrix raised, Range rounds) override { relax(raised, rounds, Relaxation::Lower); }
    void wait() override { backend_.finish(); }

    const std::byte* give(const PanelBlock& block) override { return room(block); }
    std::byte* room(const PanelBlock& block) override {
        return reinterpret_cast<std::byte*>(panelBlock(block));
    }

  private:
    /// A round's panels in textures.
    struct Operands {
        std::optional<StripMatrix> left, right;
    };

    void requireRoom() const {
        const std::size_t height = std::max<std::size_t>(blocks_.rows.size(), 1) * kSide;
        const std::size_t width = std::max<std::size_t>(blocks_.columns.size(), 1) * kSide;
        const std::string share =
            fmt::format("a share of {} atoms among {} workers", layout_.atoms(), layout_.workers());
        const auto side = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
        const layout::StripShape shapes[] = {{height, width, products_.rowsPerStrip()},
                                             {width, height, products_.rowsPerStrip()}};
        for (const layout::StripShape& shape : shapes)
            if (shape.width() > side || shape.height() > side)
                throw UnavailableError(
                    fmt::format("{} takes {} x {} of them each, which exceed textures of {} x {} texels",
                                share, height, width, side, side));
        // Two textures of each matrix, operands of two rounds, and panels on their way.
        const std::size_t bytes =
            ((hasLower_ ? 6 : 2) * height * width + 12 * kSide * std::max(height, width)) * sizeof(T);
        if (const std::size_t free = backend_.textures().bytesFree(); bytes > free)
            throw UnavailableError(lackOfDeviceMemory(share, static_cast<double>(bytes), free));
    }

    std::optional<StripAccumulator>& own(SharedMatrix matrix) {
        return matrices_[static_cast<std::size_t>(matrix)];
    }
    T* panelBlock(const PanelBlock& at) {
        return panels_[at.k % 2][at.matrix == SharedMatrix::Upper ? 0 : 1].row(at.block);
    }

    StripMatrix upload(MatrixView<const T> matrix) { return products_.upload(matrix, T(0)); }

    /// Blocks of a panel as one matrix.
    Matrix<T> sideBySide(SharedMatrix matrix, std::size_t k, const std::vector<std::size_t>& blocks) {
        Matrix<T> side(kSide, blocks.size() * kSide);
        for (std::size_t place = 0; place < blocks.size(); ++place) {
            const T* const block = panelBlock({matrix, k, blocks[place]});
            for (std::size_t i = 0; i < kSide; ++i)
                std::copy_n(block + i * kSide, kSide, side.row(i) + place * kSide);
        }
        return side;
    }

    static std::vector<std::size_t> columnsOf(std::span<const BlockPlace> places) {
        std::vector<std::size_t> columns;
        for (const BlockPlace& place : places) columns.push_back(place.column);
        return columns;
    }

    /// Element (0, 0) of a block on the device.
    std::pair<std::size_t, std::size_t> placeOf(const BlockPlace& at) const {
        const std::size_t row = blocks_.rowPlaces[at.row] * kSide,
                          column = blocks_.columnPlaces[at.column] * kSide;
        return at.matrix == SharedMatrix::HalfWay ? std::pair(column, row) : std::pair(row, column);
    }
    static void turn(const T* from, std::size_t stride, T* block) {
        for (std::size_t i = 0; i < kSide; ++i)
            for (std::size_t j = 0; j < kSide; ++j) block[j * kSide + i] = from[i * stride + j];
    }

    void put(const BlockPlace& at, const T* block) {
        const auto [row, column] = placeOf(at);
        if (at.matrix != SharedMatrix::HalfWay)
            return products_.uploadBlock(block, own(at.matrix)->whole(), row, column);
        std::vector<T> turned(kSide * kSide);
        turn(block, kSide, turned.data());
        products_.uploadBlock(turned.data(), own(at.matrix)->whole(), row, column);
    }

    /// Own blocks of a row, one a row of the result.
    Matrix<T> take(SharedMatrix matrix, std::size_t row, const std::vector<std::size_t>& columns) {
        const std::size_t first = blocks_.columnPlaces[columns.front()],
                          last = blocks_.columnPlaces[columns.back()] + 1;
        const bool isTurned = matrix == SharedMatrix::HalfWay;
        const std::size_t length = (last - first) * kSide;
        Matrix<T> taken(isTurned ? length : kSide, isTurned ? kSide : length);
        const auto [firstRow, firstColumn] = placeOf({matrix, row, columns.front()});
        downloadStrips(own(matrix)->whole(), firstRow, firstColumn, taken.view());
        Matrix<T> blocks(columns.size(), kSide * kSide);
        for (std::size_t place = 0; place < columns.size(); ++place) {
            const std::size_t offset = (blocks_.columnPlaces[columns[place]] - first) * kSide;
            if (isTurned)
                turn(taken.row(offset), kSide, blocks.row(place));
            else
                for (std::size_t i = 0; i < kSide; ++i)
                    std::copy_n(taken.row(i) + offset, kSide, blocks.row(place) + i * kSide);
        }
        return blocks;
    }
    /// Own blocks of a column of a symmetric matrix, as those of its row.
    Matrix<T> takeColumn(SharedMatrix matrix, const std::vector<std::size_t>& rows, std::size_t column) {
        const std::size_t first = blocks_.rowPlaces[rows.front()], last = blocks_.rowPlaces[rows.back()] + 1;
        Matrix<T> taken((last - first) * kSide, kSide);
        downloadStrips(own(matrix)->whole(), first * kSide, blocks_.columnPlaces[column] * kSide,
                       taken.view());
        Matrix<T> blocks(rows.size(), kSide * kSide);
        for (std::size_t place = 0; place < rows.size(); ++place)
            turn(taken.row((blocks_.rowPlaces[rows[place]] - first) * kSide), kSide, blocks.row(place));
        return blocks;
    }

    /// Elements of a strip whose blocks are own ones; of a symmetric matrix, those on and above the diagonal.
    Range columnsOfStrip(SharedMatrix matrix, std::size_t strip) const {
        const bool isTurned = matrix == SharedMatrix::HalfWay;
        const std::vector<std::size_t>& inRows = isTurned ? blocks_.columns : blocks_.rows;
        const std::vector<std::size_t>& inColumns = isTurned ? blocks_.rows : blocks_.columns;
        const std::size_t block = inRows[strip * products_.rowsPerStrip() / kSide];
        Range range = layout_.columnsOf(self_, block);  // of rows as well: the corner is symmetric
        if (!isTurned) range.begin = std::max(range.begin, block);
        const auto placeIn = [&](std::size_t at) {
            return static_cast<std::size_t>(std::ranges::lower_bound(inColumns, at) - inColumns.begin());
        };
        const std::size_t begin = placeIn(range.begin);
        return {begin * kSide, std::max(begin, placeIn(range.end)) * kSide};
    }

    void relax(SharedMatrix matrix, Range rounds, Relaxation relaxation) {
        if (!own(matrix)) return;
        for (std::size_t k = rounds.begin; k < rounds.end; ++k) {
            const Operands& operands = operands_[k % 2];
            products_.relaxBlock(*own(matrix), *operands.left, *operands.right, relaxation,
                                 [this, matrix](std::size_t strip) { return columnsOfStrip(matrix, strip); });
        }
    }

    const BlockLayout layout_;
    std::size_t self_;
    const OwnBlocks blocks_;
    bool hasLower_;
    glycine::gl::GlBackend& backend_;
    StripProducts products_;
    std::optional<StripAccumulator> matrices_[3];
    Matrix<T> panels_[2][2];  ///< of a round; of the upper bounds, of the other operand of a product
    Operands operands_[2];
};

}  // namespace

std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, glycine::gl::GlBackend& backend) {
    backend.makeCurrent();
    if (part.format == NumberFormat::Fixed) return std::make_unique<GlBlocks<std::int32_t>>(part, backend);
    if (part.format == NumberFormat::Float32) return std::make_unique<GlBlocks<float>>(part, backend);
    throw UnavailableError("gl does not compute in float64");
}

}  // namespace glycine::bounds::gl
