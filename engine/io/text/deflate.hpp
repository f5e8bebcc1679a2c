#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// DEFLATE data (RFC 1951) that are in memory as a whole, and CRC-32: libdeflate processes both two to four
/// times as fast as zlib. Every function may be called by several threads.
namespace glycine::io {

/// Most bytes that one member of a gzip file or of a ZIP archive is unpacked to in one step. zlib unpacks
/// larger members piece by piece, so that memory does not hold them next to what is made of them.
inline constexpr std::size_t kLargestWhole = std::size_t{512} << 20;

/// The CRC-32 of gzip and ZIP.
std::uint32_t crcOf(std::span<const std::byte> bytes);

/// Unpacks `packed`, which must fill `target` exactly; returns whether it does. The contents of `target` are
/// undefined if not.
bool unpackDeflate(std::span<const std::byte> packed, std::span<std::byte> target);

/// Sizes of a gzip member in bytes: with its header and checksum, and of its contents.
struct GzipSizes {
    std::size_t packed = 0;
    std::size_t unpacked = 0;
};
/// Unpacks the gzip member at the beginning of `packed`. Returns nothing for a damaged or truncated member,
/// for one that is larger than `target`, and for one with a checksum of its header, which is not checked
/// here.
std::optional<GzipSizes> unpackGzip(std::span<const std::byte> packed, std::span<std::byte> target);

/// Packs text as one gzip member, with zlib's default effort. Throws std::bad_alloc.
std::string packGzip(std::string_view text);

}  // namespace glycine::io
