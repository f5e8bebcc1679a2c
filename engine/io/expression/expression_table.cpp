#include "engine/io/expression/expression_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/expression/hdf5_matrix.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/storage/content_hash.hpp"

namespace glycine::io {

namespace fs = std::filesystem;

namespace {

/// Contents of an HDF5 file: genes × samples.
struct Hdf5Expression {
    Matrix<double> values;
    std::vector<std::string> genes;    ///< empty if the file has no names
    std::vector<std::string> samples;  ///< the same
    std::string note;                  ///< "'layers/counts', CSR, 1,234 stored values"
};

/// Called before any value is read; may be empty.
using SizeCheck = std::function<void(std::size_t genes, std::size_t samples)>;

struct Index {
    std::string dataset;
    std::vector<std::string> names;
};

/// Reads the index column of obs, var or raw/var.
Index readIndex(const Hdf5File& file, const std::string& table) {
    if (!file.has(table))
        throw InputError(fmt::format("{}: has no '{}'; expected an AnnData file, with obs and var",
                                     file.path().string(), table));
    if (!file.isGroup(table))
        throw InputError(
            fmt::format("{}: '{}' is a dataset of records, as AnnData before 0.7 wrote it; expected a group "
                        "(read and write the file with a later AnnData)",
                        file.path().string(), table));
    const std::string column =
        file.text(table, "_index").value_or(file.has(table + "/_index") ? "_index" : "index");
    const std::string dataset = fmt::format("{}/{}", table, column);
    return {dataset, file.dataset(dataset)->readTexts()};
}

/// The name of the matrix that `layer` selects.
std::string matrixOf(const Hdf5File& file, const std::string& layer) {
    const std::vector<std::string> layers =
        file.isGroup("layers") ? file.children("layers") : std::vector<std::string>();
    const bool isLayer = std::find(layers.begin(), layers.end(), layer) != layers.end();
    const bool hasRaw = file.has("raw/X");
    if (layer.empty() && file.has("X")) return "X";
    if (layer == "raw" && hasRaw && isLayer)
        throw InputError(
            fmt::format("{}: 'raw' may be raw/X or layers/raw here; expected another name for the layer",
                        file.path().string()));
    if (isLayer) return "layers/" + layer;
    if (layer == "raw" && hasRaw) return "raw/X";
    std::vector<std::string> known = layers;
    if (hasRaw) known.push_back("raw");
    const std::string others =
        known.empty() ? "there are no layers and no raw" : fmt::format("--layer takes {}", quoteNames(known));
    if (layer.empty()) throw InputError(fmt::format("{}: has no 'X'; {}", file.path().string(), others));
    throw InputError(fmt::format("{}: has no layer '{}'; {}", file.path().string(), excerpt(layer), others));
}

/// Names of genes and samples, each empty if the file has none.
struct Indices {
    Index genes, samples;
};

/// The names of a matrix of an AnnData file: samples × genes.
Indices annDataIndices(const Hdf5File& file, const std::string& name, const Hdf5Matrix& matrix) {
    Indices found{.genes = {}, .samples = readIndex(file, "obs")};
    found.genes = readIndex(file, name == "raw/X" ? "raw/var" : "var");
    if (matrix.rows() != found.samples.names.size() || matrix.columns() != found.genes.names.size())
        throw InputError(fmt::format(
            "{}: '{}' has {} rows and {} columns; expected {}, the names of '{}', and {}, those of '{}'",
            file.path().string(), name, matrix.rows(), matrix.columns(), found.samples.names.size(),
            found.samples.dataset, found.genes.names.size(), found.genes.dataset));
    return found;
}

/// The names of a matrix of a Loom file: genes × samples.
Indices loomIndices(const Hdf5File& file, const std::string& name, const Hdf5Matrix& matrix) {
    const auto namesOf = [&](const std::string& group, std::initializer_list<const char*> titles,
                             std::size_t count) {
        Index index;
        for (const char* title : titles)
            if (index.dataset.empty() && file.has(group + "/" + title)) index.dataset = group + "/" + title;
        if (index.dataset.empty()) return index;
        index.names = file.dataset(index.dataset)->readTexts();
        if (index.names.size() != count)
            throw InputError(fmt::format("{}: '{}' has {} names; expected {}, as '{}' has",
                                         file.path().string(), index.dataset, index.names.size(), count,
                                         name));
        return index;
    };
    Indices found;
    found.genes = namesOf("row_attrs", {"Gene", "gene", "GeneName", "gene_name", "var_names", "Accession"},
                          matrix.rows());
    if (found.genes.dataset.empty())
        throw InputError(
            fmt::format("{}: 'row_attrs' has {}; expected the names of genes as 'Gene'", file.path().string(),
                        file.has("row_attrs") ? quoteNames(file.children("row_attrs")) : "nothing"));
    found.samples = namesOf("col_attrs", {"CellID", "cell_id", "obs_names"}, matrix.columns());
    return found;
}

/// Reads an AnnData file (.h5ad): samples (cells) × genes, named by the index columns of `obs` and `var`.
/// `layer` is one of `layers`, "raw" for raw/X, or empty for X. Reads values block by block into the result,
/// without a second copy.
///
/// Source: the AnnData specification of files on disk, versions 0.1.0 and 0.2.0 of its encodings, and what
/// AnnData 0.7 wrote.
///
/// Calls `checkGenes` with the names of genes and the dataset that holds them, before it reads any value.
///
/// Throws InputError as Hdf5Matrix does, for a file without obs or var, names that do not fit the matrix, and
/// an unknown layer. Throws MemoryError, and what checkGenes and checkSize throw.
Hdf5Expression readAnnData(
    const fs::path& path, const std::string& layer,
    const std::function<void(const std::vector<std::string>& genes, const std::string& dataset)>& checkGenes,
    const SizeCheck& checkSize) {
    const auto opened = openHdf5(path);
    const Hdf5File& file = *opened;
    const std::string name = matrixOf(file, layer);
    const Hdf5Matrix matrix(file, name);
    auto [genes, samples] = annDataIndices(file, name, matrix);
    checkGenes(genes.names, genes.dataset);
    if (checkSize) checkSize(matrix.columns(), matrix.rows());
    return {.values = matrix.read(true),
            .genes = std::move(genes.names),
            .samples = std::move(samples.names),
            .note = fmt::format("'{}', {}", name, matrix.form())};
}

/// Reads a Loom file (loompy's specification, versions 2 and 3): genes × cells in `matrix`, or the `layer` of
/// `layers`; names in `row_attrs` (Gene) and `col_attrs` (CellID). Otherwise as readAnnData.
Hdf5Expression readLoom(
    const fs::path& path, const std::string& layer,
    const std::function<void(const std::vector<std::string>& genes, const std::string& dataset)>& checkGenes,
    const SizeCheck& checkSize) {
    const auto opened = openHdf5(path);
    const Hdf5File& file = *opened;
    const std::string name = layer.empty() ? "matrix" : "layers/" + layer;
    if (!file.has(name)) {
        const std::vector<std::string> layers =
            file.has("layers") ? file.children("layers") : std::vector<std::string>();
        throw InputError(fmt::format(
            "{}: has no '{}'; {}", path.string(), excerpt(name),
            layers.empty() ? "there are no layers" : fmt::format("--layer takes {}", quoteNames(layers))));
    }
    const Hdf5Matrix matrix(file, name);
    auto [genes, samples] = loomIndices(file, name, matrix);
    checkGenes(genes.names, genes.dataset);
    if (checkSize) checkSize(matrix.rows(), matrix.columns());
    return {.values = matrix.read(false),
            .genes = std::move(genes.names),
            .samples = std::move(samples.names),
            .note = fmt::format("'{}', {}", name, matrix.form())};
}

/// Reads a matrix of any HDF5 file, one row per gene (`isTransposed`: one column). `dataset` is its name, or
/// empty if the file holds a single matrix. Throws InputError as Hdf5Matrix does, or, naming all matrices, if
/// several qualify. Throws MemoryError, and what checkSize throws.
Hdf5Expression readHdf5Expression(const fs::path& path, const std::string& dataset, bool isTransposed,
                                  const SizeCheck& checkSize) {
    const auto opened = openHdf5(path);
    const Hdf5File& file = *opened;
    std::string name = dataset;
    if (name.empty()) {
        const std::vector<std::string> matrices = matricesOf(file);
        if (matrices.size() != 1)
            throw InputError(matrices.empty()
                                 ? fmt::format("{}: holds no matrix of numbers", path.string())
                                 : fmt::format("{}: holds {} matrices; --dataset takes {}", path.string(),
                                               matrices.size(), quoteNames(matrices)));
        name = matrices.front();
    }
    const Hdf5Matrix matrix(file, name);
    if (checkSize)
        checkSize(isTransposed ? matrix.columns() : matrix.rows(),
                  isTransposed ? matrix.rows() : matrix.columns());
    return {.values = matrix.read(isTransposed),
            .genes = {},
            .samples = {},
            .note = fmt::format("'{}', {}", name, matrix.form())};
}

constexpr ExpressionFamily kTable{"table", "a table"};
constexpr ExpressionFamily kAracne{"table", "an .exp file"};
constexpr ExpressionFamily kArray{"array", "an .npy file"};
constexpr ExpressionFamily kAnnData{"anndata", "an .h5ad file"};
constexpr ExpressionFamily kLoom{"anndata", "a .loom file"};
constexpr ExpressionFamily kHdf5{"hdf5", "an HDF5 file"};

struct Ending {
    std::string_view text;
    const ExpressionFamily* family;
    bool mayBePacked;
};
constexpr Ending kEndings[] = {
    {".tsv", &kTable, true},  {".csv", &kTable, true},  {".txt", &kTable, true},
    {".exp", &kAracne, true}, {".npy", &kArray, false}, {".h5ad", &kAnnData, false},
    {".loom", &kLoom, false}, {".h5", &kHdf5, false},   {".hdf5", &kHdf5, false}};

using Table = NumberTable<double>;

void reportSize(TableForm& form, const ExpressionReading& reading) {
    if (!reading.sizeKnown) return;
    form.grows = [&reading](std::size_t rows, std::size_t columns) {
        ExpressionSize size{.genes = rows, .samples = columns, .isWhole = false};
        if (reading.transpose) std::swap(size.genes, size.samples);
        size.held = static_cast<double>(rows - 1) * static_cast<double>(columns) * sizeof(double);
        reading.sizeKnown(size);
    };
}

TableForm tableForm(const ExpressionReading& reading) {
    TableForm form{.header = reading.header};
    form.nameTitles = {"gene",      "genes",      "geneid",     "genename", "genesymbol", "symbol",
                       "hgnc",      "hgncsymbol", "hugosymbol", "entrez",   "entrezid",   "ensembl",
                       "ensemblid", "ensg",       "orf",        "locus",    "locustag",   "probe",
                       "probeid",   "probeset",   "probesetid", "idref",    "transcript", "transcriptid",
                       "feature",   "featureid",  "uid",        "affyid",   "rownames"};
    form.isComment = [](std::string_view line) { return line.starts_with('!'); };
    reportSize(form, reading);
    return form;
}

TableForm aracneForm(const ExpressionReading& reading) {
    TableForm form{.header = reading.header.value_or(true)};
    form.annotations = 1;
    form.isComment = [](std::string_view line) {
        return line.starts_with('#') || line.starts_with("Description");
    };
    reportSize(form, reading);
    return form;
}

/// Throws InputError for the first value that is neither finite nor missing.
template <class Place>
void requireFinite(const fs::path& path, MatrixView<const double> values, const Place& place) {
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t k = 0; k < values.columns(); ++k)
            if (std::isinf(values(i, k)))
                throw InputError(fmt::format("{}: {} is {}; expected a finite number, or NA for missing",
                                             path.string(), place(i, k), values(i, k)));
}

/// Variance of the values that are present; −1 if there are none.
double variance(const double* values, std::size_t count) {
    double sum = 0, n = 0;
    for (std::size_t s = 0; s < count; ++s)
        if (!std::isnan(values[s])) sum += values[s], n += 1;
    if (n == 0) return -1;
    double squares = 0;
    for (std::size_t s = 0; s < count; ++s)
        if (!std::isnan(values[s])) squares += (values[s] - sum / n) * (values[s] - sum / n);
    return squares / n;
}

/// Keeps, of several genes with one name, the one with the largest variance.
void keepMostVariable(ExpressionTable& table) {
    std::map<std::string_view, std::size_t> chosen;
    std::vector<double> variances;
    for (std::size_t g = 0; g < table.genes.size(); ++g) {
        variances.push_back(variance(table.values.row(g), table.values.columns()));
        const auto [at, isNew] = chosen.emplace(table.genes[g], g);
        if (!isNew && variances[g] > variances[at->second]) at->second = g;
    }
    if (chosen.size() == table.genes.size()) return;
    std::vector<std::size_t> kept;
    for (const auto& [name, gene] : chosen) kept.push_back(gene);
    std::sort(kept.begin(), kept.end());
    table.notes.push_back(fmt::format("left out {} of {}: others of the same names have a larger variance",
                                      formatCount(table.genes.size() - kept.size()),
                                      formatCount(table.genes.size(), "gene")));
    keepGenes(table, kept);
}

/// Throws InputError for an empty or repeated name. `place(i)` describes where name i is.
template <class Place>
void requireNames(const fs::path& path, const std::vector<std::string>& names, std::string_view what,
                  bool mayRepeat, const Place& place) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].empty())
            throw InputError(fmt::format("{}: {}: the {} has no name", path.string(), place(i), what));
    if (mayRepeat) return;
    if (const auto repeated = firstRepeated(names))
        throw InputError(fmt::format(
            "{}: {} and {} are both named '{}'; expected each {} once{}", path.string(),
            place(repeated->first), place(repeated->second), excerpt(names[repeated->first]), what,
            what == "gene" ? " (--duplicates max-variance keeps the most variable one)" : ""));
}

