#pragma once

#include <cstdint>

#include "engine/core/device_matrix.hpp"

namespace glycine::cuda {

/// A DeviceMatrix in the form that kernels read.
template <class Number>
struct NumbersOnDevice {
    const char* data;
    std::ptrdiff_t rowStep, columnStep;
    __device__ const Number* place(std::size_t row, std::size_t column) const {
        return reinterpret_cast<const Number*>(data + std::ptrdiff_t(row) * rowStep +
                                               std::ptrdiff_t(column) * columnStep);
    }
    __device__ Number at(std::size_t row, std::size_t column) const { return *place(row, column); }
};

template <class Number>
NumbersOnDevice<Number> numbersOnDevice(const DeviceMatrix& matrix) {
    return {static_cast<const char*>(matrix.data), matrix.rowStep, matrix.columnStep};
}

/// Calls use(numbers) with real numbers as float or double.
template <class Use>
void visitReal(const DeviceMatrix& matrix, const Use& use) {
    if (matrix.itemBytes == sizeof(double))
        use(numbersOnDevice<double>(matrix));
    else
        use(numbersOnDevice<float>(matrix));
}

/// The same for any numbers that isReadable() accepts.
template <class Use>
void visitNumbers(const DeviceMatrix& matrix, const Use& use) {
    const auto sized = [&](auto one, auto two, auto four, auto eight) {
        switch (matrix.itemBytes) {
            case 1:
                return use(numbersOnDevice<decltype(one)>(matrix));
            case 2:
                return use(numbersOnDevice<decltype(two)>(matrix));
            case 4:
                return use(numbersOnDevice<decltype(four)>(matrix));
            default:
                return use(numbersOnDevice<decltype(eight)>(matrix));
        }
    };
    if (matrix.kind == 'f')
        visitReal(matrix, use);
    else if (matrix.kind == 'i')
        sized(std::int8_t(), std::int16_t(), std::int32_t(), std::int64_t());
    else
        sized(std::uint8_t(), std::uint16_t(), std::uint32_t(), std::uint64_t());
}

}  // namespace glycine::cuda
