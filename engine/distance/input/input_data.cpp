#include "engine/distance/input/input_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/inspect_advice.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/suggestion.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/device_coordinates.hpp"
#include "engine/distance/input/format_readers.hpp"
#include "engine/distance/input/genotype_source.hpp"
#include "engine/io/arrays/mapped_npy.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/sequences/plink_files.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/io/text/number_rows.hpp"
#include "engine/storage/content_hash.hpp"

namespace glycine::distance {

namespace {

/// Genotypes instance by instance, as symbols.
std::unique_ptr<DiscreteSource> genotypesInMemory(Matrix<std::uint8_t> symbols) {
    DiscreteShape shape;
    shape.isGenotypes = true;
    return std::make_unique<SymbolMatrix>(std::move(symbols), shape);
}

// ---- tables

/// Numbers are read as double, because float32 represents few decimal numbers exactly.
using Table = io::NumberTable<double>;

/// Place of an entry, for messages.
struct Place {
    std::size_t row = 0;
    std::size_t column = 0;
};

/// Calls isGood(row) for the rows of a matrix of `size` elements, on all threads, and returns the first row
/// for which it is false; `rows` if there is none. Later rows may be left out then.
template <class Test>
std::size_t firstRowWithout(std::size_t rows, std::size_t size, const Test& isGood) {
    std::atomic<std::size_t> first{rows};
    const auto count = static_cast<std::ptrdiff_t>(rows);
#pragma omp parallel for schedule(static) if (size > 100000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(i);
        std::size_t before = first.load(std::memory_order_relaxed);
        if (row > before || isGood(row)) continue;
        while (row < before && !first.compare_exchange_weak(before, row)) continue;
    }
    return first;
}

/// The place of the first entry of a row for which isWrong(value) holds; nothing for a row after the last.
template <class T, class Test>
std::optional<Place> findInRow(const Matrix<T>& values, std::size_t row, const Test& isWrong) {
    if (row == values.rows()) return std::nullopt;
    const T* const entries = values.row(row);
    return Place{
        row, static_cast<std::size_t>(std::find_if(entries, entries + values.columns(), isWrong) - entries)};
}

constexpr std::array<std::uint8_t, 256> kSymbolsOfSmall = [] {
    std::array<std::uint8_t, 256> symbols{};
    for (unsigned byte = 0; byte < 256; ++byte)
        symbols[byte] = genotypeSymbol(io::fromSmall<double>(static_cast<std::int8_t>(byte)));
    return symbols;
}();

/// The genotype for an entry of a table.
std::uint8_t symbolOf(double value) {
    return genotypeSymbol(value);
}
std::uint8_t symbolOf(std::int8_t small) {
    return kSymbolsOfSmall[static_cast<std::uint8_t>(small)];
}

/// The genotypes of a table, and the first entry that is none; if there is one, the genotypes are not
/// complete.
template <class T>
std::pair<Matrix<std::uint8_t>, std::optional<Place>> toSymbols(const Matrix<T>& values) {
    Matrix<std::uint8_t> found(values.rows(), values.columns());
    const std::size_t row = firstRowWithout(values.rows(), values.size(), [&](std::size_t i) {
        const T* const entries = values.row(i);
        std::uint8_t* const symbols = found.row(i);
        unsigned char others = 0;
#pragma omp simd reduction(| : others)
        for (std::size_t k = 0; k < values.columns(); ++k) {
            const std::uint8_t symbol = symbolOf(entries[k]);
            symbols[k] = symbol;
            others |= symbol == kNoGenotype;
        }
        return others == 0;
    });
    const auto isWrong = [](T value) { return symbolOf(value) == kNoGenotype; };
    return {std::move(found), findInRow(values, row, isWrong)};
}

/// Throws InputError for entries that are not finite. `noGenotype`: the entry that made the automatic choice
/// treat the table as coordinates.
void requireFinite(const std::filesystem::path& path, const Table& table,
                   const std::optional<Place>& noGenotype) {
    const auto isWrong = [](double value) { return !std::isfinite(value); };
    const Matrix<double>& values = table.values;
    const std::size_t row = firstRowWithout(values.rows(), values.size(), [&](std::size_t i) {
        return std::none_of(values.row(i), values.row(i) + values.columns(), isWrong);
    });
    const std::optional<Place> place = findInRow(values, row, isWrong);
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

/// The names of the instances; with `transpose` these are the column names. Throws InputError for a repeated
/// name.
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

DataSet readTableData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes, DataKind::Coordinates});
    io::TableForm form{.header = options.header};
    form.keepsSmall = options.kind != DataKind::Coordinates;
    Table table = io::readDelimitedTable<double>(path, form);
    DataSet data;
    data.kind = options.kind;
    Matrix<std::uint8_t> symbols;
    std::optional<Place> noGenotype;
    if (options.kind != DataKind::Coordinates) {
        std::tie(symbols, noGenotype) =
            table.small.empty() ? toSymbols(table.values) : toSymbols(table.small);
        // Rows that are no genotypes are coordinates, or their values are in a message.
        if (noGenotype) table.widen();
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
        table.values = {};
        table.small = {};
        data.discrete = genotypesInMemory(options.transpose ? transposed(symbols) : std::move(symbols));
    }
    return data;
}