ExpressionTable fromTable(const fs::path& path, Table table, const ExpressionReading& reading) {
    requireFinite(path, std::as_const(table.values).view(),
                  [&](std::size_t row, std::size_t column) { return table.place(row, column); });
    const auto line = [&](std::size_t row) { return fmt::format("line {}", table.lines[row]); };
    const auto column = [&](std::size_t k) {
        return fmt::format("column {}", k + (table.rowNames.empty() ? 1 : 2) + table.annotations);
    };
    const bool mayRepeat = reading.duplicates == DuplicateRule::MaxVariance;
    // Sample names may repeat: repeated measurements share a name, and nothing here depends on it.
    if (reading.transpose)
        requireNames(path, table.columnNames, "gene", mayRepeat, column);
    else
        requireNames(path, table.rowNames, "gene", mayRepeat, line);
    ExpressionTable result;
    if (reading.transpose) {
        result.values = transposed(table.values);
        result.genes = std::move(table.columnNames);
        result.samples = std::move(table.rowNames);
    } else {
        result.values = std::move(table.values);
        result.genes = std::move(table.rowNames);
        result.samples = std::move(table.columnNames);
    }
    return result;
}

std::size_t missingOf(const double* values, std::size_t count) {
    return static_cast<std::size_t>(
        std::count_if(values, values + count, [](double value) { return std::isnan(value); }));
}

