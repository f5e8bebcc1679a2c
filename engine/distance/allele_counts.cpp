#include "engine/distance/allele_counts.hpp"

#include <omp.h>

#include <algorithm>

#include "engine/core/parallel.hpp"

namespace glycine::distance {

void countAlleles(const PlaneBlock& planes, const DiscreteShape& shape,
                  const std::vector<std::size_t>& instances, AlleleCount* counts) {
    constexpr std::size_t kGroup = BitColumnCounter::kWords;
    const std::size_t words = (planes.attributes() + 63) / 64;
    parallelFor(omp_get_max_threads(), (words + kGroup - 1) / kGroup, [&](std::size_t group, std::size_t) {
        const std::size_t first = group * kGroup;
        const std::size_t count = std::min(kGroup, words - first);
        BitColumnCounter alleles;
        BitColumnCounter genotypes;
        for (const std::size_t i : instances) {
            alleles.add(planes.plane(i, 0) + first, count);
            alleles.add(planes.plane(i, 1) + first, count);
            if (shape.hasMissing) genotypes.add(planes.plane(i, shape.planes) + first, count);
        }
        const std::size_t end = std::min((first + count) * 64, planes.attributes());
        for (std::size_t k = first * 64; k < end; ++k) {
            const std::size_t word = k / 64 - first;
            const auto bit = static_cast<unsigned>(k % 64);
            counts[k] = {alleles.count(word, bit), shape.hasMissing
                                                       ? genotypes.count(word, bit)
                                                       : static_cast<std::uint32_t>(instances.size())};
        }
    });
}

std::vector<std::size_t> markedOf(const std::vector<bool>& marks, std::size_t instances) {
    std::vector<std::size_t> marked;
    for (std::size_t i = 0; i < instances; ++i)
        if (marks.empty() || marks[i]) marked.push_back(i);
    return marked;
}

std::vector<AlleleCount> countAlleles(const DiscreteSource& source, const std::vector<bool>& instances,
                                      Progress& progress) {
    const DiscreteShape& shape = source.shape();
    const std::vector<std::size_t> counted = markedOf(instances, shape.instances);
    std::vector<AlleleCount> counts(shape.attributes);
    constexpr std::size_t kBlock = std::size_t{1} << 13;
    progress.begin("allele frequencies", static_cast<double>(shape.attributes));
    for (const Range attributes : splitRange(shape.attributes, kBlock)) {
        countAlleles(source.readPlanes({0, shape.instances}, attributes), shape, counted,
                     counts.data() + attributes.begin);
        progress.advance(static_cast<double>(attributes.size()));
    }
    return counts;
}

}  // namespace glycine::distance
