#include "engine/distance/kinship.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "engine/core/process_team.hpp"

namespace glycine::distance {

Degree degreeOf(double kinship) {
    // Rounded to three digits, as KING and its users write them.
    constexpr std::pair<double, Degree> kLimits[] = {{0.354, Degree::Duplicate},
                                                     {0.177, Degree::First},
                                                     {0.0884, Degree::Second},
                                                     {kLeastKinshipOfRelatives, Degree::Third}};
    for (const auto& [least, degree] : kLimits)
        if (kinship >= least) return degree;
    return Degree::Unrelated;
}

void KinshipTable::moveToLead(ProcessTeam& team) {
    glycine::moveToLead(team, pairs);
    const std::vector<DegreeCounts> ofAll = valuesOfAll(team, degrees);
    degrees = {};
    for (const DegreeCounts& some : ofAll)
        std::ranges::transform(some, degrees, degrees.begin(), std::plus());
}

PlaneBlock MarkedSource::readPlanes(Range instances, Range attributes) const {
    const DiscreteShape& shape = genotypes_.shape();
    PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
    const std::size_t words = (attributes.size() + 63) / 64;
    const std::size_t tail = attributes.size() % 64;
    for (const bool isAlone : {false, true}) {
        const std::size_t first = isAlone ? shape.instances : 0;
        const std::size_t begin = std::max(instances.begin, first);
        const std::size_t end = std::min(instances.end, first + shape.instances);
        if (begin >= end) continue;
        const PlaneBlock genotypes = genotypes_.readPlanes({begin - first, end - first}, attributes);
#pragma omp parallel for schedule(static) if (genotypes.bytes() > 1000000)
        for (std::size_t i = 0; i < end - begin; ++i) {
            const std::uint64_t* some = genotypes.plane(i, 0);
            const std::uint64_t* two = genotypes.plane(i, 1);
            std::uint64_t* symbol = block.plane(begin - instances.begin + i, 0);
            std::uint64_t* known = block.plane(begin - instances.begin + i, 1);
            for (std::size_t w = 0; w < words; ++w) {
                const bool isCut = tail > 0 && w + 1 == words;
                const std::uint64_t all = isCut ? (std::uint64_t{1} << tail) - 1 : ~std::uint64_t{0};
                const std::uint64_t has = shape.hasMissing ? genotypes.plane(i, shape.planes)[w] : all;
                const std::uint64_t marked = mark_ == Mark::Zeros ? has & ~some[w] : some[w] & ~two[w];
                known[w] = isAlone ? marked : has;
                symbol[w] = known[w] & ~marked;
            }
        }
    }
    return block;
}

}  // namespace glycine::distance
