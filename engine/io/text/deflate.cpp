#include "engine/io/text/deflate.hpp"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace glycine::io {

namespace {

struct FreeTables {
    void operator()(libdeflate_decompressor* decompressor) const {
        libdeflate_free_decompressor(decompressor);
    }
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

/// The tables of this thread.
libdeflate_decompressor* decompressor() {
    thread_local const std::unique_ptr<libdeflate_decompressor, FreeTables> mine(
        libdeflate_alloc_decompressor());
    if (mine == nullptr) throw std::bad_alloc();
    return mine.get();
}

}  // namespace

std::uint32_t crcOf(std::span<const std::byte> bytes) {
    // libdeflate returns its initial value for a null pointer, which an empty span may have.
    return libdeflate_crc32(0, bytes.data(), bytes.size());
}

bool unpackDeflate(std::span<const std::byte> packed, std::span<std::byte> target) {
    std::size_t used = 0;
    return libdeflate_deflate_decompress_ex(decompressor(), packed.data(), packed.size(), target.data(),
                                            target.size(), &used, nullptr) == LIBDEFLATE_SUCCESS &&
           used == packed.size();
}

std::optional<GzipSizes> unpackGzip(std::span<const std::byte> packed, std::span<std::byte> target) {
    constexpr std::size_t kFlagsAt = 3;
    constexpr std::byte kHasHeaderChecksum{2};
    if (packed.size() <= kFlagsAt || (packed[kFlagsAt] & kHasHeaderChecksum) != std::byte{0})
        return std::nullopt;
    GzipSizes sizes;
    if (libdeflate_gzip_decompress_ex(decompressor(), packed.data(), packed.size(), target.data(),
                                      target.size(), &sizes.packed, &sizes.unpacked) != LIBDEFLATE_SUCCESS)
        return std::nullopt;
    return sizes;
}

std::string packGzip(std::string_view text) {
    constexpr int kLevel = 6;
    thread_local const std::unique_ptr<libdeflate_compressor, FreeTables> mine(
        libdeflate_alloc_compressor(kLevel));
    if (mine == nullptr) throw std::bad_alloc();
    std::string packed(libdeflate_gzip_compress_bound(mine.get(), text.size()), '\0');
    packed.resize(
        libdeflate_gzip_compress(mine.get(), text.data(), text.size(), packed.data(), packed.size()));
    return packed;
}

}  // namespace glycine::io
