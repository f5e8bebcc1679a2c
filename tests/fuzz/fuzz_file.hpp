#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace glycine::test {

/// A named file in memory, for readers that take a path; `name` determines its extension. A program has one
/// such file, whose contents each input replaces.
class FuzzFile {
  public:
    explicit FuzzFile(const std::string& name) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
        folder_ = (std::filesystem::temp_directory_path() / "glycine-fuzz-XXXXXX").string();
        if (descriptor_ < 0 || mkdtemp(folder_.data()) == nullptr) std::abort();
        path_ = std::filesystem::path(folder_) / name;
        std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(descriptor_), path_);
    }
    FuzzFile(const FuzzFile&) = delete;
    FuzzFile& operator=(const FuzzFile&) = delete;
    ~FuzzFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
        close(descriptor_);
    }

    const std::filesystem::path& path() const { return path_; }
    /// Replaces the contents with these bytes.
    void fill(const std::uint8_t* data, std::size_t size) const {
        if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) std::abort();
        for (std::size_t written = 0; written < size;) {
            const ssize_t count =
                pwrite(descriptor_, data + written, size - written, static_cast<off_t>(written));
            if (count <= 0) std::abort();
            written += static_cast<std::size_t>(count);
        }
    }

  private:
    int descriptor_;
    std::string folder_;
    std::filesystem::path path_;
};

}  // namespace glycine::test
