#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

#include "engine/core/matrix.hpp"
#include "engine/core/precision.hpp"

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

/// What is summed over the attributes of a pair of coordinate rows.
enum class SumTerm { AbsoluteDifference, SquaredDifference };

/// What became of coordinates that were rounded before their differences were taken. Let δ_k be the largest
/// rounding of attribute k; then the differences of a pair are off by a vector e with |e_k| ≤ 2δ_k.
struct CoordinateRounding {
    double largest = 0;    ///< of one coordinate: the largest δ_k
    double manhattan = 0;  ///< 2 Σ δ_k: by how much Σ|a − b| can change
    double euclidean = 0;  ///< 2 √Σ δ_k²: by how much √Σ(a − b)² can change, by the triangle inequality

    /// By how much a sum with this exact value can change; of squares, |√S + E|² − S for E = euclidean.
    double ofSum(SumTerm term, double sum) const {
        return term == SumTerm::AbsoluteDifference ? manhattan : euclidean * (2 * std::sqrt(sum) + euclidean);
    }
};

}  // namespace glycine::distance
