#pragma once

#include <filesystem>

#include "app/mutualinfo/mutualinfo_report.hpp"
#include "engine/pairs/pair_store.hpp"

namespace glycine::mutualinfo {

/// Draws what a run has found as a heat map, and writes what pairs::pictureFiles tells.
void drawInformation(const std::filesystem::path& path, const pairs::PairStore& store,
                     const RunReport& report, bool isClustered, Progress& progress);

}  // namespace glycine::mutualinfo
