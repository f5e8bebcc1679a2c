#include "engine/storage/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/core/error.hpp"
#include "engine/storage/descriptor.hpp"

namespace glycine::storage {

InputDescriptor::InputDescriptor(const std::filesystem::path& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!descriptor_.isOpen()) throw InputError(systemErrorText(path, "read", errno));
    struct stat status {};
    const bool known = ::fstat(number(), &status) == 0;
    if (!known || !S_ISREG(status.st_mode))
        throw InputError(fmt::format("{}: cannot read: it is {}; expected a regular file", path.string(),
                                     known && S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
    size_ = static_cast<std::uint64_t>(status.st_size);
}

MappedFile::MappedFile(const std::filesystem::path& path) {
    const InputDescriptor file(path);
    if (file.size() == 0) return;  // mmap refuses an empty range
    void* const address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address == MAP_FAILED) throw InputError(systemErrorText(path, "map into memory", errno));
    bytes_ = {static_cast<const std::byte*>(address), file.size()};
}

MappedFile::~MappedFile() {
    // munmap's interface lacks a const; the range is given up, not written.
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace glycine::storage
