#include <fmt/format.h>

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/device_information.hpp"
#include "kernels_cuda/mutualinfo/information_kernels.hpp"

namespace glycine::cuda {

namespace {

/// Work that is queued at a time: products of weights (published), or sums in tables of panels (products). It
/// takes some hundredths of a second on a large GPU.
constexpr double kPublishedAtOnce = 1e11;
constexpr double kProductsAtOnce = 1e12;

/// Tracks the samples of a window, and their work, until all have been added.
class Gathering {
  public:
    explicit Gathering(std::size_t samples) : samples_(samples) {}
    /// Registers the next samples of a window. Returns whether they are the last ones.
    bool take(const PairWindow& window, Accumulate accumulate, double work) {
        if (accumulate == Accumulate::No) {
            end_ = 0;
            work_ = 0;
        }
        begin_ = end_;
        end_ += window.depth / 2;
        work_ += work;
        return end_ == samples_;
    }
    PositionBlock block(MatrixOnDevice<const std::uint32_t> words, unsigned genes) const {
        return {words, genes, unsigned(end_ - begin_), unsigned(begin_)};
    }
    double work() const { return work_; }

  private:
    std::size_t samples_;
    std::size_t begin_ = 0, end_ = 0;
    double work_ = 0;
};

/// Pairs of some rows with columns up to the diagonal, or with all columns.
double pairsOf(Range rows, std::size_t columns, bool isDiagonal) {
    return isDiagonal ? double(rows.size()) * double(rows.begin + rows.end) / 2
                      : double(rows.size()) * double(columns);
}

class PublishedInformation final : public PairInformation {
  public:
    PublishedInformation(const CudaBackend& backend, const InformationShape& shape, std::size_t side,
                         bool isScanned)
        : backend_(backend), shape_(shape), gathering_(shape.samples) {
        for (Genes& genes : genes_) {
            genes.positions = DeviceBuffer<double>(backend.memory(), side * shape.samples);
            genes.weights = DeviceBuffer<double>(backend.memory(), side * shape.samples * shape.splines.bins);
            genes.entropies = DeviceBuffer<double>(backend.memory(), side);
        }
        if (isScanned) common_ = DeviceBuffer<std::uint32_t>(backend.memory(), side * side);
        side_ = side;
    }
    static std::size_t bytes(const InformationShape& shape, std::size_t side) {
        return 2 * side * (shape.samples * (1 + shape.splines.bins) + 1) * sizeof(double) +
               side * side * sizeof(std::uint32_t);
    }

    void add(const PairWindow& window, Accumulate accumulate, MatrixOnDevice<double> results, double work,
             const Stream& stream, PacedReport& report) override {
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        const bool isLast = gathering_.take(window, accumulate, work);
        const auto samples = unsigned(shape_.samples);
        const unsigned bins = shape_.splines.bins;
        const auto weigh = [&](const Genes& genes, MatrixOnDevice<const std::uint32_t> words,
                               unsigned count) {
            clock_.time(kWeights, stream, [&] {
                launchWeightingMatrices(launch, shape_.splines, gathering_.block(words, count), samples,
                                        genes.onDevice());
            });
            if (isLast)
                clock_.time(kSelf, stream,
                            [&] { launchSelfEntropies(launch, count, samples, bins, genes.onDevice()); });
        };
        weigh(genes_[0], window.rows, window.usedRows);
        if (!window.isDiagonal) weigh(genes_[1], window.columns, window.usedColumns);
        if (!isLast) return;

        PublishedPairs pairs{genes_[0].onDevice(),
                             genes_[window.isDiagonal ? 0 : 1].onDevice(),
                             samples,
                             bins,
                             0,
                             0,
                             window.usedColumns,
                             window.isDiagonal,
                             {common_.data(), side_},
                             results};
        const double ofRow = double(window.usedColumns) * double(samples) * bins * bins;
        const auto rowsAtOnce = std::size_t(std::clamp(kPublishedAtOnce / ofRow, 1.0, 65535.0));
        WorkSplit split(gathering_.work(),
                        pairsOf({0, window.usedRows}, window.usedColumns, window.isDiagonal));
        for (const Range rows : splitRange(window.usedRows, rowsAtOnce)) {
            pairs.firstRow = unsigned(rows.begin);
            pairs.rowCount = unsigned(rows.size());
            if (common_.size() > 0) clock_.time(kScan, stream, [&] { launchScanData(launch, pairs); });
            clock_.time(kJoint, stream, [&] { launchJointEntropies(launch, pairs); });
            report.queued(stream, split.next(pairsOf(rows, window.usedColumns, window.isDiagonal)));
        }
    }

