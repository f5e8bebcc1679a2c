#include <fmt/format.h>

#include <optional>

#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/distance/pair_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/distance/counting_run.hpp"
#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/distance/published_run.hpp"
#include "kernels_cuda/distance/summing_run.hpp"

namespace glycine::distance::cuda {

namespace {

using glycine::cuda::CountMethod;
using glycine::cuda::CudaBackend;
using glycine::cuda::PublishedKernel;

/// Side of the tiles of the published kernels.
constexpr std::size_t kPublishedTile = 8192;

std::optional<CountMethod> countMethod(Variant variant) {
    switch (variant) {
        case Variant::Bitplane:
            return CountMethod::Bitplane;
        case Variant::BitTensor:
            return CountMethod::BitTensor;
        case Variant::Tensor:
            return CountMethod::Int8;
        default:
            return std::nullopt;
    }
}

std::optional<PublishedKernel> publishedKernel(Variant variant) {
    switch (variant) {
        case Variant::Naive:
            return PublishedKernel::Naive;
        case Variant::Coalesced:
            return PublishedKernel::Coalesced;
        case Variant::Char4:
            return PublishedKernel::Char4;
        case Variant::Register:
            return PublishedKernel::Register;
        case Variant::Shared:
            return PublishedKernel::Shared;
        default:
            return std::nullopt;
    }
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table = [] {
        const auto published = [](Variant variant, std::string_view summary, std::string_view kernel) {
            return VariantRow<Variant>(variant, summary,
                                       fmt::format("Sinnott-Armstrong et al. 2010, {}", kernel));
        };
        return VariantTable<Variant>(
            "cuda", {"counts"},
            {published(Variant::Naive,
                       "one block a pair, integers attribute by attribute, an atomic a mismatch", "GPUnaive"),
             published(Variant::Coalesced, "the same with integers instance by instance", "GPUcoalesce"),
             published(Variant::Char4, "four attributes a load, an atomic a mismatch", "GPUchar"),
             published(Variant::Register, "four mismatches summed before an atomic", "GPUregister"),
             published(Variant::Shared, "counters in shared memory, no atomics", "GPUshared"),
             {Variant::Bitplane, "bit planes, carry-save adders and population counts"},
             {Variant::BitTensor,
              "products of bit matrices on tensor cores (AND, population count)",
              "",
              {},
              true},
             {Variant::Tensor, "exact int8 matrix products on tensor cores, through cuBLASLt"},
             {Variant::Direct,
              "differences of coordinates; of float32 in float32 over short runs, then double",
              "",
              {},
              true,
              {"float32", "float64"}}});
    }();
    return table;
}

/// The fastest way to count. Measured on an H200, 20,000 × 200,000 complete genotypes, N²·M comparisons a
/// second: bittensor 1,370 T, tensor 620 T, bitplane 275 T. From compute capability 10 on, products of bits
/// were not measured. Where only int8 products are there, they pay once they save the 0.27 s that it takes to
/// load their library and to ask it for its algorithms.
Variant defaultCounting(const CudaBackend& backend, const DiscreteShape& shape) {
    constexpr int firstUnknownCapability = 100;
    constexpr double leastWorkOfMultiprocessor = 6.5e13 / 132;
    const glycine::cuda::PlaneFormat format = planeFormat(shape);
    if (backend.computeCapability() < firstUnknownCapability &&
        glycine::cuda::whyNoCounter(backend, CountMethod::BitTensor, format).empty())
        return Variant::BitTensor;
    const double pairs = static_cast<double>(shape.instances) * static_cast<double>(shape.instances) / 2;
    if (pairs * static_cast<double>(shape.attributes) >=
            leastWorkOfMultiprocessor * backend.multiprocessors() &&
        glycine::cuda::whyNoCounter(backend, CountMethod::Int8, format).empty())
        return Variant::Tensor;
    return Variant::Bitplane;
}

class CudaEngine final : public PairEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PairRequest& request) const override;
    std::size_t preferredTile(const PairRequest& request) const override;
    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant variant) override;
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        backend_.makeCurrent();
        return coordinates.visit([&]<class Number>(MatrixView<const Number> numbers) {
            return std::unique_ptr<SummingRun>(
                std::make_unique<CudaSummingRun<Number>>(backend_, numbers, term));
        });
    }

  private:
    Variant chosen(Variant variant, const DiscreteShape& shape) const {
        return variant == Variant::Default ? defaultCounting(backend_, shape) : variant;
    }
    /// What a request that is not one of the published kernels needs memory for.
    pairs::cuda::TileDemand demandOf(const PairRequest& request) const;
    Support supportsMemory(std::size_t needed) const;

    CudaBackend& backend_;
};