/// The values of an array that a team shares, where they are. Null if they have to be read: if they are not
/// float64 by rows, or if some are missing, because their correction needs all genes.
std::shared_ptr<const MappedNpy> valuesInFile(const fs::path& path, const NpyHeader& header,
                                              ProcessTeam& team) {
    if (!storage::areSameFiles({path}, team)) return nullptr;
    std::shared_ptr<const MappedNpy> file = MappedNpy::open(path, header);
    if (file == nullptr || !std::holds_alternative<std::span<const double>>(file->values())) return nullptr;
    const Range own = ownPart(team, file->rows());
    const auto rows = file->view<double>().block(own.begin, 0, own.size(), file->columns());
    requireFinite(path, rows, [&](std::size_t row, std::size_t column) {
        return fmt::format("({}, {})", own.begin + row, column);
    });
    const bool isMissing = !rows.empty() && missingOf(rows.data(), rows.rows() * rows.columns()) > 0;
    file->requireUnchanged();
    return isTrueOfAny(team, isMissing) ? nullptr : file;
}

ExpressionTable fromArray(const fs::path& path, const ExpressionReading& reading) {
    ExpressionTable result;
    const std::unique_ptr<ByteSource> source = openFile(path);
    const NpyHeader header = readNpyHeader(*source);
    if (reading.team != nullptr && !reading.transpose)
        result.inFile = valuesInFile(path, header, *reading.team);
    if (reading.sizeKnown && header.shape.size() == 2)
        reading.sizeKnown({.genes = header.shape[reading.transpose ? 1 : 0],
                           .samples = header.shape[reading.transpose ? 0 : 1],
                           .held = result.inFile != nullptr ? static_cast<double>(header.dataBytes()) : 0});
    if (result.inFile != nullptr) return result;
    result.values = readNpyMatrix<double>(*source, header);
    requireFinite(path, std::as_const(result.values).view(),
                  [](std::size_t row, std::size_t column) { return fmt::format("({}, {})", row, column); });
    if (reading.transpose) result.values = transposed(result.values);
    return result;
}

