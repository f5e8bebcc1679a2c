#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"

namespace glycine::io {

/// What is read of an HDF5 file: genes × samples.
struct Hdf5Expression {
    Matrix<double> values;
    std::vector<std::string> genes;    ///< empty where the file has no names
    std::vector<std::string> samples;  ///< the same
    std::string note;                  ///< "'layers/counts', CSR, 1,234 stored values"
};

/// Told before any value is read; may be empty.
using SizeCheck = std::function<void(std::size_t genes, std::size_t samples)>;

/// An AnnData file (.h5ad): samples (cells) × genes, named by the index columns of `obs` and `var`. `layer`:
/// one of `layers`, "raw" for raw/X, or nothing for X. Values are read block by block into the result, so
/// that no second copy of them is made.
///
/// Source: the AnnData specification of files on disk, versions 0.1.0 and 0.2.0 of its encodings, and what
/// AnnData 0.7 wrote.
///
/// `checkGenes` is handed the names of genes and the dataset that holds them, before any value is read.
///
/// Throws InputError as Hdf5Matrix, for a file without obs or var, names that do not fit the matrix, and an
/// unknown layer; MemoryError; what checkGenes and checkSize throw.
Hdf5Expression readAnnData(
    const std::filesystem::path& path, const std::string& layer,
    const std::function<void(const std::vector<std::string>& genes, const std::string& dataset)>& checkGenes,
    const SizeCheck& checkSize = {});

/// A matrix of any HDF5 file, a row a gene (`isTransposed`: a column). `dataset`: its name, or nothing where
/// the file holds a single one. Throws InputError as Hdf5Matrix, or naming all matrices where several could
/// be meant; MemoryError; what checkSize throws.
Hdf5Expression readHdf5Expression(const std::filesystem::path& path, const std::string& dataset,
                                  bool isTransposed, const SizeCheck& checkSize = {});

}  // namespace glycine::io
