#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "kernels_cuda/pairwise/antidiagonal_run.hpp"
#include "kernels_cuda/pairwise/clustal_threads_run.hpp"
#include "kernels_cuda/pairwise/intertask_run.hpp"

namespace glycine::pairwise::cuda {

namespace {

using glycine::cuda::CudaBackend;

constexpr const char* kThesis =
    "C. S. Khaladkar, An Efficient Implementation of Needleman Wunsch Algorithm on Graphical Processing "
    "Units, "
    "University of Western Australia (2009)";

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cuda", {"integers"},
        {{Variant::InterTask,
          "one sequence with 32 others of about its length, a pair in each thread of a warp; few long pairs "
          "in "
          "a block each",
          "after Y. Liu, D. L. Maskell & B. Schmidt, CUDASW++, BMC Research Notes 2:73 (2009)",
          {},
          true},
         {Variant::Antidiagonal,
          "one pair after another, 16 × 16 cells a block, an anti-diagonal of blocks a launch", kThesis},
         {Variant::AntidiagonalResident, "the same with all sequences on the device before the first pair",
          kThesis}});
    return table;
}

bool isAntidiagonal(Variant variant) {
    return variant == Variant::Antidiagonal || variant == Variant::AntidiagonalResident;
}

/// A thread takes its four passes over a pair in some 60 ns a cell, whatever is beside it; a processor takes
/// pairs one after the other, each some hundred times as fast.
bool areFewAndLong(const PairwiseRequest& request) {
    constexpr std::size_t kFewSequences = 32, kLongSequence = 1000;
    return request.sequences > 0 && request.sequences < kFewSequences && request.longest > kLongSequence;
}

class CudaEngine final : public PairwiseEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PairwiseRequest& request) const override {
        backend_.makeCurrent();
        if (const Support known = variants().supports(request.variant); !known) return known;
        const bool isClustal = request.scoring.method == PairMethod::ClustalW;
        if (isClustal && isAntidiagonal(request.variant))
            return Support::misuse(fmt::format("'cuda {}' does not align as ClustalW does; intertask does",
                                               toString(request.variant)));
        if (const Support fit = scoresFit(request); !fit) return fit;
        const std::size_t needed = isClustal                         ? ClustalThreadsRun::leastBytes(request)
                                   : isAntidiagonal(request.variant) ? AntidiagonalRun::leastBytes(request)
                                                                     : InterTaskRun::leastBytes(request);
        const std::size_t available = backend_.memory().available();
        if (needed > available)
            return Support::no(
                lackOfDeviceMemory("alignments of pairs", static_cast<double>(needed), available));
        if (isClustal && areFewAndLong(request))
            return Support::slowly("few long pairs as ClustalW aligns them leave most of its threads idle");
        return Support::yes();
    }
    std::size_t preferredTile(const PairwiseRequest& request) const override {
        if (request.sequences == 0) return kLargestTile;
        const std::size_t tiles = (request.sequences + kLargestTile - 1) / kLargestTile;
        return (request.sequences + tiles - 1) / tiles;
    }
    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        backend_.makeCurrent();
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalThreadsRun>(backend_, sequences);
        if (isAntidiagonal(request.variant))
            return std::make_unique<AntidiagonalRun>(backend_, sequences, request.scoring, request.variant);
        return std::make_unique<InterTaskRun>(backend_, sequences, request.scoring);
    }

  private:
    CudaBackend& backend_;
};

}  // namespace

PairwiseEngineEntry pairwiseEngine() {
    return implementWith<PairwiseEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::pairwise::cuda