    std::vector<KernelClock::Time> kernelTimes() override { return clock_.times(); }

  private:
    enum Kernel : std::size_t { kWeights, kScan, kSelf, kJoint };
    struct Genes {
        DeviceBuffer<double> positions, weights, entropies;
        PublishedGenes onDevice() const { return {positions.data(), weights.data(), entropies.data()}; }
    };
    const CudaBackend& backend_;
    InformationShape shape_;
    Gathering gathering_;
    Genes genes_[2];                      ///< rows and columns
    DeviceBuffer<std::uint32_t> common_;  ///< samples per pair; empty: every pair has all samples
    std::size_t side_ = 0;
    KernelClock clock_{{"weights", "scan", "self", "joint"}};
};

std::size_t sharedBytesOf(const CudaBackend& backend) {
    int bytes = 0;
    GLYCINE_CUDA(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, backend.deviceIndex()));
    return std::size_t(bytes);
}

/// How weights are stacked and multiplied.
struct ProductPlan {
    BlockPanels block = BlockPanels::Usual;
    WeightPanels layout;  ///< side 0: the joint tables of this number of bins do not fit

    static constexpr unsigned kLarge = 128;
    static constexpr unsigned kSmall = 64;
};

/// Whether blocks of warpgroups are available: in tf32 and fp16, if device and compiler support the
/// instructions.
bool hasWarpgroups([[maybe_unused]] mutualinfo::WeightPrecision precision,
                   [[maybe_unused]] int computeCapability) {
#ifdef GLYCINE_HAVE_WARPGROUPS
    return computeCapability == 90 && (precision == mutualinfo::WeightPrecision::Float16 ||
                                       precision == mutualinfo::WeightPrecision::Tf32);
#else
    return false;
#endif
}

/// Large panels read their operands less often. Small ones keep more multiprocessors busy if there are few
/// genes.
ProductPlan planProducts(const CudaBackend& backend, mutualinfo::WeightPrecision precision,
                         const InformationShape& shape) {
    const std::size_t shared = sharedBytesOf(backend);
    const auto planOf = [&](BlockPanels block, unsigned side) {
        // Rounding leaves an error in a last bin that should be empty. For sums in float64 it grows with the
        // number of samples, to 1e-13 bits for 9,000; for weights of 11 bits it falls with that number.
        constexpr std::size_t mostSamples = std::size_t{1} << 16;
        constexpr std::size_t leastSamples = 512;
        const bool lacksLastBin =
            shape.isComplete &&
            (block == BlockPanels::Warpgroups
                 ? shape.samples >= leastSamples
                 : precision == mutualinfo::WeightPrecision::Float64 && shape.samples <= mostSamples);
        const unsigned bins = shape.splines.bins - unsigned{lacksLastBin};
        return ProductPlan{
            block, {bins <= side ? side : 0, std::min(side / bins, kMaxPanelGenes), bins, lacksLastBin}};
    };
    const ProductPlan small = planOf(BlockPanels::Small, ProductPlan::kSmall);
    if (jointSharedBytes(precision, BlockPanels::Usual) > shared) return small;
    const ProductPlan usual = planOf(BlockPanels::Usual, ProductPlan::kLarge);
    if (usual.layout.side == 0) return usual;
    const std::size_t panels = usual.layout.panels(shape.instances);
    const std::size_t blocks = panels * (panels + 1) / 2;
    const auto multiprocessors = std::size_t(backend.multiprocessors());
    const bool isFew = shape.instances > 0 && blocks < 2 * multiprocessors;
    if (isFew && small.layout.side > 0) return small;
    const bool isMany = blocks >= 8 * multiprocessors;
    return isMany && hasWarpgroups(precision, backend.computeCapability())
               ? planOf(BlockPanels::Warpgroups, ProductPlan::kLarge)
               : usual;
}

class ProductInformation final : public PairInformation {
  public:
    ProductInformation(const CudaBackend& backend, mutualinfo::WeightPrecision precision,
                       const InformationShape& shape, std::size_t side)
        : backend_(backend),
          precision_(precision),
          shape_(shape),
          plan_(planProducts(backend, precision, shape)),
          gathering_(shape.samples) {
        for (Genes& genes : genes_) {
            genes.weights =
                DeviceBuffer<std::byte>(backend.memory(), weightBytes(plan_.layout, precision, shape, side));
            if (!plan_.layout.lacksLastBin) continue;
            const std::size_t panels = plan_.layout.panels(side);
            genes.marginals = DeviceBuffer<double>(backend.memory(), panels * plan_.layout.side);
            if (plan_.block == BlockPanels::Warpgroups)
                genes.entropies = DeviceBuffer<double>(backend.memory(), panels * plan_.layout.genes);
        }
    }
    static std::size_t bytes(const CudaBackend& backend, mutualinfo::WeightPrecision precision,
                             const InformationShape& shape, std::size_t side) {
        std::size_t most = 0;
        for (const bool isComplete : {false, true}) {
            InformationShape requested = shape;
            requested.isComplete = isComplete;
            const WeightPanels layout = planProducts(backend, precision, requested).layout;
            const std::size_t margins = layout.panels(side) * (layout.side + layout.genes) * sizeof(double);
            most = std::max(most, 2 * (weightBytes(layout, precision, shape, side) + margins));
        }
        return most;
    }

