#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_output.hpp"

/// Result files of all-pairs commands, told by their names.
namespace glycine::pairs {

/// What a result file is. Chosen by its name.
enum class MatrixFormat {
    Npy,     ///< .npy: N × N, or the N(N−1)/2 pairs in SciPy's condensed form; with NAME.npy.names beside
    Npz,     ///< .npz: `values` as in .npy, `names` and more
    Csv,     ///< .csv: names in the first row and column
    Tsv,     ///< .tsv: the same with tabs
    Molten,  ///< .tsv with `molten`: name, name, value, a line a pair
    Phylip,  ///< .phy, .phylip, .phylip.dist: distances alone
};
enum class MatrixShape {
    Square,    ///< both halves, and the diagonal
    Triangle,  ///< each pair once; in text with the diagonal, but for PHYLIP
};
constexpr auto namesOf(MatrixShape) {
    return namesAre<MatrixShape>("shape",
                                 {{MatrixShape::Square, "square"}, {MatrixShape::Triangle, "triangle"}});
}
struct MatrixFileOptions {
    MatrixShape shape = MatrixShape::Square;
    bool molten = false;
    bool areDistances = false;  ///< PHYLIP's endings are known
    bool hasPictures = false;   ///< those of pictures are told among the known ones
};

/// Standard output is .tsv. Throws UsageError for a name whose ending stands for no format, or `molten` of
/// anything but .tsv.
MatrixFormat matrixFormat(const std::filesystem::path& path, const MatrixFileOptions& options);

/// The layout in which a store holds a file's elements as the file has them.
StoreLayout layoutOf(MatrixFormat format, const MatrixFileOptions& options);

/// The files that writing `path` makes: two for .npy.
std::vector<std::filesystem::path> matrixFiles(const std::filesystem::path& path, MatrixFormat format);

/// Throws InputError for names that one of the files cannot hold: before anything is computed.
void checkNames(const std::vector<std::string>& outputs, const MatrixFileOptions& options,
                std::span<const std::string> names);

/// Writes one result, atomically and row by row. `more`: texts that .npz files have besides.
void writeMatrixFile(const std::filesystem::path& path, const MatrixFileOptions& options,
                     const PairFile& file, const std::vector<std::pair<std::string, std::string>>& more);

/// What a run writes: its results, and where `drawing` is not empty what drawing it makes. Throws UsageError
/// for names whose endings stand for no format.
std::vector<std::filesystem::path> filesToWrite(const std::vector<std::string>& outputs,
                                                const MatrixFileOptions& options, const std::string& drawing,
                                                bool isClustered);

/// Writes the results of a run. Of the one that `values` become, the names alone.
void writeMatrixFiles(const PairOutput& values, const std::vector<std::string>& outputs,
                      const MatrixFileOptions& options, const std::vector<std::string>& names,
                      const std::vector<std::pair<std::string, std::string>>& more, Progress& progress);

}  // namespace glycine::pairs
