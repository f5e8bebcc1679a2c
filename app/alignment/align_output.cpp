#include "app/alignment/align_output.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "engine/alignment/results/alignment_files.hpp"
#include "engine/alignment/results/alignment_picture.hpp"
#include "engine/core/build_info.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/pairs/files/pair_picture.hpp"

namespace glycine::align {

namespace {

/// 1 − the distances.
void fillIdentities(pairs::PairStore& identities, const pairs::PairStore& distances) {
    constexpr std::size_t kSide = 512;
    for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(distances.instances(), kSide)) {
        Matrix<double> values(tile.rows.size(), tile.columns.size(), 0);
        distances.readBlock(tile.rows, tile.columns, values.view());
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = 1 - values.data()[k];
        identities.store(tile, std::as_const(values).view());
    }
}

void drawIdentities(const AlignRun& run, const AlignRunReport& report, const std::vector<std::string>& names,
                    const pairs::PairStore& distances, Progress& progress) {
    pairs::PairStore identities(
        {.layout = {distances.instances(), pairs::StoreLayout::Triangle}, .diagonal = 1});
    fillIdentities(identities, distances);
    pairs::drawPairs(run.heatMap, identities, names,
                     {.quantity = std::string(run.method().similarity),
                      .instance = "sequence",
                      .isSimilarity = true,
                      .isClustered = true,
                      .minimum = 0.0,
                      .maximum = 1.0,
                      .title = fs::path(report.input).filename().string(),
                      .footer = fmt::format("{}; {}", describeBuild(), report.method)},
                     progress);
}

}  // namespace

void checkNames(const AlignRun& run, const std::vector<std::string>& names) {
    if (run.hasAlignment())
        for (const std::string& file : run.outputs)
            if (const std::optional<AlignmentFormat> format = alignmentFormat(file))
                checkNames(file, names, *format);
    pairs::checkNames(run.distanceFiles(), kDistanceFiles, names);
}

void writeAlignResults(const AlignRun& run, AlignRunReport& report, const std::vector<std::string>& names,
                       const MultipleAlignment& alignment, const pairs::PairOutput* values,
                       Progress& progress) {
    if (run.hasAlignment()) {
        // A second copy where they change places alone: of many thousand rows they are most of the memory.
        std::optional<MultipleAlignment> ordered;
        if (run.order != RowOrder::Input) {
            requireHostMemory("the rows in another order", static_cast<double>(alignment.size()) *
                                                               static_cast<double>(alignment.columns()));
            ordered = inOrder(alignment, run.order);
        }
        const MultipleAlignment& rows = ordered ? *ordered : alignment;
        const AlignmentPicture picture{.title = fs::path(report.input).filename().string(),
                                       .footer = fmt::format("{}; {}", describeBuild(), report.method)};
        for (const std::string& file : run.outputs) {
            if (const std::optional<AlignmentFormat> format = alignmentFormat(file))
                writeAlignment(file, rows, *format);
            else if (isHtmlFile(file))
                writeAlignmentHtml(file, rows, picture);
            else if (std::string note = writeAlignmentPicture(file, rows, picture); !note.empty())
                report.pictureNotes.push_back(std::move(note));
        }
    }
    for (const std::string& file : run.treeFiles())
        writeTree(file, alignment.guideTree, names, isClustalWTree(file));
    if (values == nullptr) return;
    pairs::writeMatrixFiles(*values, run.distanceFiles(), kDistanceFiles, names, {{"measure", "distance"}},
                            progress);
    if (!run.heatMap.empty()) drawIdentities(run, report, names, values->store(), progress);
}

}  // namespace glycine::align
