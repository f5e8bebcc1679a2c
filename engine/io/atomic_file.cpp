#include "engine/io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"

namespace glycine::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view action, int code) {
    throw Error(
        fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(code)));
}

/// Where the bytes shall go in the end: a symbolic link is followed, so that it stays a link.
std::filesystem::path resolveLink(const std::filesystem::path& target) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(target, ignored)) return target;
    std::filesystem::path resolved = std::filesystem::weakly_canonical(target, ignored);
    return ignored ? target : resolved;
}

std::filesystem::path temporaryName(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(resolveLink(target)) {
    struct stat existing {};
    const bool replaces = ::stat(target_.c_str(), &existing) == 0;
    // Renaming over a device or a pipe would destroy it.
    if (replaces && !S_ISREG(existing.st_mode))
        throw Error(fmt::format("{}: cannot write: it is {}; expected a regular file or a new name",
                                target_.string(),
                                S_ISDIR(existing.st_mode) ? "a folder" : "a device or a pipe"));
    do {
        temporary_ = temporaryName(target_);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(target_, "write", errno);
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
        if (written < 0) fail(target_, "write", errno);
        next += written;
        bytes -= static_cast<std::size_t>(written);
        position_ += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::seek(std::uint64_t offset) {
    if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) fail(target_, "write", errno);
    position_ = offset;
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0) fail(target_, "write", errno);
    // Some file systems report a full disk only here; the descriptor is gone either way.
    const int closed = ::close(descriptor_);
    const int closeError = errno;
    descriptor_ = -1;
    if (closed != 0) {
        ::unlink(temporary_.c_str());
        fail(target_, "write", closeError);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        const int renameError = errno;
        ::unlink(temporary_.c_str());
        fail(target_, "write", renameError);
    }
    // The new name itself reaches the disk with its folder; a file system that cannot do this has nothing to
    // flush.
    const std::filesystem::path folder = target_.has_parent_path() ? target_.parent_path() : ".";
    if (const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); handle >= 0) {
        (void)::fsync(handle);
        ::close(handle);
    }
}

}  // namespace glycine::io
