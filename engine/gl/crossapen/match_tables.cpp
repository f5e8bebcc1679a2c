#include "engine/gl/crossapen/match_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/gl/crossapen/pair_sums.hpp"

namespace glycine::crossapen::gl {

namespace {

/// Bytes of a fragment's sums: two targets of four words.
constexpr std::size_t kSumBytes = 2 * 16;
/// Bytes beyond which more channels, or more pairs, at a time gain nothing.
constexpr std::size_t kEnoughTables = std::size_t{64} << 20;
constexpr std::size_t kEnoughSums = std::size_t{16} << 20;
/// Divisors of the free bytes that bound the tables of partners, the samples of templates, and the sums.
constexpr std::size_t kShareOfPartners = 2;
constexpr std::size_t kShareOfTemplates = 8;
constexpr std::size_t kShareOfSums = 8;
/// Usual width of tables. Long tables are wider; tables are narrower if rows of this width would fill the
/// memory.
constexpr int kUsualRowBits = 12;
constexpr int kFewestRowBits = 4;
/// Compilers unroll loops of at most this many rounds if the number is constant. Such rounds do not count
/// towards the limit of Mesa's software renderers.
constexpr std::size_t kUnrolledRounds = 32;

/// Upper bound on the rounds of all loops of a fragment that remain after unrolling
/// (shaders/crossapen/match_*.frag).
std::size_t loopRounds(Variant variant, std::size_t samples, std::size_t m) {
    // The final test of a loop, which finds its condition false, counts as a round, too.
    const auto inner = [](std::size_t rounds) { return rounds <= kUnrolledRounds ? 0 : rounds + 1; };
    switch (variant) {
        case Variant::Scalar:
            return 2 * inner(m + 1) + samples * (1 + inner(m)) + 1;
        case Variant::Packed:
            return inner(4 + m) + inner(m + 1) + samples / 4 + 1 + samples % 4 + 1 +
                   samples * (inner(4 + m) + inner(m));
        default: {
            // Each search halves an interval. For long templates, the loop over their rows ends early when no
            // bits are left, so it is never unrolled.
            const std::size_t searches = kTemplatesPerSearch + kTemplatesPerSets + m;
            const std::size_t rows = m <= 4 ? 0 : kTemplatesPerSets * (m + 1) + 1;
            return searches * (1 + std::bit_width(samples)) +
                   (variant == Variant::Bitset ? setTexels(samples) * (1 + rows) + 1 : 0);
        }
    }
}

/// All bytes that FragmentMatching takes from the pool.
std::size_t bytesOf(const MatchPlan& plan, const MatchLayout& layout, std::size_t samples) {
    const auto table = [&](const TableShape& one, std::size_t count) {
        return plan.width.shape(one.format, count * one.texels).bytes();
    };
    std::size_t bytes = table({glycine::gl::TextureFormat::RGBA32UI, samples + 1}, 1) +
                        table({glycine::gl::TextureFormat::RGBA32F, 1}, plan.rows) +
                        table(layout.signal, plan.templates);
    for (const TableShape& one : layout.partner) bytes += table(one, plan.partners);
    return bytes + PairSums::bytes(plan.rows, plan.columns, layout.templatesPerFragment);
}

constexpr TableShape scalarTable(std::size_t texels) {
    return {glycine::gl::TextureFormat::R32F, texels};
}
constexpr TableShape packedTable(std::size_t texels) {
    return {glycine::gl::TextureFormat::RGBA32F, texels};
}

/// The largest useful pieces for tables of this width, each kind within its share of the memory. Does not
/// check whether all kinds fit together.
MatchPlan shareMemory(glycine::gl::TableWidth width, const MatchLayout& layout, std::size_t samples,
                      unsigned m, const glycine::gl::GlLimits& limits, std::size_t freeBytes) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    MatchPlan plan;
    plan.width = width;
    // Number of channels whose tables fit into one texture, with a row to spare
    // (glycine::gl::TableWidth::shape). Shaders number the texels.
    const auto room = [&](const TableShape& table) {
        const std::size_t rowBytes = width.texels() * glycine::gl::info(table.format).bytesPerTexel;
        const std::size_t rows = std::min(side, limits.maxTextureBytes / rowBytes);
        const std::size_t texels = (rows - std::min<std::size_t>(rows, 1)) * width.texels();
        return std::min(texels, limits.largestInteger) / table.texels;
    };
    const auto share = [&](std::size_t bytes, std::size_t enough, std::size_t unit) {
        return std::min(bytes, std::max(enough, unit)) / unit;
    };
    plan.partners = share(freeBytes / kShareOfPartners, kEnoughTables, layout.partnerBytes());
    for (const TableShape& table : layout.partner) plan.partners = std::min(plan.partners, room(table));
    plan.templates = std::min(share(freeBytes / kShareOfTemplates, kEnoughTables, layout.signal.bytes()),
                              room(layout.signal));
    plan.columns = std::min(layout.fragments(shortTemplates(samples, m)), side);
    plan.rows = std::min({side, share(freeBytes / kShareOfSums, kEnoughSums, plan.columns * kSumBytes),
                          room({glycine::gl::TextureFormat::RGBA32F, 1})});
    if (room({glycine::gl::TextureFormat::RGBA32UI, samples + 1}) == 0) plan.rows = 0;
    return plan;
}

}  // namespace

