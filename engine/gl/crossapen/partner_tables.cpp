#include "engine/gl/crossapen/partner_tables.hpp"

#include <algorithm>
#include <bit>

#include "engine/gl/framework/fragment_pass.hpp"
#include "engine/gl/framework/watchdog.hpp"

namespace glycine::crossapen::gl {

using glycine::gl::FragmentPass;
using glycine::gl::RenderTexture;
using glycine::gl::toInt;

PartnerTables::PartnerTables(glycine::gl::GlBackend& backend, Variant variant, std::size_t samples,
                             unsigned m, const MatchPlan& plan, const MatchingStyle& style)
    : backend_(backend),
      variant_(variant),
      samples_(samples),
      m_(m),
      lists_(rankLists(variant, samples, m)),
      shapes_(matchLayout(variant, samples, m).partner),
      plan_(plan),
      style_(style),
      sorted_(backend.textures(), shapes_[kSorted].format, plan.width, plan.partners * samples),
      described_(backend.textures(), shapes_[kDescribed].format, plan.width,
                 plan.partners * kDescribingTexels),
      ranks_(backend.textures(), shapes_[kRanks].format, plan.width, plan.partners * lists_.texels()),
      bins_(make(kBins)),
      prefixes_(make(kPrefixes)) {
    if (variant == Variant::Bitset) return;
    rankSets_.emplace(make(kRankSets));
    setCounts_.emplace(make(kSetCounts));
}

RenderTexture PartnerTables::make(PartnerTable table) const {
    const TableShape& shape = shapes_[table];
    return {backend_.textures(), plan_.width.shape(shape.format, plan_.partners * shape.texels)};
}

void PartnerTables::sort(std::size_t slot, std::span<const float> signal, float largestTolerance) {
    const SortedSignal<float> sorted(signal);
    const auto place = [&](auto& table, std::size_t texels) {
        return std::span(table.texel(slot * texels), table.texel((slot + 1) * texels));
    };
    std::copy_n(sorted.values.data(), samples_, place(sorted_, samples_).data());
    describeBins(sorted, largestTolerance, place(described_, kDescribingTexels));
    packRanks(sorted, variant_, m_, place(ranks_, lists_.texels()));
}

void PartnerTables::upload(std::size_t slots) {
    sorted_.upload(slots * samples_);
    described_.upload(slots * kDescribingTexels);
    ranks_.upload(slots * lists_.texels());
}

void PartnerTables::input(FragmentPass& pass, const std::string& name,
                          const glycine::gl::Texture& texture) const {
    pass.input(name, texture);
    if (style_.normalised) pass.uniform(name + "Texel", glycine::gl::texelSize(texture));
}

template <class Describe>
void PartnerTables::fill(const char* shader, glycine::gl::ShaderDefines defines, const RenderTexture& target,
                         std::size_t texels, double lookups, Describe&& describe) {
    defines.push_back({"ROW_BITS", std::to_string(plan_.width.rowBits)});
    if (style_.normalised) defines.push_back({"NORMALISED", ""});
    FragmentPass pass = backend_.pass(shader, defines);
    pass.output(target.framebuffer()).uniform("lastTexel", toInt(texels - 1));
    describe(pass);
    const glycine::gl::Rectangle region{{0, 0}, {plan_.width.texels(), plan_.width.rows(texels)}};
    glycine::gl::drawInBands(backend_.budget(), region, lookups * region.size.x,
                             [&](const glycine::gl::Rectangle& band) { pass.draw(band); });
}

void PartnerTables::drawSets(const RenderTexture& target, std::size_t thresholds, std::size_t rankStep,
                             std::size_t slots) {
    fill("crossapen/fill_rank_sets.frag", {{"UNSIGNED", ""}}, target, slots * thresholds * lists_.count, 16,
         [&](FragmentPass& pass) {
             input(pass, "ranks", ranks_.texture());
             pass.uniform("rankStride", toInt(lists_.texels()))
                 .uniform("firstList", toInt(lists_.begin))
                 .uniform("lists", toInt(lists_.count))
                 .uniform("thresholds", toInt(thresholds))
                 .uniform("rankStep", toInt(rankStep));
         });
}

void PartnerTables::draw(std::size_t slots) {
    backend_.budget().restart("crossapen tables of partners");
    fill("crossapen/fill_bins.frag", {}, bins_, slots * binTexels(samples_), 16, [&](FragmentPass& pass) {
        input(pass, "described", described_.texture());
        input(pass, "sortedSamples", sorted_.texture());
        pass.uniform("binCount", toInt(intervalBins(samples_)))
            .uniform("samples", toInt(samples_))
            .uniform("highest", toInt(std::bit_floor(samples_)));
    });
    if (variant_ == Variant::Bitset) {
        drawSets(prefixes_, samples_ + 1, 1, slots);
        return;
    }
    const std::size_t rows = samples_ / kRanksPerTexel + 1;
    drawSets(*rankSets_, rows, kRanksPerTexel, slots);
    glycine::gl::ShaderDefines counting{{"FIXED_POINT", ""}};
    if (style_.bitCount) counting.push_back({"BIT_COUNT", ""});
    fill("crossapen/count_rank_sets.frag", counting, *setCounts_, slots * rankSetTexels(samples_),
         static_cast<double>(lists_.count) / 2, [&](FragmentPass& pass) {
             input(pass, "rankSets", rankSets_->texture());
             pass.uniform("lists", toInt(lists_.count));
         });
    fill("crossapen/fill_prefix_counts.frag", counting, prefixes_, slots * prefixCountTexels(samples_), 4,
         [&](FragmentPass& pass) {
             input(pass, "ranks", ranks_.texture());
             input(pass, "rankSets", rankSets_->texture());
             input(pass, "setCounts", setCounts_->texture());
             pass.uniform("rankStride", toInt(lists_.texels()))
                 .uniform("lists", toInt(lists_.count))
                 .uniform("samples", toInt(samples_));
         });
}

}  // namespace glycine::crossapen::gl
