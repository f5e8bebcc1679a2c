#include "engine/pairs/files/pair_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/picture/heat_map.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/trees/newick.hpp"

namespace glycine::pairs {

namespace {

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
    if (picture.isClustered) {
        const trees::Clustering clustering = trees::clusterByAverageLinkage(
            n, trees::distancesBelowDiagonal(store, picture.isSimilarity), progress);
        order = clustering.leaves;
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
    if (picture.isClustered) {
        for (const std::size_t instance : order) panels.front().rowNames.push_back(names[instance]);
        panels.front().columnNames = panels.front().rowNames;
    }
    const std::string axis =
        picture.isClustered ? fmt::format("{}, as clustered", picture.instance) : picture.instance;
    const std::optional<double> minimum =
        picture.minimum ? picture.minimum : scaleMinimum(panels.front().values, picture.isSimilarity);
    picture::writeHeatMaps(
        path, {panels, 1, {.minimum = minimum, .maximum = picture.maximum, .roundScale = true}},
        {.title = picture.title, .footer = picture.footer, .rowLabel = axis, .columnLabel = axis});
}

}  // namespace glycine::pairs