void describeBins(const SortedSignal<float>& signal, float largestTolerance, std::span<float> target) {
    const std::size_t samples = signal.size();
    const double smallest = signal.values[0];
    const double largest = signal.values[samples - 1];
    const double magnitude = std::max(std::abs(smallest), std::abs(largest));
    // Bins finer than the rounding of the samples would be less informative. A bin must be wide enough that
    // its inverse does not overflow, and that numbers flushed to 0 by a device are below a sixteenth of it.
    const double width = std::max({(largest - smallest) / static_cast<double>(intervalBins(samples)),
                                   magnitude * 0x1p-23, double{std::numeric_limits<float>::min()} * 64});
    const auto scale = static_cast<float>(1 / width);
    const double edgeStep = 1 / double{scale};
    // An eighth of a bin and 2^-20 of this slack cover the device's rounding of the edges.
    const double slack = edgeStep / 4 + 0x3p-21 * (magnitude + edgeStep + std::abs(double{largestTolerance}));
    target[0] = signal.values[0];
    target[1] = scale;
    target[2] = static_cast<float>(signal.ranks[samples - 1]);
    target[3] = 0;
    target[4] = std::nextafter(static_cast<float>(smallest - slack), -std::numeric_limits<float>::max());
    target[5] = static_cast<float>(edgeStep);
    target[6] = target[7] = 0;
}

RankLists rankLists(Variant variant, std::size_t samples, std::size_t m) {
    if (variant == Variant::Bitset) return {0, setTexels(samples) + m};
    return {2 * (samples / kRanksPerTexel + 1), samples / 128 + 1};
}

void packRanks(const SortedSignal<float>& signal, Variant variant, std::size_t m,
               std::span<std::uint32_t> target) {
    constexpr std::uint32_t kNone = 0xffff;
    const std::size_t samples = signal.size();
    const RankLists lists = rankLists(variant, samples, m);
    const auto rankAt = [&](std::size_t time) { return time < samples ? signal.ranks[time] : kNone; };
    // Two ranks per word. The ranks of a list lie 32 apart in the components, or the components next to each
    // other.
    const auto put = [&](std::size_t firstTexel, std::size_t texels, std::size_t perComponent,
                         std::size_t perHalf, const auto& rank) {
        for (std::size_t texel = 0; texel < texels; ++texel)
            for (std::size_t c = 0; c < 4; ++c) {
                const std::size_t place = 2 * texel * perHalf + c * perComponent;
                target[4 * (firstTexel + texel) + c] = rank(place) | rank(place + perHalf) << 16;
            }
    };
    if (variant == Variant::Bitset) {
        const std::size_t apart = setTexels(samples);
        for (std::size_t list = 0; list < lists.count; ++list)
            put(16 * list, 16, 1, 4, [&](std::size_t place) { return rankAt(list + apart * place); });
        return;
    }
    const auto ofNeighbour = [&](std::size_t rank, std::size_t step) {
        // The predecessor of the first sample wraps around to 2^64 - 1.
        return rank < samples ? rankAt(signal.order[rank] + step) : kNone;
    };
    for (std::size_t row = 0; row < lists.begin / 2; ++row)
        put(2 * row, 2, 1, 4,
            [&](std::size_t place) { return ofNeighbour(kRanksPerTexel * row + place, 1); });
    for (std::size_t list = 0; list < lists.count; ++list)
        put(lists.begin + 16 * list, 16, 32, 1, [&](std::size_t place) {
            return ofNeighbour(128 * list + place, std::numeric_limits<std::size_t>::max());
        });
}

