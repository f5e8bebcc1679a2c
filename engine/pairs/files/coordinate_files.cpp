#include "engine/pairs/files/coordinate_files.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/picture/scatter_plot.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::pairs {

namespace {

void drawCoordinates(const std::filesystem::path& path, const CoordinateResult& result) {
    const Matrix<double>& places = result.found.coordinates;
    picture::ScatterPlot plot{
        .title = result.title, .footer = result.groups.footer(result.footer), .points = {}};
    const auto label = [&](std::size_t k) {
        return fmt::format("{} {} ({})", result.axis, k + 1, formatShare(result.found.shares[k], 1));
    };
    plot.xLabel = label(0);
    plot.yLabel = label(1);
    constexpr std::size_t kMaxNamed = 40;
    for (std::size_t i = 0; i < places.rows(); ++i) {
        plot.points.push_back({places(i, 0), places(i, 1)});
        if (!result.groups.empty()) plot.signs.push_back(result.groups.signOf(i));
        if (places.rows() <= kMaxNamed) plot.names.push_back(result.names[i]);
    }
    plot.key = result.groups.key();
    picture::writeScatterPlot(path, plot);
}

}  // namespace

void requireCoordinateFile(const std::filesystem::path& path, std::size_t dimensions) {
    const bool isPicture = picture::isPictureFile(path);
    if (!isPicture && !storage::isStandardOutput(path) && lowerCase(path.extension().string()) != ".tsv")
        throw UsageError(
            fmt::format("{}: the ending stands for no file of coordinates; known: .tsv, .png, .svg, .pdf",
                        path.string()));
    if (isPicture && dimensions < 2)
        throw UsageError(fmt::format("{}: a picture shows two coordinates; expected --coordinates 2 or more",
                                     path.string()));
}

void writeCoordinates(const std::filesystem::path& path, const CoordinateResult& result) {
    if (picture::isPictureFile(path)) return drawCoordinates(path, result);
    const Matrix<double>& places = result.found.coordinates;
    io::BufferedText file(path);
    file.text() += result.groups.empty() ? "name" : "name\tgroup";
    for (std::size_t k = 0; k < places.columns(); ++k)
        file.text() += fmt::format("\t{}{}", result.axis, k + 1);
    file.endLine();
    for (std::size_t i = 0; i < places.rows(); ++i) {
        io::appendTsvField(file.text(), result.names[i]);
        if (!result.groups.empty()) {
            file.text() += '\t';
            io::appendTsvField(file.text(), result.groups.labelOf(i));
        }
        for (std::size_t k = 0; k < places.columns(); ++k) {
            file.text() += '\t';
            io::appendShortest(file.text(), places(i, k));
        }
        file.endLine();
    }
    file.commit();
}

}  // namespace glycine::pairs
