#include "engine/algorithms/mutualinfo/results/information_files.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::mutualinfo {

namespace fs = std::filesystem;

InformationFormat informationFormat(const fs::path& path, const InformationFileOptions& options) {
    const std::string ending =
        storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.extension().string());
    if (ending == ".tsv") return options.molten ? InformationFormat::Molten : InformationFormat::Tsv;
    if (options.molten)
        throw UsageError(fmt::format("{}: only .tsv files can be molten (a line a pair)", path.string()));
    if (ending == ".npy") return InformationFormat::Npy;
    if (ending == ".npz") return InformationFormat::Npz;
    if (ending == ".csv") return InformationFormat::Csv;
    throw UsageError(fmt::format("{}: the ending stands for no result format; known: .npy, .npz, .csv, .tsv",
                                 path.string()));
}

pairs::StoreLayout layoutOf(InformationFormat format, const InformationFileOptions& options) {
    if (options.shape == InformationShape::Square) return pairs::StoreLayout::Square;
    const bool isArray = format == InformationFormat::Npy || format == InformationFormat::Npz;
    return isArray ? pairs::StoreLayout::Condensed : pairs::StoreLayout::Triangle;
}

std::vector<fs::path> informationFiles(const fs::path& path, InformationFormat format) {
    if (format == InformationFormat::Npy) return {path, io::npyNamesFile(path)};
    return {path};
}

void writeInformation(const fs::path& path, const InformationFileOptions& options,
                      const pairs::PairStore& store, const std::vector<std::string>& genes, Unit unit,
                      Progress& progress) {
    const InformationFormat format = informationFormat(path, options);
    const pairs::PairFile file{store, genes, progress};
    const pairs::StoreLayout part = layoutOf(format, options);
    switch (format) {
        case InformationFormat::Npy:
            pairs::writeNpy(path, file, part);
            return io::writeNpyNames(path, genes);
        case InformationFormat::Npz:
            return pairs::writeNpz(path, file, part, {{"unit", std::string(toString(unit))}});
        case InformationFormat::Csv:
            return pairs::writeCsv(path, file, part);
        case InformationFormat::Tsv:
            return pairs::writeTsv(path, file, part);
        case InformationFormat::Molten:
            return pairs::writeMolten(path, file, part, {});
    }
}

}  // namespace glycine::mutualinfo
