#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// Samples of many channels as recordings keep them: records, in each of which every channel has a fixed
/// number of samples. A file that interleaves its channels sample by sample has records of one sample.
namespace glycine::io {

/// Type of a stored sample, little-endian; Int24 is two's complement.
enum class SampleFormat { Int16, UInt16, Int24, Int32, Float32 };

std::size_t sampleBytes(SampleFormat format);

/// Where the samples of one channel lie. All distances are in bytes.
struct SampleLayout {
    SampleFormat format = SampleFormat::Int16;
    std::size_t offset = 0;  ///< of the first sample of record 0
    std::size_t samplesPerRecord = 1;
    std::size_t sampleStride = 2;  ///< from a sample to the next one of the same record
    std::size_t recordStride = 2;  ///< from a record to the next one
};

/// Fills `target` with the samples first, first + 1 … of a channel, counted through the records; `data` holds
/// all of them. Stored numbers, not scaled. Precondition of the first form: the format is not Float32.
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<std::int32_t> target);
void copySamples(std::span<const std::byte> data, const SampleLayout& layout, std::size_t first,
                 std::span<double> target);

}  // namespace glycine::io
