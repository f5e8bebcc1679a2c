#include "engine/distance/results/distance_files.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/distance/results/result_plink.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::distance {

namespace fs = std::filesystem;

namespace {

/// Endings of file names. A longer one stands before those that it ends with.
constexpr std::pair<std::string_view, ResultFormat> kResultEndings[] = {
    {".npy", ResultFormat::Npy},
    {".npz", ResultFormat::Npz},
    {".csv", ResultFormat::Csv},
    {".tsv", ResultFormat::Tsv},
    {".phylip.dist", ResultFormat::Phylip},
    {".phylip", ResultFormat::Phylip},
    {".phy", ResultFormat::Phylip},
    {".dist", ResultFormat::PlinkText},
    {".mdist", ResultFormat::PlinkText},
    {".mibs", ResultFormat::PlinkText},
    {".dist.bin", ResultFormat::PlinkBinary},
    {".mdist.bin", ResultFormat::PlinkBinary},
    {".mibs.bin", ResultFormat::PlinkBinary},
};

const std::pair<std::string_view, ResultFormat>& endingOf(const fs::path& path) {
    // What goes to standard output is text.
    const std::string name = storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.filename().string());
    for (const auto& ending : kResultEndings)
        if (name.ends_with(ending.first)) return ending;
    throw UsageError(
        fmt::format("{}: the ending stands for no result format; known: .npy, .npz, .csv, .tsv, .phy, "
                    ".phylip, .phylip.dist, .dist, "
                    ".mdist, .mibs, .dist.bin, .mdist.bin, .mibs.bin",
                    path.string()));
}

bool isPlink(ResultFormat format) {
    return format == ResultFormat::PlinkText || format == ResultFormat::PlinkBinary;
}

/// What PLINK would write under this ending must be what the file holds.
void checkPlinkMeasure(const fs::path& path, std::string_view ending, Measure measure) {
    const bool isIbsFile = ending.starts_with(".mibs");
    const bool isProportionFile = ending.starts_with(".mdist");
    if (isIbsFile == (measure == Measure::Ibs) && isProportionFile == (measure == Measure::OneMinusIbs))
        return;
    const std::string_view suitable = measure == Measure::Ibs           ? ".mibs"
                                      : measure == Measure::OneMinusIbs ? ".mdist"
                                                                        : ".dist";
    throw UsageError(
        fmt::format("{}: PLINK's {} files hold {}; the measure is '{}', for which the ending is {}",
                    path.string(), ending,
                    isIbsFile          ? "'ibs'"
                    : isProportionFile ? "'1-ibs'"
                                       : "distances",
                    toString(measure), suitable));
}

Shape shapeOf(ResultFormat format, const ResultFileOptions& options) {
    return options.shape.value_or(format == ResultFormat::PlinkText ? Shape::Triangle : Shape::Square);
}

}  // namespace

ResultFormat resultFormat(const fs::path& path, const ResultFileOptions& options, Measure measure) {
    const auto& [ending, namedFormat] = endingOf(path);
    const ResultFormat format =
        namedFormat == ResultFormat::Tsv && options.molten ? ResultFormat::Molten : namedFormat;
    if (options.molten && format != ResultFormat::Molten)
        throw UsageError(fmt::format("{}: only .tsv files can be molten (a line a pair)", path.string()));
    if (options.maxDistance && format != ResultFormat::Molten)
        throw UsageError(fmt::format(
            "{}: only molten .tsv files can leave out pairs beyond a maximum distance", path.string()));
    if (options.maxDistance && measure == Measure::Ibs)
        throw UsageError(
            fmt::format("{}: a maximum distance needs a distance; 'ibs' is a similarity", path.string()));
    if (options.shape == Shape::SquareZero && !isPlink(format))
        throw UsageError(fmt::format(
            "{}: square0 (zeros above the diagonal) is a shape of PLINK's files only; use square or triangle",
            path.string()));
    if (isPlink(format)) checkPlinkMeasure(path, ending, measure);
    if (format == ResultFormat::Phylip && measure == Measure::Ibs)
        throw UsageError(fmt::format("{}: PHYLIP files hold distances; 'ibs' is a similarity (use '1-ibs')",
                                     path.string()));
    return format;
}

pairs::StoreLayout suitableLayout(ResultFormat format, const ResultFileOptions& options) {
    if (shapeOf(format, options) == Shape::Square) return pairs::StoreLayout::Square;
    const bool isArray = format == ResultFormat::Npy || format == ResultFormat::Npz;
    return isArray ? pairs::StoreLayout::Condensed : pairs::StoreLayout::Triangle;
}

std::vector<fs::path> resultFiles(const fs::path& path, ResultFormat format) {
    if (format == ResultFormat::Npy) return {path, io::npyNamesFile(path)};
    if (!isPlink(format)) return {path};
    fs::path ids = path;
    if (format == ResultFormat::PlinkBinary) ids.replace_extension();
    return {path, ids += ".id"};
}

void checkLabels(const fs::path& path, ResultFormat format, const ResultLabels& labels) {
    if (format == ResultFormat::Tsv || format == ResultFormat::Molten)
        pairs::checkTsvNames(path, labels.names);
    if (format == ResultFormat::Phylip) pairs::checkPhylipNames(path, labels.names);
    if (isPlink(format)) checkPlinkIds(resultFiles(path, format).back(), labels);
}

void writeResult(const fs::path& path, ResultFormat format, const pairs::PairStore& store,
                 const ResultLabels& labels, const ResultFileOptions& options, Progress& progress) {
    const pairs::PairFile file{store, labels.names, progress};
    const ResultParts plink{store, labels, progress};
    const Shape shape = shapeOf(format, options);
    const pairs::StoreLayout part = suitableLayout(format, options);
    switch (format) {
        case ResultFormat::Npy:
            pairs::writeNpy(path, file, part);
            return writeNpyLabels(path, labels);
        case ResultFormat::Npz:
            return pairs::writeNpz(path, file, part, {{"measure", std::string(toString(labels.measure))}});
        case ResultFormat::Csv:
            return pairs::writeCsv(path, file, part);
        case ResultFormat::Tsv:
            return pairs::writeTsv(path, file, part);
        case ResultFormat::Molten:
            return pairs::writeMolten(path, file, part, options.maxDistance);
        case ResultFormat::Phylip:
            return pairs::writePhylip(path, file, part);
        case ResultFormat::PlinkText:
            return writePlinkText(path, plink, shape);
        case ResultFormat::PlinkBinary:
            return writePlinkBinary(path, plink, shape);
    }
}

void writeNpyLabels(const fs::path& path, const ResultLabels& labels) {
    io::writeNpyNames(path, labels.names);
}

}  // namespace glycine::distance