// ---- arrays

/// Converts an element of the array to a symbol.
struct ToSymbol {
    using Target = std::uint8_t;
    template <class Source>
    static Target convert(Source value) {
        if constexpr (sizeof(Source) > 1)
            return genotypeSymbol(value);
        else
            return kSymbols<Source>[static_cast<std::uint8_t>(value)];
    }
    /// The symbol of each byte.
    template <class Byte>
    static constexpr std::array<Target, 256> kSymbols = [] {
        std::array<Target, 256> symbols{};
        for (unsigned byte = 0; byte < 256; ++byte) symbols[byte] = genotypeSymbol(static_cast<Byte>(byte));
        return symbols;
    }();
    static bool accepts(Target symbol) { return symbol != kNoGenotype; }
    static constexpr std::string_view kExpected = kExpectedGenotypes;
};
/// Number: float if it holds every element exactly, else double.
template <class Number>
struct ToCoordinate {
    using Target = Number;
    template <class Source>
    static Target convert(Source value) {
        if constexpr (std::is_integral_v<Source>)
            if (!holdsExactly<Number>(value)) return std::numeric_limits<Number>::quiet_NaN();
        return static_cast<Number>(value);
    }
    static bool accepts(Target value) { return std::isfinite(value); }
    static constexpr std::string_view kExpected =
        "expected a finite number, of integers one that float64 holds exactly (up to 2^53 each is)";
};

/// Whether float32 holds every element of the array exactly.
bool isSingle(const io::NpyHeader& header) {
    return header.itemBytes <= (header.kind == io::NpyKind::Float ? sizeof(float) : sizeof(std::int16_t));
}

/// Copies a block of the file into place; its lines are either instances or attributes. Returns whether all
/// elements are accepted.
template <class Conversion, class Source>
bool convert(const io::NpyBlock& block, std::span<const Source> values, bool linesAreInstances,
             Matrix<typename Conversion::Target>& target) {
    const std::size_t length = block.lineLength;
    const std::size_t rows = linesAreInstances ? block.lines : length;
    const std::size_t count = linesAreInstances ? length : block.lines;
    const std::size_t rowStep = linesAreInstances ? length : 1;
    const std::size_t step = linesAreInstances ? 1 : length;
    bool isGood = true;
    // Each row of the target belongs to one thread, which writes it in memory order.
#pragma omp parallel for schedule(static) reduction(&& : isGood) if (values.size() > 100000)
    for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(rows); ++row) {
        const auto index = static_cast<std::size_t>(row);
        auto* const to =
            linesAreInstances ? target.row(block.firstLine + index) : target.row(index) + block.firstLine;
        const Source* const from = values.data() + index * rowStep;
        unsigned refused = 0;
        for (std::size_t k = 0; k < count; ++k) {
            to[k] = Conversion::convert(from[k * step]);
            refused |= Conversion::accepts(to[k]) ? 0U : 1U;
        }
        isGood = isGood && refused == 0;
    }
    return isGood;
}

/// Throws for the first element that is not accepted, naming its row and column in the array, counted from 0.
template <class Conversion, class Source>
[[noreturn]] void refuse(const io::NpyBlock& block, std::span<const Source> values, const std::string& name) {
    std::size_t k = 0;
    while (k + 1 < values.size() && Conversion::accepts(Conversion::convert(values[k]))) ++k;
    std::size_t row = block.firstLine + k / block.lineLength;
    std::size_t column = k % block.lineLength;
    if (block.isColumns) std::swap(row, column);
    throw InputError(
        fmt::format("{}: ({}, {}) is {}; {}", name, row, column, values[k], Conversion::kExpected));
}

