#include <fstream>
#include <iterator>

#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/mutualinfo/network_report.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairs/files/coordinate_files.hpp"
#include "engine/picture/heat_map.hpp"
#include "python/src/arrays.hpp"
#include "python/src/module.hpp"

namespace glycine::python {

namespace {

/// Returns the bytes that `write` writes to a temporary file with this extension.
py::bytes drawn(const char* ending, const std::function<void(const std::filesystem::path&)>& write) {
    const py::object folder = py::module_::import("tempfile").attr("TemporaryDirectory")();
    const std::string file = py::str(folder.attr("name"));
    const std::filesystem::path path = std::filesystem::path(file) / (std::string("picture") + ending);
    unlocked([&](Progress&) { write(path); });
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    folder.attr("cleanup")();
    return bytes;
}

py::bytes heatMap(const py::array& values, const std::vector<std::string>& names, const std::string& title,
                  const std::string& label) {
    const HeldMatrix<double> matrix = matrixOf<double>("the picture", values);
    return drawn(".png", [&](const std::filesystem::path& path) {
        picture::HeatMapPanel panel = picture::makeHeatMapPanel("", matrix.view);
        panel.rowNames = panel.columnNames = names;
        picture::writeHeatMaps(path, picture::HeatMapSection{std::span(&panel, 1), 1, {.valueLabel = label}},
                               {.title = title});
    });
}

py::bytes alignmentPicture(const std::vector<std::string>& names, const std::vector<std::string>& rows,
                           const std::string& alphabet, const std::vector<double>& confidence,
                           const char* ending) {
    MultipleAlignment alignment;
    alignment.alphabet = fromString<Alphabet>(alphabet);
    alignment.names = names;
    alignment.rows = rows;
    alignment.confidence = confidence;
    return drawn(ending, [&](const std::filesystem::path& path) {
        if (align::isHtmlFile(path))
            align::writeAlignmentHtml(path, alignment, {});
        else
            align::writeAlignmentPicture(path, alignment, {});
    });
}

/// Draws the first two principal coordinates like the command; `shares`: of all eigenvalues.
py::bytes coordinatePicture(const py::array& points, const std::vector<double>& shares) {
    const HeldMatrix<double> matrix = matrixOf<double>("the picture", points);
    const statistics::PrincipalCoordinates found{
        .coordinates = Matrix<double>(matrix.view), .eigenvalues = {}, .shares = shares};
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= matrix.view.rows(); ++i) names.push_back(std::to_string(i));
    return drawn(".png", [&](const std::filesystem::path& path) {
        pairs::writeCoordinates(path, {found, names, {}, "axis", "", ""});
    });
}

/// Draws the best edges like the command. `ran`: backend, device and variant.
py::bytes networkPicture(const std::vector<std::string>& genes, const std::vector<std::uint32_t>& first,
                         const std::vector<std::uint32_t>& second, const std::vector<double>& scores,
                         const std::vector<std::size_t>& regulators, const std::string& method,
                         const std::array<std::string, 3>& ran) {
    using namespace mutualinfo;
    std::vector<Edge> edges;
    for (std::size_t k = 0; k < first.size(); ++k)
        edges.push_back({std::max(first[k], second[k]), std::min(first[k], second[k]), scores[k]});
    Regulators marked;
    if (!regulators.empty()) marked.flags.assign(genes.size(), 0);
    for (const std::size_t gene : regulators) marked.flags[gene] = 1;
    NetworkReport report;
    report.input = formatCount(genes.size(), "gene");
    report.edges = edges.size();
    report.device.backend = ran[0];
    report.device.device = ran[1];
    report.variant = ran[2];
    return drawn(".png", [&](const std::filesystem::path& path) {
        drawNetwork(path, {.edges = edges, .genes = genes, .regulators = &marked, .method = method},
                    NetworkOptions().drawnEdges, report);
    });
}

const Function functions[] = {{"heat_map", &heatMap},
                              {"alignment_picture", &alignmentPicture},
                              {"coordinate_picture", &coordinatePicture},
                              {"network_picture", &networkPicture}};

}  // namespace

}  // namespace glycine::python
