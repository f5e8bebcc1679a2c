#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/module.hpp"
#include "engine/io/text/byte_source.hpp"

/// ZIP archives, read by libzip. It is a module, because libzip brings a library for encryption, which takes
/// a millisecond to load.
namespace glycine::io {

/// Entry of an archive's directory for a member that is not encrypted.
struct ZipEntry {
    enum class Method { Stored, Deflated, Other };
    Method method = Method::Other;
    std::uint64_t packed = 0;  ///< bytes in the archive
    std::uint64_t size = 0;    ///< bytes of its contents
    std::uint32_t crc = 0;     ///< of its contents
};

/// An archive opened for reading. Members are numbered as in its directory.
class ZipArchive {
  public:
    virtual ~ZipArchive() = default;

    /// Names of all members; empty for a name that cannot be read.
    virtual std::vector<std::string> names() const = 0;
    virtual std::optional<std::uint64_t> locate(const std::string& name) const = 0;
    /// Nothing if the directory is incomplete, or the member is encrypted.
    virtual std::optional<ZipEntry> entry(std::uint64_t index) const = 0;
    /// The contents of a member, unpacked piece by piece. `shown` is its name in errors. Throws InputError,
    /// also when it is read. Must not outlive the archive.
    virtual std::unique_ptr<ByteSource> open(std::uint64_t index, std::string shown) const = 0;
};

/// Opens an archive. Returns null, and libzip's reason in `cause`, if the file is no archive. Throws
/// UnavailableError if libzip cannot be loaded.
std::unique_ptr<ZipArchive> openZip(const std::filesystem::path& path, std::string& cause);

/// The module `zip`: the functions that use libzip.
struct ZipModule {
    const char* build;
    std::unique_ptr<ZipArchive> (*open)(const std::filesystem::path& path, std::string& cause);
};

}  // namespace glycine::io