template <class Conversion>
Matrix<typename Conversion::Target> readArray(io::ByteSource& source, const io::NpyHeader& header,
                                              bool transpose) {
    const bool isMatrix = header.shape.size() == 2;
    Matrix<typename Conversion::Target> target(isMatrix ? header.shape[transpose ? 1 : 0] : 0,
                                               isMatrix ? header.shape[transpose ? 0 : 1] : 0);
    io::visitNpyMatrix(source, header, [&](const io::NpyBlock& block) {
        std::visit(
            [&](const auto& values) {
                if (!convert<Conversion>(block, values, block.isColumns == transpose, target))
                    refuse<Conversion>(block, values, source.name());
            },
            block.values);
    });
    return target;
}

/// Genotypes of a mapped file, decoded as they are read.
class MappedGenotypes final : public DiscreteSource {
  public:
    MappedGenotypes(std::shared_ptr<const io::MappedNpy> file, std::unique_ptr<DiscreteSource> genotypes)
        : file_(std::move(file)), genotypes_(std::move(genotypes)) {
        file_->requireUnchanged();
    }
    const DiscreteShape& shape() const override { return genotypes_->shape(); }
    void readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const override {
        genotypes_->readSymbols(instances, attributes, target);
        file_->requireUnchanged();
    }
    PlaneBlock readPlanes(Range instances, Range attributes) const override {
        PlaneBlock block = genotypes_->readPlanes(instances, attributes);
        file_->requireUnchanged();
        return block;
    }

  private:
    std::shared_ptr<const io::MappedNpy> file_;
    std::unique_ptr<DiscreteSource> genotypes_;
};

std::unique_ptr<DiscreteSource> genotypesIn(std::shared_ptr<const io::MappedNpy> file,
                                            const std::filesystem::path& path, ProcessTeam* team) {
    std::unique_ptr<DiscreteSource> genotypes = std::visit(
        [&]<class Number>(std::span<const Number> numbers) {
            return genotypesOf(
                StridedNumbers<Number>{numbers.data(), file->rows(), file->columns(),
                                       static_cast<std::ptrdiff_t>(file->columns() * sizeof(Number)),
                                       sizeof(Number)},
                path.string(), team);
        },
        file->values());
    return std::make_unique<MappedGenotypes>(std::move(file), std::move(genotypes));
}

/// Coordinates that can be used where they are: float32 and float64. Each process checks its rows.
bool areCoordinates(const io::MappedNpy& file, const std::filesystem::path& path, const ProcessTeam& team) {
    const Range own = ownPart(team, file.rows());
    return std::visit(
        [&]<class Number>(std::span<const Number> numbers) {
            if constexpr (std::is_floating_point_v<Number>) {
                const std::size_t columns = file.columns();
                const MatrixView<const Number> rows(numbers.data() + own.begin * columns, own.size(),
                                                    columns);
                const auto place = firstRefused(rows, ToCoordinate<Number>::accepts);
                file.requireUnchanged();
                if (place)
                    throw InputError(fmt::format(
                        "{}: ({}, {}) is {}; {}", path.string(), own.begin + place->row, place->column,
                        rows(place->row, place->column), ToCoordinate<Number>::kExpected));
            }
            return std::is_floating_point_v<Number>;
        },
        file.values());
}

DataSet readNpyData(const std::filesystem::path& path, const InputOptions& options) {
    requireKind(path, options, {DataKind::Genotypes, DataKind::Coordinates});
    ProcessTeam* const team = teamForFiles(options, {path});
    const std::unique_ptr<io::ByteSource> source = io::openFile(path);
    const io::NpyHeader header = io::readNpyHeader(*source);
    DataSet data;
    data.kind = options.kind != DataKind::Automatic ? options.kind
                : header.kind == io::NpyKind::Float ? DataKind::Coordinates
                                                    : DataKind::Genotypes;
    std::shared_ptr<const io::MappedNpy> file;
    const bool areSmallGenotypes = data.kind == DataKind::Genotypes && header.itemBytes == 1;
    if ((team != nullptr || areSmallGenotypes) && !options.transpose)
        file = io::MappedNpy::open(path, header);
    if (data.kind == DataKind::Genotypes)
        data.discrete = file != nullptr
                            ? genotypesIn(std::move(file), path, team)
                            : genotypesInMemory(readArray<ToSymbol>(*source, header, options.transpose));
    else if (file != nullptr && areCoordinates(*file, path, *team))
        data.inFile = std::move(file);
    else if (isSingle(header))
        data.coordinates = readArray<ToCoordinate<float>>(*source, header, options.transpose);
    else
        data.coordinates = readArray<ToCoordinate<double>>(*source, header, options.transpose);
    return data;
}

