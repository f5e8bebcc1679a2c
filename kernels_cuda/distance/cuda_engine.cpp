#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>

#include "engine/core/cancellation.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance_engine.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "kernels_cuda/device/staged_transfer.hpp"
#include "kernels_cuda/distance/device_counting.hpp"
#include "kernels_cuda/distance/device_genotypes.hpp"
#include "kernels_cuda/pairs/operand_source.hpp"
#include "kernels_cuda/pairs/tile_digester.hpp"
#include "kernels_cuda/pairs/tile_runner.hpp"

namespace glycine::distance::cuda {

namespace {

using glycine::cuda::CountedAttributes;
using glycine::cuda::CudaBackend;
using glycine::cuda::Event;

class PlaneOperands final : public pairs::cuda::OperandSource {
  public:
    PlaneOperands(const CudaBackend& backend, const DiscreteSource& source)
        : source_(source), onDevice_(dynamic_cast<const DeviceGenotypes*>(&source)) {
        if (onDevice_ != nullptr && onDevice_->device() != backend.deviceIndex()) onDevice_ = nullptr;
    }
    std::size_t instances() const override { return source_.shape().instances; }
    std::size_t attributes() const override { return source_.shape().attributes; }
    unsigned planes() const override { return source_.shape().storedPlanes(); }
    std::size_t attributesAWord() const override { return 32; }

    Block read(Range instances, Range words) const override {
        const Range columns{words.begin * 32, std::min(words.end * 32, attributes())};
        if (onDevice_ != nullptr)
            return {{.instances = instances.size(),
                     .planes = planes(),
                     .words = words.size(),
                     .fill =
                         [=, this](Range some, std::uint32_t* target, glycine::cuda::StreamHandle stream) {
                             onDevice_->pack({instances.begin + some.begin, instances.begin + some.end},
                                             columns, {target, words.size()}, stream);
                         }},
                    nullptr};
        auto block = std::make_shared<PlaneBlock>(source_.readPlanes(instances, columns));
        // On little-endian machines, a 64-attribute word is two consecutive 32-attribute words.
        return {{reinterpret_cast<const std::uint32_t*>(block->plane(0, 0)), block->stride() * 2,
                 instances.size(), planes(), words.size()},
                block};
    }

  private:
    const DiscreteSource& source_;
    const DeviceGenotypes* onDevice_;  ///< the source, if it is in device memory
};

/// `cuda bitplane`, `bittensor` and `tensor`.
class CudaCountingRun final : public CountingRun {
  public:
    CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                    Variant variant);
    Variant variant() const override { return variant_; }
    PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;
    std::optional<pairs::TileDigest> digest(const PairTile& tile, const pairs::DigestRequest& digestRequest,
                                            std::size_t leastInCommon, Progress& progress) override;
    bool keep(const PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
              Progress& progress) override {
        return pairs::cuda::keepTile<std::uint32_t>(
            backend_, store, counts_.differing, counts_.stride, finish, staysOnDevice_,
            [&](const auto& deliver) { runTile(tile, progress, deliver); });
    }

  private:
    CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                    Variant variant, const pairs::cuda::TilePlan& plan);

    /// Counts a tile, and delivers its pieces while their counts are on the device.
    void runTile(const PairTile& tile, Progress& progress, const pairs::cuda::TileRunner::Deliver& deliver);

    glycine::cuda::CudaBackend& backend_;
    std::size_t instances_;
    std::size_t attributes_;
    Variant variant_;
    pairs::cuda::TileRunner runner_;
    std::optional<pairs::cuda::TileDigester> digester_;
    bool hasRoomForDigests_ = true;  ///< until a piece shows otherwise
    bool staysOnDevice_ = true;      ///< until a piece shows otherwise
    glycine::cuda::DeviceBuffer<std::uint32_t> differing_, opposite_, valid_;
    glycine::cuda::CountsOnDevice counts_;
    std::unique_ptr<glycine::cuda::PairCounter> counter_;
};

/// `valid` is counted only if entries may be missing.
CountNeeds wantedCounts(const DiscreteShape& shape, CountNeeds needs) {
    return {needs.opposite, needs.valid && shape.hasMissing};
}

