#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_matrix_kernels.hpp"
#include "kernels_cuda/mutualinfo/device_information.hpp"
#include "kernels_cuda/mutualinfo/information_kernels.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::mutualinfo::cuda {

namespace {

/// The positions of all genes' values on the bins, as doubles (positionsOf). They are recomputed on each
/// request, because there is no room to keep as many positions as values.
class PositionOperands : public pairs::cuda::OperandSource {
  public:
    unsigned planes() const final { return 1; }
    std::size_t attributesAWord() const final { return 1; }
    std::size_t wordsAnAttribute() const final { return sizeof(double) / sizeof(std::uint32_t); }
    /// Whether no value is missing. Checks all values.
    virtual bool areComplete() const = 0;
    /// Whether a gene has values and all are equal. Valid only for genes that have been read.
    virtual bool isConstant(std::size_t gene) const = 0;
};

/// Positions computed on the host from values in host memory.
class HostPositions final : public PositionOperands {
  public:
    /// `expression` must outlive this object.
    HostPositions(ExpressionView expression, const SplineOptions& splines);
    std::size_t instances() const override { return expression_.rows(); }
    std::size_t attributes() const override { return expression_.columns(); }
    bool readsWholeInstances() const override { return true; }
    Block read(Range genes, Range words) const override;
    bool areComplete() const override;
    bool isConstant(std::size_t gene) const override { return isConstant_[gene] != 0; }

  private:
    /// A matrix for a block. Reuses a matrix of the same size that is no longer in use, because fresh pages
    /// from the system cost as much time as the processing.
    std::shared_ptr<Matrix<double>> matrixOf(std::size_t genes, std::size_t samples) const;

    ExpressionView expression_;
    mutable std::vector<PositionFinder> finders_;  ///< one per thread
    mutable std::array<std::shared_ptr<Matrix<double>>, 3> blocks_;
    mutable std::vector<std::uint8_t> isConstant_;
};

HostPositions::HostPositions(ExpressionView expression, const SplineOptions& splines)
    : expression_(expression),
      finders_(static_cast<std::size_t>(omp_get_max_threads()),
               PositionFinder(SplineBasis(splines).intervals(), splines.transform)),
      isConstant_(expression.rows()) {}

bool HostPositions::areComplete() const {
    std::atomic<bool> isComplete = true;
    parallelFor(omp_get_max_threads(), expression_.rows(), [&](std::size_t gene, std::size_t) {
        const double* values = expression_.row(gene);
        if (isComplete && std::any_of(values, values + expression_.columns(),
                                      [](double value) { return std::isnan(value); }))
            isComplete = false;
    });
    return isComplete;
}

std::shared_ptr<Matrix<double>> HostPositions::matrixOf(std::size_t genes, std::size_t samples) const {
    for (auto& block : blocks_) {
        if (block.use_count() > 1) continue;
        if (!block || block->rows() != genes || block->columns() != samples)
            block = std::make_shared<Matrix<double>>(genes, samples);
        return block;
    }
    return std::make_shared<Matrix<double>>(genes, samples);
}

pairs::cuda::OperandSource::Block HostPositions::read(Range genes, Range words) const {
    const Range samples{words.begin / wordsAnAttribute(), words.end / wordsAnAttribute()};
    const std::shared_ptr<Matrix<double>> positions = matrixOf(genes.size(), samples.size());
    parallelFor(static_cast<int>(finders_.size()), genes.size(), [&](std::size_t i, std::size_t thread) {
        const std::size_t gene = genes.begin + i;
        const GenePositions& found = finders_[thread].find({expression_.row(gene), expression_.columns()});
        std::copy_n(&found.z[samples.begin], samples.size(), positions->row(i));
        isConstant_[gene] = found.isConstant ? 1 : 0;
    });
    const Block block = pairs::cuda::operandsOf(MatrixView<const double>(positions->view()))
                            ->read({0, genes.size()}, {0, words.size()});
    return {block.words, positions};
}

/// Positions computed on the device from finite values in device memory.
class DevicePositions final : public PositionOperands {
  public:
    DevicePositions(glycine::cuda::CudaBackend& backend, const DeviceMatrix& values,
                    const SplineOptions& splines)
        : values_(values),
          intervals_(static_cast<unsigned>(SplineBasis(splines).intervals())),
          extents_(backend.memory(), 2 * values.rows + 1),
          onHost_(extents_.size()) {
        const glycine::cuda::CurrentDeviceGuard current(values);
        GLYCINE_CUDA(cudaMemset(extents_.data(), 0, extents_.size() * sizeof(double)));
        glycine::cuda::launchExtents(nullptr, values, facts());
        GLYCINE_CUDA(
            cudaMemcpy(onHost_.data(), extents_.data(), extents_.size() * sizeof(double), cudaMemcpyDefault));
    }
    std::size_t instances() const override { return values_.rows; }
    std::size_t attributes() const override { return values_.columns; }
    Block read(Range genes, Range words) const override {
        const Range samples{words.begin / wordsAnAttribute(), words.end / wordsAnAttribute()};
        return {{.instances = genes.size(),
                 .words = words.size(),
                 .fill =
                     [=, this](Range some, std::uint32_t* target, glycine::cuda::StreamHandle stream) {
                         glycine::cuda::launchPositions(stream, values_, facts(), intervals_,
                                                        {genes.begin + some.begin, genes.begin + some.end},
                                                        samples, reinterpret_cast<double*>(target));
                     }},
                nullptr};
    }
    bool areComplete() const override { return true; }
    bool areFinite() const { return onHost_.back() == 0; }
    bool isConstant(std::size_t gene) const override { return onHost_[gene] == onHost_[values_.rows + gene]; }
    /// Least and greatest values per gene, and whether any value is not finite, in device memory.
    glycine::cuda::ValueFacts facts() const {
        double* const least = extents_.data();
        return {least, least + values_.rows, reinterpret_cast<unsigned*>(least + 2 * values_.rows)};
    }

