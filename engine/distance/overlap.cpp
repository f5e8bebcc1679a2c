#include "engine/distance/overlap.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/core/tiling.hpp"

namespace glycine::distance {

namespace {

/// Planes that are read at once.
constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
constexpr std::size_t kWordBits = 64;

}  // namespace

std::vector<std::size_t> knownAttributes(const DiscreteSource& source, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    if (!shape.hasMissing) return std::vector<std::size_t>(shape.instances, shape.attributes);
    std::vector<std::size_t> known(shape.instances, 0);
    const std::size_t bytesOfWord = shape.instances * shape.storedPlanes() * sizeof(std::uint64_t);
    const std::size_t words = std::max<std::size_t>(1, kBlockBytes / bytesOfWord);
    progress.begin("counting known attributes", static_cast<double>(shape.attributes));
    for (const Range attributes : splitRange(shape.attributes, words * kWordBits)) {
        const PlaneBlock block = source.readPlanes({0, shape.instances}, attributes);
        const std::size_t count = (attributes.size() + kWordBits - 1) / kWordBits;
        for (std::size_t i = 0; i < shape.instances; ++i) {
            const std::uint64_t* valid = block.plane(i, shape.planes);
            for (std::size_t w = 0; w < count; ++w)
                known[i] += static_cast<std::size_t>(std::popcount(valid[w]));
        }
        progress.advance(static_cast<double>(attributes.size()));
    }
    return known;
}

bool mayOverlapLess(const DiscreteSource& source, std::size_t least, Progress& progress) {
    const DiscreteShape& shape = source.shape();
    if (!shape.hasMissing || least == 0 || shape.instances < 2) return least > shape.attributes;
    std::vector<std::size_t> known = knownAttributes(source, progress);
    std::partial_sort(known.begin(), known.begin() + 2, known.end());
    return known[0] + known[1] < least + shape.attributes;
}

}  // namespace glycine::distance
