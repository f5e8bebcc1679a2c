#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/storage/atomic_file.hpp"

/// Members of ZIP archives without libzip, which processes them on one core through small buffers. All
/// threads read and write members that are stored without compression, as fast as the file itself. libdeflate
/// unpacks deflated ones as a whole. Source: PKWARE, APPNOTE.TXT, version 6.3.10,
/// sections 4.3.7, 4.3.12, 4.3.14 – 4.3.16 and 4.5.3.
namespace glycine::io {

/// A member's size and checksum, from the directory of the archive.
struct StoredSize {
    std::uint64_t size = 0;  ///< bytes
    std::uint32_t crc = 0;
};
/// Opens the stored member number `index` of the directory, which must have this name. Returns null if the
/// archive has an unusual layout. `shown` is its name in errors. Reading throws InputError if the CRC-32
/// differs, or if the file has become shorter.
std::unique_ptr<ByteSource> openStoredMember(const std::filesystem::path& archive, std::uint64_t index,
                                             const std::string& name, const StoredSize& size,
                                             const std::string& shown);

/// Sizes and checksum of a deflated member, from the directory of the archive.
struct DeflatedSize {
    std::uint64_t packed = 0;  ///< bytes
    std::uint64_t size = 0;    ///< of its contents
    std::uint32_t crc = 0;     ///< of its contents
};
/// Unpacks the deflated member number `index` of the directory, which must have this name: `size.size` bytes.
/// Returns null if the archive has an unusual layout, or if the member is damaged or truncated, and if there
/// is no memory for it: libzip then reads it piece by piece, and describes what is wrong.
std::unique_ptr<LargeArray> unpackDeflatedMember(const std::filesystem::path& archive, std::uint64_t index,
                                                 const std::string& name, const DeflatedSize& size);

/// Writes an archive of stored members: begin, write, end for each member, then finish. Members and directory
/// use 64-bit sizes and offsets (zip64) if they need them. The bytes depend on the members alone.
class StoredArchive {
  public:
    /// `file` must be empty; the caller commits it.
    explicit StoredArchive(storage::AtomicFile& file) : file_(file) {}
    void begin(std::string name, std::uint64_t size);
    /// Writes the member's next bytes. All announced bytes must be written before `end`.
    void write(std::span<const std::byte> bytes);
    void end();
    void finish();

  private:
    struct Member {
        std::string name;
        std::uint64_t size = 0;
        std::uint64_t place = 0;
        std::uint32_t crc = 0;
    };
    std::string localHeader(const Member& member) const;

    storage::AtomicFile& file_;
    std::vector<Member> members_;
};

}  // namespace glycine::io
