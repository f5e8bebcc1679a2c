#include "engine/bounds/input/run_input.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/tiling.hpp"

namespace glycine::bounds {

namespace {

/// Calls visit(i, j) for all j < i < n, in parallel, in squares of which the first-level cache holds two.
template <class Visit>
void visitBelowDiagonal(std::size_t n, const Visit& visit) {
    constexpr std::size_t kSide = 32;
    const std::vector<Range> squares = splitRange(n, kSide);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t row = 0; row < squares.size(); ++row)
        for (std::size_t column = 0; column <= row; ++column)
            for (std::size_t i = squares[row].begin; i < squares[row].end; ++i)
                for (std::size_t j = squares[column].begin; j < std::min(i, squares[column].end); ++j)
                    visit(i, j);
}

template <class T>
void mirror(MatrixView<T> mixed) {
    visitBelowDiagonal(mixed.rows(), [&](std::size_t i, std::size_t j) { mixed(i, j) = mixed(j, i); });
}

/// Returns the input, and completes the result.
template <class T>
Matrix<T> separate(MatrixView<T> mixed) {
    const std::size_t n = mixed.rows();
    Matrix<T> input(n, n);
    visitBelowDiagonal(n, [&](std::size_t i, std::size_t j) {
        input(i, j) = input(j, i) = mixed(i, j);
        mixed(i, j) = mixed(j, i);
    });
    for (std::size_t i = 0; i < n; ++i) input(i, i) = 0;
    return input;
}

}  // namespace

AnyBoundMatrices RunInput::half() {
    return whole_ ? viewBounds(*whole_) : mixed_.value();
}

bool RunInput::canBeWhole() const {
    return whole_ || bytesForBounds(numberFormat(mixed_.value()), atomCount(*mixed_)) <=
                         static_cast<double>(available_);
}

AnyBoundMatrices RunInput::whole() {
    if (!whole_) {
        whole_ = std::visit(
            []<class T>(const BoundMatrices<T>& mixed) {
                return AnyOwnedBounds(OwnedBounds<T>{separate(mixed.upper),
                                                     mixed.hasLower() ? separate(mixed.lower) : Matrix<T>()});
            },
            mixed_.value());
        mixed_.reset();
    }
    return viewBounds(*whole_);
}

void RunInput::completeResult() {
    if (mixed_)
        std::visit(
            []<class T>(const BoundMatrices<T>& mixed) {
                mirror(mixed.upper);
                if (mixed.hasLower()) mirror(mixed.lower);
            },
            *mixed_);
    mixed_.reset();
}

}  // namespace glycine::bounds