/// Device memory that a run with bit planes needs.
pairs::cuda::TileDemand countingDemand(const DiscreteShape& shape, CountNeeds needs, Variant variant) {
    const CountNeeds wanted = wantedCounts(shape, needs);
    const std::size_t kinds = 1 + std::size_t{wanted.opposite} + std::size_t{wanted.valid};
    return {shape.instances, (shape.attributes + 31) / 32, shape.storedPlanes(),
            [=](std::size_t side, std::size_t available) {
                return kinds * side * side * sizeof(std::uint32_t) +
                       glycine::cuda::bytesForCounter(variant, shape, wanted, side, available);
            }};
}

CudaCountingRun::CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                                 CountNeeds needs, Variant variant)
    : CudaCountingRun(backend, source, needs, variant,
                      pairs::cuda::planTiles(countingDemand(source.shape(), needs, variant),
                                             backend.memory().available())) {}

CudaCountingRun::CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                                 CountNeeds needs, Variant variant, const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      instances_(source.shape().instances),
      attributes_(source.shape().attributes),
      variant_(variant),
      runner_(backend, std::make_unique<PlaneOperands>(backend, source), plan) {
    const std::size_t side = pairs::cuda::paddedSide(plan.side);
    const CountNeeds wanted = wantedCounts(source.shape(), needs);
    const auto reserve = [&](bool isWanted, glycine::cuda::DeviceBuffer<std::uint32_t>& buffer) {
        if (isWanted) buffer = glycine::cuda::DeviceBuffer<std::uint32_t>(backend.memory(), side * side);
        return buffer.data();
    };
    counts_.differing = reserve(true, differing_);
    counts_.opposite = reserve(wanted.opposite, opposite_);
    counts_.valid = reserve(wanted.valid, valid_);
    counts_.stride = side;
    counter_ = glycine::cuda::makeCounter(backend, variant, source.shape(), wanted, side, plan.available);
}

void CudaCountingRun::runTile(const PairTile& tile, Progress& progress,
                              const pairs::cuda::TileRunner::Deliver& deliver) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        counter_->count(window, accumulate, counts_, work, stream, report);
    };
    runner_.run(tile, progress, queue, deliver);
}

std::optional<pairs::TileDigest> CudaCountingRun::digest(const PairTile& tile,
                                                         const pairs::DigestRequest& digestRequest,
                                                         std::size_t leastInCommon, Progress& progress) {
    if (!hasRoomForDigests_ || (leastInCommon > 0 && counts_.valid == nullptr)) return std::nullopt;
    if (!digester_ && pairs::cuda::TileDigester::bytes(counts_.stride) > backend_.memory().available())
        hasRoomForDigests_ = false;
    if (hasRoomForDigests_ && !digester_) digester_.emplace(backend_, counts_.stride, instances_);
    if (!hasRoomForDigests_) return std::nullopt;
    pairs::TileDigest digest{std::vector<pairs::RowDigest>(tile.rows.size()), {}, {}};
    runTile(tile, progress, [&](const pairs::cuda::TileRunner::Piece& piece) {
        // If one piece has too many close pairs, the others most likely do, too.
        hasRoomForDigests_ =
            hasRoomForDigests_ &&
            digester_->add(piece, counts_.differing, leastInCommon > 0 ? counts_.valid : nullptr,
                           counts_.stride, digestRequest, leastInCommon, digest);
    });
    if (!hasRoomForDigests_) return std::nullopt;
    return digest;
}

void CudaCountingRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    const auto deliver = [&](const pairs::cuda::TileRunner::Piece& piece) {
        const auto take = [&](const std::uint32_t* device, MatrixView<std::uint32_t> results) {
            if (!results.empty() && device != nullptr)
                pairs::cuda::downloadPiece(backend_.transfer(), device, counts_.stride, piece, results);
        };
        take(counts_.differing, counts.differing);
        take(counts_.opposite, counts.opposite);
        take(counts_.valid, counts.valid);
    };
    runTile(tile, progress, deliver);
    if (counts_.valid == nullptr && !counts.valid.empty())
        for (std::size_t row = 0; row < counts.valid.rows(); ++row)
            std::fill_n(counts.valid.row(row), counts.valid.columns(),
                        static_cast<std::uint32_t>(attributes_));
}

