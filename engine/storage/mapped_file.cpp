#include "engine/storage/mapped_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"
#include "engine/storage/input_descriptor.hpp"

namespace glycine::storage {

MappedFile::MappedFile(const std::filesystem::path& path) {
    const InputDescriptor file(path);
    if (file.size() == 0) return;  // mmap refuses an empty range
    void* const address = ::mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address == MAP_FAILED)
        throw InputError(fmt::format("{}: cannot map into memory: {}", path.string(),
                                     std::generic_category().message(errno)));
    bytes_ = {static_cast<const std::byte*>(address), file.size()};
}

MappedFile::~MappedFile() {
    // munmap's interface lacks a const; the range is given up, not written.
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace glycine::storage
