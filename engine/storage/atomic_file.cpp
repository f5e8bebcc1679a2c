#include "engine/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"
#include "engine/storage/descriptor.hpp"

namespace glycine::storage {

namespace {

std::mutex inPlaceMutex;
std::vector<std::filesystem::path> inPlace;

std::filesystem::path temporaryName(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

/// Whether `name` is that of a temporary file of `target`.
bool isTemporaryOf(std::string_view target, std::string_view name) {
    constexpr std::string_view kEnding = ".tmp";
    if (name.size() < target.size() + 2 + kEnding.size() || name.front() != '.' || !name.ends_with(kEnding) ||
        name.substr(1, target.size()) != target || name[1 + target.size()] != '.')
        return false;
    name.remove_prefix(target.size() + 2);
    name.remove_suffix(kEnding.size());
    const std::size_t dash = name.find('-');
    return dash != std::string_view::npos && isDigits(name.substr(0, dash)) &&
           isDigits(name.substr(dash + 1));
}

/// Removes what processes have left that were killed. Who writes a temporary file has it locked.
void removeLeftovers(const std::filesystem::path& target) {
    const std::string name = target.filename().string();
    std::error_code ignored;
    std::filesystem::directory_iterator files(target.has_parent_path() ? target.parent_path() : ".", ignored);
    for (; !ignored && files != std::filesystem::directory_iterator(); files.increment(ignored)) {
        const std::filesystem::path file = files->path();
        if (!isTemporaryOf(name, file.filename().string())) continue;
        const Descriptor left(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
        if (left.isOpen() && ::flock(left.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
    }
}

/// Takes the lock of a new temporary file; false when somebody took the file for a leftover before.
bool lockTemporary(const Descriptor& file) {
    // A file system without locks has no leftovers removed either.
    (void)::flock(file.number(), LOCK_EX);
    struct stat status {};
    return ::fstat(file.number(), &status) != 0 || status.st_nlink > 0;
}

}  // namespace

bool isStandardOutput(const std::filesystem::path& target) {
    return target == "-";
}

std::filesystem::path resolveLink(const std::filesystem::path& target) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(target, ignored)) return target;
    std::filesystem::path resolved = std::filesystem::weakly_canonical(target, ignored);
    return ignored ? target : resolved;
}

void requireReplaceable(const std::filesystem::path& target) {
    struct stat existing {};
    if (::stat(target.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
        throw Error(fmt::format("{}: cannot write: it is {}; expected a regular file or a new name",
                                target.string(),
                                S_ISDIR(existing.st_mode) ? "a folder" : "a device or a pipe"));
}

void moveIntoPlace(const std::filesystem::path& temporary, const std::filesystem::path& target) {
    if (::rename(temporary.c_str(), target.c_str()) != 0) throwSystemError(target, "write", errno);
    {
        const std::lock_guard lock(inPlaceMutex);
        inPlace.push_back(target);
    }
    // The new name itself reaches the disk with its folder; a file system that cannot do this has nothing to
    // flush.
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.isOpen()) (void)::fsync(handle.number());
}

std::vector<std::filesystem::path> filesInPlace() {
    const std::lock_guard lock(inPlaceMutex);
    return inPlace;
}

AtomicFile::AtomicFile(std::filesystem::path target)
    : target_(resolveLink(target)), work_(fmt::format("writing {}", target.filename().string()), 0) {
    if (isStandardOutput(target_))
        descriptor_ = Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    else
        openTemporary();
    if (!descriptor_.isOpen()) throwSystemError(target_, "write", errno);
}

void AtomicFile::openTemporary() {
    struct stat existing {};
    requireReplaceable(target_);
    const bool replaces = ::stat(target_.c_str(), &existing) == 0;
    removeLeftovers(target_);
    do {
        temporary_ = temporaryName(target_);
        discard_.emplace(temporary_);
        descriptor_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (descriptor_.isOpen() ? !lockTemporary(descriptor_) : errno == EEXIST);
    if (descriptor_.isOpen() && replaces) (void)::fchmod(descriptor_.number(), existing.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
    if (!descriptor_.isOpen()) return;
    descriptor_.close();
    if (temporary_.empty()) return;
    ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    // Between two questions whether to go on.
    constexpr std::size_t kLargestWrite = std::size_t{16} << 20;
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, kLargestWrite);
        writeAll(descriptor_, target_, piece);
        position_ += piece.size();
        work_.advance(static_cast<double>(piece.size()));
        bytes.remove_prefix(piece.size());
    }
}

void AtomicFile::seek(std::uint64_t offset) {
    if (::lseek(descriptor_.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throwSystemError(target_, "write", errno);
    position_ = offset;
}

void AtomicFile::commit() {
    if (isStandardOutput(target_)) {
        if (descriptor_.close() != 0) throwSystemError(target_, "write", errno);
        return;
    }
    if (::fsync(descriptor_.number()) != 0) throwSystemError(target_, "write", errno);
    try {
        // Some file systems report a full disk only here; the descriptor is gone either way.
        if (descriptor_.close() != 0) throwSystemError(target_, "write", errno);
        moveIntoPlace(temporary_, target_);
        discard_.reset();
    } catch (const Error&) {
        ::unlink(temporary_.c_str());
        throw;
    }
}

}  // namespace glycine::storage
