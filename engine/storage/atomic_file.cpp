#include "engine/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "engine/core/error.hpp"
#include "engine/storage/descriptor.hpp"

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
    const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.isOpen()) (void)::fsync(handle.number());
}

AtomicFile::AtomicFile(std::filesystem::path target) : target_(resolveLink(target)) {
    struct stat existing {};
    requireReplaceable(target_);
    const bool replaces = ::stat(target_.c_str(), &existing) == 0;
    do {
        temporary_ = temporaryName(target_);
        descriptor_ = Descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!descriptor_.isOpen() && errno == EEXIST);
    if (!descriptor_.isOpen()) throwSystemError(target_, "write", errno);
    if (replaces) (void)::fchmod(descriptor_.number(), existing.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
    if (!descriptor_.isOpen()) return;
    descriptor_.close();
    ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
    writeAll(descriptor_, target_, bytes);
    position_ += bytes.size();
}

void AtomicFile::seek(std::uint64_t offset) {
    if (::lseek(descriptor_.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throwSystemError(target_, "write", errno);
    position_ = offset;
}

void AtomicFile::commit() {
    if (::fsync(descriptor_.number()) != 0) throwSystemError(target_, "write", errno);
    try {
        // Some file systems report a full disk only here; the descriptor is gone either way.
        if (descriptor_.close() != 0) throwSystemError(target_, "write", errno);
        moveIntoPlace(temporary_, target_);
    } catch (const Error&) {
        ::unlink(temporary_.c_str());
        throw;
    }
}

}  // namespace glycine::storage
