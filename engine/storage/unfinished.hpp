#pragma once

#include <filesystem>
#include <string_view>

#include "engine/core/error.hpp"

/// What a stopped run leaves beside an output: PATH.unfinished and its journal.
namespace glycine::storage {

std::filesystem::path unfinishedFile(std::filesystem::path output);
std::filesystem::path journalFile(std::filesystem::path output);
/// Says where a stopped run has kept what is finished: "tiles".
CancelledError stoppedButKept(std::string_view finished, const std::filesystem::path& output);

}  // namespace glycine::storage
