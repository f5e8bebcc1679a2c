#include "engine/io/text/gzip_stream.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/io/text/deflate.hpp"

namespace glycine::io {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::size_t kPackedWindow = std::size_t{1} << 16;

/// A block of BGZF: a gzip member of at most 64 KiB, both packed and unpacked. Its header states its packed
/// size.
struct Block {
    static constexpr std::size_t kHeader = 18, kTrailer = 8, kLargest = std::size_t{1} << 16;
    std::size_t place = 0;     ///< first byte, in the waiting bytes
    std::size_t packed = 0;    ///< size in bytes
    std::size_t offset = 0;    ///< first byte of the unpacked contents, in those of all blocks
    std::size_t unpacked = 0;  ///< size of the contents in bytes
};

std::size_t littleEndianAt(std::span<const std::byte> bytes, std::size_t place, std::size_t size) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= std::to_integer<std::size_t>(bytes[place + i]) << (8 * i);
    return value;
}

/// The block at the beginning of `bytes`; nothing if no block begins there or its end is missing.
std::optional<Block> firstBlock(std::span<const std::byte> bytes) {
    constexpr std::string_view kMethodAndFlags = "\x08\x04";
    constexpr std::string_view kField("\x06\0BC\x02\0", 6);  // the one extra field, of two bytes
    constexpr std::size_t kFieldAt = 10;
    if (bytes.size() < Block::kHeader) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), Block::kHeader);
    if (!text.starts_with(kGzipMagic) || text.substr(kGzipMagic.size(), 2) != kMethodAndFlags ||
        text.substr(kFieldAt, kField.size()) != kField)
        return std::nullopt;
    Block block;
    block.packed = littleEndianAt(bytes, kFieldAt + kField.size(), 2) + 1;
    if (block.packed < Block::kHeader + Block::kTrailer || block.packed > bytes.size()) return std::nullopt;
    block.unpacked = littleEndianAt(bytes, block.packed - 4, 4);
    return block.unpacked <= Block::kLargest ? std::optional(block) : std::nullopt;
}

}  // namespace

bool startsAsGzip(std::span<const char> bytes) {
    return bytes.size() >= kGzipMagic.size() &&
           std::equal(kGzipMagic.begin(), kGzipMagic.end(), bytes.begin());
}

struct GzipStream::Inflater {
    z_stream stream{};
    bool isInMember = false;
    std::uint64_t given = 0;  ///< bytes of the current member unpacked so far

    explicit Inflater(const std::string& name) {
        constexpr int kGzipOnly = 16 + MAX_WBITS;
        if (inflateInit2(&stream, kGzipOnly) != Z_OK)
            throw Error(fmt::format("{}: zlib does not start", name));
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&stream); }
};

GzipStream::GzipStream(ByteSource& source, std::vector<char> head)
    : source_(source),
      packed_(std::move(head)),
      atOnce_(kPackedWindow),
      inflater_(std::make_unique<Inflater>(source.name())) {}

GzipStream::~GzipStream() = default;

std::span<const std::byte> GzipStream::waiting() const {
    return std::as_bytes(std::span(packed_)).subspan(begin_);
}

