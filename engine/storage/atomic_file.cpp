#include "engine/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/storage/system_error.hpp"

namespace glycine::storage {

namespace {

std::filesystem::path temporaryName(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

}  // namespace

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
    // The new name itself reaches the disk with its folder; a file system that cannot do this has nothing to
    // flush.
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    if (const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); handle >= 0) {
        (void)::fsync(handle);
        ::close(handle);
    }
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(resolveLink(target)) {
    struct stat existing {};
    requireReplaceable(target_);
    const bool replaces = ::stat(target_.c_str(), &existing) == 0;
    do {
        temporary_ = temporaryName(target_);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) throwSystemError(target_, "write", errno);
    if (replaces) (void)::fchmod(descriptor_, existing.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
    const char* next = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor_, next, std::min(bytes, kLargestWrite));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throwSystemError(target_, "write", errno);
        next += written;
        bytes -= static_cast<std::size_t>(written);
        position_ += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::seek(std::uint64_t offset) {
    if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0)
        throwSystemError(target_, "write", errno);
    position_ = offset;
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0) throwSystemError(target_, "write", errno);
    // Some file systems report a full disk only here; the descriptor is gone either way.
    const int closed = ::close(descriptor_);
    const int closeError = errno;
    descriptor_ = -1;
    if (closed != 0) {
        ::unlink(temporary_.c_str());
        throwSystemError(target_, "write", closeError);
    }
    try {
        moveIntoPlace(temporary_, target_);
    } catch (const Error&) {
        ::unlink(temporary_.c_str());
        throw;
    }
}

}  // namespace glycine::storage
