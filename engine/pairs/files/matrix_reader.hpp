#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Matrices of all-pairs values, written by Glycine or other programs.
namespace glycine::pairs {

/// Description of a matrix, known before its values are read.
struct MatrixHead {
    std::size_t instances = 0;
    std::vector<std::string> names;
    std::string description;  ///< one line: "mutual information of 250 genes in mi.npy"
};

/// Words for messages.
struct MatrixWords {
    std::string quantity = "distance";         ///< what a pair's value is: "mutual information"
    std::string instance = "sequence";         ///< "gene"
    std::string command = "glycine pairwise";  ///< the command that writes such files
    bool areDistances = true;                  ///< PHYLIP's endings are accepted
};

/// Throws InputError for a name that is empty or not unique. `source` begins the message; `instance` has the
/// name: "sequence".
void requireDistinctNames(std::string_view source, std::string_view instance,
                          std::span<const std::string> names);

/// A file with N × N non-negative values: .npy (names in NAME.npy.names, if it exists), .npz (`values`,
/// `names`), .tsv or .csv (names in the first row and column; all columns, or up to the diagonal; also with
/// .gz), .phy, .phylip, .dst or .dist. A PHYLIP file holds the number of instances, then a name and values
/// for each: all values, or only those left of the diagonal if the first instance has none. Names end at a
/// blank, and lines may break between values. The diagonal is ignored.
class MatrixReader {
  public:
    /// Reads the head; text files are read completely, since they are kept in memory anyway. Throws
    /// UsageError for another ending. Throws InputError for an array that is not square, and for names that
    /// are missing, not unique, or different in rows and columns.
    explicit MatrixReader(std::filesystem::path path, MatrixWords words = {});
    const MatrixHead& head() const { return head_; }
    /// Passes the values on in tiles of this side. Throws InputError, naming the place, for a value that is
    /// negative, infinite or not a number (NaN means unknown), and for one that differs from its mirror
    /// image.
    void read(std::size_t side, PairSink& sink, Progress& progress);

    /// Whether the name has one of these endings.
    static bool isMatrixFile(const std::filesystem::path& path);

  private:
    void readText();
    void readPhylip();

    std::filesystem::path path_;
    MatrixWords words_;
    MatrixHead head_;
    Matrix<double> text_;  ///< of text files
    bool isText_ = false;
};

}  // namespace glycine::pairs