  private:
    DeviceMatrix values_;
    unsigned intervals_;
    glycine::cuda::DeviceBuffer<double> extents_;
    std::vector<double> onHost_;
};

std::unique_ptr<PositionOperands> positionsFor(glycine::cuda::CudaBackend& backend, ExpressionView expression,
                                               const InformationRequest& request) {
    if (request.onDevice != nullptr)
        return std::make_unique<DevicePositions>(backend, *request.onDevice, request.splines);
    return std::make_unique<HostPositions>(expression, request.splines);
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table(
        "cuda", {"float64"},
        {{Variant::Cudami,
          "the paper's four kernels: weighting matrices, integrity check, self and joint entropies",
          "Shi et al. 2011, kernels 1 to 4"},
         {Variant::CudamiUnscanned, "the same without the integrity check where no value is missing",
          "Shi et al. 2011, where kernel 2 is optional"},
         {Variant::Gemm,
          "products of stacked weighting matrices on tensor cores, entropies in the same kernel",
          "",
          {},
          true,
          {"float64", "float32", "tf32", "fp16"}}});
    return table;
}

/// Device memory needed by a run.
pairs::cuda::TileDemand informationDemand(const glycine::cuda::CudaBackend& backend,
                                          const InformationRequest& request);

/// `cuda cudami`, `cudami-unscanned` and `gemm`.
class DeviceRun final : public InformationRun {
  public:
    DeviceRun(glycine::cuda::CudaBackend& backend, ExpressionView expression,
              const InformationRequest& request);
    std::string_view variantName() const override { return toString(variant_); }
    pairs::PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    std::vector<pairs::KernelTime> kernelTimes() const override { return information_->kernelTimes(); }
    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override;
    bool keep(const pairs::PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
              Progress& progress) override;

  private:
    void runTile(const pairs::PairTile& tile, Progress& progress,
                 const pairs::cuda::TileRunner::Deliver& deliver);
    DeviceRun(glycine::cuda::CudaBackend& backend, const InformationRequest& request,
              std::unique_ptr<PositionOperands> positions, const pairs::cuda::TilePlan& plan);

    glycine::cuda::CudaBackend& backend_;
    Variant variant_;
    const PositionOperands& positions_;  ///< owned by runner_
    pairs::cuda::TileRunner runner_;
    std::size_t stride_;
    bool staysOnDevice_ = true;  ///< whether results can stay on the device, as far as is known
    glycine::cuda::DeviceBuffer<double> results_;
    std::unique_ptr<glycine::cuda::PairInformation> information_;
};

glycine::cuda::InformationShape shapeOf(const InformationRequest& request, bool isComplete) {
    return {splineShape(request.splines), request.genes, request.samples, isComplete};
}

pairs::cuda::TileDemand informationDemand(const glycine::cuda::CudaBackend& backend,
                                          const InformationRequest& request) {
    return {request.genes, 2 * request.samples, 1,
            [&backend, variant = request.variant, precision = request.precision,
             shape = shapeOf(request, false)](std::size_t side, std::size_t) {
                return side * side * sizeof(double) +
                       glycine::cuda::bytesForInformation(backend, variant, precision, shape, side);
            }};
}

DeviceRun::DeviceRun(glycine::cuda::CudaBackend& backend, ExpressionView expression,
                     const InformationRequest& request)
    : DeviceRun(backend, request, positionsFor(backend, expression, request),
                pairs::cuda::planTiles(informationDemand(backend, request), backend.memory().available())) {}

DeviceRun::DeviceRun(glycine::cuda::CudaBackend& backend, const InformationRequest& request,
                     std::unique_ptr<PositionOperands> positions, const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      variant_(variants().resolve(request.variant)),
      positions_(*positions),
      runner_(backend, std::move(positions), plan),
      stride_(pairs::cuda::paddedSide(plan.side)),
      results_(backend.memory(), stride_ * stride_),
      information_(glycine::cuda::makeInformation(backend, request.variant, request.precision,
                                                  shapeOf(request, positions_.areComplete()), stride_)) {}

void DeviceRun::runTile(const pairs::PairTile& tile, Progress& progress,
                        const pairs::cuda::TileRunner::Deliver& deliver) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        information_->add(window, accumulate, {results_.data(), stride_}, work, stream, report);
    };
    runner_.run(tile, progress, queue, deliver);
}

