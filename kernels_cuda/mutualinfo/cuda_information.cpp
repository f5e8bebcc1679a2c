#include <fmt/format.h>

#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "kernels_cuda/mutualinfo/device_run.hpp"

namespace glycine::mutualinfo::cuda {

namespace {

using glycine::cuda::CudaBackend;

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cuda", {"float64"},
        {{Variant::Cudami,
          "the paper's four kernels: weighting matrices, integrity check, self and joint entropies",
          "Shi et al. 2011, kernels 1 to 4"},
         {Variant::Gemm,
          "products of stacked weighting matrices on tensor cores, entropies in the same kernel",
          "",
          {},
          true,
          {"float64", "float32", "tf32", "fp16"}}});
    return table;
}

class CudaEngine final : public InformationEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const InformationRequest& request) const override {
        backend_.makeCurrent();
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.variant == Variant::Cudami && request.precision != Precision::Float64)
            return Support::no("the variant 'cudami' computes in float64 alone; for other numbers: gemm");
        if (const std::string reason =
                glycine::cuda::whyNoInformation(backend_, methodOf(request), splineShape(request.splines));
            !reason.empty())
            return Support::no(reason);
        const bool isAnySize = request.genes == 0 || request.samples == 0;
        if (isAnySize) return Support::yes();
        const std::size_t available = backend_.memory().available();
        const pairs::cuda::TilePlan plan = planFor(request);
        return plan.side > 0 ? Support::yes()
                             : Support::no(lackOfDeviceMemory("weights of a piece of the result",
                                                              static_cast<double>(plan.needed), available));
    }

    std::size_t preferredTile(const InformationRequest& request) const override {
        backend_.makeCurrent();
        return pairs::cuda::suitableTile(planFor(request), request.genes);
    }

    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        backend_.makeCurrent();
        return std::make_unique<DeviceRun>(backend_, expression, request);
    }

  private:
    pairs::cuda::TilePlan planFor(const InformationRequest& request) const {
        return pairs::cuda::planTiles(informationDemand(backend_, request), backend_.memory().available());
    }

    CudaBackend& backend_;
};

}  // namespace

InformationEngineEntry engine() {
    return implementWith<InformationEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::mutualinfo::cuda
