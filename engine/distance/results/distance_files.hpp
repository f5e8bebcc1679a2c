#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/expected_size.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

/// The format of a result file, chosen by its name.
enum class ResultFormat {
    Npy,     ///< .npy: N × N, or with Shape::Triangle the N(N−1)/2 pairs in SciPy's condensed form; with
             ///< NAME.npy.names next to it
    Npz,     ///< .npz: `values` as in .npy, `names` and `measure`
    Csv,     ///< .csv: names in the first row and column
    Tsv,     ///< .tsv: names in the first row and column, as snp-dists writes it
    Molten,  ///< .tsv with `molten`: name, name, distance; one line per pair
    Phylip,  ///< .phy, .phylip, .phylip.dist: square, or lower-triangular with Shape::Triangle
    PlinkText,    ///< .dist, .mdist, .mibs, .rel: as PLINK 1.9 --distance and --make-rel, with NAME.id
    PlinkBinary,  ///< .dist.bin, .mdist.bin, .mibs.bin, .rel.bin: little-endian float64 (float32 with
                  ///< pairs::ValueType::Float32)
    Kinship,      ///< .kin0: as PLINK 2 --make-king-table
    Relatives,    ///< .relatives.tsv: counts, kinship and degree of related pairs
    Grm,          ///< .grm.bin: as PLINK and GCTA, --make-grm-bin, with .grm.N.bin and .grm.id
    Coordinates,  ///< of a run for coordinates
    Tree,         ///< of a run for a tree
    Clusters,     ///< of a run for clusters: see pairs::writeClusters
};
/// Whether the format is a list of pairs with their counts, which a run of Measure::King collects.
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
    std::optional<Shape> shape;  ///< absent: the format's default (PLINK text: triangle; others: square)
    bool molten = false;
    std::optional<double> maxDistance;     ///< molten: only pairs up to this value
    std::optional<std::size_t> nearest{};  ///< molten: only this many nearest pairs per instance
    bool hasHeader = false;                ///< molten: a first line that names the columns
    bool isSorted = false;                 ///< molten: each pair once, nearest first
};

/// Labels of the numbers.
struct ResultLabels {
    std::vector<std::string> names;
    std::vector<std::pair<std::string, std::string>> familyIds;
    Measure measure = Measure::Mismatch;
};

/// Throws UsageError if the ending denotes no format, or if options or measure contradict it. A .mibs file
/// holds `ibs`, a .mdist file `1-ibs`, a .rel or .grm.bin file `grm`, a .dist file none of these. PHYLIP
/// holds no similarity, square0 exists only in PLINK formats, and maxDistance needs molten and a distance.
ResultFormat resultFormat(const std::filesystem::path& path, const ResultFileOptions& options,
                          Measure measure);

/// Options of molten files for a measure.
pairs::MoltenOptions moltenOptions(const ResultFileOptions& options, Measure measure);

/// The layout in which a store holds the elements in file order, so that they are read sequentially. A .npy
/// file in this layout can be the mapped store itself.
pairs::StoreLayout suitableLayout(ResultFormat format, const ResultFileOptions& options);

/// The files written for `path`: two for PLINK and .npy.
std::vector<std::filesystem::path> resultFiles(const std::filesystem::path& path, ResultFormat format);

/// Writes family and individual identifiers, one line per instance, as PLINK does.
void writeIds(storage::AtomicFile& file, const ResultLabels& labels);

/// Throws InputError for names that the file cannot hold. Call it before computing.
void checkLabels(const std::filesystem::path& path, ResultFormat format, const ResultLabels& labels);

/// Writes one result, atomically and row by row, so the result is never copied as a whole. Names are changed
/// if the format requires it (see pairs/files/pair_files.hpp; in PLINK's formats, white space becomes '_').
/// Throws InputError if that makes two names equal.
void writeResult(const std::filesystem::path& path, ResultFormat format, const pairs::PairStore& store,
                 const ResultLabels& labels, const ResultFileOptions& options, Progress& progress);

