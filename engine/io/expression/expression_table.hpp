#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"

/// Expression matrices: genes × samples.

namespace glycine::io {

struct ExpressionTable;

/// What becomes of missing values before anything is computed.
enum class MissingValues {
    Pairwise,     ///< they stay: a pair counts the samples that both genes have
    Mean,         ///< each becomes the mean of the values that its gene has
    Median,       ///< ... their median; of an even number the mean of the two in the middle
    DropSamples,  ///< samples that lack a value are left out, genes without any value aside
    DropGenes,    ///< genes that lack a value are left out
};
constexpr auto namesOf(MissingValues) {
    using enum MissingValues;
    return namesAre<MissingValues>("rule for missing values", {{Pairwise, "pairwise"},
                                                               {Mean, "mean"},
                                                               {Median, "median"},
                                                               {DropSamples, "drop-samples"},
                                                               {DropGenes, "drop-genes"}});
}

/// Does so, counts ExpressionTable::missing anew, and notes what was done. A gene without any value has
/// nothing to be filled with and stays as it is, unless genes are left out. `path`: for messages. Throws
/// InputError where no sample or no gene is left.
void treatMissing(const std::string& path, ExpressionTable& table, MissingValues rule);

/// Genes × samples, and what they are called.
struct ExpressionTable {
    Matrix<double> values{};             ///< NaN: missing; others are finite
    std::vector<std::string> genes{};    ///< unique; "1", "2", … where the file has no names
    std::vector<std::string> samples{};  ///< the same
    std::size_t missing = 0;             ///< values
    std::string description{};           ///< one line: "250 genes × 500 samples of yeast.tsv.gz"
    std::vector<std::string> notes{};    ///< what was left out
};

/// What becomes of several genes of one name.
enum class DuplicateRule {
    Refuse,       ///< they are an error
    MaxVariance,  ///< the one with the largest variance of its values stays, of equal ones the first
};
constexpr auto namesOf(DuplicateRule) {
    using enum DuplicateRule;
    return namesAre<DuplicateRule>("rule for duplicate genes",
                                   {{Refuse, "refuse"}, {MaxVariance, "max-variance"}});
}

/// How large a matrix is that is being read.
struct ExpressionSize {
    std::size_t genes = 0;
    std::size_t samples = 0;
    bool isWhole = true;  ///< else there may be more: a table tells its end last
    double held = 0;      ///< bytes of its values that are in memory already

    /// "60,000 genes in 500 samples", "60,000 genes or more in 500 samples".
    std::string words(bool isTransposed) const;
};

struct ExpressionReading {
    std::optional<bool> header{};  ///< whether a table has a header line; found out if absent
    bool transpose = false;        ///< genes are columns
    DuplicateRule duplicates = DuplicateRule::Refuse;
    MissingValues missing = MissingValues::Pairwise;  ///< after the rule for duplicates
    std::string layer{};  ///< of an AnnData file: one of its layers, "raw", or nothing for X
    std::string
        dataset{};  ///< of another HDF5 file: the name of the matrix; may be left out where there is one
    /// Told before values are read where the file begins with its size (.npy, HDF5), of tables again and
    /// again while they are: who cannot hold what follows may throw.
    std::function<void(const ExpressionSize& size)> sizeKnown{};
};

/// Leaves out all genes but these, ascending.
void keepGenes(ExpressionTable& table, const std::vector<std::size_t>& kept);

/// A family of formats that are read by the same options.
struct ExpressionFamily {
    std::string_view name;   ///< "table", "array", "hdf5", "anndata"
    std::string_view words;  ///< "an .exp file"

    /// Whose options it is read by: its own, and as HDF5 those of arrays.
    std::vector<std::string> readers() const;
};
/// By the name of the file: .tsv, .csv, .txt, .exp (all also with .gz or .bgz), .npy, .h5ad, .loom, .h5 or
/// .hdf5.
/// Throws UsageError with this list for another name.
ExpressionFamily expressionFamily(const std::filesystem::path& path);

/// Reads an expression matrix.
///
/// - .tsv, .csv, .txt: readDelimitedTable, a row a gene, with a header line of samples and a first column of
///   gene names. Lines that begin with '!' are passed over: of a GEO series matrix all but its table.
/// - .exp: ARACNE's tables, with a header line, where an annotation stands between name and values; lines
///   that begin with '#' or "Description" are passed over.
/// - .npy: two-dimensional numbers, without names.
/// - .h5ad: readAnnData. .loom: readLoom. .h5, .hdf5: readHdf5Expression.
///
/// Throws InputError naming file and place: fields that are no numbers, rows of different lengths, infinite
/// values, names that are missing or there twice (of genes unless the rule says otherwise), no genes or no
/// samples; UsageError as expressionFamily; what `sizeKnown` throws; MemoryError where the machine has no
/// room for the values.
ExpressionTable readExpression(const std::filesystem::path& path, const ExpressionReading& reading);

}  // namespace glycine::io
