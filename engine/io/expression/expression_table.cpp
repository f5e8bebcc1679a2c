#include "engine/io/expression/expression_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/core/transpose.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/expression/anndata.hpp"
#include "engine/io/text/delimited_table.hpp"

namespace glycine::io {

namespace fs = std::filesystem;

namespace {

constexpr ExpressionFamily kTable{"table", "a table"};
constexpr ExpressionFamily kAracne{"table", "an .exp file"};
constexpr ExpressionFamily kArray{"array", "an .npy file"};
constexpr ExpressionFamily kAnnData{"anndata", "an .h5ad file"};
constexpr ExpressionFamily kHdf5{"hdf5", "an HDF5 file"};

struct Ending {
    std::string_view text;
    const ExpressionFamily* family;
    bool mayBePacked;
};
constexpr Ending kEndings[] = {
    {".tsv", &kTable, true},  {".csv", &kTable, true},     {".txt", &kTable, true}, {".exp", &kAracne, true},
    {".npy", &kArray, false}, {".h5ad", &kAnnData, false}, {".h5", &kHdf5, false},  {".hdf5", &kHdf5, false}};

using Table = NumberTable<double>;

void tellSize(TableForm& form, const ExpressionReading& reading) {
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
    tellSize(form, reading);
    return form;
}

TableForm aracneForm(const ExpressionReading& reading) {
    TableForm form{.header = reading.header.value_or(true)};
    form.annotations = 1;
    form.isComment = [](std::string_view line) {
        return line.starts_with('#') || line.starts_with("Description");
    };
    tellSize(form, reading);
    return form;
}

/// Throws InputError for the first value that is neither finite nor missing.
template <class Place>
void requireFinite(const fs::path& path, const Matrix<double>& values, const Place& place) {
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t k = 0; k < values.columns(); ++k)
            if (std::isinf(values(i, k)))
                throw InputError(fmt::format("{}: {} is {}; expected a finite number, or NA for missing",
                                             path.string(), place(i, k), values(i, k)));
}

/// Of the values that are there; −1 where there are none.
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

/// Of several genes of one name, keeps the one with the largest variance.
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

/// Throws InputError for a name that is empty or there twice. `place(i)`: where name i stands.
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
    requireFinite(path, table.values,
                  [&](std::size_t row, std::size_t column) { return table.place(row, column); });
    const auto line = [&](std::size_t row) { return fmt::format("line {}", table.lines[row]); };
    const auto column = [&](std::size_t k) {
        return fmt::format("column {}", k + (table.rowNames.empty() ? 1 : 2) + table.annotations);
    };
    const bool mayRepeat = reading.duplicates == DuplicateRule::MaxVariance;
    // Samples are measured again under one name; nothing here depends on theirs.
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

ExpressionTable fromArray(const fs::path& path, const ExpressionReading& reading) {
    ExpressionTable result;
    const std::unique_ptr<ByteSource> source = openFile(path);
    const NpyHeader header = readNpyHeader(*source);
    if (reading.sizeKnown && header.shape.size() == 2)
        reading.sizeKnown({.genes = header.shape[reading.transpose ? 1 : 0],
                           .samples = header.shape[reading.transpose ? 0 : 1]});
    result.values = readNpyMatrix<double>(*source, header);
    requireFinite(path, result.values,
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
    return fromHdf5(readAnnData(path, reading.layer, check, sizeCheck(reading)));
}

void numberFrom(std::vector<std::string>& names, std::size_t count) {
    for (std::size_t i = names.size(); i < count; ++i) names.push_back(fmt::to_string(i + 1));
}

}  // namespace

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
    throw UsageError(
        fmt::format("{}: unknown kind of file; expected .tsv, .csv, .txt, .exp (all of these "
                    "also with .gz or .bgz), .npy, .h5ad, .h5 or .hdf5",
                    path.string()));
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
    if (table.values.empty())
        throw InputError(fmt::format("{}: has {} genes and {} samples; expected at least one of each",
                                     path.string(), table.values.rows(), table.values.columns()));
    numberFrom(table.genes, table.values.rows());
    numberFrom(table.samples, table.values.columns());
    if (reading.duplicates == DuplicateRule::MaxVariance) keepMostVariable(table);
    treatMissing(path.string(), table, reading.missing);
    table.description = fmt::format("{} × {} of {}", formatCount(table.values.rows(), "gene"),
                                    formatCount(table.values.columns(), "sample"), path.filename().string());
    return table;
}

}  // namespace glycine::io