ExpressionTable fromHdf5(Hdf5Expression read) {
    ExpressionTable result;
    result.values = std::move(read.values);
    result.genes = std::move(read.genes);
    result.samples = std::move(read.samples);
    result.notes.push_back(std::move(read.note));
    return result;
}

SizeCheck sizeCheck(const ExpressionReading& reading) {
    if (!reading.sizeKnown) return {};
    return [&reading](std::size_t genes, std::size_t samples) {
        reading.sizeKnown({.genes = genes, .samples = samples});
    };
}

ExpressionTable fromAnnData(const fs::path& path, const ExpressionReading& reading) {
    const auto check = [&](const std::vector<std::string>& genes, const std::string& dataset) {
        requireNames(path, genes, "gene", reading.duplicates == DuplicateRule::MaxVariance,
                     [&](std::size_t i) { return fmt::format("element {} of '{}'", i, dataset); });
    };
    const auto read = expressionFamily(path).words == kLoom.words ? readLoom : readAnnData;
    return fromHdf5(read(path, reading.layer, check, sizeCheck(reading)));
}

void numberFrom(std::vector<std::string>& names, std::size_t count) {
    for (std::size_t i = names.size(); i < count; ++i) names.push_back(fmt::to_string(i + 1));
}

/// Mean of at least one value; may reorder `values`. Clamped to the range of the values, so that the mean of
/// equal values is that value despite rounding.
double mean(std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double sum = 0, sumOfShares = 0;
    for (const double value : values) {
        sum += value;
        sumOfShares += value / count;
    }
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return std::clamp(std::isfinite(sum) ? sum / count : sumOfShares, *least, *most);
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

void fill(ExpressionTable& table, double (*centre)(std::vector<double>&), std::string_view name) {
    const std::size_t samples = table.values.columns();
    std::size_t filled = 0;
    std::vector<double> present;
    for (std::size_t g = 0; g < table.values.rows(); ++g) {
        double* values = table.values.row(g);
        const std::size_t missing = missingOf(values, samples);
        if (missing == 0 || missing == samples) continue;
        present.clear();
        std::copy_if(values, values + samples, std::back_inserter(present),
                     [](double value) { return !std::isnan(value); });
        const double value = centre(present);
        std::replace_if(
            values, values + samples, [](double one) { return std::isnan(one); }, value);
        filled += missing;
    }
    if (filled > 0)
        table.notes.push_back(
            fmt::format("{} filled with the {} of their gene", formatCount(filled, "missing value"), name));
}

void dropSamples(const std::string& path, ExpressionTable& table) {
    const std::size_t genes = table.values.rows(), samples = table.values.columns();
    std::vector<char> lacks(samples, 0);
    for (std::size_t g = 0; g < genes; ++g) {
        const double* values = table.values.row(g);
        if (missingOf(values, samples) == samples) continue;
        for (std::size_t s = 0; s < samples; ++s) lacks[s] |= static_cast<char>(std::isnan(values[s]));
    }
    std::vector<std::size_t> kept;
    for (std::size_t s = 0; s < samples; ++s)
        if (lacks[s] == 0) kept.push_back(s);
    if (kept.size() == samples) return;
    if (kept.empty())
        throw InputError(
            fmt::format("{}: each of {} lacks a value of some gene; none is left without them "
                        "(missing values can also be left out pair by pair, or filled)",
                        path, formatCount(samples, "sample")));
    Matrix<double> values(genes, kept.size());
    for (std::size_t g = 0; g < genes; ++g)
        for (std::size_t i = 0; i < kept.size(); ++i) values(g, i) = table.values(g, kept[i]);
    std::vector<std::string> names;
    for (const std::size_t s : kept) names.push_back(std::move(table.samples[s]));
    table.notes.push_back(fmt::format("left out {} of {}, which lack values",
                                      formatCount(samples - kept.size()), formatCount(samples, "sample")));
    table.values = std::move(values);
    table.samples = std::move(names);
}

void dropGenes(const std::string& path, ExpressionTable& table) {
    const std::size_t samples = table.values.columns();
    std::vector<std::size_t> kept;
    for (std::size_t g = 0; g < table.values.rows(); ++g)
        if (missingOf(table.values.row(g), samples) == 0) kept.push_back(g);
    if (kept.size() == table.values.rows()) return;
    if (kept.empty())
        throw InputError(
            fmt::format("{}: each of {} lacks a value; none is left without them (missing values can "
                        "also be left out pair by pair, or filled)",
                        path, formatCount(table.values.rows(), "gene")));
    table.notes.push_back(fmt::format("left out {} of {}, which lack values",
                                      formatCount(table.values.rows() - kept.size()),
                                      formatCount(table.values.rows(), "gene")));
    keepGenes(table, kept);
}

}  // namespace

