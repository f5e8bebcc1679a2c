#include "kernels_cuda/mutualinfo/device_run.hpp"

#include <cmath>
#include <utility>

namespace glycine::mutualinfo::cuda {

using glycine::cuda::InformationMethod;

namespace {

glycine::cuda::InformationShape shapeOf(const InformationRequest& request, bool isComplete) {
    return {splineShape(request.splines), request.genes, request.samples, isComplete};
}

}  // namespace

InformationMethod methodOf(const InformationRequest& request) {
    if (request.variant == Variant::Cudami) return InformationMethod::Published;
    switch (request.precision) {
        case Precision::Float32:
            return InformationMethod::Float32;
        case Precision::Tf32:
            return InformationMethod::Tf32;
        case Precision::Float16:
            return InformationMethod::Float16;
        default:
            return InformationMethod::Float64;
    }
}

glycine::cuda::SplineShape splineShape(const SplineOptions& splines) {
    return {static_cast<unsigned>(splines.bins), static_cast<unsigned>(splines.order),
            splines.knots == Knots::Uniform};
}

pairs::cuda::TileDemand informationDemand(const glycine::cuda::CudaBackend& backend,
                                          const InformationRequest& request) {
    const InformationMethod method = methodOf(request);
    return {request.genes, 2 * request.samples, 1,
            [&backend, method, shape = shapeOf(request, false)](std::size_t side, std::size_t) {
                return side * side * sizeof(double) +
                       glycine::cuda::bytesForInformation(backend, method, shape, side);
            }};
}

DeviceRun::DeviceRun(glycine::cuda::CudaBackend& backend, ExpressionView expression,
                     const InformationRequest& request)
    : DeviceRun(backend, request, std::make_unique<PositionOperands>(expression, request.splines),
                pairs::cuda::planTiles(informationDemand(backend, request), backend.memory().available())) {}

DeviceRun::DeviceRun(glycine::cuda::CudaBackend& backend, const InformationRequest& request,
                     std::unique_ptr<PositionOperands> positions, const pairs::cuda::TilePlan& plan)
    : backend_(backend),
      variant_(request.variant == Variant::Cudami ? Variant::Cudami : Variant::Gemm),
      positions_(*positions),
      runner_(backend, std::move(positions), plan),
      stride_(pairs::cuda::paddedSide(plan.side)),
      results_(backend.memory(), stride_ * stride_),
      information_(glycine::cuda::makeInformation(backend, methodOf(request),
                                                  shapeOf(request, positions_.areComplete()), stride_)) {}

void DeviceRun::compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                        Progress& progress) {
    const MatrixView<double> values = results.front();
    const auto queue = [this](const glycine::cuda::PairWindow& window, glycine::cuda::Accumulate accumulate,
                              double work, const glycine::cuda::Stream& stream,
                              glycine::cuda::PacedReport& report) {
        information_->add(window, accumulate, {results_.data(), stride_}, work, stream, report);
    };
    const auto deliver = [&](const pairs::cuda::TileRunner::Piece& piece) {
        pairs::cuda::downloadPiece<double>(backend_.transfer(), results_.data(), stride_, piece, values);
    };
    runner_.run(tile, progress, queue, deliver);
    // Rounding may leave a trace of a constant gene.
    const auto clear = [&](std::size_t r, std::size_t c) {
        if (!std::isnan(values(r, c))) values(r, c) = 0;
    };
    for (std::size_t r = 0; r < values.rows(); ++r)
        if (positions_.isConstant(tile.rows.begin + r))
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : values.columns()); ++c) clear(r, c);
    for (std::size_t c = 0; c < values.columns(); ++c)
        if (positions_.isConstant(tile.columns.begin + c))
            for (std::size_t r = tile.isDiagonal() ? c + 1 : 0; r < values.rows(); ++r) clear(r, c);
}

}  // namespace glycine::mutualinfo::cuda
