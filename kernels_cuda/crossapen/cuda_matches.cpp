#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/crossapen/entropy_engine.hpp"
#include "kernels_cuda/crossapen/match_run.hpp"

namespace glycine::crossapen::cuda {

namespace {

using glycine::cuda::CudaBackend;

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table = [] {
        const auto published = [](Variant variant, std::string_view summary, std::string_view section) {
            return VariantRow<Variant>(variant, summary,
                                       fmt::format("Martínez-Zarzuela et al. 2013, section {}", section));
        };
        return VariantTable<Variant>(
            "cuda", {"float32", "float64"},
            {{Variant::Dominance,
              "m = 1: intervals of sorted partners, prefix counts of the ranks of their successors",
              {},
              {},
              true},
             {Variant::Bitset,
              "any m, the default for 2 to 8: intervals of sorted partners as prefix bit sets"},
             {Variant::Diagonal,
              "brute force, each ordered pair by itself: every two samples compared once, reused along the "
              "diagonal for both lengths"},
             published(
                 Variant::Registers,
                 "256 threads per block, a thread per template, partners from global memory, L1 preferred",
                 "3.3"),
             published(Variant::Halo, "segments in shared memory with m samples of the next one", "3.4"),
             published(
                 Variant::Shifted,
                 "segments in shared memory from copies shifted by 0 to m samples, which the host sends",
                 "3.4")},
            {Variant::Bitset, Variant::Diagonal, Variant::Registers});
    }();
    return table;
}

std::size_t bytesOf(NumberFormat format) {
    return format == NumberFormat::Float32 ? sizeof(float) : sizeof(double);
}

/// Whether diagonal is faster than bitset. Measured on an H200 in float32, in comparisons per second
/// including tables, with 1024 samples: for m = 1 dominance 58 T, bitset 20 T, diagonal 8.3 T; for m = 2
/// bitset 18 T, diagonal 8.0 T. For m = 1 to 8, diagonal is faster than bitset at 320 samples, and slower at
/// 448. Above m = 8, where bit sets are counted row by row, diagonal is faster by a tenth.
bool isDiagonalFaster(const glycine::cuda::MatchShape& shape) {
    constexpr std::size_t fewSamples = 384;
    constexpr unsigned longTemplates = 9;
    const bool isAnyLength = shape.samples == 0;
    return shape.m >= longTemplates || (!isAnyLength && shape.samples <= fewSamples);
}

class CudaMatchEngine final : public MatchEngine {
  public:
    explicit CudaMatchEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const MatchRequest& request) const override;
    MatchOutcome match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                       std::span<const MatrixView<MatchStatistics>> statistics, Progress& progress) override;
    std::unique_ptr<EpochsOnDevice> prepare(const DeviceEpochs& epochs, Range some,
                                            const EntropyOptions& options) override {
        backend_.makeCurrent();
        // The shifted copies are uploaded from the host.
        if (options.variant == Variant::Shifted) return nullptr;
        return prepareOnDevice(backend_, epochs, some, options);
    }
    std::optional<KernelUse> kernelOf(Variant variant) const override {
        if (variant == Variant::Default || !variants().supports(variant)) return {};
        return glycine::cuda::kernelOf(backend_, variant);
    }

  private:
    std::string unsupportedReason(Variant variant, NumberFormat format,
                                  const glycine::cuda::MatchShape& shape) const {
        return glycine::cuda::unsupportedReason(backend_, variant, shape, bytesOf(format));
    }
    /// `variant`, or for Default the fastest variant that supports the request.
    Variant chosen(Variant variant, NumberFormat format, const glycine::cuda::MatchShape& shape) const {
        const auto runs = [&](Variant one) { return unsupportedReason(one, format, shape).empty(); };
        return variants().resolve(variant, [&](Variant one) {
            const bool isSlower =
                one == Variant::Bitset && isDiagonalFaster(shape) && runs(Variant::Diagonal);
            return !isSlower && runs(one);
        });
    }
    template <class T>
    BatchPlan planFor(const RunShape& shape) const {
        return planRun<T>(backend_, shape, backend_.memory().available() + heldBytes_);
    }
    /// The existing run if it has this shape, else a new one that replaces it.
    template <class T>
    MatchRun<T>& runFor(const RunShape& shape, std::unique_ptr<MatchRun<T>>& run);
    void dropRuns() {
        singleRun_.reset();
        doubleRun_.reset();
        heldBytes_ = 0;
    }

    CudaBackend& backend_;
    // Allocating page-locked and device memory is slow, so runs are kept for further epochs of the same
    // shape.
    std::unique_ptr<MatchRun<float>> singleRun_;
    std::unique_ptr<MatchRun<double>> doubleRun_;
    std::size_t heldBytes_ = 0;  ///< device memory of the kept run
};

