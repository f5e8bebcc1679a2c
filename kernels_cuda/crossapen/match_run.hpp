#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "kernels_cuda/crossapen/batch_plan.hpp"
#include "kernels_cuda/crossapen/pair_matching.hpp"

namespace glycine::crossapen::cuda {

/// What decides how much a run keeps on the device.
struct RunShape {
    glycine::cuda::MatchMethod method{};
    glycine::cuda::MatchShape all;  ///< epochs: of the whole run
    bool hasPairBounds = false;
    bool operator==(const RunShape& other) const {
        return method == other.method && all.epochs == other.all.epochs &&
               all.channels == other.all.channels && all.samples == other.all.samples &&
               all.m == other.all.m && hasPairBounds == other.hasPairBounds;
    }
};

/// How a run of this shape would use `available` bytes of device memory. T: float or double.
template <class T>
BatchPlan planRun(const glycine::cuda::CudaBackend& backend, const RunShape& shape, std::size_t available);

/// Buffers and tables for runs of one shape, one after the other.
template <class T>
class MatchRun {
  public:
    /// `plan` from planRun() for this shape, with epochs > 0.
    MatchRun(glycine::cuda::CudaBackend& backend, const RunShape& shape, const BatchPlan& plan);
    const RunShape& shape() const { return shape_; }

    /// As Matcher::match, for epochs of this shape.
    MatchTimes match(std::span<const AnyEpoch> epochs, bool isStrict,
                     std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress);

  private:
    void pack(std::span<const AnyEpoch> epochs, bool isStrict,
              const glycine::cuda::MatchBatch<T>& batch) const;
    void unpack(const glycine::cuda::MatchTotals* totals,
                std::span<const MatrixView<MatchStatistics>> statistics) const;

    glycine::cuda::CudaBackend& backend_;
    RunShape shape_;
    std::vector<Range> batches_;
    glycine::cuda::DeviceBuffer<std::int64_t> logs_;
    std::unique_ptr<glycine::cuda::PairMatcher<T>> matcher_;
    std::vector<glycine::cuda::MatchBatch<T>> slots_;
    glycine::cuda::MatchStreams streams_;
};

}  // namespace glycine::crossapen::cuda
