#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/core/matrix.hpp"
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

/// Whether elements lie where the processor takes them from.
bool isAligned(const py::array& array);
/// "float32", "complex128".
std::string typeName(const py::array& array);
/// Throws UsageError unless the array has so many dimensions and holds whole or real numbers.
void requireNumbers(const char* name, const py::array& array, int dimensions);

/// The values of all pairs of a call, in memory of NumPy.
class PairResult {
  public:
    /// Reads condensed, dtype and out: an array that takes the result, mapped to a file perhaps. `references`
    /// more than 0: the values of later instances beside so many first ones.
    explicit PairResult(Keywords& keywords, std::size_t references = 0);
    /// The type of the values where the call names none.
    void settle(std::size_t instances, pairs::ValueType usual);
    std::size_t bytesToAllocate() const { return out_.is_none() ? bytes() : 0; }
    /// Makes the array, or takes the caller's. Throws UsageError for one that does not fit.
    py::array array();
    pairs::ValueType type() const { return *type_; }
    pairs::PairLayout layout() const { return layout_; }

  private:
    std::size_t bytes() const { return pairs::storedBytes(layout_, *type_); }

    pairs::PairLayout layout_;
    std::optional<pairs::ValueType> type_;
    py::object out_;
};

/// Memory of an array for PairStore.
std::byte* memoryOf(py::array& array);

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
