#include <algorithm>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cublas_lt.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_counters.hpp"
#include "kernels_cuda/distance/distance_int8_form.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

namespace glycine::cuda {

namespace {

/// Depth of one product: long products hide the reading and writing of their result. Measured on an H200 at
/// 4096 × 4096: 16,384 gives 698 T multiply-adds a second, 65,536 gives 879.
constexpr std::size_t kMostDepth = 65536;
/// Words of a plane that an operand holds at least.
constexpr std::size_t kLeastWords = 16;
constexpr std::size_t kMostWorkspace = std::size_t(32) << 20;
/// Smallest square on the diagonal that is computed whole: smaller products leave multiprocessors idle.
constexpr std::size_t kDiagonalSide = 2048;
/// Attributes whose products are summed in int32: a form takes at most 4 of either sign from each attribute.
constexpr std::size_t kMostAttributes = std::size_t(1) << 28;

std::size_t workspaceBytes(std::size_t available) {
    return std::min(kMostWorkspace, available / 8);
}

/// Words of a plane that are expanded at once for a window of `side` × `side`.
std::size_t wordsAtOnce(const Int8Form& form, std::size_t side, std::size_t available) {
    const std::size_t slices = form.left.count;
    const std::size_t widest = *std::max_element(form.slicesOfProduct.begin(), form.slicesOfProduct.end());
    const std::size_t room = available / 4 / (2 * side);
    const std::size_t words = std::min(kMostDepth / (32 * widest), room / (32 * slices));
    return std::max(kLeastWords, words / kLeastWords * kLeastWords);
}

class Int8Counter final : public PairCounter {
  public:
    Int8Counter(const CudaBackend& backend, const PlaneFormat& format, const Int8Form& form, std::size_t side,
                std::size_t available)
        : backend_(backend),
          format_(format),
          form_(form),
          side_(side),
          words_(wordsAtOnce(form, side, available)),
          products_(backend.memory(), workspaceBytes(available)),
          left_(backend.memory(), side * words_ * 32 * form.left.count),
          right_(backend.memory(), side * words_ * 32 * form.right.count) {
        for (std::size_t p = 0; p < form.slicesOfProduct.size(); ++p)
            results_.emplace_back(backend.memory(), side * side);
        if (form.needsMargins())
            for (DeviceBuffer<std::uint32_t>& margin : margins_)
                margin = DeviceBuffer<std::uint32_t>(backend.memory(), side);
    }

    void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts, double work,
               const Stream& stream, PacedReport& report) override {
        const std::size_t words = window.depth / format_.stored();
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        WorkSplit split(work, double(words));
        for (const Range block : splitRange(words, kMostAttributes / 32)) {
            for (const Range piece : splitRange(block.size(), words_)) {
                multiply(window, {block.begin + piece.begin, block.begin + piece.end}, piece.begin > 0,
                         launch, stream);
                report.queued(stream, split.next(double(piece.size())));
            }
            combine(window, block, block.begin == 0 ? accumulate : Accumulate::Yes, launch, counts);
        }
    }

  private:
    MatrixOnDevice<const std::uint32_t> from(MatrixOnDevice<const std::uint32_t> operand,
                                             std::size_t word) const {
        return {operand.at(word * format_.stored(), 0), operand.stride};
    }

    /// All products over some words, below the diagonal.
    void multiply(const PairWindow& window, Range words, bool adds, const Launch& launch,
                  const Stream& stream) {
        const std::size_t stride = words.size() * 32 * form_.left.count;
        launchExpand(launch, from(window.rows, words.begin), window.rowCount, words.size(), format_,
                     form_.left, left_.data(), stride);
        launchExpand(launch, from(window.columns, words.begin), window.columnCount, words.size(), format_,
                     form_.right, right_.data(), stride);
        std::size_t slice = 0;
        for (std::size_t p = 0; p < results_.size(); ++p) {
            const std::size_t first = slice * words.size() * 32;
            const std::size_t depth = form_.slicesOfProduct[p] * words.size() * 32;
            const auto multiplyBlock = [&](Range rows, Range columns) {
                products_.multiply({left_.data() + rows.begin * stride + first,
                                    right_.data() + columns.begin * stride + first,
                                    {results_[p].data() + rows.begin * side_ + columns.begin, side_},
                                    rows.size(),
                                    columns.size(),
                                    depth,
                                    stride,
                                    adds},
                                   stream);
            };
            if (window.isDiagonal)
                multiplyTriangle({0, window.rowCount}, multiplyBlock);
            else
                multiplyBlock({0, window.rowCount}, {0, window.columnCount});
            slice += form_.slicesOfProduct[p];
        }
    }

    /// The lower triangle of a square on the diagonal: a rectangle, and two triangles of half the side.
    template <class MultiplyBlock>
    static void multiplyTriangle(Range square, const MultiplyBlock& multiplyBlock) {
        if (square.size() <= kDiagonalSide) return multiplyBlock(square, square);
        const std::size_t middle = square.begin + roundUp(square.size() / 2, kPairPadding);
        multiplyTriangle({square.begin, middle}, multiplyBlock);
        multiplyBlock({middle, square.end}, {square.begin, middle});
        multiplyTriangle({middle, square.end}, multiplyBlock);
    }

    void combine(const PairWindow& window, Range words, Accumulate accumulate, const Launch& launch,
                 const CountsOnDevice& counts) {
        CombineTask task;
        for (std::size_t p = 0; p < results_.size(); ++p) task.product[p] = results_[p].data();
        task.products = unsigned(results_.size());
        task.stride = side_;
        task.attributes = words.size() * 32;
        task.differing = form_.differing;
        task.opposite = form_.opposite;
        task.valid = form_.valid;
        if (form_.needsMargins()) {
            task.rowMargin = margins_[0].data();
            task.columnMargin = margins_[1].data();
            launchCountEqualPlanes(launch, from(window.rows, words.begin), window.rowCount, words.size(),
                                   margins_[0].data());
            launchCountEqualPlanes(launch, from(window.columns, words.begin), window.columnCount,
                                   words.size(), margins_[1].data());
        }
        launchCombine(launch, task, window.rowCount, window.columnCount, accumulate, counts);
    }

    const CudaBackend& backend_;
    PlaneFormat format_;
    Int8Form form_;
    std::size_t side_;
    std::size_t words_;
    Int8Products products_;
    DeviceBuffer<std::int8_t> left_, right_;
    std::vector<DeviceBuffer<std::int32_t>> results_;
    DeviceBuffer<std::uint32_t> margins_[2];
};

}  // namespace

std::size_t bytesForInt8Counter(const PlaneFormat& format, WantedCounts wanted, std::size_t side,
                                std::size_t available) {
    const Int8Form form = int8Form(format, wanted);
    const std::size_t operands = 2 * side * wordsAtOnce(form, side, available) * 32 * form.left.count;
    const std::size_t results = form.slicesOfProduct.size() * side * side * sizeof(std::int32_t);
    const std::size_t margins = form.needsMargins() ? 2 * side * sizeof(std::uint32_t) : 0;
    return workspaceBytes(available) + operands + results + margins;
}

std::unique_ptr<PairCounter> makeInt8Counter(const CudaBackend& backend, const PlaneFormat& format,
                                             WantedCounts wanted, std::size_t side, std::size_t available) {
    return std::make_unique<Int8Counter>(backend, format, int8Form(format, wanted), side, available);
}

}  // namespace glycine::cuda
