#include "engine/study/study_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/storage/content_hash.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::study {

namespace {

std::filesystem::path madeFolder(const std::filesystem::path& folder) {
    const std::filesystem::path steps = folder / "steps";
    std::error_code error;
    std::filesystem::create_directories(steps, error);
    if (error) throw Error(fmt::format("{}: cannot make this folder: {}", steps.string(), error.message()));
    return steps / "journal";
}

/// The journal stores a step as a tile of one row.
storage::FinishedTile tileOf(std::size_t step, std::uint64_t checksum) {
    return {{step, step + 1}, {0, 1}, checksum};
}

}  // namespace

StudyFolder::StudyFolder(std::filesystem::path folder, std::string_view identity,
                         std::vector<std::string> ids, bool restart)
    : folder_(std::move(folder)),
      ids_(std::move(ids)),
      journal_(madeFolder(folder_), identity, restart),
      isDone_(ids_.size(), false) {
    for (std::size_t step = 0; step < ids_.size(); ++step) {
        const bool isPresent = storage::OwnFile::check(fileOf(step));
        if (!isPresent || !journal_.isNew()) continue;
        journal_.remove();
        throw UsageError(
            fmt::format("{} is there already, and no journal of a stopped study lists it; it is not "
                        "overwritten: move it away, or give another folder",
                        fileOf(step).string()));
    }
    for (const storage::FinishedTile& tile : journal_.tiles()) {
        const std::size_t step = tile.rows.begin;
        if (step >= ids_.size() || !std::filesystem::is_regular_file(fileOf(step))) continue;
        isDone_[step] = storage::contentHash({fileOf(step)}) == tile.checksum;
    }
}

Json StudyFolder::load(std::size_t step) const {
    return Json::parse(std::ifstream(fileOf(step)));
}

void StudyFolder::keep(std::size_t step, const Json& result) {
    storage::OwnFile::check(fileOf(step));
    writeJson(fileOf(step), result);
    const storage::FinishedTile tile = tileOf(step, storage::contentHash({fileOf(step)}));
    journal_.enter({&tile, 1});
    isDone_[step] = true;
}

std::filesystem::path StudyFolder::fileOf(std::size_t step) const {
    return folder_ / "steps" / (ids_[step] + ".json");
}

}  // namespace glycine::study
