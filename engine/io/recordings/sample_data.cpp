#include "engine/io/recordings/sample_data.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace glycine::io {

namespace {

static_assert(std::endian::native == std::endian::little, "sample bytes are taken as they are in the file");

template <class Stored, class T>
T decode(const std::byte* bytes) {
    Stored value;
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<T>(value);
}

template <class T>
T decodeInt24(const std::byte* bytes) {
    // The three bytes go to the top of the word, so that the shift back brings the sign down.
    const std::uint32_t word = std::to_integer<std::uint32_t>(bytes[0]) << 8 |
                               std::to_integer<std::uint32_t>(bytes[1]) << 16 |
                               std::to_integer<std::uint32_t>(bytes[2]) << 24;
    return static_cast<T>(static_cast<std::int32_t>(word) >> 8);
}

template <class T, T (*decodeSample)(const std::byte*)>
void copyDecoded(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<T> target) {
    std::size_t record = first / layout.samplesPerRecord;
    std::size_t sample = first % layout.samplesPerRecord;
    for (std::size_t filled = 0; filled < target.size(); ++record, sample = 0) {
        const std::byte* from =
            data.data() + layout.offset + record * layout.recordStride + sample * layout.sampleStride;
        const std::size_t count = std::min(layout.samplesPerRecord - sample, target.size() - filled);
        for (std::size_t k = 0; k < count; ++k)
            target[filled + k] = decodeSample(from + k * layout.sampleStride);
        filled += count;
    }
}

template <class T>
void copyAny(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
             std::span<T> target) {
    switch (layout.format) {
        case SampleFormat::Int16:
            return copyDecoded<T, decode<std::int16_t, T>>(data, layout, first, target);
        case SampleFormat::UInt16:
            return copyDecoded<T, decode<std::uint16_t, T>>(data, layout, first, target);
        case SampleFormat::Int24:
            return copyDecoded<T, decodeInt24<T>>(data, layout, first, target);
        case SampleFormat::Int32:
            return copyDecoded<T, decode<std::int32_t, T>>(data, layout, first, target);
        case SampleFormat::Float32:
            // No whole numbers are made of floats; see the precondition.
            if constexpr (std::is_floating_point_v<T>)
                copyDecoded<T, decode<float, T>>(data, layout, first, target);
    }
}

}  // namespace

std::size_t sampleBytes(SampleFormat format) {
    switch (format) {
        case SampleFormat::Int16:
        case SampleFormat::UInt16:
            return 2;
        case SampleFormat::Int24:
            return 3;
        case SampleFormat::Int32:
        case SampleFormat::Float32:
            break;
    }
    return 4;
}

void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<std::int32_t> target) {
    copyAny(data, layout, first, target);
}

void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<double> target) {
    copyAny(data, layout, first, target);
}

}  // namespace glycine::io
