#include "engine/distance/device_coordinates.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace glycine::distance {

DeviceCoordinates::DeviceCoordinates(std::shared_ptr<const DeviceArrays> arrays, const DeviceMatrix& matrix)
    : arrays_(std::move(arrays)), matrix_(matrix), summary_(arrays_->summarize(matrix)) {}

CoordinateMatrix DeviceCoordinates::rowsOnHost(std::span<const std::size_t> rows) const {
    CoordinateMatrix copy;
    if (matrix_.itemBytes == sizeof(double))
        copy.emplace<Matrix<double>>(rows.size(), matrix_.columns);
    else
        copy.emplace<Matrix<float>>(rows.size(), matrix_.columns);
    std::visit([&](auto& numbers) { arrays_->copyRows(matrix_, rows, numbers.data()); }, copy);
    return copy;
}

const CoordinateView& DeviceCoordinates::onHost() const {
    std::call_once(copied_, [this] {
        std::vector<std::size_t> all(matrix_.rows);
        std::iota(all.begin(), all.end(), std::size_t{0});
        copy_ = rowsOnHost(all);
        onHost_ = viewOf(copy_);
    });
    return onHost_;
}

CoordinateView::CoordinateView(const DeviceCoordinates& device) : device_(&device) {
    const DeviceMatrix& matrix = device.matrix();
    if (matrix.itemBytes == sizeof(double))
        numbers_ = MatrixView<const double>(nullptr, matrix.rows, matrix.columns);
    else
        numbers_ = MatrixView<const float>(nullptr, matrix.rows, matrix.columns);
}

const CoordinateView::Numbers& CoordinateView::onHost() const {
    return device_->onHost().numbers_;
}

}  // namespace glycine::distance
