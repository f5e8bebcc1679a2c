#include "engine/storage/working_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/storage/atomic_file.hpp"
#include "engine/storage/disk_space.hpp"

namespace glycine::storage {

namespace {

std::mutex livingMutex;
std::set<const WorkingFile*> living;

constexpr std::string_view kMark = "glycine!";

/// Stores to a smaller file take no time that counts.
constexpr std::size_t kLeastCached = std::size_t{16} << 20;
/// Part of the free memory that unwritten pages may take before Linux writes them to the disk by itself
/// (vm.dirty_background_ratio): zeros that wait for their values must not be written.
constexpr std::uint64_t kMostCached = 10;

std::size_t bytesOfPage() {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double gigabytes(std::uintmax_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

}  // namespace

WorkingFile::WorkingFile(OwnFile& file, std::size_t bytes, bool keep)
    : file_(file), size_(bytes), mapped_(bytesOnDisk(bytes)) {
    struct stat status {};
    isKept_ =
        keep && ::fstat(file_.number(), &status) == 0 && static_cast<std::size_t>(status.st_size) == mapped_;
    if (!isKept_) reserve();
    void* mapping = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
    if (mapping == MAP_FAILED) throwSystemError(file_.path(), "map into memory", errno);
    data_ = static_cast<std::byte*>(mapping);
    guard_.emplace(std::span<const std::byte>(data_, mapped_), true);
    setMark();
    const std::lock_guard lock(livingMutex);
    living.insert(this);
}

WorkingFile::~WorkingFile() {
    {
        const std::lock_guard lock(livingMutex);
        living.erase(this);
    }
    isEnding_ = true;
    (void)isCached();
    guard_.reset();
    if (data_ != nullptr) ::munmap(data_, mapped_);
}

std::size_t WorkingFile::bytesOnDisk(std::size_t bytes) {
    return bytes + kMark.size();
}

void WorkingFile::requireOnDisk() const {
    if (::fdatasync(file_.number()) != 0) throwSystemError(file_.path(), "write", errno);
}

void WorkingFile::setMark() {
    std::memcpy(data_ + size_, kMark.data(), kMark.size());
}

bool WorkingFile::fill(Range bytes) const {
    static const std::vector<std::byte> zeros(kFilledAtOnce);
    const auto count = static_cast<std::size_t>(
        ::pwrite(file_.number(), zeros.data(), bytes.size(), static_cast<off_t>(bytes.begin)));
    return count == bytes.size();
}

bool WorkingFile::hasLargePages(Range bytes) const {
    const auto faults = [] {
        struct rusage usage {};
        ::getrusage(RUSAGE_THREAD, &usage);
        return usage.ru_minflt;
    };
    const auto before = faults();
    std::size_t pages = 0;
    for (std::size_t at = bytes.begin; at < bytes.end; at += bytesOfPage(), ++pages)
        *static_cast<volatile std::byte*>(data_ + at) = std::byte{};
    return static_cast<std::size_t>(faults() - before) < pages / 4;
}

void WorkingFile::fillCache() {
    const Range first{0, kFilledAtOnce};
    const bool suits =
        !isKept_ && size_ >= kLeastCached && size_ <= availableHostMemory().bytes / kMostCached;
    if (!suits || !fill(first) || !hasLargePages(first)) return;
    cache_ = Cache::Filling;
    const auto fillRest = [this] {
        bool isFilled = true;
        for (std::size_t begin = kFilledAtOnce; isFilled && begin < size_; begin += kFilledAtOnce)
            isFilled = !isEnding_ && fill({begin, std::min(begin + kFilledAtOnce, size_)});
        cache_ = isFilled ? Cache::Filled : Cache::None;
        cache_.notify_all();
    };
    if (!startThread(filling_, fillRest)) cache_ = Cache::None;
}

bool WorkingFile::isCached() const {
    cache_.wait(Cache::Filling);
    return cache_ == Cache::Filled;
}

void WorkingFile::put(std::size_t begin, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            // The guard of the mapping detects the cause.
            std::memcpy(data_ + begin, bytes.data(), bytes.size());
            return;
        }
        begin += static_cast<std::size_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void WorkingFile::get(std::size_t begin, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::pread(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(begin));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            // As above.
            std::memcpy(bytes.data(), data_ + begin, bytes.size());
            return;
        }
        begin += static_cast<std::size_t>(count);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void WorkingFile::release(Range bytes) const {
    const std::size_t page = bytesOfPage();
    const std::size_t begin = roundUp(bytes.begin, page);
    const std::size_t end = bytes.end / page * page;
    if (begin < end) (void)::madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

std::size_t WorkingFile::sizeNow() const {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throwSystemError(file_.path(), "read", errno);
    return static_cast<std::size_t>(status.st_size);
}

bool WorkingFile::isCut() const {
    return sizeNow() < mapped_ || std::memcmp(data_ + size_, kMark.data(), kMark.size()) != 0;
}

void WorkingFile::requireIntact() const {
    if (isCut()) {
        const std::size_t left = sizeNow();
        throw Error(fmt::format(
            "{}: another program has cut it {} while results were kept in it: they are lost; run "
            "the command again",
            file_.path().string(), left < size_ ? fmt::format("to {} of {} bytes", left, size_) : "short"));
    }
    if (guard_->isBroken())
        throw Error(
            fmt::format("{}: the disk has failed under it, or has no room: run the command again, which "
                        "goes on from what is intact",
                        file_.path().string()));
}

void WorkingFile::reserve() {
    // Frees the blocks of an older file first.
    if (::ftruncate(file_.number(), 0) != 0) throwSystemError(file_.path(), "write", errno);
    const std::uintmax_t available = freeSpaceNextTo(file_.path());
    // Checked first, because a failing reservation takes all remaining space before it fails.
    int code = available < mapped_ ? ENOSPC : EINTR;
    while (code == EINTR) code = ::posix_fallocate(file_.number(), 0, static_cast<off_t>(mapped_));
    if (code == ENOSPC)
        throw noRoomOnDisk(file_.path().string(), "", static_cast<double>(size_),
                           static_cast<double>(available));
    if (code != 0) throwSystemError(file_.path(), fmt::format("reserve {:.3g} GB", gigabytes(size_)), code);
}

void WorkingFile::writeBack(const std::atomic<bool>& isGivenUp) {
    // The system cannot be interrupted within a piece.
    constexpr std::size_t kWrittenAtOnce = std::size_t{64} << 20;
    constexpr unsigned kWritten =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    for (const Range piece : splitRange(size_, kWrittenAtOnce)) {
        if (isGivenUp) return;
        (void)::sync_file_range(file_.number(), static_cast<off_t>(piece.begin),
                                static_cast<off_t>(piece.size()), kWritten);
    }
}

void WorkingFile::becomeFile(const std::filesystem::path& target) {
    (void)isCached();
    requireIntact();
    if (file_.isInPlace()) {
        struct stat existing {};
        if (::stat(target.c_str(), &existing) == 0) (void)::fchmod(file_.number(), existing.st_mode & 07777);
        if (::fsync(file_.number()) != 0) throwSystemError(file_.path(), "write", errno);
        requireIntact();
        if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0 || ::fsync(file_.number()) != 0)
            throwSystemError(file_.path(), "write", errno);
        if (file_.rename(target)) {
            recordNamedFile(target);
            return;
        }
        if (::ftruncate(file_.number(), static_cast<off_t>(mapped_)) != 0)
            throwSystemError(file_.path(), "write", errno);
        setMark();
    }
    AtomicFile copy(target);
    copy.write(data_, size_);
    copy.commit();
}

void requireIntactWorkingFiles() {
    const std::lock_guard lock(livingMutex);
    for (const WorkingFile* file : living) file->requireIntact();
}

}  // namespace glycine::storage
