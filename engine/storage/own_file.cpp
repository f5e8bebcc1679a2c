#include "engine/storage/own_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "engine/core/error.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

/// What stands there instead of a file of this program; empty where it may be one.
std::string_view kindOfOther(const struct stat& status, const Folder& folder) {
    if (S_ISLNK(status.st_mode)) return "a symbolic link";
    if (S_ISDIR(status.st_mode)) return "a folder";
    if (S_ISFIFO(status.st_mode)) return "a pipe";
    if (!S_ISREG(status.st_mode)) return "a device";
    if (status.st_nlink > 1) return "a file with other names, too (hard links)";
    if (status.st_uid != ::geteuid() && status.st_uid != folder.ownerOfNewFiles())
        return "a file of another user";
    return {};
}

void requireOwn(const fs::path& path, const struct stat& status, const Folder& folder) {
    const std::string_view kind = kindOfOther(status, folder);
    if (!kind.empty())
        throw UsageError(
            fmt::format("{} is {}; a run keeps what is finished under this name, in a file of its own: move "
                        "it away, or write to another file",
                        path.string(), kind));
}

/// In a folder without nameless files: under a temporary name first. False when `name` is taken.
bool makeByName(const Folder& folder, const std::string& name, Descriptor& file, std::string_view contents,
                const fs::path& path) {
    std::string temporary;
    file = folder.makeTemporary(0666, temporary);
    if (!file.isOpen()) throwSystemError(path, "write", errno);
    try {
        writeAll(file, path, contents);
        if (::fsync(file.number()) != 0) throwSystemError(path, "write", errno);
    } catch (const Error&) {
        folder.remove(temporary);
        throw;
    }
    // A file system without hard links says EPERM or EOPNOTSUPP.
    const bool isNamed = folder.giveName(file, name);
    if (!isNamed && errno != EEXIST && !folder.find(name) && folder.rename(temporary, name)) return true;
    folder.remove(temporary);
    return isNamed;
}

}  // namespace

bool OwnFile::check(const fs::path& path) {
    const Folder folder(path.parent_path());
    if (!folder.isOpen()) return false;
    const std::optional<struct stat> status = folder.find(path.filename().string());
    if (status) requireOwn(path, *status, folder);
    return status.has_value();
}

std::optional<OwnFile> OwnFile::find(const fs::path& path) {
    OwnFile own(path, Folder::of(path));
    const std::optional<struct stat> named = own.folder_.find(own.name_);
    if (!named) return {};
    // Before it is opened: opening a device may be felt by it.
    requireOwn(path, *named, own.folder_);
    own.file_ = own.folder_.open(own.name_, O_RDWR | O_NONBLOCK | O_NOCTTY);
    if (!own.file_.isOpen() && errno == ENOENT) return {};
    if (!own.file_.isOpen()) throwSystemError(path, "write", errno);
    struct stat opened {};
    if (::fstat(own.number(), &opened) != 0) throwSystemError(path, "write", errno);
    // It may have been removed or renamed between: then it has no name.
    if (opened.st_nlink == 0) return {};
    requireOwn(path, opened, own.folder_);
    return own;
}

std::optional<OwnFile> OwnFile::make(const fs::path& path, std::string_view contents) {
    OwnFile own(path, Folder::of(path));
    own.file_ = own.folder_.makeNameless(0666);
    if (own.file_.isOpen()) {
        writeAll(own.file_, path, contents);
        if (::fsync(own.number()) != 0) throwSystemError(path, "write", errno);
        if (own.folder_.giveName(own.file_, own.name_)) return own;
        if (errno == EEXIST) return {};
    } else if (errno != EOPNOTSUPP) {
        throwSystemError(path, "write", errno);
    }
    if (!makeByName(own.folder_, own.name_, own.file_, contents, path)) return {};
    return own;
}

bool OwnFile::rename(const fs::path& target) {
    if (!isInPlace()) return false;
    if (!folder_.rename(name_, target.filename().string())) {
        if (errno == ENOENT) return false;
        throwSystemError(target, "write", errno);
    }
    folder_.flush();
    return true;
}

void OwnFile::remove() {
    if (!file_.isOpen()) return;
    if (isInPlace()) folder_.remove(name_);
    file_.close();
}

}  // namespace glycine::storage
