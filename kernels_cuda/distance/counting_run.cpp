#include "kernels_cuda/distance/counting_run.hpp"

#include <algorithm>

#include "kernels_cuda/distance/plane_operands.hpp"

namespace glycine::distance::cuda {

namespace {

glycine::cuda::WantedCounts wantedCounts(const DiscreteShape& shape, CountNeeds needs) {
    return {needs.opposite, needs.valid && shape.hasMissing};
}

}  // namespace

glycine::cuda::PlaneFormat planeFormat(const DiscreteShape& shape) {
    return {shape.planes, shape.hasMissing, shape.isGenotypes};
}

pairs::cuda::TileDemand countingDemand(const DiscreteShape& shape, CountNeeds needs,
                                       glycine::cuda::CountMethod method) {
    const glycine::cuda::WantedCounts wanted = wantedCounts(shape, needs);
    const std::size_t kinds = 1 + std::size_t{wanted.opposite} + std::size_t{wanted.valid};
    return {shape.instances, (shape.attributes + 31) / 32, shape.storedPlanes(),
            [=](std::size_t side, std::size_t available) {
                return kinds * side * side * sizeof(std::uint32_t) +
                       glycine::cuda::bytesForCounter(method, planeFormat(shape), wanted, side, available);
            }};
}

CudaCountingRun::CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                                 CountNeeds needs, Variant variant, glycine::cuda::CountMethod method)
    : CudaCountingRun(backend, source, needs, variant, method,
                      pairs::cuda::planTiles(countingDemand(source.shape(), needs, method),
                                             backend.memory().available())) {}

CudaCountingRun::CudaCountingRun(glycine::cuda::CudaBackend& backend, const DiscreteSource& source,
                                 CountNeeds needs, Variant variant, glycine::cuda::CountMethod method,
                                 const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      attributes_(source.shape().attributes),
      variant_(variant),
      runner_(backend, planesOf(source), plan) {
    const std::size_t side = pairs::cuda::paddedSide(plan.side);
    const glycine::cuda::WantedCounts wanted = wantedCounts(source.shape(), needs);
    const auto reserve = [&](bool isWanted, glycine::cuda::DeviceBuffer<std::uint32_t>& buffer) {
        if (isWanted) buffer = glycine::cuda::DeviceBuffer<std::uint32_t>(backend.memory(), side * side);
        return buffer.data();
    };
    counts_.differing = reserve(true, differing_);
    counts_.opposite = reserve(wanted.opposite, opposite_);
    counts_.valid = reserve(wanted.valid, valid_);
    counts_.stride = side;
    counter_ = glycine::cuda::makeCounter(backend, method, planeFormat(source.shape()), wanted, side,
                                          plan.available);
}

void CudaCountingRun::count(const PairTile& tile, const PairCounts& counts, Progress& progress) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        counter_->count(window, accumulate, counts_, work, stream, report);
    };
    const auto deliver = [&](const pairs::cuda::TileRunner::Piece& piece) {
        const auto take = [&](const std::uint32_t* device, MatrixView<std::uint32_t> results) {
            if (!results.empty() && device != nullptr)
                pairs::cuda::downloadPiece(backend_.transfer(), device, counts_.stride, piece, results);
        };
        take(counts_.differing, counts.differing);
        take(counts_.opposite, counts.opposite);
        take(counts_.valid, counts.valid);
    };
    runner_.run(tile, progress, queue, deliver);
    if (counts_.valid == nullptr && !counts.valid.empty())
        for (std::size_t row = 0; row < counts.valid.rows(); ++row)
            std::fill_n(counts.valid.row(row), counts.valid.columns(),
                        static_cast<std::uint32_t>(attributes_));
}

}  // namespace glycine::distance::cuda
