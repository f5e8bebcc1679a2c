#include <algorithm>

#include "engine/core/host_backends.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/pairwise/cpu/clustal_run.hpp"
#include "engine/pairwise/cpu/interpair_run.hpp"

namespace glycine::pairwise::cpu {

namespace {

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"integers"},
        {{Variant::InterPair,
          "one sequence with many others of about its length, a pair in each lane of a register",
          "after T. Rognes, Faster Smith-Waterman database searches with inter-sequence SIMD "
          "parallelisation, BMC Bioinformatics 12:221 (2011)",
          {},
          true}});
    return table;
}

class CpuEngine final : public PairwiseEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const PairwiseRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        return scoresFit(request);
    }

    /// Equal tiles: the longer their sides, the fuller the lanes, and the more a stop loses.
    std::size_t preferredTile(const PairwiseRequest& request) const override {
        constexpr std::size_t kLongest = 1024;
        if (request.sequences == 0) return kLongest;
        const std::size_t tiles = (request.sequences + kLongest - 1) / kLongest;
        return (request.sequences + tiles - 1) / tiles;
    }

    std::unique_ptr<PairwiseRun> start(const Sequences& sequences, const PairwiseRequest& request) override {
        if (request.scoring.method == PairMethod::ClustalW)
            return std::make_unique<ClustalRun>(sequences, instructions_, threads_);
        return std::make_unique<InterPairRun>(sequences, request.scoring, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

PairwiseEngineEntry pairwiseEngine() {
    return implementWith<PairwiseEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::pairwise::cpu
