#include "engine/storage/descriptor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "engine/core/error.hpp"

namespace glycine::storage {

std::string systemErrorText(const std::filesystem::path& path, std::string_view action, int code) {
    return fmt::format("{}: cannot {}: {}", path.string(), action, std::generic_category().message(code));
}

void throwSystemError(const std::filesystem::path& path, std::string_view action, int code) {
    throw Error(systemErrorText(path, action, code));
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    close();
    number_ = other.release();
    return *this;
}

int Descriptor::close() {
    return isOpen() ? ::close(release()) : 0;
}

void writeAll(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
              std::string_view action) {
    constexpr std::size_t kLargestWrite = std::size_t{1} << 30;
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.number(), bytes.data(), std::min(bytes.size(), kLargestWrite));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throwSystemError(path, action, errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace glycine::storage
