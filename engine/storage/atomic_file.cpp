#include "engine/storage/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
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

/// Of a temporary file's name, that of its target: "a.csv" of ".a.csv.123-0.tmp". Empty for other names.
std::string_view targetOf(std::string_view name) {
    constexpr std::string_view kEnding = ".tmp";
    if (!name.starts_with('.') || !name.ends_with(kEnding)) return {};
    name.remove_prefix(1);
    name.remove_suffix(kEnding.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view number = name.substr(dot + 1);
    const std::size_t dash = number.find('-');
    const bool isOurs = dash != std::string_view::npos && isDigits(number.substr(0, dash)) &&
                        isDigits(number.substr(dash + 1));
    return isOurs ? name.substr(0, dot) : std::string_view();
}

/// Temporary files by the names of their targets.
using Leftovers = std::multimap<std::string, std::filesystem::path, std::less<>>;

Leftovers findLeftovers(const std::filesystem::path& folder) {
    Leftovers found;
    std::error_code ignored;
    std::filesystem::directory_iterator files(folder, ignored);
    for (; !ignored && files != std::filesystem::directory_iterator(); files.increment(ignored)) {
        const std::string name = files->path().filename().string();
        if (const std::string_view target = targetOf(name); !target.empty())
            found.emplace(target, files->path());
    }
    return found;
}

/// Removes what processes have left that were killed. Who writes a temporary file has it locked. A folder is
/// read once: a run may write thousands of files into it.
void removeLeftovers(const std::filesystem::path& target) {
    static std::mutex mutex;
    static std::map<std::filesystem::path, Leftovers> folders;
    const std::lock_guard lock(mutex);
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::absolute(target, ignored);
    auto known = folders.find(file.parent_path());
    if (known == folders.end())
        known = folders.emplace(file.parent_path(), findLeftovers(file.parent_path())).first;
    const auto [begin, end] = known->second.equal_range(file.filename().string());
    for (auto leftover = begin; leftover != end; ++leftover) {
        const char* const path = leftover->second.c_str();
        const Descriptor left(::open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
        if (left.isOpen() && ::flock(left.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(path);
    }
    known->second.erase(begin, end);
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