/// Bounds of the size of a file that writeResult writes, or writeGrm: see pairs::expectedFile. Nothing for
/// other formats, and for files of which only the values decide how many pairs they hold.
std::optional<storage::ExpectedFile> expectedFile(const std::filesystem::path& path, ResultFormat format,
                                                  const ResultFileOptions& options,
                                                  const pairs::ExpectedValues& values);

/// The files that drawResult writes.
using pairs::pictureFiles;

/// Draws the result as a heat map, as pairs::drawPairs does; sets the members of `picture` that follow from
/// the measure.
void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                pairs::PairPicture picture, Progress& progress);

/// Writes `value` as PLINK 1.9 does: like %g with six significant digits, except that a value within 5·10⁻⁹
/// units of the last digit from the midpoint rounds to even; also "nan" and "inf". Writes at most
/// io::kNumberChars bytes and returns their end.
/// Source: PLINK 1.9's output, matched byte for byte.
char* writePlinkNumber(char* out, double value);

// ---- Relatives and relationships, as PLINK and GCTA keep them

/// Shares count / all as writePlinkNumber writes them. Keeps the last texts: few variants have few different
/// shares, which many pairs have.
class ShareTexts {
  public:
    /// Changes io::kNumberChars bytes and returns the end of the text.
    char* write(char* out, std::uint32_t count, std::uint32_t all);

  private:
    static constexpr std::size_t kEntries = 1024;
    struct Entry {
        std::uint32_t count = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t all = 0;
        std::size_t size = 0;
        char text[io::kNumberChars];
    };
    std::vector<Entry> entries_{kEntries};
};

/// Writes the same bytes as PLINK 2's --make-king-table while pairs are counted: proportions of the
/// attributes in common, six significant digits.
class KinshipTableFile {
  public:
    /// `hasFamilies`: whether the input has family identifiers. Leaves out pairs with a kinship below
    /// `least`.
    KinshipTableFile(const std::filesystem::path& path, const ResultLabels& labels, bool hasFamilies,
                     double least);
    /// Takes a tile as KinshipTable::take does.
    void add(const pairs::PairTile& tile, const KinshipRow& rowOf);
    /// Takes all pairs of this many instances at once, and sorts them.
    void add(std::vector<KinshipPair>& pairs, std::size_t instances);
    /// Call after the last tile.
    void commit() { file_.commit(); }
    /// Bytes of memory that the text of this many rows takes.
    static double bytes(const ResultLabels& labels, std::size_t rows);

  private:
    storage::AtomicFile file_;
    pairs::TextOfPairs lines_;
    std::vector<std::string> samples_;  ///< their fields in a line
    double least_;
    std::vector<std::vector<KinshipPair>> rows_;  ///< of each thread
    std::vector<ShareTexts> shares_;              ///< of each thread
};

/// The pairs that have a kinship, by descending kinship, then ascending row and column.
std::vector<KinshipPair> closestFirst(std::vector<KinshipPair> pairs);
/// Writes counts, kinship and degree of the pairs in that order. Pairs without a kinship are left out.
void writeRelatives(const std::filesystem::path& path, std::vector<KinshipPair> pairs,
                    const ResultLabels& labels);

/// Fills counts(i, j), j ≤ rows.begin + i, with the number of attributes that instances rows.begin + i and j
/// have in common.
using CountInCommon = std::function<void(Range rows, MatrixView<float> counts)>;

/// Writes NAME.grm.bin (this is `path`), NAME.grm.N.bin and NAME.grm.id: the relationships and the attributes
/// in common of the pairs (0,0), (1,0), (1,1), … as float32, and the identifiers. The bytes equal those of
/// PLINK 1.9 and 2, --make-grm-bin, if the sums round to the same float32.
void writeGrm(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
              const CountInCommon& countInCommon, Progress& progress);

}  // namespace glycine::distance
