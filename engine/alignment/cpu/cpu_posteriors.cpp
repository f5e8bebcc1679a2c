#include <fmt/format.h>

#include "engine/alignment/cpu/posterior_run.hpp"
#include "engine/alignment/posterior/consistency_run.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine::align::cpu {

namespace {

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "cpu", {"float32"},
        {{pairwise::Variant::InterPair,
          "one sequence with several others, a pair in each lane of a register, rows scaled by powers of two",
          {},
          {},
          true}});
    return table;
}

class LanePosteriors final : public PosteriorRun {
  public:
    LanePosteriors(const Sequences& sequences, InstructionSet instructions, int threads)
        : PosteriorRun(sequences.size()),
          sequences_(sequences),
          instructions_(instructions),
          threads_(threads) {}
    std::string_view variantName() const override { return toString(pairwise::Variant::InterPair); }
    std::string note() const override {
        if (repeated_ == 0) return {};
        return fmt::format("{} in double precision, whose sums float32 does not hold",
                           formatCount(repeated_, "pair"));
    }
    void complete(PosteriorSet& posteriors, Progress& progress) override {
        progress.begin("posteriors", cellsOfPairs(sequences_, posteriors));
        repeated_ = completePosteriors(sequences_, instructions_, threads_, posteriors, progress);
    }
    PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                Progress& progress) override {
        return align::madeConsistent(posteriors, round, instructions_, threads_, progress);
    }

  private:
    const Sequences& sequences_;
    InstructionSet instructions_;
    int threads_;
    std::size_t repeated_ = 0;
};

class CpuPosteriors final : public PosteriorEngine {
  public:
    explicit CpuPosteriors(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}
    Support supports(const PosteriorRequest& request) const override {
        return posteriorVariants().supports(request.variant);
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        return std::make_unique<LanePosteriors>(sequences, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

PosteriorEngineEntry posteriorEngine() {
    return implementWith<PosteriorEngine, CpuPosteriors, HostBackend>(posteriorVariants());
}

}  // namespace glycine::align::cpu
