#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/algorithms/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Matrices of mutual information that have been written, by `glycine mutualinfo` or others.
namespace glycine::mutualinfo {

/// What is known before the values are read.
struct InformationMatrixHead {
    std::size_t genes = 0;
    std::vector<std::string> names;
    std::string description;  ///< one line: "250 genes of mi.npy"
};

/// A file with N × N values: .npy (names in NAME.npy.names, where that is), .npz (`values`, `names`), .tsv or
/// .csv (names in the first row and column, all columns, or up to the diagonal; also with .gz). What is on
/// the diagonal is not looked at.
class InformationMatrixReader {
  public:
    /// Reads the head; of text, which is to be held anyway, all. Throws UsageError for another ending,
    /// InputError for an array that is not square, and names that are missing, not unique or different in
    /// rows and columns.
    explicit InformationMatrixReader(std::filesystem::path path);
    const InformationMatrixHead& head() const { return head_; }
    /// Hands over the values in tiles of this side. Throws InputError that names the place of a value that is
    /// negative, infinite or no number (NaN is: not known), and of one that differs from its mirror image.
    void read(std::size_t side, pairs::PairSink& sink, Progress& progress);

  private:
    void readText();

    std::filesystem::path path_;
    InformationMatrixHead head_;
    Matrix<double> text_;  ///< of text
    bool isText_ = false;
};

}  // namespace glycine::mutualinfo
