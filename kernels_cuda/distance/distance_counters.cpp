#include "kernels_cuda/distance/device_counting.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cublas_lt.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

namespace glycine::cuda {

namespace {

/// Cuts a window into launches of about `comparisons` pairs × attributes, calls launchOne(portion, isFirst)
/// for each, and reports its share of `work`. `wordsAWord`: rows of the operands per word of attributes.
/// `attributesAWord`: attributes in such a word. isFirst: nothing has been counted for these rows yet.
template <class LaunchOne>
void forEachPairPortion(const PairWindow& window, unsigned wordsAWord, double attributesAWord,
                        double comparisons, double work, const Stream& stream, PacedReport& report,
                        const LaunchOne& launchOne) {
    // Deeper launches would keep single tiles busy for long, while the rest of the device waits for the last
    // ones.
    constexpr std::size_t mostWords = 8192;
    const std::size_t words = window.depth / wordsAWord;
    const double depth = double(std::min(words, mostWords)) * attributesAWord;
    const auto bands =
        std::size_t(std::max(1.0, comparisons / (depth * double(window.columnCount) * kPairPadding)));
    const auto pairsOf = [&](Range rows) {
        const double below = double(rows.begin + rows.end) / 2;  // mean number of columns below the diagonal
        return double(rows.size()) * (window.isDiagonal ? below : double(window.columnCount));
    };
    WorkSplit split(work, pairsOf({0, window.rowCount}) * double(words));
    for (const Range rows : splitRange(window.rowCount, bands * kPairPadding)) {
        for (const Range piece : splitRange(words, mostWords)) {
            const PairPortion portion{unsigned(rows.begin), unsigned(rows.size()),
                                      unsigned(piece.begin * wordsAWord),
                                      unsigned(piece.size() * wordsAWord)};
            launchOne(portion, piece.begin == 0);
            report.queued(stream, split.next(pairsOf(rows) * double(piece.size())));
        }
    }
}

/// Some hundredths of a second on an H200, and less than a second on a small GPU.
constexpr double kBitplaneAtOnce = 1e13;
constexpr double kBitTensorAtOnce = 1e14;
constexpr double kDirectAtOnce = 1e12;

constexpr double kAttributesAWord = 32;

/// Counts bits directly, without workspace.
class BitCounter final : public PairCounter {
  public:
    BitCounter(const CudaBackend& backend, distance::Variant variant, const distance::DiscreteShape& shape)
        : backend_(backend), variant_(variant), shape_(shape) {}

    void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts, double work,
               const Stream& stream, PacedReport& report) override {
        const bool onTensorCores = variant_ == distance::Variant::BitTensor;
        const auto launchOne = onTensorCores ? launchBitTensor : launchBitplane;
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        forEachPairPortion(window, shape_.storedPlanes(), kAttributesAWord,
                           onTensorCores ? kBitTensorAtOnce : kBitplaneAtOnce, work, stream, report,
                           [&](const PairPortion& portion, bool isFirst) {
                               launchOne(launch, window, portion, shape_,
                                         isFirst ? accumulate : Accumulate::Yes, counts);
                           });
    }

  private:
    const CudaBackend& backend_;
    distance::Variant variant_;
    distance::DiscreteShape shape_;
};

}  // namespace

std::string unsupportedReason(const CudaBackend& backend, distance::Variant variant,
                              const distance::DiscreteShape& shape) {
    if (variant == distance::Variant::Bitplane) return {};
    if (shape.planes > 2)
        return fmt::format(
            "products on tensor cores are for alphabets of 2 to 4 symbols (2 planes); this one has {} planes",
            shape.planes);
    const int least = variant == distance::Variant::BitTensor ? 80 : 75;
    const int capability = backend.computeCapability();
    if (capability < least)
        return fmt::format("needs compute capability {}.{}; this device has {}.{}", least / 10, least % 10,
                           capability / 10, capability % 10);
    return variant == distance::Variant::Tensor ? reasonAgainstInt8Products() : std::string();
}

std::size_t bytesForCounter(distance::Variant variant, const distance::DiscreteShape& shape,
                            distance::CountNeeds wanted, std::size_t side, std::size_t available) {
    return variant == distance::Variant::Tensor ? bytesForInt8Counter(shape, wanted, side, available) : 0;
}

std::unique_ptr<PairCounter> makeCounter(const CudaBackend& backend, distance::Variant variant,
                                         const distance::DiscreteShape& shape, distance::CountNeeds wanted,
                                         std::size_t side, std::size_t available) {
    if (variant == distance::Variant::Tensor) return makeInt8Counter(backend, shape, wanted, side, available);
    return std::make_unique<BitCounter>(backend, variant, shape);
}

void sumTerms(const CudaBackend& backend, const PairWindow& window, const SummedNumbers& summed,
              Accumulate accumulate, MatrixOnDevice<double> sums, double work, const Stream& stream,
              PacedReport& report) {
    const Launch launch{stream.handle(), backend.multiprocessors()};
    // The operand rows of one attribute stay together.
    const unsigned words = summed.isDouble ? 2 : 1;
    forEachPairPortion(
        window, words, 1, kDirectAtOnce, work, stream, report, [&](const PairPortion& portion, bool isFirst) {
            launchDirect(launch, window, portion, summed, isFirst ? accumulate : Accumulate::Yes, sums);
        });
}

}  // namespace glycine::cuda
