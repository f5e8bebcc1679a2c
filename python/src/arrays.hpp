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

/// A matrix of numbers of one type that NumPy holds: where it lies if rows are contiguous and follow each
/// other at any distance, else a copy that is.
template <class T>
struct HeldMatrix {
    py::array held;
    MatrixView<const T> view;
};

/// Throws UsageError for anything but two dimensions, and for types that are no numbers. Numbers of another
/// type are converted by NumPy's rules.
template <class T>
HeldMatrix<T> matrixOf(const char* name, const py::array& given);

/// A matrix on a CUDA device, as the package describes it (glycine._inputs.OnDevice), but for the number of
/// the device. Without memory where `given` is something else, or no matrix of numbers that kernels read.
/// Of more dimensions, the first matrix.
DeviceMatrix deviceMatrix(const py::object& given, std::size_t dimensions = 2);
/// NumPy's array of what is passed in; a copy of what lies on a device.
py::array onHost(const py::object& given);

/// What is on a device as it knows its memory.
std::unique_ptr<DeviceArrays> deviceArraysOf(Backend& backend);
/// Rows of float32 or float64 numbers on a device as doubles.
Matrix<double> rowsOnHost(const DeviceArrays& arrays, const DeviceMatrix& numbers,
                          std::span<const std::size_t> rows);

/// Whether elements lie where the processor takes them from.
bool isAligned(const py::array& array);
/// "float32", "complex128".
std::string typeName(const py::object& array);
/// Throws UsageError unless the array has so many dimensions and holds whole or real numbers.
void requireNumbers(const char* name, const py::array& array, int dimensions);

/// The values of all pairs of a call: in memory of NumPy, or in that of a device where `out` is an array
/// there and `cuda` computes.
class PairResult {
  public:
    /// Reads condensed, dtype and out: an array that takes the result, mapped to a file perhaps. `references`
    /// more than 0: the values of later instances beside so many first ones.
    explicit PairResult(Keywords& keywords, std::size_t references = 0);
    /// `usual`: the type of the values where the call names none. Throws UsageError for an `out` that does
    /// not fit.
    void settle(std::size_t instances, pairs::ValueType usual);
    std::size_t bytes() const { return pairs::storedBytes(layout_, *type_); }
    std::size_t bytesToAllocate(const Backend& backend) const;
    /// Makes the array, or takes the caller's. Takes Python's lock.
    pairs::PairSink& open(Backend& backend, double diagonal, std::vector<double> diagonals = {});
    pairs::PairStore& openOnHost(double diagonal, std::vector<double> diagonals = {});
    /// The array; None where the values are in `out` on a device.
    py::object array() const { return array_; }
    FoundValues found() const;

  private:
    py::tuple shape() const;
    bool staysThere(const Backend& backend) const { return place_ != 0 && backend.name() == "cuda"; }

    pairs::PairLayout layout_;
    std::optional<pairs::ValueType> type_;
    py::object out_;
    std::uintptr_t place_ = 0;  ///< of `out` on a device
    py::object array_ = py::none();
    std::unique_ptr<pairs::PairStore> store_;
    std::unique_ptr<pairs::DeviceStore> there_;
};

/// Instances of some pairs, and these pairs among them alone, as pairNumber counts.
struct FewInstances {
    std::vector<std::size_t> rows;  ///< ascending
    std::vector<std::size_t> pairs;
};
using TakePair = std::function<bool(const pairs::RecountedPair&)>;
/// Counts pairs again of which the host has few instances at a time, a limited number of bytes: values that
/// depend on no others. `count` hands values over as countAgain does.
void countAmongFew(std::span<const std::size_t> pairs, std::size_t bytesOfInstance, const TakePair& take,
                   const std::function<void(const FewInstances&, const TakePair&)>& count);

/// A vector or a matrix as an array; moved, not copied.
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