// ---- formats by the names of files

using Reader = DataSet (*)(const std::filesystem::path&, const InputOptions&);

/// A family of formats with a common reader.
struct InputFormat {
    InputFamily family;
    Reader read = nullptr;
    std::string_view instances;  ///< names of instances and attributes in this format
    std::string_view attributes;
    bool canTranspose = false;
};

constexpr InputFormat kPlink{{"plink", "a PLINK set"}, readPlinkData, "samples", "variants", false};
constexpr InputFormat kCalls{{"calls", "a VCF or BCF file"}, readCallData, "samples", "variants", false};
constexpr InputFormat kSequences{
    {"sequences", "an alignment"}, readSequenceData, "sequences", "sites", false};
constexpr InputFormat kAlignment{
    {"sequences", "an alignment"}, readAlignmentData, "sequences", "sites", false};
constexpr InputFormat kArray{{"array", "an .npy file"}, readNpyData, "instances", "attributes", true};
constexpr InputFormat kTable{{"table", "a table"}, readTableData, "instances", "attributes", true};

/// A format, by the ending of the file name.
struct Ending {
    std::string_view text;
    const InputFormat* format;
    bool mayBePacked;  ///< also with .gz or .bgz after it
};
constexpr Ending kEndings[] = {
    {".bed", &kPlink, false},          {".vcf", &kCalls, true},         {".bcf", &kCalls, false},
    {".fa", &kSequences, true},        {".fasta", &kSequences, true},   {".fas", &kSequences, true},
    {".fna", &kSequences, true},       {".faa", &kSequences, true},     {".afa", &kSequences, true},
    {".aln", &kAlignment, true},       {".clustal", &kAlignment, true}, {".phy", &kAlignment, true},
    {".phylip", &kAlignment, true},    {".sto", &kAlignment, true},     {".stk", &kAlignment, true},
    {".stockholm", &kAlignment, true}, {".msf", &kAlignment, true},     {".npy", &kArray, false},
    {".csv", &kTable, true},           {".tsv", &kTable, true},         {".txt", &kTable, true},
};

constexpr std::string_view kExpectedFiles =
    ".bed (or what the names of a .bed, a .bim and a .fam file share), .vcf, .bcf, .fa, .fasta, .fas, .fna, "
    ".faa, .afa, .aln, .clustal, .phy, .phylip, .sto, .stk, .stockholm, .msf, .npy, .csv, .tsv or .txt "
    "(.vcf, sequences and tables also with .gz or .bgz)";

const InputFormat& inputFormat(const std::filesystem::path& path) {
    const std::string whole = lowerCase(path.filename().string());
    const std::string_view name = withoutPacking(whole);
    const bool isPacked = name.size() < whole.size();
    for (const Ending& ending : kEndings)
        if (name.ends_with(ending.text) && (!isPacked || ending.mayBePacked)) return *ending.format;
    if (std::filesystem::exists(path.string() + ".bed")) return kPlink;
    if (name.ends_with(".bed"))
        throw UsageError(fmt::format("{}: a .bed file is mapped, which needs it unpacked: run gunzip first",
                                     path.string()));
    for (const std::string_view ending : {".pgen", ".pvar", ".psam", ".pvar.zst"})
        if (name.ends_with(ending)) {
            const std::string base = path.string().substr(0, path.string().size() - ending.size());
            throw UsageError(fmt::format(
                "{}: PLINK 2's .pgen files are not read; make a .bed set of it first: plink2 --pfile {} "
                "--make-bed --out {}",
                path.string(), base, base));
        }
    if (name.ends_with(".bim") || name.ends_with(".fam"))
        throw UsageError(fmt::format("{}: expected the .bed file of the set, or what the three names share",
                                     path.string()));
    throw UsageError(fmt::format("{}: unknown kind of file; expected {}{}", path.string(), kExpectedFiles,
                                 inspectAdvice(path.string())));
}

}  // namespace

