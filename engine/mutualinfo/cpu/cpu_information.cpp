#include <fmt/format.h>

#include <algorithm>

#include "engine/core/host_backends.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/cpu/grouped_run.hpp"
#include "engine/mutualinfo/information_engine.hpp"

namespace glycine::mutualinfo::cpu {

namespace {

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cpu", {"float64", "float32"},
        {{Variant::Grouped,
          "samples of one gene grouped by bin, rows of its joint tables with a panel of others in registers",
          "",
          {},
          true}});
    return table;
}

class CpuEngine : public InformationEngine {
  public:
    explicit CpuEngine(const HostBackend& backend)
        : threads_(backend.threads()), instructions_(backend.instructions()) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.precision != Precision::Float64 && request.precision != Precision::Float32)
            return Support::no(fmt::format("the backend 'cpu' computes in float64 and float32, not in {}",
                                           toString(request.precision)));
        return Support::yes();
    }

    /// Equal tiles. The longer their sides, the less often a gene is weighed (at this length a hundredth of
    /// the work), and the more a stop loses; the grouped weights of rows and columns take 512 MiB at most,
    /// where that leaves a tile any size.
    std::size_t preferredTile(const InformationRequest& request) const override {
        constexpr std::size_t kLongest = 1024;
        constexpr std::size_t kShortest = 64;
        constexpr std::size_t kWeightBytes = std::size_t{512} << 20;
        const std::size_t sampleBytes =
            sizeof(std::uint16_t) +
            request.splines.order *
                (request.precision == Precision::Float64 ? sizeof(double) : sizeof(float));
        const std::size_t fitting =
            kWeightBytes / (2 * sampleBytes * std::max<std::size_t>(1, request.samples));
        const std::size_t longest = std::clamp(fitting, kShortest, kLongest);
        const std::size_t tiles = std::max<std::size_t>(1, (request.genes + longest - 1) / longest);
        return request.genes == 0 ? longest : (request.genes + tiles - 1) / tiles;
    }

    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        if (request.precision == Precision::Float32)
            return std::make_unique<GroupedRun<float>>(expression, request.splines, instructions_, threads_);
        return std::make_unique<GroupedRun<double>>(expression, request.splines, instructions_, threads_);
    }

  private:
    int threads_;
    InstructionSet instructions_;
};

}  // namespace

InformationEngineEntry engine() {
    return implementWith<InformationEngine, CpuEngine, HostBackend>(variants());
}

}  // namespace glycine::mutualinfo::cpu
