#include "engine/storage/unfinished.hpp"

#include <fmt/format.h>

#include <string>

#include "engine/storage/atomic_file.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

/// Whether the file of results is there; nothing is opened before it is known to be this program's.
bool hasResults(const fs::path& output) {
    OwnFile::check(journalFile(output));
    return OwnFile::check(unfinishedFile(output));
}

}  // namespace

fs::path unfinishedFile(const fs::path& output) {
    return resolveLink(output) += ".unfinished";
}

fs::path journalFile(const fs::path& output) {
    return resolveLink(output) += ".unfinished.tiles";
}

std::vector<fs::path> workingFiles(const fs::path& output) {
    return {unfinishedFile(output), journalFile(output)};
}

bool hasUnfinishedRun(const fs::path& output) {
    for (const fs::path& file : workingFiles(output)) {
        std::error_code ignored;
        if (fs::exists(fs::symlink_status(file, ignored))) return true;
    }
    return false;
}

CancelledError stoppedButKept(std::string_view finished, const fs::path& output) {
    return CancelledError(
        fmt::format("stopped; finished {} are kept in {}: the same command goes on from there", finished,
                    unfinishedFile(output).string()));
}

UnfinishedRun::UnfinishedRun(const fs::path& output, std::string_view identity, bool restart)
    : path_(unfinishedFile(output)), journal_(journalFile(output), identity, !hasResults(output) || restart) {
    try {
        results_ = OwnFile::find(path_);
        if (results_ && journal_.isNew())
            throw UsageError(fmt::format(
                "{} is there already, and no journal of a stopped run ({}) lists what it holds; it is "
                "not overwritten: move it away, or write to another file",
                path_.string(), journal_.path().filename().string()));
        if (!results_) results_ = OwnFile::make(path_);
        if (!results_)
            throw Error(
                fmt::format("{}: another program has just made it; expected a new name", path_.string()));
    } catch (const Error&) {
        if (journal_.tiles().empty()) journal_.remove();
        throw;
    }
}

void UnfinishedRun::discard() {
    results_->remove();
    journal_.remove();
}

}  // namespace glycine::storage
