#include "engine/storage/nameless_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/system/process.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::storage {

namespace {

std::mutex inputsMutex;

/// Numbers of open files by the paths that stand for them.
std::map<std::string, int, std::less<>>& namelessInputs() {
    static std::map<std::string, int, std::less<>> inputs;
    return inputs;
}

}  // namespace

std::filesystem::path temporaryFolder() {
    const char* const given = std::getenv("TMPDIR");
    const bool isGiven = given != nullptr && *given != '\0';
    const std::filesystem::path folder = isGiven ? given : "/tmp";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw UsageError(fmt::format("{} is no folder; expected one for temporary files{}", folder.string(),
                                     isGiven ? " (TMPDIR names it)" : ": name it with TMPDIR"));
    return folder;
}

Descriptor createNamelessFile(const std::filesystem::path& path) {
    const Folder folder(path);
    Descriptor file;
    if (folder.isOpen()) file = folder.makeNameless(0600);
    if (folder.isOpen() && !file.isOpen() && errno == EOPNOTSUPP) {
        std::string name;
        file = folder.makeTemporary(0600, name);
        if (file.isOpen()) folder.remove(name);
    }
    if (!file.isOpen()) throwSystemError(path, "make a temporary file in it", errno);
    return file;
}

NamelessInput::NamelessInput(std::filesystem::path path, Descriptor file)
    : path_(path.string()), file_(std::move(file)) {
    const std::lock_guard lock(inputsMutex);
    if (!namelessInputs().emplace(path_, file_.number()).second)
        throw UsageError(fmt::format("{} is given twice", path_));
}

NamelessInput::~NamelessInput() {
    const std::lock_guard lock(inputsMutex);
    const auto found = namelessInputs().find(path_);
    if (found != namelessInputs().end() && found->second == file_.number()) namelessInputs().erase(found);
}

std::string openablePath(const std::filesystem::path& path) {
    const std::lock_guard lock(inputsMutex);
    const auto found = namelessInputs().find(path.string());
    return found == namelessInputs().end() ? path.string() : openFilePath(found->second);
}

}  // namespace glycine::storage
