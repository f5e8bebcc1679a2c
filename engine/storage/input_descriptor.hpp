#pragma once

#include <cstdint>
#include <filesystem>

namespace glycine::storage {

/// A regular file opened for reading; closed by the destructor.
class InputDescriptor {
  public:
    /// Throws InputError with the system's own words when the file cannot be opened, or is a folder or a
    /// device.
    explicit InputDescriptor(const std::filesystem::path& path);
    InputDescriptor(const InputDescriptor&) = delete;
    InputDescriptor& operator=(const InputDescriptor&) = delete;
    ~InputDescriptor();

    int number() const { return number_; }
    /// In bytes, when it was opened.
    std::uint64_t size() const { return size_; }

  private:
    int number_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace glycine::storage