/// `cuda direct`. Number: float or double.
template <class Number>
class CudaSummingRun final : public SummingRun {
  public:
    CudaSummingRun(glycine::cuda::CudaBackend& backend, CoordinateView coordinates, SumTerm term);
    Variant variant() const override { return Variant::Direct; }
    PairTimes times() const override { return runner_.times(); }
    std::string note() const override { return runner_.note(); }
    void sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) override;
    bool keep(const PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
              Progress& progress) override;

  private:
    void runTile(const PairTile& tile, Progress& progress, const pairs::cuda::TileRunner::Deliver& deliver);
    CudaSummingRun(glycine::cuda::CudaBackend& backend, CoordinateView coordinates, SumTerm term,
                   const pairs::cuda::TilePlan& plan);

    glycine::cuda::CudaBackend& backend_;
    Matrix<Number> joined_;  ///< the coordinates if their rows are not in one matrix
    CoordinateView coordinates_;
    SumTerm term_;
    pairs::cuda::TileRunner runner_;
    glycine::cuda::DeviceBuffer<double> sums_;
    std::size_t stride_;
    bool staysOnDevice_ = true;  ///< until a piece shows otherwise
};

template <class Number>
constexpr Precision precisionOf() {
    return std::is_same_v<Number, float> ? Precision::Float32 : Precision::Float64;
}

/// Device memory that sums need.
pairs::cuda::TileDemand summingDemand(std::size_t instances, std::size_t attributes, Precision precision) {
    const std::size_t words = precision == Precision::Float64 ? 2 * attributes : attributes;
    return {instances, words, 1, [](std::size_t side, std::size_t) { return side * side * sizeof(double); }};
}

/// A copy of rows that two matrices hold; empty for one matrix, and for coordinates on a device.
template <class Number>
Matrix<Number> joinedRows(CoordinateView coordinates) {
    if (coordinates.device() != nullptr) return {};
    const CoordinateRows<Number> rows = coordinates.as<Number>();
    if (rows.second().empty()) return {};
    Matrix<Number> joined(rows.rows(), rows.columns());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
        throwIfCancellationRequested();
        std::copy_n(rows.row(i), rows.columns(), joined.row(i));
    }
    return joined;
}

/// Reads coordinates where they are: on the device that sums them, or on the host.
template <class Number>
std::unique_ptr<pairs::cuda::OperandSource> operandsOf(const CudaBackend& backend,
                                                       CoordinateView coordinates) {
    const DeviceCoordinates* const device = coordinates.device();
    if (device != nullptr && device->matrix().device == backend.deviceIndex())
        return pairs::cuda::operandsOf(device->matrix());
    return pairs::cuda::operandsOf(coordinates.as<Number>().first());
}

template <class Number>
CudaSummingRun<Number>::CudaSummingRun(glycine::cuda::CudaBackend& backend, CoordinateView coordinates,
                                       SumTerm term)
    : CudaSummingRun(backend, coordinates, term,
                     pairs::cuda::planTiles(
                         summingDemand(coordinates.rows(), coordinates.columns(), precisionOf<Number>()),
                         backend.memory().available())) {}

template <class Number>
CudaSummingRun<Number>::CudaSummingRun(glycine::cuda::CudaBackend& backend, CoordinateView coordinates,
                                       SumTerm term, const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      joined_(joinedRows<Number>(coordinates)),
      coordinates_(joined_.empty() ? coordinates : CoordinateView(joined_.view())),
      term_(term),
      runner_(backend, operandsOf<Number>(backend, coordinates_), plan),
      sums_(backend.memory(), pairs::cuda::paddedSide(plan.side) * pairs::cuda::paddedSide(plan.side)),
      stride_(pairs::cuda::paddedSide(plan.side)) {}

template <class Number>
void CudaSummingRun<Number>::runTile(const PairTile& tile, Progress& progress,
                                     const pairs::cuda::TileRunner::Deliver& deliver) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        glycine::cuda::sumTerms(backend_, window, {.term = term_, .isDouble = std::is_same_v<Number, double>},
                                accumulate, {sums_.data(), stride_}, work, stream, report);
    };
    runner_.run(tile, progress, queue, deliver);
}

