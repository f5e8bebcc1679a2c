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

/// Tells what each of several kernels takes while they are queued one behind the other: by marks in the
/// stream, which cost next to nothing and let the device go on.
class KernelClock {
  public:
    /// Name of a kernel and its seconds.
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
    /// Of all that was queued; waits until it is done.
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
    bool isUniform = false;  ///< the knots; else the first and the last `order` coincide with the ends
    GLYCINE_HOST_DEVICE unsigned intervals() const { return bins - order + 1; }
    /// Knot i < bins + order.
    GLYCINE_HOST_DEVICE double knot(unsigned i) const {
        const int knot = int(i) - int(order - 1);
        if (isUniform || (knot >= 0 && knot <= int(intervals()))) return knot;
        return knot < 0 ? 0 : int(intervals());
    }
};

/// How it is found.
enum class InformationMethod {
    Published,  ///< the four kernels of CUDAMI
    Unscanned,  ///< the same without the second one where every sample has all genes
    Float64,    ///< products of stacked weighting matrices, of numbers of this format
    Float32,
    Tf32,
    Float16,
};

constexpr bool isPublished(InformationMethod method) {
    return method == InformationMethod::Published || method == InformationMethod::Unscanned;
}

/// What it is found of.
struct InformationShape {
    SplineShape splines;
    std::size_t instances = 0;  ///< genes; 0: any number
    std::size_t samples = 0;
    bool isComplete = false;  ///< every sample has all genes
};

/// Finds numbers in bits: not negative, NaN where no sample has both genes. A gene whose values are all equal
/// may be left with a trace of rounding.
class PairInformation {
  public:
    virtual ~PairInformation() = default;
    /// Takes samples of a window: two rows of words each, the positions of all genes on [0, intervals] as
    /// doubles, the low words first; NaN: missing. When all samples have come since Accumulate::No, queues
    /// what finds `results`, rows × columns of the window. `work` is told to the report by then, at the
    /// latest.
    virtual void add(const PairWindow& window, Accumulate accumulate, MatrixOnDevice<double> results,
                     double work, const Stream& stream, PacedReport& report) = 0;
    /// Seconds that the published kernels have taken so far, in their order: "weights", "scan", "self",
    /// "joint". Waits for what is queued. Empty of other methods.
    virtual std::vector<KernelClock::Time> kernelTimes() { return {}; }
};

/// Why the device does not find it so; empty where it does.
std::string whyNoInformation(const CudaBackend& backend, InformationMethod method,
                             const SplineShape& splines);
/// Device memory that it takes for windows of up to side × side genes, complete or not, their results not
/// counted.
std::size_t bytesForInformation(const CudaBackend& backend, InformationMethod method,
                                const InformationShape& shape, std::size_t side);
/// `backend` outlives the result.
std::unique_ptr<PairInformation> makeInformation(const CudaBackend& backend, InformationMethod method,
                                                 const InformationShape& shape, std::size_t side);

}  // namespace glycine::cuda
