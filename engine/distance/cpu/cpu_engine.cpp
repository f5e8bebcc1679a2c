#include <algorithm>

#include "engine/core/host_backends.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/distance/cpu/bitplane_run.hpp"
#include "engine/distance/cpu/direct_run.hpp"
#include "engine/distance/pair_engine.hpp"

namespace glycine::distance::cpu {

namespace {

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {},
        {{Variant::Bitplane,
          "XOR, OR and population counts of bit planes, a block of pairs in registers",
          "",
          {},
          true,
          {"counts"}},
         {Variant::Direct,
          "differences of coordinates, tile by tile; of float32 in float32 over short runs, then double",
          "",
          {},
          true,
          {"float32", "float64"}}});
    return table;
}

class CpuEngine : public PairEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const PairRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.variant == Variant::Bitplane && request.isCoordinates)
            return Support::misuse("the variant 'bitplane' counts symbols; for coordinates: direct");
        if (request.variant == Variant::Direct && !request.isCoordinates)
            return Support::misuse("the variant 'direct' sums coordinates; for symbols: bitplane");
        return supportsCounts(request);
    }

    /// Equal tiles. The longer their sides, the less often an instance is read; results of the longest take
    /// 64 MiB for each count, 128 MiB for sums.
    std::size_t preferredTile(const PairRequest& request) const override {
        constexpr std::size_t kLongest = 4096;
        const std::size_t instances = request.shape.instances;
        const std::size_t tiles = std::max<std::size_t>(1, (instances + kLongest - 1) / kLongest);
        return instances == 0 ? kLongest : (instances + tiles - 1) / tiles;
    }

    double hostBytes(const PairRequest& request, std::size_t tile) const override {
        if (!request.isCoordinates) return BitplaneRun::hostBytes(request.shape, request.needs, tile);
        return request.precision == Precision::Float32 ? DirectRun<float>::hostBytes(request.shape, tile)
                                                       : DirectRun<double>::hostBytes(request.shape, tile);
    }

    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant) override {
        return std::make_unique<BitplaneRun>(source, needs, instructions_, threads_);
    }
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        return coordinates.visit([&]<class Number>(MatrixView<const Number> numbers) {
            return std::unique_ptr<SummingRun>(
                std::make_unique<DirectRun<Number>>(numbers, term, instructions_, threads_));
        });
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

PairEngineEntry engine() {
    return implementWith<PairEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::distance::cpu