MatrixView<const double> ExpressionTable::view() const {
    return inFile != nullptr ? inFile->view<double>() : values.view();
}

void keepGenes(ExpressionTable& table, const std::vector<std::size_t>& kept) {
    Matrix<double> values(kept.size(), table.values.columns());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        std::copy_n(table.values.row(kept[i]), values.columns(), values.row(i));
        names.push_back(std::move(table.genes[kept[i]]));
    }
    table.values = std::move(values);
    table.genes = std::move(names);
}

std::string ExpressionSize::words(bool isTransposed) const {
    const char* const more = isWhole ? "" : " or more";
    return fmt::format("{}{} in {}{}", formatCount(genes, "gene"), isTransposed ? "" : more,
                       formatCount(samples, "sample"), isTransposed ? more : "");
}

std::vector<std::string> ExpressionFamily::readers() const {
    std::vector<std::string> names{std::string(name)};
    if (name == kHdf5.name) names.emplace_back(kArray.name);
    return names;
}

ExpressionFamily expressionFamily(const fs::path& path) {
    const std::string whole = lowerCase(path.filename().string());
    const std::string_view name = withoutPacking(whole);
    const bool isPacked = name.size() < whole.size();
    for (const Ending& ending : kEndings)
        if (name.ends_with(ending.text) && (!isPacked || ending.mayBePacked)) return *ending.family;
    throw UsageError(fmt::format(
        "{0}: unknown kind of file; expected .tsv, .csv, .txt, .exp (all of these "
        "also with .gz or .bgz), .npy, .h5ad, .loom, .h5 or .hdf5; `glycine inspect {0}` may identify it",
        path.string()));
}

