#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/host_memory.hpp"
#include "engine/io/text/byte_source.hpp"

namespace glycine::io {

bool startsAsGzip(std::span<const char> bytes);

/// The contents of a gzip file (RFC 1952), read once, from the front. Several consecutive members count as
/// one; anything else after the last member is padding.
///
/// All threads unpack the blocks of BGZF files (SAM/BAM specification, section 4.1), which bgzip writes.
/// libdeflate unpacks other members whole, if the file has at most kLargestPacked bytes and the member at
/// most kLargestWhole. zlib unpacks the rest piece by piece: larger members, and whatever libdeflate refuses,
/// so that the contents before the damage are returned first. It also begins every file, because many readers
/// read only the head.
class GzipStream {
  public:
    /// Largest file in bytes that is held in memory packed.
    static constexpr std::uint64_t kLargestPacked = std::uint64_t{128} << 20;

    /// `head`: the bytes of `source` that were read before. `source` must outlive the stream.
    GzipStream(ByteSource& source, std::vector<char> head);
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;
    ~GzipStream();

    /// Fills `target` as far as possible and returns the number of bytes. Throws InputError for damaged or
    /// truncated data, and CancelledError after a stop request.
    std::size_t read(std::span<char> target);

  private:
    struct Inflater;

    std::span<const std::byte> waiting() const;
    bool refill();
    bool fill(std::size_t bytes);
    void holdAll();
    bool unpackBlocks();
    bool unpackMember(std::size_t given);
    std::size_t inflatePiece(std::span<char> target);
    void finishMember();

    ByteSource& source_;
    std::vector<char> packed_;     ///< a part of the file
    std::size_t begin_ = 0;        ///< first byte of it that was not unpacked
    std::size_t memberBegin_ = 0;  ///< of the member that zlib unpacks
    bool holdsAll_ = false;        ///< whether packed_ has the rest of the file
    bool isFinished_ = false;
    std::size_t atOnce_;               ///< bytes of BGZF blocks to unpack in the next step
    std::uint64_t packedBytes_ = 0;    ///< unpacked so far
    std::uint64_t unpackedBytes_ = 0;  ///< their contents
    std::unique_ptr<Inflater> inflater_;
    std::unique_ptr<LargeArray> unpacked_;
    std::size_t unpackedRoom_ = 0;  ///< bytes of unpacked_
    std::span<const char> ready_;   ///< part of unpacked_ that was not returned
};

}  // namespace glycine::io
