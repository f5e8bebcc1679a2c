#include "engine/gl/pairwise/wavefront_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/core/host_memory.hpp"
#include "engine/core/quantity.hpp"
#include "engine/pairwise/lane_numbers.hpp"

namespace glycine::pairwise::gl {

namespace {

/// Narrowest table: the profile has 32 codes side by side.
constexpr int kLeastBits = std::countr_zero(kTableSide);
/// Sides of pieces beyond which nothing is gained; a software renderer takes minutes for smaller ones.
constexpr std::size_t kLargestSide = 1024;
constexpr std::size_t kLargestSideOfSoftware = 256;
/// Pairs per batch beyond which nothing is gained. Software renderers process all rows of a batch in each
/// pass, and their caches are small.
constexpr std::size_t kMaxPlaces = 16384;
constexpr std::size_t kMaxPlacesOfSoftware = 512;
/// Bytes of the table of scores.
constexpr std::size_t kScoreBytes = 16 * kTableSide * kTableSide;

}  // namespace

glycine::gl::TableWidth tableWidth(const glycine::gl::GlLimits& limits, std::size_t texels) {
    const int most = static_cast<int>(std::bit_width(static_cast<unsigned>(limits.maxTextureSize))) - 1;
    int bits = std::min(kLeastBits, most);
    while (bits < most && (std::size_t{1} << (2 * bits)) < texels) ++bits;
    return {bits};
}

StateSize stateSize(const WavefrontPlan& plan, const WavefrontShape& shape,
                    const glycine::gl::GlLimits& limits, std::size_t places, std::size_t rows) {
    constexpr std::size_t kStep = 16;
    const auto fits = [&](std::size_t width, std::size_t height) {
        return width * shape.bytesPerPlace(height) <= plan.stateBytes;
    };
    std::size_t height = std::min(roundUp(rows, kStep) + 1, static_cast<std::size_t>(limits.maxTextureSize));
    if (!fits(places, height)) height = rows;
    const std::size_t width = std::min(roundUp(places, kStep), plan.width);
    return {glycine::gl::toInt(fits(width, height) ? width : places), glycine::gl::toInt(height)};
}

void LetterTable::fill(glycine::gl::GlBackend& backend, const Sequences& sequences,
                       std::span<const std::size_t> some) {
    std::size_t total = 0;
    for (const std::size_t sequence : some) total += sequences.codes[sequence].size();
    const glycine::gl::TableWidth width = tableWidth(backend.gl().limits, total);
    rowBits = width.rowBits;
    table.reset();
    floatTable.reset();
    const auto make = [&](auto& made, glycine::gl::TextureFormat format) {
        made.emplace(backend.textures(), format, width, total);
        begins.assign(sequences.size(), 0);
        std::size_t next = 0;
        for (const std::size_t sequence : some) {
            begins[sequence] = next;
            for (const std::uint8_t code : sequences.codes[sequence]) *made->texel(next++) = code;
        }
        made->upload(total);
    };
    if (backend.dialect() == Dialect::Gl21)
        make(floatTable, glycine::gl::TextureFormat::R32F);
    else
        make(table, glycine::gl::TextureFormat::R32I);
}

std::optional<std::size_t> WavefrontPlanner::tableBytes(std::size_t sequences, std::size_t letters) const {
    std::size_t most = 0;
    for (const WavefrontShape& shape : shapes_) {
        std::size_t bytes = 0;
        for (const WavefrontTable& table : shape.tables) {
            const std::size_t texels = sequences * shape.texels(table, letters);
            const glycine::gl::TextureShape texture =
                tableWidth(capabilities_.limits, texels).shape(table.format, texels);
            if (texels > capabilities_.limits.largestInteger ||
                texture.size.y > capabilities_.limits.maxTextureSize ||
                texture.bytes() > capabilities_.limits.maxTextureBytes)
                return {};
            bytes += texture.bytes();
        }
        most = std::max(most, bytes);
    }
    return most;
}

std::size_t WavefrontPlanner::stateBytes(std::size_t letters) const {
    std::size_t most = 0;
    for (const WavefrontShape& shape : shapes_)
        most = std::max(most, shape.bytesPerPlace(shape.height(letters)));
    return most;
}

std::size_t WavefrontPlanner::bytesPerPair() const {
    // Two texels of description and one of result, for each of the pairs that share a place.
    return 48 * shapes_.front().pairsPerTexel;
}

Support WavefrontPlanner::supports(const PairwiseRequest& request) const {
    const auto limit = static_cast<std::size_t>(capabilities_.limits.maxTextureSize);
    if (limit < kTableSide)
        return Support::no(
            fmt::format("alignments need textures of {} texels, and these have up to {}", kTableSide, limit));
    std::size_t rows = 0;
    for (const WavefrontShape& shape : shapes_) rows = std::max(rows, shape.height(request.longest));
    if (rows > limit)
        return Support::no(fmt::format(
            "sequences of {} letters take {} rows of texels, and textures have up to {}; reference and "
            "cpu take any length",
            formatCount(request.longest), formatCount(rows), formatCount(limit)));
    const std::optional<std::size_t> tables = tableBytes(2, request.longest);
    if (!tables)
        return Support::no(
            fmt::format("two sequences of {} letters do not fit into textures of {} x {} texels",
                        formatCount(request.longest), limit, limit));
    const std::size_t needed =
        kScoreBytes + bytesPerPair() + 2 * std::max(*tables, stateBytes(request.longest));
    if (needed <= freeBytes_) return Support::yes();
    return Support::no(lackOfDeviceMemory("alignments of pairs", static_cast<double>(needed), freeBytes_));
}

WavefrontPlan WavefrontPlanner::plan(const PairwiseRequest& request) const {
    const bool isSoftware = capabilities_.isSoftware;
    const std::size_t least = 2 * std::max(*tableBytes(2, request.longest), stateBytes(request.longest));
    WavefrontPlan plan;
    const std::size_t most = std::min(
        isSoftware ? kMaxPlacesOfSoftware : kMaxPlaces,
        static_cast<std::size_t>(capabilities_.limits.maxTextureSize) / shapes_.front().pairsPerTexel);
    plan.width = std::clamp<std::size_t>((freeBytes_ - kScoreBytes - least) / (8 * bytesPerPair()), 1, most);
    plan.stateBytes = (freeBytes_ - kScoreBytes - plan.width * bytesPerPair()) / 2;
    plan.side = largestFitting(isSoftware ? kLargestSideOfSoftware : kLargestSide, [&](std::size_t side) {
        const std::optional<std::size_t> tables = tableBytes(2 * side, request.longest);
        return side == 1 || (tables && *tables <= plan.stateBytes);
    });
    return plan;
}

}  // namespace glycine::pairwise::gl
