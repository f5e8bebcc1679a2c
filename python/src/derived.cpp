#include <omp.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "app/distance/derived_results.hpp"
#include "app/mutualinfo/mutualinfo_options.hpp"
#include "app/mutualinfo/network_report.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairs/clusters.hpp"
#include "engine/pairs/files/coordinate_files.hpp"
#include "engine/pairs/nearest.hpp"
#include "engine/pairs/stored_value.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/atomic_file.hpp"
#include "python/src/arrays.hpp"

namespace glycine::python {

namespace {

// ---- what follows from the values of all pairs

/// Calls use(numbers) with a matrix of the array's own type: int32, float32 or float64.
template <class Use>
void visitValues(const py::array& values, const Use& use) {
    if (py::isinstance<py::array_t<std::int32_t>>(values))
        use(matrixOf<std::int32_t>("the values", values));
    else if (py::isinstance<py::array_t<float>>(values))
        use(matrixOf<float>("the values", values));
    else
        use(matrixOf<double>("the values", values));
}

/// Returns (indices, values) of the nearest others of each row; −1 and NaN if there are fewer.
py::tuple nearest(const py::array& given, const py::dict& how) {
    Keywords keywords(how);
    std::size_t count = 0;
    keywords.read("count", count);
    const bool isSimilarity = keywords.flag("similarity"), hasSelf = keywords.flag("has_self");
    py::array numbers, values;
    visitValues(given, [&](const auto& matrix) {
        const auto view = matrix.view;
        Matrix<std::int64_t> found(view.rows(), count);
        Matrix<double> near(view.rows(), count);
        unlocked([&](Progress& progress) {
            parallelFor(omp_get_max_threads(), view.rows(), [&](std::size_t row, std::size_t) {
                progress.throwIfCancelled();
                std::vector<double> all(view.columns());
                std::transform(view.row(row), view.row(row) + view.columns(), all.begin(),
                               [](auto value) { return pairs::fromStored(value); });
                const std::vector<std::size_t> others =
                    pairs::nearestOthers(all, hasSelf ? row : view.columns(), count, isSimilarity);
                for (std::size_t k = 0; k < count; ++k) {
                    const bool is = k < others.size();
                    found(row, k) = is ? static_cast<std::int64_t>(others[k]) : -1;
                    near(row, k) = is ? all[others[k]] : std::numeric_limits<double>::quiet_NaN();
                }
            });
        });
        numbers = arrayOf(std::move(found));
        values = arrayOf(std::move(near));
    });
    return py::make_tuple(numbers, values);
}

/// Returns (cluster index of each instance, sizes).
py::tuple clusters(const py::array& given, const py::dict& how) {
    Keywords keywords(how);
    double within = std::numeric_limits<double>::quiet_NaN();
    auto linkage = trees::Linkage::Single;
    keywords.read("within", within, "linkage", linkage);
    if (!(within >= 0)) throw UsageError(fmt::format("within is {}; expected a distance from 0 on", within));
    pairs::Clusters found;
    visitValues(given, [&](const auto& matrix) {
        const auto view = matrix.view;
        requireAllPairs("the values", view);
        unlocked([&](Progress& progress) {
            std::vector<pairs::ClosePair> close;
            for (std::size_t i = 1; i < view.rows(); ++i) {
                progress.throwIfCancelled();
                for (std::size_t j = 0; j < i; ++j) {
                    const double value = pairs::fromStored(view(i, j));
                    if (value <= within || (linkage == trees::Linkage::Average && !std::isnan(value)))
                        close.push_back(
                            {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), value});
                }
            }
            found = pairs::clustersWithin(view.rows(), close, within, linkage, progress);
        });
    });
    return py::make_tuple(arrayOf(std::move(found.of)), arrayOf(std::move(found.sizes)));
}

/// Returns (coordinates, eigenvalues, shares) of the values of all pairs for the named measure.
py::tuple coordinates(const py::array& values, const py::dict& how) {
    Keywords keywords(how);
    auto measure = distance::Measure::Euclidean;
    std::size_t dimensions = 0;
    keywords.read("measure", measure, "dimensions", dimensions);
    const py::object progress = keywords.object("progress");
    const NumpyMatrix<double> matrix = matrixOf<double>("the values", values);
    requireAllPairs("the values", matrix.view);
    statistics::PrincipalCoordinates found;
    unlocked(
        [&](Progress& updates) {
            found = distance::coordinatesOf(Matrix<double>(matrix.view), measure, dimensions, updates);
        },
        progress);
    return py::make_tuple(arrayOf(std::move(found.coordinates)), arrayOf(std::move(found.eigenvalues)),
                          arrayOf(std::move(found.shares)));
}

// ---- pictures

/// Returns the bytes that `write` writes to a temporary file with this extension.
py::bytes drawn(const char* ending, const std::function<void(const std::filesystem::path&)>& write) {
    const py::object folder = py::module_::import("tempfile").attr("TemporaryDirectory")();
    const std::filesystem::path file(folder.attr("name").cast<std::string>());
    const std::filesystem::path path = file / (std::string("picture") + ending);
    std::string bytes;
    unlocked([&](Progress&) {
        write(path);
        std::ifstream in(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
        storage::forgetFolder(file);
    });
    folder.attr("cleanup")();
    return bytes;
}

py::bytes heatMap(const py::array& values, const std::vector<std::string>& names, const std::string& title,
                  const std::string& label, bool hasDiagonal) {
    const NumpyMatrix<double> matrix = matrixOf<double>("the picture", values);
    return drawn(".png", [&](const std::filesystem::path& path) {
        picture::HeatMapPanel panel = picture::makeHeatMapPanel("", matrix.view);
        panel.rowNames = panel.columnNames = names;
        panel.hasDiagonal = hasDiagonal;
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
    const NumpyMatrix<double> matrix = matrixOf<double>("the picture", points);
    const statistics::PrincipalCoordinates found{
        .coordinates = Matrix<double>(matrix.view), .eigenvalues = {}, .shares = shares};
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= matrix.view.rows(); ++i) names.push_back(std::to_string(i));
    return drawn(".png", [&](const std::filesystem::path& path) {
        pairs::writeCoordinates(path, {found, names, {}, "axis", "", {}});
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

const Function derivedFunctions[] = {
    {"nearest", &nearest},
    {"clusters", &clusters},
    {"coordinates", &coordinates},
    {"heat_map", &heatMap},
    {"alignment_picture", &alignmentPicture},
    {"coordinate_picture", &coordinatePicture},
    {"network_picture", &networkPicture},
    {"forget_folder", [](const std::string& folder) { storage::forgetFolder(folder); }}};

}  // namespace

}  // namespace glycine::python
