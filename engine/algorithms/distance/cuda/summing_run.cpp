#include "engine/algorithms/distance/cuda/summing_run.hpp"

#include "engine/algorithms/distance/pair_sum.hpp"
#include "kernels_cuda/distance/device_counting.hpp"

namespace glycine::distance::cuda {

pairs::cuda::TileDemand summingDemand(std::size_t instances, std::size_t attributes) {
    return {instances, attributes, 1,
            [](std::size_t side, std::size_t) { return side * side * sizeof(double); }};
}

CudaSummingRun::CudaSummingRun(glycine::cuda::CudaBackend& backend, MatrixView<const float> coordinates,
                               SumTerm term)
    : CudaSummingRun(backend, coordinates, term,
                     pairs::cuda::planTiles(summingDemand(coordinates.rows(), coordinates.columns()),
                                            backend.memory().available())) {}

CudaSummingRun::CudaSummingRun(glycine::cuda::CudaBackend& backend, MatrixView<const float> coordinates,
                               SumTerm term, const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      coordinates_(coordinates),
      term_(term),
      runner_(backend, pairs::cuda::operandsOf(coordinates), plan),
      sums_(backend.memory(), pairs::cuda::paddedSide(plan.side) * pairs::cuda::paddedSide(plan.side)),
      stride_(pairs::cuda::paddedSide(plan.side)) {}

void CudaSummingRun::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        glycine::cuda::sumDifferences(backend_, window, term_ == SumTerm::SquaredDifference, accumulate,
                                      {sums_.data(), stride_}, work, stream, report);
    };
    const auto deliver = [&](const pairs::cuda::TileRunner::Piece& piece) {
        pairs::cuda::downloadPiece<double>(backend_.transfer(), sums_.data(), stride_, piece, sums);
    };
    runner_.run(tile, progress, queue, deliver);
    repairSums(coordinates_, term_, tile, sums);
}

}  // namespace glycine::distance::cuda
