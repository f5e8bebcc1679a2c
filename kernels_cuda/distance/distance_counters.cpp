#include "kernels_cuda/distance/distance_counters.hpp"

#include <fmt/format.h>

#include "kernels_cuda/device/cublas_lt.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/pair_portions.hpp"

namespace glycine::cuda {

namespace {

/// Some hundredths of a second of an H200, and less than a second of a small GPU.
constexpr double kBitplaneAtOnce = 1e13;
constexpr double kBitTensorAtOnce = 1e14;
constexpr double kDirectAtOnce = 1e12;

constexpr double kAttributesAWord = 32;

/// Bits as they are: nothing but launches.
class BitCounter final : public PairCounter {
  public:
    BitCounter(const CudaBackend& backend, CountMethod method, const PlaneFormat& format)
        : backend_(backend), method_(method), format_(format) {}

    void count(const PairWindow& window, Accumulate accumulate, const CountsOnDevice& counts, double work,
               const Stream& stream, PacedReport& report) override {
        const bool onTensorCores = method_ == CountMethod::BitTensor;
        const auto launchOne = onTensorCores ? launchBitTensor : launchBitplane;
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        forEachPortion(
            window, format_.stored(), kAttributesAWord, onTensorCores ? kBitTensorAtOnce : kBitplaneAtOnce,
            work, stream, report, [&](const PairPortion& portion, bool isFirst) {
                launchOne(launch, window, portion, format_, isFirst ? accumulate : Accumulate::Yes, counts);
            });
    }

  private:
    const CudaBackend& backend_;
    CountMethod method_;
    PlaneFormat format_;
};

}  // namespace

std::string whyNoCounter(const CudaBackend& backend, CountMethod method, const PlaneFormat& format) {
    if (method == CountMethod::Bitplane) return {};
    if (format.planes > 2)
        return fmt::format(
            "products on tensor cores are for alphabets of 2 to 4 symbols (2 planes); this one "
            "has {} planes",
            format.planes);
    const int least = method == CountMethod::BitTensor ? 80 : 75;
    const int capability = backend.computeCapability();
    if (capability < least)
        return fmt::format("needs compute capability {}.{}; this device has {}.{}", least / 10, least % 10,
                           capability / 10, capability % 10);
    return method == CountMethod::Int8 ? whyNoInt8Products() : std::string();
}

std::size_t bytesForCounter(CountMethod method, const PlaneFormat& format, WantedCounts wanted,
                            std::size_t side, std::size_t available) {
    return method == CountMethod::Int8 ? bytesForInt8Counter(format, wanted, side, available) : 0;
}

std::unique_ptr<PairCounter> makeCounter(const CudaBackend& backend, CountMethod method,
                                         const PlaneFormat& format, WantedCounts wanted, std::size_t side,
                                         std::size_t available) {
    if (method == CountMethod::Int8) return makeInt8Counter(backend, format, wanted, side, available);
    return std::make_unique<BitCounter>(backend, method, format);
}

void sumTerms(const CudaBackend& backend, const PairWindow& window, const SummedNumbers& summed,
              Accumulate accumulate, MatrixOnDevice<double> sums, double work, const Stream& stream,
              PacedReport& report) {
    const Launch launch{stream.handle(), backend.multiprocessors()};
    // Rows of the operands that hold one attribute stay together.
    const unsigned words = summed.isDouble ? 2 : 1;
    forEachPortion(
        window, words, 1, kDirectAtOnce, work, stream, report, [&](const PairPortion& portion, bool isFirst) {
            launchDirect(launch, window, portion, summed, isFirst ? accumulate : Accumulate::Yes, sums);
        });
}

}  // namespace glycine::cuda
