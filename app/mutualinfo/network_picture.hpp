#pragma once

#include <cstddef>
#include <filesystem>

#include "app/mutualinfo/network_report.hpp"
#include "engine/mutualinfo/results/network_files.hpp"

namespace glycine::mutualinfo {

/// Draws the best `most` edges and their genes, and enters into the report what is drawn.
void drawNetwork(const std::filesystem::path& path, const NetworkTable& table, std::size_t most,
                 NetworkReport& report);

}  // namespace glycine::mutualinfo
