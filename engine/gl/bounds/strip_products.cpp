#include "engine/gl/bounds/strip_products.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/core/tiling.hpp"
#include "engine/layout/row1x4.hpp"

namespace glycine::bounds::gl {

namespace {
constexpr auto kBlock = layout::kStripBlock;
constexpr unsigned kOperandBinding = 0;
constexpr std::size_t kColumnsPerTexel = 16;  // of a strip
/// Squaring doubles the number of edges of the paths covered in a block: 6 squarings reach 64 edges.
constexpr int kSquarings = 6;
constexpr int kLastSquare = (kSquarings - 1) % 2;  // of two blocks in turn

glycine::gl::Rectangle stripRectangle(std::size_t firstStrip, std::size_t strips, std::size_t firstColumn,
                                      int width) {
    const int x = static_cast<int>(firstColumn);
    return {{x, layout::kTexelRowsPerStrip * firstStrip}, {width - x, layout::kTexelRowsPerStrip * strips}};
}
}  // namespace

std::size_t rowsPerStrip(const glycine::gl::GlCapabilities& capabilities) {
    return static_cast<std::size_t>(capabilities.limits.targetsAtOnce());
}

double ActiveBlocks::share() const {
    if (active_.empty()) return 0;
    return static_cast<double>(std::count(active_.begin(), active_.end(), 1)) /
           static_cast<double>(active_.size());
}

StripAccumulator::StripAccumulator(StripProducts& products, StripMatrix initial)
    : shape_(initial.shape()),
      sides_{std::move(initial), products.make(shape_.rows, shape_.columns)},
      side_(shape_.strips(), 0) {}

StripMatrix StripAccumulator::finish(StripProducts& products) {
    const auto onSecond = static_cast<std::size_t>(std::count(side_.begin(), side_.end(), 1));
    const int target = onSecond * 2 > side_.size() ? 1 : 0;
    std::vector<std::size_t> strips;
    for (std::size_t strip = 0; strip < side_.size(); ++strip)
        if (side_[strip] != target) strips.push_back(strip);
    if (!strips.empty()) products.copyStrips(sides_[1 - target], sides_[target], strips);
    return std::move(sides_[target]);
}

StripProducts::StripProducts(glycine::gl::GlBackend& backend, bool fixedPoint)
    : backend_(backend),
      fixedPoint_(fixedPoint),
      rowsPerStrip_(gl::rowsPerStrip(backend.gl())),
      format_(fixedPoint ? glycine::gl::TextureFormat::RGBA32I : glycine::gl::TextureFormat::RGBA32F) {}

glycine::gl::ShaderDefines StripProducts::definesOf(std::size_t outputs,
                                                    const glycine::gl::ShaderDefines& extra) const {
    glycine::gl::ShaderDefines defines{{"ROWS", std::to_string(rowsPerStrip_)},
                                       {"OUTPUTS", std::to_string(outputs)}};
    if (fixedPoint_) defines.push_back({"FIXED_POINT", ""});
    defines.insert(defines.end(), extra.begin(), extra.end());
    return defines;
}

glycine::gl::ShaderDefines StripProducts::lookupDefines(Relaxation relaxation, bool readsOperand) const {
    const glycine::gl::GlBugs& bugs = backend_.gl().bugs;
    glycine::gl::ShaderDefines defines;
    if (readsOperand && bugs.slowComputedBlockIndex) defines.push_back({"UNROLL", ""});
    if (relaxation == Relaxation::Lower) defines.push_back({"LOWER", ""});
    if (bugs.slowTexelFetch) defines.push_back({"NORMALISED", ""});
    return defines;
}

glycine::gl::FragmentPass StripProducts::pass(std::string_view shader, std::size_t outputs,
                                              const glycine::gl::ShaderDefines& extra) {
    return backend_.pass(shader, definesOf(outputs, extra));
}

void StripProducts::beginCompiling(bool hasLower) {
    const auto begin = [&](std::string_view shader, std::size_t outputs,
                           const glycine::gl::ShaderDefines& extra = {}) {
        backend_.beginCompiling(shader, definesOf(outputs, extra));
    };
    // Start the slowest compilations first.
    begin("bounds/relax_strips.frag", rowsPerStrip_, lookupDefines(Relaxation::Upper, true));
    if (hasLower) begin("bounds/relax_strips.frag", rowsPerStrip_, lookupDefines(Relaxation::Lower, true));
    begin("bounds/square_block.frag", rowsPerStrip_, lookupDefines(Relaxation::Upper, false));
    begin("bounds/rows_to_strips.frag", rowsPerStrip_);
    begin("bounds/full_rows.frag", rowsPerStrip_);
    begin("bounds/gather_operand.frag", 1);
    if (!hasLower) return;
    begin("bounds/full_rows.frag", rowsPerStrip_, {{"TRANSPOSE", ""}});
    begin("bounds/copy_strips.frag", rowsPerStrip_);
}

void StripProducts::rows(const StripMatrix& source, StripMatrix& target, std::size_t firstRow,
                         bool transposed) {
    glycine::gl::ShaderDefines defines;
    if (transposed) defines.push_back({"TRANSPOSE", ""});
    glycine::gl::FragmentPass gather = pass("bounds/full_rows.frag", rowsPerStrip_, defines);
    gather.input("source", source.texture())
        .output(target.framebuffer())
        .uniform("firstStrip", static_cast<int>(firstRow / rowsPerStrip_));
    glycine::gl::drawInBands(backend_.budget(), gather.extent(), gather.extent().size.x * 32.0,
                             [&](const glycine::gl::Rectangle& band) { gather.draw(band); });
}

StripMatrix StripProducts::complete(const StripMatrix& source) {
    StripMatrix target = make(source.shape().rows, source.shape().columns);
    rows(source, target, 0, false);
    return target;
}

StripMatrix StripProducts::transpose(const StripMatrix& source) {
    StripMatrix target = make(source.shape().columns, source.shape().rows);
    rows(source, target, 0, true);
    return target;
}

void StripProducts::copyStrips(const StripMatrix& source, const StripMatrix& target,
                               std::span<const std::size_t> strips) {
    glycine::gl::FragmentPass pass = this->pass("bounds/copy_strips.frag", rowsPerStrip_);
    pass.input("source", source.texture()).output(target.framebuffer());
    for (const std::size_t strip : strips) pass.draw(stripRectangle(strip, 1, 0, pass.extent().size.x));
}

StripMatrix StripProducts::copy(const StripMatrix& source) {
    StripMatrix target = make(source.shape().rows, source.shape().columns);
    pass("bounds/copy_strips.frag", rowsPerStrip_)
        .input("source", source.texture())
        .output(target.framebuffer())
        .draw();
    return target;
}

template <class T>
void StripProducts::placeRows(const glycine::gl::Texture& source, glm::ivec2 size, glm::ivec2 origin,
                              T padding, const StripMatrix& target, const glycine::gl::Rectangle& region) {
    pass("bounds/rows_to_strips.frag", rowsPerStrip_)
        .input("source", source)
        .output(target.framebuffer())
        .uniform("sourceSize", size)
        .uniform("origin", origin)
        .uniform("padding", padding)
        .draw(region);
}

StripMatrix StripProducts::fromRows(const glycine::gl::Texture& source, std::size_t columns, float padding) {
    const glm::ivec2 size = source.shape().size;
    StripMatrix target = make(static_cast<std::size_t>(size.y), columns);
    placeRows(source, size, {0, 0}, padding, target, target.framebuffer().extent());
    return target;
}

template <class T>
StripMatrix StripProducts::upload(MatrixView<const T> matrix, T padding) {
    // Large enough to use the bus well, small enough that the first piece arrives early.
    constexpr std::size_t kPieceElements = std::size_t{1} << 20;
    const std::size_t rows = matrix.rows(), columns = matrix.columns();
    const auto side = static_cast<std::size_t>(backend_.gl().limits.maxTextureSize);
    StripMatrix target = make(rows, columns);
    const layout::StripShape& shape = target.shape();
    const std::size_t width = std::min(shape.paddedColumns(), side / 4 * kColumnsPerTexel);
    const std::size_t height =
        rowsPerStrip_ * std::clamp<std::size_t>(kPieceElements / width / rowsPerStrip_, 1,
                                                std::min(shape.strips(), side / rowsPerStrip_));
    glycine::gl::PooledTexture piece(backend_.textures(), {format_, {width / 4, height}});
    Matrix<T> packed(0, 0);
    for (std::size_t i = 0; i < shape.paddedRows(); i += height)
        for (std::size_t j = 0; j < shape.paddedColumns(); j += width) {
            const MatrixView<const T> part = matrix.block(std::min(i, rows), std::min(j, columns),
                                                          std::min(height, rows - std::min(i, rows)),
                                                          std::min(width, columns - std::min(j, columns)));
            const glm::ivec2 size(roundUp(part.columns(), 4) / 4, part.rows());
            if (size.x * size.y > 0 && part.columns() % 4 == 0 && part.rowStride() % 4 == 0) {
                piece->upload(part.data(), {{0, 0}, size}, static_cast<int>(part.rowStride() / 4));
            } else if (size.x * size.y > 0) {
                if (packed.size() == 0) packed = Matrix<T>(height, width);
#pragma omp parallel for schedule(static) if (packed.size() >= layout::kElementsWorthThreads)
                for (std::size_t row = 0; row < part.rows(); ++row)
                    std::fill(std::copy_n(part.row(row), part.columns(), packed.row(row)),
                              packed.row(row) + 4 * size.x, padding);
                piece->upload(packed.data(), {{0, 0}, size}, static_cast<int>(width / 4));
            }
            placeRows(*piece, size, {j / 4, i}, padding, target,
                      {{j / kColumnsPerTexel, layout::kTexelRowsPerStrip * (i / rowsPerStrip_)},
                       {width / kColumnsPerTexel, layout::kTexelRowsPerStrip * (height / rowsPerStrip_)}});
        }
    return target;
}

template StripMatrix StripProducts::upload(MatrixView<const float>, float);
template StripMatrix StripProducts::upload(MatrixView<const std::int32_t>, std::int32_t);

glycine::gl::RenderTexture StripProducts::toRows(const StripMatrix& source) {
    glycine::gl::RenderTexture target(
        backend_.textures(), {format_, {layout::row1x4Width(source.shape().columns), source.shape().rows}});
    pass("bounds/strips_to_rows.frag", 1)
        .input("source", source.texture())
        .output(target.framebuffer())
        .draw();
    return target;
}

void StripProducts::loadOperand(const StripMatrix& source, std::size_t firstRow, std::size_t strips) {
    const int width = static_cast<int>(kBlock * rowsPerStrip_ / 4);
    const int height = static_cast<int>(strips);
    if (!operandTexture_ || operandTexture_->shape().size.y < height) {
        const glycine::gl::TextureShape shape{format_, {width, height}};
        operandTexture_.emplace(backend_.textures(), shape);
        operandBuffer_.emplace(GL_PIXEL_PACK_BUFFER, shape.bytes(), GL_STREAM_COPY);
    }
    const glycine::gl::Rectangle region{{0, 0}, {width, height}};
    pass("bounds/gather_operand.frag", 1)
        .input("source", source.texture())
        .output(operandTexture_->framebuffer())
        .uniform("firstRow", static_cast<int>(firstRow))
        .draw(region);
    glycine::gl::copyToBuffer(operandTexture_->framebuffer(), 0, format_, region, *operandBuffer_);
}

glycine::gl::FragmentPass StripProducts::lookupPass(std::string_view shader, const StripMatrix& source,
                                                    std::string_view texelSize, Relaxation relaxation,
                                                    bool readsOperand) {
    glycine::gl::FragmentPass result = pass(shader, rowsPerStrip_, lookupDefines(relaxation, readsOperand));
    if (backend_.gl().bugs.slowTexelFetch)
        result.uniform(texelSize, glycine::gl::texelSize(source.texture()));
    return result;
}

void StripProducts::relaxStrips(const StripMatrix& accumulator, const StripMatrix& right,
                                std::size_t firstRow, const StripMatrix& target,
                                std::span<const std::size_t> strips, Relaxation relaxation,
                                const ColumnsOfStrip& columnsOf) {
    if (strips.empty()) return;
    glycine::gl::FragmentPass relax =
        lookupPass("bounds/relax_strips.frag", right, "rightTexel", relaxation, true);
    relax.input("accumulator", accumulator.texture())
        .input("right", right.texture())
        .output(target.framebuffer())
        .uniform("rightY", static_cast<float>(layout::kTexelRowsPerStrip * (firstRow / rowsPerStrip_)))
        .block("Operand", kOperandBinding);
    const auto operandBytes = static_cast<GLsizeiptr>(kBlock * rowsPerStrip_ * 4);
    for (const std::size_t strip : strips) {
        glycine::gl::Rectangle region = stripRectangle(strip, 1, 0, relax.extent().size.x);
        if (columnsOf) {
            const Range columns = columnsOf(strip);
            if (columns.size() == 0) continue;
            region = stripRectangle(strip, 1, columns.begin / kColumnsPerTexel,
                                    static_cast<int>(columns.end / kColumnsPerTexel));
        }
        glBindBufferRange(GL_UNIFORM_BUFFER, kOperandBinding, operandBuffer_->name(),
                          static_cast<GLintptr>(strip) * operandBytes, operandBytes);
        backend_.budget().begin();
        relax.draw(region);
        backend_.budget().note(static_cast<double>(region.size.x) * 16 *
                               static_cast<double>(kBlock * rowsPerStrip_));
    }
}

ColumnsOfStrip StripProducts::rightOfDiagonal(const StripMatrix& matrix) const {
    return [rows = rowsPerStrip_, end = matrix.shape().paddedColumns()](std::size_t strip) {
        return Range{strip * rows / kColumnsPerTexel * kColumnsPerTexel, end};
    };
}

void StripProducts::relax(StripAccumulator& accumulator, const StripMatrix& right, std::size_t firstRow,
                          Relaxation relaxation, const ActiveBlocks* active,
                          const ColumnsOfStrip& columnsOf) {
    std::vector<std::size_t> strips[2];  // by the side that holds their latest state
    for (std::size_t strip = 0; strip < accumulator.shape().strips(); ++strip)
        if (active == nullptr || (*active)(strip, firstRow / kBlock))
            strips[accumulator.latest(strip)].push_back(strip);
    for (const int side : {0, 1})
        relaxStrips(accumulator.side(side), right, firstRow, accumulator.side(1 - side), strips[side],
                    relaxation, columnsOf);
    for (const auto& updated : strips)
        for (const std::size_t strip : updated) accumulator.flip(strip);
}

std::string StripProducts::workName(Relaxation relaxation) const {
    glycine::gl::ShaderDefines defines;
    if (relaxation == Relaxation::Lower) defines.push_back({"LOWER", ""});
    if (fixedPoint_) defines.push_back({"FIXED_POINT", ""});
    return glycine::gl::nameOf("bounds/relax_strips.frag", defines);
}

void StripProducts::square(const StripMatrix& source, int sourceX, const StripMatrix& target) {
    glycine::gl::FragmentPass pass =
        lookupPass("bounds/square_block.frag", source, "sourceTexel", Relaxation::Upper, false);
    pass.input("source", source.texture()).output(target.framebuffer()).uniform("sourceX", sourceX).draw();
}

void StripProducts::squareAll(const StripMatrix& rows, int sourceX, StripMatrix (&blocks)[2]) {
    square(rows, sourceX, blocks[0]);
    for (int i = 1; i < kSquarings; ++i) square(blocks[1 - i % 2], 0, blocks[i % 2]);
}

StripMatrix StripProducts::close(StripMatrix matrix, Progress& progress) {
    beginSteps(Relaxation::Upper);
    const layout::StripShape shape = matrix.shape();
    const std::size_t padded = shape.paddedRows();
    StripMatrix panel = make(kBlock, shape.columns);
    StripMatrix closedPanel = make(kBlock, shape.columns);
    StripMatrix diagonal[2] = {make(kBlock, kBlock), make(kBlock, kBlock)};
    StripAccumulator accumulator(*this, std::move(matrix));
    const ColumnsOfStrip columnsOf = rightOfDiagonal(accumulator.side(0));
    const std::vector<std::size_t> blockStrips = stripsOfBlock();
    for (std::size_t k = 0; k < padded; k += kBlock) {
        // Every pass updates all strips, so all are always on the same side.
        rows(accumulator.whole(), panel, k, false);
        // Phase one: close the diagonal block by squaring.
        squareAll(panel, static_cast<int>(k / kColumnsPerTexel), diagonal);
        // Phase two: update its rows.
        loadOperand(diagonal[kLastSquare], 0, blockStrips.size());
        relaxStrips(panel, panel, 0, closedPanel, blockStrips, Relaxation::Upper, {});
        // Phase three: update everything right of the diagonal.
        relaxBlock(accumulator, closedPanel, closedPanel, Relaxation::Upper, columnsOf);
        progress.advance(static_cast<double>(kBlock));
    }
    return complete(accumulator.finish(*this));
}

void StripProducts::beginSteps(Relaxation relaxation) {
    backend_.budget().restart(workName(relaxation));
}

std::vector<std::size_t> StripProducts::stripsOfBlock() const {
    std::vector<std::size_t> strips(kBlock / rowsPerStrip_);
    std::iota(strips.begin(), strips.end(), std::size_t{0});
    return strips;
}

StripMatrix StripProducts::closeBlock(const StripMatrix& rows) {
    StripMatrix diagonal[2] = {make(kBlock, kBlock), make(kBlock, kBlock)};
    squareAll(rows, 0, diagonal);
    return std::move(diagonal[kLastSquare]);
}

StripMatrix StripProducts::relaxPanel(const StripMatrix& rows, const StripMatrix& closed) {
    StripMatrix relaxed = make(kBlock, rows.shape().columns);
    const std::vector<std::size_t> blockStrips = stripsOfBlock();
    loadOperand(closed, 0, blockStrips.size());
    relaxStrips(rows, rows, 0, relaxed, blockStrips, Relaxation::Upper, {});
    return relaxed;
}

void StripProducts::relaxBlock(StripAccumulator& accumulator, const StripMatrix& leftTransposed,
                               const StripMatrix& right, Relaxation relaxation,
                               const ColumnsOfStrip& columnsOf) {
    loadOperand(leftTransposed, 0, accumulator.shape().strips());
    relax(accumulator, right, 0, relaxation, nullptr, columnsOf);
}

template <class T>
void StripProducts::uploadBlock(const T* block, const StripMatrix& target, std::size_t row,
                                std::size_t column) {
    const glm::ivec2 size(kBlock / 4, kBlock);
    glycine::gl::PooledTexture piece(backend_.textures(), {format_, size});
    piece->upload(block, {{0, 0}, size}, size.x);
    placeRows(*piece, size, {column / 4, row}, T(0), target,
              {{column / kColumnsPerTexel, layout::kTexelRowsPerStrip * (row / rowsPerStrip_)},
               {kBlock / kColumnsPerTexel, layout::kTexelRowsPerStrip * (kBlock / rowsPerStrip_)}});
}

template void StripProducts::uploadBlock(const float*, const StripMatrix&, std::size_t, std::size_t);
template void StripProducts::uploadBlock(const std::int32_t*, const StripMatrix&, std::size_t, std::size_t);

StripMatrix StripProducts::multiply(StripMatrix initial, const StripMatrix& leftTransposed,
                                    const StripMatrix& right, Relaxation relaxation,
                                    const ActiveBlocks* active, bool symmetric, Progress& progress) {
    beginSteps(relaxation);
    const std::size_t depth = right.shape().paddedRows();
    const std::size_t strips = initial.shape().strips();
    StripAccumulator accumulator(*this, std::move(initial));
    const ColumnsOfStrip columnsOf = symmetric ? rightOfDiagonal(accumulator.side(0)) : ColumnsOfStrip();
    for (std::size_t k = 0; k < depth; k += kBlock) {
        const std::size_t block = k / kBlock;
        bool needed = active == nullptr;
        for (std::size_t strip = 0; strip < strips && !needed; ++strip) needed = (*active)(strip, block);
        if (needed) {
            loadOperand(leftTransposed, k, strips);
            relax(accumulator, right, k, relaxation, active, columnsOf);
        }
        progress.advance(static_cast<double>(kBlock));
    }
    return accumulator.finish(*this);
}

}  // namespace glycine::bounds::gl
