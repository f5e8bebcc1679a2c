#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

/// What studies hold of the host's memory, asked for before the first problem is made.
namespace glycine::study {

/// One input of a study, in bytes.
struct InputBytes {
    double input = 0;    ///< the input itself, in all number formats that take part
    double answers = 0;  ///< what the reference finds, as far as it is kept
    double result = 0;   ///< what one computation leaves, the largest of those that are asked about
};

/// A number of this kind for every ordered pair.
template <class Number>
double bytesOfPairs(std::size_t instances) {
    return static_cast<double>(instances) * static_cast<double>(instances) * sizeof(Number);
}
/// The same of a tile, of a side that no backend has by much less where it cuts the result.
template <class Number>
double bytesOfTile(std::size_t instances) {
    constexpr std::size_t kSide = 4096;
    return bytesOfPairs<Number>(std::min(instances, kSide));
}

/// All inputs with the reference's results are held together, and one result at a time. Throws MemoryError.
void requireValidationMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs);

/// One input at a time, with at least one result; further ones are refused by themselves where they do not
/// fit. Throws MemoryError.
void requireTimingMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs);

}  // namespace glycine::study
