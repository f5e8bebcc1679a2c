#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/algorithms/distance/results/distance_files.hpp"
#include "engine/core/names.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/newick.hpp"

namespace glycine::distance {

namespace {

/// What the colours stand for.
constexpr NameTable<Measure, 9> kQuantities{{
    {Measure::Mismatch, "number of attributes that differ"},
    {Measure::Proportion, "share of attributes that differ"},
    {Measure::Allele, "number of alleles that differ"},
    {Measure::Ibs, "identity by state"},
    {Measure::OneMinusIbs, "1 - identity by state"},
    {Measure::Euclidean, "Euclidean distance"},
    {Measure::SquaredEuclidean, "squared Euclidean distance"},
    {Measure::Manhattan, "Manhattan distance"},
    {Measure::Correlation, "1 - correlation"},
}};

/// Where the colours begin. Values that all lie far from 0 would share a few colours of a scale from 0: it
/// then begins at the least of them, those on the diagonal left aside.
std::optional<double> scaleMinimum(const Matrix<float>& cells, bool isSimilarity) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (std::size_t i = 0; i < cells.rows(); ++i) {
        for (std::size_t j = 0; j < cells.columns(); ++j) {
            if (i == j || std::isnan(cells(i, j))) continue;
            least = std::min<double>(least, cells(i, j));
            most = std::max<double>(most, cells(i, j));
        }
    }
    if (least <= most && (isSimilarity || least > most / 3)) return least;
    return std::nullopt;
}

void writeTree(const std::filesystem::path& path, const trees::Clustering& clustering,
               const std::vector<std::string>& names) {
    storage::AtomicFile file(path);
    file.write(trees::newickTree(clustering, names) + '\n');
    file.commit();
}

void writeOrder(const std::filesystem::path& path, const std::vector<std::size_t>& order,
                const std::vector<std::string>& names) {
    io::BufferedText file(path);
    file.text() += "instance\tname";
    file.endLine();
    for (const std::size_t instance : order) {
        fmt::format_to(std::back_inserter(file.text()), "{}\t{}", instance + 1,
                       pairs::nameWithout("\t\r\n", names[instance]));
        file.endLine();
    }
    file.commit();
}

}  // namespace

std::vector<std::filesystem::path> pictureFiles(const std::filesystem::path& path, bool clustered) {
    if (!clustered) return {path};
    std::filesystem::path tree = path, order = path;
    return {path, tree.replace_extension(".nwk"), order.replace_extension(".order.tsv")};
}

void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                bool clustered, std::string_view title, std::string_view footer, Progress& progress) {
    const std::size_t n = store.instances();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (clustered) {
        const trees::Clustering clustering = trees::clusterByAverageLinkage(
            n, trees::distancesBelowDiagonal(store, labels.measure == Measure::Ibs), progress);
        order = clustering.leaves;
        const std::vector<std::filesystem::path> files = pictureFiles(path, true);
        writeTree(files[1], clustering, labels.names);
        writeOrder(files[2], order, labels.names);
    }
    progress.throwIfCancelled();
    std::vector<picture::HeatMapPanel> panels;
    panels.push_back(picture::makeHeatMapPanel(std::string(nameOf(labels.measure, kQuantities)), n, n,
                                               [&](std::size_t row, float* values) {
                                                   std::vector<double> instance(n);
                                                   store.readRow(order[row], 0, n, instance.data());
                                                   for (std::size_t j = 0; j < n; ++j)
                                                       values[j] = static_cast<float>(instance[order[j]]);
                                               }));
    if (clustered) {
        for (const std::size_t instance : order) panels.front().rowNames.push_back(labels.names[instance]);
        panels.front().columnNames = panels.front().rowNames;
    }
    const std::string axis = clustered ? "instance, as clustered" : "instance";
    picture::writeHeatMaps(
        path,
        {panels,
         1,
         {.minimum = scaleMinimum(panels.front().values, labels.measure == Measure::Ibs),
          .roundScale = true}},
        {.title = std::string(title), .footer = std::string(footer), .rowLabel = axis, .columnLabel = axis});
}

}  // namespace glycine::distance
