#include "engine/pairs/files/pair_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "engine/core/text.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/newick.hpp"

namespace glycine::pairs {

namespace {

/// Where the colour scale begins. If all values are far from 0, a scale from 0 would give them few colours.
/// It then begins at the smallest value off the diagonal.
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
    if (least < most && (isSimilarity || least > most / 3)) return least;
    return std::nullopt;
}

/// The values off the diagonal.
std::vector<double> valuesOf(const Matrix<float>& cells) {
    std::vector<double> values;
    for (std::size_t i = 0; i < cells.rows(); ++i)
        for (std::size_t j = 0; j < cells.columns(); ++j)
            if (i != j) values.push_back(cells(i, j));
    return values;
}

/// The merges as brackets above the leaves, in leaf order.
std::vector<picture::HeatMapBracket> bracketsOf(const trees::Clustering& clustering) {
    const std::size_t n = clustering.leaves.size();
    std::vector<double> middle(n + clustering.merges.size()), height(middle.size(), 0);
    for (std::size_t place = 0; place < n; ++place)
        middle[clustering.leaves[place]] = static_cast<double>(place);
    std::vector<picture::HeatMapBracket> brackets;
    for (std::size_t k = 0; k < clustering.merges.size(); ++k) {
        const trees::Merge& merge = clustering.merges[k];
        brackets.push_back(
            {middle[merge.left], middle[merge.right], height[merge.left], height[merge.right], merge.height});
        middle[n + k] = (middle[merge.left] + middle[merge.right]) / 2;
        height[n + k] = merge.height;
    }
    return brackets;
}

void writeTree(const std::filesystem::path& path, const trees::Clustering& clustering,
               const std::vector<std::string>& names) {
    storage::AtomicFile file(path);
    file.write(trees::newickTree(clustering, names) + '\n');
    file.commit();
}

void writeOrder(const std::filesystem::path& path, const std::string& instance,
                const std::vector<std::size_t>& order, const std::vector<std::string>& names) {
    io::BufferedText file(path);
    file.text() += instance + "\tname";
    file.endLine();
    for (const std::size_t one : order) {
        fmt::format_to(std::back_inserter(file.text()), "{}\t", one + 1);
        io::appendTsvField(file.text(), names[one]);
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

void drawPairs(const std::filesystem::path& path, const PairStore& store,
               const std::vector<std::string>& names, const PairPicture& picture, Progress& progress) {
    const std::size_t n = store.instances();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<picture::HeatMapBracket> brackets;
    if (picture.isClustered) {
        const trees::Clustering clustering = trees::clusterByAverageLinkage(
            n, trees::distancesBelowDiagonal(store, picture.isSimilarity), progress);
        order = clustering.leaves;
        brackets = bracketsOf(clustering);
        const std::vector<std::filesystem::path> files = pictureFiles(path, true);
        writeTree(files[1], clustering, names);
        writeOrder(files[2], picture.instance, order, names);
    }
    progress.throwIfCancelled();
    std::vector<picture::HeatMapPanel> panels;
    panels.push_back(picture::makeHeatMapPanel(picture.quantity, n, n, [&](std::size_t row, float* values) {
        std::vector<double> instance(n);
        store.readRow(order[row], 0, n, instance.data());
        for (std::size_t j = 0; j < n; ++j) values[j] = static_cast<float>(instance[order[j]]);
        if (!picture.hasDiagonal) values[row] = std::numeric_limits<float>::quiet_NaN();
    }));
    picture::HeatMapPanel& panel = panels.front();
    panel.brackets = std::move(brackets);
    panel.hasDiagonal = picture.hasDiagonal;
    for (const std::size_t instance : order) {
        panel.rowNames.push_back(names[instance]);
        if (!picture.groups.empty()) panel.itemSigns.push_back(picture.groups.signOf(instance));
    }
    panel.columnNames = panel.rowNames;
    const std::string axis =
        picture.isClustered ? fmt::format("{}, as clustered", picture.instance) : picture.instance;
    const picture::ColorRange& range = picture.range;
    picture::HeatMapScale scale{.minimum = range.minimum, .maximum = range.maximum};
    if (range.isRobust)
        std::tie(scale.minimum, scale.maximum) = range.endsOf(valuesOf(panel.values));
    else if (!scale.minimum)
        scale.minimum = scaleMinimum(panel.values, picture.isSimilarity);
    scale.roundScale = !range.isRobust && !(range.minimum && range.maximum);
    scale.colors = picture.colors;
    scale.key = picture.groups.key();
    scale.notes = picture.groups.footer({});
    if (range.isRobust) scale.notes.emplace_back("from the 2nd to the 98th percentile");
    picture::HeatMapPage page{
        .title = picture.title, .footer = picture.footer, .rowLabel = axis, .columnLabel = axis};
    // The picture grows to make room for names.
    constexpr std::size_t kMaxNamed = 150, kNamePitch = 9;
    const bool isVector = lowerCase(path.extension().string()) != ".png";
    if (n <= panel.values.rows() && (isVector || n <= kMaxNamed))
        page.plotSide = std::max(page.plotSide, n * kNamePitch);
    picture::writeHeatMaps(path, {panels, 1, scale}, page);
}

}  // namespace glycine::pairs
