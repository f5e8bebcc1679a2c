#include "engine/distance/input/input_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/input/input_readers.hpp"
#include "engine/io/sequences/plink_files.hpp"

namespace glycine::distance {

namespace {

using Reader = DataSet (*)(const std::filesystem::path&, const InputOptions&);

/// A family of formats that are read in one way.
struct InputFormat {
    InputFamily family;
    Reader read = nullptr;
    std::string_view instances;  ///< what instances and attributes are called in it
    std::string_view attributes;
    bool canTranspose = false;
};

constexpr InputFormat kPlink{{"plink", "a PLINK set"}, readPlinkData, "samples", "variants", false};
constexpr InputFormat kCalls{{"calls", "a VCF or BCF file"}, readCallData, "samples", "variants", false};
constexpr InputFormat kSequences{
    {"sequences", "an alignment"}, readSequenceData, "sequences", "sites", false};
constexpr InputFormat kArray{{"array", "an .npy file"}, readNpyData, "instances", "attributes", true};
constexpr InputFormat kTable{{"table", "a table"}, readTableData, "instances", "attributes", true};

/// A format by the ending of the file's name.
struct Ending {
    std::string_view text;
    const InputFormat* format;
    bool mayBePacked;  ///< also with .gz or .bgz behind it
};
constexpr Ending kEndings[] = {
    {".bed", &kPlink, false},    {".vcf", &kCalls, true},       {".bcf", &kCalls, false},
    {".fa", &kSequences, true},  {".fasta", &kSequences, true}, {".fna", &kSequences, true},
    {".faa", &kSequences, true}, {".aln", &kSequences, true},   {".afa", &kSequences, true},
    {".npy", &kArray, false},    {".csv", &kTable, true},       {".tsv", &kTable, true},
    {".txt", &kTable, true},
};

constexpr std::string_view kExpectedFiles =
    ".bed (or what the names of a .bed, a .bim and a .fam file share), .vcf, .bcf, .fa, .fasta, .fna, .faa, "
    ".aln, .afa, .npy, .csv, .tsv or .txt (.vcf, sequences and tables also with .gz or .bgz)";

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
    if (name.ends_with(".bim") || name.ends_with(".fam"))
        throw UsageError(fmt::format("{}: expected the .bed file of the set, or what the three names share",
                                     path.string()));
    throw UsageError(fmt::format("{}: unknown kind of file; expected {}", path.string(), kExpectedFiles));
}

}  // namespace

std::string LeftOutSites::text() const {
    return fmt::format("{} of {} ({}): {}", formatCount(sites), formatCount(of, "site"),
                       formatShare(share(), 1), reason);
}

DataView DataSet::view() const {
    DataView data;
    data.discrete = discrete.get();
    data.coordinates = viewOf(coordinates);
    return data;
}

DataSet selectInstances(const DataView& data, const std::vector<std::size_t>& instances) {
    DataSet part;
    const std::size_t attributes = data.attributes();
    if (data.isCoordinates()) {
        part.kind = DataKind::Coordinates;
        data.coordinates.visit([&]<class Number>(MatrixView<const Number> numbers) {
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
    data.description = fmt::format("{} {} × {} {} ({}) of {}", instances, format.instances, attributes,
                                   format.attributes, toString(data.kind), path.filename().string());
    return data;
}

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

std::unique_ptr<DiscreteSource> genotypesInMemory(Matrix<std::uint8_t> symbols) {
    DiscreteShape shape;
    shape.isGenotypes = true;
    return std::make_unique<SymbolMatrix>(std::move(symbols), shape);
}

}  // namespace glycine::distance
