#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/io/arrays/hdf5.hpp"

namespace glycine::io {

/// A matrix in an HDF5 file: a two-dimensional dataset, or a group that holds the entries of a sparse one as
/// AnnData writes them, by rows (CSR) or by columns (CSC).
class Hdf5Matrix {
  public:
    /// Throws InputError, naming file and object, where there is none, for elements that are no numbers,
    /// other than two dimensions, and parts of a sparse matrix that do not fit each other.
    Hdf5Matrix(const Hdf5File& file, const std::string& name);

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    /// "dense", "CSR, 1,234 stored values".
    std::string form() const;

    /// All of it, or its transpose, read in blocks of some MiB: besides the result there is never more than
    /// such a block, or one of the pieces in which the file holds it. What a sparse matrix has no entry for
    /// is 0; NaN stays. Throws MemoryError where the machine has no room for it, InputError for elements that
    /// cannot be read or are infinite, and entries beyond the matrix or there twice; CancelledError.
    Matrix<double> read(bool isTransposed) const;

  private:
    /// Entries of lines that follow each other: rows of a CSR matrix, columns of a CSC matrix.
    struct Sparse {
        bool isByColumns = false;
        std::unique_ptr<Hdf5Dataset> values;
        std::unique_ptr<Hdf5Dataset> indices;
        std::vector<std::int64_t> begins;  ///< of each line; one more at the end
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

/// The names of all objects that an Hdf5Matrix can be made of, in the order of the file's names.
std::vector<std::string> matricesOf(const Hdf5File& file);

}  // namespace glycine::io
