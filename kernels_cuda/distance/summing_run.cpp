#include "kernels_cuda/distance/summing_run.hpp"

#include <type_traits>

#include "kernels_cuda/distance/device_counting.hpp"

namespace glycine::distance::cuda {

namespace {

template <class Number>
constexpr Precision precisionOf() {
    return std::is_same_v<Number, float> ? Precision::Float32 : Precision::Float64;
}

}  // namespace

pairs::cuda::TileDemand summingDemand(std::size_t instances, std::size_t attributes, Precision precision) {
    const std::size_t words = precision == Precision::Float64 ? 2 * attributes : attributes;
    return {instances, words, 1, [](std::size_t side, std::size_t) { return side * side * sizeof(double); }};
}

template <class Number>
CudaSummingRun<Number>::CudaSummingRun(glycine::cuda::CudaBackend& backend,
                                       MatrixView<const Number> coordinates, SumTerm term)
    : CudaSummingRun(backend, coordinates, term,
                     pairs::cuda::planTiles(
                         summingDemand(coordinates.rows(), coordinates.columns(), precisionOf<Number>()),
                         backend.memory().available())) {}

template <class Number>
CudaSummingRun<Number>::CudaSummingRun(glycine::cuda::CudaBackend& backend,
                                       MatrixView<const Number> coordinates, SumTerm term,
                                       const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      coordinates_(coordinates),
      term_(term),
      runner_(backend, pairs::cuda::operandsOf(coordinates), plan),
      sums_(backend.memory(), pairs::cuda::paddedSide(plan.side) * pairs::cuda::paddedSide(plan.side)),
      stride_(pairs::cuda::paddedSide(plan.side)) {}

template <class Number>
void CudaSummingRun<Number>::sum(const PairTile& tile, MatrixView<double> sums, Progress& progress) {
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        glycine::cuda::sumTerms(backend_, window, {.term = term_, .isDouble = std::is_same_v<Number, double>},
                                accumulate, {sums_.data(), stride_}, work, stream, report);
    };
    const auto deliver = [&](const pairs::cuda::TileRunner::Piece& piece) {
        pairs::cuda::downloadPiece<double>(backend_.transfer(), sums_.data(), stride_, piece, sums);
    };
    runner_.run(tile, progress, queue, deliver);
    if constexpr (std::is_same_v<Number, float>) repairSums(coordinates_, term_, tile, sums);
}

template class CudaSummingRun<float>;
template class CudaSummingRun<double>;

}  // namespace glycine::distance::cuda
