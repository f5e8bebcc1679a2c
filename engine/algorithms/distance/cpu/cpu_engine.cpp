#include <fmt/format.h>

#include <algorithm>

#include "engine/algorithms/distance/cpu/bitplane_run.hpp"
#include "engine/algorithms/distance/cpu/direct_run.hpp"
#include "engine/algorithms/distance/pair_engine.hpp"
#include "engine/algorithms/distance/pair_support.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::distance::cpu {

namespace {

class CpuEngine : public PairEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const PairRequest& request) const override {
        switch (request.variant) {
            case Variant::Default:
                break;
            case Variant::Bitplane:
                if (request.isCoordinates)
                    return Support::no("the variant 'bitplane' counts symbols; for coordinates: direct");
                break;
            case Variant::Direct:
                if (!request.isCoordinates)
                    return Support::no("the variant 'direct' sums coordinates; for symbols: bitplane");
                break;
            default:
                return Support::no(
                    fmt::format("the backend 'cpu' has no variant '{}'; it has: bitplane, direct",
                                toString(request.variant)));
        }
        return supportsCounts(request);
    }

    /// Equal tiles. The longer their sides, the less often an instance is read; results of the longest take
    /// 64 MiB for each count, 128 MiB for sums.
    std::size_t preferredTile(const PairRequest& request) const override {
        constexpr std::size_t kLongest = 4096;
        const std::size_t instances = request.isCoordinates ? request.instances : request.shape.instances;
        const std::size_t tiles = std::max<std::size_t>(1, (instances + kLongest - 1) / kLongest);
        return instances == 0 ? kLongest : (instances + tiles - 1) / tiles;
    }

    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant) override {
        return std::make_unique<BitplaneRun>(source, needs, instructions_, threads_);
    }
    std::unique_ptr<SummingRun> startSumming(MatrixView<const float> coordinates, SumTerm term,
                                             Variant) override {
        return std::make_unique<DirectRun>(coordinates, term, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

PairEngineEntry engine() {
    return {"cpu",
            {{"cpu",
              "bitplane",
              "XOR, OR and population counts of bit planes, a block of pairs in registers",
              "",
              {"counts"},
              {},
              true},
             {"cpu",
              "direct",
              "differences of coordinates, tile by tile; float32 over short runs, then double",
              "",
              {"float32"},
              {},
              true}},
            [](Backend& backend) {
                const auto* host = dynamic_cast<const HostBackend*>(&backend);
                if (host == nullptr)
                    throw UsageError("the engine of the backend 'cpu' was given another backend");
                return std::make_unique<CpuEngine>(*host);
            }};
}

}  // namespace glycine::distance::cpu
