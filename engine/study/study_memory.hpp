#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

/// Host memory of studies, checked before the first problem is made.
namespace glycine::study {

/// Memory of one input of a study, in bytes.
struct InputBytes {
    double input = 0;    ///< the input, in all number formats that take part
    double answers = 0;  ///< the reference's results, as far as they are kept
    double result = 0;   ///< the largest result of any one computation
};

/// Bytes for one number per ordered pair of instances.
template <class Number>
double bytesOfPairs(std::size_t instances) {
    return static_cast<double>(instances) * static_cast<double>(instances) * sizeof(Number);
}
/// Bytes of one tile; no backend that splits the result uses much smaller tiles.
template <class Number>
double bytesOfTile(std::size_t instances) {
    constexpr std::size_t kSide = 4096;
    return bytesOfPairs<Number>(std::min(instances, kSide));
}

/// Checks that all inputs with the reference's results, and one result at a time, fit. Throws MemoryError.
void requireValidationMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs);

/// Checks that each input fits together with at least one result. Further results that do not fit are refused
/// individually. Throws MemoryError.
void requireTimingMemory(std::string_view algorithm, const std::vector<InputBytes>& inputs);

}  // namespace glycine::study