bool DeviceRun::keep(const pairs::PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
                     Progress& progress) {
    const bool isKept =
        pairs::cuda::keepTile<double>(backend_, store, results_.data(), stride_, finish, staysOnDevice_,
                                      [&](const auto& deliver) { runTile(tile, progress, deliver); });
    const auto hasConstant = [&](Range genes) {
        for (std::size_t gene = genes.begin; gene < genes.end; ++gene)
            if (positions_.isConstant(gene)) return true;
        return false;
    };
    // The host must set values of constant genes to 0.
    return isKept && !hasConstant(tile.rows) && !hasConstant(tile.columns);
}

void DeviceRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                        Progress& progress) {
    const MatrixView<double> values = results.front();
    runTile(tile, progress, [&](const pairs::cuda::TileRunner::Piece& piece) {
        pairs::cuda::downloadPiece<double>(backend_.transfer(), results_.data(), stride_, piece, values);
    });
    // Rounding may leave a small value for a constant gene.
    const auto clear = [&](std::size_t r, std::size_t c) {
        if (!std::isnan(values(r, c))) values(r, c) = 0;
    };
    for (std::size_t r = 0; r < values.rows(); ++r)
        if (positions_.isConstant(tile.rows.begin + r))
            for (std::size_t c = 0; c < tile.columnsOf(r); ++c) clear(r, c);
    for (std::size_t c = 0; c < values.columns(); ++c)
        if (positions_.isConstant(tile.columns.begin + c))
            for (std::size_t r = tile.isDiagonal() ? c + 1 : 0; r < values.rows(); ++r) clear(r, c);
}

using glycine::cuda::CudaBackend;

class CudaEngine final : public InformationEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const InformationRequest& request) const override {
        backend_.makeCurrent();
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (glycine::cuda::isPublished(request.variant) && request.precision != WeightPrecision::Float64)
            return Support::no(
                fmt::format("the variant '{}' computes only in float64; for other numbers: gemm",
                            toString(request.variant)));
        if (const std::string reason = glycine::cuda::unsupportedReason(
                backend_, request.variant, request.precision, splineShape(request.splines));
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

    std::optional<Matrix<double>> sumWeights(const DeviceMatrix& values,
                                             const SplineOptions& splines) override {
        backend_.makeCurrent();
        if (values.device != backend_.deviceIndex() || values.kind != 'f' ||
            !glycine::cuda::isReadable(values) || splines.order > glycine::cuda::kMaxSummedOrder)
            return std::nullopt;
        const DevicePositions positions(backend_, values, splines);
        if (!positions.areFinite()) return std::nullopt;
        const glycine::cuda::DeviceBuffer<double> sums(backend_.memory(), values.rows * splines.bins);
        GLYCINE_CUDA(cudaMemset(sums.data(), 0, sums.size() * sizeof(double)));
        glycine::cuda::launchSumWeights(nullptr, values, positions.facts(), splineShape(splines),
                                        sums.data());
        Matrix<double> found(values.rows, splines.bins);
        GLYCINE_CUDA(cudaMemcpy(found.data(), sums.data(), sums.size() * sizeof(double), cudaMemcpyDefault));
        return found;
    }

  private:
    pairs::cuda::TilePlan planFor(const InformationRequest& request) const {
        return pairs::cuda::planTiles(informationDemand(backend_, request), backend_.memory().available());
    }

    CudaBackend& backend_;
};

}  // namespace

Implementation<InformationEngine> engine() {
    return implementWith<InformationEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::mutualinfo::cuda
