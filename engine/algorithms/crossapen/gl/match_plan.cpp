#include "engine/algorithms/crossapen/gl/match_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "engine/algorithms/crossapen/gl/rank_tables.hpp"

namespace glycine::crossapen::gl {

namespace {

/// Sums of one fragment: two targets of four words.
constexpr std::size_t kSumBytes = 2 * 16;
/// Bytes beyond which more channels, or more pairs, at a time gain nothing.
constexpr std::size_t kEnoughTables = std::size_t{64} << 20;
constexpr std::size_t kEnoughSums = std::size_t{16} << 20;
/// Width of tables: wider only for those that are too long for it.
constexpr int kUsualRowBits = 12;

constexpr TableShape scalarTable(std::size_t texels) {
    return {glycine::gl::TextureFormat::R32F, texels};
}
constexpr TableShape packedTable(std::size_t texels) {
    return {glycine::gl::TextureFormat::RGBA32F, texels};
}

}  // namespace

std::size_t MatchLayout::partnerBytes() const {
    std::size_t bytes = 0;
    for (const TableShape& table : partner) bytes += table.bytes();
    return bytes;
}

MatchLayout matchLayout(Variant variant, std::size_t samples, unsigned m) {
    MatchLayout layout;
    // Fragments read what the templates need that begin after the last one, up to a whole fragment.
    const auto numbers = [&] {
        return layout.sampleLead + roundUp(samples, layout.templatesPerFragment) + m + 1;
    };
    const auto texels = [&] { return roundUp(numbers(), 4) / 4; };
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
            layout.partner = {packedTable(binTexels(samples)),
                              scalarTable(samples),
                              {glycine::gl::TextureFormat::RGBA32UI, prefixSetTexels(samples, m)}};
            break;
        default:
            layout.templatesPerFragment = kTemplatesPerSearch;
            layout.sampleLead = 3;
            layout.signal = packedTable(texels());
            layout.partner = {packedTable(binTexels(samples)),
                              scalarTable(samples),
                              {glycine::gl::TextureFormat::R32I, prefixCountTexels(samples)}};
            break;
    }
    return layout;
}

std::optional<MatchPlan> planMatching(const MatchLayout& layout, std::size_t samples, unsigned m,
                                      const glycine::gl::GlLimits& limits, std::size_t freeBytes) {
    const auto side = static_cast<std::size_t>(limits.maxTextureSize);
    MatchPlan plan;
    const int mostRowBits = static_cast<int>(std::bit_width(side)) - 1;
    plan.width.rowBits = std::min(kUsualRowBits, mostRowBits);
    for (const TableShape& table : layout.partner)
        while (plan.width.rowBits < mostRowBits && plan.width.rows(table.texels) >= side)
            ++plan.width.rowBits;
    // How many channels have room for a table in one texture, with a row to spare
    // (glycine::gl::TableWidth::shape). Texels are numbered by int.
    const auto room = [&](const TableShape& table) {
        const std::size_t rowBytes = plan.width.texels() * glycine::gl::info(table.format).bytesPerTexel;
        const std::size_t rows = std::min(side, limits.maxTextureBytes / rowBytes);
        const std::size_t texels = (rows - std::min<std::size_t>(rows, 1)) * plan.width.texels();
        return std::min<std::size_t>(texels, std::numeric_limits<int>::max()) / table.texels;
    };
    const auto share = [&](std::size_t bytes, std::size_t enough, std::size_t unit) {
        return std::min(bytes, std::max(enough, unit)) / unit;
    };
    plan.partners = share(freeBytes / 2, kEnoughTables, layout.partnerBytes());
    for (const TableShape& table : layout.partner) plan.partners = std::min(plan.partners, room(table));
    plan.templates =
        std::min(share(freeBytes / 8, kEnoughTables, layout.signal.bytes()), room(layout.signal));
    plan.columns = std::min(layout.fragments(shortTemplates(samples, m)), side);
    plan.rows = std::min(side, share(freeBytes / 8, kEnoughSums, plan.columns * kSumBytes));
    const std::size_t logarithmTexels = samples + 1;
    const bool fits = plan.partners > 0 && plan.templates > 0 && plan.rows > 0 &&
                      room({glycine::gl::TextureFormat::RGBA32UI, logarithmTexels}) > 0;
    return fits ? std::optional(plan) : std::nullopt;
}

}  // namespace glycine::crossapen::gl
