#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/io/text/byte_source.hpp"
#include "engine/storage/atomic_file.hpp"

/// Members of ZIP archives that are stored as they are, without compression: read and written by all threads,
/// as fast as the file itself. libzip, which reads all others, passes them through one processor, byte by
/// byte for their CRC-32.
/// Source: PKWARE, APPNOTE.TXT, version 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 – 4.3.16 and 4.5.3.
namespace glycine::io {

/// A member's size and checksum, from the directory of the archive.
struct StoredSize {
    std::uint64_t size = 0;  ///< bytes
    std::uint32_t crc = 0;
};
/// Opens the stored member number `index` of the directory, which has this name; null where the archive is
/// not laid out as usual. `shown`: its name in errors. Reading throws InputError for bytes with another
/// CRC-32, and where the file has become shorter.
std::unique_ptr<ByteSource> openStoredMember(const std::filesystem::path& archive, std::uint64_t index,
                                             const std::string& name, const StoredSize& size,
                                             const std::string& shown);

/// Writes an archive of stored members: begin, write, end for each, then finish. Members and directory have
/// long sizes and places (zip64) where they need them. The bytes depend on the members alone.
class StoredArchive {
  public:
    /// `file` is empty, and committed by the caller.
    explicit StoredArchive(storage::AtomicFile& file) : file_(file) {}
    void begin(std::string name, std::uint64_t size);
    /// The next of its bytes; as many as were announced must have come before `end`.
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
