#include "engine/storage/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <vector>

#include "engine/core/system/process.hpp"
#include "engine/core/text.hpp"

namespace glycine::storage {

namespace {

constexpr std::string_view kBegin = ".glycine-";
constexpr std::string_view kEnd = ".tmp";

std::atomic<bool> hasNamelessFiles{true};

/// Whether a name is one of Folder::temporaryName, of any process.
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

/// Whether `giveName` finds the file where the system shows the process its open files.
bool canBeNamed(const Descriptor& file) {
    struct stat opened {};
    struct stat shown {};
    return ::fstat(file.number(), &opened) == 0 && ::stat(openFilePath(file.number()).c_str(), &shown) == 0 &&
           isSame(opened, shown);
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
    // What file systems and older systems say that know no such files.
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
        // A file system without locks has no leftovers removed either.
        (void)::flock(file.number(), LOCK_EX);
        if (isAt(name, file)) return file;
    }
}

void Folder::removeLeftovers() const {
    DIR* const entries = ::fdopendir(::openat(descriptor_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entries == nullptr) return;
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(entries))
        if (isTemporaryName(entry->d_name)) names.emplace_back(entry->d_name);
    ::closedir(entries);
    for (const std::string& name : names) {
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

bool Folder::isAt(const std::string& name, const Descriptor& file) const {
    struct stat opened {};
    const std::optional<struct stat> named = find(name);
    return named && ::fstat(file.number(), &opened) == 0 && isSame(opened, *named);
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

}  // namespace glycine::storage
