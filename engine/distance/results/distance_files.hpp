#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

/// What a result file is. Chosen by its name.
enum class ResultFormat {
    Npy,     ///< .npy: N × N, or the N(N−1)/2 pairs as SciPy's condensed form with Shape::Triangle; with
             ///< NAME.npy.names beside
    Npz,     ///< .npz: `values` as in .npy, `names` and `measure`
    Csv,     ///< .csv: names in the first row and column
    Tsv,     ///< .tsv: names in the first row and column, as snp-dists
    Molten,  ///< .tsv with `molten`: name, name, distance, a line a pair
    Phylip,  ///< .phy, .phylip, .phylip.dist: square, or lower-triangular with Shape::Triangle
    PlinkText,    ///< .dist, .mdist, .mibs, .rel: as PLINK 1.9 --distance and --make-rel, with NAME.id beside
    PlinkBinary,  ///< .dist.bin, .mdist.bin, .mibs.bin, .rel.bin: little-endian float64 (float32 with
                  ///< pairs::ValueType::Float32)
    Kinship,      ///< .kin0: as PLINK 2 --make-king-table
    Relatives,    ///< .relatives.tsv: counts, kinship and degree of related pairs
    Grm,          ///< .grm.bin: as PLINK and GCTA, --make-grm-bin, with .grm.N.bin and .grm.id
    Coordinates,  ///< of a run for coordinates
    Tree,         ///< of a run for a tree
    Clusters,     ///< of a run for clusters: see pairs::writeClusters
};
/// Whether it is a list of pairs with their counts, which a run of Measure::King picks.
constexpr bool isKinshipList(ResultFormat format) {
    return format == ResultFormat::Kinship || format == ResultFormat::Relatives;
}

enum class Shape {
    Square,
    SquareZero,  ///< zeros above the diagonal (PLINK's square0)
    Triangle,    ///< below the diagonal only
};
constexpr auto namesOf(Shape) {
    using enum Shape;
    return namesAre<Shape>("shape", {{Square, "square"}, {SquareZero, "square0"}, {Triangle, "triangle"}});
}

struct ResultFileOptions {
    std::optional<Shape>
        shape;  ///< absent: what is usual for the format (PLINK text: triangle; others: square)
    bool molten = false;
    std::optional<double> maxDistance;     ///< molten: only pairs up to this
    std::optional<std::size_t> nearest{};  ///< molten: only so many pairs of each instance, the nearest
    bool hasHeader = false;                ///< molten: a first line that names the columns
    bool isSorted = false;                 ///< molten: each pair once, the nearest first
};

/// What stands beside the numbers.
struct ResultLabels {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::string>> familyIds;
    Measure measure = Measure::Mismatch;
};

/// Throws UsageError for a name whose ending stands for no format, or for options or a measure that
/// contradict it: a .mibs file holds `ibs`, a .mdist file `1-ibs`, a .rel or
/// .grm.bin file `grm`, a .dist file none of them; PHYLIP no
/// similarity; square0 is PLINK's only; maxDistance needs molten and a distance.
ResultFormat resultFormat(const std::filesystem::path& path, const ResultFileOptions& options,
                          Measure measure);

/// What molten files of a measure have.
pairs::MoltenOptions moltenOptions(const ResultFileOptions& options, Measure measure);

/// The layout in which a store holds a file's elements as the file has them, so that they are read in order.
/// A .npy file in this layout can be the mapped store itself.
pairs::StoreLayout suitableLayout(ResultFormat format, const ResultFileOptions& options);

/// The files that writing `path` makes: two for PLINK and .npy.
std::vector<std::filesystem::path> resultFiles(const std::filesystem::path& path, ResultFormat format);

/// Family and individual identifiers, a line an instance, as PLINK writes them.
void writeIds(storage::AtomicFile& file, const ResultLabels& labels);

/// Throws InputError for names that the file cannot hold: before anything is computed.
void checkLabels(const std::filesystem::path& path, ResultFormat format, const ResultLabels& labels);

/// Writes one result, atomically and row by row: nothing the size of the result is copied. Names may be
/// changed where the format needs it (pairs/files/pair_files.hpp says how; in PLINK's, white space becomes
/// '_'); throws InputError when that makes two of them equal.
void writeResult(const std::filesystem::path& path, ResultFormat format, const pairs::PairStore& store,
                 const ResultLabels& labels, const ResultFileOptions& options, Progress& progress);

/// Writes the names beside a .npy file whose values are there already.
void writeNpyLabels(const std::filesystem::path& path, const ResultLabels& labels);

/// What drawResult writes.
using pairs::pictureFiles;

/// Draws the result as a heat map, as pairs::drawPairs; what the measure is comes to `picture` here.
void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                pairs::PairPicture picture, Progress& progress);

/// Writes `value` as PLINK 1.9 does: like %g, with six significant digits, but a value that lies within
/// 5·10⁻⁹ units of the last digit from the middle between two is rounded to the even one; "nan", "inf". At
/// most io::kNumberChars bytes; returns their end.
/// Source: PLINK 1.9's output, which is matched byte for byte.
char* writePlinkNumber(char* out, double value);

// ---- Relatives and relationships, as PLINK and GCTA keep them

/// Writes the bytes of PLINK 2's --make-king-table: shares of the attributes in common, six significant
/// digits. `hasFamilies`: whether the input has family identifiers. `pairs`: ascending by row, then column.
void writeKinshipTable(const std::filesystem::path& path, const std::vector<KinshipPair>& pairs,
                       const ResultLabels& labels, bool hasFamilies);

/// Writes counts, kinship and degree of the pairs, by falling kinship. Pairs without one are left out.
void writeRelatives(const std::filesystem::path& path, std::vector<KinshipPair> pairs,
                    const ResultLabels& labels);

/// Fills counts(i, j), j ≤ rows.begin + i, with the attributes that instances rows.begin + i and j have in
/// common.
using CountInCommon = std::function<void(Range rows, MatrixView<float> counts)>;

/// Writes NAME.grm.bin, NAME.grm.N.bin and NAME.grm.id, of which `path` is the first: the relationships, and
/// the attributes in common, of the pairs (0,0), (1,0), (1,1), … as float32, and the identifiers. The bytes
/// of PLINK 1.9 and 2, --make-grm-bin, where the sums round to the same float32.
void writeGrm(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
              const CountInCommon& countInCommon, Progress& progress);

}  // namespace glycine::distance