    void add(const PairWindow& window, Accumulate accumulate, MatrixOnDevice<double> results, double work,
             const Stream& stream, PacedReport& report) override {
        const Launch launch{stream.handle(), backend_.multiprocessors()};
        const bool isLast = gathering_.take(window, accumulate, work);
        const auto weigh = [&](const Genes& genes, MatrixOnDevice<const std::uint32_t> words,
                               unsigned count) {
            const WeightPanels& layout = plan_.layout;
            launchWeights(launch, precision_, shape_.splines, gathering_.block(words, count), isLast, layout,
                          genes.weights.data());
            if (!isLast || !layout.lacksLastBin) return;
            launchMarginals(launch, precision_, layout, layout.panels(count), stepsOf(precision_, shape_),
                            genes.weights.data(), genes.marginals.data());
            if (plan_.block != BlockPanels::Warpgroups) return;
            launchCentring(launch, precision_, layout, layout.panels(count), stepsOf(precision_, shape_),
                           shape_.samples, genes.weights.data(), genes.marginals.data());
            launchNegativeEntropies(launch, layout, layout.panels(count), shape_.samples,
                                    genes.marginals.data(), genes.entropies.data());
        };
        weigh(genes_[0], window.rows, window.usedRows);
        if (!window.isDiagonal) weigh(genes_[1], window.columns, window.usedColumns);
        if (isLast) multiply(window, results, launch, stream, report);
    }

  private:
    struct Genes {
        DeviceBuffer<std::byte> weights;
        DeviceBuffer<double> marginals, entropies;
    };
    static std::size_t stepsOf(mutualinfo::WeightPrecision precision, const InformationShape& shape) {
        const std::size_t samples = kStepBytes / elementBytes(precision);
        return (shape.samples + samples - 1) / samples;
    }
    static std::size_t weightBytes(const WeightPanels& layout, mutualinfo::WeightPrecision precision,
                                   const InformationShape& shape, std::size_t side) {
        return layout.panels(side) * layout.side * stepsOf(precision, shape) * kStepBytes;
    }

