#include "engine/distance/input/genotype_source.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "engine/core/cancellation.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::distance {

namespace {

static_assert(std::endian::native == std::endian::little, "genotypes are read as little-endian words");

constexpr std::size_t kSamplesPerWord = 32;
/// The low bits of 32 genotypes.
constexpr std::uint64_t kLowBits = 0x5555555555555555;
/// 32 missing genotypes: no bit in any plane.
constexpr std::uint64_t kAllMissing = kLowBits;
/// Variants transposed together: a cache line of every plane.
constexpr std::size_t kBandWords = 8;
constexpr std::size_t kBandVariants = 64 * kBandWords;
/// Samples transposed together: a cache line of every variant.
constexpr std::size_t kBandSamples = 256;

/// Bits of 64 variants × 32 genotypes: word v holds the genotypes of variant v.
using Square = std::array<std::uint64_t, 64>;

/// The low bits of genotypes `first` … `first` + 31 of a variant's bytes; 0 beyond the last byte.
std::uint64_t loadGenotypes(const std::uint8_t* variant, std::size_t bytes, std::size_t first) {
    const std::size_t byte = first / 4;
    const unsigned shift = static_cast<unsigned>(2 * (first % 4));
    std::uint64_t word = 0;
    if (bytes - byte > sizeof word) {
        std::memcpy(&word, variant + byte, sizeof word);
        if (shift > 0) word = word >> shift | std::uint64_t{variant[byte + sizeof word]} << (64 - shift);
        return word;
    }
    std::memcpy(&word, variant + byte, bytes - byte);
    return word >> shift;
}

/// One step of a bit-matrix transpose: bit b of word v becomes bit v of word b. Step s swaps blocks of s × s
/// bits across the diagonal of blocks of 2s × 2s.
template <std::size_t step>
void exchangeBlocks(Square& square, std::uint64_t mask) {
    for (std::size_t begin = 0; begin < square.size(); begin += 2 * step)
        for (std::size_t k = begin; k < begin + step; ++k) {
            const std::uint64_t moved = (square[k] >> step ^ square[k + step]) & mask;
            square[k] ^= moved << step;
            square[k + step] ^= moved;
        }
}

void transpose(Square& square) {
    exchangeBlocks<32>(square, 0x00000000ffffffff);
    exchangeBlocks<16>(square, 0x0000ffff0000ffff);
    exchangeBlocks<8>(square, 0x00ff00ff00ff00ff);
    exchangeBlocks<4>(square, 0x0f0f0f0f0f0f0f0f);
    exchangeBlocks<2>(square, 0x3333333333333333);
    exchangeBlocks<1>(square, 0x5555555555555555);
}

/// Transposes one band of variants × samples into a block of planes.
class BandTurner {
  public:
    BandTurner(PlaneBlock& block, const DiscreteShape& shape) : block_(block), shape_(shape) {}

    /// Processes the genotypes of the band's variants; rows beyond `count` are entirely missing. Instance
    /// `first` of the block is sample `sample` of the file. Writes up to 32 instances, kBandWords words of
    /// each plane, starting at `firstWord`.
    template <class VariantBytes>
    void turn(const VariantBytes& variantBytes, std::size_t bytes, std::size_t count, std::size_t sample,
              Range instances, std::size_t firstWord) {
        for (std::size_t w = 0; w < kBandWords; ++w) {
            for (std::size_t v = 0; v < 64; ++v) {
                const std::size_t variant = 64 * w + v;
                squares_[w][v] =
                    variant < count ? loadGenotypes(variantBytes(variant), bytes, sample) : kAllMissing;
            }
            transpose(squares_[w]);
        }
        for (std::size_t i = 0; i < instances.size(); ++i) writeInstance(instances.begin + i, i, firstWord);
    }

  private:
    /// Codes: 00 two copies of allele 1, 10 one, 11 none, 01 missing (high bit first).
    void writeInstance(std::size_t instance, std::size_t place, std::size_t firstWord) {
        std::uint64_t* const one = block_.plane(instance, 0) + firstWord;
        std::uint64_t* const two = block_.plane(instance, 1) + firstWord;
        for (std::size_t w = 0; w < kBandWords; ++w) {
            const std::uint64_t low = squares_[w][2 * place];
            const std::uint64_t high = squares_[w][2 * place + 1];
            one[w] = ~low;
            two[w] = ~(low | high);
        }
        if (!shape_.hasMissing) return;
        std::uint64_t* const valid = block_.plane(instance, 2) + firstWord;
        for (std::size_t w = 0; w < kBandWords; ++w)
            valid[w] = ~squares_[w][2 * place] | squares_[w][2 * place + 1];
    }

    PlaneBlock& block_;
    const DiscreteShape& shape_;
    alignas(64) std::array<Square, kBandWords> squares_;
};

bool hasMissingGenotype(const std::uint8_t* variant, std::size_t samples) {
    const std::size_t bytes = io::PackedGenotypes::bytesFor(samples);
    std::uint64_t missing = 0;
    std::size_t first = 0;
    for (; first + kSamplesPerWord <= samples; first += kSamplesPerWord) {
        std::uint64_t word;
        std::memcpy(&word, variant + first / 4, sizeof word);
        missing |= word & ~(word >> 1) & kLowBits;
    }
    if (first < samples) {
        const std::uint64_t word = loadGenotypes(variant, bytes, first);
        const std::uint64_t inUse = (std::uint64_t{1} << (2 * (samples - first))) - 1;
        missing |= word & ~(word >> 1) & kLowBits & inUse;
    }
    return missing != 0;
}

/// Other threads are not worth waking for as many.
constexpr std::size_t kFewGenotypes = 1'000'000;

/// Sites with two alleles use only these two planes.
constexpr unsigned kGenotypePlanes = 2;

static_assert(io::kMissingCopies == kMissingSymbol);

}  // namespace

