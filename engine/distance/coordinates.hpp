#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include "engine/core/matrix.hpp"
#include "engine/core/precision.hpp"
#include "engine/distance/terms.hpp"

/// Coordinates: real numbers, as an input holds them and as they are computed with.
namespace glycine::distance {

/// Instances × attributes of finite numbers of either precision, in somebody else's memory.
class CoordinateView {
  public:
    CoordinateView() = default;
    template <class Number>
    CoordinateView(MatrixView<Number> numbers) : numbers_(MatrixView<const Number>(numbers)) {}

    /// Calls use(numbers) with them as what they are, a MatrixView<const float> or <const double>.
    template <class Use>
    decltype(auto) visit(Use&& use) const {
        return std::visit(std::forward<Use>(use), numbers_);
    }
    std::size_t rows() const {
        return visit([](const auto& numbers) { return numbers.rows(); });
    }
    std::size_t columns() const {
        return visit([](const auto& numbers) { return numbers.columns(); });
    }
    Precision precision() const { return numbers_.index() == 0 ? Precision::Float32 : Precision::Float64; }
    /// Throws std::bad_variant_access for the other precision.
    template <class Number>
    MatrixView<const Number> as() const {
        return std::get<MatrixView<const Number>>(numbers_);
    }

  private:
    std::variant<MatrixView<const float>, MatrixView<const double>> numbers_;
};

/// The same with memory of its own.
using CoordinateMatrix = std::variant<Matrix<float>, Matrix<double>>;
CoordinateView viewOf(const CoordinateMatrix& coordinates);

}  // namespace glycine::distance