pairs::cuda::TileDemand CudaEngine::demandOf(const PairRequest& request) const {
    if (request.isCoordinates)
        return summingDemand(request.shape.instances, request.shape.attributes, request.precision);
    return countingDemand(request.shape, request.needs, *countMethod(chosen(request.variant, request.shape)));
}

Support CudaEngine::supportsMemory(std::size_t needed) const {
    const std::size_t available = backend_.memory().available();
    if (needed <= available) return Support::yes();
    return Support::no(lackOfDeviceMemory("a piece of the result", static_cast<double>(needed), available));
}

Support CudaEngine::supports(const PairRequest& request) const {
    backend_.makeCurrent();
    if (Support support = supportsCounts(request); !support) return support;
    if (Support known = variants().supports(request.variant); !known) return known;
    const bool isForCoordinates = request.variant == Variant::Direct;
    const bool isForSymbols = !isForCoordinates && request.variant != Variant::Default;
    if (request.isCoordinates && isForSymbols)
        return Support::misuse(fmt::format("the variant '{}' counts symbols; for coordinates: direct",
                                           toString(request.variant)));
    if (!request.isCoordinates && isForCoordinates)
        return Support::misuse(
            "the variant 'direct' sums coordinates; for symbols: bitplane, tensor and others");

    const DiscreteShape& shape = request.shape;
    const auto kernel = publishedKernel(request.variant);
    if (!request.isCoordinates && !kernel) {
        const CountMethod method = *countMethod(chosen(request.variant, shape));
        if (const std::string reason = glycine::cuda::whyNoCounter(backend_, method, planeFormat(shape));
            !reason.empty())
            return Support::no(reason);
    }
    const bool isAnySize = shape.instances == 0 || shape.attributes == 0;
    if (isAnySize) return Support::yes();
    if (kernel) return supportsMemory(PublishedRun::bytes(*kernel, shape));
    const pairs::cuda::TilePlan plan =
        pairs::cuda::planTiles(demandOf(request), backend_.memory().available());
    return plan.side > 0 ? Support::yes() : supportsMemory(plan.needed);
}

std::size_t CudaEngine::preferredTile(const PairRequest& request) const {
    backend_.makeCurrent();
    if (!request.isCoordinates && publishedKernel(request.variant)) return kPublishedTile;
    const pairs::cuda::TileDemand demand = demandOf(request);
    return pairs::cuda::suitableTile(pairs::cuda::planTiles(demand, backend_.memory().available()),
                                     demand.instances);
}

std::unique_ptr<CountingRun> CudaEngine::startCounting(const DiscreteSource& source, CountNeeds needs,
                                                       Variant variant) {
    backend_.makeCurrent();
    const Variant running = chosen(variant, source.shape());
    if (const auto kernel = publishedKernel(running))
        return std::make_unique<PublishedRun>(backend_, source, needs, running, *kernel);
    return std::make_unique<CudaCountingRun>(backend_, source, needs, running, *countMethod(running));
}

}  // namespace

PairEngineEntry engine() {
    return implementWith<PairEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::distance::cuda