MatrixNames namesOfHdf5(const Hdf5File& file) {
    const ExpressionFamily family = expressionFamily(file.path());
    if (family.name != kAnnData.name) return {};
    const bool isLoom = family.words == kLoom.words;
    const std::string name = isLoom ? "matrix" : matrixOf(file, "");
    const Hdf5Matrix matrix(file, name);
    auto [genes, samples] = (isLoom ? loomIndices : annDataIndices)(file, name, matrix);
    return {std::move(genes.names), std::move(samples.names)};
}

ExpressionTable readExpression(const fs::path& path, const ExpressionReading& reading) {
    const ExpressionFamily family = expressionFamily(path);
    ExpressionTable table;
    if (family.name == kArray.name)
        table = fromArray(path, reading);
    else if (family.name == kAnnData.name)
        table = fromAnnData(path, reading);
    else if (family.name == kHdf5.name)
        table = fromHdf5(readHdf5Expression(path, reading.dataset, reading.transpose, sizeCheck(reading)));
    else
        table = fromTable(path,
                          readDelimitedTable<double>(
                              path, family.words == kAracne.words ? aracneForm(reading) : tableForm(reading)),
                          reading);
    if (table.view().empty())
        throw InputError(fmt::format("{}: has {} genes and {} samples; expected at least one of each",
                                     path.string(), table.view().rows(), table.view().columns()));
    numberFrom(table.genes, table.view().rows());
    numberFrom(table.samples, table.view().columns());
    // Of values that stay in their file, none is missing, and no name is repeated.
    if (table.inFile == nullptr) {
        if (reading.duplicates == DuplicateRule::MaxVariance) keepMostVariable(table);
        treatMissing(path.string(), table, reading.missing);
    }
    table.description = fmt::format("{} × {} of {}", formatCount(table.view().rows(), "gene"),
                                    formatCount(table.view().columns(), "sample"), path.filename().string());
    return table;
}

void treatMissing(const std::string& path, ExpressionTable& table, MissingValues rule) {
    switch (rule) {
        case MissingValues::Pairwise:
            break;
        case MissingValues::Mean:
            fill(table, mean, "mean");
            break;
        case MissingValues::Median:
            fill(table, median, "median");
            break;
        case MissingValues::DropSamples:
            dropSamples(path, table);
            break;
        case MissingValues::DropGenes:
            dropGenes(path, table);
            break;
    }
    table.missing = missingOf(table.values.data(), table.values.size());
}

}  // namespace glycine::io
