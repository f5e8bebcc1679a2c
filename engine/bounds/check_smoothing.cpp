#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/check_shapes.hpp"
#include "engine/bounds/symmetry.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

template <class T>
void checkShapesOf(const BoundMatrices<T>& matrices) {
    const MatrixView<T> upper = matrices.upper;
    const MatrixView<T> lower = matrices.lower;
    if (upper.empty())
        throw InputError("the upper bounds are empty; expected an n x n matrix with n of at least 1");
    if (upper.rows() != upper.columns())
        throw InputError(fmt::format("the upper bounds are a {} x {} matrix; expected a square one",
                                     upper.rows(), upper.columns()));
    checkView("the upper bounds", upper);
    checkView("the lower bounds", lower);
    if (!matrices.hasLower()) return;
    if (lower.rows() != upper.rows() || lower.columns() != upper.columns())
        throw InputError(fmt::format(
            "the lower bounds are a {} x {} matrix, the upper bounds {} x {}; expected equal sizes",
            lower.rows(), lower.columns(), upper.rows(), upper.columns()));
    if (lower.data() == upper.data())
        throw UsageError("the upper and the lower bounds are one memory; expected a matrix for each");
}

/// The diagonal becomes 0 whatever it is.
template <class T, class Accepts>
void checkElements(std::string_view what, MatrixView<T> matrix, std::string_view expected,
                   const Accepts& accepts) {
    const std::size_t n = matrix.rows();
    std::size_t first = n;
#pragma omp parallel for schedule(static) reduction(min : first) if (n >= 512)
    for (std::size_t i = 0; i < n; ++i) {
        const T* const row = matrix.row(i);
        bool all = true;
        for (std::size_t j = 0; j < i; ++j) all &= accepts(row[j]);
        for (std::size_t j = i + 1; j < n; ++j) all &= accepts(row[j]);
        if (!all && i < first) first = i;
    }
    for (std::size_t j = 0; first < n && j < n; ++j)
        if (j != first && !accepts(matrix(first, j)))
            throw InputError(
                fmt::format("{}: ({}, {}) is {}; expected {}", what, first, j, matrix(first, j), expected));
    if (const auto place = findAsymmetry<T>(matrix))
        throw InputError(fmt::format("{}: not symmetric: ({}, {}) is {}, ({}, {}) is {}", what, place->row,
                                     place->column, matrix(place->row, place->column), place->column,
                                     place->row, matrix(place->column, place->row)));
}

}  // namespace

void checkShapes(const AnyBoundMatrices& matrices) {
    std::visit([](const auto& typed) { checkShapesOf(typed); }, matrices);
}

void checkSmoothing(const AnyBoundMatrices& matrices, const SmoothingOptions& options) {
    checkKnown(options.variant);
    checkKnown(options.rounding);
    checkNumber("the tolerance of violations", options.tolerance,
                std::isfinite(options.tolerance) && options.tolerance >= 0,
                "a finite number of Å, at least 0");
    checkShapes(matrices);
    const auto check = []<class T>(const BoundMatrices<T>& typed) {
        checkElements("the upper bounds", typed.upper,
                      fmt::format("a bound from 0 to {}, which stands for unknown", kUnknownUpper<T>),
                      [](T bound) { return bound >= 0 && bound <= kUnknownUpper<T>; });
        if (typed.hasLower())
            checkElements("the lower bounds", typed.lower,
                          fmt::format("a bound of at least 0 and below {}", kUnknownUpper<T>),
                          [](T bound) { return bound >= 0 && bound < kUnknownUpper<T>; });
    };
    std::visit(check, matrices);
}

}  // namespace glycine::bounds
