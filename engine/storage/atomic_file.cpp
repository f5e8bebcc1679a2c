#include "engine/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/storage/folder.hpp"
#include "engine/storage/working_file.hpp"

namespace glycine::storage {

namespace {

std::mutex inPlaceMutex;
std::vector<std::filesystem::path> inPlace;

std::mutex scannedMutex;
std::set<std::filesystem::path> scanned;

std::filesystem::path absoluteOf(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored);
}

/// Removes leftovers of killed processes. Scans each folder only once, because a run may write thousands of
/// files into it.
void removeLeftovers(const Folder& folder, const std::filesystem::path& target) {
    const std::lock_guard lock(scannedMutex);
    if (scanned.insert(absoluteOf(target).parent_path()).second) folder.removeLeftovers();
}

/// Copies bytes and permissions, and flushes them to the disk.
void copyFile(const Descriptor& source, const Descriptor& copy, const std::filesystem::path& target) {
    struct stat status {};
    if (::fstat(source.number(), &status) != 0) throwSystemError(target, "read", errno);
    (void)::fchmod(copy.number(), status.st_mode & 07777);
    std::string piece(std::size_t{1} << 20, '\0');
    for (off_t offset = 0; offset < status.st_size;) {
        const ssize_t count = ::pread(source.number(), piece.data(), piece.size(), offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) throwSystemError(target, "read", count < 0 ? errno : EIO);
        writeAll(copy, target, std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
        offset += count;
    }
    if (::fsync(copy.number()) != 0) throwSystemError(target, "write", errno);
}

}  // namespace

bool isStandardOutput(const std::filesystem::path& target) {
    return target == "-";
}

std::filesystem::path resolveLink(const std::filesystem::path& target) {
    if (isStandardOutput(target)) return target;
    constexpr int kMaxLinks = 40;
    std::filesystem::path resolved = target;
    for (int i = 0; i < kMaxLinks; ++i) {
        std::error_code noLink;
        const std::filesystem::path next = std::filesystem::read_symlink(resolved, noLink);
        if (noLink) return resolved;
        resolved = resolved.parent_path() / next;
    }
    return target;
}

void requireReplaceable(const std::filesystem::path& target) {
    struct stat existing {};
    if (::lstat(target.c_str(), &existing) != 0 || S_ISREG(existing.st_mode)) return;
    throw Error(fmt::format("{}: cannot write: it is {}; expected a regular file or a new name",
                            target.string(),
                            S_ISDIR(existing.st_mode)   ? "a folder"
                            : S_ISLNK(existing.st_mode) ? "a symbolic link that leads nowhere"
                                                        : "a device or a pipe"));
}

void recordNamedFile(const std::filesystem::path& target) {
    const std::lock_guard lock(inPlaceMutex);
    inPlace.push_back(target);
}

std::vector<std::filesystem::path> filesInPlace() {
    const std::lock_guard lock(inPlaceMutex);
    return inPlace;
}

void forgetFolder(const std::filesystem::path& folder) {
    const std::filesystem::path whole = absoluteOf(folder);
    {
        const std::lock_guard lock(inPlaceMutex);
        std::erase_if(inPlace, [&](const auto& file) { return absoluteOf(file).parent_path() == whole; });
    }
    const std::lock_guard lock(scannedMutex);
    scanned.erase(whole);
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
    requireReplaceable(target_);
    folder_.emplace(Folder::of(target_));
    removeLeftovers(*folder_, target_);
    descriptor_ = folder_->makeNameless(0666);
    if (!descriptor_.isOpen() && errno == EOPNOTSUPP) {
        descriptor_ = folder_->makeTemporary(0666, temporary_);
        if (descriptor_.isOpen()) discard_.emplace(target_.parent_path() / temporary_);
    }
    if (!descriptor_.isOpen()) throwSystemError(target_, "write", errno);
    const std::optional<struct stat> replaced = folder_->find(target_.filename().string());
    if (replaced) (void)::fchmod(descriptor_.number(), replaced->st_mode & 07777);
}

AtomicFile::~AtomicFile() {
    if (!temporary_.empty()) folder_->remove(temporary_);
}

void AtomicFile::write(std::string_view bytes) {
    // Still in a cache when the other thread copies it to the system.
    constexpr std::size_t kHandedOver = std::size_t{1} << 20;
    // Between two checks for a stop request.
    constexpr std::size_t kLargestWrite = kHandedOver;
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, kLargestWrite);
        if (folder_)
            gathered_ += piece;
        else
            writeAll(descriptor_, target_, piece);
        if (gathered_.size() >= kHandedOver) handOver();
        position_ += piece.size();
        work_.advance(static_cast<double>(piece.size()));
        bytes.remove_prefix(piece.size());
    }
}