    void multiply(const PairWindow& window, MatrixOnDevice<double> results, const Launch& launch,
                  const Stream& stream, PacedReport& report) {
        const WeightPanels& layout = plan_.layout;
        const Genes& columns = genes_[window.isDiagonal ? 0 : 1];
        JointTask task{};
        task.rows = genes_[0].weights.data();
        task.columns = columns.weights.data();
        task.rowMarginals = genes_[0].marginals.data();
        task.columnMarginals = columns.marginals.data();
        task.rowEntropies = genes_[0].entropies.data();
        task.columnEntropies = columns.entropies.data();
        task.rowPanels = unsigned(layout.panels(window.usedRows));
        task.columnPanels = unsigned(layout.panels(window.usedColumns));
        task.samples = unsigned(shape_.samples);
        task.steps = unsigned(stepsOf(precision_, shape_));
        task.layout = layout;
        task.rowCount = window.usedRows;
        task.columnCount = window.usedColumns;
        task.isDiagonal = window.isDiagonal;
        task.results = results;
        const std::size_t bands = (task.rowPanels + kBandPanels - 1) / kBandPanels;
        // The last blocks of a launch leave multiprocessors idle, so each gets many blocks.
        const double blocksAtOnce =
            std::max(64.0 * launch.multiprocessors,
                     kProductsAtOnce / (double(layout.side) * layout.side * double(shape_.samples)));
        const auto bandsAtOnce =
            std::size_t(std::clamp(blocksAtOnce / (double(kBandPanels) * task.columnPanels), 1.0, 65535.0));
        WorkSplit split(gathering_.work(), pairsOf({0, bands}, task.columnPanels, window.isDiagonal));
        for (const Range part : splitRange(bands, bandsAtOnce)) {
            task.firstBand = unsigned(part.begin);
            task.bands = unsigned(part.size());
            launchBlocks(launch, task);
            report.queued(stream, split.next(pairsOf(part, task.columnPanels, window.isDiagonal)));
        }
    }

    void launchBlocks(const Launch& launch, const JointTask& task) const {
#ifdef GLYCINE_HAVE_WARPGROUPS
        if (plan_.block == BlockPanels::Warpgroups)
            return launchWarpgroupInformation(launch, precision_, task);
#endif
        launchJointInformation(launch, precision_, plan_.block, task);
    }

    const CudaBackend& backend_;
    mutualinfo::WeightPrecision precision_;
    InformationShape shape_;
    ProductPlan plan_;
    Gathering gathering_;
    Genes genes_[2];  ///< rows and columns
};

}  // namespace

std::string unsupportedReason(const CudaBackend& backend, mutualinfo::Variant variant,
                              mutualinfo::WeightPrecision precision, const mutualinfo::SplineShape& splines) {
    if (isPublished(variant))
        return splines.bins <= kMaxPublishedBins
                   ? std::string()
                   : fmt::format(
                         "{} bins: a block of the published kernels has a thread for each pair of "
                         "bins, which are at most {}",
                         splines.bins, kMaxPublishedBins);
    constexpr int firstWithTensorCores = 80;
    if ((precision == mutualinfo::WeightPrecision::Tf32 ||
         precision == mutualinfo::WeightPrecision::Float16) &&
        backend.computeCapability() < firstWithTensorCores)
        return fmt::format(
            "products of tf32 and fp16 numbers need compute capability 8.0; this device has {}.{}",
            backend.computeCapability() / 10, backend.computeCapability() % 10);
    if (planProducts(backend, precision, {splines}).layout.side > 0) return {};
    const unsigned most = jointSharedBytes(precision, BlockPanels::Usual) <= sharedBytesOf(backend)
                              ? ProductPlan::kLarge
                              : ProductPlan::kSmall;
    return fmt::format("{} bins: the joint tables of at most {} fit the shared memory of this device",
                       splines.bins, most);
}

std::size_t bytesForInformation(const CudaBackend& backend, mutualinfo::Variant variant,
                                mutualinfo::WeightPrecision precision, const InformationShape& shape,
                                std::size_t side) {
    return isPublished(variant) ? PublishedInformation::bytes(shape, side)
                                : ProductInformation::bytes(backend, precision, shape, side);
}

std::unique_ptr<PairInformation> makeInformation(const CudaBackend& backend, mutualinfo::Variant variant,
                                                 mutualinfo::WeightPrecision precision,
                                                 const InformationShape& shape, std::size_t side) {
    if (isPublished(variant))
        return std::make_unique<PublishedInformation>(
            backend, shape, side, variant == mutualinfo::Variant::Cudami || !shape.isComplete);
    return std::make_unique<ProductInformation>(backend, precision, shape, side);
}

}  // namespace glycine::cuda