template <class Number>
bool CudaSummingRun<Number>::keep(const PairTile& tile, pairs::DeviceStore& store, pairs::DeviceFinish finish,
                                  Progress& progress) {
    // repairSums repairs smaller sums.
    if constexpr (std::is_same_v<Number, float>)
        finish.least =
            withTerm(term_, [this](auto operation) { return operation.leastSum(coordinates_.columns()); });
    return pairs::cuda::keepTile<double>(backend_, store, sums_.data(), stride_, finish, staysOnDevice_,
                                         [&](const auto& deliver) { runTile(tile, progress, deliver); });
}

template <class Number>
void CudaSummingRun<Number>::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    runTile(tile, progress, [&](const pairs::cuda::TileRunner::Piece& piece) {
        pairs::cuda::downloadPiece<double>(backend_.transfer(), sums_.data(), stride_, piece, sums);
    });
    if constexpr (std::is_same_v<Number, float>) repairSums(coordinates_, term_, tile, sums);
}

/// One of the published kernels: all symbols on the device, one thread block per pair. A diagonal tile is the
/// paper's square grid, including both halves and the diagonal. Each count besides `differing` takes another
/// launch of the same kernel with another comparison.
///
/// `compute` is the time of the kernels alone, from launch to idle on the device's clock, with operands in
/// place and results zeroed, as in the paper.
class PublishedRun final : public CountingRun {
  public:
    PublishedRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source, CountNeeds needs,
                 Variant variant);
    Variant variant() const override { return variant_; }
    PairTimes times() const override { return times_; }
    void count(const PairTile& tile, const PairCounts& counts, Progress& progress) override;

    /// Device memory for symbols, and for the results of the smallest piece.
    static std::size_t bytes(Variant variant, const DiscreteShape& shape);

  private:
    void loadAll(Progress& progress);
    void countInto(MatrixView<std::uint32_t> results, glycine::cuda::CountedAttributes counted,
                   const PairTile& tile, Progress& progress, glycine::cuda::WorkSplit& split);

    glycine::cuda::CudaBackend& backend_;
    const DiscreteSource& source_;
    CountNeeds needs_;
    Variant variant_;
    glycine::cuda::PublishedSymbols data_;
    std::size_t side_;  ///< side of the pieces in which results are counted
    glycine::cuda::DeviceBuffer<int> counts_;
    glycine::cuda::Stream stream_;
    bool isLoaded_ = false;
    PairTimes times_;
};

constexpr std::size_t kLeastSide = 64;
constexpr std::size_t kMaxSide = 16384;
constexpr std::size_t kPortionsAhead = 2;

/// Side of the largest square of integers that fits into memory.
std::size_t pieceSide(std::size_t instances, std::size_t available) {
    const auto fitting = static_cast<std::size_t>(std::sqrt(static_cast<double>(available) / sizeof(int)));
    return std::min({std::max(fitting, kLeastSide), kMaxSide, instances});
}

PublishedRun::PublishedRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                           CountNeeds needs, Variant variant)
    : backend_(backend),
      source_(source),
      needs_(needs),
      variant_(variant),
      data_(backend, variant, source.shape().instances, source.shape().attributes),
      side_(pieceSide(source.shape().instances, backend.memory().available())),
      counts_(backend.memory(), side_ * side_) {}

std::size_t PublishedRun::bytes(Variant variant, const DiscreteShape& shape) {
    const std::size_t side = std::min(kLeastSide, shape.instances);
    return glycine::cuda::PublishedSymbols::bytes(variant, shape.instances, shape.attributes) +
           side * side * sizeof(int);
}

void PublishedRun::loadAll(Progress& progress) {
    if (isLoaded_) return;
    const DiscreteShape& shape = source_.shape();
    Stopwatch watch;
    for (const Range band : splitRange(shape.instances, data_.instancesAtOnce())) {
        progress.throwIfCancelled();
        watch.restart();
        Matrix<std::uint8_t> symbols(band.size(), shape.attributes);
        source_.readSymbols(band, {0, shape.attributes}, symbols.view());
        times_.pack += watch.restart();
        data_.load(symbols.data(), shape.attributes, band.begin, band.size());
        times_.upload += watch.restart();
    }
    isLoaded_ = true;
}

void PublishedRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    backend_.makeCurrent();
    loadAll(progress);
    const bool hasMissing = source_.shape().hasMissing;
    const double pairs = static_cast<double>(tile.rows.size()) * static_cast<double>(tile.columns.size());
    glycine::cuda::WorkSplit split(
        static_cast<double>(tile.pairs()) * static_cast<double>(source_.shape().attributes),
        pairs * (1 + int{needs_.opposite} + int{needs_.valid}));
    countInto(counts.differing,
              hasMissing ? CountedAttributes::DifferingPresent : CountedAttributes::Differing, tile, progress,
              split);
    if (needs_.opposite) countInto(counts.opposite, CountedAttributes::Opposite, tile, progress, split);
    if (needs_.valid) countInto(counts.valid, CountedAttributes::Present, tile, progress, split);
}

void PublishedRun::countInto(MatrixView<std::uint32_t> results, CountedAttributes counted,
                             const PairTile& tile, Progress& progress, glycine::cuda::WorkSplit& split) {
    const glycine::cuda::WorkListener worked = [&](double done) { progress.advance(done); };
    const Event begin(Event::Kind::Timing);
    const Event end(Event::Kind::Timing);
    for (const Range rows : splitRange(tile.rows.size(), side_)) {
        for (const Range columns : splitRange(tile.columns.size(), side_)) {
            const glycine::cuda::MatrixOnDevice<int> device{counts_.data(), columns.size()};
            const double work =
                split.next(static_cast<double>(rows.size()) * static_cast<double>(columns.size()));
            glycine::cuda::PacedReport report(worked, kPortionsAhead);
            // The kernel is launched while the counts are zeroed; `begin` is recorded right before it.
            data_.prepare(device, rows.size(), columns.size(), stream_);
            begin.record(stream_);
            data_.count(counted, tile.rows.begin + rows.begin, rows.size(),
                        tile.columns.begin + columns.begin, columns.size(), device, work, stream_, report);
            end.record(stream_);
            report.settleAll();
            end.synchronize();
            times_.compute += Event::secondsBetween(begin, end);
            const Stopwatch watch;
            // Counts are never negative, so the bits are the same.
            backend_.transfer().download(reinterpret_cast<const std::uint32_t*>(device.data), device.stride,
                                         results.row(rows.begin) + columns.begin, results.rowStride(),
                                         rows.size(), columns.size());
            times_.download += watch.seconds();
        }
    }
}

/// Side of the tiles of the published kernels.
constexpr std::size_t kPublishedTile = 8192;

bool isPublished(Variant variant) {
    switch (variant) {
        case Variant::Naive:
        case Variant::Coalesced:
        case Variant::Char4:
        case Variant::Register:
        case Variant::Shared:
        case Variant::Reduction:
        case Variant::Texture:
        case Variant::Constant:
            return true;
        default:
            return false;
    }
}

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table = [] {
        constexpr std::string_view kDiscussion = "discussion";
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
             published(Variant::Reduction, "GPUshared, its counters added by a tree of threads", kDiscussion),
             published(Variant::Texture, "the same, symbols read through a texture", kDiscussion),
             published(Variant::Constant,
                       "the same, one instance of each pair in constant memory, a launch each", kDiscussion),
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
              {"float32", "float64"}}},
            {Variant::Tensor, Variant::Bitplane});
    }();
    return table;
}

/// Whether no later variant of the table's candidates counts faster. Measured on an H200 with 20,000 ×
/// 200,000 complete genotypes, in N²·M comparisons per second: bittensor 1,370 T, tensor 620 T, bitplane 275
/// T. Bit products were not measured on compute capability 10 or later. If only int8 products are available,
/// they pay off once they save the 0.27 s that loading their library and querying its algorithms takes.
bool suitsCounting(const CudaBackend& backend, Variant variant, const DiscreteShape& shape) {
    constexpr int firstUnknownCapability = 100;
    constexpr double leastWorkOfMultiprocessor = 6.5e13 / 132;
    const auto isSupported = [&] {
        return glycine::cuda::unsupportedReason(backend, variant, shape).empty();
    };
    if (variant == Variant::BitTensor)
        return backend.computeCapability() < firstUnknownCapability && isSupported();
    if (variant != Variant::Tensor) return variant == Variant::Bitplane;
    const double pairs = static_cast<double>(shape.instances) * static_cast<double>(shape.instances) / 2;
    return pairs * static_cast<double>(shape.attributes) >=
               leastWorkOfMultiprocessor * backend.multiprocessors() &&
           isSupported();
}

