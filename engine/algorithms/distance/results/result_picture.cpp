#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/algorithms/distance/results/distance_files.hpp"
#include "engine/core/names.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/trees/clustering.hpp"

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

}  // namespace

void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                bool clustered, std::string_view title, std::string_view footer, Progress& progress) {
    const std::size_t n = store.instances();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (clustered)
        order = trees::clusterByAverageLinkage(
                    n, trees::distancesBelowDiagonal(store, labels.measure == Measure::Ibs), progress)
                    .leaves;
    progress.throwIfCancelled();
    std::vector<picture::HeatMapPanel> panels;
    panels.push_back(picture::makeHeatMapPanel(std::string(nameOf(labels.measure, kQuantities)), n, n,
                                               [&](std::size_t row, float* values) {
                                                   std::vector<double> instance(n);
                                                   store.readRow(order[row], 0, n, instance.data());
                                                   for (std::size_t j = 0; j < n; ++j)
                                                       values[j] = static_cast<float>(instance[order[j]]);
                                               }));
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
