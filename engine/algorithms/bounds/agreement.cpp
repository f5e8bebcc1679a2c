#include "engine/algorithms/bounds/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/algorithms/bounds/number_format.hpp"

namespace glycine::bounds {

namespace {

template <class T>
double differenceInAngstrom(T expected, T found) {
    if (isUnknownUpper(expected) && isUnknownUpper(found)) return 0;
    const double difference = std::abs(toAngstrom(expected) - toAngstrom(found));
    if (std::isnan(difference) || isUnknownUpper(expected) != isUnknownUpper(found))
        return std::numeric_limits<double>::infinity();
    return difference;
}

template <class T>
void compareMatrices(MatrixView<T> expected, MatrixView<T> found, bool isUpper, BoundDifference& result) {
    const std::size_t n = expected.rows();
    for (std::size_t i = 0; i < n; ++i) {
        if (std::memcmp(expected.row(i), found.row(i), n * sizeof(T)) == 0) continue;
        result.isEqual = false;
        for (std::size_t j = 0; j < n; ++j) {
            const double difference = differenceInAngstrom(expected(i, j), found(i, j));
            if (difference > result.largest) {
                result.largest = difference;
                result.isUpper = isUpper;
                result.i = i;
                result.j = j;
            }
        }
    }
}

template <class T>
double largestFinite(MatrixView<T> matrix) {
    double largest = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < matrix.columns(); ++j)
            if (!isUnknownUpper(matrix(i, j))) largest = std::max(largest, toAngstrom(matrix(i, j)));
    return largest;
}

}  // namespace

bool takesReferenceOrder(Variant variant) {
    switch (variant) {
        case Variant::Serial:
        case Variant::Scalar:
        case Variant::ScalarShaderCoords:
        case Variant::Copy:
        case Variant::Triangle:
        case Variant::Packed:
        case Variant::PackedBranch:
        case Variant::Naive:
            return true;
        default:
            return false;
    }
}

double allowedDifference(NumberFormat format, Variant variant, bool isConsistent, std::size_t atoms,
                         double largest) {
    if (isConsistent && takesReferenceOrder(variant)) return 0;
    return pathRoundingBound(format, atoms, largest);
}

double largestFiniteBound(const AnyBoundMatrices& matrices) {
    return std::visit(
        [](const auto& typed) {
            const double upper = largestFinite(typed.upper);
            return typed.hasLower() ? std::max(upper, largestFinite(typed.lower)) : upper;
        },
        matrices);
}

std::string BoundDifference::place() const {
    return fmt::format("{} bound of ({}, {})", isUpper ? "upper" : "lower", i, j);
}

BoundDifference compareBounds(const AnyBoundMatrices& expected, const AnyBoundMatrices& found) {
    return std::visit(
        [&found]<class T>(const BoundMatrices<T>& typed) {
            const auto& other = std::get<BoundMatrices<T>>(found);
            BoundDifference result;
            compareMatrices(typed.upper, other.upper, true, result);
            if (typed.hasLower()) compareMatrices(typed.lower, other.lower, false, result);
            return result;
        },
        expected);
}

}  // namespace glycine::bounds