/// Reads until `bytes` bytes are waiting or the file ends; drops those that were unpacked. Returns whether
/// bytes were added.
bool GzipStream::fill(std::size_t bytes) {
    const std::size_t kept = packed_.size() - begin_;
    if (kept >= bytes) return false;
    packed_.erase(packed_.begin(), packed_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    packed_.resize(bytes);
    const std::size_t came = source_.read(std::as_writable_bytes(std::span(packed_).subspan(kept)));
    packed_.resize(kept + came);
    return came > 0;
}

bool GzipStream::refill() {
    return fill(packed_.size() - begin_ + kPackedWindow);
}

/// Reads the rest of the file. Keeps the current member from its beginning, although zlib has unpacked a part
/// of it.
void GzipStream::holdAll() {
    const std::size_t begun = begin_ - memberBegin_;
    begin_ = memberBegin_;
    fill(static_cast<std::size_t>(source_.size()) + kPackedWindow);
    begin_ += begun;
    memberBegin_ = 0;
    holdsAll_ = true;
}

/// Unpacks the next blocks. Returns false if the next one is incomplete, damaged or no block of BGZF.
bool GzipStream::unpackBlocks() {
    constexpr std::size_t kMostPacked = std::size_t{8} << 20, kMostUnpacked = std::size_t{32} << 20;
    if (!firstBlock(waiting())) fill(Block::kLargest);
    if (!firstBlock(waiting())) return false;
    fill(atOnce_);
    const std::span<const std::byte> bytes = waiting();
    std::vector<Block> blocks;
    std::size_t place = 0, unpacked = 0;
    while (const std::optional<Block> found = firstBlock(bytes.subspan(place))) {
        if (place + found->packed > std::max(atOnce_, Block::kLargest) ||
            unpacked + found->unpacked > kMostUnpacked)
            break;
        blocks.push_back({place, found->packed, unpacked, found->unpacked});
        place += found->packed;
        unpacked += found->unpacked;
    }
    atOnce_ = std::min(4 * atOnce_, kMostPacked);
    if (unpacked_ == nullptr || unpackedRoom_ < unpacked) {
        unpackedRoom_ = std::max(unpacked, Block::kLargest);
        unpacked_ = std::make_unique<LargeArray>(unpackedRoom_);
    }
    std::vector<char> isGood(blocks.size());
    parallelFor(omp_get_max_threads(), blocks.size(), [&](std::size_t index, std::size_t) {
        const Block& block = blocks[index];
        const std::optional<GzipSizes> sizes = unpackGzip(bytes.subspan(block.place, block.packed),
                                                          {unpacked_->data() + block.offset, block.unpacked});
        isGood[index] = sizes && sizes->packed == block.packed && sizes->unpacked == block.unpacked ? 1 : 0;
    });
    // zlib continues at a damaged block and describes the damage.
    const auto good = static_cast<std::size_t>(std::find(isGood.begin(), isGood.end(), 0) - isGood.begin());
    if (good == 0) return false;
    const Block& last = blocks[good - 1];
    ready_ = {reinterpret_cast<const char*>(unpacked_->data()), last.offset + last.unpacked};
    begin_ += last.place + last.packed;
    packedBytes_ += last.place + last.packed;
    unpackedBytes_ += ready_.size();
    finishMember();
    return true;
}

/// Unpacks the whole member at memberBegin_, of which `given` bytes were returned before. Returns false if it
/// is damaged, is too large, or does not fit into memory.
bool GzipStream::unpackMember(std::size_t given) {
    // The room may be larger than the contents, because untouched pages take no memory.
    constexpr std::size_t kLargestRatio = 1032;
    const std::span<const std::byte> bytes = std::as_bytes(std::span(packed_)).subspan(memberBegin_);
    const std::size_t room = std::min({kLargestWhole, kLargestRatio * bytes.size(),
                                       static_cast<std::size_t>(availableHostMemory().bytes / 4)});
    std::optional<GzipSizes> sizes;
    try {
        if (unpacked_ == nullptr || unpackedRoom_ < room) {
            unpacked_ = std::make_unique<LargeArray>(std::max(room, kPackedWindow));
            unpackedRoom_ = std::max(room, kPackedWindow);
        }
        sizes = unpackGzip(bytes, {unpacked_->data(), room});
    } catch (const std::bad_alloc&) {
        unpackedRoom_ = 0;
        unpacked_.reset();
    }
    if (!sizes || sizes->unpacked < given) return false;
    ready_ = {reinterpret_cast<const char*>(unpacked_->data()) + given, sizes->unpacked - given};
    packedBytes_ += sizes->packed - (begin_ - memberBegin_);
    unpackedBytes_ += ready_.size();
    begin_ = memberBegin_ + sizes->packed;
    finishMember();
    return true;
}

/// Returns the output of one zlib call, which may be empty before the end.
std::size_t GzipStream::inflatePiece(std::span<char> target) {
    Inflater& inflater = *inflater_;
    if (!inflater.isInMember) {
        memberBegin_ = begin_;
        inflateReset(&inflater.stream);
        inflater.given = 0;
        inflater.isInMember = true;
    }
    if (begin_ == packed_.size()) {
        if (!holdsAll_ && source_.size() <= kLargestPacked) {
            holdAll();
            if (unpackMember(static_cast<std::size_t>(inflater.given))) return 0;
        }
        if (begin_ == packed_.size() && !refill())
            throw InputError(fmt::format("{}: truncated gzip data: it ends after {} bytes ({} unpacked)",
                                         source_.name(), packedBytes_, unpackedBytes_));
    }
    constexpr std::size_t kLargestPiece = std::size_t{16} << 20;
    z_stream& stream = inflater.stream;
    const std::size_t room = std::min(target.size(), kLargestPiece);
    const std::size_t offered = std::min(packed_.size() - begin_, kLargestPiece);
    stream.next_in = reinterpret_cast<Bytef*>(packed_.data() + begin_);
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(target.data());
    stream.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t used = offered - stream.avail_in;
    const std::size_t given = room - stream.avail_out;
    begin_ += used;
    packedBytes_ += used;
    unpackedBytes_ += given;
    inflater.given += given;
    if (state == Z_STREAM_END)
        finishMember();
    else if (state != Z_OK && state != Z_BUF_ERROR)
        throw InputError(fmt::format("{}: damaged gzip data near byte {}: {}", source_.name(), packedBytes_,
                                     stream.msg != nullptr ? stream.msg : "preset dictionary"));
    return given;
}

void GzipStream::finishMember() {
    inflater_->isInMember = false;
    fill(kGzipMagic.size());
    isFinished_ = !startsAsGzip(std::span(packed_).subspan(begin_));
}

std::size_t GzipStream::read(std::span<char> target) {
    std::size_t filled = 0;
    while (filled < target.size()) {
        const std::span<char> rest = target.subspan(filled);
        if (!ready_.empty()) {
            const std::size_t count = std::min(rest.size(), ready_.size());
            std::copy_n(ready_.begin(), count, rest.begin());
            ready_ = ready_.subspan(count);
            filled += count;
            continue;
        }
        if (isFinished_) break;
        // Files report cancellation only when they are read.
        throwIfCancellationRequested();
        if (!inflater_->isInMember) {
            if (unpackBlocks()) continue;
            memberBegin_ = begin_;
            if (holdsAll_ && unpackMember(0)) continue;
        }
        filled += inflatePiece(rest);
    }
    return filled;
}

}  // namespace glycine::io
