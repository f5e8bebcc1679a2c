#include "engine/storage/unfinished.hpp"

#include <fmt/format.h>

namespace glycine::storage {

std::filesystem::path unfinishedFile(std::filesystem::path output) {
    return output += ".unfinished";
}

std::filesystem::path journalFile(std::filesystem::path output) {
    return output += ".unfinished.tiles";
}

CancelledError stoppedButKept(std::string_view finished, const std::filesystem::path& output) {
    return CancelledError(
        fmt::format("stopped; finished {} are kept in {}: the same command goes on from there", finished,
                    unfinishedFile(output).string()));
}

}  // namespace glycine::storage
