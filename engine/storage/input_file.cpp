#include "engine/storage/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/system/machine.hpp"
#include "engine/storage/folder.hpp"

namespace glycine::storage {

namespace {

std::int64_t nanoseconds(const struct timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::mutex inputsMutex;

/// Descriptors of open files, by the paths that stand for them.
std::map<std::string, int, std::less<>>& namelessInputs() {
    static std::map<std::string, int, std::less<>> inputs;
    return inputs;
}

}  // namespace

InputDescriptor::InputDescriptor(const std::filesystem::path& path)
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    : descriptor_(::open(openablePath(path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (!descriptor_.isOpen()) throw UnreadableInputError(systemErrorText(path, "read", errno));
    struct stat status {};
    const bool known = ::fstat(number(), &status) == 0;
    if (!known || !S_ISREG(status.st_mode))
        throw InputError(fmt::format("{}: cannot read: it is {}; expected a regular file", path.string(),
                                     known && S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
    size_ = static_cast<std::uint64_t>(status.st_size);
    modified_ = nanoseconds(status.st_mtim);
}

std::size_t InputDescriptor::readAt(std::uint64_t place, std::span<std::byte> target) const {
    std::size_t filled = 0;
    while (filled < target.size()) {
        const ssize_t count = ::pread(number(), target.data() + filled, target.size() - filled,
                                      static_cast<off_t>(place + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

bool InputDescriptor::hasChanged() const {
    struct stat status {};
    if (::fstat(number(), &status) != 0) return true;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    // A file that grows keeps its contents: a recording may still be in progress.
    return size < size_ || (size == size_ && nanoseconds(status.st_mtim) != modified_);
}

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path), file_(path) {
    if (file_.size() == 0) return;  // mmap refuses an empty range
    void* const address = ::mmap(nullptr, file_.size(), PROT_READ, MAP_PRIVATE, file_.number(), 0);
    if (address == MAP_FAILED) throw UnreadableInputError(systemErrorText(path, "map into memory", errno));
    bytes_ = {static_cast<const std::byte*>(address), file_.size()};
    guard_.emplace(bytes_);
}

void MappedFile::requireUnchanged() const {
    if (file_.hasChanged())
        throw UnreadableInputError(fmt::format(
            "{}: was changed or cut short while it was read; expected the {} bytes that it had at first",
            path_.string(), file_.size()));
    if (guard_ && guard_->isBroken())
        throw UnreadableInputError(fmt::format(
            "{}: cannot be read: the disk gives only a part of its {} bytes", path_.string(), file_.size()));
}

MappedFile::~MappedFile() {
    guard_.reset();
    // munmap's interface lacks a const; the range is released, not written.
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::filesystem::path temporaryFolder() {
    const char* const given = std::getenv("TMPDIR");
    const bool isGiven = given != nullptr && *given != '\0';
    const std::filesystem::path folder = isGiven ? given : "/tmp";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored))
        throw UsageError(fmt::format("{} is no folder; expected one for temporary files{}", folder.string(),
                                     isGiven ? " (TMPDIR names it)" : ": name it with TMPDIR"));
    return folder;
}

Descriptor createNamelessFile(const std::filesystem::path& path) {
    const Folder folder(path);
    Descriptor file;
    if (folder.isOpen()) file = folder.makeNameless(0600);
    if (folder.isOpen() && !file.isOpen() && errno == EOPNOTSUPP) {
        std::string name;
        file = folder.makeTemporary(0600, name);
        if (file.isOpen()) folder.remove(name);
    }
    if (!file.isOpen()) throwSystemError(path, "make a temporary file in it", errno);
    return file;
}

NamelessInput::NamelessInput(std::filesystem::path path, Descriptor file)
    : path_(path.string()), file_(std::move(file)) {
    const std::lock_guard lock(inputsMutex);
    if (!namelessInputs().emplace(path_, file_.number()).second)
        throw UsageError(fmt::format("{} is given twice", path_));
}

NamelessInput::~NamelessInput() {
    const std::lock_guard lock(inputsMutex);
    const auto found = namelessInputs().find(path_);
    if (found != namelessInputs().end() && found->second == file_.number()) namelessInputs().erase(found);
}

std::string openablePath(const std::filesystem::path& path) {
    const std::lock_guard lock(inputsMutex);
    const auto found = namelessInputs().find(path.string());
    return found == namelessInputs().end() ? path.string() : openFilePath(found->second);
}

}  // namespace glycine::storage
