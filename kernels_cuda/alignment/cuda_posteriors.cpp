#include <fmt/format.h>

#include <utility>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/variant_table.hpp"
#include "kernels_cuda/alignment/device_consistency.hpp"
#include "kernels_cuda/alignment/device_joins.hpp"
#include "kernels_cuda/alignment/device_posteriors.hpp"

namespace glycine::align::cuda {

namespace {

using glycine::cuda::CudaBackend;

const VariantTable<pairwise::Variant>& posteriorVariants() {
    static const VariantTable<pairwise::Variant> table(
        "cuda", {"float32"},
        {{pairwise::Variant::InterTask,
          "one sequence with 32 others of about its length, a pair in each thread of a warp, strips of rows "
          "scaled by powers of two",
          {},
          {},
          true}});
    return table;
}

class InterTaskPosteriors final : public PosteriorRun {
  public:
    InterTaskPosteriors(CudaBackend& backend, const Sequences& sequences)
        : PosteriorRun(sequences.size()), backend_(backend), posteriors_(backend, sequences) {}
    std::string_view variantName() const override { return toString(pairwise::Variant::InterTask); }
    std::string note() const override {
        std::string text;
        if (posteriors_.unsound() > 0)
            text = fmt::format("{} in double precision, whose sums float32 does not hold",
                               formatCount(posteriors_.unsound(), "pair"));
        if (posteriors_.onHost() > 0)
            text += fmt::format("{}{} on the host, for which the device has no room or no numbers",
                                text.empty() ? "" : "; ", formatCount(posteriors_.onHost(), "pair"));
        return text;
    }
    void complete(PosteriorSet& posteriors, Progress& progress) override {
        backend_.makeCurrent();
        posteriors_.complete(posteriors, progress);
    }
    PosteriorSet applyConsistency(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                  Progress& progress) override {
        backend_.makeCurrent();
        return cuda::applyConsistency(backend_, posteriors, round, progress);
    }
    std::vector<double> expectedAccuracies(const PosteriorSet& posteriors, Progress& progress) override {
        backend_.makeCurrent();
        auto found = expectedAccuraciesOnDevice(backend_, posteriors);
        return found ? std::move(*found) : PosteriorRun::expectedAccuracies(posteriors, progress);
    }
    bool followsOnDevice() const override { return true; }
    std::unique_ptr<GroupJoins> joins(const PosteriorSet& posteriors,
                                      std::span<const double> weights) override {
        backend_.makeCurrent();
        auto found = createDeviceJoins(backend_, posteriors, weights);
        return found ? std::move(found) : PosteriorRun::joins(posteriors, weights);
    }

  private:
    CudaBackend& backend_;
    PosteriorsOnDevice posteriors_;
};

class CudaPosteriors final : public PosteriorEngine {
  public:
    explicit CudaPosteriors(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PosteriorRequest& request) const override {
        backend_.makeCurrent();
        if (const Support known = posteriorVariants().supports(request.variant); !known) return known;
        if (request.longest > glycine::cuda::kMaxPosteriorLetters)
            return Support::no(fmt::format(
                "posteriors on 'cuda' take sequences of up to {} letters, and there is one of {}; "
                "cpu takes longer ones",
                formatCount(glycine::cuda::kMaxPosteriorLetters), formatCount(request.longest)));
        const std::size_t needed = leastPosteriorBytes(request);
        const std::size_t available = backend_.memory().available();
        return needed <= available ? Support::yes()
                                   : Support::no(lackOfDeviceMemory("posteriors of all pairs",
                                                                    static_cast<double>(needed), available));
    }
    std::unique_ptr<PosteriorRun> start(const Sequences& sequences) override {
        backend_.makeCurrent();
        return std::make_unique<InterTaskPosteriors>(backend_, sequences);
    }

  private:
    CudaBackend& backend_;
};

}  // namespace

Implementation<PosteriorEngine> posteriorEngine() {
    return implementWith<PosteriorEngine, CudaPosteriors, CudaBackend>(posteriorVariants());
}

}  // namespace glycine::align::cuda