void requireKind(const std::filesystem::path& path, const InputOptions& options,
                 std::initializer_list<DataKind> possible) {
    if (options.kind == DataKind::Automatic ||
        std::find(possible.begin(), possible.end(), options.kind) != possible.end())
        return;
    std::string names;
    for (const DataKind kind : possible)
        names += fmt::format("{}{}", names.empty() ? "" : " or ", toString(kind));
    throw UsageError(
        fmt::format("{}: such a file holds {}, not {}", path.string(), names, toString(options.kind)));
}

ProcessTeam* teamForFiles(const InputOptions& options, const std::vector<std::filesystem::path>& files) {
    const bool isShared = options.team != nullptr && storage::areSameFiles(files, *options.team);
    return isShared ? options.team : nullptr;
}

std::string LeftOutSites::text() const {
    return fmt::format("{} of {} ({}): {}", formatCount(sites), formatCount(of, "site"),
                       formatShare(share(), 1), reason);
}

DataView DataSet::view() const {
    DataView data;
    data.discrete = discrete.get();
    if (inFile == nullptr)
        data.coordinates = viewOf(coordinates);
    else if (std::holds_alternative<std::span<const float>>(inFile->values()))
        data.coordinates = inFile->view<float>();
    else
        data.coordinates = inFile->view<double>();
    return data;
}

DataSet selectInstances(const DataView& data, const std::vector<std::size_t>& instances) {
    DataSet part;
    const std::size_t attributes = data.attributes();
    if (data.isCoordinates()) {
        part.kind = DataKind::Coordinates;
        if (const DeviceCoordinates* const device = data.coordinates.device()) {
            part.coordinates = device->rowsOnHost(instances);
            return part;
        }
        data.coordinates.visit([&]<class Number>(CoordinateRows<Number> numbers) {
            Matrix<Number> chosen(instances.size(), attributes);
            for (std::size_t i = 0; i < instances.size(); ++i)
                std::copy_n(numbers.row(instances[i]), attributes, chosen.row(i));
            part.coordinates = std::move(chosen);
        });
        return part;
    }
    Matrix<std::uint8_t> symbols(instances.size(), attributes);
    for (std::size_t i = 0; i < instances.size(); ++i)
        data.discrete->readSymbols({instances[i], instances[i] + 1}, {0, attributes},
                                   symbols.view().block(i, 0, 1, attributes));
    part.discrete = std::make_unique<SymbolMatrix>(std::move(symbols), data.discrete->shape());
    return part;
}

InputFamily inputFamily(const std::filesystem::path& path) {
    return inputFormat(path).family;
}

std::vector<std::filesystem::path> inputFiles(const std::filesystem::path& path) {
    if (&inputFormat(path) != &kPlink) return {path};
    const io::PlinkPaths paths = io::plinkPaths(path);
    return {paths.bed, paths.bim, paths.fam};
}

DataSet readDataSet(const std::filesystem::path& path, const InputOptions& options) {
    const InputFormat& format = inputFormat(path);
    if (options.transpose && !format.canTranspose)
        throw UsageError(fmt::format("{}: only tables and .npy files can be transposed", path.string()));
    DataSet data = format.read(path, options);
    const std::size_t instances = data.view().instances();
    const std::size_t attributes = data.view().attributes();
    const std::string why = !data.leftOut.empty() ? data.leftOut.front().text()
                            : !data.notes.empty() ? data.notes.front()
                                                  : "";
    if (instances == 0 || attributes == 0)
        throw InputError(fmt::format("{}: has {} {} and {} {}{}; expected at least one of each",
                                     path.string(), instances, format.instances, attributes,
                                     format.attributes, why.empty() ? "" : " (" + why + ")"));
    for (std::size_t i = data.names.size(); i < instances; ++i) data.names.push_back(fmt::to_string(i + 1));
    if (data.familyIds.empty())
        for (const std::string& name : data.names) data.familyIds.emplace_back(name, name);
    const auto words = [](std::size_t count, std::string_view plural) {
        return plural.substr(0, plural.size() - (count == 1 ? 1 : 0));
    };
    data.description =
        fmt::format("{} {} × {} {} ({}) of {}", instances, words(instances, format.instances), attributes,
                    words(attributes, format.attributes), toString(data.kind), path.filename().string());
    return data;
}

}  // namespace glycine::distance