void AtomicFile::handOver() {
    if (writing_.valid()) writing_.get();
    std::swap(gathered_, handedOver_);
    gathered_.clear();
    const auto write = [this] {
        writeAll(descriptor_, target_, handedOver_);
        // Starts writing all that the disk has not begun with; fsync reports failures.
        (void)::sync_file_range(descriptor_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
    };
    if (!startThread(writing_, write)) write();
}

void AtomicFile::drain() {
    if (writing_.valid()) writing_.get();
    writeAll(descriptor_, target_, gathered_);
    gathered_.clear();
}

void AtomicFile::seek(std::uint64_t offset) {
    drain();
    if (::lseek(descriptor_.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throwSystemError(target_, "write", errno);
    position_ = offset;
}

void AtomicFile::commit() {
    commitTogether({this});
}

void AtomicFile::commitTogether(std::initializer_list<AtomicFile*> files) {
    for (AtomicFile* const file : files) {
        file->drain();
        // The disk works on all files, while complete() waits for the first.
        if (files.size() > 1)
            (void)::sync_file_range(file->descriptor_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
    }
    requireIntactWorkingFiles();
    for (AtomicFile* const file : files) file->complete();
    std::set<std::filesystem::path> flushed;
    for (AtomicFile* const file : files) {
        if (!file->folder_) continue;
        file->nameFile();
        recordNamedFile(file->target_);
    }
    for (AtomicFile* const file : files)
        if (file->folder_ && flushed.insert(file->target_.parent_path()).second) file->folder_->flush();
    for (AtomicFile* const file : files) file->descriptor_.close();
}

void AtomicFile::complete() {
    if (!folder_) {
        if (descriptor_.close() != 0) throwSystemError(target_, "write", errno);
        return;
    }
    if (::fsync(descriptor_.number()) != 0) throwSystemError(target_, "write", errno);
    // Some file systems report a full disk only when a file is closed, so a duplicate of the descriptor is
    // closed.
    if (Descriptor(::fcntl(descriptor_.number(), F_DUPFD_CLOEXEC, 0)).close() != 0)
        throwSystemError(target_, "write", errno);
}

void AtomicFile::nameFile() {
    const std::string name = target_.filename().string();
    if (temporary_.empty()) {
        if (folder_->giveName(descriptor_, name)) return;
        // Only a rename replaces an existing file.
        bool isNamed = false;
        do {
            temporary_ = Folder::temporaryName();
            discard_.emplace(target_.parent_path() / temporary_);
            isNamed = folder_->giveName(descriptor_, temporary_);
        } while (!isNamed && errno == EEXIST);
        // A file system may create nameless files, but refuse to name them.
        if (!isNamed) {
            const Descriptor nameless = std::move(descriptor_);
            descriptor_ = folder_->makeTemporary(0666, temporary_);
            if (!descriptor_.isOpen()) throwSystemError(target_, "write", errno);
            discard_.emplace(target_.parent_path() / temporary_);
            copyFile(nameless, descriptor_, target_);
        }
    }
    if (!folder_->rename(temporary_, name)) throwSystemError(target_, "write", errno);
    temporary_.clear();
    discard_.reset();
}

}  // namespace glycine::storage