Support CudaMatchEngine::supports(const MatchRequest& request) const {
    backend_.makeCurrent();
    if (Support known = variants().supports(request.variant); !known) return known;
    if (Support support = supportsShape(request); !support) return support;
    RunShape shape{Variant::Registers,
                   {1, request.channels, request.samples, request.rule.m},
                   request.hasPairTolerances};
    const Variant variant = chosen(request.variant, request.format, shape.all);
    if (std::string reason = unsupportedReason(variant, request.format, shape.all); !reason.empty())
        return Support::no(std::move(reason));
    if (request.channels == 0 || request.samples == 0) return Support::yes();
    shape.variant = variant;
    const BatchPlan plan =
        request.format == NumberFormat::Float32 ? planFor<float>(shape) : planFor<double>(shape);
    if (plan.epochs > 0) return Support::yes();
    return Support::no(lackOfDeviceMemory("an epoch", static_cast<double>(plan.needed),
                                          backend_.memory().available() + heldBytes_));
}

template <class T>
MatchRun<T>& CudaMatchEngine::runFor(const RunShape& shape, std::unique_ptr<MatchRun<T>>& run) {
    if (run && run->shape() == shape) return *run;
    dropRuns();
    const std::size_t before = backend_.memory().used();
    const BatchPlan plan = planFor<T>(shape);
    if (plan.epochs == 0)
        throw DeviceError(
            lackOfDeviceMemory("an epoch", static_cast<double>(plan.needed), backend_.memory().available()));
    run = std::make_unique<MatchRun<T>>(backend_, shape, plan);
    heldBytes_ = backend_.memory().used() - before;
    return *run;
}

MatchOutcome CudaMatchEngine::match(std::span<const AnyEpoch> epochs, const MatchRule& rule, Variant variant,
                                    std::span<const MatrixView<MatchStatistics>> statistics,
                                    Progress& progress) {
    backend_.makeCurrent();
    MatchOutcome outcome;
    outcome.variant = variants().resolve(variant);
    if (epochs.empty()) return outcome;
    std::visit(
        [&]<class T>(const Epoch<T>& first) {
            if (first.channels() == 0) return;
            constexpr bool isSingle = sizeof(T) == sizeof(float);
            RunShape shape{Variant::Registers,
                           {epochs.size(), first.channels(), first.samples(), rule.m},
                           first.tolerance.size() > 1};
            outcome.variant =
                chosen(variant, isSingle ? NumberFormat::Float32 : NumberFormat::Float64, shape.all);
            shape.variant = outcome.variant;
            auto& kept = [&]() -> auto& {
                if constexpr (isSingle)
                    return singleRun_;
                else
                    return doubleRun_;
            }
            ();
            outcome.times = runFor(shape, kept).match(epochs, rule.isStrict, statistics, progress);
        },
        epochs.front());
    return outcome;
}

}  // namespace

Implementation<MatchEngine> matchEngine() {
    return implementWith<MatchEngine, CudaMatchEngine, CudaBackend>(variants());
}

}  // namespace glycine::crossapen::cuda
