#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Matrices of the values of all pairs that have been written, by Glycine or others.
namespace glycine::pairs {

/// What is known before the values are read.
struct MatrixHead {
    std::size_t instances = 0;
    std::vector<std::string> names;
    std::string description;  ///< one line: "mutual information of 250 genes in mi.npy"
};

/// What messages say.
struct MatrixWords {
    std::string quantity = "distance";         ///< of a pair: "mutual information"
    std::string instance = "sequence";         ///< "gene"
    std::string command = "glycine pairwise";  ///< that writes such files
    bool areDistances = true;                  ///< PHYLIP's endings are known
};

/// A file with N × N values that are not negative: .npy (names in NAME.npy.names, where that is), .npz
/// (`values`, `names`), .tsv or .csv (names in the first row and column, all columns, or up to the diagonal;
/// also with .gz), .phy, .phylip, .dst or .dist (PHYLIP: the number of instances, then a name and its values
/// each, all of them, or those left of the diagonal where the first one has none; names end at a blank, lines
/// may break between values). What is on the diagonal is not looked at.
class MatrixReader {
  public:
    /// Reads the head; of text, which is to be held anyway, all. Throws UsageError for another ending,
    /// InputError for an array that is not square, and names that are missing, not unique or different in
    /// rows and columns.
    explicit MatrixReader(std::filesystem::path path, MatrixWords words = {});
    const MatrixHead& head() const { return head_; }
    /// Hands over the values in tiles of this side. Throws InputError that names the place of a value that is
    /// negative, infinite or no number (NaN is: not known), and of one that differs from its mirror image.
    void read(std::size_t side, PairSink& sink, Progress& progress);

    /// Whether a name's ending is one of those.
    static bool isMatrixFile(const std::filesystem::path& path);

  private:
    void readText();
    void readPhylip();
    void checkNames() const;

    std::filesystem::path path_;
    MatrixWords words_;
    MatrixHead head_;
    Matrix<double> text_;  ///< of text
    bool isText_ = false;
};

}  // namespace glycine::pairs
