#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/device_arrays.hpp"
#include "engine/core/matrix.hpp"
#include "engine/pairs/device_store.hpp"
#include "engine/pairs/pair_store.hpp"
#include "python/src/call.hpp"

namespace glycine::python {

/// A matrix held by NumPy: the original memory if its rows are contiguous, at any stride; otherwise a copy.
template <class T>
struct NumpyMatrix {
    py::array held;
    MatrixView<const T> view;
};

/// Throws UsageError unless the array has two dimensions and holds numbers. Converts other number types by
/// NumPy's rules.
template <class T>
NumpyMatrix<T> matrixOf(const char* name, const py::array& given);

/// Throws UsageError unless the matrix is a symmetric square, apart from rounding; NaN equals NaN. Works
/// without Python's lock.
template <class T>
void requireAllPairs(const char* name, MatrixView<const T> values);

/// A matrix on a CUDA device, from glycine._inputs.OnDevice, without the device's index. Has no memory if
/// `given` is something else, or not a matrix of numbers that kernels can read. With more dimensions, the
/// first matrix.
DeviceMatrix deviceMatrix(const py::object& given, std::size_t dimensions = 2);
/// Returns a NumPy array of the argument; copies device memory to the host.
py::array onHost(const py::object& given);

/// Access to device arrays for a backend that owns the device's memory.
std::unique_ptr<DeviceArrays> deviceArraysOf(Backend& backend);
/// Copies rows of float32 or float64 numbers from a device, as doubles.
Matrix<double> rowsOnHost(const DeviceArrays& arrays, const DeviceMatrix& numbers,
                          std::span<const std::size_t> rows);

/// Whether elements are aligned for the processor.
bool isAligned(const py::array& array);
/// "float32", "complex128".
std::string typeName(const py::object& array);
/// Throws UsageError unless the array has `dimensions` dimensions and holds integers or real numbers.
void requireNumbers(const char* name, const py::array& array, int dimensions);

/// The values of all pairs of a call: in NumPy's memory, or in device memory if `out` is an array there and
/// `cuda` computes.
class PairTarget {
  public:
    /// Reads condensed, dtype and out, an array for the result, which may be mapped to a file. If
    /// `references` > 0, values are those of later instances with the first `references` ones.
    explicit PairTarget(Keywords& keywords, std::size_t references = 0);
    /// `usual`: type of the values if the call does not specify one. Acquires Python's lock. Throws
    /// UsageError if `out` does not fit.
    void settle(std::size_t instances, pairs::ValueType usual);
    std::size_t bytes() const { return pairs::storedBytes(layout_, *type_); }
    std::size_t bytesToAllocate(const Backend& backend) const;
    /// Creates the array, or uses the caller's. Acquires Python's lock.
    pairs::PairSink& open(Backend& backend, double diagonal, std::vector<double> diagonals = {});
    pairs::PairStore& openOnHost(double diagonal, std::vector<double> diagonals = {});
    /// The array; None if the values are in `out` on a device.
    py::object array() const { return array_; }
    FoundValues found() const;

  private:
    py::tuple shape() const;
    bool staysOnDevice(const Backend& backend) const { return place_ != 0 && backend.name() == "cuda"; }

    pairs::PairLayout layout_;
    std::optional<pairs::ValueType> type_;
    py::object out_;
    std::uintptr_t place_ = 0;  ///< address of `out` on a device
    py::object array_ = py::none();
    std::unique_ptr<pairs::PairStore> store_;
    std::unique_ptr<pairs::DeviceStore> deviceStore_;
};

/// Wraps a vector or a matrix in an array; moves it instead of copying.
template <class Owner>
py::array arrayOf(Owner values, const std::vector<std::size_t>& shape) {
    auto* const kept = new Owner(std::move(values));
    const py::capsule owner(kept, [](void* pointer) { delete static_cast<Owner*>(pointer); });
    return py::array_t<std::remove_cvref_t<decltype(*kept->data())>>(shape, kept->data(), owner);
}
template <class T>
py::array arrayOf(std::vector<T> values) {
    const std::size_t count = values.size();
    return arrayOf(std::move(values), {count});
}
template <class T>
py::array arrayOf(Matrix<T> values) {
    const std::size_t rows = values.rows(), columns = values.columns();
    return arrayOf(std::move(values), {rows, columns});
}

}  // namespace glycine::python