GenotypeSource::GenotypeSource(io::PackedGenotypes genotypes,
                               std::optional<std::vector<std::uint32_t>> selection, ProcessTeam* team)
    : genotypes_(std::move(genotypes)), selection_(std::move(selection)) {
    shape_.instances = genotypes_.samples;
    shape_.attributes = selection_ ? selection_->size() : genotypes_.variants;
    shape_.planes = 2;
    shape_.isGenotypes = true;
    shape_.hasMissing = hasMissing(team);
}

bool GenotypeSource::hasMissing(ProcessTeam* team) const {
    std::atomic<bool> found{false};
    const Range own = team != nullptr ? ownPart(*team, shape_.attributes) : Range{0, shape_.attributes};
    const auto count = static_cast<std::ptrdiff_t>(own.size());
    // In consecutive pieces, because a mapped file is read sequentially.
#pragma omp parallel for schedule(dynamic, 1024) if (own.size() * shape_.instances > kFewGenotypes)
    for (std::ptrdiff_t k = 0; k < count; ++k) {
        if (found.load(std::memory_order_relaxed)) continue;
        const std::size_t attribute = own.begin + static_cast<std::size_t>(k);
        if (hasMissingGenotype(genotypes_.variant(variantOf(attribute)), shape_.instances))
            found.store(true, std::memory_order_relaxed);
    }
    requireUnchanged();
    return team != nullptr ? isTrueOfAny(*team, found) : found.load();
}

PlaneBlock GenotypeSource::readPlanes(Range instances, Range attributes) const {
    PlaneBlock block = PlaneBlock::notSet(instances.size(), shape_.storedPlanes(), attributes.size());
    const std::size_t bytes = genotypes_.bytesPerVariant();
    const auto variantBands =
        static_cast<std::ptrdiff_t>((attributes.size() + kBandVariants - 1) / kBandVariants);
    const auto sampleBands =
        static_cast<std::ptrdiff_t>((instances.size() + kBandSamples - 1) / kBandSamples);
#pragma omp parallel for collapse(2) \
    schedule(static) if (instances.size() * attributes.size() > kFewGenotypes)
    for (std::ptrdiff_t v = 0; v < variantBands; ++v) {
        for (std::ptrdiff_t s = 0; s < sampleBands; ++s) {
            const std::size_t firstVariant = static_cast<std::size_t>(v) * kBandVariants;
            const std::size_t count = std::min(kBandVariants, attributes.size() - firstVariant);
            const auto variantBytes = [&](std::size_t variant) {
                return genotypes_.variant(variantOf(attributes.begin + firstVariant + variant));
            };
            BandTurner turner(block, shape_);
            const std::size_t firstInstance = static_cast<std::size_t>(s) * kBandSamples;
            const std::size_t endInstance = std::min(instances.size(), firstInstance + kBandSamples);
            for (std::size_t i = firstInstance; i < endInstance; i += kSamplesPerWord)
                turner.turn(variantBytes, bytes, count, instances.begin + i,
                            {i, std::min(i + kSamplesPerWord, endInstance)}, firstVariant / 64);
        }
    }
    requireUnchanged();
    return block;
}

void GenotypeSource::readSymbols(Range instances, Range attributes, MatrixView<std::uint8_t> target) const {
    // Transposing serves 32 instances at once.
    constexpr std::size_t kFew = 8;
    if (instances.size() > kFew) return DiscreteSource::readSymbols(instances, attributes, target);
    std::array<std::size_t, kFew> few{};
    std::iota(few.begin(), few.end(), instances.begin);
    readSymbolsOf(std::span(few).first(instances.size()), attributes, target);
}

void GenotypeSource::readSymbolsOf(std::span<const std::size_t> instances, Range attributes,
                                   MatrixView<std::uint8_t> target) const {
    constexpr std::uint8_t kSymbols[] = {2, kMissingSymbol, 1, 0};  // by io::GenotypeCode
    const std::vector<Range> bands = splitRange(attributes.size(), kBandVariants);
    const int threads = instances.size() * attributes.size() > 100000 ? omp_get_max_threads() : 1;
    parallelFor(threads, bands.size(), [&](std::size_t band, std::size_t) {
        throwIfCancellationRequested();
        for (std::size_t k = bands[band].begin; k < bands[band].end; ++k) {
            const std::uint8_t* const genotypes = genotypes_.variant(variantOf(attributes.begin + k));
            for (std::size_t i = 0; i < instances.size(); ++i)
                target(i, k) = kSymbols[genotypes[instances[i] / 4] >> 2 * (instances[i] % 4) & 3U];
        }
    });
    requireUnchanged();
}

std::unique_ptr<GenotypeSource> GenotypeSource::select(const std::vector<std::size_t>& attributes) const {
    std::vector<std::uint32_t> variants;
    for (const std::size_t k : attributes) variants.push_back(static_cast<std::uint32_t>(variantOf(k)));
    return std::make_unique<GenotypeSource>(genotypes_, std::move(variants));
}

void GenotypeSource::requireUnchanged() const {
    if (genotypes_.requireUnchanged) genotypes_.requireUnchanged();
}

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
    // At symbol sites, known genotypes are 0 in both planes of `genotypes`; missing ones are marked as usual.
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
