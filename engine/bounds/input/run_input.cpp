#include "engine/bounds/input/run_input.hpp"

#include <utility>
#include <variant>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/core/pair_squares.hpp"

namespace glycine::bounds {

namespace {

template <class T>
void mirror(MatrixView<T> mixed) {
    visitAllPairs(mixed.rows(), [&](std::size_t i, std::size_t j) { mixed(j, i) = mixed(i, j); });
}

/// Returns the input, and completes the result.
template <class T>
Matrix<T> separate(MatrixView<T> mixed) {
    const std::size_t n = mixed.rows();
    Matrix<T> input(n, n);
    visitAllPairs(n, [&](std::size_t i, std::size_t j) {
        input(i, j) = input(j, i) = mixed(j, i);
        mixed(j, i) = mixed(i, j);
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
                         static_cast<double>(available_ ? *available_ : availableHostMemory().bytes);
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
