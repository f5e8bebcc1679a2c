#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/pairwise/device_sequences.hpp"
#include "kernels_cuda/pairwise/intertask_kernels.hpp"

namespace glycine::pairwise::cuda {

/// Whether pairs are so long and so few that one block per pair is faster than one lane per pair, by their
/// cycles on an H200. The lengths of the rows and columns of a tile ascend; `isDiagonal`: only columns before
/// a row count.
bool prefersStripes(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns,
                    bool isDiagonal, std::size_t multiprocessors);

/// The largest side of tiles; beyond it, nothing gets faster.
inline constexpr std::size_t kLargestTile = 2048;

/// Tests force one or the other.
enum class StripeUse { WherePairsAreFew, Never, Always };

/// `cuda intertask`: all sequences on the device, and the pairs of a tile as tasks of a query with 32 others.
/// Few long pairs are computed in stripes, one block each (prefersStripes).
class InterTaskRun final : public PairwiseRun {
  public:
    /// The least device memory for a request: sequences, results, and the state of one block.
    static std::size_t leastBytes(const PairwiseRequest& request);

    /// `sequences` must outlive the run.
    InterTaskRun(glycine::cuda::CudaBackend& backend, const Sequences& sequences, const PairScoring& scoring,
                 StripeUse stripes = StripeUse::WherePairsAreFew);
    std::string_view variantName() const override { return toString(Variant::InterTask); }
    pairs::PairTimes times() const override { return times_; }
    std::string note() const override;
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<std::int32_t>> results,
                 Progress& progress) override;

  private:
    /// The sequences of a tile, in ascending order of length.
    struct Lists {
        std::vector<std::uint32_t> rows, columns;
    };
    /// Tasks with numbers of one width.
    struct TaskClass {
        glycine::cuda::AlignNumber number;
        std::size_t longest;  ///< letters for which the numbers suffice
        std::vector<glycine::cuda::AlignTask> tasks{};
        std::vector<double> cells{};  ///< one per task
        bool isInStripes = false;     ///< one block per pair
    };
    bool takesStripes(const pairs::PairTile& tile, const Lists& lists) const;
    /// Narrow numbers first; each class takes the tasks that do not fit the classes before it.
    std::vector<TaskClass> classesFor(bool hasIdentities, bool isInStripes) const;
    void listTasks(const pairs::PairTile& tile, const Lists& lists, std::vector<TaskClass>& classes) const;
    void work(const pairs::PairTile& tile, const Lists& lists, const TaskClass& tasks, bool hasIdentities,
              TileProgress& progress);
    std::size_t letters(std::uint32_t sequence) const { return sequences_.codes[sequence].size(); }
    void unpack(const pairs::PairTile& tile, const Lists& lists, const std::vector<TaskClass>& classes,
                bool hasIdentities, std::span<const MatrixView<std::int32_t>> results);

    glycine::cuda::CudaBackend& backend_;
    const Sequences& sequences_;
    PairScoring scoring_;
    StripeUse stripes_;
    DeviceSequences deviceSequences_;
    // Of a tile, and of its tasks with numbers of one width.
    glycine::cuda::DeviceBuffer<std::uint32_t> rows_, columns_, counters_;
    glycine::cuda::DeviceBuffer<std::int64_t> table_;
    glycine::cuda::DeviceBuffer<glycine::cuda::AlignTask> tasks_;
    glycine::cuda::DeviceBuffer<std::int64_t> results_;
    std::size_t resultStride_ = 0;
    glycine::cuda::DeviceBuffer<std::byte> state_;
    glycine::cuda::Stream stream_;
    std::array<std::size_t, 3> blocksAtOnce_{};  ///< on the device, by AlignNumber
    pairs::PairTimes times_;
    double wideCells_ = 0;
    bool hasStripes_ = false;
};

}  // namespace glycine::pairwise::cuda
