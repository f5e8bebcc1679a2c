#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/algorithms/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_store.hpp"

/// The files that hold mutual information.
namespace glycine::mutualinfo {

/// What a result file is. Chosen by its name.
enum class InformationFormat {
    Npy,     ///< .npy: N × N, or the N(N−1)/2 pairs in SciPy's condensed form; with NAME.npy.names beside
    Npz,     ///< .npz: `values` as in .npy, `names` and `unit`
    Csv,     ///< .csv: names in the first row and column
    Tsv,     ///< .tsv: the same with tabs
    Molten,  ///< .tsv with `molten`: name, name, value, a line a pair
};
enum class InformationShape {
    Square,    ///< both halves, and entropies on the diagonal
    Triangle,  ///< each pair once; in text with the diagonal
};
constexpr auto namesOf(InformationShape) {
    return namesAre<InformationShape>(
        "shape", {{InformationShape::Square, "square"}, {InformationShape::Triangle, "triangle"}});
}
struct InformationFileOptions {
    InformationShape shape = InformationShape::Square;
    bool molten = false;
};

/// Standard output is .tsv. Throws UsageError for a name whose ending stands for no format, or `molten` of
/// anything but .tsv.
InformationFormat informationFormat(const std::filesystem::path& path, const InformationFileOptions& options);

/// The layout in which a store holds a file's elements as the file has them.
pairs::StoreLayout layoutOf(InformationFormat format, const InformationFileOptions& options);

/// The files that writing `path` makes: two for .npy.
std::vector<std::filesystem::path> informationFiles(const std::filesystem::path& path,
                                                    InformationFormat format);

/// Writes one result, atomically and row by row.
void writeInformation(const std::filesystem::path& path, const InformationFileOptions& options,
                      const pairs::PairStore& store, const std::vector<std::string>& genes, Unit unit,
                      Progress& progress);

}  // namespace glycine::mutualinfo