std::size_t MatchLayout::partnerBytes() const {
    std::size_t bytes = 0;
    for (const TableShape& table : partner) bytes += table.bytes();
    return bytes;
}

MatchLayout matchLayout(Variant variant, std::size_t samples, unsigned m) {
    MatchLayout layout;
    layout.loopRounds = loopRounds(variant, samples, m);
    // Fragments also read the samples of templates past the last one, up to a whole fragment.
    const auto numbers = [&] {
        return layout.sampleLead + roundUp(samples, layout.templatesPerFragment) + m + 1;
    };
    const auto texels = [&] { return roundUp(numbers(), 4) / 4; };
    const auto rankTables = [&](const TableShape& prefixes) {
        layout.partner = {
            packedTable(binTexels(samples)),
            scalarTable(samples),
            prefixes,
            packedTable(kDescribingTexels),
            {glycine::gl::TextureFormat::RGBA32UI, rankLists(variant, samples, m).texels()},
        };
    };
    switch (variant) {
        case Variant::Scalar:
            layout.signal = scalarTable(numbers());
            layout.partner = {layout.signal};
            break;
        case Variant::Packed:
            layout.templatesPerFragment = 4;
            layout.signal = packedTable(texels());
            layout.partner = {layout.signal};
            break;
        case Variant::Bitset:
            layout.templatesPerFragment = kTemplatesPerSets;
            layout.signal = packedTable(texels());
            rankTables({glycine::gl::TextureFormat::RGBA32UI, prefixSetTexels(samples, m)});
            break;
        default:
            layout.templatesPerFragment = kTemplatesPerSearch;
            layout.sampleLead = 3;
            layout.signal = packedTable(texels());
            rankTables({glycine::gl::TextureFormat::R32I, prefixCountTexels(samples)});
            layout.partner.push_back({glycine::gl::TextureFormat::RGBA32UI, rankSetTexels(samples)});
            layout.partner.push_back({glycine::gl::TextureFormat::R32I, rankSetTexels(samples)});
            break;
    }
    return layout;
}

std::size_t bytesForOnePair(const MatchLayout& layout, std::size_t samples, unsigned m,
                            const glycine::gl::GlLimits& limits) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    MatchPlan least{.width = {}, .partners = 1, .templates = 1, .rows = 1};
    least.width.rowBits = std::min(kFewestRowBits, static_cast<int>(std::bit_width(side)) - 1);
    least.columns = std::min(layout.fragments(shortTemplates(samples, m)), side);
    return std::max({kShareOfPartners * layout.partnerBytes(), kShareOfTemplates * layout.signal.bytes(),
                     kShareOfSums * least.columns * kSumBytes, bytesOf(least, layout, samples)});
}

std::optional<MatchPlan> planMatching(const MatchLayout& layout, std::size_t samples, unsigned m,
                                      const glycine::gl::GlLimits& limits, std::size_t freeBytes) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    const int mostRowBits = static_cast<int>(std::bit_width(side)) - 1;
    glycine::gl::TableWidth width{std::min(kUsualRowBits, mostRowBits)};
    for (const TableShape& table : layout.partner)
        while (width.rowBits < mostRowBits && width.rows(table.texels) >= side) ++width.rowBits;
    for (; width.rowBits >= std::min(kFewestRowBits, mostRowBits); --width.rowBits) {
        MatchPlan plan = shareMemory(width, layout, samples, m, limits, freeBytes);
        // Tables end with whole rows and a spare row, which matters if memory is short.
        while (plan.partners > 0 && plan.templates > 0 && plan.rows > 0) {
            if (bytesOf(plan, layout, samples) <= freeBytes) return plan;
            std::size_t& most =
                std::max({std::ref(plan.partners), std::ref(plan.templates), std::ref(plan.rows)},
                         std::less<std::size_t>());
            most /= 2;
        }
    }
    return std::nullopt;
}

}  // namespace glycine::crossapen::gl
