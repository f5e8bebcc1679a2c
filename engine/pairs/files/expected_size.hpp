#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/pairs/files/matrix_file.hpp"
#include "engine/pairs/pair_layout.hpp"
#include "engine/storage/disk_space.hpp"

/// Bounds of the sizes of files of all pairs, before there are values.
namespace glycine::pairs {

/// What is known of the values.
struct ExpectedValues {
    std::span<const std::string> names;  ///< of the instances
    ValueType type = ValueType::Float64;
    std::size_t references = 0;  ///< if above 0, of a rectangle: its columns
    /// No whole number is larger; infinity if whole numbers may be negative, too.
    double largest = std::numeric_limits<double>::infinity();
};

/// Bounds of a file that writeMatrixFile or writeRectangle… writes: exact up to names and heads for arrays.
/// Text takes from one character per value to the most digits of its type; packed files may take less, down
/// to nothing.
storage::ExpectedFile expectedFile(const std::filesystem::path& path, MatrixFormat format, MatrixShape shape,
                                   const ExpectedValues& values);
/// The files of a run.
std::vector<storage::ExpectedFile> expectedFiles(const std::vector<std::string>& outputs,
                                                 const MatrixFileOptions& options,
                                                 const ExpectedValues& values);

}  // namespace glycine::pairs
