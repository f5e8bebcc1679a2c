#include "engine/storage/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/system/machine.hpp"
#include "engine/core/text.hpp"

namespace glycine::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBegin = ".glycine-";
constexpr std::string_view kEnd = ".tmp";

std::atomic<bool> hasNamelessFiles{true};

/// Whether a name has the form of Folder::temporaryName, from any process.
bool isTemporaryName(std::string_view name) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
    name.remove_prefix(kBegin.size());
    name.remove_suffix(kEnd.size());
    const std::size_t dash = name.find('-');
    return dash != std::string_view::npos && isDigits(name.substr(0, dash)) &&
           isDigits(name.substr(dash + 1));
}

/// Whether both are the same file.
bool isSame(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether `giveName` finds the file in the folder where the system lists a process's open files.
bool canBeNamed(const Descriptor& file) {
    struct stat opened {};
    struct stat shown {};
    return ::fstat(file.number(), &opened) == 0 && ::stat(openFilePath(file.number()).c_str(), &shown) == 0 &&
           isSame(opened, shown);
}

/// The kind of a file that cannot be one of this program; empty if it may be.
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
            fmt::format("{} is {}; a run stores its finished work in a file of this name: move it away, or "
                        "write to another file",
                        path.string(), kind));
}

/// For a folder without nameless files: uses a temporary name first. Returns false if `name` is taken.
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
    // A file system without hard links returns EPERM or EOPNOTSUPP.
    const bool isNamed = folder.giveName(file, name);
    if (!isNamed && errno != EEXIST && !folder.find(name) && folder.rename(temporary, name)) return true;
    folder.remove(temporary);
    return isNamed;
}

}  // namespace

Folder::Folder(const std::filesystem::path& path)
    : descriptor_(::open(path.empty() ? "." : path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

Folder Folder::of(const std::filesystem::path& file) {
    Folder folder(file.parent_path());
    if (!folder.isOpen()) throwSystemError(file, "write", errno);
    return folder;
}

Descriptor Folder::makeNameless(mode_t permissions) const {
    if (!hasNamelessFiles) {
        errno = EOPNOTSUPP;
        return Descriptor();
    }
    Descriptor file(::openat(descriptor_.number(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
                             static_cast<unsigned>(permissions)));
    // Errors of file systems and older kernels that do not support such files.
    if (!file.isOpen() && (errno == EISDIR || errno == EINVAL || errno == ENOENT)) errno = EOPNOTSUPP;
    if (!file.isOpen() || canBeNamed(file)) return file;
    errno = EOPNOTSUPP;
    return Descriptor();
}

std::string Folder::temporaryName() {
    static std::atomic<unsigned> counter{0};
    return fmt::format("{}{}-{}{}", kBegin, ::getpid(), counter++, kEnd);
}

Descriptor Folder::makeTemporary(mode_t permissions, std::string& name) const {
    for (;;) {
        name = temporaryName();
        Descriptor file = open(name, O_RDWR | O_CREAT | O_EXCL, permissions);
        if (!file.isOpen() && errno == EEXIST) continue;
        if (!file.isOpen()) return file;
        // On a file system without locks, leftovers are not removed either.
        (void)::flock(file.number(), LOCK_EX);
        if (isAt(name, file)) return file;
    }
}

std::vector<std::string> Folder::names() const {
    std::vector<std::string> names;
    DIR* const entries = ::fdopendir(::openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entries == nullptr) return names;
    while (const dirent* entry = ::readdir(entries)) names.emplace_back(entry->d_name);
    ::closedir(entries);
    return names;
}

void Folder::removeLeftovers() const {
    for (const std::string& name : names()) {
        if (!isTemporaryName(name)) continue;
        const std::optional<struct stat> status = find(name);
        if (!status || !S_ISREG(status->st_mode) || status->st_nlink != 1) continue;
        const Descriptor left = open(name, O_RDONLY | O_NONBLOCK);
        if (left.isOpen() && ::flock(left.number(), LOCK_EX | LOCK_NB) == 0 && isAt(name, left)) remove(name);
    }
}

Descriptor Folder::open(const std::string& name, int flags, mode_t permissions) const {
    return Descriptor(::openat(descriptor_.number(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC,
                               static_cast<unsigned>(permissions)));
}

bool Folder::giveName(const Descriptor& file, const std::string& name) const {
    if (!hasNamelessFiles) {
        errno = EOPNOTSUPP;
        return false;
    }
    return ::linkat(AT_FDCWD, openFilePath(file.number()).c_str(), descriptor_.number(), name.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
}

bool Folder::rename(const std::string& from, const std::string& to) const {
    return ::renameat(descriptor_.number(), from.c_str(), descriptor_.number(), to.c_str()) == 0;
}

bool Folder::remove(const std::string& name) const {
    return ::unlinkat(descriptor_.number(), name.c_str(), 0) == 0;
}

std::optional<struct stat> Folder::find(const std::string& name) const {
    struct stat status {};
    if (::fstatat(descriptor_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return {};
    return status;
}

bool Folder::isSame(const struct stat& status) const {
    struct stat opened {};
    return ::fstat(descriptor_.number(), &opened) == 0 && storage::isSame(opened, status);
}

bool Folder::isAt(const std::string& name, const Descriptor& file) const {
    struct stat opened {};
    const std::optional<struct stat> named = find(name);
    return named && ::fstat(file.number(), &opened) == 0 && storage::isSame(opened, *named);
}

uid_t Folder::ownerOfNewFiles() const {
    const Descriptor probe = makeNameless(0600);
    struct stat status {};
    return probe.isOpen() && ::fstat(probe.number(), &status) == 0 ? status.st_uid : ::geteuid();
}

void Folder::flush() const {
    const Descriptor readable(::openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (readable.isOpen()) (void)::fsync(readable.number());
}

void pretendNoNamelessFiles(bool pretend) {
    hasNamelessFiles = !pretend;
}

std::string systemErrorText(const std::filesystem::path& path, std::string_view action, int code) {
    return fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(code));
}

void throwSystemError(const std::filesystem::path& path, std::string_view action, int code) {
    throw Error(systemErrorText(path, action, code));
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    close();
    number_ = other.release();
    return *this;
}

int Descriptor::close() {
    return isOpen() ? ::close(release()) : 0;
}

void writeAll(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
              std::string_view action) {
    constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.number(), bytes.data(), std::min(bytes.size(), kLargestWrite));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throwSystemError(path, action, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

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
    // Checked before opening, because opening a device may have side effects.
    requireOwn(path, *named, own.folder_);
    own.file_ = own.folder_.open(own.name_, O_RDWR | O_NONBLOCK | O_NOCTTY);
    if (!own.file_.isOpen() && errno == ENOENT) return {};
    if (!own.file_.isOpen()) throwSystemError(path, "write", errno);
    struct stat opened {};
    if (::fstat(own.number(), &opened) != 0) throwSystemError(path, "write", errno);
    // If it was removed or renamed in between, it has no name.
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
