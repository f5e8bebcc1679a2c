#include <algorithm>

#include "engine/core/host_memory.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/device_correlation.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/mutualinfo/correlation_kernels.hpp"

namespace glycine::mutualinfo::cuda {

namespace {

using glycine::cuda::CudaBackend;
using glycine::cuda::DeviceBuffer;
using glycine::cuda::StagedTransfer;

constexpr std::size_t kMaxProductSide = 4096;
constexpr std::size_t kMaxSamples = 4096;

/// Contents of device memory at a time: genes of either side, and their products.
struct Plan {
    std::size_t side = 0;
    std::size_t samples = 0;
    std::size_t bytes() const { return (2 * samples + side) * side * sizeof(double); }
};
Plan planOf(std::size_t genes, std::size_t samples, std::size_t available) {
    const std::size_t most = std::clamp<std::size_t>(genes, 1, kMaxProductSide);
    const std::size_t all = std::clamp<std::size_t>(samples, 1, kMaxSamples);
    const auto planWith = [=](std::size_t side) {
        return Plan{side, side == most ? all : std::min(all, std::max<std::size_t>(side, 64))};
    };
    return planWith(std::max<std::size_t>(
        1, largestFitting(most, [&](std::size_t side) { return planWith(side).bytes() <= available; })));
}

class ProductRun final : public DeviceCorrelation {
  public:
    ProductRun(CudaBackend& backend, ExpressionView expression, Transform transform, const Plan& plan)
        : DeviceCorrelation(expression, transform),
          backend_(backend),
          plan_(plan),
          products_(backend.memory(), plan.side * plan.side) {
        for (auto& genes : operands_)
            genes = DeviceBuffer<double>(backend.memory(), plan.side * plan.samples);
    }

  private:
    void multiply(const pairs::PairTile& tile, MatrixView<double> products, Progress& progress) override {
        backend_.makeCurrent();
        for (const pairs::PairTile& piece : pairs::cutTile(tile, plan_.side)) {
            const MatrixView<double> part = pairs::partOf(products, tile, piece);
            for (const Range& samples : splitRange(genes().columns(), plan_.samples)) {
                progress.throwIfCancelled();
                addProducts(piece, samples);
                progress.advance(static_cast<double>(piece.pairs()) * static_cast<double>(samples.size()));
            }
            const Stopwatch watch;
            backend_.transfer().download(products_.data(), plan_.side, part.data(), part.rowStride(),
                                         part.rows(), part.columns());
            times_.download += watch.seconds();
        }
    }

    void addProducts(const pairs::PairTile& piece, const Range& samples) {
        Stopwatch watch;
        const std::size_t sides = piece.isDiagonal() ? 1 : 2;
        for (std::size_t side = 0; side < sides; ++side) {
            const Range& range = side == 0 ? piece.rows : piece.columns;
            backend_.transfer().upload(genes().row(range.begin) + samples.begin, genes().columns(),
                                       operands_[side].data(), plan_.samples, range.size(), samples.size(),
                                       StagedTransfer::Part::Whole);
        }
        times_.upload += watch.restart();
        glycine::cuda::launchRowProducts({stream_.handle(), backend_.multiprocessors()},
                                         {.rows = {operands_[0].data(), plan_.samples},
                                          .columns = {operands_[sides - 1].data(), plan_.samples},
                                          .products = {products_.data(), plan_.side},
                                          .rowCount = static_cast<unsigned>(piece.rows.size()),
                                          .columnCount = static_cast<unsigned>(piece.columns.size()),
                                          .samples = static_cast<unsigned>(samples.size()),
                                          .adds = samples.begin > 0});
        stream_.synchronize();
        times_.compute += watch.seconds();
    }

    CudaBackend& backend_;
    Plan plan_;
    DeviceBuffer<double> products_;
    DeviceBuffer<double> operands_[2];
    glycine::cuda::Stream stream_;
};

const VariantTable<Variant>& productVariants() {
    static const VariantTable<Variant> table(
        "cuda", {"float64"},
        {{Variant::Products, "Pearson's and Spearman's r: products of standardised genes"}});
    return table;
}

class CudaCorrelation final : public InformationEngine {
  public:
    explicit CudaCorrelation(CudaBackend& backend) : backend_(backend) {}

    Support supports(const InformationRequest& request) const override {
        if (const Support known = productVariants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float64)
            return Support::no("the backend 'cuda' computes correlations only in float64");
        const std::size_t available = availableBytes();
        const Plan plan = planOf(request.genes, request.samples, available);
        if (plan.bytes() <= available) return Support::yes();
        return Support::no(
            lackOfDeviceMemory("a gene at a time", static_cast<double>(plan.bytes()), available));
    }
    std::size_t preferredTile(const InformationRequest& request) const override {
        return planOf(request.genes, request.samples, availableBytes()).side;
    }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        return std::make_unique<ProductRun>(
            backend_, expression, request.splines.transform,
            planOf(expression.rows(), expression.columns(), availableBytes()));
    }

  private:
    std::size_t availableBytes() const {
        backend_.makeCurrent();
        return backend_.memory().available();
    }
    CudaBackend& backend_;
};

}  // namespace

Implementation<InformationEngine> correlationEngine() {
    return implementWith<InformationEngine, CudaCorrelation, glycine::cuda::CudaBackend>(productVariants());
}

}  // namespace glycine::mutualinfo::cuda
