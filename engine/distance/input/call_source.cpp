#include "engine/distance/input/call_source.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace glycine::distance {

namespace {

/// The symbols that sites with two alleles take, as bits of two planes.
constexpr unsigned kGenotypePlanes = 2;

static_assert(io::kMissingCopies == kMissingSymbol);

}  // namespace

CallSource::CallSource(io::PackedGenotypes genotypes, std::vector<io::SymbolSite> sites)
    : genotypes_(std::move(genotypes)), sites_(std::move(sites)), shape_(genotypes_.shape()) {
    shape_.isGenotypes = false;
    unsigned largest = 0;
    for (const io::SymbolSite& site : sites_)
        for (const std::uint8_t symbol : site.symbols)
            if (symbol != kMissingSymbol) largest = std::max<unsigned>(largest, symbol);
    shape_.planes = std::max(kGenotypePlanes, static_cast<unsigned>(std::bit_width(largest)));
}

PlaneBlock CallSource::readPlanes(Range instances, Range attributes) const {
    // The known genotypes of a symbol site are 0 there in both planes; missing ones are what they are.
    const PlaneBlock genotypes = genotypes_.readPlanes(instances, attributes);
    PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
    const auto firstSite = std::lower_bound(
        sites_.begin(), sites_.end(), attributes.begin,
        [](const io::SymbolSite& site, std::size_t variant) { return site.variant < variant; });
    const auto rows = static_cast<std::ptrdiff_t>(instances.size());
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        const auto i = static_cast<std::size_t>(row);
        for (unsigned p = 0; p < kGenotypePlanes; ++p)
            std::copy_n(genotypes.plane(i, p), block.stride(), block.plane(i, p));
        if (shape_.hasMissing)
            std::copy_n(genotypes.plane(i, kGenotypePlanes), block.stride(), block.plane(i, shape_.planes));
        for (auto site = firstSite; site != sites_.end() && site->variant < attributes.end; ++site) {
            const std::uint8_t symbol = site->symbols[instances.begin + i];
            if (symbol == kMissingSymbol) continue;
            const std::size_t k = site->variant - attributes.begin;
            for (unsigned p = 0; p < shape_.planes; ++p)
                block.plane(i, p)[k / 64] |= std::uint64_t{symbol >> p & 1U} << k % 64;
        }
    }
    return block;
}

}  // namespace glycine::distance
