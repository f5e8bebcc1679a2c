#include "engine/storage/input_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"

namespace glycine::storage {

InputDescriptor::InputDescriptor(const std::filesystem::path& path) {
    number_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (number_ < 0)
        throw InputError(
            fmt::format("{}: cannot read: {}", path.string(), std::generic_category().message(errno)));
    struct stat status {};
    const bool known = ::fstat(number_, &status) == 0;
    if (!known || !S_ISREG(status.st_mode)) {
        ::close(number_);
        throw InputError(fmt::format("{}: cannot read: it is {}; expected a regular file", path.string(),
                                     known && S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe"));
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputDescriptor::~InputDescriptor() {
    ::close(number_);
}

}  // namespace glycine::storage
