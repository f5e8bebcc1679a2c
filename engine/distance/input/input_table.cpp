#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/input/input_readers.hpp"
#include "engine/io/text/delimited_table.hpp"

namespace glycine::distance {

namespace {

/// Decimal numbers are read in double: float32 has few of them.
using Table = io::NumberTable<double>;

/// Of an entry, for messages.
struct Place {
    std::size_t row = 0;
    std::size_t column = 0;
};

/// The first entry for which isWrong(value), row by row.
template <class Test>
std::optional<Place> findEntry(const Matrix<double>& values, const Test& isWrong) {
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t k = 0; k < values.columns(); ++k)
            if (isWrong(values(i, k))) return Place{i, k};
    return std::nullopt;
}

std::optional<Place> findNoGenotype(const Matrix<double>& values) {
    return findEntry(values, [](double value) { return genotypeSymbol(value) == kNoGenotype; });
}

Matrix<std::uint8_t> toSymbols(const Matrix<double>& values) {
    Matrix<std::uint8_t> symbols(values.rows(), values.columns());
    std::transform(values.data(), values.data() + values.size(), symbols.data(), genotypeSymbol<double>);
    return symbols;
}

/// Throws InputError for entries that are no finite numbers. `noGenotype`: what made an automatic choice take
/// the table for coordinates.
void requireFinite(const std::filesystem::path& path, const Table& table,
                   const std::optional<Place>& noGenotype) {
    const std::optional<Place> place =
        findEntry(table.values, [](double value) { return !std::isfinite(value); });
    if (!place) return;
    const double value = table.values(place->row, place->column);
    std::string reason;
    if (noGenotype)
        reason = fmt::format("; these are no genotypes, since {} is {}",
                             table.place(noGenotype->row, noGenotype->column),
                             table.values(noGenotype->row, noGenotype->column));
    throw InputError(fmt::format("{}: {} is {}; expected a finite number as a coordinate{}", path.string(),
                                 table.place(place->row, place->column),
                                 std::isnan(value) ? "missing" : fmt::to_string(value), reason));
}

/// The names of the instances, which `transpose` takes from the columns. Throws InputError for a name that is
/// there twice.
std::vector<std::string> instanceNames(const std::filesystem::path& path, Table& table, bool transpose) {
    std::vector<std::string> names = std::move(transpose ? table.columnNames : table.rowNames);
    const auto place = [&](std::size_t index) {
        if (!transpose) return fmt::format("line {}", table.lines[index]);
        return fmt::format("column {}", index + (table.rowNames.empty() ? 1 : 2));
    };
    if (const auto repeated = firstRepeated(names))
        throw InputError(fmt::format("{}: {} and {} are both named '{}'; expected each name once",
                                     path.string(), place(repeated->first), place(repeated->second),
                                     excerpt(names[repeated->first])));
    return names;
}

}  // namespace

DataSet readTableData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes, DataKind::Coordinates});
    Table table = io::readDelimitedTable<double>(path, {.header = options.header});
    DataSet data;
    data.kind = options.kind;
    std::optional<Place> noGenotype;
    if (options.kind != DataKind::Coordinates) {
        noGenotype = findNoGenotype(table.values);
        if (options.kind == DataKind::Automatic)
            data.kind = noGenotype ? DataKind::Coordinates : DataKind::Genotypes;
        else if (noGenotype)
            throw InputError(
                fmt::format("{}: {} is {}, outside the alphabet; expected 0, 1 or 2, or NA, -1 or -9 "
                            "for a missing genotype",
                            path.string(), table.place(noGenotype->row, noGenotype->column),
                            table.values(noGenotype->row, noGenotype->column)));
    }
    if (data.kind == DataKind::Coordinates) requireFinite(path, table, noGenotype);
    data.names = instanceNames(path, table, options.transpose);
    if (data.kind == DataKind::Coordinates) {
        data.coordinates = options.transpose ? transposed(table.values) : std::move(table.values);
    } else {
        Matrix<std::uint8_t> symbols = toSymbols(table.values);
        table.values = {};
        data.discrete = genotypesInMemory(options.transpose ? transposed(symbols) : std::move(symbols));
    }
    return data;
}

}  // namespace glycine::distance