class CudaEngine final : public DistanceEngine {
  public:
    explicit CudaEngine(CudaBackend& backend) : backend_(backend) {}

    Support supports(const PairRequest& request) const override;
    std::size_t preferredTile(const PairRequest& request) const override;
    std::unique_ptr<CountingRun> startCounting(const DiscreteSource& source, CountNeeds needs,
                                               Variant variant) override;
    std::unique_ptr<SummingRun> startSumming(CoordinateView coordinates, SumTerm term, Variant) override {
        backend_.makeCurrent();
        if (coordinates.precision() == Precision::Float64)
            return std::make_unique<CudaSummingRun<double>>(backend_, coordinates, term);
        return std::make_unique<CudaSummingRun<float>>(backend_, coordinates, term);
    }
    std::unique_ptr<DiscreteSource> genotypesOnDevice(const DeviceMatrix& numbers) override {
        return DeviceGenotypes::of(numbers);
    }

  private:
    Variant chosen(Variant variant, const DiscreteShape& shape) const {
        return variants().resolve(variant, [&](Variant one) { return suitsCounting(backend_, one, shape); });
    }
    /// Memory that a request needs, unless it names a published kernel.
    pairs::cuda::TileDemand demandOf(const PairRequest& request) const;
    Support supportsMemory(std::size_t needed) const;

    CudaBackend& backend_;
};

pairs::cuda::TileDemand CudaEngine::demandOf(const PairRequest& request) const {
    if (request.isCoordinates)
        return summingDemand(request.shape.instances, request.shape.attributes, request.precision);
    return countingDemand(request.shape, request.needs, chosen(request.variant, request.shape));
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
    const bool runsPublished = isPublished(request.variant);
    if (!request.isCoordinates && !runsPublished) {
        const Variant running = chosen(request.variant, shape);
        if (const std::string reason = glycine::cuda::unsupportedReason(backend_, running, shape);
            !reason.empty())
            return Support::no(reason);
    }
    const bool isAnySize = shape.instances == 0 || shape.attributes == 0;
    if (isAnySize) return Support::yes();
    if (runsPublished) {
        const std::string reason = glycine::cuda::PublishedSymbols::unsupportedReason(
            backend_, request.variant, shape.instances, shape.attributes);
        return reason.empty() ? supportsMemory(PublishedRun::bytes(request.variant, shape))
                              : Support::no(reason);
    }
    const pairs::cuda::TilePlan plan =
        pairs::cuda::planTiles(demandOf(request), backend_.memory().available());
    return plan.side > 0 ? Support::yes() : supportsMemory(plan.needed);
}

std::size_t CudaEngine::preferredTile(const PairRequest& request) const {
    backend_.makeCurrent();
    if (!request.isCoordinates && isPublished(request.variant)) return kPublishedTile;
    const pairs::cuda::TileDemand demand = demandOf(request);
    return pairs::cuda::suitableTile(pairs::cuda::planTiles(demand, backend_.memory().available()),
                                     demand.instances);
}

std::unique_ptr<CountingRun> CudaEngine::startCounting(const DiscreteSource& source, CountNeeds needs,
                                                       Variant variant) {
    backend_.makeCurrent();
    const Variant running = chosen(variant, source.shape());
    if (isPublished(running)) return std::make_unique<PublishedRun>(backend_, source, needs, running);
    return std::make_unique<CudaCountingRun>(backend_, source, needs, running);
}

}  // namespace

Implementation<DistanceEngine> engine() {
    return implementWith<DistanceEngine, CudaEngine, CudaBackend>(variants());
}

}  // namespace glycine::distance::cuda
