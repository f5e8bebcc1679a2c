#include "engine/storage/working_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/storage/atomic_file.hpp"

namespace glycine::storage {

namespace {

double gigabytes(std::uintmax_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

}  // namespace

WorkingFile::WorkingFile(std::filesystem::path path, std::size_t bytes, bool keep)
    : path_(std::move(path)), size_(bytes) {
    open(keep);
    try {
        if (!isKept_) reserve();
        void* mapping = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.number(), 0);
        if (mapping == MAP_FAILED) throwSystemError(path_, "map into memory", errno);
        data_ = static_cast<std::byte*>(mapping);
    } catch (...) {
        if (!isKept_) ::unlink(path_.c_str());
        throw;
    }
}

WorkingFile::~WorkingFile() {
    close();
}

void WorkingFile::open(bool keep) {
    descriptor_ = openRegularFile(path_);
    struct stat status {};
    isKept_ = keep && ::fstat(descriptor_.number(), &status) == 0 &&
              static_cast<std::size_t>(status.st_size) == size_;
}

void WorkingFile::reserve() {
    // An older file gives its room back first.
    if (::ftruncate(descriptor_.number(), 0) != 0) throwSystemError(path_, "write", errno);
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    std::error_code unknown;
    const std::uintmax_t available = std::filesystem::space(folder, unknown).available;
    // Asked first, because a reservation that fails takes all that is left before it does.
    int code = !unknown && available < size_ ? ENOSPC : EINTR;
    while (code == EINTR) code = ::posix_fallocate(descriptor_.number(), 0, static_cast<off_t>(size_));
    if (code == ENOSPC)
        throw Error(
            fmt::format("{}: the disk has no room for the result: {:.3g} GB are needed, {:.3g} GB are free",
                        path_.string(), gigabytes(size_), gigabytes(available)));
    if (code != 0) throwSystemError(path_, fmt::format("reserve {:.3g} GB", gigabytes(size_)), code);
}

void WorkingFile::sync(std::size_t begin, std::size_t end) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    begin -= begin % page;
    if (begin < end && ::msync(data_ + begin, end - begin, MS_SYNC) != 0)
        throwSystemError(path_, "write", errno);
}

void WorkingFile::moveTo(const std::filesystem::path& target) {
    sync(0, size_);
    struct stat existing {};
    if (::stat(target.c_str(), &existing) == 0)
        (void)::fchmod(descriptor_.number(), existing.st_mode & 07777);
    if (::fsync(descriptor_.number()) != 0) throwSystemError(path_, "write", errno);
    moveIntoPlace(path_, target);
    close();
}

void WorkingFile::remove() {
    ::unlink(path_.c_str());
    close();
}

void WorkingFile::close() {
    if (data_ != nullptr) ::munmap(data_, size_);
    data_ = nullptr;
    descriptor_.close();
}

}  // namespace glycine::storage
