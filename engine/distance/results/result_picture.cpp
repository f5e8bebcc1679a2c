#include <string>
#include <string_view>

#include "engine/distance/measures.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "engine/pairs/files/pair_picture.hpp"

namespace glycine::distance {

void drawResult(const std::filesystem::path& path, const pairs::PairStore& store, const ResultLabels& labels,
                bool clustered, std::string_view title, std::string_view footer, Progress& progress) {
    const MeasureTraits& traits = traitsOf(labels.measure);
    pairs::drawPairs(path, store, labels.names,
                     {.quantity = std::string(traits.quantity),
                      .instance = "instance",
                      .isSimilarity = traits.isSimilarity,
                      .isClustered = clustered,
                      .title = std::string(title),
                      .footer = std::string(footer)},
                     progress);
}

}  // namespace glycine::distance
