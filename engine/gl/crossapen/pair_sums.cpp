#include "engine/gl/crossapen/pair_sums.hpp"

#include <algorithm>

#include "engine/gl/framework/framebuffer.hpp"

namespace glycine::crossapen::gl {

namespace {

constexpr std::size_t kTemplatesPerSum = 512;
/// Largest number of texels that one fragment adds.
constexpr std::size_t kLargestFactor = 32;
constexpr int kTargets = 2;

std::size_t dividedUp(std::size_t value, std::size_t divisor) {
    return (value + divisor - 1) / divisor;
}

}  // namespace

PairSums::PairSums(glycine::gl::GlBackend& backend, std::size_t rows, std::size_t columns,
                   std::size_t templatesPerFragment)
    : backend_(backend), templatesPerFragment_(templatesPerFragment) {
    if (backend.dialect() == Dialect::Gl21) {
        std::vector<const glycine::gl::Texture*> targets;
        for (std::size_t k = 0; k < (templatesPerFragment > 1 ? 2 : 1); ++k)
            countTextures_.emplace_back(
                backend.textures(),
                glycine::gl::TextureShape{glycine::gl::TextureFormat::RGBA32F, {columns, rows}});
        for (const glycine::gl::PooledTexture& texture : countTextures_) targets.push_back(&*texture);
        counted_.emplace(targets);
        return;
    }
    for (const LevelShape& level : shapes(rows, columns, templatesPerFragment))
        levels_.push_back({glycine::gl::RenderTexture(backend.textures(), level.texture), level.factor});
}

std::vector<PairSums::LevelShape> PairSums::shapes(std::size_t rows, std::size_t columns,
                                                   std::size_t templatesPerFragment) {
    std::vector<LevelShape> levels;
    const auto addLevel = [&](std::size_t factor) {
        levels.push_back({{glycine::gl::TextureFormat::RGBA32UI, {columns, rows}, kTargets}, factor});
    };
    addLevel(1);
    std::size_t templates = templatesPerFragment;
    while (columns > 1 && templates < kTemplatesPerSum) {
        const std::size_t factor = std::min(kLargestFactor, kTemplatesPerSum / templates);
        columns = dividedUp(columns, factor);
        templates *= factor;
        addLevel(factor);
    }
    return levels;
}

std::size_t PairSums::bytes(std::size_t rows, std::size_t columns, std::size_t templatesPerFragment) {
    std::size_t sum = 0;
    for (const LevelShape& level : shapes(rows, columns, templatesPerFragment)) sum += level.texture.bytes();
    return sum;
}

void PairSums::addOnHost(const LogTable& logarithms, std::size_t lastTemplate) {
    static_assert(2 * kMaximumSamples + 1 < std::size_t{1} << 24, "counts exceed what floats hold exactly");
    logTable_ = logarithms;
    lastTemplate_ = lastTemplate;
}

void PairSums::reduce(std::size_t rows, const Range& columns) {
    rows_ = rows;
    width_ = columns.size();
    firstColumn_ = columns.begin;
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        const std::size_t width = dividedUp(width_, levels_[level].factor);
        backend_.pass("crossapen/add_sums.frag", {{"UNSIGNED", ""}, {"OUTPUTS", "2"}})
            .input("sums", levels_[level - 1].texture.texture())
            .output(levels_[level].texture.framebuffer())
            .uniform("count", static_cast<int>(levels_[level].factor))
            .uniform("extent", static_cast<int>(width_))
            .draw({{0, 0}, {width, rows}});
        width_ = width;
    }
}

void PairSums::readTexels() {
    const glycine::gl::Rectangle region{{0, 0}, {width_, rows_}};
    if (counted_) {
        for (std::size_t k = 0; k < countTextures_.size(); ++k) {
            matches_[k].resize(4 * width_ * rows_);
            glycine::gl::readPixels(*counted_, static_cast<int>(k), glycine::gl::TextureFormat::RGBA32F,
                                    region, matches_[k].data());
        }
        return;
    }
    const glycine::gl::RenderTexture& last = levels_.back().texture;
    logarithms_.resize(4 * width_ * rows_);
    counts_.resize(4 * width_ * rows_);
    glycine::gl::readPixels(last.framebuffer(), 0, last.shape().format, region, logarithms_.data());
    glycine::gl::readPixels(last.framebuffer(), 1, last.shape().format, region, counts_.data());
}

MatchStatistics PairSums::sumsAt(std::size_t texel) const {
    const std::uint32_t* const logarithms = logarithms_.data() + 4 * texel;
    const std::uint32_t* const counts = counts_.data() + 4 * texel;
    const auto logarithm = [&](std::size_t component) {
        return LogSum{logarithms[component]} + (LogSum{logarithms[component + 1]} << kLowerLogarithmBits);
    };
    MatchStatistics sums;
    sums.logShort = logarithm(0);
    sums.logLong = logarithm(2);
    sums.matchesShort = counts[0];
    sums.matchesWithin = counts[1];
    sums.matchesLong = counts[2];
    constexpr std::uint32_t kMask = 0x3ff;
    sums.noShort = counts[3] & kMask;
    sums.noLong = counts[3] >> 10 & kMask;
    sums.noLongOnly = counts[3] >> 20;
    return sums;
}

MatchStatistics PairSums::countsAt(std::size_t row, std::size_t x) const {
    const std::size_t texel = 4 * (row * width_ + x);
    MatchStatistics sums;
    for (std::size_t t = 0; t < templatesPerFragment_; ++t) {
        const std::size_t number = (firstColumn_ + x) * templatesPerFragment_ + t;
        if (number > lastTemplate_) break;
        const auto twice = static_cast<std::uint32_t>(matches_[0][texel + t]);
        const std::uint32_t shortMatches = twice / 2;
        sums.logShort += (*logTable_)[shortMatches];
        sums.matchesShort += shortMatches;
        if (shortMatches == 0) ++sums.noShort;
        if (number == lastTemplate_) break;  // no long template
        const auto longMatches = static_cast<std::uint32_t>(
            templatesPerFragment_ > 1 ? matches_[1][texel + t] : matches_[0][texel + 1]);
        sums.logLong += (*logTable_)[longMatches];
        sums.matchesWithin += shortMatches - twice % 2;
        sums.matchesLong += longMatches;
        if (longMatches == 0) {
            ++sums.noLong;
            if (shortMatches != 0) ++sums.noLongOnly;
        }
    }
    return sums;
}

}  // namespace glycine::crossapen::gl
