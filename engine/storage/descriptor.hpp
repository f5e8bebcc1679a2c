#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

/// Files as the system sees them, and what it says where it fails.
namespace glycine::storage {

/// "PATH: cannot write: No space left on device". `code` is an errno value.
std::string systemErrorText(const std::filesystem::path& path, std::string_view action, int code);
/// Throws Error with that text.
[[noreturn]] void throwSystemError(const std::filesystem::path& path, std::string_view action, int code);

/// The number of an open file, closed by the destructor.
class Descriptor {
  public:
    /// Below 0: none.
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { close(); }

    int number() const { return number_; }
    bool isOpen() const { return number_ >= 0; }
    /// Returns what the system does: 0, or -1 with errno.
    int close();

  private:
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }

    int number_;
};

/// Writes all bytes at the present position. Throws Error, naming `path`: "PATH: cannot ACTION: …".
void writeAll(const Descriptor& file, const std::filesystem::path& path, std::string_view bytes,
              std::string_view action = "write");

}  // namespace glycine::storage
