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

/// What is made once of a channel and looked up by fragments for all channels that search it, and how many of
/// these tables are on the device at a time. Sizes are in texels. The host sorts and uploads; passes make the
/// large tables (PartnerTables).
namespace glycine::crossapen::gl {

/// What the shaders are made for; the matches are the same in any style.
struct MatchingStyle {
    bool bitCount = false;    ///< the instruction, else parallel sums
    bool carrySave = false;   ///< GlBugs::slowBitCount
    bool normalised = false;  ///< GlBugs::slowTexelFetch
};

// ---- Tables of a partner

/// Intervals of ranks are looked up in bins of equal width over the range of the sorted samples. Four floats
/// a texel. Texel 0: smallest sample, bins per unit, rank of the last sample in time. Then a texel a bin:
/// how many samples are surely within reach of everything that falls into the bin, and the next three.
///
/// "Within reach": let a fragment look up x − r (x + r), rounded. Every sample y that the bin counts has
/// x − y > r (x − y ≥ −r), rounded, as the fragment compares it. That holds because samples are counted only
/// up to the bin's lower edge, less what rounding may have added to the place of x ∓ r and to the edge, which
/// the device computes, less a quarter of a bin for the rounding of the bin's number and of the edge in bins.
/// What is counted too few, the fragment finds by comparing.
///
/// Four bins a sample: few hold more than three samples. More bins hardly speed a fragment up.
constexpr std::size_t intervalBins(std::size_t samples) {
    return 4 * samples;
}
constexpr std::size_t binTexels(std::size_t samples) {
    return intervalBins(samples) + 1;
}
/// What shaders/crossapen/fill_bins.frag makes them of, two texels: texel 0; then how far the first bin
/// reaches, and the width of a bin. `largestTolerance`: the largest |r| that will be looked up.
inline constexpr std::size_t kDescribingTexels = 2;
void describeBins(const SortedSignal<float>& signal, float largestTolerance, std::span<float> target);

/// m = 1: prefix counts of points (rank of sample j, rank of sample j + 1). Texel [p / 16][q], for p = 0 …
/// N and q = 0 … N: in the upper half the points with a first rank below 16 ⌊p / 16⌋ and a second rank below
/// q; in the lower half a bit for each of the next 16 first ranks, set where the second rank is below q.
inline constexpr std::size_t kRanksPerTexel = 16;
constexpr std::size_t prefixCountTexels(std::size_t samples) {
    return (samples / kRanksPerTexel + 1) * (samples + 1);
}

/// What these are made of: for each 16 first ranks, and 128 second ranks, which second ranks belong to a
/// lower first rank; and how many do in all sets before.
constexpr std::size_t rankSetTexels(std::size_t samples) {
    return (samples / kRanksPerTexel + 1) * (samples / 128 + 1);
}

/// Any m: the positions of the k smallest samples, k = 0 … N, as sets of bits. A set has T = ⌈N / 128⌉ texels
/// and m more. Position t + T · (c + 4 b) is bit b of component c of texel t, and the bits of texel t + T are
/// those of texel t one place further, so that texel t + s holds the positions s later.
constexpr std::size_t setTexels(std::size_t samples) {
    return (samples + 127) / 128;
}
constexpr std::size_t prefixSetTexels(std::size_t samples, std::size_t m) {
    return (samples + 1) * (setTexels(samples) + m);
}

/// The ranks of which passes make the tables of prefixes, 16 bits each and eight a texel: lists of 128, each
/// for a set of bits (shaders/crossapen/fill_rank_sets.frag), of
/// - the positions of a texel of a prefix set (bitset), or
/// - the samples before the samples of 128 ranks in time (dominance); these come after two texels for each 16
///   ranks, with the ranks of the samples that follow them.
/// What has no rank has the largest number, which lies below none.
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

/// One table of one channel in a texture.
struct TableShape {
    glycine::gl::TextureFormat format = glycine::gl::TextureFormat::RGBA32F;
    std::size_t texels = 0;
    std::size_t bytes() const { return texels * glycine::gl::info(format).bytesPerTexel; }
};

/// The tables of a partner of `bitset` and `dominance`, the last two of `dominance` alone. Others have their
/// samples instead.
enum PartnerTable : std::size_t { kBins, kSorted, kPrefixes, kDescribed, kRanks, kRankSets, kSetCounts };

/// How a variant works: what one fragment does, and what lies in textures.
struct MatchLayout {
    std::size_t templatesPerFragment = 1;
    std::size_t sampleLead = 0;       ///< numbers in front of the first sample of a channel
    TableShape signal;                ///< samples of the templates
    std::vector<TableShape> partner;  ///< of a partner, in the order of PartnerTable
    std::size_t loopRounds = 0;       ///< of all loops of a fragment together, at most (GlLimits)

    std::size_t partnerBytes() const;
    std::size_t fragments(std::size_t templates) const {
        return (templates + templatesPerFragment - 1) / templatesPerFragment;
    }
};
/// Consecutive templates that a fragment of `dominance` takes.
inline constexpr std::size_t kTemplatesPerSearch = 32;
/// Consecutive templates that a fragment of `bitset` takes. Rows are shared by neighbouring templates, so
/// more templates mean fewer lookups each; but 16 are slower than 8 on an NVIDIA H200 (m = 1, 2, 3: by 35, 45
/// and 57 %).
inline constexpr std::size_t kTemplatesPerSets = 8;

/// `variant`: not Default.
MatchLayout matchLayout(Variant variant, std::size_t samples, unsigned m);

/// Sizes of the pieces in which pairs are worked on.
struct MatchPlan {
    glycine::gl::TableWidth width;
    std::size_t partners = 0;   ///< channels whose tables are on the device at a time
    std::size_t templates = 0;  ///< channels whose samples are
    std::size_t rows = 0;       ///< pairs of a tile
    std::size_t columns = 0;    ///< fragments a pair of a tile
};

/// Bytes with which planMatching finds room for a pair, if textures may be as large as that takes.
std::size_t bytesForOnePair(const MatchLayout& layout, std::size_t samples, unsigned m,
                            const glycine::gl::GlLimits& limits);

/// The largest useful pieces whose textures, all together, fit into the limits and into `freeBytes`; nothing
/// when not even a single pair does.
std::optional<MatchPlan> planMatching(const MatchLayout& layout, std::size_t samples, unsigned m,
                                      const glycine::gl::GlLimits& limits, std::size_t freeBytes);

}  // namespace glycine::crossapen::gl
