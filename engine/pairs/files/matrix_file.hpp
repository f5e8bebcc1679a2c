#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_output.hpp"

/// Result files of all-pairs commands, recognised by their names.
namespace glycine::pairs {

/// The format of a result file, chosen by its name.
enum class MatrixFormat {
    Npy,  ///< .npy: N × N, or the N(N−1)/2 pairs in SciPy's condensed form; with NAME.npy.names next to it
    Npz,  ///< .npz: `values` as in .npy, `names` and more
    Csv,  ///< .csv: names in the first row and column
    Tsv,  ///< .tsv: the same with tabs
    Molten,  ///< .tsv with `molten`: name, name, value; one line per pair
    Phylip,  ///< .phy, .phylip, .phylip.dist: only for distances
};
enum class MatrixShape {
    Square,    ///< both halves, and the diagonal
    Triangle,  ///< each pair once; text formats except PHYLIP include the diagonal
};
constexpr auto namesOf(MatrixShape) {
    return namesAre<MatrixShape>("shape",
                                 {{MatrixShape::Square, "square"}, {MatrixShape::Triangle, "triangle"}});
}
struct MatrixFileOptions {
    MatrixShape shape = MatrixShape::Square;
    bool molten = false;
    bool areDistances = false;  ///< PHYLIP's endings are accepted
    bool hasPictures = false;   ///< messages list the endings of pictures, too
};

/// Standard output is .tsv. Throws UsageError if the ending denotes no format, and for `molten` with any
/// other format than .tsv.
MatrixFormat matrixFormat(const std::filesystem::path& path, const MatrixFileOptions& options);

/// The layout in which a store holds the elements as the file does.
StoreLayout layoutOf(MatrixFormat format, const MatrixFileOptions& options);

/// The files written for `path`: two for .npy.
std::vector<std::filesystem::path> matrixFiles(const std::filesystem::path& path, MatrixFormat format);

/// Throws InputError for names that one of the files cannot hold. Call it before computing.
void checkNames(const std::vector<std::string>& outputs, const MatrixFileOptions& options,
                std::span<const std::string> names);

/// Writes one result, atomically and row by row. `more`: further texts for .npz files.
void writeMatrixFile(const std::filesystem::path& path, const MatrixFileOptions& options,
                     const PairFile& file, const std::vector<std::pair<std::string, std::string>>& more);

/// The files that a run writes: its results, and those of the picture if `drawing` is not empty. Throws
/// UsageError for names whose endings denote no format.
std::vector<std::filesystem::path> filesToWrite(const std::vector<std::string>& outputs,
                                                const MatrixFileOptions& options, const std::string& drawing,
                                                bool isClustered);

/// Writes the results of a run. For the file that `values` become, writes only the names.
void writeMatrixFiles(const PairOutput& values, const std::vector<std::string>& outputs,
                      const MatrixFileOptions& options, const std::vector<std::string>& names,
                      const std::vector<std::pair<std::string, std::string>>& more, Progress& progress);

}  // namespace glycine::pairs
