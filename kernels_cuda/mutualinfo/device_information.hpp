#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/mutualinfo/mutualinfo.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/device_memory.hpp"
#include "kernels_cuda/device/launch.hpp"
#include "kernels_cuda/device/paced_report.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// Mutual information of all pairs of two groups of genes, on the device.
namespace glycine::cuda {

/// Measures the time of each kernel while several are queued, by events in the stream. Events cost very
/// little and do not stall the device.
class KernelClock {
  public:
    /// Name and seconds of a kernel.
    using Time = std::pair<std::string_view, double>;

    explicit KernelClock(const std::vector<std::string_view>& names) {
        for (const std::string_view name : names) times_.emplace_back(name, 0.0);
    }
    /// `launch()` queues kernel number `kernel` in `stream`.
    template <class Launch>
    void time(std::size_t kernel, const Stream& stream, const Launch& launch) {
        constexpr std::size_t mostMarks = 1024;
        while (marks_.size() >= mostMarks) settleOldest();
        Mark mark{kernel, Event(Event::Kind::Timing), Event(Event::Kind::Timing)};
        mark.begin.record(stream);
        launch();
        mark.end.record(stream);
        marks_.push_back(std::move(mark));
    }
    /// Times of everything queued so far; waits until it has finished.
    const std::vector<Time>& times() {
        while (!marks_.empty()) settleOldest();
        return times_;
    }

  private:
    struct Mark {
        std::size_t kernel;
        Event begin, end;
    };
    void settleOldest() {
        const Mark& oldest = marks_.front();
        oldest.end.synchronize();
        times_[oldest.kernel].second += Event::secondsBetween(oldest.begin, oldest.end);
        marks_.pop_front();
    }

    std::vector<Time> times_;
    std::deque<Mark> marks_;
};

/// Whether the variant runs the four kernels of CUDAMI; the others multiply stacked weighting matrices.
constexpr bool isPublished(mutualinfo::Variant variant) {
    return variant == mutualinfo::Variant::Cudami || variant == mutualinfo::Variant::CudamiUnscanned;
}

/// The data from which the information is computed.
struct InformationShape {
    mutualinfo::SplineShape splines;
    std::size_t instances = 0;  ///< genes; 0: any number
    std::size_t samples = 0;
    bool isComplete = false;  ///< every sample has all genes
};

/// Computes mutual information in bits: not negative, NaN if the genes have no common sample. For a gene
/// whose values are all equal, rounding may leave a small value.
class PairInformation {
  public:
    virtual ~PairInformation() = default;
    /// Adds samples of a window: two rows of words per sample, which hold the positions of all genes on [0,
    /// intervals] as doubles, low words first; NaN: missing. Once all samples since Accumulate::No have been
    /// added, queues the computation of `results`, rows × columns of the window. All `work` has been passed
    /// to the report by then.
    virtual void add(const PairWindow& window, Accumulate accumulate, MatrixOnDevice<double> results,
                     double work, const Stream& stream, PacedReport& report) = 0;
    /// Seconds of each published kernel so far, in the order "weights", "scan", "self", "joint". Waits for
    /// queued kernels. Empty for other variants.
    virtual std::vector<KernelClock::Time> kernelTimes() { return {}; }
};

/// Why the device does not support the variant; empty if it does.
std::string unsupportedReason(const CudaBackend& backend, mutualinfo::Variant variant,
                              mutualinfo::WeightPrecision precision, const mutualinfo::SplineShape& splines);
/// Device memory needed for windows of up to side × side genes, with or without missing values, excluding
/// results.
std::size_t bytesForInformation(const CudaBackend& backend, mutualinfo::Variant variant,
                                mutualinfo::WeightPrecision precision, const InformationShape& shape,
                                std::size_t side);
/// `backend` must outlive the result.
std::unique_ptr<PairInformation> makeInformation(const CudaBackend& backend, mutualinfo::Variant variant,
                                                 mutualinfo::WeightPrecision precision,
                                                 const InformationShape& shape, std::size_t side);

}  // namespace glycine::cuda
