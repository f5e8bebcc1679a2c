#include "engine/algorithms/distance/plane_source.hpp"

#include <algorithm>

namespace glycine::distance {

namespace {

/// Entries that are read at once.
constexpr std::size_t kBandEntries = std::size_t{1} << 26;

}  // namespace

PlaneSource::PlaneSource(const DiscreteSource& source, Progress& progress)
    : shape_(source.shape()), planes_(shape_.instances, shape_.storedPlanes(), shape_.attributes) {
    const std::size_t band =
        std::max<std::size_t>(1, kBandEntries / std::max<std::size_t>(1, shape_.attributes));
    progress.begin("input", static_cast<double>(shape_.instances));
    for (const Range instances : splitRange(shape_.instances, band)) {
        const PlaneBlock block = source.readPlanes(instances, {0, shape_.attributes});
        for (std::size_t i = 0; i < instances.size(); ++i)
            for (unsigned p = 0; p < shape_.storedPlanes(); ++p)
                std::copy_n(block.plane(i, p), planes_.stride(), planes_.plane(instances.begin + i, p));
        progress.advance(static_cast<double>(instances.size()));
    }
}

void PlaneSource::readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const {
    for (std::size_t i = 0; i < instances.size(); ++i) {
        for (std::size_t k = 0; k < attributes.size(); ++k) {
            const std::size_t word = (attributes.begin + k) / 64;
            const std::size_t bit = (attributes.begin + k) % 64;
            unsigned code = 0;
            for (unsigned p = 0; p < shape_.storedPlanes(); ++p)
                code |= static_cast<unsigned>(planes_.plane(instances.begin + i, p)[word] >> bit & 1U) << p;
            const bool isThere = !shape_.hasMissing || (code >> shape_.planes & 1U) != 0;
            const unsigned symbol = code & ((1U << shape_.planes) - 1);
            // Genotypes are coded 0, 1, 3.
            target(i, k) = !isThere
                               ? kMissingSymbol
                               : static_cast<std::uint8_t>(shape_.isGenotypes && symbol == 3 ? 2U : symbol);
        }
    }
}

PlaneBlock PlaneSource::readPlanes(Range instances, Range attributes) const {
    PlaneBlock block(instances.size(), shape_.storedPlanes(), attributes.size());
    const std::size_t firstWord = attributes.begin / 64;
    const std::size_t words = (attributes.size() + 63) / 64;
    const std::size_t tail = attributes.size() % 64;
    const auto count = static_cast<std::ptrdiff_t>(instances.size());
#pragma omp parallel for schedule(static) if (block.bytes() > 1000000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto instance = static_cast<std::size_t>(i);
        for (unsigned p = 0; p < shape_.storedPlanes(); ++p) {
            std::uint64_t* target = block.plane(instance, p);
            std::copy_n(planes_.plane(instances.begin + instance, p) + firstWord, words, target);
            if (tail > 0) target[words - 1] &= (std::uint64_t{1} << tail) - 1;
        }
    }
    return block;
}

}  // namespace glycine::distance
