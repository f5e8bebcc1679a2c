#include "engine/core/random.hpp"

#include <numeric>
#include <set>

namespace glycine {

std::vector<std::size_t> drawSamples(std::size_t count, std::size_t wanted, std::uint64_t seed) {
    if (wanted >= count) {
        std::vector<std::size_t> all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        return all;
    }
    std::set<std::size_t> drawn;
    if (wanted > 0) drawn.insert(0);
    if (wanted > 1) drawn.insert(count - 1);
    RandomSequence random(seed);
    while (drawn.size() < wanted) drawn.insert(random.below(count));
    return {drawn.begin(), drawn.end()};
}

std::vector<std::size_t> spreadSamples(std::size_t count, std::size_t wanted, std::uint64_t seed) {
    if (wanted >= count) return drawSamples(count, wanted, seed);
    std::vector<std::size_t> drawn;
    RandomSequence random(seed);
    std::size_t begin = 0;
    for (std::size_t part = 0; part < wanted; ++part) {
        const std::size_t size = count / wanted + (part < count % wanted ? 1 : 0);
        drawn.push_back(begin + random.below(size));
        begin += size;
    }
    return drawn;
}

}  // namespace glycine
