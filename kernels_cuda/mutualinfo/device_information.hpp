#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// B-splines of `order` on `bins` bins over [0, bins − order + 1].
struct SplineShape {
    unsigned bins = 0;
    unsigned order = 0;      ///< below `bins`
    bool isUniform = false;  ///< kind of knots; if false, the first and the last `order` knots coincide with
                             ///< the ends
    GLYCINE_HOST_DEVICE unsigned intervals() const { return bins - order + 1; }
    /// Knot i < bins + order.
    GLYCINE_HOST_DEVICE double knot(unsigned i) const {
        const int knot = int(i) - int(order - 1);
        if (isUniform || (knot >= 0 && knot <= int(intervals()))) return knot;
        return knot < 0 ? 0 : int(intervals());
    }
};

/// How the information is computed.
enum class InformationMethod {
    Published,  ///< the four kernels of CUDAMI
    Unscanned,  ///< the same without the second kernel if no value is missing
    Float64,    ///< products of stacked weighting matrices with numbers of this format
    Float32,
    Tf32,
    Float16,
};

constexpr bool isPublished(InformationMethod method) {
    return method == InformationMethod::Published || method == InformationMethod::Unscanned;
}

/// The data from which the information is computed.
struct InformationShape {
    SplineShape splines;
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
    /// queued kernels. Empty for other methods.
    virtual std::vector<KernelClock::Time> kernelTimes() { return {}; }
};

/// Why the device does not support the method; empty if it does.
std::string unsupportedReason(const CudaBackend& backend, InformationMethod method,
                              const SplineShape& splines);
/// Device memory needed for windows of up to side × side genes, with or without missing values, excluding
/// results.
std::size_t bytesForInformation(const CudaBackend& backend, InformationMethod method,
                                const InformationShape& shape, std::size_t side);
/// `backend` must outlive the result.
std::unique_ptr<PairInformation> makeInformation(const CudaBackend& backend, InformationMethod method,
                                                 const InformationShape& shape, std::size_t side);

}  // namespace glycine::cuda
