#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/arrays/hdf5.hpp"

namespace glycine::io {

/// A matrix in an HDF5 file: a two-dimensional dataset, or a group with the entries of a sparse matrix as
/// AnnData writes them, by rows (CSR) or by columns (CSC).
class Hdf5Matrix {
  public:
    /// Throws InputError, naming file and object, if the object does not exist, has elements that are no
    /// numbers, or is not two-dimensional, or if the parts of a sparse matrix do not fit each other.
    Hdf5Matrix(const Hdf5File& file, const std::string& name);

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    /// "dense", "CSR, 1,234 stored values".
    std::string form() const;

    /// Reads the whole matrix, or its transpose, in blocks of some MiB. Besides the result, memory never
    /// holds more than one block or one of the file's chunks. Positions without an entry in a sparse matrix
    /// are 0; NaN stays. Throws MemoryError if memory is insufficient. Throws InputError for elements that
    /// cannot be read or are infinite, and for entries beyond the matrix or repeated ones. Throws
    /// CancelledError.
    Matrix<double> read(bool isTransposed) const;

  private:
    /// Entries of consecutive lines: rows of a CSR matrix, columns of a CSC matrix.
    struct Sparse {
        bool isByColumns = false;
        std::unique_ptr<Hdf5Dataset> values;
        std::unique_ptr<Hdf5Dataset> indices;
        std::vector<std::int64_t> begins;  ///< start of each line; one more at the end
    };
    static Sparse openSparse(const Hdf5File& file, const std::string& name, bool isByColumns,
                             std::size_t lines);
    class Target;
    void readDense(Target& target) const;
    void readSparse(Target& target) const;

    std::string place_;  ///< "cells.h5ad: 'layers/counts'"
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::unique_ptr<Hdf5Dataset> dense_;
    std::optional<Sparse> sparse_;
};

/// The names of all objects that Hdf5Matrix accepts, in the order of the file's names.
std::vector<std::string> matricesOf(const Hdf5File& file);

}  // namespace glycine::io
