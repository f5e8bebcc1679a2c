#include "engine/pairs/files/matrix_file.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/pairs/files/pair_picture.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace fs = std::filesystem;

MatrixFormat matrixFormat(const fs::path& path, const MatrixFileOptions& options) {
    const std::string ending =
        storage::isStandardOutput(path) ? ".tsv" : lowerCase(path.extension().string());
    if (ending == ".tsv") return options.molten ? MatrixFormat::Molten : MatrixFormat::Tsv;
    if (options.molten)
        throw UsageError(fmt::format("{}: only .tsv files can be molten (a line per pair)", path.string()));
    if (ending == ".npy") return MatrixFormat::Npy;
    if (ending == ".npz") return MatrixFormat::Npz;
    if (ending == ".csv") return MatrixFormat::Csv;
    const bool isPhylip = ending == ".phy" || ending == ".phylip" ||
                          lowerCase(path.filename().string()).ends_with(".phylip.dist");
    if (isPhylip && options.areDistances) return MatrixFormat::Phylip;
    throw UsageError(
        fmt::format("{}: the ending stands for no result format; known: .npy, .npz, .csv, .tsv{}{}",
                    path.string(), options.areDistances ? ", .phy, .phylip, .phylip.dist" : "",
                    options.hasPictures ? ", .png, .svg, .pdf" : ""));
}

StoreLayout layoutOf(MatrixFormat format, const MatrixFileOptions& options) {
    if (options.shape == MatrixShape::Square) return StoreLayout::Square;
    const bool isArray = format == MatrixFormat::Npy || format == MatrixFormat::Npz;
    return isArray ? StoreLayout::Condensed : StoreLayout::Triangle;
}

std::vector<fs::path> matrixFiles(const fs::path& path, MatrixFormat format) {
    if (format == MatrixFormat::Npy) return {path, io::npyNamesFile(path)};
    return {path};
}

void checkNames(const std::vector<std::string>& outputs, const MatrixFileOptions& options,
                std::span<const std::string> names) {
    for (const std::string& path : outputs) {
        const MatrixFormat format = matrixFormat(path, options);
        if (format == MatrixFormat::Tsv || format == MatrixFormat::Molten) checkTsvNames(path, names);
        if (format == MatrixFormat::Phylip) checkPhylipNames(path, names);
    }
}

void writeMatrixFile(const fs::path& path, const MatrixFileOptions& options, const PairFile& file,
                     const std::vector<std::pair<std::string, std::string>>& more) {
    const MatrixFormat format = matrixFormat(path, options);
    const StoreLayout part = layoutOf(format, options);
    switch (format) {
        case MatrixFormat::Npy:
            return writeNpy(path, file, part);
        case MatrixFormat::Npz:
            return writeNpz(path, file, part, more);
        case MatrixFormat::Csv:
            return writeCsv(path, file, part);
        case MatrixFormat::Tsv:
            return writeTsv(path, file, part);
        case MatrixFormat::Molten:
            return writeMolten(path, file, part, {});
        case MatrixFormat::Phylip:
            return writePhylip(path, file, part);
    }
}

std::vector<fs::path> filesToWrite(const std::vector<std::string>& outputs, const MatrixFileOptions& options,
                                   const std::string& drawing, bool isClustered) {
    std::vector<fs::path> files;
    for (const std::string& path : outputs)
        for (fs::path& file : matrixFiles(path, matrixFormat(path, options)))
            files.push_back(std::move(file));
    if (drawing.empty()) return files;
    for (fs::path& file : pictureFiles(drawing, isClustered)) files.push_back(std::move(file));
    return files;
}

void writeMatrixFiles(const PairOutput& values, const std::vector<std::string>& outputs,
                      const MatrixFileOptions& options, const std::vector<std::string>& names,
                      const std::vector<std::pair<std::string, std::string>>& more, Progress& progress) {
    for (const std::string& path : outputs) {
        if (values.becomes(path))
            io::writeNpyNames(path, names);
        else
            writeMatrixFile(path, options, {values.store(), names, progress}, more);
    }
}

}  // namespace glycine::pairs
