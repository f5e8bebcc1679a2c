#include <array>

#include "engine/algorithms/distance/random_data.hpp"
#include "engine/core/normal_random.hpp"

namespace glycine::distance {

Matrix<float> randomCoordinates(std::size_t instances, std::size_t attributes, std::uint64_t seed) {
    checkRandomSize(instances, attributes);
    Matrix<float> coordinates(instances, attributes);
    const auto count = static_cast<std::ptrdiff_t>(instances);
    // A pair of attributes at a time, so that a wider matrix with the same seed begins alike.
#pragma omp parallel for schedule(static) if (coordinates.size() > 100000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto instance = static_cast<std::size_t>(i);
        const std::uint64_t instanceSeed = derivedSeed(mixBits(seed), instance);
        for (std::size_t k = 0; k < attributes; k += 2) {
            RandomSequence random(derivedSeed(instanceSeed, k / 2));
            const std::array<double, 2> pair = normalPair(random);
            coordinates(instance, k) = static_cast<float>(pair[0]);
            if (k + 1 < attributes) coordinates(instance, k + 1) = static_cast<float>(pair[1]);
        }
    }
    return coordinates;
}

}  // namespace glycine::distance
