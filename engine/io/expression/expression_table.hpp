#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"

namespace glycine {
class ProcessTeam;
}

/// Expression matrices: genes × samples.

namespace glycine::io {

struct ExpressionTable;
class Hdf5File;
class MappedNpy;

/// Treatment of missing values before anything is computed.
enum class MissingValues {
    Pairwise,     ///< they stay: a pair counts the samples present in both genes
    Mean,         ///< replaced by the mean of the gene's values
    Median,       ///< replaced by their median; for an even number, the mean of the middle two
    DropSamples,  ///< samples that lack a value are dropped, ignoring genes without any value
    DropGenes,    ///< genes that lack a value are dropped
};
constexpr auto namesOf(MissingValues) {
    using enum MissingValues;
    return namesAre<MissingValues>("rule for missing values", {{Pairwise, "pairwise"},
                                                               {Mean, "mean"},
                                                               {Median, "median"},
                                                               {DropSamples, "drop-samples"},
                                                               {DropGenes, "drop-genes"}});
}

/// Applies `rule`, recounts ExpressionTable::missing, and notes what was done. A gene without any value
/// cannot be filled and stays as it is, unless genes are dropped. `path` is for messages. Throws InputError
/// if no sample or no gene is left.
void treatMissing(const std::string& path, ExpressionTable& table, MissingValues rule);

/// Genes × samples, with their names.
struct ExpressionTable {
    Matrix<double> values{};  ///< NaN: missing; others are finite
    /// Values that stay in their file, instead of `values`, if none is missing; null: none do. Results
    /// computed from them are valid once its requireUnchanged() has returned.
    std::shared_ptr<const MappedNpy> inFile{};
    std::vector<std::string> genes{};    ///< unique; "1", "2", … if the file has no names
    std::vector<std::string> samples{};  ///< the same
    std::size_t missing = 0;             ///< number of missing values
    std::string description{};           ///< one line: "250 genes × 500 samples of yeast.tsv.gz"
    std::vector<std::string> notes{};    ///< what was left out

    /// The values, wherever they are. The table must outlive the view.
    MatrixView<const double> view() const;
};

/// Treatment of several genes with one name.
enum class DuplicateRule {
    Refuse,       ///< an error
    MaxVariance,  ///< keep the one with the largest variance; if equal, the first
};
constexpr auto namesOf(DuplicateRule) {
    using enum DuplicateRule;
    return namesAre<DuplicateRule>("rule for duplicate genes",
                                   {{Refuse, "refuse"}, {MaxVariance, "max-variance"}});
}

/// Size of a matrix while it is read.
struct ExpressionSize {
    std::size_t genes = 0;
    std::size_t samples = 0;
    bool isWhole = true;  ///< false: there may be more, since a table's end is not known in advance
    double held = 0;      ///< bytes of its values that are already in memory, or stay in the file

    /// "60,000 genes in 500 samples", "60,000 genes or more in 500 samples".
    std::string words(bool isTransposed) const;
};

struct ExpressionReading {
    std::optional<bool> header{};  ///< whether a table has a header line; detected if absent
    bool transpose = false;        ///< genes are columns
    DuplicateRule duplicates = DuplicateRule::Refuse;
    MissingValues missing = MissingValues::Pairwise;  ///< applied after the rule for duplicates
    std::string layer{};    ///< of an AnnData file: one of its layers, "raw", or empty for X
    std::string dataset{};  ///< of another HDF5 file: the name of the matrix; optional if there is only one
    /// Called before values are read if the file begins with its size (.npy, HDF5), and repeatedly while
    /// tables are read. May throw to refuse a matrix that is too large.
    std::function<void(const ExpressionSize& size)> sizeKnown{};
    /// .npy of float64 by rows: the processes that all read this input with these options. If they see the
    /// same file, in which no value is missing, each checks its part of the genes and reads others when it
    /// needs them. Null: this process alone.
    ProcessTeam* team = nullptr;
};

/// Drops all genes except these, ascending.
void keepGenes(ExpressionTable& table, const std::vector<std::size_t>& kept);

/// A family of formats that share reading options.
struct ExpressionFamily {
    std::string_view name;   ///< "table", "array", "hdf5", "anndata"
    std::string_view words;  ///< "an .exp file"

    /// The families whose options apply: its own and, for HDF5 formats, those of arrays.
    std::vector<std::string> readers() const;
};
/// The family of a file, by its name: .tsv, .csv, .txt, .exp (all also with .gz or .bgz), .npy, .h5ad, .loom,
/// .h5 or .hdf5. Throws UsageError with this list for another name.
ExpressionFamily expressionFamily(const std::filesystem::path& path);

/// Names of a matrix, each list empty if the file has none.
struct MatrixNames {
    std::vector<std::string> genes, samples;
};
/// Names in an AnnData file (of X) or a Loom file (of `matrix`), without the values; none for other HDF5
/// files. Throws InputError as readExpression does.
MatrixNames namesOfHdf5(const Hdf5File& file);

/// Reads an expression matrix.
///
/// - .tsv, .csv, .txt: readDelimitedTable, one row per gene, with a header line of samples and a first column
/// of
///   gene names. Lines that begin with '!' are skipped: all but the table of a GEO series matrix.
/// - .exp: ARACNE's tables, with a header line, and an annotation between name and values. Lines that begin
/// with
///   '#' or "Description" are skipped.
/// - .npy: two-dimensional numbers, without names.
/// - .h5ad: readAnnData. .loom: readLoom. .h5, .hdf5: readHdf5Expression.
///
/// Throws InputError, naming file and place, for fields that are no numbers, rows of different lengths,
/// infinite values, missing or repeated names (repeated genes unless the rule allows them), and a table
/// without genes or samples. Throws UsageError as expressionFamily does, what `sizeKnown` throws, and
/// MemoryError if memory is insufficient for the values.
ExpressionTable readExpression(const std::filesystem::path& path, const ExpressionReading& reading);

}  // namespace glycine::io
