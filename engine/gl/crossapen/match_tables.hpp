#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/crossapen/entropy_engine.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "engine/gl/framework/gl_capabilities.hpp"
#include "engine/gl/framework/texture.hpp"

/// The tables of a channel, made once and looked up by fragments for all channels compared with it, and how
/// many of these tables the device holds at a time. Sizes are in texels. The host sorts and uploads; passes
/// make the large tables (PartnerTables).
namespace glycine::crossapen::gl {

/// Compile-time settings of the shaders; all styles give the same matches.
struct MatchingStyle {
    bool bitCount = false;    ///< use the instruction instead of parallel sums
    bool carrySave = false;   ///< GlBugs::slowBitCount
    bool normalised = false;  ///< GlBugs::slowTexelFetch
};

// ---- Tables of a partner

/// Intervals of ranks are looked up in bins of equal width over the range of the sorted samples, four floats
/// per texel. Texel 0 holds the smallest sample, the bins per unit, and the rank of the last sample in time.
/// Then one texel per bin holds the number of samples surely within reach of every value in the bin, and the
/// next three samples.
///
/// "Within reach": suppose a fragment looks up x − r (x + r), rounded. Every sample y that the bin counts has
/// x − y > r (x − y ≥ −r), rounded, as the fragment compares it. To ensure this, samples are counted only up
/// to the bin's lower edge less three margins. One covers the rounding of x ∓ r, one the rounding of the
/// edge, which the device computes. The third, a quarter of a bin, covers the rounding of the bin's number
/// and of the edge in bins. The fragment finds the samples not counted by comparing.
///
/// Four bins per sample: few hold more than three samples. More bins hardly speed up a fragment.
constexpr std::size_t intervalBins(std::size_t samples) {
    return 4 * samples;
}
constexpr std::size_t binTexels(std::size_t samples) {
    return intervalBins(samples) + 1;
}
/// The input of shaders/crossapen/fill_bins.frag, two texels: texel 0 of the bins; then the upper limit of
/// the first bin, and the width of a bin. `largestTolerance`: the largest |r| that will be looked up.
inline constexpr std::size_t kDescribingTexels = 2;
void describeBins(const SortedSignal<float>& signal, float largestTolerance, std::span<float> target);

/// m = 1: prefix counts of points (rank of sample j, rank of sample j + 1). Texel [p / 16][q], for p = 0 … N
/// and q = 0 … N. The upper half counts the points with a first rank below 16 ⌊p / 16⌋ and a second rank
/// below q. The lower half has a bit for each of the next 16 first ranks, set if the second rank is below q.
inline constexpr std::size_t kRanksPerTexel = 16;
constexpr std::size_t prefixCountTexels(std::size_t samples) {
    return (samples / kRanksPerTexel + 1) * (samples + 1);
}

/// Intermediate tables of the prefix counts. For each 16 first ranks and 128 second ranks, they hold the set
/// of second ranks that belong to a lower first rank, and the number of such ranks in all sets before.
constexpr std::size_t rankSetTexels(std::size_t samples) {
    return (samples / kRanksPerTexel + 1) * (samples / 128 + 1);
}

/// Any m: the positions of the k smallest samples, k = 0 … N, as bit sets of T + m texels, T = ⌈N / 128⌉.
/// Position t + T · (c + 4 b) is bit b of component c of texel t. Texel t + T holds the bits of texel t, one
/// position later, so that texel t + s holds the positions s later.
constexpr std::size_t setTexels(std::size_t samples) {
    return (samples + 127) / 128;
}
constexpr std::size_t prefixSetTexels(std::size_t samples, std::size_t m) {
    return (samples + 1) * (setTexels(samples) + m);
}

/// The ranks from which passes make the prefix tables, 16 bits each and eight per texel. They are lists of
/// 128 ranks, one per set of bits (shaders/crossapen/fill_rank_sets.frag), of
/// - the positions of a texel of a prefix set (bitset), or
/// - the predecessors in time of the samples of 128 ranks (dominance). Before these lists, two texels per 16
///   ranks hold the ranks of the samples' successors.
/// Entries without a rank hold the largest number, which is below no threshold.
struct RankLists {
    std::size_t begin = 0;  ///< texels before the lists
    std::size_t count = 0;
    std::size_t texels() const { return begin + 16 * count; }
};
/// `variant`: Bitset or Dominance.
RankLists rankLists(Variant variant, std::size_t samples, std::size_t m);
void packRanks(const SortedSignal<float>& signal, Variant variant, std::size_t m,
               std::span<std::uint32_t> target);

// ---- The plan

/// A channel's part of one table.
struct TableShape {
    glycine::gl::TextureFormat format = glycine::gl::TextureFormat::RGBA32F;
    std::size_t texels = 0;
    std::size_t bytes() const { return texels * glycine::gl::info(format).bytesPerTexel; }
};

/// The tables of a partner for `bitset` and `dominance`; the last two are for `dominance` only. Other
/// variants use the partner's samples instead.
enum PartnerTable : std::size_t { kBins, kSorted, kPrefixes, kDescribed, kRanks, kRankSets, kSetCounts };

/// How a variant works: the work of a fragment, and the contents of textures.
struct MatchLayout {
    std::size_t templatesPerFragment = 1;
    std::size_t sampleLead = 0;       ///< numbers before the first sample of a channel
    TableShape signal;                ///< samples of the templates
    std::vector<TableShape> partner;  ///< tables of a partner, in the order of PartnerTable
    std::size_t loopRounds = 0;       ///< upper bound, all loops of a fragment together (LoopLimit)

    std::size_t partnerBytes() const;
    std::size_t fragments(std::size_t templates) const {
        return (templates + templatesPerFragment - 1) / templatesPerFragment;
    }
};
/// Consecutive templates per fragment of `dominance`.
inline constexpr std::size_t kTemplatesPerSearch = 32;
/// Consecutive templates per fragment of `bitset`. Neighbouring templates share rows, so more templates need
/// fewer lookups each. On an NVIDIA H200, however, 16 are slower than 8 (m = 1, 2, 3: by 35, 45 and 57 %).
inline constexpr std::size_t kTemplatesPerSets = 8;

/// `variant` must not be Default.
MatchLayout matchLayout(Variant variant, std::size_t samples, unsigned m);

/// Sizes of the pieces that pairs are computed in.
struct MatchPlan {
    glycine::gl::TableWidth width;
    std::size_t partners = 0;   ///< channels whose tables the device holds at a time
    std::size_t templates = 0;  ///< channels whose samples the device holds at a time
    std::size_t rows = 0;       ///< pairs per tile
    std::size_t columns = 0;    ///< fragments per pair of a tile
};

/// Bytes that planMatching requires for one pair, if textures may be large enough.
std::size_t bytesForOnePair(const MatchLayout& layout, std::size_t samples, unsigned m,
                            const glycine::gl::GlLimits& limits);

/// Plans the largest useful pieces whose textures together fit the limits and `freeBytes`. Returns nothing if
/// not even a single pair fits.
std::optional<MatchPlan> planMatching(const MatchLayout& layout, std::size_t samples, unsigned m,
                                      const glycine::gl::GlLimits& limits, std::size_t freeBytes);

}  // namespace glycine::crossapen::gl
